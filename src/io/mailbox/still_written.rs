//! Files that cannot be read yet: somebody is still writing them, or seems to.

use super::name::{Claim, likeness};
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::words::Millis;
use crate::io::folder::Stamp;
use crate::io::lease::{self, Lease, NoLease};
use crate::wire::shown;
use rustix::io::Errno;
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs::File;

/// A file that is open for writing for longer than this is reported (durability, class 52).
const REPORT_MS: u64 = 60_000;
/// Where there are no leases, size and time of a file must stand still for this long (durability, step 1).
const STILL_MS: u64 = 100;
/// An empty file may have been made by one call and be filled by the next (`mktemp`, `touch`): it gets this long.
const EMPTY_MS: u64 = 1_000;
/// First and longest time until a look is worth while again. Closing wakes us anyway, except for what lies in `claim/`.
const AGAIN_MS: (u64, u64) = (20, 1_000);

/// Which file waits: one in a zone, or a claimed one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    /// None for a claimed file.
    pub(super) zone: Option<u32>,
    pub(super) name: OsString,
}

/// Why a file is not read yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Busy {
    Open,
    Moving,
    Empty,
    /// It could not be moved or read, for a reason that may pass.
    Stuck(Errno),
}

#[derive(Debug)]
struct Wait {
    since: Millis,
    stamp: Option<Stamp>,
    still_since: Millis,
    reported: bool,
    /// The call that failed when it was tried last.
    stuck: Option<Errno>,
}

/// Everything that is waited for.
#[derive(Debug, Default)]
pub(super) struct StillWritten(HashMap<Key, Wait>);

impl StillWritten {
    /// Whether a file can be read: with a lease while it is read, or without one where there are none.
    pub(super) fn ready<'f>(
        &mut self,
        key: &Key,
        file: &'f File,
        stamp: Stamp,
        now: Millis,
    ) -> Result<Option<Lease<'f>>, Busy> {
        if stamp.size == 0 && now.since(self.wait(key, stamp, now).since) < EMPTY_MS {
            return Err(Busy::Empty);
        }
        match lease::take(file) {
            Ok(lease) => Ok(Some(lease)),
            Err(NoLease::InUse) => {
                self.wait(key, stamp, now);
                Err(Busy::Open)
            }
            Err(NoLease::Unknown(_)) => {
                let wait = self.wait(key, stamp, now);
                if now.since(wait.still_since) >= STILL_MS { Ok(None) } else { Err(Busy::Moving) }
            }
        }
    }

    /// The same file under another key: what was seen of it counts on.
    pub(super) fn rename(&mut self, from: &Key, to: Key) {
        if let Some(wait) = self.0.remove(from) {
            self.0.insert(to, wait);
        }
    }

    /// It is done.
    pub(super) fn forget(&mut self, key: &Key) {
        self.0.remove(key);
    }

    /// Forgets the files of zones that are not listed any more.
    pub(super) fn keep_listed(&mut self, listed: &HashSet<Key>) {
        self.0.retain(|key, _| key.zone.is_none() || listed.contains(key));
    }

    /// Whether this is waited for.
    pub(super) fn has(&self, key: &Key) -> bool {
        self.0.contains_key(key)
    }

    /// Whether nothing is waited for.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Everything that is waited for.
    pub(super) fn waited(&self) -> HashSet<Key> {
        self.0.keys().cloned().collect()
    }

    /// Whether it is time to say that this file is waited for: once, after a minute; at once if it is stuck.
    pub(super) fn report(&mut self, key: &Key, busy: Busy, now: Millis) -> bool {
        let new = || Wait { since: now, stamp: None, still_since: now, reported: false, stuck: None };
        let wait = self.0.entry(key.clone()).or_insert_with(new);
        let due = matches!(busy, Busy::Stuck(_)) || now.since(wait.since) >= REPORT_MS;
        let first = due && !wait.reported;
        wait.reported |= due;
        wait.stuck = match busy {
            Busy::Stuck(errno) => Some(errno),
            Busy::Open | Busy::Moving | Busy::Empty => None,
        };
        first
    }

    /// One that cannot be moved or read, and why: for as long as the machine has no room for it, and for a minute where the
    /// trouble may be the file's own, which may never pass.
    pub(super) fn stuck(&self, now: Millis) -> Option<(String, Errno)> {
        let holds = |(key, wait): (&Key, &Wait)| {
            let errno = wait.stuck?;
            let name = key.name.to_str().and_then(Claim::parse).map(|claim| claim.name.to_owned());
            let holds = is_no_room(errno) || now.since(wait.since) < REPORT_MS;
            holds.then(|| (shown(&name.unwrap_or_else(|| likeness(&key.name))), errno))
        };
        self.0.iter().find_map(holds)
    }

    /// When to look again, if anything is waited for: soon after it began, then less and less often.
    pub(super) fn again_in_ms(&self, now: Millis) -> Option<u64> {
        self.0.values().map(|wait| (now.since(wait.since) / 4).clamp(AGAIN_MS.0, AGAIN_MS.1)).min()
    }

    fn wait(&mut self, key: &Key, stamp: Stamp, now: Millis) -> &Wait {
        let new = || Wait { since: now, stamp: Some(stamp), still_since: now, reported: false, stuck: None };
        let wait = self.0.entry(key.clone()).or_insert_with(new);
        if wait.stamp != Some(stamp) {
            wait.stamp = Some(stamp);
            wait.still_since = now;
        }
        wait
    }
}

