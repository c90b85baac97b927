//! A page that is left open: as many events as a day has, two browsers, and a computer that slept.

use crate::browser::{Browser, Looks};
use crate::house::{House, PLAIN_AGENT};
use crate::opening::address;
use rustix::process::Signal;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const LIVE: &str = "document.querySelector('main:not(.closed)') && document.querySelector('.daemon')?.textContent.includes('live')";
/// Events of a day.
const DAY: usize = 20_000;
/// Messages while a computer sleeps, as many as fill what waits between the daemon and a browser.
const MEANWHILE: usize = 800;
/// Messages in one file.
const AT_ONCE: usize = 100;
const HEAP_MAX: f64 = 60e6;
/// The daemon cuts off who does not read for 10 s.
const ASLEEP: Duration = Duration::from_secs(12);
/// Runs before the page: how often it asked for its stream.
const STREAMS: &str = "window.__streams = 0;
    const fetched = window.fetch.bind(window);
    window.fetch = (address, ...more) => ((window.__streams += String(address).startsWith('/api/events') ? 1 : 0), fetched(address, ...more));";

fn opened(house: &House, place: &str) -> Browser {
    let browser = Browser::start(Looks::DESK);
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", &json!({"source": STREAMS}));
    browser.open(&address(house, &[place]));
    browser.until(LIVE);
    browser
}

/// Drops messages to the user, and waits until all of them have ended.
fn infos(house: &House, from: usize, to: usize) {
    for first in (from..to).step_by(AT_ONCE) {
        let docs: Vec<String> = (first..first + AT_ONCE)
            .map(|at| format!("id: i-{at}\nto: user\ntype: info\ncontent: 報告 {at}\n"))
            .collect();
        house.drop(&format!("i-{first}.yaml"), &docs.join("---\n"));
        house.until("them to be taken", |house| !house.path(&format!("queue/i-{first}.yaml")).exists());
    }
}

/// What the page takes, after its rubbish was collected: bytes of its heap, and nodes.
fn taken(browser: &Browser) -> (f64, f64) {
    browser.devtools("HeapProfiler.collectGarbage", &json!({}));
    let heap = browser.devtools("Runtime.getHeapUsage", &json!({}));
    let nodes = browser.devtools("Memory.getDOMCounters", &json!({}));
    (heap["usedSize"].as_f64().expect("bytes"), nodes["nodes"].as_f64().expect("nodes"))
}

/// The page has seen this message.
fn until_seen(browser: &Browser, number: usize) {
    let script = "const done = arguments[0]; import('/live/store.js').then(({ tail }) => { window.__tail = tail; done(true); })";
    browser.run_later(script, &[]);
    browser.until(&format!("window.__tail.value.some((one) => one.id === 'i-{number}')"));
}

#[test]
fn a_page_that_is_left_open_for_a_day_stays_as_small_as_it_was() {
    let mut house = House::plain("day 一日");
    house.start();
    house.drop("open.yaml", "id: open\nto: worker\ncontent: do it\n");
    house.result("open");
    let browser = Browser::start(Looks::DESK);
    browser.devtools(
        "Page.addScriptToEvaluateOnNewDocument",
        &json!({"source": include_str!("left_open_feed.js")}),
    );
    browser.open(&address(&house, &["command"]));
    browser.until(LIVE);
    let mut seen = Vec::new();
    let mut made = 0;
    for place in ["command?follow=open", "messages", "team/worker", "needs"].repeat(5) {
        browser.run("location.hash = `#/${arguments[0]}`", &[json!(place)]);
        let fed = browser.run_later(
            "const done = arguments[1]; window.__feed(arguments[0]).then(done)",
            &[json!(DAY / 20)],
        );
        made += DAY / 20;
        assert_eq!(fed, json!(made));
        if made % (DAY / 2) == 0 {
            let last = "const done = arguments[0]; import('/live/store.js').then(({ tail, messages }) => done([tail.value.at(-1).id, tail.value.length, messages.value.size]))";
            let last = browser.run_later(last, &[]);
            assert_eq!(last[0], json!(format!("day-{made}")), "the page has taken all: {last}");
            seen.push(taken(&browser));
        }
    }
    println!("heap and nodes: {seen:?}");
    let ((heap, nodes), (later, more)) = (seen[0], seen[1]);
    assert!(later < HEAP_MAX, "{later} bytes");
    assert!(later < heap * 1.2 + 1e6 && more < nodes * 1.2 + 300.0, "it grows: {seen:?}");
    assert_eq!(browser.run("return window.__streams", &[]), json!(1), "one stream is enough");
    assert_eq!(browser.console(), [""; 0]);
}

const SCRIPT: &str = "mode: tui\nprompt: \"❯ \"\nrules:\n  - when: {turn: task}\n    do:\n      - dialog: \"{first_line}\"\n      - print: \"it was allowed\"\n      - claim: now\n";

