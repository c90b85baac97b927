//! The processes of a check or of a one-shot program, which end with it; and those that somebody who was killed has left.

use crate::engine::words::{Millis, ProcessKey};
use crate::io::chance::chance;
use crate::io::process::{Bearer, Family, alive, bearers, wait_gone};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open, pidfd_send_signal};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// The name that every process bears in its environment, with a value of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bears {
    /// A check's; the daemon ends those that one before it has left.
    Check,
    /// A one-shot program's, which belongs to a turn and goes on without a daemon.
    Turn,
}

impl Bears {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Check => "TASUKI_CHECK",
            Self::Turn => "TASUKI_TURN",
        }
    }
}
/// How long it may take until all are gone after the end or the limit.
pub(super) const GONE_WITHIN: Duration = Duration::from_secs(2);
/// How often nobody must be seen: a process that becomes another program has no environment at that moment.
const CLEAN_LOOKS: u32 = 3;
/// The same once somebody was seen who had left the group: what starts itself anew and ends is passed by in one look of two where
/// the machine is busy.
const CLEAN_LOOKS_AFTER_ONE: u32 = 25;
/// Between two such looks. A program takes a tenth of it to begin.
const LOOK_AGAIN: Duration = Duration::from_millis(10);
/// Letters that tell one check of a workspace, or one turn of an agent, from the others.
const OWN_LEN: usize = 32;

/// What the processes of one check bear: letters of its own, then whose they are, such as the folder of its workspace.
pub(super) fn mark_of(whose: &OsStr) -> OsString {
    let random = || chance(Millis(u64::from(std::process::id())));
    let mut mark = OsString::from(format!("{:016x}{:016x} ", random(), random()));
    mark.push(whose);
    mark
}

/// Ends whom the checks of this workspace have left that ran when its daemon was killed; whether nobody of them is left. Whoever
/// asks is the only one who may run checks there.
pub async fn end_left(root: &Path) -> bool {
    end_left_of(Bears::Check, root.as_os_str()).await
}

/// The same of those that bear this.
pub(super) async fn end_left_of(bears: Bears, whose: &OsStr) -> bool {
    let whose = whose.to_owned();
    let is_left = move |var: &OsStr| {
        let after = var.as_bytes().split_at_checked(OWN_LEN).map(|(_, after)| after);
        after.and_then(|after| after.strip_prefix(b" ")) == Some(whose.as_bytes())
    };
    end_until_none(bears, is_left, None, Instant::now() + GONE_WITHIN).await
}

/// The processes of a check, or of a one-shot program. They are ended when nobody waits for it any more, too.
pub(super) struct Leash {
    pub(super) bears: Bears,
    pub(super) group: Option<Pid>,
    pub(super) mark: Option<OsString>,
}

impl Leash {
    /// Ends the group, the program's descendants, and whoever bears the mark, until nobody is left or the time is over.
    pub(super) async fn end_all(&mut self, program: Option<ProcessKey>, over: Instant) {
        let group = self.group;
        let Some(mark) = self.mark.clone() else { return end_group(group) };
        let others = program.map(Family::of);
        end_group(group);
        others.iter().flat_map(Family::living).for_each(end);
        end_until_none(self.bears, move |var| var == mark, group, over).await;
    }
}

/// Ends those who bear what is meant until nobody is left, which it says, or the time is over.
async fn end_until_none(
    bears: Bears,
    is_meant: impl Fn(&OsStr) -> bool + Clone + Send + 'static,
    group: Option<Pid>,
    over: Instant,
) -> bool {
    let (mut clean, mut wanted) = (0, CLEAN_LOOKS);
    // A look that nobody waits for any more goes on, and would take what is started from now on for what was left.
    let is_over = Arc::new(AtomicBool::new(false));
    while clean < wanted {
        let (is_meant, gone_by) = (is_meant.clone(), is_over.clone());
        let is_meant = move |var: &OsStr| !gone_by.load(Ordering::SeqCst) && is_meant(var);
        let look = tokio::task::spawn_blocking(move || end_bearers(bears, is_meant));
        let Ok(Ok(left)) = timeout_at(over, look).await else {
            is_over.store(true, Ordering::SeqCst);
            tracing::warn!("processes of a check could not be ended");
            return false;
        };
        if left.is_empty() {
            clean += 1;
            // What becomes another program has its environment again by then.
            if clean < wanted {
                tokio::time::sleep(LOOK_AGAIN).await;
            }
        } else {
            (clean, wanted) = (0, CLEAN_LOOKS_AFTER_ONE);
            end_group(group);
        }
        for key in left {
            let _ = timeout_at(over, wait_gone(key)).await;
        }
    }
    true
}

