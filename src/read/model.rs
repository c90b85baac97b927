//! The projection: the engine as the journal makes it, carried on line by line, with what the journal does not say beside it.

use super::closed::ClosedSegments;
use super::dismissed::Dismissed;
use super::failed::Failed;
use super::files;
use super::fold::Fold;
use super::folder::Folder;
use super::letters::Letters;
use super::live::Live;
use super::metrics::Metrics;
use super::picture::Picture;
use super::round_files::RoundFiles;
use super::unread::UnreadAnswers;
use crate::engine::engine::Engine;
use crate::engine::event::Event;
use crate::engine::message::Outcome;
use crate::engine::team::Team;
use crate::engine::words::{AgentName, MessageId, Millis, Seq};
use crate::io::clock::Clock;
use crate::io::journal::{Cursor, Extent, JournalError, Kind, Reader};
use crate::io::workspace::{Surroundings, Workspace};
use crate::wire::api::{NeedInfo, Problem, Question};
use crate::wire::events::long::LongBodies;
use crate::wire::team_file::Settings;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The answer to a question.
pub trait Answers: Question {
    /// Answers it.
    ///
    /// # Errors
    /// [`Problem`] says what is wrong with the question, or why it cannot be answered.
    fn answer(self, model: &mut Model) -> Result<Self::Answer, Problem>;
}

/// One projection of the journal.
#[derive(Debug)]
pub struct Model {
    pub(super) workspace: Workspace,
    pub(super) clock: Clock,
    /// None where there is no journal yet.
    pub(super) reader: Option<Reader>,
    pub(super) long: LongBodies,
    pub(super) fold: Fold,
    pub(super) cursor: Cursor,
    /// Lines that could not be understood.
    pub(super) unread: u64,
    pub(super) live: Arc<Live>,
    pub(super) closed: ClosedSegments,
    /// Tasks that failed lately, until one is tried again.
    pub(super) failed: Option<Vec<Failed>>,
    /// What is told of unread letters.
    pub(super) letters: Letters,
    /// Answers that nobody has read.
    pub(super) answers: UnreadAnswers,
    /// What is told of refused files, until their folder changes.
    pub(super) refused: (Folder, Vec<NeedInfo>),
    /// The same of files that the journal does not know.
    pub(super) lost: (Folder, Vec<NeedInfo>),
    /// What was put aside of what waits.
    pub(super) dismissed: Dismissed,
    /// What has failed since they were looked up.
    pub(super) failed_since: Vec<MessageId>,
    /// What is known of the files of debates.
    pub(super) round_files: RoundFiles,
    pub(super) metrics: Option<Box<Metrics>>,
    /// What was shown last.
    pub(super) picture: Option<Picture>,
    /// First lines of contents that were looked up.
    pub(super) titles: HashMap<MessageId, Arc<str>>,
    /// Agents in the order of the team file.
    order: Vec<AgentName>,
}

impl Model {
    /// A model of nothing yet, of the workspace's journal.
    #[must_use]
    pub fn new(workspace: Workspace, clock: Clock) -> Self {
        Self {
            workspace,
            clock,
            reader: None,
            long: LongBodies::default(),
            fold: Fold::new(Team::default()),
            cursor: Cursor::default(),
            unread: 0,
            live: Arc::default(),
            closed: ClosedSegments::default(),
            failed: None,
            letters: Letters::default(),
            answers: UnreadAnswers::default(),
            refused: Default::default(),
            lost: Default::default(),
            dismissed: Dismissed::default(),
            failed_since: Vec::new(),
            round_files: RoundFiles::default(),
            metrics: None,
            picture: None,
            titles: HashMap::new(),
            order: Vec::new(),
        }
    }

    /// What the files say, where no daemon runs.
    ///
    /// # Errors
    /// [`JournalError`]
    pub fn of_files(workspace: &Workspace, around: &Surroundings) -> Result<Self, JournalError> {
        let settings = Settings::load(workspace, around).ok().map(|loaded| Arc::new(loaded.settings));
        let mut model = Self::new(workspace.clone(), Clock::start());
        model.set_live(Arc::new(Live { settings, ..Live::default() }));
        model.catch_up(None, &mut |_, _, _| ())?;
        let live = files::live(workspace, model.engine(), model.live.settings.clone());
        model.set_live(Arc::new(live));
        let halted = files::halted(workspace, model.state().halted);
        model.fold.engine.set_halted(halted);
        Ok(model)
    }

    /// Takes in what the journal does not say.
    pub fn set_live(&mut self, live: Arc<Live>) {
        self.order = match &live.settings {
            Some(settings) => settings.order.clone(),
            None => self.fold.engine.state().agents.keys().cloned().collect(),
        };
        self.live = live;
        self.put_live();
    }

    /// Gives it to the engine: one that begins anew with a snapshot does not have it.
    fn put_live(&mut self) {
        let (live, nobody) = (&self.live, Team::default());
        let team = live.settings.as_ref().map_or(&nobody, |settings| &settings.team);
        self.fold.engine.set_surroundings(live.tmux_lost, team);
        for (name, info) in &live.agents {
            self.fold.engine.set_live_agent(name, &info.known);
        }
        let now = self.now();
        self.fold.engine.set_moment(now);
    }

