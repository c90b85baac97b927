//! Events of flows as they stand in a journal ([`super::golden`]).

use crate::wire_events::golden::varied;
use crate::wire_events::samples::{NOON, accepted, agent, id, message, open, plain};
use tasuki::engine::event::Event;
use tasuki::engine::flow::asked::Planning;
use tasuki::engine::flow::branch::BranchName;
use tasuki::engine::flow::cause::FailureCause;
use tasuki::engine::flow::debate::{Debate, DebateBudget, DebateRole, RoleId};
use tasuki::engine::flow::flow::{Flow, FlowStep, StepSpec};
use tasuki::engine::flow::head::{FlowHead, FlowKind};
use tasuki::engine::flow::id::{FlowId, StepRef};
use tasuki::engine::flow::in_tree::{InTree, StepPull, StepWork, WorkSum};
use tasuki::engine::flow::merge::MergeMove;
use tasuki::engine::flow::name::StepName;
use tasuki::engine::flow::plan::OnFailure;
use tasuki::engine::flow::spent::SpeechCost;
use tasuki::engine::flow::stage::{FlowMove, FlowStage};
use tasuki::engine::flow::step::{StepMove, StepStage};
use tasuki::engine::flow::tree::{FlowRepository, StepTree, Tree, TreeMove, TreeStage};
use tasuki::engine::flow::unmet::Join;
use tasuki::engine::flow::worker::StepHire;
use tasuki::engine::flow::worker::StepWorker;
use tasuki::engine::life::CompletionSource;
use tasuki::engine::message::{Body, BodyRef, Expect, Outcome};
use tasuki::engine::state::PartAnswer;
use tasuki::engine::team::roster::Like;
use tasuki::engine::words::{AgentName, Millis, PaneId, Seq};

fn flow_id() -> FlowId {
    FlowId::new("a1b2c3d4-e5f6-7890-abcd-ef1234567890").unwrap()
}

fn step(name: &str) -> StepName {
    StepName::new(name).unwrap()
}

fn place(index: u32) -> BodyRef {
    BodyRef { seq: Seq(7), index }
}

fn head() -> FlowHead {
    FlowHead {
        id: flow_id(),
        kind: FlowKind::Session,
        owner: AgentName::user(),
        master: None,
        name: None,
        on_failure: OnFailure::Stop,
        parallel: 0,
        repository: None,
        confirm: false,
        pull_requests: false,
        created: None,
        debate: None,
        from_debate: None,
    }
}

fn debate() -> Option<Box<Debate>> {
    let role = |id: &str, model: Option<&str>| DebateRole {
        id: RoleId::new(id).unwrap(),
        name: "設計者".to_owned(),
        provider: "claude".to_owned(),
        model: model.map(str::to_owned),
    };
    let roles = vec![role("architect", None), role("qa", Some("opus"))];
    Some(Box::new(Debate {
        roles,
        rounds: 3,
        timeout_ms: 300_000,
        keep: true,
        budget: DebateBudget::default(),
        baseline: None,
    }))
}

fn heads() -> Vec<FlowHead> {
    let members: [fn(&mut FlowHead); 12] = [
        |h| (h.kind, h.debate) = (FlowKind::Debate, debate()),
        |h| h.master = Some(agent("boss")),
        |h| {
            h.repository =
                Some(Box::new(FlowRepository { root: "/r 家".into(), base: "c0ffee".into(), branch: None }))
        },
        |h| h.confirm = true,
        |h| h.pull_requests = true,
        |h| {
            h.repository = Some(Box::new(FlowRepository {
                root: "/r".into(),
                base: "c0ffee".into(),
                branch: Some("家".into()),
            }))
        },
        |h| h.owner = agent("boss"),
        |h| h.name = Some("計画 \"認証\"".into()),
        |h| h.on_failure = OnFailure::Skip,
        |h| h.on_failure = OnFailure::Continue,
        |h| h.parallel = 3,
        |h| h.from_debate = Some(flow_id()),
    ];
    varied(&head(), &members)
}

