//! What the agent leaves in files: messages dropped into `queue/`, and files of its own work.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{CWD, RenameFlags};
use rustix::io::Errno;
use serde_json::{Map, Value};

use super::turn::Places;
use crate::io::clock;

/// How often a message that finds no room on the disk is tried again, and the rest between: half a minute in all.
const ROOM_TRIES: u32 = 300;
const ROOM_REST: Duration = Duration::from_millis(100);

/// Drops messages under names that nobody else uses.
#[derive(Debug)]
pub(super) struct Mail {
    /// Where tasks are read from, too.
    pub(super) places: Places,
    dropped: u32,
}

impl Mail {
    pub(super) fn new(places: Places) -> Self {
        Self { places, dropped: 0 }
    }

    /// Writes messages as one file beside the queue's files and then gives it its name: a reader never sees a part of it,
    /// and no other file is replaced. A field without a value is left out, for tasuki to fill in. For a while it waits for room, if
    /// the disk is full.
    ///
    /// # Errors
    /// A sentence that says what could not be done.
    pub(super) fn send(&mut self, messages: &[Value]) -> Result<(), String> {
        let texts = messages.iter().map(text_of).collect::<Result<Vec<_>, _>>()?;
        let text = texts.join("---\n");
        let zone = self.places.drop_zone()?;
        let failed = |why| format!("cannot drop a message into {}: {why}", zone.display());
        let half = zone.join(format!(".scripted-{}.tmp", std::process::id()));
        let mut tries = 0;
        while let Err(why) = write_synced(&half, &text) {
            if why.kind() != io::ErrorKind::StorageFull || tries == ROOM_TRIES {
                return Err(failed(why));
            }
            tries += 1;
            clock::rest(ROOM_REST);
        }
        loop {
            self.dropped += 1;
            let whole = zone.join(format!("scripted-{}-{}.yaml", std::process::id(), self.dropped));
            match rustix::fs::renameat_with(CWD, &half, CWD, &whole, RenameFlags::NOREPLACE) {
                Ok(()) => return Ok(()),
                // An older process with this number left one: take the next name.
                Err(Errno::EXIST) => {}
                Err(why) => return Err(failed(why.into())),
            }
        }
    }
}

fn text_of(message: &Value) -> Result<String, String> {
    let fields = message.as_object().into_iter().flatten();
    let said: Map<String, Value> = fields
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    // Text that begins with a tab is a block scalar to serde-saphyr, which libyaml's readers refuse: quote it all.
    let options = serde_saphyr::ser_options! { prefer_block_scalars: false };
    serde_saphyr::to_string_with_options(&said, options)
        .map_err(|why| format!("cannot write a message: {why}"))
}

/// Writes a file of the agent's work, with its folders.
///
/// # Errors
/// A sentence that names the file.
pub(super) fn write_work(path: &str, text: &str) -> Result<(), String> {
    let file = PathBuf::from(path);
    let folder = file.parent().unwrap_or(Path::new(""));
    let folders = if folder.as_os_str().is_empty() { Ok(()) } else { std::fs::create_dir_all(folder) };
    folders.and_then(|()| std::fs::write(&file, text)).map_err(|why| format!("cannot write {path}: {why}"))
}

/// Adds a line to a file of the agent's work, with its folders, in one write.
///
/// # Errors
/// A sentence that names the file.
pub(super) fn append_work(path: &str, line: &str) -> Result<(), String> {
    let file = PathBuf::from(path);
    let append = || {
        if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)?;
        }
        let mut end = std::fs::File::options().create(true).append(true).open(&file)?;
        end.write_all(format!("{line}\n").as_bytes())
    };
    append().map_err(|why| format!("cannot write {path}: {why}"))
}

/// Not for everybody to write, whatever the umask: such a file is refused.
fn write_synced(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::options().create(true).truncate(true).write(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}
