//! A message that no daemon takes now is left in `queue/`, durably, and in nobody's way.

use super::context::Ended;
use super::failure::Failure;
use super::table::harmless;
use crate::engine::message::Draft;
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::words::{MessageId, Millis};
use crate::io::chance::mint_id;
use crate::io::folder::Folder;
use crate::io::lock;
use crate::io::workspace::Workspace;
use crate::wire::FILE_BYTES_MAX;
use crate::wire::message::{draft, json};
use chrono::Local;
use rustix::io::Errno;
use serde_json::Value;
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// Where a message lies that no daemon has taken yet.
pub(super) fn drop_file(workspace: &Workspace, id: &MessageId) -> PathBuf {
    workspace.queue().join(name_of(id))
}

/// How many files are looked into for a message that nobody has taken yet.
const SEARCHED_MAX: usize = 1_000;

/// Where a message lies that nobody knows, in words; none if it is nowhere.
pub(super) fn lies(workspace: &Workspace, id: &MessageId) -> Option<String> {
    let own = Some(drop_file(workspace, id)).filter(|path| is_of(path, id));
    let found = own.or_else(|| {
        let entries = std::fs::read_dir(workspace.queue()).into_iter().flatten().flatten();
        let mut paths = entries.map(|entry| entry.path()).filter(|path| {
            path.extension().is_some_and(|end| end == "yaml")
                && path.symlink_metadata().is_ok_and(|meta| meta.is_file())
        });
        paths.by_ref().take(SEARCHED_MAX).find(|path| is_of(path, id))
    });
    if let Some(path) = found {
        let name = path.file_name().unwrap_or_default().display();
        let runs = matches!(lock::holder(&workspace.lock()), Ok(Some(_)));
        let waits = if runs {
            "the daemon has not taken it yet (`tasuki status`)"
        } else {
            "it waits for a daemon (`tasuki up`)"
        };
        return Some(harmless(&format!("{id} is not accepted yet: it is in queue/{name}, and {waits}")));
    }
    let lost = workspace.lost().join(format!("{id}.yaml"));
    lost.is_file().then(|| {
        format!("{id} was accepted once and is not in the journal: it is kept in queue/lost/{id}.yaml (see `tasuki status`)")
    })
}

fn is_of(path: &Path, id: &MessageId) -> bool {
    let open = crate::io::regular::open(OpenOptions::new().read(true), path);
    open.ok().and_then(read).is_some_and(|draft| draft.id == *id)
}

fn name_of(id: &MessageId) -> String {
    format!("send-{id}.yaml")
}

/// Whole or not at all: written under a name that nobody reads, made durable, renamed, and the name made durable. What was
/// left there under the same id before stays: it is the same message, or this one is refused.
///
/// # Errors
/// `id-conflict`, and what the system says.
pub(super) fn drop_in_queue(workspace: &Workspace, message: &Value, id: &MessageId) -> Ended {
    let options = serde_saphyr::ser_options! { prefer_block_scalars: false };
    let text = serde_saphyr::to_string_with_options(message, options).map_err(io::Error::other)?;
    let part = format!(".send-{id}-{}.tmp", std::process::id());
    let path = workspace.queue().join(&part);
    let dropped = write(&path, &text)
        .map_err(Failure::at(&path))
        .and_then(|()| name(workspace, OsStr::new(&part), OsStr::new(&name_of(id)), message));
    if !matches!(dropped, Ok(true)) {
        let _ = std::fs::remove_file(&path); // nothing was sent, or it was there before, and nothing is left of this
    }
    let queue = workspace.queue();
    dropped.and_then(|_| File::open(&queue)?.sync_all().map_err(Failure::at(&queue)))
}

/// Writes a drop durably under a name that nobody reads.
fn write(part: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(part)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Gives it its name; false if the same message has that already.
fn name(workspace: &Workspace, part: &OsStr, name: &OsStr, message: &Value) -> Result<bool, Failure> {
    let queue = Folder::open(&workspace.queue())?;
    loop {
        match queue.rename_new(part, &queue, name) {
            Ok(()) => return Ok(true),
            Err(Errno::EXIST) => {}
            Err(errno) => return Err(queue.failed("rename", part, errno).into()),
        }
        let there = match queue.read(name) {
            Err(Errno::NOENT) => continue, // a daemon took it meanwhile
            Ok(file) if file.metadata()?.is_file() => read(file),
            _ => return Err(queue.failed("rename", name, Errno::EXIST).into()),
        };
        let ours = json::read(message, &mut mint_id, Millis(0), &Local)?;
        if there.is_some_and(|there| there.id == ours.id && there.digest == ours.digest) {
            return Ok(false);
        }
        let why = format!("queue/{} already waits with other content", name.display());
        return Err(Refusal::new(Code::IdConflict, why).at("id").into());
    }
}

/// The message that lies there, if there is one.
fn read(file: File) -> Option<Draft> {
    let mut bytes = Vec::new();
    file.take(FILE_BYTES_MAX as u64).read_to_end(&mut bytes).ok()?;
    let drafts = draft::read(&bytes, None, &|_| false, &mut mint_id, Millis(0), &Local).ok()?;
    <[Draft; 1]>::try_from(drafts).ok().map(|[draft]| draft)
}
