//! `tasuki doctor`: looks at everything that tasuki needs, and says what to do about what is missing.

use super::context::{Context, Ended};
use super::failure::{Failure, Kind};
use super::lying;
use super::service::{LINGER_CURE, linger};
use super::table::harmless;
use crate::engine::words::counted;
use crate::io::client::{ANSWER_DEADLINE, Client};
use crate::io::clock::Clock;
use crate::io::evidence::environment;
use crate::io::journal::is_short_of_space;
use crate::io::mux::Server;
use crate::io::systemd::{Linger, Manager, unit};
use crate::io::team_file::{Machine, SettingsError};
use crate::io::workspace::Workspace;
use crate::io::worktree::Repository;
use crate::wire::api::{Health, StatusInfo};
use crate::wire::os_error::unnumbered;
use crate::wire::team_file::{Settings, TmuxSocket};
use crate::wire::zone::ZoneSpec;
use serde::Serialize;
use std::path::Path;

/// Below this many watches a big tree of worktrees cannot be watched, and tasuki looks instead.
const WATCHES_LOW: u64 = 8_192;
/// Below this many a few editors use all of them up.
const INSTANCES_LOW: u64 = 64;

/// Checks this machine and this workspace: tmux, locale, limits, disk, socket, programs
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki doctor
  tasuki doctor --json | jq -r '.[] | select(.verdict != \"good\")'

Exit codes:
  0  nothing is wrong, except for warnings
  1  something is wrong")]
pub(super) struct Args {}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Check {
    what: &'static str,
    verdict: Verdict,
    found: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    cure: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Good,
    Warning,
    Bad,
}

impl Verdict {
    /// Bad if it is not so.
    fn bad_unless(good: bool) -> Self {
        if good { Self::Good } else { Self::Bad }
    }

    /// A warning if it is not so.
    fn warn_unless(good: bool) -> Self {
        if good { Self::Good } else { Self::Warning }
    }
}

fn check(what: &'static str, verdict: Verdict, found: impl Into<String>, cure: &str) -> Check {
    let cure = if verdict == Verdict::Good { String::new() } else { cure.to_owned() };
    Check { what, verdict, found: unnumbered(&found.into()), cure }
}

pub(super) fn run(context: &Context, _: &Args) -> Ended {
    let mut checks = vec![tmux(context), locale(context)];
    checks.extend(inotify());
    match context.workspace() {
        Ok(workspace) => checks.extend(of_workspace(context, &workspace)),
        Err(failure) => {
            checks.push(check(
                "workspace",
                // One that is named has to be there; else it may be the machine alone that is asked about.
                if context.names_a_workspace() { Verdict::Bad } else { Verdict::Warning },
                failure.problem.why,
                "make one with `tasuki init`",
            ));
        }
    }
    context.tell(&checks, || checks.iter().map(line).collect::<Vec<_>>().join("\n"))?;
    let bad = checks.iter().filter(|check| check.verdict == Verdict::Bad).count();
    if bad == 0 {
        return Ok(());
    }
    Err(Failure::new(
        Kind::Failed,
        "doctor",
        format!("{bad} of {} {} bad", counted(checks.len(), "check"), if bad == 1 { "is" } else { "are" }),
        "see above",
    ))
}

fn line(check: &Check) -> String {
    use anstyle::AnsiColor::{Green, Red, Yellow};
    let (colour, word) = match check.verdict {
        Verdict::Good => (Green, "good"),
        Verdict::Warning => (Yellow, "warn"),
        Verdict::Bad => (Red, "BAD "),
    };
    let style = colour.on_default();
    let cure = if check.cure.is_empty() { String::new() } else { format!("\n      cure: {}", check.cure) };
    format!("{style}{word}{style:#}  {}: {}{cure}", check.what, check.found)
}

