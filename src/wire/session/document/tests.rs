//! The document's own example, documents that are wrong, and sessions as chance makes them.

use super::*;
use crate::engine::flow::graph::STEPS_MAX;
use crate::engine::flow::name::COMPARED;
use crate::engine::flow::stage::FlowStage;
use crate::engine::flow::step::StepStage;
use expect_test::expect;
use proptest::prelude::*;

/// The example of the data model.
const EXAMPLE: &str = r#"{
  "id": "a1b2c3d4-e5f6-7890-abcd-ef1234567890",
  "created_at": "2026-01-22T10:30:00Z",
  "updated_at": "2026-01-22T11:45:00Z",
  "status": "Active",
  "repository_path": "/path/to/repo",
  "conversation": {
    "messages": [
      {
        "role": "User",
        "content": "認証機能を実装して",
        "timestamp": "2026-01-22T10:30:00Z"
      },
      {
        "role": "Assistant",
        "content": "認証機能を以下のタスクに分割しました...",
        "timestamp": "2026-01-22T10:30:05Z"
      }
    ]
  },
  "tasks": [
    {
      "id": "task-001",
      "name": "JWT認証の実装",
      "description": "...",
      "status": "Completed",
      "dependencies": [],
      "worktree_strategy": "New",
      "assigned_worktree": {
        "branch_name": "agent/jwt-auth",
        "path": "/path/to/.worktrees/agent-jwt-auth",
        "created_at": "2026-01-22T10:31:00Z",
        "task_ids": ["task-001"]
      },
      "sub_agent": {
        "id": "agent-001",
        "agent_type": "ClaudeCode",
        "pane_id": "%5",
        "pid": 12345,
        "status": "Completed",
        "started_at": "2026-01-22T10:31:30Z",
        "completed_at": "2026-01-22T11:00:00Z",
        "completion_source": "Hook"
      },
      "created_at": "2026-01-22T10:30:05Z",
      "started_at": "2026-01-22T10:31:30Z",
      "completed_at": "2026-01-22T11:00:00Z",
      "result": {
        "success": true,
        "summary": "JWT認証を実装しました",
        "pull_request": {
          "number": 123,
          "url": "https://github.com/owner/repo/pull/123"
        },
        "error": null
      }
    }
  ],
  "worktrees": [
    {
      "branch_name": "agent/jwt-auth",
      "path": "/path/to/.worktrees/agent-jwt-auth",
      "created_at": "2026-01-22T10:31:00Z",
      "task_ids": ["task-001"]
    }
  ]
}
"#;

fn good(text: &str) -> AgentSession {
    import(text).unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// The example with one text replaced by another.
fn with(old: &str, new: &str) -> String {
    assert!(EXAMPLE.contains(old), "{old}");
    EXAMPLE.replacen(old, new, 1)
}

#[test]
fn the_example_goes_in_and_out_letter_by_letter() {
    let session = good(EXAMPLE);
    assert_eq!(session.tasks[0].id.as_str(), "task-001");
    assert_eq!(export(&session), EXAMPLE);
    assert_eq!(good(&export(&session)), session);
    assert_eq!(good(&format!("\u{feff}{EXAMPLE}")), session);
    let small: serde_json::Value = serde_json::from_str(EXAMPLE).unwrap();
    assert_eq!(good(&small.to_string()), session);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&export(&session)).unwrap(), small);
}

#[test]
fn what_may_be_missing_is_null() {
    let text = with("        \"error\": null\n", "        \"error\": \"だめ\"\n")
        .replace("\"completion_source\": \"Hook\"", "\"completion_source\": null");
    assert_eq!(good(&text).tasks[0].result.as_ref().unwrap().error.as_deref(), Some("だめ"));
    assert_eq!(good(&text).tasks[0].sub_agent.as_ref().unwrap().completion_source, None);
    let mut session = good(EXAMPLE);
    session.tasks[0].result = None;
    session.tasks[0].sub_agent = None;
    session.tasks[0].assigned_worktree = None;
    session.tasks[0].started_at = None;
    let text = export(&session);
    for key in ["result", "sub_agent", "assigned_worktree", "started_at"] {
        assert!(text.contains(&format!("\"{key}\": null")), "{key}");
        assert_eq!(
            good(&text.replace(&format!("      \"{key}\": null,\n"), "")),
            session,
            "{key} may be left out"
        );
    }
    assert_eq!(good(&text), session);
}

