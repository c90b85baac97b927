//! The main job through the real binary, real files and real tmux: a task dropped into the queue comes back as a result.

use crate::house::{House, PLAIN_AGENT, signal};
use crate::witness::Witness;
use rustix::process::Signal;
use std::fs;

#[test]
fn a_drop_comes_back_as_a_result() {
    let mut house = House::plain("とても長い名前の仕事場 🎽 with spaces");
    house.start();
    assert!(house.path(".tasuki/journal/reserve").exists(), "room is kept for a full disk");
    house.drop(
        "task.yaml",
        "id: t-1\nto: worker\ncontent: |\n  調べて\n  🎽 two lines\nmetadata: {category: analysis}\n",
    );
    let result = house.result("t-1");
    assert!(result.contains("answer to t-1\n"), "{result}");
    assert!(result.contains("調べて\n") && result.contains("🎽 two lines"), "{result}");
    assert!(!result.contains("PLAIN OK"), "the claim is no part of the answer: {result}");
    assert!(result.contains("in_reply_to: t-1") && result.contains("completion_source: marker"), "{result}");
    house.until("the active view to go", |house| !house.path("queue/active/t-1.yaml").exists());
    house.until("the agent to be idle", |house| {
        house.read("status/agents/worker.yaml").contains("state: idle")
    });
    assert!(house.read("status/agents/worker.yaml").contains("tasks_completed: 1"));
    assert!(!house.path("queue/task.yaml").exists());
    let done =
        fs::read_dir(house.path("queue/done")).expect("done").next().expect("a day").expect("a day").path();
    let done = fs::read_to_string(done.join("t-1.yaml")).expect("the finished task");
    assert!(done.contains("status: completed") && done.contains("category: analysis"), "{done}");
    house.end();
}

/// Answers each line that is read, and knows nothing of tokens.
const TOKENLESS: &str = r#"
while IFS= read -r line; do
  if [[ $line =~ (task|answers\ for\ your\ task)\ ([a-z0-9-]+) ]]; then
    echo "answer to ${BASH_REMATCH[2]} by ${BASH_REMATCH[1]}"
    echo "PLAIN OK"
  fi
done
"#;

#[test]
fn an_agent_without_tokens_is_told_of_its_file_and_is_heard() {
    let agent = "  - {name: worker, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK, token: false}\n";
    let mut house = House::new("tokenless", agent, &[("agent.sh", TOKENLESS)]);
    house.start();
    house.drop("task.yaml", "id: t-1\nto: worker\ncontent: 調べて 🎽\n");
    assert!(
        house.result("t-1").contains("answer to t-1 by task"),
        "{}",
        house.read("queue/results/t-1.yaml")
    );
    house.end();
}

#[test]
fn a_killed_daemon_loses_and_doubles_nothing() {
    let mut house = House::plain("kills");
    house.start();
    for number in 0..30 {
        house.drop(&format!("{number}.yaml"), &format!("id: k-{number}\nto: worker\ncontent: do {number}\n"));
        if number % 6 == 5 {
            house.kill();
            house.start();
        }
    }
    for number in 0..30 {
        let result = house.result(&format!("k-{number}"));
        assert!(result.contains(&format!("answer to k-{number}")), "{result}");
    }
    let journal = fs::read_to_string(house.path(".tasuki/journal/000001.jsonl")).expect("the journal");
    for number in 0..30 {
        let ends = journal.matches(&format!("\"event\":\"ended\",\"id\":\"k-{number}\"")).count();
        assert_eq!(ends, 1, "k-{number}");
        let accepted = journal.matches(&format!("\"event\":\"accepted\",\"id\":\"k-{number}\"")).count();
        assert_eq!(accepted, 1, "k-{number}");
    }
}

