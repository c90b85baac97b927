//! Phrases: what an agent prints when it is done. What a pane can be searched for is the marker's to say; here it must be
//! something that a person can see, too.

use super::values::Wrong;
use crate::engine::screen::marker::check_phrase;

pub(super) use crate::engine::team::roster::default_phrase;

/// The phrase as it will be looked for.
pub(super) fn check(text: &str) -> Result<String, Wrong> {
    let phrase = text.trim();
    check_phrase(phrase).map_err(|bad| Wrong::of(&bad))?;
    match phrase.chars().find(|c| is_unseen(*c)) {
        None => Ok(phrase.into()),
        Some(c) => Err(Wrong {
            why: format!("the phrase has an invisible character ({})", c.escape_unicode()),
            cure: "type it again, letter by letter".into(),
        }),
    }
}

/// Zero-width, direction and tag characters. What joins the parts of an emoji is seen by what it joins.
fn is_unseen(c: char) -> bool {
    let joins = c == '\u{200d}';
    let unseen =
        matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}');
    !joins && (unseen || matches!(c, '\u{feff}' | '\u{e0000}'..='\u{e007f}'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::words::AgentName;

    #[test]
    fn a_phrase_is_made_of_the_name() {
        for (name, phrase) in [("grand_boss", "GRAND BOSS OK"), ("a-b_c", "A B C OK"), ("0_", "0 OK")] {
            assert_eq!(default_phrase(&AgentName::new(name).unwrap()), phrase);
        }
    }

    #[test]
    fn a_phrase_of_the_longest_name_can_be_used() {
        let name = AgentName::new(&"x".repeat(64)).unwrap();
        assert!(check(&default_phrase(&name)).is_ok());
    }

    #[test]
    fn a_phrase_can_be_in_any_language_and_must_be_seen() {
        for good in ["CODING OK", "できました", "完了 ✅", "👩‍💻 done", " spaced ", "「完了」"]
        {
            assert_eq!(check(good).as_deref(), Ok(good.trim()), "{good}");
        }
        for bad in ["", "  ", "a\nb", "a\u{1b}b", "a\u{200b}", "\u{feff}a", "●", "my token", &"あ".repeat(34)]
        {
            assert!(check(bad).is_err(), "{bad:?}");
        }
    }
}
