//! The files of rounds are looked at when somebody asks for their debate. One that somebody has damaged is written again from the
//! journal, and whoever asks is told so.

use super::model::Model;
use crate::engine::flow::debate::Debate;
use crate::engine::flow::flow::Flow;
use crate::engine::flow::id::FlowId;
use crate::io::regular;
use crate::io::round_file::{stamp, write_again};
use crate::wire::debate::document::{
    ROUND_FILE_BYTES_MAX, RoundOutput, read_round_file, round_file_name, round_pieces,
};
use crate::wire::debate::error::DebateError;
use crate::wire::debate::shown::{output, outputs};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// What is wrong with a file.
enum Fault {
    /// The daemon may not have written it yet: what is in it is right, and not all.
    Behind,
    Damaged(String),
}

impl Model {
    /// Sees to the files of these rounds. What is damaged is told for as long as somebody asks: of two who ask, both are to hear of it.
    pub(super) fn mend_rounds(&mut self, flow: &Flow, rounds: RangeInclusive<u8>) -> Vec<String> {
        let Some(debate) = flow.debate() else { return Vec::new() };
        let rounds = *rounds.start()..=(*rounds.end()).min(debate.rounds);
        rounds.clone().for_each(|round| self.mend_round(flow, debate, round));
        let told = rounds.filter_map(|round| self.round_files.told.get(&(flow.head.id.clone(), round)));
        told.cloned().collect()
    }

    fn mend_round(&mut self, flow: &Flow, debate: &Debate, round: u8) {
        let ended = flow.speeches(debate, round).iter().filter(|step| step.stage.has_ended()).count();
        let (key, name) = ((flow.head.id.clone(), round), round_file_name(round));
        let context = PathBuf::from(self.context_of(&flow.head.id));
        let there = stamp(&context, &name);
        let is_right =
            self.round_files.right.get(&key).is_some_and(|right| Some(*right) == there.map(|at| (ended, at)));
        if ended == 0 || is_right {
            return;
        }
        let path = context.join(&name);
        if let (Some(there), true) = (there, self.is_as_written(flow, (debate, round), &path)) {
            self.round_files.right.insert(key, (ended, there));
            return;
        }
        let mut is_whole = true;
        let expected = outputs(flow, round, &mut |place| {
            let body = self.body(place);
            is_whole &= body.is_some();
            body
        });
        if !is_whole {
            return; // what is in the file may be more than the journal has
        }
        let is_over = ended == debate.roles.len();
        let fault = match there {
            None => Some(Fault::Behind),
            Some(_) => match regular::read(&path, ROUND_FILE_BYTES_MAX as u64) {
                Ok(text) => fault(&text, debate, &expected),
                Err(error) => Some(Fault::Damaged(error.to_string())),
            },
        };
        let (reason, written) = match fault {
            None => {
                self.round_files.right.extend(there.map(|there| (key, (ended, there))));
                return;
            }
            // What is not over yet is written again at its next change.
            Some(Fault::Behind) if !is_over => return,
            Some(Fault::Behind) => {
                (None, write_again(&context, &name, &mut round_pieces(expected.into_iter())))
            }
            Some(Fault::Damaged(why)) => {
                (Some(why), write_again(&context, &name, &mut round_pieces(expected.into_iter())))
            }
        };
        let done = match written {
            Ok(stamp) => {
                self.round_files.right.insert(key.clone(), (ended, stamp));
                "it was written again from the journal".to_owned()
            }
            Err(error) => format!("it could not be written again: {error}"),
        };
        if let Some(reason) = reason {
            let (path, reason) = (path.display().to_string(), format!("{reason}; {done}"));
            let error = DebateError::ContextFileCorrupted { path, reason };
            tracing::warn!(code = error.code(), "{error}");
            self.round_files.told.insert(key, error.to_string());
        }
    }

    /// Whether a file is what tasuki would write now. One answer is held at a time: all of a round may be long.
    fn is_as_written(&mut self, flow: &Flow, (debate, round): (&Debate, u8), path: &Path) -> bool {
        let Ok(text) = regular::read(path, ROUND_FILE_BYTES_MAX as u64) else { return false };
        let (mut rest, mut is_whole) = (text.as_str(), true);
        let speeches = flow.speeches(debate, round).iter().zip(&debate.roles);
        let said = speeches.filter_map(|(step, role)| {
            output(step, (round, role, debate), &mut |place| {
                let body = self.body(place);
                is_whole &= body.is_some();
                body
            })
        });
        let is_same = round_pieces(said).all(|piece| {
            let behind = rest.strip_prefix(piece.as_str());
            rest = behind.unwrap_or(rest);
            behind.is_some()
        });
        is_same && is_whole && rest.is_empty()
    }

    /// What is damaged of the files of a debate that the journal does not have any more.
    pub(super) fn damaged_files(&self, id: &FlowId, rounds: u8) -> Vec<String> {
        (1..=rounds)
            .filter_map(|round| self.outputs_of_file(id, round).err())
            .map(|problem| problem.why)
            .collect()
    }
}

/// What is wrong with the file of a round in which that was said. A file may have more than the model: the daemon goes on.
fn fault(text: &str, debate: &Debate, expected: &[RoundOutput]) -> Option<Fault> {
    let found = match read_round_file(text) {
        Ok(found) => found,
        Err(error) => return Some(Fault::Damaged(error.to_string())),
    };
    let mut seen = Vec::new();
    for (at, output) in found.iter().enumerate() {
        let role = output.role.as_str();
        if seen.contains(&role) || !debate.roles.iter().any(|known| known.id.as_str() == role) {
            let why = format!("`[{at}].role` is {}, which did not speak there", role.escape_debug());
            return Some(Fault::Damaged(why));
        }
        seen.push(role);
        if expected.iter().any(|said| said.role == role && !is_same(said, output)) {
            return Some(Fault::Damaged(format!("`[{at}]` is not what {role} has said")));
        }
    }
    let is_behind = expected.iter().any(|said| !seen.contains(&said.role.as_str()));
    is_behind.then_some(Fault::Behind)
}

/// Whether both say the same. How an error is told may change from version to version.
fn is_same(one: &RoundOutput, other: &RoundOutput) -> bool {
    let said =
        |of: &RoundOutput| (of.timestamp.clone(), of.duration_secs, of.tokens_used, of.error.is_some());
    one.proposal == other.proposal && said(one) == said(other)
}
