//! `.tasuki/zones.json`: the numbers of the drop zones. A claim carries the number of its zone, so a number means one place and
//! one owner for ever: whoever edits the team file between a claim and the next start makes nobody else the sender of it.

use super::zone::exists;
use crate::engine::words::AgentName;
use crate::io::folder::{Folder, FolderError};
use crate::wire::zone::ZoneSpec;
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

const NAME: &str = "zones.json";
/// Where what could not be understood is kept.
const BROKEN: &str = "zones.json.broken";
/// Largest file that is read: some thousand zones with the longest paths there are.
const FILE_BYTES_MAX: u64 = 8 << 20;
/// Numbers that are kept of zones that nobody wants any more; their folders are gone by then.
const OLD_MAX: usize = 1_000;

/// The numbers, as they are on the disk.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// The highest number that was ever given.
    last: u32,
    zones: BTreeMap<u32, Numbered>,
    /// Whether the disk does not have all of it.
    unwritten: bool,
}

/// A zone that has a number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Numbered {
    number: u32,
    pub(super) place: PathBuf,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owner: Option<String>,
    /// Whether its claims lie in itself, since it is on another device than `.tasuki/`.
    #[serde(default)]
    pub(super) far: bool,
    /// Whether it is swept; else it only was.
    #[serde(default)]
    swept: bool,
}

#[derive(Debug, Serialize, Deserialize)]
struct Page {
    last: u32,
    zones: Vec<Numbered>,
}

impl Numbers {
    /// Reads them. `highest` is the highest number in a claim that is there: it is not given again, whatever the file says.
    pub(super) fn read(memory: &Folder, highest: u32) -> Self {
        let mut numbers = match page(memory) {
            Ok(page) => {
                let zones = page.zones.into_iter().map(|zone| (zone.number, zone)).collect();
                Self { last: page.last, zones, unwritten: false }
            }
            Err(None) => Self::default(),
            Err(Some(why)) => {
                tracing::error!(
                    why,
                    "{NAME} cannot be understood and is kept as {BROKEN}; drop zones get new numbers"
                );
                let _ = memory.replace(NAME.as_ref(), BROKEN.as_ref());
                Self::default()
            }
        };
        let given = numbers.zones.keys().next_back().copied().unwrap_or_default();
        numbers.last = numbers.last.max(highest).max(given);
        numbers
    }

    /// The number of each of these, in their order; a new one has one from now on, once it is [written](Self::write).
    pub(super) fn of(&mut self, specs: &[ZoneSpec]) -> Vec<u32> {
        let each = |spec: &ZoneSpec| {
            let owner = spec.owner.as_ref().map(AgentName::as_str);
            let known =
                self.zones.values().find(|zone| zone.place == spec.place && zone.owner.as_deref() == owner);
            if let Some(known) = known {
                return known.number;
            }
            // Whoever wrote the highest number there is into it, or into the name of a claim, gets one that is free.
            let free = || (1..u32::MAX).find(|number| !self.zones.contains_key(number)).unwrap_or(u32::MAX);
            let number = self.last.checked_add(1).unwrap_or_else(free);
            self.last = number.max(self.last);
            let (place, owner) = (spec.place.clone(), owner.map(str::to_owned));
            self.zones.insert(number, Numbered { number, place, owner, far: false, swept: true });
            self.unwritten = true;
            number
        };
        let numbers: Vec<u32> = specs.iter().map(each).collect();
        for zone in self.zones.values_mut() {
            let swept = numbers.contains(&zone.number);
            self.unwritten |= zone.swept != swept;
            zone.swept = swept;
        }
        self.forget_old(&numbers);
        numbers
    }

    /// Makes them durable: before anything is claimed under a new one.
    pub(super) fn write(&mut self, memory: &Folder) -> Result<(), FolderError> {
        if !self.unwritten {
            return Ok(());
        }
        let page = Page { last: self.last, zones: self.zones.values().cloned().collect() };
        let text = serde_json::to_string_pretty(&page).unwrap_or_default();
        let failed = |errno| memory.failed("write", NAME.as_ref(), errno);
        memory.write_durably(NAME.as_ref(), &text).map_err(failed)?;
        rustix::fs::fsync(memory).map_err(failed)?;
        self.unwritten = false;
        Ok(())
    }

    /// This zone is on another device, or is not any more.
    pub(super) fn set_far(&mut self, number: u32, far: bool) {
        if let Some(zone) = self.zones.get_mut(&number).filter(|zone| zone.far != far) {
            zone.far = far;
            self.unwritten = true;
        }
    }

    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = (u32, &Numbered)> {
        self.zones.iter().map(|(number, zone)| (*number, zone))
    }

