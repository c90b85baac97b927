//! `tasuki detect explain`: how an agent's screen is read at this moment.

use crate::engine::words::AgentName;
use crate::io::client::ANSWER_DEADLINE;
use crate::ui::cli::answer::drawn;
use crate::ui::cli::context::{Context, Ended};
use crate::ui::cli::table::harmless_lines;
use crate::wire::api::PaneLookInfo;
use std::fmt::Write as _;

/// Explains how an agent's screen is read now: its state, the rule, and the rows that match
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  tasuki detect explain coder\n  tasuki detect explain coder --screen")]
pub(super) struct ExplainArgs {
    /// Agent name
    agent: AgentName,
    /// Print the whole screen, with `>` before the rows that match
    #[arg(long)]
    screen: bool,
}

pub(super) fn explain(context: &Context, args: &ExplainArgs) -> Ended {
    let agent = &args.agent;
    let look: PaneLookInfo = context.client()?.get(&format!("/api/panes/{agent}/look"), ANSWER_DEADLINE)?;
    context.tell(&look, || text(agent, &look, args.screen))
}

fn text(agent: &AgentName, look: &PaneLookInfo, whole: bool) -> String {
    let mut text = match look.version.as_deref() {
        None => format!("{agent}: its profile has no rules for screens; it is ready when its pane is still"),
        Some(_) if look.rule == "-" => format!("{agent}: {}, since no rule knows its screen", look.state),
        Some("") => format!("{agent}: {} by the rule `{}`", look.state, look.rule),
        Some(version) => format!("{agent}: {} by the rule `{}` (rules for {version})", look.state, look.rule),
    };
    let last = look.rows.iter().rposition(|row| !row.trim().is_empty()).map_or(0, |last| last + 1);
    for (at, row) in look.rows.iter().enumerate().take(last) {
        let matched = look.matched.contains(&at);
        if whole || matched {
            let mark = if matched { '>' } else { ' ' };
            let _ = write!(text, "\n{mark}{:4} │ {}", at + 1, harmless_lines(row.trim_end()));
        }
    }
    let (column, row) = look.cursor;
    let title = harmless_lines(&look.title);
    let _ = write!(
        text,
        "\ntitle: {title}\ncursor: row {}, column {}",
        u32::from(row) + 1,
        u32::from(column) + 1
    );
    if look.version.is_some() {
        let input = match look.input.as_deref() {
            None => "not shown".to_owned(),
            Some("") => "empty".to_owned(),
            Some(input) => harmless_lines(input),
        };
        let _ = write!(text, "\ninput box: {input}");
    }
    if let Some(asks) = &look.asks {
        let _ = write!(text, "\n{}", drawn(agent, asks));
    }
    match &look.why {
        None => text.push_str("\na turn may be typed"),
        Some(why) => {
            let _ = write!(text, "\nnothing is typed: {}", harmless_lines(why));
        }
    }
    text
}
