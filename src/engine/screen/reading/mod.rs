//! What state a program is in, read from what its pane shows. Rules are data (a provider's profile); nothing here knows
//! any program by name. What no rule knows is [`State::Unknown`], and nothing is typed then.

mod dialog;
mod frame;
mod input_box;
mod pattern;
mod rules;
mod steady;
mod style;

pub use dialog::{ChoiceList, ChoiceRules, Choose, Chosen, Dialog};
pub use frame::{Frame, plain};
pub use input_box::{BoxForm, BoxRules, CursorPlace, InputBox};
pub use pattern::{Pattern, PatternError};
pub use rules::{BoxState, Rule, Rules, Sights};
pub use steady::is_like;
pub use style::StyledRow;

/// The state of a program, as far as its screen tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum State {
    /// It waits for a line, and nothing stands in its input box.
    Ready,
    /// It works.
    Busy,
    /// It waits, and somebody's words stand in its input box.
    Draft,
    /// It asks for something that only a person should answer: a permission, trust, a choice.
    WaitingInput,
    /// Its provider takes no more requests for a while.
    RateLimited,
    /// It cannot work: its login is not valid any more, or its last turn ended with an error.
    Error,
    /// No rule knows this screen.
    #[default]
    Unknown,
}

impl State {
    /// Every state, in the order in which they are listed for people.
    pub const ALL: [Self; 7] = [
        Self::Ready,
        Self::Busy,
        Self::Draft,
        Self::WaitingInput,
        Self::RateLimited,
        Self::Error,
        Self::Unknown,
    ];

    /// Its name in profiles and for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Busy => "busy",
            Self::Draft => "draft",
            Self::WaitingInput => "waiting_input",
            Self::RateLimited => "rate_limited",
            Self::Error => "error",
            Self::Unknown => "unknown",
        }
    }
}

/// What a screen was read as, and by what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading<'a> {
    /// The state.
    pub state: State,
    /// The rule that says so; none if no rule knows the screen.
    pub rule: Option<&'a Rule>,
    /// The rows that matched it, top to bottom, counted from 0. The title is no row.
    pub rows: Vec<usize>,
    /// The input box, if one is shown.
    pub input_box: Option<InputBox>,
    /// What it asks, where it waits for somebody and no input box is shown.
    pub dialog: Option<Dialog>,
}

impl Reading<'_> {
    /// Whether a turn may be typed: the program waits, its input box is shown, and nothing stands there.
    #[must_use]
    pub fn is_free(&self) -> bool {
        match self.state {
            State::Ready => true,
            State::Error => self.rule.is_some_and(|rule| rule.free),
            _ => false,
        }
    }

    /// Name of the rule, or a dash.
    #[must_use]
    pub fn rule_name(&self) -> &str {
        self.rule.map_or("-", |rule| rule.name.as_str())
    }
}
