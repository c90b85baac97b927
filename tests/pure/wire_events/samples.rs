//! Values that the tests begin with.

use tasuki::engine::event::{Answer, Event, Why};
use tasuki::engine::life::{CompletionSource, Move, Turn, TurnKind};
use tasuki::engine::message::seldom::Seldom;
use tasuki::engine::message::{Body, BodyRef, Kind, Message, OnDoubt, Outcome, Priority};
use tasuki::engine::state::{Finished, Open};
use tasuki::engine::team::roster::{Hired, Host, Like, Recipe};
use tasuki::engine::team::{Delivery, Member, Restart};
use tasuki::engine::words::{AgentName, Digest, MessageId, Millis, Seq, Token};

/// 2026-02-02T12:00:00Z.
pub(crate) const NOON: u64 = 1_770_033_600_000;

pub(crate) fn id(text: &str) -> MessageId {
    MessageId::new(text).unwrap()
}

pub(crate) fn agent(text: &str) -> AgentName {
    AgentName::new(text).unwrap()
}

pub(crate) fn token() -> Token {
    Token::new("k7qf2m").unwrap()
}

pub(crate) fn turn() -> Turn {
    Turn { number: 1, kind: TurnKind::Task, token: Some(token()), redelivered: false }
}

pub(crate) fn plain(text: &str) -> Body {
    Body { content: text.into(), extra: "".into() }
}

pub(crate) fn message() -> Message {
    Message {
        id: id("msg-1"),
        from: AgentName::user(),
        to: agent("coder"),
        kind: Kind::Task,
        sent_at: None,
        accepted_at: Millis(NOON),
        priority: Priority::Normal,
        on_doubt: OnDoubt::Resend,
        hops: 0,
        verified: false,
        inferred: false,
        digest: Digest(0x00ff_0123_4567_89ab_cdef_0123_4567_89ab),
        besides: Seldom::default(),
    }
}

pub(crate) fn open() -> Open {
    Open::new(message(), BodyRef { seq: Seq(7), index: 0 }, Millis(0))
}

pub(crate) fn finished() -> Finished {
    let message = Box::new(message());
    Finished {
        outcome: Outcome::Completed,
        message,
        body: BodyRef { seq: Seq(7), index: 0 },
        answer: Some(BodyRef { seq: Seq(9), index: 2 }),
        agent: Some(agent("coder")),
        attempts: 1,
        seq: Seq(9),
        at: Millis(NOON + 12_000),
    }
}

pub(crate) fn accepted(message: Message, body: Body) -> Event {
    Event::Accepted {
        message: Box::new(message),
        body,
        not_before: Millis(0),
        unmet: Vec::new(),
        name: None,
        unknown_keys: Vec::new(),
    }
}

pub(crate) fn moved(to: Move, why: Why) -> Event {
    Event::Moved { id: id("msg-1"), to, agent: None, due: None, why }
}

pub(crate) fn ended() -> Event {
    ended_as("msg-1", Outcome::Completed)
}

pub(crate) fn ended_as(name: &str, outcome: Outcome) -> Event {
    let answer = Answer {
        id: id("msg-2"),
        kind: Kind::Result,
        from: agent("coder"),
        body: plain("Done: 3 modules."),
        source: Some(CompletionSource::Marker),
        weak: false,
        truncated: false,
        evidence: Vec::new(),
        at: Millis(NOON + 90_000),
    };
    Event::Ended { id: id(name), outcome, answer: Some(Box::new(answer)), why: None }
}

/// Hired by the boss, like the coder.
pub(crate) fn hired() -> Hired {
    let member = Member {
        reports_to: agent("boss"),
        phrase: "BOB2 終わり".into(),
        token: true,
        delivery: Delivery::Inline,
        timeout_ms: 1_800_000,
        restart: Restart::Always,
        one_shot: true,
        provider: "claude".into(),
        launch: Digest(0xd1),
    };
    let env = [("KEY".to_owned(), Some("v \"1\"".to_owned())), ("NOT".to_owned(), None)].into();
    let recipe = Recipe {
        like: Like::Member(agent("coder")),
        cwd: Some("../b".into()),
        model: Some("opus".into()),
        env,
        host: Host::Local,
    };
    Hired { by: agent("boss"), recipe, member, flow: None }
}
