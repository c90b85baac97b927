//! Rows that fit a terminal: columns give way from the last to the first, and what must be read whole is never cut.

use super::table::{cut, harmless};
use unicode_width::UnicodeWidthStr;

/// Columns of a terminal between two columns of a table.
const GAP: usize = 2;

/// A column.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    heading: &'static str,
    /// How narrow it may become; none if it is never cut.
    least: Option<usize>,
}

impl Column {
    /// One that is never cut.
    pub(super) const fn whole(heading: &'static str) -> Self {
        Self { heading, least: None }
    }

    /// One that may be cut to so many terminal columns.
    pub(super) const fn cut_to(heading: &'static str, least: usize) -> Self {
        Self { heading, least: Some(least) }
    }
}

/// The rows below their headings, in at most `width` terminal columns where that can be.
pub(super) fn rows(columns: &[Column], cells: Vec<Vec<String>>, width: Option<usize>) -> String {
    let cells: Vec<Vec<String>> =
        cells.into_iter().map(|row| row.iter().map(|cell| harmless(cell)).collect()).collect();
    let widths = widths(columns, &cells, width);
    let heading: Vec<String> = columns.iter().map(|column| column.heading.to_uppercase()).collect();
    let bold = anstyle::Style::new().bold();
    let mut lines = vec![format!("{bold}{}{bold:#}", line(&heading, &widths))];
    lines.extend(cells.iter().map(|row| line(row, &widths)));
    lines.join("\n")
}

fn widths(columns: &[Column], cells: &[Vec<String>], width: Option<usize>) -> Vec<usize> {
    let natural = |(number, column): (usize, &Column)| {
        let cells = cells.iter().filter_map(|row| row.get(number)).map(|cell| cell.width());
        cells.chain([column.heading.width()]).max().unwrap_or(0)
    };
    let mut widths: Vec<usize> = columns.iter().enumerate().map(natural).collect();
    let Some(room) = width else { return widths };
    let gaps = GAP * columns.len().saturating_sub(1);
    let mut excess = (widths.iter().sum::<usize>() + gaps).saturating_sub(room);
    for (width, column) in widths.iter_mut().zip(columns).rev() {
        let least = column.least.map_or(*width, |least| least.max(column.heading.width()).min(*width));
        let less = excess.min(*width - least);
        *width -= less;
        excess -= less;
    }
    widths
}

fn line(cells: &[String], widths: &[usize]) -> String {
    let mut line = String::new();
    let mut at = 0;
    for (number, (cell, width)) in cells.iter().zip(widths).enumerate() {
        let pad = at - line.width().min(at);
        line.push_str(&" ".repeat(pad + if number > 0 { GAP } else { 0 }));
        at += if number > 0 { GAP } else { 0 };
        line.push_str(&cut(cell, Some(*width)));
        at += width;
    }
    line.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [Column; 3] =
        [Column::cut_to("id", 6), Column::whole("state"), Column::cut_to("title", 6)];

    fn shown(width: Option<usize>) -> Vec<String> {
        let row =
            |id: &str, state: &str, title: &str| vec![id.to_owned(), state.to_owned(), title.to_owned()];
        let cells = vec![
            row("msg-1", "being worked on", "銀行CSVの文字化けを直す"),
            row("a-much-longer-id", "held", "b🎉c"),
        ];
        let text = anstream::adapter::strip_str(&rows(&COLUMNS, cells, width)).to_string();
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn what_does_not_fit_is_cut_from_the_last_column_on_and_a_state_never() {
        assert_eq!(
            shown(None),
            [
                "ID                STATE            TITLE",
                "msg-1             being worked on  銀行CSVの文字化けを直す",
                "a-much-longer-id  held             b🎉c",
            ]
        );
        assert_eq!(shown(Some(45))[1], "msg-1             being worked on  銀行CSVの…");
        assert_eq!(
            shown(Some(31)),
            [
                "ID      STATE            TITLE",
                "msg-1   being worked on  銀行C…",
                "a-muc…  held             b🎉c",
            ]
        );
        for width in 31..70 {
            let lines = shown(Some(width));
            assert!(lines.iter().all(|line| line.width() <= width), "{width}: {lines:#?}");
            assert!(lines[1].contains("being worked on") && lines[2].contains("held"), "{width}: {lines:#?}");
        }
        assert!(shown(Some(5))[1].contains("being worked on"));
    }
}
