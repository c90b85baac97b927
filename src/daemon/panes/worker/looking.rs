//! Looking at the pane: woken by its output, paced while it prints on. Finds the claim of the awaited turn.

use super::left::without_reprint;
use super::over::Over;
use super::reading::Read;
use super::said::{Words, prompt_of};
use super::seen::SEARCHED_ROWS;
use super::side::{ASK_SOON, Judged, corrected, judged_by};
use super::{ASK_AGAIN, End, Worker};
use crate::daemon::panes::orders::{PaneWord, Typed};
use crate::engine::input::Report;
use crate::engine::life::CompletionSource;
use crate::engine::screen::Screen as Seen;
use crate::engine::screen::answer;
use crate::engine::screen::answer::Answer;
use crate::engine::screen::echo;
use crate::engine::screen::echo::Echo;
use crate::engine::screen::marker;
use crate::engine::screen::marker::{Awaited, Shown};
use crate::engine::screen::reading::{State, plain};
use crate::io::process;
use crate::io::side_channel::TurnRecord;
use crate::io::tmux::{Rows, Screen, TmuxError};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Wait between the first output and the first look: what a program prints in one go arrives within 2 ms.
pub(super) const PACE_MIN: Duration = Duration::from_millis(2);
/// Wait between two looks at a pane that prints without end (performance: one capture a second).
pub(super) const PACE_MAX: Duration = Duration::from_secs(1);
/// How often the last line of a pane is told.
const DOING_EVERY: Duration = Duration::from_secs(1);
/// After how long a silence a claim counts where the screen is none that the profile knows.
const UNKNOWN_PATIENCE: Duration = Duration::from_secs(10);
/// How long a screen must say that its turn is over where the pane is never still.
const STILL_ENOUGH: Duration = Duration::from_secs(1);
/// How often an unread line is asked after.
const UNREAD_EVERY: Duration = Duration::from_millis(50);

/// What a look is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Aim {
    /// What the agent is doing, while it prints on: the rows of the screen.
    Glimpse,
    /// A claim or a text, and what stands before it.
    Search,
}

/// What was last told of a pane, the row that this was read from, and when.
#[derive(Debug, Default)]
pub(super) struct Doing {
    line: String,
    row: String,
    at: Option<Instant>,
}

impl Worker {
    /// Watches for the claim of a turn from now on; one that stands there already counts.
    pub(super) fn watch_for(&mut self, typed: Typed) {
        let claims = typed.turn.kind != crate::engine::life::TurnKind::Info;
        self.free_since = None;
        self.forget_rest();
        self.over = claims.then(Over::new);
        if !claims {
            self.may_go_on();
            self.stand_soon();
        }
        if self
            .awaited
            .as_ref()
            .is_none_or(|before| (&before.id, before.turn.number) != (&typed.id, typed.turn.number))
        {
            self.said = None;
        }
        self.awaited = claims.then_some(typed);
        self.pace = self.first_pace();
        self.look_at = Some(Instant::now() + self.pace);
    }

    /// Wait between the first output and the first look: none where nothing has to settle.
    pub(super) fn first_pace(&self) -> Duration {
        PACE_MIN.min(self.quiet())
    }

    /// Wait between output and the look that it calls for: a claim counts after silence only.
    pub(super) fn first_look(&self) -> Duration {
        if self.seeking.is_none() && self.waiters.is_empty() { self.quiet() } else { self.first_pace() }
    }

    /// Whether output is of any interest.
    pub(super) fn wants_looks(&self) -> bool {
        let reads = self.launch.profile.screen.is_some();
        let rests = self.rests();
        rests || reads || self.seeking.is_some() || self.awaited.is_some() || !self.waiters.is_empty()
    }

    /// One look at the pane.
    pub(super) async fn look(&mut self) -> Result<(), End> {
        self.look_at = None;
        self.catch_up()?;
        self.ask_unread().await;
        self.watch_line().await?;
        self.send_what_waits().await?;
        if let Some(aim) = self.aim() {
            self.looked = Instant::now();
            let seen = match aim {
                Aim::Glimpse => self.pane.capture(0, self.rows()).await.map(Arc::new),
                Aim::Search => self.see().await,
            };
            match seen {
                Ok(screen) => self.search(&screen, aim).await?,
                Err(TmuxError::Gone { .. }) => return Err(End::Disconnected),
                Err(error) => {
                    // A claim that stands there already makes no sound: nothing else would bring us here again.
                    tracing::debug!(%error, "a pane could not be looked at");
                    self.look_by(Instant::now() + ASK_AGAIN);
                }
            }
        }
        self.seek().await?;
        self.stand().await
    }

