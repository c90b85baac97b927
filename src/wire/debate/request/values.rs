//! The values of a request and of its roles that are no roles.

use super::head::BudgetTerms;
use super::limits::{
    BUDGET_KEYS, BUDGET_MINUTES_MAX, BUDGET_TOKENS_MAX, BUDGET_USD_MAX, MODEL_BYTES_MAX, PROVIDERS_MAX,
    ROLES_AT_ONCE_MAX,
};
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::words::AgentName;
use crate::wire::message::fields::{Fields, Text, wrong_type};
use crate::wire::session::plan::{Mistakes, unknown_keys};
use crate::wire::time::read_duration;
use crate::wire::yaml::tree::{Node, Value};
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// A key that means nothing, called by its whole name.
pub(super) fn below(key: &str, mut refusal: Refusal) -> Refusal {
    refusal.unknown_key = refusal.unknown_key.map(|unknown| format!("{key}.{unknown}").into());
    refusal
}

const BASE_DIR: &str = "base_dir";

/// A text that must be there.
pub(super) fn needed<'t>(fields: &Fields<'t>, field: &'static str, what: &str) -> Result<Text<'t>, Refusal> {
    if let Some(text) = fields.text(field)? {
        return Ok(text);
    }
    let empty = fields.entries.iter().find(|entry| entry.key == field);
    let (place, how) = empty.map_or((fields.root, "missing"), |entry| (entry.place, "empty"));
    Err(place.refuse(Code::ContentEmpty, format!("`{field}` is {how}: it must be {what}")).at(field))
}

pub(super) fn truth(fields: &Fields<'_>, field: &'static str) -> Result<bool, Refusal> {
    let Some(text) = fields.text(field)? else { return Ok(false) };
    match text.text {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(text.refuse(Code::UnknownWord, "is not one of true, false")),
    }
}

/// A number without sign or point.
pub(super) fn number<T: FromStr + PartialOrd + Display + Copy>(
    fields: &Fields<'_>,
    field: &'static str,
    range: &RangeInclusive<T>,
    what: &str,
) -> Result<Option<T>, Refusal> {
    let Some(text) = fields.text(field)? else { return Ok(None) };
    let (from, to) = (range.start(), range.end());
    match digits(&text).filter(|number| range.contains(number)) {
        Some(number) => Ok(Some(number)),
        None => Err(text.refuse(Code::OutOfRange, format!("is not a {what} from {from} to {to}"))),
    }
}

/// A number of seconds. Whoever writes a duration with its unit is told the number.
pub(super) fn seconds(
    fields: &Fields<'_>,
    field: &'static str,
    range: &RangeInclusive<u64>,
) -> Result<Option<u64>, Refusal> {
    number(fields, field, range, "whole number of seconds").map_err(|refusal| {
        let text = fields.text(field).ok().flatten();
        let meant = text.and_then(|text| read_duration(text.text)).map(|ms| ms.div_ceil(1_000));
        match meant.filter(|seconds| range.contains(seconds)) {
            Some(seconds) => {
                Refusal { why: format!("{}; did you mean `{seconds}`?", refusal.why), ..refusal }
            }
            None => refusal,
        }
    })
}

fn digits<T: FromStr>(text: &Text<'_>) -> Option<T> {
    let is_number = !text.text.is_empty() && text.text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.text.parse().ok()).flatten()
}

pub(super) fn parallel(fields: &Fields<'_>) -> Result<Option<u16>, Refusal> {
    let Some(text) = fields.text("parallel")? else { return Ok(None) };
    match digits(&text).filter(|number| *number <= ROLES_AT_ONCE_MAX) {
        Some(number) => Ok(Some(number)),
        None => {
            let wrong =
                format!("is not a whole number from 1 to {ROLES_AT_ONCE_MAX}, or 0 for all roles at once");
            Err(text.refuse(Code::OutOfRange, wrong))
        }
    }
}

/// One line without anything that hides, and not empty.
pub(super) fn plain(text: &Text<'_>) -> Result<(), Refusal> {
    if text.text.trim().is_empty() {
        return Err(text.refuse(Code::ContentEmpty, "is empty"));
    }
    if text.text.chars().any(char::is_control) {
        return Err(text.refuse(Code::BadCharacters, "has control characters"));
    }
    Ok(())
}

