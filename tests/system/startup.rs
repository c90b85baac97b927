//! What a start reads: the newest segment and the lists of ids, however much was ever finished; and what it asks of tmux,
//! however many agents go on (performance, row 12).

use crate::house::{self, House};
use crate::opened::Opened;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

/// Bytes of a message: some ten of them fill a segment.
const LARGE: usize = 900_000;
/// Enough for three segments and more.
const MESSAGES: usize = 16;

/// Names in a folder, in order.
fn names(house: &House, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(house.path(folder)).expect(folder);
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_start_reads_one_segment_and_nothing_of_the_archive() {
    let mut house = House::plain("start");
    house.start();
    let large = "襷".repeat(LARGE / 3);
    for number in 0..MESSAGES {
        house.drop(
            &format!("{number}.yaml"),
            &format!("id: i-{number}\nto: user\ntype: info\ncontent: {large}\n"),
        );
        let there = |house: &House| {
            let days = names(house, "queue/done");
            days.iter().any(|day| house.path(&format!("queue/done/{day}/i-{number}.yaml")).exists())
        };
        house.until("the info", there);
    }
    house.drop("t.yaml", "id: t-1\nto: worker\ncontent: 一つ\n");
    house.result("t-1");
    house.end();
    let segments = names(&house, ".tasuki/journal").into_iter().filter(|name| name.ends_with(".jsonl"));
    let segments: Vec<String> = segments.collect();
    let (newest, closed) = segments.split_last().expect("segments");
    assert!(closed.len() >= 2, "a small archive: {segments:?}");

    let newest_lines = house.read(&format!(".tasuki/journal/{newest}"));
    let days = names(&house, "queue/done").into_iter().map(|day| format!("queue/done/{day}"));
    let archive = ["queue/done", "queue/results", ".tasuki/journal"].map(str::to_owned);
    let opened = Opened::within(&house.path(""), &days.chain(archive).collect::<Vec<_>>());
    house.start();
    house.until("idle", |house| house.read("status/agents/worker.yaml").contains("state: idle"));
    // Its views are written one after the other, so all that a start does with them is done when this one is.
    house.drop("u.yaml", "id: t-2\nto: worker\ncontent: 二つ\n");
    house.result("t-2");
    let names = opened.names();
    let of = |end: &str| names.iter().filter(|name| name.ends_with(end)).collect::<Vec<_>>();
    assert!(!of(newest).is_empty(), "the newest segment is read: {names:?}");
    for segment in closed {
        assert!(of(segment).is_empty(), "{segment} is not read: {names:?}");
    }
    let finished = |name: &&String| name.contains("queue/done/2") || name.contains("queue/results/");
    // What ended in the newest segment and is larger than a page is held against it: a power cut may have left a part.
    let of_newest = |name: &str| {
        let id = name.rsplit('/').next().and_then(|file| file.strip_suffix(".yaml"));
        id.is_some_and(|id| newest_lines.contains(&format!("\"event\":\"ended\",\"id\":\"{id}\"")))
    };
    let others = |name: &&String| !name.contains("/t-2") && !name.contains("/.") && !of_newest(name);
    let finished: Vec<_> = names.iter().filter(finished).filter(others).collect();
    assert!(finished.is_empty(), "nothing of the archive is read or listed: {finished:?}");
}

/// Agents that go on.
const AGENTS: usize = 3;
/// One that looks whose session it is, the client that talks, and its guard.
const PROGRAMS: usize = 3;

#[test]
fn a_start_beside_agents_that_go_on_starts_tmux_three_times_and_lists_the_panes_once() {
    let agent = |number| {
        format!(
            "  - {{name: a{number}, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK}}\n"
        )
    };
    let agents: String = (0..AGENTS).map(agent).collect();
    let mut house = House::new("programs", &agents, &[("agent.sh", house::PLAIN_AGENT)]);
    counted(&mut house);
    let idle = |house: &House| {
        let status = |number| house.read(&format!("status/agents/a{number}.yaml"));
        (0..AGENTS).all(|number| status(number).contains("state: idle"))
    };
    house.start();
    house.until("all to be idle", idle);
    let pids = house.tmux(&["list-panes", "-s", "-t", "=tasuki:", "-F", "#{pane_pid}"]);
    house.end();
    // tmux itself counts: a character each time.
    house.tmux(&["set-option", "-g", "@listed", ""]);
    house.tmux(&["set-hook", "-g", "after-list-panes", "set-option -ga @listed x"]);
    house.write("programs", "");
    house.start();
    // Both clients are there when it is answered over the connection: each agent types what it was given.
    for number in 0..AGENTS {
        house.drop(&format!("{number}.yaml"), &format!("id: t-{number}\nto: a{number}\ncontent: 仕事\n"));
    }
    (0..AGENTS).for_each(|number| assert!(house.result(&format!("t-{number}")).contains("answer to")));
    let programs = house.read("programs");
    assert_eq!(programs.lines().count(), PROGRAMS, "{programs}");
    assert_eq!(house.tmux(&["show-options", "-gv", "@listed"]).trim(), "x", "the panes were listed once");
    house.tmux(&["set-hook", "-gu", "after-list-panes"]);
    assert_eq!(house.tmux(&["list-panes", "-s", "-t", "=tasuki:", "-F", "#{pane_pid}"]), pids, "all went on");
}

/// Puts a tmux before the other that writes down each time that it is started.
fn counted(house: &mut House) {
    let found = Command::new("sh").args(["-c", "command -v tmux"]).output().expect("a shell");
    let real = String::from_utf8(found.stdout).expect("a path");
    let list = house.path("programs");
    fs::create_dir(house.path("bin")).expect("a folder");
    let script = format!("#!/bin/sh\necho \"$*\" >> {}\nexec {} \"$@\"\n", list.display(), real.trim());
    house.write("bin/tmux", &script);
    fs::set_permissions(house.path("bin/tmux"), fs::Permissions::from_mode(0o700))
        .expect("to make it a program");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(house.path("bin")).chain(std::env::split_paths(&path));
    house.surround("PATH", &std::env::join_paths(folders).expect("a path"));
}
