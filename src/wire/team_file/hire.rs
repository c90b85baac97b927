//! How a hired agent is started: as an agent of the team file would be that is written like its model, with what its recipe says
//! besides. The same checks hold.

use super::doorbells;
use super::env;
use super::file::AgentEntry;
use super::finding::{Book, Finding, Place};
use super::launch::{Ground, Launch};
use super::members::Parts;
use super::outside::Outside;
use super::phrase;
use super::prompt;
use super::roster::Roster;
use super::settings::Settings;
use super::values::{At, Wrong};
use crate::engine::suggest::did_you_mean;
use crate::engine::team::roster::{Hired, Like};
use crate::engine::team::{Member, Team};
use crate::engine::words::AgentName;
use crate::wire::layout::{Surroundings, Workspace};
use std::cell::RefCell;

/// Variables that one agent is hired with; a whole environment is the daemon's to inherit.
const VARIABLES_MAX: usize = 256;
/// Longest text of one of them, in bytes: what one word of a program may have (`MAX_ARG_STRLEN`, execve(2)).
const VARIABLE_BYTES_MAX: usize = 128 * 1024;

/// Why an agent cannot be hired or started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoLaunch {
    pub why: String,
    pub cure: String,
}

/// The phrase of an agent that is to be hired: the one that is given, or one that is made of its name.
///
/// # Errors
/// Why it cannot be a phrase.
pub fn phrase_of(name: &AgentName, given: Option<&str>) -> Result<String, NoLaunch> {
    let checked = given.map_or_else(|| Ok(phrase::default_phrase(name)), phrase::check);
    checked.map_err(|Wrong { why, cure }| NoLaunch { why, cure })
}

impl Settings {
    /// The launch of a hired agent, and what is odd about it, in sentences. `team` is the one in force.
    ///
    /// # Errors
    /// The first fault.
    pub fn recruit(
        &self,
        (name, hired): (&AgentName, &Hired),
        team: &Team,
        (workspace, around): (&Workspace, &Surroundings),
        outside: &dyn Outside,
    ) -> Result<(Launch, Vec<String>), NoLaunch> {
        let entry = self.entry(name, hired)?;
        let inherited = env::inherited(around);
        let ground = Ground { workspace, around, inherited: &inherited, outside, found: RefCell::default() };
        let (roster, mut book) = (Roster::default(), Book::new("", ""));
        let parts = Parts { roster: &roster, profiles: &self.profiles, general: &self.general, ground };
        let made = parts.agent(name, &entry, &mut book);
        if let Some((member, _)) = &made {
            self.refuse_weak(name, member, team, &mut book);
        }
        let findings = book.close().map_err(first)?;
        let (_, launch) = made.ok_or_else(|| first(Vec::new()))?;
        Ok((launch, findings.into_iter().map(|odd| format!("{} ({})", odd.why, odd.cure)).collect()))
    }

    /// Its entry, as if it stood in the team file.
    fn entry(&self, name: &AgentName, hired: &Hired) -> Result<AgentEntry, NoLaunch> {
        let recipe = &hired.recipe;
        let model = match &recipe.like {
            Like::Member(model) => self.entries.0.get(model).map(|entry| (**entry).clone()),
            Like::Profile(profile) => self.profiles.contains_key(profile).then(|| AgentEntry::of(profile)),
        };
        let mut entry = model.ok_or_else(|| self.no_model(&recipe.like))?;
        entry.name = at(name.to_string());
        (entry.marker, entry.aliases, entry.pool) = (Some(at(hired.member.phrase.clone())), None, None);
        entry.worktree = None; // that is one agent's alone; a session gives its agents theirs
        if let Some(cwd) = &recipe.cwd {
            entry.cwd = Some(at(cwd.clone()));
        }
        if let Some(model) = &recipe.model {
            self.check_model(&entry, model)?;
            entry.model = Some(at(model.clone()));
        }
        if recipe.env.len() > VARIABLES_MAX {
            let why = format!("{} variables are given", recipe.env.len());
            return Err(NoLaunch { why, cure: format!("give at most {VARIABLES_MAX}") });
        }
        for (variable, value) in &recipe.env {
            if value.as_ref().is_some_and(|value| value.len() > VARIABLE_BYTES_MAX) {
                let why = format!("the value of `{}` is too long", variable.escape_debug());
                return Err(NoLaunch { why, cure: format!("give at most {VARIABLE_BYTES_MAX} bytes") });
            }
            entry.env.get_or_insert_default().insert(variable.clone(), at(value.clone()));
        }
        Ok(entry)
    }

