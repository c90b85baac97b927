//! Kills in each round: of the daemon, and of whoever speaks. The debate goes on there, and no role that is done speaks again.

use super::{begun_id, debate, house, over, role, runs, until_clean};
use crate::house::{House, signal};
use crate::sessions::said as told;
use rustix::process::Signal;
use serde_json::json;

/// How often a speech has begun.
fn begun(house: &House, speech: &str) -> usize {
    house.read("begun").lines().filter(|line| line.starts_with(&format!("{speech} "))).count()
}

#[test]
fn a_debate_goes_on_in_its_round_whoever_is_killed() {
    let mut house = house("kills 殺す");
    let both = json!([role("writer", "commits"), role("waiter", "waits")]);
    let id = begun_id(&house, &json!({"task": "x", "roles": both}));
    for round in 1..=3 {
        let speech = format!("round{round}-waiter");
        house.until(&speech, |house| begun(house, &speech) == 1);
        house.kill();
        // Whoever follows it is told so at once.
        let (code, _, err) = told(&house, &["debate", "follow", &id]);
        assert!(
            code == Some(5) && err.contains("no daemon is running") && err.contains("tasuki up"),
            "{err}"
        );
        assert!(err.contains("goes on with the next daemon") && !err.contains("answers;"), "{err}");
        house.start();
        assert_eq!(debate(&house, &id)["status"], format!("Round{round}InProgress"));
        // The process of the pane is killed: its role is asked again, and no other.
        let window = format!("debate-{id}-r{round}-waiter");
        let pane = |house: &House| house.tmux(&["list-panes", "-a", "-F", "#{window_name} #{pane_pid}"]);
        let pid = |house: &House| {
            let panes = pane(house);
            let found =
                panes.lines().find_map(|line| line.strip_prefix(&*window)?.trim().parse::<u32>().ok());
            found.map(|pid| pid.to_string())
        };
        house.until("its pane", |house| pid(house).is_some());
        signal(&pid(&house).expect("its pane"), Signal::KILL).expect("it dies");
        house.until("another try", |house| begun(house, &speech) == 2);
        house.write(&format!("go{round}"), "");
    }
    let ended = over(&house, &id);
    assert_eq!(ended["status"], "Completed", "{ended}");
    for round in 1..=3 {
        let times = |speech: &str| {
            runs(&house).iter().filter(|run| **run == format!("round{round}-{speech}")).count()
        };
        assert_eq!((times("writer"), times("waiter")), (1, 2));
    }
    until_clean(&house);
    house.end();
}
