//! Requests of debates as editors and other programs see them: the schema says what the reader reads, the example is good by both, and
//! nothing that anybody sends brings the reader down.

use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tasuki::wire::debate::request::{BUDGET_KEYS, REQUEST_KEYS, ROLE_KEYS, read, schema};

fn at(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn is_valid(request: &Value) -> bool {
    jsonschema::draft202012::options().build(&schema()).expect("a schema").is_valid(request)
}

#[test]
fn the_schema_of_a_request_is_that_of_its_reader() {
    let (path, text) = (at("protocol/debate.schema.json"), format!("{:#}\n", schema()));
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        there == text,
        "protocol/debate.schema.json is out of date; write it anew with UPDATE_DOCS=1 cargo test"
    );
    let schema = schema();
    let role = &schema["$defs"]["role"]["oneOf"][1];
    for (within, keys) in [
        (&schema, &REQUEST_KEYS[..]),
        (role, &ROLE_KEYS[..]),
        (&schema["properties"]["budget"], &BUDGET_KEYS[..]),
    ] {
        let mut named: Vec<&str> =
            within["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        let mut read = keys.to_vec();
        named.sort_unstable();
        read.sort_unstable();
        assert_eq!(named, read);
    }
}

#[test]
fn the_example_of_a_request_is_good_by_reader_and_schema() {
    let text = std::fs::read_to_string(at("protocol/examples/amounts.debate.yaml")).unwrap();
    let request = read(text.as_bytes()).unwrap_or_else(|refusal| panic!("{refusal}"));
    assert_eq!((request.roles.len(), request.rounds, request.parallel), (3, 3, 0));
    let value: Value = serde_yaml::from_str(&text).unwrap();
    assert!(is_valid(&value), "{value:#}");
}

#[test]
fn schema_and_reader_agree() {
    let with = |keys: Value| {
        let mut request =
            json!({"task": "認証 👩‍💻", "roles": ["architect", {"id": "dba", "system_prompt": "p"}]});
        request.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
        request
    };
    let good = [
        json!({}),
        json!({"roles": "qa,security", "model": null, "base_dir": null}),
        json!({"roles": [{"id": "qa", "name": null, "system_prompt": null, "initial_context": null}], "model": "gpt-5"}),
        json!({"providers": ["claude", "codex"], "parallel": 0, "rounds": 5, "baseline": true, "timeout_seconds": 5}),
        json!({"budget": {"tokens": 1, "cost_usd": 0.5, "minutes": 3}, "preserve_worktrees": true, "provider": "claude"}),
        json!({"roles": [{"id": "a", "system_prompt": "p", "initial_context": ["a.md"], "provider": "x", "model": "y"}]}),
    ];
    let bad = [
        json!({"task": ""}),
        json!({"roles": []}),
        json!({"roles": ["dba"]}),
        json!({"roles": [{"id": "dba"}]}),
        json!({"roles": [{"id": "Dba", "system_prompt": "p"}]}),
        json!({"roles": [{"id": "qa", "promt": "p"}]}),
        json!({"roles": {"qa": {}}}),
        json!({"model": "a b"}),
        json!({"model": "-x"}),
        json!({"timeout_seconds": 4}),
        json!({"rounds": 6}),
        json!({"parallel": 65}),
        json!({"budget": {"tokens": 0}}),
        json!({"budget": {"hours": 1}}),
        json!({"provider": "Claude"}),
        json!({"base_dir": ""}),
        json!({"wibble": 1}),
    ];
    for (all, is_good) in [(&good[..], true), (&bad[..], false)] {
        for keys in all {
            let request = with(keys.clone());
            let read = read(request.to_string().as_bytes());
            assert_eq!(read.is_ok(), is_good, "{keys}: {read:?}");
            assert_eq!(is_valid(&request), is_good, "{keys}");
        }
    }
}

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z0-9 ,./_-]{0,20}".prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        proptest::sample::select(vec![
            "qa",
            "architect",
            "claude",
            "sonnet",
            "..",
            "a/..",
            "a/../..",
            "1e400",
            "\u{0}"
        ])
        .prop_map(Value::from),
    ]
}

fn object<S: Strategy<Value = Value>>(
    keys: &[&'static str],
    value: S,
) -> impl Strategy<Value = Value> + use<S> {
    let key = proptest::sample::select(keys.to_vec()).prop_map(str::to_owned);
    proptest::collection::vec((key, value), 0..8).prop_map(|all| Value::Object(all.into_iter().collect()))
}

/// Roles that are nearly good.
fn roles() -> impl Strategy<Value = Value> {
    let list = proptest::collection::vec(leaf(), 0..3).prop_map(Value::from);
    let role = object(&ROLE_KEYS, prop_oneof![leaf(), list]);
    proptest::collection::vec(prop_oneof![leaf(), role], 1..4).prop_map(Value::from)
}

/// A value of any kind under a key of a request, a role or a budget.
fn value() -> impl Strategy<Value = Value> {
    let keys: Vec<&str> = [&REQUEST_KEYS[..], &ROLE_KEYS, &BUDGET_KEYS, &["request", "wibble"]].concat();
    leaf().prop_recursive(3, 40, 5, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            object(&keys, inner),
        ]
    })
}

proptest! {
    #[test]
    fn whatever_is_sent_is_read_or_refused_with_a_cure(
        keys in proptest::collection::vec((proptest::sample::select(REQUEST_KEYS.to_vec()), value()), 0..12),
        roles in roles(), at in any::<prop::sample::Index>(), byte in any::<u8>(),
    ) {
        let mut request = json!({"task": "認証", "roles": roles});
        request.as_object_mut().unwrap().extend(keys.into_iter().map(|(key, value)| (key.to_owned(), value)));
        let texts = [request.to_string(), serde_yaml::to_string(&request).unwrap()];
        for mut bytes in texts.map(String::into_bytes) {
            for _ in 0..2 {
                match read(&bytes) {
                    Ok(request) => {
                        let head = request.head();
                        let text = serde_json::to_string(&head).unwrap();
                        prop_assert_eq!(serde_json::from_str::<tasuki::wire::debate::request::DebateTerms>(&text).unwrap(), head);
                    }
                    Err(refusal) => prop_assert!(!refusal.cure.is_empty() && refusal.to_string().contains("Cure: ")),
                }
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
        }
    }
}
