//! Files that a power cut put back where they were dropped, though the journal has them.

use super::Mailbox;
use super::name::{Claim, Seq};
use super::still_written::Key;
use super::zone::Zone;
use std::collections::{BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::sync::Arc;

impl Mailbox {
    /// Which of these claims, of which the journal knows, a power cut has undone: their files lie where they were dropped.
    /// Of a folder that cannot be listed it may be all. They are claimed under the same names again. Of the `earlier` ones
    /// among them, made before the machine was started last, the file system may have brought back another change time.
    #[must_use]
    pub fn put_back(&mut self, known: &BTreeSet<Arc<str>>, earlier: &BTreeSet<Arc<str>>) -> Vec<Arc<str>> {
        let parsed = known.iter().filter_map(|claim| Some((Claim::parse(claim)?, claim)));
        let mut by_name: HashMap<(u32, &OsStr), Vec<&Arc<str>>> = HashMap::new();
        for (parts, claim) in parsed {
            by_name.entry((parts.zone, parts.name.as_ref())).or_default().push(claim);
        }
        let mut found = Vec::new();
        for (&number, zone) in &self.zones {
            let Ok(names) = zone.folder.names() else {
                found.extend(
                    by_name.iter().filter(|((of, _), _)| *of == number).flat_map(|(_, claims)| claims),
                );
                continue;
            };
            for name in names {
                let Some(claims) = by_name.get(&(number, name.as_os_str())) else { continue };
                let Some((claim, now, then)) = undone(zone, &name, claims, earlier) else { continue };
                found.push(claim);
                if now != then {
                    self.returned.insert(Key { zone: Some(number), name }, (now, then));
                }
            }
        }
        found.into_iter().cloned().collect()
    }

    /// As what a file is claimed: what it was claimed as before, if that was undone.
    pub(super) fn claimed_as(&self, key: &Key, seq: Seq) -> Seq {
        self.returned.get(key).filter(|(now, _)| *now == seq).map_or(seq, |(_, then)| *then)
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
