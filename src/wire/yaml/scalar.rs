//! What a plain scalar means where no field says its type: in `metadata` and under unknown keys. YAML 1.2's core schema,
//! narrowed as serde-saphyr's strict options do it, so that nothing turns into something else by accident: `no`, `0123`
//! and `1_000` are text.

use serde_json::{Number, Value};

/// The meaning of a plain scalar; none if it is a number that JSON cannot hold (`.inf`, `1e999`, 30 digits).
pub(in crate::wire) fn meaning(text: &str) -> Option<Value> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Some(Value::Null),
        "true" | "True" | "TRUE" => return Some(Value::Bool(true)),
        "false" | "False" | "FALSE" => return Some(Value::Bool(false)),
        _ => {}
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return None;
    }
    if is_integer(unsigned) {
        return integer(text, unsigned).map(Value::Number);
    }
    if is_float(unsigned) {
        return text.parse::<f64>().ok().and_then(Number::from_f64).map(Value::Number);
    }
    Some(Value::String(text.to_owned()))
}

/// Whether the text means "nothing here".
pub(in crate::wire) fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

/// Decimal without a leading zero, or `0x`, `0o`, `0b` and digits.
fn is_integer(unsigned: &str) -> bool {
    let (digits, radix) = radix(unsigned);
    let leading_zero = radix == 10 && digits.len() > 1 && digits.starts_with('0');
    !digits.is_empty() && !leading_zero && digits.chars().all(|c| c.is_digit(radix))
}

fn integer(text: &str, unsigned: &str) -> Option<Number> {
    let (digits, radix) = radix(unsigned);
    let size = u64::from_str_radix(digits, radix).ok()?;
    if !text.starts_with('-') {
        return Some(size.into());
    }
    0i64.checked_sub_unsigned(size).map(Number::from)
}

fn radix(unsigned: &str) -> (&str, u32) {
    match unsigned.get(..2) {
        Some("0x" | "0X") => (&unsigned[2..], 16),
        Some("0o" | "0O") => (&unsigned[2..], 8),
        Some("0b" | "0B") => (&unsigned[2..], 2),
        _ => (unsigned, 10),
    }
}

/// `digits [. digits] [e [sign] digits]` with a digit before or after the dot, and a dot or an exponent.
fn is_float(unsigned: &str) -> bool {
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    digits(whole)
        && digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && (exponent.is_some() || mantissa.contains('.'))
        && exponent.is_none_or(|e| !e.is_empty() && digits(e))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn words_that_look_like_something_else_stay_words() {
        for text in [
            "no",
            "yes",
            "on",
            "off",
            "y",
            "0123",
            "-007",
            "1_000",
            "0x",
            "1:30",
            "2026-02-02",
            "1.2.3",
            "e5",
            ".",
        ] {
            assert_eq!(meaning(text), Some(json!(text)), "{text}");
        }
        assert_eq!(meaning("0x1F"), Some(json!(31)));
        assert_eq!(meaning("-9223372036854775808"), Some(json!(i64::MIN)));
        assert_eq!(meaning("18446744073709551615"), Some(json!(u64::MAX)));
        assert_eq!(meaning("1e3"), Some(json!(1000.0)));
        assert_eq!(meaning("~"), Some(Value::Null));
        for none in ["18446744073709551616", "-9223372036854775809", ".inf", "-.Inf", ".NaN", "1e999"] {
            assert_eq!(meaning(none), None, "{none}");
        }
    }

    fn saphyr(text: &str) -> Option<Value> {
        let options = serde_saphyr::options! {
            strict_booleans: true,
            leading_zero_numbers_as_strings: true,
            underscored_numbers_as_strings: true,
        };
        serde_saphyr::from_str_with_options::<Vec<Value>>(&format!("- {text}"), options).ok()?.pop()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn agrees_with_the_library(text in "[-+]?(0[xob])?[0-9a-fA-F_.eE]{1,6}([eE][-+]?[0-9]{1,3})?|[a-zA-Z~.]{1,5}") {
            // Of numbers beyond f64 the library refuses some and takes others (`.1E310`) for text; here all are refused.
            let (ours, theirs) = (meaning(&text), saphyr(&text));
            let beyond = ours.is_none() && theirs.as_ref().is_some_and(Value::is_string);
            prop_assert!(ours == theirs || beyond, "{text}: {ours:?}, the library: {theirs:?}");
        }
    }
}
