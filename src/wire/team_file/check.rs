//! Checks that several parts of a team file share: numbers within bounds, names of variables and keys.

use super::finding::{Book, Place};
use super::values::{At, Lasting, Wrong};
use std::ops::RangeInclusive;

/// Variables of tasuki's that say what an agent does, and are its team's to set.
const TEAMS_OWN: [&str; 4] =
    ["TASUKI_HEADLESS_PROVIDER", "TASUKI_HEADLESS_MODEL", "TASUKI_HEADLESS_LOG", "TASUKI_HEADLESS_PROMPT"];

/// What a turn may take: from a second to a year.
pub(super) const TIMEOUT_MS: RangeInclusive<u64> = 1_000..=365 * 24 * 60 * 60 * 1_000;

/// Sets `target` (ms) to what was given, if anything was and it is within `bounds`.
pub(super) fn lasting(
    target: &mut u64,
    given: Option<&At<Lasting>>,
    bounds: RangeInclusive<u64>,
    book: &mut Book,
) {
    let Some(given) = given else { return };
    match given.value.ms() {
        Ok(ms) if bounds.contains(&ms) => *target = ms,
        Ok(_) => {
            let cure = format!("use a value from {} to {}", spoken(*bounds.start()), spoken(*bounds.end()));
            book.wrong(given.place, "this is too short or too long", cure);
        }
        Err(wrong) => report(wrong, given.place, book),
    }
}

/// Sets `target` to what was given, if anything was and it is within `bounds`.
pub(super) fn number<T>(target: &mut T, given: Option<&At<u64>>, bounds: RangeInclusive<u64>, book: &mut Book)
where
    T: TryFrom<u64>,
{
    let Some(given) = given else { return };
    match T::try_from(given.value) {
        Ok(number) if bounds.contains(&given.value) => *target = number,
        _ => {
            let cure = format!("use a whole number from {} to {}", bounds.start(), bounds.end());
            book.wrong(given.place, format!("{} is too small or too large", given.value), cure);
        }
    }
}

/// Whether an environment variable may be called so, be set in a team file, and have that value.
pub(super) fn variable(name: &str, value: &At<Option<String>>, book: &mut Book) {
    word(value.value.as_deref().unwrap_or_default(), value.place, book);
    variable_name(name, value.place, book);
}

/// Whether an environment variable may be called so, and is not one of tasuki's own.
pub(super) fn variable_name(name: &str, place: Place, book: &mut Book) {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || !name.chars().all(plain) {
        book.wrong(
            place,
            format!("`{name}` is not a valid name for a variable"),
            "use letters, digits and `_`",
        );
    } else if name.starts_with("TASUKI_") && !TEAMS_OWN.contains(&name) {
        book.wrong(
            place,
            format!("`{name}` is set by tasuki itself"),
            "use a name that does not begin with TASUKI_",
        );
    }
}

/// Whether a profile may be called so: its name is that of a file, and of a folder with recorded screens.
pub(super) fn is_profile(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    !name.is_empty() && name.len() <= 64 && name.chars().all(plain)
}

/// Whether a program can be given this word at all.
pub(super) fn word(text: &str, place: Place, book: &mut Book) {
    if text.contains('\0') {
        book.wrong(place, "this contains a NUL byte", "remove it; no program accepts one");
    }
}

/// Whether tmux knows a key by such a name: `C-u`, `Escape`, `M-Enter`.
pub(super) fn key(name: &str, place: Place, book: &mut Book) {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if name.is_empty() || name.len() > 16 || name.starts_with('-') || !name.chars().all(plain) {
        book.wrong(
            place,
            format!("`{name}` is not a key"),
            "name keys as tmux does: C-u, C-d, Escape, Enter",
        );
    }
}

/// A length of time in the largest unit that it is a whole number of.
fn spoken(ms: u64) -> String {
    const UNITS: [(u64, &str); 4] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1_000, "s")];
    match UNITS.into_iter().find(|(size, _)| ms >= *size && ms.is_multiple_of(*size)) {
        Some((size, unit)) => format!("{}{unit}", ms / size),
        None => format!("{ms}ms"),
    }
}

/// A value that is wrong at its place.
pub(super) fn report(wrong: Wrong, place: Place, book: &mut Book) {
    book.wrong(place, wrong.why, wrong.cure);
}
