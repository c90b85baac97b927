//! The zones besides `queue/`: which are to be swept, which of them cannot be opened just now, and which are only kept for
//! what was claimed from them.

use super::found::{Found, Sweep};
use super::name::Claim;
use super::wanted::ZoneOwners;
use super::zone::{Zone, exists};
use super::{MAIN_ZONE, Mailbox, left};
use crate::io::folder::FolderError;
use crate::wire::zone::ZoneSpec;
use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::Arc;

impl Mailbox {
    /// Has these swept besides `queue/`, and no others. What was claimed from others is read all the same; what lies unclaimed
    /// in them stays there. One that cannot be opened is tried again at each sweep.
    pub fn set_zones(&mut self, specs: &[ZoneSpec]) {
        self.wanted.specs = specs.to_vec();
        self.wanted.unnumbered = true;
        self.wanted.trouble = None;
    }

    /// Whether one cannot be opened, or not be swept, which may pass at any moment.
    #[must_use]
    pub fn has_trouble(&self) -> bool {
        let in_trouble =
            |(number, zone): (&u32, &Zone)| *number != MAIN_ZONE && zone.is_wanted && zone.trouble.is_some();
        self.wanted.unnumbered || !self.wanted.closed.is_empty() || self.zones.iter().any(in_trouble)
    }

    /// Where a zone is, as far as that is known.
    #[must_use]
    pub fn place(&self, zone: u32) -> Option<&Path> {
        let closed = || self.wanted.closed.get(&zone).map(|(spec, _)| spec.place.as_path());
        self.zones.get(&zone).map(Zone::place).or_else(closed)
    }

    /// Whose each zone is.
    #[must_use]
    pub fn whose(&self) -> ZoneOwners {
        self.whose.clone()
    }

    /// Takes up what an earlier daemon has claimed from zones that nobody may want any more.
    pub(super) fn take_up_old(&mut self) {
        let there: Vec<_> = self
            .numbers
            .all()
            .filter_map(|(number, zone)| Zone::left(number, &zone.place).ok().map(|zone| (number, zone)))
            .collect();
        for (number, zone) in there {
            self.zones.insert(number, zone);
            // What cannot be listed now is on a drive that goes: it is taken up when the zone is opened.
            let _ = self.take_up(number);
        }
        self.know_owners();
    }

    /// Reads what was claimed from a zone on another device, if it is there, and not on its way already.
    pub(super) fn take_up(&mut self, number: u32) -> Result<(), FolderError> {
        let Some(own) = self.zones.get(&number).and_then(Zone::own_claims) else { return Ok(()) };
        let claims = left(own)?;
        let unread: HashSet<&str> = self.unread.iter().map(String::as_str).collect();
        // One folder may be several zones, with an owner each.
        let is_its = |claim: &String| Claim::parse(claim).is_some_and(|claim| claim.zone == number);
        let is_new =
            |claim: &String| !unread.contains(claim.as_str()) && !self.taken.contains_key(claim.as_str());
        let new: Vec<String> = claims.into_iter().filter(|claim| is_its(claim) && is_new(claim)).collect();
        self.unread.extend(new);
        Ok(())
    }

    /// The same in a sweep.
    pub(super) fn take_up_or_tell(&mut self, number: u32, sweep: &mut Sweep) {
        if let Err(error) = self.take_up(number) {
            sweep.found.push(Found::Trouble { zone: number, error });
        }
    }

    /// Whether what was claimed from a zone lies on a drive that is not there.
    pub(super) fn is_away(&self, number: u32) -> bool {
        let is_it = |(of, zone): (u32, &super::numbers::Numbered)| of == number && zone.far;
        !self.zones.contains_key(&number) && self.numbers.all().any(is_it)
    }

    /// Opens and lets go what was asked for since the last time, and tries again what failed. A sweep does this too, but what is
    /// to be watched before it is swept has to be there before.
    pub fn update_zones(&mut self) {
        if self.wanted.unnumbered {
            match self.number_all() {
                Ok(()) => self.wanted.unnumbered = false,
                Err(error) if self.wanted.trouble.as_ref() == Some(&error) => {}
                Err(error) => {
                    self.wanted.trouble = Some(error.clone());
                    self.wanted.found.push(Found::Trouble { zone: MAIN_ZONE, error });
                }
            }
        }
        for number in self.wanted.closed.keys().copied().collect::<Vec<_>>() {
            let found = self.open_closed(number);
            self.wanted.found.extend(found);
        }
    }

