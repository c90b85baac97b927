//! `tui` mode: raw input and an own input box at the bottom, as the agent CLIs have. What is said scrolls away above
//! the box; the box, the footer and what is still being said are drawn again in place.

use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use super::bottom::{Bottom, Spin, Stage, said, set_in};
use super::dialog::Dialog;
use super::emphasis::{Emphasis, sent};
use super::input_box::{InputBox, Manners};
use super::keys::{Key, Keys};
use super::look::{Answer, Said};
use super::screen::Region;
use super::script::{BeforeReady, Script, WhileBusy};
use super::text::filled;
use super::tty::{READ_BYTES, Stop, Tty};
use crate::io::clock::Clock;

/// Messages that may wait while a turn is played. The daemon has one in flight; the rest is a person's typing.
const QUEUED_MAX: usize = 64;
/// How long the rest of an escape sequence may take before ESC is taken as a key (readline's default is 500 ms; here
/// nobody types over a slow line).
const ESCAPE_TIME: Duration = Duration::from_millis(25);
/// Bracketed paste on, and off.
const PASTE_ON: &str = "\x1b[?2004h";
const PASTE_OFF: &str = "\x1b[?2004l";
/// Clears the screen and goes to its top: after a change of width nothing is where it was drawn.
const CLEAR: &str = "\x1b[2J\x1b[H";

/// The state of the screen and of what was typed.
#[derive(Debug)]
pub(super) struct Tui {
    script: Rc<Script>,
    clock: Clock,
    keys: Keys,
    pub(super) input: InputBox,
    queued: VecDeque<String>,
    region: Region,
    cols: usize,
    /// Text that is being streamed.
    live: String,
    pub(super) spin: Option<Spin>,
    /// The turn that is played.
    playing: Option<Playing>,
    /// Whether a turn was played before.
    played: bool,
    /// The title that the look said last.
    title: Option<String>,
    /// A notice that stays until the next turn.
    pub(super) notice: Option<String>,
    dialog: Option<Dialog>,
    answer: Option<Answer>,
    /// Whether Enter counts and the box is shown.
    pub(super) ready: bool,
    pub(super) echo: bool,
}

/// A turn that is played.
#[derive(Debug)]
struct Playing {
    /// What says so.
    sign: String,
    since: Duration,
    /// Whether something was said.
    answering: bool,
    /// The limit or error that it met.
    failed: Option<String>,
}

impl Tui {
    /// Takes the terminal over.
    pub(super) fn open(
        tty: &mut Tty,
        script: Rc<Script>,
        manners: Manners,
        ready: bool,
    ) -> Result<Self, Stop> {
        tty.raw()?;
        tty.write(PASTE_ON)?;
        Ok(Self {
            input: InputBox::new(manners, script.look.pasted.clone()),
            script,
            clock: Clock::start(),
            keys: Keys::default(),
            queued: VecDeque::new(),
            region: Region::default(),
            cols: tty.size().0,
            live: String::new(),
            spin: None,
            playing: None,
            played: false,
            title: None,
            notice: None,
            dialog: None,
            answer: None,
            ready,
            echo: true,
        })
    }

    /// Gives the terminal back, and what was sent off and not yet taken.
    pub(super) fn close(&mut self, tty: &mut Tty) -> Result<VecDeque<String>, Stop> {
        tty.write(&self.region.erase())?;
        tty.write(PASTE_OFF)?;
        Ok(std::mem::take(&mut self.queued))
    }

    pub(super) fn begin(&mut self) {
        let (sign, since) = (self.script.look.sign.clone(), self.now());
        self.playing = Some(Playing { sign, since, answering: false, failed: None });
        self.played = true;
        self.notice = None;
    }

    /// The turn is over, or was ended for a reason; what was being said stays as far as it came.
    pub(super) fn finish(&mut self, tty: &mut Tty, why: Option<&str>) -> Result<(), Stop> {
        self.spin = None;
        if !self.live.is_empty() {
            self.end_stream(tty)?;
        }
        let Some(playing) = &self.playing else { return Ok(()) };
        let (look, elapsed) = (&self.script.look, self.elapsed().to_string());
        let (rows, text) = match (why, &look.interrupted, &playing.failed) {
            (Some(why), None, _) => {
                self.say(tty, why, Emphasis::More)?;
                self.playing = None;
                return Ok(());
            }
            (Some(why), Some(rows), _) => (rows, why),
            (None, _, Some(text)) => (&look.failed_end, text.as_str()),
            (None, _, None) => (&look.end, ""),
        };
        let values = [("elapsed", elapsed.as_str()), ("text", text)];
        let width = width(tty.size().0);
        let rows: String = rows.iter().map(|row| filled(row, width, &values) + "\r\n").collect();
        self.put(tty, &rows)?;
        self.playing = None;
        Ok(())
    }

