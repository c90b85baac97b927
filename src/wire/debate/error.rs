//! What can go wrong in a debate: each with a code for programs, its words, and a cure.

use crate::wire::team_file::Language;
use serde::{Deserialize, Serialize};

/// What a debate may meet: ten errors, and a budget that is used up. `source` and `details` are what the tool itself said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum DebateError {
    #[error("the worktree of role `{role}` could not be made: {reason}")]
    WorktreeCreationFailed { role: String, reason: String },
    #[error("a worktree could not be removed: {reason}")]
    WorktreeRemovalFailed { reason: String },
    #[error("tmux failed in `{session}`: {reason}")]
    TmuxSessionFailed { session: String, reason: String },
    #[error("role `{role}` was not done in round {round} when its {seconds} seconds were over")]
    RoundExecutionTimeout { round: u8, role: String, seconds: u64 },
    #[error("the agent of role `{role}` crashed in round {round}: {details}")]
    AgentCrashed { round: u8, role: String, details: String },
    #[error("role `{role}` did not begin: {reason}")]
    BudgetUsedUp { role: String, reason: String },
    #[error("the context file {path} is damaged: {reason}")]
    ContextFileCorrupted { path: String, reason: String },
    #[error("the context of round {round} could not be loaded: {reason}")]
    ContextLoadFailed { round: u8, reason: String },
    #[error("input or output failed: {reason}")]
    Io { reason: String },
    #[error("the JSON could not be read or written: {reason}")]
    Json { reason: String },
    #[error("something unexpected happened: {reason}")]
    Unexpected { reason: String },
}

/// What stands in the place of an error that nobody printed.
const NO_DETAILS: &str = "it printed no error";
/// Most characters of what a tool printed that an error repeats: its last lines say why it ended.
pub const DETAILS_CHARS_MAX: usize = 2_000;

impl DebateError {
    /// An agent that crashed, with the end of what it printed on its standard error.
    #[must_use]
    pub fn crashed(round: u8, role: &str, stderr: &str) -> Self {
        Self::AgentCrashed { round, role: role.to_owned(), details: end_of(stderr) }
    }

    /// The word by which programs know it. It is part of the contract.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::WorktreeCreationFailed { .. } => "worktree-creation-failed",
            Self::WorktreeRemovalFailed { .. } => "worktree-removal-failed",
            Self::TmuxSessionFailed { .. } => "tmux-session-failed",
            Self::RoundExecutionTimeout { .. } => "round-execution-timeout",
            Self::AgentCrashed { .. } => "agent-crashed",
            Self::BudgetUsedUp { .. } => "budget-used-up",
            Self::ContextFileCorrupted { .. } => "context-file-corrupted",
            Self::ContextLoadFailed { .. } => "context-load-failed",
            Self::Io { .. } => "io-error",
            Self::Json { .. } => "json-error",
            Self::Unexpected { .. } => "unexpected-error",
        }
    }

    /// Its words in that language, for a report. What the tool itself said stays as it is.
    #[must_use]
    pub fn said_in(&self, language: Language) -> String {
        match language {
            Language::English => self.to_string(),
            Language::Japanese => self.in_japanese(),
        }
    }

    fn in_japanese(&self) -> String {
        match self {
            Self::WorktreeCreationFailed { role, reason } => {
                format!("役割 `{role}` の作業ツリーを作れませんでした：{reason}")
            }
            Self::WorktreeRemovalFailed { reason } => {
                format!("作業ツリーを削除できませんでした：{reason}")
            }
            Self::TmuxSessionFailed { session, reason } => {
                format!("`{session}` で tmux が失敗しました：{reason}")
            }
            Self::RoundExecutionTimeout { round, role, seconds } => {
                format!("役割 `{role}` は第 {round} ラウンドを {seconds} 秒以内に終えられませんでした")
            }
            Self::AgentCrashed { round, role, details } => {
                let details = if details == NO_DETAILS { "エラー出力なし" } else { details };
                format!("役割 `{role}` のエージェントが第 {round} ラウンドで異常終了しました：{details}")
            }
            // How much of it is used up is told with the figures of the debate.
            Self::BudgetUsedUp { role, .. } => {
                format!("予算を使い切ったため、役割 `{role}` は発言しませんでした")
            }
            Self::ContextFileCorrupted { path, reason } => {
                format!("コンテキストファイル {path} が壊れています：{reason}")
            }
            Self::ContextLoadFailed { round, reason } => {
                format!("第 {round} ラウンドのコンテキストを読み込めませんでした：{reason}")
            }
            Self::Io { reason } => format!("入出力に失敗しました：{reason}"),
            Self::Json { reason } => format!("JSON を読み書きできませんでした：{reason}"),
            Self::Unexpected { reason } => format!("予期しないエラーです：{reason}"),
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn cure(&self) -> &'static str {
        match self {
            Self::WorktreeCreationFailed { .. } => {
                "do what is said there, and debate again: a branch or folder of that name which is somebody else's is renamed or removed first; a repository needs one commit at least, and room on the disk"
            }
            Self::WorktreeRemovalFailed { .. } => {
                "end the programs that still use it, or unlock it; then `tasuki worktree prune` removes it, with `--repository DIR` in another repository than that of the workspace"
            }
            Self::TmuxSessionFailed { .. } => "see what `tasuki doctor` says of tmux, and debate again",
            Self::RoundExecutionTimeout { .. } => {
                "give roles more time (`--timeout 10m`), a faster model, or a smaller task"
            }
            Self::AgentCrashed { .. } => {
                "run the agent's program by hand with a short prompt: its login, model or quota may be at fault; the log of the role has all that it printed"
            }
            Self::BudgetUsedUp { .. } => {
                "debate again with a larger `budget`, fewer roles or fewer rounds; what was said so far stays"
            }
            Self::ContextFileCorrupted { .. } => {
                "restore the file, or ask for the outputs by the id of the debate: the journal has them"
            }
            Self::ContextLoadFailed { .. } => {
                "see whether the file is there and may be read; the journal has the outputs as well"
            }
            Self::Io { .. } => "fix what the system reports, then try again",
            Self::Json { .. } => "correct it there; a text from a program is best written by a JSON library",
            Self::Unexpected { .. } => {
                "see `tasuki log`; with `TASUKI_LOG=tasuki::flow=debug` it has each step"
            }
        }
    }
}

