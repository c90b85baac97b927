//! The loop: wait → step → journal → perform. It owns the engine; every other thread and task only sends it news.
//!
//! The loop never waits for a worker: each has a desk, and gets its next batch when it has said that the last one is done.

use crate::daemon::clients::handle::FacesDesk;
use crate::daemon::clients::request::{CALLS_MAX, Call};
use crate::daemon::ending::{Broken, Ending};
use crate::daemon::health::{About, Notes};
use crate::daemon::journal::handle::{Heard, JournalDesk, ThreadGone};
use crate::daemon::journal::worker::Written;
use crate::daemon::r#loop::claim_barrier::ClaimsDesk;
use crate::daemon::r#loop::ends::worker_ended;
use crate::daemon::r#loop::perform::Ringing;
use crate::daemon::r#loop::service_notifier::Herald;
use crate::daemon::r#loop::stall_watch::Stillness;
use crate::daemon::r#loop::wall_clock::Wall;
use crate::daemon::mailbox::handle::MailDesk;
use crate::daemon::mailbox::worker::{Dropped, Mail};
use crate::daemon::news::{News, NewsSender};
use crate::daemon::panes::handle::PanesDesk;
use crate::daemon::panes::limits::dated;
use crate::daemon::panes::orders::PaneWord;
use crate::daemon::tmux::keeper::TmuxDesk;
use crate::daemon::views::handle::ViewsDesk;
use crate::daemon::views::worker::Shown as ViewsShown;
use crate::engine::engine::{Engine, Step};
use crate::engine::history as story;
use crate::engine::input::{Effect, Input, Report, Shown};
use crate::engine::words::{AgentName, MessageId, Millis};
use crate::io::clock::Clock;
use crate::io::workspace::Workspace;
use crate::wire::team_file::Settings;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

/// How often a working agent's status is written again, so that a reader sees that it is alive (protocol, status file).
const BEAT_MS: u64 = 60_000;
/// `status/daemon.yaml` is written at most this often while things happen.
const DAEMON_SHOWN_MS: u64 = 1_000;
/// How often it is looked what has been kept long enough: retention is said in days.
pub(in crate::daemon) const EXPIRE_MS: u64 = 3_600_000;
/// News taken in before the workers get their next batches: about what one flush takes to write.
const NEWS_PER_TURN: usize = 512;

/// Everything the loop owns.
#[derive(Debug)]
pub struct Daemon {
    pub(in crate::daemon) workspace: Workspace,
    pub(in crate::daemon) settings: Arc<Settings>,
    pub(in crate::daemon) clock: Clock,
    /// What is believed of the wall clock.
    pub(in crate::daemon) wall: Wall,
    pub(in crate::daemon) engine: Engine,
    pub(in crate::daemon) journal: JournalDesk,
    pub(in crate::daemon) views: ViewsDesk,
    pub(in crate::daemon) mail: MailDesk,
    pub(in crate::daemon) claims: ClaimsDesk,
    pub(in crate::daemon) panes: PanesDesk,
    pub(in crate::daemon) faces: FacesDesk,
    pub(in crate::daemon) tmux: TmuxDesk,
    pub(in crate::daemon) herald: Herald,
    /// Turns that wait for their message's view.
    pub(in crate::daemon) ringing: BTreeMap<MessageId, Ringing>,
    /// Tasks that live with the daemon.
    pub(in crate::daemon) workers: JoinSet<&'static str>,
    /// Tasks that live with their panes.
    pub(in crate::daemon) pane_workers: JoinSet<&'static str>,
    /// Answers of the journal: one at a time, apart from the news, for they are heard even when there is no room.
    pub(in crate::daemon) written: mpsc::Receiver<Written>,
    /// Answers of the views, likewise.
    pub(in crate::daemon) shown: mpsc::Receiver<ViewsShown>,
    /// Resolves when the mailbox's thread ends, which it does not do by itself.
    pub(in crate::daemon) mailbox_alive: oneshot::Receiver<Infallible>,
    pub(in crate::daemon) inbox: mpsc::Receiver<News>,
    pub(in crate::daemon) news: NewsSender,
    pub(in crate::daemon) calls: mpsc::Receiver<Call>,
    /// When working agents' statuses are written again.
    pub(in crate::daemon) beat_at: Millis,
    /// When it is looked again what has been kept long enough.
    pub(in crate::daemon) expire_at: Millis,
    /// What does not work as it should.
    pub(in crate::daemon) notes: Notes,
    /// Since when nothing happens.
    pub(in crate::daemon) stillness: Stillness,
    /// Since when this daemon runs.
    pub(in crate::daemon) started_at: Millis,
    /// Where it listens.
    pub(in crate::daemon) socket: String,
    /// Whether a segment is being turned.
    pub(in crate::daemon) turning: Turning,
    /// What came while the snapshot was being made: a step then would take its number, or be newer than the views on
    /// the disk. At most what the workers that are ending still say, since nothing else is heard meanwhile.
    pub(in crate::daemon) held_back: VecDeque<Input>,
    /// Messages that ended in earlier segments and are still kept, since their views may be owed: after a write to the
    /// journal has failed, in this life or in one before, or since they could not be written for long.
    pub(in crate::daemon) closed: BTreeSet<MessageId>,
    /// Those of which the snapshot that is being written says so.
    pub(in crate::daemon) owed: BTreeSet<MessageId>,
    /// When `status/daemon.yaml` was last written, and whether it is out of date.
    pub(in crate::daemon) daemon_shown_at: Millis,
    pub(in crate::daemon) daemon_is_old: bool,
    /// Set when the loop is to end.
    pub(in crate::daemon) ending: Option<Ending>,
}

