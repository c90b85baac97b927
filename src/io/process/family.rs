//! A program and all that it started, to be ended with it. Each is known by its number and the time of its start, and is of the
//! program's session or descends from it: nobody else's process is ever meant.

use super::end::wait_gone;
use super::key::{alive, raw};
use super::record::record;
use crate::engine::words::ProcessKey;
use rustix::process::{PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// How long processes may take to end after SIGTERM, and to be gone after SIGKILL.
const ENDS_WITHIN: Duration = Duration::from_millis(500);
/// How often those are looked for that were started meanwhile.
const LOOKS: u32 = 4;

/// What the kernel says of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Facts {
    parent: u32,
    session: u32,
    start_ticks: u64,
    ended: bool,
}

/// A program, and those of its session and of its descendants that were seen alive.
#[derive(Debug, Clone)]
pub struct Family {
    leader: ProcessKey,
    seen: Vec<ProcessKey>,
}

impl Family {
    /// Looks who is there. A program that has ended has left those of its session.
    #[must_use]
    pub fn of(leader: ProcessKey) -> Self {
        let mut family = Self { leader, seen: Vec::new() };
        family.look();
        family
    }

    /// The same of many programs, of which most may have ended and left nobody: those of which somebody lives.
    #[must_use]
    pub fn all_of(leaders: &[ProcessKey]) -> Vec<Self> {
        let all = processes();
        let families = leaders.iter().map(|leader| {
            let mut family = Self { leader: *leader, seen: Vec::new() };
            family.look_among(&all);
            family
        });
        families.filter(|family| !family.seen.is_empty()).collect()
    }

    /// The program.
    #[must_use]
    pub fn leader(&self) -> ProcessKey {
        self.leader
    }

    /// Those that live.
    #[must_use]
    pub fn living(&self) -> Vec<ProcessKey> {
        self.seen.iter().copied().filter(|key| alive(*key)).collect()
    }

    /// Waits until all have ended by themselves, for so long at most; then ends those that live, and whom they have
    /// started since.
    pub async fn see_off(mut self, within: Duration) {
        wait_all(&self.living(), Instant::now() + within).await;
        for look in 0..LOOKS {
            self.look();
            let left = self.living();
            if left.is_empty() {
                return;
            }
            let signal = if look == 0 { Signal::TERM } else { Signal::KILL };
            tracing::debug!(?left, ?signal, "processes of a closed pane are ended");
            left.iter().for_each(|key| send(*key, signal));
            wait_all(&left, Instant::now() + ENDS_WITHIN).await;
        }
        tracing::warn!(left = ?self.living(), "processes of a closed pane could not be ended");
    }

    /// Takes note of all that are of it now.
    fn look(&mut self) {
        self.look_among(&processes());
    }

    fn look_among(&mut self, all: &BTreeMap<u32, Facts>) {
        let is_known = |pid: u32, facts: &Facts, seen: &[ProcessKey]| {
            seen.contains(&ProcessKey { pid, start_ticks: facts.start_ticks })
        };
        let ours = session_is_ours(self.leader, &self.seen, all);
        let mut found: Vec<ProcessKey> = Vec::new();
        loop {
            let before = found.len();
            for (pid, facts) in all {
                let key = ProcessKey { pid: *pid, start_ticks: facts.start_ticks };
                let of_session =
                    ours && facts.session == self.leader.pid && facts.start_ticks >= self.leader.start_ticks;
                let of_parent = all.get(&facts.parent).is_some_and(|parent| {
                    let parent = ProcessKey { pid: facts.parent, start_ticks: parent.start_ticks };
                    parent == self.leader || found.contains(&parent)
                });
                let is_of_it =
                    key == self.leader || of_session || of_parent || is_known(*pid, facts, &self.seen);
                if is_of_it && !facts.ended && *pid != std::process::id() && !found.contains(&key) {
                    found.push(key);
                }
            }
            if found.len() == before {
                break;
            }
        }
        self.seen = found;
    }
}