    /// What is to be looked at now, if anything: while an awaited agent prints, no claim counts yet.
    fn aim(&mut self) -> Option<Aim> {
        if !self.waiters.is_empty() {
            return Some(Aim::Search);
        }
        let reads = self.launch.profile.screen.is_some();
        if reads {
            // What it does is read, however much it prints.
            return Some(if self.awaited.is_some() { Aim::Search } else { Aim::Glimpse });
        }
        if self.rests() {
            return Some(Aim::Glimpse);
        }
        self.awaited.as_ref()?;
        let (now, quiet_at, glimpse_at) =
            (Instant::now(), self.printed + self.quiet(), self.looked + PACE_MAX);
        if now >= quiet_at {
            return Some(Aim::Search);
        }
        if now >= glimpse_at {
            return Some(Aim::Glimpse);
        }
        self.look_by(quiet_at.max(self.looked + self.pace).min(glimpse_at));
        None
    }

    /// How long a pane must have been silent for a claim to count.
    pub(super) fn quiet(&self) -> Duration {
        Duration::from_millis(self.launch.profile.quiet_ms)
    }

    /// Fruitless looks get rarer while it prints on.
    pub(super) fn slow_down(&mut self) {
        self.pace = (self.pace.max(PACE_MIN) * 2).min(PACE_MAX);
    }

    /// Looks at the pane no later than this.
    pub(super) fn look_by(&mut self, at: Instant) {
        self.look_at = Some(self.look_at.map_or(at, |sooner| sooner.min(at)));
    }

    async fn search(&mut self, screen: &Screen, aim: Aim) -> Result<(), End> {
        self.answer_waiters(screen);
        let read = self.read(screen);
        self.tell_doing(screen, read.as_ref()).await;
        if let Some(read) = &read {
            self.keep_frame(screen, read);
        }
        let record = match self.awaited.clone() {
            Some(typed) if read.is_some() => self.recorded(&typed).await,
            _ => None,
        };
        let read = read.map(|read| corrected(read, record.as_ref()));
        if let Some(read) = &read {
            self.tell_need(read).await?;
        }
        self.tell_busy(read.as_ref().map(|read| read.state)).await;
        match (self.awaited.clone(), read) {
            (None, _) => {}
            (Some(typed), Some(read)) => self.search_read(screen, &read, &typed, record).await,
            (Some(typed), None) => self.search_still(screen, aim, typed).await,
        }
        Ok(())
    }

    /// Looks for the claim of a program whose screen says whether its turn is over.
    async fn search_read(&mut self, screen: &Screen, read: &Read, typed: &Typed, record: Option<TurnRecord>) {
        let now = Instant::now();
        if let Some(TurnRecord::Over { said }) = record {
            let judged = judged_by(&said, typed, Words::None);
            return self.conclude(judged, screen, read, typed).await;
        }
        let unknown_at = self.printed + UNKNOWN_PATIENCE;
        let goes_on = matches!(record, Some(TurnRecord::Working | TurnRecord::Retrying { .. }));
        let over = read.is_over() || (read.state == State::Unknown && now >= unknown_at);
        if goes_on || !over {
            if record.is_some() {
                self.look_by(now + ASK_SOON.max(self.pace));
            }
            self.free_since = None;
            self.slow_down();
            if read.state == State::Unknown {
                self.look_by(unknown_at);
            }
            return;
        }
        let since = *self.free_since.get_or_insert(now);
        let settled_at = (self.printed + self.quiet()).min(since + STILL_ENOUGH).max(since + self.quiet());
        if now < settled_at {
            return self.look_by(settled_at);
        }
        let judged = self.judged(screen, read, typed, since).await;
        self.conclude(judged, screen, read, typed).await;
    }

    /// What follows from it for a turn that is over.
    async fn conclude(&mut self, judged: Judged, screen: &Screen, read: &Read, typed: &Typed) {
        match judged {
            Judged::BySaid(answer, shown) => {
                self.awaited = None;
                self.stand_soon();
                self.report_claim(typed, CompletionSource::Marker, answer, Some(shown)).await;
            }
            Judged::ByScreen => {
                self.awaited = None;
                self.stand_soon();
                self.claim(typed, CompletionSource::Marker, Some(screen)).await;
            }
            Judged::Later(at) => self.look_by(at),
            Judged::Unclaimed(said) => {
                self.slow_down();
                if !read.free {
                    // It met a limit: by the time that is over, its words may have left the screen.
                    self.tell_said(typed, said.clone(), screen, Some(read)).await;
                }
                self.look_for_end(typed, screen, Some(read), said).await;
            }
        }
    }

