//! Teams as they may be met.

use crate::ui::tui::input::{Link, LogLine, PaneSeen, TopInput};
use crate::ui::tui::{Look, TopState, draw};
use crate::wire::api::{HistoryInfo, RunInfo, ViewInfo};
use chrono::FixedOffset;
use ratatui_core::buffer::Buffer;
use serde_json::{Value, json};

/// 2026-11-26 14:41:22 UTC.
pub(super) const NOW: i64 = 1_795_704_082_000;

/// A time so many seconds ago.
pub(super) fn ago(seconds: i64) -> String {
    let at = chrono::DateTime::from_timestamp_millis(NOW - seconds * 1000).unwrap();
    at.to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}

pub(super) fn look(ascii: bool) -> Look {
    Look { ascii, color: true, here: FixedOffset::east_opt(0).unwrap() }
}

/// What is drawn, as a person sees it.
pub(super) fn text(state: &TopState, size: (u16, u16)) -> String {
    rows(&draw(state, size)).join("\n") + "\n"
}

pub(super) fn rows(buffer: &Buffer) -> Vec<String> {
    let area = *buffer.area();
    let row = |y: u16| {
        let mut text = String::new();
        let mut skip = 0;
        for x in 0..area.width {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let symbol = buffer.cell((x, y)).unwrap().symbol();
            skip = unicode_width::UnicodeWidthStr::width(symbol).saturating_sub(1);
            text.push_str(symbol);
        }
        text.trim_end().to_owned()
    };
    (0..area.height).map(row).collect()
}

pub(super) fn agent(name: &str, reports_to: &str, state: &str, seconds: i64) -> Value {
    json!({
        "agent_name": name, "state": state, "since": ago(seconds), "reports_to": reports_to, "current_task": null,
        "pane_id": "%1", "pid": 1, "provider": "plain", "queued": 0, "up_since": ago(9000),
        "tasks_completed": 0, "tasks_failed": 0, "restarts": 0,
    })
}

pub(super) fn with(mut value: Value, more: Value) -> Value {
    let (Some(map), Value::Object(more)) = (value.as_object_mut(), more) else { panic!("no objects") };
    map.extend(more);
    value
}

pub(super) fn message(id: &str, to: &str, stage: &str, seconds: i64, title: &str) -> Value {
    let status = match stage {
        "queued" => "pending",
        "completed" | "failed" | "cancelled" => stage,
        _ => "in_progress",
    };
    json!({
        "id": id, "from": "user", "to": to, "type": "task", "status": status, "stage": stage, "since": ago(seconds),
        "accepted_at": ago(seconds), "title": title,
    })
}

fn need(id: &str, kind: &str, group: &str, title: &str, seconds: i64, more: Value) -> Value {
    let count = more["behind"].as_array().map_or(0, Vec::len);
    let need = json!({"id": id, "kind": kind, "group": group, "title": title, "since": ago(seconds), "behind_count": count});
    with(need, more)
}

pub(super) fn asks() -> Value {
    json!({
        "id": "4f2a99c1",
        "text": "Allow command?\n  cargo add similar@2",
        "choices": ["1. Yes", "2. Yes, and do not ask again for cargo add", "3. No, and say what to do instead"],
    })
}

pub(super) fn workspace(pulse: [usize; 5]) -> Value {
    let [working, waiting, needs_you, failed, stuck] = pulse;
    json!({
        "name": "kakeibo",
        "daemon": {"pid": 2368, "version": "0.4.0", "started_at": ago(9000), "socket": "/run/x"},
        "pulse": {"working": working, "waiting": waiting, "needs_you": needs_you, "failed": failed, "stuck": stuck},
        "open": 9, "pending": 3, "held": 1, "unread": 0, "halted_since": null, "tmux_lost": false, "notes": [],
    })
}

pub(super) fn view(value: Value) -> TopInput {
    TopInput::View(Box::new(serde_json::from_value::<ViewInfo>(value).unwrap()))
}

/// An empty screen that is live.
pub(super) fn live(ascii: bool) -> TopState {
    let mut state = TopState::new(look(ascii), NOW);
    state.on(TopInput::Link(Link::Live));
    state.on(TopInput::Id("msg-000000000001".to_owned()));
    state
}

fn order(agents: &[Value]) -> Vec<&str> {
    agents.iter().map(|agent| agent["agent_name"].as_str().unwrap()).collect()
}

