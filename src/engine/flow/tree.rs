//! The worktree of a step: where it is, and the one total function that moves it.

use super::branch::BranchName;
use super::name::{BadStepName, StepName};
use crate::engine::form::{self, is_default};
use crate::engine::words::Millis;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The repository in which a flow works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowRepository {
    /// Its folder.
    pub root: String,
    /// The commit that was checked out when the flow was opened: worktrees of steps that need nothing begin with it.
    pub base: String,
    /// The branch that was checked out then, into which pull requests go; none if that was a commit by itself.
    #[serde(default, skip_serializing_if = "is_default")]
    pub branch: Option<String>,
}

/// In which worktree a step is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum StepTree {
    /// In one of its own.
    New,
    /// In that of this step, which has one of its own.
    SharedWith(StepName),
}

/// The word for a worktree of one's own; another one is called as the step whose it is.
const OWN: &str = "new";

impl From<StepTree> for String {
    fn from(tree: StepTree) -> Self {
        match tree {
            StepTree::New => OWN.to_owned(),
            StepTree::SharedWith(owner) => owner.to_string(),
        }
    }
}

impl TryFrom<String> for StepTree {
    type Error = BadStepName;

    fn try_from(text: String) -> Result<Self, BadStepName> {
        if text == OWN { Ok(Self::New) } else { StepName::new(&text).map(Self::SharedWith) }
    }
}

/// A worktree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tree {
    pub branch: BranchName,
    pub stage: TreeStage,
    /// When it was wanted first.
    pub wanted_at: Millis,
    /// Its folder, once it is there.
    #[serde(default, skip_serializing_if = "is_default", with = "form::shared_option")]
    pub path: Option<Arc<str>>,
    /// The commit with which the work in it begins.
    #[serde(default, skip_serializing_if = "is_default", with = "form::shared_option")]
    pub base: Option<Arc<str>>,
    /// The step that was in it last, or is.
    #[serde(default, skip_serializing_if = "is_default")]
    pub user: Option<StepName>,
    /// Whether it was looked after for that step, which has not begun yet.
    #[serde(default, skip_serializing_if = "is_default")]
    pub is_ready: bool,
    /// What that step is told of it.
    #[serde(default, skip_serializing_if = "is_default", with = "form::shared_option")]
    pub note: Option<Arc<str>>,
}

impl Tree {
    /// Whether a step may begin in it at once.
    #[must_use]
    pub fn is_ready_for(&self, step: &StepName) -> bool {
        self.stage == TreeStage::There && self.is_ready && self.user.as_ref() == Some(step)
    }
}

/// Where a worktree is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TreeStage {
    /// It is wanted, and is made outside.
    Making,
    /// Agents may work in it.
    There,
    /// It could not be made; it is made when its step is tried again.
    Failed,
    /// Its flow is over, and it is being removed with its branch.
    Removing,
    /// It was removed, and its branch.
    Gone,
    /// It could not be removed.
    Kept,
}

impl TreeStage {
    /// Whether something of it may be there that has to go at the end.
    pub(super) const fn is_in_the_way(self) -> bool {
        match self {
            Self::Making | Self::There | Self::Failed | Self::Removing => true,
            Self::Gone | Self::Kept => false,
        }
    }
}

/// What moves a worktree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TreeMove {
    /// A step wants it.
    Make,
    /// Git has made it, or it is there still, and agents may begin.
    Made,
    /// It cannot be made.
    Fail,
    /// Its flow is over, and keeps nothing.
    Remove,
    /// It is gone, and its branch.
    Removed,
    /// It cannot be removed.
    Keep,
}

impl TreeMove {
    /// Every one of them, in order.
    pub const ALL: [Self; 6] = [Self::Make, Self::Made, Self::Fail, Self::Remove, Self::Removed, Self::Keep];

    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Make => "make",
            Self::Made => "made",
            Self::Fail => "fail",
            Self::Remove => "remove",
            Self::Removed => "removed",
            Self::Keep => "keep",
        }
    }
}

/// Moves a worktree on; none where that cannot be, which changes nothing.
#[must_use]
pub fn next(stage: Option<TreeStage>, to: TreeMove) -> Option<TreeStage> {
    use TreeStage as S;
    match (stage, to) {
        (None | Some(S::Failed), TreeMove::Make) => Some(S::Making),
        // It is looked after again before each step that begins in it.
        (Some(S::Making | S::There), TreeMove::Made) => Some(S::There),
        (Some(S::Making), TreeMove::Fail) => Some(S::Failed),
        // What could not be made may be there in part.
        (Some(S::Making | S::There | S::Failed), TreeMove::Remove) => Some(S::Removing),
        (Some(S::Removing), TreeMove::Removed) => Some(S::Gone),
        (Some(S::Removing), TreeMove::Keep) => Some(S::Kept),
        (None | Some(S::Making | S::There | S::Failed | S::Removing | S::Gone | S::Kept), _) => None,
    }
}
