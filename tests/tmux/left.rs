//! A line that was typed and not entered, behind which the program has printed: it is in the input, and is not seen there.

use crate::hand::{Hand, entered, fast, lines, turn};
use crate::world::{SOON, World, file_until, row_after, screen_until};
use rustix::process::{Pid, Signal, kill_process};
use tasuki::daemon::panes::orders::{Order, Typed};
use tasuki::engine::input::{Report, Verdict};
use tasuki::engine::life::Turn;
use tasuki::io::mux::Rows;
use tasuki::io::process;
use tasuki::wire::team_file::Profile;
use tokio::time::timeout;

/// Long enough for a test to come in between a line and its Enter.
fn slow() -> Profile {
    Profile { enter_after_ms: 1_500, ..fast() }
}

/// Writes each line that it reads into `lines`, and says so; says `notice`, as `says` does, when it gets a signal.
fn talker(says: &str, mode: &str) -> String {
    format!(
        "echo $$ > pid; trap '{says}' USR1; {mode}; echo ready; \
         while :; do if IFS= read -r line; then echo \"$line\" >> lines; echo got; fi; done"
    )
}

/// Whole lines; the notice begins where the typed line ends, or below it.
const BEHIND: &str = "echo notice";
const BELOW: &str = "printf \"\\nnotice\\n\"";

/// Has the program print a line by itself.
async fn notice(world: &World, hand: &Hand) {
    let pid = std::fs::read_to_string(world.end.folder.path().join("pid")).unwrap();
    let pid = Pid::from_raw(pid.trim().parse().unwrap()).unwrap();
    kill_process(pid, Signal::USR1).unwrap();
    screen_until(&hand.pane, Rows::Joined, |screen| {
        screen.rows.iter().any(|row| row.trim_end().ends_with("notice")) && screen.cursor.0 == 0
    })
    .await;
}

/// Types a text without Enter, as a worker does that dies then.
async fn leave_in_the_input(hand: &Hand, typed: &Typed) {
    hand.pane.paste(&typed.line).await.unwrap();
    shown(hand, typed).await;
}

async fn shown(hand: &Hand, typed: &Typed) {
    let ends = |row: &String| row.trim_end().ends_with(&*typed.line);
    screen_until(&hand.pane, Rows::Joined, |screen| screen.rows.iter().any(ends)).await;
}

/// Has the turn typed, and stops everything before its Enter.
async fn ring_and_stop(hand: &mut Hand, typed: &Typed) {
    hand.give(Order::Deliver(typed.clone())).await;
    shown(hand, typed).await;
    hand.terms.send_modify(|terms| terms.halted = true);
    let verdict = hand.verdict().await;
    let left = matches!(&verdict, Verdict::NotDelivered { why } if why.contains("is in the input"));
    assert!(left, "{verdict:?}");
    hand.terms.send_modify(|terms| terms.halted = false);
}

fn again(typed: &Typed) -> Typed {
    Typed { turn: Turn { redelivered: true, ..typed.turn }, ..typed.clone() }
}

async fn ring(hand: &mut Hand, typed: &Typed) -> Verdict {
    hand.give(Order::Deliver(typed.clone())).await;
    hand.verdict().await
}

#[tokio::test]
async fn a_line_behind_which_the_program_has_printed_is_entered_and_not_typed_twice() {
    for says in [BEHIND, BELOW] {
        let world = World::new().await;
        let mut hand = Hand::at(&world, "a", &talker(says, ":"), slow()).await;
        let typed = turn("t-1", "a995l2");
        ring_and_stop(&mut hand, &typed).await;
        notice(&world, &hand).await;
        assert_eq!(lines(&world), "");
        let verdict = ring(&mut hand, &typed).await;
        assert!(matches!(verdict, Verdict::Delivered(_)), "{verdict:?}");
        assert_eq!(entered(&world, &hand, 1).await, format!("{}\n", typed.line));
    }
}

