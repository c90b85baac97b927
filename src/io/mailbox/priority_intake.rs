//! Files that are taken though there is no room for others, such as an answer, which makes some. Which these are is the
//! caller's to say.
//!
//! Each file is read where it lies, once for each version of it; what is not has_priority stays there untouched.

use super::found::{Budget, Found, Left, Sweep};
use super::name::Claim;
use super::not_priority::{IsPriority, NotPriority};
use super::still_written::{Busy, Key};
use super::take::{Attempt, read_whole};
use super::zone::Candidate;
use super::{MAIN_ZONE, Mailbox};
use crate::engine::words::Millis;
use crate::io::folder::{Stamp, file_type};
use rustix::fs::FileType;
use rustix::io::Errno;
use std::collections::HashSet;

/// What a look at a file says.
enum Verdict {
    Priority,
    /// Not looked at again until it changes.
    NotPriority,
    /// It is still being written, or cannot be read now; this is to be said of it.
    Later(Option<Found>),
}

impl Mailbox {
    /// Takes what is has_priority of all that lies there, after a sweep that found no room for more. So much is read at most to
    /// tell, the newest first; true if there may be more.
    pub fn take_priority(
        &mut self,
        sweep: &mut Sweep,
        looks: Budget,
        now: Millis,
        has_priority: IsPriority<'_>,
    ) -> bool {
        let mut looks = Left(looks);
        for _ in 0..self.unread.len() {
            let Some(claim) = self.unread.pop_front() else { break };
            let key = Key { zone: None, name: claim.clone().into() };
            match self.look_at(&key, &mut looks, now, has_priority) {
                Verdict::Priority => sweep.found.extend(self.read_again(claim, now)),
                Verdict::NotPriority => self.unread.push_back(claim),
                Verdict::Later(found) => {
                    sweep.found.extend(found);
                    self.unread.push_back(claim);
                }
            }
        }
        self.list(sweep);
        self.keep_not_priority();
        let mut chosen = Vec::new();
        while looks.some()
            && let Some(candidate) = self.listed.pop_back()
        {
            // What is no ordinary file is only to be refused, and its sender to be told.
            let verdict = if candidate.ordinary {
                self.look_at(&key_of(&candidate), &mut looks, now, has_priority)
            } else {
                Verdict::Priority
            };
            match verdict {
                Verdict::Priority => chosen.push(candidate),
                Verdict::NotPriority => {}
                Verdict::Later(found) => sweep.found.extend(found),
            }
        }
        for candidate in chosen.into_iter().rev() {
            sweep.found.extend(self.take(candidate, now));
        }
        if looks.some() {
            self.looked = self.listings;
        }
        !looks.some()
    }

    /// There is room: what is not_priority need not be known any more.
    pub fn forget_not_priority(&mut self) {
        self.not_priority = NotPriority::default();
    }

    /// Forgets what does not lie there any more.
    fn keep_not_priority(&mut self) {
        if self.not_priority.0.is_empty() {
            return;
        }
        let listed: HashSet<Key> = self.listed.iter().map(key_of).collect();
        let claims: HashSet<&str> = self.unread.iter().map(String::as_str).collect();
        self.not_priority.0.retain(|key, _| match key.zone {
            Some(_) => listed.contains(key),
            None => key.name.to_str().is_some_and(|name| claims.contains(name)),
        });
    }

    fn look_at(&mut self, key: &Key, looks: &mut Left, now: Millis, has_priority: IsPriority<'_>) -> Verdict {
        let claim = if key.zone.is_none() { key.name.to_str() } else { None };
        let parts = claim.and_then(Claim::parse);
        let zone = key.zone.or(parts.as_ref().map(|claim| claim.zone)).unwrap_or(MAIN_ZONE);
        let name = if claim.is_some() { parts.map(|claim| claim.name) } else { key.name.to_str() };
        let folder = match key.zone {
            Some(number) => self.zones.get(&number).map(|zone| &zone.folder),
            None => claim.map(|claim| self.home(claim)),
        };
        let (Some(name), Some(folder)) = (name, folder) else { return Verdict::NotPriority };
        let Ok(stat) = folder.stat(&key.name) else { return Verdict::NotPriority };
        let stamp = Stamp::of(&stat);
        if self.not_priority.0.get(key) == Some(&stamp) || !looks.some() {
            return Verdict::NotPriority;
        }
        if file_type(&stat) != FileType::RegularFile {
            return Verdict::Priority; // only to be refused
        }
        let file = match folder.read(&key.name) {
            Ok(file) => file,
            Err(Errno::NOENT) => return Verdict::NotPriority,
            Err(errno) if is_of_the_machine(errno) => {
                return Verdict::Later(self.later(key, Busy::Stuck(errno), now));
            }
            Err(_) => return Verdict::Priority, // it is judged once it is claimed
        };
        looks.0.files -= 1;
        let read = match self.still_written.ready(key, &file, stamp, now) {
            Ok(lease) => read_whole(&file, lease.is_some()),
            Err(busy) => Attempt::Wait(busy),
        };
        if let Attempt::Whole(bytes, _) = &read {
            looks.0.bytes = looks.0.bytes.saturating_sub(bytes.len());
        }
        match read {
            Attempt::Whole(bytes, _) if has_priority(zone, name, &bytes) => return Verdict::Priority,
            Attempt::Whole(_, read) if read != stamp => return Verdict::NotPriority, // another one by now
            Attempt::Refused(..) => return Verdict::Priority,
            Attempt::Wait(busy) => return Verdict::Later(self.later(key, busy, now)),
            Attempt::Whole(..) | Attempt::Gone => {}
        }
        self.still_written.forget(key);
        self.not_priority.0.insert(key.clone(), stamp);
        Verdict::NotPriority
    }
}

fn key_of(candidate: &Candidate) -> Key {
    Key { zone: Some(candidate.zone), name: candidate.name.clone() }
}

/// Whether a file cannot be opened since the machine is short of something, whatever file it is.
fn is_of_the_machine(errno: Errno) -> bool {
    matches!(errno, Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::IO)
}
