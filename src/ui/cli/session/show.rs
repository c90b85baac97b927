//! `tasuki session show`: one session with its tasks, or one of its tasks.

use super::asking::{Asking, task_of};
use super::{words, work};
use crate::io::clock::Clock;
use crate::ui::cli::ages::{Exact, age};
use crate::ui::cli::columns::{Column, rows};
use crate::ui::cli::context::{Context, Ended};
use crate::ui::cli::marks::Letters;
use crate::ui::cli::table::{cut, harmless, terminal_width};
use crate::wire::api::{SessionCounts, SessionDetails, SessionInfo, SessionTaskInfo};
use crate::wire::time::rfc3339_ms;
use clap::builder::NonEmptyStringValueParser;

/// Shows a session with its tasks, or one task with its description and its result
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki session show a1b2c3d4
  tasuki session show a1b2c3d4 task-2      the whole of one task
  tasuki session show a1b2c3d4 --json | jq -r '.tasks[] | select(.status == \"Failed\") | .id'

Without a daemon, the command reads the journal.

Exit codes:
  2  there is no such session or task")]
pub(super) struct Args {
    /// Session id, or the beginning of it
    #[arg(value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    session: String,
    /// Task id, such as task-2
    #[arg(value_name = "TASK")]
    session_task: Option<String>,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let details = Asking::new(context)?.session(&args.session)?;
    let letters = Letters::of(context, false);
    let now = rfc3339_ms(Clock::start().wall());
    match &args.session_task {
        Some(id) => {
            let task = task_of(&details, id)?;
            context.tell(task, || task_page(&details, task, letters))
        }
        None => context.tell(&details, || page(&details, letters, &now)),
    }
}

/// A session for a person: how it stands, its goal, and its tasks.
pub(super) fn page(details: &SessionDetails, letters: Letters, now: &str) -> String {
    let SessionDetails { session, goal, tasks, .. } = details;
    let mut lines = head(session, letters, now);
    if let Some(goal) = goal.as_deref().filter(|goal| !goal.trim().is_empty()) {
        lines.push(String::new());
        lines.extend(text_of(goal));
    }
    if !tasks.is_empty() {
        lines.push(String::new());
        lines.extend(task_lines(tasks, letters, session.waits_for_yes));
    }
    lines.join("\n")
}

fn head(session: &SessionInfo, letters: Letters, now: &str) -> Vec<String> {
    let bold = anstyle::Style::new().bold();
    let title = session.title.as_deref().map_or(String::new(), |title| format!(" {}", harmless(title)));
    let (mark, state) = (words::session_mark(letters, session), words::of_session(session));
    let waits = words::waiting(session).map(|waits| format!(", {waits}")).unwrap_or_default();
    let done = words::done_of_all(&session.counts);
    let age = age(Some(&session.created_at), now, Exact::Seconds);
    let id = &session.id;
    let mut lines = vec![format!(
        "{mark} {bold}{id}{bold:#}{title}; {state}{waits}, {done} tasks completed, begun {age} ago"
    )];
    let mut facts = Vec::new();
    facts.extend(session.owner.as_ref().map(|owner| format!("begun by {owner}")));
    facts.extend(session.master.as_ref().map(|master| format!("master {master}")));
    facts.extend(session.on_failure.as_ref().map(|word| format!("on_failure {word}")));
    facts.push(match session.parallel {
        0 => "any number of tasks at a time".to_owned(),
        most => format!("{most} tasks at a time"),
    });
    facts.extend(session.debate.as_ref().map(|debate| format!("carries out the plan of debate {debate}")));
    facts.extend(session.pull_requests.then(|| "a pull request for each task in a worktree".to_owned()));
    lines.push(harmless(&facts.join(", ")));
    if session.asks_for_pull_requests {
        lines.push(
            "its plan asks for pull requests, and none is opened: only `tasuki session new --pr` orders them"
                .to_owned(),
        );
    }
    // The mistakes of a plan have lines of their own.
    let note = words::note(session).map(|note| format!("note: {note}")).unwrap_or_default();
    lines.extend(note.lines().map(harmless));
    if session.status == "Failed"
        && session.counts == SessionCounts::default()
        && !words::is_cancelled(session)
    {
        lines.push(format!("`tasuki session resume {id}` asks for its plan again; `tasuki session new` takes another goal, or a plan of yours"));
    }
    if let Some(message) = &session.planning {
        lines.push(format!("waits for its plan: `tasuki why {message}`"));
    }
    lines.extend(words::merge(session).map(|line| harmless(&line)));
    if session.waits_for_yes {
        lines.push(format!(
            "`tasuki session resume {id}` begins it; `tasuki session cancel {id}` calls it off"
        ));
    }
    lines
}

