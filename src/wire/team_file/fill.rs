//! Fills `{name}` and its like in commands, variables and system prompts. Braces that mean nothing to tasuki, as in JSON
//! or awk, stay as they are.

use crate::engine::suggest::nearest;
use std::borrow::Cow;

/// What may stand in braces.
const PLACEHOLDERS: [&str; 11] = [
    "tasuki",
    "name",
    "phrase",
    "root",
    "system_prompt",
    "system_prompt_file",
    "system_prompt_quoted",
    "agent_folder",
    "model",
    "permission_mode",
    "port",
];
/// What stands for `{port}` until the agent is started, which is when there is one. A NUL can stand in no other word.
pub(super) const PORT: &str = "\0port\0";

/// The texts of one agent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Values<'a> {
    /// The `tasuki` binary that runs.
    pub(super) tasuki: &'a str,
    /// The agent's name.
    pub(super) name: &'a str,
    pub(super) phrase: &'a str,
    /// The workspace.
    pub(super) root: &'a str,
    /// Its system prompt and the file of it, if it has one.
    pub(super) prompt: Option<(&'a str, &'a str)>,
    /// Its folder, where its program may find files.
    pub(super) folder: &'a str,
    /// Its model, if one is named.
    pub(super) model: Option<&'a str>,
    /// Its permission mode, if one is named.
    pub(super) permission_mode: Option<&'a str>,
}

impl Values<'_> {
    /// The text for a placeholder, none for one that this agent does not have.
    fn get(&self, placeholder: &str) -> Option<Cow<'_, str>> {
        let text = match placeholder {
            "tasuki" => Some(self.tasuki),
            "name" => Some(self.name),
            "phrase" => Some(self.phrase),
            "root" => Some(self.root),
            "agent_folder" => Some(self.folder),
            "model" => self.model,
            "permission_mode" => self.permission_mode,
            "port" => Some(PORT),
            "system_prompt" => self.prompt.map(|(text, _)| text),
            "system_prompt_quoted" => return self.prompt.map(|(text, _)| quoted(text).into()),
            _ => self.prompt.map(|(_, file)| file),
        };
        text.map(Cow::Borrowed)
    }
}

/// A text as a string of JSON that is one of TOML, too, which has a letter less.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

/// A filled text and what was noticed in it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Filled {
    pub(super) text: String,
    /// Placeholders that this agent has no text for.
    pub(super) missing: Vec<&'static str>,
    /// Words in braces that look like a placeholder, and the one that may be meant.
    pub(super) odd: Vec<(String, &'static str)>,
}

/// Fills `template` once: what is filled in is not looked at again.
pub(super) fn fill(template: &str, values: &Values<'_>) -> Filled {
    let mut filled = Filled::default();
    let mut rest = template;
    while let Some(at) = rest.find('{') {
        let (before, from) = rest.split_at(at);
        filled.text.push_str(before);
        rest = filled.take(from, values);
    }
    filled.text.push_str(rest);
    filled
}

impl Filled {
    /// Takes what begins with this brace and gives the rest.
    fn take<'t>(&mut self, from: &'t str, values: &Values<'_>) -> &'t str {
        let inner = from.strip_prefix("{{").and_then(|inner| inner.split_once("}}"));
        if let Some((word, rest)) = inner.filter(|(word, _)| PLACEHOLDERS.contains(word)) {
            self.text.push_str(&format!("{{{word}}}"));
            return rest;
        }
        let inner = from.strip_prefix('{').and_then(|inner| inner.split_once('}'));
        if let Some((word, rest)) = inner {
            if let Some(placeholder) = PLACEHOLDERS.into_iter().find(|placeholder| *placeholder == word) {
                let value = values.get(placeholder);
                self.missing.extend(value.is_none().then_some(placeholder));
                self.text.push_str(&value.unwrap_or_default());
                return rest;
            }
            if let Some(near) = nearest(word, PLACEHOLDERS) {
                self.odd.push((word.to_owned(), near));
            }
        }
        self.text.push('{');
        from.get(1..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: Values<'_> = Values {
        tasuki: "/bin/tasuki",
        name: "grand_boss",
        phrase: "{name} 襷",
        root: "/w",
        prompt: None,
        folder: "/w/f",
        model: None,
        permission_mode: None,
    };

    #[test]
    fn known_words_are_filled_once_and_others_stay() {
        for (template, text) in [
            ("{tasuki} --name={name}", "/bin/tasuki --name=grand_boss"),
            ("{phrase}", "{name} 襷"),
            ("{{name}} {name}}", "{name} grand_boss}"),
            (
                r#"{"a":{"b":1}} {print $1} ${HOME} {} { {{ }} 襷{"#,
                r#"{"a":{"b":1}} {print $1} ${HOME} {} { {{ }} 襷{"#,
            ),
            ("{root}{system_prompt_file}", "/w"),
            ("", ""),
        ] {
            assert_eq!(fill(template, &VALUES).text, text, "{template}");
        }
    }

    #[test]
    fn a_system_prompt_is_filled_as_text_and_as_file() {
        let values = Values { prompt: Some(("do {name}", "/w/p.md")), ..VALUES };
        assert_eq!(fill("{system_prompt}|{system_prompt_file}", &values).text, "do {name}|/w/p.md");
        let text = "C:\\temp\\new \"\"\"\n\ttab \u{1} \u{7f} 日本 🎏 {name} \"\"\"";
        let values = Values { prompt: Some((text, "/w/p.md")), ..VALUES };
        let filled = fill("x={system_prompt_quoted}", &values).text;
        let (_, written) = filled.split_once('=').unwrap();
        assert!(written.chars().all(|c| !c.is_control()), "one line: {written}");
        assert_eq!(serde_json::from_str::<String>(written).unwrap(), text);
    }

    #[test]
    fn missing_texts_and_likely_slips_are_noticed() {
        let filled = fill("a {system_prompt} {nmae} {phrases} {print}", &VALUES);
        assert_eq!(filled.missing, ["system_prompt"]);
        assert_eq!(filled.odd, [("nmae".to_owned(), "name"), ("phrases".to_owned(), "phrase")]);
        assert_eq!(filled.text, "a  {nmae} {phrases} {print}");
    }
}
