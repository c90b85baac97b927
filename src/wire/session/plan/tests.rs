//! Plans as people and agents write them, right and wrong, and as chance makes them.

use super::*;
use crate::engine::flow::graph::EDGES_MAX;
use crate::engine::flow::name::{COMPARED, StepName};
use crate::engine::flow::plan::{Assignee, HireFrom, HireWish, TaskTree};
use crate::engine::flow::unmet::Join;
use proptest::prelude::*;
use serde_json::json;

fn good(text: &str) -> Plan {
    read(text.as_bytes()).unwrap_or_else(|refusal| panic!("{refusal}"))
}

const FULL: &str = r#"
goal: 認証を実装する 🔐
name: JWT 認証
on_failure: skip
parallel: 0
tasks:
  - id: task-001
    name: 鍵を作る
    description: |
      鍵を作り、
      `keys/` に置く。
    touches: [keys/**, "src/**/*.rs"]
    expect: {commit: true, command: test}
    timeout: 1h 30m
    to: coder
  - id: task-2
    name: "Sign & verify 👩‍💻"
    description: sign
    dependencies: [task-001, task-001]
    worktree_strategy: Shared
    hire: {like: coder, model: opus-4.8}
  - id: task-30
    name: docs
    description: write
    dependencies: task-001
    hire: claude
  - id: task-4
    name: all of it
    description: join
    dependencies: [task-2, task-30]
    worktree_strategy: shared
    share_with: task-2
    join: any
"#;

#[test]
fn a_whole_plan_is_read_as_it_is_written() {
    let plan = good(FULL);
    assert_eq!(plan.goal.as_deref(), Some("認証を実装する 🔐"));
    assert_eq!(
        (plan.name.as_deref(), plan.on_failure, plan.parallel),
        (Some("JWT 認証"), OnFailure::Skip, 0)
    );
    let [keys, sign, docs, all] = &plan.tasks[..] else { panic!("four tasks") };
    assert_eq!((keys.id.as_str(), keys.timeout_ms), ("task-001", Some(90 * 60 * 1_000)));
    assert_eq!(keys.description.as_ref(), "鍵を作り、\n`keys/` に置く。\n");
    assert_eq!(keys.touches, ["keys/**", "src/**/*.rs"]);
    assert!(keys.expect.as_ref().is_some_and(|expect| expect.commit && expect.command == ["test"]));
    assert_eq!(keys.who, Some(Assignee::Member(crate::engine::words::AgentName::new("coder").unwrap())));
    assert_eq!(sign.name, "Sign & verify 👩‍💻");
    assert_eq!(sign.dependencies, std::slice::from_ref(&keys.id), "each once");
    assert!(
        matches!(&sign.who, Some(Assignee::Hired(HireWish { from: HireFrom::Like(like), model: Some(model) }))
        if like.as_str() == "coder" && model == "opus-4.8")
    );
    assert_eq!(
        docs.who,
        Some(Assignee::Hired(HireWish { from: HireFrom::Provider("claude".into()), model: None }))
    );
    let shared = Some(TaskTree::SharedWith(keys.id.clone()));
    assert_eq!((&keys.tree, &sign.tree, &docs.tree, &all.tree), (&None, &shared, &None, &shared));
    assert_eq!((all.join, all.who.as_ref(), keys.join), (Join::Any, None, Join::All));
    assert_eq!(plan.graph.order().len(), 4);
}

#[test]
fn a_small_plan_has_its_defaults_and_json_is_the_same() {
    let plan =
        good("tasks:\n- {name: a, description: b}\n- {name: c, description: d, dependencies: [task-1]}\n");
    assert_eq!((plan.on_failure, plan.parallel, plan.goal.as_ref()), (OnFailure::Stop, 4, None));
    assert_eq!(plan.tasks[1].id, StepName::numbered(2));
    let json = r#"{"tasks": [{"name":"a","description":"b"},{"name":"c","description":"d","dependencies":["task-1"]}]}"#;
    assert_eq!(good(json), plan);
    assert_eq!(good(&format!("\u{feff}---\n{json}\n")), plan);
}

#[test]
fn dependencies_that_share_one_worktree_need_no_name() {
    let shared = "worktree_strategy: Shared";
    let plan = good(&format!(
        "tasks:\n- {{name: a, description: b, dependencies: [task-2, task-3], {shared}}}\n- {{name: a, description: b, dependencies: [task-3], {shared}}}\n- {{name: a, description: b}}\n"
    ));
    let owner = Some(TaskTree::SharedWith(StepName::numbered(3)));
    assert_eq!(plan.tasks.iter().map(|task| &task.tree).collect::<Vec<_>>(), [&owner, &owner, &None]);
}

/// Reads a plan, and how often two names of tasks were compared for it.
fn compared(plan: &serde_json::Value) -> (Plan, usize) {
    let text = plan.to_string();
    COMPARED.set(0);
    let plan = good(&text);
    (plan, COMPARED.get())
}

#[test]
fn the_largest_plans_are_read_and_each_name_is_looked_up_once() {
    let task = |at: usize, keys: serde_json::Value| {
        let mut task = json!({"name": "n", "description": "d"});
        task.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
        (at > 0).then_some(()).map_or(json!({"name": "n", "description": "d"}), |()| task)
    };
    let chain =
        |at: usize| task(at, json!({"dependencies": [format!("task-{at}")], "worktree_strategy": "Shared"}));
    let star = |at: usize| task(at, json!({"dependencies": ["task-1"], "worktree_strategy": "Shared"}));
    let forms: [&dyn Fn(usize) -> serde_json::Value; 2] = [&chain, &star];
    for form in forms {
        let (plan, compared) = compared(&json!({"tasks": (0..STEPS_MAX).map(form).collect::<Vec<_>>()}));
        assert_eq!(plan.tasks.len(), STEPS_MAX);
        assert_eq!(plan.tasks[STEPS_MAX - 1].tree, Some(TaskTree::SharedWith(StepName::numbered(1))));
        assert!(compared < 8 * STEPS_MAX, "{compared} comparisons");
    }
    let many: Vec<String> = (1..1_000).map(|at| format!("task-{at}")).collect();
    let wide = |at: usize| task(at, json!({"dependencies": &many[..at.min(50)]}));
    let (plan, compared) = compared(&json!({"tasks": (0..1_200).map(wide).collect::<Vec<_>>()}));
    let edges: usize = (0..1_200).map(|step| plan.graph.needs(step).len()).sum();
    assert!(compared < 8 * edges && edges > 50_000 && edges < EDGES_MAX, "{compared} for {edges}");
    let more = json!({"tasks": vec![json!({"name": "n", "description": "d"}); STEPS_MAX + 1]}).to_string();
    assert_eq!(read(more.as_bytes()).unwrap_err().refusal.code, Code::GraphTooLarge);
}

#[test]
fn nothing_nests_too_deeply() {
    for deep in ["[".repeat(200_000), "{a: ".repeat(100_000), format!("tasks: {}", "- ".repeat(100_000))] {
        let code = read(deep.as_bytes()).unwrap_err().refusal.code;
        assert!(matches!(code, Code::TooDeep | Code::Syntax | Code::CutOff), "{code:?}");
    }
    let flat = format!("tasks: [{}]", "a,".repeat(300_000));
    assert_eq!(read(flat.as_bytes()).unwrap_err().refusal.code, Code::TooManyNodes);
    let large = format!("goal: |\n  {}", "a".repeat(1 << 20));
    assert_eq!(read(large.as_bytes()).unwrap_err().refusal.code, Code::TooLarge);
}

/// A task as chance writes it: what it needs are tasks before it.
fn any_task() -> impl Strategy<Value = (String, String, Vec<prop::sample::Index>, bool, u8)> {
    let text = prop_oneof!["[a-z &*:#'\"-]{1,12}", "[襷認証👩‍💻é ]{1,8}", "no|~|1e3|0123|null|- a|\\{\\}"];
    let filled = text.prop_map(|text: String| if text.trim().is_empty() { "x".to_owned() } else { text });
    (filled.clone(), filled, prop::collection::vec(any::<prop::sample::Index>(), 0..4), any::<bool>(), 0u8..4)
}

proptest! {
    #[test]
    fn what_is_written_is_read(tasks in prop::collection::vec(any_task(), 1..20), parallel in 0u16..=64) {
        let name = |at: usize| format!("task-{:03}", at + 1);
        let written = tasks.iter().enumerate().map(|(at, (title, text, needs, any, how))| {
            let needs: Vec<String> = needs.iter().filter(|_| at > 0).map(|need| name(need.index(at))).collect();
            let mut task = json!({"id": name(at), "name": title, "description": text, "dependencies": needs});
            task["join"] = json!(if *any { "any" } else { "all" });
            if let (2.., Some(first)) = (how, needs.first()) {
                task["worktree_strategy"] = json!("Shared");
                task["share_with"] = json!(first);
            }
            task
        });
        let written: Vec<_> = written.collect();
        let json = json!({"parallel": parallel, "tasks": written});
        let plan = good(&json.to_string());
        // The same as YAML by another writer.
        let yaml = serde_yaml::to_string(&json).unwrap();
        prop_assert_eq!(&good(&yaml), &plan, "{}", yaml);
        prop_assert_eq!(plan.parallel, parallel);
        for (task, (title, text, _, any, _)) in plan.tasks.iter().zip(&tasks) {
            prop_assert_eq!((task.name.as_str(), task.description.as_ref()), (title.trim(), text.as_str()));
            prop_assert_eq!(task.join == Join::Any, *any);
            if let Some(TaskTree::SharedWith(owner)) = &task.tree {
                let owner = plan.graph.place(owner).map(|place| &plan.tasks[place].tree);
                let shares = matches!(owner, None | Some(Some(TaskTree::SharedWith(_))));
                prop_assert!(!shares, "whoever shares its worktree has one of its own");
            }
        }
    }
}
