//! Watches what people may change under a running daemon: the team file, the profiles, and the views.

use crate::daemon::inbox::{News, NewsSender};
use crate::io::watch::{Interest, Signal, Watch};
use crate::io::workspace::{Surroundings, Workspace};
use crate::wire::team_file::{Settings, profile_folders};
use notify::event::{AccessKind, AccessMode, EventKind};
use notify::{Event, RecursiveMode, Watcher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{Notify, mpsc, oneshot};

/// An editor writes a file in several steps; the team file is read once it has been still for this long.
const TEAM_SETTLES: Duration = Duration::from_millis(200);

/// Changes of views that may wait to be looked at; beyond that all views are looked at.
const CHANGES_MAX: usize = 1_024;
/// Our own writes are changes too: they are looked at in batches.
const VIEWS_SETTLE: Duration = Duration::from_millis(100);

/// The watch of the views, and what it tells.
struct ViewsWatch {
    watch: Watch,
    changes: mpsc::Receiver<PathBuf>,
    /// Whether there was more than could be told.
    missed: Arc<AtomicBool>,
}

impl ViewsWatch {
    fn of(places: &[PathBuf]) -> Self {
        let (told, changes) = mpsc::channel(CHANGES_MAX);
        let missed = Arc::new(AtomicBool::new(false));
        let missing = Arc::clone(&missed);
        let mut watch = Watch::start(Interest::Changes, move |signal| {
            let sent = match signal {
                Signal::File(path) => told.try_send(path.to_owned()).is_ok(),
                Signal::Anything => false,
            };
            if !sent {
                missing.store(true, Ordering::Relaxed);
                let _ = told.try_send(PathBuf::new());
            }
        });
        places.iter().for_each(|place| watch.follow(place));
        Self { watch, changes, missed }
    }
}

/// Watches the views until the loop is gone. Whether a change is somebody else's is the views' own to say.
pub async fn views(workspace: Workspace, news: NewsSender) -> &'static str {
    let places = [workspace.active(), workspace.agents_status(), workspace.status()];
    let armed = arm(move || ViewsWatch::of(&places)).await;
    let Some(ViewsWatch { mut watch, mut changes, missed }) = armed else { return "views' watch" };
    while let Some(first) = changes.recv().await {
        tokio::time::sleep(VIEWS_SETTLE).await; // gathers a batch
        let mut paths = vec![first];
        while let Ok(path) = changes.try_recv() {
            paths.push(path);
        }
        if missed.swap(false, Ordering::Relaxed) {
            watch.check();
            paths.clear();
        }
        if news.send(News::Meddled(paths)).await.is_err() {
            break;
        }
    }
    "views' watch"
}

/// Watches the team file and the profiles until the loop is gone. `loaded` is what it said before: what changed until the watch is armed is
/// found by reading it once more.
pub async fn team(
    workspace: Workspace,
    around: Surroundings,
    loaded: Settings,
    news: NewsSender,
) -> &'static str {
    let team_changed = Arc::new(Notify::new());
    let team_file = workspace.team_file();
    let changed = Arc::clone(&team_changed);
    let root = workspace.root().to_owned();
    let profiles = profile_folders(&workspace, &around);
    let known = profiles.clone();
    // Dropping the watcher ends it, so it lives as long as this task.
    let watcher = arm(move || {
        watch(&root, move |event| {
            let counts = |path: &PathBuf| *path == team_file || is_of_profiles(&known, path);
            if event.need_rescan() || event.paths.iter().any(counts) {
                changed.notify_one();
            }
        })
    });
    let mut watcher = watcher.await.and_then(Result::ok);
    let mut loaded = Some(loaded);
    team_changed.notify_one();
    loop {
        team_changed.notified().await;
        while tokio::time::timeout(TEAM_SETTLES, team_changed.notified()).await.is_ok() {}
        // Watched first, read then. A folder that was just made is not watched yet.
        watcher = match watcher {
            Some(watcher) => {
                let profiles = profiles.clone();
                arm(move || follow_profiles(watcher, &profiles)).await
            }
            None => None,
        };
        // Patterns of profiles take their time.
        let (of, given) = (workspace.clone(), around.clone());
        let read = arm(move || Settings::load(&of, &given).map(|loaded| loaded.settings)).await;
        let Some(read) = read else { continue };
        let known = loaded.take();
        if known.is_some() && known.as_ref() == read.as_ref().ok() {
            continue;
        }
        if news.send(News::Team(Box::new(read))).await.is_err() {
            return "team file's watch";
        }
    }
}

/// Makes a watch, or reads what is watched, on a thread of its own: the kernel goes through all names that it remembers of a
/// folder then, also those that were looked for in vain (40 ms after 200,000 messages), and the loop does not stand still for that.
async fn arm<T: Send + 'static>(make: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (tell, armed) = oneshot::channel();
    let thread = std::thread::Builder::new().name("arm".to_owned());
    match thread.spawn(move || drop(tell.send(make()))) {
        Ok(_) => armed.await.ok(),
        Err(error) => {
            tracing::warn!(%error, "a watch thread cannot be started: changes are seen at the next start");
            None
        }
    }
}

/// Calls `tell` when something in a folder has been written, moved in or removed. Reading is no news.
fn watch(
    folder: &Path,
    tell: impl Fn(&Event) + Send + 'static,
) -> Result<notify::RecommendedWatcher, notify::Error> {
    let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| match event {
        Ok(event) if is_news(&event) => tell(&event),
        Ok(_) => {}
        Err(error) => tracing::warn!(%error, "the watch of the team file failed; a restart reads it"),
    });
    let watched = watcher.and_then(|mut watcher| {
        watcher.watch(folder, RecursiveMode::NonRecursive)?;
        Ok(watcher)
    });
    if let Err(error) = &watched {
        tracing::warn!(%error, "{} cannot be watched; a changed team file is read at the next start", folder.display());
    }
    watched
}

/// Watches the folders of profiles, and those that they are made in: the nearest that is there, and all below it.
fn follow_profiles(
    mut watcher: notify::RecommendedWatcher,
    profiles: &[PathBuf],
) -> notify::RecommendedWatcher {
    for folder in profiles.iter().flat_map(|profiles| made_in(profiles)) {
        let _ = watcher.unwatch(folder);
        // One that is not there is watched once it is made; the watch of what it is made in tells.
        let _ = watcher.watch(folder, RecursiveMode::NonRecursive);
    }
    watcher
}

/// A folder, and those above it up to the nearest that is there.
fn made_in(folder: &Path) -> Vec<&Path> {
    let is_there = |folder: &&Path| folder.as_os_str().is_empty() || folder.is_dir();
    let above = folder.ancestors().skip(1).find(is_there).unwrap_or(folder);
    folder.ancestors().take_while(|folder| *folder != above).chain([above]).collect()
}

/// Whether something at this path may change a profile.
fn is_of_profiles(folders: &[PathBuf], path: &Path) -> bool {
    let is_yaml = path.extension().is_some_and(|extension| extension == "yaml");
    folders.iter().any(|folder| folder.starts_with(path) || (is_yaml && path.parent() == Some(folder)))
}

fn is_news(event: &Event) -> bool {
    event.need_rescan()
        || match event.kind {
            EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
            EventKind::Create(_) | EventKind::Modify(_) | EventKind::Remove(_) => true,
            EventKind::Any | EventKind::Other => false,
        }
}
