//! The tasks of a session: drawn with rails, or as a list where they are too many for those.

use super::standing::standing;
use super::{empty, window, with_more};
use crate::ui::session::rails::Rail;
use crate::ui::session::words::{done_of_all, merge as merged, of_task as word_of, who};
use crate::ui::tui::ages::{age, length, moment};
use crate::ui::tui::marks::of_task;
use crate::ui::tui::paint::{Canvas, Ink, columns};
use crate::ui::tui::sessions::{SessionSeen, title_of};
use crate::ui::tui::state::{Place, TopState};
use crate::ui::tui::words::ordinal;
use crate::ui::tui::wrap::wrap;
use crate::wire::api::SessionTaskInfo;
use ratatui_core::layout::Rect;

/// Columns of an age.
const FOR: u16 = 8;
/// Columns of a row from which on it says who has the task, and the most that a name takes.
const NAMES_FROM: u16 = 64;
const NAME_MAX: usize = 28;
/// Columns from which on a state is told in all its words.
const WORDS_FROM: u16 = 100;
/// Columns that are left for what a task is called: before it is told who has it, for how long, and all of its id.
const TITLE_LEAST: u16 = 14;
/// Columns of a row that are neither rails, id, name nor state: the mark of the chosen row, blanks between, and the edge.
const BETWEEN: u16 = 7;
/// Columns of the longest state that is told beside rails.
const STATE_MOST: u16 = 13;
/// What ids of tasks begin with, which numbers alone say as well.
const ID_BEGIN: &str = "task-";
/// Rows that are told of a merge.
const MERGE_ROWS: usize = 2;
/// Ids that are named of what a task waits for.
const NEEDS_SHOWN: usize = 4;

/// Rows that the tasks would take, without what stands above them.
fn count(state: &TopState, seen: &SessionSeen, width: u16) -> usize {
    if is_drawn(state, seen, width) { seen.rails.len() } else { state.tasks_of_session().len() }
}

/// Whether rails are drawn: they leave half of the width to the tasks, and room for names.
fn is_drawn(state: &TopState, seen: &SessionSeen, width: u16) -> bool {
    let is_all = state.place != Place::Session || state.shelf().filter.is_empty();
    if !is_all || seen.rails.is_empty() || seen.columns * 2 > usize::from(width) {
        return false;
    }
    let id = seen.details.tasks.iter().map(|task| columns(short(&task.id))).max().unwrap_or(0);
    let rest = usize::from(BETWEEN + STATE_MOST + TITLE_LEAST);
    seen.columns + id.min(usize::from(width / 4)) + rest <= usize::from(width)
}

/// The number of a task, or its id.
fn short(id: &str) -> &str {
    id.strip_prefix(ID_BEGIN).filter(|number| !number.is_empty()).unwrap_or(id)
}

/// Rows that the place of the session that is open would take.
pub(in crate::ui::tui) fn height(state: &TopState, width: u16) -> usize {
    state
        .opened_session()
        .map_or(3, |seen| count(state, seen, width).max(1) + 2 + merge_rows(seen, width).len())
}

/// How far the merge of a session is, in rows; none of one that nobody has asked for.
fn merge_rows(seen: &SessionSeen, width: u16) -> Vec<String> {
    let told = merged(&seen.details.session).unwrap_or_default();
    let rows = wrap(&told, usize::from(width.saturating_sub(4)), MERGE_ROWS);
    rows.into_iter().filter(|row| !row.is_empty()).collect()
}

/// The session that is open: how it stands, and its tasks.
pub(in crate::ui::tui) fn draw(canvas: &mut Canvas, state: &TopState, area: Rect) {
    let rule = |canvas: &mut Canvas, title: &str, note: &str| {
        canvas.rule((area.x, area.y), area.width, &format!("5 {title}"), note);
    };
    let Some(seen) = state.opened_session() else {
        rule(canvas, "Session", "Esc all sessions");
        if let Some((_, Err(problem))) = &state.sessions.seen {
            empty(canvas, area, &format!("{}: {}", problem.why, problem.cure));
        }
        return;
    };
    let session = &seen.details.session;
    let found = &state.shelves[Place::Session.index()].filter;
    let rows = count(state, seen, area.width);
    let why = match is_drawn(state, seen, area.width) {
        true => None,
        false => seen.why_listed().or_else(|| Some("too narrow for its rails".to_owned())),
    };
    let note = match (found.is_empty(), why) {
        (false, _) => format!("{rows}   /{found}"),
        (true, Some(why)) if !seen.details.tasks.is_empty() => {
            format!("{}   {why}", done_of_all(&session.counts))
        }
        (true, _) => done_of_all(&session.counts),
    };
    let note = with_more(note, rows, area.height.saturating_sub(2));
    rule(canvas, title_of(session), &note);
    if area.height < 2 {
        return;
    }
    standing(canvas, state, session, (area.x, area.y + 1, area.width));
    let told = merge_rows(seen, area.width);
    let merge = u16::try_from(told.len()).unwrap_or(0).min(area.height.saturating_sub(4));
    let has_failed = session.merge.as_ref().is_some_and(|merge| merge.status == "failed");
    let ink = if has_failed { Ink::Bad } else { Ink::Dim };
    for (y, row) in (area.y + 2..area.y + 2 + merge).zip(&told) {
        canvas.text((area.x + 3, y), area.width.saturating_sub(4), row, ink);
    }
    let below = Rect { y: area.y + 2 + merge, height: area.height - 2 - merge, ..area };
    if rows == 0 {
        let text = match (found.is_empty(), &session.planning, session.waits_for_yes) {
            (false, ..) => &*state.nothing_fits(Place::Session),
            (true, Some(_), _) => "its plan is being made: w tells the story of that",
            (true, None, _) => "it has no task yet: n adds one",
        };
        let area = Rect { y: below.y - 1, height: below.height + 1, ..below };
        return empty(canvas, area, text);
    }
    let chosen = state.chosen_task().and_then(|task| seen.places.get(&task.id).copied());
    self::rows(canvas, state, seen, below, chosen);
}

