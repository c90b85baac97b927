//! What the agent itself says of its turn, where it can be asked: that counts more than its screen.

use super::agent::Agent;
use super::program::Program;
use super::read::Read;
use super::words::Words;
use crate::daemon::panes::orders::Typed;
use crate::engine::screen::answer;
use crate::engine::screen::answer::{ScreenAnswer, Spoken};
use crate::engine::screen::marker::{Awaited, ClaimRows};
use crate::engine::screen::reading::ScreenState;
use crate::io::clock::wall_now;
use crate::io::process;
use crate::io::side_channel::{Line, OpenCode, Transcribed, Transcripts, TurnRecord};
use crate::wire::team_file::{Launch, SideChannel};
use crate::wire::time::rfc3339;
use std::time::Duration;
use tokio::time::Instant;

/// From which wait on a new try of its model is told as a limit: an agent that is busy for less needs nobody.
const LIMIT_FROM_MS: u64 = 60_000;
/// How soon it is asked again where its screen says that it has ended and it says that it has not: the screen may be still.
pub(super) const ASK_SOON: Duration = Duration::from_millis(250);

/// How long after the end of a turn its last words may take to be written down. Measured: 0.1 s.
const WRITTEN_WITHIN: Duration = Duration::from_secs(2);
/// For how long an agent that gives no answer is asked again before its screen is believed instead.
const HEARD_WITHIN: Duration = Duration::from_secs(5);
/// How soon it is looked again whether they are.
const LOOK_SOON: Duration = Duration::from_millis(100);
/// For how long an agent that writes down the end of its turn may be silent before its screen is believed after all.
const WRITES_AGAIN_WITHIN: Duration = Duration::from_secs(30);
/// An agent that has written something down so shortly before the end of its turn keeps its words there.
const WRITES_ON: Duration = Duration::from_secs(5);

/// What became of a turn that seems to be over.
pub(super) enum Judged {
    /// Claimed in the agent's own words; this is its answer, and the claim.
    BySaid(ScreenAnswer, ClaimRows),
    /// Claimed on its screen; that is all there is.
    ByScreen,
    /// It may not be written down yet: look again then. What was said so far is reported, where there is something.
    Later(Instant, Option<Words>),
    /// Not claimed; and what was said.
    Unclaimed(Words),
}

/// Where the agent itself can be asked of its turns.
#[derive(Debug, Default)]
pub(super) struct Record {
    api: Option<OpenCode>,
    /// Whether that gave no answer when it was asked last.
    unheard: bool,
    /// Where the agent keeps what it was asked and what it said.
    transcripts: Option<Transcripts>,
}

impl Record {
    /// Finds where the agent can be asked.
    pub(super) fn find(&mut self, agent: &Agent, program: &Program) {
        let age = process::age(program.process).unwrap_or_default();
        let Launch { profile, env, argv, cwd, .. } = &agent.provision.launch(&agent.launch);
        self.api = profile.side_channel.and_then(|kind| match kind {
            SideChannel::Opencode => OpenCode::of(argv, env, cwd, age),
        });
        self.transcripts = Transcripts::of(profile.transcript.as_deref(), env, age);
    }

    /// What the agent says of this turn; none where it cannot be asked, does not answer, or does not know it.
    pub(super) async fn turn(&mut self, typed: &Typed) -> Option<TurnRecord> {
        let line = line_of(typed)?;
        let heard = self.api.as_mut()?.turn(line).await;
        self.unheard = heard.is_err();
        heard.ok().flatten()
    }

    /// Whether the agent says that it was given this turn.
    pub(super) async fn has(&mut self, typed: &Typed) -> bool {
        match (&mut self.api, line_of(typed)) {
            (Some(side), Some(line)) => side.has(line).await.unwrap_or(false),
            _ => false,
        }
    }

    /// Whether the agent's own files have it that it was given this turn.
    pub(super) async fn is_transcribed(&mut self, typed: &Typed) -> bool {
        self.read_transcripts(typed, Transcripts::has).await.unwrap_or(false)
    }

    /// What the agent's own files have of this turn; none where it keeps none, or was not given it.
    async fn transcribed(&mut self, typed: &Typed) -> Option<Transcribed> {
        self.read_transcripts(typed, Transcripts::turn).await.flatten()
    }

