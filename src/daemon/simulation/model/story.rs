//! What happens to some messages if those who work on them take turns in one order: each change to the disk, and what was told to
//! anybody in between.

use super::super::callers::Wish;
use super::super::life::Worked;
use super::super::state::Run;
use crate::engine::flow::flow::StepSpec;
use crate::engine::flow::head::{FlowHead, FlowKind};
use crate::engine::flow::id::FlowId;
use crate::engine::flow::name::StepName;
use crate::engine::flow::opening::Opening;
use crate::engine::flow::plan::OnFailure;
use crate::engine::flow::unmet::Join;
use crate::engine::input::Command;
use crate::engine::message::Body;
use crate::engine::words::{AgentName, MessageId};
use crate::io::fake::{Change, Keeps, Machine};
use std::collections::BTreeSet;
use std::fmt;

const TEAM: &str = "\
session: model
tmux_socket: model
settings: {retention: 3650d}
agents:
  - {name: ann, provider: plain, command: [cat], marker: ANN OK}
  - {name: bob, provider: plain, command: [cat], marker: BOB OK}
";

/// Nobody takes more turns one after another while others can do something: each would wait for its own doings for ever.
const IN_A_ROW_MAX: u32 = 4;
/// Nothing takes so many turns.
const TURNS_MAX: u32 = 3_000;

/// The messages: how each is written. The second has no id, the third comes over the socket.
pub(super) const MESSAGES: [&str; 3] = [
    "id: m-0\nto: ann\nexpect: {files: [made.md]}\ncontent: \"一つ目 0 🎽\"\n",
    "to: bob\ncontent: \"二つ目 1 🎽\"\n",
    "id: m-2\nto: ann\ncontent: \"三つ目 2 🎽\"\n",
];

/// What of a message's content is its own.
pub(super) const CONTENTS: [&str; 3] = ["一つ目 0 🎽", "二つ目 1 🎽", "三つ目 2 🎽"];

/// Who may do something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Actor {
    /// The next message is given.
    People,
    Loop,
    Journal,
    Mailbox,
    Views,
    Panes,
}

/// Who goes first, of those who can; and at which batch the segment is turned.
#[derive(Debug, Clone)]
pub(super) struct WorkOrder {
    actors: Vec<Actor>,
    turn_at: u32,
}

/// A change, or something that somebody was told.
#[derive(Debug, Clone)]
pub(super) enum Op {
    /// With the time of the machine in ms.
    Change(u64, Change),
    Told(Promise),
}

/// What must be true from now on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Promise {
    /// This message lies in `queue/`, flushed by its writer.
    Dropped(usize),
    /// Its sender was told that it is accepted.
    Accepted(MessageId),
    /// This turn of it was typed.
    Typed(MessageId, u16),
    /// Its result could be read.
    Ended(MessageId),
    /// Somebody was told that this flow has begun.
    Begun(FlowId),
}

/// What is given: so many of the messages, and then perhaps a flow.
#[derive(Debug, Clone, Copy)]
pub(super) struct Inputs {
    pub(super) messages: usize,
    pub(super) flow: bool,
}

/// All that happened.
#[derive(Debug)]
pub(super) struct Story {
    pub(super) inputs: Inputs,
    pub(super) keeps: Keeps,
    pub(super) ops: Vec<Op>,
    order: WorkOrder,
}

impl WorkOrder {
    /// All orders for so many messages.
    pub(super) fn all(messages: usize) -> Vec<Self> {
        let actors = [Actor::People, Actor::Loop, Actor::Journal, Actor::Mailbox, Actor::Views, Actor::Panes];
        let orders = permutations(&actors);
        // The segment is turned at another batch in each: early, in the middle of it, late, and not at all.
        let turn_at = |at: usize| (at as u32 * 7 + messages as u32) % 12;
        orders.into_iter().enumerate().map(|(at, actors)| Self { actors, turn_at: turn_at(at) }).collect()
    }
}

fn permutations(of: &[Actor]) -> Vec<Vec<Actor>> {
    if of.is_empty() {
        return vec![Vec::new()];
    }
    let with_first = |at: usize| {
        let mut rest = of.to_vec();
        let first = rest.remove(at);
        permutations(&rest).into_iter().map(move |rest| [vec![first], rest].concat())
    };
    (0..of.len()).flat_map(with_first).collect()
}

impl Inputs {
    fn count(self) -> usize {
        self.messages + usize::from(self.flow)
    }
}

/// Two steps, of which the second needs the first.
fn opening() -> Opening {
    let name = |text| AgentName::new(text).expect("a name");
    let body = |text: &str| Body { content: text.into(), extra: "".into() };
    let step = |number, to, needs: &[u64]| StepSpec {
        name: StepName::numbered(number),
        title: format!("一歩 {number}"),
        needs: needs.iter().copied().map(StepName::numbered).collect(),
        join: Join::All,
        to: name(to),
        hire: None,
        tree: None,
        touches: Vec::new(),
        timeout_ms: None,
        expect: None,
    };
    let steps = vec![(step(1, "ann", &[]), body("段1 🎽")), (step(2, "bob", &[1]), body("段2 🎽"))];
    let head = FlowHead {
        id: FlowId::new("f10e0000-0000-4000-8000-000000000000").expect("a UUID"),
        kind: FlowKind::Session,
        owner: AgentName::user(),
        name: None,
        on_failure: OnFailure::Stop,
        parallel: 1,
        master: None,
        repository: None,
        confirm: false,
        pull_requests: false,
        created: None,
        debate: None,
        from_debate: None,
    };
    Opening { head, request: body("計画 🎽"), steps, done: Vec::new(), ask: None, again: false }
}

