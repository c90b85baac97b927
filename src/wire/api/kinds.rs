//! The kinds of what waits for a person, and of what the command of `notify:` is told.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident,)+) => {
        /// What kind of thing waits for a person.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum NeedKindInfo {
            $($(#[$doc])* $kind,)+
        }

        /// What may be reported: the kinds of what waits for a person, and completed tasks.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum NotifyKind {
            $($(#[$doc])* $kind,)+
            /// A task of the user's is completed. Parts of it are not reported.
            Completed,
        }

        impl From<NeedKindInfo> for NotifyKind {
            fn from(kind: NeedKindInfo) -> Self {
                match kind {
                    $(NeedKindInfo::$kind => Self::$kind,)+
                }
            }
        }
    };
}

kinds! {
    /// An agent asks something.
    Asks,
    /// It is not known whether a message was delivered.
    Held,
    /// An agent shows an error, such as an expired login.
    Error,
    /// An agent has ended and is not started again.
    Ended,
    /// An agent's turn is over without a claim, and it was reminded in vain.
    Silent,
    /// A person's unsent words stand in an agent's input.
    Draft,
    /// A limit is to pass by itself.
    Limit,
    /// Everything is on hold.
    Halted,
    /// A task failed.
    Failed,
    /// The plan of a session waits for a yes, or a session or the merge of its branches failed.
    Session,
    /// A dropped file was refused.
    Refused,
    /// A message is in `queue/lost/`.
    Lost,
    /// A message to the user is unread.
    Unread,
}
