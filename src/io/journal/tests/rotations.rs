//! Turning into new segments, what a kill leaves of it, and what is known of finished messages.

use std::fs;

use super::super::fingerprints::{FinishedEntry, HEADER_BYTES, RECORD_BYTES};
use super::*;
use crate::io::journal::names::{ids_name, segment_name};

#[test]
fn a_batch_is_one_write_and_one_flush() {
    let dir = scratch();
    let (mut journal, _, _) = open(dir.path());
    let start = journal.counters();
    let batch = steps(&journal, 1000);
    let places = journal.append(&batch, true).unwrap();
    let after = journal.counters();
    assert_eq!(after.fdatasyncs - start.fdatasyncs, 1);
    assert_eq!((after.appends - start.appends, after.lines - start.lines), (1, 1000));
    assert_eq!(after.fsyncs, start.fsyncs);
    for _ in 0..5 {
        journal.append(&steps(&journal, 1), false).unwrap();
    }
    assert_eq!(journal.counters().fdatasyncs, after.fdatasyncs);
    journal.append(&[], true).unwrap();
    assert_eq!(journal.counters().fdatasyncs, after.fdatasyncs + 1);
    journal.sync().unwrap();
    assert_eq!(journal.counters().fdatasyncs, after.fdatasyncs + 1, "nothing was left to flush");
    assert_eq!(journal.next_seq(), Seq(1006));
    let record = journal.reader().read_at(places[499]).unwrap();
    assert_eq!((record.seq, &*record.payload), (Seq(500), &*step(500).events));
}

#[test]
fn a_new_journal_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = scratch();
    let path = dir.path().join(".tasuki/journal");
    fill(&path, &[1, 1]);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(path.parent().unwrap()), mode(&path)), (0o700, 0o700));
    for entry in fs::read_dir(&path).unwrap() {
        assert_eq!(mode(&entry.unwrap().path()), 0o600);
    }
}