fn tmux(context: &Context) -> Check {
    let cure = "install tmux 3.3a or newer";
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let Ok(runtime) = runtime else { return check("tmux", Verdict::Bad, "no event loop", cure) };
    let server = Server {
        socket: "tasuki-doctor".to_owned(),
        session: "tasuki".to_owned(),
        root: String::new(),
        history_limit: 0,
        size: crate::io::mux::SIZE,
        env: context.around.vars.clone().into_iter().collect(),
        scratch: context.around.temp.clone(),
    };
    match runtime.block_on(server.version()).and_then(|version| version.supported()) {
        Ok(version) => check("tmux", Verdict::Good, version.to_string(), cure),
        Err(error) => check("tmux", Verdict::Bad, error.to_string(), cure),
    }
}

/// The variable that counts for characters is the first of these that is set.
fn locale(context: &Context) -> Check {
    let set =
        ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| Some((name, context.around.var(name)?)));
    let found = set.map(|(name, value)| format!("{name}={}", value.to_string_lossy()));
    let good = found.as_ref().is_some_and(|found| {
        let lower = found.to_ascii_lowercase();
        lower.contains("utf-8") || lower.contains("utf8")
    });
    let cure = "export LC_ALL=C.UTF-8 in your shell; the agents get it from tasuki all the same";
    check("locale", Verdict::warn_unless(good), found.unwrap_or_else(|| "none is set".into()), cure)
}

fn inotify() -> Vec<Check> {
    let limit = |name: &str| -> Option<u64> {
        let text = std::fs::read_to_string(Path::new("/proc/sys/fs/inotify").join(name)).ok()?;
        text.trim().parse().ok()
    };
    let one = |what: &'static str, name: &str, low: u64| {
        let cure =
            format!("sysctl fs.inotify.{name}={}; without watches tasuki looks once a second", low * 8);
        limit(name).map(|found| check(what, Verdict::warn_unless(found >= low), found.to_string(), &cure))
    };
    let watches = one("inotify watches", "max_user_watches", WATCHES_LOW);
    let instances = one("inotify instances", "max_user_instances", INSTANCES_LOW);
    watches.into_iter().chain(instances).collect()
}

fn of_workspace(context: &Context, workspace: &Workspace) -> Vec<Check> {
    let mut checks = vec![check("workspace", Verdict::Good, workspace.root_text(), "")];
    checks.push(writable(workspace));
    let ready = workspace.refuse_open_team();
    let found = ready.as_ref().map_or_else(ToString::to_string, |()| "only you can write to it".to_owned());
    checks.push(check("team file's mode", Verdict::bad_unless(ready.is_ok()), found, "chmod o-w it"));
    checks.extend(folders(workspace));
    match Settings::load(workspace, &context.around) {
        Ok(loaded) => {
            let members = [(loaded.settings.team.members.len(), "agent"), (loaded.warnings.len(), "warning")]
                .map(|(count, noun)| counted(count, noun))
                .join(", ");
            let good = loaded.warnings.is_empty();
            checks.push(check(
                "team file",
                Verdict::warn_unless(good),
                members,
                "see `tasuki lint tasuki.yaml`",
            ));
            // That a program is missing is told below, for each agent.
            let warnings = loaded.warnings.iter().filter(|warning| !warning.is_of_a_program());
            checks.extend(warnings.map(|warning| {
                let found = format!("{}:{}: {warning}", warning.file(), warning.line());
                check("team file", Verdict::Warning, found, &warning.cure)
            }));
            checks.push(disk(workspace, &loaded.settings));
            checks.extend(loaded.settings.queues.iter().map(drop_zone));
            checks.extend(programs(&loaded.settings));
            checks.extend(worktrees(context, workspace, &loaded.settings));
            checks.push(own_server(&loaded.settings));
        }
        Err(error) => checks.push(refused(&error)),
    }
    checks.push(service(context, workspace));
    checks.push(socket(context, workspace));
    checks.push(daemon(context, workspace));
    checks.extend(work(context, workspace));
    let lying = lying::notes(workspace).into_iter();
    checks.extend(lying.map(|note| check("queue", Verdict::Warning, note, "")));
    checks
}

