//! Times as they are shown: how long ago, and at what time of the day.

use chrono::{DateTime, FixedOffset};

/// Seconds from which on an age has no seconds any more.
const COARSE_S: u64 = 20 * 60;

/// A time in ms since 1970; none if it is not written as RFC 3339 has it.
pub(super) fn moment(text: &str) -> Option<i64> {
    DateTime::parse_from_rfc3339(text).ok().map(|time| time.timestamp_millis())
}

/// How long something lasts, such as `1m12s`; nothing where its beginning is unknown.
pub(super) fn age(since: Option<&str>, now: i64) -> String {
    since.and_then(moment).map(|since| length(now - since)).unwrap_or_default()
}

/// A length of time, given in ms.
pub(super) fn length(ms: i64) -> String {
    let s = u64::try_from(ms / 1000).unwrap_or(0);
    match s {
        0..60 => format!("{s}s"),
        60..COARSE_S => format!("{}m{:02}s", s / 60, s % 60),
        COARSE_S..3_600 => format!("{}m", s / 60),
        3_600..86_400 => format!("{}h{:02}m", s / 3_600, s / 60 % 60),
        _ => format!("{}d{}h", s / 86_400, s / 3_600 % 24),
    }
}

/// A time of the day where the person is, to the second or to the ms.
pub(super) fn clock(at: i64, here: FixedOffset, with_ms: bool) -> String {
    let Some(time) = DateTime::from_timestamp_millis(at) else { return String::new() };
    let time = time.with_timezone(&here);
    time.format(if with_ms { "%H:%M:%S%.3f" } else { "%H:%M:%S" }).to_string()
}

/// A day where the person is.
pub(super) fn day(at: i64, here: FixedOffset) -> String {
    let Some(time) = DateTime::from_timestamp_millis(at) else { return String::new() };
    time.with_timezone(&here).format("%a %Y-%m-%d").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_short() {
        let told = [0, 999, 72_000, 514_000, 1_199_000, 1_320_000, 4_860_000, 190_000_000, -5].map(length);
        assert_eq!(told.join(" "), "0s 0s 1m12s 8m34s 19m59s 22m 1h21m 2d4h 0s");
        assert_eq!(age(Some("2026-11-26T07:00:00.500Z"), 1_795_676_401_500), "1s");
        assert_eq!(age(Some("yesterday"), 0), "");
    }
}
