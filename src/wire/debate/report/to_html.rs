//! `report.html`: one file without scripts, which loads nothing.

use super::super::dissent::Dissent;
use super::super::document::DebateStatus as Status;
use super::super::marks::CheckedCitation;
use super::super::shorten::shorten;
use super::agent_text::{REPORT_TEXT_CHARS_MAX, agent_html, escape, glance};
use super::facts::{Facts, Stand, is_last, longest, program, purpose, spent};
use super::form::{DebateReport, ReportCell, ReportRound};
use crate::wire::team_file::Language;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("style.css");
/// Characters of a text that a cell shows before it is opened.
const GLANCE_CHARS: usize = 240;
/// Characters of a task that are its title.
const TITLE_CHARS: usize = 160;
/// Places that a cell shows; the others are counted.
const PLACES_SHOWN: usize = 12;

/// The page.
#[must_use]
pub fn html(report: &DebateReport<'_>) -> String {
    let facts = Facts::of(report);
    let style = format!("{STYLE}:root{{--n:{}}}\n", report.head.roles.len().max(1));
    let hash = STANDARD.encode(Sha256::digest(style.as_bytes()));
    let title = escape(&title(report.task));
    let mut page = format!(
        "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title} · tasuki</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n",
        lang(report)
    );
    page.push_str(&head(report, &facts, &title));
    page.push_str(&verdict(report, &facts));
    page.push_str(&matrix(report, &facts));
    page.push_str(&plans(report, &facts));
    page.push_str(&baseline(report));
    page.push_str(&failures(report, &facts));
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

fn lang(report: &DebateReport<'_>) -> &'static str {
    match report.head.language {
        Language::English => "en",
        Language::Japanese => "ja",
    }
}

/// The first line of a task.
fn title(task: &str) -> String {
    let line = task.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let line = line.trim().trim_start_matches('#').trim();
    let cut = if line.chars().count() > TITLE_CHARS { "…" } else { "" };
    line.chars().take(TITLE_CHARS).chain(cut.chars()).collect()
}

fn head(report: &DebateReport<'_>, facts: &Facts<'_>, title: &str) -> String {
    let class = match report.status {
        Status::Completed => " ok",
        Status::Failed(_) => " bad",
        Status::Cancelled => " ask",
        _ => "",
    };
    let mut out = format!(
        "<header class=\"card\">\n<h1>{title}</h1>\n<p class=\"row\"><span class=\"tag{class}\">{}</span> <span class=\"id\">{}</span></p>\n",
        escape(&report.status.word().to_lowercase()),
        escape(report.id)
    );
    if let Status::Failed(why) = report.status {
        out.push_str(&format!("<p>{}</p>\n", escape(why)));
    }
    let figure = |(number, what): (String, String)| format!("<span><b>{}</b> {what}</span>", escape(&number));
    let figures: String = facts.figures(report).into_iter().map(figure).collect();
    out.push_str(&format!("<p class=\"figs\">{figures}</p>\n"));
    if report.task.trim().chars().count() > title.chars().count() {
        let task = escape(&shorten(report.task.trim(), REPORT_TEXT_CHARS_MAX));
        out.push_str(&format!(
            "<details><summary>The whole task</summary><p class=\"task\">{task}</p></details>\n"
        ));
    }
    out + "</header>\n"
}

fn verdict(report: &DebateReport<'_>, facts: &Facts<'_>) -> String {
    let mut out =
        format!("<section class=\"card\">\n<h2>What came of it: {}</h2>\n", escape(&facts.verdict(report)));
    if let Some(left_out) = facts.left_out(report) {
        out.push_str(&format!("<p>{left_out}</p>\n"));
    }
    if !facts.stands.is_empty() {
        let stand = |stand: &Stand<'_>| {
            let (_, words) = glance(dissent_of(stand), GLANCE_CHARS);
            format!(
                "<li><b>{}</b> {} {}</li>",
                escape(&stand.cell.output.role),
                stand_tag(stand),
                escape(&words)
            )
        };
        let stands: String = facts.stands.iter().map(stand).collect();
        out.push_str(&format!("<ul class=\"list\">{stands}</ul>\n"));
    }
    if !facts.common.is_empty() {
        let place = |(place, plans): &(String, usize)| {
            format!("<li><code>{}</code> <span>in {plans} final plans</span></li>", escape(place))
        };
        let places: String = facts.common.iter().take(PLACES_SHOWN).map(place).collect();
        out.push_str(&format!(
            "<h3>Places that several final plans name</h3>\n<ul class=\"cite\">{places}</ul>\n"
        ));
    }
    out + "</section>\n"
}

fn dissent_of<'s>(stand: &'s Stand<'_>) -> &'s str {
    match &stand.dissent {
        Dissent::Disagrees(why) => why,
        Dissent::Agrees | Dissent::Unsaid => "",
    }
}

fn stand_tag(stand: &Stand<'_>) -> &'static str {
    match stand.dissent {
        Dissent::Agrees => "<span class=\"tag ok\">agrees</span>",
        Dissent::Disagrees(_) => "<span class=\"tag ask\">dissents</span>",
        Dissent::Unsaid => "<span class=\"tag\">did not say</span>",
    }
}

fn matrix(report: &DebateReport<'_>, facts: &Facts<'_>) -> String {
    let mut out = "<section class=\"card flat\">\n<h2>The rounds, side by side</h2>\n<div class=\"grid\">\n<div class=\"rd head\"></div>".to_owned();
    for role in &report.head.roles {
        let by = program(role.provider.as_deref(), role.model.as_deref());
        let (name, id, by) = (escape(&role.name), escape(&role.id), escape(&by));
        out.push_str(&format!(
            "<div class=\"head\"><h3>{name}</h3><span class=\"meta\">{id}{}{by}</span></div>",
            if by.is_empty() { "" } else { " · " }
        ));
    }
    for round in &report.rounds {
        out.push_str(&format!(
            "\n<div class=\"rd\"><b>Round {}</b>{}<br>{}</div>",
            round.round,
            purpose(report, round),
            longest(round)
        ));
        for role in &report.head.roles {
            let found = round.cells.iter().find(|cell| cell.output.role == role.id);
            out.push_str(
                &found.map_or_else(|| empty_cell(&role.id), |found| cell(report, facts, round, found)),
            );
        }
    }
    out + "\n</div>\n</section>\n"
}

fn empty_cell(role: &str) -> String {
    format!("\n<div class=\"cell\" data-role=\"{}\"><p>did not take part</p></div>", escape(role))
}

fn cell(
    report: &DebateReport<'_>,
    facts: &Facts<'_>,
    round: &ReportRound<'_>,
    cell: &ReportCell<'_>,
) -> String {
    let output = cell.output;
    let stand = facts
        .stands
        .iter()
        .find(|stand| stand.cell.output.role == output.role)
        .filter(|_| is_last(report, round));
    let class = match (&output.error, stand.map(|stand| &stand.dissent)) {
        (Some(_), _) if !output.is_unasked() => " fail",
        (None, Some(Dissent::Disagrees(_))) => " diss",
        _ => "",
    };
    let mut out = format!("\n<div class=\"cell{class}\" data-role=\"{}\">", escape(&output.role));
    if let Some(error) = &output.error {
        out.push_str(&format!(
            "<p class=\"row\"><span class=\"tag{}\">{}</span></p><p>{}</p>",
            if output.is_unasked() { "" } else { " bad" },
            output.why_not(),
            escape(&shorten(error, 1_000))
        ));
    } else {
        out.push_str(
            &stand.map(stand_tag).map_or_else(String::new, |tag| format!("<p class=\"row\">{tag}</p>")),
        );
        let (title, words) = glance(&output.proposal, GLANCE_CHARS);
        out.push_str(&title.map_or_else(String::new, |title| format!("<h3>{}</h3>", escape(&title))));
        out.push_str(&format!("<p>{}</p>{}", escape(&words), places(cell)));
        // A final plan stands below as a whole.
        if stand.is_none() {
            out.push_str(&format!(
                "<details><summary>All of it</summary><div class=\"md\">{}</div></details>",
                agent_html(&output.proposal)
            ));
        }
    }
    let notes = output.tasuki.notes.iter().cloned();
    let meta: String =
        spent(cell).into_iter().chain(notes).map(|text| format!("<span>{}</span>", escape(&text))).collect();
    out + &format!("<p class=\"meta\">{meta}</p></div>")
}

/// The places that a text cites, those that point nowhere first.
fn places(cell: &ReportCell<'_>) -> String {
    let mut all: Vec<_> = cell.citations.iter().collect();
    all.sort_by_key(|one| one.missing.is_none());
    let item = |one: &&CheckedCitation| {
        let place = escape(&one.citation.to_string());
        match &one.missing {
            Some(why) => format!("<li class=\"no\"><code>{place}</code> <span>{}</span></li>", escape(why)),
            None => format!("<li><code>{place}</code></li>"),
        }
    };
    let shown: String = all.iter().take(PLACES_SHOWN).map(item).collect();
    let more = all.len().saturating_sub(PLACES_SHOWN);
    let more = if more > 0 { format!("<li><span>and {more} more</span></li>") } else { String::new() };
    if all.is_empty() { String::new() } else { format!("<ul class=\"cite\">{shown}{more}</ul>") }
}

fn plans(report: &DebateReport<'_>, facts: &Facts<'_>) -> String {
    if facts.stands.is_empty() {
        return String::new();
    }
    let name = |id: &str| {
        report.head.roles.iter().find(|role| role.id == id).map_or(id, |role| &role.name).to_owned()
    };
    let plan = |stand: &Stand<'_>| {
        let output = stand.cell.output;
        format!(
            "<article class=\"card\"><h2>Final plan: {}</h2><p class=\"row\">{}</p><div class=\"md\">{}</div></article>\n",
            escape(&name(&output.role)),
            stand_tag(stand),
            agent_html(&output.proposal)
        )
    };
    facts.stands.iter().map(plan).collect()
}

fn baseline(report: &DebateReport<'_>) -> String {
    let Some(alone) = &report.baseline else { return String::new() };
    let meta = escape(&spent(alone).join(" · "));
    let text = match &alone.output.error {
        Some(error) => format!("<p><span class=\"tag bad\">failed</span> {}</p>", escape(error)),
        None => format!("{}<div class=\"md\">{}</div>", places(alone), agent_html(&alone.output.proposal)),
    };
    format!(
        "<article class=\"card\"><h2>Baseline: one role alone, with the same budget</h2><p class=\"meta\">{meta}</p>{text}</article>\n"
    )
}

fn failures(report: &DebateReport<'_>, facts: &Facts<'_>) -> String {
    if facts.failures.is_empty() && report.notes.is_empty() {
        return String::new();
    }
    let failure = |(round, role, why): &(u8, &str, &str)| {
        format!("<li>Round {round}, <b>{}</b>: {}</li>", escape(role), escape(&shorten(why, 2_000)))
    };
    let items: String = facts.failures.iter().map(failure).collect();
    let notes: String = report.notes.iter().map(|note| format!("<li>{}</li>", escape(note))).collect();
    format!(
        "<section class=\"card\"><h2>What failed, and what is odd</h2><ul class=\"list\">{items}{notes}</ul></section>\n"
    )
}
