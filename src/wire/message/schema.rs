//! The JSON Schema of a message, for editors: from the same words and limits as the reader's.

use super::draft::{CONTENT_BYTES_MAX, DEPENDENCIES_MAX, KEY_BYTES_MAX};
use super::expect::FILES_MAX;
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
        "id": id("Message id. The same id with the same content is a duplicate and is dropped. If it is missing, one is made."),
        "from": name("Sender: `user`, or an agent. Default: `user`, or whom the token names."),
        "to": name("Recipient: an agent, an alias, a pool, or `user`. A file called FROM_to_TO.yaml may leave it out."),
        "type": words(Kind::ALL.map(Kind::word), "Message type. Default: `task`."),
        "status": words(Status::ALL.map(Status::word), "Leave it out, or `pending`; `completed` or `failed` on a result or error."),
        "content": {"type": "string", "minLength": 1, "maxLength": CONTENT_BYTES_MAX, "description": "Text of the message, in UTF-8. The whole file has at most 1 MiB, its keys included."},
        "timestamp": text("Time of writing: RFC 3339, or ISO 8601 without a zone, which is local time."),
        "in_reply_to": id("On a result or error: id of the task that it answers."),
        "parent": id("Id of the task that this one is a part of. Default: that of the token."),
        "retry_of": id("Id of the failed or cancelled message that this one repeats."),
        "token": {"type": "string", "pattern": TOKEN, "description": "Token of the sender's own turn: it proves who speaks."},
        "depends_on": {"type": "array", "maxItems": DEPENDENCIES_MAX, "items": id("Message id."), "description": "Ids of messages that must be completed before this one is typed."},
        "priority": words(Priority::ALL.map(Priority::word), "Place among waiting messages. Default: `normal`."),
        "timeout": text("Longest working time, such as `30m`. Default: the agent's own."),
        "deadline": text("Time at which the message fails."),
        "on_doubt": words(OnDoubt::ALL.map(OnDoubt::word), "What to do when a delivery cannot be proven. Default: `resend`."),
        "expect": expect(),
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

/// The evidence, each path relative to the agent's folder.
pub(in crate::wire) fn expect() -> Value {
    let path = |what: &str| json!({"type": "string", "minLength": 1, "description": what});
    json!({
        "type": "object",
        "description": "On a task: the evidence that closes it besides its agent's claim. If a check fails, the agent gets what failed as its next turn.",
        "properties": {
            "commit": {"type": "boolean", "description": "Whether there must be a new commit in the agent's folder, made since the task was first typed."},
            "files": {"type": "array", "maxItems": FILES_MAX, "items": path("Path, relative to the agent's folder."), "description": "Files that must be there and not be blank."},
            "report": path("File that must be there, not be blank, and have been written since the task was first typed. The path is relative to the agent's folder."),
            "command": {
                "description": "Command that must succeed: the name of one of the team file's `commands:`, or its words.",
                "anyOf": [{"type": "string", "minLength": 1}, {"type": "array", "items": {"type": "string"}}],
            },
        },
        "additionalProperties": false,
    })
}

fn words<const N: usize>(words: [&str; N], what: &str) -> Value {
    json!({"enum": words.as_slice(), "description": what})
}
