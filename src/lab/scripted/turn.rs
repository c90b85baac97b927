//! A turn as the agent sees it: the doorbell line it was given, and the task's file that the line points at.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::script::Kind;
use crate::engine::screen::doorbell::TurnKind;
use crate::engine::words::{AgentName, MessageId, Token};
use crate::wire::turn_line::{TurnContent as Body, TurnLine};

/// Longest file of a task that is read. A message is at most 1 MiB; sixteen leave room for answers and feedback.
const TASK_FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// One line that the agent was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) kind: Kind,
    /// The task's id; none for a line that is no doorbell.
    pub(super) id: Option<MessageId>,
    /// Who sent it, where the doorbell says so.
    pub(super) from: Option<AgentName>,
    /// The token to claim with.
    pub(super) token: Option<Token>,
    /// Where the content is.
    pub(super) body: Body,
    /// The line itself, as it was given.
    pub(super) line: String,
}

/// What the task's file says, as far as a script can use it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) content: String,
    pub(super) from: Option<String>,
    pub(super) answers: Vec<String>,
    /// The same, each with who gave it and, where it is not a good one, how it ended.
    pub(super) report: Vec<String>,
    pub(super) feedback: Vec<String>,
    /// Whether this turn may have been given before.
    pub(super) redelivered: bool,
}

/// The folders in which the agent looks: its working folder first, then the workspace.
#[derive(Debug, Clone)]
pub(super) struct Places {
    roots: Vec<PathBuf>,
}

impl Turn {
    /// Reads a line. One that is no doorbell is a task without id and token: what a person typed, or a task of
    /// `delivery: inline` with `token: false`.
    pub(super) fn read(line: &str) -> Self {
        let line = line.trim();
        let Some(TurnLine { kind, id, from, token, body }) = TurnLine::read(line) else {
            return Self::plain(Kind::Task, line);
        };
        Self { kind: kind.into(), id: Some(id), from, token, body, line: line.to_owned() }
    }

    /// A line without id and token: its content is itself.
    pub(super) fn plain(kind: Kind, line: &str) -> Self {
        let body = Body::Inline(line.to_owned());
        Self { kind, id: None, from: None, token: None, body, line: line.to_owned() }
    }

    /// Reads what the line points at.
    ///
    /// # Errors
    /// A sentence that names the file and what is wrong with it.
    pub(super) fn task(&self, places: &Places) -> Result<Task, String> {
        match &self.body {
            Body::Inline(text) => Ok(Task { content: text.clone(), ..Task::default() }),
            Body::File(path) => places.read(path).and_then(|text| read_task(&text, path)),
        }
    }
}

impl Places {
    /// The folders of this process: where it works, and `$TASUKI_ROOT` if it is set.
    pub(super) fn of_this_process() -> Self {
        let workspace = std::env::var_os("TASUKI_ROOT").map(PathBuf::from);
        Self { roots: std::env::current_dir().ok().into_iter().chain(workspace).collect() }
    }

    /// The first of the folders that has a `queue/`.
    ///
    /// # Errors
    /// A sentence that says where it was looked for.
    pub(super) fn drop_zone(&self) -> Result<PathBuf, String> {
        let zones = self.roots.iter().map(|root| root.join("queue"));
        zones.into_iter().find(|zone| zone.is_dir()).ok_or_else(|| {
            "there is no queue/ in the working folder nor in $TASUKI_ROOT: set TASUKI_ROOT to the workspace".to_owned()
        })
    }

    fn read(&self, path: &str) -> Result<String, String> {
        let mut why = format!("cannot read {path}: there is no such file");
        for file in self.roots.iter().map(|root| root.join(path)) {
            match read_bounded(&file) {
                Ok(text) => return Ok(text),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => why = format!("cannot read {}: {error}", file.display()),
            }
        }
        Err(why)
    }
}

impl From<TurnKind> for Kind {
    fn from(kind: TurnKind) -> Self {
        match kind {
            TurnKind::Task => Self::Task,
            TurnKind::Answers => Self::Answers,
            TurnKind::Feedback => Self::Feedback,
            TurnKind::Reminder => Self::Reminder,
            TurnKind::Info => Self::Info,
        }
    }
}

fn read_bounded(file: &Path) -> std::io::Result<String> {
    use std::io::Read as _;
    let mut text = String::new();
    std::fs::File::open(file)?.take(TASK_FILE_BYTES_MAX).read_to_string(&mut text)?;
    Ok(text)
}

fn read_task(text: &str, path: &str) -> Result<Task, String> {
    #[derive(Deserialize)]
    struct File {
        content: String,
        from: Option<String>,
        #[serde(default)]
        answers: Vec<serde_json::Value>,
        #[serde(default)]
        feedback: Vec<serde_json::Value>,
        #[serde(default)]
        redelivered: bool,
    }
    let file: File = serde_saphyr::from_str(text).map_err(|why| {
        let why = why.to_string();
        format!("cannot understand {path}: {}", why.lines().next().unwrap_or_default())
    })?;
    Ok(Task {
        content: file.content,
        from: file.from,
        report: file.answers.iter().map(told).collect(),
        answers: file.answers.iter().map(text_of).collect(),
        feedback: file.feedback.iter().map(feedback_of).collect(),
        redelivered: file.redelivered,
    })
}

/// An entry of `answers:` as text: its `content`, or the `path` where a long one is, or itself.
fn text_of(entry: &serde_json::Value) -> String {
    match entry.get("content").or_else(|| entry.get("path")).unwrap_or(entry) {
        serde_json::Value::String(text) => text.trim_end().to_owned(),
        other => other.to_string(),
    }
}

