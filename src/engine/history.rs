//! An event as a sentence, for the logs and for `tasuki why`. Never the content, and never phrase and token together.

use super::event::{AgentChange, Answer, Event, Proof, Why};
use super::flow::in_tree::WorkSum;
use super::flow::merge::MergeMove;
use super::flow::stage::FlowMove;
use super::flow::step::StepMove;
use super::life::Move;
use super::message::keys::meant;
use super::message::{Kind, Message, Outcome};
use super::state::State;
use super::words::{AgentName, MessageId, Millis};
use crate::engine::evidence::{Base, Evidence};
use crate::engine::flow::tree::TreeMove;
use crate::engine::view::ONLY_THE_END;
use crate::engine::words::{counted, ourselves};

/// A sentence and whom it concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryLine {
    /// The message, if it is about one.
    pub id: Option<MessageId>,
    /// The agent whose log it belongs to, besides the activity log: a reason why its work does not go on is its own.
    pub agent: Option<AgentName>,
    /// The sentence, on one line.
    pub text: String,
}

/// Tells an event; none for the parts of a snapshot, and for what is no news. `whose` is the agent of the message that it is about, or its addressee:
/// the event does not name it where it stays the same, or where tasuki itself ended the message.
#[must_use]
pub fn tell(event: &Event, whose: Option<&AgentName>) -> Option<HistoryLine> {
    let (id, agent, text) = match event {
        Event::Accepted { message, name, unknown_keys, not_before, .. } => {
            let mut text = accepted(message, name.as_deref(), unknown_keys);
            if *not_before > Millis(0) {
                let Message { from, to, .. } = &**message;
                text.push_str(&format!("; it waits: {from} has sent {to} too many messages within a minute"));
            }
            (Some(message.id.clone()), Some(message.to.clone()), text)
        }
        Event::Duplicate { id, name } => {
            let what = name.as_deref().map_or("a request", dropped_name);
            (Some(id.clone()), None, format!("{what} is a duplicate of {id}: ignored"))
        }
        Event::Refused { name, from, code, why } => {
            let what = name.as_deref().map_or("a request", dropped_name);
            let from = from.as_ref().map_or(String::new(), |from| format!(" from {from}"));
            (None, from_agent(event), format!("refused {what}{from}: {}: {why}", code.word()))
        }
        Event::Moved { id, to, agent, why, .. } => {
            let text = format!("{id} {}{}", moved(*to, agent.as_ref()), because(why));
            // Receipts come with each turn, and say nothing that its beginning and its end do not.
            let theirs = whose.filter(|_| matches!(why, Why::Text(_)));
            (Some(id.clone()), agent.as_ref().or(theirs).cloned(), text)
        }
        Event::Said { id, turn, text, notice, .. } => {
            (Some(id.clone()), whose.cloned(), format!("{id}: {}", said(*turn, text, *notice)))
        }
        Event::Based { id, base } => (Some(id.clone()), Some(base.agent.clone()), based(id, base)),
        Event::Checked { id, made, evidence } => {
            (Some(id.clone()), whose.cloned(), checked(id, *made, evidence))
        }
        Event::Ended { id, outcome, answer, why } => {
            let answered = answer.as_ref().map(|answer| &answer.from).filter(|from| **from != ourselves());
            let agent = answered.or(whose).cloned();
            let text = ended(id, *outcome, answer.as_deref(), why.as_deref());
            (Some(id.clone()), agent, text)
        }
        Event::Agent { name, change: AgentChange::Interrupted { id, how } } => {
            (Some(id.clone()), Some(name.clone()), format!("{id} was called off: {}", how.words(name)))
        }
        Event::Agent { change: AgentChange::Blocked { need: Some(need) }, .. }
            if need.again || need.passed.is_some() =>
        {
            return None; // whoever was told of it knows
        }
        Event::Agent { name, change } => (None, Some(name.clone()), format!("{name} {}", changed(change))),
        Event::Halted { since, by } => (None, None, halted(since.is_some(), by.as_ref())),
        // Of what is no flow's either, its move tells, or it is a part of something that is told.
        event => {
            let (id, text) = of_flow(event)?;
            (id, None, text)
        }
    };
    let agent = agent.filter(|name| *name != ourselves()); // which is nobody's name, and has no log
    Some(HistoryLine { id, agent, text: one_line(&text) })
}