#[test]
fn a_drop_without_an_id_is_accepted_once_over_a_kill() {
    let mut house = House::plain("no-ids");
    house.start();
    for number in 0..20 {
        house.drop(&format!("{number}.yaml"), &format!("to: worker\ncontent: do {number}\n"));
    }
    house.until("some to be accepted", |house| house.read("status/activity.log").contains("accepted"));
    house.kill();
    house.start();
    house.until("all to be done", |house| count(house, "queue/results") >= 20);
    house.end();
    assert_eq!(count(&house, "queue/results"), 20);
    assert_eq!(count(&house, ".tasuki/claim"), 0);
}

fn count(house: &House, folder: &str) -> usize {
    fs::read_dir(house.path(folder)).expect("a folder").count()
}

#[test]
fn views_that_somebody_edits_or_removes_are_written_again_at_once() {
    let mut house = House::plain("meddled");
    house.start();
    house.until("idle", |house| house.read("status/agents/worker.yaml").contains("state: idle"));
    house.write("queue/STOP", "");
    house.until("the halt", |house| house.read("status/activity.log").contains("queue/STOP exists"));
    house.drop("a.yaml", "id: v-2\nto: worker\ncontent: 襷\n");
    let views =
        [("queue/active/v-2.yaml", "id: v-2\n"), ("status/agents/worker.yaml", "agent_name: worker\n")];
    let are_there = |house: &House| views.iter().all(|(name, text)| house.read(name).starts_with(text));
    house.until("the views", are_there);
    for (name, _) in views {
        house.write(name, "id: other\n");
        house.until("what was edited", are_there);
        fs::remove_file(house.path(name)).expect(name);
        house.until("what was removed", are_there);
    }
    for folder in ["queue/active", "status"] {
        fs::rename(house.path(folder), house.path("away")).expect(folder);
        house.until("a folder that was moved away", are_there);
        fs::remove_dir_all(house.path("away")).expect("what was moved away");
    }
    house.end();
}

#[test]
fn a_reader_never_sees_half_a_view() {
    let mut house = House::plain("readers");
    house.start();
    house.until("idle", |house| house.read("status/agents/worker.yaml").contains("state: idle"));
    // All of today's have one folder, and those of the first minute of tomorrow go unseen.
    let day = chrono::Utc::now().format("%Y-%m-%d").to_string();
    let done = house.path("queue/done").join(day);
    fs::create_dir_all(&done).expect("the folder of the day");
    let folders = ["queue/active", "queue/results", "queue/inbox", "status", "status/agents"];
    let witness = Witness::of(folders.map(|folder| house.path(folder)).into_iter().chain([done]));
    house.drop("u.yaml", "id: u-1\nfrom: worker\nto: user\ntype: info\ncontent: for a person\n");
    for number in 0..10 {
        house.drop(&format!("{number}.yaml"), &format!("id: r-{number}\nto: worker\ncontent: do {number}\n"));
    }
    for number in 0..10 {
        house.result(&format!("r-{number}"));
    }
    house.until("the active views to go", |house| count(house, "queue/active") == 0);
    house.end();
    let seen = witness.seen();
    assert!(seen.in_place.is_empty(), "half a view: {seen:?}");
    for view in
        ["queue/active/r-9", "queue/results/r-9", "queue/inbox/u-1", "status/daemon", "status/agents/worker"]
    {
        assert!(seen.placed.contains_key(&house.path(&format!("{view}.yaml"))), "{view}: {seen:?}");
    }
}

#[test]
fn the_death_of_tmux_is_noticed_and_repaired() {
    let agent = "  - {name: worker, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK, env: {DELAY: '2'}}\n";
    let mut house = House::new("tmux-death", agent, &[("agent.sh", crate::house::PLAIN_AGENT)]);
    house.start();
    house.drop("a.yaml", "id: d-1\nto: worker\ncontent: first\n");
    house.until("work", |house| house.read("queue/active/d-1.yaml").contains("stage: working"));
    let server = house.tmux(&["display-message", "-p", "#{pid}"]);
    signal(&server, Signal::KILL).expect("to kill it");
    house.until("the news", |house| house.read("status/activity.log").contains("the tmux server ended"));
    let result = house.result("d-1");
    assert!(result.contains("answer to d-1") && result.contains("attempt: 2"), "{result}");
}