/// What is wrong with the team file, in one line.
fn refused(error: &SettingsError) -> Check {
    let lint = "see `tasuki lint tasuki.yaml`";
    match error {
        SettingsError::Refused { findings, .. } => {
            let fatal: Vec<_> = findings.iter().filter(|finding| finding.fatal).collect();
            let first = fatal.first().map_or(String::new(), |finding| {
                format!("; {}:{}: {finding}", finding.file(), finding.line())
            });
            let found = format!("{}{first}", counted(fatal.len(), "mistake"));
            check("team file", Verdict::Bad, harmless(&found), lint)
        }
        error => {
            check("team file", Verdict::Bad, error.to_string(), "put a team file there that tasuki may use")
        }
    }
}

/// Whether the workspace can be written to: nothing is accepted where it cannot.
fn writable(workspace: &Workspace) -> Check {
    let cure = "make it writable (`mount -o remount,rw`, `chmod u+w`), or use a workspace elsewhere";
    let access = rustix::fs::access(workspace.root(), rustix::fs::Access::WRITE_OK);
    let found =
        access.map_or_else(|error| format!("it cannot be written to: {error}"), |()| "yes".to_owned());
    check("workspace can be written to", Verdict::bad_unless(access.is_ok()), found, cure)
}

/// Folders in whose place something else is: tasuki follows no link, so nothing that is put there is taken.
fn folders(workspace: &Workspace) -> Vec<Check> {
    let cure = "move it away: `tasuki up` makes the folder again; agents and people should use the real one";
    let all =
        [workspace.queue(), workspace.active(), workspace.results(), workspace.done(), workspace.inbox()];
    let all = all.into_iter().chain([workspace.rejected(), workspace.status()]);
    let wrong = all.filter_map(|path| {
        let kind = path.symlink_metadata().ok()?.file_type();
        let found = match std::fs::read_link(&path) {
            Ok(target) => format!("{} is a link to {}", path.display(), target.display()),
            Err(_) if !kind.is_dir() => format!("{} is not a folder", path.display()),
            Err(_) => return None,
        };
        Some(check("folder", Verdict::Bad, harmless(&found), cure))
    });
    wrong.collect()
}

/// What holds the work up, as far as a daemon that runs says so.
fn work(context: &Context, workspace: &Workspace) -> Vec<Check> {
    let asked = Client::new(workspace, &context.around)
        .and_then(|client| client.get::<StatusInfo>("/api/status", ANSWER_DEADLINE));
    let Ok(status) = asked else { return Vec::new() };
    let stopped = status.halted_since.map(|since| {
        let found = format!("queue/STOP has existed since {since}: nothing is typed");
        check("work", Verdict::Warning, found, "`tasuki stop --off`")
    });
    let notes = status.notes.into_iter().map(|note| check("work", Verdict::Warning, note, ""));
    stopped.into_iter().chain(notes).collect()
}

fn disk(workspace: &Workspace, settings: &Settings) -> Check {
    let cure = "make room: below `low_disk`, drops stay in queue/";
    let root = workspace.root();
    let short = is_short_of_space(root, settings.general.low_disk_bytes).map_err(|error| error.to_string());
    let free = fs2::available_space(root).map_err(|error| error.to_string());
    match short.and_then(|short| Ok((short, free?))) {
        Ok((short, free)) => {
            check("disk", Verdict::bad_unless(!short), format!("{} MiB free", free >> 20), cure)
        }
        Err(error) => check("disk", Verdict::Bad, error, cure),
    }
}

/// A drop zone besides `queue/`: of what is wrong with it the team file's own check says the rest.
fn drop_zone(zone: &ZoneSpec) -> Check {
    let whose = zone.owner.as_ref().map_or_else(String::new, |owner| format!(", {owner}'s"));
    let is_there = zone.place.is_dir();
    let has_place = zone.place.parent().is_some_and(Path::is_dir);
    let (missing, cure) = match (is_there, has_place) {
        (true, _) => ("", ""),
        (false, true) => (
            ": it is not there, and is made when the daemon starts or reads its team file",
            "`tasuki up`, or make it yourself",
        ),
        (false, false) => (
            ": it is not there, and neither is the folder in which it would be made",
            "make that folder; drops are taken from then on",
        ),
    };
    let found = harmless(&format!("{}{whose}{missing}", zone.place.display()));
    check("drop zone", Verdict::warn_unless(is_there), found, cure)
}

