//! Looking, which costs the loop nothing: questions are answered on a thread of their own, from the journal's files and from
//! what the views' thread was given last.
//!
//! The thread has a [`Model`] only while somebody asks: it is made with the first question, and goes when nobody has asked
//! for a while.

use crate::daemon::ending::SHUTDOWN;
use crate::io::clock::Clock;
use crate::io::journal::Extents;
use crate::io::workspace::Workspace;
use crate::read::{Live, Model};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};

/// Questions that wait; whoever finds no room waits for some.
const JOBS_MAX: usize = 256;
/// For how long a model is kept that nobody asks: some 2 KB an open message, and 50 ms to make it again.
const KEPT: Duration = Duration::from_secs(60);

/// Something to be done with the model.
type Job = Box<dyn FnOnce(&mut Model) + Send>;

/// The way to the thread that answers.
#[derive(Clone)]
pub struct Reads {
    jobs: mpsc::Sender<Job>,
    /// How far the journal reaches.
    pub extents: watch::Receiver<Extents>,
    /// What it does not say.
    pub live: watch::Receiver<Live>,
    followers: Followers,
}

/// How many follow what happens: for them the journal is made durable soon, and not with the next thing that needs it.
#[derive(Debug, Clone, Default)]
pub struct Followers(Arc<AtomicUsize>);

impl Followers {
    /// Whether there are any.
    #[must_use]
    pub fn are_there(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }
}

/// Somebody who follows, until it is dropped.
#[derive(Debug)]
pub struct Follower(Followers);

impl Drop for Follower {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl fmt::Debug for Reads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reads").finish_non_exhaustive()
    }
}

/// Where the daemon says how far the journal reaches, and what it does not say.
#[derive(Debug, Clone)]
pub struct Published {
    pub extents: watch::Sender<Extents>,
    pub live: watch::Sender<Live>,
    pub followers: Followers,
}

impl Default for Published {
    fn default() -> Self {
        let (extents, live) = (watch::Sender::default(), watch::Sender::default());
        Self { extents, live, followers: Followers::default() }
    }
}

impl Reads {
    /// One more follows.
    #[must_use]
    pub fn follow(&self) -> Follower {
        self.followers.0.fetch_add(1, Ordering::Relaxed);
        Follower(self.followers.clone())
    }

    /// Asks: the model has everything in it that was written before. None if the daemon ends.
    pub async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&mut Model) -> T + Send + 'static,
    ) -> Option<T> {
        let (answer, answered) = oneshot::channel();
        // A caller that went away is no error.
        let job = Box::new(move |model: &mut Model| drop(answer.send(question(model))));
        self.jobs.send(job).await.ok()?;
        answered.await.ok()
    }
}

/// The thread that answers; it ends when its [`Reads`] are gone.
#[derive(Debug)]
pub struct Reading {
    thread: std::thread::JoinHandle<()>,
}

impl Reading {
    /// Waits for its end, which must be near.
    pub async fn end(self) {
        let joined = tokio::task::spawn_blocking(move || drop(self.thread.join()));
        let _ = tokio::time::timeout(SHUTDOWN, joined).await;
    }
}

/// Starts the thread.
///
/// # Errors
/// If the system gives no thread.
pub fn start(workspace: Workspace, clock: Clock, published: &Published) -> std::io::Result<(Reads, Reading)> {
    let (jobs, inbox) = mpsc::channel(JOBS_MAX);
    let (extents, live) = (published.extents.subscribe(), published.live.subscribe());
    let followers = published.followers.clone();
    let reads = Reads { jobs, extents: extents.clone(), live: live.clone(), followers };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let work = move || runtime.block_on(work(workspace, clock, inbox, (extents, live)));
    let thread = std::thread::Builder::new().name("reads".to_owned()).spawn(work)?;
    Ok((reads, Reading { thread }))
}

async fn work(
    workspace: Workspace,
    clock: Clock,
    mut jobs: mpsc::Receiver<Job>,
    (mut extents, mut live): (watch::Receiver<Extents>, watch::Receiver<Live>),
) {
    loop {
        let Some(mut job) = jobs.recv().await else { return };
        let mut model = Model::new(workspace.clone(), clock);
        let mut seen = None;
        loop {
            if seen.is_none() || live.has_changed().unwrap_or(false) {
                let now = live.borrow_and_update().clone();
                seen = Some(now.version);
                model.set_live(Arc::new(now));
            }
            let reaches = extents.borrow_and_update().written;
            if let Err(error) = model.catch_up(Some(reaches), &mut |_, _, _| ()) {
                tracing::warn!(%error, "the journal could not be read for whoever looks");
            }
            job(&mut model);
            job = match tokio::time::timeout(KEPT, jobs.recv()).await {
                Ok(Some(next)) => next,
                Ok(None) => return,
                Err(_) => break,
            };
        }
    }
}
