//! What a profile says of asking its program once.

use super::kind::{AnswerIn, FailedRecord, Headless, LogOf, PromptBy};
use crate::wire::team_file::check;
use crate::wire::team_file::finding::{Book, Place};
use crate::wire::team_file::profile::patterns::pattern;
use crate::wire::team_file::profile::transcript::{Records, Scalar};
use crate::wire::team_file::values::At;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// How the program is asked once: `tasuki agent headless` runs this command for each task. It replaces the whole `headless` of the
/// base. Parts of a record are named with dots, and `*` is each part at its place: `stats.models.*.tokens.total`.
#[derive(Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Headless")]
pub(in crate::wire) struct HeadlessEntry {
    /// The command, one word per item; no shell reads it. `{tasuki}` is the path of tasuki itself, and `{model}` the model, which is
    /// needed then.
    command: At<Vec<String>>,
    /// Words to add to it where a model is given: `[--model, "{model}"]`. Default: none, and a model is refused
    model: Option<At<Vec<String>>>,
    /// How it gets its prompt: by its standard input (`stdin`) or as its last argument (`arg`), which holds 128 KiB. Default: `stdin`
    prompt: Option<PromptBy>,
    /// Where its answer is: `text` for all that it prints to its standard output, or a kind of JSON record. Default: `text`
    answer: Option<AnswerEntry>,
    /// Records that say that it failed, though it ended with exit code 0. An answer behind them takes them back. Default: none
    failed: Option<Vec<FailedEntry>>,
    /// Parts of its records with numbers of tokens. All that are there are added up. Default: none
    tokens: Option<Vec<At<String>>>,
    /// Parts with costs in US dollars, which are added up, too. Default: none
    cost: Option<Vec<At<String>>>,
    /// Environment variables of the command, besides those of the agent; `null` removes one.
    env: Option<BTreeMap<String, At<Option<String>>>>,
    /// What of its output the file `TASUKI_HEADLESS_LOG` gets: `all`, `stdout`, `stderr` or `none`. Default: `all`
    log: Option<LogOf>,
}

/// Where the answer is.
#[derive(Debug)]
enum AnswerEntry {
    Text,
    Records(AnswerRecord),
}

/// The records with the answer.
#[derive(Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "HeadlessAnswer")]
struct AnswerRecord {
    /// Parts that the record must have. Default: any record
    r#where: Option<BTreeMap<String, Scalar>>,
    /// Parts that it must not have.
    unless: Option<BTreeMap<String, Scalar>>,
    /// The part with the text: a string, or a list of strings and of records with a string `text`.
    text: At<String>,
    /// Which of several counts: the `last` one, or `all` of them together. Default: `last`
    take: Option<Take>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Take {
    Last,
    All,
}

/// Records of a failure.
#[derive(Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "HeadlessFailure")]
struct FailedEntry {
    /// Parts that the record must have.
    r#where: Option<BTreeMap<String, Scalar>>,
    /// Parts that it must not have.
    unless: Option<BTreeMap<String, Scalar>>,
    /// Parts that may say why; the first one that is there counts. With neither `where` nor `unless`, a record with such a part is
    /// a failure.
    reason: Option<Vec<At<String>>>,
    /// A regular expression that the reason has to match, where the records are those of good answers, too.
    matches: Option<At<String>>,
}

impl HeadlessEntry {
    /// Where its command stands.
    pub(in crate::wire::team_file) fn place(&self) -> Place {
        self.command.place
    }

