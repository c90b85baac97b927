//! A plan's file for `tasuki lint`: read as `tasuki session new` reads it, tried with the team, and not begun.

use super::plan_file::refused;
use crate::engine::words::{AgentName, counted};
use crate::io::client::Client;
use crate::io::worktree::repository_of;
use crate::ui::cli::context::Context;
use crate::ui::cli::failure::Failure;
use crate::ui::cli::roster;
use crate::wire::session::plan;
use crate::wire::session::trial::would_begin;
use crate::wire::team_file::Settings;
use std::path::Path;

/// Names of files that are plans, whatever is in them.
const ENDINGS: [&str; 3] = [".plan.yaml", ".plan.yml", ".plan.json"];

/// Whether a file is a plan.
pub(in crate::ui::cli) fn is_plan(path: &Path, bytes: &[u8]) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let text = String::from_utf8_lossy(bytes);
    let begins = |word: &str| text.lines().any(|line| line.starts_with(word));
    ENDINGS.iter().any(|ending| name.ends_with(ending))
        || (begins("tasks:") && !begins("to:"))
        // JSON has its keys anywhere, and is read as YAML like any plan.
        || (text.trim_start_matches('\u{feff}').trim_start().starts_with('{') && plan::is_plan(bytes))
}

/// Says what a plan would begin.
pub(in crate::ui::cli) fn check(context: &Context, path: &Path, bytes: &[u8]) -> Result<String, Failure> {
    let workspace = context.workspace().ok();
    let settings = workspace.as_ref().and_then(|workspace| roster::settings(context, workspace));
    let master = settings.as_ref().and_then(master);
    let repository = match &workspace {
        Some(workspace) => Client::new(workspace, &context.around)?.run(repository_of(workspace)),
        None => None,
    };
    let team = settings.as_ref().map(|settings| &settings.team).zip(master.clone());
    let tasks = would_begin(bytes, team, repository)
        .map_err(|refusal| refused(refusal, Some(path.display().to_string())))?;
    let what = format!("a plan of {}", counted(tasks, "task"));
    Ok(match (settings, master) {
        (Some(_), Some(_)) => what,
        (Some(_), None) => {
            format!(
                "{what}; nobody reports to `user`, so `session new` needs --master, and who is named is not checked"
            )
        }
        (None, _) => {
            format!("{what}; there is no team here that could be used, so who is named is not checked")
        }
    })
}

/// The agent that has what a plan gives to nobody, where none is named.
fn master(settings: &Settings) -> Option<AgentName> {
    let members = &settings.team.members;
    let hired = members.keys().filter(|name| !settings.order.contains(name));
    let reports = |name: &&AgentName| members.get(*name).is_some_and(|member| member.reports_to.is_user());
    settings.order.iter().chain(hired).find(reports).cloned()
}