/// How far the turn of a segment is. Meanwhile nothing is taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turning {
    /// No turn is wanted.
    No,
    /// Steps and views under way are being written.
    Draining,
    /// The views are being made durable.
    Syncing,
    /// The new segment is being written.
    Writing,
}

impl Turning {
    /// Whether the views are being made durable or the snapshot is being written: nothing may change until that is done.
    pub(in crate::daemon) fn is_making_snapshot(self) -> bool {
        matches!(self, Self::Syncing | Self::Writing)
    }
}

impl Daemon {
    /// Runs until told to end.
    ///
    /// # Errors
    /// [`Broken`] if the daemon has to start anew.
    pub async fn run(&mut self, signals: &mut mpsc::Receiver<Ending>) -> Result<Ending, Broken> {
        loop {
            if let Some(ending) = self.ending {
                return Ok(ending);
            }
            let wake = self.sleep();
            let room = self.journal.has_room() && self.turning == Turning::No;
            // A step now would take the number that the snapshot under way has, or be newer than the views on the disk.
            let still = self.turning.is_making_snapshot();
            tokio::select! {
                Some(news) = self.inbox.recv(), if room => self.hear(news),
                written = self.written.recv() => self.written(written.ok_or(ThreadGone("journal"))?)?,
                shown = self.shown.recv() => self.shown(shown.ok_or(ThreadGone("views"))?),
                _ = &mut self.mailbox_alive => return Err(ThreadGone("mailbox").into()),
                Some(call) = self.calls.recv(), if room => self.call(call),
                Some(ended) = self.pane_workers.join_next_with_id() => self.pane_worker_ended(ended),
                Some(ended) = self.workers.join_next() => worker_ended(ended)?,
                Some(ending) = signals.recv() => self.ending = Some(ending),
                () = wake, if !still => self.wake(),
                () = self.herald.beat() => self.prove_alive(),
            }
            self.hear_more();
            self.hand_out()?;
        }
    }

    /// Takes what else has come, so that one flush carries it all.
    pub(in crate::daemon) fn hear_more(&mut self) {
        if self.ending.is_some() {
            self.engine.forget_free();
        }
        for _ in 0..NEWS_PER_TURN {
            if self.turning != Turning::No || !self.journal.has_room() {
                return;
            }
            match self.inbox.try_recv() {
                Ok(news) => self.hear(news),
                Err(_) => break,
            }
        }
        for _ in 0..CALLS_MAX {
            let Ok(call) = self.calls.try_recv() else { break };
            self.call(call);
        }
    }

