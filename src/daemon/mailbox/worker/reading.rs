//! From the bytes of files to drafts. That is pure, and half of the work on a drop, so that several threads share it where
//! there are many.

use crate::daemon::mailbox::mail::Dropped;
use crate::engine::message::Source;
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::words::{AgentName, Millis, Token, USER};
use crate::io::chance::mint_id;
use crate::io::mailbox::Found;
use crate::wire::message::{draft, refused};
use chrono::Local;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Builder};

/// Files from which on a second thread helps: it takes 50 µs to start, a file of 1 KB 20 µs to read.
const SHARED_FILES: usize = 32;
/// Files that a thread takes at a time.
const PIECE: usize = 8;

/// What files are read with.
pub(super) struct Reading<'a> {
    /// Names that a file's name may hold.
    pub(super) names: &'a BTreeSet<String>,
    /// Whose each zone is.
    pub(super) whose: &'a BTreeMap<u32, Option<AgentName>>,
    /// When they are read.
    pub(super) wall: Millis,
}

impl Reading<'_> {
    /// What each file says, in their order.
    pub(super) fn read_all(&self, files: &[Found]) -> Vec<Dropped> {
        if files.len() < SHARED_FILES || is_alone() {
            return files.iter().filter_map(|file| self.read(file)).collect();
        }
        let next = AtomicUsize::new(0);
        let mut read = thread::scope(|scope| {
            let helper =
                Builder::new().name("reader".to_owned()).spawn_scoped(scope, || self.share(files, &next));
            let mut read = self.share(files, &next);
            // Where the system gives no thread, this one has read them all.
            if let Ok(helper) = helper {
                read.extend(helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            read
        });
        read.sort_unstable_by_key(|(piece, _)| *piece);
        read.into_iter().flat_map(|(_, dropped)| dropped).collect()
    }

    /// Reads pieces of what nobody has taken yet; which, and what they say.
    fn share(&self, files: &[Found], next: &AtomicUsize) -> Vec<(usize, Vec<Dropped>)> {
        let mut read = Vec::new();
        loop {
            let piece = next.fetch_add(1, Ordering::Relaxed);
            let Some(files) = files.chunks(PIECE).nth(piece) else { return read };
            read.push((piece, files.iter().filter_map(|file| self.read(file)).collect()));
        }
    }

    fn read(&self, file: &Found) -> Option<Dropped> {
        match file {
            Found::Read { claim, name, bytes, zone } => Some(match self.whose.get(zone) {
                Some(owner) => self.parse(claim, name, bytes, owner.as_ref()),
                None => self.bad(claim, name, (None, None), of_no_zone()),
            }),
            Found::Bad { claim, name, refusal, zone } => {
                let owner = self.whose.get(zone).cloned().flatten();
                Some(self.bad(claim, name, (owner, None), refusal.clone()))
            }
            _ => None,
        }
    }

    fn parse(&self, claim: &Arc<str>, name: &Arc<str>, bytes: &[u8], owner: Option<&AgentName>) -> Dropped {
        match draft::read(bytes, Some(name), &|name| self.knows(name), &mut mint_id, self.wall, &Local) {
            Ok(mut drafts) => {
                for draft in &mut drafts {
                    draft.from = draft.from.take().or_else(|| owner.cloned());
                }
                Dropped::Drafts { source: source(claim, name), drafts, proof: owner.cloned() }
            }
            Err(refusal) => {
                let sender = match owner {
                    Some(owner) => (Some(owner.clone()), None), // whatever it says
                    None => (refused::sender(bytes, refusal.document), refused::token(bytes)),
                };
                self.bad(claim, name, sender, refusal)
            }
        }
    }

    /// Whom the body names, and its token, which win over the file's name.
    fn bad(
        &self,
        claim: &Arc<str>,
        name: &Arc<str>,
        (from, token): (Option<AgentName>, Option<Token>),
        refusal: Refusal,
    ) -> Dropped {
        let named = || draft::envelope(name, &|name| self.knows(name)).map(|(from, _)| from);
        Dropped::Bad { source: source(claim, name), from: from.or_else(named), token, refusal }
    }

    fn knows(&self, name: &str) -> bool {
        name == USER || self.names.contains(name)
    }
}

/// Whether there is one thread only: chance that is given, is given to one.
#[cfg(test)]
fn is_alone() -> bool {
    crate::io::fake::is_on()
}

#[cfg(not(test))]
const fn is_alone() -> bool {
    false
}

/// A claim from a zone that `.tasuki/zones.json` does not name: it may be an agent's own, so nobody may be its sender.
fn of_no_zone() -> Refusal {
    let why =
        "nobody knows any more which folder it was dropped in: .tasuki/zones.json was removed or is broken";
    Refusal::new(Code::Unavailable, why)
}

fn source(claim: &Arc<str>, name: &Arc<str>) -> Source {
    Source::File { claim: claim.clone(), name: name.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_files_are_read_in_their_order_and_each_once() {
        let names = BTreeSet::from(["worker".to_owned()]);
        let whose = BTreeMap::from([(0, None)]);
        let reading = Reading { names: &names, whose: &whose, wall: Millis(1) };
        for count in [0, 1, SHARED_FILES - 1, SHARED_FILES, SHARED_FILES * 10 + 3] {
            let file = |number: usize| {
                let (claim, name) = (format!("{number}").into(), format!("{number}.yaml").into());
                let text = if number % 7 == 3 { "to: [" } else { "to: worker\ncontent: 襷 😀\n" };
                Found::Read { claim, name, zone: 0, bytes: text.as_bytes().to_vec() }
            };
            let files: Vec<Found> = (0..count).map(file).collect();
            let read = reading.read_all(&files);
            let seen = |dropped: &Dropped| match dropped {
                Dropped::Drafts { source: Source::File { claim, .. }, drafts, .. } => {
                    format!("{claim} {}", drafts.len())
                }
                Dropped::Bad { source: Source::File { claim, .. }, .. } => format!("{claim} bad"),
                other => format!("{other:?}"),
            };
            let wanted =
                (0..count).map(|number| format!("{number} {}", if number % 7 == 3 { "bad" } else { "1" }));
            assert_eq!(read.iter().map(seen).collect::<Vec<_>>(), wanted.collect::<Vec<_>>());
        }
    }
}
