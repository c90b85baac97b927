//! `tasuki worktree`: the worktrees that tasuki has made in the repository of the workspace. No daemon is needed.

use super::context::{Context, Ended, refuse_agents};
use super::failure::{Failure, Kind};
use super::look::look;
use super::table::{harmless, table};
use crate::engine::words::counted;
use crate::io::client::Client;
use crate::io::clock::Clock;
use crate::io::debate_files::forget_worktrees;
use crate::io::evidence::environment;
use crate::io::workspace::Workspace;
use crate::io::worktree::{Listed, ListedState, Pruned, Repository, Trashed, Worktree, WorktreeError};
use crate::wire::api::{DebateQuery, DebatesQuery, SessionQuery, SessionsQuery};
use crate::wire::session::work::word;
use crate::wire::team_file::Settings;
use clap::Subcommand;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Digits by which people know a commit.
const SHORT: usize = 12;

/// Lists, removes and restores the worktrees in which tasks of sessions are done
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki worktree list
  tasuki worktree prune --dry-run
  tasuki worktree restore agent/jwt-auth

Each worktree is a folder of .orchestrator-worktrees/ in the repository, with a branch `agent/…` of its own. The repository is that \
of the workspace, or the one that --repository names: a session that was imported works in that of its document.")]
pub(super) struct Args {
    /// A folder of the repository, if it is not that of the workspace
    #[arg(long, value_name = "DIR", global = true)]
    repository: Option<PathBuf>,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Shows each worktree, what stands in the way of its removal, and what is in the trash
    #[command(after_help = "\
Examples:
  tasuki worktree list
  tasuki worktree list --json | jq -r '.worktrees[] | select(.obstacles == []).branch'

Exit codes:
  0  done
  1  git or the machine failed
  2  the workspace is in no repository, or in one that cannot have worktrees")]
    List,
    /// Removes the worktrees that nobody needs any more, with their branches
    #[command(after_help = "\
Examples:
  tasuki worktree prune --dry-run     changes nothing
  tasuki worktree prune

A worktree stays if files in it are not committed, or if its branch has commits that no other branch, tag or remote has. One \
that is locked, in use by an open session, a debate that is under way or an agent, or not made by tasuki stays, too. What is removed goes to .tasuki/trash/ with its \
commits; files that git ignores are not kept.

Exit codes:
  0  done, whether any was removed or not
  1  git or the machine failed
  2  rejected")]
    Prune {
        /// Only show what would be removed
        #[arg(long)]
        dry_run: bool,
    },
    /// Restores a worktree that was removed: its branch, and its folder with the committed files
    #[command(after_help = "\
Examples:
  tasuki worktree restore agent/jwt-auth
  tasuki worktree restore agent-jwt-auth-2026-11-28T091500.000Z

Of several that had the same branch, the newest is restored.

Exit codes:
  0  restored
  1  git or the machine failed
  2  rejected: the trash has none, or there is such a branch or folder again")]
    Restore {
        /// Branch, folder, or name in .tasuki/trash/
        name: String,
    },
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let workspace = context.workspace()?;
    let client = context.client()?;
    if !matches!(args.verb, Verb::List) {
        refuse_agents(&client, "worktree")?;
    }
    let folder = args.repository.as_deref().unwrap_or(workspace.root());
    let repository = client.run(find(context, folder, &workspace))?;
    let recorded = repository.recorded()?;
    let in_use = InUse { branches: branches_in_use(context, &workspace, &client)?, recorded };
    client.run(async {
        match &args.verb {
            Verb::List => list(context, &repository, &in_use).await,
            Verb::Prune { dry_run } => {
                let with = args.repository.as_deref().map_or(String::new(), |folder| {
                    format!(" --repository {}", word(&folder.to_string_lossy()))
                });
                prune(context, &workspace, (&repository, &in_use), (*dry_run, &with)).await
            }
            Verb::Restore { name } => restored(context, &repository.restore(name).await?),
        }
    })
}

/// On which branches somebody works.
struct InUse {
    branches: BTreeSet<String>,
    /// Those of which there was a worktree before that was asked. Others are made since, by somebody who works.
    recorded: BTreeSet<String>,
}

impl InUse {
    fn has(&self, branch: &str) -> bool {
        self.branches.contains(branch) || !self.recorded.contains(branch)
    }
}

/// The branches on which agents of the team file work, debates that are under way, and sessions that go on or may: one that has failed gets its own back from the
/// trash when it is resumed.
fn branches_in_use(
    context: &Context,
    workspace: &Workspace,
    client: &Client,
) -> Result<BTreeSet<String>, Failure> {
    let mut branches = BTreeSet::new();
    let sessions = look(context, workspace, client, &SessionsQuery {})?.answer.sessions;
    for session in sessions.into_iter().filter(|session| matches!(&*session.status, "Active" | "Paused")) {
        let tasks = look(context, workspace, client, &SessionQuery { id: session.id })?.answer.tasks;
        branches.extend(tasks.into_iter().filter_map(|task| task.branch));
    }
    let debates = look(context, workspace, client, &DebatesQuery {})?.answer.debates;
    for debate in debates.into_iter().filter(|debate| !debate.status.is_over()) {
        let debate = look(context, workspace, client, &DebateQuery { id: debate.debate_id })?.answer;
        let steps = debate.tasuki.as_ref().and_then(|of| of.get("steps")?.as_array());
        // The branch of a speech is called as its agent.
        let agents = steps.into_iter().flatten().filter_map(|step| step.get("agent")?.as_str());
        branches.extend(agents.map(str::to_owned));
    }
    let settings = Settings::load(workspace, &context.around)?.settings;
    let trees = settings.launches.values().filter_map(|launch| launch.tree.as_ref());
    branches.extend(trees.map(|tree| tree.branch.to_string()));
    Ok(branches)
}

