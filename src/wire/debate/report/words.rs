//! The words of a report around what agents wrote, in the language of its task. What programs say stays as it is.

use super::super::dissent::Dissent;
use super::super::document::{CANCELLED, DebateStatus, NOT_ASKED, RoundOutput};
use super::form::DebateReport;
use crate::wire::team_file::Language;

/// Says things in one of both languages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words(Language);

impl Words {
    pub(super) fn of(report: &DebateReport<'_>) -> Self {
        Self(report.head.language)
    }

    /// The one of both that is in its language.
    pub(super) fn say<T>(self, english: T, japanese: T) -> T {
        match self.0 {
            Language::English => english,
            Language::Japanese => japanese,
        }
    }

    pub(super) fn status(self, status: &DebateStatus) -> &'static str {
        match status {
            DebateStatus::Completed => self.say("completed", "完了"),
            DebateStatus::Failed(_) => self.say("failed", "失敗"),
            DebateStatus::Cancelled => self.say("cancelled", "中止"),
            _ => self.say("under way", "進行中"),
        }
    }

    /// What a role says of the final plan.
    pub(super) fn stand(self, dissent: &Dissent) -> &'static str {
        match dissent {
            Dissent::Agrees => self.say("agrees", "合意"),
            Dissent::Disagrees(_) => self.say("dissents", "異議あり"),
            Dissent::Unsaid => self.say("did not say", "言及なし"),
        }
    }

    /// What became of a role that has not answered.
    pub(super) fn why_not(self, output: &RoundOutput) -> &'static str {
        match output.tasuki.code.as_deref() {
            Some(NOT_ASKED) => self.say("did not speak", "発言せず"),
            Some(CANCELLED) => self.say("was called off", "取り消し"),
            _ => self.say("failed", "失敗"),
        }
    }

    pub(super) fn round(self, round: u8) -> String {
        self.say(format!("Round {round}"), format!("第 {round} ラウンド"))
    }

    /// Where something failed; round 0 is the baseline.
    pub(super) fn failed_in(self, round: u8) -> String {
        if round == 0 { self.say("Baseline", "比較").to_owned() } else { self.round(round) }
    }

    /// So many of so many.
    pub(super) fn part(self, some: &str, all: &str) -> String {
        self.say(format!("{some} of {all}"), format!("{all} 中 {some}"))
    }

    /// How many of the places that somebody cites are there.
    pub(super) fn places(self, there: usize, cited: usize) -> String {
        self.say(
            format!("{there} of {cited} cited places exist"),
            format!("引用箇所 {cited} 件のうち {there} 件が実在"),
        )
    }

    pub(super) fn baseline(self) -> &'static str {
        self.say(
            "Baseline: one role alone, with the same budget",
            "比較：一つの役割だけに同じ予算で尋ねた答え",
        )
    }

    pub(super) fn failures(self) -> &'static str {
        self.say("What failed, and what is odd", "失敗と注意点")
    }

    pub(super) fn came_of_it(self) -> &'static str {
        self.say("What came of it", "結論")
    }

    pub(super) fn common(self) -> &'static str {
        self.say("Places that several final plans name", "複数の最終案が挙げる箇所")
    }
}
