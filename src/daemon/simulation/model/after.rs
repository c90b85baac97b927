//! What a start finds on a disk after a power cut, and whether that is as it must be.
//!
//! The journal and the mailbox are in folders of their own, and neither reads the other's: so each is started once on what its
//! own folders may have, and what they find is put together for every disk.

use super::super::flow_rules::{FlowSaid, FlowsSaid};
use super::hash::hash;
use super::story::{CONTENTS, MESSAGES, Promise};
use crate::daemon::start::replay;
use crate::engine::event::Event;
use crate::engine::flow::id::FlowId;
use crate::engine::life::Move;
use crate::engine::state::State;
use crate::engine::team::Team;
use crate::engine::words::{MessageId, Millis};
use crate::io::fake::{Chance, Faults, Machine, World};
use crate::io::journal::{Kind, LOW_SPACE_BYTES, ReadOrder, ScanReport, fsck, scan};
use crate::io::mailbox::{Budget, Found, Mailbox};
use crate::wire::events;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Where the journal is.
const JOURNAL: &str = ".tasuki/journal/";
/// Where what was dropped is.
const MAILBOX: [&str; 2] = ["queue/", ".tasuki/claim/"];
/// When it starts again.
const LATER: Millis = Millis(1_800_000_000_000);

/// Where starts are tried, and what was found at each.
pub(super) struct Stage {
    folder: tempfile::TempDir,
    journals: HashMap<u64, Result<Told, String>>,
    mailboxes: HashMap<u64, Result<Lies, String>>,
}

/// What the journal tells.
#[derive(Debug, Default)]
struct Told {
    ids: BTreeMap<MessageId, Known>,
    /// How often each content was accepted.
    accepted: [u32; 3],
    flows: FlowsSaid,
    /// Files that are handled.
    claims: BTreeSet<Arc<str>>,
}

/// What the journal tells of a message.
#[derive(Debug, Default, Clone, Copy)]
struct Known {
    accepted: u32,
    ended: u32,
    /// Its newest turn that may have been typed.
    turn: u16,
    /// Whether what was there before was recorded, and whether its claim was checked and was good.
    based: bool,
    passed: bool,
}

/// What lies in the mailbox whole, as it is claimed, and which message that is.
type Lies = Vec<(Arc<str>, usize)>;

impl Stage {
    pub(super) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("tasuki-model-").tempdir_in("/dev/shm");
        let folder = folder.or_else(|_| tempfile::tempdir()).expect("a scratch folder");
        Self { folder, journals: HashMap::new(), mailboxes: HashMap::new() }
    }

    /// Starts on this disk, as far as the mailbox's first look, and holds what is found to what was promised.
    ///
    /// # Errors
    /// What is wrong.
    pub(super) fn check(
        &mut self,
        disk: &World,
        messages: usize,
        promises: &[Promise],
    ) -> Result<(), String> {
        let [journal, mailbox] = self.hashes(disk);
        if !self.journals.contains_key(&journal) {
            let told = self.started(disk, &[JOURNAL], |root| Told::read(&root.join(JOURNAL)));
            self.journals.insert(journal, told);
        }
        if !self.mailboxes.contains_key(&mailbox) {
            let lies = self.started(disk, &MAILBOX, |root| look(root, messages));
            self.mailboxes.insert(mailbox, lies);
        }
        let told = self.journals[&journal].as_ref().map_err(Clone::clone)?;
        let lies = self.mailboxes[&mailbox].as_ref().map_err(Clone::clone)?;
        told.check(lies, messages, promises)
    }

    /// How many starts were tried, of journals and of mailboxes.
    pub(super) fn starts(&self) -> [usize; 2] {
        [self.journals.len(), self.mailboxes.len()]
    }

    fn hashes(&self, disk: &World) -> [u64; 2] {
        [disk.hash_of_files(JOURNAL), hash(&MAILBOX.map(|folder| disk.hash_of_files(folder)))]
    }

    /// What is found in these folders of the disk.
    fn started<T>(
        &self,
        disk: &World,
        folders: &[&str],
        start: impl FnOnce(&Path) -> Result<T, String>,
    ) -> Result<T, String> {
        let root = self.folder.path().join("w");
        let _ = fs::remove_dir_all(&root);
        folders.iter().for_each(|folder| fs::create_dir_all(root.join(folder)).expect("a folder"));
        let root = root.canonicalize().expect("its path");
        let mut world = disk.clone();
        let is_there = |name: &str| folders.iter().any(|folder| name.starts_with(folder));
        for (name, &file) in disk.names().iter().filter(|(name, _)| is_there(name)) {
            let path = root.join(name);
            fs::write(&path, disk.content(file)).expect("a file");
            world.stands_for(fs::metadata(&path).expect("it is there").ino(), name);
        }
        machine(root.clone(), world).install();
        let found = start(&root);
        Machine::remove();
        found
    }
}

fn machine(root: PathBuf, world: World) -> Machine {
    Machine {
        root,
        elapsed_ms: 1,
        slept_ms: 0,
        wall: LATER,
        chance: Chance::new(1),
        world,
        flushed: BTreeMap::new(),
        free_bytes: LOW_SPACE_BYTES, // not so much that the reserve is taken, which costs more than all the rest
        faults: Faults::default(),
        made: Vec::new(),
        log: None,
    }
}

/// Looks at a mailbox in which something is in use: another test that starts a program holds for a moment, between fork and exec,
/// all that is open in this one.
const BUSY_TRIES: u32 = 300;

