//! Phrases: what an agent prints when it is done. They must be printable, and must come through the reading of a pane.

use super::values::Wrong;
use crate::engine::words::AgentName;
use unicode_width::UnicodeWidthStr;

/// A phrase, a space and a token stand on one row of the narrowest window that is allowed.
pub(super) const CELLS_MAX: usize = 60;

/// Signs that are dropped around a line when a pane is read: bullets, quotes, code marks, full stops.
const DROPPED: [char; 10] = ['●', '•', '✦', '⏺', '`', '*', '。', '.', '「', '」'];

/// The phrase of an agent that was given none: `code_reader` says `CODE READER OK`.
pub(super) fn default_phrase(name: &AgentName) -> String {
    format!("{} OK", name.as_str().to_uppercase().replace(['_', '-'], " ").trim())
}

/// The phrase as it will be looked for.
pub(super) fn check(text: &str) -> Result<String, Wrong> {
    let wrong = |why: String, cure: &str| Err(Wrong { why, cure: cure.into() });
    let phrase = text.trim();
    if phrase.is_empty() {
        return wrong(
            "the phrase is empty".into(),
            "write a few words that the agent prints when it is done, like `CODING OK`",
        );
    }
    if let Some(c) = phrase.chars().find(|c| c.is_control() || unseen(*c)) {
        let why = format!("the phrase has a character that nobody can see ({})", c.escape_unicode());
        return wrong(why, "use printable characters and single spaces");
    }
    if let Some(c) = phrase.chars().next().filter(|c| DROPPED.contains(c)) {
        return wrong(
            format!("the phrase begins with `{c}`, which is dropped when a pane is read"),
            "begin it with a word",
        );
    }
    if phrase.width() > CELLS_MAX {
        let why = format!("the phrase is {} cells wide", phrase.width());
        return wrong(why, "use at most 60 cells, so that it fits on one row together with a token");
    }
    Ok(phrase.into())
}

/// Zero-width, direction and tag characters. The joiner of emoji is seen by what it joins.
fn unseen(c: char) -> bool {
    let joins = c == '\u{200d}' || ('\u{fe00}'..='\u{fe0f}').contains(&c);
    !joins
        && matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_is_made_of_the_name() {
        for (name, phrase) in [("grand_boss", "GRAND BOSS OK"), ("a-b_c", "A B C OK"), ("0_", "0 OK")] {
            assert_eq!(default_phrase(&AgentName::new(name).unwrap()), phrase);
        }
    }

    #[test]
    fn a_phrase_can_be_in_any_language_and_must_be_seen() {
        for good in ["CODING OK", "できました", "完了 ✅", "👩‍💻 done", " spaced ", "a「b」"]
        {
            assert_eq!(check(good).as_deref(), Ok(good.trim()), "{good}");
        }
        for bad in [
            "",
            "  ",
            "a\nb",
            "a\u{1b}b",
            "a\u{200b}",
            "\u{feff}a",
            "「完了」",
            "● done",
            "*",
            "`x`",
            &"あ".repeat(31),
        ] {
            assert!(check(bad).is_err(), "{bad:?}");
        }
    }
}
