//! A dropped file → [`Draft`]s, all of its documents or none. Every field is checked by itself here; whether the message
//! makes sense (who may task whom, whether the task is known) is the engine's to say.

use super::fields::{Fields, Text, wrong_type};
use super::{digest, expect, secret, unchecked};
pub use crate::engine::message::keys::KEYS;
use crate::engine::message::keys::meant;
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::message::{Besides, Body, Draft, Kind, OnDoubt, Priority, Status};
use crate::engine::words::{AgentName, Digest, MessageId, Millis, Token, USER};
use crate::wire::time;
use crate::wire::yaml::place::{Place, shown};
use crate::wire::yaml::text;
use crate::wire::yaml::tree::{Documents, Node, Value};
use chrono::TimeZone;
use serde_json::{Map, Value as Json};

/// Keys that only tasuki writes. In a drop they are left out and its sender is told: a task that is copied out of a view,
/// changed and dropped again works, and nobody can claim to be verified.
pub const OWN_KEYS: [&str; 18] = [
    "stage",
    "phrase",
    "phrase_letters",
    "attempt",
    "redelivered",
    "truncated",
    "hops",
    "verified",
    "inferred",
    "via",
    "completion_source",
    "proof",
    "evidence",
    "answers",
    "feedback",
    "accepted_at",
    "finished_at",
    "reason",
];
/// Most documents in one file (durability, limits). Empty ones, as a `---` at the end makes one, are none.
pub const DOCUMENTS_MAX: usize = 100;
/// Largest content in bytes (protocol, a message).
pub const CONTENT_BYTES_MAX: usize = 1 << 20;
/// Most messages that one may depend on: as many as a task may have parts (durability, limits).
pub const DEPENDENCIES_MAX: usize = 64;
/// Longest top-level key in bytes (durability, class 20).
pub const KEY_BYTES_MAX: usize = 64;
/// Largest `metadata`, and all that is kept besides the known fields, in bytes of JSON (durability, limits).
pub const METADATA_BYTES_MAX: usize = 64 << 10;

/// Reads the documents of a file. `file_name` may fill a missing `from` and `to` (`{from}_to_{to}.yaml`, both `names`);
/// `mint` makes an id for each document without one; `now` is the wall clock, for deadlines, and `here` the zone of times that
/// name none.
///
/// # Errors
/// The first refusal, with its document, line and column.
pub fn read<Z: TimeZone>(
    bytes: &[u8],
    file_name: Option<&str>,
    names: &dyn Fn(&str) -> bool,
    mint: &mut dyn FnMut() -> MessageId,
    now: Millis,
    here: &Z,
) -> Result<Vec<Draft>, Refusal> {
    let text = text::read(bytes)?;
    let envelope = file_name.and_then(|name| envelope(name, names));
    let nobody = file_name.filter(|_| envelope.is_none()).and_then(|name| called_by_nobody(name, names));
    let mut drafts = Vec::new();
    for (document, node) in Documents::of(text).enumerate() {
        let at = |mut refusal: Refusal| {
            refusal.document = document;
            refusal
        };
        let node = node.map_err(at)?;
        if document > DOCUMENTS_MAX || (drafts.len() == DOCUMENTS_MAX && !node.is_null()) {
            let why = format!("there are more than {DOCUMENTS_MAX} documents");
            return Err(at(node.place.refuse(Code::TooManyDocuments, why)));
        }
        if !node.is_null() {
            let told = |refusal: Refusal| match &nobody {
                Some(nobody) if refusal.code == Code::ToMissing => {
                    Refusal { why: format!("{}; {nobody}", refusal.why), ..refusal }
                }
                _ => refusal,
            };
            let mut draft = draft(&node, envelope.as_ref(), mint, now, here).map_err(told).map_err(at)?;
            draft.notes.extend(nobody.clone());
            drafts.push(draft);
        }
    }
    if drafts.is_empty() {
        return Err(Place::of(bytes, 0).refuse(Code::Blank, "there is nothing but white space and comments"));
    }
    Ok(drafts)
}

/// Sender and receiver from `{from}_to_{to}.yaml`, if exactly one way to split it gives two known names.
pub fn envelope(file_name: &str, names: &dyn Fn(&str) -> bool) -> Option<(AgentName, AgentName)> {
    let stem = file_name.strip_suffix(".yaml")?;
    let known = |name: &str| AgentName::new(name).ok().filter(|_| name == USER || names(name));
    let mut ways = stem.match_indices("_to").filter_map(|(at, sep)| {
        let to = stem.get(at + sep.len()..)?.strip_prefix('_')?;
        Some((known(stem.get(..at)?)?, known(to)?))
    });
    let first = ways.next();
    if ways.next().is_some() { None } else { first }
}

