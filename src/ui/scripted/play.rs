//! Plays a script: takes a turn, picks its actions, plays them one after the other.

use std::convert::Infallible;
use std::time::Duration;

use super::chance::Chance;
use super::claim::Phrase;
use super::dialog::{Answer, Dialog};
use super::mail::{DroppedMessage, Mail, write_work};
use super::pace::hang;
use super::rules::Rules;
use super::script::{
    Action, Chunks, Claim, Delegate, DropForm, Kind, Lines, Redraw, SignalName, Spinner, Switch,
};
use super::terminal::Terminal;
use super::text::Words;
use super::tty::Stop;
use super::turn::{Body, Task, Turn};
use crate::engine::words::Token;

/// The pictures of a spinner, as most CLIs have them.
const SPINNER: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/// Time between two pictures, as in the CLIs that were measured: the screen changes ten times a second for nothing.
const SPINNER_EVERY: Duration = Duration::from_millis(100);

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
struct Scene<'a> {
    turn: &'a Turn,
    task: &'a Task,
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
        let nobody =
            Turn { kind: Kind::Info, id: None, from: None, token: None, body: Body::Inline(String::new()) };
        let scene = Scene { turn: &nobody, task: &Task::default() };
        over(self.actions(&opening.actions, &scene))?;
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
            self.terminal.finish();
            if let Some(why) = ended? {
                self.terminal.say_more(why)?;
            }
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
            let answer = self.words(scene).default_answer();
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
        let words = self.words(scene);
        match action {
            Action::Print(text) => {
                let text = words.fill(text);
                self.terminal.say(&text)
            }
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
            Action::Busy(text) => {
                let text = words.fill(text);
                self.terminal.sign(&text)
            }
            Action::Title(text) => {
                let text = words.fill(text);
                self.terminal.title(&text)
            }
            Action::Delegate(delegate) => self.delegate(delegate, scene),
            Action::Reply(text) => self.reply(text, scene),
            // It stood first.
            Action::Claim(Claim::Early) => Ok(()),
            Action::Claim(form) => self.claim(*form, scene),
            Action::Dialog(text) => {
                let text = words.fill(text);
                self.ask(Dialog::permission(text))
            }
            Action::Trust(text) => {
                let text = words.fill(text);
                self.ask(Dialog::trust(text))
            }
            Action::SwallowEnter(count) => {
                self.terminal.swallow_enter(*count);
                Ok(())
            }
            Action::Limit(text) => {
                let text = words.fill(text);
                self.terminal.notice(&text)
            }
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
            Action::Bell => self.terminal.bell(),
        }
    }

    fn words<'a>(&'a self, scene: &Scene<'a>) -> Words<'a> {
        Words { phrase: &self.phrase, turn: scene.turn, task: scene.task, number: self.turns }
    }

    fn chunks(&mut self, chunks: &Chunks, scene: &Scene<'_>) -> Result<(), Stop> {
        let text: Vec<char> = self.words(scene).fill(&chunks.text).trim_end().chars().collect();
        for piece in text.chunks(chunks.size.get().into()) {
            self.terminal.stream(&piece.iter().collect::<String>())?;
            self.pause(chunks.every)?;
        }
        self.terminal.end_stream()
    }

    fn lines(&mut self, lines: &Lines, scene: &Scene<'_>) -> Result<(), Stop> {
        for n in 1..=lines.count {
            let text = self.words(scene).fill_with(&lines.text, n);
            if n == 1 {
                self.terminal.say(&text)?
            } else {
                self.terminal.say_more(&text)?
            }
            self.pause(lines.every)?;
        }
        Ok(())
    }

    fn redraw(&mut self, redraw: &Redraw, scene: &Scene<'_>) -> Result<(), Stop> {
        let mut rows = 0;
        for n in 1..=redraw.times {
            let text = self.words(scene).fill_with(&redraw.text, n.into());
            rows = self.terminal.draw(&text, rows)?;
            self.pause(redraw.every)?;
        }
        Ok(())
    }

    fn spinner(&mut self, spinner: &Spinner) -> Result<(), Stop> {
        let time = spinner.time.pick(&mut self.chance);
        let mut turned = Duration::ZERO;
        for picture in SPINNER.iter().cycle() {
            if turned >= time {
                break;
            }
            self.terminal.spin(&format!("{picture} {} {}s", spinner.text, turned.as_secs()))?;
            self.terminal.wait(SPINNER_EVERY.min(time.saturating_sub(turned)))?;
            turned += SPINNER_EVERY;
        }
        self.terminal.spin("")
    }

    fn claim(&mut self, form: Claim, scene: &Scene<'_>) -> Result<(), Stop> {
        if scene.turn.kind == Kind::Info {
            return Ok(());
        }
        let token = scene.turn.token.as_ref();
        for line in self.phrase.lines(form, token, self.stale.as_ref(), &mut self.chance) {
            if form == Claim::Drawn {
                self.terminal.draw(&line, 0).map(|_rows| ())?
            } else {
                self.terminal.say_more(&line)?
            }
        }
        Ok(())
    }

    fn delegate(&mut self, delegate: &Delegate, scene: &Scene<'_>) -> Result<(), Stop> {
        let words = self.words(scene);
        let message = DroppedMessage {
            id: delegate.id.as_ref().map(|id| words.fill(id)),
            from: delegate.from.clone(),
            to: words.fill(&delegate.to),
            form: delegate.form.unwrap_or(DropForm::Task),
            status: None,
            in_reply_to: None,
            token: scene.turn.token.as_ref().map(Token::to_string),
            content: words.fill(&delegate.content),
        };
        let sent = self.mail.send(&message);
        self.confess(sent)
    }

    fn reply(&mut self, text: &str, scene: &Scene<'_>) -> Result<(), Stop> {
        let words = self.words(scene);
        let message = DroppedMessage {
            id: None,
            from: None,
            to: words.from(),
            form: DropForm::Result,
            status: Some("completed"),
            in_reply_to: scene.turn.id.as_ref().map(ToString::to_string),
            token: scene.turn.token.as_ref().map(Token::to_string),
            content: words.fill(text),
        };
        let sent = self.mail.send(&message);
        self.confess(sent)
    }

    fn ask(&mut self, dialog: Dialog) -> Result<(), Stop> {
        match self.terminal.ask(dialog)? {
            Answer::Yes => self.terminal.say_more("allowed"),
            Answer::No => Err(Stop::TurnOver("denied")),
            Answer::Leave => Err(Stop::Exit(1)),
        }
    }

    fn signal(&mut self, name: SignalName) -> Result<(), Stop> {
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
        Ok(kill_process(getpid(), signal)?)
    }

    /// Something went wrong outside the terminal: the agent says so and goes on.
    fn confess(&mut self, done: Result<(), String>) -> Result<(), Stop> {
        done.or_else(|why| self.terminal.say_more(&why))
    }

    fn pause(&mut self, time: super::values::Pause) -> Result<(), Stop> {
        let time = time.pick(&mut self.chance);
        if time.is_zero() { Ok(()) } else { self.terminal.wait(time) }
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
