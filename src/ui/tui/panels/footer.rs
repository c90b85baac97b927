//! The last rows: keys, and what is said or asked just now.

use crate::ui::session::words::{is_over, of_session};
use crate::ui::tui::modes::Mode;
use crate::ui::tui::paint::{Canvas, Ink, columns};
use crate::ui::tui::state::{Beside, Place, TopState};
use crate::ui::tui::wrap::wrap;
use crate::wire::debate::document::DebateStatus;

/// Rows that a notice or a question takes at most.
const SAID_MAX: usize = 3;

/// The last row: keys, as many as there is room for.
pub(in crate::ui::tui) fn keys(canvas: &mut Canvas, state: &TopState, y: u16) {
    let width = canvas.area().width;
    let shown: Vec<(&str, &str)> = match &state.mode {
        Mode::Normal => normal(state, width),
        Mode::Keys(_) => vec![("↑↓", "more"), ("any other key", "back"), ("q", "quit")],
        Mode::Filter => vec![("⏎", "keep"), ("↑↓", "choose"), ("Esc", "show all")],
        Mode::Answer(asked) => {
            let mut keys = vec![("1-9", if asked.asks.is_some() { "answer" } else { "do it" })];
            keys.extend(asked.agent.is_some().then_some(("⏎", "attach")));
            keys.push(("Esc", "back"));
            keys
        }
        Mode::Confirm(_) => vec![("y", "yes"), ("n", "no")],
        Mode::Compose(composer) if composer.sheet.is_line() => vec![("⏎", "merge"), ("Esc", "back")],
        Mode::Compose(composer) if composer.sheet.is_text_alone() => {
            vec![("⏎", "hand over"), ("Esc", "back"), ("Alt ⏎", "new line"), ("↑↓", "line")]
        }
        Mode::Compose(composer) if composer.next().is_some() => {
            vec![("⏎ Tab", "next field"), ("Esc", "back")]
        }
        Mode::Compose(_) => {
            vec![("⏎", "hand over"), ("Esc", "back"), ("Alt ⏎", "new line"), ("Tab", "next field")]
        }
    };
    let mut at = 1;
    for (key, word) in shown {
        let key = if canvas.look.ascii { plain(key) } else { key };
        let key_columns = u16::try_from(columns(key)).unwrap_or(0);
        let word_columns = u16::try_from(columns(word)).unwrap_or(0);
        if at + key_columns + 1 + word_columns > width {
            break;
        }
        at += canvas.text((at, y), key_columns, key, Ink::Accent) + 1;
        at += canvas.text((at, y), word_columns, word, Ink::Plain) + 2;
    }
}

