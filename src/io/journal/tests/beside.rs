//! Readers beside the writer.

use std::ops::ControlFlow;

use super::super::disk::Folder;
use super::super::fsck;
use super::super::read::is_still;
use super::super::tail_scan::scan_tail;
use super::*;
use crate::io::journal::read::{ReadOrder, Reader, scan};

#[test]
fn the_writer_may_go_to_a_thread_of_its_own() {
    const fn is_send<T: Send>() {}
    is_send::<Journal>();
    is_send::<Reader>();
}

#[test]
fn fsck_and_readers_beside_a_writer_see_no_damage() {
    /// Checks to be made while the writer writes.
    const CHECKS: u64 = 20;
    let dir = scratch();
    let (mut journal, toy, _) = open(dir.path());
    let mut reader = journal.reader();
    let checked = Arc::new(AtomicU64::new(0));
    let (sender, places) = channel();
    let writer = std::thread::spawn({
        let checked = checked.clone();
        move || {
            for round in 1..=100_000 {
                let batch = steps(&journal, round % 9);
                for place in journal.append(&batch, round % 3 == 0).unwrap() {
                    sender.send(place).unwrap();
                }
                if round % 500 == 0 {
                    journal.rotate(AT, toy.snapshot(), []).unwrap();
                    journal.keep_from(u32::MAX);
                    journal.remove_older_than(AT.plus(1)).unwrap();
                }
                if checked.load(Ordering::Acquire) >= CHECKS {
                    break;
                }
            }
            journal.close().unwrap();
        }
    });
    for check in 1..=CHECKS {
        let report = fsck(dir.path()).unwrap();
        assert!(report.is_sound() && report.torn.is_none(), "check {check}: {report:?}");
        checked.store(check, Ordering::Release);
        for place in places.try_iter() {
            match reader.read_at(place) {
                Ok(record) => assert_eq!(*record.payload, *step(record.seq.0).events),
                Err(gone) => assert!(gone.to_string().contains("removed"), "{gone}"),
            }
        }
    }
    writer.join().unwrap();
    assert!(fsck(dir.path()).unwrap().is_sound());
}

#[test]
fn an_end_that_is_being_written_is_not_torn() {
    let dir = scratch();
    fill(dir.path(), &[2]);
    let path = segment_path(dir.path(), 1);
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() - 9]).unwrap();
    let folder = Folder::at(dir.path()).unwrap();
    let file = folder.open("000001.jsonl").unwrap().unwrap();
    let end = whole.iter().position(|&byte| byte == b'\n').unwrap() as u64;
    let torn = scan_tail(&folder, &file, 1, end + 1, Seq(1)).unwrap().torn.unwrap();
    assert!(is_still(&folder, &file, end, Seq(1), &torn).unwrap());
    assert_eq!(fsck(dir.path()).unwrap().torn.as_ref(), Some(&torn));
    std::fs::write(&path, &whole).unwrap();
    assert!(!is_still(&folder, &file, end, Seq(1), &torn).unwrap());
}

#[test]
fn a_place_that_holds_no_whole_line_is_refused() {
    let dir = scratch();
    let (mut journal, _, _) = open(dir.path());
    let places = journal.append(&[step(1), step(2)], true).unwrap();
    let mut reader = Reader::at(dir.path()).unwrap();
    assert_eq!(reader.read_at(places[1]).unwrap().seq, Seq(2));
    let mut wrong = places[1];
    wrong.offset += 1;
    assert!(matches!(reader.read_at(wrong), Err(JournalError::Damaged { .. })));
    wrong.offset = 1 << 40;
    assert!(matches!(reader.read_at(wrong), Err(JournalError::Damaged { .. })));
    wrong.segment = 9;
    let error = reader.read_at(wrong).unwrap_err().to_string();
    assert!(error.contains("000009.jsonl") && error.contains("removed by another program"), "{error}");
}

#[test]
fn each_step_is_found_by_its_number() {
    let dir = scratch();
    fill(dir.path(), &[1, 90, 0, 3]);
    let reader = Reader::at(dir.path()).unwrap();
    let mut places = Vec::new();
    scan(dir.path(), 1, ReadOrder::OldestFirst, &mut |entry| {
        places.push((entry.seq, entry.place));
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(places.len(), 97);
    for (seq, place) in places {
        assert_eq!(reader.find(seq).unwrap(), Some(place), "{seq:?}");
    }
    for seq in [0, 98, u64::MAX] {
        assert_eq!(reader.find(Seq(seq)).unwrap(), None);
    }
    let path = segment_path(dir.path(), 2);
    let mut bytes = std::fs::read(&path).unwrap();
    let start = reader.find(Seq(50)).unwrap().unwrap().offset as usize;
    bytes[start + 20] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    for seq in 3..=92 {
        assert_eq!(reader.find(Seq(seq)).unwrap().is_some(), seq != 50, "{seq}");
    }
}

#[test]
fn a_scan_reads_both_ways_and_from_where_it_is_told() {
    let dir = scratch();
    fill(dir.path(), &[2, 3, 1]);
    let seen = |from, order, at_most: usize| {
        let mut seen = Vec::new();
        let report = scan(dir.path(), from, order, &mut |entry| {
            seen.push(entry.seq.0);
            if seen.len() < at_most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        assert!(report.unwrap().is_sound());
        seen
    };
    assert_eq!(seen(1, ReadOrder::OldestFirst, 99), [1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(seen(1, ReadOrder::NewestFirst, 99), [8, 7, 6, 5, 4, 3, 2, 1]);
    assert_eq!(seen(2, ReadOrder::OldestFirst, 99), [3, 4, 5, 6, 7, 8]);
    assert_eq!(seen(2, ReadOrder::NewestFirst, 99), [8, 7, 6, 5, 4, 3]);
    assert_eq!(seen(1, ReadOrder::OldestFirst, 4), [1, 2, 3, 4]);
    assert_eq!(seen(1, ReadOrder::NewestFirst, 4), [8, 7, 6, 5]);
}
