//! What became of a message that was not done: whether it was tried again, and whether a person put it aside.

use super::dismissed::failure_id;
use super::files;
use super::model::Model;
use crate::engine::state::Finished;
use crate::engine::words::{MessageId, Millis, Seq};
use crate::io::dismissed::{dismissal_file, dismissed};
use crate::io::workspace::Workspace;
use crate::wire::time::rfc3339_ms;
use std::ops::ControlFlow;

/// Finished messages that are looked at: whoever tries again does so soon.
const LOOKED_AT: usize = 20_000;

impl Model {
    /// The newest message that tries this one again.
    pub(super) fn retried_as(&mut self, finished: &Finished) -> Option<String> {
        let id = &finished.message.id;
        let repeats = |of: Option<&MessageId>| of == Some(id);
        let open = self.engine().state().open.values();
        let open = open.filter(|open| repeats(open.message.retry_of.as_ref()));
        if let Some(newest) = open.max_by_key(|open| (open.body.seq, open.body.index)) {
            return Some(newest.message.id.to_string());
        }
        let (mut newest, mut looked_at) = (None::<(Seq, MessageId)>, 0);
        let looked = self.ended_before(Seq(u64::MAX), &mut |_, ended| {
            let other = &ended.finished;
            looked_at += 1;
            if other.seq < finished.seq || looked_at > LOOKED_AT {
                return ControlFlow::Break(());
            }
            if repeats(other.message.retry_of.as_ref())
                && newest.as_ref().is_none_or(|(seq, _)| other.body.seq > *seq)
            {
                newest = Some((other.body.seq, other.message.id.clone()));
            }
            ControlFlow::Continue(())
        });
        // What cannot be read is not known.
        looked.ok()?;
        newest.map(|(_, id)| id.to_string())
    }
}

/// When a person dismissed a task that failed at that moment (RFC 3339).
pub(super) fn put_aside_at(workspace: &Workspace, id: &MessageId, failed: Millis) -> Option<String> {
    let need = failure_id(id.as_str());
    let since = dismissed(workspace).remove(&need)?;
    let at = files::modified(&dismissal_file(workspace, &need))?;
    (since >= rfc3339_ms(failed)).then(|| rfc3339_ms(at))
}
