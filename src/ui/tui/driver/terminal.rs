//! The terminal: taken, written to where cells have changed, and given back clean, however this ends.

use crate::ui::tui::input::{Key, TopInput};
use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{
    DisableBracketedPaste, EnableBracketedPaste, Event, EventStream, KeyCode, KeyEvent, KeyEventKind,
    KeyModifiers,
};
use crossterm::style::{
    Attribute, Color as Ink, ResetColor, SetAttribute, SetBackgroundColor, SetForegroundColor,
};
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, size,
};
use crossterm::{Command, QueueableCommand, execute};
use futures_core::Stream;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier};
use std::future::poll_fn;
use std::io::{self, Write};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the terminal is ours: a panic anywhere gives it back, and it must not be given back twice. The second time would put
/// the cursor back over what the panic has said.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// A terminal in raw mode, showing the second screen.
pub(super) struct Terminal {
    shown: Buffer,
    keys: EventStream,
}

/// What the terminal tells.
pub(super) enum Told {
    Input(TopInput),
    /// It has another size.
    Resized,
    /// Nothing that matters here.
    Nothing,
    /// Nobody can type there any more.
    Gone,
}

impl Terminal {
    /// Takes the terminal.
    pub(super) fn take() -> io::Result<Self> {
        if !Self::is_there() {
            return Err(io::Error::other("the terminal is gone"));
        }
        enable_raw_mode()?;
        IS_TAKEN.store(true, Ordering::Relaxed);
        let mut terminal = Self { shown: Buffer::empty(Rect::ZERO), keys: EventStream::new() };
        execute!(io::stdout(), EnterAlternateScreen, Hide, EnableBracketedPaste)?;
        terminal.clear()?;
        Ok(terminal)
    }

    /// Whether there is a terminal. Where its window was closed, crossterm reads its end again and again, for ever, and whoever asks
    /// it for anything waits for that.
    pub(super) fn is_there() -> bool {
        rustix::termios::tcgetattr(io::stdin()).is_ok()
    }

    /// Whether it is still ours: a task that panicked has given it back.
    pub(super) fn is_taken() -> bool {
        IS_TAKEN.load(Ordering::Relaxed)
    }

    /// Columns and rows.
    pub(super) fn size() -> (u16, u16) {
        size().unwrap_or((80, 24))
    }

    /// All cells are written anew the next time.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        let (width, height) = Self::size();
        self.shown = Buffer::empty(Rect::new(0, 0, width, height));
        let mut stdout = io::stdout().lock();
        if Self::is_taken() { execute!(stdout, Clear(ClearType::All)) } else { Ok(()) }
    }

    /// Writes the cells that differ from those that are shown; nothing if none do.
    pub(super) fn show(&mut self, next: Buffer) -> io::Result<()> {
        if *next.area() != *self.shown.area() {
            self.clear()?;
            if *next.area() != *self.shown.area() {
                // It has changed again since: the next size is on its way.
                return Ok(());
            }
        }
        let mut out = Vec::new();
        write_changes(&mut out, &self.shown, &next)?;
        self.shown = next;
        if out.is_empty() {
            return Ok(());
        }
        let mut stdout = io::stdout().lock();
        if Self::is_taken() {
            stdout.write_all(&out)?;
        }
        stdout.flush()
    }

    /// The next thing that it tells.
    pub(super) async fn told(&mut self) -> Told {
        match poll_fn(|context| Pin::new(&mut self.keys).poll_next(context)).await {
            Some(Ok(Event::Key(key))) => {
                key_of(key).map_or(Told::Nothing, |key| Told::Input(TopInput::Key(key)))
            }
            Some(Ok(Event::Paste(text))) => Told::Input(TopInput::Paste(text)),
            Some(Ok(Event::Resize(..))) => Told::Resized,
            Some(Ok(_)) => Told::Nothing,
            Some(Err(_)) | None => Told::Gone,
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        give_back();
    }
}

/// Gives the terminal back as it was, unless that was done. It may be called from a panic.
fn give_back() {
    // Nothing is drawn from here on: whoever draws asks while they have the output.
    let mut stdout = io::stdout().lock();
    if !IS_TAKEN.swap(false, Ordering::Relaxed) {
        return;
    }
    // A terminal that is gone needs nothing.
    let _ = execute!(
        stdout,
        DisableBracketedPaste,
        ResetColor,
        SetAttribute(Attribute::Reset),
        Show,
        LeaveAlternateScreen
    );
    let _ = disable_raw_mode();
}