/// The tasks alone, around the chosen one; without one, as many as a person has scrolled to.
pub(super) fn rows(
    canvas: &mut Canvas,
    state: &TopState,
    seen: &SessionSeen,
    area: Rect,
    chosen: Option<usize>,
) {
    let shown = usize::from(area.height);
    let from = |at: Option<usize>, rows: usize| match at {
        Some(at) => window(at, rows, shown),
        None => state.beside_from.min(rows.saturating_sub(shown)),
    };
    let lead = Rail { task: None, before: String::new(), behind: String::new() };
    let rails: Vec<Rail> = if is_drawn(state, seen, area.width) {
        let at = chosen.and_then(|chosen| seen.rails.iter().position(|rail| rail.task == Some(chosen)));
        seen.rails.iter().skip(from(at, seen.rails.len())).take(shown).cloned().collect()
    } else {
        let tasks = if chosen.is_some() { state.tasks_of_session() } else { seen.order.tasks.clone() };
        let at = chosen.and_then(|chosen| tasks.iter().position(|at| *at == chosen));
        let tasks = tasks.iter().skip(from(at, tasks.len())).take(shown);
        tasks.map(|at| Rail { task: Some(*at), ..lead.clone() }).collect()
    };
    let columns_of = if is_drawn(state, seen, area.width) { seen.columns } else { 1 };
    let widths = Widths::of(&rails, seen, area.width, (columns_of, canvas.look.ascii));
    for (y, rail) in (area.y..area.bottom()).zip(&rails) {
        let task = rail.task.and_then(|at| seen.details.tasks.get(at));
        let is_chosen = rail.task.is_some() && rail.task == chosen;
        row(canvas, (state, seen), (area, y), (rail, task), &widths, is_chosen);
    }
}

/// Columns of the parts of rows that are seen together.
struct Widths {
    rails: u16,
    /// Whether a mark of its own stands behind the rails.
    has_sign: bool,
    id: u16,
    /// Whether ids are cut to their numbers.
    is_short: bool,
    who: u16,
    word: u16,
    has_age: bool,
}

impl Widths {
    /// What says the least goes first, until there is room for names.
    fn of(rails: &[Rail], seen: &SessionSeen, width: u16, (rail_columns, is_ascii): (usize, bool)) -> Self {
        let tasks = || rails.iter().filter_map(|rail| seen.details.tasks.get(rail.task?));
        let widest = |text: &dyn Fn(&SessionTaskInfo) -> String, most: usize| {
            let widest = tasks().map(|task| columns(&text(task))).max().unwrap_or(0);
            u16::try_from(widest.min(most)).unwrap_or(0)
        };
        let quarter = usize::from(width / 4);
        let rails = u16::try_from(rail_columns).unwrap_or(width);
        let mut widths = Self {
            rails,
            has_sign: is_ascii && rails > 1,
            id: widest(&|task| task.id.clone(), quarter),
            is_short: false,
            who: if width < NAMES_FROM { 0 } else { widest(&|task| with_whom(seen, task), NAME_MAX) },
            word: widest(&|task| word(task, width), usize::from(width)),
            has_age: true,
        };
        if widths.title(width) < TITLE_LEAST {
            widths.who = 0;
        }
        if widths.title(width) < TITLE_LEAST {
            widths.has_age = false;
        }
        if widths.title(width) < TITLE_LEAST {
            widths.is_short = true;
            widths.id = widest(&|task| short(&task.id).to_owned(), quarter);
        }
        // The mark says the state as well.
        if widths.title(width) < TITLE_LEAST {
            widths.word = 0;
        }
        widths
    }