#[test]
fn a_closed_journal_ends_with_its_last_line() {
    let dir = scratch();
    fill(dir.path(), &[3]);
    let text = fs::read_to_string(segment_path(dir.path(), 1)).unwrap();
    assert_eq!(text.lines().count(), 3);
    for line in text.lines() {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
}

#[test]
fn what_cannot_be_a_line_is_refused_before_anything_is_written() {
    let dir = scratch();
    let (mut journal, _, _) = open(dir.path());
    let bad = StepLine { events: "[1,\n2]".into(), ..step(2) };
    assert!(matches!(journal.append(&[step(1), bad], true), Err(JournalError::Payload { seq: Seq(2), .. })));
    assert!(matches!(
        journal.append(&[step(1), step(3)], true),
        Err(JournalError::Order { next: Seq(2), got: Seq(3) })
    ));
    assert!(matches!(journal.rotate(AT, "[]", []), Err(JournalError::Payload { .. })));
    journal.append(&[step(1)], true).unwrap();
    assert!(matches!(
        Journal::open(dir.path(), "a\"b", extract, &mut |_| Ok(())),
        Err(JournalError::Boot(boot)) if boot == "a\"b"
    ));
}

#[test]
fn it_turns_by_size_by_the_snapshots_size_and_by_age() {
    const DAY: u64 = 24 * 60 * 60 * 1000;
    let dir = scratch();
    let (mut journal, _, _) = open(dir.path());
    assert!(!journal.wants_rotation(AT.plus(900 * DAY)), "an empty segment stays");
    journal.append(&[step(1)], true).unwrap();
    assert!(!journal.wants_rotation(AT.plus(DAY)) && journal.wants_rotation(AT.plus(DAY + 1)));
    let big = |seq, mib: usize| StepLine { events: text_events(&"x".repeat(mib << 20)), ..step(seq) };
    journal.append(&[big(2, 1)], true).unwrap();
    assert!(!journal.wants_rotation(AT));
    journal.append(&[big(3, 1)], true).unwrap();
    assert!(journal.wants_rotation(AT));
    journal.rotate(AT, format!(r#"{{"a":"{}"}}"#, "x".repeat(5 << 20)), []).unwrap();
    assert!(!journal.wants_rotation(AT.plus(9 * DAY)), "nothing has happened since");
    journal.append(&[big(5, 14)], true).unwrap();
    assert!(!journal.wants_rotation(AT), "19 MiB are less than four snapshots");
    journal.append(&[big(6, 2)], true).unwrap();
    assert!(journal.wants_rotation(AT));
}

#[test]
fn start_up_reads_the_newest_segment_only() {
    let dir = scratch();
    fill(dir.path(), &[2, 2, 2]);
    // Nothing but the name of the first segment is needed, and of the lists only the beginning.
    fs::write(segment_path(dir.path(), 1), "not read").unwrap();
    let (_, toy, report) = open(dir.path());
    assert_eq!((report.segments, report.lines), (vec![3], 3));
    assert_eq!(toy.steps, listed([1, 2, 4, 5, 7, 8]));
    assert_eq!(toy.finished, [fingerprint(7), fingerprint(8)]);
}

#[test]
fn a_duplicate_is_found_after_two_turns_and_a_start() {
    let dir = scratch();
    fill(dir.path(), &[40, 40, 1]);
    let (journal, _, report) = open(dir.path());
    assert_eq!(report.ids, []);
    let Fingerprint { digest, outcome, seq, .. } = fingerprint(7);
    assert_eq!(
        journal.archive().known(&id(7)).unwrap(),
        Some(FinishedEntry { digest, outcome, seq, segment: 1 })
    );
    for seq in (1..=40).chain(42..=81) {
        assert_eq!(journal.archive().known(&id(seq)).unwrap().map(|known| known.seq), Some(Seq(seq)));
    }
    for seq in [0, 41, 82, 83, 1000] {
        assert_eq!(journal.archive().known(&id(seq)).unwrap(), None, "{seq}");
    }
}

#[test]
fn the_last_word_about_an_id_is_the_one_that_is_known() {
    let dir = scratch();
    let (mut journal, _, _) = open(dir.path());
    let again = |seq, outcome| Fingerprint { seq: Seq(seq), outcome, ..fingerprint(1) };
    journal.append(&[step(1), step(2)], true).unwrap();
    journal.rotate(AT, "{}", [again(2, 8), again(1, 7)]).unwrap();
    assert_eq!(journal.archive().known(&id(1)).unwrap().map(|known| known.outcome), Some(8));
    journal.append(&[step(4)], true).unwrap();
    journal.rotate(AT, "{}", [again(4, 9)]).unwrap();
    let known = journal.archive().known(&id(1)).unwrap().unwrap();
    assert_eq!((known.outcome, known.segment), (9, 2));
}

#[test]
fn a_list_that_is_missing_or_damaged_is_made_again() {
    let dir = scratch();
    fill(dir.path(), &[30, 1]);
    let path = dir.path().join(ids_name(1));
    let good = fs::read(&path).unwrap();
    let records = good.len() - 30 * RECORD_BYTES;
    for at in (0..records).chain([good.len() - 1]) {
        let cut = at == good.len() - 1;
        let mut bytes = good.clone();
        if cut {
            bytes.truncate(at)
        } else {
            bytes[at] ^= 1
        }
        fs::write(&path, &bytes).unwrap();
        let (journal, _, report) = open(dir.path());
        assert_eq!(report.ids.len(), 1, "byte {at}");
        assert_eq!(journal.archive().known(&id(9)).unwrap().map(|known| known.seq), Some(Seq(9)));
        assert_eq!(fs::read(&path).unwrap(), good, "byte {at}");
    }
    fs::remove_file(&path).unwrap();
    assert_eq!(open(dir.path()).2.ids.len(), 1);
    assert_eq!(fs::read(&path).unwrap(), good);
    assert!(records > HEADER_BYTES);
}

#[test]
fn what_stands_in_the_place_of_a_list_is_moved_aside_and_the_list_made_again() {
    let dir = scratch();
    fill(dir.path(), &[30, 1]);
    let path = dir.path().join(ids_name(1));
    let good = fs::read(&path).unwrap();
    let folder = |path: &Path| {
        fs::create_dir(path).unwrap();
        fs::write(path.join("note"), "somebody's").unwrap();
    };
    for what in ["folder", "link", "pipe"] {
        fs::remove_file(&path).unwrap();
        match what {
            "folder" => folder(&path),
            "link" => std::os::unix::fs::symlink("000001.jsonl", &path).unwrap(),
            _ => {
                let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU);
                rustix::fs::mknodat(rustix::fs::CWD, &path, kind, mode, 0).unwrap();
            }
        }
        // What a turn to come will want to write.
        folder(&dir.path().join(format!("{}.tmp", ids_name(2))));
        folder(&dir.path().join(ids_name(2)));
        assert_eq!(super::super::fsck(dir.path()).unwrap().ids.len(), 1, "{what}");
        assert_eq!(fs::read_dir(&path).is_ok(), what == "folder", "fsck changes nothing");
        let (mut journal, mut toy, report) = open(dir.path());
        assert_eq!(report.ids.len(), 1, "{what}");
        assert!(!report.is_sound(), "the log tells of it");
        assert_eq!(fs::read(&path).unwrap(), good, "{what}");
        assert_eq!(journal.archive().known(&id(9)).unwrap().map(|known| known.seq), Some(Seq(9)));
        rotate(&mut journal, &mut toy).unwrap();
        drop(journal);
        for left in [3, 2] {
            let _ = fs::remove_file(dir.path().join(ids_name(left)));
        }
        fs::remove_file(segment_path(dir.path(), 3)).unwrap();
    }
    let kept = dir.path().join("damaged");
    let note = |name: &str| fs::read_to_string(kept.join(name).join("note")).unwrap_or_default();
    assert_eq!(note("000001.ids"), "somebody's");
    assert_eq!(note("000002.ids.3"), "somebody's", "nothing takes the place of another");
    assert!(kept.join("000001.ids.2").is_symlink() && kept.join("000001.ids.3").exists());
}

#[test]
fn a_list_from_a_turn_that_did_not_end_is_not_believed() {
    // Its name was given, the new segment's was not; the log went on, and the disk kept the old list at the next turn.
    let dir = scratch();
    let (tap, gate, _ops) = Tap::gate();
    let mut disk = Disk::make(dir.path()).unwrap();
    disk.tap = tap;
    let (mut journal, mut toy, _) = try_open(disk).unwrap();
    append(&mut journal, &mut toy, 3);
    gate.refuse_after(4);
    rotate(&mut journal, &mut toy).unwrap_err();
    assert!(!journal.has_stopped(), "the old segment goes on");
    let path = dir.path().join(ids_name(1));
    let stale = fs::read(&path).unwrap();
    append(&mut journal, &mut toy, 2);
    rotate(&mut journal, &mut toy).unwrap();
    drop(journal);
    fs::write(&path, stale).unwrap();
    let (journal, _, report) = open(dir.path());
    assert_eq!(report.ids.len(), 1);
    assert!((1..=5).all(|seq| journal.archive().known(&id(seq)).unwrap().is_some()));
}

#[test]
fn a_damaged_record_is_noticed_where_it_is_read_and_put_right() {
    let dir = scratch();
    fill(dir.path(), &[30, 1]);
    let path = dir.path().join(ids_name(1));
    let good = fs::read(&path).unwrap();
    for at in (good.len() - 30 * RECORD_BYTES..good.len()).step_by(7) {
        let mut bytes = good.clone();
        bytes[at] ^= 0x10;
        fs::write(&path, &bytes).unwrap();
        assert_eq!(super::super::fsck(dir.path()).unwrap().ids.len(), 1, "byte {at}");
        let (journal, _, report) = open(dir.path());
        assert_eq!(report.ids, [], "start-up reads no records");
        for seq in 1..=30 {
            assert_eq!(journal.archive().known(&id(seq)).unwrap().map(|known| known.seq), Some(Seq(seq)));
        }
        assert_eq!(fs::read(&path).unwrap(), good, "byte {at}");
    }
}

#[test]
fn old_segments_go_by_age_but_not_those_that_are_needed() {
    let dir = scratch();
    fill(dir.path(), &[1, 1, 1, 1, 1]);
    let (mut journal, _, _) = open(dir.path());
    let names = || fs::read_dir(dir.path()).unwrap().count();
    let far = AT.plus(1000);
    assert_eq!(journal.remove_older_than(far).unwrap(), Vec::<u32>::new(), "nobody said what is needed");
    journal.keep_from(3);
    // Segments 1 and 2 were closed by the snapshots 2 and 4.
    assert_eq!(journal.remove_older_than(AT.plus(4)).unwrap(), [1]);
    assert_eq!(journal.remove_older_than(far).unwrap(), [2]);
    assert_eq!((journal.archive().known(&id(1)).unwrap(), names()), (None, 5));
    assert!(journal.archive().known(&id(5)).unwrap().is_some());
    journal.keep_from(u32::MAX);
    assert_eq!(journal.remove_older_than(far).unwrap(), [3], "the one closed last stays");
    drop(journal);
    let (_, toy, report) = open(dir.path());
    assert_eq!((toy.steps, report.is_sound()), (listed([1, 3, 5, 7, 9]), true));
}

#[test]
fn a_kill_between_any_two_operations_of_a_turn_is_survived() {
    for killed_after in 0.. {
        let dir = scratch();
        fill(dir.path(), &[3, 2]);
        let (tap, gate, _ops) = Tap::gate();
        let mut disk = Disk::make(dir.path()).unwrap();
        disk.tap = tap;
        let (mut journal, mut toy, _) = try_open(disk).unwrap();
        append(&mut journal, &mut toy, 1);
        gate.die_after(killed_after);
        let turned = rotate(&mut journal, &mut toy).is_ok() && !gate.is_dead();
        drop(journal);
        fs::remove_file(dir.path().join("damaged")).unwrap_err();
        let (mut journal, mut again, report) = open(dir.path());
        assert_eq!(again.steps, listed([1, 2, 3, 5, 6, 7]), "killed after {killed_after}");
        assert!(report.damaged.is_empty() && report.gaps.is_empty() && report.torn.is_none());
        append(&mut journal, &mut again, 1);
        for (seq, _) in &again.steps {
            let here = again.finished.contains(&fingerprint(*seq));
            assert!(
                here || journal.archive().known(&id(*seq)).unwrap().is_some(),
                "{seq} after {killed_after}"
            );
        }
        let left = fs::read_dir(dir.path()).unwrap().filter(|entry| {
            let name = entry.as_ref().unwrap().file_name().into_string().unwrap();
            name.ends_with(".tmp") || name == ids_name(journal.segment())
        });
        assert_eq!(left.count(), 0, "killed after {killed_after}");
        assert!(super::super::fsck(dir.path()).unwrap().is_sound(), "killed after {killed_after}");
        if turned {
            assert!(killed_after >= 10, "a turn has more operations than {killed_after}");
            assert!(dir.path().join(segment_name(3)).exists());
            return;
        }
    }
}
