//! Names: of files in a drop zone, and of those that were claimed.

use crate::io::wire::shown;
use std::ffi::OsStr;

/// Longest name of a drop, in bytes (durability, limits). What is added to it when it is claimed or rejected stays
/// within the 255 bytes of a file system.
pub(super) const NAME_BYTES_MAX: usize = 200;

/// What a name in a drop zone is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NameKind {
    /// To be taken.
    Drop,
    /// To be taken and refused, with the reason.
    Bad(String),
    /// Perhaps meant to be taken, but it is not called `.yaml`.
    Hint,
    /// Of no concern: a dot name, `*.tmp`, or anything that is not called `.yaml`.
    Other,
}

/// What a name in a drop zone is.
pub(super) fn kind(name: &OsStr) -> NameKind {
    let bytes = name.as_encoded_bytes();
    if bytes.starts_with(b".") {
        return NameKind::Other;
    }
    if !bytes.ends_with(b".yaml") {
        let lower = bytes.to_ascii_lowercase();
        return if lower.ends_with(b".yml") || lower.ends_with(b".yaml") {
            NameKind::Hint
        } else {
            NameKind::Other
        };
    }
    let Some(text) = name.to_str() else { return NameKind::Bad("the file's name is not UTF-8".to_owned()) };
    if text.chars().any(char::is_control) {
        return NameKind::Bad(format!("the file's name {} has control characters", shown(text)));
    }
    if bytes.len() > NAME_BYTES_MAX {
        return NameKind::Bad(format!(
            "the file's name has {} bytes; at most {NAME_BYTES_MAX} are taken",
            bytes.len()
        ));
    }
    if bytes.starts_with(b"-") {
        return NameKind::Bad(format!("the file's name {} begins with a dash", shown(text)));
    }
    NameKind::Drop
}

/// A name that is safe to use, alike to one that is not: bad bytes are written `%0A`, and it is cut to fit.
pub(super) fn likeness(name: &OsStr) -> String {
    let mut out = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        for (at, c) in chunk.valid().char_indices() {
            let first_dash = c == '-' && at == 0 && out.is_empty();
            if c.is_control() || c == '%' || first_dash {
                c.to_string().bytes().for_each(|byte| out.push_str(&format!("%{byte:02X}")));
            } else {
                out.push(c);
            }
        }
        chunk.invalid().iter().for_each(|byte| out.push_str(&format!("%{byte:02X}")));
    }
    const END: &str = ".yaml";
    if out.len() > NAME_BYTES_MAX {
        let cut = (0..=NAME_BYTES_MAX - END.len()).rev().find(|&at| out.is_char_boundary(at)).unwrap_or(0);
        out.truncate(cut);
        out.push_str(END);
    }
    out
}

/// The name of a claimed file: `SEQ-ZONE-NAME`, or `SEQ-ZONE~NAME` where the name is a likeness of one that must be refused.
///
/// The dropped name is a part of it, so claiming is one rename and there is nothing beside it that a crash could part from
/// it. SEQ is 24 hex digits: milliseconds at which the mailbox was opened, 16 bits of chance, a count. It sorts by age, and
/// no later daemon makes the same one, so the journal can tell for ever which claims it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Claim<'a> {
    pub(super) zone: u32,
    pub(super) name: &'a str,
    pub(super) bad_name: bool,
}

const SEQ_CHARS: usize = 24;

impl<'a> Claim<'a> {
    /// Reads the name of a claimed file.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let (seq, rest) = text.split_at_checked(SEQ_CHARS)?;
        let at = rest.get(1..)?.find(['-', '~'])? + 1;
        let zone = rest.get(1..at)?.parse().ok()?;
        let hex = seq.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let name = rest.get(at + 1..)?;
        let whole = hex && rest.starts_with('-') && !name.is_empty();
        whole.then_some(Self { zone, name, bad_name: rest.get(at..=at) == Some("~") })
    }

    /// The name of a claimed file.
    pub(super) fn format(&self, seq: &str) -> String {
        let mark = if self.bad_name { '~' } else { '-' };
        format!("{seq}-{}{mark}{}", self.zone, self.name)
    }
}

/// Makes SEQs.
#[derive(Debug)]
pub(super) struct Sequence {
    prefix: String,
    count: u32,
}

impl Sequence {
    /// `opened_ms` is the wall clock, `chance` any number: both in every SEQ.
    pub(super) fn new(opened_ms: u64, chance: u16) -> Self {
        Self { prefix: format!("{:012x}{chance:04x}", opened_ms & 0xFFFF_FFFF_FFFF), count: 0 }
    }

    pub(super) fn next(&mut self) -> String {
        self.count = self.count.wrapping_add(1);
        format!("{}{:08x}", self.prefix, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn names_are_taken_refused_hinted_at_or_left() {
        let long = format!("{}.yaml", "あ".repeat(65));
        for good in
            ["a.yaml", "grand_boss_to_user.yaml", "日本語 😀.yaml", "a b%c.yaml", "x.tmp.yaml", long.as_str()]
        {
            assert_eq!(kind(good.as_ref()), NameKind::Drop, "{good}");
        }
        let too_long = format!("{}.yaml", "あ".repeat(66));
        for bad in ["-rf.yaml", "a\nb.yaml", "a\u{1b}[2J.yaml", "\u{9b}.yaml", too_long.as_str()] {
            assert!(matches!(kind(bad.as_ref()), NameKind::Bad(_)), "{bad:?}");
        }
        assert!(matches!(kind(OsStr::from_bytes(b"\xff.yaml")), NameKind::Bad(_)));
        for hint in ["a.yml", "a.YAML", "a.Yml"] {
            assert_eq!(kind(hint.as_ref()), NameKind::Hint, "{hint}");
        }
        for other in [".a.yaml", ".yaml", "a.yaml.tmp", "a.yaml~", "README.md", "active", "STOP"] {
            assert_eq!(kind(other.as_ref()), NameKind::Other, "{other}");
        }
    }

    #[test]
    fn a_likeness_is_safe_and_fits() {
        assert_eq!(likeness("-rf.yaml".as_ref()), "%2Drf.yaml");
        assert_eq!(likeness("a\n\u{9b}-%.yaml".as_ref()), "a%0A%C2%9B-%25.yaml");
        assert_eq!(likeness(OsStr::from_bytes(b"\xffa\xfe.yaml")), "%FFa%FE.yaml");
        let long = likeness(format!("{}.yaml", "あ".repeat(80)).as_ref());
        assert!(long.len() <= NAME_BYTES_MAX && long.ends_with("あ.yaml"), "{long}");
    }

    #[test]
    fn a_claim_is_read_as_it_was_written() {
        let mut sequence = Sequence::new(1_770_033_600_000, 0xBEEF);
        let (first, second) = (sequence.next(), sequence.next());
        assert_eq!(first, "019c1e3c2200beef00000001");
        assert!(first < second);
        for (zone, name, bad_name) in
            [(0, "a.yaml", false), (17, "-x-~.yaml", true), (u32::MAX, "あ~b.yaml", false)]
        {
            let claim = Claim { zone, name, bad_name };
            assert_eq!(Claim::parse(&claim.format(&first)), Some(claim));
        }
        for bad in [
            "",
            "a.yaml",
            "019c1e3c2200beef00000001",
            "019c1e3c2200beef00000001-",
            "019c1e3c2200beef00000001-x-a",
            "019c1e3c2200beef00000001-0-",
            "019c1e3c2200beef0000000あ-0-a",
        ] {
            assert_eq!(Claim::parse(bad), None, "{bad}");
        }
    }
}