/// That a file is called as if it went from somebody to somebody, and nobody has such a name.
fn called_by_nobody(file_name: &str, names: &dyn Fn(&str) -> bool) -> Option<String> {
    let stem = file_name.strip_suffix(".yaml").filter(|stem| stem.matches("_to_").count() == 1)?;
    let (from, to) = stem.split_once("_to_")?;
    let known = |name: &str| AgentName::new(name).is_ok() && (name == USER || names(name));
    let shown = |name: &str| name.escape_debug().to_string();
    let unknown = [from, to].into_iter().filter(|name| !known(name)).map(|name| {
        let small = name.to_lowercase();
        let alike = known(&small).then(|| format!(" (there is one called {small})"));
        shown(name) + &alike.unwrap_or_default()
    });
    let unknown: Vec<String> = unknown.collect();
    let is_word = |name: &str| !name.is_empty() && !name.contains(char::is_whitespace);
    let is_slot = is_word(from) && is_word(to) && !unknown.is_empty();
    is_slot.then(|| {
        format!(
            "the file's name says from {} to {}, but there is no agent called {}: the name is ignored",
            shown(from),
            shown(to),
            unknown.join(" or ")
        )
    })
}

/// One document.
pub(in crate::wire) fn draft<Z: TimeZone>(
    root: &Node<'_>,
    envelope: Option<&(AgentName, AgentName)>,
    mint: &mut dyn FnMut() -> MessageId,
    now: Millis,
    here: &Z,
) -> Result<Draft, Refusal> {
    let fields = Fields::of(root)?;
    check_keys(&fields)?;
    let id = fields.id("id")?;
    let from = fields.name("from")?.or_else(|| envelope.map(|(from, _)| from.clone()));
    let to = fields.name("to")?.or_else(|| envelope.map(|(_, to)| to.clone()));
    let to = to.ok_or_else(|| missing(&fields, "to", Code::ToMissing, "no recipient is named"))?;
    let kind = fields.word("type", &Kind::ALL, Kind::word)?.map_or(Kind::Task, |(kind, _)| kind);
    if kind == Kind::Task {
        let unchecked = unchecked::all(&fields, "a message", |key| !is_unknown(key));
        unchecked.into_iter().next().map_or(Ok(()), Err)?;
    }
    let status = status(&fields, kind)?;
    let content = content(&fields)?;
    let (extra, unknown_keys) = extra(&fields)?;
    let (deadline, late) = deadline(&fields, now, here)?;
    let mut draft = Draft {
        id_given: id.is_some(),
        id: id.unwrap_or_else(mint),
        from,
        to,
        kind,
        status,
        sent_at: moment(&fields, "timestamp", here)?.map(|(at, _)| at),
        besides: Besides {
            in_reply_to: fields.id("in_reply_to")?,
            parent: fields.id("parent")?,
            retry_of: fields.id("retry_of")?,
            step: None,
            folder: None,
            depends_on: dependencies(&fields)?,
            timeout_ms: timeout(&fields)?,
            deadline,
            expect: fields.node("expect").map(expect::read).transpose()?.flatten().map(Box::new),
        },
        token: token(&fields)?,
        priority: priority(&fields)?,
        late,
        on_doubt: fields
            .word("on_doubt", &OnDoubt::ALL, OnDoubt::word)?
            .map_or_else(OnDoubt::default, |(d, _)| d),
        digest: Digest(0),
        body: Body { content: content.into(), extra: write_extra(&extra).into() },
        unknown_keys,
        notes: notes(&fields, kind, content),
        known: None,
        known_refs: Vec::new(),
    };
    draft.digest = digest::of(&draft, &extra);
    Ok(draft)
}

fn check_keys(fields: &Fields<'_>) -> Result<(), Refusal> {
    match fields.entries.iter().find(|entry| entry.key.len() > KEY_BYTES_MAX) {
        Some(entry) => {
            let why = format!("the key {} has {} bytes", shown(&entry.key), entry.key.len());
            Err(entry.place.refuse(Code::KeyTooLong, why))
        }
        None => Ok(()),
    }
}

/// Whether a key has no meaning, and is kept.
fn is_unknown(key: &str) -> bool {
    !KEYS.contains(&key) && !OWN_KEYS.contains(&key)
}

