//! `tasuki service`: the daemon as a service of the user's own systemd. Everything works without one, too.

use super::context::{Context, Ended, unless_running};
use super::failure::{Failure, Kind};
use super::table::table;
use crate::engine::message::refusal::Code;
use crate::io::client::{ANSWER_DEADLINE, Client};
use crate::io::lock;
use crate::io::systemd::unit::{self, Found};
use crate::io::systemd::{Linger, Manager, ManagerError};
use crate::io::workspace::Workspace;
use crate::wire::api::{DaemonInfo, Health};
use clap::Subcommand;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What to do where the user's manager ends with the last session.
pub(super) const LINGER_CURE: &str =
    "`loginctl enable-linger`: then it starts with the machine and outlives your logout";

/// Runs the daemon as a systemd user service: started at login, restarted after a fault
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki service install --now               your default workspace, ~/.local/share/tasuki
  tasuki service install --root . --now      this workspace
  tasuki service status
  tasuki service uninstall --root .

Without --root, the command is about your default workspace, wherever you are. Each workspace has a unit of its own.

Agents outlive the daemon: stopping or restarting the service leaves them running. `tasuki down` ends both, until the next \
login or until `systemctl --user start NAME`.")]
pub(super) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Writes the unit of your default workspace, or of --root
    #[command(after_help = "\
Examples:
  tasuki service install --now
  tasuki service install --root ~/team       started later: systemctl --user enable --now NAME

The agents get the PATH of the shell in which you run this command. Set other variables in the team file (`env:`), or for \
every service with `systemctl --user import-environment NAME`.

Exit codes:
  0  done
  1  the service did not start
  2  rejected: another unit has the name
  3  --now, and systemd cannot be reached")]
    Install {
        /// Start the service now, and at each login
        #[arg(long)]
        now: bool,
    },
    /// Stops the service and removes its unit; the agents keep running
    #[command(after_help = "Examples:\n  tasuki service uninstall\n  tasuki service uninstall --root ~/team")]
    Uninstall,
    /// Shows every unit that tasuki wrote, or that of --root
    #[command(
        after_help = "Examples:\n  tasuki service status\n  tasuki service status --json | jq -r '.units[].active'"
    )]
    Status,
}

/// What `install` did.
#[derive(Debug, Serialize)]
struct Installed {
    unit: String,
    file: PathBuf,
    root: String,
    /// Whether there was none before.
    new: bool,
    /// Whether systemd was told.
    loaded: bool,
    started: bool,
    linger: Option<bool>,
    /// What is left to do.
    next: Vec<String>,
}

/// What `status` shows.
#[derive(Debug, Serialize)]
struct Status {
    linger: Option<bool>,
    units: Vec<UnitStatus>,
}

#[derive(Debug, Serialize)]
struct UnitStatus {
    unit: String,
    file: PathBuf,
    root: String,
    /// systemd's own words; none where it cannot be reached.
    enabled: Option<String>,
    active: Option<String>,
    /// The daemon of the workspace, whoever started it.
    daemon: Option<DaemonInfo>,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let folder = unit::folder().ok_or_else(|| {
        Failure::new(
            Kind::Rejected,
            "no-home",
            "you have no home folder for units",
            "set HOME or XDG_CONFIG_HOME",
        )
    })?;
    let is_agents =
        |workspace| Client::new(&workspace, &context.around).is_ok_and(|client| client.is_agents());
    if !matches!(args.verb, Verb::Status) && meant(context).is_ok_and(is_agents) {
        let why = "an agent may not change the services of its user";
        return Err(Failure::new(Kind::Rejected, Code::NotYours.word(), why, "let a person do it"));
    }
    let manager = Manager::new()?;
    match args.verb {
        Verb::Install { now } => install(context, &folder, &manager, now),
        Verb::Uninstall => uninstall(context, &folder, &manager),
        Verb::Status => status(context, &folder, &manager),
    }
}

