//! Plays a script: takes a turn, picks its actions, plays them one after the other. What takes more than one step is
//! in `deeds`.

use std::convert::Infallible;
use std::time::Duration;

use super::action::{Action, Claim, Switch};
use super::chance::Chance;
use super::claim::Phrase;
use super::mail::{Mail, append_work, write_work};
use super::outward::DropForm;
use super::pace::hang;
use super::rules::Rules;
use super::script::Kind;
use super::terminal::Terminal;
use super::text::Words;
use super::tty::Stop;
use super::turn::{Body, Task, Turn};
use crate::engine::words::Token;

/// What happens before the first prompt.
#[derive(Debug)]
pub(super) struct Opening {
    pub(super) actions: Vec<Action>,
    pub(super) ready_after: Duration,
    /// Whether what was typed before is lost.
    pub(super) forget_input: bool,
}

/// An agent at its terminal.
#[derive(Debug)]
pub(super) struct Player {
    pub(super) terminal: Terminal,
    pub(super) rules: Rules,
    pub(super) phrase: Phrase,
    pub(super) chance: Chance,
    pub(super) mail: Mail,
    /// Turns so far.
    pub(super) turns: u32,
    /// The token of the turn before.
    pub(super) stale: Option<Token>,
}

/// One turn on the stage.
pub(super) struct Scene<'a> {
    pub(super) turn: &'a Turn,
    pub(super) task: &'a Task,
}

impl<'a> Scene<'a> {
    /// What the placeholders stand for in turn `number`.
    pub(super) fn words(&self, phrase: &'a Phrase, number: u32) -> Words<'a> {
        Words { phrase, turn: self.turn, task: self.task, number }
    }
}

impl Player {
    /// Plays until the script or the terminal ends it. Gives the exit code.
    ///
    /// # Errors
    /// What the terminal answered, if it is broken in an unusual way.
    pub(super) fn play(mut self, opening: &Opening) -> std::io::Result<u8> {
        let Err(stop) = self.serve(opening);
        // A terminal that is gone needs no putting right.
        let _ = self.terminal.close();
        stop.code()
    }

    fn serve(&mut self, opening: &Opening) -> Result<Infallible, Stop> {
        let nobody = Turn {
            kind: Kind::Info,
            id: None,
            from: None,
            token: None,
            body: Body::Inline(String::new()),
            line: String::new(),
        };
        let scene = Scene { turn: &nobody, task: &Task::default() };
        over(self.actions(&opening.actions, &scene))?;
        self.terminal.banner()?;
        self.terminal.wait(opening.ready_after)?;
        self.terminal.set_ready(opening.forget_input)?;
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
        let played = match turn.task(self.mail.places()) {
            Ok(task) => self.scene(&Scene { turn, task: &task }),
            // Without its task an honest agent claims nothing.
            Err(why) => self.terminal.say(&why),
        };
        self.stale = turn.token.or(self.stale);
        played
    }

    fn scene(&mut self, scene: &Scene<'_>) -> Result<(), Stop> {
        let Some(actions) = self.rules.pick(scene.turn, scene.task) else {
            let answer = scene.words(&self.phrase, self.turns).default_answer();
            self.terminal.say(&answer)?;
            return self.claim(Claim::Now, scene);
        };
        if actions.iter().any(|action| matches!(action, Action::Claim(Claim::Early))) {
            self.claim(Claim::Early, scene)?;
        }
        self.actions(&actions, scene)
    }

    fn actions(&mut self, actions: &[Action], scene: &Scene<'_>) -> Result<(), Stop> {
        for action in actions {
            self.act(action, scene)?;
            self.terminal.glance()?;
        }
        Ok(())
    }

    fn act(&mut self, action: &Action, scene: &Scene<'_>) -> Result<(), Stop> {
        let words = scene.words(&self.phrase, self.turns);
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
            Action::Chunks(chunks) => self.chunks(chunks, scene),
            Action::Lines(lines) => self.lines(lines, scene),
            Action::Wide(columns) => self.terminal.say_unwrapped(&super::text::wide((*columns).into())),
            Action::Redraw(redraw) => self.redraw(redraw, scene),
            Action::Spinner(spinner) => self.spinner(spinner),
            Action::AltScreen(switch) => self.terminal.alt_screen(*switch == Switch::On),
            Action::Echo(switch) => self.terminal.echo(*switch == Switch::On),
            Action::Raw(switch) => self.terminal.raw(*switch == Switch::On),
            Action::Busy(text) => self.terminal.sign(&words.fill(text)),
            Action::Title(text) => self.terminal.title(&words.fill(text)),
            Action::Delegate(delegate) => self.delegate(delegate, scene),
            Action::Reply(text) => self.reply(DropForm::Result, text, scene),
            Action::Fail(text) => self.reply(DropForm::Error, text, scene),
            Action::Run(run) => self.run(run, scene),
            // It stood first.
            Action::Claim(Claim::Early) => Ok(()),
            Action::Claim(form) => self.claim(*form, scene),
            Action::Dialog(text) => self.ask_permission(words.fill(text)),
            Action::Trust(text) => self.ask_trust(words.fill(text)),
            Action::SwallowEnter(count) => {
                self.terminal.swallow_enter(*count);
                Ok(())
            }
            Action::Limit(text) => self.terminal.notice(&words.fill(text)),
            Action::Error(text) => self.terminal.say_error(&words.fill(text)),
            Action::Pretend(text) => self.pretend(text, scene),
            Action::Exit(code) => Err(Stop::Exit(*code)),
            Action::Signal(name) => self.signal(*name),
            Action::Hang => {
                self.terminal.flush()?;
                hang()
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