    pub(in crate::wire) fn read(&self, book: &mut Book) -> Headless {
        let Self { command, model, .. } = self;
        for words in [Some(command), model.as_ref()].into_iter().flatten() {
            words.value.iter().for_each(|word| check::word(word, words.place, book));
        }
        if command.value.first().is_none_or(|program| program.trim().is_empty()) {
            book.wrong(
                command.place,
                "there is no program to ask",
                "write it first: `command: [claude, -p]`",
            );
        }
        let all = command.value.iter().chain(model.iter().flat_map(|model| &model.value));
        if all.into_iter().any(|word| word.contains("{prompt}")) {
            let cure = "say `prompt: stdin`, or `prompt: arg`, which puts it at the end";
            book.wrong(command.place, "`{prompt}` stands for nothing here", cure);
        }
        if let Some(model) =
            model.as_ref().filter(|model| !model.value.iter().any(|word| word.contains("{model}")))
        {
            book.wrong(
                model.place,
                "these words do not have the model in them",
                "write `[--model, \"{model}\"]`",
            );
        }
        for (name, value) in self.env.iter().flatten() {
            check::variable(name, value, book);
        }
        let paths = |paths: &Option<Vec<At<String>>>, book: &mut Book| -> Vec<String> {
            paths.iter().flatten().map(|path| read_path(path, book)).collect()
        };
        Headless {
            command: command.value.clone(),
            model_args: model.as_ref().map(|model| model.value.clone()).unwrap_or_default(),
            prompt: self.prompt.unwrap_or_default(),
            tokens: paths(&self.tokens, book),
            cost: paths(&self.cost, book),
            answer: self.answer.as_ref().map_or(AnswerIn::Text, |answer| answer.read(book)),
            failed: self.failed.iter().flatten().filter_map(|failed| failed.read(command, book)).collect(),
            env: self.env.iter().flatten().map(|(name, value)| (name.clone(), value.value.clone())).collect(),
            log: self.log.unwrap_or_default(),
        }
    }
}

impl AnswerEntry {
    fn read(&self, book: &mut Book) -> AnswerIn {
        let Self::Records(record) = self else { return AnswerIn::Text };
        let none = BTreeMap::new();
        let text = read_path(&record.text, book);
        let kind = Records::new(
            record.r#where.as_ref().unwrap_or(&none),
            record.unless.as_ref().unwrap_or(&none),
            text,
        );
        AnswerIn::Records { kind, all: record.take == Some(Take::All) }
    }
}

impl FailedEntry {
    fn read(&self, command: &At<Vec<String>>, book: &mut Book) -> Option<FailedRecord> {
        let none = BTreeMap::new();
        let (wanted, unwanted) =
            (self.r#where.as_ref().unwrap_or(&none), self.unless.as_ref().unwrap_or(&none));
        let reason: Vec<String> = self.reason.iter().flatten().map(|path| read_path(path, book)).collect();
        if wanted.is_empty() && unwanted.is_empty() && reason.is_empty() {
            let cure = "say by `where:` or `reason:` which records are meant";
            book.wrong(command.place, "an item of `failed:` of this command would be each record", cure);
            return None;
        }
        let matches = self.matches.as_ref().and_then(|text| pattern(text, book));
        Some(FailedRecord { kind: Records::new(wanted, unwanted, String::new()), reason, matches })
    }
}

/// A path of names with dots between.
fn read_path(path: &At<String>, book: &mut Book) -> String {
    if path.value.split('.').any(|name| name.trim().is_empty()) {
        let why = format!("`{}` does not name a part of a record", path.value.escape_debug());
        book.wrong(path.place, why, "write names with dots between, such as `usage.output_tokens`");
    }
    path.value.clone()
}

impl<'de> Deserialize<'de> for AnswerEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextOrRecords)
    }
}

/// Reads the one form or the other; an error is that of the form that was chosen, with its own line.
struct TextOrRecords;

impl<'de> Visitor<'de> for TextOrRecords {
    type Value = AnswerEntry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`text`, or a map with `text:` and `where:`")
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<AnswerEntry, E> {
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "lowercase")]
        enum Word {
            Text,
        }
        Word::deserialize(StrDeserializer::new(word)).map(|Word::Text| AnswerEntry::Text)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<AnswerEntry, A::Error> {
        AnswerRecord::deserialize(MapAccessDeserializer::new(map)).map(AnswerEntry::Records)
    }
}

impl JsonSchema for AnswerEntry {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "AnswerOf".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let records = generator.subschema_for::<AnswerRecord>();
        schemars::json_schema!({ "anyOf": [{ "const": "text" }, records] })
    }
}
