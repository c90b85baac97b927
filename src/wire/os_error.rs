//! What the system says is wrong, as people are told it.

/// What the system says in a person's words: its numbers help nobody who is to put a path right.
#[must_use]
pub fn unnumbered(text: &str) -> String {
    const NUMBER: &str = " (os error ";
    let text = text.replace("No such file or directory (os error 2)", "there is no such file or folder");
    let mut pieces = text.split(NUMBER);
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        match piece.split_once(')') {
            Some((number, rest)) if number.bytes().all(|byte| byte.is_ascii_digit()) => plain.push_str(rest),
            _ => plain.extend([NUMBER, piece]),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_errors_are_left_out() {
        let missing = std::io::Error::from_raw_os_error(2);
        assert_eq!(unnumbered(&format!("a: {missing}; b")), "a: there is no such file or folder; b");
        let text = "a (os error 13), b (os error x) (os error";
        assert_eq!(unnumbered(text), "a, b (os error x) (os error");
    }
}
