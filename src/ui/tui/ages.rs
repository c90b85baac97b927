//! Times as they are shown: how long ago, and at what time of the day.

use chrono::{DateTime, FixedOffset};

/// Seconds from which on an age has no seconds any more.
const COARSE_S: u64 = 20 * 60;

/// From so many ms on a moment to come is told to the minute: nobody waits for the second.
const NEAR_MS: i64 = 60_000;

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

/// When something is over: `back at 15:05`, with the day where that is another than today.
pub(super) fn back_at(until: &str, now: i64, here: FixedOffset) -> Option<String> {
    moment(until).map(|until| format!("back at {}", soon(until, now, here)))
}

/// A moment to come, to the minute.
fn soon(at: i64, now: i64, here: FixedOffset) -> String {
    let Some(time) = DateTime::from_timestamp_millis(at) else { return String::new() };
    let time = time.with_timezone(&here);
    let is_today = day(at, here) == day(now, here);
    time.format(if is_today { "%H:%M" } else { "%H:%M on %a" }).to_string()
}

/// A sentence whose moments are those of the person's clock, in place of RFC 3339.
pub(super) fn by_the_clock(text: &str, now: i64, here: FixedOffset) -> String {
    let is_of_moment = |c: char| c.is_ascii_digit() || matches!(c, '-' | ':' | '.' | 'T' | 'Z' | '+');
    let mut told = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(from) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, found) = rest.split_at(from);
        let end = found.find(|c| !is_of_moment(c)).unwrap_or(found.len());
        let (word, behind) = found.split_at(end);
        let time = word.trim_end_matches(['.', ':', '-', '+']);
        told.push_str(before);
        match moment(time) {
            Some(at) if at - now >= NEAR_MS => told.push_str(&soon(at, now, here)),
            Some(at) => told.push_str(&clock(at, here, false)),
            None => told.push_str(time),
        }
        told.push_str(word.get(time.len()..).unwrap_or_default());
        rest = behind;
    }
    told + rest
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

    #[test]
    fn moments_in_a_sentence_are_told_by_the_clock_of_the_person() {
        let here = FixedOffset::east_opt(9 * 3600).unwrap_or_else(|| panic!("no such zone"));
        let now = moment("2026-11-26T05:00:00Z").unwrap_or_default();
        let told = |text: &str| by_the_clock(text, now, here);
        assert_eq!(
            told("a's limit to be over at 2026-11-26T06:05:00Z (7 of 9)"),
            "a's limit to be over at 15:05 (7 of 9)"
        );
        assert_eq!(told("its next try, at 2026-11-26T05:00:12.500Z."), "its next try, at 14:00:12.");
        assert_eq!(told("over at 2026-11-26T16:00:00Z: 家計簿"), "over at 01:00 on Fri: 家計簿");
        for text in ["task-2 waits, v1.2.3", "2026-11-26", "", "12:30"] {
            assert_eq!(told(text), text);
        }
        assert_eq!(back_at("2026-11-26T06:05:00Z", now, here).as_deref(), Some("back at 15:05"));
    }
}
