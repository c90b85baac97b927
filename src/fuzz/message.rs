//! A dropped file.

use super::choice::choice;
use crate::engine::message::refusal::Refusal;
use crate::engine::message::{Draft, Kind, Status};
use crate::engine::words::{AgentName, MessageId, Millis};
use crate::wire::message::view::{InFile, MessageView};
use crate::wire::message::{draft, json};
use crate::wire::time::{rfc3339, write_duration};
use chrono::Utc;

/// A moment in 2026, so that deadlines of the corpus lie on both sides of it.
const NOW: Millis = Millis(1_784_000_000_000);

/// Reads bytes as a dropped file, with and without a name that says who writes to whom: each document is fit to be taken and
/// comes back from what is shown of it, or the refusal says what, where and the cure. Nothing depends on chance.
///
/// # Panics
/// If one of that does not hold.
pub fn message(data: &[u8]) {
    let (how, bytes) = choice(data);
    let name = ["boss_to_coder.yaml", "x.yaml", "user_to_boss_to_coder.yaml"].get(how % 4).copied();
    let read = |bytes: &[u8]| {
        draft::read(bytes, name, &|name| matches!(name, "boss" | "coder"), &mut mint(), NOW, &Utc)
    };
    let drafts = read(bytes);
    assert_eq!(drafts, read(bytes), "the same bytes say the same");
    match drafts {
        Ok(drafts) => {
            assert!(!drafts.is_empty() && drafts.len() <= draft::DOCUMENTS_MAX);
            drafts.iter().for_each(is_fit);
        }
        Err(refusal) => is_told(&refusal, bytes),
    }
    // The same message may come as JSON over the socket.
    if let Ok(value) = serde_json::from_slice::<serde_json::Value>(bytes) {
        match json::read(&value, &mut mint(), NOW, &Utc) {
            Ok(draft) => is_fit(&draft),
            Err(refusal) => assert!(!refusal.why.is_empty()),
        }
    }
}

fn mint() -> impl FnMut() -> MessageId {
    let mut made = 0;
    move || {
        made += 1;
        id(&format!("msg-{made:012x}"))
    }
}

fn id(text: &str) -> MessageId {
    MessageId::new(text).unwrap_or_else(|bad| panic!("{text}: {bad}"))
}

fn is_fit(draft: &Draft) {
    assert!(!draft.body.content.is_empty() && draft.body.content.len() <= draft::CONTENT_BYTES_MAX);
    // An object takes two brackets and its keys' names besides what the limit counts.
    assert!(draft.body.extra.len() <= 2 * draft::METADATA_BYTES_MAX);
    assert!(draft.body.extra.is_empty() || draft.body.extra.starts_with('{'));
    assert!(draft.unknown_keys.iter().all(|key| key.len() <= draft::KEY_BYTES_MAX));
    let user = AgentName::new("user").unwrap_or_else(|bad| panic!("{bad}"));
    let whom = (draft.id.clone(), draft.from.clone().unwrap_or(user), draft.to.clone());
    let view = MessageView::bare(whom, Kind::Task, Status::Pending, "".into()).with(&draft.body);
    let file = InFile {
        timestamp: draft.sent_at.map(rfc3339),
        timeout: draft.timeout_ms.map(write_duration),
        deadline: draft.deadline.map(rfc3339),
        ..view.file
    };
    let (parent, retry_of) = (draft.parent.clone(), draft.retry_of.clone());
    let view = MessageView { parent, retry_of, depends_on: draft.depends_on.clone(), file, ..view };
    let shown = view.yaml();
    // What is shown may be longer than what was read: escapes.
    if shown.len() > crate::wire::FILE_BYTES_MAX {
        return;
    }
    let again = draft::read(shown.as_bytes(), None, &|_| false, &mut mint(), NOW, &Utc);
    let again = again.unwrap_or_else(|refusal| panic!("{refusal:?}\n{shown}"));
    let [again] = &again[..] else { panic!("{} documents in\n{shown}", again.len()) };
    assert_eq!(again.body.content, draft.body.content, "\n{shown}");
    assert_eq!(
        (&again.id, &again.to, &again.depends_on),
        (&draft.id, &draft.to, &draft.depends_on),
        "\n{shown}"
    );
    assert_eq!((again.timeout_ms, again.deadline), (draft.timeout_ms, draft.deadline), "\n{shown}");
    assert_eq!(value(&again.body.extra), value(&draft.body.extra), "\n{shown}");
}

fn value(extra: &str) -> serde_json::Value {
    if extra.is_empty() {
        return serde_json::Value::Null;
    }
    serde_json::from_str(extra).unwrap_or_else(|error| panic!("{error}: {extra}"))
}

fn is_told(refusal: &Refusal, bytes: &[u8]) {
    assert!(!refusal.why.is_empty() && !refusal.code.cure().is_empty(), "{refusal:?}");
    assert!(!refusal.why.chars().any(char::is_control), "{refusal:?}");
    let lines = bytes.iter().filter(|&&byte| byte == b'\n' || byte == b'\r').count() as u64 + 1;
    assert!(refusal.line.is_none_or(|line| (1..=lines).contains(&line)), "{refusal:?} of {lines} lines");
    assert!(refusal.column.is_none_or(|column| column >= 1), "{refusal:?}");
}
