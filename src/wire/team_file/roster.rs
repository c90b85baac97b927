//! Who is who: names, aliases, pools, who reports to whom, and the routes besides. Everything that is wrong is told.

use super::file::{AgentEntry, MayEntry, RouteEntry, TeamFile};
use super::finding::{Book, Place};
use super::values::At;
use crate::engine::suggest::did_you_mean;
use crate::engine::team::power::{Power, Powers, Whose};
use crate::engine::words::{AgentName, BadWord, USER};
use std::collections::{BTreeMap, BTreeSet};

/// tmux holds a thousand windows in one session (measured).
const AGENTS_MAX: usize = 1_000;

/// The names of a team and how they hang together.
#[derive(Debug, Default)]
pub(super) struct Roster {
    /// Members by name, with the place of their entry in the list.
    pub(super) members: BTreeMap<AgentName, usize>,
    /// Alias → member.
    pub(super) aliases: BTreeMap<AgentName, AgentName>,
    /// Pool → its members.
    pub(super) pools: BTreeMap<AgentName, BTreeSet<AgentName>>,
    /// Member → whom it reports to.
    pub(super) reports_to: BTreeMap<AgentName, AgentName>,
    /// Routes, aliases and pools resolved to members.
    pub(super) routes: BTreeMap<AgentName, BTreeSet<AgentName>>,
    /// What agents may command besides, aliases and pools resolved to members.
    pub(super) may: Powers,
}

/// Reads all names and connects them. Agents with a bad or a second name are left out, and told in `book`.
pub(super) fn roster(file: &TeamFile, book: &mut Book) -> Roster {
    let agents = &file.agents.value;
    if agents.is_empty() || agents.len() > AGENTS_MAX {
        let why = format!("a team has 1 to {AGENTS_MAX} agents, and this one has {}", agents.len());
        book.wrong(file.agents.place, why, "see `tasuki init` for a team to begin with");
    }
    let mut roster = Roster::default();
    roster.take_names(agents, book);
    roster.take_other_names(agents, book);
    roster.take_reports(agents, book);
    roster.refuse_circles(agents, book);
    roster.take_routes(file.routes.as_deref().unwrap_or_default(), book);
    roster.take_powers(file.may.as_deref().unwrap_or_default(), book);
    roster
}

impl Roster {
    fn take_names(&mut self, agents: &[AgentEntry], book: &mut Book) {
        for (index, agent) in agents.iter().enumerate() {
            let Some(name) = name(&agent.name, book) else { continue };
            if self.members.contains_key(&name) {
                book.wrong(
                    agent.name.place,
                    format!("there is already an agent `{name}`"),
                    "give one of the two another name",
                );
                continue;
            }
            self.members.insert(name, index);
        }
    }

    /// Names of agents come first, so that a clash is told where the alias or pool is.
    fn take_other_names(&mut self, agents: &[AgentEntry], book: &mut Book) {
        for (member, index) in self.members.clone() {
            let Some(agent) = agents.get(index) else { continue };
            for alias in agent.aliases.iter().flatten() {
                let Some(word) = name(alias, book) else { continue };
                match self.taken_by(&word) {
                    Some(taken) => clash(&word, &taken, alias.place, book),
                    None => drop(self.aliases.insert(word, member.clone())),
                }
            }
        }
        for (member, index) in self.members.clone() {
            let Some(agent) = agents.get(index) else { continue };
            for pool in agent.pool.iter().flatten() {
                let Some(word) = name(pool, book) else { continue };
                match self.taken_by(&word).filter(|_| !self.pools.contains_key(&word)) {
                    Some(taken) => clash(&word, &taken, pool.place, book),
                    None => drop(self.pools.entry(word).or_default().insert(member.clone())),
                }
            }
        }
    }

    fn take_reports(&mut self, agents: &[AgentEntry], book: &mut Book) {
        for (member, index) in self.members.clone() {
            let given = agents.get(index).and_then(|agent| agent.reports_to.as_ref());
            let above = given.map_or(Some(AgentName::user()), |given| self.superior(given, book));
            self.reports_to.extend(above.map(|above| (member, above)));
        }
    }

    fn superior(&self, given: &At<String>, book: &mut Book) -> Option<AgentName> {
        let found = AgentName::new(&given.value).ok().and_then(|word| self.one(&word));
        if found.is_none() {
            let pool = AgentName::new(&given.value).is_ok_and(|word| self.pools.contains_key(&word));
            let (why, cure) = match pool {
                true => ("a pool; an agent reports to one", "name one of its members, or `user`".into()),
                false => ("nobody in this team", did_you_mean(&given.value, self.known().chain([USER]))),
            };
            book.wrong(given.place, format!("`{}` is {why}", given.value), cure);
        }
        found
    }

    /// Everybody must reach `user`: an answer that goes in a circle reaches no person.
    fn refuse_circles(&mut self, agents: &[AgentEntry], book: &mut Book) {
        let mut told: BTreeSet<AgentName> = BTreeSet::new();
        for member in self.members.keys() {
            let Some(circle) = self.circle(member) else { continue };
            let known = circle.iter().any(|name| !told.insert(name.clone()));
            let place = self.members.get(member).and_then(|index| agents.get(*index)?.reports_to.as_ref());
            if let Some(given) = place.filter(|_| !known) {
                let path: Vec<&str> = circle.iter().chain(circle.first()).map(AgentName::as_str).collect();
                let why = format!("these agents report to each other in a circle: {}", path.join(" → "));
                book.wrong(given.place, why, "let one of them report to `user`");
            }
        }
    }

