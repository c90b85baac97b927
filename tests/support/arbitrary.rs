//! Random engine values for property tests: every kind of event, with every kind of text in it.

use proptest::collection::{btree_map, vec};
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;
use std::sync::Arc;
use tasuki::engine::event::{AgentChange, Answer, Event, Why};
use tasuki::engine::evidence::{Base, Checks, Evidence, FailedCheck, KeptClaim};
use tasuki::engine::flow::branch::BranchName;
use tasuki::engine::flow::cause::FailureCause;
use tasuki::engine::flow::debate::{Debate, DebateBudget, DebateRole, RoleId};
use tasuki::engine::flow::flow::StepSpec;
use tasuki::engine::flow::head::{FlowHead, FlowKind};
use tasuki::engine::flow::id::{FlowId, StepRef};
use tasuki::engine::flow::in_tree::{StepPull, WorkSum};
use tasuki::engine::flow::merge::MergeMove;
use tasuki::engine::flow::name::StepName;
use tasuki::engine::flow::plan::OnFailure;
use tasuki::engine::flow::spent::SpeechCost;
use tasuki::engine::flow::stage::FlowMove;
use tasuki::engine::flow::step::StepMove;
use tasuki::engine::flow::tree::{FlowRepository, StepTree, TreeMove};
use tasuki::engine::flow::unmet::Join;
use tasuki::engine::flow::worker::StepHire;
use tasuki::engine::flow::worker::StepWorker;
use tasuki::engine::life::interrupted::Interrupted;
use tasuki::engine::life::said::Said;
use tasuki::engine::life::{CompletionSource, Move, Receipt, Stage, Turn, TurnKind};
use tasuki::engine::message::refusal::Code;
use tasuki::engine::message::seldom::Seldom;
use tasuki::engine::message::{Besides, Body, BodyRef, Expect, Kind, Message, OnDoubt, Outcome, Priority};
use tasuki::engine::screen::reading::Dialog;
use tasuki::engine::state::{Agent, Counts, Finished, LastEnd, Open, PartAnswer, Phase, Progress, State};
use tasuki::engine::team::need::{AnsweredBy, Need, NeedKind};
use tasuki::engine::team::roster::{Hired, Host, Like, Recipe};
use tasuki::engine::team::{Delivery, Member, Restart};
use tasuki::engine::words::{AgentName, Digest, MessageId, Millis, Nonce, PaneId, ProcessKey, Seq, Token};

/// Events of one step: a few of any kind, in any order; they need not make sense together.
pub(crate) fn events() -> impl Strategy<Value = Vec<Event>> {
    vec(event(), 0..6)
}

