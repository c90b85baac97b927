//! Whether the programs of a terminal wait for its input, and for nothing else.

use super::record::record;
use rustix::io::Errno;
use std::io;
use std::path::Path;

/// Programs that are looked at on one terminal; with more of them something is surely under way.
const PROCESSES_MAX: usize = 64;

/// What a program calls its own terminal.
const OWN_TTY: &str = "/dev/tty";

/// What a thread does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doing {
    /// It reads the terminal.
    Reads,
    /// It waits until another program ends.
    Waits,
    /// Anything else.
    Works,
}

/// Whether a program and all that it started wait for input from this terminal: each of their threads reads it, or waits for
/// a program that does. A program that waits in any other way, as with `poll`, may be at work. `None` where the kernel does
/// not let us look.
#[must_use]
pub fn waits_for_input(pid: u32, tty: &Path) -> Option<bool> {
    let mut reads = false;
    let mut ahead = vec![pid];
    let mut seen = 0;
    while let Some(pid) = ahead.pop() {
        seen += 1;
        if seen > PROCESSES_MAX {
            return Some(false);
        }
        for thread in known(std::fs::read_dir(format!("/proc/{pid}/task")))?.into_iter().flatten() {
            let thread = thread.ok()?.path();
            match doing(pid, &thread, tty)? {
                Doing::Works => return Some(false),
                Doing::Reads => reads = true,
                Doing::Waits => {}
            }
            let children = known(std::fs::read_to_string(thread.join("children")))?.unwrap_or_default();
            ahead.extend(children.split_ascii_whitespace().filter_map(|child| child.parse::<u32>().ok()));
        }
    }
    Some(reads)
}

/// Whether a program is certainly at something: it computes or sleeps, or waits for one that does. One that waits for events in any
/// way, or reads its terminal, may be free, whatever goes on beside it.
#[must_use]
pub fn surely_works(pid: u32) -> bool {
    workers_of(pid).is_some_and(|workers| !workers.is_empty())
}

/// The programs at which it hangs that this one goes on: itself, or those that it waits for, if each computes or sleeps. `None` where
/// one of them does anything else.
fn workers_of(pid: u32) -> Option<Vec<u32>> {
    let (mut workers, mut ahead, mut seen) = (Vec::new(), vec![pid], 0);
    while let Some(pid) = ahead.pop() {
        seen += 1;
        match at_work(pid) {
            _ if seen > PROCESSES_MAX => return Some(workers),
            AtWork::Surely => workers.push(pid),
            AtWork::Perhaps => return None,
            AtWork::Others => {
                let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
                let children = children.unwrap_or_default();
                ahead.extend(children.split_ascii_whitespace().filter_map(|child| child.parse::<u32>().ok()));
            }
        }
    }
    Some(workers)
}

/// How often the programs by which this one is surely at work ([`surely_works`]) have waited for something and gone on, by process:
/// equal twice while they sleep or compute through, and another each time where they only sleep between two looks. `None` where the
/// kernel does not say, where it is not surely at work, and where one of them has several threads, of which another one may look
/// for input.
#[must_use]
pub fn times_woken(pid: u32) -> Option<Vec<(u32, u64)>> {
    let workers = workers_of(pid).filter(|workers| !workers.is_empty())?;
    workers.into_iter().map(|worker| Some((worker, woken(worker)?))).collect()
}

fn woken(pid: u32) -> Option<u64> {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).ok()?.count();
    let status = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/status")).ok()?;
    let count = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?;
    count.trim().parse().ok().filter(|_| threads == 1)
}

/// What a program's first thread does.
enum AtWork {
    /// It computes or sleeps.
    Surely,
    /// It waits for input, or for something else, or is gone.
    Perhaps,
    /// It waits until another program ends.
    Others,
}

fn at_work(pid: u32) -> AtWork {
    let path = format!("/proc/{pid}/task/{pid}");
    if let Ok(call) = record(format!("{path}/syscall")) {
        let number = call.split_ascii_whitespace().next().unwrap_or_default();
        return match number.parse::<libc::c_long>() {
            Ok(libc::SYS_nanosleep | libc::SYS_clock_nanosleep) => AtWork::Surely,
            Ok(libc::SYS_wait4 | libc::SYS_waitid) => AtWork::Others,
            Err(_) if number == "running" => AtWork::Surely,
            _ => AtWork::Perhaps,
        };
    }
    match record(format!("{path}/wchan")).unwrap_or_default().trim() {
        "hrtimer_nanosleep" | "do_nanosleep" | "common_nsleep" => AtWork::Surely,
        "do_wait" => AtWork::Others,
        _ => AtWork::Perhaps,
    }
}

/// What a thread does, by the call that it is in; where that is a secret to all but its tracer, by where in the kernel it
/// sleeps.
fn doing(pid: u32, thread: &Path, tty: &Path) -> Option<Doing> {
    match record(thread.join("syscall")) {
        Ok(call) => Some(by_call(&call, pid, tty)),
        Err(error) if is_gone(&error) => Some(Doing::Waits),
        Err(_) => match known(record(thread.join("wchan")))? {
            Some(place) => by_place(&place, pid, tty),
            None => Some(Doing::Waits),
        },
    }
}