    /// Changes what says that a turn is played.
    pub(super) fn set_sign(&mut self, sign: &str) {
        if let Some(playing) = &mut self.playing {
            playing.sign = sign.to_owned();
        }
    }

    /// Prints a text above the box, as the look says it; it is broken to the width.
    pub(super) fn say(&mut self, tty: &mut Tty, text: &str, emphasis: Emphasis) -> Result<(), Stop> {
        let form = emphasis.form(&self.script.look);
        if let Some(playing) = &mut self.playing {
            playing.answering = true;
            if emphasis.fails() {
                playing.failed = Some(text.lines().next().unwrap_or_default().to_owned());
            }
        }
        self.print(tty, &form, text)
    }

    fn print(&mut self, tty: &mut Tty, form: &Said, text: &str) -> Result<(), Stop> {
        let rows = said(form, text, width(tty.size().0));
        self.put(tty, &(rows.join("\r\n") + "\r\n"))
    }

    /// Prints the rows that stand above everything.
    pub(super) fn banner(&mut self, tty: &mut Tty) -> Result<(), Stop> {
        let width = width(tty.size().0);
        let rows: String =
            self.script.look.banner.iter().map(|row| filled(row, width, &[]) + "\r\n").collect();
        self.put(tty, &rows)
    }

    /// A text in rows as they are drawn where an answer goes on.
    pub(super) fn set_in(&self, text: &str, width: usize) -> Vec<String> {
        let more = &self.script.look.answer.more;
        set_in(text, more, more, width)
    }

    /// Writes bytes above the box as they are.
    pub(super) fn put(&mut self, tty: &mut Tty, bytes: &str) -> Result<(), Stop> {
        self.fit(tty)?;
        tty.write(&self.region.erase())?;
        tty.write(bytes)
    }

    /// Clears the screen if its width has changed. Before anything is said: what was never shown is not cleared.
    fn fit(&mut self, tty: &mut Tty) -> Result<(), Stop> {
        let cols = tty.size().0;
        if cols != self.cols {
            self.cols = cols;
            self.region = Region::default();
            tty.write(CLEAR)?;
        }
        Ok(())
    }

    /// Shows a piece of a text that goes on.
    pub(super) fn stream(&mut self, tty: &mut Tty, piece: &str) -> Result<(), Stop> {
        self.live.push_str(piece);
        if let Some(playing) = &mut self.playing {
            playing.answering = true;
        }
        self.show(tty)
    }

    /// The streamed text is whole.
    pub(super) fn end_stream(&mut self, tty: &mut Tty) -> Result<(), Stop> {
        let text = std::mem::take(&mut self.live);
        self.say(tty, &text, Emphasis::Answer)
    }

    /// Shows a dialog in place of the box until it is answered.
    pub(super) fn ask(&mut self, tty: &mut Tty, dialog: Dialog) -> Result<Answer, Stop> {
        self.dialog = Some(dialog);
        loop {
            if let Some(answer) = self.answer.take() {
                return Ok(answer);
            }
            self.show(tty)?;
            self.listen(tty, None)?;
        }
    }

    /// The next line that was sent off with Enter; it is then shown above the box, unless typed text is not shown.
    pub(super) fn next_line(&mut self, tty: &mut Tty) -> Result<String, Stop> {
        loop {
            if let Some(line) = self.queued.pop_front() {
                if self.echo {
                    let form = sent(&self.script.look, self.script.box_prompt());
                    self.print(tty, &form, &line)?;
                }
                return Ok(line);
            }
            self.show(tty)?;
            self.listen(tty, None)?;
        }
    }

    /// Lets `time` pass; what is typed meanwhile is shown and counts.
    pub(super) fn wait(&mut self, tty: &mut Tty, time: Duration) -> Result<(), Stop> {
        let end = self.now().saturating_add(time);
        loop {
            self.show(tty)?;
            let left = end.saturating_sub(self.now());
            self.listen(tty, Some(left))?;
            if left.is_zero() {
                return Ok(());
            }
        }
    }

