//! What looking costs: lists over very many finished messages, open pages, and how soon an event is read by one.

pub(crate) mod arrival;
pub(crate) mod browser;
pub(crate) mod list;
pub(crate) mod page;
pub(crate) mod reconnect;

use crate::house::House;
use crate::support::stamp;
use crate::team;
use std::time::Duration;

/// Steps of a task that goes well: accepted and typed, delivered, claimed and ended. Each is one event of the stream.
const STEPS: f64 = 3.0;

/// Gives tasks to the agents `a0`, `a1`, … in turn, at this pace; the moments of their renames.
#[expect(clippy::disallowed_methods, reason = "whoever gives tasks keeps a pace")]
fn give(house: &House, first: usize, agents: usize, events_a_second: f64, seconds: f64) -> Vec<u64> {
    let pace = events_a_second / STEPS;
    let count = ((seconds * pace) as usize).max(1);
    let began = stamp::now();
    let given = (0..count).map(|number| {
        let due = number as f64 / pace - stamp::seconds_since(began);
        std::thread::sleep(Duration::from_secs_f64(due.max(0.0)));
        let id = format!("e-{}", first + number);
        let text = format!("id: {id}\nto: a{}\ncontent: 差分だけを表示する\n", (first + number) % agents);
        team::drop_file(house, &format!("{id}.yaml"), &text)
    });
    let given = given.collect();
    let left = seconds - stamp::seconds_since(began);
    std::thread::sleep(Duration::from_secs_f64(left.max(0.0)));
    given
}

/// Steps in the journal, which has not turned.
fn steps(house: &House) -> usize {
    house.read(".tasuki/journal/000001.jsonl").matches("{\"seq\":").count()
}
