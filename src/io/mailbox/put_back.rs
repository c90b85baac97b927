//! Files that a power cut put back where they were dropped, though the journal has them.

use super::name::{Claim, Seq};
use super::still_written::Key;
use super::zone::Zone;
use super::{MAIN_ZONE, Mailbox, Returned};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;

impl Mailbox {
    /// Which of these claims, of which the journal knows, a power cut has undone: their files lie where they were dropped.
    /// Of a folder that cannot be listed it may be all. They are claimed under the same names again. Of the `earlier` ones
    /// among them, made before the machine was started last, the file system may have brought back another change time.
    #[must_use]
    pub fn put_back(&mut self, known: &BTreeSet<Arc<str>>, earlier: &BTreeSet<Arc<str>>) -> Vec<Arc<str>> {
        let parsed = known.iter().filter_map(|claim| Some((Claim::parse(claim)?, claim)));
        let mut by_name: HashMap<(&Path, &OsStr), Vec<&Arc<str>>> = HashMap::new();
        let mut found: Vec<&Arc<str>> = Vec::new();
        for (parts, claim) in parsed {
            match self.zones.get(&parts.zone) {
                Some(zone) => {
                    by_name.entry((zone.place(), parts.name.as_ref())).or_default().push(claim);
                }
                // On a drive that is not there.
                None if self.is_away(parts.zone) => found.push(claim),
                None => {}
            }
        }
        // One folder may have had several owners, and is several zones then.
        let places: BTreeMap<&Path, (u32, &Zone)> =
            self.zones.iter().map(|(number, zone)| (zone.place(), (*number, zone))).collect();
        let mut returned = HashMap::new();
        for (place, (_, zone)) in places {
            let Ok(names) = zone.folder.names() else {
                found.extend(
                    by_name.iter().filter(|((of, _), _)| *of == place).flat_map(|(_, claims)| claims),
                );
                continue;
            };
            for name in names {
                let Some(claims) = by_name.get(&(place, name.as_os_str())) else { continue };
                let Some((claim, now, then)) = undone(zone, &name, claims, earlier) else { continue };
                found.push(claim);
                let Some(of) = Claim::parse(claim).map(|claim| claim.zone) else { continue };
                returned.insert((place.to_owned(), name), Returned { now, then, zone: of });
            }
        }
        let found = found.into_iter().cloned().collect();
        self.returned.extend(returned);
        found
    }

    /// As what a file is claimed, and from which zone: as before, if a claim was undone.
    pub(super) fn claimed_as(&self, key: &Key, seq: Seq) -> (Seq, u32) {
        let number = key.zone.unwrap_or(MAIN_ZONE);
        let as_it_is = (seq, number);
        if self.returned.is_empty() {
            return as_it_is;
        }
        let place = self.zones.get(&number).map(|zone| (zone.place().to_owned(), key.name.clone()));
        let returned =
            place.and_then(|place| self.returned.get(&place)).filter(|returned| returned.now == seq);
        returned.map_or(as_it_is, |returned| (returned.then, returned.zone))
    }
}

/// Which of these claims was made of the file of this name; as what it lies there, and as what it was claimed.
///
/// A rename changes a file's change time. A file system that writes names and files apart (btrfs) may bring back the name of
/// before the claim and the file of after it. So after a start of the machine a file with the same inode number that was made
/// before the claim was, and changed after it, is taken for the claimed one too. A later one that got the inode number and
/// the name of one that is gone was made after it.
fn undone<'c>(
    zone: &Zone,
    name: &OsString,
    claims: &[&'c Arc<str>],
    earlier: &BTreeSet<Arc<str>>,
) -> Option<(&'c Arc<str>, Seq, Seq)> {
    let now = Seq::of(&zone.folder.stat(name).ok()?);
    if let Some(claim) = claims.iter().find(|claim| now.begins(claim)) {
        return Some((claim, now, now));
    }
    let thens = claims.iter().filter(|&&claim| earlier.contains(claim));
    let thens = thens.filter_map(|&claim| Some((claim, Seq::read(claim)?)));
    let (claim, then) =
        thens.filter(|(_, then)| then.is_same_file(now) && *then < now).max_by_key(|(_, then)| *then)?;
    let is_it = zone.folder.born_ns(name).is_some_and(|born_ns| then.is_since(born_ns));
    is_it.then_some((claim, now, then))
}
