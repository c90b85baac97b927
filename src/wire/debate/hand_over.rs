//! What is handed over of a debate: the final plan of a role becomes the goal of a session, once.

use super::document::{DebateProgress, RoundOutput};
use super::language;
use crate::engine::message::refusal::Code;
use crate::wire::api::{Problem, SessionInfo};
use crate::wire::team_file::Language;

/// Characters of an id that name it in a command.
const SHORT_ID: usize = 8;

/// Each output with its round: a role speaks once in each, and the outputs are in the order of the rounds.
#[must_use]
pub fn by_round(progress: &DebateProgress) -> Vec<(u8, &RoundOutput)> {
    let (mut round, mut seen) = (1, Vec::new());
    let mut all = Vec::new();
    for output in &progress.outputs {
        if seen.contains(&output.role.as_str()) {
            (round, seen) = (round + 1, Vec::new());
        }
        seen.push(output.role.as_str());
        all.push((round, output));
    }
    all
}

/// What a role said in the last round that was held; of any role, the first that has a plan.
///
/// # Errors
/// [`Problem`] if the debate is under way, or if nobody has such a plan.
pub fn final_plan<'p>(progress: &'p DebateProgress, role: Option<&str>) -> Result<&'p RoundOutput, Problem> {
    let id = &progress.debate_id;
    if !progress.status.is_over() {
        let cure = format!("wait for its end: `tasuki debate follow {id}`");
        return Err(problem("wrong-stage", format!("debate {id} is under way"), cure));
    }
    let rounds = by_round(progress);
    let last = rounds.iter().map(|(round, _)| *round).max().unwrap_or_default();
    let plans = rounds.iter().filter(|(round, output)| *round == last && output.error.is_none());
    let mut plans = plans.map(|(_, output)| *output).filter(|output| last > 1 && !output.proposal.is_empty());
    let found = plans.find(|output| role.is_none_or(|role| output.role == role));
    found.ok_or_else(|| {
        let whose = role.map_or_else(String::new, |role| format!(" by {role}"));
        let cure = format!("`tasuki debate show {id}` says who has said what");
        problem("no-plan", format!("debate {id} has no final plan{whose}"), cure)
    })
}

/// The newest session that was begun for a plan of this debate.
#[must_use]
pub fn newest_of<'s>(sessions: &'s [SessionInfo], debate: &str) -> Option<&'s SessionInfo> {
    let made = sessions.iter().filter(|session| session.debate.as_deref() == Some(debate));
    made.max_by(|one, other| one.created_at.cmp(&other.created_at))
}

/// That a debate was handed over to this session, which stands so.
#[must_use]
pub fn handed_over(debate: &str, session: &SessionInfo, stands: &str) -> Problem {
    let id = &session.id;
    let why = format!("debate {debate} was handed over before: session {id} is {stands}");
    // Where there is little room the end of the cure counts.
    let short = |id: &str| id.get(..SHORT_ID).unwrap_or(id).to_owned();
    let cure = format!(
        "`tasuki session show {}` shows it; `tasuki debate hand-over {} --again`, or `again` in the body, begins another one",
        short(id),
        short(debate)
    );
    problem(Code::HandedOver.word(), why, cure)
}

/// The goal of a session that carries out this plan.
#[must_use]
pub fn goal(progress: &DebateProgress, plan: &RoundOutput) -> String {
    let text = |key: &str| progress.tasuki.as_ref()?.get(key)?.as_str().map(str::to_owned);
    let task = text("name").unwrap_or_default();
    let (role, id, plan) = (&plan.role, &progress.debate_id, plan.proposal.trim());
    let what = match language::of(&task) {
        Language::English => format!("Carry out this plan, which {role} wrote at the end of debate {id}:"),
        Language::Japanese => format!("討論 {id} の最後に {role} が書いた次の計画を実行してください："),
    };
    format!("{task}\n\n{what}\n\n{plan}\n")
}

fn problem(code: &str, why: String, cure: String) -> Problem {
    Problem { code: code.to_owned(), why, cure, ..Problem::default() }
}
