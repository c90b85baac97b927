//! Listens on the port while it is on, and serves those who connect, within limits.

use super::guard::{self, Passed};
use super::headers::{last, secure};
use super::open::{self, OpenPort, told};
use super::order::{Order, Way};
use super::seats::{Known, STREAMS, Seats};
use super::{hide, shell};
use crate::io::web_file::WebFile;
use crate::io::workspace::Workspace;
use crate::ui::http::connection::{self, HEAD_BYTES_MAX};
use crate::ui::http::gate::Gate;
use crate::ui::http::refused::Refused;
use crate::ui::http::routes;
use crate::wire::api::{WebBody, WebInfo};
use crate::wire::web::{Credentials, Hosts};
use axum::Router;
use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::AUTHORIZATION;
use axum::response::{IntoResponse as _, Response};
use hyper::Request;
use hyper::body::Incoming;
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;

/// The port of a workspace, open or not.
pub(in crate::ui::http) struct Door {
    gate: Gate,
    workspace: Workspace,
    orders: mpsc::Receiver<Order>,
    open: Option<(OpenPort, Answering)>,
    connections: JoinSet<()>,
    seats: Seats,
}

impl Door {
    /// Closed. The orders come from the Unix socket.
    pub(in crate::ui::http) fn new(gate: Gate, workspace: Workspace, orders: mpsc::Receiver<Order>) -> Self {
        let (connections, seats) = (JoinSet::new(), Seats::default());
        Self { gate, workspace, orders, open: None, connections, seats }
    }

    /// Opens the port if it was on when the last daemon ended, and serves until it is dropped.
    pub(in crate::ui::http) async fn serve(mut self) {
        self.open_again().await;
        loop {
            tokio::select! {
                order = self.orders.recv() => match order {
                    Some(Order { body, answer }) => drop(answer.send(self.obey(&body).await)),
                    None => return,
                },
                taken = accept(&self.open) => match taken {
                    Ok((stream, answering)) => self.admit(stream, answering),
                    Err(error) => {
                        tracing::warn!(%error, "the port for browsers gives no connection");
                        tokio::time::sleep(connection::ACCEPT_AGAIN).await;
                    }
                },
                Some(ended) = self.connections.join_next_with_id() => {
                    self.seats.free(ended.map_or_else(|error| error.id(), |(task, ())| task));
                }
            }
        }
    }

    async fn open_again(&mut self) {
        let opened = match open::read(&self.workspace).await {
            Ok(Some(WebFile { on: true, .. })) => self.obey(&WebBody::default()).await,
            Ok(_) => return,
            Err(error) => Err(open::refused(&error)),
        };
        if let Err(Refused { problem, .. }) = opened {
            tracing::warn!("the port for browsers stays closed: {}; {}", problem.why, problem.cure);
        }
    }

    async fn obey(&mut self, body: &WebBody) -> Result<WebInfo, Refused> {
        if body.off { self.turn_off().await } else { self.turn_on(body).await }
    }

    async fn turn_on(&mut self, body: &WebBody) -> Result<WebInfo, Refused> {
        let open = self.open.as_ref().map(|(port, _)| port.hosts);
        let open::Plan { file, opened } = open::plan(&self.workspace, body, open.map(Hosts::port)).await?;
        if open::read(&self.workspace).await.ok().flatten().as_ref() != Some(&file) {
            open::write(&self.workspace, &file, self.gate.clock.wall()).await?;
        }
        let is_same =
            self.open.as_ref().is_some_and(|(_, answering)| *answering.known_by.tokens() == file.tokens);
        if opened.is_none() && is_same {
            return Ok(told(&file, open));
        }
        // Whoever came with other tokens, or by another port, has to come again.
        self.hang_up();
        let port = match opened {
            Some(port) => Some(port),
            None => self.open.take().map(|(port, _)| port),
        };
        let hosts = port.as_ref().map(|port| port.hosts);
        // A session that has begun is over: what was made of it opens nothing any more.
        self.open = None;
        if let Some(port) = port {
            let answering = Answering::new(&self.gate, port.hosts, open::credentials(&file)?);
            self.open = Some((port, answering));
        }
        if let Some(hosts) = hosts {
            tracing::info!("browsers are answered at {}", hosts.origin());
        }
        Ok(told(&file, hosts))
    }

