//! `tasuki init`: a new workspace with the default team.

use super::context::{Context, Ended};
use super::failure::{Failure, Kind};
use crate::engine::message::refusal::Code;
use crate::io::client::Client;
use crate::io::lock;
use crate::io::team_file::{choose_provider, write_team};
use crate::io::workspace::Workspace;
use crate::wire::team_file::{Language, Settings};
use std::fs;

/// Creates a workspace: the default team, its prompts, the mailbox and the status folder
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki init                          in this folder, with a provider that is installed
  tasuki init --provider scripted      with agents that play a script
  tasuki init --lang ja                prompts and comments in Japanese
  tasuki init --root ~/team            in that folder, created if it is missing

Existing files are kept, unless `--force` is given. No team file is written while a daemon is running.")]
pub(super) struct Args {
    /// Provider of the agents. Default: the first of claude, codex, gemini, qwen and opencode that is on PATH, else scripted
    #[arg(long, value_name = "NAME")]
    provider: Option<String>,
    /// Language of the prompts and of the comments in the team file
    #[arg(long, value_name = "LANGUAGE", default_value = "en", ignore_case = true)]
    lang: Lang,
    /// Write a new team file; the old one is kept as tasuki.yaml.old
    #[arg(long)]
    force: bool,
}

/// A language that there are prompts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Lang {
    /// English
    En,
    /// Japanese
    Ja,
}

impl From<Lang> for Language {
    fn from(lang: Lang) -> Self {
        match lang {
            Lang::En => Self::English,
            Lang::Ja => Self::Japanese,
        }
    }
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let folder = context
        .globals
        .root
        .as_ref()
        .map_or_else(|| context.around.cwd.clone(), |root| context.around.cwd.join(root));
    let choice = choose_provider(args.provider.as_deref(), &context.around)?;
    super::lab::refuse_scripted(&choice.provider)?;
    fs::create_dir_all(&folder).map_err(Failure::at(&folder))?;
    let workspace = Workspace::at(&folder)?;
    let is_there = workspace.team_file().symlink_metadata().is_ok();
    if args.force || !is_there {
        refuse_running(context, &workspace)?;
    }
    if args.force && is_there {
        set_aside(&workspace)?;
    }
    let written = write_team(&workspace, &choice.provider, args.lang.into())?;
    workspace.prepare()?;
    Settings::load(&workspace, &context.around)?;
    let files: Vec<_> =
        written.iter().map(|file| serde_json::json!({"path": file.path, "new": file.new})).collect();
    let (provider, found) = (&choice.provider, &choice.found);
    let value = serde_json::json!({
        "root": workspace.root(), "provider": provider, "found": found, "why": choice.why(), "files": files,
    });
    context.tell(&value, || {
        let new = written.iter().filter(|file| file.new).map(|file| format!("  {}", file.path.display()));
        let head = format!("a team of `{}` agents in {}:", choice.provider, workspace.root().display());
        let tail = "next: `tasuki up`, then `tasuki send grand_boss \"…\"`".to_owned();
        [choice.why(), head].into_iter().chain(new).chain([tail]).collect::<Vec<_>>().join("\n")
    })
}

/// A daemon would take up a new team at once, and end the agents of the old one.
fn refuse_running(context: &Context, workspace: &Workspace) -> Ended {
    if Client::new(workspace, &context.around)?.is_agents() {
        let why = "an agent may not replace the team file of its own workspace";
        return Err(Failure::new(Kind::Rejected, Code::NotYours.word(), why, "let a person do it"));
    }
    if lock::holder(&workspace.lock())?.is_none() {
        return Ok(());
    }
    let why = "a daemon is running here, and would end its agents and start those of the new team file";
    let cure = match workspace.team_file().exists() {
        true => "end it with `tasuki down` first, or edit tasuki.yaml",
        false => "put its tasuki.yaml back, or end it with `tasuki down` first",
    };
    Err(Failure::new(Kind::Rejected, "running", why, cure))
}

/// Keeps the team file that was there, and never over another.
fn set_aside(workspace: &Workspace) -> Ended {
    let old = workspace.root().join("tasuki.yaml.old");
    if old.symlink_metadata().is_ok() {
        let why = format!("{} is there already", old.display());
        return Err(Failure::new(Kind::Rejected, "already-there", why, "move it away first"));
    }
    fs::rename(workspace.team_file(), &old).map_err(Failure::at(&old))
}
