//! The patterns of all profiles together: how many there may be, and what they may take.

use crate::engine::screen::reading::{Pattern, PatternError};
use crate::wire::team_file::finding::{Book, Place, Spent};
use crate::wire::team_file::values::At;

/// Patterns of all profiles that are not built in: the built-in ones have 445 together.
const PATTERNS_MAX: usize = 2_000;
/// Bytes that these may take together: the built-in ones take 2 MB.
const PATTERNS_BYTES_MAX: usize = 64 << 20;

pub(in crate::wire) fn patterns(texts: Option<&[At<String>]>, book: &mut Book) -> Vec<Pattern> {
    texts.unwrap_or_default().iter().filter_map(|text| pattern(text, book)).collect()
}

/// A pattern, unless there are too many: that is told at the first of them, and none is made any more.
pub(in crate::wire) fn pattern(text: &At<String>, book: &mut Book) -> Option<Pattern> {
    if book.is_built_in {
        return Some(Pattern::built_in(&text.value));
    }
    if is_over(book.spent) {
        return None;
    }
    match Pattern::new(&text.value) {
        Ok(pattern) => {
            book.spent.patterns += 1;
            book.spent.bytes += pattern.room();
            if is_over(book.spent) {
                let mib = PATTERNS_BYTES_MAX >> 20;
                let why = format!(
                    "the patterns up to here are more than {PATTERNS_MAX}, or take more than {mib} MiB"
                );
                let cure = "write fewer, or shorter ones: `\\w{9}` takes more than `[a-z]{9}`";
                book.wrong(text.place, why, cure);
            }
            Some(pattern)
        }
        Err(error) => {
            bad_pattern(&error, text.place, book);
            None
        }
    }
}

fn bad_pattern(error: &PatternError, place: Place, book: &mut Book) {
    if error.is_too_large {
        // To find that out takes as long as to make one.
        book.spent.bytes += Pattern::ROOM_MAX;
        let why = format!("this pattern is too large: {error}");
        let cure = "write several shorter ones, `[a-z]` in place of `\\w`, and smaller numbers in `{}`";
        return book.wrong(place, why, cure);
    }
    let why = format!("this is not a regular expression: {error}");
    let cure =
        "put it in single quotes, and a backslash before each of . ( ) [ ] { } ? * + ^ $ | meant as itself";
    book.wrong(place, why, cure);
}

fn is_over(spent: Spent) -> bool {
    spent.patterns > PATTERNS_MAX || spent.bytes > PATTERNS_BYTES_MAX
}
