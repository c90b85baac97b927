//! Server-sent events, as they come over the socket (HTML standard, "Server-sent events").

use http_body_util::BodyExt;
use hyper::body::Incoming;
use std::collections::VecDeque;
use std::time::Duration;

/// Silence after which the other side counts as gone: it sends a comment every 15 s, and one may be late.
const SILENCE: Duration = Duration::from_secs(40);
/// Largest event, in bytes: a whole picture of 100 agents has about 200 KiB.
const EVENT_BYTES_MAX: usize = 16 << 20;

/// An event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ServerEvent {
    /// Its name: `message` if it has none.
    pub name: String,
    /// Id of the last event that had one, this one included.
    pub id: Option<String>,
    /// Its data, lines joined by `\n`.
    pub data: String,
}

/// Takes bytes as they come, and gives events.
#[derive(Debug, Default)]
pub struct EventParser {
    line: Vec<u8>,
    /// Whether the last byte was a carriage return: a line feed behind it belongs to it.
    is_after_return: bool,
    is_begun: bool,
    name: String,
    data: Option<String>,
    id: Option<String>,
}

impl EventParser {
    /// The events that end with these bytes.
    pub fn take(&mut self, bytes: &[u8]) -> Vec<ServerEvent> {
        let mut events = Vec::new();
        for &byte in bytes {
            let is_joined = std::mem::replace(&mut self.is_after_return, byte == b'\r') && byte == b'\n';
            match byte {
                _ if is_joined => {}
                b'\n' | b'\r' => events.extend(self.end_line()),
                byte => self.line.push(byte),
            }
        }
        events
    }

    /// Bytes that are kept for an event that has not ended.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.line.len() + self.data.as_ref().map_or(0, String::len)
    }

    fn end_line(&mut self) -> Option<ServerEvent> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let line = if std::mem::replace(&mut self.is_begun, true) {
            &*line
        } else {
            line.strip_prefix('\u{feff}').unwrap_or(&line)
        };
        if line.is_empty() {
            let name = std::mem::take(&mut self.name);
            let data = self.data.take()?;
            let name = if name.is_empty() { "message".to_owned() } else { name };
            return Some(ServerEvent { name, id: self.id.clone(), data });
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.name),
            "data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            },
            "id" if !value.contains('\0') => self.id = Some(value.to_owned()),
            // Comments have no field, and others are for others.
            _ => {}
        }
        None
    }
}

/// A stream of events that is open.
#[derive(Debug)]
pub struct EventStream {
    body: Incoming,
    parser: EventParser,
    ready: VecDeque<ServerEvent>,
}

impl EventStream {
    /// The stream in the body of an answer.
    #[must_use]
    pub fn of(body: Incoming) -> Self {
        Self { body, parser: EventParser::default(), ready: VecDeque::new() }
    }

    /// The next event; none once the other side is gone, is silent for too long, or sends what is none.
    pub async fn next(&mut self) -> Option<ServerEvent> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            let frame = tokio::time::timeout(SILENCE, self.body.frame()).await.ok()??.ok()?;
            if let Ok(bytes) = frame.into_data() {
                self.ready.extend(self.parser.take(&bytes));
            }
            if self.parser.kept() > EVENT_BYTES_MAX {
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(pieces: &[&str]) -> String {
        let mut parser = EventParser::default();
        let events = pieces.iter().flat_map(|piece| parser.take(piece.as_bytes())).collect::<Vec<_>>();
        let line = |event: &ServerEvent| format!("{} {:?} {:?}", event.name, event.id, event.data);
        events.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn events_are_read_however_they_are_cut() {
        let text = "\u{feff}: a comment\nevent: step\nid: 7\ndata: {\"a\":\"襷\"}\n\nevent:view\r\ndata: one\r\ndata:\r\ndata:  two\r\n\r\n\
                    id\r\rdata\n\nevent: nothing\n\ndata: x\nretry: 5\nunended";
        let expected = "step Some(\"7\") \"{\\\"a\\\":\\\"襷\\\"}\"\nview Some(\"7\") \"one\\n\\n two\"\nmessage Some(\"\") \"\"";
        assert_eq!(told(&[text]), expected);
        let mut parser = EventParser::default();
        let single = text.bytes().flat_map(|byte| parser.take(&[byte])).count();
        assert_eq!(single, 3);
        assert!(parser.kept() > 0);
        let mut all = EventParser::default();
        let whole = all.take(text.as_bytes());
        for at in 0..text.len() {
            let mut parser = EventParser::default();
            let mut events = parser.take(&text.as_bytes()[..at]);
            events.extend(parser.take(&text.as_bytes()[at..]));
            assert_eq!(events, whole, "cut at {at}");
        }
    }
}
