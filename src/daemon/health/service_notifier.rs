//! What the service manager hears of the daemon: ready, alive, ending, and a line of status. Where none listens, nothing is
//! said and nothing wakes up for it.
//!
//! "Alive" is said only after a look: the loop came round, the journal answered, and so did tmux. What is known to be broken
//! and is being repaired is no hang: starting the daemon anew would repair nothing sooner.

use crate::io::systemd::{Notifier, Word};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Interval, MissedTickBehavior};

/// Words that may wait for the manager: it reads at once, or is itself in trouble, and then what is lost is said again.
const WORDS_MAX: usize = 16;

/// The way to the service manager. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct ServiceNotifier {
    words: Option<mpsc::Sender<Word>>,
    /// How often it has to hear that we are alive.
    beat: Option<Duration>,
}

/// The loop's own part: when it looks next, and what it saw last.
#[derive(Debug)]
pub struct Heartbeat {
    notifier: ServiceNotifier,
    beats: Option<Interval>,
    /// The job that the journal had at the last look.
    journal: Option<u64>,
    /// The round trip to tmux that is under way.
    probe: Option<AbortHandle>,
    /// What was last said of us.
    status: String,
}

impl ServiceNotifier {
    /// A notifier that the manager hears as long as the task in `workers` runs, which ends when every notifier is gone.
    pub(in crate::daemon) fn start(notifier: Option<Notifier>, workers: &mut JoinSet<&'static str>) -> Self {
        let Some(notifier) = notifier else { return Self::default() };
        let (words, waiting) = mpsc::channel(WORDS_MAX);
        workers.spawn(speak(notifier, waiting));
        Self { words: Some(words), beat: notifier.heartbeat() }
    }

    /// Says it, if anybody listens. Never waits.
    pub(in crate::daemon) fn say(&self, word: Word) {
        if let Some(words) = &self.words
            && let Err(error) = words.try_send(word)
        {
            tracing::warn!(%error, "the service manager is not listening");
        }
    }

    /// Does what may take long while there is no loop that could look, and says meanwhile that we are alive.
    pub(in crate::daemon) async fn meanwhile<T>(&self, work: impl Future<Output = T>) -> T {
        let Some(mut beats) = self.beat.map(beats) else { return work.await };
        tokio::pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return done,
                _ = beats.tick() => self.say(Word::Alive),
            }
        }
    }
}

impl Heartbeat {
    /// Looks for the first time at once.
    pub(in crate::daemon) fn new(notifier: ServiceNotifier) -> Self {
        let beats = notifier.beat.map(beats);
        Self { notifier, beats, journal: None, probe: None, status: String::new() }
    }

    /// Waits until it is time to look again; for ever where nobody wants to know.
    pub(in crate::daemon) async fn heartbeat(&mut self) {
        match &mut self.beats {
            Some(beats) => drop(beats.tick().await),
            None => std::future::pending().await,
        }
    }

    /// Looks before the next beat, which would come as late as the manager's patience ends.
    pub(in crate::daemon) fn look_again_soon(&mut self) {
        if let Some(beats) = &mut self.beats {
            beats.reset_after(beats.period() / 4);
        }
    }

    /// Says that we are alive once `answers` is done, unless that is being waited for already.
    pub(in crate::daemon) fn probe(
        &mut self,
        tasks: &mut JoinSet<&'static str>,
        answers: impl Future<Output = ()> + Send + 'static,
    ) {
        let notifier = self.notifier.clone();
        self.probe = Some(tasks.spawn(async move {
            answers.await;
            // Where the connection is gone, so is tmux, which its keeper knows and repairs.
            notifier.say(Word::Alive);
            "probe"
        }));
    }

    /// Whether a round trip is under way.
    pub(in crate::daemon) fn probes(&self) -> bool {
        self.probe.as_ref().is_some_and(|probe| !probe.is_finished())
    }

    /// Whether anybody listens.
    pub(in crate::daemon) fn is_heard(&self) -> bool {
        self.notifier.words.is_some()
    }

    /// Tells the status line, if it has changed.
    pub(in crate::daemon) fn tell(&mut self, status: String) {
        if status != self.status {
            self.notifier.say(Word::Status(status.clone()));
            self.status = status;
        }
    }

    /// Whether the journal still works at what it worked at when it was last looked at.
    pub(in crate::daemon) fn has_stuck(&mut self, job: Option<u64>) -> bool {
        let before = std::mem::replace(&mut self.journal, job);
        job.is_some() && before == job
    }
}

fn beats(every: Duration) -> Interval {
    let mut beats = tokio::time::interval(every);
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    beats
}

/// Says one word after the other, each on a thread where it may wait: a manager that does not read holds up nobody.
async fn speak(notifier: Notifier, mut words: mpsc::Receiver<Word>) -> &'static str {
    while let Some(word) = words.recv().await {
        let said = tokio::task::spawn_blocking(move || notifier.say(&word)).await;
        if let Ok(Err(error)) = said {
            tracing::warn!(%error, "the service manager could not be notified");
        }
    }
    "systemd"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_that_works_is_not_one_that_hangs() {
        let mut herald = Heartbeat::new(ServiceNotifier::default());
        let looks = [None, None, Some(0), Some(1), Some(1), Some(1), None, Some(2)];
        let stuck = looks.map(|job| herald.has_stuck(job));
        assert_eq!(stuck, [false, false, false, false, true, true, false, false]);
    }

    #[tokio::test]
    async fn what_takes_long_is_no_silence() {
        let (words, mut heard) = mpsc::channel(WORDS_MAX);
        let notifier = ServiceNotifier { words: Some(words), beat: Some(Duration::from_millis(5)) };
        let work = async {
            for _ in 0..3 {
                assert_eq!(heard.recv().await, Some(Word::Alive));
            }
            "done"
        };
        assert_eq!(notifier.meanwhile(work).await, "done");
    }

    #[tokio::test]
    async fn nobody_is_told_where_nobody_listens() {
        let mut workers = JoinSet::new();
        let notifier = ServiceNotifier::start(None, &mut workers);
        notifier.say(Word::Ready);
        assert!(workers.is_empty());
        let mut herald = Heartbeat::new(notifier);
        let beat = tokio::time::timeout(Duration::from_millis(50), herald.heartbeat()).await;
        assert!(beat.is_err(), "it woke up");
    }
}
