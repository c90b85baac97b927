//! Texts that look like a secret: keys and tokens whose makers gave them a shape. A message with one is accepted, and its
//! sender warned.

use regex::RegexSet;
use std::sync::LazyLock;

/// Kind and shape, as their makers publish them. Word boundaries are those of ASCII: for others a text that is not all ASCII is
/// searched a hundred times slower (0.2 s for 1 MiB).
const SHAPES: [(&str, &str); 8] = [
    ("an AWS access key", r"(?-u:\b)(?:AKIA|ASIA)[0-9A-Z]{16}(?-u:\b)"),
    ("a GitHub token", r"(?-u:\b)(?:gh[pousr]_[0-9A-Za-z]{36,}|github_pat_[0-9A-Za-z_]{40,})"),
    ("a GitLab token", r"(?-u:\b)glpat-[0-9A-Za-z_-]{20,}"),
    ("a Slack token", r"(?-u:\b)xox[abeoprs]-[0-9A-Za-z-]{10,}"),
    ("a Google API key", r"(?-u:\b)AIza[0-9A-Za-z_-]{35}"),
    ("an API key", r"(?-u:\b)sk-[0-9A-Za-z_-]{20,}"),
    ("a private key", r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    ("a web token", r"(?-u:\b)eyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}"),
];

static ANY: LazyLock<Option<RegexSet>> = LazyLock::new(|| RegexSet::new(SHAPES.map(|(_, shape)| shape)).ok());

/// The kind of the first shape in the table that occurs in `text`.
#[must_use]
pub fn kind(text: &str) -> Option<&'static str> {
    let found = ANY.as_ref()?.matches(text).into_iter().next()?;
    SHAPES.get(found).map(|(kind, _)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_is_valid_and_found() {
        assert!(ANY.is_some());
        let samples = [
            ("AKIA".to_owned() + "ABCDEFGHIJ234567", "an AWS access key"),
            ("ghp_".to_owned() + &"a1".repeat(18), "a GitHub token"),
            ("glpat-".to_owned() + &"x".repeat(20), "a GitLab token"),
            ("xoxb-".to_owned() + "123456789012-abc", "a Slack token"),
            ("AIza".to_owned() + &"k".repeat(35), "a Google API key"),
            ("sk-".to_owned() + &"q".repeat(24), "an API key"),
            ("-----BEGIN RSA PRIVATE ".to_owned() + "KEY-----", "a private key"),
            (format!("eyJ{0}.eyJ{0}.{0}", "abcdefghij0"), "a web token"),
        ];
        for (sample, named) in samples {
            for (before, after) in [("キーは ", " 😀"), ("キーは", "です"), ("", "")] {
                let text = format!("{before}{sample}{after}");
                assert_eq!(kind(&text), Some(named), "{text}");
            }
            // In the middle of a word it is something else.
            assert_eq!(kind(&format!("x{sample}")).is_none(), !sample.starts_with('-'), "{named}");
        }
    }

    #[test]
    fn ordinary_text_is_left_alone() {
        for text in
            ["task-123", "ask-me-about-this-long-dashed-word", "AKIA", "the token is k7qf2m", "", "日本語"]
        {
            assert_eq!(kind(text), None, "{text}");
        }
    }
}
