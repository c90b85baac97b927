//! Teams and drafts for the engine's tests, written as one line each.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use tasuki::engine::message::refusal::{Code, Refusal};
use tasuki::engine::message::{Besides, Body, Draft, Expect, Kind, OnDoubt, Priority, Status};
use tasuki::engine::team::{Delivery, Limits, Member, Restart, Team};
use tasuki::engine::words::{AgentName, Digest, MessageId, Millis, Token, USER};

/// A moment far from zero, as the wall clock gives it.
pub(crate) const START: Millis = Millis(1_700_000_000_000);

/// The name of an agent.
pub(crate) fn name(text: &str) -> AgentName {
    AgentName::new(text).expect("a name")
}

/// The id of a message.
pub(crate) fn id(text: &str) -> MessageId {
    MessageId::new(text).expect("an id")
}

/// A token of a test: `k00001`, `k00002`, ….
pub(crate) fn token(number: u32) -> Token {
    Token::new(&format!("k{number:05}")).expect("a token")
}

/// A member that reports to `boss` and has tokens.
pub(crate) fn member(boss: &str) -> Member {
    Member {
        reports_to: name(boss),
        phrase: "OK".to_owned(),
        token: true,
        delivery: Delivery::Doorbell,
        timeout_ms: 60_000,
        restart: Restart::OnFailure,
        one_shot: false,
        provider: "scripted".to_owned(),
        launch: Digest(0),
    }
}

/// `boss` (alias `gb`) reports to the user; `ann` and `bob` are the pool `crew` and report to `boss`; `eve` reports to
/// `ann`.
pub(crate) fn team() -> Team {
    Team {
        members: BTreeMap::from([
            (name("boss"), member(USER)),
            (name("ann"), member("boss")),
            (name("bob"), member("boss")),
            (name("eve"), member("ann")),
        ]),
        aliases: BTreeMap::from([(name("gb"), name("boss"))]),
        pools: BTreeMap::from([(name("crew"), BTreeSet::from([name("ann"), name("bob")]))]),
        routes: BTreeMap::new(),
        may: BTreeMap::new(),
        templates: BTreeMap::from([("scripted".to_owned(), member(USER))]),
        any_program: BTreeSet::new(),
        commandless: BTreeSet::new(),
        for_flows: BTreeMap::new(),
        limits: Limits::default(),
        commands: BTreeMap::from([("test".to_owned(), vec!["cargo".to_owned(), "test".to_owned()])]),
    }
}

/// A draft from one line: `ID FROM>TO word word … [: content]`. `-` stands for no sender. The words: `task`, `info`,
/// `result`, `error` (kind), `high`, `low`, `hold`, `failed`, `expect`, and `re=ID`, `parent=ID`, `token=K`, `after=ID,ID`, `run=WORD,WORD` (`expect` with a command),
/// `timeout=MS`, `deadline=MS` (from [`START`]), `extra=…` (changes nothing but the digest).
pub(crate) fn draft(line: &str) -> Draft {
    let (head, content) = line.split_once(": ").unwrap_or((line, "work"));
    let mut words = head.split_whitespace();
    let (own, path) = (words.next().expect("an id"), words.next().expect("FROM>TO"));
    let (from, to) = path.split_once('>').expect("FROM>TO");
    let mut draft = plain(own, from, to, content);
    for word in words {
        match word.split_once('=') {
            Some((key, value)) => set(&mut draft, key, value),
            None => flag(&mut draft, word),
        }
    }
    draft.digest = digest(line);
    draft
}

fn plain(own: &str, from: &str, to: &str, content: &str) -> Draft {
    Draft {
        id: id(own),
        id_given: true,
        from: (from != "-").then(|| name(from)),
        to: name(to),
        kind: Kind::Task,
        status: Status::Pending,
        sent_at: None,
        token: None,
        priority: Priority::Normal,
        late: None,
        on_doubt: OnDoubt::Resend,
        digest: Digest(0),
        body: Body { content: content.into(), extra: "".into() },
        unknown_keys: Vec::new(),
        notes: Vec::new(),
        known: None,
        known_refs: Vec::new(),
        besides: Besides::default(),
    }
}

fn set(draft: &mut Draft, key: &str, value: &str) {
    let ms = || value.parse::<u64>().expect("milliseconds");
    match key {
        "re" => draft.in_reply_to = Some(id(value)),
        "again" => draft.retry_of = Some(id(value)),
        "parent" => draft.parent = Some(id(value)),
        "token" => draft.token = Some(Token::new(value).expect("a token")),
        "after" => draft.depends_on = value.split(',').map(id).collect(),
        "timeout" => draft.timeout_ms = Some(ms()),
        "deadline" => draft.deadline = Some(START.plus(ms())),
        "run" => {
            let command = value.split(',').map(str::to_owned).collect();
            draft.expect = Some(Box::new(Expect { command, ..Expect::default() }));
        }
        "extra" => {}
        other => panic!("no such key: {other}"),
    }
}

fn flag(draft: &mut Draft, word: &str) {
    match word {
        "task" => draft.kind = Kind::Task,
        "info" => draft.kind = Kind::Info,
        "result" => draft.kind = Kind::Result,
        "error" => draft.kind = Kind::Error,
        "high" => draft.priority = Priority::High,
        "low" => draft.priority = Priority::Low,
        "hold" => draft.on_doubt = OnDoubt::Hold,
        "failed" => draft.status = Status::Failed,
        "expect" => {
            draft.expect = Some(Box::new(Expect { files: vec!["a.md".to_owned()], ..Expect::default() }));
        }
        "late" => {
            draft.late = Some(Box::new(Refusal::new(Code::DeadlinePast, "it is too late").at("deadline")));
        }
        other => panic!("no such word: {other}"),
    }
}

/// The digest that the border would make: of everything but the token, and of when it was read.
fn digest(line: &str) -> Digest {
    let mut hasher = DefaultHasher::new();
    let words: Vec<&str> =
        line.split_whitespace().filter(|word| !word.starts_with("token=") && *word != "late").collect();
    words.hash(&mut hasher);
    Digest(u128::from(hasher.finish()))
}