/// What became of a flow, and of which message.
fn of_flow(event: &Event) -> Option<(Option<MessageId>, String)> {
    Some(match event {
        Event::FlowOpened { head, .. } => {
            let name = head.name.as_deref().map_or(String::new(), |name| format!(" ({name})"));
            (None, format!("session {}{name} was begun by {}", head.id, head.owner))
        }
        Event::StepImported { flow, step, .. } => {
            (None, format!("session {flow}: {step} was done before it came here"))
        }
        Event::FlowPlanned { flow, .. } => (None, format!("session {flow} has its plan")),
        Event::StepMoved { flow, step, to, message, why, .. } => {
            let what = stepped(*to, message.as_ref())?;
            let why = why.as_deref().map_or(String::new(), |why| format!(": {why}"));
            (message.clone(), format!("session {flow}: {step} {what}{why}"))
        }
        Event::TreeMoved { flow, tree, to: TreeMove::Made, path: Some(path), .. } => {
            (None, format!("session {flow}: the worktree of {tree} is {path}"))
        }
        Event::StepWorked { flow, step, sum, .. } => {
            (None, format!("session {flow}: {step} {}", worked(sum)))
        }
        Event::StepPulled { flow, step, pull } => {
            let what = match (&pull.url, &pull.why) {
                (Some(url), _) => format!("has the pull request {url}"),
                (None, why) => format!("has no pull request: {}", why.as_deref().unwrap_or_default()),
            };
            (None, format!("session {flow}: {step} {what}"))
        }
        Event::MergeMoved { flow, to, into, step, why } => {
            let (into, step) =
                (into.as_deref().unwrap_or_default(), step.as_ref().map_or("", |step| step.as_str()));
            let what = match to {
                MergeMove::Begin => format!("its branches go into {into}"),
                MergeMove::Wait => format!("{step} is done again, since its branch cannot be merged"),
                MergeMove::Finish => "its branches are merged".to_owned(),
                MergeMove::Fail => "its branches could not be merged".to_owned(),
                MergeMove::Next | MergeMove::GoOn => return None, // that is no news
            };
            let why = why.as_deref().map_or(String::new(), |why| format!(": {why}"));
            (None, format!("session {flow}: {what}{why}"))
        }
        Event::FlowMoved { flow, to, why } => {
            let what = match to {
                FlowMove::Pause => "is paused",
                FlowMove::Resume => "goes on",
                FlowMove::Complete => "is completed",
                FlowMove::Fail => "has failed",
                FlowMove::Forget => return None, // nothing happened to it
            };
            let why = why.as_deref().map_or(String::new(), |why| format!(": {why}"));
            (None, format!("session {flow} {what}{why}"))
        }
        _ => return None,
    })
}

/// What a step has done in its worktree.
fn worked(sum: &WorkSum) -> String {
    if let Some(why) = &sum.unknown {
        return format!("left something or nothing in its worktree; nobody could look: {why}");
    }
    let counted = |count: u32, what| counted(usize::try_from(count).unwrap_or(usize::MAX), what);
    let left = match sum.uncommitted {
        0 => String::new(),
        many => format!(", {} not committed", counted(many, "file")),
    };
    let (commits, files) = (counted(sum.commits, "commit"), counted(sum.files, "file"));
    format!("has made {commits}, which change {files}{left}")
}

/// What became of a step; that it may begin is no news.
fn stepped(to: StepMove, message: Option<&MessageId>) -> Option<String> {
    Some(match (to, message) {
        (StepMove::Send, Some(message)) => format!("was sent as {message}"),
        (StepMove::Complete, _) => "is completed".to_owned(),
        (StepMove::Fail, _) => "has failed".to_owned(),
        (StepMove::Cancel(_), _) => "is cancelled".to_owned(),
        (StepMove::Retry, _) => "is tried again".to_owned(),
        (StepMove::Reopen, _) => "waits again".to_owned(),
        (StepMove::NeedsMet | StepMove::Prepare | StepMove::Send, _) => return None,
    })
}

fn halted(is: bool, by: Option<&AgentName>) -> String {
    if is {
        format!("queue/STOP exists{}: nothing is typed", asked_by(by, ", made by "))
    } else {
        format!("queue/STOP is gone{}: work goes on", asked_by(by, ", removed by "))
    }
}

fn based(id: &MessageId, base: &Base) -> String {
    let short = |commit: &str| format!(", commit {}", commit.get(..12).unwrap_or(commit));
    let commit = base.commit.as_deref().map_or(String::new(), short);
    format!("{id} is held against what {} has now{commit}", base.agent)
}

fn checked(id: &MessageId, made: u16, evidence: &[Evidence]) -> String {
    let found: Vec<String> = evidence.iter().map(Evidence::told).collect();
    format!("{id} was checked (claim {made}): {}", found.join("; "))
}

