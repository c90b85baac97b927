//! What somebody wants of sessions: from a request's texts to what the engine is asked for.

use super::document::{AgentSession, TaskStatus, check_status, export, import, to_flow};
use super::plan::{PlanRefusal, read, read_task};
use super::prompt::prompt;
use super::trial::would_begin;
use crate::engine::flow::branch::{BRANCH_BYTES_MAX, BranchName};
use crate::engine::flow::id::FlowId;
use crate::engine::flow::name::StepName;
use crate::engine::flow::opening::{Opening, step};
use crate::engine::flow::tree::FlowRepository;
use crate::engine::flow::wish::FlowWish;
use crate::engine::input::Command;
use crate::engine::message::Body;
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::team::Team;
use crate::engine::words::{AgentName, Millis};
use crate::wire::api::{AlsoWrong, Problem, SessionDetails};
use crate::wire::message::draft::CONTENT_BYTES_MAX;
use std::collections::BTreeSet;

/// Names by which git means something else: a branch of that name would be in its way.
const NOT_BRANCHES: [&str; 6] = ["HEAD", "FETCH_HEAD", "ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "@"];

/// A session by a plan; whoever asks is its owner. What the plan gives to nobody is the master's.
///
/// # Errors
/// What is wrong with the plan, with its line and the cure.
pub fn by_plan(
    id: FlowId,
    plan: &str,
    master: AgentName,
    repository: Option<FlowRepository>,
    pull_requests: bool,
) -> Result<Command, Problem> {
    let plan = read(plan.as_bytes()).map_err(problem_of_plan)?;
    let mut opening =
        Opening::of_plan(plan, (id, AgentName::user(), master), repository.map(Box::new)).map_err(problem)?;
    opening.head.pull_requests |= pull_requests;
    can_pull(&opening)?;
    Ok(Command::OpenFlow(Box::new(opening)))
}

/// A plan by which a session was to begin.
#[derive(Debug)]
pub struct TriedPlan {
    pub plan: String,
    pub master: AgentName,
    pub repository: Option<FlowRepository>,
}

impl TriedPlan {
    /// All for which it is refused with this team, each with its line; none if what was told of it is nothing that stands in the plan.
    #[must_use]
    pub fn mistakes(self, told: &Problem, team: &Team) -> Option<Problem> {
        let Self { plan, master, repository } = self;
        let refusal = would_begin(plan.as_bytes(), Some((team, master)), repository).err()?;
        let is_it = |one: &PlanRefusal| told.why.starts_with(&one.refusal.why);
        let is_told = is_it(&refusal) || refusal.others.iter().any(is_it);
        is_told.then(|| problem_of_plan(refusal))
    }
}

/// A session by a goal that its master is asked to split. With `confirm` its tasks wait for a yes.
///
/// # Errors
/// If nothing is said.
pub fn by_goal(
    id: FlowId,
    goal: &str,
    (team, master): (&Team, AgentName),
    repository: Option<FlowRepository>,
    (confirm, pull_requests): (bool, bool),
) -> Result<Command, Problem> {
    if goal.trim().is_empty() {
        let cure = "say in words what is to be reached, or give a plan".to_owned();
        let refusal = Refusal::new(Code::ContentEmpty, "the goal has no text").at("goal");
        return Err(Problem { cure, ..problem(refusal) });
    }
    let asked = prompt(team, &master, goal);
    let (named, repository) = ((id, AgentName::user(), master), repository.map(Box::new));
    let mut opening = Opening::of_goal(goal.into(), named, repository, (asked.into(), confirm));
    opening.head.pull_requests = pull_requests;
    can_pull(&opening)?;
    Ok(Command::OpenFlow(Box::new(opening)))
}

/// The same session, known to carry out the plan of this debate: `again`, where another one may do so already.
#[must_use]
pub fn of_debate(mut command: Command, debate: Option<FlowId>, again: bool) -> Command {
    if let Command::OpenFlow(opening) = &mut command {
        opening.head.from_debate = debate;
        opening.again = again;
    }
    command
}

/// Where there are no worktrees there is nothing to open a pull request for.
fn can_pull(opening: &Opening) -> Result<(), Problem> {
    if !opening.head.pull_requests || opening.head.repository.is_some() {
        return Ok(());
    }
    let why = "pull requests are wanted, and there is no git repository with a commit here";
    let cure = "make one with `git init` and a first commit, or leave `--pr` and `pr: true` out".to_owned();
    Err(Problem { cure, ..problem(Refusal::new(Code::NoRepository, why).at("pr")) })
}

/// Begin nothing new of it.
#[must_use]
pub fn pause(id: FlowId) -> Command {
    Command::Flow { id, wish: FlowWish::Pause }
}

/// Let it go on.
#[must_use]
pub fn resume(id: FlowId) -> Command {
    Command::Flow { id, wish: FlowWish::Resume }
}

/// Call off what is open of it.
#[must_use]
pub fn cancel(id: FlowId) -> Command {
    Command::Flow { id, wish: FlowWish::Cancel }
}

/// Try one of its tasks again, as it was or with another text.
///
/// # Errors
/// If the name is no id of a task, or nothing is to be told, or more than a message may hold.
pub fn retry(id: FlowId, task: &str, text: Option<String>) -> Result<Command, Problem> {
    let name = StepName::new(task).map_err(|error| {
        let why = format!("`{}` {error}", task.escape_debug());
        problem(Refusal::new(Code::BadId, why).at("task"))
    })?;
    let refuse = |code, why: String| Err(problem(Refusal::new(code, why).at("text")));
    let wish = match text {
        None => FlowWish::Retry(name),
        Some(text) if text.trim().is_empty() => {
            let why = "the new text of the task is empty";
            let cure =
                format!("write what its agent is to do; without a new text {task} is tried again as it was");
            return Err(Problem { cure, ..problem(Refusal::new(Code::ContentEmpty, why).at("text")) });
        }
        Some(text) if text.len() > CONTENT_BYTES_MAX => {
            let why = format!("the text has {} bytes, and {CONTENT_BYTES_MAX} may be", text.len());
            return refuse(Code::ContentTooLarge, why);
        }
        Some(text) => FlowWish::Edit(name, Body { content: text.into(), extra: "".into() }),
    };
    Ok(Command::Flow { id, wish })
}

/// Whether a branch of this name can be one onto which others are brought.
///
/// # Errors
/// It is no name of a branch, or one to which git gives another meaning.
pub fn check_branch(name: &str) -> Result<(), Problem> {
    let is_bad = name.is_empty()
        || name.len() > BRANCH_BYTES_MAX
        || name.starts_with('-')
        || name.starts_with("refs/")
        || NOT_BRANCHES.contains(&name)
        || name.contains("..")
        || name.chars().any(|c| c.is_control() || c.is_whitespace());
    if is_bad {
        let why = format!("`{}` cannot be a branch", name.escape_debug());
        return Err(problem(Refusal::new(Code::BadBranch, why).at("into")));
    }
    Ok(())
}

/// Bring the branches of its completed tasks onto one.
///
/// # Errors
/// If that cannot be the name of a branch. What git refuses besides is told by the merge.
pub fn merge(id: FlowId, into: Option<String>) -> Result<Command, Problem> {
    into.as_deref().map_or(Ok(()), check_branch)?;
    Ok(Command::Flow { id, wish: FlowWish::Merge(into) })
}

/// Add a task to this session.
///
/// # Errors
/// What is wrong with the task, with its line and the cure.
pub fn add_task(id: FlowId, task: &str, session: &SessionDetails) -> Result<Command, Problem> {
    let names = session.tasks.iter().filter_map(|task| StepName::new(&task.id).ok()).collect::<Vec<_>>();
    let task = read_task(task.as_bytes(), &names).map_err(problem_of_plan)?;
    let step = step(task, session.has_worktrees).map_err(problem)?;
    Ok(Command::Flow { id, wish: FlowWish::Add(Box::new(step)) })
}

/// Why a plan, or the request of a debate, is not taken: each mistake with the line itself.
#[must_use]
pub fn problem_of_plan(refusal: PlanRefusal) -> Problem {
    let PlanRefusal { refusal, cure, line_text, others } = refusal;
    let line = refusal.line.filter(|_| !line_text.is_empty());
    let shown = line.map_or(String::new(), |line| format!("\n  {line} | {line_text}"));
    let besides = |other: PlanRefusal| {
        let Problem { code, why, cure, field, line, column, .. } = problem_of_plan(other);
        AlsoWrong { code, why, cure, field, line, column }
    };
    let others = others.into_iter().map(besides).collect();
    let problem = problem(refusal);
    Problem { why: problem.why + &shown, cure: cure.to_owned(), others, ..problem }
}

fn problem(refusal: Refusal) -> Problem {
    Problem {
        code: refusal.code.word().to_owned(),
        cure: refusal.cure().to_owned(),
        field: refusal.key(),
        why: refusal.why,
        line: refusal.line,
        column: refusal.column,
        ..Problem::default()
    }
}

/// A session that comes from elsewhere: its id, and its document, which is kept as it came.
///
/// # Errors
/// What is wrong with the document, and where.
pub fn take_in(document: &str) -> Result<(FlowId, AgentSession), Problem> {
    let session = import(document).and_then(|session| check_status(&session).map(|()| session));
    let session = session.map_err(|error| {
        let at = if error.path.is_empty() { "the document".to_owned() } else { format!("`{}`", error.path) };
        let (code, why, cure) = ("bad-document".to_owned(), format!("{at} {}", error.why), error.cure);
        Problem { code, why, cure, field: Some("document".to_owned()), ..Problem::default() }
    })?;
    Ok((id_of(&session)?, session))
}

/// A session of which there is only a document is called off: its id, and its document from then on.
///
/// # Errors
/// If its id is none of a session here.
pub fn call_off(session: AgentSession, at: Millis) -> Result<(FlowId, String), Problem> {
    let id = id_of(&session)?;
    Ok((id, export(&session.called_off("cancelled by user", at))))
}

/// The id of the session that a document is of.
///
/// # Errors
/// If that is none of a session here.
pub fn id_of(session: &AgentSession) -> Result<FlowId, Problem> {
    FlowId::new(session.id.as_str()).map_err(|error| {
        problem(Refusal::new(Code::BadId, format!("`id`: `{}` {error}", session.id.as_str())).at("id"))
    })
}

/// The branches in a document on which its completed tasks were done.
#[must_use]
pub fn branches_of(session: &AgentSession) -> BTreeSet<BranchName> {
    let done = session.tasks.iter().filter(|task| task.status == TaskStatus::Completed);
    let trees = done.filter_map(|task| task.assigned_worktree.as_ref());
    trees.map(|tree| tree.branch_name.clone()).collect()
}

/// Whether a document names worktrees or branches, which can only be those of a repository.
#[must_use]
pub fn has_branches(session: &AgentSession) -> bool {
    !session.worktrees.is_empty() || session.tasks.iter().any(|task| task.assigned_worktree.is_some())
}

/// Let a session go on of which there is only a document. `branches` are those of its branches that are in the repository.
///
/// # Errors
/// It is done already, or it cannot be begun here.
pub fn begin_again(
    session: &AgentSession,
    (team, master): (&Team, AgentName),
    (repository, branches): (Option<FlowRepository>, &BTreeSet<BranchName>),
) -> Result<Command, Problem> {
    let is_there = |name: &AgentName| team.addressee(name).is_ok_and(|name| !name.is_user());
    let opening = to_flow(session, master, (repository, branches), &is_there).map_err(problem)?;
    Ok(Command::OpenFlow(Box::new(opening)))
}
