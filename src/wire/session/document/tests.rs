//! The document's own example, documents that are wrong, and sessions as chance makes them.

use super::*;
use crate::engine::flow::branch::BranchName;
use crate::engine::flow::graph::STEPS_MAX;
use crate::engine::flow::name::{COMPARED, StepName};
use crate::engine::flow::stage::FlowStage;
use crate::engine::flow::step::StepStage;
use crate::engine::words::Millis;
use proptest::prelude::*;

/// The example of the data model.
const EXAMPLE: &str = include_str!("../../../../tests/fixtures/session.json");

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
fn a_session_that_is_completed_has_no_open_task() {
    let mut session = good(EXAMPLE);
    session.status = SessionStatus::Completed;
    assert_eq!(check_status(&session), Ok(()));
    for status in TaskStatus::ALL.iter().filter(|status| **status != TaskStatus::Completed) {
        session.tasks[0].status = *status;
        session.status = SessionStatus::Completed;
        let told = check_status(&session).unwrap_err().to_string();
        let why =
            format!("`status` is `Completed`, and `tasks[0].status` of `task-001` is `{}`: ", status.word());
        assert!(told.starts_with(&why) && told.contains("write `Paused`"), "{told}");
        session.status = SessionStatus::Paused;
        assert_eq!(check_status(&session), Ok(()));
    }
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
fn a_document_without_an_id_is_told_how_to_get_one() {
    let first = EXAMPLE.find("\"id\"").unwrap();
    let end = EXAMPLE[first..].find('\n').unwrap();
    let error = import(&format!("{}{}", &EXAMPLE[..first], &EXAMPLE[first + end..])).unwrap_err();
    assert!(error.why.contains("no key `id`") && error.cure.contains("`uuidgen` makes one"), "{error:?}");
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
        |(success, summary, pull_request, error)| {
            let tasuki = success.then(|| serde_json::json!({ "work": summary }));
            TaskResult { success, summary, pull_request, error, tasuki }
        },
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
            id: SessionUuid::new(&uuid::Uuid::from_u128(bytes).to_string()).unwrap(),
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
