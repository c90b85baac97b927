//! `screen:` of a profile: how its program's screens are read, as it is written, and the rules that come of it.

use super::dialogs::ChoicesEntry;
use super::patterns::{pattern, patterns};
use crate::engine::screen::reading::{
    BoxForm, BoxRules, BoxState, CursorPlace, Rule, Rules, ScreenState, Sights,
};
use crate::wire::team_file::finding::Book;
use crate::wire::team_file::values::At;
use schemars::JsonSchema;
use serde::Deserialize;

/// Rules of one profile, those of its base included: each look at a pane asks them all.
const RULES_MAX: usize = 200;

/// How the screens of a program are read. Patterns are regular expressions (of the Rust crate `regex`). Each is matched
/// against a single row without the spaces at its end.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Screen")]
pub(in crate::wire) struct ScreenEntry {
    /// Version of the program that has these screens, in its own words.
    version: Option<String>,
    /// How it draws the box for what is typed to it.
    #[serde(rename = "box")]
    input_box: Option<BoxEntry>,
    /// A row that shows what was typed before. A turn begins after the last one.
    echo: Option<At<String>>,
    /// The first row of each entry of a turn: an answer, a tool, an error.
    entry: Option<At<String>>,
    /// The first row of a dialog. What is above it is no part of the dialog.
    dialog: Option<At<String>>,
    /// How it draws the choices of a dialog. `tasuki answer` needs it.
    choices: Option<ChoicesEntry>,
    /// What a screen means: the first rule that matches decides. These rules precede those of the base profile, and
    /// replace those of the same name.
    rules: Option<At<Vec<At<RuleEntry>>>>,
}

/// The input box of a program, found from the bottom of the screen.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Box")]
struct BoxEntry {
    /// The ways in which the program draws it. The first one that matches counts.
    forms: Vec<FormEntry>,
    /// Texts that the program shows in an empty box.
    empty: Option<Vec<At<String>>>,
    /// What the program shows in place of a pasted text, from its first letter to its last.
    pasted: Option<Vec<At<String>>>,
    /// Whether faint text in the box is the program's own words, such as a suggestion. Then it is no unsent text.
    /// Default: `false`
    faint: Option<bool>,
}

/// One way to draw an input box. The first group of `first` and of `more` is what was typed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "BoxForm")]
struct FormEntry {
    /// The row right above its text, if that belongs to the box.
    above: Option<At<String>>,
    /// The first row of its text.
    first: At<String>,
    /// Each further row of its text. Blank rows always belong to it.
    more: Option<At<String>>,
    /// The first row after its text.
    below: At<String>,
    /// Number of rows at the end of its text that are the program's own. Default: `0`
    own_rows: Option<u8>,
    /// Number of blank rows right before `below` that are no part of its text. Default: `0`
    gap: Option<u8>,
    /// A row somewhere below the box. Without such a row it is not the box.
    footer: Option<At<String>>,
    /// Where the cursor is, if that is known. With the cursor elsewhere it is not the box. Default: `anywhere`
    cursor: Option<CursorWord>,
}

/// When a screen means a state. Everything under `see` must match, and nothing under `not`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Rule")]
pub(in crate::wire) struct RuleEntry {
    /// Rule name, unique in its profile.
    name: At<String>,
    /// What the screen means.
    state: StateWord,
    /// What the input box has to be. Default: `any`
    #[serde(rename = "box")]
    input_box: Option<BoxWord>,
    /// For an error: whether the program can be given a turn all the same. Default: `false`
    free: Option<bool>,
    /// For such an error: whether the last row above the input box must be bold. If it is not, the row is unsent text.
    /// Recorded screens have no colours, and are not checked. Default: `false`
    bold: Option<bool>,
    /// What must match.
    see: Option<SightsEntry>,
    /// What must not match.
    not: Option<SightsEntry>,
    /// What a person can do about it, shown after the program's own words. `{name}` is the agent.
    cure: Option<String>,
}

/// Patterns, by the part of the screen that they are matched against.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Sights")]
struct SightsEntry {
    /// The pane's title.
    title: Option<Vec<At<String>>>,
    /// What the input box shows: what was typed, or the program's own words if it is empty.
    input: Option<Vec<At<String>>>,
    /// The rows below the input box, with the one that ends it.
    footer: Option<Vec<At<String>>>,
    /// The last six rows above the input box that are not blank.
    status: Option<Vec<At<String>>>,
    /// The last row above the input box that is not blank.
    last: Option<Vec<At<String>>>,
    /// The rows from the last echo to the input box, or to the end of the screen.
    turn: Option<Vec<At<String>>>,
    /// The rows of the turn's last entry, if `entry` of the screen is set. An error before the turn's last words no
    /// longer counts.
    entry: Option<Vec<At<String>>>,
    /// The rows from the last one that matches `dialog` of the screen to the end. Without one: all rows below the input
    /// box.
    dialog: Option<Vec<At<String>>>,
    /// The last forty rows that are not blank.
    bottom: Option<Vec<At<String>>>,
}

/// `state:`.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum StateWord {
    Ready,
    Busy,
    Draft,
    WaitingInput,
    RateLimited,
    Error,
    Unknown,
}

/// `box:` of a rule.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum BoxWord {
    Any,
    Hidden,
    Shown,
    Empty,
    Filled,
}

/// `cursor:` of a form of the input box.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum CursorWord {
    Anywhere,
    Inside,
    NotBelow,
}

