//! `pane send`: a person's lines, typed behind the guards as a turn is, or in spite of them if that is what was asked for.

use super::{End, Worker};
use crate::daemon::clients::request::{Hindrance, PANE_WAIT_MS_MAX, PaneResponse, Response, SendWish};
use crate::engine::input::Guard;
use crate::io::process;
use crate::io::tmux::TmuxError;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// Bytes of one line that a terminal takes for a program that reads lines: 4,096 with the end of the line (`N_TTY_BUF_SIZE`).
const LINE_BYTES_MAX: usize = 4_095;
/// How often it is looked whether a line may be typed that waits for that.
const TRY_AGAIN: Duration = Duration::from_millis(250);
/// How long a program may take to read a line before the next one is typed.
const READ_WAIT: Duration = Duration::from_secs(10);
/// Between two looks at what it has read, or at what it shows: neither tells of itself.
const READ_PAUSE: Duration = Duration::from_millis(20);

/// Characters at the end of a line that show that it is there: fewer than any screen has.
const SIGN_CHARS: usize = 200;

/// A line that waits until it may be typed.
pub(super) struct Sending {
    wish: SendWish,
    lines: Vec<String>,
    deadline: Instant,
    answer: oneshot::Sender<Response>,
}

/// What cannot be typed as it is, and what to do.
type Unfit = PaneResponse;

impl Worker {
    /// Types what is wished, now or as soon as nothing stands in the way.
    pub(super) async fn send(
        &mut self,
        wish: SendWish,
        answer: oneshot::Sender<Response>,
    ) -> Result<(), End> {
        let lines = match self.fitting(&wish) {
            Ok(lines) => lines,
            Err(unfit) => {
                drop(answer.send(Response::Pane(unfit)));
                return Ok(());
            }
        };
        let deadline = Instant::now() + Duration::from_millis(wish.wait_ms.min(PANE_WAIT_MS_MAX));
        let sending = Sending { wish, lines, deadline, answer };
        // Whoever came before goes first.
        if !sending.wish.force && !self.sendings.is_empty() {
            self.sendings.push_back(sending);
            return Ok(());
        }
        self.try_to_send(sending).await
    }

    /// Types what waits, if it may be typed by now.
    pub(super) async fn send_what_waits(&mut self) -> Result<(), End> {
        match self.sendings.pop_front() {
            Some(sending) => self.try_to_send(sending).await,
            None => Ok(()),
        }
    }

    async fn try_to_send(&mut self, sending: Sending) -> Result<(), End> {
        if sending.answer.is_closed() {
            return Ok(()); // nobody waits for it any more
        }
        let done = match self.stands_in_the_way(sending.wish.force).await {
            Ok(Some(_)) if Instant::now() < sending.deadline => {
                self.look_by(sending.deadline.min(Instant::now() + TRY_AGAIN));
                self.sendings.push_front(sending);
                return Ok(());
            }
            Ok(Some(hindrance)) => Ok(PaneResponse::Hindered(hindrance)),
            Ok(None) => self.type_lines(&sending.lines, sending.wish.force).await,
            Err(error) => Err(error),
        };
        let response = match done {
            Ok(response) => Response::Pane(response),
            Err(TmuxError::Gone { .. }) => return Err(End::Disconnected),
            Err(TmuxError::InMode { .. }) => {
                Response::Pane(PaneResponse::Hindered(self.hindrance(Guard::CopyMode)))
            }
            Err(error) => Response::Unavailable(error.to_string()),
        };
        drop(sending.answer.send(response));
        if !self.sendings.is_empty() {
            self.look_by(Instant::now() + TRY_AGAIN);
        }
        Ok(())
    }

    /// Why nothing may be typed now. Whoever forces it has looked: they are stopped only by what they have put there themselves.
    async fn stands_in_the_way(&mut self, force: bool) -> Result<Option<Hindrance>, TmuxError> {
        if !force {
            return self.closed().await;
        }
        if self.halted() {
            return Ok(Some(self.hindrance(Guard::Stopped)));
        }
        let in_mode = self.pane.capture(0, self.rows()).await?.in_mode;
        Ok(in_mode.then(|| {
            let hindrance = self.hindrance(Guard::CopyMode);
            Hindrance { why: format!("{}, where Enter is lost", hindrance.why), ..hindrance }
        }))
    }