/// One event of any kind.
pub(crate) fn event() -> impl Strategy<Value = Event> {
    let name = || of(shared_text());
    prop_oneof![
        accepted().boxed(),
        (id(), name()).prop_map(|(id, name)| Event::Duplicate { id, name }),
        (name(), of(agent_name()), select(Code::ALL), text())
            .prop_map(|(name, from, code, why)| Event::Refused { name, from, code, why }),
        (id(), a_move(), of(agent_name()), of(millis()), a_why())
            .prop_map(|(id, to, agent, due, why)| Event::Moved { id, to, agent, due, why })
            .boxed(),
        (id(), any::<u16>(), shared_text(), any::<bool>(), any::<bool>()).prop_map(
            |(id, turn, text, truncated, notice)| Event::Said { id, turn, text, truncated, notice }
        ),
        (flow_head(), body())
            .prop_map(|(head, body)| Event::FlowOpened { head: Box::new(head), body })
            .boxed(),
        (flow_id(), step_spec(), any::<(bool, bool)>(), body())
            .prop_map(|(flow, spec, (again, for_merge), body)| Event::StepPlanned {
                flow,
                spec: Box::new(spec),
                again,
                for_merge,
                body
            })
            .boxed(),
        (
            flow_id(),
            step_name(),
            select(StepMove::ALL.to_vec()),
            of(id()),
            of(told()),
            of(worker()),
            of(text()),
            of(select(FailureCause::ALL.to_vec()))
        )
            .prop_map(|(flow, step, to, message, answer, worker, why, cause)| Event::StepMoved {
                flow,
                step,
                to,
                message,
                answer,
                worker,
                spent: why.as_ref().map(|why| {
                    let (tokens, cost_micro_usd) = (why.len() as u64, 7);
                    Box::new(SpeechCost { tokens, cost_micro_usd, no_news: tokens % 2 == 0 })
                }),
                why,
                cause
            })
            .boxed(),
        (flow_id(), select(FlowMove::ALL.to_vec()), of(text()))
            .prop_map(|(flow, to, why)| Event::FlowMoved { flow, to, why })
            .boxed(),
        kept_flow().boxed(),
        (flow_id(), select(MergeMove::ALL.to_vec()), of(text()), of(step_name()), of(text()))
            .prop_map(|(flow, to, into, step, why)| Event::MergeMoved { flow, to, into, step, why })
            .boxed(),
        (flow_id(), step_name(), of(millis()), of(millis()), any::<bool>(), of(shared_text()), body())
            .prop_map(|(flow, step, began, ended, branch, document, body)| Event::StepImported {
                flow,
                step,
                began,
                ended,
                branch: branch.then(|| BranchName::new("agent/a").expect("a branch")),
                document,
                body
            })
            .boxed(),
        (
            flow_id(),
            step_name(),
            select(TreeMove::ALL.to_vec()),
            any::<u16>(),
            of(shared_text()),
            of(text()),
            of(step_name())
        )
            .prop_map(|(flow, tree, to, number, path, why, step)| Event::TreeMoved {
                flow,
                tree,
                to,
                branch: (number % 2 == 0)
                    .then(|| BranchName::new(&format!("agent/a{number}")).expect("a branch")),
                base: path.clone(),
                head: path.clone().filter(|_| number % 3 == 0),
                path,
                step,
                why
            })
            .boxed(),
        (flow_id(), step_name(), of(any::<u64>()), of(shared_text()), of(shared_text()))
            .prop_map(|(flow, step, number, url, why)| Event::StepPulled {
                flow,
                step,
                pull: StepPull { number, url, why }
            })
            .boxed(),
        (flow_id(), step_name(), of(shared_text()), any::<u32>(), of(shared_text()), body())
            .prop_map(|(flow, step, head, commits, unknown, body)| Event::StepWorked {
                flow,
                step,
                sum: WorkSum { head, commits, files: commits / 2, uncommitted: commits / 3, unknown },
                body
            })
            .boxed(),
        (flow_id(), of(text()), select(OnFailure::ALL.to_vec()), any::<u16>())
            .prop_map(|(flow, name, on_failure, parallel)| Event::FlowPlanned {
                flow,
                name,
                on_failure,
                parallel,
                pull_requests: parallel % 2 == 1
            })
            .boxed(),
        (id(), base()).prop_map(|(id, base)| Event::Based { id, base: Box::new(base) }).boxed(),
        (id(), any::<u16>(), claim())
            .prop_map(|(id, made, claim)| Event::Claimed { id, made, claim: Box::new(claim) })
            .boxed(),
        (id(), any::<u16>(), vec(evidence(), 0..3))
            .prop_map(|(id, made, evidence)| Event::Checked { id, made, evidence })
            .boxed(),
        (id(), outcome(), of(answer()), of(text()))
            .prop_map(|(id, outcome, answer, why)| Event::Ended { id, outcome, answer, why })
            .boxed(),
        (agent_name(), change()).prop_map(|(name, change)| Event::Agent { name, change }),
        (of(millis()), of(agent_name())).prop_map(|(since, by)| Event::Halted { since, by }),
        open().prop_map(|open| Event::KeptOpen(Box::new(open))).boxed(),
        finished().prop_map(|finished| Event::KeptFinished(Box::new(finished))).boxed(),
        (agent_name(), hired())
            .prop_map(|(name, hired)| Event::KeptHired { name, hired: Box::new(hired) })
            .boxed(),
        (agent_name(), agent())
            .prop_map(|(name, agent)| Event::KeptAgent { name, agent: Box::new(agent) })
            .boxed(),
    ]
}

fn finished() -> impl Strategy<Value = Finished> {
    let places = (body_ref(), of(body_ref()), number().prop_map(Seq), of(base().prop_map(Box::new)));
    (message(), outcome(), places, of(agent_name()), any::<u8>(), millis()).prop_map(
        |(message, outcome, (body, answer, seq, base), agent, attempts, at)| Finished {
            outcome,
            message: Box::new(message),
            body,
            answer,
            agent,
            attempts,
            base,
            seq,
            at,
        },
    )
}