#[test]
fn an_agent_that_dies_is_started_again_and_its_task_tried_again() {
    let agent =
        "#!/bin/bash\nif [ ! -e died ]; then read -r line; touch died; exit 3; fi\nexec bash ./agent.sh\n";
    let list = "  - {name: worker, reports_to: user, provider: plain, command: [bash, ./dying.sh], marker: PLAIN OK}\n";
    let mut house =
        House::new("deaths", list, &[("dying.sh", agent), ("agent.sh", crate::house::PLAIN_AGENT)]);
    house.start();
    house.drop("a.yaml", "id: a-1\nto: worker\ncontent: first\n");
    assert!(house.result("a-1").contains("answer to a-1"));
    let log = house.read("status/agents/worker.log");
    assert!(log.contains("exit 3"), "{log}");
    house.until("the count", |house| house.read("status/agents/worker.yaml").contains("restarts: 1"));
}

#[test]
fn what_an_agent_is_told_stays_until_it_was_read() {
    let agent = "#!/bin/bash\nwhile IFS= read -r line; do\n  until [ -e go ]; do sleep 0.02; done\n  cat queue/active/*.yaml >>read\n  [[ $line =~ \\(token\\ ([a-z0-9]{6})\\) ]] && echo \"PLAIN OK ${BASH_REMATCH[1]}\"\ndone\n";
    let list = "  - {name: worker, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK}\n  - {name: other, reports_to: user, provider: plain, command: [bash, ./other.sh], marker: PLAIN OK}\n";
    let mut house = House::new("infos", list, &[("agent.sh", agent), ("other.sh", PLAIN_AGENT)]);
    house.start();
    house.drop("a.yaml", "id: i-1\nto: worker\ntype: info\ncontent: to be read 読\n");
    house.until("it to be done", |house| house.read("status/activity.log").contains("i-1 completed"));
    house.end();
    assert!(house.read("queue/active/i-1.yaml").contains("to be read 読"), "it is not read yet");
    house.write("queue/active/i-1.yaml", "what a power cut left of a file that was another view before");
    house.start();
    house
        .until("it to be right again", |house| house.read("queue/active/i-1.yaml").contains("to be read 読"));
    house.drop("c.yaml", "id: t-2\nto: other\ncontent: a task of somebody else\n");
    house.result("t-2");
    assert!(house.read("queue/active/i-1.yaml").contains("to be read 読"), "another's turn is not its own");
    house.write("go", "");
    house.until("it to be read", |house| house.read("read").contains("to be read 読"));
    house.drop("b.yaml", "id: t-1\nto: worker\ncontent: a task\n");
    house.result("t-1");
    house.until("both to be put away", |house| count(house, "queue/active") == 0);
}

#[test]
fn a_duplicate_is_dropped_and_a_conflict_refused_over_restarts() {
    let mut house = House::plain("duplicates");
    house.start();
    house.drop("a.yaml", "id: a-1\nto: worker\ncontent: first\n");
    house.result("a-1");
    house.end();
    house.start();
    house.drop("b.yaml", "content: first\nid: a-1\nto: worker\n");
    house.until("the note", |house| {
        house.read("status/activity.log").contains("b.yaml is a duplicate of a-1")
    });
    house.drop("c.yaml", "id: a-1\nto: worker\ncontent: other\n");
    house.until("the reason", |house| house.path("queue/rejected/c.yaml.reason.yaml").exists());
    let reason = house.read("queue/rejected/c.yaml.reason.yaml");
    assert!(reason.contains("code: id-conflict") && reason.contains("cure:"), "{reason}");
    assert_eq!(house.read("queue/rejected/c.yaml"), "id: a-1\nto: worker\ncontent: other\n");
}

