//! A debate of this workspace as its documents: what follows from its flow, and from the texts of those who have spoken.

use super::document::{
    CANCELLED, DebateProgress, DebateResult, DebateStatus, NOT_ASKED, OutputBesides, RoundOutput,
};
use super::error::DebateError;
use crate::engine::flow::alike::alike;
use crate::engine::flow::asked::CANCELLED_BY;
use crate::engine::flow::cause::FailureCause;
use crate::engine::flow::debate::{Debate, DebateBudget, DebateRole};
use crate::engine::flow::debating::DebateStage;
use crate::engine::flow::debating::NOTHING_NEW;
use crate::engine::flow::flow::{Flow, FlowStep};
use crate::engine::flow::step::{CancelCause, StepStage};
use crate::engine::flow::tree::TreeStage;
use crate::engine::message::{Body, BodyRef};
use crate::engine::words::counted;
use crate::wire::headless::failed::{ProgramEnd, ProgramFailure};
use crate::wire::session::work::word;
use crate::wire::team_file::Language;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// Finds the text that stands at a place; none if it cannot be read any more.
pub type Bodies<'a> = &'a mut dyn FnMut(BodyRef) -> Option<Body>;

/// Why a role was not asked.
const NOBODY_BEFORE: &str = "nobody has answered in a round before";
/// What git is told about a worktree that is locked, without which one.
const UNLOCK: &str = "`git worktree unlock` it";
/// What is written where a text cannot be read any more.
const UNREADABLE: &str = "(tasuki cannot read this text any more)";
const UNREADABLE_JA: &str = "（この文章はもう読めません）";

/// What a program has used for an answer, as its agent says with that.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Said {
    usage: Usage,
    missing: Vec<String>,
    failure: Option<ProgramFailure>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Usage {
    tokens: Option<u64>,
    cost_usd: Option<f64>,
}

/// How far a debate is.
#[must_use]
pub fn status(flow: &Flow) -> DebateStatus {
    match flow.debate_stage() {
        None | Some(DebateStage::Pending) => DebateStatus::Pending,
        Some(DebateStage::Round(round)) => DebateStatus::in_round(round),
        Some(DebateStage::Completed) => DebateStatus::Completed,
        Some(DebateStage::Failed(why)) => DebateStatus::Failed(why),
        Some(DebateStage::Cancelled) => DebateStatus::Cancelled,
    }
}

/// What came of a speech; none if it has not ended.
#[must_use]
pub fn output(step: &FlowStep, of: (u8, &DebateRole, &Debate), bodies: Bodies<'_>) -> Option<RoundOutput> {
    output_in(Language::English, step, of, bodies)
}

