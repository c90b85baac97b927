//! The digest that tells a duplicate from a conflict: the first 16 bytes of SHA-256 over the parsed fields, without
//! `timestamp` and `token`, and without an id that was made here. Each field goes in with its name and its length, so
//! no two messages give the same bytes; keys of maps are sorted, since their order means nothing.

use crate::engine::message::{Draft, Expect};
use crate::engine::words::{Digest, MessageId};
use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};

/// The digest of a draft whose other fields are all filled in; `extra` is what its body's `extra` was written from.
pub(super) fn of(draft: &Draft, extra: &Json) -> Digest {
    let mut hash = Hash(Sha256::new());
    hash.field("id", draft.id_given.then_some(draft.id.as_str()));
    hash.field("from", draft.from.as_ref().map(|name| name.as_str()));
    hash.field("to", Some(draft.to.as_str()));
    hash.field("type", Some(draft.kind.word()));
    hash.field("status", Some(draft.status.word()));
    hash.field("content", Some(&draft.body.content));
    hash.field("in_reply_to", draft.in_reply_to.as_ref().map(MessageId::as_str));
    hash.field("parent", draft.parent.as_ref().map(MessageId::as_str));
    hash.field("retry_of", draft.retry_of.as_ref().map(MessageId::as_str));
    hash.list("depends_on", draft.depends_on.iter().map(MessageId::as_str));
    hash.field("priority", Some(draft.priority.word()));
    hash.field("timeout", draft.timeout_ms.map(|ms| ms.to_string()).as_deref());
    hash.field("deadline", draft.deadline.map(|at| at.0.to_string()).as_deref());
    hash.field("on_doubt", Some(draft.on_doubt.word()));
    hash.expect(draft.expect.as_ref());
    hash.json("extra", extra);
    let bytes = hash.0.finalize();
    Digest(bytes.iter().take(16).fold(0, |sum, &byte| sum << 8 | u128::from(byte)))
}

struct Hash(Sha256);

impl Hash {
    fn part(&mut self, text: &str) {
        self.0.update((text.len() as u64).to_le_bytes());
        self.0.update(text);
    }

    fn field(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.part(name);
            self.part(value);
        }
    }

    fn list<'a>(&mut self, name: &str, items: impl ExactSizeIterator<Item = &'a str>) {
        if items.len() > 0 {
            self.field(name, Some(&items.len().to_string()));
            items.for_each(|item| self.part(item));
        }
    }

    fn expect(&mut self, expect: Option<&Expect>) {
        let Some(expect) = expect else { return };
        self.field("expect.commit", Some(if expect.commit { "true" } else { "false" }));
        self.list("expect.files", expect.files.iter().map(String::as_str));
        self.list("expect.command", expect.command.iter().map(String::as_str));
        self.field("expect.report", expect.report.as_deref());
    }

    fn json(&mut self, name: &str, value: &Json) {
        match value {
            Json::Object(map) => {
                self.field(name, Some("map"));
                let mut keys: Vec<_> = map.iter().collect();
                keys.sort_unstable_by_key(|(key, _)| *key);
                keys.into_iter().for_each(|(key, value)| self.json(key, value));
                self.part("end");
            }
            Json::Array(items) => {
                self.field(name, Some("list"));
                items.iter().for_each(|item| self.json("item", item));
                self.part("end");
            }
            Json::String(text) => {
                self.field(name, Some("text"));
                self.part(text);
            }
            other => {
                self.field(name, Some("plain"));
                self.part(&other.to_string());
            }
        }
    }
}