fn accepted() -> impl Strategy<Value = Event> {
    let rest = (body(), millis(), vec(id(), 0..3), of(shared_text()), vec(text(), 0..3));
    let step = (of(body_ref()), vec(told(), 0..2));
    (message(), rest, step).prop_map(
        |(message, (body, not_before, unmet, name, unknown_keys), (text, given))| {
            let message = Box::new(message);
            // A body that stands elsewhere is none here.
            let body = if text.is_some() { Body::default() } else { body };
            Event::Accepted { message, body, not_before, unmet, name, unknown_keys, text, given }
        },
    )
}

fn message() -> impl Strategy<Value = Message> {
    let who =
        (id(), agent_name(), agent_name(), select(vec![Kind::Task, Kind::Info, Kind::Result, Kind::Error]));
    let ties = (of(id()), of(id()), of(id()), vec(id(), 0..3));
    let when = (of(millis()), millis(), of(number()), of(millis()));
    let how = (
        select(vec![Priority::Low, Priority::Normal, Priority::High]),
        select(vec![OnDoubt::Resend, OnDoubt::Hold]),
        of(expect().prop_map(Box::new)),
        of(step_ref().prop_map(Box::new)),
    );
    let mark = (any::<u8>(), any::<bool>(), any::<bool>(), digest());
    (who, ties, when, how, mark).prop_map(|(who, ties, when, how, mark)| {
        let (id, from, to, kind) = who;
        let (in_reply_to, parent, retry_of, depends_on) = ties;
        let (sent_at, accepted_at, timeout_ms, deadline) = when;
        let (priority, on_doubt, expect, step) = how;
        let (hops, verified, inferred, digest) = mark;
        Message {
            id,
            from,
            to,
            kind,
            sent_at,
            accepted_at,
            priority,
            on_doubt,
            hops,
            verified,
            inferred,
            digest,
            besides: Seldom::new(Besides {
                in_reply_to,
                parent,
                depends_on,
                timeout_ms,
                deadline,
                expect,
                retry_of,
                step,
                folder: (digest.0 % 5 == 0).then(|| "/r 家/agent-task-1".into()),
            }),
        }
    })
}

fn expect() -> impl Strategy<Value = Expect> {
    (any::<bool>(), vec(text(), 0..3), vec(text(), 0..3), of(text()))
        .prop_map(|(commit, files, command, report)| Expect { commit, files, command, report })
}

fn answer() -> impl Strategy<Value = Box<Answer>> {
    let who = (id(), select(vec![Kind::Result, Kind::Error]), agent_name(), body());
    let how = (of(source()), any::<bool>(), any::<bool>(), vec(evidence(), 0..3), millis());
    (who, how).prop_map(|((id, kind, from, body), (source, weak, truncated, evidence, at))| {
        Box::new(Answer { id, kind, from, body, source, weak, truncated, evidence, at })
    })
}

fn flow_id() -> impl Strategy<Value = FlowId> {
    any::<u128>().prop_map(|bits| {
        let hex = format!("{bits:032x}");
        let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
        FlowId::new(&parts.join("-")).expect("a UUID")
    })
}

fn step_name() -> impl Strategy<Value = StepName> {
    (0..1_000u64).prop_map(StepName::numbered)
}

fn step_ref() -> impl Strategy<Value = StepRef> {
    (flow_id(), of(step_name())).prop_map(|(flow, step)| StepRef { flow, step })
}

/// A flow of one step or none, as a journal leaves it.
fn kept_flow() -> impl Strategy<Value = Event> {
    let opened = (flow_head(), of((step_spec(), select(StepMove::ALL.to_vec()))), text());
    opened.prop_map(|(head, step, why)| {
        let flow = head.id.clone();
        let mut events = vec![Event::FlowOpened { head: Box::new(head), body: Body::default() }];
        if let Some((spec, to)) = step {
            let (name, spec) = (spec.name.clone(), Box::new(StepSpec { needs: Vec::new(), ..spec }));
            events.push(Event::StepPlanned {
                flow: flow.clone(),
                spec,
                again: false,
                for_merge: false,
                body: Body::default(),
            });
            let (message, answer, worker, why) = (None, None, None, Some(why));
            events.push(Event::StepMoved {
                flow: flow.clone(),
                step: name,
                to,
                message,
                answer,
                worker,
                why,
                spent: None,
                cause: Some(FailureCause::Budget),
            });
        }
        let mut state = State::default();
        state.apply_step(Seq(7), Millis(9), &events).expect("flows are never illegal");
        Event::KeptFlow(state.flows.remove(&flow).expect("it was opened"))
    })
}

