//! Breaking off a turn that nobody wants any more: the profile's key is pressed while the turn is seen to be under way, and it is
//! proven that it ended. Never the program itself: its key ends a turn, and where only a program could be ended none is pressed.

use super::busy::Rest;
use super::left::{Left, key_of};
use super::typing::Failed;
use super::{End, Worker, answered};
use crate::daemon::panes::orders::Typed;
use crate::engine::input::{Report, Verdict};
use crate::engine::life::interrupted::Interrupted;
use crate::engine::life::{Turn, TurnKind};
use crate::engine::screen::reading::State;
use crate::engine::words::{MessageId, counted};
use crate::io::process;
use crate::io::tmux::{Breaking, Key, TmuxError};
use std::time::Duration;
use tokio::time::Instant;

/// How long a program may take to end a turn. Measured: the slowest takes a second and a half with a tool that runs.
const ENDS_WITHIN: Duration = Duration::from_secs(10);
/// How soon the key is pressed again on a screen that goes on saying the same.
const PRESS_AGAIN: Duration = Duration::from_secs(2);
/// How often it is pressed.
const PRESSES: usize = 5;
/// Between two keys. Measured: 200 ms apart OpenCode takes two for one.
const KEY_PAUSE: Duration = Duration::from_millis(500);
/// How long a screen must say that the turn is over: after a key, and without one, for a program shows a moment late that it has
/// begun.
const OVER_AFTER_KEY: Duration = Duration::from_millis(500);
const OVER_BY_ITSELF: Duration = Duration::from_millis(1_500);
/// Between two looks.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// How long a shell may take to begin what it was told.
const BEGINS_WITHIN: Duration = Duration::from_millis(300);
/// What a look at a program with an input box says of its turn.
struct Sight {
    state: State,
    /// The rule that says so.
    rule: String,
    is_over: bool,
    /// Whether the turn's line stands in the input box: some programs put it back there.
    is_put_back: bool,
}

fn goes_on(why: impl Into<String>) -> Interrupted {
    Interrupted::GoesOn { why: why.into().into() }
}

impl Worker {
    /// Breaks a turn off, if it is under way, and reports what became of it.
    pub(super) async fn interrupt(&mut self, id: MessageId, turn: u16) -> Result<(), End> {
        let typed = self.awaited.take().filter(|typed| typed.id == id && typed.turn.number == turn);
        (self.unread, self.free_since, self.over) = (None, None, None);
        let how = match typed {
            None if self.taken_back.take() == Some((id.clone(), turn)) => Interrupted::NotGiven,
            None => goes_on("it is not known whether it was given this turn, so no key was pressed"),
            Some(typed) => {
                answered(self.note_breaking(&typed).await)?.ok();
                let how = match self.break_off(&typed).await {
                    Ok(how) => how,
                    Err(Failed::Ended(end)) => return Err(end),
                    Err(Failed::Verdict(verdict)) => goes_on(words(verdict)),
                };
                answered(self.pane.note_breaking(None).await)?.ok();
                how
            }
        };
        if matches!(how, Interrupted::GoesOn { .. }) {
            self.may_be_at_it(Rest::CalledOff);
            self.look().await?;
        }
        self.take_for_busy();
        self.stand_soon();
        self.report(Report::Interrupted { id, how }).await;
        Ok(())
    }

    /// Writes down at the pane that a turn is being broken off.
    async fn note_breaking(&self, typed: &Typed) -> Result<(), TmuxError> {
        let since = self.pane.people().await?.now;
        let Typed { id, turn, line, .. } = typed;
        let (id, turn, token) = (id.clone(), turn.number, turn.token);
        let breaking = Breaking { since, id, turn, token, line: line.as_ref().into() };
        self.pane.note_breaking(Some(&breaking)).await
    }

