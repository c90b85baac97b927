//! Requests as they are written, good and wrong.

use super::*;
use crate::engine::message::refusal::Code;
use expect_test::{Expect, expect};
use serde_json::json;

/// The call of the document's example, as its front end sends it.
fn example() -> serde_json::Value {
    json!({
        "task": "Implement user authentication system",
        "roles": [
            {"id": "architect", "name": "System Architect", "system_prompt": "Design for scalability", "initial_context": null},
            {"id": "security", "name": "Security Expert", "system_prompt": "Look for vulnerabilities", "initial_context": null},
        ],
        "model": "sonnet",
        "timeout_seconds": 300,
        "preserve_worktrees": false,
        "base_dir": null,
    })
}

fn good(text: &str) -> DebateRequest {
    read(text.as_bytes()).unwrap_or_else(|refusal| panic!("{refusal}"))
}

fn wrong(text: &str, expected: Expect) {
    expected.assert_eq(&format!("{}\n", read(text.as_bytes()).unwrap_err()));
}

#[test]
fn the_documents_request_is_taken_as_it_is_and_wrapped() {
    let request = good(&example().to_string());
    assert_eq!(good(&json!({"request": example()}).to_string()), request);
    assert_eq!(good(&serde_yaml::to_string(&example()).unwrap()), request);
    let ids: Vec<_> = request.roles.iter().map(|role| (role.id.as_str(), role.name.as_str())).collect();
    assert_eq!(ids, [("architect", "System Architect"), ("security", "Security Expert")]);
    assert_eq!(&*request.roles[1].system_prompt, "Look for vulnerabilities");
    assert_eq!(
        (request.model.as_deref(), request.timeout_seconds, request.base_dir),
        (Some("sonnet"), 300, None)
    );
}

#[test]
fn the_smallest_request_has_defaults_and_the_prompts_of_its_language() {
    let request = good("task: 認証を作る\nroles: architect, qa\n");
    assert_eq!(request.roles[0].name, "システムアーキテクト");
    assert!(request.roles[1].system_prompt.starts_with("あなたはQAエンジニア"));
    let head = request.head();
    assert_eq!(
        (
            head.language,
            head.rounds,
            head.parallel,
            head.timeout_seconds,
            head.preserve_worktrees,
            head.baseline
        ),
        (Language::Japanese, 3, 1, 300, false, false)
    );
    assert_eq!((head.budget.is_empty(), head.base_dir, request.model), (true, None, None));
    let english = good(
        "task: sign in\nroles: [qa, {id: security, name: '', system_prompt: ''}, {id: qa2, system_prompt: Test.}]",
    );
    let names: Vec<_> = english.roles.iter().map(|role| role.name.as_str()).collect();
    assert_eq!(names, ["QA Engineer", "Security Expert", "qa2"]);
    let own = good("task: x\nroles: [{id: qa, system_prompt: Mine., name: Mr. 品質}]");
    assert_eq!((own.roles[0].name.as_str(), &*own.roles[0].system_prompt), ("Mr. 品質", "Mine."));
}

