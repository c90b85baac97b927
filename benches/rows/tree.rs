//! Three levels of agents, one boss, nine managers and ninety specialists, and five thousand tasks with mixed priorities. How
//! busy everybody is while there is something to do, against what its own time and the time to settle allow; that nothing is
//! lost or done twice; and that each agent's tasks go in order. All of it is told by the journal.

use crate::house::House;
use crate::support::numbers::{Spread, shown};
use crate::support::rounds::Scale;
use crate::support::{machine, stamp};
use crate::team::{self, SETTLE_S};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Managers, specialists of each, tasks of each manager, parts of a task for each specialist: 1 + 9 × 5 × (1 + 10 × 11) tasks.
const FULL: Tree = Tree { managers: 9, specialists: 10, tasks: 5, parts: 11, work_ms: 1_000 };
const TINY: Tree = Tree { managers: 1, specialists: 2, tasks: 1, parts: 2, work_ms: 100 };
/// Most documents that a file may hold.
const A_FILE: usize = 100;
const PRIORITIES: [&str; 3] = ["low", "normal", "high"];

#[derive(Debug, Clone, Copy)]
struct Tree {
    managers: usize,
    specialists: usize,
    tasks: usize,
    parts: usize,
    work_ms: u64,
}

pub(crate) fn run(scale: Scale) {
    let tree = scale.pick(FULL, TINY);
    let house = tree.start();
    let before = crate::proc::Deeds::of(house.pid());
    let from = stamp::now();
    team::drop_file(&house, "root.yaml", "id: root\nto: boss\ntimeout: 1h\ncontent: すべて\n");
    while !house.path("queue/results/root.yaml").exists() {
        let done = team::count(&house, "open");
        house.until("a task to be done", |house| {
            team::count(house, "open") != done || house.path("queue/results/root.yaml").exists()
        });
    }
    let seconds = stamp::seconds_since(from);
    let ticks = crate::proc::Deeds::of(house.pid()).ticks - before.ticks;
    let told = Told::read(&house, tree.work_ms as f64);
    assert_eq!(told.ended.len(), tree.count(), "each task has its end");
    assert!(told.ended.values().all(|ends| *ends == ["completed"]), "and one end alone, a good one");
    let (agents, count) = (1 + tree.managers * (1 + tree.specialists), tree.count());
    println!(
        "  {agents} agents, {count} tasks in {seconds:.0} s, none lost, none twice, in order; {:.0} % of a processor, load {}",
        ticks as f64 / seconds,
        machine::load()
    );
    for (level, starts) in [("specialists", 's'), ("managers", 'm')] {
        let shares: Vec<f64> = told
            .agents
            .iter()
            .filter(|(name, _)| name.starts_with(starts))
            .map(|(_, of)| of.share())
            .collect();
        let Spread { low, median, high } = Spread::of(shares);
        println!(
            "  {level}: busy {} of the time (median; {} to {}), at least 0.9: {}",
            shown(median),
            shown(low),
            shown(high),
            if low >= 0.9 { "met" } else { "missed" }
        );
    }
}

impl Tree {
    fn count(self) -> usize {
        1 + self.managers * self.tasks * (1 + self.specialists * self.parts)
    }

    fn start(self) -> House {
        let program = env!("CARGO_BIN_EXE_tasuki");
        let (mut team, mut files) = (String::new(), Vec::new());
        let mut member = |name: &str, boss: &str, script: &str| {
            let command = format!("[{program:?}, agent, scripted, --phrase, {name} OK, --script, {script}]");
            let how = format!("provider: scripted, marker: {name} OK, timeout: 1h, command: {command}");
            writeln!(team, "  - {{name: {name}, reports_to: {boss}, {how}}}").unwrap();
        };
        member("boss", "user", "boss.yaml");
        let tasks = (0..self.tasks).flat_map(|task| (0..self.managers).map(move |m| (task, format!("m{m}"))));
        files.push(("boss.yaml".to_owned(), script("b", "30m", tasks.collect())));
        for m in 0..self.managers {
            member(&format!("m{m}"), "boss", &format!("m{m}.yaml"));
            let parts = (0..self.parts)
                .flat_map(|part| (0..self.specialists).map(move |s| (part, format!("s{m}-{s}"))));
            files.push((format!("m{m}.yaml"), script(&format!("m{m}"), "30m", parts.collect())));
            (0..self.specialists).for_each(|s| member(&format!("s{m}-{s}"), &format!("m{m}"), "work.yaml"));
        }
        let work = format!(
            "rules:\n  - do:\n      - wait: {}ms\n      - print: 済み {{id}}\n      - claim: now\n",
            self.work_ms
        );
        files.push(("work.yaml".to_owned(), work));
        // Everybody's parts come at once.
        team.push_str("settings: {messages_per_minute: 1000, max_children: 10000}\n");
        let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
        let mut house = House::within(team::folder(), "tree", &team, &files);
        house.start();
        for name in std::iter::once("boss".to_owned()).chain((0..self.managers).map(|m| format!("m{m}"))) {
            house.until(&name, |house| {
                house.read(&format!("status/agents/{name}.yaml")).contains("state: idle")
            });
        }
        house
    }
}

