//! The rounds of a debate below each other, its roles side by side, and how it stands.

use super::{empty, question, window};
use crate::ui::tui::ages::{age, clock, length, moment};
use crate::ui::tui::debates::{DebateSeen, RoleSeen, SpeechSeen, word_of};
use crate::ui::tui::marks::{of_debate, of_speech};
use crate::ui::tui::paint::{Canvas, Ink, columns};
use crate::ui::tui::state::TopState;
use crate::ui::tui::wrap::wrap;
use crate::wire::debate::document::DebateStatus;
use ratatui_core::layout::Rect;

/// Columns of a cell: the mark of the chosen one, its form, its time such as `12m34s`, and blanks between.
const CELL: u16 = 10;
/// The most that a column of a role takes, however long it is called.
const CELL_MAX: usize = 24;
/// Columns from which on the word stands before the number of a round.
const WORDS_FROM: u16 = 56;
/// Rows of what is said of a debate as a whole: why it failed is long.
const MESSAGE_ROWS: usize = 4;
/// What the row of whoever is asked alone is called.
const ALONE: &str = "alone";
/// Characters of an id that are told, as lists of the command line have it.
const ID_SHOWN: usize = 8;

/// Rows that the place of the debate that is open would take.
pub(in crate::ui::tui) fn height(state: &TopState, width: u16) -> usize {
    // With its title.
    state.opened_debate().map_or(3, |seen| rows(seen, width) + 1)
}

/// The same of any debate, without its title: its facts, the names of the roles, and who speaks for them.
pub(super) fn rows(seen: &DebateSeen, width: u16) -> usize {
    message(seen, width, MESSAGE_ROWS).len() + seen.rows.len() + 3
}

/// The debate that is open.
pub(in crate::ui::tui) fn draw(canvas: &mut Canvas, state: &TopState, area: Rect) {
    let Some(seen) = state.opened_debate() else {
        canvas.rule((area.x, area.y), area.width, "6 Debate", "Esc all debates");
        if let Some((_, Err(problem))) = &state.debates.seen {
            empty(canvas, area, &format!("{}: {}", problem.why, problem.cure));
        }
        return;
    };
    let chosen = state.chosen().and_then(|id| seen.place(&id));
    let shown = Columns::of(seen, area.width, chosen);
    let note = match seen.besides.roles.len() {
        many if shown.many < many => {
            format!("roles {} to {} of {many}", shown.from + 1, shown.from + shown.many)
        }
        _ => "Esc all debates".to_owned(),
    };
    canvas.rule((area.x, area.y), area.width, &format!("6 {}", seen.title()), &note);
    let inner = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    let inner = question::below(canvas, seen, rows(seen, area.width), inner);
    inside(canvas, state, seen, inner, chosen);
}

/// How a debate stands, and its rounds; what there is no room for goes by what it says least.
pub(super) fn inside(
    canvas: &mut Canvas,
    state: &TopState,
    seen: &DebateSeen,
    area: Rect,
    chosen: Option<(usize, usize)>,
) {
    let many = message(seen, area.width, MESSAGE_ROWS).len();
    let mut rest = usize::from(area.height).saturating_sub(2 + seen.rows.len());
    let mut take = |wish: usize| {
        let taken = wish.min(rest);
        rest -= taken;
        taken
    };
    let (facts, providers) = (take(1), take(1));
    let message = message(seen, area.width, 1 + take(many.saturating_sub(1)));
    let mark = of_debate(&seen.result.status);
    let mut y = area.y;
    let bottom = area.bottom();
    let ink = match mark.ink() {
        Ink::Accent => Ink::Bold,
        ink => ink,
    };
    for (at, text) in message.iter().take(usize::from(area.height)).enumerate() {
        if at == 0 {
            canvas.text((area.x + 1, y), 1, mark.sign(canvas.look), mark.ink());
        }
        canvas.text((area.x + 3, y), area.width.saturating_sub(4), text, ink);
        y += 1;
    }
    if facts > 0 && y < bottom {
        let room = area.width.saturating_sub(4);
        canvas.text((area.x + 3, y), room, &self::facts(state, seen, usize::from(room)), Ink::Plain);
        y += 1;
    }
    let shown = Columns::of(seen, area.width, chosen);
    if y < bottom {
        heads(canvas, seen, (area, y), &shown, chosen, |role| (role.name.clone(), Ink::Bold));
        y += 1;
    }
    if providers > 0 && y < bottom {
        heads(canvas, seen, (area, y), &shown, None, |role| (program(role), Ink::Dim));
        y += 1;
    }
    let room = usize::from(bottom.saturating_sub(y));
    let from = window(chosen.map_or(0, |(row, _)| row), seen.rows.len(), room);
    for (row, y) in (from..seen.rows.len()).zip(y..bottom) {
        self::row(canvas, state, seen, (area, y), (row, &shown), chosen);
    }
}

