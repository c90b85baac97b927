//! Reads a script file whole and strictly; an error shows the line, a caret and the cure.

use std::io::Read as _;
use std::path::Path;

use super::script::Script;
use crate::lab::trouble::{Kind, Trouble};
use crate::wire::message::refused;

/// Longest script in bytes: as long as the longest message.
const SCRIPT_BYTES_MAX: u64 = 1024 * 1024;

/// Columns of an error report: it is in the narrowest terminal that is common.
const REPORT_COLUMNS: usize = 80;
/// What to do about a file that is no script.
const CURE: &str = "protocol/SCRIPTED.md describes each key and each action";
/// The end of each report.
const HELP: &str = "  help: an action is an entry of its own with one key; a script is one document without anchors and tags;
        protocol/SCRIPTED.md describes them all";

/// Reads the script at `path`.
///
/// # Errors
/// That it cannot be read, is too long, or is no script.
pub(super) fn load(path: &Path) -> Result<Script, Trouble> {
    let shown = path.display();
    let unreadable =
        |why| bad(format!("cannot read the script {shown}: {why}"), "check the path after --script");
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(SCRIPT_BYTES_MAX + 1).read_to_string(&mut text).map_err(unreadable)?;
    if text.len() as u64 > SCRIPT_BYTES_MAX {
        let why = format!("the script {shown} is too long: at most {SCRIPT_BYTES_MAX} bytes are allowed");
        return Err(bad(why, "write a shorter one: an action can be repeated by a rule"));
    }
    parse(&text, &shown.to_string())
}

/// Reads a script from its text; `name` is shown in errors.
///
/// # Errors
/// What is wrong with it, where that is known with its place and a report.
pub(super) fn parse(text: &str, name: &str) -> Result<Script, Trouble> {
    // serde-saphyr's own limits are made for big documents; a script is small, and needs neither anchors nor tags.
    let options = serde_saphyr::options! {
        with_snippet: false,
        strict_booleans: true,
        reject_unsupported_tags: true,
        merge_keys: serde_saphyr::options::MergeKeyPolicy::Error,
        budget: serde_saphyr::budget! { max_aliases: 0, max_anchors: 0, max_depth: 16, max_nodes: 20_000, max_documents: 1 },
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        use serde_saphyr::MessageFormatter as _;
        let place = error.location().map(|location| (location.line(), location.column()));
        // Of a tab the reader here names the text before it, and that is what a report would show.
        if let Some(fault) = refused::fault(text)
            && let better = fault.line.zip(fault.column)
            && better != place
        {
            return bad(fault.why, CURE).within(better, None);
        }
        let why = serde_saphyr::UserMessageFormatter.format_message(error.without_snippet()).into_owned();
        bad(why, CURE).within(place, report(&error, text, name).ok())
    })
}

fn bad(why: String, cure: &str) -> Trouble {
    Trouble::new(Kind::Rejected, "script", why, cure)
}

/// The line with a caret, and what to do. No colours, for it is read in panes, logs and tests alike.
fn report(why: &serde_saphyr::Error, text: &str, name: &str) -> Result<String, std::fmt::Error> {
    use miette::{GraphicalReportHandler, GraphicalTheme};
    let words = serde_saphyr::UserMessageFormatter;
    let report = serde_saphyr::miette::to_miette_report_with_formatter(why, text, name, &words);
    let mut shown = String::new();
    GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor())
        .with_width(REPORT_COLUMNS)
        .render_report(&mut shown, report.as_ref())?;
    Ok(shown + HELP)
}
