//! Numbers within a range, and with a fraction, on the command line of `tasuki torture`.

use std::fmt::Display;
use std::num::ParseIntError;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// A whole number within a range.
pub(super) fn whole_within<T>(
    range: RangeInclusive<T>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: FromStr<Err = ParseIntError> + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    move |text| match text.parse() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => Err(format!("write a whole number from {} to {}", range.start(), range.end())),
    }
}

/// A number, which may have a fraction.
///
/// # Errors
/// What is wrong with it.
pub(super) fn read_decimal(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "write a number, such as 2 or 0.5".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_does_not_fit_is_refused_with_what_would() {
        let few = whole_within(1..=100_u16);
        assert_eq!(few("100"), Ok(100));
        for bad in ["0", "101", "", "-1", "x"] {
            assert_eq!(few(bad), Err("write a whole number from 1 to 100".to_owned()), "{bad}");
        }
        assert_eq!(read_decimal("0.5"), Ok(0.5));
        assert_eq!(read_decimal("half"), Err("write a number, such as 2 or 0.5".to_owned()));
    }
}
