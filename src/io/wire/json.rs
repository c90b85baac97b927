//! The same message as JSON, from the socket: the same fields and checks as in a file.

use super::draft::draft;
use super::place::Place;
use super::tree::{DEPTH_MAX, Entry, NODES_MAX, Node, Value};
use crate::engine::message::Draft;
use crate::engine::refusal::{Code, Refusal};
use crate::engine::words::{MessageId, Millis};
use serde_json::Value as Json;

/// Reads one message. `mint` makes its id if it has none; `now` is the wall clock, for deadlines.
///
/// # Errors
/// The first refusal, with its field but without a line.
pub fn read(value: &Json, mint: &mut dyn FnMut() -> MessageId, now: Millis) -> Result<Draft, Refusal> {
    let mut nodes = 0;
    draft(&node(value, 0, &mut nodes)?, None, mint, now)
}

fn node<'a>(value: &'a Json, depth: usize, nodes: &mut usize) -> Result<Node<'a>, Refusal> {
    *nodes += 1;
    if *nodes > NODES_MAX {
        return Err(Refusal::new(Code::TooManyNodes, format!("there are more than {NODES_MAX} values")));
    }
    if depth >= DEPTH_MAX && (value.is_array() || value.is_object()) {
        return Err(Refusal::new(Code::TooDeep, format!("values are nested more than {DEPTH_MAX} deep")));
    }
    let value = match value {
        Json::Null => Value::Scalar { text: "null".into(), plain: true },
        Json::Bool(truth) => {
            Value::Scalar { text: if *truth { "true" } else { "false" }.into(), plain: true }
        }
        Json::Number(number) => Value::Scalar { text: number.to_string().into(), plain: true },
        Json::String(text) => Value::Scalar { text: text.into(), plain: false },
        Json::Array(items) => {
            Value::List(items.iter().map(|item| node(item, depth + 1, nodes)).collect::<Result<_, _>>()?)
        }
        Json::Object(map) => {
            let entry = |(key, value): (&'a String, &'a Json)| {
                Ok(Entry { key: key.into(), place: Place::default(), node: node(value, depth + 1, nodes)? })
            };
            Value::Map(map.iter().map(entry).collect::<Result<_, Refusal>>()?)
        }
    };
    Ok(Node { place: Place::default(), value })
}
