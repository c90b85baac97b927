//! What an agent said in turns of its task that ended without a claim. It belongs to the answer: whoever forgets its phrase and
//! is reminded says as a rule no more than that, and the answer is in the turn before.

use crate::engine::form::{self, is_default};
use crate::engine::screen::answer::kept;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Goes into an error between its cause and what the agent had said.
pub(in crate::engine) const SAID: &str = "\n\nWhat its agent said without reporting that it was done:\n\n";

/// The same where its agent had reported it as done, and a check did not bear that out.
pub(in crate::engine) const CLAIMED: &str = "\n\nWhat its agent reported as done:\n\n";

/// What its agent had said of a message that ended without being done, from the answer that tasuki made of that.
#[must_use]
pub fn said_before(answer: &str) -> Option<&str> {
    let said = answer.split_once(SAID).or_else(|| answer.split_once(CLAIMED));
    said.map(|(_, said)| said)
}

/// The texts of such turns, since the last one that was no reminder. At most four answers' bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// What was said in the turns before, together.
    #[serde(default = "nothing", skip_serializing_if = "str::is_empty", with = "form::shared")]
    pub before: Arc<str>,
    /// The newest turn of these.
    pub turn: u16,
    /// What was said in it, so far.
    #[serde(default = "nothing", skip_serializing_if = "str::is_empty", with = "form::shared")]
    pub text: Arc<str>,
    /// Whether the beginning of any of it could not be kept.
    #[serde(default, skip_serializing_if = "is_default")]
    pub truncated: bool,
    /// What was given as the answer while parts were open or their answers unread: it counts where nothing else is said.
    #[serde(default = "nothing", skip_serializing_if = "str::is_empty", with = "form::shared")]
    pub early: Arc<str>,
    /// What the agent's program showed in place of words, as that its model gave no answer: it counts where there is nothing else.
    #[serde(default = "nothing", skip_serializing_if = "str::is_empty", with = "form::shared")]
    pub notice: Arc<str>,
    /// Whether the beginning of that could not be kept.
    #[serde(default, skip_serializing_if = "is_default")]
    pub notice_cut: bool,
}

impl Said {
    /// What was said in turn `turn`, after what was said before. Of one turn the newest text counts: it has all of it.
    #[must_use]
    pub fn then(said: Option<&Self>, turn: u16, text: Arc<str>, truncated: bool) -> Self {
        let (before, cut) = match said {
            Some(said) => said.up_to(turn),
            None => ("".into(), false),
        };
        let earlier = said.cloned().unwrap_or_else(Self::nothing);
        Self { before, turn, text, truncated: truncated || cut, ..earlier }
    }

    /// The same, with an answer that came too early.
    #[must_use]
    pub fn with_early(said: Option<&Self>, early: Arc<str>) -> Self {
        Self { early, ..said.cloned().unwrap_or_else(Self::nothing) }
    }

    /// The same, with what the program showed in place of words in turn `turn`.
    #[must_use]
    pub fn with_notice(said: Option<&Self>, turn: u16, notice: Arc<str>, notice_cut: bool) -> Self {
        let mut said = said.cloned().unwrap_or_else(Self::nothing);
        if said.turn == turn {
            said.text = "".into(); // which was taken for its words
        }
        Self { notice, notice_cut, ..said }
    }

    fn nothing() -> Self {
        let nothing = nothing();
        let (before, text, early, notice) = (nothing.clone(), nothing.clone(), nothing.clone(), nothing);
        Self { before, turn: 0, text, truncated: false, early, notice, notice_cut: false }
    }

    /// What is left of it when the agent is asked for something else: an answer that came too early.
    #[must_use]
    pub fn asked_anew(&self) -> Option<Self> {
        (!self.early.is_empty()).then(|| Self::with_early(None, self.early.clone()))
    }

    /// All that was said, and whether its beginning is missing.
    #[must_use]
    pub fn whole(&self) -> (Arc<str>, bool) {
        let (whole, cut) = said_in_turns(self);
        if !whole.trim().is_empty() {
            return (whole, cut);
        }
        let instead = [(&self.early, false), (&self.notice, self.notice_cut)];
        let instead = instead.into_iter().find(|(text, _)| !text.is_empty());
        instead.map_or((whole, cut), |(text, cut)| (text.clone(), cut))
    }

