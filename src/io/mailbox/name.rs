//! Names: of files in a drop zone, and of those that were claimed.

use crate::wire::shown;
use rustix::fs::Stat;
use std::collections::HashSet;
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
/// it. SEQ is made from the file itself, so a file that a power cut put back where it was dropped gets the same claim
/// again, and the journal, which outlived the cut, knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Claim<'a> {
    pub(super) zone: u32,
    pub(super) name: &'a str,
    pub(super) bad_name: bool,
}

/// Which file, and since when it has its name: 16 hex digits of its change time in ns, 16 of its inode number. It sorts by
/// age. Nobody can set a change time, so no later file has the same one, even where it gets the same inode number; where
/// the file system counts time in ticks of some ms, [`Recent`] keeps those of one tick apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Seq {
    changed_ns: u64,
    inode: u64,
}

impl Seq {
    pub(super) fn of(stat: &Stat) -> Self {
        #[cfg(test)]
        if let Some((changed_ns, inode)) = crate::io::fake::identity(stat.st_ino) {
            return Self { changed_ns, inode };
        }
        let ns = i128::from(stat.st_ctime) * 1_000_000_000 + i128::from(stat.st_ctime_nsec);
        Self { changed_ns: u64::try_from(ns).unwrap_or(0), inode: stat.st_ino }
    }

    /// Whether a claim was made of this file as it is.
    pub(super) fn begins(self, claim: &str) -> bool {
        claim.starts_with(&self.digits())
    }

    /// The one that a claim begins with.
    pub(super) fn read(claim: &str) -> Option<Self> {
        let number = |from, to| u64::from_str_radix(claim.get(from..to)?, 16).ok();
        Some(Self { changed_ns: number(0, SEQ_CHARS / 2)?, inode: number(SEQ_CHARS / 2, SEQ_CHARS)? })
    }

    /// Whether both have the same inode number.
    pub(super) fn is_same_file(self, other: Self) -> bool {
        self.inode == other.inode
    }

    /// Whether the file that was made then had this change time.
    pub(super) fn is_since(self, born_ns: u64) -> bool {
        born_ns <= self.changed_ns
    }

    fn digits(self) -> String {
        format!("{:016x}{:016x}", self.changed_ns, self.inode)
    }

    /// The next one, for the rare case that a claim of this name is there already.
    pub(super) fn next(self) -> Self {
        Self { changed_ns: self.changed_ns.wrapping_add(1), ..self }
    }
}

const SEQ_CHARS: usize = 32;

/// The newest SEQs that were given, so that none is given twice.
#[derive(Debug, Default)]
pub(super) struct Recent(HashSet<Seq>);

/// More than any machine takes within one tick.
const RECENT_MAX: usize = 8_192;

impl Recent {
    /// The same, or the next one that was not given.
    pub(super) fn fresh(&self, seq: Seq) -> Seq {
        std::iter::successors(Some(seq), |seq| Some(seq.next()))
            .find(|seq| !self.0.contains(seq))
            .unwrap_or(seq)
    }

    /// It was given.
    pub(super) fn add(&mut self, seq: Seq) {
        if self.0.len() >= RECENT_MAX {
            self.0.clear();
        }
        self.0.insert(seq);
    }
}

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
    pub(super) fn format(&self, seq: Seq) -> String {
        let mark = if self.bad_name { '~' } else { '-' };
        format!("{}-{}{mark}{}", seq.digits(), self.zone, self.name)
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
        let first = Seq { changed_ns: 1_770_033_600_000_000_000, inode: 0xBEEF };
        for (zone, name, bad_name) in
            [(0, "a.yaml", false), (17, "-x-~.yaml", true), (u32::MAX, "あ~b.yaml", false)]
        {
            let claim = Claim { zone, name, bad_name };
            assert_eq!(Claim::parse(&claim.format(first)), Some(claim.clone()));
            assert!(claim.format(first) < claim.format(first.next()));
            let mut recent = Recent::default();
            assert_eq!(recent.fresh(first), first);
            recent.add(first);
            assert_eq!(recent.fresh(first), first.next());
        }
        for bad in [
            "",
            "a.yaml",
            "18906b9be4bd8000000000000000beef",
            "18906b9be4bd8000000000000000beef-",
            "18906b9be4bd8000000000000000beef-x-a",
            "18906b9be4bd8000000000000000beef-0-",
            "18906b9be4bd8000000000000000beeあ-0-a",
        ] {
            assert_eq!(Claim::parse(bad), None, "{bad}");
        }
    }
}
