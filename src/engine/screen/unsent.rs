//! What somebody has typed into a program and not entered, as far as the line of the cursor shows it. Asked only where a person's
//! key has reached the pane since nothing was there: a line that changed by itself is nobody's words.

use crate::engine::words::AgentName;

/// What a prompt ends with where the program's own is not known.
const PROMPT_ENDS: [char; 14] = ['$', '#', '%', '>', '❯', '➜', '»', '›', ':', ')', ']', '}', '✗', 'λ'];

/// What is in the line of the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stands {
    /// Nothing but what was there before.
    Nothing,
    /// Another prompt of the program, as after `cd`.
    Prompt,
    /// Somebody's words.
    Words(String),
}

/// What is in the line of the cursor. `above` is the last line above it that is not empty; `free` is what was in the line
/// when nobody's words did, if that is known.
#[must_use]
pub fn stands(line: &str, above: &str, free: Option<&str>) -> Stands {
    let line = line.trim_end();
    let free = free.map(str::trim_end);
    if line.is_empty() {
        return Stands::Nothing;
    }
    if let Some(rest) = free.and_then(|free| behind(line, free)) {
        let rest = rest.trim();
        return if rest.is_empty() { Stands::Nothing } else { Stands::Words(rest.to_owned()) };
    }
    let is_cut = free.is_some_and(|free| behind(free, line).is_some());
    if is_cut || line == above.trim_end() || is_prompt(line, free) {
        return Stands::Prompt;
    }
    Stands::Words(line.to_owned())
}

/// Stands for the words where a person began something that reads a line, and shows nothing of that.
pub const ASKS: &str = "(a line is read)";

/// Whether this is the prompt of a program that waits for the rest of what was begun: `>` and `quote>` of shells, `...` of Python.
#[must_use]
pub fn is_continuation(line: &str) -> bool {
    let line = line.trim();
    let of_a_shell = line
        .strip_suffix('>')
        .is_some_and(|before| before.chars().all(|c| c.is_ascii_lowercase() || c == ' '));
    of_a_shell || line == "..." || line == "...:"
}

/// Words that stand unsent, for people.
#[must_use]
pub fn told(words: &str, boxed: bool) -> String {
    if is_continuation(words) {
        return format!("draft: an unfinished line stands at its continuation prompt `{words}`");
    }
    if words == ASKS {
        return "draft: what somebody began in it reads a line".to_owned();
    }
    let place = if boxed { "its input box" } else { "its input" };
    format!("draft: somebody's unsent words are in {place}: `{words}`")
}

/// What a person can do about them.
#[must_use]
pub fn cure(words: &str, name: &AgentName) -> String {
    if is_continuation(words) || words == ASKS {
        return format!(
            "finish the line there, or leave it with Ctrl-C (`tasuki attach {name}`), which `tasuki pane clear-line {name}` does in a shell"
        );
    }
    format!("send or remove them there (`tasuki attach {name}`), or run `tasuki pane clear-line {name}`")
}

/// What is behind a prompt; numbers in it may be others, as those of a clock.
fn behind<'a>(line: &'a str, prompt: &str) -> Option<&'a str> {
    let is_digit = |c: char| c.is_ascii_digit();
    let (mut line, mut prompt) = (line, prompt);
    loop {
        let Some(next) = prompt.chars().next() else { return Some(line) };
        let found = line.chars().next()?;
        if is_digit(next) && is_digit(found) {
            (line, prompt) = (line.trim_start_matches(is_digit), prompt.trim_start_matches(is_digit));
        } else if next == found {
            (line, prompt) = (line.get(next.len_utf8()..)?, prompt.get(next.len_utf8()..)?);
        } else {
            return None;
        }
    }
}

/// Whether a line looks like a prompt and nothing else: it ends as that of its program does, and only there. A shell that waits
/// for the rest of a command says `>` or `quote>`.
fn is_prompt(line: &str, free: Option<&str>) -> bool {
    let own = free.and_then(|free| free.chars().next_back()).filter(|end| !end.is_alphanumeric());
    let Some(end) = line.chars().next_back() else { return true };
    let ends_so = own.map_or_else(|| PROMPT_ENDS.contains(&end), |own| own == end);
    let before = line.get(..line.len() - end.len_utf8()).unwrap_or_default();
    let waits_for_more = is_continuation(line);
    let ends_before =
        PROMPT_ENDS.iter().any(|mark| before.contains(&format!("{mark} ")) && *mark != ':' && *mark != ')');
    ends_so && !waits_for_more && !ends_before
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_not_finished_is_told_from_words() {
        for prompt in [">", "dquote>", "cmdand quote>", "...", "   ...:"] {
            assert!(is_continuation(prompt) && told(prompt, false).contains("unfinished line"), "{prompt}");
        }
        for words in ["> rm", "a>b", "$", ">>>", "Ab>", "rm ..."] {
            assert!(!is_continuation(words) && told(words, true).contains("in its input box: `"), "{words}");
        }
    }

    #[test]
    fn words_are_told_from_prompts() {
        let words = |text: &str| Stands::Words(text.to_owned());
        for (line, above, free, expected) in [
            ("$ echo rm -rf ~/", "", Some("$ "), words("echo rm -rf ~/")),
            ("$", "", Some("$ "), Stands::Nothing),
            ("", "done", Some("$ "), Stands::Nothing),
            ("please do not", "", Some(""), words("please do not")),
            ("[12:04] $", "", Some("[12:03] $ "), Stands::Nothing),
            ("[10:00] $ make 2", "", Some("[9:59] $ "), words("make 2")),
            ("~/src$", "", Some("~$ "), Stands::Prompt),
            ("~/src$ rm", "", Some("~$ "), words("~/src$ rm")),
            ("~/src$ echo $", "", Some("~$ "), words("~/src$ echo $")),
            // The rest of a command is awaited.
            (">", "$ echo \"a", Some("$ "), words(">")),
            ("dquote>", "", Some("a> "), words("dquote>")),
            ("...", ">>> def f():", Some(">>> "), words("...")),
            // What is not known ends as prompts do, or was above already.
            ("user@host:~$", "", None, Stands::Prompt),
            ("user@host:~$ rm", "", None, words("user@host:~$ rm")),
            ("please do not", "", None, words("please do not")),
            ("→ src ✓", "→ src ✓", Some("→ home ✓ x"), Stands::Prompt),
            // What was printed behind the prompt is gone again.
            ("$", "", Some("$ late"), Stands::Nothing),
            ("日本語", "", Some(""), words("日本語")),
        ] {
            let found = stands(line, above, free);
            let same = matches!(
                (&found, &expected),
                (Stands::Nothing | Stands::Prompt, Stands::Nothing | Stands::Prompt)
            );
            assert!(found == expected || same, "{line:?} behind {free:?}: {found:?}");
        }
    }
}
