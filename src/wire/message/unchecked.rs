//! What reads as `expect` and is none. Whoever writes it believes that the work is checked, and nobody would see that it is not.

use super::expect::KEYS;
use super::fields::Fields;
use crate::engine::message::keys::{folded, meant, reads_as_expect};
use crate::engine::message::refusal::{Code, Refusal};
use crate::wire::yaml::place::shown;
use crate::wire::yaml::tree::{Entry, Node, Value};

const EXPECT: &str = "expect";
/// Under these a map can only be of checks.
const CHECKS: [&str; 6] = ["verify", "verification", "check", "checks", "acceptance", "acceptance_criteria"];
/// Under these anything may be kept, so that one of the keys of `expect` has to be in it.
const LIKE_CHECKS: [&str; 10] =
    ["verifies", "evidence", "gate", "gates", "require", "requires", "ensure", "prove", "proof", "assert"];

/// The keys of `of` without a meaning that are taken for `expect`, where nothing is expected: each as it is refused.
pub(in crate::wire) fn all(fields: &Fields<'_>, of: &str, is_known: impl Fn(&str) -> bool) -> Vec<Refusal> {
    let expect = fields.entries.iter().find(|entry| entry.key == EXPECT);
    let is_blank =
        |node: &Node<'_>| node.is_null() || matches!(&node.value, Value::Map(entries) if entries.is_empty());
    if expect.is_some_and(|expect| !is_blank(&expect.node)) {
        return Vec::new();
    }
    let unknown = fields.entries.iter().filter(|entry| !is_known(&entry.key));
    let refusal = |Entry { key, place, node, .. }: &Entry<'_>| {
        let why = if expect.is_some() && is_of_expect(key) {
            format!("`{EXPECT}` is empty, and {} stands beside it: indent that below `{EXPECT}`", shown(key))
        } else if is_taken_for_it(key, node) {
            format!("{} is no key of {of}; did you mean `{EXPECT}`?", shown(key))
        } else {
            return None;
        };
        let end = if why.ends_with('?') { "" } else { "." };
        let why = format!("{why}{end} Without it, nothing is checked before the task is done");
        Some(place.refuse(Code::UnknownWord, why).at(EXPECT))
    };
    unknown.filter_map(refusal).collect()
}

fn is_taken_for_it(key: &str, node: &Node<'_>) -> bool {
    let name = folded(key);
    let is_map = matches!(node.value, Value::Map(_));
    reads_as_expect(key)
        || (CHECKS.contains(&name.as_str()) && (is_map || holds_it(node)))
        || ((meant(key) == Some(EXPECT) || LIKE_CHECKS.contains(&name.as_str())) && holds_it(node))
}

/// Whether it has one of the keys of `expect`, also as one of several.
fn holds_it(node: &Node<'_>) -> bool {
    match &node.value {
        Value::Map(entries) => entries.iter().any(|entry| is_of_expect(&entry.key)),
        Value::List(items) => items.iter().any(|item| matches!(item.value, Value::Map(_)) && holds_it(item)),
        Value::Scalar { .. } => false,
    }
}

fn is_of_expect(key: &str) -> bool {
    KEYS.contains(&folded(key).as_str())
}
