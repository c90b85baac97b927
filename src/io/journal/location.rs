//! Where a line is.

/// Where a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// Number of the segment.
    pub segment: u32,
    /// Where it begins, in bytes.
    pub offset: u64,
    /// Its length without the newline, in bytes.
    pub len: u32,
}
