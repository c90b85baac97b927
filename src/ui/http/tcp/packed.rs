//! Files as gzip, and who takes them so.

use axum::body::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write as _;

/// As gzip; none if that is no shorter.
pub(super) fn packed(bytes: &[u8]) -> Option<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).ok()?;
    let packed = encoder.finish().ok()?;
    (packed.len() < bytes.len()).then(|| packed.into())
}

/// Whether `Accept-Encoding` takes gzip (RFC 9110, 12.5.3): by its name or `*`, and not with a weight of 0.
pub(super) fn accepts_gzip(words: &[u8]) -> bool {
    let Ok(words) = std::str::from_utf8(words) else { return false };
    let mut any = false;
    for word in words.split(',') {
        let mut parts = word.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let weight = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        let is_taken = weight.is_none_or(|weight| weight.parse().is_ok_and(|weight: f32| weight > 0.0));
        match name {
            _ if name.eq_ignore_ascii_case("gzip") => return is_taken,
            "*" => any = is_taken,
            _ => {}
        }
    }
    any
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_for_those_who_take_it() {
        for taken in [
            "gzip",
            "gzip, deflate, br, zstd",
            "br;q=1.0, GZIP;q=0.8",
            "*",
            "identity, *;q=0.1",
            "gzip;q=1,*;q=0",
        ] {
            assert!(accepts_gzip(taken.as_bytes()), "{taken}");
        }
        for not in
            ["", "identity", "br", "gzip;q=0", "gzip; q=0.0", "gzip;q=0, *", "*;q=0", "x-gzip", "gzip;q=x"]
        {
            assert!(!accepts_gzip(not.as_bytes()), "{not}");
        }
        assert!(!accepts_gzip(b"gzip\xff"));
    }

    #[test]
    fn what_gets_no_shorter_is_left() {
        assert!(packed(b"x").is_none());
        assert!(packed(&[b'x'; 500]).is_some_and(|packed| packed.len() < 50));
    }
}
