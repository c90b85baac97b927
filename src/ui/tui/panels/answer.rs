//! What is asked, with its choices. None is drawn stronger than another.

use crate::ui::tui::modes::{Answering, Mode, choice_keys};
use crate::ui::tui::paint::{Canvas, Ink, columns};
use crate::ui::tui::state::TopState;
use crate::ui::tui::wrap::wrap;
use crate::wire::api::AsksInfo;
use ratatui_core::layout::Rect;

/// Rows of a dialog's text that are shown over its choices.
const TEXT_ROWS: usize = 8;
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
