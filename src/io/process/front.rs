//! Which program of a terminal gets what is typed there: the one in front.

use super::key::raw;
use super::record::record;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// Shells that run a program in front of themselves.
const SHELLS: [&str; 10] = ["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "yash", "busybox"];
/// Options of shells that take a word.
const WITH_WORD: [&[u8]; 7] = [b"-o", b"+o", b"-O", b"+O", b"--rcfile", b"--init-file", b"--startup-file"];

/// Whether the program that leads a terminal is in front: its process group gets what is typed. `None` where that cannot be
/// looked at.
#[must_use]
pub fn runs_in_front(pid: u32) -> Option<bool> {
    raw(pid)?;
    let stat = record(format!("/proc/{pid}/stat")).ok()?;
    let (group, front) = groups(&stat)?;
    Some(front <= 0 || group == front)
}

/// The name of the program in front of a terminal that `pid` leads.
#[must_use]
pub fn name_in_front(pid: u32) -> Option<String> {
    let stat = record(format!("/proc/{pid}/stat")).ok()?;
    let (_, front) = groups(&stat)?;
    let name = record(format!("/proc/{front}/comm")).ok()?;
    Some(name.trim_end().to_owned()).filter(|name| !name.is_empty())
}

/// Whether a process is a shell that reads its commands from the terminal: it was given neither a script nor a command.
#[must_use]
pub fn is_bare_shell(pid: u32) -> bool {
    std::fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| is_bare(&line))
}

/// Process group, and that in front of its terminal: fields 5 and 8 (proc(5)). The name in parentheses may hold anything.
fn groups(stat: &str) -> Option<(i32, i32)> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace();
    let group = fields.nth(2)?.parse().ok()?;
    Some((group, fields.nth(2)?.parse().ok()?))
}

fn is_bare(command: &[u8]) -> bool {
    let mut words = command.strip_suffix(b"\0").unwrap_or(command).split(|byte| *byte == 0);
    let name = words.next().map(|word| word.strip_prefix(b"-").unwrap_or(word)).unwrap_or_default();
    let name = Path::new(OsStr::from_bytes(name)).file_name().and_then(OsStr::to_str).unwrap_or_default();
    if !SHELLS.contains(&name) {
        return false;
    }
    while let Some(word) = words.next() {
        let is_long = word.starts_with(b"--");
        if WITH_WORD.contains(&word) {
            words.next();
        } else if !word.starts_with(b"-") && !word.starts_with(b"+") {
            return name == "busybox" && SHELLS.iter().any(|shell| shell.as_bytes() == word);
        } else if !is_long && word.starts_with(b"-") && word.contains(&b'c') {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_group_in_front_is_found_behind_any_name() {
        assert_eq!(groups("7 (a) b) S 1 70 70 34816 99 4194560"), Some((70, 99)));
        assert_eq!(groups("7 (sh) S 1 70 70 0 -1 4194560"), Some((70, -1)));
        assert_eq!(groups("7 (sh) S 1"), None);
    }

    #[test]
    fn a_shell_without_a_script_is_bare() {
        let bare = |words: &[&str]| is_bare((words.join("\0") + "\0").as_bytes());
        for words in [
            &["bash"][..],
            &["-bash"],
            &["/bin/sh", "-i"],
            &["bash", "--norc", "-i"],
            &["bash", "--rcfile", "x", "-i"],
            &["bash", "-o", "vi"],
            &["zsh", "-f"],
        ] {
            assert!(bare(words), "{words:?}");
        }
        for words in [
            &["bash", "./worker.sh"][..],
            &["bash", "-ic", "claude"],
            &["sh", "-c", "x"],
            &["python3"],
            &["bashful"],
            &[],
        ] {
            assert!(!bare(words), "{words:?}");
        }
    }
}