#[test]
fn what_tasuki_adds_is_kept_as_it_is() {
    let own = r#""tasuki": {"z": [1, 1.5, {"a": null}], "あ": "👩‍💻", "a": 18446744073709551615}, "worktrees""#;
    let session = good(&with("\"worktrees\"", own));
    assert_eq!(session.tasuki.as_ref().unwrap()["a"], u64::MAX);
    assert_eq!(good(&export(&session)), session);
    assert!(export(&session).contains("\"tasuki\": {\n    \"z\": ["));
}

#[test]
fn times_stay_as_they_came() {
    for time in [
        "2026-01-22T10:30:00.123456789Z",
        "2026-01-22T19:30:00+09:00",
        "2026-01-22T10:30:00.000Z",
        "1969-12-31T23:59:59-00:30",
    ] {
        let session = good(&with("2026-01-22T11:45:00Z", time));
        assert_eq!(session.updated_at.as_str(), time);
        assert!(export(&session).contains(time));
    }
    assert_eq!(SessionTime::of(Millis(0)).as_str(), "1970-01-01T00:00:00Z");
    assert!(SessionTime::new(SessionTime::of(Millis(u64::MAX)).as_str()).is_some());
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
        the document is null: it must be an object
        the document is a list: it must be an object
        the document is not JSON: expected value at line 1 column 1: correct it there; a text from a program is best written by a JSON library
        the document is not JSON: EOF while parsing a value at line 1 column 7: correct it there; a text from a program is best written by a JSON library
        the document is not clear: an object has the key `status` twice (line 5, column 30): keep one of the two
        the document is not JSON: recursion limit exceeded at line 59 column 139: correct it there; a text from a program is best written by a JSON library
        the document has 1050417 bytes; at most 1048576 are read: move long texts into files, and name their paths
        the document is not JSON: unexpected end of hex escape at line 1 column 15: correct it there; a text from a program is best written by a JSON library
        the document is not JSON: expected value at line 1 column 1: correct it there; a text from a program is best written by a JSON library
        the document is not JSON: trailing characters at line 68 column 1: correct it there; a text from a program is best written by a JSON library"#]].assert_eq(&said);
}

#[test]
fn stages_have_their_words() {
    for stage in StepStage::ALL {
        let word = TaskStatus::from(stage).word().to_lowercase();
        assert!(word == stage.word() || (word == "running" && stage.is_under_way()), "{stage}: {word}");
    }
    assert!(
        FlowStage::ALL.iter().all(|stage| SessionStatus::from(*stage).word().to_lowercase() == stage.word())
    );
}

#[test]
fn the_largest_session_is_checked_in_one_go() {
    let mut session = good(EXAMPLE);
    let (task, worktree) = (session.tasks[0].clone(), session.worktrees[0].clone());
    let name = |at: usize| StepName::numbered(at as u64);
    let tree = |at: usize| WorktreeRef {
        branch_name: BranchName::new(&format!("agent/t{at}")).unwrap(),
        path: format!("/w/agent-t{at}"),
        task_ids: vec![name(at)],
        ..worktree.clone()
    };
    let one = |at: usize| SessionTask {
        id: name(at),
        dependencies: if at == 0 { vec![] } else { vec![name(at - 1), name(0)] },
        assigned_worktree: Some(tree(at)),
        ..task.clone()
    };
    session.tasks = (0..STEPS_MAX).map(one).collect();
    session.worktrees = (0..STEPS_MAX).map(tree).collect();
    COMPARED.set(0);
    check::check(&session).unwrap();
    assert!(COMPARED.get() < 12 * STEPS_MAX, "{} comparisons", COMPARED.get());
    session.tasks[0].dependencies.push(name(STEPS_MAX - 1));
    let wrong = check::check(&session).unwrap_err();
    assert_eq!(wrong.path, "tasks[0].dependencies[0]");
}

fn any_time() -> impl Strategy<Value = SessionTime> {
    let stamp = (
        1970u32..2100,
        1u32..13,
        1u32..29,
        0u32..24,
        prop::sample::select(&["Z", ".5Z", "+09:00", "-03:30"][..]),
    );
    stamp.prop_map(|(y, m, d, h, zone)| {
        SessionTime::new(&format!("{y:04}-{m:02}-{d:02}T{h:02}:15:59{zone}")).unwrap()
    })
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[襷認証👩‍💻\"\\\\\n\t\u{0}\u{2028}]{0,12}"]
}

