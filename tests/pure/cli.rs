//! The command line through the built binary, without a daemon: help, usage, exit codes, and what works from files alone.

use crate::small_journal;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// The program in a folder, with an environment in which nothing points to another workspace.
fn tasuki(folder: &Path) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_tasuki"));
    program.current_dir(folder).env_clear().env("PATH", std::env::var_os("PATH").unwrap());
    program.env("HOME", folder.join("home")).env("LANG", "C.UTF-8").stdin(Stdio::null());
    program
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    tasuki(folder).args(arguments).output().unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or_else(|| panic!("ended by a signal: {output:?}"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A new workspace of scripted agents.
fn workspace() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let made = run(folder.path(), &["init", "--provider", "scripted"]);
    assert_eq!(code(&made), 0, "{made:?}");
    folder
}

fn drops(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder.join("queue")).unwrap().flatten();
    let names = entries.filter(|entry| entry.path().is_file());
    let names = names.map(|entry| entry.file_name().into_string().unwrap());
    names.filter(|name| name != "README.md").collect()
}

/// Every command, as the words that name it.
fn verbs(command: &clap::Command, before: &[String]) -> Vec<Vec<String>> {
    let own = (!before.is_empty()).then(|| before.to_vec());
    let inner = command.get_subcommands().filter(|inner| inner.get_name() != "help").flat_map(|inner| {
        let path: Vec<String> = before.iter().cloned().chain([inner.get_name().to_owned()]).collect();
        verbs(inner, &path)
    });
    own.into_iter().chain(inner).collect()
}

#[test]
fn every_verb_has_help_with_examples() {
    let folder = tempfile::tempdir().unwrap();
    let verbs = verbs(&tasuki::ui::cli::command(), &[]);
    assert!(verbs.len() > 25, "{verbs:?}");
    for verb in verbs {
        let output = tasuki(folder.path()).args(&verb).arg("--help").output().unwrap();
        assert_eq!(code(&output), 0, "{verb:?}");
        let help = text(&output.stdout);
        assert!(help.contains("Examples:"), "{verb:?} has no examples:\n{help}");
        assert!(help.contains("--root"), "{verb:?}");
    }
}

#[test]
fn a_team_is_written_in_the_language_that_is_asked_for() {
    for (lang, is_japanese) in [(None, false), (Some("en"), false), (Some("ja"), true), (Some("JA"), true)] {
        let folder = tempfile::tempdir().unwrap();
        let lang = lang.into_iter().flat_map(|lang| ["--lang", lang]);
        let words = ["init", "--provider", "plain"].into_iter().chain(lang);
        let made = run(folder.path(), &words.collect::<Vec<_>>());
        assert_eq!(code(&made), 0, "{made:?}");
        for file in ["tasuki.yaml", "prompts/grand_boss.md", "prompts/testing_specialist.md"] {
            let written = std::fs::read_to_string(folder.path().join(file)).unwrap();
            assert_eq!(written.contains("合言葉"), is_japanese, "{file}: {written}");
        }
        assert!(!folder.path().join("prompts/ja").exists());
    }
}

#[test]
fn wrong_usage_ends_with_two_and_says_what_to_do() {
    let folder = workspace();
    for (arguments, word) in [
        (&["sned"][..], "send"),
        (&["send"], "Usage"),
        (&["send", "../x", "y"], "is not allowed; use"),
        (&["send", "gb", "x", "--meta", "novalue"], "KEY=VALUE"),
        (&["stop"], "--all"),
        (&["reply", "short", "x"], "TOKEN"),
        (&["retry", "A/B"], "allowed"),
        (&["send", "nobody", "x"], "grand_boss"),
        (&["send", "gb", "x", "--deadline", "1999-01-01T00:00:00Z"], "future"),
        (&["send", "gb", "x", "--timeout", "soon"], "duration"),
        (&["init"], "already"),
        (&["init", "--provider", "nope", "--force"], "scripted"),
        (&["init", "--lang", "fr", "--force"], "[possible values: en, ja]"),
        (&["why", "msg-000000000000"], "journal"),
    ] {
        let output = run(folder.path(), arguments);
        assert_eq!(code(&output), 2, "{arguments:?}: {output:?}");
        let said = text(&output.stderr);
        assert!(said.contains(word), "{arguments:?} does not say `{word}`:\n{said}");
    }
    assert_eq!(drops(folder.path()), Vec::<String>::new());
}

#[test]
fn without_a_workspace_it_says_how_to_make_one() {
    let folder = tempfile::tempdir().unwrap();
    for verb in [&["status"][..], &["send", "gb", "x"], &["up"], &["fsck"]] {
        let output = run(folder.path(), verb);
        assert_eq!(code(&output), 2, "{output:?}");
        assert!(text(&output.stderr).contains("tasuki init"), "{output:?}");
    }
}

#[test]
fn verbs_that_need_a_daemon_end_with_five_where_none_runs() {
    let folder = workspace();
    for verb in [
        &["cancel", "m-1"][..],
        &["retry", "m-1"],
        &["reply", "k7qf2m", "x"],
        &["agent", "list"],
        &["stop", "gb"],
        &["pane", "read", "gb"],
    ] {
        let output = run(folder.path(), verb);
        assert_eq!(code(&output), 5, "{verb:?}: {output:?}");
        assert!(text(&output.stderr).contains("tasuki up"), "{output:?}");
    }
    let json = run(folder.path(), &["cancel", "m-1", "--json"]);
    let problem: serde_json::Value = serde_json::from_slice(&json.stderr).unwrap();
    assert_eq!(problem["code"], "no-daemon");
}