/// The same, with tasuki's own words for what failed in that language.
#[must_use]
pub fn output_in(
    language: Language,
    step: &FlowStep,
    (round, role, debate): (u8, &DebateRole, &Debate),
    bodies: Bodies<'_>,
) -> Option<RoundOutput> {
    let say = |english, japanese| either(language, english, japanese);
    let at = step.ended.filter(|_| step.stage.has_ended())?;
    let body = step.answer.as_ref().map(|answer| bodies(answer.body));
    let said = body.as_ref().and_then(|body| serde_json::from_str::<Said>(&body.as_ref()?.extra).ok());
    let Said { usage, missing, failure } = said.unwrap_or_default();
    let text = body.map(|body| {
        body.map_or_else(|| say(UNREADABLE, UNREADABLE_JA).to_owned(), |body| body.content.to_string())
    });
    let (mut code, mut cure) = (None, None);
    let answer = match step.stage {
        StepStage::Completed => Ok(text.unwrap_or_default()),
        StepStage::Failed if step.cause == Some(FailureCause::CalledOff) => {
            code = Some(CANCELLED.to_owned());
            Err(called_off(language, step.note.as_deref().unwrap_or("it was cancelled")))
        }
        StepStage::Failed => {
            let seconds = debate.timeout_ms / 1_000;
            let error = error_of(step, (text.as_deref(), failure), (round, role.id.as_str(), seconds));
            (code, cure) = (Some(error.code().to_owned()), Some(error.cure().to_owned()));
            Err(error.said_in(language))
        }
        stage => {
            let was_asked = step.typed.is_some();
            code = Some(if was_asked { CANCELLED } else { NOT_ASKED }.to_owned());
            Err(match (stage, step.note.as_deref()) {
                (StepStage::Cancelled(CancelCause::NeedFailed), Some(NOTHING_NEW)) => say(
                    NOTHING_NEW,
                    "新しい意見がなかったため：場所を挙げた異議も新しい提案もありませんでした",
                )
                .to_owned(),
                (StepStage::Cancelled(CancelCause::NeedFailed), _) => {
                    say(NOBODY_BEFORE, "前のラウンドに誰も答えなかったため").to_owned()
                }
                (_, Some(note)) => called_off(language, note),
                (_, None) => say("it was not asked", "尋ねられませんでした").to_owned(),
            })
        }
    };
    let began = step.typed.or(step.began).unwrap_or(at);
    let mut output =
        RoundOutput::new(role.id.as_str(), answer, at, at.since(began), usage.tokens.unwrap_or_default());
    output.tasuki = OutputBesides {
        provider: Some(role.provider.clone()),
        model: role.model.clone(),
        cost_usd: usage.cost_usd,
        tries: Some(step.tries.max(step.asked)).filter(|asked| *asked > 1).map(u32::from),
        missing,
        code,
        cure,
        ..OutputBesides::default()
    };
    Some(output)
}

fn either(language: Language, english: &'static str, japanese: &'static str) -> &'static str {
    match language {
        Language::English => english,
        Language::Japanese => japanese,
    }
}

/// Who has called it off; any other note stays as it is.
fn called_off(language: Language, note: &str) -> String {
    match (language, note.strip_prefix(CANCELLED_BY)) {
        (Language::Japanese, Some(who)) => format!("{who} が取り消しました"),
        _ => note.to_owned(),
    }
}

/// The error that a speech met which has failed: what its agent reports of its program, or else what tasuki itself has met.
fn error_of(
    step: &FlowStep,
    (text, failure): (Option<&str>, Option<ProgramFailure>),
    (round, role, seconds): (u8, &str, u64),
) -> DebateError {
    let note = step.note.as_deref().unwrap_or("nobody knows why").to_owned();
    let role = role.to_owned();
    // An answer that nobody gave is tasuki's own, and says what the note says.
    let answered = step.worker.as_ref().is_some_and(|worker| worker.source.is_some());
    if answered {
        return match failure.map(|failure| failure.cause) {
            Some(ProgramEnd::TimedOut) => DebateError::RoundExecutionTimeout { round, role, seconds },
            Some(ProgramEnd::Crashed | ProgramEnd::BrokenOff | ProgramEnd::NotStarted) | None => {
                DebateError::crashed(round, &role, text.unwrap_or(&note))
            }
        };
    }
    match step.cause {
        Some(FailureCause::Worktree) => DebateError::WorktreeCreationFailed { role, reason: note },
        Some(FailureCause::Tmux) => {
            DebateError::TmuxSessionFailed { session: step.spec.to.to_string(), reason: note }
        }
        Some(FailureCause::TimedOut) => DebateError::RoundExecutionTimeout { round, role, seconds },
        Some(FailureCause::Crashed) => DebateError::crashed(round, &role, &note),
        Some(FailureCause::Budget) => DebateError::BudgetUsedUp { role, reason: note },
        Some(FailureCause::CalledOff) | None => DebateError::Unexpected { reason: note },
    }
}

/// How far a debate is, without what was said in its rounds: see [`output`].
#[must_use]
pub fn progress(flow: &Flow, bodies: Bodies<'_>) -> DebateProgress {
    DebateProgress {
        debate_id: flow.head.id.to_string(),
        current_round: flow.debate_round().unwrap_or_default(),
        current_role: began_last(flow).map(|role| role.id.to_string()).unwrap_or_default(),
        status: status(flow),
        outputs: Vec::new(),
        tasuki: Some(with_baseline(besides(flow), baseline(flow, bodies))),
    }
}

