//! Agents that outlive a daemon that was killed: `tasuki down` ends them in its place, and nobody else.

use crate::house::{House, PLAIN_AGENT, signal};
use rustix::process::Signal;
use std::fs;
use std::process::{Command, Output, Stdio};

/// Starts one that ignores the end of its terminal, and reads lines.
const STARTER: &str = r#"#!/bin/bash
bash -c 'trap "" HUP; echo $$ >> "started.$TASUKI_AGENT"; exec sleep 1000' &
while IFS= read -r line; do :; done
"#;
/// Ignores the end of its terminal itself.
const STUBBORN: &str = "#!/bin/bash\ntrap '' HUP\necho $$ >> started.b\nwhile :; do sleep 1000; done\n";
const TWO: &str = "  - {name: a, reports_to: user, provider: plain, command: [bash, a.sh], marker: A OK}\n\
     \x20 - {name: b, reports_to: user, provider: plain, command: [bash, b.sh], marker: B OK}\n";

fn house(name: &str) -> House {
    House::new(name, TWO, &[("a.sh", STARTER), ("b.sh", STUBBORN)])
}

pub(crate) fn lives(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with('Z'))
}

/// The agents' own processes, and what they started, once all of it runs.
fn launched(house: &House) -> Vec<u32> {
    house.until("all to run", |house| {
        ["a", "b"].iter().all(|name| {
            house.read(&format!("status/agents/{name}.yaml")).contains("state: idle")
                && house.read(&format!("started.{name}")).ends_with('\n')
        })
    });
    let panes = house.tmux(&["list-panes", "-a", "-F", "#{pane_pid} #{@tasuki_agent}"]);
    let own = panes.lines().filter_map(|row| row.split_once(' ')).filter(|(_, tag)| !tag.is_empty());
    let own = own.map(|(pid, _)| pid.to_owned());
    let started = ["a", "b"].map(|name| house.read(&format!("started.{name}")));
    let all = own.chain(started.iter().flat_map(|text| text.lines().map(str::to_owned)));
    let all: Vec<u32> = all.map(|pid| pid.parse().expect("a pid")).collect();
    assert!(all.len() >= 4 && all.iter().all(|pid| lives(*pid)), "{all:?}");
    all
}

fn down(house: &House, arguments: &[&str]) -> String {
    let words: Vec<&str> = ["down"].iter().chain(arguments).copied().collect();
    let done = house.ask(&words);
    assert!(done.status.success(), "{done:?}");
    said(&done)
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}

#[test]
fn what_a_killed_daemon_has_left_is_ended_by_down_or_left_where_that_is_asked_for() {
    let mut house = house("killed");
    house.start();
    let all = launched(&house);
    house.kill();
    let kept = down(&house, &["--keep-agents"]);
    assert!(kept.contains("no daemon was running; the agents left by an earlier one go on: a, b"), "{kept}");
    assert!(all.iter().all(|pid| lives(*pid)));

    // Neither an agent nor what it started may do that where nobody can say whether it may.
    let pane = house.tmux(&["list-panes", "-a", "-f", "#{m:a *,#{@tasuki_agent}}", "-F", "#{pane_pid}"]);
    let environ = fs::read(format!("/proc/{}/environ", pane.trim())).expect("its environment");
    let key = environ.split(|byte| *byte == 0).find_map(|entry| entry.strip_prefix(b"TASUKI_AGENT_KEY="));
    let root = house.path("").canonicalize().expect("its root");
    let mut asked = house.tasuki();
    asked
        .env("TASUKI_ROOT", root)
        .env("TASUKI_AGENT_KEY", String::from_utf8_lossy(key.expect("a key")).as_ref());
    let refused = asked.arg("down").output().expect("tasuki");
    assert!(refused.status.code() == Some(2) && said(&refused).contains("let a person do it"), "{refused:?}");
    assert!(all.iter().all(|pid| lives(*pid)));

    let ended = down(&house, &[]);
    assert!(
        ended.contains("no daemon was running; the agents left by an earlier one have ended: a, b"),
        "{ended}"
    );
    assert!(!all.iter().any(|pid| lives(*pid)), "{all:?}");
    assert_eq!(house.tmux(&["list-sessions"]), "", "their server ended with them");
    for name in ["a", "b"] {
        let status = house.read(&format!("status/agents/{name}.yaml"));
        assert!(status.contains("state: stopped") && status.contains("pid: null"), "{status}");
    }
    assert!(house.read("status/activity.log").contains("the agents left by an earlier one have ended: a, b"));
    assert_eq!(down(&house, &[]), "no daemon was running\n");
    house.start();
    house.until("it to go on", |house| house.read("status/agents/a.yaml").contains("state: idle"));
    house.end();
}

