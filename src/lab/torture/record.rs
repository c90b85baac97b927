//! What was done, written down before it is done, in files that tasuki knows nothing of: the oracle compares them with what
//! is there in the end.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

/// Name of the record of drops in its folder, of what was read meanwhile, and of everything else.
pub(super) const DROPS: &str = "drops.jsonl";
pub(super) const SEEN: &str = "seen.jsonl";
pub(super) const DEEDS: &str = "deeds.jsonl";

/// One thing that was given to tasuki: a file, a request, or a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Parcel {
    /// Its place in the run, from 1.
    pub(super) number: u64,
    pub(super) way: Way,
    pub(super) fate: Fate,
    /// Name of the file in `queue/`.
    pub(super) name: String,
    /// Digest of the file.
    pub(super) bytes: String,
    pub(super) letters: Vec<Letter>,
}

impl Parcel {
    /// How many messages it counts for: one that holds none is a bad one.
    pub(super) fn messages(&self) -> usize {
        self.letters.len().max(1)
    }
}

/// One message in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Letter {
    /// None where tasuki is to make one; its content is then like no other's.
    pub(super) id: Option<String>,
    pub(super) to: String,
    /// `task` or `info`.
    pub(super) kind: String,
    pub(super) priority: String,
    pub(super) depends_on: Vec<String>,
    /// Working time that it may take, so short that it may well be over: it ends, well or not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) timeout_ms: Option<u64>,
    /// The moment on the wall clock after which it is too late.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) deadline_ms: Option<u64>,
    /// Its agent never comes to the end of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) endless: bool,
    /// Digest of the content.
    pub(super) content: String,
    /// Digest of the content that its parts have, if it is one that is handed on.
    pub(super) handed_on: Option<String>,
}

/// How it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Way {
    /// Written under another name and renamed.
    Renamed,
    /// Written in parts under its own name, held open meanwhile.
    Slowly,
    /// `tasuki send`.
    Send,
    Socket,
}

/// What has to become of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Fate {
    /// Each message in it is accepted.
    Accepted,
    /// What it says was said before, or is said at the same time: one of them is accepted.
    Duplicate,
    /// It is refused with this code.
    Refused(String),
    /// One of two that come at the same time under one id and say different things: one is accepted, the other refused.
    Rival,
    /// It has a deadline: it is accepted, or refused since that has passed.
    Late,
}

/// What was said when a message was called off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CallOff {
    /// That it is cancelled.
    Done,
    /// That there is nothing to cancel: nobody knows it, or it has ended.
    Nothing,
    /// Nothing: nobody answered, and it may be cancelled or not.
    Unanswered,
}

/// A line of a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub(super) enum Note {
    Begun {
        seed: u64,
        start_limit_ms: u64,
        /// How often a message is tried before it is given up.
        tries: usize,
    },
    /// It is about to be given.
    Giving(Parcel),
    /// It was given: the file is whole, the command ended well, the request was answered.
    Given {
        number: u64,
        at: u64,
    },
    /// It could not be given: tasuki had no part in it.
    NotGiven {
        number: u64,
        why: String,
    },
    /// A message is about to be called off.
    CallingOff {
        id: String,
    },
    CalledOff {
        id: String,
        said: CallOff,
    },
    /// A file was read, of those that are written once: its path in the workspace, and its digest.
    Seen {
        path: String,
        digest: String,
    },
    /// So many files were read, in so many rounds.
    Watched {
        files: u64,
        rounds: u64,
    },
    /// Something was killed, stopped or ended.
    Struck {
        blow: String,
        at: u64,
        deadly: bool,
    },
    /// The daemon was started and was ready so much later.
    Started {
        ms: u64,
        at: u64,
    },
    /// Something that must not be.
    Odd {
        text: String,
        at: u64,
    },
}

/// A record that is being written.
#[derive(Debug)]
pub(super) struct Recorder(File);

impl Recorder {
    pub(super) fn create(folder: &Path, name: &str) -> io::Result<Self> {
        File::options().create_new(true).append(true).open(folder.join(name)).map(Self)
    }

    /// Adds a line, in one write.
    pub(super) fn note(&mut self, note: &Note) -> io::Result<()> {
        let line = serde_json::to_string(note).map_err(io::Error::other)?;
        self.0.write_all(format!("{line}\n").as_bytes())
    }
}

pub(super) fn read(folder: &Path, name: &str) -> io::Result<Vec<Note>> {
    let path = folder.join(name);
    let whole = |error| io::Error::other(format!("{}: {error}", path.display()));
    fs::read_to_string(&path)?.lines().map(|line| serde_json::from_str(line).map_err(whole)).collect()
}

/// The SHA-256 of these bytes in hex.
pub(super) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
