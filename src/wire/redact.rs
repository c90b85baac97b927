//! What may be shown and kept of a screen: without the values that the agent's environment holds under names of secrets, and
//! without what looks like one. Each character that is hidden becomes a `*`, so that rows keep their columns.

use crate::wire::clean::Cleaner;
use std::collections::HashSet;
use std::ops::Range;
use unicode_width::UnicodeWidthChar as _;

/// Bytes of a value that are enough to know it by: a screen may show a part of it alone, and shorter texts are words.
pub const PIECE: usize = 8;
/// Bytes of a value that are looked at. A longer one is a file.
const VALUE_BYTES_MAX: usize = 4_096;
/// Blanks between a text that is wrapped in a box and its right border.
const PADDING_MAX: usize = 2;
/// Columns that a program leaves free at the right of a text that it wraps itself.
const MARGIN_MAX: usize = 4;
/// Lengths of the rows of a key in PEM: of OpenSSL, of OpenSSH, of MIME.
const PEM_ROWS: [usize; 3] = [64, 70, 76];

/// Whether a variable of this name holds a secret.
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    const ANYWHERE: [&str; 7] =
        ["TOKEN", "SECRET", "PASSW", "PASSPHRASE", "CREDENTIAL", "APIKEY", "PRIVATEKEY"];
    const NO_SECRET: [&str; 4] = ["SOCK", "FILE", "PATH", "DIR"];
    // Of what is merely about keys or the way to log in.
    const SETTING: [&str; 8] = ["URL", "URI", "HOST", "PORT", "METHOD", "TYPE", "MODE", "NAME"];
    let name = name.to_ascii_uppercase();
    let last = name.rsplit(['_', '-', '.']).next().unwrap_or_default();
    if NO_SECRET.contains(&last) {
        return false;
    }
    let is_key = |part: &str| part.ends_with("KEY") || part.ends_with("KEYS") || part.ends_with("AUTH");
    let is_word = |part: &str| matches!(part, "PASS" | "PAT" | "PWD" | "PGPASS" | "CREDS" | "COOKIE" | "DSN");
    let mut parts = name.split(['_', '-', '.']);
    let is_own_folder = matches!(name.as_str(), "PWD" | "OLDPWD");
    ANYWHERE.iter().any(|word| name.contains(word))
        || parts.clone().any(is_word) && !is_own_folder
        || parts.any(is_key) && !SETTING.contains(&last)
}

/// Knows the secrets of one agent by their values.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    /// Each run of as many bytes as are enough, of all values without their blanks.
    pieces: HashSet<[u8; PIECE]>,
}

/// Where a byte of a text without blanks and borders is: its row, and the place of its character there.
type Place = (usize, usize);

impl Redactor {
    /// One that knows the secrets among these variables. The path of a key is no key, and is in many other paths:
    /// `is_there` says whether something is at a path.
    pub fn new<'a>(
        variables: impl IntoIterator<Item = (&'a str, &'a str)>,
        is_there: impl Fn(&str) -> bool,
    ) -> Self {
        let mut redactor = Self::default();
        let is_path = |value: &str| value.starts_with('/') && is_there(value);
        let secrets = variables.into_iter().filter(|(name, value)| is_secret_name(name) && !is_path(value));
        secrets.for_each(|(_, value)| redactor.learn(value));
        redactor
    }

    /// Learns one more value.
    pub fn learn(&mut self, value: &str) {
        let value = value.split_once("://").map_or(value, |(_, rest)| rest);
        let bytes: Vec<u8> = value.chars().filter(|c| is_ink(*c)).collect::<String>().into_bytes();
        let known = bytes.iter().take(VALUE_BYTES_MAX).copied().collect::<Vec<u8>>();
        let pieces = known.windows(PIECE).filter_map(|piece| <[u8; PIECE]>::try_from(piece).ok());
        // A ruler is no secret.
        self.pieces.extend(pieces.filter(|piece| piece.iter().any(|byte| *byte != piece[0])));
    }

    /// A text without the values that are known.
    #[must_use]
    pub fn known(&self, text: &str) -> String {
        let rows: Vec<&str> = text.split('\n').collect();
        let mut hidden = Hidden::none(&rows);
        self.hide_known(&rows, &mut hidden);
        hidden.rows(&rows).join("\n")
    }

    /// A text without secrets.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        let rows: Vec<&str> = text.split('\n').collect();
        self.rows(&rows, usize::MAX).join("\n")
    }

    /// The rows of a screen of this width without secrets, which may be wrapped over several of them.
    #[must_use]
    pub fn rows(&self, rows: &[&str], width: usize) -> Vec<String> {
        self.hidden(rows, width).rows(rows)
    }

    /// The same of rows in runs. A secret may begin in one run and end in another.
    #[must_use]
    pub fn runs(&self, rows: &[Vec<&str>], width: usize) -> Vec<Vec<String>> {
        let whole: Vec<String> = rows.iter().map(|runs| runs.concat()).collect();
        let whole: Vec<&str> = whole.iter().map(String::as_str).collect();
        let hidden = self.hidden(&whole, width);
        let shown_runs = |(runs, hidden): (&Vec<&str>, &Vec<bool>)| {
            let mut at = 0;
            let shown_run = |run: &&str| {
                let rest = hidden.get(at..).unwrap_or_default();
                at += run.len();
                shown(run, rest)
            };
            runs.iter().map(shown_run).collect()
        };
        rows.iter().zip(&hidden.0).map(shown_runs).collect()
    }

    fn hidden(&self, rows: &[&str], width: usize) -> Hidden {
        let mut hidden = Hidden::none(rows);
        self.hide_known(rows, &mut hidden);
        hide_shaped(rows, width, &mut hidden);
        for (at, row) in rows.iter().enumerate().filter(|(_, row)| is_pem(row.trim_matches(is_blank))) {
            hidden.hide(at, 0..row.len());
        }
        hidden
    }

    fn hide_known(&self, rows: &[&str], hidden: &mut Hidden) {
        if self.pieces.is_empty() {
            return;
        }
        let (mut bytes, mut places): (Vec<u8>, Vec<Place>) = Default::default();
        for (at, row) in rows.iter().enumerate() {
            for (start, c) in row.char_indices().filter(|(_, c)| is_ink(*c)) {
                let mut buffer = [0; 4];
                bytes.extend(c.encode_utf8(&mut buffer).bytes());
                places.resize(bytes.len(), (at, start));
            }
        }
        for (piece, places) in bytes.windows(PIECE).zip(places.windows(PIECE)) {
            if <[u8; PIECE]>::try_from(piece).is_ok_and(|piece| self.pieces.contains(&piece)) {
                places.iter().for_each(|(row, start)| hidden.hide(*row, *start..start + 1));
            }
        }
    }
}