    /// Gives every worker that is free its next batch.
    pub(in crate::daemon) fn hand_out(&mut self) -> Result<(), Broken> {
        self.journal.submit()?;
        let room = self.room();
        self.note_room(room);
        self.mail.submit(room);
        let now = self.clock.now();
        self.views.turn(self.turning != Turning::No);
        self.views.submit(&self.engine, &self.journal, now)?;
        self.turn_segment()
    }

    fn sleep(&self) -> impl Future<Output = ()> + use<> {
        let wait = self.wake_at().map(|at| Duration::from_millis(at.since(self.clock.now())));
        async move {
            match wait {
                Some(wait) => tokio::time::sleep(wait).await,
                None => std::future::pending().await,
            }
        }
    }

    /// When there is something to do though nothing comes.
    pub(in crate::daemon) fn wake_at(&self) -> Option<Millis> {
        let wake = [self.engine.wake_at(), self.deadline_look_at()].into_iter().flatten().min();
        let beat = self.anyone_working().then_some(self.beat_at);
        let daemon = self.daemon_is_old.then(|| self.daemon_shown_at.plus(DAEMON_SHOWN_MS));
        let turn = self.journal.turn_again_at(self.clock.now());
        let others = [self.views.again_at(), turn, Some(self.expire_at), self.stillness.look_at()];
        let mail = self.mail.again_at(self.clock.now());
        [wake, beat, daemon, mail].into_iter().chain(others).flatten().min()
    }

    fn anyone_working(&self) -> bool {
        self.engine.state().agents.values().any(|agent| agent.current.is_some())
    }

    pub(in crate::daemon) fn wake(&mut self) {
        let now = self.clock.now();
        let wall = self.look_at_the_wall();
        let is_late = self.engine.deadline().is_some_and(|at| at <= wall);
        if is_late || self.engine.wake_at().is_some_and(|at| at <= now) {
            self.time_is_up();
        }
        if self.daemon_is_old && now >= self.daemon_shown_at.plus(DAEMON_SHOWN_MS) {
            self.show_daemon();
        }
        self.views.wake(now);
        self.look_whether_it_stands_still(now);
        if now >= self.expire_at {
            self.expire_at = now.plus(EXPIRE_MS);
            self.expire();
        }
        if now >= self.beat_at {
            self.beat_at = now.plus(BEAT_MS);
            let agents = self.engine.state().agents.iter();
            for (name, _) in agents.filter(|(_, agent)| agent.current.is_some()) {
                self.views.mark(Shown::Agent(name.clone()));
            }
        }
    }

    pub(in crate::daemon) fn hear(&mut self, news: News) {
        match news {
            News::Mail(mail) => self.take_mail(mail),
            News::Pane(news) => match news.what {
                // Nobody is given anything new before the end.
                PaneWord::Report(Report::Ready { .. }) if self.ending.is_some() => {}
                PaneWord::Report(report) => {
                    let (agent, nonce, report) = (news.agent, news.nonce, dated(report, &self.clock));
                    self.take_input(Input::Report { agent, nonce, report });
                }
                PaneWord::Doing(line) => self.views.doing(news.agent, line),
            },
            News::Tmux(news) => self.take_tmux(news),
            News::Team(read) => self.take_team(*read),
            News::Meddled(paths) => self.views.meddled(paths),
        }
    }

    /// A batch of views is written, or the turns of it are.
    pub(in crate::daemon) fn shown(&mut self, shown: ViewsShown) {
        if shown.under_way {
            return self.ring_shown(shown.turns);
        }
        self.views.done(shown.failed, self.clock.now());
        shown.more.into_iter().for_each(|more| self.views.put(more));
        if shown.why.is_some() || !self.views.has_failed() {
            let note = |why| format!("views cannot be written and are retried: {why}");
            self.note(About::Views, shown.why.map(note));
        }
        self.ring_shown(shown.turns);
        self.mend(shown.altered, shown.lost);
    }

