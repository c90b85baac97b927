//! What is asked, with its choices. None is drawn stronger than another.

use crate::ui::tui::modes::{Answering, Mode, choice_keys};
use crate::ui::tui::paint::{Canvas, Ink, columns};
use crate::ui::tui::state::TopState;
use crate::ui::tui::wrap::wrap;
use crate::wire::api::AsksInfo;
use ratatui_core::layout::Rect;

/// Rows of a dialog's text that are shown over its choices.
const TEXT_ROWS: usize = 8;
/// What stands over what can be done where nothing is asked.
const NOTHING_ASKED: &str = "Nothing is asked here. What can be done:";
/// Rows that one sentence may take.
const WRAPPED_ROWS: usize = 4;

/// A row of it.
pub(in crate::ui::tui) enum AskLine {
    Rule(String, String),
    Text(String),
    Choice(String, String),
    Hint(String),
}

/// The choices below a screen that asks, while nobody answers yet.
pub(in crate::ui::tui) fn offered(state: &TopState, area: Rect) -> Vec<AskLine> {
    // Where the screen has little room, its own rows tell them.
    if area.height < 12 || !matches!(state.mode, Mode::Normal) {
        return Vec::new();
    }
    let Some(asks) = state.looked_at().and_then(|agent| agent.asks.as_ref()) else { return Vec::new() };
    if asks.choices.is_empty() {
        return Vec::new();
    }
    let title = "Its answer, seen there before Enter is pressed".to_owned();
    let mut lines = vec![AskLine::Rule(title, "a".to_owned())];
    lines.extend(choices(asks));
    lines
}

/// As much of it as has room: what is said gives way to what can be chosen, and that is scrolled if it must be.
pub(in crate::ui::tui) fn fitted(asked: &Answering, width: u16, room: usize) -> Vec<AskLine> {
    let mut lines = lines(asked, width);
    let is_choice = |line: &AskLine| matches!(line, AskLine::Choice(..));
    // The words that stand farthest from the choices go first.
    while lines.len() > room
        && let Some(at) = lines
            .iter()
            .rposition(|line| matches!(line, AskLine::Hint(_)))
            .or_else(|| lines.iter().position(|line| matches!(line, AskLine::Text(_))))
    {
        lines.remove(at);
    }
    if lines.len() <= room {
        return lines;
    }
    let choices = lines.iter().filter(|line| is_choice(line)).count();
    let shown = room.saturating_sub(1);
    let from = asked.from.min(choices.saturating_sub(shown));
    let note = format!("{} more: j k   Esc leaves it", choices - shown.min(choices));
    let mut fitted = vec![AskLine::Rule(asked.title.clone(), note)];
    fitted.extend(lines.into_iter().filter(is_choice).skip(from).take(shown));
    fitted
}

/// All of it, while an answer is chosen.
pub(in crate::ui::tui) fn lines(asked: &Answering, width: u16) -> Vec<AskLine> {
    let rows = |text: &str| wrap(text, usize::from(width.saturating_sub(2)), WRAPPED_ROWS);
    let mut lines = vec![AskLine::Rule(asked.title.clone(), "Esc leaves it".to_owned())];
    lines.extend(asked.detail.iter().flat_map(|text| rows(text)).map(AskLine::Text));
    let hint = match (&asked.asks, &asked.agent) {
        (Some(asks), Some(agent)) if !asks.choices.is_empty() => {
            let shown: Vec<&str> = asks.text.lines().filter(|row| !row.trim().is_empty()).collect();
            let from = shown.len().saturating_sub(TEXT_ROWS);
            lines.extend(shown[from..].iter().map(|row| AskLine::Text((*row).to_owned())));
            lines.extend(choices(asks));
            format!("tasuki answer {agent} NUMBER --of {}", asks.id)
        }
        (asks, agent) => {
            if let Some(asks) = asks {
                lines.extend(asks.text.lines().take(TEXT_ROWS).map(|row| AskLine::Text(row.to_owned())));
            }
            if asks.is_none() && asked.cures.iter().any(|cure| cure.path.is_some()) {
                lines.push(AskLine::Text(NOTHING_ASKED.to_owned()));
            }
            let label_columns = asked.cures.iter().map(|cure| columns(&cure.label)).max().unwrap_or(0);
            for (at, cure) in asked.cures.iter().enumerate().take(9) {
                let key = if cure.path.is_some() { (at + 1).to_string() } else { String::new() };
                let pad = " ".repeat(label_columns - columns(&cure.label));
                lines.push(AskLine::Choice(key, format!("{}{pad}   {}", cure.label, cure.command)));
            }
            match agent {
                Some(agent) => format!("Enter attaches to {agent}"),
                None => String::new(),
            }
        }
    };
    lines.extend(rows(&hint).into_iter().map(AskLine::Hint));
    lines
}

fn choices(asks: &AsksInfo) -> Vec<AskLine> {
    let keys = choice_keys(&asks.choices);
    let line = |(key, choice): (Option<u8>, &String)| {
        let key = key.map(|key| key.to_string()).unwrap_or_default();
        let text = choice.strip_prefix(&*format!("{key}.")).unwrap_or(choice).trim_start();
        AskLine::Choice(key, text.to_owned())
    };
    keys.into_iter().zip(&asks.choices).map(line).collect()
}

/// Draws a row.
pub(in crate::ui::tui) fn line(canvas: &mut Canvas, at: (u16, u16), width: u16, line: &AskLine) {
    let inner = (at.0 + 1, at.1);
    let room = width.saturating_sub(2);
    match line {
        AskLine::Rule(title, note) => canvas.rule(at, width, title, note),
        AskLine::Text(text) => drop(canvas.text(inner, room, text, Ink::Plain)),
        AskLine::Choice(key, text) => {
            canvas.text(inner, 1, key, Ink::Accent);
            canvas.text((inner.0 + 2, inner.1), room.saturating_sub(2), text, Ink::Plain);
        }
        AskLine::Hint(text) => drop(canvas.text(inner, room, text, Ink::Dim)),
    }
}
