//! The digest that tells a duplicate from a conflict: the first 16 bytes of SHA-256 over the parsed fields, without
//! `timestamp` and `token`, and without an id that was made here. Each field goes in with its name and its length, so
//! no two messages give the same bytes; keys of maps are sorted, since their order means nothing.

use crate::engine::message::{Besides, Draft, Expect};
use crate::engine::words::{Digest, MessageId};
use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};

/// The digest of a draft whose other fields are all filled in; `extra` is what its body's `extra` was written from.
pub(in crate::wire) fn of(draft: &Draft, extra: &Json) -> Digest {
    // All of them: of two messages that differ in a field left out here, the second would be dropped as a duplicate.
    let Besides {
        in_reply_to,
        parent,
        retry_of,
        depends_on,
        timeout_ms,
        deadline,
        expect,
        step: _,
        folder: _,
    } = &draft.besides;
    let mut hash = Hash(Sha256::new());
    hash.field("id", draft.id_given.then_some(draft.id.as_str()));
    hash.field("from", draft.from.as_ref().map(|name| name.as_str()));
    hash.field("to", Some(draft.to.as_str()));
    hash.field("type", Some(draft.kind.word()));
    hash.field("status", Some(draft.status.word()));
    hash.field("content", Some(&draft.body.content));
    hash.field("in_reply_to", in_reply_to.as_ref().map(MessageId::as_str));
    hash.field("parent", parent.as_ref().map(MessageId::as_str));
    hash.field("retry_of", retry_of.as_ref().map(MessageId::as_str));
    hash.list("depends_on", depends_on.iter().map(MessageId::as_str));
    hash.field("priority", Some(draft.priority.word()));
    hash.field("timeout", timeout_ms.map(|ms| ms.to_string()).as_deref());
    hash.field("deadline", deadline.map(|at| at.0.to_string()).as_deref());
    hash.field("on_doubt", Some(draft.on_doubt.word()));
    hash.expect(expect.as_deref());
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

#[cfg(test)]
mod tests {
    use crate::engine::words::{Digest, MessageId, Millis};
    use crate::wire::message::draft;

    const FIELDS: [&str; 6] =
        ["id: m", "from: boss", "to: ann", "content: 襷", "priority: normal", "on_doubt: resend"];

    /// The digest of a message with these fields and this one, which takes the place of one of the same name.
    fn digest(field: &str) -> Digest {
        let name = |field: &str| field.split(':').next().map(str::to_owned);
        let others = FIELDS.into_iter().filter(|other| name(other) != name(field));
        let text = others.chain([field]).collect::<Vec<_>>().join("\n");
        let mint = &mut || MessageId::new("minted").unwrap();
        let drafts = draft::read(text.as_bytes(), None, &|_| true, mint, Millis(1), &chrono::Utc);
        drafts.unwrap_or_else(|refusal| panic!("{field}: {}", refusal.why))[0].digest
    }

    #[test]
    fn a_message_that_differs_in_any_field_is_another_one() {
        let changes = [
            "id: n",
            "from: bob",
            "to: eve",
            "content: たすき",
            "type: info",
            "type: result\nin_reply_to: t",
            "type: result\nin_reply_to: t\nstatus: failed",
            "in_reply_to: t",
            "parent: t",
            "retry_of: t",
            "depends_on: [t]",
            "depends_on: [t, u]",
            "priority: high",
            "timeout: 5s",
            "timeout: 6s",
            "deadline: 2030-01-01T00:00:00Z",
            "deadline: 2030-01-01T00:00:01Z",
            "on_doubt: hold",
            "expect: {commit: true}",
            "expect: {files: [a]}",
            "expect: {files: [b]}",
            "expect: {files: [a, b]}",
            "expect: {report: a}",
            "expect: {command: a}",
            "expect: {command: [a, b]}",
            "expect: {commit: true, command: a}",
            "metadata: {a: 1}",
            "metadata: {a: 2}",
            "metadata: {b: 1}",
            "metadata: {a: [1]}",
            "metadata: {a: '1'}",
            "note: of my own",
        ];
        // The time of writing and the token count for nothing, and a status needs the type beside it.
        let plain = ["timestamp", "token", "status"];
        for key in draft::KEYS.iter().filter(|key| !plain.contains(key)) {
            assert!(changes.iter().any(|change| change.split(':').next() == Some(key)), "{key} is not tried");
        }
        let mut seen = vec![("", digest(""))];
        for change in changes {
            let digest = digest(change);
            let same = seen.iter().find(|(_, other)| *other == digest);
            assert_eq!(same, None, "as {change:?}");
            assert!(digest.0 >> 64 != 0 && digest.0 as u64 != 0, "all of it is used");
            seen.push((change, digest));
        }
    }

    #[test]
    fn a_message_that_is_sent_again_is_the_same_one() {
        let base = digest("");
        for same in
            ["timestamp: 2026-02-02T12:00:00Z", "token: k7qf2m", "type: task", "priority: normal", "# a word"]
        {
            assert_eq!(digest(same), base, "{same}");
        }
        assert_eq!(
            digest("metadata: {a: 1, b: 2}"),
            digest("metadata: {b: 2, a: 1}"),
            "the order says nothing"
        );
    }
}
