//! Sessions that wait for a person: for a yes to their plan, or because a task of them failed, or the merge of their branches.

use super::found::nothing;
use crate::engine::flow::asked::CANCELLED_BY;
use crate::engine::flow::branch::BranchName;
use crate::engine::flow::flow::{Flow, FlowStep, StepSpec};
use crate::engine::flow::id::{FlowId, StepRef};
use crate::engine::flow::merge::MergeStage;
use crate::engine::flow::name::StepName;
use crate::engine::flow::stage::FlowStage;
use crate::engine::flow::step::StepStage;
use crate::engine::flow::tree::{Tree, TreeStage};
use crate::engine::message::{BodyRef, Kind, Outcome};
use crate::engine::state::Finished;
use crate::engine::team::roster::Like;
use crate::engine::words::{Millis, counted};
use crate::read::debates::is_gone;
use crate::read::dismissed::FAILED_MS;
use crate::read::failed::Failed;
use crate::read::model::Model;
use crate::read::titles::title_of;
use crate::wire::api::{CureInfo, NeedGroup, NeedInfo, NeedKindInfo};
use crate::wire::debate::shown::notes;
use crate::wire::message::checked::expected;
use crate::wire::session::work::word;
use crate::wire::time::rfc3339_ms;
use serde_json::json;
use std::path::Path;

/// What is told of a session that waits, read before its title is looked up.
struct Waiting {
    id: FlowId,
    name: Option<String>,
    request: BodyRef,
    since: Millis,
    detail: Option<String>,
    is_asked: bool,
    has_tasks: bool,
    /// The first tasks of a plan that waits for a yes, with what is told to their agents.
    tasks: Vec<(String, BodyRef)>,
}

/// The same of a merge that failed.
struct Unmerged {
    id: FlowId,
    name: Option<String>,
    request: BodyRef,
    since: Millis,
    /// The branch onto which all were to come.
    into: String,
    detail: Option<String>,
}

/// Worktrees of a debate of which it is told how each is unlocked.
const UNLOCKED_MAX: usize = 3;
/// Tasks of a plan that are listed where it waits for a yes; `tasuki session show` has all.
const TASKS_SHOWN: usize = 12;

impl Model {
    /// Sessions whose plan waits for a yes, and those that failed or whose merge failed within a day.
    pub(super) fn waiting_sessions(&mut self) -> Vec<NeedInfo> {
        let since = Millis(self.now().0.saturating_sub(FAILED_MS));
        let flows = self.state().flows.values();
        let waiting: Vec<Waiting> = flows.filter_map(|flow| waiting(flow, since)).collect();
        let flows = self.state().flows.values();
        let merges: Vec<Unmerged> = flows.filter_map(|flow| unmerged(flow, since)).collect();
        let mut needs: Vec<NeedInfo> =
            waiting.into_iter().map(|waiting| self.need_of_session(waiting)).collect();
        needs.extend(merges.into_iter().map(|merge| self.need_of_merge(merge)));
        needs.extend(
            self.state().flows.values().filter_map(|flow| left_over(flow, since, self.workspace.root())),
        );
        needs.retain(|need| !self.dismissed.has(&need.id, &need.since));
        needs
    }

    /// What a task of a session is called; its text is for its agent. None of what is none, or of a session that is forgotten.
    pub(super) fn title_of_task(&self, of: &StepRef) -> Option<String> {
        let flow = self.state().flows.get(&of.flow).filter(|flow| flow.debate().is_none())?;
        let name = of.step.as_ref()?;
        let step = flow.steps.get(flow.place(name)?)?;
        let session = flow.head.name.as_deref().unwrap_or(flow.head.id.as_str());
        Some(title_of(&format!("{name} {} (session {session})", step.spec.title)))
    }

    fn need_of_session(&mut self, waiting: Waiting) -> NeedInfo {
        let Waiting { id, name, request, since, detail, is_asked, has_tasks, tasks } = waiting;
        let texts = self.texts(tasks.iter().map(|(_, place)| *place));
        let lines = tasks.into_iter().map(|(line, place)| {
            let text = texts.get(&place).map(|text| title_of(text)).unwrap_or_default();
            format!("\n{line}: {text}")
        });
        let detail = detail.map(|detail| detail + &lines.collect::<String>());
        let called = self.called(&id, name, request);
        let is_debate = self.state().flows.get(&id).is_some_and(|flow| flow.debate().is_some());
        let title = match is_asked {
            true => format!("{called} waits for your yes"),
            false if is_debate => format!("debate {id} failed: {called}"),
            false => format!("{called} failed"),
        };
        let again = match (is_asked, has_tasks) {
            (true, _) => "Begin",
            (false, true) => "Try again what failed",
            (false, false) => "Ask for a plan again",
        };
        // Roles that have spoken are not asked again: a debate is begun anew, or looked at.
        let cures = match is_debate {
            true => vec![CureInfo::of("See the debate", format!("tasuki debate show {id}"))],
            false => vec![resume(&id, again), see(&id)],
        };
        NeedInfo {
            id: format!("session.{id}"),
            kind: NeedKindInfo::Session,
            group: if is_asked { NeedGroup::Stops } else { NeedGroup::Decide },
            title,
            detail,
            since: rfc3339_ms(since),
            cures,
            ..nothing()
        }
    }

