//! What the closed segments know, for a reader beside the writer: the lists as they were when it was made.

use super::closed::{Closed, Unusable};
use super::disk::{Disk, Folder};
use super::error::JournalError;
use super::fingerprints::{Extract, FinishedEntry};
use super::id_hash::IdHash;
use super::names::ids_name;
use super::read::Reader;
use super::writer::Journal;
use crate::engine::words::MessageId;

/// The lists of finished ids of all closed segments. Made anew after each turn.
#[derive(Debug, Clone)]
pub struct Archive {
    folder: Folder,
    closed: Vec<Closed>,
    extract: Extract,
}

impl Journal {
    /// The archive as it is now, to be used on any thread.
    #[must_use]
    pub fn archive(&self) -> Archive {
        Archive { folder: self.disk.folder.clone(), closed: self.closed.clone(), extract: self.extract }
    }
}

impl Reader {
    /// What the list of a closed segment says of a message; none where there is no list that can be used: then the segment
    /// itself says it.
    ///
    /// # Errors
    /// [`JournalError::Io`] if the machine refuses.
    pub fn known_in(
        &self,
        segment: u32,
        id: &MessageId,
    ) -> Result<Option<Option<FinishedEntry>>, JournalError> {
        let found =
            Closed::load(&self.folder, segment).and_then(|closed| closed.find(&self.folder, IdHash::of(id)));
        match found {
            Ok(found) => Ok(Some(found)),
            Err(Unusable::Bad(_)) => Ok(None),
            Err(Unusable::Failed(error)) => Err(error),
        }
    }
}

impl Archive {
    /// What is known of a message that was finished in a closed segment; the last word, if it was finished more than
    /// once. Those of the segment that is being written are the caller's to know: they are in what was replayed.
    ///
    /// # Errors
    /// [`JournalError::Io`] if the machine refuses. A damaged list is made again from its segment, which nobody writes to
    /// any more: an id that cannot be looked up would be taken for a new one.
    pub fn known(&mut self, id: &MessageId) -> Result<Option<FinishedEntry>, JournalError> {
        let id = IdHash::of(id);
        for closed in self.closed.iter_mut().rev() {
            let found = match closed.find(&self.folder, id) {
                Err(Unusable::Bad(_)) => {
                    let mut disk = Disk::new(self.folder.clone());
                    *closed = Closed::rebuild(&mut disk, closed.segment, self.extract)?;
                    closed.find(&self.folder, id)
                }
                found => found,
            };
            match found {
                Ok(None) => {}
                Ok(Some(finished)) => return Ok(Some(finished)),
                Err(Unusable::Failed(error)) => return Err(error),
                Err(Unusable::Bad(why)) => {
                    let source = std::io::Error::new(std::io::ErrorKind::InvalidData, why);
                    return Err(self.folder.error("make again", &ids_name(closed.segment), source));
                }
            }
        }
        Ok(None)
    }
}
