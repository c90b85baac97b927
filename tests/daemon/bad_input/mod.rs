//! The 72 classes of bad input through the real binary: a daemon in a workspace of its own, one fixture a class dropped into
//! `queue/`. What cannot be a message lies in `queue/rejected/` byte for byte with its reason; what can is done, and
//! nothing of it reaches a terminal; the daemon goes on.

mod content;
mod fields;
mod meaning;
mod objects;
mod slots;
mod table;
mod yaml;

use std::collections::BTreeMap;
use table::{Case, Then, Town};

/// Classes that need more than one file, each with its test. That a file which stays open is reported after a minute
/// (52) takes a minute, so it is tested with a clock that is given: `tests/system/mailbox.rs`.
const SCENES: &[(u8, &str, &str)] = &[
    (4, "a_file_is_taken_when_its_writer_is_done", include_str!("slots.rs")),
    (26, "an_id_is_one_message", include_str!("meaning.rs")),
    (48, "what_cannot_be_read_is_refused", include_str!("objects.rs")),
    (51, "a_slot_that_is_rewritten_is_always_whole", include_str!("slots.rs")),
    (52, "a_file_is_taken_when_its_writer_is_done", include_str!("slots.rs")),
    (60, "what_an_agent_repeats_closes_nothing", include_str!("content.rs")),
    (61, "what_an_agent_repeats_closes_nothing", include_str!("content.rs")),
    (64, "hands_are_counted", include_str!("meaning.rs")),
    (65, "nobody_waits_for_himself", include_str!("meaning.rs")),
    (71, "too_many_messages_wait_and_it_is_told", include_str!("meaning.rs")),
    (72, "what_is_called_off_or_late_is_never_typed", include_str!("meaning.rs")),
];

/// Classes that cannot occur yet, and why.
const LATER: &[(u8, &str)] = &[(68, "a branch is named by a worktree or a debate; there are none yet")];

fn cases() -> Vec<Case> {
    [yaml::cases(), fields::cases(), content::cases(), objects::names(), meaning::cases()].concat()
}

#[test]
fn every_class_has_its_fixture() {
    let mut how: BTreeMap<u8, Vec<String>> = BTreeMap::new();
    for case in cases() {
        how.entry(case.class).or_default().push(case.shown());
    }
    for (class, name) in objects::KINDS {
        how.entry(*class).or_default().push(format!("{name:?}"));
    }
    for (class, test, source) in SCENES {
        assert!(source.contains(&format!("fn {test}()")), "{class}: there is no test {test}");
        how.entry(*class).or_default().push(format!("{test}()"));
    }
    for (class, why) in LATER {
        assert!(!how.contains_key(class), "{class} can occur: {:?}", how[class]);
        how.entry(*class).or_default().push(format!("later: {why}"));
    }
    for (class, names) in &how {
        println!("{class:2} {}", names.join(", "));
    }
    assert_eq!(how.into_keys().collect::<Vec<_>>(), (1..=72).collect::<Vec<_>>());
}

#[test]
fn every_file_has_its_answer() {
    let town = Town::start("悪い入力 💥 of all kinds");
    let cases = cases();
    for (number, some) in cases.chunks(20).enumerate() {
        some.iter().for_each(|case| town.drop(case));
        town.goes_on(&format!("good-{number}"));
    }
    let objects = objects::make(&town);
    town.goes_on("good-objects");
    for case in &cases {
        match &case.then {
            Then::Refused(refused) => town.check_refused(&case.shown(), refused, Some(&case.bytes)),
            Then::Done { documents } => content::check_done(&town, case, *documents),
            Then::Stays { hint } => town.check_stays(case, *hint),
        }
    }
    objects.iter().for_each(|object| objects::check(&town, object));
    content::check_terminal(&town);
    town.check_quiet();
    town.end("good-end");
}
