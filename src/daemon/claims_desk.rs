//! Claims wait until the drops that lay in the drop zones when they came are taken: a part that an agent has handed on
//! just before it said "done" is seen before its task is closed.

use crate::daemon::run::Daemon;
use crate::engine::input::{Command, Input, Report};
use crate::engine::message::{Draft, Kind};
use crate::engine::words::AgentName;
use std::collections::VecDeque;

/// Claims that wait, in order.
#[derive(Debug, Default)]
pub struct ClaimsDesk {
    /// Each with the sweep after which it goes on; as many as there are agents and faces that claim.
    waiting: VecDeque<(u64, Input)>,
}

impl ClaimsDesk {
    /// Whether this has to wait: it may close a task, or its agent has said so already and must not be heard out of turn.
    fn holds(&self, input: &Input) -> bool {
        match input {
            Input::Command { command: Command::Reply { .. }, .. } => true,
            Input::Drop { drafts, .. } => drafts.iter().any(answers),
            Input::Report { report: Report::Claimed { .. } | Report::TurnOver { .. }, .. } => true,
            Input::Report { agent, .. } => self.has(agent),
            _ => false,
        }
    }

    fn has(&self, name: &AgentName) -> bool {
        self.waiting.iter().any(|(_, input)| matches!(input, Input::Report { agent, .. } if agent == name))
    }
}

fn answers(draft: &Draft) -> bool {
    matches!(draft.kind, Kind::Result | Kind::Error)
}

impl Daemon {
    /// Takes what came from outside; a claim waits until the drop zones are swept. At the end nothing waits.
    pub(super) fn take_input(&mut self, input: Input) {
        if self.ending.is_some() {
            self.swept(u64::MAX);
        } else if matches!(input, Input::TmuxCut | Input::TmuxLost { .. }) {
            self.swept(u64::MAX); // what was seen before counts
        } else if self.claims.holds(&input) {
            return self.claims.waiting.push_back((self.mail.sweep(), input));
        }
        self.step(input);
    }

    /// The drop zones were swept for these claims.
    pub(super) fn swept(&mut self, sweep: u64) {
        while self.claims.waiting.front().is_some_and(|(wanted, _)| *wanted <= sweep) {
            if let Some((_, input)) = self.claims.waiting.pop_front() {
                self.step(input);
            }
        }
    }
}
