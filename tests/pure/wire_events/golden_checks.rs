//! Events of checks as they stand in a journal ([`super::golden`]).

use crate::wire_events::golden::varied;
use crate::wire_events::samples::{NOON, agent, ended, id, open};
use tasuki::engine::event::{Answer, Event};
use tasuki::engine::evidence::{Base, Checks, Evidence, FailedCheck, KeptClaim};
use tasuki::engine::life::CompletionSource;
use tasuki::engine::message::Outcome;
use tasuki::engine::words::Millis;

fn evidence() -> Evidence {
    Evidence {
        check: "command test".to_owned(),
        passed: false,
        broken: false,
        how: "exit code 1; \"襷\"\nFAILED".to_owned(),
        at: Millis(NOON),
        ms: 1_200,
    }
}

/// What is known of the checks of a task, as events and in what is kept of it.
pub(super) fn checks() -> Vec<Event> {
    let bare = Base {
        agent: agent("coder"),
        at: Millis(NOON),
        commit: None,
        log_bytes: 0,
        command: Vec::new(),
        record: None,
    };
    let members: [fn(&mut Base); 4] = [
        |b| b.commit = Some("3f2a1b0c".repeat(5)),
        |b| b.log_bytes = 512,
        |b| b.command = vec!["cargo".into(), "test \"襷\"".into()],
        |b| b.record = Some("00ff".repeat(16)),
    ];
    let bases = varied(&bare, &members);
    let (source, text) = (CompletionSource::Reply, "It is \"done\".".into());
    let claim = KeptClaim { source, proven: false, truncated: false, text, metadata: "".into() };
    let members: [fn(&mut KeptClaim); 3] =
        [|c| c.proven = true, |c| c.truncated = true, |c| c.metadata = r#"{"metadata":{"n":1.50}}"#.into()];
    let claims = varied(&claim, &members);
    let members: [fn(&mut Evidence); 2] = [|e| e.passed = true, |e| e.broken = true];
    let found = varied(&evidence(), &members);
    let failed = || FailedCheck { turn: 1, at: Millis(NOON), evidence: vec![evidence()] };
    let mut kept = vec![
        Checks { made: 1, ..Checks::default() },
        Checks { failed: vec![failed(), failed()], ..Checks::default() },
        Checks { untold: true, ..Checks::default() },
        Checks { made: 2, failed: vec![failed()], untold: true, base: None, claim: Some(claim) },
    ];
    kept.extend(bases.iter().map(|base| Checks { base: Some(base.clone()), ..Checks::default() }));
    let id = || id("msg-1");
    let mut events: Vec<Event> =
        bases.into_iter().map(|base| Event::Based { id: id(), base: Box::new(base) }).collect();
    events.extend(claims.into_iter().map(|claim| Event::Claimed {
        id: id(),
        made: 2,
        claim: Box::new(claim),
    }));
    events.extend(found.iter().map(|one| Event::Checked { id: id(), made: 2, evidence: vec![one.clone()] }));
    events.push(Event::Checked { id: id(), made: 3, evidence: found.clone() });
    let Event::Ended { answer: Some(answer), .. } = ended() else { panic!("it has an answer") };
    let answer = Some(Box::new(Answer { evidence: found, ..*answer }));
    events.push(Event::Ended { id: id(), outcome: Outcome::Completed, answer, why: None });
    events.extend(kept.into_iter().map(|checks| {
        let mut open = open();
        open.checks = Some(Box::new(checks));
        Event::KeptOpen(Box::new(open))
    }));
    events
}
