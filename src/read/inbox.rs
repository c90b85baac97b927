//! What was sent to the user and is unread: `queue/inbox/` holds each until a person has seen it.

use super::letters::letters;
use super::model::{Answers, Model};
use crate::wire::api::{InboxInfo, InboxQuery, Problem};

impl Answers for InboxQuery {
    fn answer(self, model: &mut Model) -> Result<InboxInfo, Problem> {
        Ok(InboxInfo { unread: letters(&model.workspace) })
    }
}
