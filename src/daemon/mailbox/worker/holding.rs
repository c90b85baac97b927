//! A claim comes while something lies in the drop zones, with every kind of "no room": it waits for what may be a part.

use super::state::{Disk, Worker, worker};
use crate::daemon::mailbox::channel::{Mailing, mailing};
use crate::daemon::mailbox::handled::Handled;
use crate::daemon::mailbox::mail::{Dropped, Job};
use crate::daemon::mailbox::room::Room;
use crate::engine::message::Source;
use crate::io::clock::Clock;
use crate::io::mailbox::Mailbox;
use crate::io::watch::Watch;
use crate::wire::zone::ZoneSpec;
use std::collections::BTreeSet;

use crate::daemon::inbox::{NEWS_MAX, News};
use crate::daemon::start::replay;
use crate::engine::team::Team;
use crate::engine::words::Millis;
use crate::io::fake::{Chance, Faults, Machine, World};
use crate::io::journal::Journal;
use std::fs;
use tokio::sync::mpsc;

const PART: &str = "from: boss\nto: worker\ncontent: 一部\n";
/// Longer than a claim waits for a file that is still being written.
const LONG_MS: u64 = 5_000;
/// And longer than it waits for one with which something else is wrong.
const MINUTE_MS: u64 = 61_000;

/// The thread's work, a piece at a time.
struct Bench {
    root: tempfile::TempDir,
    worker: Worker,
    mailing: Mailing,
    news: mpsc::Receiver<News>,
    /// What was told while the loop is behind, if it is.
    behind: Option<Vec<Dropped>>,
    _journal: Journal,
}

/// What became of a claim, and of what lay there.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Taken(String),
    Refused(String),
    Swept,
}

impl Bench {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let machine = Machine {
            root: root.path().canonicalize().unwrap(),
            elapsed_ms: 1,
            slept_ms: 0,
            wall: Millis(1_000),
            chance: Chance::new(1),
            world: World::default(),
            flushed: Default::default(),
            free_bytes: u64::MAX,
            faults: Faults::default(),
            made: Vec::new(),
            log: None,
        };
        let (dir, mailbox) = (root.path().join(".tasuki/journal"), Mailbox::open(root.path()).unwrap());
        let (journal, _) = replay::open(&dir, "boot", Team::default()).unwrap();
        machine.install();
        let (mailing, _) = mailing();
        let (sender, news) = mpsc::channel(NEWS_MAX);
        let disk = Disk { folder: root.path().to_owned(), low_bytes: 1 << 20, full: false, ground: None };
        let names = BTreeSet::from(["boss".to_owned(), "worker".to_owned()]);
        let (mut worker, _) = worker(
            mailbox,
            Handled::default(),
            journal.archive(),
            (disk, Watch::none()),
            Clock::start(),
            (&mailing, names, sender),
        );
        worker.go_round(None); // the first look
        let mut bench = Self { root, worker, mailing, news, behind: None, _journal: journal };
        bench.seen();
        bench
    }

    fn drop(&self, name: &str, text: &str) {
        fs::write(self.root.path().join("queue").join(name), text).unwrap();
    }

    /// Looks, for so long.
    fn look(&mut self, for_ms: u64) -> Vec<Seen> {
        let until = Machine::with(|machine| machine.elapsed_ms) + for_ms;
        let mut seen = Vec::new();
        while Machine::with(|machine| machine.elapsed_ms) < until {
            Machine::with(|machine| machine.elapsed_ms += 20);
            assert!(self.worker.go_round(None));
            seen.extend(self.seen());
        }
        seen
    }

    fn claim(&mut self, number: u64) -> Vec<Seen> {
        assert!(self.worker.go_round(Some(Job::Sweep(number))));
        self.seen()
    }

    fn seen(&mut self) -> Vec<Seen> {
        let mut seen = Vec::new();
        while let Ok(News::Mail(mail)) = self.news.try_recv() {
            seen.extend(mail.drops.iter().map(|dropped| match dropped {
                Dropped::Drafts { source: Source::File { name, .. }, .. } => Seen::Taken(name.to_string()),
                Dropped::Bad { source: Source::File { name, .. }, .. } => Seen::Refused(name.to_string()),
                other => panic!("{other:?}"),
            }));
            match &mut self.behind {
                Some(behind) => behind.extend(mail.drops),
                None => self.mailing.taken(&mail.drops),
            }
            seen.extend(mail.swept.map(|_| Seen::Swept));
        }
        seen
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        Machine::remove();
    }
}

