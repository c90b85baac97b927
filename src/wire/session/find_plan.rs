//! The plan in a master agent's answer: prose with one block of YAML or JSON in it, or nothing but the plan.

use super::fences::{Fenced, blocks};
use super::plan::{PLAN_KEYS, PlanRefusal, parse};
use crate::engine::flow::plan::Plan;
use crate::engine::message::refusal::{Code, Refusal};

/// What a block of a plan may be called.
const LANGUAGES: [&str; 3] = ["yaml", "yml", "json"];
const SEND_IT: &str =
    "send the plan in one block that begins with ```yaml and ends with ```, with `tasks:` in it";

/// Finds the plan in an answer and reads it. [`PlanRefusal::feedback`] is what its writer may be told otherwise.
///
/// # Errors
/// [`PlanRefusal`]: there is no plan, there are several blocks of which any could be it, its block does not end, or the plan is wrong.
/// Lines count from the beginning of the answer.
pub fn find_plan(text: &str) -> Result<Plan, PlanRefusal> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let all = blocks(text);
    if is_bare(text) && all.iter().all(|block| block.indent > 0) {
        return super::plan::read(text.as_bytes());
    }
    let labelled: Vec<&Fenced> =
        all.iter().filter(|block| LANGUAGES.contains(&block.language.as_str())).collect();
    // A block without a language is a plan if it looks like one.
    let unlabelled =
        || all.iter().filter(|block| block.language.is_empty() && names_tasks(&block.text)).collect();
    let found: Vec<&Fenced> = if labelled.is_empty() { unlabelled() } else { labelled };
    match found.as_slice() {
        [] => {
            let why = "there is no plan in the answer, only prose";
            Err(PlanRefusal::with(Refusal::new(Code::Blank, why), text.as_bytes(), SEND_IT))
        }
        [block] if !block.is_closed => {
            let why = "the block that begins here does not end, so the plan may be cut off";
            Err(at_fence(block, Code::CutOff, why.to_owned(), text))
        }
        [block] => parse(block.text.as_bytes())
            .map_err(|wrong| PlanRefusal::of(wrong.moved(|refusal| moved(refusal, block)), text.as_bytes())),
        [first, second, ..] => {
            let lines = format!("the first two on lines {} and {}", first.line, second.line);
            let why = format!(
                "there are {} blocks of YAML or JSON, {lines}, and nobody can tell which of them is the plan",
                found.len()
            );
            Err(at_fence(second, Code::TooManyDocuments, why, text))
        }
    }
}

fn at_fence(block: &Fenced, code: Code, why: String, text: &str) -> PlanRefusal {
    let column = Some(block.indent as u64 + 1);
    let refusal = Refusal { line: Some(block.line), column, ..Refusal::new(code, why) };
    PlanRefusal::with(refusal, text.as_bytes(), SEND_IT)
}

/// The same refusal, with its place in the whole answer.
fn moved(refusal: Refusal, block: &Fenced) -> Refusal {
    let line = refusal.line.map_or(block.line, |line| line + block.line);
    let column = refusal.column.unwrap_or(1) + block.indent as u64;
    Refusal { line: Some(line), column: Some(column), ..refusal }
}

/// Whether a text has nothing but a plan: it begins with a key of one, and names tasks.
fn is_bare(text: &str) -> bool {
    let says_nothing = |line: &&str| {
        let line = line.trim();
        line.is_empty() || line == "---" || line.starts_with('#')
    };
    let first = text.lines().find(|line| !says_nothing(line)).unwrap_or_default();
    let is_key = |key: &str| first.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(':'));
    (first.trim_start().starts_with('{') || PLAN_KEYS.into_iter().any(is_key)) && names_tasks(text)
}

/// Whether a line begins as the key of a plan's tasks does, in YAML or JSON.
fn names_tasks(text: &str) -> bool {
    let is_key = |line: &str| {
        let line = line.trim_start().trim_start_matches(['{', ' ']);
        let rest = line.strip_prefix("tasks").or_else(|| line.strip_prefix("\"tasks\""));
        rest.is_some_and(|rest| rest.trim_start().starts_with(':'))
    };
    let on_one_line = || text.trim_start().starts_with('{') && text.contains("\"tasks\"");
    text.lines().any(is_key) || on_one_line()
}

#[cfg(test)]
mod tests;