    /// Gives each its number, and tells apart which are to be opened and which are let go.
    fn number_all(&mut self) -> Result<(), FolderError> {
        let numbers = self.numbers.of(&self.wanted.specs);
        self.numbers.write(&self.memory)?;
        self.know_owners();
        let wanted: BTreeSet<u32> = numbers.iter().copied().collect();
        self.let_go_others(&wanted);
        let specs = numbers.into_iter().zip(self.wanted.specs.iter().cloned());
        let is_open = |number: &u32| self.zones.get(number).is_some_and(|zone| zone.is_wanted);
        let mut closed = std::mem::take(&mut self.wanted.closed);
        let mut told = |number: &u32| closed.remove(number).and_then(|(_, told)| told);
        self.wanted.closed = specs
            .filter(|(number, _)| !is_open(number))
            .map(|(number, spec)| (number, (spec, told(&number))))
            .collect();
        Ok(())
    }

    /// What was claimed from them and is not dealt with keeps a zone's folder open, so that a refusal is put there.
    fn let_go_others(&mut self, wanted: &BTreeSet<u32>) {
        let taken = self.taken.keys().map(AsRef::as_ref).chain(self.unread.iter().map(String::as_str));
        let of_claims: BTreeSet<u32> = taken.filter_map(|claim| Some(Claim::parse(claim)?.zone)).collect();
        self.zones.retain(|number, zone| {
            let stays = *number == MAIN_ZONE || wanted.contains(number);
            if !stays {
                zone.let_go();
            }
            stays || of_claims.contains(number)
        });
        self.listed.retain(|candidate| candidate.zone == MAIN_ZONE || wanted.contains(&candidate.zone));
    }

    /// Opens one that is to be swept; what is to be said of it.
    fn open_closed(&mut self, number: u32) -> Option<Found> {
        let (spec, told) = self.wanted.closed.get(&number)?;
        let (place, told) = (spec.place.clone(), told.clone());
        match self.open_zone(number, &place) {
            Ok(()) => {
                self.wanted.closed.remove(&number);
                told.is_some().then_some(Found::Healed { zone: number })
            }
            Err(error) if told.as_ref() == Some(&error) => None,
            Err(error) => {
                let closed = self.wanted.closed.get_mut(&number);
                closed.into_iter().for_each(|(_, told)| *told = Some(error.clone()));
                Some(Found::Trouble { zone: number, error })
            }
        }
    }

    fn open_zone(&mut self, number: u32, place: &Path) -> Result<(), FolderError> {
        let is_far = self.numbers.all().any(|(of, zone)| of == number && zone.far);
        if is_far && !exists(place) && !self.is_far(place.parent().unwrap_or(place)) {
            // Its drive is not there: a folder in its place would hide that.
            let (path, errno) = (place.to_owned(), rustix::io::Errno::NOENT);
            return Err(FolderError::Io { doing: "find", path, errno });
        }
        self.add_zone(number, place)?;
        let is_far = self.zones.get(&number).is_some_and(|zone| zone.own_claims().is_some());
        self.numbers.set_far(number, is_far);
        // Where that cannot be written now it is with the next list; the zone is open all the same.
        let _ = self.numbers.write(&self.memory);
        Ok(())
    }

    /// Whether a folder is on another device than what the daemon remembers.
    fn is_far(&self, place: &Path) -> bool {
        let ours = self.memory.own_stat().map(|stat| stat.st_dev);
        rustix::fs::stat(place).is_ok_and(|stat| ours.is_ok_and(|ours| ours != stat.st_dev))
    }

    fn know_owners(&mut self) {
        let owners = std::iter::once((MAIN_ZONE, None)).chain(self.numbers.owners());
        self.whose = Arc::new(owners.collect());
    }
}