fn taken(name: &str) -> Seen {
    Seen::Taken(name.to_owned())
}

#[test]
fn where_nothing_lies_there_a_claim_goes_on_at_once() {
    for room in [Room::ForParts, Room::For(1), Room::For(usize::MAX)] {
        let mut bench = Bench::new();
        bench.mailing.set_room(room);
        assert_eq!(bench.claim(1), [Seen::Swept], "{room:?}");
    }
}

#[test]
fn a_part_is_taken_before_a_claim_goes_on_whether_the_disk_or_the_workspace_is_full() {
    for (free, room) in [
        (0, Room::For(usize::MAX)),
        (0, Room::ForParts),
        (u64::MAX, Room::ForParts),
        (u64::MAX, Room::For(1)),
    ] {
        let mut bench = Bench::new();
        bench.mailing.set_room(room);
        Machine::with(|machine| machine.free_bytes = free);
        bench.drop("user.yaml", "to: worker\ncontent: waits for room\n");
        bench.drop("user2.yaml", "to: worker\ncontent: waits for room\n");
        bench.drop("part.yaml", PART);
        let mut seen = bench.claim(1);
        seen.retain(|seen| *seen != taken("user.yaml")); // there may be room for one
        assert_eq!(seen, [taken("part.yaml"), Seen::Swept], "{free} {room:?}");
    }
}

