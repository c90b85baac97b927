//! Views that cannot be written for long, while the journal goes on in new segments.

use super::*;
use crate::engine::input::Command;

/// A task that was called off, and a folder in the place of its result: what has ended is owed.
async fn owing(bench: &mut Bench) -> Incarnation {
    std::fs::create_dir(place(bench)).unwrap();
    let mut life = bench.begin().await;
    life.daemon.take_input(task("t"));
    let command = Command::cancel(MessageId::new("t").unwrap());
    life.daemon.take_input(Input::Command { request: RequestId(1), by: None, command });
    life.daemon.work_until_idle().await;
    assert!(life.daemon.views.owes() && !life.daemon.is_open("t"));
    life
}

/// Where its result belongs.
fn place(bench: &Bench) -> std::path::PathBuf {
    bench.folder.path().join("queue/results/t.yaml")
}

fn segments(bench: &Bench) -> usize {
    let names = std::fs::read_dir(bench.process.workspace.journal()).unwrap();
    names.filter(|name| name.as_ref().unwrap().file_name().to_string_lossy().ends_with(".jsonl")).count()
}

impl Daemon {
    /// Takes in what makes a segment as large as it may be, and works until nothing is left to do.
    async fn fill_the_segment(&mut self) {
        for part in 0..3 {
            let content = "長".repeat(300_000);
            let id = format!("long-{}-{part}", self.engine.state().seq.0);
            self.take_input(asked(&format!("id: {id}\nto: user\ntype: info\ncontent: {content}\n")));
            self.work_until_idle().await;
        }
        self.rotate_if_it_wants().await;
    }

    async fn rotate_if_it_wants(&mut self) {
        while self.journal.rotation.stage != RotationStage::No {
            self.hear_threads().await;
            self.hand_out().unwrap();
        }
        self.work_until_idle().await;
    }

    async fn try_again(&mut self) {
        self.later(30_000);
        self.wake();
        self.work_until_idle().await;
        self.rotate_if_it_wants().await;
    }
}

#[tokio::test]
async fn a_result_that_cannot_be_written_holds_no_segment_up_and_is_written_when_it_can_be() {
    let mut bench = Bench::new();
    let mut life = owing(&mut bench).await;
    let (daemon, t) = (&mut life.daemon, MessageId::new("t").unwrap());
    daemon.fill_the_segment().await;
    assert_eq!(segments(&bench), 2, "it does not grow without end");
    daemon.fill_the_segment().await;
    assert_eq!(segments(&bench), 3, "nor does the next");
    assert!(daemon.journal.rotation.closed.contains(&t) && daemon.engine.state().finished.len() == 1);
    assert!(daemon.engine.knows(&t));
    assert!(daemon.health.notes.list().iter().any(|note| note.contains("views cannot be written")));
    std::fs::remove_dir(place(&bench)).unwrap();
    daemon.try_again().await;
    assert!(std::fs::read_to_string(place(&bench)).unwrap().contains("in_reply_to: t"));
    assert!(
        daemon.journal.rotation.closed.is_empty()
            && daemon.health.notes.list().is_empty()
            && daemon.engine.knows(&t)
    );
    assert!(daemon.engine.state().finished.is_empty() && daemon.journal.places().is_empty());
    daemon.close(Ending::StopAgents).await;
    life.end().await;
    let dir = bench.process.workspace.journal();
    assert!(crate::io::journal::fsck(&dir).unwrap().is_sound());
    let (journal, _) = replay::open(&dir, "after", bench.settings.team.clone()).unwrap();
    assert_eq!(
        journal.archive().known(&t).unwrap().unwrap().segment,
        1,
        "in the list of its own segment alone"
    );
}

#[tokio::test]
async fn a_result_that_a_killed_daemon_owed_over_a_turn_is_written_by_the_next() {
    let mut bench = Bench::new();
    let mut life = owing(&mut bench).await;
    life.daemon.fill_the_segment().await;
    assert_eq!(segments(&bench), 2);
    drop(life.fail().await); // killed
    let mut life = bench.begin().await;
    life.daemon.work_until_idle().await;
    assert!(life.daemon.views.owes(), "the folder is there still");
    drop(life.fail().await);
    std::fs::remove_dir(place(&bench)).unwrap();
    let mut life = bench.begin().await;
    life.daemon.work_until_idle().await;
    assert!(place(&bench).is_file() && !life.daemon.views.owes());
    life.daemon.close(Ending::StopAgents).await;
    life.end().await;
}

#[tokio::test]
async fn a_result_that_would_be_removed_at_once_is_owed_no_more() {
    let mut bench = Bench::new();
    let mut life = owing(&mut bench).await;
    let daemon = &mut life.daemon;
    daemon.fill_the_segment().await;
    daemon.timers.clock.set_wall(0);
    daemon.expire();
    assert!(daemon.views.owes() && daemon.journal.rotation.closed.len() == 1, "it is kept for days");
    daemon.later(daemon.config.settings.general.retention_ms);
    daemon.timers.clock.set_wall(0);
    daemon.expire();
    daemon.work_until_idle().await;
    assert!(
        !daemon.views.owes()
            && daemon.journal.rotation.closed.is_empty()
            && daemon.journal.places().is_empty()
    );
    daemon.close(Ending::StopAgents).await;
    life.end().await;
}
