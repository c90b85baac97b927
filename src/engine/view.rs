//! What a face may see: plain structs made from the state. Words and times only; no face reads the state itself.

use super::engine::Engine;
use super::life::{Category, Stage, StageName};
use super::message::Outcome;
use super::state::{Agent, Counts, LastEnd, Open, Phase};
use super::team::Restart;
use super::words::{AgentName, MessageId, Millis, PaneId, Seq};
use crate::engine::screen::doorbell::TurnKind;
use crate::engine::screen::guard::Guard;
use crate::engine::screen::reading::Dialog;
use crate::engine::screen::unsent;
use crate::engine::team::roster::Hired;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Why an agent is stopped that what comes for it starts.
pub const SLEEPS: &str = "it ended normally and is started when there is work for it";

/// What is said of an answer of which only a part could be kept ([`super::event::Answer::truncated`]).
pub const ONLY_THE_END: &str = "only the end of the answer could be kept";

/// An agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSeen {
    pub name: AgentName,
    /// The contract's word (`state:`).
    pub state: &'static str,
    /// Why it is in that state, in words, where there is more to say.
    pub why: Option<String>,
    /// What it asks, if it waits for somebody's answer.
    pub asks: Option<Arc<Dialog>>,
    /// What it works on.
    pub current: Option<MessageId>,
    pub pane: Option<PaneId>,
    /// Its process.
    pub pid: Option<u32>,
    /// Name of its profile.
    pub provider: String,
    /// How it came into the team, if it is not in the team file.
    pub hired: Option<Hired>,
    /// Messages that wait for it.
    pub queued: usize,
    /// Since when it runs.
    pub up_since: Option<Millis>,
    pub counts: Counts,
}

impl Engine {
    /// Where a message is, if it is open or ended in the newest segment.
    #[must_use]
    pub fn stage(&self, id: &MessageId) -> Option<Stage> {
        let open = self.state.open.get(id).map(|open| open.stage);
        open.or_else(|| Some(Stage::Finished(self.state.finished.get(id)?.outcome)))
    }

    /// The phrase that ends a message's present turn, and whether a token has to stand beside it.
    #[must_use]
    pub fn phrase(&self, open: &Open) -> Option<(String, bool)> {
        open.stage.turn().filter(|turn| turn.kind != TurnKind::Info)?;
        let member = self.team.members.get(open.agent.as_ref()?)?;
        Some((member.phrase.clone(), member.token))
    }

    /// An agent that is a member.
    #[must_use]
    pub fn agent(&self, name: &AgentName) -> Option<AgentSeen> {
        let member = self.team.members.get(name)?;
        let fresh = Agent::default();
        let agent = self.state.agents.get(name).unwrap_or(&fresh);
        let (state, why) = self.agent_state(name, agent);
        let (pane, pid) = match &agent.phase {
            Phase::Up { pane, process } => (Some(*pane), Some(process.pid)),
            _ => (None, None),
        };
        Some(AgentSeen {
            name: name.clone(),
            state,
            why,
            asks: agent.need().filter(|_| agent.is_up()).and_then(|need| need.asks.clone()),
            current: agent.current.clone(),
            pane,
            pid,
            provider: member.provider.clone(),
            hired: self.state.hired.get(name).cloned(),
            queued: self.queued(name),
            up_since: agent.up_since,
            counts: agent.counts,
        })
    }

    /// Why an open message is not being worked on, in words; none if it is.
    #[must_use]
    pub fn waits_for(&self, id: &MessageId) -> Option<String> {
        let open = self.state.open.get(id)?;
        match open.stage.category() {
            Category::Queued => Some(self.queued_for(open, open.stage.not_before().unwrap_or_default())),
            Category::Held => Some(open.note.as_deref().unwrap_or("a person").to_owned()),
            Category::Waiting => Some(self.rests_for(id, open)),
            Category::Closing if self.state.halted.is_some() => Some(ON_HOLD.to_owned()),
            Category::Closing => Some("the check of its claim".to_owned()),
            Category::UnderWay | Category::Ended => None,
        }
    }

