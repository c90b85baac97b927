//! What the lines look like: one of each kind.

use crate::wire_events::samples::{
    NOON, accepted, agent, ended, finished, hired, id, message, moved, open, plain, token, turn,
};
use expect_test::{Expect, expect};
use tasuki::engine::event::{AgentChange, Event, Why};
use tasuki::engine::life::interrupted::Interrupted;
use tasuki::engine::life::{CompletionSource, Move, Receipt, Stage, Turn, TurnKind};
use tasuki::engine::message::refusal::Code;
use tasuki::engine::message::seldom::{Seldom, Usual as _};
use tasuki::engine::message::{
    Besides, Body, BodyRef, Expect as Evidence, Kind, Message, OnDoubt, Outcome, Priority,
};
use tasuki::engine::screen::reading::Dialog;
use tasuki::engine::state::{Agent, Counts, LastEnd, Open, PartAnswer, Phase, Progress};
use tasuki::engine::team::need::{AnsweredBy, Need, NeedKind};
use tasuki::engine::team::roster::{Hired, Host, Like, Recipe};
use tasuki::engine::words::{Millis, Nonce, PaneId, ProcessKey, Seq};
use tasuki::wire::events::{decode, encode, encode_snapshot};

fn need(kind: NeedKind, until: Option<Millis>, over: bool) -> Need {
    let dialog = Dialog {
        text: "Go on?\n続けますか".into(),
        choices: vec!["1. Yes".into(), "2. No".into()],
        ..Dialog::default()
    };
    let asks = (kind == NeedKind::Input).then(|| dialog.into());
    let (open_ended, looks) = (kind == NeedKind::Repair, u8::from(over));
    Need { asks, until, open_ended, looks, over, ..Need::new(kind, "it says so".into(), Millis(NOON)) }
}

fn of_profile() -> Recipe {
    let like = Like::Profile("claude".into());
    Recipe { like, cwd: None, model: None, env: Default::default(), host: Host::Local }
}

