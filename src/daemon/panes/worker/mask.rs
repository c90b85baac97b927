//! What may be shown and kept of a pane: nothing that would read as a claim where it is shown again, and no secret.

use crate::engine::screen::reading::{Dialog, plain};
use crate::io::mux::PaneScreen;
use crate::io::process;
use crate::wire::api::RunInfo;
use crate::wire::clean::turns_text;
use crate::wire::redact::Redactor;
use crate::wire::runs::runs_of;
use crate::wire::team_file::Launch;
use std::path::Path;

/// Rows above those that are shown in which a secret may begin.
const ROWS_ABOVE: usize = 40;
/// Characters of a line that are shown.
const LINE_CHARS_MAX: usize = 120;

/// Hides an agent's secrets and its phrase.
#[derive(Debug)]
pub(super) struct Mask {
    redactor: Redactor,
    pub(super) phrase: String,
}

impl Mask {
    /// Knows the secrets of an agent that runs: those of its launch, and those that its program was given, for a daemon that takes
    /// it over may have others.
    pub(super) fn of(launch: &Launch, key: &str, pid: u32, phrase: String) -> Self {
        let given = process::environment(pid);
        let given = given.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let own = launch.env.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let mut redactor = Redactor::new(own.chain(given), |path| Path::new(path).exists());
        redactor.learn(key);
        Self { redactor, phrase }
    }

    /// The rows of a screen from this one on. What is hidden of a row depends on those above it.
    pub(super) fn rows(&self, screen: &PaneScreen, from: usize) -> Vec<String> {
        let above = from.saturating_sub(ROWS_ABOVE);
        let rows: Vec<&str> = screen.rows.iter().skip(above).map(String::as_str).collect();
        let rows = self.redactor.rows(&rows, usize::from(screen.width));
        rows.iter().skip(from - above).map(|row| self.without_phrase(row)).collect()
    }

    /// Rows of runs for whoever looks on: a row in which something is hidden is one run, since it may be in several.
    pub(super) fn runs(&self, rows: Vec<Vec<RunInfo>>, width: u16) -> Vec<Vec<RunInfo>> {
        let texts: Vec<String> =
            rows.iter().map(|row| row.iter().map(|run| run.text.as_str()).collect()).collect();
        let plain: Vec<&str> = texts.iter().map(String::as_str).collect();
        let shown = self.redactor.rows(&plain, usize::from(width));
        let row = |((row, text), shown): ((Vec<RunInfo>, &String), String)| match *text == shown {
            true => row,
            false => runs_of([shown.as_str()]).remove(0),
        };
        rows.into_iter().zip(&texts).zip(shown).map(row).collect()
    }

    /// What is asked.
    pub(super) fn dialog(&self, dialog: Dialog) -> Dialog {
        let Dialog { text, choices, cut, rest, .. } = dialog;
        let choices = choices.iter().map(|choice| self.text(choice)).collect();
        let text = self.text(&text) + if cut { "\n…" } else { "" };
        Dialog { text, choices, cut, rest, ..Dialog::default() }
    }

    pub(super) fn text(&self, text: &str) -> String {
        self.without_phrase(&self.redactor.text(text))
    }

    /// A text for whoever asked for the pane: without the secrets that are known, and nothing else hidden.
    pub(super) fn without_secrets(&self, text: &str) -> String {
        self.redactor.known(text)
    }

    fn without_phrase(&self, text: &str) -> String {
        if self.phrase.is_empty() { text.to_owned() } else { text.replace(&self.phrase, "······") }
    }
}

/// A masked row in one line: without borders, and not longer than what is read at a glance.
pub(super) fn line_of(row: &str) -> String {
    let shown = |c: &char| !c.is_control() && !turns_text(*c);
    plain(row).chars().filter(shown).take(LINE_CHARS_MAX).collect()
}
