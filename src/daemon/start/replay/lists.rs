//! The list of what ended in a segment: the daemon writes it from its state when it leaves the segment, and a start from the
//! segment itself where it is missing.

use super::lived::{live, team};
use super::{extract, open};
use crate::daemon::journal::snapshot::{self, outcome_number, outcome_of};
use crate::daemon::mailbox::handled::Handled;
use crate::engine::engine::Engine;
use crate::engine::message::Outcome;
use crate::io::journal::Journal;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn lists(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let paths = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let lists = paths.filter(|path| path.extension().is_some_and(|extension| extension == "ids"));
    lists.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

#[test]
fn a_list_that_is_made_again_says_what_the_lost_one_said() {
    let dir = tempfile::tempdir().unwrap();
    live(dir.path());
    let written = lists(dir.path());
    assert!(written.len() >= 3, "{written:?}");
    written.keys().for_each(|path| fs::remove_file(path).unwrap());
    let (_journal, report) = Journal::open(dir.path(), "boot-2", extract, &mut |_| Ok(())).unwrap();
    assert_eq!(report.ids.len(), written.len());
    assert_eq!(lists(dir.path()), written);
}

#[test]
fn an_outcome_is_read_as_it_was_written() {
    for outcome in [Outcome::Completed, Outcome::Failed, Outcome::Cancelled] {
        assert_eq!(outcome_of(outcome_number(outcome)), outcome);
    }
}

/// Files that a power cut put back may lie in `queue/` for as long as there is no room for them.
#[test]
fn a_snapshot_says_which_files_were_claimed_before_the_machine_was_started() {
    let names =
        |names: &[&str]| names.iter().map(|&name| name.into()).collect::<BTreeSet<std::sync::Arc<str>>>();
    for earlier in [&[][..], &["a"], &["a", "b"]] {
        let handled =
            Handled { taken: names(&["a", "b", "c"]), earlier: names(earlier), ..Handled::default() };
        let text = snapshot::encode(&Engine::new(team()), &BTreeMap::new(), &handled, &BTreeSet::new());
        assert_eq!(snapshot::handled(&text).unwrap(), handled, "{text}");
    }
}

#[test]
fn the_first_step_after_a_lost_segment_has_the_number_that_comes_next() {
    for lost in [&b""[..], b"\xff\x00 no line\n\n", &[7; 5_000]] {
        let dir = tempfile::tempdir().unwrap();
        live(dir.path());
        fs::write(dir.path().join("000099.jsonl"), lost).unwrap();
        let (journal, memory) = open(dir.path(), "boot-2", team()).unwrap();
        assert_eq!(memory.fold.engine.state().seq.0 + 1, journal.next_seq().0, "{} bytes", lost.len());
    }
}
