//! When a limit ends, from the words in which programs say so: "resets 3pm (Asia/Tokyo)", "try again in 2 hours 53 minutes",
//! "try again at Oct 9th, 2026 3:45 PM", "will reset after 2h52m39s".

mod zone;

use crate::engine::words::Millis;
use chrono::{DateTime, Datelike, Days, Months, NaiveDate, NaiveDateTime, NaiveTime, TimeZone, Utc, Weekday};
use regex::{Captures, Regex};
use std::sync::LazyLock;
use zone::Zone;

/// The longest limit that is believed: a month, and a bit.
const LONGEST_MS: u64 = 32 * 86_400_000;
/// A time of day that passed less than this before is over, and not tomorrow's: screens keep what they said.
const PASSED_MS: u64 = 2 * 3_600_000;

/// Behind this is how long it takes. What is behind `after` alone may be how long it took.
static IN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let verb = r"(?:resets?|again|retry|retrying|wait|available)";
    Regex::new(&format!(r"(?i)\b(?:in|{verb}\s+after)\s+(?:~|≈|about\s|around\s)?")).ok()
});
static PIECE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let unit = "milliseconds?|ms|days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s";
    Regex::new(&format!(r"(?i)^[\s,]*(?:and\s+)?(\d{{1,6}})(?:\.(\d{{1,6}})\d*)?\s*({unit})")).ok()
});
static STAMP: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)").ok());
static AT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\b(?:resets?|again|until|at|on)\s+(?:at\s+|on\s+)?(?:next\s+|this\s+)?",
        r"(?:(?P<weekday>tomorrow|mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?",
        r"|fri(?:day)?|sat(?:urday)?|sun(?:day)?)\b\.?,?\s*)?",
        r"(?:(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?",
        r"(?:,?\s+(?P<year>\d{4})\b)?)?",
        r"(?:(?:,|\s*\bat\b)?\s*(?P<hour>\d{1,2})(?:(?::(?P<minute>\d\d)(?::\d\d)?)(?:\s*(?P<half>[ap]\.?m))?|\s*(?P<half2>[ap]\.?m)))?",
    ))
    .ok()
});

/// When the limit ends of which `text` tells, if it says so; `wall` is the time now, and what is over ends now. A time of day
/// that names no zone is of the zone `here`.
#[must_use]
pub fn reset_at<Z: TimeZone>(text: &str, wall: Millis, here: &Z) -> Option<Millis> {
    let at = stamped(text).or_else(|| passing(text, wall)).or_else(|| {
        let found = AT
            .as_ref()?
            .captures_iter(text)
            .find(|found| ["hour", "month", "weekday"].iter().any(|part| found.name(part).is_some()))?;
        spoken(&found, text, wall, here)
    })?;
    (at.0 <= wall.0.saturating_add(LONGEST_MS)).then_some(at.max(wall))
}

fn stamped(text: &str) -> Option<Millis> {
    let found = STAMP.as_ref()?.find(text)?.as_str();
    let at = DateTime::parse_from_rfc3339(found).ok()?;
    u64::try_from(at.timestamp_millis()).ok().map(Millis)
}

fn passing(text: &str, wall: Millis) -> Option<Millis> {
    let ms = IN.as_ref()?.find_iter(text).find_map(|found| lasting(&text[found.end()..]))?;
    Some(wall.plus(ms))
}

/// How long it takes, from the words with which `text` begins: `2 hours and 5 minutes`, `2h52m39s`, `1.898s`.
fn lasting(text: &str) -> Option<u64> {
    let (mut rest, mut ms) = (text, None);
    while let Some(piece) = PIECE.as_ref()?.captures(rest) {
        rest = &rest[piece.get(0)?.end()..];
        // Another word begins as a unit does.
        if rest.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            break;
        }
        let unit = match piece.get(3)?.as_str().to_ascii_lowercase().as_str() {
            "ms" | "millisecond" | "milliseconds" => 1,
            unit if unit.starts_with('d') => 86_400_000,
            unit if unit.starts_with('h') => 3_600_000,
            unit if unit.starts_with('m') => 60_000,
            _ => 1_000,
        };
        let parts = piece.get(2).map_or("", |parts| parts.as_str());
        let part = parts.parse::<u64>().unwrap_or(0) * unit / 10_u64.pow(u32::try_from(parts.len()).ok()?);
        let whole = piece.get(1)?.as_str().parse::<u64>().ok()?.saturating_mul(unit);
        ms = Some(ms.unwrap_or(0_u64).saturating_add(whole + part));
    }
    ms
}