impl Story {
    /// Lets it happen.
    pub(super) fn of(inputs: Inputs, keeps: Keeps, order: WorkOrder) -> Self {
        let mut telling = Telling {
            run: Run::of(7, false, (TEAM, &[]), keeps),
            given: 0,
            inputs,
            batches: 0,
            ops: Vec::new(),
            told: BTreeSet::new(),
        };
        (telling.run.calm, telling.run.obliging) = (true, true);
        Machine::with(|machine| machine.log = Some(Vec::new()));
        telling.tell_all(&order);
        let ops = std::mem::take(&mut telling.ops);
        drop(telling.run.finish());
        Self { inputs, keeps, ops, order }
    }
}

impl fmt::Display for Story {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:?}, {:?}", self.keeps, self.order)?;
        self.ops.iter().try_for_each(|op| match op {
            Op::Change(at, change) => writeln!(f, "{at} {change}"),
            Op::Told(promise) => writeln!(f, "    {promise:?}"),
        })
    }
}

/// A story on its way.
struct Telling {
    run: Run,
    given: usize,
    inputs: Inputs,
    batches: u32,
    ops: Vec<Op>,
    told: BTreeSet<Promise>,
}

impl Telling {
    fn tell_all(&mut self, order: &WorkOrder) {
        let (mut last, mut in_a_row) = (None, 0);
        for _ in 0..TURNS_MAX {
            self.run.pass(1);
            let tired = last.filter(|_| in_a_row >= IN_A_ROW_MAX);
            let rested = order.actors.iter().filter(|actor| Some(**actor) != tired);
            let acted = rested.chain(&tired).copied().find(|actor| {
                let acted = self.act(*actor, order.turn_at);
                self.note();
                acted
            });
            in_a_row = if acted == last { in_a_row + 1 } else { 1 };
            last = acted;
            if acted.is_some() {
                continue;
            }
            if self.given == self.inputs.count() && self.run.is_done() {
                return;
            }
            let wait = self.run.life().map_or(10, |life| life.due_in_ms().clamp(1, 60_000));
            self.run.pass(wait);
        }
        panic!("it comes to no end: {}", self.run.what_is_open());
    }

    fn act(&mut self, actor: Actor, turn_at: u32) -> bool {
        match actor {
            Actor::People => self.give(),
            Actor::Loop => self.run.turn_loop(),
            Actor::Journal => {
                let turns = self.batches + 1 == turn_at;
                let Some(life) = self.run.life() else { return false };
                let worked = life.write(turns) != Worked::Nothing;
                self.batches += u32::from(worked);
                worked
            }
            Actor::Mailbox => self.run.life().is_some_and(|life| life.look() != Worked::Nothing),
            Actor::Views => self.run.life().is_some_and(|life| life.show() != Worked::Nothing),
            Actor::Panes => self.panes_work(),
        }
    }

    /// Gives the next message, one way or the other.
    fn give(&mut self) -> bool {
        if self.given == self.inputs.count() || self.run.life().is_none() {
            return false;
        }
        let number = self.given;
        self.given += 1;
        if number == self.inputs.messages {
            self.run.command(Command::OpenFlow(Box::new(opening())));
            return true;
        }
        let text = MESSAGES[number];
        if number == 2 {
            let contents = vec![CONTENTS[number].to_owned()];
            let letter = self.run.callers.write(text, contents, None).expect("a message");
            self.run.call(Wish::Send(letter));
        } else {
            let root = self.run.root.clone();
            self.run.people.put_so(&root, true, (text.to_owned(), vec![CONTENTS[number].to_owned()]), false);
            self.note();
            self.ops.push(Op::Told(Promise::Dropped(number)));
        }
        true
    }

    fn panes_work(&mut self) -> bool {
        let run = &mut self.run;
        let luck = run.luck();
        if run.panes.make(&mut run.chance, luck) || run.jobs_work().expect("a job") {
            return true;
        }
        (0..run.panes.all.len()).any(|at| run.panes.work(at, &mut run.chance, luck) || run.agent_acts(at))
    }

    /// Writes down what was changed and told since.
    fn note(&mut self) {
        let log = Machine::with(|machine| std::mem::take(machine.log.as_mut().expect("it is kept")));
        self.ops.extend(log.into_iter().map(|(at, change)| Op::Change(at, change)));
        let run = &self.run;
        let results = run.root.join("queue/results");
        let has_result = |id: &&MessageId| results.join(format!("{id}.yaml")).exists();
        let typed = run.panes.submitted.keys().map(|(id, turn)| Promise::Typed(id.clone(), *turn));
        let ids: BTreeSet<&MessageId> = run.panes.submitted.keys().map(|(id, _)| id).collect();
        let ended = ids.into_iter().filter(has_result).cloned().map(Promise::Ended);
        let accepted = run.callers.told.accepted.iter().cloned().map(Promise::Accepted);
        let begun = run.callers.flows.opened.iter().cloned().map(Promise::Begun);
        for promise in typed.chain(ended).chain(accepted).chain(begun).collect::<Vec<_>>() {
            if self.told.insert(promise.clone()) {
                self.ops.push(Op::Told(promise));
            }
        }
    }
}