#[test]
fn what_is_only_to_be_refused_is_refused_before_a_claim_goes_on() {
    let mut bench = Bench::new();
    bench.mailing.set_room(Room::ForParts);
    fs::create_dir(bench.root.path().join("queue/boss_to_worker.yaml")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", bench.root.path().join("queue/link.yaml")).unwrap();
    bench.drop("broken.yaml", "to: [worker\n");
    bench.drop("large.yaml", &"x".repeat((1 << 20) + 1));
    let mut seen = bench.claim(1);
    assert_eq!(seen.pop(), Some(Seen::Swept));
    let mut names: Vec<String> = seen
        .into_iter()
        .map(|seen| if let Seen::Refused(name) = seen { name } else { panic!("{seen:?}") })
        .collect();
    names.sort();
    assert_eq!(names, ["boss_to_worker.yaml", "broken.yaml", "large.yaml", "link.yaml"]);
}

#[test]
fn a_claim_waits_for_what_cannot_be_moved_since_nothing_more_fits_on_the_disk() {
    let mut bench = Bench::new();
    bench.drop("part.yaml", PART);
    Machine::with(|machine| machine.faults.no_names = true);
    assert_eq!(bench.claim(1), []);
    assert_eq!(bench.look(MINUTE_MS), [], "it is whole, and may be a part");
    assert!(bench.worker.mail().stuck.is_some_and(|why| why.contains("part.yaml")), "and that is said");
    Machine::with(|machine| machine.faults.no_names = false);
    assert_eq!(bench.look(LONG_MS), [taken("part.yaml"), Seen::Swept]);
    assert_eq!(bench.worker.mail().stuck, None);
}

#[test]
fn a_claim_waits_for_no_zone_that_cannot_be_used() {
    let mut bench = Bench::new();
    let zone = |place| ZoneSpec { place, owner: None, status: None };
    let (later, there) = (bench.root.path().join("later/zone"), bench.root.path().join("there"));
    assert!(bench.worker.go_round(Some(Job::Zones(vec![zone(later), zone(there.clone())]))));
    bench.look(20);
    fs::write(there.join("part.yaml"), PART).unwrap();
    assert_eq!(bench.claim(1), [taken("part.yaml"), Seen::Swept], "what lies in another one is a part, too");
    assert_eq!(bench.worker.mail().stuck, None);
}

#[test]
fn what_was_taken_away_is_not_waited_for() {
    let mut bench = Bench::new();
    bench.drop("part.yaml", PART);
    Machine::with(|machine| machine.faults.no_names = true);
    assert_eq!(bench.claim(1), []);
    fs::remove_file(bench.root.path().join("queue/part.yaml")).unwrap();
    assert_eq!(bench.look(LONG_MS), [Seen::Swept]);
}

#[test]
fn a_claim_waits_for_a_part_that_lies_behind_more_than_can_be_looked_at_at_once() {
    for room in [Room::ForParts, Room::For(usize::MAX)] {
        let mut bench = Bench::new();
        bench.mailing.set_room(room);
        // The newest are looked at first where there is no room, the oldest where there is.
        let number = |at: usize| format!("{at:04}.yaml");
        let part = if room == Room::ForParts { 0 } else { 2_999 };
        for at in 0..3_000 {
            bench.drop(&number(at), if at == part { PART } else { "to: worker\ncontent: waits\n" });
        }
        let mut seen = Vec::new();
        for _ in 0..100 {
            Machine::with(|machine| machine.elapsed_ms += LONG_MS); // a slow machine
            seen.extend(if seen.is_empty() { bench.claim(1) } else { bench.look(1) });
            if seen.contains(&Seen::Swept) {
                break;
            }
        }
        let at = |wanted: &Seen| seen.iter().position(|seen| seen == wanted);
        assert!(at(&taken(&number(part))) < at(&Seen::Swept), "{room:?}");
        assert!(at(&taken(&number(part))).is_some(), "{room:?}");
    }
}

#[test]
fn what_somebody_still_writes_is_waited_for_no_longer_than_two_seconds() {
    let mut bench = Bench::new();
    let path = bench.root.path().join("queue/part.yaml");
    let file = fs::File::create(&path).unwrap();
    fs::write(&path, PART).unwrap();
    assert_eq!(bench.claim(1), []);
    assert_eq!(bench.look(1_900), []);
    assert_eq!(bench.look(200), [Seen::Swept]);
    assert_eq!(bench.claim(2), [Seen::Swept], "once");
    drop(file);
    assert_eq!(bench.look(LONG_MS), [taken("part.yaml")]);
}

#[test]
fn a_claim_waits_while_it_cannot_be_read_what_is_known() {
    let mut bench = Bench::new();
    bench.worker.part_waits = true;
    assert_eq!(bench.claim(1), []);
    assert_eq!(bench.look(MINUTE_MS), [], "what was put off may be a part");
    bench.worker.part_waits = false;
    assert_eq!(bench.look(LONG_MS), [Seen::Swept]);
}

#[test]
fn while_the_loop_is_behind_files_stay_where_they_are() {
    let mut bench = Bench::new();
    bench.behind = Some(Vec::new());
    for at in 0..30 {
        bench.drop(&format!("{at:02}.yaml"), &"to: worker\ncontent: 仕事\n---\n".repeat(100));
    }
    assert_eq!(
        bench.claim(1).len(),
        31,
        "one look takes them, three thousand messages, and the claim goes on"
    );
    bench.drop("late.yaml", PART);
    assert_eq!(bench.claim(2), [], "this one waits");
    assert_eq!(bench.look(MINUTE_MS), [], "as long as they are on their way");
    bench.mailing.taken(&bench.behind.take().unwrap());
    assert_eq!(bench.look(20), [taken("late.yaml"), Seen::Swept]);
}
