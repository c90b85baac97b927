//! What the closed segments know, for a reader beside the writer: the lists as they were when it was made.

use super::closed::{Closed, Unusable};
use super::disk::Folder;
use super::fingerprints::{Finished, IdHash};
use super::{Journal, JournalError, ids_name};
use crate::engine::words::MessageId;

/// The lists of finished ids of all closed segments. Made anew after each turn.
#[derive(Debug, Clone)]
pub struct Archive {
    folder: Folder,
    closed: Vec<Closed>,
}

impl Journal {
    /// The archive as it is now, to be used on any thread.
    #[must_use]
    pub fn archive(&self) -> Archive {
        Archive { folder: self.disk.folder.clone(), closed: self.closed.clone() }
    }
}

impl Archive {
    /// What is known of a message that was finished in a closed segment; the last word, if it was finished more than
    /// once.
    ///
    /// # Errors
    /// [`JournalError::Io`] if the machine refuses or a list is damaged; the next start makes a damaged list again.
    pub fn known(&mut self, id: &MessageId) -> Result<Option<Finished>, JournalError> {
        let id = IdHash::of(id);
        for closed in self.closed.iter_mut().rev() {
            match closed.find(&self.folder, id) {
                Ok(None) => {}
                Ok(Some(finished)) => return Ok(Some(finished)),
                Err(Unusable::Failed(error)) => return Err(error),
                Err(Unusable::Bad(why)) => {
                    let source = std::io::Error::new(std::io::ErrorKind::InvalidData, why);
                    return Err(self.folder.error("use", &ids_name(closed.segment), source));
                }
            }
        }
        Ok(None)
    }
}
