//! Plans that are wrong, each with all that is told of it.

use expect_test::{Expect, expect};
use tasuki::engine::flow::plan::Plan;
use tasuki::wire::session::plan::{NAME_CHARS_MAX, read};

fn good(text: &str) -> Plan {
    read(text.as_bytes()).unwrap_or_else(|refusal| panic!("{refusal}"))
}

/// What is told of plans that are wrong, one below the other.
fn wrong(plans: &[&str], told: &Expect) {
    let said = |text: &&str| read(text.as_bytes()).expect_err(text).to_string();
    told.assert_eq(&plans.iter().map(said).collect::<Vec<_>>().join("\n\n"));
}

#[test]
fn what_is_no_plan_is_told() {
    wrong(
        &[
            "",
            "# nothing\n",
            "---\n",
            "- a\n",
            "ただの文章です",
            "{}",
            "tasks: []",
            "tasks: {name: a}",
            "tasks: [a]",
            "tasks: [{name: a, description: b}]\n---\ntasks: []\n",
            "tasks: [{name: a",
            "tasks:\n\t- a\n",
            "tasks: &a [*a]",
            "tasks: !!x []",
            "a: 1\na: 2\n",
        ],
        &expect![[r#"
            line 1, column 1: the file is empty.
            Cure: write `tasks:` and below it a list of tasks, each with `name:` and `description:`.

            line 1, column 1: there is nothing but white space and comments.
              1 | # nothing
            Cure: write `tasks:` and below it a list of tasks, each with `name:` and `description:`.

            line 1, column 1: there is nothing but white space and comments.
              1 | ---
            Cure: write `tasks:` and below it a list of tasks, each with `name:` and `description:`.

            line 1, column 1: the document is a list, not a map.
              1 | - a
            Cure: write `tasks:` and below it a list of tasks, each with `name:` and `description:`.

            line 1, column 1: the document is `ただの文章です`, not a map.
              1 | ただの文章です
            Cure: write `tasks:` and below it a list of tasks, each with `name:` and `description:`.

            line 1, column 1: `tasks` is missing: it must be a list of tasks, each with `name:` and `description:`.
              1 | {}
            Cure: write `tasks:` and below it a list of tasks, each with `name:` and `description:`.

            line 1, column 8: `tasks` is empty, so there is nothing to do.
              1 | tasks: []
            Cure: write one task at least, such as `- {name: Keys, description: Write src/keys.rs.}`.

            line 1, column 8: `tasks` must be a list of tasks, each with `name:` and `description:`, not a map.
              1 | tasks: {name: a}
            Cure: write `tasks:` and below it a list of tasks, each with `name:` and `description:`.

            line 1, column 9: `tasks` must be a list of maps, each with `name:` and `description:`, not `a`.
              1 | tasks: [a]
            Cure: write `tasks:` and below it a list of tasks, each with `name:` and `description:`.

            line 3, column 1: there is a second document behind a `---`.
              3 | tasks: []
            Cure: write one plan, without a `---` in it.

            line 1, column 9: unclosed bracket '{'.
              1 | tasks: [{name: a
            Cure: close what is open there, and send the plan to its end.

            line 2, column 1: a tab indents this line, and YAML allows only spaces there.
              2 | \t- a
            Cure: correct the YAML there: indent with spaces, not tabs; text with `: `, ` #` or a quote in it belongs in quotes or below `description: |`.

            line 1, column 8: `&` names a value for use elsewhere.
              1 | tasks: &a [*a]
            Cure: write the value out; text that begins with `&` or `*` belongs in quotes or below `description: |`.

            line 1, column 8: there is a tag, `!!x`.
              1 | tasks: !!x []
            Cure: remove the `!tag`; text that begins with `!` belongs in quotes or below `description: |`.

            line 2, column 1: the key `a` is already on line 1.
              2 | a: 2
            Cure: keep one of the two."#]],
    );
}

#[test]
fn what_is_wrong_with_a_plan_is_told() {
    let task = "tasks: [{name: a, description: b}]\n";
    let plan = |line: &str| format!("{line}\n{task}");
    let plans = [
        "paralel: 4",
        "tsks: 1",
        "wibble: 1",
        "parallel: 65",
        "parallel: -1",
        "parallel: four",
        "parallel: 1.5",
        "on_failure: halt",
        "on_failure: Stop",
        "goal: [a]",
        "name: \"a\\nb\"",
        "name: \"\\u202eb\"",
    ]
    .map(plan);
    wrong(
        &plans.iter().map(String::as_str).collect::<Vec<_>>(),
        &expect![[r#"
            line 1, column 1: `paralel` is no key of a plan; did you mean `parallel`?
              1 | paralel: 4
            Cure: use one of the keys that a plan has, or take the line out.

            line 1, column 1: `tsks` is no key of a plan; did you mean `tasks`?
              1 | tsks: 1
            Cure: use one of the keys that a plan has, or take the line out.

            line 1, column 1: `wibble` is no key of a plan; its keys are goal, name, on_failure, parallel, pr, tasks.
              1 | wibble: 1
            Cure: use one of the keys that a plan has, or take the line out.

            line 1, column 11: `parallel`: `65` is not a whole number from 1 to 64, or 0 for as many as there are.
              1 | parallel: 65
            Cure: use a value within the range given.

            line 1, column 11: `parallel`: `-1` is not a whole number from 1 to 64, or 0 for as many as there are.
              1 | parallel: -1
            Cure: use a value within the range given.

            line 1, column 11: `parallel`: `four` is not a whole number from 1 to 64, or 0 for as many as there are.
              1 | parallel: four
            Cure: use a value within the range given.

            line 1, column 11: `parallel`: `1.5` is not a whole number from 1 to 64, or 0 for as many as there are.
              1 | parallel: 1.5
            Cure: use a value within the range given.

            line 1, column 13: `on_failure`: `halt` is not one of stop, skip, continue.
              1 | on_failure: halt
            Cure: use one of the words listed.

            line 1, column 13: `on_failure`: `Stop` is not one of stop, skip, continue.
              1 | on_failure: Stop
            Cure: use one of the words listed.

            line 1, column 7: `goal` must be a text, not a list.
              1 | goal: [a]
            Cure: write it as the JSON Schema of plans has it (protocol/plan.schema.json).

            line 1, column 7: `name`: `a\nb` is not one line of plain text.
              1 | name: "a\nb"
            Cure: write it in one line, and take invisible and control characters out.

            line 1, column 7: `name`: `\u{202e}b` is not one line of plain text.
              1 | name: "\u202eb"
            Cure: write it in one line, and take invisible and control characters out."#]],
    );
}

#[test]
fn what_is_wrong_with_a_task_is_told() {
    let task = |keys: &str| format!("tasks:\n  - name: a\n    description: b\n    {keys}\n");
    let plans = [
        "dependencys: [task-1]",
        "id: 1",
        "id: task-x",
        "id: Task-1",
        "dependencies: [1]",
        "dependencies: {a: b}",
        "join: some",
        "worktree_strategy: Share",
        "worktree_strategy: 共有",
        "share_with: one",
        "to: Coder",
        "to: ../x",
        "hire: [a]",
        "hire: {model: x}",
        "hire: {like: a, provider: b}",
        "hire: {lke: a}",
        "hire: {like: a, model: --x}",
        "hire: a\n    to: b",
        "timeout: 5",
        "timeout: 0s",
        "expect: {commits: true}",
        "expect: true",
        "touches: [/etc]",
        "touches: [a/../../b]",
        "touches: [~/x]",
        "touches: ['']",
        "touches: [\"a\\0\"]",
        "depends_on: [task-1]",
        "agent: coder",
    ]
    .map(task);
    wrong(
        &plans.iter().map(String::as_str).collect::<Vec<_>>(),
        &expect![[r#"
            line 4, column 5: `dependencys` is no key of a task; did you mean `dependencies`?
              4 |     dependencys: [task-1]
            Cure: use one of the keys that a plan has, or take the line out.

            line 4, column 9: `id`: `1` is not `task-` and a number.
              4 |     id: 1
            Cure: call it `task-` and a number, such as task-1, or leave `id` out of all tasks.

            line 4, column 9: `id`: `task-x` is not `task-` and a number.
              4 |     id: task-x
            Cure: call it `task-` and a number, such as task-1, or leave `id` out of all tasks.

            line 4, column 9: `id`: `Task-1` is not `task-` and a number.
              4 |     id: Task-1
            Cure: call it `task-` and a number, such as task-1, or leave `id` out of all tasks.

            line 4, column 20: `dependencies`: `1` is not `task-` and a number.
              4 |     dependencies: [1]
            Cure: call it `task-` and a number, such as task-1, or leave `id` out of all tasks.

            line 4, column 19: `dependencies` must be a text, not a map.
              4 |     dependencies: {a: b}
            Cure: write it as the JSON Schema of plans has it (protocol/plan.schema.json).

            line 4, column 11: `join`: `some` is not one of all, any.
              4 |     join: some
            Cure: use one of the words listed.

            line 4, column 24: `worktree_strategy`: `Share` is not one of New, Shared; did you mean `Shared`?
              4 |     worktree_strategy: Share
            Cure: use one of the words listed.

            line 4, column 24: `worktree_strategy`: `共有` is not one of New, Shared.
              4 |     worktree_strategy: 共有
            Cure: use one of the words listed.

            line 4, column 17: `share_with`: `one` is not `task-` and a number.
              4 |     share_with: one
            Cure: call it `task-` and a number, such as task-1, or leave `id` out of all tasks.

            line 4, column 9: `to`: `Coder` has 'C' at byte 0, which is not allowed; use [a-z0-9][a-z0-9_-]{0,63}.
              4 |     to: Coder
            Cure: use a name that `tasuki status` lists, in small letters as there; a name is `[a-z0-9][a-z0-9_-]{0,63}`.

            line 4, column 9: `to`: `../x` has '.' at byte 0, which is not allowed; use [a-z0-9][a-z0-9_-]{0,63}.
              4 |     to: ../x
            Cure: use a name that `tasuki status` lists, in small letters as there; a name is `[a-z0-9][a-z0-9_-]{0,63}`.

            line 4, column 11: `hire` must be the name of a profile, or a map such as `{like: NAME}` or `{provider: PROFILE, model: NAME}`, not a list.
              4 |     hire: [a]
            Cure: write it as the JSON Schema of plans has it (protocol/plan.schema.json).

            line 4, column 11: `hire` has neither `provider` nor `like`: it must be the name of a profile, or a map such as `{like: NAME}` or `{provider: PROFILE, model: NAME}`.
              4 |     hire: {model: x}
            Cure: write it as the JSON Schema of plans has it (protocol/plan.schema.json).

            line 4, column 11: `hire` has both `provider` and `like`, and an agent is made after one of them.
              4 |     hire: {like: a, provider: b}
            Cure: keep one of the two.

            line 4, column 12: `lke` is no key of `hire`; did you mean `like`?
              4 |     hire: {lke: a}
            Cure: use one of the keys that a plan has, or take the line out.

            line 4, column 28: `model`: `--x` begins with a dash.
              4 |     hire: {like: a, model: --x}
            Cure: write the name of the model alone.

            line 4, column 11: there are both `to` and `hire`, and a task is done by one of them.
              4 |     hire: a
            Cure: keep one of the two.

            line 4, column 14: `timeout`: `5` is not a duration.
              4 |     timeout: 5
            Cure: use a duration with its unit, such as 90s, 30m or 2h; write 5m for five minutes; days are the longest unit.

            line 4, column 14: `timeout`: `0s` is not between a millisecond and a year.
              4 |     timeout: 0s
            Cure: use a value within the range given.

            line 4, column 14: `expect`: `commits` is not one of commit, files, command, report.
              4 |     expect: {commits: true}
            Cure: write it as in `expect: {commit: true, files: [src/lib.rs], command: test}`; protocol/README.md describes each key.

            line 4, column 13: `expect` must be a map with some of commit, files, command and report, such as `{files: [docs/plan.md]}`, not `true`.
              4 |     expect: true
            Cure: write it as the JSON Schema of plans has it (protocol/plan.schema.json).

            line 4, column 15: `touches`: `/etc` is not a pattern of files below the repository.
              4 |     touches: [/etc]
            Cure: use paths below the repository, such as src/auth/**.

            line 4, column 15: `touches`: `a/../../b` is not a pattern of files below the repository.
              4 |     touches: [a/../../b]
            Cure: use paths below the repository, such as src/auth/**.

            line 4, column 15: `touches`: `~/x` is not a pattern of files below the repository.
              4 |     touches: [~/x]
            Cure: use paths below the repository, such as src/auth/**.

            line 4, column 15: `touches`: `` is not a pattern of files below the repository.
              4 |     touches: ['']
            Cure: use paths below the repository, such as src/auth/**.

            line 4, column 15: `touches`: `a\0` has control characters.
              4 |     touches: ["a\0"]
            Cure: write it in one line, and take invisible and control characters out.

            line 4, column 5: `depends_on` is no key of a task; did you mean `dependencies`?
              4 |     depends_on: [task-1]
            Cure: use one of the keys that a plan has, or take the line out.

            line 4, column 5: `agent` is no key of a task; did you mean `to`?
              4 |     agent: coder
            Cure: use one of the keys that a plan has, or take the line out."#]],
    );
}

#[test]
fn a_task_says_what_it_is() {
    let long = format!("tasks: [{{name: {}, description: b}}]", "襷".repeat(NAME_CHARS_MAX + 1));
    wrong(
        &[
            "tasks:\n- description: b\n",
            "tasks:\n- name:\n  description: b\n",
            "tasks:\n- name: # one\n  description: b\n",
            "tasks:\n- name: a\n",
            "tasks:\n- {name: a, description: '  '}\n",
            "tasks:\n- {name: a, description: [b]}\n",
            &long,
        ],
        &expect![[r#"
            line 2, column 3: `name` is missing: it must be one line of at most 200 characters.
              2 | - description: b
            Cure: write it in the task: `name:` is its title, `description:` all that its agent is to know.

            line 2, column 3: `name` is empty: it must be one line of at most 200 characters.
              2 | - name:
            Cure: write it in the task: `name:` is its title, `description:` all that its agent is to know.

            line 2, column 3: `name` is empty, since what stands behind `#` is a comment: it must be one line of at most 200 characters.
              2 | - name: # one
            Cure: write it in the task: `name:` is its title, `description:` all that its agent is to know.

            line 2, column 3: `description` is missing: it must be what the task's agent is told.
              2 | - name: a
            Cure: write it in the task: `name:` is its title, `description:` all that its agent is to know.

            line 2, column 26: `description`: `  ` has nothing but white space.
              2 | - {name: a, description: '  '}
            Cure: write it in the task: `name:` is its title, `description:` all that its agent is to know.

            line 2, column 26: `description` must be a text, not a list.
              2 | - {name: a, description: [b]}
            Cure: write it as the JSON Schema of plans has it (protocol/plan.schema.json).

            line 1, column 16: `name`: `襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷…` has 201 characters; at most 200 are allowed.
              1 | tasks: [{name: 襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷襷…
            Cure: use a value within the range given."#]],
    );
    let just = format!("tasks: [{{name: {}, description: b}}]", "襷".repeat(NAME_CHARS_MAX));
    assert_eq!(good(&just).tasks[0].name.chars().count(), NAME_CHARS_MAX);
}

#[test]
fn what_does_not_fit_together_is_told_at_the_line() {
    let tasks = |lines: &[&str]| {
        let task = |keys: &&str| format!("  - {{name: a, description: b, {keys}}}\n");
        format!("tasks:\n{}", lines.iter().map(task).collect::<String>())
    };
    let plans = [
        tasks(&[
            "id: task-1, dependencies: [task-3]",
            "id: task-2",
            "id: task-3, dependencies: [task-2, task-1]",
        ]),
        tasks(&["dependencies: [task-1]"]),
        tasks(&["id: task-1", "id: task-1"]),
        tasks(&["id: task-1", "id: task-01"]),
        tasks(&["id: task-2", "to: x"]),
        tasks(&["id: task-10", "id: task-2, dependencies: [task-10, task-11]"]),
        tasks(&["id: task-001", "id: task-2, dependencies: [task-1]"]),
        tasks(&["worktree_strategy: Shared"]),
        tasks(&["share_with: task-1"]),
        tasks(&["to: x", "to: x", "dependencies: [task-1, task-2], worktree_strategy: Shared"]),
        tasks(&["to: x", "to: x", "dependencies: [task-1], worktree_strategy: Shared, share_with: task-2"]),
    ];
    wrong(
        &plans.iter().map(String::as_str).collect::<Vec<_>>(),
        &expect![[r#"
            line 2, column 58: task-1 → task-3 → task-1 depend on one another, so none of them could begin.
              2 |   - {name: a, description: b, id: task-1, dependencies: [task-3]}
            Cure: take one of these dependencies out.

            line 2, column 46: `task-1` depends on itself, so it could never begin.
              2 |   - {name: a, description: b, dependencies: [task-1]}
            Cure: take one of these dependencies out.

            line 3, column 35: two tasks are called `task-1`.
              3 |   - {name: a, description: b, id: task-1}
            Cure: give each task an `id` of its own, or leave `id` out of all tasks.

            line 3, column 35: `task-1` and `task-01` have the same number: nobody could tell which of them is meant.
              3 |   - {name: a, description: b, id: task-01}
            Cure: give each task an `id` of its own, or leave `id` out of all tasks.

            line 3, column 5: this task has no `id` and would be task-2, as another one is called.
              3 |   - {name: a, description: b, to: x}
            Cure: give each task an `id` of its own, or leave `id` out of all tasks.

            line 3, column 67: `task-2` depends on `task-11`, which is no task here; did you mean `task-10`?
              3 | …me: a, description: b, id: task-2, dependencies: [task-10, task-11]}
            Cure: name the `id` of a task of this plan.

            line 3, column 58: `task-2` depends on `task-1`, which is no task here; did you mean `task-001`?
              3 |   - {name: a, description: b, id: task-2, dependencies: [task-1]}
            Cure: name the `id` of a task of this plan.

            line 2, column 50: `worktree_strategy` is Shared, and the task has no `dependencies` to share a worktree with.
              2 |   - {name: a, description: b, worktree_strategy: Shared}
            Cure: add the task whose worktree it has to `dependencies`, or leave `worktree_strategy` out.

            line 2, column 43: `share_with` is there, and `worktree_strategy` is not Shared.
              2 |   - {name: a, description: b, share_with: task-1}
            Cure: write `worktree_strategy: Shared`, or take `share_with` out.

            line 4, column 82: `worktree_strategy` is Shared, and the dependencies have several worktrees, those of `task-1`, `task-2`.
              4 | …ion: b, dependencies: [task-1, task-2], worktree_strategy: Shared}
            Cure: name one of its `dependencies` in `share_with:`.

            line 4, column 94: `share_with`: `task-2` is none of the `dependencies` of this task.
              4 | …ndencies: [task-1], worktree_strategy: Shared, share_with: task-2}
            Cure: name one of its `dependencies` in `share_with:`."#]],
    );
}

#[test]
fn feedback_is_a_message_for_whoever_wrote_the_plan() {
    let refusal = read(b"tasks:\n  - name: a\n    descripton: b\n").unwrap_err();
    expect![[r#"
        No plan can be taken from your answer: line 3, column 5: `descripton` is no key of a task; did you mean `description`?
          3 |     descripton: b
        Cure: use one of the keys that a plan has, or take the line out.
        Send the whole plan again, in one block that begins with ```yaml and ends with ```."#]].assert_eq(&refusal.feedback());
}

#[test]
fn every_mistake_that_another_does_not_hide_is_told() {
    let many = format!("tasks:\n{}", "- {name: a, description: b, to: X}\n".repeat(30));
    let said = read(many.as_bytes()).unwrap_err();
    assert!(said.others.len() == 21 && said.to_string().contains("that is wrong, in 9 places"), "{said}");
    wrong(
        &[
            "paralel: 3\non_failure: halt\ntasks:\n- nmae: 鍵\n  dependencies: [task-9]\n  expect:\n  commit: true\n  command: test\n- {name: b, description: ' ', to: X}\n- c\n",
            "tasks:\n- {id: task-1, name: a, description: b, dependencies: [task-7, task-8]}\n- {id: task-1, name: a, description: b, verify: {tests: yes}}\n",
            "tasks:\n- {id: task-1, name: a, description: b, dependencies: [task-7, task-8]}\n- {id: task-01, name: a, description: b, dependencies: [task-6]}\n",
        ],
        &expect![[r#"
            line 1, column 1: `paralel` is no key of a plan; did you mean `parallel`?
              1 | paralel: 3
            Cure: use one of the keys that a plan has, or take the line out.

            line 2, column 13: `on_failure`: `halt` is not one of stop, skip, continue.
              2 | on_failure: halt
            Cure: use one of the words listed.

            line 4, column 3: `nmae` is no key of a task; did you mean `name`?
              4 | - nmae: 鍵
            Cure: use one of the keys that a plan has, or take the line out.

            line 4, column 3: `description` is missing: it must be what the task's agent is told.
              4 | - nmae: 鍵
            Cure: write it in the task: `name:` is its title, `description:` all that its agent is to know.

            line 7, column 3: `expect` is empty, and `commit` stands beside it: indent that below `expect`. Without it, nothing is checked before the task is done.
              7 |   commit: true
            Cure: write it as in `expect: {commit: true, files: [src/lib.rs], command: test}`; protocol/README.md describes each key.

            line 8, column 3: `expect` is empty, and `command` stands beside it: indent that below `expect`. Without it, nothing is checked before the task is done.
              8 |   command: test
            Cure: write it as in `expect: {commit: true, files: [src/lib.rs], command: test}`; protocol/README.md describes each key.

            line 9, column 26: `description`: ` ` has nothing but white space.
              9 | - {name: b, description: ' ', to: X}
            Cure: write it in the task: `name:` is its title, `description:` all that its agent is to know.

            line 9, column 35: `to`: `X` has 'X' at byte 0, which is not allowed; use [a-z0-9][a-z0-9_-]{0,63}.
              9 | - {name: b, description: ' ', to: X}
            Cure: use a name that `tasuki status` lists, in small letters as there; a name is `[a-z0-9][a-z0-9_-]{0,63}`.

            line 10, column 3: `tasks` must be a list of maps, each with `name:` and `description:`, not `c`.
              10 | - c
            Cure: write `tasks:` and below it a list of tasks, each with `name:` and `description:`.

            line 2, column 56: `task-1` depends on `task-7`, which is no task here.
              2 | - {id: task-1, name: a, description: b, dependencies: [task-7, task-8]}
            Cure: name the `id` of a task of this plan.

            line 2, column 64: `task-1` depends on `task-8`, which is no task here.
              2 | …d: task-1, name: a, description: b, dependencies: [task-7, task-8]}
            Cure: name the `id` of a task of this plan.

            line 3, column 8: two tasks are called `task-1`.
              3 | - {id: task-1, name: a, description: b, verify: {tests: yes}}
            Cure: give each task an `id` of its own, or leave `id` out of all tasks.

            line 3, column 41: `verify` is no key of a task; did you mean `expect`? Without it, nothing is checked before the task is done.
              3 | - {id: task-1, name: a, description: b, verify: {tests: yes}}
            Cure: write it as in `expect: {commit: true, files: [src/lib.rs], command: test}`; protocol/README.md describes each key.

            line 2, column 56: `task-1` depends on `task-7`, which is no task here; did you mean `task-01`?
              2 | - {id: task-1, name: a, description: b, dependencies: [task-7, task-8]}
            Cure: name the `id` of a task of this plan.

            line 2, column 64: `task-1` depends on `task-8`, which is no task here; did you mean `task-01`?
              2 | …d: task-1, name: a, description: b, dependencies: [task-7, task-8]}
            Cure: name the `id` of a task of this plan.

            line 3, column 8: `task-1` and `task-01` have the same number: nobody could tell which of them is meant.
              3 | - {id: task-01, name: a, description: b, dependencies: [task-6]}
            Cure: give each task an `id` of its own, or leave `id` out of all tasks.

            line 3, column 57: `task-01` depends on `task-6`, which is no task here; did you mean `task-1`?
              3 | - {id: task-01, name: a, description: b, dependencies: [task-6]}
            Cure: name the `id` of a task of this plan."#]],
    );
}

#[test]
fn each_circle_each_pattern_and_each_worktree_is_told() {
    let told = |tasks: &[&str]| {
        let task = |keys: &&str| format!("- {{name: a, description: b, {keys}}}\n");
        let plan = format!("tasks:\n{}", tasks.iter().map(task).collect::<String>());
        let first = read(plan.as_bytes()).expect_err("it is wrong");
        let all = [&first].into_iter().chain(&first.others);
        all.map(|wrong| (wrong.refusal.line.unwrap_or_default(), wrong.refusal.why.clone()))
            .collect::<Vec<_>>()
    };
    let circles = told(&[
        "dependencies: [task-2]",
        "dependencies: [task-1]",
        "dependencies: [task-3, task-1]",
        "dependencies: [task-5, task-77]",
        "dependencies: [task-6]",
        "dependencies: [task-5, task-4]",
    ]);
    let lines: Vec<u64> = circles.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [2, 4, 5, 5], "two of them are one knot: {circles:?}");
    assert!(circles[0].1.starts_with("task-1 → task-2 → task-1 "), "{circles:?}");
    assert!(circles[1].1.starts_with("`task-3` depends on itself"), "{circles:?}");
    assert!(
        circles.iter().any(|(_, why)| why.starts_with("task-4 → task-5 → task-6 → task-4 ")),
        "{circles:?}"
    );

    // A circle hides neither what is wrong in other fields nor a wish for a worktree that nobody can share.
    let all = told(&["dependencies: [task-2]", "dependencies: [task-1]", "timeout: soon", "join: both"]);
    assert_eq!(all.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 4, 5], "{all:?}");
    let all = told(&[
        "dependencies: [task-2]",
        "dependencies: [task-1]",
        "worktree_strategy: Shared",
        "dependencies: [task-1], worktree_strategy: Shared, share_with: task-2",
    ]);
    assert_eq!(all.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 4, 5], "{all:?}");

    let touches = told(&["touches: [/a, src/**, ../b]", "touches: [~/c]"]);
    assert_eq!(touches.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 2, 3], "{touches:?}");

    let shared = "worktree_strategy: Shared";
    let trees = told(&[
        shared,
        "share_with: task-1",
        &format!("dependencies: [task-1], {shared}"),
        &format!("dependencies: [task-1], {shared}, share_with: task-2"),
    ]);
    let lines: Vec<u64> = trees.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [2, 3, 5], "whose worktree is a mistake is no second one: {trees:?}");
}
