//! What a step needs before it becomes a message: its worktree, and its agent where that is made for it.

use super::branch::BranchName;
use super::cause::FailureCause;
use super::flow::{Flow, StepSpec};
use super::id::FlowId;
use super::name::StepName;
use super::stage::FlowStage;
use super::step::{StepMove, StepStage};
use super::tree::{StepTree, TreeMove, TreeStage};
use super::worker::StepHire;
use crate::engine::engine::{Work, agent_event};
use crate::engine::event::{AgentChange, Event};
use crate::engine::input::Effect;
use crate::engine::job::{Found, Job, JobId, TreeStart};
use crate::engine::life::queue::Queue;
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::team::lifecycle::PutBack;
use crate::engine::team::power::Power;
use crate::engine::team::roster::{Hire, Host, Like, Recipe, default_phrase};
use crate::engine::words::{AgentName, Nonce};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Whether a step can become a message.
pub(in crate::engine) enum Prepared {
    /// It can, and is done in this folder if one is given.
    Yes(Option<Arc<str>>),
    /// Something is being made, and what comes of that has it go on.
    Waits,
    /// It cannot: why, and what it met if that is known.
    No(String, Option<FailureCause>),
}

impl Work<'_> {
    /// Sees to it that what a step needs is there.
    pub(in crate::engine) fn prepare(&mut self, id: &FlowId, spec: &StepSpec) -> Prepared {
        let folder = match self.prepare_tree(id, spec) {
            Prepared::Yes(folder) => folder,
            other => return other,
        };
        match spec.hire.as_deref() {
            Some(hire) => match self.hire_for(id, spec, hire, folder.clone()) {
                Ok(()) => Prepared::Yes(folder),
                Err(refusal) => {
                    let why = format!("nobody could be hired for it: {}; {}", refusal.why, refusal.cure());
                    Prepared::No(why, None)
                }
            },
            None => Prepared::Yes(folder),
        }
    }

    fn prepare_tree(&mut self, id: &FlowId, spec: &StepSpec) -> Prepared {
        let owner = match &spec.tree {
            None => return Prepared::Yes(None),
            Some(StepTree::New) => &spec.name,
            Some(StepTree::SharedWith(owner)) => owner,
        };
        let cause = Some(FailureCause::Worktree);
        let Some(flow) = self.state.flows.get(id) else { return Prepared::Waits };
        let tree = flow.trees.get(owner);
        let found = flow.place(owner).and_then(|at| flow.steps.get(at));
        let elsewhere = found.and_then(|step| step.in_tree.elsewhere.as_ref());
        match tree.map(|tree| (tree.stage, tree.path.clone())) {
            Some((_, path)) if tree.is_some_and(|tree| tree.is_ready_for(&spec.name)) => Prepared::Yes(path),
            // Somebody may have removed it since the last one worked in it.
            Some((TreeStage::Making | TreeStage::There, _)) => {
                self.ask_tree(id, owner);
                Prepared::Waits
            }
            None | Some((TreeStage::Failed, _)) if *owner == spec.name || elsewhere.is_some() => {
                let branch = tree
                    .map_or_else(|| branch_of((id, owner), spec, elsewhere), |tree| Ok(tree.branch.clone()));
                let Ok(branch) = branch else {
                    return Prepared::No(format!("{owner} has no name for a branch"), cause);
                };
                let (flow, tree, to) = (id.clone(), owner.clone(), TreeMove::Make);
                let (branch, path, base) = (Some(branch), None, None);
                let (step, head, why) = (None, None, None);
                self.emit(Event::TreeMoved { flow, tree, to, branch, path, base, step, head, why });
                self.ask_tree(id, owner);
                Prepared::Waits
            }
            Some((TreeStage::Removing | TreeStage::Gone | TreeStage::Kept, _)) => {
                Prepared::No(format!("the worktree of {owner} was removed at the end"), cause)
            }
            None | Some((TreeStage::Failed, _)) => Prepared::No(
                format!(
                    "the worktree of {owner} was never made: retry {owner}, or add the task anew with a worktree of its own"
                ),
                cause,
            ),
        }
    }

    /// Has a worktree made. What it begins with are the branches of what its step needs, else the base of the flow.
    fn ask_tree(&mut self, id: &FlowId, owner: &StepName) {
        let Some(flow) = self.state.flows.get(id) else { return };
        let (Some(repository), Some(tree)) = (&flow.head.repository, flow.trees.get(owner)) else { return };
        let Some(at) = flow.place(owner) else { return };
        // What was done elsewhere goes on from there.
        let elsewhere = flow.steps.get(at).and_then(|step| step.in_tree.elsewhere.as_ref());
        let mut from: Vec<TreeStart> = elsewhere.map(|of| of.to_string().into()).into_iter().collect();
        // What roles say to each other stands in their answers: each looks at the repository as it was.
        let speaks = flow.debate().is_some();
        from.extend(flow.branches_needed(at, |_| !speaks));
        if from.is_empty() {
            from.push(repository.base.clone().into());
        }
        // Who is to merge all branches of the flow is told so, and gets these with them.
        let merges = flow.merge.as_deref().is_some_and(|merge| merge.waits_for(owner));
        let needs = flow.branches_needed(at, |stage| stage == StepStage::Completed && !merges && !speaks);
        let needs = needs.into_iter().map(|need| need.name).collect();
        let (repository, branch) = (repository.root.clone(), tree.branch.clone());
        let job = JobId::Tree { flow: id.clone(), tree: owner.clone() };
        let owner = owner_of(id, owner);
        self.ask_job(job, Job::MakeTree { repository, branch, owner, from, needs });
    }

    /// A worktree is made, or cannot be.
    pub(in crate::engine) fn tree_done(&mut self, id: &FlowId, owner: &StepName, found: Found) {
        let Some(flow) = self.state.flows.get(id) else { return };
        let Some(stage) = flow.trees.get(owner).map(|tree| tree.stage) else { return };
        // One worktree has one running step.
        let mut waits = flow.preparing().filter(|at| flow.tree_of(*at) == Some(owner));
        let step = waits.next().and_then(|at| flow.steps.get(at)).map(|step| step.spec.name.clone());
        drop(waits);
        let (flow, tree, branch) = (id.clone(), owner.clone(), None);
        match found {
            Found::Tree { path, base, head, note } if stage == TreeStage::Making || step.is_some() => {
                let (to, path, base, head) = (TreeMove::Made, Some(path), Some(base), Some(head));
                let why = note;
                self.emit(Event::TreeMoved { flow, tree, to, branch, path, base, step, head, why });
            }
            Found::NotDone(why) => {
                if stage == TreeStage::Making {
                    let (to, path, base, step, head) = (TreeMove::Fail, None, None, None, None);
                    let why = Some(why.clone());
                    self.emit(Event::TreeMoved { flow, tree, to, branch, path, base, step, head, why });
                }
                let doing = match stage {
                    TreeStage::There => "it cannot begin in its worktree",
                    _ => "its worktree could not be made",
                };
                self.fail_preparing(id, owner, &format!("{doing}: {why}"));
            }
            _ => return,
        }
        self.touch_flow(id);
    }

    /// What a step is told of the worktree in which it begins.
    pub(in crate::engine) fn note_of_tree(&self, id: &FlowId, step: &StepName) -> Option<String> {
        let flow = self.state.flows.get(id)?;
        let tree = flow.trees.get(flow.tree_of(flow.place(step)?)?)?;
        tree.note.as_deref().map(str::to_owned)
    }

    /// The steps that wait for a worktree cannot be done.
    fn fail_preparing(&mut self, id: &FlowId, owner: &StepName, why: &str) {
        let Some(flow) = self.state.flows.get(id) else { return };
        let waits: Vec<usize> = flow.preparing().filter(|at| flow.tree_of(*at) == Some(owner)).collect();
        for at in waits {
            self.fail_step(id, at, (why.to_owned(), Some(FailureCause::Worktree)));
        }
    }

    /// A step that was never given to its agent has failed.
    pub(in crate::engine) fn fail_step(
        &mut self,
        id: &FlowId,
        at: usize,
        (why, cause): (String, Option<FailureCause>),
    ) {
        let Some(step) = self.state.flows.get(id).and_then(|flow| flow.steps.get(at)) else { return };
        let (flow, step, to, why) = (id.clone(), step.spec.name.clone(), StepMove::Fail, Some(why));
        let (message, answer, worker, spent) = (None, None, None, None);
        self.emit(Event::StepMoved { flow, step, to, message, answer, worker, why, spent, cause });
    }

    /// Whether somebody can be hired for a step, and as whom.
    pub(in crate::engine) fn check_hire(
        &self,
        (id, owner, master): (&FlowId, &AgentName, &AgentName),
        spec: &mut StepSpec,
    ) -> Result<(), Refusal> {
        // Who speaks in a debate has its name already.
        let name = if speech_of(spec).is_some() { spec.to.clone() } else { agent_of(id, &spec.name)? };
        let Some(hire) = spec.hire.as_deref_mut() else { return Ok(()) };
        if !owner.is_user() {
            self.team.may_command(Some(owner), Power::Agent, None)?;
        }
        let like = hire.like.get_or_insert_with(|| self.kind_of(master));
        self.refuse_commandless(like)?;
        let wanted = self.wanted((id, &name, master), (like.clone(), hire), None);
        self.team.hire(self.file, &BTreeMap::new(), owner, &wanted)?;
        spec.to = name;
        Ok(())
    }

    /// Of a profile without a command nobody knows what is to be started.
    fn refuse_commandless(&self, like: &Like) -> Result<(), Refusal> {
        match like {
            Like::Profile(profile) if self.file.commandless.contains(profile) => {
                let why = format!("nobody can be made from the profile {profile} alone: it says no command");
                Err(Refusal::new(Code::UnknownWord, why).at("hire"))
            }
            _ => Ok(()),
        }
    }

    /// What agents are made from that work for this one: its profile, or it itself where its command says what it does.
    fn kind_of(&self, master: &AgentName) -> Like {
        let hired = self.state.hired.get(master).map(|hired| hired.recipe.like.clone());
        let profile = self.team.members.get(master).map(|member| member.provider.clone());
        let is_agent = |profile: &String| {
            let is_alone = self.file.any_program.contains(profile) || self.file.commandless.contains(profile);
            self.file.templates.contains_key(profile) && !is_alone
        };
        let made = profile.filter(is_agent).map(Like::Profile);
        made.or(hired).unwrap_or_else(|| Like::Member(master.clone()))
    }

    /// One who is like another one says the same when it is done: a script may have that written in it.
    fn wanted(
        &self,
        (id, name, master): (&FlowId, &AgentName, &AgentName),
        (like, hire): (Like, &StepHire),
        folder: Option<Arc<str>>,
    ) -> Hire {
        let phrase = match &like {
            Like::Member(model) => self.team.members.get(model).map(|model| model.phrase.clone()),
            Like::Profile(_) => None,
        };
        let phrase = phrase.unwrap_or_else(|| default_phrase(name));
        let cwd = folder.map(|folder| folder.to_string());
        let env = hire.env.iter().map(|(name, value)| (name.clone(), Some(value.clone()))).collect();
        let recipe = Recipe { like, cwd, model: hire.model.clone(), env, host: Host::Local };
        Hire {
            name: name.clone(),
            reports_to: Some(master.clone()),
            phrase,
            recipe,
            flow: Some(id.to_string()),
            notes: Vec::new(),
        }
    }

    /// Hires the agent of a step, unless it is there.
    fn hire_for(
        &mut self,
        id: &FlowId,
        spec: &StepSpec,
        hire: &StepHire,
        folder: Option<Arc<str>>,
    ) -> Result<(), Refusal> {
        match self.state.hired.get(&spec.to).map(|hired| hired.flow.as_deref()) {
            Some(Some(flow)) if flow == id.as_str() => return Ok(()),
            Some(_) => {
                let why = format!("{} is an agent of another session", spec.to);
                return Err(Refusal::new(Code::NameTaken, why));
            }
            None => {}
        }
        let Some(head) = self.state.flows.get(id).map(|flow| &flow.head) else { return Ok(()) };
        let (owner, master) = (head.owner.clone(), head.master.clone().unwrap_or_else(|| head.owner.clone()));
        let like = hire.like.clone().unwrap_or_else(|| self.kind_of(&master));
        self.refuse_commandless(&like)?;
        let wanted = self.wanted((id, &spec.to, &master), (like, hire), folder);
        let hired = self.team.hire(self.file, &self.state.hired, &owner, &wanted)?;
        self.emit(agent_event(&spec.to, AgentChange::Hired(Box::new(hired))));
        self.merge();
        self.launch_for(&spec.to, None);
        Ok(())
    }

    /// Whether an agent was hired for a step.
    pub(in crate::engine) fn is_for_step(&self, name: &AgentName) -> bool {
        self.state.hired.get(name).is_some_and(|hired| hired.flow.is_some())
    }

    /// Whoever is named in a plan is there for it: nobody who was hired for a step, and goes with that.
    pub(in crate::engine) fn lasts(&self, name: &AgentName, field: &'static str) -> Result<(), Refusal> {
        let Some(id) = self.team.for_flows.get(name) else { return Ok(()) };
        let flow = self.state.flows.values().find(|flow| flow.head.id.as_str() == id);
        let step = flow.and_then(|flow| flow.steps.iter().find(|step| step.spec.to == *name));
        let step = step.map_or("a task", |step| step.spec.name.as_str());
        let why = format!("{name} is hired for {step} of session {id} and goes when that ends");
        Err(Refusal::new(Code::NotYours, why).at(field))
    }

    /// Whoever was hired for a step has ended and is not started again. Nobody looks for it, so what waits for it fails: with its
    /// step, it is dismissed.
    pub(in crate::engine) fn give_up(
        &mut self,
        name: &AgentName,
        (why, nonce): (&str, Option<Nonce>),
        unstarted: bool,
    ) {
        let cause = if unstarted { FailureCause::Tmux } else { FailureCause::Crashed };
        if self.state.agents.contains_key(name) {
            let (why, restart_at, wanted, asleep) = (why.to_owned(), None, false, false);
            self.emit(agent_event(name, AgentChange::Down { why, restart_at, wanted, asleep, unstarted }));
            if let Some(nonce) = nonce {
                self.ask(Effect::Close { agent: name.clone(), nonce });
            }
        }
        let waits = self.state.queues.get(name).into_iter().flat_map(Queue::ids);
        for id in waits.cloned().collect::<Vec<_>>() {
            let why = format!("{name}, which was hired for it, is given up: {why}");
            self.fail_by(&id, &why, Some(cause));
        }
    }

    /// Dismisses whoever was hired for a step that is over.
    pub(in crate::engine) fn dismiss_of(&mut self, id: &FlowId, step: &StepName) {
        let flow = self.state.flows.get(id);
        let spec = flow.and_then(|flow| flow.steps.get(flow.place(step)?)).map(|step| &step.spec);
        let name = spec.filter(|spec| spec.hire.is_some()).map(|spec| spec.to.clone());
        let Some(name) = name.filter(|name| self.state.hired.contains_key(name)) else { return };
        self.remove(&name, ("its task is over", PutBack::Gone), None);
        self.merge();
        self.strand("was dismissed");
        self.forget_gone();
    }

    /// Has the steps go on whose preparation is not under way: after a start, or once what they waited for is there.
    pub(in crate::engine) fn go_on_preparing(&mut self, id: &FlowId) {
        let Some(flow) = self.state.flows.get(id).filter(|flow| flow.stage == FlowStage::Active) else {
            return;
        };
        let waits: Vec<usize> = flow.preparing().collect();
        for at in waits {
            self.begin_step(id, at);
        }
    }
}

