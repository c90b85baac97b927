//! What the agent leaves in files: delegated tasks, replies, its own work.

use super::workspace::{Workspace, doorbell, piped};

/// Plays a list of actions on a task, in a workspace that is then looked at.
fn play(actions: &str, task: &str) -> (Workspace, String) {
    let workspace = Workspace::new();
    workspace.active("msg-1", task);
    let script = workspace.script(&format!("rules:\n- do: {actions}\n"));
    let output = piped(workspace.agent(Some(&script)), &doorbell("msg-1", "k7qf2m"));
    assert!(output.status.success(), "{output:?}");
    (workspace, String::from_utf8(output.stdout).expect("UTF-8"))
}

fn fields(yaml: &str) -> serde_json::Value {
    // The second reader reads it too: what is dropped must be the same to every YAML program.
    let value: serde_json::Value = serde_saphyr::from_str(yaml).expect("YAML");
    let other: serde_json::Value = serde_yaml::from_str(yaml).expect("YAML for libyaml");
    assert_eq!(value, other, "{yaml}");
    value
}

const TASK: &str = "id: msg-1\nfrom: boss\nto: coder\ncontent: \"\\tTab first 日本語 🙂\\nno\\n\"\n";

#[test]
fn a_delegated_task_is_a_child_by_its_token() {
    let (workspace, said) = play(
        "[{delegate: {to: writer, content: '書く: {content}'}}, {delegate: {to: user, content: '{first_line}', type: info, id: '{id}-b', from: boss}}]",
        TASK,
    );
    assert_eq!(said, "");
    let drops: Vec<_> = workspace.drops().iter().map(|yaml| fields(yaml)).collect();
    let child = serde_json::json!({"to": "writer", "type": "task", "token": "k7qf2m", "content": "書く: \tTab first 日本語 🙂\nno"});
    let info = serde_json::json!({"id": "msg-1-b", "from": "boss", "to": "user", "type": "info", "token": "k7qf2m", "content": "Tab first 日本語 🙂"});
    assert_eq!(drops, [child, info]);
}

#[test]
fn several_parts_are_one_file_and_the_same_when_the_turn_is_given_again() {
    let parts = "[{delegate: [{to: writer, id: '{id}.code', content: 'write: {content}'}, {to: tester, id: '{id}.test', depends_on: ['{id}.code', other], content: x}]}]";
    let documents = |workspace: &Workspace| -> Vec<serde_json::Value> {
        let drops = workspace.drops();
        let [file] = drops.as_slice() else { panic!("one file: {drops:?}") };
        file.split("---\n").map(fields).collect()
    };
    let (workspace, said) = play(parts, TASK);
    assert_eq!(said, "");
    let code = serde_json::json!({"id": "msg-1.code", "to": "writer", "type": "task", "token": "k7qf2m", "content": "write: \tTab first 日本語 🙂\nno"});
    let test = serde_json::json!({"id": "msg-1.test", "to": "tester", "type": "task", "token": "k7qf2m", "depends_on": ["msg-1.code", "other"], "content": "x"});
    assert_eq!(documents(&workspace), [code, test]);
    let (again, _) = play(parts, TASK);
    assert_eq!(documents(&again), documents(&workspace));
}

#[test]
fn a_task_that_cannot_be_done_is_answered_with_an_error() {
    let (workspace, said) = play("[{fail: 'no compiler for {first_line}'}]", TASK);
    assert_eq!(said, "");
    let expected = serde_json::json!({"to": "boss", "type": "error", "status": "failed", "in_reply_to": "msg-1", "token": "k7qf2m", "content": "no compiler for Tab first 日本語 🙂"});
    assert_eq!(workspace.drops().iter().map(|yaml| fields(yaml)).collect::<Vec<_>>(), [expected]);
}

#[test]
fn a_program_gets_its_words_as_they_are_and_its_input() {
    let hostile = "id: msg-1\nfrom: boss\ncontent: \"$(touch owned); `touch owned` 'x' -- 🙂\"\n";
    let run = "[{run: {argv: [sh, -c, 'printf %s \"$1\" > word; cat > input', sh, '{content}'], stdin: 'in: {content}'}}, {print: on}]";
    let (workspace, said) = play(run, hostile);
    assert_eq!(said, "on\n", "what it prints is not shown");
    let read = |name: &str| std::fs::read_to_string(workspace.path().join(name)).expect(name);
    assert_eq!(read("word"), "$(touch owned); `touch owned` 'x' -- 🙂");
    assert_eq!(read("input"), "in: $(touch owned); `touch owned` 'x' -- 🙂");
    assert!(!workspace.path().join("owned").exists());
}

