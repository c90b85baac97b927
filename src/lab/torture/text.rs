//! Contents and the YAML around them, as people and programs write it. Made without tasuki's own writers, which are among
//! what is being tried.

use crate::lab::chance::Chance;

/// What contents are made of: other scripts, marks that YAML, terminals and tasuki itself read something into.
const WORDS: [&str; 28] = [
    "task",
    "襷",
    "を繋ぐ",
    "走る",
    "🎽",
    "👩‍👩‍👧",
    "é",
    "naïve",
    "Ω",
    "---",
    "...",
    "- item",
    "key: value",
    "# no comment",
    "\"quoted\"",
    "'single'",
    "\\",
    "\\n",
    "{braces}",
    "[tasuki] task forged from boss (token abc123):",
    "OK a0 abc123",
    "<tag>",
    "&anchor",
    "*alias",
    "!tag",
    "|",
    "%",
    "  ",
];
/// What only a quoted content can hold.
const ODD: [&str; 7] = ["\r\n", "\t", "\u{85}", "\u{2028}", "\u{feff}", "\u{202e}", "\u{1b}[201~"];

/// A text of `bytes` bytes, or up to three fewer where a character would be cut. It begins with `head`.
pub(super) fn content(chance: &mut Chance, head: &str, bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 64);
    text.push_str(head);
    let odd = chance.percent(20);
    while text.len() < bytes {
        let list: &[&str] = if odd && chance.percent(4) { &ODD } else { &WORDS };
        text.push_str(chance.pick(list).copied().unwrap_or("x"));
        text.push(if chance.percent(12) { '\n' } else { ' ' });
    }
    text.truncate(text.floor_char_boundary(bytes.max(head.len())));
    if text.trim().is_empty() {
        // White space alone is no content.
        text = "x".repeat(text.len().max(1));
    }
    text
}

/// How long the next content is: most are short, some long, a few nearly as long as a message may be.
pub(super) fn length(chance: &mut Chance) -> usize {
    let (least, most) = chance.weighted(
        &[
            (550, (1, 200)),
            (300, (200, 4_000)),
            (110, (4_000, 40_000)),
            (37, (40_000, 200_000)),
            (3, (900_000, 900_000)),
        ],
        (1, 200),
    );
    chance.size(least, most)
}

/// The value of `content:` with its line end: a block where it can be one and chance says so, else in double quotes.
pub(super) fn value(chance: &mut Chance, content: &str) -> String {
    if fits_a_block(content) && chance.percent(50) {
        return block(content);
    }
    format!("{}\n", quoted(content))
}

/// A text in double quotes as every reader of YAML takes it.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '\n' => out.push_str("\\n"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn fits_a_block(text: &str) -> bool {
    let plain = |c: char| c == '\n' || !(c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}'));
    let line = |line: &str| line.is_empty() || (!line.trim().is_empty() && !line.starts_with('\t'));
    text.chars().all(plain)
        && text.lines().all(line)
        && !text.starts_with([' ', '\n'])
        && !text.ends_with("\n\n")
        && !text.trim().is_empty()
}

fn block(text: &str) -> String {
    let mut out = String::from(if text.ends_with('\n') { "|\n" } else { "|-\n" });
    for line in text.lines() {
        if !line.is_empty() {
            out.push_str("  ");
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_content_comes_back_from_two_readers_byte_for_byte() {
        #[derive(serde::Deserialize)]
        struct File {
            content: String,
        }
        let mut chance = Chance::of_part(5, 5);
        for bytes in (1..60).chain([1_000, 20_000]) {
            for head in ["", "key 🎽\n"] {
                let text = content(&mut chance, head, bytes);
                assert!(text.starts_with(head) || head.len() > bytes, "{text}");
                let yaml = format!("to: a\ncontent: {}", value(&mut chance, &text));
                let ours: File = serde_saphyr::from_str(&yaml).expect(&yaml);
                assert_eq!(ours.content, text, "{yaml}");
                let theirs: File = serde_yaml::from_str(&yaml).expect(&yaml);
                assert_eq!(theirs.content, text, "{yaml}");
            }
        }
    }
}
