//! The loop at moments that nobody outside can choose: while launches wait for the journal, while a segment is turned,
//! before the mailbox has seen what the loop did.

mod beginning;
mod deadlines;
mod hands;
mod keeping;
mod owing;

use super::daemon::Daemon;
use crate::daemon::clients::request::{Call, Request, Response};
use crate::daemon::ending::Ending;
use crate::daemon::health::notes::About;
use crate::daemon::health::service_notifier::ServiceNotifier;
use crate::daemon::inbox::News;
use crate::daemon::journal::rotation::RotationStage;
use crate::daemon::mailbox::mail::{Dropped, Mail};
use crate::daemon::mailbox::room::Room;
use crate::daemon::start::incarnation::{Incarnation, begin};
use crate::daemon::start::replay::{self, Memory};
use crate::daemon::start::state::Process;
use crate::daemon::start::unavailable::Unavailable;
use crate::daemon::tmux::server::tmux_server;
use crate::engine::input::{Input, Reply, Report, Shown};
use crate::engine::message::refusal::Code;
use crate::engine::message::{RequestId, Source};
use crate::engine::state::Phase;
use crate::engine::words::MessageId;
use crate::engine::words::{AgentName, Millis, Nonce};
use crate::io::clock::Clock;
use crate::io::journal::Journal;
use crate::io::workspace::{Surroundings, Workspace};
use crate::wire::message::draft;
use crate::wire::team_file::Settings;
use chrono::Utc;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;

/// How long anything may take on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

static NUMBER: AtomicU32 = AtomicU32::new(0);

