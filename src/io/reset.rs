//! When a limit ends, from the words in which programs say so: "resets 3pm (Asia/Tokyo)", "try again in 2 hours 53 minutes",
//! "try again at Oct 9th, 2026 3:45 PM".

use crate::engine::words::Millis;
use chrono::{
    DateTime, Datelike, Days, FixedOffset, Local, Months, NaiveDate, NaiveDateTime, NaiveTime, TimeZone, Utc,
    Weekday,
};
use chrono_tz::Tz;
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// The longest limit that is believed: a month, and a bit.
const LONGEST_MS: u64 = 32 * 86_400_000;
/// A time of day that passed this shortly before is meant as now, and not as tomorrow: its words may have stood there since.
const JUST_PASSED_MS: u64 = 2 * 60 * 60_000;

static IN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let unit = r"(?:days?|d|hours?|hrs?|h|minutes?|mins?|min|m|seconds?|secs?|s)\b";
    let compact = r"(?:\d{1,6}(?:\.\d+)?(?:d|h|ms|m|s))+\b";
    let spoken = format!(r"(?:\d{{1,6}}(?:\.\d+)?\s*{unit}[\s,]*(?:and\s+)?)+");
    Regex::new(&format!(r"(?i)\b(?:in|after)\s+(?:~\s*|about\s+)?({compact}|{spoken})")).ok()
});
static PIECE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)(\d{1,6})(?:\.(\d{1,3})\d*)?\s*(ms|[dhms])").ok());
static STAMP: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)").ok());
static AT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\b(?:resets?|again|until|at|on)\s+(?:at\s+|on\s+)?",
        r"(?:(?P<weekday>mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?)?",
        r"(?:\s*(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?",
        r"(?:,?\s+(?P<year>\d{4})\b)?)?",
        r"(?:(?:,|\s+at)?\s*(?P<hour>\d{1,2})(?:(?::(?P<minute>\d\d)(?::\d\d)?)\s*(?P<half>[ap]\.?m)?|\s*(?P<half2>[ap]\.?m)))?",
        r"(?:\.?\s+(?:\((?P<named>[^()]{1,40})|(?P<zone>(?-i:[A-Z][A-Za-z_]+(?:/[A-Za-z_+-]+)+",
        r"|(?:UTC|GMT)(?:[+-]\d{1,2}(?::?\d\d)?)?|[A-Z]{2,4}T\b))))?",
    ))
    .ok()
});

/// When the limit ends of which `text` tells, if it says so; `wall` is the time now.
#[must_use]
pub fn reset_at(text: &str, wall: Millis) -> Option<Millis> {
    let at = stamped(text).or_else(|| passing(text, wall)).or_else(|| {
        let found = AT
            .as_ref()?
            .captures_iter(text)
            .find(|found| ["hour", "month", "weekday"].iter().any(|part| found.name(part).is_some()))?;
        spoken(&found, wall)
    })?;
    (at.0 <= wall.0.saturating_add(LONGEST_MS)).then_some(at.max(wall))
}

fn stamped(text: &str) -> Option<Millis> {
    let found = STAMP.as_ref()?.find(text)?.as_str();
    let at = DateTime::parse_from_rfc3339(found).ok()?;
    u64::try_from(at.timestamp_millis()).ok().map(Millis)
}

fn passing(text: &str, wall: Millis) -> Option<Millis> {
    let found = IN.as_ref()?.captures(text)?;
    let mut ms = 0_u64;
    for piece in PIECE.as_ref()?.captures_iter(found.get(1)?.as_str()) {
        let unit: u64 = match &*piece.get(3)?.as_str().to_ascii_lowercase() {
            "d" => 86_400_000,
            "h" => 3_600_000,
            "m" => 60_000,
            "ms" => 1,
            _ => 1_000,
        };
        let thousandths = piece.get(2).map_or("0", |part| part.as_str());
        let thousandths = format!("{thousandths:0<3}").parse::<u64>().ok()?;
        let whole = piece.get(1)?.as_str().parse::<u64>().ok()?;
        ms = ms.saturating_add(whole.saturating_mul(unit)).saturating_add(thousandths * unit / 1_000);
    }
    Some(wall.plus(ms))
}

