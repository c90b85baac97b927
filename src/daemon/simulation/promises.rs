//! What callers were told: it must be true from then on, whatever dies.

use super::told::JournalSays;
use crate::engine::input::Command;
use crate::engine::message::{Outcome, Status};
use crate::engine::words::{AgentName, MessageId};
use crate::wire::message::view::MessageView;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// All that was promised.
#[derive(Debug, Default)]
pub(super) struct Promises {
    /// Messages that somebody was told are accepted, or was shown.
    pub(super) accepted: BTreeSet<MessageId>,
    /// Messages that somebody was told have ended, with the answer where he gave it himself.
    ended: Vec<(MessageId, Outcome, Option<Arc<str>>)>,
    /// How often somebody was told that a message goes on.
    go_on: BTreeMap<MessageId, u32>,
    /// Messages that this agent, or the user, was told to have called off.
    called_off: Vec<(MessageId, String)>,
}

/// Why a message goes on that somebody lets go on, behind his name.
const GOES_ON: &str = " lets it go on";
/// Why a message ended that somebody called off, before his name.
const CALLED_OFF: &str = "cancelled by ";

impl Promises {
    /// A command was done; what kind of thing that is.
    pub(super) fn done(
        &mut self,
        command: &Command,
        by: Option<&AgentName>,
        what: &str,
        id: Option<&MessageId>,
    ) -> Option<&'static str> {
        let id = id?.clone();
        match command {
            Command::Cancel { .. } => {
                let by = by.map_or("user", AgentName::as_str).to_owned();
                let kind = if by == "user" { "told: cancelled" } else { "agents told: cancelled" };
                self.called_off.push((id.clone(), by));
                self.ended.push((id, Outcome::Cancelled, None));
                Some(kind)
            }
            Command::Retry(_) => {
                *self.go_on.entry(id).or_default() += 1;
                Some("told: goes on")
            }
            Command::Reply { text, .. } if what.ends_with("is done") => {
                self.ended.push((id, Outcome::Completed, Some(text.clone())));
                Some("told: done")
            }
            Command::Reply { text, failed: true, .. } if what.ends_with("has failed") => {
                self.ended.push((id, Outcome::Failed, Some(text.clone())));
                Some("told: failed")
            }
            _ => None,
        }
    }

    /// A message was shown; what kind of thing that is.
    pub(super) fn seen(&mut self, seen: &MessageView) -> &'static str {
        let id = seen.id.clone();
        self.accepted.insert(id.clone());
        let outcome = match seen.status {
            Status::Completed => Outcome::Completed,
            Status::Failed => Outcome::Failed,
            Status::Cancelled => Outcome::Cancelled,
            Status::Pending | Status::InProgress => return "shown open",
        };
        self.ended.push((id, outcome, None));
        "shown ended"
    }

    /// Holds them against what the journal tells in the end.
    ///
    /// # Errors
    /// The first that is not true.
    pub(super) fn check(&self, told: &JournalSays) -> Result<(), String> {
        if let Some(id) = self.accepted.iter().find(|id| !told.accepted.contains_key(*id)) {
            return Err(format!("a caller was told that {id} is accepted, and the journal does not know it"));
        }
        for (id, outcome, text) in &self.ended {
            let Some(end) = told.ended.get(id).and_then(|ends| ends.first()) else {
                return Err(format!("a caller was told that {id} is {outcome:?}, and it never ended"));
            };
            if end.outcome != *outcome {
                return Err(format!(
                    "a caller was told that {id} is {outcome:?}, and it is {:?}",
                    end.outcome
                ));
            }
            let kept = end.answer.as_ref().map(|answer| &*answer.body.content);
            if text.as_ref().is_some_and(|text| kept != Some(&**text)) {
                return Err(format!("{id} was answered {text:?}, and its answer is {kept:?}"));
            }
        }
        for (id, times) in &self.go_on {
            let moved =
                told.reasons.get(id).into_iter().flatten().filter(|why| why.ends_with(GOES_ON)).count();
            if moved < *times as usize {
                return Err(format!(
                    "{times} callers were told that {id} goes on, which it did {moved} times"
                ));
            }
        }
        for (id, by) in &self.called_off {
            let why = told.ended.get(id).and_then(|ends| ends.first()).and_then(|end| end.why.as_deref());
            if why != Some(&format!("{CALLED_OFF}{by}")) {
                return Err(format!("{by} was told that {id} is cancelled, which ended as {why:?}"));
            }
        }
        Ok(())
    }
}

/// Nobody but a person commands what others have sent, and whoever did is named.
///
/// # Errors
/// The first that is not so.
pub(super) fn check_commands(told: &JournalSays) -> Result<(), String> {
    let sent_it = |id: &MessageId, by: &str| {
        by == "user"
            || told.accepted.get(id).is_some_and(|all| all.iter().all(|message| message.from.as_str() == by))
    };
    let ends = told.ended.iter().flat_map(|(id, ends)| ends.iter().map(move |end| (id, end)));
    let ended = ends.filter_map(|(id, end)| Some((id, end.why.as_deref()?.strip_prefix(CALLED_OFF)?)));
    let reasons = told.reasons.iter().flat_map(|(id, all)| all.iter().map(move |why| (id, why)));
    let go_on = reasons.filter_map(|(id, why)| Some((id, why.strip_suffix(GOES_ON)?)));
    if let Some((id, by)) = ended.chain(go_on).find(|(id, by)| !sent_it(id, by)) {
        return Err(format!("{by} has commanded {id}, which is somebody else's"));
    }
    let of_agents = ["started by ", "stopped by ", "restarted by "];
    let by = |why: &str| of_agents.iter().find_map(|words| why.strip_prefix(words).map(str::to_owned));
    match told.agents.iter().filter_map(|why| by(why)).find(|by| by != "user") {
        Some(by) => Err(format!("{by} has commanded an agent")),
        None => Ok(()),
    }
}