impl Flow {
    /// The branches of those that a step needs and that are at such a stage, each once.
    fn branches_needed(&self, at: usize, counts: impl Fn(StepStage) -> bool) -> Vec<TreeStart> {
        let needs = self.needs(at).iter().filter_map(|need| self.steps.get(*need));
        let mut branches: Vec<TreeStart> = Vec::new();
        for need in needs.filter(|need| counts(need.stage)) {
            let of = match &need.spec.tree {
                Some(StepTree::SharedWith(owner)) => owner,
                _ => &need.spec.name,
            };
            let branch = self.place(of).and_then(|at| self.branch_of(at)).map(ToString::to_string);
            let is_new = |name: &String| branches.iter().all(|there| there.name != *name);
            let start = |name| TreeStart { name, ended_at: self.ended_at(of).cloned() };
            let branch = branch.filter(is_new).map(start);
            branches.extend(branch);
        }
        branches
    }

    /// The branch of a step with a worktree of its own: that of the worktree, or else the one on which it was done elsewhere.
    pub(super) fn branch_of(&self, at: usize) -> Option<&BranchName> {
        let step = self.steps.get(at)?;
        let tree = self.trees.get(&step.spec.name).filter(|tree| tree.stage == TreeStage::There);
        tree.map(|tree| &tree.branch).or(step.in_tree.elsewhere.as_ref())
    }
}

