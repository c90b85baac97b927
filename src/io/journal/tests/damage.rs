//! Damage stays in its line, and a torn end is cut only where nothing that was promised follows.

use std::fs;
use std::path::Path;

use super::super::fsck;
use super::*;
use crate::io::fake::{World, lay_out};
use crate::io::journal::error::Flaw;
use crate::io::journal::report::Gap;
use std::collections::BTreeMap;

/// A journal of one segment as bytes, its lines written by appends of these sizes.
fn written(batches: &[u64]) -> Vec<u8> {
    let dir = scratch();
    let (mut journal, mut toy, _) = open(dir.path());
    for &batch in batches {
        append(&mut journal, &mut toy, batch);
    }
    journal.close().unwrap();
    fs::read(segment_path(dir.path(), 1)).unwrap()
}

fn lay(dir: &Path, number: u32, bytes: &[u8]) {
    fs::write(segment_path(dir, number), bytes).unwrap();
}

/// Where each line of a segment begins.
fn starts(bytes: &[u8]) -> Vec<usize> {
    let inner = (1..bytes.len()).filter(|&at| bytes[at - 1] == b'\n' && bytes[at] != b'\n');
    std::iter::once(0).chain(inner).collect()
}

#[test]
fn a_journal_cut_at_any_byte_is_a_prefix_and_goes_on() {
    let whole = written(&[1, 2]);
    let ends: Vec<usize> = (0..whole.len()).filter(|&at| whole[at] == b'\n').collect();
    for cut in 0..=whole.len() {
        for blanks in [0, 700] {
            let dir = scratch();
            lay(dir.path(), 1, &[&whole[..cut], &b"\n".repeat(blanks)[..]].concat());
            let (mut journal, mut toy, report) = open(dir.path());
            let lines = ends.iter().filter(|&&end| end <= cut).count() as u64;
            assert_eq!(toy.steps, listed(1..=lines), "cut at {cut}");
            let is_torn = cut > 0 && !ends.contains(&cut) && whole[cut - 1] != b'\n';
            assert_eq!(report.torn.as_ref().map(|torn| torn.lines), is_torn.then_some(0), "cut at {cut}");
            assert!(report.is_sound(), "cut at {cut}: {report:?}");
            append(&mut journal, &mut toy, 2);
            drop(journal);
            let (_, again, report) = open(dir.path());
            assert_eq!((again.steps, report.torn), (listed(1..=lines + 2), None), "cut at {cut}");
        }
    }
}

#[test]
fn each_flipped_bit_is_found_and_no_other_line_suffers() {
    let whole = written(&[1; 6]);
    let starts = starts(&whole);
    // Seven and eight have no common divisor: each byte is hit, and each place in a byte.
    for bit in (0..whole.len() * 8).step_by(7) {
        let dir = scratch();
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        lay(dir.path(), 1, &bytes);
        let hit = starts.iter().filter(|&&start| start <= bit / 8).count() as u64;
        let is_newline = whole[bit / 8] == b'\n';
        let offline = fsck(dir.path()).unwrap();
        let (_, toy, report) = open(dir.path());
        let left: Vec<u64> = (1..=6).filter(|&seq| seq != hit || is_newline).collect();
        assert_eq!(toy.steps, listed(left), "bit {bit}");
        let newline_is_none = is_newline && matches!(bytes[bit / 8], 0);
        let found = !report.damaged.is_empty() || report.torn.is_some();
        assert!(found || newline_is_none, "bit {bit}: {report:?}");
        let gap = Gap { first: Seq(hit), last: Seq(hit) };
        assert_eq!(report.gaps, if is_newline || hit == 6 { vec![] } else { vec![gap] }, "bit {bit}");
        assert_eq!(offline.gaps, report.gaps, "bit {bit}");
        assert_eq!(offline.damaged.len(), report.damaged.len(), "bit {bit}");
    }
}

