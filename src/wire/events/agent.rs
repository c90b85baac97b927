//! Agents in the journal: what happens to one, and one as it stood.

use super::field::{self, Wire, is_default};
use crate::engine::event::AgentChange;
use crate::engine::life::interrupted::Interrupted;
use crate::engine::screen::reading::Dialog;
use crate::engine::state::{Agent, Counts, LastEnd, Phase};
use crate::engine::team::need::{AnsweredBy, Need, NeedKind};
use crate::engine::words::{AgentName, Digest, MessageId, Millis, Nonce, PaneId, ProcessKey};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::sync::Arc;

/// Whom an event is about.
#[derive(Serialize, Deserialize)]
pub(super) struct NamePart {
    #[serde(with = "field")]
    pub(super) name: AgentName,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "AgentChange", tag = "change", rename_all = "snake_case")]
enum ChangeWire {
    Launching {
        #[serde(with = "field")]
        nonce: Nonce,
        #[serde(with = "field")]
        launch: Digest,
        #[serde(with = "field", default, skip_serializing_if = "is_default")]
        by: Option<AgentName>,
    },
    Up {
        #[serde(with = "field")]
        nonce: Nonce,
        #[serde(with = "field")]
        pane: PaneId,
        #[serde(with = "ProcessWire")]
        process: ProcessKey,
    },
    Adopted,
    Down {
        why: String,
        #[serde(with = "field", default, skip_serializing_if = "is_default")]
        restart_at: Option<Millis>,
        #[serde(default, skip_serializing_if = "is_default")]
        wanted: bool,
        #[serde(default, skip_serializing_if = "is_default")]
        asleep: bool,
        #[serde(default, skip_serializing_if = "is_default")]
        unstarted: bool,
    },
    Lost {
        why: String,
        #[serde(default, skip_serializing_if = "is_default")]
        spared: bool,
    },
    Blocked {
        /// Written even where it is null: that it is over is what the line says.
        #[serde(with = "field", default)]
        need: Option<Need>,
    },
    Answered {
        #[serde(with = "field")]
        choice: Arc<str>,
        #[serde(with = "ByWire")]
        by: AnsweredBy,
    },
    Interrupted {
        #[serde(with = "field")]
        id: MessageId,
        #[serde(with = "field")]
        how: Interrupted,
    },
    Removed,
}

/// An agent as it stood, but for its phase; part of `kept_agent`.
#[derive(Serialize, Deserialize)]
pub(super) struct AgentPart {
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    nonce: Option<Nonce>,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    launch: Option<Digest>,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    current: Option<MessageId>,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    given: Option<MessageId>,
    #[serde(default, skip_serializing_if = "is_default")]
    hops: Option<u8>,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    blocked: Option<Need>,
    #[serde(default, skip_serializing_if = "is_default")]
    looks: u8,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    last_end: Option<LastEnd>,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    restarts: Vec<Millis>,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    up_since: Option<Millis>,
    #[serde(with = "CountsWire", default, skip_serializing_if = "is_default")]
    counts: Counts,
}

/// Whether it ran; part of `kept_agent`.
#[derive(Serialize, Deserialize)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub(super) enum PhasePart {
    Absent,
    Launching,
    Up {
        #[serde(with = "field")]
        pane: PaneId,
        #[serde(with = "ProcessWire")]
        process: ProcessKey,
    },
    Restarting {
        #[serde(with = "field")]
        restart_at: Millis,
    },
    Stopped,
    Asleep,
    Failed {
        #[serde(with = "field")]
        why: Arc<str>,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "ProcessKey")]
struct ProcessWire {
    pid: u32,
    start_ticks: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Counts")]
struct CountsWire {
    #[serde(default, skip_serializing_if = "is_default")]
    completed: u64,
    #[serde(default, skip_serializing_if = "is_default")]
    failed: u64,
    #[serde(default, skip_serializing_if = "is_default")]
    sent: u64,
    #[serde(default, skip_serializing_if = "is_default")]
    received: u64,
    #[serde(default, skip_serializing_if = "is_default")]
    restarts: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Need")]
struct NeedWire {
    #[serde(with = "KindWire")]
    kind: NeedKind,
    #[serde(with = "field")]
    why: Arc<str>,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    asks: Option<Arc<Dialog>>,
    #[serde(with = "field")]
    since: Millis,
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    until: Option<Millis>,
    #[serde(default, skip_serializing_if = "is_default")]
    open_ended: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    hidden: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    looks: u8,
    #[serde(default, skip_serializing_if = "is_default")]
    over: bool,
}

/// What became of a turn that was broken off.
#[derive(Serialize, Deserialize)]
#[serde(tag = "turn", rename_all = "snake_case")]
enum HowWire<'a> {
    Ended,
    WasOver,
    NotGiven,
    GoesOn { why: Cow<'a, str> },
}

/// How an agent ended last.
#[derive(Serialize, Deserialize)]
struct EndWire<'a> {
    why: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "is_default")]
    unstarted: bool,
}

