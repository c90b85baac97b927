//! The mistakes of a request as they are told: all at once, each by itself.

use crate::ui::cli::failure::{Failure, Kind};
use crate::wire::api::Problem;

/// Each mistake of a request with its place in the file, or with its option.
pub(super) fn all_of(problem: Problem, place: Option<&str>) -> Failure {
    Failure::each(problem, |problem| {
        let is_option = problem.field.as_deref().is_some_and(|field| field.starts_with("--"));
        let place = place.filter(|_| problem.line.is_some() || !is_option).map(str::to_owned);
        Failure { kind: Kind::Rejected, problem, place, report: None }
    })
}