    fn need_of_merge(&mut self, merge: Unmerged) -> NeedInfo {
        let Unmerged { id, name, request, since, into, detail } = merge;
        let called = self.called(&id, name, request);
        let again = CureInfo {
            label: "Merge again".to_owned(),
            command: format!("tasuki session merge {id} --into {}", word(&into)),
            path: Some(format!("/api/sessions/{id}/merge")),
            body: Some(json!({"into": into})),
            asks_first: false,
        };
        NeedInfo {
            id: format!("merge.{id}"),
            kind: NeedKindInfo::Session,
            group: NeedGroup::Decide,
            title: format!("the branches of {called} are not merged"),
            detail: Some(format!("into {into}: {}", detail.as_deref().unwrap_or("it failed"))),
            since: rfc3339_ms(since),
            cures: vec![again, see(&id)],
            ..nothing()
        }
    }

    /// What a session is called, for a person.
    fn called(&mut self, id: &FlowId, name: Option<String>, request: BodyRef) -> String {
        name.or_else(|| self.first_line(request)).unwrap_or_else(|| id.to_string())
    }

    /// Whether a message that failed is to be seen to by itself. One that was a step is not once its session has failed as a whole,
    /// which is a need of its own, or goes on without it.
    pub(super) fn is_seen_to_alone(&self, failed: &Failed) -> bool {
        let Some((step, message)) = &failed.step else { return true };
        let Some(flow) = self.state().flows.get(&step.flow).filter(|flow| flow.stage != FlowStage::Failed)
        else {
            return false;
        };
        // In a debate a role that fails stops nobody, and its column says why.
        if flow.debate().is_some() {
            return false;
        }
        let at = step.step.as_ref().and_then(|name| flow.place(name));
        let is_it = |at: usize| {
            flow.steps
                .get(at)
                .is_some_and(|step| step.stage == StepStage::Failed && step.message.as_ref() == Some(message))
        };
        at.is_some_and(is_it)
    }

    /// Whether a message has failed and is nobody's part. What became of the roles of a debate is told of that as a whole, also where its
    /// flow is known no more.
    pub(super) fn is_to_be_shown(finished: &Finished) -> bool {
        let is_speech =
            || BranchName::new(finished.message.to.as_str()).is_ok_and(|of| of.speech().is_some());
        finished.outcome == Outcome::Failed
            && finished.message.parent.is_none()
            && finished.message.kind == Kind::Task
            && !(finished.message.step.is_some() && is_speech())
    }

    /// What can be done about a failed message that was a step: its session tries it again.
    pub(super) fn cures_of_step(flow: &FlowId, step: &StepName) -> Vec<CureInfo> {
        let retry = CureInfo {
            label: "Try it again".to_owned(),
            command: format!("tasuki session retry {flow} {step}"),
            path: Some(format!("/api/sessions/{flow}/retry")),
            body: Some(json!({"task": step.as_str()})),
            asks_first: false,
        };
        vec![retry, see(flow)]
    }
}

fn waiting(flow: &Flow, failed_since: Millis) -> Option<Waiting> {
    let is_called_off = flow.note.as_deref().is_some_and(|note| note.starts_with(CANCELLED_BY));
    let detail = match flow.stage {
        _ if flow.waits_for_yes() => Some(plan_of(flow)),
        FlowStage::Failed if flow.since >= failed_since && !is_called_off => {
            flow.note.as_deref().map(str::to_owned)
        }
        _ => return None,
    };
    Some(Waiting {
        id: flow.head.id.clone(),
        name: flow.head.name.clone(),
        request: flow.request,
        since: flow.since,
        detail,
        is_asked: flow.waits_for_yes(),
        has_tasks: !flow.steps.is_empty(),
        tasks: flow.steps.iter().take(TASKS_SHOWN).filter(|_| flow.waits_for_yes()).map(task_of).collect(),
    })
}

