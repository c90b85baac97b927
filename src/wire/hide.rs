//! An answer of the API without secrets, whatever field holds one: what a browser shows may be kept, filmed or shared.

use super::redact::Redactor;
use serde_json::{Map, Value};

/// Member that holds the rows of a screen, each a text or a list of runs.
const ROWS: &str = "rows";

/// Hides what looks like a secret in each text of an answer, in the way of screens and dialogs: character by character.
pub fn hide_in(answer: &mut Value) {
    hide(answer, &Redactor::default());
}

fn hide(value: &mut Value, redactor: &Redactor) {
    match value {
        Value::String(text) => {
            let shown = redactor.text(text);
            if shown != *text {
                *text = shown;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| hide(item, redactor)),
        Value::Object(members) => {
            let columns = columns_of(members);
            for (name, member) in members {
                hide(member, redactor);
                if name == ROWS {
                    hide_rows(member, columns, redactor);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Columns of the screen that is in this object; as many as there may be where it does not say.
fn columns_of(members: &Map<String, Value>) -> usize {
    let columns = members.get("size").and_then(|size| size.get(0)).and_then(Value::as_u64);
    columns.and_then(|columns| usize::try_from(columns).ok()).unwrap_or(usize::MAX)
}

/// A screen's rows belong together: a secret may go on in the next run and in the next row.
fn hide_rows(rows: &mut Value, columns: usize, redactor: &Redactor) {
    let Some(rows) = rows.as_array_mut() else { return };
    let texts: Vec<Vec<&str>> = rows.iter().map(texts_of).collect();
    let shown = redactor.runs(&texts, columns);
    for (row, shown) in rows.iter_mut().zip(shown) {
        put_texts(row, shown);
    }
}

fn texts_of(row: &Value) -> Vec<&str> {
    match row {
        Value::String(text) => vec![text],
        Value::Array(runs) => {
            runs.iter().map(|run| run.get("text").and_then(Value::as_str).unwrap_or_default()).collect()
        }
        _ => Vec::new(),
    }
}

fn put_texts(row: &mut Value, shown: Vec<String>) {
    match row {
        Value::String(text) => *text = shown.concat(),
        Value::Array(runs) => {
            for (run, shown) in runs.iter_mut().zip(shown) {
                if let Some(text) = run.get_mut("text") {
                    *text = Value::String(shown);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const KEY: &str = "sk-ant-api03-0123456789abcdefghij";

    fn hidden(mut value: Value) -> Value {
        hide_in(&mut value);
        value
    }

    #[test]
    fn no_field_shows_a_secret() {
        let stars = "*".repeat(KEY.len());
        let given = json!({
            "title": format!("run with {KEY}"),
            "message": {"content": format!("one\nexport API_KEY={KEY}\n鍵"), "hops": 3, "ok": true, "of": null},
            "list": [format!("{KEY}"), {"why": format!("https://me:{KEY}@host/x")}],
        });
        let shown = hidden(given);
        assert!(!shown.to_string().contains("sk-ant"), "{shown}");
        assert_eq!(shown["title"], format!("run with {stars}"));
        assert_eq!(shown["message"]["content"], format!("one\nexport API_KEY={stars}\n鍵"));
        assert_eq!((&shown["message"]["hops"], &shown["message"]["of"]), (&json!(3), &Value::Null));
    }

    #[test]
    fn a_secret_is_found_over_runs_and_rows() {
        let (first, rest) = KEY.split_at(16);
        let run = |text: &str, fg: &str| json!({"text": text, "columns": text.len(), "fg": fg});
        let screen = json!({
            "size": [20, 2],
            "rows": [[run("key ", "1"), run(&first[..7], "2"), run(&first[7..], "3")], [run(rest, "4"), run(" 襷", "5")]],
        });
        let shown = hidden(screen);
        let texts: Vec<Vec<&str>> = shown["rows"].as_array().unwrap().iter().map(texts_of).collect();
        let stars = |many: usize| "*".repeat(many);
        assert_eq!(texts, [vec!["key ", &stars(7), &stars(9)], vec![&stars(rest.len()), " 襷"]]);
        assert_eq!(shown["rows"][0][1]["fg"], "2");
        let pem = format!("{}aA1", "b".repeat(61));
        let look = hidden(json!({"rows": ["襷", pem, "-- ok"]}));
        assert_eq!(look["rows"], json!(["襷", stars(64), "-- ok"]));
    }

    #[test]
    fn what_is_no_secret_stays_to_the_letter() {
        let value = json!({
            "id": "msg-a1b2c3d4e5f6", "at": "2026-11-26T07:00:00Z", "token": "k7qf2m", "rows": 24, "size": "x",
            "text": "used 4000 tokens; token = parse(text)\n\tsee https://example.org/a:b@c 👩‍💻",
            "list": {"rows": [["odd"], 3, {"rows": []}, [{"columns": 2}]]},
        });
        assert_eq!(hidden(value.clone()), value);
    }
}
