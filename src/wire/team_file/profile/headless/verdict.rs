//! What is answered for a program that was asked once and has ended.

use super::kind::Headless;
use super::output::ReadOutput;
use crate::wire::clean::Cleaner;
use crate::wire::headless::failed::{ProgramEnd, ProgramFailure};
use crate::wire::headless::plain::plain;

/// What is told of a complaint, in bytes: its end has the cause.
const COMPLAINT_BYTES_MAX: usize = 4_096;

/// How the program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OneShotEnded {
    /// By itself, well.
    Well,
    /// By itself, in another way: `exit 3`, `killed by SIGSEGV`.
    Badly(String),
    /// It was ended, since this was over: `5m`.
    OutOfTime(String),
    /// A key broke it off.
    BrokenOff,
}

/// What is answered.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedAnswer {
    /// The answer, or why there is none.
    pub text: String,
    /// What it met, if there is none.
    pub failure: Option<ProgramFailure>,
    pub tokens: Option<u64>,
    pub cost_usd: Option<f64>,
}

impl JudgedAnswer {
    /// What is answered where there was no program to ask, and why.
    #[must_use]
    pub fn without_program(why: String) -> Self {
        let failure = Some(ProgramFailure::of(ProgramEnd::NotStarted));
        Self { text: why, failure, tokens: None, cost_usd: None }
    }
}

impl JudgedAnswer {
    /// What is answered where whoever asked the program was killed, and how.
    #[must_use]
    pub fn killed(how: &str) -> Self {
        let text =
            format!("what asked its program was killed twice, the last time by {how}; its program was ended");
        let exit = Some(how.to_owned());
        let failure = Some(ProgramFailure { cause: ProgramEnd::Crashed, exit, stderr: None });
        Self { text, failure, tokens: None, cost_usd: None }
    }
}

impl Headless {
    /// Judges by how it ended and by what it printed; of its standard error the end.
    #[must_use]
    pub fn judge(&self, ended: &OneShotEnded, stdout: &[u8], stderr: &[u8]) -> JudgedAnswer {
        let ReadOutput { answer, failed, tokens, cost_usd } = self.read(stdout);
        let program = self.program();
        let complaint = plain(&String::from_utf8_lossy(stderr));
        let failed =
            failed.or_else(|| self.failure_among(&complaint).filter(|_| *ended != OneShotEnded::Well));
        let complaint = end_of_text(&complaint);
        let is_over = matches!(ended, OneShotEnded::Well | OneShotEnded::Badly(_));
        // What it says itself in its records is more than what it complained of on the way.
        let because =
            failed.clone().map(|why| end_of_text(&why)).unwrap_or_else(|| match complaint.as_str() {
                "" if is_over && answer.is_empty() => end_of_text(&plain(&String::from_utf8_lossy(stdout))),
                "" => end_of_text(&answer),
                _ => complaint.clone(),
            });
        let (cause, why) = match ended {
            OneShotEnded::Well if failed.is_some() => {
                (ProgramEnd::Crashed, format!("`{program}` ended well and reports an error"))
            }
            OneShotEnded::Well if answer.is_empty() => {
                (ProgramEnd::Crashed, format!("`{program}` ended well and gave no answer"))
            }
            OneShotEnded::Well => return JudgedAnswer { text: answer, failure: None, tokens, cost_usd },
            OneShotEnded::Badly(how) => (ProgramEnd::Crashed, format!("`{program}` ended with {how}")),
            OneShotEnded::OutOfTime(limit) => {
                (ProgramEnd::TimedOut, format!("`{program}` did not end within {limit}"))
            }
            OneShotEnded::BrokenOff => (ProgramEnd::BrokenOff, format!("`{program}` was broken off")),
        };
        let text = if because.is_empty() { why } else { format!("{why}: {because}") };
        let exit = if let OneShotEnded::Badly(how) = ended { Some(how.clone()) } else { None };
        let stderr = Some(complaint).filter(|complaint| !complaint.is_empty());
        JudgedAnswer { text, failure: Some(ProgramFailure { cause, exit, stderr }), tokens, cost_usd }
    }

