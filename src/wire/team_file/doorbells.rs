//! The words of a team's doorbells, and whether every line that can come up may be typed.

use super::file::WordsEntry;
use super::finding::{Book, Place};
use super::values::Wrong;
use crate::engine::screen::doorbell::{BadDoorbell, DOORBELL_BYTES_MAX, Doorbell, TurnKind, Words};
use crate::engine::words::{AgentName, MessageId, NAME_BYTES_MAX, Token};

/// The words of a team file over the English ones. What is wrong is in `book`.
pub(super) fn words(entry: Option<&WordsEntry>, book: &mut Book) -> Words {
    let mut words = Words::default();
    let Some(entry) = entry else { return words };
    let given = [
        (TurnKind::Task, &entry.task),
        (TurnKind::Answers, &entry.answers),
        (TurnKind::Feedback, &entry.feedback),
        (TurnKind::Reminder, &entry.reminder),
        (TurnKind::Info, &entry.info),
    ];
    for (kind, text) in given {
        let Some(text) = text else { continue };
        match words.clone().with(kind, text.value.trim()) {
            Ok(changed) => words = changed,
            Err(bad) => wrong_words(&bad, text.place, book),
        }
    }
    words
}

/// Refuses an agent that finds its tasks in `folder` if a line can come up that is too long, with ids and senders as
/// long as they may be: now, and not when the first message is to be sent.
pub(super) fn refuse_long(words: &Words, folder: &str, place: Place, book: &mut Book) {
    let longest = "x".repeat(NAME_BYTES_MAX);
    let (Ok(id), Ok(from)) = (MessageId::new(&longest), AgentName::new(&longest)) else { return };
    // A path that cannot be typed at all was refused with the workspace or the agent's folder.
    if let Err(BadDoorbell::TooLong { len }) = words.check_room(&id, &from, &format!("{folder}/{id}.yaml")) {
        let why =
            format!("a doorbell for this agent can have {len} bytes; at most {DOORBELL_BYTES_MAX} are typed");
        let cure =
            "let it work in the workspace itself, use a folder with a shorter path, or shorten the `words`";
        book.wrong(place, why, cure);
    }
}

/// What a doorbell names for a new task, where a prompt is to be read before it. Told each time: a program may have begun anew.
pub(super) fn after_prompt(prompt: Option<&str>, path: &str) -> String {
    prompt.map_or_else(|| path.to_owned(), |prompt| format!("{prompt} once, then {path}"))
}

/// Whether each line has room for that, too.
pub(super) fn have_room(words: &Words, prompt: &str, folder: &str) -> bool {
    let longest = "x".repeat(NAME_BYTES_MAX);
    let (Ok(id), Ok(from)) = (MessageId::new(&longest), AgentName::new(&longest)) else { return false };
    words.check_room(&id, &from, &after_prompt(Some(prompt), &format!("{folder}/{id}.yaml"))).is_ok()
}

/// Whether a doorbell itself says the phrase.
pub(super) fn say(words: &Words, phrase: &str) -> bool {
    let (Ok(id), from) = (MessageId::new("0"), AgentName::user()) else { return false };
    TurnKind::ALL.into_iter().any(|kind| {
        let token = (kind != TurnKind::Info).then(|| Token::mint(0));
        let doorbell = Doorbell { kind, id: &id, from: &from, token, path: "" };
        doorbell.line(words).is_ok_and(|line| line.contains(phrase))
    })
}

fn wrong_words(bad: &BadDoorbell, place: Place, book: &mut Book) {
    match bad {
        BadDoorbell::NoPath { .. } => {
            book.wrong(place, bad.to_string(), "write {path} where the file is to be named")
        }
        other => {
            let Wrong { why, cure } = Wrong::of(other);
            book.wrong(place, why, cure);
        }
    }
}
