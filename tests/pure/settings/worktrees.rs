//! `worktrees:`, what is done in a fresh worktree.

use super::support::place;

const ONE: &str = "agents: [{name: a, provider: scripted}]\n";

#[test]
fn a_setup_is_read_and_what_leads_elsewhere_is_refused() {
    let setup = place().good(&format!(
        "{ONE}worktrees: {{setup: {{copy: [.env, './設定/*.local', '**/*.key'], run: [[npm, ci], [bin/準備, --fast]], timeout: 90s}}}}\n"
    ));
    let setup = setup.setup;
    assert_eq!(setup.copy, [".env", "./設定/*.local", "**/*.key"]);
    assert_eq!(
        (setup.run.len(), setup.run[1].join(" "), setup.timeout_ms),
        (2, "bin/準備 --fast".into(), 90_000)
    );
    assert_eq!(place().good(ONE).setup.timeout_ms, 600_000, "as the reference page says");
    for (wrong, why, place_of) in [
        ("copy: [/etc/passwd]", "`/etc/passwd` leads out of the repository", "2:28"),
        ("copy: [.env, a/../../b]", "`a/../../b` leads out of the repository", "2:34"),
        ("copy: ['']", "`` is not a path", "2:28"),
        ("copy: [\"a\\nb\"]", "is not a path", "2:28"),
        ("copy: [.git/config]", "`.git/config` is of git's or tasuki's own", "2:28"),
        ("copy: [sub/.tasuki/**]", "is of git's or tasuki's own", "2:28"),
        ("copy: .env", "there should be a list", "2:27"),
        ("run: [npm ci]", "a command is a list of words", "2:27"),
        ("run: [[]]", "there is no program to start", "2:27"),
        ("run: [[sh, \"a\\nb\"]]", "a control character", "2:27"),
        ("run: [npm, ci]", "a command is a list of words", "2:27"),
        ("timeout: 0s", "too short or too long", "2:30"),
        ("cpoy: [a]", "did you mean `copy`?", "2:21"),
    ] {
        let said = place().complaints(&format!("{ONE}worktrees: {{setup: {{{wrong}}}}}\n"));
        assert!(said.contains(why) && said.contains("help:"), "{wrong}: {said}");
        assert!(said.contains(&format!("tasuki.yaml:{place_of}")), "{wrong}: {said}");
    }
    let many = vec!["a"; 101].join(", ");
    let said = place().complaints(&format!("{ONE}worktrees: {{setup: {{copy: [{many}]}}}}\n"));
    assert!(said.contains("use at most 100"), "{said}");
}
