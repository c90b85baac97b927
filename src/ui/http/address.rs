//! One address of the socket: who answers there, what it takes and gives, and what it is for.

use super::gate::Gate;
use super::given::Question;
use super::pieces;
use super::refused::Refused;
use crate::read::message_history::Scans;
use crate::read::{Answers, InPieces};
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
    /// Types that its events may have besides.
    pub(super) also: Vec<Part>,
    pub(super) answers: Form,
    /// Its status where it is done.
    pub(super) status: &'static str,
    pub(super) what: &'static str,
    pub(super) handler: MethodRouter<Gate>,
}

/// In which form an address answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Json,
    /// Server-sent events, each with JSON.
    Events,
    /// One or the other, as is asked.
    Either,
    /// Numbers for Prometheus.
    OpenMetrics,
}

impl Form {
    pub(super) fn as_json(self) -> bool {
        matches!(self, Self::Json | Self::Either)
    }

    pub(super) fn as_events(self) -> bool {
        matches!(self, Self::Events | Self::Either)
    }
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

    fn new(
        (method, path): (&'static str, &'static str),
        (takes, gives): (Part, Part),
        what: &'static str,
        handler: MethodRouter<Gate>,
    ) -> Self {
        let (also, answers, status) = (Vec::new(), Form::Json, "200");
        Self { method, path, takes, gives, also, answers, status, what, handler }
    }

    /// All types that it names.
    pub(super) fn parts(&self) -> impl Iterator<Item = &Part> {
        [&self.takes, &self.gives].into_iter().chain(&self.also)
    }

    /// The same, which takes what no type says.
    pub(super) fn taking(self, words: &'static str) -> Self {
        Self { takes: Part::Words(words), ..self }
    }

    /// The same, which gives what no type says.
    pub(super) fn giving(self, words: &'static str) -> Self {
        Self { gives: Part::Words(words), ..self }
    }

    /// The same, whose status is this one where it is done.
    pub(super) fn status(self, status: &'static str) -> Self {
        Self { status, ..self }
    }

    /// The same, which answers in this form.
    pub(super) fn answers(self, answers: Form) -> Self {
        Self { answers, ..self }
    }

    /// The same, whose events may have this type as well.
    pub(super) fn also<T: JsonSchema>(mut self) -> Self {
        self.also.push(Part::of::<T>());
        self
    }
}

/// An address that is looked at.
pub(super) fn get<Takes: JsonSchema, Gives: JsonSchema, H: Handler<A, Gate>, A: 'static>(
    path: &'static str,
    handler: H,
    what: &'static str,
) -> Address {
    let (takes, gives) = (Part::of::<Takes>(), Part::of::<Gives>());
    Address::new(("GET", path), (takes, gives), what, routing::get(handler))
}

/// An address at which a question is answered.
pub(super) fn read<Q: Answers>() -> Address {
    let handler = |State(gate): State<Gate>, Question(question): Question<Q>| async move {
        gate.read(question).await.map(Json)
    };
    let (takes, gives) = (Part::of::<Q>(), Part::of::<Q::Answer>());
    Address::new(("GET", Q::PATH), (takes, gives), Q::WHAT, routing::get(handler))
}

/// An address at which a question is answered in pieces.
pub(super) fn long<Q: InPieces>() -> Address {
    let handler = |State(gate): State<Gate>, Question(question): Question<Q>| async move {
        let begun = gate.reads.ask(move |model| question.begin(model)).await;
        let rest = begun.ok_or_else(Refused::ending)?.map_err(Refused::of_problem)?;
        pieces::answer(rest, &gate).await
    };
    Address { handler: routing::get(handler), ..read::<Q>() }
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
    Address::new(("POST", path), (takes, gives), what, routing::post(handler))
}
