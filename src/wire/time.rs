//! Points in time and durations as people and programs write them.

use crate::engine::words::Millis;
use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, SecondsFormat, TimeDelta, TimeZone, Utc};
use std::time::Duration;

/// Forms with a zone besides RFC 3339: ISO 8601 as `date`, Python and Java write it. chrono's `%z` reads `+0900` and `+09:00`.
const ZONED: [&str; 4] =
    ["%Y-%m-%dT%H:%M:%S%.f%#z", "%Y-%m-%d %H:%M:%S%.f%#z", "%Y-%m-%dT%H:%M%#z", "%Y%m%dT%H%M%S%.f%#z"];
/// Forms without a zone.
const LOCAL: [&str; 5] =
    ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y%m%dT%H%M%S%.f"];

/// Last moment that is written as text: the end of the year 9999, the last one that RFC 3339 has four digits for.
const LAST_MS: u64 = 253_402_300_799_999;

/// Longest `timeout`, in ms: a year. More is a mistake in the unit.
pub const DURATION_MS_MAX: u64 = 366 * 24 * 60 * 60 * 1_000;

/// The units that are refused.
const CALENDAR: [&str; 8] = ["M", "month", "months", "y", "yr", "yrs", "year", "years"];

/// Reads RFC 3339, or ISO 8601 without a zone as a time in the zone `here` (a date alone is its midnight). None if it is
/// neither, or before 1970.
#[must_use]
pub fn read_moment<Z: TimeZone>(text: &str, here: &Z) -> Option<Millis> {
    let text = text.trim();
    let ms = match zoned(text) {
        Some(moment) => moment.timestamp_millis(),
        None => in_zone(here, naive(text)?)?.timestamp_millis(),
    };
    u64::try_from(ms).ok().map(Millis)
}

