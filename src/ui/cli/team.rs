//! The team as it is shown: the five counts, and the agents in the team file's order, as a tree where there is room.

use super::ages::{Exact, age, moment};
use super::columns::{Column, rows};
use super::marks::Letters;
use crate::wire::api::{AgentInfo, HiredInfo, PulseInfo};
use std::collections::BTreeSet;

/// Columns by which an agent stands to the right of the one that it reports to.
const INDENT: usize = 2;
/// From this width on a tree takes no columns that the states and tasks need.
const TREE_COLUMNS: usize = 72;

/// How a team is drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    pub(super) letters: Letters,
    pub(super) exact: Exact,
    /// Columns of the terminal, where there is one.
    pub(super) width: Option<usize>,
}

/// The five counts with their words.
pub(super) fn pulse(pulse: &PulseInfo, letters: Letters) -> String {
    let PulseInfo { working, waiting, needs_you, failed, stuck } = pulse;
    let need = if *needs_you == 1 { "needs" } else { "need" };
    let alarm = anstyle::AnsiColor::Yellow.on_default().bold();
    let needs = format!("{} {needs_you} {need} you", letters.asks());
    let needs = if *needs_you > 0 { format!("{alarm}{needs}{alarm:#}") } else { needs };
    format!(
        "{} {working} working  {} {waiting} waiting  {needs}  {} {failed} failed  {} {stuck} stuck",
        letters.works(),
        letters.waits(),
        letters.failed(),
        letters.stuck()
    )
}

/// The same as short as can be, for a status line.
pub(super) fn short_pulse(pulse: &PulseInfo, letters: Letters) -> String {
    pulse.marked([letters.works(), letters.waits(), letters.asks(), letters.failed(), letters.stuck()])
}

/// The agents, one a line.
pub(super) fn agents(agents: &[AgentInfo], now: &str, style: Style) -> String {
    let columns = [
        Column::cut_to("agent", 12),
        Column::whole("state"),
        Column::whole("for"),
        Column::cut_to("task", 8),
        Column::whole("queued"),
        Column::cut_to("doing", 8),
    ];
    let is_tree = style.width.is_none_or(|width| width >= TREE_COLUMNS);
    let row = |(depth, agent): (usize, &AgentInfo)| {
        let indent = if is_tree { INDENT * depth } else { 0 };
        let parts = if agent.parts > 0 { format!(" ({})", agent.parts) } else { String::new() };
        // Whoever reads it from a pipe takes its first two words: the name and the state.
        let mark = style.width.map_or(String::new(), |_| format!("{} ", style.letters.agent(agent)));
        vec![
            format!("{:indent$}{mark}{}", "", agent.agent_name),
            format!("{}{parts}", agent.state),
            age(agent.since.as_deref(), now, style.exact),
            agent.current_task.clone().unwrap_or_else(|| "-".to_owned()),
            agent.queued.to_string(),
            doing(agent, now),
        ]
    };
    let order = if is_tree { tree(agents) } else { agents.iter().map(|agent| (0, agent)).collect() };
    rows(&columns, order.into_iter().map(row).collect(), style.width)
}

/// When it is back, if that is known; why it is where it is; or the last line of its pane; or who hired it.
fn doing(agent: &AgentInfo, now: &str) -> String {
    let until = agent.until.as_ref().map(|until| format!("back at {}", moment(until, now)));
    let hired = || agent.hired.as_ref().map(HiredInfo::words);
    let words = agent.why.clone().or_else(|| agent.doing.clone()).or_else(hired);
    until.into_iter().chain(words).collect::<Vec<_>>().join("; ")
}

/// Each agent below the one that it reports to, else in the order in which they came; and how deep it stands.
fn tree(agents: &[AgentInfo]) -> Vec<(usize, &AgentInfo)> {
    let names: BTreeSet<&str> = agents.iter().map(|agent| agent.agent_name.as_str()).collect();
    let (mut placed, mut seen) = (Vec::new(), BTreeSet::new());
    let heads = agents.iter().filter(|agent| !names.contains(agent.reports_to.as_str()));
    // Whoever reports to each other in a circle is in no branch: they come last.
    for head in heads.chain(agents) {
        let mut next = vec![(0, head)];
        while let Some((depth, agent)) = next.pop() {
            if !seen.insert(agent.agent_name.as_str()) {
                continue;
            }
            placed.push((depth, agent));
            let below = agents.iter().filter(|other| other.reports_to == agent.agent_name);
            next.extend(below.rev().map(|other| (depth + 1, other)));
        }
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(name: &str, reports_to: &str) -> AgentInfo {
        let value = serde_json::json!({
            "agent_name": name, "state": "rate_limited", "reports_to": reports_to, "current_task": "大きな仕事",
            "pane_id": null, "pid": null, "provider": "plain", "queued": 0, "up_since": null,
            "tasks_completed": 0, "tasks_failed": 0, "restarts": 0, "since": "2026-02-02T00:00:00Z",
            "doing": "取り込み前に差分だけを表示する",
        });
        serde_json::from_value(value).expect("an agent")
    }

    fn shown(width: Option<usize>) -> Vec<String> {
        let team = [
            agent("b10", "user"),
            agent("b2", "b10"),
            agent("b1", "b10"),
            agent("c", "b2"),
            agent("d", "b10"),
        ];
        let style = Style { letters: Letters::Unicode, exact: Exact::Minutes, width };
        let text = agents(&team, "2026-02-02T00:08:34Z", style);
        let text = anstream::adapter::strip_str(&text).to_string();
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_team_is_a_tree_in_the_order_of_its_file() {
        let names: Vec<String> = shown(None)
            .iter()
            .map(|line| line.split(" rate_limited").next().unwrap_or_default().trim_end().to_owned())
            .collect();
        assert_eq!(names[1..], ["b10", "  b2", "    c", "  b1", "  d"]);
    }

    #[test]
    fn a_narrow_terminal_loses_columns_and_no_state() {
        use unicode_width::UnicodeWidthStr;
        for width in 52..100 {
            for line in &shown(Some(width))[1..] {
                assert!(
                    line.contains("◷ ") && line.contains("rate_limited  8m") && line.width() <= width,
                    "{width}: {line}"
                );
            }
        }
        assert!(shown(Some(60))[2].starts_with("◷ b2"), "flat, in the file's order");
    }

    #[test]
    fn whoever_reports_in_a_circle_is_shown_once() {
        let team = [agent("a", "b"), agent("b", "a"), agent("c", "user")];
        let order: Vec<&str> = tree(&team).iter().map(|(_, agent)| agent.agent_name.as_str()).collect();
        assert_eq!(order, ["c", "a", "b"]);
    }

    #[test]
    fn the_pulse_is_short_and_has_an_ascii_form() {
        let counts = PulseInfo { working: 1, waiting: 2, needs_you: 5, failed: 2, stuck: 0 };
        assert_eq!(short_pulse(&counts, Letters::Unicode), "◉1 ⋯2 ?5 ✗2 ~0");
        assert_eq!(short_pulse(&counts, Letters::Ascii), "*1 :2 ?5 x2 ~0");
    }
}