#[test]
fn a_duplicate_is_known_after_two_turns_of_the_journal_and_a_restart() {
    let mut house = House::plain("turns");
    house.start();
    house.drop("a.yaml", "id: first\nto: worker\ncontent: first\n");
    house.result("first");
    house.write("queue/STOP", "");
    house.drop("b.yaml", "id: open\nto: worker\ncontent: |\n  open over the turns\n  to the end\n");
    let large = "襷".repeat(300_000);
    let segments = |house: &House| {
        let names = fs::read_dir(house.path(".tasuki/journal")).expect("the journal").flatten();
        names.filter(|name| name.path().extension().is_some_and(|end| end == "jsonl")).count()
    };
    // Three of them are more than a segment holds.
    for turn in 1..=2 {
        for number in 0..3 {
            house.drop(
                &format!("{turn}-{number}.yaml"),
                &format!("id: i-{turn}-{number}\nto: user\ntype: info\ncontent: {large}\n"),
            );
        }
        house.until("a turn", |house| segments(house) > turn);
    }
    house.end();
    house.start();
    house.drop("c.yaml", "id: first\nto: worker\ncontent: first\n");
    house.until("the note", |house| {
        house.read("status/activity.log").contains("c.yaml is a duplicate of first")
    });
    house.drop("d.yaml", "id: first\nto: worker\ncontent: other\n");
    house
        .until("the reason", |house| house.read("queue/rejected/d.yaml.reason.yaml").contains("id-conflict"));
    house.drop("f.yaml", "id: again\nto: worker\nretry_of: first\ncontent: first\n");
    house.until("the reason", |house| {
        house.read("queue/rejected/f.yaml.reason.yaml").contains("first is completed; only a failed")
    });
    house.drop("e.yaml", "id: after\nto: worker\ndepends_on: [first]\ncontent: what follows\n");
    fs::remove_file(house.path("queue/STOP")).expect("STOP");
    assert!(house.result("open").contains("open over the turns"), "its body is in a closed segment");
    assert!(house.result("after").contains("type: result"), "what it follows ended in a closed segment");
}

#[test]
fn a_stop_file_holds_everything_until_it_goes() {
    let mut house = House::plain("stop");
    house.start();
    house.until("idle", |house| house.read("status/agents/worker.yaml").contains("state: idle"));
    house.write("queue/STOP", "");
    house.until("the halt", |house| house.read("status/activity.log").contains("queue/STOP exists"));
    house.drop("a.yaml", "id: s-1\nto: worker\ncontent: first\n");
    house.until("acceptance", |house| house.path("queue/active/s-1.yaml").exists());
    assert!(house.read("queue/active/s-1.yaml").contains("stage: queued"));
    assert!(!house.tmux(&["capture-pane", "-p", "-t", "=tasuki:=worker"]).contains("[tasuki] task"));
    fs::remove_file(house.path("queue/STOP")).expect("STOP");
    assert!(house.result("s-1").contains("answer to s-1"));
}

#[test]
fn a_program_that_knows_nothing_of_tasuki_answers_inline() {
    let agent = "#!/bin/bash\nwhile IFS= read -r line; do echo \"you said ${#line} letters\"; echo \"ECHO OK\"; done\n";
    let list = "  - {name: echo, reports_to: user, provider: plain, command: [bash, ./echo.sh], marker: ECHO OK, token: false, delivery: inline}\n";
    let mut house = House::new("inline", list, &[("echo.sh", agent)]);
    house.start();
    house.drop("a.yaml", "id: i-1\nto: echo\ncontent: say ECHO OK please\n");
    let result = house.result("i-1");
    assert!(result.contains("you said 18 letters") && result.contains("proof: weak"), "{result}");
    house.drop("b.yaml", "id: i-2\nto: echo\ncontent: \"/quit\"\n");
    house.until("the reason", |house| {
        house.read("queue/rejected/b.yaml.reason.yaml").contains("code: not-inline")
    });
    house.drop("c.yaml", "id: i-3\nto: echo\ncontent: again\n");
    assert!(house.result("i-3").contains("you said 5 letters"));
}

