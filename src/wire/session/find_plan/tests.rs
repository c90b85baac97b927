//! Answers of master agents, with one plan and otherwise.

use super::*;
use expect_test::expect;

const PLAN: &str =
    "tasks:\n  - name: 認証\n    description: |\n      する:\n      ```rust\n      fn a() {}\n      ```\n";

fn told(text: &str) -> String {
    find_plan(text).map_or_else(|refusal| refusal.feedback(), |plan| format!("{} tasks", plan.tasks.len()))
}

#[test]
fn a_plan_is_found_in_every_form_of_an_answer() {
    let json = r#"{"tasks": [{"name": "a", "description": "b"}]}"#;
    let pretty = "{\n  \"tasks\": [\n    {\"name\": \"a\", \"description\": \"b\"}\n  ]\n}\n";
    let indented: String =
        format!("計画:\n```yaml\n{PLAN}```\nどうぞ\n").lines().map(|line| format!("  {line}\n")).collect();
    for text in [
        PLAN.to_owned(),
        format!("\u{feff}{PLAN}"),
        json.to_owned(),
        pretty.to_owned(),
        format!("承知しました 👍\n\n```yaml\n{PLAN}```\n\n以上です。"),
        format!("```yml\n{PLAN}```"),
        format!("Text\r\n```yaml\r\n{}```\r\n", PLAN.replace('\n', "\r\n")),
        format!("~~~~ YAML title\n{PLAN}~~~~\n"),
        format!("Here:\n```json\n{pretty}```\n"),
        format!("Here:\n```\n{PLAN}```\n"),
        format!("First\n```sh\ncargo test\n```\nthen\n```yaml\n{PLAN}```\n"),
        format!("```\nwhat it printed\n```\n```yaml\n{PLAN}```\n"),
        indented,
    ] {
        assert_eq!(told(&text), "1 tasks", "{text}");
    }
}

#[test]
fn an_answer_without_one_plan_gets_feedback() {
    let said = [
        "",
        "計画はまだありません。tasks を教えてください。",
        "```sh\ncargo test\n```\n",
        &format!("```yaml\n{PLAN}```\nor\n```yaml\n{PLAN}```\n"),
        &format!("Here it is:\n  ```yaml\n{PLAN}"),
        "```yaml\n```\n",
    ]
    .map(told)
    .join("\n\n");
    expect![[r#"
        No plan can be taken from your answer: there is no plan in the answer, only prose.
        Cure: send the plan in one block that begins with ```yaml and ends with ```, with `tasks:` in it.
        Send the whole plan again, in one block that begins with ```yaml and ends with ```.

        No plan can be taken from your answer: there is no plan in the answer, only prose.
        Cure: send the plan in one block that begins with ```yaml and ends with ```, with `tasks:` in it.
        Send the whole plan again, in one block that begins with ```yaml and ends with ```.

        No plan can be taken from your answer: there is no plan in the answer, only prose.
        Cure: send the plan in one block that begins with ```yaml and ends with ```, with `tasks:` in it.
        Send the whole plan again, in one block that begins with ```yaml and ends with ```.

        No plan can be taken from your answer: line 11, column 1: there are 2 blocks of YAML or JSON, the first two on lines 1 and 11, and nobody can tell which of them is the plan.
          11 | ```yaml
        Cure: send the plan in one block that begins with ```yaml and ends with ```, with `tasks:` in it.
        Send the whole plan again, in one block that begins with ```yaml and ends with ```.

        No plan can be taken from your answer: line 2, column 3: the block that begins here does not end, so the plan may be cut off.
          2 |   ```yaml
        Cure: send the plan in one block that begins with ```yaml and ends with ```, with `tasks:` in it.
        Send the whole plan again, in one block that begins with ```yaml and ends with ```.

        No plan can be taken from your answer: line 2, column 1: the file is empty.
          2 | ```
        Cure: write `tasks:` and below it a list of tasks, each with `name:` and `description:`.
        Send the whole plan again, in one block that begins with ```yaml and ends with ```."#]].assert_eq(&said);
}

#[test]
fn a_fault_is_told_at_its_line_of_the_answer() {
    let answer = "計画です。\n\n  ```yaml\n  tasks:\n    - name: a\n      description: b\n      dependencies: [task-9]\n  ```\n";
    let refusal = find_plan(answer).unwrap_err();
    assert_eq!((refusal.refusal.line, refusal.refusal.column), (Some(7), Some(22)));
    assert!(refusal.line_text.ends_with("dependencies: [task-9]"), "{refusal}");
    let cut = find_plan("x\n```yaml\ntasks: [\n```\n").unwrap_err();
    assert_eq!(cut.refusal.code, Code::CutOff);
}
