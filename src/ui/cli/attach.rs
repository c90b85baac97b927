//! `tasuki attach`: becomes tmux, showing an agent's window.

use super::context::{Context, Ended};
use super::failure::{Failure, Kind};
use super::roster;
use crate::daemon::tmux::server::tmux_server;
use crate::engine::words::AgentName;
use crate::io::mux::{INSIDE, PROGRAM, Server, shell_word};
use crate::io::workspace::Workspace;
use crate::wire::team_file::Settings;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// Opens the tmux session of the agents, at the window of the named agent
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki attach                  the boss's window: C-b n next, C-b w list, C-b d leave
  tasuki attach grand_boss       that agent's window
  tasuki attach --all            all agents at once, read-only: C-b n next page

tasuki types nothing to an agent while you type in its window. While you are alone, the windows have the size of your terminal; \
then they get their own again. The status line has the team's pulse: working, waiting, needs you, failed, stuck. \
A narrow one has only what you should know of, such as `?2 ✗1`. Two people who are attached see the same window, and both type \
there. So nobody can attach to another agent while somebody looks at one, unless `--take` detaches them first.

Inside a tmux of your own it opens a window there, called `tasuki`, and comes back at once. The agents' tmux is a server of its \
own, and its keys need a window of their own. Your prefix reaches your tmux as ever. Where both have C-b, the agents' gets it \
twice: C-b C-b d leaves, and the window closes. `--here` uses this pane instead.

Exit codes:
  2  cannot attach here
  5  no agent is running")]
pub(super) struct Args {
    /// Agent name. Default: the boss, or what is looked at already
    agent: Option<AgentName>,
    /// Show all agents at once, read-only
    #[arg(long, conflicts_with = "agent")]
    all: bool,
    /// Inside a tmux of your own, use this pane and open no window there
    #[arg(long)]
    here: bool,
    /// Print the tmux command instead of running it
    #[arg(long)]
    print: bool,
    /// Detach other people first
    #[arg(long, conflicts_with_all = ["all", "print"])]
    take: bool,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let workspace = context.workspace()?;
    let file = Settings::load(&workspace, &context.around)?.settings;
    let settings = roster::settings(context, &workspace).unwrap_or(file);
    let server = tmux_server(&workspace, &context.around, &settings);
    let named = args.agent.as_ref().map(|name| settings.team.member(name)).transpose()?;
    // Whoever looks already keeps their window.
    let boss =
        settings.order.first().filter(|boss| server.lookers().is_empty() && server.has_window(boss.as_str()));
    let window = named.clone().or_else(|| boss.cloned());
    let around = std::env::var_os(INSIDE).filter(|tmux| !tmux.is_empty());
    let is_inside = around.as_ref().is_some_and(|tmux| server.is_that_of(tmux));
    let arguments = if is_inside && !args.all {
        server.switch(window.as_ref().map(AgentName::as_str))
    } else if args.all {
        let hired = settings.team.members.keys().filter(|name| !settings.order.contains(name));
        let windows: Vec<String> = settings.order.iter().chain(hired).map(ToString::to_string).collect();
        server.attach_all(&windows)
    } else {
        server.attach(window.as_ref().map(AgentName::as_str))
    };
    if args.print {
        let words: Vec<&str> = [PROGRAM].into_iter().chain(arguments.iter().map(|word| &**word)).collect();
        context.tell(&serde_json::json!({"command": words}), || {
            words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
        })?;
    }
    // tmux itself would start a server to show agents that are not there, or say only that there are no sessions.
    if !server.has_session() {
        return Err(Failure::new(
            Kind::NoDaemon,
            "no-agents",
            "no agent is running",
            "`tasuki up` starts them",
        ));
    }
    if args.print {
        return Ok(());
    }
    if !std::io::stdin().is_terminal() {
        let why = "this is not a terminal";
        return Err(Failure::new(
            Kind::Rejected,
            "no-terminal",
            why,
            "run it in a terminal, or use `--print`",
        ));
    }
    if !args.all && !is_inside {
        be_alone(&server, named.as_ref(), args.take)?;
    }
    if around.is_some() && (args.all || !is_inside) && nests(context, &workspace, args, is_inside) {
        return Ok(());
    }
    show(&server, arguments, (args.all || !is_inside, !args.all && !is_inside))
}

