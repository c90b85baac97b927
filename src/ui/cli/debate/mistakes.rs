//! The mistakes of a request as they are told: all at once, each by itself.

use crate::ui::cli::failure::{Failure, Kind};
use crate::wire::api::{AlsoWrong, Problem};

/// Each mistake of a request with its place in the file, or with its option.
pub(super) fn all_of(mut problem: Problem, place: Option<&str>) -> Failure {
    let others = std::mem::take(&mut problem.others);
    let code = problem.code.clone();
    let one = |problem: Problem| {
        let is_option = problem.field.as_deref().is_some_and(|field| field.starts_with("--"));
        let place = place.filter(|_| problem.line.is_some() || !is_option).map(str::to_owned);
        Failure { kind: Kind::Rejected, problem, place, report: None }
    };
    let other = |AlsoWrong { why, cure, field, line, column }: AlsoWrong| {
        one(Problem { code: code.clone(), why, cure, field, line, column, ..Problem::default() })
    };
    let others: Vec<Failure> = others.into_iter().map(other).collect();
    one(problem).and(&others)
}
