//! The views' thread: reads bodies from the journal and writes what people and agents look at. Views follow from the
//! journal, so nothing here is flushed, and a failure costs nothing but the view.

use crate::daemon::workers::pages;
use crate::engine::event::{Answer, Event};
use crate::engine::message::{Body, Kind, Status};
use crate::engine::state::Told;
use crate::engine::view::{AgentSeen, MessageSeen};
use crate::engine::words::{AgentName, MessageId, Millis};
use crate::io::clock;
use crate::io::folder::FolderError;
use crate::io::journal::{Location, Reader};
use crate::io::mailbox::MAIN_ZONE;
use crate::io::views::{View, Views};
use crate::io::wire::time::Day;
use crate::io::wire::{events, status};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use tokio::sync::mpsc;

/// One batch at a time is all the loop ever gives.
const JOBS_MAX: usize = 1;

/// A batch of views.
pub type Job = Vec<Item>;

/// Where a body is: its step, and which event of it.
pub type Place = (Location, u32);

/// One view to be written.
#[derive(Debug)]
pub enum Item {
    /// `queue/active/ID.yaml`.
    Open(OpenItem),
    /// `queue/results/ID.yaml` and `queue/done/DAY/ID.yaml`; `queue/active/ID.yaml` goes.
    Finished {
        /// The message.
        seen: Box<MessageSeen>,
        /// Where its content is.
        body: Place,
        /// Where its answer is.
        answer: Option<Place>,
        /// Only if the views are not there already (after a start).
        if_missing: bool,
    },
    /// `status/agents/NAME.yaml`.
    Agent(Box<AgentItem>),
    /// `status/daemon.yaml`.
    Daemon(Box<DaemonItem>),
    /// A line for the logs.
    Log {
        /// When.
        at: Millis,
        /// Whose log, besides the activity log.
        agent: Option<AgentName>,
        /// The sentence.
        text: String,
    },
    /// Views of what is neither open nor in the team any more are removed.
    Sweep {
        /// What is open.
        open: BTreeSet<MessageId>,
        /// Who is in the team.
        members: BTreeSet<AgentName>,
    },
    /// These views may have been changed by somebody else; all of them if there is none.
    Check(Vec<PathBuf>),
    /// Everything written so far is made durable (before a segment turns).
    Sync,
}

/// An open message's view, and what is to be found out for its turn.
#[derive(Debug)]
pub struct OpenItem {
    /// The message.
    pub seen: Box<MessageSeen>,
    /// Where its content is.
    pub body: Place,
    /// Where each answer is.
    pub answers: Vec<Place>,
    /// Whether the loop waits for this view to type a turn.
    pub turn: bool,
}

/// An agent's status.
#[derive(Debug)]
pub struct AgentItem {
    /// What the engine says.
    pub seen: AgentSeen,
    /// Another word than the engine's, while its result is being written.
    pub state: Option<&'static str>,
    /// The last meaningful line of its pane.
    pub doing: Option<String>,
    /// Now.
    pub at: Millis,
}

