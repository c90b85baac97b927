//! Rows 11 to 14 from one run, for a million messages are made only once: memory with a hundred panes and ever more finished
//! messages (11), what a start with all of them takes and reads (12), whether a message's price grows with them (13), and
//! whether the rate does not fall (14).
//!
//! The messages are made by the real daemon: infos for `user`, which end when they are accepted, a hundred in a file. They go
//! the whole way: drop, claim, parse, look-up among all known ids, journal, `queue/done/`, activity log, turns of the segment.

use crate::house::House;
use crate::opened::Opened;
use crate::proc::{Deeds, rss_anon_kib};
use crate::support::figures::{self, Axis, Line, Mark, Panel, Point};
use crate::support::numbers::{Spread, shown};
use crate::support::rounds::Scale;
use crate::support::wait::Watch;
use crate::support::{machine, stamp};
use crate::team::{self, Settle};
use std::fmt::Write as _;

/// Messages to finish, unless `TASUKI_BENCH_MESSAGES` says otherwise.
const MESSAGES: usize = 1_000_000;
/// Most documents that a file may hold.
const A_FILE: usize = 100;
/// Files that lie in `queue/` at once.
const FILES: usize = 10;
/// Parts of the run that are compared with each other.
const WINDOWS: usize = 20;
/// Starts that are measured.
const STARTS: usize = 7;
/// How many have finished in the smaller workspaces that are started too.
const SMALLER: [usize; 3] = [1_000, 10_000, 100_000];

/// A part of the run.
struct Window {
    /// Finished at its end.
    done: usize,
    /// Seconds it took.
    seconds: f64,
    /// A message's share of the clock, in microseconds.
    wall_us: f64,
    /// The daemon's time on a processor for a message, in microseconds.
    processor_us: f64,
    /// The most that was the daemon's own, in MB.
    mb: f64,
}

/// What starts took, in milliseconds.
struct Start {
    /// Until `status/daemon.yaml`.
    shown: Spread,
    /// Until the socket has answered.
    answered: Spread,
}

pub(crate) fn run(scale: Scale) {
    let panes = scale.pick(100, 2);
    let told = std::env::var("TASUKI_BENCH_MESSAGES").ok().and_then(|word| word.parse().ok());
    let messages: usize = scale.pick(told.unwrap_or(MESSAGES), 400);
    let windows = scale.pick(WINDOWS, 2);
    let mut house = team::start(panes, Settle::Normal, None);
    println!("  11: {panes} panes, nothing finished: {:.1} MB (at most 20)", megabytes(&house));
    // What a daemon allocates once, it allocates here.
    let mut done = finish(&house, 0, scale.pick(10, 1));
    let first = done;
    let mut all = Vec::new();
    for number in 1..=windows {
        let window = window(&house, &mut done, first + messages * number / windows);
        println!(
            "  13: {:>9} finished, {:>7} µs a message, {:>7} µs of processor, {:.1} MB",
            window.done,
            shown(window.wall_us),
            shown(window.processor_us),
            window.mb
        );
        all.push(window);
    }
    tell(&all);
    house.end();
    exactly_once(&house, done);
    let whole = (done, start(&mut house, scale.pick(STARTS, 1), done));
    // After it: files that these remove would make its own dearer for minutes.
    let mut starts = smaller(scale, panes);
    starts.push(whole);
    draw(&all, &starts);
}

/// Row 12 with fewer finished messages.
fn smaller(scale: Scale, panes: usize) -> Vec<(usize, Start)> {
    let sizes = scale.pick(&SMALLER[..], &[100]);
    let started = sizes.iter().map(|messages| {
        let mut house = team::start(panes, Settle::Normal, None);
        let mut done = 0;
        while done < *messages {
            done += finish(&house, done, FILES.min((messages - done).div_ceil(A_FILE)));
        }
        house.end();
        exactly_once(&house, done);
        (done, start(&mut house, scale.pick(STARTS, 1), done))
    });
    started.collect()
}

fn window(house: &House, done: &mut usize, until: usize) -> Window {
    let (before, deeds, from) = (*done, Deeds::of(house.pid()), stamp::now());
    let mut mb = 0_f64;
    while *done < until {
        *done += finish(house, *done, FILES.min((until - *done).div_ceil(A_FILE)));
        mb = mb.max(megabytes(house));
    }
    let (seconds, count) = (stamp::seconds_since(from), (*done - before) as f64);
    let ticks = Deeds::of(house.pid()).ticks - deeds.ticks;
    Window {
        done: *done,
        seconds,
        wall_us: seconds * 1e6 / count,
        processor_us: ticks as f64 * 1e4 / count,
        mb,
    }
}

