//! Debates as they are shown: those that the journal's newest segment knows, and behind them the files of those that are over.

use super::model::{Answers, Model};
use super::pieces::{InPieces, Pieces, Speeches};
use super::sessions::only_one;
use crate::engine::flow::flow::Flow;
use crate::engine::flow::id::FlowId;
use crate::engine::flow::tree::{Tree, TreeStage};
use crate::io::regular;
use crate::io::worktree::moved_to;
use crate::wire::api::{
    DebateInfo, DebateList, DebateProgressQuery, DebateQuery, DebateRoundQuery, DebatesQuery, Problem,
};
use crate::wire::debate::document::{
    DebateProgress, DebateResult, ROUND_FILE_BYTES_MAX, RoundOutput, read_round_file, round_file_name,
};
use crate::wire::debate::shown::{Overview, overview, progress, result};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Debates that are over and in the list: whoever looks for an older one names it.
const OVER_MAX: usize = 200;
/// Largest `debate.json` that is read, in bytes.
const OVERVIEW_BYTES_MAX: u64 = 4 << 20;

impl Answers for DebatesQuery {
    fn answer(self, model: &mut Model) -> Result<DebateList, Problem> {
        let mut debates: Vec<DebateInfo> = model
            .debates()
            .map(|flow| info_of(&overview(flow, &model.context_of(&flow.head.id), None)))
            .collect();
        let mut over: Vec<FlowId> = model.ids_of_debates().into_iter().collect();
        over.retain(|id| !model.state().flows.contains_key(id));
        let written =
            |id: &FlowId| std::fs::metadata(model.overview_file(id)).and_then(|file| file.modified()).ok();
        over.sort_by_cached_key(|id| std::cmp::Reverse(written(id)));
        let over = over.iter().take(OVER_MAX).filter_map(|id| model.overview_of_file(id));
        debates.extend(over.map(|overview| info_of(&overview)));
        debates.sort_by(|one, other| {
            (&other.created_at, &other.debate_id).cmp(&(&one.created_at, &one.debate_id))
        });
        Ok(DebateList { debates })
    }
}

impl Answers for DebateQuery {
    fn answer(self, model: &mut Model) -> Result<DebateResult, Problem> {
        let id = model.debate_id(&self.id)?;
        if let Some(flow) = model.debate(&id).map(as_it_is) {
            let damaged = model.mend_rounds(&flow, 1..=u8::MAX);
            let task = model.body(flow.request).map(|body| body.content);
            return Ok(result(&flow, &model.context_of(&id), task.as_deref()).with_damage(&damaged));
        }
        let overview = model.overview_of_file(&id).ok_or_else(|| model.no_debate(id.as_str()))?;
        let damaged = model.damaged_files(&id, overview.rounds());
        Ok(overview.result.with_damage(&damaged))
    }
}

impl Answers for DebateProgressQuery {
    fn answer(self, model: &mut Model) -> Result<DebateProgress, Problem> {
        let (frame, speeches) = self.frame(model)?;
        Ok(DebateProgress { outputs: speeches.all(model), ..frame })
    }
}

impl InPieces for DebateProgressQuery {
    fn begin(self, model: &mut Model) -> Result<Pieces, Problem> {
        let (frame, speeches) = self.frame(model)?;
        Ok(Pieces::within(&frame, speeches))
    }
}

impl DebateProgressQuery {
    /// The answer without its outputs, and these.
    fn frame(self, model: &mut Model) -> Result<(DebateProgress, Speeches), Problem> {
        let id = model.debate_id(&self.id)?;
        if let Some(flow) = model.debate(&id).map(as_it_is) {
            let damaged = model.mend_rounds(&flow, 1..=u8::MAX);
            let frame = progress(&flow, &mut |place| model.body(place)).with_damage(&damaged);
            let rounds = flow.debate().map_or(0, |debate| debate.rounds);
            return Ok((frame, Speeches::of_flow(flow, 1..=rounds)));
        }
        let overview = model.overview_of_file(&id).ok_or_else(|| model.no_debate(id.as_str()))?;
        let damaged = model.damaged_files(&id, overview.rounds());
        let frame = overview.progress().with_damage(&damaged);
        Ok((frame, Speeches::of_files(id, 1..=overview.rounds())))
    }
}

impl Answers for DebateRoundQuery {
    fn answer(self, model: &mut Model) -> Result<Vec<RoundOutput>, Problem> {
        Ok(self.speeches(model)?.all(model))
    }
}

impl InPieces for DebateRoundQuery {
    fn begin(self, model: &mut Model) -> Result<Pieces, Problem> {
        Ok(Pieces::of_list(self.speeches(model)?))
    }
}

impl DebateRoundQuery {
    fn speeches(self, model: &mut Model) -> Result<Speeches, Problem> {
        let (id, round) = (model.debate_id(&self.id)?, self.n..=self.n);
        let (rounds, speeches) = match model.debate(&id).map(as_it_is) {
            Some(flow) => {
                let rounds = flow.debate().map_or(0, |debate| debate.rounds);
                let damaged = model.mend_rounds(&flow, round.clone());
                // A round is a list alone: what is odd stands with its first output.
                (rounds, Speeches::of_flow(flow, round).noting(damaged))
            }
            None => {
                let overview = model.overview_of_file(&id).ok_or_else(|| model.no_debate(id.as_str()))?;
                model.outputs_of_file(&id, self.n)?;
                (overview.rounds(), Speeches::of_files(id.clone(), round))
            }
        };
        if (1..=rounds).contains(&self.n) {
            return Ok(speeches);
        }
        Err(Problem {
            code: "no-round".to_owned(),
            why: format!("debate {id} has no round {}", self.n),
            cure: format!("its rounds are 1 to {rounds}"),
            field: Some("n".to_owned()),
            ..Problem::default()
        })
    }
}