fn ledger_agents() -> [Value; 6] {
    [
        with(
            agent("grand_boss", "user", "waiting", 514),
            json!({"current_task": "dry-run", "parts": 1, "why": "middle_manager is to answer"}),
        ),
        with(
            agent("middle_manager", "grand_boss", "waiting", 477),
            json!({"current_task": "dry-run.plan", "parts": 3, "queued": 1, "why": "Code and research before the tests"}),
        ),
        with(
            agent("coding_writing_specialist", "middle_manager", "waiting_input", 72),
            json!({"current_task": "dry-run.plan.code", "queued": 2, "asks": asks()}),
        ),
        with(
            agent("research_analysis_specialist", "middle_manager", "working", 220),
            json!({"current_task": "dry-run.plan.research", "doing": "I compare how pg_dump and git apply do it"}),
        ),
        with(agent("testing_specialist", "middle_manager", "idle", 362), json!({"doing": "nothing"})),
        with(
            agent("reviewer", "grand_boss", "error", 1320),
            json!({"queued": 1, "why": "its login has expired; nothing is typed to it"}),
        ),
    ]
}

/// The team of the household ledger: one of it asks, one has an error, and a task is in doubt.
pub(super) fn ledger(ascii: bool) -> TopState {
    let mut state = live(ascii);
    let agents = ledger_agents();
    let needs = json!({
        "needs": [
            need("asks.coding_writing_specialist.4f2a99c1", "asks", "stops", "coding_writing_specialist asks: run cargo add similar@2?", 72,
                json!({"agent": "coding_writing_specialist", "message": "dry-run.plan.code", "asks": asks(), "behind": ["dry-run", "dry-run.plan", "dry-run.plan.test"]})),
            need("held.ledger-wal", "held", "stops", "Was ledger-wal delivered?", 1022, json!({"message": "ledger-wal", "behind": ["ledger-wal"],
                "cures": [
                    {"label": "Try it again", "command": "tasuki retry ledger-wal", "path": "/api/messages/ledger-wal/retry"},
                    {"label": "Call it off", "command": "tasuki cancel ledger-wal", "path": "/api/messages/ledger-wal/cancel", "asks_first": true},
                ]})),
            need("error.reviewer", "error", "stops", "reviewer needs a login", 1320, json!({"agent": "reviewer", "behind": ["deps"]})),
            need("failed.deps-audit", "failed", "decide", "deps-audit failed: audit::yanked", 4860, json!({"message": "deps-audit"})),
        ],
        "chains": [{
            "message": "dry-run", "title": "Add --dry-run", "agents": ["grand_boss", "middle_manager", "coding_writing_specialist"],
            "cause": {"who": "you", "text": "your answer"}, "since": ago(72),
            "need": "asks.coding_writing_specialist.4f2a99c1", "behind": 3,
        }],
    });
    state.on(view(json!({
        "whole": true, "seq": 200, "now": ago(0), "workspace": workspace([1, 2, 3, 1, 0]), "agents": agents,
        "order": order(&agents), "needs": needs,
        "messages": [
            with(message("dry-run", "grand_boss", "waiting", 555, "Add --dry-run to kakeibo import"), json!({"parts": 4, "agent": "grand_boss"})),
            message("ledger-wal", "middle_manager", "held", 1022, "Move the ledger to SQLite WAL"),
            message("sjis-docs", "grand_boss", "queued", 151, "Shift_JIS の取り込み手順を README に書く"),
            with(message("dry-run.plan.code", "coding_writing_specialist", "working", 470, "Write it"), json!({"parent": "dry-run.plan"})),
            with(message("dry-run.plan", "middle_manager", "waiting", 477, "Plan it"), json!({"parent": "dry-run"})),
            message("old-one", "reviewer", "completed", 9000, "銀行CSVの文字化けを直す"),
        ],
    })));
    state.on(TopInput::Pane(Box::new(pane())));
    state.on(TopInput::Log(log()));
    state.on(TopInput::History("dry-run".to_owned(), Ok(Box::new(story()))));
    let details = json!({
        "agent": agent("coding_writing_specialist", "middle_manager", "waiting_input", 72), "current": null,
        "queue": [message("sjis-docs.plan.write", "coding_writing_specialist", "queued", 100, "Write it")],
        "kept_back": [with(message("ledger-wal.plan.code", "coding_writing_specialist", "queued", 90, "Code it"), json!({"waits_for": "ledger-wal.plan"}))],
    });
    state.on(TopInput::Details(Box::new(serde_json::from_value(details).unwrap())));
    state
}

