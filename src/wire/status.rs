//! The dashboard's files and the reason beside a rejected file, as YAML.

use super::time::rfc3339;
use crate::engine::message::refusal::Refusal;
use crate::engine::screen::reading::Dialog;
use crate::engine::team::roster::Hired;
use crate::engine::words::{AgentName, MessageId, Millis, PaneId};
use crate::wire::api::HiredInfo;
use crate::wire::yaml::write::{Prose, yaml};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_saphyr::FlowMap;

/// `status/agents/NAME.yaml` (protocol, status file).
#[derive(Debug, Clone)]
pub struct AgentStatus<'a> {
    pub agent: &'a AgentName,
    /// `state:`, one of the ten words.
    pub state: &'a str,
    /// `current_task:`
    pub task: Option<&'a MessageId>,
    /// `since:`, when that state began.
    pub since: Millis,
    /// `last_updated:`
    pub at: Millis,
    /// `started_at:`, while it runs.
    pub started_at: Option<Millis>,
    /// `doing:`, the last meaningful line of the pane.
    pub doing: Option<&'a str>,
    /// `asks:`, where it waits for somebody's answer.
    pub asks: Option<&'a Dialog>,
    pub pane: Option<PaneId>,
    pub pid: Option<u32>,
    pub provider: &'a str,
    /// `hired:`, where it is not in the team file.
    pub hired: Option<&'a Hired>,
    /// `queued:`, messages that wait for it.
    pub queued: u64,
    pub statistics: Statistics,
}

/// What an agent did since the workspace was made (restarts and uptime: since it was started).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Statistics {
    /// Tasks that ended well.
    pub tasks_completed: u64,
    pub tasks_failed: u64,
    pub messages_sent: u64,
    /// Messages it got.
    pub messages_received: u64,
    /// Seconds since it was started.
    pub uptime_seconds: u64,
    /// Times it was started again.
    pub restarts: u64,
}

/// `status/daemon.yaml`.
#[derive(Debug, Clone)]
pub struct DaemonStatus<'a> {
    pub pid: Option<u32>,
    pub version: &'a str,
    pub started_at: Millis,
    /// `last_updated:`
    pub at: Millis,
    pub socket: Option<&'a str>,
    /// `stopped_since:`, while `queue/STOP` exists.
    pub stopped_since: Option<Millis>,
    /// `counts:`, each with its name.
    pub counts: &'a [(&'a str, u64)],
    /// `notes:`: what does not work as it should, and what is done instead.
    pub notes: &'a [String],
}

/// `queue/rejected/NAME.reason.yaml`.
#[derive(Debug, Clone)]
pub struct Reason<'a> {
    /// `file:`, the name that was dropped.
    pub name: &'a str,
    /// `code:`, `line:`, `column:`, `document:`, `field:`, `why:`, `cure:`
    pub refusal: &'a Refusal,
    /// `text:`, the line itself.
    pub text: Option<&'a str>,
    /// `from:`, as far as it is known.
    pub from: Option<&'a str>,
    pub at: Millis,
    /// `inode:` of the rejected file, which tells after a crash whose reason this is.
    pub inode: u64,
}

/// The YAML of an agent's status.
#[must_use]
pub fn agent(status: &AgentStatus<'_>) -> String {
    yaml(status)
}

/// The YAML of the daemon's status.
#[must_use]
pub fn daemon(status: &DaemonStatus<'_>) -> String {
    yaml(status)
}

/// The YAML of a reason.
#[must_use]
pub fn reason(reason: &Reason<'_>) -> String {
    yaml(reason)
}

impl Serialize for AgentStatus<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("agent_name", self.agent.as_str())?;
        map.serialize_entry("state", self.state)?;
        map.serialize_entry("current_task", &self.task.map(MessageId::as_str))?;
        map.serialize_entry("last_updated", &rfc3339(self.at))?;
        map.serialize_entry("since", &rfc3339(self.since))?;
        map.serialize_entry("started_at", &self.started_at.map(rfc3339))?;
        map.serialize_entry("doing", &self.doing)?;
        if let Some(asks) = self.asks {
            map.serialize_entry("asks", &Asks(asks))?;
        }
        map.serialize_entry("pane_id", &self.pane.map(|pane| pane.to_string()))?;
        map.serialize_entry("pid", &self.pid)?;
        map.serialize_entry("provider", self.provider)?;
        if let Some(hired) = self.hired {
            map.serialize_entry("hired", &FlowMap(HiredInfo::from(hired)))?;
        }
        map.serialize_entry("queued", &self.queued)?;
        map.serialize_entry("statistics", &FlowMap(self.statistics))?;
        map.end()
    }
}