/// Looks into the mailbox: all that is whole and one of the messages.
fn look(root: &Path, messages: usize) -> Result<Lies, String> {
    let mut mailbox = Mailbox::open(root).map_err(|error| error.to_string())?;
    let mut sweep = mailbox.scan(LATER, Budget::default());
    for _ in 0..BUSY_TRIES {
        if sweep.again_in_ms.is_none() {
            break;
        }
        crate::io::clock::rest(Duration::from_millis(1));
        let again = mailbox.scan(LATER, Budget::default());
        sweep.again_in_ms = again.again_in_ms;
        sweep.found.extend(again.found);
    }
    let number = |bytes: &[u8]| MESSAGES[..messages].iter().position(|text| text.as_bytes() == bytes);
    // What was not flushed by its writer may be torn, and is no message.
    let lies = sweep.found.into_iter().filter_map(|found| match found {
        Found::Read { claim, bytes, .. } => Some((claim, number(&bytes)?)),
        _ => None,
    });
    Ok(lies.collect())
}

impl Told {
    /// Starts, and reads all that was ever written.
    fn read(dir: &Path) -> Result<Self, String> {
        let before = fsck(dir).map_err(|error| error.to_string())?;
        if !is_whole(&before) {
            return Err(format!("a power cut is taken for damage: {before:?}"));
        }
        let (_, memory) = replay::open(dir, "after", Team::default()).map_err(|error| error.to_string())?;
        let (mut told, mut wrong) = (Self { claims: memory.handled.taken, ..Self::default() }, None);
        let report = scan(dir, 1, ReadOrder::OldestFirst, &mut |entry| {
            if entry.kind == Kind::Step {
                match events::decode(entry.payload) {
                    Ok(found) => {
                        told.flows.take_line(&found);
                        found.iter().for_each(|event| told.take(event));
                    }
                    Err(error) => wrong = Some(error.to_string()),
                }
            }
            ControlFlow::Continue(())
        });
        let report = report.map_err(|error| error.to_string())?;
        if !is_whole(&report) || wrong.is_some() {
            return Err(format!("the journal is damaged: {report:?} {wrong:?}"));
        }
        let state = memory.fold.engine.state();
        for (id, known) in &told.ids {
            let open = state.open.get(id);
            let is_known = known.accepted == 1 && known.ended == u32::from(open.is_none());
            if !is_known || open.is_some_and(|open| open.turns < known.turn) {
                return Err(format!("the journal has {id} as {known:?}, and the state as {open:?}"));
            }
        }
        told.check_flows(state)?;
        Ok(told)
    }

    /// Each flow went on as far as what is known lets it, and no further.
    fn check_flows(&self, state: &State) -> Result<(), String> {
        if let Some(wrong) = &self.flows.wrong {
            return Err(wrong.clone());
        }
        let is_kept = |(id, said): &(&FlowId, &FlowSaid)| {
            said.has_begun_all() && state.flows.get(*id).is_some_and(|flow| said.is_as(flow))
        };
        match self.flows.flows.iter().find(|flow| !is_kept(flow)) {
            Some(flow) => Err(format!("the journal has {flow:#?}, and the state {:#?}", state.flows)),
            None => Ok(()),
        }
    }

    fn take(&mut self, event: &Event) {
        match event {
            Event::Accepted { message, body, .. } => {
                self.ids.entry(message.id.clone()).or_default().accepted += 1;
                if let Some(number) = CONTENTS.iter().position(|content| **content == *body.content) {
                    self.accepted[number] += 1;
                }
            }
            Event::Moved { id, to: Move::Intend(turn), .. } => {
                self.ids.entry(id.clone()).or_default().turn = turn.number;
            }
            Event::Based { id, .. } => self.ids.entry(id.clone()).or_default().based = true,
            Event::Checked { id, evidence, .. } => {
                self.ids.entry(id.clone()).or_default().passed = evidence.iter().all(|found| found.passed);
            }
            Event::Ended { id, .. } => self.ids.entry(id.clone()).or_default().ended += 1,
            _ => {}
        }
    }

    /// Whether that is all that must be, and no more.
    fn check(&self, lies: &Lies, messages: usize, promises: &[Promise]) -> Result<(), String> {
        for (number, text) in MESSAGES.iter().enumerate().take(messages) {
            let accepted = self.accepted[number];
            let new = lies.iter().filter(|(claim, of)| *of == number && !self.claims.contains(claim)).count();
            // One with an id is a duplicate then.
            if text.starts_with("to:") && accepted as usize + new > 1 {
                return Err(format!("message {number} is taken twice: {self:?} {lies:?}"));
            }
            if promises.contains(&Promise::Dropped(number)) && accepted as usize + new == 0 {
                return Err(format!("message {number} is lost: {self:?} {lies:?}"));
            }
        }
        promises.iter().try_for_each(|promise| {
            let known = |id| self.ids.get(id).copied().unwrap_or_default();
            let kept = match promise {
                Promise::Dropped(_) => true,
                Promise::Accepted(id) => known(id).accepted == 1,
                Promise::Typed(id, turn) => known(id).turn >= *turn && (known(id).based || !expects(id)),
                Promise::Begun(id) => self.flows.flows.contains_key(id),
                Promise::Ended(id) => known(id).ended == 1 && (known(id).passed || !expects(id)),
            };
            if kept { Ok(()) } else { Err(format!("the start does not know of {promise:?}: {self:?}")) }
        })
    }
}

/// Whether the message with this id expects something.
fn expects(id: &MessageId) -> bool {
    MESSAGES.iter().any(|text| text.starts_with(&format!("id: {id}\n")) && text.contains("expect:"))
}

/// Lists of what ended are made again.
fn is_whole(report: &ScanReport) -> bool {
    report.damaged.is_empty() && report.gaps.is_empty()
}
