//! The mailbox: files dropped in `queue/` (and in further drop zones) → bytes that can be parsed, each file exactly as its
//! writer left it, none lost, none read by half.
//!
//! A file's way, and what a crash right after each step leaves:
//!
//! | step | how | a crash leaves |
//! |---|---|---|
//! | listed | by time of writing, then name | the file |
//! | looked at | a read lease is refused while its writer has it open: come back later | the file |
//! | claimed | one `renameat2(NOREPLACE)` to `.tasuki/claim/SEQ-ZONE-NAME`, the lease being held | the claim, whole or still being written; read again at start |
//! | read | under the same lease, after its kind, owner, links, mode and size were looked at | the claim |
//! | journalled | by the daemon, with the claim's name | record and claim: known at start, forgotten there |
//! | forgotten | `unlink`, unless it was written to after it was read: then it is a new claim | nothing, or the claim: known at start |
//! | rejected | its reason first, then one rename to `rejected/NAME` | the claim and its reason; the same again at start |
//!
//! All of it blocks; the daemon runs it on a thread of its own. Nothing is parsed here.

mod found;
mod name;
mod not_priority;
mod numbers;
mod priority_intake;
mod put_back;
mod reject;
mod still_written;
mod take;
mod wanted;
mod zone;
mod zones;

use crate::engine::words::Millis;
use crate::io::folder::{Folder, FolderError, Stamp, mtime_ns};
use found::Left;
pub use found::{Budget, Found, Sweep};
use name::{Claim, Recent, Seq};
pub use not_priority::IsPriority;
use not_priority::NotPriority;
use numbers::Numbers;
pub use numbers::swept;
use rustix::io::Errno;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
pub(crate) use still_written::Key as Waited;
use still_written::{Key, StillWritten};
use wanted::Wanted;
pub use wanted::ZoneOwners;
use zone::{Candidate, Zone};
pub use zone::{MAIN_ZONE, is_foreign_folder};

/// The drop zones and what was claimed from them.
#[derive(Debug)]
pub struct Mailbox {
    us: u32,
    memory: Folder,
    claims: Folder,
    zones: BTreeMap<u32, Zone>,
    /// The zones besides `queue/` that are to be swept.
    wanted: Wanted,
    numbers: Numbers,
    /// Whose each zone is that has a number.
    whose: ZoneOwners,
    /// What the last listing found and nobody looked at yet.
    listed: VecDeque<Candidate>,
    listings: u64,
    /// Whether a listing found another folder in the place of a zone's.
    has_anew: bool,
    /// The newest listing of which every file was looked at.
    looked: u64,
    /// Claimed but not read: left by a crash, or still being written.
    unread: VecDeque<String>,
    /// Read, and as what; not forgotten yet.
    taken: HashMap<Arc<str>, Stamp>,
    still_written: StillWritten,
    /// Where there is no room.
    not_priority: NotPriority,
    recent: Recent,
    /// Files that a power cut put back, and that would get another claim than they had.
    returned: HashMap<(PathBuf, OsString), Returned>,
}

impl Mailbox {
    /// Opens the mailbox of the workspace at `root`: makes `queue/` and `.tasuki/claim/` where they are missing, narrows
    /// them to 0700, and takes up what an earlier daemon had claimed.
    ///
    /// # Errors
    /// [`FolderError`]: a folder is not ours, not a folder, or everybody may write to it or to one above it.
    pub fn open(root: &Path) -> Result<Self, FolderError> {
        let root = std::fs::canonicalize(root).map_err(|error| FolderError::Io {
            doing: "open",
            path: root.to_owned(),
            errno: Errno::from_io_error(&error).unwrap_or(Errno::IO),
        })?;
        zone::check_ancestors(&root)?;
        let memory = Folder::open(&root)?.make_own(".tasuki")?;
        let claims = memory.make_own("claim")?;
        let unread = left(&claims)?;
        let highest = unread.iter().filter_map(|claim| Some(Claim::parse(claim)?.zone)).max();
        let mut mailbox = Self {
            us: rustix::process::geteuid().as_raw(),
            numbers: Numbers::read(&memory, highest.unwrap_or_default()),
            memory,
            unread: unread.into(),
            claims,
            zones: BTreeMap::new(),
            wanted: Wanted::default(),
            whose: ZoneOwners::default(),
            listings: 0,
            has_anew: false,
            looked: 0,
            listed: VecDeque::new(),
            taken: HashMap::new(),
            still_written: StillWritten::default(),
            not_priority: NotPriority::default(),
            recent: Recent::default(),
            returned: HashMap::new(),
        };
        mailbox.add_zone(MAIN_ZONE, &root.join("queue"))?;
        mailbox.take_up_old();
        Ok(mailbox)
    }