/// A day, a time of day, or both, in the zone that is named or else in that of here; nothing in one that nobody knows.
fn spoken<Z: TimeZone>(found: &Captures<'_>, text: &str, wall: Millis, here: &Z) -> Option<Millis> {
    let whole = found.get(0)?;
    let behind = &text[whole.end()..];
    let is_dotted = [".m", ".M"].iter().any(|end| whole.as_str().ends_with(end));
    match zone::named(if is_dotted { behind.strip_prefix('.').unwrap_or(behind) } else { behind })? {
        Zone::Here => in_zone(found, wall, here),
        Zone::Place(zone) => in_zone(found, wall, &zone),
        Zone::Offset(offset) => in_zone(found, wall, &offset),
    }
}

fn in_zone<Z: TimeZone>(found: &Captures<'_>, wall: Millis, zone: &Z) -> Option<Millis> {
    let now = DateTime::<Utc>::from_timestamp_millis(i64::try_from(wall.0).ok()?)?.with_timezone(zone);
    let time = match found.name("hour") {
        Some(hour) => time_of_day(hour.as_str(), found)?,
        None => NaiveTime::MIN,
    };
    let today = now.date_naive();
    let is_past =
        |day: NaiveDate| millis(zone, day.and_time(time)).is_some_and(|at| at.0 + PASSED_MS < wall.0);
    let day = match (found.name("month"), found.name("day")) {
        (Some(month), Some(day)) => {
            let year = found.name("year").and_then(|year| year.as_str().parse().ok());
            let month = month_of(month.as_str())?;
            let day =
                NaiveDate::from_ymd_opt(year.unwrap_or(today.year()), month, day.as_str().parse().ok()?)?;
            let is_next = year.is_none() && is_past(day);
            if is_next { day.checked_add_months(Months::new(12))? } else { day }
        }
        _ => {
            let named = found.name("weekday").map(|word| word.as_str().to_ascii_lowercase());
            let weekday = match named.as_deref() {
                Some("tomorrow") => Some(today.checked_add_days(Days::new(1))?.weekday()),
                named => named.and_then(|name| name.parse::<Weekday>().ok()),
            };
            let fits = |day: &NaiveDate| weekday.is_none_or(|weekday| day.weekday() == weekday);
            today.pred_opt()?.iter_days().take(9).filter(fits).find(|day| !is_past(*day))?
        }
    };
    millis(zone, day.and_time(time))
}

fn time_of_day(hour: &str, found: &Captures<'_>) -> Option<NaiveTime> {
    let half =
        found.name("half").or_else(|| found.name("half2")).map(|half| half.as_str().to_ascii_lowercase());
    let (hour, minute) =
        (hour.parse::<u32>().ok()?, found.name("minute").map_or(Some(0), |m| m.as_str().parse().ok())?);
    let hour = match half.as_deref() {
        None => hour,
        Some(_) if hour == 0 || hour > 12 => return None,
        Some(half) => hour % 12 + if half.starts_with('p') { 12 } else { 0 },
    };
    NaiveTime::from_hms_opt(hour, minute, 0)
}

fn month_of(name: &str) -> Option<u32> {
    const NAMES: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let name = name.to_ascii_lowercase();
    (1..).zip(NAMES).find(|(_, known)| *known == name).map(|(number, _)| number)
}

