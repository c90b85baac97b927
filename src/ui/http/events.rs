//! `GET /api/events`: what happens, as server-sent events. Each step of the journal is one event with its number as the id; a
//! reader that comes back with `Last-Event-ID` goes on behind it.
//!
//! Nothing is kept for a reader: its steps are read from the journal when it has taken those before. So one that is slow costs
//! nobody anything, and misses nothing.

use super::gate::Gate;
use super::given::{Asked, Key};
use super::refused::Refused;
use super::stream::{self, BEAT, COMMENT, event};
use crate::daemon::clients::reads::Reads;
use crate::daemon::clients::request::Request;
use crate::io::journal::Cursor;
use crate::read::{EVENTS_FIRST, EVENTS_MAX, EventFilter, Seen, Steps, StreamStart};
use crate::wire::api::{EventsQuery, Problem, ResetInfo};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::sleep;

/// What is shown is sent at most this often: a busy team changes more often, and no change is shown later than a person notices.
const VIEW_EVERY: Duration = Duration::from_millis(50);
/// Silence after which what was written is made durable for whoever follows.
const SETTLED_AFTER: Duration = Duration::from_millis(50);

/// Answers with the stream.
pub(super) async fn events(
    State(gate): State<Gate>,
    headers: HeaderMap,
    Asked(query): Asked<EventsQuery>,
) -> Result<Response, Refused> {
    let after = last_seen(&headers)?.or(query.after);
    let durable = gate.reads.extents.borrow().durable;
    let is_viewed = query.view;
    let begun = gate.reads.ask(move |model| {
        let filter = EventFilter::of(&query, model)?;
        Ok::<_, Problem>((filter, model.start_of_stream(after, durable)?))
    });
    let begun = begun.await.ok_or_else(Refused::ending)?;
    let (filter, start) = begun.map_err(Refused::of_problem)?;
    let view = is_viewed.then(Seen::default);
    let (cursor, reset) = match start {
        StreamStart::At(cursor) => (cursor, false),
        StreamStart::Reset(cursor) => (cursor, true),
    };
    Ok(stream::answer(|frames| {
        let (reads, touched) = (gate.reads.clone(), BTreeSet::new());
        let changes = reads.changes();
        Stream { gate, reads, changes, filter, cursor, most: EVENTS_FIRST, view, touched, frames }.run(reset)
    }))
}

/// The step that a reader has seen last.
fn last_seen(headers: &HeaderMap) -> Result<Option<u64>, Refused> {
    let Some(value) = headers.get("last-event-id") else { return Ok(None) };
    let number = value.to_str().ok().and_then(|text| text.trim().parse().ok());
    number.map(Some).ok_or_else(|| Refused::bad_request("`Last-Event-ID` is not the number of a step"))
}

/// One reader.
struct Stream {
    gate: Gate,
    reads: Reads,
    /// What changes besides the journal and what the daemon says.
    changes: watch::Receiver<u64>,
    filter: EventFilter,
    cursor: Cursor,
    /// Steps that are read for it at once.
    most: usize,
    /// What it has been shown, if it wants that.
    view: Option<Seen>,
    /// Messages that anything happened to since.
    touched: BTreeSet<crate::engine::words::MessageId>,
    frames: mpsc::Sender<Bytes>,
}

/// The reader is gone, or the daemon ends.
struct Over;

impl Stream {
    async fn run(mut self, reset: bool) {
        if reset {
            let info = ResetInfo { seq: self.cursor.seq().0 };
            if self.send(event("reset", None, &info)).await.is_err() {
                return;
            }
        }
        // Why it ends is nobody's to hear.
        let Err(Over) = self.follow().await;
    }

    async fn follow(&mut self) -> Result<Infallible, Over> {
        let (pause, beat) = (sleep(VIEW_EVERY), sleep(BEAT));
        tokio::pin!(pause, beat);
        // Whether anything may have changed that is shown, and whether that may be sent.
        let (mut is_stale, mut may_show) = (self.view.is_some(), true);
        loop {
            let durable = self.reads.extents.borrow_and_update().durable;
            while self.send_steps(durable).await? {}
            // Looked at here, news wakes nobody below.
            is_stale |= !self.touched.is_empty();
            if is_stale && may_show {
                self.reads.live.mark_unchanged();
                self.send_view().await?;
                (is_stale, may_show) = (false, false);
                pause.set(sleep(VIEW_EVERY));
            }
            let is_viewed = self.view.is_some();
            let is_behind = {
                let extents = self.reads.extents.borrow();
                extents.written.seq > extents.durable.seq
            };
            tokio::select! {
                changed = self.reads.extents.changed() => {
                    changed.map_err(|_| Over)?;
                    is_stale = is_viewed;
                }
                changed = self.reads.live.changed(), if is_viewed && !is_stale => {
                    changed.map_err(|_| Over)?;
                    is_stale = true;
                }
                changed = self.changes.changed(), if is_viewed && !is_stale => {
                    changed.map_err(|_| Over)?;
                    is_stale = true;
                }
                () = &mut pause, if !may_show => may_show = true,
                () = sleep(SETTLED_AFTER), if is_behind => self.flush_soon().await?,
                () = &mut beat => {
                    self.send(COMMENT).await?;
                    // What lies in `queue/` is nobody's to report.
                    is_stale = is_viewed;
                    beat.set(sleep(BEAT));
                }
                () = self.frames.closed() => return Err(Over),
            }
        }
    }

    /// Has the loop make durable what was written a while ago: nothing else may come that needs it.
    async fn flush_soon(&mut self) -> Result<(), Over> {
        self.gate.ask(Key::NONE, Request::Flush).await.map_err(|_| Over)?;
        tokio::select! {
            changed = self.reads.extents.changed() => {
                self.reads.extents.mark_changed();
                changed.map_err(|_| Over)
            }
            // The loop may have no journal to write to just now.
            () = sleep(BEAT) => Ok(()),
            () = self.frames.closed() => Err(Over),
        }
    }

    /// Sends a batch of steps; whether there are more.
    async fn send_steps(&mut self, durable: crate::io::journal::Extent) -> Result<bool, Over> {
        if self.cursor.seq() >= durable.seq {
            return Ok(false);
        }
        let (cursor, most, filter) = (self.cursor, self.most, self.filter.clone());
        self.most = EVENTS_MAX.min(most * 2);
        let asked = self.reads.ask(move |model| model.steps(cursor, durable, most, &filter)).await;
        let Some(Ok(Steps { steps, cursor, more, touched })) = asked else { return Err(Over) };
        self.cursor = cursor;
        if self.view.is_some() {
            self.touched.extend(touched);
        }
        let text: Vec<u8> = steps.iter().flat_map(|step| event("step", Some(step.seq), step)).collect();
        if !text.is_empty() {
            self.send(text.into()).await?;
        }
        Ok(more)
    }

    /// Sends what is shown and has changed.
    async fn send_view(&mut self) -> Result<(), Over> {
        let Some(mut seen) = self.view.take() else { return Ok(()) };
        let touched = std::mem::take(&mut self.touched);
        let asked = self.reads.ask(move |model| {
            let view = model.view_since(&mut seen, &touched);
            (view, seen)
        });
        let Some((Ok(view), seen)) = asked.await else { return Err(Over) };
        self.view = Some(seen);
        match view {
            Some(view) => self.send(event("view", None, &view)).await,
            None => Ok(()),
        }
    }

    async fn send(&self, bytes: Bytes) -> Result<(), Over> {
        self.frames.send(bytes).await.map_err(|_| Over)
    }
}
