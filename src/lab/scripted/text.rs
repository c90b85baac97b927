//! Texts: what the placeholders stand for, how many columns a text takes, and where it is broken. Pure.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::claim::Phrase;
use super::turn::{Task, Turn};
use crate::engine::words::{MessageId, counted};
use crate::wire::message::draft::CONTENT_BYTES_MAX;
use sha2::{Digest as _, Sha256};

/// Longest id of a message in bytes (protocol, a message).
const ID_BYTES_MAX: usize = 64;
/// What is where a content was cut.
const CUT: &str = "\n(cut: it was longer than a message may be)";
/// Characters of a first line that the default answer and `{headline}` show.
const SHOWN_CHARS: usize = 60;

/// What the placeholders of a script's texts stand for in one turn.
#[derive(Debug)]
pub(super) struct Words<'a> {
    pub(super) phrase: &'a Phrase,
    pub(super) turn: &'a Turn,
    pub(super) task: &'a Task,
    /// The number of the turn since the start, from 1; 0 before the first.
    pub(super) number: u32,
}

impl Words<'_> {
    /// `text` with its placeholders filled in, and never a claim.
    pub(super) fn fill(&self, text: &str) -> String {
        self.fill_with(text, self.number)
    }

    /// The same, with `n` for `{n}`.
    pub(super) fn fill_with(&self, text: &str, n: u32) -> String {
        self.phrase.keep_from_claiming(&self.fill_openly(text, n), self.turn.token.as_ref())
    }

    /// The same, whatever comes of it.
    pub(super) fn fill_openly(&self, text: &str, n: u32) -> String {
        fill_in(text, |name| self.value(name, n))
    }

    /// What the agent says without a script, or where no rule fits.
    pub(super) fn default_answer(&self) -> String {
        let id = self.turn.id.as_ref().map_or("this line", MessageId::as_str);
        let content = self.task.content.trim_end();
        let lines = counted(content.lines().count(), "line");
        let chars = counted(content.chars().count(), "character");
        let first = shorten(first_line(content), SHOWN_CHARS);
        let answer = match self.task.answers.len() {
            0 => format!("{id} has {lines}, {chars}: {first}"),
            answers => format!("{id} has {}, {lines}, {chars}: {first}", counted(answers, "answer")),
        };
        self.phrase.keep_from_claiming(&answer, self.turn.token.as_ref())
    }

    /// What a placeholder stands for; none if there is no such placeholder.
    fn value(&self, name: &str, n: u32) -> Option<String> {
        Some(match name {
            "id" => self.turn.id.as_ref().map(ToString::to_string).unwrap_or_default(),
            "from" => self.from(),
            "token" => self.turn.token.as_ref().map(ToString::to_string).unwrap_or_default(),
            "content" => self.task.content.trim_end().to_owned(),
            "first_line" => first_line(&self.task.content).to_owned(),
            "headline" => shorten(first_line(&self.task.content), SHOWN_CHARS),
            "report" => self.task.report.join("\n"),
            "answers" => self.task.answers.join("\n"),
            "feedback" => self.task.feedback.join("\n"),
            "line" => self.turn.line.clone(),
            "digest" => hex(&Sha256::digest(&self.task.content)),
            "redelivered" => self.task.redelivered.to_string(),
            "n" => n.to_string(),
            _ => return None,
        })
    }

    /// Who asked: as the doorbell says, else as the file says, else the person.
    pub(super) fn from(&self) -> String {
        let told = self.turn.from.as_ref().map(ToString::to_string);
        told.or_else(|| self.task.from.clone()).unwrap_or_else(|| crate::engine::words::USER.to_owned())
    }
}

/// `text` with the value of each `{name}` in its place; braces around anything else stay as they are.
fn fill_in(text: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, braced)) = rest.split_once('{') {
        filled.push_str(before);
        match braced.split_once('}').and_then(|(name, after)| Some((value(name)?, after))) {
            Some((value, after)) => {
                filled.push_str(&value);
                rest = after;
            }
            None => {
                filled.push('{');
                rest = braced;
            }
        }
    }
    filled + rest
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The first line that has something on it.
fn first_line(content: &str) -> &str {
    content.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
}

