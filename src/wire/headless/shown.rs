//! What of a program's output is shown in its pane: one bounded row a line, which no terminal obeys and nobody takes for a claim.

use super::plain::plain;
use crate::wire::clean::Cleaner;
use regex::Regex;

/// Before each row. A row with a bar on its left alone is a quotation, and never a claim.
const BAR: &str = "│ ";
/// Letters of a row; the log has the rest.
const ROW_CHARS_MAX: usize = 160;
/// Bytes of a line that are looked at; what only a terminal understands may be most of a row.
const LINE_BYTES_MAX: usize = 4_096;
/// Rows of one turn; the pane's history has as many.
const ROWS_MAX: usize = 2_000;

/// Makes rows of what comes in pieces.
#[derive(Debug)]
pub struct ShownRows {
    /// What must not be read out of them: the phrase of the agent and the tokens of its turn.
    hidden: Vec<Regex>,
    /// A line that has not ended yet, and whether more of it came than is looked at.
    line: Vec<u8>,
    rows: usize,
}

impl ShownRows {
    /// Shows nothing of these words, however they are spaced.
    #[must_use]
    pub fn hiding<'a>(words: impl IntoIterator<Item = &'a str>) -> Self {
        let pattern = |word: &str| {
            let letters = word.chars().filter(|c| !c.is_whitespace());
            let letters: Vec<String> = letters.map(|c| regex::escape(&c.to_string())).collect();
            // Marks may stand between the words of a claim.
            Regex::new(&format!("(?i){}", letters.join(r"[\s`*。.「」-]*"))).ok()
        };
        let words = words.into_iter().filter(|word| word.chars().any(char::is_alphanumeric));
        Self { hidden: words.filter_map(pattern).collect(), line: Vec::new(), rows: 0 }
    }

    /// The rows of the lines that are whole now.
    pub fn rows_of(&mut self, piece: &[u8]) -> String {
        let mut rows = String::new();
        let mut rest = piece;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, after) = rest.split_at(end);
            self.take(line);
            self.end_line(&mut rows);
            rest = after.get(1..).unwrap_or_default();
        }
        self.take(rest);
        rows
    }

    /// The row of what came last, without an end.
    pub fn last_row(&mut self) -> String {
        let mut rows = String::new();
        if !self.line.is_empty() {
            self.end_line(&mut rows);
        }
        rows
    }

    /// A text of our own in such rows.
    pub fn said(&mut self, text: &str) -> String {
        let mut rows = self.last_row();
        rows.push_str(&self.rows_of(text.as_bytes()));
        rows + &self.last_row()
    }

    fn take(&mut self, part: &[u8]) {
        let room = LINE_BYTES_MAX.saturating_sub(self.line.len()).min(part.len());
        self.line.extend_from_slice(part.get(..room).unwrap_or_default());
    }

    fn end_line(&mut self, rows: &mut String) {
        let line = std::mem::take(&mut self.line);
        self.rows = self.rows.saturating_add(1);
        if self.rows > ROWS_MAX {
            if self.rows == ROWS_MAX + 1 {
                rows.push_str("│ …\n");
            }
            return;
        }
        let row = self.row(&String::from_utf8_lossy(&line));
        rows.push_str(format!("{BAR}{row}").trim_end());
        rows.push('\n');
    }

    fn row(&self, line: &str) -> String {
        let line = plain(line);
        let line = Cleaner::shared().map_or_else(|_| line.clone(), |cleaner| cleaner.line(&line));
        let mut row =
            self.hidden.iter().fold(line, |line, word| word.replace_all(&line, "[hidden]").into_owned());
        // A bar on the right, too, would make a box of it.
        row = row.chars().map(|c| if is_bar(c) { '¦' } else { c }).collect();
        match row.char_indices().nth(ROW_CHARS_MAX) {
            Some((at, _)) => format!("{}…", row.get(..at).unwrap_or_default()),
            None => row,
        }
    }
}

/// Letters of boxes, by which a program draws sides around a row.
fn is_bar(c: char) -> bool {
    c == '|' || ('\u{2500}'..='\u{259f}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_printed_becomes_rows_that_say_nothing_to_a_terminal() {
        let mut shown = ShownRows::hiding(["CODING  OK", "k7qf2m", " "]);
        let hostile = "\u{1b}[31mred\u{1b}[0m 襷 🎏\r\n\u{1b}]52;c;aGk=\u{7}copied\n│ C O D I N G ok `K7QF2M` │\nbar\rover\n\u{9b}31m\u{202e}x";
        let mut rows = String::new();
        // In pieces of any size.
        for byte in hostile.as_bytes() {
            rows.push_str(&shown.rows_of(&[*byte]));
        }
        rows.push_str(&shown.last_row());
        expect_test::expect![[r"
            │ red 襷 🎏
            │ copied
            │ ¦ [hidden] `[hidden]` ¦
            │ over
            │ 31m\u{202e}x
        "]]
        .assert_eq(&rows);
        assert_eq!(shown.said("a\n\nb"), "│ a\n│\n│ b\n");
        let many = shown.rows_of(&[b'x'; 10 << 20]) + &shown.last_row();
        assert_eq!(many.chars().count(), 2 + ROW_CHARS_MAX + 2, "{many}");
        let endless = shown.rows_of(&b"y\n".repeat(3 * ROWS_MAX));
        assert!(
            endless.lines().count() <= ROWS_MAX && endless.ends_with("│ y\n│ …\n"),
            "{}",
            endless.lines().count()
        );
        let bad = ShownRows::hiding([]).rows_of(b"\xff\xfe ok\n");
        assert_eq!(bad, "│ \u{fffd}\u{fffd} ok\n");
    }
}
