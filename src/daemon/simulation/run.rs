//! One run from one seed: everything that may happen to a workspace, in an order that chance gives, and then peace.

use super::life::{self, Incarnation, Worked};
use super::oracle;
use super::state::{Now, Run};
use super::trace::{self, Trace};
use super::wrong::Wrong;
use crate::io::fake::Machine;
use std::rc::Rc;

/// Things that happen before peace.
const STEPS: u64 = 1_207;
/// And until everything has come to its end; far more than it takes.
const STEPS_TO_PEACE: u64 = 20_000;
/// After so many things somebody looks at what has ended.
const LOOK_EVERY: u64 = 16;
/// Runs one seed.
///
/// # Errors
/// What was wrong.
pub(super) fn run(seed: u64, whole: bool) -> (Trace, Result<(), Wrong>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let runtime = Rc::new(runtime);
    let _within = runtime.enter();
    let mut run = Run::new(seed, whole);
    run.runtime = Some(Rc::clone(&runtime));
    let outcome = run.live();
    let torn = Machine::with(|machine| machine.faults.torn);
    run.trace.count("torn writes", torn);
    if whole && outcome.is_err() {
        trace::journal(&run.root).iter().for_each(|line| run.tell(line));
    }
    (run.finish(), outcome)
}

impl Run {
    fn live(&mut self) -> Result<(), Wrong> {
        for _ in 0..STEPS {
            self.step()?;
        }
        self.make_peace();
        for _ in 0..STEPS_TO_PEACE {
            if self.step_in_peace()? {
                return oracle::check_end(self);
            }
        }
        Err(format!("no peace: {}", self.what_is_open()))
    }

    /// One thing happens.
    fn step(&mut self) -> Result<(), Wrong> {
        let ms = self.chance.below(4);
        self.pass(ms);
        self.go_on_soon();
        match self.chance.below(322) {
            320.. => self.open_or_steer_a_flow(),
            300..320 => drop(self.jobs_work()?),
            0..60 => drop(self.turn_loop()),
            60..100 => self.write(),
            100..130 => self.show(),
            130..155 => self.look(),
            155..275 => self.panes_work(),
            275..284 => self.people_act(),
            284..290 => self.ask()?,
            290 if self.chance.one_in(2) => self.retain()?,
            290 => self.stop_or_go(),
            291 => self.change_team(),
            292..296 => self.time_passes(),
            296 => self.disk_fails(),
            297 => self.tmux_fails(),
            _ => self.crash_or_plan(),
        }
        self.after()
    }

    /// What holds after anything.
    pub(super) fn after(&mut self) -> Result<(), Wrong> {
        for what in std::mem::take(&mut self.panes.met) {
            self.trace.meet(what);
        }
        if let Some(wrong) = self.panes.wrong.pop() {
            return Err(wrong);
        }
        for (typed, who) in std::mem::take(&mut self.panes.news) {
            self.check_typed(&typed, &who)?;
            self.check_base(&typed.id, &who)?;
            self.trace.meet("turns begun");
        }
        self.note_intents();
        self.check_stop()?;
        self.steps += 1;
        if self.steps.is_multiple_of(LOOK_EVERY) {
            self.check_hands()?;
            self.check_flows()?;
            self.look_at_ends()?;
        }
        if Machine::with(|machine| machine.faults.dead) {
            self.tell("dead in the middle of a change");
            self.trace.meet("deaths in a change");
            self.crash();
        }
        Ok(())
    }

    // The daemon.

    pub(super) fn turn_loop(&mut self) -> bool {
        let chance = self.chance.bits() >> 33;
        match &mut self.now {
            Now::Dead(at, _) if *at <= Machine::with(|machine| machine.elapsed_ms) => {
                self.start();
                true
            }
            Now::Dead(..) => false,
            Now::Alive(life) => {
                let heard = life.turn(chance);
                if Machine::with(|machine| machine.faults.dead) {
                    return true;
                }
                match heard {
                    Ok(heard) => {
                        self.take_acts();
                        self.hear_answers();
                        if self.life().is_some_and(|life| life.daemon.ending.is_some()) {
                            self.close();
                        }
                        heard
                    }
                    Err(broken) => {
                        self.broke(&broken.to_string());
                        true
                    }
                }
            }
        }
    }

