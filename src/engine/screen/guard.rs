//! What must hold before the first byte is typed, by name: each is told while it does not.

use crate::engine::words::{AgentName, Millis};

/// Why nothing is typed to an agent just now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Guard {
    /// Its program has not said that it is ready.
    NotReadyYet,
    /// It prints or has unread input.
    Busy,
    /// Its screen says that it works.
    Working,
    /// Somebody's words stand in its input, unsent.
    Draft,
    /// Its program is a shell, in which another program runs.
    Occupied,
    /// It asks for something that a person should answer.
    Asking,
    /// Its provider takes no more requests for now.
    Limited,
    /// Its screen says that it cannot work.
    Broken,
    /// Its profile does not know its screen.
    UnknownScreen,
    /// A person typed in its pane a moment ago.
    PersonTyping,
    /// Its pane is in copy mode.
    CopyMode,
    /// `queue/STOP` is there.
    Stopped,
    /// tmux does not answer.
    NoAnswer,
    /// Its program ends after each task, and has not ended yet.
    Ending,
}

impl Guard {
    /// Whether a draft is what to tell of, if there is one beside this.
    #[must_use]
    pub fn leaves_drafts(self) -> bool {
        matches!(self, Self::Draft | Self::PersonTyping | Self::Busy | Self::NotReadyYet)
    }

    /// For `tasuki why` and the status.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::NotReadyYet => "the agent is not ready yet",
            Self::Busy => "the agent's terminal is busy",
            Self::Working => "the agent is working",
            Self::Draft => "draft: somebody's unsent words are in its input",
            Self::Occupied => "a program runs in its shell",
            Self::Asking => "it asks something that a person should answer",
            Self::Limited => "its provider accepts no more requests for now",
            Self::Broken => "its screen says that it cannot work",
            Self::UnknownScreen => "its profile does not recognise its screen",
            Self::PersonTyping => "a person is typing in its pane",
            Self::CopyMode => "its pane is in copy mode",
            Self::Stopped => "queue/STOP exists",
            Self::NoAnswer => "tmux does not answer",
            Self::Ending => "its program ends after each task, and has not ended yet",
        }
    }

    /// What a person can do about one that lasts, in words that follow a colon.
    #[must_use]
    pub fn cure(self, name: &AgentName) -> String {
        let shows = format!("`tasuki attach {name}` shows it");
        match self {
            Self::Busy | Self::Working => format!(
                "{shows}; if nothing is running there, `tasuki agent restart {name}` restarts it, and what waits goes on"
            ),
            Self::NotReadyYet | Self::UnknownScreen | Self::Broken | Self::Limited => {
                format!("{shows}, `tasuki agent restart {name}` restarts it")
            }
            Self::Draft => format!(
                "send them or remove them there (`tasuki attach {name}`), or run `tasuki pane clear-line {name}`"
            ),
            Self::Occupied => format!("{shows}; it goes on when that program has ended"),
            Self::Asking => {
                format!("{shows}, and you can answer there; `tasuki answer {name}` answers a dialog")
            }
            Self::PersonTyping => "it goes on when they have stopped for a moment".to_owned(),
            Self::CopyMode => format!("leave it with `q` (`tasuki attach {name}`)"),
            Self::Stopped => "`tasuki stop --off` lets work go on".to_owned(),
            Self::NoAnswer => "see `tasuki doctor`".to_owned(),
            Self::Ending => format!("{shows}, `tasuki agent restart {name}` ends it"),
        }
    }
}

/// A guard that is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine) struct Shut {
    pub(in crate::engine) guard: Guard,
    /// Since when the agent has not been typed to for one guard or another.
    pub(in crate::engine) since: Millis,
}
