//! Agents that outlived their daemon, which was killed: found by the tags of their panes and by the processes that the journal
//! names, and ended with all that they started, as the daemon would have done. Nobody else's process is ever meant: each is
//! known by its number, the time of its start and this start of the machine, and its environment names the workspace.

use crate::daemon::tmux::server::{bare_server, socket_name};
use crate::daemon::tmux::windows::HANGS_UP;
use crate::daemon::views::item::AgentItem;
use crate::daemon::views::pages;
use crate::engine::event::{AgentChange, Event};
use crate::engine::live::LiveAgent;
use crate::engine::state::{Agent, Phase};
use crate::engine::team::Team;
use crate::engine::words::{AgentName, Nonce, ProcessKey};
use crate::io::clock::{self, Clock};
use crate::io::journal::{Entry, JournalError, Kind, ReadOrder, scan};
use crate::io::keys::Keys;
use crate::io::mux::{INSIDE, MuxError, Server, Session, socket_of};
use crate::io::process::{self, Bearer, Family, bearers};
use crate::io::views::{View, Views, line};
use crate::io::workspace::{Surroundings, Workspace};
use crate::wire::events;
use crate::wire::team_file::{Settings, own_server};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::task::JoinSet;

/// How often whoever is left is ended once more: a machine at its limit takes seconds to end what was killed.
const AGAIN: u32 = 3;

/// Who was found.
#[derive(Debug, Default)]
pub struct Survivors {
    families: Vec<(AgentName, Family)>,
    sessions: Vec<Session>,
    /// What the journal names, and nothing else shows to be an agent: it has emptied its environment.
    unproven: Vec<(AgentName, Family)>,
}

/// A launch that the journal tells of.
struct Launch {
    agent: AgentName,
    nonce: Nonce,
    /// None if the daemon was killed before it knew.
    process: Option<ProcessKey>,
}

impl Survivors {
    /// Looks for them; no daemon may run in the workspace.
    ///
    /// # Errors
    /// If the journal cannot be read, or tmux does not answer. That there is neither is no error.
    pub async fn find(
        workspace: &Workspace,
        around: &Surroundings,
        settings: Option<&Settings>,
    ) -> Result<Self, SurvivorsError> {
        let mut proof = Proof::of(workspace)?;
        let mut families = proof.recorded();
        let mut sessions = Vec::new();
        for server in servers(workspace, around, settings, &proof.sockets) {
            match server.sessions(|root| proof.is_root(OsStr::new(root))).await {
                Ok(found) => sessions.extend(found),
                Err(MuxError::Missing) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let known: BTreeSet<u32> = families.iter().map(|(_, family)| family.leader().pid).collect();
        let in_panes = sessions.iter().flat_map(|session| &session.agents);
        let in_panes = in_panes.filter(|(_, pid)| !known.contains(pid));
        let in_panes = in_panes.filter_map(|(name, pid)| Some((name.clone(), process::key_of(*pid)?)));
        families.extend(in_panes.map(|(name, key)| (name, Family::of(key))));
        let mut unproven = proof.unproven;
        let is_known = |one: &Family| families.iter().any(|(_, family)| family.leader() == one.leader());
        unproven.retain(|(_, family)| !is_known(family));
        Ok(Self { families, sessions, unproven })
    }

    /// Whom the journal names that cannot be proven to be an agent of this workspace, and is not ended: its name and its processes.
    pub fn unproven(&self) -> impl Iterator<Item = (&AgentName, Vec<u32>)> {
        self.unproven.iter().map(|(name, family)| (name, family.living().iter().map(|key| key.pid).collect()))
    }

    /// Whose they are.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let names: BTreeSet<&str> = self.families.iter().map(|(name, _)| name.as_str()).collect();
        names.into_iter().collect()
    }

    /// Whether there is nobody and nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.families.is_empty() && self.sessions.is_empty()
    }

    /// Ends them, and the sessions that they live in. Gives the processes that could not be ended.
    ///
    /// # Errors
    /// If tmux does not close a session; then the programs in it have ended all the same.
    pub async fn end(self) -> Result<Vec<u32>, SurvivorsError> {
        let mut closed = Ok(());
        for session in &self.sessions {
            closed = closed.and(session.server.kill().await);
        }
        let mut ending = JoinSet::new();
        let leaders: Vec<ProcessKey> = self.families.iter().map(|(_, family)| family.leader()).collect();
        for (_, family) in self.families {
            ending.spawn(family.see_off(HANGS_UP));
        }
        ending.join_all().await;
        closed?;
        for _ in 0..AGAIN {
            let mut again = JoinSet::new();
            for family in Family::all_of(&leaders) {
                again.spawn(family.see_off(Duration::ZERO));
            }
            again.join_all().await;
        }
        let left = Family::all_of(&leaders).into_iter().flat_map(|family| family.living());
        Ok(left.map(|key| key.pid).collect())
    }
}