    /// The lines of a text, if each can be typed as it is.
    fn fitting(&self, wish: &SendWish) -> Result<Vec<String>, Unfit> {
        let unfit =
            |code, why: String, cure: &str| Err(PaneResponse::Unfit { code, why, cure: cure.to_owned() });
        let text = wish.text.strip_suffix('\n').unwrap_or(&wish.text);
        let lines: Vec<&str> = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
        if lines.len() > 1 && (!wish.lines || !self.is_plain()) {
            let cure = match self.is_plain() {
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
        if let Some((at, found)) =
            lines.iter().find_map(|line| line.char_indices().find(|(_, c)| c.is_control()))
        {
            let why = format!(
                "the text has the control character U+{:04X} at byte {at} of a line",
                u32::from(found)
            );
            return unfit("not-printable", why, "remove it: only printable text is typed (spaces for a tab)");
        }
        let canonical = process::terminal_mode(&self.tty).is_ok_and(|mode| mode.canonical);
        let longest = lines.iter().map(|line| line.len()).max().unwrap_or(0);
        if canonical && longest > LINE_BYTES_MAX {
            let why = format!(
                "one line has {longest} bytes, and this terminal takes at most {LINE_BYTES_MAX} in a line: the rest would be lost"
            );
            return unfit("line-too-long", why, "write it into a file and send its path");
        }
        Ok(lines.into_iter().map(str::to_owned).collect())
    }

    async fn type_lines(&mut self, lines: &[String], force: bool) -> Result<PaneResponse, TmuxError> {
        let mut proven = true;
        for (at, line) in lines.iter().enumerate() {
            if at > 0 && !self.has_room_for(line).await {
                let why =
                    format!("{at} of {} lines were typed: its program has stopped reading", lines.len());
                return Ok(PaneResponse::Ready(false, Some(why)));
            }
            match self.send_line(line, force).await? {
                PaneResponse::Typed(shown) => proven &= shown,
                other => return Ok(other),
            }
        }
        self.has_entered(lines.last().map(String::as_str).unwrap_or_default()).await?;
        Ok(PaneResponse::Typed(proven))
    }

    /// Waits until the terminal has room for one more line.
    async fn has_room_for(&self, line: &str) -> bool {
        let deadline = Instant::now() + READ_WAIT;
        loop {
            let unread = usize::try_from(process::unread_input(&self.tty).unwrap_or(0)).unwrap_or(usize::MAX);
            if unread.saturating_add(line.len()) < LINE_BYTES_MAX {
                return true;
            }
            if Instant::now() >= deadline {
                return false;
            }
            tokio::time::sleep(READ_PAUSE).await;
        }
    }

    async fn send_line(&mut self, line: &str, force: bool) -> Result<PaneResponse, TmuxError> {
        self.forget_seen();
        let sign = sign_of(line);
        let before = self.text(0).await?.matches(sign).count();
        self.pane.paste(line).await?;
        let profile = &self.launch.profile;
        let wait_ms = if profile.echoes { profile.echo_wait_ms } else { 0 };
        let shown_by = Instant::now() + Duration::from_millis(wait_ms);
        // A program may take an Enter that comes sooner for a line break of the paste.
        tokio::time::sleep(Duration::from_millis(profile.enter_after_ms.max(profile.quiet_ms))).await;
        let (shown, boxed) = loop {
            let screen = self.pane.capture(0, self.rows()).await?;
            let shown = line.is_empty() || super::faces::rows_of(&screen).matches(sign).count() > before;
            let boxed = self.read(&screen).is_none_or(|read| read.has_in_box(line));
            if shown && boxed || Instant::now() >= shown_by {
                break (shown, boxed);
            }
            tokio::time::sleep(READ_PAUSE).await;
        };
        if !force && !boxed {
            let why = "the line is not shown in its input box; Enter was not pressed".to_owned();
            return Ok(PaneResponse::Ready(false, Some(why)));
        }
        if !force && let Some((guard, _)) = self.hands_off().await? {
            let hindrance = self.hindrance(guard);
            let why = format!("{}; the line is in its input, and Enter was not pressed", hindrance.why);
            return Ok(PaneResponse::Hindered(Hindrance { why, ..hindrance }));
        }
        self.pane.enter().await?;
        self.forget_told();
        self.look_by(Instant::now());
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