/// Whether a task was reported done by what then failed it, in the same step: only its failure is told.
#[must_use]
pub fn is_overtaken(event: &Event, failed: impl Fn(&MessageId) -> bool) -> bool {
    matches!(event, Event::Moved { id, to: Move::Claim | Move::Verify, .. } if failed(id))
}

/// Tells an event of the step that made this state.
#[must_use]
pub fn tell_last(event: &Event, state: &State) -> Option<HistoryLine> {
    let failed =
        |id: &MessageId| state.finished.get(id).is_some_and(|ended| ended.outcome == Outcome::Failed);
    if is_overtaken(event, failed) {
        return None;
    }
    let whose = match event {
        Event::Ended { id, .. } => whose(id, state),
        // To whom it goes may be a pool, which has no log.
        Event::Moved { id, .. }
        | Event::Said { id, .. }
        | Event::Claimed { id, .. }
        | Event::Checked { id, .. } => state.open.get(id).and_then(|open| open.agent.as_ref()),
        _ => None,
    };
    tell(event, whose)
}

/// Who has or had a message, or else to whom it goes.
fn whose<'a>(id: &MessageId, state: &'a State) -> Option<&'a AgentName> {
    let open = state.open.get(id).map(|open| (&open.agent, &open.message.to));
    let ended = || state.finished.get(id).map(|ended| (&ended.agent, &ended.message.to));
    open.or_else(ended).map(|(agent, to)| agent.as_ref().unwrap_or(to))
}

/// How a message ended.
fn ended(id: &MessageId, outcome: Outcome, answer: Option<&Answer>, why: Option<&str>) -> String {
    if outcome == Outcome::Cancelled {
        return format!("{id} was {}", called_off(why));
    }
    let source = answer.map_or(String::new(), known_by);
    let why = why.map_or(String::new(), |why| format!(": {why}"));
    format!("{id} {}{source}{why}", outcome.word())
}

/// What is said of a message that was cancelled, behind "was": who called it off, or with what it went.
#[must_use]
pub fn called_off(why: Option<&str>) -> String {
    let Some(why) = why else { return "called off".to_owned() };
    let by = why.strip_prefix("cancelled by ");
    let with = why.strip_suffix(", of which it was a part, was cancelled");
    match (by, with) {
        (Some(who), _) => format!("called off by {who}"),
        (_, Some(whole)) => format!("called off with {whole}, of which it was a part"),
        _ => format!("called off, since {why}"),
    }
}

/// What was said in a turn that was not claimed.
fn said(turn: u16, text: &str, notice: bool) -> String {
    if turn == 0 {
        return "an answer came before those of its parts were read: it counts if no other comes".to_owned();
    }
    if notice {
        return format!("its program showed a notice in place of an answer in turn {turn}: kept");
    }
    let what = match text.lines().filter(|line| !line.trim().is_empty()).count() {
        0 => "nothing".to_owned(),
        1 => "one line".to_owned(),
        lines => format!("{lines} lines"),
    };
    format!("{what} said in turn {turn} without a claim: kept")
}

fn from_agent(event: &Event) -> Option<AgentName> {
    match event {
        Event::Refused { from, .. } => from.clone(),
        _ => None,
    }
}

fn accepted(message: &Message, name: Option<&str>, unknown_keys: &[String]) -> String {
    let Message { id, from, to, kind, verified, .. } = message;
    // That is nothing special where a person may have written it.
    let proof = if *verified || from.is_user() { "" } else { " (not verified)" };
    let inferred = inferred(message);
    let name = name.map_or(String::new(), |claim| format!(" as {}", dropped_name(claim)));
    let unknown = if unknown_keys.is_empty() {
        String::new()
    } else {
        let told = |key: &String| match meant(key) {
            Some(near) => format!("{key} (did you mean {near}?)"),
            None => key.clone(),
        };
        format!("; unknown keys kept: {}", unknown_keys.iter().map(told).collect::<Vec<_>>().join(", "))
    };
    // Not a message that goes anywhere: the record of a file that was refused, as a part of its sender's task.
    if *to == ourselves() {
        let part = message.parent.as_ref().map_or_else(String::new, |task| format!(" of {task}"));
        return format!("{id} made: stands for a refused part{part} of {from}'s{proof}");
    }
    if *from == ourselves() {
        return format!("{id} made: {} for {to}", kind.word());
    }
    format!("{id} accepted: {} from {from}{proof} to {to}{name}{inferred}{unknown}", kind.word())
}

/// Who gave a command, behind these words; nothing where nobody did.
fn asked_by(by: Option<&AgentName>, words: &str) -> String {
    by.map_or(String::new(), |by| format!("{words}{by}"))
}

