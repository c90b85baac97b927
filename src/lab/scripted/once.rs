//! `tasuki agent scripted --once`: answers its standard input in Markdown and ends, as a one-shot command of a real program would.

use regex::Regex;
use std::io::{self, Read as _, Write as _};

/// Longest prompt that is read; a message is at most 1 MiB, and several answers may be in it.
const PROMPT_BYTES_MAX: u64 = 16 << 20;
/// Letters of the task that the answer repeats.
const TASK_CHARS_MAX: usize = 120;

/// Reads and answers.
///
/// # Errors
/// What the machine says of its input or output.
pub(super) fn answer() -> io::Result<()> {
    let mut prompt = Vec::new();
    io::stdin().lock().take(PROMPT_BYTES_MAX).read_to_end(&mut prompt)?;
    let folder = std::env::current_dir().ok();
    let folder = folder.as_ref().and_then(|folder| folder.file_name()?.to_str()).unwrap_or("this agent");
    let mut out = io::stdout().lock();
    out.write_all(answer_to(&String::from_utf8_lossy(&prompt), folder).as_bytes())?;
    out.flush()
}

/// A proposal of whoever the prompt says that its reader is; `folder` is where that is not said.
fn answer_to(prompt: &str, folder: &str) -> String {
    let role = role_in(prompt).unwrap_or_else(|| folder.to_owned());
    let mut lines = prompt.lines().map(|line| line.trim_start_matches(['#', ' ']).trim());
    let first = lines.find(|line| !line.is_empty()).unwrap_or("nothing");
    let task: String = first.chars().take(TASK_CHARS_MAX).collect();
    let heard = prompt.matches("\"from\": ").count() + prompt.matches("\"role\": ").count();
    let others = match heard {
        0 => "Nobody else has said anything yet, so this stands on its own.".to_owned(),
        1 => "I have read the answer of one other, and kept what holds.".to_owned(),
        n => format!("I have read the answers of {n} others, and kept what holds."),
    };
    let bytes = prompt.len();
    format!(
        "# {role}: a plan\n\nThe task, as I read it: *{task}*\n\n{others}\n\n## Steps\n\n1. Write down what must be true in the end.\n\
         2. Build the smallest part that shows it, and a test that can fail.\n3. Let somebody else try it before the rest is built.\n\n\
         ```mermaid\ngraph LR\n  goal --> part --> trial\n```\n\n## What may go wrong\n\n- The prompt had {bytes} bytes, and no model has \
         read it: this is tasuki's scripted agent.\n"
    )
}

/// Who the prompt says that its reader is.
fn role_in(prompt: &str) -> Option<String> {
    const PATTERNS: [&str; 2] = [
        r"(?i)\byou are (?:an? |the )?([\p{L}][\p{L}\p{N} _-]{0,40}?)(?:[.,:;\n]| who | for | in | of |$)",
        r"あなたは([\p{L}\p{N} ・ー]{1,24}?)(?:です|として)",
    ];
    PATTERNS.iter().find_map(|pattern| {
        let found = Regex::new(pattern).ok()?.captures(prompt)?;
        found.get(1).map(|role| role.as_str().trim().to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_names_its_role_and_what_it_was_asked() {
        let answer = answer_to(
            "You are a security reviewer. Look.\n\n# 計画 🎏\n\"from\": \"qa\"\n\"from\": \"dev\"",
            "x",
        );
        assert!(
            answer.starts_with("# security reviewer: a plan\n\nThe task, as I read it: *You are a security"),
            "{answer}"
        );
        assert!(answer.contains("answers of 2 others") && answer.matches("\n\n").count() > 5, "{answer}");
        assert!(answer_to("あなたは建築家です。\n", "x").starts_with("# 建築家: "));
        assert!(
            answer_to("", "round1-qa")
                .starts_with("# round1-qa: a plan\n\nThe task, as I read it: *nothing*")
        );
    }
}
