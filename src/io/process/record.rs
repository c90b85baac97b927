//! Reading what the kernel says of a process.

use rustix::fs::{Mode, OFlags, open};
use rustix::io::{Errno, read};
use rustix::path::Arg;
use std::io;

/// More than any of them has.
const RECORD_MAX: usize = 4_096;

/// A file of `/proc` that is one record: `stat`, `comm`, `syscall` or `wchan` of a process. The kernel gives all of it with one read,
/// where what reads files of unknown length asks seven times.
///
/// # Errors
/// What the kernel says, as where the process is gone.
pub(super) fn record(path: impl Arg) -> io::Result<String> {
    let file = open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    let mut buffer = [0; RECORD_MAX];
    let length = loop {
        match read(&file, &mut buffer) {
            Err(Errno::INTR) => {}
            other => break other?,
        }
    };
    let text = buffer.get(..length).unwrap_or_default().to_vec();
    String::from_utf8(text).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_what_any_other_reader_finds() {
        for name in ["comm", "wchan"] {
            let path = format!("/proc/self/{name}");
            assert_eq!(record(&path).unwrap(), std::fs::read_to_string(&path).unwrap(), "{name}");
        }
        let fields = |stat: String| stat.split_ascii_whitespace().count();
        let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
        assert_eq!(fields(record("/proc/self/stat").unwrap()), fields(stat));
        assert_eq!(record("/proc/0/stat").unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
