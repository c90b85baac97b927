//! `line` mode: a plain program on a terminal or behind pipes.

use std::io::Write as _;
use std::process::{Output, Stdio};

use tasuki::engine::screen::doorbell::TurnKind;

use super::pane::Pane;
use super::pty::Pty;
use super::workspace::{Workspace, doorbell, finish, piped, turn};

/// Plays a script behind pipes.
fn play(workspace: &Workspace, script: Option<&str>, input: &str) -> Output {
    let script = script.map(|yaml| workspace.script(yaml));
    piped(workspace.agent(script.as_deref()), input)
}

/// The same, for a script that ends well: what it printed.
fn said(workspace: &Workspace, script: Option<&str>, input: &str) -> String {
    let Output { status, stdout, stderr } = play(workspace, script, input);
    let stderr = String::from_utf8_lossy(&stderr);
    assert!(status.success() && stderr.is_empty(), "{status}: {stderr}");
    String::from_utf8(stdout).expect("UTF-8")
}

/// What one list of actions prints on a task.
fn played(actions: &str) -> String {
    let workspace = Workspace::new();
    workspace.task("msg-1", "最初の行 🙂\nsecond");
    said(&workspace, Some(&format!("rules:\n- do: {actions}\n")), &doorbell("msg-1", "k7qf2m"))
}

#[test]
fn without_a_script_each_turn_is_answered_at_once() {
    let workspace = Workspace::new();
    workspace.task("msg-1", "プロジェクトを分析する 🙂\nand report\n");
    let input = [
        doorbell("msg-1", "k7qf2m"),
        turn(TurnKind::Feedback, "msg-1", "aaaaa1"),
        turn(TurnKind::Reminder, "msg-1", "aaaaa2"),
        turn(TurnKind::Info, "msg-1", ""),
        turn(TurnKind::Answers, "msg-1", "aaaaa4"),
        "[tasuki] task msg-2 from boss (token aaaaa3): 日本語で: hello".to_owned(),
        "続けて".to_owned(),
        "  ".to_owned(),
    ];
    let lines = "has 2 lines, 24 characters: プロジェクトを分析する 🙂";
    let expected = [
        &format!("msg-1 {lines}"),
        "CODING OK k7qf2m",
        &format!("msg-1 {lines}"),
        "CODING OK aaaaa1",
        &format!("msg-1 {lines}"),
        "CODING OK aaaaa2",
        &format!("msg-1 {lines}"),
        &format!("msg-1 {lines}"),
        "CODING OK aaaaa4",
        "msg-2 has 1 line, 11 characters: 日本語で: hello",
        "CODING OK aaaaa3",
        "this line has 1 line, 3 characters: 続けて",
        "CODING OK",
        "",
    ];
    assert_eq!(said(&workspace, None, &input.join("\n")), expected.join("\n"));
}

#[test]
fn the_default_answer_stands_in_panes_of_any_width() {
    for cols in [80, 40] {
        let workspace = Workspace::new();
        workspace.task("msg-1", "日本語の長い一行がここにあって、絵文字🎽も入っています。");
        let pane = Pane::start(&workspace, None, cols, 20);
        pane.type_line(&doorbell("msg-1", "k7qf2m"));
        pane.shows("\nCODING OK k7qf2m");
        assert!(
            pane.joined()
                .contains("28 characters: 日本語の長い一行がここにあって、絵文字🎽も入っています。\n")
        );
        pane.keys(&["C-d"]);
        assert_eq!(pane.end(), "0");
    }
}

#[test]
fn a_task_that_cannot_be_read_is_not_claimed() {
    let workspace = Workspace::new();
    workspace.active("msg-2", "content: [\n");
    let input = [doorbell("msg-1", "k7qf2m"), doorbell("msg-2", "k7qf2m")].join("\n");
    let text = said(&workspace, None, &input);
    assert!(text.starts_with("cannot read queue/active/msg-1.yaml: there is no such file\n"), "{text}");
    assert!(text.contains("\ncannot understand queue/active/msg-2.yaml: "), "{text}");
    assert!(!text.contains("CODING OK"), "{text}");
}

#[test]
fn a_task_is_found_in_the_workspace_when_the_agent_works_elsewhere() {
    let (workspace, elsewhere) = (Workspace::new(), tempfile::tempdir().expect("a folder"));
    workspace.task("msg-1", "found");
    let mut agent = workspace.agent(None);
    agent.current_dir(elsewhere.path()).env("TASUKI_ROOT", workspace.path());
    let output = piped(agent, &doorbell("msg-1", "k7qf2m"));
    assert!(String::from_utf8_lossy(&output.stdout).ends_with("found\nCODING OK k7qf2m\n"), "{output:?}");
}

