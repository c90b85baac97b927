//! Journals that are not as the daemon left them: damaged, and written under another clock.

use super::{neither_starts, said, works};
use crate::house::House;
use std::fs;
use std::path::PathBuf;

/// The only segment.
fn segment(house: &House) -> PathBuf {
    house.path(".tasuki/journal/000001.jsonl")
}

#[test]
fn a_damaged_line_is_told_with_its_place_and_cure_and_costs_nobody_else_anything() {
    let mut house = House::plain("damaged");
    house.start();
    for id in ["one", "two", "three"] {
        works(&house, id);
    }
    house.end();
    let whole = fs::read_to_string(segment(&house)).expect("a segment");
    let at = whole.find("\"id\":\"two\"").expect("a line of it");
    let start = whole[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let len = whole[start..].find('\n').expect("its end");
    let mut bytes = whole.into_bytes();
    bytes[at + 8] ^= 4;
    fs::write(segment(&house), bytes).expect("damage");

    let fsck = house.tasuki().arg("fsck").output().expect("fsck");
    let (told, cure) = (String::from_utf8_lossy(&fsck.stdout), String::from_utf8_lossy(&fsck.stderr));
    assert_eq!(fsck.status.code(), Some(1), "{told}{cure}");
    assert!(told.contains(&format!("segment 1: {len} bytes at {start} are damaged")), "{told}");
    assert!(told.contains("its checksum does not match") && !told.contains("Checksum"), "{told}");
    assert!(cure.contains("the journal is damaged") && cure.contains(".tasuki/journal/damaged/"), "{cure}");

    house.start();
    let shown = house.read("status/daemon.yaml");
    assert!(shown.contains("the journal is damaged; 1 of its steps is lost"), "{shown}");
    let kept = house.files(".tasuki/journal/damaged");
    assert_eq!(kept.len(), 1, "{kept:?}");
    works(&house, "four");
    for id in ["one", "three"] {
        let why = house.tasuki().args(["why", id]).output().expect("why");
        let why = String::from_utf8_lossy(&why.stdout).into_owned();
        assert!(why.contains("accepted") && why.contains("completed"), "{why}");
        // The same again is known, and not done again.
        house.drop("again.yaml", &format!("id: {id}\nto: worker\ncontent: 仕事 😀\n"));
        house.until("it to be known", |house| !house.path("queue/again.yaml").exists());
        let log = house.read("status/activity.log");
        assert_eq!(log.matches(&format!(" {id} accepted: ")).count(), 1, "{log}");
    }
    house.end();
}

#[test]
fn a_journal_that_lost_everything_is_told_by_status() {
    let mut house = House::plain("lost");
    house.start();
    works(&house, "one");
    let calm = house.ask(&["status"]);
    assert!(!String::from_utf8_lossy(&calm.stdout).contains("note"), "{calm:?}");
    house.end();
    let len = fs::metadata(segment(&house)).expect("a segment").len();
    fs::write(segment(&house), vec![b'x'; usize::try_from(len).expect("a length")]).expect("damage");
    house.start();
    let told = String::from_utf8_lossy(&house.ask(&["status"]).stdout).into_owned();
    assert!(told.contains("nothing in the journal can be read") && told.contains("`tasuki fsck`"), "{told}");
    assert!(house.read("status/daemon.yaml").contains("nothing in the journal can be read"));
    works(&house, "two");
    house.end();
}

#[test]
fn what_is_no_file_in_the_place_of_a_segment_is_named() {
    let mut house = House::plain("in the way");
    house.start();
    works(&house, "one");
    house.end();
    let kept = house.path("kept.jsonl");
    fs::rename(segment(&house), &kept).expect("the segment");
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    for what in ["folder", "pipe", "link"] {
        match what {
            "folder" => fs::create_dir(segment(&house)).expect(what),
            "pipe" => rustix::fs::mkfifoat(rustix::fs::CWD, segment(&house), mode).expect(what),
            _ => std::os::unix::fs::symlink(&kept, segment(&house)).expect(what),
        }
        neither_starts(&house, 1, &["000001.jsonl is not a file: move it away"]);
        let text = said(house.tasuki().arg("fsck"), 1);
        assert!(text.contains("000001.jsonl is not a file: move it away"), "{what}: {text}");
        match what {
            "folder" => fs::remove_dir(segment(&house)).expect(what),
            _ => fs::remove_file(segment(&house)).expect(what),
        }
    }
    fs::rename(&kept, segment(&house)).expect("the segment");
    house.start();
    works(&house, "two");
    house.end();
}

/// Shifts each moment in the journal, and mends the checksums.
fn shift(house: &House, forth: bool) {
    const YEAR_MS: u64 = 365 * 24 * 3_600_000;
    let text = fs::read_to_string(segment(house)).expect("a segment");
    let moved = |word: &str| {
        let is_moment =
            word.len() == 13 && word.starts_with("17") && word.bytes().all(|byte| byte.is_ascii_digit());
        let moment = is_moment.then(|| word.parse::<u64>().expect("a number"));
        moment.map_or(word.to_owned(), |at| if forth { at + YEAR_MS } else { at - YEAR_MS }.to_string())
    };
    let lines = text.lines().filter(|line| !line.is_empty()).map(|line| {
        let mut out = String::new();
        let mut word = String::new();
        for letter in line.chars().chain(['\n']) {
            if letter.is_ascii_alphanumeric() {
                word.push(letter);
            } else {
                out += &moved(&word);
                word.clear();
                out.push(letter);
            }
        }
        let (before, rest) = out.trim_end().split_once(",\"crc\":\"").expect("a checksum");
        let after = &rest[9..];
        let crc = crc32fast::hash([before, after].concat().as_bytes());
        format!("{before},\"crc\":\"{crc:08x}\"{after}\n")
    });
    let lines: String = lines.collect();
    fs::write(segment(house), lines).expect("the journal of another year");
    let fsck = house.tasuki().arg("fsck").output().expect("fsck");
    assert!(fsck.status.success(), "{fsck:?}");
}

#[test]
fn a_journal_of_a_year_ahead_or_ago_goes_on_at_once() {
    for forth in [true, false] {
        let agent = "  - {name: worker, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK, env: {DELAY: '0.5'}}\n\
             \x20 - {name: deaf, reports_to: user, provider: plain, command: [sleep, '1000'], marker: PLAIN OK, timeout: 300s}\n";
        let mut house = House::new("clock", agent, &[("agent.sh", crate::house::PLAIN_AGENT)]);
        house.start();
        works(&house, "before");
        house.drop("many.yaml", "id: t-1\nto: worker\ncontent: x\n---\nid: t-2\nto: worker\ncontent: x\n---\nid: d-1\nto: deaf\ncontent: x\n");
        house.until("a turn", |house| house.read("queue/active/t-1.yaml").contains("status: in_progress"));
        house.kill();
        shift(&house, forth);
        house.start();
        assert!(house.result("t-1").contains("answer to t-1"), "{forth}");
        assert!(house.result("t-2").contains("answer to t-2"), "{forth}");
        works(&house, "after");
        let why = house.tasuki().args(["why", "before"]).output().expect("why");
        let why = String::from_utf8(why.stdout).expect("UTF-8");
        assert_eq!(why.matches("completed (by").count(), 1, "{why}");
        house.end();
    }
}
