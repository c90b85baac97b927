//! Waiting for a message: until it is delivered, or until its answer is there. A daemon that is started anew meanwhile
//! does not end the wait: what is durable goes on. One that has forgotten what ended long ago left it in the files.

use super::away::{ANEW, Away};
use super::context::{Context, Ended};
use super::dropping::drop_file;
use super::failure::{Failure, Kind};
use super::files;
use super::inbox;
use super::table::harmless_lines;
use crate::engine::life::StageName;
use crate::engine::message::{self, Status};
use crate::engine::view::ONLY_THE_END;
use crate::engine::words::MessageId;
use crate::io::client::{ANSWER_DEADLINE, Client, ClientError};
use crate::io::clock::Clock;
use crate::io::workspace::Workspace;
use crate::wire::api::Waited;
use crate::wire::message::view::MessageView;
use std::time::Duration;

/// One look's longest wait, in ms: below what the daemon allows.
const LOOK_MS: u64 = 50_000;
/// Between two tries to reach it, and two looks for a file that is about to be written.
const AGAIN: Duration = Duration::from_millis(50);
/// The answer's view is written within milliseconds of the end of its task; a slow disk may take longer.
const VIEW_DEADLINE: Duration = Duration::from_secs(10);

/// How far a message must have got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Until {
    Delivered,
    Ended,
}

/// Somebody who waits.
#[derive(Debug)]
pub(super) struct Waiting<'a> {
    pub(super) context: &'a Context,
    pub(super) client: &'a Client,
    pub(super) workspace: &'a Workspace,
    pub(super) id: &'a MessageId,
    /// For how long, in ms.
    pub(super) within_ms: Option<u64>,
    /// Whether each step is told.
    pub(super) follow: bool,
}