fn flow_head() -> impl Strategy<Value = FlowHead> {
    let on_failure = select(OnFailure::ALL.to_vec());
    let who = (agent_name(), of(agent_name()));
    let ids = (flow_id(), of(flow_id()));
    (ids, who, of(text()), on_failure, any::<u16>(), any::<bool>()).prop_map(
        |((id, from_debate), (owner, master), name, on_failure, parallel, confirm)| FlowHead {
            id,
            from_debate,
            kind: if parallel % 3 == 0 { FlowKind::Debate } else { FlowKind::Session },
            owner,
            master,
            name,
            on_failure,
            parallel,
            repository: (parallel % 2 == 0).then(|| {
                Box::new(FlowRepository {
                    root: "/r 家".to_owned(),
                    base: "c0ffee".to_owned(),
                    branch: confirm.then(|| "家".to_owned()),
                })
            }),
            confirm,
            pull_requests: !confirm,
            created: (parallel % 5 == 0).then_some(Millis(parallel.into())),
            debate: if parallel % 3 == 0 { a_debate(confirm) } else { None },
        },
    )
}

fn a_debate(keep: bool) -> Option<Box<Debate>> {
    let roles = ["qa", "a-b_c"].map(|id| DebateRole {
        id: RoleId::new(id).expect("an id"),
        name: "設計".to_owned(),
        provider: "claude".to_owned(),
        model: keep.then(|| "opus".to_owned()),
    });
    Some(Box::new(Debate {
        roles: roles.to_vec(),
        rounds: 3,
        timeout_ms: 300_000,
        keep,
        budget: DebateBudget::default(),
        baseline: None,
    }))
}

fn step_spec() -> impl Strategy<Value = StepSpec> {
    let who = (step_name(), text(), vec(step_name(), 0..3), select(Join::ALL.to_vec()));
    let like = prop_oneof![agent_name().prop_map(Like::Member), text().prop_map(Like::Profile)];
    let hire = (of(like), of(text())).prop_map(|(like, model)| {
        let env = model.iter().map(|model| ("TASUKI_X".to_owned(), model.clone())).collect();
        Box::new(StepHire { like, model, env })
    });
    let tree = prop_oneof![Just(StepTree::New), step_name().prop_map(StepTree::SharedWith)];
    let how = (agent_name(), of(hire), of(tree), of(number()), of(expect().prop_map(Box::new)));
    (who, how).prop_map(|((name, title, needs, join), (to, hire, tree, timeout_ms, expect))| StepSpec {
        name,
        title,
        needs,
        join,
        to,
        hire,
        tree,
        touches: timeout_ms.iter().map(|ms| format!("src/{ms}/**")).collect(),
        timeout_ms,
        expect,
    })
}

fn base() -> impl Strategy<Value = Base> {
    (agent_name(), millis(), of(text()), any::<u64>(), vec(text(), 0..3), of(text())).prop_map(
        |(agent, at, commit, log_bytes, command, record)| Base {
            agent,
            at,
            commit,
            log_bytes,
            command,
            record,
        },
    )
}

fn evidence() -> impl Strategy<Value = Evidence> {
    (text(), any::<bool>(), any::<bool>(), text(), millis(), any::<u64>())
        .prop_map(|(check, passed, broken, how, at, ms)| Evidence { check, passed, broken, how, at, ms })
}

fn claim() -> impl Strategy<Value = KeptClaim> {
    (source(), any::<bool>(), any::<bool>(), shared_text(), shared_text()).prop_map(
        |(source, proven, truncated, text, metadata)| KeptClaim { source, proven, truncated, text, metadata },
    )
}

fn checks() -> impl Strategy<Value = Checks> {
    let failed = (any::<u16>(), millis(), vec(evidence(), 0..2))
        .prop_map(|(turn, at, evidence)| FailedCheck { turn, at, evidence });
    (of(base()), of(claim()), any::<u16>(), vec(failed, 0..3), any::<bool>())
        .prop_map(|(base, claim, made, failed, untold)| Checks { base, claim, made, failed, untold })
}

