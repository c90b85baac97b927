//! A disk that refuses: the journal stops, says so, and goes on in a new segment with what was durable.

use std::fs;

use super::super::fsck;
use super::*;
use crate::io::fake::{Faults, Keeps, Machine, World};
use crate::io::journal::names::segment_name;

fn gated(dir: &Path) -> (Journal, Toy, Arc<Gate>) {
    let (tap, gate, _) = Tap::gate();
    let mut disk = Disk::make(dir).unwrap();
    disk.tap = tap;
    let (journal, toy, _) = try_open(disk).unwrap();
    (journal, toy, gate)
}

/// Reads again and begins a new segment.
fn go_on(journal: &mut Journal) -> Result<Toy, JournalError> {
    let mut toy = Toy::default();
    journal.reread(&mut |entry| toy.take(entry))?;
    journal.start_new_segment(AT, toy.snapshot(), toy.finished.drain(..).collect::<Vec<_>>())?;
    Ok(toy)
}

#[test]
fn a_failed_flush_stops_the_journal_and_nothing_of_it_counts() {
    let dir = scratch();
    let (mut journal, mut toy, gate) = gated(dir.path());
    append(&mut journal, &mut toy, 2);
    journal.append(&steps(&journal, 1), false).unwrap();
    gate.refuse_after(1);
    let error = journal.append(&steps(&journal, 2), true).unwrap_err();
    expect_test::expect!["cannot make durable 000001.jsonl: Input/output error (os error 5); check the disk (`dmesg` often says more)"]
        .assert_eq(&error.to_string().replace(&format!("{}/", dir.path().display()), ""));
    assert!(journal.has_stopped() && !error.no_space());
    let before = fs::read(segment_path(dir.path(), 1)).unwrap();
    assert!(matches!(journal.append(&steps(&journal, 1), true), Err(JournalError::Stopped(_))));
    assert!(matches!(journal.sync(), Err(JournalError::Stopped(_))));
    assert!(matches!(journal.rotate(AT, "{}", []), Err(JournalError::Stopped(_))));
    // Steps 3 to 5 are in the page cache, but were never durable: as if they had not been.
    let mut again = go_on(&mut journal).unwrap();
    assert_eq!(again.steps, listed(1..=2));
    assert_eq!(journal.next_seq(), Seq(7), "their numbers are not used again");
    append(&mut journal, &mut again, 1);
    for seq in 1..=7 {
        let known = journal.archive().known(&id(seq)).unwrap().is_some();
        assert_eq!(known, seq <= 2, "message {seq}");
    }
    assert_eq!(fs::read(segment_path(dir.path(), 1)).unwrap(), before, "the failed file is left as it is");
    drop(journal);
    let report = fsck(dir.path()).unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!((report.lines, report.uncounted), (4, 3));
    assert_eq!(open(dir.path()).1.steps, listed([1, 2, 7]));
    // The list made again from the failed segment knows only what counts.
    fs::remove_file(dir.path().join("000001.ids")).unwrap();
    let (journal, _, _) = open(dir.path());
    assert_eq!(journal.archive().known(&id(3)).unwrap(), None);
    assert!(journal.archive().known(&id(2)).unwrap().is_some());
}

#[test]
fn a_start_after_a_failed_flush_asks_the_disk_and_not_the_cache() {
    let root = scratch();
    let machine = Machine {
        root: root.path().canonicalize().unwrap(),
        elapsed_ms: 1,
        slept_ms: 0,
        wall: AT,
        chance: Chance::new(1),
        world: World::new(Keeps::Ordered),
        flushed: Default::default(),
        free_bytes: 1 << 40,
        faults: Faults::default(),
        made: Vec::new(),
        log: None,
    };
    let dir = machine.root.join("journal");
    machine.install();
    let (mut journal, mut toy, _) = open(&dir);
    append(&mut journal, &mut toy, 2);
    // The third step is written, and its flush is refused; then the daemon is killed.
    Machine::with(|machine| machine.faults.refuses_after = Some(1));
    journal.append(&steps(&journal, 1), true).unwrap_err();
    drop(journal);
    assert!(fs::read_to_string(segment_path(&dir, 1)).unwrap().contains("歩3"), "the cache still shows it");
    let (journal, toy, _) = open(&dir);
    assert_eq!(toy.steps, listed(1..=2));
    drop(journal);
    Machine::remove();
}

