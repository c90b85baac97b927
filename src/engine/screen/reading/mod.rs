//! What state a program is in, read from what its pane shows. Rules are data (a provider's profile); nothing here knows
//! any program by name. What no rule knows is [`ScreenState::Unknown`], and nothing is typed then.

mod dialog;
mod frame;
mod input_box;
mod left_behind;
mod pattern;
mod rule;
mod rules;
mod state;
mod steady;
mod style;

pub use dialog::{ChoiceList, ChoiceRules, Choose, Chosen, Dialog};
pub use frame::{Frame, plain};
pub use input_box::{BoxForm, BoxRules, CursorPlace, InputBox};
pub use left_behind::{bare, rows_said_within};
pub use pattern::{Pattern, PatternError};
pub use rule::{BoxState, Reading, Rule, Sights};
pub use rules::Rules;
pub use state::ScreenState;
pub use steady::is_like;
pub use style::StyledRow;
