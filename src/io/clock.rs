//! The one place that reads time, and the one place that writes and reads it as text.
//!
//! [`Clock::now`] is what the engine is given: the wall clock as it stood at start, carried on by the monotonic clock.
//! It therefore stands still while the machine sleeps: an agent that slept with its machine has not used up its
//! working time. [`Clock::wall`] is for what people compare with their own clocks: deadlines, retention, the log.

use crate::engine::words::Millis;
use chrono::{DateTime, Local, NaiveDateTime, SecondsFormat, TimeDelta, TimeZone, Utc};
use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::time::Instant;

/// Last moment that is written as text: the end of the year 9999, the last one that RFC 3339 has four digits for.
const LAST_MS: u64 = 253_402_300_799_999;

/// Where the kernel says which boot this is.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// A clock that never jumps and never goes back.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    wall_at_start: Millis,
    started: Instant,
}

impl Clock {
    /// Reads the wall clock once; from here on only the monotonic clock counts.
    #[must_use]
    pub fn start() -> Self {
        Self::starting_at(wall_now())
    }

    /// A clock that begins at `wall` now, for journals that are newer than the wall clock and for tests.
    #[must_use]
    pub fn starting_at(wall: Millis) -> Self {
        Self { wall_at_start: wall, started: Instant::now() }
    }

    /// Now. Never less than what it said before, whatever happens to the wall clock.
    #[must_use]
    pub fn now(&self) -> Millis {
        self.wall_at_start.plus(to_ms(self.started.elapsed()))
    }

    /// What the wall clock says now; it may jump either way.
    #[must_use]
    pub fn wall(&self) -> Millis {
        wall_now()
    }

    /// The instant to sleep until so that [`Clock::now`] is at least `at`; a moment that has passed gives the start.
    #[must_use]
    pub fn instant(&self, at: Millis) -> Instant {
        let wait = Duration::from_millis(at.since(self.wall_at_start));
        self.started.checked_add(wait).unwrap_or_else(|| far_away(self.started))
    }
}

/// Why a text is no moment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadTimestamp {
    /// Neither RFC 3339 nor ISO 8601.
    #[error("{0:?} is no moment; write it like 2026-02-02T12:00:00Z, or without the Z for local time")]
    Form(String),
    /// Before 1970 or after 9999.
    #[error("{0:?} is out of range; use a moment from 1970 to 9999")]
    Range(String),
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

/// The day of a moment as `YYYY-MM-DD`, in UTC: the folders of `queue/done/` follow from the journal alone, wherever
/// and in whichever time zone they are written again.
#[must_use]
pub fn day(at: Millis) -> String {
    utc(at).format("%Y-%m-%d").to_string()
}

/// Reads RFC 3339, or ISO 8601 without a zone, which is local time. `T` may be a space; a fraction is cut to ms.
///
/// # Errors
/// [`BadTimestamp`] says what is wrong and what to write instead.
pub fn parse_timestamp(text: &str) -> Result<Millis, BadTimestamp> {
    let trimmed = text.trim();
    let moment = match DateTime::parse_from_rfc3339(trimmed) {
        Ok(moment) => moment.with_timezone(&Utc),
        Err(_) => parse_local(trimmed).ok_or_else(|| BadTimestamp::Form(text.into()))?,
    };
    match u64::try_from(moment.timestamp_millis()) {
        Ok(ms) if ms <= LAST_MS => Ok(Millis(ms)),
        _ => Err(BadTimestamp::Range(text.into())),
    }
}

/// Which boot of the machine this is: process numbers and start times mean something only within one.
///
/// # Errors
/// When `/proc` is not mounted.
pub fn boot_id() -> io::Result<String> {
    Ok(std::fs::read_to_string(BOOT_ID)?.trim().to_owned())
}

/// The wall clock, for the log, which has no [`Clock`] at hand.
#[expect(clippy::disallowed_methods, reason = "this is the one clock")]
pub(super) fn wall_now() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis(to_ms(since))
}

fn parse_local(text: &str) -> Option<DateTime<Utc>> {
    const FORMS: [&str; 4] =
        ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"];
    let local = FORMS.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok())?;
    in_zone(&Local, local)
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

