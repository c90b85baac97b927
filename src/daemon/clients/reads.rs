//! Looking, which costs the loop nothing: questions are answered on a thread of their own, from the journal's files and from
//! what the views' thread was given last.
//!
//! The thread has a [`Model`] only while somebody asks: it is made with the first question, and goes when nobody has asked
//! for a while.

use crate::daemon::clients::published::Published;
use crate::daemon::ending::SHUTDOWN;
use crate::io::clock::Clock;
use crate::io::journal::{Cursor, Extents};
use crate::io::workspace::Workspace;
use crate::read::{Live, Model};
use std::fmt;
use std::sync::Arc;
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
    began: watch::Receiver<Extents>,
    /// Counts what changed that neither the journal nor the daemon says.
    changes: watch::Sender<u64>,
}

impl fmt::Debug for Reads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reads").finish_non_exhaustive()
    }
}

impl Reads {
    /// Where the journal ended when the daemon began.
    #[must_use]
    pub fn began(&self) -> Cursor {
        Cursor::at_end(self.began.borrow().written)
    }

    /// Says that something changed that neither the journal nor the daemon says: whoever looks is shown it at once.
    pub fn changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    /// Hears of that.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
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
pub struct ReadThread {
    thread: std::thread::JoinHandle<()>,
}

impl ReadThread {
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
pub fn start(
    workspace: Workspace,
    clock: Clock,
    published: &Published,
) -> std::io::Result<(Reads, ReadThread)> {
    start_for(KEPT, Model::new(workspace, clock), published)
}

/// The same, where what nobody asks is kept for so long.
fn start_for(kept: Duration, model: Model, published: &Published) -> std::io::Result<(Reads, ReadThread)> {
    let (jobs, inbox) = mpsc::channel(JOBS_MAX);
    let (extents, live) = (published.extents.subscribe(), published.live.subscribe());
    let began = published.began.subscribe();
    let changes = watch::Sender::new(0);
    let reads = Reads { jobs, extents: extents.clone(), live: live.clone(), began, changes };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let work = move || runtime.block_on(work(kept, model, inbox, (extents, live)));
    let thread = std::thread::Builder::new().name("reads".to_owned()).spawn(work)?;
    Ok((reads, ReadThread { thread }))
}

async fn work(
    kept: Duration,
    mut model: Model,
    mut jobs: mpsc::Receiver<Job>,
    (mut extents, mut live): (watch::Receiver<Extents>, watch::Receiver<Live>),
) {
    loop {
        let Some(mut job) = jobs.recv().await else { return };
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
            job = match tokio::time::timeout(kept, jobs.recv()).await {
                Ok(Some(next)) => next,
                Ok(None) => return,
                Err(_) => break,
            };
        }
        model = model.anew();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Weak;

    /// Something that lives as long as what the thread has read.
    async fn mark(reads: &Reads) -> Weak<Live> {
        let mark = reads.ask(|model| {
            let live = Arc::new(Live::default());
            model.set_live(live.clone());
            Arc::downgrade(&live)
        });
        mark.await.unwrap()
    }

    #[tokio::test]
    async fn what_was_read_goes_when_nobody_asks_and_stays_while_somebody_does() {
        let folder = tempfile::tempdir().unwrap();
        let begin = |kept| {
            let model = Model::new(Workspace::at(folder.path()).unwrap(), Clock::start());
            let published = Published::default();
            (start_for(kept, model, &published).unwrap().0, published)
        };
        let (reads, _published) = begin(Duration::from_secs(600));
        let marked = mark(&reads).await;
        for _ in 0..3 {
            reads.ask(|_| ()).await.unwrap();
            assert!(marked.upgrade().is_some(), "it was read anew");
        }
        let (reads, _published) = begin(Duration::from_millis(20));
        let marked = mark(&reads).await;
        let gone = async {
            while marked.upgrade().is_some() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), gone).await.expect("it goes");
        assert!(reads.ask(|_| ()).await.is_some(), "whoever asks is answered");
    }
}
