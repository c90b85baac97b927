//! Cells: texts cut at their edge, wide characters whole, and nothing that a terminal obeys.

use super::input::Drawn;
use super::state::Look;
use crate::wire::clean::turns_text;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier, Style};
use unicode_width::UnicodeWidthChar;

/// Marks that a letter may carry; more of them are left out.
const MARKS_MAX: usize = 4;

/// How a text looks. The colours are the terminal's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ink {
    Plain,
    Dim,
    Bold,
    /// What works, and what is chosen.
    Accent,
    /// What waits for the person.
    You,
    /// What failed or is broken.
    Bad,
    /// What is proven.
    Good,
}

impl Ink {
    pub(super) fn style(self, look: Look) -> Style {
        let style = Style::new();
        let coloured = |color: Color| if look.color { style.fg(color) } else { style };
        match self {
            Self::Plain => style,
            Self::Dim if look.color => style.fg(Color::DarkGray),
            Self::Dim => style.add_modifier(Modifier::DIM),
            Self::Bold => style.add_modifier(Modifier::BOLD),
            Self::Accent => coloured(Color::Cyan),
            Self::You => coloured(Color::Yellow).add_modifier(Modifier::BOLD),
            Self::Bad => coloured(Color::Red).add_modifier(Modifier::BOLD),
            Self::Good => coloured(Color::Green),
        }
    }
}

/// Where is drawn.
pub(super) struct Canvas {
    buffer: Buffer,
    pub(super) look: Look,
    /// What keys have to know of it.
    pub(super) drawn: Drawn,
}

impl Canvas {
    pub(super) fn new(size: (u16, u16), look: Look) -> Self {
        Self { buffer: Buffer::empty(Rect::new(0, 0, size.0, size.1)), look, drawn: Drawn::default() }
    }

    pub(super) fn done(self) -> (Buffer, Drawn) {
        (self.buffer, self.drawn)
    }

    pub(super) fn area(&self) -> Rect {
        *self.buffer.area()
    }

    /// One of two texts: the second where only ASCII is shown.
    pub(super) fn sign(&self, sign: &'static str, ascii: &'static str) -> &'static str {
        if self.look.ascii { ascii } else { sign }
    }

    /// Writes a text of one line into `width` columns, cut with `…` if it is longer. Gives the columns that it took.
    pub(super) fn text(&mut self, (x, y): (u16, u16), width: u16, text: &str, ink: Ink) -> u16 {
        self.styled((x, y), width, text, ink.style(self.look))
    }

    /// The same in any style.
    pub(super) fn styled(&mut self, (x, y): (u16, u16), width: u16, text: &str, style: Style) -> u16 {
        let area = self.area();
        let width = width.min(area.width.saturating_sub(x));
        if y >= area.height || width == 0 {
            return 0;
        }
        let is_long = columns(text) > usize::from(width);
        let dots = self.sign("…", "~");
        let room = if is_long { width - 1 } else { width };
        let mut at = 0;
        let mut marks = 0;
        for c in text.chars() {
            let Some(c) = shown(c, self.look.ascii) else { continue };
            let columns = cell_columns(c);
            if columns == 0 {
                marks += 1;
                if marks <= MARKS_MAX && at > 0 {
                    self.join(x + at, y, c);
                }
                continue;
            }
            if at + columns > room {
                break;
            }
            marks = 0;
            self.put((x + at, y), columns, c.encode_utf8(&mut [0; 4]), style);
            at += columns;
        }
        if is_long {
            self.put((x + at, y), 1, dots, style);
            at += 1;
        }
        at
    }

    /// Writes a text that ends at the right edge of `width` columns. Gives the columns that it took.
    pub(super) fn right(&mut self, (x, y): (u16, u16), width: u16, text: &str, ink: Ink) -> u16 {
        let took = u16::try_from(columns(text)).unwrap_or(u16::MAX).min(width);
        self.text((x + width - took, y), took, text, ink)
    }

    /// Fills cells with spaces.
    pub(super) fn clear(&mut self, area: Rect) {
        for y in area.top()..area.bottom() {
            for x in area.left()..area.right() {
                self.put((x, y), 1, " ", Style::new());
            }
        }
    }

    /// All that is drawn is old.
    pub(super) fn grey(&mut self, area: Rect) {
        let area = area.intersection(self.area());
        let style = Ink::Dim.style(self.look);
        self.buffer.set_style(area, style.remove_modifier(Modifier::BOLD));
    }

    /// Draws a line down.
    pub(super) fn upright(&mut self, x: u16, rows: std::ops::Range<u16>) {
        let sign = self.sign("│", "|");
        for y in rows {
            self.put((x, y), 1, sign, Ink::Dim.style(self.look));
        }
    }

    /// Joins a line down with the lines that meet it.
    pub(super) fn join_lines(&mut self, x: u16, rows: std::ops::Range<u16>) {
        let line = self.sign("─", "-");
        let is_line = |canvas: &Self, x: u16, y: u16| {
            canvas.buffer.cell((x, y)).is_some_and(|cell| cell.symbol() == line)
        };
        for y in rows {
            let sign = match (x > 0 && is_line(self, x - 1, y), is_line(self, x + 1, y)) {
                (true, true) => self.sign("┼", "+"),
                (true, false) => self.sign("┤", "+"),
                (false, true) => self.sign("├", "+"),
                (false, false) => continue,
            };
            self.put((x, y), 1, sign, Ink::Dim.style(self.look));
        }
    }

    /// A line with a title on its left and a word on its right.
    pub(super) fn rule(&mut self, (x, y): (u16, u16), width: u16, title: &str, note: &str) {
        let line = self.sign("─", "-");
        let dim = Ink::Dim.style(self.look);
        for column in x..x.saturating_add(width) {
            self.put((column, y), 1, line, dim);
        }
        if title.is_empty() || width < 6 {
            return;
        }
        let note_columns = u16::try_from(columns(note)).unwrap_or(u16::MAX);
        let is_noted = !note.is_empty() && note_columns.saturating_add(12) <= width;
        let room = width - 4 - if is_noted { note_columns + 3 } else { 0 };
        let took = self.text((x + 2, y), room, title, Ink::Bold);
        self.put((x + 1, y), 1, " ", dim);
        self.put((x + 2 + took, y), 1, " ", dim);
        if is_noted {
            let at = x + width - note_columns - 2;
            self.put((at - 1, y), 1, " ", dim);
            self.text((at, y), note_columns, note, Ink::Dim);
            self.put((at + note_columns, y), 1, " ", dim);
        }
    }

    /// Writes one character. A wide one that it falls into goes as a whole.
    fn put(&mut self, (x, y): (u16, u16), columns: u16, symbol: &str, style: Style) {
        let area = self.area();
        if x.saturating_add(columns) > area.width || y >= area.height {
            return;
        }
        if x > 0 && self.is_wide(x - 1, y) {
            self.blank(x - 1, y);
        }
        let last = x + columns - 1;
        if self.is_wide(last, y) {
            self.blank(last + 1, y);
        }
        if let Some(cell) = self.buffer.cell_mut((x, y)) {
            cell.reset();
            cell.set_symbol(symbol).set_style(style);
        }
        for next in x + 1..=last {
            if let Some(cell) = self.buffer.cell_mut((next, y)) {
                cell.reset();
                cell.set_style(style);
            }
        }
    }

    fn blank(&mut self, x: u16, y: u16) {
        if let Some(cell) = self.buffer.cell_mut((x, y)) {
            cell.set_symbol(" ");
        }
    }

    fn is_wide(&self, x: u16, y: u16) -> bool {
        self.buffer.cell((x, y)).is_some_and(|cell| columns(cell.symbol()) > 1)
    }

    /// Puts a mark on the letter before this column.
    fn join(&mut self, x: u16, y: u16, mark: char) {
        let before = if x > 1 && self.is_wide(x - 2, y) { x - 2 } else { x - 1 };
        if let Some(cell) = self.buffer.cell_mut((before, y)) {
            let joined = format!("{}{mark}", cell.symbol());
            // Some marks make their letter wider: those are left out.
            if unicode_width::UnicodeWidthStr::width(&*joined)
                == unicode_width::UnicodeWidthStr::width(cell.symbol())
            {
                cell.set_symbol(&joined);
            }
        }
    }
}

