//! The document of the API as a judge: of an answer's status, its type and its body, down to each field.

use serde_json::{Value, json};
use std::collections::BTreeSet;

/// An answer as it came.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) kind: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|why| panic!("{why}: {}", self.body))
    }
}

/// `protocol/openapi.json`, and which of its addresses were asked.
pub(crate) struct Document {
    whole: Value,
    asked: BTreeSet<String>,
}

impl Document {
    /// As it lies in the repository. An object that names its fields has no others.
    pub(crate) fn read() -> Self {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/protocol/openapi.json");
        let text = std::fs::read_to_string(path).expect("the document");
        let mut whole: Value = serde_json::from_str(&text).expect("JSON");
        close(&mut whole["components"]["schemas"]);
        Self { whole, asked: BTreeSet::new() }
    }

    /// Each address, as `get /api/status`.
    fn addresses(&self) -> impl Iterator<Item = (String, &Value)> {
        let paths = self.whole["paths"].as_object().expect("paths");
        paths.iter().flat_map(|(path, methods)| {
            let methods = methods.as_object().expect("methods").iter();
            methods.map(move |(method, operation)| (format!("{method} {path}"), operation))
        })
    }

    /// Those that nobody has asked.
    pub(crate) fn unasked(&self) -> Vec<String> {
        self.addresses().map(|(address, _)| address).filter(|address| !self.asked.contains(address)).collect()
    }

    /// What the document says of the address that a path is at: the one with the most words of its own.
    fn operation(&self, method: &str, path: &str) -> (String, &Value) {
        let path = path.split('?').next().unwrap_or_default();
        let fits = |(address, _): &(String, &Value)| {
            let Some((of, pattern)) = address.split_once(' ') else { return false };
            let (mut left, mut right) = (pattern.split('/'), path.split('/'));
            of == method.to_lowercase()
                && pattern.split('/').count() == path.split('/').count()
                && left.by_ref().zip(right.by_ref()).all(|(a, b)| a == b || a.starts_with('{'))
        };
        let found = self.addresses().filter(fits).min_by_key(|(address, _)| address.matches('{').count());
        found.unwrap_or_else(|| panic!("{method} {path} is not in the document"))
    }

    /// Holds an answer against it.
    pub(crate) fn judge(&mut self, method: &str, path: &str, answer: &Answer) {
        let (address, operation) = self.operation(method, path);
        let responses = &operation["responses"];
        let said = responses.get(answer.status.to_string());
        let is_done = said.is_some();
        assert!(is_done || answer.status >= 400, "{method} {path}: {} is not said", answer.status);
        let content = said.unwrap_or(&responses["default"])["content"].as_object().expect("content");
        let kind = answer.kind.split(';').next().unwrap_or_default().trim();
        let schema = content.get(kind).unwrap_or_else(|| panic!("{method} {path}: `{kind}` is not said"));
        let schema = schema["schema"].clone();
        match kind {
            "application/json" => self.check(&format!("{method} {path}"), &schema, &answer.json()),
            "text/event-stream" => {
                let data = answer.body.lines().filter_map(|line| line.strip_prefix("data: "));
                let data: Vec<Value> = data.map(|data| serde_json::from_str(data).expect(data)).collect();
                assert!(!data.is_empty(), "{method} {path}: no event: {}", answer.body);
                data.iter().for_each(|data| self.check(&format!("{method} {path}"), &schema, data));
            }
            _ => assert!(schema["type"] == "string" && !answer.body.is_empty(), "{method} {path}: {kind}"),
        }
        if is_done {
            self.asked.insert(address);
        }
    }

    fn check(&self, what: &str, schema: &Value, value: &Value) {
        let mut schema = schema.clone();
        schema["components"] = self.whole["components"].clone();
        let options = jsonschema::draft202012::options();
        let judge = options.should_validate_formats(true).build(&schema).expect("a schema");
        let found = judge.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path()));
        let found: Vec<String> = found.collect();
        assert!(found.is_empty(), "{what}: {found:#?}\n{value:#}");
    }
}

/// Says of each object that names its fields that it has no others.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.values_mut().for_each(close);
            if members.get("properties").is_some_and(Value::is_object)
                && !members.contains_key("additionalProperties")
            {
                members.insert("unevaluatedProperties".to_owned(), json!(false));
            }
        }
        Value::Array(values) => values.iter_mut().for_each(close),
        _ => {}
    }
}
