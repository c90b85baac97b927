//! Why events cannot be read.

/// Why a payload cannot be read: it is damaged, or a newer tasuki wrote it.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// It is not a list of events at all.
    #[error("not a list of events ({0}): the line is damaged, or is not one of the journal's")]
    Payload(serde_json::Error),
    /// An event whose name this version does not have.
    #[error(
        "event {index} is called `{name}`, which this version does not know: use the tasuki that wrote it"
    )]
    UnknownEvent {
        /// Its place in the step, from 0.
        index: usize,
        name: String,
    },
    /// An event that lacks something, or has a value that cannot be.
    #[error("event {index} cannot be read ({why}): the line is damaged, or a newer tasuki wrote it")]
    Event {
        /// Its place in the step, from 0.
        index: usize,
        /// What is wrong, and where in the payload.
        why: serde_json::Error,
    },
}
