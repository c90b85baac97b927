//! A refusal as a circle against what really happens: in a copy of the world in which all agents come back and do what they can,
//! and whoever asked waits for its part for ever, the addressee is given something else. If it gets that far, the part could have
//! been done. (Where one was accepted and cannot be done, the story never ends: `end.rs`.)

use super::World;
use crate::engine::make::{draft, id};
use std::collections::BTreeSet;
use tasuki::engine::input::{Command, Input};
use tasuki::engine::life::Stage;
use tasuki::engine::message::{Draft, RequestId, Source};
use tasuki::engine::state::Open;
use tasuki::engine::words::{AgentName, MessageId};

/// For longer than this nothing that was put back is waited for: else something might end by its time.
const PUT_BACK_MS_MAX: u64 = 5_000;
/// Rounds of half a second: less than any turn takes that nobody ends, so that nothing ends by its time.
const ROUNDS: usize = 70;

impl World {
    /// Whether the addressee of a part that was refused would have had its hands free for it after all, and who that is.
    /// None where it would not, or where something failed on the way. `wholes`: what the part may have been for.
    pub(super) fn comes_free(&self, wholes: &[MessageId], part: &Draft) -> Result<Option<AgentName>, String> {
        let mut world = Self {
            engine: self.rules.replayed()?,
            rules: self.rules.clone(),
            workers: self.workers.clone(),
            jobs: self.jobs.clone(),
            ids: self.ids.clone(),
            lines: self.lines.clone(),
            words: self.words.clone(),
            told: String::new(),
            frozen: Some(wholes.iter().flat_map(|id| self.wholes(id)).collect()),
            failed: 0,
            recorded: None,
            ..*self
        };
        let panes = world.find_panes(0);
        world.recover(&panes)?;
        world.step(Input::Halt(false, None))?;
        world.tmux_back(0)?;
        // What was put back comes before it, as it does before the part: not in the moment for which it was.
        let put_back = |open: &Open| match open.stage {
            Stage::Queued { not_before, .. } => open.agent.as_ref().map(|_| not_before),
            _ => None,
        };
        let due = world.engine.state().open.values().filter_map(|open| put_back(open)).max();
        let wait_ms = due.map_or(0, |due| due.since(world.now));
        if wait_ms > PUT_BACK_MS_MAX {
            return Ok(None);
        }
        world.now = world.now.plus(wait_ms);
        let line = format!("probe user>{} low: something else", part.to);
        let source = Source::Request(RequestId(9));
        world.step(Input::Drop { source, drafts: vec![draft(&line)], proof: None })?;
        world.failed = 0;
        for _ in 0..ROUNDS {
            let free = world.has_probe();
            if world.failed > 0 || free.is_some() {
                return Ok(free.filter(|_| world.failed == 0));
            }
            world.ask(Command::Start(None))?;
            world.help_out()?;
            world.all_mean_well()?;
            world.pass(500)?;
        }
        Ok(None)
    }

    /// A task, that of which it is a part, and so on.
    fn wholes(&self, task: &MessageId) -> BTreeSet<MessageId> {
        let open = &self.engine.state().open;
        let whole = |id: &MessageId| open.get(id).and_then(|open| open.message.part_of().cloned());
        std::iter::successors(Some(task.clone()), whole).collect()
    }

    /// Who was given the probe, if it is nobody who waits for the part itself.
    fn has_probe(&self) -> Option<AgentName> {
        let open = &self.engine.state().open;
        let probe = open.get(&id("probe")).filter(|probe| !matches!(probe.stage, Stage::Queued { .. }))?;
        probe.agent.clone().filter(|agent| !self.has_frozen(agent))
    }

    /// Whether an agent has a task with which it is not to go on: it takes nothing else meanwhile, though it might where that
    /// task was put back for a moment.
    pub(super) fn has_frozen(&self, agent: &AgentName) -> bool {
        let open = &self.engine.state().open;
        let mut frozen = self.frozen.iter().flatten().filter_map(|id| open.get(id));
        frozen.any(|open| open.agent.as_ref() == Some(agent))
    }

    /// Whether nobody goes on with this.
    pub(super) fn is_frozen(&self, id: &MessageId) -> bool {
        self.frozen.as_ref().is_some_and(|frozen| frozen.contains(id))
    }
}
