//! What the service manager hears: sd_notify(3), datagrams to the socket that `NOTIFY_SOCKET` names.

use sd_notify::NotifyState;
use std::io;
use std::time::Duration;

/// One thing to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word {
    /// Start-up is over: what is asked from now on is answered.
    Ready,
    /// Everything was looked at, and it works.
    Alive,
    /// The end has begun.
    Stopping,
    /// One line for people, shown by `systemctl status`.
    Status(String),
}

/// A service manager that wants to hear of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notifier {
    watchdog: Option<Duration>,
}

impl Notifier {
    /// The one that started this process; none if none did, or if it does not want to hear anything.
    #[must_use]
    pub fn of_this_process() -> Option<Self> {
        std::env::var_os("NOTIFY_SOCKET").filter(|path| !path.is_empty())?;
        // Zero would be a timer that never rests; systemd does not set it.
        let watchdog = sd_notify::watchdog_enabled().filter(|time| !time.is_zero());
        Some(Self { watchdog })
    }

    /// How often it has to hear [`Word::Alive`]: half the time after which it ends us, as sd_watchdog_enabled(3)
    /// recommends; none if it has no watchdog.
    #[must_use]
    pub fn heartbeat(self) -> Option<Duration> {
        self.watchdog.map(|time| time / 2)
    }

    /// Says it. May wait while the manager does not read.
    ///
    /// # Errors
    /// If the socket is gone.
    pub fn say(self, word: &Word) -> io::Result<()> {
        sd_notify::notify(&[match word {
            Word::Ready => NotifyState::Ready,
            Word::Alive => NotifyState::Watchdog,
            Word::Stopping => NotifyState::Stopping,
            // A second line would be another word.
            Word::Status(line) => return say_status(&line.replace(char::is_control, " ")),
        }])
    }
}

fn say_status(line: &str) -> io::Result<()> {
    sd_notify::notify(&[NotifyState::Status(line)])
}