fn specs() -> Vec<StepSpec> {
    let bare = StepSpec {
        name: step("task-001"),
        title: "一歩 1".into(),
        needs: Vec::new(),
        join: Join::All,
        to: agent("coder"),
        hire: None,
        tree: None,
        touches: Vec::new(),
        timeout_ms: None,
        expect: None,
    };
    let members: [fn(&mut StepSpec); 10] = [
        |s| s.touches = vec!["src/**".into(), "家.md".into()],
        |s| s.hire = Some(Box::default()),
        |s| s.hire = hire(Like::Member(agent("ann")), None),
        |s| s.hire = hire(Like::Profile("claude".into()), Some("opus")),
        |s| s.tree = Some(StepTree::New),
        |s| s.tree = Some(StepTree::SharedWith(step("task-2"))),
        |s| s.needs = vec![step("task-2"), step("task-03")],
        |s| s.join = Join::Any,
        |s| s.timeout_ms = Some(90_000),
        |s| s.expect = Some(Box::new(Expect { files: vec!["a".into()], ..Expect::default() })),
    ];
    varied(&bare, &members)
}

fn hire(like: Like, model: Option<&str>) -> Option<Box<StepHire>> {
    let env = model.map(|model| ("MODEL".to_owned(), model.to_owned())).into_iter().collect();
    Some(Box::new(StepHire { like: Some(like), model: model.map(str::to_owned), env }))
}

fn worker() -> Box<StepWorker> {
    let (agent, provider) = (agent("coder"), "claude".to_owned());
    let (pane, pid) = (Some(PaneId(5)), Some(12_345));
    Box::new(StepWorker { agent, provider, pane, pid, source: Some(CompletionSource::Marker) })
}

fn answer() -> PartAnswer {
    let (from, outcome) = (agent("coder"), Outcome::Completed);
    PartAnswer { child: id("msg-2"), from, outcome, body: place(2), refused: false }
}

fn spent() -> Box<SpeechCost> {
    Box::new(SpeechCost { tokens: 1_234, cost_micro_usd: 5_600, no_news: true })
}

fn moved(to: StepMove) -> Event {
    let (flow, step) = (flow_id(), step("task-001"));
    Event::StepMoved {
        flow,
        step,
        to,
        message: None,
        answer: None,
        worker: None,
        why: None,
        spent: None,
        cause: None,
    }
}

fn moves() -> Vec<Event> {
    let members: [fn(&mut Event); 6] = [
        |event| {
            if let Event::StepMoved { cause, .. } = event {
                *cause = Some(FailureCause::TimedOut);
            }
        },
        |event| {
            if let Event::StepMoved { spent: took, .. } = event {
                *took = Some(spent());
            }
        },
        |event| {
            if let Event::StepMoved { worker: who, .. } = event {
                *who = Some(worker());
            }
        },
        |event| {
            if let Event::StepMoved { message, .. } = event {
                *message = Some(id("msg-1"));
            }
        },
        |event| {
            if let Event::StepMoved { answer: told, .. } = event {
                *told = Some(answer());
            }
        },
        |event| {
            if let Event::StepMoved { why, .. } = event {
                *why = Some("msg-1 \"has\" failed".into());
            }
        },
    ];
    let why = || Some("by user".to_owned());
    let flows = FlowMove::ALL.into_iter().flat_map(|to| [(to, None), (to, why())]);
    let flows = flows.map(|(to, why)| Event::FlowMoved { flow: flow_id(), to, why });
    let steps = StepMove::ALL.into_iter().map(moved);
    steps.chain(varied(&moved(StepMove::Send), &members)).chain(flows).collect()
}

