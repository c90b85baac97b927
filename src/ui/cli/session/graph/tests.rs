//! Drawings of graphs, and that none of them fails on what a session may be.

use super::{dot, mermaid, rails};
use crate::ui::cli::marks::Letters;
use crate::wire::api::{SessionDetails, SessionTaskInfo};
use expect_test::{Expect, expect};
use serde_json::json;
use unicode_width::UnicodeWidthStr;

/// Each task: its name, its status, and what it needs.
fn session(tasks: &[(&str, &str, &[usize])]) -> SessionDetails {
    let task = |(at, (name, status, needs)): (usize, &(&str, &str, &[usize]))| {
        let needs: Vec<String> = needs.iter().map(|need| format!("task-{need}")).collect();
        json!({
            "id": format!("task-{}", at + 1), "name": name, "status": status, "dependencies": needs, "join": "all", "to": "worker",
        })
    };
    let tasks: Vec<_> = tasks.iter().enumerate().map(task).collect();
    let details = json!({
        "id": "a1b2c3d4-e5f6-4890-abcd-ef1234567890", "status": "Active", "tasks": tasks, "counts": {
            "pending": 0, "ready": 0, "running": 0, "completed": 0, "failed": 0, "cancelled": 0,
        },
        "created_at": "2026-02-02T00:00:00Z", "updated_at": "2026-02-02T00:00:00Z",
    });
    serde_json::from_value(details).expect("a session")
}

fn check(drawn: &str, expected: Expect) {
    expected.assert_eq(drawn);
}

fn several() -> SessionDetails {
    session(&[
        ("計画を立てる", "Completed", &[]),
        ("書く \"x\" [y] {z} | <b> & #1; `c`", "Failed", &[1]),
        ("試す 🎏\nまた", "Running", &[1]),
        ("a\\nb end", "Cancelled", &[2]),
        ("まとめ", "Pending", &[2, 3]),
        ("alone", "Ready", &[]),
    ])
}

