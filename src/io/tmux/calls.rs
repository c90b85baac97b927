//! Matches what tmux says with what was asked of it, and passes news on. Pure: lines in, answers out.

use super::command::{Body, Part, TmuxReply};
use super::notice::{Notice, NoticeSender};
use super::notification::{Notification, SessionId, panes};
use super::parse::{Line, Tag};
use super::quote::shown;
use crate::engine::words::PaneId;
use crate::io::mux::error::MuxError;
use crate::io::mux::screen::{Printed, SILENCE};
use std::collections::{HashMap, VecDeque};
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;

/// The answer to a call: a reply a command, or what went wrong first.
pub(super) type CallAnswer = Result<Vec<TmuxReply>, MuxError>;

/// Commands that were written and whose replies are still to come, panes that are watched, and what to write.
#[derive(Debug)]
pub(super) struct Calls {
    waiting: VecDeque<Waiting>,
    open: Option<Open>,
    panes: HashMap<PaneId, watch::Sender<Printed>>,
    /// Who waits for a pane's next change of size.
    sizes: HashMap<PaneId, watch::Sender<()>>,
    /// When what is being read was read.
    now: Instant,
    /// Pieces of output of all panes.
    pieces: u64,
    pub(super) notices: NoticeSender,
    /// How often another client came to a session.
    comes: watch::Sender<u64>,
    /// The session that we are attached to, once tmux has said so, and who waits for that.
    session: Option<SessionId>,
    attached: Option<oneshot::Sender<SessionId>>,
    /// tmux's name of the guard, and whether it is attached.
    guard: Option<(String, bool)>,
    /// Bytes for tmux.
    pub(super) out: Vec<u8>,
}

/// One line of commands on its way.
#[derive(Debug)]
struct Waiting {
    /// Commands whose replies are still to come.
    parts: VecDeque<Part>,
    replies: Vec<TmuxReply>,
    error: Option<MuxError>,
    /// Nobody waits for what we send by ourselves.
    answer: Option<oneshot::Sender<CallAnswer>>,
}

/// The reply that is being read.
#[derive(Debug)]
enum Open {
    /// Of what tmux ran by itself: attaching, and hooks of a user's own server.
    Foreign(TmuxReply),
    Ours(Part, TmuxReply),
}

impl Calls {
    pub(super) fn new(notices: NoticeSender, comes: watch::Sender<u64>, now: Instant) -> Self {
        let (waiting, panes, sizes) = (VecDeque::new(), HashMap::new(), HashMap::new());
        let (open, session, attached, guard, out) = (None, None, None, None, Vec::new());
        Self { waiting, open, panes, sizes, now, pieces: 0, notices, comes, session, attached, guard, out }
    }

    /// Tells when we are attached, and to which session.
    pub(super) fn await_session(&mut self) -> oneshot::Receiver<SessionId> {
        let (attached, session) = oneshot::channel();
        self.attached = Some(attached);
        session
    }

    /// Says that the client of process `pid` is our own guard, which is about to attach.
    pub(super) fn await_guard(&mut self, pid: u32) {
        self.guard = Some((format!("client-{pid}"), false));
    }

    /// Whether the guard is on its way and not attached yet.
    pub(super) fn is_attaching(&self) -> bool {
        matches!(self.guard, Some((_, false)))
    }

    /// What tmux calls the guard.
    pub(super) fn guard(&self) -> Option<&str> {
        self.guard.as_ref().map(|(name, _)| name.as_str())
    }

    /// Pieces of output that came, of all panes.
    pub(super) fn pieces(&self) -> u64 {
        self.pieces
    }

    /// Lines whose replies have not all come.
    pub(super) fn in_flight(&self) -> usize {
        self.waiting.len()
    }

