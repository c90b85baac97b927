//! What every verb works with: the workspace, the daemon's socket, and the terminal.

use super::failure::{Failure, Kind};
use crate::engine::message::refusal::{Code, Refusal};
use crate::io::client::{Client, ClientError};
use crate::io::lock;
use crate::io::workspace::{Surroundings, Workspace};
use crate::wire::clean::turns_text;
use anstream::{AutoStream, ColorChoice};
use serde::Serialize;
use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{IsTerminal, Read, Write};
use std::path::PathBuf;

/// How a verb ends that has not failed: [`Failure`] says how it ends else.
pub(super) type Ended = Result<(), Failure>;

/// What holds for every verb.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Globals {
    /// Workspace folder, which has a tasuki.yaml. Default: $TASUKI_ROOT, else the nearest parent folder with one
    #[arg(long, global = true, value_name = "DIR")]
    pub(super) root: Option<PathBuf>,
    /// Print data as JSON; errors and notes are JSON objects on the standard error, one per line
    #[arg(long, global = true)]
    pub(super) json: bool,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(super) color: Color,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Color {
    /// On terminals that support them, unless NO_COLOR or CLICOLOR=0 is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Color {
    pub(super) fn choice(self) -> ColorChoice {
        match self {
            Self::Auto => ColorChoice::Auto,
            Self::Always => ColorChoice::Always,
            Self::Never => ColorChoice::Never,
        }
    }
}

/// A verb's context.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) globals: Globals,
    pub(super) around: Surroundings,
}

impl Context {
    pub(super) fn new(globals: Globals) -> Result<Self, Failure> {
        Ok(Self { globals, around: Surroundings::of_this_process()? })
    }

    /// The workspace that is meant: one with a team file, or one whose team file was removed while its daemon runs.
    pub(super) fn workspace(&self) -> Result<Workspace, Failure> {
        let runs = |workspace: &Workspace| matches!(lock::holder(&workspace.lock()), Ok(Some(_)));
        self.workspace_where(runs)
    }

    /// Whether it is said which workspace is meant.
    pub(super) fn names_a_workspace(&self) -> bool {
        self.globals.root.is_some() || self.around.var("TASUKI_ROOT").is_some()
    }

    /// The workspace that is meant, which has a team file.
    pub(super) fn team(&self) -> Result<Workspace, Failure> {
        Ok(Workspace::find(self.globals.root.as_deref(), &self.around)?)
    }

    /// The same, or one whose team file was removed, where `runs` says that there is still something to be done.
    pub(super) fn workspace_where(&self, runs: impl Fn(&Workspace) -> bool) -> Result<Workspace, Failure> {
        match Workspace::find_bereft(self.globals.root.as_deref(), &self.around, runs) {
            Some(workspace) => Ok(workspace),
            None => self.team(),
        }
    }

    pub(super) fn client(&self) -> Result<Client, Failure> {
        Ok(Client::new(&self.workspace()?, &self.around)?)
    }

    /// Writes a text to the standard output, with a newline.
    pub(super) fn say(&self, text: impl AsRef<str>) -> Ended {
        let mut out = AutoStream::new(std::io::stdout().lock(), self.globals.color.choice());
        writeln!(out, "{}", text.as_ref().trim_end_matches('\n'))?;
        Ok(out.flush()?)
    }

    /// Writes what moves the cursor, to a terminal.
    pub(super) fn put(&self, text: &str) -> Ended {
        // It is a terminal, so whatever is said about colours it obeys this; colours were left out where they were not wanted.
        let mut out = std::io::stdout().lock();
        let choice = match self.globals.color.choice() {
            ColorChoice::Auto => AutoStream::choice(&out),
            choice => choice,
        };
        let text = if choice == ColorChoice::Never { without_colours(text) } else { text.to_owned() };
        out.write_all(text.as_bytes())?;
        Ok(out.flush()?)
    }

    pub(super) fn say_json(&self, value: &impl Serialize) -> Ended {
        let text = serde_json::to_string_pretty(value).map_err(std::io::Error::other)?;
        self.say(straight(&text))
    }

