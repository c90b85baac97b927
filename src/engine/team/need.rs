//! What an agent needs before anything can be typed to it: a person, or time.

use crate::engine::form::{self, is_default};
use crate::engine::screen::reading::Dialog;
use crate::engine::team::timeouts::LOOKS_AGAIN_MS;
use crate::engine::words::{AgentName, MessageId, Millis};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A provider that still refuses says so within a minute or two, retries of its program included: what its agent meets later
/// is another need.
const FOUND_AGAIN_MS: u64 = 3 * 60_000;

/// What an agent needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Need {
    /// What kind of thing.
    pub kind: NeedKind,
    /// What its screen says, in one line.
    #[serde(with = "form::shared")]
    pub why: Arc<str>,
    /// What it asks, if it shows a dialog.
    #[serde(default, skip_serializing_if = "is_default", with = "form::shared_option")]
    pub asks: Option<Arc<Dialog>>,
    pub since: Millis,
    /// When it is over by itself; or, where nobody knows that, when it is looked at again.
    #[serde(default, skip_serializing_if = "is_default")]
    pub until: Option<Millis>,
    /// Whether nobody knows when it is over.
    #[serde(default, skip_serializing_if = "is_default")]
    pub open_ended: bool,
    /// Whether nothing can be typed there: no input box is shown.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hidden: bool,
    /// How often it was looked at again before, since its agent last got something done.
    #[serde(default, skip_serializing_if = "is_default")]
    pub looks: u8,
    /// Whether that time has come. What its screen says stays known until it says something else.
    #[serde(default, skip_serializing_if = "is_default")]
    pub over: bool,
    /// When something was typed after that, or its screen said no more of it: what it says from then on is new.
    #[serde(default, skip_serializing_if = "is_default")]
    pub passed: Option<Millis>,
    /// When it was first seen, if it was looked at again since and was still there.
    #[serde(default, skip_serializing_if = "is_default")]
    pub first: Option<Millis>,
    /// Whether it was found as it was before: that is no news.
    #[serde(default, skip_serializing_if = "is_default")]
    pub again: bool,
}

/// What kind of thing an agent needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NeedKind {
    /// Somebody's answer to what it asks.
    Input,
    /// Time: its provider accepts no more requests for now.
    Limit,
    /// Somebody who mends it.
    Repair,
}

impl Need {
    /// One that has just been seen.
    #[must_use]
    pub const fn new(kind: NeedKind, why: Arc<str>, since: Millis) -> Self {
        Self {
            kind,
            why,
            asks: None,
            since,
            until: None,
            open_ended: false,
            hidden: false,
            looks: 0,
            over: false,
            passed: None,
            first: None,
            again: false,
        }
    }

    /// Since when somebody or something has been waited for.
    #[must_use]
    pub fn first_seen(&self) -> Millis {
        self.first.unwrap_or(self.since)
    }

    /// Whether its screen may go on saying it, and means nothing new by that.
    pub(in crate::engine) fn is_past(&self) -> bool {
        self.over && self.passed.is_none()
    }

    /// The same, of which its screen says no more from now on.
    pub(in crate::engine) fn passed_at(&self, now: Millis) -> Self {
        Self { passed: Some(now), ..self.clone() }
    }

    /// This need, which is found after an earlier one of the same agent: one of the same kind soon after a look again was never
    /// over. It has lasted since it was first seen.
    pub(in crate::engine) fn found_after(self, before: &Self, now: Millis) -> Self {
        let looked_at = before.until.unwrap_or(before.since);
        let typed_at = before.passed.unwrap_or(looked_at);
        let is_soon = typed_at.since(looked_at) <= FOUND_AGAIN_MS && now.since(typed_at) <= FOUND_AGAIN_MS;
        let goes_on = !before.over || is_soon;
        if self.kind != before.kind || !goes_on {
            return self;
        }
        let is_tried = before.over && before.open_ended && self.open_ended;
        let again = is_tried && without_digits(&self.why).eq(without_digits(&before.why));
        Self { first: Some(before.first_seen()).filter(|first| *first != self.since), again, ..self }
    }

