//! Sessions in `tasuki top`, in a real terminal: the list, the graph as its tasks go on, and a failed task that is tried again.

use crate::house::House;
use crate::looking::ok;
use crate::shell::Shell;

/// Waits and fails while it is told to by the words of its task.
const WORKER: &str = r#"#!/bin/bash
while IFS= read -r line; do
  if [[ $line =~ \(token\ ([a-z0-9]{6})\) ]]; then
    token=${BASH_REMATCH[1]}
    file=$(sed -n 's/.*read \(.*\.yaml\) and.*/\1/p' <<<"$line")
    text=$(sed -n 's/^content: //p' "$file")
    while [[ $text == *slow* && ! -e $TASUKI_ROOT/go ]]; do sleep 0.02; done
    if [[ $text == *fails* && ! -e $TASUKI_ROOT/mended ]]; then
      "$BIN" reply --failed "$token" "できません: $text"
    else
      echo "答え: $text"
      echo "PLAIN OK $token"
    fi
  fi
done
"#;
const TEAM: &str = r"  - {name: worker, reports_to: user, provider: plain, command: [bash, ./worker.sh], marker: PLAIN OK}
  - {name: hand, reports_to: worker, provider: plain, command: [bash, ./worker.sh], marker: PLAIN OK}
";
const PLAN: &str = "\
name: 家計簿 🎏
on_failure: skip
tasks:
- {name: 計画, description: slow, to: hand}
- {name: 試す, description: fails, dependencies: [task-1], to: worker}
- {name: まとめる, description: sum up, dependencies: [task-2], to: worker}
- {name: 順番, description: behind it, to: hand}
";

#[test]
fn a_session_is_seen_to_go_on_and_its_failed_task_is_tried_again() {
    let worker = WORKER.replace("$BIN", env!("CARGO_BIN_EXE_tasuki"));
    let mut house = House::new("top sessions 襷", TEAM, &[("worker.sh", &worker)]);
    house.start();
    let house = &house;
    house.write("plan.yaml", PLAN);
    let id = ok(house, &["session", "new", "plan.yaml"]).trim().to_owned();
    let shell = Shell::new(house, (80, 24));
    shell.top("");
    shell.until("the team", |screen| screen.contains("worker") && screen.contains("q quit"));
    shell.keys(&["5"]);
    shell.until("the list and the tasks of the chosen one", |screen| {
        let row = screen.lines().find(|row| row.starts_with("▸◉ 家計簿 🎏"));
        row.is_some_and(|row| row.contains("0/4  1 running, 1 queued") && row.contains("active"))
            && screen.contains("◉ task-1  計画")
    });
    shell.keys(&["Enter"]);
    let has = |screen: &str, task: &str, word: &str| {
        screen.lines().any(|row| row.contains(task) && row.contains(word))
    };
    shell.until("its tasks", |screen| {
        has(screen, "task-1  計画", "running")
            && has(screen, "task-3  まとめる", "after 2")
            && has(screen, "⋮ task-4  順番", "queued, 1st of 1")
            && screen.contains("Esc back")
    });
    // All faces say it of what its agent is still to get, in the words that messages have.
    let told = ok(house, &["session", "show", &id, "task-4"]);
    assert!(told.contains("順番; running, queued (1st of 1 for hand)"), "{told}");
    let told = ok(house, &["session", "list"]);
    assert!(told.contains("家計簿 🎏: 1 queued"), "{told}");
    house.write("go", "");
    shell.until("the first to be completed, and the second to fail", |screen| {
        has(screen, "✓ task-1", "completed")
            && has(screen, "✗ task-2", "failed")
            && has(screen, "⊘ task-3", "behind 2")
            && screen.contains("2/4")
            // It has failed as a whole, which is told above all.
            && screen.lines().next().is_some_and(|row| row.contains("✗ 1 failed"))
    });
    shell.keys(&["j"]);
    shell.until("why", |screen| screen.contains("▸✗ task-2") && screen.contains("できません: fails"));
    house.write("mended", "");
    shell.keys(&["r"]);
    shell.until("all of it", |screen| {
        has(screen, "▸✓ task-2", "completed")
            && has(screen, "✓ task-3", "completed")
            && screen.contains("2 tries")
    });
    shell.keys(&["w"]);
    shell.until("its story", |screen| screen.contains("Story of msg-") && screen.contains("答え: fails"));
    shell.keys(&["Escape"]);
    shell.until("its panel", |screen| screen.contains("needed by ✓ task-3"));
    shell.keys(&["Escape"]);
    shell.until("the list again", |screen| {
        screen.contains("─ 5 Sessions") && has(screen, "家計簿", "completed")
    });
    shell.keys(&["q"]);
    shell.is_clean();
}
