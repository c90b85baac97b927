//! The first rows: the workspace with its pulse, what is amiss, and who waits for whom.

use crate::ui::tui::ages::{age, back_at, by_the_clock, clock, length};
use crate::ui::tui::input::Link;
use crate::ui::tui::marks::Mark;
use crate::ui::tui::paint::{Canvas, Ink, columns};
use crate::ui::tui::state::TopState;
use crate::wire::api::{ChainInfo, NeedKindInfo};
use std::collections::BTreeSet;

/// Columns from which on the first row also has the daemon and the time.
const WIDE_FROM: u16 = 120;

/// A row that says something: a form, a text, and the keys that do something about it.
pub(in crate::ui::tui) struct Line {
    mark: Mark,
    ink: Ink,
    text: String,
    keys: String,
}

/// The first row.
pub(in crate::ui::tui) fn head(canvas: &mut Canvas, state: &TopState) {
    let width = canvas.area().width;
    let name = state.workspace.as_ref().map_or("", |workspace| &*workspace.name);
    let mut time = String::new();
    if width >= WIDE_FROM {
        time = clock(state.now, state.look.here, false);
    }
    let time_columns = u16::try_from(time.len()).unwrap_or(0);
    let room = width.saturating_sub(if time.is_empty() { 0 } else { time_columns + 4 });
    let pulse = pulse(state, usize::from(room.saturating_sub(1)));
    let pulse_columns: usize = pulse.iter().map(|(text, _)| columns(text) + 2).sum();
    let pulse_columns = u16::try_from(pulse_columns.saturating_sub(2)).unwrap_or(0);
    let left = room.saturating_sub(pulse_columns + 2);
    if left > 2 {
        let mut at = 1;
        at += canvas.text((at, 0), left.saturating_sub(at), "tasuki", Ink::Bold) + 2;
        at += canvas.text((at, 0), left.saturating_sub(at), name, Ink::Plain) + 2;
        let daemon = daemon(state);
        if width >= WIDE_FROM {
            let ink = if state.is_away() { Ink::You } else { Ink::Dim };
            canvas.text((at, 0), left.saturating_sub(at), &daemon, ink);
        }
    }
    let mut at = room.saturating_sub(pulse_columns + 1);
    for (text, ink) in pulse {
        at += canvas.text((at, 0), room.saturating_sub(at), &text, ink) + 2;
    }
    canvas.text((width.saturating_sub(time_columns + 1), 0), time_columns, &time, Ink::Plain);
}

fn daemon(state: &TopState) -> String {
    let daemon = state.workspace.as_ref().and_then(|workspace| workspace.daemon.as_ref());
    match (&state.link, daemon) {
        (Link::Loading, _) => "…".to_owned(),
        (Link::Away { .. }, _) => "not live".to_owned(),
        (Link::Live, Some(daemon)) => format!("daemon {}, live", daemon.pid),
        (Link::Asked, Some(daemon)) => format!("daemon {}, asked each second", daemon.pid),
        (_, None) => String::new(),
    }
}

/// The five counts, as far as they fit: those of nothing go first, then the words.
fn pulse(state: &TopState, room: usize) -> Vec<(String, Ink)> {
    let Some(workspace) = &state.workspace else { return Vec::new() };
    let pulse = &workspace.pulse;
    let counts = [
        (Mark::Works, pulse.working, "works", Ink::Accent),
        (Mark::Waits, pulse.waiting, "wait", Ink::Plain),
        (Mark::Asks, pulse.needs_you, "NEED YOU", Ink::You),
        (Mark::Failed, pulse.failed, "failed", Ink::Bad),
        (Mark::Unknown, pulse.stuck, "stuck", Ink::Bold),
    ];
    let word = |word: &'static str, count: usize| match (word, count) {
        ("works", n) if n != 1 => "work",
        ("wait", 1) => "waits",
        ("NEED YOU", 0) => "need you",
        ("NEED YOU", 1) => "NEEDS YOU",
        (word, _) => word,
    };
    let mark = |mark: Mark| mark.sign(state.look);
    let ink = |count: usize, ink: Ink| if count == 0 { Ink::Dim } else { ink };
    let full = |all: bool| {
        let shown = counts.iter().filter(move |(_, count, ..)| all || *count > 0);
        shown.map(|&(form, count, said, colour)| {
            (format!("{} {count} {}", mark(form), word(said, count)), ink(count, colour))
        })
    };
    let forms = counts.iter().filter(|(_, count, ..)| *count > 0);
    let forms =
        forms.map(|&(form, count, _, colour)| (format!("{} {count}", mark(form)), ink(count, colour)));
    let fits = |items: &Vec<(String, Ink)>| {
        items.iter().map(|(text, _)| columns(text) + 2).sum::<usize>() <= room + 2
    };
    let tries = [full(true).collect::<Vec<_>>(), full(false).collect(), forms.collect()];
    let mut tries = tries.into_iter().filter(fits);
    tries.next().unwrap_or_default()
}

