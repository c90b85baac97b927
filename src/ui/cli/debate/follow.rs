//! `tasuki debate follow`: each change of a debate until it is over. A daemon that is started anew does not end it.

use super::show::asked;
use super::words::{in_words, of_status};
use crate::io::client::{ANSWER_DEADLINE, Client, ClientError};
use crate::ui::cli::away::{ANEW, Away};
use crate::ui::cli::context::{Context, Ended};
use crate::ui::cli::failure::{Failure, Kind};
use crate::ui::cli::look::{Source, look};
use crate::ui::cli::table::harmless_lines;
use crate::wire::api::{DebateQuery, Question};
use crate::wire::debate::document::{DebateResult, DebateStatus};
use clap::builder::NonEmptyStringValueParser;
use serde::Serialize;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::time::Duration;

/// Between two looks: a role speaks for a minute and more.
const LOOK: Duration = Duration::from_millis(250);

/// Prints each change of a debate until it is over
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki debate follow a1b2c3d4
  tasuki debate follow a1b2c3d4 --json | jq -r .what

With --json, each change is a line.

Exit codes:
  0  the debate is completed
  1  it has failed or was cancelled
  2  there is no such debate
  5  no daemon is running, and the debate is not over")]
pub(super) struct Args {
    /// Debate id, or the beginning of it
    #[arg(value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    debate: String,
}

/// A change.
#[derive(Debug, Serialize)]
struct Change<'a> {
    debate_id: &'a str,
    /// The round and the role of a speech; none of the debate as a whole.
    round: Option<u64>,
    role: Option<String>,
    what: String,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let first = asked(context, &DebateQuery { id: args.debate.clone() })?;
    follow_id(context, &first.debate_id)
}