    /// The steps whose bodies the open messages, and those that ended in this segment, refer to.
    #[must_use]
    pub fn needed_steps(&self) -> BTreeSet<Seq> {
        let open = self.state.open.values();
        let open = open.flat_map(|open| open.answers.iter().map(|told| told.body).chain([open.body]));
        let finished = self.state.finished.values();
        let finished = finished.flat_map(|finished| finished.answer.into_iter().chain([finished.body]));
        // One that is completed is opened again by a step that is done again.
        let flows = self.state.flows.values().flat_map(|flow| {
            let steps = flow.steps.iter();
            steps
                .flat_map(|step| {
                    let work = step.in_tree.work.iter().map(|work| work.place);
                    step.answer
                        .iter()
                        .map(|answer| answer.body)
                        .chain(work)
                        .chain(step.own_text)
                        .chain([step.text])
                })
                .chain([flow.request])
                .chain(flow.planning.iter().flat_map(|plan| plan.answer.into_iter().chain([plan.text])))
        });
        open.chain(finished).chain(flows).map(|body| body.seq).collect()
    }

    /// The records of what was there before that open tasks are held against.
    #[must_use]
    pub fn records(&self) -> BTreeSet<String> {
        let bases = self.state.open.values().filter_map(|open| open.checks.as_deref()?.base.as_ref());
        bases.filter_map(|base| base.record.clone()).collect()
    }

    fn rests_for(&self, id: &MessageId, open: &Open) -> String {
        let held = open.agent.as_ref().filter(|_| !is_past_reminders(open) || !open.unread.is_empty());
        let held = held.and_then(|name| Some((name, self.held_by(name)?)));
        match (self.state.open_parts(id), open.unread.len(), held) {
            (0, 0, None) => open
                .note
                .as_deref()
                .map_or("a person".to_owned(), |note| format!("its agent or a person ({note})")),
            (0, 0, Some((name, held))) => format!("{name}, to be reminded of it: {held}"),
            (0, _, None) => "its agent, which has answers to read".to_owned(),
            (0, _, Some((name, held))) => format!("{name}, which has answers to read: {held}"),
            (1, ..) => "the answer to its part".to_owned(),
            (parts, ..) => format!("the answers to {parts} parts"),
        }
    }

    fn queued_for(&self, open: &Open, not_before: Millis) -> String {
        if self.state.halted.is_some() {
            return ON_HOLD.to_owned();
        }
        if let Some(dependency) = open.unmet.first() {
            return format!("{dependency}, which it depends on");
        }
        if open.rests(&self.state.flows) {
            return "its session, which is paused".to_owned();
        }
        if not_before > Millis(0) && !self.state.timers.is_empty() && not_before > self.live.fired {
            return "its next try".to_owned();
        }
        let name = open.queue();
        let Some(agent) = self.agent(name) else { return format!("a free member of {name}") };
        match (agent.current, agent.why) {
            (Some(current), _) => match agent.state {
                "rate_limited" => format!("{name}, who waits for a limit with {current}"),
                "waiting_input" => format!("{name}, who waits for a person with {current}"),
                _ => format!("{name}, who is working on {current}"),
            },
            (None, Some(why)) => format!("{name}: {why}"),
            (None, None) => format!("{name} ({})", agent.state),
        }
    }

    fn agent_state(&self, name: &AgentName, agent: &Agent) -> (&'static str, Option<String>) {
        match &agent.phase {
            Phase::Absent | Phase::Launching => ("starting", agent.last_end.as_ref().map(LastEnd::words)),
            Phase::Restarting { restart_at: at } => restarting_state(agent, *at),
            Phase::Asleep if self.is_started_by_need(name) => ("stopped", Some(SLEEPS.to_owned())),
            Phase::Stopped | Phase::Asleep => {
                ("stopped", Some(format!("`tasuki agent start {name}` starts it")))
            }
            Phase::Failed { why } => ("error", Some(why.to_string())),
            Phase::Up { .. } => self.up_state(name, agent),
        }
    }

