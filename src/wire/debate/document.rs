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
    let entries = outputs.enumerate().map(|(at, output)| round_piece(&output, at == 0));
    entries.chain(std::iter::once(ROUND_END.to_owned()))
}

/// The piece of one output, the first of its file or a later one.
#[must_use]
pub fn round_piece(output: &RoundOutput, is_first: bool) -> String {
    // No text has an end of line of its own in JSON.
    let text = serde_json::to_string_pretty(output).unwrap_or_default();
    let mut piece = String::with_capacity(text.len() + text.len() / 64 + 64);
    for (at, line) in text.lines().enumerate() {
        piece.push_str(match (at, is_first) {
            (0, true) => "[\n  ",
            (0, false) => ",\n  ",
            _ => "\n  ",
        });
        piece.push_str(line);
    }
    piece
}

/// What is behind the last of them.
pub const ROUND_END: &str = "\n]\n";
