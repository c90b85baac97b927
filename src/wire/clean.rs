//! What may be shown of a text that came from outside: no control character reaches a terminal, and what looks like a
//! secret is not repeated.

use regex::{Regex, RegexSet};
use std::ops::Range;
use std::sync::LazyLock;

/// Pattern, and what is put in its place. The forms are those that the services themselves publish for secret scanning.
const SECRETS: [(&str, &str); 7] = [
    // Keys that say whose they are by how they begin: Anthropic and OpenAI, GitHub, GitLab, Slack, AWS, Google,
    // Hugging Face, npm.
    (
        r"(?-u:\b)(?:sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|xox[abeoprs]-[A-Za-z0-9-]{10,}|A[KS]IA[0-9A-Z]{16}|AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{20,}|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{30,})",
        "[redacted]",
    ),
    // JSON web tokens.
    (r"(?-u:\b)eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*", "[redacted]"),
    // Private keys, to the end of the line.
    (r"(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*", "[redacted]"),
    // HTTP headers.
    (r"(?i)(?-u:\b)(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}", "$1 [redacted]"),
    (r"(?i)(?-u:\b)((?:set-)?cookie:\s*)\S.*", "$1[redacted]"),
    // Passwords in addresses.
    (r"(://[^/\s:@]+:)[^@\s/]+@", "$1[redacted]@"),
    // name=value, name: value, "name": "value".
    (
        r#"(?i)(?-u:\b)([A-Za-z0-9_-]*(?:password|passwd|passphrase|secret|api[_-]?key|access[_-]?key|private[_-]?key|agent[_-]key|token)["']?\s*[=:]\s*["']?)[^\s"',;}\])]+"#,
        "$1[redacted]",
    ),
];

/// Compiled once for all.
static SHARED: LazyLock<Result<Cleaner, regex::Error>> = LazyLock::new(Cleaner::new);

/// Cleans lines.
#[derive(Debug)]
pub struct Cleaner {
    any: RegexSet,
    each: Vec<(Regex, &'static str)>,
}

impl Cleaner {
    /// Compiles the patterns.
    ///
    /// # Errors
    /// Only if one of them is wrong, which is a bug.
    pub fn new() -> Result<Self, regex::Error> {
        let any = RegexSet::new(SECRETS.map(|(pattern, _)| pattern))?;
        let each = SECRETS.map(|(pattern, instead)| Ok((Regex::new(pattern)?, instead)));
        Ok(Self { any, each: each.into_iter().collect::<Result<_, regex::Error>>()? })
    }

    /// The one that all share.
    ///
    /// # Errors
    /// Only if one of the patterns is wrong, which is a bug.
    pub fn shared() -> Result<&'static Self, regex::Error> {
        SHARED.as_ref().map_err(Clone::clone)
    }

    /// Where a text looks like a secret. Prose and code are in more danger here than in a log: `basic functionality` is no
    /// password, and neither is `token = parse(text)`.
    #[must_use]
    pub fn secrets(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        for index in self.any.matches(text) {
            let Some((pattern, _)) = self.each.get(index) else { continue };
            for groups in pattern.captures_iter(text) {
                let Some(whole) = groups.get(0) else { continue };
                let start = groups.get(1).map_or(whole.start(), |named| named.end());
                let end = whole.end() - usize::from(whole.as_str().ends_with('@'));
                let is_whole = whole.as_str().starts_with("-----BEGIN");
                let span = if is_whole { start..end_of_key(text, start) } else { start..end };
                let name = groups.get(1).map(|named| named.as_str());
                if name.is_none_or(|name| looks_secret(name, text[span.clone()].trim_start())) {
                    found.push(span);
                }
            }
        }
        found
    }

    /// The text as one line: secrets out, control characters (line ends and text direction among them) as escapes.
    #[must_use]
    pub fn line(&self, text: &str) -> String {
        escape(&self.redact(text))
    }

    /// The text without what looks like a secret.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        let mut clean = text.to_owned();
        for index in self.any.matches(text) {
            if let Some((pattern, instead)) = self.each.get(index) {
                clean = pattern.replace_all(&clean, *instead).into_owned();
            }
        }
        clean
    }
}

