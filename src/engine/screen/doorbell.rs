//! The doorbell: the one line that is typed into a pane to give a turn. Its head is fixed and its body stays in
//! the task's file, so nothing that a stranger wrote becomes a key, a command or a second line.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

use unicode_width::UnicodeWidthChar as _;

use crate::engine::words::{AgentName, MessageId, Token};

/// What a doorbell begins with.
pub const HEAD: &str = "[tasuki]";
/// Longest doorbell in bytes: far below a terminal's 4,096-byte line, and short enough that no agent's input box
/// folds it into "[Pasted text]" (delivery.md, Sending).
pub const DOORBELL_BYTES_MAX: usize = 400;
/// Longest content that `delivery: inline` types, in bytes (protocol.md §4).
pub const INLINE_BYTES_MAX: usize = 1_000;
/// What is in a team's words for the path of the task's file.
pub const PATH: &str = "{path}";

/// Why a turn is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnKind {
    /// A new task.
    Task,
    /// Answers of children for a task that waits for them.
    Answers,
    /// A check of the claimed work failed.
    Feedback,
    /// The last turn ended without a claim.
    Reminder,
    /// Something to know, nothing to answer; it has no token.
    Info,
}

impl TurnKind {
    /// All kinds, in the order of the protocol.
    pub const ALL: [Self; 5] = [Self::Task, Self::Answers, Self::Feedback, Self::Reminder, Self::Info];

    /// The kind as one lower-case word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::Answers => "answers",
            Self::Feedback => "feedback",
            Self::Reminder => "reminder",
            Self::Info => "info",
        }
    }
}

/// What a doorbell says after its colon, one text a kind of turn; a team may set its own, in its language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    texts: [Cow<'static, str>; 5],
}

impl Default for Words {
    fn default() -> Self {
        Self {
            texts: [
                "read {path} and do it.",
                "read {path} and go on.",
                "a check failed; read {path} and put it right.",
                "if it is done, say so with your phrase and this token; else go on.",
                "read {path}; nothing to answer.",
            ]
            .map(Cow::Borrowed),
        }
    }
}

impl Words {
    /// These words with `text` for turns of `kind`. [`PATH`] in it stands for the path of the task's file.
    ///
    /// # Errors
    /// [`BadDoorbell`] if `text` has a character that is never typed, or leaves out [`PATH`] where the agent needs
    /// it: everywhere but in a reminder.
    pub fn with(mut self, kind: TurnKind, text: &str) -> Result<Self, BadDoorbell> {
        check_typed(text)?;
        if kind != TurnKind::Reminder && !text.contains(PATH) {
            return Err(BadDoorbell::NoPath { kind: kind.as_str() });
        }
        if let Some(slot) = self.texts.get_mut(kind as usize) {
            *slot = Cow::Owned(text.to_owned());
        }
        Ok(self)
    }

    /// Checks that a doorbell of every kind has room for this id, sender and path. To be asked with the longest of
    /// each when the team file is read, so that no line turns out too long when it is to be typed.
    ///
    /// # Errors
    /// [`BadDoorbell::TooLong`] for the first kind that does not fit, or what is wrong with the path.
    pub fn check_room(&self, id: &MessageId, from: &AgentName, path: &str) -> Result<(), BadDoorbell> {
        TurnKind::ALL.into_iter().try_for_each(|kind| {
            let token = (kind != TurnKind::Info).then(|| Token::mint(0));
            Doorbell { kind, id, from, token, path }.line(self).map(drop)
        })
    }

    fn say(&self, kind: TurnKind, path: &str) -> String {
        self.texts.get(kind as usize).map(|text| text.replace(PATH, path)).unwrap_or_default()
    }
}

/// One turn to be announced to an agent.
#[derive(Debug, Clone, Copy)]
pub struct Doorbell<'a> {
    /// Why the turn is given.
    pub kind: TurnKind,
    /// The task, or for [`TurnKind::Info`] the message.
    pub id: &'a MessageId,
    /// Who sent it; shown for a task and an info.
    pub from: &'a AgentName,
    /// The turn's token; `None` for [`TurnKind::Info`], and for agents without tokens (`token: false`).
    pub token: Option<Token>,
    /// The file to read, as the agent can open it: relative to its folder, or absolute.
    pub path: &'a str,
}

impl Doorbell<'_> {
    /// The line to type.
    ///
    /// # Errors
    /// [`BadDoorbell`] if it would be longer than [`DOORBELL_BYTES_MAX`], if the path has a character that is
    /// never typed, or if an info has a token.
    pub fn line(&self, words: &Words) -> Result<String, BadDoorbell> {
        check_typed(self.path)?;
        let line = format!("{}: {}", self.head()?, words.say(self.kind, self.path));
        if line.len() > DOORBELL_BYTES_MAX {
            return Err(BadDoorbell::TooLong { len: line.len() });
        }
        Ok(line)
    }

    /// The line to type for `delivery: inline` with a token: the head, then the content itself.
    ///
    /// # Errors
    /// [`BadDoorbell`] if the content is not one plain line, or a token is missing or too many.
    pub fn inline(&self, content: &str) -> Result<String, BadDoorbell> {
        Ok(format!("{}: {}", self.head()?, inline_text(content)?))
    }

    fn head(&self) -> Result<String, BadDoorbell> {
        let Self { kind, id, from, .. } = self;
        let token = self.token.map(|token| format!(" (token {token})")).unwrap_or_default();
        let head = match kind {
            TurnKind::Info if self.token.is_some() => return Err(BadDoorbell::Token { kind: kind.as_str() }),
            TurnKind::Info => format!("{HEAD} info {id} from {from}"),
            TurnKind::Task => format!("{HEAD} task {id} from {from}{token}"),
            TurnKind::Answers => format!("{HEAD} answers for your task {id}{token}"),
            TurnKind::Feedback => format!("{HEAD} feedback on your task {id}{token}"),
            TurnKind::Reminder => format!("{HEAD} reminder of your task {id}{token}"),
        };
        Ok(head)
    }
}