#[tokio::test]
async fn a_line_that_a_killed_daemon_left_is_not_told_as_delivered_before_it_is() {
    for says in [BEHIND, BELOW] {
        let world = World::new().await;
        let mut hand = Hand::at(&world, "a", &talker(says, ":"), fast()).await;
        let typed = turn("t-1", "a995l2");
        leave_in_the_input(&hand, &typed).await;
        notice(&world, &hand).await;
        hand.give(Order::ResolveDoubt(typed.clone())).await;
        let verdict = hand.verdict().await;
        assert!(matches!(verdict, Verdict::Delivered(_)), "{verdict:?}");
        assert_eq!(entered(&world, &hand, 1).await, format!("{}\n", typed.line), "whole, and with its Enter");
    }
}

#[tokio::test]
async fn an_older_line_that_is_not_seen_does_not_join_the_next_one() {
    let world = World::new().await;
    let (old, new) = (turn("t-1", "a995l2"), turn("t-2", "b995l3"));
    // One of an earlier daemon, and one of this.
    let mut hand = Hand::at(&world, "a", &talker(BELOW, ":"), slow()).await;
    leave_in_the_input(&hand, &old).await;
    notice(&world, &hand).await;
    let verdict = ring(&mut hand, &new).await;
    assert!(matches!(verdict, Verdict::Delivered(_)), "{verdict:?}");
    assert_eq!(entered(&world, &hand, 1).await, format!("{}\n", new.line));
    let (third, fourth) = (turn("t-3", "c995l4"), turn("t-4", "d995l5"));
    ring_and_stop(&mut hand, &third).await;
    notice(&world, &hand).await;
    let verdict = ring(&mut hand, &fourth).await;
    assert!(matches!(verdict, Verdict::Delivered(_)), "{verdict:?}");
    assert_eq!(entered(&world, &hand, 2).await, format!("{}\n{}\n", new.line, fourth.line));
}

#[tokio::test]
async fn a_line_that_was_typed_before_and_is_gone_is_in_doubt_and_then_typed_again() {
    let world = World::new().await;
    let mut hand = Hand::at(&world, "a", &talker(BELOW, ":"), slow()).await;
    let typed = turn("t-1", "a995l2");
    ring_and_stop(&mut hand, &typed).await;
    hand.pane.enter().await.unwrap(); // a person's
    assert_eq!(entered(&world, &hand, 1).await, format!("{}\n", typed.line));
    let verdict = ring(&mut hand, &typed).await;
    assert!(matches!(verdict, Verdict::Unconfirmed { .. }), "it may have been read: {verdict:?}");
    let verdict = ring(&mut hand, &again(&typed)).await;
    assert!(matches!(verdict, Verdict::Delivered(_)), "{verdict:?}");
    assert_eq!(entered(&world, &hand, 2).await, format!("{0}\n{0}\n", typed.line));
}

#[tokio::test]
async fn a_terminal_that_shows_nothing_is_cleared_before_a_line_is_typed_again() {
    let world = World::new().await;
    let says = "stty -echo; echo notice";
    let mut hand = Hand::at(&world, "a", &talker(says, ":"), Profile { clear_key: None, ..slow() }).await;
    let typed = turn("t-1", "a995l2");
    ring_and_stop(&mut hand, &typed).await;
    notice(&world, &hand).await;
    let verdict = ring(&mut hand, &typed).await;
    assert!(matches!(verdict, Verdict::Unconfirmed { .. }), "{verdict:?}");
    let verdict = ring(&mut hand, &again(&typed)).await;
    assert!(matches!(verdict, Verdict::Delivered(_)), "{verdict:?}");
    assert_eq!(entered(&world, &hand, 1).await, format!("{}\n", typed.line));

    // After a kill it may stand there, too, though there is no trace of it.
    let mut hand = Hand::at(&world, "b", &talker(BELOW, "stty -echo"), fast()).await;
    let other = turn("t-2", "b995l3");
    hand.pane.paste(&other.line).await.unwrap();
    notice(&world, &hand).await;
    hand.give(Order::ResolveDoubt(other.clone())).await;
    assert!(matches!(hand.verdict().await, Verdict::NotDelivered { .. }));
    let verdict = ring(&mut hand, &again(&other)).await;
    assert!(matches!(verdict, Verdict::Delivered(_)), "{verdict:?}");
    assert_eq!(entered(&world, &hand, 2).await, format!("{}\n{}\n", typed.line, other.line));
}

