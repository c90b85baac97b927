//! One turn: the task's file is read, the program is asked, and its answer is given.

use super::args::Args;
use super::provider::one_shot;
use crate::engine::words::Token;
use crate::io::cited_tree::CitedTree;
use crate::io::client::{ANSWER_DEADLINE, Asker, ClientError};
use crate::io::clock::Clock;
use crate::io::regular;
use crate::io::run::{OneShot, OneShotEnd, OneShotOutput, Stream, end_left_turns};
use crate::io::turn_log::TurnLog;
use crate::io::workspace::Workspace;
use crate::ui::cli::context::{Context, Ended};
use crate::ui::cli::failure::{Failure, Kind};
use crate::wire::api::{Done, ReplyBody, UsageInfo};
use crate::wire::debate::marks::{self, Citation};
use crate::wire::debate::prompt::prompt_chars_max;
use crate::wire::headless::failed::ProgramFailure;
use crate::wire::headless::{self, ShownRows, TurnTime};
use crate::wire::message::view::MessageView;
use crate::wire::team_file::{Headless, JudgedAnswer, LogOf, OneShotCommand, OneShotEnded};
use crate::wire::turn_line::{TurnContent, TurnLine};
use crate::wire::turn_prompt::is_speaker;
use crate::wire::turn_prompt::{HeadlessTask, prompt_of};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Longest file of a task that is read. A message is at most 1 MiB; sixteen leave room for answers and feedback.
const TASK_FILE_BYTES_MAX: u64 = 16 << 20;
/// Between two tries to answer, the first and the longest. A daemon that is started again listens within a second.
const FIRST_REST: Duration = Duration::from_millis(100);
const LONGEST_REST: Duration = Duration::from_secs(2);
/// The signal of Ctrl-Z, which has no name among those of tokio.
const STOP_KEY: i32 = 20;

/// A turn that is being done.
struct Turn<'t> {
    context: &'t Context,
    args: &'t Args,
    workspace: Workspace,
    line: &'t TurnLine,
    token: Token,
    asker: Asker,
    signals: Signals,
    shown: ShownRows,
    /// What may be cited, of a role of a debate.
    cited: Option<CitedTree>,
}

/// What is run for it.
struct Work {
    headless: Arc<Headless>,
    asked: OneShotCommand,
    /// Where it is to be done.
    folder: PathBuf,
    time: TurnTime,
}

/// Does the turn; it ends well once its answer was taken, or will never be.
pub(super) fn play(context: &Context, args: &Args, line: &TurnLine) -> Ended {
    let Some(token) = line.token else {
        let cure = "set `token: true` for this agent in the team file";
        return Err(Failure::new(Kind::Rejected, "usage", "this turn has no token to answer with", cure));
    };
    let (workspace, client) = (context.workspace()?, context.client()?);
    let asker = client.asker();
    client.run(async {
        let shown = ShownRows::hiding([token.as_str()]);
        let signals = Signals::new()?;
        let is_role = context.around.var("TASUKI_AGENT").and_then(OsStr::to_str).is_some_and(is_speaker);
        let cited = is_role.then(|| CitedTree::of_commit(&context.around.cwd));
        Turn { context, args, workspace, line, token, asker, signals, shown, cited }.play().await
    })
}

