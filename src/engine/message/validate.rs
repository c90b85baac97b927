//! Whether a new message fits: its route, its content, its place among the tasks that are open, and what it waits for.

use super::refusal::{Code, Refusal};
use crate::engine::engine::Work;
use crate::engine::flow::branch::BranchName;
use crate::engine::message::admission::{New, Route};
use crate::engine::message::sender::Speaker;
use crate::engine::message::together::Together;
use crate::engine::message::wait_cycle::{Awaited, Waits};
use crate::engine::message::{Draft, Kind};
use crate::engine::words::{AgentName, MessageId, counted};
use std::collections::BTreeMap;

impl Work<'_> {
    /// Checks a new message.
    pub(in crate::engine) fn fit(
        &self,
        mut draft: Draft,
        by: Speaker,
        together: &Together,
    ) -> Result<New, Refusal> {
        let Speaker { name: from, verified, inferred, .. } = by;
        let to = self.team.addressee(&draft.to)?;
        refuse_speaker(&to)?;
        self.team.may_send(draft.kind, &from, &to)?;
        self.team.may_expect(&draft)?;
        if let Some(late) = draft.late.take() {
            return Err(*late);
        }
        if draft.deadline.is_some_and(|deadline| deadline <= self.wall) {
            return Err(Refusal::new(Code::DeadlinePast, "the deadline has passed").at("deadline"));
        }
        self.team.check_inline(&to, &draft.body.content)?;
        draft.depends_on.sort();
        draft.depends_on.dedup();
        self.check_parent(&draft, &from, together)?;
        self.check_hops(&draft, &from)?;
        self.check_circle(&draft, &from, &to, together)?;
        self.check_loop(&draft, &from, &to)?;
        let unmet = self.unmet(&draft, together)?;
        Ok(New { draft, route: Route { from, to, verified, inferred }, unmet })
    }

    fn check_parent(&self, draft: &Draft, from: &AgentName, together: &Together) -> Result<(), Refusal> {
        let Some(parent) = draft.parent.as_ref() else { return Ok(()) };
        if from.is_user() {
            return self.must_be_known(parent, draft, together);
        }
        let Some(open) = self.state.open.get(parent) else {
            return Err(Refusal::new(Code::NotOpen, format!("its parent {parent} is not open")).at("parent"));
        };
        if open.message.kind != Kind::Task {
            let why = format!("{parent} is of type {}, which has no parts", open.message.kind.word());
            return Err(Refusal::new(Code::NotYours, why).at("parent"));
        }
        if !self.works_on(from, parent) {
            let why = format!("{parent} is not {from}'s task, so its answer would go to somebody else");
            return Err(Refusal::new(Code::NotYours, why).at("parent"));
        }
        if draft.kind != Kind::Task {
            return Ok(());
        }
        let parts = self.state.open_parts(parent) + together.parts.get(parent).map_or(0, Vec::len);
        if parts >= usize::try_from(self.team.limits.children_max).unwrap_or(usize::MAX) {
            let why = format!("{parent} already has {parts} open parts");
            return Err(Refusal::new(Code::TooMany, why).at("parent"));
        }
        Ok(())
    }

    /// What a person writes as `parent` only says what belongs together, and has to be something.
    fn must_be_known(&self, parent: &MessageId, draft: &Draft, together: &Together) -> Result<(), Refusal> {
        if self.is_known(parent, draft) || together.all.contains_key(parent) {
            return Ok(());
        }
        Err(Refusal::new(Code::UnknownDependency, format!("there is no message {parent}")).at("parent"))
    }

    /// Whether there is a message that a draft names, or was one.
    pub(in crate::engine) fn is_known(&self, id: &MessageId, draft: &Draft) -> bool {
        let archived = draft.known_refs.iter().any(|(known, _)| known == id);
        archived || self.state.open.contains_key(id) || self.outcome(id).is_some()
    }

    /// Refuses what goes round: a person's message begins anew.
    fn check_hops(&self, draft: &Draft, from: &AgentName) -> Result<(), Refusal> {
        let hops = self.hops(draft.parent.as_ref(), from);
        if from.is_user() || hops <= self.team.limits.hops_max {
            return Ok(());
        }
        let hands = counted(usize::from(hops.saturating_sub(1)), "hand");
        let why = format!("it has already gone through {hands}");
        Err(Refusal::new(Code::TooManyHops, why))
    }

    /// Refuses a part that could never begin, because whoever or whatever it needs waits for its parent.
    fn check_circle(
        &self,
        draft: &Draft,
        from: &AgentName,
        to: &AgentName,
        together: &Together,
    ) -> Result<(), Refusal> {
        let parent = draft.parent.as_ref().filter(|_| !from.is_user() && draft.kind == Kind::Task);
        let Some(parent) = parent.and_then(|id| self.state.open.get(id)) else { return Ok(()) };
        let whole = &parent.message.id;
        let waits = Waits { state: self.state, team: self.team, together };
        if waits.is_after(Awaited::Free(to), parent) {
            let why = format!("{to} waits for this task's parent; it could never begin");
            return Err(Refusal::new(Code::WaitCycle, why).at("to"));
        }
        if let Some(id) = draft.depends_on.iter().find(|id| waits.is_after(Awaited::End(id), parent)) {
            let why = format!("{id} can only end after {whole}, of which this is a part");
            return Err(Refusal::new(Code::Cycle, why).at("depends_on"));
        }
        Ok(())
    }

    /// The dependencies that are still open or come with it; an unknown one is an error.
    fn unmet(&self, draft: &Draft, together: &Together) -> Result<Vec<MessageId>, Refusal> {
        let mut unmet = Vec::new();
        for id in &draft.depends_on {
            let archived = draft.known_refs.iter().any(|(known, _)| known == id);
            if self.state.open.contains_key(id) {
                unmet.push(id.clone());
            } else if self.outcome(id).is_some() || archived {
                // It has ended; whether well is looked at when this one is taken.
            } else if together.all.contains_key(id) {
                unmet.push(id.clone());
            } else {
                let why = format!("there is no message {id}");
                return Err(Refusal::new(Code::UnknownDependency, why).at("depends_on"));
            }
        }
        Ok(unmet)
    }
}

