//! What people, agents, the disk and tmux do to the daemon in a run.

use super::callers::Wish;
use super::cut;
use super::flow_plans;
use super::hiring::HIRED_TO_SPEAK;
use super::looks::Sight;
use super::pane::{Doing, Luck};
use super::state::{Now, Run};
use super::texts;
use super::wrong::Wrong;
use crate::daemon::clients::request::Until;
use crate::daemon::inbox::News;
use crate::daemon::tmux::news::TmuxNews;
use crate::engine::input::Command;
use crate::engine::life::{StageName, TurnKind};
use crate::engine::words::{AgentName, MessageId, Millis};
use crate::io::fake::{Faults, Machine};
use crate::io::mux::Mux;
use std::sync::Arc;

/// Less than `low_disk`, and more than a snapshot takes.
const NEARLY_FULL: u64 = 1 << 20;

impl Run {
    // Death.

    /// The process dies, or the machine with it.
    pub(super) fn crash(&mut self) {
        let again = Machine::with(|machine| {
            machine.faults =
                Faults { refused: machine.faults.refused, torn: machine.faults.torn, ..Faults::default() };
            machine.elapsed_ms
        }) + self.chance.below(60);
        match std::mem::replace(&mut self.now, Now::Dead(again, None)) {
            Now::Alive(life) => life.kill(),
            Now::Dead(_, journal) => {
                Machine::with(|machine| machine.faults.dead = true);
                drop(journal);
            }
        }
        Machine::with(|machine| machine.faults.dead = false);
        self.panes.desert();
        self.panes.away = false;
        self.callers.hang_up();
        self.model = None;
        self.trace.meet("kills");
        if self.chance.one_in(2) {
            self.panes.die();
            let before = self.told();
            let took = cut::cut(&self.root, &mut self.chance);
            let left = self.told();
            self.history.cut(before.as_ref(), left.as_ref());
            self.history.cut_log(left.as_ref());
            self.people.cut();
            self.boots += 1;
            self.trace.meet("power cuts");
            self.trace.count("names that a cut took back", took.names);
            self.trace.count("views that a cut took back", took.views);
            self.tell(&format!("the power is cut: {took:?}"));
        } else {
            self.tell("killed");
        }
    }

    // Faults.

    pub(super) fn crash_or_plan(&mut self) {
        if self.chance.one_in(2) {
            return self.crash();
        }
        let after = self.plan_death(40);
        self.tell(&format!("will die after {after} changes"));
    }

    pub(super) fn plan_death(&mut self, most: u64) -> u64 {
        let after = self.chance.below(most);
        Machine::with(|machine| machine.faults.dies_after = Some(after));
        after
    }

    pub(super) fn disk_fails(&mut self) {
        let full = self.chance.one_in(3);
        let after = self.chance.below(30);
        Machine::with(|machine| {
            if machine.faults.full {
                machine.faults.full = false;
            } else if full && after.is_multiple_of(2) {
                // Nearly full, or not any more: only what belongs to open work is taken.
                machine.free_bytes = if machine.free_bytes == NEARLY_FULL { 1 << 40 } else { NEARLY_FULL };
            } else if full {
                machine.faults.full = true;
            } else {
                machine.faults.refuses_after = Some(after);
            }
        });
        self.trace.meet(if full { "disk full" } else { "failing writes" });
        self.tell(if full { "the disk is full, or has room again" } else { "a change will fail" });
    }

    pub(super) fn tmux_fails(&mut self) {
        let Now::Alive(life) = &mut self.now else { return };
        let news = if self.panes.away {
            self.panes.away = false;
            let found = self.panes.found();
            TmuxNews::Back { tmux: Mux::none(), found }
        } else {
            self.panes.away = true;
            self.panes.desert();
            TmuxNews::Cut { why: "detached".to_owned() }
        };
        let what = format!("tmux: {}", if self.panes.away { "cut" } else { "back" });
        let _ = life.news.try_send(News::Tmux(news));
        if self.panes.away && self.chance.one_in(2) {
            self.panes.die();
            self.trace.meet("tmux deaths");
            let _ = life.news.try_send(News::Tmux(TmuxNews::Lost { why: "server exited".to_owned() }));
        }
        self.trace.meet("tmux connections that ended or came back");
        self.tell(&what);
    }

