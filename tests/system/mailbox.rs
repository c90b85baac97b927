//! The mailbox with real files: everything that can lie in a drop zone, writers that race with it, crashes, and hostile
//! names and links. A file is read whole or not at all, and none is lost.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test")]

use rustix::fs::{FileType, Mode};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tasuki::engine::message::refusal::{Code, Refusal};
use tasuki::engine::words::{AgentName, Millis};
use tasuki::io::folder::FolderError;
use tasuki::io::lease::{self, NoLease};
use tasuki::io::mailbox::{Budget, Found, Mailbox, Sweep};
use tasuki::wire::zone::ZoneSpec;

const NOW: Millis = Millis(1_770_033_600_000);
const BUDGET: Budget = Budget { files: 1_000_000, bytes: usize::MAX };

/// A workspace in a folder of its own, with an open mailbox.
struct Bench {
    root: tempfile::TempDir,
    mailbox: Mailbox,
    now: Millis,
}

impl Bench {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let mailbox = Mailbox::open(root.path()).unwrap();
        Self { root, mailbox, now: NOW }
    }

    fn path(&self, inside: &str) -> PathBuf {
        self.root.path().join(inside)
    }

    fn drop(&self, name: impl AsRef<OsStr>, text: impl AsRef<[u8]>) {
        let path = self.root.path().join("queue").join(name.as_ref());
        fs::write(&path, text).unwrap();
        // A child of another test that has not begun its program yet still has the file open for writing.
        let file = fs::File::open(&path).unwrap();
        let end = Instant::now() + Duration::from_secs(10);
        while matches!(lease::take(&file), Err(NoLease::InUse)) {
            assert!(Instant::now() < end, "{} is open for writing", path.display());
            std::thread::yield_now();
        }
    }

    fn scan(&mut self) -> Vec<Found> {
        self.mailbox.scan(self.now, BUDGET).found
    }

    fn after(&mut self, ms: u64) -> Vec<Found> {
        self.now = self.now.plus(ms);
        self.scan()
    }

    /// The daemon dies and starts again.
    fn restart(self) -> Self {
        let mailbox = Mailbox::open(self.root.path()).unwrap();
        Self { mailbox, ..self }
    }

    fn names(&self, inside: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(inside)).unwrap();
        let mut names: Vec<_> =
            entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn drops(&self) -> Vec<String> {
        self.names("queue").into_iter().filter(|name| name != "rejected").collect()
    }
}

fn read(found: &Found) -> (&str, &str, &[u8]) {
    match found {
        Found::Read { claim, name, bytes, .. } => (claim, name, bytes),
        other => panic!("{other:?}"),
    }
}

fn claims(found: &[Found]) -> Vec<Arc<str>> {
    found.iter().map(|found| read(found).0.into()).collect()
}

/// The reads of a sweep as text, name and content.
fn texts(found: &[Found]) -> Vec<String> {
    found
        .iter()
        .map(read)
        .map(|(_, name, bytes)| format!("{name}: {}", String::from_utf8_lossy(bytes)))
        .collect()
}

#[test]
fn a_drop_is_claimed_read_and_forgotten() {
    let mut bench = Bench::new();
    bench.drop("仕事 😀.yaml", "to: a\n");
    let meta = fs::metadata(bench.path("queue/仕事 😀.yaml")).unwrap();
    let found = bench.scan();
    let changed_ns = meta.ctime() * 1_000_000_000 + meta.ctime_nsec();
    // If a power cut undoes the rename but not the journal, the file is claimed again under the name that is known.
    assert_eq!(read(&found[0]).0, format!("{changed_ns:016x}{:016x}-0-仕事 😀.yaml", meta.ino()));
    assert_eq!(texts(&found), ["仕事 😀.yaml: to: a\n"]);
    assert!(matches!(found[0], Found::Read { zone: 0, .. }));
    assert_eq!(bench.drops(), [""; 0]);
    assert_eq!(bench.names(".tasuki/claim"), [read(&found[0]).0]);
    assert_eq!(bench.scan().len(), 0, "once");
    bench.mailbox.forget(&claims(&found)).unwrap();
    assert_eq!(bench.names(".tasuki/claim"), [""; 0]);
    bench.mailbox.forget(&claims(&found)).unwrap();
}

#[test]
fn it_can_be_given_to_a_thread() {
    fn given<T: Send + 'static>() {}
    given::<Mailbox>();
    given::<Sweep>();
    given::<tasuki::io::views::Views>();
    given::<tasuki::io::watch::Watch>();
}

#[test]
fn earlier_drops_come_first_and_the_budget_holds() {
    let mut bench = Bench::new();
    for (name, second) in [("c.yaml", 1), ("b.yaml", 3), ("a.yaml", 2), ("d.yaml", 3)] {
        bench.drop(name, name);
        let file = fs::File::options().write(true).open(bench.path("queue").join(name)).unwrap();
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000 + second);
        file.set_modified(time).unwrap();
    }
    let two = bench.mailbox.scan(NOW, Budget { files: 2, bytes: usize::MAX });
    assert_eq!(texts(&two.found), ["c.yaml: c.yaml", "a.yaml: a.yaml"]);
    assert!(two.more);
    let bytes = bench.mailbox.scan(NOW, Budget { files: 9, bytes: 1 });
    assert_eq!((texts(&bytes.found), bytes.more), (vec!["b.yaml: b.yaml".to_owned()], true));
    let rest = bench.mailbox.scan(NOW, Budget::default());
    assert_eq!(
        (texts(&rest.found), rest.more, rest.again_in_ms),
        (vec!["d.yaml: d.yaml".to_owned()], false, None)
    );
}

#[test]
fn what_comes_while_a_long_list_is_worked_off_is_found_with_its_rest() {
    let mut bench = Bench::new();
    for name in ["a.yaml", "b.yaml", "c.yaml"] {
        bench.drop(name, name);
    }
    assert!(bench.mailbox.scan(NOW, Budget { files: 2, bytes: usize::MAX }).more);
    bench.drop("d.yaml", "d.yaml");
    // Whoever was woken by it sweeps once, and not again before the next one comes.
    assert_eq!(texts(&bench.scan()), ["c.yaml: c.yaml", "d.yaml: d.yaml"]);
}

