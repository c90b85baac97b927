//! `tasuki detect keep` and `tasuki detect check`: screens that were read wrongly become recorded ones, with what they are to
//! be read as, and the rules are tried on them.

use super::rules::{profiles, rules_of};
use crate::engine::screen::reading::ScreenState;
use crate::engine::words::{AgentName, counted};
use crate::io::frame::KeptFrame;
use crate::io::workspace::Workspace;
use crate::io::{frames, regular};
use crate::ui::cli::context::{Context, Ended};
use crate::ui::cli::failure::{Failure, Kind};
use crate::ui::cli::roster;
use crate::wire::clean::escape;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Where recorded screens are, beside the profiles of a workspace.
const SCREENS: &str = "screens";
/// What the screens of a folder are to be read as: lines `FILE STATE RULE`; a rule `*` is any.
const TABLE: &str = "expected.table";
/// Largest table: some ten thousand screens.
const TABLE_BYTES_MAX: u64 = 1 << 20;

/// Records a frame of an agent with its correct state
///
/// The daemon keeps a frame each time the state of a screen changes: the newest 64, in .tasuki/frames/AGENT/.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki detect keep coder --state waiting_input
  tasuki detect keep coder --state busy --rule spinner --name long-think
  tasuki detect keep coder --state ready --frame .tasuki/frames/coder/20260202T120500.000Z-00-busy.txt
  tasuki detect check")]
pub(super) struct KeepArgs {
    /// Agent name
    agent: AgentName,
    /// Correct state of the screen
    #[arg(long, value_name = "STATE", value_parser = read_state)]
    state: &'static str,
    /// Rule that must match. Default: any
    #[arg(long, value_name = "NAME")]
    rule: Option<String>,
    /// Frame to record. Default: the newest
    #[arg(long, value_name = "FILE")]
    frame: Option<PathBuf>,
    /// Name of the recorded screen. Default: that of the frame
    #[arg(long, value_name = "NAME", value_parser = read_file_name)]
    name: Option<String>,
    /// Where to; a folder for each profile is made there
    #[arg(long, value_name = "DIR", help = "Target folder. Default: protocol/profiles/screens")]
    to: Option<PathBuf>,
}

/// Tries the rules on recorded screens
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki detect check
  tasuki detect check tests/screens

Exit codes:
  0  every screen is read as recorded
  1  some are not")]
pub(super) struct CheckArgs {
    /// A folder that has one for each profile, with an expected.table of lines `FILE STATE RULE`
    #[arg(
        value_name = "DIR",
        help = "Folder of recorded screens, with a folder for each profile. Default: protocol/profiles/screens"
    )]
    folder: Option<PathBuf>,
}

fn read_state(word: &str) -> Result<&'static str, String> {
    let known = ScreenState::ALL.map(ScreenState::name);
    known.into_iter().find(|name| *name == word).ok_or_else(|| format!("use one of: {}", known.join(", ")))
}

fn read_file_name(name: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_one = !name.is_empty() && name.len() <= 100 && !name.starts_with('.') && name.chars().all(plain);
    if is_one { Ok(name.to_owned()) } else { Err("use letters, digits, `-`, `_` and `.`".to_owned()) }
}

pub(super) fn keep(context: &Context, args: &KeepArgs) -> Ended {
    let workspace = context.workspace()?;
    let frame_file = match &args.frame {
        Some(file) => file.clone(),
        None => newest(&workspace, &args.agent)?,
    };
    let frame = KeptFrame::read(&frame_file).map_err(|error| unreadable(&frame_file, &error))?;
    let provider = provider_of(context, &workspace, &args.agent)?;
    let rules = rules_of(context, &provider)?;
    if let Some(rule) = &args.rule
        && rules.rules.iter().all(|known| known.name != *rule)
    {
        let why = format!("the profile `{provider}` has no rule `{rule}`");
        return Err(Failure::new(
            Kind::Rejected,
            "unknown-rule",
            why,
            "leave `--rule` out, or write the rule first",
        ));
    }
    let name = match &args.name {
        Some(name) => name.clone(),
        None => stem_of(&frame_file)?,
    };
    let folder = args.to.clone().unwrap_or_else(|| workspace.profiles().join(SCREENS)).join(&provider);
    fs::create_dir_all(&folder)?;
    let file = folder.join(format!("{name}.txt"));
    let line = format!("{name}.txt {} {}\n", args.state, args.rule.as_deref().unwrap_or("*"));
    write(&file, &frame, &line)?;
    let now = frame.with(|frame| {
        let reading = rules.read(frame);
        format!("{} {}", reading.state.name(), reading.rule_name())
    });
    let value = serde_json::json!({"file": file, "state": args.state, "read_as": now});
    context.tell(&value, || format!("{} should be {}; it is now read as {now}", file.display(), args.state))
}

/// The name of a frame, if a line of the table can have it.
fn stem_of(frame_file: &Path) -> Result<String, Failure> {
    let stem = frame_file.file_stem().unwrap_or_default().to_string_lossy();
    read_file_name(&stem).map_err(|_| {
        let why = format!("`{}` cannot be the name of a recorded screen", escape(&stem));
        Failure::new(Kind::Rejected, "name", why, "give it a `--name` of letters, digits, `-`, `_` and `.`")
    })
}

