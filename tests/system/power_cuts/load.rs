//! What is dropped: all kinds, some of it brought to the disk by its writer and some not.

use crate::account::{AGENT, Account};
use crate::house::House;
use crate::odds::Odds;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Six messages of this many bytes fill a segment of 2 MiB.
const LARGE: usize = 360_000;
/// Tasks that may be open: what is open at a cut is done anew behind it.
const OPEN_MAX: usize = 3;

/// What kind of message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Task,
    Info,
    Nameless,
    NamelessTask,
    Bad,
}

/// One thing that was dropped; its name is in it.
#[derive(Debug, Clone)]
struct Dropped {
    name: String,
    kind: Kind,
    /// Whether it has to be there after a cut, whatever the daemon knew of it.
    synced: bool,
    /// Whether the daemon has said that it has it.
    told: bool,
}

/// All that was dropped into a workspace.
#[derive(Default)]
pub(crate) struct Load {
    dropped: Vec<Dropped>,
}

/// The workspace's agents; what is typed to them is written to `typed`.
pub(crate) fn house(place: &Path, typed: &Path) -> House {
    let agent = format!(
        "  - {{name: worker, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK, env: {{TYPED: {}}}}}\n",
        typed.display()
    );
    let folder = tempfile::tempdir().expect("a folder");
    let root = place.join("襷");
    House::within(folder, root.to_str().expect("UTF-8"), &agent, &[("agent.sh", AGENT)])
}

impl Load {
    /// Drops some things.
    pub(crate) fn some(&mut self, house: &House, odds: &mut Odds, flushes: bool) {
        for _ in 0..odds.below(6) + 1 {
            let kind = match odds.below(10) {
                0 | 1 if self.open(house) < OPEN_MAX => Kind::Task,
                2 if self.open(house) < OPEN_MAX => Kind::NamelessTask,
                3..=5 => Kind::Nameless,
                6 => Kind::Bad,
                _ => Kind::Info,
            };
            let name = format!("d{}-{}", self.dropped.len(), odds.below(1 << 40));
            let large = kind == Kind::Info && odds.below(4) == 0;
            let text = text(&name, kind, large);
            if matches!(kind, Kind::Task | Kind::Info) && !large && odds.below(5) == 0 {
                let kind_word = if kind == Kind::Task { "task" } else { "info" };
                let told = send(house, &name, kind, kind_word);
                self.dropped.push(Dropped { name, kind, synced: false, told });
                continue;
            }
            let synced = flushes && odds.below(2) == 0;
            drop_file(&house.path("queue"), &name, &text, synced);
            self.dropped.push(Dropped { name, kind, synced, told: false });
            if odds.below(3) == 0 {
                std::thread::sleep(Duration::from_millis(odds.below(40)));
            }
        }
    }

    /// Drops some things while no daemon runs.
    pub(crate) fn some_alone(&mut self, house: &House, odds: &mut Odds) {
        for _ in 0..odds.below(3) {
            let name = format!("d{}-{}", self.dropped.len(), odds.below(1 << 40));
            let synced = odds.below(2) == 0;
            drop_file(&house.path("queue"), &name, &text(&name, Kind::Nameless, false), synced);
            self.dropped.push(Dropped { name, kind: Kind::Nameless, synced, told: false });
        }
    }

    fn open(&self, house: &House) -> usize {
        let tasks =
            self.dropped.iter().filter(|drop| matches!(drop.kind, Kind::Task | Kind::NamelessTask)).count();
        tasks.saturating_sub(house.files("queue/results").len())
    }

    /// What has to be there if the power is cut now, and the results that were announced. The daemon is still.
    pub(crate) fn due(&self, house: &House, typed: PathBuf) -> (Account, BTreeMap<PathBuf, String>) {
        let mut account = Account::new(typed);
        let active: String = house.files("queue/active").iter().map(|path| read(path)).collect();
        let done: String = crate::account::done(house).into_values().collect();
        let log = house.read("status/activity.log");
        let known = |name: &str| [&active, &done, &log].iter().any(|text| text.contains(name));
        for drop in &self.dropped {
            let name = drop.name.clone();
            // That it was refused is told where it lies.
            let due = drop.synced || drop.told || drop.kind != Kind::Bad && known(&name);
            match drop.kind {
                Kind::Task if due => account.tasks.push(name),
                Kind::Info if due => account.infos.push(name),
                Kind::Nameless | Kind::NamelessTask if due => account.nameless.push(name),
                Kind::Bad if due => account.refused.push((format!("{name}.yaml"), "unknown-agent")),
                _ => account.maybe.push(name),
            }
        }
        let results = house.files("queue/results").into_iter().filter(|path| !is_hidden(path));
        let named =
            |path: PathBuf| Some((PathBuf::from("queue/results").join(path.file_name()?), read(&path)));
        (account, results.filter_map(named).collect())
    }
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

fn text(name: &str, kind: Kind, large: bool) -> String {
    let more = if large { "襷".repeat(LARGE / 3) } else { "🎽".to_owned() };
    match kind {
        Kind::Task => format!("id: {name}\nto: worker\ncontent: |\n  {name} {more}\n"),
        Kind::Info => format!("id: {name}\nto: user\ntype: info\ncontent: {name} {more}\n"),
        Kind::Nameless => format!("to: user\ntype: info\ncontent: {name}\n"),
        Kind::NamelessTask => format!("to: worker\ncontent: |\n  {name}\n"),
        Kind::Bad => format!("to: nobody\ncontent: {name}\n"),
    }
}

/// Sends it over the socket; whether that said that it is durable.
fn send(house: &House, name: &str, kind: Kind, word: &str) -> bool {
    let to = if kind == Kind::Task { "worker" } else { "user" };
    let sent = house.tasuki().args(["send", to, name, "--id", name, "--type", word]).output().expect("send");
    sent.status.success()
}

/// Drops a file; `synced` as whoever cannot do without it does.
fn drop_file(queue: &Path, name: &str, text: &str, synced: bool) {
    let (part, whole) = (queue.join(format!(".{name}.tmp")), queue.join(format!("{name}.yaml")));
    fs::write(&part, text).expect("the drop");
    if synced {
        fs::File::open(&part).and_then(|file| file.sync_all()).expect("to sync the drop");
    }
    fs::rename(&part, &whole).expect("the drop");
    if synced {
        fs::File::open(queue).and_then(|folder| folder.sync_all()).expect("to sync its name");
    }
}
