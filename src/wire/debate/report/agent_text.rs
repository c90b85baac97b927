//! What agents wrote, made harmless: as HTML for the page, and as Markdown that fits below the headings of the report.

use super::super::sections::{Code, sections};
use super::super::shorten::shorten;
use crate::wire::clean::straight;
use pulldown_cmark::{Alignment, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use std::collections::BTreeSet;

/// Most characters of one text in a report: more is no reading. The whole stands in the file of its round.
pub const REPORT_TEXT_CHARS_MAX: usize = 100_000;
/// Deepest nesting of quotes and lists that is shown as such, since a browser draws no more either.
const DEPTH_MAX: usize = 64;
/// How often the text is looked through for what became wild by taming something else.
const PASSES_MAX: usize = 8;
/// By how much headings of agents are smaller in the report's own Markdown.
const DEMOTED: usize = 3;

fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS
}

/// The text as HTML: headings from the fourth level, links to the web alone, no images, and HTML as the letters that it is made of.
#[must_use]
pub fn agent_html(text: &str) -> String {
    let text = straight(&shorten(text, REPORT_TEXT_CHARS_MAX));
    let (mut links, mut depth) = (Vec::new(), 0_usize);
    let events =
        Parser::new_ext(&text, options()).filter_map(|event| harmless(event, &mut links, &mut depth));
    let mut out = String::new();
    html::push_html(&mut out, events);
    out
}

fn harmless<'t>(event: Event<'t>, links: &mut Vec<bool>, depth: &mut usize) -> Option<Event<'t>> {
    let said = |text: &'static str| Some(Event::Text(CowStr::Borrowed(text)));
    match event {
        Event::Html(text) | Event::InlineHtml(text) => Some(Event::Text(text)),
        Event::Start(Tag::HtmlBlock) => Some(Event::Start(Tag::Paragraph)),
        Event::End(TagEnd::HtmlBlock) => Some(Event::End(TagEnd::Paragraph)),
        Event::Start(Tag::Image { .. }) => said("[image: "),
        Event::End(TagEnd::Image) => said("]"),
        Event::Start(Tag::Link { dest_url, .. }) => {
            let is_web = is_web(&dest_url);
            links.push(is_web);
            let open = format!("<a href=\"{}\" rel=\"noopener noreferrer nofollow\">", escape(&dest_url));
            is_web.then(|| Event::Html(open.into()))
        }
        Event::End(TagEnd::Link) => {
            links.pop().unwrap_or_default().then_some(Event::Html(CowStr::Borrowed("</a>")))
        }
        Event::Start(Tag::Heading { level, .. }) => Some(Event::Start(Tag::Heading {
            level: demoted(level),
            id: None,
            classes: Vec::new(),
            attrs: Vec::new(),
        })),
        Event::End(TagEnd::Heading(level)) => Some(Event::End(TagEnd::Heading(demoted(level)))),
        // An alignment would be an inline style, which the page forbids.
        Event::Start(Tag::Table(columns)) => {
            Some(Event::Start(Tag::Table(vec![Alignment::None; columns.len()])))
        }
        Event::TaskListMarker(is_done) => said(if is_done { "☑ " } else { "☐ " }),
        Event::Start(Tag::BlockQuote(_)) => {
            *depth += 1;
            (*depth <= DEPTH_MAX).then_some(Event::Start(Tag::BlockQuote(None)))
        }
        Event::End(TagEnd::BlockQuote(_)) => {
            *depth -= 1;
            (*depth < DEPTH_MAX).then_some(Event::End(TagEnd::BlockQuote(None)))
        }
        other => Some(other),
    }
}

fn demoted(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 => HeadingLevel::H4,
        HeadingLevel::H2 => HeadingLevel::H5,
        _ => HeadingLevel::H6,
    }
}

fn is_web(address: &str) -> bool {
    let small = address.get(..8).unwrap_or(address).to_ascii_lowercase();
    (small.starts_with("http://") || small.starts_with("https://")) && !address.chars().any(char::is_control)
}

