//! Much of everything: files in the queue at the start, the longest messages, a pane that prints without end, agents. Each has a
//! longer form: `TASUKI_FILES`, `TASUKI_LARGE`, `TASUKI_FLOOD_MB` and `TASUKI_AGENTS` say how many.

use crate::house::{House, PLAIN_AGENT};
use crate::proc::rss_anon_kib;
use crate::surroundings::said;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

/// What a daemon may take in all of this, in KiB (faults, A11).
const KIB_MAX: u64 = 200 << 10;
/// Largest file that is read (durability, limits).
const FILE_BYTES_MAX: usize = 1 << 20;

fn many(name: &str, usual: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

fn left(house: &House) -> usize {
    house.files("queue").iter().filter(|path| path.extension().is_some_and(|end| end == "yaml")).count()
}

#[test]
fn files_that_lie_in_the_queue_at_the_start_are_each_taken_once() {
    let files = many("TASUKI_FILES", 10_000);
    let mut house = House::plain("files");
    fs::create_dir(house.path("queue")).expect("a queue");
    for number in 0..files {
        // Whole before anybody looks: no other name is needed.
        let text = format!("id: f-{number}\nto: user\ntype: info\ncontent: 仕事 {number}\n");
        fs::write(house.path(&format!("queue/{number}.yaml")), text).expect("a drop");
    }
    house.start();
    let status = house.tasuki().args(["status", "--json"]).output().expect("status");
    let then = left(&house);
    assert!(status.status.success(), "{status:?}");
    assert!(then > files / 10, "{then} of {files} were left when it had answered");
    let most = std::cell::Cell::new(0);
    house.until_within(house_patience(files), "all to be taken", |house| {
        most.set(most.get().max(rss_anon_kib(house.pid())));
        // What is claimed and not in the journal yet would be taken by the next daemon.
        left(house) == 0 && house.files(".tasuki/claim").is_empty()
    });
    println!("{files} files, {then} of them left when status had answered; at most {} KiB", most.get());
    assert!(most.get() < KIB_MAX, "{} KiB", most.get());
    house.end();
    // The journal has them all; the activity log leaves lines out where so many come at once.
    let segments = house.files(".tasuki/journal");
    let segments = segments.iter().filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
    let text: String = segments.map(|path| fs::read_to_string(path).expect("a segment")).collect();
    let mut ids: Vec<&str> = text.split("\"event\":\"accepted\",\"id\":\"").skip(1).filter_map(id).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((ids.len(), count), (files, files), "each is accepted once");
}

/// What is before the next quote.
fn id(text: &str) -> Option<&str> {
    text.split('"').next()
}

/// A second more for each hundred files.
fn house_patience(files: usize) -> std::time::Duration {
    crate::house::PATIENCE + std::time::Duration::from_secs(files as u64 / 100)
}

/// A message whose file has so many bytes.
fn large(id: &str, to: &str, bytes: usize) -> String {
    let mut text = format!("id: {id}\n{to}\ncontent: |\n  ");
    while text.len() + 80 < bytes {
        text += "仕事と襷を渡す 0123456789 abcdefghijklmnopq\n  ";
    }
    let rest = bytes - text.len() - 1;
    text + &"z".repeat(rest) + "\n"
}

#[test]
fn the_longest_messages_go_in_and_out() {
    let count = many("TASUKI_LARGE", 10);
    let agent = r#"#!/bin/bash
while IFS= read -r line; do
  if [[ $line =~ \(token\ ([a-z0-9]{6})\) ]]; then
    token=${BASH_REMATCH[1]}
    file=$(sed -n 's/.*read \(.*\.yaml\) and.*/\1/p' <<<"$line")
    { echo "$(grep -c 0123456789 "$file") lines"; head -c 1000000 /dev/zero | tr '\0' w; } | "$TASUKI" reply "$token" - >/dev/null
  fi
done
"#;
    let built = env!("CARGO_BIN_EXE_tasuki");
    let agents = format!(
        "  - {{name: worker, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK, env: {{TASUKI: '{built}'}}}}\n"
    );
    let mut house = House::new("large", &agents, &[("agent.sh", agent)]);
    house.start();
    for number in 0..count {
        house.drop(
            &format!("{number}.yaml"),
            &large(&format!("i-{number}"), "to: user\ntype: info", FILE_BYTES_MAX),
        );
    }
    house.drop("over.yaml", &large("over", "to: user\ntype: info", FILE_BYTES_MAX + 1));
    house.drop("task.yaml", &large("task", "to: worker", FILE_BYTES_MAX));
    house.until("the refusal", |house| house.path("queue/rejected/over.yaml.reason.yaml").exists());
    assert!(house.read("queue/rejected/over.yaml.reason.yaml").contains("code: too-large"));
    let lines = large("task", "to: worker", FILE_BYTES_MAX).matches("0123456789").count();
    let result = house.result("task");
    assert!(result.contains(&format!("{lines} lines")) && result.matches('w').count() >= 1_000_000);
    // Over the socket the whole body counts, with its names and quotes.
    let text = "x".repeat(FILE_BYTES_MAX - 300);
    house.write("text", &text);
    for number in 0..count {
        let sent = house
            .tasuki()
            .args(["send", "user", "--type", "info", "--file", "text", "--id", &format!("s-{number}")])
            .output();
        let sent = sent.expect("send");
        assert!(sent.status.success(), "{sent:?}");
    }
    house.write("text", &"x".repeat(FILE_BYTES_MAX + 1));
    said(house.tasuki().args(["send", "user", "--type", "info", "--file", "text"]), 2);
    for number in 0..count {
        let (dropped, sent) = (done(&house, &format!("i-{number}")), done(&house, &format!("s-{number}")));
        assert_eq!(dropped.matches("0123456789").count(), lines, "i-{number}");
        assert!(sent.contains(&text), "s-{number}");
    }
    let kib = rss_anon_kib(house.pid());
    println!("{count} each way: {kib} KiB");
    assert!(kib < KIB_MAX, "{kib} KiB");
    house.end();
}

/// A finished message's view, once it is there.
fn done(house: &House, id: &str) -> String {
    let find = || {
        let days = fs::read_dir(house.path("queue/done")).expect("done").flatten();
        let texts = days.filter_map(|day| fs::read_to_string(day.path().join(format!("{id}.yaml"))).ok());
        texts.into_iter().next()
    };
    house.until(id, |_| find().is_some());
    find().expect("it is there")
}

#[test]
fn a_pane_that_prints_without_end_takes_no_memory_and_hides_nothing() {
    let megabytes = many("TASUKI_FLOOD_MB", 10);
    let flood = PLAIN_AGENT.replace(
        "    echo \"answer to",
        "    head -c \"${MB}000000\" /dev/zero | tr '\\0' x | fold -w 100; echo\n    echo \"answer to",
    );
    let agents = format!(
        "  - {{name: flood, reports_to: user, provider: plain, command: [bash, ./flood.sh], marker: PLAIN OK, timeout: 600s, env: {{MB: '{megabytes}'}}}}\n\
         \x20 - {{name: worker, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK}}\n"
    );
    let mut house = House::new("flood", &agents, &[("agent.sh", PLAIN_AGENT), ("flood.sh", &flood)]);
    house.start();
    crate::surroundings::works(&house, "before");
    let before = rss_anon_kib(house.pid());
    house.drop("flood.yaml", "id: flood\nto: flood\ncontent: x\n");
    house.until("the flood", |house| house.read("queue/active/flood.yaml").contains("status: in_progress"));
    for number in 0..3 {
        crate::surroundings::works(&house, &format!("beside-{number}"));
    }
    let most = std::cell::Cell::new(0);
    house.until_within(house_patience(megabytes * 200), "the claim after the flood", |house| {
        most.set(most.get().max(rss_anon_kib(house.pid())));
        house.path("queue/results/flood.yaml").exists()
    });
    let result = house.read("queue/results/flood.yaml");
    assert!(result.contains("type: result") && result.contains("answer to flood"), "{}", result.len());
    println!(
        "{megabytes} MB: {before} KiB before, at most {} KiB; a result of {} bytes",
        most.get(),
        result.len()
    );
    assert!(most.get() < before + (48 << 10), "{before} KiB, then {} KiB", most.get());
    assert!(result.len() < 2 * FILE_BYTES_MAX, "{} bytes", result.len());
    for path in house.files("status").into_iter().chain(house.files("status/agents")) {
        let bytes = path.metadata().expect("a view").len();
        assert!(bytes < 64 << 10, "{}: {bytes} bytes", path.display());
    }
    house.end();
}

#[test]
fn a_team_of_many_starts_and_is_looked_at() {
    let count = many("TASUKI_AGENTS", 60);
    let mut agents = String::new();
    for number in 1..=count {
        writeln!(
            agents,
            "  - {{name: a{number}, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK}}"
        )
        .expect("a string takes it");
    }
    let mut house = House::new("team", &agents, &[("agent.sh", PLAIN_AGENT)]);
    fs::set_permissions(house.path("tasuki.yaml"), fs::Permissions::from_mode(0o644)).expect("its mode");
    let lint = house.tasuki().args(["lint", "tasuki.yaml"]).output().expect("lint");
    assert!(lint.status.success(), "{lint:?}");
    house.start();
    for number in [1, count] {
        house.drop(&format!("{number}.yaml"), &format!("id: t-{number}\nto: a{number}\ncontent: x\n"));
    }
    for number in [1, count] {
        let name = format!("queue/results/t-{number}.yaml");
        house.until_within(house_patience(count * 20), &name, |house| house.path(&name).exists());
        assert!(house.read(&name).contains(&format!("answer to t-{number}")));
    }
    let status = house.tasuki().arg("status").output().expect("status");
    let told = String::from_utf8_lossy(&status.stdout).into_owned();
    assert!(status.status.success() && told.contains(&format!("a{count} ")), "{told}");
    let doctor = house.tasuki().arg("doctor").output().expect("doctor");
    assert!(String::from_utf8_lossy(&doctor.stdout).contains(&format!("{count} agents")), "{doctor:?}");
    let kib = rss_anon_kib(house.pid());
    println!("{count} agents: {kib} KiB");
    assert!(kib < KIB_MAX, "{kib} KiB");
    house.end();
}
