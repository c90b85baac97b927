//! A row of a terminal with its colours, as runs of one style: nothing of it is left that a terminal would obey.

use crate::wire::api::RunInfo;
use unicode_width::UnicodeWidthChar;

/// How characters are drawn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Look {
    fg: Option<String>,
    bg: Option<String>,
    style: [bool; STYLES.len()],
}

/// Styles, each with the codes that set it and take it away (ECMA-48, SGR).
const STYLES: [(&str, u16, u16); 6] = [
    ("bold", 1, 22),
    ("dim", 2, 22),
    ("italic", 3, 23),
    ("underline", 4, 24),
    ("inverse", 7, 27),
    ("strike", 9, 29),
];

/// Reads rows of one capture, the first of them first: what is set at the end of a row is set at the beginning of the next.
#[must_use]
pub fn runs_of<'a>(rows: impl IntoIterator<Item = &'a str>) -> Vec<Vec<RunInfo>> {
    let mut look = Look::default();
    rows.into_iter().map(|row| runs(row, &mut look)).collect()
}

fn runs(row: &str, look: &mut Look) -> Vec<RunInfo> {
    let (mut runs, mut rest): (Vec<(RunInfo, bool)>, &str) = (Vec::new(), row);
    while let Some(c) = rest.chars().next() {
        if let Some((codes, behind)) = sequence(rest) {
            if let Some(codes) = codes {
                look.change(codes);
            }
            rest = behind;
            continue;
        }
        rest = &rest[c.len_utf8()..];
        let (c, columns) = shown(c);
        // What has no columns of its own belongs to what is before it.
        let is_wide = columns > 1;
        let goes_on =
            runs.last().is_some_and(|(run, wide)| columns == 0 || (*wide == is_wide && look.is_of(run)));
        if !goes_on {
            runs.push((look.run(), is_wide));
        }
        if let Some((run, _)) = runs.last_mut() {
            run.text.push(c);
            run.columns = run.columns.saturating_add(columns);
        }
    }
    let mut runs: Vec<RunInfo> = runs.into_iter().map(|(run, _)| run).collect();
    while runs
        .last()
        .is_some_and(|run| run.text.trim_end().is_empty() && run.bg.is_none() && run.style.is_empty())
    {
        runs.pop();
    }
    runs
}

/// A character and its columns; one that a terminal would obey is shown as a picture of it.
fn shown(c: char) -> (char, u16) {
    let picture = match u32::from(c) {
        code @ 0..=0x1F => char::from_u32(0x2400 + code),
        0x7F => Some('␡'),
        0x80..=0x9F => Some('\u{FFFD}'),
        _ => None,
    };
    match picture {
        Some(picture) => (picture, 1),
        None => (c, c.width().and_then(|width| u16::try_from(width).ok()).unwrap_or(0)),
    }
}

/// What is behind an escape sequence, and its codes if it sets a style.
fn sequence(text: &str) -> Option<(Option<&str>, &str)> {
    if let Some(rest) = text.strip_prefix("\u{1B}[") {
        let end = rest.find(|c: char| matches!(c, '@'..='~'))?;
        let codes = rest[end..].starts_with('m').then_some(&rest[..end]);
        return Some((codes, &rest[end + 1..]));
    }
    if let Some(rest) = text.strip_prefix("\u{1B}]") {
        // A link: its end is a bell or a string terminator.
        let (end, len) = match (rest.find('\u{7}'), rest.find("\u{1B}\\")) {
            (Some(bell), Some(st)) if st < bell => (st, 2),
            (Some(bell), _) => (bell, 1),
            (None, Some(st)) => (st, 2),
            (None, None) => return None,
        };
        return Some((None, &rest[end + len..]));
    }
    None
}

impl Look {
    fn change(&mut self, codes: &str) {
        let mut codes = codes.split(';');
        while let Some(code) = codes.next() {
            // `4:3` is a kind of underline, `4:0` is none; `38:2::1:2:3` is a colour in one part.
            let parts: Vec<&str> = code.split(':').collect();
            let number: u16 = parts.first().and_then(|part| part.parse().ok()).unwrap_or(0);
            match number {
                0 => *self = Self::default(),
                38 | 48 => {
                    let given: Vec<&str> = match parts.len() {
                        1 => given(&mut codes),
                        _ => parts[1..].iter().copied().filter(|part| !part.is_empty()).collect(),
                    };
                    *self.ground(number == 38) = colour(&given);
                }
                39 | 49 => *self.ground(number == 39) = None,
                30..=37 => self.fg = Some((number - 30).to_string()),
                90..=97 => self.fg = Some((number - 90 + 8).to_string()),
                40..=47 => self.bg = Some((number - 40).to_string()),
                100..=107 => self.bg = Some((number - 100 + 8).to_string()),
                _ => self.set(number, parts.get(1) == Some(&"0")),
            }
        }
    }

    fn set(&mut self, code: u16, is_off: bool) {
        for (set, (_, on, off)) in self.style.iter_mut().zip(STYLES) {
            if code == on {
                *set = !is_off;
            } else if code == off {
                *set = false;
            }
        }
    }

