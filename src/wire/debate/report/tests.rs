//! Reports of debates, also of those whose roles write what a browser would obey.

use super::super::document::{DebateStatus, RoundOutput};
use super::super::marks::check;
use super::super::request::{BudgetTerms, DebateTerms, read};
use super::*;
use crate::engine::flow::spent::SpeechCost;
use crate::engine::words::Millis;
use crate::wire::team_file::Language;

const HOSTILE: &str = r#"# <img src=x onerror=alert(1)>

<script>alert(1)</script>

</style></div></details></main><style>body{display:none}</style>

![pixel](https://evil.example/p.png) ![x](data:text/html;base64,PHNjcmlwdD4=)
[a](javascript:alert(1)) [b](data:text/html,x) [c](JaVaScRiPt:alert(1)) <javascript:alert(1)> [d](/local) [e](//evil.example)
[good](https://example.org/?a=1&b="2) <https://example.org> [r] [![i](javascript:1)](https://example.org/x)

[r]: javascript:alert(2)

| a | b |
|:--|--:|
| <b onclick=x>1</b> | 2 |

- [x] done <iframe src="https://evil.example">
> > quote

```html" onmouseover="x
<script>alert(3)</script>
```

<!-- a comment that never ends
<meta http-equiv=refresh content="0;url=https://evil.example">
"#;

fn head() -> DebateTerms {
    read("task: x\nproviders: [claude, codex, gemini]\nroles: [architect, security, qa]".as_bytes())
        .unwrap()
        .head()
}

fn output(role: &str, text: &str) -> RoundOutput {
    RoundOutput::new(role, Ok(text.to_owned()), Millis(0), 72_000, 1_910)
}

fn lines_of(path: &str) -> Option<u32> {
    (path == "src/a.rs").then_some(40)
}

/// A debate of these rounds, each a text a role; a text that begins with `!` is an error.
fn with_report<T>(task: &str, texts: &[&[&str]], then: impl Fn(&DebateReport<'_>) -> T) -> T {
    let head = head();
    let rounds: Vec<Vec<RoundOutput>> = texts
        .iter()
        .map(|texts| {
            let one = |(role, text): (&super::super::request::RoleTerms, &&str)| match text.strip_prefix('!')
            {
                Some(error) => RoundOutput::new(&role.id, Err(error.to_owned()), Millis(0), 300_000, 0),
                None => output(&role.id, text),
            };
            head.roles.iter().zip(texts.iter()).map(one).collect()
        })
        .collect();
    let cell = |output| ReportCell { output, citations: check(&output.proposal, lines_of) };
    let alone = output("baseline", "Alone: src/a.rs:3");
    let rounds = rounds.iter().zip(1..);
    let rounds =
        rounds.map(|(outputs, round)| ReportRound { round, cells: outputs.iter().map(cell).collect() });
    let report = DebateReport {
        id: "a1b2c3d4-e5f6-7890-abcd-ef1234567890",
        task,
        head: &head,
        status: &DebateStatus::Completed,
        ms: 647_123,
        spent: SpeechCost { tokens: 17_190, cost_micro_usd: 31_000, no_news: false },
        rounds: rounds.collect(),
        is_settled_early: false,
        baseline: Some(cell(&alone)),
        notes: vec!["1 worktree could not be removed".to_owned()],
    };
    then(&report)
}

const TEXTS: [&[&str]; 3] = [
    &[
        "# Integers\n\nExact sums, see src/a.rs:4.",
        "# 整数\n\n桁あふれを拒む（src/gone.rs:1）。",
        "!the agent of role `qa` crashed in round 1: 401",
    ],
    &["## Objections\n\nnone", "## 反論\n\nなし", "## New proposals\n\nDecimals."],
    &[
        "# Plan\n\nIntegers in src/a.rs:4.\n\n## Dissent\n\nnone",
        "# 計画\n\n整数（src/a.rs:4）。\n\n## 異議\n\nなし",
        "# Plan\n\nDecimals.\n\n## Dissent\n\nStore the **digits** as read.",
    ],
];

#[test]
fn both_forms_have_what_the_debate_came_to() {
    with_report("金額は整数と十進数のどちらで持つべきか", &TEXTS, |report| {
        for (text, form) in [(html(report), "html"), (markdown(report), "md")] {
            for wanted in [
                "金額は整数と十進数のどちらで持つべきか",
                "2 of 3 agree",
                "17,190",
                "3 of 4",
                "1m 12s",
                "10m 47s",
                "src/gone.rs:1",
                "no such file",
                "401",
                "1 worktree could not be removed",
                "Alone: src/a.rs:3",
                "dissents",
                "桁あふれを拒む",
                "codex",
            ] {
                assert!(text.contains(wanted), "{form} lacks {wanted}: {text}");
            }
        }
        let text = markdown(report);
        let at = |wanted: &str| text.find(wanted).unwrap_or_else(|| panic!("{wanted}: {text}"));
        assert!(
            at("## Final plans") < at("## Dissent")
                && at("## Dissent") < at("## Baseline")
                && at("## Baseline") < at("## Round 1")
        );
        assert!(text.contains("### qa\n\nStore the **digits** as read.\n"), "{text}");
        assert!(text.contains("#### Plan"), "{text}");
    });
}

#[test]
fn a_report_is_told_in_the_language_of_its_task() {
    with_report("認証", &TEXTS, |report| {
        let head = DebateTerms { language: Language::Japanese, ..report.head.clone() };
        let report = DebateReport { head: &head, notes: Vec::new(), ..report.clone() };
        for (text, form) in [(html(&report), "html"), (markdown(&report), "md")] {
            let wanted = [
                "結論: 3 名中 2 名が合意",
                "第 2 ラウンド",
                "最終案",
                "異議あり",
                "比較：",
                "失敗と注意点",
                "17,190",
                "完了",
            ];
            for wanted in wanted {
                assert!(text.contains(wanted), "{form} lacks {wanted}: {text}");
            }
            for english in
                ["Round", "Final", "agree", "came of", "tokens", "Baseline", "rounds", "cited", "status"]
            {
                assert!(!text.contains(english), "{form} has {english}: {text}");
            }
        }
    });
}

#[test]
fn a_debate_that_ended_early_has_no_final_plan() {
    with_report("x", &TEXTS[..1], |report| {
        assert!(html(report).contains("there is no final plan"));
        assert!(markdown(report).contains("there is no final plan"));
        let early = DebateReport { is_settled_early: true, ..report.clone() };
        assert!(
            html(&early).contains("round 1 brought no objection")
                && markdown(&early).contains("so the proposals stand")
        );
    });
    with_report("x", &TEXTS, |report| {
        let mut rounds = report.rounds.clone();
        rounds[2].round = 5;
        let head = DebateTerms { rounds: 5, ..report.head.clone() };
        let early = DebateReport { is_settled_early: true, head: &head, rounds, ..report.clone() };
        let left_out = "Round 2 brought no objection and no new proposal, so rounds 3, 4 were left out.";
        assert!(html(&early).contains(left_out) && markdown(&early).contains(left_out));
        assert!(markdown(&early).contains("3 of 5 rounds") && html(&early).contains("2 of 3 agree"));
        assert!(!markdown(report).contains("left out"), "all were held");
        let mut head = report.head.clone();
        head.budget =
            BudgetTerms { tokens: Some(17_000), cost_micro_usd: Some(2_500_000), minutes: Some(30) };
        let bounded = DebateReport { head: &head, ..report.clone() };
        let figures = "10m 47s of 30m · 17,190 of 17,000 tokens · $0.0310 of $2.50";
        assert!(markdown(&bounded).contains(figures), "{}", markdown(&bounded));
    });
}

/// The names of all tags of a page and of what they have, as a browser would read this page: its texts have no `<` of their own.
fn tags(page: &str) -> impl Iterator<Item = &str> {
    page.split('<').skip(1).map(|rest| rest.split('>').next().unwrap_or_default())
}

#[test]
fn nothing_hostile_gets_through_to_the_page() {
    let huge = format!("{}{}", HOSTILE.repeat(3), "<script>x</script>".repeat(60_000));
    let texts: [&[&str]; 3] = [
        &[HOSTILE, &huge, "!<script>alert(9)</script>"],
        &[HOSTILE, HOSTILE, HOSTILE],
        &[HOSTILE, "## Dissent\n<b onload=x>", HOSTILE],
    ];
    with_report("<script>alert(0)</script>\n</title><img src=x>", &texts, |report| {
        let page = html(report);
        let allowed = "!doctype html head meta title style body main header section article h1 h2 h3 h4 h5 h6 p span b br div ul ol li code pre \
            details summary a strong em del blockquote table thead tbody tr th td hr";
        let allowed: Vec<&str> = allowed.split_whitespace().collect();
        for tag in tags(&page) {
            let name = tag.trim_start_matches('/').split([' ', '\n', '/']).next().unwrap_or_default();
            assert!(allowed.contains(&name), "<{tag}>");
            if name == "a" && !tag.starts_with('/') {
                assert!(
                    tag.starts_with("a href=\"https://example.org")
                        && tag.ends_with("\" rel=\"noopener noreferrer nofollow\""),
                    "<{tag}>"
                );
            }
            for attribute in [" src", " on", " style=", " id=", " srcset", "javascript:", "data:"] {
                assert!(!tag.contains(attribute), "<{tag}>");
            }
        }
        assert_eq!(page.matches("<style>").count(), 1);
        assert_eq!(page.matches("</main>").count(), 1);
        assert_eq!(page.matches("<meta ").count(), 4);
        assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
        assert!(page.len() < 4 << 20, "{}", page.len());
    });
}

#[test]
fn what_is_told_to_a_browser_names_the_only_style() {
    with_report("x", &TEXTS, |report| {
        let page = html(report);
        let style = page.split_once("<style>").and_then(|(_, rest)| rest.split_once("</style>")).unwrap().0;
        use base64::Engine as _;
        let digest = <sha2::Sha256 as sha2::Digest>::digest(style.as_bytes());
        let hash = base64::engine::general_purpose::STANDARD.encode(digest);
        assert!(page.contains(&format!(
            "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'"
        )));
        assert!(style.ends_with(":root{--n:3}\n") && !style.contains("url("));
    });
}

#[test]
fn hostile_markdown_is_letters_within_a_report_in_markdown() {
    for text in [
        HOSTILE,
        "a\n\n```\n# open",
        "a\n\n~~~~md\n```\n",
        "        ```\n\nx",
        "> ```\n> x",
        "- a\n  ```\n  x",
        "[![a](javascript:1)](javascript:2)",
        "![![a](javascript:1)](javascript:2)",
        "[x]: javascript:1\n",
        "<div",
        "<![CDATA[",
        "\\<script>",
        "``\n<b>",
        "",
    ] {
        let tame = agent_markdown(text);
        let rest = "\n\n[x] behind\n\n# End\n";
        let whole = tame.clone() + rest;
        let options = pulldown_cmark::Options::ENABLE_TABLES;
        for event in pulldown_cmark::Parser::new_ext(&whole, options) {
            use pulldown_cmark::{Event, Tag};
            match event {
                Event::Html(html) | Event::InlineHtml(html) => panic!("{text}: {html} in {tame}"),
                Event::Start(Tag::Image { .. }) => panic!("{text}: an image in {tame}"),
                Event::Start(Tag::Link { dest_url, .. }) => {
                    assert!(dest_url.starts_with("https://example.org"), "{text}: {dest_url} in {tame}")
                }
                _ => {}
            }
        }
        let html = agent_html(&whole);
        assert!(html.contains("<p>[x] behind</p>") && html.ends_with("<h4>End</h4>\n"), "{text}: {html}");
    }
}

#[test]
fn texts_that_are_made_to_be_slow_are_rendered() {
    for text in [">", "[", "![", "*a ", "- ", "`", "<", "&#", "|a", "~~", "[a](", "\n> - "]
        .map(|sign| sign.repeat((1 << 20) / sign.len()))
    {
        assert!(agent_html(&text).len() < 16 << 20);
        assert!(agent_markdown(&text).len() < 16 << 20);
    }
}

#[test]
fn what_turns_the_text_around_it_is_shown_as_what_it_is() {
    for made in [
        agent_html("a \u{202e}live\u{2066} `b\u{202e}`"),
        agent_markdown("a \u{202e}live\u{2066} `b\u{202e}`"),
    ] {
        assert!(made.contains(r"a \u{202e}live\u{2066} "), "{made}");
        assert!(made.contains(r"b\u{202e}") && !made.contains(['\u{202e}', '\u{2066}']), "{made}");
    }
}
