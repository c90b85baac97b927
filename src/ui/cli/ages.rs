//! How long something has lasted, in few columns.

use crate::wire::time::read_moment;
use chrono::Utc;

/// How exact an age is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exact {
    /// To the second: `8m34s`.
    Seconds,
    /// To the minute, for a picture that is drawn again when it changes: `8m`.
    Minutes,
}

/// From one moment to another, both RFC 3339; a dash where one of them is not known.
pub(super) fn age(since: Option<&str>, now: &str, exact: Exact) -> String {
    let moment = |text: &str| read_moment(text, &Utc);
    match (since.and_then(moment), moment(now)) {
        (Some(since), Some(now)) => in_words(now.since(since) / 1000, exact),
        _ => "-".to_owned(),
    }
}

/// A moment, RFC 3339: without its date if that is today's, which is UTC's as in all times.
pub(super) fn moment(at: &str, now: &str) -> String {
    match (at.split_once('T'), now.split_once('T')) {
        (Some((day, time)), Some((today, _))) if day == today => time.to_owned(),
        _ => at.to_owned(),
    }
}

fn in_words(seconds: u64, exact: Exact) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400);
    match (days, hours, minutes) {
        (0, 0, 0) if exact == Exact::Minutes => "<1m".to_owned(),
        (0, 0, 0) => format!("{seconds}s"),
        (0, 0, _) if exact == Exact::Minutes => format!("{minutes}m"),
        (0, 0, _) => format!("{minutes}m{:02}s", seconds % 60),
        (0, ..) => format!("{hours}h{:02}m", minutes % 60),
        _ => format!("{days}d{:02}h", hours % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_has_two_units_at_most() {
        let of = |seconds| in_words(seconds, Exact::Seconds);
        assert_eq!([0, 59, 60, 514, 3_599].map(of), ["0s", "59s", "1m00s", "8m34s", "59m59s"]);
        assert_eq!(
            [3_600, 4_860, 86_399, 86_400, 266_400].map(of),
            ["1h00m", "1h21m", "23h59m", "1d00h", "3d02h"]
        );
        let of = |seconds| in_words(seconds, Exact::Minutes);
        assert_eq!([0, 59, 60, 514, 4_860].map(of), ["<1m", "<1m", "1m", "8m", "1h21m"]);
    }

    #[test]
    fn a_moment_of_today_has_no_date() {
        let now = "2026-02-02T23:00:12.500Z";
        assert_eq!(moment("2026-02-02T23:05:00Z", now), "23:05:00Z");
        assert_eq!(moment("2026-02-03T00:05:00Z", now), "2026-02-03T00:05:00Z");
    }

    #[test]
    fn an_age_needs_two_moments() {
        let now = "2026-02-02T00:00:12.500Z";
        assert_eq!(age(Some("2026-02-02T00:00:00.000Z"), now, Exact::Seconds), "12s");
        assert_eq!(age(Some("2026-02-02T00:00:30Z"), now, Exact::Seconds), "0s", "the clock was put back");
        assert_eq!(age(None, now, Exact::Seconds), "-");
        assert_eq!(age(Some("soon"), now, Exact::Seconds), "-");
    }
}
