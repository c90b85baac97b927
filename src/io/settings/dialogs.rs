//! What a profile says of dialogs: how their choices are drawn, and which of them are answered without a person.

use super::finding::Book;
use super::near::did_you_mean;
use super::profile::StandingAnswer;
use super::screen::{pattern, patterns};
use super::values::At;
use crate::engine::reading::{ChoiceRules, Choose, Rule, Rules, State};
use schemars::JsonSchema;
use serde::Deserialize;

/// How a program draws a list of choices. The first group of `marked` and of `other` is the choice with its number, and
/// begins in the same column in both.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Choices")]
pub(super) struct ChoicesEntry {
    /// The choice that Enter takes. Up and Down move the mark.
    marked: At<String>,
    /// Another choice.
    other: At<String>,
    /// The words of a choice, without its number, that say yes once and to nothing more than is asked.
    yes: Option<Vec<At<String>>>,
    /// The words of a choice, without its number, that say no.
    no: Option<Vec<At<String>>>,
}

impl ChoicesEntry {
    pub(super) fn read(&self, book: &mut Book) -> Option<ChoiceRules> {
        let (marked, other) = (pattern(&self.marked, book), pattern(&self.other, book));
        let (yes, no) = (patterns(self.yes.as_deref(), book), patterns(self.no.as_deref(), book));
        Some(ChoiceRules { marked: marked?, other: other?, yes, no })
    }
}

/// A dialog that is answered without a person.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "StandingAnswer")]
pub(super) struct AnswerEntry {
    /// The rule of `screen` that knows the dialog: `permission`. `tasuki detect explain` names it.
    rule: At<String>,
    /// What has to be seen in its text, each in some row.
    see: Option<Vec<At<String>>>,
    /// What may be seen in its text: if this is given, each row of it has to match one of these, so that nothing
    /// stands there that was not thought of.
    rows: Option<Vec<At<String>>>,
    /// `yes`, `no`, the number of a choice, or the words that one begins with.
    choose: At<String>,
}

impl AnswerEntry {
    /// What it means, with these rules.
    pub(super) fn read(&self, rules: Option<&Rules>, book: &mut Book) -> Option<StandingAnswer> {
        let rule = &self.rule.value;
        let known = rules.iter().flat_map(|rules| &rules.rules);
        let asks = |known: &Rule| known.state == State::WaitingInput;
        if !known.clone().any(|known| known.name == *rule && asks(known)) {
            let names: Vec<&str> =
                known.filter(|known| asks(known)).map(|known| known.name.as_str()).collect();
            let why = format!("there is no rule `{rule}` whose state is waiting_input");
            book.wrong(self.rule.place, why, did_you_mean(rule, names));
            return None;
        }
        if self.choose.value.trim().is_empty() {
            book.wrong(
                self.choose.place,
                "this chooses nothing",
                "write `yes`, `no`, a number, or a choice's words",
            );
            return None;
        }
        let (see, rows) = (patterns(self.see.as_deref(), book), patterns(self.rows.as_deref(), book));
        Some(StandingAnswer { rule: rule.clone(), see, rows, choose: Choose::read(&self.choose.value) })
    }
}
