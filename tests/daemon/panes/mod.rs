//! What may happen around the agents' panes while they work, through the real binary and real tmux: connections that
//! end, people who type, servers that stand still.

mod hands;
mod unsent;
mod verbs;

use crate::house::{House, signal};
use crate::person::Person;
use rustix::process::Signal;
use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// Does one piece of work a line that it reads: says so in `work.log`, and waits for the file `go`.
const WORKER: &str = r#"#!/bin/bash
echo $$ >> starts.log
while IFS= read -r line; do
  if [[ $line =~ \(token\ ([a-z0-9]{6})\) ]]; then
    echo "$line" >> work.log
    while [ ! -e go ]; do sleep 0.05; done
    echo "PLAIN OK ${BASH_REMATCH[1]}"
  fi
done
"#;

/// A workspace whose one agent runs this script.
fn house(name: &str, script: &str) -> House {
    house_with(name, script, "")
}

/// The same, with more keys for the agent.
fn house_with(name: &str, script: &str, more: &str) -> House {
    let agent = format!(
        "  - {{name: worker, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK{more}}}\n"
    );
    House::new(name, &agent, &[("agent.sh", script)])
}

/// tmux's process id.
fn server(house: &House) -> String {
    house.tmux(&["display-message", "-p", "#{pid}"]).trim().to_owned()
}

fn is_idle(house: &House) -> bool {
    house.read("status/agents/worker.yaml").contains("state: idle")
}

fn lines(house: &House, file: &str) -> usize {
    house.read(file).lines().count()
}

#[test]
fn a_detached_connection_is_made_anew_and_nothing_is_done_twice() {
    let mut house = house("detached", WORKER);
    house.start();
    house.drop("a.yaml", "id: d-1\nto: worker\ncontent: first\n");
    house.until("work", |house| lines(house, "work.log") == 1);
    for number in 1..=3 {
        // What `tmux attach -d` does to all other clients.
        house.tmux(&["detach-client", "-s", "=tasuki"]);
        house.until("a new connection", |house| {
            house.read("status/agents/worker.log").matches("goes on").count() == number
        });
    }
    assert_eq!(house.tmux(&["list-windows", "-t", "=tasuki", "-F", "#{window_name}"]), "tasuki\nworker\n");
    house.write("go", "");
    let result = house.result("d-1");
    assert!(result.contains("type: result") && result.contains("attempt: 1"), "{result}");
    house.drop("b.yaml", "id: d-2\nto: worker\ncontent: second\n");
    assert!(house.result("d-2").contains("type: result"));
    assert_eq!(
        (lines(&house, "work.log"), lines(&house, "starts.log")),
        (2, 1),
        "{}",
        house.read("work.log")
    );
    house.end();
}

/// Longer than any call to tmux waits for its answer (5 s).
const STALL: Duration = Duration::from_secs(6);

#[test]
fn a_tmux_that_stood_still_while_somebody_asked_costs_no_agent_its_work() {
    let mut house = house("stalls", WORKER);
    house.start();
    house.until("idle", is_idle);
    let server = server(&house);
    signal(&server, Signal::STOP).expect("a signal");
    let asked = house.tasuki().args(["pane", "wait", "worker", "--text", "x"]).output().expect("pane wait");
    signal(&server, Signal::CONT).expect("a signal");
    let said = String::from_utf8_lossy(&asked.stderr).into_owned();
    assert!(!asked.status.success() && said.contains("tmux did not answer"), "{said}");
    house.write("go", "");
    house.drop("a.yaml", "id: s-1\nto: worker\ncontent: first\n");
    assert!(house.result("s-1").contains("type: result"));
    assert_eq!(lines(&house, "starts.log"), 1);
}

