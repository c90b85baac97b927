//! What a daemon may want to know of tmux beyond the output of panes.

use super::notification::{Notification, SessionId, WindowId};
use super::quote::shown;
use crate::engine::words::PaneId;
use tokio::sync::mpsc;

/// Notices that may wait to be read. A daemon reads them at once; 256 is a burst of some seconds. Beyond it the ones
/// that follow are dropped and replaced by one [`Notice::Missed`].
pub const NOTICES_MAX: usize = 256;

/// News that says where to look again. Each is a hint, except the last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// A window came.
    WindowAdded(WindowId),
    /// A window went, with its panes.
    WindowClosed(WindowId),
    /// A pane went into or out of copy mode or the like.
    PaneMode(PaneId),
    /// A window of a session is shown now; whoever looks at the session looks at it.
    WindowShown(SessionId, WindowId),
    /// The panes of a window have other sizes.
    Resized(WindowId),
    /// Another client (a person, as a rule) looks at this session now.
    ClientAttached(SessionId),
    /// Another client left.
    ClientDetached,
    /// We read too slowly, and tmux dropped what it had to tell of this pane; its counter moves.
    Behind(PaneId),
    /// A session was made or ended, here or elsewhere on the server.
    SessionsChanged,
    /// tmux complains of its configuration.
    ConfigError(String),
    /// Notices were dropped: look at everything again.
    Missed,
    /// The connection has ended. Always the last.
    Gone {
        /// How it ended.
        why: String,
    },
}

impl Notice {
    /// The notice in a piece of news, if it is one.
    pub(super) fn of(news: &Notification<'_>) -> Option<Self> {
        Some(match news {
            Notification::WindowAdd(window) => Self::WindowAdded(*window),
            Notification::WindowClose(window) => Self::WindowClosed(*window),
            Notification::Pause(pane) => Self::Behind(*pane),
            Notification::PaneModeChanged(pane) => Self::PaneMode(*pane),
            Notification::SessionWindowChanged(session, window) => Self::WindowShown(*session, *window),
            Notification::LayoutChange(window, _) => Self::Resized(*window),
            Notification::ClientSessionChanged { session, .. } => Self::ClientAttached(*session),
            Notification::ClientDetached(_) => Self::ClientDetached,
            Notification::SessionsChanged => Self::SessionsChanged,
            Notification::ConfigError(text) => Self::ConfigError(shown(text)),
            _ => return None,
        })
    }
}

/// The receiving end.
#[derive(Debug)]
pub struct Notices(mpsc::Receiver<Notice>);

impl Notices {
    /// The next notice; `None` after the last.
    pub async fn next(&mut self) -> Option<Notice> {
        self.0.recv().await
    }
}

/// The sending end. It never waits.
#[derive(Debug)]
pub(super) struct NoticeSender {
    sender: mpsc::Sender<Notice>,
    /// The place of the last notice, kept free from the beginning.
    last: Option<mpsc::OwnedPermit<Notice>>,
    missed: bool,
}

pub(super) fn channel() -> (NoticeSender, Notices) {
    let (sender, receiver) = mpsc::channel(NOTICES_MAX);
    // The channel is new, so there is a place.
    let last = sender.clone().try_reserve_owned().ok();
    (NoticeSender { sender, last, missed: false }, Notices(receiver))
}

impl NoticeSender {
    /// Passes a notice on, or remembers that one was missed.
    pub(super) fn tell(&mut self, notice: Notice) {
        if self.missed || self.sender.try_send(notice).is_err() {
            self.missed = true;
        }
    }

    /// Whether [`Self::tell_missed`] has something to tell.
    pub(super) fn has_missed(&self) -> bool {
        self.missed && !self.sender.is_closed()
    }

    /// Waits for a place and says that notices were missed. May be dropped at any time.
    pub(super) async fn tell_missed(&mut self) {
        if let Ok(permit) = self.sender.reserve().await {
            permit.send(Notice::Missed);
            self.missed = false;
        }
    }

    /// The last notice.
    pub(super) fn gone(&mut self, why: &str) {
        if let Some(last) = self.last.take() {
            last.send(Notice::Gone { why: why.to_owned() });
        }
    }
}
