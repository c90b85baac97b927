//! What tasuki writes for people, agents and their programs: every text comes back byte for byte, whoever reads it.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test")]

use crate::witness::{Seen, Witness};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;
use tasuki::engine::life::{CompletionSource, StageName};
use tasuki::engine::message::{Body, Expect, Kind, OnDoubt, Priority, Status};
use tasuki::engine::words::{AgentName, MessageId, Millis, PaneId, Token};
use tasuki::io::folder::FolderError;
use tasuki::io::views::{View, Views, last_word};
use tasuki::io::watch::{Interest, Signal, Watch};
use tasuki::wire::message::checked::EvidenceTold;
use tasuki::wire::message::draft;
use tasuki::wire::message::note::Note;
use tasuki::wire::message::view::{InFile, MessageView};
use tasuki::wire::status;
use tasuki::wire::status::{AgentStatus, DaemonStatus, Statistics};
use tasuki::wire::time::{Day, rfc3339, write_duration};

const NOON: Millis = Millis(1_770_033_600_000);

fn id(text: &str) -> MessageId {
    MessageId::new(text).unwrap()
}

fn name(text: &str) -> AgentName {
    AgentName::new(text).unwrap()
}

/// A view with nothing but the content and the rest of the body.
fn view(content: &str, extra: &str) -> MessageView {
    let whom = (id("msg-1"), name("user"), name("worker"));
    let body = Body { content: content.into(), extra: extra.into() };
    MessageView::bare(whom, Kind::Task, Status::Pending, "".into()).with(&body)
}

/// What the YAML means to serde-saphyr, to a libyaml program, and to tasuki itself when it is dropped.
fn readers(yaml: &str) -> [Value; 2] {
    let ours = serde_saphyr::from_str(yaml).unwrap_or_else(|error| panic!("serde-saphyr: {error}\n{yaml}"));
    let libyaml = serde_yaml::from_str(yaml).unwrap_or_else(|error| panic!("libyaml: {error}\n{yaml}"));
    [ours, libyaml]
}

fn check_content(content: &str) {
    let mut view = view(content, "");
    view.reason = Some(content.to_owned());
    view.file.answers = vec![Note { content: Some(content.to_owned()), ..Note::default() }];
    let yaml = view.yaml();
    for read in readers(&yaml) {
        assert_eq!(read["content"], json!(content), "\n{yaml}");
        assert_eq!(read["reason"], json!(content), "\n{yaml}");
        assert_eq!(read["answers"][0]["content"], json!(content), "\n{yaml}");
    }
    // A drop that says nothing is refused, so that alone cannot come back as one.
    if !content.trim().is_empty() {
        let drafts = draft::read(yaml.as_bytes(), None, &|_| false, &mut || id("m"), NOON, &chrono::Utc);
        let drafts = drafts.unwrap_or_else(|refusal| panic!("{refusal:?}\n{yaml}"));
        assert_eq!(&*drafts[0].body.content, content, "\n{yaml}");
    }
}

