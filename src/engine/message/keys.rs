//! The keys that a message may have, and what is meant by one that it may not.

use crate::engine::suggest::{is_within, nearest};

/// Keys that a drop may have, each with a meaning.
pub const KEYS: [&str; 18] = [
    "id",
    "from",
    "to",
    "type",
    "status",
    "content",
    "timestamp",
    "in_reply_to",
    "parent",
    "retry_of",
    "token",
    "depends_on",
    "priority",
    "timeout",
    "deadline",
    "on_doubt",
    EXPECT,
    "metadata",
];
/// The key that says what is checked before a task is done.
const EXPECT: &str = "expect";
/// Keys that every message has: none that is kept beside them is one of these misspelt.
const ALWAYS: [&str; 2] = ["to", "content"];

/// The key that may be meant by one that has no meaning.
#[must_use]
pub fn meant(key: &str) -> Option<&'static str> {
    let known = KEYS.into_iter().filter(|known| !ALWAYS.contains(known));
    nearest(&folded(key), known)
}

/// A key as it reads: in small letters of ASCII, where it has those of full width, which an input method for Japanese may leave.
#[must_use]
pub fn folded(key: &str) -> String {
    // Both run through the printing letters of ASCII in the same order.
    let narrow = |c: char| match c {
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(c) - 0xFEE0).unwrap_or(c),
        '\u{3000}' => ' ',
        other => other,
    };
    key.chars().map(narrow).collect::<String>().trim().to_lowercase()
}

/// Whether a key is `expect` to whoever reads it, but for a letter, its case or its ending: a task with it is believed to be checked.
#[must_use]
pub fn reads_as_expect(key: &str) -> bool {
    let read = folded(key);
    key != EXPECT && (is_within(&read, EXPECT, 1) || read.starts_with(EXPECT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_meant_or_is_somebodys_own() {
        assert_eq!(meant("prioritiy"), Some("priority"));
        assert_eq!(meant("Timeout"), Some("timeout"));
        assert_eq!(meant("in_reply"), Some("in_reply_to"));
        for own in ["colour", "context", "襷", ""] {
            assert_eq!(meant(own), None, "{own}");
        }
        for wrong in
            ["Expect", "expects", "expcet", "EXPECTED", "expec", "expect_", "ｅｘｐｅｃｔ", "Ｅxpects"]
        {
            assert!(reads_as_expect(wrong), "{wrong}");
        }
        for own in ["expect", "except", "export", "respect", "expires"] {
            assert!(!reads_as_expect(own), "{own}");
        }
    }
}
