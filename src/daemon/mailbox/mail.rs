//! What goes between the loop and the mailbox's thread.

use crate::engine::message::refusal::Refusal;
use crate::engine::message::{Draft, Source};
use crate::engine::words::{AgentName, Token};
use crate::io::journal::Archive;
use crate::wire::zone::ZoneSpec;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What the thread is to do.
#[derive(Debug)]
pub enum Job {
    /// Look at the drop zone now, or at a sign.
    Look,
    /// Remove these claimed files: they are in the journal.
    Forget(Vec<Arc<str>>),
    /// Set these aside with their reasons.
    Reject(Vec<Rejected>),
    /// Keep these until there is room for them.
    Defer(Vec<Arc<str>>),
    /// Fill in what the archive knows, for messages that came over the socket.
    LookUp(Vec<Asked>),
    /// Take what lies in the drop zones now, and say this number when that is done.
    Sweep(u64),
    /// Names that a file's name may hold (`{from}_to_{to}.yaml`).
    Names(BTreeSet<String>),
    /// The archive has other segments now.
    Archive(Archive),
    /// Free bytes below which drops are left in `queue/`.
    LowDisk(u64),
    /// The drop zones besides `queue/`.
    Zones(Vec<ZoneSpec>),
}

/// What came over the socket.
#[derive(Debug)]
pub struct Asked {
    /// The request.
    pub source: Source,
    /// Its documents.
    pub drafts: Vec<Draft>,
    /// Who is proven to have sent it.
    pub proof: Option<AgentName>,
}

/// A refused file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected {
    /// Its name in `.tasuki/claim/`.
    pub claim: Arc<str>,
    /// Its sender, as far as it is known.
    pub from: Option<AgentName>,
    /// Why.
    pub refusal: Refusal,
}

/// What was found.
#[derive(Debug)]
pub struct Mail {
    /// Drops and refusals, in order.
    pub drops: Vec<Dropped>,
    /// Things to be told in the activity log.
    pub notes: Vec<String>,
    /// Whether `queue/STOP` is there, and how often the loop itself had made or removed it when that was looked at.
    pub halted: (bool, usize),
    /// Claimed files that are gone now.
    pub forgotten: Vec<Arc<str>>,
    /// Whether drops are left in the queue since the disk is nearly full.
    pub full: bool,
    /// Why drop zones are looked at once a second, in words; none if they are watched.
    pub polling: Option<String>,
    /// What lies there and cannot be taken though it is whole, while claims wait for it.
    pub stuck: Option<String>,
    /// Whether a burst is being taken in: many came within a moment.
    pub burst: bool,
    /// How many archives it has got: what ended in others it has not looked for.
    pub archives: usize,
    /// Up to which of [`Job::Sweep`] all that lay there has been told.
    pub swept: Option<u64>,
}

/// One file or request.
#[derive(Debug)]
pub enum Dropped {
    /// Well-formed.
    Drafts {
        /// Where it came from.
        source: Source,
        /// Its documents.
        drafts: Vec<Draft>,
        /// Who is proven to have sent it.
        proof: Option<AgentName>,
    },
    Bad {
        /// Where it came from.
        source: Source,
        /// Its sender, as far as its body or its name tells.
        from: Option<AgentName>,
        /// The sender's token, as far as it can be read.
        token: Option<Token>,
        /// Why.
        refusal: Refusal,
    },
}
