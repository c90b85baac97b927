//! `report.md`: the same for reading as a text, and for handing on.

use super::super::dissent::{Dissent, without_dissent};
use super::super::document::DebateStatus;
use super::agent_text::agent_markdown;
use super::facts::{Facts, longest, program, purpose, spent};
use super::form::{DebateReport, ReportCell};
use super::words::Words;

/// The text.
#[must_use]
pub fn markdown(report: &DebateReport<'_>) -> String {
    let (facts, words) = (Facts::of(report), Words::of(report));
    let figures = facts.figures(report).into_iter();
    let figures: Vec<String> =
        figures.map(|(number, what)| format!("{number} {what}").trim_end().to_owned()).collect();
    let mut out = format!(
        "# {}\n\n{}\n- id: `{}`\n- {}: {}\n- {}\n\n",
        words.say("Debate", "討論"),
        quoted(report.task),
        one_line(report.id),
        words.say("status", "状態"),
        words.status(report.status),
        figures.join(" · ")
    );
    if let DebateStatus::Failed(why) = report.status {
        out.push_str(&format!("{}\n\n{}\n", words.say("It failed:", "失敗の理由："), quoted(why)));
    }
    out.push_str(&format!("## {}: {}\n\n", words.came_of_it(), facts.verdict(report)));
    if let Some(left_out) = facts.left_out(report) {
        out.push_str(&format!("{left_out}\n\n"));
    }
    for stand in &facts.stands {
        let word = words.stand(&stand.dissent);
        out.push_str(&format!("- **{}** {word}\n", one_line(&stand.cell.output.role)));
    }
    if !facts.common.is_empty() {
        let places: Vec<String> =
            facts.common.iter().map(|(place, plans)| format!("`{}` ({plans})", one_line(place))).collect();
        out.push_str(&format!("\n{}: {}\n", words.common(), places.join(", ")));
    }
    out.push_str(&plans(&facts, words));
    if let Some(alone) = &report.baseline {
        out.push_str(&format!("\n## {}\n\n{}", words.baseline(), said(alone, words)));
    }
    out.push_str(&rounds(report, words));
    if !facts.failures.is_empty() || !report.notes.is_empty() {
        out.push_str(&format!("\n## {}\n\n", words.failures()));
        let failures = facts.failures.iter().map(|(round, role, why)| {
            format!("- {}, **{}**: {}\n", words.failed_in(*round), one_line(role), plain(why))
        });
        out.extend(failures.chain(report.notes.iter().map(|note| format!("- {}\n", plain(note)))));
    }
    out
}

fn plans(facts: &Facts<'_>, words: Words) -> String {
    let mut out = String::new();
    if !facts.stands.is_empty() {
        out.push_str(words.say("\n## Final plans\n", "\n## 最終案\n"));
    }
    for stand in &facts.stands {
        let plan = agent_markdown(&without_dissent(&stand.cell.output.proposal));
        out.push_str(&format!("\n### {}\n\n{plan}", one_line(&stand.cell.output.role)));
    }
    let dissents = facts.stands.iter().filter_map(|stand| match &stand.dissent {
        Dissent::Disagrees(why) => Some((stand, why)),
        Dissent::Agrees | Dissent::Unsaid => None,
    });
    for (at, (stand, why)) in dissents.enumerate() {
        out.push_str(if at == 0 { words.say("\n## Dissent\n", "\n## 異議\n") } else { "" });
        out.push_str(&format!("\n### {}\n\n{}", one_line(&stand.cell.output.role), agent_markdown(why)));
    }
    out
}

fn rounds(report: &DebateReport<'_>, words: Words) -> String {
    let mut out = String::new();
    for round in &report.rounds {
        out.push_str(&format!(
            "\n## {}: {}\n\n{}: {}\n",
            words.round(round.round),
            purpose(report, round),
            words.say("Longest", "最長"),
            longest(round)
        ));
        for cell in &round.cells {
            let role = report.head.roles.iter().find(|role| role.id == cell.output.role);
            let by =
                role.map(|role| program(role.provider.as_deref(), role.model.as_deref())).unwrap_or_default();
            let by = if by.is_empty() { by } else { format!(" ({})", one_line(&by)) };
            out.push_str(&format!("\n### {}{by}\n\n{}", one_line(&cell.output.role), said(cell, words)));
        }
    }
    out
}

/// What a role said, with what it took and which of its places point nowhere.
fn said(cell: &ReportCell<'_>, words: Words) -> String {
    let mut out = format!("{}\n\n", spent(cell, words).join(" · "));
    if !cell.citations.is_empty() {
        let there = cell.citations.iter().filter(|one| one.missing.is_none()).count();
        out.push_str(&words.places(there, cell.citations.len()));
        let missing =
            cell.citations.iter().filter_map(|one| Some((one.citation.to_string(), one.missing.as_ref()?)));
        let missing: Vec<String> =
            missing.map(|(place, why)| format!("`{}` ({why})", one_line(&place))).collect();
        out.push_str(&if missing.is_empty() {
            "\n\n".to_owned()
        } else {
            let missing = missing.join(", ");
            words.say(format!("; not there: {missing}\n\n"), format!("；実在しない箇所：{missing}\n\n"))
        });
    }
    match &cell.output.error {
        Some(error) => {
            let word = words.why_not(cell.output);
            let word = words.say(format!("It {word}:"), format!("{word}："));
            out.push_str(&format!("{word}\n\n{}", quoted(error)));
        }
        None => out.push_str(&agent_markdown(&cell.output.proposal)),
    }
    out
}

/// A text that is shown as it is, in a block of code.
fn quoted(text: &str) -> String {
    let text = text.trim_end();
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{text}\n{fence}\n")
}

/// A text in one line without what Markdown or HTML would obey.
fn plain(text: &str) -> String {
    let mut out = String::new();
    for c in one_line(text).chars() {
        if c.is_ascii_punctuation() && "\\`*_<>[]&#|~!".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('`', "'")
}
