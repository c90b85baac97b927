//! Which files of a folder are opened by anybody: told by the kernel, so nothing can be missed or forgotten to be counted.

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;

/// Files that are opened in some folders, and the folders themselves where they are listed.
pub(crate) struct Opened {
    fd: OwnedFd,
    folders: Vec<(i32, String)>,
}

impl Opened {
    /// Looks at these folders from now on; each is called as it is said here.
    pub(crate) fn within(root: &Path, folders: &[String]) -> Self {
        let fd = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).expect("inotify");
        let watched = folders.iter().map(|folder| {
            let watch = inotify::add_watch(&fd, root.join(folder), WatchFlags::OPEN | WatchFlags::ACCESS)
                .expect("a folder");
            (watch, folder.clone())
        });
        let folders = watched.collect();
        Self { fd, folders }
    }

    /// What was opened since, each as often as it was; a folder that was listed ends in `/`.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut buffer = [MaybeUninit::uninit(); 16 << 10];
        let mut reader = Reader::new(&self.fd, &mut buffer);
        loop {
            match reader.next() {
                Ok(event) => {
                    assert!(!event.events().contains(ReadFlags::QUEUE_OVERFLOW), "events were lost");
                    let (listed, is_folder) = (ReadFlags::ACCESS, event.events().contains(ReadFlags::ISDIR));
                    if event.events().contains(listed) != is_folder {
                        continue; // a file that is read was opened before; a folder may be opened and not listed
                    }
                    let folder = self.folders.iter().find(|(watch, _)| *watch == event.wd());
                    let folder = folder.map_or("", |(_, folder)| folder.as_str());
                    let name = event.file_name().map(|name| name.to_string_lossy().into_owned());
                    names.push(format!("{folder}/{}", name.unwrap_or_default()));
                }
                Err(Errno::AGAIN) => return names,
                Err(Errno::INTR) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
}