#[test]
fn each_refused_operation_leaves_a_journal_that_goes_on() {
    let mut refused = 0;
    for at in 0.. {
        let dir = scratch();
        let (mut journal, mut toy, gate) = gated(dir.path());
        gate.refuse_after(at);
        let mut failures = 0;
        for round in 0..6 {
            let batch = steps(&journal, 3);
            match journal.append(&batch, true) {
                Ok(_) => {
                    toy.steps.extend(listed(batch.iter().map(|step| step.seq.0)));
                    toy.finished.extend(batch.iter().map(|step| fingerprint(step.seq.0)));
                }
                Err(_) => failures += 1,
            }
            if !journal.has_stopped() && round % 2 == 1 {
                failures += u32::from(rotate(&mut journal, &mut toy).is_err());
            }
            if journal.has_stopped() {
                let again = go_on(&mut journal).unwrap();
                assert_eq!(again.steps, toy.steps, "refused {at}");
                toy = again;
            }
        }
        // Before the next start, which puts in order what it can.
        let report = fsck(dir.path()).unwrap();
        assert!(report.is_sound(), "refused {at}: {report:?}");
        drop(journal);
        let (journal, again, report) = open(dir.path());
        assert_eq!(again.steps, toy.steps, "refused {at}");
        assert!(report.damaged.is_empty() && report.gaps.is_empty() && report.torn.is_none(), "{report:?}");
        for (seq, _) in &again.steps {
            let here = again.finished.contains(&fingerprint(*seq));
            assert!(here || journal.archive().known(&id(*seq)).unwrap().is_some(), "{seq}, refused {at}");
        }
        let report = fsck(dir.path()).unwrap();
        assert!(report.is_sound(), "refused {at}: {report:?}");
        refused += failures;
        if gate.refuse.load(Ordering::Relaxed) != NEVER {
            assert!(refused > 30, "{refused} of {at} operations were refused and noticed");
            return;
        }
    }
}

#[test]
fn a_disk_that_stays_broken_is_tried_again_until_it_works() {
    let dir = scratch();
    let (mut journal, mut toy, gate) = gated(dir.path());
    append(&mut journal, &mut toy, 2);
    rotate(&mut journal, &mut toy).unwrap();
    for operations in 0.. {
        append(&mut journal, &mut toy, 2);
        gate.refuse_after(0);
        let next = journal.next_seq();
        journal.append(&steps(&journal, 1), true).unwrap_err();
        assert_eq!(journal.next_seq(), Seq(next.0 + 1), "some of a refused write may be there");
        gate.refuse_after(operations);
        let tried = go_on(&mut journal);
        let all_went_well = gate.refuse.load(Ordering::Relaxed) != NEVER;
        gate.refuse_after(NEVER);
        assert_eq!(tried.is_err(), journal.has_stopped());
        let again = tried.unwrap_or_else(|_| go_on(&mut journal).unwrap());
        assert_eq!(again.steps, toy.steps, "refused {operations}");
        if all_went_well {
            assert!(operations >= 10, "beginning a segment has more operations than {operations}");
            break;
        }
    }
    append(&mut journal, &mut toy, 1);
    assert!(fsck(dir.path()).unwrap().is_sound(), "before the next start, which puts in order what it can");
    drop(journal);
    let (_, again, report) = open(dir.path());
    assert_eq!(again.steps, toy.steps);
    assert!(report.damaged.is_empty() && report.gaps.is_empty());
    assert!(fsck(dir.path()).unwrap().is_sound());
}

#[test]
fn there_is_no_way_on_without_a_failure() {
    let dir = scratch();
    let (mut journal, _, _) = open(dir.path());
    assert!(matches!(journal.reread(&mut |_| Ok(())), Err(JournalError::NotStopped)));
    assert!(matches!(journal.start_new_segment(AT, "{}", []), Err(JournalError::NotStopped)));
}

#[test]
fn nothing_of_an_earlier_try_to_begin_a_segment_is_in_it() {
    let dir = scratch();
    let (mut journal, mut toy, _) = open(dir.path());
    append(&mut journal, &mut toy, 2);
    let left = fs::read_to_string(segment_path(dir.path(), 1)).unwrap();
    fs::write(dir.path().join(format!("{}.tmp", segment_name(2))), left.repeat(1_000)).unwrap();
    rotate(&mut journal, &mut toy).unwrap();
    append(&mut journal, &mut toy, 1);
    std::mem::forget(journal); // killed: one that ends in order would cut it off
    assert!(fsck(dir.path()).unwrap().is_sound());
    let (_, again, report) = open(dir.path());
    assert!(again.steps == toy.steps && report.torn.is_none() && report.damaged.is_empty(), "{report:?}");
}

#[test]
fn a_torn_end_that_has_lost_its_newline_too_is_found() {
    let dir = scratch();
    let (mut journal, mut toy, _) = open(dir.path());
    append(&mut journal, &mut toy, 3);
    drop(journal);
    let path = segment_path(dir.path(), 1);
    let text = fs::read_to_string(&path).unwrap();
    let last = text.trim_end().rfind('\n').unwrap();
    fs::write(&path, format!("{}{}", &text[..last], &text[last + 19..])).unwrap();
    let report = fsck(dir.path()).unwrap();
    let torn = report.torn.expect("what is left of the last line");
    assert_eq!(torn.offset, last as u64, "{torn:?}");
}

/// It would be gone on from with 0, which nobody reads again.
#[test]
fn a_segment_that_leaves_no_number_for_the_next_is_named_and_not_gone_on_from() {
    let dir = scratch();
    drop(try_open(Disk::make(dir.path()).unwrap()).unwrap());
    let stray = dir.path().join(segment_name(u32::MAX));
    fs::write(&stray, "").unwrap();
    let Err(error) = try_open(Disk::make(dir.path()).unwrap()) else { panic!("it was gone on from") };
    assert!(error.to_string().contains("4294967295.jsonl is not a segment of this journal"), "{error}");
    fs::remove_file(&stray).unwrap();
    try_open(Disk::make(dir.path()).unwrap()).unwrap();
}
