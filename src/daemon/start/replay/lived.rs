//! A short life of a workspace, written to a journal of small segments: the real engine, drops as files bring them, agents
//! that answer, end and fall silent, and rotation.

use super::extract;
use crate::daemon::journal::snapshot::{self, fingerprints};
use crate::daemon::mailbox::handled::Handled;
use crate::engine::engine::{Engine, Step};
use crate::engine::input::{Effect, Input, Moment, Report, Verdict};
use crate::engine::life::{CompletionSource, Receipt, Turn};
use crate::engine::message::Source;
use crate::engine::team::{Delivery, Member, Restart, Team};
use crate::engine::words::{AgentName, Digest, MessageId, Millis, Nonce, PaneId, ProcessKey, Seq, Token};
use crate::io::journal::{Journal, Location, StepLine};
use crate::wire::events;
use crate::wire::message::draft;
use chrono::Utc;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

/// Drops; after each few the segment is turned.
const DROPS: u64 = 8;
const DROPS_A_SEGMENT: u64 = 2;
const NAMES: [&str; 3] = ["boss", "worker", "silent"];

struct Lived {
    engine: Engine,
    journal: Journal,
    places: BTreeMap<Seq, Location>,
    handled: Handled,
    now: Millis,
    tokens: u32,
    to_do: VecDeque<Effect>,
}

/// The team of that life.
pub(super) fn team() -> Team {
    let member = |name: &str| Member {
        reports_to: AgentName::new(if name == "boss" { "user" } else { "boss" }).unwrap(),
        phrase: "OK".to_owned(),
        token: true,
        delivery: Delivery::Doorbell,
        timeout_ms: 60_000,
        restart: Restart::Always,
        one_shot: false,
        provider: "plain".to_owned(),
        launch: Digest(0),
    };
    let members = NAMES.map(|name| (AgentName::new(name).unwrap(), member(name)));
    Team { members: members.into(), ..Team::default() }
}

/// Lives, and dies without closing the journal.
pub(super) fn live(dir: &Path) {
    let (journal, _) = Journal::open(dir, "boot-1", extract, &mut |_| Ok(())).unwrap();
    let (engine, now) = (Engine::new(team()), Millis(1_784_000_000_000));
    let (places, handled, to_do) = (BTreeMap::new(), Handled::default(), VecDeque::new());
    let mut lived = Lived { engine, journal, places, handled, now, tokens: 0, to_do };
    let moment = lived.moment();
    let step = lived.engine.recover(moment, &[]);
    lived.write(step);
    for number in 0..DROPS {
        lived.drop(number);
        lived.work();
        lived.now = lived.now.plus(2_000);
        lived.step(Input::Wake);
        lived.work();
        if number % DROPS_A_SEGMENT == DROPS_A_SEGMENT - 1 && number + 1 < DROPS {
            lived.turn();
        }
    }
}

/// The id of the first message of a drop, and of the second.
pub(super) fn ids() -> Vec<String> {
    (0..DROPS).flat_map(|number| [format!("m-{number:02}-a"), format!("m-{number:02}-b")]).collect()
}

impl Lived {
    fn moment(&mut self) -> Moment {
        self.now = self.now.plus(7);
        Moment { now: self.now, wall: self.now, chance: self.now.0 }
    }

    fn step(&mut self, input: Input) {
        let moment = self.moment();
        let step = self.engine.step(moment, input);
        self.write(step);
    }

    fn write(&mut self, step: Step) {
        assert!(step.faults.is_empty(), "{step:?}");
        if !step.events.is_empty() {
            let line = StepLine { seq: step.seq, at: step.at, events: events::encode(&step.events).into() };
            self.places.insert(step.seq, self.journal.append(&[line], true).unwrap()[0]);
        }
        self.to_do.extend(step.effects);
    }

    /// A file with two documents: a task, and one that depends on it or is for somebody who is silent.
    fn drop(&mut self, number: u64) {
        let (claim, agent) = (format!("{number}-0-drop.yaml"), ["worker", "boss"][number as usize % 2]);
        let second = match number % 3 {
            0 => format!("to: boss\ndepends_on: [m-{number:02}-a]"),
            1 => "to: worker\ntype: info".to_owned(),
            _ => "to: silent".to_owned(),
        };
        // What a sender writes may look like a line of the journal.
        let forged = "{\"seq\":3,\"at\":1,\"boot\":\"b\",\"synced\":2,\"crc\":\"00000000\",\"events\":[]}";
        let text = format!(
            "id: m-{number:02}-a\nto: {agent}\ncontent: |\n  仕事 {number} 🏃\n  {forged}\n---\n\
             id: m-{number:02}-b\n{second}\ncontent: もう一つ {number}\n"
        );
        let mint = &mut || MessageId::new("m-none").unwrap();
        let drafts = draft::read(text.as_bytes(), None, &|_| false, mint, self.now, &Utc).unwrap();
        let source = Source::File { claim: claim.as_str().into(), name: "drop.yaml".into() };
        self.handled.taken.insert(claim.into());
        self.step(Input::Drop { source, drafts, proof: None });
    }

    fn work(&mut self) {
        while let Some(effect) = self.to_do.pop_front() {
            match effect {
                Effect::Launch { agent, nonce } => {
                    let number = NAMES.iter().position(|name| *name == agent.as_str()).unwrap() as u32;
                    let process = ProcessKey { pid: 100 + number, start_ticks: nonce.0 };
                    self.report(agent, nonce, Report::Started { pane: PaneId(number), process });
                }
                Effect::ProbeReadiness { agent, nonce, .. } => {
                    self.tokens += 1;
                    let fresh = Token::new(&format!("k{:05}", self.tokens)).unwrap();
                    self.report(agent, nonce, Report::Ready { fresh });
                }
                Effect::Deliver { agent, nonce, id, turn, .. } => {
                    let verdict = Verdict::Delivered(Receipt::Read);
                    let rung = Report::Delivery { id: id.clone(), turn: turn.number, verdict };
                    self.report(agent.clone(), nonce, rung);
                    self.answer(agent, nonce, id, turn);
                }
                _ => {}
            }
        }
    }

    /// One is silent, and the others end now and then before they answer.
    fn answer(&mut self, agent: AgentName, nonce: Nonce, id: MessageId, turn: Turn) {
        match self.now.0 % 7 {
            _ if agent.as_str() == "silent" => {}
            0 => self.report(agent, nonce, Report::Exited { how: "exit 1".to_owned(), clean: false }),
            _ => {
                let text = format!("{id} は終わった 🎉").into();
                let source = CompletionSource::Marker;
                let (token, turn, line) = (turn.token, turn.number, "".into());
                let claimed = Report::Claimed { id, turn, token, line, source, text, truncated: false };
                self.report(agent, nonce, claimed);
            }
        }
    }

    fn report(&mut self, agent: AgentName, nonce: Nonce, report: Report) {
        self.step(Input::Report { agent, nonce, report });
    }

    fn turn(&mut self) {
        let shown = snapshot::encode(&self.engine, &self.places, &self.handled, &BTreeSet::new());
        let finished = fingerprints(&self.engine, &BTreeSet::new());
        self.journal.rotate(self.now, &shown, finished).unwrap();
        self.engine.segment_closed(Seq(self.journal.next_seq().0 - 1));
        self.handled = Handled::default();
    }
}
