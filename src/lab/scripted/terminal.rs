//! What the player may do with its terminal, in either mode: the same verbs for a plain program that prints lines and
//! for one with an input box.

use std::rc::Rc;
use std::time::Duration;

use super::bottom::Spin;
use super::dialog::Dialog;
use super::emphasis::Emphasis;
use super::input_box::Manners;
use super::lines::LineReader;
use super::look::{Answer, Look};
use super::screen::{drawn, up};
use super::script::{Mode, Script};
use super::text::wrap_words;
use super::tty::{Stop, Tty};
use super::tui::Tui;
use crate::io::clock;

/// Erases from the cursor to the end of the row.
const ERASE_ROW: &str = "\x1b[K";
/// Erases all below the cursor.
const ERASE_BELOW: &str = "\x1b[J";

/// The agent's terminal.
#[derive(Debug)]
pub(super) struct Terminal {
    tty: Tty,
    script: Rc<Script>,
    manners: Manners,
    lines: LineReader,
    /// The box, while the input is raw.
    tui: Option<Tui>,
    busy: bool,
    ready: bool,
    alt_screen: bool,
}

impl Terminal {
    /// Takes the terminal, in the mode of the script.
    pub(super) fn open(script: Rc<Script>, manners: Manners) -> Result<Self, Stop> {
        let (tty, raw) = (Tty::open(), script.mode == Mode::Tui);
        let (lines, tui) = (LineReader::default(), None);
        let mut terminal =
            Self { tty, script, manners, lines, tui, busy: false, ready: false, alt_screen: false };
        terminal.raw(raw)?;
        Ok(terminal)
    }

    /// The first prompt: what was typed so far counts or is lost, as the script says.
    pub(super) fn set_ready(&mut self) -> Result<(), Stop> {
        self.ready = true;
        if self.script.drops_early_input() {
            self.tty.forget_input()?;
        }
        if let Some(tui) = &mut self.tui {
            tui.ready = true;
        }
        Ok(())
    }

    /// The next line that the agent is given.
    pub(super) fn next_line(&mut self) -> Result<String, Stop> {
        let Some(tui) = &mut self.tui else { return self.next_plain_line() };
        tui.next_line(&mut self.tty)
    }

    pub(super) fn begin(&mut self) {
        self.busy = true;
        if let Some(tui) = &mut self.tui {
            tui.begin();
        }
    }

    /// The turn is over, or was ended for a reason.
    pub(super) fn finish(&mut self, why: Option<&str>) -> Result<(), Stop> {
        self.busy = false;
        match (&mut self.tui, why) {
            (Some(tui), why) => tui.finish(&mut self.tty, why),
            (None, Some(why)) => self.say_more(why),
            (None, None) => Ok(()),
        }
    }

    /// Prints a text, as an agent says something.
    pub(super) fn say(&mut self, text: &str) -> Result<(), Stop> {
        self.say_as(Emphasis::Answer, text)
    }

    /// Prints a text that goes on with what was said.
    pub(super) fn say_more(&mut self, text: &str) -> Result<(), Stop> {
        self.say_as(Emphasis::More, text)
    }

    /// Prints the rows that stand above everything, where there is a box.
    pub(super) fn banner(&mut self) -> Result<(), Stop> {
        self.tui.as_mut().map_or(Ok(()), |tui| tui.banner(&mut self.tty))
    }

    /// Prints a text in this form.
    pub(super) fn say_as(&mut self, emphasis: Emphasis, text: &str) -> Result<(), Stop> {
        match &mut self.tui {
            Some(tui) => tui.say(&mut self.tty, text, emphasis),
            None => self.tty.write(&format!("{}\n", text.trim_end_matches('\n'))),
        }
    }

    /// Prints a line as it is: the terminal wraps it, not the program.
    pub(super) fn say_unwrapped(&mut self, line: &str) -> Result<(), Stop> {
        self.put(&format!("{line}\r\n"))
    }

    /// Prints a text word by word with cursor movements, over the `before` rows that were drawn last. Gives the number
    /// of rows it took.
    pub(super) fn draw(&mut self, text: &str, before: usize) -> Result<usize, Stop> {
        // The last column stays free: with the cursor behind it, erasing would take the last character.
        let width = self.tty.size().0.saturating_sub(1);
        let rows = match &self.tui {
            Some(tui) => tui.set_in(text, width),
            None => text.lines().flat_map(|line| wrap_words(line, width)).collect(),
        };
        let drawn: String = rows.iter().map(|row| ERASE_ROW.to_owned() + &drawn(row) + "\r\n").collect();
        self.put(&(up(before) + "\r" + &drawn + ERASE_BELOW))?;
        Ok(rows.len())
    }

    /// Shows a piece of a text at once; [`Self::end_stream`] ends it.
    pub(super) fn stream(&mut self, piece: &str) -> Result<(), Stop> {
        match &mut self.tui {
            Some(tui) => tui.stream(&mut self.tty, piece),
            None => {
                self.tty.write(piece)?;
                self.tty.flush()
            }
        }
    }

    /// The streamed text is whole.
    pub(super) fn end_stream(&mut self) -> Result<(), Stop> {
        match &mut self.tui {
            Some(tui) => tui.end_stream(&mut self.tty),
            None => self.tty.write("\n"),
        }
    }