/// Whether a session of the leader's number is the leader's own. A number is not given again while anybody's session has it:
/// as long as the leader or one of those that were seen in it is there, it is; and without a process of that number it
/// cannot be a later one's that lives.
fn session_is_ours(leader: ProcessKey, seen: &[ProcessKey], all: &BTreeMap<u32, Facts>) -> bool {
    match all.get(&leader.pid) {
        Some(facts) => facts.start_ticks == leader.start_ticks,
        None if seen.is_empty() => true,
        None => seen.iter().any(|key| {
            all.get(&key.pid)
                .is_some_and(|facts| facts.start_ticks == key.start_ticks && facts.session == leader.pid)
        }),
    }
}

async fn wait_all(keys: &[ProcessKey], until: Instant) {
    for key in keys {
        // Whoever lives then is ended by force, or told.
        let _ = timeout_at(until, wait_gone(*key)).await;
    }
}

/// Sends a signal to this very process.
fn send(key: ProcessKey, signal: Signal) {
    let Some(pid) = raw(key.pid) else { return };
    // Only once the number is held can nobody else come to have it.
    if let Ok(held) = pidfd_open(pid, PidfdFlags::empty())
        && alive(key)
        && let Err(error) = pidfd_send_signal(held, signal)
    {
        tracing::debug!(%error, pid = key.pid, "a process of a closed pane cannot be ended");
    }
}

/// The session of a process; none if it is gone.
#[must_use]
pub fn session_of(pid: u32) -> Option<u32> {
    read_facts(&record(format!("/proc/{pid}/stat")).ok()?).map(|facts| facts.session)
}

/// All processes of the machine that can be looked at.
fn processes() -> BTreeMap<u32, Facts> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return BTreeMap::new() };
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let facts = |pid: u32| read_facts(&record(format!("/proc/{pid}/stat")).ok()?);
    numbers.filter_map(|pid| Some((pid, facts(pid)?))).collect()
}