#[test]
fn providers_go_round_the_roles_that_name_none() {
    let of = |text: &str| {
        let roles = good(
            &format!("task: x\nroles: [a, b, c, d]\n{text}")
                .replace("a, b, c, d", "architect, {id: qa, provider: ollama}, security, developer"),
        )
        .head()
        .roles;
        let told = |role: RoleTerms| {
            format!("{}/{}", role.provider.unwrap_or_default(), role.model.unwrap_or_default())
        };
        roles.into_iter().map(told).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(of(""), "/ ollama/ / /");
    assert_eq!(of("provider: claude\nmodel: opus"), "claude/opus ollama/ claude/opus claude/opus");
    assert_eq!(of("providers: [claude, codex]"), "claude/ ollama/ codex/ claude/");
    assert_eq!(of("providers: codex"), "codex/ ollama/ codex/ codex/");
    assert_eq!(
        of("providers: [claude, claude]\nmodel: haiku"),
        "claude/haiku ollama/ claude/haiku claude/haiku"
    );
}

#[test]
fn the_head_is_small_and_comes_back() {
    let text = "task: x\nroles: [{id: a, system_prompt: long, model: gpt-5, provider: codex}]\nparallel: 0\nrounds: 5\nbaseline: true\n\
        preserve_worktrees: true\ntimeout_seconds: 86400\nbase_dir: ../他\nbudget: {tokens: 9, cost_usd: 2.5, minutes: 7}\n";
    let head = good(text).head();
    let json = serde_json::to_string(&head).unwrap();
    expect![[r#"{"roles":[{"id":"a","name":"a","provider":"codex","model":"gpt-5"}],"language":"english","rounds":5,"parallel":0,"timeout_seconds":86400,"preserve_worktrees":true,"baseline":true,"budget":{"tokens":9,"cost_micro_usd":2500000,"minutes":7},"base_dir":"../他"}"#]].assert_eq(&json);
    assert_eq!(serde_json::from_str::<DebateTerms>(&json).unwrap(), head);
    let small = serde_json::to_string(&good("task: x\nroles: qa").head()).unwrap();
    expect![[r#"{"roles":[{"id":"qa","name":"QA Engineer"}],"language":"english","rounds":3,"parallel":1,"timeout_seconds":300}"#]].assert_eq(&small);
}

#[test]
fn all_mistakes_are_told_at_once_with_line_and_cure() {
    wrong(
        "taks: x\nroles:\n  - sekurity\n  - {id: Architect}\n  - {id: dba, name: DBA}\n  - {id: qa, initial_context: [../x, a/../../b]}\n  - qa\nmodel: --evil\n",
        expect![[r#"
            line 1, column 1: `taks` is no key of a debate's request; did you mean `task`?
              1 | taks: x
            Cure: use one of the keys that a request has, or take the line out.

            line 3, column 5: `sekurity` is named alone, and the built-in roles are architect, security, qa, developer, performance, product; did you mean `security`?
              3 |   - sekurity
            Cure: name a built-in role, or write `{id: NAME, system_prompt: TEXT}` for one of your own.

            line 4, column 10: `Architect` is no id of a role, which is `[a-z0-9][a-z0-9_-]{0,16}`; did you mean `architect`?
              4 |   - {id: Architect}
            Cure: use small letters, digits, `-` and `_`, at most 17 of them.

            line 5, column 10: the role `dba` has no `system_prompt`, and the built-in roles are architect, security, qa, developer, performance, product.
              5 |   - {id: dba, name: DBA}
            Cure: name a built-in role, or write `{id: NAME, system_prompt: TEXT}` for one of your own.

            line 6, column 32: `initial_context`: `../x` leaves the folder of the debate.
              6 |   - {id: qa, initial_context: [../x, a/../../b]}
            Cure: name files inside of the folder of the debate (`base_dir`).

            line 6, column 38: `initial_context`: `a/../../b` leaves the folder of the debate.
              6 |   - {id: qa, initial_context: [../x, a/../../b]}
            Cure: name files inside of the folder of the debate (`base_dir`).

            line 7, column 5: the role `qa` is already on line 6.
              7 |   - qa
            Cure: give each role an `id` of its own.

            line 8, column 8: `model`: `--evil` begins with a dash.
              8 | model: --evil
            Cure: write the name of the model alone, such as `sonnet`.
        "#]],
    );
}

#[test]
fn mistakes_in_values_say_what_they_may_be() {
    wrong(
        "task: x\nroles: qa\ntimeout: 5m\nparallel: -1\nrounds: 6\nbudget: {tokens: 0, cost_usd: free, hours: 1}\n",
        expect![[r#"
            line 3, column 1: `timeout` is no key of a debate's request; did you mean `timeout_seconds`?
              3 | timeout: 5m
            Cure: use one of the keys that a request has, or take the line out.

            line 4, column 11: `parallel`: `-1` is not a whole number from 1 to 64, or 0 for all roles at once.
              4 | parallel: -1
            Cure: use a value within the range given, without a unit.

            line 5, column 9: `rounds`: `6` is not a whole number from 2 to 5.
              5 | rounds: 6
            Cure: use a value within the range given, without a unit.

            line 6, column 18: `tokens`: `0` is not a whole number of tokens from 1 to 1000000000000.
              6 | budget: {tokens: 0, cost_usd: free, hours: 1}
            Cure: use a value within the range given, without a unit.

            line 6, column 31: `cost_usd`: `free` is not a number of US dollars up to 1000000, such as 2.5.
              6 | budget: {tokens: 0, cost_usd: free, hours: 1}
            Cure: use a value within the range given, without a unit.

            line 6, column 37: `hours` is no key of `budget`; its keys are tokens, cost_usd, minutes.
              6 | budget: {tokens: 0, cost_usd: free, hours: 1}
            Cure: use one of the keys that a request has, or take the line out.
        "#]],
    );
}

#[test]
fn values_that_are_there_and_say_nothing_are_told() {
    wrong(
        "task: ' '\nroles: []\ntimeout_seconds: 5m\npreserve_worktrees: yes\nbaseline: 1\nbase_dir: ''\nprovider: Claude\nproviders: [claude]\n",
        expect![[r#"
            line 1, column 7: `task`: ` ` has nothing but white space.
              1 | task: ' '
            Cure: write into `task:` what is to be debated.

            line 2, column 8: `roles` is empty, so there is nobody to debate.
              2 | roles: []
            Cure: write `roles:` with one role at least, such as [architect, security, qa].

            line 3, column 18: `timeout_seconds`: `5m` is not a whole number of seconds from 5 to 86400; did you mean `300`?
              3 | timeout_seconds: 5m
            Cure: use a value within the range given, without a unit.

            line 4, column 21: `preserve_worktrees`: `yes` is not one of true, false.
              4 | preserve_worktrees: yes
            Cure: use one of the words listed.

            line 5, column 11: `baseline`: `1` is not one of true, false.
              5 | baseline: 1
            Cure: use one of the words listed.

            line 6, column 11: `base_dir`: `` is empty.
              6 | base_dir: ''
            Cure: write something there, or leave the key out.

            line 7, column 11: `provider`: `Claude` has 'C' at byte 0, which is not allowed; use [a-z0-9][a-z0-9_-]{0,63}.
              7 | provider: Claude
            Cure: use the name of a profile, such as `claude`.
        "#]],
    );
}

#[test]
fn what_is_at_odds_with_something_else_is_told() {
    wrong(
        "task: x\nroles: {qa: true}\nmodel: a b\nprovider: claude\nproviders: [codex]\n",
        expect![[r#"
        line 2, column 8: `roles` must be a list of roles: architect, security, qa, developer, performance, product, or maps with `id` and `system_prompt`, not a map.
          2 | roles: {qa: true}
        Cure: write `roles:` with one role at least, such as [architect, security, qa].

        line 3, column 8: `model`: `a b` has blanks, or characters that are not printed.
          3 | model: a b
        Cure: write the name of the model alone, such as `sonnet`.

        line 5, column 1: there are both `provider` and `providers`, and one of them says who the roles are.
          5 | providers: [codex]
        Cure: keep one of the two.
    "#]],
    );
    wrong(
        "task: x\nroles: [baseline, {id: baseline, system_prompt: p}, qa, qa]\nbaseline: true\nmodel: opus\nproviders: claude,codex\n",
        expect![[r#"
            line 2, column 9: `baseline` is named alone, and the built-in roles are architect, security, qa, developer, performance, product.
              2 | roles: [baseline, {id: baseline, system_prompt: p}, qa, qa]
            Cure: name a built-in role, or write `{id: NAME, system_prompt: TEXT}` for one of your own.

            line 2, column 24: no role can be called `baseline` beside `baseline: true`.
              2 | roles: [baseline, {id: baseline, system_prompt: p}, qa, qa]
            Cure: give each role an `id` of its own.

            line 2, column 57: the role `qa` is named twice.
              2 | roles: [baseline, {id: baseline, system_prompt: p}, qa, qa]
            Cure: give each role an `id` of its own.

            line 4, column 1: there are both `model` and several `providers`, and no model is one of them all.
              4 | model: opus
            Cure: take `model` out, and give each role its own `provider` and `model`.
        "#]],
    );
}

#[test]
fn limits_hold_at_their_edges() {
    let code =
        |text: &str| read(text.as_bytes()).err().map(|refusal| (refusal.refusal.code, refusal.refusal.field));
    let task = |length: usize| code(&json!({"task": "あ".repeat(length / 3), "roles": ["qa"]}).to_string());
    assert_eq!(task(TASK_BYTES_MAX), None);
    assert_eq!(task(TASK_BYTES_MAX + 3), Some((Code::ContentTooLarge, Some("task"))));
    let roles = |number: usize| {
        let roles: Vec<_> =
            (0..number).map(|at| json!({"id": format!("r{at}"), "system_prompt": "p"})).collect();
        code(&json!({"task": "x", "roles": roles}).to_string())
    };
    assert_eq!(roles(ROLES_MAX), None);
    assert_eq!(roles(ROLES_MAX + 1), Some((Code::TooMany, Some("roles"))));
    let role = |role: serde_json::Value| code(&json!({"task": "x", "roles": [role]}).to_string());
    let id = |id: &str| role(json!({"id": id, "system_prompt": "p"}));
    for good in ["a", "0", "a_b-c", "abcdefghijklmnopq"] {
        assert_eq!(id(good), None, "{good}");
    }
    for bad in ["", "-a", "_a", "A", "a.b", "a/b", "役割", "abcdefghijklmnopqr", "a b"] {
        assert!(id(bad).is_some_and(|(code, _)| code == Code::BadId), "{bad}");
    }
    let prompt = |length: usize| role(json!({"id": "a", "system_prompt": "x".repeat(length)}));
    assert_eq!(prompt(SYSTEM_PROMPT_BYTES_MAX), None);
    assert_eq!(prompt(SYSTEM_PROMPT_BYTES_MAX + 1), Some((Code::ContentTooLarge, Some("system_prompt"))));
    let files = |number: usize| role(json!({"id": "qa", "initial_context": vec!["a"; number]}));
    assert_eq!(files(CONTEXT_FILES_MAX), None);
    assert_eq!(files(CONTEXT_FILES_MAX + 1), Some((Code::TooMany, Some("initial_context"))));
    assert_eq!(role(json!({"id": "qa", "initial_context": "/etc/passwd"})), None);
}

#[test]
fn limits_of_values_hold_at_their_edges() {
    let field = |line: &str| read(format!("task: x\nroles: qa\n{line}").as_bytes()).err();
    for good in [
        "timeout_seconds: 5",
        "timeout_seconds: 86400",
        "rounds: 2",
        "rounds: 5",
        "parallel: 64",
        "model: claude-opus-4-20250514",
        "model: ollama/qwen3:8b",
        "budget: {cost_usd: 0.000001}",
        "budget: null",
        "budget: {cost_usd: 1000000}",
    ] {
        assert_eq!(field(good), None, "{good}");
    }
    for bad in [
        "timeout_seconds: 4",
        "timeout_seconds: 86401",
        "timeout_seconds: 1e2",
        "rounds: 1",
        "parallel: 65",
        "model: ''",
        "model: -x",
        "model: \"a\\u200bb\"",
        "model: [a]",
        "budget: {cost_usd: 0}",
        "budget: {cost_usd: 1e3}",
        "budget: {cost_usd: 0.0000001}",
        "budget: {cost_usd: 1000000.1}",
        "budget: 5",
    ] {
        assert!(field(bad).is_some(), "{bad}");
    }
    assert!(field(&format!("model: {}", "x".repeat(MODEL_BYTES_MAX))).is_none());
    assert!(field(&format!("model: {}", "x".repeat(MODEL_BYTES_MAX + 1))).is_some());
}

/// What is told of a request with options beside it.
fn told(text: Option<&str>, options: &serde_json::Value) -> String {
    read(with_options(text, options).as_bytes())
        .err()
        .map_or_else(String::new, |refusal| format!("{refusal}\n"))
}

#[test]
fn options_take_the_place_of_what_a_file_says() {
    let file = "request:\n  task: 認証?\n  roles: [qa, {id: dba, system_prompt: p, initial_context: [a.md], model: own}]\n  \
                providers: [claude, codex]\n  rounds: 4\n  timeout_seconds: 90\n  budget: {tokens: 7, minutes: 3}\n";
    let with = |options: serde_json::Value| read(with_options(Some(file), &options).as_bytes()).unwrap();
    assert_eq!(with(json!({})), read(file.as_bytes()).unwrap());
    let changed = with(json!({
        "rounds": 2, "parallel": 0, "timeout_seconds": 30, "preserve_worktrees": true, "provider": "js", "model": "m",
        "budget": {"minutes": 9, "cost_usd": "1.5"}, "initial_context": ["F", "G"],
    }));
    assert_eq!((changed.rounds, changed.parallel, changed.timeout_seconds), (2, 0, 30));
    assert!(changed.preserve_worktrees && changed.providers.is_empty() && &*changed.task == "認証?");
    assert_eq!(
        changed.budget,
        BudgetTerms { tokens: Some(7), cost_micro_usd: Some(1_500_000), minutes: Some(9) }
    );
    assert!(changed.roles.iter().all(|role| role.initial_context == ["F", "G"]), "{:?}", changed.roles);
    let models = changed.head().roles.into_iter().map(|role| (role.provider.unwrap(), role.model.unwrap()));
    assert_eq!(
        models.collect::<Vec<_>>(),
        [("js".to_owned(), "m".to_owned()), ("js".to_owned(), "own".to_owned())]
    );
    let roles = with(json!({"roles": ["security"], "providers": ["js"]}));
    assert_eq!(
        (&*roles.roles[0].id, roles.roles.len(), roles.providers),
        ("security", 1, vec!["js".to_owned()])
    );
}

#[test]
fn a_mistake_in_an_option_is_told_by_its_name_and_one_in_a_file_by_its_line() {
    let file = "task: x\nroles: [qa, qa]\nmodel: a b\nrounds: 9\n";
    let options = json!({"rounds": 1, "timeout_seconds": 2, "budget": {"cost_usd": "nan"}, "base_dir": ""});
    expect![[r#"
        `--timeout`: `2` is not a whole number of seconds from 5 to 86400.
        Cure: use a duration within that range, such as 90s, 5m or 1h.

        `--base-dir`: `` is empty.
        Cure: name a folder, or leave the option out.

        `--rounds`: `1` is not a whole number from 2 to 5.
        Cure: use a value within the range given.

        `--budget-cost`: `nan` is not a number of US dollars up to 1000000, such as 2.5.
        Cure: use a value within the range given.

        line 2, column 13: the role `qa` is named twice.
          2 | roles: [qa, qa]
        Cure: give each role an `id` of its own.

        line 3, column 8: `model`: `a b` has blanks, or characters that are not printed.
          3 | model: a b
        Cure: write the name of the model alone, such as `sonnet`.
    "#]]
    .assert_eq(&told(Some(file), &options));
    expect![[r#"
        `TASK`: `` has nothing but white space.
        Cure: say in words what is to be debated, or name a file with a request.

        the role `qa` is named twice.
        Cure: name each role once.

        `--context`: `` is empty.
        Cure: name a file, or leave the option out.
    "#]]
    .assert_eq(&told(None, &json!({"task": "", "roles": ["qa", "qa"], "initial_context": [""]})));
    let inf = |cost: &str| told(None, &json!({"task": "x", "roles": ["qa"], "budget": {"cost_usd": cost}}));
    for cost in ["nan", "NaN", "inf", "-inf", "1e400", "-1", ""] {
        assert!(inf(cost).contains("--budget-cost"), "{cost}: {}", inf(cost));
    }
    assert_eq!(inf("0.5"), "");
    assert!(told(Some("task: [\n"), &json!({"rounds": 2})).starts_with("line "));
    assert!(told(Some("a word"), &json!({"rounds": 2})).contains("not a map"));
}

#[test]
fn mistakes_at_the_door_are_told_at_once_each_with_its_line() {
    let file = "task: x\nroles:\n  - qa\n  - id: dba\n    system_prompt: p\n    initial_context: [a.md, b.md]\n    model: m\nproviders: [claude,\n  nobody]\n";
    let refusal = |code, why: &str| Refusal::new(code, why);
    let mistakes = || {
        vec![
            (
                Spot { item: 1, ..Spot::of("providers") },
                refusal(Code::UnknownWord, "there is no profile `nobody`"),
            ),
            (
                Spot { item: 1, ..Spot::of_role(1, "initial_context") },
                refusal(Code::Unreadable, "cannot read `b.md`"),
            ),
            (Spot::of_role(0, "initial_context"), refusal(Code::Unreadable, "cannot read `b.md`")),
            (Spot::of_role(1, "model"), refusal(Code::UnknownWord, "it takes no model")),
            (Spot::of("base_dir"), refusal(Code::NoRepository, "there is none")),
        ]
    };
    let lines = |body: &str| {
        let told = at_door(body.as_bytes(), mistakes()).expect("mistakes");
        let all = std::iter::once(&told).chain(&told.others);
        let line = |one: &PlanRefusal| {
            format!("{:?} {} {}", one.refusal.line, one.refusal.field.unwrap(), one.refusal.why)
        };
        all.map(line).collect::<Vec<_>>().join("\n")
    };
    expect![[r#"
        Some(1) base_dir there is none
        Some(3) initial_context cannot read `b.md`
        Some(6) initial_context cannot read `b.md`
        Some(7) model it takes no model
        Some(9) providers there is no profile `nobody`"#]]
    .assert_eq(&lines(file));
    let options = json!({"initial_context": ["b.md", "b.md"], "base_dir": "gone", "model": "m"});
    // What is wrong in the request itself is told with it.
    expect![[r#"
        None --model there are both `--model` and several `providers`, and no model is one of them all
        None --context cannot read `b.md`
        None --base-dir there is none
        Some(7) model it takes no model
        Some(9) providers there is no profile `nobody`"#]]
    .assert_eq(&lines(&with_options(Some(file), &options)));
    let options =
        json!({"keep": true, "襷": 1, "budget": {"coins": 1}, "roles": [{"id": "qa", "prompt": "x"}]});
    let told = at_door(with_options(Some(file), &options).as_bytes(), Vec::new()).expect("mistakes");
    let keys = std::iter::once(&told).chain(&told.others).map(|one| one.refusal.key().unwrap());
    let expected = ["options.keep", "options.襷", "options.roles.prompt", "options.budget.coins"];
    assert_eq!(keys.collect::<Vec<_>>(), expected);
    assert_eq!(at_door(file.as_bytes(), Vec::new()), None);
    for (text, has_folder) in [
        ("base_dir: ''", false),
        ("basedir: x", false),
        ("folder: x", false),
        ("keep: true", true),
        ("base_dir: x", true),
    ] {
        let sketch = sketch(format!("task: x\nroles: qa\n{text}\n").as_bytes()).expect("keys");
        assert_eq!((sketch.has_folder, sketch.is_good), (has_folder, text == "base_dir: x"), "{text}");
    }
}

#[test]
fn a_request_is_known_by_its_keys_right_or_wrong() {
    for (text, is) in [
        ("task: x\nroles: 5\nrounds: many\n", true),
        ("request:\n  task: x\n", true),
        ("request: {}\noptions: {rounds: 2}\n", true),
        ("to: a\ntask: x\nroles: y\n", false),
        ("to: a\nrequest: please\ncontent: x\n", false),
        ("options: {rounds: 2}\n", false),
        ("- task\n", false),
    ] {
        assert_eq!(is_request(text.as_bytes()), is, "{text}");
    }
}
