//! Reading drops: every class of bad input that shows in a file's text (durability, the 72 classes), each with its fixture,
//! code, line and column; the forms that are taken; the digest; and that nothing, however mangled, makes the reader panic.

use proptest::prelude::*;
use serde_json::json;
use std::path::Path;
use tasuki::engine::message::refusal::{Code, Refusal};
use tasuki::engine::message::{Draft, Expect, Kind, OnDoubt, Priority, Status};
use tasuki::engine::words::{MessageId, Millis};
use tasuki::wire::message::{draft, json as wire_json};

/// 2026-02-02T12:00:00Z
const NOW: Millis = Millis(1_770_033_600_000);
const MINTED: &str = "msg-000000000000";

fn minted() -> MessageId {
    MessageId::new(MINTED).unwrap()
}

fn known(name: &str) -> bool {
    ["grand_boss", "middle_manager", "a", "b_to_c", "a_to_b", "c", "to_x"].contains(&name)
}

fn read_named(name: &str, bytes: &[u8]) -> Result<Vec<Draft>, Refusal> {
    draft::read(bytes, Some(name), &known, &mut minted, NOW, &chrono::Utc)
}

fn read(text: &str) -> Result<Vec<Draft>, Refusal> {
    read_named("task.yaml", text.as_bytes())
}

fn one(text: &str) -> Draft {
    let mut drafts = read(text).unwrap_or_else(|refusal| panic!("{refusal:?}\n{:.200}", text));
    assert_eq!(drafts.len(), 1);
    drafts.remove(0)
}

fn code(text: &str) -> Code {
    read(text).expect_err(text).code
}

/// What is refused unless it is known already counts as refused.
fn read_new(bytes: &[u8]) -> Result<Vec<Draft>, Refusal> {
    let drafts = read_named("task.yaml", bytes)?;
    match drafts.iter().enumerate().find_map(|(document, draft)| Some((document, draft.late.as_ref()?))) {
        Some((document, late)) => Err(Refusal { document, ..(**late).clone() }),
        None => Ok(drafts),
    }
}

/// One line on what became of a file.
fn outcome(bytes: &[u8]) -> String {
    match read_new(bytes) {
        Ok(drafts) => {
            let extra: Vec<&str> = drafts.iter().map(|d| &*d.body.extra).filter(|e| e.len() < 200).collect();
            let notes: Vec<&String> = drafts.iter().flat_map(|d| &d.notes).collect();
            format!("accepted {} {} {notes:?}", drafts.len(), extra.concat())
        }
        Err(refusal) => {
            let place = |n: Option<u64>| n.map_or("-".to_owned(), |n| n.to_string());
            let (line, column) = (place(refusal.line), place(refusal.column));
            let Refusal { code, document, why, .. } = refusal;
            format!("{} {document}:{line}:{column} {why}", code.word())
        }
    }
}

#[test]
fn every_class_has_its_code_and_place() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/drops");
    let mut names: Vec<String> =
        std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let table: String = names
        .iter()
        .map(|name| format!("{name}: {}\n", outcome(&std::fs::read(folder.join(name)).unwrap())))
        .collect();
    expect_test::expect_file!["../fixtures/drops.table"].assert_eq(&table);
    // 26, 28, 37 are the engine's; 10, 12, 22, 36, 59 are made below, since they are large.
    for class in (1..=38).chain(53..=62).filter(|class| ![26, 28, 37, 10, 12, 22, 36, 59].contains(class)) {
        let prefix = format!("{class:02}-");
        assert!(names.iter().any(|name| name.starts_with(&prefix)), "class {class} has no fixture");
    }
}