    pub(super) fn time_passes(&mut self) {
        let ms = match self.chance.below(8) {
            0..5 => self.chance.below(2_000),
            5 => self.chance.below(40_000),
            6 => self.chance.below(4_000_000),
            _ => {
                let hour = 3_600_000;
                let forth = self.chance.one_in(2);
                let by = if self.chance.one_in(2) { 365 * 24 * hour } else { hour };
                let asleep = Machine::with(|machine| {
                    let wall = machine.wall.0;
                    machine.wall = Millis(if forth { wall + by } else { wall.saturating_sub(by) });
                    let asleep = forth && by == hour && wall.is_multiple_of(2);
                    machine.slept_ms += if asleep { by } else { 0 };
                    asleep
                });
                let (met, what) = if asleep {
                    ("sleeps of the machine", "the machine has slept")
                } else {
                    ("jumps of the wall clock", "the wall clock jumps")
                };
                self.trace.meet(met);
                return self.tell(what);
            }
        };
        self.pass(ms);
    }

    // People.

    pub(super) fn people_act(&mut self) {
        if self.chance.one_in(6) {
            return self.hire_or_dismiss();
        }
        if Machine::with(|machine| machine.faults.full) {
            return;
        }
        let mut met = Vec::new();
        let count = if self.chance.one_in(400) { 60 + self.chance.below(120) } else { 1 };
        if count > 1 {
            self.trace.meet("floods");
        }
        for _ in 0..count {
            self.people.drop_some(&self.root, &mut self.chance, &mut met);
        }
        met.into_iter().for_each(|what| self.trace.meet(what));
        let last = self.people.drops.last().map(|drop| drop.name.clone()).unwrap_or_default();
        self.tell(&format!("{count} dropped, the last as {last}"));
    }

    /// Somebody asks something over the socket.
    pub(super) fn ask(&mut self) -> Result<(), Wrong> {
        if self.chance.one_in(2)
            && let Some(lost) = self.callers.lost()
        {
            self.trace.meet("letters sent again");
            self.call(lost);
            return Ok(());
        }
        let id = self.people.some_id(&mut self.chance).and_then(|id| MessageId::new(id).ok());
        match (self.chance.below(10), id) {
            (0..4, _) => self.send(),
            (4, Some(id)) => {
                let until = [Until::Ended, Until::Delivered, Until::Moved(StageName::Queued)];
                let until = self.chance.pick(&until).copied().unwrap_or(Until::Ended);
                self.call(Wish::WaitFor(id, until));
            }
            (5, Some(id)) => return self.look_over_the_socket(Sight::Message(id)),
            (6, _) if self.chance.one_in(5) => {
                let keep_agents = self.chance.one_in(2);
                self.call(Wish::Down(keep_agents));
            }
            (6, _) => return self.look_over_the_socket(Sight::Open),
            (_, id) => self.ask_for_a_change(id),
        }
        Ok(())
    }

    fn ask_for_a_change(&mut self, id: Option<MessageId>) {
        let who = ["boss", "ann", "bob", "eve", "hal"][self.chance.below(5) as usize];
        let Ok(agent) = AgentName::new(who) else { return };
        let command = match (self.chance.below(8), id) {
            (0..3, Some(id)) => Command::cancel(id),
            (3, Some(id)) => Command::Retry(id),
            (4, _) => Command::Stop(agent),
            (5, _) => Command::Restart(agent),
            _ => Command::Start(None),
        };
        let key = if self.chance.one_in(6) { self.some_key() } else { None };
        let by = key.and_then(|(key, owner, _)| Some((key, owner?)));
        self.call(Wish::Command(command, by));
    }