/// The daemon's own status.
#[derive(Debug, Clone)]
pub struct DaemonItem {
    /// Its process.
    pub pid: u32,
    /// Since when it runs.
    pub started_at: Millis,
    /// Now.
    pub at: Millis,
    /// Where it listens; none once it has ended.
    pub socket: Option<String>,
    /// Since when `queue/STOP` holds everything.
    pub stopped_since: Option<Millis>,
    /// Counts by name.
    pub counts: Vec<(&'static str, u64)>,
    /// What does not work as it should.
    pub notes: Vec<String>,
}

/// A batch is written.
#[derive(Debug, Default)]
pub struct Shown {
    /// What the loop waits for before it types.
    pub turns: Vec<TurnBody>,
    /// Views that somebody else changed: they are to be written again.
    pub altered: Vec<View>,
    /// A folder was taken away: everything is to be written again.
    pub lost: bool,
}

/// What typing a turn needs to know of the message's body.
#[derive(Debug)]
pub struct TurnBody {
    /// The message.
    pub id: MessageId,
    /// Its content.
    pub content: Arc<str>,
    /// Whether its view could be written; if not, nothing is typed.
    pub shown: Result<(), String>,
}

/// Starts the thread.
///
/// # Errors
/// If the system gives no thread.
pub fn start(
    views: Views,
    reader: Reader,
    answers: mpsc::Sender<Shown>,
) -> std::io::Result<(SyncSender<Job>, std::thread::JoinHandle<()>)> {
    let (jobs, inbox) = sync_channel(JOBS_MAX);
    let thread = std::thread::Builder::new().name("views".to_owned());
    let mut worker = Worker { views, reader, complained: BTreeMap::new(), unread: BTreeMap::new() };
    Ok((jobs, thread.spawn(move || worker.work(&inbox, &answers))?))
}

struct Worker {
    views: Views,
    reader: Reader,
    /// What was complained of already, so that a full disk does not fill the log as well.
    complained: BTreeMap<String, u64>,
    /// Infos that were typed to an agent and so are done. Their open views stay until its next turn: it reads them now.
    unread: BTreeMap<AgentName, Vec<MessageId>>,
}

impl Worker {
    fn work(&mut self, jobs: &Receiver<Job>, answers: &mpsc::Sender<Shown>) {
        while let Ok(job) = jobs.recv() {
            let mut shown = Shown::default();
            for item in job {
                self.show(item, &mut shown);
            }
            if answers.blocking_send(shown).is_err() {
                return;
            }
        }
    }

    fn show(&mut self, item: Item, shown: &mut Shown) {
        let done = match item {
            Item::Open(item) => self.show_open(&item, shown),
            Item::Finished { seen, body, answer, if_missing } => {
                self.show_finished(&seen, body, answer, if_missing)
            }
            Item::Agent(item) => {
                let state = item.state.unwrap_or(item.seen.state);
                let text = pages::agent(&item.seen, state, item.doing.as_deref(), item.at);
                self.write(View::Agent(item.seen.name.clone()), &text)
            }
            Item::Daemon(item) => {
                let text = daemon_text(&item);
                self.write(View::Daemon, &text)
            }
            Item::Log { at, agent, text } => self.log(at, agent.as_ref(), &text),
            Item::Sweep { open, members } => self.sweep(&open, &members).map_err(|error| error.to_string()),
            Item::Check(paths) => self.check(&paths, shown).map_err(|error| error.to_string()),
            Item::Sync => self.views.sync().map_err(|error| error.to_string()),
        };
        if let Err(error) = done {
            let times = self.complained.entry(error.clone()).or_default();
            *times += 1;
            if times.is_power_of_two() {
                tracing::warn!(
                    error,
                    times = *times,
                    "a view could not be written; it will be when it changes next"
                );
            }
        }
    }

    fn show_open(&mut self, item: &OpenItem, shown: &mut Shown) -> Result<(), String> {
        let body = self.body(item.body)?;
        let answers: Vec<(&Told, Answer)> = item
            .seen
            .answers
            .iter()
            .zip(&item.answers)
            .map(|(told, place)| Ok((told, self.answer(*place)?)))
            .collect::<Result<_, String>>()?;
        if let Some(agent) = item.seen.agent.as_ref().filter(|_| item.turn) {
            self.put_away(agent)?;
        }
        let text = pages::open(&item.seen, &body, &answers);
        let written = self.write(View::Active(MAIN_ZONE, item.seen.message.id.clone()), &text);
        if item.turn {
            let id = item.seen.message.id.clone();
            shown.turns.push(TurnBody { id, content: body.content, shown: written.clone() });
        }
        written
    }

