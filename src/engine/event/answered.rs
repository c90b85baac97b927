//! An answer's body is beside it, last in the event, where every body is.

use super::{Answer, Body};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
struct Beside<A> {
    #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
    answer: Option<A>,
    #[serde(flatten)]
    body: Option<Body>,
}

pub(super) fn serialize<S: Serializer>(answer: &Option<Box<Answer>>, to: S) -> Result<S::Ok, S::Error> {
    let answer = answer.as_deref();
    Beside { answer, body: answer.map(|answer| answer.body.clone()) }.serialize(to)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Box<Answer>>, D::Error> {
    let Beside { answer, body } = Beside::<Box<Answer>>::deserialize(from)?;
    let Some(mut answer) = answer else { return Ok(None) };
    answer.body = body.ok_or_else(|| D::Error::missing_field("content"))?;
    Ok(Some(answer))
}
