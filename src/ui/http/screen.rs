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
use tokio::time::sleep;

/// Between two looks while it changes: a person sees no more.
const EVERY: Duration = Duration::from_millis(100);
/// The same once it has been still for so many looks, which are 3 s.
const EVERY_STILL: Duration = Duration::from_millis(400);
const STILL_AFTER: u32 = 30;

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
    let beat = sleep(BEAT);
    tokio::pin!(beat);
    let mut still = 0_u32;
    loop {
        let every = if still < STILL_AFTER { EVERY } else { EVERY_STILL };
        let is_silent = tokio::select! {
            () = sleep(every) => false,
            () = &mut beat => true,
            () = frames.closed() => return Err(None),
        };
        still = still.saturating_add(1);
        if let Some((now, info)) = look(gate, name, Some(seen)).await? {
            (seen, still) = (now, 0);
            send(event("screen", None, &info)).await?;
            beat.set(sleep(BEAT));
        } else if is_silent {
            send(COMMENT).await?;
            beat.set(sleep(BEAT));
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
