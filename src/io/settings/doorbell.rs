//! The one line that is typed for a turn: a fixed head, and words that a team may set in its own language.

use super::file::WordsEntry;
use super::finding::{Book, Place};
use super::values::At;
use crate::engine::words::{AgentName, MessageId, NAME_BYTES_MAX, Token};

/// A doorbell fits on two rows of a pane, in one terminal line (4,096 bytes) and in one paste without folding.
pub const DOORBELL_BYTES_MAX: usize = 400;

/// Where the words name the task's file.
const PATH: &str = "{path}";

/// The words after the colon, one for each kind of turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    task: String,
    answers: String,
    feedback: String,
    reminder: String,
    info: String,
}

impl Default for Words {
    fn default() -> Self {
        Self {
            task: "read {path} and do it.".into(),
            answers: "read {path} and go on.".into(),
            feedback: "a check failed; read {path} and put it right.".into(),
            reminder: "if it is done, say so with your phrase and this token; else go on.".into(),
            info: "read {path}; nothing to answer.".into(),
        }
    }
}

impl Words {
    /// A new task.
    #[must_use]
    pub fn task(&self, id: &MessageId, from: &AgentName, token: Token, path: &str) -> String {
        format!("[tasuki] task {id} from {from} (token {token}): {}", self.task.replace(PATH, path))
    }

    /// Answers to parts of its task.
    #[must_use]
    pub fn answers(&self, id: &MessageId, token: Token, path: &str) -> String {
        format!("[tasuki] answers for your task {id} (token {token}): {}", self.answers.replace(PATH, path))
    }

    /// A check of its work failed.
    #[must_use]
    pub fn feedback(&self, id: &MessageId, token: Token, path: &str) -> String {
        format!("[tasuki] feedback on your task {id} (token {token}): {}", self.feedback.replace(PATH, path))
    }

    /// Its turn ended without a claim.
    #[must_use]
    pub fn reminder(&self, id: &MessageId, token: Token, path: &str) -> String {
        format!("[tasuki] reminder of your task {id} (token {token}): {}", self.reminder.replace(PATH, path))
    }

    /// Something to know; nothing to claim, hence no token.
    #[must_use]
    pub fn info(&self, id: &MessageId, from: &AgentName, path: &str) -> String {
        format!("[tasuki] info {id} from {from}: {}", self.info.replace(PATH, path))
    }

    /// A task whose content is one plain line (`delivery: inline`, `token: true`).
    #[must_use]
    pub fn inline(id: &MessageId, from: &AgentName, token: Token, text: &str) -> String {
        format!("[tasuki] task {id} from {from} (token {token}): {text}")
    }

    /// Bytes of the longest line that can come up for an agent that finds its tasks in `folder`, with ids and senders
    /// as long as they may be.
    #[must_use]
    pub fn longest(&self, folder: &str) -> usize {
        let longest = "x".repeat(NAME_BYTES_MAX);
        let (Ok(id), Ok(from)) = (MessageId::new(&longest), AgentName::new(&longest)) else {
            return usize::MAX;
        };
        let (token, path) = (Token::mint(0), format!("{folder}/{id}.yaml"));
        let lines = [
            self.task(&id, &from, token, &path),
            self.answers(&id, token, &path),
            self.feedback(&id, token, &path),
            self.reminder(&id, token, &path),
            self.info(&id, &from, &path),
        ];
        lines.iter().map(String::len).max().unwrap_or_default()
    }

    fn all(&self) -> [&str; 5] {
        [&self.task, &self.answers, &self.feedback, &self.reminder, &self.info]
    }

    /// Whether a phrase stands in the words: the pane would then say it and the token before the agent does.
    pub(super) fn contain(&self, phrase: &str) -> bool {
        self.all().iter().any(|words| words.contains(phrase))
    }
}

/// The words of a team file over the English ones. What is wrong is in `book`.
pub(super) fn words(entry: Option<&WordsEntry>, book: &mut Book) -> Words {
    let mut words = Words::default();
    let Some(entry) = entry else { return words };
    let given = [
        (&mut words.task, &entry.task, true),
        (&mut words.answers, &entry.answers, true),
        (&mut words.feedback, &entry.feedback, true),
        (&mut words.reminder, &entry.reminder, false),
        (&mut words.info, &entry.info, true),
    ];
    for (target, text, names_file) in given {
        let Some(At { value, place }) = text else { continue };
        check(value, *place, names_file, book);
        *target = value.trim().to_owned();
    }
    words
}

fn check(text: &str, place: Place, names_file: bool, book: &mut Book) {
    if text.trim().chars().any(char::is_control) {
        book.wrong(
            place,
            "these words are more than one plain line",
            "take line ends and control characters out",
        );
    }
    if text.matches(PATH).count() != 1 && names_file {
        let cure = "write {path} once, where the agent is told which file to read";
        book.wrong(place, "these words do not name the task's file", cure);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_are_those_of_the_contract() {
        let id = MessageId::new("msg-a1b2c3d4e5f6").unwrap();
        let (from, token) = (AgentName::new("grand_boss").unwrap(), Token::new("k7qf2m").unwrap());
        let (words, path) = (Words::default(), "queue/active/msg-a1b2c3d4e5f6.yaml");
        let lines = [
            words.task(&id, &from, token, path),
            words.answers(&id, token, path),
            words.feedback(&id, token, path),
            words.reminder(&id, token, path),
            words.info(&id, &from, path),
            Words::inline(&id, &from, token, "調べて"),
        ];
        expect_test::expect![[r"
            [tasuki] task msg-a1b2c3d4e5f6 from grand_boss (token k7qf2m): read queue/active/msg-a1b2c3d4e5f6.yaml and do it.
            [tasuki] answers for your task msg-a1b2c3d4e5f6 (token k7qf2m): read queue/active/msg-a1b2c3d4e5f6.yaml and go on.
            [tasuki] feedback on your task msg-a1b2c3d4e5f6 (token k7qf2m): a check failed; read queue/active/msg-a1b2c3d4e5f6.yaml and put it right.
            [tasuki] reminder of your task msg-a1b2c3d4e5f6 (token k7qf2m): if it is done, say so with your phrase and this token; else go on.
            [tasuki] info msg-a1b2c3d4e5f6 from grand_boss: read queue/active/msg-a1b2c3d4e5f6.yaml; nothing to answer.
            [tasuki] task msg-a1b2c3d4e5f6 from grand_boss (token k7qf2m): 調べて"]]
        .assert_eq(&lines.join("\n"));
    }

    #[test]
    fn the_longest_line_is_the_longest_of_all() {
        let words = Words::default();
        let id = MessageId::new(&"x".repeat(64)).unwrap();
        let token = Token::new("k7qf2m").unwrap();
        let feedback = words.feedback(&id, token, &format!("queue/active/{id}.yaml"));
        let task = words.task(
            &id,
            &AgentName::new(&"x".repeat(64)).unwrap(),
            token,
            &format!("queue/active/{id}.yaml"),
        );
        assert_eq!(words.longest("queue/active"), feedback.len().max(task.len()));
        assert!(words.longest("queue/active") < DOORBELL_BYTES_MAX);
    }
}