#[test]
fn the_next_line_stays_in_the_terminal_until_the_turn_is_over() {
    let workspace = Workspace::new();
    let script = workspace
        .script("rules: [{do: [{print: 'begin {n}'}, {dialog: go?}, {print: 'end {n}'}, {claim: now}]}]");
    workspace.task("msg-1", "x");
    let mut pty = Pty::start(&workspace, Some(&script));
    pty.write(&format!("{}\n", doorbell("msg-1", "k7qf2m")));
    pty.until("Esc to cancel");
    assert_eq!(pty.unread(), 0, "the doorbell was taken");
    // The dialog takes one line and no more.
    let next = doorbell("msg-1", "aaaaa1");
    pty.write(&format!("y\n{next}\n"));
    pty.until("begin 2");
    let text = pty.until("Esc to cancel");
    assert_eq!(pty.unread(), 0, "{text}");
    let third = doorbell("msg-1", "aaaaa2");
    pty.write(&format!("{third}\n"));
    // A doorbell that rings while a dialog is open is eaten by it: why the daemon must never do that.
    pty.until("denied");
    assert_eq!(pty.unread(), 0);
}

#[test]
fn what_waits_is_counted_and_then_taken_in_order() {
    let workspace = Workspace::new();
    let script =
        workspace.script("rules: [{when: {nth: 1}, do: [{print: begin}, {wait: 1s}, {claim: now}]}]");
    workspace.task("msg-1", "x");
    let mut pty = Pty::start(&workspace, Some(&script));
    pty.write(&format!("{}\n", doorbell("msg-1", "k7qf2m")));
    pty.until("begin");
    let (second, third) = (doorbell("msg-1", "aaaaa1"), doorbell("msg-1", "aaaaa2"));
    pty.write(&format!("{second}\n{third}\n"));
    pty.until("(token aaaaa2)");
    assert_eq!(pty.unread(), (second.len() + third.len() + 2) as u64);
    let text = pty.until("CODING OK aaaaa2");
    let order: Vec<&str> = text.lines().filter(|line| line.starts_with("CODING OK")).collect();
    assert_eq!(order, ["CODING OK k7qf2m", "CODING OK aaaaa1", "CODING OK aaaaa2"]);
    assert_eq!(pty.unread(), 0);
}

#[test]
fn texts_are_printed_as_the_script_says() {
    assert_eq!(played("[{print: '{id} {from} {n} {first_line} {x}'}]"), "msg-1 boss 1 最初の行 🙂 {x}\n");
    assert_eq!(played("[{print: ''}, {print: \"a\\nb\\n\"}]"), "\na\nb\n");
    assert_eq!(
        played("[{print: 'CODING OK {token}'}, {chunks: {text: 'CODING OK {token}', size: 3}}]"),
        "CODING OK ······\nCODING OK ······\n"
    );
    assert_eq!(played("[{chunks: {text: '日本語🙂ab', size: 2, every: 1ms}}]"), "日本語🙂ab\n");
    assert_eq!(
        played("[{lines: {count: 3, text: '{n} 行目'}}, {lines: {count: 1}}]"),
        "1 行目\n2 行目\n3 行目\nline 1\n"
    );
    assert_eq!(played("[{wide: 9}, bell, {title: 'x {id}'}]"), "襷を繋ぐx\r\n\u{7}\u{1b}]2;x msg-1\u{7}");
    assert_eq!(played("[{limit: resets 3pm}, {busy: working}, {busy: ''}]"), "resets 3pm\nworking\n");
    let drawn = "\u{1b}[Ka\u{1b}[3G日本\u{1b}[8Gb\r\n\u{1b}[J";
    assert_eq!(played("[{redraw: {text: 'a 日本 b', times: 2}}]"), format!("\r{drawn}\u{1b}[1A\r{drawn}"));
    let claim = "\r\u{1b}[KCODING\u{1b}[8GOK\u{1b}[11Gk7qf2m\r\n\u{1b}[J";
    assert_eq!(played("[{claim: drawn}]"), claim);
    let spun = played("[{spinner: {for: 150ms, text: 考え中}}]");
    assert_eq!(spun, "\r⠋ 考え中 0s\u{1b}[K\r⠙ 考え中 0s\u{1b}[K\r\u{1b}[K");
}

#[test]
fn chunks_come_one_by_one() {
    let workspace = Workspace::new();
    let script = workspace.script("rules: [{do: [{chunks: {text: 'a日本b', size: 2, every: 24h}}]}]");
    let mut pty = Pty::start(&workspace, Some(&script));
    pty.write("go\n");
    assert_eq!(pty.until("a日"), "go\na日");
}

#[test]
fn echo_prompt_and_early_input_are_the_scripts() {
    let workspace = Workspace::new();
    let script = workspace.script("prompt: 'sh$ '\nat_start: [{echo: off}, {print: hello}]\nrules: [{do: [{print: '{content}!'}, {echo: on}]}]");
    let mut pty = Pty::start(&workspace, Some(&script));
    pty.until("hello\nsh$ ");
    pty.write("秘密\n");
    assert_eq!(pty.until("sh$ "), "\n秘密!\nsh$ ");
    pty.write("open\n");
    assert_eq!(pty.until("sh$ "), "open\nopen!\nsh$ ");
    pty.write("/exit\n");
    assert_eq!(pty.end(), Some(0));

    let script = workspace
        .script("ready_after: 1s\nbefore_ready: drop\nprompt: 'now> '\nat_start: [{print: starting}]");
    let mut pty = Pty::start(&workspace, Some(&script));
    pty.until("starting");
    pty.write("too early\n");
    assert_eq!(pty.until("now> "), "\ntoo early\nnow> ");
    assert_eq!(pty.unread(), 0);
    pty.write("in time\n");
    assert!(pty.until("CODING OK").starts_with("in time\nthis line has 1 line, 7 characters: in time\n"));
}

