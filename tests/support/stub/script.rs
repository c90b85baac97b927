//! What the stub is to say: one answer a turn.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// One answer, for one turn or for several.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    pub(crate) answer: Answer,
    pub(crate) turns: usize,
}

/// What becomes of a turn.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    /// Words, a tool call, or both.
    Said(Said),
    /// An error of the API, with headers such as `retry-after`.
    Refused { status: u16, headers: Vec<(&'static str, String)>, body: Refusal },
    /// No answer at all, until the stub ends.
    Hangs,
    /// The connection is cut before anything is said.
    Cut,
}

/// The body of an error.
#[derive(Debug, Clone)]
pub(crate) enum Refusal {
    /// In the form of the API that was asked.
    Plain { kind: &'static str, message: String },
    /// As it stands.
    Raw(Value),
}

/// Words, and how they come.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    pub(crate) text: String,
    /// Characters of a chunk, and the time before each.
    pub(crate) chunk: usize,
    pub(crate) pause: Duration,
    pub(crate) tool: Option<Tool>,
    /// What happens after the last word.
    pub(crate) then: Then,
    /// Which answer it is: programs take two of one name for the same.
    pub(crate) number: usize,
}

/// How a stream ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    Ends,
    Hangs,
    IsCut,
}

/// A call of one of the agent's tools.
#[derive(Debug, Clone)]
pub(crate) struct Tool {
    pub(crate) name: String,
    /// An object; a text for a tool that takes text as it is (Codex's `exec`).
    pub(crate) input: Value,
}

impl From<Answer> for Rule {
    fn from(answer: Answer) -> Self {
        Self { answer, turns: 1 }
    }
}

impl Answer {
    /// These words at once, in chunks of 40 characters.
    pub(crate) fn text(text: &str) -> Self {
        let pause = Duration::ZERO;
        Self::Said(Said { text: text.to_owned(), chunk: 40, pause, tool: None, then: Then::Ends, number: 0 })
    }

    /// A call of a tool.
    pub(crate) fn tool(name: &str, input: Value) -> Self {
        Self::text("").with(|said| said.tool = Some(Tool { name: name.to_owned(), input }))
    }

    /// The same, slowly.
    pub(crate) fn in_chunks(self, chunk: usize, pause: Duration) -> Self {
        assert!(chunk > 0 && pause <= Duration::from_secs(5), "a stub has bounds");
        self.with(|said| (said.chunk, said.pause) = (chunk, pause))
    }

    /// The same, but the stream does not end well.
    pub(crate) fn then(self, then: Then) -> Self {
        self.with(|said| said.then = then)
    }

    /// An error in the form of the API that is asked.
    pub(crate) fn status(status: u16, kind: &'static str, message: &str) -> Self {
        let body = Refusal::Plain { kind, message: message.to_owned() };
        Self::Refused { status, headers: Vec::new(), body }
    }

    /// An error with a body as it stands.
    pub(crate) fn raw(status: u16, body: Value) -> Self {
        Self::Refused { status, headers: Vec::new(), body: Refusal::Raw(body) }
    }

    /// The same error with a header.
    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        match &mut self {
            Self::Refused { headers, .. } => headers.push((name, value.to_owned())),
            other => panic!("only an error has headers: {other:?}"),
        }
        self
    }

    /// The same for so many turns.
    pub(crate) fn times(self, turns: usize) -> Rule {
        Rule { answer: self, turns }
    }

    fn with(mut self, change: impl FnOnce(&mut Said)) -> Self {
        match &mut self {
            Self::Said(said) => change(said),
            other => panic!("nothing is said: {other:?}"),
        }
        self
    }
}

impl Said {
    /// The same with the token of the last doorbell in the place of `{token}`.
    pub(crate) fn with_token(mut self, token: &str) -> Self {
        self.number = next_number();
        self.text = self.text.replace("{token}", token);
        if let Some(tool) = &mut self.tool {
            fill(&mut tool.input, token);
        }
        self
    }

    /// The words in their chunks.
    pub(crate) fn chunks(&self) -> Vec<String> {
        let letters: Vec<char> = self.text.chars().collect();
        letters.chunks(self.chunk).map(|chunk| chunk.iter().collect()).collect()
    }

    /// A short answer to what is asked beside the turns; a title is wanted as JSON by some.
    pub(crate) fn aside(json_is_wanted: bool) -> Self {
        let text = if json_is_wanted { json!({"title": "Work"}).to_string() } else { "Work".to_owned() };
        Self { text, chunk: 40, pause: Duration::ZERO, tool: None, then: Then::Ends, number: next_number() }
    }
}

fn next_number() -> usize {
    static GIVEN: AtomicUsize = AtomicUsize::new(0);
    1 + GIVEN.fetch_add(1, Ordering::Relaxed)
}

/// Puts a token in the place of `{token}` in each text of a tool's input.
fn fill(input: &mut Value, token: &str) {
    match input {
        Value::String(text) => *text = text.replace("{token}", token),
        Value::Object(map) => map.values_mut().for_each(|value| fill(value, token)),
        Value::Array(items) => items.iter_mut().for_each(|item| fill(item, token)),
        _ => {}
    }
}

/// The next answer of a script; one that is at its end says so, which no test takes for an answer.
pub(crate) fn next(script: &mut VecDeque<Rule>) -> Answer {
    match script.front_mut() {
        None => Answer::text("The script of the stub is at its end."),
        Some(rule) if rule.turns > 1 => {
            rule.turns -= 1;
            rule.answer.clone()
        }
        Some(_) => script.pop_front().map(|rule| rule.answer).expect("it was there"),
    }
}
