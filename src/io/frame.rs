//! Frames as files: `NAME.txt` has the rows that a pane showed, and `NAME.meta` beside it, if there is one, has what else
//! was known of it, as words `KEY=VALUE` (`cursor=2,37`) and last `title=` with the rest of its line.

use super::regular;
use crate::engine::screen::reading::Frame;
use std::io::{self, Read as _};
use std::path::Path;

/// Largest frame file: a window of 1,000 columns and rows in Japanese is 3 MB.
const FRAME_BYTES_MAX: u64 = 4 << 20;
/// Largest file beside it.
const META_BYTES_MAX: u64 = 64 << 10;

/// A frame that was kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeptFrame {
    /// The rows of the screen, as they were shown.
    pub rows: Vec<String>,
    /// The pane's title, if it is known.
    pub title: Option<String>,
    /// Column and row of the cursor, if they are known.
    pub cursor: Option<(u16, u16)>,
}

impl KeptFrame {
    /// Reads a frame, and what is beside it.
    ///
    /// # Errors
    /// What the system says; that it is no file of text.
    pub fn read(path: &Path) -> io::Result<Self> {
        let text = read(path, FRAME_BYTES_MAX)?;
        let rows = text.lines().map(|row| without_escapes(row).trim_end().to_owned()).collect();
        let mut frame = Self { rows, ..Self::default() };
        match read(&path.with_extension("meta"), META_BYTES_MAX) {
            Ok(meta) => frame.take_meta(&meta),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        Ok(frame)
    }

    /// Its rows as a file has them.
    #[must_use]
    pub fn text(&self) -> String {
        self.rows.iter().map(|row| format!("{}\n", row.trim_end())).collect()
    }

    /// What is beside it as a file, with these words of somebody else's.
    #[must_use]
    pub fn meta(&self, words: &str) -> String {
        let cursor = self.cursor.map(|(column, row)| format!("cursor={column},{row} ")).unwrap_or_default();
        let line =
            |text: &str| text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
        let title = self.title.as_deref().map(|title| format!(" title={}", line(title))).unwrap_or_default();
        format!("{cursor}{words}{title}\n")
    }

    fn take_meta(&mut self, meta: &str) {
        for line in meta.lines() {
            let begins = |(at, _): &(usize, &str)| *at == 0 || line[..*at].ends_with(' ');
            let (words, title) = match line.match_indices("title=").find(begins) {
                Some((at, key)) => (&line[..at], Some(&line[at + key.len()..])),
                None => (line, None),
            };
            if let Some(title) = title {
                self.title = Some(title.trim_end().to_owned());
            }
            for word in words.split_whitespace() {
                if let Some((column, row)) = word.strip_prefix("cursor=").and_then(|at| at.split_once(',')) {
                    self.cursor = column.parse().ok().zip(row.parse().ok());
                }
            }
        }
    }

    /// Lends it to be read.
    pub fn with<T>(&self, read: impl FnOnce(&Frame<'_>) -> T) -> T {
        let rows: Vec<&str> = self.rows.iter().map(String::as_str).collect();
        read(&Frame { rows: &rows, title: self.title.as_deref(), cursor: self.cursor })
    }
}

/// The text of a file that somebody named: a link is followed, a pipe is not waited for.
fn read(path: &Path, bytes_max: u64) -> io::Result<String> {
    let file = regular::open_linked(path)?.ok_or_else(|| io::Error::other("it is not a file"))?;
    let mut bytes = Vec::new();
    file.take(bytes_max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > bytes_max {
        return Err(io::Error::other(format!("it is larger than {bytes_max} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8"))
}

/// The row without colours and other sequences of a terminal, as `capture-pane -e` has them.
fn without_escapes(row: &str) -> String {
    let (mut text, mut rest) = (String::with_capacity(row.len()), row);
    while let Some(at) = rest.find('\u{1B}') {
        text.push_str(&rest[..at]);
        rest = behind_escape(&rest[at + 1..]);
    }
    text.push_str(rest);
    text.retain(|c| !c.is_control() || c == '\t');
    text
}

/// What is behind a sequence whose ESC was taken.
fn behind_escape(rest: &str) -> &str {
    let end = match rest.chars().next() {
        Some('[') => rest.char_indices().skip(1).find(|(_, c)| matches!(c, '@'..='~')).map(|(at, _)| at + 1),
        Some(']' | 'P' | '_' | '^' | 'X') => rest
            .find(['\u{07}', '\u{1B}'])
            .map(|at| if rest[at..].starts_with("\u{1B}\\") { at + 2 } else { at + 1 }),
        Some('(' | ')') => rest.char_indices().nth(2).map(|(at, _)| at),
        Some(c) => Some(c.len_utf8()),
        None => Some(0),
    };
    end.and_then(|end| rest.get(end..)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_lose_what_only_a_terminal_understands() {
        let rows = [
            ("\u{1B}[38;5;246m❯\u{1B}[39m hi\u{1B}[0m", "❯ hi"),
            ("\u{1B}]0;title\u{07}a", "a"),
            ("\u{1B}]8;;http://x\u{1B}\\link\u{1B}]8;;\u{1B}\\!", "link!"),
            ("a\u{1B}(Bb", "ab"),
            ("cut \u{1B}[3", "cut "),
            ("\u{1B}", ""),
            ("襷\u{7f}", "襷"),
        ];
        for (row, text) in rows {
            assert_eq!(without_escapes(row), text, "{row:?}");
        }
    }

    #[test]
    fn what_stands_beside_a_frame_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, "one  \n\ntwo").unwrap();
        let bare = KeptFrame::read(&path).unwrap();
        assert_eq!(
            (bare.rows, bare.title, bare.cursor),
            (vec!["one".into(), String::new(), "two".into()], None, None)
        );
        std::fs::write(path.with_extension("meta"), "alt=1 cursor=2,37 mouse=1 title=◇  Ready (a b=c)\n")
            .unwrap();
        let whole = KeptFrame::read(&path).unwrap();
        assert_eq!((whole.title.as_deref(), whole.cursor), (Some("◇  Ready (a b=c)"), Some((2, 37))));
        std::fs::write(path.with_extension("meta"), "cursor=x,70000 subtitle=3 cursor title=").unwrap();
        let odd = KeptFrame::read(&path).unwrap();
        assert_eq!((odd.title.as_deref(), odd.cursor), (Some(""), None));
    }
}
