//! What a debate answers as JSON. Names, order and words are a contract with other programs; what tasuki knows besides stands under
//! the one key `tasuki`.

mod form;
mod read;
#[cfg(test)]
mod tests;

pub use form::{
    CANCELLED, DebateProgress, DebateResult, DebateStatus, NOT_ASKED, OutputBesides, RoundOutput,
};
pub use read::{ROUND_FILE_BYTES_MAX, RoundFileError, read_round_file};

/// The name of a round's file in the folder of contexts.
#[must_use]
pub fn round_file_name(round: u8) -> String {
    format!("round{round}-outputs.json")
}

/// The file of a round, in pieces for whoever writes it without holding all of it: a pretty list, with an end of line behind it. Of
/// a round of which nobody has spoken there is no file.
pub fn round_pieces(outputs: impl Iterator<Item = RoundOutput>) -> impl Iterator<Item = String> {
    let mut before = "[\n";
    let entries = outputs.map(move |output| {
        let piece = format!("{before}{}", round_entry(&output));
        before = ",\n";
        piece
    });
    entries.chain(std::iter::once("\n]\n".to_owned()))
}

fn round_entry(output: &RoundOutput) -> String {
    // No text has an end of line of its own in JSON.
    let text = serde_json::to_string_pretty(output).unwrap_or_default();
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}