#[test]
fn without_room_what_is_wanted_is_taken_and_the_rest_is_looked_at_once() {
    let mut bench = Bench::new();
    let none = Budget { files: 0, bytes: 0 };
    let looked = std::cell::RefCell::new(Vec::new());
    let wanted = |_: u32, name: &str, bytes: &[u8]| {
        looked.borrow_mut().push(name.to_owned());
        bytes.starts_with(b"answer")
    };
    let take = |bench: &mut Bench, looks| {
        let mut sweep = bench.mailbox.scan(bench.now, none);
        let more =
            bench.mailbox.take_priority(&mut sweep, Budget { files: looks, ..BUDGET }, bench.now, &wanted);
        (texts(&sweep.found), more, std::mem::take(&mut *looked.borrow_mut()))
    };
    let text = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    for (name, content) in
        [("1.yaml", "task"), ("2.yaml", "answer 襷"), ("3.yaml", "answer"), ("4.yaml", "task")]
    {
        bench.drop(name, content);
    }
    // The newest is looked at first, and they are taken in their order.
    let both = text(&["2.yaml: answer 襷", "3.yaml: answer"]);
    assert_eq!(take(&mut bench, 3), (both, true, text(&["4.yaml", "3.yaml", "2.yaml"])));
    assert_eq!(take(&mut bench, 9), (text(&[]), false, text(&["1.yaml"])));
    assert_eq!(take(&mut bench, 9), (text(&[]), false, text(&[])), "nothing is read again");
    bench.drop("1.yaml", "answer at last");
    let mut open = fs::File::create(bench.path("queue/5.yaml")).unwrap();
    open.write_all(b"answer").unwrap();
    assert_eq!(
        take(&mut bench, 9),
        (text(&["1.yaml: answer at last"]), false, text(&["1.yaml"])),
        "by its new text"
    );
    drop(open);
    assert_eq!(
        take(&mut bench, 9),
        (text(&["5.yaml: answer"]), false, text(&["5.yaml"])),
        "once it is whole"
    );

    // What was claimed before and waits for room.
    let found = bench.scan();
    let claims = claims(&found);
    assert_eq!(claims.len(), 1, "{found:?}");
    bench.mailbox.defer(&claims[0]);
    assert_eq!(take(&mut bench, 9), (text(&[]), false, text(&[])), "it was read when there was no room");
    bench.mailbox.forget_not_priority();
    assert_eq!(take(&mut bench, 9), (text(&[]), false, text(&["4.yaml"])));
    assert_eq!(take(&mut bench, 9), (text(&[]), false, text(&[])));
    fs::write(bench.path(".tasuki/claim").join(&*claims[0]), "answer").unwrap();
    assert_eq!(take(&mut bench, 9), (text(&["4.yaml: answer"]), false, text(&["4.yaml"])));
}

#[test]
fn a_file_for_which_there_is_no_room_is_found_again_and_loses_nothing_by_it() {
    let mut bench = Bench::new();
    for name in ["a.yaml", "b.yaml"] {
        bench.drop(name, name);
    }
    let found = claims(&bench.scan());
    assert_eq!((found.len(), bench.scan().len()), (2, 0), "what was read is read once");
    for _ in 0..2 {
        bench.mailbox.defer(&found[0]);
        bench.mailbox.defer(&found[0]);
        let again = bench.scan();
        assert_eq!(
            (claims(&again), texts(&again)),
            (vec![found[0].clone()], vec!["a.yaml: a.yaml".to_owned()])
        );
    }
    bench.mailbox.forget(&found[..1]).unwrap();
    bench.mailbox.defer(&found[0]);
    assert_eq!(bench.scan().len(), 0, "it is gone");
}

#[test]
fn a_flood_of_names_that_are_nearly_right_gets_few_hints_and_each_once() {
    let mut bench = Bench::new();
    for number in 0..1_500 {
        bench.drop(format!("{number}.yml"), "to: a\n");
    }
    assert_eq!(bench.scan().len(), 100);
    assert_eq!(bench.scan().len(), 0, "each once, and the others not");
    (0..1_500).for_each(|number| fs::remove_file(bench.path(&format!("queue/{number}.yml"))).unwrap());
    assert_eq!(bench.scan().len(), 0);
    bench.drop("after.yml", "to: a\n");
    assert_eq!(bench.scan().len(), 1, "there is room for hints again");
}

#[test]
fn names_that_are_not_drops_stay_and_yml_gets_a_hint_once() {
    let mut bench = Bench::new();
    for name in [".hidden.yaml", "x.yaml.tmp", "README.md", "STOP", "x.yml", "y.YAML"] {
        bench.drop(name, "to: a\n");
    }
    let mut hints: Vec<String> = Vec::new();
    for found in bench.scan() {
        match found {
            Found::Hint { name, zone: 0, .. } => hints.push(name),
            other => panic!("{other:?}"),
        }
    }
    hints.sort();
    assert_eq!(hints, ["x.yml", "y.YAML"]);
    assert_eq!(bench.scan().len(), 0);
    assert_eq!(bench.drops().len(), 6);
    assert!(matches!(bench.mailbox.stopped_since(), Ok(Some(_))));
    fs::remove_file(bench.path("queue/STOP")).unwrap();
    assert_eq!(bench.mailbox.stopped_since(), Ok(None));
}

