//! A team file as large as may be, and one that says more than may be said.

use crate::settings::support::place;

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
