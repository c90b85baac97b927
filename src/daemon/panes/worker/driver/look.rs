//! One look at the pane: what its agent needs and is at, and the claim or the end of the turn that is awaited.

use super::Worker;
use crate::daemon::panes::orders::{PaneWord, Typed};
use crate::daemon::panes::worker::busy::BusyChange;
use crate::daemon::panes::worker::looks::PACE_MAX;
use crate::daemon::panes::worker::needs::NeedStep;
use crate::daemon::panes::worker::read::Read;
use crate::daemon::panes::worker::record::{ASK_SOON, Judged, corrected, judged_by};
use crate::daemon::panes::worker::session::End;
use crate::daemon::panes::worker::trace::{
    claims, is_echoed, is_whole, prompt_of, read_answer, stands_where_it_stood, without_left_behind,
    without_prompt, without_reprint,
};
use crate::daemon::panes::worker::turn_end::EndStep;
use crate::daemon::panes::worker::waiters;
use crate::daemon::panes::worker::words::{self, Words};
use crate::daemon::tmux::windows::ASK_AGAIN;
use crate::engine::input::Report;
use crate::engine::life::CompletionSource;
use crate::engine::screen::answer::{ScreenAnswer, without_phrase};
use crate::engine::screen::marker::ClaimRows;
use crate::engine::screen::reading::ScreenState;
use crate::io::mux::{MuxError, PaneScreen, Rows};
use crate::io::side_channel::TurnRecord;
use std::sync::Arc;
use std::time::Duration;

/// After how long a silence a claim counts where the screen is none that the profile knows.
const UNKNOWN_AFTER: Duration = Duration::from_secs(10);
/// How long a screen must say that its turn is over where the pane is never still.
const STILL_ENOUGH: Duration = Duration::from_secs(1);
/// How often an unread line is asked after.
const UNREAD_EVERY: Duration = Duration::from_millis(50);

/// What a look is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Aim {
    /// What the agent is doing, while it prints on: the rows of the screen.
    Glimpse,
    /// A claim or a text, and what is before it.
    Search,
}

impl Worker {
    /// One look at the pane.
    pub(super) async fn look(&mut self) -> Result<(), End> {
        self.session.looks.next = None;
        self.catch_up()?;
        self.ask_unread().await;
        self.unsent().look().await?;
        self.send_what_waits().await?;
        if let Some(aim) = self.aim() {
            self.session.looks.last = self.session.now();
            let seen = match aim {
                Aim::Glimpse => self.session.capture(0).await.map(Arc::new),
                Aim::Search => self.session.see().await,
            };
            match seen {
                Ok(screen) => self.search(&screen, aim).await?,
                Err(MuxError::Gone { .. }) => return Err(End::Disconnected),
                Err(error) => {
                    // A claim that is there already makes no sound: nothing else would bring us here again.
                    tracing::debug!(%error, "a pane could not be looked at");
                    self.session.look_by(self.session.now() + ASK_AGAIN);
                }
            }
        }
        self.probe().await?;
        self.probe_unasked().await
    }

    /// What is to be looked at now, if anything: while an awaited agent prints, no claim counts yet.
    fn aim(&mut self) -> Option<Aim> {
        if !self.waiters.is_empty() {
            return Some(Aim::Search);
        }
        let is_plain = self.session.agent.is_plain();
        if !is_plain {
            // What it does is read, however much it prints.
            return Some(if self.work.awaited.is_some() { Aim::Search } else { Aim::Glimpse });
        }
        if self.work.busy.rests(is_plain) {
            return Some(Aim::Glimpse);
        }
        self.work.awaited.as_ref()?;
        let session = &mut self.session;
        let (now, quiet_at, glimpse_at) =
            (session.now(), session.printed + session.agent.quiet(), session.looks.last + PACE_MAX);
        if now >= quiet_at {
            return Some(Aim::Search);
        }
        if now >= glimpse_at {
            return Some(Aim::Glimpse);
        }
        session.look_by(quiet_at.max(session.looks.last + session.looks.pace).min(glimpse_at));
        None
    }

