//! Made-up plans of flows.

use crate::engine::flow::debate::{Debate, DebateBudget, DebateRole, RoleId};
use crate::engine::flow::flow::StepSpec;
use crate::engine::flow::head::{FlowHead, FlowKind};
use crate::engine::flow::id::FlowId;
use crate::engine::flow::name::StepName;
use crate::engine::flow::opening::Opening;
use crate::engine::flow::plan::OnFailure;
use crate::engine::flow::speaking::Told;
use crate::engine::flow::spent::SpeechCost;
use crate::engine::flow::tree::{FlowRepository, StepTree};
use crate::engine::flow::unmet::Join;
use crate::engine::flow::worker::StepHire;
use crate::engine::message::{Body, Expect};
use crate::engine::team::roster::Like;
use crate::engine::words::AgentName;
use crate::io::fake::Chance;
use std::collections::{BTreeMap, BTreeSet};

/// Who does the steps: members, a pool and an alias.
const WHOM: [&str; 9] = ["boss", "ann", "ann", "bob", "bob", "eve", "crew", "crew", "gb"];
/// Who is there now and then, or never.
const SELDOM: [&str; 3] = ["hal", "hal", "nobody"];
/// What agents of steps are made from: members that are there at most times.
const MODELS: [&str; 3] = ["ann", "bob", "eve"];
/// Who speaks in debates.
const ROLES: [&str; 3] = ["qa", "sec-1", "arch_2"];
/// Most steps of a made-up plan.
const STEPS_MAX: u64 = 8;

/// The flows that somebody asked for, whether they were opened or not.
#[derive(Debug, Default)]
pub(super) struct Flows {
    /// Each with how many steps it has.
    pub(super) asked: Vec<(FlowId, u64)>,
    texts: u64,
}

impl Flows {
    /// A plan that nobody has asked for yet. Now and then it names somebody who may not be there.
    pub(super) fn make_up(&mut self, chance: &mut Chance, owner: AgentName) -> Option<Opening> {
        let number = self.asked.len() + 1;
        // Those who are hired are told from those of others by its end.
        let id = FlowId::new(&format!("{number:08x}-f10e-4000-8000-0000{number:08x}")).ok()?;
        let most = 1 + chance.below(STEPS_MAX);
        let count = 1 + chance.below(most);
        if chance.one_in(4) {
            return self.debate(chance, (id, owner));
        }
        self.asked.push((id.clone(), count));
        let on_failure = chance.pick(&OnFailure::ALL).copied().unwrap_or_default();
        let parallel = u16::try_from(chance.below(4)).unwrap_or(0);
        let name = chance.one_in(2).then(|| format!("計画 {number}"));
        let (kind, master, confirm) = (FlowKind::Session, None, false);
        let repository =
            Some(Box::new(FlowRepository { root: "/r".to_owned(), base: "c0ffee".to_owned(), branch: None }));
        let pull_requests = number.is_multiple_of(2);
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
        // A step needs only what stands before it in an order of its own, which is not that of the list.
        let mut order: Vec<u64> = (1..=count).collect();
        (1..order.len()).for_each(|at| order.swap(at, chance.below(at as u64 + 1) as usize));
        let seldom = chance.one_in(8).then(|| 1 + chance.below(count));
        let steps = (1..=count).filter_map(|step| {
            let to = if seldom == Some(step) { chance.pick(&SELDOM)? } else { chance.pick(&WHOM)? };
            let spec = step_spec(chance, (step, &order), AgentName::new(to).ok()?);
            Some((spec, self.text()))
        });
        let steps = share(steps.collect());
        Some(Opening { head, request: self.text(), steps, done: Vec::new(), ask: None, again: false })
    }