/// Tells each change of a debate until it is over.
pub(super) fn follow_id(context: &Context, id: &str) -> Ended {
    let workspace = context.workspace()?;
    let client = Client::new(&workspace, &context.around)?;
    let question = DebateQuery { id: id.to_owned() };
    let first = look(context, &workspace, &client, &question)?;
    let mut seen = first.answer;
    let mut told = Told::default();
    tell(context, &mut told, &seen)?;
    if first.source == Source::Files && !seen.status.is_over() {
        return Err(without_daemon(id, &format!("no daemon is running for {}", workspace.root_text())));
    }
    let mut away = Away::not(context);
    while !seen.status.is_over() {
        client.pause(LOOK);
        match client.get::<DebateResult>(&question.address(), ANSWER_DEADLINE) {
            Ok(now) => {
                away.back();
                tell(context, &mut told, &now)?;
                seen = now;
            }
            Err(error @ (ClientError::NotRunning { .. } | ClientError::Gone(_))) => {
                if away.silent() >= ANEW {
                    return Err(without_daemon(id, &error.to_string()));
                }
            }
            Err(ClientError::Unavailable(_) | ClientError::TooSlow(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    // Why was told by the last change.
    let why = format!("debate {id}: {}", of_status(&seen.status));
    match seen.status {
        DebateStatus::Completed => Ok(()),
        _ => {
            Err(Failure::new(Kind::Failed, "failed", why, format!("`tasuki debate show {id}` has all of it")))
        }
    }
}

/// It goes on all the same with the next daemon.
fn without_daemon(id: &str, why: &str) -> Failure {
    let why = format!("{why}; debate {id} goes on with the next daemon");
    Failure::new(Kind::NoDaemon, "no-daemon", why, "start it with `tasuki up`")
}

/// What was told of a debate so far.
#[derive(Debug, Default)]
struct Told {
    /// The stage of each speech.
    stages: BTreeMap<String, String>,
    /// The last round that is known to be under way.
    round: u64,
    /// The status of the whole.
    status: Option<String>,
}

/// Tells of each speech and of the whole what is new.
fn tell(context: &Context, told: &mut Told, now: &DebateResult) -> Ended {
    told.changes(now).iter().try_for_each(|change| {
        let line = match (&change.role, change.round) {
            (None, _) => change.what.clone(),
            // Whoever is asked alone speaks in no round.
            (Some(role), None | Some(0)) => format!("{role} {}", change.what),
            (Some(role), Some(round)) => format!("round {round} {role} {}", change.what),
        };
        say(context, change, &line)
    })
}

impl Told {
    /// What is new, in the order in which it came: a round begins before anybody speaks in it. What came and went between two looks is
    /// told as well.
    fn changes<'n>(&mut self, now: &'n DebateResult) -> Vec<Change<'n>> {
        let mut new = Vec::new();
        let change = |round, role, what| Change { debate_id: &now.debate_id, round, role, what };
        let besides = |key: &str| now.tasuki.as_ref().and_then(|tasuki| tasuki.get(key));
        let rounds = besides("rounds").and_then(Json::as_u64).unwrap_or_default();
        let status = of_status(&now.status);
        for Moved { round, role, what, .. } in self.moved(besides("steps")) {
            let begun = round.unwrap_or_default();
            // A round that nobody is asked in any more does not begin.
            if begun > self.round && what != NOT_ASKED {
                self.round = begun;
                new.push(change(None, None, self.begins(begun, rounds, now, &status)));
            }
            new.push(change(round, Some(role), what));
        }
        if self.status.as_ref() != Some(&status) {
            new.push(change(None, None, in_words(now)));
            self.status = Some(status);
        }
        new
    }

    /// What became of speeches since they were looked at last, by its time.
    fn moved(&mut self, steps: Option<&Json>) -> Vec<Moved> {
        let mut moved = Vec::new();
        for step in steps.and_then(Json::as_array).into_iter().flatten() {
            let text = |key: &str| step.get(key).and_then(Json::as_str).unwrap_or_default();
            let (round, role, stage) =
                (step.get("round").and_then(Json::as_u64), text("role"), text("stage"));
            let known = self.stages.get(&format!("{round:?} {role}")).map_or(0, |stage| place(stage));
            let was_sent = !text("message").is_empty();
            let way = STAGES.into_iter().filter(|on_the_way| match *on_the_way {
                at if at == stage => place(at) > known,
                at => was_sent && (known + 1..place(stage)).contains(&place(at)),
            });
            moved.extend(way.map(|at| {
                let what = match at {
                    "preparing" => "gets a worktree".to_owned(),
                    "sent" => "speaks".to_owned(),
                    "completed" => "has spoken".to_owned(),
                    "cancelled" if was_sent => "was called off".to_owned(),
                    "cancelled" => NOT_ASKED.to_owned(),
                    _ => format!("failed: {}", harmless_lines(text("note"))),
                };
                let time = if place(at) < place("completed") { "began_at" } else { "ended_at" };
                Moved { at: text(time).to_owned(), round, role: role.to_owned(), what }
            }));
            self.stages.insert(format!("{round:?} {role}"), stage.to_owned());
        }
        // Roles that speak at the same time end as they come. What has one time, or none, is in the order of the roles.
        moved.sort_by(|one, other| one.at.cmp(&other.at));
        moved
    }

    /// That a round begins; of the one that is under way now, how far it is.
    fn begins(&mut self, round: u64, rounds: u64, now: &DebateResult, status: &str) -> String {
        if status != format!("round {round}") {
            return format!("round {round} of {rounds} is under way");
        }
        self.status = Some(status.to_owned());
        in_words(now)
    }
}

/// What became of a speech.
struct Moved {
    /// When, in RFC 3339; empty where it is not known.
    at: String,
    round: Option<u64>,
    role: String,
    what: String,
}

/// What is told of a role that is not asked any more.
const NOT_ASKED: &str = "does not speak";

/// The stages that are told, in their order.
const STAGES: [&str; 5] = ["preparing", "sent", "completed", "failed", "cancelled"];

/// How far on its way a stage is; those in which a speech ends are as far as each other.
fn place(stage: &str) -> usize {
    STAGES.iter().position(|known| *known == stage).map_or(0, |at| (at + 1).min(3))
}

fn say(context: &Context, change: &Change<'_>, line: &str) -> Ended {
    let line = match context.globals.json {
        true => serde_json::to_string(change).unwrap_or_default(),
        false => line.to_owned(),
    };
    context.say(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::debate::document::DebateResult;
    use serde_json::json;

    /// What is told of a debate of two roles in two rounds at these stages.
    fn told(told: &mut Told, status: DebateStatus, stages: [&str; 4]) -> String {
        let steps = stages.iter().zip([(1, "qa"), (1, "ops"), (2, "qa"), (2, "ops")]);
        let steps = steps.map(|(stage, (round, role))| {
            let message = (!["pending", "preparing", "cancelled"].contains(stage)).then_some("m");
            json!({"round": round, "role": role, "stage": stage, "message": message, "note": "it is down"})
        });
        let now = DebateResult {
            debate_id: "d".to_owned(),
            message: format!("{} of 2: so far", of_status(&status)),
            status,
            worktree_paths: Vec::new(),
            context_path: String::new(),
            tasuki: Some(json!({"rounds": 2, "steps": steps.collect::<Vec<_>>()})),
        };
        let line =
            |change: &Change<'_>| format!("{} {}; ", change.role.as_deref().unwrap_or("-"), change.what);
        told.changes(&now).iter().map(line).collect()
    }

    #[test]
    fn who_spoke_when_a_debate_was_cancelled_was_called_off_and_who_was_not_asked_does_not_speak() {
        let step =
            |role: &str, message| json!({"round": 1, "role": role, "stage": "cancelled", "message": message});
        let steps = json!([step("qa", Some("m")), step("ops", None)]);
        let moved = Told::default().moved(Some(&steps));
        let words: Vec<String> = moved.iter().map(|moved| format!("{} {}", moved.role, moved.what)).collect();
        assert_eq!(words, ["qa gets a worktree", "qa speaks", "qa was called off", "ops does not speak"]);
    }

    #[test]
    fn a_round_is_told_before_its_speeches_and_nothing_between_two_looks_is_lost() {
        use DebateStatus::{Completed, Pending, Round1InProgress, Round2InProgress};
        let mut seen = Told::default();
        let mut look = |status, stages| told(&mut seen, status, stages);
        assert_eq!(look(Pending, ["pending"; 4]), "- pending of 2: so far; ");
        assert_eq!(
            look(Round1InProgress, ["sent", "preparing", "pending", "pending"]),
            "- round 1 of 2: so far; qa gets a worktree; qa speaks; ops gets a worktree; "
        );
        assert_eq!(look(Round1InProgress, ["sent", "preparing", "pending", "pending"]), "");
        assert_eq!(
            look(Round2InProgress, ["completed", "failed", "sent", "pending"]),
            "qa has spoken; ops speaks; ops failed: it is down; - round 2 of 2: so far; qa gets a worktree; qa speaks; "
        );
        assert_eq!(
            look(Completed, ["completed", "failed", "completed", "completed"]),
            "qa has spoken; ops gets a worktree; ops speaks; ops has spoken; - completed of 2: so far; "
        );
        let failed = ["failed", "failed", "cancelled", "cancelled"];
        let all = told(&mut Told::default(), DebateStatus::Failed("it is down".to_owned()), failed);
        assert!(all.contains("round 1") && !all.contains("round 2"), "{all}");
        let all = told(&mut Told::default(), Completed, ["completed", "failed", "completed", "cancelled"]);
        assert!(all.contains("- round 2 of 2 is under way; qa gets a worktree"), "{all}");
    }

    #[test]
    fn roles_that_spoke_at_the_same_time_are_told_as_they_came() {
        let step = |round: u8, role: &str, times: [u8; 2]| {
            let [began, ended] = times.map(|second| format!("2026-11-29T04:00:{second:02}.000Z"));
            json!({"round": round, "role": role, "stage": "completed", "message": "m", "began_at": began, "ended_at": ended})
        };
        let steps = [
            step(1, "qa", [1, 9]),
            step(1, "ops", [2, 5]),
            step(2, "qa", [11, 20]),
            step(2, "ops", [10, 30]),
        ];
        let now = DebateResult {
            debate_id: "d".to_owned(),
            message: "completed".to_owned(),
            status: DebateStatus::Completed,
            worktree_paths: Vec::new(),
            context_path: String::new(),
            tasuki: Some(json!({"rounds": 2, "steps": steps})),
        };
        let all = Told::default().changes(&now);
        let spoken = all.iter().filter(|change| change.what == "has spoken" || change.what == "speaks");
        let spoken: Vec<_> = spoken
            .map(|change| format!("{:?} {}", change.round.unwrap(), change.role.as_deref().unwrap()))
            .collect();
        assert_eq!(spoken, ["1 qa", "1 ops", "1 ops", "1 qa", "2 ops", "2 qa", "2 qa", "2 ops"]);
    }
}