/// A day, a time of day, or both, in the zone that is named or else that of this machine.
fn spoken(found: &Captures<'_>, wall: Millis) -> Option<Millis> {
    let Some(name) = found.name("named").or_else(|| found.name("zone")) else {
        return in_zone(found, wall, &Local);
    };
    if let Ok(zone) = name.as_str().trim().parse::<Tz>() {
        return in_zone(found, wall, &zone);
    }
    in_zone(found, wall, &offset_of(name.as_str().trim())?)
}

/// The offset of `GMT+9`, or of a name that stands for one alone. Of any other it is better to know no time than a wrong one.
fn offset_of(name: &str) -> Option<FixedOffset> {
    let known = [
        ("PST", -8),
        ("PDT", -7),
        ("MDT", -6),
        ("EDT", -4),
        ("CDT", -5),
        ("CEST", 2),
        ("EEST", 3),
        ("JST", 9),
        ("KST", 9),
        ("AEST", 10),
        ("AEDT", 11),
    ];
    let hour = 3_600;
    if let Some((_, hours)) = known.iter().find(|(known, _)| *known == name) {
        return FixedOffset::east_opt(hours * hour);
    }
    let offset = name.strip_prefix("GMT").or_else(|| name.strip_prefix("UTC"))?;
    let (sign, digits) = (if offset.starts_with('-') { -1 } else { 1 }, offset.get(1..)?.replace(':', ""));
    let (hours, minutes) =
        digits.split_at_checked(digits.len().min(if digits.len() == 3 { 1 } else { 2 }))?;
    let minutes: i32 = if minutes.is_empty() { 0 } else { minutes.parse().ok()? };
    FixedOffset::east_opt(sign * (hours.parse::<i32>().ok()? * hour + minutes * 60))
}

fn in_zone<Z: TimeZone>(found: &Captures<'_>, wall: Millis, zone: &Z) -> Option<Millis> {
    let now = DateTime::<Utc>::from_timestamp_millis(i64::try_from(wall.0).ok()?)?.with_timezone(zone);
    let time = match found.name("hour") {
        Some(hour) => time_of_day(hour.as_str(), found)?,
        None => NaiveTime::MIN,
    };
    let today = now.date_naive();
    let is_past = |at: NaiveDateTime| millis(zone, at).is_some_and(|at| at.0 + JUST_PASSED_MS < wall.0);
    let day = match (found.name("month"), found.name("day")) {
        (Some(month), Some(day)) => {
            let year = found.name("year").and_then(|year| year.as_str().parse().ok());
            let month = month_of(month.as_str())?;
            let day =
                NaiveDate::from_ymd_opt(year.unwrap_or(today.year()), month, day.as_str().parse().ok()?)?;
            let is_next = year.is_none() && is_past(day.and_time(time));
            if is_next { day.checked_add_months(Months::new(12))? } else { day }
        }
        _ if found.name("weekday").is_some() => {
            let named = found["weekday"].parse::<Weekday>().ok()?;
            let ahead = named.days_since(today.weekday());
            let is_next = ahead == 0 && is_past(today.and_time(time));
            today.checked_add_days(Days::new(u64::from(if is_next { 7 } else { ahead })))?
        }
        _ if is_past(today.and_time(time)) => today.checked_add_days(Days::new(1))?,
        _ => today,
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

    /// 2026-11-21 06:30:00 UTC, which is 15:30 in Tokyo.
    const NOW: Millis = Millis(1_795_242_600_000);

    fn told(text: &str) -> Option<String> {
        reset_at(text, NOW).map(crate::io::clock::rfc3339)
    }

    #[test]
    fn what_programs_say_of_the_end_of_a_limit_is_understood() {
        let said = [
            ("⎿  You've hit your 5-hour limit · resets 5pm (Asia/Tokyo)", "2026-11-21T08:00:00Z"),
            (
                "You've hit your weekly limit · resets 3:45pm (Asia/Tokyo) · progress saved",
                "2026-11-21T06:45:00Z",
            ),
            ("resets 2am (Europe/Berlin)", "2026-11-22T01:00:00Z"),
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
            ("resets at 05:00 UTC", "2026-11-21T06:30:00Z"),
            ("resets at 04:00 UTC", "2026-11-22T04:00:00Z"),
            ("resets 12am (UTC)", "2026-11-22T00:00:00Z"),
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
}
