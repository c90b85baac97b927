//! How the history of a message is put on a terminal, for `why`.

pub(super) mod draw;
#[cfg(test)]
mod tests;
