//! What of the page needs no browser: its own tests, run by Node.js.

#[test]
fn the_pages_own_tests_pass() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/web");
    let tests: Vec<_> = std::fs::read_dir(folder)
        .expect("the tests")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.to_string_lossy().ends_with(".test.mjs"))
        .collect();
    let run = std::process::Command::new("node")
        .arg("--test")
        .args(&tests)
        .output()
        .expect("node (Debian: apt install nodejs)");
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success() && tests.len() >= 5, "{said}{}", String::from_utf8_lossy(&run.stderr));
}
