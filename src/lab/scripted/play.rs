//! Plays a script: takes a turn, picks its actions, plays them one after the other. What takes more than one step is
//! in `deeds`.

use std::convert::Infallible;
use std::rc::Rc;
use std::time::Duration;

use super::action::{Action, Claim, Switch};
use super::claim::Phrase;
use super::emphasis::Emphasis;
use super::mail::{Mail, append_work, write_work};
use super::rules::Rules;
use super::script::{Kind, Script};
use super::terminal::Terminal;
use super::text::Words;
use super::tty::Stop;
use super::turn::{Task, Turn};
use crate::engine::words::Token;
use crate::lab::chance::Chance;

/// An agent at its terminal.
#[derive(Debug)]
pub(super) struct Player {
    pub(super) script: Rc<Script>,
    pub(super) terminal: Terminal,
    pub(super) rules: Rules,
    pub(super) phrase: Phrase,
    pub(super) chance: Chance,
    pub(super) mail: Mail,
    pub(super) turns: u32,
    /// The token of the turn before.
    pub(super) stale: Option<Token>,
}

impl Player {
    /// Plays until the script or the terminal ends it; the first prompt comes after that time. Gives the exit code.
    ///
    /// # Errors
    /// What the terminal answered, if it is broken in an unusual way.
    pub(super) fn play(mut self, ready_after: Duration) -> std::io::Result<u8> {
        let Err(stop) = self.serve(ready_after);
        // A terminal that is gone needs no putting right.
        let _ = self.terminal.close();
        stop.code()
    }

    fn serve(&mut self, ready_after: Duration) -> Result<Infallible, Stop> {
        let nobody = Turn::plain(Kind::Info, "");
        let (phrase, task) = (self.phrase.clone(), Task::default());
        let words = Words { phrase: &phrase, turn: &nobody, task: &task, number: 0 };
        let script = Rc::clone(&self.script);
        over(self.actions(&script.at_start, &words))?;
        self.terminal.banner()?;
        self.terminal.wait(ready_after)?;
        self.terminal.set_ready()?;
        loop {
            let line = self.terminal.next_line()?;
            if line.trim().is_empty() {
                continue;
            }
            if line.trim() == "/exit" {
                return Err(Stop::Exit(0));
            }
            self.terminal.begin();
            let ended = over(self.turn(&Turn::read(&line)));
            // One that ends has no time for last rows.
            self.terminal.finish(ended?)?;
        }
    }

    fn turn(&mut self, turn: &Turn) -> Result<(), Stop> {
        self.turns = self.turns.saturating_add(1);
        let phrase = self.phrase.clone();
        let played = match turn.task(&self.mail.places) {
            Ok(task) => self.scene(&Words { phrase: &phrase, turn, task: &task, number: self.turns }),
            // Without its task an honest agent claims nothing.
            Err(why) => self.terminal.say(&why),
        };
        self.stale = turn.token.or(self.stale);
        played
    }

    fn scene(&mut self, words: &Words<'_>) -> Result<(), Stop> {
        let Some(actions) = self.rules.pick(words.turn, words.task) else {
            self.terminal.say(&words.default_answer())?;
            return self.claim(Claim::Now, words);
        };
        if actions.iter().any(|action| matches!(action, Action::Claim(Claim::Early))) {
            self.claim(Claim::Early, words)?;
        }
        self.actions(&actions, words)
    }

    fn actions(&mut self, actions: &[Action], words: &Words<'_>) -> Result<(), Stop> {
        for action in actions {
            self.act(action, words)?;
            self.terminal.glance()?;
        }
        Ok(())
    }

    fn act(&mut self, action: &Action, words: &Words<'_>) -> Result<(), Stop> {
        match action {
            Action::Print(text) => match words.fill(text) {
                // A placeholder that stands for nothing yet makes no empty line.
                said if said.is_empty() && !text.is_empty() => Ok(()),
                said => self.terminal.say(&said),
            },
            Action::Wait(time) => {
                let time = time.pick(&mut self.chance);
                self.terminal.wait(time)
            }
            Action::Chunks(chunks) => self.chunks(chunks, words),
            Action::Lines(lines) => self.lines(lines, words),
            Action::Wide(columns) => self.terminal.say_unwrapped(&super::text::wide((*columns).into())),
            Action::Redraw(redraw) => self.redraw(redraw, words),
            Action::Spinner(spinner) => self.spinner(spinner),
            Action::AltScreen(switch) => self.terminal.alt_screen(*switch == Switch::On),
            Action::Echo(switch) => self.terminal.echo(*switch == Switch::On),
            Action::Raw(switch) => self.terminal.raw(*switch == Switch::On),
            Action::Busy(text) => self.terminal.sign(&words.fill(text)),
            Action::Title(text) => self.terminal.title(&words.fill(text)),
            Action::Delegate(delegate) => self.delegate(delegate, words),
            Action::Reply(text) => self.reply(true, text, words),
            Action::Fail(text) => self.reply(false, text, words),
            Action::Run(run) => self.run(run, words),
            // It was first.
            Action::Claim(Claim::Early) => Ok(()),
            Action::Claim(form) => self.claim(*form, words),
            Action::Dialog(text) => self.ask_permission(words.fill(text)),
            Action::Trust(text) => self.ask_trust(words.fill(text)),
            Action::SwallowEnter(count) => {
                self.terminal.swallow_enter(*count);
                Ok(())
            }
            Action::Limit(text) => self.terminal.notice(&words.fill(text)),
            Action::Error(text) => self.terminal.say_as(Emphasis::Error, &words.fill(text)),
            Action::Pretend(text) => self.pretend(text, words),
            Action::Exit(code) => Err(Stop::Exit(*code)),
            Action::Signal(name) => self.signal(*name),
            Action::Hang => {
                self.terminal.flush()?;
                loop {
                    std::thread::park();
                }
            }
            Action::WriteFile(file) => {
                let written = write_work(&words.fill(&file.path), &words.fill(&file.text));
                self.confess(written)
            }
            Action::AppendFile(file) => {
                let written = append_work(&words.fill(&file.path), &words.fill(&file.text));
                self.confess(written)
            }
            Action::Bell => self.terminal.bell(),
        }
    }
}

/// A turn that ended early is an ordinary end; the word says why.
fn over(played: Result<(), Stop>) -> Result<Option<&'static str>, Stop> {
    match played {
        Ok(()) => Ok(None),
        Err(Stop::TurnOver(why)) => Ok(Some(why)),
        Err(other) => Err(other),
    }
}