#[test]
fn large_input_is_refused_by_its_size() {
    let head = "to: worker\ncontent: ";
    let file = |size: usize| format!("{head}{}\n", "x".repeat(size - head.len() - 1));
    assert_eq!(
        outcome(file((1 << 20) + 1).as_bytes()),
        "too-large 0:-:- the file has 1048577 bytes; at most 1048576 are read"
    );
    assert_eq!(one(&file(1 << 20)).body.content.len(), (1 << 20) - head.len() - 1);

    let nodes =
        |count: usize| format!("to: worker\ncontent: x\nmetadata:\n  a: [{}]\n", "1,".repeat(count - 9));
    assert_eq!(
        outcome(nodes(10_001).as_bytes()),
        "too-many-nodes 0:4:19989 there are more than 10000 values in a document"
    );
    assert_eq!(one(&nodes(10_000)).body.extra.len(), r#"{"metadata":{"a":[]}}"#.len() + 2 * 9_991 - 1);

    let metadata =
        |size: usize| format!("to: worker\ncontent: x\nmetadata:\n  a: {}\n", "y".repeat(size - 8));
    assert_eq!(
        outcome(metadata(65_537).as_bytes()),
        "metadata-too-large 0:4:3 `metadata` has 65537 bytes as JSON; at most 65536 are kept"
    );
    assert_eq!(one(&metadata(65_536)).body.extra.len(), 65_536 + r#"{"metadata":}"#.len());
    assert_eq!(
        code(&format!("to: worker\ncontent: x\ncolour: {}\n", "y".repeat(70_000))),
        Code::MetadataTooLarge
    );

    let escapes = |count: usize| format!("to: worker\ncontent: \"x{}\"\n", "\\L".repeat(count));
    assert_eq!(code(&escapes(349_526)), Code::ContentTooLarge);
    assert_eq!(one(&escapes(349_525)).body.content.len(), 1 + 3 * 349_525);

    assert_eq!(
        one(&format!("{head}{}\n", "長".repeat(30_000))).body.content.len(),
        90_000,
        "a long line stays"
    );
}

#[test]
fn hostile_yaml_is_refused_at_once() {
    assert_eq!(code(&"[".repeat(200_000)), Code::TooDeep);
    assert_eq!(code(&"- ".repeat(10_000)), Code::TooDeep);
    assert_eq!(code(&"{a: ".repeat(200_000)), Code::TooDeep);
    let bomb = "to: &a [x, x]\ncontent: &b [*a, *a]\nmetadata: [*b, *b]\n";
    assert_eq!(code(bomb), Code::Anchor);
    let many = "to: a\ncontent: x\n---\n".repeat(100); // and an empty one at the end
    assert_eq!(read(&many).unwrap().len(), 100);
    assert_eq!(code(&"to: a\ncontent: x\n---\n".repeat(101)), Code::TooManyDocuments);
    assert_eq!(code(&"---\n".repeat(200_000)), Code::TooManyDocuments);
    let keys: String = (0..4_900).map(|n| format!("  k{n}: 1\n")).collect();
    let wide = format!("to: a\ncontent: x\nmetadata:\n{keys}");
    assert_eq!(one(&wide).unknown_keys.len(), 0);
    assert_eq!(
        outcome(format!("{wide}  k4321: 2\n").as_bytes()),
        "duplicate-key 0:4904:3 the key `k4321` is already on line 4325"
    );
}

#[test]
fn the_smallest_drop_works() {
    let draft = one("to: worker\ncontent: 仕事 😀\n");
    assert_eq!(draft.id.as_str(), MINTED);
    assert!(!draft.id_given);
    assert_eq!((draft.from.as_ref(), draft.to.as_str()), (None, "worker"));
    assert_eq!((draft.kind, draft.status, draft.priority), (Kind::Task, Status::Pending, Priority::Normal));
    assert_eq!((draft.on_doubt, draft.expect.as_ref(), draft.timeout_ms), (OnDoubt::Resend, None, None));
    assert_eq!((&*draft.body.content, &*draft.body.extra), ("仕事 😀", ""));
}

#[test]
fn every_field_arrives() {
    let draft = one(concat!(
        "id: msg-a1b2c3d4e5f6\nfrom: grand_boss\nto: middle_manager\ntype: result\nstatus: failed\ncontent: |\n  line 1\n    line 2\n",
        "timestamp: 2026-02-02T12:00:00Z\nin_reply_to: msg-1\nparent: msg-0\ntoken: 123456\ndepends_on: [msg-2, msg-3, msg-2]\n",
        "priority: high\ntimeout: 1h 30m\ndeadline: 2026-02-03T00:00:00Z\non_doubt: hold\n",
        "expect: {commit: true, files: src/lib.rs, command: [cargo, test], report: ./docs/r.md}\n",
        "metadata: {b: 1, a: [no, 1.5, ~], deep: {z: true}}\ncolour: red\n",
    ));
    assert_eq!((draft.id.as_str(), draft.id_given), ("msg-a1b2c3d4e5f6", true));
    assert_eq!(draft.from.as_ref().unwrap().as_str(), "grand_boss");
    assert_eq!((draft.kind, draft.status), (Kind::Result, Status::Failed));
    assert_eq!(&*draft.body.content, "line 1\n  line 2\n");
    assert_eq!(draft.sent_at, Some(NOW));
    assert_eq!(draft.in_reply_to.as_ref().unwrap().as_str(), "msg-1");
    assert_eq!(draft.parent.as_ref().unwrap().as_str(), "msg-0");
    assert_eq!(draft.token.unwrap().as_str(), "123456");
    assert_eq!(draft.depends_on.iter().map(MessageId::as_str).collect::<Vec<_>>(), ["msg-2", "msg-3"]);
    assert_eq!((draft.priority, draft.on_doubt), (Priority::High, OnDoubt::Hold));
    assert_eq!((draft.timeout_ms, draft.deadline), (Some(5_400_000), Some(Millis(NOW.0 + 12 * 3_600_000))));
    let expect = Expect {
        commit: true,
        files: vec!["src/lib.rs".to_owned()],
        command: vec!["cargo".to_owned(), "test".to_owned()],
        report: Some("./docs/r.md".to_owned()),
    };
    assert_eq!(draft.expect.as_deref(), Some(&expect));
    assert_eq!(
        &*draft.body.extra,
        r#"{"metadata":{"b":1,"a":["no",1.5,null],"deep":{"z":true}},"colour":"red"}"#
    );
    assert_eq!(draft.unknown_keys, ["colour"]);
}

#[test]
fn the_file_name_fills_what_the_body_leaves_out() {
    let from_to = |name: &str, text: &str| {
        let draft = read_named(name, text.as_bytes()).map_err(|refusal| refusal.code)?.remove(0);
        Ok::<_, Code>((draft.from.map(|f| f.to_string()), draft.to.to_string()))
    };
    let names = |from: &str, to: &str| Ok((Some(from.to_owned()), to.to_owned()));
    assert_eq!(
        from_to("grand_boss_to_middle_manager.yaml", "content: x"),
        names("grand_boss", "middle_manager")
    );
    assert_eq!(from_to("user_to_grand_boss.yaml", "content: x"), names("user", "grand_boss"));
    assert_eq!(from_to("a_to_to_x.yaml", "content: x"), names("a", "to_x"));
    assert_eq!(
        from_to("grand_boss_to_middle_manager.yaml", "to: other\ncontent: x"),
        names("grand_boss", "other")
    );
    assert_eq!(
        from_to("grand_boss_to_middle_manager.yaml", "from: me\ncontent: x"),
        names("me", "middle_manager")
    );
    assert_eq!(from_to("grand_boss_to_stranger.yaml", "content: x"), Err(Code::ToMissing));
    assert_eq!(
        from_to("a_to_b_to_c.yaml", "content: x"),
        Err(Code::ToMissing),
        "two ways to read it: nobody guesses"
    );
    assert_eq!(from_to("notes.yaml", "content: x"), Err(Code::ToMissing));
}

#[test]
fn a_plain_scalar_is_what_its_field_wants() {
    let draft = one("id: 1e3\nto: 42\ncontent: 0x10\ntoken: 1e2345\ndepends_on: 7\n");
    assert_eq!((draft.id.as_str(), draft.to.as_str(), &*draft.body.content), ("1e3", "42", "0x10"));
    assert_eq!(draft.token.unwrap().as_str(), "1e2345");
    assert_eq!(draft.depends_on[0].as_str(), "7");
    assert_eq!(&*one("to: a\ncontent: no\n").body.content, "no");
    assert_eq!(&*one("to: a\ncontent: \"null\"\n").body.content, "null");
    assert_eq!(one("to: a\ncontent: x\nfrom: ~\nid:\npriority:\nmetadata:\n").id.as_str(), MINTED);
    assert_eq!(code("to: a\ncontent: null\n"), Code::ContentEmpty);
    assert_eq!(code("to: a\ncontent: x\nexpect: {commit: \"true\"}\n"), Code::WrongType);
}

#[test]
fn an_expect_in_a_wrong_form_is_told_beside_a_right_one() {
    let told = |expect: &str| {
        let refusal = read(&format!("to: a\ncontent: x\nexpect: {expect}\n")).expect_err(expect);
        let cures =
            ["`expect: {commit: true", "inside the agent's folder", "a command that looks for them all"];
        let cure = refusal.cure();
        assert!(refusal.field == Some("expect") && cures.iter().any(|said| cure.contains(said)), "{cure}");
        format!("{}:{} {}\n", refusal.line.unwrap(), refusal.column.unwrap(), refusal.why)
    };
    let wrong =
        ["5", "[docs/plan.md]", "{comit: true}", "{commit: maybe}", "{files: {a: b}}", "{files: [~]}"];
    let many = |count: usize| format!("{{files: [{}]}}", vec!["a"; count].join(", "));
    let wrong = wrong.into_iter().chain([
        "{files: ''}",
        "{files: [a, .]}",
        "{report: 文/}",
        "{command: [[a]]}",
        "{report: [a]}",
    ]);
    let too_many = many(101);
    let wrong = wrong.chain([&*too_many]);
    expect_test::expect![[r#"
        3:9 `expect` must be a map with some of commit, files, command and report, such as `{files: [docs/plan.md]}`, not `5`
        3:9 `expect` must be a map with some of commit, files, command and report, such as `{files: [docs/plan.md]}`, not a list
        3:10 `expect`: `comit` is not one of commit, files, command, report
        3:18 `commit` of `expect` must be `true` or `false`, such as `commit: true`; there is `maybe`
        3:17 `files` of `expect` must be a list of paths, such as `files: [docs/plan.md]`; there is a map
        3:18 `files` of `expect` must be a list of paths, such as `files: [docs/plan.md]`; there is an empty value
        3:17 `expect`: `` does not lead to a file inside the agent's folder
        3:21 `expect`: `.` is a folder: name a file in it
        3:18 `expect`: `文/` is a folder: name a file in it
        3:20 `command` of `expect` must be the name of one of the team file's `commands:`, such as `command: test`; there is a list
        3:18 `report` of `expect` must be a path, such as `report: docs/report.md`; there is a list
        3:17 `files` of `expect` has 101 paths; at most 100 are checked
    "#]]
    .assert_eq(&wrong.map(told).collect::<String>());
    assert_eq!(
        one(&format!("to: a\ncontent: x\nexpect: {}\n", many(100))).expect.as_ref().unwrap().files.len(),
        100
    );
    assert_eq!(
        one("to: a\ncontent: x\nexpect: {command: test}\n").expect.as_ref().unwrap().command,
        ["test"]
    );
    // Nothing is expected where nothing is written.
    for nothing in ["", "{}", "{files: []}", "{command: }"] {
        assert_eq!(one(&format!("to: a\ncontent: x\nexpect: {nothing}\n")).expect, None);
    }
}

#[test]
fn an_in_reply_to_that_means_nothing_is_told() {
    let told = |text: &str| one(&format!("to: a\ncontent: x\nin_reply_to: m-1\n{text}")).notes;
    let note = "`in_reply_to` means nothing on a task: a part of a task names it with `parent`, an answer to one has `type: result`";
    assert_eq!(told("type: task\n"), [note]);
    assert_eq!(told(""), [note]);
    for kind in ["info", "result", "error"] {
        assert!(told(&format!("type: {kind}\n")).is_empty(), "{kind}");
    }
}

#[test]
fn a_tab_that_indents_a_line_is_told_where_it_stands() {
    for (text, line, column) in [
        ("to: a\n\tcontent: x\n", 2, 1),
        ("\tto: a\n\tcontent: x\n", 1, 1),
        ("to: a\ncontent: x\nmetadata:\n\ta: 1\n", 4, 1),
        ("to: a\ncontent: x\nmetadata:\n  a: 1\n  \tb: 1\n", 5, 3),
        ("to: a\r\ncontent: x\r\nmetadata:\r\n  a:\r\n    - x\r\n\t- y\r\n", 6, 1),
        ("to: a\ncontent: |\n\tone\n", 3, 1),
        ("to: a\ncontent: |\n  長い\n\n\ttwo\n", 5, 1),
        ("to: a\ncontent: \"x\n\ty\"\n", 3, 1),
    ] {
        let refusal = read(text).expect_err(text);
        assert_eq!(
            (refusal.code, refusal.line, refusal.column),
            (Code::Syntax, Some(line), Some(column)),
            "{text:?}"
        );
        assert!(
            refusal.why.contains("a tab indents this line") && refusal.cure().contains("spaces"),
            "{refusal:?}"
        );
    }
    // Elsewhere a tab is a blank like another.
    for text in ["to:\ta\ncontent: x\n", "to: a\ncontent: |\n  \tx\n", "to: a\ncontent: x\n\t\n"] {
        assert_eq!(one(text).to.as_str(), "a");
    }
}

#[test]
fn what_is_kept_keeps_its_letters() {
    for letters in [
        "1.10",
        "0x1F",
        "1e3",
        "007",
        "2026-02-02",
        "yes",
        "True",
        "+5",
        "-0",
        ".5",
        "1_000",
        "0o17",
        "1.",
        ".inf",
        "1e999",
        "123456789012345678901234567890",
    ] {
        let draft = one(&format!("to: a\ncontent: x\nmetadata: {{k: [{letters}]}}\nown: {letters}\n"));
        let wanted = format!(r#"{{"metadata":{{"k":["{letters}"]}},"own":"{letters}"}}"#);
        assert_eq!(&*draft.body.extra, wanted);
        let quoted = one(&format!("to: a\ncontent: x\nmetadata: {{k: ['{letters}']}}\nown: '{letters}'\n"));
        assert_eq!((quoted.body.extra, quoted.digest), (draft.body.extra, draft.digest), "the same letters");
    }
    for value in ["5", "-3", "1.5", "true", "false", "null", "18446744073709551615"] {
        let draft = one(&format!("to: a\ncontent: x\nmetadata: {{k: {value}}}\n"));
        assert_eq!(
            &*draft.body.extra,
            format!(r#"{{"metadata":{{"k":{value}}}}}"#),
            "what JSON writes alike"
        );
    }
    assert_eq!(
        one("to: a\ncontent: x\nmetadata: {k: ~}\n").body.extra.as_ref(),
        r#"{"metadata":{"k":null}}"#
    );
    assert!(one("to: a\ncontent: x\nexpect: {commit: True}\n").expect.as_ref().expect("one").commit);
}

#[test]
fn the_priority_of_the_metadata_counts_where_there_is_no_other() {
    let with = |more: &str| one(&format!("to: a\ncontent: x\n{more}\n"));
    assert_eq!(with("metadata: {priority: high}").priority, Priority::High);
    assert_eq!(with("metadata: {priority: high}\npriority: low").priority, Priority::Low);
    assert_eq!(with("metadata: {priority: high}\npriority:").priority, Priority::High);
    for nothing in
        ["{priority: urgent}", "{priority: 1}", "{priority: }", "{priority: [high]}", "{priorities: high}"]
    {
        let draft = with(&format!("metadata: {nothing}"));
        assert_eq!(draft.priority, Priority::Normal, "{nothing}");
    }
    assert_eq!(
        with("metadata: {priority: urgent}").notes,
        ["`metadata.priority` is `urgent`, which is not a priority: it counts as normal"]
    );
    assert!(with("metadata: {priority: [high]}").notes.is_empty());
}

#[test]
fn what_yaml_takes_for_a_comment_behind_the_content_is_said() {
    let notes = |content: &str| one(&format!("to: a\ncontent: {content}\n")).notes;
    let said = |comment: &str| {
        vec![format!(
            "`content` ends before `{comment}`, which YAML takes for a comment: put the content in quotes, or below `content: |`"
        )]
    };
    assert_eq!(notes("fix entry #12 now"), said("#12 now"));
    assert_eq!(notes("fix\n  entry #12 now"), said("#12 now"));
    for whole in [
        "fix issue#12",
        "'fix entry #12'",
        "\"fix entry #12\"",
        "|\n  fix entry #12\n  # and 13",
        "'x' # a comment",
    ] {
        assert!(notes(whole).is_empty(), "{whole}");
    }
    assert!(
        one("to: a # whoever\ncontent: x\npriority: low # later\n").notes.is_empty(),
        "they lose nothing"
    );
    let refused = read("to: a\ncontent: #12 is open\n").expect_err("nothing");
    assert_eq!(refused.code, Code::ContentEmpty);
    assert!(refused.why.contains("`#12 is open` is a comment in YAML"), "{}", refused.why);
}

#[test]
fn a_slot_whose_sides_nobody_is_called_is_said() {
    let notes = |name: &str| {
        let drafts = read_named(name, b"to: grand_boss\nfrom: user\ncontent: x").expect(name);
        drafts[0].notes.concat()
    };
    assert!(notes("stranger_to_grand_boss.yaml").contains("there is no agent called stranger"));
    assert!(notes("user_to_stranger.yaml").contains("there is no agent called stranger"));
    assert!(notes("Grand_boss_to_User.yaml").contains(
        "called Grand_boss (there is one called grand_boss) or User (there is one called user): the name"
    ));
    assert!(notes("上司_to_boss.yaml").contains("there is no agent called 上司 or boss:"));
    for fine in
        ["user_to_grand_boss.yaml", "how_to.yaml", "a_to_b_to_c.yaml", "Read Me_to_you.yaml", "task.yaml"]
    {
        assert_eq!(notes(fine), "", "{fine}");
    }
}

#[test]
fn the_digest_tells_duplicates_from_conflicts() {
    let base = "id: m\nfrom: f\nto: a\ncontent: x\nmetadata: {a: 1, b: 2}\ncolour: red\n";
    let digest = |text: &str| one(text).digest;
    for same in [
        "colour: \"red\"\nmetadata: {b: 2, a: 1}\ncontent: 'x'\nto: a\nfrom: f\nid: m\n",
        &format!("{base}timestamp: 2026-02-02\n"),
        &format!("{base}token: k7qf2m\n"),
        &format!("{base}stage: working\nverified: true\n"),
        &format!("{base}type: task\nstatus: pending\npriority: normal\non_doubt: resend\nexpect: {{}}\n"),
    ] {
        assert_eq!(digest(base), digest(same), "{same}");
    }
    let others = [
        base.replace("id: m\n", "id: n\n"),
        base.replace("id: m\n", ""),
        base.replace("from: f\n", ""),
        base.replace("to: a", "to: b"),
        base.replace("content: x", "content: \"x\\n\""),
        base.replace("{a: 1, b: 2}", "{a: 1, b: '2'}"),
        base.replace("{a: 1, b: 2}", "{a: 1, b: [2]}"),
        base.replace("colour: red", "color: red"),
        format!("{base}type: info\n"),
        format!("{base}in_reply_to: r\n"),
        format!("{base}parent: r\n"),
        format!("{base}depends_on: [r]\n"),
        format!("{base}depends_on: [r, s]\n"),
        format!("{base}priority: low\n"),
        format!("{base}timeout: 5s\n"),
        format!("{base}deadline: 2027-01-01T00:00:00Z\n"),
        format!("{base}on_doubt: hold\n"),
        format!("{base}expect: {{commit: true}}\n"),
        format!("{base}expect: {{files: [r]}}\n"),
        format!("{base}expect: {{command: [r]}}\n"),
        format!("{base}expect: {{report: r}}\n"),
        base.to_owned(),
    ];
    let digests: std::collections::BTreeSet<_> = others.iter().map(|text| digest(text)).collect();
    assert_eq!(digests.len(), others.len(), "each of them is another message");
    let two = |id: &str| {
        draft::read(
            b"to: a\ncontent: x\n",
            None,
            &known,
            &mut || MessageId::new(id).unwrap(),
            NOW,
            &chrono::Utc,
        )
    };
    assert_eq!(two("m1").unwrap()[0].digest, two("m2").unwrap()[0].digest, "a made id does not count");
}

#[test]
fn json_is_read_like_yaml() {
    let yaml = "id: m\nfrom: f\nto: a\ntype: info\ncontent: \"x 😀\"\nmetadata: {n: 1.5, l: [true, ~]}\ndepends_on: [r]\ncolour: 7\n";
    let value = json!({"id": "m", "from": "f", "to": "a", "type": "info", "content": "x 😀",
        "metadata": {"n": 1.5, "l": [true, null]}, "depends_on": ["r"], "colour": 7});
    assert_eq!(wire_json::read(&value, &mut minted, NOW, &chrono::Utc).unwrap(), one(yaml));
    let code = |value: &serde_json::Value| {
        wire_json::read(value, &mut minted, NOW, &chrono::Utc).map_err(|r| (r.code, r.line))
    };
    for (bytes, is_read) in [(1 << 20, true), ((1 << 20) + 1, false)] {
        let read = code(&json!({"to": "a", "content": "x".repeat(bytes)}));
        assert_eq!(
            read.err(),
            (!is_read).then_some((Code::ContentTooLarge, None)),
            "a content of {bytes} bytes"
        );
    }
    assert_eq!(code(&json!({"content": "x"})).unwrap_err(), (Code::ToMissing, None));
    assert_eq!(code(&json!({"to": ["a"], "content": "x"})).unwrap_err(), (Code::WrongType, None));
    assert_eq!(code(&json!([1])).unwrap_err(), (Code::NotAMap, None));
    let nest = |levels: usize| {
        let deep = (0..levels).fold(json!([]), |inner, _| json!({ "a": inner }));
        json!({"to": "a", "content": "x", "metadata": deep})
    };
    assert!(code(&nest(30)).is_ok());
    assert_eq!(code(&nest(31)).unwrap_err(), (Code::TooDeep, None));
    assert_eq!(
        code(&json!({"to": "a", "content": "x", "m": vec![0; 10_000]})).unwrap_err(),
        (Code::TooManyNodes, None)
    );
}

const WHOLE: &str = "id: msg-1\nfrom: user\nto: worker\ntype: task\ncontent: |\n  仕事 😀: [a, b]\n  # not a comment\n\ntimestamp: \"2026-02-02T12:00:00Z\"\nmetadata:\n  a: {b: [1, \"x\\e\", ~]}\n---\nto: 'x'\ncontent: \"\\ud83d\\ude00\"\nexpect: {commit: true}\n";

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = read_named("a_to_c.yaml", &bytes);
    }

    #[test]
    fn mutated_messages_never_panic_and_refusals_have_a_place(
        edits in proptest::collection::vec((any::<prop::sample::Index>(), 0u8..4, "[\\[\\]{}:,&*!|>'\"%@`#\\- \n\t~?<é😀\u{feff}]{1,3}"), 1..6)
    ) {
        let mut text: Vec<char> = WHOLE.chars().collect();
        for (at, what, insert) in edits {
            let at = at.index(text.len());
            match what {
                0 => text.truncate(at.max(1)),
                1 => { text.remove(at); if text.is_empty() { text.push('x') } }
                _ => { text.splice(at..at, insert.chars()); }
            }
        }
        let text: String = text.into_iter().collect();
        let lines = text.lines().count() as u64 + 1;
        if let Err(refusal) = read(&text) {
            prop_assert!(refusal.line.is_some_and(|line| (1..=lines).contains(&line)), "{refusal:?}\n{text}");
            prop_assert!(refusal.column.is_some_and(|column| column > 0), "{refusal:?}\n{text}");
        }
    }

    #[test]
    fn any_text_arrives_as_it_was_written(content in "\\PC{1,60}|[\\x00-\\x7f\u{85}\u{2028}\u{feff}]{1,20}") {
        prop_assume!(!content.trim().is_empty());
        let quoted = serde_json::to_string(&content).unwrap().replace('\u{7f}', "\\x7f").replace('\u{85}', "\\N");
        let draft = one(&format!("to: a\ncontent: {quoted}\n"));
        prop_assert_eq!(&*draft.body.content, content.as_str());
    }
}
