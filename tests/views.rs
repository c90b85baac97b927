//! What tasuki writes for people, agents and their programs: every text comes back byte for byte, whoever reads it.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test")]

use proptest::prelude::*;
use serde_json::{Value, json};
use tasuki::engine::message::{Expect, Kind, OnDoubt, Priority, Status};
use tasuki::engine::words::{AgentName, MessageId, Millis, Token};
use tasuki::io::wire::draft;
use tasuki::io::wire::show::{self, MessageView, Note, NoteText};

const NOON: Millis = Millis(1_770_033_600_000);

fn id(text: &str) -> MessageId {
    MessageId::new(text).unwrap()
}

fn name(text: &str) -> AgentName {
    AgentName::new(text).unwrap()
}

/// A view with nothing but the content and the rest of the body, shown to `check`.
fn with_view<T>(content: &str, extra: &str, check: impl Fn(&MessageView<'_>) -> T) -> T {
    check(&MessageView {
        id: &id("msg-1"),
        from: &name("user"),
        to: &name("worker"),
        kind: Kind::Task,
        status: Status::Pending,
        stage: None,
        token: None,
        attempt: None,
        redelivered: false,
        content,
        timestamp: None,
        accepted_at: None,
        finished_at: None,
        in_reply_to: None,
        parent: None,
        retry_of: None,
        depends_on: &[],
        priority: Priority::Normal,
        timeout_ms: None,
        deadline: None,
        on_doubt: OnDoubt::Resend,
        expect: None,
        hops: None,
        verified: None,
        via: None,
        completion_source: None,
        proof: None,
        evidence: None,
        reason: None,
        answers: &[],
        feedback: &[],
        extra,
    })
}

/// What the YAML means to serde-saphyr, to a libyaml program, and to tasuki itself when it is dropped.
fn readers(yaml: &str) -> [Value; 2] {
    let ours = serde_saphyr::from_str(yaml).unwrap_or_else(|error| panic!("serde-saphyr: {error}\n{yaml}"));
    let libyaml = serde_yaml::from_str(yaml).unwrap_or_else(|error| panic!("libyaml: {error}\n{yaml}"));
    [ours, libyaml]
}

fn check_content(content: &str) {
    let answers = [Note { id: None, from: None, status: None, at: None, text: NoteText::Here(content) }];
    let yaml = with_view(content, "", |view| {
        show::message(&MessageView { answers: &answers, reason: Some(content), ..view.clone() })
    });
    for read in readers(&yaml) {
        assert_eq!(read["content"], json!(content), "\n{yaml}");
        assert_eq!(read["reason"], json!(content), "\n{yaml}");
        assert_eq!(read["answers"][0]["content"], json!(content), "\n{yaml}");
    }
    if !content.is_empty() {
        let drafts = draft::read(yaml.as_bytes(), None, &|_| false, &mut || id("m"), NOON);
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
    let (child, from) = (id("msg-2"), name("tester"));
    let answers = [
        Note {
            id: Some(&child),
            from: Some(&from),
            status: Some(Status::Completed),
            at: Some(NOON),
            text: NoteText::Here("All 12 pass.\nNone failed.\n"),
        },
        Note {
            id: Some(&child),
            from: None,
            status: None,
            at: None,
            text: NoteText::At("queue/results/msg-2.yaml"),
        },
    ];
    let yaml = with_view("Analyse the project.\n  - 日本語 😀\n", extra, |view| {
        show::message(&MessageView {
            status: Status::InProgress,
            stage: Some("working"),
            token: Some(Token::new("123456").unwrap()),
            attempt: Some(1),
            redelivered: true,
            timestamp: Some(NOON),
            accepted_at: Some(Millis(NOON.0 + 7)),
            finished_at: Some(NOON),
            in_reply_to: Some(&id("msg-0")),
            parent: Some(&id("msg-p")),
            retry_of: Some(&id("msg-r")),
            depends_on: &[id("msg-3"), id("1e3")],
            priority: Priority::High,
            timeout_ms: Some(1_800_000),
            deadline: Some(NOON),
            on_doubt: OnDoubt::Hold,
            expect: Some(&expect),
            hops: Some(2),
            verified: Some(true),
            via: Some("drop"),
            completion_source: Some("marker"),
            proof: Some("weak"),
            evidence: Some("commit 1a2b3c\n"),
            reason: Some("no"),
            answers: &answers,
            feedback: &[],
            ..view.clone()
        })
    });
    expect_test::expect![[r#"
        id: msg-1
        from: user
        to: worker
        type: task
        status: in_progress
        stage: working
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
        let yaml = with_view("x", &extra.to_string(), show::message);
        for read in readers(&yaml) {
            prop_assert_eq!(&read["metadata"], &extra["metadata"], "\n{}", yaml);
        }
        let drafts = draft::read(yaml.as_bytes(), None, &|_| false, &mut || id("m"), NOON);
        let drafts = drafts.unwrap_or_else(|refusal| panic!("{refusal:?}\n{yaml}"));
        prop_assert_eq!(serde_json::from_str::<Value>(&drafts[0].body.extra).expect("it is JSON"), extra);
    }
}