/// A debate in short, whose folder of contexts that is.
#[must_use]
pub fn result(flow: &Flow, context_path: &str, task: Option<&str>) -> DebateResult {
    let there = flow
        .trees
        .values()
        .filter(|tree| matches!(tree.stage, TreeStage::There | TreeStage::Removing | TreeStage::Kept));
    DebateResult {
        debate_id: flow.head.id.to_string(),
        status: status(flow),
        message: message(flow),
        worktree_paths: there.filter_map(|tree| Some(tree.path.as_deref()?.to_owned())).collect(),
        context_path: context_path.to_owned(),
        tasuki: Some(with_task(besides(flow), task)),
    }
}

/// The role that began last.
fn began_last(flow: &Flow) -> Option<&DebateRole> {
    let debate = flow.debate()?;
    let begun = flow.steps.iter().filter(|step| step.began.is_some());
    // Of several at the same moment, the one that speaks later.
    let last = begun.max_by_key(|step| (step.typed.or(step.began), step.spec.name.number()))?;
    debate.speech(&last.spec.name).map(|speech| speech.role)
}

fn with_baseline(mut besides: Json, baseline: Option<RoundOutput>) -> Json {
    if let (Some(besides), Some(baseline)) = (besides.as_object_mut(), baseline) {
        besides.insert("baseline".to_owned(), json!(baseline));
    }
    besides
}

/// How far it is, in a sentence, and what stays of it that should not.
fn message(flow: &Flow) -> String {
    let Some(debate) = flow.debate() else { return String::new() };
    let completed = flow.steps.iter().filter(|step| step.stage == StepStage::Completed).count();
    // Who was called off has not failed: the report says the same.
    let has_failed =
        |step: &&FlowStep| step.stage == StepStage::Failed && step.cause != Some(FailureCause::CalledOff);
    let failed = flow.steps.iter().filter(has_failed).count();
    let failed = if failed == 0 { String::new() } else { format!(", {failed} failed") };
    let left_out = rounds_left_out(flow, debate);
    // What nobody was asked for is no answer that is missing.
    let asked = flow.steps.len() - left_out.values().sum::<usize>();
    let spoken = format!("{completed} of {}{failed}", counted(asked, "answer"));
    let mut said = match flow.debate_stage() {
        None | Some(DebateStage::Pending) => format!("nobody speaks yet; {}", debate.size()),
        Some(DebateStage::Round(_)) if !flow.stage.is_open() => {
            format!("its worktrees are being removed: {spoken}")
        }
        Some(DebateStage::Round(round)) => {
            format!("round {round} of {} is under way: {spoken}", debate.rounds)
        }
        Some(DebateStage::Completed) => format!("completed: {spoken}"),
        Some(DebateStage::Failed(why)) => why,
        Some(DebateStage::Cancelled) => {
            format!("{}: {spoken}", flow.note.as_deref().unwrap_or("cancelled"))
        }
    };
    let rounds: Vec<String> = left_out.keys().map(u8::to_string).collect();
    let why = (!rounds.is_empty()).then(|| {
        let word = if rounds.len() == 1 { "round" } else { "rounds" };
        format!("{word} {} left out, since {NOTHING_NEW}", rounds.join(", "))
    });
    let spent = flow.steps.iter().find(|step| step.cause == Some(FailureCause::Budget));
    let spent = spent.and_then(|step| step.note.as_deref()).filter(|note| !said.contains(note));
    for note in why.into_iter().chain(spent.map(str::to_owned)).chain(notes(flow)) {
        said.push_str("; ");
        said.push_str(&note);
    }
    said
}

