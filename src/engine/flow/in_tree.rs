//! What is known of a step in its worktree: between which commits it worked, and what was found there when it had ended.

use super::branch::BranchName;
use crate::engine::form::{self, is_default};
use crate::engine::message::BodyRef;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A step in its worktree.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InTree {
    /// The branch on which it was done elsewhere, before its flow came here.
    #[serde(default, skip_serializing_if = "is_default")]
    pub elsewhere: Option<BranchName>,
    /// The commit at which the worktree was when the step began, or began again after somebody else had brought commits in; none of
    /// steps that began before this was kept.
    #[serde(default, skip_serializing_if = "is_default", with = "form::shared_option")]
    pub from: Option<Arc<str>>,
    /// The commit at which it was when the next one began in the same worktree: what came later is not this step's.
    #[serde(default, skip_serializing_if = "is_default", with = "form::shared_option")]
    pub until: Option<Arc<str>>,
    /// The commit at which it was when the last try had ended, of a step that is done again: what came to it in between, such as a
    /// merge of what the step needs, is not this step's.
    #[serde(default, skip_serializing_if = "is_default", with = "form::shared_option")]
    pub left: Option<Arc<str>>,
    /// What was done, once somebody has looked.
    #[serde(default, skip_serializing_if = "is_default")]
    pub work: Option<Box<StepWork>>,
    /// The pull request, once somebody has tried to open one.
    #[serde(default, skip_serializing_if = "is_default")]
    pub pull: Option<Box<StepPull>>,
}

impl InTree {
    /// The step is to be done again: what it did so far stays in its worktree.
    pub(in crate::engine) fn begin_again(&mut self) {
        if let Some(work) = self.work.take() {
            self.left = work.sum.head;
        }
        self.until = None;
    }
}

/// A pull request, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StepPull {
    #[serde(default, skip_serializing_if = "is_default")]
    pub number: Option<u64>,
    #[serde(default, skip_serializing_if = "is_default", with = "form::shared_option")]
    pub url: Option<Arc<str>>,
    /// Why none could be opened.
    #[serde(default, skip_serializing_if = "is_default", with = "form::shared_option")]
    pub why: Option<Arc<str>>,
}

/// What was done, and where all of it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepWork {
    #[serde(flatten)]
    pub sum: WorkSum,
    /// Where the commits and files are named; a text without content where nothing is known.
    pub place: BodyRef,
}

/// What was done, in numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WorkSum {
    /// The commit at which the branch was.
    #[serde(default, skip_serializing_if = "is_default", with = "form::shared_option")]
    pub head: Option<Arc<str>>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub commits: u32,
    /// Files that differ since the step began.
    #[serde(default, skip_serializing_if = "is_default")]
    pub files: u32,
    /// Files that are changed or new, and not committed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub uncommitted: u32,
    /// Why nothing is known of it.
    #[serde(default, skip_serializing_if = "is_default", with = "form::shared_option")]
    pub unknown: Option<Arc<str>>,
}
