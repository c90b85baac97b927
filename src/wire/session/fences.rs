//! Blocks of code in a text as Markdown fences them: at least three "`" or "~", closed by at least as many of the same.

/// A block of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fenced {
    /// The first word behind the fence, in small letters: `yaml`.
    pub(super) language: String,
    /// The line of the fence, from 1.
    pub(super) line: u64,
    /// By how many blanks the fence is indented; `text` has its lines without these.
    pub(super) indent: usize,
    /// What is between the fences.
    pub(super) text: String,
    /// Whether the closing fence is there.
    pub(super) is_closed: bool,
}

/// A fence at the beginning of a line.
struct Fence<'a> {
    indent: usize,
    sign: char,
    length: usize,
    behind: &'a str,
}

/// The fence of a line, if it is one. Any blanks may stand before it, since agents indent whole answers.
fn fence(line: &str) -> Option<Fence<'_>> {
    let rest = line.trim_start_matches(' ');
    let indent = line.len() - rest.len();
    let sign = rest.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let behind = rest.trim_start_matches(sign);
    let length = rest.len() - behind.len();
    // With another "`" behind it, it is a span of code that begins a line.
    let is_fence = length >= 3 && !(sign == '`' && behind.contains('`'));
    is_fence.then(|| Fence { indent, sign, length, behind: behind.trim() })
}

/// The blocks of a text, in order. A fence that is indented more than the one that opened the block belongs to its text, so a plan's
/// descriptions may have blocks of their own.
pub(super) fn blocks(text: &str) -> Vec<Fenced> {
    let mut blocks = Vec::new();
    let mut open: Option<(Fenced, Fence<'_>)> = None;
    for (line, number) in text.split_inclusive('\n').zip(1..) {
        let found = fence(line.trim_end());
        match (open.take(), found) {
            (None, None) => {}
            (None, Some(fence)) => {
                let language = fence.behind.split_whitespace().next().unwrap_or_default().to_lowercase();
                let block = Fenced {
                    language,
                    line: number,
                    indent: fence.indent,
                    text: String::new(),
                    is_closed: false,
                };
                open = Some((block, fence));
            }
            (Some((block, begun)), Some(end))
                if end.sign == begun.sign
                    && end.length >= begun.length
                    && end.indent <= begun.indent
                    && end.behind.is_empty() =>
            {
                blocks.push(Fenced { is_closed: true, ..block });
            }
            (Some((mut block, begun)), _) => {
                let blanks = line.len() - line.trim_start_matches(' ').len();
                block.text.push_str(line.get(blanks.min(begun.indent)..).unwrap_or_default());
                open = Some((block, begun));
            }
        }
    }
    blocks.extend(open.map(|(block, _)| block));
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> Vec<(String, u64, String, bool)> {
        let block = |block: Fenced| (block.language, block.line, block.text, block.is_closed);
        blocks(text).into_iter().map(block).collect()
    }

    #[test]
    fn blocks_are_found_with_their_language_and_line() {
        let text = "計画です\n```yaml\na: 1\n```\n~~~ JSON x\n{}\n```\n~~~\n````\n```\n`````\n";
        let block = |language: &str, line, text: &str| (language.to_owned(), line, text.to_owned(), true);
        assert_eq!(
            seen(text),
            [block("yaml", 2, "a: 1\n"), block("json", 5, "{}\n```\n"), block("", 9, "```\n")]
        );
        assert_eq!(seen("``` a ``` is a span\n``no\n"), []);
    }

    #[test]
    fn a_block_inside_of_a_description_ends_no_plan() {
        let inner = "tasks:\n  - description: |\n      ```rust\n      fn a() {}\n      ```\n";
        assert_eq!(seen(&format!("```yaml\n{inner}```\nrest")), [("yaml".into(), 1, inner.into(), true)]);
        let indented: String =
            format!("```yaml\n{inner}```\n").lines().map(|line| format!("  {line}\n")).collect();
        assert_eq!(seen(&indented), [("yaml".into(), 1, inner.into(), true)]);
    }

    #[test]
    fn a_block_that_is_not_closed_is_told() {
        assert_eq!(seen("a\n```yaml\nb"), [("yaml".into(), 2, "b".into(), false)]);
        assert_eq!(seen("```yaml\r\nb\r\n```\r\n"), [("yaml".into(), 1, "b\r\n".into(), true)]);
    }
}