fn utc(at: Millis) -> DateTime<Utc> {
    let ms = i64::try_from(at.0.min(LAST_MS)).unwrap_or_default();
    DateTime::from_timestamp_millis(ms).unwrap_or_default()
}

fn to_ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Thirty years: no timer outlives it, and every platform can add it to an instant.
fn far_away(from: Instant) -> Instant {
    from + Duration::from_secs(30 * 365 * 24 * 60 * 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_with_milliseconds_only_where_there_are_some() {
        assert_eq!(rfc3339(Millis(1_770_033_600_000)), "2026-02-02T12:00:00Z");
        assert_eq!(rfc3339(Millis(1_770_033_600_070)), "2026-02-02T12:00:00.070Z");
        assert_eq!(rfc3339(Millis(0)), "1970-01-01T00:00:00Z");
        assert_eq!(rfc3339_ms(Millis(0)), "1970-01-01T00:00:00.000Z");
        assert_eq!(rfc3339(Millis(u64::MAX)), "9999-12-31T23:59:59.999Z");
        assert_eq!(day(Millis(1_770_033_600_000)), "2026-02-02");
        assert_eq!(day(Millis(1_770_076_799_999)), "2026-02-02");
        assert_eq!(day(Millis(1_770_076_800_000)), "2026-02-03");
    }

    #[test]
    fn what_is_written_is_read_back() {
        for ms in [0, 1, 999, 1_770_033_600_000, 1_770_033_600_007, LAST_MS] {
            assert_eq!(parse_timestamp(&rfc3339(Millis(ms))), Ok(Millis(ms)));
        }
    }

    #[test]
    fn zones_fractions_and_spaces_are_understood() {
        let noon = Ok(Millis(1_770_033_600_000));
        for same in [
            "2026-02-02T12:00:00Z",
            "2026-02-02t12:00:00z",
            "2026-02-02T21:00:00+09:00",
            "2026-02-02 12:00:00+00:00",
            " 2026-02-02T12:00:00.000999Z ",
        ] {
            assert_eq!(parse_timestamp(same), noon, "{same}");
        }
        for local in ["2026-02-02T12:00:00", "2026-02-02 12:00:00.5", "2026-02-02T12:00"] {
            let expected = Local.with_ymd_and_hms(2026, 2, 2, 12, 0, 0).earliest().map(|t| t.timestamp());
            let read = parse_timestamp(local).ok().map(|t| i64::try_from(t.0 / 1000).unwrap());
            assert_eq!(read, expected, "{local}");
        }
    }

    #[test]
    fn what_is_no_moment_is_refused() {
        for bad in [
            "",
            "yesterday",
            "2026-02-30T12:00:00Z",
            "2026-02-02",
            "12:00",
            "1770033600",
            "２０２６-02-02T12:00:00Z",
        ] {
            assert_eq!(parse_timestamp(bad), Err(BadTimestamp::Form(bad.into())));
        }
        let early = "1969-12-31T23:59:59Z";
        assert_eq!(parse_timestamp(early), Err(BadTimestamp::Range(early.into())));
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

    #[test]
    fn the_clock_never_goes_back_and_its_timers_agree_with_it() {
        let clock = Clock::starting_at(Millis(5_000));
        let mut last = clock.now();
        for _ in 0..10_000 {
            let now = clock.now();
            assert!(now >= last);
            last = now;
        }
        assert!(last.0 < 60_000, "it goes on from where it started, not from the wall");
        assert_eq!(clock.instant(Millis(6_000)) - clock.instant(Millis(5_000)), Duration::from_secs(1));
        assert_eq!(clock.instant(Millis(0)), clock.instant(Millis(5_000)));
        assert!(clock.instant(Millis(u64::MAX)) > clock.instant(Millis(6_000)));
        assert!(clock.wall().0 > 1_700_000_000_000, "the wall is the real one");
    }

    #[test]
    fn the_boot_has_a_name() {
        assert_eq!(boot_id().unwrap().len(), 36);
    }
}