    /// The loop could not go on.
    pub(super) fn broke(&mut self, why: &str) {
        self.tell(&format!("the loop broke: {why}"));
        self.trace.meet("loops that broke");
        self.panes.desert();
        let again = Machine::with(|machine| machine.elapsed_ms) + 200;
        if let Now::Alive(life) = std::mem::replace(&mut self.now, Now::Dead(again, None)) {
            let journal = life.end();
            self.now = Now::Dead(again, Some(Box::new(journal)));
        }
        if !self.calm && self.chance.one_in(3) {
            self.crash(); // the next start does not know what failed
        }
    }

    pub(super) fn start(&mut self) {
        let Now::Dead(_, stopped) = std::mem::replace(&mut self.now, Now::Dead(0, None)) else { return };
        if stopped.is_none() {
            self.lives += 1;
            self.process.boot = format!("{}-{}", self.boots, self.lives);
        }
        if !self.calm && self.chance.one_in(5) {
            self.plan_death(30);
        }
        self.panes.away = false; // it connects anew
        let before = self.told();
        let begun = life::begin(&mut self.process, &self.settings, stopped, &self.panes);
        self.history.cut(before.as_ref(), self.told().as_ref());
        match begun {
            Ok(life) => {
                let open = life.daemon.engine.state().open.len();
                self.tell(&format!("started, {open} open, step {}", life.daemon.engine.state().seq.0));
                self.trace.meet("starts");
                self.now = Now::Alive(Box::new(life));
                self.take_acts();
                self.count_hired();
            }
            Err((why, journal)) => {
                self.tell(&format!("could not start: {why}"));
                self.trace.meet("starts that failed");
                let again = Machine::with(|machine| machine.elapsed_ms) + 50;
                self.now = Now::Dead(again, journal);
            }
        }
    }

    /// Gives tmux what the loop wants of it.
    pub(super) fn take_acts(&mut self) {
        if let Now::Alive(life) = &self.now {
            while let Ok(act) = life.acts.try_recv() {
                self.panes.take(act);
            }
        }
    }

    /// Takes what callers were told. What was not true is seen if everything dies at once.
    pub(super) fn hear_answers(&mut self) {
        let heard = self.callers.hear();
        let any = !heard.said.is_empty();
        heard.said.iter().for_each(|said| self.tell(said));
        let shown = heard.met.iter().any(|what| what.starts_with("told"));
        heard.met.into_iter().for_each(|what| self.trace.meet(what));
        self.stop.told = heard.stopped.or(self.stop.told);
        if any {
            self.die_after_an_answer(if shown { 4 } else { 25 });
        }
    }

    /// Once in so many times everything dies.
    pub(super) fn die_after_an_answer(&mut self, times: u64) {
        if !self.calm && self.chance.one_in(times) {
            self.trace.meet("deaths after an answer");
            self.crash();
        }
    }

    pub(super) fn write(&mut self) {
        let Now::Alive(life) = &mut self.now else { return };
        // A daemon often starts with a segment that is as large as it may be.
        let often = if life.is_young() { 4 } else { 30 };
        let wants_rotation = !self.calm && self.chance.one_in(often);
        match life.write(wants_rotation) {
            Worked::Nothing => {}
            Worked::Rotated => {
                self.tell("the segment is turned");
                self.trace.meet("rotation");
                // What a new segment leaves out is missed by the next start alone, if that comes soon.
                if !self.calm && self.chance.one_in(4) {
                    self.plan_death(6);
                }
            }
            _ => self.tell("written"),
        }
    }

    pub(super) fn show(&mut self) {
        let Now::Alive(life) = &mut self.now else { return };
        if life.show() != Worked::Nothing {
            self.tell("shown");
        }
    }

    pub(super) fn look(&mut self) {
        let Now::Alive(life) = &mut self.now else { return };
        if life.look() != Worked::Nothing {
            self.tell("the mailbox went round");
        }
    }

    /// The daemon, if it lives.
    pub(super) fn life(&mut self) -> Option<&mut Incarnation> {
        match &mut self.now {
            Now::Alive(life) => Some(life),
            Now::Dead(..) => None,
        }
    }

    /// All of it ends.
    pub(super) fn finish(self) -> Trace {
        match self.now {
            Now::Alive(life) => life.kill(),
            Now::Dead(_, journal) => drop(journal),
        }
        Machine::remove();
        self.trace
    }
}