    fn is_started_by_need(&self, name: &AgentName) -> bool {
        self.team.members.get(name).is_some_and(|member| member.restart != Restart::Never)
    }

    fn up_state(&self, name: &AgentName, agent: &Agent) -> (&'static str, Option<String>) {
        let guard = self.held_by(name);
        if let Some(need) = agent.need() {
            return (need.kind.state(), Some(need.told()));
        }
        let current = agent.current.as_ref().and_then(|id| self.state.open.get(id)).map(|open| &**open);
        match current.map(|open| open.stage) {
            Some(stage) if stage.is_waiting() => {
                let (state, why) = self.resting_state(current);
                (state, why.or(guard))
            }
            Some(stage) if stage.name() == StageName::Verified => ("completed", None),
            Some(stage) if stage.category() == Category::Closing => {
                ("working", Some("its claim is being checked".into()))
            }
            Some(stage) if stage.is_in_doubt() => {
                ("unknown", Some("it is not known whether its turn was delivered".into()))
            }
            Some(_) => ("working", None),
            None if self.live.greeted.contains(name) && self.live.busy.contains(name) => {
                let shut = self.live.guards.get(name).map(|shut| shut.guard);
                ("busy", guard.filter(|_| !matches!(shut, Some(Guard::Busy | Guard::Working))))
            }
            None if self.live.greeted.contains(name) => ("idle", guard),
            None => ("starting", guard),
        }
    }

    /// Why it is not typed to just now. A draft is told with its words, whether something waits or not.
    fn held_by(&self, name: &AgentName) -> Option<String> {
        let guard = self.live.guards.get(name).map(|shut| shut.guard);
        let unsent = self.live.unsent.get(name).filter(|_| guard.is_none_or(Guard::leaves_drafts));
        match unsent {
            None => guard.map(|guard| guard.words().to_owned()),
            Some((words, boxed)) => {
                let (told, cure) = (unsent::told(words, *boxed), unsent::cure(words, name));
                Some(format!("{told}. Nothing is typed after it: {cure}"))
            }
        }
    }

    /// A task rests for answers, or because its agent fell silent and was reminded in vain.
    fn resting_state(&self, current: Option<&Open>) -> (&'static str, Option<String>) {
        let silent = current.filter(|open| {
            is_past_reminders(open) && open.unread.is_empty() && self.state.open_parts(&open.message.id) == 0
        });
        match silent {
            Some(open) => ("waiting_input", open.note.as_deref().map(str::to_owned)),
            None => ("waiting", None),
        }
    }

    fn queued(&self, name: &AgentName) -> usize {
        self.state.queues.get(name).map_or(0, crate::engine::life::queue::Queue::len)
    }
}

/// What waits while there is a stop file.
const ON_HOLD: &str = "`tasuki stop --off`: everything is on hold";

/// Whether nobody is reminded of it any more: its agent was, or knows no token.
fn is_past_reminders(open: &Open) -> bool {
    open.reminded || open.stage.turn().is_none_or(|turn| turn.token.is_none())
}

/// It ended: what it said then, and when it is started again. One that could not even be started has an error, whatever is tried.
fn restarting_state(agent: &Agent, at: Millis) -> (&'static str, Option<String>) {
    let again = format!("it will be started again at {}", at.time_of_day());
    let Some(end) = &agent.last_end else { return ("starting", Some(again)) };
    let state = if end.unstarted { "error" } else { "starting" };
    (state, Some(format!("{}; {again}", end.words())))
}

impl LastEnd {
    fn words(&self) -> String {
        if self.unstarted { self.why.to_string() } else { format!("it ended ({})", self.why) }
    }
}

impl Outcome {
    /// The contract's word.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.status().word()
    }
}