/// What is shown for a character; nothing for those that change how others look.
fn shown(c: char, ascii: bool) -> Option<char> {
    match c {
        '\t' => Some(' '),
        '\u{7f}' => Some(if ascii { '?' } else { '␡' }),
        '\0'..='\u{1f}' => match ascii {
            true => Some('?'),
            false => char::from_u32(0x2400 + u32::from(c)),
        },
        c if c.is_control() || turns_text(c) || matches!(c, '\u{2028}' | '\u{2029}') => {
            Some(if ascii { '?' } else { '\u{fffd}' })
        }
        // Joiners, variation selectors, skin tones and tags: terminals differ in how wide they make what they join.
        '\u{ad}'
        | '\u{61c}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1f3fb}'..='\u{1f3ff}'
        | '\u{e0000}'..='\u{e0fff}' => None,
        c if ascii => Some(plain(c)),
        c => Some(c),
    }
}

/// What is shown for lines, blocks and marks of agents' own, which some terminals draw in two columns.
fn plain(c: char) -> char {
    match c {
        '─' | '━' | '┄' | '┅' | '┈' | '┉' | '╌' | '╍' | '═' | '╴' | '╶' | '╸' | '╺' | '╼' | '╾' => {
            '-'
        }
        '│' | '┃' | '┆' | '┇' | '┊' | '┋' | '╎' | '╏' | '║' | '╵' | '╷' | '╹' | '╻' | '╽' | '╿' => {
            '|'
        }
        '\u{2500}'..='\u{257f}' => '+',
        '\u{2580}'..='\u{259f}' => '#',
        '…' => '~',
        '•' | '●' => '*',
        '❯' | '›' | '▸' => '>',
        c => c,
    }
}

/// Columns of a character that is shown.
fn cell_columns(c: char) -> u16 {
    u16::try_from(c.width().unwrap_or(0)).unwrap_or(0)
}

/// Columns that a text takes as it is drawn.
pub(super) fn columns(text: &str) -> usize {
    text.chars().filter_map(|c| shown(c, false)).map(|c| usize::from(cell_columns(c))).sum()
}