/// By `running`, or the number of the call and its arguments (proc(5), `syscall`). A `poll` or `select` for one file and for
/// ever is a read, if that file can only be the terminal.
fn by_call(call: &str, pid: u32, tty: &Path) -> Doing {
    let mut words = call.split_ascii_whitespace();
    let number = words.next().and_then(|word| word.parse::<libc::c_long>().ok());
    let arguments: Vec<u64> =
        words.filter_map(|word| u64::from_str_radix(word.trim_start_matches("0x"), 16).ok()).collect();
    let argument = |index: usize| arguments.get(index).copied();
    let reads = match number {
        Some(libc::SYS_wait4 | libc::SYS_waitid) => return Doing::Waits,
        Some(libc::SYS_read) => argument(0).is_some_and(|file| is_open_as(pid, file, tty)),
        Some(libc::SYS_pselect6) => {
            argument(0) == Some(1) && argument(4) == Some(0) && is_open_as(pid, 0, tty)
        }
        Some(libc::SYS_ppoll) => {
            argument(1) == Some(1) && argument(2) == Some(0) && only_terminal(pid, tty) == Some(true)
        }
        #[cfg(target_arch = "x86_64")]
        Some(libc::SYS_select) => argument(0) == Some(1) && argument(4) == Some(0) && is_open_as(pid, 0, tty),
        #[cfg(target_arch = "x86_64")]
        Some(libc::SYS_poll) => {
            // The time is an `int`: what is above its 32 bits means nothing.
            let for_ever = argument(2).is_some_and(|time| time & 0xFFFF_FFFF == 0xFFFF_FFFF);
            argument(1) == Some(1) && for_ever && only_terminal(pid, tty) == Some(true)
        }
        _ => false,
    };
    if reads { Doing::Reads } else { Doing::Works }
}

fn is_open_as(pid: u32, file: u64, tty: &Path) -> bool {
    std::fs::read_link(format!("/proc/{pid}/fd/{file}")).is_ok_and(|path| is_terminal(&path, tty))
}

/// By the function in which it sleeps (proc(5), `wchan`). Readers of a terminal, of a socket and of what watches files sleep
/// in the same one, so that there may be none of the others.
fn by_place(place: &str, pid: u32, tty: &Path) -> Option<Doing> {
    match place.trim() {
        "do_wait" => return Some(Doing::Waits),
        "wait_woken" | "n_tty_read" => {}
        _ => return Some(Doing::Works),
    }
    match only_terminal(pid, tty)? {
        true => Some(Doing::Reads),
        false => Some(Doing::Works),
    }
}

/// Whether the terminal is all that a program has open to wait for: no socket, no pipe, nothing that tells events.
fn only_terminal(pid: u32, tty: &Path) -> Option<bool> {
    const OTHERS: [&[u8]; 3] = [b"socket:", b"pipe:", b"anon_inode:"];
    let mut has_terminal = false;
    for file in known(std::fs::read_dir(format!("/proc/{pid}/fd")))?.into_iter().flatten() {
        let Some(what) = known(std::fs::read_link(file.ok()?.path()))? else { continue };
        has_terminal |= is_terminal(&what, tty);
        if OTHERS.iter().any(|kind| what.as_os_str().as_encoded_bytes().starts_with(kind)) {
            return Some(false);
        }
    }
    Some(has_terminal)
}

fn is_terminal(path: &Path, tty: &Path) -> bool {
    path == tty || path == Path::new(OWN_TTY)
}

/// What was read; nothing if the program has ended meanwhile, and `None` if we may not look.
fn known<T>(read: io::Result<T>) -> Option<Option<T>> {
    match read {
        Ok(read) => Some(Some(read)),
        Err(error) if is_gone(&error) => Some(None),
        Err(_) => None,
    }
}