async fn find(context: &Context, folder: &Path, workspace: &Workspace) -> Result<Repository, Failure> {
    let vars = context.around.vars.clone();
    let env = environment(vars, &["XDG_CONFIG_HOME".to_owned()]);
    Ok(Repository::find(folder, workspace, &env, Clock::start()).await?)
}

async fn list(context: &Context, repository: &Repository, in_use: &InUse) -> Ended {
    let all = repository.list(|branch| in_use.has(branch.as_str())).await?;
    let trash = repository.trashed()?;
    let entries = trash.iter().map(|(entry, trashed)| serde_json::json!({"name": entry, "removed": trashed}));
    let value = serde_json::json!({"worktrees": all, "trash": entries.collect::<Vec<_>>()});
    context.tell(&value, || listed(&all, &trash))
}

fn listed(all: &[Listed], trash: &[(String, Trashed)]) -> String {
    let mut lines = Vec::new();
    if all.is_empty() {
        lines.push("no worktrees".to_owned());
    } else {
        let rows = all.iter().map(|one| {
            let head = one.head.as_deref().map_or("-", |head| head.get(..SHORT).unwrap_or(head));
            let branch = one.branch.as_ref().map_or("-", |branch| branch.as_str());
            vec![one.folder.clone(), branch.to_owned(), head.to_owned(), state(one)]
        });
        lines.push(table(&["folder", "branch", "commit", "removal"], rows.collect()));
    }
    if !trash.is_empty() {
        lines.push(format!("\nin the trash, for `tasuki worktree restore`: {}", trash.len()));
        lines.extend(trash.iter().map(|(entry, trashed)| {
            let head = trashed.head.get(..SHORT).unwrap_or(&trashed.head);
            format!("  {}  {} at {head}", harmless(entry), trashed.branch)
        }));
    }
    lines.join("\n")
}

/// Whether it may be removed, or why not.
fn state(one: &Listed) -> String {
    let begun = match one.state {
        ListedState::HalfMade => Some("half made: nothing is lost with it"),
        ListedState::HalfRemoved => Some("half removed: `prune` goes on"),
        ListedState::There | ListedState::Foreign => None,
    };
    let reasons = one.obstacles.iter().map(ToString::to_string);
    let all: Vec<String> = begun.map(str::to_owned).into_iter().chain(reasons).collect();
    if all.is_empty() { "nothing stands in the way".to_owned() } else { all.join("; ") }
}

async fn prune(
    context: &Context,
    workspace: &Workspace,
    (repository, in_use): (&Repository, &InUse),
    (is_dry, with): (bool, &str),
) -> Ended {
    let all = repository.prune(|branch| in_use.has(branch.as_str()), is_dry).await?;
    for error in forget_worktrees(workspace, all.iter().map(|one| &*one.folder)) {
        context.remark(format!("note: {error}"));
    }
    let value = serde_json::json!({"dry_run": is_dry, "worktrees": all});
    context.tell(&value, || {
        let mut lines: Vec<String> = all.iter().map(|one| pruned(one, (is_dry, with))).collect();
        let removed = all.iter().filter(|one| one.removed).count();
        let word = if is_dry { "would be removed" } else { "removed" };
        lines.push(format!("{} {word}, {} stay", counted(removed, "worktree"), all.len() - removed));
        lines.join("\n")
    })
}

/// What became of one. Whoever asks for more names the repository as it was named before.
fn pruned(one: &Pruned, (is_dry, with): (bool, &str)) -> String {
    let folder = harmless(&one.folder);
    match (&one.entry, one.removed) {
        (Some(entry), _) => {
            let left = one.left.as_ref().map(|path| {
                format!("; commits that its branch has lost are in {}", harmless(&path.to_string_lossy()))
            });
            let left = left.unwrap_or_default();
            format!("{folder}: removed; restore it with `tasuki worktree restore {entry}{with}`{left}")
        }
        (None, true) if is_dry => format!("{folder}: would be removed"),
        (None, true) if one.is_of_role() => {
            format!("{folder}: removed; what was changed there is a patch in the `logs` of its debate")
        }
        (None, true) => format!("{folder}: removed; it was only half made"),
        (None, false) => {
            let reasons: Vec<String> = one.obstacles.iter().map(ToString::to_string).collect();
            format!("{folder}: stays: {}", harmless(&reasons.join("; ")))
        }
    }
}

fn restored(context: &Context, worktree: &Worktree) -> Ended {
    let Worktree { branch, path, base, without, .. } = worktree;
    let value =
        serde_json::json!({"branch": branch, "path": path, "base": base, "without_submodules": without});
    context.tell(&value, || format!("{branch} is in {} again", harmless(&path.to_string_lossy())))
}

impl From<WorktreeError> for Failure {
    fn from(error: WorktreeError) -> Self {
        let kind = if error.is_refusal() { Kind::Rejected } else { Kind::Failed };
        Self { kind, ..Self::of("worktree", &error) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_after_the_question_who_works_where_is_in_use() {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let in_use = InUse { branches: set(&["agent/b"]), recorded: set(&["agent/a", "agent/b"]) };
        assert_eq!(["agent/a", "agent/b", "agent/c"].map(|branch| in_use.has(branch)), [false, true, true]);
    }
}
