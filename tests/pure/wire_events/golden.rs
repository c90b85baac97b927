//! The bytes themselves. `tests/fixtures/journal/golden.jsonl` was written by the version whose events had their form beside the
//! engine and not in it: one event a line, every kind of them, and every member of each both there and left out. A journal
//! outlives whoever wrote it, so these lines may grow in number and never change.

use crate::wire_events::golden_checks::checks;
use crate::wire_events::golden_flows::flows;
use crate::wire_events::samples::{
    NOON, accepted, agent, ended, finished, hired, id, message, moved, open, plain, token, turn,
};
use expect_test::expect_file;
use std::sync::Arc;
use tasuki::engine::event::{AgentChange, Answer, Event, Why};
use tasuki::engine::life::interrupted::Interrupted;
use tasuki::engine::life::said::Said;
use tasuki::engine::life::{CompletionSource, Move, Receipt, Stage, Turn, TurnKind};
use tasuki::engine::message::refusal::Code;
use tasuki::engine::message::{Body, BodyRef, Expect, Kind, Message, OnDoubt, Outcome, Priority};
use tasuki::engine::screen::reading::Dialog;
use tasuki::engine::state::{Agent, Counts, Finished, LastEnd, Open, PartAnswer, Phase};
use tasuki::engine::team::need::{AnsweredBy, Need, NeedKind};
use tasuki::engine::words::{Digest, Millis, Nonce, PaneId, ProcessKey, Seq};
use tasuki::wire::events::{body_of, decode, decode_snapshot, encode, encode_snapshot};

const OUTCOMES: [Outcome; 3] = [Outcome::Completed, Outcome::Failed, Outcome::Cancelled];

#[test]
fn every_event_has_the_bytes_that_it_always_had() {
    let events = every();
    let mut lines = String::new();
    for event in &events {
        let line = encode(std::slice::from_ref(event));
        let line = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')).unwrap();
        lines += &format!("{line}\n");
    }
    expect_file!["../../fixtures/journal/golden.jsonl"].assert_eq(&lines);
}