#[test]
fn a_program_that_fails_is_told_and_the_list_goes_on() {
    let check = |run: &str, expected: &str| {
        let (_workspace, said) = play(&format!("[{{run: {run}}}, {{print: on}}]"), TASK);
        assert!(said.starts_with(expected) && said.ends_with("\non\n"), "{said}");
    };
    check(
        "{argv: [sh, -c, 'echo; echo why >&2; exit 3']}",
        "`sh -c echo; echo why >&2; exit 3` failed (exit status: 3): why",
    );
    check("{argv: ['false']}", "`false` failed (exit status: 1): it did not say why");
    check("{argv: [no-such-program]}", "`no-such-program` cannot be started: No such file");
    check("{argv: [sleep, '60'], within: 100ms}", "`sleep 60` did not end within 100ms");
    check("{argv: [tasuki, lint, missing.yaml]}", "`tasuki lint missing.yaml` failed (exit status: ");
}

#[test]
fn a_program_that_reads_or_prints_much_is_not_waited_for_by_a_pipe() {
    let task = format!("id: msg-1\ncontent: {}\n", "x".repeat(900_000));
    let run = "[{run: {argv: [sh, -c, 'yes | head -c 1000000; yes | head -c 1000000 >&2; wc -c > size'], stdin: '{content}'}}, {print: on}]";
    let (workspace, said) = play(run, &task);
    assert_eq!(said, "on\n");
    let size = std::fs::read_to_string(workspace.path().join("size")).expect("the size");
    assert_eq!(size.trim(), "900000");
}

#[test]
fn a_reply_names_its_task_and_goes_to_who_asked() {
    let (workspace, said) = play("[{reply: 'done: {first_line}'}]", TASK);
    assert_eq!(said, "");
    let expected = serde_json::json!({"to": "boss", "type": "result", "status": "completed", "in_reply_to": "msg-1", "token": "k7qf2m", "content": "done: Tab first 日本語 🙂"});
    assert_eq!(workspace.drops().iter().map(|yaml| fields(yaml)).collect::<Vec<_>>(), [expected]);
}

#[test]
fn content_that_looks_like_something_else_stays_content() {
    for content in [
        "no",
        "1e3",
        "~",
        "- a",
        "\t",
        "a: b",
        "\tindented\nmore",
        "'",
        "\"",
        "日本\u{a0}",
        " lead",
        "trail ",
        "a\n\n",
        "#",
        "|",
        "\u{1b}[31m",
        "\u{85}x",
        "\u{7f}",
    ] {
        // JSON is YAML but for this one character.
        let quoted = serde_json::json!(content).to_string().replace('\u{7f}', "\\x7f");
        let task = format!("content: {quoted}\n");
        let (workspace, said) = play("[{delegate: {to: writer, content: '{content}'}}]", &task);
        assert_eq!(said, "", "{content:?}");
        assert_eq!(fields(&workspace.drops()[0])["content"], content.trim_end(), "{content:?}");
    }
}

#[test]
fn no_drop_replaces_another() {
    let (workspace, _) =
        play("[{delegate: {to: a, content: one}}, {delegate: {to: a, content: two}}, {reply: three}]", TASK);
    let contents: Vec<_> = workspace.drops().iter().map(|yaml| fields(yaml)["content"].clone()).collect();
    assert_eq!(contents, ["one", "two", "three"]);
}

#[test]
fn work_is_written_and_failures_are_told() {
    let (workspace, said) = play(
        "[{write_file: {path: 'docs/深い/{id}.md', text: '# {first_line}'}}, {write_file: {path: docs, text: x}}, {print: on}]",
        TASK,
    );
    let written = std::fs::read_to_string(workspace.path().join("docs/深い/msg-1.md")).expect("the file");
    assert_eq!(written, "# Tab first 日本語 🙂");
    assert!(said.starts_with("cannot write docs: ") && said.ends_with("\non\n"), "{said}");
}

#[test]
fn without_a_queue_a_drop_is_told_and_not_lost_in_silence() {
    let workspace = Workspace::new();
    let script = workspace.script("rules: [{do: [{delegate: {to: a, content: b}}]}]");
    std::fs::remove_dir_all(workspace.path().join("queue")).expect("gone");
    let output = piped(workspace.agent(Some(&script)), "go");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.starts_with("there is no queue/ in the working folder nor in $TASUKI_ROOT"), "{said}");
}

#[test]
fn a_reply_needs_a_task() {
    let workspace = Workspace::new();
    let script = workspace.script("rules: [{do: [{reply: x}]}]");
    let output = piped(workspace.agent(Some(&script)), "go");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "there is no task to reply to: the line had no id\n");
    assert!(workspace.drops().is_empty());
}

#[test]
fn a_drop_of_an_older_process_with_the_same_number_is_not_replaced() {
    let workspace = Workspace::new();
    let script = workspace.script("rules: [{do: [{delegate: {to: a, content: new}}]}]");
    let agent = workspace.agent(Some(&script));
    // The shell leaves the file that an agent with its own number would have left, and becomes that agent.
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "echo old > queue/scripted-$$-1.yaml; exec \"$@\"", "sh"]).arg(agent.get_program());
    shell.args(agent.get_args()).current_dir(workspace.path()).env_remove("TASUKI_ROOT");
    let output = piped(shell, "go");
    assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
    let drops = workspace.drops();
    assert_eq!(drops[0], "old\n");
    assert_eq!(fields(&drops[1])["content"], "new");
}
