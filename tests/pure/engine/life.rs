//! `protocol/LIFE.md`: one page that tells a message's life. Written from `life::next` and from the engine itself, and
//! compared with the file here: `UPDATE_DOCS=1 cargo test --test pure engine::life` writes it again.

use crate::engine::flows;
use crate::engine::make::token;
use crate::engine::stages;
use expect_test::expect;
use std::fmt::Write as _;
use tasuki::engine::life::{Category, Move, Spent, Stage, StageName, Turn, next};
use tasuki::engine::message::{Outcome, Status};
use tasuki::engine::screen::doorbell::TurnKind;
use tasuki::engine::team::Limits;
use tasuki::engine::team::timeouts as patience;
use tasuki::engine::words::Millis;

const LATER: Millis = Millis(5);

fn turn(number: u16) -> Turn {
    Turn { number, kind: TurnKind::Task, token: Some(token(1)), redelivered: false }
}

/// Every stage, all ends in one.
fn all_stages() -> Vec<Stage> {
    let turn = turn(1);
    vec![
        Stage::accepted(Millis(0)),
        Stage::Queued { not_before: LATER, redo: Some(turn) },
        Stage::Intent(turn),
        Stage::Submitted(turn),
        Stage::Working(turn),
        Stage::InDoubt(turn),
        Stage::Held(turn),
        Stage::Waiting(turn),
        Stage::Claimed(turn),
        Stage::Verified(turn),
        Stage::Finished(Outcome::Completed),
    ]
}

/// Every move, its word, and when it is made.
fn all_moves() -> Vec<(Move, &'static str, &'static str)> {
    let retry = Move::Retry { not_before: LATER, redelivered: true };
    vec![
        (Move::Intend(turn(2)), "intend", "its agent is free and ready: it is typed next"),
        (
            Move::Withdraw,
            "withdraw",
            "nothing was typed after all: a guard closed, or the content contained the token",
        ),
        (Move::Submit, "submit", "Enter was pressed"),
        (Move::Take, "take", "a receipt proves that the agent has read it"),
        (
            retry,
            "retry",
            "it was not delivered, or its agent ended, or a wrong clock made it wait: it is tried again later",
        ),
        (
            Move::Return { not_before: LATER },
            "return",
            "its agent is gone, and it was sent to a pool: it goes to a free member",
        ),
        (Move::Doubt, "doubt", "it is unknown whether it was delivered"),
        (Move::Hold, "hold", "it is in doubt, and its sender wants a person to decide"),
        (Move::Rest, "rest", "the turn is over, and the task is not"),
        (Move::Ask, "ask", "the turn is over, and the agent seems to ask for something: it gets no reminder"),
        (Move::Claim, "claim", "the agent says it is done, by phrase and token, a reply, or a result"),
        (Move::Verify, "verify", "the evidence is there"),
        (Move::Reopen, "reopen", "a check failed: the agent gets another turn"),
        (Move::Finish(Outcome::Completed), "finish", "it has completed, failed, or been cancelled"),
    ]
}

fn word(stage: Stage) -> &'static str {
    if matches!(stage, Stage::Finished(_)) { "finished" } else { stage.word() }
}

fn cell(stage: Stage, to: Move) -> String {
    match next(stage, to) {
        Ok(new) => {
            let again = new.turn().is_some_and(|turn| turn.redelivered);
            format!("{}{}", word(new), if again { "*" } else { "" })
        }
        Err(illegal) => {
            assert_eq!((illegal.stage, illegal.event), (stage, to));
            "·".to_owned()
        }
    }
}

fn table() -> String {
    let mut text = String::from("| stage \\ move |");
    let moves = all_moves();
    moves.iter().for_each(|(_, word, _)| write!(text, " {word} |").expect("a string takes it"));
    text += "\n|---|";
    text += &"---|".repeat(moves.len());
    for stage in all_stages() {
        write!(text, "\n| **{}** |", word(stage)).expect("a string takes it");
        for (to, _, _) in &moves {
            write!(text, " {} |", cell(stage, *to)).expect("a string takes it");
        }
    }
    text + "\n"
}

