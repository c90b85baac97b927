//! Commands for tmux, built word by word, and their replies.
//!
//! One [`TmuxCommand`] is one line: one or more commands that tmux runs one after the other without letting anybody else
//! in between. Each of them has a reply of its own, so the line knows how many replies to expect, and which follow an
//! error.

use super::escape::Escape;
use super::quote::{quote, shown};
use crate::engine::words::PaneId;
use crate::io::mux::error::HasNul;
use std::borrow::Cow;

/// Bytes kept of one reply; text beyond it is dropped and the reply marked [`TmuxReply::cut`]. Twice the longest line that
/// is kept, so that memory stays bounded whatever a pane shows.
pub const REPLY_BYTES_MAX: usize = 8 << 20;

/// What a reply's text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    /// Nothing is printed: a line inside that looks like news is news (`load-buffer` waits, and tmux goes on
    /// meanwhile; `refresh-client -A` tells of itself).
    Silent,
    /// Lines of text.
    Text,
    /// One number: how long the text of the next command is.
    Length,
    /// A buffer's text, as long as the command before said.
    Buffer,
}

/// One command of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    /// The command's name, for errors.
    pub name: &'static str,
    /// What its reply holds.
    pub body: Body,
    /// Whether it is in a branch: tmux goes on behind the branch if it fails, and ends the line if another does.
    pub inner: bool,
}

/// A line of one or more tmux commands.
#[derive(Debug, Clone)]
pub struct TmuxCommand {
    line: Vec<u8>,
    parts: Vec<Part>,
    bad: Option<HasNul>,
}

impl TmuxCommand {
    /// A command that prints text.
    #[must_use]
    pub fn new(name: &'static str) -> Self {
        Self::of(name, Body::Text)
    }

    /// A command that prints nothing.
    #[must_use]
    pub fn silent(name: &'static str) -> Self {
        Self::of(name, Body::Silent)
    }

    /// Three commands that give the text of buffer `name` and remove it. The first tells its length, so that no text
    /// can pass for the end of the reply.
    #[must_use]
    pub fn take_buffer(name: &str) -> Self {
        Self::of("list-buffers", Body::Length)
            .flag("-F")
            .word("#{buffer_size}")
            .flag("-f")
            .word(format!("#{{==:#{{buffer_name}},{name}}}"))
            .then(Self::of("show-buffer", Body::Buffer).flag("-b").word(name))
            .then(Self::silent("delete-buffer").flag("-b").word(name))
    }

    /// `yes` if `condition` (a format of `pane`) holds, else `no`. Each branch must be a single command that prints
    /// text or nothing, so that the number of replies is the same.
    #[must_use]
    pub fn choose(pane: PaneId, condition: &str, yes: Self, no: Self) -> Self {
        Self::choose_at(&pane.to_string(), condition, yes, no)
    }

    /// The same with a format of whatever `target` names.
    pub(super) fn choose_at(target: &str, condition: &str, yes: Self, no: Self) -> Self {
        debug_assert!(yes.parts.len() == 1 && no.parts.len() == 1, "a branch is one command");
        let mut both = Self::silent("if-shell").flag("-F").flag("-t").word(target).word(condition);
        for branch in [&yes, &no] {
            both.line.extend_from_slice(b" { ");
            both.line.extend_from_slice(&branch.line);
            both.line.extend_from_slice(b" }");
        }
        both.parts.extend(yes.parts.iter().map(|part| Part { body: Body::Text, inner: true, ..*part }));
        both.bad = both.bad.or(yes.bad).or(no.bad);
        both
    }

    fn of(name: &'static str, body: Body) -> Self {
        Self { line: name.into(), parts: vec![Part { name, body, inner: false }], bad: None }
    }

    /// Adds a flag of ours, unquoted.
    #[must_use]
    pub fn flag(mut self, flag: &'static str) -> Self {
        self.line.push(b' ');
        self.line.extend_from_slice(flag.as_bytes());
        self
    }

    /// Adds one word, whatever is in it.
    #[must_use]
    pub fn word(mut self, word: impl AsRef<[u8]>) -> Self {
        self.line.push(b' ');
        if let Err(error) = quote(&mut self.line, word.as_ref()) {
            self.bad.get_or_insert(error);
        }
        self
    }

