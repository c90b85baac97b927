//! JSON in the form that the data model shows: two spaces a level, and a list of texts in one line.

use serde_json::Value as Json;
use std::fmt::Write as _;

/// Writes a value without an end of line behind it.
pub(super) fn pretty(value: &Json) -> String {
    let mut out = String::new();
    write(value, 0, &mut out);
    out
}

fn write(value: &Json, depth: usize, out: &mut String) {
    match value {
        Json::Array(items) if items.iter().all(Json::is_string) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                text(item.as_str().unwrap_or_default(), out);
            }
            out.push(']');
        }
        Json::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                line(at, depth + 1, out);
                write(item, depth + 1, out);
            }
            end(depth, ']', out);
        }
        Json::Object(map) if map.is_empty() => out.push_str("{}"),
        Json::Object(map) => {
            out.push('{');
            for (at, (key, item)) in map.iter().enumerate() {
                line(at, depth + 1, out);
                text(key, out);
                out.push_str(": ");
                write(item, depth + 1, out);
            }
            end(depth, '}', out);
        }
        Json::String(value) => text(value, out),
        // Writing to a string cannot fail.
        Json::Null | Json::Bool(_) | Json::Number(_) => drop(write!(out, "{value}")),
    }
}

fn text(text: &str, out: &mut String) {
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}

/// The beginning of an item's line.
fn line(at: usize, depth: usize, out: &mut String) {
    out.push_str(if at == 0 { "\n" } else { ",\n" });
    out.push_str(&"  ".repeat(depth));
}

fn end(depth: usize, sign: char, out: &mut String) {
    out.push('\n');
    out.push_str(&"  ".repeat(depth));
    out.push(sign);
}
