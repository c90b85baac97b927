//! When the worker of a pane says that a turn is done or over, and when it says nothing.

use crate::hand::{Hand, fast, turn};
use crate::world::{World, row_after};
use rustix::process::{Pid, Signal, kill_process};
use std::time::Duration;
use tasuki::daemon::panes::orders::Order;
use tasuki::engine::input::{Guard, Report, Verdict};
use tasuki::engine::life::CompletionSource;
use tasuki::wire::team_file::Profile;

/// Types the turn, which must be delivered.
async fn ring(hand: &mut Hand) {
    hand.give(Order::Deliver(turn("t-1", "a995l2"))).await;
    let verdict = hand.verdict().await;
    assert!(matches!(verdict, Verdict::Delivered(_)), "{verdict:?}");
}

/// What the worker reports next, but that a line was read.
async fn hears(hand: &mut Hand) -> Report {
    loop {
        match hand.hears().await {
            Report::Taken { .. } => {}
            report => return report,
        }
    }
}

#[tokio::test]
async fn a_sentence_that_is_still_being_written_is_no_claim() {
    let world = World::new().await;
    let script = "echo ready; read -r line; printf 'PLAIN OK a995l2'; sleep 1.5; echo ' is what I shall say.'; \
                  while [ ! -e go ]; do sleep 0.02; done; echo 'PLAIN OK a995l2'; exec sleep 1000";
    let mut hand = Hand::at(&world, "a", script, Profile { quiet_ms: 4_000, ..fast() }).await;
    ring(&mut hand).await;
    row_after(&hand.pane, "PLAIN OK a995l2 is").await;
    world.file("go", "");
    let report = hears(&mut hand).await;
    let Report::Claimed { text, token, line, .. } = &report else { panic!("{report:?}") };
    assert_eq!(
        (token.map(|token| token.to_string()).as_deref(), &**line),
        (Some("a995l2"), "PLAIN OK a995l2")
    );
    assert_eq!(&**text, "PLAIN OK a995l2 is what I shall say.");
}

#[tokio::test]
async fn a_claim_that_stands_there_is_found_though_tmux_stood_still() {
    let world = World::new().await;
    let script = "echo ready; read -r line; echo 'PLAIN OK a995l2'; exec sleep 1000";
    let mut hand = Hand::at(&world, "a", script, Profile { quiet_ms: 1_000, ..fast() }).await;
    ring(&mut hand).await;
    row_after(&hand.pane, "PLAIN OK a995l2").await;
    let server = Pid::from_raw(world.tmux.server_pid().cast_signed()).unwrap();
    kill_process(server, Signal::STOP).unwrap();
    // Longer than any call to tmux waits for its answer: this is what is tested, not waited for.
    tokio::time::sleep(Duration::from_secs(7)).await;
    kill_process(server, Signal::CONT).unwrap();
    assert!(matches!(hears(&mut hand).await, Report::Claimed { .. }));
}

#[tokio::test]
async fn an_answer_longer_than_what_is_searched_comes_whole() {
    let world = World::new().await;
    let script = "echo ready; read -r line; seq 1000; echo 'PLAIN OK a995l2'; exec sleep 1000";
    let mut hand = Hand::at(&world, "a", script, fast()).await;
    ring(&mut hand).await;
    let report = hears(&mut hand).await;
    let Report::Claimed { text, truncated: false, .. } = &report else { panic!("{report:?}") };
    assert!(text.lines().map(str::to_owned).eq((1..=1000).map(|number| number.to_string())), "{text}");
}

#[tokio::test]
async fn an_agent_without_tokens_is_heard_though_its_line_has_left_what_is_searched() {
    let world = World::new().await;
    let script = "echo ready; read -r line; seq 1000; echo PLAIN OK; exec sleep 1000";
    let mut hand = Hand::at(&world, "a", script, fast()).await;
    let mut typed = turn("t-1", "a995l2");
    typed.turn.token = None;
    hand.give(Order::Deliver(typed)).await;
    let verdict = hand.verdict().await;
    assert!(matches!(verdict, Verdict::Delivered(_)), "{verdict:?}");
    let report = hears(&mut hand).await;
    let Report::Claimed { text, truncated: false, .. } = &report else { panic!("{report:?}") };
    assert!(text.lines().map(str::to_owned).eq((1..=1000).map(|number| number.to_string())), "{text}");
}

