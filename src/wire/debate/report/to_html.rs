//! `report.html`: one file without scripts, which loads nothing.

use super::super::dissent::Dissent;
use super::super::document::DebateStatus as Status;
use super::super::marks::CheckedCitation;
use super::super::shorten::shorten;
use super::agent_text::{REPORT_TEXT_CHARS_MAX, agent_html, escape, glance};
use super::facts::{Facts, Stand, is_last, longest, program, purpose, spent};
use super::form::{DebateReport, ReportCell, ReportRound};
use super::words::Words;
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
    let words = Words::of(report);
    let class = match report.status {
        Status::Completed => " ok",
        Status::Failed(_) => " bad",
        Status::Cancelled => " ask",
        _ => "",
    };
    let mut out = format!(
        "<header class=\"card\">\n<h1>{title}</h1>\n<p class=\"row\"><span class=\"tag{class}\">{}</span> <span class=\"id\">{}</span></p>\n",
        words.status(report.status),
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
            "<details><summary>{}</summary><p class=\"task\">{task}</p></details>\n",
            words.say("The whole task", "課題の全文")
        ));
    }
    out + "</header>\n"
}

fn verdict(report: &DebateReport<'_>, facts: &Facts<'_>) -> String {
    let words = Words::of(report);
    let mut out = format!(
        "<section class=\"card\">\n<h2>{}: {}</h2>\n",
        words.came_of_it(),
        escape(&facts.verdict(report))
    );
    if let Some(left_out) = facts.left_out(report) {
        out.push_str(&format!("<p>{left_out}</p>\n"));
    }
    if !facts.stands.is_empty() {
        let stand = |stand: &Stand<'_>| {
            let (_, glance) = glance(dissent_of(stand), GLANCE_CHARS);
            format!(
                "<li><b>{}</b> {} {}</li>",
                escape(&stand.cell.output.role),
                stand_tag(stand, words),
                escape(&glance)
            )
        };
        let stands: String = facts.stands.iter().map(stand).collect();
        out.push_str(&format!("<ul class=\"list\">{stands}</ul>\n"));
    }
    if !facts.common.is_empty() {
        let place = |(place, plans): &(String, usize)| {
            let plans = words.say(format!("in {plans} final plans"), format!("{plans} 件の最終案"));
            format!("<li><code>{}</code> <span>{plans}</span></li>", escape(place))
        };
        let places: String = facts.common.iter().take(PLACES_SHOWN).map(place).collect();
        out.push_str(&format!("<h3>{}</h3>\n<ul class=\"cite\">{places}</ul>\n", words.common()));
    }
    out + "</section>\n"
}

fn dissent_of<'s>(stand: &'s Stand<'_>) -> &'s str {
    match &stand.dissent {
        Dissent::Disagrees(why) => why,
        Dissent::Agrees | Dissent::Unsaid => "",
    }
}

fn stand_tag(stand: &Stand<'_>, words: Words) -> String {
    let class = match stand.dissent {
        Dissent::Agrees => " ok",
        Dissent::Disagrees(_) => " ask",
        Dissent::Unsaid => "",
    };
    format!("<span class=\"tag{class}\">{}</span>", words.stand(&stand.dissent))
}

fn matrix(report: &DebateReport<'_>, facts: &Facts<'_>) -> String {
    let words = Words::of(report);
    let mut out = format!(
        "<section class=\"card flat\">\n<h2>{}</h2>\n<div class=\"grid\">\n<div class=\"rd head\"></div>",
        words.say("The rounds, side by side", "各ラウンドの発言")
    );
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
            "\n<div class=\"rd\"><b>{}</b>{}<br>{}</div>",
            words.round(round.round),
            purpose(report, round),
            longest(round)
        ));
        for role in &report.head.roles {
            let found = round.cells.iter().find(|cell| cell.output.role == role.id);
            out.push_str(
                &found.map_or_else(|| empty_cell(&role.id, words), |found| cell(report, facts, round, found)),
            );
        }
    }
    out + "\n</div>\n</section>\n"
}

fn empty_cell(role: &str, words: Words) -> String {
    let text = words.say("did not take part", "参加せず");
    format!("\n<div class=\"cell\" data-role=\"{}\"><p>{text}</p></div>", escape(role))
}

