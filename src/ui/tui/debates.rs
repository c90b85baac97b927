//! What is known of debates: the list, the one that is looked at with its rounds, and what was said in one of them.

use super::sessions::first_line;
use crate::wire::api::{DebateInfo, EventInfo, Problem};
use crate::wire::debate::document::{DebateResult, DebateStatus, RoundOutput};
use serde::Deserialize;

/// What is known of debates.
#[derive(Debug, Clone, Default)]
pub(super) struct Debates {
    /// All of them, or why they are unknown; none before the first answer.
    pub(super) listed: Option<Result<Vec<DebateInfo>, Problem>>,
    /// Id of the one whose rounds are a place of their own.
    pub(super) opened: Option<String>,
    /// The one that was looked at last, or why it is unknown.
    pub(super) seen: Option<(String, Result<Box<DebateSeen>, Problem>)>,
    /// What was said in the round that was looked at last, or why that is unknown.
    pub(super) said: Option<(RoundWanted, Result<Vec<RoundOutput>, Problem>)>,
    /// Step of the journal that last told of debates.
    pub(super) changed_at: u64,
    /// Step of the journal that the last whole picture is as of: what could not be read before is read again.
    pub(super) whole_at: u64,
}

impl Debates {
    /// Whether any of this is about debates. What becomes of a speech's message is told in words of its own.
    pub(super) fn are_touched(&self, events: &[EventInfo]) -> bool {
        let speeches = match &self.seen {
            Some((_, Ok(seen))) => seen.besides.steps.as_slice(),
            _ => &[],
        };
        let is_its = |event: &EventInfo| {
            let of = |speech: &SpeechSeen| event.id.is_some() && event.id == speech.message;
            event.kind == "session" || speeches.iter().any(of)
        };
        events.is_empty() || events.iter().any(is_its)
    }

    /// The debate of this id with its rounds, if that is the one that is known.
    pub(super) fn seen(&self, id: &str) -> Option<&DebateSeen> {
        let (_, seen) = self.seen.as_ref().filter(|(of, _)| of == id)?;
        seen.as_deref().ok()
    }
}

/// A round whose texts are looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RoundWanted {
    /// Id of the debate.
    pub(super) id: String,
    /// The round; 0 is that of whoever is asked alone.
    pub(super) n: u8,
    /// How many of it have ended: each that ends adds a text.
    pub(super) ended: usize,
}

/// A debate, and what follows from its steps.
#[derive(Debug, Clone)]
pub(super) struct DebateSeen {
    pub(super) result: DebateResult,
    pub(super) besides: Besides,
    /// Steps of each row, by their places: the rounds, and behind them whoever is asked alone.
    pub(super) rows: Vec<Vec<usize>>,
}

/// What is known of a debate besides the document.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct Besides {
    pub(super) name: Option<String>,
    /// All of what is debated.
    pub(super) task: Option<String>,
    pub(super) roles: Vec<RoleSeen>,
    pub(super) rounds: u8,
    pub(super) steps: Vec<SpeechSeen>,
    pub(super) tokens_used: u64,
    pub(super) cost_usd: f64,
    pub(super) created_at: String,
    pub(super) updated_at: String,
}

/// A role.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct RoleSeen {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) provider: String,
    pub(super) model: Option<String>,
}

/// What a role does in a round.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct SpeechSeen {
    pub(super) round: u8,
    pub(super) role: String,
    pub(super) stage: String,
    pub(super) agent: Option<String>,
    pub(super) message: Option<String>,
    pub(super) began_at: Option<String>,
    pub(super) ended_at: Option<String>,
    pub(super) note: Option<String>,
}

impl SpeechSeen {
    /// How the cell of it is called: no role speaks twice in a round.
    pub(super) fn id(&self) -> String {
        format!("{}/{}", self.round, self.role)
    }

    /// Whether it has been typed, and no answer is there yet.
    pub(super) fn is_under_way(&self) -> bool {
        self.stage == "sent"
    }

    /// Whether it has a text, or a reason for none.
    pub(super) fn has_ended(&self) -> bool {
        matches!(&*self.stage, "completed" | "failed")
    }

