//! Watches what people may change under a running daemon: the team file, and the views.

use crate::daemon::news::{News, NewsSender};
use crate::io::settings::Settings;
use crate::io::watch::{Interest, Signal, Watch};
use crate::io::workspace::{Surroundings, Workspace};
use notify::event::{AccessKind, AccessMode, EventKind};
use notify::{Event, RecursiveMode, Watcher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{Notify, mpsc};

/// An editor writes a file in several steps; the team file is read once it has been still for this long.
const TEAM_SETTLES: Duration = Duration::from_millis(200);

/// Changes of views that may wait to be looked at; beyond that all views are looked at.
const CHANGES_MAX: usize = 1_024;
/// Our own writes are changes too: they are looked at in batches.
const VIEWS_SETTLE: Duration = Duration::from_millis(100);

/// Watches the views until the loop is gone. Whether a change is somebody else's is the views' own to say.
pub async fn views(places: Vec<PathBuf>, news: NewsSender) -> &'static str {
    let (told, mut changes) = mpsc::channel(CHANGES_MAX);
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
    for place in &places {
        watch.follow(place);
    }
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

/// Watches the team file until the loop is gone. `loaded` is what it said before: what changed until the watch is armed is
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
    // Dropping the watcher ends it, so it lives as long as this task.
    let _watcher = watch(workspace.root(), move |event| {
        if event.need_rescan() || event.paths.contains(&team_file) {
            changed.notify_one();
        }
    });
    let mut loaded = Some(loaded);
    team_changed.notify_one();
    loop {
        team_changed.notified().await;
        while tokio::time::timeout(TEAM_SETTLES, team_changed.notified()).await.is_ok() {}
        let read = Settings::load(&workspace, &around);
        let read = read.map(|loaded| loaded.settings).map_err(|error| error.to_string());
        let known = loaded.take();
        if known.is_some() && known == read.as_ref().ok().cloned() {
            continue;
        }
        if news.send(News::Team(Box::new(read))).await.is_err() {
            return "team file's watch";
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
        Err(error) => tracing::warn!(%error, "the watch of the team file is broken; a restart reads it"),
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

fn is_news(event: &Event) -> bool {
    event.need_rescan()
        || match event.kind {
            EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
            EventKind::Create(_) | EventKind::Modify(_) | EventKind::Remove(_) => true,
            EventKind::Any | EventKind::Other => false,
        }
}
