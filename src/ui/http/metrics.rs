//! `GET /metrics`: numbers for Prometheus.

use super::gate::Gate;
use super::given::Key;
use super::refused::Refused;
use crate::daemon::clients::request::Request;
use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use std::time::Duration;

/// The form that the numbers are in.
const FORM: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Counts, measures, and shows all of it.
pub(super) async fn metrics(State(gate): State<Gate>) -> Result<Response, Refused> {
    let asked = gate.clock.now();
    gate.ask(Key::NONE, Request::Ping).await?;
    let lag = Duration::from_millis(gate.clock.now().since(asked)).as_secs_f64();
    let (began, reached) = (gate.reads.began(), *gate.reads.extents.borrow());
    let page = gate.reads.ask(move |model| model.metrics(began, reached, lag)).await;
    let page = page.ok_or_else(|| Refused::unavailable("the daemon is ending or restarting"))?;
    let mut response = page.map_err(Refused::of_problem)?.into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(FORM));
    Ok(response)
}