/// The name in parentheses may hold anything: what counts follows the last one. State, parent and session are the fields 3, 4
/// and 6, the start time is field 22.
fn read_facts(line: &str) -> Option<Facts> {
    let (_, fields) = line.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
    Some(Facts {
        ended: matches!(*fields.first()?, "Z" | "X"),
        parent: fields.get(1)?.parse().ok()?,
        session: fields.get(3)?.parse().ok()?,
        start_ticks: fields.get(19)?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::process::{key_of, wait_exit};
    use std::io::{BufRead as _, BufReader};
    use std::process::{Child, Command, Stdio};
    use tokio::time::timeout;

    const SOON: Duration = Duration::from_secs(10);

    /// A program in a session of its own, which says as many numbers of processes as are wanted.
    fn start(script: &str, numbers: usize) -> (Child, ProcessKey, Vec<ProcessKey>) {
        let mut command = Command::new("setsid");
        command.args(["bash", "-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let others =
            lines.take(numbers).map(|line| key_of(line.unwrap().parse().unwrap()).unwrap()).collect();
        let key = key_of(child.id()).unwrap();
        (child, key, others)
    }

    async fn gone(keys: &[ProcessKey]) -> bool {
        let all = async {
            for key in keys {
                wait_exit(*key).await.unwrap();
            }
        };
        timeout(SOON, all).await.is_ok()
    }

    /// One with a session of its own, one in the program's process group, one in another group of its session.
    /// The first says its number itself: until it has its session it is of the program's.
    const LEAVES: &str = "trap '' HUP TERM; exec 3< <(setsid sh -c 'echo $$; exec sleep 1000'); read -u 3 own; echo $own; \
                          sleep 1000 & echo $!; set -m; sleep 1000 & echo $!; read x";

    #[tokio::test]
    async fn all_that_a_program_started_is_ended_with_it() {
        let (mut child, key, others) = start(LEAVES, 3);
        let family = Family::of(key);
        assert_eq!(family.living().len(), 4);
        family.see_off(Duration::ZERO).await;
        assert!(!alive(key) && gone(&others).await);
        child.wait().unwrap();
    }

    #[tokio::test]
    async fn what_a_program_has_left_is_ended_behind_it() {
        let (mut child, key, others) = start(LEAVES, 3);
        let earlier = Family::of(key);
        drop(child.stdin.take());
        child.wait().unwrap();
        assert!(!alive(key) && others.iter().all(|other| alive(*other)));
        // Whoever has a session of its own and no parent any more is its own master, unless it was seen before.
        Family::of(key).see_off(Duration::ZERO).await;
        assert!(gone(&others[1..]).await && alive(others[0]));
        earlier.see_off(Duration::ZERO).await;
        assert!(gone(&others).await);
    }

    #[tokio::test]
    async fn nobody_else_is_ended() {
        let (mut child, key, others) = start("sleep 1000 & echo $!; read x", 1);
        let (before, after) = (key.start_ticks - 1, key.start_ticks + 1);
        for start_ticks in [before, after] {
            let family = Family::of(ProcessKey { start_ticks, ..key });
            assert_eq!(family.living(), []);
            family.see_off(Duration::ZERO).await;
        }
        assert!(alive(key) && alive(others[0]));
        Family::of(key).see_off(Duration::ZERO).await;
        child.wait().unwrap();
        assert!(gone(&others).await);
        Family::of(key).see_off(Duration::ZERO).await;
    }

    #[tokio::test]
    async fn who_ends_by_itself_is_given_the_time() {
        let (mut child, key, _) = start("trap 'exit 7' TERM; echo $$; read x; exit 3", 1);
        let family = Family::of(key);
        drop(child.stdin.take());
        family.see_off(SOON).await;
        assert_eq!(child.wait().unwrap().code(), Some(3));
    }

    fn key(pid: u32, start_ticks: u64) -> ProcessKey {
        ProcessKey { pid, start_ticks }
    }

    fn facts(parent: u32, session: u32, start_ticks: u64) -> Facts {
        Facts { parent, session, start_ticks, ended: false }
    }

    #[test]
    fn a_session_is_ours_as_long_as_its_number_is_held() {
        let leader = key(7, 100);
        let all = |list: &[(u32, Facts)]| list.iter().copied().collect::<BTreeMap<u32, Facts>>();
        let member = (9, facts(1, 7, 120));
        assert!(session_is_ours(leader, &[], &all(&[(7, facts(1, 7, 100)), member])));
        assert!(session_is_ours(leader, &[], &all(&[member])), "its leader has ended");
        assert!(session_is_ours(leader, &[key(9, 120)], &all(&[member])));
        // Somebody else has the number by now, or nobody of those is there that were seen.
        assert!(!session_is_ours(leader, &[], &all(&[(7, facts(1, 7, 300)), (9, facts(1, 7, 310))])));
        assert!(!session_is_ours(leader, &[key(8, 110)], &all(&[member])));
        assert!(!session_is_ours(leader, &[key(9, 120)], &all(&[(9, facts(1, 7, 310))])));
        assert!(!session_is_ours(leader, &[key(9, 120)], &all(&[(9, facts(1, 9, 120))])));
    }

    #[test]
    fn what_the_kernel_says_is_read_behind_any_name() {
        let rest = "S 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 777 24";
        for name in ["(sh)", "(a b)", "() 1 Z ((x)"] {
            assert_eq!(read_facts(&format!("3 {name} {rest}")), Some(facts(5, 7, 777)), "{name}");
        }
        assert!(read_facts(&format!("3 (sh) Z{}", &rest[1..])).is_some_and(|facts| facts.ended));
        assert_eq!(read_facts("3 (sh) S 5 6"), None);
    }
}