fn is_gone(error: &io::Error) -> bool {
    [Errno::NOENT, Errno::SRCH].iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use std::io::Read as _;
    use std::os::unix::process::CommandExt as _;
    use std::path::PathBuf;
    use std::process::{Child, Command};
    use std::time::Duration;
    use tokio::time::Instant;

    /// A program on a terminal of its own; the terminal lives as long as its other end.
    fn start(script: &str) -> (Child, PathBuf, rustix::fd::OwnedFd) {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let tty = PathBuf::from(ptsname(&master, Vec::new()).unwrap().to_str().unwrap());
        let open = || std::fs::File::options().read(true).write(true).open(&tty).unwrap();
        let mut command = Command::new("bash");
        // As tmux starts a program: with nothing open but its terminal.
        let close = r#"for f in /proc/$$/fd/*; do n=${f##*/}; [ "$n" -gt 2 ] && eval "exec $n>&-"; done 2>/dev/null; "#;
        command
            .args(["-c", &format!("{close}{script}")])
            .stdin(open())
            .stdout(open())
            .stderr(open())
            .process_group(0);
        (command.spawn().unwrap(), tty, master)
    }

    /// What is seen of it once it is what it should be, or after a second.
    fn seen(script: &str, wanted: bool, look: impl Fn(u32, &Path) -> Option<bool>) -> Option<bool> {
        let (mut child, tty, _master) = start(script);
        let begin = Instant::now();
        let mut seen = None;
        while begin.elapsed() < Duration::from_secs(10) {
            seen = look(child.id(), &tty);
            let settled = begin.elapsed() > Duration::from_millis(700);
            if seen.is_none() || (settled && seen == Some(wanted)) {
                break;
            }
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        seen
    }

    #[test]
    fn whoever_sleeps_through_is_told_from_who_sleeps_between_two_looks() {
        let moves = |begins: &str, program: &str| {
            let mut child = std::process::Command::new("python3");
            child.args(["-uc", &format!("import time, select, threading; {begins}; print(); {program}")]);
            let mut child = child.stdout(std::process::Stdio::piped()).spawn().unwrap();
            child.stdout.take().unwrap().read_exact(&mut [0]).unwrap();
            let until = Instant::now() + Duration::from_millis(700);
            let mut counts = std::collections::BTreeSet::new();
            while Instant::now() < until {
                counts.extend(times_woken(child.id()));
                std::thread::yield_now();
            }
            child.kill().unwrap();
            child.wait().unwrap();
            (!counts.is_empty()).then_some(counts.len())
        };
        let sleeps = moves("0", "time.sleep(100)");
        let thread = "threading.Thread(target=time.sleep, args=[100]).start()";
        assert_eq!(moves(thread, "time.sleep(100)"), None, "another thread may look for input");
        let waits = moves("__import__('os').fork() and __import__('os').wait()", "time.sleep(2)");
        assert_eq!(waits.is_some(), sleeps.is_some(), "for one that sleeps: {waits:?}");
        assert!(waits.is_none_or(|times| times <= 5), "{waits:?}");
        let looks = moves("0", "[(select.select([], [], [], 0), time.sleep(0.05)) for _ in range(10000)]");
        // What it does before it sleeps may count once or twice.
        assert!(sleeps.is_none_or(|times| times <= 3), "{sleeps:?}");
        assert!(looks.is_none_or(|times| times > 5), "{looks:?}");
    }

    #[test]
    fn whoever_reads_the_terminal_waits_for_it_and_nobody_else_does() {
        let reader = "read -r x";
        if seen(reader, true, waits_for_input).is_none() {
            println!("NOT TESTED: this machine does not show what processes do");
            return;
        }
        assert_eq!(seen(reader, true, waits_for_input), Some(true));
        assert_eq!(seen("bash -c 'read -r x; true'; true", true, waits_for_input), Some(true));
        assert_eq!(seen("sleep 100; true", false, waits_for_input), Some(false));
        let works = |pid: u32, _: &Path| Some(surely_works(pid));
        assert_eq!(seen("sleep 100; true", true, works), Some(true));
        assert_eq!(seen("while :; do :; done", true, works), Some(true));
        assert_eq!(seen("read -r x", false, works), Some(false));
        assert_eq!(seen("read -r -t 100 x", false, works), Some(false));
        assert_eq!(seen("sleep 100 & read -r x", false, works), Some(false));
        assert_eq!(seen("python3 -c 'import time; time.sleep(100)'; true", true, works), Some(true));
        assert_eq!(seen("sleep 100 & read -r x", false, waits_for_input), Some(false), "it works beside");
        assert_eq!(seen("while :; do :; done", false, waits_for_input), Some(false));
        let python = |text: &str| format!("exec python3 -c 'import select, sys, socket; {text}'");
        for waits in
            ["input()", "select.select([0], [], [])", "p = select.poll(); p.register(0, 1); p.poll()"]
        {
            assert_eq!(seen(&python(waits), true, waits_for_input), Some(true), "{waits}");
        }
        for works in [
            "select.select([0], [], [], 100)",
            "s = socket.socketpair(); select.select([0, s[0]], [], [])",
            "s = socket.socketpair(); p = select.poll(); p.register(s[0], 1); p.poll()",
            "s = socket.socketpair(); s[0].recv(1)",
        ] {
            assert_eq!(seen(&python(works), false, waits_for_input), Some(false), "{works}");
        }
        assert_eq!(seen("read -r x < <(sleep 100)", false, waits_for_input), Some(false), "it reads a pipe");
        let place = |pid: u32, tty: &Path| {
            let place = std::fs::read_to_string(format!("/proc/{pid}/wchan")).ok()?;
            by_place(&place, pid, tty).map(|doing| doing == Doing::Reads)
        };
        assert_eq!(seen(reader, true, place), Some(true), "and by where it sleeps");
        assert_eq!(seen("exec sleep 100", false, place), Some(false));
    }
}