    pub(in crate::daemon) fn written(&mut self, written: Written) -> Result<(), Broken> {
        let archive = written.archive.clone();
        match self.journal.written(written, self.clock.now())? {
            Heard::Appended(held) => {
                self.daemon_is_old = true; // it tells the flushes
                for (at, told) in held.told {
                    tracing::info!(target: "tasuki::story", "{}", told.text);
                    self.views.tell(at, told.agent, told.text);
                }
                self.perform_all(held.effects);
                self.faces.written(self.journal.steps_written());
            }
            Heard::Turned => {
                self.note(About::Segment, None);
                self.turned();
                self.go_on();
            }
            Heard::NotTurned(error) => {
                self.go_on();
                tracing::warn!(%error, "a new segment could not be started; the old one is kept in use");
                let note = "a new segment of the journal cannot be started and is retried";
                self.note(About::Segment, Some(format!("{note}: {error}")));
            }
            Heard::Trimmed => {}
        }
        archive.into_iter().for_each(|archive| self.mail.archive(archive));
        Ok(())
    }

    fn take_mail(&mut self, mail: Mail) {
        let now = self.clock.now();
        let (halted, halts) = mail.halted;
        if halts >= self.mail.halts() {
            self.halt(halted, None); // else it was seen before the loop itself made or removed the file
        }
        if !mail.forgotten.is_empty() {
            self.mail.forgotten(&mail.forgotten);
            self.views.removed();
        }
        for note in mail.notes {
            self.views.tell(now, None, note);
        }
        self.note_disk(mail.full);
        self.engine.disk_is_full(mail.full);
        self.note(About::Watches, mail.polling);
        self.note_untaken(mail.stuck);
        self.views.put_off(mail.burst, now);
        self.mail.taken(&mail.drops);
        for dropped in mail.drops {
            self.tell_notes(now, &dropped);
            self.take_input(match dropped {
                Dropped::Drafts { source, drafts, proof } => Input::Drop { source, drafts, proof },
                Dropped::Bad { source, from, token, refusal } => {
                    Input::BadDrop { source, from, token, refusal }
                }
            });
        }
        if let Some(sweep) = mail.swept {
            self.swept(sweep);
        }
        // What still waits here was looked up long ago.
        if self.claims.is_empty() && self.held_back.is_empty() {
            self.engine.keep_lately(self.mail.archives_behind(mail.archives));
        }
    }

    /// What its sender should know of a message, whatever becomes of it.
    fn tell_notes(&mut self, now: Millis, dropped: &Dropped) {
        let Dropped::Drafts { drafts, .. } = dropped else { return };
        for draft in drafts {
            for note in &draft.notes {
                self.views.tell(now, None, format!("{}: {note}", draft.id));
            }
        }
    }

    /// One input through the engine; its effects are performed once its events are written.
    pub(in crate::daemon) fn step(&mut self, input: Input) {
        if self.turning.is_making_snapshot() {
            return self.held_back.push_back(input);
        }
        let moment = self.moment();
        let step = self.engine.step(moment, input);
        self.take_step(step);
    }

    /// Records what a step brought.
    pub(in crate::daemon) fn take_step(&mut self, step: Step) {
        for fault in &step.faults {
            tracing::error!(%fault, "an impossible move: please report this");
        }
        for warning in &step.warnings {
            tracing::warn!("{warning}");
            self.views.tell(step.at, None, warning.clone());
        }
        let told: Vec<_> =
            step.events.iter().filter_map(|event| Some((step.at, story::tell(event)?))).collect();
        self.daemon_is_old |= !step.events.is_empty();
        self.stillness.stir(step.at, !step.events.is_empty(), !self.engine.state().open.is_empty());
        if step.events.is_empty() {
            self.perform_all(step.effects);
        } else {
            self.views.keep(step.seq, &step.events);
            self.journal.put(step, told);
        }
    }

    /// Performs effects whose steps are written, in their order.
    pub(in crate::daemon) fn perform_all(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            self.perform(effect);
        }
    }

    /// `queue/STOP` is there, or not; `by` asked for it.
    pub(in crate::daemon) fn halt(&mut self, on: bool, by: Option<AgentName>) {
        self.tmux.halt(on);
        if on != self.engine.state().halted.is_some() {
            self.step(Input::Halt(on, by));
        }
    }
}
