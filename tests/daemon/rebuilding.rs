//! A view is a function of the journal: whatever is deleted comes back as it was, byte for byte.

use crate::house::{House, PLAIN_AGENT};
use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use tasuki::engine::history;
use tasuki::engine::state::State;
use tasuki::io::journal::{Kind, ReadOrder, scan};
use tasuki::io::views::line;
use tasuki::wire::events;

/// Hands a part of each task on to `worker`, and says what it was answered.
const BOSS: &str = r#"#!/bin/bash
while IFS= read -r line; do
  [[ $line =~ \(token\ ([a-z0-9]{6})\) ]] || continue
  token=${BASH_REMATCH[1]}
  id=$(sed -n 's/.*task \([^ ]*\) .*/\1/p' <<<"$line")
  if [[ $line == "[tasuki] task "* ]]; then
    printf 'id: %s-part\nfrom: boss\nto: worker\ntoken: %s\ncontent: part 一\n' "$id" "$token" > "queue/.$id.tmp"
    mv "queue/.$id.tmp" "queue/$id-part.yaml"
  fi
  echo "BOSS OK $token"
done
"#;
const TEAM: &str = "  \
  - {name: boss, reports_to: user, provider: plain, command: [bash, boss.sh], marker: BOSS OK}\n  \
  - {name: worker, reports_to: boss, provider: plain, command: [bash, agent.sh], marker: PLAIN OK}\n  \
  - {name: mute, reports_to: user, provider: plain, command: [cat], marker: NEVER}\n";
const FOLDERS: [&str; 5] = ["queue/active", "queue/results", "queue/done", "queue/inbox", "status"];
/// What tells of a moment or a process, and not of messages: it is no function of the journal.
const OF_THE_MOMENT: [&str; 5] = ["since: ", "last_updated: ", "started_at: ", "pid: ", "stopped_since: "];

/// Numbers within a line that are of the process, too.
const COUNTED: [&str; 2] = ["uptime_seconds: ", "flushes: "];
/// An info that has ended, and that its agent may not have read yet: its file is kept for that, and not made again.
const KEPT: &str = "queue/active/i-1.yaml";

/// All files of views below a folder, by their paths. Histories have notes in them as well, and are compared by themselves.
fn views(house: &House, folder: &Path, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(house.path("").join(folder)).into_iter().flatten().flatten() {
        let path = folder.join(entry.file_name());
        if entry.path().is_dir() {
            views(house, &path, found);
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            // One that has just gone is none.
            let Ok(text) = fs::read_to_string(entry.path()) else { continue };
            found.insert(path.display().to_string(), text);
        }
    }
}

fn all_views(house: &House) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    FOLDERS.iter().for_each(|folder| views(house, folder.as_ref(), &mut found));
    found
}

fn without_number(line: &str, word: &str) -> String {
    match line.split_once(word) {
        Some((before, after)) => {
            format!("{before}{word}{}", after.trim_start_matches(|c: char| c.is_ascii_digit()))
        }
        None => line.to_owned(),
    }
}

/// A view without what is of the moment that it was written at.
fn lasting(path: &str, text: &str) -> String {
    if !path.starts_with("status/") {
        return text.to_owned();
    }
    let lines = text.lines().filter(|line| !OF_THE_MOMENT.iter().any(|word| line.starts_with(word)));
    let lines =
        lines.map(|line| COUNTED.iter().fold(line.to_owned(), |line, word| without_number(&line, word)));
    lines.map(|line| line + "\n").collect()
}

/// The lines that the journal has for the team's history, and for each agent's.
fn told_by_the_journal(house: &House) -> BTreeMap<String, Vec<String>> {
    let mut told: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut state = State::default();
    scan(&house.path(".tasuki/journal"), 1, ReadOrder::OldestFirst, &mut |entry| {
        if entry.kind == Kind::Step {
            let events = events::decode(entry.payload).expect("a step");
            state.apply_step(entry.seq, entry.at, &events).expect("a whole journal");
            for told_of in events.iter().filter_map(|event| history::tell_last(event, &state)) {
                let text = line(entry.at, &told_of.text);
                // Only members of the team have a history of their own.
                let agent = told_of.agent.filter(|agent| !agent.is_user());
                let agent = agent.map(|agent| format!("status/agents/{agent}.log"));
                for file in agent.into_iter().chain(["status/activity.log".to_owned()]) {
                    told.entry(file).or_default().push(text.clone());
                }
            }
        }
        ControlFlow::Continue(())
    })
    .expect("the journal");
    told
}

