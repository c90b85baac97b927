//! What is fetched for what is looked at: a screen as it changes; queues and histories when anything has happened.

use crate::engine::words::{AgentName, Millis};
use crate::io::client::{ANSWER_DEADLINE, Asker, ClientError};
use crate::io::clock::Clock;
use crate::io::log_reader::{LogPlace, LogWish, StatusLog};
use crate::io::workspace::Workspace;
use crate::ui::tui::ages::moment;
use crate::ui::tui::input::{LogLine, Older, PaneSeen, RoundHeard, TopInput, Wants};
use crate::wire::api::{
    AgentQuery, DebateList, DebateQuery, DebateRoundQuery, DebatesQuery, HistoryQuery, InboxInfo, InboxQuery,
    MessageDetails, MessagePage, MessageQuery, MessagesQuery, PaneLookInfo, Problem, Question, RunInfo,
    ScreenInfo, SessionDetails, SessionList, SessionQuery, SessionsQuery,
};
use crate::wire::debate::document::{DebateResult, RoundOutput};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Between two fetches of the same, in ms: a history is read, not watched.
const EVERY_MS: u64 = 1000;
/// Between two tries to see a screen that cannot be seen.
const SCREEN_AGAIN: Duration = Duration::from_secs(2);
/// Messages that are listed with those that ended.
const LISTED: usize = 200;
/// Messages that the last task of an agent is looked for in: those that it has sent are among them.
const LOOKED_AT: usize = 20;

/// Lines of the log that are read at once, and bytes that are looked at for them.
const LOG_LINES: usize = 1_000;
const LOG_BYTES: u64 = 8 << 20;

/// A fetch: what of, at which step of the journal, and when.
#[derive(Default)]
struct Got {
    of: Option<String>,
    seq: u64,
    at: Option<Millis>,
}

impl Got {
    /// Whether it is to be fetched now.
    fn is_due(&mut self, of: Option<&String>, seq: u64, now: Millis) -> bool {
        if of.is_none() {
            self.of = None;
            return false;
        }
        let is_other = self.of.as_ref() != of;
        let is_late = self.at.is_none_or(|at| now.0.saturating_sub(at.0) >= EVERY_MS);
        if !is_other && (self.seq == seq || !is_late) {
            return false;
        }
        *self = Self { of: of.cloned(), seq, at: Some(now) };
        true
    }
}

/// Fetches what is wanted.
pub(super) struct Fetcher {
    asker: Asker,
    workspace: Workspace,
    clock: Clock,
    news: mpsc::Sender<TopInput>,
    screen: Option<(String, JoinHandle<()>)>,
    details: BTreeMap<String, Got>,
    story: Got,
    answer: Got,
    last: Got,
    retried: Got,
    letters: Got,
    explain: Got,
    messages: Got,
    sessions: Got,
    session: Got,
    /// The last session as it comes: none other is asked for meanwhile.
    session_comes: Option<(String, JoinHandle<()>)>,
    debates: Got,
    debate: Got,
    round: Got,
    /// Before which place of the log lines were read last.
    older: Option<Option<LogPlace>>,
}

impl Fetcher {
    pub(super) fn new(
        asker: Asker,
        workspace: Workspace,
        clock: Clock,
        news: mpsc::Sender<TopInput>,
    ) -> Self {
        let details = BTreeMap::new();
        let (story, answer, last) = Default::default();
        let (letters, explain, messages, retried) = Default::default();
        let (sessions, session, session_comes) = Default::default();
        let (debates, debate, round) = Default::default();
        let (screen, older) = (None, None);
        Self {
            asker,
            workspace,
            clock,
            news,
            screen,
            details,
            story,
            answer,
            last,
            retried,
            letters,
            explain,
            messages,
            sessions,
            session,
            session_comes,
            debates,
            debate,
            round,
            older,
        }
    }

    /// Fetches what is wanted and not there, as of this step of the journal.
    pub(super) fn want(&mut self, wants: &Wants, seq: u64) {
        let now = self.clock.now();
        if self.screen.as_ref().map(|(name, _)| name) != wants.screen.as_ref() {
            self.stop();
            self.screen = wants.screen.clone().map(|name| {
                let task = tokio::spawn(watch(self.asker.clone(), self.news.clone(), name.clone()));
                (name, task)
            });
        }
        self.details.retain(|name, _| wants.details.contains(name));
        for name in &wants.details {
            if self.details.entry(name.clone()).or_default().is_due(Some(name), seq, now) {
                let path = AgentQuery { name: name.clone() }.address();
                self.fetch(path, |got| got.ok().map(|details| TopInput::Details(Box::new(details))));
            }
        }
        if self.story.is_due(wants.story.as_ref(), seq, now)
            && let Some(id) = wants.story.clone()
        {
            let path = HistoryQuery { id: id.clone() }.address();
            self.fetch(path, |got| Some(TopInput::History(id, got.map(Box::new))));
        }
        if self.answer.is_due(wants.answer.as_ref(), seq, now)
            && let Some(id) = wants.answer.clone()
        {
            // Why there is none is told with its history.
            let whole =
                |got: Result<MessageDetails, Problem>| got.ok().map(|got| TopInput::Whole(Box::new(got)));
            self.fetch(MessageQuery { id }.address(), whole);
        }
        self.want_lists(wants, seq, now);
        self.want_sessions(wants, now);
        self.want_debates(wants, now);
        self.want_older(wants);
        // A screen changes without a step.
        if self.explain.is_due(wants.explain.as_ref(), now.0, now)
            && let Some(name) = wants.explain.clone()
        {
            let path = format!("/api/panes/{name}/look");
            self.fetch(path, |got| Some(TopInput::Explained(name, got.map(Box::new))));
        }
    }

