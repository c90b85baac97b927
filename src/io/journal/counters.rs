//! What was done, counted.

/// What was done, counted: for tests and `status`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Appends that wrote something.
    pub appends: u64,
    /// Steps appended.
    pub lines: u64,
    /// Flushes of the segment that is written: one an append that must be durable.
    pub fdatasyncs: u64,
    /// Flushes of new files and of the folder: at start and at a turn.
    pub fsyncs: u64,
    /// Bytes written, prepared newlines included.
    pub bytes: u64,
    /// New segments begun.
    pub turns: u64,
}
