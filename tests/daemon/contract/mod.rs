//! Answers of a real daemon, held against `protocol/openapi.json`: each address, with agents and messages in each state.

mod document;

use crate::asking::{PLAY, PROFILE, until_asked};
use crate::house::{House, PLAIN_AGENT};
use crate::sessions_trees::git;
use crate::twins::socket;
use document::{Answer, Document};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// An answer comes within this.
const DEADLINE: Duration = Duration::from_secs(60);
const AGENTS: &str = r"  - {name: boss, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK, aliases: [b]}
  - {name: a, reports_to: boss, provider: mine, marker: CODING OK}
  - {name: mute, reports_to: boss, provider: plain, command: [bash, ./mute.sh], marker: MUTE OK}
  - {name: frail, reports_to: user, provider: plain, command: [bash, ./frail.sh], marker: FRAIL OK}
";

/// Reads its turns, and is answered for.
const MUTE: &str = "echo 聞く; while IFS= read -r line; do echo \"$line\" >> heard.log; done\n";
/// Dies of its first turn.
const FRAIL: &str = "IFS= read -r line; exit 3\n";

/// A message with all that one may have.
const WHOLE: &str = r#"{"id": "w-1", "to": "mute", "parent": "s-1", "from": "user", "content": "待つ 🎌\n二行目",
    "priority": "high", "depends_on": ["s-1"], "metadata": {"鍵": [1, null, {"深": true}]}, "timeout": "2h",
    "deadline": "2099-01-01T00:00:00Z", "not_before": "2026-01-01T00:00:00Z"}"#;

