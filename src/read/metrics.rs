//! Numbers for Prometheus, in OpenMetrics form: counted from the journal when somebody asks, from where the daemon began.
//!
//! So nobody is counted for where nobody asks. Labels are the team's names and words of tasuki's own: never an id, and never
//! anything that a message brings.

use crate::engine::event::{AgentChange, Event};
use crate::engine::life::{Move, Spent, Stage, next};
use crate::engine::message::Outcome;
use crate::engine::team::need::NeedKind;
use crate::engine::words::{AgentName, MessageId, Millis};
use crate::io::journal::Cursor;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use std::collections::HashMap;
use std::sync::atomic::AtomicU64;

/// Upper ends of the classes of times, in seconds: from a scripted agent to a night's work.
const SECONDS: [f64; 12] =
    [0.1, 0.5, 1.0, 5.0, 15.0, 60.0, 180.0, 600.0, 1_800.0, 3_600.0, 14_400.0, 43_200.0];
/// The label of names that are not in the team any more.
pub(super) const OTHER: &str = "other";

type Labels = Vec<(&'static str, String)>;
/// Times of each agent. A function makes each: families of them can be cloned for the registry.
type Times = Family<Labels, Histogram, fn() -> Histogram>;

/// What was counted so far.
#[derive(Debug)]
pub(super) struct Metrics {
    pub(super) registry: Registry,
    pub(super) cursor: Cursor,
    /// Messages that were accepted since, and have not ended.
    timings: HashMap<MessageId, Timing>,
    pub(super) counts: Counts,
    waiting: Times,
    working: Times,
}

/// The families that are counted and measured.
#[derive(Debug, Default)]
pub(super) struct Counts {
    accepted: Family<Labels, Counter>,
    ended: Family<Labels, Counter>,
    refused: Counter,
    duplicates: Counter,
    redelivered: Counter,
    pub(super) restarts: Family<Labels, Counter>,
    pub(super) limits: Family<Labels, Counter>,
    pub(super) questions: Family<Labels, Counter>,
    pub(super) flushes: Counter,
    pub(super) open: Family<Labels, Gauge>,
    pub(super) agents: Family<Labels, Gauge>,
    pub(super) needs: Gauge,
    pub(super) halted: Gauge,
    pub(super) lag: Gauge<f64, AtomicU64>,
}

/// Where a message's time has gone so far.
#[derive(Debug)]
struct Timing {
    stage: Stage,
    since: Millis,
    waited: u64,
    worked: u64,
    agent: Option<AgentName>,
}

impl Timing {
    fn enter(&mut self, stage: Stage, at: Millis) {
        let passed = at.since(self.since);
        match self.stage.name().spent() {
            Spent::InQueue => self.waited += passed,
            Spent::ByAgent => self.worked += passed,
            Spent::OnAnswers | Spent::Over => {}
        }
        (self.stage, self.since) = (stage, at);
    }
}

impl Counts {
    fn register(&self, registry: &mut Registry) {
        registry.register("messages_accepted", "Messages that were accepted", self.accepted.clone());
        registry.register("messages_ended", "Messages that ended", self.ended.clone());
        registry.register(
            "drops_refused",
            "Dropped files and requests that were refused",
            self.refused.clone(),
        );
        registry.register("duplicates", "Messages that came again, unchanged", self.duplicates.clone());
        registry.register("redeliveries", "Turns that were typed again", self.redelivered.clone());
        registry.register("agent_ends", "Ends of agents that nobody wanted", self.restarts.clone());
        registry.register("agent_limits", "Limits that agents ran into", self.limits.clone());
        registry.register("agent_questions", "Questions that agents asked a person", self.questions.clone());
        registry.register("journal_flushes", "Flushes of the journal to the disk", self.flushes.clone());
        registry.register("messages_open", "Messages that have not ended, by stage", self.open.clone());
        registry.register(
            "agent_state",
            "State of each agent: 1 for the one that it is in",
            self.agents.clone(),
        );
        registry.register("needs", "Things that wait for a person", self.needs.clone());
        registry.register("halted", "Whether queue/STOP holds everything", self.halted.clone());
        let lag = "Time that the loop took to answer just now";
        registry.register_with_unit("loop_lag", lag, Unit::Seconds, self.lag.clone());
    }
}

impl Metrics {
    pub(super) fn new(began: Cursor) -> Self {
        let (mut registry, counts) = (Registry::with_prefix("tasuki"), Counts::default());
        let times: fn() -> Histogram = || Histogram::new(SECONDS);
        let (waiting, working) = (Times::new_with_constructor(times), Times::new_with_constructor(times));
        counts.register(&mut registry);
        let (queued, worked) =
            ("Time that ended messages waited in queues", "Time that agents worked on ended messages");
        registry.register_with_unit("message_waiting", queued, Unit::Seconds, waiting.clone());
        registry.register_with_unit("message_working", worked, Unit::Seconds, working.clone());
        Self { registry, cursor: began, timings: HashMap::new(), counts, waiting, working }
    }

    pub(super) fn take(&mut self, at: Millis, event: &Event, named: &dyn Fn(&AgentName) -> String) {
        let counts = &self.counts;
        match event {
            Event::Accepted { message, not_before, .. } => {
                let labels = vec![("type", message.kind.word().to_owned()), ("to", named(&message.to))];
                counts.accepted.get_or_create(&labels).inc();
                let stage = Stage::accepted(*not_before);
                let timing = Timing { stage, since: at, waited: 0, worked: 0, agent: None };
                self.timings.insert(message.id.clone(), timing);
            }
            Event::Duplicate { .. } => {
                counts.duplicates.inc();
            }
            Event::Refused { .. } => {
                counts.refused.inc();
            }
            Event::Moved { id, to, agent, .. } => {
                if matches!(to, Move::Intend(turn) if turn.redelivered) {
                    counts.redelivered.inc();
                }
                if let Some(timing) = self.timings.get_mut(id) {
                    // What cannot be is a gap in the journal.
                    if let Ok(stage) = next(timing.stage, *to) {
                        timing.enter(stage, at);
                    }
                    timing.agent = agent.clone().or(timing.agent.take());
                }
            }
            Event::Ended { id, outcome, .. } => self.ended(at, id, *outcome, named),
            Event::Agent { name, change } => self.changed(&named(name), change),
            _ => {}
        }
    }

    fn ended(&mut self, at: Millis, id: &MessageId, outcome: Outcome, named: &dyn Fn(&AgentName) -> String) {
        let timing = self.timings.remove(id);
        let agent = timing.as_ref().and_then(|timing| timing.agent.as_ref()).map_or("none".to_owned(), named);
        let labels = vec![("agent", agent.clone()), ("outcome", outcome.word().to_owned())];
        self.counts.ended.get_or_create(&labels).inc();
        if let Some(mut timing) = timing {
            timing.enter(Stage::Finished(outcome), at);
            let labels = vec![("agent", agent)];
            self.waiting.get_or_create(&labels).observe(seconds(timing.waited));
            self.working.get_or_create(&labels).observe(seconds(timing.worked));
        }
    }

    fn changed(&self, agent: &str, change: &AgentChange) {
        let counts = &self.counts;
        let family = match change {
            AgentChange::Down { wanted: false, .. } => &counts.restarts,
            AgentChange::Blocked { need: Some(need) } if !need.over && !need.again => match need.kind {
                NeedKind::Limit => &counts.limits,
                NeedKind::Input => &counts.questions,
                NeedKind::Repair => return,
            },
            _ => return,
        };
        family.get_or_create(&vec![("agent", agent.to_owned())]).inc();
    }
}

fn seconds(ms: u64) -> f64 {
    std::time::Duration::from_millis(ms).as_secs_f64()
}
