//! Brings the parts together: roster, profiles, phrases, launches and what holds for all of them.

use super::file::{AgentEntry, TeamFile};
use super::finding::{Book, Finding, Place};
use super::general::{General, general};
use super::launch::{Ground, Launch, digest_of_profile};
use super::outside::Outside;
use super::profile::{self, Profile};
use super::roster::{Roster, roster};
use super::settings::{Entries, Settings, TmuxSocket};
use super::values::At;
use super::{asked_once, check, commands, doorbells, env, notify, phrase, queues, worktrees};
use crate::engine::suggest::did_you_mean;
use crate::engine::team::{Delivery, Member, Restart, Team};
use crate::engine::words::AgentName;
use crate::wire::layout::{Surroundings, Workspace};
use crate::wire::team_file::profile::files as profile_files;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Name of the session where the file gives none.
const SESSION: &str = "tasuki";
/// The word for the user's own tmux server.
const USERS_SERVER: &str = "default";
/// Longest name of a session or a server; the path of the server's socket has room for it in any usual folder.
const TMUX_NAME_BYTES_MAX: usize = 64;
/// How much of the folder's name goes into the server's.
const FOLDER_BYTES_MAX: usize = 24;

/// The settings that a file means. What is wrong is in `book`, and what comes back then is not to be used.
///
/// # Errors
/// Only if a built-in profile is wrong, which is a bug.
pub(super) fn settings(
    file: &TeamFile,
    workspace: &Workspace,
    around: &Surroundings,
    outside: &dyn Outside,
    book: &mut Book,
) -> Result<Settings, Vec<Finding>> {
    let layers = profile_files::layers(&profile_files::folders(workspace, around), outside, book);
    refuse_names(file, book);
    let profiles = profile::resolve(file.providers.as_ref().unwrap_or(&BTreeMap::new()), layers, book)?;
    let general = general(file.settings.as_ref(), book);
    let roster = roster(file, book);
    let inherited = env::inherited(around);
    let ground = Ground { workspace, around, inherited: &inherited, outside, found: RefCell::default() };
    let parts = Parts { roster: &roster, profiles: &profiles, general: &general, ground };
    let (mut members, mut launches, mut entries) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for (name, index) in &roster.members {
        let Some(agent) = file.agents.value.get(*index) else { continue };
        if let Some((member, launch)) = parts.agent(name, agent, book) {
            entries.insert(name.clone(), Arc::new(agent.clone()));
            members.insert(name.clone(), member);
            launches.insert(name.clone(), Arc::new(launch));
        }
    }
    asked_once::warn_of_profiles(file, &profiles, &parts.ground, book);
    refuse_weak_phrases(&members, &roster, file, &general, book);
    let session = file.session.as_ref().map_or(SESSION, |given| tmux_name(given, book));
    let tmux_socket = match &file.tmux_socket {
        Some(given) if given.value == USERS_SERVER => TmuxSocket::Users,
        Some(given) => TmuxSocket::Private(tmux_name(given, book).to_owned()),
        None => TmuxSocket::Private(own_server(workspace)),
    };
    let order = in_order(&roster);
    let grounds = queues::Grounds { workspace, around, outside, roster: &roster };
    let queues = queues::queues(file.queues.as_ref(), &grounds, book);
    let Roster { aliases, pools, routes, may, .. } = roster;
    let commands = commands::commands(file.commands.as_ref(), book);
    let setup = Arc::new(worktrees::setup(file.worktrees.as_ref(), book));
    let (limits, kinds) = (general.limits.clone(), kinds(&profiles, &general));
    let team = Team { members, aliases, pools, routes, may, limits, commands, ..kinds };
    let notify = file.notify.as_ref();
    let notify =
        notify.map(|entry| Arc::new(notify::notify(entry, workspace.root(), &inherited, outside, book)));
    let session = session.to_owned();
    Ok(Settings {
        team,
        order,
        session,
        tmux_socket,
        launches,
        entries: Entries(entries),
        profiles,
        general,
        notify,
        setup,
        queues,
    })
}

/// The members as they stand in the file.
fn in_order(roster: &Roster) -> Vec<AgentName> {
    let mut order: Vec<(usize, &AgentName)> =
        roster.members.iter().map(|(name, index)| (*index, name)).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, name)| name.clone()).collect()
}

/// What an agent depends on besides its own entry.
pub(super) struct Parts<'a> {
    pub(super) roster: &'a Roster,
    pub(super) profiles: &'a BTreeMap<String, Profile>,
    pub(super) general: &'a General,
    pub(super) ground: Ground<'a>,
}

/// A team of nobody that knows of whom others can be made: a member of each profile, the profiles whose programs are no agents by
/// themselves, and those without a program.
fn kinds(profiles: &BTreeMap<String, Profile>, general: &General) -> Team {
    let templates = profiles.iter().map(|(name, profile)| (name.clone(), template(name, profile, general)));
    let named = |is_it: fn(&Profile) -> bool| {
        let found = profiles.iter().filter(move |(_, profile)| is_it(profile));
        found.map(|(name, _)| name.clone()).collect()
    };
    Team {
        templates: templates.collect(),
        any_program: named(|profile| profile.any_program),
        commandless: named(|profile| profile.command.is_empty()),
        ..Team::default()
    }
}

/// A member of whom nothing is said but its profile.
fn template(name: &str, profile: &Profile, general: &General) -> Member {
    Member {
        reports_to: AgentName::user(),
        phrase: String::new(),
        token: true,
        delivery: Delivery::default(),
        timeout_ms: profile.timeout_ms.unwrap_or(general.default_timeout_ms),
        restart: profile.restart,
        one_shot: profile.one_shot,
        provider: name.to_owned(),
        launch: digest_of_profile(profile),
    }
}