/// A moment that clocks pass over in spring is the one after it.
fn millis<Z: TimeZone>(zone: &Z, at: NaiveDateTime) -> Option<Millis> {
    let at = zone
        .from_local_datetime(&at)
        .earliest()
        .or_else(|| zone.from_local_datetime(&(at + chrono::Duration::hours(1))).earliest())?;
    u64::try_from(at.timestamp_millis()).ok().map(Millis)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono_tz::Tz;

    /// 2026-11-21 06:30:00 UTC, which is 15:30 in Tokyo.
    const NOW: Millis = Millis(1_795_242_600_000);

    fn told(text: &str) -> Option<String> {
        reset_at(text, NOW, &Tz::Asia__Tokyo).map(crate::wire::time::rfc3339)
    }

    #[test]
    fn what_programs_say_of_the_end_of_a_limit_is_understood() {
        let said = [
            ("⎿  You've hit your 5-hour limit · resets 5pm (Asia/Tokyo)", "2026-11-21T08:00:00Z"),
            (
                "You've hit your weekly limit · resets 3:45pm (Asia/Tokyo) · progress saved",
                "2026-11-21T06:45:00Z",
            ),
            ("resets 2am (Asia/Tokyo)", "2026-11-21T17:00:00Z"),
            ("resets 2am (Europe/Berlin)", "2026-11-22T01:00:00Z"),
            ("resets at 04:00 UTC", "2026-11-22T04:00:00Z"),
            ("resets 12am (UTC)", "2026-11-22T00:00:00Z"),
            ("resets Nov 25, 3pm (Asia/Tokyo)", "2026-11-25T06:00:00Z"),
            ("Your limit will reset at 3pm (America/New_York).", "2026-11-21T20:00:00Z"),
            ("■ You've hit your usage limit. Try again in 2 hours 53 minutes.", "2026-11-21T09:23:00Z"),
            ("try again in 3 days 1 hour 5 minutes", "2026-11-24T07:35:00Z"),
            ("try again at Dec 9th, 2026 3:45 PM UTC", "2026-12-09T15:45:00Z"),
            ("✻ 5-hour limit reached · retrying in 2h (3pm) · attempt 1/10", "2026-11-21T08:30:00Z"),
            ("resets in 5m", "2026-11-21T06:35:00Z"),
            ("Access resets at 7:00 AM UTC.", "2026-11-21T07:00:00Z"),
            ("reset at 2026-11-21T10:00:00Z, please wait", "2026-11-21T10:00:00Z"),
            ("resets at 06:29 UTC", "2026-11-21T06:30:00Z"),
            ("resets 12pm (UTC)", "2026-11-21T12:00:00Z"),
            ("Access resets at 3:45 PM GMT+9.", "2026-11-21T06:45:00Z"),
            ("Access resets at 3:45 PM GMT-3.", "2026-11-21T18:45:00Z"),
            ("resets 12:45 PM UTC+5:30", "2026-11-21T07:15:00Z"),
            ("resets 5pm (JST)", "2026-11-21T08:00:00Z"),
            ("try again at 10:21 AM PST", "2026-11-21T18:21:00Z"),
            ("Your quota will reset after 2h52m39s.", "2026-11-21T09:22:39Z"),
            ("Please try again in 6m0s.", "2026-11-21T06:36:00Z"),
            ("Please retry in 1.898s", "2026-11-21T06:30:01.898Z"),
            ("try again in 350ms", "2026-11-21T06:30:00.350Z"),
            ("[retrying in ~2 days attempt #3]", "2026-11-23T06:30:00Z"),
            ("retrying in about 1 hour", "2026-11-21T07:30:00Z"),
            ("resets Fri, Nov 27 at 3pm (UTC)", "2026-11-27T15:00:00Z"),
            ("resets Monday at 3pm (UTC)", "2026-11-23T15:00:00Z"),
            ("resets Sat at 1am (UTC)", "2026-11-28T01:00:00Z"),
        ];
        for (text, at) in said {
            assert_eq!(told(text).as_deref(), Some(at), "{text}");
        }
    }

    #[test]
    fn what_says_nothing_of_a_time_is_not_made_one() {
        let silent = [
            "",
            "You've hit your monthly spend limit",
            "resets soon",
            "resets 25pm",
            "resets Feb 31, 3pm",
            "resets Jan 2, 2031, 3pm (UTC)",
            "in 99999 days",
            "at 7 of 9 files",
            "try again in a moment",
            "in 3 steps",
            // A zone that nobody knows, and one that was cut.
            "resets 3pm (CST)",
            "resets 3pm (America/Argentina/",
            "resets 3pm XYZT",
        ];
        for text in silent {
            assert_eq!(told(text), None, "{text}");
        }
    }

    #[test]
    fn lengths_of_time_are_understood_as_they_are_written() {
        let said = [
            ("Your quota will reset after 2h52m39s.", "2026-11-21T09:22:39Z"),
            ("Please try again in 6m0s. Visit", "2026-11-21T06:36:00Z"),
            ("resets in 2h3m", "2026-11-21T08:33:00Z"),
            ("reset after 1.898s", "2026-11-21T06:30:01.898Z"),
            ("in 1.5 hours", "2026-11-21T08:00:00Z"),
            ("Please try again in 350ms", "2026-11-21T06:30:00.350Z"),
            ("[retrying in ~2 days attempt #2]", "2026-11-23T06:30:00Z"),
            ("[retrying in ~1 hour attempt #2]", "2026-11-21T07:30:00Z"),
            ("try again in about 2 hours", "2026-11-21T08:30:00Z"),
            ("limit reached after 5 minutes of use · resets 3pm (UTC)", "2026-11-21T15:00:00Z"),
            ("in 5 messages, or in 2h 5messages", "2026-11-21T08:30:00Z"),
        ];
        for (text, at) in said {
            assert_eq!(told(text).as_deref(), Some(at), "{text}");
        }
    }

    #[test]
    fn a_time_of_day_is_of_its_zone_and_of_none_where_nobody_knows_it() {
        let said = [
            ("Access resets at 3:45 PM GMT+9.", Some("2026-11-21T06:45:00Z")),
            ("Access resets at 3:45 PM GMT-3.", Some("2026-11-21T18:45:00Z")),
            ("Access resets at 3:45 AM PDT.", Some("2026-11-21T10:45:00Z")),
            ("resets 10:21 AM UTC+2", Some("2026-11-21T08:21:00Z")),
            ("resets 3:45 p.m. GMT+05:30", Some("2026-11-21T10:15:00Z")),
            ("resets 3pm (Etc/GMT+5)", Some("2026-11-21T20:00:00Z")),
            ("resets 7am (America/Port-au-Prince)", Some("2026-11-21T12:00:00Z")),
            ("resets 5pm (JST)", Some("2026-11-21T08:00:00Z")),
            ("resets 3am PST", Some("2026-11-21T11:00:00Z")),
            ("resets 3pm (CST)", None),
            ("resets 3pm IST", None),
            ("resets 3pm (XYZT)", None),
            ("resets 3pm GMT+25", None),
            ("resets 3pm (Mars/Olympus)", None),
            ("resets Nov 26, 8:38am (America/Argentina/", None),
            ("resets Nov 26, 8:38am (Americ", None),
        ];
        for (text, at) in said {
            assert_eq!(told(text).as_deref(), at, "{text}");
        }
        let here = Some("2026-11-21T06:45:00Z".to_owned());
        for text in [
            "resets 3:45pm",
            "resets 3:45pm (local time)",
            "resets 3:45pm · progress saved",
            "resets 3:45 PM. OK",
        ] {
            assert_eq!(told(text), here, "{text}");
        }
    }

    #[test]
    fn a_day_is_the_next_of_its_name() {
        // The 21st is a Saturday.
        let said = [
            ("resets Fri, Nov 27 at 3pm (UTC)", "2026-11-27T15:00:00Z"),
            ("resets Monday at 3pm (UTC)", "2026-11-23T15:00:00Z"),
            ("resets Fri at 3pm (UTC)", "2026-11-27T15:00:00Z"),
            ("resets next Thursday, 3pm (UTC)", "2026-11-26T15:00:00Z"),
            ("resets on Sat 3pm (UTC)", "2026-11-21T15:00:00Z"),
            ("resets Sat 2am (Asia/Tokyo)", "2026-11-27T17:00:00Z"),
            ("resets tomorrow at 9am (UTC)", "2026-11-22T09:00:00Z"),
            ("resets Sat at 1am (UTC)", "2026-11-28T01:00:00Z"),
        ];
        for (text, at) in said {
            assert_eq!(told(text).as_deref(), Some(at), "{text}");
        }
    }

    #[test]
    fn a_time_of_day_that_has_passed_is_over_for_two_hours() {
        let over = [
            "resets 6:15am (UTC)",
            "resets at 05:00 UTC",
            "resets Sat 5am (UTC)",
            "resets Nov 21, 5am (UTC)",
            "try again at Nov 20th, 2026 3:14 PM UTC",
        ];
        for text in over {
            assert_eq!(reset_at(text, NOW, &Utc), Some(NOW), "{text}");
        }
        let after_midnight = Millis(NOW.0 - 6 * 3_600_000);
        assert_eq!(reset_at("resets 11:50pm (UTC)", after_midnight, &Utc), Some(after_midnight));
        assert_eq!(told("resets 11:50pm (UTC)").as_deref(), Some("2026-11-21T23:50:00Z"));
    }
}
