//! Flows: opened, paused, resumed, cancelled and retried by people.

use super::{NAMES, World, pick_from};
use crate::engine::make::name;
use tasuki::engine::flow::flow::StepSpec;
use tasuki::engine::flow::head::{FlowHead, FlowKind};
use tasuki::engine::flow::id::FlowId;
use tasuki::engine::flow::name::StepName;
use tasuki::engine::flow::opening::{FoundPlan, Opening};
use tasuki::engine::flow::plan::OnFailure;
use tasuki::engine::flow::stage::FlowStage;
use tasuki::engine::flow::tree::{FlowRepository, StepTree};
use tasuki::engine::flow::unmet::Join;
use tasuki::engine::flow::wish::FlowWish;
use tasuki::engine::input::Command;
use tasuki::engine::message::{Body, Expect};

/// What is found in an answer that is to be a plan: nothing, or two steps, the first of which may be for nobody.
pub(super) fn found_plan(how: u8) -> Result<Box<FoundPlan>, String> {
    if how.is_multiple_of(3) {
        return Err("there is no plan in it".to_owned());
    }
    let step = |number, to, needs| {
        let spec = StepSpec {
            name: StepName::numbered(number),
            title: "planned".to_owned(),
            needs,
            join: Join::All,
            to,
            hire: None,
            tree: None,
            touches: Vec::new(),
            timeout_ms: None,
            expect: None,
        };
        (spec, Body { content: format!("planned {number}").into(), extra: "".into() })
    };
    let first = if how.is_multiple_of(5) { name("nobody") } else { name("ann") };
    let steps = vec![step(1, first, Vec::new()), step(2, name("bob"), vec![StepName::numbered(1)])];
    let (plan_name, on_failure) = (None, OnFailure::ALL[usize::from(how) % 3]);
    let pull_requests = how.is_multiple_of(4);
    Ok(Box::new(FoundPlan { name: plan_name, on_failure, parallel: 2, pull_requests, steps }))
}

/// In which worktree a step is done.
fn tree_of(bits: u8) -> Option<StepTree> {
    (bits % 7 == 6 || bits % 5 == 4).then_some(StepTree::New)
}

impl World {
    /// A number that no other flow has, and the id that is made of it.
    pub(super) fn new_flow(&self) -> (u64, FlowId) {
        let number = self.engine.state().seq.0;
        (number, FlowId::new(&format!("{number:08x}-0000-4000-8000-000000000000")).expect("a UUID"))
    }

    /// Opens a flow of some steps; each needs some of those before it.
    pub(super) fn open_flow(&mut self, steps: &[u8], how: u8) -> Result<(), String> {
        if how.is_multiple_of(5) {
            return self.open_debate(steps, how);
        }
        let (number, id) = self.new_flow();
        let steps = (0u64..).zip(steps).map(|(at, bits)| {
            let to = NAMES.iter().chain(&["crew", "pair"]).nth(usize::from(*bits) % 7).expect("a name");
            let needs = (0..at).filter(|before| (bits >> 3) & (1 << (before % 5)) != 0);
            let expect = bits.is_multiple_of(5);
            let spec = StepSpec {
                name: StepName::numbered(at + 1),
                title: format!("step {at}"),
                needs: needs.map(|before| StepName::numbered(before + 1)).collect(),
                join: if bits.is_multiple_of(3) { Join::Any } else { Join::All },
                to: name(to),
                // Some have an agent and a worktree of their own.
                hire: (bits % 7 == 6).then(Box::default),
                tree: tree_of(*bits),
                touches: (bits % 6 == 1).then(|| "src/**".to_owned()).into_iter().collect(),
                timeout_ms: None,
                expect: expect
                    .then(|| Box::new(Expect { files: vec!["a.md".to_owned()], ..Expect::default() })),
            };
            (spec, Body { content: format!("step {at} of {number}").into(), extra: "".into() })
        });
        let steps = steps.collect();
        let on_failure = OnFailure::ALL[usize::from(how) % 3];
        let (owner, parallel) = (name("user"), u16::from(how / 3 % 4));
        let kind = FlowKind::Session;
        // One in four is asked for in words.
        let is_asked = how % 4 == 3;
        let (master, confirm) = (is_asked.then(|| name("boss")), how % 8 == 3);
        let repository =
            Some(Box::new(FlowRepository { root: "/r".to_owned(), base: "c0ffee".to_owned(), branch: None }));
        let pull_requests = how % 3 == 1;
        let name = None;
        let head = FlowHead {
            id,
            kind,
            owner,
            master,
            name,
            on_failure,
            parallel,
            repository,
            confirm,
            pull_requests,
            created: None,
            debate: None,
            from_debate: None,
        };
        let request = Body { content: format!("{number}").into(), extra: "".into() };
        let ask = is_asked.then(|| Body { content: format!("plan {number}").into(), extra: "".into() });
        let steps = if is_asked { Vec::new() } else { steps };
        let opening = Opening { head, request, steps, done: Vec::new(), ask, again: false };
        self.ask(Command::OpenFlow(Box::new(opening)))
    }

    /// Somebody wants something of one of the flows.
    pub(super) fn wish(&mut self, flow: u8, what: u8, step: u8) -> Result<(), String> {
        let flows: Vec<FlowId> = self.engine.state().flows.keys().cloned().collect();
        let Some(id) = pick_from(&flows, flow).cloned() else { return Ok(()) };
        let wish = match what % 8 {
            0 | 1 => FlowWish::Pause,
            2..4 => FlowWish::Resume,
            4 => FlowWish::Merge(None),
            5 => FlowWish::Cancel,
            6 => {
                let text = format!("again at {}", self.engine.state().seq.0);
                let step = StepName::numbered(u64::from(step) % 5 + 1);
                FlowWish::Edit(step, Body { content: text.into(), extra: "".into() })
            }
            _ => FlowWish::Retry(StepName::numbered(u64::from(step) % 5 + 1)),
        };
        self.ask(Command::Flow { id, wish })
    }

    /// Nobody leaves a flow paused.
    pub(super) fn let_flows_go_on(&mut self) -> Result<(), String> {
        let flows = self.engine.state().flows.values();
        let paused = flows.filter(|flow| flow.stage == FlowStage::Paused);
        let paused: Vec<FlowId> = paused.map(|flow| flow.head.id.clone()).collect();
        paused.into_iter().try_for_each(|id| self.ask(Command::Flow { id, wish: FlowWish::Resume }))
    }

    /// Whether no flow goes on any more.
    pub(super) fn flows_are_over(&self) -> bool {
        self.engine.state().flows.values().all(|flow| flow.stage != FlowStage::Active)
    }
}