/// Why nobody could be looked for.
#[derive(Debug, thiserror::Error)]
pub enum SurvivorsError {
    /// The journal cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// tmux does not answer.
    #[error(transparent)]
    Tmux(#[from] MuxError),
    /// The agents' secret cannot be read.
    #[error("cannot read the agents' secret")]
    Secret(#[from] std::io::Error),
}

/// Whether the journal names agents that live.
#[must_use]
pub fn are_left(workspace: &Workspace) -> bool {
    Proof::of(workspace).is_ok_and(|mut proof| !proof.recorded().is_empty())
}

/// Processes that carry the environment of an agent of this workspace and are none that [`Survivors`] knows: what agents
/// started in sessions of their own, and agents of which nothing is known any more. Each with the agent's name.
#[must_use]
pub fn strangers(workspace: &Workspace) -> Vec<(u32, String)> {
    let own = process::session_of(std::process::id());
    let root = OsStr::new(workspace.root_text());
    let of_ours = bearers("TASUKI_AGENT").filter(|bearer| bearer.var("TASUKI_ROOT") == Some(root));
    let others = of_ours.filter(|bearer| bearer.leads && Some(bearer.process.pid) != own);
    let name =
        |bearer: &Bearer| bearer.var("TASUKI_AGENT").unwrap_or_default().to_string_lossy().into_owned();
    others.map(|bearer| (bearer.process.pid, name(&bearer))).collect()
}

/// Has `status/` say that the agents are stopped. The lock must be ours.
///
/// # Errors
/// If the journal cannot be read or a view cannot be written, in words.
pub fn show_stopped(workspace: &Workspace, team: &Team, text: &str) -> Result<(), String> {
    let mut memory = crate::daemon::start::replay::Memory::new(team.clone());
    scan(&workspace.journal(), 1, ReadOrder::OldestFirst, &mut |entry| {
        // What cannot be understood is fsck's to tell.
        let _ = memory.take(entry);
        ControlFlow::Continue(())
    })
    .map_err(|error| error.to_string())?;
    let (clock, mut views) =
        (Clock::start(), Views::open(workspace.root()).map_err(|error| error.to_string())?);
    views.append_activity(&line(clock.now(), text)).map_err(|error| error.to_string())?;
    for name in memory.fold.engine.team().members.keys() {
        let Some(mut seen) = memory.fold.engine.agent(name) else { continue };
        (seen.pane, seen.pid, seen.why, seen.asks, seen.up_since) = (None, None, None, None, None);
        let (known, now) = (LiveAgent::default(), clock.now());
        let item = AgentItem { seen, state: None, doing: None, known, since: now, at: now };
        let text = pages::agent(&item, "stopped");
        views.write(View::Agent(name.clone()), &text).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// What proves that a process is an agent of this workspace.
struct Proof {
    launches: Vec<Launch>,
    keys: Option<Keys>,
    roots: BTreeSet<OsString>,
    /// The tmux servers that agents were found in.
    sockets: BTreeSet<PathBuf>,
    /// Those that live under the journal's number and time, and whose environment says nothing.
    unproven: Vec<(AgentName, Family)>,
}

impl Proof {
    fn of(workspace: &Workspace) -> Result<Self, SurvivorsError> {
        let secret = workspace.memory().join("secret");
        let keys = secret.is_file().then(|| Keys::open(&secret)).transpose()?;
        let journal = workspace.journal();
        let launches = if journal.is_dir() { launches(&journal)? } else { Vec::new() };
        let roots = BTreeSet::from([OsString::from(workspace.root_text())]);
        Ok(Self { launches, keys, roots, sockets: BTreeSet::new(), unproven: Vec::new() })
    }

    fn is_root(&self, root: &OsStr) -> bool {
        self.roots.contains(root)
    }

    /// Those that the journal names and that live, with what they started.
    fn recorded(&mut self) -> Vec<(AgentName, Family)> {
        let leaders: Vec<ProcessKey> = self.launches.iter().filter_map(|launch| launch.process).collect();
        let mut found = Vec::new();
        for family in Family::all_of(&leaders) {
            let launch = self.launches.iter().find(|launch| launch.process == Some(family.leader()));
            let Some(agent) = launch.map(|launch| launch.agent.clone()) else { continue };
            let members = family.living().into_iter().filter_map(|key| Bearer::of(key.pid));
            let (ours, others): (Vec<Bearer>, Vec<Bearer>) = members.partition(|bearer| self.is_ours(bearer));
            if ours.is_empty() {
                if others.iter().all(|bearer| bearer.var("TASUKI_ROOT").is_none()) {
                    self.unproven.push((agent, family));
                }
                continue;
            }
            ours.iter().for_each(|bearer| self.note(bearer));
            found.push((agent, family));
        }
        for bearer in bearers("TASUKI_AGENT_KEY").filter(|bearer| bearer.leads) {
            let launch = self.launches.iter().find(|launch| self.has_key(launch, &bearer));
            let Some(agent) = launch.filter(|launch| launch.process.is_none()) else { continue };
            let agent = agent.agent.clone();
            if self.is_ours(&bearer) && !found.iter().any(|(_, family)| family.leader() == bearer.process) {
                self.note(&bearer);
                found.push((agent, Family::of(bearer.process)));
            }
        }
        found
    }

    /// Whether it was started for this workspace, under the name that it has or, if it was moved, had. A copy of a workspace
    /// has the same journal and the same secret, and the agents of the original are none of its own.
    fn is_ours(&self, bearer: &Bearer) -> bool {
        let Some(root) = bearer.var("TASUKI_ROOT") else { return false };
        let was_moved = || !Path::new(root).join(".tasuki").exists();
        self.is_root(root) || (was_moved() && self.launches.iter().any(|launch| self.has_key(launch, bearer)))
    }

    fn has_key(&self, launch: &Launch, bearer: &Bearer) -> bool {
        let key = self.keys.as_ref().map(|keys| keys.of(&launch.agent, launch.nonce));
        key.is_some_and(|key| bearer.var("TASUKI_AGENT_KEY") == Some(OsStr::new(&key)))
    }

    fn note(&mut self, bearer: &Bearer) {
        self.roots.extend(bearer.var("TASUKI_ROOT").map(OsStr::to_owned));
        self.sockets.extend(bearer.var(INSIDE).and_then(socket_of));
    }
}

/// The launches since the newest snapshot, and those that it names, of this start of the machine: numbers of processes mean
/// others after the next one.
fn launches(journal: &Path) -> Result<Vec<Launch>, JournalError> {
    let machine = clock::boot_id().unwrap_or_default();
    let mut found: BTreeMap<Nonce, Launch> = BTreeMap::new();
    let mut put = |agent: &AgentName, nonce: Nonce, process: Option<ProcessKey>| {
        let launch = found.entry(nonce).or_insert_with(|| Launch { agent: agent.clone(), nonce, process });
        launch.process = launch.process.or(process);
    };
    scan(journal, 1, ReadOrder::NewestFirst, &mut |entry: &Entry<'_>| {
        if entry.boot.rsplit_once('-').is_none_or(|(written, _)| written != machine) {
            return ControlFlow::Break(());
        }
        let events = match entry.kind {
            Kind::Step => events::decode(entry.payload),
            Kind::Snapshot => events::decode_snapshot(entry.payload),
        };
        for event in events.unwrap_or_default() {
            match event {
                Event::Agent { name, change: AgentChange::Launching { nonce, .. } } => {
                    put(&name, nonce, None)
                }
                Event::Agent { name, change: AgentChange::Up { nonce, process, .. } } => {
                    put(&name, nonce, Some(process));
                }
                Event::KeptAgent { name, agent } => {
                    if let (Some(nonce), Some(process)) = of_snapshot(&agent) {
                        put(&name, nonce, process);
                    }
                }
                _ => {}
            }
        }
        match entry.kind {
            Kind::Step => ControlFlow::Continue(()),
            Kind::Snapshot => ControlFlow::Break(()),
        }
    })?;
    Ok(found.into_values().collect())
}

/// The launch of an agent as it stood, and its process, where it had one or was about to.
fn of_snapshot(agent: &Agent) -> (Option<Nonce>, Option<Option<ProcessKey>>) {
    let process = match agent.phase {
        Phase::Up { process, .. } => Some(Some(process)),
        Phase::Launching => Some(None),
        _ => None,
    };
    (agent.nonce, process)
}

/// The tmux servers on which there may be a session of the workspace.
fn servers(
    workspace: &Workspace,
    around: &Surroundings,
    settings: Option<&Settings>,
    sockets: &BTreeSet<PathBuf>,
) -> Vec<Server> {
    let socket = settings.map(|settings| socket_name(&settings.tmux_socket).to_owned());
    let base = bare_server(workspace, around, socket.unwrap_or_else(|| own_server(workspace)));
    let others: Vec<Server> = sockets.iter().filter_map(|socket| base.at(socket)).collect();
    [base].into_iter().chain(others).collect()
}