/// A model's name, which becomes a word of a command, where a dash would begin an option.
pub(super) fn model(fields: &Fields<'_>) -> Result<Option<String>, Refusal> {
    let Some(text) = fields.text("model")? else { return Ok(None) };
    let wrong = match text.text {
        "" => "is empty",
        name if name.starts_with('-') => "begins with a dash",
        name if name.len() > MODEL_BYTES_MAX => "is longer than any name of a model",
        name if name.chars().any(|c| c.is_whitespace() || hides(c)) => {
            "has blanks, or characters that are not printed"
        }
        name => return Ok(Some(name.to_owned())),
    };
    Err(text.refuse(Code::BadName, wrong))
}

fn hides(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
}

pub(super) fn folder(fields: &Fields<'_>) -> Result<Option<String>, Refusal> {
    let Some(text) = fields.text(BASE_DIR)? else { return Ok(None) };
    plain(&text)?;
    Ok(Some(text.text.to_owned()))
}

pub(super) fn provider(fields: &Fields<'_>) -> Result<Option<String>, Refusal> {
    fields.text("provider")?.map(|text| profile(&text)).transpose()
}

/// Profiles; in a text they are parted by commas.
pub(super) fn providers(fields: &Fields<'_>) -> Result<Vec<String>, Refusal> {
    let texts = fields.texts("providers")?;
    let words =
        texts.iter().flat_map(|text| text.text.split(',').map(|word| Text { text: word.trim(), ..*text }));
    let words: Vec<Text<'_>> = words.collect();
    if let Some(text) = words.get(PROVIDERS_MAX) {
        let why =
            format!("`providers`: there are {}; at most {PROVIDERS_MAX} go round the roles", words.len());
        return Err(text.place.refuse(Code::TooMany, why).at("providers"));
    }
    words.iter().map(profile).collect()
}

/// A profile is called as an agent may be.
fn profile(text: &Text<'_>) -> Result<String, Refusal> {
    match AgentName::new(text.text) {
        Ok(name) => Ok(name.as_str().to_owned()),
        Err(bad) => Err(text.refuse(Code::BadName, bad)),
    }
}

pub(super) fn budget(fields: &Fields<'_>, wrong: &mut Mistakes) -> BudgetTerms {
    let Some(node) = fields.node("budget") else { return BudgetTerms::default() };
    let Value::Map(entries) = &node.value else {
        let shape = "a map such as `{tokens: 200000, cost_usd: 2.5, minutes: 30}`";
        wrong.add([wrong_type(node, "budget", shape)]);
        return BudgetTerms::default();
    };
    let fields = Fields { root: node.place, entries };
    wrong.add(unknown_keys(&fields, &BUDGET_KEYS, "`budget`").map(|refusal| below("budget", refusal)));
    BudgetTerms {
        tokens: wrong
            .keep(number(&fields, "tokens", &(1..=BUDGET_TOKENS_MAX), "whole number of tokens"))
            .flatten(),
        cost_micro_usd: wrong.keep(cost(&fields)).flatten(),
        minutes: wrong
            .keep(number(&fields, "minutes", &(1..=BUDGET_MINUTES_MAX), "whole number of minutes"))
            .flatten(),
    }
}

/// US dollars, as millionths.
fn cost(fields: &Fields<'_>) -> Result<Option<u64>, Refusal> {
    let Some(Node { .. }) = fields.node("cost_usd") else { return Ok(None) };
    let Some(text) = fields.text("cost_usd")? else { return Ok(None) };
    match micro(text.text).filter(|micro| (1..=BUDGET_USD_MAX * 1_000_000).contains(micro)) {
        Some(micro) => Ok(Some(micro)),
        None => {
            let wrong = format!("is not a number of US dollars up to {BUDGET_USD_MAX}, such as 2.5");
            Err(text.refuse(Code::OutOfRange, wrong))
        }
    }
}

/// Digits, perhaps with a point and at most six digits behind it.
fn micro(text: &str) -> Option<u64> {
    let (whole, places) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(places) || places.len() > 6 {
        return None;
    }
    let places: u64 = format!("{places:0<6}").parse().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(1_000_000)?.checked_add(places)
}