/// Makes one thing of each kind that cannot be a message; what there is no right to make is left out.
fn make_objects(bench: &Bench, secret: &Path) -> Vec<(&'static str, Code)> {
    let at = |name: &str| bench.path("queue").join(name);
    let mut made = Vec::new();
    std::os::unix::fs::symlink(secret, at("39-symlink.yaml")).unwrap();
    made.push(("39-symlink.yaml", Code::Symlink));
    std::os::unix::fs::symlink("/nowhere/at/all", at("40-dangling.yaml")).unwrap();
    made.push(("40-dangling.yaml", Code::Symlink));
    std::os::unix::fs::symlink(
        format!("/proc/self/fd/../../{}/root/etc/passwd", std::process::id()),
        at("40-magic.yaml"),
    )
    .unwrap();
    made.push(("40-magic.yaml", Code::Symlink));
    fs::hard_link(secret, at("41-hard-link.yaml")).unwrap();
    made.push(("41-hard-link.yaml", Code::HardLink));
    let mode = Mode::RUSR | Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, at("42-fifo.yaml"), FileType::Fifo, mode, 0).unwrap();
    made.push(("42-fifo.yaml", Code::NotAFile));
    drop(std::os::unix::net::UnixListener::bind(at("43-socket.yaml")).unwrap());
    made.push(("43-socket.yaml", Code::NotAFile));
    let null = rustix::fs::makedev(1, 3);
    if rustix::fs::mknodat(rustix::fs::CWD, at("44-device.yaml"), FileType::CharacterDevice, mode, null)
        .is_ok()
    {
        made.push(("44-device.yaml", Code::NotAFile));
    }
    fs::create_dir(at("45-folder.yaml")).unwrap();
    fs::write(at("45-folder.yaml/kept"), "x").unwrap();
    made.push(("45-folder.yaml", Code::Folder));
    bench.drop("46-not-ours.yaml", "to: a\n");
    match std::os::unix::fs::chown(at("46-not-ours.yaml"), Some(65_534), None) {
        Ok(()) => made.push(("46-not-ours.yaml", Code::NotOurs)),
        Err(_) => fs::remove_file(at("46-not-ours.yaml")).unwrap(),
    }
    bench.drop("47-world-writable.yaml", "to: a\n");
    fs::set_permissions(at("47-world-writable.yaml"), fs::Permissions::from_mode(0o666)).unwrap();
    made.push(("47-world-writable.yaml", Code::WorldWritable));
    bench.drop("48-unreadable.yaml", "to: a\n");
    fs::set_permissions(at("48-unreadable.yaml"), fs::Permissions::from_mode(0o200)).unwrap();
    if rustix::process::geteuid().is_root() {
        fs::remove_file(at("48-unreadable.yaml")).unwrap(); // root reads everything
    } else {
        made.push(("48-unreadable.yaml", Code::Unreadable));
    }
    bench.drop("10-too-large.yaml", vec![b'x'; (1 << 20) + 1]);
    made.push(("10-too-large.yaml", Code::TooLarge));
    made
}

#[test]
fn every_object_that_is_no_message_is_refused_moved_and_explained() {
    let mut bench = Bench::new();
    let secret = bench.path("secret");
    fs::write(&secret, "to: a\ncontent: a secret\n").unwrap();
    let made = make_objects(&bench, &secret);
    let before: Vec<u64> =
        made.iter().map(|(n, _)| fs::symlink_metadata(bench.path("queue").join(n)).unwrap().ino()).collect();
    let mut codes = Vec::new();
    for found in bench.scan() {
        let Found::Bad { claim, name, refusal, .. } = found else { panic!("{found:?}") };
        codes.push((name.to_string(), refusal.code));
        let moved = bench.mailbox.reject(&claim, &refusal, None, NOW).unwrap();
        assert_eq!(moved.as_deref(), Some(&*name));
    }
    codes.sort();
    let mut expected: Vec<_> = made.iter().map(|(name, code)| ((*name).to_owned(), *code)).collect();
    expected.sort();
    assert_eq!(codes, expected);
    assert_eq!(bench.drops(), [""; 0]);
    assert_eq!(bench.names(".tasuki/claim"), [""; 0]);
    for ((name, code), inode) in made.iter().zip(before) {
        let at = bench.path("queue/rejected").join(name);
        assert_eq!(fs::symlink_metadata(&at).unwrap().ino(), inode, "{name}: the very thing was moved");
        let reason: serde_json::Value = serde_yaml::from_str(
            &fs::read_to_string(bench.path(&format!("queue/rejected/{name}.reason.yaml"))).unwrap(),
        )
        .unwrap();
        assert_eq!(reason["code"], code.word(), "{name}");
        assert_eq!(reason["cure"], code.cure());
        assert!(reason["why"].as_str().is_some_and(|why| !why.is_empty()), "{name}");
        assert_eq!(reason["at"], "2026-02-02T12:00:00Z");
    }
    assert_eq!(fs::read_to_string(bench.path("queue/rejected/45-folder.yaml/kept")).unwrap(), "x");
    assert_eq!(fs::read_to_string(&secret).unwrap(), "to: a\ncontent: a secret\n");
}

#[test]
fn names_that_cannot_be_used_are_refused_under_a_likeness() {
    let mut bench = Bench::new();
    let long = format!("{}.yaml", "長".repeat(80));
    let names: [&[u8]; 5] = [b"-rf.yaml", b"a\nb.yaml", b"\x1b[2J.yaml", b"\xff\xfe.yaml", long.as_bytes()];
    for name in names {
        bench.drop(OsStr::from_bytes(name), "to: a\ncontent: x\n");
    }
    let mut moved = Vec::new();
    for found in bench.scan() {
        let Found::Bad { claim, refusal, .. } = found else { panic!("{found:?}") };
        assert_eq!(refusal.code, Code::BadFileName);
        moved.push(bench.mailbox.reject(&claim, &refusal, None, NOW).unwrap().unwrap());
    }
    moved.sort();
    assert_eq!(moved[..4], ["%1B[2J.yaml", "%2Drf.yaml", "%FF%FE.yaml", "a%0Ab.yaml"]);
    assert_eq!(moved[4], format!("{}.yaml", "長".repeat(65)));
    assert_eq!(bench.drops(), [""; 0]);
}

#[test]
fn a_refused_name_stays_refused_over_a_crash() {
    let mut bench = Bench::new();
    bench.drop("-rf.yaml", "to: a\ncontent: x\n");
    assert!(matches!(bench.scan()[0], Found::Bad { .. }));
    let mut bench = bench.restart();
    assert!(matches!(
        &bench.scan()[..],
        [Found::Bad { refusal: Refusal { code: Code::BadFileName, .. }, .. }]
    ));
}

#[test]
fn a_file_is_left_alone_while_it_is_written_and_reported_after_a_minute() {
    let mut bench = Bench::new();
    let mut writer = fs::File::create(bench.path("queue/slow.yaml")).unwrap();
    writer.write_all(b"to: a\n").unwrap();
    let sweep = bench.mailbox.scan(bench.now, BUDGET);
    assert_eq!((sweep.found.len(), sweep.again_in_ms), (0, Some(20)));
    writer.write_all(b"content: x\n").unwrap();
    assert_eq!(bench.after(59_999).len(), 0);
    let found = bench.after(1);
    assert!(
        matches!(&found[..], [Found::Later { name, zone: 0, refusal }] if name == "slow.yaml" && refusal.code == Code::StillOpen),
        "{found:?}"
    );
    assert_eq!(bench.after(60_000).len(), 0, "said once");
    assert_eq!(bench.drops(), ["slow.yaml"]);
    let sweep = bench.mailbox.scan(bench.now, BUDGET);
    assert_eq!(sweep.again_in_ms, Some(1_000), "looked at less and less often");
    drop(writer);
    assert_eq!(texts(&bench.scan()), ["slow.yaml: to: a\ncontent: x\n"]);
    assert_eq!(bench.mailbox.scan(bench.now, BUDGET).again_in_ms, None);
}