/// The name of the window that is opened in a person's own tmux.
const WINDOW: &str = "tasuki";
/// Where sockets and files are found. A new window has what the person's tmux began with, and this shell may have others.
const PLACES: [&str; 4] = ["TMUX_TMPDIR", "XDG_RUNTIME_DIR", "HOME", "PATH"];
/// What refuses to attach is read before its window closes.
const STAYS: &str = r#""$@" || { printf '\nEnter closes this window. '; read -r _; }"#;

/// The keys that leave the agents' tmux from within the person's own: the prefix goes through only where theirs is another.
fn leave() -> &'static str {
    let mut tmux = Command::new(PROGRAM);
    let prefix = tmux.args(["show-options", "-gv", "prefix"]).stderr(Stdio::null()).output();
    let is_other = prefix.is_ok_and(|prefix| prefix.status.success() && prefix.stdout.trim_ascii() != b"C-b");
    if is_other { "C-b d" } else { "C-b C-b d" }
}

/// Says where it runs within another tmux; true if that is a new window, where it runs by itself.
fn nests(context: &Context, workspace: &Workspace, args: &Args, is_inside: bool) -> bool {
    let leave = leave();
    if !args.here && !is_inside && is_in_a_window(workspace, args) {
        context.remark(format!(
            "it is in a window of your own tmux, `{WINDOW}`, and {leave} leaves it; `--here` uses this pane"
        ));
        return true;
    }
    context.remark(format!(
        "the agents' tmux is a server of its own, so its windows cannot be among yours: it runs inside of this pane, and {leave} \
         leaves it"
    ));
    false
}

/// Attaches in a new window of the person's own tmux, and says whether there is one.
fn is_in_a_window(workspace: &Workspace, args: &Args) -> bool {
    let Ok(program) = std::env::current_exe() else { return false };
    let mut tmux = Command::new(PROGRAM);
    tmux.args(["new-window", "-n", WINDOW]);
    for (name, value) in PLACES.iter().filter_map(|name| Some((name, std::env::var_os(name)?))) {
        let mut pair = OsString::from(format!("{name}="));
        pair.push(value);
        tmux.arg("-e").arg(pair);
    }
    tmux.args(["sh", "-c", STAYS, "sh"]).arg(program).arg("--root").arg(workspace.root());
    tmux.args(["attach", "--here"]);
    if args.all {
        tmux.arg("--all");
    }
    tmux.args(args.agent.as_ref().map(AgentName::as_str));
    // An older tmux takes no `-e`: then it runs here.
    tmux.stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|ended| ended.success())
}

/// Becomes tmux, or runs it for as long as the windows follow its terminal.
fn show(server: &Server, arguments: Vec<String>, (is_new, may_follow): (bool, bool)) -> Ended {
    let follows = may_follow && server.lookers().is_empty();
    let mut command = Command::new(PROGRAM);
    command.args(if follows { following(server, arguments) } else { arguments });
    if is_new {
        // A client would refuse to run inside another.
        command.env_remove(INSIDE);
    }
    let ended = if may_follow { server.stay(command) } else { Err(command.exec()) };
    match ended {
        Ok(ended) if ended.success() => Ok(()),
        // It has said itself why.
        Ok(_) => {
            Err(Failure::new(Kind::Failed, "tmux", "tmux ended with an error", "see what it said above"))
        }
        Err(error) => {
            let cure = "install tmux, and start the agents with `tasuki up`";
            Err(Failure::new(Kind::Failed, "tmux", format!("cannot run tmux: {error}"), cure))
        }
    }
}

/// The windows follow before they are shown.
fn following(server: &Server, attach: Vec<String>) -> Vec<String> {
    /// `-L SOCKET -u`, before the first command.
    const OPTIONS: usize = 3;
    let mut words = attach;
    words.splice(OPTIONS..OPTIONS, server.follow());
    words
}

/// Whoever is attached shares the session's window: their keys would go to another agent than they look at.
fn be_alone(server: &Server, window: Option<&AgentName>, take: bool) -> Result<(), Failure> {
    let others = server.lookers();
    if take {
        others.iter().for_each(|other| server.detach(other));
        return Ok(());
    }
    let Some(name) = window else { return Ok(()) };
    let Some(other) = others.iter().find(|other| other.window != name.as_str()) else { return Ok(()) };
    let (at, tty) = (&other.window, &other.tty);
    let why = format!(
        "somebody is attached on {tty} and looks at {at}: they would see {name} instead, and type there"
    );
    let cure = format!("watch with `tasuki attach --all`, or detach them with `tasuki attach --take {name}`");
    Err(Failure::new(Kind::Rejected, "attached", why, cure))
}