#[test]
fn damaged_bytes_are_set_aside_once_and_remembered() {
    let dir = scratch();
    let mut bytes = written(&[1, 1, 1]);
    let starts = starts(&bytes);
    bytes[starts[2] - 5] ^= 1;
    lay(dir.path(), 1, &bytes);
    let (journal, _, first) = open(dir.path());
    drop(journal);
    let (_, _, second) = open(dir.path());
    assert_eq!((first.damaged.len(), second.damaged.len()), (1, 1));
    assert_eq!(first.damaged[0].flaw, Flaw::Checksum);
    assert!(!first.damaged[0].seen_before && second.damaged[0].seen_before);
    let copy = fs::read(first.damaged[0].copy.as_ref().unwrap()).unwrap();
    assert_eq!(copy, &bytes[starts[1]..starts[2] - 1]);
    assert_eq!(first.damaged[0].offset, starts[1] as u64);
    let checked = fsck(dir.path()).unwrap();
    assert_eq!(checked.damaged, second.damaged, "whoever checks it is told where the copy is");
}

#[test]
fn a_hole_in_an_append_that_never_became_durable_ends_the_log() {
    // Steps 2 to 4 were one append; the disk wrote the block of step 4 and not that of step 2.
    let mut bytes = written(&[1, 3]);
    let starts = starts(&bytes);
    bytes[starts[1] + 5..starts[2] + 5].fill(b'\n');
    let dir = scratch();
    lay(dir.path(), 1, &bytes);
    assert_eq!(fsck(dir.path()).unwrap().torn.map(|torn| torn.lines), Some(1));
    let (_, toy, report) = open(dir.path());
    assert_eq!(toy.steps, listed([1]));
    assert!(report.is_sound());
    let torn = report.torn.unwrap();
    assert_eq!((torn.offset, torn.lines), (starts[1] as u64, 1));
    assert_eq!(fs::read(torn.copy.unwrap()).unwrap(), &bytes[starts[1]..bytes.len() - 1]);
}

#[test]
fn a_torn_end_is_blank_on_the_disk_before_anything_is_written_there() {
    let big = |seq, signs| StepLine { events: text_events(&"満".repeat(signs)), ..step(seq) };
    let dir = scratch();
    let (mut journal, _, _) = open(dir.path());
    journal.append(&[step(1)], true).unwrap();
    journal.append(&[big(2, 300), big(3, 300), big(4, 300)], true).unwrap();
    journal.close().unwrap();
    let mut bytes = fs::read(segment_path(dir.path(), 1)).unwrap();
    let starts = starts(&bytes);
    bytes[starts[1]..starts[2]].fill(b'\n');
    lay(dir.path(), 1, &bytes);
    let (tap, _gate, ops) = Tap::gate();
    let mut disk = Disk::make(dir.path()).unwrap();
    disk.tap = tap;
    let (mut journal, toy, _) = try_open(disk).unwrap();
    assert_eq!(toy.steps, listed([1]), "steps 2 to 4 never became durable");
    // It ends within the remains of step 3; what follows there must not come to life behind it.
    journal.append(&[big(2, 450)], true).unwrap();
    let ops: Vec<(Change, bool)> = ops.try_iter().collect();
    let is_line = |op: &Change| match op {
        Change::Write { name, bytes, .. } => name == "000001.jsonl" && bytes.starts_with(b"{"),
        _ => false,
    };
    let line = ops.iter().position(|(op, _)| is_line(op)).unwrap();
    for seed in 0..100 {
        let mut world = World::of(&BTreeMap::from([("000001.jsonl".to_owned(), bytes.clone())]));
        ops[..=line].iter().for_each(|(op, done)| world.apply(op, *done));
        let dir = scratch();
        lay_out(dir.path(), &world.crash(&mut Chance::new(seed)));
        let (_, toy, report) = open(dir.path());
        assert!(report.is_sound() && toy.steps.len() <= 2, "seed {seed}: {report:?}");
    }
}

#[test]
fn a_hole_in_what_was_durable_is_damage() {
    // The same hole, but step 5 says that step 4 was on the disk.
    let mut bytes = written(&[1, 3, 1]);
    let starts = starts(&bytes);
    for blank in [b'\n', 0] {
        bytes[starts[1]..starts[3]].fill(blank);
        let dir = scratch();
        lay(dir.path(), 1, &bytes);
        let (mut journal, mut toy, report) = open(dir.path());
        assert_eq!(toy.steps, listed([1, 4, 5]));
        assert_eq!(report.gaps, [Gap { first: Seq(2), last: Seq(3) }]);
        assert_eq!(report.damaged[0].flaw, Flaw::Blank);
        append(&mut journal, &mut toy, 1);
        drop(journal);
        assert_eq!(open(dir.path()).1.steps, listed([1, 4, 5, 6]));
    }
}

