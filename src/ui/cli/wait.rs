//! Waiting for a message: until it is delivered, or until its answer is there. A daemon that is started anew meanwhile
//! does not end the wait: what is durable goes on. One that has forgotten what ended long ago left it in the files.

use super::desk::{Desk, Ended};
use super::dropping::drop_file;
use super::failure::{Failure, Kind};
use super::files::{self, View};
use super::table::harmless_lines;
use crate::engine::event::ONLY_THE_END;
use crate::engine::words::MessageId;
use crate::io::client::{ANSWER_DEADLINE, Client, ClientError};
use crate::io::clock::Clock;
use crate::io::workspace::Workspace;
use crate::wire::api::{MessageInfo, Waited};
use std::time::Duration;

/// One look's longest wait, in ms: below what the daemon allows.
const LOOK_MS: u64 = 50_000;
/// A daemon that is started anew is back within seconds.
const ANEW: Duration = Duration::from_secs(15);
/// Between two tries to reach it, and two looks for a file that is about to be written.
const AGAIN: Duration = Duration::from_millis(50);
/// The answer's view is written within milliseconds of the end of its task; a slow disk may take longer.
const VIEW_DEADLINE: Duration = Duration::from_secs(10);

/// Somebody who waits.
#[derive(Debug)]
pub(super) struct Waiting<'a> {
    pub(super) desk: &'a Desk,
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
        let info = self.until("delivered")?;
        let words = format!("{} is {}", self.id, stage_words(&info.stage));
        match info.stage.as_str() {
            "held" | "cancelled" => Err(self.not_delivered(&info)),
            "failed" if !info.answered || !self.was_worked_on() => Err(self.not_delivered(&info)),
            _ => self.desk.tell(&info, || words),
        }
    }

    /// Waits for the end and prints the answer.
    pub(super) fn for_answer(&self) -> Ended {
        let info = self.until("ended")?;
        if info.stage == "held" {
            return Err(self.not_delivered(&info));
        }
        if info.kind != "task" || !info.answered {
            return self.end_without_answer(&info);
        }
        let answer = self.answer()?;
        if answer.truncated {
            self.desk.remark(format!("note: {ONLY_THE_END}; its beginning is missing here"));
        }
        if self.desk.globals.json {
            self.desk.say_json(
                &serde_json::json!({"id": self.id.as_str(), "status": info.status, "answer": answer}),
            )?;
        } else {
            self.desk.say(harmless_lines(&answer.content))?;
        }
        if info.status == "completed" {
            return Ok(());
        }
        let kind = if answer.completion_source.is_some() { Kind::Failed } else { failed_kind(&info) };
        let why = format!("{} {}", self.id, info.status);
        Err(Failure::new(kind, &info.status, why, format!("see `tasuki why {}`", self.id)))
    }

    /// Looks until the message has got as far as this, is held, or the time is up.
    fn until(&self, until: &str) -> Result<MessageInfo, Failure> {
        let clock = Clock::start();
        let began = clock.now();
        // Since when nothing is known of it.
        let mut lost = None;
        let mut stage = String::new();
        loop {
            let left = self.within_ms.map(|within| within.saturating_sub(clock.now().since(began)));
            let first = stage.is_empty();
            let look = if first { 0 } else { left.unwrap_or(LOOK_MS).min(LOOK_MS) };
            let seen = self.look(&stage, look);
            let is_seen = seen.is_ok();
            match seen {
                Ok(message) => {
                    lost = None;
                    self.tell_step(&stage, &message);
                    if is_there(&message, until) {
                        return Ok(message);
                    }
                    stage.clone_from(&message.stage);
                }
                // It is there, and goes on when it can.
                Err(ClientError::Unavailable(_)) => lost = None,
                Err(error) => {
                    let since = *lost.get_or_insert_with(|| clock.now());
                    if Duration::from_millis(clock.now().since(since)) >= self.patience(&error) {
                        return Err(self.given_up(error));
                    }
                }
            }
            if left == Some(0) && !(first && is_seen) {
                return Err(self.timed_out(&stage));
            }
            if !is_seen {
                self.client.pause(AGAIN);
            }
        }
    }

    /// What the daemon says of the message as soon as it has left this stage, or after so many ms; the files say it of one
    /// that ended long ago.
    fn look(&self, stage: &str, within_ms: u64) -> Result<MessageInfo, ClientError> {
        let stage = if stage.is_empty() { "queued" } else { stage };
        let path = format!("/v1/messages/{}/wait?until=moved&stage={stage}&timeout={within_ms}ms", self.id);
        let asked = self.client.get::<Waited>(&path, ANSWER_DEADLINE + Duration::from_millis(within_ms));
        match asked {
            Ok(waited) => Ok(waited.message),
            Err(error) if is_unknown(&error) => files::finished(self.workspace, self.id).ok_or(error),
            Err(error) => Err(error),
        }
    }

    /// How long such an error is borne before the wait is given up.
    fn patience(&self, error: &ClientError) -> Duration {
        match error {
            ClientError::NotRunning { .. } | ClientError::Gone(_) => ANEW,
            // It was not taken out of `queue/` yet,
            error if is_unknown(error) && drop_file(self.workspace, self.id).exists() => Duration::MAX,
            // or a moment ago, or its view is about to be written.
            error if is_unknown(error) => VIEW_DEADLINE,
            _ => Duration::ZERO,
        }
    }

    /// The message goes on all the same if it is the daemon that is away.
    fn given_up(&self, error: ClientError) -> Failure {
        match error {
            ClientError::NotRunning { .. } | ClientError::Gone(_) => {
                let why = format!("{error}; {} goes on with the next daemon", self.id);
                let cure = format!("start it with `tasuki up`, and see `tasuki why {}`", self.id);
                Failure::new(Kind::NoDaemon, "no-daemon", why, cure)
            }
            error => error.into(),
        }
    }

    fn tell_step(&self, before: &str, info: &MessageInfo) {
        if self.follow && before != info.stage {
            let agent = info.agent.as_deref().map_or(String::new(), |agent| format!(" ({agent})"));
            let waits =
                info.waits_for.as_deref().map_or(String::new(), |waits| format!(": waits for {waits}"));
            self.desk.remark(format!("{} {}{agent}{waits}", info.since, stage_words(&info.stage)));
        }
    }

    /// The answer's view, which is written right after the end.
    fn answer(&self) -> Result<View, Failure> {
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
        self.answer().is_ok_and(|answer| answer.completion_source.is_some())
    }

    fn end_without_answer(&self, info: &MessageInfo) -> Ended {
        let words = format!("{} is {}", self.id, info.status);
        if info.status == "completed" {
            return self.desk.tell(info, || words);
        }
        Err(Failure::new(failed_kind(info), &info.status, words, format!("see `tasuki why {}`", self.id)))
    }

    fn not_delivered(&self, info: &MessageInfo) -> Failure {
        let why =
            info.reason.as_deref().or(info.waits_for.as_deref()).unwrap_or("its delivery is not proven");
        let why = format!("{} is {}: {why}", self.id, stage_words(&info.stage));
        let cure = format!("see `tasuki why {0}`; `tasuki retry {0}` or `tasuki cancel {0}`", self.id);
        Failure::new(Kind::NotDelivered, "not-delivered", why, cure)
    }

    fn timed_out(&self, stage: &str) -> Failure {
        let stage = if stage.is_empty() { "accepted, or waits in queue/" } else { stage };
        let why = format!("timed out while {} is still {}", self.id, stage_words(stage));
        let cure =
            format!("the work goes on: see `tasuki why {}`, and later queue/results/{0}.yaml", self.id);
        Failure::new(Kind::TimedOut, "timed-out", why, cure)
    }
}

/// Whether the daemon does not know the message.
fn is_unknown(error: &ClientError) -> bool {
    matches!(error, ClientError::Refused(problem) if problem.code == "no-message")
}

fn is_there(info: &MessageInfo, until: &str) -> bool {
    let ended = matches!(info.status.as_str(), "completed" | "failed" | "cancelled");
    let delivered =
        matches!(info.stage.as_str(), "submitted" | "working" | "waiting" | "claimed" | "verified");
    ended || info.stage == "held" || (until == "delivered" && delivered)
}

/// A message that was tried and never taken up was not delivered; any other failed.
fn failed_kind(info: &MessageInfo) -> Kind {
    if info.status == "failed" && info.agent.is_none() { Kind::NotDelivered } else { Kind::Failed }
}

/// The stage of a message, as a person says it behind "is".
pub(super) fn stage_words(stage: &str) -> String {
    match stage {
        "intent" => "being typed".to_owned(),
        "claimed" => "reported as done".to_owned(),
        "working" => "being worked on".to_owned(),
        other => other.replace('_', " "),
    }
}