fn any_of<T: Copy + std::fmt::Debug + 'static>(all: &'static [T]) -> impl Strategy<Value = T> {
    prop::sample::select(all)
}

fn any_agent() -> impl Strategy<Value = SubAgent> {
    let words =
        (any_of(SubAgentType::ALL), any_of(SubAgentStatus::ALL), prop::option::of(any_of(DetectedBy::ALL)));
    (words, ".{1,9}", any::<u32>(), any_time(), prop::option::of(any_time())).prop_map(
        |((agent_type, status, completion_source), id, pid, started_at, completed_at)| SubAgent {
            pane_id: format!("%{pid}"),
            id,
            agent_type,
            pid,
            status,
            started_at,
            completed_at,
            completion_source,
        },
    )
}

fn any_result() -> impl Strategy<Value = TaskResult> {
    let request = (any::<u64>(), any_text()).prop_map(|(number, url)| PullRequestRef { number, url });
    (any::<bool>(), any_text(), prop::option::of(request), prop::option::of(any_text())).prop_map(
        |(success, summary, pull_request, error)| TaskResult { success, summary, pull_request, error },
    )
}

/// A task whose id and dependencies are made when its place is known.
fn any_task() -> impl Strategy<Value = (SessionTask, Vec<prop::sample::Index>, bool)> {
    let times = (any_time(), prop::option::of(any_time()), prop::option::of(any_time()));
    let parts = (
        prop::option::of(any_agent()),
        prop::option::of(any_result()),
        any_of(TaskStatus::ALL),
        any_of(WorktreeStrategy::ALL),
    );
    let needs = prop::collection::vec(any::<prop::sample::Index>(), 0..3);
    (any_text(), any_text(), times, parts, needs, any::<bool>()).prop_map(
        |(
            name,
            description,
            (created_at, started_at, completed_at),
            (sub_agent, result, status, worktree_strategy),
            needs,
            has_tree,
        )| {
            let task = SessionTask {
                id: StepName::numbered(0),
                name,
                description,
                status,
                dependencies: Vec::new(),
                worktree_strategy,
                assigned_worktree: None,
                sub_agent,
                created_at,
                started_at,
                completed_at,
                result,
            };
            (task, needs, has_tree)
        },
    )
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        tasks in prop::collection::vec(any_task(), 0..6),
        said in prop::collection::vec((any_of(MessageRole::ALL), any_text(), any_time()), 0..4),
        bytes in any::<u128>(),
        status in any_of(SessionStatus::ALL),
        times in (any_time(), any_time()),
        own in prop::option::of(any_text()),
    ) {
        let name = |at: usize| StepName::new(&format!("task-{at:03}")).unwrap();
        let mut session = AgentSession {
            id: SessionId::new(&uuid::Uuid::from_u128(bytes).to_string()).unwrap(),
            created_at: times.0,
            updated_at: times.1,
            status,
            repository_path: "/リポジトリ/x y".to_owned(),
            conversation: Conversation {
                messages: said.into_iter().map(|(role, content, timestamp)| SessionMessage { role, content, timestamp }).collect(),
            },
            tasks: Vec::new(),
            worktrees: Vec::new(),
            tasuki: own.map(|text| serde_json::json!({ "text": text })),
        };
        for (at, (mut task, needs, has_tree)) in tasks.into_iter().enumerate() {
            task.id = name(at);
            task.dependencies = needs.iter().filter(|_| at > 0).map(|need| name(need.index(at))).collect();
            if has_tree {
                let tree = WorktreeRef {
                    branch_name: BranchName::new(&format!("agent/T_{at}")).unwrap(),
                    path: format!("/w/agent-T_{at}"),
                    created_at: task.created_at.clone(),
                    task_ids: vec![name(at)],
                };
                session.worktrees.push(tree.clone());
                task.assigned_worktree = Some(tree);
            }
            session.tasks.push(task);
        }
        let text = export(&session);
        prop_assert_eq!(&good(&text), &session, "{}", text);
        prop_assert_eq!(export(&good(&text)), text);
    }
}
