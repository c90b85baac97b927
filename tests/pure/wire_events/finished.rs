//! The fingerprints of a segment, found from its lines alone.

use crate::wire_events::samples::{accepted, agent, ended_as, finished, id, message, moved, open, plain};
use tasuki::engine::event::{Event, Why};
use tasuki::engine::life::Move;
use tasuki::engine::message::{Known, Message, Outcome};
use tasuki::engine::state::{Finished, Open};
use tasuki::engine::words::Digest;
use tasuki::wire::events::{FinishedScan, encode, encode_snapshot};

#[test]
fn what_ended_in_a_segment_is_found_from_its_lines_alone() {
    let (old, new) = (Digest(7), Digest(8));
    let kept = Open { message: Message { digest: old, ..message() }, ..open() };
    // That one ended in an earlier segment, whose list has it.
    let earlier = Finished { message: Box::new(Message { id: id("msg-0"), ..message() }), ..finished() };
    let late = Message { id: id("msg-2"), digest: new, ..message() };
    let end = |name, outcome| Event::Ended { id: id(name), outcome, answer: None, why: None };
    let mut scan = FinishedScan::default();
    scan.snapshot(&encode_snapshot(&[
        Event::KeptAgent { name: agent("msg-1"), agent: Box::default() },
        Event::KeptOpen(Box::new(kept)),
        Event::KeptFinished(Box::new(earlier)),
    ]))
    .unwrap();
    let steps = [
        vec![accepted(late, plain("{\"event\":\"ended\",\"id\":\"msg-1\",\"outcome\":\"failed\"}"))],
        vec![moved(Move::Take, Why::Plain), end("msg-1", Outcome::Completed)],
        vec![end("msg-1", Outcome::Failed), end("msg-9", Outcome::Failed)],
        vec![ended_as("msg-2", Outcome::Cancelled)],
    ];
    let mut found = Vec::new();
    for step in &steps {
        scan.step(&encode(step), |id, known| found.push((id.to_string(), known))).unwrap();
    }
    let expected = [
        ("msg-1".to_owned(), Known { digest: old, outcome: Outcome::Completed }),
        ("msg-2".to_owned(), Known { digest: new, outcome: Outcome::Cancelled }),
    ];
    assert_eq!(found, expected);
    assert_eq!(scan.strangers(), 2);
    assert!(scan.step("[{]", |_, _| ()).is_err());
    assert!(scan.snapshot("[]").is_err());
}
