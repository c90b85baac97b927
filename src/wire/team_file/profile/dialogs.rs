//! What a profile says of dialogs: how their choices are drawn, and which of them are answered without a person.

use super::data::StandingAnswer;
use super::patterns::{pattern, patterns};
use crate::engine::screen::reading::{ChoiceList, ChoiceRules, Rule, Rules, ScreenState};
use crate::engine::suggest::did_you_mean;
use crate::wire::team_file::finding::Book;
use crate::wire::team_file::values::At;
use schemars::JsonSchema;
use serde::Deserialize;

/// How a program draws choices. Either a list, whose mark Up and Down move, or choices side by side, where Left and
/// Right do. The first group of `marked` and of `other` is a choice with its number.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Choices")]
pub(in crate::wire) struct ChoicesEntry {
    /// The choice of a list that Enter takes. If it is left out, the marked one has another background.
    marked: Option<At<String>>,
    /// Another choice of that list. It begins in the same column.
    other: Option<At<String>>,
    /// Whether choices have no numbers and each has a row below it that describes it, with a blank row between two.
    /// Default: `false`.
    described: Option<bool>,
    /// Rows with all choices side by side, each a group. The marked one has another background.
    in_row: Option<Vec<At<String>>>,
    /// Words of a choice, without its number, that say yes once, and to nothing more than is asked.
    yes: Option<Vec<At<String>>>,
    /// Words of a choice, without its number, that say no.
    no: Option<Vec<At<String>>>,
    /// Rules of dialogs that take a line of text. A person's answer is typed there.
    typed: Option<Vec<String>>,
    /// Those of them that ask for words after a choice that says no. After the answer `no`, Enter is pressed there.
    enter_after_no: Option<Vec<String>>,
    /// Words of a choice, without its number, that a text replaces once it is marked. An answer that is none of the
    /// choices is typed there.
    field: Option<Vec<At<String>>>,
    /// Words of the last choice of a list, without its number, that opens a line for a text in the row below. A
    /// person's answer is typed there once it is open.
    opens: Option<Vec<At<String>>>,
}

impl ChoicesEntry {
    pub(in crate::wire) fn read(&self, book: &mut Book) -> ChoiceRules {
        let mut maybe = |text: &Option<At<String>>| text.as_ref().map(|text| pattern(text, book));
        let (marked, other) = (maybe(&self.marked), maybe(&self.other));
        let list = match (marked, other) {
            (marked, Some(Some(other))) if marked != Some(None) => {
                let described = self.described == Some(true);
                Some(ChoiceList { marked: marked.flatten(), other, described })
            }
            (Some(_), None) => {
                let place = self.marked.as_ref().map(|marked| marked.place).unwrap_or_default();
                book.wrong(place, "this list has no `other`", "describe a choice that is not marked");
                None
            }
            _ => None,
        };
        let in_row = patterns(self.in_row.as_deref(), book);
        let (yes, no) = (patterns(self.yes.as_deref(), book), patterns(self.no.as_deref(), book));
        let field = patterns(self.field.as_deref(), book);
        let opens = patterns(self.opens.as_deref(), book);
        let typed = self.typed.clone().unwrap_or_default();
        let enter_after_no = self.enter_after_no.clone().unwrap_or_default();
        ChoiceRules { list, in_row, yes, no, typed, enter_after_no, field, opens }
    }
}

/// A dialog that is answered without a person.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "StandingAnswer")]
pub(in crate::wire) struct AnswerEntry {
    /// Rule of `screen` that recognises the dialog: `permission`. `tasuki detect explain` names it.
    rule: At<String>,
    /// Patterns that must match in its text, each in some row.
    see: Option<Vec<At<String>>>,
    /// Patterns for every row of its text. If they are given, each row must match one of them from its first letter to
    /// its last, so that nothing unexpected is answered.
    rows: Option<Vec<At<String>>>,
    /// `yes`, `no`, the number of a choice, or the words that a choice begins with.
    choose: At<String>,
}

impl AnswerEntry {
    /// What it means, with these rules.
    pub(in crate::wire) fn read(&self, rules: Option<&Rules>, book: &mut Book) -> Option<StandingAnswer> {
        let rule = &self.rule.value;
        let known = rules.iter().flat_map(|rules| &rules.rules);
        let asks = |known: &Rule| known.state == ScreenState::WaitingInput;
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
                "this is no choice",
                "write `yes`, `no`, a number, or a choice's words",
            );
            return None;
        }
        let whole = |row: &At<String>| At { value: format!("^(?:{})$", row.value), place: row.place };
        let rows: Option<Vec<At<String>>> = self.rows.as_ref().map(|rows| rows.iter().map(whole).collect());
        let (see, rows) = (patterns(self.see.as_deref(), book), patterns(rows.as_deref(), book));
        Some(StandingAnswer { rule: rule.clone(), see, rows, choose: self.choose.value.clone() })
    }
}