    /// Whether a screen that says this says nothing new.
    pub(in crate::engine) fn says(&self, other: &Self) -> bool {
        let asks_the_same = self.asks == other.asks;
        let same = match (self.kind, other.kind) {
            (NeedKind::Limit, NeedKind::Limit) => self.asks.is_some() == other.asks.is_some(),
            // The dialog of a limit that is over.
            (NeedKind::Input, NeedKind::Limit) => {
                let words =
                    |need: &Self| need.asks.as_ref().map(|asks| (asks.text.clone(), asks.choices.clone()));
                words(self).is_some() && words(self) == words(other)
            }
            (kind, other) => kind == other && asks_the_same,
        };
        same && self.why == other.why && self.hidden == other.hidden
    }

    /// Whether its turn's clock is stopped: while somebody is asked, and until an end that is known.
    #[must_use]
    pub fn stops_the_clock(&self) -> bool {
        self.kind == NeedKind::Input || (self.kind == NeedKind::Limit && !self.open_ended)
    }

    /// When a limit is over by itself, if that is known.
    #[must_use]
    pub fn ends_at(&self) -> Option<Millis> {
        self.until.filter(|_| self.kind == NeedKind::Limit && !self.open_ended && !self.over)
    }

    /// Whether what comes next may be typed, to see whether it still is so: its screen has room for a line, and asks nothing.
    pub(in crate::engine) fn may_be_tried(&self) -> bool {
        self.asks.is_none() && !self.hidden && self.kind != NeedKind::Input
    }

    /// What its screen says, and when it is looked at again.
    pub(in crate::engine) fn told(&self) -> String {
        match self.until.filter(|_| self.open_ended) {
            Some(at) => format!("{}; checked again at {}", self.why, at.time_of_day()),
            None => self.why.to_string(),
        }
    }

    /// What a person can do about it, in words that follow a colon.
    pub(in crate::engine) fn cure(&self, name: &AgentName, current: Option<&MessageId>) -> String {
        let mut cures = match self.kind {
            NeedKind::Input if self.asks.is_some() => vec![format!("`tasuki answer {name}` answers it")],
            _ => vec![format!("`tasuki attach {name}` shows it")],
        };
        if self.asks.is_none() && self.kind != NeedKind::Input {
            cures.push(format!("`tasuki pane send --force {name} TEXT` types there anyway"));
        }
        if let Some(id) = current {
            if self.may_be_tried() {
                cures.push(format!("`tasuki retry {id}` tries it again at once"));
            }
            cures.push(format!("`tasuki cancel {id}` calls its task off"));
        }
        cures.push(format!("`tasuki agent restart {name}` restarts it"));
        cures.join(", ")
    }

    /// Whether nobody would ever look at it again: an older tasuki kept it so.
    pub(in crate::engine) fn is_forgotten(&self) -> bool {
        !self.over && self.kind != NeedKind::Input && self.until.is_none()
    }

    /// The same, to be looked at again after a while.
    pub(in crate::engine) fn postpone(&self, now: Millis) -> Self {
        let looks = self.looks.saturating_add(1);
        Self { until: Some(now.plus(looks_again_ms(looks))), open_ended: true, looks, ..self.clone() }
    }
}

/// A countdown says the same at each look.
fn without_digits(why: &str) -> impl Iterator<Item = char> + '_ {
    why.chars().filter(|c| !c.is_ascii_digit())
}

/// How long it takes until a need is looked at again that has been so often.
pub(in crate::engine) fn looks_again_ms(looks: u8) -> u64 {
    let at = usize::from(looks).min(LOOKS_AGAIN_MS.len() - 1);
    LOOKS_AGAIN_MS[at]
}

impl NeedKind {
    /// The state of an agent that needs this, as its status file has it.
    #[must_use]
    pub const fn state(self) -> &'static str {
        match self {
            Self::Input => "waiting_input",
            Self::Limit => "rate_limited",
            Self::Repair => "error",
        }
    }
}

/// Who answered what an agent asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnsweredBy {
    /// Somebody, with `tasuki answer`.
    Person,
    /// Its profile, which was told to.
    Profile,
}

impl AnsweredBy {
    /// For people.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Person => "a person",
            Self::Profile => "its profile",
        }
    }
}
