//! What a life finds when it begins: ends that nobody was told of, views that are owed, views half written.

use super::*;
use crate::io::fake::{Chance, Faults, Keeps, Machine, World};
use crate::io::journal::{LOW_SPACE_BYTES, RESERVE_BYTES};

impl Daemon {
    /// Shows all that may be shown, while the journal writes nothing.
    async fn show_until_idle(&mut self) {
        loop {
            self.views.hurry();
            self.views.submit(&self.engine, &self.journal, self.timers.clock.now()).unwrap();
            if self.views.is_idle() {
                return;
            }
            self.hear_threads().await;
        }
    }
}

#[tokio::test]
async fn what_ends_as_a_life_begins_ends_in_the_segment_of_that_life() {
    let mut bench = Bench::new();
    let mut life = bench.begin().await;
    let now = life.daemon.timers.clock.wall();
    let deadline = crate::wire::time::rfc3339(now.plus(3_600_000));
    let late = |id: &str, kind: &str| {
        asked(&format!("id: {id}\nto: worker\ntype: {kind}\ndeadline: {deadline}\ncontent: 間に合う?\n"))
    };
    life.daemon.take_input(late("late", "task"));
    life.daemon.take_input(late("word", "info"));
    life.daemon.work_until_idle().await;
    let journal = life.fail().await;
    bench.process.clock = Clock::starting_at(bench.process.clock.now().plus(2 * 3_600_000));
    bench.process.clock.set_wall(0);
    let mut life = begin(&mut bench.process, bench.settings.clone(), Some(journal)).await.unwrap();
    let late = MessageId::new("late").unwrap();
    assert!(life.daemon.engine.state().finished.contains_key(&late), "its deadline has passed");
    assert!(!life.daemon.journal.rotation.closed.contains(&late), "no earlier segment has its end");
    // Nobody is shown it before that is written: a cut could undo it.
    let done = bench.folder.path().join("queue/done");
    let shown = |id: &str| is_in(&done, id);
    life.daemon.show_until_idle().await;
    assert!(!life.daemon.journal.is_idle() && !shown("late") && !shown("word"));
    life.daemon.work_until_idle().await;
    assert!(bench.folder.path().join("queue/results/late.yaml").exists() && shown("late") && shown("word"));
    life.daemon.rotate().await;
    life.daemon.close(Ending::StopAgents).await;
    life.end().await;
    let (journal, _) =
        replay::open(&bench.process.workspace.journal(), "after", bench.settings.team.clone()).unwrap();
    assert!(journal.archive().known(&late).unwrap().is_some(), "and who sends it again is told so");
}

#[tokio::test]
async fn what_an_earlier_daemon_owed_is_shown_and_forgotten_then() {
    let mut bench = Bench::new();
    let (dir, team) = (bench.process.workspace.journal(), bench.settings.team.clone());
    let mut life = bench.begin().await;
    life.daemon.take_input(asked("id: info\nto: user\ntype: info\ncontent: 知らせ\n"));
    life.daemon.work_until_idle().await;
    drop(life.fail().await);
    std::fs::remove_dir_all(bench.folder.path().join("queue/done")).unwrap();
    // It could not be shown, a new segment was begun, and the daemon was killed.
    let (mut journal, _) = replay::open(&dir, "second", team.clone()).unwrap();
    journal.stop("a test");
    let blind = |memory: &Memory, _| memory.fold.engine.state().finished.keys().cloned().collect();
    replay::try_again(&dir, &mut journal, team.clone(), bench.process.clock.now(), &blind).unwrap();
    drop(journal);
    let mut life = bench.begin().await;
    let info = MessageId::new("info").unwrap();
    assert!(life.daemon.journal.rotation.closed.contains(&info));
    life.daemon.work_until_idle().await;
    assert!(is_in(&bench.folder.path().join("queue/done"), "info"));
    assert!(
        life.daemon.journal.rotation.closed.is_empty()
            && !life.daemon.engine.state().finished.contains_key(&info)
    );
    life.daemon.rotate().await;
    life.daemon.close(Ending::StopAgents).await;
    life.end().await;
    let (journal, _) = replay::open(&dir, "after", team).unwrap();
    assert_eq!(journal.archive().known(&info).unwrap().unwrap().segment, 1, "in the list of its own segment");
}

