//! The worker: looks at most once a second, when something has changed, and runs the command. Its calls follow each other, so
//! there are never two at once.

use super::plan::NotifyPlan;
use crate::daemon::clients::reads::Reads;
use crate::engine::words::{Millis, Seq};
use crate::io::clock::Clock;
use crate::io::command::{self, CommandEnd};
use crate::io::journal::{Cursor, Extent};
use crate::io::notified_file::Notified;
use crate::io::workspace::Workspace;
use crate::read::{Answers, CompletedTasks, Live, Model, StreamStart};
use crate::wire::api::{NeedInfo, NeedsQuery, NotifyEventInfo, NotifyInfo, NotifyKind, Problem};
use crate::wire::hide::hide_in;
use crate::wire::redact::Redactor;
use crate::wire::team_file::NotifySettings;
use crate::wire::time::rfc3339_ms;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// Between two looks, and before the first: agents are taken over then. What comes together goes into one call.
const BETWEEN_LOOKS: Duration = Duration::from_secs(1);
/// How long the command may take: it hands a line to somebody else.
const CALL: Duration = Duration::from_secs(10);
/// Steps of the journal after which it is written down how far completed tasks were told: so many are read at a start.
const STEPS_UNSAVED: u64 = 4_096;

/// Where completed tasks are looked for.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// From now on.
    End,
    /// Behind a step that an earlier daemon wrote down.
    Behind(u64),
    At(Cursor),
}

/// Tells the command what waits.
#[derive(Debug)]
pub(super) struct NotifyWorker {
    workspace: Workspace,
    clock: Clock,
    reads: Reads,
    /// Why the command cannot be started.
    note: watch::Sender<Option<String>>,
    /// When this daemon began.
    began: Millis,
    plan: NotifyPlan,
    asked: Option<Arc<NotifySettings>>,
    /// None where nobody asked for completed tasks.
    place: Option<Place>,
    /// What is in the file; none if it was not read yet.
    saved: Option<Notified>,
    /// Whether the team file asked for it from the daemon's start on.
    is_first: bool,
    /// Whether the last look failed.
    is_blind: bool,
}

impl NotifyWorker {
    pub(super) fn new(
        workspace: Workspace,
        clock: Clock,
        reads: Reads,
        note: watch::Sender<Option<String>>,
    ) -> Self {
        let (plan, began) = (NotifyPlan::default(), clock.now());
        let (asked, place, saved) = (None, None, None);
        Self {
            workspace,
            clock,
            reads,
            note,
            began,
            plan,
            asked,
            place,
            saved,
            is_first: true,
            is_blind: false,
        }
    }

