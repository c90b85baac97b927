//! Draws on a terminal as the agent CLIs do: a region at the bottom that is changed in place, word by word, with
//! cursor movements instead of spaces. Pure: it makes the bytes, others write them.

use super::text::columns;

/// Erases the row of the cursor.
const ERASE_ROW: &str = "\x1b[2K";

/// The rows at the bottom that are drawn again and again. They are never wider than the screen.
#[derive(Debug, Default)]
pub(super) struct Region {
    rows: Vec<String>,
    /// Row of the cursor within the region.
    at: usize,
}

impl Region {
    /// Erases the region; the cursor is then where its first row was. Row by row as the CLIs do it, for tmux takes
    /// "erase all below" on the first row of the screen for a clearing and keeps a copy of the screen in its history.
    pub(super) fn erase(&mut self) -> String {
        let Some(last) = self.rows.len().checked_sub(1) else { return String::new() };
        let to_last = self.go(last);
        self.rows.clear();
        self.at = 0;
        let each = format!("{ERASE_ROW}{}", up(1));
        format!("{to_last}{}{ERASE_ROW}\r", each.repeat(last))
    }

    /// Shows `rows`, with the cursor in `row` at `column` (from 0). Only what changed is written.
    pub(super) fn draw(&mut self, rows: Vec<String>, row: usize, column: usize) -> String {
        let mut out = if rows.len() == self.rows.len() {
            self.change(&rows)
        } else {
            let fresh = self.erase() + &rows.join("\r\n");
            self.at = rows.len().saturating_sub(1);
            fresh
        };
        out += &self.go(row);
        out += &to_column(column);
        self.rows = rows;
        out
    }

    fn change(&mut self, rows: &[String]) -> String {
        let old = std::mem::take(&mut self.rows);
        let mut out = String::new();
        for (row, (old, new)) in old.iter().zip(rows).enumerate().filter(|(_, (old, new))| old != new) {
            out += &self.go(row);
            out += &difference(old, new);
        }
        out
    }

    fn go(&mut self, row: usize) -> String {
        let from = std::mem::replace(&mut self.at, row);
        if row < from { up(from - row) } else { down(row - from) }
    }
}

/// A row drawn word by word, with a cursor movement where the spaces are: `CODING ESC[8G OK`.
pub(super) fn drawn(row: &str) -> String {
    words(row)
        .map(|(column, word)| if column == 0 { word.to_owned() } else { to_column(column) + word })
        .collect()
}

/// Moves the cursor up by `rows` rows.
pub(super) fn up(rows: usize) -> String {
    if rows == 0 { String::new() } else { format!("\x1b[{rows}A") }
}

fn down(rows: usize) -> String {
    if rows == 0 { String::new() } else { format!("\x1b[{rows}B") }
}

fn to_column(column: usize) -> String {
    format!("\x1b[{}G", column + 1)
}

/// What turns `old` into `new` on the screen: the words that they share at the front stay, the rest is drawn anew.
fn difference(old: &str, new: &str) -> String {
    let shared = words(old).zip(words(new)).take_while(|(old, new)| old == new).count();
    let kept = shared.checked_sub(1).and_then(|last| words(new).nth(last));
    let end = kept.map_or(0, |(column, word)| column + columns(word));
    let rest: String = words(new).skip(shared).map(|(column, word)| to_column(column) + word).collect();
    format!("{}\x1b[K{rest}", to_column(end))
}

/// The words of a row with the columns where they begin.
fn words(row: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut column = 0;
    row.split(' ').filter_map(move |word| {
        let begin = column;
        column += columns(word) + 1;
        (!word.is_empty()).then_some((begin, word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_changed_words_are_written() {
        assert_eq!(
            difference("> hello old world", "> hello new world"),
            "\x1b[8G\x1b[K\x1b[9Gnew\x1b[13Gworld"
        );
        assert_eq!(difference("日本 a", "日本"), "\x1b[5G\x1b[K");
        assert_eq!(drawn("  CODING OK"), "\x1b[3GCODING\x1b[10GOK");
    }

    #[test]
    fn a_region_is_changed_in_place_and_erased_whole() {
        let rows = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
        let mut region = Region::default();
        assert_eq!(region.draw(rows(&["a", "b", "c"]), 1, 2), "a\r\nb\r\nc\x1b[1A\x1b[3G");
        assert_eq!(region.draw(rows(&["a", "b", "d"]), 1, 2), "\x1b[1B\x1b[1G\x1b[K\x1b[1Gd\x1b[1A\x1b[3G");
        assert_eq!(region.erase(), "\x1b[1B\x1b[2K\x1b[1A\x1b[2K\x1b[1A\x1b[2K\r");
        assert_eq!(region.erase(), "");
    }
}
