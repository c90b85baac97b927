//! The worker of a pane before a real one: what it types, and that what it says of it is true.

use crate::hand::{Hand, entered, fast, lines, turn};
use crate::world::{SOON, World, file_until, row_after, screen_until};
use rustix::process::{Pid, Signal, kill_process};
use std::path::PathBuf;
use std::time::Duration;
use tasuki::daemon::panes::orders::{Order, Typed};
use tasuki::engine::input::{Report, Verdict};
use tasuki::engine::life::Receipt;
use tasuki::engine::screen::doorbell::TurnKind;
use tasuki::io::mux::PaneRow;
use tasuki::io::mux::Rows;
use tasuki::io::mux::{CtrlLetter, Key};
use tasuki::io::process;
use tasuki::io::tmux::command::TmuxCommand;
use tasuki::wire::team_file::Profile;
use tokio::time::{Instant, timeout};

/// Writes each line that it reads into `lines`, and says so.
const READER: &str = "echo ready; while IFS= read -r line; do echo \"$line\" >> lines; echo got; done";

/// Types a text without Enter, as a worker does that dies then.
async fn leave_in_the_input(hand: &Hand, text: &str) {
    hand.pane.paste(text).await.unwrap();
    screen_until(&hand.pane, Rows::Joined, |screen| {
        screen.rows.iter().any(|row| row.trim_end().ends_with(text.trim_end()))
    })
    .await;
}

fn not_delivered(verdict: &Verdict, because: &str) -> bool {
    matches!(verdict, Verdict::NotDelivered { why } if why.contains(because))
}

#[tokio::test]
async fn a_turn_in_doubt_is_settled_by_what_stands_in_the_pane() {
    let world = World::new().await;
    let mut hand = Hand::at(&world, "a", READER, fast()).await;
    let [first, second, third] =
        [("t-1", "a995l2"), ("t-2", "b995l3"), ("t-3", "c995l4")].map(|(id, token)| turn(id, token));
    hand.give(Order::ResolveDoubt(first.clone())).await;
    assert!(not_delivered(&hand.verdict().await, "no trace"), "nothing was typed");

    leave_in_the_input(&hand, &first.line).await;
    hand.give(Order::ResolveDoubt(first.clone())).await;
    assert!(matches!(hand.verdict().await, Verdict::Delivered(_)), "only Enter was missing");
    assert_eq!(entered(&world, &hand, 1).await, format!("{}\n", first.line));
    hand.give(Order::ResolveDoubt(first.clone())).await;
    assert!(matches!(hand.verdict().await, Verdict::Delivered(_)), "it stands there, entered");

    leave_in_the_input(&hand, &format!("{} 日本", second.line)).await;
    hand.give(Order::ResolveDoubt(second)).await;
    assert!(not_delivered(&hand.verdict().await, "somebody typed after its line"), "nobody's words are sent");
    hand.pane.key(Key::Ctrl(CtrlLetter::new('u').unwrap())).await.unwrap();

    leave_in_the_input(&hand, &third.line).await;
    hand.terms.send_modify(|terms| terms.halted = true);
    hand.give(Order::ResolveDoubt(third.clone())).await;
    assert!(matches!(hand.verdict().await, Verdict::Unconfirmed { .. }), "nobody may press Enter");
    assert_eq!(lines(&world), format!("{}\n", first.line));
    hand.terms.send_modify(|terms| terms.halted = false);
    hand.give(Order::ResolveDoubt(third.clone())).await;
    assert!(matches!(hand.verdict().await, Verdict::Delivered(_)));
    assert_eq!(entered(&world, &hand, 2).await, format!("{}\n{}\n", first.line, third.line));
}

#[tokio::test]
async fn what_is_not_read_yet_is_neither_delivered_nor_lost_and_nothing_is_typed_behind_it() {
    let world = World::new().await;
    let script = "stty -echo; echo ready; while [ ! -e go ]; do sleep 0.02; done; head -n 1 > lines; echo got; exec sleep 1000";
    let mut hand = Hand::at(&world, "a", script, fast()).await;
    let first = turn("t-1", "a995l2");
    hand.pane.paste(&first.line).await.unwrap();
    hand.pane.enter().await.unwrap();
    hand.until_unread().await;
    hand.give(Order::Deliver(turn("t-2", "b995l3"))).await;
    let verdict = hand.verdict().await;
    assert!(matches!(verdict, Verdict::Withdrawn { .. }), "{verdict:?}");
    hand.give(Order::ResolveDoubt(first.clone())).await;
    let verdict = hand.verdict().await;
    assert!(matches!(verdict, Verdict::Unconfirmed { .. }), "{verdict:?}");
    world.file("go", "");
    row_after(&hand.pane, "got").await;
    assert_eq!(lines(&world), format!("{}\n", first.line));
    assert_eq!(process::unread_input(&hand.tty).unwrap(), 0, "nothing was typed behind it");
}

