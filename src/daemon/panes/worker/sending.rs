//! The lines that a person has typed into a pane: whether each can be typed as it is, and the typing.

use super::hindrance::hindrance;
use super::needs::Needs;
use super::session::Session;
use super::trace::text_of;
use super::unsent_watch::UnsentWatch;
use crate::daemon::clients::request::{Hindrance, PaneResponse, Response, SendWish};
use crate::io::mux::MuxError;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// Bytes of one line that a terminal takes for a program that reads lines: 4,096 with the end of the line (`N_TTY_BUF_SIZE`).
const LINE_BYTES_MAX: usize = 4_095;
/// How long a program may take to read a line before the next one is typed.
const READ_WAIT: Duration = Duration::from_secs(10);
/// Between two looks at what it has read, or at what it shows: neither tells of itself.
const READ_PAUSE: Duration = Duration::from_millis(20);

/// Characters at the end of a line that show that it is there: fewer than any screen has.
const SIGN_CHARS: usize = 200;

/// Lines that wait until they may be typed.
#[derive(Debug)]
pub(super) struct Sending {
    pub(super) wish: SendWish,
    pub(super) lines: Vec<String>,
    pub(super) deadline: Instant,
    pub(super) answer: oneshot::Sender<Response>,
}

/// The lines of a text, if each can be typed as it is; else what to do.
pub(super) fn fitting(wish: &SendWish, session: &Session) -> Result<Vec<String>, PaneResponse> {
    let unfit = |code, why: String, cure: &str| Err(PaneResponse::Unfit { code, why, cure: cure.to_owned() });
    let text = wish.text.strip_suffix('\n').unwrap_or(&wish.text);
    let lines: Vec<&str> = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    if lines.len() > 1 && (!wish.lines || !session.agent.is_plain()) {
        let cure = match session.agent.is_plain() {
            true => {
                "type them one after the other with `--lines`, or write them into a file and send its path"
            }
            false => {
                "write them into a file and send its path: each Enter would send a separate message there"
            }
        };
        return unfit(
            "not-one-line",
            format!("the text has {} lines, and only one is typed", lines.len()),
            cure,
        );
    }
    if let Some((at, found)) = lines.iter().find_map(|line| line.char_indices().find(|(_, c)| c.is_control()))
    {
        let why =
            format!("the text has the control character U+{:04X} at byte {at} of a line", u32::from(found));
        return unfit("not-printable", why, "remove it: only printable text is typed (spaces for a tab)");
    }
    let canonical = session.program.is_canonical();
    let longest = lines.iter().map(|line| line.len()).max().unwrap_or(0);
    if canonical && longest > LINE_BYTES_MAX {
        let why = format!(
            "one line has {longest} bytes, and this terminal takes at most {LINE_BYTES_MAX} in a line: the rest would be lost"
        );
        return unfit("line-too-long", why, "write it into a file and send its path");
    }
    Ok(lines.into_iter().map(str::to_owned).collect())
}

/// The typing of a person's lines, and what it needs of others.
pub(super) struct LinesTyping<'w> {
    pub(super) watch: UnsentWatch<'w>,
    pub(super) needs: &'w mut Needs,
}

impl LinesTyping<'_> {
    /// Types these lines, each with its Enter.
    pub(super) async fn type_all(&mut self, lines: &[String], force: bool) -> Result<PaneResponse, MuxError> {
        let mut proven = true;
        for (at, line) in lines.iter().enumerate() {
            if at > 0 && !self.has_room_for(line).await {
                let why =
                    format!("{at} of {} lines were typed: its program has stopped reading", lines.len());
                return Ok(PaneResponse::hindered(why));
            }
            match self.send_line(line, force).await? {
                PaneResponse::Typed(shown) => proven &= shown,
                other => return Ok(other),
            }
        }
        self.watch.has_entered(lines.last().map(String::as_str).unwrap_or_default()).await?;
        Ok(PaneResponse::Typed(proven))
    }

    /// Waits until the terminal has room for one more line.
    async fn has_room_for(&self, line: &str) -> bool {
        let deadline = self.watch.session.now() + READ_WAIT;
        loop {
            let unread = usize::try_from(self.watch.session.program.unread()).unwrap_or(usize::MAX);
            if unread.saturating_add(line.len()) < LINE_BYTES_MAX {
                return true;
            }
            if self.watch.session.now() >= deadline {
                return false;
            }
            tokio::time::sleep(READ_PAUSE).await;
        }
    }

    async fn send_line(&mut self, line: &str, force: bool) -> Result<PaneResponse, MuxError> {
        let sign = sign_of(line);
        let before = text_of(&self.watch.session.capture(0).await?).matches(sign).count();
        self.watch.session.paste(line).await?;
        let profile = self.watch.session.agent.profile();
        let wait_ms = if profile.echoes { profile.echo_wait_ms } else { 0 };
        let shown_by = self.watch.session.now() + Duration::from_millis(wait_ms);
        // A program may take an Enter that comes sooner for a line break of the paste.
        tokio::time::sleep(Duration::from_millis(profile.enter_after_ms.max(profile.quiet_ms))).await;
        let (shown, boxed) = loop {
            let screen = self.watch.session.capture(0).await?;
            let shown = line.is_empty() || text_of(&screen).matches(sign).count() > before;
            let boxed = self.watch.session.read(&screen).is_none_or(|read| read.has_in_box(line));
            if shown && boxed || self.watch.session.now() >= shown_by {
                break (shown, boxed);
            }
            tokio::time::sleep(READ_PAUSE).await;
        };
        if !force && !boxed {
            let why = "the line is not shown in its input box; Enter was not pressed".to_owned();
            return Ok(PaneResponse::hindered(why));
        }
        if !force && let Some((guard, _)) = self.watch.session.hands_off().await? {
            let hindrance = hindrance(guard, self.watch.session, self.watch.unsent);
            let why = format!("{}; the line is in its input, and Enter was not pressed", hindrance.why);
            return Ok(PaneResponse::Hindered(Hindrance { why, ..hindrance }));
        }
        self.watch.session.press_enter().await?;
        self.needs.forget_told();
        self.watch.session.look_now();
        Ok(PaneResponse::Typed(shown))
    }
}

/// What shows that a line is there: its end, for a long one does not fit on the screen.
fn sign_of(line: &str) -> &str {
    let from = line.char_indices().rev().nth(SIGN_CHARS - 1).map_or(0, |(at, _)| at);
    &line[from..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_fills_more_than_the_screen_is_known_by_its_end() {
        for (line, len) in
            [("", 0), ("ls", 2), (&*"x".repeat(60_000), SIGN_CHARS), (&*"二".repeat(500), 3 * SIGN_CHARS)]
        {
            assert_eq!(sign_of(line).len(), len);
            assert!(line.ends_with(sign_of(line)));
        }
    }
}