fn log() -> Vec<LogLine> {
    let line = |seconds: i64, text: &str, evidence: Option<&str>| LogLine {
        at: NOW - seconds * 1000 + 204,
        text: text.to_owned(),
        evidence: evidence.map(str::to_owned),
    };
    vec![
        line(474, "dry-run.plan is accepted", None),
        line(220, "research_analysis_specialist has read dry-run.plan.research", Some("transcript, line 2")),
        line(72, "coding_writing_specialist asks something", Some("screen, rule approve-command")),
    ]
}

fn pane() -> PaneSeen {
    let run = |text: &str| RunInfo {
        text: text.to_owned(),
        columns: u16::try_from(unicode_width::UnicodeWidthStr::width(text)).unwrap(),
        ..RunInfo::default()
    };
    let mut rows: Vec<Vec<RunInfo>> = [
        "╭──────────────────────────╮",
        "│ OpenAI Codex   ~/kakeibo │",
        "╰──────────────────────────╯",
        "",
        "[tasuki] task dry-run.plan.code from middle_manager (token p3c9wz):",
        "read queue/active/dry-run.plan.code.yaml and do it.",
        "• Read src/import/mod.rs, src/ledger/diff.rs",
        "• 取り込み前に差分だけを表示する --dry-run を足します。",
        "  I show the difference with `similar`; the ledger prints one already.",
        "",
        " Allow command?",
        "   cargo add similar@2",
    ]
    .map(|row| vec![run(row)])
    .into();
    let marked = RunInfo { fg: Some("6".to_owned()), style: vec!["bold".to_owned()], ..run(" ❯ 1. Yes") };
    rows.push(vec![marked, run("   ")]);
    rows.push(vec![run("   2. Yes, and do not ask again for cargo add")]);
    rows.push(vec![run("   3. No, and say what to do instead")]);
    rows.push(vec![run("          ")]);
    PaneSeen { agent: "coding_writing_specialist".to_owned(), size: Some((100, 32)), rows, fault: None }
}

fn span(how: &str, agent: &str, from: i64, to: Option<i64>) -> Value {
    json!({"how": how, "agent": agent, "from": ago(from), "to": to.map(ago)})
}

fn tree(
    id: &str,
    to: &str,
    stage: &str,
    since: i64,
    spans: &[Value],
    story: &[Value],
    parts: &[Value],
) -> Value {
    json!({
        "id": id, "title": "Add --dry-run", "parent": null, "retry_of": null, "type": "task", "from": "user", "to": to,
        "agent": to, "depends_on": [], "status": if stage == "queued" { "pending" } else { "in_progress" }, "stage": stage,
        "since": ago(since), "accepted_at": ago(555), "ended_at": null, "waited_ms": 0, "worked_ms": 0, "rested_ms": 0,
        "turns": 1, "reminders": 0, "redeliveries": 0, "waits_for": null, "story": story, "spans": spans, "parts": parts,
    })
}

fn story() -> HistoryInfo {
    let step = |at: i64, what: &str, evidence: &str, text: &str| json!({"at": ago(at), "seq": 1, "id": "dry-run", "agent": null, "what": what, "evidence": evidence, "text": text});
    let code = tree(
        "dry-run.plan.code",
        "coding_writing_specialist",
        "working",
        470,
        &[
            span("queue", "", 470, Some(440)),
            span("work", "coding_writing_specialist", 440, Some(72)),
            span("person", "coding_writing_specialist", 72, None),
        ],
        &[step(470, "accepted", "on disk", "accepted")],
        &[],
    );
    let tests = tree(
        "dry-run.plan.test",
        "testing_specialist",
        "queued",
        470,
        &[span("queue", "", 470, None)],
        &[],
        &[],
    );
    let plan = tree(
        "dry-run.plan",
        "middle_manager",
        "waiting",
        477,
        &[span("work", "middle_manager", 514, Some(477)), span("parts", "middle_manager", 477, None)],
        &[],
        &[code, tests],
    );
    let steps = [
        step(555, "accepted", "on disk in 3 ms", "accepted: task from user to grand_boss"),
        step(554, "delivered", "the line left its box", "was submitted"),
        step(553, "read", "transcript, line 214", "is being worked on"),
        step(514, "waiting", "", "waits for 1 part"),
    ];
    let root = tree(
        "dry-run",
        "grand_boss",
        "waiting",
        514,
        &[span("work", "grand_boss", 555, Some(514)), span("parts", "grand_boss", 514, None)],
        &steps,
        &[plan],
    );
    serde_json::from_value(json!({"tree": root, "unread": 0})).unwrap()
}

