//! Whether a claim belongs to the turn that its agent has: where the token of a claim is compared with that of the turn.
//!
//! What a claim looks like is in [`crate::engine::screen::marker`]. The worker of the pane looks for it and reports what it read;
//! what follows from a claim that is proven is in [`super::close`].

use crate::engine::engine::Work;
use crate::engine::life::CompletionSource;
use crate::engine::words::{AgentName, MessageId, Token};

impl Work<'_> {
    /// Whether this token closes the turn that the agent has of this message. A turn without a token asks for none. A program
    /// that ends after each task shows none: its good end stands for it.
    pub(in crate::engine) fn token_fits(
        &self,
        name: &AgentName,
        id: &MessageId,
        source: CompletionSource,
        token: Option<Token>,
    ) -> bool {
        let Some((_, turn)) = self.turn_of(id) else { return false };
        match (turn.token, token) {
            (None, _) => true,
            (Some(own), Some(shown)) => own == shown,
            (Some(_), None) => source == CompletionSource::ProcessExit && self.may_be_one_shot(name),
        }
    }

    /// Whether its program ends after each task, or may do so: it was started with other settings than it has now.
    fn may_be_one_shot(&self, name: &AgentName) -> bool {
        let launch = self.state.agents.get(name).and_then(|agent| agent.launch);
        let member = self.team.members.get(name);
        member.is_none_or(|member| member.one_shot || Some(member.launch) != launch)
    }

    /// A claim that closes nothing is told of. Phrase and token do not stand side by side there.
    pub(in crate::engine) fn warn_of_claim(
        &mut self,
        name: &AgentName,
        id: &MessageId,
        token: Option<Token>,
        line: &str,
    ) {
        let what = match token {
            Some(token) => {
                let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
                let line = line.replace(token.as_str(), "…");
                format!("with a token that is not its turn's (`{line}`)")
            }
            None => "without the token of its turn".to_owned(),
        };
        self.warn(format!("{name} reported {id} as done {what}: nothing is closed"));
    }
}