/// The rounds in which nobody was asked, since nobody had anything new to say before them, and for how many answers in each.
fn rounds_left_out(flow: &Flow, debate: &Debate) -> BTreeMap<u8, usize> {
    let mut rounds = BTreeMap::new();
    let is_left_out = |step: &&FlowStep| {
        step.stage == StepStage::Cancelled(CancelCause::NeedFailed)
            && step.note.as_deref() == Some(NOTHING_NEW)
    };
    for step in flow.steps.iter().filter(is_left_out) {
        if let Some(speech) = debate.speech(&step.spec.name) {
            *rounds.entry(speech.round).or_default() += 1;
        }
    }
    rounds
}

/// What else is to be said of it: worktrees that stay, though none was to.
#[must_use]
pub fn notes(flow: &Flow) -> Vec<String> {
    kept(flow).iter().map(ToString::to_string).collect()
}

/// The same as errors.
pub(super) fn kept(flow: &Flow) -> Vec<DebateError> {
    let kept = flow.trees.values().filter(|tree| tree.stage == TreeStage::Kept);
    let told = alike(kept.map(|tree| {
        let name = tree.branch.speech().map(|(_, round, role)| format!("r{round}-{role}"));
        let (branch, why) = (tree.branch.as_str(), tree.note.as_deref().unwrap_or_default());
        let why = why.strip_prefix(&format!("{branch} is not removed: ")).unwrap_or(why);
        // Its name is before the reason, and the id of the debate is known to whoever asks.
        let why = tree.path.as_deref().map_or_else(
            || why.to_owned(),
            |path| {
                // What is to be done names it, so that it can be done.
                let root = flow.head.repository.as_ref().map(|of| format!("-C {} ", word(&of.root)));
                let unlock = format!("`git {}worktree unlock {}`", root.unwrap_or_default(), word(path));
                why.replace(path, "it").replace(UNLOCK, &unlock)
            },
        );
        (name.unwrap_or_else(|| branch.to_owned()), why.replace(branch, "it"))
    }));
    let told = told.into_iter().map(|(names, why)| {
        let reason = format!("{}: {why}", names.join(", "));
        DebateError::WorktreeRemovalFailed { reason }
    });
    told.collect()
}

/// What came of whoever was asked alone; none if nobody was, or has not ended.
#[must_use]
pub fn baseline(flow: &Flow, bodies: Bodies<'_>) -> Option<RoundOutput> {
    baseline_in(Language::English, flow, bodies)
}

/// The same, with tasuki's own words for what failed in that language.
#[must_use]
pub fn baseline_in(language: Language, flow: &Flow, bodies: Bodies<'_>) -> Option<RoundOutput> {
    let debate = flow.debate()?;
    let (role, step) = (debate.baseline.as_deref()?, debate.baseline_step());
    let step = flow.steps.iter().find(|found| found.spec.name == step)?;
    output_in(language, step, (0, role, debate), bodies)
}

/// The same with the whole task, whose first line alone is its name.
fn with_task(mut besides: Json, task: Option<&str>) -> Json {
    if let (Some(besides), Some(task)) = (besides.as_object_mut(), task) {
        besides.insert("task".to_owned(), json!(task));
    }
    besides
}

/// What the whole debate may take; none where there is no bound.
fn budget(debate: &Debate) -> Option<Json> {
    let DebateBudget { tokens, cost_micro_usd, ms } = debate.budget;
    let cost_usd = cost_micro_usd.map(|micro| micro as f64 / 1e6);
    let is_bounded = tokens.is_some() || cost_usd.is_some() || ms.is_some();
    let minutes = ms.map(|ms| ms / 60_000);
    is_bounded.then(|| json!({"tokens": tokens, "cost_usd": cost_usd, "minutes": minutes}))
}