fn body() -> impl Strategy<Value = Body> {
    (shared_text(), extra()).prop_map(|(content, extra)| Body { content, extra: extra.into() })
}

/// Nearly always what the border makes (an object on one line, or nothing), and sometimes what it never should.
fn extra() -> impl Strategy<Value = String> {
    let object = || vec((text(), json()), 0..4).prop_map(|map| Value::Object(map.into_iter().collect()));
    prop_oneof![
        2 => Just(String::new()),
        6 => object().prop_map(|object| object.to_string()),
        1 => object().prop_map(|object| format!("{object:#}")),
        1 => text(),
        1 => select(vec!["{}", "{ }", "{\"a\":1e999}", "{\"a\":1}{}", "{\"a\":1} ", "{", "\"a\"", "null", "[1]"])
            .prop_map(str::to_owned),
    ]
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::Array),
            vec((text(), inner), 0..4).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn a_move() -> impl Strategy<Value = Move> {
    let bare = vec![
        Move::Return { not_before: Millis(7) },
        Move::Withdraw,
        Move::Submit,
        Move::Take,
        Move::Doubt,
        Move::Hold,
        Move::Rest,
        Move::Ask,
        Move::Claim,
        Move::Verify,
        Move::Reopen,
    ];
    prop_oneof![
        2 => turn().prop_map(Move::Intend),
        2 => (millis(), any::<bool>())
            .prop_map(|(not_before, redelivered)| Move::Retry { not_before, redelivered }),
        1 => outcome().prop_map(Move::Finish),
        10 => select(bare),
    ]
}

fn a_why() -> impl Strategy<Value = Why> {
    prop_oneof![
        Just(Why::Plain),
        receipt().prop_map(Why::Receipt),
        source().prop_map(Why::Source),
        text().prop_map(Why::Text),
    ]
}

fn stage() -> impl Strategy<Value = Stage> {
    let with_turn = vec![
        Stage::Intent,
        Stage::Submitted,
        Stage::Working,
        Stage::InDoubt,
        Stage::Held,
        Stage::Waiting,
        Stage::Claimed,
        Stage::Verified as fn(Turn) -> Stage,
    ];
    prop_oneof![
        2 => (millis(), of(turn())).prop_map(|(not_before, redo)| Stage::Queued { not_before, redo }),
        8 => (select(with_turn), turn()).prop_map(|(stage, turn)| stage(turn)),
        1 => outcome().prop_map(Stage::Finished),
    ]
}

fn turn() -> impl Strategy<Value = Turn> {
    (any::<u16>(), select(TurnKind::ALL.to_vec()), of(token()), any::<bool>())
        .prop_map(|(number, kind, token, redelivered)| Turn { number, kind, token, redelivered })
}

fn change() -> impl Strategy<Value = AgentChange> {
    // Boxed: a test's stack holds whatever is not.
    prop_oneof![
        (nonce(), digest(), of(agent_name())).prop_map(|(nonce, launch, by)| AgentChange::Launching {
            nonce,
            launch,
            by
        }),
        (nonce(), pane(), process()).prop_map(|(nonce, pane, process)| AgentChange::Up {
            nonce,
            pane,
            process
        }),
        Just(AgentChange::Adopted),
        (text(), of(millis()), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
            |(why, restart_at, wanted, asleep, unstarted)| AgentChange::Down {
                why,
                restart_at,
                wanted,
                asleep,
                unstarted,
            }
        ),
        (id(), interrupted()).prop_map(|(id, how)| AgentChange::Interrupted { id, how }),
        (text(), any::<bool>()).prop_map(|(why, spared)| AgentChange::Lost { why, spared }),
        of(need()).prop_map(|need| AgentChange::Blocked { need }),
        (shared_text(), select(vec![AnsweredBy::Person, AnsweredBy::Profile]))
            .prop_map(|(choice, by)| AgentChange::Answered { choice, by }),
        of(agent_name()).prop_map(|by| AgentChange::Removed { by }),
        hired().prop_map(|hired| AgentChange::Hired(Box::new(hired))),
    ]
    .boxed()
}

fn hired() -> impl Strategy<Value = Hired> {
    let recipe = (like(), of(text()), of(text()), btree_map(text(), of(text()), 0..3));
    (agent_name(), recipe, member(), of(text())).prop_map(|(by, (like, cwd, model, env), member, flow)| {
        Hired { by, recipe: Recipe { like, cwd, model, env, host: Host::Local }, member, flow }
    })
}

