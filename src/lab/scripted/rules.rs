//! Picks what is played on a turn: the first rule that fits.

use super::action::Action;
use super::script::Rule;
use super::turn::{Task, Turn};

/// The rules, each with the number of turns for which its `turn` and `match` held.
#[derive(Debug)]
pub(super) struct Rules(Vec<(Rule, u32)>);

impl Rules {
    pub(super) fn new(rules: Vec<Rule>) -> Self {
        Self(rules.into_iter().map(|rule| (rule, 0)).collect())
    }

    /// The actions for this turn; none if no rule fits. Every rule counts the turn, whichever is played.
    pub(super) fn pick(&mut self, turn: &Turn, task: &Task) -> Option<Vec<Action>> {
        let mut picked = None;
        for (rule, held) in &mut self.0 {
            if !holds(rule, turn, task) {
                continue;
            }
            *held = held.saturating_add(1);
            if picked.is_none() && rule.when.nth.is_none_or(|nth| nth == *held) {
                picked = Some(rule.actions.clone());
            }
        }
        picked
    }
}

fn holds(rule: &Rule, turn: &Turn, task: &Task) -> bool {
    rule.when.turn.is_none_or(|kind| kind == turn.kind)
        && rule.when.pattern.as_ref().is_none_or(|pattern| pattern.fits(&task.content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rule_that_fits_is_picked_and_every_rule_counts() {
        let script = super::super::load::parse(
            "rules:\n- {when: {turn: task, match: 赤}, do: [{exit: 1}]}\n- {when: {turn: task, nth: 2}, do: [{exit: 2}]}\n- {when: {turn: reminder}, do: [{exit: 3}]}\n",
            "test",
        );
        let mut rules = Rules::new(script.expect("a script").rules);
        let mut check = |line: &str, code: Option<u8>| {
            let turn = Turn::read(line);
            let task = Task { content: line.to_owned(), ..Task::default() };
            let found = rules.pick(&turn, &task).map(|actions| match actions.as_slice() {
                [Action::Exit(code)] => *code,
                other => panic!("{other:?}"),
            });
            assert_eq!(found, code, "{line}");
        };
        check("青", None);
        check("[tasuki] reminder of your task a (token k7qf2m): x", Some(3));
        check("赤", Some(1));
        check("青", None);
    }
}
