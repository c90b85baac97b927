//! Agents that were hired: members of the team besides those of its file, made from one of them or from a profile. The journal
//! says who they are; the team in force follows from the file and from that.

use crate::engine::form::is_default;
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::team::{Member, Team};
use crate::engine::words::{AgentName, counted, ourselves};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Hired agents at a time. A session of tmux holds a thousand windows, and the team file may want most of them.
pub const HIRED_MAX: usize = 200;
/// Windows that a session of tmux holds (measured).
const AGENTS_MAX: usize = 1_000;

/// A hired agent, as the journal keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hired {
    /// Who hired it: an agent, or `user`.
    pub by: AgentName,
    /// How it is made; the launch follows from it outside of the engine.
    pub recipe: Recipe,
    /// The member that it is as long as nobody else says what its kind is like: when it was hired.
    pub member: Member,
    /// The flow that it works for.
    #[serde(default, skip_serializing_if = "is_default")]
    pub flow: Option<String>,
}

/// How a hired agent is made. The engine keeps it and looks no further than whom it is like.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipe {
    #[serde(flatten)]
    pub like: Like,
    /// Working folder, as it was given: relative to the workspace.
    #[serde(default, skip_serializing_if = "is_default")]
    pub cwd: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub model: Option<String>,
    /// Variables over those of its kind; none in place of a text takes one away.
    #[serde(default, skip_serializing_if = "is_default")]
    pub env: BTreeMap<String, Option<String>>,
    /// The machine that it runs on.
    #[serde(default)]
    pub host: Host,
}

/// What a hired agent is made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Like {
    /// A member of the team file.
    #[serde(rename = "like")]
    Member(AgentName),
    /// A provider profile.
    #[serde(rename = "provider")]
    Profile(String),
}

/// The machine that an agent runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Host {
    /// The daemon's own.
    #[default]
    Local,
}

/// Somebody wants an agent hired.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hire {
    pub name: AgentName,
    /// Whom it reports to; if nobody is named, whoever hires it, or a person's is placed as its model is.
    pub reports_to: Option<AgentName>,
    /// Its phrase, checked.
    pub phrase: String,
    pub recipe: Recipe,
    /// The flow that it works for.
    pub flow: Option<String>,
    /// What works and is hardly meant so: told with the answer, and kept nowhere.
    pub notes: Vec<String>,
}

/// The phrase of an agent that was given none: `code_reader` says `CODE READER OK`.
#[must_use]
pub fn default_phrase(name: &AgentName) -> String {
    format!("{} OK", name.as_str().to_uppercase().replace(['_', '-'], " ").trim())
}

impl Like {
    /// What it is made from, in words: `like bob`, `from the profile claude`.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Member(name) => format!("like {name}"),
            Self::Profile(name) => format!("from the profile {name}"),
        }
    }
}

impl Team {
    /// This team, which is that of the file, together with those that were hired. A name that the file has is the file's, and
    /// whoever reports to somebody that is gone reports to `user`.
    #[must_use]
    pub fn with(&self, hired: &BTreeMap<AgentName, Hired>) -> Self {
        let mut team = self.clone();
        for (name, hired) in hired.iter().filter(|(name, _)| self.whose_name(name).is_none()) {
            team.members.insert(name.clone(), self.member_like(hired));
            team.for_flows.extend(hired.flow.clone().map(|flow| (name.clone(), flow)));
        }
        let is_there = |name: &AgentName| name.is_user() || team.members.contains_key(name);
        let left: Vec<AgentName> = hired
            .keys()
            .filter(|name| team.members.get(*name).is_some_and(|member| !is_there(&member.reports_to)))
            .cloned()
            .collect();
        for name in left {
            if let Some(member) = team.members.get_mut(&name) {
                member.reports_to = AgentName::user();
            }
        }
        team
    }

