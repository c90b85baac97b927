//! The list of sessions, and what the chosen one is about.

use super::graph;
use super::list::{draw_row, padded};
use super::standing::standing;
use super::{empty, window, with_more};
use crate::engine::words::counted;
use crate::ui::session::words::{done_of_all, is_over, merge, note, of_session, waiting};
use crate::ui::tui::ages::{age, by_the_clock, clock, moment};
use crate::ui::tui::marks::of_session as mark_of;
use crate::ui::tui::paint::{Canvas, Ink, columns};
use crate::ui::tui::sessions::{first_line, title_of};
use crate::ui::tui::state::{Place, TopState};
use crate::ui::tui::wrap::wrap;
use crate::wire::api::{SessionCounts, SessionDetails, SessionInfo};
use ratatui_core::layout::Rect;

/// Columns of the list from which on it is told how many tasks are at work, and how many failed.
const COUNTS_FROM: u16 = 72;
/// Characters of an id that are told, as lists of the command line have it.
const ID_SHOWN: usize = 8;
/// Rows of a goal that stand above its tasks.
const GOAL_ROWS: usize = 4;

/// The sessions.
pub(in crate::ui::tui) fn draw(canvas: &mut Canvas, state: &TopState, area: Rect) {
    let sessions = state.all_sessions();
    let found = &state.shelves[Place::Sessions.index()].filter;
    let open = sessions.iter().filter(|session| !is_over(session)).count();
    let note = match (found.is_empty(), sessions.len()) {
        (false, many) => format!("{many}   /{found}"),
        (true, 0) => String::new(),
        (true, many) => format!("{open} open, {} over", many - open),
    };
    let note = with_more(note, sessions.len(), area.height.saturating_sub(1));
    canvas.rule((area.x, area.y), area.width, Place::Sessions.title(), &note);
    if sessions.is_empty() {
        let problem;
        let text = match &state.sessions.listed {
            None => "",
            Some(Err(why)) => {
                problem = format!("{}: {}; `tasuki session list` reads the files", why.why, why.cure);
                &problem
            }
            Some(Ok(_)) if !found.is_empty() => &*state.nothing_fits(Place::Sessions),
            Some(Ok(_)) => {
                "no session yet; `n` begins one by a goal, `tasuki session new plan.yaml` by a plan"
            }
        };
        return empty(canvas, area, text);
    }
    let chosen = state.chosen().filter(|_| state.place == Place::Sessions);
    let at = chosen.and_then(|id| sessions.iter().position(|session| session.id == id));
    let shown = usize::from(area.height.saturating_sub(1));
    let first = window(at.unwrap_or(0), sessions.len(), shown);
    let rows = sessions.iter().enumerate().skip(first).take(shown);
    let words = words(rows.clone().map(|(_, session)| *session), area.width);
    for ((row, session), word) in rows.zip(words) {
        let y = area.y + 1 + u16::try_from(row - first).unwrap_or(0);
        let mark = mark_of(session);
        let since = if is_over(session) { &session.updated_at } else { &session.created_at };
        let why = first_line(&self::note(session).unwrap_or_default());
        let why = by_the_clock(&why, state.time(), state.look.here);
        let shown =
            [(mark.sign(canvas.look), mark.ink()), (title_of(session), Ink::Plain), (&*why, Ink::Dim)];
        draw_row(canvas, (area, y), at == Some(row), shown, &word, &age(Some(since), state.time()));
    }
}