#[test]
fn a_whole_message_reads_as_the_protocol_shows_it() {
    let extra = r#"{"metadata":{"category":"分析","n":[1,1.5,null,true,"no"]},"colour":"red"}"#;
    let expect = Expect {
        commit: true,
        files: vec!["src/lib.rs".to_owned()],
        command: vec!["cargo".to_owned(), "test".to_owned()],
        report: Some("docs/report.md".to_owned()),
    };
    let answers = vec![
        Note {
            id: Some(id("msg-2")),
            from: Some(name("tester")),
            status: Some(Status::Completed),
            at: Some(rfc3339(NOON)),
            content: Some("All 12 pass.\nNone failed.\n".to_owned()),
            ..Note::default()
        },
        Note {
            id: Some(id("msg-2")),
            truncated: true,
            path: Some("queue/results/msg-2.yaml".to_owned()),
            ..Note::default()
        },
    ];
    let view = view("Analyse the project.\n  - 日本語 😀\n", extra);
    let file = InFile {
        token: Some(Token::new("123456").unwrap()),
        timestamp: Some(rfc3339(NOON)),
        timeout: Some(write_duration(1_800_000)),
        deadline: Some(rfc3339(NOON)),
        on_doubt: OnDoubt::Hold,
        expect: Some(Box::new(expect)),
        hops: Some(2),
        via: Some("drop".to_owned()),
        completion_source: Some(CompletionSource::Marker),
        proof: Some("weak".to_owned()),
        evidence: Some(EvidenceTold::Said("commit 1a2b3c\n".to_owned())),
        answers,
        ..view.file
    };
    let view = MessageView {
        status: Status::InProgress,
        stage: Some(StageName::Completed),
        attempt: 1,
        redelivered: true,
        accepted_at: rfc3339(Millis(NOON.0 + 7)),
        since: rfc3339(NOON),
        in_reply_to: Some(id("msg-0")),
        parent: Some(id("msg-p")),
        retry_of: Some(id("msg-r")),
        depends_on: vec![id("msg-3"), id("1e3")],
        priority: Priority::High,
        verified: Some(true),
        reason: Some("no".to_owned()),
        file,
        ..view
    };
    let yaml = view.yaml();
    expect_test::expect![[r#"
        id: msg-1
        from: user
        to: worker
        type: task
        status: in_progress
        stage: completed
        token: "123456"
        attempt: 1
        redelivered: true
        content: |
          Analyse the project.
            - 日本語 😀
        timestamp: "2026-02-02T12:00:00Z"
        in_reply_to: msg-0
        parent: msg-p
        retry_of: msg-r
        depends_on:
        - msg-3
        - "1e3"
        priority: high
        timeout: 30m
        deadline: "2026-02-02T12:00:00Z"
        on_doubt: hold
        expect:
          commit: true
          files:
          - src/lib.rs
          command:
          - cargo
          - test
          report: docs/report.md
        hops: 2
        verified: true
        via: drop
        completion_source: marker
        proof: weak
        evidence: |
          commit 1a2b3c
        reason: "no"
        accepted_at: "2026-02-02T12:00:00.007Z"
        finished_at: "2026-02-02T12:00:00Z"
        answers:
        - id: msg-2
          from: tester
          status: completed
          at: "2026-02-02T12:00:00Z"
          content: |
            All 12 pass.
            None failed.
        - id: msg-2
          truncated: true
          path: queue/results/msg-2.yaml
        metadata:
          category: 分析
          "n":
          - 1
          - 1.5
          - null
          - true
          - "no"
        colour: red
    "#]]
    .assert_eq(&yaml);
    let [ours, libyaml] = readers(&yaml);
    assert_eq!(ours, libyaml);
}

#[test]
fn nasty_texts_come_back_from_every_reader() {
    for content in [
        "",
        " ",
        "   ",
        "\n",
        "\n\n",
        "a",
        "a\n",
        "a\n\n",
        "a\n\n\n",
        "\na",
        "\n\na\n",
        " a\n",
        "  a\n b\n",
        "a\n  \nb\n",
        "a \nb  \n",
        "a\n   ",
        "\ta",
        "\ta\nb",
        "a\n\tb\n",
        "a\tb\n",
        "a\r\nb\r\n",
        "\r",
        "a\rb",
        "a\n\r\n",
        "#a\nb",
        "---\n",
        "...\n",
        "a\n---\nb\n",
        "- a\n- b\n",
        "key: value\nother: [\n",
        "\"quoted\"",
        "'single'\n",
        "it's",
        "\\n",
        "%YAML 1.2\n---\n",
        "&a *b !c\n",
        "|\n",
        ">-\n",
        "null",
        "~",
        "true",
        "no",
        "yes",
        "1e3",
        "0x1F",
        "0o17",
        "0123",
        "1_000",
        "12:30:45",
        ".inf",
        "=",
        "<<",
        "2026-02-02",
        "@x",
        "`x`",
        "日本語 😀\nか\u{3099}\n",
        "e\u{301}",
        "\u{feff}",
        "a\u{feff}b\n",
        "\u{feff}a\nb",
        "a\u{85}b",
        "a\u{85}b\n",
        "a\u{2028}b\u{2029}c\nd",
        "\u{a0}\n",
        "\u{3000}a\u{3000}\nb",
        "\0",
        "a\0b\n",
        "\u{7}\u{8}\u{b}\u{c}\u{1b}[31m\n",
        "\u{7f}\u{80}\u{9b}\u{9f}",
        "\u{fffe}\u{ffff}\u{fffd}\n",
        "\u{e000}\u{10ffff}\n",
        "\u{202e}abc\n",
        "a: b # c\n  # d\n",
        " \n a\n",
        "\n a\n",
        "a\n \n",
        "trailing\n ",
        "trailing\n\t",
        "a\n\t\n",
        "{a: b}",
        "[a, b]\n",
        "a,\nb\n",
        "? a\n: b\n",
        "-\n",
        "- ",
        "-",
    ] {
        check_content(content);
    }
    check_content(&"x".repeat(10_000));
    check_content(&"x y ".repeat(2_500));
    check_content(&format!("{}\n{}\n", "長い行".repeat(1_000), "a b\t".repeat(1_000)));
    check_content(&"\n".repeat(1_000));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_comes_back(content in "([ \t\n\r\\-#:'\"|>&*!%@`{}\\[\\],?~=a0é😀\u{85}\u{2028}\u{feff}\u{0}\u{1b}]|\\PC){0,40}") {
        check_content(&content);
    }

    #[test]
    fn any_lines_come_back(content in "([ \t]{0,3}[a#:\\-]{0,3}[ \t]{0,2}\n{0,2}){0,8}") {
        check_content(&content);
    }

    #[test]
    fn metadata_comes_back(
        keys in proptest::collection::btree_map("[a-z \\-:#'\"]{1,8}|\\PC{1,6}|[\\x00-\\x7f]{1,4}", "[a-z \\-:#'\"\n\t]{0,8}|\\PC{0,8}|[\\x00-\\x7f]{0,8}|no|1e3|0x1F|null|~", 1..5),
        number in any::<i64>(), float in any::<f64>().prop_filter("JSON", |f| f.is_finite())
    ) {
        let extra = json!({"metadata": {"text": keys, "list": [number, float, null, true, [], {}]}});
        let yaml = view("x", &extra.to_string()).yaml();
        for read in readers(&yaml) {
            prop_assert_eq!(&read["metadata"], &extra["metadata"], "\n{}", yaml);
        }
        let drafts = draft::read(yaml.as_bytes(), None, &|_| false, &mut || id("m"), NOON, &chrono::Utc);
        let drafts = drafts.unwrap_or_else(|refusal| panic!("{refusal:?}\n{yaml}"));
        prop_assert_eq!(serde_json::from_str::<Value>(&drafts[0].body.extra).expect("it is JSON"), extra);
    }
}

/// A workspace with views, in a folder of its own.
fn workspace() -> (tempfile::TempDir, Views) {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join(".tasuki")).unwrap(); // the daemon's memory, without which no folder is made anew
    let views = Views::open(root.path()).unwrap();
    (root, views)
}

fn names(root: &Path, inside: &str) -> Vec<String> {
    let entries = fs::read_dir(root.join(inside)).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn day(text: &str) -> Day {
    Day::parse(text).unwrap()
}

#[test]
fn a_message_moves_from_active_to_done() {
    let (root, mut views) = workspace();
    views.write(View::Active(0, id("msg-1")), "a: 1\n").unwrap();
    views.write(View::Active(0, id("msg-1")), "a: 2\n").unwrap();
    views.write(View::Active(0, id("msg-2")), "b: 1\n").unwrap();
    fs::write(root.path().join("queue/active/notes.txt"), "").unwrap();
    fs::write(root.path().join("queue/active/NOT-AN-ID.yaml"), "").unwrap();
    fs::write(root.path().join("queue/active/.msg-1.yaml.tmp"), "a: ").unwrap();
    fs::write(root.path().join("queue/active/.mine.tmp"), "").unwrap();
    views.remove_half_written().unwrap();
    assert_eq!(
        names(root.path(), "queue/active"),
        [".mine.tmp", "NOT-AN-ID.yaml", "msg-1.yaml", "msg-2.yaml", "notes.txt"]
    );
    assert_eq!(fs::read_to_string(root.path().join("queue/active/msg-1.yaml")).unwrap(), "a: 2\n");
    let mut active = views.list_active().unwrap();
    active.sort();
    assert_eq!(active, [View::Active(0, id("msg-1")), View::Active(0, id("msg-2"))]);
    views.write_result(&id("msg-1"), "r: 1\n").unwrap();
    views.finish(0, &id("msg-1"), &day("2026-02-02"), "done: 1\n").unwrap();
    views.finish(0, &id("msg-1"), &day("2026-02-02"), "done: 1\n").unwrap();
    assert_eq!(views.list_active().unwrap(), [View::Active(0, id("msg-2"))]);
    assert_eq!(
        fs::read_to_string(root.path().join("queue/done/2026-02-02/msg-1.yaml")).unwrap(),
        "done: 1\n"
    );
    assert_eq!(fs::read_to_string(root.path().join("queue/results/msg-1.yaml")).unwrap(), "r: 1\n");
    views.sync().unwrap();
    let modes = ["queue", "queue/active", "queue/done/2026-02-02", "status/agents"];
    assert!(
        modes
            .iter()
            .all(|at| fs::metadata(root.path().join(at)).unwrap().permissions().mode() & 0o7777 == 0o700)
    );
    let file = fs::metadata(root.path().join("queue/results/msg-1.yaml")).unwrap();
    assert_eq!(file.permissions().mode() & 0o7777, 0o600);
}

#[test]
fn a_message_that_cannot_be_shown_as_done_stays_where_it_is() {
    let (root, mut views) = workspace();
    let (msg, day) = (id("msg-1"), day("2026-02-02"));
    views.write(View::Active(0, msg.clone()), "a: 襷\n").unwrap();
    fs::write(root.path().join("queue/done/2026-02-02"), "in the way").unwrap();
    views.finish(0, &msg, &day, "done: 1\n").unwrap_err();
    assert_eq!(fs::read_to_string(root.path().join("queue/active/msg-1.yaml")).unwrap(), "a: 襷\n");
    fs::remove_file(root.path().join("queue/done/2026-02-02")).unwrap();
    views.finish(0, &msg, &day, "done: 1\n").unwrap();
    assert!(views.has_finished(&msg, &day, false));
}

#[test]
fn a_view_that_a_power_cut_left_empty_counts_as_missing() {
    let (root, mut views) = workspace();
    let (id, day) = (id("msg-1"), day("2026-02-02"));
    views.write_result(&id, "content: 答え\n").unwrap();
    views.finish(0, &id, &day, "id: msg-1\n").unwrap();
    assert!(views.has_finished(&id, &day, true));
    for file in ["queue/results/msg-1.yaml", "queue/done/2026-02-02/msg-1.yaml"] {
        let path = root.path().join(file);
        let text = std::fs::read(&path).unwrap();
        std::fs::write(&path, "").unwrap();
        assert!(!views.has_finished(&id, &day, true), "{file}");
        std::fs::write(&path, text).unwrap();
    }
    assert!(views.has_finished(&id, &day, true));
}

#[test]
fn a_view_that_is_written_again_leaves_nothing_behind() {
    let (root, mut views) = workspace();
    for text in ["one\n", "二つ目\n", "3\n"] {
        views.write(View::Daemon, text).unwrap();
        assert_eq!(std::fs::read_to_string(root.path().join("status/daemon.yaml")).unwrap(), text);
        assert_eq!(names(root.path(), "status"), ["agents", "daemon.yaml"]);
    }
    let folder = root.path().join("status/agents/boss.yaml");
    std::fs::create_dir(&folder).unwrap();
    assert!(views.write(View::Agent(name("boss")), "x\n").is_err(), "a folder in the way is not moved");
    assert!(folder.is_dir());
}

#[test]
fn every_view_gets_its_name_when_it_is_whole() {
    let (root, mut views) = workspace();
    let at = |inside: &str| root.path().join(inside);
    fs::create_dir_all(at("queue/done/2026-02-02")).unwrap();
    fs::create_dir_all(at("tree/queue")).unwrap();
    views.add_zone(3, &at("tree/queue")).unwrap();
    let folders =
        ["queue/active", "queue/results", "queue/inbox", "queue/done/2026-02-02", "status", "status/agents"];
    let witness = Witness::of(folders.into_iter().chain(["tree/queue/active"]).map(at));
    // Now short, now longer than a page; new, and over what is there.
    const ROUNDS: usize = 100;
    for round in 0..ROUNDS {
        let text = format!("n: {round}\n{}end: {round}\n", "x: y\n".repeat(round * 7 % 1_500));
        let msg = id(&format!("msg-{}", round % 3));
        for view in [
            View::Agent(name("worker")),
            View::Daemon,
            View::Active(0, msg.clone()),
            View::Active(3, msg.clone()),
        ] {
            views.write(view, &text).unwrap();
        }
        views.write_result(&msg, &text).unwrap();
        views.write_letter(&msg, &text).unwrap();
        match round % 4 {
            0 => views.finish(0, &msg, &day("2026-02-02"), &text).unwrap(),
            1 => views.write_done(&msg, &day("2026-02-02"), &text).unwrap(),
            2 => last_word(root.path(), "the last line", &text).unwrap(),
            _ => views.remove(&View::Active(3, msg)).unwrap(),
        }
        let seen = witness.seen();
        assert_eq!(seen.in_place, [""; 0].map(PathBuf::from), "half a view, in round {round}");
        assert_eq!(seen.placed.len(), if round % 4 < 2 { 7 } else { 6 }, "{seen:?}");
    }
    assert_eq!(names(root.path(), "status/agents"), ["worker.yaml"]);
}

#[test]
fn whoever_writes_a_view_in_its_place_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let at = |inside: &str| folder.path().join(inside);
    let witness = Witness::of([folder.path().to_owned()]);
    fs::write(at(".a.yaml.tmp"), "half").unwrap();
    fs::rename(at(".a.yaml.tmp"), at("a.yaml")).unwrap();
    fs::write(at("activity.log"), "a line").unwrap();
    assert_eq!(witness.seen(), Seen { placed: [(at("a.yaml"), 1)].into(), in_place: Vec::new() });
    fs::File::options().append(true).open(at("a.yaml")).unwrap().set_len(1).unwrap();
    assert_eq!(witness.seen().in_place, [at("a.yaml")]);
    fs::File::create(at("b.yaml")).unwrap();
    assert_eq!(witness.seen().in_place, [at("b.yaml")]);
    fs::copy(at("a.yaml"), at("c.yaml")).unwrap();
    assert!(!witness.seen().in_place.is_empty());
}

#[test]
fn a_reader_never_sees_a_part_of_a_view() {
    let (root, mut views) = workspace();
    let path = root.path().join("status/agents/worker.yaml");
    let text = |number: usize| format!("n: {number}\n{}end: {number}\n", "x: y\n".repeat(number % 2_000));
    views.write(View::Agent(name("worker")), &text(0)).unwrap();
    let done = Arc::new(AtomicBool::new(false));
    let stop = done.clone();
    let reader = std::thread::spawn(move || {
        let mut reads = 0;
        while !stop.load(Ordering::Acquire) {
            let seen = fs::read_to_string(&path).unwrap();
            let number: usize = seen.lines().next().unwrap().strip_prefix("n: ").unwrap().parse().unwrap();
            assert_eq!(seen, text(number));
            reads += 1;
        }
        reads
    });
    for number in 0..3_000 {
        views.write(View::Agent(name("worker")), &text(number)).unwrap();
    }
    done.store(true, Ordering::Release);
    assert!(reader.join().unwrap() > 0);
    assert_eq!(names(root.path(), "status/agents"), ["worker.yaml"]);
}

/// The paths that were told until `last` was.
fn until(told: &Receiver<PathBuf>, last: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    while paths.last().is_none_or(|path| path != last) {
        paths.push(told.recv_timeout(Duration::from_secs(20)).unwrap());
    }
    paths
}

#[test]
fn an_edited_or_deleted_view_is_noticed_and_own_writes_are_not() {
    let (root, mut views) = workspace();
    let root = fs::canonicalize(root.path()).unwrap();
    let (tell, told) = sync_channel(10_000);
    let mut watch = Watch::start(Interest::Changes, move |signal| {
        if let Signal::File(path) = signal {
            tell.send(path.to_owned()).unwrap();
        }
    });
    let places = ["queue/active", "status", "status/agents"].map(|place| root.join(place));
    places.iter().for_each(|place| watch.follow(place));
    let all = [
        View::Active(0, id("msg-1")),
        View::Active(0, id("msg-2")),
        View::Agent(name("worker")),
        View::Daemon,
    ];
    for view in &all {
        views.write(view.clone(), "mine: 1\n").unwrap();
    }
    let altered = |views: &Views, last: &str| {
        let paths = until(&told, &root.join(last));
        views.altered(paths.iter().map(PathBuf::as_path))
    };
    assert_eq!(altered(&views, "status/daemon.yaml"), []);
    fs::write(root.join("queue/active/msg-1.yaml"), "edited: 1\n").unwrap();
    assert_eq!(altered(&views, "queue/active/msg-1.yaml"), [all[0].clone()]);
    views.write(all[0].clone(), "mine: 2\n").unwrap();
    fs::remove_file(root.join("queue/active/msg-2.yaml")).unwrap();
    assert_eq!(altered(&views, "queue/active/msg-2.yaml"), [all[1].clone()]);
    fs::write(root.join("status/agents/.x"), "replaced").unwrap();
    fs::rename(root.join("status/agents/.x"), root.join("status/agents/worker.yaml")).unwrap();
    assert_eq!(altered(&views, "status/agents/worker.yaml"), [all[2].clone()]);
    assert_eq!(views.altered_all(), [all[1].clone(), all[2].clone()]);
    fs::write(root.join("queue/active/foreign.yaml"), "not ours").unwrap();
    assert_eq!(altered(&views, "queue/active/foreign.yaml"), [], "what was never written is of no concern");
    views.remove(&all[1]).unwrap();
    assert_eq!(views.altered_all(), [all[2].clone()]);
}

#[test]
fn folders_that_are_removed_come_back_and_a_link_is_not_followed() {
    let (root, mut views) = workspace();
    let at = |inside: &str| root.path().join(inside);
    views.write(View::Daemon, "a: 1\n").unwrap();
    assert!(!views.refresh().unwrap());
    fs::remove_dir_all(at("status")).unwrap();
    assert!(views.refresh().unwrap(), "all is to be written again");
    views.write(View::Daemon, "a: 1\n").unwrap();
    assert!(!views.refresh().unwrap());
    fs::remove_dir_all(at("queue")).unwrap();
    views.write_result(&id("msg-1"), "r: 1\n").unwrap();
    assert_eq!(names(root.path(), "queue/results"), ["msg-1.yaml"]);
    assert!(views.refresh().unwrap());
    views.finish(0, &id("msg-1"), &day("2026-02-02"), "d").unwrap();
    fs::remove_dir_all(at("queue/done")).unwrap();
    views.finish(0, &id("msg-2"), &day("2026-02-02"), "d").unwrap();
    assert_eq!(names(root.path(), "queue/done/2026-02-02"), ["msg-2.yaml"]);
    fs::rename(at("queue/active"), at("away")).unwrap();
    std::os::unix::fs::symlink(at("away"), at("queue/active")).unwrap();
    assert!(matches!(views.refresh(), Err(FolderError::NotAFolder { .. })));
    assert_eq!(names(root.path(), "away"), [""; 0]);
    // A leftover under the temporary name, whatever it is, does no harm.
    fs::remove_file(at("queue/active")).unwrap();
    views.refresh().unwrap();
    fs::write(at("secret"), "kept").unwrap();
    std::os::unix::fs::symlink(at("secret"), at("queue/active/.msg-3.yaml.tmp")).unwrap();
    views.write(View::Active(0, id("msg-3")), "x: 1\n").unwrap();
    assert_eq!(fs::read_to_string(at("secret")).unwrap(), "kept");
    assert_eq!(names(root.path(), "queue/active"), ["msg-3.yaml"]);
}

#[test]
fn a_worktree_shows_its_own_tasks() {
    let (root, mut views) = workspace();
    fs::create_dir_all(root.path().join("tree/queue")).unwrap();
    views.add_zone(3, &root.path().join("tree/queue")).unwrap();
    views.write(View::Active(3, id("msg-1")), "x: 1\n").unwrap();
    assert_eq!(names(root.path(), "tree/queue/active"), ["msg-1.yaml"]);
    assert_eq!(names(root.path(), "queue/active"), [""; 0]);
    assert_eq!(views.list_active().unwrap(), [View::Active(3, id("msg-1"))]);
    fs::write(root.path().join("tree/queue/active/msg-1.yaml"), "edited").unwrap();
    let path = root.path().join("tree/queue/active/msg-1.yaml");
    assert_eq!(views.altered([path.as_path()]), [View::Active(3, id("msg-1"))]);
    views.finish(3, &id("msg-1"), &day("2026-02-02"), "d").unwrap();
    assert_eq!(names(root.path(), "tree/queue/active"), [""; 0]);
    assert_eq!(names(root.path(), "queue/done/2026-02-02"), ["msg-1.yaml"]);
}

#[test]
fn histories_hold_one_line_a_change_and_turn_at_10_mib() {
    let (root, mut views) = workspace();
    views.append_activity("started 😀").unwrap();
    views.append_activity("two\nlines \u{1b}[31mred\u{9b}\u{2028}").unwrap();
    let text = fs::read_to_string(root.path().join("status/activity.log")).unwrap();
    assert_eq!(text, "started 😀\ntwo\\nlines \\u{1b}[31mred\\u{9b}\\u{2028}\n");
    let log = |end: &str| root.path().join(format!("status/agents/worker.log{end}"));
    for round in 1..=4 {
        let full = fs::File::create(log("")).unwrap();
        full.set_len((10 << 20) - 3).unwrap();
        views.append_agent(&name("worker"), &format!("{round}.")).unwrap();
        assert_eq!(fs::metadata(log("")).unwrap().len(), 10 << 20, "it still fits");
        views.append_agent(&name("worker"), "new").unwrap();
        assert_eq!(fs::read_to_string(log("")).unwrap(), "new\n");
        assert!(fs::read(log(".1")).unwrap().ends_with(format!("{round}.\n").as_bytes()));
    }
    assert!(fs::read(log(".2")).unwrap().ends_with(b"3.\n"));
    assert_eq!(names(root.path(), "status/agents"), ["worker.log", "worker.log.1", "worker.log.2"]);
    assert_eq!(views.list_agents().unwrap(), []);
    views.write(View::Agent(name("worker")), "x").unwrap();
    assert_eq!(views.list_agents().unwrap(), [name("worker")]);
}

#[test]
fn old_messages_go_in_batches_and_what_is_not_ours_stays() {
    let (root, mut views) = workspace();
    for (number, of) in
        ["2026-01-01", "2026-01-01", "2026-01-02", "2026-01-02", "2026-01-03"].iter().enumerate()
    {
        views.finish(0, &id(&format!("msg-{number}")), &day(of), "x").unwrap();
    }
    let at = |inside: &str| root.path().join("queue").join(inside);
    fs::write(at("done/2026-01-02/notes.txt"), "kept").unwrap();
    fs::create_dir(at("done/2020-1-1")).unwrap();
    // The day of the moment, 2026-01-03, stays. Of three old messages' results one was written since: msg-3's. msg-2 could not be
    // shown for days, and then was, with its result.
    let before = Millis(1_767_398_400_000 + 5);
    let age = |file: &str, age_s: u64| {
        let file = fs::File::options().write(true).open(at(file)).unwrap();
        let written = Duration::from_millis(before.0 + 1) - Duration::from_secs(age_s);
        file.set_modified(std::time::UNIX_EPOCH + written).unwrap();
    };
    for (number, age_s) in [(1, 10), (2, 0), (3, 0), (4, 10)] {
        views.write_result(&id(&format!("msg-{number}")), "x").unwrap();
        age(&format!("results/msg-{number}.yaml"), age_s);
    }
    age("done/2026-01-02/msg-2.yaml", 1);
    age("done/2026-01-02/msg-3.yaml", 86_400);
    assert_eq!(views.remove_finished_before(before, 3).unwrap(), 3);
    assert_eq!(views.remove_finished_before(before, 3).unwrap(), 1);
    assert_eq!(views.remove_finished_before(before, 3).unwrap(), 0);
    assert_eq!(names(root.path(), "queue/done"), ["2020-1-1", "2026-01-02", "2026-01-03"]);
    assert_eq!(names(root.path(), "queue/done/2026-01-02"), ["notes.txt"]);
    assert_eq!(names(root.path(), "queue/results"), ["msg-3.yaml", "msg-4.yaml"]);
}

#[test]
fn what_is_in_the_way_of_one_removal_keeps_no_other() {
    let (root, mut views) = workspace();
    for (number, of) in [(1, "2026-01-01"), (2, "2026-01-02")] {
        views.write_done(&id(&format!("msg-{number}")), &day(of), "x").unwrap();
    }
    let at = |inside: &str| root.path().join("queue/done").join(inside);
    fs::write(at("2020-01-01"), "no folder").unwrap();
    fs::create_dir(at("2026-01-01/msg-0.yaml")).unwrap();
    assert!(views.remove_finished_before(Millis(1_767_398_400_000 + 5), 9).is_err(), "somebody is told");
    assert_eq!(names(root.path(), "queue/done"), ["2020-01-01", "2026-01-01"]);
    assert_eq!(names(root.path(), "queue/done/2026-01-01"), ["msg-0.yaml"]);
}

#[test]
fn status_files_read_as_the_protocol_shows_them() {
    let agent = name("middle_manager");
    let task = id("msg-a1b2c3d4e5f6");
    let statistics = Statistics { tasks_completed: 42, uptime_seconds: 3_600, ..Statistics::default() };
    let yaml = status::agent(&AgentStatus {
        asks: None,
        agent: &agent,
        state: "working",
        task: Some(&task),
        since: NOON,
        at: NOON,
        started_at: Some(NOON),
        doing: Some("Reading \u{1b}[1msrc/lib.rs: 12%"),
        pane: Some(PaneId(5)),
        pid: Some(12_345),
        provider: "claude",
        hired: None,
        queued: 2,
        statistics,
    });
    expect_test::expect![[r#"
        agent_name: middle_manager
        state: working
        current_task: msg-a1b2c3d4e5f6
        last_updated: "2026-02-02T12:00:00Z"
        since: "2026-02-02T12:00:00Z"
        started_at: "2026-02-02T12:00:00Z"
        doing: "Reading \e[1msrc/lib.rs: 12%"
        pane_id: "%5"
        pid: 12345
        provider: claude
        queued: 2
        statistics: {tasks_completed: 42, tasks_failed: 0, messages_sent: 0, messages_received: 0, uptime_seconds: 3600, restarts: 0}
    "#]].assert_eq(&yaml);
    let [ours, libyaml] = readers(&yaml);
    assert_eq!(ours, libyaml);
    assert_eq!(ours["statistics"]["tasks_completed"], 42);
    let notes = ["queue is looked at once a second: NFS does not report changes".to_owned()];
    let yaml = status::daemon(&DaemonStatus {
        pid: Some(7),
        version: "0.1.0",
        started_at: NOON,
        at: NOON,
        socket: Some("/run/user/1/tasuki/x.sock"),
        stopped_since: Some(NOON),
        counts: &[("pending", 1), ("in_progress", 2)],
        notes: &notes,
    });
    expect_test::expect![[r#"
        pid: 7
        version: "0.1.0"
        started_at: "2026-02-02T12:00:00Z"
        last_updated: "2026-02-02T12:00:00Z"
        socket: /run/user/1/tasuki/x.sock
        stopped_since: "2026-02-02T12:00:00Z"
        counts: {pending: 1, in_progress: 2}
        notes:
        - "queue is looked at once a second: NFS does not report changes"
    "#]]
    .assert_eq(&yaml);
    let [ours, libyaml] = readers(&yaml);
    assert_eq!(ours, libyaml);
}
