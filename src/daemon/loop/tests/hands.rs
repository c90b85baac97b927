//! Between a decision and the pane that it is for. The tests play the pane's worker, and see which orders it gets.

mod kept;

use super::*;
use crate::daemon::panes::orders::{Order, PaneNews, PaneWord};
use crate::daemon::tmux::keeper::{Act, Alive};
use crate::daemon::tmux::news::{PanesFound, TmuxNews};
use crate::engine::input::{Command, Verdict};
use crate::engine::life::{CompletionSource, Receipt, Stage};
use crate::engine::message::Status;
use crate::engine::state::Phase;
use crate::engine::words::{PaneId, ProcessKey, Token};
use crate::io::mux::Mux;
use std::os::unix::fs::FileExt as _;

/// A token that the first turn of a test has.
const TOKEN: &str = "k7qf2m";

/// The worker of the one agent's pane, which is up.
struct Hands {
    agent: AgentName,
    nonce: Nonce,
    orders: mpsc::Receiver<Order>,
    /// How many turns it was given.
    turns: u32,
    /// Its task ends with it.
    alive: Alive,
}

impl Hands {
    async fn of(daemon: &mut Daemon) -> Self {
        let (actors, acts) = std::sync::mpsc::channel();
        daemon.panes.tmux.actors = Some(actors);
        daemon.work_until_idle().await;
        let Ok(Act::Work(given, alive)) = acts.try_recv() else { panic!("it is launched") };
        let hands = Self {
            agent: given.launched.agent,
            nonce: given.launched.nonce,
            orders: given.orders,
            turns: 0,
            alive,
        };
        let process = ProcessKey { pid: std::process::id(), start_ticks: 1 };
        hands.say(daemon, Report::Started { pane: PaneId(0), process });
        daemon.work_until_idle().await;
        hands
    }

    fn say(&self, daemon: &mut Daemon, report: Report) {
        let (agent, nonce, turns) = (self.agent.clone(), self.nonce, self.turns);
        daemon.hear(News::Pane(PaneNews { agent, nonce, turns, what: PaneWord::Report(report) }));
    }

    /// It may be typed to: what is next is handled, written, and waits for its view.
    async fn ready(&self, daemon: &mut Daemon, token: &str) {
        self.say(daemon, Report::Ready { fresh: Token::new(token).unwrap() });
        daemon.hand_out().unwrap();
        while daemon.panes.pending.is_empty() {
            daemon.hear_threads().await;
            daemon.hand_out().unwrap();
        }
    }

    /// What it was ordered to type since the last time.
    fn typed(&mut self) -> Vec<Arc<str>> {
        let orders: Vec<Order> = std::iter::from_fn(|| self.orders.try_recv().ok()).collect();
        self.turns += orders.iter().map(|order| u32::from(order.gives_a_turn())).sum::<u32>();
        let typed = orders.into_iter();
        typed
            .filter_map(|order| if let Order::Deliver(typed) = order { Some(typed.line) } else { None })
            .collect()
    }

    /// The task `t` is accepted, and typed to it.
    async fn work_on_t(&mut self, daemon: &mut Daemon) {
        daemon.take_input(asked("id: t\nto: worker\ntimeout: 2h\ncontent: 長い仕事\n"));
        self.ready(daemon, TOKEN).await;
        daemon.work_until_idle().await;
        assert_eq!(self.typed().len(), 1);
        let verdict = Verdict::Delivered(Receipt::Read);
        self.say(daemon, Report::Delivery { id: t(), turn: 1, verdict });
        daemon.work_until_idle().await;
        assert!(daemon.engine.state().agents[&self.agent].current.is_some());
    }
}

impl Daemon {
    /// Hears of views alone, until those of the turns are written; what the journal has written waits.
    async fn hear_views(&mut self) {
        self.views.hurry();
        self.hand_out().unwrap();
        while !self.panes.pending.is_empty() {
            let shown = tokio::time::timeout(PATIENCE, self.views.answers.recv()).await.unwrap().unwrap();
            self.shown(shown);
        }
    }

    fn stage_of_t(&self) -> Stage {
        self.engine.state().open[&t()].stage
    }
}