/// An entry of `feedback:` as text: what failed, each check with its account.
fn feedback_of(entry: &serde_json::Value) -> String {
    let Some(checks) = entry.get("checks").and_then(serde_json::Value::as_array) else {
        return text_of(entry);
    };
    let failed = checks.iter().filter(|check| check.get("passed") != Some(&true.into()));
    let field = |check: &serde_json::Value, name: &str| {
        check.get(name).and_then(serde_json::Value::as_str).unwrap_or_default().trim_end().to_owned()
    };
    let told: Vec<String> =
        failed.map(|check| format!("{}: {}", field(check, "check"), field(check, "how"))).collect();
    told.join("\n")
}

/// An answer with who gave it; one that is no success says so.
fn told(entry: &serde_json::Value) -> String {
    let field = |name: &str| entry.get(name).and_then(serde_json::Value::as_str);
    let from = field("from").unwrap_or("somebody");
    let text = text_of(entry);
    match field("status") {
        None | Some("completed") => format!("{from}: {text}"),
        Some(status) => format!("{from} ({status}): {text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, kind: Kind, from: Option<&str>, token: Option<&str>, body: Body) {
        let turn = Turn::read(line);
        assert_eq!(turn.kind, kind, "{line}");
        assert_eq!(turn.id.as_ref().map(MessageId::as_str), Some("msg-a1"), "{line}");
        assert_eq!(turn.from.as_ref().map(AgentName::as_str), from, "{line}");
        assert_eq!(turn.token.as_ref().map(Token::as_str), token, "{line}");
        assert_eq!(turn.body, body, "{line}");
    }

    #[test]
    fn every_form_of_the_doorbell_is_read() {
        let file = || Body::File("queue/active/msg-a1.yaml".to_owned());
        let task = "[tasuki] task msg-a1 from boss (token k7qf2m): read queue/active/msg-a1.yaml and do it.";
        check(task, Kind::Task, Some("boss"), Some("k7qf2m"), file());
        let answers =
            "[tasuki] answers for your task msg-a1 (token k7qf2m): read queue/active/msg-a1.yaml and go on.";
        check(answers, Kind::Answers, None, Some("k7qf2m"), file());
        let feedback = "[tasuki] feedback on your task msg-a1 (token k7qf2m): a check failed; read queue/active/msg-a1.yaml and put it right.";
        check(feedback, Kind::Feedback, None, Some("k7qf2m"), file());
        let reminder = "[tasuki] reminder of your task msg-a1 (token k7qf2m): if it is done, say so with your phrase and this token; else go on.";
        check(reminder, Kind::Reminder, None, Some("k7qf2m"), file());
        let info = "[tasuki] info msg-a1 from boss: read queue/active/msg-a1.yaml; nothing to answer.";
        check(info, Kind::Info, Some("boss"), None, file());
        let inline = "[tasuki] task msg-a1 from boss (token k7qf2m): say 日本語: now 🙂";
        check(
            inline,
            Kind::Task,
            Some("boss"),
            Some("k7qf2m"),
            Body::Inline("say 日本語: now 🙂".to_owned()),
        );
    }

    #[test]
    fn a_path_is_found_in_any_language_and_anywhere() {
        let path =
            |rest: &str| match Turn::read(&format!("[tasuki] task msg-a1 from boss (token k7qf2m): {rest}"))
                .body
            {
                Body::File(path) => path,
                Body::Inline(text) => panic!("inline: {text}"),
            };
        assert_eq!(path("queue/active/msg-a1.yaml を読んで実行してください。"), "queue/active/msg-a1.yaml");
        assert_eq!(path("次のqueue/active/msg-a1.yamlを読む"), "queue/active/msg-a1.yaml");
        assert_eq!(
            path("read /home/私/my project/queue/active/msg-a1.yaml and do it."),
            "/home/私/my project/queue/active/msg-a1.yaml"
        );
    }

    #[test]
    fn a_line_that_is_no_doorbell_is_a_task_of_its_own() {
        for line in [
            "hello",
            "[tasuki] hello",
            "[tasuki] task ../x from boss: y",
            "[tasuki] task a from b (token X): y",
            "続けて",
        ] {
            let turn = Turn::read(line);
            assert_eq!((turn.kind, turn.id, turn.token), (Kind::Task, None, None), "{line}");
            assert_eq!(turn.body, Body::Inline(line.to_owned()), "{line}");
        }
    }

    #[test]
    fn the_tasks_file_is_read_whatever_else_it_has() {
        let text = "id: a\nredelivered: true\nfrom: boss\ncontent: |\n  分析 🙂\n  no\nanswers:\n  - {from: x, status: failed, content: 'one'}\n  - two\n  - {path: queue/results/b.yaml}\nunknown: [1]\n";
        let task = read_task(text, "p").expect("a task");
        assert_eq!(task.content, "分析 🙂\nno\n");
        assert!(task.redelivered);
        assert_eq!(task.answers, ["one", "two", "queue/results/b.yaml"]);
        assert_eq!(task.report, ["x (failed): one", "somebody: two", "somebody: queue/results/b.yaml"]);
        let why = read_task("content: [", "queue/active/x.yaml").expect_err("broken");
        assert!(why.starts_with("cannot understand queue/active/x.yaml: "), "{why}");
    }

    #[test]
    fn feedback_is_what_failed_and_how() {
        let checks = "- {check: commit, passed: true, how: 3f2a1b0}\n  - {check: command test, passed: false, how: \"exit 1\\n失敗 🎏\\n\"}\n";
        let text =
            format!("content: x\nfeedback:\n- turn: 1\n  checks:\n  {checks}- {{content: as before}}\n");
        let task = read_task(&text, "t.yaml").unwrap();
        assert_eq!(task.feedback, ["command test: exit 1\n失敗 🎏", "as before"]);
    }
}