/// The tasks, one a row; below each what it answered, or why it is where it is.
/// Of a plan that waits for a yes, what each is to do and what is checked.
fn task_lines(tasks: &[SessionTaskInfo], letters: Letters, is_asked: bool) -> Vec<String> {
    let columns = [
        Column::whole("task"),
        Column::whole("state"),
        Column::cut_to("name", 16),
        Column::cut_to("who", 8),
        Column::cut_to("needs", 8),
        Column::cut_to("message", 8),
    ];
    let width = terminal_width();
    let row = |task: &SessionTaskInfo| {
        vec![
            task.id.clone(),
            format!("{} {}", words::task_mark(letters, task), words::of_task_in_queue(task)),
            cut(&task.name, Some(words::NAME_COLUMNS)),
            words::who(task),
            needs(task),
            task.message.clone().unwrap_or_default(),
        ]
    };
    let table = rows(&columns, tasks.iter().map(row).collect(), width);
    let mut lines = table.lines();
    let mut out: Vec<String> = lines.next().map(str::to_owned).into_iter().collect();
    for (task, line) in tasks.iter().zip(lines) {
        out.push(line.to_owned());
        if is_asked {
            let text = task.description.as_deref().map(words::first_line).unwrap_or_default();
            out.push(cut(&format!("    {text}"), width));
            out.push(harmless(&format!("    {}", words::planned(task))));
        }
        let result = task.result.as_deref().map(words::first_line).filter(|line| !line.is_empty());
        let note = task.note.as_deref().map(words::first_line).filter(|note| result.as_ref() != Some(note));
        let waits = task.waits_for.as_deref().map(words::first_line);
        out.extend([waits, note].into_iter().flatten().map(|note| cut(&format!("    {note}"), width)));
        out.extend(result.map(|result| cut(&format!("    {} {result}", letters.to()), width)));
    }
    out
}

fn needs(task: &SessionTaskInfo) -> String {
    let needs = task.dependencies.join(", ");
    if task.join == "any" && task.dependencies.len() > 1 { format!("any of {needs}") } else { needs }
}

/// One task for a person, whole.
fn task_page(details: &SessionDetails, task: &SessionTaskInfo, letters: Letters) -> String {
    let bold = anstyle::Style::new().bold();
    let (mark, state) = (words::task_mark(letters, task), words::of_task_in_queue(task));
    let mut lines = vec![format!("{mark} {bold}{}{bold:#} {}; {state}", task.id, harmless(&task.name))];
    lines.push(format!("of session {}", details.session.id));
    let mut fact = |word: &str, text: Option<&str>| {
        let text = text.filter(|text| !text.is_empty());
        lines.extend(text.map(|text| harmless(&format!("{word} {text}"))));
    };
    fact("needs", Some(&needs(task)));
    fact("for", task.to.as_deref());
    fact("expects", Some(&task.expect.join(", ")));
    fact("done by", task.agent.as_deref().filter(|agent| Some(*agent) != task.to.as_deref()));
    fact("message", task.message.as_deref());
    if task.tries > 1 {
        fact("tried", Some(&format!("{} times", task.tries)));
    }
    fact("began", task.started_at.as_deref().map(words::time).as_deref());
    fact("ended", task.completed_at.as_deref().map(words::time).as_deref());
    fact("now", task.waits_for.as_deref());
    fact("note:", task.note.as_deref());
    let parts = [("Description", task.description.as_deref()), ("Result", task.result.as_deref())];
    for (heading, text) in parts {
        let Some(text) = text.filter(|text| !text.trim().is_empty()) else { continue };
        lines.extend([String::new(), format!("{bold}{heading}{bold:#}")]);
        lines.extend(text_of(text));
    }
    if let Some(work) = &task.work {
        lines.extend([String::new(), format!("{bold}Changes{bold:#}")]);
        lines.extend(work::lines(work).iter().map(|line| format!("  {line}")));
    }
    if let Some(pull) = &task.pull_request {
        lines.extend([String::new(), format!("{bold}Pull request{bold:#}")]);
        lines.extend(work::pull_lines(pull).iter().map(|line| format!("  {line}")));
    }
    lines.join("\n")
}

fn text_of(text: &str) -> Vec<String> {
    text.trim_end().lines().map(|line| format!("  {}", harmless(line))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use unicode_width::UnicodeWidthStr;

    #[test]
    fn a_name_is_cut_in_the_table_and_whole_on_its_own_page() {
        let name = "長い名前".repeat(50);
        let task = |id: &str, name: &str| {
            json!({"id": id, "name": name, "description": "x", "status": "Running", "dependencies": [], "join": "all",
                "to": "worker", "is_hired_for": id == "task-2"})
        };
        let details: SessionDetails = serde_json::from_value(json!({
            "id": "a1b2c3d4-e5f6-4890-abcd-ef1234567890", "status": "Paused", "waits_for_yes": true, "goal": null,
            "tasks": [task("task-1", &name), task("task-2", "short")],
            "counts": {"pending": 0, "ready": 0, "running": 2, "completed": 0, "failed": 0, "cancelled": 0, "waits_for_you": 1},
            "created_at": "2026-02-02T00:00:00Z", "updated_at": "2026-02-02T00:00:00Z",
        }))
        .expect("a session");
        let shown = page(&details, Letters::Unicode, "2026-02-02T00:01:00Z");
        let shown = anstream::adapter::strip_str(&shown).to_string();
        let rows: Vec<&str> = shown.lines().filter(|line| line.starts_with("task-")).collect();
        assert!(rows.iter().all(|row| row.width() < 80) && rows[0].contains("長い名前長い"), "{shown}");
        assert!(shown.contains("waits for your yes, 1 waits for you, 0/2 tasks completed"), "{shown}");
        assert!(
            shown.contains("expects nothing, so its claim is believed; an agent is hired for it"),
            "{shown}"
        );
        assert!(task_page(&details, &details.tasks[0], Letters::Unicode).contains(&name));
    }
}
