//! The end of a simulated life in order: [`crate::daemon::r#loop::run::Daemon::close`] itself, while the threads' work is done here
//! one piece at a time.

use super::life::{Incarnation, SHOWN_MAX};
use crate::daemon::ending::Ending;
use crate::daemon::inbox::{NEWS_MAX, NewsSender};
use crate::daemon::journal::worker as journal;
use crate::daemon::r#loop::daemon::Daemon;
use crate::daemon::mailbox::mail::Job;
use crate::daemon::mailbox::worker::state;
use crate::daemon::tmux::keeper::Act;
use crate::daemon::views::worker as views;
use crate::io::fake::Machine;
use crate::io::journal::Journal;
use std::pin::Pin;
use std::sync::mpsc::Receiver;
use std::task::Poll;
use tokio::runtime::Runtime;
use tokio::sync::mpsc;

/// A life that ends.
pub(super) struct Closing {
    daemon: Pin<Box<dyn Future<Output = Daemon>>>,
    journal: Journal,
    journal_jobs: Receiver<journal::Job>,
    journal_now: crate::engine::words::Millis,
    written: mpsc::Sender<journal::Written>,
    views: views::Worker,
    views_jobs: Receiver<views::Job>,
    shown: mpsc::Sender<views::BatchShown>,
    mailbox: state::Worker,
    mail_jobs: Receiver<Job>,
    news: NewsSender,
    /// What it asks of tmux.
    pub(super) acts: Receiver<Act>,
    /// Whether agents end too.
    pub(super) stops_agents: bool,
    /// Whether nothing may be typed.
    pub(super) halted: bool,
}

impl Incarnation {
    /// It was told to end.
    pub(super) fn close(self) -> Closing {
        let ending = self.daemon.ending.unwrap_or(Ending::KeepAgents);
        let halted = self.daemon.panes.tmux.is_halted();
        // What was done, and not heard yet.
        self.written.into_iter().for_each(|written| drop(self.written_to.try_send(written)));
        self.shown.into_iter().for_each(|shown| drop(self.shown_to.try_send(shown)));
        let daemon = self.daemon;
        let daemon = Box::pin(async move {
            let mut daemon = daemon;
            daemon.close(ending).await;
            daemon
        });
        Closing {
            daemon,
            journal: self.journal,
            journal_jobs: self.journal_jobs,
            journal_now: self.journal_now,
            written: self.written_to,
            views: self.views,
            views_jobs: self.views_jobs,
            shown: self.shown_to,
            mailbox: self.mailbox,
            mail_jobs: self.mail_jobs,
            news: self.news,
            acts: self.acts,
            stops_agents: ending == Ending::StopAgents,
            halted,
        }
    }
}

impl Closing {
    /// The loop goes on as far as it can; whether it has come to its end.
    pub(super) fn go_on(&mut self, runtime: &Runtime) -> bool {
        let daemon = &mut self.daemon;
        runtime.block_on(async {
            tokio::task::yield_now().await; // tasks whose workers are gone end
            std::future::poll_fn(|context| Poll::Ready(daemon.as_mut().poll(context).is_ready())).await
        })
    }

    /// One of its threads does a piece of work.
    pub(super) fn work(&mut self, which: u64) {
        match which {
            0 => {
                if let Ok(job) = self.journal_jobs.try_recv() {
                    let written = journal::do_job(&mut self.journal, job, &mut self.journal_now);
                    let _ = self.written.try_send(written);
                }
            }
            1 if self.shown.capacity() == SHOWN_MAX => {
                if let Ok(job) = self.views_jobs.try_recv() {
                    let _ = self.shown.try_send(self.views.write(job));
                }
            }
            2 if self.news.capacity() >= NEWS_MAX / 2 => {
                let job = self.mail_jobs.try_recv().ok();
                if job.is_some() || self.mailbox.wait_ms() == 0 {
                    self.mailbox.go_round(job);
                }
            }
            _ => {}
        }
    }

    /// It is over: the journal is closed in order, unless the machine is dead.
    ///
    /// # Errors
    /// What the disk said.
    pub(super) fn finish(self) -> Result<(), String> {
        let Self { daemon, journal, .. } = self;
        drop(daemon);
        if Machine::with(|machine| machine.faults.dead) {
            return Ok(());
        }
        journal.close().map_err(|error| error.to_string())
    }
}
