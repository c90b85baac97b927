//! What each answer has to say, reckoned from what came in: the words of a claim after those of the turns that a reminder
//! followed, the content of a reply or of a dropped result, and for a task that nobody answered the cause of its end, with what
//! its agent had said. The engine keeps this in its state; here it follows from the inputs alone, a list of paragraphs a task.

use crate::engine::say;
use std::collections::{BTreeMap, BTreeSet};
use tasuki::engine::engine::Step;
use tasuki::engine::event::Event;
use tasuki::engine::input::{Command, Input, Report};
use tasuki::engine::life::{Move, Stage, TurnKind};
use tasuki::engine::message::{Draft, Kind, Outcome};
use tasuki::engine::state::State;
use tasuki::engine::words::MessageId;

/// Is between why a task ended and what its agent had said.
const HAD_SAID: &str = "\n\nWhat its agent said without reporting that it was done:\n\n";

/// What was said in a turn, all of it so far, and whether the beginning of it is missing.
#[derive(Debug, Clone)]
struct Paragraph {
    turn: u16,
    text: String,
    cut: bool,
}

/// What agents have said, and what each task was answered.
#[derive(Debug, Default, Clone)]
pub(crate) struct Texts {
    /// Of each task: what was said since the last turn that was no reminder.
    said: BTreeMap<MessageId, Vec<Paragraph>>,
    /// An answer in so many words that came before those of its parts were read.
    early: BTreeMap<MessageId, String>,
    /// What programs showed in place of words since then.
    notices: BTreeMap<MessageId, (String, bool)>,
    /// Claims that are checked before they count, and the last of them where one was found wanting.
    kept: BTreeMap<MessageId, (String, bool)>,
    /// The answer of each task that has ended, as it must be.
    pub(crate) answers: BTreeMap<MessageId, String>,
    /// Of which task each is a part.
    wholes: BTreeMap<MessageId, MessageId>,
    /// On which each depends.
    needs: BTreeMap<MessageId, Vec<MessageId>>,
    /// What ended and was not completed.
    broken: BTreeSet<MessageId>,
    /// Kinds of answers that were met, a word each.
    pub(crate) met: String,
}

/// Which message this returns to its pool.
fn goes_back(event: &Event) -> Option<&MessageId> {
    match event {
        Event::Moved { id, to: Move::Return { .. }, .. } => Some(id),
        _ => None,
    }
}