/// Names, titles and a screen that would do something to a terminal, if they were let.
pub(super) fn hostile() -> TopState {
    let mut state = live(false);
    let evil = "\u{1b}[2J\u{1b}]0;x\u{7}\u{202e}abc\u{9b}31m\r\n\t👩‍👩‍👧 e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301} 👍🏽 ｱｲｳ\u{200b}";
    let agents = [
        with(agent(evil, "user", "\u{1b}[31mbad", 3), json!({"doing": evil, "why": evil})),
        agent("b", evil, "working", 1),
    ];
    let mut space = workspace([1, 0, 0, 0, 1]);
    space["name"] = evil.into();
    space["notes"] = json!([evil]);
    state.on(view(json!({
        "whole": true, "seq": 1, "now": ago(0), "workspace": space, "agents": agents, "order": order(&agents),
        "messages": [message("m", "b", "working", 4, evil)],
        "needs": {"needs": [need("n", "asks", "stops", evil, 1, json!({"agent": "b", "asks": {"id": "1", "text": evil, "choices": [evil, "No"]}}))],
                  "chains": []},
    })));
    let run = RunInfo { text: evil.to_owned(), columns: 40, ..RunInfo::default() };
    state.on(TopInput::Pane(Box::new(PaneSeen {
        agent: evil.to_owned(),
        rows: vec![vec![run.clone()], vec![run]],
        ..PaneSeen::default()
    })));
    state.on(TopInput::Log(vec![LogLine {
        at: NOW,
        text: evil.to_owned(),
        evidence: Some(evil.to_owned()),
    }]));
    state
}

/// A hundred agents.
pub(super) fn hundred() -> TopState {
    let mut state = live(false);
    let states = [
        "working",
        "idle",
        "waiting",
        "waiting_input",
        "rate_limited",
        "error",
        "unknown",
        "stopped",
        "starting",
        "busy",
    ];
    let one = |at: usize| {
        let boss = if at == 0 { "user".to_owned() } else { format!("agent-{:03}", (at - 1) / 8) };
        let doing = json!({"doing": format!("step {at} of its work"), "parts": at % 4});
        with(
            agent(
                &format!("agent-{at:03}"),
                &boss,
                states[at % states.len()],
                i64::try_from(at).unwrap() * 37,
            ),
            doing,
        )
    };
    let agents: Vec<Value> = (0..100).map(one).collect();
    let messages: Vec<Value> = (0..100)
        .map(|at| message(&format!("msg-{at:03}"), "agent-001", "queued", at, "Something to do"))
        .collect();
    state.on(view(json!({
        "whole": true, "seq": 9, "now": ago(0), "workspace": workspace([20, 10, 10, 0, 10]), "agents": agents,
        "order": order(&agents), "messages": messages,
    })));
    state
}

/// A workspace whose team has nobody.
pub(super) fn empty() -> TopState {
    let mut state = live(false);
    state.on(view(
        json!({"whole": true, "seq": 0, "now": ago(0), "workspace": workspace([0; 5]), "order": []}),
    ));
    state
}

/// The ledger's team when its daemon has gone.
pub(super) fn away() -> TopState {
    let mut state = ledger(false);
    let why = "no daemon is running (tasuki up)".to_owned();
    state.on(TopInput::Link(Link::Away { why, again_at: NOW + 8000 }));
    state.on(TopInput::Tick(NOW + 4000));
    state
}

/// The ledger's team while all typing is held.
pub(super) fn held() -> TopState {
    let mut state = ledger(false);
    let mut space = workspace([0, 2, 4, 1, 0]);
    space["halted_since"] = ago(192).into();
    state.on(view(json!({"seq": 201, "now": ago(0), "workspace": space})));
    state
}