#[test]
fn an_agent_that_ends_while_tmux_stands_still_is_started_again() {
    let mut house = house("ends-in-a-stall", WORKER);
    house.start();
    house.until("idle", is_idle);
    let server = server(&house);
    signal(&server, Signal::STOP).expect("a signal");
    signal(house.read("starts.log").trim(), Signal::KILL).expect("a signal");
    std::thread::sleep(STALL);
    signal(&server, Signal::CONT).expect("a signal");
    house.until("its end to be told", |house| {
        house.read("status/agents/worker.log").contains("killed by SIGKILL")
    });
    house.write("go", "");
    house.drop("a.yaml", "id: s-1\nto: worker\ncontent: first\n");
    assert!(house.result("s-1").contains("type: result"));
}

#[test]
fn windows_that_a_tmux_that_stood_still_makes_when_it_goes_on_are_closed() {
    let mut house = house_with("late-windows", WORKER, "}\nsettings: {max_restarts: 0");
    house.start();
    house.until("idle", is_idle);
    let server = server(&house);
    let logged = |house: &House, words: &str| house.read(".tasuki/daemon.log").matches(words).count();
    signal(&server, Signal::STOP).expect("a signal");
    // Of the first launch, nobody waits for the end; the second one fails.
    for _ in 0..2 {
        let anew = house.tasuki().args(["agent", "restart", "worker"]).status().expect("agent restart");
        assert!(anew.success());
    }
    house.until("both to be given up, and their windows", |house| {
        logged(house, "a window could not be closed") >= 2
    });
    assert!(house.read("status/agents/worker.yaml").contains("could not be started"));
    signal(&server, Signal::CONT).expect("a signal");
    house.until("their end", |house| logged(house, "a window that nobody waits for is closed") == 2);
    assert_eq!(house.tmux(&["list-windows", "-t", "=tasuki", "-F", "#{window_name}"]), "tasuki\n");
    house.until("their programs' end", |house| {
        let pids = house.read("starts.log");
        pids.lines().all(|pid| !std::path::Path::new(&format!("/proc/{pid}")).exists())
    });
    let start = house.tasuki().args(["agent", "start", "worker"]).status().expect("agent start");
    assert!(start.success());
    house.until("idle", is_idle);
}

/// Enter comes three seconds after the text, and a person counts as gone after four.
const SLOW_ENTER: &str =
    "providers:\n  plain: {enter_after: 3s, echo_wait: 10s}\nsettings: {person_quiet: 4s}\n";

fn slow_house(name: &str) -> House {
    let agent = "  - {name: worker, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK}\n";
    let house = House::new(name, &format!("{agent}{SLOW_ENTER}"), &[("agent.sh", WORKER)]);
    house.write("go", "");
    house
}

fn shows(house: &House, text: &str) -> bool {
    house.tmux(&["capture-pane", "-p", "-J", "-t", "=tasuki:=worker"]).contains(text)
}

#[test]
fn a_stop_file_holds_back_the_enter_of_a_line_that_stands_there() {
    let mut house = slow_house("stop-in-between");
    house.start();
    house.until("idle", is_idle);
    house.drop("a.yaml", "id: s-1\nto: worker\ncontent: first\n");
    house.until("the text", |house| shows(house, "[tasuki] task s-1"));
    house.write("queue/STOP", "");
    house.until("the verdict", |house| {
        house.read("status/activity.log").contains("queue/STOP exists; its line is in the input")
    });
    for words in [&["pane", "send", "worker", "hello"][..], &["pane", "clear", "worker"]] {
        let refused = house.tasuki().args(words).output().expect("a pane verb");
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && said.contains("queue/STOP exists"), "{said}");
    }
    assert_eq!(lines(&house, "work.log"), 0, "{}", house.read("work.log"));
    assert!(!shows(&house, "hello"));
    fs::remove_file(house.path("queue/STOP")).expect("STOP");
    assert!(house.result("s-1").contains("type: result"));
    assert_eq!(house.read("work.log").matches("[tasuki]").count(), 1, "{}", house.read("work.log"));
}