#[test]
fn a_daemon_that_is_killed_when_it_has_been_asked_to_end_leaves_no_agents() {
    let mut house = house("asked");
    house.start();
    let all = launched(&house);
    let socket = house.read("status/daemon.yaml");
    let socket =
        socket.lines().find_map(|line| line.strip_prefix("socket: ")).expect("its socket").to_owned();
    let connections =
        move || fs::read_to_string("/proc/net/unix").expect("the sockets").matches(&socket).count();
    let before = connections();
    // It hears nothing any more, so that whoever asks waits for its answer.
    signal(&house.pid().to_string(), Signal::STOP).expect("a signal");
    let asking = house.tasuki().arg("down").stdout(Stdio::piped()).spawn().expect("tasuki");
    house.until("it to be asked", |_| connections() > before);
    house.kill();
    let ended = asking.wait_with_output().expect("its end");
    assert!(ended.status.success(), "{ended:?}");
    let said = said(&ended);
    assert!(said.contains("have ended: a, b"), "{said}");
    assert!(!all.iter().any(|pid| lives(*pid)), "{all:?}");
}

#[test]
fn a_client_that_never_leaves_does_not_keep_the_server() {
    let mut house = house("stray");
    house.start();
    launched(&house);
    let clients = house.tmux(&["list-clients", "-F", "#{client_pid}"]);
    // As tmux 3.3a leaves some of a killed daemon: they wait for ever.
    clients.lines().for_each(|client| signal(client, Signal::STOP).expect("a signal"));
    house.kill();
    let ended = down(&house, &[]);
    assert!(ended.contains("have ended: a, b"), "{ended}");
    house.until("their end", |_| !clients.lines().any(|client| lives(client.parse().expect("a pid"))));
    house.start();
    house.until("it to go on", |house| house.read("status/agents/a.yaml").contains("state: idle"));
    house.end();
}

#[test]
fn a_server_that_cannot_end_for_a_client_that_never_leaves_is_waited_for_no_longer() {
    let mut house = house("stray and ending");
    house.start();
    launched(&house);
    let clients = house.tmux(&["list-clients", "-F", "#{client_pid}"]);
    clients.lines().for_each(|client| signal(client, Signal::STOP).expect("a signal"));
    house.kill();
    house.tmux(&["kill-server"]);
    house.start();
    house.until("their end", |_| !clients.lines().any(|client| lives(client.parse().expect("a pid"))));
    house.until("it to go on", |house| house.read("started.a").lines().count() == 2);
    house.end();
}

#[test]
fn agents_that_outlived_their_tmux_too_are_ended_by_their_processes() {
    let mut house = house("without tmux");
    house.start();
    let all = launched(&house);
    house.kill();
    house.tmux(&["kill-server"]);
    house.until("the server to be gone", |house| house.tmux(&["list-sessions"]).is_empty());
    let left: Vec<u32> = all.into_iter().filter(|pid| lives(*pid)).collect();
    assert!(left.len() >= 2, "they ignore the end of their terminals: {left:?}");
    // Nor does it need the team file.
    fs::rename(house.path("tasuki.yaml"), house.path("../away.yaml")).expect("the team file");
    let ended = down(&house, &[]);
    assert!(ended.contains("have ended: a, b"), "{ended}");
    house.until("their end", |_| !left.iter().any(|pid| lives(*pid)));
    fs::rename(house.path("../away.yaml"), house.path("tasuki.yaml")).expect("the team file");
}

#[test]
fn who_cannot_be_proven_to_be_an_agent_is_named_and_left() {
    let agent = "  - {name: b, reports_to: user, provider: plain, marker: B OK, \
                 command: [env, -i, 'PATH=/usr/bin:/bin', bash, b.sh]}\n";
    let mut house = House::new("emptied", agent, &[("b.sh", STUBBORN)]);
    house.start();
    house.until("it to run", |house| house.read("started.b").ends_with('\n'));
    let pid: u32 = house.read("started.b").trim().parse().expect("a pid");
    house.until("it to be free", |house| house.read("status/agents/b.yaml").contains("state: idle"));
    house.kill();
    house.tmux(&["kill-server"]);
    house.until("the server to be gone", |house| house.tmux(&["list-sessions"]).is_empty());
    let ended = down(&house, &[]);
    assert!(ended.contains("the agent b still seems to run") && lives(pid), "{ended}");
    let (_, pids) = ended.split_once("`kill ").expect("how to end it");
    let (pids, _) = pids.split_once('`').expect("its processes");
    assert!(pids.split(' ').any(|one| one == pid.to_string()), "{ended}");
    for one in pids.split(' ') {
        signal(one, Signal::KILL).expect("a signal");
        house.until("its end", |_| !lives(one.parse().expect("a pid")));
    }
    let ended = down(&house, &[]);
    assert!(!ended.contains("still seems to run"), "{ended}");
}

