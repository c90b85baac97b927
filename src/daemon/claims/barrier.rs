//! Claims wait until the drops that lay in the drop zones when they came are taken: a part that an agent has handed on
//! just before it said "done" is seen before its task is closed. The end of a program waits like a claim, and lets those
//! that lay there go first: an answer that an agent dropped before it ended counts. What would take its task away from a claim, as a
//! cancel or the end of tmux, waits behind it.

#[cfg(test)]
mod tests;

use crate::daemon::tmux::news::PanesFound;
use crate::engine::input::{Command, Input, Report};
use crate::engine::message::{Draft, Kind};
use crate::engine::state::{Agent, Phase, State};
use crate::engine::words::{AgentName, MessageId, Token};
use std::collections::{BTreeSet, VecDeque};

/// Claims that wait, in order.
#[derive(Debug, Default)]
pub struct ClaimBarrier {
    /// As many as there are agents and faces that claim, and what waits behind them.
    waiting: VecDeque<Waiting>,
    /// What was found when tmux came back: whose agent was not there loses its task, after what waits.
    pub(in crate::daemon) found: Option<PanesFound>,
}

/// A claim, an end, or what waits behind one.
#[derive(Debug)]
struct Waiting {
    /// The sweep after which it goes on.
    sweep: u64,
    input: Input,
    /// Whether it let others go first.
    gave_way: bool,
}

impl ClaimBarrier {
    /// Whether this has to wait: it may close a task, or its agent has said so already and must not be heard out of turn.
    pub(in crate::daemon) fn holds(&self, input: &Input) -> bool {
        match input {
            Input::Command { command: Command::Reply { .. } | Command::Done { .. }, .. } => true,
            Input::Drop { drafts, .. } => drafts.iter().any(answers),
            Input::Report {
                report: Report::Claimed { .. } | Report::TurnOver { .. } | Report::Exited { .. },
                ..
            } => true,
            Input::Report { agent, .. } => self.has(agent),
            _ => false,
        }
    }

    /// The sweep after which the last of those goes on whose task this input would take away.
    pub(in crate::daemon) fn sweep_before(&self, input: &Input, state: &State) -> Option<u64> {
        let taken = Taken::by(input, state)?;
        let waiting = self.waiting.iter().filter(|waiting| taken.takes_from(&waiting.input, state));
        waiting.map(|waiting| waiting.sweep).max()
    }

    /// What waits and was said before this input would take its task from it: that goes first, though the drop zones are not
    /// swept yet. Whatever else waits goes on waiting.
    pub(in crate::daemon) fn going_before(&mut self, input: &Input, state: &State) -> Vec<Input> {
        let Some(taken) = Taken::by(input, state) else { return Vec::new() };
        let (mut first, mut kept) = (Vec::new(), VecDeque::new());
        for waiting in std::mem::take(&mut self.waiting) {
            match taken.takes_from(&waiting.input, state) {
                true => first.push(waiting.input),
                false => kept.push_back(waiting),
            }
        }
        self.waiting = kept;
        first.sort_by_key(is_end); // an answer that lay there counts before the end of its agent
        first
    }

    /// The messages that something waiting is about: it was said in time, whenever it is heard.
    pub(in crate::daemon) fn about(&self, state: &State) -> BTreeSet<MessageId> {
        let of = |name: &AgentName| state.agents.get(name).and_then(|agent| agent.current.clone());
        let by = |token: Option<&Token>| token.and_then(|token| state.tokens.get(token)).cloned();
        let mut about = BTreeSet::new();
        for waiting in &self.waiting {
            match &waiting.input {
                Input::Report {
                    report: Report::Claimed { id, .. } | Report::TurnOver { id, .. }, ..
                } => about.extend([id.clone()]),
                Input::Report { agent, .. } | Input::Command { command: Command::Done { agent, .. }, .. } => {
                    about.extend(of(agent));
                }
                Input::Command { command: Command::Reply { token, .. }, .. } => about.extend(by(Some(token))),
                Input::Drop { drafts, .. } => {
                    for draft in drafts.iter().filter(|draft| answers(draft)) {
                        let named = draft.in_reply_to.clone().or_else(|| by(draft.token.as_ref()));
                        about.extend(named.or_else(|| draft.from.as_ref().and_then(of)));
                    }
                }
                _ => {}
            }
        }
        about
    }

    /// This goes on after this sweep.
    pub(in crate::daemon) fn put(&mut self, sweep: u64, input: Input) {
        self.waiting.push_back(Waiting { sweep, input, gave_way: false });
    }

    /// Forgets all that waits.
    pub(in crate::daemon) fn clear(&mut self) {
        self.waiting.clear();
    }

    /// Whether no claim waits.
    pub(in crate::daemon) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    fn has(&self, name: &AgentName) -> bool {
        let is_its = |input: &Input| matches!(input, Input::Report { agent, .. } if agent == name);
        self.waiting.iter().any(|waiting| is_its(&waiting.input))
    }

