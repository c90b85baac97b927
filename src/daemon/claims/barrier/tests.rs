//! What waits until the drops that lay there are taken, and in which order it goes on.

use super::*;
use crate::engine::input::{FoundPane, Guard};
use crate::engine::life::CompletionSource;
use crate::engine::message::{RequestId, Source};
use crate::engine::words::{MessageId, Millis, Nonce, PaneId, ProcessKey, Token};
use crate::wire::message::draft;
use chrono::Utc;

fn report(agent: &str, report: Report) -> Input {
    Input::Report { agent: AgentName::new(agent).unwrap(), nonce: Nonce(1), report }
}

fn claim(agent: &str) -> Input {
    let (id, source) = (MessageId::new("t").unwrap(), CompletionSource::Marker);
    let (token, line) = (None, "".into());
    report(agent, Report::Claimed { id, turn: 1, token, line, source, text: "襷".into(), truncated: false })
}

fn exit(agent: &str) -> Input {
    report(agent, Report::Exited { how: "exit 0".to_owned(), clean: true })
}

fn busy(agent: &str) -> Input {
    report(agent, Report::NotReady { guard: Guard::Busy })
}

fn dropped(text: &str) -> Input {
    let mint = &mut || MessageId::new("minted").unwrap();
    let drafts = draft::read(text.as_bytes(), None, &|_| true, mint, Millis(1), &Utc).unwrap();
    Input::Drop { source: Source::Request(RequestId(1)), drafts, proof: None }
}

fn replied() -> Input {
    let token = Token::new("k7qf2m").unwrap();
    Input::Command {
        by: None,
        request: RequestId(1),
        command: Command::Reply { token, text: "done".into(), failed: false, extra: "".into(), spent: None },
    }
}

/// A barrier at which this waits for these sweeps.
fn handle(waiting: Vec<(u64, Input)>) -> ClaimBarrier {
    let waiting = waiting.into_iter().map(|(sweep, input)| Waiting { sweep, input, gave_way: false });
    ClaimBarrier { waiting: waiting.collect(), found: None }
}

#[test]
fn whatever_ends_a_task_waits_for_the_parts_that_were_handed_on_before() {
    let over = Report::TurnOver { id: MessageId::new("t").unwrap(), turn: 1, asks: false };
    let answer = "type: result\nfrom: a\nto: b\nin_reply_to: t\ncontent: done\n";
    for input in [claim("a"), exit("a"), report("a", over), replied(), dropped(answer)] {
        assert!(ClaimBarrier::default().holds(&input), "{input:?}");
    }
    for input in [busy("a"), dropped("to: b\ncontent: a part\n"), Input::Wake] {
        assert!(!ClaimBarrier::default().holds(&input), "{input:?}");
    }
}

#[test]
fn what_an_agent_says_after_its_claim_does_not_overtake_it() {
    let handle = handle(vec![(1, claim("a"))]);
    assert!(handle.holds(&busy("a")));
    assert!(!handle.holds(&busy("b")), "of others nothing waits");
}

#[test]
fn what_waits_goes_on_after_its_sweep_in_order() {
    let mut handle = handle(vec![(1, claim("a")), (2, claim("b"))]);
    assert_eq!(handle.next(0), None);
    assert_eq!(handle.next(1), Some(claim("a")));
    assert_eq!(handle.next(1), None, "what came later waits for a later sweep");
    assert_eq!(handle.next(2), Some(claim("b")));
    assert!(handle.is_empty());
}

#[test]
fn an_answer_that_lay_there_counts_before_the_end_of_its_agent() {
    let mut handle = handle(vec![(1, exit("a")), (2, replied())]);
    assert_eq!(handle.next(1), None, "it gives way");
    assert_eq!(handle.next(2), Some(replied()));
    assert_eq!(handle.next(2), Some(exit("a")), "once");
}

const OWN: ProcessKey = ProcessKey { pid: 7, start_ticks: 7 };

/// Three agents with a task each; `t-a` has a part, at which `b` works.
fn busy_three() -> State {
    let mut state = State::default();
    for (name, task) in [("a", "t-a"), ("b", "t-b"), ("c", "t-c")] {
        let phase = Phase::Up { pane: PaneId(1), process: OWN };
        let current = Some(MessageId::new(task).unwrap());
        let agent = Agent { nonce: Some(Nonce(1)), current, phase, ..Agent::default() };
        state.agents.insert(AgentName::new(name).unwrap(), agent);
    }
    let part = BTreeSet::from([MessageId::new("t-b").unwrap()]);
    state.parts.insert(MessageId::new("t-a").unwrap(), part);
    state
}

#[test]
fn only_what_an_input_would_take_away_goes_before_its_sweep() {
    let cancel = |id: &str| Input::Command {
        by: None,
        request: RequestId(2),
        command: Command::Cancel { id: MessageId::new(id).unwrap(), let_finish: false },
    };
    let stop = |name: &str| Input::Command {
        by: None,
        request: RequestId(2),
        command: Command::Stop(AgentName::new(name).unwrap()),
    };
    let other = ProcessKey { start_ticks: 8, ..OWN };
    let found = |panes: &[(&str, Option<ProcessKey>)]| {
        let pane = |(name, process): &(&str, Option<ProcessKey>)| FoundPane {
            agent: AgentName::new(name).unwrap(),
            nonce: Nonce(1),
            pane: PaneId(1),
            process: *process,
        };
        Input::TmuxBack(panes.iter().map(pane).collect())
    };
    for (input, first) in [
        (cancel("t-a"), vec!["a", "b"]),
        (cancel("t-b"), vec!["b"]),
        (cancel("t-d"), vec![]),
        (stop("c"), vec!["c"]),
        (Input::TmuxCut, vec![]),
        (found(&[("a", Some(OWN)), ("c", Some(OWN))]), vec!["b"]),
        (found(&[("a", Some(OWN)), ("b", Some(other)), ("c", None)]), vec!["b", "c"]),
        (Input::TmuxLost { why: "gone".to_owned() }, vec!["a", "b", "c"]),
        (Input::Wake, vec![]),
    ] {
        let mut handle = handle(["a", "b", "c"].map(|name| (9, claim(name))).into());
        let went = handle.going_before(&input, &busy_three());
        assert_eq!(went, first.iter().map(|name| claim(name)).collect::<Vec<_>>(), "{input:?}");
        assert_eq!(handle.waiting.len(), 3 - first.len(), "the others go on waiting");
    }
    let mut ends = handle(vec![(1, exit("a")), (2, replied())]);
    assert_eq!(
        ends.going_before(&stop("a"), &busy_three()),
        [replied(), exit("a")],
        "whose token it is nobody knows"
    );
}
