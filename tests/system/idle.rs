//! What an idle daemon does: nothing. Counted, not timed (performance, row 9).

use crate::house::{self, House};
use crate::proc::Deeds;
use std::fmt::Write as _;
use std::time::Duration;

const AGENTS: usize = 10;
/// How long it is watched.
const WATCHED: Duration = Duration::from_secs(10);
/// The mailbox is swept each five seconds in the first minute after something came; two fall into ten seconds, and a
/// third if the first comes at once.
const WAKES_MAX: u64 = 3;

#[test]
fn an_idle_daemon_starts_nothing_and_says_nothing() {
    let mut agents = String::new();
    for number in 0..AGENTS {
        let agent = "reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK, restart: never";
        writeln!(agents, "  - {{name: agent{number}, {agent}}}").expect("a line");
    }
    let mut house = House::new("idle", &agents, &[("agent.sh", house::PLAIN_AGENT)]);
    house.start();
    let idle = |house: &House, number: usize| {
        house.read(&format!("status/agents/agent{number}.yaml")).contains("state: idle")
    };
    house.until("all to be idle", |house| (0..AGENTS).all(|number| idle(house, number)));
    house.drop("a.yaml", "id: i-1\nto: agent0\ncontent: 仕事\n");
    house.result("i-1");
    let server: u32 =
        house.tmux(&["display-message", "-p", "#{pid}"]).trim().parse().expect("the server's process");
    let look = |house: &House| (Deeds::of(house.pid()), Deeds::of(server).read);
    house.until("the last of it", |house| {
        let before = look(house).0.written;
        std::thread::sleep(Duration::from_secs(2));
        look(house).0.written == before
    });

    let (before, heard) = look(&house);
    std::thread::sleep(WATCHED);
    let (after, heard_after) = look(&house);
    assert_eq!(after.written, before.written, "it wrote, to a file, to tmux or to itself");
    assert_eq!(heard_after, heard, "tmux was told something");
    assert_eq!(after.children, before.children, "a process came or went");
    assert_eq!(after.faults_of_children, before.faults_of_children, "a process was started and has ended");
    // A thread that has ended takes its counts along.
    let ticks = after.ticks.saturating_sub(before.ticks);
    assert!(ticks <= 1, "{} ms on a processor", ticks * 10);
    let wakes = after.wakes.saturating_sub(before.wakes);
    println!("{wakes} wake-ups in {WATCHED:?}, {ticks} ticks");
    assert!(wakes <= WAKES_MAX, "{wakes} wake-ups in {WATCHED:?}");
}