pub(super) fn plain(key: &'static str) -> &'static str {
    match key {
        "⏎" => "Enter",
        "Alt ⏎" => "Alt Enter",
        "⏎ Tab" => "Enter Tab",
        "↑↓" => "j k",
        "j k ↑ ↓" => "j k",
        "← →" => "Left",
        key => key,
    }
}

/// The keys of the view; in a narrow one, those that matter most.
fn normal(state: &TopState, width: u16) -> Vec<(&'static str, &'static str)> {
    if state.beside == Beside::Log {
        return fitting(state, log_keys(state), width);
    }
    let enter = match state.place {
        Place::Team | Place::Needs => ("⏎", "attach"),
        Place::Tasks | Place::Messages => ("⏎", "open"),
        Place::Sessions | Place::Session => return fitting(state, session_keys(state, width), width),
        Place::Debates | Place::Debate => return fitting(state, debate_keys(state, width), width),
    };
    let hold = if state.halted_since().is_some() { ("H", "let go on") } else { ("H", "hold all") };
    let back = state.zoomed || state.beside != Beside::Screen;
    let keys = [
        (width >= 100, ("1-6", "place")),
        // Where there is little room, what everybody knows is not told.
        (width >= 100, ("↑↓", "choose")),
        (true, enter),
        (back, ("Esc", "back")),
        (true, ("a", "answer")),
        (true, ("w", "story")),
        (true, ("s", "screen")),
        (true, ("l", "log")),
        (width >= 120, ("e", "how it is read")),
        (true, if width >= 100 { ("n", "new task") } else { ("n", "new") }),
        (width >= 120, ("r", "retry")),
        (width >= 120, ("X", "call off")),
        (width >= 140 || state.halted_since().is_some(), hold),
        (true, ("/", "find")),
        (true, ("?", "keys")),
        (true, ("q", "quit")),
    ];
    fitting(state, keys.into_iter().filter(|(fits, _)| *fits).map(|(_, key)| key).collect(), width)
}

/// The keys where sessions are looked at: those that do something there.
fn session_keys(state: &TopState, width: u16) -> Vec<(&'static str, &'static str)> {
    let is_list = state.place == Place::Sessions;
    let session = state.session();
    let task = state.chosen_task();
    let agent = task.and_then(|task| state.agent(task.agent.as_deref()?));
    let is_open = session.is_some_and(|session| !is_over(session));
    let enter = match (is_list, state.beside == Beside::Task) {
        (_, true) => "attach",
        (true, _) => "tasks",
        (false, _) => "all of it",
    };
    let pause = match session.map(of_session) {
        Some("paused" | "stands still") => Some("go on"),
        Some("active" | "being planned") => Some("pause"),
        _ => None,
    };
    // Of one of which only the document is here, no task is done again.
    let may_do = session.is_none_or(|session| !session.only_document);
    let has_failed = match is_list {
        true => session.is_some_and(|session| session.status == "Failed"),
        false => may_do && task.is_some_and(|task| task.status == "Failed"),
    };
    let asks = session.is_some_and(|session| session.waits_for_yes);
    let has_ended = may_do && task.is_some_and(|task| matches!(&*task.status, "Completed" | "Failed"));
    let may_merge = session.is_some_and(|session| {
        let is_merging =
            session.merge.as_ref().is_some_and(|merge| matches!(&*merge.status, "merging" | "waits"));
        !matches!(of_session(session), "active" | "being planned" | "waits for your yes")
            && may_do
            && !is_merging
            && state.sessions.seen(&session.id).is_none_or(|seen| seen.details.has_worktrees)
            && session.counts.completed > 0
    });
    let has_message = task.is_some_and(|task| task.message.is_some());
    let keys = [
        (width >= 100, ("1-6", "place")),
        (width >= 100, ("↑↓", "choose")),
        (session.is_some() && !(enter == "attach" && agent.is_none()), ("⏎", enter)),
        (!is_list || state.beside != Beside::Screen, ("Esc", "back")),
        (asks, ("y", "yes")),
        (has_failed, ("r", "retry")),
        (pause.is_some(), ("p", pause.unwrap_or_default())),
        (state.need_of_sessions().is_some(), ("a", "answer")),
        (may_merge, ("m", "merge")),
        (has_ended, ("e", "edit")),
        (has_message, ("w", "story")),
        (agent.is_some(), ("s", "screen")),
        (is_list || state.takes_tasks().is_ok(), ("n", if is_list { "new" } else { "add" })),
        (is_open, ("X", "call off")),
        (true, ("/", "find")),
        (true, ("?", "keys")),
        (true, ("q", "quit")),
    ];
    keys.into_iter().filter(|(fits, _)| *fits).map(|(_, key)| key).collect()
}

/// The keys where debates are looked at: those that do something there.
fn debate_keys(state: &TopState, width: u16) -> Vec<(&'static str, &'static str)> {
    let is_list = state.place == Place::Debates;
    let speech = state.chosen_speech();
    let agent = speech.and_then(|speech| state.agent(speech.agent.as_deref()?));
    let of_list = || state.debate_of_list(&state.debate_looked_at()?).map(|debate| &debate.status);
    let status = state.debate().map(|seen| &seen.result.status).or_else(of_list);
    let is_read = state.beside == Beside::Speech;
    let enter = match (is_list, is_read) {
        (true, _) => "rounds",
        (false, true) => "attach",
        (false, false) => "all of it",
    };
    let enter_does =
        if is_list { status.is_some() } else { speech.is_some() && (!is_read || agent.is_some()) };
    let keys = [
        (width >= 100, ("1-6", "place")),
        (width >= 100 || !is_list, if is_read { ("↑↓", "scroll") } else { ("↑↓", "choose") }),
        (enter_does, ("⏎", enter)),
        (!is_list || state.beside != Beside::Screen, ("Esc", "back")),
        (!is_list, ("← →", "role")),
        (state.need_of_debates().is_some(), ("a", "answer")),
        (agent.is_some(), ("s", "screen")),
        (is_list, ("n", "new")),
        (status.is_some(), ("t", "task")),
        (width >= 100 && status == Some(&DebateStatus::Completed), ("c", "carry out")),
        (status.is_some_and(|status| !status.is_over()), ("X", "cancel")),
        (speech.is_some_and(|speech| speech.message.is_some()), ("w", "story")),
        (is_list, ("/", "find")),
        (true, ("?", "keys")),
        (true, ("q", "quit")),
    ];
    keys.into_iter().filter(|(fits, _)| *fits).map(|(_, key)| key).collect()
}

/// The keys of the log where that has all the room.
fn log_keys(state: &TopState) -> Vec<(&'static str, &'static str)> {
    let esc = if state.log_view.filter.is_empty() { ("Esc", "back") } else { ("Esc", "show all") };
    // Where there is little room, the last ones but two go first.
    vec![
        esc,
        ("/", "find"),
        ("End", "follow"),
        ("PgUp PgDn", "page"),
        ("↑↓", "line"),
        ("Home", "oldest"),
        ("?", "keys"),
        ("q", "quit"),
    ]
}

/// As many of them as there is room for.
fn fitting<'a>(
    state: &TopState,
    mut shown: Vec<(&'static str, &'a str)>,
    width: u16,
) -> Vec<(&'static str, &'a str)> {
    let key_of = |key: &'static str| if state.look.ascii { plain(key) } else { key };
    // Keys and the way out are told in the narrowest.
    let room = |shown: &[(&'static str, &str)]| {
        1 + shown.iter().map(|(key, word)| columns(key_of(key)) + columns(word) + 3).sum::<usize>()
    };
    while shown.len() > 2 && room(&shown) > usize::from(width) + 2 {
        shown.remove(shown.len() - 3);
    }
    shown
}

/// What was done, what kept it from being done, or what is asked: the rows above the keys.
pub(in crate::ui::tui) fn said(state: &TopState, width: u16, ascii: bool) -> Vec<(String, Ink)> {
    let room = usize::from(width.saturating_sub(2));
    let rows = |text: &str, ink: Ink| wrap(text, room, SAID_MAX).into_iter().map(move |row| (row, ink));
    match (&state.mode, &state.notice) {
        (Mode::Filter, _) => {
            let cursor = if ascii { "_" } else { "▏" };
            vec![(format!("/{}{cursor}", state.filter()), Ink::Bold)]
        }
        (Mode::Confirm(confirm), _) => {
            let asked = format!("{}  y yes  n no", confirm.question);
            let both = format!("{asked}   {}", confirm.command);
            match columns(&both) <= room {
                true => vec![(both, Ink::You)],
                false => rows(&asked, Ink::You).chain(rows(&confirm.command, Ink::Dim)).collect(),
            }
        }
        (_, Some(Ok(text))) => rows(text, Ink::Good).collect(),
        (_, Some(Err(problem))) => {
            let cure = if problem.cure.is_empty() { String::new() } else { format!(": {}", problem.cure) };
            rows(&format!("{}{cure}", problem.why), Ink::Bad).collect()
        }
        (_, None) => Vec::new(),
    }
}