#[test]
fn every_line_gives_the_event_back() {
    let events = every();
    let lines: Vec<&str> = include_str!("../../fixtures/journal/golden.jsonl").lines().collect();
    assert_eq!(lines.len(), events.len());
    for (line, event) in lines.iter().zip(&events) {
        assert_eq!(decode(&format!("[{line}]")).unwrap(), std::slice::from_ref(event), "{line}");
    }
    let step = format!("[{}]", lines.join(","));
    assert_eq!(encode(&events), step);
    assert_eq!(decode(&step).unwrap(), events);
    let snapshot = format!(r#"{{"state":{step}}}"#);
    assert_eq!(encode_snapshot(&events), snapshot);
    assert_eq!(decode_snapshot(&snapshot).unwrap(), events);
    let with_body = (0..).zip(&events).filter(|(_, event)| event.has_body());
    let found = with_body.filter(|(index, _)| body_of(&step, *index).is_some()).count();
    assert_eq!(found, events.iter().filter(|event| event.has_body()).count());
}

/// What a line may look like that this version would not write so: blanks, nulls, another order, what an older version left
/// out, and what a newer one put in.
#[test]
fn what_means_the_same_is_read_as_the_same() {
    for (line, event) in [
        (r#"{"event":"halted"}"#, Event::Halted { since: None, by: None }),
        (r#"{"event":"halted","since":null,"by":null}"#, Event::Halted { since: None, by: None }),
        (
            r#"{ "event" : "halted" , "since" : 1770033600000 }"#,
            Event::Halted { since: Some(Millis(NOON)), by: None },
        ),
        (
            r#"{"event":"agent","name":"coder","change":"blocked"}"#,
            change(AgentChange::Blocked { need: None }),
        ),
        (
            r#"{"event":"agent","change":"lost","why":"w","name":"coder","new":[1,{"why":2}]}"#,
            change(AgentChange::Lost { why: "w".into(), spared: false }),
        ),
        (
            r#"{"event":"moved","id":"msg-1","to":"held","agent":null,"due":null,"receipt":null,"source":null,"why":null}"#,
            moved(Move::Hold, Why::Plain),
        ),
        (
            r#"{"event":"moved","why":"w","not_before":7,"redelivered":true,"to":"submitted","id":"msg-1"}"#,
            moved(Move::Submit, Why::Text("w".into())),
        ),
        (
            r#"{"event":"moved","id":"msg-1","to":"retrying"}"#,
            moved(Move::Retry { not_before: Millis(0), redelivered: false }, Why::Plain),
        ),
        (
            r#"{"event":"ended","id":"msg-1","outcome":"failed","answer":null,"why":null}"#,
            Event::Ended { id: id("msg-1"), outcome: Outcome::Failed, answer: None, why: None },
        ),
        (
            r#"{"event":"accepted","content":"x","digest":"00ff0123456789abcdef0123456789ab","accepted_at":1770033600000,"type":"task","to":"coder","from":"user","id":"msg-1","parent":null,"priority":"normal","on_doubt":"resend","hops":0,"verified":false,"depends_on":[],"new":{"content":"y"}}"#,
            accepted(message(), plain("x")),
        ),
        (
            r#"{"event":"accepted","id":"msg-1","from":"user","to":"coder","type":"task","accepted_at":1770033600000,"digest":"00ff0123456789abcdef0123456789ab","content":"x","extra":"{\n}"}"#,
            accepted(message(), Body { content: "x".into(), extra: "{\n}".into() }),
        ),
        (
            r#"{"event":"accepted","id":"msg-1","from":"user","to":"coder","type":"task","accepted_at":1770033600000,"digest":"00ff0123456789abcdef0123456789ab","extra":{"n":1e999, "m":1.50},"content":"x"}"#,
            accepted(message(), Body { content: "x".into(), extra: r#"{"n":1e999, "m":1.50}"#.into() }),
        ),
        (
            r#"{"event":"kept_open","id":"msg-1","from":"user","to":"coder","type":"task","accepted_at":1770033600000,"digest":"00ff0123456789abcdef0123456789ab","stage":"queued","turn":{"number":1,"kind":"task"},"body":{"seq":7,"index":0},"since":1770033600000,"said":null}"#,
            Event::KeptOpen(Box::new(open())),
        ),
        (
            r#"{"event":"kept_agent","phase":"absent","pane":"%5","name":"coder","counts":{}}"#,
            kept_agent(Agent::default()),
        ),
    ] {
        assert_eq!(decode(&format!("[{line}]")).unwrap(), [event], "{line}");
    }
}

/// Every event: bare, with each of what may be left out alone, and with all of it.
fn every() -> Vec<Event> {
    let (drops, kept) =
        ([messages(), accepted_with(), bodies(), drops(), halts()], [open_ones(), kept_ones()]);
    let life = [moves(), said(), ends(), changes(), needs()];
    drops.into_iter().chain(life).chain(kept).chain([checks(), flows()]).flatten().collect()
}

/// One as it is, one with each of these changes alone, and one with all.
pub(super) fn varied<T: Clone>(bare: &T, changes: &[fn(&mut T)]) -> Vec<T> {
    let with = |some: &[fn(&mut T)]| {
        let mut one = bare.clone();
        some.iter().for_each(|change| change(&mut one));
        one
    };
    let alone = changes.iter().map(|change| with(&[*change]));
    [bare.clone()].into_iter().chain(alone).chain([with(changes)]).collect()
}

fn messages() -> Vec<Event> {
    let members: [fn(&mut Message); 17] = [
        |m| m.in_reply_to = Some(id("msg-0")),
        |m| m.parent = Some(id("msg-p")),
        |m| m.retry_of = Some(id("msg-old")),
        |m| m.depends_on = vec![id("msg-a"), id("msg-b")],
        |m| m.priority = Priority::High,
        |m| m.priority = Priority::Low,
        |m| m.sent_at = Some(Millis(NOON - 5)),
        |m| m.timeout_ms = Some(90_000),
        |m| m.deadline = Some(Millis(NOON + 3_600_000)),
        |m| m.on_doubt = OnDoubt::Hold,
        |m| m.expect = Some(Box::default()),
        |m| m.hops = 2,
        |m| m.verified = true,
        |m| m.inferred = true,
        |m| m.kind = Kind::Info,
        |m| m.kind = Kind::Result,
        |m| m.kind = Kind::Error,
    ];
    let evidence: [fn(&mut Expect); 4] = [
        |e| e.commit = true,
        |e| e.files = vec!["src/日本.rs".into(), "b".into()],
        |e| e.command = vec!["cargo".into(), "test".into()],
        |e| e.report = Some("docs/report.md".into()),
    ];
    let expecting = varied(&Expect::default(), &evidence).into_iter().map(|expect| {
        let mut message = message();
        message.expect = Some(Box::new(expect));
        message
    });
    varied(&message(), &members).into_iter().chain(expecting).map(|m| accepted(m, plain("x"))).collect()
}

fn accepted_with() -> Vec<Event> {
    let members: [fn(&mut Event); 4] = [
        |event| {
            if let Event::Accepted { not_before, .. } = event {
                *not_before = Millis(NOON + 60_000);
            }
        },
        |event| {
            if let Event::Accepted { unmet, .. } = event {
                *unmet = vec![id("msg-a"), id("msg-b")];
            }
        },
        |event| {
            if let Event::Accepted { name, .. } = event {
                *name = Some("019c-0-\"plan\".yaml".into());
            }
        },
        |event| {
            if let Event::Accepted { unknown_keys, .. } = event {
                *unknown_keys = vec!["colour".into(), "色".into()];
            }
        },
    ];
    varied(&accepted(message(), plain("x")), &members)
}

fn bodies() -> Vec<Event> {
    let body = |content: &str, extra: &str| Body { content: content.into(), extra: extra.into() };
    [
        body("", ""),
        body("Analyse \"src\" \\ /.\n\r\t\u{1}\u{7f}\u{2028}襷をつなぐ 🏃", ""),
        body("x", "{}"),
        body("x", r#"{"metadata":{"z":1,"a":0.30000000000000004,"big":123456789012345678901,"e":1e999,"f":1.50},"b":"\u0041"}"#),
        body("x", r#"{ "metadata" : {"a" : [ ] } }"#),
        body("x", "{\n}"),
        body("x", "[1]"),
        body("x", "null"),
        body("{\"event\":\"ended\"}", r#"{"event":"ended","extra":{"extra":1}}"#),
    ]
    .map(|body| accepted(message(), body))
    .into()
}

fn drops() -> Vec<Event> {
    let name: Option<Arc<str>> = Some("019c-0-plan.yaml".into());
    let refused = |name, from, code| Event::Refused { name, from, code, why: "so \"it\" is".into() };
    let mut events = vec![
        Event::Duplicate { id: id("msg-1"), name: None },
        Event::Duplicate { id: id("msg-1"), name: name.clone() },
        refused(name.clone(), None, Code::Empty),
        refused(None, Some(agent("coder")), Code::Empty),
        refused(name, Some(agent("coder")), Code::Empty),
    ];
    events.extend(Code::ALL.iter().map(|code| refused(None, None, *code)));
    events
}

fn halts() -> Vec<Event> {
    let since = [None, Some(Millis(NOON))];
    since
        .iter()
        .flat_map(|at| [None, Some(agent("boss"))].map(|by| Event::Halted { since: *at, by }))
        .collect()
}

fn turns() -> Vec<Turn> {
    let bare = Turn { number: 0, kind: TurnKind::Task, token: None, redelivered: false };
    let mut turns =
        varied(&bare, &[|t| t.number = u16::MAX, |t| t.token = Some(token()), |t| t.redelivered = true]);
    turns.extend(TurnKind::ALL.map(|kind| Turn { kind, ..turn() }));
    turns
}

fn moves() -> Vec<Event> {
    let mut moves: Vec<Move> = turns().into_iter().map(Move::Intend).collect();
    for not_before in [Millis(0), Millis(NOON)] {
        moves.extend([false, true].map(|redelivered| Move::Retry { not_before, redelivered }));
        moves.push(Move::Return { not_before });
    }
    moves.extend([Move::Withdraw, Move::Submit, Move::Take, Move::Doubt, Move::Hold, Move::Rest, Move::Ask]);
    moves.extend([Move::Claim, Move::Verify, Move::Reopen]);
    moves.extend(OUTCOMES.map(Move::Finish));
    let receipts =
        [Receipt::EnterOnly, Receipt::Echoed, Receipt::Read, Receipt::Recorded, Receipt::Acknowledged];
    let why = Why::Text("its turn is over; 1 part is open".into());
    let whys = receipts.map(Why::Receipt).into_iter().chain(sources().map(Why::Source)).chain([why.clone()]);
    let mut events: Vec<Event> = moves.into_iter().map(|to| moved(to, Why::Plain)).collect();
    events.extend(whys.map(|why| moved(Move::Take, why)));
    let whole = |to, agent, due, why| Event::Moved { id: id("msg-1"), to, agent, due, why };
    let (coder, due) = (Some(agent("coder")), Some(Millis(NOON)));
    events.push(whole(Move::Intend(turn()), coder.clone(), due, why.clone()));
    events.push(whole(Move::Retry { not_before: Millis(NOON), redelivered: true }, coder.clone(), due, why));
    events.push(whole(Move::Submit, coder.clone(), None, Why::Plain));
    events.push(whole(Move::Submit, None, Some(Millis(0)), Why::Plain));
    events.push(whole(Move::Submit, coder, due, Why::Receipt(Receipt::Read)));
    events
}

fn sources() -> [CompletionSource; 6] {
    use CompletionSource::{Hook, Idle, Marker, Person, ProcessExit, Reply};
    [Reply, Hook, Marker, ProcessExit, Idle, Person]
}

fn said() -> Vec<Event> {
    let said = |turn, text: &str, truncated, notice| {
        let text = text.into();
        Event::Said { id: id("msg-1"), turn, text, truncated, notice }
    };
    vec![
        said(0, "", false, false),
        said(2, "It is \"done\",\nI think.", true, false),
        said(2, "x", false, true),
        said(u16::MAX, "x", true, true),
    ]
}

fn ends() -> Vec<Event> {
    let Event::Ended { answer: Some(answer), .. } = ended() else { panic!("it has an answer") };
    let bare = Answer { source: None, ..*answer };
    let members: [fn(&mut Answer); 5] = [
        |a| a.source = Some(CompletionSource::Reply),
        |a| a.weak = true,
        |a| a.truncated = true,
        |a| a.body.extra = r#"{"metadata":{"n":1.50}}"#.into(),
        |a| a.kind = Kind::Error,
    ];
    let mut answers = varied(&bare, &members);
    answers.extend(sources().map(|source| Answer { source: Some(source), ..bare.clone() }));
    let end = |outcome, answer: Option<Answer>, why| Event::Ended {
        id: id("msg-1"),
        outcome,
        answer: answer.map(Box::new),
        why,
    };
    let mut events: Vec<Event> =
        answers.into_iter().map(|answer| end(Outcome::Completed, Some(answer), None)).collect();
    events.extend(OUTCOMES.map(|outcome| end(outcome, None, None)));
    events.push(end(Outcome::Cancelled, None, Some("cancelled by \"user\"".into())));
    events.push(end(Outcome::Failed, Some(bare), Some("no answer".into())));
    events
}

fn change(change: AgentChange) -> Event {
    Event::Agent { name: agent("coder"), change }
}

fn process() -> ProcessKey {
    ProcessKey { pid: 4242, start_ticks: 987_654 }
}

fn changes() -> Vec<Event> {
    let launching = |by| AgentChange::Launching { nonce: Nonce(0x3f2a), launch: Digest(0xd1), by };
    let down = |restart_at, [wanted, asleep, unstarted]: [bool; 3]| AgentChange::Down {
        why: "exit \"1\"".into(),
        restart_at,
        wanted,
        asleep,
        unstarted,
    };
    let lost = |spared| AgentChange::Lost { why: "the tmux server ended".into(), spared };
    let answered = |by| AgentChange::Answered { choice: "1. Yes 襷".into(), by };
    let broken_off = |how| AgentChange::Interrupted { id: id("msg-1"), how };
    [
        launching(None),
        launching(Some(agent("boss"))),
        AgentChange::Up { nonce: Nonce(u64::MAX), pane: PaneId(5), process: process() },
        AgentChange::Adopted,
        down(None, [false, false, false]),
        down(Some(Millis(NOON)), [false, false, false]),
        down(None, [true, false, false]),
        down(None, [false, true, false]),
        down(None, [false, false, true]),
        down(Some(Millis(NOON)), [true, true, true]),
        lost(false),
        lost(true),
        AgentChange::Blocked { need: None },
        answered(AnsweredBy::Person),
        answered(AnsweredBy::Profile),
        broken_off(Interrupted::Ended),
        broken_off(Interrupted::WasOver),
        broken_off(Interrupted::NotGiven),
        broken_off(Interrupted::GoesOn { why: "no \"key\"".into() }),
        AgentChange::Removed { by: None },
        AgentChange::Removed { by: Some(agent("boss")) },
        AgentChange::Hired(Box::new(hired())),
    ]
    .map(change)
    .into()
}

fn need() -> Need {
    Need::new(NeedKind::Input, "it \"says\" so".into(), Millis(NOON))
}

fn all_needs() -> Vec<Need> {
    let dialog = || Dialog { text: "Go on?\n続けますか".into(), ..Dialog::default() };
    let asking = |dialog: Dialog| Need { asks: Some(Arc::new(dialog)), ..need() };
    let members: [fn(&mut Need); 7] = [
        |n| n.kind = NeedKind::Limit,
        |n| n.kind = NeedKind::Repair,
        |n| n.until = Some(Millis(NOON + 1_000)),
        |n| n.open_ended = true,
        |n| n.hidden = true,
        |n| n.looks = 3,
        |n| n.over = true,
    ];
    let of_looks: [fn(&mut Need); 3] = [
        |n| n.passed = Some(Millis(NOON + 2_000)),
        |n| n.first = Some(Millis(NOON - 1_000)),
        |n| n.again = true,
    ];
    let asked: [fn(&mut Dialog); 2] =
        [|d| d.choices = vec!["1. Yes".into(), "2. \"No\"".into()], |d| d.asked_at = Some(Millis(NOON - 7))];
    let mut needs = varied(&need(), &members);
    needs.extend(varied(&dialog(), &asked).into_iter().map(asking));
    needs.extend(varied(&need(), &of_looks).into_iter().skip(1));
    needs
}

fn needs() -> Vec<Event> {
    all_needs().into_iter().map(|need| change(AgentChange::Blocked { need: Some(need) })).collect()
}

fn open_ones() -> Vec<Event> {
    let turn = turn();
    let with_turn = [
        Stage::Intent,
        Stage::Submitted,
        Stage::Working,
        Stage::InDoubt,
        Stage::Held,
        Stage::Waiting,
        Stage::Claimed,
        Stage::Verified as fn(Turn) -> Stage,
    ];
    let mut stages: Vec<Stage> = with_turn.map(|stage| stage(turn)).into();
    stages.extend(OUTCOMES.map(Stage::Finished));
    for not_before in [Millis(0), Millis(NOON)] {
        stages.extend([None, Some(turn)].map(|redo| Stage::Queued { not_before, redo }));
    }
    let members: [fn(&mut Open); 14] = [
        |o| o.body.index = 3,
        |o| o.attempts = 1,
        |o| o.agent = Some(agent("coder")),
        |o| o.tokens = vec![token()],
        |o| o.due = Some(Millis(NOON + 1_800_000)),
        |o| o.unread = vec![id("msg-2")],
        |o| o.answers = vec![told(false), told(true)],
        |o| o.unmet = vec![id("msg-3")],
        |o| o.turns = 1,
        |o| o.reminded = true,
        |o| o.launch = Some(Nonce(0x3f2a)),
        |o| o.typed_at = Some(Millis(NOON + 1)),
        |o| o.note = Some("two \"parts\"".into()),
        |o| o.said = Some(Box::new(nothing_said())),
    ];
    let words: [fn(&mut Said); 7] = [
        |s| s.before = "before".into(),
        |s| s.turn = 2,
        |s| s.text = "te\"xt".into(),
        |s| s.truncated = true,
        |s| s.early = "early".into(),
        |s| s.notice = "notice".into(),
        |s| s.notice_cut = true,
    ];
    let mut all: Vec<Open> = stages.into_iter().map(|stage| Open { stage, ..open() }).collect();
    all.extend(varied(&open(), &members));
    all.extend(varied(&nothing_said(), &words).into_iter().map(|said| {
        let mut open = open();
        open.said = Some(Box::new(said));
        open
    }));
    all.into_iter().map(|open| Event::KeptOpen(Box::new(open))).collect()
}

fn told(refused: bool) -> PartAnswer {
    let body = BodyRef { seq: Seq(9), index: 2 };
    PartAnswer { child: id("msg-2"), from: agent("tester"), outcome: Outcome::Completed, body, refused }
}

fn nothing_said() -> Said {
    let nothing = || Arc::from("");
    Said {
        before: nothing(),
        turn: 0,
        text: nothing(),
        truncated: false,
        early: nothing(),
        notice: nothing(),
        notice_cut: false,
    }
}

fn kept_agent(kept: Agent) -> Event {
    Event::KeptAgent { name: agent("coder"), agent: Box::new(kept) }
}

fn kept_ones() -> Vec<Event> {
    let phases = [
        Phase::Absent,
        Phase::Launching,
        Phase::Up { pane: PaneId(5), process: process() },
        Phase::Restarting { restart_at: Millis(NOON) },
        Phase::Stopped,
        Phase::Asleep,
        Phase::Failed { why: "go\"ne".into() },
    ];
    let members: [fn(&mut Agent); 15] = [
        |a| a.nonce = Some(Nonce(0x3f2a)),
        |a| a.launch = Some(Digest(0xd1)),
        |a| a.current = Some(id("msg-1")),
        |a| a.given = Some(id("msg-1")),
        |a| a.hops = Some(0),
        |a| a.blocked = Some(need()),
        |a| a.looks = 2,
        |a| a.last_end = Some(LastEnd { why: "exit \"1\"".into(), unstarted: false }),
        |a| a.last_end = Some(LastEnd { why: "no program".into(), unstarted: true }),
        |a| a.restarts = vec![Millis(NOON - 1_000), Millis(NOON)],
        |a| a.up_since = Some(Millis(NOON)),
        |a| a.counts = Counts { completed: 42, ..a.counts },
        |a| a.counts = Counts { failed: 3, sent: 50, ..a.counts },
        |a| a.counts = Counts { received: 55, ..a.counts },
        |a| a.counts = Counts { restarts: u64::MAX, ..a.counts },
    ];
    let bare = Finished { answer: None, agent: None, attempts: 0, ..finished() };
    let ended: [fn(&mut Finished); 4] = [
        |f| f.answer = Some(BodyRef { seq: Seq(9), index: 0 }),
        |f| f.agent = Some(agent("coder")),
        |f| f.attempts = 255,
        |f| f.message.hops = 1,
    ];
    let agents = phases.map(|phase| Agent { phase, ..Agent::default() }).into_iter();
    let agents = agents.chain(varied(&Agent::default(), &members));
    let finished = varied(&bare, &ended).into_iter().chain(OUTCOMES.map(finished_as));
    agents.map(kept_agent).chain(finished.map(|f| Event::KeptFinished(Box::new(f)))).collect()
}

fn finished_as(outcome: Outcome) -> Finished {
    let mut one = finished();
    one.outcome = outcome;
    one
}
