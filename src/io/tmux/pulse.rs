//! The team's pulse in the status line of our session.

use super::command::TmuxCommand;
use super::control::Tmux;
use crate::io::mux::error::MuxError;

/// The option that has the five counts, and that which has only those that a person should know of: for narrow terminals.
const PULSE: &str = "@tasuki_pulse";
const ALARM: &str = "@tasuki_alarm";

impl Tmux {
    /// Whether a person is attached to our session.
    ///
    /// # Errors
    /// Those of [`Tmux::run`].
    pub async fn has_people(&self) -> Result<bool, MuxError> {
        let session = format!("{}:", self.session());
        let list = TmuxCommand::new("list-clients").flag("-t").word(&session);
        let replies = self.run(list.flag("-F").word("#{client_control_mode}")).await?;
        Ok(replies.iter().any(|reply| reply.text().lines().any(|line| line == "0")))
    }

    /// Shows these two texts in the status line. tmux draws it anew for whoever is attached.
    ///
    /// # Errors
    /// Those of [`Tmux::run`].
    pub async fn show_pulse(&self, pulse: &str, alarm: &str) -> Result<(), MuxError> {
        let session = format!("{}:", self.session());
        let set = |name: &str, text: &str| {
            TmuxCommand::silent("set-option").flag("-t").word(&session).word(name).word(text)
        };
        self.run(set(PULSE, pulse).then(set(ALARM, alarm))).await.map(drop)
    }
}
