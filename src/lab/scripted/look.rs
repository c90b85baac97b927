//! How the screen of a `tui` agent looks, as data: which rows stand where at which moment. Unless a script says otherwise it
//! is a plain box between two rules; with a look it is drawn as a certain CLI draws it, so that its profile reads it.

use schemars::JsonSchema;
use serde::Deserialize;

/// How the screen looks (`tui` mode). In rows `{fill:X}` is X, repeated until the row is full.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Look {
    /// Rows printed once, after `at_start` and before the first prompt.
    pub banner: Vec<String>,
    /// What `{sign}` stands for while a turn is played, unless `busy` says it otherwise.
    pub sign: String,
    /// What `{text}` stands for in the rows of `busy` while no spinner says it otherwise.
    pub working: String,
    /// The pictures of `{spinner}`, one after the other.
    pub spinner: Vec<String>,
    /// The input box.
    #[serde(rename = "box")]
    pub input: BoxLook,
    /// What was sent, where it is above the box; unless it is set, as it stood in the box.
    pub sent: Option<Said>,
    /// What is said.
    pub answer: Said,
    /// A limit, as `limit` prints it; unless it is set, like an answer that goes on.
    pub limit: Option<Said>,
    /// An error, as `error` prints it; unless it is set, like an answer.
    pub error: Option<Said>,
    /// Rows that end a turn. `{elapsed}` is how many seconds it took.
    pub end: Vec<String>,
    /// Rows that end a turn with a limit or an error, which is `{text}`.
    pub failed_end: Vec<String>,
    /// Rows that end a turn that was interrupted; unless it is set, a row that says so.
    pub interrupted: Option<Vec<String>>,
    /// Messages that wait for the end of the turn.
    pub queued: Queued,
    /// What is in the box in place of a big paste.
    pub pasted: Pasted,
    /// A permission dialog.
    pub dialog: DialogLook,
    /// A trust dialog.
    pub trust: DialogLook,
    /// Before it is ready. There is no box unless `shows_box` says so.
    pub starting: Moment,
    /// Ready, and no turn was played yet; what is not set here is as in `idle`.
    pub fresh: Moment,
    /// Ready.
    pub idle: Moment,
    /// Ready, and something is in the box; what is not set here is as in `idle`.
    pub draft: Moment,
    /// While a turn is played.
    pub busy: Moment,
    /// While a turn is played and something of it was said; what is not set here is as in `busy`.
    pub answering: Moment,
    /// While a turn is played and something is in the box; what is not set here is as in `answering` or `busy`.
    pub busy_draft: Moment,
}

/// What a moment looks like.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Moment {
    /// Rows above the box. `{spinner}`, `{text}` (what the spinner says), `{sign}`, `{elapsed}` (seconds of the turn). A row
    /// with `{sign}` is left out while that is empty. Unless it is set, the row of a `spinner`.
    pub status: Option<Vec<String>>,
    /// Rows below the box, with the same placeholders and `{notice}`, the last `limit`.
    pub footer: Option<Vec<String>>,
    /// The title of the pane from then on, with the same placeholders.
    pub title: Option<String>,
    /// What an empty box shows, in place of the script's `placeholder`.
    pub placeholder: Option<String>,
    /// Whether there is a box.
    pub shows_box: Option<bool>,
}

/// The input box. The script's `prompt` is before its first row.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct BoxLook {
    /// Rows above its text.
    pub above: Vec<String>,
    /// What is before further rows of its text; unless it is set, as many blanks as the prompt is wide.
    pub more: Option<String>,
    /// What is behind its text.
    pub tail: String,
    /// Rows below its text.
    pub below: Vec<String>,
    /// Where the cursor is.
    pub cursor: Cursor,
}

/// Where the cursor is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Cursor {
    /// Behind the text in the box.
    #[default]
    Text,
    /// Below everything.
    Below,
}

/// A text above the box.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Said {
    /// Rows above it.
    pub above: Vec<String>,
    /// What is before its first row.
    pub first: String,
    /// What is before its further rows.
    pub more: String,
    /// Rows below it.
    pub below: Vec<String>,
}

/// Messages that wait.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Queued {
    /// Rows above them.
    pub above: Vec<String>,
    /// Each of them; `{text}` is its text.
    pub row: String,
    /// Rows below them.
    pub below: Vec<String>,
}