    async fn search(&mut self, screen: &Arc<PaneScreen>, aim: Aim) -> Result<(), End> {
        if let Some(typed) = &self.work.awaited {
            let resized = self.work.resizing.has_changed(&self.session);
            self.work.resizing.sees(screen, typed, self.session.agent.rules(), resized);
        }
        waiters::answer(&mut self.waiters, screen, &mut self.session);
        let read = self.session.read(screen);
        if let Some(line) = self.overview.doing(screen, read.as_ref(), &self.session) {
            self.session.reporter.say(PaneWord::Doing(line)).await;
        }
        if let Some(read) = &read {
            self.overview.keep_frame(screen, read, &self.session);
        }
        let record = match self.work.awaited.clone() {
            Some(typed) if read.is_some() => self.record.turn(&typed).await,
            _ => None,
        };
        let read = read.map(|read| corrected(read, record.as_ref()));
        if let Some(read) = &read {
            self.tell_need(read).await?;
            if read.state == ScreenState::Busy {
                self.answers.goes_on();
            }
        }
        self.tell_busy(read.as_ref().map(|read| read.state)).await;
        match (self.work.awaited.clone(), read) {
            (None, _) => {}
            (Some(typed), Some(read)) => self.search_read(screen, &read, &typed, record).await,
            (Some(typed), None) => self.search_still(screen, aim, typed).await,
        }
        Ok(())
    }

    /// Tells the loop when the agent begins or ceases to need something, and answers what its profile was told to answer.
    pub(super) async fn tell_need(&mut self, read: &Read) -> Result<(), End> {
        match self.needs.tell(read, &mut self.session).await? {
            NeedStep::Unsure => return Ok(()),
            NeedStep::Same => {}
            NeedStep::Over { asked } => {
                if asked {
                    self.answering().was_answered_there().await?;
                }
                self.probe_soon();
            }
            NeedStep::Begun => self.readiness.void(),
        }
        self.answering().answer_by_profile(read).await
    }

    /// Tells the loop when a program begins or ceases to work on something that is no turn which is awaited.
    async fn tell_busy(&mut self, state: Option<ScreenState>) {
        let awaited = self.work.awaited.is_some();
        let is = self.work.busy.is_now(awaited, state, &mut self.session);
        self.unsent().remember_rest().await;
        match self.work.busy.sees(is, awaited, self.session.now()) {
            BusyChange::None => return,
            BusyChange::Later(at) => return self.session.look_by(at),
            BusyChange::Now => {}
        }
        if is {
            self.readiness.void();
        } else {
            self.probe_soon();
        }
        self.session.report(Report::Busy { is }).await;
    }

    /// Looks for the claim of a program whose screen says whether its turn is over.
    async fn search_read(
        &mut self,
        screen: &PaneScreen,
        read: &Read,
        typed: &Typed,
        record: Option<TurnRecord>,
    ) {
        let now = self.session.now();
        if let Some(TurnRecord::Over { said }) = record {
            let judged = judged_by(&said, typed, Words::None);
            return self.conclude(judged, screen, read, typed).await;
        }
        let unknown_at = self.session.printed + UNKNOWN_AFTER;
        let goes_on = matches!(record, Some(TurnRecord::Working | TurnRecord::Retrying { .. }));
        let over = read.is_over() || (read.state == ScreenState::Unknown && now >= unknown_at);
        if goes_on || !over {
            if record.is_some() {
                self.session.look_by(now + ASK_SOON.max(self.session.looks.pace));
            }
            self.work.free_since = None;
            self.session.looks.slow_down();
            if read.state == ScreenState::Unknown {
                self.session.look_by(unknown_at);
            }
            return;
        }
        let since = *self.work.free_since.get_or_insert(now);
        let quiet = self.session.agent.quiet();
        let settled_at = (self.session.printed + quiet).min(since + STILL_ENOUGH).max(since + quiet);
        if now < settled_at {
            return self.session.look_by(settled_at);
        }
        let on_screen = self.has_claimed(screen, typed).await;
        let judged = self.record.judge(on_screen, read, typed, since, self.session.now()).await;
        self.conclude(judged, screen, read, typed).await;
    }

