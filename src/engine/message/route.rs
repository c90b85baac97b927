//! Who may send to whom, and who somebody is.

use super::refusal::{Code, EXPECT, Refusal};
use crate::engine::message::{Draft, Kind};
use crate::engine::team::{Delivery, Team};
use crate::engine::words::AgentName;
use std::collections::BTreeSet;

impl Kind {
    /// Whether such a message may expect anything at all.
    ///
    /// # Errors
    /// [`Code::ExpectWithoutTask`].
    pub fn may_expect(self) -> Result<(), Refusal> {
        if self == Self::Task {
            return Ok(());
        }
        let why = format!("it is {}, and nobody checks what is no task", self.with_article());
        Err(Refusal::new(Code::ExpectWithoutTask, why).at(EXPECT))
    }
}

impl Team {
    /// Whether somebody of this team gets such a message, and its sender may send it there.
    ///
    /// # Errors
    /// The refusal.
    pub fn takes(&self, draft: &Draft) -> Result<(), Refusal> {
        let to = self.addressee(&draft.to).map_err(|refusal| refusal.at("to"))?;
        self.may_expect(draft)?;
        self.check_inline(&to, &draft.body.content)?;
        let from = draft.from.as_ref().map_or(Ok(AgentName::user()), |from| self.sender(from))?;
        match draft.kind {
            // It goes to whoever sent what it answers.
            Kind::Result | Kind::Error => Ok(()),
            kind => self.may_send(kind, &from, &to),
        }
    }

    /// Whether a message may expect what it does: it is a task, and its command is one of the team's.
    ///
    /// # Errors
    /// [`Code::ExpectWithoutTask`], or [`Code::CommandNotAllowed`] with the commands there are.
    pub fn may_expect(&self, draft: &Draft) -> Result<(), Refusal> {
        let Some(expect) = draft.expect.as_deref() else { return Ok(()) };
        draft.kind.may_expect()?;
        self.command(&expect.command).map(|_| ())
    }

    /// The agent, pool or `user` that a name means; aliases are resolved.
    ///
    /// # Errors
    /// [`Code::UnknownAgent`] with the names there are.
    pub fn addressee(&self, name: &AgentName) -> Result<AgentName, Refusal> {
        if name.is_user() || self.members.contains_key(name) || self.pools.contains_key(name) {
            return Ok(name.clone());
        }
        self.aliases.get(name).cloned().ok_or_else(|| self.unknown(name).at("to"))
    }

    /// The agent that a name means; aliases are resolved.
    ///
    /// # Errors
    /// [`Code::UnknownAgent`] with the names there are, or for a name that is no agent's.
    pub fn member(&self, name: &AgentName) -> Result<AgentName, Refusal> {
        let found = self.aliases.get(name).unwrap_or(name);
        if self.members.contains_key(found) {
            return Ok(found.clone());
        }
        // A pool and `user` may be sent to, and are no agents.
        let names = self.lasting().chain(self.aliases.keys()).map(AgentName::as_str);
        let list = names.collect::<Vec<_>>().join(", ");
        Err(Refusal::new(Code::UnknownAgent, format!("{name} is not an agent; the agents are: {list}")))
    }

    /// The agent or `user` that a sender's name means; aliases are resolved.
    ///
    /// # Errors
    /// [`Code::UnknownAgent`] with the names there are.
    pub fn sender(&self, name: &AgentName) -> Result<AgentName, Refusal> {
        if name.is_user() || self.members.contains_key(name) {
            return Ok(name.clone());
        }
        self.aliases.get(name).cloned().ok_or_else(|| self.unknown(name).at("from"))
    }

    /// Whether a content can be typed to whom it is for, where that is typed itself.
    ///
    /// # Errors
    /// [`Code::NotInline`].
    pub fn check_inline(&self, to: &AgentName, content: &str) -> Result<(), Refusal> {
        let pool = self.pools.get(to);
        let names = pool.map_or_else(|| vec![to], |members| members.iter().collect());
        let mut members = names.into_iter().filter_map(|name| self.members.get(name));
        if !members.any(|member| member.delivery == Delivery::Inline) {
            return Ok(());
        }
        crate::engine::screen::doorbell::check_inline(content)
            .map_err(|why| Refusal::new(Code::NotInline, why.to_string()).at("content"))
    }

    /// Whether `from` may send a message of this kind to `to` (both resolved).
    ///
    /// # Errors
    /// [`Code::NoRoute`] with the targets that are allowed.
    pub fn may_send(&self, kind: Kind, from: &AgentName, to: &AgentName) -> Result<(), Refusal> {
        let allowed = self.targets(kind, from);
        if allowed.contains(to) {
            return Ok(());
        }
        let what = if kind == Kind::Task { "task" } else { "inform" };
        let list = allowed.iter().map(AgentName::as_str).collect::<Vec<_>>().join(", ");
        let list = if list.is_empty() { "nobody".to_owned() } else { list };
        Err(Refusal::new(Code::NoRoute, format!("{from} may not {what} {to}; they may {what}: {list}"))
            .at("to"))
    }

    /// Everybody to whom `from` may send a message of this kind.
    #[must_use]
    pub fn targets(&self, kind: Kind, from: &AgentName) -> BTreeSet<AgentName> {
        let members = self.members.iter();
        let mut targets: BTreeSet<AgentName> = if from.is_user() {
            members.map(|(name, _)| name.clone()).collect()
        } else {
            members.filter(|(_, member)| member.reports_to == *from).map(|(name, _)| name.clone()).collect()
        };
        targets.extend(self.routes.get(from).into_iter().flatten().cloned());
        if kind != Kind::Task {
            targets.insert(AgentName::user());
            targets.extend(self.members.get(from).map(|member| member.reports_to.clone()));
        }
        let pools = self.pools.iter().filter(|(_, members)| members.is_subset(&targets));
        let pools: Vec<AgentName> = pools.map(|(pool, _)| pool.clone()).collect();
        targets.extend(pools);
        targets.remove(from);
        if kind == Kind::Task {
            targets.remove(&AgentName::user());
        } else if from.is_user() {
            targets.insert(AgentName::user());
        }
        targets
    }

    /// The members that are not hired for a step, with which they would go.
    pub fn lasting(&self) -> impl Iterator<Item = &AgentName> {
        self.members.keys().filter(|name| !self.for_flows.contains_key(*name))
    }

    fn unknown(&self, name: &AgentName) -> Refusal {
        let names = self.lasting().chain(self.pools.keys()).chain(self.aliases.keys());
        let list = names.map(AgentName::as_str).collect::<Vec<_>>().join(", ");
        Refusal::new(
            Code::UnknownAgent,
            format!("there is no agent or pool called {name}; the names are: {list}, user"),
        )
    }
}
