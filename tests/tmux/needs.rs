//! What a worker makes of screens that say that their program needs somebody, or time: recorded screens of Claude Code, shown
//! as they are wanted.

use crate::hand::Hand;
use crate::world::World;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tasuki::daemon::panes::orders::{Launches, Order};
use tasuki::engine::input::{Guard, Report};
use tasuki::engine::team::need::NeedKind;
use tasuki::io::frame::KeptFrame;
use tasuki::wire::team_file::{Profile, built_in_profiles};

/// Shows what it is told to show.
const EASEL: &str =
    "mkfifo shows; exec 3<>shows; stty -echo; echo ready; while read -r file <&3; do cat $file; done";

fn claude() -> Profile {
    let profile = built_in_profiles().into_iter().find(|(name, _)| name == "claude").unwrap().1;
    Profile { quiet_ms: 20, ready_quiet_ms: 0, ready_within_ms: 0, ..profile }
}

/// Has the program show a recorded screen, with one text of it in place of another.
fn show(world: &World, name: &str, (old, new): (&str, &str)) {
    let screens = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/screens/claude");
    let frame = KeptFrame::read(&screens.join(name)).unwrap();
    let (column, row) = frame.cursor.unwrap_or((0, 0));
    let rows = frame.rows[..frame.rows.len().min(50)].join("\r\n").replace(old, new);
    let (row, column) = (row + 1, column + 1);
    world.file("next", format!("\x1b[2J\x1b[H{rows}\x1b[{row};{column}H"));
    std::fs::rename(world.end.folder.path().join("next"), world.end.folder.path().join("shown")).unwrap();
    let mut shows =
        std::fs::OpenOptions::new().write(true).open(world.end.folder.path().join("shows")).unwrap();
    shows.write_all(b"shown\n").unwrap();
}

async fn limit(hand: &mut Hand) -> Arc<str> {
    match hand.hears().await {
        Report::Needs { kind: NeedKind::Limit, why, .. } => why,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_limit_that_is_over_keeps_nobody_out_whatever_the_worker_forgot() {
    let world = World::new().await;
    let mut hand = Hand::at(&world, "a", EASEL, claude()).await;
    show(&world, "usage-limit-session.txt", ("", ""));
    let why = limit(&mut hand).await;
    for other in [None, Some("another limit".into())] {
        hand.give(Order::ProbeReadiness { past: other }).await;
        assert_eq!(hand.hears().await, Report::NotReady { guard: Guard::Limited });
    }
    // It forgets what it told with its profile.
    hand.launches.send(Launches::default()).unwrap();
    hand.give(Order::ProbeReadiness { past: Some(why.clone()) }).await;
    loop {
        match hand.hears().await {
            Report::Ready { .. } => break,
            Report::Needs { .. } => {}
            other => panic!("{other:?}"),
        }
    }
    // A worker that takes an agent over has told nothing.
    let other_world = World::new().await;
    let mut other = Hand::at(&other_world, "a", EASEL, claude()).await;
    other.give(Order::ProbeReadiness { past: Some(why.clone()) }).await;
    assert_eq!(other.hears().await, Report::NotReady { guard: Guard::UnknownScreen });
    show(&other_world, "usage-limit-session.txt", ("", ""));
    assert!(matches!(other.hears().await, Report::Ready { .. }));
    // Another limit is another one.
    show(&world, "usage-limit-week.txt", ("", ""));
    while limit(&mut hand).await == why {}
    hand.give(Order::ProbeReadiness { past: Some(why) }).await;
    assert_eq!(hand.hears().await, Report::NotReady { guard: Guard::Limited });
}

/// What it says within a moment, with what it does left out.
async fn heard_within(hand: &mut Hand, time: Duration) -> Vec<Report> {
    let mut heard = Vec::new();
    let end = tokio::time::Instant::now() + time;
    while let Ok(report) = tokio::time::timeout_at(end, hand.hears()).await {
        heard.push(report);
    }
    heard
}

#[tokio::test]
async fn a_limit_whose_row_changes_at_each_look_is_told() {
    let world = World::new().await;
    let mut hand = Hand::at(&world, "a", EASEL, claude()).await;
    let mut heard = Vec::new();
    for number in 0..10 {
        show(&world, "usage-limit-session.txt", ("resets", &format!("{number} resets")));
        heard.extend(heard_within(&mut hand, Duration::from_millis(100)).await);
    }
    let is_limit = |report: &Report| matches!(report, Report::Needs { kind: NeedKind::Limit, .. });
    assert!(heard.first().is_some_and(is_limit), "{heard:?}");
}

#[tokio::test]
async fn a_screen_that_changes_its_mind_all_the_time_is_told_ever_less_often() {
    let world = World::new().await;
    let mut hand = Hand::at(&world, "a", EASEL, claude()).await;
    let mut heard = Vec::new();
    for _ in 0..15 {
        for screen in ["dialog-120x40.txt", "ready.txt"] {
            show(&world, screen, ("", ""));
            heard.extend(heard_within(&mut hand, Duration::from_millis(400)).await);
        }
    }
    assert!((10..20).contains(&heard.len()), "{}: {heard:?}", heard.len());
}