#[test]
fn an_empty_file_gets_a_second_to_be_filled() {
    let mut bench = Bench::new();
    bench.drop("made.yaml", "");
    assert_eq!(bench.scan().len(), 0);
    bench.drop("made.yaml", "to: a\n");
    assert_eq!(texts(&bench.scan()), ["made.yaml: to: a\n"]);
    bench.drop("empty.yaml", "");
    assert_eq!(bench.scan().len(), 0);
    assert_eq!(bench.after(999).len(), 0);
    assert_eq!(texts(&bench.after(1)), ["empty.yaml: "]);
}

#[test]
fn a_version_written_into_a_claimed_file_is_a_message_of_its_own() {
    let mut bench = Bench::new();
    bench.drop("slot.yaml", "version: 1\n");
    let first = bench.scan();
    let claim = claims(&first);
    // A writer that had found the file by its name just before it was claimed opens it only now.
    fs::write(bench.path(".tasuki/claim").join(&*claim[0]), "version: 2\n").unwrap();
    bench.mailbox.forget(&claim).unwrap();
    let second = bench.scan();
    assert_eq!(texts(&second), ["slot.yaml: version: 2\n"]);
    assert_ne!(claims(&second), claim, "the journal knows the first claim");
    fs::write(bench.path(".tasuki/claim").join(&*claims(&second)[0]), "version: 3\n").unwrap();
    let refusal = Refusal::new(Code::ToMissing, "x");
    assert_eq!(bench.mailbox.reject(&claims(&second)[0], &refusal, None, NOW).unwrap(), None);
    assert_eq!(texts(&bench.scan()), ["slot.yaml: version: 3\n"]);
}

#[test]
fn a_claimed_file_that_is_still_written_is_waited_for() {
    let mut bench = Bench::new();
    bench.drop("x.yaml", "whole");
    let claim = claims(&bench.scan());
    let mut bench = bench.restart();
    let mut writer =
        fs::File::options().append(true).open(bench.path(".tasuki/claim").join(&*claim[0])).unwrap();
    let sweep = bench.mailbox.scan(bench.now, BUDGET);
    assert_eq!((sweep.found.len(), sweep.more, sweep.again_in_ms), (0, false, Some(20)));
    let found = bench.after(60_000);
    assert!(matches!(&found[..], [Found::Later { name, .. }] if name == "x.yaml"), "{found:?}");
    writer.write_all(b" and more").unwrap();
    drop(writer);
    assert_eq!(texts(&bench.scan()), ["x.yaml: whole and more"]);
}

#[test]
fn a_claim_never_takes_the_place_of_another() {
    let bench = Bench::new();
    bench.drop("x.yaml", "later");
    let meta = fs::metadata(bench.path("queue/x.yaml")).unwrap();
    let changed_ns = meta.ctime() * 1_000_000_000 + meta.ctime_nsec();
    // Its number may come again, and the clock stand still.
    let taken = format!(".tasuki/claim/{changed_ns:016x}{:016x}-0-x.yaml", meta.ino());
    fs::write(bench.path(&taken), "before").unwrap();
    let mut bench = bench.restart();
    assert_eq!(texts(&bench.scan()), ["x.yaml: before", "x.yaml: later"]);
    assert_eq!(bench.names(".tasuki/claim").len(), 2);
}

#[test]
fn claims_of_a_dead_daemon_are_taken_up_in_order() {
    let mut bench = Bench::new();
    for name in ["b.yaml", "a.yaml", "c.yaml"] {
        bench.drop(name, name);
        assert_eq!(bench.scan().len(), 1);
    }
    fs::write(bench.path(".tasuki/claim/notes.txt"), "of no concern").unwrap();
    let mut bench = bench.restart();
    let left = bench.mailbox.unread();
    assert_eq!(left.len(), 3);
    bench.mailbox.forget(&left[..1]).unwrap(); // the journal knew it
    bench.drop("d.yaml", "d.yaml");
    let two = bench.mailbox.scan(NOW, Budget { files: 2, bytes: usize::MAX });
    assert_eq!(texts(&two.found), ["a.yaml: a.yaml", "c.yaml: c.yaml"]);
    assert!(two.more, "the claims took the budget, and nobody looked into the queue yet");
    assert_eq!(texts(&bench.scan()), ["d.yaml: d.yaml"]);
    let mut names = bench.names(".tasuki/claim");
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 4, "three claims and the notes");
}