/// Gives the terminal back before a panic is told, so that it can be read.
pub(super) fn give_back_on_panic() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        give_back();
        before(panic);
    }));
}

fn key_of(key: KeyEvent) -> Option<Key> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    let is_held = |modifier| key.modifiers.contains(modifier);
    let is_control = is_held(KeyModifiers::CONTROL);
    let key = match key.code {
        KeyCode::Char('c') if is_control => Key::Interrupt,
        KeyCode::Char('z') if is_control => Key::Suspend,
        KeyCode::Char('u') if is_control => Key::Clear,
        KeyCode::Char('j') if is_control => Key::NewLine,
        KeyCode::Char('h') if is_control => Key::Backspace,
        KeyCode::Char(_) if is_control || is_held(KeyModifiers::ALT) => return None,
        KeyCode::Char(c) => Key::Char(c),
        KeyCode::Enter if is_control || is_held(KeyModifiers::ALT) => Key::NewLine,
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Esc,
        KeyCode::Tab if is_held(KeyModifiers::SHIFT) => Key::BackTab,
        KeyCode::Tab => Key::Tab,
        KeyCode::BackTab => Key::BackTab,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Delete => Key::Delete,
        _ => return None,
    };
    Some(key)
}

/// Writes the cells of `next` that differ from those of `shown`.
fn write_changes(out: &mut Vec<u8>, shown: &Buffer, next: &Buffer) -> io::Result<()> {
    let mut at: Option<(u16, u16)> = None;
    let mut look = None;
    for (x, y, cell) in shown.diff(next) {
        if at != Some((x, y)) {
            out.queue(MoveTo(x, y))?;
        }
        let wanted = (cell.fg, cell.bg, cell.modifier);
        if look != Some(wanted) {
            out.queue(SetAttribute(Attribute::Reset))?;
            dress(out, wanted)?;
            look = Some(wanted);
        }
        out.write_all(cell.symbol().as_bytes())?;
        let columns = u16::try_from(unicode_width::UnicodeWidthStr::width(cell.symbol())).unwrap_or(1);
        at = Some((x + columns.max(1), y));
    }
    if look.is_some() {
        out.queue(SetAttribute(Attribute::Reset))?;
    }
    Ok(())
}

fn dress(out: &mut Vec<u8>, (fg, bg, modifier): (Color, Color, Modifier)) -> io::Result<()> {
    let attributes = [
        (Modifier::BOLD, Attribute::Bold),
        (Modifier::DIM, Attribute::Dim),
        (Modifier::ITALIC, Attribute::Italic),
        (Modifier::UNDERLINED, Attribute::Underlined),
        (Modifier::REVERSED, Attribute::Reverse),
        (Modifier::CROSSED_OUT, Attribute::CrossedOut),
    ];
    for (_, attribute) in attributes.into_iter().filter(|(bit, _)| modifier.contains(*bit)) {
        out.queue(SetAttribute(attribute))?;
    }
    if let Some(ink) = ink(fg) {
        dye(out, SetForegroundColor(ink))?;
    }
    if let Some(ink) = ink(bg) {
        dye(out, SetBackgroundColor(ink))?;
    }
    Ok(())
}

fn dye(out: &mut Vec<u8>, color: impl Command) -> io::Result<()> {
    out.queue(color).map(drop)
}

/// One of the terminal's own 16 colours.
fn ink(color: Color) -> Option<Ink> {
    let ink = match color {
        Color::Black => Ink::Black,
        Color::Red => Ink::DarkRed,
        Color::Green => Ink::DarkGreen,
        Color::Yellow => Ink::DarkYellow,
        Color::Blue => Ink::DarkBlue,
        Color::Magenta => Ink::DarkMagenta,
        Color::Cyan => Ink::DarkCyan,
        Color::Gray => Ink::Grey,
        Color::DarkGray => Ink::DarkGrey,
        Color::LightRed => Ink::Red,
        Color::LightGreen => Ink::Green,
        Color::LightYellow => Ink::Yellow,
        Color::LightBlue => Ink::Blue,
        Color::LightMagenta => Ink::Magenta,
        Color::LightCyan => Ink::Cyan,
        Color::White => Ink::White,
        Color::Reset | Color::Rgb(..) | Color::Indexed(_) => return None,
    };
    Some(ink)
}