fn install(context: &Context, folder: &Path, manager: &Manager, now: bool) -> Ended {
    let workspace = meant(context)?;
    let search = context.around.var("PATH").unwrap_or_default().to_string_lossy();
    let (unit, new) = unit::install(folder, &workspace, &context.around.exe, &search)?;
    warn_of_build_folder(context);
    let loaded = manager.reload();
    let linger = linger(context, manager);
    let reachable = loaded.is_ok();
    let started = match loaded {
        Ok(()) if now => start(context, &workspace, &unit, manager)?,
        Ok(()) => false,
        Err(error) if now => return Err(unreachable(&unit, &error)),
        Err(error) => {
            context.remark(format!("your systemd cannot be reached ({error}); the unit is ready for one"));
            false
        }
    };
    let mut next: Vec<String> = if started { Vec::new() } else { commands(&unit, reachable) };
    if linger != Linger::On {
        next.push("loginctl enable-linger".to_owned());
        context.remark(match linger {
            Linger::Off => format!("your systemd and the agents end when you log out; cure: {LINGER_CURE}"),
            _ => format!("it is unknown whether the agents outlive your logout; to be sure: {LINGER_CURE}"),
        });
    }
    let Found { name, path, root } = unit;
    let linger = known(linger);
    let done = Installed { unit: name, file: path, root, new, loaded: reachable, started, linger, next };
    context.tell(&done, || told(&done))
}

fn told(done: &Installed) -> String {
    let verb = if done.new { "wrote" } else { "rewrote" };
    let mut lines = vec![format!("{verb} {} for {}", done.file.display(), done.root)];
    if done.started {
        lines.push(format!("{} is running, and starts at each login", done.unit));
    }
    lines.extend(done.next.iter().map(|command| format!("next: {command}")));
    lines.join("\n")
}

/// Starts it, unless another daemon has the workspace: its lock would make every start a fault.
fn start(context: &Context, workspace: &Workspace, unit: &Found, manager: &Manager) -> Result<bool, Failure> {
    let active = manager.is_active(&unit.name).is_ok_and(|word| word == "active");
    if let (false, Some(holder)) = (active, lock::holder(&workspace.lock())?) {
        let why = format!("{holder} already serves the workspace");
        let cure = format!(
            "`tasuki down --keep-agents --root {}`, then `systemctl --user enable --now {}`; the agents go on",
            workspace.root().display(),
            unit.name
        );
        return Err(Failure::new(Kind::Failed, "running", why, cure));
    }
    manager.enable(&unit.name).map_err(|error| {
        let cure = format!("see `journalctl --user -u {}` and .tasuki/daemon.log", unit.name);
        Failure::new(Kind::Failed, "not-started", error.to_string(), cure)
    })?;
    if active {
        context.remark(format!(
            "it was already running: `systemctl --user restart {}` takes up the new unit",
            unit.name
        ));
    }
    Ok(true)
}

/// `--now` where there is nobody to start it.
fn unreachable(unit: &Found, error: &ManagerError) -> Failure {
    let why = format!(
        "{} is written, but your systemd cannot be reached to start it ({error})",
        unit.path.display()
    );
    let cure = format!(
        "in a login session: `{}`; without systemd: `tasuki up --root {}`",
        commands(unit, false).join(" && "),
        unit.root
    );
    Failure::new(Kind::NotDelivered, "no-systemd", why, cure)
}

fn commands(unit: &Found, loaded: bool) -> Vec<String> {
    let reload = (!loaded).then(|| "systemctl --user daemon-reload".to_owned());
    reload.into_iter().chain([format!("systemctl --user enable --now {}", unit.name)]).collect()
}

fn uninstall(context: &Context, folder: &Path, manager: &Manager) -> Ended {
    let workspace = meant(context)?;
    let Some(unit) = unit::find(folder, workspace.root_text())? else {
        let others: Vec<String> = unit::all(folder).into_iter().map(|unit| unit.root).collect();
        let cure = match others.as_slice() {
            [] => "there is nothing to remove".to_owned(),
            others => format!("name one with --root: {}", others.join(", ")),
        };
        let why = format!("{} has no unit", workspace.root().display());
        return Err(Failure::new(Kind::Rejected, "no-unit", why, cure));
    };
    match manager.reload() {
        Ok(()) => manager.disable(&unit.name).map_err(|error| {
            Failure::new(
                Kind::Failed,
                "not-stopped",
                error.to_string(),
                "the unit is left as it is; try again",
            )
        })?,
        Err(error) => context
            .remark(format!("your systemd cannot be reached ({error}); the unit is removed all the same")),
    }
    unit::remove(&unit)?;
    // It has forgotten the unit by its next start in any case.
    let _ = manager.reload();
    let what = format!("removed {}; the agents go on", unit.path.display());
    context.tell(&serde_json::json!({"unit": unit.name, "file": unit.path, "root": unit.root}), || what)
}