    /// Adds `-t %N`.
    #[must_use]
    pub fn target(self, pane: PaneId) -> Self {
        self.flag("-t").word(pane.to_string())
    }

    /// Adds the commands of `next` behind these. If one of these fails, those are not run.
    #[must_use]
    pub fn then(mut self, next: Self) -> Self {
        self.line.extend_from_slice(b" ; ");
        self.line.extend_from_slice(&next.line);
        self.parts.extend_from_slice(&next.parts);
        self.bad = self.bad.or(next.bad);
        self
    }

    /// Name of the first command, for errors.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.parts.first().map_or("", |part| part.name)
    }

    /// The line with its newline, and what to expect of it.
    pub(super) fn into_line(mut self) -> Result<(Vec<u8>, Vec<Part>), HasNul> {
        match self.bad {
            Some(error) => Err(error),
            None => {
                self.line.push(b'\n');
                Ok((self.line, self.parts))
            }
        }
    }
}

/// What one command printed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TmuxReply {
    /// Seconds since the Unix epoch, by tmux's clock, when the command was run.
    pub time: u64,
    /// Its lines, each with its newline.
    pub body: Vec<u8>,
    /// Whether a part was dropped, since it was over [`REPLY_BYTES_MAX`] or had a line over the parser's limit.
    pub cut: bool,
}

impl TmuxReply {
    /// The text without its last newline. Invalid UTF-8 is replaced.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.body.strip_suffix(b"\n").unwrap_or(&self.body))
    }

    /// The text, fit for an error message.
    #[must_use]
    pub fn words(&self) -> String {
        shown(&self.body)
    }

    /// A buffer's text, as it is in the buffer.
    #[must_use]
    pub fn buffer(&self, escape: Escape) -> Vec<u8> {
        escape.undo(self.body.strip_suffix(b"\n").unwrap_or(&self.body), REPLY_BYTES_MAX)
    }

    /// Adds a line, if there is room for it.
    pub(super) fn push(&mut self, line: &[u8], cut: bool) {
        if self.body.len() + line.len() < REPLY_BYTES_MAX {
            self.body.extend_from_slice(line);
            self.body.push(b'\n');
            self.cut |= cut;
        } else {
            self.cut = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn a_line_is_quoted_and_knows_its_replies() {
        let typed = TmuxCommand::silent("send-keys").flag("-l").target(PaneId(5)).flag("--").word("a; \"b\"");
        let refused = TmuxCommand::new("display-message").flag("-p").word("no");
        let line = TmuxCommand::new("list-panes")
            .flag("-s")
            .then(TmuxCommand::choose(PaneId(5), "#{==:#{pane_dead},0}", typed, refused))
            .then(TmuxCommand::take_buffer("b"));
        let (line, parts) = line.into_line().unwrap();
        expect![[r##"
            list-panes -s ; if-shell -F -t "%5" "#{==:#{pane_dead},0}" { send-keys -l -t "%5" -- "a; \"b\"" } { display-message -p "no" } ; list-buffers -F "#{buffer_size}" -f "#{==:#{buffer_name},b}" ; show-buffer -b "b" ; delete-buffer -b "b"
        "##]]
        .assert_eq(&String::from_utf8(line).unwrap());
        let parts: Vec<String> =
            parts.iter().map(|part| format!("{} {:?} {}", part.name, part.body, part.inner)).collect();
        expect![[r"
            list-panes Text false
            if-shell Silent false
            send-keys Text true
            list-buffers Length false
            show-buffer Buffer false
            delete-buffer Silent false"]]
        .assert_eq(&parts.join("\n"));
    }

    #[test]
    fn a_nul_anywhere_refuses_the_line() {
        let bad = TmuxCommand::new("a").word("x\0");
        assert_eq!(TmuxCommand::new("b").then(bad.clone()).into_line().unwrap_err(), HasNul { at: 1 });
        assert!(TmuxCommand::choose(PaneId(1), "1", TmuxCommand::new("b"), bad).into_line().is_err());
    }

    #[test]
    fn a_reply_stays_within_its_limit() {
        let mut reply = TmuxReply::default();
        let line = vec![b'x'; 1 << 20];
        for _ in 0..20 {
            reply.push(&line, false);
        }
        assert!(reply.cut && reply.body.len() <= REPLY_BYTES_MAX && reply.body.len() > 6 << 20);
    }
}