#[test]
fn what_needs_a_task_stands_below_it() {
    check(
        &rails::drawn(&several(), Letters::Unicode, None),
        expect![[r#"
        ✓    task-1 計画を立てる (completed, worker)
        ├─╮
        ✗ │    task-2 書く "x" [y] {z} | <b> & #1; `c` (failed, worker)
        ├───╮
        ⊘ │ │  task-4 a\nb end (cancelled, worker)
          │ │
          ◉ │  task-3 試す 🎏 また (running, worker)
          ├─╯
          ⋯  task-5 まとめ (pending, worker)

        ∘  task-6 alone (ready, worker)"#]],
    );
    check(
        &rails::drawn(&several(), Letters::Ascii, None),
        expect![[r#"
        o    + task-1 計画を立てる (completed, worker)
        |\
        o |    x task-2 書く "x" [y] {z} | <b> & #1; `c` (failed, worker)
        +---.
        o | |  / task-4 a\nb end (cancelled, worker)
          | |
          o |  * task-3 試す 🎏 また (running, worker)
          |/
          o  : task-5 まとめ (pending, worker)

        o  . task-6 alone (ready, worker)"#]],
    );
    let cut = rails::drawn(&several(), Letters::Unicode, Some(24));
    assert!(cut.lines().all(|line| line.width() <= 24), "{cut}");
    check(
        &cut,
        expect![[r#"
        ✓    task-1 計画を立て…
        ├─╮
        ✗ │    task-2 書く "x" …
        ├───╮
        ⊘ │ │  task-4 a\nb end …
          │ │
          ◉ │  task-3 試す 🎏 …
          ├─╯
          ⋯  task-5 まとめ (pen…

        ∘  task-6 alone (ready,…"#]],
    );
}

#[test]
fn rails_cross_and_meet() {
    let crossing = session(&[
        ("a", "Completed", &[]),
        ("b", "Completed", &[]),
        ("c", "Running", &[1, 2]),
        ("d", "Pending", &[1, 2]),
        ("e", "Pending", &[1, 3, 4]),
    ]);
    check(
        &rails::drawn(&crossing, Letters::Unicode, None),
        expect![[r#"
        ✓      task-1 a (completed, worker)
        ├─┬─╮
        │ │ │ ✓  task-2 b (completed, worker)
        ╭─┬───╯
        ◉ │ │  task-3 c (running, worker)
        ├───╯
        │ ⋯  task-4 d (pending, worker)
        ├─╯
        ⋯  task-5 e (pending, worker)"#]],
    );
    check(&rails::drawn(&session(&[]), Letters::Unicode, None), expect!["it has no tasks yet"]);
}

#[test]
fn no_word_of_a_task_is_one_of_mermaid() {
    check(
        &mermaid::flowchart(&several()),
        expect![[r#"
        flowchart TD
          t1["✓ task-1: 計画を立てる<br/>completed"]
          t2["✗ task-2: 書く #quot;x#quot; [y] {z} | #lt;b#gt; #amp; #35;1#59; #96;c#96;<br/>failed"]
          t3["◉ task-3: 試す 🎏 また<br/>running"]
          t4["⊘ task-4: a#92;nb end<br/>cancelled"]
          t5["⋯ task-5: まとめ<br/>pending"]
          t6["∘ task-6: alone<br/>ready"]
          t1 --> t2
          t1 --> t3
          t2 --> t4
          t2 --> t5
          t3 --> t5
    "#]],
    );
}

#[test]
fn no_word_of_a_task_ends_a_text_of_graphviz() {
    check(
        &dot::digraph(&several()),
        expect![[r#"
        digraph "a1b2c3d4-e5f6-4890-abcd-ef1234567890" {
          node [shape=box];
          "task-1" [label="✓ task-1: 計画を立てる\ncompleted"];
          "task-2" [label="✗ task-2: 書く \"x\" [y] {z} | <b> &amp; #1; `c`\nfailed"];
          "task-3" [label="◉ task-3: 試す 🎏 また\nrunning"];
          "task-4" [label="⊘ task-4: a\\nb end\ncancelled"];
          "task-5" [label="⋯ task-5: まとめ\npending"];
          "task-6" [label="∘ task-6: alone\nready"];
          "task-1" -> "task-2";
          "task-1" -> "task-3";
          "task-2" -> "task-4";
          "task-2" -> "task-5";
          "task-3" -> "task-5";
        }
    "#]],
    );
}

fn tasks_of(needs: impl Fn(usize) -> Vec<usize>, count: usize) -> SessionDetails {
    let mut details = session(&[("段", "Pending", &[])]);
    let first = details.tasks.remove(0);
    details.tasks = (1..=count)
        .map(|number| SessionTaskInfo {
            id: format!("task-{number}"),
            dependencies: needs(number).into_iter().map(|need| format!("task-{need}")).collect(),
            ..first.clone()
        })
        .collect();
    details
}

#[test]
fn a_chain_of_ten_thousand_is_drawn_and_a_graph_too_wide_for_rails_is_listed() {
    const MANY: usize = 10_000;
    let chain = tasks_of(|number| (number > 1).then(|| number - 1).into_iter().collect(), MANY);
    let drawn = rails::drawn(&chain, Letters::Unicode, Some(80));
    assert_eq!(drawn.lines().filter(|line| line.starts_with('⋯')).count(), MANY);
    assert!(drawn.ends_with("task-10000 段 (pending, worker)"));
    // One that all others need, and one that needs all others.
    let fan = tasks_of(
        |number| match number {
            1 => Vec::new(),
            MANY => (2..MANY).collect(),
            _ => vec![1],
        },
        MANY,
    );
    let drawn = rails::drawn(&fan, Letters::Ascii, Some(80));
    assert!(drawn.starts_with("9998 rails are too many to draw"), "{}", &drawn[..200]);
    assert_eq!(drawn.lines().count(), MANY + 1);
    let alone = rails::drawn(&tasks_of(|_| Vec::new(), MANY), Letters::Unicode, Some(80));
    assert_eq!(alone.lines().filter(|line| line.contains("task-")).count(), MANY);
    assert_eq!(mermaid::flowchart(&fan).lines().count(), 1 + MANY + 2 * (MANY - 2));
    assert_eq!(dot::digraph(&chain).lines().count(), 3 + MANY + MANY - 1);
}

#[test]
fn a_circle_and_a_need_that_is_not_there_end_no_drawing() {
    let circle = session(&[("a", "Pending", &[2]), ("b", "Pending", &[1]), ("c", "Pending", &[9])]);
    let drawn = rails::drawn(&circle, Letters::Unicode, None);
    assert_eq!(drawn.lines().filter(|line| line.contains("task-")).count(), 3, "{drawn}");
}
