//! Tables for people: no lines, one row a line, the last column cut at the terminal's edge.

use crate::wire::clean::turns_text;
use comfy_table::{Table, presets};
use std::io::IsTerminal;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A table; its heading is bold where colours are shown.
pub(super) fn table(heading: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(heading.iter().map(|word| word.to_uppercase()));
    for row in rows {
        table.add_row(row.into_iter().map(|cell| harmless(&cell)));
    }
    let width = terminal_width();
    let mut lines = table.lines().map(|line| cut(line.trim_end(), width)).collect::<Vec<_>>();
    if let Some(first) = lines.first_mut() {
        let bold = anstyle::Style::new().bold();
        *first = format!("{bold}{first}{bold:#}");
    }
    lines.join("\n")
}

/// Text from a pane or a message as it may stand on a terminal: without anything that the terminal obeys.
pub(super) fn harmless(text: &str) -> String {
    let tame = |c: char| match c {
        c if c.is_control() => ' ',
        c if turns_text(c) => '\u{fffd}',
        c => c,
    };
    text.chars().map(tame).collect()
}

/// Text of many lines as it may stand on a terminal; what is printed into a pipe is left as it is.
pub(super) fn harmless_lines(text: &str) -> String {
    if !std::io::stdout().is_terminal() {
        return text.to_owned();
    }
    let keep = |c: char| {
        if c == '\n' || c == '\t' {
            c
        } else {
            harmless(c.encode_utf8(&mut [0; 4])).chars().next().unwrap_or(c)
        }
    };
    text.chars().map(keep).collect()
}

/// Columns of the terminal that the output goes to, if it goes to one.
pub(super) fn terminal_width() -> Option<usize> {
    terminal_size().map(|(width, _)| width)
}

/// Its columns and rows.
pub(super) fn terminal_size() -> Option<(usize, usize)> {
    let out = std::io::stdout();
    let size = out.is_terminal().then(|| rustix::termios::tcgetwinsize(&out).ok()).flatten()?;
    (size.ws_col > 0).then_some((usize::from(size.ws_col), usize::from(size.ws_row)))
}

/// A line of at most so many columns; what is cut ends in `…`.
pub(super) fn cut(line: &str, width: Option<usize>) -> String {
    let Some(width) = width.filter(|width| line.width() > *width) else { return line.to_owned() };
    let mut taken = 0;
    let mut out = String::new();
    for c in line.chars() {
        taken += c.width().unwrap_or(0);
        if taken >= width {
            break;
        }
        out.push(c);
    }
    out + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_by_cells_and_not_by_bytes() {
        assert_eq!(cut("日本語の文章", Some(7)), "日本語…");
        assert_eq!(cut("日本語", Some(6)), "日本語");
        assert_eq!(cut("日本語の文章", None), "日本語の文章");
    }

    #[test]
    fn nothing_that_a_terminal_obeys_is_printed() {
        let shown = table(&["agent"], vec![vec!["a\u{1b}[2J\u{202e}b".into()]]);
        assert!(shown.contains("a [2J\u{fffd}b"), "{shown:?}");
    }
}
