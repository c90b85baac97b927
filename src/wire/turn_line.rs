//! The line that is typed for a turn, as the program reads it that it is typed to; the other side of
//! [`crate::engine::screen::doorbell`].

use crate::engine::screen::doorbell::{HEAD, TurnKind};
use crate::engine::words::{AgentName, MessageId, Token};

/// A line that tasuki has typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnLine {
    pub kind: TurnKind,
    pub id: MessageId,
    /// Who sent it, where the line says so.
    pub from: Option<AgentName>,
    /// The token to answer with; an info has none, and neither has an agent with `token: false`.
    pub token: Option<Token>,
    pub body: TurnContent,
}

/// Where a turn's content is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnContent {
    /// In this file, relative to the working folder or to the workspace.
    File(String),
    /// In the line itself.
    Inline(String),
}

impl TurnLine {
    /// Reads a line; none if it is another's.
    #[must_use]
    pub fn read(line: &str) -> Option<Self> {
        read(line.trim().strip_prefix(HEAD)?.trim_start())
    }

    /// Whether there is nothing to answer.
    #[must_use]
    pub fn is_info(&self) -> bool {
        self.kind == TurnKind::Info
    }
}

/// `KIND ID [from NAME] [(token T)]: REST`
fn read(line: &str) -> Option<TurnLine> {
    let (head, rest) = line.split_once(": ")?;
    let (kind, mut head) = read_kind(head)?;
    let id = MessageId::new(next_word(&mut head)?).ok()?;
    let (mut from, mut token) = (None, None);
    while let Some(word) = next_word(&mut head) {
        let value = next_word(&mut head)?;
        match word {
            "from" => from = Some(AgentName::new(value).ok()?),
            "(token" => token = Some(Token::new(value.strip_suffix(')')?).ok()?),
            _ => return None,
        }
    }
    let body = match path_in(rest, &id) {
        Some(path) => TurnContent::File(path.to_owned()),
        None if kind == TurnKind::Task => TurnContent::Inline(rest.trim().to_owned()),
        // A reminder names no file: it is about the one that the agent has read already.
        None => TurnContent::File(format!("queue/active/{id}.yaml")),
    };
    Some(TurnLine { kind, id, from, token, body })
}

fn read_kind(head: &str) -> Option<(TurnKind, &str)> {
    const KINDS: [(&str, TurnKind); 5] = [
        ("answers for your task ", TurnKind::Answers),
        ("feedback on your task ", TurnKind::Feedback),
        ("reminder of your task ", TurnKind::Reminder),
        ("task ", TurnKind::Task),
        ("info ", TurnKind::Info),
    ];
    KINDS.iter().find_map(|(words, kind)| Some((*kind, head.strip_prefix(words)?)))
}

fn next_word<'a>(text: &mut &'a str) -> Option<&'a str> {
    let (word, rest) = text.trim_start().split_once(' ').unwrap_or((text.trim_start(), ""));
    *text = rest;
    (!word.is_empty()).then_some(word)
}

/// The path of the task's file in the words after the colon. Those words may be of any language, set by the team:
/// the path is what ends with `ID.yaml` and begins after `read `, or else after the last space or non-ASCII letter.
fn path_in<'a>(rest: &'a str, id: &MessageId) -> Option<&'a str> {
    let name = format!("{id}.yaml");
    let before = rest.find(&name)?;
    let path = rest.get(..before + name.len())?;
    if let Some((_, path)) = path.split_once("read ") {
        return Some(path);
    }
    let begins = |c: char| c.is_whitespace() || !c.is_ascii() || "\"'`(".contains(c);
    Some(path.rsplit(begins).next().unwrap_or(path))
}
