//! What a pane shows at one moment: the input of all rules.

/// One screen of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The rows of the screen, top to bottom, as they are shown: none joined, without spaces at their ends.
    pub rows: &'a [&'a str],
    /// The title that the program gave its pane, where that is known.
    pub title: Option<&'a str>,
    /// Column and row of the cursor, from 0, where that is known.
    pub cursor: Option<(u16, u16)>,
}

impl<'a> Frame<'a> {
    /// Row `at` without the spaces at its end, or nothing past the end.
    #[must_use]
    pub fn row(&self, at: usize) -> &'a str {
        self.rows.get(at).copied().unwrap_or_default().trim_end()
    }
}

/// The words of a row, without the borders around them; none of a row that is a border.
pub(super) fn words(row: &str) -> &str {
    row.trim_matches(|c: char| c.is_whitespace() || is_border(c))
}

/// A row as a line of prose: its words without the borders around them, and one blank for each run of blanks. Nothing of a row
/// that is a border or a ruler.
#[must_use]
pub fn plain(row: &str) -> String {
    let is_ruler = |c: char| c.is_whitespace() || is_border(c) || matches!(c, '-' | '=' | '_' | '+' | '|');
    if row.chars().filter(|c| !c.is_whitespace()).count() > 2 && row.chars().all(is_ruler) {
        return String::new();
    }
    let parts: Vec<&str> = words(row).split_whitespace().collect();
    parts.join(" ")
}

/// Whether a character is one that boxes are drawn with.
pub(super) fn is_border(c: char) -> bool {
    ('\u{2500}'..='\u{259F}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_and_blanks_are_no_words() {
        let wide = format!("│ Enter a key {} │", " ".repeat(190));
        for (row, line) in [
            (wide.as_str(), "Enter a key"),
            ("╭──────╮", ""),
            ("+------+", ""),
            ("  ┃  a   b ┃ c ┃", "a b ┃ c"),
            ("$", "$"),
            ("--", "--"),
            ("襷 をつなぐ  ", "襷 をつなぐ"),
            ("", ""),
        ] {
            assert_eq!(plain(row), line);
        }
    }
}