    /// Looks for the claim of a program that is over when it is still.
    async fn search_still(&mut self, screen: &Screen, aim: Aim, typed: Typed) {
        let (now, quiet_at) = (Instant::now(), self.printed + self.quiet());
        if aim == Aim::Glimpse || now < quiet_at {
            // The look after it has fallen silent is what counts.
            let paced = now + self.pace;
            self.slow_down();
            self.look_by(if claims(screen, &typed) { quiet_at } else { paced.max(quiet_at) });
            return;
        }
        if self.has_claimed(screen, &typed).await {
            self.awaited = None;
            self.unread = None;
            self.may_go_on();
            self.stand_soon();
            self.claim(&typed, CompletionSource::Marker, Some(screen)).await;
        } else {
            self.slow_down();
            self.look_for_end(&typed, screen, None, Words::Shown).await;
        }
    }

    /// Reports the claim with what the agent answered: what stands between the echo of its line and the claim. Where the
    /// echo is not surely among the rows that were searched, the whole history is read.
    pub(super) async fn claim(&mut self, typed: &Typed, source: CompletionSource, seen: Option<&Screen>) {
        let whole = match seen {
            Some(screen) if is_whole(screen, typed) => None,
            _ => self.whole().await,
        };
        let answer = whole.as_ref().or(seen).map(|screen| {
            let (Answer { text, truncated }, shown) = match self.reprinted {
                true => read_answer(&without_reprint(screen, typed), typed),
                false => read_answer(screen, typed),
            };
            // The proof is what was seen, whatever else is read for the text.
            let shown = shown.or_else(|| read_answer(seen?, typed).1);
            let text = without_prompt(text, prompt_of(screen, typed).as_deref());
            (Answer { text, truncated }, shown)
        });
        let (answer, shown) = answer.unwrap_or_default();
        self.report_claim(typed, source, answer, shown).await;
    }

    /// Reports a claim with its proof, which the engine holds against the turn ([`crate::engine::life`]).
    async fn report_claim(
        &self,
        typed: &Typed,
        source: CompletionSource,
        answer: Answer,
        shown: Option<Shown>,
    ) {
        let (id, turn) = (typed.id.clone(), typed.turn.number);
        let Answer { text, truncated } = answer;
        let (token, line) = shown.map(|shown| (shown.token, shown.line)).unwrap_or_default();
        let (line, text) = (line.into(), text.into());
        self.report(Report::Claimed { id, turn, token, line, source, text, truncated }).await;
    }

    /// Whether a turn is claimed. Without a token only its echo tells where its output begins, and that may have left the
    /// rows that are searched.
    pub(super) async fn has_claimed(&self, screen: &Screen, typed: &Typed) -> bool {
        if claims(screen, typed) || typed.turn.token.is_some() || is_echoed(screen, typed) {
            return claims(screen, typed);
        }
        self.whole().await.is_some_and(|whole| claims(&whole, typed))
    }

    /// As much of the history as can be had with the bottom of the screen: a capture that is too large lacks that.
    pub(super) async fn whole(&self) -> Option<Screen> {
        let mut rows = self.history();
        loop {
            let screen = self.pane.capture(rows, self.rows()).await.ok()?;
            if !screen.cut || rows <= SEARCHED_ROWS {
                return Some(screen);
            }
            rows /= 2;
        }
    }

    /// The program is gone: a claim that stands there counts at once. Gives its last line.
    pub(super) async fn last_words(&mut self) -> Result<Option<String>, TmuxError> {
        let screen = self.see().await?;
        self.answer_waiters(&screen);
        if let Some(typed) = self.awaited.clone()
            && self.has_claimed(&screen, &typed).await
        {
            self.awaited = None;
            self.claim(&typed, CompletionSource::Marker, Some(&screen)).await;
        }
        // tmux itself adds a line such as "Pane is dead (status 1, …)".
        let spoken =
            |row: &&String| !row.starts_with("Pane is dead") && is_word(row) && !row.contains(&self.phrase);
        let Some(at) = screen.rows.iter().rposition(|row| spoken(&row)) else { return Ok(None) };
        Ok(self.shown_rows(&screen, at).first().map(|row| Self::line_of(row)))
    }

