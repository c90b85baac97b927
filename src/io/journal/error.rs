//! What can go wrong with the journal, and what can be done about it.

use std::io;
use std::path::PathBuf;

use super::location::Location;
use crate::engine::words::Seq;

/// Why bytes of the journal do not count as a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// The bytes have not the form of a line.
    #[error("it does not have the form of a line of the journal")]
    Form,
    /// The checksum is another one.
    #[error("its checksum does not match its bytes")]
    Checksum,
    /// Only the newline after the line before is damaged; no line is lost.
    #[error("the newline after a line is damaged; the line itself is whole")]
    Newline,
    /// A whole line that is where its number cannot be.
    #[error("step {} comes after step {}", .seq.0, .last.0)]
    Order {
        /// Its number.
        seq: Seq,
        /// The highest number before it.
        last: Seq,
    },
    /// Another whole line is where this one was written.
    #[error("step {} is in its place", .seq.0)]
    Other {
        /// Its number.
        seq: Seq,
    },
    /// A snapshot that does not begin a segment.
    #[error("a snapshot is in the middle of a segment")]
    Misplaced,
    /// A segment after the first that does not begin with a snapshot.
    #[error("the segment does not begin with a snapshot")]
    Headless,
    /// Nothing is left where lines were durable: the disk lost a write that it had confirmed.
    #[error("it is blank where lines were durable")]
    Blank,
    /// The line is whole, but the one who reads it cannot make sense of it.
    #[error("it cannot be understood: {0}")]
    Unreadable(String),
}

/// Why the journal could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The machine refused.
    #[error("cannot {doing} {}: {source}; {}", .path.display(), cure(.source))]
    Io {
        /// What was tried.
        doing: &'static str,
        /// With which file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// An earlier failure; the text is that failure.
    #[error(
        "the journal has stopped, because it could not be sure of a write ({0}); \
         read it again and go on in a new segment"
    )]
    Stopped(String),
    /// A new segment after a failure was asked for, but there was no failure.
    #[error("the journal has not stopped; turn it instead")]
    NotStopped,
    /// A step with another number than the next one.
    #[error("step {} cannot be written, the next number is {}", .got.0, .next.0)]
    Order {
        /// The number that comes next.
        next: Seq,
        /// The number that was given.
        got: Seq,
    },
    /// A payload that cannot stand in a line.
    #[error("step {} cannot be written: {why}", .seq.0)]
    Payload {
        /// The step.
        seq: Seq,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A segment that leaves too few numbers for those that come after it.
    #[error("{} is not a segment of this journal: its number is too large to go on from; move it away", .path.display())]
    Number {
        /// The file.
        path: PathBuf,
    },
    /// Something else has a segment's name.
    #[error(
        "{} is not a file: move it away; if it is a link to a segment, put that in its place", .path.display()
    )]
    NotAFile {
        /// What is in the way.
        path: PathBuf,
    },
    /// The name of this start of the daemon cannot stand in a line.
    #[error("{0:?} cannot name a start of the daemon: 1 to 64 of letters, digits, `-`, `_` and `.`")]
    Boot(String),
    /// A line that was asked for is damaged.
    #[error(
        "the line at byte {} of segment {:06} is damaged: {flaw}; `tasuki fsck` shows the extent",
        .at.offset, .at.segment
    )]
    Damaged {
        /// Where the line is.
        at: Location,
        /// What is wrong with it.
        flaw: Flaw,
    },
}

impl JournalError {
    /// Whether more room on the disk would cure it: then free the reserve and try again.
    #[must_use]
    pub fn no_space(&self) -> bool {
        matches!(self, Self::Io { source, .. } if is_no_space(source))
    }
}

fn is_no_space(source: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(source.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

/// What a person can do about it.
fn cure(source: &io::Error) -> &'static str {
    match source.kind() {
        _ if is_no_space(source) => "free some disk space, or raise the quota or limit",
        io::ErrorKind::ReadOnlyFilesystem => "mount the file system writable",
        io::ErrorKind::PermissionDenied => "the folder and its files must belong to you",
        io::ErrorKind::NotFound => {
            "it was removed by another program; restore it from a backup if there is one"
        }
        _ => "check the disk (`dmesg` often says more)",
    }
}