#[test]
fn a_rejected_file_keeps_its_bytes_and_every_one_has_its_own_name() {
    let mut bench = Bench::new();
    let refusal = |line| Refusal {
        line: Some(line),
        column: Some(3),
        document: 1,
        field: Some("to"),
        ..Refusal::new(Code::BadName, "`to`: `X`")
    };
    let bytes = b"first\r\n\x1b[31mto: X\x00\xff\n".as_slice();
    for (number, expected) in [(1, "x.yaml"), (2, "x-2.yaml"), (3, "x-3.yaml")] {
        bench.drop("x.yaml", bytes);
        let found = bench.scan();
        let moved = bench.mailbox.reject(read(&found[0]).0, &refusal(number), Some("boss"), NOW).unwrap();
        assert_eq!(moved.as_deref(), Some(expected));
        assert_eq!(fs::read(bench.path("queue/rejected").join(expected)).unwrap(), bytes);
    }
    let reason = fs::read_to_string(bench.path("queue/rejected/x-2.yaml.reason.yaml")).unwrap();
    let inode = fs::metadata(bench.path("queue/rejected/x-2.yaml")).unwrap().ino();
    expect_test::expect![[r#"
        file: x.yaml
        code: bad-name
        line: 2
        column: 3
        document: 2
        field: to
        why: "`to`: `X`"
        cure: use a name that `tasuki status` lists, in small letters as there; a name is `[a-z0-9][a-z0-9_-]{0,63}`
        text: "\\u{1b}[31mto: X\\0�"
        from: boss
        at: "2026-02-02T12:00:00Z"
        inode: INODE
    "#]]
    .assert_eq(&reason.replace(&inode.to_string(), "INODE"));
    assert_eq!(fs::metadata(bench.path("queue/rejected")).unwrap().mode() & 0o7777, 0o700);
    assert_eq!(fs::metadata(bench.path("queue/rejected/x.yaml.reason.yaml")).unwrap().mode() & 0o7777, 0o600);
}

#[test]
fn rejecting_again_after_a_crash_gives_the_same_name() {
    let mut bench = Bench::new();
    let refusal = Refusal::new(Code::ToMissing, "`to` is missing");
    bench.drop("x.yaml", "old");
    let old = bench.scan();
    bench.mailbox.reject(read(&old[0]).0, &refusal, None, NOW).unwrap();
    bench.drop("x.yaml", "new");
    let found = bench.scan();
    let claim = read(&found[0]).0.to_owned();
    assert_eq!(bench.mailbox.reject(&claim, &refusal, None, NOW).unwrap().as_deref(), Some("x-2.yaml"));
    // The crash came after the reason and before the rename.
    fs::rename(bench.path("queue/rejected/x-2.yaml"), bench.path(".tasuki/claim").join(&claim)).unwrap();
    let mut bench = bench.restart();
    let found = bench.scan();
    assert_eq!(texts(&found), ["x.yaml: new"]);
    assert_eq!(bench.mailbox.reject(&claim, &refusal, None, NOW).unwrap().as_deref(), Some("x-2.yaml"));
    assert_eq!(bench.mailbox.reject(&claim, &refusal, None, NOW).unwrap(), None, "done already");
    assert_eq!(
        bench.names("queue/rejected"),
        ["x-2.yaml", "x-2.yaml.reason.yaml", "x.yaml", "x.yaml.reason.yaml"]
    );
    // A rejected drop that has the name of another's reason is not overwritten by it.
    bench.drop("y.yaml.reason.yaml", "a drop");
    let found = bench.scan();
    bench.mailbox.reject(read(&found[0]).0, &refusal, None, NOW).unwrap();
    bench.drop("y.yaml", "another");
    let found = bench.scan();
    assert_eq!(
        bench.mailbox.reject(read(&found[0]).0, &refusal, None, NOW).unwrap().as_deref(),
        Some("y-2.yaml")
    );
    assert_eq!(fs::read_to_string(bench.path("queue/rejected/y.yaml.reason.yaml")).unwrap(), "a drop");
}

#[test]
fn a_queue_that_is_not_safe_is_refused_with_the_cure() {
    let open = |prepare: &dyn Fn(&Path)| {
        let root = tempfile::tempdir().unwrap();
        let inside = root.path().join("outer/workspace");
        fs::create_dir_all(inside.join("queue")).unwrap();
        fs::create_dir(inside.join(".tasuki")).unwrap();
        prepare(&inside);
        let opened = Mailbox::open(&inside);
        let mode = fs::metadata(inside.join("queue")).map(|meta| meta.mode() & 0o7777).ok();
        (
            opened.map(|_| mode).map_err(|error| {
                (error.to_string().replace(&*root.path().to_string_lossy(), "/ROOT"), error)
            }),
            root,
        )
    };
    let chmod = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let refused = |prepare: &dyn Fn(&Path)| open(prepare).0.unwrap_err();

    assert_eq!(open(&|_| ()).0.unwrap(), Some(0o700));
    assert_eq!(open(&|root| chmod(&root.join("queue"), 0o2775)).0.unwrap(), Some(0o700), "umask 002 is fine");
    assert_eq!(
        open(&|root| chmod(root.parent().unwrap(), 0o1777)).0.unwrap(),
        Some(0o700),
        "sticky is fine, as /tmp"
    );
    assert_eq!(
        refused(&|root| chmod(&root.join("queue"), 0o777)).0,
        "anybody can write to /ROOT/outer/workspace/queue; check what is in it, then `chmod o-w` it"
    );
    for unsafe_one in [".tasuki", "../../outer", ""] {
        let (words, error) = refused(&|root| chmod(&root.join(unsafe_one), 0o777));
        assert!(matches!(error, FolderError::WorldWritable { .. }), "{words}");
    }
    let replace = |root: &Path, name: &str, make: &dyn Fn(&Path)| {
        fs::remove_dir(root.join(name)).unwrap();
        make(&root.join(name));
    };
    for name in ["queue", ".tasuki"] {
        let link =
            refused(&|root| replace(root, name, &|path| std::os::unix::fs::symlink("/tmp", path).unwrap()));
        assert_eq!(
            link.0,
            format!("/ROOT/outer/workspace/{name} is not a folder; move it away, and it is made again")
        );
        let file = refused(&|root| replace(root, name, &|path| fs::write(path, "").unwrap()));
        assert!(matches!(file.1, FolderError::NotAFolder { .. }));
    }
    if rustix::process::geteuid().is_root() {
        let (words, error) =
            refused(&|root| std::os::unix::fs::chown(root.join("queue"), Some(65_534), None).unwrap());
        assert!(matches!(error, FolderError::NotOurs { owner: 65_534, us: 0, .. }), "{words}");
    }
    assert!(matches!(Mailbox::open(Path::new("/nowhere/at/all")), Err(FolderError::Io { .. })));
}

#[test]
fn a_queue_that_is_moved_away_is_found_again_and_a_link_is_never_followed() {
    let mut bench = Bench::new();
    bench.drop("a.yaml", "a");
    assert_eq!(bench.scan().len(), 1);
    fs::rename(bench.path("queue"), bench.path("old")).unwrap();
    assert_eq!(bench.scan().len(), 0);
    bench.drop("b.yaml", "b"); // the sweep made a new queue
    assert_eq!(texts(&bench.scan()), ["b.yaml: b"]);
    fs::remove_dir_all(bench.path("queue")).unwrap();
    fs::create_dir(bench.path("elsewhere")).unwrap();
    fs::write(bench.path("elsewhere/c.yaml"), "c").unwrap();
    std::os::unix::fs::symlink(bench.path("elsewhere"), bench.path("queue")).unwrap();
    let found = bench.scan();
    assert!(
        matches!(&found[..], [Found::Trouble { zone: 0, error: FolderError::NotAFolder { .. } }]),
        "{found:?}"
    );
    assert_eq!(bench.scan().len(), 0, "said once");
    fs::remove_file(bench.path("queue")).unwrap();
    assert_eq!(bench.scan().len(), 0);
    bench.drop("d.yaml", "d");
    assert_eq!(texts(&bench.scan()), ["d.yaml: d"]);
    assert!(bench.path("elsewhere/c.yaml").exists());
}

#[test]
fn zones_have_numbers_and_one_on_another_device_keeps_its_own_claims() {
    let mut bench = Bench::new();
    fs::create_dir(bench.path("worktree")).unwrap();
    bench.mailbox.add_zone(7, &bench.path("worktree/queue")).unwrap();
    fs::write(bench.path("worktree/queue/w.yaml"), "w").unwrap();
    let found = bench.scan();
    assert!(matches!(&found[..], [Found::Read { zone: 7, .. }]), "{found:?}");
    let refusal = Refusal::new(Code::ToMissing, "x");
    bench.mailbox.reject(read(&found[0]).0, &refusal, None, NOW).unwrap();
    assert_eq!(bench.names("worktree/queue/rejected").len(), 2);
    assert_eq!(
        bench.mailbox.places(),
        [bench.path("queue"), bench.path("worktree/queue")].map(|p| fs::canonicalize(p).unwrap())
    );

    let memory = Path::new("/dev/shm");
    let other =
        memory.metadata().is_ok_and(|meta| meta.dev() != fs::metadata(bench.root.path()).unwrap().dev());
    if other {
        let far = tempfile::tempdir_in(memory).unwrap();
        bench.mailbox.add_zone(8, &far.path().join("queue")).unwrap();
        fs::write(far.path().join("queue/f.yaml"), "f").unwrap();
        bench.now = bench.now.plus(1_000);
        let mut found = bench.scan();
        if found.is_empty() {
            found = bench.after(100); // no leases there: it must stand still
        }
        assert_eq!(texts(&found), ["f.yaml: f"]);
        assert_eq!(fs::read_dir(far.path().join("queue/.claim")).unwrap().count(), 1);
        let mut bench = bench.restart();
        bench.mailbox.add_zone(8, &far.path().join("queue")).unwrap();
        assert_eq!(bench.mailbox.unread(), claims(&found));
        bench.mailbox.forget(&claims(&found)).unwrap();
        assert_eq!(fs::read_dir(far.path().join("queue/.claim")).unwrap().count(), 0);
    }
}

/// Zones at these places, each with its owner.
fn zones<'a>(zones: impl IntoIterator<Item = (PathBuf, Option<&'a str>)>) -> Vec<ZoneSpec> {
    let owner = |name: &str| AgentName::new(name).unwrap();
    let zone = |(place, of): (PathBuf, Option<&str>)| ZoneSpec { place, owner: of.map(owner), status: None };
    zones.into_iter().map(zone).collect()
}

