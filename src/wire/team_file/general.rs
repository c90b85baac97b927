//! The keys under `settings:`: waiting times and limits, each within bounds that make sense.

use super::check::{self, lasting, number};
use super::doorbells;
use super::file::SettingsEntry;
use super::finding::Book;
use super::values::{At, Lasting};
use crate::engine::screen::doorbell::Words;
use crate::engine::team::Limits;
use crate::engine::team::timeouts::TURN_TIMEOUT_MS;
use std::ops::RangeInclusive;

/// More tries than this only delay the bad news.
const RETRIES_MAX: usize = 10;
/// From an hour, within which a person looks, to ten years.
const RETENTION_MS: RangeInclusive<u64> = 3_600_000..=3_650 * 86_400_000;
/// From nothing to an hour.
const WAIT_MS: RangeInclusive<u64> = 0..=3_600_000;
/// From a second to a day.
const CHECK_MS: RangeInclusive<u64> = 1_000..=86_400_000;
/// A claim is looked for in the last 400 lines; a million lines are gigabytes.
const HISTORY: RangeInclusive<u64> = 500..=1_000_000;
/// Programs for terminals like 80 columns, people on small screens 40; in fewer a claim and its token have no place in a row. tmux
/// takes no more than 10,000.
const COLUMNS: RangeInclusive<u16> = 40..=10_000;
/// A doorbell and an answer must be on the screen at once.
const ROWS: RangeInclusive<u16> = 24..=10_000;

/// What holds for the whole team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct General {
    /// What the engine is to keep to.
    pub limits: Limits,
    /// How long what is finished is kept, in ms.
    pub retention_ms: u64,
    /// How long a person's last key must lie back before anything is typed, in ms.
    pub person_quiet_ms: u64,
    /// Free bytes below which drops are left in `queue/`.
    pub low_disk_bytes: u64,
    /// Columns of each window.
    pub columns: u16,
    /// Rows of each window.
    pub rows: u16,
    /// Lines that tmux keeps of each pane.
    pub history_limit: u32,
    /// Filter of the daemon's log, where `TASUKI_LOG` is not set.
    pub log: String,
    /// Words of the doorbells.
    pub words: Words,
    /// How long a command may take that checks a task, in ms.
    pub check_timeout_ms: u64,
    /// Names of the variables that such a command gets besides the few that every program needs.
    pub check_env: Vec<String>,
    /// Working time of a turn where neither agent nor profile says otherwise, in ms.
    pub default_timeout_ms: u64,
}

impl Default for General {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            retention_ms: 30 * 86_400_000,
            person_quiet_ms: 10_000,
            // Eight of the largest batches that the journal writes at once.
            low_disk_bytes: 64 << 20,
            columns: 200,
            rows: 50,
            history_limit: 5_000,
            log: "info".into(),
            words: Words::default(),
            // A test-suite that an agent is to wait for.
            check_timeout_ms: 10 * 60_000,
            check_env: Vec::new(),
            default_timeout_ms: TURN_TIMEOUT_MS,
        }
    }
}

/// What the file says over the defaults. What is wrong is in `book`.
pub(super) fn general(entry: Option<&SettingsEntry>, book: &mut Book) -> General {
    let mut general = General::default();
    let Some(entry) = entry else { return general };
    lasting(&mut general.retention_ms, entry.retention.as_ref(), RETENTION_MS, book);
    lasting(&mut general.default_timeout_ms, entry.default_timeout.as_ref(), check::TIMEOUT_MS, book);
    lasting(&mut general.person_quiet_ms, entry.person_quiet.as_ref(), WAIT_MS, book);
    number(&mut general.history_limit, entry.history_limit.as_ref(), HISTORY, book);
    lasting(&mut general.check_timeout_ms, entry.check_timeout.as_ref(), CHECK_MS, book);
    general.take_check_env(entry, book);
    general.take_low_disk(entry, book);
    general.take_window(entry, book);
    if let Some(log) = &entry.log {
        general.log.clone_from(&log.value);
        if let Err(error) = log.value.parse::<tracing_subscriber::filter::Targets>() {
            let why = format!("`{}` is not a log level ({error})", log.value);
            book.wrong(
                log.place,
                why,
                "use error, warn, info, debug or trace, or a list like `info,tasuki::io=debug`",
            );
        }
    }
    general.words = doorbells::words(entry.words.as_ref(), book);
    general.limits = limits(entry, book);
    general
}

