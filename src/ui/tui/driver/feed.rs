//! What happens, from the daemon's events; from its answers where it has no events; from the files where none runs.

use super::fetch::log_line;
use super::setup::Setup;
use crate::io::client::{Asker, ClientError};
use crate::io::clock::Clock;
use crate::io::event_stream::{EventStream, ServerEvent};
use crate::io::regular;
use crate::read::{Answers, Model};
use crate::ui::tui::input::{Link, LogLine, TopInput};
use crate::wire::api::{
    EventsQuery, MessagePage, MessagesQuery, NeedsInfo, NeedsQuery, Problem, Question, StatusInfo,
    StatusQuery, ViewInfo, WorkspaceInfo,
};
use std::io::{Read, Seek, SeekFrom};
use std::time::Duration;
use tokio::sync::mpsc;

/// Between two questions to a daemon that has no events.
const ASK_EVERY: Duration = Duration::from_secs(1);
/// Longest wait for an answer: a person looks meanwhile.
const PATIENCE: Duration = Duration::from_secs(5);
/// Waits before the tries to reach it again.
const AGAIN_S: [u64; 4] = [1, 2, 4, 8];
/// Steps of the journal before now whose lines are in the log at first.
const STEPS_BEFORE: u64 = 200;
/// Bytes at the end of the log's file that are read.
const LOG_BYTES: u64 = 64 << 10;
/// Open tasks that are asked for at once.
const TASKS_MAX: usize = 100;

/// The address of the events; the question has no type of its own answer.
const EVENTS: &str = "/api/events";

/// Nobody looks any more.
pub(super) struct Over;

/// Sends what happens.
pub(super) struct Feed {
    pub(super) setup: Setup,
    pub(super) asker: Asker,
    pub(super) clock: Clock,
    pub(super) news: mpsc::Sender<TopInput>,
    /// Id of the last step that was sent.
    pub(super) last: Option<String>,
    /// Whether anything has been shown.
    pub(super) has_shown: bool,
}

impl Feed {
    /// Goes on until nobody looks any more.
    pub(super) async fn run(mut self) {
        let mut failures = 0;
        loop {
            let over = match self.follow().await {
                Ok(()) => {
                    failures = 0;
                    self.wait(&ClientError::Gone("its events ended".to_owned()), failures).await
                }
                Err(ClientError::Refused(problem)) if problem.code == "no-such-address" => self.ask().await,
                Err(error) => self.wait(&error, failures).await,
            };
            if over.is_err() {
                return;
            }
            failures += 1;
        }
    }

    async fn send(&self, input: TopInput) -> Result<(), Over> {
        self.news.send(input).await.map_err(|_| Over)
    }

    /// Sends events as long as they come.
    async fn follow(&mut self) -> Result<(), ClientError> {
        let mut query = EventsQuery { view: true, ..EventsQuery::default() };
        if self.last.is_none() {
            let status: StatusInfo = self.asker.get(&StatusQuery {}.address(), PATIENCE).await?;
            query.after = Some(status.seq.saturating_sub(STEPS_BEFORE));
        }
        let query = serde_urlencoded::to_string(&query).unwrap_or_default();
        let stream = self.asker.follow(&format!("{EVENTS}?{query}"), self.last.as_deref()).await?;
        // Whether somebody still looks is seen when the next is sent.
        let _: Result<(), Over> = self.pass_on(stream).await;
        Ok(())
    }

    async fn pass_on(&mut self, mut stream: EventStream) -> Result<(), Over> {
        self.send(TopInput::Link(Link::Live)).await?;
        while let Some(event) = stream.next().await {
            if let Some(input) = read(&event) {
                self.has_shown = true;
                self.send(input).await?;
            }
            self.last = event.id.or(self.last.take());
        }
        Ok(())
    }

    /// Asks each second as long as it answers.
    async fn ask(&mut self) -> Result<(), Over> {
        self.send(TopInput::Link(Link::Asked)).await?;
        loop {
            match self.picture().await {
                Ok(view) => self.send(TopInput::View(Box::new(view))).await?,
                Err(error) => return self.wait(&error, 0).await,
            }
            self.has_shown = true;
            let lines = log_lines(&self.setup);
            self.send(TopInput::Log(lines)).await?;
            tokio::time::sleep(ASK_EVERY).await;
        }
    }