impl Parts<'_> {
    /// A member and its launch. What is wrong is in `book`.
    pub(super) fn agent(
        &self,
        name: &AgentName,
        agent: &AgentEntry,
        book: &mut Book,
    ) -> Option<(Member, Launch)> {
        refuse_unready(agent, book);
        let phrase = phrase_of(name, agent, book);
        let profile = self.profile(agent, book)?;
        let launch = self.ground.launch(name.as_str(), &phrase, agent, profile, &self.general.words, book);
        let place = agent.provider.place;
        asked_once::warn_of_agent(&launch, self.profiles, &self.ground, place, book);
        let place = agent.cwd.as_ref().unwrap_or(&agent.name).place;
        doorbells::refuse_long(&self.general.words, &launch.active, place, book);
        let mut timeout_ms = profile.timeout_ms.unwrap_or(self.general.default_timeout_ms);
        check::lasting(&mut timeout_ms, agent.timeout.as_ref(), check::TIMEOUT_MS, book);
        let member = Member {
            reports_to: self.roster.reports_to.get(name).cloned().unwrap_or_else(AgentName::user),
            phrase,
            token: agent.token.unwrap_or(true),
            delivery: agent.delivery.map_or(Delivery::default(), Delivery::from),
            timeout_ms,
            restart: agent.restart.map_or(profile.restart, Restart::from),
            one_shot: profile.one_shot,
            provider: agent.provider.value.clone(),
            launch: launch.digest,
        };
        Some((member, launch))
    }

    fn profile(&self, agent: &AgentEntry, book: &mut Book) -> Option<&Profile> {
        let provider = &agent.provider;
        let found = self.profiles.get(&provider.value);
        if found.is_none() {
            let cure = did_you_mean(&provider.value, self.profiles.keys().map(String::as_str));
            let why = format!("there is no provider `{}`", provider.value);
            book.wrong(provider.place, why, format!("{cure} (or describe it under `providers:`)"));
        }
        found
    }
}

fn refuse_names(file: &TeamFile, book: &mut Book) {
    for (name, entry) in file.providers.iter().flatten().filter(|(name, _)| !check::is_profile(name)) {
        let why = format!("`{}` is not a valid name for a profile", name.escape_debug());
        book.wrong(entry.place, why, "use 1 to 64 of a-z, 0-9, `-` and `_`");
    }
}

fn refuse_unready(agent: &AgentEntry, book: &mut Book) {
    for (name, value) in agent.env.iter().flatten() {
        check::variable(name, value, book);
    }
}

fn phrase_of(name: &AgentName, agent: &AgentEntry, book: &mut Book) -> String {
    let Some(given) = &agent.marker else { return phrase::default_phrase(name) };
    phrase::check(&given.value).unwrap_or_else(|wrong| {
        check::report(wrong, given.place, book);
        phrase::default_phrase(name)
    })
}

/// Where the phrase alone counts, nothing else that comes up in that pane may contain it. With tokens it may: a phrase
/// without the token of the turn closes nothing.
fn refuse_weak_phrases(
    members: &BTreeMap<AgentName, Member>,
    roster: &Roster,
    file: &TeamFile,
    general: &General,
    book: &mut Book,
) {
    for (name, member) in members.iter().filter(|(_, member)| !member.token) {
        let agent = roster.members.get(name).and_then(|index| file.agents.value.get(*index));
        let place =
            agent.map_or(Place::default(), |agent| agent.marker.as_ref().unwrap_or(&agent.name).place);
        let cure = "give it a phrase that nothing else contains, or `token: true`";
        let other =
            members.iter().find(|(other, said)| *other != name && said.phrase.contains(&member.phrase));
        if let Some((other, said)) = other {
            let why = format!(
                "without a token, `{}` would be recognised in the phrase of `{other}`, `{}`",
                member.phrase, said.phrase
            );
            book.wrong(place, why, cure);
        }
        if doorbells::say(&general.words, &member.phrase) {
            let why =
                format!("without a token, `{}` would be recognised in the doorbell itself", member.phrase);
            book.wrong(place, why, cure);
        }
    }
}

/// A name that means the same to tmux, to a shell and in a path. tmux would make `_` of dots and colons.
fn tmux_name<'a>(given: &'a At<String>, book: &mut Book) -> &'a str {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let name = given.value.as_str();
    if name.is_empty()
        || name.len() > TMUX_NAME_BYTES_MAX
        || name.starts_with('-')
        || !name.chars().all(plain)
    {
        let cure = format!("use 1 to {TMUX_NAME_BYTES_MAX} letters, digits, `_` and `-`");
        book.wrong(given.place, format!("`{name}` cannot be a name in tmux"), cure);
    }
    name
}

/// `tasuki-FOLDER-3f2a`: the folder's name for people, the hash for folders of the same name.
#[must_use]
pub fn own_server(workspace: &Workspace) -> String {
    let folder =
        workspace.root().file_name().and_then(|name| name.to_str()).unwrap_or_default().to_lowercase();
    let words = folder.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let clean = words.collect::<Vec<_>>().join("-");
    let clean = clean.get(..FOLDER_BYTES_MAX).unwrap_or(&clean).trim_end_matches('-');
    let hash = workspace.hash();
    let hash = hash.get(..4).unwrap_or(&hash);
    if clean.is_empty() { format!("tasuki-{hash}") } else { format!("tasuki-{clean}-{hash}") }
}
