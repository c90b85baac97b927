//! Row 9: what a daemon costs that has nothing to do, and one that waits for agents that print nothing. The limit is 0.

use crate::house::House;
use crate::proc::Deeds;
use crate::support::rounds::Scale;
use crate::support::{machine, stamp};
use crate::team;
use std::fmt::Write as _;
use std::time::Duration;

/// An agent that takes its task and says nothing.
const SILENT: &str = "command: [bash, -c, 'while read -r line; do sleep 1000; done'], marker: BENCH OK";
/// After this long without mail the mailbox is swept once a minute.
const REST: Duration = Duration::from_secs(70);

pub(crate) fn run(scale: Scale) {
    let panes = scale.pick(100, 2);
    let mut agents = String::new();
    for number in 0..panes {
        writeln!(agents, "  - {{name: a{number}, reports_to: user, provider: plain, {SILENT}, timeout: 1h}}")
            .unwrap();
    }
    let mut house = House::new("idle", &agents, &[]);
    house.start();
    all(&house, panes, "idle");
    watch(&house, scale, &format!("{panes} panes idle"));
    for number in 0..panes {
        team::drop_file(
            &house,
            &format!("{number}.yaml"),
            &team::message(&format!("i-{number}"), &format!("a{number}")),
        );
    }
    all(&house, panes, "working");
    watch(&house, scale, &format!("{panes} agents at work that print nothing"));
}

fn all(house: &House, panes: usize, state: &str) {
    house.until(state, |house| {
        let is = |number: usize| {
            house.read(&format!("status/agents/a{number}.yaml")).contains(&format!("state: {state}"))
        };
        (0..panes).all(is)
    });
}

#[expect(clippy::disallowed_methods, reason = "looks at a process that does nothing, after a while")]
fn watch(house: &House, scale: Scale, what: &str) {
    let server = house.tmux(&["display-message", "-p", "#{pid}"]).trim().parse().expect("a process");
    std::thread::sleep(scale.pick(REST, Duration::from_secs(1)));
    let (before, theirs, from) = (Deeds::of(house.pid()), Deeds::of(server), stamp::now());
    std::thread::sleep(scale.pick(Duration::from_secs(60), Duration::from_millis(300)));
    let (after, theirs_after, seconds) =
        (Deeds::of(house.pid()), Deeds::of(server), stamp::seconds_since(from));
    println!(
        "  {what}: {:.3} % of a processor (0.0), {:.2} wake-ups a second (0.1), {} bytes written, {} of them read by tmux (0), {} processes started (0); tmux {:.3} %; load {}",
        (after.ticks - before.ticks) as f64 / seconds,
        (after.wakes - before.wakes) as f64 / seconds,
        after.written - before.written,
        theirs_after.read - theirs.read,
        u64::from(after.children != before.children || after.faults_of_children != before.faults_of_children),
        (theirs_after.ticks - theirs.ticks) as f64 / seconds,
        machine::load()
    );
}
