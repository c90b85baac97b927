//! Lines of a history.

use crate::engine::words::Millis;
use crate::wire::clean::turns_text;
use crate::wire::time::rfc3339_ms;
use std::collections::HashMap;

/// The last lines of a history, and how often each is there.
#[derive(Debug, Default)]
pub struct LastLines(pub(super) HashMap<String, usize>);

impl LastLines {
    /// Takes one line out that tells this; false if there is none any more.
    pub fn take(&mut self, at: Millis, text: &str) -> bool {
        let left = self.0.get_mut(one_line(&line(at, text)).trim_end_matches('\n'));
        left.filter(|left| **left > 0).map(|left| *left -= 1).is_some()
    }
}

/// A line of a history.
#[must_use]
pub fn line(at: Millis, text: &str) -> String {
    format!("{} {text}", rfc3339_ms(at))
}

pub(super) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len() + 1);
    for c in text.chars() {
        if c.is_control() || turns_text(c) || matches!(c, '\u{200b}' | '\u{2028}' | '\u{2029}' | '\u{feff}') {
            line.extend(c.escape_debug())
        } else {
            line.push(c)
        }
    }
    line.push('\n');
    line
}