#[test]
fn a_turn_that_is_cancelled_while_it_is_typed_is_not_entered_and_its_line_goes() {
    let mut house = slow_house("cancelled-in-between");
    house.start();
    house.until("idle", is_idle);
    house.drop("a.yaml", "id: x-1\nto: worker\ncontent: first\n");
    house.until("the text", |house| shows(house, "[tasuki] task x-1"));
    let cancelled = house.ask(&["cancel", "x-1"]);
    assert!(cancelled.status.success());
    house.until("the line to go", |house| !shows(house, "[tasuki] task x-1"));
    house.drop("b.yaml", "id: x-2\nto: worker\ncontent: second\n");
    assert!(house.result("x-2").contains("type: result"));
    let work = house.read("work.log");
    assert!(work.lines().count() == 1 && !work.contains("x-1"), "{work}");
}

#[test]
fn a_person_who_begins_to_type_behind_a_line_gets_no_enter_into_the_words() {
    let mut house = slow_house("person-in-between");
    house.start();
    house.until("idle", is_idle);
    let mut person = Person::at(&house, "tasuki:=worker");
    house.drop("a.yaml", "id: p-1\nto: worker\ncontent: first\n");
    house.until("the text", |house| shows(house, "[tasuki] task p-1"));
    person.types("日本");
    house.until("the words", |house| shows(house, "do it.日本"));
    house.until("the verdict", |house| {
        house.read("status/activity.log").contains("a person is typing in its pane; its line is in the input")
    });
    assert_eq!(lines(&house, "work.log"), 0, "{}", house.read("work.log"));
    person.types("\u{15}"); // C-u: the whole line goes
    assert!(house.result("p-1").contains("type: result"));
    let work = house.read("work.log");
    assert!(work.matches("[tasuki]").count() == 1 && !work.contains("日本"), "{work}");
}

#[test]
fn an_agent_that_does_not_hang_up_is_ended_however_many_ask_for_its_pane() {
    let mut house = house("stubborn", "#!/bin/bash\ntrap '' HUP\necho $$ > starts.log\nexec sleep 1000\n");
    house.start();
    house.until("idle", is_idle);
    let pid = house.read("starts.log").trim().to_owned();
    let server = server(&house);
    signal(&server, Signal::STOP).expect("a signal");
    // Not by the command line: on a loaded machine the first of forty programs is answered before the last has asked.
    let socket = crate::twins::socket(&house);
    let read = || {
        let mut reader = UnixStream::connect(&socket).expect("a connection");
        let head = "GET /api/panes/worker HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        reader.write_all(head.as_bytes()).expect("a request");
        reader
    };
    let hear = |mut reader: UnixStream| {
        let mut answer = String::new();
        reader.read_to_string(&mut answer).expect("an answer");
        answer
    };
    // One that waits itself has come before some of the forty, and would be answered when tmux is given up.
    let is_refused = |mut reader: UnixStream| {
        reader.set_read_timeout(Some(Duration::from_secs(1))).expect("a socket");
        let mut answer = String::new();
        reader.read_to_string(&mut answer).is_ok() && answer.contains("is busy: try again")
    };
    let readers: Vec<UnixStream> = (0..40).map(|_| read()).collect();
    house.until("it to be too much", |_| is_refused(read()));
    let stopped = house.tasuki().args(["agent", "stop", "worker"]).status().expect("agent stop");
    assert!(stopped.success());
    signal(&server, Signal::CONT).expect("a signal");
    house.until("its end", |_| !std::path::Path::new(&format!("/proc/{pid}")).exists());
    for reader in readers {
        assert!(hear(reader).starts_with("HTTP/1.1 "), "each is answered");
    }
}

