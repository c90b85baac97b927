//! Examples in the documentation and in each help: every call of the program, in words.

use std::fs;
use std::path::Path;

/// Lines that are no whole command: the reference goes on in the next row.
const LEFT_OUT: [&str; 1] = ["tasuki detect keep coder --state ready --frame"];

/// The words of a command line as a shell has them, up to where another command, a redirection or a comment begins.
fn shell_words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\'' | '"' => {
                let text = word.get_or_insert_default();
                text.extend(rest.by_ref().take_while(|end| *end != c));
            }
            '|' | '>' | '<' | ';' | '&' | ')' if word.as_deref() != Some("(") => break,
            '#' if word.is_none() => break,
            c if c.is_whitespace() => {
                words.extend(word.take());
                // A help tells on the right what an example does.
                if rest.peek() == Some(&' ') {
                    break;
                }
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    // The number of what is redirected.
    if words.last().is_some_and(|last| last == "2") && line.contains(" 2>") {
        words.pop();
    }
    words
}

/// Every call of the program in a text's line, wherever in it.
pub(crate) fn calls(line: &str) -> Vec<Vec<String>> {
    let starts = line.match_indices("tasuki ").map(|(at, _)| at);
    let is_start = |at: &usize| {
        let before = &line[..*at];
        let segment = before.rsplit([';', '|', '&', '(', '{']).next().unwrap_or_default();
        let comes_first =
            |word: &str| word.contains('=') || ["$", "then", "do", "exec", "env", "sudo"].contains(&word);
        (before.is_empty() || before.ends_with([' ', '(', '{']))
            && segment.split_whitespace().all(comes_first)
    };
    starts.filter(is_start).map(|at| shell_words(&line[at..])).collect()
}

/// Code of a page; of a help, the rows that are set in.
fn code(text: &str, is_help: bool) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut is_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if is_code && (!is_help || line.starts_with("  ")) {
            match lines.last_mut() {
                Some(last) if last.ends_with('\\') => {
                    last.pop();
                    last.push_str(line.trim_start());
                }
                _ => lines.push(line.trim().to_owned()),
            }
        }
    }
    lines
}

fn pages() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["", "docs", "protocol"].into_iter().flat_map(|folder| {
        let entries = fs::read_dir(root.join(folder)).expect("a folder");
        entries.flatten().map(|entry| entry.path())
    });
    let pages = folders.filter(|path| path.extension().is_some_and(|end| end == "md"));
    pages.map(|path| (path.display().to_string(), fs::read_to_string(&path).expect("a page"))).collect()
}

/// The calls of each page, each with the page and its line.
pub(crate) fn examples() -> Vec<(String, String, Vec<String>)> {
    let mut found = Vec::new();
    for (path, text) in pages() {
        for line in code(&text, path.ends_with("docs/cli.md")) {
            // What the reference prints of a usage is no example.
            if line.starts_with("Usage:")
                || line.ends_with("<COMMAND>")
                || line.contains(['…', '['])
                || LEFT_OUT.contains(&&*line)
            {
                continue;
            }
            found.extend(calls(&line).into_iter().map(|words| (path.clone(), line.clone(), words)));
        }
    }
    found
}