/// A workspace with one agent, and a tmux server of its own.
struct Bench {
    folder: tempfile::TempDir,
    process: Process,
    settings: Settings,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let socket = format!("tasuki-loop-{}-{number}", std::process::id());
        let team = format!(
            "tmux_socket: {socket}\nagents: [{{name: worker, provider: plain, command: [cat], marker: OK}}]\n"
        );
        std::fs::write(folder.path().join("tasuki.yaml"), team).unwrap();
        let workspace = Workspace::at(folder.path()).unwrap();
        workspace.prepare().unwrap();
        let around = Surroundings::of_this_process().unwrap();
        let settings = Settings::load(&workspace, &around).unwrap().settings;
        let server = tmux_server(&workspace, &around, &settings);
        let (clock, calls, socket) = (Clock::start(), mpsc::channel(1).1, folder.path().join("socket"));
        let notifier = ServiceNotifier::default();
        let boot = "test".to_owned();
        let unavailable = Unavailable::new(mpsc::channel(1).0, workspace.clone());
        let process = Process {
            workspace,
            around,
            clock,
            boot,
            calls,
            unavailable,
            ground: None,
            socket,
            server,
            notifier,
            published: crate::daemon::clients::published::Published::default(),
            notify: crate::daemon::notify::NotifyHandle::default(),
            pulse: crate::daemon::tmux::pulse::PulseHandle::default(),
        };
        Self { folder, process, settings }
    }

    /// A life in which nothing was handed out yet.
    async fn begin(&mut self) -> Incarnation {
        begin(&mut self.process, self.settings.clone(), None).await.unwrap()
    }

    fn tmux(&self, arguments: &[&str]) -> String {
        let mut tmux = std::process::Command::new("tmux");
        let output = tmux.args(["-L", &self.process.server.socket]).args(arguments).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

impl Incarnation {
    /// Ends its threads, and the journal in order.
    async fn end(self) {
        let Self { daemon, journal, others } = self;
        drop(daemon);
        let ended = tokio::task::spawn_blocking(move || {
            journal.join().unwrap().close().unwrap();
            others.into_iter().for_each(|thread| thread.join().unwrap());
        });
        ended.await.unwrap();
    }
}

impl Incarnation {
    /// Its loop ends as if a write had failed; the journal, to go on with.
    async fn fail(self) -> Journal {
        let Self { daemon, journal, others } = self;
        drop(daemon);
        let ended = tokio::task::spawn_blocking(move || {
            others.into_iter().for_each(|thread| thread.join().unwrap());
            journal.join().unwrap()
        });
        ended.await.unwrap()
    }
}

impl Daemon {
    /// Works until nothing waits to be written or shown.
    async fn work_until_idle(&mut self) {
        self.views.hurry();
        self.hand_out().unwrap();
        while !(self.journal.is_idle() && self.views.is_idle()) {
            self.hear_threads().await;
            self.views.hurry();
            self.hand_out().unwrap();
        }
    }

    /// Time passes.
    fn later(&mut self, ms: u64) {
        self.timers.clock = Clock::starting_at(self.timers.clock.now().plus(ms));
    }

    async fn rotate(&mut self) {
        self.journal.rotation.stage = RotationStage::Draining;
        self.hand_out().unwrap();
        while self.journal.rotation.stage != RotationStage::No {
            self.hear_threads().await;
            self.hand_out().unwrap();
        }
    }

    /// Hears what the journal or the views have done.
    async fn hear_threads(&mut self) {
        let heard = async {
            tokio::select! {
                Some(written) = self.journal.answers.recv() => self.written(written).unwrap(),
                Some(shown) = self.views.answers.recv() => self.shown(shown),
            }
        };
        tokio::time::timeout(PATIENCE, heard).await.unwrap();
    }

    fn is_open(&self, id: &str) -> bool {
        self.engine.state().open.contains_key(&MessageId::new(id).unwrap())
    }

    fn asks_to_halt(&mut self, on: bool) {
        let (answer, _answered) = tokio::sync::oneshot::channel();
        self.call(Call { request: Request::Halt(on), key: None, answer });
    }
}

fn task(id: &str) -> Input {
    asked(&format!("id: {id}\nto: worker\ncontent: やって\n"))
}

fn asked(text: &str) -> Input {
    let mut mint = || MessageId::new("never").unwrap();
    let drafts = draft::read(text.as_bytes(), None, &|_| true, &mut mint, Millis(0), &Utc).unwrap();
    Input::Drop { source: Source::Request(RequestId(0)), drafts, proof: None }
}

fn seen(halted: (bool, usize)) -> News {
    News::Mail(Mail {
        drops: Vec::new(),
        notes: Vec::new(),
        halted,
        forgotten: Vec::new(),
        full: false,
        polling: None,
        stuck: None,
        burst: false,
        archives: 0,
        swept: Default::default(),
    })
}

#[tokio::test]
async fn nobody_is_started_after_the_end_began() {
    let mut bench = Bench::new();
    let mut life = bench.begin().await;
    let worker = life.daemon.engine.state().agents.values().next().unwrap();
    assert!(
        worker.phase == Phase::Launching && !life.daemon.journal.is_idle(),
        "its launch waits for the journal"
    );
    life.daemon.close(Ending::KeepAgents).await;
    assert!(!bench.tmux(&["list-windows", "-a", "-F", "#{window_name}"]).contains("worker"));
    life.end().await;
    let mut next = bench.begin().await;
    while next.daemon.panes.tasks.is_empty() {
        next.daemon.hand_out().unwrap();
        next.daemon.hear_threads().await;
    }
    next.daemon.close(Ending::StopAgents).await;
    next.end().await;
}

#[tokio::test]
async fn what_comes_while_a_segment_turns_is_taken_afterwards() {
    let mut bench = Bench::new();
    let mut life = bench.begin().await;
    let daemon = &mut life.daemon;
    daemon.views.removed(); // else there is nothing to be synced
    daemon.note(About::Segment, Some("the last time that was not possible".to_owned()));
    daemon.journal.rotation.stage = RotationStage::Draining;
    let mut came = Vec::new();
    while daemon.journal.rotation.stage != RotationStage::No {
        daemon.hand_out().unwrap();
        if daemon.journal.rotation.stage.is_making_snapshot() {
            let id = format!("t-{}", came.len());
            daemon.step(task(&id));
            assert!(!daemon.is_open(&id), "it would not be in the snapshot");
            came.push(id);
        }
        if daemon.journal.rotation.stage == RotationStage::Writing {
            let (agent, worker) = daemon.engine.state().agents.iter().next().unwrap();
            let (agent, nonce) = (agent.clone(), worker.nonce.unwrap());
            let report = Report::StartFailed { why: "no more ptys".to_owned() };
            daemon.step(Input::Report { agent, nonce, report });
        }
        daemon.hear_threads().await;
    }
    assert_eq!(came.len(), 2, "while the views are synced, and while the segment is written");
    assert!(daemon.health.notes.list().is_empty(), "that none could be begun holds no more");
    assert!(came.iter().all(|id| daemon.is_open(id)));
    daemon.close(Ending::StopAgents).await;
    life.end().await;
    let dir = bench.process.workspace.journal();
    assert!(dir.join("000002.jsonl").exists());
    assert!(crate::io::journal::fsck(&dir).unwrap().is_sound());
    let (_, memory) = replay::open(&dir, "after", bench.settings.team.clone()).unwrap();
    let state = memory.fold.engine.state();
    assert_eq!(state.open.keys().map(MessageId::as_str).collect::<Vec<_>>(), came);
    assert!(
        matches!(state.agents.values().next().unwrap().phase, Phase::Restarting { .. }),
        "{:?}",
        state.agents
    );
}

#[tokio::test]
async fn what_was_seen_of_the_stop_file_before_the_loop_changed_it_counts_no_more() {
    let mut bench = Bench::new();
    let mut life = bench.begin().await;
    let daemon = &mut life.daemon;
    for _ in 0..3 {
        daemon.asks_to_halt(true);
        assert!(daemon.engine.state().halted.is_some());
        daemon.asks_to_halt(false);
    }
    for halts in 0..6 {
        daemon.hear(seen((true, halts)));
        assert_eq!(daemon.engine.state().halted, None, "seen after {halts} of 6 changes");
    }
    daemon.hear(seen((true, 6)));
    assert!(daemon.engine.state().halted.is_some(), "a person has made it since");
    daemon.asks_to_halt(true);
    daemon.hear(seen((false, 6)));
    assert!(daemon.engine.state().halted.is_some(), "it was made again since");
    daemon.close(Ending::StopAgents).await;
    life.end().await;
}

#[tokio::test]
async fn what_waits_for_room_is_taken_as_soon_as_there_is_some() {
    let mut bench = Bench::new();
    let mut life = bench.begin().await;
    let Daemon { mailbox: mail, inbox, .. } = &mut life.daemon;
    mail.submit(Room::Shut);
    std::fs::write(bench.folder.path().join("queue/t.yaml"), "id: t\nto: worker\ncontent: a\n").unwrap();
    // Between any two jobs the thread looks; so it has looked before it has done the second.
    for number in 1..=2 {
        mail.look();
        mail.look_up(Source::Request(RequestId(number)), Vec::new(), None);
        mail.submit(Room::Shut);
        assert_eq!(next_drop(&mut inbox.receiver).await, Some(Source::Request(RequestId(number))));
    }
    assert!(bench.folder.path().join("queue/t.yaml").exists());
    let began = tokio::time::Instant::now();
    mail.submit(Room::For(1));
    assert!(
        matches!(next_drop(&mut inbox.receiver).await, Some(Source::File { name, .. }) if &*name == "t.yaml")
    );
    let took = began.elapsed();
    assert!(took < Duration::from_secs(3), "not at the next sweep, which comes after 5 s: {took:?}");
    life.daemon.close(Ending::StopAgents).await;
    life.end().await;
}

#[tokio::test]
async fn places_are_kept_for_a_file_that_has_waited_long_for_many() {
    let mut bench = Bench::new();
    let mut life = bench.begin().await;
    let daemon = &mut life.daemon;
    let most = usize::try_from(daemon.engine.team().limits.open_max).unwrap();
    let source = || Source::File { claim: "1-0-a.yaml".into(), name: "a.yaml".into() };
    let long_ago = Millis(daemon.timers.clock.now().0 - 60_000);
    daemon.mailbox.defer(source(), most + 1, long_ago);
    assert_eq!(daemon.room(), Room::For(most), "with nothing open there is all that can be");
    daemon.step(task("t"));
    assert_eq!(daemon.room(), Room::ForParts, "a single one would take the place");
    daemon.mailbox.defer(source(), most - 1, long_ago);
    assert_eq!(daemon.room(), Room::For(most - 1), "it has as many as it needs");
    daemon.mailbox.forget(source());
    daemon.mailbox.defer(source(), most, daemon.timers.clock.now());
    assert_eq!(daemon.room(), Room::For(most - 1), "it has not waited for long");
    life.daemon.close(Ending::StopAgents).await;
    life.end().await;
}

#[tokio::test]
async fn while_the_views_are_far_behind_nothing_new_is_taken_but_answers_and_parts() {
    let mut bench = Bench::new();
    let mut life = bench.begin().await;
    let daemon = &mut life.daemon;
    let mut ended = |number: usize| {
        let id = MessageId::new(&format!("e-{number}")).unwrap();
        daemon.views.mark(Shown::Finished(id));
        daemon.room()
    };
    let rooms: Vec<Room> = (0..30_000).map(&mut ended).collect();
    let first = rooms.iter().position(|room| *room == Room::ForParts).unwrap();
    assert!((10_000..25_000).contains(&first), "{first}");
    assert!(rooms[..first].iter().all(|room| room.messages() > 10_000), "none of these is open");
    assert!(rooms[first..].iter().all(|room| *room == Room::ForParts));
    life.daemon.close(Ending::StopAgents).await;
    life.end().await;
}

#[tokio::test]
async fn at_the_end_what_lay_in_the_queue_is_taken_before_a_claim_and_else_left() {
    for claims in [true, false] {
        let mut bench = Bench::new();
        let mut life = bench.begin().await;
        let Daemon { mailbox: mail, inbox, .. } = &mut life.daemon;
        mail.look_up(Source::Request(RequestId(1)), Vec::new(), None);
        mail.submit(Room::Shut); // and once the thread has done the job, it has seen that
        next_drop(&mut inbox.receiver).await.unwrap();
        let queued = bench.folder.path().join("queue/part.yaml");
        std::fs::write(&queued, "id: part\nto: worker\ncontent: 一部\n").unwrap();
        if claims {
            life.daemon.take_input(asked("type: result\nto: user\nin_reply_to: t\ncontent: done\n"));
        }
        life.daemon.mailbox.look();
        life.daemon.close(Ending::KeepAgents).await;
        assert_eq!((life.daemon.is_open("part"), queued.exists()), (claims, !claims));
        assert!(life.daemon.mailbox.claims.is_empty());
        life.end().await;
    }
}

#[tokio::test]
async fn a_stop_file_that_is_there_at_the_start_counts_before_anybody_has_looked() {
    let mut bench = Bench::new();
    std::fs::write(bench.folder.path().join("queue/STOP"), "").unwrap();
    let life = bench.begin().await;
    assert!(life.daemon.panes.tmux.is_halted() && life.daemon.engine.state().halted.is_some());
    life.end().await;
}

#[tokio::test]
async fn what_an_earlier_daemon_may_have_removed_is_flushed_before_the_segment_is_left() {
    let mut bench = Bench::new();
    let mut life = bench.begin().await;
    life.daemon.views.sync();
    assert!(life.daemon.views.is_settled(), "nothing was removed");
    let (claim, Input::Drop { drafts, .. }) = ("0-0-t.yaml", task("t")) else { panic!("a drop") };
    let source = Source::File { claim: claim.into(), name: "t.yaml".into() };
    life.daemon.take_input(Input::Drop { source, drafts, proof: None });
    life.daemon.close(Ending::StopAgents).await;
    life.end().await;
    // Its file is gone, which may be so in memory only; a snapshot would not name it any more.
    let mut life = bench.begin().await;
    life.daemon.views.sync();
    assert!(!life.daemon.views.is_settled(), "it waits for a flush");
    life.daemon.close(Ending::StopAgents).await;
    life.end().await;
}

/// Where the next drop came from.
async fn next_drop(inbox: &mut mpsc::Receiver<News>) -> Option<Source> {
    loop {
        let news = tokio::time::timeout(PATIENCE, inbox.recv()).await.unwrap()?;
        if let News::Mail(Mail { drops, .. }) = news
            && let Some(Dropped::Drafts { source, .. }) = drops.into_iter().next()
        {
            return Some(source);
        }
    }
}

#[tokio::test]
async fn whoever_shows_a_key_that_is_nobodys_is_refused_and_not_taken_for_somebody_without() {
    let mut bench = Bench::new();
    let mut life = bench.begin().await;
    let Input::Drop { drafts, .. } = task("k") else { panic!("a drop") };
    let (answer, mut answered) = tokio::sync::oneshot::channel();
    life.daemon.call(Call { request: Request::Send { drafts }, key: Some("0".repeat(32)), answer });
    let Ok(Response::Reply(Reply::Refused(refusal))) = answered.try_recv() else { panic!("an answer") };
    assert_eq!(refusal.code, Code::BadProof);
    assert!(refusal.cure().contains("TASUKI_AGENT_KEY"), "a token is no key: {}", refusal.cure());
    life.daemon.hand_out().unwrap();
    assert!(!life.daemon.is_open("k"));
    life.end().await;
}