/// Whether the machine has no room, and not this file some trouble of its own.
fn is_no_room(errno: Errno) -> bool {
    matches!(
        errno,
        Errno::NOSPC
            | Errno::DQUOT
            | Errno::ROFS
            | Errno::MFILE
            | Errno::NFILE
            | Errno::NOMEM
            | Errno::NOBUFS
    )
}

impl Busy {
    /// What is said of it.
    pub(super) fn refusal(self, name: &str) -> Refusal {
        let (code, why) = match self {
            Self::Open => (Code::StillOpen, "somebody has it open for writing".to_owned()),
            Self::Moving => (Code::StillOpen, "it is still changing".to_owned()),
            Self::Empty => (Code::StillOpen, "it is empty and new".to_owned()),
            Self::Stuck(errno) => (Code::Stuck, format!("it cannot be moved or read: {errno}")),
        };
        Refusal::new(code, format!("{} waits: {why}", shown(name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::folder::Folder;

    fn key(zone: Option<u32>) -> Key {
        Key { zone, name: "x.yaml".into() }
    }

    fn stamp(folder: &Folder, text: &str) -> Stamp {
        folder.write("x.yaml".as_ref(), text).unwrap()
    }

    /// `/dev/null` has no leases, as files of some network file systems have none.
    #[test]
    fn without_leases_a_file_must_stand_still() {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::open(root.path()).unwrap();
        let file = File::open("/dev/null").unwrap();
        let (one, two) = (stamp(&folder, "one"), stamp(&folder, "two and more"));
        let mut still_written = StillWritten::default();
        let mut busy = |key: &Key, stamp, now| still_written.ready(key, &file, stamp, Millis(now)).err();
        assert_eq!(busy(&key(Some(0)), one, 1_000), Some(Busy::Moving));
        assert_eq!(busy(&key(Some(0)), one, 1_099), Some(Busy::Moving));
        assert_eq!(busy(&key(Some(0)), two, 1_100), Some(Busy::Moving), "it was written to");
        assert_eq!(busy(&key(Some(0)), two, 1_199), Some(Busy::Moving));
        assert_eq!(busy(&key(Some(0)), two, 1_200), None);
        still_written.rename(&key(Some(0)), key(None));
        assert!(
            still_written.ready(&key(None), &file, two, Millis(1_201)).is_ok(),
            "what was seen before the claim counts"
        );
        assert_eq!(still_written.again_in_ms(Millis(1_201)), Some(50));
        still_written.forget(&key(None));
        assert_eq!(still_written.again_in_ms(Millis(1_201)), None);
    }

    #[test]
    fn what_is_not_listed_any_more_is_not_waited_for() {
        let mut still_written = StillWritten::default();
        for zone in [Some(0), Some(1), None] {
            assert!(!still_written.report(&key(zone), Busy::Open, Millis(0)));
        }
        still_written.keep_listed(&HashSet::from([key(Some(1))]));
        let mut report = |zone| still_written.report(&key(zone), Busy::Open, Millis(60_000));
        assert_eq!([report(Some(0)), report(Some(1)), report(None)], [false, true, true]);
        assert!(!report(Some(1)), "said once");
        assert!(
            still_written.report(&key(Some(5)), Busy::Stuck(Errno::ROFS), Millis(60_000)),
            "said at once"
        );
    }
}
