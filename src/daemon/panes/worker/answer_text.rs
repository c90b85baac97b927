//! Answers in words: into a dialog that takes a line of text, and in the place of a choice that says so. Enter is pressed once
//! the text is seen there.

use super::answer::{Answering, KEY_WAIT, Stopped, refused};
use crate::engine::screen::doorbell;
use crate::engine::screen::echo::squeezed;
use crate::engine::screen::reading::Dialog;
use crate::engine::team::need::AnsweredBy;
use crate::wire::api::PaneAnswered;
use std::time::Duration;
use tokio::time::Instant;

/// Longest text that is typed as an answer, in bytes: what a dialog takes in one line.
const TEXT_BYTES_MAX: usize = 4_000;

/// What is typed of a text.
fn line_of(text: &str) -> Result<String, Stopped> {
    let line = doorbell::clean(&text.trim().replace(['\r', '\n'], " ")).into_owned();
    if line.is_empty() {
        return refused("it asks for a text, and this one is empty");
    }
    if line.len() > TEXT_BYTES_MAX {
        return refused(format!("the text has {} bytes; at most {TEXT_BYTES_MAX} are typed", line.len()));
    }
    Ok(line)
}

/// What is told of an answer in words: a key or a password is nobody's business.
fn told_of<'a>(dialog: &Dialog, line: &'a str) -> &'a str {
    const SECRETS: [&str; 7] =
        ["api key", "api-key", "password", "passphrase", "secret", "token", "authorization code"];
    let asked = dialog.text.to_lowercase();
    if SECRETS.iter().any(|secret| asked.contains(secret)) { "(a text that is not shown)" } else { line }
}

impl Answering<'_> {
    /// Types an answer into a dialog that takes a line of text, and presses Enter once it is there.
    pub(super) async fn type_answer(
        &mut self,
        dialog: &Dialog,
        text: &str,
        by: AnsweredBy,
    ) -> Result<PaneAnswered, Stopped> {
        let line = line_of(text)?;
        if !self.asked().await?.is_some_and(|(_, now)| now.is_same(dialog)) {
            return refused("it now asks something else, or nothing");
        }
        let before = self.times_shown(&line).await?;
        let Some((rule, shown)) = self.type_words(&line).await? else {
            return refused("it no longer asks anything; Enter was not pressed");
        };
        let takes_text = self.session.agent.choice_rules();
        let takes_text = shown.opened || takes_text.is_some_and(|rules| rules.typed.contains(&rule));
        if !takes_text || self.times_shown(&line).await? <= before {
            return refused("the text is not shown there; Enter was not pressed: look at its pane");
        }
        let taken = self.take(&shown, self.session.now() + KEY_WAIT).await?;
        Ok(self.has_answered(told_of(dialog, &line), taken, by).await)
    }

    /// Types an answer in the place of this choice, which is marked first, and presses Enter once it is there.
    pub(super) async fn type_in_place(
        &mut self,
        dialog: &Dialog,
        at: usize,
        text: &str,
        until: Instant,
    ) -> Result<PaneAnswered, Stopped> {
        let line = line_of(text)?;
        self.mark(dialog, at, until).await?;
        self.has_seen_key(); // the mark was seen
        self.type_words(&line).await?;
        let stands = |shown: Option<&Dialog>| shown.is_some_and(|shown| shown.shows_typed(at, &line));
        self.wait_for(stands).await?;
        let Some((_, shown)) = self.asked().await? else {
            return refused("it no longer asks anything; Enter was not pressed");
        };
        if !shown.is_same_beside(dialog, at) {
            return refused("it now asks something else; Enter was not pressed: look at its pane");
        }
        if shown.marked != Some(at) || !stands(Some(&shown)) {
            return refused("the text is not shown there; Enter was not pressed: look at its pane");
        }
        let taken = self.take(&shown, until).await?;
        Ok(self.has_answered(told_of(dialog, &line), taken, AnsweredBy::Person).await)
    }

    /// How often a line is on the screen, however it is wrapped and framed.
    async fn times_shown(&self, line: &str) -> Result<usize, Stopped> {
        let screen = self.session.capture(0).await?;
        let bare = |text: &str| squeezed(text).replace(|c| ('\u{2500}'..='\u{259F}').contains(&c), "");
        let line = bare(line);
        Ok(if line.is_empty() { 0 } else { bare(&screen.rows.join("\n")).matches(&line).count() })
    }

    /// Types a line, if nobody minds, and says what is asked once the program has had time to take it.
    async fn type_words(&mut self, line: &str) -> Result<Option<(String, Dialog)>, Stopped> {
        if let Some((guard, _)) = self.session.hands_off().await? {
            return Err(Stopped::Guarded(guard.words().to_owned()));
        }
        self.session.paste(line).await?;
        let profile = self.session.agent.profile();
        let settles = Duration::from_millis(profile.enter_after_ms.max(profile.quiet_ms));
        let deadline = self.session.now() + settles;
        while self.session.listen_once(deadline).await? {}
        Ok(self.asked().await?)
    }
}
