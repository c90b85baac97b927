//! The end of a run: nothing fails any more, everybody does what there is to do, and a person helps what is still.

use super::life::Worked;
use super::oracle;
use super::state::{Now, Run};
use super::wrong::Wrong;
use crate::engine::input::Command;
use crate::engine::life::Stage;
use crate::engine::state::Open;
use crate::engine::words::MessageId;
use crate::io::fake::{Faults, Machine};

impl Run {
    // Peace.

    pub(super) fn make_peace(&mut self) {
        self.tell("peace");
        self.calm = true;
        Machine::with(|machine| {
            let (refused, torn) = (machine.faults.refused, machine.faults.torn);
            machine.faults = Faults { refused, torn, ..Faults::default() };
            machine.free_bytes = 1 << 40;
        });
        if self.panes.away {
            self.tmux_fails();
        }
        self.restore_team();
    }

    /// Everybody does what there is to do; whether all is at peace.
    pub(super) fn step_in_peace(&mut self) -> Result<bool, Wrong> {
        let mut busy = self.turn_loop();
        if self.chance.one_in(40) {
            self.retain()?;
        }
        let wants_rotation = self.chance.one_in(20);
        if let Now::Alive(life) = &mut self.now {
            busy |= life.write(wants_rotation) != Worked::Nothing;
            busy |= life.show() != Worked::Nothing;
            busy |= life.look() != Worked::Nothing;
        }
        busy |= self.jobs_work()?;
        let luck = self.luck();
        busy |= self.panes.make(&mut self.chance, luck);
        for at in (0..self.panes.all.len()).rev() {
            busy |= self.panes.work(at, &mut self.chance, luck);
            busy |= self.agent_acts(at);
        }
        self.after()?;
        if busy {
            return Ok(false);
        }
        if self.is_done() {
            return Ok(true);
        }
        self.help();
        let wait = match &self.now {
            Now::Alive(life) => life.due_in_ms().clamp(1, 60_000),
            Now::Dead(..) => 200,
        };
        self.pass(wait.min(if self.panes.all.iter().any(|pane| pane.doing.is_some()) { 100 } else { wait }));
        Ok(false)
    }

    /// A person looks after what has come to stand still.
    pub(super) fn help(&mut self) {
        for at in 0..self.panes.all.len() {
            let pane = &self.panes.all[at];
            let idle = pane.doing.is_none() && pane.inbox.is_empty();
            if let Some(typed) = pane.awaited().filter(|_| idle).cloned()
                && typed.turn.token.is_some()
            {
                let text = self.words_of(&typed.id);
                self.claims(at, &typed, text);
            }
        }
        let Now::Alive(life) = &self.now else { return };
        let state = life.daemon.engine.state();
        let held: Vec<MessageId> = (state.open.values())
            .filter(|open| matches!(open.stage, Stage::Held(_)))
            .map(|open| open.message.id.clone())
            .collect();
        held.into_iter().for_each(|id| self.command(Command::Retry(id)));
        self.touch_stop(false);
        self.resume_flows();
        for lost in self.callers.all_lost() {
            self.call(lost);
        }
        self.helped += 1;
        if self.helped.is_multiple_of(5) {
            self.command(Command::Start(None));
            self.dismiss_hopeless();
        }
    }

    pub(super) fn is_done(&self) -> bool {
        let Now::Alive(life) = &self.now else { return false };
        life.daemon.engine.state().open.is_empty()
            && self.open_flows().next().is_none()
            && life.daemon.journal.is_idle()
            && life.daemon.views.is_idle()
            && life.daemon.mailbox.claims.is_empty()
            && self.callers.all_know()
            && !oracle::anything_lies_there(&self.root)
    }

    pub(super) fn what_is_open(&self) -> String {
        let Now::Alive(life) = &self.now else { return "the daemon does not start".to_owned() };
        let state = life.daemon.engine.state();
        let open: Vec<String> = (state.open.values())
            .map(|open| {
                let Open { message, stage, since, progress, .. } = &**open;
                let (agent, unmet) = (&progress.agent, &progress.unmet);
                format!("{} {stage:?} since {}, with {agent:?}, unmet {unmet:?}", message.id, since.0)
            })
            .collect();
        let phases: Vec<_> =
            state.agents.iter().map(|(name, agent)| (name, &agent.phase, &agent.blocked)).collect();
        let now = life.daemon.timers.clock.now().0;
        let flows: Vec<_> = self.open_flows().collect();
        format!(
            "{now}: {open:#?} {flows:#?} {phases:?}; lies there: {}",
            oracle::anything_lies_there(&self.root)
        )
    }
}