#[test]
fn another_tmux_socket_in_the_team_file_moves_nobody_and_down_still_ends_all() {
    let mut house = house("moved", WORKER);
    house.start();
    house.until("idle", is_idle);
    let pid = house.read("starts.log").trim().to_owned();
    let team = house.read("tasuki.yaml");
    house.write("tasuki.yaml", &team.replacen("tmux_socket: ", "session: other\ntmux_socket: x-", 1));
    house.until("the note", |house| {
        house.read("status/daemon.yaml").contains("takes effect only after a restart")
    });
    let note = house.read("status/daemon.yaml");
    assert!(note.contains("tmux_socket, session"), "{note}");
    house.write("go", "");
    house.drop("a.yaml", "id: m-1\nto: worker\ncontent: first\n");
    assert!(house.result("m-1").contains("type: result"));
    let down = house.tasuki().arg("down").status().expect("tasuki down");
    assert!(down.success());
    house.until("the agent's end", |_| !std::path::Path::new(&format!("/proc/{pid}")).exists());
    assert_eq!(house.tmux(&["list-sessions"]), "", "nothing is left on the old server");
}

#[test]
fn what_an_earlier_launch_showed_is_no_longer_told() {
    let script = "#!/bin/bash\nif [ ! -e once ]; then touch once; read -r line; echo the first launch speaks; read -r line; exit 3; fi\nwhile read -r line; do :; done\n";
    let mut house = house("doing", script);
    house.start();
    house.until("idle", is_idle);
    house.drop("a.yaml", "id: w-1\nto: worker\ncontent: first\n");
    house.until("its words", |house| {
        house.read("status/agents/worker.yaml").contains("the first launch speaks")
    });
    house.write("queue/STOP", ""); // nothing is typed to the second launch, so that it shows nothing
    let anew = house.tasuki().args(["agent", "restart", "worker"]).status().expect("agent restart");
    assert!(anew.success());
    house.until("the second launch", |house| {
        let status = house.read("status/agents/worker.yaml");
        !status.is_empty() && !status.contains("the first launch speaks")
    });
}

#[test]
fn a_task_waits_for_the_end_of_copy_mode_beside_a_pane_that_prints_on() {
    // It prints until it has work, so that each look at it would find something new.
    let script =
        WORKER.replacen("while", "(while [ ! -e work.log ]; do echo tick; sleep 0.01; done) &\nwhile", 1);
    let mut house = house("copy-mode", &script);
    house.write("go", "");
    house.start();
    house.until("idle", is_idle);
    house.tmux(&["copy-mode", "-t", "=tasuki:=worker"]);
    house.drop("a.yaml", "id: c-1\nto: worker\ncontent: first\n");
    house.until("acceptance", |house| house.path("queue/active/c-1.yaml").exists());
    house.tmux(&["copy-mode", "-q", "-t", "=tasuki:=worker"]);
    assert!(house.result("c-1").contains("type: result"));
}

#[test]
fn who_is_in_the_way_is_told_how_to_go_out_of_it() {
    let mut house = house("in-the-way", WORKER);
    house.start();
    house.until("idle", is_idle);
    let said = |words: &[&str]| {
        let output = house.tasuki().args(words).stdin(std::process::Stdio::null()).output().expect("tasuki");
        assert!(!output.status.success(), "{words:?}: {output:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    house.tmux(&["copy-mode", "-t", "=tasuki:=worker"]);
    let told = said(&["pane", "clear-line", "worker"]);
    assert!(told.contains("copy mode") && told.contains("leave it with `q`"), "{told}");
    let stopped = house.tasuki().args(["agent", "stop", "worker"]).status().expect("agent stop");
    assert!(stopped.success());
    for words in [
        &["pane", "send", "worker", "x"][..],
        &["pane", "ready", "worker"],
        &["pane", "wait", "worker"],
        &["answer", "worker", "yes"],
        &["answer", "worker"],
    ] {
        let said = said(words);
        assert!(
            said.contains("worker is not running\n  cure: `tasuki agent start worker`"),
            "{words:?}: {said}"
        );
    }
}
