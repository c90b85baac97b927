//! What was said in the rounds before, as JSON within a prompt.

use super::super::shorten::{cap, shortened};
use super::words::Words;
use serde_json::{Value as Json, json};
use std::borrow::Cow;

/// What a role said in a round before, or why it said nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriorOutput<'a> {
    pub round: u8,
    pub role: &'a str,
    pub proposal: &'a str,
    pub error: Option<&'a str>,
    /// Places that it cites and that are not in the base, such as `src/a.rs:12`.
    pub missing: Vec<String>,
}

/// Longest run of backticks that is passed on. A longer one means nothing, and would make the fence as long.
const BACKTICKS_MAX: usize = 40;

/// A fence that nothing in the text closes.
pub(super) fn fence(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    "`".repeat(longest.max(2) + 1)
}

/// The block, in at most `room` characters as far as what stands around the proposals allows it, and notes on what was left out.
pub(super) fn block(words: &Words, outputs: &[PriorOutput<'_>], room: usize) -> (String, Vec<String>) {
    let texts: Vec<Cow<'_, str>> = outputs.iter().map(|output| without_long_runs(output.proposal)).collect();
    let bare = render(words, outputs, &[]);
    // The fence may become longer than that of nothing, on both sides.
    let frame = bare.chars().count() + 2 * BACKTICKS_MAX;
    let lengths: Vec<usize> = texts.iter().map(|text| json_chars(text)).collect();
    let most = cap(&lengths, room.saturating_sub(frame));
    let (mut notes, mut short) = (Vec::new(), Vec::new());
    for (output, (text, length)) in outputs.iter().zip(texts.into_iter().zip(lengths)) {
        if length <= most {
            short.push(text);
            continue;
        }
        let (cut, said) = shorter(&text, length, most);
        notes.push(format!("round {}, {}: {said}", output.round, output.role));
        short.push(Cow::Owned(cut));
    }
    (render(words, outputs, &short), notes)
}

/// The text so short that its JSON has at most so many characters, as far as the line that says so allows it.
fn shorter(text: &str, json_length: usize, most: usize) -> (String, String) {
    let length = text.chars().count();
    let mut wanted = length.saturating_mul(most) / json_length.max(1);
    let cut = |wanted: usize| shortened(text, wanted.min(length.saturating_sub(1))).unwrap_or_default();
    for _ in 0..4 {
        let (short, said) = cut(wanted);
        let found = json_chars(&short);
        if found <= most {
            return (short, said);
        }
        wanted = wanted.saturating_mul(most) / found.max(1);
    }
    // No character takes more than six in JSON.
    cut(most / 6)
}

fn json_chars(text: &str) -> usize {
    let escapes = |c: char| match c {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        _ => 1,
    };
    text.chars().map(escapes).sum()
}

fn render(words: &Words, outputs: &[PriorOutput<'_>], texts: &[Cow<'_, str>]) -> String {
    let mut texts = texts.iter();
    let entries = outputs.iter().map(|output| {
        let text = texts.next().map(Cow::as_ref).unwrap_or_default();
        let mut entry =
            json!({"round": output.round, "role": output.role, "proposal": text, "error": output.error});
        if let (Json::Object(entry), false) = (&mut entry, output.missing.is_empty()) {
            entry.insert("cited_but_not_there".to_owned(), json!(output.missing));
        }
        entry
    });
    let text = format!("{:#}", Json::Array(entries.collect()));
    let fence = fence(&text);
    format!("{}\n\n{fence}json\n{text}\n{fence}\n\n{}", words.data_begins, words.data_ends)
}

fn without_long_runs(text: &str) -> Cow<'_, str> {
    if !text.contains(&"`".repeat(BACKTICKS_MAX + 1)) {
        return Cow::Borrowed(text);
    }
    let mut run = 0;
    let keep = |c: &char| {
        run = if *c == '`' { run + 1 } else { 0 };
        run <= BACKTICKS_MAX
    };
    Cow::Owned(text.chars().filter(keep).collect())
}
