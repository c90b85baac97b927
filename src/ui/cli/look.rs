//! Questions of verbs: asked of the daemon, or of the same files where none answers.

use super::context::Context;
use super::failure::Failure;
use crate::io::client::{Client, ClientError};
use crate::io::workspace::Workspace;
use crate::read::{Answers, Model};
use crate::wire::api::Problem;
use std::time::Duration;

/// How long the daemon may take before the files are read instead: it answers within some milliseconds, and a busy machine gives it
/// a second.
const PATIENCE: Duration = Duration::from_secs(5);

/// An answer, and who gave it.
pub(super) struct Looked<A> {
    pub(super) answer: A,
    pub(super) source: Source,
}

/// Who answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    Daemon,
    /// The files: no daemon runs.
    Files,
    /// The files: the daemon does not answer.
    SilentDaemon,
}

/// Asks the daemon, or the files.
pub(super) fn look<Q: Answers + Clone>(
    context: &Context,
    workspace: &Workspace,
    client: &Client,
    question: &Q,
) -> Result<Looked<Q::Answer>, Failure> {
    look_within(PATIENCE, context, workspace, client, question)
}

/// The same with so much patience.
pub(super) fn look_within<Q: Answers + Clone>(
    patience: Duration,
    context: &Context,
    workspace: &Workspace,
    client: &Client,
    question: &Q,
) -> Result<Looked<Q::Answer>, Failure> {
    let source = match client.get::<Q::Answer>(&question.address(), patience) {
        Ok(answer) => return Ok(Looked { answer, source: Source::Daemon }),
        Err(ClientError::TooSlow(_)) => Source::SilentDaemon,
        // It was killed while it was asked, or just before.
        Err(ClientError::NotRunning { .. } | ClientError::Gone(_)) => Source::Files,
        Err(error) => return Err(error.into()),
    };
    let mut model = model_of_files(context, workspace)?;
    let answer = question.clone().answer(&mut model).map_err(refused)?;
    Ok(Looked { answer, source })
}

/// What the files say.
pub(super) fn model_of_files(context: &Context, workspace: &Workspace) -> Result<Model, Failure> {
    Model::of_files(workspace, &context.around).map_err(|error| {
        Failure::new(super::failure::Kind::Failed, "unreadable", error.to_string(), "see `tasuki fsck`")
    })
}

/// A question that has no answer.
pub(super) fn refused(problem: Problem) -> Failure {
    ClientError::Refused(problem).into()
}