fn t() -> MessageId {
    MessageId::new("t").unwrap()
}

/// The first turn of `t` is claimed.
fn claimed() -> Report {
    let (source, text) = (CompletionSource::Marker, "できました".into());
    let (token, line) = (Token::new(TOKEN).ok(), "".into());
    Report::Claimed { id: t(), turn: 1, token, line, source, text, truncated: false }
}

#[tokio::test]
async fn what_is_called_off_while_its_view_is_written_is_not_typed() {
    let mut bench = Bench::new();
    let mut life = bench.begin().await;
    let daemon = &mut life.daemon;
    let mut hands = Hands::of(daemon).await;
    daemon.take_input(task("t"));
    hands.ready(daemon, TOKEN).await;
    daemon.step(Input::Command { request: RequestId(1), by: None, command: Command::cancel(t()) });
    daemon.hear_views().await;
    daemon.work_until_idle().await;
    assert!(hands.typed().is_empty() && !daemon.is_open("t"));
    drop(hands);
    life.end().await;
}

/// The one agent has claimed `t` when this comes, which would take that away: it is completed once the drop zones are swept. Gives what
/// becomes of the agent then.
async fn goes_behind_the_claim(comes: impl Fn(&mut Daemon)) -> Phase {
    let mut bench = Bench::new();
    let mut life = bench.begin().await;
    let daemon = &mut life.daemon;
    let mut hands = Hands::of(daemon).await;
    hands.work_on_t(daemon).await;
    hands.say(daemon, claimed());
    comes(daemon);
    assert!(!daemon.mailbox.claims.is_empty() && daemon.is_open("t"), "its parts may lie there");
    daemon.swept(u64::MAX);
    assert!(daemon.mailbox.claims.is_empty());
    let ended = daemon.engine.stage(&t()).unwrap();
    assert_eq!(ended.status(), Status::Completed);
    let phase = daemon.engine.state().agents[&hands.agent].phase.clone();
    drop(hands);
    life.end().await;
    phase
}

#[tokio::test]
async fn a_claim_that_waits_for_the_drop_zones_goes_before_whatever_would_take_its_task_away() {
    for overtaker in [Command::Restart(AgentName::new("worker").unwrap()), Command::cancel(t())] {
        let order = || Input::Command { request: RequestId(1), by: None, command: overtaker.clone() };
        goes_behind_the_claim(|daemon| daemon.take_input(order())).await;
    }
}

#[tokio::test]
async fn a_claim_that_waits_for_the_drop_zones_goes_before_a_tmux_that_came_back_without_its_agent() {
    for is_lost in [false, true] {
        let phase = goes_behind_the_claim(|daemon| {
            daemon.take_tmux(TmuxNews::Cut { why: "cut".to_owned() });
            if is_lost {
                daemon.take_tmux(TmuxNews::Lost { why: "lost".to_owned() });
            }
            daemon.take_tmux(TmuxNews::Back { tmux: Mux::none(), found: PanesFound::default() });
        })
        .await;
        assert!(!matches!(phase, Phase::Up { .. }), "it is seen to be gone, too: {phase:?}");
    }
}

#[tokio::test]
async fn who_calls_a_task_off_does_not_wait_for_what_cannot_be_taken() {
    let mut bench = Bench::new();
    let mut life = bench.begin().await;
    let daemon = &mut life.daemon;
    let mut hands = Hands::of(daemon).await;
    hands.work_on_t(daemon).await;
    hands.say(daemon, claimed());
    daemon.take_input(Input::Command { request: RequestId(1), by: None, command: Command::cancel(t()) });
    assert!(daemon.is_open("t"), "its parts may lie there");
    daemon.note_untaken(Some("the disk is full".to_owned()));
    assert!(!daemon.is_open("t") && daemon.mailbox.claims.is_empty());
    drop(hands);
    life.end().await;
}