    /// Writes a line of commands. One whose caller has given up is left out: a key must not be pressed late.
    pub(super) fn send(
        &mut self,
        line: &[u8],
        parts: Vec<Part>,
        answer: Option<oneshot::Sender<CallAnswer>>,
    ) {
        if answer.as_ref().is_some_and(oneshot::Sender::is_closed) {
            return;
        }
        self.out.extend_from_slice(line);
        self.waiting.push_back(Waiting { parts: parts.into(), replies: Vec::new(), error: None, answer });
    }

    /// From now on lines are read.
    pub(super) fn read_at(&mut self, now: Instant) {
        self.now = now;
    }

    /// Tells what `pane` prints from now on.
    pub(super) fn watch(&mut self, pane: PaneId) -> watch::Receiver<Printed> {
        self.panes.retain(|_, counter| !counter.is_closed());
        let printed = Printed { pieces: 0, at: self.now, begun: self.now, resized: 0 };
        self.panes.entry(pane).or_insert_with(|| watch::channel(printed).0).subscribe()
    }

    /// Tells when the size of `pane` changes from now on.
    pub(super) fn watch_size(&mut self, pane: PaneId) -> watch::Receiver<()> {
        self.sizes.retain(|_, size| !size.is_closed());
        self.sizes.entry(pane).or_insert_with(|| watch::channel(()).0).subscribe()
    }

    /// Takes one line. Gives the length of the next reply's text where tmux has just told it.
    ///
    /// # Errors
    /// Why the connection has ended or cannot be trusted any more.
    pub(super) fn line(&mut self, line: &Line<'_>) -> Result<Option<usize>, String> {
        match line {
            Line::Begin(tag) => self.begin(*tag).map(|()| None),
            Line::Text { text, cut } => self.text(text, *cut).map(|()| None),
            Line::End(_) => Ok(self.end()),
            Line::Error(_) => self.error().map(|()| None),
            Line::News(news) => self.news(news).map(|()| None),
            Line::Stray => Err("tmux ended a reply that it had not begun".to_owned()),
        }
    }

    /// Fails all that wait, tells of the end, and lets the watchers of panes know.
    pub(super) fn close(&mut self, why: &str) {
        self.panes.clear();
        self.sizes.clear();
        for answer in self.waiting.drain(..).filter_map(|waiting| waiting.answer) {
            // A caller that gave up does not want its answer.
            let _ = answer.send(Err(MuxError::Gone { why: why.to_owned() }));
        }
        self.notices.gone(why);
    }

    fn begin(&mut self, tag: Tag) -> Result<(), String> {
        let reply = TmuxReply { time: tag.time, ..TmuxReply::default() };
        self.open = Some(if tag.is_ours() {
            let part = self.waiting.front_mut().and_then(|waiting| waiting.parts.pop_front());
            Open::Ours(part.ok_or("tmux answered a command that was not sent")?, reply)
        } else {
            Open::Foreign(reply)
        });
        Ok(())
    }

    fn text(&mut self, text: &[u8], cut: bool) -> Result<(), String> {
        if let Some(Open::Ours(Part { body: Body::Silent, .. }, _)) = &self.open {
            let news = Notification::read(text);
            if !matches!(news, Notification::Other(_)) {
                return self.news(&news);
            }
        }
        if let Some(Open::Ours(_, reply) | Open::Foreign(reply)) = &mut self.open {
            reply.push(text, cut);
        }
        Ok(())
    }

    fn end(&mut self) -> Option<usize> {
        let Some(Open::Ours(part, reply)) = self.open.take() else { return None };
        let waiting = self.waiting.front_mut()?;
        let length = (part.body == Body::Length).then(|| reply.text().parse().ok()).flatten();
        waiting.replies.push(reply);
        self.finish();
        // The text is printed as one piece and a newline.
        length.map(|bytes: usize| bytes.saturating_add(1))
    }

    fn error(&mut self) -> Result<(), String> {
        match self.open.take() {
            // Before we are attached the only reply is that to the attaching.
            Some(Open::Foreign(reply)) if self.session.is_none() => return Err(reply.words()),
            Some(Open::Ours(part, reply)) => {
                if let Some(waiting) = self.waiting.front_mut() {
                    waiting.failed(part, &reply);
                }
                self.finish();
            }
            _ => {}
        }
        Ok(())
    }

