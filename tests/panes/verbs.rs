//! `tasuki pane` by hand: what is said is what is so.

use crate::house::House;
use std::process::Output;

const SHELL: &str = "  - {name: worker, reports_to: user, provider: plain, command: [bash, --norc, --noprofile, -i], \
                     marker: PLAIN OK, delivery: inline, token: false, env: {PS1: 'shell$ '}}\n";
/// Says how long each line is that it reads.
const COUNTER: &str = "#!/bin/bash\nwhile IFS= read -r line; do printf '%s\\n' \"$line\" >> read; echo \"${#line} bytes\"; done\n";

fn shell(name: &str) -> House {
    let mut house = House::new(name, SHELL, &[]);
    house.start();
    house.until("idle", |house| house.read("status/agents/worker.yaml").contains("state: idle"));
    house
}

fn counter(name: &str) -> House {
    let agent = "  - {name: worker, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK}\n";
    let mut house = House::new(name, agent, &[("agent.sh", COUNTER)]);
    house.start();
    house.until("idle", |house| house.read("status/agents/worker.yaml").contains("state: idle"));
    house
}

fn screen(house: &House) -> String {
    house.tmux(&["capture-pane", "-p", "-J", "-S", "-", "-t", "=tasuki:=worker"])
}

fn said(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned()).concat()
}

#[test]
fn a_shell_is_not_ready_while_it_runs_something_and_a_line_can_wait_for_it() {
    let house = shell("in-front");
    let sent = house.ask(&["pane", "send", "worker", "until [ -e go ]; do sleep 0.1; done"]);
    assert!(sent.status.success(), "{}", said(&sent));
    house.until("it to run", |house| {
        said(&house.ask(&["pane", "ready", "worker"])).contains("a program runs in its shell")
    });
    let ready = house.ask(&["pane", "ready", "worker"]);
    assert_eq!(ready.status.code(), Some(1), "{}", said(&ready));
    let refused = house.ask(&["pane", "send", "worker", "echo one >> done"]);
    assert!(refused.status.code() == Some(2) && said(&refused).contains("--wait"), "{}", said(&refused));
    let late = house.ask(&["pane", "send", "worker", "echo one >> done", "--wait", "300ms"]);
    assert!(!late.status.success(), "{}", said(&late));
    // A task waits, too.
    house.drop("a.yaml", "id: f-1\nto: worker\ncontent: echo two >> done; echo PLAIN OK\n");
    house.until("why it waits", |house| {
        said(&house.ask(&["why", "f-1"])).contains("a program runs in its shell")
    });
    let waits = house.tasuki().args(["pane", "send", "worker", "echo one >> done", "--wait"]).spawn();
    let mut waits = waits.expect("tasuki");
    house.write("go", "");
    assert!(waits.wait().expect("its end").success());
    assert!(house.result("f-1").contains("type: result"));
    house.until("both", |house| house.read("done").lines().count() == 2);
}

#[test]
fn a_line_arrives_whole_or_is_refused_with_the_cure() {
    let house = counter("whole");
    let refused = house.ask(&["pane", "send", "worker", &"x".repeat(5_003)]);
    let words = said(&refused);
    assert!(
        refused.status.code() == Some(2) && words.contains("5003 bytes") && words.contains("file"),
        "{words}"
    );
    let most = "y".repeat(4_095);
    let sent = house.ask(&["pane", "send", "worker", &most]);
    assert!(sent.status.success(), "{}", said(&sent));
    house.until("it to be read", |house| house.read("read").lines().count() == 1);
    assert_eq!(house.read("read").trim_end(), most);
    for (text, words) in [("two\nlines", "--lines"), ("a\u{1b}[2Jb", "U+001B"), ("a\tb", "U+0009")] {
        let refused = house.ask(&["pane", "send", "worker", text]);
        assert!(
            refused.status.code() == Some(2) && said(&refused).contains(words),
            "{text:?}: {}",
            said(&refused)
        );
    }
    assert_eq!(house.read("read").lines().count(), 1, "nothing of them was typed");
    let sent = house.ask(&["pane", "send", "worker", "二つ\nの\n\n行\n", "--lines", "--wait"]);
    assert!(sent.status.success(), "{}", said(&sent));
    house.until("them to be read", |house| house.read("read").lines().count() == 5);
    assert_eq!(house.read("read").lines().skip(1).collect::<Vec<_>>(), ["二つ", "の", "", "行"]);
}

#[test]
fn clearing_a_pane_clears_what_it_shows() {
    for house in [shell("clear-shell"), counter("clear-reader")] {
        let sent = house.ask(&["pane", "send", "worker", "echo marked"]);
        assert!(sent.status.success(), "{}", said(&sent));
        house.until("it", |house| screen(house).lines().filter(|row| !row.is_empty()).count() > 1);
        house.until("ready", |house| house.ask(&["pane", "ready", "worker"]).status.success());
        let cleared = house.ask(&["pane", "clear", "worker"]);
        assert!(cleared.status.success(), "{}", said(&cleared));
        assert!(!screen(&house).contains("marked"), "{}", screen(&house));
        let sent = house.ask(&["pane", "send", "worker", "echo again", "--wait"]);
        assert!(sent.status.success() && screen(&house).contains("again"), "{}", said(&sent));
    }
}
