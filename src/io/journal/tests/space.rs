//! A disk that is really full.

use std::fs;
use std::process::Command;

use super::super::fsck;
use super::*;

/// A file system of a few MiB; unmounted at the end.
struct Small(tempfile::TempDir);

impl Small {
    fn mount() -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=256k", "tasuki-test"])
            .arg(dir.path())
            .output()
            .is_ok_and(|output| output.status.success());
        mounted.then_some(Self(dir))
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
fn a_full_disk_stops_the_journal_and_room_lets_it_go_on() {
    let Some(small) = Small::mount() else {
        println!("skipped: only root may mount the small file system that this test fills");
        return;
    };
    let root = small.0.path();
    // What the reserve is for: something to give up.
    fs::write(root.join("room"), vec![1; 64 << 10]).unwrap();
    let dir = root.join("journal");
    let (mut journal, mut toy, _) = open(&dir);
    let big = |seq| StepLine { events: text_events(&"満".repeat(1500)), ..step(seq) };
    let mut durable = 0;
    let error = loop {
        let seq = journal.next_seq().0;
        match journal.append(&[big(seq), big(seq + 1), big(seq + 2)], true) {
            Ok(_) => durable = seq + 2,
            Err(error) => break error,
        }
        assert!(seq < 1000, "256 KiB are never full");
    };
    assert!(error.no_space(), "{error}");
    assert!(error.to_string().contains("free some disk space"), "{error}");
    assert!(durable > 20);
    toy.steps = (1..=durable).map(|seq| (seq, "満".repeat(1500))).collect();
    let mut again = Toy::default();
    journal.reread(&mut |entry| again.take(entry)).unwrap();
    assert_eq!(again.steps, toy.steps);
    let finished = std::mem::take(&mut again.finished);
    let refused = journal.start_new_segment(AT, "{\"steps\":[]}", finished.clone());
    fs::remove_file(root.join("room")).unwrap();
    if let Err(error) = refused {
        assert!(error.no_space(), "{error}");
        journal.start_new_segment(AT, "{\"steps\":[]}", finished).unwrap();
    }
    journal.append(&steps(&journal, 3), true).unwrap();
    journal.close().unwrap();
    // What is made again from the segment knows nothing of the part that was written in vain.
    fs::remove_file(dir.join("000001.ids")).unwrap();
    let (journal, toy, _) = open(&dir);
    assert_eq!(toy.steps.len(), 3);
    assert!(journal.archive().known(&id(durable)).unwrap().is_some());
    assert!(journal.archive().known(&id(durable + 1)).unwrap().is_none());
    let report = fsck(&dir).unwrap();
    assert!(report.is_sound(), "{report:?}");
}
