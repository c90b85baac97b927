//! Typing to a program that reads lines: the line of the cursor is its input. A line that is there without its Enter is found,
//! though the program may have printed since, and entered or taken away.
//!
//! With the cursor behind it a line is seen. Once the program has printed a line by itself it is there all the same: the
//! buffer of the terminal (or the program's own) holds it. A canonical terminal that shows what is typed can show it anew, so
//! that only Enter is missing again; of any other the input is cleared, and the turn is in doubt.

use super::own_line::{InInput, OwnLine, Standing};
use super::screen_cache::SEARCHED_ROWS;
use super::session::Session;
use super::trace::{claims, echoes, is_of, is_whole_line, reprints, traces};
use super::typing::{ECHO_PAUSE, Failed, not_delivered, unconfirmed};
use crate::daemon::panes::orders::Typed;
use crate::engine::screen::doorbell;
use crate::io::mux::{CtrlLetter, Key, MuxError, PaneScreen, Person, Printed, Rows};
use std::time::Duration;
use tokio::time::Instant;

/// How long open guards are waited for before a line that is in the input is left in doubt, and a terminal's answer to
/// a key: longer than a program takes to fall silent, and short enough that a person's typing is not waited out here.
pub(super) const RESOLVE_WAIT: Duration = Duration::from_secs(3);
/// How long a line may take to go from the input after the key that clears it.
const CLEAR_WAIT: Duration = Duration::from_millis(500);
/// What comes in one go is there after this time.
const IN_ONE_GO: Duration = Duration::from_millis(100);
/// Rows above the screen in which a new echo is looked for: a program may print while it is typed to.
const ECHO_ROWS: u32 = 50;
/// Between two looks at a terminal's input queue.
const READ_PAUSE: Duration = Duration::from_millis(20);

/// The typing of a turn into the line of the cursor, and what it needs of others.
pub(super) struct LineTyping<'w> {
    pub(super) session: &'w mut Session,
    pub(super) own: &'w mut OwnLine,
}

