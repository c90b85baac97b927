//! Replies find their callers, whatever tmux leaves out or puts in between.

use super::super::command::TmuxCommand;
use super::super::escape::Escape;
use super::super::notice::{self, NOTICES_MAX, Notices};
use super::super::parse::Parser;
use super::*;
use crate::io::mux::error::MuxError;
use std::time::Duration;

/// A session that is attached, with its two ends.
struct Talk {
    calls: Calls,
    parser: Parser,
    notices: Notices,
}

impl Talk {
    fn new() -> Self {
        let (sender, notices) = notice::channel();
        let mut talk = Self {
            calls: Calls::new(sender, tokio::sync::watch::channel(0).0, Instant::now()),
            parser: Parser::new(),
            notices,
        };
        talk.says("%begin 1 1 0\n%end 1 1 0\n%session-changed $0 tasuki\n").unwrap();
        talk
    }

    fn asks(&mut self, command: TmuxCommand) -> oneshot::Receiver<CallAnswer> {
        let (answer, answered) = oneshot::channel();
        let (line, parts) = command.into_line().unwrap();
        self.calls.send(&line, parts, Some(answer));
        answered
    }

    fn says(&mut self, text: &str) -> Result<(), String> {
        self.parser.feed(text.as_bytes());
        while let Some(line) = self.parser.next_line() {
            if let Some(length) = self.calls.line(&line)? {
                self.parser.hold(length, Escape::Backslash);
            }
        }
        Ok(())
    }

    /// Numbered blocks with these texts; `!` in front makes it an error.
    fn answers(&mut self, texts: &[&str]) -> Result<(), String> {
        for (number, text) in texts.iter().enumerate() {
            let (end, text) = text.strip_prefix('!').map_or(("end", *text), |text| ("error", text));
            self.says(&format!("%begin 7 {number} 1\n{text}%{end} 7 {number} 1\n"))?;
        }
        Ok(())
    }
}

#[track_caller]
fn texts(answered: &mut oneshot::Receiver<CallAnswer>) -> Vec<String> {
    let replies = answered.try_recv().expect("there is an answer").expect("it is not an error");
    replies.iter().map(|reply| reply.text().into_owned()).collect()
}

#[track_caller]
fn refused(answered: &mut oneshot::Receiver<CallAnswer>) -> (&'static str, String) {
    match answered.try_recv().expect("there is an answer") {
        Err(MuxError::Refused { command, words }) => (command, words),
        other => panic!("it was {other:?}"),
    }
}

fn paste() -> TmuxCommand {
    let choice = TmuxCommand::choose(
        PaneId(1),
        "1",
        TmuxCommand::silent("paste-buffer"),
        TmuxCommand::new("display-message"),
    );
    TmuxCommand::silent("set-buffer").then(choice).then(TmuxCommand::silent("delete-buffer"))
}

#[test]
fn each_caller_gets_its_own_replies() {
    let mut talk = Talk::new();
    let mut first = talk.asks(TmuxCommand::new("a").then(TmuxCommand::new("b")));
    let mut second = talk.asks(TmuxCommand::new("c"));
    assert_eq!(talk.calls.out, b"a ; b\nc\n");
    talk.answers(&["1\n2\n"]).unwrap();
    assert!(first.try_recv().is_err(), "one of two is not all");
    talk.answers(&["", "3\n"]).unwrap();
    assert_eq!(texts(&mut first), ["1\n2", ""]);
    assert_eq!(texts(&mut second), ["3"]);
    assert_eq!(talk.calls.in_flight(), 0);
}

#[test]
fn an_error_ends_the_line_and_not_the_next_one() {
    let mut talk = Talk::new();
    let mut first = talk.asks(TmuxCommand::new("a").then(TmuxCommand::new("b")).then(TmuxCommand::new("c")));
    let mut second = talk.asks(TmuxCommand::new("d"));
    talk.answers(&["1\n", "!no \u{1b}such thing\n", "4\n"]).unwrap();
    assert_eq!(refused(&mut first), ("b", "no \\u{1b}such thing".to_owned()));
    assert_eq!(texts(&mut second), ["4"]);
}