impl Texts {
    /// Takes a step in: what came, and what the engine made of it.
    ///
    /// # Errors
    /// The first answer that says something else.
    pub(crate) fn check(&mut self, before: &State, input: Option<&Input>, step: &Step) -> Result<(), String> {
        if let Some(Input::Report {
            agent,
            nonce,
            report: Report::Said { id, turn, text, truncated, notice },
        }) = input
            && before.agents.get(agent).is_some_and(|agent| agent.nonce == Some(*nonce))
            && is_turn_of(before, id, agent.as_str(), *turn)
        {
            match notice {
                true if text.is_empty() => {}
                true => self.notice(id, *turn, text, *truncated),
                false => self.hear(id, *turn, text, *truncated),
            }
        }
        let returned: BTreeSet<&MessageId> = step.events.iter().filter_map(goes_back).collect();
        let mut ended: BTreeMap<&MessageId, Outcome> = BTreeMap::new();
        for event in &step.events {
            if let Event::Ended { id, outcome: Outcome::Failed | Outcome::Cancelled, .. } = event {
                self.broken.insert(id.clone());
            }
            match event {
                Event::Accepted { message, .. } => {
                    match message.part_of() {
                        Some(whole) => drop(self.wholes.insert(message.id.clone(), whole.clone())),
                        None => drop(self.wholes.remove(&message.id)), // of one that had its id and is forgotten
                    }
                    self.needs.insert(message.id.clone(), message.depends_on.clone());
                    self.broken.remove(&message.id);
                }
                Event::Based { id, .. } => drop(self.kept.remove(id)),
                Event::Claimed { id, claim, .. } => {
                    let mut wanted = self.given(id, input, None)?;
                    let kept = self.kept.get(id).filter(|(kept, _)| !kept.trim().is_empty());
                    if let Some(kept) = kept.filter(|_| wanted.0.trim().is_empty()) {
                        wanted = kept.clone();
                    }
                    drop((self.said.remove(id), self.notices.remove(id), self.early.remove(id)));
                    let is = (claim.text.to_string(), claim.truncated);
                    if is != wanted {
                        return Err(format!("the claim of {id} should say {wanted:?}, and says {is:?}"));
                    }
                    self.kept.insert(id.clone(), wanted);
                }
                // Another question is another answer; only a reminder asks for the rest of the same.
                Event::Said { id, turn: 0, text, .. } => self.keep_early(id, text, input)?,
                Event::Moved { id, to: Move::Intend(turn), .. } if turn.kind != TurnKind::Reminder => {
                    self.said.remove(id);
                    self.notices.remove(id);
                    if turn.kind == TurnKind::Task {
                        self.early.remove(id);
                    }
                }
                Event::Ended { id, outcome, answer: None, .. } => drop(ended.insert(id, *outcome)),
                Event::Ended { id, outcome, answer: Some(answer), why } => {
                    let wanted = match answer.source {
                        Some(_) => self.given(id, input, Some(&answer.id))?,
                        None => {
                            let why = why.as_deref().unwrap_or_default();
                            self.must_be_why(id, *outcome, why, input, &ended, &returned)?;
                            self.failure(id, why)
                        }
                    };
                    let is = (answer.body.content.to_string(), answer.truncated);
                    if is != wanted {
                        let event = say::say_event(event, step.at);
                        return Err(format!("{event}\nit should say {wanted:?}, and says {is:?}"));
                    }
                    self.answers.insert(id.clone(), wanted.0);
                    self.said.remove(id);
                    self.early.remove(id);
                    self.kept.remove(id);
                    self.notices.remove(id);
                    ended.insert(id, *outcome);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Of one turn the newest words count: they are all of them.
    fn hear(&mut self, id: &MessageId, turn: u16, text: &str, cut: bool) {
        let all = self.said.entry(id.clone()).or_default();
        match all.iter_mut().find(|paragraph| paragraph.turn == turn) {
            Some(paragraph) => (paragraph.text, paragraph.cut) = (text.to_owned(), paragraph.cut || cut),
            None => all.push(Paragraph { turn, text: text.to_owned(), cut }),
        }
    }

    /// What its program shows in place of words was none in that turn.
    fn notice(&mut self, id: &MessageId, turn: u16, text: &str, cut: bool) {
        let words = self.said.get_mut(id).and_then(|all| all.last_mut()).filter(|last| last.turn == turn);
        if let Some(words) = words {
            words.text.clear();
        }
        self.notices.insert(id.clone(), (text.to_owned(), cut));
    }

    /// What somebody answered.
    fn given(
        &mut self,
        id: &MessageId,
        input: Option<&Input>,
        answer: Option<&MessageId>,
    ) -> Result<(String, bool), String> {
        match input {
            Some(Input::Job { .. }) => {
                self.met += "answered once it was checked\n";
                self.kept.get(id).cloned().ok_or_else(|| format!("nobody claimed {id}"))
            }
            Some(Input::Report { report: Report::Claimed { id: of, turn, text, truncated, .. }, .. })
                if of == id =>
            {
                let before = self.said.get(id).map_or(0, Vec::len);
                self.hear(id, *turn, text, *truncated);
                let (whole, cut) = self.whole(id);
                if before > 0 && whole != **text {
                    self.met += "answered with what was said before\n";
                }
                Ok((whole, cut))
            }
            Some(Input::Command { command: Command::Reply { text, .. }, .. }) if text.trim().is_empty() => {
                Ok((self.early.get(id).cloned().unwrap_or_else(|| text.to_string()), false))
            }
            Some(Input::Command { command: Command::Reply { text, .. }, .. }) => {
                Ok((text.to_string(), false))
            }
            Some(Input::Command { command: Command::Done { .. }, .. }) => {
                self.met += "a person took what was said\n";
                let (whole, cut) = self.whole(id);
                let kept =
                    self.kept.get(id).filter(|(kept, _)| whole.trim().is_empty() && !kept.trim().is_empty());
                Ok(kept.cloned().unwrap_or((whole, cut)))
            }
            Some(Input::Drop { drafts, .. }) => {
                let is_it = |draft: &&Draft| match answer {
                    Some(answer) => draft.id == *answer,
                    // What is checked first is an answer of its own then.
                    None => matches!(draft.kind, Kind::Result | Kind::Error),
                };
                let draft = drafts.iter().find(is_it);
                let draft =
                    draft.ok_or_else(|| format!("{id} is answered by {answer:?}, which nobody sent"))?;
                Ok((draft.body.content.to_string(), false))
            }
            other => Err(format!("{id} is answered by {other:?}")),
        }
    }

    fn failure(&mut self, id: &MessageId, why: &str) -> (String, bool) {
        let (mut said, mut cut) = self.whole(id);
        if let Some(kept) =
            self.kept.get(id).filter(|(kept, _)| said.trim().is_empty() && !kept.trim().is_empty())
        {
            (said, cut) = kept.clone();
        }
        if said.trim().is_empty() {
            return (why.to_owned(), false);
        }
        self.met += "failed with what was said\n";
        (format!("{why}{HAD_SAID}{said}"), cut)
    }

    /// Where it is known from what came why a task ended, it says so.
    fn must_be_why(
        &self,
        id: &MessageId,
        outcome: Outcome,
        why: &str,
        input: Option<&Input>,
        ended: &BTreeMap<&MessageId, Outcome>,
        returned: &BTreeSet<&MessageId>,
    ) -> Result<(), String> {
        let mut may = Vec::new();
        if let Some(Input::Command { command: Command::Cancel { id: of, .. }, .. }) = input
            && of == id
        {
            may.push("cancelled by user".to_owned());
        }
        let whole = self.wholes.get(id).and_then(|whole| Some((whole, ended.get(whole)?)));
        if let Some((whole, how)) = whole.filter(|(_, how)| **how != Outcome::Completed) {
            let how = if *how == Outcome::Cancelled { "was cancelled" } else { "failed" };
            may.push(format!("{whole}, of which it was a part, {how}"));
        }
        let restarted = self.wholes.get(id).filter(|whole| returned.contains(whole));
        if restarted.is_some_and(|whole| why == format!("{whole}, of which it was a part, is started again"))
        {
            return Ok(());
        }
        let needs = self.needs.get(id).into_iter().flatten();
        let broken = needs.filter(|other| self.broken.contains(*other));
        may.extend(broken.map(|other| format!("{other}, on which it depends, was not completed")));
        if why.trim().is_empty() || !may.is_empty() && !may.iter().any(|may| may == why) {
            return Err(format!("{id} is {}: {why:?}, and should be of {may:?}", outcome.word()));
        }
        Ok(())
    }

    /// All that was said of a task since it was asked last.
    fn whole(&self, id: &MessageId) -> (String, bool) {
        let all = self.said.get(id).map_or(&[][..], Vec::as_slice);
        let whole = all.iter().fold(String::new(), |whole, paragraph| after(&whole, &paragraph.text));
        let early = self.early.get(id).map(|early| (early.clone(), false));
        match early.or_else(|| self.notices.get(id).cloned()).filter(|_| whole.trim().is_empty()) {
            Some(instead) => instead,
            None => (whole, all.iter().any(|paragraph| paragraph.cut)),
        }
    }

    /// An answer that came too early is what somebody gave.
    fn keep_early(&mut self, id: &MessageId, text: &str, input: Option<&Input>) -> Result<(), String> {
        let is_given = match input {
            Some(Input::Command { command: Command::Reply { text: given, .. }, .. }) => **given == *text,
            Some(Input::Drop { drafts, .. }) => drafts.iter().any(|draft| *draft.body.content == *text),
            _ => false,
        };
        if !is_given {
            return Err(format!("nobody gave this answer to {id}: {text:?}"));
        }
        self.met += "an answer that came too early\n";
        self.early.insert(id.clone(), text.to_owned());
        Ok(())
    }
}

/// Whether this is the newest turn of a task, which its agent has and may speak in.
fn is_turn_of(state: &State, id: &MessageId, agent: &str, turn: u16) -> bool {
    state.open.get(id).is_some_and(|open| {
        let is_its = open.agent.as_ref().is_some_and(|name| name.as_str() == agent);
        let newest = open.stage.turn().is_some_and(|newest| newest.number == turn);
        let may = matches!(open.stage, Stage::Submitted(_) | Stage::Working(_) | Stage::Waiting(_));
        open.message.kind == Kind::Task && is_its && newest && may
    })
}

/// One text after the other, but for one that is nothing or is at the end of the other.
fn after(first: &str, second: &str) -> String {
    if ends_with_lines(second, first) {
        second.to_owned()
    } else if ends_with_lines(first, second) {
        first.to_owned()
    } else {
        format!("{}\n\n{second}", first.trim_end())
    }
}

/// Whether the last lines of a text are those of another one; of one that says nothing they always are.
fn ends_with_lines(text: &str, end: &str) -> bool {
    let lines = |text: &str| text.trim_end().split('\n').map(str::to_owned).collect::<Vec<_>>();
    end.trim().is_empty() || lines(text).ends_with(&lines(end))
}
