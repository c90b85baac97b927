//! The verbs that people look with, each by its real use: with a daemon, and from the files alone; and what they say of wrong input.

use crate::completing::completed;
use crate::house::House;
use serde_json::{Value, json as value};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The team file's order is that of no alphabet.
const AGENTS: &str = r"  - {name: 親方, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK}
  - {name: a10, reports_to: 親方, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK}
  - {name: a2, reports_to: a10, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK}
  - {name: slow, reports_to: 親方, provider: plain, command: [bash, ./keep.sh], marker: SLOW OK}
";

/// Says each second that it works, and never ends.
const KEEP: &str = "while IFS= read -r -t 1 line || [ $? -gt 128 ]; do [ -z \"$line$given\" ] || { given=1; echo hm; }; done\n";

/// What a verb says on both its outputs, and how it ends.
fn said(house: &House, words: &[&str]) -> (Option<i32>, String, String) {
    let output = house.ask(words);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

pub(crate) fn ok(house: &House, words: &[&str]) -> String {
    let (code, out, err) = said(house, words);
    assert_eq!(code, Some(0), "{words:?}: {out}{err}");
    out
}

fn json(house: &House, words: &[&str]) -> Value {
    let text = ok(house, &[words, &["--json"]].concat());
    serde_json::from_str(&text).unwrap_or_else(|why| panic!("{words:?}: {why}: {text}"))
}

/// A team with a task that is done, one that is worked on, one that waits for it, a failed one, a letter and a refused file.
pub(crate) fn busy(name: &str) -> House {
    let agents = AGENTS.replace("親方", "boss");
    let mut house = House::new(name, &agents, &[("agent.sh", crate::house::PLAIN_AGENT), ("keep.sh", KEEP)]);
    house.start();
    house.drop("t.yaml", "id: t-1\nto: boss\ncontent: |\n  # 家計簿を直す 🎌\n  二行目\n");
    house.result("t-1");
    house.drop("s.yaml", "id: s-1\nto: slow\ncontent: 遅い仕事\n");
    house.until("the slow task", |house| house.read("queue/active/s-1.yaml").contains("stage: working"));
    house.drop("w.yaml", "id: w-1\nto: slow\nparent: s-1\nfrom: user\ncontent: 待つ\n");
    house.until("the part", |house| house.path("queue/active/w-1.yaml").exists());
    house.drop("i.yaml", "id: i-1\nfrom: boss\nto: user\ntype: info\ncontent: お知らせ 🎌\n");
    house.until("the letter", |house| house.path("queue/inbox/i-1.yaml").exists());
    house.drop("bad.yaml", "to: nobody\ncontent: だれ\n");
    house.until("the refusal", |house| house.path("queue/rejected/bad.yaml").exists());
    house
}

/// The same twice: asked of the daemon, and read from the files when it is gone.
pub(crate) fn both(house: &mut House, check: impl Fn(&House, bool)) {
    check(house, true);
    house.kill();
    check(house, false);
}

#[test]
fn messages_are_listed_and_shown_with_a_daemon_and_without() {
    let mut house = busy("list 一覧");
    both(&mut house, |house, _| {
        let ids = |words: &[&str]| -> Vec<String> {
            let page = json(house, &[&["list"], words].concat());
            let ids = page["messages"].as_array().expect("messages").iter();
            ids.map(|view| view["id"].as_str().expect("an id").to_owned()).collect()
        };
        assert_eq!(ids(&[]), ["w-1", "s-1", "i-1", "t-1"], "open ones first, newest first");
        assert_eq!(ids(&["--open"]), ["w-1", "s-1"]);
        assert_eq!(ids(&["--state", "completed"]), ["i-1", "t-1"]);
        assert_eq!(ids(&["--grep", "家計簿"]), ["t-1"]);
        assert_eq!(ids(&["--grep", "ANSWER TO T-1"]), ["t-1"], "its answer has these words alone");
        assert_eq!(ids(&["--type", "info"]), ["i-1"]);
        assert_eq!(ids(&["--agent", "boss"]), ["i-1", "t-1"]);
        assert_eq!(ids(&["--roots", "--open"]), ["s-1"]);
        assert_eq!(ids(&["--since", "1h", "-n", "2"]), ["w-1", "s-1"]);
        assert_eq!(ids(&["--all"]).len(), 4);
        assert_eq!(ids(&["--failed"]), Vec::<String>::new());
        let table = ok(house, &["ls"]);
        let row = table.lines().find(|line| line.starts_with("t-1")).expect("its row");
        assert!(row.contains("✓ completed") && row.contains("家計簿を直す 🎌"), "{table}");
        assert!(table.contains("◉ at work") && table.contains("user → slow"), "{table}");
        assert!(ok(house, &["ls", "-n", "1"]).contains("1 shown, more follow"));

        let page = ok(house, &["show", "t-1"]);
        for words in [
            "✓ t-1: task from user to boss; completed",
            "  二行目",
            "  done: the agent printed its done marker with this task's token\n",
            "by marker, proof: token",
            "answer to t-1",
        ] {
            assert!(page.contains(words), "{words}: {page}");
        }
        assert_eq!(json(house, &["show", "t-1"])["answer"]["proof"], "token");
        let page = ok(house, &["show", "s-1"]);
        assert!(page.contains("at work for") && page.contains("w-1") && page.contains("待つ"), "{page}");
    });
}

#[test]
fn an_answer_is_printed_byte_for_byte_and_the_code_says_what_there_is() {
    let mut house = busy("show 答え");
    house.drop("f.yaml", "id: f-1\nto: a2\ndepends_on: [s-1]\ncontent: 消す\n");
    house.until("one to be called off", |house| house.path("queue/active/f-1.yaml").exists());
    assert!(house.ask(&["cancel", "f-1"]).status.success());
    both(&mut house, |house, _| {
        let output = house.ask(&["show", "t-1", "--answer"]);
        assert!(output.status.success(), "{output:?}");
        let details = json(house, &["show", "t-1"]);
        let text = details["answer"]["text"].as_str().expect("a text");
        assert_eq!(String::from_utf8_lossy(&output.stdout), text, "not a byte more");
        assert!(text.contains("家計簿を直す 🎌\n二行目"), "{text}");
        let (code, _, err) = said(house, &["show", "s-1", "--answer"]);
        assert_eq!(code, Some(4), "{err}");
        assert!(err.contains("no answer yet: it is at work") && err.contains("cure:"), "{err}");
        let (code, out, err) = said(house, &["show", "f-1", "--answer"]);
        assert!(
            code == Some(1) && out.is_empty() && err.contains("f-1 was called off by user"),
            "{out}{err}"
        );
        let page = ok(house, &["show", "f-1"]);
        assert!(
            page.contains("⊘ f-1: task from user to a2; called off")
                && page.contains("  called off by user\n"),
            "{page}"
        );
        assert!(!page.contains("error to f-1") && !page.contains("answer to f-1"), "{page}");
        let (code, _, err) = said(house, &["show", "i-1", "--answer"]);
        assert!(code == Some(2) && err.contains("nobody answers a message of type info"), "{err}");
    });
}

#[test]
fn what_is_wrong_with_a_question_is_said_with_its_place_and_its_cure() {
    let mut house = House::plain("wrong 誤り");
    house.start();
    both(&mut house, |house, _| {
        for (words, why, cure) in [
            (
                &["list", "--state", "壊れた"][..],
                "`壊れた` is not a state; the states are any, open",
                "--state",
            ),
            (&["list", "--since", "昨日"], "`昨日` is not a time", "--since"),
            (&["list", "--type", "mail"], "`mail` is not a type", "--type"),
            (&["list", "--agent", "wroker"], "there is no agent or pool called wroker", "--agent"),
            (&["list", "-n", "many"], "many", "--limit"),
            (&["show", "nope"], "there is no message nope", "tasuki list"),
            (&["show", "../x"], "is not allowed", "use [a-z0-9]"),
            (&["why", "nope"], "neither a message nor an agent", "tasuki send"),
        ] {
            let (code, _, err) = said(house, words);
            assert_eq!(code, Some(2), "{words:?}: {err}");
            assert!(err.contains(why) && err.contains(cure), "{words:?}: {err}");
        }
        assert_eq!(ok(house, &["list", "--agent", "worker"]), "no such message\n");
    });
}

#[test]
fn an_inbox_is_read_once_and_only_by_a_person() {
    let mut house = busy("inbox 受信");
    let letter = |text: &str| text.contains("info i-1 from boss\n  お知らせ 🎌\n");
    assert!(letter(&ok(&house, &["inbox", "--keep"])));
    let agents = house.tasuki().args(["inbox"]).env("TASUKI_AGENT", "boss").output().expect("inbox");
    assert!(letter(&String::from_utf8_lossy(&agents.stdout)));
    assert_eq!(json(&house, &["inbox", "--keep"])["unread"][0]["content"], "お知らせ 🎌");
    house.kill();
    assert!(letter(&ok(&house, &["inbox"])), "from files alone");
    assert!(ok(&house, &["inbox"]).starts_with("nothing unread\n"));
    assert_eq!(json(&house, &["inbox"])["unread"].as_array().map(Vec::len), Some(0));
}

#[test]
fn what_waits_for_a_person_is_shown_with_its_cures_and_who_waits() {
    let mut house = busy("needs 用");
    assert_eq!(json(&house, &["needs"])["chains"], value!([]), "what is worked on waits for nobody");
    house.drop("q.yaml", "id: q-1\nto: slow\ncontent: 次の仕事\n");
    house.until("the next", |house| house.path("queue/active/q-1.yaml").exists());
    let chains = &json(&house, &["needs"])["chains"];
    let found = (chains.as_array().map(Vec::len), &chains[0]["message"], &chains[0]["behind"]);
    assert_eq!(found, (Some(1), &value!("q-1"), &value!(1)), "{chains:#}");
    house.ask(&["cancel", "q-1"]);
    house.until("its end", |house| house.path("queue/results/q-1.yaml").exists());
    house.write("queue/STOP", "");
    house.until("the halt", |house| house.read("status/activity.log").contains("queue/STOP exists"));
    both(&mut house, |house, runs| {
        let page = ok(house, &["needs"]);
        for words in [
            "⊜ All typing is held",
            "2 behind: s-1, w-1",
            "Let the work go on  tasuki stop --off",
            "A file was refused: bad.yaml",
            "Read them  tasuki inbox",
            "WHO WAITS FOR WHOM",
            "s-1 (遅い仕事): slow › you, for ",
        ] {
            assert!(page.contains(words), "{runs}: {words}: {page}");
        }
        assert!(ok(house, &["needs", "--ascii"]).contains("slow > you"));
        let needs = json(house, &["needs"]);
        assert_eq!(needs["needs"][0]["kind"], "halted", "what stops the most comes first: {needs:#}");
        assert!(ok(house, &["status"]).contains("1 thing waits for you: see `tasuki needs`"));
        assert!(ok(house, &["inbox", "--keep"]).contains("1 thing waits for you"));
    });
}

/// An agent that fails each task, and says why.
const FAILS: &str = r#"  - {name: worker, reports_to: user, provider: scripted, marker: W OK, command: ["{tasuki}", agent, scripted, --phrase, "{phrase}", --script, "{root}/fails.yaml"]}
"#;

#[test]
fn why_a_task_failed_is_said_wherever_it_is_asked_for() {
    let script = "rules:\n  - do:\n      - fail: \"\\n3 件の試験が失敗 🎌\\nmore of it\"\n";
    let mut house = House::new("reasons 理由", FAILS, &[("fails.yaml", script)]);
    house.start();
    house.drop("t.yaml", "id: t-1\nto: worker\ncontent: 試す\n");
    house.result("t-1");
    house.drop("i.yaml", "id: i-1\nfrom: worker\nto: user\ntype: info\ncontent: |\n  お知らせ 🎌\n  続き\n");
    house.until("the letter", |house| house.path("queue/inbox/i-1.yaml").exists());
    both(&mut house, |house, _| {
        // Its error is a letter too, which says the same in rows of its own.
        for (words, row) in
            [(&["ls"][..], "t-1 "), (&["why", "t-1"], " failed (by"), (&["show", "t-1"], "3 件")]
        {
            let page = ok(house, words);
            let is_said = page.lines().any(|line| line.contains(row) && line.contains("3 件の試験が失敗 🎌"));
            assert!(is_said, "{words:?}: {page}");
        }
        // The log has no content of anything.
        assert!(!house.read("status/activity.log").contains("件の試験"));
        let needs = json(house, &["needs"]);
        let detail = |kind: &str| {
            let found = needs["needs"].as_array().expect("needs").iter().find(|need| need["kind"] == kind);
            found.expect("it")["detail"].to_string()
        };
        assert!(detail("failed").contains("3 件の試験が失敗 🎌"), "{needs:#}");
        assert!(detail("unread").contains("worker: お知らせ 🎌"), "{needs:#}");
    });
}

#[test]
fn a_team_is_shown_as_a_tree_in_the_order_of_its_file() {
    let mut house = busy("tree 木");
    both(&mut house, |house, _| {
        let page = ok(house, &["status"]);
        let rows = page.lines().skip_while(|line| !line.starts_with("AGENT")).skip(1);
        let name = |line: &str| {
            (line.len() - line.trim_start().len(), line.split_whitespace().next().map(str::to_owned))
        };
        let names: Vec<_> = rows.map(name).collect();
        let name = |indent: usize, name: &str| (indent, Some(name.to_owned()));
        assert_eq!(names, [name(0, "boss"), name(2, "a10"), name(4, "a2"), name(2, "slow")], "{page}");
        assert!(
            page.contains("1 answer and 1 message unread") && page.contains("◉ 1 working  ⋯ 0 waiting"),
            "{page}"
        );
    });
    assert_eq!(ok(&house, &["status", "--line"]), "tasuki: no daemon\n");
}

#[test]
fn a_status_line_is_short_and_never_fails() {
    let mut house = busy("line 行");
    assert_eq!(ok(&house, &["status", "--line"]), "◉1 ⋯0 ?0 ✗0 ~0\n");
    assert_eq!(ok(&house, &["status", "--line", "--ascii"]), "*1 :0 ?0 x0 ~0\n");
    assert_eq!(json(&house, &["status", "--line"])["line"], "◉1 ⋯0 ?0 ✗0 ~0");
    let plain = house
        .tasuki()
        .args(["status", "--line"])
        .env("LANG", "C")
        .env_remove("LC_ALL")
        .output()
        .expect("a line");
    assert_eq!(String::from_utf8_lossy(&plain.stdout), "*1 :0 ?0 x0 ~0\n");
    house.end();
    assert_eq!(ok(&house, &["status", "--line"]), "tasuki: no daemon\n");
    let nowhere = house.tasuki().args(["status", "--line"]).current_dir("/").output().expect("a line");
    assert!(nowhere.status.success() && nowhere.stderr.is_empty(), "{nowhere:?}");
    assert_eq!(String::from_utf8_lossy(&nowhere.stdout), "tasuki: no workspace\n");
}

#[test]
fn a_watch_tells_what_changes_over_the_end_of_a_daemon_and_nothing_else() {
    let mut house = House::plain("watch 見る");
    house.start();
    house.until("idle", |house| house.read("status/agents/worker.yaml").contains("state: idle"));
    let log = std::fs::File::create(house.path("watch.log")).expect("a log");
    let mut watch = house.tasuki();
    watch.args(["status", "--watch", "--json"]).stdin(Stdio::null()).stdout(log).stderr(Stdio::null());
    let mut watch = watch.spawn().expect("a watch");
    let lines = |house: &House| house.read("watch.log").lines().count();
    house.until("the first picture", |house| lines(house) > 0);
    // After what still changes at the start, nothing is said for as long as nothing changes.
    house.until("peace", |house| {
        let before = lines(house);
        std::thread::sleep(Duration::from_millis(2_500));
        lines(house) == before
    });
    let before = lines(&house);
    house.drop("t.yaml", "id: t-1\nto: worker\ncontent: 襷 🎌\n");
    house.until("the task", |house| {
        house.read("watch.log").lines().skip(before).any(|line| line.contains("\"current_task\":\"t-1\""))
    });
    house.result("t-1");
    house.kill();
    house.until("no daemon", |house| {
        house.read("watch.log").lines().last().is_some_and(|line| line.contains("\"daemon\":null"))
    });
    house.start();
    let pid = format!("\"pid\":{}", house.pid());
    house.until("the next one", |house| {
        house.read("watch.log").lines().last().is_some_and(|line| line.contains(&pid))
    });
    for line in house.read("watch.log").lines() {
        assert!(serde_json::from_str::<Value>(line).is_ok(), "{line}");
    }
    watch.kill().expect("its end");
    watch.wait().expect("its end");
}

#[test]
fn a_dialog_is_a_need_with_its_choices_and_a_shell_completes_them() {
    let mut house = crate::asking::house_of("choose 選ぶ", "", "type_line; ask '実行する?'; claim", "");
    crate::asking::until_asked(&house, "実行する?");
    let page = ok(&house, &["needs"]);
    for words in
        ["? a asks: ", "tasuki answer a 1", "tasuki answer a 3", "tasuki attach a", "tasuki cancel first"]
    {
        assert!(page.contains(words), "{words}: {page}");
    }
    let table = ok(&house, &["ls", "--open"]);
    assert!(table.contains("waits for you: a asks something"), "{table}");
    assert_eq!(completed(&house, &["answer", ""]), ["a"]);
    assert_eq!(completed(&house, &["answer", "a", ""]), ["1", "2", "3"]);
    assert_eq!(ok(&house, &["status", "--line"]), "◉0 ⋯0 ?1 ✗0 ~0\n");
    house.end();
}

#[test]
fn each_command_has_a_man_page() {
    let house = House::plain("man 手引き");
    let page = ok(&house, &["man"]);
    assert!(page.contains(".TH tasuki 1") && page.contains("Exit codes"), "{page}");
    let files = ok(&house, &["man", "--dir", "頁/man1"]);
    for name in ["tasuki.1", "tasuki-list.1", "tasuki-agent-start.1", "tasuki-status.1"] {
        assert!(files.contains(name), "{files}");
        assert!(house.read(&format!("頁/man1/{name}")).contains(".SH NAME"), "{name}");
    }
    house.write("in-the-way", "");
    let (code, _, err) = said(&house, &["man", "--dir", "in-the-way"]);
    assert!(code == Some(1) && err.contains("in-the-way"), "{err}");
    if Command::new("groff").arg("--version").output().is_err() {
        return println!("left out: there is no groff to read the pages");
    }
    for page in files.lines() {
        // preconv tells groff the file's name as it is, which it cannot read beyond ASCII.
        let name = page.rsplit('/').next().expect("a name");
        let words = ["-man", "-Kutf8", "-Tutf8", "-ww", "-z", name];
        let read =
            Command::new("groff").args(words).current_dir(house.path("頁/man1")).output().expect("groff");
        assert!(read.status.success() && read.stderr.is_empty(), "{page}: {read:?}");
    }
}

#[test]
fn a_log_is_followed_over_a_rotation_and_the_end_of_a_daemon() {
    let mut house = House::plain("log 続き");
    house.start();
    house.until("a log", |house| house.path("status/activity.log").exists());
    let out = std::fs::File::create(house.path("follow.log")).expect("a log");
    let mut follow = house.tasuki();
    let mut follow = follow.args(["log", "-f"]).stdin(Stdio::null()).stdout(out).spawn().expect("a follower");
    let done = |house: &House, id: &str| {
        house.drop(&format!("{id}.yaml"), &format!("id: {id}\nto: worker\ncontent: 襷 🎌\n"));
        house.result(id);
        house.until("its end to be told", |house| {
            house.read("follow.log").contains(&format!("{id} completed"))
        });
    };
    done(&house, "a-1");
    // The last line before the rotation, and the first after it.
    let log = house.path("status/activity.log");
    let text = house.read("status/activity.log") + "x the last 最後\n";
    std::fs::write(&log, text).expect("a line");
    std::fs::rename(&log, house.path("status/activity.log.1")).expect("a rotation");
    std::fs::write(&log, "x the first 最初\n").expect("a line");
    house.until("both", |house| {
        let told = house.read("follow.log");
        told.contains("the last 最後\nx the first 最初\n")
    });
    house.kill();
    house.start();
    done(&house, "b-1");
    let told = house.read("follow.log");
    assert_eq!(told.matches("a-1 completed").count(), 1, "{told}");
    follow.kill().expect("its end");
    follow.wait().expect("its end");
}