/// Each history tells what the journal does, in its order, once.
fn assert_histories_tell_all(house: &House) {
    let told = told_by_the_journal(house);
    assert!(told.len() >= 4, "{:?}", told.keys());
    for (file, lines) in told {
        let text = house.read(&file);
        let there: Vec<&str> = text.lines().filter(|there| lines.iter().any(|line| line == there)).collect();
        assert_eq!(there, lines, "{file}:\n{text}");
    }
}

/// Everything that can become of a message, and some that are open in the end.
fn tell_a_story(house: &House) {
    house.drop("p.yaml", "id: p-1\nto: boss\ncontent: do it with all\n");
    house.drop(
        "t.yaml",
        "id: t-1\nto: worker\ncontent: |\n  調べて\n  🎽\nmetadata: {category: 分析, n: [1, null]}\n",
    );
    house.until("the task", |house| house.read("status/activity.log").contains("t-1 accepted"));
    house.drop("d.yaml", "id: d-1\nto: worker\ndepends_on: [t-1]\npriority: high\ncontent: after it\n");
    house.drop("m.yaml", "id: m-1\nto: mute\ncontent: nothing comes of it\n");
    for id in ["p-1", "t-1", "d-1", "p-1-part"] {
        house.result(id);
    }
    house.until("work", |house| house.read("status/activity.log").contains("m-1 is being worked on"));
    house.drop("mute_to_user.yaml", "id: r-1\ntype: error\ncontent: 出来ない\n");
    assert!(house.result("m-1").contains("type: error"));
    house.drop("u.yaml", "id: u-1\nfrom: worker\nto: user\ntype: info\ncontent: for a person\n");
    house.until("a letter", |house| house.path("queue/inbox/u-1.yaml").exists());
    house.drop("i.yaml", "id: i-1\nto: worker\ntype: info\ncontent: to be read 読\n");
    house.until("it to be told", |house| house.read("status/activity.log").contains("i-1 completed"));
    house.until("idle", |house| {
        ["boss", "worker", "mute"]
            .iter()
            .all(|name| house.read(&format!("status/agents/{name}.yaml")).contains("state: idle"))
    });
    house.write("queue/STOP", "");
    house.until("the halt", |house| house.read("status/daemon.yaml").contains("stopped_since: \""));
    for id in ["c-1", "q-1", "q-2"] {
        house.drop(&format!("{id}.yaml"), &format!("id: {id}\nto: boss\ncontent: 待つ {id}\n"));
        house.until("it to be open", |house| house.path(&format!("queue/active/{id}.yaml")).exists());
    }
    assert!(house.ask(&["cancel", "c-1"]).status.success());
    house.until("it to be called off", |house| !house.path("queue/active/c-1.yaml").exists());
}

#[test]
fn views_come_back_when_they_are_deleted() {
    let mut house = House::new("views", TEAM, &[("boss.sh", BOSS), ("agent.sh", PLAIN_AGENT)]);
    house.start();
    tell_a_story(&house);
    house.end();
    let mut before = all_views(&house);
    assert_histories_tell_all(&house);
    for kind in [
        "queue/active/q-1",
        "queue/active/q-2",
        "queue/results/m-1",
        "queue/inbox/u-1",
        "status/agents/mute",
        "status/daemon",
    ] {
        assert!(before.contains_key(&format!("{kind}.yaml")), "{kind}: {:?}", before.keys());
    }
    let done = before.keys().filter(|path| path.starts_with("queue/done/")).count();
    assert!(done >= 7, "{:?}", before.keys());
    assert!(before.remove(KEPT).is_some(), "{:?}", before.keys());
    for folder in FOLDERS {
        fs::remove_dir_all(house.path(folder)).expect(folder);
    }
    house.start();
    house.until("all views", |house| {
        let now = all_views(house);
        // An agent that was taken over may be at something until it was looked at.
        let rests = |path: &String| !path.starts_with("status/agents/") || now[path].contains("state: idle");
        before
            .keys()
            .all(|path| now.contains_key(path) && (rests(path) || !before[path].contains("state: idle")))
    });
    house.end();
    let after = all_views(&house);
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
    for (path, text) in &before {
        assert_eq!(lasting(path, text), lasting(path, &after[path]), "{path}");
    }
    assert_histories_tell_all(&house);
}
