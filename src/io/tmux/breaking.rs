//! The turn that is being broken off, remembered at its pane: where a daemon is killed in the midst of that, the next one goes on.

use super::command::{TmuxCommand, TmuxReply};
use super::pane::Pane;
use crate::io::mux::error::MuxError;
use crate::io::mux::memory::Breaking;

/// The option in which it is.
const OPTION: &str = "@tasuki_breaks";

impl Pane {
    /// Writes down, at the pane, that a turn is being broken off; or that none is.
    ///
    /// # Errors
    /// [`MuxError::NoPane`]; those of [`super::Tmux::run`].
    pub async fn note_breaking(&self, what: Option<&Breaking>) -> Result<(), MuxError> {
        let set = TmuxCommand::silent("set-option").flag("-p");
        let set = match what {
            Some(what) => set.target(self.id()).word(OPTION).word(what.written()),
            None => set.flag("-u").target(self.id()).word(OPTION),
        };
        self.run(set).await.map(drop)
    }

    /// What was written down, if anything was.
    ///
    /// # Errors
    /// [`MuxError::NoPane`]; those of [`super::Tmux::run`].
    pub async fn breaking(&self) -> Result<Option<Breaking>, MuxError> {
        let show = TmuxCommand::new("show-options").flag("-pqv").target(self.id());
        let replies = self.run(show.word(OPTION)).await?;
        Ok(Breaking::read(&replies.first().map(TmuxReply::text).unwrap_or_default()))
    }
}