    /// Tells until the daemon ends. Where the team file has no `notify:` it sleeps until that changes.
    pub(super) async fn run(mut self) -> &'static str {
        const NAME: &str = "notify worker";
        let (mut extents, mut live) = (self.reads.extents.clone(), self.reads.live.clone());
        if live.wait_for(|live| live.settings.is_some()).await.is_err() {
            return NAME;
        }
        loop {
            tokio::time::sleep(BETWEEN_LOOKS).await;
            let settings = live.borrow_and_update().settings.clone();
            let Some(asked) = settings.and_then(|settings| settings.notify.clone()) else {
                self.stop();
                if live.wait_for(is_asked).await.is_err() {
                    return NAME;
                }
                continue;
            };
            extents.mark_unchanged();
            if self.tell(&asked).await.is_none() {
                return NAME;
            }
            let next = self.plan.next_at().map(|at| at.since(self.clock.now()));
            let wait = Duration::from_millis(next.unwrap_or_default());
            let changed = tokio::select! {
                changed = extents.changed() => changed,
                changed = live.changed() => changed,
                () = tokio::time::sleep(wait), if next.is_some() => Ok(()),
            };
            if changed.is_err() {
                return NAME;
            }
        }
    }

    /// Nothing is asked for any more.
    fn stop(&mut self) {
        self.is_first = false;
        if self.asked.take().is_some() {
            self.place = None;
            self.plan.ask_for(&BTreeSet::new(), self.clock.now());
            self.note.send_if_modified(|note| note.take().is_some());
        }
    }

    /// Looks, and tells what is to be told. None if the daemon ends.
    async fn tell(&mut self, asked: &Arc<NotifySettings>) -> Option<()> {
        if self.asked.as_ref() != Some(asked) {
            self.ask_for(asked).await;
        }
        match self.look().await? {
            Ok(()) => self.is_blind = false,
            Err(problem) => {
                if !self.is_blind {
                    tracing::warn!(why = problem.why, "`notify` does not know what waits");
                }
                self.is_blind = true;
                return Some(());
            }
        }
        let events = self.plan.due(self.clock.now());
        let is_news = !events.is_empty();
        if is_news {
            self.call(asked, events).await;
        }
        self.save(is_news).await;
        Some(())
    }

    /// The team file asks for something else.
    async fn ask_for(&mut self, asked: &Arc<NotifySettings>) {
        let now = self.clock.now();
        if self.saved.is_none() {
            let workspace = self.workspace.clone();
            let read = tokio::task::spawn_blocking(move || Notified::read(&workspace)).await;
            let mut saved = read.ok().flatten().unwrap_or_default();
            if !self.is_first {
                // It is of a time before this daemon, in which nobody asked.
                saved = Notified { told: saved.told, ..Notified::default() };
            }
            self.plan = NotifyPlan::of(saved.clone(), now);
            self.saved = Some(saved);
        }
        // What comes between the daemon's start and its first look has begun since it was asked for.
        self.plan.ask_for(&asked.on, if self.is_first { self.began } else { now });
        let seq = self.saved.as_ref().and_then(|saved| saved.seq).filter(|_| self.is_first);
        let begin = || match seq {
            Some(seq) => Place::Behind(seq),
            None if self.is_first => Place::At(self.reads.began()),
            None => Place::End,
        };
        let wants = asked.on.contains(&NotifyKind::Completed);
        self.place = wants.then(|| self.place.unwrap_or_else(begin));
        self.is_first = false;
        self.asked = Some(asked.clone());
    }

    /// Asks what waits and what was completed.
    async fn look(&mut self) -> Option<Result<(), Problem>> {
        let reaches = self.reads.extents.borrow().written;
        loop {
            let place = self.place;
            let seen = match self.reads.ask(move |model| look(model, place, reaches)).await? {
                Ok(seen) => seen,
                Err(problem) => return Some(Err(problem)),
            };
            let (mut reached, mut tasks, mut more) = (Seq(0), Vec::new(), false);
            if let Some(completed) = seen.completed {
                self.place = Some(Place::At(completed.cursor));
                (reached, tasks, more) = (completed.cursor.seq(), completed.tasks, completed.more);
            }
            self.plan.look(self.clock.now(), &seen.needs, tasks, reached);
            if !more {
                return Some(Ok(()));
            }
        }
    }

    /// Runs the command.
    async fn call(&mut self, asked: &NotifySettings, events: Vec<NotifyEventInfo>) {
        let input = self.document(&events);
        let root = self.workspace.root();
        match command::run(&asked.command, root, &asked.env, &input, CALL).await {
            Err(error) => {
                let program = asked.command.first().map_or("", String::as_str);
                let note = format!(
                    "`{program}` of `notify:` cannot be started and is tried again with the next event: {error}; correct `command` in the team file"
                );
                tracing::warn!("{note}");
                self.note.send_replace(Some(note));
                self.plan.put_back(events);
            }
            Ok(ended) => {
                self.note.send_if_modified(|note| note.take().is_some());
                complain(ended);
            }
        }
    }

    /// What the command is given, without secrets.
    fn document(&self, events: &[NotifyEventInfo]) -> Vec<u8> {
        let root = self.workspace.root();
        let info = NotifyInfo {
            workspace: root.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            root: self.workspace.root_text().to_owned(),
            at: rfc3339_ms(self.clock.wall()),
            events: events.to_vec(),
        };
        let mut document = serde_json::to_value(info).unwrap_or_default();
        if let Some(events) = document.get_mut("events") {
            hide_in(events);
        }
        let mut text = document.to_string();
        text.push('\n');
        text.into_bytes()
    }

    /// Writes down what was told, if that has changed.
    async fn save(&mut self, is_news: bool) {
        let notified = self.plan.notified();
        let Some(saved) = &self.saved else { return };
        let is_same = (&saved.on, &saved.told) == (&notified.on, &notified.told);
        let steps = notified.seq.unwrap_or(0).saturating_sub(saved.seq.unwrap_or(0));
        if is_same && !is_news && steps < STEPS_UNSAVED {
            return;
        }
        self.saved = Some(notified.clone());
        let workspace = self.workspace.clone();
        let written = tokio::task::spawn_blocking(move || notified.write(&workspace)).await;
        if let Ok(Err(error)) = written {
            tracing::warn!(%error, "it is not written down what `notify` told: a restart may tell it again");
        }
    }
}

fn is_asked(live: &Live) -> bool {
    live.settings.as_ref().is_some_and(|settings| settings.notify.is_some())
}

/// What waits, and what was completed if anybody wants to know.
struct Seen {
    needs: Vec<NeedInfo>,
    completed: Option<CompletedTasks>,
}

fn look(model: &mut Model, place: Option<Place>, reaches: Extent) -> Result<Seen, Problem> {
    let start = |model: &mut Model, after| match model.start_of_stream(after, reaches)? {
        StreamStart::At(cursor) | StreamStart::Reset(cursor) => Ok::<_, Problem>(cursor),
    };
    let from = match place {
        None => None,
        Some(Place::At(cursor)) => Some(cursor),
        Some(Place::End) => Some(start(model, None)?),
        Some(Place::Behind(seq)) => Some(start(model, Some(seq))?),
    };
    let completed = from.map(|from| model.completed(from, reaches)).transpose()?;
    Ok(Seen { needs: NeedsQuery {}.answer(model)?.needs, completed })
}

/// Logs a call that failed.
fn complain(ended: CommandEnd) {
    let last_line = ended.last_line.map(|line| Redactor::default().text(&line)).unwrap_or_default();
    match ended.status {
        Some(status) if status.success() => {}
        Some(status) => tracing::warn!(%status, last_line, "the command of `notify:` failed"),
        None => {
            tracing::warn!(last_line, "the command of `notify:` took longer than {CALL:?} and was killed")
        }
    }
}
