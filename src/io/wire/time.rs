//! Points in time and durations as people and programs write them.

use crate::engine::words::Millis;
use chrono::{DateTime, FixedOffset, Local, NaiveDate, NaiveDateTime, SecondsFormat, TimeDelta, TimeZone};

/// Forms with a zone besides RFC 3339: ISO 8601 as `date`, Python and Java write it. chrono's `%z` reads `+0900` and `+09:00`.
const ZONED: [&str; 4] =
    ["%Y-%m-%dT%H:%M:%S%.f%#z", "%Y-%m-%d %H:%M:%S%.f%#z", "%Y-%m-%dT%H:%M%#z", "%Y%m%dT%H%M%S%.f%#z"];
/// Forms without a zone, taken as local time.
const LOCAL: [&str; 5] =
    ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y%m%dT%H%M%S%.f"];

/// Longest `timeout`, in ms: a year. More is a mistake in the unit.
pub const DURATION_MS_MAX: u64 = 366 * 24 * 60 * 60 * 1_000;

/// Reads RFC 3339, or ISO 8601 without a zone as local time (a date alone is its midnight). None if it is neither, or
/// before 1970.
#[must_use]
pub fn read_moment(text: &str) -> Option<Millis> {
    let text = text.trim();
    let ms = match zoned(text) {
        Some(moment) => moment.timestamp_millis(),
        None => local(naive(text)?)?.timestamp_millis(),
    };
    u64::try_from(ms).ok().map(Millis)
}

/// Writes RFC 3339 in UTC: `2026-02-02T12:00:00Z`, with milliseconds where there are some. Empty if chrono has no such year.
#[must_use]
pub fn write_moment(at: Millis) -> String {
    let moment = i64::try_from(at.0).ok().and_then(DateTime::from_timestamp_millis);
    moment.map(|moment| moment.to_rfc3339_opts(SecondsFormat::AutoSi, true)).unwrap_or_default()
}

/// A calendar day, `YYYY-MM-DD`: the name of a dated folder. Sorts by date.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(String);

impl Day {
    /// The local day of a moment.
    #[must_use]
    pub fn of(at: Millis) -> Self {
        let moment = i64::try_from(at.0).ok().and_then(DateTime::from_timestamp_millis).unwrap_or_default();
        Self(moment.with_timezone(&Local).format("%Y-%m-%d").to_string())
    }

    /// Reads the name of a dated folder.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let day = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
        (day.format("%Y-%m-%d").to_string() == text).then(|| Self(text.to_owned()))
    }

    /// The name of its folder.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Reads `90s`, `30m`, `1h 30m`, or a plain number of seconds, in ms. None if it is neither.
#[must_use]
pub fn read_duration(text: &str) -> Option<u64> {
    let text = text.trim();
    let duration = match text.parse::<u64>() {
        Ok(seconds) => return seconds.checked_mul(1_000),
        Err(_) => humantime::parse_duration(text).ok()?,
    };
    u64::try_from(duration.as_millis()).ok()
}

/// Writes a duration so that [`read_duration`] gives the same: `1h 30m`.
#[must_use]
pub fn write_duration(ms: u64) -> String {
    humantime::format_duration(std::time::Duration::from_millis(ms)).to_string()
}

fn zoned(text: &str) -> Option<DateTime<FixedOffset>> {
    if let Ok(moment) = DateTime::parse_from_rfc3339(text) {
        return Some(moment);
    }
    ZONED.iter().find_map(|form| DateTime::parse_from_str(text, form).ok())
}

fn naive(text: &str) -> Option<NaiveDateTime> {
    let moment = LOCAL.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok());
    moment.or_else(|| NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?.and_hms_opt(0, 0, 0))
}

/// In the hour that a clock change repeats, the first one is meant; a time that it skips is taken as an hour later.
fn local(naive: NaiveDateTime) -> Option<DateTime<Local>> {
    let at = |naive: &NaiveDateTime| Local.from_local_datetime(naive).earliest();
    at(&naive).or_else(|| at(&naive.checked_add_signed(TimeDelta::hours(1))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_in_the_forms_that_are_met() {
        let noon = Some(Millis(1_770_033_600_000));
        for text in [
            "2026-02-02T12:00:00Z",
            "2026-02-02T12:00:00z",
            "2026-02-02T21:00:00+09:00",
            "2026-02-02T21:00:00+0900",
            "2026-02-02T21:00:00+09",
            "2026-02-02 12:00:00Z",
            "2026-02-02 12:00:00+00:00",
            "2026-02-02T12:00Z",
            "20260202T120000Z",
            " 2026-02-02T12:00:00.000000Z ",
        ] {
            assert_eq!(read_moment(text), noon, "{text}");
        }
        let at = |h, m, s, ms| {
            let naive = NaiveDate::from_ymd_opt(2025, 2, 2).unwrap().and_hms_milli_opt(h, m, s, ms).unwrap();
            Some(Millis(Local.from_local_datetime(&naive).unwrap().timestamp_millis() as u64))
        };
        assert_eq!(read_moment("2025-02-02T12:00:00"), at(12, 0, 0, 0));
        assert_eq!(read_moment("2025-02-02T12:00:00.123456"), at(12, 0, 0, 123));
        assert_eq!(read_moment("2025-02-02 12:00"), at(12, 0, 0, 0));
        assert_eq!(read_moment("2025-02-02"), at(0, 0, 0, 0));
        for bad in [
            "",
            "yesterday",
            "2026-13-01",
            "2026-02-30T00:00:00Z",
            "12:00",
            "1770033600",
            "1969-12-31T00:00:00Z",
            "２０２６-02-02",
        ] {
            assert_eq!(read_moment(bad), None, "{bad}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        assert_eq!(write_moment(Millis(1_770_033_600_000)), "2026-02-02T12:00:00Z");
        assert_eq!(write_moment(Millis(1_770_033_600_007)), "2026-02-02T12:00:00.007Z");
        for ms in [0, 1, 999, 1_770_033_600_123, 4_102_444_800_000] {
            assert_eq!(read_moment(&write_moment(Millis(ms))), Some(Millis(ms)));
        }
        assert_eq!(write_moment(Millis(u64::MAX)), "");
        for ms in [1, 1_000, 90_000, 1_800_000, 5_400_000, 86_400_000 * 40] {
            assert_eq!(read_duration(&write_duration(ms)), Some(ms));
        }
    }

    #[test]
    fn a_day_is_local_and_has_one_spelling() {
        let noon = Local.with_ymd_and_hms(2026, 2, 3, 12, 0, 0).unwrap().timestamp_millis() as u64;
        assert_eq!(Day::of(Millis(noon)).as_str(), "2026-02-03");
        assert_eq!(Day::parse("2026-02-03"), Some(Day::of(Millis(noon))));
        assert!(Day::parse("2026-02-03") > Day::parse("2026-01-31"));
        for bad in ["2026-2-3", "2026-02-30", "", "..", "2026-02-03/..", " 2026-02-03"] {
            assert_eq!(Day::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn durations_have_a_unit_or_are_seconds() {
        assert_eq!(read_duration("30m"), Some(1_800_000));
        assert_eq!(read_duration("1h 30m"), Some(5_400_000));
        assert_eq!(read_duration("500ms"), Some(500));
        assert_eq!(read_duration("90"), Some(90_000));
        for bad in ["", "soon", "-5", "1.5", "5 parsecs", "18446744073709551615"] {
            assert_eq!(read_duration(bad), None, "{bad}");
        }
    }
}
