//! A test that measures its own process runs in one of its own, beside no other test.

use std::process::Command;

/// Set for that process.
const ALONE: &str = "TASUKI_TEST_ALONE";

/// Whether this process runs nothing but this test, which is told by its whole name. If it runs others, the test is run in another
/// process and has to pass there; the caller has nothing left to do.
pub(crate) fn alone(test: &str) -> bool {
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let mut other = Command::new(std::env::current_exe().expect("this test's program"));
    other.args([test, "--exact", "--nocapture", "--test-threads=1"]).env(ALONE, "1");
    let output = other.output().expect("this test's program");
    let told = String::from_utf8_lossy(&output.stdout);
    println!("{told}{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{test} failed in a process of its own");
    assert!(told.contains("1 passed"), "{test} is the name of no test");
    false
}