/// Which roles there is room for.
struct Columns {
    /// Columns before the first of them.
    label: u16,
    /// Columns of each.
    each: u16,
    from: usize,
    many: usize,
}

impl Columns {
    fn of(seen: &DebateSeen, width: u16, chosen: Option<(usize, usize)>) -> Self {
        let label = match width {
            WORDS_FROM.. => 9,
            _ if seen.besides.steps.iter().any(|step| step.round == 0) => 7,
            _ => 3,
        };
        let roles = &seen.besides.roles;
        let widest = |role: &RoleSeen| columns(&role.name).max(columns(&program(role)));
        let widest = roles.iter().map(widest).max().unwrap_or(0).min(CELL_MAX);
        let room = width.saturating_sub(label);
        let fair = room / u16::try_from(roles.len().max(1)).unwrap_or(u16::MAX);
        let each = u16::try_from(widest + 2).unwrap_or(CELL).min(fair).max(CELL);
        let many = usize::from(room / each).clamp(1, roles.len().max(1));
        // Whoever is asked alone stands in the first of them.
        let column = chosen.map_or(0, |(_, column)| column);
        Self { label, each, from: window(column, roles.len(), many), many }
    }

    /// Where the column of a role begins; none if there is no room for it.
    fn x(&self, area: Rect, column: usize) -> Option<u16> {
        let at = column.checked_sub(self.from).filter(|at| *at < self.many)?;
        Some(area.x + self.label + u16::try_from(at).ok()? * self.each)
    }
}

/// A row above the rounds with something about each role.
fn heads(
    canvas: &mut Canvas,
    seen: &DebateSeen,
    (area, y): (Rect, u16),
    shown: &Columns,
    chosen: Option<(usize, usize)>,
    of: impl Fn(&RoleSeen) -> (String, Ink),
) {
    let chosen = chosen.and_then(|(row, column)| seen.cell(row, column)).map(|speech| &*speech.role);
    for (column, role) in seen.besides.roles.iter().enumerate() {
        let Some(x) = shown.x(area, column) else { continue };
        let (text, ink) = of(role);
        let ink = if chosen == Some(&*role.id) { Ink::Accent } else { ink };
        let room = (shown.each - 2).min(area.right().saturating_sub(x + 2));
        canvas.text((x + 1, y), room, &text, ink);
    }
}

fn row(
    canvas: &mut Canvas,
    state: &TopState,
    seen: &DebateSeen,
    (area, y): (Rect, u16),
    (row, shown): (usize, &Columns),
    chosen: Option<(usize, usize)>,
) {
    let Some(first) = seen.cell(row, 0) else { return };
    let label = match first.round {
        0 => ALONE.to_owned(),
        round if area.width >= WORDS_FROM => format!("round {round}"),
        round => round.to_string(),
    };
    let is_chosen = chosen.is_some_and(|(at, _)| at == row);
    let ink = if is_chosen { Ink::Bold } else { Ink::Dim };
    canvas.text((area.x + 1, y), shown.label.saturating_sub(1), &label, ink);
    let many = seen.rows.get(row).map_or(0, Vec::len);
    for column in 0..many {
        let x = match first.round {
            0 => Some(area.x + shown.label),
            _ => shown.x(area, column),
        };
        let Some((x, speech)) = x.zip(seen.cell(row, column)) else { continue };
        cell(canvas, state, speech, (x, y), shown.each, chosen == Some((row, column)));
    }
}