#[test]
fn an_answer_that_is_given_in_one_browser_is_seen_in_the_other() {
    let agent = "  - {name: asks, reports_to: user, provider: claude, marker: CODING OK, command: [\"{tasuki}\", agent, scripted, --phrase, \"{phrase}\", --script, \"{root}/play.yaml\"]}\n";
    let mut house = House::new("two 二人", agent, &[("play.yaml", SCRIPT)]);
    house.start();
    let (one, other) = (opened(&house, "needs"), opened(&house, "needs"));
    house.drop("first.yaml", "id: first\nto: asks\ncontent: ask for one.txt\n");
    for browser in [&one, &other] {
        browser.until("document.querySelectorAll('.choices button').length >= 2");
        browser.until_shown("ask for one.txt");
    }
    let rows = "return document.querySelector('.choices').innerText";
    assert_eq!(one.run(rows, &[]), other.run(rows, &[]), "both show the same");
    one.click(".choices button");
    for browser in [&one, &other] {
        browser.until("!document.querySelector('.choices')");
    }
    assert!(house.result("first").contains("it was allowed"));
    for browser in [&one, &other] {
        browser.run("location.hash = '#/messages'", &[]);
        browser.until("document.querySelector('.window .list li .state')?.textContent.includes('completed')");
        assert_eq!(browser.console(), [""; 0]);
    }
    assert_eq!(
        one.run("return document.querySelector('.window .list').innerText.replace(/\\d+s/g, '')", &[]),
        other.run("return document.querySelector('.window .list').innerText.replace(/\\d+s/g, '')", &[])
    );
}

/// Each process below this one, and itself.
fn family(pid: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let below = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    let below: Vec<u32> = below
        .flat_map(|all| all.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect();
    let mut all = vec![pid];
    all.extend(below.into_iter().flat_map(family));
    all
}

#[test]
fn a_computer_that_slept_shows_what_happened_meanwhile_and_the_right_time() {
    let agent = "  - {name: worker, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK}\n";
    let mut house = House::new("slept 眠り", agent, &[("agent.sh", PLAIN_AGENT)]);
    house.start();
    let (browser, awake) = (opened(&house, "messages"), opened(&house, "messages"));
    browser.run("window.__same = true", &[]);
    house.drop("open.yaml", "id: open\nto: worker\ncontent: do it\n");
    house.result("open");
    browser.until_shown("open");
    let stopped = family(browser.driver_pid());
    assert!(stopped.len() > 4, "{stopped:?}");
    let signal = |signal| {
        for pid in &stopped {
            let _ = crate::house::signal(&pid.to_string(), signal);
        }
    };
    signal(Signal::STOP);
    let since = Instant::now();
    infos(&house, 0, MEANWHILE);
    until_seen(&awake, MEANWHILE - 1);
    // Others read on while one sleeps, and the daemon waits for nobody.
    while since.elapsed() < ASLEEP {
        std::thread::sleep(Duration::from_millis(200));
        assert!(house.ended().is_none());
    }
    signal(Signal::CONT);
    until_seen(&browser, MEANWHILE - 1);
    house.drop("last.yaml", "id: last\nto: worker\ncontent: do more\n");
    house.result("last");
    for page in [&browser, &awake] {
        page.until(LIVE);
        page.until("document.querySelector('.window .list li .id bdi')?.textContent === 'last'");
    }
    // Its clock goes on: the age of the newest is what the daemon's clock says, in both.
    let age = "return [...document.querySelectorAll('.window .list time')].slice(0, 1).map((one) => [one.textContent, (Date.now() - Date.parse(one.dateTime)) / 1000])[0]";
    for page in [&browser, &awake] {
        let age = page.run(age, &[]);
        let (shown, real) = (
            age[0].as_str().and_then(|text| text.trim_end_matches('s').parse::<f64>().ok()),
            age[1].as_f64(),
        );
        let off = shown.zip(real).map(|(shown, real)| (shown - real).abs());
        assert!(off.is_some_and(|off| off <= 2.5), "{age}");
    }
    // It missed nothing, told nothing twice, and was not loaded anew.
    let keys = "const done = arguments[0]; import('/live/store.js').then(({ tail }) => done(tail.value.map((one) => one.key)))";
    let keys = |page: &Browser| -> Vec<Value> { page.run_later(keys, &[]).as_array().expect("keys").clone() };
    house.until("both to have heard the same last step", |_| keys(&browser).last() == keys(&awake).last());
    let (own, others) = (keys(&browser), keys(&awake));
    let common = own.len().min(others.len());
    assert_eq!(own[own.len() - common..], others[others.len() - common..]);
    assert_eq!(browser.run("return window.__same", &[]), json!(true));
}
