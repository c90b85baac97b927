//! The JSON Schema of a message, for editors: from the same words and limits as the reader's.

use super::draft::{CONTENT_BYTES_MAX, DEPENDENCIES_MAX, KEY_BYTES_MAX};
use crate::engine::message::{Kind, OnDoubt, Priority, Status};
use serde_json::{Value, json};

/// What an id may be (protocol, a message).
const ID: &str = "^[a-z0-9][a-z0-9._-]{0,63}$";
/// What a name may be (protocol, the team file).
const NAME: &str = "^[a-z0-9][a-z0-9_-]{0,63}$";
/// What a turn's token looks like: six characters, at least one of them a digit.
const TOKEN: &str = "^(?=[a-z]*[0-9])[a-z0-9]{6}$";

/// The schema of one document of a drop. Keys that it does not name are kept as they are, so they are allowed.
#[must_use]
pub fn message() -> Value {
    let id = |what: &str| json!({"type": "string", "pattern": ID, "description": what});
    let name = |what: &str| json!({"type": "string", "pattern": NAME, "description": what});
    let text = |what: &str| json!({"type": "string", "description": what});
    let properties = json!({
        "id": id("Names the message. The same id with the same content is a duplicate and is dropped. Without it one is made."),
        "from": name("Who sends it: `user`, or an agent. Without it `user`, or whom the token names."),
        "to": name("An agent, an alias, a pool, or `user`. A file called FROM_to_TO.yaml may leave it out."),
        "type": words(Kind::ALL.map(Kind::word), "What it is. Without it a task."),
        "status": words(Status::ALL.map(Status::word), "Leave it out, or `pending`; `completed` or `failed` on a result or error."),
        "content": {"type": "string", "minLength": 1, "maxLength": CONTENT_BYTES_MAX, "description": "What is to be done, told or answered: at most 1 MiB of UTF-8."},
        "timestamp": text("When it was written: RFC 3339, or ISO 8601 without a zone, which is local time."),
        "in_reply_to": id("On a result or error: the task that it answers."),
        "parent": id("The task that this one is a part of. Without it that of the token."),
        "retry_of": id("The failed or cancelled message that this one repeats."),
        "token": {"type": "string", "pattern": TOKEN, "description": "The sender's own turn token: proves who speaks."},
        "depends_on": {"type": "array", "maxItems": DEPENDENCIES_MAX, "items": id("A message."), "description": "Not typed before these are completed."},
        "priority": words(Priority::ALL.map(Priority::word), "Which of several waiting messages goes first. Without it normal."),
        "timeout": text("Longest working time, such as `30m`. Without it the agent's own."),
        "deadline": text("A moment after which it is too late."),
        "on_doubt": words(OnDoubt::ALL.map(OnDoubt::word), "What to do when nobody can tell whether it was delivered. Without it resend."),
        "expect": {"type": "object", "description": "The evidence that closes the task. This version does not check it and takes no such task."},
        "metadata": {"type": "object", "description": "A free map, kept as it is: at most 64 KiB."},
    });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A message for tasuki",
        "description": "Drop it as a file into queue/. The smallest one has `to` and `content`.",
        "type": "object",
        "required": ["content"],
        "properties": properties,
        "propertyNames": {"maxLength": KEY_BYTES_MAX},
    })
}

fn words<const N: usize>(words: [&str; N], what: &str) -> Value {
    json!({"enum": words.as_slice(), "description": what})
}
