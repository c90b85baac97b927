//! Documents of sessions that are wrong, each with all that is told of it.

use expect_test::expect;
use tasuki::wire::session::document::{AgentSession, DOCUMENT_BYTES_MAX, export, import};

/// The example of the data model.
const EXAMPLE: &str = include_str!("../fixtures/session.json");

fn good(text: &str) -> AgentSession {
    import(text).unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// The example with one text replaced by another.
fn with(old: &str, new: &str) -> String {
    assert!(EXAMPLE.contains(old), "{old}");
    EXAMPLE.replacen(old, new, 1)
}

#[test]
fn what_is_wrong_is_told_with_its_path() {
    let replaced = [
        ("\"status\": \"Completed\",\n      \"dep", "\"status\": \"Complete\",\n      \"dep"),
        ("\"status\": \"Active\"", "\"status\": \"active\""),
        ("\"status\": \"Active\"", "\"status\": null"),
        ("\"status\": \"Active\"", "\"state\": \"Active\""),
        ("\"status\": \"Active\"", "\"status\": \"\\u001b[31m\""),
        ("\"role\": \"Assistant\"", "\"role\": \"Agent\""),
        ("\"success\": true", "\"success\": \"true\""),
        ("\"success\": true,", ""),
        ("\"pid\": 12345", "\"pid\": -1"),
        ("\"pid\": 12345", "\"pid\": 4294967296"),
        ("\"number\": 123", "\"number\": 1.5"),
        ("\"pane_id\": \"%5\"", "\"pane_id\": \"\""),
        ("\"pane_id\"", "\"paneid\""),
        ("\"pane_id\": \"%5\"", "\"pane_id\": \"%5\", \"host\": 1"),
        ("\"dependencies\": []", "\"dependencies\": \"task-1\""),
        ("\"dependencies\": []", "\"dependencies\": [\"task-1\"]"),
        ("\"dependencies\": []", "\"dependencies\": [\"task-001\"]"),
        ("\"dependencies\": []", "\"dependencies\": [\"001\"]"),
        ("\"id\": \"task-001\"", "\"id\": \"task-A\""),
        ("a1b2c3d4-e5f6-7890-abcd-ef1234567890", ""),
        ("a1b2c3d4-e5f6-7890-abcd-ef1234567890", "../../../etc/passwd"),
        ("a1b2c3d4-e5f6-7890-abcd-ef1234567890", "a1b2c3d4e5f67890abcdef1234567890"),
        ("2026-01-22T11:45:00Z", "2026-01-22 11:45"),
        ("2026-01-22T11:45:00Z", "2026-13-22T11:45:00Z"),
        ("/path/to/repo", ""),
        ("/path/to/repo", "/a\\u0000b"),
        ("agent/jwt-auth", "jwt-auth"),
        ("agent/jwt-auth", "agent/../x"),
        (".worktrees/agent-jwt-auth", ".worktrees/jwt-auth"),
        ("\"messages\": [", "\"messages\": 7, \"x\": ["),
    ];
    let said = replaced.map(|(old, new)| import(&with(old, new)).expect_err(new).to_string()).join("\n");
    expect![[r#"
        `tasks[0].status` is `Complete`: it may be Pending, Ready, Running, Completed, Failed, Cancelled; did you mean `Completed`?
        `status` is `active`: it may be Active, Paused, Completed, Failed; did you mean `Active`?
        `status` is null: it must be one of Active, Paused, Completed, Failed
        the document has the key `state`, which is not known: did you mean `status`?
        `status` is `\u{1b}[31m`: it may be Active, Paused, Completed, Failed
        `conversation.messages[1].role` is `Agent`: it may be User, Assistant, System
        `tasks[0].result.success` is the text `true`: it must be true or false
        `tasks[0].result` has no key `success`: add it; only what may be `null` can be missing
        `tasks[0].sub_agent.pid` is `-1`: it must be the number of a process
        `tasks[0].sub_agent.pid` is `4294967296`: it must be the number of a process
        `tasks[0].result.pull_request.number` is `1.5`: it must be the number of a pull request
        `tasks[0].sub_agent.pane_id` is an empty text: it must be a text that is not empty
        `tasks[0].sub_agent` has the key `paneid`, which is not known: did you mean `pane_id`?
        `tasks[0].sub_agent` has the key `host`, which is not known: take it out; the keys here are id, agent_type, pane_id, pid, status, started_at, completed_at, completion_source
        `tasks[0].dependencies` is the text `task-1`: it must be a list
        `tasks[0].dependencies[0]` is `task-1`, and there is no such task: did you mean `task-001`?
        `tasks[0].dependencies[0]` closes a circle: `task-001` depends on itself, so it could never begin: take one of these dependencies out
        `tasks[0].dependencies[0]` is `001`, which is not `task-` and a number: give it a name such as task-1
        `tasks[0].id` is `task-A`, which is not `task-` and a number: give it a name such as task-1
        `id` is an empty text: it must be a UUID, such as a1b2c3d4-e5f6-4890-abcd-ef1234567890
        `id` is the text `../../../etc/passwd`: it must be a UUID, such as a1b2c3d4-e5f6-4890-abcd-ef1234567890
        `id` is the text `a1b2c3d4e5f67890abcdef1234567890`: it must be a UUID, such as a1b2c3d4-e5f6-4890-abcd-ef1234567890
        `updated_at` is the text `2026-01-22 11:45`: it must be a moment in RFC 3339, such as 2026-01-22T10:30:00Z
        `updated_at` is the text `2026-13-22T11:45:00Z`: it must be a moment in RFC 3339, such as 2026-01-22T10:30:00Z
        `repository_path` is an empty text: it must be a path: a text that is not empty and has no NUL
        `repository_path` is the text `/a\0b`: it must be a path: a text that is not empty and has no NUL
        `tasks[0].assigned_worktree.branch_name` is `jwt-auth`, which does not begin with `agent/`: give it a name such as agent/jwt-auth
        `tasks[0].assigned_worktree.branch_name` is `agent/../x`, which has '.' behind `agent/`, which is no letter or digit of ASCII, no `-` and no `_`: give it a name such as agent/jwt-auth
        `tasks[0].assigned_worktree.path` ends in `jwt-auth`, and its branch is `agent/jwt-auth`: call the folder `agent-jwt-auth`
        `conversation` has the key `x`, which is not known: take it out; the keys here are messages"#]].assert_eq(&said);
}

#[test]
fn worktrees_and_tasks_know_one_another() {
    let at = EXAMPLE.rfind("\"task_ids\": [\"task-001\"]").unwrap();
    let (before, behind) = EXAMPLE.split_at(at);
    let worktrees_ids = |new: &str| format!("{before}{}", behind.replace("\"task-001\"", new));
    let second = r#"{"branch_name": "agent/jwt-auth", "path": "/x/agent-jwt-auth", "created_at": "2026-01-22T10:31:00Z", "task_ids": []},"#;
    let said = [
        worktrees_ids("\"task-01\""),
        worktrees_ids("\"task-001\", \"task-100\""),
        with("\"task_ids\": [\"task-001\"]", "\"task_ids\": [\"task-7\"]"),
        with("\"task_ids\": [\"task-001\"]", "\"task_ids\": []"),
        with("/path/to/.worktrees/agent-jwt-auth", "/other/agent-jwt-auth"),
        with("\"worktrees\": [", &format!("\"worktrees\": [{second}")),
    ]
    .map(|text| import(&text).expect_err(&text).to_string())
    .join("\n");
    expect![[r#"
        `worktrees[0].task_ids[0]` is `task-01`, and there is no such task: did you mean `task-001`?
        `worktrees[0].task_ids[1]` is `task-100`, and there is no such task: did you mean `task-001`?
        `tasks[0].assigned_worktree.task_ids[0]` is `task-7`, and there is no such task: name the id of a task of this document
        `tasks[0].assigned_worktree.task_ids` does not name `task-001`, whose worktree it is: add it
        `tasks[0].assigned_worktree.path` is not the same as `worktrees[0].path`, and both are of `agent/jwt-auth`: give both the same path: a branch has one worktree
        `worktrees[1].branch_name` is `agent/jwt-auth`, which `worktrees[0]` has already: keep one of the two: a branch has one worktree"#]].assert_eq(&said);
    // A worktree that is not in use any more is named by its task alone.
    let mut session = good(EXAMPLE);
    session.worktrees.clear();
    assert_eq!(good(&export(&session)), session);
}

#[test]
fn what_is_no_document_is_told() {
    let twice = with("\"status\": \"Active\"", "\"status\": \"Active\", \"status\": \"Paused\"");
    let deep = with("\"worktrees\"", &format!("\"tasuki\": {}, \"worktrees\"", "[".repeat(100_000)));
    let large = with("...", &"a".repeat(DOCUMENT_BYTES_MAX));
    let texts = [
        "",
        "null",
        "[]",
        "認証",
        "{\"id\": ",
        &twice,
        &deep,
        &large,
        "{\"id\": \"\\ud800\"}",
        "id: x",
        &format!("{EXAMPLE}{{}}"),
    ];
    let said = texts.map(|text| import(text).expect_err("it is none").to_string()).join("\n");
    expect![[r#"
        the document is not JSON: EOF while parsing a value at line 1 column 0: correct it there; a text from a program is best written by a JSON library
        the document is null: it must be an object with the keys id, created_at, updated_at, status, repository_path, conversation, tasks, worktrees, tasuki
        the document is a list: it must be an object with the keys id, created_at, updated_at, status, repository_path, conversation, tasks, worktrees, tasuki
        the document is not JSON: expected value at line 1 column 1: correct it there; a text from a program is best written by a JSON library
        the document is not JSON: EOF while parsing a value at line 1 column 7: correct it there; a text from a program is best written by a JSON library
        the document is not clear: an object has the key `status` twice (line 5, column 30): keep one of the two
        the document is not JSON: recursion limit exceeded at line 59 column 139: correct it there; a text from a program is best written by a JSON library
        the document has 67110705 bytes; at most 67108864 are read: move long texts into files, and name their paths
        the document is not JSON: unexpected end of hex escape at line 1 column 15: correct it there; a text from a program is best written by a JSON library
        the document is not JSON: expected value at line 1 column 1: correct it there; a text from a program is best written by a JSON library
        the document is not JSON: trailing characters at line 68 column 1: correct it there; a text from a program is best written by a JSON library"#]].assert_eq(&said);
}