#[test]
fn every_stage_has_an_answer_to_every_move() {
    expect![[r#"
        | stage \ move | intend | withdraw | submit | take | retry | return | doubt | hold | rest | ask | claim | verify | reopen | finish |
        |---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
        | **queued** | intent | · | · | · | queued | · | · | · | · | · | · | · | · | finished |
        | **retrying** | intent | · | submitted | working | retrying | retrying* | · | · | waiting | · | claimed | · | · | finished |
        | **intent** | · | retrying | submitted | working | retrying* | retrying* | in_doubt | held | waiting | waiting | claimed | · | · | finished |
        | **submitted** | · | · | · | working | retrying* | retrying* | in_doubt | held | waiting | waiting | claimed | · | · | finished |
        | **working** | · | · | · | · | retrying* | retrying* | · | held | waiting | waiting | claimed | · | · | finished |
        | **in_doubt** | · | retrying | submitted | working | retrying* | retrying* | · | held | waiting | waiting | claimed | · | · | finished |
        | **held** | · | · | submitted | working | retrying* | retrying* | · | · | waiting | · | claimed | · | · | finished |
        | **waiting** | intent | · | · | · | retrying* | retrying* | · | held | · | · | claimed | · | · | finished |
        | **claimed** | · | · | · | · | retrying* | · | · | · | · | · | · | verified | waiting | finished |
        | **verified** | · | · | · | · | · | · | · | · | · | · | · | · | · | finished |
        | **finished** | · | · | · | · | · | · | · | · | · | · | · | · | · | · |
    "#]].assert_eq(&table());
}

#[test]
fn a_finished_message_moves_no_more_and_finishes_as_it_is_told() {
    for outcome in [Outcome::Completed, Outcome::Failed, Outcome::Cancelled] {
        let finished = next(Stage::accepted(Millis(0)), Move::Finish(outcome)).expect("anything may end");
        assert_eq!(finished, Stage::Finished(outcome));
        assert!(all_moves().iter().all(|(to, _, _)| next(finished, *to).is_err()));
    }
}

#[test]
fn a_turn_that_may_have_been_seen_stays_marked() {
    let seen = Turn { redelivered: true, ..turn(1) };
    for redelivered in [true, false] {
        let back = next(Stage::Working(seen), Move::Retry { not_before: LATER, redelivered });
        assert_eq!(back, Ok(Stage::Queued { not_before: LATER, redo: Some(seen) }));
    }
}

#[test]
fn the_page_about_the_life_of_a_message_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/protocol/LIFE.md");
    let page = page();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &page).expect("protocol/LIFE.md can be written");
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        found == page,
        "protocol/LIFE.md is out of date: UPDATE_DOCS=1 cargo test --test pure engine::life"
    );
}

fn page() -> String {
    format!(
        "{INTRODUCTION}{}{MOVES}{}\n{TABLE}{}{TIMERS}{}{ENDS}{}",
        stage_rows(),
        all_moves().iter().map(|(_, word, when)| format!("| {word} | {when} |\n")).collect::<String>(),
        table(),
        timer_rows(),
        flows::section()
    )
}

/// What each stage means, and what a crash of the daemon leaves: found out by letting it crash.
fn stage_rows() -> String {
    let row = |stage: Stage| {
        let (own, means) = (word(stage), stage.name().meaning());
        let (alive, gone) = if stages::STAGES.contains(&own) {
            let after = |found: &[&str]| {
                let mut world = stages::world(own);
                world.crash(found);
                world.stage("t1")
            };
            (after(&["boss", "ann", "bob", "eve"]), after(&["ann", "bob", "eve"]))
        } else {
            ("–", "–")
        };
        let ended = matches!(stage, Stage::Finished(_));
        let status = if ended { "completed, failed or cancelled" } else { stage.status().word() };
        format!("| **{own}** | {status} | {means} | {alive} | {gone} |\n")
    };
    all_stages().into_iter().map(row).collect()
}