    /// Reads on a thread for such: files may be long.
    async fn read_transcripts<T: Send + 'static>(
        &mut self,
        typed: &Typed,
        read: impl FnOnce(&mut Transcripts, Line) -> T + Send + 'static,
    ) -> Option<T> {
        let line = line_of(typed)?;
        let mut transcripts = self.transcripts.take()?;
        let reading = tokio::task::spawn_blocking(move || {
            let found = read(&mut transcripts, line);
            (transcripts, found)
        });
        let (transcripts, found) = reading.await.ok()?;
        self.transcripts = Some(transcripts);
        Some(found)
    }

    /// Whether the turn is claimed, where its screen says that it is over since `since`: by the agent's own files if they have
    /// the turn, else by its screen, where it is claimed `on_screen`.
    pub(super) async fn judge(
        &mut self,
        on_screen: bool,
        read: &Read,
        typed: &Typed,
        since: Instant,
        now: Instant,
    ) -> Judged {
        let waited = now.duration_since(since);
        if self.unheard && waited < HEARD_WITHIN {
            return Judged::Later(now + ASK_SOON, None);
        }
        let Some(Transcribed { said, is_over, failed, still }) = self.transcribed(typed).await else {
            return if on_screen { Judged::ByScreen } else { Judged::Unclaimed(Words::Shown) };
        };
        if is_over == Some(false) && still < WRITES_AGAIN_WITHIN {
            let tells = !read.free && !said.text.is_empty();
            let own = tells.then(|| Words::Own(answer::unclaimed(&said.text)));
            return Judged::Later(now + ASK_SOON, own);
        }
        // Where no record says so, it may keep its words elsewhere by now.
        let without = if failed { Words::None } else { Words::Shown };
        let judged = judged_by(&said, typed, without);
        if !on_screen || matches!(judged, Judged::BySaid(..)) {
            return judged;
        }
        if waited < WRITTEN_WITHIN {
            return Judged::Later((now + LOOK_SOON).min(since + WRITTEN_WITHIN), None);
        }
        // It writes its words down, and these are others' words, or are said of the claim: a tool printed them, or a list has them.
        // Where it stopped to write long before, it writes elsewhere by now.
        let writes = (failed || !said.text.is_empty()) && still < waited + WRITES_ON;
        if writes { judged } else { Judged::ByScreen }
    }

    /// Whether the agent says that it still works.
    pub(super) async fn is_working(&mut self) -> bool {
        match &mut self.api {
            Some(side) => side.is_working().await.unwrap_or(false),
            None => false,
        }
    }
}

/// The turn's line as its agent's record has it. Without its token it may be another turn's, and counts only since it was typed.
fn line_of(typed: &Typed) -> Option<Line> {
    if typed.turn.token.is_some_and(|token| typed.line.contains(token.as_str())) {
        return Some(Line::from(&*typed.line));
    }
    typed.since.map(|since| Line::since(&typed.line, since))
}

/// The screen as it is to be understood by whoever knows this.
pub(super) fn corrected(mut read: Read, record: Option<&TurnRecord>) -> Read {
    match record {
        Some(TurnRecord::Working) if read.is_over() || read.state == ScreenState::Unknown => {
            (read.state, read.free) = (ScreenState::Busy, false);
        }
        Some(TurnRecord::Retrying { why, at }) if read.state != ScreenState::WaitingInput => {
            (read.state, read.free) = (ScreenState::Busy, false);
            if at.since(wall_now()) >= LIMIT_FROM_MS {
                read.state = ScreenState::RateLimited;
                read.rule = "side-channel".to_owned();
                read.words = format!("{} · tries again at {}", why.trim(), rfc3339(*at));
            }
        }
        _ => {}
    }
    read
}

/// What was answered, if what was said in the whole turn has its claim; `without` is what is to be had where nothing was said.
pub(super) fn judged_by(said: &Spoken, typed: &Typed, without: Words) -> Judged {
    let awaited = Awaited::new(&typed.phrase, typed.turn.token).ok();
    match awaited.and_then(|awaited| answer::said(said, &awaited)) {
        Some((answer, shown)) => Judged::BySaid(answer, shown),
        None if said.text.is_empty() => Judged::Unclaimed(without),
        None => Judged::Unclaimed(Words::Own(answer::unclaimed(&said.text))),
    }
}