/// A text as HTML shows it, also within quotes.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// The text as Markdown that can stand within a report: smaller headings, HTML, images and other links as letters, and no block of
/// code that goes on behind it.
#[must_use]
pub fn agent_markdown(text: &str) -> String {
    let text = straight(&shorten(text, REPORT_TEXT_CHARS_MAX));
    let demoted: String = sections(&text)
        .iter()
        .flat_map(|section| [demoted_line(section.heading), section.body.to_owned()])
        .collect();
    let mut tame = demoted.trim_end().to_owned();
    // What is taken for letters can make a link of what was within: so it is looked through until nothing is left.
    for _ in 0..PASSES_MAX {
        let marks = wild(&tame);
        if marks.is_empty() {
            return closed(tame);
        }
        tame = as_letters(&tame, &marks);
    }
    as_code(&tame)
}

/// Where HTML, images, and links and definitions that lead elsewhere than to the web begin.
fn wild(text: &str) -> BTreeSet<usize> {
    let parser = Parser::new_ext(text, options());
    let definitions = parser.reference_definitions().iter();
    let foreign = definitions.filter(|(_, of)| !is_web(&of.dest)).map(|(_, of)| of.span.start);
    let mut marks: BTreeSet<usize> = foreign.collect();
    for (event, range) in parser.into_offset_iter() {
        match event {
            Event::Html(_) | Event::InlineHtml(_) => {
                let html = text.get(range.clone()).unwrap_or_default();
                marks.extend(html.match_indices('<').map(|(at, _)| range.start + at));
            }
            Event::Start(Tag::Image { .. }) => marks.extend([range.start, range.start + 1]),
            Event::Start(Tag::Link { dest_url, .. }) if !is_web(&dest_url) => {
                marks.insert(range.start);
            }
            _ => {}
        }
    }
    marks
}

/// The text with the signs at these places as entities, which say the same in every Markdown.
fn as_letters(text: &str, marks: &BTreeSet<usize>) -> String {
    let (mut out, mut from) = (String::with_capacity(text.len()), 0);
    for at in marks {
        let Some(sign) = text.get(*at..).and_then(|rest| rest.chars().next()) else { continue };
        out.push_str(text.get(from..*at).unwrap_or_default());
        out.push_str(&format!("&#{};", u32::from(sign)));
        from = at + sign.len_utf8();
    }
    out + text.get(from..).unwrap_or_default()
}

fn as_code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}\n{text}\n{fence}\n")
}

fn demoted_line(heading: &str) -> String {
    let title = heading.trim_start_matches(' ').trim_start_matches('#');
    let signs = heading.trim_start_matches(' ').len() - title.len();
    if signs == 0 { heading.to_owned() } else { "#".repeat((signs + DEMOTED).min(6)) + title }
}

/// The text so that what follows it stands outside of its blocks.
fn closed(text: String) -> String {
    let mut code = Code::default();
    for line in text.lines() {
        code.covers(line);
    }
    let fenced = code.open().map(|fence| format!("{text}\n{fence}\n"));
    let ways = [Some(text.clone() + "\n"), fenced].into_iter().flatten();
    let found = ways.into_iter().find(|text| {
        let behind = format!("{text}\n# x");
        Parser::new_ext(&behind, options()).last() == Some(Event::End(TagEnd::Heading(HeadingLevel::H1)))
    });
    found.unwrap_or_else(|| as_code(&text))
}

/// The first heading and the first words of a text, without signs of Markdown.
pub(super) fn glance(text: &str, chars_max: usize) -> (Option<String>, String) {
    let (mut title, mut words) = (None, String::new());
    let mut in_title = false;
    let begin: String = text.chars().take(20 * chars_max).collect();
    for event in Parser::new_ext(&begin, options()) {
        match event {
            Event::Start(Tag::Heading { .. }) if !words.is_empty() => break,
            Event::Start(Tag::Heading { .. }) => (title, in_title) = (Some(String::new()), true),
            Event::End(TagEnd::Heading(_)) => in_title = false,
            Event::Text(text) | Event::Code(text) => match (&mut title, in_title) {
                (Some(title), true) => title.push_str(&text),
                _ => words.push_str(&text),
            },
            Event::SoftBreak | Event::HardBreak | Event::End(TagEnd::Item | TagEnd::TableCell) => {
                words.push(' ')
            }
            Event::End(TagEnd::Paragraph) if !words.trim().is_empty() => break,
            _ => {}
        }
        if words.len() > 4 * chars_max {
            break;
        }
    }
    let words = words.trim();
    let cut = words.chars().count() > chars_max;
    let mut short: String = words.chars().take(chars_max).collect();
    short.push_str(if cut { "…" } else { "" });
    (title.filter(|title| !title.trim().is_empty()), short)
}
