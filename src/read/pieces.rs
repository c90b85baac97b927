//! What was said in a debate, told one answer at a time: all of it may be long, and whoever asks takes it as fast as he can.

use super::model::{Answers, Model};
use crate::engine::flow::flow::Flow;
use crate::engine::flow::id::FlowId;
use crate::wire::api::Problem;
use crate::wire::debate::document::RoundOutput;
use crate::wire::debate::shown::output;
use serde::Serialize;
use std::collections::VecDeque;
use std::ops::RangeInclusive;

/// A question whose answer is told in pieces.
pub trait InPieces: Answers {
    /// The beginning of the answer as JSON, and what is left of it.
    ///
    /// # Errors
    /// As [`Answers::answer`].
    fn begin(self, model: &mut Model) -> Result<(String, Pieces), Problem>;
}

/// What is left of an answer.
#[derive(Debug)]
pub struct Pieces {
    speeches: Speeches,
    is_first: bool,
    /// What stands behind all outputs, until it is told.
    end: Option<String>,
}

impl Pieces {
    /// An answer that is these outputs in a list, and what it begins with.
    pub(super) fn of_list(speeches: Speeches) -> (String, Self) {
        ("[".to_owned(), Self { speeches, is_first: true, end: Some("]".to_owned()) })
    }

    /// An answer that has these outputs where `frame` has none.
    pub(super) fn within(frame: &impl Serialize, speeches: Speeches) -> (String, Self) {
        let text = serde_json::to_string(frame).unwrap_or_default();
        // No text can look so: its quotes are escaped.
        let (before, behind) = text.split_once(r#""outputs":[]"#).unwrap_or((&text, ""));
        let end = Some(format!("]{behind}"));
        (format!(r#"{before}"outputs":["#), Self { speeches, is_first: true, end })
    }

    /// The next piece; none behind the last.
    pub fn next(&mut self, model: &mut Model) -> Option<String> {
        let Some(output) = self.speeches.next(model) else { return self.end.take() };
        let comma = if std::mem::take(&mut self.is_first) { "" } else { "," };
        Some(format!("{comma}{}", serde_json::to_string(&output).unwrap_or_default()))
    }
}

/// What was said in some rounds, by round and in the order of the roles.
#[derive(Debug)]
pub(super) struct Speeches {
    from: From,
    rounds: RangeInclusive<u8>,
    /// The role that is next in the first of these rounds.
    role: usize,
    /// What is odd, told with the first output.
    notes: Vec<String>,
}

#[derive(Debug)]
enum From {
    Journal(Box<Flow>),
    /// The files of rounds, and what is left of the last that was read.
    Files(FlowId, VecDeque<RoundOutput>),
}

impl Speeches {
    /// Of a debate that the model has.
    pub(super) fn of_flow(flow: Flow, rounds: RangeInclusive<u8>) -> Self {
        Self { from: From::Journal(Box::new(flow)), rounds, role: 0, notes: Vec::new() }
    }

    /// Of one of which only the files are known.
    pub(super) fn of_files(id: FlowId, rounds: RangeInclusive<u8>) -> Self {
        Self { from: From::Files(id, VecDeque::new()), rounds, role: 0, notes: Vec::new() }
    }

    /// The same, with what is odd.
    pub(super) fn noting(self, notes: Vec<String>) -> Self {
        Self { notes, ..self }
    }

    pub(super) fn next(&mut self, model: &mut Model) -> Option<RoundOutput> {
        let mut next = match &mut self.from {
            From::Journal(flow) => next_of(flow, (&mut self.rounds, &mut self.role), model)?,
            From::Files(id, read) => loop {
                if let Some(output) = read.pop_front() {
                    break output;
                }
                // One that cannot be read is told by whoever looked at the files before.
                read.extend(model.outputs_of_file(id, self.rounds.next()?).unwrap_or_default());
            },
        };
        next.tasuki.notes.append(&mut self.notes);
        Some(next)
    }

    /// All of them.
    pub(super) fn all(mut self, model: &mut Model) -> Vec<RoundOutput> {
        std::iter::from_fn(|| self.next(model)).collect()
    }
}

fn next_of(
    flow: &Flow,
    (rounds, role): (&mut RangeInclusive<u8>, &mut usize),
    model: &mut Model,
) -> Option<RoundOutput> {
    let debate = flow.debate()?;
    while let Some(round) = rounds.clone().next() {
        let speeches = flow.speeches(debate, round).iter().zip(&debate.roles);
        for (step, speaker) in speeches.skip(*role) {
            *role += 1;
            let found = output(step, (round, speaker, debate), &mut |place| model.body(place));
            if found.is_some() {
                return found;
            }
        }
        (_, *role) = (rounds.next(), 0);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::clock::Clock;
    use crate::io::workspace::Workspace;
    use crate::wire::debate::document::{DebateProgress, DebateStatus};
    use serde_json::json;

    #[test]
    fn outputs_stand_in_their_place_whatever_the_texts_around_them_say() {
        let folder = tempfile::tempdir().unwrap();
        let mut model = Model::new(Workspace::at(folder.path()).unwrap(), Clock::start());
        let id = FlowId::new("a1b2c3d4-0000-4000-8000-000000000000").unwrap();
        let said = |role: &str| {
            RoundOutput::new(role, Ok("\"outputs\":[] 提案 🎉".to_owned()), Default::default(), 1, 1)
        };
        let frame = DebateProgress {
            debate_id: id.to_string(),
            current_round: 1,
            current_role: r#""outputs":[]"#.to_owned(),
            status: DebateStatus::Failed(r#","outputs":[],"#.to_owned()),
            outputs: Vec::new(),
            tasuki: Some(json!({"outputs": [], "task": "\"outputs\":[]"})),
        };
        for said in [vec![], vec![said("qa")], vec![said("qa"), said("ops")]] {
            let speeches = Speeches {
                from: From::Files(id.clone(), said.clone().into()),
                ..Speeches::of_files(id.clone(), 1..=0)
            };
            let (mut text, mut rest) = Pieces::within(&frame, speeches);
            text.extend(std::iter::from_fn(|| rest.next(&mut model)));
            let told: DebateProgress = serde_json::from_str(&text).unwrap();
            assert_eq!(told, DebateProgress { outputs: said, ..frame.clone() });
        }
    }
}