impl LineTyping<'_> {
    /// Looks for what is in the input, and leaves nothing there but the turn's own line. `before` is how often that
    /// is on the screen.
    pub(super) async fn standing(
        &mut self,
        typed: &Typed,
        screen: &PaneScreen,
        before: usize,
    ) -> Result<Standing, Failed> {
        // With the cursor at the left edge nothing is seen in the input.
        let at_the_edge = screen.cursor.0 == 0;
        let mut draft = if at_the_edge { None } else { self.draft(typed).await? };
        let again = self.own.was_typed(typed, before);
        let mut taken_away = false;
        match &draft {
            Some(draft) if !is_of(draft, typed) || is_whole_line(draft, typed) => {}
            None if again && claims(screen, typed) => return Ok(Standing::Done),
            None if !again && self.own.in_input == InInput::Nothing => {}
            None if !again && self.own.in_input == InInput::Unknown => {
                taken_away = self.wipe(at_the_edge).await?
            }
            _ => {
                draft = self.uncover(draft, typed, again).await?;
                taken_away = draft.is_none();
            }
        }
        match draft {
            Some(draft) if is_of(&draft, typed) => return Ok(Standing::Own(draft)),
            Some(_) => self.clear_draft(typed).await?,
            None if taken_away => {}
            None => return Ok(Standing::Nothing),
        }
        self.own.in_input = InInput::Nothing;
        Ok(Standing::TakenAway)
    }

    /// Brings to light what is in the input unseen, or takes it away. A line that was typed before and does not stand
    /// there may have been read: the turn is not typed again before it says so.
    async fn uncover(
        &mut self,
        seen: Option<String>,
        typed: &Typed,
        again: bool,
    ) -> Result<Option<String>, Failed> {
        if self.session.program.reprints() {
            let shown = self.reprint(typed).await?;
            if shown.is_some() {
                return Ok(shown);
            }
        } else if seen.is_some() {
            return Ok(seen);
        } else {
            let own = || self.session.agent.clear_key();
            let Some(key) = self.session.program.kill_key().or_else(own) else {
                let why = "an earlier line may still be in its input, and no key is known that clears it";
                return Err(if again { unconfirmed(why) } else { not_delivered(why) });
            };
            self.press_and_wait(key).await?;
        }
        self.own.in_input = InInput::Nothing;
        if again && !typed.turn.redelivered {
            return Err(unconfirmed("its line was typed before and is no longer in the input"));
        }
        Ok(None)
    }

    /// Takes away what an earlier daemon may have left in a canonical terminal where nothing is seen; whether it did.
    async fn wipe(&mut self, at_the_edge: bool) -> Result<bool, Failed> {
        let Some(key) = self.session.program.kill_key().filter(|_| at_the_edge) else {
            return Ok(false);
        };
        self.session.press(key).await?;
        self.own.in_input = InInput::Nothing;
        Ok(true)
    }

    /// Has the terminal show what is in its input, and gives the line of ours that it is.
    pub(super) async fn reprint(&mut self, typed: &Typed) -> Result<Option<String>, Failed> {
        let before = reprints(&self.session.pane.capture(SEARCHED_ROWS, Rows::Joined).await?);
        let Some(letter) = CtrlLetter::new('r') else { return Ok(None) };
        self.session.press(Key::Ctrl(letter)).await?;
        let deadline = self.session.now() + RESOLVE_WAIT;
        while reprints(&self.session.pane.capture(SEARCHED_ROWS, Rows::Joined).await?) <= before {
            if self.session.now() >= deadline {
                return Err(unconfirmed("its terminal does not show what is in its input"));
            }
            self.session.listen_for(ECHO_PAUSE, deadline).await?;
        }
        self.session.listen_until(self.session.now() + self.session.agent.quiet().max(IN_ONE_GO)).await?;
        Ok(self.draft(typed).await?)
    }

    async fn press_and_wait(&mut self, key: Key) -> Result<(), Failed> {
        self.session.press(key).await?;
        Ok(self.session.listen_until(self.session.now() + self.session.agent.quiet()).await?)
    }

    /// A line of ours that is in the input without its Enter: the last row that is not empty, if the cursor still
    /// is behind something.
    pub(super) async fn draft(&self, typed: &Typed) -> Result<Option<String>, MuxError> {
        let screen = self.session.capture(0).await?;
        let last = screen.rows.into_iter().rev().find(|row| !row.trim().is_empty());
        let ours = |row: &String| row.contains(doorbell::HEAD) || row.trim_end().ends_with(&*typed.line);
        Ok(last.filter(|row| screen.cursor.0 > 0 && ours(row)))
    }

    /// Takes the line of a turn that was called off away again, and sees that it is gone.
    pub(super) async fn take_back(&mut self, typed: &Typed) -> Failed {
        match self.clear_draft(typed).await {
            Ok(()) => Failed::Verdict(self.own.removed(typed)),
            Err(failed) => failed,
        }
    }

    /// Takes an older turn's doorbell out of the input line. It was tasuki who typed it, so nobody's words are lost.
    async fn clear_draft(&mut self, typed: &Typed) -> Result<(), Failed> {
        if let Some(key) = self.session.agent.clear_key() {
            self.press_and_wait(key).await?;
        }
        // On a busy machine its terminal takes a while to show that.
        let deadline = self.session.now() + CLEAR_WAIT;
        while self.draft(typed).await?.is_some() {
            if self.session.now() >= deadline {
                // It will not go away by itself: this counts as a try, so that there is an end to it.
                return Err(not_delivered("an older line is still in its input"));
            }
            self.session.listen_for(ECHO_PAUSE, deadline).await?;
        }
        Ok(())
    }

    /// Waits for the line to be shown, if something is still on its way to the program; whether whole lines were, or it is
    /// claimed.
    pub(super) async fn wait_for_trace(&mut self, typed: &Typed, since: Instant) -> Result<bool, Failed> {
        let mut arrived = false;
        while self.echoes(typed).await? == 0 {
            // What was typed just before the crash may still be on its way to the program.
            let arriving = self.session.program.unread() > 0;
            arrived |= self.session.program.holds_lines();
            if !arriving && !arrived {
                // It may have left the rows that are searched, and be claimed at that.
                if let Some(whole) = self.session.whole().await.filter(|whole| traces(whole, typed)) {
                    return Ok(claims(&whole, typed));
                }
                if !(self.session.program.shows_input() && self.session.agent.profile().echoes) {
                    self.own.in_input = InInput::of(typed);
                }
                return Err(not_delivered("there is no trace of it in the pane"));
            }
            if self.session.now() >= since + RESOLVE_WAIT {
                self.own.in_input = InInput::of(typed);
                let unread = "something that was typed has not been read yet";
                return Err(unconfirmed(if arriving {
                    unread
                } else {
                    "something was read that is not shown"
                }));
            }
            self.session.listen_once(self.session.now() + READ_PAUSE).await?;
        }
        Ok(arrived)
    }

    /// How often the line is on the screen.
    pub(super) async fn echoes(&self, typed: &Typed) -> Result<usize, MuxError> {
        Ok(echoes(&self.session.capture(SEARCHED_ROWS).await?, typed))
    }

    /// Waits until the line is shown and the pane is still. Whether it was shown, and who looked on then. `before` is how
    /// often it was there before it was typed, and `printed` how much had been printed.
    pub(super) async fn wait_for_echo(
        &mut self,
        typed: &Typed,
        before: usize,
        printed: Printed,
    ) -> Result<(bool, Option<Person>), Failed> {
        let profile = self.session.agent.profile();
        let (quiet, cap) = (self.session.agent.quiet(), profile.echo_wait_ms);
        let deadline = self.session.now() + Duration::from_millis(cap);
        let expected = profile.echoes && self.session.program.shows_input();
        if expected && *self.session.output.borrow() == printed {
            // Nothing was printed since: a look now would see nothing new.
            self.session.listen_for(ECHO_PAUSE, deadline).await?;
        }
        loop {
            self.session.be_quiet(quiet, deadline).await?;
            // Where it was nowhere before it is new wherever it is, and in a pane that is still it is at the bottom.
            let few = before == 0 && self.session.now() < deadline;
            let searched = if few { ECHO_ROWS } else { SEARCHED_ROWS };
            let (screen, people) = self.session.pane.look(searched, Rows::Joined).await?;
            let person = people.here;
            if echoes(&screen, typed) > before {
                return Ok((true, person));
            }
            if !expected {
                return Ok((false, person));
            }
            if self.session.now() >= deadline {
                return Err(not_delivered(format!("its line was not shown within {cap} ms")));
            }
            self.session.listen_for(quiet.max(ECHO_PAUSE), deadline).await?;
        }
    }
}
