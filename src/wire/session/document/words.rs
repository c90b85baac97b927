//! The words of a document, each as the document spells it.

use crate::engine::flow::stage::FlowStage;
use crate::engine::flow::step::StepStage;
use serde::Serialize;

macro_rules! words {
    ($($(#[$doc:meta])* $type:ident { $($(#[$own:meta])* $name:ident,)+ })+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
        pub enum $type { $($(#[$own])* $name,)+ }

        impl $type {
            /// Every one of them, in order.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// The word in the document.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)+ }
            }
        }
    )+};
}

words! {
    /// The stage of a flow, as the document calls it.
    SessionStatus { Active, Paused, Completed, Failed, }

    /// Who said something.
    MessageRole {
        /// A person.
        User,
        /// The master agent.
        Assistant,
        /// Prompts, and what the program itself says.
        System,
    }

    /// The stage of a step, as the document calls it.
    TaskStatus {
        /// Something that it depends on is not completed.
        Pending,
        /// It may begin.
        Ready,
        Running,
        Completed,
        Failed,
        Cancelled,
    }

    /// In which worktree a task is done.
    WorktreeStrategy {
        /// In one of its own.
        New,
        /// In that of a task that it depends on.
        Shared,
    }

    /// Which program an agent is.
    SubAgentType { ClaudeCode, Codex, Gemini, OpenCode, Other, }

    /// What an agent does just now.
    SubAgentStatus { Starting, Running, WaitingInput, Completed, Error, }

    /// How it is known that an agent is done.
    DetectedBy {
        /// A hook of the program.
        Hook,
        /// The end of its process.
        ProcessExit,
        /// What it printed.
        OutputPattern,
        /// Its silence.
        IdleTimeout,
    }
}

impl From<StepStage> for TaskStatus {
    fn from(stage: StepStage) -> Self {
        match stage {
            StepStage::Pending => Self::Pending,
            StepStage::Ready => Self::Ready,
            StepStage::Preparing | StepStage::Sent => Self::Running,
            StepStage::Completed => Self::Completed,
            StepStage::Failed => Self::Failed,
            StepStage::Cancelled(_) => Self::Cancelled,
        }
    }
}

impl From<FlowStage> for SessionStatus {
    fn from(stage: FlowStage) -> Self {
        match stage {
            FlowStage::Active => Self::Active,
            FlowStage::Paused => Self::Paused,
            FlowStage::Completed => Self::Completed,
            FlowStage::Failed => Self::Failed,
        }
    }
}
