//! A plan, alone or in an agent's answer.

use crate::engine::flow::plan::{Plan, TaskTree};
use crate::wire::session::find_plan::find_plan;
use crate::wire::session::plan::{NAME_CHARS_MAX, PARALLEL_MAX, PlanRefusal, read};

/// Reads bytes as a plan, and as an answer that may have one in it: the tasks make a graph and each has a worktree, or the refusal says
/// what, where and the cure.
///
/// # Panics
/// If one of that does not hold.
pub fn plan(data: &[u8]) {
    let read = read(data);
    judged(&read, data);
    let Ok(text) = std::str::from_utf8(data) else { return };
    judged(&find_plan(text), data);
    // A plan in a block is the same plan, unless it ends the block itself.
    if let (Ok(plan), false) = (&read, text.contains(['`', '~', '\r'])) {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let found = find_plan(&format!("計画です。\n\n```yaml\n{text}\n```\n"));
        assert_eq!(found.as_ref(), Ok(plan), "\n{text}");
    }
}

fn judged(plan: &Result<Plan, PlanRefusal>, bytes: &[u8]) {
    match plan {
        Ok(plan) => is_sound(plan),
        Err(refusal) => is_told(refusal, bytes),
    }
}

fn is_sound(plan: &Plan) {
    assert!(!plan.tasks.is_empty() && plan.parallel <= PARALLEL_MAX);
    assert_eq!(plan.graph.order().len(), plan.tasks.len());
    for (step, task) in plan.tasks.iter().enumerate() {
        assert_eq!(plan.graph.name(step), Some(&task.id));
        assert_eq!(plan.graph.needs(step).len(), task.dependencies.len());
        assert!(!task.description.trim().is_empty());
        assert!((1..=NAME_CHARS_MAX).contains(&task.name.chars().count()) && !task.name.contains('\n'));
        if let Some(TaskTree::SharedWith(owner)) = &task.tree {
            let owner = plan.graph.place(owner).and_then(|place| plan.tasks.get(place));
            assert!(
                owner.is_some_and(|owner| !matches!(owner.tree, Some(TaskTree::SharedWith(_)))),
                "{task:?}"
            );
        }
    }
}

fn is_told(refused: &PlanRefusal, bytes: &[u8]) {
    let said = refused.feedback();
    assert!(!refused.refusal.why.is_empty() && !refused.cure.is_empty(), "{refused:?}");
    assert!(!said.chars().any(|c| c.is_control() && c != '\n'), "{said:?}");
    let lines = bytes.iter().filter(|&&byte| byte == b'\n' || byte == b'\r').count() as u64 + 1;
    let line = refused.refusal.line;
    assert!(line.is_none_or(|line| (1..=lines).contains(&line)), "{refused:?} of {lines} lines");
}
