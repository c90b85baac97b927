//! `tasuki status --watch`: the picture is drawn again in its own place whenever it changes.
//!
//! The terminal is left as it is: no other screen is opened and no cursor hidden, so whoever presses Ctrl-C has the last picture
//! above the prompt. The daemon says what has changed; where none runs, the files are looked at each second.

use super::ages::Exact;
use super::context::{Context, Ended};
use super::failure::Failure;
use super::look::Source;
use super::marks::Letters;
use super::shown::Shown;
use super::table::{cut, terminal_size};
use super::team::Style;
use crate::io::client::Client;
use crate::io::clock::Clock;
use crate::io::workspace::Workspace;
use crate::wire::api::{StatusInfo, ViewInfo};
use crate::wire::time::rfc3339_ms;
use std::ops::ControlFlow;
use std::time::Duration;

/// Between two looks where nobody says what has changed, and between two looks at the size of the terminal.
const LOOK: Duration = Duration::from_secs(1);
/// The stream of what is shown and has changed.
const VIEWS: &str = "/api/events?view=true";

/// What was drawn last.
struct Picture<'a> {
    context: &'a Context,
    letters: Letters,
    /// What is shown; moments that tick are left out of it.
    shown: Option<Shown>,
    lines: Vec<String>,
    size: Option<(usize, usize)>,
}

/// Draws until it is ended from outside, or nobody reads any more.
pub(super) fn run(context: &Context, workspace: &Workspace, client: &Client, letters: Letters) -> Ended {
    let mut picture = Picture { context, letters, shown: None, lines: Vec::new(), size: None };
    loop {
        match Shown::look(context, workspace, client) {
            Ok((shown, source)) => {
                let status = shown.status.clone();
                picture.draw(shown)?;
                if source == Source::Daemon {
                    follow(&mut picture, workspace, client, status)?;
                }
            }
            // It starts or ends just now, and is asked again.
            Err(failure) if picture.shown.is_none() => return Err(failure),
            Err(_) => {}
        }
        client.pause(LOOK);
    }
}

