//! Examples of the documentation and of each help: every command line in them is one that the program takes, word by word. What
//! they do is what the tests of each verb run.

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
fn calls(line: &str) -> Vec<Vec<String>> {
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

fn refusal(words: &[String]) -> Option<String> {
    let error = tasuki::ui::cli::command().try_get_matches_from(words).err()?;
    let is_shown =
        matches!(error.kind(), clap::error::ErrorKind::DisplayHelp | clap::error::ErrorKind::DisplayVersion);
    (!is_shown).then(|| error.to_string())
}

#[test]
fn every_example_of_the_documentation_is_a_command_that_the_program_takes() {
    let (mut tried, mut wrong) = (0, Vec::new());
    for (path, text) in pages() {
        for line in code(&text, path.ends_with("docs/cli.md")) {
            // What the reference prints of a usage is no example.
            if line.starts_with("Usage:") || line.contains(['…', '[']) || LEFT_OUT.contains(&&*line) {
                continue;
            }
            for words in calls(&line) {
                tried += 1;
                wrong.extend(refusal(&words).map(|why| format!("{path}: {line}\n{words:?}\n{why}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(tried > 100, "only {tried} examples were found");
}

#[test]
fn an_example_is_cut_where_its_command_ends() {
    let words = |line: &str| calls(line).into_iter().map(|words| words.join("|")).collect::<Vec<_>>();
    assert_eq!(words("tasuki top --ascii             where the font lacks"), ["tasuki|top|--ascii"]);
    assert_eq!(words("tasuki send boss \"a b\" --wait > out  # c"), ["tasuki|send|boss|a b|--wait"]);
    assert_eq!(words("id=$(tasuki send a b) && tasuki show $id"), ["tasuki|send|a|b", "tasuki|show|$id"]);
    assert_eq!(words("x/tasuki up; LANG=C tasuki down"), ["tasuki|down"]);
    assert!(refusal(&["tasuki".to_owned(), "lst".to_owned()]).is_some());
}
