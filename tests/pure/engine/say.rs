//! Events and effects as one short line each, for snapshots and for the story of a failed run.

use tasuki::engine::engine::Step;
use tasuki::engine::event::{AgentChange, Answer, Event, Why};
use tasuki::engine::flow::id::FlowId;
use tasuki::engine::input::{Effect, Reply, Shown};
use tasuki::engine::life::{Move, Turn};
use tasuki::engine::message::{Message, Source};
use tasuki::engine::words::Millis;

/// A step: its events, then its effects behind `>`, and what is to be told of it. Views of what is open are left out: nearly every step has some.
pub(crate) fn step(step: &Step) -> String {
    let events = step.events.iter().map(|event| say_event(event, step.at));
    let effects = step.effects.iter().filter_map(effect).map(|text| format!("> {text}"));
    let faults = step.faults.iter().map(|fault| format!("! {fault}"));
    let warnings = step.warnings.iter().map(|warning| format!("warning: {warning}"));
    events.chain(effects).chain(faults).chain(warnings).map(|line| line + "\n").collect()
}

/// One event; times are said from `now` on.
pub(crate) fn say_event(event: &Event, now: Millis) -> String {
    match event {
        Event::Accepted { message, not_before, unmet, .. } => {
            let wait = after(*not_before, now).map(|at| format!(" not before {at}")).unwrap_or_default();
            let unmet = if unmet.is_empty() { String::new() } else { format!(" after {unmet:?}") };
            format!("accepted {}{wait}{unmet}", say_message(message))
        }
        Event::Duplicate { id, .. } => format!("duplicate {id}"),
        Event::Refused { from, code, why, .. } => {
            let from = from.as_ref().map(|from| format!(" from {from}")).unwrap_or_default();
            format!("refused {}{from}: {why}", code.word())
        }
        Event::Moved { id, to, agent, due, why } => {
            let agent = agent.as_ref().map(|agent| format!(" by {agent}")).unwrap_or_default();
            let due = due.map(|due| format!(" due {}", relative(due, now))).unwrap_or_default();
            format!("{id} {}{agent}{due}{}", say_move(*to, now), say_why(why))
        }
        Event::Said { id, turn, text, truncated, notice } => {
            let cut = if *truncated { " (end)" } else { "" };
            let notice = if *notice { " (notice)" } else { "" };
            format!("{id} said in turn {turn}{cut}{notice}: {text}")
        }
        Event::Based { id, base } => format!("{id} is based for {}", base.agent),
        Event::Claimed { id, made, claim } => format!("{id} claim {made} kept: {}", claim.text),
        Event::Checked { id, made, evidence } => {
            let told: Vec<String> = evidence.iter().map(|found| found.told()).collect();
            format!("{id} claim {made} checked: {}", told.join("; "))
        }
        Event::Ended { id, outcome, answer, why } => {
            let answer = answer.as_ref().map(|answer| say_answer(answer)).unwrap_or_default();
            let why = match (why, answer.as_str()) {
                (Some(why), "") => format!(" ({why})"),
                _ => String::new(),
            };
            format!("{id} {}{answer}{why}", outcome.word())
        }
        Event::Agent { name, change } => format!("{name} is {}", say_change(change, now)),
        Event::Halted { since: Some(_), .. } => "halted".to_owned(),
        Event::Halted { since: None, .. } => "not halted".to_owned(),
        Event::FlowOpened { head, .. } => format!("flow {} opened by {}", short(&head.id), head.owner),
        Event::StepPlanned { flow, spec, again, .. } => {
            let again = if *again { " again" } else { "" };
            format!("{} {} planned for {}{again}", short(flow), spec.name, spec.to)
        }
        Event::FlowPlanned { flow, .. } => format!("flow {} has its plan", short(flow)),
        Event::StepMoved { flow, step, to, message, why, .. } => {
            let message = message.as_ref().map(|id| format!(" as {id}")).unwrap_or_default();
            let why = why.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
            format!("{} {step} {}{message}{why}", short(flow), to.word())
        }
        Event::StepImported { flow, step, .. } => format!("{} {step} was done elsewhere", short(flow)),
        Event::TreeMoved { flow, tree, to, why, .. } => {
            let why = why.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
            format!("{} tree of {tree} {}{why}", short(flow), to.word())
        }
        Event::StepPulled { flow, step, pull } => {
            let what = pull.url.as_deref().or(pull.why.as_deref()).unwrap_or_default();
            format!("{} {step} pull request, {what}", short(flow))
        }
        Event::StepWorked { flow, step, sum, .. } => {
            let head = sum.head.as_deref().or(sum.unknown.as_deref()).unwrap_or_default();
            format!("{} {step} worked, {head}", short(flow))
        }
        Event::MergeMoved { flow, to, step, why, .. } => {
            let step = step.as_ref().map(|step| format!(" {step}")).unwrap_or_default();
            let why = why.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
            format!("{} merge {}{step}{why}", short(flow), to.word())
        }
        Event::FlowMoved { flow, to, why } => {
            let why = why.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
            format!("flow {} {}{why}", short(flow), to.word())
        }
        Event::KeptFlow(flow) => format!("kept flow {}", flow.head.id),
        Event::KeptOpen(open) => format!("kept {}", open.message.id),
        Event::KeptFinished(finished) => format!("kept {}, which has ended", finished.message.id),
        Event::KeptHired { name, .. } => format!("kept hired {name}"),
        Event::KeptAgent { name, .. } => format!("kept {name}"),
    }
}