    fn check_model(&self, entry: &AgentEntry, model: &str) -> Result<(), NoLaunch> {
        let provider = &entry.provider.value;
        let Some(profile) = self.profiles.get(provider) else { return Ok(()) };
        if model.trim().is_empty() {
            let (why, cure) = ("the model has no name".to_owned(), "name one, or leave it out".to_owned());
            return Err(NoLaunch { why, cure });
        }
        if prompt::takes_model(entry, profile) {
            return Ok(());
        }
        let why = format!(
            "it is not known how to give the model `{}` to a program of the profile {provider}",
            model.escape_debug()
        );
        let cure = "leave the model out, or add `model: [--option, \"{model}\"]` to the profile".to_owned();
        Err(NoLaunch { why, cure })
    }

    fn no_model(&self, like: &Like) -> NoLaunch {
        match like {
            Like::Member(name) => {
                let why = format!("{name}, like which it was hired, is not in the team file any more");
                let cure =
                    format!("put {name} back into the team file, or dismiss the agent and hire another");
                NoLaunch { why, cure }
            }
            Like::Profile(name) => {
                let why = format!("there is no provider `{}`", name.escape_debug());
                NoLaunch { why, cure: did_you_mean(name, self.profiles.keys().map(String::as_str)) }
            }
        }
    }

    /// Where a phrase alone counts, nothing else that comes up in that pane may contain it.
    fn refuse_weak(&self, name: &AgentName, member: &Member, team: &Team, book: &mut Book) {
        let mut others = team.members.iter().filter(|(other, _)| *other != name);
        let clash = others.find_map(|(other, there)| {
            let weak = !member.token && there.phrase.contains(&member.phrase);
            let found = weak || (!there.token && member.phrase.contains(&there.phrase));
            found.then(|| format!("without a token, its phrase could not be told from that of {other}"))
        });
        let says = !member.token && doorbells::say(&self.general.words, &member.phrase);
        let bell = || "without a token, its phrase would be recognised in the doorbell itself".to_owned();
        if let Some(why) = clash.or_else(|| says.then(bell)) {
            book.wrong(Place::default(), why, "give it a phrase that nothing else contains");
        }
    }
}

impl AgentEntry {
    /// An agent of whom nothing is said but its profile.
    fn of(profile: &str) -> Self {
        Self {
            name: at(String::new()),
            reports_to: None,
            provider: at(profile.to_owned()),
            command: None,
            args: None,
            model: None,
            permission_mode: None,
            marker: None,
            token: None,
            delivery: None,
            system_prompt: None,
            cwd: None,
            env: None,
            inherit_env: None,
            aliases: None,
            pool: None,
            timeout: None,
            restart: None,
            worktree: None,
        }
    }
}

fn at<T>(value: T) -> At<T> {
    At { value, place: Place::default() }
}

/// What is wrong above all.
fn first(findings: Vec<Finding>) -> NoLaunch {
    let fatal = findings.into_iter().find(|finding| finding.fatal);
    fatal.map_or_else(
        || NoLaunch { why: "nothing says how it is started".to_owned(), cure: "hire another".to_owned() },
        |Finding { why, cure, .. }| NoLaunch { why, cure },
    )
}