    /// Answers the first call if all its replies have come.
    fn finish(&mut self) {
        let Some(waiting) = self.waiting.pop_front_if(|waiting| waiting.parts.is_empty()) else { return };
        if let Some(answer) = waiting.answer {
            // A caller that gave up does not want its answer.
            let _ = answer.send(waiting.error.map_or(Ok(waiting.replies), Err));
        }
    }

    fn news(&mut self, news: &Notification<'_>) -> Result<(), String> {
        match news {
            Notification::Output { pane, .. } | Notification::Continue(pane) => self.wake(*pane),
            // Who waits for the end of copy mode is to look again.
            Notification::PaneModeChanged(pane) => self.wake(*pane),
            Notification::Pause(pane) => self.go_on(*pane),
            Notification::LayoutChange(_, layout) => self.resized(layout),
            Notification::SessionChanged(session, _) => self.attached_to(*session)?,
            Notification::ClientSessionChanged { client, .. } if self.is_guard(client) => return Ok(()),
            Notification::ClientSessionChanged { .. } => self.comes.send_modify(|comes| *comes += 1),
            Notification::Exit([]) => return Err("tmux closed the connection".to_owned()),
            Notification::Exit(reason) => return Err(shown(reason)),
            _ => {}
        }
        if let Some(notice) = Notice::of(news) {
            self.notices.tell(notice);
        }
        Ok(())
    }

    fn attached_to(&mut self, session: SessionId) -> Result<(), String> {
        if *self.session.get_or_insert(session) != session {
            return Err("its session was closed, and tmux moved us to another".to_owned());
        }
        // Nobody waits the second time.
        self.attached.take().map(|attached| attached.send(session));
        Ok(())
    }

    /// Whether the client is the guard, who is no news to others.
    fn is_guard(&mut self, client: &[u8]) -> bool {
        match &mut self.guard {
            Some((name, attached)) if name.as_bytes() == client => {
                *attached = true;
                true
            }
            _ => false,
        }
    }

    /// tmux holds a pane's news back since we were slow: ask for it again. What was printed meanwhile is not told,
    /// so that the pane is to be looked at in any case.
    fn go_on(&mut self, pane: PaneId) {
        let part = Part { name: "refresh-client", body: Body::Silent, inner: false };
        self.send(format!("refresh-client -A \"{pane}:continue\"\n").as_bytes(), vec![part], None);
        self.wake(pane);
    }

    fn wake(&mut self, pane: PaneId) {
        self.pieces = self.pieces.wrapping_add(1);
        if let Some(counter) = self.panes.get(&pane) {
            counter.send_modify(|printed| {
                if self.now.duration_since(printed.at) >= SILENCE {
                    printed.begun = self.now;
                }
                (printed.pieces, printed.at) = (printed.pieces.wrapping_add(1), self.now);
            });
        }
    }

    /// Counts a change of a pane's size. It wakes only who waits for that: its program prints when it has drawn anew.
    fn resized(&mut self, layout: &[u8]) {
        for pane in panes(layout) {
            if let Some(counter) = self.panes.get(&pane) {
                counter.send_if_modified(|printed| {
                    printed.resized = printed.resized.wrapping_add(1);
                    false
                });
            }
            if let Some(size) = self.sizes.get(&pane) {
                // Who waited may have ended.
                let _ = size.send(());
            }
        }
    }
}

impl Waiting {
    /// tmux leaves out the rest of the branch where a command of a branch fails, else the rest of the line.
    fn failed(&mut self, part: Part, reply: &TmuxReply) {
        let refused = MuxError::Refused { command: part.name, words: reply.words() };
        self.error.get_or_insert(refused);
        while self.parts.front().is_some_and(|next| !part.inner || next.inner) {
            self.parts.pop_front();
        }
    }
}

#[cfg(test)]
mod tests;