#[tokio::test]
async fn what_was_said_in_time_is_heard_once_the_drop_zones_are_swept_however_late_that_is() {
    let over = Report::TurnOver { id: t(), turn: 1, asks: true };
    for (said, end) in [(claimed(), Status::Completed), (over, Status::Failed)] {
        let mut bench = Bench::new();
        let mut life = bench.begin().await;
        let daemon = &mut life.daemon;
        let mut hands = Hands::of(daemon).await;
        hands.work_on_t(daemon).await;
        hands.say(daemon, said);
        daemon.later(3 * 3_600_000);
        daemon.wake();
        assert!(!daemon.mailbox.claims.is_empty() && daemon.is_open("t"), "its parts may lie there");
        daemon.swept(u64::MAX);
        assert_eq!(daemon.engine.stage(&t()).unwrap().status(), end);
        drop(hands);
        life.end().await;
    }
}

#[tokio::test]
async fn nothing_is_typed_whose_content_holds_its_token_and_the_next_turn_has_another() {
    let mut bench = Bench::new();
    let mut life = bench.begin().await;
    let daemon = &mut life.daemon;
    let mut hands = Hands::of(daemon).await;
    daemon.take_input(asked(&format!("id: t\nto: worker\ncontent: 合言葉と「OK {TOKEN}」と言う\n")));
    hands.ready(daemon, TOKEN).await;
    daemon.work_until_idle().await;
    assert!(hands.typed().is_empty(), "its echo would be a claim");
    hands.ready(daemon, "other2").await;
    daemon.work_until_idle().await;
    let typed = hands.typed();
    assert!(typed.len() == 1 && typed[0].contains("(token other2)"), "{typed:?}");
    assert_eq!(daemon.engine.state().open[&t()].attempts, 1, "that was no try");
    drop(hands);
    life.end().await;
}

#[tokio::test]
async fn at_the_end_a_turn_that_waits_for_its_view_is_not_typed_and_has_lost_no_try() {
    let mut bench = Bench::new();
    let mut life = bench.begin().await;
    let daemon = &mut life.daemon;
    let mut hands = Hands::of(daemon).await;
    daemon.take_input(task("t"));
    hands.ready(daemon, TOKEN).await;
    daemon.ending = Some(Ending::KeepAgents);
    daemon.hear_views().await;
    daemon.work_until_idle().await;
    assert!(hands.typed().is_empty());
    let open = &daemon.engine.state().open[&t()];
    assert!(matches!(open.stage, Stage::Queued { .. }) && open.attempts == 0, "{open:?}");
    drop(hands);
    life.end().await;
}

#[tokio::test]
async fn that_an_agent_was_free_before_a_turn_is_no_news_behind_it() {
    let mut bench = Bench::new();
    let mut life = bench.begin().await;
    let daemon = &mut life.daemon;
    let mut hands = Hands::of(daemon).await;
    hands.work_on_t(daemon).await;
    daemon.take_input(Input::Command { request: RequestId(1), by: None, command: Command::cancel(t()) });
    daemon.take_input(task("next"));
    let turns = std::mem::take(&mut hands.turns);
    hands.say(daemon, Report::Ready { fresh: Token::new("other2").unwrap() });
    daemon.work_until_idle().await;
    assert!(hands.typed().is_empty(), "it had said so before it was given the turn");
    hands.turns = turns;
    hands.ready(daemon, "other3").await;
    daemon.work_until_idle().await;
    assert_eq!(hands.typed().len(), 1);
    drop(hands);
    life.end().await;
}

#[tokio::test]
async fn what_comes_for_one_who_is_free_is_typed_after_one_flush() {
    let mut bench = Bench::new();
    let mut life = bench.begin().await;
    let daemon = &mut life.daemon;
    let mut hands = Hands::of(daemon).await;
    hands.say(daemon, Report::Ready { fresh: Token::new(TOKEN).unwrap() });
    daemon.work_until_idle().await;
    let flushes = daemon.journal.flushes;
    daemon.take_input(task("t")); // the first visit of the loop
    daemon.hand_out().unwrap();
    daemon.hear_threads().await; // the second: it is written
    assert_eq!(daemon.journal.flushes, flushes + 1);
    daemon.hand_out().unwrap();
    daemon.hear_threads().await; // the third: its view is written
    assert_eq!(hands.typed().len(), 1, "it is ordered");
    let verdict = Verdict::Delivered(Receipt::Read);
    hands.say(daemon, Report::Delivery { id: t(), turn: 1, verdict }); // the fourth
    assert!(matches!(daemon.stage_of_t(), Stage::Working(_)));
    daemon.work_until_idle().await;
    drop(hands);
    life.end().await;
}