    /// Reads on to there (`None`: as far as there are whole lines); `each` is given every step.
    ///
    /// # Errors
    /// [`JournalError::Io`] if the machine refuses: it then has what was read until then.
    pub fn catch_up(
        &mut self,
        reaches: Option<Extent>,
        each: &mut dyn FnMut(Seq, Millis, &[Event]),
    ) -> Result<(), JournalError> {
        if let Some(reader) = &mut self.reader {
            reader.close();
        }
        let Some(reader) = self.reader()? else { return Ok(()) };
        if self.cursor == Cursor::default() {
            // Where no head can be read, what can be understood without one is better than nothing.
            let Some(newest) = reader.newest()?.or(reader.oldest()?) else { return Ok(()) };
            self.cursor = newest;
        }
        let began = self.fold.segment;
        let mut read = self.read_on(&reader, reaches, each);
        while let Ok(Some(headless)) = read {
            // What that segment begins with cannot be understood: the one before has it all.
            if let Some(before) = reader.newest_before(headless)? {
                self.cursor = before;
                self.fold = Fold::new(self.fold.engine.file_team().clone());
            }
            read = self.read_on(&reader, reaches, each);
        }
        if self.fold.segment != began {
            self.put_live();
        }
        let now = self.now();
        self.fold.engine.set_moment(now);
        read.map(drop)
    }

    /// Takes in what follows; the segment with which it was to begin, if its head cannot be understood.
    fn read_on(
        &mut self,
        reader: &Reader,
        reaches: Option<Extent>,
        each: &mut dyn FnMut(Seq, Millis, &[Event]),
    ) -> Result<Option<u32>, JournalError> {
        let Self { cursor, fold, unread, failed, failed_since, answers, .. } = self;
        let is_first = cursor.seq() == Seq(0);
        let (first, mut headless) = (cursor.segment(), None);
        reader.follow_on(cursor, reaches, &mut |entry| {
            match fold.take(entry) {
                Ok(events) => {
                    if events.is_empty() || events.iter().any(tries_again) {
                        *failed = None;
                    }
                    match failed {
                        Some(_) => failed_since.extend(events.iter().filter_map(what_failed).cloned()),
                        None => failed_since.clear(), // all are looked up
                    }
                    for id in events.iter().filter_map(what_ended) {
                        let finished = fold.engine.state().finished.get(id);
                        finished.into_iter().for_each(|finished| answers.on_end(finished));
                    }
                    each(entry.seq, entry.at, &events);
                }
                Err(_) if is_first && entry.kind == Kind::Snapshot && entry.place.segment == first => {
                    headless = Some(first);
                    return ControlFlow::Break(());
                }
                Err(_) => *unread += 1,
            }
            ControlFlow::Continue(())
        })?;
        Ok(headless)
    }

    pub(super) fn reader(&mut self) -> Result<Option<Reader>, JournalError> {
        if self.reader.is_none() && self.workspace.journal().is_dir() {
            self.reader = Some(Reader::at(&self.workspace.journal())?);
        }
        Ok(self.reader.clone())
    }

    /// The last step that is in it.
    #[must_use]
    pub fn seq(&self) -> Seq {
        self.cursor.seq()
    }

    /// Up to where it has read.
    #[must_use]
    pub fn cursor(&self) -> Cursor {
        self.cursor
    }

    /// The moment that everything is shown as of.
    #[must_use]
    pub fn now(&self) -> Millis {
        // A journal may be ahead of the wall clock, which was put right meanwhile.
        self.clock.now().max(self.fold.last_at)
    }

    /// A model of nothing yet that goes on counting where this one was.
    #[must_use]
    pub fn anew(self) -> Self {
        Self { metrics: self.metrics, ..Self::new(self.workspace, self.clock) }
    }

    /// Agents in the order of the team file, and behind them those that were hired.
    pub(super) fn order(&self) -> impl Iterator<Item = &AgentName> {
        let hired = self.state().hired.keys().filter(|name| !self.order.contains(name));
        self.order.iter().chain(hired)
    }

    /// The team in force, with those that were hired.
    #[must_use]
    pub fn team(&self) -> &Team {
        self.fold.engine.team()
    }

    /// The workspace whose journal it is of.
    #[must_use]
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// The first agent of the team file that reports to the user.
    #[must_use]
    pub fn first_of_user(&self) -> Option<AgentName> {
        let members = &self.team().members;
        let is_it = |name: &&AgentName| members.get(*name).is_some_and(|member| member.reports_to.is_user());
        self.order().find(is_it).cloned()
    }

    pub(super) fn engine(&self) -> &Engine {
        &self.fold.engine
    }

    /// The state that it has read.
    #[must_use]
    pub fn state(&self) -> &crate::engine::state::State {
        self.fold.engine.state()
    }
}

/// Whether a task that may have failed is tried again.
fn tries_again(event: &Event) -> bool {
    matches!(event, Event::Accepted { message, .. } if message.retry_of.is_some())
}

/// The message that ended.
fn what_ended(event: &Event) -> Option<&MessageId> {
    match event {
        Event::Ended { id, .. } => Some(id),
        _ => None,
    }
}

/// The message that failed.
fn what_failed(event: &Event) -> Option<&MessageId> {
    match event {
        Event::Ended { id, outcome: Outcome::Failed, .. } => Some(id),
        _ => None,
    }
}