#[test]
fn the_usual_life_of_a_message() {
    check(
        &[
            accepted(message(), plain("Analyse \"src\".\n襷をつなぐ 🏃")),
            Event::Moved {
                id: id("msg-1"),
                to: Move::Intend(turn()),
                agent: Some(agent("coder")),
                due: None,
                why: Why::Plain,
            },
            moved(Move::Submit, Why::Receipt(Receipt::Read)),
            moved(Move::Take, Why::Receipt(Receipt::Read)),
            moved(Move::Rest, Why::Text("its turn is over; 1 part is open".into())),
            moved(Move::Ask, Why::Text("it seems to ask for something".into())),
            moved(Move::Claim, Why::Source(CompletionSource::Marker)),
            moved(Move::Verify, Why::Source(CompletionSource::Marker)),
            ended(),
        ],
        &expect![[r#"
            {"event":"accepted","id":"msg-1","from":"user","to":"coder","type":"task","accepted_at":1770033600000,"digest":"00ff0123456789abcdef0123456789ab","content":"Analyse \"src\".\n襷をつなぐ 🏃"}
            {"event":"moved","id":"msg-1","to":"intent","agent":"coder","turn":{"number":1,"kind":"task","token":"k7qf2m"}}
            {"event":"moved","id":"msg-1","to":"submitted","receipt":"read"}
            {"event":"moved","id":"msg-1","to":"working","receipt":"read"}
            {"event":"moved","id":"msg-1","to":"waiting","why":"its turn is over; 1 part is open"}
            {"event":"moved","id":"msg-1","to":"asking","why":"it seems to ask for something"}
            {"event":"moved","id":"msg-1","to":"claimed","source":"marker"}
            {"event":"moved","id":"msg-1","to":"verified","source":"marker"}
            {"event":"ended","id":"msg-1","outcome":"completed","answer":{"id":"msg-2","type":"result","from":"coder","source":"marker","at":1770033690000},"content":"Done: 3 modules."}"#]],
    );
}

#[test]
fn what_goes_wrong() {
    check(
        &[
            Event::Duplicate { id: id("msg-1"), name: Some("plan.yaml".into()) },
            Event::Refused {
                name: Some("plan.yaml".into()),
                from: Some(agent("coder")),
                code: Code::NoRoute,
                why: "coder may not task boss".into(),
            },
            moved(Move::Withdraw, Why::Text("a person is typing".into())),
            moved(Move::Retry { not_before: Millis(NOON + 1_000), redelivered: true }, Why::Plain),
            moved(Move::Doubt, Why::Text("no echo within 3 s".into())),
            moved(Move::Hold, Why::Plain),
            moved(Move::Reopen, Why::Text("cargo test failed".into())),
            moved(Move::Finish(Outcome::Cancelled), Why::Plain),
            Event::Ended {
                id: id("msg-1"),
                outcome: Outcome::Cancelled,
                answer: None,
                why: Some("cancelled by user".into()),
            },
            Event::Halted { since: Some(Millis(NOON)), by: None },
            Event::Halted { since: None, by: None },
        ],
        &expect![[r#"
            {"event":"duplicate","id":"msg-1","name":"plan.yaml"}
            {"event":"refused","name":"plan.yaml","from":"coder","code":"no-route","why":"coder may not task boss"}
            {"event":"moved","id":"msg-1","to":"withdrawn","why":"a person is typing"}
            {"event":"moved","id":"msg-1","to":"retrying","not_before":1770033601000,"redelivered":true}
            {"event":"moved","id":"msg-1","to":"in_doubt","why":"no echo within 3 s"}
            {"event":"moved","id":"msg-1","to":"held"}
            {"event":"moved","id":"msg-1","to":"reopened","why":"cargo test failed"}
            {"event":"moved","id":"msg-1","to":"cancelled"}
            {"event":"ended","id":"msg-1","outcome":"cancelled","why":"cancelled by user"}
            {"event":"halted","since":1770033600000}
            {"event":"halted","since":null}"#]],
    );
}

#[test]
fn a_message_with_everything() {
    let full = Message {
        sent_at: Some(Millis(NOON - 5)),
        priority: Priority::High,
        on_doubt: OnDoubt::Hold,
        hops: 2,
        verified: true,
        inferred: true,
        besides: Seldom::new(Besides {
            in_reply_to: Some(id("msg-0")),
            parent: Some(id("msg-p")),
            depends_on: vec![id("msg-a"), id("msg-b")],
            timeout_ms: Some(90_000),
            deadline: Some(Millis(NOON + 3_600_000)),
            expect: Some(Box::new(Evidence {
                commit: true,
                files: vec!["src/日本.rs".into()],
                command: vec!["cargo".into(), "test".into()],
                report: Some("docs/report.md".into()),
            })),
            retry_of: Some(id("msg-old")),
            step: None,
            folder: None,
        }),
        ..message()
    };
    let event = Event::Accepted {
        message: Box::new(full),
        body: Body {
            content: "go".into(),
            extra:
                r#"{"metadata":{"z":1,"a":0.30000000000000004,"big":123456789012345678901},"colour":"red"}"#
                    .into(),
        },
        not_before: Millis(NOON + 60_000),
        unmet: vec![id("msg-b")],
        name: Some("boss_to_coder.yaml".into()),
        unknown_keys: vec!["colour".into()],
        text: None,
        given: Vec::new(),
    };
    check(
        &[event],
        &expect![[
            r#"{"event":"accepted","id":"msg-1","from":"user","to":"coder","type":"task","in_reply_to":"msg-0","parent":"msg-p","retry_of":"msg-old","depends_on":["msg-a","msg-b"],"priority":"high","sent_at":1770033599995,"accepted_at":1770033600000,"timeout_ms":90000,"deadline":1770037200000,"on_doubt":"hold","expect":{"commit":true,"files":["src/日本.rs"],"command":["cargo","test"],"report":"docs/report.md"},"hops":2,"verified":true,"inferred":true,"digest":"00ff0123456789abcdef0123456789ab","not_before":1770033660000,"unmet":["msg-b"],"name":"boss_to_coder.yaml","unknown_keys":["colour"],"content":"go","extra":{"metadata":{"z":1,"a":0.30000000000000004,"big":123456789012345678901},"colour":"red"}}"#
        ]],
    );
}

fn down(why: &str, restart_at: Option<Millis>, wanted: bool, asleep: bool) -> AgentChange {
    let unstarted = why.starts_with("could not");
    AgentChange::Down { why: why.into(), restart_at, wanted, asleep, unstarted }
}

fn broken_off(how: Interrupted) -> AgentChange {
    AgentChange::Interrupted { id: id("msg-1"), how }
}

#[test]
fn what_happens_to_agents() {
    let process = ProcessKey { pid: 4242, start_ticks: 987_654 };
    let changes = [
        AgentChange::Launching {
            nonce: Nonce(0x3f2a),
            launch: tasuki::engine::words::Digest(0xd1),
            by: None,
        },
        AgentChange::Up { nonce: Nonce(0x3f2a), pane: PaneId(5), process },
        AgentChange::Adopted,
        down("exit 1", Some(Millis(NOON + 1_000)), false, false),
        down("could not be started", Some(Millis(NOON + 1_000)), false, false),
        down("stopped by user", None, true, false),
        down("exit 0", None, true, true),
        AgentChange::Lost { why: "the tmux server ended".into(), spared: false },
        AgentChange::Lost { why: "the tmux server ended".into(), spared: true },
        AgentChange::Blocked { need: Some(need(NeedKind::Limit, Some(Millis(NOON + 1_000)), true)) },
        AgentChange::Blocked { need: Some(need(NeedKind::Repair, None, false)) },
        AgentChange::Blocked { need: Some(need(NeedKind::Input, None, false)) },
        AgentChange::Blocked { need: None },
        AgentChange::Answered { choice: "1. Yes".into(), by: AnsweredBy::Person },
        broken_off(Interrupted::Ended),
        broken_off(Interrupted::GoesOn { why: "no key".into() }),
        AgentChange::Hired(Box::new(hired())),
        AgentChange::Removed { by: None },
        AgentChange::Removed { by: Some(agent("boss")) },
    ];
    let events = changes.map(|change| Event::Agent { name: agent("coder"), change });
    check(
        &events,
        &expect![[r#"
            {"event":"agent","name":"coder","change":"launching","nonce":"0000000000003f2a","launch":"000000000000000000000000000000d1"}
            {"event":"agent","name":"coder","change":"up","nonce":"0000000000003f2a","pane":"%5","process":{"pid":4242,"start_ticks":987654}}
            {"event":"agent","name":"coder","change":"adopted"}
            {"event":"agent","name":"coder","change":"down","why":"exit 1","restart_at":1770033601000}
            {"event":"agent","name":"coder","change":"down","why":"could not be started","restart_at":1770033601000,"unstarted":true}
            {"event":"agent","name":"coder","change":"down","why":"stopped by user","wanted":true}
            {"event":"agent","name":"coder","change":"down","why":"exit 0","wanted":true,"asleep":true}
            {"event":"agent","name":"coder","change":"lost","why":"the tmux server ended"}
            {"event":"agent","name":"coder","change":"lost","why":"the tmux server ended","spared":true}
            {"event":"agent","name":"coder","change":"blocked","need":{"kind":"limit","why":"it says so","since":1770033600000,"until":1770033601000,"looks":1,"over":true}}
            {"event":"agent","name":"coder","change":"blocked","need":{"kind":"repair","why":"it says so","since":1770033600000,"open_ended":true}}
            {"event":"agent","name":"coder","change":"blocked","need":{"kind":"input","why":"it says so","asks":{"text":"Go on?\n続けますか","choices":["1. Yes","2. No"]},"since":1770033600000}}
            {"event":"agent","name":"coder","change":"blocked","need":null}
            {"event":"agent","name":"coder","change":"answered","choice":"1. Yes","by":"person"}
            {"event":"agent","name":"coder","change":"interrupted","id":"msg-1","how":{"turn":"ended"}}
            {"event":"agent","name":"coder","change":"interrupted","id":"msg-1","how":{"turn":"goes_on","why":"no key"}}
            {"event":"agent","name":"coder","change":"hired","by":"boss","recipe":{"like":"coder","cwd":"../b","model":"opus","env":{"KEY":"v \"1\"","NOT":null},"host":"local"},"member":{"reports_to":"boss","phrase":"BOB2 終わり","token":true,"delivery":"inline","timeout_ms":1800000,"restart":"always","one_shot":true,"provider":"claude","launch":"000000000000000000000000000000d1"}}
            {"event":"agent","name":"coder","change":"removed"}
            {"event":"agent","name":"coder","change":"removed","by":"boss"}"#]],
    );
}

#[test]
fn a_snapshot() {
    let full = Open {
        stage: Stage::Waiting(turn()),
        progress: Seldom::new(Progress {
            attempts: 1,
            agent: Some(agent("coder")),
            tokens: vec![token()],
            due: Some(Millis(NOON + 1_800_000)),
            unread: vec![id("msg-2")],
            answers: vec![PartAnswer {
                child: id("msg-2"),
                from: agent("tester"),
                outcome: Outcome::Completed,
                body: BodyRef { seq: Seq(9), index: 2 },
                refused: false,
            }],
            unmet: vec![id("msg-3")],
            turns: 1,
            reminded: true,
            launch: Some(Nonce(0x3f2a)),
            note: Some("two parts".into()),
            ..Progress::usual().clone()
        }),
        ..open()
    };
    let queued = Open { stage: Stage::Queued { not_before: Millis(NOON), redo: Some(turn()) }, ..open() };
    let up = Agent {
        launch: None,
        phase: Phase::Up { pane: PaneId(5), process: ProcessKey { pid: 4242, start_ticks: 987_654 } },
        nonce: Some(Nonce(0x3f2a)),
        current: Some(id("msg-1")),
        given: Some(id("msg-1")),
        hops: Some(2),
        blocked: Some(need(NeedKind::Input, None, false)),
        looks: 2,
        last_end: Some(LastEnd { why: "exit 1".into(), unstarted: false }),
        restarts: vec![Millis(NOON - 1_000)],
        up_since: Some(Millis(NOON)),
        counts: Counts { completed: 42, failed: 3, sent: 50, received: 55, restarts: 1 },
    };
    let events = [
        Event::KeptAgent { name: agent("coder"), agent: Box::new(up) },
        Event::KeptHired {
            name: agent("bob2"),
            hired: Box::new(Hired { recipe: of_profile(), flow: Some("flow-1".into()), ..hired() }),
        },
        Event::KeptAgent { name: agent("idler"), agent: Box::default() },
        Event::KeptAgent {
            name: agent("sick"),
            agent: Box::new(Agent { phase: Phase::Failed { why: "gone".into() }, ..Agent::default() }),
        },
        Event::KeptAgent {
            name: agent("weak"),
            agent: Box::new(Agent {
                phase: Phase::Restarting { restart_at: Millis(NOON) },
                ..Agent::default()
            }),
        },
        Event::Halted { since: Some(Millis(NOON)), by: None },
        Event::KeptOpen(Box::new(open())),
        Event::KeptOpen(Box::new(queued)),
        Event::KeptOpen(Box::new(full)),
        Event::KeptFinished(Box::new(finished())),
    ];
    check(
        &events,
        &expect![[r#"
            {"event":"kept_agent","name":"coder","phase":"up","pane":"%5","process":{"pid":4242,"start_ticks":987654},"nonce":"0000000000003f2a","current":"msg-1","given":"msg-1","hops":2,"blocked":{"kind":"input","why":"it says so","asks":{"text":"Go on?\n続けますか","choices":["1. Yes","2. No"]},"since":1770033600000},"looks":2,"last_end":{"why":"exit 1"},"restarts":[1770033599000],"up_since":1770033600000,"counts":{"completed":42,"failed":3,"sent":50,"received":55,"restarts":1}}
            {"event":"kept_hired","name":"bob2","by":"boss","recipe":{"provider":"claude","host":"local"},"member":{"reports_to":"boss","phrase":"BOB2 終わり","token":true,"delivery":"inline","timeout_ms":1800000,"restart":"always","one_shot":true,"provider":"claude","launch":"000000000000000000000000000000d1"},"flow":"flow-1"}
            {"event":"kept_agent","name":"idler","phase":"absent"}
            {"event":"kept_agent","name":"sick","phase":"failed","why":"gone"}
            {"event":"kept_agent","name":"weak","phase":"restarting","restart_at":1770033600000}
            {"event":"halted","since":1770033600000}
            {"event":"kept_open","id":"msg-1","from":"user","to":"coder","type":"task","accepted_at":1770033600000,"digest":"00ff0123456789abcdef0123456789ab","stage":"queued","body":{"seq":7},"since":1770033600000}
            {"event":"kept_open","id":"msg-1","from":"user","to":"coder","type":"task","accepted_at":1770033600000,"digest":"00ff0123456789abcdef0123456789ab","stage":"retrying","not_before":1770033600000,"turn":{"number":1,"kind":"task","token":"k7qf2m"},"body":{"seq":7},"since":1770033600000}
            {"event":"kept_open","id":"msg-1","from":"user","to":"coder","type":"task","accepted_at":1770033600000,"digest":"00ff0123456789abcdef0123456789ab","stage":"waiting","turn":{"number":1,"kind":"task","token":"k7qf2m"},"body":{"seq":7},"since":1770033600000,"attempts":1,"agent":"coder","tokens":["k7qf2m"],"due":1770035400000,"unread":["msg-2"],"answers":[{"child":"msg-2","from":"tester","outcome":"completed","body":{"seq":9,"index":2}}],"unmet":["msg-3"],"turns":1,"reminded":true,"launch":"0000000000003f2a","note":"two parts"}
            {"event":"kept_finished","id":"msg-1","from":"user","to":"coder","type":"task","accepted_at":1770033600000,"digest":"00ff0123456789abcdef0123456789ab","outcome":"completed","body":{"seq":7},"answer":{"seq":9,"index":2},"agent":"coder","attempts":1,"ended_in":9,"ended_at":1770033612000}"#]],
    );
    assert_eq!(encode_snapshot(&[]), r#"{"state":[]}"#);
}

#[test]
fn words_are_those_of_the_contract() {
    for receipt in
        [Receipt::EnterOnly, Receipt::Echoed, Receipt::Read, Receipt::Recorded, Receipt::Acknowledged]
    {
        let line = encode(&[moved(Move::Take, Why::Receipt(receipt))]);
        assert!(line.contains(&format!(r#""receipt":"{}""#, receipt.word())), "{line}");
    }
    for source in [
        CompletionSource::Reply,
        CompletionSource::Hook,
        CompletionSource::Marker,
        CompletionSource::ProcessExit,
        CompletionSource::Idle,
        CompletionSource::Person,
    ] {
        let line = encode(&[moved(Move::Claim, Why::Source(source))]);
        assert!(line.contains(&format!(r#""source":"{}""#, source.word())), "{line}");
    }
    for kind in TurnKind::ALL {
        let line = encode(&[moved(Move::Intend(Turn { kind, ..turn() }), Why::Plain)]);
        assert!(line.contains(&format!(r#""kind":"{}""#, kind.as_str())), "{line}");
    }
    for kind in [Kind::Task, Kind::Info, Kind::Result, Kind::Error] {
        let line = encode(&[accepted(Message { kind, ..message() }, plain("x"))]);
        assert!(line.contains(&format!(r#""type":"{}""#, kind.word())), "{line}");
    }
    for outcome in [Outcome::Completed, Outcome::Failed, Outcome::Cancelled] {
        let line = encode(&[Event::Ended { id: id("a"), outcome, answer: None, why: None }]);
        assert!(line.contains(&format!(r#""outcome":"{}""#, outcome.word())), "{line}");
    }
    for stage in stages() {
        let line = encode(&[Event::KeptOpen(Box::new(Open { stage, ..open() }))]);
        assert!(line.contains(&format!(r#""stage":"{}""#, stage.word())), "{line}");
    }
}

fn check(events: &[Event], expected: &Expect) {
    let lines: Vec<String> = events
        .iter()
        .map(|event| {
            let line = encode(std::slice::from_ref(event));
            assert_eq!(decode(&line).unwrap(), std::slice::from_ref(event), "{line}");
            line.trim_matches(['[', ']']).to_owned()
        })
        .collect();
    expected.assert_eq(&lines.join("\n"));
}

fn stages() -> Vec<Stage> {
    let turn = turn();
    vec![
        Stage::accepted(Millis(0)),
        Stage::Queued { not_before: Millis(0), redo: Some(turn) },
        Stage::Intent(turn),
        Stage::Submitted(turn),
        Stage::Working(turn),
        Stage::InDoubt(turn),
        Stage::Held(turn),
        Stage::Waiting(turn),
        Stage::Claimed(turn),
        Stage::Verified(turn),
        Stage::Finished(Outcome::Completed),
        Stage::Finished(Outcome::Failed),
        Stage::Finished(Outcome::Cancelled),
    ]
}