    /// What is answered where the program was not started, and why.
    #[must_use]
    pub fn not_started(&self, why: &str) -> JudgedAnswer {
        JudgedAnswer::without_program(format!("`{}` cannot be started: {why}", self.program()))
    }
}

/// The end of a text, from the beginning of a line where there is one, without what looks like a secret.
fn end_of_text(text: &str) -> String {
    let from = text.ceil_char_boundary(text.len().saturating_sub(COMPLAINT_BYTES_MAX));
    let end = text.get(from..).unwrap_or_default();
    let end = if from > 0 { end.split_once('\n').map_or(end, |(_, whole)| whole) } else { end };
    Cleaner::shared().map_or_else(|_| String::new(), |cleaner| cleaner.redact(end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::team_file::profile::built_in_profiles;

    fn text() -> Headless {
        let claude = built_in_profiles()["claude"].headless.clone().expect("its one-shot command");
        Headless {
            answer: super::super::kind::AnswerIn::Text,
            command: vec!["/opt/it".into()],
            ..(*claude).clone()
        }
    }

    #[test]
    fn each_end_is_told_with_its_cause() {
        let whole =
            |ended, stdout: &str, stderr: &str| text().judge(&ended, stdout.as_bytes(), stderr.as_bytes());
        let judge = |ended, stdout: &str, stderr: &str| whole(ended, stdout, stderr).text;
        let long = format!("first\n{}\n失敗 password=hunter22\n", "x".repeat(9_000));
        assert_eq!(
            judge(OneShotEnded::Well, "\u{1b}[1m# 計画\u{1b}[0m\r\n\nok\n", "a warning"),
            "# 計画\n\nok"
        );
        assert_eq!(
            judge(OneShotEnded::Well, " \n", "a warning"),
            "`it` ended well and gave no answer: a warning"
        );
        assert_eq!(
            judge(OneShotEnded::Badly("exit 3".into()), "half", &long),
            "`it` ended with exit 3: 失敗 password=[redacted]"
        );
        assert_eq!(judge(OneShotEnded::Badly("exit 3".into()), "why", ""), "`it` ended with exit 3: why");
        assert_eq!(judge(OneShotEnded::OutOfTime("5m".into()), "", ""), "`it` did not end within 5m");
        assert_eq!(judge(OneShotEnded::BrokenOff, "", ""), "`it` was broken off");
        let claude = built_in_profiles()["claude"].headless.clone().expect("its one-shot command");
        let said = |stdout: &str| claude.judge(&OneShotEnded::Well, stdout.as_bytes(), b"").text;
        assert_eq!(
            said("Credit balance is too low\n"),
            "`claude` ended well and gave no answer: Credit balance is too low"
        );

        let failure = |ended, stdout: &str, stderr: &str| whole(ended, stdout, stderr).failure;
        assert_eq!(failure(OneShotEnded::Well, "ok", "a warning"), None);
        let crashed = ProgramFailure {
            cause: ProgramEnd::Crashed,
            exit: Some("exit 3".into()),
            stderr: Some("失敗".into()),
        };
        assert_eq!(
            failure(OneShotEnded::Badly("exit 3".into()), "did not end within", "失敗"),
            Some(crashed)
        );
        let nothing = ProgramFailure::of(ProgramEnd::Crashed);
        assert_eq!(failure(OneShotEnded::Well, "", ""), Some(nothing));
        let late = ProgramFailure::of(ProgramEnd::TimedOut);
        assert_eq!(failure(OneShotEnded::OutOfTime("5m".into()), "half", ""), Some(late));
        let off = ProgramFailure::of(ProgramEnd::BrokenOff);
        assert_eq!(failure(OneShotEnded::BrokenOff, "", ""), Some(off));
    }
}
