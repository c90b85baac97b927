//! Views that could not be written when a new segment had to be begun: the next daemon knows of them, however this one ends.

use super::lived::{live, team};
use super::{Memory, extract, open, try_again};
use crate::daemon::views::handle::finished_items;
use crate::daemon::views::item::{Item, Place};
use crate::engine::words::{MessageId, Millis};
use crate::io::journal::Journal;
use crate::wire::events;
use std::collections::BTreeSet;
use std::path::Path;

/// Goes on in a new segment, with nothing shown of what has ended; what that was.
fn go_on_blind(dir: &Path, journal: &mut Journal) -> (Memory, BTreeSet<MessageId>) {
    journal.stop("a test");
    let ended = std::cell::RefCell::new(BTreeSet::new());
    let show = |memory: &Memory, _reader| {
        let ids: BTreeSet<MessageId> = memory.fold.engine.state().finished.keys().cloned().collect();
        ended.replace(ids.clone());
        ids
    };
    let memory = try_again(dir, journal, team(), Millis(1_784_000_100_000), &show).unwrap();
    (memory, ended.into_inner())
}

#[test]
fn who_starts_after_a_kill_owes_what_was_owed_before() {
    let dir = tempfile::tempdir().unwrap();
    live(dir.path());
    let (mut journal, before) = open(dir.path(), "boot-2", team()).unwrap();
    assert!(before.owed.is_empty(), "the segment's own views are made from its lines");
    let (_, owed) = go_on_blind(dir.path(), &mut journal);
    assert!(!owed.is_empty());
    let whole = before.fold.engine.state().finished.clone();
    drop(journal); // killed

    // Another life that can show nothing, and dies too.
    let (mut journal, found) = open(dir.path(), "boot-3", team()).unwrap();
    assert_eq!((&found.owed, &found.fold.engine.state().finished), (&owed, &whole));
    let (_, still) = go_on_blind(dir.path(), &mut journal);
    assert_eq!(still, owed);
    drop(journal);

    let (journal, found) = open(dir.path(), "boot-4", team()).unwrap();
    assert_eq!((&found.owed, &found.fold.engine.state().finished), (&owed, &whole));
    let mut reader = journal.reader();
    let items = finished_items(&found.fold.engine, &found.fold.places, &found.owed);
    assert_eq!(items.len(), owed.len());
    for item in items {
        let Item::Finished { view, body, answer, .. } = item else { panic!("{item:?}") };
        let mut text = |place: Place| {
            let step = reader.step(place.step, place.at).unwrap();
            events::body_of(&step.payload, place.event).unwrap().content
        };
        let content = text(body);
        assert!(content.contains("仕事") || content.contains("もう一つ"), "{}: {content}", view.id);
        assert!(answer.is_none_or(|answer| !text(answer).is_empty()), "{}", view.id);
    }
}

#[test]
fn what_is_owed_stands_in_the_list_of_its_own_segment_alone() {
    let dir = tempfile::tempdir().unwrap();
    live(dir.path());
    let (mut journal, _) = open(dir.path(), "boot-2", team()).unwrap();
    let (_, owed) = go_on_blind(dir.path(), &mut journal);
    let lists = |journal: &Journal| {
        let mut archive = journal.archive();
        owed.iter().map(|id| archive.known(id).unwrap().expect("it is in a list")).collect::<Vec<_>>()
    };
    let before = lists(&journal);
    drop(journal);
    let (mut journal, _) = open(dir.path(), "boot-3", team()).unwrap();
    drop(go_on_blind(dir.path(), &mut journal));
    assert_eq!(lists(&journal), before);
    // Nor does a start put it into a list that it makes again from the segment.
    drop(journal);
    for list in std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path()) {
        if list.extension().is_some_and(|extension| extension == "ids") {
            std::fs::remove_file(list).unwrap();
        }
    }
    let (journal, _) = Journal::open(dir.path(), "boot-4", extract, &mut |_| Ok(())).unwrap();
    assert_eq!(lists(&journal), before);
}
