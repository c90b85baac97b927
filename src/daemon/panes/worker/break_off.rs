//! Breaking off a turn that nobody wants any more: the profile's key is pressed while the turn is seen to be under way, and it is
//! proven that it ended. Never the program itself: its key ends a turn, and where only a program could be ended none is pressed.

use super::input_box::BoxTyping;
use super::own_line::InInput;
use super::program::key_named;
use super::record::corrected;
use super::typing::Failed;
use crate::daemon::panes::orders::Typed;
use crate::engine::input::Verdict;
use crate::engine::life::interrupted::Interrupted;
use crate::engine::screen::reading::ScreenState;
use crate::engine::words::counted;
use crate::io::mux::{Breaking, Key, MuxError};
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
    state: ScreenState,
    /// The rule that says so.
    rule: String,
    is_over: bool,
    /// Whether the turn's line is in the input box: some programs put it back there.
    is_put_back: bool,
}

pub(super) fn goes_on(why: impl Into<String>) -> Interrupted {
    Interrupted::GoesOn { why: why.into().into() }
}

/// The breaking off of a turn, and what it needs of others.
pub(super) struct BreakOff<'w>(pub(super) BoxTyping<'w>);

impl BreakOff<'_> {
    /// Breaks a turn off that is under way; what became of it.
    pub(super) async fn break_off(&mut self, typed: &Typed) -> Result<Interrupted, Failed> {
        let names = self.0.session.agent.profile().interrupt.clone().unwrap_or_default();
        let keys: Vec<Key> = names.split_ascii_whitespace().filter_map(key_named).collect();
        if keys.is_empty() {
            return Ok(goes_on(self.no_key("its profile has no key for that (`interrupt:`)")));
        }
        if self.0.session.agent.is_plain() {
            self.break_off_on_line(&keys).await
        } else {
            self.break_off_in_box(typed, &keys).await
        }
    }

    /// Writes down at the pane that a turn is being broken off.
    pub(super) async fn note(&self, typed: &Typed) -> Result<(), MuxError> {
        let since = self.0.session.pane.people().await?.now;
        let Typed { id, turn, line, .. } = typed;
        let (id, turn, token) = (id.clone(), turn.number, turn.token);
        let breaking = Breaking { since, id, turn, token, line: line.as_ref().into() };
        self.0.session.pane.note_breaking(Some(&breaking)).await
    }

    fn no_key(&self, why: &str) -> String {
        format!("{why}; `tasuki agent restart {}` ends it", self.0.session.agent.name())
    }

    /// A program with an input box: the key is pressed only while its screen says that it works, or asks something in its turn.
    async fn break_off_in_box(&mut self, typed: &Typed, keys: &[Key]) -> Result<Interrupted, Failed> {
        let deadline = self.0.session.now() + ENDS_WITHIN;
        let (mut presses, mut pressed) = (0, None::<(Instant, String)>);
        let (mut over_since, mut minds) = (None, None);
        loop {
            let sight = self.sight_of(typed).await?;
            let now = self.0.session.now();
            if sight.is_over {
                let settles = if presses > 0 { OVER_AFTER_KEY } else { OVER_BY_ITSELF };
                if now.duration_since(*over_since.get_or_insert(now)) >= settles {
                    if sight.is_put_back {
                        self.0.clear().await?;
                    }
                    self.0.own.in_input = InInput::Nothing;
                    return Ok(if presses > 0 { Interrupted::Ended } else { Interrupted::WasOver });
                }
            } else {
                over_since = None;
                let rested = pressed.as_ref().is_none_or(|(at, on)| {
                    now.duration_since(*at) >= if *on == sight.rule { PRESS_AGAIN } else { KEY_PAUSE }
                });
                let keys = self.keys_for(&sight, keys);
                if !keys.is_empty() && rested && presses < PRESSES {
                    minds = self.0.session.hands_off().await?.map(|(guard, _)| guard.words());
                    if minds.is_none() {
                        self.press_all(&keys).await?;
                        (presses, pressed) = (presses + 1, Some((self.0.session.now(), sight.rule.clone())));
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
            self.0.session.listen_once(deadline.min(now + LOOK_AGAIN)).await?;
        }
    }

    /// What is pressed at this sight. A dialog takes one key at a time; where it then asks why, Enter says that there is no reason.
    fn keys_for(&self, sight: &Sight, keys: &[Key]) -> Vec<Key> {
        let rules = self.0.session.agent.choice_rules();
        let asks_why = rules.is_some_and(|rules| rules.enter_after_no.contains(&sight.rule));
        match sight.state {
            _ if asks_why => vec![Key::Enter],
            ScreenState::WaitingInput => keys.iter().copied().take(1).collect(),
            ScreenState::Busy | ScreenState::RateLimited => keys.to_vec(),
            _ => Vec::new(),
        }
    }

    /// What a program shows of this turn, and says of it where it can be asked.
    async fn sight_of(&mut self, typed: &Typed) -> Result<Sight, Failed> {
        let screen = self.0.session.capture(0).await?;
        let record = self.0.record.turn(typed).await;
        let read = self.0.session.read(&screen).map(|read| corrected(read, record.as_ref()));
        let Some(read) = read else {
            return Ok(Sight {
                state: ScreenState::Unknown,
                rule: String::new(),
                is_over: false,
                is_put_back: false,
            });
        };
        // What is still being tried again moves; a row that says how a turn ended does not.
        let moves = read.state == ScreenState::RateLimited && self.0.session.silence() < OVER_BY_ITSELF;
        Ok(Sight {
            state: read.state,
            rule: read.rule.clone(),
            is_over: read.is_over() && !moves,
            is_put_back: read.holds(typed) || read.is_ours(),
        })
    }

    /// A program that reads lines: what has the terminal from it, as a shell's commands do, gets the key, and the program does not.
    async fn break_off_on_line(&mut self, keys: &[Key]) -> Result<Interrupted, Failed> {
        let begun_by = self.0.session.now() + BEGINS_WITHIN;
        while !self.0.session.program.has_handed_on() && self.0.session.now() < begun_by {
            self.0.session.listen_once(begun_by.min(self.0.session.now() + LOOK_AGAIN)).await?;
        }
        if !self.0.session.program.has_handed_on() {
            let why = self.no_key("a key would end its program itself, so none was pressed");
            return Ok(if self.0.session.program.waits_for_a_line() {
                Interrupted::WasOver
            } else {
                goes_on(why)
            });
        }
        let deadline = self.0.session.now() + ENDS_WITHIN;
        for _ in 0..PRESSES {
            if let Some((guard, _)) = self.0.session.hands_off().await? {
                return Ok(goes_on(format!("no key was pressed: {}", guard.words())));
            }
            self.press_all(keys).await?;
            let again = deadline.min(self.0.session.now() + PRESS_AGAIN);
            while self.0.session.now() < again {
                self.0.session.listen_once(again.min(self.0.session.now() + LOOK_AGAIN)).await?;
                if !self.0.session.program.has_handed_on() {
                    self.0.own.in_input = InInput::Nothing;
                    return Ok(Interrupted::Ended);
                }
            }
        }
        Ok(goes_on(self.no_key("its key was pressed, but what it runs goes on")))
    }

    async fn press_all(&mut self, keys: &[Key]) -> Result<(), Failed> {
        for (at, key) in keys.iter().enumerate() {
            if at > 0 {
                self.0.session.listen_until(self.0.session.now() + KEY_PAUSE).await?;
            }
            self.0.session.press(*key).await?;
        }
        Ok(())
    }
}

/// What went wrong, in words.
pub(super) fn words(verdict: Verdict) -> String {
    match verdict {
        Verdict::Delivered(_) => String::new(),
        Verdict::Unconfirmed { why }
        | Verdict::Left { why }
        | Verdict::NotDelivered { why }
        | Verdict::Withdrawn { why } => why,
    }
}
