//! The files of rounds are looked at when somebody asks for their debate. One that somebody has damaged is written again from the
//! journal, and whoever asks is told so.

use super::model::Model;
use crate::engine::flow::debate::Debate;
use crate::engine::flow::flow::Flow;
use crate::engine::flow::id::FlowId;
use crate::io::regular;
use crate::io::round_file::{Compared, stamp, write_again};
use crate::wire::debate::document::{
    ROUND_END, ROUND_FILE_BYTES_MAX, RoundOutput, read_round_file, round_file_name, round_piece, round_pieces,
};
use crate::wire::debate::error::DebateError;
use crate::wire::debate::shown::output;
use std::io::ErrorKind;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// How the file of a round stands.
enum Standing {
    Right,
    /// The daemon may not have written it yet: what is in it is right, and not all.
    Behind,
    Damaged(String),
    /// The journal does not have all of it any more: what is in the file may be more.
    Unknown,
}

impl Model {
    /// Sees to the files of these rounds. What was damaged is told to whoever finds it; what stays damaged, to all who ask.
    pub(super) fn mend_rounds(&mut self, flow: &Flow, rounds: RangeInclusive<u8>) -> Vec<String> {
        let Some(debate) = flow.debate() else { return Vec::new() };
        let rounds = *rounds.start()..=(*rounds.end()).min(debate.rounds);
        rounds.filter_map(|round| self.mend_round(flow, debate, round)).collect()
    }

    /// Gives what is to be told of it.
    fn mend_round(&mut self, flow: &Flow, debate: &Debate, round: u8) -> Option<String> {
        let ended = flow.speeches(debate, round).iter().filter(|step| step.stage.has_ended()).count();
        let (key, name) = ((flow.head.id.clone(), round), round_file_name(round));
        let context = PathBuf::from(self.context_of(&flow.head.id));
        let there = stamp(&context, &name);
        let is_seen =
            self.round_files.right.get(&key).is_some_and(|right| Some(*right) == there.map(|at| (ended, at)));
        if ended == 0 || is_seen {
            return None;
        }
        let path = context.join(&name);
        let reason = match self.standing(flow, (debate, round), &path) {
            Standing::Right => {
                self.round_files.right.extend(there.map(|there| (key, (ended, there))));
                return None;
            }
            Standing::Unknown => return None,
            // What is not over yet is written again at its next change.
            Standing::Behind if ended < debate.roles.len() => return None,
            Standing::Behind => None,
            Standing::Damaged(why) => Some(why),
        };
        let written = write_again(&context, &name, &mut round_pieces(self.said(flow, (debate, round))));
        let path = path.display().to_string();
        let (mended, done) = match written {
            Ok(stamp) => {
                self.round_files.right.insert(key, (ended, stamp));
                (true, "it was written again from the journal".to_owned())
            }
            Err(error) => (false, format!("it could not be written again: {error}")),
        };
        let why = match reason {
            None if mended => return None,
            None => "it is not there".to_owned(),
            Some(why) => why,
        };
        let error =
            DebateError::ContextFileCorrupted { path: path.clone(), reason: format!("{why}; {done}") };
        tracing::warn!(code = error.code(), "{error}");
        // Whoever reads that later does not take it for what is so.
        let was =
            || format!("the context file {path} was damaged, and was written again from the journal: {why}");
        Some(if mended { was() } else { error.to_string() })
    }

    /// What was said in a round, each output made when it is asked for: all of a round may be long.
    fn said(&mut self, flow: &Flow, (debate, round): (&Debate, u8)) -> impl Iterator<Item = RoundOutput> {
        let speeches = flow.speeches(debate, round).iter().zip(&debate.roles);
        speeches.filter_map(move |(step, role)| {
            output(step, (round, role, debate), &mut |place| self.body(place))
        })
    }

    /// How a file stands. It is held against one output at a time; only what is neither all nor a part of a round is read as a whole.
    fn standing(&mut self, flow: &Flow, (debate, round): (&Debate, u8), path: &Path) -> Standing {
        let mut file = Compared::open(path).ok();
        let mut goes_on_with =
            |text: &str| file.as_mut().is_some_and(|file| file.goes_on_with(text).unwrap_or_default());
        let (mut is_whole, mut has_all, mut has_any) = (true, true, false);
        for (step, role) in flow.speeches(debate, round).iter().zip(&debate.roles) {
            let said = output(step, (round, role, debate), &mut |place| {
                let body = self.body(place);
                is_whole &= body.is_some();
                body
            });
            if let Some(said) = said {
                let is_there = goes_on_with(&round_piece(&said, !has_any));
                (has_all, has_any) = (has_all && is_there, has_any || is_there);
            }
        }
        let ends = has_any && goes_on_with(ROUND_END);
        let has_ended = ends && file.is_some_and(|mut file| file.has_ended().unwrap_or_default());
        match (is_whole, has_ended) {
            (false, _) => Standing::Unknown,
            (true, true) if has_all => Standing::Right,
            (true, true) => Standing::Behind,
            (true, false) => self.as_read(flow, (debate, round), path),
        }
    }

    /// How a file stands of which not each character is as expected. It may have more than the model: the daemon goes on.
    fn as_read(&mut self, flow: &Flow, (debate, round): (&Debate, u8), path: &Path) -> Standing {
        let found = match regular::read(path, ROUND_FILE_BYTES_MAX as u64) {
            Ok(text) => read_round_file(&text),
            Err(error) if error.kind() == ErrorKind::NotFound => return Standing::Behind,
            Err(error) => return Standing::Damaged(error.to_string()),
        };
        let found = match found {
            Ok(found) => found,
            Err(error) => return Standing::Damaged(error.to_string()),
        };
        let mut seen = Vec::new();
        for (at, output) in found.iter().enumerate() {
            let role = output.role.as_str();
            if seen.contains(&role) || !debate.roles.iter().any(|known| known.id.as_str() == role) {
                let why = format!("`[{at}].role` is {}, which did not speak there", role.escape_debug());
                return Standing::Damaged(why);
            }
            seen.push(role);
        }
        let mut standing = Standing::Right;
        for said in self.said(flow, (debate, round)) {
            match found.iter().position(|output| output.role == said.role) {
                Some(at) if found.get(at).is_some_and(|found| is_same(&said, found)) => {}
                Some(at) => return Standing::Damaged(format!("`[{at}]` is not what {} has said", said.role)),
                None => standing = Standing::Behind,
            }
        }
        standing
    }

    /// What is damaged of the files of a debate that the journal does not have any more.
    pub(super) fn damaged_files(&self, id: &FlowId, rounds: u8) -> Vec<String> {
        (1..=rounds)
            .filter_map(|round| self.outputs_of_file(id, round).err())
            .map(|problem| problem.why)
            .collect()
    }
}

/// Whether both say the same. How an error is told may change from version to version.
fn is_same(one: &RoundOutput, other: &RoundOutput) -> bool {
    let said =
        |of: &RoundOutput| (of.timestamp.clone(), of.duration_secs, of.tokens_used, of.error.is_some());
    one.proposal == other.proposal && said(one) == said(other)
}