    /// Some roles debate: at times in rounds that all may speak in at once, or with a budget that is soon used up.
    fn debate(&mut self, chance: &mut Chance, (id, owner): (FlowId, AgentName)) -> Option<Opening> {
        let count = 1 + chance.below(3) as usize;
        let roles = ROLES.iter().take(count).map(|role| {
            let (id, name, provider) = (RoleId::new(role).ok()?, (*role).to_owned(), "claude".to_owned());
            Some(DebateRole { id, name, provider, model: None })
        });
        let roles = roles.collect::<Option<Vec<_>>>()?;
        let rounds = 2 + u8::try_from(chance.below(3)).unwrap_or(0);
        let budget = DebateBudget {
            tokens: chance.one_in(8).then(|| 1 + chance.below(60)),
            cost_micro_usd: chance.one_in(10).then_some(50),
            ms: chance.one_in(10).then(|| 20_000 + chance.below(60_000)),
        };
        let (keep, timeout_ms) = (chance.one_in(3), 20_000);
        let alone = RoleId::new("alone").ok().filter(|_| chance.one_in(3));
        let baseline = roles.first().zip(alone).map(|(role, id)| Box::new(DebateRole { id, ..role.clone() }));
        let debate = Debate { roles, rounds, timeout_ms, keep, budget, baseline };
        let parallel = u16::try_from(chance.below(4)).unwrap_or(0);
        let (root, base) = ("/r".to_owned(), "c0ffee".to_owned());
        let repository = Box::new(FlowRepository { root, base, branch: None });
        let speeches = u64::from(rounds) * count as u64 + u64::from(debate.baseline.is_some());
        self.asked.push((id.clone(), speeches));
        let (request, name) = (self.text(), "討論".to_owned());
        let told = |_, _: &DebateRole| Told { text: self.text(), env: BTreeMap::new() };
        Opening::of_debate(debate, (id, owner, name), (repository, parallel), request, told).ok()
    }

    /// A text that no other message or request has.
    pub(super) fn text(&mut self) -> Body {
        self.texts += 1;
        Body { content: format!("段{}。 やって 🎽", self.texts).into(), extra: "".into() }
    }
}

/// What an agent says that its answer took, if it says so.
pub(super) fn spent(chance: &mut Chance) -> Option<Box<SpeechCost>> {
    let (tokens, cost_micro_usd, no_news) = (chance.below(30), chance.below(20), !chance.one_in(5));
    (!chance.one_in(5)).then(|| Box::new(SpeechCost { tokens, cost_micro_usd, no_news }))
}

/// Steps without a worktree have that of the first one which they need, if it has one of its own.
fn share(mut steps: Vec<(StepSpec, Body)>) -> Vec<(StepSpec, Body)> {
    let owns = |(spec, _): &(StepSpec, Body)| spec.tree.is_some().then(|| spec.name.clone());
    let owners: BTreeSet<StepName> = steps.iter().filter_map(owns).collect();
    for (spec, _) in steps.iter_mut().filter(|(spec, _)| spec.tree.is_none() && spec.hire.is_none()) {
        let owner = spec.needs.iter().find(|need| owners.contains(*need));
        spec.tree = owner.cloned().map(StepTree::SharedWith);
    }
    steps
}

fn step_spec(chance: &mut Chance, (step, order): (u64, &[u64]), to: AgentName) -> StepSpec {
    let mut needs = Vec::new();
    for before in order.iter().take_while(|before| **before != step) {
        if chance.one_in(3) {
            needs.push(StepName::numbered(*before));
        }
    }
    let join = if chance.one_in(4) { Join::Any } else { Join::All };
    let expect = chance.one_in(5).then(|| Expect { files: vec!["made.md".to_owned()], ..Expect::default() });
    let hire = chance.one_in(4).then(|| chance.pick(&MODELS).and_then(|name| AgentName::new(name).ok()));
    let hire = hire
        .flatten()
        .map(|model| Box::new(StepHire { like: Some(Like::Member(model)), ..StepHire::default() }));
    // A made-up worktree is no folder in which somebody could start.
    let tree = (hire.is_none() && chance.one_in(5)).then_some(StepTree::New);
    StepSpec {
        name: StepName::numbered(step),
        title: format!("一歩 {step}"),
        needs,
        join,
        to,
        hire,
        tree,
        touches: Vec::new(),
        timeout_ms: chance.one_in(6).then_some(20_000),
        expect: expect.map(Box::new),
    }
}
