//! One address of the socket: who answers there, what it takes and gives, and what it is for.

use super::gate::Gate;
use super::given::Question;
use crate::read::Answers;
use crate::read::story::Scans;
use axum::Json;
use axum::extract::State;
use axum::handler::Handler;
use axum::routing::{self, MethodRouter};
use schemars::{JsonSchema, schema_for};
use serde_json::Value;
use std::borrow::Cow;

/// An address.
#[derive(Debug)]
pub struct Address {
    /// GET or POST.
    pub method: &'static str,
    /// With `{id}`, `{token}` or `{name}` in it.
    pub path: &'static str,
    /// Its body or query.
    pub(super) takes: Part,
    /// Its answer.
    pub(super) gives: Part,
    pub(super) what: &'static str,
    pub(super) handler: MethodRouter<Gate>,
}

/// The body or query of a request, or an answer.
#[derive(Debug)]
pub(super) enum Part {
    /// There is none.
    Nothing,
    /// In words, where no type says it.
    Words(&'static str),
    Type(Cow<'static, str>, fn() -> Value),
}

impl Part {
    fn of<T: JsonSchema>() -> Self {
        if T::schema_name() == <()>::schema_name() {
            return Self::Nothing;
        }
        Self::Type(T::schema_name(), || schema_for!(T).to_value())
    }

    /// What the page calls it.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Nothing => "",
            Self::Words(words) => words,
            Self::Type(name, _) => name,
        }
    }
}

impl Address {
    /// The type of its body or query, or words for it.
    #[must_use]
    pub fn takes(&self) -> &str {
        self.takes.name()
    }

    /// The same, which takes what no type says.
    pub(super) fn taking(self, words: &'static str) -> Self {
        Self { takes: Part::Words(words), ..self }
    }
}

/// An address that is looked at.
pub(super) fn get<Takes: JsonSchema, Gives: JsonSchema, H: Handler<A, Gate>, A: 'static>(
    path: &'static str,
    handler: H,
    what: &'static str,
) -> Address {
    let (takes, gives) = (Part::of::<Takes>(), Part::of::<Gives>());
    Address { method: "GET", path, takes, gives, what, handler: routing::get(handler) }
}

/// An address at which a question is answered.
pub(super) fn read<Q: Answers>() -> Address {
    let handler = |State(gate): State<Gate>, Question(question): Question<Q>| async move {
        gate.read(question).await.map(Json)
    };
    let (takes, gives) = (Part::of::<Q>(), Part::of::<Q::Answer>());
    Address { method: "GET", path: Q::PATH, takes, gives, what: Q::WHAT, handler: routing::get(handler) }
}

/// An address at which a question is answered for which the whole journal is read.
pub(super) fn scan<Q: Scans>() -> Address {
    let handler = |State(gate): State<Gate>, Question(question): Question<Q>| async move {
        gate.scan(question).await.map(Json)
    };
    Address { handler: routing::get(handler), ..read::<Q>() }
}

/// An address that is asked to do something.
pub(super) fn post<Takes: JsonSchema, Gives: JsonSchema, H: Handler<A, Gate>, A: 'static>(
    path: &'static str,
    handler: H,
    what: &'static str,
) -> Address {
    let (takes, gives) = (Part::of::<Takes>(), Part::of::<Gives>());
    Address { method: "POST", path, takes, gives, what, handler: routing::post(handler) }
}
