//! `tasuki lint`: says what is wrong with a drop or a team file before the daemon does.

use super::context::{Context, Ended};
use super::debate::trial as request;
use super::failure::{Failure, Kind};
use super::roster;
use super::session::trial::{self, is_plan};
use crate::engine::message::Draft;
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::words::counted;
use crate::io::chance::mint_id;
use crate::io::clock::Clock;
use crate::io::team_file::Machine;
use crate::io::workspace::{TEAM_FILE, Workspace};
use crate::wire::message::draft;
use crate::wire::team_file::{Finding, Settings, render};
use crate::wire::{FILE_BYTES_MAX, too_large};
use anstream::ColorChoice;
use chrono::Local;
use serde::Deserialize;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Checks message files, plans, requests of debates, team files and scripts, and starts nothing
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki lint tasuki.yaml
  tasuki lint task.yaml && mv task.yaml queue/
  tasuki lint sign-in.plan.yaml                    whether `tasuki session new` would begin it
  tasuki lint --compat queue/results/*.yaml        also compares with libyaml

A file is a team file if it is called tasuki.yaml, or has a line that begins with `agents:` or `session:`. It is a script if it \
is called NAME.script.yaml, or has a line that begins with `rules:` and none that begins with `to:`. It is a plan if it is called \
NAME.plan.yaml, or has a line that begins with `tasks:` and none that begins with `to:`. It is the request of a debate if it has the \
keys `task` and `roles`, and no `to`; or all of it under a key `request`.

With --json, each file is a line: on the standard output if it is good, else on the standard error. All that is wrong besides the first \
mistake is in `others`, each with `code`, `why`, `cure`, `field`, `line` and `column`. What is only odd in a team file has the code `warning`.")]
pub(super) struct Args {
    /// File to check
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Also read the files with libyaml, as programs in Python and Ruby do
    #[arg(long)]
    compat: bool,
}

/// In whose name tasuki answers where no agent does.
const OURSELVES: &str = "tasuki";

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let (mut bad, mut taken) = (0, Vec::new());
    for path in &args.files {
        let checked = bytes_of(path).and_then(|bytes| check(context, path, &bytes, args.compat, &mut taken));
        match checked {
            Ok(words) => context
                .tell(&serde_json::json!({"file": path, "ok": true, "what": words}), || {
                    format!("{}: {words}", path.display())
                })?,
            Err(failure) => {
                bad += 1;
                context.complain(&failure);
            }
        }
    }
    match bad {
        0 => Ok(()),
        _ => {
            let why = format!("{bad} of {} would be refused", counted(args.files.len(), "file"));
            Err(Failure::new(Kind::Rejected, "lint", why, "correct what is reported above"))
        }
    }
}

/// `taken` holds the messages of the files before this one.
fn check(
    context: &Context,
    path: &Path,
    bytes: &[u8],
    compat: bool,
    taken: &mut Vec<Draft>,
) -> Result<String, Failure> {
    let words = if is_team(path, bytes) {
        check_team(context, path, bytes)
    } else if is_script(path, bytes) {
        let (text, name) = (String::from_utf8_lossy(bytes), path.display().to_string());
        super::lab::check_script(&text, &name)
            .map(|()| "a script of the scripted agent".to_owned())
            .map_err(|failure| failure.within(name))
    } else if is_plan(path, bytes) {
        trial::check(context, path, bytes)
    } else if request::is_request(bytes) {
        request::check(context, path, bytes)
    } else {
        check_drop(context, path, bytes, taken)
    }?;
    if compat {
        check_compat(bytes).map_err(|failure| failure.within(path.display().to_string()))?;
    }
    Ok(words)
}

fn check_team(context: &Context, path: &Path, bytes: &[u8]) -> Result<String, Failure> {
    let folder = context.around.cwd.join(path);
    let workspace = Workspace::at(folder.parent().unwrap_or(Path::new("/")))?;
    let colours = matches!(
        anstream::AutoStream::choice(&std::io::stderr()),
        ColorChoice::Always | ColorChoice::AlwaysAnsi
    );
    // The daemon refuses a team file that everybody may write, whatever it says.
    if path.file_name().is_some_and(|name| name == TEAM_FILE) {
        workspace.refuse_open_team()?;
    }
    match Settings::read(&path.display().to_string(), bytes, &workspace, &context.around, &Machine) {
        Ok(loaded) => {
            if !loaded.warnings.is_empty() {
                context.remark(render(&loaded.warnings, colours));
            }
            Ok(format!("a team of {}", loaded.settings.team.members.len()))
        }
        Err(findings) => {
            let (wrong, odd): (Vec<Finding>, Vec<Finding>) =
                findings.into_iter().partition(|finding| finding.fatal);
            let mut why = format!("this team file cannot be used:\n\n{}", render(&wrong, colours));
            if !odd.is_empty() {
                why += &format!("\nthese are only warnings:\n\n{}", render(&odd, colours));
            }
            let cure = "correct what is shown; docs/team-file.md describes each key";
            let file = path.display().to_string();
            let report = Failure::new(Kind::Rejected, "team-file", why, cure).within(&file).text();
            Err(Failure { report: Some(report), ..each_of(&wrong, &odd).within(file) })
        }
    }
}

/// What is wrong with a team file, and what is odd, each by itself: what a program is told. A person is shown the lines.
fn each_of(wrong: &[Finding], odd: &[Finding]) -> Failure {
    let failure = |code: &str, finding: &Finding| {
        let mut failure = Failure::new(Kind::Rejected, code, &*finding.why, &*finding.cure);
        failure.problem.line = u64::try_from(finding.line()).ok();
        failure.problem.column = u64::try_from(finding.column()).ok();
        failure
    };
    let wrong = wrong.iter().map(|finding| failure("team-file", finding));
    let mut all = wrong.chain(odd.iter().map(|finding| failure("warning", finding)));
    let first = all.next().unwrap_or_else(|| Failure::new(Kind::Rejected, "team-file", "", ""));
    first.and(all.collect())
}

fn check_drop(
    context: &Context,
    path: &Path,
    bytes: &[u8],
    taken: &mut Vec<Draft>,
) -> Result<String, Failure> {
    let name = path.file_name().and_then(|name| name.to_str());
    // Where there is no team, any name may be somebody's.
    let settings = context.workspace().ok().and_then(|workspace| roster::settings(context, &workspace));
    let team = settings.map(|settings| settings.team);
    let names = team.as_ref().map(|team| team.names());
    let knows = |name: &str| names.as_ref().is_none_or(|names| names.contains(name));
    let drafts = draft::read(bytes, name, &knows, &mut mint_id, Clock::start().wall(), &Local);
    if drafts.as_ref().is_err_and(|refusal| refusal.code == Code::BadStatus) && is_own_answer(bytes) {
        return Ok("an answer that tasuki wrote itself".to_owned());
    }
    let drafts = drafts.map_err(|refusal| {
        let is_map = refusal.code != Code::NotAMap;
        let mut failure = Failure::from(refusal);
        if !is_map {
            // It may be the tasks of a plan as well.
            failure.problem.cure = "a message has `to:` and `content:` at its top level, and a plan has its list of tasks below `tasks:`".to_owned();
        }
        failure.within(path.display().to_string())
    })?;
    let late = drafts.iter().enumerate().find_map(|(document, draft)| Some((document, draft.late.as_ref()?)));
    if let Some((document, late)) = late {
        let refusal = Refusal { document, ..(**late).clone() };
        return Err(Failure::from(refusal).within(path.display().to_string()));
    }
    for (document, draft) in drafts.iter().enumerate() {
        // What may be run is in the team file; that only a task is checked holds without one.
        let may_expect = || draft.expect.as_ref().map_or(Ok(()), |_| draft.kind.may_expect());
        let fits = team.as_ref().map_or_else(may_expect, |team| team.takes(draft));
        fits.map_err(|refusal| {
            Failure::from(Refusal { document, ..refusal }).within(path.display().to_string())
        })?;
    }
    let (notes, count) = (notes_on(&drafts), drafts.len());
    let before = taken.len();
    taken.extend(drafts);
    if let Err(refusal) = Draft::no_circle(taken) {
        taken.truncate(before);
        let refusal = Refusal { document: refusal.document.saturating_sub(before), ..refusal };
        return Err(Failure::from(refusal).within(path.display().to_string()));
    }
    let count = if count == 1 { "a message".to_owned() } else { format!("{count} messages") };
    Ok(if notes.is_empty() { count } else { format!("{count}; {}", notes.join("; ")) })
}

/// What is odd about messages, and is taken all the same.
fn notes_on(drafts: &[Draft]) -> Vec<String> {
    let notes = drafts.iter().flat_map(|draft| &draft.notes).cloned();
    // Those that are near to a key that is known are in the notes.
    let unknown = drafts.iter().flat_map(|draft| {
        let is_new = |key: &&String| !draft.notes.iter().any(|note| note.contains(key.as_str()));
        draft.unknown_keys.iter().filter(is_new)
    });
    notes.chain(unknown.map(|key| format!("`{key}` is kept as it is"))).collect()
}

/// What programs with libyaml make of it; they are stricter in some places and laxer in others.
fn check_compat(bytes: &[u8]) -> Result<(), Failure> {
    let text = String::from_utf8_lossy(bytes);
    for (number, document) in serde_yaml::Deserializer::from_str(&text).enumerate() {
        if let Err(error) = serde_yaml::Value::deserialize(document) {
            let why = format!("tasuki reads it, but programs with libyaml do not: {error}");
            let mut failure =
                Failure::new(Kind::Rejected, "compat", why, "write it the plain way, or put it in quotes");
            failure.problem.document = (number > 0).then_some(number);
            let place = error.location();
            failure.problem.line = place.as_ref().and_then(|place| u64::try_from(place.line()).ok());
            failure.problem.column = place.and_then(|place| u64::try_from(place.column()).ok());
            return Err(failure);
        }
    }
    Ok(())
}

/// Whether it is an answer of tasuki's own, as to a task that was cancelled: no drop may say so, and none needs to.
fn is_own_answer(bytes: &[u8]) -> bool {
    let view: Option<serde_json::Value> = serde_saphyr::from_slice(bytes).ok();
    view.is_some_and(|view| view["from"] == OURSELVES && view["in_reply_to"].is_string())
}

fn is_script(path: &Path, bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let begins = |word: &str| text.lines().any(|line| line.starts_with(word));
    let is_named =
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.ends_with(".script.yaml"));
    is_named || (begins("rules:") && !begins("to:"))
}

fn is_team(path: &Path, bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let begins = |word: &str| text.lines().any(|line| line.starts_with(word));
    path.file_name().is_some_and(|name| name == TEAM_FILE) || begins("agents:") || begins("session:")
}

fn bytes_of(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    if let Ok(meta) = path.metadata()
        && meta.is_file()
        && meta.len() > FILE_BYTES_MAX as u64
    {
        return Err(Failure::from(too_large(meta.len())).within(path.display().to_string()));
    }
    let read = File::open(path).and_then(|file| file.take(FILE_BYTES_MAX as u64 + 1).read_to_end(&mut bytes));
    read.map(|_| bytes).map_err(|error| {
        let why = format!("cannot read it: {error}");
        Failure::new(Kind::Rejected, "unreadable", why, "name a file").within(path.display().to_string())
    })
}
