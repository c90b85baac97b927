//! The glossary as types: every name from outside becomes one of these, or an error that says what is wrong.

use super::form::{as_text, hex};
use arcstr::ArcStr;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A point in time: milliseconds since the Unix epoch, read from the wall once at start and carried on by the
/// monotonic clock, so that a jump of the wall clock neither fires nor delays a time-out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Millis(pub u64);

impl Millis {
    /// This moment and `ms` milliseconds more, without overflow.
    #[must_use]
    pub const fn plus(self, ms: u64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// The time of day, in UTC: `12:04:31Z`.
    #[must_use]
    pub fn time_of_day(self) -> String {
        let seconds = self.0 / 1_000 % 86_400;
        format!("{:02}:{:02}:{:02}Z", seconds / 3_600, seconds / 60 % 60, seconds % 60)
    }

    /// Milliseconds from `earlier` to this moment; 0 if `earlier` is later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// Number of a step in the journal; the first step of a workspace is 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Seq(pub u64);

/// Why a text is not a valid word.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadWord {
    /// It has no characters.
    #[error("is empty")]
    Empty,
    /// It has more than `max` bytes.
    #[error("has {len} bytes; at most {max} are allowed")]
    TooLong {
        /// Bytes it has.
        len: usize,
        /// Bytes it may have.
        max: usize,
    },
    /// It has not as many bytes as it must have.
    #[error("has {len} bytes; it must have exactly {exact}")]
    WrongLength {
        /// Bytes it has.
        len: usize,
        /// Bytes it must have.
        exact: usize,
    },
    /// A token without a digit.
    #[error(
        "has no digit, and every token has one among its {TOKEN_CHARS} characters: copy it from the line that gave the turn"
    )]
    NoDigit,
    /// A character that is not allowed, and where it is (bytes, from 0).
    #[error("has {found:?} at byte {at}, which is not allowed; use {allowed}")]
    BadChar {
        /// The character.
        found: char,
        /// Its byte offset.
        at: usize,
        /// The pattern of the word.
        allowed: &'static str,
    },
    /// A word that is kept for tasuki's own use.
    #[error("is reserved")]
    Reserved,
}

/// Longest id, agent name, alias or pool in bytes (durability limits).
pub const NAME_BYTES_MAX: usize = 64;
/// Characters of a turn's token.
pub const TOKEN_CHARS: usize = 6;

const AGENT_PATTERN: &str = "[a-z0-9][a-z0-9_-]{0,63}";
const ID_PATTERN: &str = "[a-z0-9][a-z0-9._-]{0,63}";

fn check(text: &str, more: &[char], allowed: &'static str) -> Result<(), BadWord> {
    if text.is_empty() {
        return Err(BadWord::Empty);
    }
    if text.len() > NAME_BYTES_MAX {
        return Err(BadWord::TooLong { len: text.len(), max: NAME_BYTES_MAX });
    }
    let fits =
        |at: usize, c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || (at > 0 && more.contains(&c));
    match text.char_indices().find(|&(at, c)| !fits(at, c)) {
        Some((at, found)) => Err(BadWord::BadChar { found, at, allowed }),
        None => Ok(()),
    }
}

