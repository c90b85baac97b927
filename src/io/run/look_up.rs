//! Finds the file of a program that is named as a shell names it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Where a program is that is named without a folder: the first of `PATH` that may be run. `None` in `PATH`'s place means
/// the places that every system has.
pub(in crate::io) fn look_up(
    program: &OsStr,
    path: Option<&str>,
    cwd: &Path,
    may_be: impl Fn(&Path) -> bool,
) -> Option<PathBuf> {
    let places = std::env::split_paths(path.unwrap_or("/usr/local/bin:/usr/bin:/bin"));
    // A place that is empty or relative is below the folder in which the program would be started.
    let mut found = places.map(|place| cwd.join(place).join(program));
    found.find(|path| crate::io::process::is_program(path) && may_be(path))
}
