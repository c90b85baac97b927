//! The log of the team, of an agent, or of a message, in pages.

use super::filter::moment;
use super::model::{Answers, Model};
use super::problems::{bad, message_id, no_agent, no_message, unreadable_log};
use crate::engine::words::{AgentName, MessageId, Millis};
use crate::io::log_reader::{LogPlace, LogWish, StatusLog};
use crate::wire::api::{LogLineInfo, LogPage, LogQuery, Problem};

/// Lines in an answer where nothing is said, and at most.
const LIMIT: usize = 100;
const LIMIT_MAX: usize = 1_000;
/// Bytes that are looked at for one answer, some 20 ms: whoever looks for an id that is seldom there asks for what follows.
const LOOKED_AT_MAX: u64 = 8 << 20;

impl Answers for LogQuery {
    fn answer(self, model: &mut Model) -> Result<LogPage, Problem> {
        let id = self.id.as_deref().map(message_id).transpose()?;
        let log = self.agent.as_deref().map(|name| model.log_of(name)).transpose()?;
        let log = log.unwrap_or_else(|| StatusLog::of_team(&model.workspace)).about(id.as_ref());
        let from = match self.after.as_deref() {
            None => log.end(),
            Some(text) => {
                let place = LogPlace::read(text).filter(|place| log.has(*place));
                Ok(Some(place.ok_or_else(|| bad("after", text, "a `next` of an answer before"))?))
            }
        };
        let since = self.since.as_deref().map(|text| log_since(text, model.now())).transpose()?;
        let lines = self.limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX);
        let wish = LogWish { lines, since, bytes: LOOKED_AT_MAX };
        let found = from.and_then(|from| log.before(from, wish)).map_err(|error| unreadable_log(&error))?;
        if found.lines.is_empty()
            && let Some(id) = id.filter(|_| self.after.is_none() && found.next.is_none())
            && !model.knows(&id)
        {
            return Err(no_message(&id));
        }
        let lines = found.lines.iter().map(|line| LogLineInfo::of(line)).collect();
        Ok(LogPage { lines, next: found.next.map(LogPlace::write) })
    }
}

impl Model {
    /// The log of an agent, also of one that is in the team no more.
    fn log_of(&self, name: &str) -> Result<StatusLog, Problem> {
        let found = AgentName::new(name).map_err(|_| no_agent(name))?;
        match StatusLog::of_agent(&self.workspace, Some(self.engine().team()), &found) {
            Some(log) => Ok(log),
            None => Ok(StatusLog::of_member(&self.workspace, &self.member(name)?)),
        }
    }

    fn knows(&mut self, id: &MessageId) -> bool {
        self.engine().state().open.contains_key(id) || self.ended(id).is_ok_and(|ended| ended.is_some())
    }
}

/// The earliest time that is asked for.
///
/// # Errors
/// [`Problem`] if the text is no time.
pub fn log_since(text: &str, now: Millis) -> Result<Millis, Problem> {
    moment("since", text, now)
}

impl LogLineInfo {
    /// A line as it stands in the file.
    #[must_use]
    pub fn of(line: &str) -> Self {
        let (at, text) = line.split_once(' ').unwrap_or(("", line));
        Self { at: at.to_owned(), text: text.to_owned() }
    }
}
