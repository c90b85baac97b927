//! Where there is no room for new messages: what does not wait for room is taken all the same, and nothing is lost.

use crate::house::{House, PLAIN_AGENT};
use std::fs;
use std::time::{Duration, Instant};

/// Answers with files.
const BY_FILE: &str = r#"#!/bin/bash
while IFS= read -r line; do
  [[ $line =~ \(token\ ([a-z0-9]{6})\) ]] || continue
  token=${BASH_REMATCH[1]}
  id=$(sed -n 's/.*task \([^ ]*\) .*/\1/p' <<<"$line")
  printf 'from: worker\nto: user\ntype: result\ntoken: %s\nin_reply_to: %s\ncontent: 答え %s 💡\n' "$token" "$id" "$id" > .answer
  mv .answer "queue/answer-$id.yaml"
done
"#;

/// The next sweep comes after 5 s.
const SWEPT: Duration = Duration::from_secs(4);

#[test]
fn answers_are_taken_where_there_is_no_room_for_tasks() {
    for (how, agent, said) in [("by file", BY_FILE, "答え"), ("by claim", PLAIN_AGENT, "answer to")] {
        answers(how, agent, said);
    }
}

fn answers(how: &str, agent: &str, said: &str) {
    let list = "  - {name: worker, reports_to: user, provider: plain, command: [bash, agent.sh], marker: PLAIN OK}\n";
    let mut house = House::new(&format!("room {how}"), list, &[("agent.sh", agent)]);
    let team = house.read("tasuki.yaml");
    house.write("tasuki.yaml", &format!("{team}settings: {{max_open: 2}}\n"));
    house.start();
    house.write("queue/STOP", "");
    house.until("STOP to be seen", |house| house.read("status/daemon.yaml").contains("stopped"));
    // Two are open, the next ones wait for room in `queue/`, and a file of two waits for more of it.
    for number in 0..6 {
        house.drop(&format!("{number}.yaml"), &format!("id: r-{number}\nto: worker\ncontent: do {number}\n"));
    }
    house.drop("two.yaml", "id: two-a\nto: worker\ncontent: a\n---\nid: two-b\nto: worker\ncontent: b\n");
    house.until("two to be open", |house| house.files("queue/active").len() == 2);
    let told = |house: &House| house.read("status/daemon.yaml").contains("`max_open` allows 2 open messages");
    house.until("it to be told", told);
    fs::remove_file(house.path("queue/STOP")).expect("STOP");
    let (mut last, mut late) = (Instant::now(), 0);
    for id in (0..6).map(|number| format!("r-{number}")).chain(["two-a".to_owned(), "two-b".to_owned()]) {
        let result = house.result(&id);
        assert!(result.contains(&format!("{said} {id}")), "{result}");
        late += usize::from(std::mem::replace(&mut last, Instant::now()).elapsed() > SWEPT);
    }
    // On a machine that is still for a while some are late; where answers wait for the next sweep all of them are.
    assert!(late < 4, "{late} of 8 were late\n{}", house.read("status/activity.log"));
    assert!(house.files("queue/rejected").is_empty());
    house.until("that to be over", |house| !told(house));
    house.end();
}

/// Hands a part on and ends its turn, both with files; when it is told of the answer it answers.
const DELEGATES: &str = r#"#!/bin/bash
while IFS= read -r line; do
  [[ $line =~ \(token\ ([a-z0-9]{6})\) ]] || continue
  token=${BASH_REMATCH[1]}
  head=$(printf 'from: boss\ntoken: %s' "$token")
  if [ ! -e parted ]; then
    touch parted
    for number in $(seq "${INFOS:-0}"); do
      printf 'to: user\ntype: info\ncontent: %s\n' "$number" > "queue/$number.yaml"
    done
    printf '%s\nid: part\nto: worker\ncontent: 一部\n' "$head" > queue/part.yaml
    printf '%s\nto: user\ntype: result\nin_reply_to: whole\ncontent: handed on\n' "$head" > queue/turn.yaml
  else
    printf '%s\nto: user\ntype: result\nin_reply_to: whole\ncontent: 完了\n' "$head" > queue/end.yaml
  fi