    /// Writes a value as JSON if that was asked for, else the text.
    pub(super) fn tell(&self, value: &impl Serialize, text: impl FnOnce() -> String) -> Ended {
        if self.globals.json { self.say_json(value) } else { self.say(text()) }
    }

    /// Writes a remark that is no part of the answer; as JSON where that was asked for, so that all that is read can be.
    pub(super) fn remark(&self, text: impl AsRef<str>) {
        if self.globals.json {
            return self.print_aside(&serde_json::json!({"remark": text.as_ref()}).to_string());
        }
        self.print_aside(text.as_ref());
    }

    fn print_aside(&self, text: &str) {
        let mut err = AutoStream::new(std::io::stderr().lock(), self.globals.color.choice());
        // A remark that nobody can read is not worth a failure.
        let _ = writeln!(err, "{text}");
    }

    /// Tells a failure, for people or as JSON.
    pub(super) fn complain(&self, failure: &Failure) {
        match failure.kind {
            Kind::NobodyReads => {}
            _ if self.globals.json => self.print_aside(&failure.json()),
            _ => self.remark(failure.text()),
        }
    }
}

/// JSON in which no letter turns the text around it: these stand in texts alone, where an escape says the same.
fn straight(json: &str) -> Cow<'_, str> {
    if !json.contains(turns_text) {
        return Cow::Borrowed(json);
    }
    let escaped = |c: char| if turns_text(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() };
    Cow::Owned(json.chars().map(escaped).collect())
}

/// A text without its colours; what moves the cursor stays.
fn without_colours(text: &str) -> String {
    let mut out = String::new();
    for (number, piece) in text.split("\u{1b}[").enumerate() {
        let end = piece.find(|c: char| c.is_ascii_alphabetic());
        match end {
            _ if number == 0 => out.push_str(piece),
            Some(end) if piece.as_bytes()[end] == b'm' => out.push_str(&piece[end + 1..]),
            _ => out.push_str(&format!("\u{1b}[{piece}")),
        }
    }
    out
}

/// Whether a command line that cannot be understood asks for JSON.
pub(super) fn asks_for_json(words: impl Iterator<Item = OsString>) -> bool {
    words.take_while(|word| word != "--").any(|word| word == "--json")
}

/// What a text is given as: itself, or `-` for the standard input.
pub(super) fn text_or_input(text: Option<&str>) -> Result<String, Failure> {
    match text {
        Some("-") => {}
        Some(text) => return Ok(text.to_owned()),
        None if std::io::stdin().is_terminal() => {
            let cure = "write it after the name, or `-` to type it in";
            return Err(Failure::new(Kind::Rejected, "content-empty", "there is no text to send", cure));
        }
        None => {}
    }
    let mut bytes = Vec::new();
    let most = crate::wire::message::draft::CONTENT_BYTES_MAX as u64 + 1;
    std::io::stdin().lock().take(most).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == most {
        let why = format!("the standard input is larger than {} bytes", most - 1);
        return Err(Refusal::new(Code::ContentTooLarge, why).at("content").into());
    }
    let bad =
        |_| Failure::new(Kind::Rejected, "not-utf8", "the standard input is not UTF-8", "send text as UTF-8");
    String::from_utf8(bytes).map_err(bad)
}

/// What is done without the daemon is a person's to do: nobody else can say what an agent may.
pub(super) fn refuse_agents(client: &Client, verb: &str) -> Result<(), Failure> {
    if !client.is_agents() {
        return Ok(());
    }
    let why = format!("it is unknown whether an agent may `{verb}`");
    Err(Failure::new(Kind::Rejected, Code::NotYours.word(), why, "let a person do it"))
}

/// Whether no daemon runs, where that is no failure; every other failure is one.
pub(super) fn unless_running<T>(asked: Result<T, ClientError>) -> Result<Option<T>, Failure> {
    match asked {
        Ok(answer) => Ok(Some(answer)),
        Err(ClientError::NotRunning { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_says_the_same_and_turns_no_text() {
        let value = serde_json::json!({"said": "a\u{202e}b 襷", "\u{2066}": "\\u{202e}"});
        let text = value.to_string();
        let straight = straight(&text);
        assert!(straight.contains(r"a\u202eb 襷") && !straight.contains(turns_text), "{straight}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&straight).ok(), Some(value));
    }
}
