//! What went wrong on the command line: what, where, and the cure; and the one match that gives exit codes.

use crate::daemon::start::error::StartError;
use crate::daemon::tmux::survivors::SurvivorsError;
use crate::engine::message::refusal::Refusal;
use crate::io::client::ClientError;
use crate::io::folder::FolderError;
use crate::io::journal::JournalError;
use crate::io::mux::MuxError;
use crate::io::systemd::UnitError;
use crate::io::team_file::{InitError, SettingsError};
use crate::io::workspace::WorkspaceError;
use crate::wire::api::{AlsoWrong, Problem};
use crate::wire::os_error::unnumbered;
use std::error::Error;
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// What kind of failure it is: nothing else decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Whoever read our output has gone: there is nobody to tell, and nothing is wrong.
    NobodyReads,
    /// The work failed, the machine refused, or the lock is held.
    Failed,
    /// The command, or what it was given, is wrong.
    Rejected,
    /// A message was not delivered, or nobody can tell.
    NotDelivered,
    /// The time is up.
    TimedOut,
    /// A daemon is needed and none runs.
    NoDaemon,
}

impl Kind {
    /// Which of several is told where only one can be: the higher.
    pub(super) fn badness(self) -> u8 {
        match self {
            Self::NobodyReads => 0,
            Self::Rejected => 1,
            Self::NotDelivered => 2,
            Self::TimedOut => 3,
            Self::Failed => 4,
            Self::NoDaemon => 5,
        }
    }
}

/// A failure.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) kind: Kind,
    pub(super) problem: Problem,
    /// The file it is in.
    pub(super) place: Option<String>,
    /// All of it for a person, where there is more to show than a sentence.
    pub(super) report: Option<String>,
}

impl Failure {
    pub(super) fn new(kind: Kind, code: &str, why: impl Into<String>, cure: impl Into<String>) -> Self {
        let problem = Problem { code: code.into(), why: why.into(), cure: cure.into(), ..Problem::default() };
        Self { kind, problem, place: None, report: None }
    }

    /// The same, in this file.
    pub(super) fn within(mut self, place: impl Into<String>) -> Self {
        self.place = Some(place.into());
        self
    }

    /// The same with others of one file, which a person sees below it and a program in `others`.
    pub(super) fn and(mut self, others: Vec<Self>) -> Self {
        if others.is_empty() {
            return self;
        }
        let texts = [&self].into_iter().chain(&others).map(Self::text);
        self.report = Some(texts.collect::<Vec<_>>().join("\n"));
        let problems = others.into_iter().map(|other| other.problem);
        self.problem.others.extend(problems.map(
            |Problem { code, why, cure, field, line, column, .. }| AlsoWrong {
                code,
                why: unnumbered(&why),
                cure,
                field,
                line,
                column,
            },
        ));
        self
    }

    /// All that is wrong with what was sent, each as `one` makes a failure of it.
    pub(super) fn each(mut problem: Problem, one: impl Fn(Problem) -> Self) -> Self {
        let others = std::mem::take(&mut problem.others);
        let first = problem.code.clone();
        let other = |AlsoWrong { code, why, cure, field, line, column }: AlsoWrong| {
            // A daemon of before has one code for all.
            let code = if code.is_empty() { first.clone() } else { code };
            one(Problem { code, why, cure, field, line, column, ..Problem::default() })
        };
        let others = others.into_iter().map(other).collect();
        one(problem).and(others)
    }

    /// Something that the machine refused, with everything it said.
    pub(super) fn of(code: &str, error: &(dyn Error + 'static)) -> Self {
        let mut why = error.to_string();
        let mut source = error.source();
        let mut cure = cure_of(error);
        while let Some(inner) = source {
            cure = cure.or_else(|| cure_of(inner));
            let text = inner.to_string();
            if !why.contains(&text) {
                why = format!("{why}: {text}");
            }
            source = inner.source();
        }
        Self::new(Kind::Failed, code, why, cure.unwrap_or_default())
    }

    /// For a file or folder that the machine refuses.
    pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::of("io", &WorkspaceError::Io { path: path.to_path_buf(), source })
    }

    /// Prints it where there is no context to tell it, and gives the exit code.
    pub(super) fn end(&self, is_json: bool) -> ExitCode {
        eprintln!("{}", if is_json { self.json() } else { self.text() });
        self.exit_code()
    }