    /// What follows from it for a turn that is over.
    async fn conclude(&mut self, judged: Judged, screen: &PaneScreen, read: &Read, typed: &Typed) {
        match judged {
            Judged::BySaid(answer, shown) => {
                self.work.awaited = None;
                self.probe_soon();
                self.report_claim(typed, CompletionSource::Marker, answer, Some(shown)).await;
            }
            Judged::ByScreen => {
                self.work.awaited = None;
                self.probe_soon();
                self.claim(typed, CompletionSource::Marker, Some(screen)).await;
            }
            Judged::Later(at, said) => {
                if let Some(said) = said {
                    self.tell_said(typed, said, screen, Some(read)).await;
                }
                self.session.look_by(at);
            }
            Judged::Unclaimed(said) => {
                self.session.looks.slow_down();
                if !read.free {
                    // It met a limit: by the time that is over, its words may have left the screen.
                    self.tell_said(typed, said.clone(), screen, Some(read)).await;
                }
                self.look_for_end(typed, screen, Some(read), said).await;
            }
        }
    }

    /// Looks for the claim of a program that is over when it is still.
    async fn search_still(&mut self, screen: &PaneScreen, aim: Aim, typed: Typed) {
        let (now, quiet_at) = (self.session.now(), self.session.printed + self.session.agent.quiet());
        if aim == Aim::Glimpse || now < quiet_at {
            // The look after it has fallen silent is what counts.
            let paced = now + self.session.looks.pace;
            self.session.looks.slow_down();
            return self.session.look_by(if claims(screen, &typed) { quiet_at } else { paced.max(quiet_at) });
        }
        if self.has_claimed(screen, &typed).await {
            self.work.awaited = None;
            self.work.unread = None;
            self.work.busy.may_go_on(&self.session);
            self.probe_soon();
            self.claim(&typed, CompletionSource::Marker, Some(screen)).await;
        } else {
            self.session.looks.slow_down();
            self.look_for_end(&typed, screen, None, Words::Shown).await;
        }
    }

    /// Reports the end of a turn that was not claimed, once it is sure, and what was said in it; and what is said later on, for
    /// somebody may go on with it by hand.
    async fn look_for_end(&mut self, typed: &Typed, screen: &PaneScreen, read: Option<&Read>, said: Words) {
        let free = read.map(|read| read.free);
        let Some(end) = self.work.end.as_mut().filter(|_| self.work.unread.is_none()) else { return };
        let waits = || free.unwrap_or_else(|| self.session.program.waits_for_input());
        let first = match end.step(waits, self.session.printed, self.session.now()) {
            EndStep::Rest => return,
            EndStep::LookBy(at) => return self.session.look_by(at),
            EndStep::Over { first } => first,
        };
        self.tell_said(typed, said, screen, read).await;
        if first {
            let (id, turn) = (typed.id.clone(), typed.turn.number);
            // What a profile reads as free has asked for nothing.
            let at_prompt = stands_where_it_stood(screen, typed) || self.unsent.is_at_prompt(screen);
            let asks = self.answers.waits_for_words() || free.is_none() && !at_prompt;
            self.session.report(Report::TurnOver { id, turn, asks }).await;
        }
    }