/// Writes a recorded screen, what is beside it and its line: new files, and none where a link leads.
fn write(file: &Path, frame: &KeptFrame, line: &str) -> Ended {
    let (beside, table) = (file.with_extension("meta"), file.with_file_name(TABLE));
    let failed = |path: &Path, error: io::Error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            let why = format!("{} is there already", path.display());
            Failure::new(Kind::Rejected, "exists", why, "give it another `--name`")
        }
        _ => Failure::at(path)(error),
    };
    let open = |how: &mut OpenOptions, path: &Path| {
        regular::open(how.write(true), path).map_err(|error| failed(path, error))
    };
    let mut table_file = open(OpenOptions::new().create(true).append(true), &table)?;
    let mut text = open(OpenOptions::new().create_new(true), file)?;
    let mut meta =
        open(OpenOptions::new().create_new(true), &beside).inspect_err(|_| drop(fs::remove_file(file)))?;
    let written = text
        .write_all(frame.text().as_bytes())
        .and_then(|()| meta.write_all(frame.meta("").as_bytes()))
        .and_then(|()| table_file.write_all(line.as_bytes()));
    written.map_err(|error| {
        let _ = (fs::remove_file(file), fs::remove_file(&beside));
        failed(file, error)
    })
}

pub(super) fn check(context: &Context, args: &CheckArgs) -> Ended {
    let folder = match &args.folder {
        Some(folder) => folder.clone(),
        None => context.workspace()?.profiles().join(SCREENS),
    };
    let (mut read, mut wrong) = (0, Vec::new());
    let known = profiles(context)?;
    for other in tables(&folder).into_iter().filter(|other| !known.contains_key(other)) {
        let name = escape(&other);
        context.remark(format!(
            "{name}: there is no such profile, so its screens are not tried; move them away"
        ));
    }
    for provider in known.keys() {
        let folder = folder.join(provider);
        let table = match regular::read(&folder.join(TABLE), TABLE_BYTES_MAX) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            table => table.map_err(|error| unreadable(&folder.join(TABLE), &error))?,
        };
        let rules = rules_of(context, provider)?;
        for line in table.lines().filter(|line| !line.trim().is_empty()) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [file, state, rule] = words[..] else {
                let why = format!(
                    "{}: `{}` is not a line `FILE STATE RULE`",
                    folder.join(TABLE).display(),
                    line.escape_debug()
                );
                return Err(Failure::new(Kind::Rejected, "table", why, "correct it, or remove it"));
            };
            let frame = KeptFrame::read(&folder.join(file))
                .map_err(|error| unreadable(&folder.join(file), &error))?;
            let (now, by) = frame.with(|frame| {
                let reading = rules.read(frame);
                (reading.state.name(), reading.rule_name().to_owned())
            });
            read += 1;
            if now != state || (rule != "*" && rule != by) {
                if !context.globals.json {
                    context
                        .say(format!("{provider}/{}: {now} {by} instead of {state} {rule}", escape(file)))?;
                }
                wrong.push(serde_json::json!({
                    "screen": format!("{provider}/{file}"),
                    "is": {"state": now, "rule": by}, "should_be": {"state": state, "rule": rule},
                }));
            }
        }
    }
    judge(context, &folder, read, &wrong)
}

/// What came of it all.
fn judge(context: &Context, folder: &Path, read: usize, wrong: &[serde_json::Value]) -> Ended {
    if read == 0 {
        let why = format!("there are no recorded screens in {}", folder.display());
        return Err(Failure::new(Kind::Rejected, "no-screens", why, "`tasuki detect keep` makes some"));
    }
    let value = serde_json::json!({"screens": read, "wrong": wrong.len(), "misread": wrong});
    if wrong.is_empty() {
        return context.tell(&value, || format!("{}, all read as they should be", counted(read, "screen")));
    }
    if context.globals.json {
        context.say_json(&value)?;
    }
    let why = format!("{} of {read} screens are read as something else", wrong.len());
    Err(Failure::new(Kind::Failed, "misread", why, "correct the rules of the profile, or the table"))
}

/// The folders that have a table, by name.
fn tables(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.path().join(TABLE).symlink_metadata().is_ok());
    let mut names: Vec<String> =
        folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort_unstable();
    names
}

fn newest(workspace: &Workspace, agent: &AgentName) -> Result<PathBuf, Failure> {
    let folder = workspace.frames().join(agent.as_str());
    let frames = frames::list(&folder).map_err(|error| unreadable(&folder, &error))?;
    frames.into_iter().next_back().ok_or_else(|| {
        let why = format!("no frame of {agent} is kept: {} is empty", folder.display());
        let cure = "frames are kept of agents whose profile has rules for screens, while the daemon runs";
        Failure::new(Kind::Rejected, "no-frame", why, cure)
    })
}

/// The profile of a member.
fn provider_of(context: &Context, workspace: &Workspace, agent: &AgentName) -> Result<String, Failure> {
    let file = crate::wire::team_file::Settings::load(workspace, &context.around)?.settings;
    let team = roster::settings_for(context, workspace, agent).unwrap_or(file).team;
    let name = team.member(agent)?;
    Ok(team.members.get(&name).map(|member| member.provider.clone()).unwrap_or_default())
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    let why = format!("{}: {error}", path.display());
    Failure::new(Kind::Rejected, "frame", why, "name a file with the text of a screen")
}
