//! From a request to what the engine is asked for.

use super::prompt::{ContextFile, RoleStep, baseline_text, prompt_chars_max, step_text};
use super::request::DebateRequest;
use crate::engine::flow::debate::{Debate, DebateBudget, DebateRole, RoleId};
use crate::engine::flow::id::FlowId;
use crate::engine::flow::opening::Opening;
use crate::engine::flow::speaking::Told;
use crate::engine::flow::tree::FlowRepository;
use crate::engine::flow::wish::FlowWish;
use crate::engine::input::Command;
use crate::engine::message::Body;
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::words::AgentName;
use crate::wire::headless;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// How whoever is asked alone is called.
pub const BASELINE: &str = "baseline";
/// Characters of a commit's name by which people know it.
const COMMIT_CHARS: usize = 12;
/// Characters of a task that a debate is called by.
const NAME_CHARS: usize = 100;

/// What is known where a debate is asked for.
#[derive(Debug, Clone)]
pub struct DebateGround<'a> {
    pub repository: FlowRepository,
    /// The folder of the debate.
    pub folder: &'a Path,
    /// The profile of roles that name none.
    pub provider: &'a str,
    /// The files of each role, in the order of the roles.
    pub files: &'a [Vec<ContextFile>],
}

/// A debate as the engine opens it.
///
/// # Errors
/// [`Refusal`] for a role that is none.
pub fn open(id: FlowId, request: &DebateRequest, ground: DebateGround<'_>) -> Result<Command, Refusal> {
    let DebateGround { repository, folder, provider, files } = ground;
    let debate = debate(request, provider)?;
    let text = |round: u8, role: &DebateRole| {
        // Whoever is asked alone sees what the first role sees.
        let at = request.roles.iter().position(|asked| asked.id == role.id.as_str()).unwrap_or(0);
        let Some(asked) = request.roles.get(at) else { return Arc::from("") };
        let chars_max = prompt_chars_max(Some(&role.provider), role.model.as_deref());
        let step = RoleStep { id: &id, request, role: asked, round: round.max(1), chars_max };
        let files = files.get(at).map_or(&[][..], Vec::as_slice);
        Arc::from(if round == 0 { baseline_text(&step, files) } else { step_text(&step, files) })
    };
    let told = |round, role: &DebateRole| Told {
        text: Body { content: text(round, role), extra: "".into() },
        env: variables(folder, round, role),
    };
    let name = request.task.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let cut = if name.chars().count() > NAME_CHARS { "…" } else { "" };
    let name: String = name.chars().take(NAME_CHARS).chain(cut.chars()).collect();
    let asked = Body { content: request.task.clone(), extra: "".into() };
    let who = (id.clone(), AgentName::user(), name);
    let opening = Opening::of_debate(debate, who, (Box::new(repository), request.parallel), asked, told)?;
    Ok(Command::OpenFlow(Box::new(opening)))
}

/// On which commit of which repository a debate stands. `base` is the folder that it is about: one without a repository of its own has
/// that of a folder above.
#[must_use]
pub fn stands_on(repository: &FlowRepository, base: &Path) -> String {
    let FlowRepository { root, base: commit, branch } = repository;
    let commit = commit.get(..COMMIT_CHARS).unwrap_or(commit);
    let on = branch.as_ref().map_or_else(String::new, |branch| format!(" (branch {branch})"));
    let within = match Path::new(root) == base {
        true => String::new(),
        false => format!(", the repository in which {} lies", base.display()),
    };
    format!("it stands on commit {commit}{on} of {root}{within}")
}

/// What the agent of a role gets: who speaks for it, and where what it was told and what came of it are kept.
fn variables(folder: &Path, round: u8, role: &DebateRole) -> BTreeMap<String, String> {
    let of = |place: &str, end: &str| {
        let path = folder.join(place).join(format!("round{}-{}.{end}", round.max(1), role.id));
        path.to_string_lossy().into_owned()
    };
    BTreeMap::from([
        (headless::PROVIDER.to_owned(), role.provider.clone()),
        (headless::LOG.to_owned(), of("logs", "log")),
        (headless::PROMPT.to_owned(), of("prompts", "md")),
    ])
}

fn debate(request: &DebateRequest, provider: &str) -> Result<Debate, Refusal> {
    let mut head = request.head();
    let roles = std::mem::take(&mut head.roles).into_iter().map(|role| {
        let id = RoleId::new(&role.id).map_err(|error| {
            Refusal::new(Code::BadId, format!("`{}` {error}", role.id.escape_debug())).at("roles")
        })?;
        let provider = role.provider.unwrap_or_else(|| provider.to_owned());
        Ok(DebateRole { id, name: role.name, provider, model: role.model })
    });
    let roles = roles.collect::<Result<Vec<_>, Refusal>>()?;
    let timeout_ms = request.timeout_seconds.saturating_mul(1_000);
    let budget = DebateBudget {
        tokens: head.budget.tokens,
        cost_micro_usd: head.budget.cost_micro_usd,
        ms: head.budget.minutes.map(|minutes| minutes.saturating_mul(60_000)),
    };
    let baseline = roles.first().filter(|_| request.baseline).map(|first: &DebateRole| {
        let id = RoleId::new(BASELINE).unwrap_or_else(|_| first.id.clone());
        Box::new(DebateRole { id, name: "Baseline".to_owned(), ..first.clone() })
    });
    let keep = request.preserve_worktrees;
    Ok(Debate { roles, rounds: request.rounds, timeout_ms, keep, budget, baseline })
}

/// Calls off what is open of a debate.
#[must_use]
pub fn cancel(id: FlowId) -> Command {
    Command::Flow { id, wish: FlowWish::Cancel }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_told_which_repository_a_debate_stands_on() {
        let repository = FlowRepository {
            root: "/家/repo".into(),
            base: "0123456789abcdef0123".into(),
            branch: Some("main".into()),
        };
        let own = stands_on(&repository, Path::new("/家/repo/"));
        assert_eq!(own, "it stands on commit 0123456789ab (branch main) of /家/repo");
        let detached = FlowRepository { branch: None, base: "x".into(), ..repository };
        assert_eq!(
            stands_on(&detached, Path::new("/家/repo/docs")),
            "it stands on commit x of /家/repo, the repository in which /家/repo/docs lies"
        );
    }
}
