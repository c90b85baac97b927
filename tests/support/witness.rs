//! Sees every write in the folders of views: a view that is written under its own name is half a view to whoever reads it just
//! then, however short that moment is. The kernel tells of it whether anybody looks or not.

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// What a file under a view's name may not meet with.
const IN_PLACE: ReadFlags = ReadFlags::CREATE.union(ReadFlags::MODIFY);

/// Watches folders of views.
pub(crate) struct Witness {
    events: OwnedFd,
    folders: BTreeMap<i32, PathBuf>,
}

/// What was seen.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// How often a whole view got its name.
    pub(crate) placed: BTreeMap<PathBuf, usize>,
    /// Views that were made or written under their own name, once for each time.
    pub(crate) in_place: Vec<PathBuf>,
}

impl Witness {
    /// Sees what happens in these folders from now on.
    pub(crate) fn of(folders: impl IntoIterator<Item = PathBuf>) -> Self {
        let events = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).expect("a watch");
        let mut witness = Self { events, folders: BTreeMap::new() };
        for folder in folders {
            let flags = WatchFlags::CREATE | WatchFlags::MODIFY | WatchFlags::MOVED_TO | WatchFlags::ONLYDIR;
            let number = inotify::add_watch(&witness.events, &folder, flags).expect("a folder");
            witness.folders.insert(number, folder);
        }
        witness
    }

    /// What was seen of files whose names end in `.yaml` and begin with no dot, since it was asked last.
    pub(crate) fn seen(&self) -> Seen {
        let mut buffer = [MaybeUninit::uninit(); 16_384];
        let mut reader = Reader::new(&self.events, &mut buffer);
        let mut seen = Seen::default();
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(Errno::AGAIN) => return seen,
                Err(errno) => panic!("what happened cannot be read: {errno}"),
            };
            assert!(!event.events().contains(ReadFlags::QUEUE_OVERFLOW), "more happened than can be told");
            let name = event.file_name().map(|name| name.to_string_lossy().into_owned());
            let Some(name) = name.filter(|name| name.ends_with(".yaml") && !name.starts_with('.')) else {
                continue;
            };
            let path = self.folders.get(&event.wd()).map_or(Path::new(""), PathBuf::as_path).join(name);
            if event.events().intersects(IN_PLACE) {
                seen.in_place.push(path);
            } else {
                *seen.placed.entry(path).or_default() += 1;
            }
        }
    }
}
