//! What `?` shows: the keys, the forms of states, and what the words of evidence mean.

use super::footer::plain;
use crate::ui::tui::evidence;
use crate::ui::tui::marks::Mark;
use crate::ui::tui::paint::{Canvas, Ink, columns};
use crate::ui::tui::wrap::wrap;
use ratatui_core::layout::Rect;

/// All keys, for `?`.
const KEYS: [(&str, &str); 24] = [
    ("1 to 6", "needs you, tasks, team, messages, sessions, debates; Tab, Shift-Tab"),
    ("j k ↑ ↓", "choose; Home and End: the first and the last"),
    ("Enter", "attach to the agent (its last line says how to leave); open it"),
    ("p y", "in 5: pause a session or let it go on; yes to its plan"),
    ("n r X", "in 5: new session or task, try again what failed, call off (asks)"),
    ("m e", "in 5: merge the branches; do a task again with another text"),
    ("n t c X", "in 6: new debate, its task, carry its plan out, cancel; ← →: a role"),
    ("Esc", "back, in the end to the list of the place; ends a filter"),
    ("n", "new task"),
    ("/", "filter the rows by their texts or states: `failed`, `state:failed`"),
    ("l", "log with all the room: pages, / finds, End follows, Esc back"),
    ("f", "follow the log, or not; Page Up and Page Down scroll"),
    ("t", "team as a tree or as a table, the most pressing first"),
    ("← →", "fold a branch of the tree, or show it; what is well is folded"),
    ("a 1-9", "answer what is asked, or settle what needs you"),
    ("w", "story with its answer: why a message is where it is; again: zoom"),
    ("s", "screen, with all the room; again: as it was"),
    ("e", "explain how its screen is read; again: with all the room"),
    ("d", "put aside what failed or was refused; an answer counts as read"),
    ("r", "retry: release what is held, try again what failed"),
    ("X", "call off a message with its parts (asks)"),
    ("R", "restart the agent (asks)"),
    ("H", "hold all typing; let go on (asks)"),
    ("q Ctrl-Z", "quit, agents and daemon go on; to the shell, `fg` comes back"),
];

/// Columns of a key, and of a word of evidence.
const KEY_COLUMNS: u16 = 10;
const WORD_COLUMNS: u16 = 14;
/// Rows that one of them may take.
const ROWS: usize = 4;

/// A row: what is told of in so many columns, and what it means.
struct Row {
    name: &'static str,
    columns: u16,
    text: String,
    ink: Ink,
}

/// Draws it over what is there, from a row on.
pub(in crate::ui::tui) fn draw(canvas: &mut Canvas, from: usize, area: Rect) {
    canvas.clear(area);
    let rows = rows(canvas, area.width);
    let shown = usize::from(area.height.saturating_sub(1));
    let from = from.min(rows.len().saturating_sub(shown));
    let below = rows.len().saturating_sub(from + shown);
    let note = if below > 0 { format!("{below} more below") } else { String::new() };
    canvas.rule((area.x, area.y), area.width, "Keys", &note);
    for (y, row) in (area.y + 1..area.bottom()).zip(rows.iter().skip(from)) {
        canvas.text((area.x + 1, y), row.columns.saturating_sub(1), row.name, Ink::Accent);
        let x = area.x + 1 + row.columns;
        canvas.text((x, y), area.right().saturating_sub(x + 1), &row.text, row.ink);
    }
}

fn rows(canvas: &Canvas, width: u16) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut put = |name: &'static str, columns: u16, text: &str, ink: Ink| {
        let room = usize::from(width.saturating_sub(columns + 2));
        for (at, text) in wrap(text, room, ROWS).into_iter().enumerate() {
            rows.push(Row { name: if at == 0 { name } else { "" }, columns, text, ink });
        }
    };
    for (key, does) in KEYS {
        put(if canvas.look.ascii { plain(key) } else { key }, KEY_COLUMNS, does, Ink::Plain);
    }
    for text in signs(canvas, width) {
        put("", KEY_COLUMNS, &text, Ink::Plain);
    }
    put("", 0, "What is known, and how (`marker` and so on in `tasuki why`):", Ink::Bold);
    for (word, meaning) in evidence::words() {
        put(word, WORD_COLUMNS, meaning, Ink::Plain);
    }
    rows
}

/// The form of each state with its word.
fn signs(canvas: &Canvas, width: u16) -> Vec<String> {
    let room = usize::from(width.saturating_sub(KEY_COLUMNS + 2));
    let mut rows = vec![String::new()];
    for (mark, word) in Mark::ALL {
        let one = format!("{} {word}", mark.sign(canvas.look));
        match rows.last_mut() {
            Some(row) if row.is_empty() => *row = one,
            Some(row) if columns(row) + 2 + columns(&one) <= room => *row = format!("{row}  {one}"),
            _ => rows.push(one),
        }
    }
    rows
}