    /// The exit code (protocol, the command line).
    pub(super) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self.kind {
            Kind::NobodyReads => 0,
            Kind::Failed => 1,
            Kind::Rejected => 2,
            Kind::NotDelivered => 3,
            Kind::TimedOut => 4,
            Kind::NoDaemon => 5,
        })
    }

    /// A command line that is none. What to do is in the last line that clap writes.
    pub(super) fn usage(error: &clap::Error) -> Self {
        let text = error.render().to_string();
        let why = text.split("\n\n").next().unwrap_or_default();
        let words: Vec<&str> = why.strip_prefix("error: ").unwrap_or(why).split_whitespace().collect();
        Self::new(Kind::Rejected, "usage", words.join(" "), "see `tasuki --help`, or `tasuki VERB --help`")
    }

    /// For a program: one line.
    pub(super) fn json(&self) -> String {
        let mut problem = self.problem.clone();
        problem.why = unnumbered(&problem.why);
        if problem.cure.is_empty() {
            // Some say in one sentence what is wrong and what to do.
            problem.cure = problem.why.split_once("; ").map_or_else(String::new, |(_, cure)| cure.to_owned());
        }
        let mut value = serde_json::to_value(problem).unwrap_or_default();
        if let (Some(file), Some(object)) = (&self.place, value.as_object_mut()) {
            object.insert("file".to_owned(), file.as_str().into());
        }
        value.to_string()
    }

    /// For a person.
    pub(super) fn text(&self) -> String {
        if let Some(report) = &self.report {
            return report.clone();
        }
        let problem = &self.problem;
        let place = match (&self.place, problem.line, problem.column) {
            (Some(file), Some(line), Some(column)) => Some(format!("{file}:{line}:{column}")),
            (Some(file), ..) => Some(file.clone()),
            (None, Some(line), Some(column)) => Some(format!("line {line}, column {column}")),
            _ => problem.field.as_ref().map(|field| format!("`{field}`")),
        };
        let mut text = format!("error: {}", unnumbered(&problem.why).trim_end());
        if let Some(place) = place {
            text.push_str(&format!("\n  where: {place}"));
        }
        if !problem.cure.is_empty() {
            text.push_str(&format!("\n  cure: {}", problem.cure));
        }
        text
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::new(Kind::NobodyReads, "nobody-reads", "", "");
        }
        Self::of("io", &error)
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        let why = error.to_string();
        match error {
            ClientError::NotRunning { .. } => {
                Self::new(Kind::NoDaemon, "no-daemon", why, "start it with `tasuki up`")
            }
            ClientError::TooSlow(_) => {
                Self::new(Kind::TimedOut, "too-slow", why, "see .tasuki/daemon.log, and `tasuki doctor`")
            }
            ClientError::Refused(problem) => {
                let kind = if problem.code == "bug" { Kind::Failed } else { Kind::Rejected };
                Self { kind, problem, place: None, report: None }
            }
            ClientError::Unavailable(problem) => {
                Self { kind: Kind::Failed, problem, place: None, report: None }
            }
            ClientError::Gone(_) | ClientError::Odd(_) | ClientError::Io(_) => {
                Self::new(Kind::Failed, "no-answer", why, "see .tasuki/daemon.log")
            }
        }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let (cure, field) = (refusal.cure(), refusal.key());
        let mut failure = Self::new(Kind::Rejected, refusal.code.word(), refusal.why, cure);
        failure.problem.field = field;
        failure.problem.line = refusal.line;
        failure.problem.column = refusal.column;
        failure.problem.document = (refusal.document > 0).then_some(refusal.document);
        failure
    }
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Self {
        Self::of("folder", &error)
    }
}

impl From<WorkspaceError> for Failure {
    fn from(error: WorkspaceError) -> Self {
        let kind = match &error {
            WorkspaceError::Io { .. } => Kind::Failed,
            _ => Kind::Rejected,
        };
        Self { kind, ..Self::of("workspace", &error) }
    }
}

impl From<SettingsError> for Failure {
    fn from(error: SettingsError) -> Self {
        let kind = match &error {
            SettingsError::Io { .. } => Kind::Failed,
            _ => Kind::Rejected,
        };
        Self { kind, ..Self::of("team-file", &error) }
    }
}

impl From<InitError> for Failure {
    fn from(error: InitError) -> Self {
        let kind = match &error {
            InitError::Io { .. } => Kind::Failed,
            _ => Kind::Rejected,
        };
        Self { kind, ..Self::of("init", &error) }
    }
}

impl From<StartError> for Failure {
    fn from(error: StartError) -> Self {
        match error {
            StartError::Workspace(error) => error.into(),
            StartError::Settings(error) => error.into(),
            error => Self::of("start", &error),
        }
    }
}

impl From<SurvivorsError> for Failure {
    fn from(error: SurvivorsError) -> Self {
        Self::of("agents", &error)
    }
}

impl From<UnitError> for Failure {
    fn from(error: UnitError) -> Self {
        let kind = match &error {
            UnitError::Io { .. } => Kind::Failed,
            _ => Kind::Rejected,
        };
        Self { kind, ..Self::of("unit", &error) }
    }
}

impl From<JournalError> for Failure {
    fn from(error: JournalError) -> Self {
        Self::of("journal", &error)
    }
}

impl From<MuxError> for Failure {
    fn from(error: MuxError) -> Self {
        Self::of("tmux", &error)
    }
}

/// What to do about what the machine said, where it said something that a person can put right.
fn cure_of(error: &(dyn Error + 'static)) -> Option<&'static str> {
    let kind = match error.downcast_ref::<io::Error>() {
        Some(error) => error.kind(),
        None => match error.downcast_ref::<FolderError>()? {
            FolderError::Io { errno, .. } => io::Error::from(*errno).kind(),
            _ => return None,
        },
    };
    match kind {
        io::ErrorKind::ReadOnlyFilesystem => {
            Some("make the file system writable (`mount -o remount,rw`), or use a workspace elsewhere")
        }
        io::ErrorKind::PermissionDenied => {
            Some("see with `ls -ld` who owns it and who can write to it; run tasuki as that user")
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Some("make room on the disk"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_says_what_where_and_the_cure() {
        let mut failure =
            Failure::new(Kind::Rejected, "to-missing", "nobody is named", "add `to:`").within("a.yaml");
        failure.problem.line = Some(2);
        failure.problem.column = Some(3);
        assert_eq!(failure.text(), "error: nobody is named\n  where: a.yaml:2:3\n  cure: add `to:`");
    }

    #[test]
    fn what_the_system_says_has_no_number() {
        let of = |errno| Failure::at(Path::new("/a"))(io::Error::from_raw_os_error(errno));
        assert_eq!(of(2).text(), "error: cannot use /a: there is no such file or folder");
        assert_eq!(of(20).text(), "error: cannot use /a: Not a directory");
        assert!(of(20).json().contains("cannot use /a: Not a directory\""), "{}", of(20).json());
    }

    #[test]
    fn a_pipe_that_was_closed_is_no_failure() {
        let failure = Failure::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(failure.kind, Kind::NobodyReads);
    }
}