/// How sessions stand, in columns below each other.
fn words<'a>(sessions: impl Iterator<Item = &'a SessionInfo>, width: u16) -> Vec<String> {
    let parts = |session: &'a SessionInfo| {
        let SessionCounts { running, queued, failed, waits_for_you, .. } = session.counts;
        let has_counts = width >= COUNTS_FROM;
        let count = |many: usize, word: &str| match many {
            0 => String::new(),
            many => format!("{many} {word}"),
        };
        let (running, failed) = match has_counts {
            true => {
                let at_work = running.saturating_sub(queued + waits_for_you);
                let parts = [count(at_work, "running"), count(queued, "queued")];
                let running = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
                (running.join(", "), count(failed, "failed"))
            }
            false => (String::new(), String::new()),
        };
        let waits = waiting(session).unwrap_or_default();
        [done_of_all(&session.counts), waits, running, failed, of_session(session).to_owned()]
    };
    let all: Vec<[String; 5]> = sessions.map(parts).collect();
    let widest = |column: usize| all.iter().map(|parts| columns(&parts[column])).max().unwrap_or(0);
    let widths = [0, 1, 2, 3, 4].map(widest);
    let line = |parts: [String; 5]| {
        let cells = parts.into_iter().zip(widths).filter(|(_, width)| *width > 0);
        cells.map(|(part, width)| padded(part, width)).collect::<Vec<_>>().join("  ")
    };
    all.into_iter().map(line).collect()
}

/// The chosen session: its goal, its rules and its tasks.
pub(in crate::ui::tui) fn overview(canvas: &mut Canvas, state: &TopState, area: Rect) {
    let Some(session) = state.session() else { return };
    let title = title_of(session);
    canvas.rule((area.x, area.y), area.width, title, "PgUp PgDn   Enter its tasks");
    let inner = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    if inner.height == 0 {
        return;
    }
    standing(canvas, state, session, (inner.x, inner.y, inner.width));
    let mut y = inner.y + 1;
    let seen = match &state.sessions.seen {
        Some((of, Ok(seen))) if *of == session.id => Some(seen),
        Some((of, Err(problem))) if *of == session.id => {
            let area = Rect { y: y.saturating_sub(1), height: inner.bottom().saturating_sub(y - 1), ..inner };
            return empty(canvas, area, &format!("{}: {}", problem.why, problem.cure));
        }
        _ => None,
    };
    let details = seen.map(|seen| &seen.details);
    for (text, ink) in facts(state, session, details, inner.width) {
        if y < inner.bottom() {
            canvas.text((inner.x + 1, y), inner.width.saturating_sub(2), &text, ink);
            y += 1;
        }
    }
    if let Some(seen) = seen.filter(|_| y < inner.bottom()) {
        let area = Rect { y, height: inner.bottom() - y, ..inner };
        graph::rows(canvas, state, seen, area, None);
    }
}

fn facts(
    state: &TopState,
    session: &SessionInfo,
    details: Option<&SessionDetails>,
    width: u16,
) -> Vec<(String, Ink)> {
    let room = usize::from(width.saturating_sub(2));
    let goal = details.and_then(|details| details.goal.as_deref()).unwrap_or_default();
    let mut rows: Vec<(String, Ink)> = Vec::new();
    // A title that is the goal's only line is not said twice.
    if goal.trim() != title_of(session) {
        let lines = goal.lines().flat_map(|line| wrap(line, room, GOAL_ROWS)).take(GOAL_ROWS);
        rows.extend(lines.map(|text| (text, Ink::Plain)));
    }
    let at = moment(&session.created_at).map(|at| clock(at, state.look.here, false));
    let begun = at.map(|at| format!("began {at}"));
    let who = |word: &str, name: &Option<String>| name.as_ref().map(|name| format!("{word} {name}"));
    let rule = session.on_failure.as_ref().map(|rule| format!("on failure {rule}"));
    let most = (session.parallel > 0)
        .then(|| format!("{} at the same time", counted(usize::from(session.parallel), "task")));
    let id = session.id.chars().take(ID_SHOWN).collect::<String>();
    let facts = [Some(id), begun, who("by", &session.owner), who("master", &session.master), rule, most];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    rows.extend(wrap(&facts.join("   "), room, 2).into_iter().map(|text| (text, Ink::Dim)));
    if let Some(told) = merge(session) {
        let has_failed = session.merge.as_ref().is_some_and(|merge| merge.status == "failed");
        let ink = if has_failed { Ink::Bad } else { Ink::Dim };
        rows.extend(wrap(&told, room, 2).into_iter().map(|text| (text, ink)));
    }
    rows
}