/// The content that `delivery: inline` types: without the newlines that a YAML block scalar ends with.
///
/// # Errors
/// [`NotInline`] if it is not one plain line.
pub fn inline_text(content: &str) -> Result<&str, NotInline> {
    let line = content.trim_end_matches('\n');
    if line.len() > INLINE_BYTES_MAX {
        return Err(NotInline::TooLong { len: line.len() });
    }
    if line.contains(['\n', '\r', '\u{2028}', '\u{2029}']) {
        return Err(NotInline::Lines);
    }
    if let Some((at, found)) = line.char_indices().find(|&(_, c)| is_unsafe(c)) {
        return Err(NotInline::Unprintable { found, at });
    }
    // A program may drop the blanks before it looks for a command, so they do not hide one from us.
    match line.trim_start().chars().next() {
        None => Err(NotInline::Empty),
        Some(first @ ('/' | '!' | '#' | '@' | '-')) => Err(NotInline::Command { first }),
        Some(first) if first.width().unwrap_or(0) == 0 => Err(NotInline::Joins { first }),
        Some(_) => Ok(line),
    }
}

/// Checks that `content` may be typed as it is: one printable line of at most [`INLINE_BYTES_MAX`] bytes that no
/// program takes for a command. Trailing newlines are not counted.
///
/// # Errors
/// [`NotInline`] says what is in the way.
pub fn check_inline(content: &str) -> Result<(), NotInline> {
    inline_text(content).map(drop)
}

/// `text` without C0, DEL and C1: the last thing done to whatever is typed. What is left cannot form a key, an
/// escape sequence or the end of a paste, and one pass is enough, since no letter is made of others.
#[must_use]
pub fn clean(text: &str) -> Cow<'_, str> {
    if text.contains(char::is_control) {
        Cow::Owned(text.chars().filter(|c| !c.is_control()).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// Why a content cannot be typed itself.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotInline {
    /// Nothing to type.
    #[error("the content is blank: `delivery: inline` types the content itself, so write at least one word")]
    Empty,
    /// More than [`INLINE_BYTES_MAX`] bytes.
    #[error(
        "the content has {len} bytes; `delivery: inline` types at most {INLINE_BYTES_MAX}: shorten it or use `delivery: doorbell`"
    )]
    TooLong {
        /// Bytes it has.
        len: usize,
    },
    /// More than one line.
    #[error(
        "the content has more than one line; `delivery: inline` types one: join the lines or use `delivery: doorbell`"
    )]
    Lines,
    /// A character that a terminal or a reader could be deceived with.
    #[error(
        "the content has {found:?} at byte {at}; `delivery: inline` types printable text only: take it out or use `delivery: doorbell`"
    )]
    Unprintable {
        /// The character.
        found: char,
        /// Its byte offset.
        at: usize,
    },
    /// A first character that a terminal joins to what is before it, so that the content is never seen as it was typed.
    #[error(
        "the content begins with {first:?}, which a terminal joins to what stands before it: begin with a letter or use `delivery: doorbell`"
    )]
    Joins {
        /// The character.
        first: char,
    },
    /// A first character that programs take for a command.
    #[error("the content begins with `{first}`, which programs take for a command: begin with a word")]
    Command {
        /// The character.
        first: char,
    },
}

/// Why there is no doorbell line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadDoorbell {
    /// More than [`DOORBELL_BYTES_MAX`] bytes.
    #[error(
        "the doorbell line would have {len} bytes; at most {DOORBELL_BYTES_MAX} are typed: shorten the words or the path of the workspace"
    )]
    TooLong {
        /// Bytes it would have.
        len: usize,
    },
    /// A character that is never typed, in the path or the words.
    #[error("{found:?} at byte {at} is never typed into a pane: take it out of the words or the path")]
    Unprintable {
        /// The character.
        found: char,
        /// Its byte offset.
        at: usize,
    },
    /// Words that do not say which file to read.
    #[error("the words for a turn of kind `{kind}` lack {PATH}, so the agent would not know what to read")]
    NoPath { kind: &'static str },
    /// A bug of the caller: an info has no token.
    #[error("a turn of kind `{kind}` has a token too many; this is a bug in tasuki")]
    Token { kind: &'static str },
    /// The content cannot be typed itself.
    #[error(transparent)]
    Inline(#[from] NotInline),
}

fn check_typed(text: &str) -> Result<(), BadDoorbell> {
    match text.char_indices().find(|&(_, c)| is_unsafe(c)) {
        Some((at, found)) => Err(BadDoorbell::Unprintable { found, at }),
        None => Ok(()),
    }
}

/// Controls (C0, DEL, C1), line and paragraph separators, and the letters that turn the direction of writing
/// round, so that a person reads another text than the one that is there.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}