#[test]
fn a_line_inside_a_damaged_line_is_never_taken_for_one() {
    // A sender may put the bytes of a whole line into its message.
    let forged = String::from_utf8(written(&[1, 1, 1])).unwrap().lines().nth(2).unwrap().to_owned();
    let dir = scratch();
    let (mut journal, _, _) = open(dir.path());
    journal.append(&[step(1)], true).unwrap();
    let nested = StepLine { seq: Seq(2), at: AT, events: format!("[{forged},1]").into() };
    journal.append(&[nested], true).unwrap();
    journal.append(&[StepLine { seq: Seq(3), ..step(3) }], true).unwrap();
    journal.close().unwrap();
    let path = segment_path(dir.path(), 1);
    let mut bytes = fs::read(&path).unwrap();
    let starts = starts(&bytes);
    let inner = bytes.windows(20).rposition(|window| window == &forged.as_bytes()[..20]).unwrap();
    assert_eq!(inner, starts[2], "the third line is the last");
    bytes[starts[1] + 8] ^= 1;
    lay(dir.path(), 1, &bytes);
    let mut seen = Vec::new();
    let (_, report) = Journal::open(dir.path(), "b", extract, &mut |entry| {
        seen.push((entry.seq.0, entry.place.offset));
        Ok(())
    })
    .unwrap();
    assert_eq!(seen, [(1, 0), (3, starts[2] as u64)]);
    assert_eq!(report.damaged.len(), 1);
}

#[test]
fn old_lines_that_come_back_are_not_believed() {
    // Blocks of a removed file may show up where a write was lost.
    let whole = written(&[1, 1, 1]);
    let starts = starts(&whole);
    let dir = scratch();
    lay(dir.path(), 1, &[&whole[..], &whole[starts[1]..starts[2]]].concat());
    let (_, toy, report) = open(dir.path());
    assert_eq!(toy.steps, listed(1..=3));
    assert_eq!(report.torn.map(|torn| torn.lines), Some(0));
}

#[test]
fn a_step_is_never_read_from_anothers_place() {
    let dir = scratch();
    let (mut journal, _, _) = open(dir.path());
    let steps: Vec<StepLine> =
        (1..=4).map(|seq| StepLine { events: text_events("same"), ..step(seq) }).collect();
    let places = journal.append(&steps, true).unwrap();
    journal.close().unwrap();
    let path = segment_path(dir.path(), 1);
    let mut bytes = fs::read(&path).unwrap();
    let span = |n: usize| places[n].offset as usize..places[n].offset as usize + places[n].len as usize;
    assert_eq!(places[1].len, places[2].len);
    let second = bytes[span(1)].to_vec();
    bytes.copy_within(span(2), span(1).start);
    bytes[span(2)].copy_from_slice(&second);
    lay(dir.path(), 1, &bytes);
    let mut reader = crate::io::journal::read::Reader::at(dir.path()).unwrap();
    for seq in [2, 3] {
        assert_eq!(reader.step(Seq(seq), places[seq as usize - 1]).unwrap().seq, Seq(seq));
    }
    // Gone altogether: that is said.
    bytes.copy_within(span(3), span(2).start);
    lay(dir.path(), 1, &bytes);
    let gone = crate::io::journal::read::Reader::at(dir.path()).unwrap().step(Seq(2), places[1]);
    let other = Flaw::Other { seq: Seq(3) };
    assert!(matches!(&gone, Err(JournalError::Damaged { flaw, .. }) if *flaw == other), "{gone:?}");
}