/// What is amiss, and the wait chains.
pub(in crate::ui::tui) fn lines(state: &TopState, width: u16) -> Vec<Line> {
    let mut lines = Vec::new();
    if let Link::Away { why, again_at } = &state.link {
        let as_it_was = match state.seen_at {
            Some(at) if state.workspace.is_some() => {
                format!("; as it was at {}", clock(at, state.look.here, false))
            }
            _ => String::new(),
        };
        let again = length((again_at - state.now).max(0));
        let text = format!("{why}{as_it_was}; again in {again}");
        lines.push(Line { mark: Mark::Error, ink: Ink::You, text, keys: String::new() });
    }
    if let Some(since) = state.halted_since() {
        let text =
            format!("ALL TYPING IS HELD for {}: nothing is typed to anybody", age(Some(since), state.time()));
        lines.push(Line { mark: Mark::Held, ink: Ink::You, text, keys: "H let go on".to_owned() });
    }
    if let Some(workspace) = &state.workspace {
        if workspace.tmux_lost {
            let text = "the tmux server is gone: the daemon starts it anew".to_owned();
            lines.push(Line { mark: Mark::Error, ink: Ink::Bad, text, keys: String::new() });
        }
        let note = |note: &String| Line {
            mark: Mark::Error,
            ink: Ink::You,
            text: note.clone(),
            keys: String::new(),
        };
        lines.extend(workspace.notes.iter().filter(|note| is_said_once(state, note)).map(note));
    }
    let is_halted = state.halted_since().is_some();
    let mut seen = BTreeSet::new();
    for chain in &state.needs.chains {
        let is_first = seen.insert(chain.need.as_ref().unwrap_or(&chain.cause.text));
        if is_first && !(is_halted && is_of_halt(state, chain)) {
            lines.push(self::chain(state, chain, width));
        }
    }
    lines
}

/// Whether no need says it: that nothing is typed to an agent stands in the agent's own need, with what can be done.
fn is_said_once(state: &TopState, note: &str) -> bool {
    let is_of = |agent: &String| {
        let rest =
            note.strip_prefix("nothing has been typed to ").and_then(|rest| rest.strip_prefix(&**agent));
        rest.is_some_and(|rest| rest.starts_with(' '))
    };
    !state.needs.needs.iter().filter_map(|need| need.agent.as_ref()).any(is_of)
}

/// Whether it waits for the hold to end, which has a row of its own.
fn is_of_halt(state: &TopState, chain: &ChainInfo) -> bool {
    match chain.need.as_deref() {
        None => chain.cause.who == "you",
        Some(id) => state.need(id).is_some_and(|need| need.kind == NeedKindInfo::Halted),
    }
}

fn chain(state: &TopState, chain: &ChainInfo, width: u16) -> Line {
    let since = age(Some(&chain.since), state.time());
    let is_yours = chain.cause.who == "you";
    let arrow = if state.look.ascii { " > " } else { " › " };
    let (mark, ink) = if is_yours { (Mark::Asks, Ink::You) } else { (Mark::Waits, Ink::Plain) };
    let named = match &chain.title {
        Some(title) if *title != chain.message => format!("{} ({title})", chain.message),
        _ => chain.message.clone(),
    };
    // What a need says is a sentence of its own.
    let need = chain.need.as_deref().and_then(|id| state.need(id));
    let until = need.and_then(|need| need.until.as_deref());
    let back = until.and_then(|until| back_at(until, state.time(), state.look.here));
    let back = back.map(|back| format!(", {back}")).unwrap_or_default();
    let cause = by_the_clock(&chain.cause.text, state.time(), state.look.here);
    let (whom, why) = match chain.need {
        _ if is_yours => (" for YOU".to_owned(), String::new()),
        Some(_) => (String::new(), format!(": {cause}{back}")),
        None => (format!(" for {cause}"), String::new()),
    };
    let wait = match chain.behind {
        0 | 1 => "waits".to_owned(),
        many => format!("and {} more wait", many - 1),
    };
    let all = format!("{wait}{whom} ({since}){why}");
    let long = match chain.agents.as_slice() {
        agents if is_yours && !agents.is_empty() => format!(":  {}{arrow}YOU", agents.join(arrow)),
        // Who is last stands in the cause.
        [] | [_] => String::new(),
        agents => format!(":  {}", agents.join(arrow)),
    };
    let through = chain.agents.last().filter(|_| is_yours);
    let through = through.map(|agent| format!(", through {agent}")).unwrap_or_default();
    let id = &chain.message;
    // The longest that has room: how a task is called, who waits for whom, how many, or only the last of them.
    let texts = [format!("{named} {all}{long}"), format!("{id} {all}{long}"), format!("{id} {all}{through}")];
    let of_limit = if back.is_empty() { "" } else { " for a limit" };
    let short = format!("{id} waits{whom}{of_limit} ({since}){through}{back}");
    // Where sessions are looked at, `a` answers those alone.
    let is_answered = !state.place.is_of_flows()
        || need.is_some_and(|need| state.need_to_answer().is_some_and(|its| its.id == need.id));
    let keys = match need.map(|need| need.kind) {
        _ if !is_answered => String::new(),
        Some(NeedKindInfo::Asks) => "a answer".to_owned(),
        Some(NeedKindInfo::Halted) => "H let go on".to_owned(),
        Some(_) => "a settle".to_owned(),
        None => String::new(),
    };
    let fits = |text: &String| columns(text) + columns(&keys) + 6 <= usize::from(width);
    let text = texts.into_iter().find(fits).unwrap_or(short);
    Line { mark, ink, text, keys }
}

/// Draws such a row.
pub(in crate::ui::tui) fn line(canvas: &mut Canvas, (x, y): (u16, u16), width: u16, line: &Line) {
    let keys = u16::try_from(columns(&line.keys)).unwrap_or(0);
    canvas.text((x + 1, y), 1.min(width), line.mark.sign(canvas.look), line.ink);
    let room = width.saturating_sub(4 + if keys > 0 { keys + 2 } else { 0 });
    canvas.text((x + 3, y), room, &line.text, line.ink);
    if width > keys + 8 {
        canvas.right((x, y), width - 1, &line.keys, Ink::Accent);
    }
}