/// How it is known that a task is done.
fn known_by(answer: &Answer) -> String {
    let proof = match answer.proof() {
        Proof::Strong => String::new(),
        proof => format!(", proof: {}", proof.word()),
    };
    let empty = answer.body.content.trim().is_empty();
    let nothing = if empty { ", with nothing else said" } else { "" };
    let cut = if answer.truncated { format!("; {ONLY_THE_END}") } else { String::new() };
    match answer.source {
        Some(source) => format!(" (by {}{proof}{nothing}{cut})", source.word()),
        None if answer.truncated => format!(" ({ONLY_THE_END})"),
        None => String::new(),
    }
}

/// What a message is taken for that does not say it itself.
fn inferred(message: &Message) -> String {
    let (what, task) = match message.kind {
        Kind::Result | Kind::Error => ("the answer to", &message.in_reply_to),
        Kind::Task => ("a part of", &message.parent),
        Kind::Info => ("said about", &message.parent),
    };
    let task = task.as_ref().filter(|_| message.inferred);
    task.map_or(String::new(), |task| {
        format!("; inferred to be {what} {task}, which {} has begun", message.from)
    })
}

fn moved(to: Move, agent: Option<&AgentName>) -> String {
    let agent = agent.map_or("its agent", AgentName::as_str);
    match to {
        Move::Intend(turn) => {
            let again = if turn.redelivered { ", again" } else { "" };
            format!("is being typed to {agent} (turn {}, {}{again})", turn.number, turn.kind.as_str())
        }
        Move::Withdraw => "was not typed after all".to_owned(),
        Move::Submit => "was submitted".to_owned(),
        Move::Take => "is being worked on".to_owned(),
        Move::Retry { .. } => "will be tried again".to_owned(),
        Move::Return { .. } => "goes back to its pool".to_owned(),
        Move::Doubt => "is in doubt".to_owned(),
        Move::Hold => "is held".to_owned(),
        Move::Rest | Move::Ask => "is waiting".to_owned(),
        Move::Claim => "was reported done".to_owned(),
        Move::Verify => "is verified".to_owned(),
        Move::Reopen => "goes back to its agent".to_owned(),
        Move::Finish(outcome) => outcome.word().to_owned(),
    }
}

fn because(why: &Why) -> String {
    match why {
        Why::Plain => String::new(),
        Why::Receipt(receipt) => format!(" (receipt: {})", receipt.word()),
        Why::Source(source) => format!(" (by {})", source.word()),
        Why::Text(text) => format!(": {text}"),
    }
}

fn changed(change: &AgentChange) -> String {
    match change {
        AgentChange::Launching { by, .. } => format!("is being started{}", asked_by(by.as_ref(), " by ")),
        AgentChange::Up { pane, process, .. } => format!("runs in pane {pane} as process {}", process.pid),
        AgentChange::Adopted => "was still running and goes on".to_owned(),
        AgentChange::Down { why, restart_at: Some(_), .. } => {
            format!("ended ({why}); it will be started again")
        }
        AgentChange::Down { why, restart_at: None, .. } => format!("ended ({why})"),
        AgentChange::Lost { why, .. } => format!("is gone: {why}"),
        AgentChange::Blocked { need: Some(need) } if need.over && need.open_ended => {
            format!("is tried again, to see whether this has passed: {}", need.why)
        }
        AgentChange::Blocked { need: Some(need) } if need.over => format!("its limit is over: {}", need.why),
        AgentChange::Blocked { need: Some(need) } => format!("{}: {}", need.kind.state(), need.why),
        AgentChange::Blocked { need: None } => "no longer needs attention".to_owned(),
        AgentChange::Answered { choice, by } => format!("was answered by {}: {choice}", by.words()),
        AgentChange::Interrupted { id, how } => format!("{id}: {how:?}"),
        AgentChange::Hired(hired) => {
            let flow = hired.flow.as_ref().map_or(String::new(), |flow| format!(", for {flow}"));
            format!("was hired by {}, {}{flow}", hired.by, hired.recipe.like.words())
        }
        AgentChange::Removed { by } => match by {
            Some(by) => format!("was dismissed by {by}"),
            None => "is no longer in the team".to_owned(),
        },
    }
}

/// The name that a claimed file (`SEQ-ZONE-NAME`) was dropped under.
fn dropped_name(claim: &str) -> &str {
    claim.splitn(3, ['-', '~']).nth(2).unwrap_or(claim)
}

/// Control characters become spaces: a log line is one line, and no escape reaches a terminal.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