    /// Of the hired, whose name the file has for somebody or something of its own, and for what.
    pub fn taken<'a>(
        &'a self,
        hired: &'a BTreeMap<AgentName, Hired>,
    ) -> impl Iterator<Item = (&'a AgentName, String)> {
        hired.keys().filter_map(|name| Some((name, self.whose_name(name)?)))
    }

    /// Makes a hired agent of what is wanted: this is the team in force, `file` that of the file.
    ///
    /// # Errors
    /// [`Refusal`]: its name is taken, its model or its superior is nobody, or too many are hired.
    pub fn hire(
        &self,
        file: &Self,
        hired: &BTreeMap<AgentName, Hired>,
        by: &AgentName,
        wanted: &Hire,
    ) -> Result<Hired, Refusal> {
        let name = &wanted.name;
        if is_reserved(name) {
            return Err(Refusal::new(Code::NameTaken, format!("the name {name} is reserved")).at("name"));
        }
        if let Some(what) = self.whose_name(name) {
            return Err(Refusal::new(Code::NameTaken, format!("{name} is already {what}")).at("name"));
        }
        if hired.len() >= HIRED_MAX || self.members.len() >= AGENTS_MAX {
            let (hired, all) = (counted(hired.len(), "agent"), self.members.len());
            let why = format!(
                "{hired} of {all} are hired; at most {HIRED_MAX} can be, and a team has at most {AGENTS_MAX}"
            );
            return Err(Refusal::new(Code::RosterFull, why));
        }
        let like = self.model_for(file, hired, &wanted.recipe.like)?;
        let model = file.kind(&like);
        let model = model.ok_or_else(|| file.no_profile(&like))?;
        let reports_to = match &wanted.reports_to {
            Some(above) if above.is_user() => AgentName::user(),
            Some(above) => self.member(above).map_err(|refusal| refusal.at("reports_to"))?,
            None if by.is_user() => model.reports_to.clone(),
            None => by.clone(),
        };
        refuse_circle(name, &reports_to, hired)?;
        let member = Member { reports_to, phrase: wanted.phrase.clone(), ..model.clone() };
        let recipe = Recipe { like, ..wanted.recipe.clone() };
        Ok(Hired { by: by.clone(), recipe, member, flow: wanted.flow.clone() })
    }

    /// The member or profile that is meant, aliases resolved.
    fn model_for(
        &self,
        file: &Self,
        hired: &BTreeMap<AgentName, Hired>,
        like: &Like,
    ) -> Result<Like, Refusal> {
        let Like::Member(name) = like else { return Ok(like.clone()) };
        if let Some(other) = hired.get(name).filter(|_| !file.members.contains_key(name)) {
            let why =
                format!("{name} was hired itself, {}: hire this one so, too", other.recipe.like.words());
            return Err(Refusal::new(Code::UnknownAgent, why).at("like"));
        }
        file.member(name).map(Like::Member).map_err(|refusal| refusal.at("like"))
    }

    /// The member of whose kind something is, of the team file or made of a profile.
    fn kind(&self, like: &Like) -> Option<&Member> {
        match like {
            Like::Member(name) => self.members.get(name),
            Like::Profile(name) => self.templates.get(name),
        }
    }

    /// Whether somebody can be made so.
    #[must_use]
    pub(in crate::engine) fn has_kind(&self, like: &Like) -> bool {
        self.kind(like).is_some()
    }

    fn no_profile(&self, like: &Like) -> Refusal {
        let names: Vec<&str> = self.templates.keys().map(String::as_str).collect();
        let (what, names) = (like.words(), names.join(", "));
        let why = format!("nobody can be made {}: the profiles are {names}", what.escape_debug());
        Refusal::new(Code::UnknownWord, why).at("provider")
    }

    /// A hired agent as a member: as those of its kind are now, or as it was hired where that kind is gone. Its recipe stays as it
    /// is while it is there, so how it is launched changes with its kind alone.
    fn member_like(&self, hired: &Hired) -> Member {
        let Hired { recipe, member, .. } = hired;
        self.kind(&recipe.like).map_or_else(
            || member.clone(),
            |kind| Member {
                reports_to: member.reports_to.clone(),
                phrase: member.phrase.clone(),
                ..kind.clone()
            },
        )
    }

    /// What has this name already; nothing if it is free.
    fn whose_name(&self, name: &AgentName) -> Option<String> {
        let alias = || self.aliases.get(name).map(|of| format!("an alias of {of}"));
        let pool = || self.pools.contains_key(name).then(|| "a pool".to_owned());
        let agent = || self.members.contains_key(name).then(|| "an agent".to_owned());
        agent().or_else(alias).or_else(pool)
    }
}

/// Whether nobody may be called so: a person is, or tasuki itself.
fn is_reserved(name: &AgentName) -> bool {
    name.is_user() || *name == ourselves()
}

/// Those above it are followed among the hired: one that reports to this name did so when somebody else had it.
fn refuse_circle(
    name: &AgentName,
    reports_to: &AgentName,
    hired: &BTreeMap<AgentName, Hired>,
) -> Result<(), Refusal> {
    let mut above = reports_to;
    for _ in 0..=hired.len() {
        if above == name {
            let why = format!("{reports_to} reports to {name}: the two would report to each other");
            return Err(Refusal::new(Code::Cycle, why).at("reports_to"));
        }
        let Some(next) = hired.get(above) else { break };
        above = &next.member.reports_to;
    }
    Ok(())
}