    /// The circle that this member is a part of.
    fn circle(&self, member: &AgentName) -> Option<Vec<AgentName>> {
        let mut path = vec![member.clone()];
        let mut above = self.reports_to.get(member)?;
        while above != member {
            // A longer path than there are members goes round in a circle further up.
            if above.is_user() || path.len() > self.members.len() {
                return None;
            }
            path.push(above.clone());
            above = self.reports_to.get(above)?;
        }
        Some(path)
    }

    fn take_routes(&mut self, routes: &[RouteEntry], book: &mut Book) {
        for route in routes {
            let from = self.several(&route.from, book);
            let to: BTreeSet<AgentName> = route.to.iter().flat_map(|to| self.several(to, book)).collect();
            for sender in from {
                let others = to.iter().filter(|target| **target != sender).cloned();
                self.routes.entry(sender.clone()).or_default().extend(others);
            }
        }
    }

    fn take_powers(&mut self, entries: &[MayEntry], book: &mut Book) {
        for entry in entries {
            let of = entry.of.as_ref();
            let whose = of.map_or(Whose::Everybodys, |of| {
                Whose::Of(of.iter().flat_map(|name| self.several(name, book)).collect())
            });
            let powers: Vec<Power> =
                entry.verbs.iter().filter_map(|verb| power(verb, of.is_some(), book)).collect();
            for agent in self.several(&entry.agent, book) {
                let own = self.may.entry(agent).or_default();
                for power in &powers {
                    let before = own.entry(*power).or_insert_with(|| Whose::Of(BTreeSet::new()));
                    *before = before.and(&whose);
                }
            }
        }
    }

    /// The members that a name of a route or a power means.
    fn several(&self, given: &At<String>, book: &mut Book) -> BTreeSet<AgentName> {
        let word = AgentName::new(&given.value).ok();
        let pool = word.as_ref().and_then(|word| self.pools.get(word)).cloned();
        let one = word.as_ref().and_then(|word| self.one(word)).filter(|word| !word.is_user());
        match pool.or_else(|| one.map(|one| BTreeSet::from([one]))) {
            Some(members) => members,
            None if given.value == USER => {
                book.wrong(
                    given.place,
                    "`user` must not be named here",
                    "remove it: `user` may send to anyone and command everyone, and anyone may write to `user`",
                );
                BTreeSet::new()
            }
            None => {
                let cure =
                    did_you_mean(&given.value, self.known().chain(self.pools.keys().map(AgentName::as_str)));
                book.wrong(given.place, format!("`{}` is nobody in this team", given.value), cure);
                BTreeSet::new()
            }
        }
    }

    /// The member, or `user`, that a name or an alias means.
    fn one(&self, word: &AgentName) -> Option<AgentName> {
        if word.is_user() || self.members.contains_key(word) {
            return Some(word.clone());
        }
        self.aliases.get(word).cloned()
    }

    fn known(&self) -> impl Iterator<Item = &str> {
        self.members.keys().map(AgentName::as_str)
    }

    fn taken_by(&self, word: &AgentName) -> Option<String> {
        let alias = self.aliases.get(word).map(|member| format!("an alias of `{member}`"));
        let agent = || self.members.contains_key(word).then(|| "an agent".to_owned());
        let pool = || self.pools.contains_key(word).then(|| "a pool".to_owned());
        alias.or_else(agent).or_else(pool)
    }
}

/// A verb that may be opened to an agent.
fn power(given: &At<String>, has_of: bool, book: &mut Book) -> Option<Power> {
    let word = given.value.as_str();
    let found = Power::ALL.into_iter().find(|power| power.word() == word);
    match found {
        None => {
            let cure = did_you_mean(word, Power::ALL.into_iter().map(Power::word));
            book.wrong(given.place, format!("`{word}` cannot be allowed to an agent"), cure);
        }
        Some(power) if has_of && !power.has_whose() => {
            let cure = "give it an entry of its own, without `of`";
            book.wrong(given.place, format!("`{word}` is about the whole team, not about one agent"), cure);
        }
        _ => {}
    }
    found
}

/// A word of the file as a name.
fn name(given: &At<String>, book: &mut Book) -> Option<AgentName> {
    let checked = AgentName::new(&given.value);
    let wrong = match checked {
        Ok(name) if !name.is_user() => return Some(name),
        Ok(_) => BadWord::Reserved,
        Err(wrong) => wrong,
    };
    let cure = match wrong {
        BadWord::Reserved => "take another name: `user` is the person who owns the workspace".into(),
        _ => suggestion(&given.value),
    };
    book.wrong(given.place, format!("the name `{}` {wrong}", given.value), cure);
    None
}

fn suggestion(text: &str) -> String {
    let lower: String = text.to_lowercase().replace([' ', '.'], "_");
    match AgentName::new(&lower) {
        Ok(name) => format!("write `{name}`"),
        Err(_) => "use small letters, digits, `_` and `-`, beginning with a letter or a digit".into(),
    }
}

fn clash(word: &AgentName, taken: &str, place: Place, book: &mut Book) {
    book.wrong(
        place,
        format!("`{word}` is already the name of {taken}"),
        "names, aliases and pools must differ: take another word",
    );
}
