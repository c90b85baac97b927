//! Logs of real files.

use super::*;
use std::fmt::Write as _;

const ALL: LogWish = LogWish { lines: usize::MAX, since: None, bytes: u64::MAX };

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("status")).unwrap();
        Self(folder)
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("status/activity.log")
    }

    fn log(&self) -> StatusLog {
        StatusLog::of_team(&Workspace::at(self.0.path()).unwrap())
    }

    fn put(&self, text: &str) {
        let mut text_before = std::fs::read_to_string(self.path()).unwrap_or_default();
        text_before.push_str(text);
        // The same file goes on.
        let mut file = OpenOptions::new().create(true).append(true).open(self.path()).unwrap();
        std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
    }

    /// As the views' thread does.
    fn rotate(&self) {
        let [_, first, second] = log_files(&self.path()).collect::<Vec<_>>().try_into().unwrap();
        let _ = std::fs::rename(&first, second);
        std::fs::rename(self.path(), first).unwrap();
    }
}

/// All pages of so many lines, oldest first.
fn pages(log: &StatusLog, wish: LogWish) -> Vec<String> {
    let (mut lines, mut from) = (Vec::new(), log.end().unwrap());
    while from.is_some() {
        let found = log.before(from, wish).unwrap();
        assert!(found.lines.len() <= wish.lines);
        lines.extend(found.lines);
        // It goes over the wire as a word.
        from = found.next.map(|next| LogPlace::read(&next.write()).unwrap());
    }
    lines.reverse();
    lines
}

#[test]
fn pages_of_any_size_have_each_line_once_over_rotated_files() {
    let place = Place::new();
    let mut expected = Vec::new();
    for file in 0..3 {
        let mut text = String::new();
        for number in 0..700 {
            let long = "襷".repeat(if number == 300 { 60_000 } else { 1 + number % 90 });
            let line = format!("2026-02-0{}T10:00:00Z m-{file}.{number} {long}", file + 1);
            writeln!(text, "{line}").unwrap();
            expected.push(line);
        }
        if file > 0 {
            place.rotate();
        }
        place.put(&text);
    }
    let log = place.log();
    for (lines, bytes) in
        [(1, u64::MAX), (7, u64::MAX), (699, 100_000), (usize::MAX, u64::MAX), (usize::MAX, 4_000)]
    {
        let found = pages(&log, LogWish { lines, since: None, bytes });
        assert!(found == expected, "{lines} lines, {bytes} bytes: {} of {}", found.len(), expected.len());
    }
    let since = read_moment("2026-02-02T10:00:00Z", &Local);
    assert_eq!(pages(&log, LogWish { since, ..ALL }), expected[700..]);
    let one = log.about(Some(&MessageId::new("m-1.30").unwrap()));
    assert_eq!(pages(&one, ALL), [expected[730].clone()]);
}

#[test]
fn a_line_that_is_being_written_comes_when_it_is_whole() {
    let place = Place::new();
    assert_eq!(place.log().end().unwrap(), None);
    let mut from_nothing = LogTail::new(place.log(), None);
    assert!(from_nothing.read().unwrap().is_empty());
    place.put("a 1\nb 2\nc");
    let log = place.log();
    assert_eq!(pages(&log, ALL), ["a 1", "b 2"]);
    let mut tail = LogTail::new(log.clone(), log.end().unwrap());
    assert!(tail.read().unwrap().is_empty());
    assert_eq!(from_nothing.read().unwrap(), ["a 1", "b 2"]);
    place.put(" 3\n");
    assert_eq!(tail.read().unwrap(), ["c 3"]);
    assert_eq!(from_nothing.read().unwrap(), ["c 3"]);
}

#[test]
fn what_comes_around_a_rotation_is_followed_without_a_gap() {
    let place = Place::new();
    place.put("a 1\n");
    let log = place.log();
    let (mut tail, mut late) =
        (LogTail::new(log.clone(), log.end().unwrap()), LogTail::new(log.clone(), log.end().unwrap()));
    assert!(tail.read().unwrap().is_empty());
    place.put("b 2\n");
    place.rotate();
    place.put("c 3\n");
    let mut found = tail.read().unwrap();
    found.extend(tail.read().unwrap());
    assert_eq!(found, ["b 2", "c 3"]);
    // One that has not looked yet when it happens.
    let mut found = late.read().unwrap();
    found.extend(late.read().unwrap());
    assert_eq!(found, ["b 2", "c 3"]);
    assert_eq!(pages(&log, ALL), ["a 1", "b 2", "c 3"]);
}

#[test]
fn an_id_is_not_found_in_a_longer_one() {
    assert!(has_word("2026 msg-1 is submitted", "msg-1"));
    assert!(has_word("waits for msg-1.", "msg-1"));
    assert!(!has_word("2026 msg-12 is submitted", "msg-1"));
    assert!(!has_word("2026 a-msg-1 is submitted", "msg-1"));
}
