//! Sessions through the real binary, real tmux and agents that obey the words of their tasks: whatever dies between, each task is
//! given once, and what came of it is handed on.

use crate::completing::completed;
use crate::failures::fill_a_segment;
use crate::house::House;
use crate::looking::ok;
use crate::sessions_trees::repository;
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, Command, Stdio};

/// Keeps each turn, waits while it is told to, and answers.
pub(crate) const WORKER: &str = r#"#!/bin/bash
while IFS= read -r line; do
  if [[ $line =~ \(token\ ([a-z0-9]{6})\) ]]; then
    token=${BASH_REMATCH[1]}
    file=$(sed -n 's/.*read \(.*\.yaml\) and.*/\1/p' <<<"$line")
    text=$(sed -n 's/^content: //p' "$file")
    cp "$file" "$TASUKI_ROOT/seen.$text.yaml"
    echo "$text" >> "$TASUKI_ROOT/typed"
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
/// Answers the first time in prose, then with a plan for nobody, then with one that can be begun.
pub(crate) const MASTER: &str = r#"#!/bin/bash
n=0
while IFS= read -r line; do
  if [[ $line =~ \(token\ ([a-z0-9]{6})\) ]]; then
    token=${BASH_REMATCH[1]}
    n=$((n + 1))
    cp "$(sed -n 's/.*read \(.*\.yaml\) and.*/\1/p' <<<"$line")" "$TASUKI_ROOT/asked.$n.yaml"
    to=hand
    if grep -q 無理 "$TASUKI_ROOT/asked.$n.yaml"; then
      printf '```yaml\ntasks:\n- {nmae: 一番, description: one, to: hand}\n- {name: 二番, to: Hand}\n```\n'
      echo "BOSS OK $token"
      continue
    fi
    [[ $n == 2 ]] && to=nobody
    grep -q だめ "$TASUKI_ROOT/asked.$n.yaml" && pr='pr: true\n' || pr=
    [[ $n == 1 ]] && echo "まず考えます。" || printf '```yaml\n'"$pr"'tasks:\n- {name: 一番, description: one, to: %s}\n- {name: 二番, description: two, dependencies: [task-1], to: %s}\n```\n' $to $to
    echo "BOSS OK $token"
  fi
done
"#;
pub(crate) const TEAM: &str = r"  - {name: worker, reports_to: user, provider: plain, command: [bash, ./worker.sh], marker: PLAIN OK}
  - {name: boss, reports_to: user, provider: plain, command: [bash, ./boss.sh], marker: BOSS OK}
  - {name: hand, reports_to: boss, provider: plain, command: [bash, ./worker.sh], marker: PLAIN OK}
";

fn house(name: &str) -> House {
    let worker = WORKER.replace("$BIN", env!("CARGO_BIN_EXE_tasuki"));
    House::new(name, TEAM, &[("worker.sh", &worker), ("boss.sh", MASTER)])
}

