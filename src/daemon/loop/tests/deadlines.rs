//! Deadlines while the wall clock is set, and the machine sleeps.

use super::*;

const HOUR_MS: u64 = 3_600_000;

/// A task that is too late an hour from now by the wall clock, which is as far ahead of the daemon's own.
async fn due_in_an_hour(bench: &mut Bench) -> Incarnation {
    let mut life = bench.begin().await;
    let deadline = crate::wire::time::rfc3339(life.daemon.timers.clock.wall().plus(HOUR_MS));
    life.daemon.take_input(asked(&format!("id: t\nto: worker\ndeadline: {deadline}\ncontent: 間に合う?\n")));
    life.daemon.work_until_idle().await;
    life
}

impl Daemon {
    /// When it looks at the wall next, from now.
    fn looks_in_ms(&self) -> u64 {
        self.timers.deadline_look_at(self.engine.deadline()).unwrap().since(self.timers.clock.now())
    }
}

#[tokio::test]
async fn a_deadline_passes_when_the_wall_was_put_right_over_it() {
    let mut bench = Bench::new();
    bench.process.clock.set_wall(-5_000_000); // hours behind, as after a boot without a network
    let mut life = due_in_an_hour(&mut bench).await;
    let daemon = &mut life.daemon;
    daemon.wake();
    assert!(daemon.is_open("t") && (1..=10_000).contains(&daemon.looks_in_ms()));
    daemon.timers.clock.set_wall(0);
    daemon.wake();
    assert!(daemon.is_open("t"), "it may be put back in a moment");
    assert!((1..=10_000).contains(&daemon.looks_in_ms()), "and it does not look all the time meanwhile");
    let started = daemon.timers.clock.now();
    daemon.timers.clock = Clock::starting_at(started.plus(60_000));
    daemon.timers.clock.set_wall(0);
    daemon.wake();
    assert!(!daemon.is_open("t"));
    daemon.close(Ending::StopAgents).await;
    life.end().await;
    let (_, memory) =
        replay::open(&bench.process.workspace.journal(), "after", bench.settings.team.clone()).unwrap();
    let t = MessageId::new("t").unwrap();
    assert!(memory.fold.engine.state().finished.contains_key(&t), "a replay does not ask any clock");
}

#[tokio::test]
async fn a_deadline_waits_for_a_wall_that_was_put_back() {
    let mut bench = Bench::new();
    bench.process.clock.set_wall(0);
    let mut life = due_in_an_hour(&mut bench).await;
    let daemon = &mut life.daemon;
    daemon.timers.clock = Clock::starting_at(daemon.timers.clock.now().plus(HOUR_MS));
    daemon.timers.clock.set_wall(-1_800_000);
    daemon.wake();
    assert!(daemon.is_open("t"), "by the wall there is half an hour left");
    daemon.timers.clock = Clock::starting_at(daemon.timers.clock.now().plus(1_800_000));
    daemon.timers.clock.set_wall(-1_800_000);
    assert_eq!(daemon.looks_in_ms(), 0);
    daemon.wake();
    assert!(!daemon.is_open("t"));
    daemon.close(Ending::StopAgents).await;
    life.end().await;
}

#[tokio::test]
async fn a_deadline_passes_in_sleep() {
    let mut bench = Bench::new();
    bench.process.clock.set_wall(0);
    let mut life = due_in_an_hour(&mut bench).await;
    let daemon = &mut life.daemon;
    daemon.timers.clock.sleep(HOUR_MS);
    assert_eq!(daemon.looks_in_ms(), 0, "nobody has set the clock: it is believed at once");
    daemon.wake();
    assert!(!daemon.is_open("t"));
    daemon.close(Ending::StopAgents).await;
    life.end().await;
}