/// Whose a step's worktree is, by which it is known again.
pub(super) fn owner_of(id: &FlowId, step: &StepName) -> String {
    format!("{id} {step}")
}

/// The branch of a step's worktree. In a debate it is called as the agent is that is hired for it. That on which it was done elsewhere
/// stays as it is, were it called so.
fn branch_of(
    (id, step): (&FlowId, &StepName),
    spec: &StepSpec,
    elsewhere: Option<&BranchName>,
) -> Result<BranchName, super::branch::BadBranch> {
    if let Some(branch) = speech_of(spec).filter(|_| *step == spec.name) {
        return Ok(branch);
    }
    let branch = BranchName::new(&format!("agent/{step}-{}", short(id)))?;
    if elsewhere == Some(&branch) { BranchName::new(&format!("{branch}-2")) } else { Ok(branch) }
}

/// The branch of a step that is a speech of a debate: that is called as whoever is hired for it.
fn speech_of(spec: &StepSpec) -> Option<BranchName> {
    let branch = BranchName::new(spec.to.as_str()).ok().filter(|_| spec.hire.is_some())?;
    branch.speech().is_some().then_some(branch)
}

/// The name of the agent that is hired for a step.
fn agent_of(id: &FlowId, step: &StepName) -> Result<AgentName, Refusal> {
    let name = format!("{step}-{}", short(id));
    AgentName::new(&name).map_err(|error| Refusal::new(Code::BadName, format!("`{name}` {error}")))
}

/// What tells the names of a flow from those of another one. UUIDs that are made of the time differ only at their end.
pub(super) fn short(id: &FlowId) -> &str {
    id.as_str().get(28..).unwrap_or_default()
}