fn like() -> impl Strategy<Value = Like> {
    prop_oneof![agent_name().prop_map(Like::Member), text().prop_map(Like::Profile)]
}

fn member() -> impl Strategy<Value = Member> {
    let how =
        (any::<[bool; 3]>(), number(), select(vec![Restart::Always, Restart::OnFailure, Restart::Never]));
    (agent_name(), text(), how, text(), any::<u128>()).prop_map(
        |(reports_to, phrase, ([token, inline, one_shot], timeout_ms, restart), provider, launch)| Member {
            reports_to,
            phrase,
            token,
            delivery: if inline { Delivery::Inline } else { Delivery::Doorbell },
            timeout_ms,
            restart,
            one_shot,
            provider,
            launch: Digest(launch),
        },
    )
}

fn interrupted() -> impl Strategy<Value = Interrupted> {
    prop_oneof![
        Just(Interrupted::Ended),
        Just(Interrupted::WasOver),
        Just(Interrupted::NotGiven),
        shared_text().prop_map(|why| Interrupted::GoesOn { why }),
    ]
}

fn last_end() -> impl Strategy<Value = LastEnd> {
    (shared_text(), any::<bool>()).prop_map(|(why, unstarted)| LastEnd { why, unstarted })
}

fn open() -> impl Strategy<Value = Open> {
    let work = (stage(), millis(), any::<u8>(), of(agent_name()), vec(token(), 0..3), of(millis()));
    let parts = (vec(id(), 0..3), vec(told(), 0..3), 0..3usize, vec(id(), 0..3));
    let talk = (any::<u16>(), any::<bool>(), of(nonce()), of(shared_text()), of(said()), of(millis()));
    let talk = (talk, of(checks()));
    (message(), body_ref(), work, parts, talk).prop_map(|(message, body, work, parts, talk)| {
        let (stage, since, attempts, agent, tokens, due) = work;
        let (unread, answers, given, unmet) = parts;
        let ((turns, reminded, launch, note, said, typed_at), checks) = talk;
        Open {
            message,
            body,
            stage,
            since,
            progress: Seldom::new(Progress {
                said: said.map(Box::new),
                checks: checks.map(Box::new),
                attempts,
                agent,
                tokens,
                due,
                unread,
                answers,
                given,
                unmet,
                turns,
                reminded,
                launch,
                typed_at,
                note,
            }),
        }
    })
}

fn said() -> impl Strategy<Value = Said> {
    let texts = (shared_text(), shared_text(), shared_text(), shared_text());
    (texts, any::<u16>(), any::<bool>(), any::<bool>()).prop_map(
        |((before, text, early, notice), turn, truncated, notice_cut)| Said {
            before,
            turn,
            text,
            truncated,
            early,
            notice,
            notice_cut,
        },
    )
}

fn worker() -> impl Strategy<Value = Box<StepWorker>> {
    (agent_name(), text(), of(pane()), of(any::<u32>()), of(source())).prop_map(
        |(agent, provider, pane, pid, source)| Box::new(StepWorker { agent, provider, pane, pid, source }),
    )
}

fn told() -> impl Strategy<Value = PartAnswer> {
    (id(), agent_name(), outcome(), body_ref(), any::<bool>())
        .prop_map(|(child, from, outcome, body, refused)| PartAnswer { child, from, outcome, body, refused })
}

fn need() -> impl Strategy<Value = Need> {
    let kind = select(vec![NeedKind::Input, NeedKind::Limit, NeedKind::Repair]);
    let dialog = (any::<String>(), vec(any::<String>(), 0..3))
        .prop_map(|(text, choices)| Arc::new(Dialog { text, choices, ..Dialog::default() }));
    let so = (any::<bool>(), any::<bool>(), any::<u8>(), any::<bool>());
    let again = (of(millis()), of(millis()), any::<bool>());
    (kind, shared_text(), of(dialog), millis(), of(millis()), so, again)
        .prop_map(|(kind, why, asks, since, until, so, (passed, first, again))| Need {
            kind,
            why,
            asks,
            since,
            until,
            open_ended: so.0,
            hidden: so.1,
            looks: so.2,
            over: so.3,
            passed,
            first,
            again,
        })
        .boxed()
}

