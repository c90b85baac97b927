//! What faces ask of the daemon: each gets its answer at once, or when what it asked for is written.

use crate::daemon::ending::Ending;
use crate::daemon::faces_desk::see;
use crate::daemon::request::{Call, Request, Response};
use crate::daemon::run::Daemon;
use crate::engine::input::{Input, Reply};
use crate::engine::message::Source;
use crate::engine::refusal::{Code, Refusal};
use crate::io::workspace::Workspace;
use std::sync::Arc;

impl Daemon {
    /// Does what was asked.
    pub(super) fn call(&mut self, call: Call) {
        let answer = call.answer;
        match call.request {
            Request::Send { drafts, key } => match self.panes.who(key.as_deref()) {
                Err(why) => {
                    let refusal = Refusal::new(Code::BadProof, why);
                    drop(answer.send(Response::Reply(Reply::Refused(refusal))));
                }
                Ok(proof) => {
                    let source = Source::Request(self.faces.put(answer));
                    self.mail.look_up(source, drafts, proof);
                }
            },
            Request::Command(command) => {
                let request = self.faces.put(answer);
                self.take_input(Input::Command { request, command });
            }
            Request::Overview => {
                let seen = Response::Overview(Arc::new(self.engine.overview()), self.notes.list());
                self.faces.show(&self.journal, answer, seen);
            }
            Request::Open => {
                let seen = Response::Open(Arc::new(self.engine.open_messages().collect()));
                self.faces.show(&self.journal, answer, seen);
            }
            Request::Message(id) => {
                let seen = Response::Message(see(&self.engine, &id).map(Box::new));
                self.faces.show(&self.journal, answer, seen);
            }
            Request::Await(id, until) => {
                self.faces.put_awaiting(&self.engine, &self.journal, id, until, answer)
            }
            Request::Halt(on) => drop(answer.send(self.put_stop_file(on))),
            Request::Pane(name, request) => self.panes.face(&self.engine, &name, request, answer),
            Request::Down { keep_agents } => {
                self.ending = Some(Ending::asked(keep_agents));
                drop(answer.send(Response::Ok));
            }
        }
    }

    fn put_stop_file(&mut self, on: bool) -> Response {
        let put = self.workspace.put_stop_file(on);
        // Nothing is typed any more though the disk says no; if the file is not there, that is seen at the next look.
        if on || put.is_ok() {
            self.mail.count_halt();
            self.halt(on);
            self.mail.look();
        }
        stop_put(&self.workspace, put)
    }
}

/// What is told of an attempt to make or remove `queue/STOP`.
pub(super) fn stop_put(workspace: &Workspace, put: std::io::Result<()>) -> Response {
    match put {
        Ok(()) => Response::Ok,
        Err(error) => Response::Unavailable(format!("{}: {error}", workspace.stop_file().display())),
    }
}