fn missing(fields: &Fields<'_>, field: &'static str, code: Code, why: &str) -> Refusal {
    let alike = fields.entries.iter().find(|entry| entry.key.eq_ignore_ascii_case(field));
    let why = match alike {
        Some(entry) if entry.key == field => match entry.node.comment {
            Some(comment) => {
                format!("`{field}` is empty, since {} is a comment in YAML: {why}", shown(comment))
            }
            None => format!("`{field}` is empty: {why}"),
        },
        Some(entry) => {
            format!("`{field}` is missing ({} is another key: keys are lower case): {why}", shown(&entry.key))
        }
        None => format!("`{field}` is missing: {why}"),
    };
    alike.map_or(fields.root, |entry| entry.place).refuse(code, why).at(field)
}

fn status(fields: &Fields<'_>, kind: Kind) -> Result<Status, Refusal> {
    let Some((status, place)) = fields.word("status", &Status::ALL, Status::word)? else {
        return Ok(Status::Pending);
    };
    let fits = match kind {
        Kind::Task | Kind::Info => status == Status::Pending,
        Kind::Result | Kind::Error => matches!(status, Status::Pending | Status::Completed | Status::Failed),
    };
    if fits {
        return Ok(status);
    }
    // `queue/active/ID.yaml` copied into `queue/`: what is wanted is not to be guessed.
    let view = if fields.node("stage").is_some() {
        "; this is a view, `tasuki retry` sends its task again"
    } else {
        ""
    };
    let why = format!("`status`: a dropped {} cannot be `{}`{view}", kind.word(), status.word());
    Err(place.refuse(Code::BadStatus, why).at("status"))
}

fn content<'t>(fields: &Fields<'t>) -> Result<&'t str, Refusal> {
    let Some(content) = fields.text("content")? else {
        return Err(missing(fields, "content", Code::ContentEmpty, "there is nothing to say"));
    };
    let refuse = |code, why: String| Err(content.place.refuse(code, why).at("content"));
    match content.text.len() {
        0 => refuse(Code::ContentEmpty, "`content` is empty".to_owned()),
        1..=CONTENT_BYTES_MAX if content.text.trim().is_empty() => {
            refuse(Code::ContentEmpty, "`content` is blank".to_owned())
        }
        1..=CONTENT_BYTES_MAX => Ok(content.text),
        len => refuse(
            Code::ContentTooLarge,
            format!("`content` has {len} bytes; at most {CONTENT_BYTES_MAX} are taken"),
        ),
    }
}

fn dependencies(fields: &Fields<'_>) -> Result<Vec<MessageId>, Refusal> {
    let named = fields.texts("depends_on")?;
    if let Some(first) = named.get(DEPENDENCIES_MAX) {
        let why =
            format!("is one too many: a message may depend on {DEPENDENCIES_MAX}, here are {}", named.len());
        return Err(first.refuse(Code::GraphTooLarge, why));
    }
    fields.ids("depends_on")
}

fn token(fields: &Fields<'_>) -> Result<Option<Token>, Refusal> {
    let read = |text: Text<'_>| {
        Token::new(text.text).map_err(|_| text.refuse(Code::BadProof, "is not a turn's token"))
    };
    fields.text("token")?.map(read).transpose()
}

fn moment<Z: TimeZone>(
    fields: &Fields<'_>,
    field: &'static str,
    here: &Z,
) -> Result<Option<(Millis, Place)>, Refusal> {
    let Some(text) = fields.text(field)? else { return Ok(None) };
    let at = text.read(|text| time::read_moment(text, here), Code::BadTimestamp, "is not a point in time")?;
    Ok(Some((at, text.place)))
}

/// And why it is too late, if it is: who sends a message again is to hear what became of it, and not that it is too late now.
fn deadline<Z: TimeZone>(
    fields: &Fields<'_>,
    now: Millis,
    here: &Z,
) -> Result<(Option<Millis>, Option<Box<Refusal>>), Refusal> {
    let Some((at, place)) = moment(fields, "deadline", here)? else { return Ok((None, None)) };
    let late = || {
        let why = format!("`deadline`: {} is in the past", time::rfc3339(at));
        Box::new(place.refuse(Code::DeadlinePast, why).at("deadline"))
    };
    Ok((Some(at), (at <= now).then(late)))
}

/// `priority`, or where it is missing `metadata.priority`, in which anything may stand: what is no priority there says nothing.
fn priority(fields: &Fields<'_>) -> Result<Priority, Refusal> {
    let own = fields.word("priority", &Priority::ALL, Priority::word)?.map(|(priority, _)| priority);
    let noted = || {
        let word = noted_priority(fields)?;
        Priority::ALL.iter().copied().find(|priority| priority.word() == word)
    };
    Ok(own.or_else(noted).unwrap_or_default())
}