    /// What goes on after this sweep, the next of it.
    pub(in crate::daemon) fn next(&mut self, sweep: u64) -> Option<Input> {
        while let Some(first) = self.waiting.pop_front_if(|first| first.sweep <= sweep) {
            match self.last_word().filter(|_| !first.gave_way && is_end(&first.input)) {
                Some(sweep) => {
                    // What was to come after this end comes after it still.
                    let (orders, mut rest): (VecDeque<_>, VecDeque<_>) = std::mem::take(&mut self.waiting)
                        .into_iter()
                        .partition(|waiting| !is_said(&waiting.input));
                    rest.push_back(Waiting { sweep, gave_way: true, ..first });
                    let later = |order: Waiting| Waiting { sweep: order.sweep.max(sweep), ..order };
                    rest.extend(orders.into_iter().map(later));
                    self.waiting = rest;
                }
                None => return Some(first.input),
            }
        }
        None
    }

    /// The first of what waits behind claims since it would take their tasks away.
    pub(in crate::daemon) fn take_order(&mut self) -> Option<Input> {
        let at = self.waiting.iter().position(|waiting| !is_said(&waiting.input))?;
        self.waiting.remove(at).map(|waiting| waiting.input)
    }

    /// The sweep after which the last answer goes on that came by a file or the socket.
    fn last_word(&self) -> Option<u64> {
        let came =
            |waiting: &&Waiting| is_said(&waiting.input) && !matches!(waiting.input, Input::Report { .. });
        self.waiting.iter().rev().find(came).map(|waiting| waiting.sweep)
    }
}

/// The tasks that an input takes away, and from whom.
enum Taken {
    All,
    /// Those of these agents, and these.
    Some {
        agents: BTreeSet<AgentName>,
        tasks: BTreeSet<MessageId>,
    },
}

impl Taken {
    /// What it takes away; none if nothing.
    fn by(input: &Input, state: &State) -> Option<Self> {
        let mut tasks = BTreeSet::new();
        let mut agents = BTreeSet::new();
        match input {
            Input::TmuxLost { .. } => return Some(Self::All),
            // Without a connection nothing is taken from anybody; that is seen when there is one again.
            Input::TmuxBack(found) => {
                // As the engine compares them: another process in its pane is not it.
                let is_there = |name: &AgentName, agent: &Agent| match agent.phase {
                    Phase::Up { process, .. } => found.iter().any(|pane| {
                        pane.agent == *name
                            && Some(pane.nonce) == agent.nonce
                            && pane.process == Some(process)
                    }),
                    _ => false,
                };
                let gone = state.agents.iter().filter(|(name, agent)| !is_there(name, agent));
                agents.extend(gone.map(|(name, _)| name.clone()));
            }
            Input::Team(team) => {
                let stays =
                    |name: &AgentName| team.members.contains_key(name) || state.hired.contains_key(name);
                let gone = state.agents.keys().filter(|name| !stays(name));
                agents.extend(gone.cloned());
            }
            Input::Command {
                command: Command::Stop(name) | Command::Restart(name) | Command::Dismiss(name),
                ..
            } => {
                agents.insert(name.clone());
            }
            Input::Command { command: Command::Cancel { id, .. }, .. } => {
                let mut more = vec![id];
                while let Some(id) = more.pop() {
                    more.extend(state.parts.get(id).into_iter().flatten());
                    tasks.insert(id.clone());
                }
            }
            _ => return None,
        }
        for (name, agent) in &state.agents {
            if agents.contains(name) {
                tasks.extend(agent.current.clone());
            } else if agent.current.as_ref().is_some_and(|id| tasks.contains(id)) {
                agents.insert(name.clone());
            }
        }
        Some(Self::Some { agents, tasks })
    }

    /// Whether what waits is about one of them, or cannot be told to be about another.
    fn takes_from(&self, waiting: &Input, state: &State) -> bool {
        let Self::Some { agents, tasks } = self else { return true };
        let is_taken = |token: Option<&Token>| {
            token.and_then(|token| state.tokens.get(token)).is_none_or(|id| tasks.contains(id))
        };
        match waiting {
            Input::Report { agent, .. } => agents.contains(agent),
            Input::Command { command: Command::Done { agent, .. }, .. } => agents.contains(agent),
            Input::Command { command: Command::Reply { token, .. }, .. } => is_taken(Some(token)),
            Input::Drop { drafts, .. } => {
                drafts.iter().filter(|draft| answers(draft)).any(|draft| match &draft.in_reply_to {
                    Some(id) => tasks.contains(id),
                    None => is_taken(draft.token.as_ref()),
                })
            }
            _ => true,
        }
    }
}

/// Whether it is what an agent says, and no order or loss that waits behind that.
fn is_said(input: &Input) -> bool {
    match input {
        Input::Command { command, .. } => matches!(command, Command::Reply { .. } | Command::Done { .. }),
        input => matches!(input, Input::Drop { .. } | Input::Report { .. }),
    }
}

fn is_end(input: &Input) -> bool {
    matches!(input, Input::Report { report: Report::Exited { .. }, .. })
}

fn answers(draft: &Draft) -> bool {
    matches!(draft.kind, Kind::Result | Kind::Error)
}
