//! What is remembered at a pane itself, beyond the life of a daemon: each is one line of text.

use crate::engine::words::{MessageId, Token};

/// Longest text that is remembered at a pane, in bytes: some rows of a wide terminal.
const REMEMBERED_BYTES_MAX: usize = 4_000;
/// What is remembered of a pane's input.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Remembered {
    /// Up to when, by tmux's clock in seconds, it is known that nobody's words was there.
    pub free_at: u64,
    /// The line of the cursor at that time, where it was not too long.
    pub free: Option<String>,
    /// Somebody's words that stand there.
    pub draft: Option<String>,
    /// Whether its program is at something that is no turn which is awaited.
    pub busy: bool,
    /// Whether its program edited its line itself while it was free.
    pub edits: bool,
    /// Whether since then it has asked for a line, with its terminal reading that.
    pub asks: bool,
    /// The line of the cursor behind which turns are typed, if that is surely its program's prompt.
    pub idle: Option<String>,
}

impl Remembered {
    /// One line, with a mark for each text that is there: no text can pass for another part.
    pub(in crate::io) fn written(&self) -> String {
        let text = |text: &Option<String>| {
            let kept = text.as_deref().filter(|text| text.len() <= REMEMBERED_BYTES_MAX);
            kept.map_or_else(|| "-".to_owned(), |text| format!("={}", text.replace(['\n', '\t'], " ")))
        };
        let draft = self.draft.as_ref().map(|draft| {
            let end = draft.floor_char_boundary(REMEMBERED_BYTES_MAX);
            draft[..end].to_owned()
        });
        let flags = [(self.busy, "busy"), (self.edits, "edits"), (self.asks, "asks")];
        let set: Vec<&str> = flags.iter().filter(|(is, _)| *is).map(|(_, name)| *name).collect();
        let (free, draft, idle) = (text(&self.free), text(&draft), text(&self.idle));
        format!("{}\t{free}\t{draft}\t{}\t{idle}", self.free_at, set.join(","))
    }

    pub(in crate::io) fn read(written: &str) -> Option<Self> {
        let mut parts = written.split('\t');
        let (free_at, free, draft) = (parts.next()?.parse().ok()?, parts.next()?, parts.next()?);
        let text = |part: &str| part.strip_prefix('=').map(str::to_owned);
        // An earlier version wrote none.
        let set: Vec<&str> = parts.next().unwrap_or_default().split(',').collect();
        let is = |name: &str| set.contains(&name);
        let (busy, edits, asks) = (is("busy"), is("edits"), is("asks"));
        let idle = parts.next().and_then(text);
        Some(Self { free_at, free: text(free), draft: text(draft), busy, edits, asks, idle })
    }
}

/// A turn that is being broken off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breaking {
    /// Since when, by tmux's clock in seconds.
    pub since: u64,
    pub id: MessageId,
    /// Its number.
    pub turn: u16,
    pub token: Option<Token>,
    /// The line that was typed.
    pub line: String,
}

impl Breaking {
    /// One line; what was typed is last, since it may hold anything.
    pub(in crate::io) fn written(&self) -> String {
        let token = self.token.as_ref().map_or("-", Token::as_str);
        let line = self.line.replace(['\n', '\r'], " ");
        format!("{} {} {} {token} {line}", self.since, self.id, self.turn)
    }

    pub(in crate::io) fn read(written: &str) -> Option<Self> {
        let mut parts = written.splitn(5, ' ');
        let since = parts.next()?.parse().ok()?;
        let id = MessageId::new(parts.next()?).ok()?;
        let turn = parts.next()?.parse().ok()?;
        let token = match parts.next()? {
            "-" => None,
            token => Some(Token::new(token).ok()?),
        };
        Some(Self { since, id, turn, token, line: parts.next()?.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_down_is_read_back() {
        for (token, line) in
            [(Some("k7m2qx"), "[tasuki] 仕事 🎏 (token k7m2qx)"), (None, ""), (None, " #{x} $(y)  ")]
        {
            let token = token.map(|token| Token::new(token).unwrap());
            let id = MessageId::new("m-1").unwrap();
            let what = Breaking { since: 1_795_599_702, id, turn: 2, token, line: line.to_owned() };
            assert_eq!(Breaking::read(&what.written()), Some(what));
        }
        for bad in ["", "x", "1 m-1", "1 m-1 2", "1 m-1 2 -", "1 m-1 70000 - x", "1 m-1 2 ??? x"] {
            assert_eq!(Breaking::read(bad), None, "{bad}");
        }
    }

    #[test]
    fn what_is_remembered_is_read_back() {
        for (free, draft, busy) in [
            (Some("$ "), Some("echo rm -rf ~/ =\t"), false),
            (Some(""), None, true),
            (None, Some(""), true),
            (None, None, false),
            (Some("日本 #{x} $(y)"), None, false),
        ] {
            let what = Remembered {
                free_at: 7,
                free: free.map(str::to_owned),
                draft: draft.map(|draft| draft.replace('\t', " ")),
                busy,
                edits: !busy,
                asks: draft.is_some(),
                idle: free.map(str::to_owned),
            };
            assert_eq!(Remembered::read(&what.written()), Some(what));
        }
        assert_eq!(Remembered::read(""), None);
        let earlier = Remembered { free_at: 7, free: Some("$".to_owned()), ..Remembered::default() };
        assert_eq!(Remembered::read("7\t=$\t-"), Some(earlier), "as an earlier version wrote it");
    }
}