    fn show_finished(
        &mut self,
        seen: &MessageSeen,
        body: Place,
        answer: Option<Place>,
        if_missing: bool,
    ) -> Result<(), String> {
        let id = &seen.message.id;
        let day = Day::of(seen.since);
        if if_missing && self.views.has_finished(id, &day, answer.is_some()) {
            return Ok(());
        }
        let content = self.body(body)?;
        if let Some(place) = answer {
            let answer = self.answer(place)?;
            let text = pages::result(seen, &answer);
            self.views.write_result(id, &text).map_err(|error| error.to_string())?;
        }
        let text = pages::finished(seen, &content);
        let told = seen.message.kind != Kind::Task && seen.status == Status::Completed;
        let finished = match seen.agent.as_ref().filter(|_| told && self.views.is_open_shown(id)) {
            Some(agent) => {
                self.unread.entry(agent.clone()).or_default().push(id.clone());
                self.views.write_done(id, &day, &text)
            }
            None => self.views.finish(MAIN_ZONE, id, &day, &text),
        };
        finished.map_err(|error| error.to_string())
    }

    /// An agent gets its next turn: it has read what it was told before.
    fn put_away(&mut self, agent: &AgentName) -> Result<(), String> {
        let told = self.unread.remove(agent).unwrap_or_default();
        let remove = |id| self.views.remove(&View::Active(MAIN_ZONE, id));
        told.into_iter().try_for_each(remove).map_err(|error| error.to_string())
    }

    fn write(&mut self, view: View, text: &str) -> Result<(), String> {
        self.views.write(view, text).map_err(|error| error.to_string())
    }

    fn log(&mut self, at: Millis, agent: Option<&AgentName>, text: &str) -> Result<(), String> {
        let line = format!("{} {text}", clock::rfc3339_ms(at));
        let mut done = self.views.append_activity(&line);
        if let Some(agent) = agent.filter(|agent| !agent.is_user()) {
            done = done.and(self.views.append_agent(agent, &line));
        }
        done.map_err(|error| error.to_string())
    }

    fn sweep(
        &mut self,
        open: &BTreeSet<MessageId>,
        members: &BTreeSet<AgentName>,
    ) -> Result<(), FolderError> {
        self.unread.retain(|agent, _| members.contains(agent));
        for view in self.views.list_active()? {
            let stays = |id| open.contains(id) || self.unread.values().flatten().any(|unread| unread == id);
            if !matches!(&view, View::Active(_, id) if stays(id)) {
                self.views.remove(&view)?;
            }
        }
        for agent in self.views.list_agents()? {
            if !members.contains(&agent) {
                self.views.remove(&View::Agent(agent))?;
            }
        }
        Ok(())
    }

    fn check(&mut self, paths: &[PathBuf], shown: &mut Shown) -> Result<(), FolderError> {
        shown.lost |= self.views.refresh()?;
        let paths = paths.iter().map(PathBuf::as_path);
        shown.altered.extend(if paths.len() == 0 {
            self.views.altered_all()
        } else {
            self.views.altered(paths)
        });
        Ok(())
    }

    fn body(&self, (place, index): Place) -> Result<Body, String> {
        let record = self.reader.read_at(place).map_err(|error| error.to_string())?;
        events::body_of(&record.payload, index).ok_or_else(|| format!("no body in step {}", record.seq.0))
    }

    fn answer(&self, (place, index): Place) -> Result<Answer, String> {
        let record = self.reader.read_at(place).map_err(|error| error.to_string())?;
        let events = events::decode(&record.payload).map_err(|error| error.to_string())?;
        match events.into_iter().nth(index as usize) {
            Some(Event::Ended { answer: Some(answer), .. }) => Ok(*answer),
            _ => Err(format!("no answer in step {}", record.seq.0)),
        }
    }
}

fn daemon_text(item: &DaemonItem) -> String {
    status::daemon(&status::DaemonStatus {
        pid: item.pid,
        version: env!("CARGO_PKG_VERSION"),
        started_at: item.started_at,
        at: item.at,
        socket: item.socket.as_deref(),
        stopped_since: item.stopped_since,
        counts: &item.counts,
        notes: &item.notes,
    })
}
