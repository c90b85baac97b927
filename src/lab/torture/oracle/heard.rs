//! What the agents say they were typed, against what the journal says was typed: nothing twice unless it was marked, nothing
//! that was not decided before, nothing else than what was sent.

use super::book::Book;
use super::findings::{FindingKind, Findings};
use super::messages::Expected;
use crate::engine::screen::doorbell::HEAD;
use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

/// A line that an agent was typed.
struct Heard<'a> {
    /// Whether the task's file said that it may have been typed before.
    marked: bool,
    /// Digest of the content that the agent read.
    digest: &'a str,
    id: &'a str,
    /// None for information.
    token: Option<&'a str>,
}

pub(super) fn check(
    folder: &Path,
    book: &Book,
    expected: &Expected,
    findings: &mut Findings,
) -> io::Result<()> {
    let mut texts = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let agent = entry.file_name().to_string_lossy().into_owned();
        // An agent that was killed in the midst of a line has left a part of one.
        texts.push((agent, String::from_utf8_lossy(&fs::read(entry.path())?).into_owned()));
    }
    for (agent, text) in &texts {
        check_agent(agent, text, book, expected, findings);
    }
    check_turns(texts.iter().map(|(_, text)| text.as_str()), book, findings);
    Ok(())
}

fn check_agent(agent: &str, text: &str, book: &Book, expected: &Expected, findings: &mut Findings) {
    for line in text.lines() {
        let Some(heard) = read(line) else {
            findings.add(FindingKind::Wrong, format!("what was typed to {agent} is not a turn: {line:?}"));
            continue;
        };
        let id = heard.id;
        if let Some(token) = heard.token {
            findings.check(book.tokens.get(token).is_some_and(|of| of == id), FindingKind::Wrong, || {
                format!("{agent} was typed a turn of {id} with the token {token}, of which the journal knows nothing")
            });
        }
        match expected.get(id) {
            Some(content) => findings.check(content == heard.digest, FindingKind::Wrong, || {
                format!("{agent} read another content of {id} than was sent")
            }),
            None => findings
                .add(FindingKind::Wrong, format!("{agent} was typed a turn of {id}, which nobody sent")),
        }
    }
}

/// Each turn by its token, information by its id: typed at most as often as that was decided, and unmarked at most once.
fn check_turns<'a>(texts: impl Iterator<Item = &'a str>, book: &Book, findings: &mut Findings) {
    let mut turns: BTreeMap<(&str, Option<&str>), (usize, usize)> = BTreeMap::new();
    for heard in texts.flat_map(str::lines).filter_map(read) {
        let (times, unmarked) = turns.entry((heard.id, heard.token)).or_default();
        *times += 1;
        *unmarked += usize::from(!heard.marked);
    }
    for ((id, token), (times, unmarked)) in turns {
        let intents = book.messages.get(id).map_or(&[][..], |history| history.intents.as_slice());
        let decided = intents.iter().filter(|intent| intent.token.as_deref() == token).count();
        let turn = token.map_or_else(|| id.to_owned(), |token| format!("{id} (token {token})"));
        findings.check(unmarked <= 1, FindingKind::Double, || {
            format!("{turn} was typed {unmarked} times without being marked as given before")
        });
        findings.check(times <= decided, FindingKind::Double, || {
            format!("{turn} was typed {times} times, and the journal decided it {decided} times")
        });
    }
}

/// `REDELIVERED DIGEST [tasuki] KIND … ID … [(token T)]: …`
fn read(line: &str) -> Option<Heard<'_>> {
    let (marked, rest) = line.split_once(' ')?;
    let (digest, doorbell) = rest.split_once(' ')?;
    let rest = doorbell.strip_prefix(HEAD)?.trim_start();
    if doorbell.matches(HEAD).count() != 1 {
        return None;
    }
    let (head, _) = rest.split_once(": ")?;
    let (head, token) = match head.split_once(" (token ") {
        Some((head, token)) => (head, Some(token.strip_suffix(')')?)),
        None => (head, None),
    };
    let head = head.split_once(" from ").map_or(head, |(head, _)| head);
    Some(Heard { marked: marked == "true", digest, id: head.rsplit(' ').next()?, token })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_turn_is_read_and_nothing_else() {
        let check = |line: &str, expected: Option<(bool, &str, Option<&str>)>| {
            let heard = read(line);
            assert_eq!(heard.map(|heard| (heard.marked, heard.id, heard.token)), expected, "{line}");
        };
        check(
            "false d [tasuki] task t1 from user (token abc123): read queue/active/t1.yaml and do it.",
            Some((false, "t1", Some("abc123"))),
        );
        check(
            "true d [tasuki] answers for your task t1.m (token abc123): read x and go on.",
            Some((true, "t1.m", Some("abc123"))),
        );
        check(
            "false d [tasuki] reminder of your task t1 (token abc123): if it is done, say so",
            Some((false, "t1", Some("abc123"))),
        );
        check("false d [tasuki] info t1 from user: read x; nothing to answer.", Some((false, "t1", None)));
        check("false d [tasuki] task t1 from us[tasuki] task t1 from user (token abc123): read", None);
        check("false d hello", None);
        check("fal", None);
    }
}
