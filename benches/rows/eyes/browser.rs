//! The page in Debian's Chromium: its first paint, how soon an event stands in it, its frames while much happens, and its memory.

use super::give;
use crate::browser::{Browser, Looks};
use crate::house::House;
use crate::support::finished;
use crate::support::machine;
use crate::support::numbers::shown;
use crate::support::rounds::Scale;
use crate::support::stamp::now;
use crate::team::{self, Settle};
use serde_json::Value;
use tasuki::engine::words::Millis;

const AGENTS: usize = 100;
/// Messages that have finished before.
const MESSAGES: usize = 10_000;
/// How often it is loaded.
const LOADS: usize = 7;
/// Notes when a task's id first stands in the page, and how far apart its frames are; what takes long besides.
const WATCH: &str = r"
    const seen = {}, frames = [], slow = [];
    // Each text by itself: what stands beside it is no part of a word.
    const note = (node) => {
      const texts = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
      for (let at = texts.currentNode; at; at = texts.nextNode()) {
        if (at.nodeType !== Node.TEXT_NODE) continue;
        for (const [id] of at.data.matchAll(/\be-\d+\b/g)) seen[id] ??= performance.timeOrigin + performance.now();
      }
    };
    new MutationObserver((changes) => {
      for (const change of changes) {
        if (change.target.nodeType === Node.TEXT_NODE) note(change.target);
        change.addedNodes.forEach(note);
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
    let last = performance.now();
    const frame = (at) => { frames.push(at - last); last = at; requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
    new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => slow.push(duration)))
      .observe({ type: 'long-animation-frame' });
    window.watched = { seen, frames, slow };";

pub(crate) fn run(scale: Scale) {
    let agents = scale.pick(AGENTS, 2);
    let mut house = team::make(agents, Settle::Normal, None);
    let messages = scale.pick(MESSAGES, 20);
    finished::make(&house.path(".tasuki/journal"), messages, agents, Millis(now() / 1_000_000));
    house.start();
    team::until_idle(&house, agents);
    let asked = house.ask(&["web", "--print-url"]);
    let address = String::from_utf8(asked.stdout).expect("an address").trim_end().to_owned();
    let browser = Browser::start(Looks::DESK);
    browser.open(&address);
    paint(&browser, scale);
    let mut first = 0;
    for place in ["messages", "team"] {
        browser.run("location.hash = arguments[0]", &[format!("/{place}").into()]);
        browser.until("document.querySelector('main h1')");
        for rate in scale.pick(&[10.0, 100.0][..], &[20.0]) {
            first += round(&house, &browser, scale, (place, first, agents, *rate));
        }
    }
}

/// From the navigation on, in milliseconds.
fn paint(browser: &Browser, scale: Scale) {
    let mut paints = Vec::new();
    for _ in 0..scale.pick(LOADS, 1) {
        browser.reload();
        browser.until("document.querySelector('main:not(.closed) h1')");
        let at = browser
            .until("performance.getEntriesByType('paint').find(({name}) => name === 'first-contentful-paint')?.startTime");
        paints.push(at.as_f64().expect("a moment"));
    }
    println!("  first paint {} (at most 300); load {}", tell(paints), machine::load());
}

fn round(
    house: &House,
    browser: &Browser,
    scale: Scale,
    (place, first, agents, rate): (&str, usize, usize, f64),
) -> usize {
    browser.run(WATCH, &[]);
    let given = give(house, first, agents, rate, scale.pick(15.0, 0.5));
    let last = first + given.len() - 1;
    house.until("the last result", |house| house.path(&format!("queue/results/e-{last}.yaml")).exists());
    let watched = browser.run("return window.watched", &[]);
    let numbers =
        |of: &Value| -> Vec<f64> { of.as_array().into_iter().flatten().filter_map(Value::as_f64).collect() };
    let took: Vec<f64> = given
        .iter()
        .enumerate()
        .filter_map(|(number, from)| {
            Some(watched["seen"][format!("e-{}", first + number)].as_f64()? - *from as f64 / 1e6)
        })
        .collect();
    let (frames, slow) = (numbers(&watched["frames"]), numbers(&watched["slow"]));
    let above = frames.iter().filter(|gap| **gap > 50.0).count();
    browser.devtools("HeapProfiler.collectGarbage", &serde_json::json!({}));
    let heap = browser.devtools("Runtime.getHeapUsage", &serde_json::json!({}))["usedSize"]
        .as_f64()
        .unwrap_or(f64::NAN);
    println!(
        "  /{place}, {agents} agents, about {rate:.0} events a second: rename → page {} of {} (p95 at most 100), frames {}, {above} above 50 ms, longest work {} ms; {} MB (at most 60); load {}",
        tell(took),
        given.len(),
        tell(frames),
        shown(slow.into_iter().fold(0.0, f64::max)),
        shown(heap / 1e6),
        machine::load()
    );
    given.len()
}

/// The middle one, the one above 95 of 100, and the longest, in milliseconds.
fn tell(mut took: Vec<f64>) -> String {
    took.sort_by(f64::total_cmp);
    let at =
        |percent: usize| took.get(took.len().saturating_sub(1) * percent / 100).copied().unwrap_or(f64::NAN);
    format!(
        "p50 {} ms, p95 {} ms, longest {} ms of {}",
        shown(at(50)),
        shown(at(95)),
        shown(at(100)),
        took.len()
    )
}