    async fn turn_off(&mut self) -> Result<WebInfo, Refused> {
        // It is closed whatever the disk says; what is kept would open it at the next start.
        if self.open.take().is_some() {
            tracing::info!("browsers are no longer answered");
        }
        self.hang_up();
        match open::read(&self.workspace).await {
            Ok(Some(file)) if file.on => {
                let file = WebFile { on: false, ..file };
                open::write(&self.workspace, &file, self.gate.clock.wall()).await?;
            }
            // What cannot be read opens nothing.
            Ok(_) | Err(_) => {}
        }
        Ok(WebInfo { on: false, origin: None, token: None, read_only_token: None })
    }

    /// Ends each connection.
    fn hang_up(&mut self) {
        self.connections.abort_all();
        self.seats = Seats::default();
    }

    fn admit(&mut self, stream: TcpStream, answering: Answering) {
        if !self.seats.admit() {
            tracing::warn!(
                "a connection of a browser was turned away: all places are taken by others with a token"
            );
            return;
        }
        let known = Known::default();
        let answering = Answering { known: known.clone(), ..answering };
        let task = self.connections.spawn(connection::talk(stream, answering, Some(HEAD_BYTES_MAX)));
        self.seats.take(known, task);
    }
}

async fn accept(open: &Option<(OpenPort, Answering)>) -> std::io::Result<(TcpStream, Answering)> {
    match open {
        Some((port, answering)) => port.accept().await.map(|stream| (stream, answering.clone())),
        None => std::future::pending().await,
    }
}

/// What answers the requests of one connection.
#[derive(Clone)]
struct Answering {
    app: TowerToHyperService<Router>,
    hosts: Hosts,
    known_by: Arc<Credentials>,
    known: Known,
    streams: Arc<Semaphore>,
}

impl Answering {
    fn new(gate: &Gate, hosts: Hosts, credentials: Credentials) -> Self {
        let known_by = Arc::new(credentials);
        let gate = Gate { way: Way::Tcp(hosts, known_by.clone()), ..gate.clone() };
        let app = TowerToHyperService::new(routes::router(gate));
        Self { app, hosts, known_by, known: Known::default(), streams: Arc::new(Semaphore::new(STREAMS)) }
    }

    async fn answer(self, request: Request<Incoming>) -> Response {
        let (mut parts, body) = request.into_parts();
        let passed = match guard::check(&parts, self.hosts, &self.known_by, shell::is_at) {
            Ok(passed) => passed,
            Err(refused) => return last(refused.into_response()),
        };
        match passed {
            Passed::Shell => match shell::file(parts.uri.path()) {
                Some(file) => return shell::give(file, &parts.headers),
                None => return no_page().into_response(),
            },
            Passed::Astray => return shell::way_back(),
            Passed::Prove => {}
            Passed::Api(access) => {
                self.known.store(true, Ordering::Relaxed);
                parts.extensions.insert(access);
            }
        }
        // Beyond this the caller is the user: the agents' keys hold for the Unix socket alone.
        parts.headers.remove(AUTHORIZATION);
        let answer = match self.app.call(Request::from_parts(parts, body)).await {
            Ok(answer) => answer.map(Body::new),
            Err(never) => match never {},
        };
        if hide::is_stream(&answer) {
            return match self.streams.try_acquire_owned() {
                Ok(place) => hide::hide_stream(answer, place),
                Err(_) => last(too_many_streams().into_response()),
            };
        }
        hide::hide(answer).await.unwrap_or_else(|error| {
            last(Refused::unavailable(format!("the answer broke off: {error}")).into_response())
        })
    }
}

fn no_page() -> Refused {
    let (why, cure) =
        ("this build of tasuki has no page", "use `tasuki status`, or a build with `src/ui/web/page/`");
    Refused::new(StatusCode::NOT_FOUND, "no-page", why, cure)
}

fn too_many_streams() -> Refused {
    let why = format!("{STREAMS} streams of events are open");
    Refused::new(StatusCode::SERVICE_UNAVAILABLE, "too-many-streams", why, "close pages that nobody looks at")
}

impl Service<Request<Incoming>> for Answering {
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let answer = self.clone().answer(request);
        Box::pin(async move { Ok(secure(answer.await)) })
    }
}