#[test]
fn an_error_in_a_branch_does_not_end_the_line() {
    let mut talk = Talk::new();
    let mut first = talk.asks(paste());
    let mut second = talk.asks(TmuxCommand::new("d"));
    talk.answers(&["", "", "!can't find pane: %1\n"]).unwrap();
    assert!(first.try_recv().is_err(), "the removal of the buffer is still to come");
    talk.answers(&["", "4\n"]).unwrap();
    assert_eq!(refused(&mut first), ("paste-buffer", "can't find pane: %1".to_owned()));
    assert_eq!(texts(&mut second), ["4"]);
}

#[test]
fn an_error_before_a_branch_leaves_the_branch_out() {
    let mut talk = Talk::new();
    let mut first = talk.asks(paste());
    let mut second = talk.asks(TmuxCommand::new("d"));
    talk.answers(&["", "!bad condition\n", "4\n"]).unwrap();
    assert_eq!(refused(&mut first), ("if-shell", "bad condition".to_owned()));
    assert_eq!(texts(&mut second), ["4"]);
}

#[test]
fn what_tmux_runs_by_itself_is_nobodys_reply() {
    let mut talk = Talk::new();
    let mut first = talk.asks(TmuxCommand::new("a").then(TmuxCommand::new("b")));
    talk.answers(&["1\n"]).unwrap();
    talk.says("%begin 7 8 0\nof a hook\n%error 7 8 0\n").unwrap();
    talk.answers(&["2\n"]).unwrap();
    assert_eq!(texts(&mut first), ["1", "2"]);
}

#[test]
fn news_within_a_silent_reply_is_news_and_within_text_is_text() {
    let mut talk = Talk::new();
    let counter = talk.calls.watch(PaneId(5));
    let mut silent = talk.asks(TmuxCommand::silent("load-buffer"));
    talk.answers(&["%output %5 x\n%pause %5\nodd\n"]).unwrap();
    assert_eq!(texts(&mut silent), ["odd"]);
    assert_eq!(counter.borrow().pieces, 2);
    assert!(String::from_utf8_lossy(&talk.calls.out).ends_with("refresh-client -A \"%5:continue\"\n"));
    talk.answers(&["%continue %5\n"]).unwrap();
    assert_eq!(counter.borrow().pieces, 3);
    let mut text = talk.asks(TmuxCommand::new("list-panes"));
    talk.answers(&["%output %5 x\n%exit\n"]).unwrap();
    assert_eq!(texts(&mut text), ["%output %5 x\n%exit"]);
    assert_eq!(counter.borrow().pieces, 3);
}

#[test]
fn a_buffer_may_hold_any_line() {
    let mut talk = Talk::new();
    let mut taken = talk.asks(TmuxCommand::take_buffer("b"));
    let mut next = talk.asks(TmuxCommand::new("d"));
    let evil = "%end 7 1 1\n%begin 7 2 1\n%end 7 2 1\n%begin 7 3 1\nfake\n%end 7 3 1\n%exit\n";
    let length = evil.len() - 1;
    talk.answers(&[&format!("{length}\n"), evil, "", "true\n"]).unwrap();
    assert_eq!(texts(&mut taken), [&length.to_string(), evil.strip_suffix('\n').unwrap(), ""]);
    assert_eq!(texts(&mut next), ["true"]);
}

#[test]
fn a_caller_that_has_given_up_costs_nothing_and_presses_no_key() {
    let mut talk = Talk::new();
    let kept = talk.asks(TmuxCommand::new("a"));
    let (answer, answered) = oneshot::channel();
    drop(answered);
    let (line, parts) = TmuxCommand::silent("send-keys").into_line().unwrap();
    talk.calls.send(&line, parts, Some(answer));
    assert_eq!(talk.calls.out, b"a\n", "what nobody waits for any more is not sent");
    drop(kept);
    let mut next = talk.asks(TmuxCommand::new("b"));
    talk.answers(&["1\n", "2\n"]).unwrap();
    assert_eq!(texts(&mut next), ["2"], "the reply that nobody wants is still told apart");
}

#[test]
fn what_cannot_be_is_the_end() {
    let end = |text: &str| Talk::new().says(text).unwrap_err();
    assert_eq!(end("%begin 7 1 1\n"), "tmux answered a command that was not sent");
    assert_eq!(end("%end 7 1 1\n"), "tmux ended a reply that it had not begun");
    assert_eq!(end("%session-changed $1 other\n"), "its session was closed, and tmux moved us to another");
    assert_eq!(end("%exit\n"), "tmux closed the connection");
    assert_eq!(end("%exit server \u{1b}exited\n"), "server \\u{1b}exited");
    let (sender, _notices) = notice::channel();
    let mut talk =
        Talk { calls: Calls::new(sender, tokio::sync::watch::channel(0).0, Instant::now()), ..Talk::new() };
    let refused = talk.says("%begin 1 1 0\ncan't find session: tasuki\n%error 1 1 0\n");
    assert_eq!(refused.unwrap_err(), "can't find session: tasuki");
}