/// Where a private key ends that begins here: with the last of the rows that may be of it.
fn end_of_key(text: &str, start: usize) -> usize {
    let mut end = start;
    for (number, row) in text[start..].split_inclusive('\n').enumerate() {
        let words = row.trim();
        let is_of_key = number == 0
            || words.is_empty()
            || words.starts_with("-----END")
            || words.split_once(": ").is_some_and(|(name, _)| name.contains('-'))
            || words.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='));
        if !is_of_key {
            break;
        }
        end += row.len();
        if words.contains("-----END") {
            break;
        }
    }
    end
}

/// Whether what follows a name such as `password:` is a value, and neither a word of the language nor code.
fn looks_secret(name: &str, value: &str) -> bool {
    const WORDS: [&str; 8] = ["true", "false", "none", "null", "required", "optional", "missing", "invalid"];
    let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
    let is_code = value.contains('(') || (!has_digit && value.contains(['.', ':', '[', '<', '&', '$']));
    // The names of the ways to log in are words, too.
    let is_word = ["basic", "bearer"].iter().any(|word| name.eq_ignore_ascii_case(word)) && !has_digit;
    value.chars().count() >= 4
        && !is_code
        && !is_word
        && !WORDS.contains(&value.to_ascii_lowercase().as_str())
}

/// The text as one line, control characters as escapes.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => clean.push(c),
            '\n' => clean.push_str("\\n"),
            c if c.is_control() || turns_text(c) => clean.extend(c.escape_unicode()),
            c => clean.push(c),
        }
    }
    clean
}

/// The text with what turns others shown as what it is: it hides what was said.
#[must_use]
pub fn straight(text: &str) -> String {
    let mut straight = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if turns_text(c) => straight.extend(c.escape_unicode()),
            c => straight.push(c),
        }
    }
    straight
}

/// Characters that change the order in which others are shown.
#[must_use]
pub fn turns_text(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_repeated() {
        let cleaner = Cleaner::new().unwrap();
        let long = "a1B2".repeat(10);
        for secret in [
            format!("sk-ant-api03-{long}"),
            format!("ghp_{long}"),
            format!("github_pat_{long}"),
            format!("glpat-{long}"),
            format!("xoxb-{long}"),
            "AKIAIOSFODNN7EXAMPLE".to_owned(),
            format!("AIza{long}"),
            format!("hf_{long}"),
            format!("npm_{long}"),
            format!("eyJ{long}.{long}.{long}"),
        ] {
            for line in [secret.clone(), format!("got 鍵 {secret}, sorry"), format!("\"{secret}\"")] {
                let clean = cleaner.line(&line);
                assert!(!clean.contains(&secret) && clean.contains("[redacted]"), "{line} -> {clean}");
            }
        }
        for (line, clean) in [
            ("Authorization: Bearer abcdef123456", "Authorization: Bearer [redacted]"),
            ("TASUKI_AGENT_KEY=0123abcd next", "TASUKI_AGENT_KEY=[redacted] next"),
            (r#"{"password": "hunter2", "b": 1}"#, r#"{"password": "[redacted]", "b": 1}"#),
            ("api_key: xyz", "api_key: [redacted]"),
            ("https://me:pass@host/x", "https://me:[redacted]@host/x"),
            ("Cookie: a=b; c=d", "Cookie: [redacted]"),
            ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\nx", "[redacted]"),
        ] {
            assert_eq!(cleaner.line(line), clean);
        }
    }

    #[test]
    fn ordinary_lines_stay_as_they_are() {
        let cleaner = Cleaner::new().unwrap();
        for line in [
            "accepted msg-a1b2c3d4e5f6 from user to grand_boss",
            "typed the doorbell (token k7qf2m) into %5",
            "used 4000 tokens",
            "task: 襷をつなぐ 👩‍💻",
            "see https://example.org/a:b@c",
            "skip",
            "",
        ] {
            assert_eq!(cleaner.line(line), line);
        }
    }

    #[test]
    fn nothing_reaches_the_terminal_but_text() {
        let cleaner = Cleaner::new().unwrap();
        assert_eq!(
            cleaner.line("a\u{1b}[31mb\r\nc\u{7f}\u{9b}d\u{202e}"),
            r"a\u{1b}[31mb\u{d}\nc\u{7f}\u{9b}d\u{202e}"
        );
        for code in (0..0x20u32).chain(0x7f..0xa0).filter(|&code| code != 9) {
            let c = char::from_u32(code).unwrap();
            assert!(!cleaner.line(&format!("x{c}y")).chars().any(char::is_control), "{code:x}");
        }
    }
}