#[tokio::test]
async fn what_an_earlier_daemon_was_writing_when_it_was_killed_goes() {
    let mut bench = Bench::new();
    let half = ["queue/active/.t-1.yaml.tmp", "status/agents/.worker.yaml.tmp"];
    half.iter().for_each(|file| std::fs::write(bench.folder.path().join(file), "id: t-").unwrap());
    let mut life = bench.begin().await;
    life.daemon.work_until_idle().await;
    assert!(half.iter().all(|file| !bench.folder.path().join(file).exists()));
    life.daemon.close(Ending::StopAgents).await;
    life.end().await;
}

#[tokio::test]
async fn what_is_kept_no_longer_is_not_shown_again() {
    let mut bench = Bench::new();
    let (done, ended_at) = (bench.folder.path().join("queue/done"), bench.process.clock.now());
    let mut life = bench.begin().await;
    life.daemon.take_input(asked("id: info\nto: user\ntype: info\ncontent: 昔の知らせ\n"));
    life.daemon.work_until_idle().await;
    for (later_ms, is_shown) in [(0, true), (bench.settings.general.retention_ms + 3_600_000, false)] {
        life.daemon.close(Ending::StopAgents).await;
        life.end().await;
        std::fs::remove_dir_all(&done).unwrap();
        bench.process.clock = Clock::starting_at(ended_at.plus(later_ms));
        life = bench.begin().await;
        life.daemon.work_until_idle().await;
        assert_eq!(is_in(&done, "info"), is_shown, "{later_ms} ms later");
    }
    life.daemon.close(Ending::StopAgents).await;
    life.end().await;
}

#[tokio::test]
async fn views_of_what_is_not_open_and_of_nobody_are_removed_as_a_life_begins() {
    let mut bench = Bench::new();
    let mut life = bench.begin().await;
    life.daemon.take_input(task("open"));
    life.daemon.work_until_idle().await;
    drop(life.fail().await);
    let [ended, nobody, open, worker] = [
        "queue/active/ended.yaml",
        "status/agents/nobody.yaml",
        "queue/active/open.yaml",
        "status/agents/worker.yaml",
    ]
    .map(|file| bench.folder.path().join(file));
    [&ended, &nobody].into_iter().for_each(|file| std::fs::write(file, "id: ended\n").unwrap());
    let mut life = bench.begin().await;
    life.daemon.work_until_idle().await;
    assert!(!ended.exists() && !nobody.exists(), "an earlier daemon was killed before it could remove them");
    assert!(open.exists() && worker.exists());
    life.daemon.close(Ending::StopAgents).await;
    life.end().await;
}

#[tokio::test]
async fn the_room_that_is_kept_for_a_full_disk_is_given_back_to_go_on_there_and_taken_again() {
    let mut bench = Bench::new();
    let (dir, team) = (bench.process.workspace.journal(), bench.settings.team.clone());
    let reserve = dir.join("reserve");
    let mut journal = bench.begin().await.fail().await;
    if fs2::available_space(&dir).unwrap() < LOW_SPACE_BYTES + 2 * RESERVE_BYTES {
        return println!("NOT TESTED: the disk has too little room for a reserve");
    }
    assert!(reserve.exists());
    journal.stop("a test");
    let machine = Machine {
        root: bench.folder.path().join("elsewhere"),
        elapsed_ms: 1,
        slept_ms: 0,
        wall: bench.process.clock.now(),
        chance: Chance::new(1),
        world: World::new(Keeps::Ordered),
        flushed: Default::default(),
        free_bytes: 0,
        faults: Faults::default(),
        made: Vec::new(),
        log: None,
    };
    machine.install();
    let show = |_: &Memory, _| {
        assert!(reserve.exists(), "views do not get the room of the new segment");
        BTreeSet::new()
    };
    let went_on = replay::try_again(&dir, &mut journal, team, Millis(1), &show);
    Machine::remove();
    assert!(went_on.is_ok() && !reserve.exists(), "{went_on:?}");
    drop(journal);
    let life = bench.begin().await;
    assert!(reserve.exists(), "there is room again");
    life.end().await;
}

/// Whether a message is among those that are done, on any day.
pub(super) fn is_in(done: &Path, id: &str) -> bool {
    let days = std::fs::read_dir(done).into_iter().flatten();
    days.into_iter().any(|day| day.unwrap().path().join(format!("{id}.yaml")).exists())
}
