//! The forms in which a request comes: by itself; under a key `request`, also as the text of a file; and beside it under `options` what
//! takes the place of its keys, as the command line has it.

use super::cure::cure;
use super::options::as_option;
use crate::engine::message::refusal::{Code, Refusal};
use crate::wire::message::fields::{Fields, wrong_type};
use crate::wire::session::plan::{PlanRefusal, Wrong, root_of};
use crate::wire::yaml::place::Place;
use crate::wire::yaml::tree::{Entry, Node, Value};
use serde_json::{Value as Json, json};

/// Keys of a body that has a request within it.
const REQUEST: &str = "request";
const OPTIONS: &str = "options";
/// The files that every role is shown, which only options can say for all of them.
const CONTEXT: &str = "initial_context";

/// A request as far as its keys are known.
pub(super) struct Opened<'t> {
    pub(super) fields: Fields<'t>,
    /// What every role is shown, whatever the request says.
    pub(super) context: &'t [Entry<'t>],
}

/// A body with the text of a request, if there is one, and with options that take the place of its keys.
#[must_use]
pub fn with_options(text: Option<&str>, options: &Json) -> String {
    match text {
        Some(text) => json!({REQUEST: text, OPTIONS: options}).to_string(),
        None => json!({OPTIONS: options}).to_string(),
    }
}

/// Opens a request, and reads something in it.
pub(super) fn opened<T>(
    bytes: &[u8],
    read: impl FnOnce(&Opened<'_>) -> Result<T, Wrong>,
) -> Result<T, PlanRefusal> {
    let refused = |wrong: Wrong, source: &[u8]| PlanRefusal::cured(wrong.moved(as_option), source, cure);
    let parted = root_of(bytes).and_then(parted).map_err(|refusal| refused(refusal.into(), bytes))?;
    let (request, options) = parted;
    let text = match &request {
        Some(Node { value: Value::Scalar { text, plain: false }, .. }) => Some(text.to_string()),
        _ => None,
    };
    let source = text.as_ref().map_or(bytes, String::as_bytes);
    let request = match &text {
        Some(text) => root_of(text.as_bytes()).map(|root| Some(unwrapped(root))),
        None => Ok(request),
    };
    let request = request.map_err(|refusal| refused(refusal.into(), source))?;
    let place = request.as_ref().map_or(Place::default(), |node| node.place);
    let mut entries = match request {
        None => Vec::new(),
        Some(Node { value: Value::Map(entries), .. }) => entries,
        Some(node) => {
            let why = format!("the request is {}, not a map", node.what());
            return Err(refused(place.refuse(Code::NotAMap, why).into(), source));
        }
    };
    let mut context = Vec::new();
    for option in options {
        if option.key == CONTEXT { context.push(option) } else { replace(&mut entries, option) }
    }
    let opened = Opened { fields: Fields { root: place, entries: &entries }, context: &context };
    read(&opened).map_err(|wrong| refused(wrong, source))
}

/// Whether these are the keys of a body that has a request within it.
pub(super) fn is_around(entries: &[Entry<'_>]) -> bool {
    !entries.is_empty() && entries.iter().all(|entry| [REQUEST, OPTIONS].contains(&entry.key.as_ref()))
}

/// The request of a body, and the options beside it.
fn parted(root: Node<'_>) -> Result<(Option<Node<'_>>, Vec<Entry<'_>>), Refusal> {
    let (mut request, mut options) = (None, Vec::new());
    match root.value {
        Value::Map(entries) if is_around(&entries) => {
            for Entry { key, node, .. } in entries {
                match node.value {
                    _ if key == REQUEST => request = Some(node),
                    Value::Map(entries) => options = entries,
                    _ => return Err(wrong_type(&node, OPTIONS, "a map of keys of a request")),
                }
            }
        }
        value => request = Some(Node { value, ..root }),
    }
    // Nobody has seen the text in which options came, so they have no lines.
    options.iter_mut().for_each(|option| {
        option.place = Place::default();
        without_place(&mut option.node);
    });
    Ok((request, options))
}

fn without_place(node: &mut Node<'_>) {
    node.place = Place::default();
    match &mut node.value {
        Value::Scalar { .. } => {}
        Value::List(nodes) => nodes.iter_mut().for_each(without_place),
        Value::Map(entries) => entries.iter_mut().for_each(|entry| {
            entry.place = Place::default();
            without_place(&mut entry.node);
        }),
    }
}

/// The request within a file that has it under a key.
fn unwrapped(root: Node<'_>) -> Node<'_> {
    let Node { place, value, comment } = root;
    match value {
        Value::Map(mut entries) if entries.len() == 1 && entries.iter().all(|entry| entry.key == REQUEST) => {
            entries.pop().map_or(Node { place, value: Value::Map(Vec::new()), comment }, |entry| entry.node)
        }
        value => Node { place, value, comment },
    }
}

/// Puts an option in the place of what the request says.
fn replace<'t>(entries: &mut Vec<Entry<'t>>, option: Entry<'t>) {
    let other = match option.key.as_ref() {
        "provider" => Some("providers"),
        "providers" => Some("provider"),
        _ => None,
    };
    entries.retain(|entry| Some(entry.key.as_ref()) != other);
    let Some(entry) = entries.iter_mut().find(|entry| entry.key == option.key) else {
        entries.push(option);
        return;
    };
    match (&mut entry.node.value, option.node.value) {
        // Each part of a budget is an option by itself.
        (Value::Map(parts), Value::Map(others)) => others.into_iter().for_each(|part| replace(parts, part)),
        (_, value) => *entry = Entry { node: Node { value, ..option.node }, ..option },
    }
}
