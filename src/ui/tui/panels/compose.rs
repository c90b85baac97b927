//! The composer: a new task, to whom and what.

use crate::ui::session::words::branch_of;
use crate::ui::tui::modes::{Composer, Field, INCOMPLETE, Sheet};
use crate::ui::tui::paint::{Canvas, Ink, columns};
use ratatui_core::layout::Rect;
use ratatui_core::style::{Modifier, Style};

/// Rows of the text that are shown.
const TEXT_ROWS: u16 = 6;

/// Draws it over the lower part of what is there.
pub(in crate::ui::tui) fn draw(canvas: &mut Canvas, composer: &Composer, body: Rect) {
    let problem = problem(composer, body.width);
    let form = Form::of(&composer.sheet);
    let Form { title, name, needs, hint } = &form;
    let head = 1 + u16::from(name.is_some()) + u16::from(needs.is_some());
    let rows = (TEXT_ROWS + head + 1 + u16::try_from(problem.len()).unwrap_or(0)).min(body.height);
    let area = Rect { y: body.bottom() - rows, height: rows, ..body };
    canvas.clear(area);
    let note = match &composer.sheet {
        _ if composer.is_sent => "handing over…",
        Sheet::Merge(_) => "Enter begins it   Esc",
        Sheet::Edit(..) => "Enter hands it over   Alt-Enter new line   Esc",
        _ if composer.next().is_some() => "Enter next field   Tab   Esc",
        _ => "Enter hands it over   Alt-Enter new line   Tab   Esc",
    };
    // The last row has the keys as well: what is written comes first.
    let fits = columns(title) + columns(note) + 8 <= usize::from(area.width);
    canvas.rule((area.x, area.y), area.width, title, if fits || composer.is_sent { note } else { "" });
    if area.height < 3 {
        return;
    }
    let mut field = |y: u16, label: &str, text: &str, hint: &str, has_cursor: bool| {
        let took = canvas.text((area.x + 1, y), 8, label, Ink::Dim);
        let at = area.x + 1 + took + 2;
        let took = canvas.text((at, y), area.width.saturating_sub(at - area.x + 2), text, Ink::Bold);
        if text.is_empty() {
            canvas.text((at + 2, y), area.width.saturating_sub(at - area.x + 4), hint, Ink::Dim);
        }
        if has_cursor {
            cursor(canvas, (at + took, y));
        }
    };
    if let Some((name, hint)) = name {
        field(area.y + 1, name, &composer.to, hint, composer.field == Field::To);
    }
    if let Some((name, hint)) = needs.filter(|_| area.height > 3) {
        field(area.y + 2, name, &composer.needs, hint, composer.field == Field::Needs);
    }
    let width = usize::from(area.width.saturating_sub(3)).max(1);
    let (lines, (row, column)) = wrapped(composer, width);
    let shown = usize::from(area.height.saturating_sub(head + 1)).saturating_sub(problem.len()).max(1);
    let first = (row + 1).saturating_sub(shown);
    for (y, (at, text)) in (area.y + head..).zip(lines.iter().enumerate().skip(first).take(shown)) {
        canvas.text((area.x + 1, y), area.width.saturating_sub(2), text, Ink::Plain);
        if at == row && composer.field == Field::Text {
            cursor(canvas, (area.x + 1 + column, y));
        }
    }
    if composer.text.is_empty() {
        let room = area.width.saturating_sub(5);
        canvas.text((area.x + 3, area.y + head), room, hint, Ink::Dim);
    }
    let first = area.bottom().saturating_sub(u16::try_from(problem.len()).unwrap_or(0));
    for (y, (text, ink)) in (first..area.bottom()).zip(&problem) {
        canvas.text((area.x + 1, y), area.width.saturating_sub(2), text, *ink);
    }
}

/// What a sheet is called, its fields, and what stands in an empty text.
struct Form {
    title: String,
    /// What its name is called, and what stands there where it is empty; none of a text alone.
    name: Option<(&'static str, &'static str)>,
    /// The same of the field between the name and the text.
    needs: Option<(&'static str, &'static str)>,
    hint: String,
}

impl Form {
    fn of(sheet: &Sheet) -> Self {
        let form = |title: &str, name: Option<&'static str>, hint: &str| Self {
            title: title.to_owned(),
            name: name.map(|name| (name, "")),
            needs: None,
            hint: hint.to_owned(),
        };
        match sheet {
            Sheet::Task => form("New task", Some("To"), "what is to be done"),
            Sheet::Goal => form("New session: its goal", Some("Master"), "what is to be reached"),
            Sheet::Debate => Self {
                name: Some(("Roles", "architect, security, qa, developer, performance, product")),
                needs: Some(("At once", "how many speak at a time: 1 unless you say otherwise, 0 is all")),
                ..form("New debate", None, "what is debated")
            },
            Sheet::Step(_) => Self {
                needs: Some(("Needs", "numbers of the tasks that it needs, such as 1, 2; may stay empty")),
                ..form("New task in it", Some("Name"), "its description: what is to be done")
            },
            Sheet::Edit(_, task) => {
                form(&format!("{task}, another text"), None, "what its agent is told this time")
            }
            Sheet::Merge(id) => {
                form("Merge its branches: onto which one", None, &format!("empty: {}", branch_of(id)))
            }
        }
    }
}

/// Why it was refused, where, and the cure.
fn problem(composer: &Composer, width: u16) -> Vec<(String, Ink)> {
    let Some(problem) = &composer.problem else { return Vec::new() };
    let place = match (&problem.field, problem.line) {
        (Some(field), Some(line)) => format!(" ({field}, line {line})"),
        (Some(field), None) => format!(" ({field})"),
        (None, Some(line)) => format!(" (line {line})"),
        (None, None) => String::new(),
    };
    let mut lines = Vec::new();
    let room = usize::from(width.saturating_sub(4)).max(8);
    let refused = if problem.code == INCOMPLETE { "Not yet" } else { "Refused" };
    let first =
        [(format!("{refused}: {}{place}", problem.why), Ink::Bad), (problem.cure.clone(), Ink::Plain)];
    let others = problem.others.iter().map(|other| (format!("and: {}", other.why), Ink::Bad));
    for (text, ink) in first.into_iter().chain(others).filter(|(text, _)| !text.is_empty()) {
        lines.extend(folded(&text, room).into_iter().map(|line| (line, ink)));
    }
    lines.truncate(5);
    lines
}

/// A text in lines of so many columns.
fn folded(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for c in text.chars() {
        let last = lines.len() - 1;
        let is_full = columns(&lines[last]) + columns(c.encode_utf8(&mut [0; 4])) > width;
        if c == '\n' || is_full {
            lines.push(String::new());
        }
        if c != '\n'
            && let Some(line) = lines.last_mut()
        {
            line.push(c);
        }
    }
    lines
}

/// The text in rows, and the row and column of the cursor.
fn wrapped(composer: &Composer, width: usize) -> (Vec<String>, (usize, u16)) {
    let before = folded(composer.text.get(..composer.at).unwrap_or_default(), width);
    let row = before.len() - 1;
    let column = u16::try_from(columns(&before[row])).unwrap_or(0);
    (folded(&composer.text, width), (row, column))
}

fn cursor(canvas: &mut Canvas, at: (u16, u16)) {
    canvas.styled(at, 1, " ", Style::new().add_modifier(Modifier::REVERSED));
}