impl Turn<'_> {
    async fn play(mut self) -> Ended {
        let verdict = match &self.args.killed {
            Some(how) => {
                end_left_turns(&self.whose()).await;
                JudgedAnswer::killed(how)
            }
            None => match self.work() {
                Ok(work) => self.ask(&work).await?,
                Err(why) => JudgedAnswer::without_program(why),
            },
        };
        let text = headless::fitting(verdict.text);
        let usage = UsageInfo {
            tokens: verdict.tokens,
            cost_usd: verdict.cost_usd,
            model: self.args.model().map(str::to_owned),
        };
        // What nobody would take must not cost the answer.
        let usage = match usage.fault() {
            None => usage,
            Some(_) => UsageInfo { tokens: usage.tokens, ..UsageInfo::default() },
        };
        let (failure, failed) =
            (verdict.failure.as_ref().map(ProgramFailure::short), verdict.failure.is_some());
        let said = match failed {
            true => format!("failed: {text}"),
            false => format!("answered: {} bytes{}", text.len(), headless::spent(&usage)),
        };
        self.say(&said);
        let (missing, brings_news) = self.looked_up(&text).filter(|_| !failed).unwrap_or_default();
        let usage = usage.said();
        let body = ReplyBody { text, failed, usage, missing, brings_news, failure };
        self.answer(&body).await
    }

    /// What is to be run.
    fn work(&mut self) -> Result<Work, String> {
        let headless = one_shot(self.context, self.args)?;
        let path = match &self.line.body {
            // It stands in its line, and its file says the same with all that is known of it.
            TurnContent::Inline(_) => format!("queue/active/{}.yaml", self.line.id),
            TurnContent::File(path) => path.clone(),
        };
        let view = MessageView::read(&self.task_file(&path)?)
            .ok_or_else(|| format!("the file of {} cannot be understood", self.line.id))?;
        let phrase =
            view.file.phrase.clone().or_else(|| view.file.phrase_letters.as_deref().map(headless::joined));
        self.shown = ShownRows::hiding([self.token.as_str()].into_iter().chain(phrase.as_deref()));
        let time = TurnTime::of(&view, Clock::start().wall());
        let workspace = &self.workspace;
        let task = HeadlessTask::of(&view, &mut |path| long_answer(workspace, path));
        let chars_max = prompt_chars_max(self.args.provider(), self.args.model());
        let room = (time.limit().as_secs(), chars_max);
        let (prompt, notes) = prompt_of(&task, room, &|path| self.cited.as_ref()?.lines_of(path));
        notes.iter().for_each(|note| self.say(note));
        self.keep(&prompt);
        let asked = headless.asked(prompt, self.args.model(), &self.context.around.exe.to_string_lossy())?;
        let given = view.file.worktree.as_deref().map(|path| self.workspace.root().join(path));
        let folder = given.unwrap_or_else(|| self.context.around.cwd.clone());
        if !folder.is_dir() {
            return Err(format!("there is no folder {} to do it in", folder.display()));
        }
        Ok(Work { headless, asked, folder, time })
    }

    /// The text of the task's file, below the working folder or else below the workspace.
    fn task_file(&self, path: &str) -> Result<String, String> {
        let roots = [self.context.around.cwd.as_path(), self.workspace.root()];
        let mut why = format!("cannot read {path}: there is no such file");
        for file in roots.map(|root| root.join(path)) {
            match regular::read(&file, TASK_FILE_BYTES_MAX) {
                Ok(text) => return Ok(text),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => why = format!("cannot read {}: {error}", file.display()),
            }
        }
        Err(why)
    }

    /// Runs the program to its end, and judges what it said.
    async fn ask(&mut self, work: &Work) -> Result<JudgedAnswer, Failure> {
        let whose = self.whose();
        end_left_turns(&whose).await;
        let program = work.headless.program();
        self.say(&format!("{program}: {}, for {} at most", self.line.id, work.time.words()));
        let mut log = self.log(work);
        let env = self.env(&work.headless);
        let run = OneShot {
            argv: &work.asked.argv,
            cwd: &work.folder,
            env: &env,
            stdin: &work.asked.stdin,
            limit: work.time.limit(),
            whose: &whose,
        };
        let by_key = Cell::new(false);
        let (shown, signals, takes) = (&mut self.shown, &mut self.signals, work.headless.log);
        let stop = async { by_key.set(signals.next().await == Wish::BreakOff) };
        let said = run.run(stop, |stream, piece| {
            print(&shown.rows_of(piece));
            note(&mut log, takes, stream, piece);
        });
        let said = match said.await {
            Ok(said) => said,
            Err(error) => return Ok(work.headless.not_started(&cause(&error))),
        };
        print(&self.shown.last_row());
        let ended = match said.end {
            OneShotEnd::Stopped if !by_key.get() => {
                return Err(Failure::new(Kind::Failed, "ended", "the agent is ended", ""));
            }
            OneShotEnd::Stopped => OneShotEnded::BrokenOff,
            OneShotEnd::OutOfTime => OneShotEnded::OutOfTime(work.time.words().to_owned()),
            OneShotEnd::Exited(status) if status.success() => OneShotEnded::Well,
            OneShotEnd::Exited(status) => OneShotEnded::Badly(how(status)),
        };
        let OneShotOutput { stdout, stderr, .. } = &said;
        Ok(work.headless.judge(&ended, stdout, stderr))
    }

    /// Gives the answer, as often as there is nobody who takes it.
    async fn answer(&mut self, body: &ReplyBody) -> Ended {
        let path = format!("/api/turns/{}/reply", self.token);
        let mut rest = FIRST_REST;
        loop {
            let told: Result<Done, ClientError> = self.asker.post(&path, body, ANSWER_DEADLINE).await;
            match told {
                Ok(_) => return Ok(()),
                // It was given before, or the task is over in another way.
                Err(error @ (ClientError::Refused(_) | ClientError::Odd(_))) => {
                    self.say(&format!("the answer was not taken: {error}"));
                    return Ok(());
                }
                Err(error) if rest == FIRST_REST => self.say(&format!("the answer waits: {error}")),
                Err(_) => {}
            }
            tokio::select! {
                () = tokio::time::sleep(rest) => rest = LONGEST_REST.min(rest * 2),
                _ = self.signals.next() => {
                    return Err(Failure::new(Kind::Failed, "ended", "the answer was given to nobody", ""));
                }
            }
        }
    }

    /// Whose processes those of the program are.
    fn whose(&self) -> OsString {
        let mut whose = self.context.around.var("TASUKI_AGENT").unwrap_or_default().to_owned();
        whose.push(" ");
        whose.push(self.workspace.root());
        whose
    }

    /// What the program has of our environment: nothing by which it could speak for the agent.
    fn env(&self, headless: &Headless) -> BTreeMap<OsString, OsString> {
        let mut env = self.context.around.vars.clone();
        env.retain(|name, _| !name.as_encoded_bytes().starts_with(b"TASUKI_"));
        for (name, value) in &headless.env {
            match value {
                Some(value) => env.insert(name.into(), value.into()),
                None => env.remove(std::ffi::OsStr::new(name)),
            };
        }
        env
    }

    /// The log that is asked for, with what begins in it.
    fn log(&mut self, work: &Work) -> Option<TurnLog> {
        let path = self.workspace.root().join(self.context.around.var(headless::LOG)?);
        let words = work
            .asked
            .argv
            .iter()
            .take(work.asked.argv.len().min(8))
            .map(|word| word.escape_debug().to_string());
        let head =
            format!("[tasuki] {}: {}\n", self.line.id, headless::cut(&words.collect::<Vec<_>>().join(" ")));
        let opened = TurnLog::open(&path).and_then(|mut log| log.add(head.as_bytes()).map(|()| log));
        match opened {
            Ok(log) => Some(log),
            Err(error) => {
                self.say(&format!("no log is kept: {}: {error}", path.display()));
                None
            }
        }
    }

    /// What a role of a debate cites that is not in its base, and whether it has anything new to say.
    fn looked_up(&self, text: &str) -> Option<(Vec<String>, Option<bool>)> {
        let tree = self.cited.as_ref()?;
        let checked = marks::check(text, |path| tree.lines_of(path));
        let there = |cited: &Citation| tree.lines_of(&cited.path).is_some_and(|lines| cited.line <= lines);
        Some((marks::missing(&checked), Some(marks::brings_news(text, there))))
    }

    /// Keeps what the program is told, where that is wanted.
    fn keep(&mut self, prompt: &str) {
        let Some(path) = self.context.around.var(headless::PROMPT) else { return };
        let path = self.workspace.root().join(path);
        if let Err(error) = TurnLog::anew(&path).and_then(|mut log| log.add(prompt.as_bytes())) {
            self.say(&format!("the prompt is not kept: {}: {error}", path.display()));
        }
    }

    fn say(&mut self, text: &str) {
        print(&self.shown.said(text));
    }
}

