//! What a role said in a round, or why it did not.

use super::empty;
use super::rounds::{grouped, program, took};
use crate::ui::tui::ages::by_the_clock;
use crate::ui::tui::debates::{DebateSeen, SpeechSeen};
use crate::ui::tui::marks::of_speech;
use crate::ui::tui::paint::{Canvas, Ink};
use crate::ui::tui::state::TopState;
use crate::ui::tui::wrap::wrap;
use ratatui_core::layout::Rect;

/// Bytes of a text that are shown: each look at it breaks it into rows.
const TEXT_BYTES: usize = 64 << 10;
/// Rows that one line of a text may take: all of a text that is one line.
const LINE_ROWS: usize = TEXT_BYTES;

/// Draws the chosen speech.
pub(in crate::ui::tui) fn draw(canvas: &mut Canvas, state: &TopState, area: Rect) {
    let (Some(speech), Some(seen)) = (state.chosen_speech(), state.opened_debate()) else {
        canvas.rule((area.x, area.y), area.width, "Speech", "");
        return empty(canvas, area, "");
    };
    let room = usize::from(area.width.saturating_sub(2));
    let mut rows: Vec<(String, Ink)> = Vec::new();
    for (text, ink) in texts(state, seen, speech) {
        match text.trim().is_empty() {
            true => rows.push((String::new(), ink)),
            false => rows.extend(wrap(&text, room, LINE_ROWS).into_iter().map(|text| (text, ink))),
        }
    }
    let shown = usize::from(area.height.saturating_sub(1));
    let from = state.beside_from.min(rows.len().saturating_sub(shown));
    let note = match rows.len().saturating_sub(from + shown) {
        0 => String::new(),
        below => format!("{below} more below   PgUp PgDn"),
    };
    let title = match (speech.round, seen.role(&speech.role)) {
        (0, _) => "Asked alone, for comparison".to_owned(),
        (round, Some(role)) if role.name != role.id => format!("Round {round}, {}: {}", role.id, role.name),
        (round, _) => format!("Round {round}, {}", speech.role),
    };
    canvas.rule((area.x, area.y), area.width, &title, &note);
    for (y, (text, ink)) in (area.y + 1..area.bottom()).zip(rows.iter().skip(from)) {
        canvas.text((area.x + 1, y), area.width.saturating_sub(2), text, *ink);
    }
}

/// How it stands, and its text.
fn texts(state: &TopState, seen: &DebateSeen, speech: &SpeechSeen) -> Vec<(String, Ink)> {
    let mark = of_speech(speech);
    let output = state.output_of(speech);
    let tokens = output.map(|output| u64::from(output.tokens_used)).filter(|tokens| *tokens > 0);
    let tries = output.and_then(|output| output.tasuki.tries).filter(|tries| *tries > 1);
    let head = [
        Some(format!("{} {}", mark.sign(state.look), speech.word())),
        Some(took(state, speech)),
        seen.role(&speech.role).map(program),
        tokens.map(|tokens| format!("{} tokens", grouped(tokens))),
        output.and_then(|output| output.tasuki.cost_usd).map(|cost| format!("${cost:.2}")),
        tries.map(|tries| format!("{tries} tries")),
    ];
    let head: Vec<String> = head.into_iter().flatten().filter(|text| !text.is_empty()).collect();
    let mut rows = vec![(head.join("   "), mark.ink())];
    if let Some(besides) = output.map(|output| &output.tasuki) {
        if !besides.missing.is_empty() {
            rows.push((format!("not in the base: {}", besides.missing.join(", ")), Ink::You));
        }
        rows.extend(besides.notes.iter().map(|note| (note.clone(), Ink::Dim)));
    }
    rows.push((String::new(), Ink::Plain));
    rows.extend(match &*speech.stage {
        "failed" => failure(state, speech),
        "completed" => said(state, speech),
        _ => vec![(expected(state, speech), Ink::Plain)],
    });
    rows
}

/// Why a role failed, in all its lines.
fn failure(state: &TopState, speech: &SpeechSeen) -> Vec<(String, Ink)> {
    let of_round = state.output_of(speech).and_then(|output| output.error.clone());
    let note = || Some(by_the_clock(speech.note.as_deref()?, state.time(), state.look.here));
    let why = of_round.or_else(note).unwrap_or_else(|| "it is not known why".to_owned());
    let mut rows = vec![("Why it failed:".to_owned(), Ink::Bad)];
    rows.extend(lines(&why, state, speech));
    rows
}

/// What a role said; that of whoever was asked alone stands in its message.
fn said(state: &TopState, speech: &SpeechSeen) -> Vec<(String, Ink)> {
    let of_message = || {
        let whole = state.whole.as_ref()?;
        let is_its = Some(whole.message.id.as_str()) == speech.message.as_deref();
        Some(&*whole.answer.as_ref().filter(|_| is_its)?.text)
    };
    let text = state.output_of(speech).map(|output| &*output.proposal).or_else(of_message);
    match (text, &state.debates.said) {
        (Some(text), _) if text.trim().is_empty() => vec![("it said nothing".to_owned(), Ink::Dim)],
        (Some(text), _) => lines(text, state, speech),
        (None, Some((of, Err(problem)))) if of.n == speech.round => {
            vec![(format!("{}: {}", problem.why, problem.cure), Ink::Bad)]
        }
        (None, _) => Vec::new(),
    }
}

/// A text in lines; its headings stand out.
fn lines(text: &str, state: &TopState, speech: &SpeechSeen) -> Vec<(String, Ink)> {
    let end = text.floor_char_boundary(TEXT_BYTES);
    let cut = text.get(..end).unwrap_or_default();
    let ink = |line: &str| if line.starts_with('#') { Ink::Bold } else { Ink::Plain };
    let mut rows: Vec<(String, Ink)> =
        cut.trim_end().lines().map(|line| (line.to_owned(), ink(line))).collect();
    if end < text.len() {
        let id = state.debates.opened.as_deref().unwrap_or("ID");
        let more = match speech.round {
            0 => format!("…and more: `tasuki answer {}`", speech.message.as_deref().unwrap_or("ID")),
            round => format!("…and more: `tasuki debate outputs {id} --round {round}`"),
        };
        rows.push((more, Ink::Dim));
    }
    rows
}

/// What is waited for where there is no text yet.
fn expected(state: &TopState, speech: &SpeechSeen) -> String {
    let is_there = speech.agent.as_deref().is_some_and(|name| state.agent(name).is_some());
    let note = speech.note.as_deref().filter(|note| !note.is_empty());
    match (&*speech.stage, note) {
        (_, Some(note)) => by_the_clock(note, state.time(), state.look.here),
        ("sent", _) if is_there => {
            "s shows its screen; Enter reads on, and again goes to its window".to_owned()
        }
        ("sent", _) => "its answer is awaited".to_owned(),
        ("pending", _) => "it begins when the round before is over".to_owned(),
        ("ready", _) => "it begins when those before it have spoken".to_owned(),
        ("preparing", _) => "its worktree is made".to_owned(),
        _ => "it was not asked".to_owned(),
    }
}
