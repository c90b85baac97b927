//! People who look over the socket. The loop is not asked: a model reads the journal's files beside it, as far as its thread
//! says that they are written.

use super::state::{Now, Run};
use super::wrong::Wrong;
use crate::daemon::journal::rotation::RotationStage;
use crate::daemon::simulation::life::Incarnation;
use crate::engine::words::MessageId;
use crate::read::{Answers as _, Model};
use crate::wire::api::{MessageQuery, MessagesQuery, Problem};
use crate::wire::message::view::MessageView;

/// What somebody looks at.
pub(super) enum Sight {
    Message(MessageId),
    Open,
}

impl Run {
    /// Somebody looks. What was shown is a promise, and is what the loop knows once it has heard of all that is written.
    ///
    /// # Errors
    /// If the model is not what the loop knows.
    pub(super) fn look_over_the_socket(&mut self, sight: Sight) -> Result<(), Wrong> {
        let Now::Alive(life) = &self.now else { return Ok(()) };
        let new = || Model::new(self.process.workspace.clone(), self.process.clock);
        let model = self.model.get_or_insert_with(new);
        if model.catch_up(Some(life.extents.written), &mut |_, _, _| ()).is_err() {
            self.trace.meet("looks that the disk refused");
            return Ok(());
        }
        if is_settled(life) {
            check(life, model)?;
            self.trace.meet("looks at what the loop knows");
        }
        match shown(sight, model) {
            Err(problem) if problem.code == "no-message" => self.trace.meet("looks at nothing"),
            Err(problem) => return Err(format!("a question is not answered: {problem:?}")),
            Ok(seen) => {
                self.tell(&format!("shown: {seen:?}"));
                for view in &seen {
                    let kind = self.callers.told.seen(view);
                    self.trace.meet(kind);
                }
                self.die_after_an_answer(4);
            }
        }
        Ok(())
    }
}

fn shown(sight: Sight, model: &mut Model) -> Result<Vec<MessageView>, Problem> {
    match sight {
        Sight::Message(id) => {
            MessageQuery { id: id.to_string() }.answer(model).map(|details| vec![details.message])
        }
        Sight::Open => {
            let query = MessagesQuery { state: Some("open".to_owned()), ..MessagesQuery::default() };
            query.answer(model).map(|page| page.messages)
        }
    }
}

/// Whether the loop has heard of all that is written, and nothing else has come to it.
fn is_settled(life: &Incarnation) -> bool {
    let journal = &life.daemon.journal;
    journal.is_idle() && life.written.is_none() && journal.rotation.stage == RotationStage::No
}

/// The model has the state that the loop has in memory.
fn check(life: &Incarnation, model: &Model) -> Result<(), Wrong> {
    let (here, there) = (life.daemon.engine.state(), model.state());
    let are_alike = here.open == there.open
        && here.agents == there.agents
        && here.queues == there.queues
        && here.flows == there.flows
        && here.halted == there.halted
        && here.tally == there.tally;
    if are_alike {
        Ok(())
    } else {
        Err(format!("the model has another state:\n{there:#?}\nis not\n{here:#?}"))
    }
}