/// Whether a worktree that could not be removed is not there any more, nor where somebody has moved it.
pub(super) fn is_gone(tree: &Tree) -> bool {
    let moved = || tree.note.as_deref().and_then(moved_to).is_some_and(|to| Path::new(to).exists());
    tree.path.as_deref().is_some_and(|path| !Path::new(path).exists() && !moved())
}

/// A debate by itself. Worktrees that could not be removed at its end may have been removed since.
fn as_it_is(flow: &Flow) -> Flow {
    let mut flow = flow.bare();
    for tree in flow.trees.values_mut().filter(|tree| tree.stage == TreeStage::Kept) {
        if is_gone(tree) {
            tree.stage = TreeStage::Gone;
        }
    }
    flow
}

impl Model {
    fn debates(&self) -> impl Iterator<Item = &Flow> {
        self.state().flows.values().map(|flow| &**flow).filter(|flow| flow.debate().is_some())
    }

    fn debate(&self, id: &FlowId) -> Option<&Flow> {
        self.state().flows.get(id).map(|flow| &**flow).filter(|flow| flow.debate().is_some())
    }

    /// The folder in which the outputs of a debate's rounds are.
    #[must_use]
    pub fn context_of(&self, id: &FlowId) -> String {
        self.workspace.debates().join(id.as_str()).join("context").to_string_lossy().into_owned()
    }

    /// The debate that has this id, or alone an id that begins so.
    ///
    /// # Errors
    /// [`Problem`] if none has, or several have.
    pub fn debate_id(&self, text: &str) -> Result<FlowId, Problem> {
        only_one(text, self.known_debates(), |text| self.no_debate(text))
    }

    fn known_debates(&self) -> BTreeSet<FlowId> {
        let mut known = self.ids_of_debates();
        known.extend(self.debates().map(|flow| flow.head.id.clone()));
        known
    }

    fn no_debate(&self, id: &str) -> Problem {
        let known = self.known_debates();
        let known: Vec<&str> = known.iter().map(FlowId::as_str).take(NAMED_MAX).collect();
        let cure = match known.as_slice() {
            [] => "there is none yet; `tasuki debate` begins one".to_owned(),
            ids => format!("`tasuki debate list` lists them; the ids are: {}", ids.join(", ")),
        };
        Problem {
            code: "no-debate".to_owned(),
            why: format!("there is no debate {}", id.escape_debug()),
            cure,
            field: Some("id".to_owned()),
            ..Problem::default()
        }
    }

    fn ids_of_debates(&self) -> BTreeSet<FlowId> {
        let folders = std::fs::read_dir(self.workspace.debates()).into_iter().flatten().flatten();
        let ids = folders.filter_map(|folder| FlowId::new(folder.file_name().to_str()?).ok());
        ids.filter(|id| self.overview_file(id).is_file()).collect()
    }

    fn overview_file(&self, id: &FlowId) -> PathBuf {
        self.workspace.debates().join(id.as_str()).join("debate.json")
    }

    fn overview_of_file(&self, id: &FlowId) -> Option<Overview> {
        let text = regular::read(&self.overview_file(id), OVERVIEW_BYTES_MAX).ok()?;
        serde_json::from_str(&text).ok().map(|of: Overview| of.without(|path| !Path::new(path).exists()))
    }

    /// The outputs of a round of which only the file is known.
    pub(super) fn outputs_of_file(&self, id: &FlowId, round: u8) -> Result<Vec<RoundOutput>, Problem> {
        let path = PathBuf::from(self.context_of(id)).join(round_file_name(round));
        let Ok(text) = regular::read(&path, ROUND_FILE_BYTES_MAX as u64) else { return Ok(Vec::new()) };
        read_round_file(&text).map_err(|error| {
            let error = crate::wire::debate::error::DebateError::ContextFileCorrupted {
                path: path.display().to_string(),
                reason: format!("{error}; the journal does not have this debate any more"),
            };
            let cure = "restore the file; `report.md` beside `context` has what was said as well";
            Problem {
                code: error.code().to_owned(),
                why: error.to_string(),
                cure: cure.to_owned(),
                ..Problem::default()
            }
        })
    }
}

/// Ids that are named where one was looked for that is not there.
const NAMED_MAX: usize = 10;

fn info_of(overview: &Overview) -> DebateInfo {
    let text = |key: &str| overview.text(key).unwrap_or_default();
    DebateInfo {
        debate_id: overview.result.debate_id.clone(),
        title: text("name"),
        status: overview.result.status.clone(),
        current_round: overview.current_round,
        rounds: overview.rounds(),
        roles: overview.roles(),
        created_at: text("created_at"),
        updated_at: text("updated_at"),
    }
}
