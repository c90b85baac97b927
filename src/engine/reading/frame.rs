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