/// The end of a text, trimmed.
fn end_of(text: &str) -> String {
    let text = text.trim();
    let length = text.chars().count();
    if length == 0 {
        return NO_DETAILS.to_owned();
    }
    if length <= DETAILS_CHARS_MAX {
        return text.to_owned();
    }
    let end: String = text.chars().skip(length - DETAILS_CHARS_MAX).collect();
    format!("…{end}")
}

#[cfg(test)]
mod tests {
    use super::super::language;
    use super::*;
    use expect_test::expect;

    #[test]
    fn each_error_has_its_code_words_and_cure() {
        let [role, reason] = ["qa", "disk full"].map(str::to_owned);
        let all = [
            DebateError::WorktreeCreationFailed { role: role.clone(), reason: reason.clone() },
            DebateError::WorktreeRemovalFailed { reason: reason.clone() },
            DebateError::TmuxSessionFailed { session: "debate-1-r2-qa".into(), reason: reason.clone() },
            DebateError::RoundExecutionTimeout { round: 2, role: role.clone(), seconds: 300 },
            DebateError::BudgetUsedUp { role, reason: "the budget of costs is used up".into() },
            DebateError::crashed(1, "qa", &format!("{}\n認証に失敗\n", "x".repeat(5_000))),
            DebateError::ContextFileCorrupted { path: "context/a.json".into(), reason: reason.clone() },
            DebateError::ContextLoadFailed { round: 1, reason: reason.clone() },
            DebateError::Io { reason: reason.clone() },
            DebateError::Json { reason: reason.clone() },
            DebateError::Unexpected { reason },
        ];
        let mut told = String::new();
        for error in &all {
            let again: DebateError = serde_json::from_str(&serde_json::to_string(error).unwrap()).unwrap();
            assert_eq!(again, *error);
            let japanese = error.said_in(Language::Japanese);
            let is_kept = !error.to_string().contains("disk full") || japanese.contains("disk full");
            let own =
                japanese.replace("disk full", "").replace(&"x".repeat(1_994), "").replace("認証に失敗", "");
            assert!(
                is_kept && !own.contains(" role ") && language::of(&own) == Language::Japanese,
                "{japanese}"
            );
            assert_eq!(error.said_in(Language::English), error.to_string());
            assert!(!error.cure().is_empty() && !error.cure().ends_with('.'));
            let text = error.to_string().replace(&"x".repeat(1_994), "x…");
            told.push_str(&format!("{}: {text}\n", error.code()));
        }
        expect![[r#"
            worktree-creation-failed: the worktree of role `qa` could not be made: disk full
            worktree-removal-failed: a worktree could not be removed: disk full
            tmux-session-failed: tmux failed in `debate-1-r2-qa`: disk full
            round-execution-timeout: role `qa` was not done in round 2 when its 300 seconds were over
            budget-used-up: role `qa` did not begin: the budget of costs is used up
            agent-crashed: the agent of role `qa` crashed in round 1: …x…
            認証に失敗
            context-file-corrupted: the context file context/a.json is damaged: disk full
            context-load-failed: the context of round 1 could not be loaded: disk full
            io-error: input or output failed: disk full
            json-error: the JSON could not be read or written: disk full
            unexpected-error: something unexpected happened: disk full
        "#]]
        .assert_eq(&told);
        assert_eq!(
            DebateError::crashed(1, "qa", " \n").to_string(),
            "the agent of role `qa` crashed in round 1: it printed no error"
        );
    }
}