/// Exit code, standard output and standard error.
pub(crate) fn said(house: &House, words: &[&str]) -> (Option<i32>, String, String) {
    let output = house.ask(words);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// What is said of what is refused.
pub(crate) fn refused(house: &House, words: &[&str]) -> String {
    let (code, out, err) = said(house, words);
    assert_eq!(code, Some(2), "{words:?}: {out}{err}");
    err
}

/// Begins a session by this plan, and gives its id.
pub(crate) fn begin(house: &House, plan: &str) -> String {
    house.write("plan.yaml", plan);
    ok(house, &["session", "new", "plan.yaml"]).trim().to_owned()
}

pub(crate) fn session(house: &House, id: &str) -> Value {
    serde_json::from_str(&ok(house, &["session", "show", id, "--json"])).expect("JSON")
}

/// The statuses of the session and of its tasks.
pub(crate) fn statuses(house: &House, id: &str) -> String {
    let session = session(house, id);
    let tasks = session["tasks"].as_array().expect("tasks");
    let all = [&session].into_iter().chain(tasks).map(|of| of["status"].as_str().expect("a status"));
    all.collect::<Vec<_>>().join(" ")
}

pub(crate) fn until(house: &House, id: &str, wanted: &str) {
    house.until(wanted, |house| statuses(house, id) == wanted);
}

pub(crate) fn typed(house: &House) -> Vec<String> {
    house.read("typed").lines().map(str::to_owned).collect()
}

/// Whether the document is the file.
pub(crate) fn is_exported(house: &House, id: &str) -> bool {
    ok(house, &["session", "export", id]) == house.read(&format!(".tasuki/sessions/{id}.json"))
}

const HOUSEHOLD: &str = "\
name: 家計簿 🎏
goal: 家計簿を作る
tasks:
- {name: 計画, description: plan}
- {name: '書く \"x\" [y]', description: write, dependencies: [task-1], to: worker}
- {name: 試す, description: test, dependencies: [task-1]}
- {name: まとめる, description: sum up, dependencies: [task-2, task-3]}
";

#[test]
fn a_plan_runs_to_its_end_and_is_known_without_a_daemon() {
    let mut house = house("sessions 襷");
    house.write("plan.yaml", HOUSEHOLD);
    let (code, _, err) = said(&house, &["session", "new", "plan.yaml"]);
    assert!(code == Some(5) && err.contains("tasuki up"), "{err}");
    assert!(ok(&house, &["session", "list"]).contains("no session yet"));
    house.start();
    let told = ok(&house, &["session", "new", "plan.yaml", "--wait", "--json"]);
    let told: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let ends: Vec<&str> = told
        .iter()
        .filter(|change| change["what"] == "completed")
        .map(|change| change["task"].as_str().expect("a task"))
        .collect();
    assert_eq!((ends.len(), ends.first(), ends.last()), (4, Some(&"task-1"), Some(&"task-4")), "{told:?}");
    assert!(told[0]["task"].is_null() && told[0]["name"] == "家計簿 🎏", "{told:?}");
    assert!(told.last().expect("an end")["what"].as_str().expect("what").contains("completed, 4/4"));
    let id = told[0]["session"].as_str().expect("an id").to_owned();
    let seen = house.read("seen.sum up.yaml");
    assert!(seen.contains("答え: write") && seen.contains("答え: test"), "{seen}");
    assert!(!seen.contains("答え: plan"), "what it does not need itself is not handed to it: {seen}");
    assert_eq!(typed(&house).len(), 4);
    house.until("the document", |house| is_exported(house, &id));
    let short = id[..8].to_owned();
    let looks: [&[&str]; 7] = [
        &["session", "show", &short],
        &["session", "show", &short, "task-2"],
        &["session", "show", &short, "--json"],
        &["session", "graph", &short],
        &["session", "graph", &short, "--mermaid"],
        &["session", "export", &short],
        &["session", "list", "--json"],
    ];
    let with: Vec<String> = looks.iter().map(|words| without_age(&ok(&house, words))).collect();
    assert!(with[0].contains("✓ completed") && with[0].contains("→ 答え: write"), "{}", with[0]);
    assert!(with[1].contains("書く \"x\" [y]") && with[1].contains("  答え: write"), "{}", with[1]);
    assert!(with[3].contains("├─╮") && with[3].contains("試す"), "{}", with[3]);
    let listed = ok(&house, &["session", "list"]);
    assert!(
        listed.contains(&format!("{short}  ✓ completed  4/4")) && listed.contains("家計簿 🎏"),
        "{listed}"
    );
    assert_eq!(completed(&house, &["session", "show", ""]), [id.as_str()]);
    assert_eq!(completed(&house, &["session", "show", &short, "task-"]).len(), 4);
    house.end();
    let without: Vec<String> = looks.iter().map(|words| without_age(&ok(&house, words))).collect();
    assert_eq!(with, without);
    assert!(is_exported(&house, &id));
    ok(&house, &["session", "export", &id, "-o", "out.json"]);
    assert_eq!(house.read("out.json"), house.read(&format!(".tasuki/sessions/{id}.json")));
    ok(&house, &["session", "follow", &id]);
}

/// A page without what the time alone changes.
fn without_age(text: &str) -> String {
    let line = |line: &str| line.split(", begun ").next().unwrap_or_default().to_owned();
    text.lines().filter(|line| !line.contains("\"seq\"")).map(line).collect::<Vec<_>>().join("\n")
}

/// A task that fails, one that needs it, and two that do not.
fn failing(on_failure: &str) -> String {
    format!(
        "on_failure: {on_failure}\nparallel: 1\ntasks:\n- {{name: 壊れる, description: fails {on_failure}}}\n\
         - {{name: 要る, description: needs {on_failure}, dependencies: [task-1]}}\n- {{name: 別, description: else {on_failure}}}\n"
    )
}

#[test]
fn a_failure_stops_a_session_or_not_as_its_plan_says_and_a_retry_goes_on_from_there() {
    let mut house = house("failures");
    house.start();
    let stop = begin(&house, &failing("stop"));
    let (code, out, err) = said(&house, &["session", "follow", &stop]);
    assert!(
        code == Some(1) && err.contains("it stops there") && out.contains("できません: fails stop"),
        "{out}{err}"
    );
    assert_eq!(statuses(&house, &stop), "Failed Failed Pending Ready");
    let skip = begin(&house, &failing("skip"));
    assert_eq!(said(&house, &["session", "follow", &skip]).0, Some(1));
    assert_eq!(statuses(&house, &skip), "Failed Failed Cancelled Completed");
    let told = ok(&house, &["session", "show", &skip]);
    assert!(told.contains("not completed: task-1") && told.contains("→ できません: fails skip"), "{told}");
    let more = begin(&house, &failing("continue"));
    assert_eq!(said(&house, &["session", "follow", &more]).0, Some(1));
    assert_eq!(statuses(&house, &more), "Failed Failed Completed Completed");
    assert!(house.read("seen.needs continue.yaml").contains("できません: fails continue"));

    let told = refused(&house, &["session", "retry", "task-1"]);
    assert!(told.contains("in several sessions") && told.contains(&stop), "{told}");
    let told = refused(&house, &["session", "retry", &skip, "task-3"]);
    assert!(told.contains("it is done again only with another text"), "{told}");
    assert!(refused(&house, &["session", "retry", "task-9"]).contains("has failed in no session"));
    assert!(refused(&house, &["session", "retry", &skip[..8]]).contains("it is not said which task"));
    house.write("mended", "");
    ok(&house, &["session", "retry", &skip, "task-1"]);
    until(&house, &skip, "Completed Completed Completed Completed");
    assert!(house.read("seen.needs skip.yaml").contains("答え: fails skip"));
    ok(&house, &["session", "resume", &stop[..8]]);
    until(&house, &stop, "Completed Completed Completed Completed");
    let told = ok(&house, &["session", "retry", "task-1"]);
    assert!(told.contains(&more), "the last one: {told}");
    until(&house, &more, "Completed Completed Completed Completed");
    let count = |text: &str| typed(&house).iter().filter(|line| *line == text).count();
    assert_eq!((count("fails skip"), count("else skip"), count("needs continue")), (2, 1, 1));
    let told = refused(&house, &["session", "resume", &stop]);
    assert!(told.contains("cannot be resumed") && told.contains("a paused or failed session"), "{told}");
    house.end();
}

#[test]
fn a_completed_task_is_done_again_with_another_text_and_what_needs_it_after_it() {
    let mut house = house("again");
    house.start();
    let plan = "tasks:\n- {name: 一, description: one}\n- {name: 二, description: two, dependencies: [task-1]}\n\
                - {name: 別, description: else}\n";
    let id = begin(&house, plan);
    until(&house, &id, "Completed Completed Completed Completed");
    let told = refused(&house, &["session", "retry", &id, "task-1"]);
    assert!(told.contains("only with another text") && told.contains("--edit"), "{told}");
    let told = refused(&house, &["session", "retry", &id, "task-1", "--text", " "]);
    assert!(told.contains("the new text of the task is empty") && !told.contains("content:"), "{told}");
    let told = refused(&house, &["session", "retry", &id, "task-1", "--edit"]);
    assert!(told.contains("$VISUAL") && told.contains("--text-file"), "{told}");
    ok(&house, &["session", "retry", &id, "task-1", "--text", "slow 青 🎏"]);
    until(&house, &id, "Active Running Pending Completed");
    let told = refused(&house, &["session", "retry", &id, "task-1", "--text", "x"]);
    assert!(told.contains("task-1 is under way: wait until it has ended, or `tasuki cancel"), "{told}");
    house.kill();
    house.start();
    house.write("go", "");
    until(&house, &id, "Completed Completed Completed Completed");
    assert_eq!(session(&house, &id)["tasks"][0]["description"], "slow 青 🎏");
    assert!(house.read("seen.two.yaml").contains("答え: slow 青 🎏"));
    let mut done = typed(&house);
    done.sort();
    assert_eq!(done, ["else", "one", "slow 青 🎏", "two", "two"]);
    house.until("the document", |house| is_exported(house, &id));

    // A person's own editor: once it changes nothing, then a word.
    house.write("leave.sh", "#!/bin/sh\n:\n");
    house.write("edit.sh", "#!/bin/sh\nsed -i s/two/三つ/ \"$1\"\n");
    let mut person =
        Terminal::of_with(&house, "VISUAL='sh ./leave.sh'", &format!("session retry {id} task-2 --edit"));
    person.until("is unchanged, and nothing was done");
    assert!(person.ends());
    let mut person =
        Terminal::of_with(&house, "VISUAL='sh ./edit.sh'", &format!("session retry {id} task-2 --edit"));
    person.until("goes on from there");
    assert!(person.ends());
    house.until("its end", |house| typed(house).last().is_some_and(|text| text == "三つ"));
    until(&house, &id, "Completed Completed Completed Completed");
    assert_eq!(typed(&house).len(), 6);
    house.end();
}

#[test]
fn a_session_is_paused_goes_on_takes_more_tasks_and_is_called_off() {
    let mut house = house("steered");
    house.start();
    let plan = "tasks:\n- {name: 遅い, description: slow}\n- {name: 次, description: next, dependencies: [task-1]}\n";
    let id = begin(&house, plan);
    until(&house, &id, "Active Running Pending");
    // What is in a queue would rest as well.
    house.until("its turn", |house| session(house, &id)["tasks"][0]["started_at"].is_string());
    assert!(ok(&house, &["session", "pause", &id[..8]]).contains("is paused"));
    let told = refused(&house, &["session", "pause", &id]);
    assert!(told.contains("is paused already") && told.contains("an active session"), "{told}");
    house.write("go", "");
    until(&house, &id, "Paused Completed Ready");
    let add = |more: &[&'static str]| [&["session", "add-task", id.as_str()], more].concat();
    let hostile = "追加: \"x\" # 'y' {z} \\n 🎏";
    let told = ok(
        &house,
        &add(&["--name", hostile, "--description", "- *a\n  b: &c", "--depends-on", "task-2,task-1"]),
    );
    assert!(told.contains("task-3 is added"), "{told}");
    house.write("task.yaml", "name: 最後\ndescription: last\ndependencies: [task-3]\n");
    ok(&house, &add(&["task.yaml"]));
    let session = session(&house, &id);
    assert_eq!(session["tasks"][2]["name"], hostile);
    assert_eq!(session["tasks"][2]["description"], "- *a\n  b: &c");
    assert_eq!(session["tasks"][2]["dependencies"], serde_json::json!(["task-2", "task-1"]));
    house.write("task.yaml", "name: 最後\ndescription: last\ndependencies: [task-33]\n");
    let told = refused(&house, &add(&["task.yaml"]));
    assert!(told.contains("task.yaml:3:16") && told.contains("3 | dependencies: [task-33]"), "{told}");
    let told = refused(&house, &add(&["--name", "x", "--description", "y", "--depends-on", "task-33"]));
    assert!(told.contains("no such task; did you mean `task-3`?") && !told.contains("line"), "{told}");
    let told = refused(&house, &add(&["--name", "x", "--description", "y", "--to", "nobody"]));
    assert!(told.contains("called nobody"), "{told}");
    refused(&house, &add(&["--name", "x"]));
    // What the team or the graph refuses has a place in the file, too.
    for (line, why) in [
        ("to: nobody", "called nobody"),
        ("hire: plain", "nobody can be made from the profile plain alone"),
        ("dependencies: [task-9]\nid: task-9", "task-9 → task-9"),
    ] {
        house.write("task.yaml", &format!("name: 最後\ndescription: last\n{line}\n"));
        let told = refused(&house, &add(&["task.yaml"]));
        let shown = format!("3 | {}", line.lines().next().unwrap_or_default());
        assert!(told.contains("task.yaml:3:") && told.contains(&shown) && told.contains(why), "{told}");
    }
    assert_eq!(typed(&house), ["slow"], "nothing begins while it is paused");
    ok(&house, &["session", "resume", &id]);
    until(&house, &id, "Completed Completed Completed Completed Completed");
    let told = refused(&house, &add(&["--name", "x", "--description", "y"]));
    assert!(told.contains("is completed"), "{told}");

    std::fs::remove_file(house.path("go")).expect("it waits again");
    let id = begin(&house, plan);
    until(&house, &id, "Active Running Pending");
    assert!(ok(&house, &["session", "cancel", &id]).contains("is cancelled"));
    let (code, _, err) = said(&house, &["session", "follow", &id]);
    assert!(code == Some(1) && err.contains("was cancelled by user"), "{err}");
    assert_eq!(statuses(&house, &id), "Failed Cancelled Cancelled");
    assert!(ok(&house, &["session", "list"]).contains("⊘ cancelled"));
    for (verb, why) in [("cancel", "is cancelled already"), ("pause", "is cancelled and cannot be paused")] {
        assert!(refused(&house, &["session", verb, &id]).contains(why));
    }
    for words in
        [&["session", "show", "zzz"][..], &["session", "pause", "00000000-0000-4000-8000-000000000000"]]
    {
        let told = refused(&house, words);
        assert!(told.contains("there is no session") && told.contains("tasuki session list"), "{told}");
    }
    assert!(refused(&house, &["session", "show", &id, "task-22"]).contains("did you mean task-2?"));
    house.end();
}

#[test]
fn a_goal_is_split_by_its_master_who_is_told_what_is_wrong_and_waits_for_a_yes() {
    let mut house = house("goals");
    house.start();
    let (code, id, err) = said(&house, &["session", "new", "--master", "boss", "家計簿を", "作る"]);
    let id = id.trim();
    assert!(code == Some(0) && err.contains(&format!("tasuki session resume {id}")), "{err}");
    until(&house, id, "Paused Ready Pending");
    assert!(house.read("asked.1.yaml").contains("家計簿を 作る"));
    let told = [house.read("asked.2.yaml"), house.read("asked.3.yaml")];
    assert!(told[0].contains("No plan can be taken from your answer"), "{}", told[0]);
    assert!(told[1].contains("called nobody"), "{}", told[1]);
    let listed = ok(&house, &["session", "list"]);
    assert!(listed.contains("? waits for your yes  0/2") && listed.contains("家計簿を 作る"), "{listed}");
    assert_eq!(typed(&house), [""; 0]);
    // Whoever is to say yes sees what would begin.
    for page in [ok(&house, &["session", "show", id]), ok(&house, &["needs"])] {
        for shown in ["task-2", "二番", "hand", "task-1", "two", "expects nothing"] {
            assert!(page.contains(shown), "{shown}: {page}");
        }
    }
    ok(&house, &["session", "resume", id]);
    until(&house, id, "Completed Completed Completed");
    assert_eq!(typed(&house), ["one", "two"]);

    // On a terminal it is asked.
    let mut person = Terminal::of(&house, "session new --master boss もう一つ");
    let shown = person.until("Begin? [y/N] ");
    assert!(shown.contains("二番") && shown.contains("waits for your yes"), "{shown}");
    person.types("たぶん\n");
    person.until("Begin? [y/N] ");
    person.types("y\n");
    person.until("goes on");
    assert!(person.ends());
    let mut person = Terminal::of(&house, "session new --master boss だめ");
    person.until("Begin? [y/N] ");
    person.types("\n");
    person.until("is cancelled");
    assert!(person.ends());
    let mut person = Terminal::of(&house, "session new --master boss あとで");
    person.until("Begin? [y/N] ");
    person.types("\u{3}");
    person.until("tasuki session resume");
    assert!(!person.ends());
    house.until("the end of the second", |house| typed(house).len() == 4);
    let listed = ok(&house, &["session", "list"]);
    assert!(listed.contains("waits for your yes") && listed.contains("⊘ cancelled"), "{listed}");
    // What was called off waits for a yes again, and its plan asks for what only a person orders.
    let listed: Value = serde_json::from_str(&ok(&house, &["session", "list", "--json"])).expect("JSON");
    let listed = listed["sessions"].as_array().expect("sessions");
    let off = listed.iter().find(|session| session["title"] == "だめ").expect("it").clone();
    let off = off["id"].as_str().expect("an id");
    let told = ok(&house, &["session", "resume", off]);
    assert!(told.contains("nobody has said yes"), "{told}");
    for page in [ok(&house, &["session", "show", off]), ok(&house, &["needs"])] {
        assert!(page.contains("asks for pull requests, and none is opened"), "{page}");
    }
    assert_eq!(typed(&house).len(), 4);
    ok(&house, &["session", "resume", off]);
    until(&house, off, "Completed Completed Completed");
    house.end();
}

#[test]
fn what_failed_in_a_session_is_its_own_in_a_new_segment_too() {
    let mut house = house("segments 失敗");
    house.start();
    let plan = "tasks:\n- {name: だめ, description: it fails, to: worker}\n- {name: b, description: b, dependencies: [task-1]}\n";
    let id = begin(&house, plan);
    until(&house, &id, "Failed Failed Pending");
    let needs = |house: &House| {
        let needs: Value = serde_json::from_str(&ok(house, &["needs", "--json"])).expect("JSON");
        let needs = needs["needs"].as_array().expect("needs").iter();
        let of_work = needs.filter(|need| ["failed", "session"].iter().any(|kind| need["kind"] == *kind));
        of_work.map(|need| format!("{} {}", need["id"], need["cures"])).collect::<Vec<_>>()
    };
    let before = needs(&house);
    assert_eq!(before.len(), 1, "{before:?}");
    fill_a_segment(&house, "a");
    house.until("a new segment", |house| house.path(".tasuki/journal/000002.jsonl").exists());
    assert_eq!(needs(&house), before);
    // What could begin says why it does not.
    ok(&house, &["stop", "--all"]);
    let held = begin(&house, "tasks:\n- {name: 待つ, description: it waits, to: worker}\n");
    let told = ok(&house, &["session", "show", &held]);
    assert!(told.contains("ready") && told.contains("all typing is held: `tasuki stop --off`"), "{told}");
    ok(&house, &["stop", "--off"]);
    until(&house, &held, "Completed Completed");
    let told = ok(&house, &["session", "show", &held]);
    assert!(!told.contains("typing is held"), "{told}");
    house.end();
}

#[test]
fn a_goal_without_a_plan_says_what_was_wrong_with_the_last_one_and_takes_no_tasks_beside_it() {
    let mut house = house("no plan");
    house.start();
    let (_, id, _) = said(&house, &["session", "new", "--yes", "--master", "boss", "無理"]);
    let id = id.trim();
    until(&house, id, "Failed");
    let (shown, needs) = (ok(&house, &["session", "show", id]), ok(&house, &["needs"]));
    for page in [&shown, &needs] {
        assert!(page.contains("none of its 4 answers is a plan that can be begun"), "{page}");
        // Both mistakes of the last answer.
        assert!(page.contains("did you mean `name`?") && page.contains("`to`: `Hand` has"), "{page}");
    }
    assert!(
        shown.contains("asks for its plan again") && needs.contains("Ask for a plan again"),
        "{shown}{needs}"
    );
    let told = refused(
        &house,
        &["session", "add-task", id, "--name", "手で", "--description", "one", "--to", "worker"],
    );
    assert!(
        told.contains("has no plan") && told.contains(&format!("`tasuki session resume {id}`")),
        "{told}"
    );
    house.end();
}

/// A person's terminal in which a command runs.
struct Terminal {
    program: Child,
    /// What was shown since somebody looked.
    shown: String,
}

impl Terminal {
    fn of(house: &House, words: &str) -> Self {
        Self::of_with(house, "", words)
    }

    /// The same with this variable besides.
    fn of_with(house: &House, variable: &str, words: &str) -> Self {
        let tasuki = house.tasuki();
        let mut program = Command::new("script");
        // Whoever waits for what is never shown sees its end.
        let tasuki = tasuki.get_program().to_string_lossy().into_owned();
        let line = format!("{variable} timeout --foreground 60 {tasuki} {words}");
        program.args(["-qefc", &line, "/dev/null"]).current_dir(house.path("")).env_remove("TASUKI_ROOT");
        program.env("TERM", "screen").env("LANG", "C.UTF-8").stdin(Stdio::piped()).stdout(Stdio::piped());
        Self { program: program.spawn().expect("`script`"), shown: String::new() }
    }

    /// Reads until this is shown.
    fn until(&mut self, text: &str) -> String {
        let screen = self.program.stdout.as_mut().expect("a screen");
        let mut bytes = Vec::new();
        while !String::from_utf8_lossy(&bytes).contains(text) {
            let mut more = [0; 1024];
            let count = screen.read(&mut more).expect("what it shows");
            assert!(count > 0, "it ended before it showed {text}: {}", String::from_utf8_lossy(&bytes));
            bytes.extend(&more[..count]);
        }
        self.shown = String::from_utf8_lossy(&bytes).into_owned();
        self.shown.clone()
    }

    fn types(&mut self, keys: &str) {
        let input = self.program.stdin.as_mut().expect("keys");
        input.write_all(keys.as_bytes()).and_then(|()| input.flush()).expect("keys");
    }

    /// Whether it ends well.
    fn ends(mut self) -> bool {
        self.program.wait().expect("its end").success()
    }
}

#[test]
fn a_daemon_that_is_killed_in_the_middle_changes_nothing() {
    let mut house = house("killed");
    house.start();
    let plan = "tasks:\n- {name: 一, description: a}\n- {name: 二, description: slow b, dependencies: [task-1]}\n\
                - {name: 三, description: c, dependencies: [task-2]}\n";
    let id = begin(&house, plan);
    until(&house, &id, "Active Completed Running Pending");
    house.until("its turn", |house| typed(house).len() == 2);
    let mut follow = house.tasuki();
    follow.args(["session", "follow", &id]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut follow = follow.spawn().expect("tasuki");
    let mut first = [0; 1];
    follow.stdout.as_mut().expect("its output").read_exact(&mut first).expect("its first line");
    house.kill();
    assert_eq!(statuses(&house, &id), "Active Completed Running Pending", "without a daemon");
    let mut aside = BufReader::new(follow.stderr.take().expect("its remarks"));
    let mut remark = String::new();
    aside.read_line(&mut remark).expect("a remark");
    assert!(remark.contains("no daemon answers; `tasuki up` starts it"), "{remark}");
    let (code, _, err) = said(&house, &["session", "follow", &id]);
    assert!(code == Some(5) && err.contains("goes on with the next daemon"), "{err}");
    let (code, _, err) = said(&house, &["session", "pause", &id]);
    assert!(code == Some(5) && err.contains("tasuki up"), "{err}");
    house.start();
    house.write("go", "");
    let followed = follow.wait_with_output().expect("its end");
    let told = String::from_utf8_lossy(&followed.stdout).into_owned();
    assert!(followed.status.success(), "{followed:?}");
    aside.read_line(&mut remark).expect("a remark");
    assert!(remark.ends_with("the daemon answers again\n"), "{remark}");
    assert!(told.contains("task-2 二 completed") && told.contains("completed, 3/3 tasks"), "{told}");
    assert_eq!(typed(&house), ["a", "slow b", "c"]);
    assert!(house.read("seen.c.yaml").contains("答え: slow b"));
    house.end();
}

#[test]
fn a_plan_that_is_wrong_is_shown_with_its_place_and_the_cure() {
    let mut house = house("refused");
    let task = |more: &str| format!("tasks:\n- {{name: 一, description: a{more}}}\n");
    for (plan, place, why) in [
        (
            "tasks:\n- {name: a, description: a, dependencies: [task-2]}\n- {name: b, description: b, dependencies: [task-1]}\n",
            "計画.yaml:2:",
            "task-1 → task-2 → task-1",
        ),
        (&task(", dependencies: [task-1]"), "計画.yaml:2:44", "task-1"),
        (&task(", dependencies: [task-7]"), "計画.yaml:2:44", "task-7"),
        (&task(", nmae: x"), "計画.yaml:2:", "did you mean `name`?"),
        ("tasks: []\n", "計画.yaml:1:", "`tasks` is empty"),
        ("", "計画.yaml", "empty"),
    ] {
        house.write("計画.yaml", plan);
        let told = refused(&house, &["session", "new", "計画.yaml"]);
        assert!(told.contains(place) && told.contains(why) && told.contains("cure:"), "{plan}: {told}");
        let told = refused(&house, &["session", "new", "--plan", "計画.yaml", "--json"]);
        let told: Value = serde_json::from_str(&told).expect("JSON");
        assert_eq!(told["file"], "計画.yaml");
    }
    assert!(refused(&house, &["session", "new", "--plan", "nowhere.yaml"]).contains("nowhere.yaml"));
    house.start();
    house.write("計画.yaml", &task(", to: nobody"));
    let told = refused(&house, &["session", "new", "計画.yaml"]);
    assert!(
        told.contains("task-1: there is no agent or pool called nobody") && told.contains("計画.yaml:2:29"),
        "{told}"
    );
    let second = "- {name: 二, description: b, expect: {command: test}}\n";
    house.write("計画.yaml", &format!("{}{second}", task(", to: nobody")));
    let told = refused(&house, &["session", "new", "計画.yaml"]);
    let both = told.matches("error: ").count() == 2 && told.matches("cure: ").count() == 2;
    assert!(both && told.contains("計画.yaml:2:29") && told.contains("計画.yaml:3:"), "{told}");
    house.write("計画.yaml", &task(", hire: clawed"));
    let told = refused(&house, &["session", "new", "計画.yaml"]);
    assert!(told.contains("task-1: nobody can be made from the profile clawed"), "{told}");
    assert!(told.contains("計画.yaml:2:29"), "{told}");
    // A circle hides nothing of what the team is asked for.
    house.write(
        "計画.yaml",
        &task(", hire: plain, dependencies: [task-2]}\n- {name: 二, description: d, to: boos, dependencies: [task-1]"),
    );
    let told = refused(&house, &["session", "new", "計画.yaml"]);
    for why in ["task-1 → task-2 → task-1", "from the profile plain alone: it says no command", "called boos"]
    {
        assert!(told.contains(why), "{told}");
    }
    house.write("計画.yaml", &task(", worktree_strategy: New"));
    assert!(refused(&house, &["session", "new", "計画.yaml"]).contains("no git repository"));
    house.write("計画.yaml", &format!("pr: true\n{}", task("")));
    assert!(refused(&house, &["session", "new", "計画.yaml"]).contains("pull requests are wanted"));
    refused(&house, &["session", "new", "--master", "nobody", "go"]);
    refused(&house, &["session", "new"]);
    assert!(refused(&house, &["session", "new", " "]).contains("cure: say in words what is to be reached"));
    assert!(ok(&house, &["session", "list"]).contains("no session yet"));
    house.end();
}

#[test]
fn a_task_whose_agent_cannot_be_started_fails_by_itself() {
    let more = "settings: {max_restarts: 1, restart_delay: 1ms}\n\
                providers: {ghost: {based_on: plain, command: [no-such-program-襷]}, gone: {based_on: plain, command: ['false']}}\n";
    let mut house = House::new("ghosts", &format!("{TEAM}{more}"), &[("boss.sh", MASTER)]);
    house.write("worker.sh", &WORKER.replace("$BIN", env!("CARGO_BIN_EXE_tasuki")));
    house.start();
    let plan = "on_failure: skip\ntasks:\n- {name: 一, description: a, hire: {provider: ghost}}\n\
                - {name: 二, description: b, dependencies: [task-1]}\n- {name: 三, description: c, to: worker}\n\
                - {name: 四, description: d, hire: {provider: gone}}\n";
    let id = begin(&house, plan);
    until(&house, &id, "Failed Failed Cancelled Completed Failed");
    for (task, why) in [("task-1", "no-such-program-襷"), ("task-4", "exit 1")] {
        let told = ok(&house, &["session", "show", &id, task]);
        let end = "it ended too often and is not started again";
        assert!(told.contains("is given up: ") && told.contains(why) && told.contains(end), "{told}");
    }
    let agents = ok(&house, &["status", "--json"]);
    assert!(
        !agents.contains("task-1-") && !agents.contains("task-4-"),
        "whoever was hired is gone: {agents}"
    );
    assert_eq!(typed(&house), ["c"]);
    house.end();
}

/// It keeps its status, and says that nothing but its document is here, and what has it go on.
fn a_failed_one_says_that_it_was_imported(house: &House, seed: &str, root: &str) {
    let id = "f0000000-e5f6-7890-abcd-ef1234567890";
    let mut failed: Value = serde_json::from_str(seed).expect("JSON");
    (failed["id"], failed["status"], failed["repository_path"]) = (id.into(), "Failed".into(), root.into());
    failed["tasks"][0]["status"] = "Failed".into();
    house.write("failed.json", &failed.to_string());
    ok(house, &["session", "import", "failed.json"]);
    let kept = format!("only its document is here: `tasuki session resume {id}` has it go on");
    for shown in [&["session", "list", "--all"][..], &["session", "show", "f000"]] {
        let told = ok(house, shown);
        assert!(told.contains(&kept), "{told}");
    }
    let (code, out, err) = said(house, &["session", "follow", "f000"]);
    assert!(code == Some(1) && out.contains(&kept) && err.contains(&kept), "{out}{err}");
}

#[test]
fn a_session_from_elsewhere_stands_still_until_it_is_resumed() {
    let mut house = house("elsewhere");
    repository(&house, &["worker.sh"]);
    house.start();
    let root = house.path("").display().to_string();
    let seed = include_str!("../fixtures/session.json");
    house.write("seed.json", seed);
    let told = ok(&house, &["session", "import", "seed.json"]);
    let id = "a1b2c3d4-e5f6-7890-abcd-ef1234567890";
    let resume = format!("`tasuki session resume {id}`");
    assert!(told.contains(&format!("stands still until it is resumed: {resume}")), "{told}");
    assert!(told.contains("its repository is not here: /path/to/repo"), "{told}");
    assert_eq!(ok(&house, &["session", "export", "a1b2"]), seed, "it is exported as it came");
    // It does not look as if it were at work, and whoever follows it is told so.
    for shown in [&["session", "list"][..], &["session", "show", "a1b2"]] {
        let told = ok(&house, shown);
        assert!(
            told.contains("stands still") && told.contains(&resume) && !told.contains("active"),
            "{told}"
        );
        assert!(told.contains("its repository is not here: /path/to/repo; put it there"), "{told}");
    }
    let seen = session(&house, id);
    assert_eq!((&seen["status"], &seen["stands_still"]), (&"Paused".into(), &true.into()), "{seen}");
    let (code, out, err) = said(&house, &["session", "follow", "a1b2"]);
    assert!(code == Some(2) && out.contains("stands still, 1/1 tasks completed"), "{out}{err}");
    assert!(err.contains(&resume) && err.contains("not here: /path/to/repo; put it there"), "{err}");
    let told = refused(&house, &["session", "import", "seed.json"]);
    let see = "`tasuki session show a1b2c3d4-e5f6-7890-abcd-ef1234567890`";
    assert!(told.contains("already") && told.contains(see) && told.contains("a UUID of its own"), "{told}");
    let told = refused(&house, &["session", "resume", "a1b2"]);
    assert!(told.contains("/path/to/repo") && told.contains("`tasuki session cancel a1b2"), "{told}");
    // Nobody can let it go on here, and whoever has no use for it calls it off.
    let task = r#"{"name": "x", "description": "y"}"#;
    house.write("task.yaml", task);
    let verbs: [&[&str]; 4] = [
        &["session", "pause", "a1b2"],
        &["session", "merge", "a1b2"],
        &["session", "retry", "a1b2", "task-001"],
        &["session", "add-task", "a1b2", "task.yaml"],
    ];
    for verb in verbs {
        let told = refused(&house, verb);
        assert!(told.contains("stands still") && told.contains(&resume), "{told}");
        assert!(told.contains("is not here: /path/to/repo"), "{told}");
    }
    ok(&house, &["session", "cancel", "a1b2"]);
    for verb in verbs.iter().chain([&["session", "resume", "a1b2"][..]].iter()) {
        let told = refused(&house, verb);
        assert!(told.contains("is not here: /path/to/repo") && !told.contains("session cancel"), "{told}");
    }
    // What is told can be typed in as it is.
    let cures: Vec<String> = told.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    let elsewhere = cures.iter().find(|cure| cure.contains(" import -")).expect("a way out");
    let line = format!("tasuki() {{ '{}' \"$@\"; }}; {elsewhere}", env!("CARGO_BIN_EXE_tasuki"));
    let output = Command::new("bash").current_dir(house.path("")).args(["-c", &line]).output().expect("bash");
    let here = String::from_utf8_lossy(&output.stdout).into_owned();
    let again = here.split('`').nth(1).expect("how it goes on").replace("tasuki ", "");
    assert!(here.contains("is kept") && !here.contains("not here"), "{line}: {here}");
    let called_off: Value = serde_json::from_str(&ok(&house, &["session", "export", "a1b2"])).expect("JSON");
    assert_eq!(called_off["status"], "Failed");
    assert_eq!(called_off["tasks"], serde_json::from_str::<Value>(seed).expect("JSON")["tasks"]);
    // Whoever looks at it or follows it is told how it goes on.
    for shown in [&["session", "list"][..], &["session", "show", "a1b2"]] {
        let told = ok(&house, shown);
        assert!(
            told.contains("only its document is here: its repository is not here: /path/to/repo"),
            "{told}"
        );
    }
    let told = refused(&house, &["session", "cancel", "a1b2"]);
    assert!(
        told.contains("is Failed") && told.contains("session show") && !told.contains("resume"),
        "{told}"
    );
    ok(&house, &again.split(' ').collect::<Vec<_>>());
    until(&house, again.rsplit(' ').next().expect("an id"), "Completed Completed");
    a_failed_one_says_that_it_was_imported(&house, seed, &root);
    house.write("bad.json", &seed.replace("\"Completed\"", "\"Finished\""));
    assert!(refused(&house, &["session", "import", "bad.json"]).contains("status"));
    // The same with a task that was at work, in this folder.
    let mut other: Value = serde_json::from_str(seed).expect("JSON");
    other["id"] = "00000000-e5f6-7890-abcd-ef1234567890".into();
    other["repository_path"] = root.into();
    let mut task = other["tasks"][0].clone();
    task["id"] = "task-002".into();
    task["description"] = "next".into();
    task["status"] = "Running".into();
    task["dependencies"] = serde_json::json!(["task-001"]);
    for none in ["assigned_worktree", "sub_agent", "result", "completed_at"] {
        task[none] = Value::Null;
    }
    other["tasks"].as_array_mut().expect("tasks").push(task);
    let stands = std::mem::replace(&mut other["status"], "Completed".into());
    house.write("other.json", &other.to_string());
    let told = refused(&house, &["session", "import", "other.json"]);
    assert!(
        told.contains("`status` is `Completed`, and `tasks[1].status` of `task-002` is `Running`"),
        "{told}"
    );
    other["status"] = stands;
    house.write("other.json", &other.to_string());
    ok(&house, &["session", "import", "other.json"]);
    assert_eq!(statuses(&house, "0000"), "Paused Completed Pending", "nobody here works on it");
    house.kill();
    house.start();
    ok(&house, &["session", "resume", "0000"]);
    until(&house, "0000", "Completed Completed Completed");
    assert_eq!(typed(&house), ["next"], "what was done is not done again");
    let seen = house.read("seen.next.yaml");
    assert!(seen.contains("JWT認証を実装しました"), "it is told what came of that: {seen}");
    let document: Value = serde_json::from_str(&ok(&house, &["session", "export", "0000"])).expect("JSON");
    assert_eq!(document["tasks"][0], other["tasks"][0], "what was done elsewhere is told as it came");
    assert_eq!(document["worktrees"][1], other["worktrees"][0]);
    assert_eq!(document["created_at"], other["created_at"], "it began when it began");
    house.end();
}
