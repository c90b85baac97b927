//! What the kernel counts of a process: memory, time, wake-ups, bytes, children. From `/proc`, so of any process of ours.

use std::fs;

/// What a process has done so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Deeds {
    /// Time on a processor, in ticks of 10 ms.
    pub(crate) ticks: u64,
    /// How often one of its threads went to sleep by itself, which is as often as one was woken.
    pub(crate) wakes: u64,
    /// Bytes handed to `write` and the like, to files, sockets, pipes and terminals alike.
    pub(crate) written: u64,
    /// Bytes got from `read` and the like.
    pub(crate) read: u64,
    /// Children that run.
    pub(crate) children: Vec<u32>,
    /// Page faults of children that ended and were waited for: no program starts and ends without some.
    pub(crate) faults_of_children: u64,
}

impl Deeds {
    /// What this process has done by now.
    pub(crate) fn of(pid: u32) -> Self {
        let stat = read(pid, "stat");
        // The second field is the name, in brackets, with any character in it.
        let fields: Vec<&str> =
            stat.rsplit_once(") ").map_or("", |(_, rest)| rest).split_ascii_whitespace().collect();
        let field =
            |number: usize| fields.get(number - 3).and_then(|word| word.parse().ok()).unwrap_or(0_u64);
        let io = read(pid, "io");
        let mut children: Vec<u32> = each_task(pid, "children")
            .iter()
            .flat_map(|text| text.split_ascii_whitespace())
            .filter_map(|word| word.parse().ok())
            .collect();
        children.sort_unstable();
        Self {
            ticks: field(14) + field(15),
            wakes: each_task(pid, "status").iter().map(|text| number(text, "voluntary_ctxt_switches:")).sum(),
            written: number(&io, "wchar:"),
            read: number(&io, "rchar:"),
            children,
            faults_of_children: field(11),
        }
    }
}

/// Memory of a process that is its own and on no disk, in KiB.
pub(crate) fn rss_anon_kib(pid: u32) -> u64 {
    number(&read(pid, "status"), "RssAnon:")
}

fn read(pid: u32, name: &str) -> String {
    fs::read_to_string(format!("/proc/{pid}/{name}")).unwrap_or_else(|error| panic!("{pid}/{name}: {error}"))
}

/// One file of each thread; a thread that ends meanwhile has none.
fn each_task(pid: u32, name: &str) -> Vec<String> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).expect("the threads of a process that runs");
    tasks.filter_map(|task| fs::read_to_string(task.ok()?.path().join(name)).ok()).collect()
}

fn number(text: &str, key: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(key));
    line.and_then(|line| line.split_ascii_whitespace().next()?.parse().ok()).unwrap_or(0)
}
