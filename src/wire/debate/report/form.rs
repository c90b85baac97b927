//! What a report is made of.

use super::super::document::{DebateStatus, RoundOutput};
use super::super::marks::CheckedCitation;
use super::super::request::DebateTerms;
use crate::engine::flow::spent::SpeechCost;

/// A debate with all that came of it.
#[derive(Debug, Clone)]
pub struct DebateReport<'a> {
    pub id: &'a str,
    pub task: &'a str,
    pub head: &'a DebateTerms,
    pub status: &'a DebateStatus,
    /// From its beginning to its end.
    pub ms: u64,
    /// What all speeches have taken, as far as their programs tell.
    pub spent: SpeechCost,
    /// The rounds that took place, in order. One that was left out is missing.
    pub rounds: Vec<ReportRound<'a>>,
    /// Whether it ended before its last round, since a critique brought no objection and no new proposal.
    pub is_settled_early: bool,
    /// What the one answered who was asked alone.
    pub baseline: Option<ReportCell<'a>>,
    /// What else is to be said of the whole, such as a worktree that could not be removed.
    pub notes: Vec<String>,
}

/// A round: a cell for each role that had its turn.
#[derive(Debug, Clone)]
pub struct ReportRound<'a> {
    pub round: u8,
    pub cells: Vec<ReportCell<'a>>,
}

/// What a role said in a round, with the places that it cites.
#[derive(Debug, Clone)]
pub struct ReportCell<'a> {
    pub output: &'a RoundOutput,
    pub citations: Vec<CheckedCitation>,
}
