//! The actions of a script as data: what can be done on a turn.

use std::num::NonZeroU16;

use schemars::JsonSchema;
use serde::Deserialize;

use super::outward::{Delegates, Run};
use super::values::Pause;

/// One thing to do. In texts `{id} {from} {token} {content} {first_line} {headline} {answers} {report} {feedback} {line}
/// {digest} {redelivered} {n}` are
/// filled in.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Action {
    /// Prints a text.
    Print(String),
    /// Lets time pass: `200ms`, or by chance from `--seed` within `200ms..2s`.
    Wait(Pause),
    /// Prints a text in pieces, as a model streams it.
    Chunks(Chunks),
    /// Prints many lines; `{n}` is the line's number.
    Lines(Lines),
    /// Prints one line of so many columns with Japanese and emoji in it.
    Wide(u16),
    /// Draws a text word by word with cursor movements, and draws it over again.
    Redraw(Redraw),
    /// Shows a spinner that keeps moving, whether work is done or not.
    Spinner(Spinner),
    /// Enters or leaves the alternate screen, which has no history.
    AltScreen(Switch),
    /// Whether typed text is shown.
    Echo(Switch),
    /// Switches to raw input with a box, or back to lines.
    Raw(Switch),
    /// Sets the footer that says that a turn is played (`tui`), or prints it as a line (`line`). Empty: no sign.
    Busy(String),
    /// Sets the title of the pane.
    Title(String),
    /// Drops a message into `queue/`, or several in one file: parts of the task, for they carry the turn's token.
    Delegate(Delegates),
    /// Drops a result for the task into `queue/`, with the turn's token: done, said by a file.
    Reply(String),
    /// Drops an error for the task into `queue/`, with the turn's token: it cannot be done, and the text says why.
    Fail(String),
    /// Runs a program and waits for its end. There is no shell: each word is one argument, whatever is in it.
    Run(Run),
    /// Says done, or lies about it.
    Claim(Claim),
    /// Shows a permission dialog and waits for its answer; "No" ends the turn. Enter means "Yes".
    Dialog(String),
    /// Shows a trust dialog and waits for its answer. Enter means "No, exit", with exit code 1.
    Trust(String),
    /// The next N Enters on a text in the input box are swallowed (`tui` mode).
    SwallowEnter(u32),
    /// Prints a rate-limit notice; in `tui` mode it stays in the footer until the next turn.
    Limit(String),
    /// Prints an error: the turn has failed.
    Error(String),
    /// Prints lines that look like a claim and are none: `{claim}` is the phrase and the token. `print` never does that.
    Pretend(String),
    /// Ends with this exit code.
    Exit(u8),
    /// Sends this signal to itself.
    Signal(SignalName),
    /// Stops reading and printing for good.
    Hang,
    /// Writes a file, with its folders, relative to the working folder.
    WriteFile(WriteFile),
    /// Adds a line to the end of a file, with its folders, in one write: several agents may share the file.
    AppendFile(WriteFile),
    /// Rings the terminal's bell.
    Bell,
}

/// A text printed in pieces.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Chunks {
    /// The text.
    pub text: String,
    /// Characters a piece.
    pub size: NonZeroU16,
    /// Time between two pieces.
    #[serde(default)]
    pub every: Pause,
}

/// Many lines.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Lines {
    /// How many.
    pub count: u32,
    /// The text of each; `line {n}` if it is not said.
    #[serde(default = "line_n")]
    pub text: String,
    /// Time between two lines.
    #[serde(default)]
    pub every: Pause,
}

/// A text drawn over and over at the same place.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Redraw {
    /// The text; `{n}` is the number of the drawing, from 1.
    pub text: String,
    /// How often it is drawn.
    pub times: u16,
    /// Time between two drawings.
    #[serde(default)]
    pub every: Pause,
}

/// A spinner.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Spinner {
    /// How long it turns.
    #[serde(rename = "for")]
    pub time: Pause,
    /// The text beside it.
    #[serde(default = "working")]
    pub text: String,
}

/// How done is said: `now`, `early`, `dressed`, `drawn` and `twice` are claims; the others must close nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Claim {
    /// Phrase and token on a line of their own.
    Now,
    /// The same, but before everything else in the list, wherever it is: done before any work.
    Early,
    /// Nothing. It says in the script that silence is meant.
    Never,
    /// The phrase with a token that nobody was given.
    Wrong,
    /// The phrase with the token of the turn before; a made-up one on the first turn.
    Stale,
    /// The line twice.
    Twice,
    /// Phrase and token within a sentence.
    Prose,
    /// Phrase and token as a quotation: `> PHRASE TOKEN`.
    Quoted,
    /// Phrase and token on a line each.
    Split,
    /// As a CLI dresses it: a bullet, bold, a full stop.
    Dressed,
    /// As a CLI draws it: cursor movements where the spaces are.
    Drawn,
}

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Switch {
    /// On.
    On,
    /// Off.
    Off,
}

/// A signal that the agent sends to itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum SignalName {
    /// Dies at once, without putting the terminal right.
    Kill,
    /// Asked to end.
    Term,
    /// As Ctrl-C does.
    Int,
    /// As a closed terminal does.
    Hup,
    /// As a crash does.
    Segv,
    /// As a failed assertion does.
    Abrt,
    /// Stops until it is continued: alive, and deaf.
    Stop,
}

/// A file to write.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WriteFile {
    /// Where, relative to the working folder. Placeholders are filled in.
    pub path: String,
    /// What. Placeholders are filled in.
    pub text: String,
}

fn line_n() -> String {
    "line {n}".to_owned()
}

fn working() -> String {
    "Working…".to_owned()
}
