//! What clients ask of the daemon: each gets its answer at once, or when what it asked for is written.

use crate::daemon::clients::request::{Call, Request, Response};
use crate::daemon::ending::Ending;
use crate::daemon::r#loop::daemon::Daemon;
use crate::engine::input::{Command, Input, Reply};
use crate::engine::message::Source;
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::team::power::Power;
use crate::engine::words::AgentName;
use tokio::sync::oneshot;

impl Daemon {
    /// Does what was asked, if whoever asks may ask it.
    pub(in crate::daemon) fn call(&mut self, call: Call) {
        let Call { request, key, answer } = call;
        let refused = |refusal| Response::Reply(Reply::Refused(refusal));
        let by = match self.panes.who(key.as_deref()) {
            Ok(by) => by,
            Err(_) if request.looks_only() => None,
            Err(why) => return drop(answer.send(refused(Refusal::new(Code::BadProof, why).at("key")))),
        };
        if let Err(refusal) = self.may_ask(by.as_ref(), &request) {
            return drop(answer.send(refused(refusal)));
        }
        if !request.looks_only() {
            let by = by.as_ref().map_or("user", AgentName::as_str);
            tracing::info!(by, "asked to {}", request.what());
        }
        self.do_call(request, by, answer);
    }

    /// What is no message's and so none of the engine's: whether an agent may ask for it.
    fn may_ask(&self, by: Option<&AgentName>, request: &Request) -> Result<(), Refusal> {
        let team = self.engine.team();
        match request {
            Request::Halt(_) => team.may_command(by, Power::Stop, None),
            Request::Down { .. } => team.may_command(by, Power::Down, None),
            Request::Dismiss(_) => by.map_or(Ok(()), |name| {
                let why = format!("{name} is an agent and may not dismiss what waits for people");
                Err(Refusal::new(Code::NotYours, why))
            }),
            Request::Pane(name, _) if !request.looks_only() => {
                team.may_command(by, Power::Pane, Some(&team.member(name)?))
            }
            // The engine says who may give which command.
            Request::Send { .. } | Request::Command(_) | Request::Pane(..) => Ok(()),
            Request::WaitFor(..) | Request::Flush | Request::Ping => Ok(()),
        }
    }

    fn do_call(&mut self, request: Request, by: Option<AgentName>, answer: oneshot::Sender<Response>) {
        match request {
            Request::Send { drafts } => {
                let source = Source::Request(self.clients.put(answer));
                self.mailbox.look_up(source, drafts, by);
            }
            Request::Command(Command::Hire(wanted)) => match self.check_hire(by.as_ref(), wanted) {
                Ok(wanted) => {
                    let request = self.clients.put(answer);
                    self.take_input(Input::Command { request, by, command: Command::Hire(wanted) });
                }
                Err(refused) => drop(answer.send(refused)),
            },
            Request::Command(command) => {
                let request = self.clients.put(answer);
                self.take_input(Input::Command { request, by, command });
            }
            Request::WaitFor(id, until) => {
                self.clients.put_awaiting(&self.engine, &self.journal, id, until, answer)
            }
            Request::Ping | Request::Dismiss(_) => drop(answer.send(Response::Ok)),
            Request::Flush => {
                self.journal.flush_soon();
                drop(answer.send(Response::Ok));
            }
            Request::Halt(on) => {
                let put = self.put_stop_file(on, by.unwrap_or_else(AgentName::user));
                drop(answer.send(put));
            }
            Request::Pane(name, request) => self.panes.pane_verb(&self.engine, &name, request, answer),
            Request::Down { keep_agents } => {
                self.ending = Some(Ending::asked(keep_agents));
                drop(answer.send(Response::Ok));
            }
        }
    }

    fn put_stop_file(&mut self, on: bool, by: AgentName) -> Response {
        let put = self.config.workspace.put_stop_file(on);
        // Nothing is typed any more though the disk says no; if the file is not there, that is seen at the next look.
        if on || put.is_ok() {
            self.mailbox.count_halt();
            self.halt(on, Some(by));
            self.mailbox.look();
        }
        Response::of_stop_file(&self.config.workspace, put)
    }
}