done
"#;

#[test]
fn a_part_does_not_wait_for_room_that_only_its_whole_makes() {
    for (limit, infos) in [(1, 0), (2, 301)] {
        let list = format!(
            "  - {{name: boss, reports_to: user, provider: plain, command: [bash, boss.sh], marker: BOSS OK, env: {{INFOS: '{infos}'}}}}\n  \
             - {{name: worker, reports_to: boss, provider: plain, command: [bash, agent.sh], marker: PLAIN OK}}\n"
        );
        let files = [("agent.sh", PLAIN_AGENT), ("boss.sh", DELEGATES)];
        let mut house = House::new(&format!("parts {limit}"), &list, &files);
        let team = house.read("tasuki.yaml");
        house.write("tasuki.yaml", &format!("{team}settings: {{max_open: {limit}}}\n"));
        house.start();
        house.drop("whole.yaml", "id: whole\nto: boss\ncontent: hand it on\n");
        let result = house.result("whole");
        assert!(result.contains("完了"), "{limit}: {result}\n{}", house.read("status/activity.log"));
        assert!(house.result("part").contains("answer to part"));
        assert!(house.files("queue/rejected").is_empty());
        house.end();
    }
}

/// Answers with a file that cannot be read, then with one that says something to the user as well.
const CLUMSY: &str = r#"#!/bin/bash
while IFS= read -r line; do
  [[ $line =~ \(token\ ([a-z0-9]{6})\) ]] || continue
  head=$(printf 'from: worker\ntoken: %s\nto: user' "${BASH_REMATCH[1]}")
  printf '%s\ntype: result\nstatus: done\ncontent: bad\n' "$head" > queue/bad.yaml
  until [ -e queue/rejected/bad.yaml.reason.yaml ]; do sleep 0.05; done
  until [ -e go ]; do sleep 0.05; done
  printf '%s\ntype: info\ncontent: 一言\n---\n%s\ntype: result\ncontent: 良\n' "$head" "$head" > queue/good.yaml
done
"#;

#[test]
fn without_room_a_bad_answer_is_refused_and_one_with_an_info_for_the_user_is_taken() {
    let list = "  - {name: worker, reports_to: user, provider: plain, command: [bash, agent.sh], marker: PLAIN OK}\n";
    let mut house = House::new("clumsy", list, &[("agent.sh", CLUMSY)]);
    let team = house.read("tasuki.yaml");
    house.write("tasuki.yaml", &format!("{team}settings: {{max_open: 1}}\n"));
    house.start();
    house.drop("t.yaml", "id: t\nto: worker\ncontent: do it\n");
    house.until("work", |house| house.read("queue/active/t.yaml").contains("t"));
    let sent = house.tasuki().args(["send", "user", "--type", "info", "襷"]).output().expect("send");
    assert!(sent.status.success(), "what is for the user ends at once: {sent:?}");
    house.write("go", "");
    assert!(house.result("t").contains("良"), "{}", house.read("status/activity.log"));
    house.end();
}

#[test]
fn what_lies_there_at_a_start_is_read_with_the_names_of_the_team() {
    let list = "  - {name: boss, reports_to: user, provider: plain, command: [cat], marker: BOSS OK}\n  \
         - {name: worker, reports_to: boss, provider: plain, command: [bash, agent.sh], marker: PLAIN OK}\n";
    let mut house = House::new("names", list, &[("agent.sh", PLAIN_AGENT)]);
    fs::create_dir(house.path("queue")).expect("a queue");
    house.write("queue/boss_to_worker.yaml", "id: named\ncontent: by its file's name\n");
    house.start();
    house.until("it to be taken", |house| !house.path("queue/boss_to_worker.yaml").exists());
    let shown = house.result("named");
    assert!(shown.contains("from: worker") && shown.contains("to: boss"), "{shown}");
    house.end();
}
