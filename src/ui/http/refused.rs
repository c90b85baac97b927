//! Everything that is not done, as a status and a [`Problem`]: no request gets an answer that is not JSON.

use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::words::AgentName;
use crate::wire::api::Problem;
use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

/// An answer that says no.
#[derive(Debug)]
pub(super) struct Refused {
    status: StatusCode,
    pub(super) problem: Problem,
}

impl Refused {
    pub(super) fn new(
        status: StatusCode,
        code: &str,
        why: impl Into<String>,
        cure: impl Into<String>,
    ) -> Self {
        let problem =
            Problem { code: code.to_owned(), why: why.into(), cure: cure.into(), ..Problem::default() };
        Self { status, problem }
    }

    /// The request itself is wrong.
    pub(super) fn bad_request(why: impl Into<String>) -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            "bad-request",
            why,
            "see protocol/API.md for what this address takes",
        )
    }

    /// The loop cannot do it now.
    pub(super) fn unavailable(why: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", why, "try again in a moment")
    }

    /// Nobody answers any more.
    pub(super) fn ending() -> Self {
        Self::unavailable("the daemon is ending or restarting")
    }

    /// The agent has no pane.
    pub(super) fn not_running(name: &AgentName) -> Self {
        let (why, cure) = (format!("{name} is not running"), format!("`tasuki agent start {name}`"));
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", why, cure)
    }

    /// A refusal of a body that is JSON: cures that speak of YAML would not help there.
    pub(super) fn of_json(refusal: Refusal) -> Self {
        let cure = match refusal.code {
            Code::Syntax => Some("send JSON as protocol/API.md shows it for this address"),
            Code::NotAMap => Some("send an object, or a list of objects"),
            Code::Blank => Some("send at least one message, with `to` and `content`"),
            _ => None,
        };
        let mut refused = Self::from(refusal);
        if let Some(cure) = cure {
            refused.problem.cure = cure.to_owned();
        }
        refused
    }

    /// A refusal of what was wanted of a session: how that stands is told by another verb than how a message does.
    pub(super) fn of_session(mut self, id: &str) -> Self {
        let problem = &mut self.problem;
        if problem.code == Code::UnknownDependency.word() && problem.field.as_deref() == Some("task") {
            (self.status, problem.code) = (StatusCode::NOT_FOUND, "no-task".to_owned());
            problem.cure = format!("`tasuki session show {id}` lists its tasks");
        }
        let told_of_messages = [Code::WrongStage, Code::NotOpen].map(|code| code.cure());
        if told_of_messages.contains(&&*self.problem.cure) {
            self.problem.cure = format!("`tasuki session show {id}` shows how it stands");
        }
        self
    }

    /// A question that has no answer.
    pub(super) fn of_problem(problem: Problem) -> Self {
        let status = match &*problem.code {
            "no-message" | "no-session" | "no-debate" | "no-round" | "unknown-agent" | "no-need" => {
                StatusCode::NOT_FOUND
            }
            "not-dismissable" | "handed-over" | "no-plan" | "wrong-stage" => StatusCode::CONFLICT,
            "unavailable" => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::BAD_REQUEST,
        };
        Self { status, problem }
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        let problem = Problem {
            code: refusal.code.word().to_owned(),
            cure: refusal.cure().to_owned(),
            document: (refusal.document > 0).then_some(refusal.document),
            field: refusal.key(),
            why: refusal.why,
            line: refusal.line,
            column: refusal.column,
            others: Vec::new(),
        };
        Self { status: status_of(refusal.code), problem }
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        (self.status, Json(self.problem)).into_response()
    }
}

fn status_of(code: Code) -> StatusCode {
    match code {
        Code::TooLarge | Code::ContentTooLarge | Code::MetadataTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Code::NoRoute | Code::BadProof | Code::NotYours | Code::CommandNotAllowed => StatusCode::FORBIDDEN,
        Code::UnknownAgent => StatusCode::NOT_FOUND,
        Code::IdConflict
        | Code::NotOpen
        | Code::WrongStage
        | Code::NameTaken
        | Code::NotHired
        | Code::HandedOver => StatusCode::CONFLICT,
        Code::RateExceeded | Code::TooMany | Code::NoRoom | Code::RosterFull => StatusCode::TOO_MANY_REQUESTS,
        Code::DiskFull => StatusCode::INSUFFICIENT_STORAGE,
        Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::BAD_REQUEST,
    }
}
