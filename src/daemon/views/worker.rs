//! The views' thread: reads bodies from the journal and writes what people and agents look at. Views follow from the
//! journal, so nothing here is flushed, and a failure costs nothing but the view.

mod bodies;

pub use crate::daemon::views::item::{AgentItem, DaemonItem, FlowItem, Item, Job, OpenItem, Place};

use crate::daemon::views::pages;
use crate::engine::message::{Kind, Status};
use crate::engine::words::{AgentName, MessageId, Millis};
use crate::io::folder::FolderError;
use crate::io::journal::Reader;
use crate::io::mailbox::MAIN_ZONE;
use crate::io::views::{View, Views, line};
use crate::read::{Live, LiveInfo};
use crate::wire::events::long::LongBodies;
use crate::wire::message::note::Note;
use crate::wire::message::view::MessageView;
use crate::wire::status;
use crate::wire::time::Day;
use std::collections::{BTreeMap, BTreeSet};
use std::iter::Peekable;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::vec::IntoIter;
use tokio::sync::{mpsc, watch};

/// One batch at a time is all the loop ever gives.
const JOBS_MAX: usize = 1;
/// Messages removed in one batch: a batch of 500 removals takes about as long as one of 256 renames.
const EXPIRE_MAX: usize = 500;
/// Different complaints that are remembered.
const COMPLAINTS_MAX: usize = 1_000;

/// A batch is written.
#[derive(Debug, Default)]
pub struct BatchShown {
    /// What the loop waits for before it types.
    pub turns: Vec<TurnBody>,
    /// Views that somebody else changed: they are to be written again.
    pub altered: Vec<View>,
    /// A folder was taken away: everything is to be written again.
    pub lost: bool,
    /// What could not be written, and is to be tried again.
    pub failed: Vec<Item>,
    /// Why, of the last of these.
    pub why: Option<String>,
    /// Messages that have ended and whose answers cannot be read, and why.
    pub unread: Vec<(MessageId, String)>,
    /// More of the same is left to be done.
    pub more: Option<Item>,
}

/// Why a view was not written.
enum Trouble {
    /// What it is made of cannot be read: trying again would not help.
    Unreadable(String),
    /// The disk says no; it may say yes later.
    Unwritten(String),
}

impl From<FolderError> for Trouble {
    fn from(error: FolderError) -> Self {
        Self::Unwritten(error.to_string())
    }
}

/// What typing a turn needs to know of the message's body.
#[derive(Debug)]
pub struct TurnBody {
    pub id: MessageId,
    pub content: Arc<str>,
    /// Whether its content could be read; if not, nothing is typed.
    pub readable: Result<(), String>,
}

/// Starts the thread.
///
/// # Errors
/// If the system gives no thread.
pub fn start(
    views: Views,
    reader: Reader,
    answers: mpsc::Sender<BatchShown>,
    live: watch::Sender<Live>,
) -> std::io::Result<(SyncSender<Job>, std::thread::JoinHandle<()>)> {
    let (jobs, inbox) = sync_channel(JOBS_MAX);
    let thread = std::thread::Builder::new().name("views".to_owned());
    let mut worker = Worker { live: Some(live), ..Worker::new(views, reader) };
    Ok((jobs, thread.spawn(move || worker.work(&inbox, &answers))?))
}

/// Whoever writes them.
pub(in crate::daemon) struct Worker {
    views: Views,
    reader: Reader,
    long: LongBodies,
    /// What was complained of already, so that a full disk does not fill the log as well.
    complained: BTreeMap<String, u64>,
    /// Whoever called says what went wrong.
    pub(super) quiet: bool,
    /// Infos that were typed to an agent and so are done. Their open views stay until its next turn: it reads them now.
    unread: BTreeMap<AgentName, Vec<MessageId>>,
    /// Where it is said, to whoever looks, what agents do.
    live: Option<watch::Sender<Live>>,
}

impl Worker {
    /// Whoever writes these views, with bodies from this journal.
    pub(in crate::daemon) fn new(views: Views, reader: Reader) -> Self {
        let (complained, unread) = (BTreeMap::new(), BTreeMap::new());
        Self { views, reader, long: LongBodies::default(), complained, quiet: false, unread, live: None }
    }

    fn work(&mut self, jobs: &Receiver<Job>, answers: &mpsc::Sender<BatchShown>) {
        while let Ok(job) = jobs.recv() {
            if answers.blocking_send(self.write(job)).is_err() {
                return; // the loop is gone
            }
        }
    }

    /// Writes a batch.
    pub(in crate::daemon) fn write(&mut self, job: Job) -> BatchShown {
        let mut shown = BatchShown::default();
        let mut items = job.into_iter().peekable();
        while self.show_next(&mut items, &mut shown) {}
        shown
    }