    fn listen(&mut self, tty: &Tty, time: Option<Duration>) -> Result<(), Stop> {
        // Keys may be left from the read before, if one of them ended a turn.
        if self.take_keys()? {
            return Ok(());
        }
        let patience = if self.keys.has_open_escape() { Some(ESCAPE_TIME) } else { time };
        if tty.readable_within(patience)? {
            let mut buffer = vec![0; READ_BYTES];
            let bytes = tty.read(&mut buffer)?;
            if bytes.is_empty() {
                return Err(Stop::Exit(0));
            }
            self.keys.push(bytes);
            self.take_keys()?;
        } else if let Some(key) = self.keys.finish() {
            self.key(key)?;
        }
        Ok(())
    }

    fn take_keys(&mut self) -> Result<bool, Stop> {
        let mut any = false;
        while let Some(key) = self.keys.next() {
            any = true;
            self.key(key)?;
        }
        Ok(any)
    }

    fn key(&mut self, key: Key) -> Result<(), Stop> {
        let now = self.now();
        if let Some(dialog) = &mut self.dialog {
            self.answer = dialog.key(&key);
            if self.answer.is_some() {
                self.dialog = None;
            }
            return Ok(());
        }
        if !self.ready && self.script.drops_early_input() {
            return Ok(());
        }
        match key {
            Key::Text(text) => self.input.typed(&text, now),
            Key::Paste(text) => self.input.pasted(&text, now),
            Key::Newline => self.input.typed("\n", now),
            Key::Backspace => self.input.backspace(),
            Key::Clear => self.input.clear(),
            Key::Enter if self.takes_enter() => {
                return self.input.enter(now).map_or(Ok(()), |text| self.submit(text));
            }
            Key::Escape if self.is_busy() => return Err(Stop::TurnOver("Interrupted")),
            Key::Interrupt if !self.input.is_empty() => self.input.clear(),
            Key::Interrupt if self.is_busy() => return Err(Stop::TurnOver("Interrupted")),
            // 128 + SIGINT, as a shell would tell it.
            Key::Interrupt => return Err(Stop::Exit(130)),
            Key::End if self.input.is_empty() && !self.is_busy() => return Err(Stop::Exit(0)),
            _ => {}
        }
        Ok(())
    }

    fn submit(&mut self, text: String) -> Result<(), Stop> {
        self.queued.push_back(text);
        if self.is_busy() && self.script.on_enter_while_busy == WhileBusy::Abort {
            return Err(Stop::TurnOver("Interrupted by a new message"));
        }
        Ok(())
    }

    fn takes_enter(&self) -> bool {
        (self.ready || self.script.before_ready == BeforeReady::Take) && self.queued.len() < QUEUED_MAX
    }

    /// Now, on a clock that never goes back.
    fn now(&self) -> Duration {
        Duration::from_millis(self.clock.now().0)
    }

    fn is_busy(&self) -> bool {
        self.playing.is_some()
    }

    /// For how many seconds the turn is played.
    fn elapsed(&self) -> u64 {
        let since = self.playing.as_ref().map_or(Duration::ZERO, |playing| playing.since);
        self.now().saturating_sub(since).as_secs()
    }

    fn stage(&self) -> Stage {
        match &self.playing {
            _ if !self.ready => Stage::Starting,
            Some(playing) if playing.answering => Stage::Answering,
            Some(_) => Stage::Busy,
            None if self.played => Stage::Idle,
            None => Stage::Fresh,
        }
    }

    /// Draws what is at the bottom.
    fn show(&mut self, tty: &mut Tty) -> Result<(), Stop> {
        self.fit(tty)?;
        let (cols, height) = tty.size();
        let bottom = self.bottom();
        let title = bottom.title();
        let (rows, row, column) = bottom.rows(width(cols), height);
        if let Some(title) = title.filter(|title| self.title.as_ref() != Some(title)) {
            tty.write(&format!("\x1b]2;{title}\x07"))?;
            self.title = Some(title);
        }
        tty.write(&self.region.draw(rows, row, column))?;
        tty.flush()
    }

    fn bottom(&self) -> Bottom<'_> {
        Bottom {
            look: &self.script.look,
            stage: self.stage(),
            live: &self.live,
            queued: self.queued.iter().map(String::as_str).collect(),
            spin: self.spin.as_ref(),
            dialog: self.dialog.as_ref(),
            prompt: self.script.box_prompt(),
            placeholder: self.script.placeholder.as_deref().unwrap_or_default(),
            shown: if self.echo { self.input.shown() } else { String::new() },
            sign: self.playing.as_ref().map_or("", |playing| &playing.sign),
            notice: self.notice.as_deref(),
            elapsed: self.elapsed(),
        }
    }
}

/// Columns that are written: the last one stays free, so that no row is ever wrapped by the terminal.
fn width(cols: usize) -> usize {
    cols.saturating_sub(1).max(2)
}
