//! What a worker says of its agent's being free though nothing waits for it.

use crate::hand::{Hand, fast, turn};
use crate::world::{World, row_after};
use tasuki::daemon::panes::orders::Order;
use tasuki::engine::input::{Report, Verdict};
use tasuki::wire::team_file::Profile;

/// Claims each turn whose token it knows.
const CLAIMS: &str = "echo ready; while IFS= read -r line; do sleep 0.1; echo 'PLAIN OK a995l2'; done";

#[tokio::test]
async fn it_is_free_from_the_end_of_its_turn_until_its_pane_shows_something_new() {
    let world = World::new().await;
    let mut hand = Hand::at(&world, "a", CLAIMS, Profile { ready_quiet_ms: 50, ..fast() }).await;
    assert!(hand.stands().await, "it was taken over, and is still");
    hand.give(Order::Deliver(turn("t-1", "a995l2"))).await;
    assert!(matches!(hand.verdict().await, Verdict::Delivered(_)));
    while !matches!(hand.hears().await, Report::Claimed { .. }) {}
    assert!(hand.stands().await, "its turn is over");
    hand.pane.enter().await.unwrap();
    assert!(!hand.stands().await, "it prints something");
    assert!(hand.stands().await, "and is still again");
}

#[tokio::test]
async fn a_turn_that_comes_as_a_guard_closes_goes_back_with_nothing_typed() {
    let world = World::new().await;
    let mut hand = Hand::at(&world, "a", CLAIMS, fast()).await;
    assert!(hand.stands().await);
    hand.terms.send_modify(|terms| terms.halted = true);
    hand.give(Order::Deliver(turn("t-1", "a995l2"))).await;
    assert!(matches!(hand.verdict().await, Verdict::Withdrawn { .. }));
    hand.terms.send_modify(|terms| terms.halted = false);
    hand.give(Order::ProbeReadiness { past: None }).await;
    while !matches!(hand.hears().await, Report::Ready { .. }) {}
    hand.give(Order::Deliver(turn("t-1", "a995l2"))).await;
    assert!(matches!(hand.verdict().await, Verdict::Delivered(_)));
    row_after(&hand.pane, "PLAIN OK a995l2").await;
}
