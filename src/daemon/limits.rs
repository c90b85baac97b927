//! When the limits end of which screens tell: their words are of the wall clock, and the engine goes by its own.

use crate::engine::input::Report;
use crate::engine::need::NeedKind;
use crate::engine::words::Millis;
use crate::io::clock::Clock;
use crate::io::reset::reset_at;

/// How long a limit is taken to last where nothing says when it ends, or where that is over and the limit is not: it is
/// tried again then.
const UNTOLD_MS: u64 = 15 * 60_000;
/// After the moment that a screen names, the other side may need a while.
const MARGIN_MS: u64 = 30_000;

/// The report, with the end of a limit.
pub(super) fn dated(report: Report, clock: &Clock) -> Report {
    dated_at(report, clock.now(), clock.wall())
}

fn dated_at(report: Report, now: Millis, wall: Millis) -> Report {
    match report {
        Report::Needs { kind: NeedKind::Limit, why, asks, until: None } => {
            // A moment that has passed says nothing: whoever is asked at once again and again has no rest.
            let ahead = reset_at(&why, wall).map(|at| at.since(wall)).filter(|ahead| *ahead > 0);
            let told = ahead.map(|ahead| ahead.saturating_add(MARGIN_MS));
            let until = Some(now.plus(told.unwrap_or(UNTOLD_MS)));
            Report::Needs { kind: NeedKind::Limit, why, asks, until }
        }
        report => report,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_has_an_end_and_nothing_else_gets_one() {
        let (now, wall) = (Millis(5_000_000), Millis(1_795_242_600_000));
        let needs = |kind, why: &str| Report::Needs { kind, why: why.into(), asks: None, until: None };
        let until = |report| match dated_at(report, now, wall) {
            Report::Needs { until, .. } => until,
            other => panic!("{other:?}"),
        };
        assert_eq!(until(needs(NeedKind::Limit, "resets in 2h")), Some(now.plus(2 * 3_600_000 + MARGIN_MS)));
        assert_eq!(until(needs(NeedKind::Limit, "limit reached")), Some(now.plus(UNTOLD_MS)));
        assert_eq!(until(needs(NeedKind::Input, "resets in 2h")), None);
        for over in ["resets 6:15am (UTC)", "reset at 2026-11-21T06:29:00Z", "try again in 0s"] {
            assert_eq!(until(needs(NeedKind::Limit, over)), Some(now.plus(UNTOLD_MS)), "{over}");
        }
    }
}
