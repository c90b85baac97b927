//! The news that tmux tells a control-mode client between the replies.

use crate::engine::words::PaneId;
use std::fmt;

/// tmux's number of a window, shown as `@5`. It never changes while the window lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WindowId(pub u32);

/// tmux's number of a session, shown as `$5`. It never changes while the session lives, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(pub u32);

impl fmt::Display for WindowId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{}", self.0)
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${}", self.0)
    }
}

/// One piece of news. Names and data are bytes: they come from programs and people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notification<'a> {
    /// A pane printed something. `data` is escaped; see [`super::escape::Escape::Backslash`].
    Output {
        pane: PaneId,
        /// Milliseconds that tmux kept it back; 0 where tmux does not say.
        age_ms: u64,
        /// What was printed, escaped.
        data: &'a [u8],
    },
    /// tmux no longer tells what the pane prints, since we read too slowly.
    Pause(PaneId),
    /// tmux tells again what the pane prints.
    Continue(PaneId),
    /// A window came.
    WindowAdd(WindowId),
    /// A window went. tmux may use the word for windows outside of the session for one that was in it.
    WindowClose(WindowId),
    /// A window has a new name.
    WindowRenamed(WindowId, &'a [u8]),
    /// Another pane of the window is the active one.
    WindowPaneChanged(WindowId, PaneId),
    /// The sizes of a window's panes changed.
    LayoutChange(WindowId, &'a [u8]),
    /// A pane went into or out of a mode (copy mode and the like).
    PaneModeChanged(PaneId),
    /// Our own client is attached to this session now.
    SessionChanged(SessionId, &'a [u8]),
    /// A session has a new name.
    SessionRenamed(&'a [u8]),
    /// A session was made or ended.
    SessionsChanged,
    /// The session shows another window.
    SessionWindowChanged(SessionId, WindowId),
    /// Another client is attached to this session now.
    ClientSessionChanged {
        /// The client's name.
        client: &'a [u8],
        session: SessionId,
    },
    /// Another client left.
    ClientDetached(&'a [u8]),
    /// A paste buffer changed (tmux 3.4 and later).
    PasteBufferChanged(&'a [u8]),
    /// A paste buffer was deleted (tmux 3.4 and later).
    PasteBufferDeleted(&'a [u8]),
    /// A subscribed format has a new value.
    SubscriptionChanged(&'a [u8]),
    /// A message for the status line (tmux 3.4 and later).
    Message(&'a [u8]),
    /// A line of tmux's configuration is wrong (tmux 3.4 and later).
    ConfigError(&'a [u8]),
    /// The client ends, and perhaps why.
    Exit(&'a [u8]),
    /// What we do not know; newer versions may say more.
    Other(&'a [u8]),
}

impl<'a> Notification<'a> {
    /// Reads one line. What is not understood is [`Self::Other`], never an error: news is a hint.
    #[must_use]
    pub fn read(line: &'a [u8]) -> Self {
        Self::known(line).unwrap_or(Self::Other(line))
    }

    fn known(line: &'a [u8]) -> Option<Self> {
        let (word, rest) = split(line);
        let (first, more) = split(rest);
        Some(match word {
            b"%output" => Self::Output { pane: pane(first)?, age_ms: 0, data: more },
            b"%extended-output" => extended(first, more)?,
            b"%pause" => Self::Pause(pane(rest)?),
            b"%continue" => Self::Continue(pane(rest)?),
            b"%window-add" | b"%unlinked-window-add" => Self::WindowAdd(window(rest)?),
            b"%window-close" | b"%unlinked-window-close" => Self::WindowClose(window(rest)?),
            b"%window-renamed" | b"%unlinked-window-renamed" => Self::WindowRenamed(window(first)?, more),
            b"%window-pane-changed" => Self::WindowPaneChanged(window(first)?, pane(more)?),
            b"%layout-change" => Self::LayoutChange(window(first)?, more),
            b"%pane-mode-changed" => Self::PaneModeChanged(pane(rest)?),
            b"%session-changed" => Self::SessionChanged(session(first)?, more),
            b"%session-renamed" => Self::SessionRenamed(rest),
            b"%sessions-changed" => Self::SessionsChanged,
            b"%session-window-changed" => Self::SessionWindowChanged(session(first)?, window(more)?),
            b"%client-session-changed" => {
                Self::ClientSessionChanged { client: first, session: session(split(more).0)? }
            }
            b"%client-detached" => Self::ClientDetached(rest),
            b"%paste-buffer-changed" => Self::PasteBufferChanged(rest),
            b"%paste-buffer-deleted" => Self::PasteBufferDeleted(rest),
            b"%subscription-changed" => Self::SubscriptionChanged(rest),
            b"%message" => Self::Message(rest),
            b"%config-error" => Self::ConfigError(rest),
            b"%exit" => Self::Exit(rest),
            _ => return None,
        })
    }
}

/// `%5 123 ... : data`: whatever is between the age and the single colon is for future use.
fn extended<'a>(first: &'a [u8], more: &'a [u8]) -> Option<Notification<'a>> {
    let pane = pane(first)?;
    let (age, mut rest) = split(more);
    let age_ms = std::str::from_utf8(age).ok()?.parse().ok()?;
    loop {
        let (word, after) = split(rest);
        if word == b":" {
            return Some(Notification::Output { pane, age_ms, data: after });
        }
        if after.is_empty() {
            return None;
        }
        rest = after;
    }
}

/// The panes of a layout, as in `b25f,80x24,0,0,2`: what follows the size and the place is a pane's number, unless that is the size
/// of a part.
pub(super) fn panes(layout: &[u8]) -> Vec<PaneId> {
    let word = std::str::from_utf8(split(layout).0).unwrap_or_default();
    let fields: Vec<&str> = word.split([',', '{', '}', '[', ']']).filter(|field| !field.is_empty()).collect();
    let leaf = |fields: &[&str]| match fields {
        [size, _, _, number] if size.contains('x') => number.parse().ok().map(PaneId),
        _ => None,
    };
    fields.windows(4).filter_map(leaf).collect()
}

/// The first word, and what follows the one space after it.
fn split(text: &[u8]) -> (&[u8], &[u8]) {
    match text.iter().position(|&b| b == b' ') {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, &[]),
    }
}

pub(super) fn pane(word: &[u8]) -> Option<PaneId> {
    id(word, b'%').map(PaneId)
}

pub(super) fn window(word: &[u8]) -> Option<WindowId> {
    id(word, b'@').map(WindowId)
}

pub(super) fn session(word: &[u8]) -> Option<SessionId> {
    id(word, b'$').map(SessionId)
}

fn id(word: &[u8], sign: u8) -> Option<u32> {
    let digits = word.strip_prefix(&[sign])?;
    let digits = digits.iter().all(u8::is_ascii_digit).then_some(digits)?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn told(line: &str) -> String {
        let shown = format!("{:?}", Notification::read(line.as_bytes()));
        shown.replace("PaneId", "").replace("WindowId", "@").replace("SessionId", "$")
    }

    #[test]
    fn a_layout_names_its_panes() {
        let named =
            |layout: &str| panes(layout.as_bytes()).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(named("b25f,80x24,0,0,2 b25f,80x24,0,0,2 *"), ["%2"]);
        let split = "d1f1,200x50,0,0{100x50,0,0,1,99x50,101,0[99x25,101,0,12,99x24,101,26,3]}";
        assert_eq!(named(split), ["%1", "%12", "%3"]);
        assert_eq!(named("").len() + named("80x24").len() + named("日本,0").len(), 0);
    }

    #[test]
    fn each_kind_of_news_is_read() {
        let lines = "%output %5 a\\033[1m b : c
%output %5
%extended-output %5 12 : a : b
%extended-output %5 12 new words : a
%pause %5
%continue %5
%window-add @3
%unlinked-window-close @3
%window-renamed @3 a b
%window-pane-changed @3 %5
%layout-change @3 b25f,80x24,0,0,2 b25f,80x24,0,0,2 *
%pane-mode-changed %5
%session-changed $1 日本
%sessions-changed
%session-window-changed $1 @3
%client-session-changed /dev/pts/1 $1 tasuki
%client-detached /dev/pts/1
%exit
%exit server exited";
        let told: Vec<String> = lines.lines().map(told).collect();
        expect![[r#"
            Output { pane: (5), age_ms: 0, data: [97, 92, 48, 51, 51, 91, 49, 109, 32, 98, 32, 58, 32, 99] }
            Output { pane: (5), age_ms: 0, data: [] }
            Output { pane: (5), age_ms: 12, data: [97, 32, 58, 32, 98] }
            Output { pane: (5), age_ms: 12, data: [97] }
            Pause((5))
            Continue((5))
            WindowAdd(@(3))
            WindowClose(@(3))
            WindowRenamed(@(3), [97, 32, 98])
            WindowPaneChanged(@(3), (5))
            LayoutChange(@(3), [98, 50, 53, 102, 44, 56, 48, 120, 50, 52, 44, 48, 44, 48, 44, 50, 32, 98, 50, 53, 102, 44, 56, 48, 120, 50, 52, 44, 48, 44, 48, 44, 50, 32, 42])
            PaneModeChanged((5))
            SessionChanged($(1), [230, 151, 165, 230, 156, 172])
            SessionsChanged
            SessionWindowChanged($(1), @(3))
            ClientSessionChanged { client: [47, 100, 101, 118, 47, 112, 116, 115, 47, 49], session: $(1) }
            ClientDetached([47, 100, 101, 118, 47, 112, 116, 115, 47, 49])
            Exit([])
            Exit([115, 101, 114, 118, 101, 114, 32, 101, 120, 105, 116, 101, 100])"#]]
        .assert_eq(&told.join("\n"));
    }

    #[test]
    fn what_is_not_well_formed_is_other() {
        for line in [
            "%output",
            "%output 5 a",
            "%output %x a",
            "%output %99999999999 a",
            "%extended-output %5 12 a",
            "%extended-output %5 x : a",
            "%pause %5 %6",
            "%window-add %5",
            "%brand-new thing",
            "hello",
            "",
        ] {
            assert_eq!(Notification::read(line.as_bytes()), Notification::Other(line.as_bytes()), "{line}");
        }
    }
}
