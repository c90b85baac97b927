//! What stays of a text that a program animates: without its spinner, and with its times apart.

use std::str::FromStr as _;

/// How much a time on the screen may change from one look to the next, in seconds. A command that sleeps for a minute longer
/// is another command.
const TIMES_APART_MAX: f64 = 60.0;
/// Takes the place of a time.
const TIME: char = '⏱';

/// A text without what a program animates in it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Steady {
    text: String,
    /// Its times, in seconds.
    times: Vec<f64>,
}

/// Whether two looks may have seen one text, whatever its program animates in it.
#[must_use]
pub fn is_like(a: &str, b: &str) -> bool {
    a == b || Steady::of(a).is_like(&Steady::of(b))
}

impl Steady {
    /// Reads a text of one line or more.
    pub(super) fn of(text: &str) -> Self {
        let mut steady = Self { text: String::new(), times: Vec::new() };
        for line in text.split('\n') {
            steady.add(line);
            steady.text.push('\n');
        }
        steady
    }

    /// Whether two looks may have seen one text.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= TIMES_APART_MAX;
        self.text == other.text
            && self.times.len() == other.times.len()
            && self.times.iter().zip(&other.times).all(near)
    }

    fn add(&mut self, line: &str) {
        let still = line.chars().filter(|c| !is_spinner(*c)).collect::<String>();
        let words: Vec<&str> = still.trim_end_matches(['.', '…', ' ']).split_whitespace().collect();
        let first = words.iter().take_while(|word| is_spinning(word)).count();
        let mut words = words[first.min(1)..].iter().peekable();
        while let Some(word) = words.next() {
            let next = words.peek().copied().copied().unwrap_or_default();
            match time_in(word, next) {
                Some((time, takes_next)) => {
                    self.times.push(time.seconds);
                    self.text.push_str(time.before);
                    self.text.push(TIME);
                    let rest = if takes_next {
                        words.next().map_or("", |unit| after_unit(unit))
                    } else {
                        time.after
                    };
                    self.text.push_str(rest);
                }
                // Dots come and go.
                None => self.text.push_str(
                    Some(word.trim_end_matches(['.', '…'])).filter(|bare| !bare.is_empty()).unwrap_or(word),
                ),
            }
            self.text.push(' ');
        }
    }
}

/// A time in a word, and what is around it.
struct Time<'a> {
    before: &'a str,
    seconds: f64,
    after: &'a str,
}

/// The time in a word, and whether its unit is the next one: `5s`, `(1m`, `04:59`, `45%`, `5 seconds`.
fn time_in<'a>(word: &'a str, next: &str) -> Option<(Time<'a>, bool)> {
    let start = word.find(|c: char| c.is_ascii_digit())?;
    let (before, rest) = word.split_at(start);
    if before.chars().any(char::is_alphanumeric) {
        return None;
    }
    let end = rest.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ':')).unwrap_or(rest.len());
    let (digits, after) = rest.split_at(end);
    let unit_end = after.find(|c: char| !c.is_alphabetic() && c != '%').unwrap_or(after.len());
    let (unit, after) = after.split_at(unit_end);
    if after.chars().any(char::is_alphanumeric) {
        return None;
    }
    let time = |seconds| Time { before, seconds, after };
    if let Some(seconds) = clock(digits).filter(|_| unit.is_empty()) {
        return Some((time(seconds), false));
    }
    let number = f64::from_str(digits).ok()?;
    if let Some(factor) = factor(unit) {
        return Some((time(number * factor), false));
    }
    let word_end = next.find(|c: char| !c.is_alphabetic()).unwrap_or(next.len());
    let factor = factor(&next[..word_end]).filter(|_| unit.is_empty() && after.is_empty() && word_end > 0)?;
    Some((time(number * factor), true))
}

/// What is behind the unit in its word.
fn after_unit(word: &str) -> &str {
    let end = word.find(|c: char| !c.is_alphabetic()).unwrap_or(word.len());
    &word[end..]
}

/// `4:59` or `1:04:59`, in seconds.
fn clock(digits: &str) -> Option<f64> {
    let parts: Vec<f64> = digits.split(':').map(|part| f64::from_str(part).ok()).collect::<Option<_>>()?;
    (2..=3).contains(&parts.len()).then(|| parts.iter().fold(0.0, |sum, part| sum * 60.0 + part))
}

/// Seconds of a unit; a percentage counts for nothing.
fn factor(unit: &str) -> Option<f64> {
    match unit.to_ascii_lowercase().as_str() {
        "%" => Some(0.0),
        "ms" => Some(0.001),
        "s" | "sec" | "secs" | "second" | "seconds" => Some(1.0),
        "m" | "min" | "mins" | "minute" | "minutes" => Some(60.0),
        _ => None,
    }
}

/// What only ever turns: the patterns of Braille, and the stars of some programs.
fn is_spinner(c: char) -> bool {
    matches!(c, '\u{2800}'..='\u{28FF}' | '✢' | '✳' | '✶' | '✻' | '✽' | '∗' | '◐' | '◓' | '◑' | '◒' | '◴'..='◷')
}

/// Whether a first word may be one that turns.
fn is_spinning(word: &str) -> bool {
    matches!(word, "|" | "/" | "-" | "\\" | "*" | "·" | "." | ".." | "..." | "…")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn are_like(a: &str, b: &str) -> bool {
        Steady::of(a).is_like(&Steady::of(b))
    }

    #[test]
    fn what_a_program_animates_makes_no_other_text() {
        for (a, b) in [
            ("⠋ Waiting for auth... (5s elapsed)", "⠹ Waiting for auth. (7s elapsed)"),
            ("Code expires in 04:59", "Code expires in 04:31"),
            ("· Allow? (1m 59s)", "✻ Allow? (2m 0s)"),
            ("| Waits 5 seconds.\nGo on?", "/ Waits 6 seconds.\nGo on?"),
            ("Loading 45% …", "Loading 99% ..."),
            ("[29s] No is chosen in 29s", "[2s] No is chosen in 2s"),
            ("It waits..", "It waits"),
        ] {
            assert!(are_like(a, b), "{a} | {b}");
        }
    }

    #[test]
    fn what_is_asked_for_is_kept() {
        for (a, b) in [
            ("rm file1", "rm file2"),
            ("rm 1", "rm 2"),
            ("sleep 5s", "sleep 900s"),
            ("kill -9 4000", "kill -9 4001"),
            ("at 5sx", "at 6sx"),
            ("v1.2", "v1.3"),
            ("1. Yes", "2. Yes"),
            ("a\nb", "a b"),
            ("- 5 files", "- 6 files"),
            ("日本 5", "日本 6"),
        ] {
            assert!(!are_like(a, b), "{a} | {b}");
        }
    }
}