/// Sends a request, and gives its answer: of a stream, its first `events`.
fn ask(mut stream: impl Read + Write, head: &str, body: &str, events: usize) -> Answer {
    let length = if body.is_empty() { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
    write!(stream, "{head}\r\nConnection: close\r\n{length}\r\n{body}").expect("a request");
    let mut lines = BufReader::new(stream);
    let mut line = || {
        let mut line = String::new();
        lines.read_line(&mut line).expect("a line");
        line
    };
    let first = line();
    let status = first.split(' ').nth(1).and_then(|status| status.parse().ok()).expect(&first);
    let (mut kind, mut at) = (String::new(), line());
    while at != "\r\n" {
        if let Some(value) = at.to_lowercase().strip_prefix("content-type:") {
            value.trim().clone_into(&mut kind);
        }
        at = line();
    }
    let mut text = String::new();
    if kind.starts_with("text/event-stream") {
        while text.matches("data: ").count() < events {
            text.push_str(&line());
        }
    } else {
        lines.read_to_string(&mut text).expect("a body");
    }
    Answer { status, kind, body: text }
}

/// A workspace, and the document that its answers are held against.
struct Contract {
    house: House,
    document: Document,
}

impl Contract {
    /// Asks over the socket; the answer is as the document says, with this status.
    fn asks(&mut self, status: u16, line: &str, body: &str) -> Answer {
        self.asks_for(status, line, body, 0)
    }

    /// The same of a stream, of which so many events are looked at.
    fn asks_for(&mut self, status: u16, line: &str, body: &str, events: usize) -> Answer {
        println!("{line}");
        let stream = UnixStream::connect(socket(&self.house)).expect("a connection");
        stream.set_read_timeout(Some(DEADLINE)).expect("a deadline");
        let kind = if body.starts_with(['{', '[']) { "json" } else { "yaml" };
        let head = format!("{line} HTTP/1.1\r\nHost: x\r\nContent-Type: application/{kind}");
        let answer = ask(stream, &head, body, events);
        assert_eq!(answer.status, status, "{line} {body}: {}", answer.body);
        let (method, path) = line.split_once(' ').expect("a method");
        self.document.judge(method, path, &answer);
        answer
    }

    fn gets(&mut self, path: &str) -> Value {
        self.asks(200, &format!("GET {path}"), "").json()
    }

    fn refuses(&mut self, status: u16, line: &str, body: &str) {
        let problem = self.asks(status, line, body).json();
        assert!(problem["why"].as_str().is_some_and(|why| !why.is_empty()), "{line}: {problem}");
    }

    /// The token of a message's turn.
    fn token(&self, id: &str) -> String {
        let file = format!("queue/active/{id}.yaml");
        self.house.until(&format!("the turn of {id}"), |house| house.read(&file).contains("stage: working"));
        let view = self.house.read(&file);
        let token = view.lines().find_map(|line| line.strip_prefix("token: ")).expect("its token");
        token.trim_matches(['"', '\'', ' ']).to_owned()
    }
}

/// A team with a message in each state: completed, failed, worked on, queued, held, asking, refused, and one to the user.
fn busy() -> Contract {
    let (profile, play) =
        (PROFILE.to_owned(), format!("{PLAY}type_line; ask '消す 日本語'; claim\nsleep 600\n"));
    let files = [
        ("play.sh", play.as_str()),
        ("protocol/profiles/mine.yaml", &profile),
        ("agent.sh", PLAIN_AGENT),
        ("mute.sh", MUTE),
        ("frail.sh", FRAIL),
    ];
    let mut house = House::new("contract 契約", AGENTS, &files);
    house.start();
    let mut contract = Contract { house, document: Document::read() };
    contract.asks(
        202,
        "POST /api/messages",
        r#"[{"id": "t-1", "to": "boss", "content": "家計簿を直す 🎌\n二行目"},
        {"id": "first", "to": "a", "content": "work"}]"#,
    );
    contract.asks(202, "POST /api/messages", "id: h-1\nto: frail\ncontent: 落ちる\non_doubt: hold\n");
    contract.asks(202, "POST /api/messages", r#"{"id": "f-1", "to": "mute", "content": "できない"}"#);
    contract.house.result("t-1");
    let token = contract.token("f-1");
    contract.asks(200, &format!("POST /api/turns/{token}/ack"), "");
    let reply = json!({"text": "できませんでした", "failed": true}).to_string();
    contract.asks(200, &format!("POST /api/turns/{token}/reply"), &reply);
    contract.house.result("f-1");
    contract.asks(202, "POST /api/messages", r#"{"id": "s-1", "to": "mute", "content": "続く"}"#);
    contract.token("s-1");
    contract.asks(202, "POST /api/messages", WHOLE);
    contract.house.drop("i.yaml", "id: i-1\nfrom: boss\nto: user\ntype: info\ncontent: お知らせ 🎌\n");
    contract.house.drop("bad.yaml", "to: nobody\ncontent: だれ\n");
    contract.house.until("the letter and the refusal", |house| {
        house.path("queue/inbox/i-1.yaml").exists() && house.path("queue/rejected/bad.yaml").exists()
    });
    contract
        .house
        .until("it to be held", |house| house.read("queue/active/h-1.yaml").contains("stage: held"));
    until_asked(&contract.house, "日本語");
    contract
}

const LISTS: [&str; 14] = [
    "/api/messages?state=any",
    "/api/messages?state=open",
    "/api/messages?state=ended",
    "/api/messages?state=held",
    "/api/messages?state=failed",
    "/api/messages?agent=mute",
    "/api/messages?agent=user",
    "/api/messages?agent=b",
    "/api/messages?type=info",
    "/api/messages?text=%E5%AE%B6%E8%A8%88%E7%B0%BF",
    "/api/messages?roots=true",
    "/api/messages?since=1h&until=2099-01-01T00:00:00Z",
    "/api/messages?retry_of=t-1",
    "/api/messages?limit=2",
];

const LOGS: [&str; 4] = [
    "/api/log?limit=2",
    "/api/log?agent=b&since=1h",
    "/api/log?id=t-1&limit=1000",
    "/api/log?agent=mute&id=f-1",
];

const REFUSED: [(u16, &str); 29] = [
    (400, "GET /api/messages?state=nope"),
    (400, "GET /api/messages?limit=many"),
    (400, "GET /api/messages?since=yesterday"),
    (400, "GET /api/messages?after=nowhere"),
    (400, "GET /api/messages?nope=1"),
    (404, "GET /api/log?id=none"),
    (404, "GET /api/log?agent=nobody"),
    (400, "GET /api/log?after=nowhere"),
    (409, "POST /api/needs/held.h-1/dismiss"),
    (404, "POST /api/needs/none/dismiss"),
    (404, "GET /api/messages/none"),
    (404, "GET /api/messages/none/story"),
    (404, "GET /api/messages/none/wait"),
    (400, "GET /api/messages/t-1/wait?until=later"),
    (400, "GET /api/messages/t-1/wait?timeout=long"),
    (404, "GET /api/agents/nobody"),
    (404, "GET /api/agents/nobody/story"),
    (404, "GET /api/agents/nobody/screen"),
    (404, "GET /api/panes/nobody"),
    (400, "GET /api/panes/a?history=x"),
    (400, "GET /api/events?kind=nope"),
    (404, "POST /api/messages/none/cancel"),
    (409, "POST /api/messages/t-1/cancel"),
    (404, "POST /api/messages/none/read"),
    (403, "POST /api/turns/000000/ack"),
    (404, "POST /api/agents/nobody/stop"),
    (404, "POST /api/panes/nobody/clear"),
    (403, "GET /api/prove?nonce=0123456789abcdef0123456789abcdef"),
    (403, "GET /api/tab"),
];

fn look(contract: &mut Contract) {
    for path in ["status", "agents", "needs", "inbox", "team", "health", "openapi.json"] {
        contract.gets(&format!("/api/{path}"));
    }
    contract.asks(200, "GET /metrics", "");
    for name in ["boss", "a", "mute", "frail"] {
        contract.gets(&format!("/api/agents/{name}"));
        contract.gets(&format!("/api/agents/{name}/story"));
    }
    for name in ["boss", "a", "mute"] {
        contract.gets(&format!("/api/agents/{name}/screen"));
        contract.asks_for(200, &format!("GET /api/agents/{name}/screen?follow=true"), "", 1);
        contract.gets(&format!("/api/panes/{name}?history=50"));
        contract.gets(&format!("/api/panes/{name}/ready"));
        contract.gets(&format!("/api/panes/{name}/look"));
    }
    for path in LISTS.into_iter().chain(LOGS) {
        let page = contract.gets(path);
        if let Some(next) = page["next"].as_str() {
            contract.gets(&format!("{path}&after={next}"));
        }
    }
    for id in ["t-1", "f-1", "s-1", "w-1", "h-1", "i-1", "first"] {
        contract.gets(&format!("/api/messages/{id}"));
        contract.gets(&format!("/api/messages/{id}/story"));
        contract.gets(&format!("/api/messages/{id}/wait?timeout=1ms"));
        contract.gets(&format!("/api/messages/{id}/wait?until=moved&stage=queued&timeout=1ms"));
    }
    for (events, query) in [
        (20, "after=0"),
        (1, "after=99999999"),
        (1, "view=true"),
        (5, "after=0&kind=moved"),
        (3, "after=0&agent=mute&view=true"),
    ] {
        contract.asks_for(200, &format!("GET /api/events?{query}"), "", events);
    }
    for (status, line) in REFUSED {
        contract.refuses(status, line, "");
    }
}

/// What changes something, the end last.
fn command(contract: &mut Contract) {
    for (status, body) in [
        (400, "{"),
        (400, "[]"),
        (400, r#"{"to": "boss", "to": "boss", "content": "x"}"#),
        (404, r#"{"to": "nobody", "content": "x"}"#),
        (409, r#"{"id": "t-1", "to": "boss", "content": "別の"}"#),
        (400, "to: boss\ncontent: [\n"),
    ] {
        contract.refuses(status, "POST /api/messages", body);
    }
    let again = contract.asks(202, "POST /api/messages", r#"{"id": "s-1", "to": "mute", "content": "続く"}"#);
    assert_eq!(again.json()["duplicates"], json!(["s-1"]));
    contract.asks(200, "POST /api/halt", r#"{"on": true}"#);
    for path in ["status", "needs", "agents"] {
        contract.gets(&format!("/api/{path}"));
    }
    contract.asks(200, "POST /api/halt", r#"{"on": false}"#);
    contract.refuses(400, "POST /api/halt", r#"{"on": 1}"#);
    contract.asks(200, "POST /api/needs/failed.f-1/dismiss", "");
    contract.asks(200, "POST /api/messages/t-1/read", "");
    contract.asks(200, "POST /api/messages/h-1/retry", "");
    contract.asks(200, "POST /api/messages/w-1/cancel?let_finish=true", "");
    contract.refuses(409, "POST /api/panes/a/answer", r#"{"choose": "9"}"#);
    contract.asks(200, "POST /api/panes/a/answer", r#"{"choose": "yes"}"#);
    contract.house.result("first");
    contract.asks(200, "POST /api/panes/boss/clear", "");
    contract.asks(200, "POST /api/panes/boss/clear-line", "");
    contract.asks(200, "POST /api/panes/boss/send", r#"{"text": "おはよう", "wait": "30s"}"#);
    contract.asks(200, "POST /api/panes/mute/wait", r#"{"text": "聞く", "shown": true, "timeout": "10s"}"#);
    contract.asks(200, "POST /api/panes/mute/wait", r#"{"text": "決して", "timeout": "1ms"}"#);
    for what in ["stop", "start", "restart"] {
        contract.asks(200, &format!("POST /api/agents/boss/{what}"), "");
    }
    contract.asks(200, "POST /api/agents/start", "");
    let hire = r#"{"name": "助", "like": "boss"}"#;
    contract.refuses(400, "POST /api/agents", hire);
    contract.refuses(400, "POST /api/agents", r#"{"name": "boss2", "like": "boss", "provider": "plain"}"#);
    contract.refuses(400, "POST /api/agents", r#"{"name": "boss2", "like": "boss", "cwd": "nowhere"}"#);
    contract.refuses(404, "POST /api/agents", r#"{"name": "boss2", "like": "nobody"}"#);
    contract.refuses(409, "POST /api/agents", r#"{"name": "b", "like": "boss"}"#);
    contract.asks(
        200,
        "POST /api/agents",
        r#"{"name": "boss2", "like": "boss", "env": {"A": "印", "B": null}}"#,
    );
    assert_eq!(contract.gets("/api/agents/boss2")["agent"]["hired"]["like"], "boss");
    contract.asks(200, "POST /api/agents/boss2/dismiss", "");
    contract.refuses(409, "POST /api/agents/boss/dismiss", "");
    sessions(contract);
    debates(contract);
    let web = contract.asks(200, "POST /api/web", "{}").json();
    by_port(contract, &web);
    contract.asks(200, "POST /api/web", r#"{"off": true}"#);
    contract.asks(200, "POST /api/down", r#"{"keep_agents": false}"#);
    assert_eq!(contract.document.unasked(), Vec::<String>::new(), "nobody has asked these");
}

/// Sessions: one begins, is looked at and steered, and one comes from elsewhere.
fn sessions(contract: &mut Contract) {
    const PLAN: &str = "name: 計画\ntasks:\n- {name: 一, description: a, to: mute}\n- {name: 二, description: b, to: mute, dependencies: [task-1]}\n";
    for (status, body) in [
        (400, json!({})),
        (400, json!({"plan": PLAN, "goal": "x"})),
        (400, json!({"plan": "tasks: []"})),
        (400, json!({"plan": {"tasks": []}})),
        (400, json!({"plan": 7})),
        (400, json!({"goal": " "})),
        (404, json!({"goal": "x", "master": "nobody"})),
        (404, json!({"plan": PLAN.replace("mute", "nobody")})),
    ] {
        contract.refuses(status, "POST /api/sessions", &body.to_string());
    }
    let plan = json!({"name": "計画", "tasks": [
        {"name": "一", "description": "a", "to": "mute"},
        {"name": "二", "description": "b", "to": "mute", "dependencies": ["task-1"]},
    ]});
    let begun = contract.asks(200, "POST /api/sessions", &json!({"plan": plan}).to_string()).json();
    let at = format!("/api/sessions/{}", begun["id"].as_str().expect("an id"));
    let message = contract.gets(&at)["tasks"][0]["message"].as_str().expect("a message").to_owned();
    contract.refuses(409, &format!("POST {at}/retry"), r#"{"task": "task-1"}"#);
    let told = contract.asks(404, &format!("POST {at}/retry"), r#"{"task": "task-9"}"#).json();
    assert_eq!((&told["code"], &told["field"]), (&json!("no-task"), &json!("task")), "{told}");
    contract.asks(200, &format!("POST {at}/pause"), "");
    let told = contract.asks(409, &format!("POST {at}/pause"), "").json();
    assert!(told["cure"].as_str().is_some_and(|cure| cure.starts_with("`tasuki session show ")), "{told}");
    contract.asks(200, &format!("POST {at}/resume"), "");
    contract.asks(200, &format!("POST {at}/tasks"), r#"{"task": "{name: 三, description: c, to: mute}"}"#);
    contract.refuses(400, &format!("POST {at}/tasks"), r#"{"task": {"name": "四"}}"#);
    contract.asks(200, &format!("POST /api/messages/{message}/cancel"), "");
    contract.asks(200, &format!("POST {at}/retry"), r#"{"task": "task-1"}"#);
    contract.asks(200, &format!("POST {at}/cancel"), "");
    contract.refuses(400, &format!("POST {at}/merge"), "{}");
    merge(contract);
    let seed = json!({"document": include_str!("../../fixtures/session.json")}).to_string();
    contract.asks(200, "POST /api/sessions/import", &seed);
    contract.refuses(409, "POST /api/sessions/import", &seed);
    contract.refuses(400, "POST /api/sessions/import", r#"{"document": "{}"}"#);
    for path in ["/api/sessions", &at, &format!("{at}/document"), "/api/sessions/a1b2/document"] {
        contract.gets(path);
    }
    contract.refuses(404, "GET /api/sessions/none", "");
    contract.refuses(404, "POST /api/sessions/none/resume", "");
}

/// Debates: one is over, one is called off, and some cannot begin. The repository is that of the merge.
fn debates(contract: &mut Contract) {
    let request =
        json!({"task": "台所を直す", "roles": ["architect", "qa"], "provider": "scripted", "rounds": 2});
    for (status, key, value) in [
        (400, "task", json!("")),
        (400, "roles", json!(["architect", "architect"])),
        (400, "provider", json!("nobody")),
        (400, "初", json!(1)),
    ] {
        let mut wrong = request.clone();
        wrong[key] = value;
        contract.refuses(status, "POST /api/debates", &wrong.to_string());
    }
    let [over, off] = [(); 2].map(|()| {
        let begun = contract.asks(200, "POST /api/debates", &request.to_string()).json();
        format!("/api/debates/{}", begun["debate_id"].as_str().expect("an id"))
    });
    contract.asks(200, &format!("POST {off}/cancel"), "");
    contract.refuses(409, &format!("POST {off}/cancel"), "");
    while contract.gets(&over)["status"] != "Completed" {}
    for at in [&over, &off] {
        for path in ["", "/progress", "/rounds/1", "/rounds/2"] {
            contract.gets(&format!("{at}{path}"));
        }
    }
    contract.gets("/api/debates");
    contract.refuses(404, &format!("GET {over}/rounds/3"), "");
    contract.refuses(404, "GET /api/debates/none/progress", "");
    contract.refuses(404, "POST /api/debates/none/cancel", "");
}

/// A session whose task has a branch, in a repository.
fn merge(contract: &mut Contract) {
    const PLAN: &str = "tasks:\n- {name: 一, description: a, hire: {like: mute}}\n";
    git(&contract.house, &["init", "-q"]);
    git(&contract.house, &["add", "mute.sh"]);
    let who = ["-c", "user.name=人", "-c", "user.email=a@example.com"];
    git(&contract.house, &[&who[..], &["commit", "-q", "-m", "first"]].concat());
    let begun = contract.asks(200, "POST /api/sessions", &json!({"plan": PLAN}).to_string()).json();
    let at = format!("/api/sessions/{}", begun["id"].as_str().expect("an id"));
    let message = loop {
        if let Some(message) = contract.gets(&at)["tasks"][0]["message"].as_str() {
            break message.to_owned();
        }
    };
    contract.refuses(409, &format!("POST {at}/merge"), "{}");
    let token = contract.token(&message);
    contract.asks(200, &format!("POST /api/turns/{token}/reply"), r#"{"text": "できた"}"#);
    while contract.gets(&at)["status"] != "Completed" {}
    contract.asks(200, &format!("POST {at}/merge"), "{}");
    while contract.gets(&at)["merge"]["status"] == "merging" {}
}

/// The addresses that only the port has.
fn by_port(contract: &mut Contract, web: &Value) {
    let host = web["origin"].as_str().and_then(|origin| origin.strip_prefix("http://")).expect("an origin");
    let known = format!("\r\nAuthorization: Bearer {}", web["token"].as_str().expect("a token"));
    for (path, head) in [("/api/prove?nonce=0123456789abcdef0123456789abcdef", ""), ("/api/tab", &known)] {
        let stream = TcpStream::connect(host).expect("a connection");
        stream.set_read_timeout(Some(DEADLINE)).expect("a deadline");
        let answer = ask(stream, &format!("GET {path} HTTP/1.1\r\nHost: {host}{head}"), "", 0);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        contract.document.judge("GET", path, &answer);
    }
}

#[test]
fn each_answer_is_as_the_document_says() {
    let mut contract = busy();
    look(&mut contract);
    command(&mut contract);
    assert!(contract.house.wait().success(), "{}", contract.house.output());
}