#[tokio::test]
async fn the_line_of_an_older_turn_is_never_entered_with_a_newer_one() {
    let world = World::new().await;
    let (old, new) = (turn("t-1", "a995l2"), turn("t-2", "b995l3"));
    let mut hand = Hand::at(&world, "a", READER, Profile { clear_key: None, ..fast() }).await;
    leave_in_the_input(&hand, &old.line).await;
    hand.give(Order::Deliver(new.clone())).await;
    let verdict = hand.verdict().await;
    assert!(not_delivered(&verdict, "an older line"), "{verdict:?}");
    assert_eq!(lines(&world), "");
    // Where it is this turn's own, only Enter is missing.
    hand.give(Order::Deliver(old.clone())).await;
    assert!(matches!(hand.verdict().await, Verdict::Delivered(_)));
    assert_eq!(entered(&world, &hand, 1).await, format!("{}\n", old.line));

    // And what came after the agent was found ready is seen.
    let mut hand = Hand::at(&world, "c", READER, Profile { clear_key: None, ..fast() }).await;
    assert_eq!(until_ready(&mut hand).await, []);
    leave_in_the_input(&hand, &old.line).await;
    hand.give(Order::Deliver(new.clone())).await;
    let verdict = hand.verdict().await;
    assert!(not_delivered(&verdict, "an older line"), "{verdict:?}");

    let mut hand = Hand::at(&world, "b", READER, fast()).await;
    leave_in_the_input(&hand, &old.line).await;
    hand.give(Order::Deliver(new.clone())).await;
    let verdict = hand.verdict().await;
    assert!(matches!(verdict, Verdict::Delivered(_)), "the old line can be cleared: {verdict:?}");
    assert_eq!(entered(&world, &hand, 2).await, format!("{}\n{}\n", old.line, new.line));
}

/// A program that shows nothing of what is typed, which it writes into a file.
async fn mute(world: &World, name: &str, typed: &Typed, shown: &str) -> (Hand, PathBuf) {
    let (path, bytes) = (world.end.folder.path().join(name), typed.line.len() + 3);
    let script = format!(
        "stty raw -echo; printf '%s\\r\\n' '{shown}' ready; head -c {bytes} >{path:?}; printf done; exec sleep 1000"
    );
    (Hand::at(world, name, &script, Profile { echo_wait_ms: 300, ..fast() }).await, path)
}

#[tokio::test]
async fn a_line_that_is_not_shown_is_not_sent() {
    let world = World::new().await;
    // With its token on the screen a line would be known to have been typed before.
    let mut typed = turn("t-1", "a995l2");
    typed.turn.token = None;
    for (name, shown) in [("a", "nothing"), ("b", &*typed.line)] {
        let (mut hand, path) = mute(&world, name, &typed, shown).await;
        hand.give(Order::Deliver(typed.clone())).await;
        let verdict = hand.verdict().await;
        assert!(not_delivered(&verdict, "was not shown"), "{shown}: {verdict:?}");
        hand.pane.type_literal("END").await.unwrap();
        let read = file_until(&hand.pane, &path, |bytes| bytes.len() == typed.line.len() + 3).await;
        assert_eq!(String::from_utf8(read).unwrap(), format!("{}END", typed.line), "no Enter between");
    }
}

