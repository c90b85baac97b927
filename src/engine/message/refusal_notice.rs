//! Telling an agent that its drop was refused, without letting the telling become a flood: inside of a task as an answer to
//! it, which it reads before the task is closed, since what was refused may have been a part; else as a message.

use super::refusal::{Code, Refusal};
use crate::engine::engine::Work;
use crate::engine::life::close::Note;
use crate::engine::message::{Body, Kind, Message};
use crate::engine::team::timeouts::{NOTICES_PER_MINUTE, REFUSALS_IN_A_ROW};
use crate::engine::words::ourselves;
use crate::engine::words::{AgentName, MessageId, Token};
use std::collections::VecDeque;

impl Work<'_> {
    /// Tells the sender of a refused file, if it is an agent. An answer that came after its task had ended is no news to
    /// it: it had answered in another way already.
    pub(in crate::engine) fn tell_refused(
        &mut self,
        from: &AgentName,
        token: Option<Token>,
        file: &str,
        refusal: &Refusal,
    ) {
        let Ok(to) = self.team.sender(from) else { return };
        if to.is_user() || refusal.code == Code::NotOpen {
            return;
        }
        let (code, cure) = (refusal.code.word(), refusal.cure());
        let content = format!("{file} was refused: {} ({code}). Cure: {cure}.", refusal.why);
        let id = self.mint_id();
        if let Some(task) = self.task_to_be_told(&to, token) {
            let verified = token.and_then(|token| self.owner_of(token)).as_ref() == Some(&to);
            let note = Note { id, from: to, to: ourselves(), kind: Kind::Task };
            let mut message = Message { verified, ..note.message(self.now) };
            message.parent = Some(task);
            return self.answer_refused(message, file, &content);
        }
        let full = self.state.open.len() >= usize::try_from(self.team.limits.open_max).unwrap_or(usize::MAX);
        if full || !self.may_notify(&to) {
            return;
        }
        let (times, newest) =
            self.live.notices.entry(to.clone()).or_insert_with(|| (VecDeque::new(), id.clone()));
        times.push_back(self.now);
        newest.clone_from(&id);
        let note = Note { id, from: ourselves(), to, kind: Kind::Error };
        let message = note.message(self.now);
        self.emit_own(message, Body { content: content.into(), extra: "".into() });
    }

    /// The task in which a refused file was dropped: the token's, else the one that its sender has. None if it has been
    /// told often enough: whoever drops the same rubbish in each turn is to come to an end.
    fn task_to_be_told(&self, to: &AgentName, token: Option<Token>) -> Option<MessageId> {
        let proven = token.and_then(|token| self.state.tokens.get(&token).cloned());
        let id = proven.filter(|id| self.works_on(to, id)).or_else(|| self.current_of(to))?;
        let open = self.state.open.get(&id).filter(|open| open.message.kind == Kind::Task)?;
        let in_a_row = open.answers.iter().rev().take_while(|told| told.refused).count();
        (in_a_row < REFUSALS_IN_A_ROW).then_some(id)
    }

    /// What was refused is a part that has failed.
    fn answer_refused(&mut self, message: Message, file: &str, why: &str) {
        let id = message.id.clone();
        self.emit_own(message, Body { content: file.into(), extra: "".into() });
        self.fail(&id, why);
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
