//! A tale on a terminal: the times in one column, the parts indented below what they are parts of, in order of time.

use super::super::table::{harmless, terminal_width};
use super::super::wait::stage_words;
use super::account::Step;
use super::tree::Tale;
use crate::engine::words::{Millis, Seq, counted};
use crate::wire::time::{Day, rfc3339_ms};
use unicode_width::UnicodeWidthChar;

/// Where a task has more parts than this, those that went well are told in one line each.
const PARTS_TOLD: usize = 12;
/// Columns of `HH:MM:SS.mmm` and the gap after it.
const TIME_COLUMNS: usize = 14;
/// Columns by which a part stands to the right of its task, and from how many hands on it moves no further.
const INDENT: usize = 2;
const INDENTS_MAX: usize = 10;

/// How a tale is drawn.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Style {
    /// Columns that a line may take; none where nobody looks at lines.
    pub(in super::super) width: Option<usize>,
    /// Each step and each part as it is.
    pub(in super::super) is_full: bool,
}

/// What stands on the page so far.
struct Page {
    style: Style,
    lines: Vec<String>,
    /// The day that was written last.
    day: String,
}

/// What happens within a task, besides its own steps.
enum Item<'a> {
    Step(&'a Step),
    Part(&'a Tale),
    Answer(&'a Tale),
}

impl Style {
    /// As wide as the terminal, where there is one.
    pub(in super::super) fn of_the_terminal(is_full: bool) -> Self {
        Self { width: terminal_width(), is_full }
    }
}

/// The tale as lines.
pub(in super::super) fn draw(tale: &Tale, style: Style) -> String {
    let mut page = Page { style, lines: Vec::new(), day: String::new() };
    if let Some(parent) = &tale.parent {
        page.plain(&format!("{} is a part of {parent} (`tasuki why {parent}`)", tale.id));
    }
    page.tale(tale, 0, false);
    page.lines.join("\n")
}

impl Page {
    fn tale(&mut self, tale: &Tale, depth: usize, is_brief: bool) {
        let at = tale.steps.first().map(|step| step.at);
        self.line(at, depth, &headline(tale));
        if is_brief {
            return;
        }
        self.line(None, depth, &summary(tale));
        let crowd = tale.parts.len() > PARTS_TOLD && !self.style.is_full;
        let brief = tale.parts.iter().filter(|part| crowd && part.went_well()).count();
        if brief > 0 {
            let count = tale.parts.len();
            self.line(None, depth, &format!("{count} parts; the completed ones ({brief}) have one line each: `--full` shows all of them, `tasuki why PART` one"));
        }
        let condensed = !self.style.is_full && (depth > 0 || !tale.parts.is_empty());
        for item in items(tale) {
            match item {
                Item::Step(step) if condensed && step.is_minor => {}
                Item::Step(step) => {
                    let text = bare(&step.text, &tale.id);
                    let text = if condensed { unrepeated(text, tale) } else { text.to_owned() };
                    self.line(Some(step.at), depth, &text);
                }
                Item::Part(part) => self.tale(part, depth + 1, crowd && part.went_well()),
                Item::Answer(part) if crowd && part.went_well() => {}
                Item::Answer(part) => {
                    let from = part.agent.as_deref().map_or(String::new(), |agent| format!(" from {agent}"));
                    self.line(part.ended, depth, &format!("{}: answer{from} ({})", part.id, part.status));
                }
            }
        }
        if tale.untold > 0 {
            self.line(
                None,
                depth,
                &format!(
                    "too deep to be shown here: {}; see `tasuki why {}`",
                    counted(tale.untold, "part"),
                    tale.id
                ),
            );
        }
        if tale.is_open() {
            self.now(tale, depth);
        }
    }

    fn now(&mut self, tale: &Tale, depth: usize) {
        let stage = stage_words(tale.stage);
        let text = match (&tale.waits_for, &tale.agent) {
            (Some(what), _) => format!("now: {stage}, waits for {what}"),
            (None, Some(agent)) => format!("now: {stage}; {agent} has it since {}", time_of(tale.since)),
            (None, None) => format!("now: {stage}"),
        };
        self.line(None, depth, &text);
    }

    /// A line with its time, or below one; a new day is said once.
    fn line(&mut self, at: Option<Millis>, depth: usize, text: &str) {
        if let Some(at) = at {
            let day = Day::of(at);
            if day.as_str() != self.day {
                self.plain(&format!("{} (UTC)", day.as_str()));
                day.as_str().clone_into(&mut self.day);
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

impl Tale {
    /// Nothing about it that a person would want to look at.
    fn went_well(&self) -> bool {
        let is_plain = self.reminders == 0 && self.redeliveries == 0 && self.parts.is_empty();
        is_plain && self.status == "completed"
    }
}

/// A task's own steps, its parts at the time when they were accepted, and their answers, in order of time.
fn items(tale: &Tale) -> Vec<Item<'_>> {
    let place = |part: &Tale, last: bool| {
        let step = if last { part.steps.last() } else { part.steps.first() };
        step.map_or((Seq(u64::MAX), 1), |step| (step.seq, 1))
    };
    let steps = tale.steps.iter().map(|step| ((step.seq, 0), Item::Step(step)));
    let parts = tale.parts.iter().map(|part| (place(part, false), Item::Part(part)));
    let tasks = tale.parts.iter().filter(|part| !part.is_open() && part.kind == Some("task"));
    let answers = tasks.map(|part| (place(part, true), Item::Answer(part)));
    let mut items: Vec<_> = steps.chain(parts).chain(answers).collect();
    items.sort_by_key(|(place, _)| *place);
    items.into_iter().map(|(_, item)| item).collect()
}

fn headline(tale: &Tale) -> String {
    let what = match (tale.kind, &tale.from, &tale.to) {
        (Some(kind), Some(from), Some(to)) => format!("{kind} from {from} to {to}"),
        _ => "accepted in a part of the journal that no longer exists".to_owned(),
    };
    let took = tale.waited_ms + tale.worked_ms + tale.rested_ms;
    let end = match tale.ended {
        Some(_) => format!("{} after {}", tale.status, seconds(took)),
        None => format!("open for {}", seconds(took)),
    };
    let again = tale.retry_of.as_ref().map_or(String::new(), |id| format!(", repeats {id}"));
    let after = match tale.depends_on.as_slice() {
        [] => String::new(),
        ids => format!(", after {}", ids.join(", ")),
    };
    format!("{}: {what}{after}{again}; {end}", tale.id)
}

fn summary(tale: &Tale) -> String {
    let times = [("queued", tale.waited_ms), ("worked", tale.worked_ms), ("waited", tale.rested_ms)];
    let counts = [
        ("turn", usize::from(tale.turns)),
        ("reminder", tale.reminders as usize),
        ("redelivery", tale.redeliveries as usize),
        ("part", tale.parts.len()),
    ];
    let times = times.iter().filter(|(_, ms)| *ms > 0).map(|(word, ms)| format!("{word} {}", seconds(*ms)));
    let counts = counts.iter().filter(|(_, count)| *count > 0).map(|(word, count)| counted(*count, word));
    let all: Vec<String> = times.chain(counts).collect();
    let letter = tale.letter.map(|letter| match letter {
        "unread" => "you have not read it yet: `tasuki log user` shows it".to_owned(),
        letter => letter.to_owned(),
    });
    let all: Vec<String> = all.into_iter().chain(letter).collect();
    match tale.is_open() {
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

/// `HH:MM:SS.mmm`
fn time_of(at: Millis) -> String {
    let whole = rfc3339_ms(at);
    whole.split_once('T').map_or(whole.clone(), |(_, time)| time.trim_end_matches('Z').to_owned())
}

/// A sentence without the id that it begins with: the headline has named it.
fn bare<'a>(text: &'a str, id: &str) -> &'a str {
    text.strip_prefix(id).and_then(|rest| rest.strip_prefix(' ')).unwrap_or(text)
}

/// "accepted" without from whom to whom: the headline has said it.
fn unrepeated(text: &str, tale: &Tale) -> String {
    let (Some(kind), Some(from), Some(to)) = (tale.kind, &tale.from, &tale.to) else {
        return text.to_owned();
    };
    text.replacen(&format!("accepted: {kind} from {from} to {to}"), "accepted", 1)
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
