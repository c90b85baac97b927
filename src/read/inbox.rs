//! What is for the user and was not read: messages, which `queue/inbox/` holds until a person has seen them, and answers.

use super::letters::letters;
use super::model::{Answers, Model};
use crate::wire::api::{InboxInfo, InboxQuery, Problem};

impl Answers for InboxQuery {
    fn answer(self, model: &mut Model) -> Result<InboxInfo, Problem> {
        let answers = model.unread_answers()?;
        let answers_in_all = model.answers.count();
        Ok(InboxInfo { unread: letters(&model.workspace), answers, answers_in_all, seq: model.seq().0 })
    }
}