/// Whose the zone of a file is.
fn owner(bench: &Bench, found: &Found) -> Option<Option<String>> {
    let Found::Read { zone, .. } = found else { panic!("{found:?}") };
    bench.mailbox.whose().get(zone).map(|owner| owner.as_ref().map(ToString::to_string))
}

#[test]
fn a_claim_stays_its_zones_and_its_owners_whatever_becomes_of_the_list() {
    let mut bench = Bench::new();
    let (free, own) = (bench.path("郵便 📮"), bench.path("箱"));
    bench.mailbox.set_zones(&zones([(free.clone(), None), (own.clone(), Some("ann"))]));
    assert_eq!(bench.scan().len(), 0);
    fs::write(free.join("f.yaml"), "f").unwrap();
    fs::write(own.join("o.yaml"), "o").unwrap();
    // Two files of one tick of the clock are in no order.
    let by_text = |mut found: Vec<Found>| {
        found.sort_by_key(|one| {
            texts(std::slice::from_ref(one)).first().map(|text| (text.starts_with("late"), text.clone()))
        });
        found
    };
    let found = by_text(bench.scan());
    let whose: Vec<_> = found.iter().map(|found| owner(&bench, found)).collect();
    assert_eq!(
        (texts(&found), whose),
        (
            vec!["f.yaml: f".to_owned(), "o.yaml: o".to_owned()],
            vec![Some(None), Some(Some("ann".to_owned()))]
        )
    );

    fs::write(own.join("late.yaml"), "late").unwrap();
    let mut bench = bench.restart();
    bench.mailbox.set_zones(&zones([(own.clone(), Some("bob")), (bench.path("another"), None)]));
    let sorted = |claims: Vec<Arc<str>>| claims.into_iter().collect::<BTreeSet<_>>();
    assert_eq!(sorted(bench.mailbox.unread()), sorted(claims(&found)));
    let again = by_text(bench.scan());
    let whose: Vec<_> = again.iter().map(|found| owner(&bench, found)).collect();
    assert_eq!(claims(&again)[..2], claims(&found));
    let of = |name: &str| Some(Some(name.to_owned()));
    assert_eq!(whose, [Some(None), of("ann"), of("bob")], "what was dropped later is the other's");
    let refusal = Refusal::new(Code::ToMissing, "x");
    bench.mailbox.reject(read(&again[0]).0, &refusal, None, NOW).unwrap();
    assert!(free.join("rejected/f.yaml").exists(), "where its writer looks for it");

    // A zone that nobody wants any more: what lies there stays.
    bench.mailbox.set_zones(&[]);
    fs::write(own.join("stays.yaml"), "stays").unwrap();
    assert_eq!(bench.scan().len(), 0);
    assert!(own.join("stays.yaml").exists());
    fs::remove_dir_all(&own).unwrap();
    bench.mailbox.reject(read(&again[1]).0, &refusal, None, NOW).unwrap();
    assert!(bench.path("queue/rejected/o.yaml").exists(), "its own folder is gone");
    bench.mailbox.forget(&claims(&again[2..])).unwrap();
    assert_eq!(bench.names(".tasuki/claim"), [""; 0]);

    // Numbers without the file that says whose they are: nobody is anybody's sender.
    fs::write(bench.path(".tasuki/claim").join(read(&again[1]).0), "o").unwrap();
    fs::remove_file(bench.path(".tasuki/zones.json")).unwrap();
    let mut bench = bench.restart();
    bench.mailbox.set_zones(&zones([(own, Some("bob"))]));
    let found = bench.scan();
    assert_eq!(owner(&bench, &found[0]), None);
}