/// Sends so many files of infos for `user`, and waits until all of them are in `queue/done/`; gives how many infos.
fn finish(house: &House, first: usize, files: usize) -> usize {
    let count = files * A_FILE;
    for file in 0..files {
        let mut text = String::new();
        for id in first + file * A_FILE..first + (file + 1) * A_FILE {
            write!(text, "id: i-{id}\nto: user\ntype: info\ncontent: 済み {id}\n---\n").unwrap();
        }
        team::drop_file(house, &format!("{}.yaml", first + file * A_FILE), &text);
    }
    let there = |house: &House, id: usize| {
        let days = std::fs::read_dir(house.path("queue/done")).expect("done").flatten();
        days.into_iter().any(|day| day.path().join(format!("i-{id}.yaml")).exists())
    };
    // Views are written in no order that is promised, so each file's are looked for.
    house.until("all to be done", |house| {
        (first..first + count).rev().step_by(A_FILE / 2).all(|id| there(house, id))
    });
    count
}

fn tell(all: &[Window]) {
    for (what, of) in [
        ("processor", Window::processor as fn(&Window) -> f64),
        ("clock", Window::wall as fn(&Window) -> f64),
    ] {
        let Spread { low, high, .. } = Spread::of(all.iter().map(of).collect());
        println!("  13: {what}, max/min of {} parts: {:.2} (at most 1.2)", all.len(), high / low);
    }
    let rate = |window: Option<&Window>| window.map_or(f64::NAN, |window| 1e6 / window.wall_us);
    let (first, last) = (rate(all.first()), rate(all.last()));
    println!(
        "  14: {} a second first, {} last: {:.2} (at least 0.9); {:.0} s in all, load {}",
        shown(first),
        shown(last),
        last / first,
        all.iter().map(|window| window.seconds).sum::<f64>(),
        machine::load()
    );
    let most = all.iter().map(|window| window.mb).fold(0.0, f64::max);
    let last = all.last().map_or(f64::NAN, |window| window.mb);
    println!("  11: at most {most:.1} MB, {last:.1} MB in the last part (at most 20, flat)");
}

fn draw(all: &[Window], starts: &[(usize, Start)]) {
    let line = |name: &str, of: &dyn Fn(&Window) -> f64| {
        Line::of(name, all.iter().map(|window| Point::alone(window.done as f64, of(window))).collect())
    };
    let over = || Axis::even("messages finished");
    let keep = |name, title, x, y, lines, (at, goal)| {
        let panel = Panel { x, y: Axis::even(y), lines, goal: Some(Mark::at(at, goal)) };
        figures::keep(name, title, vec![panel]);
    };
    let least = all.iter().map(Window::processor).fold(f64::INFINITY, f64::min);
    let price = vec![line("processor", &Window::processor), line("clock", &Window::wall)];
    let goal = (1.2 * least, "goal: 1.2 times the cheapest part (processor)");
    keep(
        "row-13-price",
        "Row 13: price of a message, as messages finish",
        over(),
        "µs a message",
        price,
        goal,
    );
    let rate = vec![line("accepted and finished", &|window| 1e6 / window.wall_us)];
    let first = all.first().map_or(0.0, |window| 1e6 / window.wall_us);
    let goal = (0.9 * first, "goal: the last part at least 0.9 of the first");
    keep("row-14-churn", "Row 14: rate, as messages finish", over(), "messages a second", rate, goal);
    let memory = vec![line("the most in each part", &|window| window.mb)];
    let goal = (20.0, "goal: at most 20 MB");
    keep(
        "row-11-memory",
        "Row 11: the daemon's memory, as messages finish",
        over(),
        "RssAnon (MB)",
        memory,
        goal,
    );
    let line = |name: &str, of: &dyn Fn(&Start) -> Spread| {
        Line::of(name, starts.iter().map(|(done, start)| Point::of(*done as f64, of(start))).collect())
    };
    let took = vec![
        line("exec to status/daemon.yaml", &|start| start.shown),
        line("exec to an answer on the socket", &|start| start.answered),
    ];
    let over = Axis::log("messages finished before");
    let goal = (100.0, "goal: below 100 ms");
    keep("row-12-start", "Row 12: a start, by what has finished before", over, "a start (ms)", took, goal);
}