impl Drop for Leash {
    fn drop(&mut self) {
        end_group(self.group);
        if let Some(mark) = &self.mark {
            end_bearers(self.bears, |var| var == mark);
        }
    }
}

/// Whether a process of a check works in this folder, also one that a killed daemon has left.
pub(in crate::io) fn runs_in(folder: &Path) -> bool {
    let place = |bearer: Bearer| std::fs::read_link(format!("/proc/{}/cwd", bearer.process.pid)).ok();
    bearers(Bears::Check.name()).filter_map(place).any(|place| place.starts_with(folder))
}

/// The program is not collected before, so that its number is nobody else's.
fn end_group(group: Option<Pid>) {
    if let Some(group) = group {
        // Where it is gone there is nothing to end.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Ends all that bear what is meant, with whom they have started; who they were.
fn end_bearers(bears: Bears, is_meant: impl Fn(&OsStr) -> bool) -> Vec<ProcessKey> {
    let name = bears.name();
    let found = bearers(name).filter(|bearer| bearer.var(name).is_some_and(&is_meant));
    // A daemon that a check of a killed one has started is none of those that it ends.
    let keys = found.map(|bearer| bearer.process).filter(|key| key.pid != std::process::id());
    // What stands still starts nobody while the others are looked for.
    let keys = keys.inspect(|key| signal(*key, Signal::STOP));
    let families = Family::all_of(&keys.collect::<Vec<_>>());
    let keys: Vec<ProcessKey> = families.iter().flat_map(Family::living).collect();
    keys.iter().copied().for_each(end);
    keys
}

fn end(key: ProcessKey) {
    signal(key, Signal::KILL);
}

/// Signals this very process.
fn signal(key: ProcessKey, signal: Signal) {
    let Some(pid) = i32::try_from(key.pid).ok().and_then(Pid::from_raw) else { return };
    // Only once the number is held can nobody else come to have it.
    if let Ok(held) = pidfd_open(pid, PidfdFlags::empty())
        && alive(key)
    {
        let _ = pidfd_send_signal(held, signal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;
    use std::process::{Child, Command, Stdio};
    use std::sync::mpsc;

    fn bearer(mark: &str) -> Child {
        let mut sleep = Command::new("sleep");
        sleep.arg("60").env(Bears::Check.name(), mark).stdin(Stdio::null()).spawn().unwrap()
    }

    #[tokio::test]
    async fn a_look_that_takes_too_long_ends_nobody_whom_it_meets_after_that() {
        let whose = format!("leash {}", std::process::id());
        let mut both = [bearer(&whose), bearer(&whose)];
        // On a busy machine the time may be over before the first one is met: then it gets more.
        let mut within = Duration::from_millis(50);
        let (looks, go) = loop {
            let ((at_it, looks), (may_go, go)) = (mpsc::channel(), std::io::pipe().unwrap());
            let (ours, may_go) = (OsString::from(&whose), Arc::new(may_go));
            // It is at the first one, and stays there until it is told to go on.
            let is_meant = move |var: &OsStr| {
                let is_ours = var == ours;
                if is_ours {
                    at_it.send(()).unwrap();
                    // There is nothing to be read, and an end once the other side is dropped.
                    assert_eq!(may_go.as_ref().read(&mut [0]).unwrap(), 0);
                }
                is_ours
            };
            assert!(!end_until_none(Bears::Check, is_meant, None, Instant::now() + within).await);
            if looks.recv().is_ok() {
                break (looks, go);
            }
            within *= 4;
        };
        drop(go);
        // It is over once nobody can tell of another one. The other one may have begun since, and is not asked about.
        assert_eq!(looks.iter().count(), 0);
        for child in &mut both {
            let _ = child.kill();
            child.wait().unwrap();
        }
    }
}