    /// Writes what is next in a batch, lines that follow each other together; false if nothing is left.
    fn show_next(&mut self, items: &mut Peekable<IntoIter<Item>>, shown: &mut BatchShown) -> bool {
        let is_line = |item: &Item| matches!(item, Item::Log { .. });
        let lines: Vec<Item> = std::iter::from_fn(|| items.next_if(is_line)).collect();
        if !lines.is_empty() {
            self.log(lines, shown);
            return true;
        }
        let item = items.next();
        item.map(|item| self.show(item, shown)).is_some()
    }

    fn show(&mut self, item: Item, shown: &mut BatchShown) {
        match self.write_item(&item, shown) {
            Ok(()) => {}
            Err(Trouble::Unreadable(why)) => {
                self.complain(&why, "a view could not be made");
                match item {
                    Item::Open(OpenItem { turn: true, view, .. }) => {
                        let id = view.id;
                        shown.turns.push(TurnBody { id, content: "".into(), readable: Err(why) });
                    }
                    Item::Finished { view, .. } => shown.unread.push((view.id, why)),
                    _ => {}
                }
            }
            Err(Trouble::Unwritten(why)) => {
                self.complain(&why, "a view could not be written; it is tried again");
                shown.failed.push(item);
                shown.why = Some(why);
            }
        }
    }

    fn write_item(&mut self, item: &Item, shown: &mut BatchShown) -> Result<(), Trouble> {
        match item {
            Item::Open(item) => self.show_open(item, shown)?,
            Item::Finished { view, day, body, answer, if_missing } => {
                self.show_finished(view, day, *body, *answer, *if_missing)?;
            }
            Item::Agent(item) => {
                let state = item.state.unwrap_or(item.seen.state);
                self.publish(item);
                let text = pages::agent(item, state);
                self.views.write(View::Agent(item.seen.name.clone()), &text)?;
                if let Err(error) = self.views.write_beside(&item.seen.name, &text) {
                    self.complain(&error.to_string(), "a status beside status/agents/ could not be written");
                }
                if state == "stopped" {
                    self.put_away(&item.seen.name)?; // nobody reads what it was told
                }
            }
            Item::Daemon(item) => self.views.write(View::Daemon, &daemon_text(item))?,
            Item::Flow(item) => self.show_flow(item)?,
            Item::Log { .. } => {} // `show_next` writes them with those that follow
            Item::Sweep { open, members } => self.sweep(open, members)?,
            Item::Check(paths) => self.check(paths, shown)?,
            Item::Expire(before) => match self.expire(*before) {
                Ok(more) => shown.more = more.then_some(Item::Expire(*before)),
                // Nobody waits for it, and it is looked at again within the hour.
                Err(error) => self.complain(&error.to_string(), "what is old could not be removed"),
            },
            Item::Zones(zones) => self.views.set_beside(zones),
            Item::Sync => self.views.sync()?,
        }
        Ok(())
    }

    /// Says what went wrong, the same thing ever more rarely, so that a full disk does not fill the log as well.
    fn complain(&mut self, why: &str, what: &'static str) {
        if self.complained.len() >= COMPLAINTS_MAX {
            self.complained.clear();
        }
        let times = self.complained.entry(why.to_owned()).or_default();
        *times += 1;
        if times.is_power_of_two() && !self.quiet {
            tracing::warn!(why, times = *times, "{what}");
        }
    }

    fn show_open(&mut self, item: &OpenItem, shown: &mut BatchShown) -> Result<(), Trouble> {
        let body = match &item.kept {
            Some(body) => body.clone(),
            None => self.body(item.body)?,
        };
        let mut view = item.view.with(&body);
        for (told, place) in &item.answers {
            view.file.answers.push(Note::of(told, &self.answer(*place)?));
        }
        if let Some(agent) = view.agent.as_ref().filter(|_| item.turn) {
            self.put_away(agent)?;
        }
        self.views.write(View::Active(MAIN_ZONE, view.id.clone()), &view.yaml())?;
        if item.turn {
            let id = view.id;
            shown.turns.push(TurnBody { id, content: body.content, readable: Ok(()) });
        }
        Ok(())
    }