    async fn picture(&self) -> Result<ViewInfo, ClientError> {
        let status: StatusInfo = self.asker.get(&StatusQuery {}.address(), PATIENCE).await?;
        let needs: NeedsInfo = self.asker.get(&NeedsQuery {}.address(), PATIENCE).await?;
        let tasks: MessagePage = self.asker.get(&tasks().address(), PATIENCE).await?;
        Ok(whole(status, needs, tasks))
    }

    /// Says that it does not answer, shows the files if nothing was shown yet, and waits for the next try.
    async fn wait(&mut self, error: &ClientError, failures: usize) -> Result<(), Over> {
        let seconds = AGAIN_S[failures.min(AGAIN_S.len() - 1)];
        let ms = i64::try_from(seconds * 1000).unwrap_or(0);
        let again_at = i64::try_from(self.clock.wall().0).unwrap_or(i64::MAX).saturating_add(ms);
        let why = match error {
            ClientError::NotRunning { .. } => "no daemon is running (tasuki up)".to_owned(),
            error => error.to_string(),
        };
        self.send(TopInput::Link(Link::Away { why, again_at })).await?;
        if !self.has_shown {
            let setup = self.setup.clone();
            let files = tokio::task::spawn_blocking(move || (of_files(&setup), log_lines(&setup))).await;
            if let Ok((view, lines)) = files {
                self.has_shown = true;
                self.send(TopInput::Log(lines)).await?;
                match view {
                    Ok(view) => self.send(TopInput::View(Box::new(view))).await?,
                    Err(problem) => self.send(TopInput::Done(Err(problem))).await?,
                }
            }
        }
        tokio::select! {
            () = tokio::time::sleep(Duration::from_secs(seconds)) => Ok(()),
            () = self.news.closed() => Err(Over),
        }
    }
}

/// An event as it is shown; none if it is of a kind that is not.
fn read(event: &ServerEvent) -> Option<TopInput> {
    match &*event.name {
        "step" => serde_json::from_str(&event.data).ok().map(TopInput::Step),
        "view" => serde_json::from_str(&event.data).ok().map(TopInput::View),
        // Steps are lines of the log here, and those that are gone are missing in it.
        _ => None,
    }
}

fn tasks() -> MessagesQuery {
    MessagesQuery {
        state: Some("open".to_owned()),
        limit: Some(TASKS_MAX),
        roots: true,
        ..MessagesQuery::default()
    }
}

/// What the files say.
fn of_files(setup: &Setup) -> Result<ViewInfo, Problem> {
    let unreadable = |why: String| Problem {
        code: "unreadable".to_owned(),
        why,
        cure: "see `tasuki fsck`".to_owned(),
        ..Problem::default()
    };
    let mut model =
        Model::of_files(&setup.workspace, &setup.around).map_err(|error| unreadable(error.to_string()))?;
    let status = StatusQuery {}.answer(&mut model)?;
    let needs = NeedsQuery {}.answer(&mut model)?;
    let tasks = tasks().answer(&mut model)?;
    Ok(whole(status, needs, tasks))
}

/// Answers as one picture.
fn whole(status: StatusInfo, needs: NeedsInfo, tasks: MessagePage) -> ViewInfo {
    let workspace = WorkspaceInfo {
        name: status.workspace,
        daemon: status.daemon,
        pulse: status.pulse,
        open: status.open,
        pending: status.pending,
        held: status.held,
        unread: status.unread,
        unread_answers: status.unread_answers,
        halted_since: status.halted_since,
        tmux_lost: status.tmux_lost,
        notes: status.notes,
    };
    ViewInfo {
        whole: true,
        seq: status.seq,
        now: status.now,
        workspace: Some(workspace),
        order: Some(status.agents.iter().map(|agent| agent.agent_name.clone()).collect()),
        agents: status.agents,
        messages: tasks.messages,
        needs: Some(needs),
        behind: std::collections::BTreeMap::new(),
    }
}

/// The last lines of the log's file.
fn log_lines(setup: &Setup) -> Vec<LogLine> {
    let read = || {
        let mut options = std::fs::OpenOptions::new();
        let mut file = regular::open(options.read(true), &setup.workspace.activity_log())?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(LOG_BYTES)))?;
        let mut bytes = Vec::new();
        file.take(LOG_BYTES).read_to_end(&mut bytes)?;
        Ok::<_, std::io::Error>(bytes)
    };
    // Without a log there is nothing to show.
    let text = read().unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    text.lines().filter_map(log_line).collect()
}