    /// The answer to a task whose turn `turn` is claimed with this text.
    #[must_use]
    pub fn with(said: Option<&Self>, turn: u16, text: &Arc<str>, truncated: bool) -> (Arc<str>, bool) {
        let Some(said) = said else { return (text.clone(), truncated) };
        Self::then(Some(said), turn, text.clone(), truncated).whole()
    }

    /// What was said in turns before this one.
    fn up_to(&self, turn: u16) -> (Arc<str>, bool) {
        if self.turn < turn { said_in_turns(self) } else { (self.before.clone(), self.truncated) }
    }
}

fn nothing() -> Arc<str> {
    "".into()
}

/// What was said, without an answer that came too early.
fn said_in_turns(said: &Said) -> (Arc<str>, bool) {
    let (whole, cut) = joined(&said.before, &said.text);
    (whole, cut || said.truncated)
}

/// One text after the other, as two paragraphs. What is said again to the letter is said once.
fn joined(before: &Arc<str>, text: &Arc<str>) -> (Arc<str>, bool) {
    let says_all = |of: &str, whole: &str| {
        let rest = whole.strip_suffix(of.trim_end());
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('\n'))
    };
    if before.trim().is_empty() || says_all(before, text.trim_end()) {
        return (text.clone(), false);
    }
    if text.trim().is_empty() || says_all(text, before.trim_end()) {
        return (before.clone(), false);
    }
    let (whole, cut) = kept(format!("{}\n\n{text}", before.trim_end()));
    (whole.into(), cut)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::screen::answer::ANSWER_BYTES_MAX;

    fn told(turns: &[(u16, &str)]) -> (String, bool) {
        let mut said = None;
        for (turn, text) in turns {
            said = Some(Said::then(said.as_ref(), *turn, (*text).into(), false));
        }
        said.map_or((String::new(), false), |said| {
            let (text, cut) = said.whole();
            (text.to_string(), cut)
        })
    }

    #[test]
    fn turns_are_told_one_after_the_other_and_each_once() {
        let text = |turns: &[(u16, &str)]| told(turns).0;
        assert_eq!(text(&[(1, "It is 42."), (2, "")]), "It is 42.");
        assert_eq!(text(&[(1, ""), (2, "It is 42.")]), "It is 42.");
        assert_eq!(text(&[(1, "It is 42.\n"), (2, "And 43.")]), "It is 42.\n\nAnd 43.");
        assert_eq!(text(&[(1, "It is"), (1, "It is 42."), (2, "And 43.")]), "It is 42.\n\nAnd 43.");
        assert_eq!(text(&[(1, "a"), (2, "b"), (2, "b\nc"), (3, "d")]), "a\n\nb\nc\n\nd");
        assert_eq!(text(&[(1, "a\n答え"), (2, "a\n答え")]), "a\n答え", "said again to the letter");
        assert_eq!(text(&[(1, "a\n答え"), (2, "答え")]), "a\n答え", "its end said again");
        assert_eq!(text(&[(1, "答え"), (2, "So:\n答え")]), "So:\n答え", "said again behind other words");
        assert_eq!(text(&[(1, "14"), (2, "4")]), "14\n\n4", "which is no end of a line");
    }

    #[test]
    fn what_a_program_shows_in_place_of_words_counts_where_nothing_is_said() {
        let failed = Said::with_notice(None, 1, "API Error: 400".into(), true);
        assert!(failed.whole().1 && !Said::with(Some(&failed), 2, &"答え".into(), false).1);
        let shown = Said::then(None, 1, "API Error: 400".into(), false);
        let failed_after_all = Said::with_notice(Some(&shown), 1, "API Error: 400".into(), false);
        assert_eq!(&*Said::with(Some(&failed_after_all), 2, &"答え".into(), false).0, "答え");
        assert_eq!(&*failed.whole().0, "API Error: 400");
        assert_eq!(&*Said::with(Some(&failed), 2, &"".into(), false).0, "API Error: 400");
        assert_eq!(&*Said::with(Some(&failed), 2, &"答え".into(), false).0, "答え");
        let early = Said::with_early(Some(&failed), "It is 42.".into());
        assert_eq!(&*early.whole().0, "It is 42.");
        assert_eq!(failed.asked_anew(), None);
    }

    #[test]
    fn of_much_the_end_is_kept() {
        let long = "襷".repeat(ANSWER_BYTES_MAX / 3);
        let (text, cut) = told(&[(1, &long), (2, "the end")]);
        assert!(cut && text.len() <= ANSWER_BYTES_MAX && text.ends_with("襷\n\nthe end"));
    }
}
