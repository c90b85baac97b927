//! Processes and their terminals, as the kernel knows them: who lives, when one ends, what it has not read yet.

mod bearers;
mod end;
mod family;
mod front;
mod key;
mod line_keys;
mod record;
mod strays;
mod terminal;
mod waiting;

pub use bearers::{Bearer, bearers};
pub(crate) use end::readable_now;
pub use end::{wait_exit, wait_gone};
pub use family::{Family, session_of};
pub use front::{is_bare_shell, name_in_front, runs_in_front};
pub use key::{alive, find, key_of};
pub use line_keys::{LineKeys, line_keys};
pub(crate) use strays::{end_stray_clients, end_stray_tmux};
pub use terminal::{TerminalMode, terminal_mode, unread_input};
pub use waiting::{surely_works, times_woken, waits_for_input};

use crate::engine::words::ProcessKey;
use record::record;
use rustix::param::clock_ticks_per_second;
use rustix::process::{Resource, Rlimit, Signal, getrlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};
use std::path::Path;
use std::time::Duration;

/// Files that the daemon may have open, if the machine allows it: one an agent, and room for a thousand of them several
/// times over. Not more, since the agents inherit it, and some programs walk through all that they may have.
const OPEN_FILES: u64 = 8_192;

/// The variables that the process was started with, as far as they are UTF-8; none if it is gone, or somebody else's.
#[must_use]
pub fn environment(pid: u32) -> Vec<(String, String)> {
    let bytes = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let pairs =
        bytes.split(|byte| *byte == 0).filter_map(|pair| std::str::from_utf8(pair).ok()?.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// For how long the process has run, in ticks of the kernel (10 ms as a rule); none if it is gone.
#[must_use]
pub fn age(key: ProcessKey) -> Option<Duration> {
    let key = key_of(key.pid).filter(|found| *found == key)?;
    let now = Duration::try_from(clock_gettime(ClockId::Boottime)).ok()?;
    let per_second = clock_ticks_per_second().max(1);
    let started = Duration::from_millis(key.start_ticks.saturating_mul(1_000) / per_second);
    Some(now.saturating_sub(started))
}

/// A moment since the machine was started, as a [`ProcessKey`] has it: in ticks of the kernel's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticks(pub u64);

/// This moment. None where the kernel does not say it.
#[must_use]
pub fn ticks() -> Option<Ticks> {
    let now = Duration::try_from(clock_gettime(ClockId::Boottime)).ok()?;
    let ticks = now.as_millis().saturating_mul(u128::from(clock_ticks_per_second())) / 1_000;
    u64::try_from(ticks).ok().map(Ticks)
}

/// Whether a file is there that we may run.
#[must_use]
pub fn is_program(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

/// Lets this process have more files open, where the machine allows it: each agent takes one. How many it may have.
pub fn raise_file_limit() -> u64 {
    let now = getrlimit(Resource::Nofile);
    let most = now.maximum.unwrap_or(OPEN_FILES).min(OPEN_FILES);
    if now.current.is_some_and(|current| current < most)
        && let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: Some(most), ..now })
    {
        tracing::warn!(%error, "the limit of open files could not be raised");
    }
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// Whether a program has handed its terminal on, as a shell does to what it runs: keys that interrupt go there, and not to it.
#[must_use]
pub fn has_handed_on(pid: u32) -> Option<bool> {
    let stat = record(format!("/proc/{pid}/stat")).ok()?;
    // Behind the name, which may hold anything: state, parent, group, session, terminal, and the group that has the terminal.
    let (_, fields) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
    let number = |at: usize| fields.get(at).and_then(|field| field.parse::<i64>().ok());
    Some(number(2)? != number(5)?)
}

/// The name of a signal without its `SIG`; what has no name is shown by its number.
#[must_use]
pub fn signal_name(number: i32) -> String {
    let names = [
        (Signal::HUP, "HUP"),
        (Signal::INT, "INT"),
        (Signal::QUIT, "QUIT"),
        (Signal::ILL, "ILL"),
        (Signal::TRAP, "TRAP"),
        (Signal::ABORT, "ABRT"),
        (Signal::BUS, "BUS"),
        (Signal::FPE, "FPE"),
        (Signal::KILL, "KILL"),
        (Signal::USR1, "USR1"),
        (Signal::SEGV, "SEGV"),
        (Signal::USR2, "USR2"),
        (Signal::PIPE, "PIPE"),
        (Signal::ALARM, "ALRM"),
        (Signal::TERM, "TERM"),
        (Signal::XCPU, "XCPU"),
        (Signal::XFSZ, "XFSZ"),
        (Signal::SYS, "SYS"),
    ];
    let name = names.iter().find(|(signal, _)| signal.as_raw() == number);
    name.map_or_else(|| number.to_string(), |(_, name)| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::end::LOOK_AGAIN;
    use super::key::read_stat;
    use super::terminal::terminal;
    use super::*;
    use rustix::fd::OwnedFd;
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
    use std::os::unix::process::CommandExt as _;
    use std::path::PathBuf;
    use std::process::{Child, Command, Stdio};
    use std::time::Duration;
    use tokio::time::timeout;

    const SOON: Duration = Duration::from_secs(10);

    /// A program that leads its own process group and ends when its input is closed.
    fn start(script: &str) -> (Child, ProcessKey) {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
        let child = command.spawn().unwrap();
        let key = key_of(child.id()).unwrap();
        (child, key)
    }

    fn pty() -> (OwnedFd, PathBuf) {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        (master, PathBuf::from(name.to_str().unwrap()))
    }

    /// Types, and waits for the echo: by then the terminal has it.
    fn typed(master: &OwnedFd, text: &[u8]) {
        rustix::io::write(master, text).unwrap();
        rustix::io::read(master, &mut [0; 100]).unwrap();
    }

    #[test]
    fn the_start_time_is_found_behind_any_name() {
        let rest = "R 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 777 20";
        for name in ["(sh)", "(a b)", "() 1 Z ((x)", "(日本)"] {
            assert_eq!(read_stat(&format!("5 {name} {rest}")), Some((777, false)), "{name}");
        }
        assert_eq!(read_stat(&format!("5 (sh) Z{}", &rest[1..])), Some((777, true)));
        assert_eq!(read_stat("5 (sh) R 1 2"), None);
        assert_eq!(read_stat(""), None);
    }

    #[tokio::test]
    async fn an_end_is_noticed_and_a_later_process_is_not_mistaken() {
        let (mut child, key) = start("read x; exit 3");
        assert!(alive(key));
        let later = ProcessKey { start_ticks: key.start_ticks + 1, ..key };
        assert!(!alive(later));
        timeout(SOON, wait_exit(later)).await.expect("another process is not waited for").unwrap();
        let waiting = tokio::spawn(wait_exit(key));
        assert!(timeout(Duration::from_millis(50), wait_exit(key)).await.is_err(), "it has not ended yet");
        drop(child.stdin.take());
        timeout(SOON, waiting).await.expect("its end is noticed").unwrap().unwrap();
        assert!(!alive(key), "what waits to be collected does not live");
        timeout(SOON, wait_exit(key)).await.expect("it has ended").unwrap();
        child.wait().unwrap();
        assert_eq!(key_of(key.pid), None);
        timeout(SOON, wait_exit(key)).await.expect("nobody has that number").unwrap();
    }

    #[tokio::test]
    async fn a_process_that_cannot_be_watched_is_not_taken_for_dead() {
        // In a process of its own, for no other test could open a file meanwhile.
        const ALONE: &str = "TASUKI_TEST_ALONE";
        if std::env::var_os(ALONE).is_none() {
            let name = "io::process::tests::a_process_that_cannot_be_watched_is_not_taken_for_dead";
            let mut alone = Command::new(std::env::current_exe().unwrap());
            let done = alone.args(["--exact", name]).env(ALONE, "1").output().unwrap();
            assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
            return;
        }
        let (mut child, key) = start("read x");
        let before = getrlimit(Resource::Nofile);
        setrlimit(Resource::Nofile, Rlimit { current: Some(64), ..before }).unwrap();
        let files: Vec<_> = std::iter::from_fn(|| std::fs::File::open("/dev/null").ok()).collect();
        assert!(wait_exit(key).await.is_err() && find(key.pid).is_err(), "nothing can be opened");
        let mut waiting = tokio::spawn(wait_gone(key));
        let twice = LOOK_AGAIN * 5 / 2;
        assert!(timeout(twice, &mut waiting).await.is_err(), "it may live");
        drop(files);
        assert!(timeout(twice, &mut waiting).await.is_err(), "it lives");
        drop(child.stdin.take());
        timeout(SOON, waiting).await.expect("its end is noticed").unwrap();
        child.wait().unwrap();
        raise_file_limit();
        let now = getrlimit(Resource::Nofile);
        assert_eq!(now.current, before.maximum.map(|most| most.min(OPEN_FILES)).or(Some(OPEN_FILES)));
        assert_eq!(now.maximum, before.maximum);
    }

    #[test]
    fn signals_have_names() {
        assert_eq!([9, 15, 11, 64].map(signal_name), ["KILL", "TERM", "SEGV", "64"]);
    }

    #[test]
    fn what_was_typed_and_not_read_is_counted() {
        let (master, tty) = pty();
        let slave = terminal(&tty).unwrap();
        assert_eq!(terminal_mode(&tty).unwrap(), TerminalMode { canonical: true, echo: true });
        typed(&master, "日本".as_bytes());
        assert_eq!(unread_input(&tty).unwrap(), 0, "a line that is not ended is not counted");
        typed(&master, b"\n");
        assert_eq!(unread_input(&tty).unwrap(), 7);
        rustix::io::read(&slave, &mut [0; 100]).unwrap();
        assert_eq!(unread_input(&tty).unwrap(), 0);
        let mut raw = tcgetattr(&slave).unwrap();
        raw.make_raw();
        raw.local_modes |= LocalModes::ECHO;
        tcsetattr(&slave, OptionalActions::Now, &raw).unwrap();
        assert_eq!(terminal_mode(&tty).unwrap(), TerminalMode { canonical: false, echo: true });
        typed(&master, b"x");
        assert_eq!(unread_input(&tty).unwrap(), 1, "a raw program is given each byte");
        raw.local_modes -= LocalModes::ECHO;
        tcsetattr(&slave, OptionalActions::Now, &raw).unwrap();
        assert_eq!(terminal_mode(&tty).unwrap(), TerminalMode { canonical: false, echo: false });
        drop(master);
        assert!(unread_input(Path::new("/dev/pts/no-such")).is_err());
    }
}
