//! A journal with very many finished tasks, made by the engine and the journal's own writer without a daemon: one million take
//! about a minute. Each task is accepted, rung, delivered, read, claimed and ended, as a daemon writes it, and segments turn as a
//! daemon turns them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;
use tasuki::daemon::journal::snapshot;
use tasuki::daemon::mailbox::handled::Handled;
use tasuki::engine::engine::{Engine, Step};
use tasuki::engine::input::{Command, Effect, Input, Moment, Report, Verdict};
use tasuki::engine::life::{CompletionSource, Receipt};
use tasuki::engine::message::{RequestId, Source};
use tasuki::engine::team::{Delivery, Limits, Member, Restart, Team};
use tasuki::engine::words::{AgentName, Digest, MessageId, Millis, PaneId, ProcessKey, Seq, Token, USER};
use tasuki::io::journal::{Journal, StepLine};
use tasuki::wire::events;
use tasuki::wire::message::draft;

/// One task of so many fails.
pub(crate) const FAILS: usize = 1_000;
/// One task of so many has the [`WORD`] in its content.
pub(crate) const HAS_WORD: usize = 1_000;
/// A word that is looked for.
pub(crate) const WORD: &str = "家計簿";
/// Between two tasks: a million take a day and a half.
const EVERY_MS: u64 = 130;
/// Steps that are written at once.
const BATCH: usize = 2_000;

/// The id of a task; they begin with 0.
pub(crate) fn id(number: usize) -> String {
    format!("m-{number}")
}

/// The agent of a task, where there are so many.
pub(crate) fn agent(number: usize, agents: usize) -> String {
    format!("a{}", number % agents)
}

/// Writes a journal in which so many tasks of the agents `a0`, `a1`, … have ended; the last one just now.
pub(crate) fn make(folder: &Path, messages: usize, agents: usize, now: Millis) {
    let (journal, _) = Journal::open(folder, "bench", || Box::new(|_, _| {}), &mut |_| Ok(())).expect("new");
    let began = Millis(now.0 - messages as u64 * EVERY_MS);
    let mut maker = Maker {
        engine: Engine::new(team(agents)),
        journal,
        now: began,
        lines: Vec::new(),
        to_do: VecDeque::new(),
        panes: BTreeMap::new(),
    };
    let moment = maker.moment();
    let step = maker.engine.recover(moment, &[]);
    maker.take(step);
    maker.work(false);
    for number in 0..messages {
        maker.now = Millis(began.0 + number as u64 * EVERY_MS);
        maker.accept(number, agents);
        maker.work((number + 1).is_multiple_of(FAILS));
        maker.turn_when_due();
    }
    assert!(maker.engine.state().open.is_empty(), "each has ended");
    maker.write();
    maker.journal.close().expect("a disk");
}

struct Maker {
    engine: Engine,
    journal: Journal,
    now: Millis,
    lines: Vec<StepLine>,
    to_do: VecDeque<Effect>,
    panes: BTreeMap<AgentName, u32>,
}

fn team(agents: usize) -> Team {
    let member = |number: usize| {
        let member = Member {
            reports_to: AgentName::new(USER).expect("a name"),
            phrase: "OK".to_owned(),
            token: true,
            delivery: Delivery::Doorbell,
            timeout_ms: 3_600_000,
            restart: Restart::OnFailure,
            one_shot: false,
            provider: "plain".to_owned(),
            launch: Digest(0),
        };
        (AgentName::new(&agent(number, agents)).expect("a name"), member)
    };
    Team { members: (0..agents).map(member).collect(), limits: Limits::default(), ..Team::default() }
}

impl Maker {
    fn moment(&mut self) -> Moment {
        Moment { now: self.now, wall: self.now, chance: self.journal.next_seq().0 + self.lines.len() as u64 }
    }

    fn step(&mut self, input: Input) {
        let moment = self.moment();
        let step = self.engine.step(moment, input);
        self.take(step);
    }

    fn take(&mut self, step: Step) {
        assert!(step.faults.is_empty(), "{:?}", step.faults);
        if !step.events.is_empty() {
            let events = events::encode(&step.events).into();
            self.lines.push(StepLine { seq: step.seq, at: step.at, events });
        }
        self.to_do.extend(step.effects);
    }

    fn accept(&mut self, number: usize, agents: usize) {
        let (id, to) = (id(number), agent(number, agents));
        let word = if (number + 1).is_multiple_of(HAS_WORD) { WORD } else { "差分" };
        let text = format!(
            "id: {id}\nfrom: user\nto: {to}\ncontent: |\n  Read src/{number}.rs and say what it is for.\n  {word}を表示する\n"
        );
        let mint = &mut || unreachable!("each has an id");
        let drafts = draft::read(text.as_bytes(), None, &|_| false, mint, self.now, &chrono::Utc);
        let source = Source::Request(RequestId(1));
        self.step(Input::Drop { source, drafts: drafts.expect("a message"), proof: None });
    }

    /// Does what the engine asks for, as agents do that answer at once.
    fn work(&mut self, fails: bool) {
        while let Some(effect) = self.to_do.pop_front() {
            match effect {
                Effect::Launch { agent, nonce } => {
                    let number = self.panes.len() as u32;
                    self.panes.insert(agent.clone(), number);
                    let process = ProcessKey { pid: 1_000_000 + number, start_ticks: 1 };
                    let report = Report::Started { pane: PaneId(number), process };
                    self.step(Input::Report { agent, nonce, report });
                }
                Effect::ProbeReadiness { agent, nonce, .. } => {
                    let fresh = Token::mint(self.journal.next_seq().0 + self.lines.len() as u64);
                    self.step(Input::Report { agent, nonce, report: Report::Ready { fresh } });
                }
                Effect::Deliver { agent, nonce, id, turn, .. } => {
                    let verdict = Verdict::Delivered(Receipt::Read);
                    let (token, turn) = (turn.token, turn.number);
                    let report = Report::Delivery { id: id.clone(), turn, verdict };
                    self.step(Input::Report { agent: agent.clone(), nonce, report });
                    let text = format!("{id} は終わった 🎉 src/ の中を見て、差分だけを書いた。");
                    let line = "".into();
                    match token.filter(|_| fails) {
                        Some(token) => {
                            let command = Command::Reply {
                                token,
                                text: text.as_str().into(),
                                failed: true,
                                extra: "".into(),
                                spent: None,
                            };
                            self.step(Input::Command { request: RequestId(2), by: Some(agent), command });
                        }
                        None => {
                            let source = CompletionSource::Marker;
                            let text = text.into();
                            let report =
                                Report::Claimed { id, turn, token, line, source, text, truncated: false };
                            self.step(Input::Report { agent, nonce, report });
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn turn_when_due(&mut self) {
        if self.lines.len() >= BATCH {
            self.write();
        }
        if !self.journal.wants_rotation(self.now) {
            return;
        }
        self.write();
        let nobody: BTreeSet<MessageId> = BTreeSet::new();
        let handled = Handled::default();
        let shown = snapshot::encode(&self.engine, &BTreeMap::new(), &handled, &nobody);
        let finished = snapshot::fingerprints(&self.engine, &nobody);
        self.journal.rotate(self.now, shown, finished).expect("a disk");
        self.engine.segment_closed(Seq(self.journal.next_seq().0 - 1));
    }

    fn write(&mut self) {
        self.journal.append(&self.lines, false).expect("a disk");
        self.lines.clear();
    }
}