#[tokio::test]
async fn a_stop_between_a_line_and_its_enter_holds_that_back() {
    let world = World::new().await;
    let typed = turn("t-1", "a995l2");
    // It shows what was typed late.
    let (path, bytes) = (world.end.folder.path().join("keys"), typed.line.len());
    let script = format!(
        "stty raw -echo; printf 'ready\\r\\n'; head -c {bytes} > shown; printf 'read now\\r\\n'; \
         while [ ! -e go ]; do sleep 0.02; done; cat shown; head -c 3 > {path:?}; printf done; exec sleep 1000"
    );
    let mut hand = Hand::at(&world, "a", &script, fast()).await;
    hand.give(Order::Deliver(typed)).await;
    row_after(&hand.pane, "read now").await;
    hand.terms.send_modify(|terms| terms.halted = true);
    world.file("go", "");
    let verdict = hand.verdict().await;
    assert!(not_delivered(&verdict, "is in the input"), "{verdict:?}");
    hand.pane.type_literal("END").await.unwrap();
    assert_eq!(file_until(&hand.pane, &path, |bytes| bytes.len() == 3).await, b"END", "no Enter before it");
}

#[tokio::test]
async fn a_line_counts_as_read_once_it_was_read() {
    let world = World::new().await;
    let script = "echo ready; while [ ! -e go ]; do sleep 0.02; done; head -n 1 > lines; exec sleep 1000";
    let mut hand = Hand::at(&world, "a", script, fast()).await;
    hand.give(Order::Deliver(turn("t-1", "a995l2"))).await;
    assert_eq!(hand.verdict().await, Verdict::Delivered(Receipt::Echoed));
    hand.looked().await; // and had nothing to say
    world.file("go", "");
    assert!(matches!(hand.hears().await, Report::Taken { turn: 1, .. }));
    // Where the terminal hands each key on at once, nothing proves that it was read.
    let mut hand = Hand::at(&world, "b", "stty raw; echo ready; exec cat > /dev/null", fast()).await;
    hand.give(Order::Deliver(turn("t-2", "b995l3"))).await;
    assert_eq!(hand.verdict().await, Verdict::Delivered(Receipt::Echoed));
}

#[tokio::test]
async fn enter_is_pressed_no_sooner_than_the_program_bears_it() {
    let world = World::new().await;
    let mut hand = Hand::at(&world, "a", READER, Profile { enter_after_ms: 1_500, ..fast() }).await;
    let since = Instant::now();
    hand.give(Order::Deliver(turn("t-1", "a995l2"))).await;
    assert!(matches!(hand.verdict().await, Verdict::Delivered(_)));
    assert!(since.elapsed() >= Duration::from_millis(1_500), "{:?}", since.elapsed());
}

/// Reports until the worker says that its agent may be typed to, which it does after a longer silence than a claim needs.
async fn until_ready(hand: &mut Hand) -> Vec<Report> {
    hand.give(Order::ProbeReadiness { past: None }).await;
    let mut heard = Vec::new();
    loop {
        match hand.hears().await {
            Report::Ready { .. } => return heard,
            Report::NotReady { .. } | Report::Taken { .. } => {}
            report => heard.push(report),
        }
    }
}

#[tokio::test]
async fn a_claim_is_told_once_and_only_where_one_is_awaited() {
    let world = World::new().await;
    let script = "echo ready; while IFS= read -r line; do echo \"working\"; echo 'PLAIN OK a995l2'; done";
    let late = Profile { ready_quiet_ms: 400, ready_within_ms: 60_000, ..fast() };
    let mut hand = Hand::at(&world, "a", script, late).await;
    assert_eq!(until_ready(&mut hand).await, []);
    hand.give(Order::Deliver(turn("t-1", "a995l2"))).await;
    assert!(matches!(hand.verdict().await, Verdict::Delivered(_)));
    let heard = until_ready(&mut hand).await;
    assert!(matches!(&heard[..], [Report::Claimed { turn: 1, .. }]), "{heard:?}");
    hand.pane.enter().await.unwrap(); // it says the same once more
    assert_eq!(until_ready(&mut hand).await, []);
    // Nothing is awaited any more.
    let script = "echo ready; while IFS= read -r line; do echo 'PLAIN OK'; echo 'PLAIN OK b995l3'; done";
    let late = Profile { ready_quiet_ms: 400, ready_within_ms: 60_000, ..fast() };
    let mut other = Hand::at(&world, "b", script, late).await;
    other.give(Order::Watch(turn("t-2", "b995l3"))).await;
    other.give(Order::Unwatch { off: true }).await;
    other.pane.enter().await.unwrap();
    row_after(&other.pane, "PLAIN OK b995l3").await;
    assert_eq!(until_ready(&mut other).await, [Report::Busy { is: false }]);
    // What asks for no answer is not answered by a phrase.
    let mut info = turn("t-3", "b995l3");
    (info.turn.kind, info.turn.token) = (TurnKind::Info, None);
    other.give(Order::Deliver(info)).await;
    assert!(matches!(other.verdict().await, Verdict::Delivered(_)));
    assert_eq!(until_ready(&mut other).await, []);
}