fn cell(
    report: &DebateReport<'_>,
    facts: &Facts<'_>,
    round: &ReportRound<'_>,
    cell: &ReportCell<'_>,
) -> String {
    let (output, words) = (cell.output, Words::of(report));
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
            words.why_not(output),
            escape(&shorten(error, 1_000))
        ));
    } else {
        out.push_str(
            &stand.map_or_else(String::new, |stand| {
                format!("<p class=\"row\">{}</p>", stand_tag(stand, words))
            }),
        );
        let (title, begun) = glance(&output.proposal, GLANCE_CHARS);
        out.push_str(&title.map_or_else(String::new, |title| format!("<h3>{}</h3>", escape(&title))));
        out.push_str(&format!("<p>{}</p>{}", escape(&begun), places(cell, words)));
        // A final plan stands below as a whole.
        if stand.is_none() {
            out.push_str(&format!(
                "<details><summary>{}</summary><div class=\"md\">{}</div></details>",
                words.say("All of it", "全文"),
                agent_html(&output.proposal)
            ));
        }
    }
    let notes = output.tasuki.notes.iter().cloned();
    let meta: String = spent(cell, words)
        .into_iter()
        .chain(notes)
        .map(|text| format!("<span>{}</span>", escape(&text)))
        .collect();
    out + &format!("<p class=\"meta\">{meta}</p></div>")
}

/// The places that a text cites, those that point nowhere first.
fn places(cell: &ReportCell<'_>, words: Words) -> String {
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
    let more = match more {
        0 => String::new(),
        _ => format!(
            "<li><span>{}</span></li>",
            words.say(format!("and {more} more"), format!("ほか {more} 件"))
        ),
    };
    if all.is_empty() { String::new() } else { format!("<ul class=\"cite\">{shown}{more}</ul>") }
}

fn plans(report: &DebateReport<'_>, facts: &Facts<'_>) -> String {
    if facts.stands.is_empty() {
        return String::new();
    }
    let words = Words::of(report);
    let name = |id: &str| {
        report.head.roles.iter().find(|role| role.id == id).map_or(id, |role| &role.name).to_owned()
    };
    let plan = |stand: &Stand<'_>| {
        let output = stand.cell.output;
        format!(
            "<article class=\"card\"><h2>{}: {}</h2><p class=\"row\">{}</p><div class=\"md\">{}</div></article>\n",
            words.say("Final plan", "最終案"),
            escape(&name(&output.role)),
            stand_tag(stand, words),
            agent_html(&output.proposal)
        )
    };
    facts.stands.iter().map(plan).collect()
}

fn baseline(report: &DebateReport<'_>) -> String {
    let Some(alone) = &report.baseline else { return String::new() };
    let words = Words::of(report);
    let meta = escape(&spent(alone, words).join(" · "));
    let text = match &alone.output.error {
        Some(error) => {
            let word = words.why_not(alone.output);
            format!("<p><span class=\"tag bad\">{word}</span> {}</p>", escape(error))
        }
        None => {
            format!("{}<div class=\"md\">{}</div>", places(alone, words), agent_html(&alone.output.proposal))
        }
    };
    format!(
        "<article class=\"card\"><h2>{}</h2><p class=\"meta\">{meta}</p>{text}</article>\n",
        words.baseline()
    )
}

fn failures(report: &DebateReport<'_>, facts: &Facts<'_>) -> String {
    if facts.failures.is_empty() && report.notes.is_empty() {
        return String::new();
    }
    let words = Words::of(report);
    let failure = |(round, role, why): &(u8, &str, &str)| {
        let (round, why) = (words.failed_in(*round), shorten(why, 2_000));
        format!("<li>{round}, <b>{}</b>: {}</li>", escape(role), escape(&why))
    };
    let items: String = facts.failures.iter().map(failure).collect();
    let notes: String = report.notes.iter().map(|note| format!("<li>{}</li>", escape(note))).collect();
    format!(
        "<section class=\"card\"><h2>{}</h2><ul class=\"list\">{items}{notes}</ul></section>\n",
        words.failures()
    )
}
