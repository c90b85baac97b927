//! The two ends of the agent's terminal: what is read, what is written, and the terminal's modes. A pipe will do,
//! without modes.

use std::io::{BufWriter, Stdin, Stdout, Write as _};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::termios::{LocalModes, OptionalActions, QueueSelector, Termios};

/// Bytes that are read at once: more than a line of a terminal, which has at most 4,096.
pub(super) const READ_BYTES: usize = 64 * 1024;
/// Columns and rows where nobody can be asked.
const SIZE_UNKNOWN: (usize, usize) = (80, 24);

/// Why what is being played does not go on.
#[derive(Debug)]
pub(super) enum Stop {
    /// The program ends with this code.
    Exit(u8),
    /// The turn is over before its last action; the word says why.
    TurnOver(&'static str),
    /// The terminal does not answer.
    Lost(std::io::Error),
}

impl Stop {
    /// The exit code of a program that ends so.
    ///
    /// # Errors
    /// What the terminal answered, if that is why it ends.
    pub(super) fn code(self) -> std::io::Result<u8> {
        match self {
            Self::Exit(code) => Ok(code),
            Self::TurnOver(_) => Ok(0),
            Self::Lost(error) => Err(error),
        }
    }
}

impl From<std::io::Error> for Stop {
    /// A terminal or pipe that was closed is the ordinary end of an agent.
    fn from(error: std::io::Error) -> Self {
        let closed = error.kind() == std::io::ErrorKind::BrokenPipe
            || error.raw_os_error() == Some(Errno::IO.raw_os_error());
        if closed { Self::Exit(0) } else { Self::Lost(error) }
    }
}

impl From<Errno> for Stop {
    fn from(error: Errno) -> Self {
        std::io::Error::from(error).into()
    }
}

/// The terminal.
#[derive(Debug)]
pub(super) struct Tty {
    input: Stdin,
    out: BufWriter<Stdout>,
    /// The modes at the start; none if the input is no terminal.
    modes: Option<Termios>,
    echo: bool,
}

impl Tty {
    pub(super) fn open() -> Self {
        let input = std::io::stdin();
        let modes = rustix::termios::tcgetattr(&input).ok();
        let echo = modes.as_ref().is_some_and(|modes| modes.local_modes.contains(LocalModes::ECHO));
        Self { input, out: BufWriter::with_capacity(READ_BYTES, std::io::stdout()), modes, echo }
    }

    /// Whether what is typed is shown by the terminal itself.
    pub(super) fn echoes(&self) -> bool {
        self.echo
    }

    /// Lines, with or without echo. Input that waits is kept.
    pub(super) fn lines(&mut self, echo: bool) -> Result<(), Stop> {
        let Some(mut modes) = self.modes.clone() else { return Ok(()) };
        modes.local_modes.set(LocalModes::ECHO, echo);
        self.echo = echo;
        self.set(&modes)
    }

    /// Raw bytes, no echo. Input that waits is kept.
    pub(super) fn raw(&mut self) -> Result<(), Stop> {
        let Some(mut modes) = self.modes.clone() else { return Ok(()) };
        modes.make_raw();
        self.echo = false;
        self.set(&modes)
    }

    /// The modes as they were at the start.
    pub(super) fn restore(&mut self) -> Result<(), Stop> {
        let Some(modes) = self.modes.clone() else { return Ok(()) };
        self.set(&modes)
    }

    /// Forgets what was typed and not read.
    pub(super) fn forget_input(&self) -> Result<(), Stop> {
        if self.modes.is_some() {
            rustix::termios::tcflush(&self.input, QueueSelector::IFlush)?;
        }
        Ok(())
    }

    /// Columns and rows now.
    pub(super) fn size(&self) -> (usize, usize) {
        match rustix::termios::tcgetwinsize(self.out.get_ref()) {
            Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col.into(), size.ws_row.into()),
            _ => SIZE_UNKNOWN,
        }
    }

    /// Writes; it is shown at the next [`Self::flush`] at the latest.
    pub(super) fn write(&mut self, text: &str) -> Result<(), Stop> {
        Ok(self.out.write_all(text.as_bytes())?)
    }

    /// Shows all that was written.
    pub(super) fn flush(&mut self) -> Result<(), Stop> {
        Ok(self.out.flush()?)
    }

    /// One read: in lines mode at most one line, so that the next one stays in the terminal, where others can see
    /// that it was not taken. Nothing at the end of the input.
    pub(super) fn read<'a>(&self, buffer: &'a mut [u8]) -> Result<&'a [u8], Stop> {
        loop {
            match rustix::io::read(&self.input, &mut *buffer) {
                Ok(count) => return Ok(buffer.get(..count).unwrap_or_default()),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Waits until there is something to read; `false` if `time` passed first.
    pub(super) fn readable_within(&self, time: Option<Duration>) -> Result<bool, Stop> {
        let timeout = time.map(|time| Timespec {
            tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: time.subsec_nanos().into(),
        });
        let mut input = [PollFd::new(&self.input, PollFlags::IN)];
        match rustix::event::poll(&mut input, timeout.as_ref()) {
            Ok(ready) => Ok(ready > 0),
            // A signal such as a change of size: whoever waits looks at the clock again.
            Err(Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn set(&mut self, modes: &Termios) -> Result<(), Stop> {
        self.flush()?;
        Ok(rustix::termios::tcsetattr(&self.input, OptionalActions::Now, modes)?)
    }
}
