//! In which zone a time of day is meant, from the words behind it: `(Asia/Tokyo)`, `GMT+9`, `PDT`.

use chrono::FixedOffset;
use chrono_tz::Tz;
use regex::Regex;
use std::sync::LazyLock;

/// What is written for a zone. Behind a bracket anything may stand; without one, words are no zone.
static ZONE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let name = r"(?:GMT|UTC)\s?[+−-]\d{1,2}(?::?\d\d)?|[A-Z][A-Za-z_]+(?:/[A-Za-z0-9_+-]*)+|[A-Z]{3,5}";
    Regex::new(&format!(r"^\s*(?:\((?P<inside>{name}|[^()\s·]*)(?P<close>\))?|\s(?P<bare>{name})(?:\b|$))"))
        .ok()
});
static OFFSET: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^(?:GMT|UTC)(?:\s?(?P<sign>[+−-])(?P<hours>\d{1,2})(?::?(?P<minutes>\d\d))?)?$").ok()
});

/// Abbreviations that mean one zone, with its minutes east of Greenwich. `CST` is America's and China's, `IST` India's,
/// Israel's and Ireland's: they are of no zone that is known.
const SHORT: [(&str, i32); 18] = [
    ("PST", -480),
    ("PDT", -420),
    ("MST", -420),
    ("MDT", -360),
    ("CDT", -300),
    ("EST", -300),
    ("EDT", -240),
    ("WET", 0),
    ("BST", 60),
    ("CET", 60),
    ("CEST", 120),
    ("EET", 120),
    ("EEST", 180),
    ("KST", 540),
    ("JST", 540),
    ("HST", -600),
    ("AEST", 600),
    ("AEDT", 660),
];

/// A zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Zone {
    /// That of here: none is named.
    Here,
    Place(Tz),
    /// One that is named by what it is ahead of Greenwich.
    Offset(FixedOffset),
}

/// The zone that is named where `text` begins; nothing if one is named that nobody knows, or half of one.
pub(super) fn named(text: &str) -> Option<Zone> {
    let Some(found) = ZONE.as_ref()?.captures(text) else { return Some(Zone::Here) };
    if let Some(bare) = found.name("bare") {
        return known(bare.as_str());
    }
    let (inside, is_closed) = (found.name("inside")?.as_str(), found.name("close").is_some());
    // A name that does not end in its row has another part in the next one.
    match known(inside).filter(|_| is_closed) {
        Some(zone) => Some(zone),
        None if inside.contains('/') || is_short(inside) => None,
        None if !is_closed && text.trim_end().ends_with(inside) => None,
        None => Some(Zone::Here),
    }
}

/// Whether it is written as abbreviations of zones are.
fn is_short(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_uppercase())
        && word.chars().all(|c| !c.is_ascii_lowercase())
        && word.len() > 2
}

fn known(name: &str) -> Option<Zone> {
    let east = |minutes: i32| FixedOffset::east_opt(minutes * 60).map(Zone::Offset);
    if let Some((_, minutes)) = SHORT.iter().find(|(short, _)| *short == name) {
        return east(*minutes);
    }
    let Some(offset) = OFFSET.as_ref()?.captures(name) else { return name.parse().ok().map(Zone::Place) };
    let number = |group| offset.name(group).map_or(Some(0), |digits| digits.as_str().parse::<i32>().ok());
    let minutes = number("hours")? * 60 + number("minutes")?;
    east(if offset.name("sign").is_some_and(|sign| sign.as_str() != "+") { -minutes } else { minutes })
}