/// Draws as the daemon says what has changed, until it goes away.
fn follow(
    picture: &mut Picture<'_>,
    workspace: &Workspace,
    client: &Client,
    mut status: StatusInfo,
) -> Ended {
    // What the files say besides is put in anew for each picture.
    status.notes.clear();
    let mut ended = Ok(());
    let listened = client.listen(VIEWS, LOOK, &mut |heard| {
        if let Some(view) = heard.filter(|(name, _)| *name == "view").map(|(_, data)| data) {
            match serde_json::from_str::<ViewInfo>(view) {
                Ok(view) => apply(&mut status, view),
                Err(_) => return ControlFlow::Break(()),
            }
        }
        let now = Clock::start().wall();
        status.now = rfc3339_ms(now);
        ended = picture.draw(Shown::of(workspace, status.clone(), Source::Daemon));
        if ended.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    // A stream that breaks is asked for again.
    drop(listened);
    ended
}

/// Puts in what has changed.
fn apply(status: &mut StatusInfo, view: ViewInfo) {
    status.seq = view.seq;
    if let Some(workspace) = view.workspace {
        status.daemon = workspace.daemon;
        status.pulse = workspace.pulse;
        (status.open, status.pending, status.held) = (workspace.open, workspace.pending, workspace.held);
        (status.unread, status.unread_answers) = (workspace.unread, workspace.unread_answers);
        status.halted_since = workspace.halted_since;
        status.tmux_lost = workspace.tmux_lost;
        status.notes = workspace.notes;
    }
    for agent in view.agents {
        match status.agents.iter_mut().find(|known| known.agent_name == agent.agent_name) {
            Some(known) => *known = agent,
            None => status.agents.push(agent),
        }
    }
    if let Some(order) = view.order {
        let place = |name: &str| order.iter().position(|other| other == name);
        status.agents.retain(|agent| place(&agent.agent_name).is_some());
        status.agents.sort_by_key(|agent| place(&agent.agent_name));
    }
}

impl Picture<'_> {
    /// Draws it, if anybody would see a difference.
    fn draw(&mut self, shown: Shown) -> Ended {
        let size = terminal_size();
        let still = still(&shown);
        let is_same = self.shown.as_ref() == Some(&still);
        if is_same && (self.context.globals.json || size.is_none()) {
            return Ok(());
        }
        let is_first = self.shown.is_none();
        self.shown = Some(still);
        if self.context.globals.json {
            let line = serde_json::to_string(&shown).map_err(std::io::Error::other)?;
            return self.context.say(line);
        }
        let style =
            Style { letters: self.letters, exact: Exact::Minutes, width: size.map(|(width, _)| width) };
        let page = shown.page(style);
        let Some((width, height)) = size else {
            return self.context.say(if is_first { page } else { format!("\n{page}") });
        };
        self.place(&page, width, height)
    }

    /// Puts the page where the last one is.
    fn place(&mut self, page: &str, width: usize, height: usize) -> Result<(), Failure> {
        let mut lines: Vec<String> = page.lines().map(|line| fitted(line, width)).collect();
        let room = height.saturating_sub(1).max(1);
        if lines.len() > room {
            let more = lines.len() - room + 1;
            lines.truncate(room - 1);
            lines.push(cut(&format!("… {more} lines more"), Some(width)));
        }
        let is_resized = self.size.is_some_and(|size| size != (width, height));
        self.size = Some((width, height));
        if lines == self.lines && !is_resized {
            return Ok(());
        }
        // Rows that were wrapped anew are where nobody knows.
        let back = match self.lines.len() {
            _ if is_resized => "\u{1b}[H\u{1b}[2J".to_owned(),
            0 => String::new(),
            rows => format!("\u{1b}[{rows}A\r"),
        };
        let text: String = lines.iter().map(|line| format!("{line}\u{1b}[K\n")).collect();
        self.lines = lines;
        self.context.put(&format!("{back}{text}\u{1b}[J"))
    }
}

/// The same without what changes by itself.
fn still(shown: &Shown) -> Shown {
    let mut still = shown.clone();
    still.status.now.clear();
    still.status.seq = 0;
    still
}

/// A line within so many columns; one that is too long loses its colours.
fn fitted(line: &str, width: usize) -> String {
    use unicode_width::UnicodeWidthStr;
    let bare = anstream::adapter::strip_str(line).to_string();
    if bare.width() <= width { line.to_owned() } else { cut(&bare, Some(width)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn agent(name: &str, state: &str) -> serde_json::Value {
        json!({
            "agent_name": name, "state": state, "current_task": null, "pane_id": null, "pid": null, "provider": "plain",
            "queued": 0, "up_since": null, "tasks_completed": 0, "tasks_failed": 0, "restarts": 0,
        })
    }

    #[test]
    fn what_has_changed_is_put_in_and_the_order_is_the_teams() {
        let status = json!({
            "daemon": null, "agents": [agent("a1", "idle"), agent("a10", "idle"), agent("a2", "idle")], "open": 0,
            "pending": 0, "held": 0, "halted_since": null, "tmux_lost": false,
        });
        let mut status: StatusInfo = serde_json::from_value(status).expect("a status");
        let view = json!({
            "seq": 7, "agents": [agent("a2", "working"), agent("b", "idle")], "order": ["b", "a2", "a10"],
        });
        apply(&mut status, serde_json::from_value(view).expect("a view"));
        let agents: Vec<(&str, &str)> =
            status.agents.iter().map(|agent| (agent.agent_name.as_str(), agent.state.as_str())).collect();
        assert_eq!(agents, [("b", "idle"), ("a2", "working"), ("a10", "idle")]);
        assert_eq!(status.seq, 7);
    }

    #[test]
    fn a_line_never_takes_two_rows() {
        assert_eq!(fitted("\u{1b}[1m家計簿\u{1b}[0m", 6), "\u{1b}[1m家計簿\u{1b}[0m");
        assert_eq!(fitted("\u{1b}[1m家計簿\u{1b}[0m", 5), "家計…");
    }
}