    /// A line that was typed before: has it been read meanwhile?
    async fn ask_unread(&mut self) {
        let Some(typed) = &self.unread else { return };
        let canonical = process::terminal_mode(&self.tty).is_ok_and(|mode| mode.canonical);
        if !canonical {
            self.unread = None;
            return;
        }
        if process::unread_input(&self.tty).unwrap_or(0) == 0 {
            let (id, turn) = (typed.id.clone(), typed.turn.number);
            self.unread = None;
            self.report(Report::Taken { id, turn }).await;
        } else {
            self.look_at = Some(Instant::now() + UNREAD_EVERY);
        }
    }

    async fn tell_doing(&mut self, screen: &Screen, read: Option<&Read>) {
        if self.doing.at.is_some_and(|at| at.elapsed() < DOING_EVERY) {
            return;
        }
        // Phrase and token never stand side by side in anything that tasuki writes.
        let meaningful = |row: &String| is_word(row) && !row.contains(&self.phrase);
        // What stands in and below an input box tells nothing of what it does.
        let end = read.map_or(screen.rows.len(), |read| read.end(screen));
        let Some(at) = screen.rows[..end].iter().rposition(meaningful) else { return };
        if screen.rows[at] == self.doing.row {
            return;
        }
        self.doing.row.clone_from(&screen.rows[at]);
        let line = self.shown_rows(screen, at).first().map(|row| Self::line_of(row));
        if let Some(line) = line.filter(|line| *line != self.doing.line) {
            (self.doing.line, self.doing.at) = (line.clone(), Some(Instant::now()));
            self.say(PaneWord::Doing(line)).await;
        }
    }
}

/// Whether a row says anything: it is neither blank nor a border.
fn is_word(row: &str) -> bool {
    !plain(row).is_empty()
}

/// Whether the turn's claim stands on the screen.
pub(super) fn claims(screen: &Screen, typed: &Typed) -> bool {
    with_rows(screen, |seen| find(seen, typed).is_some())
}

/// Whether the turn's line stands among these rows.
pub(super) fn is_echoed(screen: &Screen, typed: &Typed) -> bool {
    with_rows(screen, |seen| !echo::echoes(seen, &typed.line, typed.turn.token).is_empty())
}

/// How often the turn's line stands among these rows, whatever stands before it.
pub(super) fn count(screen: &Screen, typed: &Typed) -> usize {
    with_rows(screen, |seen| echo::count(seen, &typed.line, typed.turn.token))
}

/// Whether the answer surely begins among these rows.
pub(super) fn is_whole(screen: &Screen, typed: &Typed) -> bool {
    typed.stood == 0 && with_rows(screen, |seen| echo::is_certain(seen, &typed.line, typed.turn.token))
}

/// The answer to a turn, and its claim as it stands there.
pub(super) fn read_answer(screen: &Screen, typed: &Typed) -> (Answer, Option<Shown>) {
    with_rows(screen, |seen| {
        let echoes = echo::own_echoes(seen, &typed.line, typed.turn.token, typed.stood);
        let claim = find(seen, typed);
        let shown = claim.as_ref().map(|claim| claim.shown(seen));
        (answer::extract(seen, &echoes, claim.as_ref()), shown)
    })
}

/// An answer that is not only the prompt which its program shows again behind a claim without words.
fn without_prompt(text: String, prompt: Option<&str>) -> String {
    if Some(text.as_str()) == prompt { String::new() } else { text }
}

fn find(seen: &Seen<'_>, typed: &Typed) -> Option<marker::Claim> {
    let awaited = Awaited::new(&typed.phrase, typed.turn.token).ok()?;
    let after: Option<Echo> = echo::own_echo(seen, &typed.line, typed.turn.token, typed.stood);
    marker::find(seen, &awaited, after)
}

fn with_rows<T>(screen: &Screen, f: impl FnOnce(&Seen<'_>) -> T) -> T {
    let rows: Vec<&str> = screen.rows.iter().map(String::as_str).collect();
    f(&match screen.given {
        Rows::Joined => Seen::lines(&rows),
        Rows::AsShown | Rows::Coloured => Seen::wrapped(&rows, usize::from(screen.width)),
    })
}
