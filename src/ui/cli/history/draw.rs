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

/// What is told, and where it stands in time.
struct Item<'a> {
    /// Number of its step, and its place among what happens in one step: tasks before their parts.
    place: (u64, usize),
    of: &'a HistoryTree,
    depth: usize,
    what: What<'a>,
}

/// What is told of a message.
#[derive(Clone, Copy)]
enum What<'a> {
    /// That it came; with nothing else to come, that is all.
    Head {
        is_brief: bool,
    },
    Step(&'a HistoryStepInfo),
    /// The answer to a part of it.
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
    page.history(history);
    page.lines.join("\n")
}

impl Page {
    /// All of it in order of time, each line with the id of what it is about where the line before was about something else.
    fn history(&mut self, history: &HistoryTree) {
        let mut items = Vec::new();
        self.collect(history, 0, false, &mut items);
        items.sort_by_key(|item| item.place);
        let mut last = "";
        for item in &items {
            self.item(item, last == item.of.id);
            last = &item.of.id;
        }
        self.all_now(history, 0, last);
    }

    /// What is told of a message and of its parts.
    fn collect<'a>(&self, of: &'a HistoryTree, depth: usize, is_brief: bool, items: &mut Vec<Item<'a>>) {
        let tier = 2 * depth;
        let first = of.story.first().map_or(u64::MAX, |step| step.seq);
        let place = if depth == 0 { (0, 0) } else { (first, tier - 1) };
        items.push(Item { place, of, depth, what: What::Head { is_brief } });
        if is_brief {
            return;
        }
        let condensed = self.is_condensed(of, depth);
        let steps = of.story.iter().filter(|step| !(condensed && is_minor(step)));
        items.extend(steps.map(|step| Item { place: (step.seq, tier), of, depth, what: What::Step(step) }));
        for part in &of.parts {
            let is_brief = self.is_crowd(of) && went_well(part);
            self.collect(part, depth + 1, is_brief, items);
            if !is_brief && !part.is_open() && part.kind == Some(Kind::Task) {
                let last = part.story.last().map_or(u64::MAX, |step| step.seq);
                items.push(Item { place: (last, tier + 3), of, depth, what: What::Answer(part) });
            }
        }
    }

    /// Whether what the next step says too is left out.
    fn is_condensed(&self, of: &HistoryTree, depth: usize) -> bool {
        !self.style.is_full && (depth > 0 || !of.parts.is_empty())
    }

    /// Whether it has so many parts that those that went well have one line each.
    fn is_crowd(&self, of: &HistoryTree) -> bool {
        of.parts.len() > PARTS_TOLD && !self.style.is_full
    }

    fn item(&mut self, item: &Item<'_>, goes_on: bool) {
        let Item { of, depth, .. } = *item;
        match item.what {
            What::Head { is_brief } => self.head(of, depth, is_brief),
            What::Step(step) => {
                let text = if goes_on { bare(&step.event.text, &of.id) } else { &step.event.text };
                let text = match self.is_condensed(of, depth) {
                    true => unrepeated(text, of),
                    false => text.to_owned(),
                };
                self.line(Some(&step.at), depth, &text);
            }
            What::Answer(part) => {
                let from = part.agent.as_deref().map_or(String::new(), |agent| format!(" from {agent}"));
                let text = match part.status {
                    Status::Cancelled => format!("{}: called off", part.id),
                    status => format!("{}: answer{from} ({})", part.id, status.word()),
                };
                self.line(part.ended_at.as_deref(), depth, &text);
            }
        }
    }

    fn head(&mut self, history: &HistoryTree, depth: usize, is_brief: bool) {
        let at = history.story.first().map(|step| step.at.as_str());
        self.line(at, depth, &headline(history));
        if is_brief {
            return;
        }
        self.line(None, depth, &summary(history));
        let brief = history.parts.iter().filter(|part| self.is_crowd(history) && went_well(part)).count();
        if brief > 0 {
            let count = history.parts.len();
            self.line(None, depth, &format!("{count} parts; the completed ones ({brief}) have one line each: `--full` shows all of them, `tasuki why PART` one"));
        }
        if history.untold > 0 {
            let parts = counted(history.untold, "part");
            let text = format!("too deep to be shown here: {parts}; see `tasuki why {}`", history.id);
            self.line(None, depth, &text);
        }
    }

    /// How all of it that is open stands now, the parts first.
    fn all_now(&mut self, history: &HistoryTree, depth: usize, last: &str) {
        for part in &history.parts {
            self.all_now(part, depth + 1, last);
        }
        if history.is_open() {
            self.now(history, depth, last == history.id || history.parts.is_empty() && depth == 0);
        }
    }

    fn now(&mut self, history: &HistoryTree, depth: usize, goes_on: bool) {
        let stage = now_words(history);
        let text = match (&history.waits_for, &history.agent) {
            (Some(what), _) => format!("now: {stage}, waits for {what}"),
            (None, Some(agent)) => format!("now: {stage}; {agent} has it since {}", time_of(&history.since)),
            (None, None) => format!("now: {stage}"),
        };
        let text = if goes_on { text } else { format!("{} {text}", history.id) };
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

/// How it stands now.
pub(in super::super) fn now_words(history: &HistoryTree) -> String {
    let Some(standing) = &history.standing else { return history.stage.said().to_owned() };
    match &standing.until {
        Some(until) => format!("{} since {}, back at {until}", standing.words, time_of(&standing.since)),
        None => standing.words.clone(),
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

fn headline(history: &HistoryTree) -> String {
    let what = match (history.kind, &history.from, &history.to) {
        (Some(kind), Some(from), Some(to)) => format!("{} from {from} to {to}", kind.word()),
        _ => "accepted in a part of the journal that no longer exists".to_owned(),
    };
    let took = history.waited_ms + history.worked_ms + history.stopped_ms + history.rested_ms;
    let end = match history.ended_at {
        Some(_) => format!("{} after {}", now_words(history), seconds(took)),
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
        "unread" => "you have not read it yet: `tasuki inbox` shows it".to_owned(),
        letter => letter.to_owned(),
    });
    let again = history.retried_as.as_ref().map(|id| format!("tried again as {id}"));
    let aside = history.put_aside.as_ref().map(|at| format!("put aside {at}"));
    let all: Vec<String> = all.into_iter().chain(letter).chain(again).chain(aside).collect();
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
