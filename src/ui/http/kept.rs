//! What is said of a session of which there is nothing but a document, and of which more is wanted than to be shown.

use super::refused::Refused;
use crate::engine::message::refusal::{Code, Refusal};
use crate::io::chance::mint_flow_id;
use crate::io::workspace::Workspace;
use crate::io::worktree::WorktreeError;
use crate::wire::layout::plain;
use crate::wire::session::document::{AgentSession, SessionStatus};
use crate::wire::session::wanted::has_branches;
use crate::wire::session::work::word;
use std::path::Path;

/// What is said of one that was taken in.
pub(super) fn said(session: &AgentSession) -> String {
    let id = session.id.as_str();
    match session.status {
        SessionStatus::Completed => format!("session {id} is kept, and is Completed"),
        SessionStatus::Failed => {
            format!(
                "session {id} is kept, and is Failed: `tasuki session resume {id}` goes on with it{}",
                not_here(session)
            )
        }
        SessionStatus::Active | SessionStatus::Paused => format!(
            "session {id} is kept, and stands still until it is resumed: `tasuki session resume {id}`{}",
            not_here(session)
        ),
    }
}

/// Only `resume` has one go on.
pub(super) fn stands(session: &AgentSession, workspace: &Workspace) -> Refused {
    let id = session.id.as_str();
    let why = format!("session {id} {}{}", how(session), not_here(session));
    let cure = match session.status {
        SessionStatus::Completed => {
            format!("`tasuki session show {id}` has its results; `tasuki session new` begins another one")
        }
        _ if !is_here(session) => way_out(session, workspace),
        _ => format!("`tasuki session resume {id}` has it go on, and then this is possible"),
    };
    refused(Code::NotOpen, why, cure)
}

/// There is nothing to call off.
pub(super) fn is_over(session: &AgentSession) -> Refused {
    let id = session.id.as_str();
    let why = format!("session {id} {}, so there is nothing to call off", how(session));
    let cure = match session.status {
        SessionStatus::Failed if is_here(session) => {
            format!("`tasuki session show {id}` shows it; `tasuki session resume {id}` has it go on")
        }
        _ => format!("`tasuki session show {id}` shows it"),
    };
    refused(Code::NotOpen, why, cure)
}

/// It cannot go on without the folder that it names as its repository.
pub(super) fn without_repository(session: &AgentSession, workspace: &Workspace) -> Refused {
    let (id, place) = (session.id.as_str(), &session.repository_path);
    let why = format!("the repository of session {id} is not here: {place}");
    refused(Code::NoRepository, why, way_out(session, workspace))
}

/// Its branches are those of a repository, and the folder that it names is none.
pub(super) fn in_no_repository(
    session: &AgentSession,
    workspace: &Workspace,
    error: &WorktreeError,
) -> Refused {
    let (id, folder) = (session.id.as_str(), &session.repository_path);
    let (what, cure) = match error {
        WorktreeError::NotTop { root, .. } => {
            let root = plain(root);
            (format!("is no git repository, and lies in that of {root}"), way_out_to(session, Some(&root)))
        }
        WorktreeError::NoRepository { .. } => {
            ("is no git repository".to_owned(), way_out(session, workspace))
        }
        WorktreeError::NoCommits { .. } => {
            let others = way_out(session, workspace);
            let begin = format!("git -C {} commit --allow-empty -m begin", word(folder));
            let how = "makes one, and then its branches are taken as merged";
            ("is a git repository without a commit".to_owned(), format!("`{begin}` {how}; or {others}"))
        }
        error => {
            let cure = format!("put that right and type `tasuki session resume {id}`");
            (format!("cannot be used: {error}"), cure)
        }
    };
    let why = format!(
        "session {id} has branches, and the folder that it names as its repository, {folder}, {what}"
    );
    refused(Code::NoRepository, why, cure)
}

/// It goes on in another workspace, in worktrees of the same repository.
pub(super) fn goes_on_elsewhere(id: &str, repository: &Path, other: &Path) -> Refused {
    let place = plain(other);
    let why = format!(
        "session {id} goes on in the workspace {place}, in worktrees of the same repository {}",
        plain(repository)
    );
    let cure = format!(
        "`tasuki --root {} session cancel {id}` calls it off there; then, or once it is over there, `tasuki session resume {id}` has it go on here; or import its document with another UUID as `id`, and a clone of the repository as `repository_path`",
        word(&place)
    );
    refused(Code::IdConflict, why, cure)
}

fn how(session: &AgentSession) -> &'static str {
    match session.status {
        SessionStatus::Active | SessionStatus::Paused => "was imported, and stands still until it is resumed",
        SessionStatus::Completed => "is Completed, and only its document is here",
        SessionStatus::Failed => "is Failed, and only its document is here",
    }
}

fn is_here(session: &AgentSession) -> bool {
    Path::new(&session.repository_path).is_dir()
}

fn not_here(session: &AgentSession) -> String {
    match is_here(session) {
        true => String::new(),
        false => format!("; its repository is not here: {}", session.repository_path),
    }
}

/// What has a session go on whose repository is not here. Each command can be typed in as it is.
fn way_out(session: &AgentSession, workspace: &Workspace) -> String {
    // One with branches is refused in a folder that is no repository, as this one may be.
    let is_fit = !has_branches(session) || workspace.root().join(".git").exists();
    way_out_to(session, is_fit.then(|| workspace.root_text()))
}

/// The same for a folder in which it can go on.
fn way_out_to(session: &AgentSession, root: Option<&str>) -> String {
    let (id, place) = (session.id.as_str(), &session.repository_path);
    // Nothing in it means anything to a shell or to sed.
    let is_plain =
        |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-' | '.'));
    let elsewhere = match root.filter(|root| is_plain(place) && is_plain(root)) {
        Some(root) => format!(
            "`tasuki session export {id} | sed 's#\"{id}\"#\"{}\"#; s#\"{place}\"#\"{root}\"#' | tasuki session import -` takes it in as another session, in {root}",
            mint_flow_id()
        ),
        None => {
            let what = match has_branches(session) {
                true => "the uppermost folder of its repository",
                false => "a folder that is here",
            };
            format!("import its document with another UUID as `id`, and {what} as `repository_path`")
        }
    };
    let call_off = match session.is_open() {
        true => format!("; `tasuki session cancel {id}` calls it off"),
        false => String::new(),
    };
    format!("put the repository there and type `tasuki session resume {id}`; {elsewhere}{call_off}")
}

fn refused(code: Code, why: String, cure: String) -> Refused {
    let mut refused = Refused::from(Refusal::new(code, why));
    refused.problem.cure = cure;
    refused
}