fn agent() -> impl Strategy<Value = Agent> {
    let launch = (
        phase(),
        (of(nonce()), of(digest())),
        (of(id()), of(id()), of(any::<u8>())),
        (of(need()), any::<u8>(), of(last_end())),
        vec(millis(), 0..3),
        of(millis()),
    );
    (launch, counts()).prop_map(
        |(
            (phase, (nonce, launch), (current, given, hops), (blocked, looks, last_end), restarts, up_since),
            counts,
        )| Agent {
            phase,
            nonce,
            launch,
            current,
            given,
            hops,
            blocked,
            looks,
            last_end,
            restarts,
            up_since,
            counts,
        },
    )
}

fn phase() -> impl Strategy<Value = Phase> {
    prop_oneof![
        select(vec![Phase::Absent, Phase::Launching, Phase::Stopped, Phase::Asleep]),
        (pane(), process()).prop_map(|(pane, process)| Phase::Up { pane, process }),
        millis().prop_map(|restart_at| Phase::Restarting { restart_at }),
        shared_text().prop_map(|why| Phase::Failed { why }),
    ]
}

fn counts() -> impl Strategy<Value = Counts> {
    (number(), number(), number(), number(), number()).prop_map(
        |(completed, failed, sent, received, restarts)| Counts {
            completed,
            failed,
            sent,
            received,
            restarts,
        },
    )
}

fn outcome() -> impl Strategy<Value = Outcome> {
    select(vec![Outcome::Completed, Outcome::Failed, Outcome::Cancelled])
}

fn receipt() -> impl Strategy<Value = Receipt> {
    select(vec![Receipt::EnterOnly, Receipt::Echoed, Receipt::Read, Receipt::Recorded, Receipt::Acknowledged])
}

fn source() -> impl Strategy<Value = CompletionSource> {
    select(vec![
        CompletionSource::Reply,
        CompletionSource::Hook,
        CompletionSource::Marker,
        CompletionSource::ProcessExit,
        CompletionSource::Idle,
        CompletionSource::Person,
    ])
}

fn body_ref() -> impl Strategy<Value = BodyRef> {
    (number(), any::<u32>()).prop_map(|(seq, index)| BodyRef { seq: Seq(seq), index })
}

fn process() -> impl Strategy<Value = ProcessKey> {
    (any::<u32>(), number()).prop_map(|(pid, start_ticks)| ProcessKey { pid, start_ticks })
}

fn pane() -> impl Strategy<Value = PaneId> {
    any::<u32>().prop_map(PaneId)
}

fn nonce() -> impl Strategy<Value = Nonce> {
    number().prop_map(Nonce)
}

fn digest() -> impl Strategy<Value = Digest> {
    prop_oneof![Just(0), any::<u128>()].prop_map(Digest)
}

fn token() -> impl Strategy<Value = Token> {
    any::<u64>().prop_map(Token::mint)
}

fn id() -> impl Strategy<Value = MessageId> {
    "[a-z0-9][a-z0-9._-]{0,63}".prop_filter_map("an id", |text| MessageId::new(&text).ok())
}

fn agent_name() -> impl Strategy<Value = AgentName> {
    "[a-z0-9][a-z0-9_-]{0,63}".prop_filter_map("a name", |text| AgentName::new(&text).ok())
}

fn millis() -> impl Strategy<Value = Millis> {
    number().prop_map(Millis)
}

/// Zero often, since it is left out; else anything.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![1 => Just(0), 1 => Just(u64::MAX), 4 => any::<u64>()]
}

fn shared_text() -> impl Strategy<Value = Arc<str>> {
    text().prop_map(Arc::from)
}

/// Any characters, and those that break a careless writer.
fn text() -> impl Strategy<Value = String> {
    const SHARP: [&str; 14] = [
        "\"",
        "\\",
        "\n",
        "\r\n",
        "\0",
        "\u{1b}[2J",
        "\u{7f}",
        "\u{2028}",
        "\u{feff}",
        "襷をつなぐ",
        "🏃‍♀️",
        "}]",
        "\\u0041",
        "{\"event\":\"ended\"}",
    ];
    let piece = prop_oneof![
        2 => any::<char>().prop_map(String::from),
        1 => select(SHARP.to_vec()).prop_map(str::to_owned),
        1 => "[ -~]{0,8}",
    ];
    vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}