/// What `metadata.priority` says.
fn noted_priority<'t>(fields: &'t Fields<'_>) -> Option<&'t str> {
    let Value::Map(entries) = &fields.node("metadata")?.value else { return None };
    let entry = entries.iter().find(|entry| entry.key == "priority")?;
    match &entry.node.value {
        Value::Scalar { text, .. } if !entry.node.is_null() => Some(text),
        _ => None,
    }
}

/// A length of time from a millisecond to a year, in ms.
pub(in crate::wire) fn timeout(fields: &Fields<'_>) -> Result<Option<u64>, Refusal> {
    let Some(text) = fields.text("timeout")? else { return Ok(None) };
    if time::parse_duration(text.text) == Err(time::BadDuration::Calendar) {
        return Err(text.refuse(Code::BadDuration, time::BadDuration::Calendar));
    }
    match text.read(time::read_duration, Code::BadDuration, "is not a duration")? {
        ms @ 1..=time::DURATION_MS_MAX => Ok(Some(ms)),
        _ => Err(text.refuse(Code::OutOfRange, "is not between a millisecond and a year")),
    }
}

/// `metadata` and the unknown keys, in their order, and the names of the unknown ones.
fn extra(fields: &Fields<'_>) -> Result<(Json, Vec<String>), Refusal> {
    let mut extra = Map::new();
    let mut unknown = Vec::new();
    for entry in fields.entries {
        let key = entry.key.as_ref();
        if key == "metadata" {
            if !entry.node.is_null() {
                extra.insert(key.to_owned(), metadata(&entry.node)?);
            }
        } else if is_unknown(key) {
            extra.insert(key.to_owned(), entry.node.json());
            unknown.push(key.to_owned());
        }
    }
    let extra = Json::Object(extra);
    if !unknown.is_empty() {
        check_size(&extra, fields.root, "`metadata` and unknown keys together have")?;
    }
    Ok((extra, unknown))
}

fn metadata(node: &Node<'_>) -> Result<Json, Refusal> {
    if !matches!(node.value, Value::Map(_)) {
        return Err(wrong_type(node, "metadata", "a map"));
    }
    let metadata = node.json();
    check_size(&metadata, node.place, "`metadata` has")?;
    Ok(metadata)
}

fn check_size(value: &Json, place: Place, what: &str) -> Result<(), Refusal> {
    let bytes = value.to_string().len();
    if bytes <= METADATA_BYTES_MAX {
        return Ok(());
    }
    let why = format!("{what} {bytes} bytes as JSON; at most {METADATA_BYTES_MAX} are kept");
    Err(place.refuse(Code::MetadataTooLarge, why).at("metadata"))
}

fn write_extra(extra: &Json) -> String {
    match extra {
        Json::Object(map) if map.is_empty() => String::new(),
        other => other.to_string(),
    }
}

fn notes(fields: &Fields<'_>, kind: Kind, content: &str) -> Vec<String> {
    let own = fields.entries.iter().filter(|entry| OWN_KEYS.contains(&entry.key.as_ref()));
    let mut notes: Vec<String> =
        own.map(|entry| format!("`{}` is written only by tasuki and was left out", entry.key)).collect();
    if let Some(comment) = fields.node("content").and_then(|node| node.comment) {
        notes.push(format!(
            "`content` ends before {}, which YAML takes for a comment: put the content in quotes, or below `content: |`",
            shown(comment)
        ));
    }
    if kind == Kind::Task && fields.node("in_reply_to").is_some() {
        let note = "`in_reply_to` means nothing on a task: a part of a task names it with `parent`, an answer to one has `type: result`";
        notes.push(note.to_owned());
    }
    let is_none = |word: &&str| !Priority::ALL.iter().any(|priority| priority.word() == *word);
    if let Some(word) = noted_priority(fields).filter(is_none).filter(|_| fields.node("priority").is_none()) {
        notes.push(format!(
            "`metadata.priority` is {}, which is not a priority: it counts as normal",
            shown(word)
        ));
    }
    for entry in fields.entries.iter().filter(|entry| is_unknown(&entry.key)) {
        let near = meant(&entry.key).filter(|near| fields.node(near).is_none());
        notes.extend(near.map(|near| {
            format!("{} has no meaning and is kept as it is: did you mean `{near}`?", shown(&entry.key))
        }));
    }
    if let Some(kind) = secret::kind(content) {
        notes.push(format!("the content seems to hold {kind}; it stays in the queue as it is"));
    }
    notes
}
