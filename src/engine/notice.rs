//! Telling an agent that its drop was refused, without letting the telling become a flood.

use super::close::{Note, ourselves};
use super::engine::Work;
use super::message::{Body, Kind};
use super::patience::NOTICES_PER_MINUTE;
use super::refusal::{Code, Refusal};
use super::words::AgentName;
use std::collections::VecDeque;

impl Work<'_> {
    /// Sends the sender of a refused file an error, if it is an agent. An answer that came after its task had ended is
    /// no news to it: it had answered in another way already.
    pub(super) fn tell_refused(&mut self, from: &AgentName, file: &str, refusal: &Refusal) {
        let Ok(to) = self.team.sender(from) else { return };
        let full = self.state.open.len() >= usize::try_from(self.team.limits.open_max).unwrap_or(usize::MAX);
        if to.is_user() || refusal.code == Code::NotOpen || full || !self.may_notify(&to) {
            return;
        }
        let (code, cure) = (refusal.code.word(), refusal.code.cure());
        let content = format!("{file} was refused: {} ({code}). Cure: {cure}.", refusal.why);
        let id = self.mint_id();
        let (times, newest) =
            self.live.notices.entry(to.clone()).or_insert_with(|| (VecDeque::new(), id.clone()));
        times.push_back(self.now);
        newest.clone_from(&id);
        let note = Note { id, from: ourselves(), to, kind: Kind::Error };
        let message = note.message(self.now);
        self.emit_own(message, Body { content: content.into(), extra: "".into() });
    }

    /// Whether an agent has read of the last refusal, and was not told of too many in this minute.
    fn may_notify(&mut self, to: &AgentName) -> bool {
        const MINUTE_MS: u64 = 60_000;
        let Some((times, newest)) = self.live.notices.get_mut(to) else { return true };
        while times.front().is_some_and(|at| self.now.since(*at) >= MINUTE_MS) {
            times.pop_front();
        }
        times.len() < NOTICES_PER_MINUTE && !self.state.open.contains_key(newest)
    }
}