    fn want_lists(&mut self, wants: &Wants, seq: u64, now: Millis) {
        if self.last.is_due(wants.last.as_ref(), seq, now)
            && let Some(name) = wants.last.clone()
        {
            let kind = Some("task".to_owned());
            let agent = Some(name.clone());
            let query = MessagesQuery { agent, kind, limit: Some(LOOKED_AT), ..MessagesQuery::default() };
            let last = move |got: Result<MessagePage, Problem>| {
                let is_its = |agent: Option<&AgentName>| agent.is_some_and(|agent| agent.as_str() == name);
                let messages = got.ok()?.messages;
                let its = messages.iter().find(|message| is_its(message.agent.as_ref()));
                Some(TopInput::Last(name.clone(), its.map(|message| message.id.to_string())))
            };
            self.fetch(query.address(), last);
        }
        if self.retried.is_due(wants.retried.as_ref(), seq, now)
            && let Some(id) = wants.retried.clone()
        {
            let query =
                MessagesQuery { retry_of: Some(id.clone()), limit: Some(1), ..MessagesQuery::default() };
            let by = |got: Result<MessagePage, Problem>| {
                Some(TopInput::Retried(id, got.ok()?.messages.first().map(|message| message.id.to_string())))
            };
            self.fetch(query.address(), by);
        }
        if self.letters.is_due(wants.letters.then(String::new).as_ref(), seq, now) {
            let letters =
                |got: Result<InboxInfo, Problem>| Some(TopInput::Letters(got.map(|got| got.unread)));
            self.fetch(InboxQuery {}.address(), letters);
        }
        let listed = wants.messages.then(String::new);
        if self.messages.is_due(listed.as_ref(), seq, now) {
            let path = MessagesQuery { limit: Some(LISTED), ..MessagesQuery::default() }.address();
            let list =
                |got: Result<MessagePage, Problem>| got.ok().map(|page| TopInput::Messages(page.messages));
            self.fetch(path, list);
        }
    }

    /// Sessions are read again when the journal has told of one. One of many tasks takes its time: it is asked for once at a time.
    fn want_sessions(&mut self, wants: &Wants, now: Millis) {
        let listed = wants.sessions.then(String::new);
        if self.sessions.is_due(listed.as_ref(), wants.sessions_at, now) {
            let list =
                |got: Result<SessionList, Problem>| Some(TopInput::Sessions(got.map(|list| list.sessions)));
            self.fetch(SessionsQuery {}.address(), list);
        }
        let is_same = |(id, comes): &(String, JoinHandle<()>)| {
            !comes.is_finished() && Some(id) == wants.session.as_ref()
        };
        if self.session_comes.as_ref().is_some_and(is_same) {
            return;
        }
        if self.session.is_due(wants.session.as_ref(), wants.sessions_at, now)
            && let Some(id) = wants.session.clone()
        {
            let path = SessionQuery { id: id.clone() }.address();
            let its = id.clone();
            let whole =
                |got: Result<SessionDetails, Problem>| Some(TopInput::Session(its, got.map(Box::new)));
            self.session_comes = Some((id, self.fetch(path, whole)));
        }
    }

    /// Debates are read again when the journal has told of one; the texts of a round are long, and only when one has been added.
    fn want_debates(&mut self, wants: &Wants, now: Millis) {
        let listed = wants.debates.then(String::new);
        if self.debates.is_due(listed.as_ref(), wants.debates_at, now) {
            let list =
                |got: Result<DebateList, Problem>| Some(TopInput::Debates(got.map(|list| list.debates)));
            self.fetch(DebatesQuery {}.address(), list);
        }
        if self.debate.is_due(wants.debate.as_ref(), wants.debates_at, now)
            && let Some(id) = wants.debate.clone()
        {
            let path = DebateQuery { id: id.clone() }.address();
            let whole = |got: Result<DebateResult, Problem>| Some(TopInput::Debate(id, got.map(Box::new)));
            self.fetch(path, whole);
        }
        let round = wants.round.as_ref().map(|round| format!("{} {} {}", round.id, round.n, round.ended));
        if self.round.is_due(round.as_ref(), wants.round_at, now)
            && let Some(of) = wants.round.clone()
        {
            let path = DebateRoundQuery { id: of.id.clone(), n: of.n }.address();
            let said = |said: Result<Vec<RoundOutput>, Problem>| {
                Some(TopInput::Round(Box::new(RoundHeard { of, said })))
            };
            self.fetch(path, said);
        }
    }

