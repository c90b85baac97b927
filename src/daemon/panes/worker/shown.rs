//! What may be shown and kept of a pane: nothing that would read as a claim where it is shown again, and no secret.

use super::Worker;
use super::reading::Read;
use crate::daemon::clients::request::{PaneLook, PaneResponse};
use crate::engine::screen::reading::{Dialog, plain};
use crate::io::process;
use crate::io::tmux::{Screen, TmuxError};
use crate::wire::clean::turns_text;
use crate::wire::redact::Redactor;
use crate::wire::team_file::Launch;
use std::path::Path;

/// Rows above those that are shown in which a secret may begin.
const ROWS_ABOVE: usize = 40;
/// Characters of a line that are shown.
const LINE_CHARS_MAX: usize = 120;

/// Knows the secrets of an agent that runs: those of its launch, and those that its program was given, for a daemon that takes
/// it over may have others.
pub(super) fn redactor(launch: &Launch, key: &str, pid: u32) -> Redactor {
    let given = process::environment(pid);
    let given = given.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let own = launch.env.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let mut redactor = Redactor::new(own.chain(given), |path| Path::new(path).exists());
    redactor.learn(key);
    redactor
}

impl Worker {
    /// The rows of a screen from this one on, as they may be shown. What is hidden of a row depends on those above it.
    pub(super) fn shown_rows(&self, screen: &Screen, from: usize) -> Vec<String> {
        let above = from.saturating_sub(ROWS_ABOVE);
        let rows: Vec<&str> = screen.rows.iter().skip(above).map(String::as_str).collect();
        let rows = self.redactor.rows(&rows, usize::from(screen.width));
        rows.iter().skip(from - above).map(|row| self.without_phrase(row)).collect()
    }

    /// A row in one line, as it may be shown: without borders, and not longer than what is read at a glance.
    pub(super) fn line_of(row: &str) -> String {
        let shown = |c: &char| !c.is_control() && !turns_text(*c);
        plain(row).chars().filter(shown).take(LINE_CHARS_MAX).collect()
    }

    /// What is asked, as it may be shown.
    pub(super) fn harmless(&self, dialog: Dialog) -> Dialog {
        let Dialog { text, choices, cut, rest, .. } = dialog;
        let choices = choices.iter().map(|choice| self.masked(choice)).collect();
        let text = self.masked(&text) + if cut { "\n…" } else { "" };
        Dialog { text, choices, cut, rest, ..Dialog::default() }
    }

    /// A text as it may be shown.
    pub(super) fn masked(&self, text: &str) -> String {
        self.without_phrase(&self.redactor.text(text))
    }

    fn without_phrase(&self, text: &str) -> String {
        if self.phrase.is_empty() { text.to_owned() } else { text.replace(&self.phrase, "······") }
    }

    /// What answers this dialog.
    fn takes(&self, rule: &str, dialog: &Dialog) -> &'static str {
        let rules = self.launch.profile.screen.as_ref().and_then(|rules| rules.choices.as_ref());
        match rules {
            Some(rules) if dialog.opened || rules.typed.iter().any(|typed| typed == rule) => "text",
            Some(_) if dialog.marked.is_some() || dialog.is_coloured() => "choice",
            _ => "nothing",
        }
    }

    /// What its screen is read as, and why.
    pub(super) async fn explain(&mut self) -> Result<PaneResponse, TmuxError> {
        let why = self.closed().await?.map(|hindrance| hindrance.why);
        let screen = self.pane.capture(0, self.rows()).await?;
        let profile = &self.launch.profile;
        let version = profile.screen.as_deref().map(|rules| rules.version.clone());
        let above = screen.rows.len().saturating_sub(usize::from(screen.height));
        let read = self.read(&screen).unwrap_or_default();
        let takes = read.asks().map(|dialog| self.takes(&read.rule, &dialog));
        let asks = match read.asks() {
            Some(dialog) => {
                let asked_at = self.known_as(&dialog).await?;
                Some(Dialog { asked_at, ..self.harmless(read.shown(dialog)) })
            }
            None => None,
        };
        let Read { state, rule, matched, input, .. } = read;
        let rows = self.shown_rows(&screen, above);
        Ok(PaneResponse::Look(Box::new(PaneLook {
            version,
            state: state.name(),
            rule,
            matched,
            rows,
            title: self.masked(&screen.title),
            cursor: screen.cursor,
            input: input.map(|input| self.masked(&input)),
            asks,
            takes,
            why,
        })))
    }
}