/// The first digits of a flow's id.
fn short(id: &FlowId) -> &str {
    id.as_str().get(..4).unwrap_or_default()
}

fn say_message(message: &Message) -> String {
    let Message { id, from, to, kind, hops, verified, inferred, besides, .. } = message;
    let (in_reply_to, parent, retry_of) = (&besides.in_reply_to, &besides.parent, &besides.retry_of);
    let mut text = format!("{id} {} {from}>{to}", kind.word());
    for (word, other) in [("re", in_reply_to), ("part of", parent), ("again for", retry_of)] {
        if let Some(other) = other {
            text += &format!(" {word} {other}");
        }
    }
    if *hops > 0 {
        text += &format!(" hops {hops}");
    }
    if *inferred {
        text += " inferred";
    }
    if *verified {
        text += " verified";
    }
    text
}

fn say_turn(turn: &Turn) -> String {
    let token = turn.token.map(|token| format!(" {token}")).unwrap_or_default();
    let again = if turn.redelivered { " redelivered" } else { "" };
    format!("#{} {}{token}{again}", turn.number, turn.kind.as_str())
}

fn say_move(to: Move, now: Millis) -> String {
    match to {
        Move::Intend(turn) => format!("intent {}", say_turn(&turn)),
        Move::Retry { not_before, redelivered } => {
            let when = after(not_before, now).unwrap_or_else(|| "at once".to_owned());
            format!("retry {when}{}", if redelivered { " redelivered" } else { "" })
        }
        Move::Return { not_before } => {
            format!("return {}", after(not_before, now).unwrap_or_else(|| "at once".to_owned()))
        }
        other => format!("{other:?}").to_lowercase(),
    }
}

fn say_why(why: &Why) -> String {
    match why {
        Why::Plain => String::new(),
        Why::Receipt(receipt) => format!(" ({})", receipt.word()),
        Why::Source(source) => format!(" ({})", source.word()),
        Why::Text(text) => format!(" ({text})"),
    }
}

fn say_answer(answer: &Answer) -> String {
    let Answer { id, kind, from, body, source, weak, truncated, .. } = answer;
    let source = source.map(|source| format!(" by {}", source.word())).unwrap_or_default();
    let weak = if *weak { " weak" } else { "" };
    let truncated = if *truncated { " truncated" } else { "" };
    format!(", {} {id} from {from}{source}{weak}{truncated}: {}", kind.word(), body.content)
}