fn status(context: &Context, folder: &Path, manager: &Manager) -> Ended {
    let units = match &context.globals.root {
        None => unit::all(folder),
        Some(_) => unit::find(folder, meant(context)?.root_text())?.into_iter().collect(),
    };
    let units: Vec<UnitStatus> = units.into_iter().map(|unit| look(context, manager, unit)).collect();
    let status = Status { linger: known(linger(context, manager)), units };
    context.tell(&status, || shown(&status))
}

fn look(context: &Context, manager: &Manager, unit: Found) -> UnitStatus {
    let Found { name, path, root } = unit;
    let daemon = Workspace::at(Path::new(&root)).ok().and_then(|workspace| {
        let client = Client::new(&workspace, &context.around).ok()?;
        let health = unless_running(client.get::<Health>("/api/health", ANSWER_DEADLINE)).ok()?;
        health.map(|health| health.daemon)
    });
    let (enabled, active) = (manager.is_enabled(&name).ok(), manager.is_active(&name).ok());
    UnitStatus { unit: name, file: path, root, enabled, active, daemon }
}

fn shown(status: &Status) -> String {
    let linger = match status.linger {
        Some(true) => "lingering: yes, services outlive your logout".to_owned(),
        Some(false) => format!("lingering: NO, services end when you log out; cure: {LINGER_CURE}"),
        None => format!("lingering is unknown; to be sure: {LINGER_CURE}"),
    };
    if status.units.is_empty() {
        return format!("no unit of tasuki (`tasuki service install` writes one)\n{linger}");
    }
    let word = |word: &Option<String>| word.clone().unwrap_or_else(|| "not known".to_owned());
    let row = |unit: &UnitStatus| {
        let daemon = unit.daemon.as_ref();
        let daemon =
            daemon.map_or("none answers".to_owned(), |daemon| format!("process {} answers", daemon.pid));
        vec![unit.unit.clone(), unit.root.clone(), word(&unit.enabled), word(&unit.active), daemon]
    };
    let rows = status.units.iter().map(row).collect();
    format!("{}\n{linger}", table(&["unit", "workspace", "at login", "now", "daemon"], rows))
}

/// The workspace that --root names, else the user's own: a unit is no matter of where one is.
fn meant(context: &Context) -> Result<Workspace, Failure> {
    if let Some(root) = &context.globals.root {
        return Ok(Workspace::find(Some(root), &context.around)?);
    }
    let Some(home) = &context.around.home else {
        let why = "you have no home folder, and so no workspace of your own";
        return Err(Failure::new(Kind::Rejected, "workspace", why, "name one with --root"));
    };
    match Workspace::at(home) {
        Ok(own) if own.team_file().is_file() => Ok(own),
        _ => {
            let why = format!("you have no workspace of your own in {}", home.display());
            let cure =
                format!("`tasuki init --root {}`, or name another with --root (`--root .`)", home.display());
            Err(Failure::new(Kind::Rejected, "workspace", why, cure))
        }
    }
}

/// A unit that starts a program out of a build folder fails after `cargo clean`.
fn warn_of_build_folder(context: &Context) {
    let exe = &context.around.exe;
    if exe.components().any(|part| part.as_os_str() == "target") {
        context.remark(format!(
            "{} is in a build folder: `cargo install --path .`, and install the service with that one",
            exe.display()
        ));
    }
}

/// Whether services of this user go on when the user has left.
pub(super) fn linger(context: &Context, manager: &Manager) -> Linger {
    let user = context.around.var("USER").or_else(|| context.around.var("LOGNAME"));
    manager.linger(context.around.uid, user)
}

fn known(linger: Linger) -> Option<bool> {
    match linger {
        Linger::On => Some(true),
        Linger::Off => Some(false),
        Linger::Unknown => None,
    }
}
