//! Answers to the user's tasks that nobody has read yet.

use super::folder::Folder;
use super::model::Model;
use super::problems::{no_message, unreadable, unwritten};
use super::titles::title_of;
use super::unread::{LOOKED_AT, is_answered};
use crate::engine::words::{MessageId, Seq};
use crate::io::answers_read::AnswersRead;
use crate::wire::api::{Problem, UnreadAnswerInfo};
use crate::wire::time::rfc3339_ms;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Answers of which the text is shown; the list of messages has the rest.
const SHOWN: usize = 100;
/// Characters of a text that are shown: what does not fit a screen is asked for by itself.
const TEXT_CHARS: usize = 4_000;

impl Model {
    /// Looks which answers are unread.
    pub(super) fn look_at_answers(&mut self) {
        let now = self.now();
        let has_changed = self.answers.file.has_changed(&self.workspace.answers_read_file(), now);
        if self.answers.found.is_some() && !has_changed {
            return;
        }
        let read = AnswersRead::read(&self.workspace);
        if read == self.answers.read && self.answers.found.is_some() {
            return;
        }
        // What was read may be unread again.
        let before = std::mem::replace(&mut self.answers.read, read.clone());
        let goes_on = read.upto >= before.upto && before.also.iter().all(|id| read.also.contains(id));
        let found = self.answers.found.take().filter(|_| goes_on || read.upto > before.upto);
        let mut found = found.unwrap_or_else(|| self.answered());
        let also: BTreeSet<&str> = read.also.iter().map(String::as_str).collect();
        found.retain(|(seq, id)| seq.0 > read.upto && !also.contains(id.as_str()));
        self.answers.found = Some(found);
    }

    /// A person has seen the answer to a task; what became of it, in words. Only answers to the user's own tasks are ever unread.
    ///
    /// # Errors
    /// [`Problem`] if there is no such message, or if the disk takes nothing.
    pub fn answer_is_seen(&mut self, id: &MessageId) -> Result<String, Problem> {
        let ended = self.ended(id).map_err(|error| unreadable(&error))?;
        if ended.is_none() && !self.engine().state().open.contains_key(id) {
            return Err(no_message(id));
        }
        let Some(seq) = ended.filter(|ended| is_answered(&ended.finished)).map(|ended| ended.finished.seq)
        else {
            return Ok(format!("{id} has no answer that waits to be read"));
        };
        self.look_at_answers();
        if !self.answers.found.as_ref().is_some_and(|found| found.contains(&(seq, id.clone()))) {
            return Ok(format!("the answer to {id} was read before"));
        }
        AnswersRead::read_one(&self.workspace, id.as_str()).map_err(|error| unwritten(&error))?;
        self.answers.file = Folder::default();
        self.picture = None;
        Ok(format!("the answer to {id} counts as read"))
    }

    /// Tasks of the user's that were completed behind what was read.
    fn answered(&mut self) -> BTreeSet<(Seq, MessageId)> {
        let (upto, mut looked_at, mut found) = (self.answers.read.upto, 0, BTreeSet::new());
        let looked = self.ended_before(Seq(u64::MAX), &mut |_, ended| {
            let finished = &ended.finished;
            looked_at += 1;
            if finished.seq.0 <= upto || looked_at > LOOKED_AT {
                return ControlFlow::Break(());
            }
            if is_answered(finished) {
                found.insert((finished.seq, finished.message.id.clone()));
            }
            ControlFlow::Continue(())
        });
        // What cannot be read now is found when the model is made anew.
        drop(looked);
        found
    }

    /// The unread answers with their texts, oldest first: the newest of them.
    pub(super) fn unread_answers(&mut self) -> Result<Vec<UnreadAnswerInfo>, Problem> {
        self.look_at_answers();
        let found = self.answers.found.iter().flatten();
        let newest: Vec<MessageId> = found.rev().take(SHOWN).map(|(_, id)| id.clone()).collect();
        let mut answers = Vec::new();
        for id in newest.iter().rev() {
            let ended = self.ended(id).map_err(|error| unreadable(&error))?;
            let Some(ended) = ended else { continue };
            let finished = &ended.finished;
            let title = self.body_at(finished.body, ended.content_at).map(|body| title_of(&body.content));
            let answer = self.end_of(id, finished.seq).and_then(|(_, answer)| answer);
            let whole = answer.map(|answer| answer.body.content.to_string()).unwrap_or_default();
            let cut = whole.char_indices().nth(TEXT_CHARS).map(|(at, _)| at);
            let text = cut.map_or(&*whole, |at| &whole[..at]).to_owned();
            answers.push(UnreadAnswerInfo {
                id: id.to_string(),
                from: finished.agent.as_ref().unwrap_or(&finished.message.to).to_string(),
                title,
                at: rfc3339_ms(finished.at),
                text,
                is_cut: cut.is_some(),
            });
        }
        Ok(answers)
    }
}