#[test]
fn silence_becomes_an_error_and_the_late_answer_closes_nothing() {
    let agent = "#!/bin/bash\nread -r line; [[ $line =~ token\\ ([a-z0-9]{6}) ]]; old=${BASH_REMATCH[1]}\nread -r line; [[ $line =~ token\\ ([a-z0-9]{6}) ]]\necho \"PLAIN OK $old\"; sleep 1; echo real; echo \"PLAIN OK ${BASH_REMATCH[1]}\"; sleep 100\n";
    let list = "  - {name: worker, reports_to: user, provider: plain, command: [bash, ./late.sh], marker: PLAIN OK, timeout: 5s}\n";
    let mut house = House::new("late", list, &[("late.sh", agent)]);
    house.start();
    house.drop("a.yaml", "id: o-1\nto: worker\ncontent: first\ntimeout: 1s\n");
    let error = house.result("o-1");
    assert!(error.contains("type: error") && error.contains("timed out"), "{error}");
    house.drop("b.yaml", "id: o-2\nto: worker\ncontent: second\n");
    let result = house.result("o-2");
    assert!(result.contains("type: result") && result.contains("real"), "{result}");
}

#[test]
fn a_changed_team_file_is_taken_up_and_a_broken_one_changes_nothing() {
    let mut house = House::plain("teams");
    house.start();
    let team = house.read("tasuki.yaml");
    house.write("tasuki.yaml", "agents: [\n");
    house.until("the complaint", |house| {
        house.read("status/activity.log").contains("the previous settings stay in force")
    });
    let noted = |house: &House| house.read("status/daemon.yaml").contains("the team file has an error");
    house.until("the note", noted);
    house.drop("a.yaml", "id: c-1\nto: worker\ncontent: first\n");
    assert!(house.result("c-1").contains("answer to c-1"));
    let second = "  - {name: second, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK}\n";
    house.write("tasuki.yaml", &format!("{team}{second}"));
    house.until("the new agent", |house| house.read("status/agents/second.yaml").contains("state: idle"));
    house.drop("user_to_second.yaml", "id: c-2\ncontent: its name says for whom\n");
    assert!(house.result("c-2").contains("answer to c-2"));
    house.until("the note to go", |house| !noted(house));
}

#[test]
fn a_second_daemon_says_who_holds_the_workspace() {
    let mut house = House::plain("two");
    house.start();
    let second = house.tasuki().arg("daemon").output().expect("a second daemon");
    let error = String::from_utf8_lossy(&second.stderr).into_owned();
    assert_eq!(second.status.code(), Some(1), "{error}");
    assert!(error.contains(&house.pid().to_string()), "{error}");
}

#[test]
fn an_idle_daemon_does_nothing() {
    let mut house = House::plain("idle");
    house.start();
    house.until("idle", |house| house.read("status/agents/worker.yaml").contains("state: idle"));
    let switches = || {
        let mut total = 0u64;
        for task in fs::read_dir(format!("/proc/{}/task", house.pid())).expect("tasks") {
            let status = fs::read_to_string(task.expect("a task").path().join("status")).expect("a status");
            let line =
                status.lines().find(|line| line.starts_with("voluntary_ctxt_switches")).expect("a count");
            total += line.split_whitespace().nth(1).and_then(|n| n.parse::<u64>().ok()).expect("a number");
        }
        total
    };
    // What was going on at the start may take a moment to end; then nothing may wake it but the sweep of the mailbox.
    house.until("silence", |_| {
        let before = switches();
        std::thread::sleep(std::time::Duration::from_secs(3));
        switches() - before <= 4
    });
}
