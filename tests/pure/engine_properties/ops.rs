//! What may come from outside: people, agents, panes, tmux, time, and crashes, in any order.

use proptest::prelude::*;

/// One thing that happens. Numbers pick among what there is.
#[derive(Debug, Clone)]
pub(crate) enum Op {
    /// Drafts in one drop; whether it is a file; whose key it has.
    Drop {
        drafts: Vec<Text>,
        file: bool,
        proof: Option<u8>,
    },
    /// A result or error for a task.
    Answer {
        from: u8,
        task: u8,
        token: Option<u8>,
        failed: bool,
        proof: bool,
    },
    Reply {
        token: u8,
        failed: bool,
    },
    Acknowledge {
        token: u8,
    },
    /// A person takes what an agent said for its answer.
    Done(u8),
    Cancel(u8),
    Retry(u8),
    Resend(u8),
    BadDrop {
        from: u8,
    },
    Start(u8),
    StartAll,
    Stop(u8),
    Restart(u8),
    /// A worker does what it was asked.
    Work {
        agent: u8,
        how: u8,
    },
    /// A worker says that a turn of its agent's is done, with a token that it may not close it with.
    Claim {
        agent: u8,
        with: u8,
    },
    /// A worker says something that nobody asked for.
    Noise {
        agent: u8,
        message: u8,
        turn: u8,
        what: u8,
        old: bool,
    },
    /// A job comes to its end, well or not.
    Job {
        which: u8,
        how: u8,
    },
    Pass(u64),
    Halt(bool),
    TmuxCut,
    TmuxLost,
    /// The connection is there again; whose panes are not.
    TmuxBack(u8),
    /// Another team: who is missing, whose settings changed, who has no token.
    Team {
        missing: u8,
        changed: u8,
        weak: u8,
    },
    /// Somebody is hired like this one, or dismissed.
    Hire(u8),
    Dismiss,
    /// The daemon ends and comes back; whose panes are still there.
    Crash {
        found: u8,
        team: Option<(u8, u8)>,
    },
    TurnSegment,
    /// What is older than may be kept is taken away.
    Retain,
}

/// A draft of a task or info.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    pub(crate) from: u8,
    pub(crate) to: u8,
    pub(crate) info: bool,
    pub(crate) priority: u8,
    pub(crate) hold: bool,
    pub(crate) after: Vec<u8>,
    pub(crate) parent: Option<u8>,
    pub(crate) token: Option<u8>,
    pub(crate) timeout: Option<u64>,
    pub(crate) deadline: Option<u64>,
    /// Whether it expects something.
    pub(crate) expect: bool,
    /// An id that was used before, with the same content or other.
    pub(crate) again: Option<(u8, bool)>,
}

fn text() -> impl Strategy<Value = Text> {
    let who = (any::<u8>(), any::<u8>(), prop::bool::weighted(0.2));
    let what = (0..6u8, prop::bool::weighted(0.2), prop::collection::vec(any::<u8>(), 0..3));
    let of = (prop::option::weighted(0.15, any::<u8>()), prop::option::weighted(0.5, any::<u8>()));
    let when = (prop::option::weighted(0.1, 0..200_000u64), prop::option::weighted(0.1, 1..300_000u64));
    let again = prop::option::weighted(0.05, (any::<u8>(), prop::bool::weighted(0.8)));
    (who, what, of, when, (prop::bool::weighted(0.2), again)).prop_map(
        |(
            (from, to, info),
            (priority, hold, after),
            (parent, token),
            (timeout, deadline),
            (expect, again),
        )| Text {
            from,
            to,
            info,
            priority,
            hold,
            after,
            parent,
            token,
            timeout,
            deadline,
            expect,
            again,
        },
    )
}

fn op() -> impl Strategy<Value = Op> {
    let one = || any::<u8>();
    prop_oneof![
        14 => (prop::collection::vec(text(), 1..4), any::<bool>(), prop::option::weighted(0.2, one()))
            .prop_map(|(drafts, file, proof)| Op::Drop { drafts, file, proof }),
        4 => (one(), one(), prop::option::of(one()), any::<bool>(), any::<bool>())
            .prop_map(|(from, task, token, failed, proof)| Op::Answer { from, task, token, failed, proof }),
        3 => (one(), prop::bool::weighted(0.2)).prop_map(|(token, failed)| Op::Reply { token, failed }),
        2 => one().prop_map(|token| Op::Acknowledge { token }),
        4 => one().prop_map(Op::Done),
        3 => one().prop_map(Op::Cancel),
        2 => one().prop_map(Op::Retry),
        2 => one().prop_map(Op::Resend),
        1 => one().prop_map(|from| Op::BadDrop { from }),
        1 => one().prop_map(Op::Start),
        1 => Just(Op::StartAll),
        1 => one().prop_map(Op::Stop),
        1 => one().prop_map(Op::Restart),
        3 => one().prop_map(Op::Hire),
        1 => Just(Op::Dismiss),
        90 => (one(), one()).prop_map(|(agent, how)| Op::Work { agent, how }),
        5 => (one(), one()).prop_map(|(agent, with)| Op::Claim { agent, with }),
        4 => (one(), one(), 0..3u8, one(), any::<bool>())
            .prop_map(|(agent, message, turn, what, old)| Op::Noise { agent, message, turn, what, old }),
        14 => (one(), one()).prop_map(|(which, how)| Op::Job { which, how }),
        8 => prop_oneof![4 => 1..3_000u64, 1 => 1..100_000u64].prop_map(Op::Pass),
        2 => any::<bool>().prop_map(Op::Halt),
        1 => Just(Op::TmuxCut),
        1 => Just(Op::TmuxLost),
        2 => prop_oneof![3 => Just(0), 1 => one()].prop_map(Op::TmuxBack),
        2 => (0..32u8, 0..32u8, 0..32u8)
            .prop_map(|(missing, changed, weak)| Op::Team { missing: missing & changed, changed, weak: weak & missing }),
        2 => (one(), prop::option::weighted(0.2, (0..32u8, 0..32u8)))
            .prop_map(|(found, team)| Op::Crash { found, team }),
        3 => Just(Op::TurnSegment),
        1 => Just(Op::Retain),
    ]
}

/// Some of them in a row.
pub(crate) fn story() -> impl Strategy<Value = Vec<Op>> {
    prop::collection::vec(op(), 1..300)
}
