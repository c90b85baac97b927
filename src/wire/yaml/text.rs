//! Bytes of a file → text that YAML allows, or what is wrong with them.

use super::place::Place;
use crate::engine::message::refusal::{Code, Refusal};

/// Largest file that is read, in bytes (durability, limits).
pub const FILE_BYTES_MAX: usize = 1 << 20;

/// The text of a file: UTF-8, perhaps with a byte-order mark, without characters that YAML forbids to stand in a file.
///
/// # Errors
/// [`Code::Empty`], [`Code::TooLarge`], [`Code::Utf16`], [`Code::NotUtf8`], [`Code::Nul`] or [`Code::ControlByte`], each with its place.
pub(in crate::wire) fn read(bytes: &[u8]) -> Result<&str, Refusal> {
    if bytes.is_empty() {
        return Err(Place::of(bytes, 0).refuse(Code::Empty, "the file is empty"));
    }
    if bytes.len() > FILE_BYTES_MAX {
        return Err(too_large(bytes.len() as u64));
    }
    if let Some(name) = wide_encoding(bytes) {
        return Err(Place::of(bytes, 0).refuse(Code::Utf16, format!("the file is {name}, not UTF-8")));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let offset = error.valid_up_to();
        let byte = bytes.get(offset).copied().unwrap_or_default();
        Place::of(bytes, offset).refuse(Code::NotUtf8, format!("the byte 0x{byte:02X} is not UTF-8"))
    })?;
    match forbidden(text) {
        None => Ok(text),
        Some((offset, '\0')) => Err(Place::of(bytes, offset).refuse(Code::Nul, "there is a NUL byte")),
        Some((offset, c)) => Err(Place::of(bytes, offset)
            .refuse(Code::ControlByte, format!("U+{:04X} is not allowed in YAML as it is", u32::from(c)))),
    }
}

/// The refusal of a file of this size; its bytes need not be read.
#[must_use]
pub fn too_large(size: u64) -> Refusal {
    Refusal::new(Code::TooLarge, format!("the file has {size} bytes; at most {FILE_BYTES_MAX} are read"))
}

/// UTF-16 and UTF-32 by their mark, or by where the zeros of the first ASCII character stand (YAML 1.2, section 5.2).
fn wide_encoding(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xFF, 0xFE, 0, 0, ..] | [0x01..=0x7F, 0, 0, 0, ..] => Some("UTF-32 (little-endian)"),
        [0, 0, 0xFE, 0xFF, ..] | [0, 0, 0, 0x01..=0x7F, ..] => Some("UTF-32 (big-endian)"),
        [0xFF, 0xFE, ..] | [0x01..=0x7F, 0, 0x01..=0x7F, 0, ..] => Some("UTF-16 (little-endian)"),
        [0xFE, 0xFF, ..] | [0, 0x01..=0x7F, 0, 0x01..=0x7F, ..] => Some("UTF-16 (big-endian)"),
        _ => None,
    }
}

/// The first character outside YAML's `c-printable`. They may stand in a message all the same, written as escapes.
fn forbidden(text: &str) -> Option<(usize, char)> {
    // Nearly all text has none of the bytes that such a character begins with, so a pass over bytes is enough.
    let suspect = |byte: &u8| matches!(byte, 0..=8 | 11 | 12 | 14..=31 | 0x7F | 0xC2 | 0xEF);
    let start = text.as_bytes().iter().position(suspect)?;
    let rest = text.get(start..)?;
    let bad = |c: char| match c {
        '\t' | '\n' | '\r' | '\u{85}' => false,
        '\u{FFFE}' | '\u{FFFF}' => true,
        _ => c.is_control(),
    };
    rest.char_indices().find(|&(_, c)| bad(c)).map(|(at, c)| (start + at, c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(bytes: &[u8]) -> Option<(Code, u64, u64)> {
        let refusal = read(bytes).err()?;
        Some((refusal.code, refusal.line.unwrap(), refusal.column.unwrap()))
    }

    #[test]
    fn every_encoding_but_utf8_is_named() {
        assert_eq!(code(b""), Some((Code::Empty, 1, 1)));
        for text in ["to: a\n", "\u{feff}to: a\n"] {
            let wide: Vec<u16> = text.encode_utf16().collect();
            let chars: Vec<u32> = text.chars().map(u32::from).collect();
            for bytes in [
                wide.iter().flat_map(|u| u.to_le_bytes()).collect::<Vec<u8>>(),
                wide.iter().flat_map(|u| u.to_be_bytes()).collect(),
                chars.iter().flat_map(|u| u.to_le_bytes()).collect(),
                chars.iter().flat_map(|u| u.to_be_bytes()).collect(),
            ] {
                assert_eq!(code(&bytes), Some((Code::Utf16, 1, 1)), "{bytes:?}");
            }
        }
        assert_eq!(code(b"to: a\nb: \xff\n"), Some((Code::NotUtf8, 2, 4)));
        assert_eq!(code(b"to: \xed\xa0\xbd\n"), Some((Code::NotUtf8, 1, 5)));
    }

    #[test]
    fn what_yaml_forbids_is_found_where_it_stands() {
        assert_eq!(code(b"to: a\nx\0: b\n"), Some((Code::Nul, 2, 2)));
        assert_eq!(code("あ\u{1b}".as_bytes()), Some((Code::ControlByte, 1, 2)));
        for bad in ["\u{7f}", "\u{80}", "\u{9b}", "\u{9f}", "\u{fffe}", "\u{ffff}", "\u{b}"] {
            assert_eq!(code(format!("é {bad}").as_bytes()), Some((Code::ControlByte, 1, 3)), "{bad:?}");
        }
        for good in ["\u{feff}to: é\u{a0}\u{85}\u{2028}\t\r\n", "\u{fffd}", "\u{e000}", "😀"] {
            assert_eq!(code(good.as_bytes()), None, "{good:?}");
        }
    }
}
