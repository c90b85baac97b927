//! Files in `queue/active/` of messages that the journal does not know: set aside before anything is taken or swept, and told.

use crate::engine::engine::Engine;
use crate::engine::words::MessageId;
use crate::io::journal::Archive;
use crate::io::views::{View, Views};
use std::collections::BTreeSet;
use std::path::Path;

/// How many are named in the log.
const NAMED: usize = 3;

/// What became of them.
#[derive(Debug, Default)]
pub(in crate::daemon) struct Lost {
    /// What is to be said of those that were set aside.
    pub(in crate::daemon) told: Option<String>,
    /// Those that could not be: they are not to be swept away.
    pub(in crate::daemon) left: BTreeSet<MessageId>,
}

/// Sets aside what the journal does not know.
pub(in crate::daemon) fn set_aside(root: &Path, engine: &Engine, archive: &mut Archive) -> Lost {
    let mut lost = Lost::default();
    let found = Views::open(root).and_then(|views| views.list_active().map(|found| (views, found)));
    let (views, found) = match found {
        Ok(found) => found,
        Err(error) => {
            tracing::warn!(%error, "queue/active/ cannot be compared with the journal");
            return lost;
        }
    };
    let mut names = Vec::new();
    for view in found {
        let View::Active(_, id) = &view else { continue };
        let is_done = || views.is_done(&view).unwrap_or(false);
        if is_known(engine, archive, id) || is_done() || !views.holds_message(&view) {
            continue;
        }
        match views.set_aside(&view) {
            Ok(name) => names.push(format!("{id} (queue/lost/{name})")),
            Err(error) => {
                tracing::error!(%error, %id, "a message that the journal does not know cannot be set aside");
                lost.left.insert(id.clone());
            }
        }
    }
    lost.told = (!names.is_empty()).then(|| told(&names));
    lost
}

/// One that cannot be looked up is not: it would be lost for good.
fn is_known(engine: &Engine, archive: &mut Archive, id: &MessageId) -> bool {
    let state = engine.state();
    let lately = state.open.contains_key(id) || state.finished.contains_key(id);
    lately || archive.known(id).is_ok_and(|known| known.is_some())
}

fn told(names: &[String]) -> String {
    let named = names.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (what, have) = if names.len() == 1 { ("message", "was") } else { ("messages", "were") };
    format!(
        "{} open {what} that the journal does not know {have} set aside: {named}{more}; to have one done anew, look at it and move it to queue/, without its lines `status:` and `token:`",
        names.len()
    )
}