    /// Whose each zone is, none for those that are nobody's.
    pub(super) fn owners(&self) -> impl Iterator<Item = (u32, Option<AgentName>)> {
        // A name that is none was never written by us; what lies in such a zone is refused as of no known zone.
        self.zones.iter().filter_map(|(number, zone)| match &zone.owner {
            Some(owner) => Some((*number, Some(AgentName::new(owner).ok()?))),
            None => Some((*number, None)),
        })
    }

    fn forget_old(&mut self, wanted: &[u32]) {
        let surplus = self.zones.len().saturating_sub(wanted.len() + OLD_MAX);
        let is_gone = |zone: &Numbered| !zone.far && !exists(&zone.place);
        let old = self.zones.values().filter(|zone| !wanted.contains(&zone.number) && is_gone(zone));
        let old: Vec<u32> = old.take(surplus).map(|zone| zone.number).collect();
        self.unwritten |= !old.is_empty();
        old.iter().for_each(|number| drop(self.zones.remove(number)));
    }
}

/// The drop zones besides `queue/` that the daemon of a workspace sweeps, or swept last; the workspace's `.tasuki/` is at `memory`.
#[must_use]
pub fn swept(memory: &Path) -> Vec<PathBuf> {
    let page = Folder::open(memory).ok().and_then(|memory| page(&memory).ok());
    let zones = page.into_iter().flat_map(|page| page.zones);
    zones.filter(|zone| zone.swept).map(|zone| zone.place).collect()
}

/// What the file says; none if there is none.
fn page(memory: &Folder) -> Result<Page, Option<String>> {
    let file = match memory.read(NAME.as_ref()) {
        Ok(file) => file,
        Err(Errno::NOENT) => return Err(None),
        Err(errno) => return Err(Some(errno.to_string())),
    };
    let mut text = String::new();
    file.take(FILE_BYTES_MAX).read_to_string(&mut text).map_err(|error| Some(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| Some(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(place: &str, owner: Option<&str>) -> ZoneSpec {
        let owner = owner.map(|name| AgentName::new(name).unwrap());
        ZoneSpec { place: place.into(), owner, status: None }
    }

    #[test]
    fn a_number_means_one_place_and_one_owner_for_ever() {
        let root = tempfile::tempdir().unwrap();
        let memory = Folder::open(root.path()).unwrap();
        let mut numbers = Numbers::read(&memory, 0);
        let (a, owned, emoji) = (spec("/a", None), spec("/a", Some("ann")), spec("/郵便 📮", None));
        assert_eq!(numbers.of(&[a.clone(), emoji.clone()]), [1, 2]);
        numbers.write(&memory).unwrap();
        let mut numbers = Numbers::read(&memory, 0);
        assert_eq!(numbers.of(&[emoji.clone(), owned.clone()]), [2, 3], "with an owner it is another one");
        assert_eq!(
            numbers.of(std::slice::from_ref(&a)),
            [1],
            "one that was taken out and put in again is the same"
        );
        numbers.write(&memory).unwrap();
        let whose: Vec<_> = Numbers::read(&memory, 0).owners().collect();
        assert_eq!(whose, [(1, None), (2, None), (3, owned.owner)]);
        std::fs::remove_file(root.path().join(NAME)).unwrap();
        assert_eq!(
            Numbers::read(&memory, 7).of(std::slice::from_ref(&a)),
            [8],
            "a claim has 7: it stays nobody's"
        );
        assert_eq!(
            Numbers::read(&memory, u32::MAX).of(&[a.clone(), emoji]),
            [1, 2],
            "and no number is too high"
        );
        std::fs::write(root.path().join(NAME), "{").unwrap();
        assert_eq!(Numbers::read(&memory, 0).of(&[a]), [1]);
        assert!(root.path().join(BROKEN).exists());
    }

    #[test]
    fn numbers_of_folders_that_are_gone_do_not_pile_up() {
        let root = tempfile::tempdir().unwrap();
        let mut numbers = Numbers::default();
        let there = spec(root.path().to_str().unwrap(), None);
        numbers.of(std::slice::from_ref(&there));
        for at in 0..OLD_MAX + 50 {
            numbers.of(&[spec(&format!("/nowhere/{at}"), None)]);
        }
        assert_eq!(numbers.zones.len(), OLD_MAX + 1);
        assert_eq!(numbers.of(&[there]), [1], "that folder is there");
    }
}