fn note(log: &mut Option<TurnLog>, takes: LogOf, stream: Stream, piece: &[u8]) {
    if let Some(open) = log.as_mut().filter(|_| takes.takes(stream == Stream::Stderr))
        && open.add(piece).is_err()
    {
        // A full disk is no reason to lose the answer.
        *log = None;
    }
}

/// The text of an answer that lies in a file of its own.
fn long_answer(workspace: &Workspace, path: &str) -> String {
    let text = regular::read(&workspace.root().join(path), TASK_FILE_BYTES_MAX).ok();
    let view = text.and_then(|text| MessageView::read(&text));
    view.map_or_else(
        || format!("(it is in {path}, and cannot be read)"),
        |view| view.file.content.to_string(),
    )
}

fn print(rows: &str) {
    let mut out = std::io::stdout().lock();
    // Where nobody looks any more the answer counts all the same.
    let _ = out.write_all(rows.as_bytes()).and_then(|()| out.flush());
}

pub(super) fn how(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit {code}"),
        (None, Some(signal)) => format!("SIG{}", crate::io::process::signal_name(signal)),
        (None, None) => status.to_string(),
    }
}

fn cause(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => {
            "there is no such program on the PATH of this agent: install it, or correct `headless:`"
                .to_owned()
        }
        _ => error.to_string(),
    }
}

/// What is wanted of a turn that is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    /// Its work is to end, and its answer says so.
    BreakOff,
    /// The agent ends; the turn is another's, or is given again.
    End,
}

/// The signals that end a turn. Ctrl-Z does nothing: a turn that stands still would hold up its agent.
struct Signals {
    hangup: Signal,
    terminate: Signal,
    interrupt: Signal,
    quit: Signal,
    _stop: Signal,
}

impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self {
            hangup: signal(SignalKind::hangup())?,
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            quit: signal(SignalKind::quit())?,
            _stop: signal(SignalKind::from_raw(STOP_KEY))?,
        })
    }

    async fn next(&mut self) -> Wish {
        tokio::select! {
            _ = self.hangup.recv() => Wish::End,
            _ = self.terminate.recv() => Wish::End,
            _ = self.interrupt.recv() => Wish::BreakOff,
            _ = self.quit.recv() => Wish::BreakOff,
        }
    }
}