#[tokio::test]
async fn a_claim_proves_after_a_kill_that_its_turn_was_read_wherever_its_line_went() {
    let world = World::new().await;
    let script = "echo ready; read -r line; seq 1000; echo 'PLAIN OK a995l2'; exec sleep 1000";
    let mut hand = Hand::at(&world, "a", script, fast()).await;
    ring(&mut hand).await;
    let report = hears(&mut hand).await;
    assert!(matches!(report, Report::Claimed { .. }), "{report:?}");
    hand.give(Order::ResolveDoubt(turn("t-1", "a995l2"))).await;
    let verdict = hand.verdict().await;
    assert!(matches!(verdict, Verdict::Delivered(_)), "{verdict:?}");
}

#[tokio::test]
async fn an_agent_that_only_pauses_between_two_steps_is_not_at_its_end() {
    let world = World::new().await;
    // A second after it has read its line it seems to be at its end; soon after that it goes on by itself.
    let on = r#"trap "sleep 1; echo PLAIN OK a995l2; exec sleep 1000" ALRM"#;
    let steps = format!("{on}; echo ready; read -r line; ( (sleep 1.5; kill -ALRM $$) & ); read -r more");
    let mut hand = Hand::at(&world, "a", &format!("exec bash -c '{steps}'"), fast()).await;
    ring(&mut hand).await;
    let report = hears(&mut hand).await;
    assert!(matches!(report, Report::Claimed { .. }), "{report:?}");
}

#[tokio::test]
async fn the_end_of_a_turn_is_told_where_no_token_is_known_too() {
    let world = World::new().await;
    let script = "echo ready; while read -r line; do :; done";
    let slow = Profile { ready_quiet_ms: 4_000, ready_within_ms: 60_000, ..fast() };
    let mut hand = Hand::at(&world, "a", script, slow).await;
    let mut typed = turn("t-1", "a995l2");
    typed.turn.token = None;
    hand.give(Order::Watch(typed)).await;
    hand.give(Order::ProbeReadiness { past: None }).await;
    loop {
        match hand.hears().await {
            Report::NotReady { .. } | Report::Said { .. } => {}
            Report::TurnOver { asks: false, .. } => return,
            report => panic!("{report:?}"),
        }
    }
}

#[tokio::test]
async fn only_a_clean_end_is_the_claim_of_a_program_that_ends_after_each_task() {
    let world = World::new().await;
    for (name, code) in [("a", 3), ("b", 0)] {
        let script = format!("echo ready; read -r line; echo an answer; exit {code}");
        let mut hand = Hand::at(&world, name, &script, Profile { one_shot: true, ..fast() }).await;
        ring(&mut hand).await;
        let mut report = hears(&mut hand).await;
        if code == 0 {
            assert!(
                matches!(&report, Report::Claimed { source: CompletionSource::ProcessExit, .. }),
                "{report:?}"
            );
            report = hears(&mut hand).await;
        }
        assert!(matches!(&report, Report::Exited { clean, .. } if *clean == (code == 0)), "{report:?}");
    }
}

#[tokio::test]
async fn a_pane_in_copy_mode_is_not_ready_before_it_is_left() {
    let world = World::new().await;
    let mut hand = Hand::at(&world, "a", "echo ready; exec sleep 1000", fast()).await;
    let pane = hand.pane.id().to_string();
    world.end.plain(&["copy-mode", "-t", &pane]);
    hand.give(Order::ProbeReadiness { past: None }).await;
    assert!(matches!(hand.hears().await, Report::NotReady { guard: Guard::CopyMode }));
    world.end.plain(&["send-keys", "-t", &pane, "-X", "cancel"]);
    assert!(matches!(hand.hears().await, Report::Ready { .. }));
}
