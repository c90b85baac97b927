//! Mistakes that are not seen in the request itself, but by whoever looks at folders, files and profiles: told with those of the request,
//! all at once, each with its line.

use super::opened::Opened;
use crate::engine::message::refusal::Refusal;
use crate::wire::message::fields::Fields;
use crate::wire::session::plan::Mistakes;
use crate::wire::yaml::place::Place;
use crate::wire::yaml::tree::{Node, Value};
use std::collections::BTreeSet;

/// Where in a request a value stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spot {
    /// Place in the list of roles; none for what the request says of all.
    pub role: Option<usize>,
    pub key: &'static str,
    /// Place in the list that the value is; 0 where it is none.
    pub item: usize,
}

impl Spot {
    /// What the request says under a key of its own.
    #[must_use]
    pub fn of(key: &'static str) -> Self {
        Self { role: None, key, item: 0 }
    }

    /// What one of its roles says.
    #[must_use]
    pub fn of_role(role: usize, key: &'static str) -> Self {
        Self { role: Some(role), key, item: 0 }
    }
}

/// Adds the mistakes that somebody has found, each at its place.
pub(super) fn add(asked: &Opened<'_>, found: Vec<(Spot, Refusal)>, wrong: &mut Mistakes) {
    let mut seen = BTreeSet::new();
    for (spot, refusal) in found {
        let place = place(asked, spot).unwrap_or(asked.fields.root);
        let mut placed = place.refuse(refusal.code, refusal.why).at(spot.key);
        placed.document = refusal.document;
        // What is said for all roles is wrong once.
        if seen.insert((placed.line, placed.column, placed.why.clone())) {
            wrong.add([placed]);
        }
    }
}

fn place(asked: &Opened<'_>, spot: Spot) -> Option<Place> {
    let Some(role) = spot.role else { return within(&asked.fields, spot) };
    // What every role is shown takes the place of what each says.
    if let Some(option) = asked.context.iter().find(|option| option.key == spot.key) {
        return Some(option.place);
    }
    let roles = asked.fields.node("roles")?;
    let Value::List(items) = &roles.value else { return Some(roles.place) };
    let item = items.get(role)?;
    let Value::Map(entries) = &item.value else { return Some(item.place) };
    within(&Fields { root: item.place, entries }, spot).or(Some(item.place))
}

fn within(fields: &Fields<'_>, spot: Spot) -> Option<Place> {
    match fields.node(spot.key)? {
        Node { value: Value::List(items), place, .. } => {
            Some(items.get(spot.item).map_or(*place, |item| item.place))
        }
        node => Some(node.place),
    }
}