#[test]
fn a_damaged_snapshot_is_replaced_by_the_segments_before_it() {
    for count in [0, 2] {
        let dir = scratch();
        fill(dir.path(), &[2, 3, count]);
        let path = segment_path(dir.path(), 3);
        let mut bytes = fs::read(&path).unwrap();
        bytes[60] ^= 4;
        fs::write(&path, &bytes).unwrap();
        // 1 and 2, a snapshot, 4 to 6, the damaged snapshot, 8 and 9.
        let (mut journal, mut toy, report) = open(dir.path());
        let all: Vec<u64> = [1, 2, 4, 5, 6, 8, 9].into_iter().take(5 + count as usize).collect();
        assert_eq!(toy.steps, listed(all.clone()));
        assert_eq!((report.segments.clone(), report.gaps.len(), report.damaged.len()), (vec![2, 3], 0, 1));
        assert_eq!((&report.damaged[0].flaw, &report.torn), (&Flaw::Form, &None));
        assert!(journal.wants_rotation(AT), "a segment without its snapshot is left soon");
        append(&mut journal, &mut toy, 1);
        drop(journal);
        let (mut journal, mut toy, _) = open(dir.path());
        assert_eq!(toy.steps, listed(all.into_iter().chain([8 + count])));
        rotate(&mut journal, &mut toy).unwrap();
        drop(journal);
        let (_, again, report) = open(dir.path());
        assert_eq!((again, report.segments), (toy, vec![4]));
    }
}

#[test]
fn a_snapshot_that_was_lost_whole_is_told() {
    for blank in [&b""[..], &b"\n\n\n\n\n"[..]] {
        let dir = scratch();
        fill(dir.path(), &[2, 0]);
        lay(dir.path(), 2, blank);
        let (_, toy, report) = open(dir.path());
        assert_eq!(toy.steps, listed(1..=2));
        assert_eq!(report.damaged[0].flaw, Flaw::Headless);
    }
}

#[test]
fn a_snapshot_that_nobody_understands_is_damage_too() {
    let dir = scratch();
    fill(dir.path(), &[2, 1]);
    let mut seen = Vec::new();
    let (_, report) = Journal::open(dir.path(), "b", extract, &mut |entry| match entry.kind {
        Kind::Snapshot => Err("version 9".to_owned()),
        Kind::Step => {
            seen.push(entry.seq.0);
            Ok(())
        }
    })
    .unwrap();
    assert_eq!(seen, [1, 2, 4]);
    assert_eq!(report.damaged.len(), 1);
    assert_eq!(report.damaged[0].flaw, Flaw::Unreadable("version 9".to_owned()));
    assert_eq!(report.gaps, []);
}

#[test]
fn a_step_that_nobody_understands_is_a_gap_and_its_number_stays_used() {
    let dir = scratch();
    let (mut journal, _, _) = open(dir.path());
    journal.append(&[step(1), StepLine { events: "[17]".into(), ..step(2) }], true).unwrap();
    drop(journal);
    let (journal, toy, report) = open(dir.path());
    assert_eq!((toy.steps, journal.next_seq()), (listed([1]), Seq(3)));
    assert_eq!(report.gaps, [Gap { first: Seq(2), last: Seq(2) }]);
    assert!(matches!(report.damaged[0].flaw, Flaw::Unreadable(_)));
    assert_eq!(report.torn, None);
}

#[test]
fn fsck_parses_the_payloads_and_changes_nothing() {
    let dir = scratch();
    fill(dir.path(), &[2, 1]);
    let (mut journal, _, _) = open(dir.path());
    journal.append(&[StepLine { seq: Seq(5), at: AT, events: "[no json]".into() }], true).unwrap();
    journal.close().unwrap();
    fs::write(dir.path().join("000003.jsonl.tmp"), "left by a turn").unwrap();
    fs::write(dir.path().join("000001.ids"), "no list").unwrap();
    let look = || {
        let mut all: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().path()).collect();
        all.sort();
        all.into_iter().map(|path| (fs::read(&path).unwrap(), path)).collect::<Vec<_>>()
    };
    let before = look();
    let report = fsck(dir.path()).unwrap();
    assert_eq!(look(), before);
    assert_eq!((report.segments, report.lines, report.uncounted), (vec![1, 2], 5, 0));
    assert_eq!(report.damaged.len(), 1);
    assert_eq!(report.ids.iter().map(|bad| bad.segment).collect::<Vec<_>>(), [1]);
}
