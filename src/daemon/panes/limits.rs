//! When the limits end of which screens tell: their words are of the wall clock, and the engine goes by its own.

use crate::engine::input::Report;
use crate::engine::team::need::NeedKind;
use crate::engine::words::Millis;
use crate::io::clock::Clock;
use crate::wire::limit_reset::reset_at;
use chrono::Local;

/// After the moment that a screen names, the other side may need a while.
const MARGIN_MS: u64 = 30_000;

/// The report, with the end of a limit where its words name one.
pub(in crate::daemon) fn dated(report: Report, clock: &Clock) -> Report {
    dated_at(report, clock.now(), clock.wall())
}

fn dated_at(report: Report, now: Millis, wall: Millis) -> Report {
    match report {
        Report::Needs { kind: NeedKind::Limit, why, asks, until: None, hidden } => {
            // A moment that has passed says nothing: whoever is asked at once again and again has no rest.
            let ahead = reset_at(&why, wall, &Local).map(|at| at.since(wall)).filter(|ahead| *ahead > 0);
            let until = ahead.map(|ahead| now.plus(ahead.saturating_add(MARGIN_MS)));
            Report::Needs { kind: NeedKind::Limit, why, asks, until, hidden }
        }
        report => report,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_has_the_end_that_it_names_and_nothing_else_gets_one() {
        let (now, wall) = (Millis(5_000_000), Millis(1_795_242_600_000));
        let needs =
            |kind, why: &str| Report::Needs { kind, why: why.into(), asks: None, until: None, hidden: false };
        let until = |report| match dated_at(report, now, wall) {
            Report::Needs { until, .. } => until,
            other => panic!("{other:?}"),
        };
        assert_eq!(until(needs(NeedKind::Limit, "resets in 2h")), Some(now.plus(2 * 3_600_000 + MARGIN_MS)));
        assert_eq!(until(needs(NeedKind::Limit, "limit reached")), None);
        assert_eq!(until(needs(NeedKind::Input, "resets in 2h")), None);
        for over in ["resets 6:15am (UTC)", "reset at 2026-11-21T06:29:00Z", "try again in 0s"] {
            assert_eq!(until(needs(NeedKind::Limit, over)), None, "{over}");
        }
    }
}
