//! How a message stands at this moment, in the words that every face says, and its place in a queue.

use crate::engine::life::StageName;
use crate::engine::message::Kind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a message stands at this moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StandingInfo {
    /// What a person says behind "is": `queued`, `held`, `at work`, `waiting for a limit`, `waits for you`, `completed`,
    /// `failed`, `called off`, or the words of another stage.
    pub words: String,
    /// Time since which it has so stood (RFC 3339).
    pub since: String,
    /// Time at which that is over by itself, if it is known (RFC 3339): the end of a limit.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub until: Option<String>,
}

/// The place of a message in a queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlaceInfo {
    /// Its number in the order in which the queue goes; the next one is 1.
    pub nth: usize,
    /// Number of messages in that queue.
    pub of: usize,
    /// Agent or pool whose queue it is.
    pub queue: String,
}

impl StandingInfo {
    /// Its agent waits until its provider accepts requests again.
    pub const LIMIT: &'static str = "waiting for a limit";
    /// Its agent asks a person something, or needs help.
    pub const YOU: &'static str = "waits for you";

    /// A letter that tells an error, and is with whom it was for: nothing was completed by it.
    pub const DELIVERED: &'static str = "delivered";

    /// How a message of this stage stands, where nothing is known of its agent.
    #[must_use]
    pub fn of(kind: Kind, stage: StageName, since: &str) -> Self {
        let is_told = kind == Kind::Error && stage == StageName::Completed;
        let words = if is_told { Self::DELIVERED } else { stage.said() };
        Self { words: words.to_owned(), since: since.to_owned(), until: None }
    }
}

impl PlaceInfo {
    /// As a person says it: `2nd of 3 for reviewer`.
    #[must_use]
    pub fn words(&self) -> String {
        format!("{} of {} for {}", ordinal(self.nth), self.of, self.queue)
    }
}

/// `1st`, `2nd`, `11th`.
fn ordinal(number: usize) -> String {
    let end = match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{number}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_said_as_a_person_says_it() {
        let said = |nth| PlaceInfo { nth, of: 112, queue: "reviewer".to_owned() }.words();
        assert_eq!(said(2), "2nd of 112 for reviewer");
        let ends =
            [1, 3, 4, 11, 12, 13, 21, 102, 111].map(|nth| said(nth).split(' ').next().map(str::to_owned));
        let ends: Vec<String> = ends.into_iter().flatten().collect();
        assert_eq!(ends, ["1st", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "111th"]);
    }
}