#[tokio::test]
async fn nothing_is_typed_of_a_task_that_cannot_be_read_any_more() {
    let mut bench = Bench::new();
    let mut life = bench.begin().await;
    let daemon = &mut life.daemon;
    let mut hands = Hands::of(daemon).await;
    daemon.take_input(task("t"));
    daemon.work_until_idle().await;
    daemon.views.forget_contents();
    let file = bench.process.workspace.journal().join("000001.jsonl");
    let text = std::fs::read(&file).unwrap();
    let at = text.windows(9).position(|bytes| bytes == "やって".as_bytes()).unwrap();
    let file = std::fs::File::options().write(true).open(file).unwrap();
    file.write_all_at("やめて".as_bytes(), at as u64).unwrap();
    hands.ready(daemon, TOKEN).await;
    daemon.work_until_idle().await;
    assert!(hands.typed().is_empty());
    let open = &daemon.engine.state().open[&t()];
    assert!(matches!(open.stage, Stage::Queued { .. }) && open.attempts == 1, "it is tried again: {open:?}");
    drop(hands);
    life.end().await;
}

#[tokio::test]
async fn an_agent_whose_worker_broke_is_started_anew_and_its_task_goes_on() {
    let mut bench = Bench::new();
    let mut life = bench.begin().await;
    let daemon = &mut life.daemon;
    let mut hands = Hands::of(daemon).await;
    hands.work_on_t(daemon).await;
    let broken = daemon.panes.tasks.spawn(std::future::pending());
    daemon.panes.started(broken.id(), (hands.agent.clone(), hands.nonce));
    broken.abort();
    let ended = tokio::time::timeout(PATIENCE, daemon.panes.tasks.join_next_with_id()).await.unwrap();
    daemon.pane_worker_ended(ended.unwrap());
    daemon.swept(u64::MAX);
    daemon.work_until_idle().await;
    let phase = &daemon.engine.state().agents[&hands.agent].phase;
    assert!(matches!(phase, Phase::Restarting { .. }), "{phase:?}");
    assert!(matches!(daemon.stage_of_t(), Stage::Queued { .. }), "{:?}", daemon.stage_of_t());
    drop(hands);
    life.end().await;
}

#[tokio::test]
async fn the_status_of_an_agent_that_works_is_written_each_minute() {
    let mut bench = Bench::new();
    let mut life = bench.begin().await;
    let daemon = &mut life.daemon;
    let mut hands = Hands::of(daemon).await;
    let file = bench.folder.path().join("status/agents/worker.yaml");
    let updated = || {
        let text = std::fs::read_to_string(&file).unwrap();
        text.lines().find(|line| line.starts_with("last_updated:")).unwrap().to_owned()
    };
    for is_working in [false, true] {
        if is_working {
            hands.work_on_t(daemon).await;
        }
        daemon.wake(); // what is due is done
        daemon.work_until_idle().await;
        let before = updated();
        daemon.timers.clock = Clock::starting_at(daemon.timers.clock.now().plus(60_000));
        assert!(!is_working || daemon.wake_at().unwrap() <= daemon.timers.clock.now());
        daemon.wake();
        daemon.work_until_idle().await;
        assert_eq!(updated() != before, is_working, "{before}");
    }
    drop(hands);
    life.end().await;
}

#[tokio::test]
async fn at_the_end_agents_are_left_or_their_windows_closed_as_was_asked() {
    for ending in [Ending::KeepAgents, Ending::StopAgents] {
        let mut bench = Bench::new();
        let mut life = bench.begin().await;
        let mut hands = Hands::of(&mut life.daemon).await;
        while hands.orders.try_recv().is_ok() {}
        let (mut orders, alive) = (hands.orders, hands.alive);
        let close = life.daemon.close(ending);
        let work = async {
            let order = orders.recv().await;
            drop(alive); // the worker has done it
            order
        };
        let (order, ()) = tokio::time::timeout(PATIENCE, async { tokio::join!(work, close) }).await.unwrap();
        match ending {
            Ending::KeepAgents | Ending::Displaced => {
                assert!(matches!(order, Some(Order::Leave)), "{order:?}")
            }
            Ending::StopAgents => assert!(matches!(order, Some(Order::Close)), "{order:?}"),
        }
        let status = std::fs::read_to_string(bench.folder.path().join("status/agents/worker.yaml")).unwrap();
        assert_eq!(status.contains("state: stopped"), ending == Ending::StopAgents, "{status}");
        life.end().await;
    }
}