    /// Columns that are left for names.
    fn title(&self, width: u16) -> u16 {
        let who = if self.who > 0 { self.who + 2 } else { 0 };
        let age = if self.has_age { FOR } else { 0 };
        let sign = if self.has_sign { 2 } else { 0 };
        let word = if self.word > 0 { self.word + 2 } else { 0 };
        width.saturating_sub(self.rails + sign + self.id + who + word + age + BETWEEN - 2)
    }
}

/// The words of a task's state; where there is little room, the last of them, which say the most.
fn word(task: &SessionTaskInfo, width: u16) -> String {
    if let Some(place) = &task.place {
        return format!("queued, {} of {}", ordinal(place.nth), place.of);
    }
    let words = word_of(task);
    match words.rsplit_once(", ") {
        Some((_, last)) if width < WORDS_FROM => last.to_owned(),
        _ => words,
    }
}

/// Who has a task, or is to do it; of one that cannot begin, what it waits for.
fn with_whom(seen: &SessionSeen, task: &SessionTaskInfo) -> String {
    let waits = seen.waits_for(task);
    if waits.is_empty() {
        return who(task);
    }
    let short: Vec<&str> =
        waits.iter().take(NEEDS_SHOWN).map(|id| id.strip_prefix("task-").unwrap_or(id)).collect();
    let more = if waits.len() > short.len() {
        format!(" and {} more", waits.len() - short.len())
    } else {
        String::new()
    };
    let verb = if task.status == "Cancelled" { "behind" } else { "after" };
    format!("{verb} {}{more}", short.join(", "))
}

/// How long a task takes, or took.
pub(super) fn took(state: &TopState, task: &SessionTaskInfo) -> String {
    let since = task.started_at.as_deref().filter(|_| !matches!(&*task.status, "Pending" | "Ready"));
    match task.completed_at.as_deref().and_then(moment) {
        Some(end) => since.and_then(moment).map(|since| length(end - since)).unwrap_or_default(),
        None => age(since, state.time()),
    }
}

fn row(
    canvas: &mut Canvas,
    (state, seen): (&TopState, &SessionSeen),
    (area, y): (Rect, u16),
    (rail, task): (&Rail, Option<&SessionTaskInfo>),
    widths: &Widths,
    is_chosen: bool,
) {
    if is_chosen {
        canvas.text((area.x, y), 1, canvas.sign("▸", ">"), Ink::Accent);
    }
    let x = area.x + 1;
    let took_before = canvas.text((x, y), widths.rails, rail.before.trim_end(), Ink::Dim);
    let Some(task) = task else { return };
    let mark = of_task(task);
    let before = u16::try_from(rail.before.chars().count()).unwrap_or(0).max(took_before);
    // Some marks of ASCII are what rails are made of.
    let node = if widths.has_sign { "o" } else { mark.sign(canvas.look) };
    canvas.text((x + before, y), 1, node, mark.ink());
    canvas.text(
        (x + before + 1, y),
        widths.rails.saturating_sub(before + 1),
        rail.behind.trim_end(),
        Ink::Dim,
    );
    let mut at = x + widths.rails + 1;
    if widths.has_sign {
        canvas.text((at, y), 1, mark.sign(canvas.look), mark.ink());
        at += 2;
    }
    texts(canvas, (state, seen), (area, y, at), task, widths, is_chosen);
}

/// What stands behind the rails: id, name, who has it, its state, and for how long.
fn texts(
    canvas: &mut Canvas,
    (state, seen): (&TopState, &SessionSeen),
    (area, y, at): (Rect, u16, u16),
    task: &SessionTaskInfo,
    widths: &Widths,
    is_chosen: bool,
) {
    let mark = of_task(task);
    let ink = if is_chosen { Ink::Bold } else { Ink::Plain };
    let right = area.right().saturating_sub(1);
    let word_end = right.saturating_sub(if widths.has_age { FOR } else { 0 });
    let word_at = word_end.saturating_sub(widths.word).max(at);
    let who_at = word_at.saturating_sub(if widths.who > 0 { widths.who + 2 } else { 0 });
    let room = who_at.saturating_sub(at + if widths.word > 0 { 2 } else { 0 });
    let id = widths.id.min(room);
    canvas.text((at, y), id, if widths.is_short { short(&task.id) } else { &task.id }, Ink::Dim);
    canvas.text((at + id + 2, y), room.saturating_sub(id + 2), &task.name, ink);
    if widths.who > 0 {
        canvas.text((who_at, y), widths.who, &with_whom(seen, task), Ink::Dim);
    }
    let word_ink = if mark.ink() == Ink::Accent { Ink::Plain } else { mark.ink() };
    canvas.text((word_at, y), word_end.saturating_sub(word_at), &word(task, area.width), word_ink);
    if widths.has_age {
        canvas.right((area.x, y), area.width - 1, &took(state, task), Ink::Plain);
    }
}
