//! The page about the socket for programs in other languages, made from the types themselves: `protocol/API.md`.

use crate::wire::api::{
    Accepted, CancelQuery, Done, DownBody, HaltBody, Health, MessageInfo, MessageList, PaneAnswerBody,
    PaneAnswered, PaneLookInfo, PaneQuery, PaneReady, PaneSendBody, PaneText, PaneTyped, PaneWaitBody,
    Problem, ReplyBody, StatusInfo, WaitQuery, Waited,
};
use schemars::{JsonSchema, schema_for};
use std::fmt::Write;

/// One address: its method, what it takes, what it gives, and what it is for.
#[derive(Debug, Clone, Copy)]
pub struct Address {
    /// GET or POST.
    pub method: &'static str,
    /// With `{id}`, `{token}` or `{name}` in it.
    pub path: &'static str,
    /// The type of its body or query.
    pub takes: &'static str,
    /// The type of its answer.
    pub gives: &'static str,
    /// What it is for.
    pub what: &'static str,
}

const fn at(
    method: &'static str,
    path: &'static str,
    takes: &'static str,
    gives: &'static str,
    what: &'static str,
) -> Address {
    Address { method, path, takes, gives, what }
}

/// Every address there is.
pub const ADDRESSES: [Address; 24] = [
    at("POST", "/v1/messages", "a message, or several", "Accepted", "sends; answered (202) when durable"),
    at("GET", "/v1/messages", "", "MessageList", "all open messages"),
    at("GET", "/v1/messages/{id}", "", "MessageInfo", "one message, open or recently finished"),
    at("GET", "/v1/messages/{id}/wait", "WaitQuery", "Waited", "waits until its stage has changed"),
    at(
        "POST",
        "/v1/messages/{id}/cancel",
        "CancelQuery",
        "Done",
        "cancels it; answered once its turn has ended",
    ),
    at(
        "POST",
        "/v1/messages/{id}/retry",
        "",
        "Done",
        "releases a held message, or tries one again that met an error",
    ),
    at("POST", "/v1/turns/{token}/reply", "ReplyBody", "Done", "an agent answers its turn"),
    at("POST", "/v1/turns/{token}/ack", "", "Done", "an agent has read its turn"),
    at("GET", "/v1/status", "", "StatusInfo", "the workspace as a whole"),
    at("GET", "/v1/health", "", "Health", "whether the daemon listens"),
    at("POST", "/v1/halt", "HaltBody", "Done", "makes or removes queue/STOP"),
    at("POST", "/v1/down", "DownBody", "Done", "ends the daemon"),
    at("POST", "/v1/agents/start", "", "Done", "starts every agent that is not running"),
    at("POST", "/v1/agents/{name}/start", "", "Done", "starts an agent"),
    at("POST", "/v1/agents/{name}/stop", "", "Done", "stops an agent; its messages wait"),
    at("POST", "/v1/agents/{name}/restart", "", "Done", "restarts an agent"),
    at("GET", "/v1/panes/{name}", "PaneQuery", "PaneText", "what an agent's pane shows"),
    at("GET", "/v1/panes/{name}/ready", "", "PaneReady", "whether it may be typed to"),
    at("GET", "/v1/panes/{name}/look", "", "PaneLookInfo", "how its screen is read, and by which rule"),
    at("POST", "/v1/panes/{name}/answer", "PaneAnswerBody", "PaneAnswered", "answers what the agent asks"),
    at("POST", "/v1/panes/{name}/send", "PaneSendBody", "PaneTyped", "types a line if the guards allow it"),
    at("POST", "/v1/panes/{name}/clear", "", "Done", "clears input, screen and history"),
    at("POST", "/v1/panes/{name}/clear-line", "", "Done", "removes the unsent text"),
    at("POST", "/v1/panes/{name}/wait", "PaneWaitBody", "PaneText", "waits for a text"),
];

const HEAD: &str = "\
# The socket

The daemon listens on a Unix socket. `status/daemon.yaml` (`socket:`) and `tasuki status --json` (`.daemon.socket`) have its
path. It speaks HTTP/1.1 and JSON, to processes of its own user only:

    curl --unix-socket \"$(tasuki status --json | jq -r .daemon.socket)\" http://tasuki/v1/status

- Limits: a body has at most 1 MiB. The head and the body of a request may take 10 s each. There are at most 512 connections, 256
  of one process. One wait takes at most 60 s.