/// The moment in RFC 3339, UTC: `2026-02-02T12:00:00Z`, with three digits of milliseconds unless they are zero.
#[must_use]
pub fn rfc3339(at: Millis) -> String {
    utc(at).to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

/// The same with three digits of milliseconds always, for columns of times.
#[must_use]
pub fn rfc3339_ms(at: Millis) -> String {
    utc(at).to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// A calendar day, `YYYY-MM-DD`: the name of a dated folder. Sorts by date.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(String);

impl Day {
    /// The day of a moment in UTC: folders follow from the journal alone, in whichever time zone they are written again.
    #[must_use]
    pub fn of(at: Millis) -> Self {
        Self(utc(at).format("%Y-%m-%d").to_string())
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

/// Reads `90s`, `30m`, `1h 30m`, in ms. None if it is no duration; a number without a unit is none, for nobody knows whether seconds
/// or minutes are meant.
#[must_use]
pub fn read_duration(text: &str) -> Option<u64> {
    let text = text.trim();
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return (text == "0").then_some(0); // which is the same in every unit
    }
    u64::try_from(parse_duration(text).ok()?.as_millis()).ok()
}

/// A number and a unit, or several, in days at most.
///
/// # Errors
/// What is wrong with it.
pub fn parse_duration(text: &str) -> Result<Duration, BadDuration> {
    let duration = humantime::parse_duration(text)?;
    let mut units = text.split(|c: char| !c.is_alphabetic());
    match units.find(|unit| CALENDAR.contains(unit)) {
        Some(_) => Err(BadDuration::Calendar),
        None => Ok(duration),
    }
}

/// What is wrong with a length of time.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BadDuration {
    /// It is in months or years, of which no two are equally long; and whoever writes `5M` means minutes.
    #[error("counts in months or years")]
    Calendar,
    /// It cannot be read.
    #[error(transparent)]
    Form(#[from] humantime::DurationError),
}

/// What to write in place of months and years.
pub const CALENDAR_CURE: &str = "write 5m for five minutes; days are the longest unit";

/// A duration on the command line, in ms.
///
/// # Errors
/// What is wrong with it, and the cure.
pub fn read_time(text: &str) -> Result<u64, String> {
    read_duration(text).ok_or_else(|| match parse_duration(text) {
        Err(wrong @ BadDuration::Calendar) => format!("it {wrong}: {CALENDAR_CURE}"),
        _ => "use a duration with its unit, such as 90s, 30m or 2h".to_owned(),
    })
}

/// Writes a duration so that [`read_duration`] gives the same: `1h 30m`.
#[must_use]
pub fn write_duration(ms: u64) -> String {
    let day = 24 * 60 * 60 * 1_000;
    let (days, rest) = (ms / day, ms % day);
    let rest = humantime::format_duration(Duration::from_millis(rest)).to_string();
    match (days, rest.as_str()) {
        (0, _) => rest,
        (_, "0s") => in_days(days),
        _ => format!("{} {rest}", in_days(days)),
    }
}

/// `3days`: as humantime writes it, which also writes months.
fn in_days(days: u64) -> String {
    format!("{days}day{}", if days == 1 { "" } else { "s" })
}

fn utc(at: Millis) -> DateTime<Utc> {
    let ms = i64::try_from(at.0.min(LAST_MS)).unwrap_or_default();
    DateTime::from_timestamp_millis(ms).unwrap_or_default()
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

/// An hour that a zone has twice means the first of the two; one that it skips is read with the clock not yet moved.
fn in_zone<Z: TimeZone>(zone: &Z, local: NaiveDateTime) -> Option<DateTime<Utc>> {
    let hour = TimeDelta::hours(1);
    if let Some(moment) = zone.from_local_datetime(&local).earliest() {
        return Some(moment.with_timezone(&Utc));
    }
    let before = zone.from_local_datetime(&local.checked_sub_signed(hour)?).latest()?;
    before.with_timezone(&Utc).checked_add_signed(hour)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono_tz::Asia::Tokyo;

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
            assert_eq!(read_moment(text, &Tokyo), noon, "{text}");
        }
        let at = |h, m, s, ms| {
            let naive = NaiveDate::from_ymd_opt(2025, 2, 2).unwrap().and_hms_milli_opt(h, m, s, ms).unwrap();
            Some(Millis(Tokyo.from_local_datetime(&naive).unwrap().timestamp_millis() as u64))
        };
        let here = |text: &str| read_moment(text, &Tokyo);
        assert_eq!(here("2025-02-02T12:00:00"), at(12, 0, 0, 0));
        assert_eq!(here("2025-02-02T12:00:00.123456"), at(12, 0, 0, 123));
        assert_eq!(here("2025-02-02 12:00"), at(12, 0, 0, 0));
        assert_eq!(here("2025-02-02"), at(0, 0, 0, 0));
        assert_eq!(here("2025-02-02 09:00"), read_moment("2025-02-02T00:00:00Z", &Utc));
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
            assert_eq!(read_moment(bad, &Tokyo), None, "{bad}");
        }
    }

    #[test]
    fn moments_are_written_with_milliseconds_only_where_there_are_some() {
        assert_eq!(rfc3339(Millis(1_770_033_600_000)), "2026-02-02T12:00:00Z");
        assert_eq!(rfc3339(Millis(1_770_033_600_070)), "2026-02-02T12:00:00.070Z");
        assert_eq!(rfc3339(Millis(1_770_033_600_007)), "2026-02-02T12:00:00.007Z");
        assert_eq!(rfc3339(Millis(0)), "1970-01-01T00:00:00Z");
        assert_eq!(rfc3339_ms(Millis(0)), "1970-01-01T00:00:00.000Z");
        assert_eq!(rfc3339(Millis(u64::MAX)), "9999-12-31T23:59:59.999Z");
    }

    #[test]
    fn what_is_written_is_read_again() {
        for ms in [0, 1, 999, 1_770_033_600_123, 4_102_444_800_000] {
            assert_eq!(read_moment(&rfc3339(Millis(ms)), &Tokyo), Some(Millis(ms)));
        }
        for ms in [1, 1_000, 90_000, 1_800_000, 5_400_000, 86_400_000 * 40, DURATION_MS_MAX, 86_400_001] {
            assert_eq!(read_duration(&write_duration(ms)), Some(ms));
        }
        assert_eq!(write_duration(86_400_000 * 40 + 3_600_000), "40days 1h");
    }

    #[test]
    fn a_day_is_that_of_utc_and_has_one_spelling() {
        assert_eq!(Day::of(Millis(1_770_033_600_000)).as_str(), "2026-02-02");
        assert_eq!(Day::of(Millis(1_770_076_799_999)).as_str(), "2026-02-02");
        assert_eq!(Day::parse("2026-02-03"), Some(Day::of(Millis(1_770_076_800_000))));
        assert!(Day::parse("2026-02-03") > Day::parse("2026-01-31"));
        for bad in ["2026-2-3", "2026-02-30", "", "..", "2026-02-03/..", " 2026-02-03"] {
            assert_eq!(Day::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn durations_have_a_unit() {
        assert_eq!(read_duration("30m"), Some(1_800_000));
        assert_eq!(read_duration("1h 30m"), Some(5_400_000));
        assert_eq!(read_duration("500ms"), Some(500));
        for bad in ["", "90", "007", "soon", "-5", "1.5", "5 parsecs", "18446744073709551615"] {
            assert_eq!(read_duration(bad), None, "{bad}");
        }
        for bad in ["5M", "1 month", "2months", "1y", "1h5M", "3d 1yr", "2 years"] {
            assert_eq!(parse_duration(bad), Err(BadDuration::Calendar), "{bad}");
        }
    }

    /// A zone that is one hour ahead from 01:00 UTC on 2026-03-29 to 01:00 UTC on 2026-10-25, like Central Europe.
    #[derive(Debug, Clone, Copy)]
    struct Summer;

    impl TimeZone for Summer {
        type Offset = chrono::FixedOffset;

        fn from_offset(_: &Self::Offset) -> Self {
            Self
        }

        fn offset_from_local_date(&self, _: &chrono::NaiveDate) -> chrono::MappedLocalTime<Self::Offset> {
            chrono::MappedLocalTime::None
        }

        fn offset_from_local_datetime(&self, local: &NaiveDateTime) -> chrono::MappedLocalTime<Self::Offset> {
            let fits: Vec<_> = [2, 1]
                .into_iter()
                .filter_map(|hours| chrono::FixedOffset::east_opt(hours * 3600))
                .filter(|offset| self.offset_from_utc_datetime(&(*local - *offset)) == *offset)
                .collect();
            match fits.as_slice() {
                [one] => chrono::MappedLocalTime::Single(*one),
                [first, second] => chrono::MappedLocalTime::Ambiguous(*first, *second),
                _ => chrono::MappedLocalTime::None,
            }
        }

        fn offset_from_utc_date(&self, date: &chrono::NaiveDate) -> Self::Offset {
            self.offset_from_utc_datetime(&date.and_time(chrono::NaiveTime::MIN))
        }

        fn offset_from_utc_datetime(&self, utc: &NaiveDateTime) -> Self::Offset {
            let (from, to) = (1_774_746_000, 1_792_890_000);
            let summer = (from..to).contains(&utc.and_utc().timestamp());
            chrono::FixedOffset::east_opt(if summer { 2 } else { 1 } * 3600).unwrap()
        }
    }

    #[test]
    fn skipped_and_doubled_hours_have_one_meaning() {
        let read = |text: &str| {
            let local = NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M").unwrap();
            in_zone(&Summer, local).unwrap().format("%H:%M").to_string()
        };
        assert_eq!(read("2026-03-29T01:59"), "00:59");
        assert_eq!(
            read("2026-03-29T02:30"),
            "01:30",
            "skipped: half past two is half an hour after the jump"
        );
        assert_eq!(read("2026-03-29T03:00"), "01:00");
        assert_eq!(read("2026-10-25T02:30"), "00:30", "doubled: the first");
    }
}