    /// Adds a drop zone under a number that stays the same over restarts, since claims carry it. The folder is made if it is
    /// missing; its parent must exist.
    ///
    /// # Errors
    /// As [`Mailbox::open`].
    pub fn add_zone(&mut self, number: u32, place: &Path) -> Result<(), FolderError> {
        place.parent().map_or(Ok(()), zone::check_ancestors)?;
        let zone = Zone::open(number, place, &self.claims)?;
        self.zones.insert(number, zone);
        self.take_up(number)
    }

    /// The folders that are to be watched.
    #[must_use]
    pub fn places(&self) -> Vec<PathBuf> {
        let swept = self.zones.values().filter(|zone| zone.is_wanted).map(Zone::place);
        let all: BTreeSet<&Path> = swept.chain(self.wanted.places()).collect();
        all.into_iter().map(Path::to_owned).collect()
    }

    /// Those that are wanted, whether what was asked for last was done yet or not.
    pub fn places_wanted(&self) -> impl Iterator<Item = PathBuf> + '_ {
        let main = self.zones.get(&MAIN_ZONE).map(Zone::place);
        main.into_iter().chain(self.wanted.places()).map(Path::to_owned)
    }

    /// What an earlier daemon had claimed and this one has not read yet. Those that the journal knows are to be forgotten
    /// before the first sweep reads the rest; and what a sweep gives later under a claim that the journal knows is a file
    /// that a power cut put back, and is to be forgotten too.
    #[must_use]
    pub fn unread(&self) -> Vec<Arc<str>> {
        self.unread.iter().map(|claim| claim.as_str().into()).collect()
    }

    /// How often the zones were listed.
    pub(crate) fn listings(&self) -> u64 {
        self.listings
    }

    /// The files that are still being written, if all others were looked at that lay there when the zones had been listed so
    /// often.
    pub(crate) fn still_written(&self, listings: u64) -> Option<HashSet<Waited>> {
        (self.looked > listings).then(|| self.still_written.waited())
    }

    /// Why something lies there that cannot be taken now, though nobody writes it: there is no room for its claim, or a call
    /// fails. It may be anything, so nobody can tell whose it is.
    pub(crate) fn stuck(&self, now: Millis) -> Option<String> {
        let of_zone = |zone: &Zone| match &zone.trouble {
            Some(FolderError::Io { errno, .. }) => {
                Some(format!("{} cannot be looked at: {errno}", zone.place().display()))
            }
            _ => None,
        };
        let of_file = || {
            let (name, errno) = self.still_written.stuck(now)?;
            Some(format!("{name} cannot be moved or read: {errno}"))
        };
        // Of the others one may be on a drive that nobody has put in for weeks.
        self.zones.get(&MAIN_ZONE).and_then(of_zone).or_else(of_file)
    }

    /// Whether this one is still being written.
    pub(crate) fn waits_for(&self, file: &Waited) -> bool {
        self.still_written.has(file)
    }

    /// Since when `queue/STOP` exists, on the wall; none if it does not.
    ///
    /// # Errors
    /// What the system says where that cannot be known.
    pub fn stopped_since(&self) -> Result<Option<Millis>, Errno> {
        let Some(zone) = self.zones.get(&MAIN_ZONE) else { return Ok(None) };
        match zone.folder.stat("STOP".as_ref()) {
            Ok(stat) => Ok(Some(Millis(u64::try_from(mtime_ns(&stat) / 1_000_000).unwrap_or_default()))),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(errno),
        }
    }

    /// Takes what there is, earliest first. `now` is the daemon's clock.
    pub fn scan(&mut self, now: Millis, budget: Budget) -> Sweep {
        let mut sweep = Sweep::default();
        let mut left = Left(budget);
        let mut tries = self.unread.len();
        while tries > 0 && left.some() {
            tries -= 1;
            let Some(claim) = self.unread.pop_front() else { break };
            left.add(&mut sweep, self.read_again(claim, now));
        }
        // What came since the last listing is not on it, and what told of it has been heard: so where a rest of that list
        // does not use up the budget, the zones are listed once more.
        self.take_listed(&mut sweep, &mut left, now);
        if left.some() {
            self.list(&mut sweep);
            self.take_listed(&mut sweep, &mut left, now);
        }
        sweep.more = !left.some();
        let again_in_ms = self.still_written.again_in_ms(now);
        // A folder that was made anew is not watched yet.
        sweep.again_in_ms = if std::mem::take(&mut self.has_anew) { Some(0) } else { again_in_ms };
        sweep
    }

    /// Does not read these: the journal holds them, and they are to be forgotten some time.
    pub fn pass_over(&mut self, claims: &[Arc<str>]) {
        if !self.unread.is_empty() {
            let known: HashSet<&str> = claims.iter().map(AsRef::as_ref).collect();
            self.unread.retain(|claim| !known.contains(claim.as_str()));
        }
    }

    /// Removes claimed files that the journal holds. One that was written to after it was read is a new version that its
    /// writer believes to be dropped: it is claimed anew and comes with the next sweep. Calling it again is harmless.
    ///
    /// # Errors
    /// [`FolderError::Io`]; the rest is left as it is, known to the journal and forgotten another time.
    pub fn forget(&mut self, claims: &[Arc<str>]) -> Result<(), FolderError> {
        self.pass_over(claims);
        claims.iter().try_for_each(|claim| self.forget_one(claim))
    }

    /// The same, of which one that fails holds up no other: what could not be removed, and why.
    pub fn forget_each(&mut self, claims: &[Arc<str>]) -> Vec<(Arc<str>, FolderError)> {
        self.pass_over(claims);
        claims.iter().filter_map(|claim| Some((claim.clone(), self.forget_one(claim).err()?))).collect()
    }

    fn forget_one(&mut self, claim: &Arc<str>) -> Result<(), FolderError> {
        if self.written_since(claim)? {
            self.claim_anew(claim)?;
        } else {
            let folder = self.home(claim);
            // A crash here leaves the claim: the journal knows it.
            folder
                .remove(claim.as_ref().as_ref())
                .map_err(|errno| folder.failed("remove", claim.as_ref().as_ref(), errno))?;
        }
        self.taken.remove(claim);
        Ok(())
    }

    /// Keeps a file that was read for the next sweep: what it says could not be judged.
    pub(crate) fn keep(&mut self, claim: &str) {
        if self.taken.remove(claim).is_some() {
            self.unread.push_back(claim.to_owned());
        }
    }

    /// Keeps a file that was read for a later sweep: there was no room for what it says.
    pub fn defer(&mut self, claim: &str) {
        if let Some(stamp) = self.taken.remove(claim) {
            self.unread.push_back(claim.to_owned());
            self.not_priority.add(claim, stamp);
        }
    }

    /// Takes what was listed, as far as the budget goes.
    fn take_listed(&mut self, sweep: &mut Sweep, left: &mut Left, now: Millis) {
        while left.some() {
            let Some(candidate) = self.listed.pop_front() else { break };
            left.add(sweep, self.take(candidate, now));
        }
        if self.listed.is_empty() {
            self.looked = self.listings;
        }
    }

    /// Lists all zones and sorts what there is.
    fn list(&mut self, sweep: &mut Sweep) {
        self.listings += 1;
        self.update_zones();
        sweep.found.extend(self.wanted.found());
        let (mut all, mut anew) = (Vec::new(), Vec::new());
        for (&number, zone) in self.zones.iter_mut().filter(|(_, zone)| zone.is_wanted) {
            let listed = zone.refresh(&self.claims).and_then(|is_new| {
                anew.extend(is_new.then_some(number));
                zone.list(self.us)
            });
            match listed {
                Ok((candidates, hints)) => {
                    let healed = zone.trouble.take().is_some() && number != MAIN_ZONE;
                    sweep.found.extend(healed.then_some(Found::Healed { zone: number }));
                    all.extend(candidates);
                    let hint = |name: std::ffi::OsString| Found::Hint {
                        is_folder: zone.is_folder(&name),
                        name: name::likeness(&name),
                        zone: number,
                    };
                    sweep.found.extend(hints.into_iter().map(hint));
                }
                Err(error) if zone.trouble.as_ref() == Some(&error) => {}
                Err(error) => {
                    zone.trouble = Some(error.clone());
                    sweep.found.push(Found::Trouble { zone: number, error });
                }
            }
        }
        self.has_anew |= !anew.is_empty();
        for number in anew {
            self.take_up_or_tell(number, sweep);
        }
        all.sort_unstable();
        if !self.still_written.is_empty() {
            let keys = all.iter().map(|c| Key { zone: Some(c.zone), name: c.name.clone() }).collect();
            self.still_written.keep_listed(&keys);
        }
        self.listed = all.into();
    }

    /// The folder in which a claim lies. Of a drive that was taken out it is that drive's: what lies there is not gone.
    fn home(&self, claim: &str) -> &Folder {
        let zone = Claim::parse(claim).and_then(|claim| self.zones.get(&claim.zone));
        let own = zone.and_then(Zone::own_claims);
        own.filter(|_| self.claims.stat(claim.as_ref()).is_err()).unwrap_or(&self.claims)
    }

    /// Whether a claimed file is not what it was when it was read.
    fn written_since(&self, claim: &str) -> Result<bool, FolderError> {
        let Some(stamp) = self.taken.get(claim) else { return Ok(false) };
        let folder = self.home(claim);
        match folder.stat(claim.as_ref()) {
            Ok(stat) => Ok(Stamp::of(&stat) != *stamp),
            Err(Errno::NOENT) => Ok(false),
            Err(errno) => Err(folder.failed("stat", claim.as_ref(), errno)),
        }
    }

    /// Gives a claimed file a new claim, to be read as a message of its own.
    fn claim_anew(&mut self, claim: &str) -> Result<(), FolderError> {
        let Some(parts) = Claim::parse(claim) else { return Ok(()) };
        let folder = self.home(claim);
        let failed = |errno| folder.failed("rename", claim.as_ref(), errno);
        let seq = self.recent.fresh(Seq::of(&folder.stat(claim.as_ref()).map_err(failed)?));
        // A crash before it leaves a claim that the journal knows, after it one that it does not: the version is read then.
        let (anew, seq) = rename_new(folder, claim.as_ref(), folder, &parts, seq).map_err(failed)?;
        self.recent.add(seq);
        self.unread.push_back(anew);
        Ok(())
    }
}

/// Gives a file the name of a claim that nothing has yet.
fn rename_new(
    from: &Folder,
    name: &OsStr,
    to: &Folder,
    claim: &Claim<'_>,
    seq: Seq,
) -> Result<(String, Seq), Errno> {
    let mut seq = seq;
    loop {
        let claimed = claim.format(seq);
        match from.rename_new(name, to, claimed.as_ref()) {
            Ok(()) => return Ok((claimed, seq)),
            Err(Errno::EXIST) => seq = seq.next(),
            Err(errno) => return Err(errno),
        }
    }
}

/// A file that a power cut put back.
#[derive(Debug, Clone, Copy)]
struct Returned {
    /// As what it lies there.
    now: Seq,
    /// As what, and from which zone, it was claimed.
    then: Seq,
    zone: u32,
}

/// The claims that lie in a folder, oldest first.
fn left(claims: &Folder) -> Result<Vec<String>, FolderError> {
    let names = claims.names()?.into_iter().filter_map(|name| name.into_string().ok());
    let mut names: Vec<String> = names.filter(|name| Claim::parse(name).is_some()).collect();
    names.sort_unstable();
    Ok(names)
}
