//! From a trace of a scene to the points at which something may happen to it.

use crate::syscalls::scenes::Scene;
use std::collections::BTreeMap;
use std::fmt;

/// What happens at a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    /// The daemon is killed, and the call is not made.
    KillBefore,
    /// The call is made, and the daemon is killed before its thread makes another one.
    KillAfter,
    /// It fails once.
    Error(&'static str),
    /// It fails from now on, until the tracer leaves.
    Errors(&'static str),
}

/// A call that changes something, as far as it can be aimed at.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Aim {
    pub(crate) call: String,
    /// The file or folder that it names, `{root}` being the workspace; none for all calls of that name in any thread.
    pub(crate) place: Option<String>,
}

/// One thing that happens at one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Point {
    pub(crate) aim: Aim,
    /// The first call of its thread is 1.
    pub(crate) nth: u32,
    pub(crate) fault: Fault,
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.aim.place.as_deref().unwrap_or("anything");
        write!(f, "{:?} at {} {place} #{}", self.fault, self.aim.call, self.nth)
    }
}

/// Calls that change nothing that outlives the process; whatever else is traced counts.
const HARMLESS: &[&str] = &[
    "access",
    "brk",
    "bpf",
    "chdir",
    "clone",
    "clone3",
    "close",
    "dup",
    "dup2",
    "dup3",
    "epoll_create1",
    "epoll_ctl",
    "epoll_pwait",
    "epoll_wait",
    "eventfd2",
    "execve",
    "exit",
    "exit_group",
    "faccessat",
    "faccessat2",
    "fadvise64",
    "fchdir",
    "fcntl",
    "flock",
    "fork",
    "fstat",
    "fstatfs",
    "getcwd",
    "getdents64",
    "inotify_add_watch",
    "inotify_init1",
    "inotify_rm_watch",
    "ioctl",
    "lseek",
    "lstat",
    "mmap",
    "newfstatat",
    "open",
    "openat",
    "openat2",
    "pidfd_open",
    "pidfd_send_signal",
    "pipe2",
    "poll",
    "ppoll",
    "pread64",
    "preadv",
    "prlimit64",
    "pselect6",
    "read",
    "readahead",
    "readlink",
    "readlinkat",
    "readv",
    "recvfrom",
    "recvmsg",
    "select",
    "shutdown",
    "signalfd4",
    "stat",
    "statfs",
    "statx",
    "timerfd_create",
    "timerfd_settime",
    "uname",
    "vfork",
    "wait4",
    "waitid",
];
/// Errors of disks.
const ERRORS: [&str; 3] = ["EIO", "ENOSPC", "EROFS"];
/// Beyond what the trace shows a call is aimed at this many times more: until nothing is met, as a run is never quite
/// like another.
const BEYOND: u32 = 1;

/// All points of a scene.
pub(crate) fn of(scene: &Scene, trace: &str) -> Vec<Point> {
    let mut points = Vec::new();
    for (aim, times) in aims(trace) {
        let point = |nth, fault| Point { aim: aim.clone(), nth, fault };
        for nth in 1..=times + BEYOND {
            points.push(point(nth, Fault::KillBefore));
        }
        if aim.place.is_none() {
            continue;
        }
        for nth in 1..=times {
            points.push(point(nth, Fault::KillAfter));
            points.extend(ERRORS.map(|error| point(nth, Fault::Error(error))));
        }
        if !scene.starts {
            points.extend(ERRORS.map(|error| point(1, Fault::Errors(error))));
        }
    }
    points
}

/// Each aim, and how often it is met. A call is aimed at by its place where that is the same in each run, and by its name
/// alone, for the kills.
fn aims(trace: &str) -> BTreeMap<Aim, u32> {
    let mut aims = BTreeMap::new();
    let mut threads: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    for line in trace.lines() {
        let Some((thread, rest)) = line.split_once(' ') else { continue };
        let Some((call, arguments)) = rest.trim_start().split_once('(') else { continue };
        if !changes(call, arguments) {
            continue;
        }
        *threads.entry((call, thread)).or_default() += 1;
        if let Some(place) = place(arguments).filter(|place| is_steady(place)) {
            *aims.entry(Aim { call: call.to_owned(), place: Some(place.to_owned()) }).or_default() += 1;
        }
    }
    for ((call, _), times) in threads {
        let most = aims.entry(Aim { call: call.to_owned(), place: None }).or_default();
        *most = times.max(*most);
    }
    aims
}

/// Whether a call changes something.
fn changes(call: &str, arguments: &str) -> bool {
    let is_call = call.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    let opens = call.starts_with("open") && arguments.contains("O_CREAT");
    let leases = call == "fcntl" && arguments.contains("F_SETLEASE");
    is_call && (!HARMLESS.contains(&call) || opens || leases)
}

/// What a call names first: the file of a descriptor, else a path.
fn place(arguments: &str) -> Option<&str> {
    if arguments.starts_with(|first: char| first.is_ascii_digit()) {
        return arguments.split_once('<')?.1.split_once('>').map(|(place, _)| place);
    }
    arguments.split_once('"')?.1.split_once('"').map(|(place, _)| place)
}

/// Whether it is the same in another run: a file of the workspace whose name is not made up.
fn is_steady(place: &str) -> bool {
    place.starts_with("{root}")
        && !["/msg-", "/.msg-", "/claim/"].iter().any(|made_up| place.contains(made_up))
}
