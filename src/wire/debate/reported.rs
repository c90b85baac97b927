//! The report of a debate of this workspace, once that is over.

use super::document::{DebateStatus, RoundOutput};
use super::error::DebateError;
use super::language;
use super::marks::{CheckedCitation, citations};
use super::report::{DebateReport, ReportCell, ReportRound, html, markdown};
use super::request::{BudgetTerms, DebateTerms, RoleTerms};
use super::shorten::shorten;
use super::shown::{Bodies, baseline_in, kept, output_in, status};
use crate::engine::flow::debate::{Debate, DebateRole};
use crate::engine::flow::flow::Flow;
use crate::wire::team_file::Language;

/// Most characters of each answer that are kept for it, and of all together.
const ANSWER_CHARS_MAX: usize = 100_000;
const ALL_CHARS_MAX: usize = 1_500_000;

/// A report in both of its forms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reports {
    pub markdown: String,
    /// One page that needs nothing else.
    pub html: String,
}

/// The report of a debate; none as long as it is under way, or worktrees of it are to go, of which it tells.
#[must_use]
pub fn reports(flow: &Flow, bodies: Bodies<'_>) -> Option<Reports> {
    let debate = flow.debate().filter(|_| !flow.stage.is_open() && !flow.owes_ends())?;
    let task = bodies(flow.request).map_or_else(String::new, |body| body.content.to_string());
    let language = language::of(&task);
    let mut rounds: Vec<(u8, Vec<RoundOutput>)> = Vec::new();
    let most = (ALL_CHARS_MAX / flow.steps.len().max(1)).min(ANSWER_CHARS_MAX);
    for round in (1..=debate.rounds).filter(|round| !flow.is_left_out(debate, *round)) {
        let speeches = flow.speeches(debate, round).iter().zip(&debate.roles);
        let spoken = speeches.filter_map(|(step, role)| {
            // One long answer is held at a time.
            output_in(language, step, (round, role, debate), bodies).map(|output| short(output, most))
        });
        rounds.push((round, spoken.collect()));
    }
    rounds.retain(|(_, outputs)| !outputs.is_empty());
    let alone = baseline_in(language, flow, bodies).map(|output| short(output, most));
    let (terms, status) = (terms(debate, flow.head.parallel, language), status_in(language, flow, &rounds));
    let cells = rounds.iter().map(|(round, outputs)| ReportRound {
        round: *round,
        cells: outputs.iter().map(|output| cell(language, output)).collect(),
    });
    let report = DebateReport {
        id: flow.head.id.as_str(),
        task: &task,
        head: &terms,
        status: &status,
        ms: flow.since.since(flow.opened_at),
        spent: flow.spent(),
        rounds: cells.collect(),
        is_settled_early: (1..=debate.rounds).any(|round| flow.is_left_out(debate, round)),
        baseline: alone.as_ref().map(|output| cell(language, output)),
        // What is so when it is written may be otherwise when it is read.
        notes: kept(flow).iter().map(|error| at_end(language, error)).collect(),
    };
    Some(Reports { markdown: markdown(&report), html: html(&report) })
}

/// How it has ended, with the reasons of its roles as they stand in the report.
fn status_in(language: Language, flow: &Flow, rounds: &[(u8, Vec<RoundOutput>)]) -> DebateStatus {
    let silent = rounds.iter().find(|(_, outputs)| outputs.iter().all(|output| output.error.is_some()));
    match (status(flow), language, silent) {
        (DebateStatus::Failed(_), Language::Japanese, Some((round, outputs))) => {
            let why = outputs.iter().filter_map(|one| Some(format!("{}：{}", one.role, one.error.as_ref()?)));
            let why = why.collect::<Vec<_>>().join("\n");
            DebateStatus::Failed(format!("第 {round} ラウンドに答えた役割がありません\n{why}"))
        }
        (status, ..) => status,
    }
}

fn at_end(language: Language, error: &DebateError) -> String {
    let said = error.said_in(language);
    match language {
        Language::English => format!("when it ended, {said}"),
        Language::Japanese => format!("終了時：{said}"),
    }
}

fn short(mut output: RoundOutput, most: usize) -> RoundOutput {
    if output.proposal.chars().count() > most {
        output.proposal = shorten(&output.proposal, most);
    }
    output
}

/// Whoever gave the answer has looked up what it cites.
fn cell(language: Language, output: &RoundOutput) -> ReportCell<'_> {
    let missing = match language {
        Language::English => "not in the base",
        Language::Japanese => "元のコミットにない",
    };
    let checked = citations(&output.proposal).into_iter().map(|citation| {
        let is_missing = output.tasuki.missing.contains(&citation.to_string());
        CheckedCitation { citation, missing: is_missing.then(|| missing.to_owned()) }
    });
    ReportCell { output, citations: checked.collect() }
}

/// What was asked for, as far as the engine knows it.
fn terms(debate: &Debate, parallel: u16, language: Language) -> DebateTerms {
    let role = |role: &DebateRole| RoleTerms {
        id: role.id.to_string(),
        name: role.name.clone(),
        provider: Some(role.provider.clone()),
        model: role.model.clone(),
    };
    DebateTerms {
        roles: debate.roles.iter().map(role).collect(),
        language,
        rounds: debate.rounds,
        parallel,
        timeout_seconds: debate.timeout_ms / 1_000,
        preserve_worktrees: debate.keep,
        baseline: debate.baseline.is_some(),
        budget: BudgetTerms {
            tokens: debate.budget.tokens,
            cost_micro_usd: debate.budget.cost_micro_usd,
            minutes: debate.budget.ms.map(|ms| ms / 60_000),
        },
        base_dir: None,
    }
}
