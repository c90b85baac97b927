//! The borders at which bytes come from outside, each as one function that takes any bytes: it reads them as the daemon does
//! and checks what must hold of whatever came. `cargo fuzz` calls them (`scripts/fuzz`), and so do the tests, on the same
//! corpus. Not in the program.

mod choice;
mod control;
mod document;
mod http;
mod journal_line;
mod marker;
mod message;
mod plan;
mod snapshot;
mod team_file;
#[cfg(test)]
mod tests;

pub use control::control;
pub use document::document;
pub use http::http;
pub use journal_line::journal_line;
pub use marker::marker;
pub use message::message;
pub use plan::plan;
pub use snapshot::snapshot;
pub use team_file::team_file;

/// A border: it must take any bytes.
pub type Border = fn(&[u8]);

/// All borders by name: each is a fuzz target, and a folder of the corpus.
pub const BORDERS: [(&str, Border); 9] = [
    ("message", message),
    ("control", control),
    ("journal_line", journal_line),
    ("snapshot", snapshot),
    ("marker", marker),
    ("team_file", team_file),
    ("http", http),
    ("plan", plan),
    ("document", document),
];
