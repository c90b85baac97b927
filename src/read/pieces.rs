//! What was said in a debate, told one answer at a time: all of it may be long, and whoever asks takes it as fast as he can.

use super::model::{Answers, Model};
use crate::engine::flow::flow::Flow;
use crate::engine::flow::id::FlowId;
use crate::wire::api::Problem;
use crate::wire::debate::document::RoundOutput;
use crate::wire::debate::shown::output;
use crate::wire::hide::hide_in;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::VecDeque;
use std::ops::RangeInclusive;

/// A question whose answer is told in pieces.
pub trait InPieces: Answers {
    /// The answer, of which nothing is told yet.
    ///
    /// # Errors
    /// As [`Answers::answer`].
    fn begin(self, model: &mut Model) -> Result<Pieces, Problem>;
}

/// What is left of an answer.
#[derive(Debug)]
pub struct Pieces {
    speeches: Speeches,
    /// The members beside the outputs; none of an answer that is a list.
    frame: Option<Map<String, Value>>,
    next: Next,
}

/// Which piece is next.
#[derive(Debug, Clone, Copy)]
enum Next {
    Begin,
    FirstOutput,
    Output,
    Nothing,
}

/// A part of an answer that is JSON once all parts stand behind each other. Its text is for others to make than who has the model: that
/// takes as long as reading it.
#[derive(Debug)]
pub enum Piece {
    /// What stands before all outputs: the other members of an object, or none of a list.
    Begin(Option<Map<String, Value>>),
    /// What was said.
    Output { output: Box<RoundOutput>, is_first: bool },
    /// What stands behind all outputs.
    End { is_list: bool },
}

impl Pieces {
    /// An answer that is these outputs in a list.
    pub(super) fn of_list(speeches: Speeches) -> Self {
        Self { speeches, frame: None, next: Next::Begin }
    }

    /// An answer that has these outputs where `frame` has none.
    pub(super) fn within(frame: &impl Serialize, speeches: Speeches) -> Self {
        let mut frame = serde_json::to_value(frame).ok().as_mut().and_then(Value::as_object_mut).map(take);
        if let Some(frame) = &mut frame {
            frame.remove(OUTPUTS);
        }
        Self { speeches, frame: Some(frame.unwrap_or_default()), next: Next::Begin }
    }

    /// The next piece; none behind the last.
    pub fn next(&mut self, model: &mut Model) -> Option<Piece> {
        let is_first = match self.next {
            Next::Begin => {
                self.next = Next::FirstOutput;
                return Some(Piece::Begin(self.frame.as_mut().map(take)));
            }
            Next::FirstOutput => true,
            Next::Output => false,
            Next::Nothing => return None,
        };
        let output = self.speeches.next(model);
        self.next = if output.is_some() { Next::Output } else { Next::Nothing };
        Some(match output {
            Some(output) => Piece::Output { output: Box::new(output), is_first },
            None => Piece::End { is_list: self.frame.is_none() },
        })
    }
}

impl Piece {
    /// Its text. What goes to a browser has no secrets: each is within one text of one piece.
    #[must_use]
    pub fn text(self, is_for_browser: bool) -> String {
        match self {
            Self::Begin(None) => "[".to_owned(),
            Self::Begin(Some(frame)) => {
                let comma = if frame.is_empty() { "" } else { "," };
                let mut text = written(&Value::Object(frame), is_for_browser);
                // The outputs are its last member.
                text.pop();
                format!("{text}{comma}\"{OUTPUTS}\":[")
            }
            Self::Output { output, is_first } => {
                let comma = if is_first { "" } else { "," };
                format!("{comma}{}", written(&output, is_for_browser))
            }
            Self::End { is_list } => if is_list { "]" } else { "]}" }.to_owned(),
        }
    }
}

/// The member in which outputs are.
const OUTPUTS: &str = "outputs";

fn take(frame: &mut Map<String, Value>) -> Map<String, Value> {
    std::mem::take(frame)
}

fn written(what: &impl Serialize, is_for_browser: bool) -> String {
    if !is_for_browser {
        return serde_json::to_string(what).unwrap_or_default();
    }
    let mut value = serde_json::to_value(what).unwrap_or_default();
    hide_in(&mut value);
    value.to_string()
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

    const KEY: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

    fn id() -> FlowId {
        FlowId::new("a1b2c3d4-0000-4000-8000-000000000000").unwrap()
    }

    fn speeches(said: Vec<RoundOutput>) -> Speeches {
        Speeches { from: From::Files(id(), said.into()), ..Speeches::of_files(id(), 1..=0) }
    }

    fn said(role: &str, text: &str) -> RoundOutput {
        RoundOutput::new(role, Ok(text.to_owned()), Default::default(), 1, 1)
    }

    /// All of it, and how many pieces that are.
    fn told(mut pieces: Pieces, is_for_browser: bool) -> (String, usize) {
        let folder = tempfile::tempdir().unwrap();
        let mut model = Model::new(Workspace::at(folder.path()).unwrap(), Clock::start());
        let texts = std::iter::from_fn(|| Some(pieces.next(&mut model)?.text(is_for_browser)));
        let texts: Vec<String> = texts.collect();
        (texts.concat(), texts.len())
    }

    fn frame(text: &str) -> DebateProgress {
        DebateProgress {
            debate_id: id().to_string(),
            current_round: 1,
            current_role: text.to_owned(),
            status: DebateStatus::Failed(format!(",{text}}}")),
            outputs: Vec::new(),
            tasuki: Some(json!({"outputs": [], "task": text, "baseline": {"error": text}})),
        }
    }

    #[test]
    fn outputs_stand_in_their_place_whatever_the_texts_around_them_say() {
        let text = "\"outputs\":[] 提案 🎉 }";
        for outputs in [vec![], vec![said("qa", text)], vec![said("qa", text), said("ops", text)]] {
            for is_for_browser in [false, true] {
                let (whole, pieces) =
                    told(Pieces::within(&frame(text), speeches(outputs.clone())), is_for_browser);
                let read: DebateProgress = serde_json::from_str(&whole).unwrap();
                assert_eq!(read, DebateProgress { outputs: outputs.clone(), ..frame(text) });
                let (list, _) = told(Pieces::of_list(speeches(outputs.clone())), is_for_browser);
                assert_eq!(serde_json::from_str::<Vec<RoundOutput>>(&list).unwrap(), outputs);
                assert_eq!(pieces, outputs.len() + 2);
            }
        }
    }

    #[test]
    fn a_browser_is_told_in_pieces_what_it_would_be_told_as_a_whole_without_secrets() {
        // At the end of one piece and at the beginning of the next one.
        let outputs = vec![said("qa", &format!("襷 {KEY}")), said("ops", &format!("{KEY}\n{KEY} 🎽"))];
        let whole = |is_for_browser| {
            let (list, _) = told(Pieces::of_list(speeches(outputs.clone())), is_for_browser);
            let (object, _) = told(Pieces::within(&frame(KEY), speeches(outputs.clone())), is_for_browser);
            [list, object].map(|text| serde_json::from_str::<Value>(&text).unwrap())
        };
        let mut expected = whole(false);
        assert!(expected.iter().all(|told| told.to_string().contains(KEY)));
        expected.iter_mut().for_each(hide_in);
        assert_eq!(whole(true), expected);
        assert!(!whole(true).iter().any(|told| told.to_string().contains("ghp_")));
    }
}
