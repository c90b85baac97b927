//! A person waits for the plan of a session, sees it, and says whether it begins. Whoever presses Ctrl-C leaves it as it is.

use super::asking::Asking;
use super::show::page;
use super::words::is_over;
use crate::io::client::{ANSWER_DEADLINE, Asker, ClientError};
use crate::io::clock::Clock;
use crate::ui::cli::context::Ended;
use crate::ui::cli::failure::{Failure, Kind};
use crate::ui::cli::marks::Letters;
use crate::wire::api::{Question, SessionDetails, SessionQuery, Waited};
use crate::wire::time::rfc3339_ms;
use serde_json::json;
use std::io::Write;
use std::time::Duration;
use tokio::sync::oneshot;

/// One wait at the daemon, in ms: below what it allows.
const LOOK_MS: u64 = 50_000;
/// Between two looks at a plan whose message is held, or at a daemon that is started anew.
const AGAIN: Duration = Duration::from_secs(1);
/// How often a daemon that is away is asked again: one that is started anew is back within seconds.
const TRIES: u32 = 15;

/// What a person answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Consent {
    Yes,
    No,
    /// None: the input has ended, or Ctrl-C was pressed.
    Left,
}

/// Waits for the plan, shows it, and asks whether to begin. Gives whether it begins.
pub(super) fn confirm(asking: &Asking<'_>, id: &str) -> Result<bool, Failure> {
    let context = asking.context;
    context.remark(format!(
        "its plan is being made; Ctrl-C leaves it to be seen with `tasuki session show {id}`"
    ));
    let asker = asking.client.asker();
    let planned = asking.client.run(async {
        tokio::select! {
            planned = planned(&asker, id) => Some(planned),
            _ = tokio::signal::ctrl_c() => None,
        }
    });
    let Some(planned) = planned else { return Err(left(id)) };
    let planned = planned?;
    let letters = Letters::of(context, false);
    context.say(format!("\n{}\n", page(&planned, letters, &rfc3339_ms(Clock::start().wall()))))?;
    if !planned.session.waits_for_yes {
        return goes_on(&planned).map(|()| true);
    }
    loop {
        match ask(asking)? {
            Some(Consent::Yes) => return asking.order(id, "resume", &json!({})).map(|()| true),
            Some(Consent::No) => return asking.order(id, "cancel", &json!({})).map(|()| false),
            Some(Consent::Left) => return Err(left(id)),
            None => {}
        }
    }
}

/// Somebody else has decided meanwhile, or there is no plan.
fn goes_on(details: &SessionDetails) -> Ended {
    let session = &details.session;
    if session.status != "Failed" {
        return Ok(());
    }
    let why = format!("session {} has failed: {}", session.id, session.note.clone().unwrap_or_default());
    let cure = format!("`tasuki session resume {}` asks for its plan again", session.id);
    Err(Failure::new(Kind::Failed, "failed", why, cure))
}

/// The session once it is planned, or over.
async fn planned(asker: &Asker, id: &str) -> Result<SessionDetails, ClientError> {
    let address = SessionQuery { id: id.to_owned() }.address();
    let mut tries = TRIES;
    loop {
        match asker.get::<SessionDetails>(&address, ANSWER_DEADLINE).await {
            Ok(details) if is_over(&details.session) => return Ok(details),
            Ok(details) => {
                let Some(message) = details.session.planning.clone() else { return Ok(details) };
                tries = TRIES;
                let path = format!("/api/messages/{message}/wait?until=ended&timeout={LOOK_MS}ms");
                let within = ANSWER_DEADLINE + Duration::from_millis(LOOK_MS);
                let waited = asker.get::<Waited>(&path, within).await;
                if waited.is_ok_and(|waited| waited.message.status.has_ended()) {
                    continue;
                }
            }
            Err(ClientError::NotRunning { .. } | ClientError::Gone(_) | ClientError::Unavailable(_))
                if tries > 0 =>
            {
                tries -= 1;
            }
            Err(error) => return Err(error),
        }
        tokio::time::sleep(AGAIN).await;
    }
}

/// Asks once; none where the answer is no yes and no no.
fn ask(asking: &Asking<'_>) -> Result<Option<Consent>, Failure> {
    let mut out = std::io::stdout().lock();
    out.write_all(b"Begin? [y/N] ")?;
    out.flush()?;
    drop(out);
    let (tell, told) = oneshot::channel();
    // Nobody can end a read of the terminal. Its thread goes with the process.
    let thread = std::thread::Builder::new().name("answer".to_owned()).spawn(move || {
        let mut line = String::new();
        let read = std::io::stdin().read_line(&mut line);
        // Whoever waited for it may have been interrupted.
        let _ = tell.send(read.map(|_| line));
    });
    thread?;
    let line = asking.client.run(async {
        tokio::select! {
            line = told => line.ok(),
            _ = tokio::signal::ctrl_c() => None,
        }
    });
    match line {
        Some(line) => Ok(meant(&line?)),
        None => {
            asking.context.remark("");
            Ok(Some(Consent::Left))
        }
    }
}

/// What a line means.
fn meant(line: &str) -> Option<Consent> {
    if line.is_empty() {
        return Some(Consent::Left);
    }
    match line.trim().to_lowercase().as_str() {
        "y" | "yes" => Some(Consent::Yes),
        "" | "n" | "no" => Some(Consent::No),
        _ => None,
    }
}

fn left(id: &str) -> Failure {
    let why =
        format!("session {id} was left without an answer; its plan waits for a yes as soon as it is there");
    let cure =
        format!("`tasuki session resume {id}` begins it, and `tasuki session cancel {id}` calls it off");
    Failure::new(Kind::Failed, "left", why, cure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_yes_begins_and_an_end_of_the_input_is_no_no() {
        for (line, answer) in [
            ("y\n", Some(Consent::Yes)),
            (" YES \n", Some(Consent::Yes)),
            ("\n", Some(Consent::No)),
            ("n\n", Some(Consent::No)),
            ("はい\n", None),
            ("", Some(Consent::Left)),
        ] {
            assert_eq!(meant(line), answer, "{line:?}");
        }
    }
}