    fn ground(&mut self, of_text: bool) -> &mut Option<String> {
        if of_text { &mut self.fg } else { &mut self.bg }
    }

    fn words(&self) -> impl Iterator<Item = &'static str> {
        self.style.iter().zip(STYLES).filter(|(set, _)| **set).map(|(_, (word, ..))| word)
    }

    fn run(&self) -> RunInfo {
        let style = self.words().map(str::to_owned).collect();
        RunInfo { fg: self.fg.clone(), bg: self.bg.clone(), style, ..RunInfo::default() }
    }

    fn is_of(&self, run: &RunInfo) -> bool {
        run.fg == self.fg && run.bg == self.bg && self.words().eq(run.style.iter().map(String::as_str))
    }
}

/// The parts of a colour that stand apart: `5;N` or `2;R;G;B`.
fn given<'a>(codes: &mut std::str::Split<'a, char>) -> Vec<&'a str> {
    let kind = codes.next().unwrap_or_default();
    let numbers = if kind == "2" { 3 } else { 1 };
    std::iter::once(kind).chain(codes.by_ref().take(numbers)).collect()
}

/// A colour: one of the sixteen by its number, any other by its parts.
fn colour(given: &[&str]) -> Option<String> {
    let numbers: Vec<u8> = given.iter().skip(1).filter_map(|part| part.parse().ok()).collect();
    match (given.first().copied(), numbers.as_slice()) {
        (Some("5"), [number @ 0..=15, ..]) => Some(number.to_string()),
        // A cube of 6 × 6 × 6 colours, and 24 greys (xterm's palette).
        (Some("5"), [number @ 16..=231, ..]) => {
            let level = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
            let cube = number - 16;
            Some(hex(level(cube / 36), level(cube / 6 % 6), level(cube % 6)))
        }
        (Some("5"), [number, ..]) => {
            let grey = 8 + 10 * (number - 232);
            Some(hex(grey, grey, grey))
        }
        (Some("2"), [red, green, blue, ..]) => Some(hex(*red, *green, *blue)),
        _ => None,
    }
}

fn hex(red: u8, green: u8, blue: u8) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(row: &str) -> Vec<String> {
        let runs = runs_of([row]).remove(0);
        let word = |run: &RunInfo| {
            let colours = [&run.fg, &run.bg].map(|colour| colour.as_deref().unwrap_or("-").to_owned());
            format!("{}|{}|{}|{}", run.text, run.columns, colours.join("|"), run.style.join(","))
        };
        runs.iter().map(word).collect()
    }

    #[test]
    fn colours_and_styles_are_those_of_the_sequences() {
        assert_eq!(
            told("a\u{1B}[1;31mb\u{1B}[22mc\u{1B}[0md"),
            ["a|1|-|-|", "b|1|1|-|bold", "c|1|1|-|", "d|1|-|-|"]
        );
        assert_eq!(told("\u{1B}[38;5;9;48;5;16mx"), ["x|1|9|#000000|"]);
        assert_eq!(told("\u{1B}[38;2;1;2;255mx\u{1B}[39my"), ["x|1|#0102ff|-|", "y|1|-|-|"]);
        assert_eq!(told("\u{1B}[38:2::1:2:255mx"), ["x|1|#0102ff|-|"]);
        assert_eq!(
            told("\u{1B}[4:3;7;9mx\u{1B}[4:0my"),
            ["x|1|-|-|underline,inverse,strike", "y|1|-|-|inverse,strike"]
        );
        assert_eq!(told("\u{1B}[97;107mx"), ["x|1|15|15|"]);
        assert_eq!(told("\u{1B}[38;5;255mx"), ["x|1|#eeeeee|-|"]);
    }

    #[test]
    fn wide_characters_are_runs_of_their_own_and_marks_stay_with_their_letters() {
        assert_eq!(told("a日本e\u{301}🎌"), ["a|1|-|-|", "日本|4|-|-|", "e\u{301}|1|-|-|", "🎌|2|-|-|"]);
    }

    #[test]
    fn nothing_is_left_that_a_terminal_would_obey() {
        assert_eq!(
            told("a\u{7}b\u{9b}2J\u{1B}]8;;http://x\u{1B}\\link\u{1B}]8;;\u{7}"),
            ["a␇b\u{FFFD}2Jlink|10|-|-|"]
        );
        assert_eq!(told("\u{1B}[2J\u{1B}[Hx \u{1B}P"), ["x ␛P|4|-|-|"]);
        assert_eq!(told("x   "), ["x   |4|-|-|"]);
        assert_eq!(told("   \u{1B}[0m  "), [""; 0]);
    }

    #[test]
    fn what_is_set_at_the_end_of_a_row_is_set_at_the_beginning_of_the_next() {
        let rows = runs_of(["\u{1B}[32ma", "b\u{1B}[0m", "c"]);
        let colours: Vec<_> = rows.iter().map(|row| row[0].fg.as_deref()).collect();
        assert_eq!(colours, [Some("2"), Some("2"), None]);
    }
}