fn cell(
    canvas: &mut Canvas,
    state: &TopState,
    speech: &SpeechSeen,
    (x, y): (u16, u16),
    width: u16,
    is_chosen: bool,
) {
    let mark = of_speech(speech);
    if is_chosen {
        canvas.text((x, y), 1, canvas.sign("▸", ">"), Ink::Accent);
    }
    canvas.text((x + 1, y), 1, mark.sign(canvas.look), mark.ink());
    let ink = if is_chosen { Ink::Bold } else { Ink::Plain };
    canvas.text((x + 3, y), width.saturating_sub(4), &took(state, speech), ink);
}

/// How long a speech takes, or took.
pub(super) fn took(state: &TopState, speech: &SpeechSeen) -> String {
    let began = speech.began_at.as_deref();
    match (speech.ended_at.as_deref().and_then(moment), began.and_then(moment)) {
        (Some(end), Some(began)) => length(end - began),
        (None, Some(_)) if speech.is_under_way() => age(began, state.time()),
        _ => String::new(),
    }
}

/// The program that speaks for a role, and its model.
pub(super) fn program(role: &RoleSeen) -> String {
    match &role.model {
        Some(model) => format!("{}, {model}", role.provider),
        None => role.provider.clone(),
    }
}

/// How far it is, in rows.
fn message(seen: &DebateSeen, width: u16, most: usize) -> Vec<String> {
    let word = word_of(&seen.result.status);
    let text = match &seen.result.status {
        DebateStatus::Failed(_) => format!("{word}: {}", seen.result.message),
        _ => seen.result.message.clone(),
    };
    let text: Vec<&str> = text.split_whitespace().collect();
    let rows = wrap(&text.join(" "), usize::from(width.saturating_sub(4)), most);
    if rows.is_empty() { vec![word.to_owned()] } else { rows }
}

/// Who speaks, for how long it has been going on, and what it has used so far: the first of them that there is room for.
fn facts(state: &TopState, seen: &DebateSeen, room: usize) -> String {
    let besides = &seen.besides;
    let speakers = seen.speakers();
    let names: Vec<&str> = speakers.iter().map(|speech| &*speech.role).collect();
    let speaks = match names.as_slice() {
        [] => None,
        [one] => Some(format!("{one} speaks")),
        many => Some(format!("{} speak", many.join(", "))),
    };
    let began = moment(&besides.created_at);
    let took = match (seen.result.status.is_over(), began, moment(&besides.updated_at)) {
        (true, Some(began), Some(end)) => Some(format!("took {}", length(end - began))),
        (false, Some(_), _) => Some(format!("for {}", age(Some(&besides.created_at), state.time()))),
        _ => None,
    };
    let tokens = (besides.tokens_used > 0).then(|| format!("{} tokens", grouped(besides.tokens_used)));
    let cost = (besides.cost_usd > 0.0).then(|| format!("${:.2}", besides.cost_usd));
    let began = began.map(|at| format!("began {}", clock(at, state.look.here, false)));
    let id = seen.result.debate_id.chars().take(ID_SHOWN).collect::<String>();
    let facts = [speaks, took, tokens, cost, Some(id), began];
    let mut line = String::new();
    for fact in facts.into_iter().flatten() {
        if line.is_empty() {
            line = fact;
        } else if columns(&line) + columns(&fact) + 3 <= room {
            line = format!("{line}   {fact}");
        }
    }
    line
}

/// A number with a comma before each three digits.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
