//! The actions that take more than one step.

use std::time::Duration;

use super::action::{Chunks, Claim, Lines, Redraw, SignalName, Spinner};
use super::bottom::Spin;
use super::dialog::Dialog;
use super::look::Answer;
use super::outward::{Delegate, Delegates, DropForm};
use super::play::Player;
use super::script::Kind;
use super::text::{Words, as_content, as_id};
use super::tty::Stop;
use super::values::Pause;
use crate::engine::words::Token;
use serde_json::{Value, json};

/// Time between two pictures, as in the CLIs that were measured: the screen changes ten times a second for nothing.
const SPINNER_EVERY: Duration = Duration::from_millis(100);

impl Player {
    pub(super) fn chunks(&mut self, chunks: &Chunks, words: &Words<'_>) -> Result<(), Stop> {
        let text: Vec<char> = words.fill(&chunks.text).trim_end().chars().collect();
        for piece in text.chunks(chunks.size.get().into()) {
            self.terminal.stream(&piece.iter().collect::<String>())?;
            self.pause(chunks.every)?;
        }
        self.terminal.end_stream()
    }

    pub(super) fn lines(&mut self, lines: &Lines, words: &Words<'_>) -> Result<(), Stop> {
        for n in 1..=lines.count {
            let text = words.fill_with(&lines.text, n);
            if n == 1 {
                self.terminal.say(&text)?
            } else {
                self.terminal.say_more(&text)?
            }
            self.pause(lines.every)?;
        }
        Ok(())
    }

    pub(super) fn redraw(&mut self, redraw: &Redraw, words: &Words<'_>) -> Result<(), Stop> {
        let mut rows = 0;
        for n in 1..=redraw.times {
            let text = words.fill_with(&redraw.text, n.into());
            rows = self.terminal.draw(&text, rows)?;
            self.pause(redraw.every)?;
        }
        Ok(())
    }

    pub(super) fn spinner(&mut self, spinner: &Spinner) -> Result<(), Stop> {
        let time = spinner.time.pick(&mut self.chance);
        let mut turned = Duration::ZERO;
        for step in 0.. {
            if turned >= time {
                break;
            }
            let text = spinner.text.clone();
            self.terminal.spin(Some(Spin { step, text, secs: turned.as_secs() }))?;
            self.terminal.wait(SPINNER_EVERY.min(time.saturating_sub(turned)))?;
            turned += SPINNER_EVERY;
        }
        self.terminal.spin(None)
    }

    pub(super) fn claim(&mut self, form: Claim, words: &Words<'_>) -> Result<(), Stop> {
        if words.turn.kind == Kind::Info {
            return Ok(());
        }
        let token = words.turn.token.as_ref();
        for line in self.phrase.lines(form, token, self.stale.as_ref(), &mut self.chance) {
            if form == Claim::Drawn {
                self.terminal.draw(&line, 0).map(|_rows| ())?
            } else {
                self.terminal.say_more(&line)?
            }
        }
        Ok(())
    }

    pub(super) fn delegate(&mut self, delegates: &Delegates, words: &Words<'_>) -> Result<(), Stop> {
        let ids = |text: &String| as_id(&words.fill(text));
        let message = |delegate: &Delegate| {
            let needs: Vec<String> = delegate.depends_on.iter().map(ids).collect();
            json!({
                "id": delegate.id.as_ref().map(ids),
                "from": delegate.from,
                "to": words.fill(&delegate.to),
                "type": delegate.form.unwrap_or(DropForm::Task),
                "token": token_of(words),
                "depends_on": Some(needs).filter(|needs| !needs.is_empty()),
                "content": as_content(words.fill(&delegate.content)),
            })
        };
        let messages: Vec<Value> = delegates.0.iter().map(message).collect();
        let sent = self.mail.send(&messages);
        self.confess(sent)
    }

    /// Done, or not to be done, said by a file.
    pub(super) fn reply(&mut self, is_done: bool, text: &str, words: &Words<'_>) -> Result<(), Stop> {
        let Some(id) = &words.turn.id else {
            return self.terminal.say_more("there is no task to reply to: the line had no id");
        };
        let (form, status) = if is_done { ("result", "completed") } else { ("error", "failed") };
        let message = json!({
            "to": words.from(),
            "type": form,
            "status": status,
            "in_reply_to": id.as_str(),
            "token": token_of(words),
            "content": as_content(words.fill(text)),
        });
        let sent = self.mail.send(&[message]);
        self.confess(sent)
    }

    /// Something that looks like a claim.
    pub(super) fn pretend(&mut self, text: &str, words: &Words<'_>) -> Result<(), Stop> {
        let claim = self.phrase.with(words.turn.token.as_ref());
        let text = words.fill_openly(text, self.turns).replace("{claim}", &claim);
        self.terminal.say_more(&text)
    }

    pub(super) fn ask_permission(&mut self, text: String) -> Result<(), Stop> {
        let look = self.terminal.look().dialog.clone();
        self.ask(Dialog::new(text, look))
    }

    pub(super) fn ask_trust(&mut self, text: String) -> Result<(), Stop> {
        let look = self.terminal.look().trust.clone();
        self.ask(Dialog::new(text, look))
    }

    fn ask(&mut self, dialog: Dialog) -> Result<(), Stop> {
        match self.terminal.ask(dialog)? {
            Answer::Allow => self.terminal.say_more("allowed"),
            Answer::Deny => Err(Stop::TurnOver("denied")),
            Answer::Leave => Err(Stop::Exit(1)),
        }
    }

    pub(super) fn signal(&mut self, name: SignalName) -> Result<(), Stop> {
        use rustix::process::{Signal, getpid, kill_process};
        self.terminal.flush()?;
        let signal = match name {
            SignalName::Kill => Signal::KILL,
            SignalName::Term => Signal::TERM,
            SignalName::Int => Signal::INT,
            SignalName::Hup => Signal::HUP,
            SignalName::Segv => Signal::SEGV,
            SignalName::Abrt => Signal::ABORT,
            SignalName::Stop => Signal::STOP,
        };
        kill_process(getpid(), signal)?;
        // Rust's runtime looks at the first SIGSEGV for a stack overflow and steps aside: the second one is the crash.
        if name == SignalName::Segv {
            kill_process(getpid(), signal)?;
        }
        Ok(())
    }

    /// Something went wrong outside the terminal: the agent says so and goes on.
    pub(super) fn confess(&mut self, done: Result<(), String>) -> Result<(), Stop> {
        done.or_else(|why| self.terminal.say_more(&why))
    }

    fn pause(&mut self, time: Pause) -> Result<(), Stop> {
        let time = time.pick(&mut self.chance);
        if time.is_zero() { Ok(()) } else { self.terminal.wait(time) }
    }
}

fn token_of(words: &Words<'_>) -> Option<String> {
    words.turn.token.as_ref().map(Token::to_string)
}
