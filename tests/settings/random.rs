//! No team file makes the reader panic, hang, or point outside the file.

use crate::support::{Place, place};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tasuki::io::settings::{Settings, render};

/// Pieces of team files, right and wrong.
const PIECES: [&str; 46] = [
    "agents: ",
    "settings: ",
    "providers: ",
    "routes: ",
    "session: ",
    "tmux_socket: ",
    "name: ",
    "reports_to: ",
    "provider: ",
    "command: ",
    "marker: ",
    "env: ",
    "pool: ",
    "aliases: ",
    "timeout: ",
    "retries: ",
    "based_on: ",
    "words: ",
    "system_prompt: ",
    "cwd: ",
    "- ",
    "  ",
    "\n",
    "\n  ",
    "\n  - ",
    "{",
    "}",
    "[",
    "]",
    ", ",
    "a",
    "b",
    "user",
    "scripted",
    "plain",
    "30s",
    "襷 OK",
    "\"\\u001b[31m\"",
    "'",
    "\"",
    "&a ",
    "*a",
    "!t ",
    "|\n",
    "\t",
    "---\n",
];

/// Five hundred files of a kind; the seed of one that fails is printed.
fn all_are_judged(strategy: impl Strategy<Value = Vec<u8>>) {
    let place = place();
    let config = Config { cases: 500, failure_persistence: None, ..Config::default() };
    let judged = TestRunner::new(config).run(&strategy, |bytes| {
        is_judged(&place, &bytes);
        Ok(())
    });
    judged.unwrap();
}

#[test]
fn pieces_of_team_files() {
    let pieces = prop::collection::vec(prop::sample::select(&PIECES[..]), 0..60);
    all_are_judged(pieces.prop_map(|pieces| pieces.concat().into_bytes()));
}

#[test]
fn any_bytes() {
    all_are_judged(prop::collection::vec(any::<u8>(), 0..200));
}

#[test]
fn a_right_file_with_a_wrong_spot() {
    let right = include_str!("../../protocol/team.yaml");
    let spot = (0..right.len(), prop::sample::select(&PIECES[..]), 0usize..9);
    all_are_judged(spot.prop_map(|(at, piece, cut)| {
        let mut text = right.to_owned();
        let from = text.floor_char_boundary(at);
        text.replace_range(from..right.ceil_char_boundary(from + cut).min(right.len()), piece);
        text.into_bytes()
    }));
}

fn is_judged(place: &Place, bytes: &[u8]) {
    let findings = match Settings::parse(bytes, &place.workspace, &place.around()) {
        Ok(loaded) => loaded.warnings,
        Err(findings) => {
            assert!(findings.iter().any(|finding| finding.fatal), "refused for nothing");
            findings
        }
    };
    let shown = render(&findings, false);
    assert!(!shown.chars().any(|c| c.is_control() && c != '\n'), "{shown:?}");
    for finding in &findings {
        assert!(finding.place.start <= bytes.len() * 3 && finding.line() >= 1 && finding.column() >= 1);
        assert!(!finding.why.is_empty() && !finding.cure.is_empty());
    }
}

#[test]
fn a_file_of_a_megabyte_is_judged_at_once() {
    let place = place();
    let many = "  - {name: a, provider: scripted}\n".repeat(30_000);
    let findings = place.parse(&format!("agents:\n{many}")).unwrap_err();
    assert!(findings[0].cure.contains("at most 100000 values"), "{}", findings[0].why);
    let names: String = (0..1_100)
        .map(|n| format!("  - {{name: a{n}, provider: scripted, reports_to: a{}}}\n", (n + 1) % 1_100))
        .collect();
    let findings = place.parse(&format!("agents:\n{names}")).unwrap_err();
    assert!(findings.iter().any(|finding| finding.why.contains("1 to 1000 agents")));
    assert!(findings.iter().any(|finding| finding.why.contains("in a circle")));
    let long = format!("agents: [{{name: {}, provider: scripted}}]", "x".repeat(1 << 20));
    assert!(!place.parse(&long).unwrap_err().is_empty());
}
