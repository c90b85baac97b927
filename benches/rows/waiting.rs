//! Row 4: durable accepts a second while a hundred wait. By files, where a hundred drops lie there all the time, against a
//! program that accepts them by a log; and over the socket, where a hundred clients wait for their answers, against Redis that
//! flushes always, driven by the same program.

use crate::crowd;
use crate::limits;
use crate::peers::redis;
use crate::support::rounds::{self, Contest, Goal, Scale, Sides};
use crate::support::stamp;
use crate::tail::Tail;
use crate::team;

const WAITING: usize = 100;
const FILES: Contest =
    Contest { name: "100 drops waiting → accepted line written", unit: "/s", goal: Goal::AtLeast(0.5) };
const SOCKET: Contest =
    Contest { name: "POST /api/messages → 202, 100 connections", unit: "/s", goal: Goal::AtLeast(2.0) };
const RAW: Contest =
    Contest { name: "the same, against a log that is flushed for each 100", unit: "/s", goal: Goal::Shown };

pub(crate) fn run(scale: Scale) {
    let messages = scale.pick(10_000, 150);
    let limit = || limits::accept::run(messages, WAITING);
    rounds::run(FILES, scale, || files(messages), limit);
    let raw = || limits::log::batches(messages / WAITING, team::message("s-0000", "a0").len(), WAITING);
    rounds::run(RAW, scale, || socket(messages), raw);
    if let Some(version) = redis::version() {
        println!("  Redis {version}, appendfsync always, the same clients over a Unix socket");
        let sides = Sides("tasuki", "Redis");
        rounds::between(sides, SOCKET, scale, || socket(messages), || redis::by_a_crowd(WAITING, messages));
    }
}

/// By files: whoever sees one accepted renames the next one in. The flush of the last batch is under way when its lines are
/// seen; those before are flushed.
fn files(messages: usize) -> f64 {
    let house = team::start_held();
    let (stage, queue) = (house.path("stage"), house.path("queue"));
    std::fs::create_dir(&stage).expect("a folder");
    for number in 0..messages {
        let text = team::message(&format!("s-{number}"), "a0");
        std::fs::write(stage.join(format!("{number}.yaml")), text).expect("a drop");
    }
    let mut tail = Tail::new(&house, messages);
    let from = stamp::now();
    let (mut sent, mut at) = (0, from);
    while tail.left() > 0 {
        let allowed = messages.min(messages - tail.left() + WAITING);
        for number in sent..allowed {
            let name = format!("{number}.yaml");
            std::fs::rename(stage.join(&name), queue.join(&name)).expect("the drop");
        }
        sent = allowed;
        at = tail.next();
    }
    tail.exactly_once(&house);
    messages as f64 / (stamp::us(from, at) / 1e6)
}

fn socket(messages: usize) -> f64 {
    let house = team::start_held();
    let mut tail = Tail::new(&house, messages);
    let streams = (0..WAITING).map(|_| team::connect(&house)).collect();
    let request = |number| team::post(&format!("s-{number}")).into_bytes();
    let rate = crowd::run(streams, messages, request, |number, answer| {
        let whole = team::is_whole(answer);
        if whole {
            assert!(answer.starts_with("HTTP/1.1 202"), "{answer}");
            assert!(answer.contains(&format!("\"ids\":[\"s-{number}\"]")), "{answer}");
        }
        whole
    });
    tail.exactly_once(&house);
    rate
}