    /// Somebody sends messages: a person, or an agent with its key, or somebody with a key that is not his.
    fn send(&mut self) {
        let key = (self.chance.below(3) == 0).then(|| self.some_key()).flatten();
        let speaker = key.as_ref().map(|(_, owner, speaker)| (owner.is_some(), speaker.as_str()));
        let (text, contents) = self.people.letter(&mut self.chance, speaker);
        let key = key.map(|(key, owner, _)| (key, owner));
        if let Some(at) = self.callers.write(&text, contents, key) {
            self.call(Wish::Send(at));
        }
    }

    /// A key, whose it is if it is that of the one who speaks, and who speaks.
    pub(super) fn some_key(&mut self) -> Option<(String, Option<AgentName>, String)> {
        let Now::Alive(life) = &self.now else { return None };
        let pane = self.chance.pick(&self.panes.all)?;
        let key = life.daemon.panes.key(&pane.agent, pane.nonce);
        let name = pane.agent.as_str();
        match self.chance.below(8) {
            0 => Some(("none".to_owned(), None, name.to_owned())),
            1 => Some((key, None, (if name == "boss" { "ann" } else { "boss" }).to_owned())),
            _ => Some((key, Some(pane.agent.clone()), name.to_owned())),
        }
    }

    pub(super) fn command(&mut self, command: Command) {
        self.command_as(command, None);
    }

    /// The same by an agent, with its key.
    pub(super) fn command_as(&mut self, command: Command, by: Option<(String, AgentName)>) {
        self.call(Wish::Command(command, by));
    }

    pub(super) fn call(&mut self, wish: Wish) {
        let Now::Alive(life) = &self.now else { return self.callers.miss(&wish) };
        if self.callers.ask(&life.calls, wish) {
            self.trace.meet("calls");
        }
    }

    // Agents.

    pub(super) fn luck(&self) -> Luck {
        let halted = match &self.now {
            Now::Alive(life) => life.daemon.panes.tmux.is_halted(),
            Now::Dead(..) => false,
        };
        Luck { calm: self.calm, halted }
    }

    pub(super) fn panes_work(&mut self) {
        let luck = self.luck();
        if self.chance.one_in(4) && self.panes.make(&mut self.chance, luck) {
            return self.tell("a window is made");
        }
        if self.chance.one_in(2_500) && !self.panes.all.is_empty() {
            let at = self.chance.below(self.panes.all.len() as u64) as usize;
            self.panes.all[at].end();
            self.trace.meet("agents that died");
        }
        for at in (0..self.panes.all.len()).rev() {
            match self.chance.below(4) {
                0 => drop(self.panes.work(at, &mut self.chance, luck)),
                1 => drop(self.agent_acts(at)),
                _ => {}
            }
        }
    }

    /// An agent goes on with what it does; whether it had anything to do.
    pub(super) fn agent_acts(&mut self, at: usize) -> bool {
        let now = Machine::with(|machine| machine.elapsed_ms);
        let Some(pane) = self.panes.all.get_mut(at).filter(|pane| pane.alive) else { return false };
        let who = pane.agent.clone();
        match pane.doing.clone() {
            None => {
                let Some(typed) = pane.inbox.pop_front() else { return false };
                let slow = !self.calm && self.chance.one_in(6);
                let until_ms = now + self.chance.below(if slow { 90_000 } else { 300 });
                let doing = Doing { typed: typed.clone(), until_ms };
                pane.doing = Some(doing);
                if let Err(wrong) = self.read_task(&who, &typed) {
                    self.panes.wrong.push(wrong);
                }
                self.tell(&format!("{who} reads: {}", typed.line));
                true
            }
            Some(doing) if doing.until_ms <= now => {
                pane.doing = None;
                self.agent_is_done(at, &doing);
                true
            }
            Some(_) => false,
        }
    }