fn kept() -> Vec<Event> {
    let bare = FlowStep {
        spec: specs()[0].clone(),
        text: place(1),
        own_text: None,
        planned_at: Millis(NOON),
        stage: StepStage::Pending,
        tries: 0,
        asked: 0,
        message: None,
        began: None,
        typed: None,
        ended: None,
        worker: None,
        answer: None,
        note: None,
        spent: None,
        cause: None,
        in_tree: InTree::default(),
        document: None,
    };
    let members: [fn(&mut FlowStep); 12] = [
        |s| s.document = Some(r#"{"id":"task-001"}"#.into()),
        |s| s.cause = Some(FailureCause::Worktree),
        |s| s.spent = Some(spent()),
        |s| s.worker = Some(worker()),
        |s| s.tries = 2,
        |s| s.message = Some(id("msg-1")),
        |s| s.began = Some(Millis(NOON + 1)),
        |s| s.typed = Some(Millis(NOON + 2)),
        |s| s.ended = Some(Millis(NOON + 2)),
        |s| s.answer = Some(answer()),
        |s| s.note = Some("msg-1 was cancelled".into()),
        |s| s.in_tree = in_tree(),
    ];
    let stages = StepStage::ALL.map(|stage| FlowStep { stage, ..bare.clone() });
    let specs = specs().into_iter().map(|spec| FlowStep { spec, ..bare.clone() });
    let steps: Vec<FlowStep> = varied(&bare, &members).into_iter().chain(stages).chain(specs).collect();
    let with = |stage, steps: &[FlowStep]| {
        let mut flow = Flow::new(head(), place(0), Millis(NOON));
        (flow.stage, flow.steps) = (stage, steps.to_vec());
        flow
    };
    let mut flows: Vec<Flow> =
        heads().into_iter().map(|head| Flow::new(head, place(0), Millis(NOON))).collect();
    flows.extend(FlowStage::ALL.map(|stage| with(stage, &[])));
    flows.push(with(FlowStage::Paused, &steps));
    let mut ended = with(FlowStage::Failed, &steps[..1]);
    (ended.since, ended.note) = (Millis(NOON + 3), Some("1 task failed, and it stops there".into()));
    flows.push(ended);
    let mut asked = with(FlowStage::Active, &steps[..1]);
    let (message, text, asked_at) = (id("msg-p"), place(3), Millis(NOON));
    let (ended, answer) = (Some(Millis(NOON + 4)), Some(place(4)));
    asked.planning =
        Some(Planning { message, text, asked_at, ended, answer, has_plan: true, asks_for_pulls: true });
    let (branch, wanted_at) = (branch(), Millis(NOON));
    let (path, base) = (Some("/r 家/agent-task-001".into()), Some("c0ffee".into()));
    let (user, is_ready, note) = (None, false, None);
    let tree = Tree { branch, stage: TreeStage::There, wanted_at, path, base, user, is_ready, note };
    asked.trees.insert(step("task-001"), tree.clone());
    let (user, note) = (Some(step("task-002")), Some("its worktree was gone".into()));
    asked.trees.insert(step("task-002"), Tree { user, is_ready: true, note, ..tree });
    flows.push(asked);
    flows.into_iter().map(|flow| Event::KeptFlow(Box::new(flow))).collect()
}

/// All that is known of a step in its worktree.
fn in_tree() -> InTree {
    let sum = WorkSum { head: Some("0ff1ce".into()), commits: 2, ..WorkSum::default() };
    let work = Some(Box::new(StepWork { sum, place: place(5) }));
    let pull = Some(Box::new(StepPull { number: Some(7), url: Some("https://x/pull/7".into()), why: None }));
    InTree {
        elsewhere: Some(branch()),
        from: Some("c0ffee".into()),
        until: Some("0ff1ce".into()),
        left: Some("1eaf".into()),
        work,
        pull,
    }
}

/// The message that a step is: its content stands where the step was planned.
fn messages() -> Vec<Event> {
    let mut message = message();
    message.step = Some(Box::new(StepRef { flow: flow_id(), step: Some(step("task-001")) }));
    let mut sent = accepted(message.clone(), Body::default());
    if let Event::Accepted { text, .. } = &mut sent {
        *text = Some(place(1));
    }
    let mut told = sent.clone();
    if let Event::Accepted { given, .. } = &mut told {
        *given = vec![answer(), PartAnswer { outcome: Outcome::Failed, ..answer() }];
    }
    let mut open = open();
    (open.message, open.given, open.answers) = (message, 1, vec![answer()]);
    let mut asking = self::message();
    asking.step = Some(Box::new(StepRef { flow: flow_id(), step: None }));
    let mut elsewhere = self::message();
    elsewhere.folder = Some("/r 家/agent-task-001".into());
    let plain = [asking, elsewhere].map(|message| accepted(message, plain("x")));
    [sent, told, Event::KeptOpen(Box::new(open))].into_iter().chain(plain).collect()
}

/// All that is said of flows.
pub(super) fn flows() -> Vec<Event> {
    let extra = Body { content: "計画\n".into(), extra: r#"{"metadata":{"n":1.50}}"#.into() };
    let bodies = [plain("goal: \"認証\"\n"), extra];
    let opened = heads().into_iter().map(|head| (head, plain("x")));
    let opened = opened.chain(bodies.clone().map(|body| (head(), body)));
    let opened = opened.map(|(head, body)| Event::FlowOpened { head: Box::new(head), body });
    let planned = specs().into_iter().map(|spec| (spec, plain("x")));
    let planned = planned.chain(bodies.map(|body| (specs()[0].clone(), body)));
    let planned = planned.map(|(spec, body)| (spec, (false, false), body));
    let again = [false, true].map(|for_merge| (specs()[0].clone(), (true, for_merge), plain("x")));
    let planned = planned.chain(again).map(|(spec, (again, for_merge), body)| Event::StepPlanned {
        flow: flow_id(),
        spec: Box::new(spec),
        again,
        for_merge,
        body,
    });
    opened.chain(planned).chain(moves()).chain(others()).chain(kept()).chain(messages()).collect()
}

fn branch() -> BranchName {
    BranchName::new("agent/task-001").expect("a branch")
}

/// What happens to a flow that neither moves it nor a step.
fn others() -> Vec<Event> {
    let (flow, tree) = (flow_id(), step("task-001"));
    let moved = |to, branch, path: Option<&str>, why: Option<&str>| Event::TreeMoved {
        flow: flow.clone(),
        tree: tree.clone(),
        to,
        branch,
        path: path.map(Into::into),
        base: path.map(|_| "c0ffee".into()),
        step: None,
        head: None,
        why: why.map(str::to_owned),
    };
    let planned = |name: Option<&str>, on_failure, parallel| Event::FlowPlanned {
        flow: flow.clone(),
        name: name.map(str::to_owned),
        on_failure,
        parallel,
        pull_requests: parallel == 4,
    };
    let imported = |began, ended, branch, document: Option<&str>| Event::StepImported {
        flow: flow.clone(),
        step: tree.clone(),
        began,
        ended,
        branch,
        document: document.map(Into::into),
        body: plain("JWT認証"),
    };
    let mut ready = moved(TreeMove::Made, None, Some("/r 家/agent-task-001"), Some("its worktree was gone"));
    if let Event::TreeMoved { step, head, .. } = &mut ready {
        (*step, *head) = (Some(tree.clone()), Some("0ff1ce".into()));
    }
    let worked = |sum, text: &str| Event::StepWorked {
        flow: flow.clone(),
        step: tree.clone(),
        sum,
        body: plain(text),
    };
    let pulled = |number, url: Option<&str>, why: Option<&str>| Event::StepPulled {
        flow: flow.clone(),
        step: tree.clone(),
        pull: StepPull { number, url: url.map(Into::into), why: why.map(Into::into) },
    };
    let seen = WorkSum { head: Some("0ff1ce".into()), commits: 2, files: 3, uncommitted: 1, unknown: None };
    let unknown = WorkSum { unknown: Some("git が無い".into()), ..WorkSum::default() };
    let merging = |to, into: Option<&str>, step: Option<StepName>, why: Option<&str>| Event::MergeMoved {
        flow: flow.clone(),
        to,
        into: into.map(str::to_owned),
        step,
        why: why.map(str::to_owned),
    };
    vec![
        ready,
        worked(seen, r#"{"base":"c0ffee"}"#),
        worked(unknown, ""),
        pulled(Some(7), Some("https://x/pull/7"), None),
        pulled(None, None, Some("gh が無い")),
        planned(None, OnFailure::Stop, 0),
        planned(Some("計画"), OnFailure::Skip, 4),
        imported(None, None, None, None),
        imported(Some(Millis(NOON)), Some(Millis(NOON + 1)), Some(branch()), None),
        imported(None, None, None, Some(r#"{"id":"task-001"}"#)),
        moved(TreeMove::Make, Some(branch()), None, None),
        moved(TreeMove::Made, None, Some("/r 家/agent-task-001"), None),
        moved(TreeMove::Fail, None, None, Some("a conflict in 家.rs")),
        moved(TreeMove::Remove, None, None, None),
        moved(TreeMove::Removed, None, None, None),
        moved(TreeMove::Keep, None, None, Some("it is locked: 家")),
        merging(MergeMove::Begin, Some("agent/session-34567890"), None, Some("by user")),
        merging(MergeMove::Next, None, Some(tree.clone()), None),
        merging(MergeMove::Wait, None, Some(tree.clone()), Some("conflict with 家 in 家.rs")),
        merging(MergeMove::GoOn, None, None, None),
        merging(MergeMove::Finish, None, None, None),
        merging(MergeMove::Fail, None, None, Some("no git")),
    ]
}
