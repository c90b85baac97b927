//! `GET /api/agents/{name}/screen`: what an agent's screen shows, once or as it changes.

use super::gate::{Gate, odd};
use super::given::{Asked, Key, Word};
use super::refused::Refused;
use super::stream::{self, BEAT, COMMENT, event};
use crate::daemon::clients::request::{PaneRequest, PaneResponse};
use crate::engine::words::AgentName;
use crate::wire::api::{ScreenInfo, ScreenQuery};
use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// Between two looks while it changes: a person sees no more.
const EVERY: Duration = Duration::from_millis(100);
/// The same once it has been still for a while.
const EVERY_STILL: Duration = Duration::from_millis(400);
const STILL_AFTER: Duration = Duration::from_secs(3);

/// Shows it.
pub(super) async fn screen(
    State(gate): State<Gate>,
    Word(name): Word<AgentName>,
    Asked(query): Asked<ScreenQuery>,
) -> Result<Response, Refused> {
    let first = look(&gate, &name, None).await?;
    let Some((seen, info)) = first else { return Err(Refused::unavailable("its screen cannot be read now")) };
    if !query.follow {
        return Ok(Json(info).into_response());
    }
    Ok(stream::answer(|frames| async move {
        // Why it ends is said to its reader, or nobody reads any more.
        if let Err(Some(refused)) = follow(&gate, &name, (seen, info), &frames).await {
            let _ = frames.send(event("gone", None, &refused.problem)).await;
        }
    }))
}

/// Sends it as it changes; why that ends, if its reader is still there.
async fn follow(
    gate: &Gate,
    name: &AgentName,
    (mut seen, info): (u64, ScreenInfo),
    frames: &mpsc::Sender<Bytes>,
) -> Result<(), Option<Refused>> {
    let send = async |bytes| frames.send(bytes).await.map_err(|_| None);
    send(event("screen", None, &info)).await?;
    let (mut changed_at, mut beat_at) = (Instant::now(), Instant::now() + BEAT);
    loop {
        let every = if changed_at.elapsed() < STILL_AFTER { EVERY } else { EVERY_STILL };
        tokio::select! {
            () = tokio::time::sleep(every) => {}
            () = frames.closed() => return Err(None),
        }
        if let Some((now, info)) = look(gate, name, Some(seen)).await? {
            (seen, changed_at) = (now, Instant::now());
            send(event("screen", None, &info)).await?;
            beat_at = Instant::now() + BEAT;
        } else if beat_at <= Instant::now() {
            send(COMMENT).await?;
            beat_at = Instant::now() + BEAT;
        }
    }
}

/// What it shows, if anything was printed since.
async fn look(
    gate: &Gate,
    name: &AgentName,
    seen: Option<u64>,
) -> Result<Option<(u64, ScreenInfo)>, Refused> {
    match gate.pane(Key::NONE, name.clone(), PaneRequest::Show { seen }).await? {
        PaneResponse::Screen(screen) => Ok(screen.map(|screen| *screen)),
        other => Err(odd(&other)),
    }
}