    /// Reports what was said in the turn; once, until there is more.
    async fn tell_said(&mut self, typed: &Typed, words: Words, screen: &PaneScreen, read: Option<&Read>) {
        let notice = matches!(words, Words::None);
        let ScreenAnswer { text, truncated } = match words {
            Words::Own(own) => own,
            Words::Shown | Words::None => {
                let resized = self.work.resizing.has_changed(&self.session);
                let shown = words::shown(&self.session, typed, screen, read, resized).await;
                self.work.resizing.joined(shown, screen, typed)
            }
        };
        let text: Arc<str> = without_phrase(&text, &typed.phrase).into();
        if self.work.is_new(&text, notice) {
            let (id, turn) = (typed.id.clone(), typed.turn.number);
            self.session.report(Report::Said { id, turn, text, truncated, notice }).await;
        }
    }

    /// Reports the claim with what the agent answered: what is between the echo of its line and the claim. Where the
    /// echo is not surely among the rows that were searched, the whole history is read.
    pub(super) async fn claim(&mut self, typed: &Typed, source: CompletionSource, seen: Option<&PaneScreen>) {
        let resized = self.work.resizing.has_changed(&self.session);
        let whole = match (seen, self.session.agent.rules()) {
            // It has no history, and what was seen may be cleared at any moment.
            (Some(screen), Some(rules)) if screen.alternate && resized => {
                Some(without_left_behind(screen, rules, typed))
            }
            (Some(screen), _) if screen.alternate => None,
            (_, Some(rules)) if resized => self.session.whole_as(Rows::Joined).await.map(|joined| {
                // What the terminal has wrapped is whole again; the program wraps its own text all the same.
                let screen = PaneScreen { given: Rows::AsShown, ..joined };
                without_left_behind(&screen, rules, typed)
            }),
            (Some(screen), _) if is_whole(screen, typed) => None,
            _ => self.session.whole().await,
        };
        let answer = whole.as_ref().or(seen).map(|screen| {
            let (ScreenAnswer { text, truncated }, shown) = match self.own.reprinted {
                true => read_answer(&without_reprint(screen, typed), typed),
                false => read_answer(screen, typed),
            };
            // The proof is what was seen, whatever else is read for the text.
            let shown = shown.or_else(|| read_answer(seen?, typed).1);
            let text = without_prompt(text, prompt_of(screen, typed).as_deref());
            (self.work.resizing.joined(ScreenAnswer { text, truncated }, screen, typed), shown)
        });
        let (answer, shown) = answer.unwrap_or_default();
        self.report_claim(typed, source, answer, shown).await;
    }

    /// Reports a claim with its proof, which the engine holds against the turn ([`crate::engine::life`]).
    async fn report_claim(
        &self,
        typed: &Typed,
        source: CompletionSource,
        answer: ScreenAnswer,
        shown: Option<ClaimRows>,
    ) {
        let (id, turn) = (typed.id.clone(), typed.turn.number);
        let ScreenAnswer { text, truncated } = answer;
        let (token, line) = shown.map(|shown| (shown.token, shown.line)).unwrap_or_default();
        let (line, text) = (line.into(), text.into());
        self.session.report(Report::Claimed { id, turn, token, line, source, text, truncated }).await;
    }

    /// Whether a turn is claimed. Without a token only its echo tells where its output begins, and that may have left the
    /// rows that are searched.
    pub(super) async fn has_claimed(&self, screen: &PaneScreen, typed: &Typed) -> bool {
        if claims(screen, typed) || typed.turn.token.is_some() || is_echoed(screen, typed) {
            return claims(screen, typed);
        }
        self.session.whole().await.is_some_and(|whole| claims(&whole, typed))
    }

    /// A line that was typed before: has it been read meanwhile?
    async fn ask_unread(&mut self) {
        let Some(typed) = &self.work.unread else { return };
        if !self.session.program.is_canonical() {
            self.work.unread = None;
            return;
        }
        if self.session.program.unread() == 0 {
            let (id, turn) = (typed.id.clone(), typed.turn.number);
            self.work.unread = None;
            self.session.report(Report::Taken { id, turn }).await;
        } else {
            self.session.looks.next = Some(self.session.now() + UNREAD_EVERY);
        }
    }
}