impl General {
    fn take_low_disk(&mut self, entry: &SettingsEntry, book: &mut Book) {
        match entry.low_disk.as_ref().map(|given| (given.value.count(), given.place)) {
            Some((Ok(bytes), _)) => self.low_disk_bytes = bytes,
            Some((Err(wrong), place)) => check::report(wrong, place, book),
            None => {}
        }
    }

    fn take_check_env(&mut self, entry: &SettingsEntry, book: &mut Book) {
        for name in entry.check_env.iter().flatten() {
            check::variable_name(&name.value, name.place, book);
            self.check_env.push(name.value.clone());
        }
    }

    fn take_window(&mut self, entry: &SettingsEntry, book: &mut Book) {
        match entry.window.as_ref().map(|given| (given.value.size(), given.place)) {
            Some((Ok((columns, rows)), place)) => {
                (self.columns, self.rows) = (columns, rows);
                if !COLUMNS.contains(&columns) || !ROWS.contains(&rows) {
                    let cure = format!("use at least {}x{}", COLUMNS.start(), ROWS.start());
                    book.wrong(place, "no agent can work in a window of this size", cure);
                }
            }
            Some((Err(wrong), place)) => check::report(wrong, place, book),
            None => {}
        }
    }
}

fn limits(entry: &SettingsEntry, book: &mut Book) -> Limits {
    let mut limits = Limits::default();
    take_retries(&mut limits, entry.retries.as_ref(), book);
    number(&mut limits.hops_max, entry.max_hops.as_ref(), 1..=64, book);
    number(&mut limits.turns_max, entry.turns_max.as_ref(), 1..=10_000, book);
    number(&mut limits.children_max, entry.max_children.as_ref(), 1..=10_000, book);
    number(&mut limits.open_max, entry.max_open.as_ref(), 1..=1_000_000, book);
    number(&mut limits.feedback_max, entry.max_feedback.as_ref(), 0..=20, book);
    number(&mut limits.edge_per_minute, entry.messages_per_minute.as_ref(), 1..=100_000, book);
    number(&mut limits.restarts_max, entry.max_restarts.as_ref(), 0..=100, book);
    lasting(&mut limits.restart_window_ms, entry.restart_window.as_ref(), 1_000..=86_400_000, book);
    lasting(&mut limits.restart_delay_ms, entry.restart_delay.as_ref(), WAIT_MS, book);
    lasting(&mut limits.restart_delay_ms_max, entry.max_restart_delay.as_ref(), WAIT_MS, book);
    if let Some(given) = entry.restart_delay.as_ref().or(entry.max_restart_delay.as_ref())
        && limits.restart_delay_ms > limits.restart_delay_ms_max
    {
        let cure = "make `restart_delay` the shorter of the two";
        book.wrong(given.place, "`restart_delay` is longer than `max_restart_delay`", cure);
    }
    limits.accept_unverified_results =
        entry.accept_unverified_results.unwrap_or(limits.accept_unverified_results);
    limits
}

fn take_retries(limits: &mut Limits, given: Option<&At<Vec<At<Lasting>>>>, book: &mut Book) {
    let Some(given) = given else { return };
    if given.value.len() > RETRIES_MAX {
        book.wrong(
            given.place,
            format!("{} retries are too many", given.value.len()),
            format!("use at most {RETRIES_MAX}"),
        );
        return;
    }
    let mut delay = |wait: &At<Lasting>| {
        let mut ms = 0;
        lasting(&mut ms, Some(wait), WAIT_MS, book);
        ms
    };
    limits.retry_delays_ms = given.value.iter().map(&mut delay).collect();
    // At most eleven: RETRIES_MAX and the first try.
    limits.attempts_max = u8::try_from(given.value.len()).unwrap_or(u8::MAX).saturating_add(1);
}
