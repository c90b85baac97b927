//! Sessions. Two hundred tasks in ten layers over twenty agents, each of which needs three of the layer before, against the longest
//! way through them; the same in worktrees, with a worktree by git alone for each layer in that bound. And what sessions that have
//! ended cost.

use crate::house::House;
use crate::support::numbers::shown;
use crate::support::rounds::Scale;
use crate::support::{machine, stamp};
use crate::team::{self, SETTLE_S};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::process::Command;

/// Agents, layers of as many tasks, and how long each task takes.
#[derive(Debug, Clone, Copy)]
struct Size {
    agents: usize,
    layers: usize,
    work_ms: u64,
    /// Sessions that have ended.
    ended: usize,
}

const FULL: Size = Size { agents: 20, layers: 10, work_ms: 5_000, ended: 1_000 };
const TINY: Size = Size { agents: 2, layers: 2, work_ms: 100, ended: 4 };
/// What is at least reached of the longest way.
const LEAST: f64 = 0.95;

pub(crate) fn run(scale: Scale) {
    let size = scale.pick(FULL, TINY);
    for trees in [false, true] {
        size.layered(trees);
    }
    size.of_the_past();
}

impl Size {
    /// Agents that take so long for each task, in a repository with a commit.
    fn start(self, name: &str, work_ms: u64) -> House {
        let program = env!("CARGO_BIN_EXE_tasuki");
        let mut team = String::new();
        for number in 0..self.agents {
            let command = format!("[{program:?}, agent, scripted, --phrase, S OK, --script, work.yaml]");
            let how = format!("provider: scripted, marker: S OK, timeout: 1h, command: {command}");
            writeln!(team, "  - {{name: a{number}, reports_to: user, {how}}}").expect("a line");
        }
        team.push_str("settings: {messages_per_minute: 1000}\n");
        let work = format!(
            "rules:\n  - do:\n      - wait: {work_ms}ms\n      - print: 済み {{id}}\n      - claim: now\n"
        );
        let mut house = House::within(team::folder(), name, &team, &[("work.yaml", &work)]);
        let root = house.path(".");
        git(&root, &["init", "-q"]);
        git(&root, &["add", "tasuki.yaml", "work.yaml"]);
        let names = ["-c", "user.name=a", "-c", "user.email=a@localhost"];
        git(&root, &[&names[..], &["commit", "-q", "-m", "first"]].concat());
        house.start();
        team::until_idle(&house, self.agents);
        house
    }

    /// Each task is done by the agent of its column and needs that column and its two neighbours.
    fn plan(self, trees: bool) -> Value {
        let columns = self.agents;
        let id = |layer: usize, column: usize| format!("task-{}", layer * columns + column % columns + 1);
        let cells = (0..self.layers).flat_map(|layer| (0..columns).map(move |column| (layer, column)));
        let tasks = cells.map(|(layer, column)| {
            let mut needs: Vec<String> = match layer.checked_sub(1) {
                Some(above) => (0..3).map(|by| id(above, column + by)).collect(),
                None => Vec::new(),
            };
            needs.sort();
            needs.dedup();
            let mut task = json!({
                "id": id(layer, column), "name": format!("段 {layer} 列 {column}"), "description": "do it",
                "to": format!("a{column}"), "dependencies": needs,
            });
            if trees {
                task["worktree_strategy"] = "New".into();
            }
            task
        });
        json!({"name": "layers", "parallel": columns, "tasks": tasks.collect::<Vec<_>>()})
    }

    fn layered(self, trees: bool) {
        let mut house = self.start("layers", self.work_ms);
        house.write("plan.json", &self.plan(trees).to_string());
        let by_git = if trees { by_git_alone(self.agents * self.layers) } else { 0.0 };
        let from = stamp::now();
        let id = begin(&house, "plan.json");
        until_completed(&house, &id);
        let seconds = stamp::seconds_since(from);
        let bound = self.layers as f64 * (self.work_ms as f64 / 1000.0 + SETTLE_S + by_git);
        println!(
            "  {} tasks in {} layers over {} agents{}: {seconds:.1} s, the longest way {bound:.1} s: {} of it (at least {LEAST}: {}), load {}",
            self.agents * self.layers,
            self.layers,
            self.agents,
            if trees {
                format!(", in worktrees ({} s each by git alone)", shown(by_git))
            } else {
                String::new()
            },
            shown(bound / seconds),
            if bound / seconds >= LEAST { "met" } else { "missed" },
            machine::load()
        );
        house.end();
    }

    /// Memory, and the time of a start, with sessions that have ended and without.
    fn of_the_past(self) {
        let mut house = self.start("past", 0);
        let (kib, ms) = again(&mut house);
        for from in (0..self.ended).step_by(self.agents) {
            let ids: Vec<String> = (from..self.ended.min(from + self.agents))
                .map(|number| {
                    let to = format!("a{}", number % self.agents);
                    let plan =
                        json!({"name": "過去", "tasks": [{"name": "one", "description": "do it", "to": to}]});
                    house.write("plan.json", &plan.to_string());
                    begin(&house, "plan.json")
                })
                .collect();
            ids.iter().for_each(|id| until_completed(&house, id));
        }
        let (kib_after, ms_after) = again(&mut house);
        println!(
            "  {} sessions that have ended: {kib} KiB → {kib_after} KiB of memory, start {ms:.0} ms → {ms_after:.0} ms",
            self.ended
        );
        house.end();
    }
}

/// What the daemon takes after a start, in KiB, and how long that took, in ms.
fn again(house: &mut House) -> (u64, f64) {
    house.kill();
    let from = stamp::now();
    house.start();
    let ms = stamp::seconds_since(from) * 1000.0;
    (crate::proc::rss_anon_kib(house.pid()), ms)
}

fn begin(house: &House, plan: &str) -> String {
    let output = house.ask(&["session", "new", plan]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn until_completed(house: &House, id: &str) {
    let document = format!(".tasuki/sessions/{id}.json");
    house.until_within(std::time::Duration::from_secs(600), "the end of a session", |house| {
        let text = std::fs::read(house.path(&document)).unwrap_or_default();
        let session: Value = serde_json::from_slice(&text).unwrap_or_default();
        assert_ne!(session["status"], "Failed", "{session}");
        session["status"] == "Completed"
    });
}

/// Seconds that git takes for one of so many worktrees, when nobody else asks it for anything: it looks at all that are there.
pub(crate) fn by_git_alone(count: usize) -> f64 {
    let folder = team::folder();
    let root = folder.path().join("repository");
    std::fs::create_dir(&root).expect("a folder");
    git(&root, &["init", "-q"]);
    let names = ["-c", "user.name=a", "-c", "user.email=a@localhost"];
    git(&root, &[&names[..], &["commit", "-q", "--allow-empty", "-m", "first"]].concat());
    let from = stamp::now();
    for number in 0..count {
        let path = folder.path().join(number.to_string()).to_string_lossy().into_owned();
        git(&root, &["worktree", "add", "-q", "-b", &format!("alone-{number}"), &path]);
    }
    stamp::seconds_since(from) / count as f64
}

pub(crate) fn git(root: &std::path::Path, arguments: &[&str]) {
    let output = Command::new("git").arg("-C").arg(root).args(arguments).output().expect("git");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
