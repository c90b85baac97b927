//! Wakes the daemon when something happens in a folder. inotify is a hint and the listing is the truth: events are lost in a
//! burst, network file systems send none, and a folder that is moved away takes its watch along. So whoever watches also
//! sweeps ([`Period`]), and [`Watch::check`] is called at each sweep.

use super::folder::Folder;
use crate::engine::words::Millis;
use notify::event::{AccessKind, AccessMode, CreateKind, EventKind, ModifyKind, RenameMode};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What is worth waking up for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interest {
    /// Files that came or were written, called `*.yaml` or `*.yml`, and `STOP` coming and going: a drop zone.
    Arrivals,
    /// Any change to a `*.yaml`, removal too: a folder of views.
    Changes,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal<'a> {
    File(&'a Path),
    /// Anything: events were lost, or a folder was moved or removed.
    Anything,
}

/// Watches folders, each without those in it.
pub struct Watch {
    watcher: Result<RecommendedWatcher, String>,
    places: BTreeMap<PathBuf, Place>,
}

#[derive(Debug, Default)]
struct Place {
    /// The folder that is watched under this path. It is kept open, since a number of a removed one is used again at once.
    folder: Option<Folder>,
    /// Why it is not watched.
    trouble: Option<String>,
}

impl Watch {
    /// Starts watching nothing. `wake` is called on a thread of its own and must not block: it sets a flag, or tries to send.
    pub fn start(interest: Interest, wake: impl Fn(Signal<'_>) + Send + 'static) -> Self {
        let handler = move |event: notify::Result<Event>| match event {
            Ok(event) => signal(interest, &event, &wake),
            Err(_) => wake(Signal::Anything),
        };
        let watcher = notify::recommended_watcher(handler);
        Self { watcher: watcher.map_err(|error| error.to_string()), places: BTreeMap::new() }
    }

    /// Watches nothing, as where there is no inotify.
    #[cfg(test)]
    pub(crate) fn none() -> Self {
        Self { watcher: Err("there is none".to_owned()), places: BTreeMap::new() }
    }

    /// Watches a folder from now on. List it afterwards: what came before does not wake.
    pub fn follow(&mut self, place: &Path) {
        self.places.entry(place.to_owned()).or_default();
        self.check();
    }

    /// Watches a folder no longer.
    pub fn leave(&mut self, place: &Path) {
        if self.places.remove(place).is_some()
            && let Ok(watcher) = &mut self.watcher
        {
            let _ = watcher.unwatch(place);
        }
    }

    /// Watches again where a path means another folder than before. True if there was one: it must be listed.
    pub fn check(&mut self) -> bool {
        let Ok(watcher) = &mut self.watcher else { return false };
        let mut changed = false;
        for (path, place) in &mut self.places {
            if place.folder.as_ref().is_some_and(|folder| folder.is_at(path)) {
                continue;
            }
            if place.folder.take().is_some() {
                let _ = watcher.unwatch(path); // the folder that is gone
            }
            let Ok(folder) = Folder::open(path) else { continue };
            place.trouble = match watcher.watch(path, RecursiveMode::NonRecursive) {
                Ok(()) => silent(path).map(str::to_owned),
                Err(error) => Some(error.to_string()),
            };
            place.folder = Some(folder);
            changed = true;
        }
        changed
    }

    /// Why something is polled, in words; none if everything is watched.
    #[must_use]
    pub fn polling(&self) -> Option<String> {
        let sentence = |what: &str, why: &str| {
            format!(
                "{what} is checked once a second, since inotify cannot watch it: {why}; see `tasuki doctor`"
            )
        };
        match &self.watcher {
            Err(error) => Some(sentence("every folder", error)),
            Ok(_) => self.places.iter().find_map(|(path, place)| {
                Some(sentence(&path.display().to_string(), place.trouble.as_ref()?))
            }),
        }
    }
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("places", &self.places).finish_non_exhaustive()
    }
}

/// When the next sweep is due whatever inotify says.
#[derive(Debug, Clone, Copy)]
pub struct Period {
    active_at: Millis,
}

/// While files come, a lost event costs at most this (durability, step 0).
const SOON_MS: u64 = 5_000;
/// An idle daemon wakes once a minute for it.
const IDLE_MS: u64 = 60_000;
/// How long after the last file the short period holds.
const ACTIVE_MS: u64 = 60_000;
/// Where there is no inotify, drops are found within a second.
const POLL_MS: u64 = 1_000;

impl Period {
    /// Begins with the short period.
    #[must_use]
    pub fn new(now: Millis) -> Self {
        Self { active_at: now }
    }

    /// Something was found.
    pub fn active(&mut self, now: Millis) {
        self.active_at = now;
    }

    /// Time until the next sweep.
    #[must_use]
    pub fn next_in_ms(&self, now: Millis, polling: bool) -> u64 {
        match now.since(self.active_at) {
            _ if polling => POLL_MS,
            0..ACTIVE_MS => SOON_MS,
            _ => IDLE_MS,
        }
    }
}

/// Tells of an event, unless it is of no interest: reading a file makes some, and so does claiming it.
fn signal(interest: Interest, event: &Event, wake: &impl Fn(Signal<'_>)) {
    if event.need_rescan() || event.paths.is_empty() {
        return wake(Signal::Anything);
    }
    let came = matches!(
        event.kind,
        EventKind::Create(CreateKind::File | CreateKind::Any | CreateKind::Other)
            | EventKind::Access(AccessKind::Close(AccessMode::Write))
            | EventKind::Modify(ModifyKind::Name(RenameMode::To))
    );
    let went =
        matches!(event.kind, EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(RenameMode::From)));
    for path in &event.paths {
        let name = path.file_name().unwrap_or_default().as_encoded_bytes().to_ascii_lowercase();
        let yaml = name.ends_with(b".yaml") || name.ends_with(b".yml");
        let told = match interest {
            Interest::Arrivals => came && yaml || (came || went) && name == b"stop",
            Interest::Changes => (came || went) && yaml,
        };
        if told {
            wake(Signal::File(path));
        } else if went && !name.contains(&b'.') {
            wake(Signal::Anything); // perhaps the folder itself; temporary files have a dot
        }
    }
}

/// Why a file system does not tell of changes: what another machine does is not seen here (notify, known problems).
fn silent(path: &Path) -> Option<&'static str> {
    match rustix::fs::statfs(path).ok()?.f_type as u64 & 0xFFFF_FFFF {
        0x6969 => Some("NFS does not report changes"),
        0xFF53_4D42 | 0xFE53_4D42 | 0x517B => Some("CIFS does not report changes"),
        0x0102_1997 => Some("9p does not report changes"),
        0x6573_5546 => Some("FUSE does not always report changes"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::sync::mpsc::{Receiver, sync_channel};
    use std::time::Duration;

    /// A watched folder and the names that woke; `*` for anything.
    fn watched(interest: Interest) -> (tempfile::TempDir, PathBuf, Watch, Receiver<String>) {
        let root = tempfile::tempdir().unwrap();
        let queue = root.path().join("queue");
        fs::create_dir(&queue).unwrap();
        let (tell, told) = sync_channel(10_000);
        let mut watch = Watch::start(interest, move |signal| {
            let name = match signal {
                Signal::File(path) => path.file_name().unwrap().to_string_lossy().into_owned(),
                Signal::Anything => "*".to_owned(),
            };
            let _ = tell.try_send(name);
        });
        watch.follow(&queue);
        assert_eq!(watch.polling(), None);
        (root, queue, watch, told)
    }

    /// What was told before `last` was; fails if that never comes.
    fn until(told: &Receiver<String>, last: &str) -> Vec<String> {
        let mut names = Vec::new();
        loop {
            let name = told.recv_timeout(Duration::from_secs(20)).expect(last);
            if name == last {
                return names;
            }
            names.push(name);
        }
    }

    #[test]
    fn a_drop_wakes_however_it_comes_and_taking_it_does_not() {
        let (_root, queue, _watch, told) = watched(Interest::Arrivals);
        fs::write(queue.join("written.yaml"), "x").unwrap();
        until(&told, "written.yaml");
        fs::write(queue.join(".tmp"), "x").unwrap();
        fs::rename(queue.join(".tmp"), queue.join("renamed.yaml")).unwrap();
        until(&told, "renamed.yaml");
        fs::hard_link(queue.join("renamed.yaml"), queue.join("linked.yaml")).unwrap();
        until(&told, "linked.yaml");

        fs::write(queue.join("first.yaml"), "x").unwrap();
        until(&told, "first.yaml");
        for name in ["written.yaml", "renamed.yaml", "linked.yaml"] {
            fs::read(queue.join(name)).unwrap();
            fs::remove_file(queue.join(name)).unwrap();
        }
        fs::write(queue.join("README.md"), "of no concern").unwrap();
        fs::write(queue.join("last.yaml"), "x").unwrap();
        let between = until(&told, "last.yaml");
        assert!(between.iter().all(|name| name == "first.yaml"), "{between:?}");
        fs::write(queue.join(".tmp"), "x").unwrap();
        fs::rename(queue.join(".tmp"), queue.join("end.yaml")).unwrap();
        assert_eq!(until(&told, "end.yaml"), ["last.yaml"; 1]);
    }

    #[test]
    fn stop_wakes_when_it_comes_and_when_it_goes() {
        let (_root, queue, _watch, told) = watched(Interest::Arrivals);
        fs::write(queue.join("STOP"), "").unwrap();
        until(&told, "STOP");
        fs::write(queue.join("mark.yaml"), "").unwrap();
        until(&told, "mark.yaml");
        fs::remove_file(queue.join("STOP")).unwrap();
        until(&told, "STOP");
    }

    #[test]
    fn a_folder_that_is_made_anew_is_watched_again() {
        let (root, queue, mut watch, told) = watched(Interest::Arrivals);
        assert!(!watch.check(), "nothing changed");
        fs::rename(&queue, root.path().join("old")).unwrap();
        until(&told, "*");
        assert!(!watch.check(), "there is none yet");
        fs::create_dir(&queue).unwrap();
        assert!(watch.check(), "to be listed");
        fs::write(queue.join("a.yaml"), "x").unwrap();
        until(&told, "a.yaml");
        fs::remove_dir_all(&queue).unwrap();
        fs::create_dir(&queue).unwrap();
        assert!(watch.check());
        fs::write(queue.join("b.yaml"), "x").unwrap();
        until(&told, "b.yaml");
        watch.leave(&queue);
        assert!(!watch.check());
    }

    #[test]
    fn a_change_to_a_view_wakes_and_so_does_its_removal() {
        let (_root, views, _watch, told) = watched(Interest::Changes);
        fs::write(views.join("a.yaml"), "x").unwrap();
        until(&told, "a.yaml");
        fs::write(views.join("mark.yaml"), "x").unwrap();
        until(&told, "mark.yaml");
        fs::remove_file(views.join("a.yaml")).unwrap();
        until(&told, "a.yaml");
    }

    #[test]
    fn events_that_were_lost_wake_for_anything() {
        let (tell, told) = sync_channel(8);
        let wake = |signal: Signal<'_>| tell.send(format!("{signal:?}")).unwrap();
        signal(
            Interest::Arrivals,
            &Event::new(EventKind::Other).set_flag(notify::event::Flag::Rescan),
            &wake,
        );
        let open = EventKind::Access(AccessKind::Open(AccessMode::Any));
        signal(Interest::Arrivals, &Event::new(open).add_path("q/a.yaml".into()), &wake);
        assert_eq!(told.try_iter().collect::<Vec<_>>(), ["Anything"]);
    }

    #[test]
    fn without_inotify_everything_is_polled_and_status_says_so() {
        let mut watch = Watch { watcher: Err("too many open files".to_owned()), places: BTreeMap::new() };
        watch.follow(Path::new("/"));
        assert_eq!(
            watch.polling().as_deref(),
            Some(
                "every folder is checked once a second, since inotify cannot watch it: too many open files; see `tasuki doctor`"
            )
        );
        let mut period = Period::new(Millis(1_000));
        let next = |period: &Period, now, polling| period.next_in_ms(Millis(now), polling);
        assert_eq!(next(&period, 60_999, true), 1_000);
        assert_eq!(next(&period, 60_999, false), 5_000);
        assert_eq!(next(&period, 61_000, false), 60_000);
        period.active(Millis(61_000));
        assert_eq!(next(&period, 61_000, false), 5_000);
    }
}