    /// Goes on breaking a turn off in whose midst an earlier daemon was killed; not where a person has typed since, for it may be
    /// theirs what goes on by now.
    pub(super) async fn go_on_breaking_off(&mut self) -> Result<(), End> {
        let Some(known) = answered(self.pane.breaking().await)?.ok().flatten() else { return Ok(()) };
        // The loop of this daemon takes it for busy from now on, too.
        self.report(Report::Busy { is: true }).await;
        if self.pane.person_before().is_some_and(|typed| typed > known.since) {
            answered(self.pane.note_breaking(None).await)?.ok();
            self.may_be_at_it(Rest::CalledOff);
            self.take_for_busy();
            return Ok(());
        }
        let Breaking { id, turn: number, token, line, .. } = known;
        let turn = Turn { number, kind: TurnKind::Task, token, redelivered: false };
        let phrase = self.phrase.as_str().into();
        self.awaited = Some(Typed { id: id.clone(), turn, line: line.into(), since: None, phrase, stood: 0 });
        self.interrupt(id, number).await
    }

    /// Nothing is awaited any more; what was may go on, also what an earlier daemon had awaited and called off.
    pub(super) fn unwatch(&mut self, off: bool) {
        let was_awaited = self.awaited.take().is_some();
        if was_awaited || off && self.launched.adopt.is_some() {
            self.may_be_at_it(if off { Rest::CalledOff } else { Rest::Other });
        }
        if was_awaited || off {
            self.stand_soon();
        }
        if off {
            self.take_for_busy();
        } else {
            self.look_by(Instant::now());
        }
        self.unread = None;
        self.look_at_unwatched();
    }

    async fn break_off(&mut self, typed: &Typed) -> Result<Interrupted, Failed> {
        let names = self.launch.profile.interrupt.clone().unwrap_or_default();
        let keys: Vec<Key> = names.split_ascii_whitespace().filter_map(key_of).collect();
        if keys.is_empty() {
            return Ok(goes_on(self.no_key("its profile has no key for that (`interrupt:`)")));
        }
        match self.launch.profile.screen {
            Some(_) => self.break_off_in_box(typed, &keys).await,
            None => self.break_off_on_line(&keys).await,
        }
    }

    fn no_key(&self, why: &str) -> String {
        format!("{why}; `tasuki agent restart {}` ends it", self.launched.agent)
    }

    /// A program with an input box: the key is pressed only while its screen says that it works, or asks something in its turn.
    async fn break_off_in_box(&mut self, typed: &Typed, keys: &[Key]) -> Result<Interrupted, Failed> {
        let deadline = Instant::now() + ENDS_WITHIN;
        let (mut presses, mut pressed) = (0, None::<(Instant, String)>);
        let (mut over_since, mut minds) = (None, None);
        loop {
            let sight = self.sight_of(typed).await?;
            let now = Instant::now();
            if sight.is_over {
                let settles = if presses > 0 { OVER_AFTER_KEY } else { OVER_BY_ITSELF };
                if now.duration_since(*over_since.get_or_insert(now)) >= settles {
                    if sight.is_put_back {
                        self.clear_box().await?;
                    }
                    self.left = Left::Nothing;
                    return Ok(if presses > 0 { Interrupted::Ended } else { Interrupted::WasOver });
                }
            } else {
                over_since = None;
                let rested = pressed.as_ref().is_none_or(|(at, on)| {
                    now.duration_since(*at) >= if *on == sight.rule { PRESS_AGAIN } else { KEY_PAUSE }
                });
                let keys = self.keys_for(&sight, keys);
                if !keys.is_empty() && rested && presses < PRESSES {
                    minds = self.hands_off().await?.map(|(guard, _)| guard.words());
                    if minds.is_none() {
                        self.press_all(&keys).await?;
                        (presses, pressed) = (presses + 1, Some((Instant::now(), sight.rule.clone())));
                    }
                }
            }
            if now >= deadline {
                let why = match (minds, presses) {
                    (Some(why), _) => format!("no key was pressed: {why}"),
                    (None, 0) => format!("no key was pressed: its screen is read as {}", sight.state.name()),
                    (None, _) => {
                        let times = counted(presses, "time");
                        format!("its key was pressed {times}, but it is still {}", sight.state.name())
                    }
                };
                return Ok(goes_on(self.no_key(&why)));
            }
            self.listen_once(deadline.min(now + LOOK_AGAIN)).await?;
        }
    }

