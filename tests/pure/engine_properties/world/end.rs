//! A world that means well: everything that was accepted ends.

use super::{World, make_team, place};
use tasuki::engine::flow::stage::FlowStage;
use tasuki::engine::input::{Command, Input, Report, Verdict};
use tasuki::engine::life::interrupted::Interrupted;
use tasuki::engine::life::{Receipt, Stage};
use tasuki::engine::words::{AgentName, MessageId};

/// Rounds in which a world that means well has everything done; a chain of tasks needs a few each.
const ROUNDS: usize = 2_000;

impl World {
    /// From now on everybody means well: all that was accepted ends.
    pub(crate) fn see_it_through(&mut self) -> Result<(), String> {
        self.told += "== from here on everybody means well\n";
        self.change_team(make_team(0, 0, 0))?;
        self.step(Input::Halt(false, None))?;
        self.tmux_back(0)?;
        self.let_flows_go_on()?;
        for _ in 0..ROUNDS {
            if self.engine.state().open.is_empty() && self.flows_are_over() {
                self.tell_debates();
                return self.rules.check_end();
            }
            self.ask(Command::Start(None))?;
            self.help_out()?;
            self.do_job(0, 1)?;
            self.all_mean_well()?;
            self.pass(500)?;
        }
        let open: Vec<String> = self.engine.state().open.values().map(|open| format!("{open:?}")).collect();
        let flows = self.engine.state().flows.values().filter(|flow| flow.stage == FlowStage::Active);
        let flows: Vec<String> = flows.map(|flow| format!("{flow:?}")).collect();
        Err(format!("these never end: {open:#?} {flows:#?}"))
    }

    /// A person decides about what is held, and answers for an agent that fell silent.
    pub(super) fn help_out(&mut self) -> Result<(), String> {
        let open: Vec<MessageId> = self.engine.state().open.keys().cloned().collect();
        for id in open {
            let Some(open) = self.engine.state().open.get(&id).filter(|_| !self.is_frozen(&id)) else {
                continue;
            };
            match open.stage {
                Stage::Held(_) => self.ask(Command::Retry(id))?,
                Stage::Waiting(_) if self.silent(&id) => {
                    let token = self.engine.stage(&id).and_then(|stage| stage.turn()?.token);
                    let agent = open.agent.clone();
                    match token {
                        None => self.ask(Command::cancel(id))?,
                        Some(_) if self.words.0 % 4 < 3 && agent.is_some() => {
                            let agent = agent.unwrap_or_else(AgentName::user);
                            self.ask(Command::Done { agent, of: Some(id) })?;
                        }
                        Some(token) => {
                            self.ask(Command::Reply {
                                token,
                                text: "by hand".into(),
                                failed: false,
                                extra: "".into(),
                                spent: None,
                            })?;
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn silent(&self, id: &MessageId) -> bool {
        let agent = self.engine.state().open.get(id).and_then(|open| open.agent.clone());
        let seen = agent.and_then(|agent| self.engine.agent(&agent));
        seen.is_some_and(|seen| seen.state == "waiting_input")
    }

    /// Everybody who is there does one thing, and those who are hired meanwhile the next time.
    pub(super) fn all_mean_well(&mut self) -> Result<(), String> {
        let there: Vec<AgentName> = self.workers.keys().cloned().collect();
        there.iter().try_for_each(|who| self.mean_well(who))
    }

    fn mean_well(&mut self, agent: &AgentName) -> Result<(), String> {
        let Some(worker) = self.workers.get(agent).cloned() else { return Ok(()) };
        let Some(nonce) = worker.nonce else { return Ok(()) };
        let delivered = Verdict::Delivered(Receipt::Read);
        if self.engine.state().agents.get(agent).is_some_and(|known| known.need().is_some()) {
            return self.report(agent, nonce, Report::NeedsNothing);
        }
        if !worker.launched {
            self.with(agent, nonce, |worker| worker.launched = true);
            let (pane, process) = place(agent, nonce);
            self.report(agent, nonce, Report::Started { pane, process })
        } else if let Some((id, turn)) = worker.ringing {
            self.with(agent, nonce, |worker| worker.ringing = None);
            self.report(agent, nonce, Report::Delivery { id, turn, verdict: delivered })
        } else if let Some(id) = worker.breaking.last().cloned() {
            self.with(agent, nonce, |worker| drop(worker.breaking.pop()));
            self.report(agent, nonce, Report::Interrupted { id, how: Interrupted::Ended })
        } else if let Some((id, turn)) = worker.watching.filter(|(id, _)| !self.is_frozen(id)) {
            self.with(agent, nonce, |worker| worker.watching = None);
            // Most claim it at once; some forget that, and are reminded.
            let number = self.words.0.to_le_bytes()[0];
            let how = if number % 4 < 2 { 3 + number % 8 * 6 } else { 4 + number / 4 % 12 * 6 };
            self.watched(id, turn, how).into_iter().try_for_each(|said| self.report(agent, nonce, said))
        } else if worker.seeking && !self.has_frozen(agent) {
            self.with(agent, nonce, |worker| worker.seeking = false);
            let fresh = self.fresh_token();
            self.report(agent, nonce, Report::Ready { fresh })
        } else {
            Ok(())
        }
    }
}
