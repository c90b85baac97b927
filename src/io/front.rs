//! The terminal of an agent that hands it on to what it runs, as a shell does: keys that interrupt go there meanwhile.

use rustix::io::Errno;
use rustix::process::{Pid, Signal, getpgid, getpgrp, getppid};
use rustix::termios::{tcgetpgrp, tcsetpgrp};
use std::io::{self, Write as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Command, ExitStatus, Stdio};

/// Bytes that are read at once: more than a line of a terminal, which has at most 4,096.
const READ_BYTES: usize = 64 * 1024;

/// The exit code of a program that panicked.
const PANICKED: i32 = 101;

/// What is typed, line by line. No thread and nothing else waits beside it, so that a daemon sees that the terminal is read.
#[derive(Debug, Default)]
pub struct Lines {
    rest: Vec<u8>,
}

impl Lines {
    /// The next line; none at the end of the input, or where the terminal is gone.
    ///
    /// # Errors
    /// What the terminal answers in any other case.
    pub fn read(&mut self) -> io::Result<Option<String>> {
        let mut piece = vec![0; READ_BYTES];
        loop {
            if let Some(end) = memchr::memchr(b'\n', &self.rest) {
                let line: Vec<u8> = self.rest.drain(..=end).collect();
                return Ok(Some(String::from_utf8_lossy(&line).trim_end().to_owned()));
            }
            match rustix::io::read(io::stdin(), &mut piece) {
                Ok(0) | Err(Errno::IO) => return Ok(None),
                Ok(read) => self.rest.extend_from_slice(piece.get(..read).unwrap_or_default()),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            // What is longer than any line is none.
            if self.rest.len() > READ_BYTES {
                self.rest.clear();
            }
        }
    }
}

/// Runs a program in front of this one, with this line as its standard input, and waits for its end. It has the terminal before it
/// gets the line, and gives it back by [`give_back`].
///
/// # Errors
/// If it cannot be started, or if it ended without giving the terminal back: nothing can be read there any more.
pub fn run_in_front(command: &mut Command, line: &str) -> io::Result<ExitStatus> {
    let mut child = command.stdin(Stdio::piped()).process_group(0).spawn()?;
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let Some(group) = group {
        // A pipe is no terminal, and has no front.
        let _ = tcsetpgrp(io::stdin(), group);
    }
    if let Some(mut input) = child.stdin.take() {
        // One that has ended already says so by its end.
        let _ = writeln!(input, "{line}");
    }
    let status = child.wait()?;
    match tcgetpgrp(io::stdin()) {
        Ok(front) if front != getpgrp() => {
            tcsetpgrp(io::stdin(), getpgrp())
                .map_err(|_| io::Error::other(format!("the terminal was not given back ({status})")))?;
        }
        _ => {}
    }
    Ok(status)
}

/// Whether a program that was run in front ended neither by itself nor as agents are ended.
#[must_use]
pub fn is_killed(status: ExitStatus) -> bool {
    let as_agents_end = [Signal::HUP, Signal::INT, Signal::QUIT, Signal::TERM];
    let is_end = |signal| as_agents_end.iter().any(|end| end.as_raw() == signal);
    status.signal().is_some_and(|signal| !is_end(signal)) || status.code() == Some(PANICKED)
}

/// Gives the terminal back to the program that has put this one in front.
pub fn give_back() {
    let above = getppid().and_then(|parent| getpgid(Some(parent)).ok());
    if let (Ok(front), Some(above)) = (tcgetpgrp(io::stdout()), above)
        && front == getpgrp()
    {
        // Who is gone needs no terminal.
        let _ = tcsetpgrp(io::stdout(), above);
    }
}