#[tokio::test]
async fn a_claim_right_before_the_end_is_heard_before_the_end_is_told() {
    let world = World::new().await;
    // It is silent for too short a time for its claim to count while it lives, and long enough for tmux to read it: what a program prints
    // at its very end tmux may lose on a loaded machine.
    let script = "echo ready; read -r line; echo 'the answer'; echo 'PLAIN OK a995l2'; sleep 0.2; exit 3";
    let mut hand = Hand::at(&world, "a", script, Profile { quiet_ms: 600, ..fast() }).await;
    hand.give(Order::Deliver(turn("t-1", "a995l2"))).await;
    assert!(matches!(hand.verdict().await, Verdict::Delivered(_)));
    let heard = timeout(SOON, async {
        let mut heard = Vec::new();
        loop {
            match hand.hears().await {
                Report::Exited { clean, .. } => return (heard, clean),
                Report::Taken { .. } => {}
                report => heard.push(report),
            }
        }
    });
    let (heard, clean) = heard.await.unwrap();
    let [Report::Claimed { text, .. }] = &heard[..] else { panic!("{heard:?}") };
    assert_eq!((&**text, clean), ("the answer", false));
}

#[tokio::test]
async fn an_agent_that_never_stops_printing_is_typed_to_in_the_end() {
    let world = World::new().await;
    let restless = Profile { ready_quiet_ms: 1_000, ready_within_ms: 1_500, ..fast() };
    // Far more often than the quiet that it is waited for.
    let script = "echo ready; while :; do printf .; sleep 0.02; done";
    let mut hand = Hand::at(&world, "a", script, restless).await;
    assert_eq!(until_ready(&mut hand).await, []);
}

#[tokio::test]
async fn a_stop_while_an_older_line_is_taken_away_holds_back_the_newer_one() {
    let world = World::new().await;
    let (old, new) = (turn("t-1", "a995l2"), turn("t-2", "b995l3"));
    let mut hand = Hand::at(&world, "a", READER, Profile { quiet_ms: 3_000, ..fast() }).await;
    leave_in_the_input(&hand, &old.line).await;
    hand.give(Order::Deliver(new)).await;
    let is_free = |row: &String| !row.contains("[tasuki]");
    screen_until(&hand.pane, Rows::Joined, |screen| screen.rows.iter().all(is_free)).await;
    hand.terms.send_modify(|terms| terms.halted = true);
    let verdict = hand.verdict().await;
    assert!(matches!(verdict, Verdict::Withdrawn { .. }), "{verdict:?}");
    let screen = hand.pane.capture(0, Rows::Joined).await.unwrap();
    assert!(screen.rows.iter().all(is_free), "{:?}", screen.rows);
}

#[tokio::test]
async fn a_window_is_closed_though_tmux_stood_still_until_nothing_was_asked_of_it_any_more() {
    let world = World::new().await;
    let mut hand = Hand::at(&world, "a", READER, fast()).await;
    // A look that is under way waits for each answer that it has asked for before anything is obeyed.
    assert_eq!(until_ready(&mut hand).await, []);
    let ours = |rows: &[PaneRow]| rows.iter().find(|row| row.tag.is_some()).map(|row| row.pid);
    let pid = ours(&world.tmux.list_panes().await.unwrap()).expect("its pane");
    let program = process::key_of(pid).expect("it lives");
    let server = Pid::from_raw(world.tmux.server_pid().cast_signed()).unwrap();
    kill_process(server, Signal::STOP).unwrap();
    // As many calls as are sent without an answer, and more; what waits behind them until it is given up is not sent.
    for _ in 0..200 {
        let tmux = world.tmux.clone();
        tokio::spawn(async move { tmux.run(TmuxCommand::new("list-sessions")).await });
    }
    tokio::task::yield_now().await;
    hand.give(Order::Close).await;
    let ended = timeout(SOON, process::wait_gone(program)).await;
    kill_process(server, Signal::CONT).unwrap();
    ended.expect("its program ends all the same");
    let closed = async {
        while ours(&world.tmux.list_panes().await.unwrap()).is_some() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(SOON, closed).await.expect("its window is closed");
}