    pub(super) fn agent_is_done(&mut self, at: usize, doing: &Doing) {
        let (turn, id) = (doing.typed.turn, doing.typed.id.clone());
        let Some(token) = turn.token else { return };
        let text = match turn.kind {
            // Who is reminded often says no more than that it is done.
            TurnKind::Reminder if self.chance.one_in(2) => "".into(),
            _ => self.words_of(&id),
        };
        self.makes_it(&id);
        let is_speech = self.is_a_speaker(at);
        let how = if is_speech && !self.chance.one_in(4) { 5 } else { self.how_it_ends(turn.kind) };
        // The socket refuses a reply without a text.
        let text = if matches!(how, 3 | 5 | 6) && text.is_empty() { self.words_of(&id) } else { text };
        let Some(pane) = self.panes.all.get_mut(at) else { return };
        let who = pane.agent.clone();
        self.trace.meet("turns that agents did");
        let full = Machine::with(|machine| machine.faults.full);
        match how {
            0 => self.forgets_to_claim(at, doing, text),
            1 => {
                pane.end();
                self.trace.meet("agents that died");
            }
            2 => {} // it hangs
            3 => {
                self.trace.meet("claimed twice");
                self.claims(at, &doing.typed, text.clone());
                self.answers(&id, &text);
                self.command(Command::Reply { token, text, failed: false, extra: "".into(), spent: None });
            }
            4 => self.command(Command::Acknowledge { token }),
            5 | 6 => {
                self.answers(&id, &text);
                let spent = if is_speech { flow_plans::spent(&mut self.chance) } else { None };
                self.command(Command::Reply { token, text, failed: how == 6, extra: "".into(), spent });
            }
            7 if !full => {
                self.trace.meet("answers by a file");
                self.people.answer(&self.root, &mut self.chance, who.as_str(), id.as_str(), token);
            }
            10..14 if turn.kind == TurnKind::Task && !full => {
                self.trace.meet("parts handed on");
                let before = self.people.drops.len();
                for _ in 0..1 + self.chance.below(3) {
                    self.people.hand_on(&self.root, &mut self.chance, who.as_str(), token);
                }
                let parts = self.people.drops[before..].iter().map(|drop| drop.name.clone());
                let parts: Vec<String> = parts.collect();
                if self.chance.one_in(4) {
                    self.forgets_to_claim(at, doing, text);
                } else {
                    let text = self.claims(at, &doing.typed, text);
                    if !parts.is_empty() && !text.trim().is_empty() {
                        self.texts.claim_behind(&id, &text, parts);
                    }
                }
            }
            _ => drop(self.claims(at, &doing.typed, text)),
        }
        self.tell(&format!("{who} is done with {id} ({how})"));
    }

    fn is_a_speaker(&self, at: usize) -> bool {
        self.panes.all.get(at).is_some_and(|pane| pane.agent.as_str().starts_with(HIRED_TO_SPEAK))
    }

    /// By which way of those below an agent ends its turn.
    fn how_it_ends(&mut self, kind: TurnKind) -> u64 {
        match (self.chance.below(20), kind) {
            _ if self.obliging => 9,
            (how, _) if !self.calm => how,
            (0..4, TurnKind::Task | TurnKind::Answers) => 0, // it is reminded, and has claimed it in the end
            (how @ 10..12, _) => how,
            _ => 9,
        }
    }

    /// Its turn is over, and it has said something, but not that it is done.
    fn forgets_to_claim(&mut self, at: usize, doing: &Doing, text: Arc<str>) {
        let Some(pane) = self.panes.all.get_mut(at) else { return };
        self.trace.meet("turns without a claim");
        texts::keep(&mut pane.unclaimed, &doing.typed, &text);
        pane.over.push((doing.typed.clone(), text.clone()));
        self.texts.say(&doing.typed.id, &text);
    }
}