/// At most `chars` characters of `text`, with `…` where it was cut.
fn shorten(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// `text` as the id of a message: one that is too long keeps its beginning, and ends in a digest of the whole, so that two
/// parts of one task stay apart and the same part has the same id each time.
pub(super) fn as_id(text: &str) -> String {
    if text.len() <= ID_BYTES_MAX {
        return text.to_owned();
    }
    let digest = hex(Sha256::digest(text).get(..6).unwrap_or_default());
    let room = ID_BYTES_MAX - digest.len() - 1;
    format!("{}-{digest}", text.get(..text.floor_char_boundary(room)).unwrap_or_default())
}

/// `text` as the content of a message, cut to what one may hold.
pub(super) fn as_content(text: String) -> String {
    if text.len() <= CONTENT_BYTES_MAX {
        return text;
    }
    let room = text.floor_char_boundary(CONTENT_BYTES_MAX - CUT.len());
    text.get(..room).unwrap_or_default().to_owned() + CUT
}

/// Columns that `text` takes in a terminal.
pub(super) fn columns(text: &str) -> usize {
    text.width()
}

/// `line` in rows of at most `cols` columns, broken at spaces where it can be.
pub(super) fn wrap_words(line: &str, cols: usize) -> Vec<String> {
    let mut rows = Rows::new(cols);
    for (at, word) in line.split(' ').enumerate() {
        if at > 0 && rows.width + 1 + columns(word) > rows.cols {
            rows.turn();
        } else if at > 0 {
            rows.push(' ');
        }
        word.chars().for_each(|c| rows.push(c));
    }
    rows.done
}

/// A row of a look: `{name}` is what `values` say, `{fill:X}` is X until the row has `cols` columns. Never wider than that.
pub(super) fn filled(row: &str, cols: usize, values: &[(&str, &str)]) -> String {
    let value = |name: &str| values.iter().find(|(known, _)| *known == name);
    let mut text = fill_in(row, |name| value(name).map(|(_, value)| (*value).to_owned()));
    let filler = text.split_once("{fill:").and_then(|(before, rest)| {
        let (filler, after) = rest.split_once('}')?;
        Some((before.to_owned(), filler.to_owned(), after.to_owned()))
    });
    if let Some((before, filler, after)) = filler {
        let room = cols.saturating_sub(columns(&before) + columns(&after));
        text = before + &filler.repeat(room / columns(&filler).max(1)) + &after;
    }
    wrap_cells(&text, cols).into_iter().next().unwrap_or_default()
}

/// `line` in rows of at most `cols` columns, broken where a row is full.
pub(super) fn wrap_cells(line: &str, cols: usize) -> Vec<String> {
    let mut rows = Rows::new(cols);
    line.chars().for_each(|c| rows.push(c));
    rows.done
}

/// A line of exactly `cols` columns with characters of one and of two columns.
pub(super) fn wide(cols: usize) -> String {
    let pattern = "襷を繋ぐ🎽tasuki🙂漢字かなカナ".chars().cycle();
    let mut line = String::new();
    let mut width = 0;
    for c in pattern {
        let cell = c.width().unwrap_or(0);
        if width + cell > cols {
            break;
        }
        line.push(c);
        width += cell;
    }
    line + &"x".repeat(cols.saturating_sub(width))
}

struct Rows {
    done: Vec<String>,
    cols: usize,
    width: usize,
}

impl Rows {
    fn new(cols: usize) -> Self {
        Self { done: vec![String::new()], cols: cols.max(1), width: 0 }
    }

    fn turn(&mut self) {
        self.done.push(String::new());
        self.width = 0;
    }

    fn push(&mut self, c: char) {
        let cell = c.width().unwrap_or(0);
        if self.width + cell > self.cols && self.width > 0 {
            self.turn();
        }
        self.width += cell;
        if let Some(row) = self.done.last_mut() {
            row.push(c);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wide_line_has_exactly_the_columns_asked_for() {
        for cols in 0..200 {
            assert_eq!(columns(&wide(cols)), cols);
        }
    }

    #[test]
    fn rows_are_never_wider_than_asked_and_lose_nothing() {
        let text = "plain words 日本語の長い文がここにあります and 🙂🙂🙂 averyveryverylongword  two  spaces";
        for cols in 2..60 {
            for rows in [wrap_words(text, cols), wrap_cells(text, cols)] {
                assert!(rows.iter().all(|row| columns(row) <= cols), "{cols}: {rows:?}");
                let joined: String = rows.concat().split(' ').collect();
                assert_eq!(joined, text.split(' ').collect::<String>(), "{cols}");
            }
        }
        assert_eq!(wrap_words("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap_cells("one two three", 7), ["one two", " three"]);
        assert_eq!(wrap_words("", 7), [""]);
    }

    #[test]
    fn a_row_of_a_look_is_filled_and_cut() {
        assert_eq!(filled("╭{fill:─}╮", 6, &[]), "╭────╮");
        assert_eq!(filled("│ {text}{fill: }│", 10, &[("text", "日本")]), "│ 日本   │");
        assert_eq!(filled("{a} {b} {c", 20, &[("a", "{b}"), ("b", "2")]), "{b} 2 {c");
        assert_eq!(filled("{a}", 3, &[("a", "12345")]), "123");
        assert_eq!(filled("{fill:x} right", 3, &[]), " ri");
    }

    #[test]
    fn a_long_id_is_shortened_the_same_way_each_time_and_stays_apart() {
        let task = "a".repeat(64);
        let (code, test) = (as_id(&format!("{task}.code")), as_id(&format!("{task}.test")));
        assert_ne!(code, test);
        assert_eq!(code, as_id(&format!("{task}.code")));
        for id in [&code, &test] {
            assert!(MessageId::new(id).is_ok() && id.len() == 64, "{id}");
        }
        assert_eq!(as_id("demo-1.code"), "demo-1.code");
    }

    #[test]
    fn a_content_is_cut_between_characters_where_a_message_ends() {
        let cut = as_content("襷".repeat(CONTENT_BYTES_MAX / 3 + 1));
        assert!(cut.len() <= CONTENT_BYTES_MAX && cut.len() > CONTENT_BYTES_MAX - 4, "{}", cut.len());
        assert!(cut.ends_with(CUT));
        assert_eq!(as_content("襷".into()), "襷");
    }

    #[test]
    fn placeholders_are_filled_and_other_braces_left() {
        let turn = Turn::read("[tasuki] task msg-1 from boss (token k7qf2m): \n 最初の行 {token}");
        let task = Task {
            content: "\n最初の行 {token}\n二行目\n".to_owned(),
            answers: vec!["a".into(), "b".into()],
            report: vec!["coder: a".into(), "tester (failed): b".into()],
            ..Task::default()
        };
        let phrase = Phrase::new("CODING OK").expect("a phrase");
        let words = Words { phrase: &phrase, turn: &turn, task: &task, number: 3 };
        let check = |text: &str, filled: &str| assert_eq!(words.fill(text), filled);
        check("{id} {from} {n} {first_line}", "msg-1 boss 3 最初の行 {token}");
        check("{answers}", "a\nb");
        check(
            "{redelivered} {line}",
            "false [tasuki] task msg-1 from boss (token k7qf2m): \n 最初の行 {token}",
        );
        check("{digest}", "602fec1e1fb41169d328f4e49a6c8eee6d2eef63e72611490e1639f4c88b2483");
        check("{report}", "coder: a\ntester (failed): b");
        check("{ fn {} {x} {{id}} }", "{ fn {} {x} {msg-1} }");
        check("CODING OK {token}", "CODING OK ······");
        check("{", "{");
        assert_eq!(words.fill_with("{n}", 9), "9");
        assert_eq!(words.default_answer(), "msg-1 has 2 answers, 3 lines, 17 characters: 最初の行 {token}");
    }
}
