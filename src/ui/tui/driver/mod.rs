//! The driver: keys and news in, cells out. It decides nothing.

mod feed;
mod fetch;
mod setup;
mod terminal;

use super::input::{Act, TopInput};
use super::screen::drawn;
use super::state::TopState;
use crate::engine::words::Millis;
use crate::io::answers_read::AnswersRead;
use crate::io::chance::mint_id;
use crate::io::client::{ANSWER_DEADLINE, Asker, Client, ClientError};
use crate::io::clock::Clock;
use crate::wire::api::{Accepted, Done, PaneAnswered, Problem};
use crate::wire::debate::document::DebateResult;
use feed::Feed;
use fetch::{Fetcher, problem};
use rustix::process::{Signal, kill_current_process_group};
use serde_json::{Value, json};
pub use setup::{Panics, Setup};
use std::io;
use std::process::Stdio;
use std::time::Duration;
use terminal::{Terminal, Told};
use tokio::process::Command;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

/// News that wait to be shown: whoever has more waits.
const NEWS_MAX: usize = 64;

/// Why it cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The terminal or the machine refused.
    #[error("cannot use the terminal: {0}")]
    Io(#[from] io::Error),
    /// Nobody can be asked.
    #[error(transparent)]
    Client(#[from] ClientError),
}

/// Shows the team until the person leaves.
///
/// # Errors
/// [`Fault`]
pub fn run(setup: Setup) -> Result<(), Fault> {
    let client = Client::new(&setup.workspace, &setup.around)?;
    let clock = Clock::start();
    terminal::give_back_on_panic();
    client.run(async {
        let (news, inbox) = mpsc::channel(NEWS_MAX);
        let feed = Feed {
            setup: setup.clone(),
            asker: client.asker(),
            clock,
            news: news.clone(),
            last: None,
            has_shown: false,
        };
        let feed = tokio::spawn(feed.run());
        let state = TopState::new(setup.look, at(clock.wall()));
        let fetcher = Fetcher::new(client.asker(), setup.workspace.clone(), clock, news.clone());
        let terminal = Terminal::take()?;
        let driver = Driver {
            setup,
            asker: client.asker(),
            clock,
            news,
            state,
            fetcher,
            terminal: Some(terminal),
            is_back: false,
        };
        let ended = driver.run(inbox).await;
        feed.abort();
        Ok(ended?)
    })
}

/// A time as it is drawn, in ms since 1970.
fn at(time: Millis) -> i64 {
    i64::try_from(time.0).unwrap_or(i64::MAX)
}

struct Driver {
    setup: Setup,
    asker: Asker,
    clock: Clock,
    news: mpsc::Sender<TopInput>,
    state: TopState,
    fetcher: Fetcher,
    /// None while somebody else has it.
    terminal: Option<Terminal>,
    /// Whether it stopped by itself and took the terminal back: the signal that goes with it is still to come.
    is_back: bool,
}

/// Whether it goes on.
#[derive(PartialEq, Eq)]
enum Next {
    Go,
    Leave,
}

impl Driver {
    async fn run(mut self, mut inbox: mpsc::Receiver<TopInput>) -> io::Result<()> {
        let mut ends =
            [SignalKind::terminate(), SignalKind::hangup(), SignalKind::interrupt(), SignalKind::quit()]
                .map(signal)
                .into_iter()
                .collect::<io::Result<Vec<_>>>()?;
        let mut stops = signal(SignalKind::from_raw(Signal::TSTP.as_raw()))?;
        let mut goes_on = signal(SignalKind::from_raw(Signal::CONT.as_raw()))?;
        self.state.on(TopInput::Id(mint_id().to_string()));
        while Terminal::is_there() {
            self.show()?;
            self.fall();
            if !Terminal::is_taken() {
                return Err(io::Error::other("a part of it has failed, as is said above"));
            }
            let tick = self.until_tick();
            let Some(terminal) = &mut self.terminal else { return Ok(()) };
            let next = tokio::select! {
                // A terminal that is closed says so, and then has whoever was stopped go on.
                biased;
                () = any(&mut ends) => Next::Leave,
                told = terminal.told() => self.told(told).await?,
                Some(input) = inbox.recv() => self.take(input, &mut inbox),
                () = tokio::time::sleep(tick) => Next::Go,
                _ = stops.recv() => { self.suspend()?; Next::Go }
                // Somebody stopped it by force, and the shell has had the terminal since.
                _ = goes_on.recv() => {
                    if !std::mem::take(&mut self.is_back) {
                        self.retake()?;
                    }
                    Next::Go
                }
            };
            if next == Next::Leave {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Panics, where a test wants to see what becomes of the terminal.
    fn fall(&mut self) {
        match self.setup.panics.take_if(|_| self.state.has_team()) {
            None => {}
            Some(Panics::Here) => panic!("it was told to"),
            Some(Panics::InATask) => drop(tokio::spawn(async { panic!("it was told to") })),
        }
    }

    /// Until the next second begins: ages change then.
    fn until_tick(&self) -> Duration {
        Duration::from_millis(1000 - self.clock.wall().0 % 1000)
    }

    fn show(&mut self) -> io::Result<()> {
        // Ages count whole seconds, and nothing else depends on the time.
        let now = at(self.clock.wall());
        self.state.on(TopInput::Tick(now));
        self.fetcher.want(&self.state.wants(), self.state.seq);
        let Some(terminal) = &mut self.terminal else { return Ok(()) };
        let (cells, drawn) = drawn(&self.state, Terminal::size());
        terminal.show(cells)?;
        for act in self.state.on(TopInput::Drawn(drawn)) {
            if let Act::Read(id) = act {
                self.read(id);
            }
        }
        Ok(())
    }

    /// Takes one piece of news, and all that are there: they are drawn together.
    fn take(&mut self, input: TopInput, inbox: &mut mpsc::Receiver<TopInput>) -> Next {
        self.state.on(input);
        for _ in 0..NEWS_MAX {
            match inbox.try_recv() {
                Ok(input) => drop(self.state.on(input)),
                Err(_) => break,
            }
        }
        Next::Go
    }

    async fn told(&mut self, told: Told) -> io::Result<Next> {
        let input = match told {
            Told::Input(input) => input,
            Told::Nothing => return Ok(Next::Go),
            Told::Resized => {
                if let Some(terminal) = &mut self.terminal {
                    terminal.clear()?;
                }
                return Ok(Next::Go);
            }
            Told::Gone => return Ok(Next::Leave),
        };
        for act in self.state.on(input) {
            match act {
                Act::Quit => return Ok(Next::Leave),
                Act::Suspend => self.suspend()?,
                Act::Attach(agent) => self.attach(&agent).await?,
                Act::Send(message) => self.send(message),
                Act::Post(path, body) => self.post(path, body),
                Act::Begin(path, body) => self.begin(path, body),
                Act::Retry(id) => self.retry(&id),
                Act::Read(id) => self.read(id),
            }
        }
        Ok(Next::Go)
    }

    /// Gives the terminal to the shell until it brings this back.
    fn suspend(&mut self) -> io::Result<()> {
        self.terminal = None;
        self.is_back = true;
        kill_current_process_group(Signal::STOP)?;
        self.retake()
    }

    fn retake(&mut self) -> io::Result<()> {
        self.terminal = None;
        self.terminal = Some(Terminal::take()?);
        Ok(())
    }

    /// Runs `tasuki attach` in this terminal, and comes back when it ends.
    async fn attach(&mut self, agent: &str) -> io::Result<()> {
        self.terminal = None;
        let ended = self.command(&["attach", agent]).stderr(Stdio::piped()).spawn();
        let ended = match ended {
            Ok(child) => child.wait_with_output().await,
            Err(error) => Err(error),
        };
        self.terminal = Some(Terminal::take()?);
        let said = match ended {
            Ok(output) if output.status.success() => {
                // Where its window is, if it is not here.
                let said = String::from_utf8_lossy(&output.stderr);
                if let Some(line) = said.lines().next() {
                    self.state.on(TopInput::Done(Ok(line.to_owned())));
                }
                return Ok(());
            }
            Ok(output) => refusal(&output.stderr),
            Err(error) => Problem { why: format!("cannot attach: {error}"), ..Problem::default() },
        };
        self.state.on(TopInput::Done(Err(said)));
        Ok(())
    }

    /// A verb of this program.
    fn command(&self, words: &[&str]) -> Command {
        let (program, before) = &self.setup.program;
        let mut command = Command::new(program);
        command.args(before).args(words);
        command
    }

    fn send(&mut self, message: Value) {
        let (asker, news) = (self.asker.clone(), self.news.clone());
        tokio::spawn(async move {
            let sent = asker.post::<Accepted>("/api/messages", &message, ANSWER_DEADLINE).await;
            let id = message.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
            let is_sent = sent.is_ok();
            // Nobody looks any more: the message is on the disk all the same.
            let _ = news.send(TopInput::Sent(sent.map(|_| id).map_err(problem))).await;
            if is_sent {
                let _ = news.send(TopInput::Id(mint_id().to_string())).await;
            }
        });
    }

    /// An answer was read, as `tasuki show` has it: not where an agent looks, which reads in nobody's place.
    fn read(&self, id: String) {
        let is_agent = |name: &&str| self.setup.around.var(name).is_some();
        if ["TASUKI_AGENT", "TASUKI_AGENT_KEY"].iter().any(is_agent) {
            return;
        }
        let (workspace, news) = (self.setup.workspace.clone(), self.news.clone());
        tokio::task::spawn_blocking(move || {
            if let Err(error) = AnswersRead::read_one(&workspace, &id) {
                let why = format!("the answer to {id} stays unread: {error}");
                // Nobody looks any more: it is told once more.
                let _ = news.blocking_send(TopInput::Done(Err(Problem { why, ..Problem::default() })));
            }
        });
    }

    fn post(&mut self, path: String, body: Value) {
        let (asker, news) = (self.asker.clone(), self.news.clone());
        tokio::spawn(async move {
            let done = match asker.post::<Value>(&path, &body, ANSWER_DEADLINE).await {
                Ok(answer) => Ok(told(&answer)),
                Err(ClientError::Refused(problem)) => Err(problem),
                Err(error) => Err(problem(error)),
            };
            let _ = news.send(TopInput::Done(done)).await;
        });
    }

    fn begin(&mut self, path: String, body: Value) {
        let (asker, news) = (self.asker.clone(), self.news.clone());
        tokio::spawn(async move {
            let begun = asker.post::<Value>(&path, &body, ANSWER_DEADLINE).await;
            // Nobody looks any more: it has begun all the same.
            let _ = news.send(TopInput::Begun(begun.map(what_began).map_err(problem))).await;
        });
    }

    /// A held message goes on by the daemon; one that ended is sent again, which the verb does.
    fn retry(&mut self, id: &str) {
        let mut command = self.command(&["retry", id, "--json"]);
        command.stdin(Stdio::null());
        let news = self.news.clone();
        tokio::spawn(async move {
            let done = match command.output().await {
                Ok(output) if output.status.success() => {
                    Ok(told(&serde_json::from_slice(&output.stdout).unwrap_or(json!({}))))
                }
                Ok(output) => Err(refusal(&output.stderr)),
                Err(error) => Err(Problem { why: format!("cannot run it: {error}"), ..Problem::default() }),
            };
            let _ = news.send(TopInput::Done(done)).await;
        });
    }
}

/// What has begun, in words, and its id.
fn what_began(answer: Value) -> (String, Option<String>) {
    if let Ok(debate) = serde_json::from_value::<DebateResult>(answer.clone()) {
        return (debate.message, Some(debate.debate_id));
    }
    let done = serde_json::from_value::<Done>(answer);
    done.map_or_else(|_| ("done".to_owned(), None), |done| (done.what, done.id))
}

/// What was done, in words.
fn told(answer: &Value) -> String {
    if let Ok(answered) = serde_json::from_value::<PaneAnswered>(answer.clone()) {
        let unproven = if answered.proven { "" } else { ", but the dialog is still there" };
        return format!("answered: {}{unproven}", answered.choice);
    }
    serde_json::from_value::<Done>(answer.clone()).map_or_else(|_| "done".to_owned(), |done| done.what)
}

/// What a verb said on its standard error: as JSON, or its first lines.
fn refusal(said: &[u8]) -> Problem {
    let text = String::from_utf8_lossy(said);
    let mut json = text.lines().filter_map(|line| serde_json::from_str::<Problem>(line).ok());
    let plain = || {
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).take(3).collect();
        Problem { why: lines.join("; "), ..Problem::default() }
    };
    json.rfind(|problem| !problem.why.is_empty()).unwrap_or_else(plain)
}

/// The first of these signals that comes.
async fn any(signals: &mut [tokio::signal::unix::Signal]) {
    std::future::poll_fn(|context| {
        let is_there = |signal: &mut tokio::signal::unix::Signal| signal.poll_recv(context).is_ready();
        if signals.iter_mut().any(is_there) { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_debate_that_has_begun_is_known_by_its_id_as_a_session_is() {
        let debate = json!({"debate_id": "7f3c", "status": "Pending", "message": "it stands on commit 0123",
            "worktree_paths": [], "context_path": "/w", "tasuki": {}});
        assert_eq!(what_began(debate), ("it stands on commit 0123".to_owned(), Some("7f3c".to_owned())));
        let session = json!({"what": "session 9 begins", "id": "9"});
        assert_eq!(what_began(session), ("session 9 begins".to_owned(), Some("9".to_owned())));
        assert_eq!(what_began(json!({"what": "merged"})).1, None);
    }
}