impl Waiting<'_> {
    /// Waits until the delivery is proven.
    pub(super) fn for_delivery(&self) -> Ended {
        let info = self.until(Until::Delivered)?;
        let words = format!("{} is {}", self.id, said(&info));
        match info.stage {
            Some(stage) if stage.is_held() || stage == StageName::Cancelled => Err(self.not_delivered(&info)),
            Some(StageName::Failed) if !info.answered || !self.was_worked_on() => {
                Err(self.not_delivered(&info))
            }
            _ => self.context.tell(&info, || words),
        }
    }

    /// Waits for the end and prints the answer.
    pub(super) fn for_answer(&self) -> Ended {
        let info = self.until(Until::Ended)?;
        if info.stage.is_some_and(StageName::is_held) {
            return Err(self.not_delivered(&info));
        }
        if info.kind != message::Kind::Task || !info.answered {
            return self.end_without_answer(&info);
        }
        let answer = self.answer()?;
        if answer.file.truncated {
            self.context.remark(format!("note: {ONLY_THE_END}; its beginning is missing here"));
        }
        if self.context.globals.json {
            self.context.say_json(&serde_json::json!({
                "id": self.id.as_str(),
                "status": info.status,
                "answer": {
                    "id": answer.id,
                    "from": answer.from,
                    "to": answer.to,
                    "status": answer.status,
                    "stage": answer.stage,
                    "content": answer.file.content.as_ref(),
                    "completion_source": answer.file.completion_source,
                    "truncated": answer.file.truncated,
                    "reason": answer.reason,
                },
            }))?;
        } else {
            self.context.say(harmless_lines(&answer.file.content))?;
        }
        if info.status == Status::Completed {
            inbox::answer_is_read(self.context, self.workspace, &info);
            return Ok(());
        }
        let kind = if answer.file.completion_source.is_some() { Kind::Failed } else { failed_kind(&info) };
        let ended = if info.status == Status::Cancelled { "was called off" } else { info.status.word() };
        let why = format!("{} {ended}", self.id);
        Err(Failure::new(kind, info.status.word(), why, format!("see `tasuki why {}`", self.id)))
    }

    /// Looks until the message has got as far as this, is held, or the time is up.
    fn until(&self, until: Until) -> Result<MessageView, Failure> {
        let clock = Clock::start();
        let began = clock.now();
        // Since when nothing is known of it.
        let mut lost = None;
        let mut away = Away::not(self.context);
        let mut stage = None;
        loop {
            let left = self.within_ms.map(|within| within.saturating_sub(clock.now().since(began)));
            let first = stage.is_none();
            let look = if first { 0 } else { left.unwrap_or(LOOK_MS).min(LOOK_MS) };
            let seen = self.look(stage, look);
            let is_seen = seen.is_ok();
            match seen {
                Ok(message) => {
                    lost = None;
                    away.back();
                    self.tell_step(stage, &message);
                    if is_there(&message, until) {
                        return Ok(message);
                    }
                    stage = message.stage;
                }
                // It is there, and goes on when it can.
                Err(ClientError::Unavailable(_)) => lost = None,
                Err(error) => {
                    if is_away(&error) {
                        away.silent();
                    }
                    let since = *lost.get_or_insert_with(|| clock.now());
                    if Duration::from_millis(clock.now().since(since)) >= self.longest_wait(&error) {
                        return Err(self.given_up(error));
                    }
                }
            }
            if left == Some(0) && !(first && is_seen) {
                return Err(self.timed_out(stage));
            }
            if !is_seen {
                self.client.pause(AGAIN);
            }
        }
    }

    /// What the daemon says of the message as soon as it has left this stage, or after so many ms; the files say it of one
    /// that ended long ago.
    fn look(&self, stage: Option<StageName>, within_ms: u64) -> Result<MessageView, ClientError> {
        let stage = stage.unwrap_or(StageName::Queued);
        let path = format!("/api/messages/{}/wait?until=moved&stage={stage}&timeout={within_ms}ms", self.id);
        let asked = self.client.get::<Waited>(&path, ANSWER_DEADLINE + Duration::from_millis(within_ms));
        match asked {
            Ok(waited) => Ok(waited.message),
            Err(error) if is_unknown(&error) || is_away(&error) => {
                files::finished(self.workspace, self.id).ok_or(error)
            }
            Err(error) => Err(error),
        }
    }

    /// How long such an error is borne before the wait is given up.
    fn longest_wait(&self, error: &ClientError) -> Duration {
        match error {
            error if is_away(error) => ANEW,
            // It was not taken out of `queue/` yet,
            error if is_unknown(error) && drop_file(self.workspace, self.id).exists() => Duration::MAX,
            // or a moment ago, or its view is about to be written.
            error if is_unknown(error) => VIEW_DEADLINE,
            _ => Duration::ZERO,
        }
    }

    /// The message goes on all the same if it is the daemon that is away.
    fn given_up(&self, error: ClientError) -> Failure {
        if !is_away(&error) {
            return error.into();
        }
        let why = format!("{error}; {} goes on with the next daemon", self.id);
        let cure = format!("start it with `tasuki up`, and see `tasuki why {}`", self.id);
        Failure::new(Kind::NoDaemon, "no-daemon", why, cure)
    }

    fn tell_step(&self, before: Option<StageName>, info: &MessageView) {
        if self.follow && before != info.stage {
            let agent = info.agent.as_ref().map_or(String::new(), |agent| format!(" ({agent})"));
            let waits =
                info.waits_for.as_deref().map_or(String::new(), |waits| format!(": waits for {waits}"));
            self.context.remark(format!("{} {}{agent}{waits}", info.since, said(info)));
        }
    }

    /// The answer's view, which is written right after the end.
    fn answer(&self) -> Result<MessageView, Failure> {
        let clock = Clock::start();
        let began = clock.now();
        loop {
            if let Some(answer) = files::result(self.workspace, self.id) {
                return Ok(answer);
            }
            if Duration::from_millis(clock.now().since(began)) > VIEW_DEADLINE {
                let why = format!("{} has ended, but its answer is not in queue/results/", self.id);
                return Err(Failure::new(
                    Kind::Failed,
                    "no-answer",
                    why,
                    "`tasuki fsck --rebuild` writes it again",
                ));
            }
            self.client.pause(AGAIN);
        }
    }

    fn was_worked_on(&self) -> bool {
        self.answer().is_ok_and(|answer| answer.file.completion_source.is_some())
    }

    fn end_without_answer(&self, info: &MessageView) -> Ended {
        let words = format!("{} is {}", self.id, said(info));
        if info.status == Status::Completed {
            return self.context.tell(info, || words);
        }
        Err(Failure::new(
            failed_kind(info),
            info.status.word(),
            words,
            format!("see `tasuki why {}`", self.id),
        ))
    }

    fn not_delivered(&self, info: &MessageView) -> Failure {
        let why =
            info.reason.as_deref().or(info.waits_for.as_deref()).unwrap_or("its delivery is not proven");
        let why = format!("{} is {}: {why}", self.id, said(info));
        let cure = format!("see `tasuki why {0}`; `tasuki retry {0}` or `tasuki cancel {0}`", self.id);
        Failure::new(Kind::NotDelivered, "not-delivered", why, cure)
    }

    fn timed_out(&self, stage: Option<StageName>) -> Failure {
        let id = self.id;
        let (why, cure) = match stage {
            None => (
                format!("timed out before {id} was accepted"),
                format!(
                    "`tasuki why {id}` shows where it is; a file that is refused is in queue/rejected/, with its reason"
                ),
            ),
            Some(stage) => (
                format!("timed out while {id} is still {}", stage.said()),
                format!(
                    "it is not called off: `tasuki why {id}` shows what it waits for; its answer comes to queue/results/{id}.yaml"
                ),
            ),
        };
        Failure::new(Kind::TimedOut, "timed-out", why, cure)
    }
}

/// Whether the daemon does not know the message.
fn is_unknown(error: &ClientError) -> bool {
    matches!(error, ClientError::Refused(problem) if problem.code == "no-message")
}

/// Whether there is no daemon to be asked.
fn is_away(error: &ClientError) -> bool {
    matches!(error, ClientError::NotRunning { .. } | ClientError::Gone(_))
}

fn is_there(info: &MessageView, until: Until) -> bool {
    let stage = info.stage;
    info.status.has_ended()
        || stage.is_some_and(StageName::is_held)
        || (until == Until::Delivered && stage.is_some_and(StageName::is_delivered))
}

/// A message that was tried and never taken up was not delivered; any other failed.
fn failed_kind(info: &MessageView) -> Kind {
    if info.status == Status::Failed && info.agent.is_none() { Kind::NotDelivered } else { Kind::Failed }
}

/// The stage of a message, as a person says it behind "is".
fn said(info: &MessageView) -> &'static str {
    info.stage.map_or(info.status.word(), StageName::said)
}
