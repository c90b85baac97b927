//! What is seen of an agent in its pane. News of an older launch, of a launch that has ended, or of another agent's
//! message is no news.

use crate::engine::engine::Work;
use crate::engine::event::{AgentChange, Event, Why};
use crate::engine::input::Report;
use crate::engine::life::{Move, Stage, Turn};
use crate::engine::message::Kind;
use crate::engine::state::Phase;
use crate::engine::team::need::Need;
use crate::engine::words::{AgentName, MessageId, Nonce};

impl Work<'_> {
    /// Takes a report of an agent's newest launch.
    pub(in crate::engine) fn take_report(&mut self, name: &AgentName, nonce: Nonce, report: Report) {
        let Some(agent) = self.state.agents.get(name).filter(|agent| agent.nonce == Some(nonce)) else {
            return;
        };
        let up = matches!(agent.phase, Phase::Up { .. });
        let launching = agent.phase == Phase::Launching;
        match report {
            Report::Started { pane, process } if launching => self.agent_up(name, nonce, pane, process),
            Report::StartFailed { why } => self.not_started(name, &why),
            Report::Exited { how, clean } => self.agent_down(name, &how, clean),
            // What it said before it ended counts.
            Report::Claimed { id, turn, token, line, source, text, truncated }
                if self.has(name, &id, turn) =>
            {
                if self.token_fits(name, &id, source, token) {
                    self.claimed(&id, source, &text, truncated);
                } else {
                    self.warn_of_claim(name, &id, token, &line);
                }
            }
            Report::Ready { fresh } if up => self.ready(name, fresh),
            Report::Unready if up => self.unready(name),
            Report::NotReady { guard } if up => self.not_ready(name, guard),
            Report::Unsent { words, boxed } if up => self.unsent(name, words.map(|words| (words, boxed))),
            Report::Needs { kind, why, asks, until, hidden } if up => {
                self.needs(name, Some(Need { asks, until, hidden, ..Need::new(kind, why, self.now) }));
            }
            Report::Busy { is } if up && is != self.live.busy.contains(name) => {
                if is {
                    self.live.free.remove(name);
                    self.live.busy.insert(name.clone())
                } else {
                    self.live.busy.remove(name)
                };
                self.touch(name);
            }
            Report::Interrupted { id, how } if up => self.was_interrupted(name, id, how),
            Report::Answered { choice, by } if up => {
                self.emit(Event::Agent { name: name.clone(), change: AgentChange::Answered { choice, by } });
            }
            Report::NeedsNothing if up => self.needs(name, None),
            Report::Delivery { id, turn, verdict } if up => {
                self.live.settling.remove(name);
                if self.has(name, &id, turn) {
                    self.delivery(&id, verdict);
                }
            }
            Report::Taken { id, turn } if up && self.has(name, &id, turn) => self.taken(&id),
            Report::Said { id, turn, text, truncated, notice } if self.has(name, &id, turn) => {
                self.said(&Event::Said { id, turn, text, truncated, notice });
            }
            Report::TurnOver { id, turn, asks } if up && self.has(name, &id, turn) => {
                self.acquit(name);
                self.turn_over(&id, asks);
            }
            _ => {}
        }
    }

    /// What was said in a turn that was not claimed: kept, for it belongs to the answer.
    fn said(&mut self, event: &Event) {
        let Event::Said { id, turn, text, notice, .. } = event else { return };
        let Some(open) = self.state.open.get(id) else { return };
        let is_known = open.said.as_ref().is_some_and(|said| match notice {
            true => said.notice == *text,
            false => said.turn == *turn && said.text == *text,
        });
        let says_nothing = text.is_empty() && (*notice || open.said.is_none());
        let is_begun = open.stage.is_worked_on() || open.stage.is_waiting();
        if open.message.kind == Kind::Task && is_begun && !is_known && !says_nothing {
            self.emit(event.clone());
        }
    }

    /// Whether this is the newest turn of a message that this agent has.
    fn has(&self, name: &AgentName, id: &MessageId, number: u16) -> bool {
        let Some(open) = self.state.open.get(id) else { return false };
        open.agent.as_ref() == Some(name) && open.stage.turn().is_some_and(|turn| turn.number == number)
    }

    /// The turn of an open message.
    pub(in crate::engine) fn turn_of(&self, id: &MessageId) -> Option<(Stage, Turn)> {
        let stage = self.state.open.get(id)?.stage;
        stage.turn().map(|turn| (stage, turn))
    }

    /// The turn ended without a claim: the agent waits for answers, is reminded once, or needs a person; that at once where its
    /// last words ask for something.
    pub(in crate::engine) fn turn_over(&mut self, id: &MessageId, asks: bool) {
        let Some(open) = self.state.open.get(id) else { return };
        let Some(turn) = open.stage.turn().filter(|_| open.stage.is_worked_on()) else { return };
        // What others do takes its own time; an agent that is only silent has what is left of its own.
        let due = open.due.filter(|_| !self.has_parts(id));
        let name = open.agent.as_ref().map_or("NAME", AgentName::as_str);
        let (to, why) = match () {
            () if self.has_parts(id) => {
                (Move::Rest, "its turn ended without a claim; it waits for answers".to_owned())
            }
            () if asks => (
                Move::Ask,
                format!(
                    "its turn ended without a claim, and it seems to ask for something: answer it in its pane (`tasuki attach {name}`), or take what it said as the answer (`tasuki answer {name} done`)"
                ),
            ),
            () if open.reminded || turn.token.is_none() => (
                Move::Rest,
                format!(
                    "its turn ended without a claim: `tasuki answer {name} done` takes what it said as the answer; look first with `tasuki attach {name}`"
                ),
            ),
            () => (Move::Rest, "its turn ended without a claim; its agent is reminded".to_owned()),
        };
        self.emit(Event::Moved { id: id.clone(), to, agent: None, due, why: Why::Text(why) });
    }
}
