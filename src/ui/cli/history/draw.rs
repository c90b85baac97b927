//! A history on a terminal: the times in one column, the parts indented below what they are parts of, in order of time.

use super::super::table::{harmless, terminal_width};
use crate::engine::message::{Kind, Status};
use crate::engine::words::counted;
use crate::wire::api::{HistoryStepInfo, HistoryTree};
use unicode_width::UnicodeWidthChar;

/// Where a task has more parts than this, those that went well are told in one line each.
const PARTS_TOLD: usize = 12;
/// Columns of `HH:MM:SS.mmm` and the gap after it.
const TIME_COLUMNS: usize = 14;
/// Columns by which a part is to the right of its task, and from how many hands on it moves no further.
const INDENT: usize = 2;
const INDENTS_MAX: usize = 10;

/// How a history is drawn.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Style {
    /// Columns that a line may take; none where nobody looks at lines.
    pub(in super::super) width: Option<usize>,
    /// Each step and each part as it is.
    pub(in super::super) is_full: bool,
}

/// What is on the page so far.
struct Page {
    style: Style,
    lines: Vec<String>,
    /// The day that was written last.
    day: String,
}

/// What happens within a task, besides its own steps.
enum Item<'a> {
    Step(&'a HistoryStepInfo),
    Part(&'a HistoryTree),
    Answer(&'a HistoryTree),
}

impl Style {
    /// As wide as the terminal, where there is one.
    pub(in super::super) fn of_the_terminal(is_full: bool) -> Self {
        Self { width: terminal_width(), is_full }
    }
}

pub(in super::super) fn draw(history: &HistoryTree, style: Style) -> String {
    let mut page = Page { style, lines: Vec::new(), day: String::new() };
    if let Some(parent) = &history.parent {
        page.plain(&format!("{} is a part of {parent} (`tasuki why {parent}`)", history.id));
    }
    page.history(history, 0, false);
    page.lines.join("\n")
}

impl Page {
    fn history(&mut self, history: &HistoryTree, depth: usize, is_brief: bool) {
        let at = history.story.first().map(|step| step.at.as_str());
        self.line(at, depth, &headline(history));
        if is_brief {
            return;
        }
        self.line(None, depth, &summary(history));
        let crowd = history.parts.len() > PARTS_TOLD && !self.style.is_full;
        let brief = history.parts.iter().filter(|part| crowd && went_well(part)).count();
        if brief > 0 {
            let count = history.parts.len();
            self.line(None, depth, &format!("{count} parts; the completed ones ({brief}) have one line each: `--full` shows all of them, `tasuki why PART` one"));
        }
        let condensed = !self.style.is_full && (depth > 0 || !history.parts.is_empty());
        for item in items(history) {
            match item {
                Item::Step(step) if condensed && is_minor(step) => {}
                Item::Step(step) => {
                    let text = bare(&step.event.text, &history.id);
                    let text = if condensed { unrepeated(text, history) } else { text.to_owned() };
                    self.line(Some(&step.at), depth, &text);
                }
                Item::Part(part) => self.history(part, depth + 1, crowd && went_well(part)),
                Item::Answer(part) if crowd && went_well(part) => {}
                Item::Answer(part) => {
                    let from = part.agent.as_deref().map_or(String::new(), |agent| format!(" from {agent}"));
                    self.line(
                        part.ended_at.as_deref(),
                        depth,
                        &format!("{}: answer{from} ({})", part.id, part.status.word()),
                    );
                }
            }
        }
        if history.untold > 0 {
            self.line(
                None,
                depth,
                &format!(
                    "too deep to be shown here: {}; see `tasuki why {}`",
                    counted(history.untold, "part"),
                    history.id
                ),
            );
        }
        if history.is_open() {
            self.now(history, depth);
        }
    }

    fn now(&mut self, history: &HistoryTree, depth: usize) {
        let stage = history.stage.said();
        let text = match (&history.waits_for, &history.agent) {
            (Some(what), _) => format!("now: {stage}, waits for {what}"),
            (None, Some(agent)) => format!("now: {stage}; {agent} has it since {}", time_of(&history.since)),
            (None, None) => format!("now: {stage}"),
        };
        self.line(None, depth, &text);
    }

    /// A line with its time, or below one; a new day is said once.
    fn line(&mut self, at: Option<&str>, depth: usize, text: &str) {
        if let Some(at) = at {
            let day = at.split('T').next().unwrap_or_default();
            if day != self.day {
                self.plain(&format!("{day} (UTC)"));
                day.clone_into(&mut self.day);
            }
        }
        let time = at.map(time_of).unwrap_or_default();
        let indent = INDENT * depth.min(INDENTS_MAX);
        let head = format!("{time:TIME_COLUMNS$}{:indent$}", "");
        let room = self.style.width.map(|width| width.saturating_sub(TIME_COLUMNS + indent).max(20));
        for (number, row) in wrapped(&harmless(text), room).into_iter().enumerate() {
            let before = match number {
                0 => head.clone(),
                _ => " ".repeat(TIME_COLUMNS + indent + INDENT),
            };
            self.lines.push(before + &row);
        }
    }

    fn plain(&mut self, text: &str) {
        self.lines.extend(wrapped(&harmless(text), self.style.width));
    }
}

/// Nothing about it that a person would want to look at.
fn went_well(history: &HistoryTree) -> bool {
    let is_plain = history.reminders == 0 && history.redeliveries == 0 && history.parts.is_empty();
    is_plain && history.status == Status::Completed
}

/// Whether the next step says it too: left out where many messages are told together.
fn is_minor(step: &HistoryStepInfo) -> bool {
    matches!(step.event.what.as_str(), "delivered" | "claimed" | "verified")
}

/// A task's own steps, its parts at the time when they were accepted, and their answers, in order of time.
fn items(history: &HistoryTree) -> Vec<Item<'_>> {
    let place = |part: &HistoryTree, last: bool| {
        let step = if last { part.story.last() } else { part.story.first() };
        step.map_or((u64::MAX, 1), |step| (step.seq, 1))
    };
    let steps = history.story.iter().map(|step| ((step.seq, 0), Item::Step(step)));
    let parts = history.parts.iter().map(|part| (place(part, false), Item::Part(part)));
    let tasks = history.parts.iter().filter(|part| !part.is_open() && part.kind == Some(Kind::Task));
    let answers = tasks.map(|part| (place(part, true), Item::Answer(part)));
    let mut items: Vec<_> = steps.chain(parts).chain(answers).collect();
    items.sort_by_key(|(place, _)| *place);
    items.into_iter().map(|(_, item)| item).collect()
}

fn headline(history: &HistoryTree) -> String {
    let what = match (history.kind, &history.from, &history.to) {
        (Some(kind), Some(from), Some(to)) => format!("{} from {from} to {to}", kind.word()),
        _ => "accepted in a part of the journal that no longer exists".to_owned(),
    };
    let took = history.waited_ms + history.worked_ms + history.stopped_ms + history.rested_ms;
    let end = match history.ended_at {
        Some(_) => format!("{} after {}", history.status.word(), seconds(took)),
        None => format!("open for {}", seconds(took)),
    };
    let again = history.retry_of.as_ref().map_or(String::new(), |id| format!(", repeats {id}"));
    let after = match history.depends_on.as_slice() {
        [] => String::new(),
        ids => format!(", after {}", ids.join(", ")),
    };
    format!("{}: {what}{after}{again}; {end}", history.id)
}

fn summary(history: &HistoryTree) -> String {
    let times = [
        ("queued", history.waited_ms),
        ("worked", history.worked_ms),
        ("held up", history.stopped_ms),
        ("waited", history.rested_ms),
    ];
    let counts = [
        ("turn", usize::from(history.turns)),
        ("reminder", history.reminders as usize),
        ("redelivery", history.redeliveries as usize),
        ("part", history.parts.len()),
    ];
    let times = times.iter().filter(|(_, ms)| *ms > 0).map(|(word, ms)| format!("{word} {}", seconds(*ms)));
    let counts = counts.iter().filter(|(_, count)| *count > 0).map(|(word, count)| counted(*count, word));
    let all: Vec<String> = times.chain(counts).collect();
    let letter = history.letter.as_deref().map(|letter| match letter {
        "unread" => "you have not read it yet: `tasuki log user` shows it".to_owned(),
        letter => letter.to_owned(),
    });
    let all: Vec<String> = all.into_iter().chain(letter).collect();
    match history.is_open() {
        _ if !all.is_empty() => all.join(", "),
        true => "nothing has been done with it yet".to_owned(),
        false => "it ended before anything was done with it".to_owned(),
    }
}

/// `8.6 s`; longer ones in minutes and hours.
fn seconds(ms: u64) -> String {
    let (minutes, rest) = (ms / 60_000, ms % 60_000);
    match minutes {
        0 => format!("{}.{} s", rest / 1000, rest % 1000 / 100),
        1..60 => format!("{minutes} min {} s", rest / 1000),
        _ => format!("{} h {} min", minutes / 60, minutes % 60),
    }
}

/// `HH:MM:SS.mmm` of a moment.
fn time_of(at: &str) -> String {
    at.split_once('T').map_or(at, |(_, time)| time).trim_end_matches('Z').to_owned()
}

/// A sentence without the id that it begins with: the headline has named it.
fn bare<'a>(text: &'a str, id: &str) -> &'a str {
    text.strip_prefix(id).and_then(|rest| rest.strip_prefix(' ')).unwrap_or(text)
}

