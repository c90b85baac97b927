//! The page about the socket for programs in other languages, made from the types themselves: `protocol/API.md`.

use super::address::{Address, Part};
use super::{openapi, routes};
use crate::wire::api::Problem;
use schemars::{JsonSchema, schema_for};
use serde_json::Value;
use std::fmt::Write;

/// Every address there is.
#[must_use]
pub fn addresses() -> Vec<Address> {
    routes::addresses()
}

const HEAD: &str = "\
# The socket

The daemon listens on a Unix socket. `status/daemon.yaml` (`socket:`) and `tasuki status --json` (`.daemon.socket`) have its
path. It speaks HTTP/1.1 and JSON, to processes of its own user only:

    curl --unix-socket \"$(tasuki status --json | jq -r .daemon.socket)\" http://tasuki/api/status
    curl -N --unix-socket \"$(tasuki status --json | jq -r .daemon.socket)\" 'http://tasuki/api/events?view=true'

[openapi.json](openapi.json) says the same for programs (OpenAPI 3.1). The daemon serves it at `/api/openapi.json`.

- `GET` changes nothing. Answers come from the journal, and have in them whatever the caller was told before.
- `/api/messages` answers in pages: open messages first, newest first, then finished ones, those that ended last first. `next` of a
  page is `after` for the one that follows.
- `/api/events` sends server-sent events until the caller goes. `event: step` is a step of the journal, told once it is durable, with
  its number as the event's id. Whoever comes back says that number as `Last-Event-ID`, or as `after`, and misses nothing. Where the
  journal does not reach back so far, `event: reset` comes first: ask for the state anew. With `view=true`, `event: view` has what is
  shown and has changed, at most twenty times a second; it has no id, and the first has everything. A comment comes every 15 s.
- `/api/agents/{name}/screen?follow=true` sends `event: screen` as it changes, and `event: gone` with a `Problem` at its end.
- Limits: a body has at most 1 MiB. The head and the body of a request may take 10 s each. There are at most 512 connections, 256
  of one process. One wait takes at most 60 s.
- A message is sent as JSON (`Content-Type: application/json`, one object or a list) or as YAML (anything else, several
  documents with `---`), with the fields of `protocol/README.md`. All are accepted or none. A message with an `id` may be
  sent again after any failure: the same id with the same content is a duplicate. An object has each key once
  (`duplicate-key`), as in YAML.
- `Authorization: Bearer KEY`, with the `TASUKI_AGENT_KEY` of an agent's pane, proves who sends and who gives a command. That
  agent commands its own parts and turns, and what `may:` in the team file allows. Other changes are refused with `not-yours`. A key of
  no running agent is refused with `bad-proof`. Looking is free. Without a key, the caller is the user.
- `tasuki web` opens a TCP port of this machine for browsers. There the same addresses need `Authorization: Bearer TOKEN` with a token of
  `tasuki web`, bodies are JSON only, and what looks like a secret is hidden. No agent's key counts there. `docs/security.md` has all checks.
- A request that fails is answered with a status of 400 or more and a `Problem`. Its `code` is a code of refusals, or `bad-request`, `bad-recipe`, `no-message`, `not-ready`, `not-answered`, `not-yours` (403), `too-slow`, `no-such-address`, `no-such-method`, `unavailable` (503: try
  again in a moment), `bug`. Over TCP also `not-our-host` (421), `not-our-origin`, `no-upgrade`, `read-only` (403), `no-token` (401),
  `not-json` (415), `no-length` (411), `old-http` (505), `too-large`, `too-many-streams`, `no-page`. Of `tasuki web`: `port-taken`, `bad-port`,
  `web-file` (409), `other-way`.
";

/// The page.
#[must_use]
pub fn page() -> String {
    let mut page = format!(
        "{HEAD}\n## Addresses\n\n| method | address | takes | gives | what for |\n|---|---|---|---|---|\n"
    );
    let addresses = addresses();
    for Address { method, path, takes, gives, what, .. } in &addresses {
        let _ = writeln!(page, "| {method} | `{path}` | {} | {} | {what} |", takes.name(), gives.name());
    }
    page.push_str("\n## Types\n");
    put(&mut page, &Problem::schema_name(), &schema_for!(Problem).to_value());
    for part in addresses.iter().flat_map(Address::parts) {
        if let Part::Type(name, schema) = part {
            put(&mut page, name, &schema());
        }
    }
    page
}

/// The same for programs, as OpenAPI.
#[must_use]
pub fn openapi() -> Value {
    openapi::document(&addresses())
}

/// One type with its fields; types within it follow it.
fn put(page: &mut String, name: &str, schema: &Value) {
    put_type(page, name, schema);
    let inner = schema.get("$defs").and_then(Value::as_object);
    for (name, schema) in inner.into_iter().flatten() {
        put_type(page, name, schema);
    }
}

fn put_type(page: &mut String, name: &str, schema: &Value) {
    if !page_has(page, name) {
        page.push_str(&table(name, schema));
    }
}

fn page_has(page: &str, name: &str) -> bool {
    page.contains(&format!("\n### {name}\n"))
}

fn table(name: &str, schema: &Value) -> String {
    let said = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let mut text = format!("\n### {name}\n\n{said}\n\n| field | type | what |\n|---|---|---|\n");
    let fields = schema.get("properties").and_then(Value::as_object);
    for (field, schema) in fields.into_iter().flatten() {
        let said = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        let _ = writeln!(text, "| `{field}` | {} | {} |", type_of(schema), said.replace('\n', " "));
    }
    text
}

/// The type of a field in words.
fn type_of(schema: &Value) -> String {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return reference.rsplit('/').next().unwrap_or_default().to_owned();
    }
    if let Some(either) = schema.get("anyOf").and_then(Value::as_array) {
        return either.iter().map(type_of).collect::<Vec<_>>().join(" or ");
    }
    match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        Some(Value::String(kind)) if kind == "array" => {
            format!("list of {}", schema.get("items").map(type_of).unwrap_or_default())
        }
        Some(Value::String(kind)) => kind.clone(),
        _ => "any".to_owned(),
    }
}