#[test]
fn a_dialog_is_answered_by_a_line() {
    let workspace = Workspace::new();
    let answered = |input: &str| {
        play(&workspace, Some("rules: [{do: [{dialog: 'rm 日本?'}, {print: went on}]}]"), input)
    };
    let text = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();
    let asked = "rm 日本?\nDo you want to proceed?\n❯ 1. Yes\n  2. No\nEnter to confirm · Esc to cancel\n";
    for (answer, then) in
        [("\n", "allowed\nwent on\n"), ("y\n", "allowed\nwent on\n"), ("no\n", "denied\n"), ("", "")]
    {
        let output = answered(&format!("go\n{answer}"));
        assert_eq!((text(&output), output.status.code()), (format!("{asked}{then}"), Some(0)), "{answer:?}");
    }
    let trust = |input: &str| play(&workspace, Some("at_start: [{trust: here?}, {print: trusted}]"), input);
    assert_eq!(trust("\n").status.code(), Some(1));
    let output = trust("2\n");
    assert_eq!((text(&output).ends_with("allowed\ntrusted\n"), output.status.code()), (true, Some(0)));
}

#[test]
fn an_agent_ends_as_its_script_says() {
    for (action, status, signal) in [
        ("exit: 3", Some(3), None),
        ("exit: 0", Some(0), None),
        ("signal: KILL", None, Some(9)),
        ("signal: SEGV", None, Some(11)),
    ] {
        use std::os::unix::process::ExitStatusExt as _;
        let workspace = Workspace::new();
        let output = play(
            &workspace,
            Some(&format!("rules: [{{do: [{{print: half}}, {{{action}}}, {{claim: now}}]}}]")),
            "go\ngo\n",
        );
        assert_eq!((output.status.code(), output.status.signal()), (status, signal), "{action}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "half\n", "{action}");
    }
}

#[test]
fn a_hanging_agent_lives_and_takes_nothing() {
    let workspace = Workspace::new();
    let script = workspace.script("rules: [{do: [{print: half}, hang]}]");
    let mut pty = Pty::start(&workspace, Some(&script));
    pty.write("go\n");
    pty.until("half");
    pty.write("more\n");
    pty.until("more");
    assert_eq!(pty.unread(), 5);
    let pid = rustix::process::Pid::from_raw(pty.pid().try_into().expect("a pid")).expect("a pid");
    rustix::process::kill_process(pid, rustix::process::Signal::HUP).expect("it lives");
    assert_eq!(pty.end(), None, "a closed terminal ends it as it ends any program");
}

#[test]
fn a_closed_pipe_is_an_ordinary_end() {
    let workspace = Workspace::new();
    let script = workspace.script("rules: [{do: [{lines: {count: 4000000000}}]}]");
    let mut agent = workspace.agent(Some(&script));
    agent.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = agent.spawn().expect("the agent");
    drop(child.stdout.take());
    writeln!(child.stdin.take().expect("a pipe"), "go").expect("a write");
    let output = finish(child);
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}

#[test]
fn a_script_or_phrase_that_is_not_valid_is_refused() {
    let workspace = Workspace::new();
    let refused = |script: &str| {
        let output = play(&workspace, Some(script), "");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{script}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let why = refused("rules:\n  - do:\n      - prnt: 日本\n");
    assert!(
        why.contains("unknown variant `prnt`")
            && why.contains("my.script.yaml:3:9]")
            && why.contains("3 │       - prnt: 日本"),
        "{why}"
    );
    assert!(refused(&format!("# {}", "x".repeat(1 << 20))).contains("is too long: at most 1048576 bytes"));
    let mut agent = workspace.agent(None);
    let output = agent.args(["--script", "nowhere.yaml"]).output().expect("an end");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&output.stderr)
            .starts_with("error: cannot read the script nowhere.yaml: there is no such file"),
        "{output:?}"
    );
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_tasuki"))
        .args(["agent", "scripted", "--phrase", " "])
        .output();
    assert_eq!(output.expect("an end").status.code(), Some(2));
    // For a program it is one line of JSON.
    workspace.script("rules:\n  - do:\n      - prnt: 日本\n");
    for (script, line) in [("my.script.yaml", Some(3)), ("nowhere.yaml", None)] {
        let mut agent = workspace.agent(None);
        let output = agent.args(["--json", "--script", script]).output().expect("an end");
        let said: serde_json::Value = serde_json::from_slice(&output.stderr).expect("JSON");
        assert_eq!((output.status.code(), &said["code"]), (Some(2), &"script".into()), "{said}");
        assert!(said["why"].is_string() && said["cure"].is_string(), "{said}");
        assert_eq!((said["line"].as_u64(), said["file"].as_str()), (line, line.map(|_| script)), "{said}");
    }
}