#[test]
fn what_a_power_cut_puts_back_is_known_though_the_zone_has_another_owner() {
    let mut bench = Bench::new();
    let place = bench.path("zone");
    bench.mailbox.set_zones(&zones([(place.clone(), None)]));
    bench.scan();
    fs::write(place.join("x.yaml"), "x").unwrap();
    let found = bench.scan();
    let claim: Arc<str> = claims(&found).remove(0);
    fs::rename(bench.path(".tasuki/claim").join(&*claim), place.join("x.yaml")).unwrap();
    let mut bench = bench.restart();
    bench.mailbox.set_zones(&zones([(place, Some("ann"))]));
    let known = BTreeSet::from([claim.clone()]);
    assert_eq!(bench.mailbox.put_back(&known, &known), std::slice::from_ref(&claim));
    assert_eq!(claims(&bench.scan()), [claim], "it would be taken for new, and done again");
}

#[test]
fn a_zone_that_cannot_be_used_is_told_once_and_comes_back() {
    let mut bench = Bench::new();
    let place = bench.path("later/zone");
    bench.mailbox.set_zones(&zones([(place.clone(), None)]));
    let trouble = |found: &[Found]| matches!(found, [Found::Trouble { zone: 1, .. }]);
    let healed = |found: &[Found]| matches!(found, [Found::Healed { zone: 1 }]);
    let found = bench.scan();
    assert!(trouble(&found) && bench.mailbox.has_trouble(), "{found:?}");
    assert_eq!(bench.scan().len(), 0, "said once");
    bench.drop("a.yaml", "a");
    assert_eq!(texts(&bench.scan()), ["a.yaml: a"], "nothing else waits for it");
    fs::create_dir(bench.path("later")).unwrap();
    let found = bench.scan();
    assert!(healed(&found) && !bench.mailbox.has_trouble(), "{found:?}");

    fs::set_permissions(&place, fs::Permissions::from_mode(0o500)).unwrap();
    let found = bench.scan();
    assert!(trouble(&found), "{found:?}");
    assert_eq!(bench.scan().len(), 0, "said once");
    fs::set_permissions(&place, fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(place.join("b.yaml"), "b").unwrap();
    let found = bench.scan();
    assert!(healed(&found[..1]) && texts(&found[1..]) == ["b.yaml: b"], "{found:?}");

    // Made again, and by somebody else.
    fs::remove_dir_all(&place).unwrap();
    assert_eq!(bench.scan().len(), 0);
    fs::write(place.join("c.yaml"), "c").unwrap();
    assert_eq!(texts(&bench.scan()), ["c.yaml: c"]);
}

#[test]
fn a_zone_belongs_to_one_mailbox() {
    let (mut one, mut other) = (Bench::new(), Bench::new());
    let place = one.path("zone");
    one.mailbox.set_zones(&zones([(place.clone(), None)]));
    other.mailbox.set_zones(&zones([(place.clone(), None)]));
    assert_eq!(one.scan().len(), 0);
    assert!(matches!(&other.scan()[..], [Found::Trouble { error: FolderError::Shared { .. }, .. }]));
    fs::write(place.join("a.yaml"), "a").unwrap();
    assert_eq!(other.scan().len(), 0);
    assert_eq!(texts(&one.scan()), ["a.yaml: a"]);
    one.mailbox.set_zones(&[]);
    assert_eq!(one.scan().len(), 0);
    assert!(matches!(&other.scan()[..], [Found::Healed { .. }]));
}

/// A folder behind a link stands for a drive: it is taken out where the link leads elsewhere.
#[test]
fn claims_on_a_drive_that_was_taken_out_are_still_to_come() {
    let memory = Path::new("/dev/shm");
    let mut bench = Bench::new();
    let device = |path: &Path| path.metadata().map(|meta| meta.dev()).ok();
    if device(memory).is_none_or(|far| Some(far) == device(bench.root.path())) {
        return; // there is no other device
    }
    let drive = tempfile::tempdir_in(memory).unwrap();
    let (link, place) = (bench.path("mnt"), bench.path("mnt/usb/zone"));
    fs::create_dir(drive.path().join("usb")).unwrap();
    fs::create_dir_all(bench.path("empty/usb")).unwrap();
    let plug = |to: &Path| {
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(to, &link).unwrap();
    };
    plug(drive.path());
    let set = |bench: &mut Bench| bench.mailbox.set_zones(&zones([(place.clone(), None)]));
    set(&mut bench);
    assert_eq!(bench.scan().len(), 0);
    fs::write(place.join("x.yaml"), "x").unwrap();
    let mut found = bench.after(1_000);
    if found.is_empty() {
        found = bench.after(100); // no leases there: it must stand still
    }
    assert_eq!(texts(&found), ["x.yaml: x"]);
    let empty = bench.path("empty");
    plug(&empty);
    assert!(matches!(&bench.scan()[..], [Found::Trouble { .. }]));
    assert_eq!(bench.names("empty/usb"), [""; 0], "nothing is made in its place");

    // Nor where it is away at the start; and the journal's word of it is kept.
    let mut bench = bench.restart();
    set(&mut bench);
    let known = claims(&found).into_iter().collect();
    assert_eq!(bench.mailbox.put_back(&known, &BTreeSet::new()), claims(&found));
    assert!(matches!(&bench.scan()[..], [Found::Trouble { .. }]));
    assert_eq!(bench.names("empty/usb"), [""; 0]);
    plug(drive.path());
    let again = bench.after(1_000);
    assert!(matches!(&again[0], Found::Healed { .. }), "{again:?}");
    assert_eq!(bench.mailbox.unread().len() + again.len() - 1, 1, "its claim");
}

/// A version that shows whether it is whole.
fn version(number: usize) -> String {
    format!("version: {number}\n{}end: {number}\n", format!("line of {number}\n").repeat(1 + number % 300))
}

/// Sweeps until the writer is done and nothing is left; checks that every version that was taken is whole, that none came
/// twice, and that the last one was taken. `by_rename`: what is in a claimed file never changes then, so it must be what
/// was read.
fn race(versions: usize, by_rename: bool, write: impl Fn(&Path, usize) + Send + 'static) -> usize {
    let mut bench = Bench::new();
    let slot = bench.path("queue/slot.yaml");
    let done = Arc::new(AtomicBool::new(false));
    let tell = done.clone();
    let writer = std::thread::spawn(move || {
        (1..=versions).for_each(|number| write(&slot, number));
        tell.store(true, Ordering::Release);
    });
    let mut seen = BTreeSet::new();
    loop {
        let finished = done.load(Ordering::Acquire);
        bench.now = bench.now.plus(1);
        let mut found = bench.scan();
        // A writer that was kept from the processor while it wrote is told of, and waited for.
        found.retain(
            |found| !matches!(found, Found::Later { refusal, .. } if refusal.code == Code::StillOpen),
        );
        for (_, name, bytes) in found.iter().map(read) {
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            let number = text.lines().next().and_then(|line| line.strip_prefix("version: ")?.parse().ok());
            let number: usize = number.unwrap_or_else(|| panic!("half a version: {text:.80}"));
            assert_eq!(text, version(number), "half a version of {name}");
            assert!(seen.insert(number), "version {number} came twice");
        }
        for (claim, _, bytes) in found.iter().map(read).filter(|_| by_rename) {
            assert_eq!(
                fs::read(bench.path(".tasuki/claim").join(claim)).unwrap(),
                bytes,
                "another version is claimed"
            );
        }
        bench.mailbox.forget(&claims(&found)).unwrap();
        let quiet = found.is_empty() && bench.mailbox.unread().is_empty() && bench.drops().is_empty();
        if finished && quiet {
            break;
        }
    }
    writer.join().unwrap();
    assert!(seen.contains(&versions), "the last version was lost");
    assert_eq!(bench.names(".tasuki/claim"), [""; 0]);
    seen.len()
}

#[test]
fn a_slot_that_is_rewritten_by_rename_is_always_whole() {
    let taken = race(2_000, true, |slot, number| {
        let temporary = slot.with_extension("tmp");
        fs::write(&temporary, version(number)).unwrap();
        fs::rename(&temporary, slot).unwrap();
    });
    println!("renamed: {taken} of 2000 versions were taken before the next one came");
}

#[test]
fn a_slot_that_is_rewritten_in_place_is_always_whole() {
    let taken = race(1_500, false, |slot, number| {
        let text = version(number);
        let (first, second) = text.split_at(text.len() / 2);
        let mut file = fs::File::create(slot).unwrap();
        file.write_all(first.as_bytes()).unwrap();
        std::thread::yield_now();
        file.write_all(second.as_bytes()).unwrap();
    });
    println!("in place: {taken} of 1500 versions were taken before the next one came");
}

#[test]
fn a_file_that_is_swapped_for_a_link_a_pipe_or_a_folder_gives_nothing_away() {
    let mut bench = Bench::new();
    let secret = bench.path("secret");
    fs::write(&secret, "SECRET").unwrap();
    let at = bench.path("queue/x.yaml");
    let swap = bench.path("queue/.swap");
    let done = Arc::new(AtomicBool::new(false));
    let stop = done.clone();
    let swapper = std::thread::spawn(move || {
        let mode = Mode::RUSR | Mode::WUSR;
        for turn in 0..1_500 {
            let made = match turn % 4 {
                0 => fs::write(&swap, "ours"),
                1 => std::os::unix::fs::symlink(&secret, &swap),
                2 => rustix::fs::mknodat(rustix::fs::CWD, &swap, FileType::Fifo, mode, 0).map_err(Into::into),
                _ => fs::hard_link(&secret, &swap),
            };
            made.unwrap();
            let _ = fs::rename(&swap, &at);
            let _ = fs::remove_file(&swap); // two names of one file: rename does nothing
        }
        stop.store(true, Ordering::Release);
    });
    let mut kinds = BTreeSet::new();
    while !done.load(Ordering::Acquire) {
        bench.now = bench.now.plus(1_000);
        for found in bench.scan() {
            match found {
                Found::Read { claim, bytes, .. } => {
                    assert_eq!(bytes, b"ours");
                    kinds.insert("read");
                    bench.mailbox.forget(&[claim]).unwrap();
                }
                Found::Bad { claim, refusal, .. } => {
                    kinds.insert(refusal.code.word());
                    bench.mailbox.reject(&claim, &refusal, None, NOW).unwrap();
                }
                other => panic!("{other:?}"),
            }
        }
    }
    swapper.join().unwrap();
    println!("{kinds:?}");
    assert!(kinds.contains("read") && kinds.len() > 1, "{kinds:?}");
}

#[test]
fn a_burst_of_20_000_files_is_taken_once_each() {
    let mut bench = Bench::new();
    for number in 0..20_000 {
        bench.drop(format!("{number}.yaml"), format!("number: {number}\n"));
    }
    let mut seen = BTreeSet::new();
    loop {
        let Sweep { found, more, .. } = bench.mailbox.scan(NOW, Budget::default());
        assert!(found.len() <= Budget::default().files);
        seen.extend(found.iter().map(|found| read(found).1.to_owned()));
        bench.mailbox.forget(&claims(&found)).unwrap();
        if !more {
            break;
        }
    }
    assert_eq!(seen.len(), 20_000);
    assert_eq!(bench.drops().len(), 0);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_name_is_taken_refused_or_left(stem in proptest::collection::vec(1u8.., 0..250), yaml: bool) {
        let mut name: Vec<u8> = stem.into_iter().filter(|&byte| byte != b'/').take(if yaml { 250 } else { 255 }).collect();
        if yaml {
            name.extend_from_slice(b".yaml");
        }
        let mut bench = Bench::new();
        let path = bench.path("queue").join(OsStr::from_bytes(&name));
        if fs::write(&path, "x").is_ok() {
            for found in bench.scan() {
                match found {
                    Found::Read { claim, name: seen, .. } => {
                        proptest::prop_assert_eq!(seen.as_bytes(), &name[..]);
                        bench.mailbox.forget(&[claim]).unwrap();
                    }
                    Found::Bad { claim, refusal, .. } => {
                        let moved = bench.mailbox.reject(&claim, &refusal, None, NOW).unwrap().unwrap();
                        proptest::prop_assert!(moved.len() <= 200 && !moved.starts_with('-'), "{}", moved);
                    }
                    Found::Hint { .. } => {}
                    other => panic!("{other:?}"),
                }
            }
            let stays = !yaml || name.starts_with(b".");
            proptest::prop_assert_eq!(path.symlink_metadata().is_ok(), stays);
        }
    }
}
