//! What the programs print, as the versions in `tests/support/clis.list` do.

use super::*;
use crate::wire::team_file::built_in_profiles;

fn read(provider: &str, stdout: &str) -> ReadOutput {
    let profiles = built_in_profiles();
    profiles[provider].headless.clone().expect("its one-shot command").read(stdout.as_bytes())
}

#[test]
fn records_are_found_among_other_lines_however_they_are_written() {
    let found = |text: &str| records(text).iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    assert_eq!(found("{\"a\":1}\n{\"b\":\"襷\"}"), r#"{"a":1} {"b":"襷"}"#);
    assert_eq!(found("Loaded.\n{\n  \"a\": [\n    1\n  ]\n}\nbye {\"c\":1}\n"), r#"{"a":[1]}"#);
    assert_eq!(found("[{\"a\":1},{\"b\":2}]\r\n{ broken\n[] {\"c\":3}"), r#"{"a":1} {"b":2} {"c":3}"#);
    assert_eq!(found(""), "");
    assert_eq!(found(&"[".repeat(1 << 20)), "");
}