fn say_change(change: &AgentChange, now: Millis) -> String {
    match change {
        AgentChange::Launching { .. } => "launching".to_owned(),
        AgentChange::Up { pane, .. } => format!("up in {pane}"),
        AgentChange::Adopted => "adopted".to_owned(),
        AgentChange::Down { why, restart_at, wanted, asleep, .. } => {
            let again = restart_at.map(|at| format!(", again {}", relative(at, now))).unwrap_or_default();
            let so = match (asleep, wanted) {
                (true, _) => " until it is needed",
                (false, true) => " as wanted",
                (false, false) => "",
            };
            format!("down{so}{again} ({why})")
        }
        AgentChange::Lost { why, spared: true } => format!("lost and spared ({why})"),
        AgentChange::Lost { why, .. } => format!("lost ({why})"),
        AgentChange::Blocked { need: None } => "needs nothing".to_owned(),
        AgentChange::Blocked { need: Some(need) } => {
            let until = need.until.map(|at| format!(", until {}", relative(at, now))).unwrap_or_default();
            let over = if need.over { ", over" } else { "" };
            let until = if need.open_ended { until.replace("until", "looked at again") } else { until };
            format!("{} ({}{until}{over})", need.kind.state(), need.why)
        }
        AgentChange::Answered { choice, by } => format!("answered by {}: {choice}", by.words()),
        AgentChange::Interrupted { id, how } => format!("{id} broken off: {how:?}"),
        AgentChange::Hired(hired) => {
            format!(
                "hired by {}, {}, reports to {}",
                hired.by,
                hired.recipe.like.words(),
                hired.member.reports_to
            )
        }
        AgentChange::Removed { by: None } => "removed".to_owned(),
        AgentChange::Removed { by: Some(by) } => format!("dismissed by {by}"),
    }
}

fn effect(effect: &Effect) -> Option<String> {
    Some(match effect {
        Effect::Launch { agent, .. } => format!("launch {agent}"),
        Effect::Close { agent, .. } => format!("close {agent}"),
        Effect::Job { id, .. } => format!("job {id}"),
        Effect::DropJobs(message) => format!("drop the jobs of {message}"),
        Effect::DropJob(job) => format!("drop the job {job}"),
        Effect::SeeOff { agent, .. } => format!("see off {agent}"),
        Effect::ProbeReadiness { agent, past: None, .. } => format!("seek {agent}"),
        Effect::ProbeReadiness { agent, past: Some(past), .. } => format!("seek {agent} past {past}"),
        Effect::Deliver { agent, id, turn, .. } => format!("ring {agent} {id} {}", say_turn(turn)),
        Effect::ResolveDoubt { agent, id, turn, .. } => format!("settle {agent} {id} {}", say_turn(turn)),
        Effect::Watch { agent, id, turn, .. } => format!("await {agent} {id} {}", say_turn(turn)),
        Effect::Interrupt { agent, id, turn, .. } => format!("interrupt {agent} {id} #{turn}"),
        Effect::Unwatch { agent, .. } => format!("unwatch {agent}"),
        Effect::Forget(source) => format!("forget {}", say_source(source)),
        Effect::Defer { source, .. } => format!("defer {}", say_source(source)),
        Effect::Reject { source, refusal, .. } => {
            format!("reject {} {}", say_source(source), refusal.code.word())
        }
        Effect::Answer { reply, .. } => format!("answer {}", say_reply(reply)),
        Effect::Show(Shown::Finished(id)) => format!("show finished {id}"),
        Effect::Show(Shown::Open(_) | Shown::Agent(_) | Shown::Flow(_)) => return None,
    })
}

fn say_source(source: &Source) -> String {
    match source {
        Source::File { name, .. } => name.to_string(),
        Source::Request(_) => "request".to_owned(),
    }
}

fn say_reply(reply: &Reply) -> String {
    match reply {
        Reply::Accepted { ids, duplicates } if duplicates.is_empty() => format!("accepted {ids:?}"),
        Reply::Accepted { ids, duplicates } => format!("accepted {ids:?}, known {duplicates:?}"),
        Reply::Done { what, id: Some(id) } => format!("{id}: {what}"),
        Reply::Done { what, id: None } => what.clone(),
        Reply::Refused(refusal) => {
            let field = refusal.field.map(|field| format!(" at {field}")).unwrap_or_default();
            format!("refused {}{field} in {}: {}", refusal.code.word(), refusal.document, refusal.why)
        }
    }
}

fn after(at: Millis, now: Millis) -> Option<String> {
    (at > Millis(0)).then(|| relative(at, now))
}

fn relative(at: Millis, now: Millis) -> String {
    if at < now { format!("-{} ms", now.since(at)) } else { format!("+{} ms", at.since(now)) }
}