/// What is known of a debate besides the document.
fn besides(flow: &Flow) -> Json {
    let Some(debate) = flow.debate() else { return json!({}) };
    let now: Vec<Json> = flow
        .steps
        .iter()
        .filter_map(|step| {
            let speech = debate.speech(&step.spec.name)?;
            let agent = step.spec.to.as_str();
            let at = |at: Option<crate::engine::words::Millis>| at.map(crate::wire::time::rfc3339);
            Some(json!({
                "round": speech.round, "role": speech.role.id.as_str(), "stage": step.stage.word(),
                "agent": agent, "message": step.message.as_ref().map(ToString::to_string),
                "began_at": at(step.typed.or(step.began)), "ended_at": at(step.ended),
                "note": step.note.as_deref(),
            }))
        })
        .collect();
    let roles: Vec<Json> = debate
        .roles
        .iter()
        .map(|role| {
            json!({
                "id": role.id.as_str(), "name": role.name,
                "provider": role.provider, "model": role.model,
            })
        })
        .collect();
    let spent = flow.spent();
    let mut known = json!({
        "tokens_used": spent.tokens, "cost_usd": spent.cost_micro_usd as f64 / 1e6,
        "name": flow.head.name, "owner": flow.head.owner.as_str(), "roles": roles,
        "rounds": debate.rounds, "timeout_seconds": debate.timeout_ms / 1_000,
        "preserve_worktrees": debate.keep, "parallel": flow.head.parallel,
        "repository": flow.head.repository.as_ref().map(|of| of.root.as_str()),
        "base": flow.head.repository.as_ref().map(|of| of.base.as_str()),
        "created_at": crate::wire::time::rfc3339(flow.opened_at),
        "updated_at": crate::wire::time::rfc3339(flow.changed_at),
        "removing": flow.owes_ends(), "budget": budget(debate),
        "steps": now,
    });
    let kept = notes(flow);
    if let Some(besides) = known.as_object_mut().filter(|_| !kept.is_empty()) {
        besides.insert(KEPT.to_owned(), json!(kept));
    }
    known
}

/// What is said of worktrees that stay, though none was to: until they are gone.
const KEPT: &str = "kept";

/// What is kept of a debate besides its rounds, in `debate.json`: all that is shown of it once the journal knows it no more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Overview {
    #[serde(flatten)]
    pub result: DebateResult,
    pub current_round: u8,
    pub current_role: String,
}

/// The same of a debate that is known.
#[must_use]
pub fn overview(flow: &Flow, context_path: &str, task: Option<&str>) -> Overview {
    let current_role = began_last(flow).map(|role| role.id.to_string()).unwrap_or_default();
    let current_round = flow.debate_round().unwrap_or_default();
    Overview { result: result(flow, context_path, task), current_round, current_role }
}

impl Overview {
    fn besides(&self, key: &str) -> Option<&Json> {
        self.result.tasuki.as_ref()?.get(key)
    }

    /// A text that tasuki knows besides.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<String> {
        self.besides(key).and_then(Json::as_str).map(str::to_owned)
    }

    /// How many rounds it has.
    #[must_use]
    pub fn rounds(&self) -> u8 {
        self.besides("rounds").and_then(Json::as_u64).and_then(|of| u8::try_from(of).ok()).unwrap_or(0)
    }

    /// The ids of its roles.
    #[must_use]
    pub fn roles(&self) -> Vec<String> {
        let roles = self.besides("roles").and_then(Json::as_array).into_iter().flatten();
        roles.filter_map(|role| Some(role.get("id")?.as_str()?.to_owned())).collect()
    }

    /// The same once worktrees that were there at its end are gone.
    #[must_use]
    pub fn without(mut self, is_gone: impl Fn(&str) -> bool) -> Self {
        self.result.worktree_paths.retain(|path| !is_gone(path));
        let besides = self.result.tasuki.as_mut().and_then(Json::as_object_mut);
        if self.result.worktree_paths.is_empty()
            && let Some(Json::Array(notes)) = besides.and_then(|besides| besides.remove(KEPT))
        {
            for note in notes.iter().filter_map(Json::as_str) {
                self.result.message = self.result.message.replace(&format!("; {note}"), "");
            }
        }
        self
    }

    /// How far it is, without what was said.
    #[must_use]
    pub fn progress(&self) -> DebateProgress {
        DebateProgress {
            debate_id: self.result.debate_id.clone(),
            current_round: self.current_round,
            current_role: self.current_role.clone(),
            status: self.result.status.clone(),
            outputs: Vec::new(),
            tasuki: self.result.tasuki.clone(),
        }
    }
}
