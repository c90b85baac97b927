//! Numbers on the command line, and what is said of what is not one.

use std::num::{IntErrorKind, ParseIntError};
use std::str::FromStr;

/// A whole number.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn read_whole<T: FromStr<Err = ParseIntError>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow => "the number is too large".to_owned(),
        _ => "write a whole number, such as 10".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_told_in_words_of_ours() {
        assert_eq!(read_whole::<u32>("12"), Ok(12));
        assert_eq!(read_whole::<u32>("ten"), Err("write a whole number, such as 10".to_owned()));
        assert_eq!(read_whole::<u32>("5000000000"), Err("the number is too large".to_owned()));
    }
}