impl Window {
    fn processor(&self) -> f64 {
        self.processor_us
    }

    fn wall(&self) -> f64 {
        self.wall_us
    }
}

/// Each id was accepted and ended once, in whichever segment.
fn exactly_once(house: &House, messages: usize) {
    let (mut accepted, mut ended) = (vec![0_u8; messages], vec![0_u8; messages]);
    for segment in segments(house) {
        let text = house.read(&segment);
        for (event, counts) in [("accepted", &mut accepted), ("ended", &mut ended)] {
            for found in text.split(&format!("\"event\":\"{event}\",\"id\":\"i-")).skip(1) {
                let id: usize = found.split('"').next().and_then(|word| word.parse().ok()).expect("a number");
                counts[id] += 1;
            }
        }
    }
    assert!(accepted.iter().chain(&ended).all(|count| *count == 1), "accepted once and ended once, each");
    let days = std::fs::read_dir(house.path("queue/done")).expect("done").flatten();
    let names = days.flat_map(|day| std::fs::read_dir(day.path()).expect("a day").flatten());
    let views = names.filter(|name| name.file_name().to_string_lossy().starts_with("i-")).count();
    assert_eq!(views, messages, "each has its view");
}

fn segments(house: &House) -> Vec<String> {
    let entries = std::fs::read_dir(house.path(".tasuki/journal")).expect("a journal").flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".jsonl")).collect();
    names.sort();
    names.into_iter().map(|name| format!(".tasuki/journal/{name}")).collect()
}

/// Row 12: from exec to `status/daemon.yaml` and to an answer on the socket, and what is opened meanwhile.
fn start(house: &mut House, starts: usize, messages: usize) -> Start {
    // All of them are to the user, who has read them: what was not read is counted for each answer, 0.6 ms a thousand.
    for letter in std::fs::read_dir(house.path("queue/inbox")).expect("inbox").flatten() {
        std::fs::remove_file(letter.path()).expect("a letter");
    }
    let segments = segments(house);
    let (newest, closed) = segments.split_last().expect("a segment");
    let days = std::fs::read_dir(house.path("queue/done")).expect("done").flatten();
    let days = days.map(|day| format!("queue/done/{}", day.file_name().to_string_lossy()));
    let folders: Vec<String> = days.chain(["queue/results", ".tasuki/journal"].map(str::to_owned)).collect();
    let (mut shown_ms, mut answered_ms, mut archive) = (Vec::new(), Vec::new(), 0);
    for _ in 0..starts {
        let opened = Opened::within(&house.path(""), &folders);
        let status = Watch::arrivals(&house.path("status"));
        let from = stamp::now();
        house.spawn();
        let pid = format!("pid: {}\n", house.pid());
        let mut at = status.until("daemon.yaml");
        while !house.read("status/daemon.yaml").contains(&pid) {
            at = status.until("daemon.yaml");
        }
        shown_ms.push(stamp::us(from, at) / 1e3);
        answer(house);
        answered_ms.push(stamp::us(from, stamp::now()) / 1e3);
        let names = opened.names();
        archive += names.iter().filter(|name| closed.contains(name) || name.starts_with("queue/")).count();
        assert!(names.contains(newest), "{names:?}");
        house.end();
    }
    let start = Start { shown: Spread::of(shown_ms), answered: Spread::of(answered_ms) };
    let told = |Spread { low, median, high }: Spread| {
        format!("{} ms ({} to {})", shown(median), shown(low), shown(high))
    };
    println!(
        "  12: start with {messages} finished in {} segments, {starts} times: {} until status/daemon.yaml, {} until the socket has answered (below 100); {archive} archive entries opened or listed (0); load {}",
        segments.len(),
        told(start.shown),
        told(start.answered),
        machine::load()
    );
    start
}

/// Asks for the status over the socket.
fn answer(house: &House) {
    let mut stream = team::connect(house);
    let head = "GET /api/status HTTP/1.1\r\nHost: tasuki\r\n\r\n";
    assert!(team::ask(&mut stream, head.as_bytes()).starts_with("HTTP/1.1 200"), "an answer");
}

fn megabytes(house: &House) -> f64 {
    rss_anon_kib(house.pid()) as f64 * 1_024.0 / 1e6
}