- A message is sent as JSON (`Content-Type: application/json`, one object or a list) or as YAML (anything else, several
  documents with `---`), with the fields of `protocol/README.md`. All are accepted or none. A message with an `id` may be
  sent again after any failure: the same id with the same content is a duplicate. An object has each key once
  (`duplicate-key`), as in YAML.
- `Authorization: Bearer KEY`, with the `TASUKI_AGENT_KEY` of an agent's pane, proves who sends and who gives a command. That
  agent commands its own parts and turns, and what `may:` in the team file allows. Other changes are refused with `not-yours`. A key of
  no running agent is refused with `bad-proof`. Looking is free. Without a key, the caller is the user.
- A request that fails is answered with a status of 400 or more and a `Problem`. Its `code` is a code of refusals, or `bad-request`, `no-message`, `not-ready`, `not-answered`, `not-yours` (403), `too-slow`, `no-such-address`, `no-such-method`, `unavailable` (503: try
  again in a moment), `bug`.
";

/// The page.
#[must_use]
pub fn page() -> String {
    let mut page = format!(
        "{HEAD}\n## Addresses\n\n| method | address | takes | gives | what for |\n|---|---|---|---|---|\n"
    );
    for Address { method, path, takes, gives, what } in ADDRESSES {
        let _ = writeln!(page, "| {method} | `{path}` | {takes} | {gives} | {what} |");
    }
    page.push_str("\n## Types\n");
    put::<Problem>(&mut page);
    put::<Accepted>(&mut page);
    put::<Done>(&mut page);
    put::<MessageList>(&mut page);
    put::<MessageInfo>(&mut page);
    put::<WaitQuery>(&mut page);
    put::<CancelQuery>(&mut page);
    put::<Waited>(&mut page);
    put::<StatusInfo>(&mut page);
    put::<Health>(&mut page);
    put::<ReplyBody>(&mut page);
    put::<HaltBody>(&mut page);
    put::<DownBody>(&mut page);
    put::<PaneQuery>(&mut page);
    put::<PaneText>(&mut page);
    put::<PaneReady>(&mut page);
    put::<PaneLookInfo>(&mut page);
    put::<PaneAnswerBody>(&mut page);
    put::<PaneAnswered>(&mut page);
    put::<PaneSendBody>(&mut page);
    put::<PaneTyped>(&mut page);
    put::<PaneWaitBody>(&mut page);
    page
}

/// One type with its fields; types within it follow it.
fn put<T: JsonSchema>(page: &mut String) {
    let schema = schema_for!(T).to_value();
    put_type(page, &T::schema_name(), &schema);
    let inner = schema.get("$defs").and_then(serde_json::Value::as_object);
    for (name, schema) in inner.into_iter().flatten() {
        put_type(page, name, schema);
    }
}

fn put_type(page: &mut String, name: &str, schema: &serde_json::Value) {
    if !page_has(page, name) {
        page.push_str(&table(name, schema));
    }
}

fn page_has(page: &str, name: &str) -> bool {
    page.contains(&format!("\n### {name}\n"))
}

fn table(name: &str, schema: &serde_json::Value) -> String {
    let said = schema.get("description").and_then(serde_json::Value::as_str).unwrap_or_default();
    let mut text = format!("\n### {name}\n\n{said}\n\n| field | type | what |\n|---|---|---|\n");
    let fields = schema.get("properties").and_then(serde_json::Value::as_object);
    for (field, schema) in fields.into_iter().flatten() {
        let said = schema.get("description").and_then(serde_json::Value::as_str).unwrap_or_default();
        let _ = writeln!(text, "| `{field}` | {} | {} |", type_of(schema), said.replace('\n', " "));
    }
    text
}

/// The type of a field in words.
fn type_of(schema: &serde_json::Value) -> String {
    if let Some(reference) = schema.get("$ref").and_then(serde_json::Value::as_str) {
        return reference.rsplit('/').next().unwrap_or_default().to_owned();
    }
    if let Some(either) = schema.get("anyOf").and_then(serde_json::Value::as_array) {
        return either.iter().map(type_of).collect::<Vec<_>>().join(" or ");
    }
    match schema.get("type") {
        Some(serde_json::Value::Array(kinds)) => {
            kinds.iter().filter_map(serde_json::Value::as_str).collect::<Vec<_>>().join(" or ")
        }
        Some(serde_json::Value::String(kind)) if kind == "array" => {
            format!("list of {}", schema.get("items").map(type_of).unwrap_or_default())
        }
        Some(serde_json::Value::String(kind)) => kind.clone(),
        _ => "any".to_owned(),
    }
}