macro_rules! word {
    ($(#[$doc:meta])* $name:ident, $more:expr, $pattern:expr) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(ArcStr); // of which every index has one: eight bytes, where an `Arc<str>` has sixteen

        impl $name {
            /// Checks `text` and makes it this word.
            ///
            /// # Errors
            /// [`BadWord`] says which character or length is wrong.
            pub fn new(text: &str) -> Result<Self, BadWord> {
                check(text, $more, $pattern)?;
                Ok(Self(text.into()))
            }

            /// The word as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = BadWord;

            fn from_str(text: &str) -> Result<Self, BadWord> {
                Self::new(text)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

word!(
    /// The id of a message: `[a-z0-9][a-z0-9._-]{0,63}`.
    MessageId, &['.', '_', '-'], ID_PATTERN
);
word!(
    /// The name of an agent, an alias, a pool, or `user`: `[a-z0-9][a-z0-9_-]{0,63}`.
    AgentName, &['_', '-'], AGENT_PATTERN
);

impl MessageId {
    /// The same in memory of its own.
    #[must_use]
    pub fn anew(&self) -> Self {
        Self(self.as_str().into())
    }
}

/// The reserved name of the person who owns the workspace.
pub const USER: &str = "user";

impl AgentName {
    /// The reserved name `user`.
    #[must_use]
    pub fn user() -> Self {
        Self(arcstr::literal!(USER))
    }

    /// Whether this is the person and not an agent.
    #[must_use]
    pub fn is_user(&self) -> bool {
        self.0 == USER
    }
}

/// Who answers where no agent did.
const OURSELVES: &str = "tasuki";

/// tasuki's own name, where no agent answers.
#[must_use]
pub fn ourselves() -> AgentName {
    AgentName::new(OURSELVES).unwrap_or_else(|_| AgentName::user())
}

/// A turn's token: six characters `[a-z0-9]`, at least one of them a digit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token([u8; TOKEN_CHARS]);

impl Token {
    /// Reads a token.
    ///
    /// # Errors
    /// [`BadWord`] if it is not six characters of `[a-z0-9]` with a digit among them.
    pub fn new(text: &str) -> Result<Self, BadWord> {
        const ALLOWED: &str = "six of [a-z0-9], at least one a digit";
        let wrong = BadWord::WrongLength { len: text.len(), exact: TOKEN_CHARS };
        let bytes: [u8; TOKEN_CHARS] = text.as_bytes().try_into().map_err(|_| wrong)?;
        if let Some((at, found)) =
            text.char_indices().find(|(_, c)| !(c.is_ascii_lowercase() || c.is_ascii_digit()))
        {
            return Err(BadWord::BadChar { found, at, allowed: ALLOWED });
        }
        if !bytes.iter().any(u8::is_ascii_digit) {
            return Err(BadWord::NoDigit);
        }
        Ok(Self(bytes))
    }

    /// Makes a token from chance: the same `chance` gives the same token.
    #[must_use]
    pub fn mint(chance: u64) -> Self {
        const LETTERS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
        let mut rest = chance;
        let mut bytes = [b'0'; TOKEN_CHARS];
        for byte in &mut bytes {
            *byte = LETTERS.get((rest % 36) as usize).copied().unwrap_or(b'0');
            rest /= 36;
        }
        if !bytes.iter().any(u8::is_ascii_digit) {
            let at = (rest % TOKEN_CHARS as u64) as usize;
            if let Some(byte) = bytes.get_mut(at) {
                *byte = b'0' + ((rest / 7) % 10) as u8;
            }
        }
        Self(bytes)
    }

    /// The token as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

as_text!(MessageId, "the id", MessageId::new, as_str);
as_text!(AgentName, "the name", AgentName::new, as_str);
as_text!(Token, "the token", Token::new, as_str);

impl FromStr for Token {
    type Err = BadWord;

    fn from_str(text: &str) -> Result<Self, BadWord> {
        Self::new(text)
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// tmux's number of a pane, shown as `%5`. It never changes while the pane lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PaneId(pub u32);

impl fmt::Display for PaneId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

as_text!(PaneId, "the pane", |text| {
    let digits = text.strip_prefix('%').filter(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    let number = digits.and_then(|digits| digits.parse().ok());
    number.map(PaneId).ok_or("is not tmux's number of a pane, such as %5")
});

/// A process that cannot be mistaken for a later one with the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProcessKey {
    /// Process id.
    pub pid: u32,
    /// Start time in clock ticks since boot (field 22 of `/proc/PID/stat`).
    pub start_ticks: u64,
}

/// One launch of an agent. Written into the pane's `@tasuki_agent` option as `NAME NONCE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nonce(pub u64);

impl fmt::Display for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

as_text!(Nonce, "the nonce", |text| {
    let number = hex(text, 16).and_then(|number| u64::try_from(number).ok());
    number.map(Nonce).ok_or("is not 16 digits of 0-9a-f")
});

/// A digest of the parsed fields of a message without `timestamp` and `token`: equal for a duplicate, other for a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(Rust, packed(8))] // at the alignment of a `u128` each message would take sixteen bytes more
pub struct Digest(pub u128);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", { self.0 })
    }
}

as_text!(Digest, "the digest", |text| hex(text, 32).map(Digest).ok_or("is not 32 digits of 0-9a-f"));

/// A number of things, for people: `1 part`, `2 parts`, `3 replies`, `4 branches`.
#[must_use]
pub fn counted(count: usize, noun: &str) -> String {
    let hisses = ["ch", "sh", "s", "x"].iter().any(|end| noun.ends_with(end));
    match (count, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        _ if hisses => format!("{count} {noun}es"),
        _ => format!("{count} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_paths_or_options_are_refused() {
        for bad in ["", "..", "../x", "a/b", "-rf", "A", "é", "a b", "a\0", &"a".repeat(65)] {
            assert!(AgentName::new(bad).is_err(), "{bad:?}");
        }
        for good in ["a", "grand_boss", "0", "x-1", &"a".repeat(64)] {
            assert!(AgentName::new(good).is_ok(), "{good:?}");
        }
        assert!(AgentName::new("a.b").is_err());
        assert!(MessageId::new("a.b").is_ok());
        assert!(MessageId::new(".a").is_err());
    }

    #[test]
    fn a_minted_token_is_a_valid_one() {
        for chance in (0..50_000u64).map(|n| n.wrapping_mul(0x9E37_79B9_7F4A_7C15)) {
            let token = Token::mint(chance);
            assert_eq!(Token::new(token.as_str()), Ok(token), "chance {chance}");
        }
        assert!(Token::new("abcdef").is_err());
        assert!(Token::new("abc1e").is_err());
        assert!(Token::new("ABC123").is_err());
    }
}