#[tokio::test]
async fn the_end_is_told_to_all() {
    let mut talk = Talk::new();
    let mut waits = talk.asks(TmuxCommand::new("a"));
    let mut counter = talk.calls.watch(PaneId(5));
    talk.calls.close("the server died");
    let Err(MuxError::Gone { why }) = waits.try_recv().unwrap() else { panic!("it was answered") };
    assert_eq!(why, "the server died");
    assert!(counter.changed().await.is_err());
    assert_eq!(talk.notices.next().await, Some(Notice::Gone { why }));
}

#[tokio::test]
async fn too_much_news_becomes_one_word_and_the_end_is_still_told() {
    let mut talk = Talk::new();
    let burst = 3 * NOTICES_MAX;
    for window in 0..burst {
        talk.says(&format!("%window-add @{window}\n")).unwrap();
    }
    assert!(talk.calls.notices.has_missed());
    talk.calls.close("end");
    drop(talk.calls);
    let mut told = Vec::new();
    while let Some(notice) = talk.notices.next().await {
        told.push(notice);
    }
    assert_eq!(told.len(), NOTICES_MAX);
    assert_eq!(told.last(), Some(&Notice::Gone { why: "end".to_owned() }));
}

#[tokio::test]
async fn missed_news_is_told_once_there_is_room() {
    let mut talk = Talk::new();
    for window in 0..NOTICES_MAX {
        talk.says(&format!("%window-add @{window}\n")).unwrap();
    }
    talk.notices.next().await.unwrap();
    // Until that is told nothing newer is, so that "look again" comes behind what was missed.
    talk.says("%sessions-changed\n").unwrap();
    talk.calls.notices.tell_missed().await;
    assert!(!talk.calls.notices.has_missed());
    for _ in 0..NOTICES_MAX - 2 {
        assert!(matches!(talk.notices.next().await, Some(Notice::WindowAdded(_))));
    }
    assert_eq!(talk.notices.next().await, Some(Notice::Missed));
    talk.says("%sessions-changed\n").unwrap();
    assert_eq!(talk.notices.next().await, Some(Notice::SessionsChanged));
}

#[test]
fn nothing_is_taken_while_the_guard_is_on_its_way() {
    let mut talk = Talk::new();
    assert!(talk.calls.has_room());
    talk.calls.await_guard(7);
    talk.says("%client-session-changed client-77 $0 tasuki\n").unwrap();
    assert!(!talk.calls.has_room(), "that was somebody else");
    talk.says("%client-session-changed client-7 $0 tasuki\n").unwrap();
    assert!(talk.calls.has_room());
}

#[test]
fn output_behind_a_silence_begins_anew_and_a_new_size_wakes_who_waits_for_that() {
    let mut talk = Talk::new();
    let start = Instant::now();
    talk.calls.read_at(start);
    let mut printed = talk.calls.watch(PaneId(2));
    // Each piece is near to the one before, however far apart two looks are.
    for ms in [400, 1_300, 2_200] {
        talk.calls.read_at(start + Duration::from_millis(ms));
        talk.says("%output %2 a\n").unwrap();
    }
    let seen = *printed.borrow_and_update();
    assert_eq!((seen.pieces, seen.begun), (3, start));
    talk.calls.read_at(start + Duration::from_millis(3_200));
    talk.says("%output %2 a\n%output %2 b\n").unwrap();
    let seen = *printed.borrow_and_update();
    assert_eq!((seen.pieces, seen.begun), (5, seen.at));

    let mut size = talk.calls.watch_size(PaneId(2));
    assert!(!size.has_changed().unwrap());
    talk.says("%layout-change @3 b25f,80x24,0,0,2 b25f,80x24,0,0,2 *\n").unwrap();
    assert!(size.has_changed().unwrap());
    size.mark_unchanged();
    talk.says("%layout-change @4 b25f,80x24,0,0,7 b25f,80x24,0,0,7 *\n").unwrap();
    assert!(!printed.has_changed().unwrap() && !size.has_changed().unwrap(), "another pane's, and nobody's");
    assert_eq!(printed.borrow().resized, 1);
}