#[test]
fn a_message_is_left_in_the_queue_where_no_daemon_runs() {
    let folder = workspace();
    let content = "襷を渡す 🎌\n- yes: no\n\ttab \"quote\" #hash\n";
    std::fs::write(folder.path().join("task.md"), content).unwrap();
    let arguments = ["send", "gb", "--file", "task.md", "--id", "m-1", "--priority", "high", "--meta", "a=b"];
    let arguments = [&arguments[..], &["--token", "k7qf2m"]].concat();
    let output = run(folder.path(), &arguments);
    assert_eq!(code(&output), 0, "{output:?}");
    assert_eq!(text(&output.stdout), "m-1\n");
    assert!(text(&output.stderr).contains("no daemon is running yet"), "{output:?}");
    assert_eq!(drops(folder.path()), ["send-m-1.yaml"]);
    let bytes = std::fs::read(folder.path().join("queue/send-m-1.yaml")).unwrap();
    let drafts = tasuki::wire::message::draft::read(
        &bytes,
        None,
        &|_| false,
        &mut || unreachable!("it has an id"),
        tasuki::engine::words::Millis(0),
        &chrono::Utc,
    );
    let draft = drafts.unwrap().remove(0);
    assert_eq!(&*draft.body.content, content);
    assert_eq!(draft.token.map(|token| token.to_string()).as_deref(), Some("k7qf2m"));
    assert_eq!(&*draft.body.extra, r#"{"metadata":{"a":"b"}}"#);
    let waits = run(folder.path(), &["send", "gb", "x", "--wait"]);
    assert_eq!(code(&waits), 5, "it is in the queue, and nobody can say when: {waits:?}");
}

/// What it does to its files is seen through `strace`: what a power cut would take away can be seen in no other way.
#[test]
fn a_message_that_is_said_to_be_in_the_queue_is_on_the_disk() {
    let folder = workspace();
    let trace = folder.path().join("trace");
    let mut program = Command::new("strace");
    program.args(["-f", "-y", "-e", "trace=/^rename,/^f(data)?sync$,/^write$", "-o"]).arg(&trace);
    program.arg(env!("CARGO_BIN_EXE_tasuki")).args(["send", "gb", "一", "--id", "m-1"]);
    program.current_dir(folder.path()).env_clear().env("PATH", std::env::var_os("PATH").unwrap());
    program.env("HOME", folder.path().join("home")).env("LANG", "C.UTF-8").stdin(Stdio::null());
    let tried = Command::new("strace").args(["-o", "/dev/null", "true"]).output();
    if !tried.as_ref().is_ok_and(|output| output.status.success()) {
        return println!("NOT TESTED: what is on the disk: strace may not trace here: {tried:?}");
    }
    let output = program.output().unwrap();
    assert_eq!((code(&output), text(&output.stdout).as_str()), (0, "m-1\n"), "{output:?}");
    let trace = std::fs::read_to_string(&trace).unwrap();
    let at = |what: &str, parts: &[&str]| {
        let found = trace.lines().position(|line| parts.iter().all(|part| line.contains(part)));
        found.unwrap_or_else(|| panic!("not seen: {what}\n{trace}"))
    };
    let written = at("the text is written", &["write(", "/queue/.send-m-1"]);
    let flushed = at("the text is flushed", &["sync(", "/queue/.send-m-1"]);
    let named = at("it gets its name", &["rename", "\"send-m-1.yaml\""]);
    let kept = at("the name is flushed", &["sync(", "/queue>"]);
    let told = at("its id is said", &["write(1", "\"m-1"]);
    let order = [written, flushed, named, kept, told];
    assert!(order.is_sorted(), "{order:?}\n{trace}");
}

#[test]
fn what_waits_in_the_queue_is_not_replaced_by_another_message_of_its_id() {
    let folder = workspace();
    let send = |content: &str| run(folder.path(), &["send", "gb", content, "--id", "m-1"]);
    assert_eq!(code(&send("first 一")), 0);
    assert_eq!(code(&send("first 一")), 0, "the same once more is no harm");
    let other = send("second");
    assert_eq!(code(&other), 2, "{other:?}");
    assert!(text(&other.stderr).contains("other content"), "{other:?}");
    assert_eq!(drops(folder.path()), ["send-m-1.yaml"], "and nothing is left beside it");
    assert!(std::fs::read_to_string(folder.path().join("queue/send-m-1.yaml")).unwrap().contains("first 一"));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let folder = workspace();
    for verb in [&["completions", "bash"][..], &["status"], &["--help"], &["send", "--help"]] {
        let mut program = tasuki(folder.path()).args(verb).stdout(Stdio::piped()).spawn().unwrap();
        drop(program.stdout.take());
        assert_eq!(program.wait().unwrap().code(), Some(0), "{verb:?}");
    }
}

#[test]
fn status_and_logs_are_read_from_the_files_where_no_daemon_runs() {
    let folder = workspace();
    let agents = folder.path().join("status/agents");
    std::fs::create_dir_all(&agents).unwrap();
    // Its process is one that lives.
    let process = tasuki::io::process::key_of(std::process::id()).unwrap();
    let process = format!(r#"{{"pid":{},"start_ticks":{}}}"#, process.pid, process.start_ticks);
    let agent = |change: &str| format!(r#"{{"event":"agent","name":"grand_boss",{change}}}"#);
    let task = |id: &str| {
        format!(
            r#"{{"event":"accepted","id":"{id}","from":"user","to":"grand_boss","type":"task","accepted_at":1,"digest":"00000000000000000000000000000000","content":"go"}}"#
        )
    };
    let turn = r#""agent":"grand_boss","turn":{"number":1,"kind":"task","token":"a995l2"}"#;
    let given = |id: &str| format!(r#"{{"event":"moved","id":"{id}","to":"intent",{turn}}}"#);
    let delivered =
        |id: &str| format!(r#"{{"event":"moved","id":"{id}","to":"submitted","due":99,"receipt":"echoed"}}"#);
    let steps = [
        agent(
            r#""change":"launching","nonce":"ffffffffffffffff","launch":"000000000000000000000000000000d1""#,
        ),
        agent(&format!(r#""change":"up","nonce":"ffffffffffffffff","pane":"%5","process":{process}"#)),
        task("m-0"),
        given("m-0"),
        delivered("m-0"),
        r#"{"event":"ended","id":"m-0","outcome":"completed"}"#.to_owned(),
        task("m-1"),
        given("m-1"),
        delivered("m-1"),
    ];
    small_journal::write(&folder.path().join(".tasuki/journal"), &steps);
    let status = "agent_name: grand_boss\nstate: working\ncurrent_task: m-1\ndoing: 走る\u{202e}\n";
    std::fs::write(agents.join("grand_boss.yaml"), status).unwrap();
    // Somebody who has left the team, whose file no daemon has removed.
    let former = status.replace("grand_boss", "former").replace("working", "stopped");
    std::fs::write(agents.join("former.yaml"), former).unwrap();
    std::fs::write(folder.path().join("queue/STOP"), "").unwrap();
    std::fs::write(folder.path().join("status/activity.log"), "t1 m-1 accepted\nt2 m-12 accepted\n").unwrap();
    let shown = text(&run(folder.path(), &["status"]).stdout);
    for word in ["no daemon is running", "grand_boss", "working", "m-1", "走る\u{fffd}", "STOP", "stop --off"]
    {
        assert!(shown.contains(word), "`{word}` is not in:\n{shown}");
    }
    let json: serde_json::Value =
        serde_json::from_slice(&run(folder.path(), &["status", "--json"]).stdout).unwrap();
    assert_eq!(json["daemon"], serde_json::Value::Null);
    assert_eq!(json["agents"][0]["tasks_completed"], 1);
    assert_eq!(json["open"], 1);
    // Those of the team who have never run are there too; whoever has left it is not.
    let states = json["agents"].as_array().unwrap().iter().map(|agent| agent["state"].as_str().unwrap());
    assert_eq!(states.collect::<Vec<_>>(), ["working", "stopped", "stopped", "stopped", "stopped"], "{json}");
    assert_eq!(text(&run(folder.path(), &["log", "m-1"]).stdout), "t1 m-1 accepted\n");
    assert_eq!(text(&run(folder.path(), &["log", "-n", "1"]).stdout), "t2 m-12 accepted\n");
}

#[test]
fn stop_is_a_file() {
    let folder = workspace();
    let stop = folder.path().join("queue/STOP");
    for (flag, there) in [("--all", true), ("--all", true), ("--off", false), ("--off", false)] {
        assert_eq!(code(&run(folder.path(), &["stop", flag])), 0);
        assert_eq!(stop.exists(), there, "{flag}");
    }
}

#[test]
fn lint_names_the_place_and_the_cure() {
    let folder = workspace();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("good.yaml", "to: gb\ncontent: 襷\n");
    write("bad.yaml", "to: gb\ncontent: x\npriority: hihg\n");
    write("team.yaml", "agents:\n  - {name: a, provider: nope, reports_to: user, marker: OK}\n");
    write("surrogate.yaml", "to: gb\ncontent: \"\\ud83d\\ude00\"\n");
    assert_eq!(code(&run(folder.path(), &["lint", "good.yaml", "tasuki.yaml"])), 0);
    let bad = run(folder.path(), &["lint", "good.yaml", "bad.yaml"]);
    assert_eq!(code(&bad), 2);
    let said = text(&bad.stderr);
    assert!(said.contains("bad.yaml:3:11") && said.contains("cure: "), "{said}");
    let team = run(folder.path(), &["lint", "team.yaml"]);
    assert_eq!(code(&team), 2);
    assert!(text(&team.stderr).contains("nope"), "{team:?}");
    write(
        "odd.yaml",
        "agents:\n  - {name: a, provider: plain, command: [nobodys-program], reports_to: user, marker: OK}\n  - {name: b, provider: nope}\n",
    );
    let odd = text(&run(folder.path(), &["lint", "odd.yaml"]).stderr).to_owned();
    let at = |words: &str| odd.find(words).unwrap_or_else(|| panic!("{words}: {odd}"));
    assert!(at("cannot be used") < at("nope"), "{odd}");
    assert!(at("nope") < at("only warnings") && at("only warnings") < at("`nobodys-program`"), "{odd}");
    assert_eq!(code(&run(folder.path(), &["lint", "surrogate.yaml"])), 0);
    let compat = run(folder.path(), &["lint", "--compat", "surrogate.yaml"]);
    assert_eq!(code(&compat), 2);
    assert!(text(&compat.stderr).contains("libyaml"), "{compat:?}");
}

#[test]
fn what_has_never_run_is_sound_and_ends_at_once() {
    let folder = workspace();
    assert_eq!(text(&run(folder.path(), &["fsck"]).stdout), "0 lines in 0 segments: sound\n");
    assert_eq!(text(&run(folder.path(), &["down"]).stdout), "no daemon was running\n");
    assert_eq!(code(&run(folder.path(), &["doctor"])), 0);
}

#[test]
fn a_team_file_that_cannot_be_is_refused_with_its_line_before_anything_is_started() {
    let folder = workspace();
    std::fs::write(folder.path().join("tasuki.yaml"), "agents:\n  - {name: a, providr: scripted}\n").unwrap();
    for verb in ["up", "daemon"] {
        let output = run(folder.path(), &[verb]);
        assert_eq!(code(&output), 2, "{verb}: {output:?}");
        assert!(text(&output.stderr).contains("tasuki.yaml:2:"), "{verb}: {}", text(&output.stderr));
    }
}

#[test]
fn the_reference_page_is_fresh() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/cli.md");
    let page = reference();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let there = std::fs::read_to_string(path).unwrap_or_default();
    assert!(there == page, "docs/cli.md is out of date: run `UPDATE_DOCS=1 cargo test --test pure cli::`");
}

/// The help of every command, one after the other.
fn reference() -> String {
    let mut page = String::from("# The command line\n\nThis page is made from the program's own help.\n");
    let mut root = tasuki::ui::cli::command().term_width(100);
    root.build();
    page.push_str(&format!("\n```text\n{}\n```\n", trimmed(&root.render_long_help().to_string())));
    for verb in verbs(&root, &[]) {
        let mut command = &mut root;
        for word in &verb {
            command = command.find_subcommand_mut(word).unwrap();
        }
        let help = trimmed(&command.render_long_help().to_string());
        page.push_str(&format!("\n## tasuki {}\n\n```text\n{help}\n```\n", verb.join(" ")));
    }
    page
}

fn trimmed(help: &str) -> String {
    help.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// Whatever goes wrong, a program that asked for JSON reads JSON.
#[test]
fn what_goes_wrong_is_json_where_that_was_asked_for() {
    let folder = workspace();
    for (verb, code) in [
        (&["--json", "no-such-verb"][..], "usage"),
        (&["send", "--json"], "usage"),
        (&["status", "--json", "--root", "no/such/folder"], "workspace"),
        (&["cancel", "m-1", "--json"], "no-daemon"),
        (&["lint", "--json", "none.yaml"], "unreadable"),
    ] {
        let output = run(folder.path(), verb);
        let said = text(&output.stderr);
        let lines: Vec<serde_json::Value> = said
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {said}")))
            .collect();
        assert_eq!(lines[0]["code"], code, "{verb:?}: {said}");
        assert!(lines[0]["why"].as_str().is_some_and(|why| !why.is_empty()), "{said}");
    }
    assert!(
        text(&run(folder.path(), &["lint", "--json", "none.yaml"]).stderr).contains(r#""file":"none.yaml""#)
    );
    let attach = run(folder.path(), &["attach", "--print", "--json"]);
    let attach: serde_json::Value = serde_json::from_slice(&attach.stdout).unwrap();
    assert_eq!(attach["command"][0], "tmux");
    // What follows `--` is no option.
    assert!(!text(&run(folder.path(), &["no-such-verb", "--", "--json"]).stderr).starts_with('{'));
}

#[test]
fn lint_tells_a_program_each_mistake_by_itself() {
    let folder = workspace();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write(
        "plan.yaml",
        "tasks:\n- {name: '', description: 襷}\n- {name: b, description: c, dependencies: [task-9]}\n",
    );
    write("debate.yaml", "task: x\nroles: [qa, qa]\nrounds: 9\nbase_dir: gone\n");
    let team = "agents:\n- {name: a, reports_to: user, provider: none}\n- {name: b, reports_to: c, provider: plain}\n";
    write("team.yaml", team);
    for (name, expected) in [
        ("plan.yaml", "content-empty 2 name\nunknown-dependency 3 dependencies"),
        ("debate.yaml", "id-conflict 2 roles\nout-of-range 3 rounds\nunreadable 4 base_dir"),
        ("team.yaml", "team-file 2 -\nteam-file 3 -\nteam-file 3 -"),
    ] {
        let output = run(folder.path(), &["lint", "--json", name]);
        let said = text(&output.stderr);
        let first: serde_json::Value = serde_json::from_str(said.lines().next().unwrap()).expect("JSON");
        assert_eq!((code(&output), &first["file"]), (2, &name.into()), "{said}");
        let others = first["others"].as_array().unwrap();
        let one = |one: &serde_json::Value| {
            let (why, cure) = (one["why"].as_str().unwrap(), one["cure"].as_str().unwrap());
            assert!(!why.is_empty() && !why.contains("\nand ") && !cure.is_empty(), "{said}");
            let field = one["field"].as_str().unwrap_or("-");
            format!("{} {} {field}", one["code"].as_str().unwrap(), one["line"])
        };
        let all: Vec<String> = std::iter::once(&first).chain(others).map(one).collect();
        assert_eq!(all.join("\n"), expected, "{said}");
    }
}

#[test]
fn a_daemon_that_does_not_listen_yet_is_told_as_such() {
    let folder = workspace();
    let place = folder.path().join(".tasuki/lock");
    std::fs::create_dir_all(place.parent().unwrap()).unwrap();
    let lock = tasuki::io::lock::Lock::take(&place, tasuki::engine::words::Millis(0)).unwrap();
    let said = text(&run(folder.path(), &["status"]).stdout).to_owned();
    let expected = format!("the daemon is starting or ending (process {}): this is what", std::process::id());
    assert!(said.starts_with(&expected), "{said}");
    drop(lock);
    let said = text(&run(folder.path(), &["status"]).stdout).to_owned();
    assert!(said.starts_with("no daemon is running"), "{said}");
}

#[test]
fn a_root_that_is_no_workspace_is_one_kind_of_failure() {
    let folder = workspace();
    std::fs::create_dir(folder.path().join("bare")).unwrap();
    for root in ["no/such", "bare", "tasuki.yaml"] {
        let output = run(folder.path(), &["status", "--root", root]);
        assert_eq!(code(&output), 2, "{root}: {output:?}");
        let cure = if root == "tasuki.yaml" { "is not a folder" } else { "tasuki init --root" };
        assert!(text(&output.stderr).contains(cure), "{output:?}");
    }
}

#[test]
fn lint_refuses_what_the_daemon_would_refuse_for_its_expectations() {
    let folder = workspace();
    let lint = |head: &str, expect: &str| {
        std::fs::write(folder.path().join("a.yaml"), format!("{head}content: x\nexpect: {expect}\n"))
            .unwrap();
        let output = run(folder.path(), &["lint", "a.yaml"]);
        (code(&output), text(&output.stderr))
    };
    assert_eq!(lint("to: gb\n", "{commit: true, files: [src/襷.rs]}").0, 0);
    let (ended, said) = lint("to: gb\n", "{command: test}");
    assert!(ended == 2 && said.contains("the team file's `commands:`; it has none"), "{said}");
    let (ended, said) = lint("to: gb\ntype: info\n", "{commit: true}");
    assert!(ended == 2 && said.contains("only a task is checked"), "{said}");
    let team = folder.path().join("tasuki.yaml");
    let file = std::fs::read_to_string(&team).unwrap();
    std::fs::write(&team, format!("{file}\ncommands: {{test: [cargo, test]}}\n")).unwrap();
    assert_eq!(lint("to: gb\n", "{command: test}").0, 0);
    let (ended, said) = lint("to: gb\n", "{command: tests}");
    assert!(ended == 2 && said.contains("did you mean `test`?"), "{said}");
    // Without a team, what may be run is not known.
    std::fs::remove_file(&team).unwrap();
    assert_eq!(lint("to: gb\n", "{command: tests}").0, 0);
    assert_eq!(lint("to: gb\ntype: info\n", "{commit: true}").0, 2);
}

#[test]
fn what_a_message_expects_is_said_by_options() {
    let folder = workspace();
    let send = |more: &[&str]| run(folder.path(), &[&["send", "gb", "x"][..], more].concat());
    let all = [
        "--id",
        "m-1",
        "--expect-commit",
        "--expect-file",
        "src/襷.rs",
        "--expect-file",
        "b",
        "--expect-report",
        "r.md",
    ];
    assert_eq!(code(&send(&all)), 0);
    let dropped = std::fs::read_to_string(folder.path().join("queue/send-m-1.yaml")).unwrap();
    let dropped: serde_json::Value = serde_saphyr::from_str(&dropped).unwrap();
    let expected = serde_json::json!({"commit": true, "files": ["src/襷.rs", "b"], "report": "r.md"});
    assert_eq!(dropped["expect"], expected);
    for (wrong, why) in [
        (&["--expect-file", "../a"][..], "inside the agent's folder"),
        (&["--expect-command", "test"], "the team file's `commands:`; it has none"),
        (&["--type", "info", "--expect-commit"], "only a task is checked"),
    ] {
        let output = send(wrong);
        assert!(code(&output) == 2 && text(&output.stderr).contains(why), "{wrong:?}: {output:?}");
    }
    assert_eq!(drops(folder.path()), ["send-m-1.yaml"]);
}

/// A plan is told apart from a message, and tried with the team: nothing begins.
#[test]
fn lint_tries_a_plan_as_a_session_would_begin_it() {
    let folder = workspace();
    let lint = |name: &str, plan: &str| {
        std::fs::write(folder.path().join(name), plan).unwrap();
        let output = run(folder.path(), &["lint", name]);
        (code(&output), format!("{}{}", text(&output.stdout), text(&output.stderr)))
    };
    let task = "tasks:\n- {name: 計画, description: x, to: gb}\n- name: 試す\n  description: y\n  dependencies: [task-1]\n";
    let (ended, said) = lint("plan.yaml", task);
    assert!(ended == 0 && said.contains("a plan of 2 tasks"), "{said}");
    let json = r#"{"tasks": [{"name": "a", "description": "b", "to": "gb"}]}"#;
    assert!(lint("plan.json", json).1.contains("a plan of 1 task"));
    // `session new` reads JSON as YAML, which has commas at the end of lists.
    let json = r#"{"tasks": [{"name": "a", "description": "b", "to": "gb",},],}"#;
    assert!(lint("plan.json", json).1.contains("a plan of 1 task"));
    let (ended, said) = lint("plan.yaml", &format!("{task}  to: grand_bos\n"));
    assert!(ended == 2 && said.contains("plan.yaml:6:3") && said.contains("called grand_bos;"), "{said}");
    let (ended, said) = lint("plan.yaml", &format!("{task}  expect:\n    command: test\n"));
    assert!(ended == 2 && said.contains("plan.yaml:6:3") && said.contains("it has none"), "{said}");
    let circle = task.replacen("x, to: gb", "x, to: gb, dependencies: [task-2]", 1);
    let (ended, said) = lint("plan.yaml", &circle);
    assert!(ended == 2 && said.contains("plan.yaml:2:") && said.contains("cure: "), "{said}");
    let (ended, said) = lint("a.plan.yaml", "name: x\ntask: []\n");
    assert!(ended == 2 && said.contains("did you mean `tasks`?"), "{said}");
    let list = lint("tc.json", r#"[{"name": "a", "description": "b"}]"#);
    assert!(list.0 == 2 && list.1.contains("a plan has its list of tasks below `tasks:`"), "{list:?}");
    let (ended, said) = lint(
        "plan.yaml",
        &format!("{}  to: grand_bos\n  expect: {{command: x}}\n", task.replace("gb", "誰")),
    );
    assert!(
        ended == 2 && said.matches("error: ").count() == 3 && said.contains("plan.yaml:7:3"),
        "the file, a name that none can be, and what the team has not: {said}"
    );
    let (_, said) = lint("plan.yaml", &format!("{}  to: grand_bos\n", task.replace("gb", "nobody")));
    assert!(said.contains("plan.yaml:2:") && said.contains("plan.yaml:6:3"), "{said}");
    assert!(said.contains("called nobody;") && said.contains("called grand_bos;"), "{said}");
    // A mistake in one field hides none in another, be it of the same task.
    let all = format!(
        "on_failure: x\n{task}  worktree_strategy: Shared\n  share_with: task-9\n  timeout: soon\n  to: nobody\n"
    );
    let (ended, said) = lint("plan.yaml", &all);
    let told = ["plan.yaml:1:", "plan.yaml:8:", "plan.yaml:9:", "plan.yaml:10:"].map(|at| said.contains(at));
    assert!(ended == 2 && told == [true; 4] && said.matches("error: ").count() == 5, "{said}");
    // There is no repository here.
    let (ended, said) = lint("plan.yaml", &format!("{task}  worktree_strategy: New\n"));
    assert!(ended == 2 && said.contains("plan.yaml:6:3") && said.contains("no git repository"), "{said}");
    assert!(text(&run(folder.path(), &["session", "list"]).stdout).contains("no session yet"));
    std::fs::remove_file(folder.path().join("tasuki.yaml")).unwrap();
    let (ended, said) = lint("plan.yaml", &format!("{task}  to: nobody\n"));
    assert!(ended == 0 && said.contains("who is named is not checked"), "{said}");
}

/// A misspelt key means nothing, and whoever wrote it is to see that.
#[test]
fn a_misspelt_key_is_seen_and_a_misspelt_expect_is_refused() {
    let folder = workspace();
    let lint = |keys: &str| {
        std::fs::write(folder.path().join("a.yaml"), format!("to: gb\ncontent: x\n{keys}\n")).unwrap();
        let output = run(folder.path(), &["lint", "a.yaml"]);
        (code(&output), format!("{}{}", text(&output.stdout), text(&output.stderr)))
    };
    let (ended, said) = lint("prioritiy: high");
    assert!(
        ended == 0 && said.contains("`prioritiy` has no meaning") && said.contains("`priority`?"),
        "{said}"
    );
    assert_eq!(said.matches("prioritiy").count(), 1, "{said}");
    let (ended, said) = lint("colour: red");
    assert!(
        ended == 0 && said.contains("`colour` is kept as it is") && !said.contains("did you mean"),
        "{said}"
    );
    for wrong in [
        "expects: {commit: true}",
        "Expect:\n  commit: true",
        "expcet: {}",
        "expected: test",
        "exact: {files: [a]}",
        "ｅｘｐｅｃｔ: {commit: true}",
        "verify: {tests: 全部}",
        "checks: [{Command: test}]",
        "gates: {ｆｉｌｅｓ: [a]}",
        "prove: {report: a}\nexpect: {}",
    ] {
        let (ended, said) = lint(wrong);
        assert!(
            ended == 2 && said.contains("a.yaml:3:1") && said.contains("did you mean `expect`?"),
            "{wrong}: {said}"
        );
        assert!(said.contains("cure: write it as in `expect:"), "{said}");
    }
    for (beside, place) in [("expect:\ncommit: true", "a.yaml:4:1"), ("files: [a]\nexpect: {}", "a.yaml:3:1")]
    {
        let (ended, said) = lint(beside);
        assert!(ended == 2 && said.contains(place) && said.contains("indent that"), "{beside}: {said}");
    }
    for kept in [
        "command: make\nfiles: [a]\ncommit: 1",
        "checks: 3\nverify: by hand",
        "gates: [{a: b}]",
        "expect: {commit: true}\ncommand: make\nverify: {files: 3}",
        "except: [docs]",
        "export: true",
        "type: info\nexpects: {commit: true}",
        "expect: {commit: true}\nexpects: 1",
    ] {
        assert_eq!(lint(kept).0, 0, "{kept}");
    }
}

/// The files may name one another, as they will when they are dropped together.
#[test]
fn lint_finds_messages_that_wait_for_themselves() {
    let folder = workspace();
    let write = |name: &str, keys: &str| {
        std::fs::write(folder.path().join(name), format!("id: {name}\nto: gb\ncontent: x\n{keys}\n"))
            .unwrap();
    };
    write("own", "depends_on: [own]");
    write("part", "parent: part");
    write("a", "depends_on: [b]");
    write("b", "depends_on: [a]");
    write("c", "parent: d");
    write("d", "parent: c");
    for (files, which) in [(&["own"][..], "own"), (&["part"], "part"), (&["a", "b"], "b"), (&["c", "d"], "d")]
    {
        let output = run(folder.path(), &[&["lint"][..], files].concat());
        let said = text(&output.stderr);
        assert_eq!(code(&output), 2, "{files:?}: {output:?}");
        assert!(said.contains("itself through") && said.contains(&format!("where: {which}")), "{said}");
    }
    write("b", "depends_on: [e]");
    write("e", "parent: a");
    assert_eq!(code(&run(folder.path(), &["lint", "a", "b", "e"])), 0, "that is no circle");
}

#[test]
fn completions_are_a_script_or_json_with_it() {
    let folder = workspace();
    let script = text(&run(folder.path(), &["completions", "bash"]).stdout);
    let json = run(folder.path(), &["completions", "bash", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["shell"], "bash");
    assert_eq!(json["script"].as_str().map(str::trim_end), Some(script.trim_end()));
}

#[test]
fn nobody_is_attached_to_agents_that_are_not_there() {
    let folder = workspace();
    for verb in [&["attach"][..], &["attach", "--all"], &["attach", "grand_boss"], &["attach", "--print"]] {
        let output = run(folder.path(), verb);
        assert_eq!(code(&output), 5, "{verb:?}: {output:?}");
        let said = text(&output.stderr);
        assert!(said.contains("no agent is running") && said.contains("tasuki up"), "{said}");
    }
}

/// What is printed is for a shell: it makes the same words of it.
#[test]
fn the_printed_tmux_command_can_be_run_by_a_shell() {
    let folder = workspace();
    let printed = text(&run(folder.path(), &["attach", "--all", "--print"]).stdout);
    let json = run(folder.path(), &["attach", "--all", "--print", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let words: Vec<&str> =
        json["command"].as_array().unwrap().iter().filter_map(|word| word.as_str()).collect();
    let line = format!("tmux() {{ printf '%s\\0' tmux \"$@\"; }}; {printed}");
    let shell = Command::new("sh").args(["-c", &line]).output().unwrap();
    assert_eq!(text(&shell.stdout).trim_end_matches('\0').split('\0').collect::<Vec<_>>(), words);
    assert!(words.contains(&";") && printed.contains("';'"), "{printed}");
}

#[test]
fn what_cannot_be_meant_is_said_at_once() {
    let folder = workspace();
    for (verb, words) in [
        (&["send", "grand_boss", "hi", "--within", "3s"][..], "--wait"),
        (&["pane", "wait", "grand_boss", "--timeout", "2h"], "at most an hour"),
        (&["pane", "send", "grand_boss", "x", "--wait", "61m"], "at most an hour"),
        (&["pane", "wait", "grand_boss", "--text", ""], "--text"),
        (&["send", "grand_boss", "hi", "--token", "abcdef"], "has no digit"),
        (&["reply", "abc", "hi"], "must have exactly 6"),
        (&["reply", "k7qf2m", " "], "write the answer after the token"),
    ] {
        let output = run(folder.path(), verb);
        let said = text(&output.stderr);
        assert!(code(&output) == 2 && said.contains(words), "{verb:?}: {said}");
    }
}

#[test]
fn lint_knows_what_tasuki_itself_has_written() {
    let folder = workspace();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write(
        "t-1.yaml",
        "id: msg-2\nfrom: tasuki\nto: user\ntype: error\nstatus: cancelled\ncontent: cancelled\nin_reply_to: t-1\n",
    );
    let linted = run(folder.path(), &["lint", "--compat", "t-1.yaml"]);
    assert_eq!(code(&linted), 0, "{linted:?}");
    write("mine.yaml", "from: user\nto: gb\ntype: error\nstatus: cancelled\ncontent: x\nin_reply_to: t-1\n");
    assert_eq!(code(&run(folder.path(), &["lint", "mine.yaml"])), 2);
    let scripts: Vec<_> =
        std::fs::read_dir("protocol/examples").unwrap().flatten().map(|entry| entry.path()).collect();
    let scripts = scripts.iter().filter(|path| path.to_string_lossy().ends_with(".script.yaml"));
    let scripts: Vec<_> = scripts.map(|path| path.canonicalize().unwrap()).collect();
    assert!(scripts.len() > 5);
    for script in scripts {
        let linted = run(folder.path(), &["lint", script.to_str().unwrap()]);
        assert!(code(&linted) == 0 && text(&linted.stdout).contains("script"), "{linted:?}");
    }
    write("bad.script.yaml", "rules:\n  - doo: []\n");
    let bad = run(folder.path(), &["lint", "bad.script.yaml"]);
    assert!(code(&bad) == 2 && text(&bad.stderr).contains("doo"), "{bad:?}");
}

#[test]
fn lint_says_what_the_daemon_says_of_a_team_file_under_the_name_that_was_given() {
    use std::os::unix::fs::PermissionsExt;
    let folder = workspace();
    let other = folder.path().join("other.yaml");
    std::fs::write(&other, "agents:\n  - {name: a, provider: nope, reports_to: user, marker: OK}\n").unwrap();
    let linted = run(folder.path(), &["lint", other.to_str().unwrap()]);
    let said = text(&linted.stderr);
    assert!(said.contains("other.yaml:2:") && !said.contains("[tasuki.yaml"), "{said}");
    let team = folder.path().join("tasuki.yaml");
    std::fs::set_permissions(&team, std::fs::Permissions::from_mode(0o666)).unwrap();
    let linted = run(folder.path(), &["lint", "tasuki.yaml"]);
    assert!(code(&linted) == 2 && text(&linted.stderr).contains("chmod o-w"), "{linted:?}");
}

#[test]
fn doctor_misses_a_workspace_that_is_named() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(code(&run(folder.path(), &["doctor"])), 0, "the machine alone may be asked about");
    for named in [".", "not-there"] {
        let said = run(folder.path(), &["doctor", "--root", named]);
        assert_eq!(code(&said), 1, "{named}");
        assert!(text(&said.stdout).contains("BAD   workspace: --root names"), "{}", text(&said.stdout));
    }
}

#[test]
fn doctor_says_what_is_wrong_with_a_team_file_and_tells_a_missing_program_once() {
    let folder = workspace();
    let team = |text: &str| std::fs::write(folder.path().join("tasuki.yaml"), text).unwrap();
    team("agents:\n  - {name: a, provider: nope, reports_to: user, marker: OK}\n");
    let said = text(&run(folder.path(), &["doctor"]).stdout);
    assert!(said.contains("team file: 1 mistake; tasuki.yaml:2: ") && said.contains("nope"), "{said}");
    team(
        "agents:\n  - {name: a, provider: plain, command: [no-such-program], reports_to: user, marker: OK}\n",
    );
    let said = text(&run(folder.path(), &["doctor"]).stdout);
    assert_eq!(said.matches("no-such-program").count(), 1, "{said}");
    assert!(said.contains("good  workspace can be written to"), "{said}");
}

#[test]
fn following_what_was_sent_to_the_user_prints_nothing_of_the_team() {
    use std::io::BufRead;
    let folder = workspace();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("status/activity.log", "2026-02-02T12:00:00.000Z of the team\n");
    write(
        "queue/inbox/msg-1.yaml",
        "id: msg-1\nfrom: boss\nto: user\ntype: info\ncontent: for you\naccepted_at: \"2026-02-02T12:00:00Z\"\n",
    );
    let mut log = tasuki(folder.path()).args(["log", "-f", "user"]).stdout(Stdio::piped()).spawn().unwrap();
    let lines = std::io::BufReader::new(log.stdout.take().unwrap()).lines();
    let said: Vec<String> = lines.map(Result::unwrap).take(2).collect();
    log.kill().unwrap();
    log.wait().unwrap();
    assert!(said[0].contains("msg-1 from boss") && said[1] == "  for you", "{said:?}");
}

#[test]
fn what_an_argument_should_have_been_is_said_in_plain_words() {
    let folder = workspace();
    std::fs::write(folder.path().join("file"), "").unwrap();
    for (words, what, cure) in [
        (&["log", "-n", "ten"][..], "write a whole number, such as 10", ""),
        (&["pane", "read", "a", "--history", "5000000000"], "the number is too large", ""),
        (&["torture", "--agents", "0"], "write a whole number from 1 to 100", ""),
        (&["torture", "--minutes", "few"], "write a number, such as 2 or 0.5", ""),
        (&["agent", "scripted", "--phrase", "OK", "--seed", "x"], "write a whole number, such as 10", ""),
        (
            &["torture", "--dir", "no/where"],
            "cannot use no/where: there is no such file or folder",
            "make it with `mkdir -p no/where`",
        ),
        (&["torture", "--dir", "file"], "cannot use file: not a directory", "name another folder with --dir"),
        (&["lint", "nowhere.yaml"], "cannot read it: there is no such file or folder", "name a file"),
        (&["agent", "scripted", "--phrase", " "], "the phrase", "give the agent's `marker:`"),
    ] {
        let output = run(folder.path(), words);
        let said = text(&output.stderr);
        assert!(said.contains(what) && said.contains(cure), "{words:?}: {said}");
        assert!(!said.contains("os error") && !said.contains("invalid digit"), "{words:?}: {said}");
        let json = run(folder.path(), &[words, &["--json"]].concat());
        for line in text(&json.stderr).lines() {
            let problem: serde_json::Value = serde_json::from_str(line).unwrap();
            assert!(problem["why"].is_string() && problem["cure"].is_string(), "{line}");
        }
        assert!(code(&json) == code(&output) && code(&json) > 0, "{json:?}");
    }
}