impl Draft {
    /// Refuses documents that wait for one another in a circle, or are parts of themselves, as far as they name each other.
    ///
    /// # Errors
    /// [`Code::Cycle`].
    pub fn no_circle(drafts: &[Self]) -> Result<(), Refusal> {
        no_cycle(drafts)?;
        no_own_parent(drafts)
    }
}

/// Refuses documents that wait for one another in a circle (Kahn's algorithm).
fn no_cycle(drafts: &[Draft]) -> Result<(), Refusal> {
    let all: BTreeMap<&MessageId, &[MessageId]> =
        drafts.iter().map(|draft| (&draft.id, &*draft.depends_on)).collect();
    let waits = |depends_on: &[MessageId]| depends_on.iter().filter(|other| all.contains_key(other)).count();
    let mut left: BTreeMap<&MessageId, usize> =
        all.iter().map(|(id, depends_on)| (*id, waits(depends_on))).collect();
    while let Some(id) = left.iter().find(|(_, waits)| **waits == 0).map(|(id, _)| *id) {
        left.remove(id);
        for (other, depends_on) in &all {
            let times = depends_on.iter().filter(|dependency| *dependency == id).count();
            if let Some(waits) = left.get_mut(other) {
                *waits = waits.saturating_sub(times);
            }
        }
    }
    match left.keys().next() {
        None => Ok(()),
        Some(id) => {
            Err(Refusal::new(Code::Cycle, format!("{id} waits for itself through `depends_on`"))
                .at("depends_on"))
        }
    }
}

/// Nobody can talk to a role of a debate: it is hired for one answer.
fn refuse_speaker(to: &AgentName) -> Result<(), Refusal> {
    let branch = BranchName::new(to.as_str());
    let Some((debate, _, role)) = branch.as_ref().ok().and_then(BranchName::speech) else { return Ok(()) };
    let why = format!(
        "{to} speaks for the role {role} in a debate, and nobody else can give it anything; `tasuki debate show {debate}` has what it said"
    );
    Err(Refusal::new(Code::NoRoute, why).at("to"))
}

/// Refuses a document that is a part of itself, be it by way of others of its file.
fn no_own_parent(drafts: &[Draft]) -> Result<(), Refusal> {
    let parents: BTreeMap<&MessageId, &MessageId> =
        drafts.iter().filter_map(|draft| Some((&draft.id, draft.parent.as_ref()?))).collect();
    for (document, draft) in drafts.iter().enumerate() {
        let above = std::iter::successors(parents.get(&draft.id), |id| parents.get(*id));
        // Whoever is below a circle, and not in it, comes to its end here.
        if above.take(drafts.len()).any(|id| **id == draft.id) {
            let why = format!("{} is a part of itself through `parent`", draft.id);
            return Err(Refusal { document, ..Refusal::new(Code::Cycle, why).at("parent") });
        }
    }
    Ok(())
}
