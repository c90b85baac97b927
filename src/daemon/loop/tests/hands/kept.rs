//! What is kept of a message that ended: its views, written again, and its agent's history.

use super::*;
use crate::daemon::views::rebuild::Rebuild;
use crate::io::journal::{ReadOrder, scan};
use crate::io::views::Views;
use crate::read::history::of_agent;
use std::ops::ControlFlow;

impl Hands {
    /// A turn of `t` is typed to it.
    async fn given(&mut self, daemon: &mut Daemon, turn: u16, token: &str) {
        self.ready(daemon, token).await;
        daemon.work_until_idle().await;
        assert_eq!(self.typed().len(), 1);
        self.say(daemon, Report::Delivery { id: t(), turn, verdict: Verdict::Delivered(Receipt::Read) });
        daemon.work_until_idle().await;
    }
}

#[tokio::test]
async fn a_view_that_is_rebuilt_counts_the_tries_as_the_daemon_did() {
    let mut bench = Bench::new();
    let mut life = bench.begin().await;
    let daemon = &mut life.daemon;
    let mut hands = Hands::of(daemon).await;
    daemon.take_input(task("t"));
    hands.ready(daemon, TOKEN).await;
    daemon.work_until_idle().await;
    assert_eq!(hands.typed().len(), 1);
    let verdict = Verdict::NotDelivered { why: "it is busy".to_owned() };
    hands.say(daemon, Report::Delivery { id: t(), turn: 1, verdict });
    daemon.later(60_000);
    daemon.wake();
    hands.given(daemon, 1, "other2").await;
    assert_eq!(daemon.engine.state().open[&t()].attempts, 2, "the same turn again");
    hands.say(daemon, Report::TurnOver { id: t(), turn: 1, asks: false });
    daemon.swept(u64::MAX);
    daemon.work_until_idle().await;
    hands.given(daemon, 2, "other3").await;
    let Report::Claimed { id, line, source, text, truncated, .. } = claimed() else { panic!("a claim") };
    let token = Token::new("other3").ok();
    hands.say(daemon, Report::Claimed { id, turn: 2, token, line, source, text, truncated });
    daemon.swept(u64::MAX);
    daemon.work_until_idle().await;
    assert!(!daemon.is_open("t"));
    let queue = bench.folder.path().join("queue");
    let day = std::fs::read_dir(queue.join("done")).unwrap().next().unwrap().unwrap().path();
    let files = [day.join("t.yaml"), queue.join("results/t.yaml")];
    let shown = files.each_ref().map(|file| std::fs::read_to_string(file).unwrap());
    files.iter().for_each(|file| std::fs::remove_file(file).unwrap());
    let mut rebuild = Rebuild::new(Views::open(bench.folder.path()).unwrap());
    let journal = bench.process.workspace.journal();
    scan(&journal, 1, ReadOrder::OldestFirst, &mut |entry| {
        rebuild.take(entry).unwrap();
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(rebuild.finish().unwrap().written, 1);
    assert_eq!(files.map(|file| std::fs::read_to_string(file).unwrap()), shown);
    assert!(shown.iter().all(|text| text.contains("\nattempt: 1\n")), "of the reminder: {shown:?}");
    drop(hands);
    life.end().await;
}

#[tokio::test]
async fn an_agents_history_says_that_tasks_of_its_own_came_too_late() {
    let mut bench = Bench::new();
    bench.process.clock.set_wall(0);
    let mut life = bench.begin().await;
    let daemon = &mut life.daemon;
    let mut hands = Hands::of(daemon).await;
    hands.work_on_t(daemon).await;
    let deadline = crate::wire::time::rfc3339(daemon.timers.clock.wall().plus(3_600_000));
    daemon.take_input(asked(&format!("id: u\nto: worker\ndeadline: {deadline}\ncontent: 間に合う?\n")));
    daemon.work_until_idle().await;
    daemon.timers.clock.sleep(3_600_000);
    daemon.wake();
    daemon.later(7_200_000);
    daemon.wake();
    daemon.work_until_idle().await;
    assert!(!daemon.is_open("t") && !daemon.is_open("u"));
    let log = std::fs::read_to_string(bench.folder.path().join("status/agents/worker.log")).unwrap();
    let why =
        of_agent(&crate::read::history::Pages::all(&bench.process.workspace), &hands.agent).unwrap().steps;
    for end in ["t failed: timed out: worker has not answered", "u failed: its deadline passed"] {
        assert!(log.contains(end), "{end}: {log}");
        assert!(why.iter().any(|step| step.event.text.starts_with(end)), "{end}: {why:?}");
    }
    drop(hands);
    life.end().await;
}
