//! The socket: limits, errors and what reaches the loop, against a loop that is a few lines long.

mod door;

use door::{DEADLINE, ask, be_asked, be_silent, open, raw};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;
use tasuki::daemon::clients::request::{Call, Request, Response};
use tasuki::engine::input::Reply;
use tasuki::engine::message::refusal::{Code, Refusal};
use tasuki::engine::words::MessageId;
use tasuki::ui::http::{BODY_BYTES_MAX, reference};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::sync::mpsc;

#[tokio::test]
async fn every_address_of_the_page_is_there_and_takes_its_method_only() {
    let mut door = open();
    be_silent(&mut door);
    for address in reference::addresses() {
        let path = address.path.replace("{id}", "m-1").replace("{token}", "k7qf2m").replace("{name}", "mm");
        // What would go on for ever is asked for what there is not.
        let path = path.replace("/events", "/events?kind=none");
        let body = match address.takes() {
            "ReplyBody" | "PaneSendBody" => r#"{"text":"x"}"#,
            "PaneAnswerBody" => r#"{"choose":"yes"}"#,
            "HaltBody" => r#"{"on":true}"#,
            "HireBody" => r#"{"name":"x","like":"mm"}"#,
            "SessionBody" => r#"{"plan":"tasks: [{name: a, description: b}]","master":"mm"}"#,
            "SessionMergeBody" => "{}",
            "SessionRetryBody" => r#"{"task":"task-1"}"#,
            "SessionTaskBody" => r#"{"task":"{name: a, description: b}"}"#,
            "a message, or several" => r#"{"to":"mm","content":"x"}"#,
            _ => "",
        };
        let (status, body) = ask(&door, address.method, &path, "application/json", body).await;
        let expected = match (address.method, path.as_str()) {
            (_, "/api/events?kind=none" | "/api/prove") => 400, // what they need is not asked
            (_, "/api/web") => 403,                             // as below: an agent opens no port
            (_, "/api/tab") => 403,                             // for the tabs of browsers alone
            (_, "/api/panes/mm/answer") => 403, // the requests of this test carry an agent's key
            ("POST", "/api/sessions/import" | "/api/debates") => 400, // what it needs is not given
            (_, "/api/debates/m-1/rounds/{n}") => 400, // that is no number
            (_, path) if ["/api/sessions/", "/api/debates/"].iter().any(|at| path.starts_with(at)) => 404, // there is none
            // The loop is asked for what it alone knows.
            ("GET", path)
                if !["/api/panes/", "/wait", "/screen", "/metrics"]
                    .iter()
                    .any(|part| path.contains(part)) =>
            {
                200
            }
            _ => 503,
        };
        assert_eq!(status, expected, "{} {path}: {body}", address.method);
        let (status, body) = ask(&door, "DELETE", &path, "application/json", "").await;
        assert_eq!((status, body["code"].as_str()), (405, Some("no-such-method")), "{path}");
    }
}

