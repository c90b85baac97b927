//! What a debate answers as JSON. Names, order and words are a contract with other programs; what tasuki knows besides stands under
//! the one key `tasuki`.

mod form;
mod read;
#[cfg(test)]
mod tests;

pub use form::{DebateProgress, DebateResult, DebateStatus, OutputBesides, RoundOutput};
pub use read::{ROUND_FILE_BYTES_MAX, RoundFileError, read_round_file};

/// The name of a round's file in the folder of contexts.
#[must_use]
pub fn round_file_name(round: u8) -> String {
    format!("round{round}-outputs.json")
}

/// The file of a round: a pretty list, with an end of line behind it.
#[must_use]
pub fn round_file(outputs: &[RoundOutput]) -> String {
    // Every key of it is a text, so it can be written.
    serde_json::to_string_pretty(outputs).map(|text| text + "\n").unwrap_or_default()
}