/// Hides what looks like a secret. A row that reaches the right end goes on in the next one.
fn hide_shaped(rows: &[&str], width: usize, hidden: &mut Hidden) {
    let Ok(cleaner) = Cleaner::shared() else { return };
    let (mut text, mut places): (String, Vec<Place>) = Default::default();
    for (at, row) in rows.iter().enumerate() {
        let inner = row.trim_matches(is_blank);
        let start = row.len() - row.trim_start_matches(is_blank).len();
        places.extend((0..inner.len()).map(|offset| (at, start + offset)));
        text.push_str(inner);
        if !goes_on(row, width) {
            text.push('\n');
            places.push((at, row.len()));
        }
    }
    for span in cleaner.secrets(&text) {
        for (row, start) in places.get(span).unwrap_or_default() {
            hidden.hide(*row, *start..start + 1);
        }
    }
}

/// Whether a row is so full that its last word may go on in the next one.
fn goes_on(row: &str, width: usize) -> bool {
    let row = row.trim_end();
    let inner = row.trim_end_matches(is_border);
    if inner.len() < row.len() {
        let padding = inner.len() - inner.trim_end().len();
        return !inner.trim().is_empty() && padding <= PADDING_MAX;
    }
    let columns: usize = row.chars().filter_map(char::width).sum();
    columns > 0 && columns.saturating_add(MARGIN_MAX) >= width
}

/// Whether a row is one of a key that is written as PEM.
fn is_pem(row: &str) -> bool {
    let has = |is: fn(&u8) -> bool| row.as_bytes().iter().any(is);
    PEM_ROWS.contains(&row.len())
        && row.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit)
}

fn is_border(c: char) -> bool {
    ('\u{2500}'..='\u{259F}').contains(&c)
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || is_border(c)
}

fn is_ink(c: char) -> bool {
    !is_blank(c)
}

/// What is hidden of some rows, byte by byte.
struct Hidden(Vec<Vec<bool>>);

impl Hidden {
    fn none(rows: &[&str]) -> Self {
        Self(vec![Vec::new(); rows.len()])
    }

    fn hide(&mut self, row: usize, bytes: Range<usize>) {
        let Some(hidden) = self.0.get_mut(row) else { return };
        if hidden.len() < bytes.end {
            hidden.resize(bytes.end, false);
        }
        hidden[bytes].fill(true);
    }

    /// The rows with a `*` in the place of each column that is hidden.
    fn rows(&self, rows: &[&str]) -> Vec<String> {
        rows.iter().zip(&self.0).map(|(row, hidden)| shown(row, hidden)).collect()
    }
}

/// A text with a `*` in the place of each column that is hidden.
fn shown(text: &str, hidden: &[bool]) -> String {
    let mut shown = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        if hidden.get(at) == Some(&true) && is_ink(c) {
            shown.extend(std::iter::repeat_n('*', c.width().unwrap_or(1)));
        } else {
            shown.push(c);
        }
    }
    shown
}

#[cfg(test)]
mod tests;
