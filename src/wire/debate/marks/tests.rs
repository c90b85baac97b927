//! Places as agents cite them.

use super::*;

fn found(text: &str) -> String {
    citations(text).iter().map(Citation::to_string).collect::<Vec<_>>().join(" ")
}

#[test]
fn places_are_found_as_agents_write_them() {
    for (text, wanted) in [
        (
            "See src/a.rs:12, `src/b.rs:3-9`, (docs/c.md:1:7). src/a.rs:12 again",
            "src/a.rs:12 src/b.rs:3-9 docs/c.md:1",
        ),
        (
            "問題はsrc/a.rs:12にあり、「Makefile:3」も同じ。`設計/認証.md:7`",
            "src/a.rs:12 Makefile:3 設計/認証.md:7",
        ),
        ("[a](./src/x/../a.rs#L12-L15) and src/a.rs:L7", "src/a.rs:12-15 src/a.rs:7"),
        ("/w/.tasuki/debates/1/worktrees/round1-qa/src/a.rs:4", "src/a.rs:4"),
        ("**Cargo.toml:31** | .gitignore:2 | ../out.rs:1", "Cargo.toml:31 .gitignore:2 ../out.rs:1"),
        ("`grep -n x src/a.rs:9`", "src/a.rs:9"),
        ("a.rs:9-3 a.rs:0", "a.rs:9 a.rs:0"),
        ("bin/tasuki:12", "bin/tasuki:12"),
        (
            "http://localhost:8080/a.rs:1 12:30 localhost:80 example.com:443 127.0.0.1:80 v1.2:3 e.g.:3 T12:30:00 認証.rs:12 \
             std::a.rs:1 Note:5 a.rs:12px //x/a.rs:1 -a.rs:1 a.rs: 5",
            "",
        ),
        ("a.rs:99999999999999999999", ""),
    ] {
        assert_eq!(found(text), wanted, "{text}");
    }
}

#[test]
fn a_text_has_at_most_so_many() {
    let text: String = (0..9_999).map(|at| format!("src/a.rs:{at} ")).collect();
    assert_eq!(citations(&text).len(), CITATIONS_MAX);
    for hostile in [":".repeat(1 << 20), "a:".repeat(1 << 19), "`".repeat(1 << 20), "a.rs:1".repeat(100_000)]
    {
        assert!(citations(&hostile).len() <= 1);
    }
}

#[test]
fn places_that_point_nowhere_are_told_with_the_reason() {
    let lines_of = |path: &str| match path {
        "src/a.rs" => Some(40),
        "one.md" => Some(1),
        _ => None,
    };
    let checked = check("src/a.rs:40 src/a.rs:41 src/a.rs:3-99 src/a.rs:0 one.md:2 src/b.rs:1", lines_of);
    let told: Vec<_> = checked.iter().map(|one| one.missing.as_deref().unwrap_or("there")).collect();
    assert_eq!(
        told,
        [
            "there",
            "the file has 40 lines",
            "the file has 40 lines",
            "lines count from 1",
            "the file has 1 line",
            "no such file"
        ]
    );
    assert_eq!(missing(&checked), ["src/a.rs:41", "src/a.rs:3-99", "src/a.rs:0", "one.md:2", "src/b.rs:1"]);
}

#[test]
fn a_span_of_code_is_one_path_with_blanks_where_there_is_such_a_file() {
    let blanks = |path: &str| (path == "sp ace.md" || path == "a b/x").then_some(3);
    let checked = check("see `sp ace.md:1` and `grep -n x a.rs:9` and `a b/x:4`", blanks);
    assert_eq!(
        checked.iter().map(|one| one.citation.to_string()).collect::<Vec<_>>(),
        ["sp ace.md:1", "a.rs:9", "a b/x:4"]
    );
    assert_eq!(missing(&checked), ["a.rs:9", "a b/x:4"]);
}

#[test]
fn a_critique_brings_news_by_a_place_that_exists_or_a_proposal() {
    let news = |text: &str| brings_news(text, |citation| citation.path == "src/a.rs");
    for text in [
        "## Objections\n- qa: wrong, see src/a.rs:9\n## New proposals\nnone",
        "## Objections\nnone\n## New proposals\nUse SQLite.",
        "# 批判\n## 反論\n### qa\n`src/a.rs:1`が誤り\n## 新しい提案\nなし",
        "## 反論\nなし\n**代替案**\n整数で持つ",
        "I would rather not say.",
        "",
    ] {
        assert!(news(text), "{text}");
    }
    for text in [
        "## Objections\nnone\n## Improvements\nsrc/a.rs:3 needs a name\n## New proposals\nNone.",
        "## Objections\nIt is slow (src/gone.rs:3).\n## New proposals\n- none",
        "## 反論\n特になし\n## 新しい提案\nありません。",
    ] {
        assert!(!news(text), "{text}");
    }
}