/// "accepted" without from whom to whom: the headline has said it.
fn unrepeated(text: &str, history: &HistoryTree) -> String {
    let (Some(kind), Some(from), Some(to)) = (history.kind, &history.from, &history.to) else {
        return text.to_owned();
    };
    text.replacen(&format!("accepted: {} from {from} to {to}", kind.word()), "accepted", 1)
}

/// `text` in rows of at most `room` columns, broken at spaces where it can be; rows after the first are shorter by the
/// indent that they get.
fn wrapped(text: &str, room: Option<usize>) -> Vec<String> {
    let Some(room) = room else { return vec![text.to_owned()] };
    let (mut rows, mut row, mut width) = (Vec::new(), String::new(), 0);
    for word in text.split_inclusive(' ') {
        let columns: usize = word.trim_end().chars().map(|c| c.width().unwrap_or(0)).sum();
        let limit = |rows: &Vec<String>| if rows.is_empty() { room } else { room.saturating_sub(INDENT) };
        if width > 0 && width + columns > limit(&rows) {
            rows.push(std::mem::take(&mut row).trim_end().to_owned());
            width = 0;
        }
        for c in word.chars() {
            let columns = c.width().unwrap_or(0);
            if width + columns > limit(&rows) && c != ' ' {
                rows.push(std::mem::take(&mut row));
                width = 0;
            }
            row.push(c);
            width += columns;
        }
    }
    rows.push(row.trim_end().to_owned());
    rows
}
