//! The gate to the loop, which every handler has: it asks, and says why where the answer is no.

use super::given::Key;
use super::refused::Refused;
use super::tcp::order::Way;
use crate::daemon::clients::reads::Reads;
use crate::daemon::clients::request::{Call, Calls, PaneRequest, PaneResponse, Request, Response};
use crate::engine::input::{Command, Reply};
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::words::{AgentName, MessageId};
use crate::io::clock::Clock;
use crate::read::Answers;
use crate::read::message_history::Scans;
use crate::wire::api::{Done, MessageQuery};
use crate::wire::message::view::MessageView;
use crate::wire::time;
use axum::Json;
use axum::http::StatusCode;
use tokio::sync::oneshot;

/// What every handler needs.
#[derive(Debug, Clone)]
pub(super) struct Gate {
    pub(super) calls: Calls,
    pub(super) reads: Reads,
    pub(super) clock: Clock,
    pub(super) way: Way,
}

pub(super) type JsonAnswer<T> = Result<Json<T>, Refused>;

impl Gate {
    /// Asks the loop. It answers at once, or when what was asked is durable.
    pub(super) async fn ask(&self, key: Key, request: Request) -> Result<Response, Refused> {
        let (answer, answered) = oneshot::channel();
        let gone = Refused::ending;
        self.calls.send(Call { request, key: key.0, answer }).await.map_err(|_| gone())?;
        answered.await.map_err(|_| gone())
    }

    pub(super) async fn command(&self, key: Key, command: Command) -> JsonAnswer<Done> {
        match self.ask(key, Request::Command(command)).await? {
            Response::Reply(Reply::Done { what, id }) => {
                Ok(Json(Done { what, id: id.map(|id| id.to_string()) }))
            }
            other => Err(unexpected(other)),
        }
    }

    /// The same about a message: one that is not known is answered as where it is looked at.
    pub(super) async fn command_about(&self, key: Key, id: MessageId, command: Command) -> JsonAnswer<Done> {
        let done = self.command(key, command).await;
        match done {
            Err(refused) if refused.problem.code == Code::NotOpen.word() => {
                self.message(id).await.and(Err(refused))
            }
            done => done,
        }
    }

    pub(super) async fn done(&self, key: Key, request: Request, what: &str) -> JsonAnswer<Done> {
        match self.ask(key, request).await? {
            Response::Ok => Ok(Json(Done { what: what.to_owned(), id: None })),
            other => Err(unexpected(other)),
        }
    }

    /// Asks whoever answers questions. The loop is not asked.
    pub(super) async fn read<Q: Answers>(&self, question: Q) -> Result<Q::Answer, Refused> {
        let answer = self.reads.ask(move |model| question.answer(model)).await;
        let answer = answer.ok_or_else(Refused::ending)?;
        answer.map_err(Refused::of_problem)
    }

    /// The same where the whole journal is read: by a thread of its own, so that nobody else's question waits for it. What was
    /// written after the question does not count.
    pub(super) async fn scan<Q: Scans>(&self, question: Q) -> Result<Q::Answer, Refused> {
        let gone = Refused::ending;
        let begun = self.reads.ask(move |model| (question.subject(model), model.pages())).await;
        let (subject, pages) = begun.ok_or_else(gone)?;
        let subject = subject.map_err(Refused::of_problem)?;
        let scan = tokio::task::spawn_blocking(move || (Q::scan(&subject, &pages), subject));
        let (found, subject) = scan.await.map_err(|_| gone())?;
        let found = found.map_err(Refused::of_problem)?;
        let answer = self.reads.ask(move |model| Q::tell(&subject, found, model)).await;
        answer.ok_or_else(gone)?.map_err(Refused::of_problem)
    }

    pub(super) async fn message(&self, id: MessageId) -> Result<MessageView, Refused> {
        self.read(MessageQuery { id: id.to_string() }).await.map(|details| details.message)
    }

    /// A person takes what an agent said for its answer; or why that cannot be.
    pub(super) async fn done_by_person(
        &self,
        agent: AgentName,
        of: Option<&str>,
    ) -> Result<Result<String, Refused>, Refused> {
        let of = match of.map(MessageId::new) {
            Some(Err(_)) => return Ok(Err(Refused::bad_request("`of` names no task"))),
            of => of.and_then(Result::ok),
        };
        match self.ask(Key::NONE, Request::Command(Command::Done { agent, of })).await? {
            Response::Reply(Reply::Done { what, .. }) => Ok(Ok(what)),
            Response::Reply(Reply::Refused(refusal)) if refusal.code == Code::WrongStage => {
                Ok(Err(refusal.into()))
            }
            other => Err(unexpected(other)),
        }
    }

    pub(super) async fn pane(
        &self,
        key: Key,
        name: AgentName,
        request: PaneRequest,
    ) -> Result<PaneResponse, Refused> {
        match self.ask(key, Request::Pane(name, request)).await? {
            Response::Pane(response) => Ok(response),
            other => Err(unexpected(other)),
        }
    }
}

/// A duration in ms.
pub(super) fn duration(text: Option<&str>, otherwise: u64) -> Result<u64, Refused> {
    let Some(text) = text else { return Ok(otherwise) };
    let bad = || Refusal::new(Code::BadDuration, format!("`{}` is not a duration", text.escape_debug()));
    Ok(time::read_duration(text).ok_or_else(|| bad().at("timeout"))?)
}

/// The message that was waited for, if the loop knows it.
pub(super) fn seen(response: Response) -> Result<Option<MessageView>, Refused> {
    match response {
        Response::Message(view) => Ok(view.map(|view| *view)),
        other => Err(unexpected(other)),
    }
}

/// The loop said no, or something that does not fit the question.
pub(super) fn unexpected(response: Response) -> Refused {
    match response {
        Response::Reply(Reply::Refused(refusal)) => refusal.into(),
        Response::Unavailable(why) => Refused::unavailable(why),
        Response::Unfit { why, cure } => Refused::new(StatusCode::BAD_REQUEST, "bad-recipe", why, cure),
        Response::NotRunning(name) => Refused::not_running(&name),
        other => Refused::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "bug",
            format!("the daemon gave an answer that does not fit: {other:?}"),
            "please report this",
        ),
    }
}

pub(super) fn odd(response: &PaneResponse) -> Refused {
    let why = format!("the pane gave an answer that does not fit: {response:?}");
    Refused::new(StatusCode::INTERNAL_SERVER_ERROR, "bug", why, "please report this")
}
