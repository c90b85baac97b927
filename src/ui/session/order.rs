//! The order in which tasks are drawn: each below all that it needs, and a chain in one piece where that can be.

use crate::wire::api::SessionTaskInfo;
use std::collections::HashMap;

/// Tasks in the order in which they are drawn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::ui) struct Drawing {
    /// The places of the tasks.
    pub(in crate::ui) tasks: Vec<usize>,
    /// For each task the places of those that need it.
    pub(in crate::ui) needed_by: Vec<Vec<usize>>,
    /// Most tasks to which rails lead at the same time.
    pub(in crate::ui) rails: usize,
}

/// Orders tasks. What a task needs and is not there is left out.
pub(in crate::ui) fn order(tasks: &[SessionTaskInfo]) -> Drawing {
    let places: HashMap<&str, usize> =
        tasks.iter().enumerate().map(|(at, task)| (task.id.as_str(), at)).collect();
    let mut needed_by = vec![Vec::new(); tasks.len()];
    let mut open = vec![0usize; tasks.len()];
    for (at, task) in tasks.iter().enumerate() {
        for need in task.dependencies.iter().filter_map(|need| places.get(need.as_str())) {
            if let (Some(by), Some(open)) = (needed_by.get_mut(*need), open.get_mut(at)) {
                by.push(at);
                *open += 1;
            }
        }
    }
    let first = (0..tasks.len()).rev().filter(|at| open.get(*at) == Some(&0));
    // The last one is drawn next, so what needs a task follows it.
    let mut next: Vec<usize> = first.collect();
    let mut drawn = Vec::with_capacity(tasks.len());
    let (mut is_led_to, mut leading, mut rails) = (vec![false; tasks.len()], 0usize, 0);
    while let Some(at) = next.pop() {
        drawn.push(at);
        if is_led_to.get(at) == Some(&true) {
            leading -= 1;
        }
        for by in needed_by.get(at).into_iter().flatten().rev() {
            if let Some(led) = is_led_to.get_mut(*by).filter(|led| !**led) {
                *led = true;
                leading += 1;
            }
            if let Some(open) = open.get_mut(*by) {
                *open -= 1;
                if *open == 0 {
                    next.push(*by);
                }
            }
        }
        rails = rails.max(leading);
    }
    // No plan has a circle; what a document has is shown all the same.
    if drawn.len() < tasks.len() {
        let missing = |at: &usize| open.get(*at).is_some_and(|open| *open > 0);
        drawn.extend((0..tasks.len()).filter(missing));
    }
    Drawing { tasks: drawn, needed_by, rails }
}