    fn show_finished(
        &mut self,
        view: &MessageView,
        day: &Day,
        body: Place,
        answer: Option<Place>,
        if_missing: bool,
    ) -> Result<(), Trouble> {
        let id = &view.id;
        if if_missing && self.views.has_finished(id, day, answer.is_some()) {
            return Ok(());
        }
        let answer = answer.map(|place| self.answer(place)).transpose()?;
        let result = answer.map(|answer| view.result(&answer).yaml());
        let text = view.with(&self.body_or_why(body)?).yaml();
        let is_there = if_missing && self.views.holds_end(id, day, result.as_deref(), &text);
        if is_there && !self.views.is_open_shown(id) {
            return Ok(());
        }
        if let Some(result) = result.filter(|_| !is_there) {
            self.views.write_result(id, &result)?;
        }
        // Before the view that says it is done, so that a crash between the two has both written again.
        if view.to.is_user() && !is_there {
            self.views.write_letter(id, &text)?;
        }
        let told = view.kind != Kind::Task && view.status == Status::Completed;
        let reader = view.agent.as_ref().filter(|_| told && self.views.is_open_shown(id));
        let Some(reader) = reader else { return Ok(self.views.finish(MAIN_ZONE, id, day, &text)?) };
        if if_missing {
            // After a power cut its file may be empty.
            self.views.write(View::Active(MAIN_ZONE, id.clone()), &text)?;
        }
        self.views.write_done(id, day, &text)?;
        self.unread.entry(reader.clone()).or_default().push(id.clone());
        Ok(())
    }

    /// Says to whoever looks what an agent does.
    fn publish(&self, item: &AgentItem) {
        let Some(live) = &self.live else { return };
        let AgentItem { seen, state, doing, known, since, .. } = item;
        let info = LiveInfo {
            known: known.clone(),
            state: *state,
            doing: doing.as_deref().map(Into::into),
            since: Some(*since),
            has_ended: false,
        };
        live.send_modify(|live| {
            live.agents.insert(seen.name.clone(), Arc::new(info));
            live.version += 1;
        });
    }

    /// An agent gets its next turn: it has read what it was told before.
    fn put_away(&mut self, agent: &AgentName) -> Result<(), FolderError> {
        let told = self.unread.remove(agent).unwrap_or_default();
        told.into_iter().try_for_each(|id| self.views.remove(&View::Active(MAIN_ZONE, id)))
    }

    /// Writes lines that follow each other: one write a file. What could not be written is tried again, and nothing twice.
    fn log(&mut self, mut items: Vec<Item>, shown: &mut BatchShown) {
        if let Err(error) = self.append(&mut items) {
            let why = error.to_string();
            self.complain(&why, "lines could not be written; it is tried again");
            shown.failed.extend(items);
            shown.why = Some(why);
        }
    }

    /// Leaves in `items` what could not be written.
    fn append(&mut self, items: &mut Vec<Item>) -> Result<(), FolderError> {
        let untold = |item: &&Item| matches!(item, Item::Log { told: false, .. });
        self.views.append_activity_lines(&lines(items.iter().filter(untold)))?;
        for item in items.iter_mut() {
            if let Item::Log { told, .. } = item {
                *told = true;
            }
        }
        let (mut done, mut left) = (Ok(()), Vec::new());
        while let Some(agent) = items.iter().find_map(owner).cloned() {
            let theirs = |item: &mut Item| owner(item) == Some(&agent);
            let theirs: Vec<Item> = items.extract_if(.., theirs).collect();
            let written = self.views.append_agent_lines(&agent, &lines(theirs.iter()));
            if written.is_err() {
                left.extend(theirs);
            }
            done = done.and(written);
        }
        *items = left;
        done
    }

    fn sweep(
        &mut self,
        open: &BTreeSet<MessageId>,
        members: &BTreeSet<AgentName>,
    ) -> Result<(), FolderError> {
        self.unread.retain(|agent, _| members.contains(agent));
        self.views.remove_half_written()?;
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

    /// Removes a batch of what is old; whether there may be more.
    fn expire(&mut self, before: Millis) -> Result<bool, FolderError> {
        let letters = self.views.remove_letters_before(before, EXPIRE_MAX)?;
        let sessions = self.views.remove_sessions_before(before, EXPIRE_MAX)?;
        self.views.remove_debates_before(before)?;
        Ok(sessions >= EXPIRE_MAX
            || self.views.remove_finished_before(before, EXPIRE_MAX)? >= EXPIRE_MAX
            || letters >= EXPIRE_MAX)
    }

    fn check(&mut self, paths: &[PathBuf], shown: &mut BatchShown) -> Result<(), FolderError> {
        shown.lost |= self.views.refresh()?;
        let paths = paths.iter().map(PathBuf::as_path);
        shown.altered.extend(if paths.len() == 0 {
            self.views.altered_all()
        } else {
            self.views.altered(paths)
        });
        Ok(())
    }
}

/// Whose log gets a line, besides the activity log.
fn owner(item: &Item) -> Option<&AgentName> {
    match item {
        Item::Log { agent, .. } => agent.as_ref().filter(|agent| !agent.is_user()),
        _ => None,
    }
}

fn lines<'a>(items: impl Iterator<Item = &'a Item>) -> Vec<String> {
    let line = |item: &Item| match item {
        Item::Log { at, text, .. } => Some(line(*at, text)),
        _ => None,
    };
    items.filter_map(line).collect()
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
