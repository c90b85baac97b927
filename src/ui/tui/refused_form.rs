//! What was refused of a form, in its own words: who has filled it has seen no keys of a file.

use super::modes::Sheet;
use crate::wire::api::Problem;

/// The same with the labels of the form, and with what can be done there.
pub(super) fn refused_form(sheet: &Sheet, mut problem: Problem) -> Problem {
    if let Some(cure) = cure(sheet, &problem) {
        cure.clone_into(&mut problem.cure);
    }
    if !matches!(sheet, Sheet::Debate | Sheet::Step(_)) {
        return problem;
    }
    // It was asked for in one line, which nobody has seen.
    problem.line = None;
    let others = problem.others.iter_mut().map(|other| (&mut other.why, &mut other.field));
    for (why, field) in std::iter::once((&mut problem.why, &mut problem.field)).chain(others) {
        why.truncate(why.find('\n').unwrap_or(why.len()));
        if let Some((key, label)) = field.as_deref().and_then(|key| Some((key, label(sheet, key)?))) {
            *why = why.replace(&format!("`{key}`"), &format!("`{label}`"));
            *field = Some(label.to_owned());
        }
    }
    // There is room for few: one of each field comes before a second of any.
    let mut seen = vec![problem.field.clone()];
    let (first, rest): (Vec<_>, Vec<_>) =
        std::mem::take(&mut problem.others).into_iter().partition(|other| {
            let is_new = !seen.contains(&other.field);
            seen.push(other.field.clone());
            is_new
        });
    problem.others = first.into_iter().chain(rest).collect();
    problem
}

/// How the form calls a key.
fn label(sheet: &Sheet, key: &str) -> Option<&'static str> {
    Some(match (sheet, key) {
        (Sheet::Debate, "roles" | "id") => "Roles",
        (Sheet::Debate, "parallel") => "At once",
        (Sheet::Step(_), "name") => "Name",
        (Sheet::Step(_), "dependencies" | "needs") => "Needs",
        _ => return None,
    })
}

/// What to do about it in the form, or in place of it.
fn cure(sheet: &Sheet, problem: &Problem) -> Option<&'static str> {
    Some(match (sheet, problem.field.as_deref()?, problem.code.as_str()) {
        (Sheet::Debate, "roles" | "id", "id-conflict") => "name each role once",
        (Sheet::Debate, "roles" | "id", "unknown-word" | "bad-id" | "content-empty" | "wrong-type") => {
            "write built-in roles, such as architect, security, qa; `tasuki debate FILE` has roles of your own"
        }
        (Sheet::Debate, "parallel", _) => "write such a number, or leave it empty",
        (Sheet::Debate, "task", "content-too-large") => {
            "say it shorter; `tasuki debate --context FILE` shows files to the roles"
        }
        (Sheet::Debate, "base_dir", _) => {
            "make a repository with `git init` and a first commit; `tasuki debate --base-dir FOLDER` begins one elsewhere"
        }
        (Sheet::Debate, "model", _) => "`tasuki debate --model NAME` begins one with a model",
        (Sheet::Debate, "provider" | "providers", _) => {
            "`tasuki debate --provider PROFILE` begins one with another program"
        }
        (Sheet::Step(_), "dependencies" | "needs", _) => "write numbers of its tasks, or leave it empty",
        _ => return None,
    })
}
