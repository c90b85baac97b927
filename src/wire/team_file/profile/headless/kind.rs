//! How a program of one kind is asked once.

use crate::engine::screen::reading::Pattern;
use crate::wire::team_file::profile::transcript::Records;
use std::collections::BTreeMap;

/// Longest word that a program can be given, its NUL not counted (`MAX_ARG_STRLEN`, execve(2)).
const WORD_BYTES_MAX: usize = 128 * 1024 - 1;

/// How a program of one kind is asked once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Headless {
    /// The command; `{tasuki}` and `{model}` in it are filled in.
    pub command: Vec<String>,
    /// Words to add to it where there is a model.
    pub model_args: Vec<String>,
    pub prompt: PromptBy,
    /// Where its answer is in what it prints.
    pub answer: AnswerIn,
    /// What says that it failed, though it ended well.
    pub failed: Vec<FailedRecord>,
    /// Parts of its records with numbers of tokens, and with costs in US dollars; all that are there are added up.
    pub tokens: Vec<String>,
    pub cost: Vec<String>,
    /// Variables to set; `None` takes one away.
    pub env: BTreeMap<String, Option<String>>,
    /// What of its output a log gets, if one is kept.
    pub log: LogOf,
}

/// Where the answer is in what a program prints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerIn {
    /// All of it is the answer.
    Text,
    /// It prints records; the answer is in those of one kind.
    Records {
        kind: Records,
        /// Whether all of them together are the answer, and not the last one.
        all: bool,
    },
}

/// A kind of record that says that the program failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedRecord {
    pub kind: Records,
    /// Parts that may say why; the first one that does counts.
    pub reason: Vec<String>,
    /// What the reason has to be like, if that matters.
    pub matches: Option<Pattern>,
}

/// How a program is given its prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum PromptBy {
    /// By its standard input.
    #[default]
    Stdin,
    /// As its last argument.
    Arg,
}

/// What of a program's output a log gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum LogOf {
    /// Standard output and standard error, as they come.
    #[default]
    All,
    Stdout,
    Stderr,
    None,
}

impl LogOf {
    /// Whether the log gets the standard error, or else the standard output.
    #[must_use]
    pub fn takes(self, is_error: bool) -> bool {
        match self {
            Self::All => true,
            Self::None => false,
            Self::Stdout => !is_error,
            Self::Stderr => is_error,
        }
    }
}

/// What a program is started with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OneShotCommand {
    pub argv: Vec<String>,
    /// What it reads from its standard input.
    pub stdin: String,
}

impl Headless {
    /// The command for a prompt. `tasuki` is the program of that name that runs.
    ///
    /// # Errors
    /// Why this program cannot be asked so, with the cure.
    pub fn asked(&self, prompt: String, model: Option<&str>, tasuki: &str) -> Result<OneShotCommand, String> {
        let program = self.program();
        let words: Vec<&String> = match model {
            None if self.needs_model() => {
                return Err(format!(
                    "`{program}` is started with a model: name one by --model or TASUKI_HEADLESS_MODEL"
                ));
            }
            Some(model) if !self.takes_model() => {
                return Err(format!(
                    "it is not known how to give the model `{model}` to `{program}`: leave it out, or add `model:` to `headless:`"
                ));
            }
            None => self.command.iter().collect(),
            Some(_) => self.command.iter().chain(&self.model_args).collect(),
        };
        let fill =
            |word: &&String| word.replace("{tasuki}", tasuki).replace("{model}", model.unwrap_or_default());
        let mut argv: Vec<String> = words.iter().map(fill).collect();
        let (given, stdin) = match self.prompt {
            PromptBy::Stdin => (None, prompt),
            PromptBy::Arg => (Some(prompt), String::new()),
        };
        if let Some(given) = given {
            let bytes = given.len();
            if bytes > WORD_BYTES_MAX {
                return Err(format!(
                    "the prompt has {bytes} bytes, and `{program}` takes it as an argument, which has at most {WORD_BYTES_MAX}: shorten the task"
                ));
            }
            argv.push(given);
        }
        if argv.iter().any(|word| word.contains('\0')) {
            return Err(format!(
                "the command of `{program}` would have a NUL byte in it: take it out of the task"
            ));
        }
        Ok(OneShotCommand { argv, stdin })
    }

    /// Whether it is known how to give it a model.
    #[must_use]
    pub fn takes_model(&self) -> bool {
        !self.model_args.is_empty() || names_model(&self.command)
    }

    /// Whether it is started with one, and without one not at all.
    #[must_use]
    pub fn needs_model(&self) -> bool {
        names_model(&self.command)
    }

    /// What it is called where it is told of.
    #[must_use]
    pub fn program(&self) -> &str {
        let first = self.command.first().map_or("", String::as_str);
        let first = if first == "{tasuki}" { "tasuki" } else { first };
        first.rsplit('/').next().unwrap_or(first)
    }
}

fn names_model(words: &[String]) -> bool {
    words.iter().any(|word| word.contains("{model}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headless(command: &[&str], model: &[&str], prompt: PromptBy) -> Headless {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Headless {
            command: words(command),
            model_args: words(model),
            prompt,
            answer: AnswerIn::Text,
            failed: Vec::new(),
            tokens: Vec::new(),
            cost: Vec::new(),
            env: BTreeMap::new(),
            log: LogOf::All,
        }
    }

    #[test]
    fn a_command_has_its_model_and_the_prompt_where_it_belongs() {
        let by_input = headless(&["{tasuki}", "x"], &["--model", "{model}"], PromptBy::Stdin);
        let asked = by_input.asked("襷\n".into(), Some("opus"), "/bin/tasuki").unwrap();
        assert_eq!(asked.argv, ["/bin/tasuki", "x", "--model", "opus"]);
        assert_eq!((asked.stdin.as_str(), by_input.program()), ("襷\n", "tasuki"));
        assert_eq!(by_input.asked("p".into(), None, "/t").unwrap().argv, ["/t", "x"]);
        let by_word = headless(&["/a/run", "--"], &[], PromptBy::Arg);
        let asked = by_word.asked("--help {model}".into(), None, "/t").unwrap();
        assert_eq!(
            (asked.argv.as_slice(), asked.stdin.as_str()),
            (&["/a/run".into(), "--".into(), "--help {model}".into()][..], "")
        );
        for (refused, why) in [
            (by_word.asked("x".repeat(WORD_BYTES_MAX + 1), None, "/t"), "131072 bytes"),
            (by_word.asked("a\0b".into(), None, "/t"), "NUL byte"),
            (by_word.asked("a".into(), Some("opus"), "/t"), "not known how to give the model `opus`"),
            (
                headless(&["o", "{model}"], &[], PromptBy::Stdin).asked("a".into(), None, "/t"),
                "name one by --model",
            ),
        ] {
            assert!(refused.as_ref().is_err_and(|said| said.contains(why)), "{why}: {refused:?}");
        }
        assert!(by_word.asked("x".repeat(WORD_BYTES_MAX), None, "/t").is_ok());
    }
}
