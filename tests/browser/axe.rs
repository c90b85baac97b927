//! axe-core, put into the page by the driver: what it finds keeps somebody out.

use crate::browser::Browser;
use sha2::{Digest as _, Sha256};
use std::path::Path;

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/vendored")
}

/// Fails if anybody would be kept out of what the page shows now.
pub(crate) fn check(browser: &Browser, name: &str) {
    check_by(browser, name, "rules: {}");
}

/// The same of what the size of letters changes: where there is room to press, and what scrolls. Names, roles and colours are the same
/// with letters of each size.
pub(crate) fn check_room(browser: &Browser, name: &str) {
    check_by(browser, name, "runOnly: ['target-size', 'scrollable-region-focusable']");
}

fn check_by(browser: &Browser, name: &str, only: &str) {
    if browser.run("return typeof window.axe", &[]) != "object" {
        let axe = std::fs::read_to_string(folder().join("axe.min.js")).expect("axe-core");
        browser.devtools("Runtime.evaluate", &serde_json::json!({"expression": axe}));
    }
    // Frames are of no concern: the page has none. What moves in is looked at when it has come. What is well is not listed.
    let run = "const done = arguments[arguments.length - 1]; document.getAnimations().forEach((one) => one.finish()); \
               axe.run(document, { iframes: false, preload: false, resultTypes: ['violations'], ONLY }).then(({ violations }) => done(violations.map(({ id, impact, nodes }) => \
               `${impact} ${id}: ` + nodes.slice(0, 3).map((node) => node.html.slice(0, 160) + ' ' + (node.any[0]?.message ?? '')).join(' | '))), \
               (error) => done([String(error)]))";
    let found = browser.run_later(&run.replace("ONLY", only), &[]);
    let found: Vec<&str> = found.as_array().into_iter().flatten().filter_map(|one| one.as_str()).collect();
    assert!(found.is_empty(), "{name}: {found:#?}");
}

#[test]
fn axe_core_is_what_was_published() {
    let listed = std::fs::read_to_string(folder().join("digests.txt")).expect("its digests");
    let lines: Vec<(&str, &str)> = listed.lines().filter_map(|line| line.split_once("  ")).collect();
    assert_eq!(lines.len(), 2);
    for (digest, file) in lines {
        let bytes = std::fs::read(folder().join(file)).expect(file);
        let hex: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, digest, "{file}");
    }
}
