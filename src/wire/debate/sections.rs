//! A text in Markdown by its headings. Agents write `## Title`, or a line that is bold as a whole; what stands in a block of code is
//! no heading.

/// A heading and what is below it, up to the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Section<'t> {
    /// From 1 to 6; 0 for what stands before the first heading, 7 for a bold line.
    pub(super) level: u8,
    /// Without signs of Markdown around it.
    pub(super) title: &'t str,
    /// The line of the heading with its end; empty before the first one.
    pub(super) heading: &'t str,
    pub(super) body: &'t str,
}

/// Longest bold line that is a heading, in bytes; more is a sentence.
const BOLD_BYTES_MAX: usize = 120;
/// A bold line is a heading below all others.
const BOLD_LEVEL: u8 = 7;

/// The sections of a text, in order. Together they are all of it.
pub(super) fn sections(text: &str) -> Vec<Section<'_>> {
    let mut found = Vec::new();
    let (mut open, mut begin) = ((0, "", ""), 0);
    let mut code = Code::default();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let is_code = code.covers(line);
        if let Some((level, title)) = heading(line).filter(|_| !is_code) {
            push(&mut found, open, text.get(begin..at).unwrap_or_default());
            open = (level, title, line);
            begin = at + line.len();
        }
        at += line.len();
    }
    push(&mut found, open, text.get(begin..).unwrap_or_default());
    found
}

fn push<'t>(found: &mut Vec<Section<'t>>, (level, title, heading): (u8, &'t str, &'t str), body: &'t str) {
    if level > 0 || !body.is_empty() {
        found.push(Section { level, title, heading, body });
    }
}

impl<'t> Section<'t> {
    /// The text of a section with those below it: all up to a heading that is no smaller.
    pub(super) fn whole(all: &[Self], at: usize) -> String {
        let Some(own) = all.get(at) else { return String::new() };
        let below = all.iter().skip(at + 1).take_while(|section| section.level > own.level);
        below.fold(own.body.to_owned(), |text, section| text + section.heading + section.body)
    }

    /// Whether one of these words stands in the title, whatever its capitals.
    pub(super) fn is_about(&self, words: &[&str]) -> bool {
        let title = self.title.to_lowercase();
        words.iter().any(|word| title.contains(word))
    }
}

/// What stands below a heading that has nothing to say.
const NOTHING: &[&str] = &[
    "",
    "n/a",
    "nil",
    "no dissent",
    "no objection",
    "no objections",
    "no new proposal",
    "no new proposals",
    "none",
    "none from me",
    "none so far",
    "nothing",
    "nothing new",
    "ありません",
    "ない",
    "なし",
    "反論なし",
    "特にありません",
    "特にない",
    "特になし",
    "異議なし",
    "異議はありません",
    "異論なし",
    "異論はありません",
    "該当なし",
    "無",
    "無し",
];

/// Whether the first sentence of a text says that there is nothing.
pub(super) fn is_nothing(text: &str) -> bool {
    let is_sign = |c: char| {
        c.is_whitespace() || matches!(c, '*' | '_' | '-' | '`' | '>' | '"' | '「' | '」' | '.' | '。')
    };
    let text = text.trim_matches(is_sign);
    let end = ['.', '。', '\n', '—', '–', ',', '、', ';', ':', '：', '(', '（', '!', '！'];
    let first = text.split(end).next().unwrap_or_default().trim_matches(is_sign).to_lowercase();
    NOTHING.contains(&first.as_str())
}

/// Whether a line is within a block of code, as its fences say. The fences themselves are.
#[derive(Default)]
pub(super) struct Code(Option<(char, usize)>);

impl Code {
    /// The fence that would end the block which is open.
    pub(super) fn open(&self) -> Option<String> {
        self.0.map(|(sign, length)| sign.to_string().repeat(length))
    }

    /// Whether the next line is, which must be asked of each line in order.
    pub(super) fn covers(&mut self, line: &str) -> bool {
        let rest = line.trim();
        let sign = rest.chars().next().filter(|c| matches!(c, '`' | '~'));
        let length = sign.map_or(0, |sign| rest.len() - rest.trim_start_matches(sign).len());
        let behind = rest.get(length..).unwrap_or_default();
        match (self.0, sign) {
            (None, Some(sign)) if length >= 3 && !(sign == '`' && behind.contains('`')) => {
                self.0 = Some((sign, length));
                true
            }
            (None, _) => false,
            (Some((open, least)), Some(sign)) if sign == open && length >= least && behind.is_empty() => {
                self.0 = None;
                true
            }
            (Some(_), _) => true,
        }
    }
}

/// Level and title of a line that is a heading.
fn heading(line: &str) -> Option<(u8, &str)> {
    let text = line.trim_end();
    let rest = text.trim_start_matches(' ');
    // With four blanks it is code.
    if text.len() - rest.len() > 3 {
        return None;
    }
    let title = rest.trim_start_matches('#');
    let signs = rest.len() - title.len();
    if (1..=6).contains(&signs) && (title.is_empty() || title.starts_with([' ', '\t', '\u{3000}'])) {
        let title = title.trim().trim_end_matches('#');
        return Some((u8::try_from(signs).ok()?, bare(title)));
    }
    let bold = rest.strip_prefix("**")?.trim_end_matches([':', '：']).strip_suffix("**")?;
    let is_heading = !bold.is_empty() && bold.len() <= BOLD_BYTES_MAX && !bold.contains("**");
    is_heading.then(|| (BOLD_LEVEL, bare(bold)))
}

/// A title without what may stand around its words: signs of Markdown, a colon, a number such as `3.`.
fn bare(title: &str) -> &str {
    let is_sign = |c: char| c.is_whitespace() || matches!(c, '*' | '_' | '`' | ':' | '：' | '#');
    let title = title.trim_matches(is_sign);
    let rest = title.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = rest.len() < title.len() && rest.starts_with(['.', ')', '．', '）']);
    if is_numbered { rest.get(1..).unwrap_or(title).trim_matches(is_sign) } else { title }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> Vec<(u8, &str, &str)> {
        let all = sections(text);
        assert_eq!(all.iter().map(|one| [one.heading, one.body].concat()).collect::<String>(), text);
        all.into_iter().map(|one| (one.level, one.title, one.body)).collect()
    }

    #[test]
    fn a_text_is_parted_by_its_headings() {
        assert_eq!(seen(""), []);
        assert_eq!(
            seen("はじめに\n# **計画** #\r\na\n## 3. `Dissent`:\nb\n**異議：**\nc"),
            [(0, "", "はじめに\n"), (1, "計画", "a\n"), (2, "Dissent", "b\n"), (7, "異議", "c")]
        );
        for plain in ["#!/bin/sh\n", "    # code\n", "####### a\n", "**a** and **b**\n", "```\n# a\n```\n"] {
            assert_eq!(seen(plain), [(0, "", plain)]);
        }
        assert_eq!(
            seen("~~~~\n# a\n~~~\n```\n~~~~\n# b\n"),
            [(0, "", "~~~~\n# a\n~~~\n```\n~~~~\n"), (1, "b", "")]
        );
    }
}