    /// Turns a spinner; none takes it away.
    pub(super) fn spin(&mut self, spin: Option<Spin>) -> Result<(), Stop> {
        if let Some(tui) = &mut self.tui {
            tui.spin = spin;
            return Ok(());
        }
        let row =
            |spin: Spin| format!("{} {} {}s", self.script.look.picture(spin.step), spin.text, spin.secs);
        self.tty.write(&format!("\r{}{ERASE_ROW}", spin.map(row).unwrap_or_default()))
    }

    /// Shows all that was said and lets `time` pass.
    pub(super) fn wait(&mut self, time: Duration) -> Result<(), Stop> {
        match &mut self.tui {
            Some(tui) => tui.wait(&mut self.tty, time),
            None => {
                self.tty.flush()?;
                if !time.is_zero() {
                    // A plain program that works does not look at its terminal.
                    clock::rest(time);
                }
                Ok(())
            }
        }
    }

    /// Looks at what was typed meanwhile, where the input is raw: an interruption counts between two actions too.
    pub(super) fn glance(&mut self) -> Result<(), Stop> {
        match &mut self.tui {
            Some(tui) => tui.wait(&mut self.tty, Duration::ZERO),
            None => Ok(()),
        }
    }

    /// Shows a dialog and waits for its answer.
    pub(super) fn ask(&mut self, dialog: Dialog) -> Result<Answer, Stop> {
        if let Some(tui) = &mut self.tui {
            return tui.ask(&mut self.tty, dialog);
        }
        let rows = dialog.rows(self.tty.size().0).join("\n");
        self.tty.write(&(rows + "\n"))?;
        self.tty.flush()?;
        Ok(dialog.line(&self.lines.next(&self.tty)?))
    }

    pub(super) fn look(&self) -> &Look {
        &self.script.look
    }

    /// Sets what says that a turn is played.
    pub(super) fn sign(&mut self, text: &str) -> Result<(), Stop> {
        match &mut self.tui {
            Some(tui) => tui.set_sign(text),
            None if text.is_empty() => {}
            None => self.say(text)?,
        }
        Ok(())
    }

    /// Prints a notice that an input box keeps in its footer.
    pub(super) fn notice(&mut self, text: &str) -> Result<(), Stop> {
        self.say_as(Emphasis::Limit, text)?;
        if let Some(tui) = &mut self.tui {
            tui.notice = Some(text.to_owned());
        }
        Ok(())
    }

    /// The next `count` Enters on a text are swallowed, where the input is raw.
    pub(super) fn swallow_enter(&mut self, count: u32) {
        if let Some(tui) = &mut self.tui {
            tui.input.swallow(count);
        }
    }

    pub(super) fn title(&mut self, text: &str) -> Result<(), Stop> {
        let text: String = text.chars().filter(|c| !c.is_control()).collect();
        self.tty.write(&format!("\x1b]2;{text}\x07"))
    }

    pub(super) fn bell(&mut self) -> Result<(), Stop> {
        self.tty.write("\x07")
    }

    /// Shows typed text or not.
    pub(super) fn echo(&mut self, on: bool) -> Result<(), Stop> {
        match &mut self.tui {
            Some(tui) => tui.echo = on,
            None => self.tty.lines(on)?,
        }
        Ok(())
    }

    pub(super) fn alt_screen(&mut self, on: bool) -> Result<(), Stop> {
        self.alt_screen = on;
        self.put(if on { "\x1b[?1049h\x1b[H" } else { "\x1b[?1049l" })
    }

    /// Switches between lines and raw input with a box.
    pub(super) fn raw(&mut self, on: bool) -> Result<(), Stop> {
        match (&mut self.tui, on) {
            (None, true) => {
                let mut tui = Tui::open(&mut self.tty, Rc::clone(&self.script), self.manners, self.ready)?;
                if self.busy {
                    tui.begin();
                }
                self.tui = Some(tui);
            }
            (Some(tui), false) => {
                for line in tui.close(&mut self.tty)? {
                    self.lines.hold(&line);
                }
                self.tui = None;
                self.tty.lines(true)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Shows all that was said.
    pub(super) fn flush(&mut self) -> Result<(), Stop> {
        self.tty.flush()
    }

    /// Gives the terminal back as it was.
    pub(super) fn close(&mut self) -> Result<(), Stop> {
        self.raw(false)?;
        if self.alt_screen {
            self.alt_screen(false)?;
        }
        self.tty.flush()?;
        self.tty.restore()
    }

    fn next_plain_line(&mut self) -> Result<String, Stop> {
        let prompt = self.script.prompt.as_deref().unwrap_or_default();
        self.tty.write(prompt)?;
        self.tty.flush()?;
        let line = self.lines.next(&self.tty)?;
        // Nobody has shown the Enter: the answer begins on a row of its own all the same.
        if !prompt.is_empty() && !self.tty.echoes() {
            self.tty.write("\n")?;
        }
        Ok(line)
    }

    /// Writes bytes where text goes.
    fn put(&mut self, bytes: &str) -> Result<(), Stop> {
        match &mut self.tui {
            Some(tui) => tui.put(&mut self.tty, bytes),
            None => self.tty.write(bytes),
        }
    }
}