    /// What is pressed at this sight. A dialog takes one key at a time; where it then asks why, Enter says that there is no reason.
    fn keys_for(&self, sight: &Sight, keys: &[Key]) -> Vec<Key> {
        let rules = self.launch.profile.screen.as_deref().and_then(|rules| rules.choices.as_ref());
        let asks_why = rules.is_some_and(|rules| rules.enter_after_no.contains(&sight.rule));
        match sight.state {
            _ if asks_why => vec![Key::Enter],
            State::WaitingInput => keys.iter().copied().take(1).collect(),
            State::Busy | State::RateLimited => keys.to_vec(),
            _ => Vec::new(),
        }
    }

    /// What a program shows of this turn, and says of it where it can be asked.
    async fn sight_of(&mut self, typed: &Typed) -> Result<Sight, Failed> {
        let screen = self.pane.capture(0, self.rows()).await?;
        let record = self.recorded(typed).await;
        let read = self.read(&screen).map(|read| super::side::corrected(read, record.as_ref()));
        let Some(read) = read else {
            return Ok(Sight {
                state: State::Unknown,
                rule: String::new(),
                is_over: false,
                is_put_back: false,
            });
        };
        // What is still being tried again moves; a row that says how a turn ended does not.
        let moves = read.state == State::RateLimited && self.printed.elapsed() < OVER_BY_ITSELF;
        Ok(Sight {
            state: read.state,
            rule: read.rule.clone(),
            is_over: read.is_over() && !moves,
            is_put_back: read.holds(typed) || read.is_ours(),
        })
    }

    /// A program that reads lines: what has the terminal from it, as a shell's commands do, gets the key, and the program does not.
    async fn break_off_on_line(&mut self, keys: &[Key]) -> Result<Interrupted, Failed> {
        let begun_by = Instant::now() + BEGINS_WITHIN;
        while !self.has_handed_on() && Instant::now() < begun_by {
            self.listen_once(begun_by.min(Instant::now() + LOOK_AGAIN)).await?;
        }
        if !self.has_handed_on() {
            let why = self.no_key("a key would end its program itself, so none was pressed");
            return Ok(if self.waits_for_a_line() { Interrupted::WasOver } else { goes_on(why) });
        }
        let deadline = Instant::now() + ENDS_WITHIN;
        for _ in 0..PRESSES {
            if let Some((guard, _)) = self.hands_off().await? {
                return Ok(goes_on(format!("no key was pressed: {}", guard.words())));
            }
            self.press_all(keys).await?;
            let again = deadline.min(Instant::now() + PRESS_AGAIN);
            while Instant::now() < again {
                self.listen_once(again.min(Instant::now() + LOOK_AGAIN)).await?;
                if !self.has_handed_on() {
                    self.left = Left::Nothing;
                    return Ok(Interrupted::Ended);
                }
            }
        }
        Ok(goes_on(self.no_key("its key was pressed, but what it runs goes on")))
    }

    pub(super) fn has_handed_on(&self) -> bool {
        process::has_handed_on(self.process.pid) == Some(true)
    }

    pub(super) fn waits_for_a_line(&self) -> bool {
        process::unread_input(&self.tty).unwrap_or(0) == 0
            && process::waits_for_input(self.process.pid, &self.tty) == Some(true)
    }

    async fn press_all(&mut self, keys: &[Key]) -> Result<(), Failed> {
        for (at, key) in keys.iter().enumerate() {
            if at > 0 {
                self.listen_until(Instant::now() + KEY_PAUSE).await?;
            }
            self.forget_seen();
            self.pane.key(*key).await?;
        }
        Ok(())
    }
}

/// What went wrong, in words.
fn words(verdict: Verdict) -> String {
    match verdict {
        Verdict::Delivered(_) => String::new(),
        Verdict::Unconfirmed { why }
        | Verdict::Left { why }
        | Verdict::NotDelivered { why }
        | Verdict::Withdrawn { why } => why,
    }
}