/// Is given each key at once, and shows it; writes so many bytes of them into a file.
fn keys(name: &str, bytes: usize) -> String {
    format!(
        "echo $$ > pid; trap 'printf \"\\r\\nnotice\\r\\n\"' USR1; stty raw echo -echoctl; printf 'ready\\r\\n'; \
         head -c {bytes} < /dev/tty > {name} & reader=$!; while kill -0 $reader 2> /dev/null; do wait; done; \
         printf done; exec sleep 1000"
    )
}

#[tokio::test]
async fn in_the_input_of_a_program_itself_a_line_is_cleared_or_in_doubt() {
    let world = World::new().await;
    let typed = turn("t-1", "a995l2");
    let line = &typed.line;
    let expected = [(None, format!("{line}END")), (Some("C-u".to_owned()), format!("{line}\u{15}{line}\r"))];
    for (name, (clear_key, expected)) in ["a", "b"].into_iter().zip(expected) {
        let clears = clear_key.is_some();
        let script = keys(name, expected.len());
        let mut hand = Hand::at(&world, name, &script, Profile { clear_key, ..slow() }).await;
        ring_and_stop(&mut hand, &typed).await;
        notice(&world, &hand).await;
        let verdict = ring(&mut hand, &typed).await;
        assert!(matches!(verdict, Verdict::Unconfirmed { .. }), "{name}: {verdict:?}");
        let verdict = ring(&mut hand, &again(&typed)).await;
        assert_eq!(matches!(verdict, Verdict::Delivered(_)), clears, "{name}: {verdict:?}");
        if !clears {
            hand.pane.type_literal("END").await.unwrap();
        }
        let path = world.end.folder.path().join(name);
        let read = file_until(&hand.pane, &path, |bytes| bytes.len() >= expected.len()).await;
        assert_eq!(String::from_utf8(read).unwrap(), expected, "{name}");
    }
    // After a kill it cannot be told whether Enter was pressed, unless the claim is there.
    let mut hand = Hand::at(&world, "c", &keys("c", 1_000), fast()).await;
    leave_in_the_input(&hand, &typed).await;
    notice(&world, &hand).await;
    hand.give(Order::ResolveDoubt(typed.clone())).await;
    let verdict = hand.verdict().await;
    assert!(matches!(verdict, Verdict::Unconfirmed { .. }), "{verdict:?}");
    hand.pane.type_literal("PLAIN OK a995l2").await.unwrap();
    row_after(&hand.pane, "PLAIN OK a995l2").await;
    let read = async {
        while process::unread_input(&hand.tty).unwrap() > 0 {
            tokio::task::yield_now().await;
        }
    };
    timeout(SOON, read).await.expect("it is read");
    let verdict = ring(&mut hand, &typed).await;
    assert!(matches!(verdict, Verdict::Delivered(_)), "{verdict:?}");
}

#[tokio::test]
async fn the_question_whether_a_line_was_entered_is_no_part_of_an_answer() {
    let world = World::new().await;
    let script = "echo ready; read -r line; echo first; while [ ! -e go ]; do sleep 0.02; done; \
                  echo last; echo 'PLAIN OK a995l2'; exec sleep 1000";
    let mut hand = Hand::at(&world, "a", script, fast()).await;
    let typed = turn("t-1", "a995l2");
    leave_in_the_input(&hand, &typed).await;
    hand.pane.enter().await.unwrap();
    row_after(&hand.pane, "first").await;
    hand.give(Order::ResolveDoubt(typed)).await;
    let verdict = hand.verdict().await;
    assert!(matches!(verdict, Verdict::Delivered(_)), "{verdict:?}");
    world.file("go", "");
    loop {
        match hand.hears().await {
            Report::Claimed { text, .. } => return assert_eq!(&*text, "first\nlast"),
            Report::Taken { .. } => {}
            report => panic!("{report:?}"),
        }
    }
}