    /// Its state in words.
    pub(super) fn word(&self) -> &'static str {
        match &*self.stage {
            "pending" => "waits for the round before",
            "ready" => "waits for its turn to speak",
            "preparing" => "gets a worktree",
            "sent" => "speaks",
            "completed" => "has spoken",
            "failed" => "failed",
            _ => "does not speak",
        }
    }
}

impl DebateSeen {
    pub(super) fn new(result: DebateResult) -> Self {
        let besides = result.tasuki.clone().and_then(|besides| serde_json::from_value(besides).ok());
        let besides: Besides = besides.unwrap_or_default();
        let of_round = |round: u8| {
            let steps = besides.steps.iter().enumerate().filter(move |(_, step)| step.round == round);
            steps.map(|(at, _)| at).collect::<Vec<_>>()
        };
        let rows = (1..=besides.rounds).chain([0]).map(of_round).filter(|row| !row.is_empty()).collect();
        Self { result, besides, rows }
    }

    /// What it is called: the first line of its task.
    pub(super) fn title(&self) -> String {
        let title = first_line(self.besides.name.as_deref().unwrap_or_default());
        if title.is_empty() { self.result.debate_id.clone() } else { title }
    }

    /// Ids of all cells, row by row.
    pub(super) fn ids(&self) -> Vec<String> {
        self.rows.iter().flatten().filter_map(|at| self.besides.steps.get(*at)).map(SpeechSeen::id).collect()
    }

    /// Row and column of a cell.
    pub(super) fn place(&self, id: &str) -> Option<(usize, usize)> {
        let is_it = |at: &usize| self.besides.steps.get(*at).is_some_and(|step| step.id() == id);
        let column = |row: &Vec<usize>| row.iter().position(is_it);
        self.rows.iter().enumerate().find_map(|(at, row)| Some((at, column(row)?)))
    }

    /// What stands in a cell; in a row that is shorter, in its last one.
    pub(super) fn cell(&self, row: usize, column: usize) -> Option<&SpeechSeen> {
        let row = self.rows.get(row)?;
        self.besides.steps.get(*row.get(column).or(row.last())?)
    }

    pub(super) fn speech(&self, id: &str) -> Option<&SpeechSeen> {
        let (row, column) = self.place(id)?;
        self.cell(row, column)
    }

    pub(super) fn role(&self, id: &str) -> Option<&RoleSeen> {
        self.besides.roles.iter().find(|role| role.id == id)
    }

    /// The cell that is looked at first: whoever speaks, else what failed last, else the first of the last round that was held.
    pub(super) fn first(&self) -> Option<&SpeechSeen> {
        let steps = &self.besides.steps;
        let speaks = steps.iter().find(|step| step.is_under_way());
        let last = steps.iter().filter(|step| step.has_ended()).map(|step| step.round).max();
        let of_last = |step: &&SpeechSeen| Some(step.round) == last;
        let failed = || match self.result.status {
            DebateStatus::Failed(_) => steps.iter().filter(of_last).find(|step| step.stage == "failed"),
            _ => None,
        };
        speaks.or_else(failed).or_else(|| steps.iter().find(of_last)).or(steps.first())
    }

    /// Those who speak just now.
    pub(super) fn speakers(&self) -> Vec<&SpeechSeen> {
        self.besides.steps.iter().filter(|step| step.is_under_way()).collect()
    }
}

/// The round that is under way.
pub(super) fn round_of(status: &DebateStatus) -> Option<u8> {
    match status {
        DebateStatus::Round1InProgress => Some(1),
        DebateStatus::Round2InProgress => Some(2),
        DebateStatus::Round3InProgress => Some(3),
        DebateStatus::Round4InProgress => Some(4),
        DebateStatus::Round5InProgress => Some(5),
        DebateStatus::Pending
        | DebateStatus::Completed
        | DebateStatus::Failed(_)
        | DebateStatus::Cancelled => None,
    }
}

/// How a debate stands, in a word or two.
pub(super) fn word_of(status: &DebateStatus) -> &'static str {
    match status {
        DebateStatus::Pending => "pending",
        DebateStatus::Completed => "completed",
        DebateStatus::Failed(_) => "failed",
        DebateStatus::Cancelled => "cancelled",
        _ => "under way",
    }
}
