//! Plans as editors and other programs see them: the schema says what the reader reads, and the example is good by both.

mod wrong;

use serde_json::{Value, json};
use std::path::Path;
use tasuki::wire::session::plan::{PLAN_KEYS, TASK_KEYS, read, schema};

fn at(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn example() -> String {
    std::fs::read_to_string(at("protocol/examples/sign-in.plan.yaml")).unwrap()
}

#[test]
fn the_schema_of_a_plan_is_that_of_its_reader() {
    let (path, text) = (at("protocol/plan.schema.json"), format!("{:#}\n", schema()));
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        there == text,
        "protocol/plan.schema.json is out of date; write it anew with UPDATE_DOCS=1 cargo test"
    );
    let schema = schema();
    for (properties, keys) in
        [(&schema["properties"], &PLAN_KEYS[..]), (&schema["$defs"]["task"]["properties"], &TASK_KEYS[..])]
    {
        let mut named: Vec<&str> = properties.as_object().unwrap().keys().map(String::as_str).collect();
        let mut read = keys.to_vec();
        named.sort_unstable();
        read.sort_unstable();
        assert_eq!(named, read);
    }
}

#[test]
fn the_example_of_a_plan_is_good_by_reader_and_schema() {
    let text = example();
    let plan = read(text.as_bytes()).unwrap_or_else(|refusal| panic!("{refusal}"));
    assert_eq!((plan.tasks.len(), plan.parallel), (4, 2));
    let value: Value = serde_yaml::from_str(&text).unwrap();
    assert!(is_valid(&value), "{value:#}");
}

fn is_valid(plan: &Value) -> bool {
    jsonschema::draft202012::options().build(&schema()).expect("a schema").is_valid(plan)
}

/// What the schema refuses the reader refuses as well, and the other way round as far as a schema can say it.
#[test]
fn schema_and_reader_agree() {
    let with = |keys: Value| {
        let mut task = json!({"name": "名前", "description": "d 👩‍💻"});
        task.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
        json!({"tasks": [{"id": "task-10", "name": "a", "description": "b"}, task]})
    };
    let good = [
        json!({}),
        json!({"id": "task-001", "dependencies": ["task-10"], "join": "any"}),
        json!({"dependencies": ["task-10"], "worktree_strategy": "shared", "share_with": "task-10"}),
        json!({"to": "coder"}),
        json!({"hire": "claude"}),
        json!({"hire": {"like": "coder", "model": "x"}}),
        json!({"timeout": "30m", "touches": ["src/**"], "expect": {"commit": true, "files": ["a"], "command": ["test"]}}),
    ];
    let bad = [
        json!({"id": "1"}),
        json!({"name": ""}),
        json!({"name": "x".repeat(201)}),
        json!({"description": ""}),
        json!({"dependencies": ["10"]}),
        json!({"join": "both"}),
        json!({"worktree_strategy": "Old"}),
        json!({"to": "Coder"}),
        json!({"hire": {"model": "x"}}),
        json!({"hire": {"like": "a", "provider": "b"}}),
        json!({"expect": {"commits": true}}),
        json!({"wibble": 1}),
    ];
    for (all, is_good) in [(&good[..], true), (&bad[..], false)] {
        for keys in all {
            let plan = with(keys.clone());
            let read = read(plan.to_string().as_bytes());
            assert_eq!(read.is_ok(), is_good, "{keys}: {read:?}");
            assert_eq!(is_valid(&plan), is_good, "{keys}");
        }
    }
    for wrong in
        [json!({}), json!({"tasks": []}), json!([]), json!({"tasks": [{"name": "a"}]}), json!({"tasks": {}})]
    {
        assert!(read(wrong.to_string().as_bytes()).is_err() && !is_valid(&wrong), "{wrong}");
    }
    for (key, value) in
        [("parallel", json!(65)), ("on_failure", json!("halt")), ("name", json!("")), ("gaol", json!("x"))]
    {
        let mut plan = with(json!({}));
        plan[key] = value;
        assert!(read(plan.to_string().as_bytes()).is_err() && !is_valid(&plan), "{plan}");
    }
}