fn timer_rows() -> String {
    let seconds = |ms: u64| format!("{} s", ms / 1_000);
    let limits = Limits::default();
    let delays: Vec<String> = limits.retry_delays_ms.iter().map(|ms| seconds(*ms)).collect();
    let retries = format!("{}; {} tries in all", delays.join(", "), limits.attempts_max);
    let turn = format!(
        "{} (`default_timeout`), the agent's `timeout`, or the message's. The clock stops while the task waits for parts, and while its agent shows a dialog or is at a limit",
        seconds(patience::TURN_TIMEOUT_MS)
    );
    let restart = format!(
        "{} doubled up to {}; {} in {}",
        seconds(patience::RESTART_DELAY_MS),
        seconds(patience::RESTART_DELAY_MS_MAX),
        limits.restarts_max,
        seconds(limits.restart_window_ms)
    );
    let grace = seconds(patience::ADOPTION_GRACE_MS);
    [
        ("next try", "retrying", retries, "it is offered to its agent again; after the last try it fails"),
        ("turn", "submitted, working", turn, "it fails; the time-out of a working agent is not tried again"),
        (
            "grace",
            "submitted, working, after a restart of the daemon",
            grace,
            "an overdue turn fails now, and not before",
        ),
        ("deadline", "all", "until a moment of the wall clock".to_owned(), "it fails"),
        (
            "rate",
            "queued",
            format!("{} messages a minute on an edge", limits.edge_per_minute),
            "it may be delivered",
        ),
        (
            "restart",
            "(its agent ended)",
            restart,
            "the agent is started again; after the last restart it is given up",
        ),
    ]
    .iter()
    .map(|(name, stages, length, then)| format!("| {name} | {stages} | {length} | {then} |\n"))
    .collect()
}

const INTRODUCTION: &str = "\
# The life of a message

One function moves a message from stage to stage: `next(stage, move)` in `src/engine/life/mod.rs`. It has an answer for every
stage and every move. Normal work, replay and recovery all use it. A test writes this page:
`UPDATE_DOCS=1 cargo test --test pure engine::life`.

```
 drop ─► queued ─► intent ─► submitted ─► working ─► claimed ─► verified ─► completed
           ▲          │           │         │  ▲
           │          │           │         ▼  │ its next turn
           │          │           │        waiting (parts of it are open)
           │          ▼           ▼
        retrying ◄─ not delivered, in doubt, or its agent ended (4 tries in all)
                      └─► held (`on_doubt: hold`) until a person decides
 from every stage: failed (its sender is told why), cancelled
```

## Stages

The last two columns show the stage after a crash of the daemon, once the next daemon has read the journal. A test lets the
crash happen in each stage, with the agent alive and with the agent gone. A dash marks a stage within one step of the journal.

| stage | status | what it means | crash, agent alive | crash, agent gone |
|---|---|---|---|---|
";
const MOVES: &str = "
## Moves

| move | when |
|---|---|
";
const TABLE: &str = "\
## Each stage and each move

`·` is impossible: the journal would be damaged, or tasuki wrong. `*`: the turn is typed again, marked `redelivered: true`. It
keeps its token, unless it goes to another agent.

";
const TIMERS: &str = "
## Timers

| timer | runs in | length | when it fires |
|---|---|---|---|
";
const ENDS: &str = "
The clock of a turn stops while its agent shows a dialog, or is at a limit whose reset is known. It runs on at an error, and at a
limit without a known reset. tasuki checks these again after 1, 2, 5 and then every 10 minutes.

What an agent said in time counts, however late it is heard. While its claim waits for drops that lay there before it, neither
its turn nor its deadline runs out.

A held message and a waiting one have no timer but their deadline. Timers run on while `queue/STOP` exists. They stop while the
machine sleeps, and nobody can set them.

A deadline passes when the wall clock says so, also if the clock was set or the machine has slept in the meantime. A clock
that was put back counts at once. One that was put ahead counts after a minute, so that a slip ends nothing.

## The end

A task ends with exactly one answer, a result or an error, in the same step. An agent that asked within a task reads the answer
in its next turn. One that asked outside of a task gets it as a message of its own. An answer that comes after the asking task
has ended is kept and never typed.

An info, a result and an error are done when they are delivered. What depends on a message that failed or was cancelled fails
with it. Its open parts are cancelled, since nobody would read their answers.
";

/// What counts messages by their files goes by the status, and what counts them in the engine by the category.
#[test]
fn a_row_of_the_table_contradicts_itself_nowhere_and_is_on_the_page() {
    for stage in StageName::ALL {
        let (status, category) = (stage.status(), stage.category());
        assert_eq!(status == Status::Pending, category == Category::Queued, "{stage} is {category:?}");
        assert_eq!(status.has_ended(), category == Category::Ended, "{stage} is {category:?}");
        assert_eq!(stage.spent() == Spent::Over, category == Category::Ended, "{stage} is {category:?}");
        let is_told = all_stages().iter().any(|one| one.name() == *stage);
        assert!(is_told || category == Category::Ended, "{stage} is missing in the page of a message's life");
    }
}
