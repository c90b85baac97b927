//! The words by which it is told how the end of a task is known, and what they mean, in a sentence each: every face says these, and
//! docs/evidence.md explains them.

use crate::engine::event::Proof;
use crate::engine::life::CompletionSource;

/// Every source, in the order of its strength.
pub const SOURCES: [CompletionSource; 6] = [
    CompletionSource::Marker,
    CompletionSource::Reply,
    CompletionSource::Hook,
    CompletionSource::ProcessExit,
    CompletionSource::Idle,
    CompletionSource::Person,
];

/// What a source and its proof mean.
#[must_use]
pub fn meaning(source: CompletionSource, proof: Proof) -> String {
    let how = match source {
        CompletionSource::Marker => "the agent printed its done marker",
        CompletionSource::Reply => "the agent sent its answer itself",
        CompletionSource::Hook => "the agent's program reported the end of the turn",
        CompletionSource::ProcessExit => "the agent's program ended without an error",
        CompletionSource::Idle => "the agent fell silent, which its profile takes for the end",
        CompletionSource::Person => return "a person took what the agent had said for the answer".to_owned(),
    };
    match (source, proof) {
        (CompletionSource::Reply, Proof::Strong) => format!("{how}, with this task's token or its own key"),
        (_, Proof::Strong) => format!("{how} with this task's token"),
        (CompletionSource::ProcessExit | CompletionSource::Idle, _) => format!("{how}; no token proves it"),
        (_, _) => format!("{how}, but without this task's token"),
    }
}