/// What an agent asks.
struct Asks<'a>(&'a Dialog);

impl Serialize for Asks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &self.0.id())?;
        map.serialize_entry("text", &Prose(&self.0.text))?;
        map.serialize_entry("choices", &self.0.choices)?;
        map.end()
    }
}

impl Serialize for DaemonStatus<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("pid", &self.pid)?;
        map.serialize_entry("version", self.version)?;
        map.serialize_entry("started_at", &rfc3339(self.started_at))?;
        map.serialize_entry("last_updated", &rfc3339(self.at))?;
        map.serialize_entry("socket", &self.socket)?;
        if let Some(since) = self.stopped_since {
            map.serialize_entry("stopped_since", &rfc3339(since))?;
        }
        map.serialize_entry("counts", &FlowMap(Counts(self.counts)))?;
        if !self.notes.is_empty() {
            map.serialize_entry("notes", self.notes)?;
        }
        map.end()
    }
}

struct Counts<'a>(&'a [(&'a str, u64)]);

impl Serialize for Counts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

impl Serialize for Reason<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let refusal = self.refusal;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("file", self.name)?;
        map.serialize_entry("code", refusal.code.word())?;
        if let (Some(line), Some(column)) = (refusal.line, refusal.column) {
            map.serialize_entry("line", &line)?;
            map.serialize_entry("column", &column)?;
        }
        if refusal.document > 0 {
            map.serialize_entry("document", &(refusal.document + 1))?;
        }
        if let Some(field) = refusal.field {
            map.serialize_entry("field", field)?;
        }
        map.serialize_entry("why", &Prose(&refusal.why))?;
        map.serialize_entry("cure", refusal.cure())?;
        if let Some(text) = self.text {
            map.serialize_entry("text", text)?;
        }
        if let Some(from) = self.from {
            map.serialize_entry("from", from)?;
        }
        map.serialize_entry("at", &rfc3339(self.at))?;
        map.serialize_entry("inode", &self.inode)?;
        map.end()
    }
}

/// Line `line` (from 1) of a file, for people: at most 160 characters around `column`, without what a terminal would act on.
#[must_use]
pub fn excerpt(bytes: &[u8], line: u64, column: u64) -> Option<String> {
    const CHARS_BEFORE: usize = 60;
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace('\r', "\n");
    let index = usize::try_from(line.checked_sub(1)?).ok()?;
    let line = text.strip_prefix('\u{FEFF}').unwrap_or(&text).split('\n').nth(index)?.trim_end();
    let start = usize::try_from(column).ok()?.saturating_sub(CHARS_BEFORE);
    let part: String = line.chars().skip(start).take(160).collect();
    let tame: String = part
        .chars()
        .flat_map(|c| if c.is_control() { c.escape_debug().collect() } else { vec![c] })
        .collect();
    (!tame.is_empty()).then_some(tame)
}

#[cfg(test)]
mod tests {
    use super::excerpt;

    #[test]
    fn an_excerpt_is_the_line_around_the_column_and_tame() {
        let text = "\u{feff}to: a\r\nb: \u{1b}[31m日本\rc: x\n\nlast".as_bytes();
        let at = |line, column| excerpt(text, line, column);
        assert_eq!(at(1, 1).as_deref(), Some("to: a"));
        assert_eq!(at(2, 4).as_deref(), Some("b: \\u{1b}[31m日本"));
        assert_eq!(at(3, 1).as_deref(), Some("c: x"));
        assert_eq!((at(4, 1), at(6, 1), at(0, 1)), (None, None, None));
        assert_eq!(excerpt(b"a\xffb", 1, 2).as_deref(), Some("a\u{fffd}b"));
        let long = format!("{}X{}", "a".repeat(500), "b".repeat(500));
        let cut = excerpt(long.as_bytes(), 1, 501).unwrap();
        assert_eq!((cut.chars().count(), cut.find('X')), (160, Some(59)));
    }
}