/// What is asked; which choice is marked is not kept.
#[derive(Serialize, Deserialize)]
struct AsksWire<'a> {
    text: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "is_default")]
    choices: Cow<'a, [String]>,
    /// When it was first seen.
    #[serde(with = "field", default, skip_serializing_if = "is_default")]
    asked_at: Option<Millis>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "AnsweredBy", rename_all = "snake_case")]
enum ByWire {
    Person,
    Profile,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "NeedKind", rename_all = "snake_case")]
enum KindWire {
    Input,
    Limit,
    Repair,
}

impl Wire for Arc<Dialog> {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let (text, choices) = ((&self.text).into(), (&self.choices[..]).into());
        AsksWire { text, choices, asked_at: self.asked_at }.serialize(to)
    }

    fn get<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let AsksWire { text, choices, asked_at } = AsksWire::deserialize(from)?;
        let (text, choices) = (text.into_owned(), choices.into_owned());
        Ok(Self::new(Dialog { text, choices, asked_at, ..Dialog::default() }))
    }
}

impl Wire for Need {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        NeedWire::serialize(self, to)
    }

    fn get<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        NeedWire::deserialize(from)
    }
}

impl Wire for Interrupted {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let how = match self {
            Self::Ended => HowWire::Ended,
            Self::WasOver => HowWire::WasOver,
            Self::NotGiven => HowWire::NotGiven,
            Self::GoesOn { why } => HowWire::GoesOn { why: (&**why).into() },
        };
        how.serialize(to)
    }

    fn get<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(match HowWire::deserialize(from)? {
            HowWire::Ended => Self::Ended,
            HowWire::WasOver => Self::WasOver,
            HowWire::NotGiven => Self::NotGiven,
            HowWire::GoesOn { why } => Self::GoesOn { why: why.into() },
        })
    }
}

impl Wire for LastEnd {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        EndWire { why: (&*self.why).into(), unstarted: self.unstarted }.serialize(to)
    }

    fn get<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let EndWire { why, unstarted } = EndWire::deserialize(from)?;
        Ok(Self { why: why.into(), unstarted })
    }
}

impl Wire for AgentChange {
    fn put<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        ChangeWire::serialize(self, to)
    }

    fn get<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        ChangeWire::deserialize(from)
    }
}

impl AgentPart {
    /// The two parts of an agent as it stands.
    pub(super) fn split(agent: &Agent) -> (PhasePart, Self) {
        let Agent { phase, nonce, launch, current, given, hops, blocked, .. } = agent.clone();
        let Agent { looks, last_end, restarts, up_since, counts, .. } = agent.clone();
        let part = Self {
            nonce,
            launch,
            current,
            given,
            hops,
            blocked,
            looks,
            last_end,
            restarts,
            up_since,
            counts,
        };
        (phase.into(), part)
    }

    /// The agent.
    pub(super) fn join(self, phase: PhasePart) -> Agent {
        let Self {
            nonce,
            launch,
            current,
            given,
            hops,
            blocked,
            looks,
            last_end,
            restarts,
            up_since,
            counts,
        } = self;
        let phase = phase.into();
        Agent {
            phase,
            nonce,
            launch,
            current,
            given,
            hops,
            blocked,
            looks,
            last_end,
            restarts,
            up_since,
            counts,
        }
    }
}

impl From<Phase> for PhasePart {
    fn from(phase: Phase) -> Self {
        match phase {
            Phase::Absent => Self::Absent,
            Phase::Launching => Self::Launching,
            Phase::Up { pane, process } => Self::Up { pane, process },
            Phase::Restarting(restart_at) => Self::Restarting { restart_at },
            Phase::Stopped => Self::Stopped,
            Phase::Asleep => Self::Asleep,
            Phase::Failed(why) => Self::Failed { why },
        }
    }
}

impl From<PhasePart> for Phase {
    fn from(part: PhasePart) -> Self {
        match part {
            PhasePart::Absent => Self::Absent,
            PhasePart::Launching => Self::Launching,
            PhasePart::Up { pane, process } => Self::Up { pane, process },
            PhasePart::Restarting { restart_at } => Self::Restarting(restart_at),
            PhasePart::Stopped => Self::Stopped,
            PhasePart::Asleep => Self::Asleep,
            PhasePart::Failed { why } => Self::Failed(why),
        }
    }
}
