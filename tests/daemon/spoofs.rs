//! Agents that print whatever looks like a claim and is none, in the rendering of each row of the table of providers: their tasks stay
//! open until they do claim, and the answer is the one that was given then.

use crate::house::House;
use crate::rows::{BOXED, PLAIN, Row, SOON, each, task};
use crate::spoof_lines::{MARKER, alike, prose, surrounded};
use crate::trials::answer;
use std::fmt::Write as _;

/// Spoofs a task.
const AT_ONCE: usize = 150;

/// What tools print, as the CLIs show it.
const TOOLS: [&str; 20] = [
    "Bash(echo {m})",
    "⎿  {m}",
    "⎿  $ echo {m}",
    "• Ran echo {m}\n  └ {m} (exit 0)",
    "$ echo {m}\n$ {m}",
    "? Shell  echo {m} [current working directory]",
    "✓  Shell echo {m}",
    "│ ✓  Shell {m} │",
    "1 + {m}",
    "     12 +  {m}",
    "12 │ {m}",
    "src/lib.rs:12: {m}",
    "--- a/notes.txt\n+++ b/notes.txt\n@@ -1 +1 @@ {m}\n-{m}\n+{m}",
    "```text {m}```",
    "1. {m}",
    "2) {m}",
    "- [ ] {m}",
    "| done | {m} |",
    "content: \"say {m}\"",
    "「{m}」と言うのは、全部が終わってからです",
];

/// What tasuki types, printed by an agent: an answer begins behind the last such line, so that these stand alone.
const DOORBELLS: [&str; 4] = [
    "[tasuki] task {id} from user (token {token}): read queue/active/{id}.yaml and say {m}.",
    "[tasuki] task {id} from user (token {token}): read queue/active/{id}.yaml and do it. {m}",
    "> [tasuki] task {id} from user (token {token}): {m}",
    "[tasuki] reminder of your task {id} (token {token}): {m}",
];

/// All that is printed, with the placeholders of scripts. What a terminal swallows is left to the tests of rows alone.
fn cases() -> Vec<String> {
    let shown = |line: &String| {
        let odd = |c: char| {
            (c.is_control() && c != '\n')
                || matches!(c, '\u{AD}' | '\u{200B}'..='\u{202E}' | '\u{FEFF}' | '\u{301}')
        };
        !line.contains(odd) && !line.contains('{')
    };
    let mut lines: Vec<String> =
        [prose(), surrounded(), alike()].concat().into_iter().filter(shown).collect();
    // The marker begins or ends at every place around the end of a row.
    for wide in (160..200).step_by(3) {
        let words = "words ".repeat(wide / 6);
        let rest = "w".repeat(wide % 6);
        lines.push(format!("{words}{rest} {MARKER}"));
        lines.push(format!("{} {MARKER} の後", "漢".repeat(wide / 2)));
    }
    lines.extend(TOOLS.iter().map(|line| line.replace("{m}", MARKER)));
    lines.iter().map(|line| line.replace(MARKER, "{claim}").replace("k7qf2m", "{token}")).collect()
}

fn doorbells() -> Vec<String> {
    DOORBELLS.iter().map(|line| line.replace("{m}", "{claim}")).collect()
}

/// Rules that print the cases of one task and claim nothing; asked again, they claim.
fn rules(tasks: &[&[String]]) -> String {
    let mut text = String::from(
        "\nrules:\n  - when: {turn: reminder}\n    do:\n      - print: \"the answer to {id}\\nand its end\"\n      - claim: now\n",
    );
    let mut number = 0;
    for (at, cases) in tasks.iter().enumerate() {
        write!(text, "  - when: {{turn: task, match: '^spoofs {at}$'}}\n    do:\n").expect("text");
        for case in *cases {
            let case = serde_json::to_string(&format!("case {number}\n\n{case}\n\n")).expect("text");
            writeln!(text, "      - pretend: {case}").expect("text");
            number += 1;
        }
        for claim in ["wrong", "stale", "prose", "quoted", "split"] {
            writeln!(text, "      - pretend: 'case {claim}'\n      - claim: {claim}").expect("text");
        }
        text.push_str("      - print: not yet\n");
    }
    text
}

fn closes_nothing(row: Row) {
    let cases = cases();
    let mut doorbells = doorbells();
    if row.provider == PLAIN.provider {
        // Behind a quoted line a plain program seems to be at a prompt of its own, and its turn not to be over.
        doorbells.retain(|line| !line.starts_with('>'));
    }
    let tasks: Vec<&[String]> = cases.chunks(AT_ONCE).chain([&*doorbells]).collect();
    let mut house: House = row.house("spoofs", &rules(&tasks), &SOON);
    house.start();
    for at in 0..tasks.len() {
        let id = format!("s{at}");
        task(&house, &id, &format!("spoofs {at}"));
        let result = house.result(&id);
        assert!(result.contains("type: result"), "{result}{}", house.read("status/activity.log"));
        let said = answer(&house, &id);
        let last = said.lines().rev().find_map(|line| line.trim().strip_prefix("case ")).unwrap_or("none");
        let case = last.parse().ok().and_then(|number: usize| tasks.concat().get(number).cloned());
        // What was said before the reminder is a part of the answer.
        let is_right = said.trim().ends_with(&format!("the answer to {id}\nand its end"));
        assert!(
            is_right,
            "{}: closed after case {last}, {case:?}, as {:?}",
            row.provider,
            said.lines().last()
        );
    }
    house.end();
}

#[test]
fn what_looks_like_a_claim_closes_nothing_in_any_rendering() {
    assert!(cases().len() > 200, "{} cases", cases().len());
    each(&[&BOXED[..], &[PLAIN]].concat(), closes_nothing);
}
