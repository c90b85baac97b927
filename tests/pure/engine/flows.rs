//! The part of `protocol/LIFE.md` that tells of flows and their steps: both tables are written from the functions themselves.

use expect_test::expect;
use std::collections::BTreeSet;
use tasuki::engine::flow::stage::{self, FlowMove, FlowStage};
use tasuki::engine::flow::step::{self, CancelCause, StepMove, StepStage};

/// A step's stage as the page calls it: the two ways to be cancelled differ in what a retry does.
fn word(stage: StepStage) -> &'static str {
    match stage {
        StepStage::Cancelled(CancelCause::NeedFailed) => "skipped",
        other => other.word(),
    }
}

/// A table of every stage and every move.
fn table(stages: &[&str], moves: &[&str], cell: impl Fn(usize, usize) -> &'static str) -> String {
    let mut text =
        format!("| stage \\ move | {} |\n|---|{}\n", moves.join(" | "), "---|".repeat(moves.len()));
    for (at, stage) in stages.iter().enumerate() {
        let cells: Vec<&str> = (0..moves.len()).map(|to| cell(at, to)).collect();
        text += &format!("| **{stage}** | {} |\n", cells.join(" | "));
    }
    text
}

fn steps() -> String {
    table(&StepStage::ALL.map(word), &StepMove::ALL.map(StepMove::word), |at, to| {
        let (stage, event) = (StepStage::ALL[at], StepMove::ALL[to]);
        match step::next(stage, event) {
            Ok(new) => word(new),
            Err(illegal) => {
                assert_eq!((illegal.stage, illegal.event), (stage, event));
                "·"
            }
        }
    })
}

fn flows() -> String {
    table(&FlowStage::ALL.map(FlowStage::word), &FlowMove::ALL.map(FlowMove::word), |at, to| {
        let (stage, event) = (FlowStage::ALL[at], FlowMove::ALL[to]);
        match stage::next(stage, event) {
            Ok(_) if event == FlowMove::Forget => "gone",
            Ok(new) => new.word(),
            Err(illegal) => {
                assert_eq!((illegal.stage, illegal.event), (stage, event));
                "·"
            }
        }
    })
}

/// Both parts, as they stand at the end of the page.
pub(super) fn section() -> String {
    let row = |word: &str, text: &str| format!("| {word} | {text} |\n");
    let stages: String =
        StepStage::ALL.iter().map(|stage| row(&format!("**{}**", word(*stage)), stage.meaning())).collect();
    let moves: String = StepMove::ALL.iter().map(|to| row(to.word(), to.when())).collect();
    let flow_stages: String =
        FlowStage::ALL.iter().map(|stage| row(&format!("**{}**", stage.word()), stage.meaning())).collect();
    let flow_moves: String = FlowMove::ALL.iter().map(|to| row(to.word(), to.when())).collect();
    format!(
        "{STEPS}| stage | what it means |\n|---|---|\n{stages}\n| move | when |\n|---|---|\n{moves}\n{}{FLOWS}| stage | what it means |\n|---|---|\n{flow_stages}\n| move | when |\n|---|---|\n{flow_moves}\n{}",
        steps(),
        flows()
    )
}

const STEPS: &str = "
## Steps of a flow

A flow is a graph of steps. A step that was sent is a message, which lives as told above; the step ends when its message does.
One function moves a step: `next(stage, move)` in `src/engine/flow/step.rs`. `·` is impossible.

A retry opens a failed step again. It also opens the steps that were left out for its sake: those are `skipped` here, and
`cancelled` elsewhere. What was cancelled with its flow waits again when the flow is resumed. What is completed stays as it is.

";
const FLOWS: &str = "
## Flows

One function moves a flow: `next(stage, move)` in `src/engine/flow/stage.rs`. The stages are those of a session.

";

#[test]
fn every_stage_of_a_step_has_an_answer_to_every_move() {
    expect![[r#"
        | stage \ move | needs_met | prepare | send | complete | fail | skip | cancel | retry | reopen |
        |---|---|---|---|---|---|---|---|---|---|
        | **pending** | ready | · | · | · | · | skipped | cancelled | · | · |
        | **ready** | · | preparing | sent | · | · | · | cancelled | · | pending |
        | **preparing** | · | · | sent | · | failed | · | cancelled | · | · |
        | **sent** | · | · | · | completed | failed | · | cancelled | · | · |
        | **completed** | · | · | · | · | · | · | · | ready | pending |
        | **failed** | · | · | · | · | · | · | · | ready | pending |
        | **skipped** | · | · | · | · | · | · | · | pending | pending |
        | **cancelled** | · | · | · | · | · | · | · | pending | · |
    "#]]
    .assert_eq(&steps());
}

#[test]
fn every_stage_of_a_flow_has_an_answer_to_every_move() {
    expect![[r#"
        | stage \ move | pause | resume | complete | fail | forget |
        |---|---|---|---|---|---|
        | **active** | paused | · | completed | failed | · |
        | **paused** | · | active | completed | failed | · |
        | **completed** | · | active | · | · | gone |
        | **failed** | · | active | · | · | gone |
    "#]]
    .assert_eq(&flows());
}

#[test]
fn every_stage_is_reached_and_none_ends_but_by_its_moves() {
    let mut reached = BTreeSet::from(["pending"]);
    let mut open = vec![StepStage::Pending];
    while let Some(stage) = open.pop() {
        for event in StepMove::ALL {
            if let Ok(new) = step::next(stage, event) {
                let again = matches!(event, StepMove::Retry | StepMove::Reopen);
                assert!(!stage.has_ended() || again, "{stage} is over");
                assert!(!new.is_under_way() || !new.has_ended());
                if reached.insert(word(new)) {
                    open.push(new);
                }
            }
        }
    }
    assert_eq!(reached, StepStage::ALL.map(word).into_iter().collect());
    assert!(FlowStage::ALL.iter().filter(|stage| stage.begins_steps()).eq([&FlowStage::Active]));
}

#[test]
fn an_impossible_move_is_told_in_words() {
    let wrong = step::next(StepStage::Completed, StepMove::Send).expect_err("it is over");
    assert_eq!(wrong.to_string(), "a step that is completed cannot send");
    let wrong = stage::next(FlowStage::Completed, FlowMove::Pause).expect_err("it is over");
    assert_eq!(wrong.to_string(), "a flow that is completed cannot pause");
}