#[tokio::test]
async fn an_answer_that_waits_while_its_first_goes_to_the_archive_is_known_all_the_same() {
    let mut bench = Bench::new();
    let mut life = bench.begin().await;
    let daemon = &mut life.daemon;
    let mut hands = Hands::of(daemon).await;
    hands.work_on_t(daemon).await;
    let answer = |claim: &str| {
        let text = "id: r\nfrom: worker\nto: user\ntype: result\nin_reply_to: t\ncontent: 済み\n";
        let Input::Drop { drafts, .. } = asked(text) else { panic!("a drop") };
        let source = Source::File { claim: claim.into(), name: "r.yaml".into() };
        Input::Drop { source, drafts, proof: None }
    };
    daemon.take_input(answer("0-1-r.yaml"));
    daemon.swept(u64::MAX);
    daemon.work_until_idle().await;
    assert!(!daemon.is_open("t"), "it is answered");
    // Looked up before the segment with the first is closed, it waits for a sweep until the mailbox has that segment.
    daemon.take_input(answer("0-2-r.yaml"));
    daemon.rotate().await;
    let News::Mail(mail) = seen((false, 0)) else { panic!("mail") };
    daemon.hear(News::Mail(Mail { archives: 1, ..mail }));
    daemon.swept(u64::MAX);
    daemon.work_until_idle().await;
    let handled = daemon.mailbox.handled();
    assert!(handled.taken.contains("0-2-r.yaml") && handled.refused.is_empty(), "{handled:?}");
    drop(hands);
    life.end().await;
}

#[tokio::test]
async fn an_agents_log_that_cannot_be_written_is_no_reason_to_tell_the_team_twice() {
    let mut bench = Bench::new();
    let mut life = bench.begin().await;
    let daemon = &mut life.daemon;
    let mut hands = Hands::of(daemon).await;
    let path = |file: &str| bench.folder.path().join(file);
    let (log, aside) = (path("status/agents/worker.log"), path("aside"));
    let _ = std::fs::rename(&log, &aside);
    std::fs::create_dir(&log).unwrap();
    hands.work_on_t(daemon).await;
    assert!(daemon.views.has_failed(), "a folder is in the way");
    std::fs::remove_dir(&log).unwrap();
    while daemon.views.has_failed() {
        daemon.timers.clock = Clock::starting_at(daemon.timers.clock.now().plus(60_000));
        daemon.wake();
        daemon.work_until_idle().await;
    }
    for file in [path("status/activity.log"), log] {
        let text = std::fs::read_to_string(&file).unwrap();
        let lines: BTreeSet<&str> = text.lines().collect();
        assert_eq!(lines.len(), text.lines().count(), "{text}");
        assert!(lines.iter().any(|line| line.contains(" t ") || line.ends_with(" t")), "{text}");
    }
    drop(hands);
    life.end().await;
}

#[tokio::test]
async fn at_the_end_a_claim_is_left_to_the_next_start_where_something_lies_untaken() {
    let mut bench = Bench::new();
    let mut life = bench.begin().await;
    let daemon = &mut life.daemon;
    for untaken in [true, false] {
        let before = daemon.journal.steps();
        daemon.take_input(asked("type: result\nto: user\nin_reply_to: t\ncontent: done\n"));
        daemon.note_untaken(untaken.then(|| "part.yaml cannot be moved".to_owned()));
        assert_eq!(daemon.health.notes.has(About::Untaken), untaken);
        daemon.close_claims();
        assert!(daemon.mailbox.claims.is_empty());
        assert_eq!(daemon.journal.steps() > before, !untaken, "it is judged now, or by the next daemon");
    }
    daemon.close(Ending::StopAgents).await;
    life.end().await;
}