    /// Reads the lines of the log before those that are there: from its files, with a daemon and without.
    fn want_older(&mut self, wants: &Wants) {
        let is_asked = self.older == wants.older;
        self.older = wants.older;
        let Some(asked) = wants.older.filter(|_| !is_asked) else { return };
        let (workspace, news) = (self.workspace.clone(), self.news.clone());
        tokio::spawn(async move {
            let read = tokio::task::spawn_blocking(move || older(&workspace, asked)).await;
            // What cannot be read is not there; nobody looks any more where it is not taken.
            let _ = news.send(TopInput::Older(read.unwrap_or_default())).await;
        });
    }

    /// Watches no screen any more.
    pub(super) fn stop(&mut self) {
        if let Some((_, task)) = self.screen.take() {
            task.abort();
        }
    }

    fn fetch<T: serde::de::DeserializeOwned + Send>(
        &self,
        path: String,
        input: impl FnOnce(Result<T, Problem>) -> Option<TopInput> + Send + 'static,
    ) -> JoinHandle<()> {
        let (asker, news) = (self.asker.clone(), self.news.clone());
        tokio::spawn(async move {
            let got = asker.get::<T>(&path, ANSWER_DEADLINE).await.map_err(problem);
            if let Some(input) = input(got) {
                // Nobody looks any more: nothing is lost.
                let _ = news.send(input).await;
            }
        })
    }
}

impl Drop for Fetcher {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Lines of the log before a place.
fn older(workspace: &Workspace, asked: Option<LogPlace>) -> Older {
    let log = StatusLog::of_team(workspace);
    let wish = LogWish { lines: LOG_LINES, since: None, bytes: LOG_BYTES };
    let from = if asked.is_some() { Ok(asked) } else { log.end() };
    let found = from.and_then(|from| log.before(from, wish)).unwrap_or_default();
    let lines = found.lines.iter().rev().filter_map(|line| log_line(line)).collect();
    Older { asked, lines, next: found.next }
}

/// A line as it stands in the log's file; none if it has no time.
pub(super) fn log_line(line: &str) -> Option<LogLine> {
    let (at, text) = line.split_once(' ')?;
    Some(LogLine { at: moment(at)?, text: text.to_owned(), evidence: None })
}

/// Why there is no answer, as a problem.
pub(super) fn problem(error: ClientError) -> Problem {
    match error {
        ClientError::Refused(problem) | ClientError::Unavailable(problem) => problem,
        error @ ClientError::NotRunning { .. } => Problem {
            code: "no-daemon".to_owned(),
            why: error.to_string(),
            cure: "start one with `tasuki up`".to_owned(),
            ..Problem::default()
        },
        error => Problem { code: "no-answer".to_owned(), why: error.to_string(), ..Problem::default() },
    }
}

/// Sends an agent's screen as it changes.
async fn watch(asker: Asker, news: mpsc::Sender<TopInput>, agent: String) {
    loop {
        let fault = match stream(&asker, &news, &agent).await {
            Ok(()) => None,
            Err(error) => Some(problem(error)),
        };
        // That no daemon runs is told once, above all.
        if let Some(problem) = fault.filter(|problem| problem.code != "no-daemon") {
            let seen = match problem.code.as_str() {
                "no-such-address" => look(&asker, &agent).await,
                _ => Err(problem),
            };
            let seen = seen.unwrap_or_else(|problem| PaneSeen {
                agent: agent.clone(),
                fault: Some(problem.why),
                ..PaneSeen::default()
            });
            if news.send(TopInput::Pane(Box::new(seen))).await.is_err() {
                return;
            }
        }
        tokio::time::sleep(SCREEN_AGAIN).await;
    }
}

async fn stream(asker: &Asker, news: &mpsc::Sender<TopInput>, agent: &str) -> Result<(), ClientError> {
    let mut events = asker.follow(&format!("/api/agents/{agent}/screen?follow=true"), None).await?;
    while let Some(event) = events.next().await {
        match &*event.name {
            "screen" => {
                let Ok(screen) = serde_json::from_str::<ScreenInfo>(&event.data) else { continue };
                let seen = PaneSeen {
                    agent: agent.to_owned(),
                    size: Some(screen.size),
                    rows: screen.rows,
                    fault: None,
                };
                if news.send(TopInput::Pane(Box::new(seen))).await.is_err() {
                    return Ok(());
                }
            }
            "gone" => {
                let problem = serde_json::from_str(&event.data).unwrap_or_default();
                return Err(ClientError::Refused(problem));
            }
            _ => {}
        }
    }
    Ok(())
}

/// A screen of a daemon that cannot show it with its colours.
async fn look(asker: &Asker, agent: &str) -> Result<PaneSeen, Problem> {
    let look: PaneLookInfo =
        asker.get(&format!("/api/panes/{agent}/look"), ANSWER_DEADLINE).await.map_err(problem)?;
    let row = |text: String| vec![RunInfo { text, ..RunInfo::default() }];
    let rows = look.rows.into_iter().map(row).collect();
    Ok(PaneSeen { agent: agent.to_owned(), size: None, rows, fault: None })
}