/// What is in the box in place of a big paste: `{number}`, `{more}` lines after the first, `{lines}`, `{chars}`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Pasted {
    /// Where it has one line.
    pub line: String,
    /// Where it has several.
    pub lines: String,
}

/// A dialog in place of the box.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DialogLook {
    /// Rows above it.
    #[serde(default)]
    pub above: Vec<String>,
    /// Each row of its `{text}`.
    #[serde(default = "text")]
    pub row: String,
    /// Rows below its text.
    #[serde(default)]
    pub question: Vec<String>,
    /// Each choice: `{mark}`, `{number}`, `{label}`. Empty: no rows of their own.
    #[serde(default)]
    pub choice: String,
    /// The mark of the choice that Enter takes; the others have as many blanks.
    #[serde(default)]
    pub mark: String,
    /// The choices; Enter takes the first one unless an arrow key says otherwise.
    pub choices: Vec<Choice>,
    /// Rows below the choices.
    #[serde(default)]
    pub below: Vec<String>,
    /// The title of the pane meanwhile.
    #[serde(default)]
    pub title: Option<String>,
}

/// What may be answered to a dialog.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Choice {
    /// Its words.
    pub label: String,
    /// What it does.
    pub does: Answer,
}

/// What a dialog was answered with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Answer {
    /// The script goes on.
    Allow,
    /// The turn ends.
    Deny,
    /// The agent ends, with exit code 1.
    Leave,
}

impl Look {
    /// The pictures of the spinner at `step`.
    pub(super) fn picture(&self, step: usize) -> &str {
        self.spinner.get(step % self.spinner.len().max(1)).map_or("", String::as_str)
    }
}

impl Default for Look {
    fn default() -> Self {
        let footer = |row: &str| Moment { footer: Some(vec![row.to_owned()]), ..Moment::default() };
        Self {
            banner: Vec::new(),
            sign: "esc to interrupt".to_owned(),
            working: "Working…".to_owned(),
            spinner: ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"].map(str::to_owned).into(),
            input: BoxLook::default(),
            sent: None,
            answer: Said { first: "● ".to_owned(), more: "  ".to_owned(), ..Said::default() },
            limit: None,
            error: None,
            end: Vec::new(),
            failed_end: Vec::new(),
            interrupted: None,
            queued: Queued::default(),
            pasted: Pasted::default(),
            dialog: DialogLook::permission(),
            trust: DialogLook::trust(),
            starting: Moment::default(),
            fresh: Moment::default(),
            idle: footer("  {notice}? for shortcuts"),
            draft: Moment::default(),
            busy: footer("  {notice}{sign}"),
            answering: Moment::default(),
            busy_draft: Moment::default(),
        }
    }
}

impl Default for BoxLook {
    fn default() -> Self {
        let rule = vec!["{fill:─}".to_owned()];
        Self { above: rule.clone(), more: None, tail: String::new(), below: rule, cursor: Cursor::Text }
    }
}

impl Default for Queued {
    fn default() -> Self {
        Self { above: Vec::new(), row: "  queued: {text}".to_owned(), below: Vec::new() }
    }
}

impl Default for Pasted {
    fn default() -> Self {
        Self {
            line: "[Pasted text #{number}]".to_owned(),
            lines: "[Pasted text #{number} +{more} lines]".to_owned(),
        }
    }
}

impl DialogLook {
    /// May this be done? Enter says yes.
    pub(super) fn permission() -> Self {
        Self::plain([("Yes", Answer::Allow), ("No", Answer::Deny)])
    }

    /// Is this folder trusted? Enter says no, and ends the program.
    pub(super) fn trust() -> Self {
        Self::plain([("No, exit", Answer::Leave), ("Yes, I trust this folder", Answer::Allow)])
    }

    fn plain(choices: [(&str, Answer); 2]) -> Self {
        Self {
            above: vec!["{fill:─}".to_owned()],
            row: text(),
            question: vec!["Do you want to proceed?".to_owned()],
            choice: "{mark} {number}. {label}".to_owned(),
            mark: "❯".to_owned(),
            choices: choices.map(|(label, does)| Choice { label: label.to_owned(), does }).into(),
            below: vec!["Enter to confirm · Esc to cancel".to_owned()],
            title: None,
        }
    }
}

fn text() -> String {
    "{text}".to_owned()
}