impl ScreenEntry {
    /// The rules that this makes of those of the base. What is wrong is in `book`.
    pub(in crate::wire) fn over(&self, base: Option<&Rules>, book: &mut Book) -> Rules {
        let mut rules = base.cloned().unwrap_or_default();
        if let Some(version) = &self.version {
            rules.version.clone_from(version);
        }
        if let Some(entry) = &self.input_box {
            rules.input_box = entry.read(book).or(rules.input_box);
        }
        if let Some(echo) = &self.echo {
            rules.echo = pattern(echo, book);
        }
        if let Some(entry) = &self.entry {
            rules.entry = pattern(entry, book);
        }
        if let Some(dialog) = &self.dialog {
            rules.dialog = pattern(dialog, book);
        }
        if let Some(entry) = &self.choices {
            rules.choices = Some(entry.read(book));
        }
        let Some(entries) = &self.rules else { return rules };
        let mut own: Vec<Rule> = Vec::new();
        for entry in &entries.value {
            if let Some(rule) = entry.value.read(book) {
                if own.iter().any(|other| other.name == rule.name) {
                    let why = format!("there are two rules `{}`", rule.name);
                    book.wrong(entry.value.name.place, why, "give one of them another name");
                }
                own.push(rule);
            }
        }
        rules.rules.retain(|rule| own.iter().all(|own| own.name != rule.name));
        own.append(&mut rules.rules);
        if own.len() > RULES_MAX {
            let why = format!("{} rules are too many", own.len());
            book.wrong(entries.place, why, format!("write at most {RULES_MAX}"));
        }
        rules.rules = own;
        rules
    }
}

impl BoxEntry {
    fn read(&self, book: &mut Book) -> Option<BoxRules> {
        let forms: Option<Vec<BoxForm>> = self.forms.iter().map(|form| form.read(book)).collect();
        let empty = patterns(self.empty.as_deref(), book);
        let pasted = patterns(self.pasted.as_deref(), book);
        Some(BoxRules { forms: forms?, empty, pasted, faint: self.faint.unwrap_or_default() })
    }
}

impl FormEntry {
    fn read(&self, book: &mut Book) -> Option<BoxForm> {
        let mut maybe = |text: &Option<At<String>>| match text {
            None => Some(None),
            Some(text) => pattern(text, book).map(Some),
        };
        let (above, more, footer) = (maybe(&self.above), maybe(&self.more), maybe(&self.footer));
        let (first, below) = (pattern(&self.first, book), pattern(&self.below, book));
        let own_rows = usize::from(self.own_rows.unwrap_or(0));
        let gap = usize::from(self.gap.unwrap_or(0));
        Some(BoxForm {
            above: above?,
            first: first?,
            more: more?,
            below: below?,
            own_rows,
            gap,
            footer: footer?,
            cursor: self.cursor.map_or(CursorPlace::Anywhere, CursorWord::place),
        })
    }
}

impl RuleEntry {
    fn read(&self, book: &mut Book) -> Option<Rule> {
        let name = &self.name.value;
        let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.len() > 64 || !name.chars().all(word) {
            let why = format!("`{name}` is not a valid name for a rule");
            book.wrong(self.name.place, why, "use 1 to 64 of a-z, 0-9, `-`, `_` and `.`");
            return None;
        }
        let (see, not) = (sights(self.see.as_ref(), book), sights(self.not.as_ref(), book));
        let input_box = self.input_box.map_or(BoxState::Any, BoxWord::state);
        let state = self.state.state();
        let free = self.free.unwrap_or(false);
        let may_type = free || matches!(state, ScreenState::Ready);
        if may_type && !matches!(input_box, BoxState::Empty) && see == Sights::default() {
            let why = format!("rule `{name}` reads every screen as one that may be typed to");
            book.wrong(self.name.place, why, "say `box: empty`, or what has to be seen");
        }
        let (bold, cure) = (self.bold.unwrap_or(false), self.cure.clone());
        Some(Rule { name: name.clone(), state, free, bold, input_box, see, not, cure })
    }
}

fn sights(entry: Option<&SightsEntry>, book: &mut Book) -> Sights {
    let Some(entry) = entry else { return Sights::default() };
    let mut all = |texts: &Option<Vec<At<String>>>| patterns(texts.as_deref(), book);
    Sights {
        title: all(&entry.title),
        input: all(&entry.input),
        footer: all(&entry.footer),
        status: all(&entry.status),
        last: all(&entry.last),
        turn: all(&entry.turn),
        entry: all(&entry.entry),
        dialog: all(&entry.dialog),
        bottom: all(&entry.bottom),
    }
}

impl StateWord {
    fn state(self) -> ScreenState {
        match self {
            Self::Ready => ScreenState::Ready,
            Self::Busy => ScreenState::Busy,
            Self::Draft => ScreenState::Draft,
            Self::WaitingInput => ScreenState::WaitingInput,
            Self::RateLimited => ScreenState::RateLimited,
            Self::Error => ScreenState::Error,
            Self::Unknown => ScreenState::Unknown,
        }
    }
}

impl BoxWord {
    fn state(self) -> BoxState {
        match self {
            Self::Any => BoxState::Any,
            Self::Hidden => BoxState::Hidden,
            Self::Shown => BoxState::Shown,
            Self::Empty => BoxState::Empty,
            Self::Filled => BoxState::Filled,
        }
    }
}

impl CursorWord {
    fn place(self) -> CursorPlace {
        match self {
            Self::Anywhere => CursorPlace::Anywhere,
            Self::Inside => CursorPlace::Inside,
            Self::NotBelow => CursorPlace::NotBelow,
        }
    }
}