#[test]
fn who_outlives_its_tmux_ends_before_the_next_one_begins() {
    for daemon_dies in [false, true] {
        let mut house = house(if daemon_dies { "both-die" } else { "tmux-dies" });
        house.start();
        let all = launched(&house);
        if daemon_dies {
            house.kill();
        }
        house.tmux(&["kill-server"]);
        if daemon_dies {
            house.start();
        }
        // Each writes its number when it begins: by then nobody of before lives.
        house.until("others to run", |house| {
            let read = |name: &str| house.read(&format!("started.{name}"));
            ["a", "b"].iter().all(|name| read(name).lines().count() == 2 && read(name).ends_with('\n'))
        });
        let left: Vec<&u32> = all.iter().filter(|pid| lives(**pid)).collect();
        assert!(left.is_empty(), "the daemon died too: {daemon_dies}; of {all:?} live {left:?}");
        down(&house, &[]);
    }
}

#[test]
fn of_a_tmux_server_that_others_use_only_the_workspaces_own_session_is_ended() {
    let (mut one, two) = (house("one"), House::plain("two"));
    one.start();
    let all = launched(&one);
    let socket = one.read("tasuki.yaml").lines().next().expect("the socket").to_owned();
    let agent = "  - {name: worker, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK}\n";
    two.write("tasuki.yaml", &format!("{socket}\nsession: other\nagents:\n{agent}"));
    two.write("agent.sh", PLAIN_AGENT);
    let mut two = two;
    two.start();
    two.until("the other's agent", |two| two.read("status/agents/worker.yaml").contains("state: idle"));
    one.tmux(&["new-session", "-d", "-s", "persons", "sleep 1000"]);
    let others = |one: &House| {
        let panes = one.tmux(&["list-panes", "-a", "-F", "#{session_name} #{pane_pid}"]);
        panes.lines().filter(|row| !row.starts_with("tasuki ")).map(str::to_owned).collect::<Vec<_>>()
    };
    let before = others(&one);
    assert_eq!(before.len(), 3, "{before:?}");
    one.kill();
    // The team file may have come to name another server meanwhile.
    let team = one.read("tasuki.yaml");
    one.write("tasuki.yaml", &team.replace(&socket, "tmux_socket: tasuki-test-nowhere"));
    let ended = down(&one, &[]);
    assert!(ended.contains("have ended: a, b"), "{ended}");
    assert!(!all.iter().any(|pid| lives(*pid)), "{all:?}");
    assert_eq!(others(&one), before, "what is not its own was touched");
    two.drop("t.yaml", "id: t\nto: worker\ncontent: go on\n");
    assert!(two.result("t").contains("answer to t"));
    two.end();
    one.write("tasuki.yaml", &team);
}

#[test]
fn who_only_looks_like_an_agent_is_named_and_left_alone() {
    let mut house = house("alike");
    house.start();
    let all = launched(&house);
    house.kill();
    let root = house.path("").canonicalize().expect("its root");
    // Started by an agent in a session of its own, and an earlier process of the number and another start time.
    let mut own = Command::new("setsid");
    own.args(["sleep", "1000"]).env("TASUKI_ROOT", &root).env("TASUKI_AGENT", "a").stdin(Stdio::null());
    let mut own = own.spawn().expect("sleep");
    house.until("its session", |_| {
        fs::read_to_string(format!("/proc/{}/comm", own.id())).is_ok_and(|name| name.trim() == "sleep")
    });
    let ended = down(&house, &[]);
    assert!(ended.contains("have ended: a, b"), "{ended}");
    let told = format!("process {} was started by the agent a of this workspace", own.id());
    assert!(ended.contains(&told) && ended.contains(&format!("`kill {}` ends it", own.id())), "{ended}");
    assert!(!all.iter().any(|pid| lives(*pid)) && lives(own.id()));
    own.kill().expect("to end it");
    own.wait().expect("its end");
}