#[tokio::test]
async fn whatever_is_wrong_is_said_as_json_with_its_cure() {
    let door = open();
    let long = "x".repeat(65);
    let json = "application/json";
    for (method, path, kind, body, expected, line) in [
        ("GET", "/", json, "", (404, "no-such-address"), None),
        ("GET", "/api/messages/A%2F..", json, "", (400, "bad-id"), None),
        ("GET", &format!("/api/messages/{long}"), json, "", (400, "bad-id"), None),
        ("POST", "/api/agents/A/stop", json, "", (400, "bad-name"), None),
        ("POST", "/api/turns/nope/ack", json, "", (403, "bad-proof"), None),
        ("POST", "/api/messages", json, "{\n  \"to\": }", (400, "syntax"), Some(2)),
        ("POST", "/api/messages", json, "[]", (400, "blank"), None),
        ("POST", "/api/messages", json, r#"{"content":"x"}"#, (400, "to-missing"), None),
        ("POST", "/api/messages", "application/yaml", "to: mm\ncontent: 'x", (400, "cut-off"), Some(2)),
        ("POST", "/api/turns/k7qf2m/reply", json, r#"{"txet":"x"}"#, (400, "syntax"), Some(1)),
        ("POST", "/api/turns/k7qf2m/reply", json, r#"{"text":""}"#, (400, "content-empty"), None),
        ("GET", "/api/messages/m-1/wait?until=later", json, "", (400, "bad-request"), None),
        ("GET", "/api/messages/m-1/wait?until=moved", json, "", (400, "bad-request"), None),
        ("GET", "/api/messages/m-1/wait?timeout=soon", json, "", (400, "bad-duration"), None),
        ("GET", "/api/messages/m-1/wait?untill=ended", json, "", (400, "bad-request"), None),
    ] {
        let (status, problem) = ask(&door, method, path, kind, body).await;
        assert_eq!((status, problem["code"].as_str().unwrap()), expected, "{path} {body}: {problem}");
        assert!(
            !problem["why"].as_str().unwrap().is_empty() && !problem["cure"].as_str().unwrap().is_empty()
        );
        assert_eq!(problem["line"].as_u64(), line, "{problem}");
    }
}

#[tokio::test]
async fn a_key_that_stands_twice_is_refused_in_json_as_in_yaml() {
    let mut door = open();
    be_silent(&mut door);
    let json = "application/json";
    for (path, body, key, document) in [
        ("/api/messages", r#"{"to":"boss","to":"w","content":"x"}"#, "to", None),
        ("/api/messages", r#"{"to":"boss","\u0074o":"w","content":"x"}"#, "to", None),
        ("/api/messages", r#"{"to":"mm","content":"x","metadata":{"a":{"k":1,"k":2}}}"#, "k", None),
        (
            "/api/messages",
            r#"[{"to":"mm","content":"x"},{"to":"mm","to":"mm","content":"x"}]"#,
            "to",
            Some(1),
        ),
        ("/api/messages", r#"{"to":"mm","content":"x","depends_on":[{"a":1,"a":2}]}"#, "a", None),
        ("/api/halt", r#"{"on":true,"on":false}"#, "on", None),
    ] {
        let (status, problem) = ask(&door, "POST", path, json, body).await;
        assert_eq!((status, problem["code"].as_str()), (400, Some("duplicate-key")), "{body}: {problem}");
        let why = problem["why"].as_str().unwrap();
        assert!(why.contains(&format!("`{key}`")), "{problem}");
        assert_eq!(
            (problem["line"].as_u64(), problem["document"].as_u64()),
            (Some(1), document),
            "{problem}"
        );
    }
    let yaml = "to: boss\nto: w\ncontent: x\n";
    let (_, problem) = ask(&door, "POST", "/api/messages", "application/yaml", yaml).await;
    assert_eq!(problem["code"].as_str(), Some("duplicate-key"), "the same word: {problem}");
    let siblings = r#"{"to":"mm","content":"x","metadata":{"a":{"k":1},"b":{"k":1}}}"#;
    let (status, problem) = ask(&door, "POST", "/api/messages", json, siblings).await;
    assert_eq!(status, 503, "it reached the loop, which is gone: {problem}");
}

#[tokio::test]
async fn the_cure_of_a_json_body_does_not_speak_of_yaml() {
    let door = open();
    for (path, body) in [
        ("/api/messages", "{\n  \"to\": }"),
        ("/api/messages", "[]"),
        ("/api/messages", "[1]"),
        ("/api/messages", "{}"),
        ("/api/halt", "{\"of\":true}"),
    ] {
        let (_, problem) = ask(&door, "POST", path, "application/json", body).await;
        let cure = problem["cure"].as_str().unwrap();
        assert!(
            !cure.contains("YAML") && !cure.contains("key: value") && !cure.contains("content:"),
            "{body}: {problem}"
        );
    }
}

#[tokio::test]
async fn a_body_over_a_mebibyte_is_refused_whether_it_says_so_or_not() {
    let door = open();
    let head = "POST /api/messages HTTP/1.1\r\nHost: t\r\nConnection: close\r\n";
    let announced = format!("{head}Content-Length: {}\r\n\r\n", BODY_BYTES_MAX + 1);
    let (status, problem) = raw(&door.path, announced.into_bytes()).await;
    assert_eq!((status, problem["code"].as_str()), (413, Some("too-large")));
    let mut chunked =
        format!("{head}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n", BODY_BYTES_MAX + 1).into_bytes();
    chunked.resize(chunked.len() + BODY_BYTES_MAX + 1, b'x');
    let (status, problem) = raw(&door.path, chunked).await;
    assert_eq!((status, problem["code"].as_str()), (413, Some("too-large")));
}

#[tokio::test]
async fn messages_reach_the_loop_with_their_key_and_are_answered_when_it_says_so() {
    let mut door = open();
    let mut calls = std::mem::replace(&mut door.calls, mpsc::channel(1).1);
    let answering = tokio::spawn(async move {
        let Call { request, key, answer } = calls.recv().await.unwrap();
        let Request::Send { drafts } = request else { panic!("{request:?}") };
        let contents: Vec<String> = drafts.iter().map(|draft| draft.body.content.to_string()).collect();
        let ids = drafts.iter().map(|draft| draft.id.clone()).collect();
        answer.send(Response::Reply(Reply::Accepted { ids, duplicates: Vec::new() })).unwrap();
        (contents, key)
    });
    let yaml = "id: a\nto: mm\ncontent: 襷\n---\nid: b\nto: mm\nprioritiy: high\ncontent: '🎌'\n";
    let (status, accepted) = ask(&door, "POST", "/api/messages", "application/yaml", yaml).await;
    assert_eq!(status, 202);
    let note = "b: `prioritiy` has no meaning and is kept as it is: did you mean `priority`?";
    let expected = serde_json::json!({"ids": ["a", "b"], "duplicates": [], "durable": true, "notes": [note]});
    assert_eq!(accepted, expected);
    let (contents, key) = answering.await.unwrap();
    assert_eq!(contents, ["襷", "🎌"]);
    assert_eq!(key.as_deref(), Some("kk"));
}

#[tokio::test]
async fn every_address_asks_the_loop_for_just_what_it_says() {
    let mut door = open();
    let (text, failed) = (r#"{"text":"襷"}"#, r#"{"text":"襷","failed":true}"#);
    let rows = [
        ("POST", "/api/messages/m-1/cancel", "", "Command(Cancel { id: m-1, let_finish: false })"),
        ("POST", "/api/messages/m-1/retry", "", "Command(Retry(m-1))"),
        (
            "POST",
            "/api/turns/k7qf2m/reply",
            text,
            r#"Command(Reply { token: k7qf2m, text: "襷", failed: false, extra: "", spent: None })"#,
        ),
        (
            "POST",
            "/api/turns/k7qf2m/reply",
            failed,
            r#"Command(Reply { token: k7qf2m, text: "襷", failed: true, extra: "", spent: None })"#,
        ),
        (
            "POST",
            "/api/turns/k7qf2m/reply",
            r#"{"text":"襷","usage":{"tokens":7,"cost_usd":0.25,"model":"ハイク"}}"#,
            r#"Command(Reply { token: k7qf2m, text: "襷", failed: false, extra: "{\"usage\":{\"tokens\":7,\"cost_usd\":0.25,\"model\":\"ハイク\"}}", spent: Some(SpeechCost { tokens: 7, cost_micro_usd: 250000, no_news: false }) })"#,
        ),
        (
            "POST",
            "/api/turns/k7qf2m/reply",
            r#"{"text":"x","usage":{}}"#,
            r#"Command(Reply { token: k7qf2m, text: "x", failed: false, extra: "", spent: None })"#,
        ),
        (
            "POST",
            "/api/turns/k7qf2m/reply",
            r#"{"text":"x","failed":true,"failure":{"cause":"crashed","exit":"exit 3","stderr":"失敗"}}"#,
            r#"Command(Reply { token: k7qf2m, text: "x", failed: true, extra: "{\"failure\":{\"cause\":\"crashed\",\"exit\":\"exit 3\",\"stderr\":\"失敗\"}}", spent: None })"#,
        ),
        ("POST", "/api/turns/k7qf2m/ack", "", "Command(Acknowledge { token: k7qf2m })"),
        ("POST", "/api/agents/start", "", "Command(Start(None))"),
        ("POST", "/api/agents/mm/start", "", "Command(Start(Some(mm)))"),
        ("POST", "/api/agents/mm/stop", "", "Command(Stop(mm))"),
        ("POST", "/api/agents/mm/restart", "", "Command(Restart(mm))"),
        ("POST", "/api/halt", r#"{"on":true}"#, "Halt(true)"),
        ("POST", "/api/halt", r#"{"on":false}"#, "Halt(false)"),
        ("POST", "/api/down", "", "Down { keep_agents: false }"),
        ("POST", "/api/down", r#"{"keep_agents":true}"#, "Down { keep_agents: true }"),
        ("GET", "/api/messages/m-1/wait", "", "WaitFor(m-1, Ended)"),
        ("GET", "/api/messages/m-1/wait?until=delivered", "", "WaitFor(m-1, Delivered)"),
        ("GET", "/api/messages/m-1/wait?until=moved&stage=held", "", "WaitFor(m-1, Moved(Held))"),
        ("GET", "/api/panes/mm?history=7", "", "Pane(mm, Read(7))"),
        ("GET", "/api/panes/mm/ready", "", "Pane(mm, Ready)"),
        (
            "POST",
            "/api/panes/mm/send",
            text,
            r#"Pane(mm, Send(SendWish { text: "襷", lines: false, force: false, wait_ms: 0 }))"#,
        ),
        ("POST", "/api/panes/mm/clear", "", "Pane(mm, Clear)"),
        (
            "POST",
            "/api/panes/mm/wait",
            r#"{"text":"x","timeout":"2s"}"#,
            r#"Pane(mm, Wait { text: Some("x"), shown: false, timeout_ms: 2000 })"#,
        ),
        (
            "POST",
            "/api/panes/mm/wait",
            r#"{"text":"x","shown":true}"#,
            r#"Pane(mm, Wait { text: Some("x"), shown: true, timeout_ms: 30000 })"#,
        ),
    ];
    let asking = be_asked(&mut door, rows.map(|_| Response::Unavailable("later".to_owned())).to_vec());
    for (method, path, body, _) in rows {
        let (status, problem) = ask(&door, method, path, "application/json", body).await;
        assert_eq!((status, problem["why"].as_str()), (503, Some("later")), "{path}");
    }
    assert_eq!(asking.await.unwrap(), rows.map(|(.., asked)| asked));
}

#[tokio::test]
async fn what_the_loop_refuses_is_told_with_its_status_and_its_document() {
    let mut door = open();
    let rows = [
        (Code::TooLarge, 413),
        (Code::NoRoute, 403),
        (Code::BadProof, 403),
        (Code::NotYours, 403),
        (Code::UnknownAgent, 404),
        (Code::IdConflict, 409),
        (Code::NotOpen, 409),
        (Code::WrongStage, 409),
        (Code::TooMany, 429),
        (Code::NoRoom, 429),
        (Code::DiskFull, 507),
        (Code::Unavailable, 503),
        (Code::Cycle, 400),
    ];
    let refusal = |(code, _): &(Code, u16)| {
        Response::Reply(Reply::Refused(Refusal { document: 1, ..Refusal::new(*code, "no") }))
    };
    let asking = be_asked(&mut door, rows.iter().map(refusal).collect());
    for (code, expected) in rows {
        let two = r#"[{"to":"mm","content":"x"},{"to":"mm","content":"y"}]"#;
        let (status, problem) = ask(&door, "POST", "/api/messages", "application/json", two).await;
        assert_eq!(status, expected, "{problem}");
        assert_eq!((problem["code"].as_str(), problem["document"].as_u64()), (Some(code.word()), Some(1)));
    }
    asking.await.unwrap();
    // What cannot be read is refused before the loop hears of it, in the same words.
    let second = r#"[{"to":"mm","content":"x"},{"to":"mm"}]"#;
    let (status, problem) = ask(&door, "POST", "/api/messages", "application/json", second).await;
    assert_eq!((status, problem["document"].as_u64()), (400, Some(1)), "{problem}");
}

/// One that is not open is answered alike wherever it is named: 409 where it has ended, 404 where nobody knows it.
#[tokio::test]
async fn a_message_that_nobody_knows_is_not_found_at_any_address() {
    let mut door = open();
    let refused = || Response::Reply(Reply::Refused(Refusal::new(Code::NotOpen, "no")));
    let asking = be_asked(&mut door, vec![refused(), refused(), refused(), refused()]);
    for (id, path, code) in [("m-9", "cancel", 404), ("m-9", "retry", 404), ("m-2", "cancel", 409)] {
        let path = format!("/api/messages/{id}/{path}");
        let (status, problem) = ask(&door, "POST", &path, "application/json", "").await;
        let word = if code == 404 { "no-message" } else { "not-open" };
        assert_eq!((status, problem["code"].as_str()), (code, Some(word)), "{path}: {problem}");
    }
    let (status, problem) = ask(&door, "GET", "/api/messages/m-9", "application/json", "").await;
    assert_eq!((status, problem["code"].as_str()), (404, Some("no-message")), "{problem}");
    asking.abort();
}

/// While the loop says nothing, whoever looks is answered from the journal.
#[tokio::test]
async fn whoever_looks_is_answered_from_the_journal_and_the_loop_is_not_asked() {
    let mut door = open();
    let asking = be_asked(&mut door, vec![Response::Ok]);
    let ask = |path: &'static str| ask(&door, "GET", path, "application/json", "");
    let (status, page) = ask("/api/messages").await;
    let rows = page["messages"].as_array().unwrap().iter();
    let rows: Vec<_> = rows.map(|row| (row["id"].as_str(), row["title"].as_str())).collect();
    assert_eq!(
        (status, rows),
        (200, vec![(Some("m-3"), Some("wait")), (Some("m-1"), Some("襷を渡す")), (Some("m-2"), Some("go"))])
    );
    let (_, failed) = ask("/api/messages/m-2").await;
    let told = ["stage", "reason", "content"].map(|field| failed[field].as_str());
    assert_eq!(told, [Some("failed"), Some("no"), Some("go")], "{failed}");
    let (_, agent) = ask("/api/agents/mm").await;
    let queue = agent["queue"].as_array().unwrap();
    assert_eq!((queue.len(), queue[0]["id"].as_str()), (1, Some("m-3")), "{agent}");
    let (_, status) = ask("/api/status").await;
    assert_eq!(
        [&status["open"], &status["pending"], &status["seq"]].map(|n| n.as_u64()),
        [2, 1, 7].map(Some)
    );
    for path in ["/api/messages?state=late", "/api/messages?limit=x", "/api/messages?untill=now"] {
        let (status, problem) = ask(path).await;
        assert_eq!((status, problem["code"].as_str()), (400, Some("bad-request")), "{path}: {problem}");
    }
    assert!(!asking.is_finished(), "the loop was asked");
    asking.abort();
}

#[tokio::test]
async fn duplicates_are_named_and_a_wait_that_is_over_says_that_nothing_came() {
    let mut door = open();
    let ids = |ids: &[&str]| ids.iter().map(|id| MessageId::new(id).unwrap()).collect();
    let mut calls = std::mem::replace(&mut door.calls, mpsc::channel(1).1);
    let reply = Reply::Accepted { ids: ids(&["a", "b"]), duplicates: ids(&["b"]) };
    let loops = tokio::spawn(async move {
        let mut waiting = None;
        while let Some(Call { request, answer, .. }) = calls.recv().await {
            let response = match request {
                Request::Send { .. } => Response::Reply(reply.clone()),
                // It does not get there.
                _ => {
                    waiting = Some(answer);
                    continue;
                }
            };
            answer.send(response).unwrap();
        }
        drop(waiting);
    });
    let two = r#"[{"id":"a","to":"mm","content":"x"},{"id":"b","to":"mm","content":"y"}]"#;
    let (_, accepted) = ask(&door, "POST", "/api/messages", "application/json", two).await;
    assert_eq!(accepted, serde_json::json!({"ids": ["a", "b"], "duplicates": ["b"], "durable": true}));
    let (status, waited) =
        ask(&door, "GET", "/api/messages/m-1/wait?timeout=20ms", "application/json", "").await;
    assert_eq!((status, waited["reached"].as_bool()), (200, Some(false)), "{waited}");
    assert_eq!(waited["message"]["stage"].as_str(), Some("working"));
    loops.abort();
}

#[tokio::test]
async fn the_reference_page_is_fresh() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/protocol/API.md");
    let page = reference::page();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let there = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        there == page,
        "protocol/API.md is out of date: run `UPDATE_DOCS=1 cargo test --test pure http::`"
    );
}

/// The router, the page and the document are made from one table: what one of them has, the others have.
#[tokio::test]
async fn the_document_for_programs_is_fresh_and_names_each_address_of_the_page() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/protocol/openapi.json");
    let document = reference::openapi();
    let text = format!("{}\n", serde_json::to_string_pretty(&document).unwrap());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    let there = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        there == text,
        "protocol/openapi.json is out of date: run `UPDATE_DOCS=1 cargo test --test pure http::`"
    );
    let page = reference::page();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" | `"));
    let rows = rows.filter(|(method, _)| ["GET", "POST"].contains(method));
    let of_page: BTreeSet<String> = rows
        .map(|(method, rest)| format!("{method} {}", rest.split('`').next().unwrap_or_default()))
        .collect();
    let paths = document["paths"].as_object().unwrap();
    let methods = |(path, at): (&String, &serde_json::Value)| {
        let methods: Vec<String> = at.as_object().unwrap().keys().cloned().collect();
        methods.into_iter().map(|method| format!("{} {path}", method.to_uppercase())).collect::<Vec<_>>()
    };
    let of_document: BTreeSet<String> = paths.iter().flat_map(methods).collect();
    let of_table: BTreeSet<String> =
        reference::addresses().iter().map(|address| format!("{} {}", address.method, address.path)).collect();
    assert_eq!(of_document, of_table);
    assert_eq!(of_page, of_table);
    let (status, served) = ask(&open(), "GET", "/api/openapi.json", "application/json", "").await;
    assert_eq!((status, served), (200, document.clone()));
    // Each reference leads somewhere, and each parameter in braces is described.
    let schemas = document["components"]["schemas"].as_object().unwrap();
    for name in text.split("\"#/components/schemas/").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(schemas.contains_key(name), "{name} is not described");
    }
    for (path, at) in paths {
        for operation in at.as_object().unwrap().values() {
            let parameters = operation["parameters"].as_array().unwrap().iter();
            let words: BTreeSet<_> =
                parameters.filter(|one| one["in"] == "path").map(|one| one["name"].as_str()).collect();
            assert_eq!(words.len(), path.matches('{').count(), "{path}");
            let name = operation["operationId"].as_str().unwrap();
            assert_eq!(text.matches(&format!("\"operationId\": \"{name}\"")).count(), 1, "{name}");
        }
    }
}

/// Sends a part of a request's head; the connection is open as long as what it gives.
async fn begin(path: &PathBuf) -> UnixStream {
    let mut stream = UnixStream::connect(path).await.unwrap();
    stream.write_all(b"GET /api/health HTTP/1.1\r\n").await.unwrap();
    stream
}

#[tokio::test]
async fn whoever_begins_a_request_and_says_no_more_is_sent_away() {
    let door = open();
    let mut stream = begin(&door.path).await;
    let start = tokio::time::Instant::now();
    let mut rest = Vec::new();
    let closed = tokio::time::timeout(Duration::from_secs(30), stream.read_to_end(&mut rest)).await;
    assert!(closed.is_ok(), "it still has its connection");
    assert!(start.elapsed() > Duration::from_secs(5), "a slow one has some seconds: {:?}", start.elapsed());
}

#[tokio::test]
async fn whoever_asks_and_does_not_read_is_sent_away() {
    let door = open();
    let mut stream = UnixStream::connect(&door.path).await.unwrap();
    let asking =
        async { while stream.write_all(b"GET /nowhere HTTP/1.1\r\nhost: x\r\n\r\n").await.is_ok() {} };
    let gone = tokio::time::timeout(Duration::from_secs(30), asking).await;
    assert!(gone.is_ok(), "it still has its connection");
}

#[tokio::test]
async fn beyond_256_connections_one_waits_until_another_goes() {
    let door = open();
    let mut others = Vec::new();
    for _ in 0..256 {
        others.push(begin(&door.path).await);
    }
    let ask = || raw(&door.path, b"GET /nowhere HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n".to_vec());
    let early = tokio::time::timeout(Duration::from_secs(1), ask()).await;
    assert!(early.is_err(), "one more is served: {early:?}");
    others.pop();
    let (status, _) = tokio::time::timeout(Duration::from_secs(8), ask()).await.expect("a place is free");
    assert_eq!(status, 404);
}

/// Set where this test is the crowd: where it connects.
const CROWD: &str = "TASUKI_TEST_CROWD";

#[tokio::test]
async fn a_process_with_thousands_of_half_open_connections_shuts_nobody_else_out() {
    if let Some(path) = std::env::var_os(CROWD) {
        let path = PathBuf::from(path);
        let mut open = Vec::new();
        for _ in 0..2_000 {
            // Those beyond what one process may have are closed at once.
            let Ok(mut stream) = UnixStream::connect(&path).await else { break };
            let _ = stream.write_all(b"GET /api/health HTTP/1.1\r\n").await;
            open.push(stream);
        }
        println!("crowd of {}", open.len());
        let _ = std::io::Read::read(&mut std::io::stdin(), &mut [0; 1]);
        return;
    }
    let mut door = open();
    be_silent(&mut door);
    let mut crowds = Vec::new();
    for _ in 0..3 {
        let mut crowd = tokio::process::Command::new(std::env::current_exe().unwrap());
        let name = "http::a_process_with_thousands_of_half_open_connections_shuts_nobody_else_out";
        crowd.args(["--exact", name, "--nocapture"]).env(CROWD, &door.path).kill_on_drop(true);
        let crowd = crowd.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        let mut crowd = crowd.spawn().unwrap();
        let mut lines =
            tokio::io::AsyncBufReadExt::lines(tokio::io::BufReader::new(crowd.stdout.take().unwrap()));
        let there = async {
            while lines.next_line().await.unwrap().is_some_and(|line| !line.contains("crowd of")) {}
        };
        tokio::time::timeout(DEADLINE, there).await.expect("the crowd");
        // While it is there, everybody else is answered, and who answers a turn above all.
        for (method, path, body, expected) in
            [("GET", "/api/health", "", 200), ("POST", "/api/turns/k7qf2m/reply", r#"{"text":"x"}"#, 503)]
        {
            let answered = ask(&door, method, path, "application/json", body);
            let (status, _) =
                tokio::time::timeout(Duration::from_secs(5), answered).await.expect("an answer");
            assert_eq!(status, expected);
        }
        crowds.push(crowd);
    }
}