/// Somebody who hands parts on and closes when all are answered. They go in files of many, as programs do it.
fn script(name: &str, timeout: &str, parts: Vec<(usize, String)>) -> String {
    let mut text = "rules:\n  - when: {turn: task}\n    do:\n".to_owned();
    for (file, parts) in parts.chunks(A_FILE).enumerate() {
        let mut drop = String::new();
        for (number, to) in parts {
            let priority = PRIORITIES[(number * 7 + to.len()) % 3];
            let head = format!("from: {name}\\nto: {to}\\ntoken: {{token}}\\npriority: {priority}");
            write!(drop, "{head}\\ntimeout: {timeout}\\ncontent: 部分 {number}\\n---\\n").unwrap();
        }
        let drop = drop.replace("from: b\\n", "from: boss\\n");
        writeln!(text, "      - write_file: {{path: \"queue/{name}-{{id}}-{file}.yaml\", text: \"{drop}\"}}")
            .unwrap();
    }
    text + "      - claim: now\n  - do:\n      - claim: now\n"
}

/// What the journal tells.
#[derive(Default)]
struct Told {
    agents: BTreeMap<String, Agent>,
    /// How each task ended.
    ended: BTreeMap<String, Vec<String>>,
    tasks: BTreeMap<String, Task>,
}

/// A task that was accepted.
struct Task {
    to: String,
    parent: Option<String>,
}

/// An agent, and how long it had something to do.
#[derive(Default)]
struct Agent {
    /// In the order in which they go: higher priorities first, then as they were accepted.
    queued: BTreeSet<((usize, usize), String)>,
    current: Option<String>,
    in_turn: bool,
    unread: bool,
    since: f64,
    to_do_ms: f64,
    bound_ms: f64,
}

impl Agent {
    /// Counts the time since the last change, and notes what changes now.
    fn change(&mut self, at: f64, change: impl FnOnce(&mut Self)) {
        if self.in_turn || self.unread || (self.current.is_none() && !self.queued.is_empty()) {
            self.to_do_ms += at - self.since;
        }
        self.since = at;
        change(self);
    }

    fn share(&self) -> f64 {
        self.bound_ms / self.to_do_ms
    }
}

impl Told {
    fn read(house: &House, work_ms: f64) -> Self {
        let mut told = Self::default();
        let entries = std::fs::read_dir(house.path(".tasuki/journal")).expect("a journal").flatten();
        let mut segments: Vec<_> = entries.map(|entry| entry.path()).collect();
        segments.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
        segments.sort();
        for segment in segments {
            let text = std::fs::read_to_string(segment).expect("a segment");
            for line in text.lines().filter(|line| !line.is_empty()) {
                let step: Value = serde_json::from_str(line).expect("a line");
                let at = step["at"].as_f64().expect("a moment");
                for event in step["events"].as_array().into_iter().flatten() {
                    told.take(at, event, work_ms);
                }
            }
        }
        told
    }

    fn take(&mut self, at: f64, event: &Value, work_ms: f64) {
        let text = |key: &str| event[key].as_str().map(str::to_owned);
        let Some(id) = text("id") else { return };
        match (event["event"].as_str(), event["to"].as_str()) {
            (Some("accepted"), Some(to)) if to != "user" && event["type"] == "task" => {
                let priority = text("priority").unwrap_or_else(|| "normal".to_owned());
                let high = PRIORITIES.iter().position(|word| *word == priority).expect("a priority");
                let place = (PRIORITIES.len() - high, self.tasks.len());
                let task = Task { to: to.to_owned(), parent: text("parent") };
                self.agents.entry(task.to.clone()).or_default().change(at, |agent| {
                    agent.queued.insert((place, id.clone()));
                });
                self.tasks.insert(id, task);
            }
            (Some("moved"), Some("intent")) => self.begin(at, &id, work_ms),
            (Some("moved"), Some("waiting")) => self.rest(at, &id),
            (Some("ended"), _) => self.end(at, id, text("outcome").unwrap_or_default()),
            _ => {}
        }
    }

    fn begin(&mut self, at: f64, id: &str, work_ms: f64) {
        let Some(task) = self.tasks.get(id) else { return };
        let works = if task.to.starts_with('s') { work_ms } else { 0.0 };
        self.agents.entry(task.to.clone()).or_default().change(at, |agent| {
            if agent.current.as_deref() != Some(id) {
                let first = agent.queued.pop_first().expect("it was queued");
                assert_eq!(first.1, id, "the most urgent one goes first, then the oldest, at {}", task.to);
                agent.current = Some(id.to_owned());
            }
            (agent.in_turn, agent.unread) = (true, false);
            agent.bound_ms += works + SETTLE_S * 1e3;
        });
    }

    fn rest(&mut self, at: f64, id: &str) {
        let Some(task) = self.tasks.get(id) else { return };
        self.agents.entry(task.to.clone()).or_default().change(at, |agent| agent.in_turn = false);
    }

    fn end(&mut self, at: f64, id: String, outcome: String) {
        if let Some(task) = self.tasks.get(&id) {
            self.agents.entry(task.to.clone()).or_default().change(at, |agent| {
                (agent.in_turn, agent.current) = (false, None);
            });
            let boss = task.parent.as_ref().and_then(|parent| self.tasks.get(parent));
            if let Some(boss) = boss {
                self.agents.entry(boss.to.clone()).or_default().change(at, |agent| agent.unread = true);
            }
            self.ended.entry(id).or_default().push(outcome);
        }
    }
}