/// The program of each agent, as its own PATH finds it.
fn programs(settings: &Settings) -> Vec<Check> {
    let mut checks: Vec<Check> = Vec::new();
    for (name, launch) in &settings.launches {
        let Some(why) = launch.missing(&Machine).or_else(|| launch.missing_script(&Machine)) else {
            continue;
        };
        let cure = format!("then run `tasuki agent start {name}`");
        checks.push(check("program", Verdict::Bad, format!("{name}: {why}"), &cure));
    }
    if checks.is_empty() {
        checks.push(check("programs", Verdict::Good, "every agent's program is there", ""));
    }
    checks
}

/// Whether there can be the worktrees that agents are to have.
fn worktrees(context: &Context, workspace: &Workspace, settings: &Settings) -> Option<Check> {
    let mut wanted = settings.launches.iter().filter(|(_, launch)| launch.tree.is_some());
    let (name, _) = wanted.next()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    let env = environment(context.around.vars.clone(), &[]);
    let found = runtime.block_on(Repository::find(workspace.root(), workspace, &env, Clock::start()));
    let cure = format!("put that right, then run `tasuki agent start {name}`");
    Some(match found {
        Ok(found) => check("worktrees", Verdict::Good, harmless(&found.root.display().to_string()), ""),
        Err(error) => {
            check("worktrees", Verdict::Bad, harmless(&format!("{name} cannot start: {error}")), &cure)
        }
    })
}

fn own_server(settings: &Settings) -> Check {
    let found = match &settings.tmux_socket {
        TmuxSocket::Private(name) => format!("a server of its own (tmux -L {name})"),
        TmuxSocket::Users => "your own server; a `kill-server` there ends the agents too".to_owned(),
    };
    check("tmux server", Verdict::Good, found, "")
}

/// Whether the daemon and its agents are there after a login, and go on after a logout.
fn service(context: &Context, workspace: &Workspace) -> Check {
    let unit = unit::folder().map(|folder| unit::find(&folder, workspace.root_text()));
    let unit = match unit {
        None | Some(Ok(None)) => {
            let found = "no unit: it is not started at login (`tasuki service install` would do that)";
            return check("service", Verdict::Good, found, "");
        }
        Some(Err(error)) => {
            let cure = "move it away, then `tasuki service install`";
            return check("service", Verdict::Warning, error.to_string(), cure);
        }
        Some(Ok(Some(unit))) => unit,
    };
    match Manager::new().map(|manager| linger(context, &manager)) {
        Ok(Linger::On) => check("service", Verdict::Good, format!("{}, and lingering is on", unit.name), ""),
        Ok(Linger::Off) => {
            let found = format!("{}, but your systemd ends it when you log out", unit.name);
            check("service", Verdict::Warning, found, LINGER_CURE)
        }
        Ok(Linger::Unknown) => {
            let found = format!("{}; it is unknown whether it outlives your session", unit.name);
            check("service", Verdict::Warning, found, LINGER_CURE)
        }
        Err(error) => check("service", Verdict::Bad, error.to_string(), ""),
    }
}

fn socket(context: &Context, workspace: &Workspace) -> Check {
    match workspace.socket_path(&context.around) {
        Ok(path) => check("socket", Verdict::Good, path.display().to_string(), ""),
        Err(error) => {
            check("socket", Verdict::Bad, error.to_string(), "set XDG_RUNTIME_DIR to a folder of your own")
        }
    }
}

fn daemon(context: &Context, workspace: &Workspace) -> Check {
    let asked = Client::new(workspace, &context.around)
        .and_then(|client| client.get::<Health>("/api/health", ANSWER_DEADLINE));
    match asked {
        Ok(Health { daemon, .. }) if daemon.version == env!("CARGO_PKG_VERSION") => {
            check("daemon", Verdict::Good, format!("process {} answers", daemon.pid), "")
        }
        Ok(Health { daemon, .. }) => {
            let found = format!("process {} is of version {}", daemon.pid, daemon.version);
            check("daemon", Verdict::Warning, found, "`tasuki down --keep-agents && tasuki up`")
        }
        Err(error) => check("daemon", Verdict::Warning, error.to_string(), "start it with `tasuki up`"),
    }
}
