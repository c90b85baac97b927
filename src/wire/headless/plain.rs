//! A text as a terminal would show it, without what only a terminal understands.

use crate::wire::message::fields::invisible;

/// The text without what only a terminal understands, and without blank rows around it.
#[must_use]
pub(in crate::wire) fn plain(text: &str) -> String {
    let stripped = anstream::adapter::strip_str(text).to_string();
    let mut clean = String::with_capacity(stripped.len());
    for (at, row) in stripped.split('\n').enumerate() {
        if at > 0 {
            clean.push('\n');
        }
        // What a terminal would have written over is gone, as a progress bar's earlier states are.
        let row = row.strip_suffix('\r').unwrap_or(row);
        let row = row.rsplit('\r').next().unwrap_or(row);
        clean.extend(row.chars().filter(|c| *c == '\t' || !c.is_control()));
    }
    let from = clean.len() - clean.trim_start_matches(|c: char| c.is_whitespace()).len();
    let start = clean.get(..from).and_then(|blank| blank.rfind('\n')).map_or(0, |at| at + 1);
    clean.get(start..).unwrap_or_default().trim_end().to_owned()
}

/// Whether nobody sees anything of a text: it is empty, or has only characters that show nothing, such as U+200B.
#[must_use]
pub(in crate::wire) fn shows_nothing(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || invisible(c))
}
