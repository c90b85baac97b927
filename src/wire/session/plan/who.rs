//! Who does a task: `to:` names a member of the team or a pool, `hire:` an agent that is to be made.

use super::fields::{one_line, unknown_keys};
use crate::engine::flow::plan::{Assignee, HireFrom, HireWish};
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::words::AgentName;
use crate::wire::message::fields::{Fields, Text, wrong_type};
use crate::wire::yaml::tree::Value;

const KEYS: [&str; 3] = ["provider", "like", "model"];
const SHAPE: &str =
    "the name of a profile, or a map such as `{like: NAME}` or `{provider: PROFILE, model: NAME}`";

/// Reads `to` and `hire`, of which at most one may be there.
pub(super) fn read(fields: &Fields<'_>) -> Result<Option<Assignee>, Refusal> {
    let member = fields.name("to")?;
    let Some(node) = fields.node("hire") else { return Ok(member.map(Assignee::Member)) };
    if member.is_some() {
        let why = "there are both `to` and `hire`, and a task is done by one of them";
        return Err(node.place.refuse(Code::NotYours, why).at("hire"));
    }
    let wish = match &node.value {
        Value::Scalar { text, .. } => {
            let text = Text { field: "hire", text, place: node.place };
            HireWish { from: HireFrom::Provider(profile(&text)?), model: None }
        }
        Value::Map(entries) => {
            let fields = Fields { root: node.place, entries };
            unknown_keys(&fields, &KEYS, "`hire`").next().map_or(Ok(()), Err)?;
            wish(&fields)?
        }
        Value::List(_) => return Err(wrong_type(node, "hire", SHAPE)),
    };
    Ok(Some(Assignee::Hired(wish)))
}

fn wish(fields: &Fields<'_>) -> Result<HireWish, Refusal> {
    let from = match (fields.text("provider")?, fields.name("like")?) {
        (Some(provider), None) => HireFrom::Provider(profile(&provider)?),
        (None, Some(like)) => HireFrom::Like(like),
        (Some(_), Some(_)) => {
            let why = "`hire` has both `provider` and `like`, and an agent is made after one of them";
            return Err(fields.root.refuse(Code::NotYours, why).at("hire"));
        }
        (None, None) => {
            let why = format!("`hire` has neither `provider` nor `like`: it must be {SHAPE}");
            return Err(fields.root.refuse(Code::WrongType, why).at("hire"));
        }
    };
    Ok(HireWish { from, model: fields.text("model")?.map(|text| model(&text)).transpose()? })
}

/// A profile is called as an agent may be.
fn profile(text: &Text<'_>) -> Result<String, Refusal> {
    match AgentName::new(text.text) {
        Ok(name) => Ok(name.as_str().to_owned()),
        Err(bad) => Err(text.refuse(Code::BadName, bad)),
    }
}

/// A model's name becomes a word of a command, where a dash would begin an option.
fn model(text: &Text<'_>) -> Result<String, Refusal> {
    let model = one_line(text)?;
    match model.starts_with('-') {
        true => Err(text.refuse(Code::BadName, "begins with a dash")),
        false => Ok(model),
    }
}
