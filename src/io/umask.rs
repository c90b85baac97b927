//! What this process takes from the modes of the files that it makes.

use rustix::fs::Mode;
use rustix::process::umask;

/// Takes back what would shut ourselves out. A umask such as `0777` makes files that nobody may read, neither the daemon that
/// has to write them again nor whoever waits for an answer; what it keeps from others stays. Before there is a second thread:
/// the umask is the whole process's, and can only be read by setting it.
pub fn keep_our_own() {
    let given = umask(Mode::RWXG | Mode::RWXO);
    umask(given & (Mode::RWXG | Mode::RWXO));
}