/// Worktrees of a debate that is over which could not be removed, as long as they are there.
fn left_over(flow: &Flow, over_since: Millis, root: &Path) -> Option<NeedInfo> {
    let is_meant = flow.debate().is_some_and(|debate| !debate.keep) && flow.since >= over_since;
    let kept = flow.trees.values().filter(|tree| is_meant && tree.stage == TreeStage::Kept);
    let there: Vec<&Tree> = kept.filter(|tree| tree.path.is_some() && !is_gone(tree)).collect();
    let id = &flow.head.id;
    // Without a word it looks after the workspace's repository alone.
    let prune = flow.head.repository.as_ref().map(|of| {
        let is_ours = root.starts_with(&of.root);
        let which = if is_ours { String::new() } else { format!(" --repository {}", word(&of.root)) };
        CureInfo::of("Remove what nothing is in the way of", format!("tasuki worktree prune{which}"))
    });
    let see = CureInfo::of("See the debate", format!("tasuki debate show {id}"));
    let unlock = there.iter().take(UNLOCKED_MAX).filter_map(|tree| {
        let is_locked = tree.note.as_deref().is_some_and(|note| note.contains("it is locked"));
        let (root, path) =
            (&flow.head.repository.as_ref()?.root, tree.path.as_deref().filter(|_| is_locked)?);
        let command = format!("git -C {} worktree unlock {}", word(root), word(path));
        Some(CureInfo::of("Unlock it", command))
    });
    (!there.is_empty()).then(|| NeedInfo {
        id: format!("worktrees.{id}"),
        kind: NeedKindInfo::Session,
        group: NeedGroup::Decide,
        title: format!("{} of debate {id} could not be removed", counted(there.len(), "worktree")),
        detail: Some(notes(flow).join("; ")),
        since: rfc3339_ms(flow.since),
        cures: unlock.chain(prune).chain([see]).collect(),
        ..nothing()
    })
}

fn unmerged(flow: &Flow, failed_since: Millis) -> Option<Unmerged> {
    let merge = flow.merge.as_deref()?;
    let is_called_off = merge.note.as_deref().is_some_and(|note| note.starts_with(CANCELLED_BY));
    (merge.stage == MergeStage::Failed && merge.since >= failed_since && !is_called_off).then(|| Unmerged {
        id: flow.head.id.clone(),
        name: flow.head.name.clone(),
        request: flow.request,
        since: merge.since,
        into: merge.into.clone(),
        detail: merge.note.as_deref().map(str::to_owned),
    })
}

/// What a plan would begin, without its tasks.
fn plan_of(flow: &Flow) -> String {
    let count = flow.steps.len();
    let first = if count > TASKS_SHOWN {
        format!(", of which these are the first {TASKS_SHOWN}")
    } else {
        String::new()
    };
    let asks_for_pulls = flow.planning.as_ref().is_some_and(|planning| planning.asks_for_pulls);
    let pulls = match (flow.head.pull_requests, asks_for_pulls) {
        (true, _) => ". A pull request is opened for each that is completed in a worktree",
        (false, true) => {
            ". The plan asks for pull requests, and none is opened: only `tasuki session new --pr` orders them"
        }
        (false, false) => "",
    };
    format!("it has {}{first}, and nothing is begun{pulls}", counted(count, "task"))
}

/// A task of a plan in one line: who does it, after what, and what is checked.
fn task_of(step: &FlowStep) -> (String, BodyRef) {
    let StepSpec { name, title, needs, to, hire, expect, .. } = &step.spec;
    let like = hire.as_deref().and_then(|hire| hire.like.as_ref());
    let mut facts = vec![match (hire, like) {
        (None, _) => to.to_string(),
        (Some(_), None) => format!("{to}, hired for it"),
        (Some(_), Some(Like::Member(member))) => format!("{to}, hired for it like {member}"),
        (Some(_), Some(Like::Profile(program))) => format!("{to}, hired for it as {program}"),
    }];
    if !needs.is_empty() {
        facts.push(format!("needs {}", needs.iter().map(StepName::as_str).collect::<Vec<_>>().join(", ")));
    }
    facts.push(
        expect.as_deref().map_or("expects nothing".to_owned(), |expect| {
            format!("expects {}", expected(expect).join(", "))
        }),
    );
    (format!("{name} {title} ({})", facts.join(", ")), step.text)
}

fn resume(id: &FlowId, label: &str) -> CureInfo {
    CureInfo {
        label: label.to_owned(),
        command: format!("tasuki session resume {id}"),
        path: Some(format!("/api/sessions/{id}/resume")),
        body: None,
        asks_first: false,
    }
}

fn see(id: &FlowId) -> CureInfo {
    CureInfo::of("See its tasks", format!("tasuki session show {id}"))
}
