//! The rows of debates and the cells of their rounds, and which of them is looked at.

use super::debates::{DebateSeen, RoundWanted, SpeechSeen};
use super::state::{Beside, Place, Shelf, TopState};
use crate::wire::api::{DebateInfo, NeedInfo, NeedKindInfo, Problem};
use crate::wire::debate::document::{DebateResult, RoundOutput};

impl TopState {
    pub(super) fn list_debates(&mut self, listed: Result<Vec<DebateInfo>, Problem>) {
        // What cannot be read just now stays as it was.
        if listed.is_ok() || !matches!(self.debates.listed, Some(Ok(_))) {
            self.debates.listed = Some(listed);
        }
    }

    pub(super) fn see_debate(&mut self, id: String, debate: Result<Box<DebateResult>, Problem>) {
        if self.debate_looked_at().as_ref() != Some(&id) {
            return;
        }
        let seen = match (debate, self.debates.seen.take()) {
            (Ok(result), _) => Ok(Box::new(DebateSeen::new(*result))),
            (Err(problem), Some((of, Ok(seen)))) if of == id && problem.code != "no-debate" => Ok(seen),
            (Err(problem), _) => Err(problem),
        };
        self.debates.seen = Some((id, seen));
        self.choose_first_speech();
    }

    /// What was said in a round; that of another is not shown any more.
    pub(super) fn hear_round(&mut self, of: RoundWanted, said: Result<Vec<RoundOutput>, Problem>) {
        if self.round_wanted().as_ref() == Some(&of) {
            self.debates.said = Some((of, said));
        }
    }

    /// A debate that is opened has a cell chosen, where nobody has chosen one yet.
    pub(super) fn choose_first_speech(&mut self) {
        let first = self.opened_debate().and_then(DebateSeen::first).map(SpeechSeen::id);
        let shelf = &mut self.shelves[Place::Debate.index()];
        shelf.chosen = shelf.chosen.take().or(first);
    }

    /// The debate whose rounds are fetched: the one that is open, or the chosen one of the list.
    pub(super) fn debate_looked_at(&self) -> Option<String> {
        match self.place {
            Place::Debates => self.chosen(),
            Place::Debate => self.debates.opened.clone(),
            _ => None,
        }
    }

    /// The debate that is open, if its rounds are known.
    pub(super) fn opened_debate(&self) -> Option<&DebateSeen> {
        self.debates.seen(self.debates.opened.as_deref()?)
    }

    /// The debate that keys are about, if its rounds are known.
    pub(super) fn debate(&self) -> Option<&DebateSeen> {
        self.debates.seen(&self.debate_looked_at()?)
    }

    /// The debates that are shown: those that are not over first, and the newest first.
    pub(super) fn all_debates(&self) -> Vec<&DebateInfo> {
        let Some(Ok(listed)) = &self.debates.listed else { return Vec::new() };
        let is_all = self.shelves[Place::Debates.index()].filter.is_empty();
        let mut all: Vec<&DebateInfo> =
            listed.iter().filter(|debate| is_all || self.debate_fits(debate)).collect();
        all.sort_by_key(|debate| debate.status.is_over());
        all
    }

    pub(super) fn debate_of_list(&self, id: &str) -> Option<&DebateInfo> {
        let Some(Ok(listed)) = &self.debates.listed else { return None };
        listed.iter().find(|debate| debate.debate_id == id)
    }

    /// The speech that is chosen in the debate that is open.
    pub(super) fn chosen_speech(&self) -> Option<&SpeechSeen> {
        if self.place != Place::Debate {
            return None;
        }
        self.opened_debate()?.speech(&self.chosen()?)
    }

    /// The round whose texts are read: that of the chosen speech, once that has ended. Whoever is asked alone speaks in none.
    pub(super) fn round_wanted(&self) -> Option<RoundWanted> {
        let speech = self.chosen_speech().filter(|speech| speech.has_ended() && speech.round > 0)?;
        let seen = self.opened_debate()?;
        let ended = seen.besides.steps.iter().filter(|step| step.round == speech.round && step.has_ended());
        Some(RoundWanted { id: seen.result.debate_id.clone(), n: speech.round, ended: ended.count() })
    }

    /// What came of a speech, as far as it is known.
    pub(super) fn output_of(&self, speech: &SpeechSeen) -> Option<&RoundOutput> {
        let (of, said) = self.debates.said.as_ref()?;
        if of.n != speech.round || self.debates.opened.as_ref() != Some(&of.id) {
            return None;
        }
        said.as_ref().ok()?.iter().find(|output| output.role == speech.role)
    }

    /// What the chosen speech waits for a person with, else any of its debate. That a role failed stops nobody.
    pub(super) fn need_of_debates(&self) -> Option<&NeedInfo> {
        let seen = self.debate()?;
        let of_speech = |speech: &SpeechSeen| {
            let is_its = |need: &&NeedInfo| match &need.message {
                Some(message) => speech.message.as_ref() == Some(message),
                None => speech.is_under_way() && need.agent.is_some() && need.agent == speech.agent,
            };
            self.needs.needs.iter().filter(|need| need.kind != NeedKindInfo::Failed).find(is_its)
        };
        let of_chosen = self.chosen_speech().and_then(of_speech);
        of_chosen.or_else(|| seen.besides.steps.iter().find_map(of_speech))
    }

    /// Goes to the cell so many rows below and columns to the right. At an edge it stays.
    pub(super) fn choose_cell(&mut self, rows: isize, columns: isize) {
        let Some((seen, chosen)) = self.opened_debate().zip(self.chosen()) else { return };
        let Some((row, column)) = seen.place(&chosen) else { return };
        let row = row.saturating_add_signed(rows).min(seen.rows.len().saturating_sub(1));
        let Some(next) = seen.cell(row, column.saturating_add_signed(columns)).map(SpeechSeen::id) else {
            return;
        };
        if next != chosen {
            self.beside_from = 0;
        }
        self.shelf_mut().chosen = Some(next);
    }

    /// Opens a debate in its place.
    pub(super) fn open_debate(&mut self, id: String) {
        if self.debates.opened.as_ref() != Some(&id) {
            self.shelves[Place::Debate.index()] = Shelf::default();
        }
        self.shelves[Place::Debates.index()].chosen = Some(id.clone());
        self.debates.opened = Some(id);
        self.go(Place::Debate);
        self.beside = Beside::Screen;
        self.choose_first_speech();
    }
}
