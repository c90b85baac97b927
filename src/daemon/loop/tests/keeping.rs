//! How long what has ended is kept.

use super::beginning::is_in;
use super::*;
use crate::daemon::jobs::handle::JobsHandle;
use crate::daemon::jobs::order::JobOrder;
use crate::engine::event::Event;
use crate::engine::evidence::Base;
use crate::engine::flow::head::{FlowHead, FlowKind};
use crate::engine::flow::id::FlowId;
use crate::engine::flow::opening::Opening;
use crate::engine::flow::plan::OnFailure;
use crate::engine::input::Command;
use crate::engine::message::Body;
use crate::engine::words::Seq;

#[tokio::test]
async fn what_has_ended_is_removed_by_the_earlier_of_two_clocks() {
    let mut bench = Bench::new();
    let mut life = bench.begin().await;
    let daemon = &mut life.daemon;
    daemon.take_input(asked("id: info\nto: user\ntype: info\ncontent: 知らせ\n"));
    daemon.work_until_idle().await;
    let done = bench.folder.path().join("queue/done");
    let began = daemon.timers.clock.now();
    let later_ms = i64::try_from(daemon.config.settings.general.retention_ms).unwrap() + 2 * 86_400_000;
    let (own, wall, both) = ((later_ms, 0), (0, later_ms), (later_ms, later_ms));
    for ((own_ms, wall_ms), is_kept) in [(wall, true), (own, true), (both, false)] {
        daemon.timers.clock = Clock::starting_at(began.plus(own_ms.unsigned_abs()));
        daemon.timers.clock.set_wall(wall_ms - own_ms);
        daemon.expire();
        daemon.work_until_idle().await;
        assert_eq!(is_in(&done, "info"), is_kept, "{own_ms} ms later, and {wall_ms} ms by the wall");
    }
    daemon.close(Ending::StopAgents).await;
    life.end().await;
}

#[tokio::test]
async fn a_flow_that_ended_is_kept_as_long_as_a_message() {
    let mut bench = Bench::new();
    let mut life = bench.begin().await;
    let daemon = &mut life.daemon;
    let id = FlowId::new("a1b2c3d4-e5f6-7890-abcd-ef1234567890").unwrap();
    let (owner, body) = (AgentName::user(), Body { content: "計画".into(), extra: "".into() });
    let (kind, on_failure) = (FlowKind::Session, OnFailure::Stop);
    let (master, repository) = (None, None);
    let (id, name, parallel, confirm, pull_requests) = (id.clone(), None, 0, false, false);
    let head = FlowHead {
        id: id.clone(),
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
    let opening =
        Opening { head, request: body, steps: Vec::new(), done: Vec::new(), ask: None, again: false };
    let command = Command::OpenFlow(Box::new(opening));
    daemon.take_input(Input::Command { request: RequestId(1), by: None, command });
    daemon.work_until_idle().await;
    let is_known = |daemon: &Daemon| daemon.engine.state().flows.contains_key(&id);
    assert!(is_known(daemon), "it is completed: it has no steps");
    let keep_ms = daemon.config.settings.general.retention_ms;
    let ended = daemon.timers.clock.now();
    for (later_ms, is_kept) in [(keep_ms - 60_000, true), (keep_ms + 60_000, false)] {
        daemon.timers.clock = Clock::starting_at(ended.plus(later_ms));
        daemon.timers.clock.set_wall(0);
        daemon.expire();
        daemon.work_until_idle().await;
        assert_eq!(is_known(daemon), is_kept, "{later_ms} ms later");
    }
    daemon.close(Ending::StopAgents).await;
    life.end().await;
}

#[tokio::test]
async fn what_open_tasks_are_held_against_is_kept() {
    let mut bench = Bench::new();
    let mut life = bench.begin().await;
    let daemon = &mut life.daemon;
    daemon.take_input(asked("id: plan\nto: worker\ncontent: x\nexpect: {files: [plan.md]}\n"));
    daemon.work_until_idle().await;
    let (agent, at, record) = (AgentName::new("worker").unwrap(), Millis(1), Some("0a".repeat(32)));
    let base = Box::new(Base { agent, at, commit: None, log_bytes: 0, command: Vec::new(), record });
    let based = Event::Based { id: MessageId::new("plan").unwrap(), base };
    daemon.engine.replay(Seq(1_000), at, &[based]).unwrap();
    let (orders, mut heard) = mpsc::channel(1);
    daemon.jobs = JobsHandle::new(orders);
    daemon.expire();
    let Ok(JobOrder::Forget { named, before }) = heard.try_recv() else { panic!("records are looked at") };
    let keep_ms = daemon.config.settings.general.retention_ms;
    assert_eq!(named, BTreeSet::from(["0a".repeat(32)]));
    assert!(before.0 + keep_ms <= daemon.timers.clock.now().0);
    daemon.close(Ending::StopAgents).await;
    life.end().await;
}
