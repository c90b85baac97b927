//! The same message as JSON, from the socket: the same fields and checks as in a file, and a key is once here too.

use super::draft::draft;
use crate::engine::message::Draft;
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::words::{MessageId, Millis};
use crate::wire::yaml::place::{Place, shown};
use crate::wire::yaml::tree::{DEPTH_MAX, Entry, NODES_MAX, Node, Value};
use chrono::TimeZone;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value as Json};
use std::fmt;

/// Why a text is not read as JSON.
#[derive(Debug)]
pub enum Unread {
    NotJson(serde_json::Error),
    /// A key is twice in an object; which of the two is meant cannot be known.
    Twice(Refusal),
}

/// Reads JSON as `serde_json` does, apart from objects with a key twice: of those it would keep the last.
///
/// # Errors
/// See [`Unread`]; the refusal says which of the list's items is at fault, if it is a list.
pub fn parse(bytes: &[u8]) -> Result<Json, Unread> {
    let mut twice = None;
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let parsed =
        Once { twice: &mut twice }.deserialize(&mut reader).and_then(|value| reader.end().map(|()| value));
    parsed.map_err(|error| match twice {
        None => Unread::NotJson(error),
        Some(Twice { key, item }) => {
            let place = Place { line: error.line() as u64, column: error.column() as u64 };
            let why = format!("an object has the key {} twice", shown(&key));
            Unread::Twice(Refusal { document: item, ..place.refuse(Code::DuplicateKey, why) })
        }
    })
}

/// A key that was before, and in which item of the outermost list.
struct Twice {
    key: String,
    item: usize,
}

/// Reads a value in which each key is once. What was found is noted beside the error, whose text is the parser's own.
struct Once<'t> {
    twice: &'t mut Option<Twice>,
}

impl Once<'_> {
    fn again(&mut self) -> Once<'_> {
        Once { twice: &mut *self.twice }
    }

    /// Whoever is outermost says it last.
    fn inside(&mut self, item: usize) {
        if let Some(twice) = &mut self.twice {
            twice.item = item;
        }
    }
}

impl<'de> DeserializeSeed<'de> for Once<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Json, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Once<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Json, E> {
        Ok(Json::Bool(truth))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json, E> {
        Ok(Json::Number(number.into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json, E> {
        Ok(Json::Number(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Json, E> {
        Ok(Number::from_f64(number).map_or(Json::Null, Json::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::String(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        loop {
            match list.next_element_seed(self.again()) {
                Ok(None) => return Ok(Json::Array(items)),
                Ok(Some(item)) => items.push(item),
                Err(error) => {
                    self.inside(items.len());
                    return Err(error);
                }
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut object: A) -> Result<Json, A::Error> {
        let mut map = Map::new();
        while let Some(key) = object.next_key::<String>()? {
            if map.contains_key(&key) {
                *self.twice = Some(Twice { key, item: 0 });
                return Err(A::Error::custom("a key is there twice"));
            }
            let value = object.next_value_seed(self.again()).inspect_err(|_| self.inside(0))?;
            map.insert(key, value);
        }
        Ok(Json::Object(map))
    }
}

/// Reads a message that came as JSON, with `mint`, `now` and `here` as in [`super::draft::read`].
///
/// # Errors
/// The first refusal, with its field but without a line.
pub fn read<Z: TimeZone>(
    value: &Json,
    mint: &mut dyn FnMut() -> MessageId,
    now: Millis,
    here: &Z,
) -> Result<Draft, Refusal> {
    let mut nodes = 0;
    draft(&node(value, 0, &mut nodes)?, None, mint, now, here)
}

fn node<'a>(value: &'a Json, depth: usize, nodes: &mut usize) -> Result<Node<'a>, Refusal> {
    *nodes += 1;
    if *nodes > NODES_MAX {
        return Err(Refusal::new(Code::TooManyNodes, format!("there are more than {NODES_MAX} values")));
    }
    if depth >= DEPTH_MAX && (value.is_array() || value.is_object()) {
        return Err(Refusal::new(Code::TooDeep, format!("values are nested more than {DEPTH_MAX} deep")));
    }
    let value = match value {
        Json::Null => Value::Scalar { text: "null".into(), plain: true },
        Json::Bool(truth) => {
            Value::Scalar { text: if *truth { "true" } else { "false" }.into(), plain: true }
        }
        Json::Number(number) => Value::Scalar { text: number.to_string().into(), plain: true },
        Json::String(text) => Value::Scalar { text: text.into(), plain: false },
        Json::Array(items) => {
            Value::List(items.iter().map(|item| node(item, depth + 1, nodes)).collect::<Result<_, _>>()?)
        }
        Json::Object(map) => {
            let entry = |(key, value): (&'a String, &'a Json)| {
                Ok(Entry { key: key.into(), place: Place::default(), node: node(value, depth + 1, nodes)? })
            };
            Value::Map(map.iter().map(entry).collect::<Result<_, Refusal>>()?)
        }
    };
    Ok(Node { place: Place::default(), value, comment: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the key is twice, or that it does not.
    fn twice(text: &str) -> Option<(String, usize, Option<u64>)> {
        match parse(text.as_bytes()) {
            Ok(_) => None,
            Err(Unread::Twice(found)) => Some((found.why, found.document, found.line)),
            Err(Unread::NotJson(error)) => panic!("{text}: {error}"),
        }
    }

    #[test]
    fn a_key_that_stands_twice_is_found_at_every_depth() {
        for (text, key, item, line) in [
            (r#"{"to":"boss","to":"w"}"#, "`to`", 0, 1),
            ("{\"to\":\"boss\",\n\"\\u0074o\":\"w\"}", "`to`", 0, 2),
            (r#"{"metadata":{"a":{"b":1,"b":1}}}"#, "`b`", 0, 1),
            ("[{\"a\":1},{\"a\":[[0,{\"x\":1}],{\"y\":1,\n\n\"y\":2}]}]", "`y`", 1, 3),
            (r#"{"a":[1,2,{"":1,"":2}]}"#, "``", 0, 1),
            (
                "{\"\\u001b[2J at line 9 column 9\":1,\"\\u001b[2J at line 9 column 9\":2}",
                "`\\u{1b}[2J at line 9 column 9`",
                0,
                1,
            ),
        ] {
            let why = format!("an object has the key {key} twice");
            assert_eq!(twice(text), Some((why, item, Some(line))), "{text}");
        }
    }

    #[test]
    fn what_has_each_key_once_is_read_as_it_was() {
        for text in [
            r#"[{"a":{"k":1},"b":{"k":1}},{"a":2}]"#,
            r#"{"z":1,"y":[true,false,null],"x":{"to":"a","To":"b"," to":"c"}}"#,
            "[0,-0,-0.0,1.0,1e400e]",
            "[0,-0,-0.0,1.0,0.1,18446744073709551615,-9223372036854775808,18446744073709551616,1e308,5e-324]",
            "[1e999]",
            "\"\\ud83d\\ude00 \\u0000\"",
            "\"\\ud83d\"",
            "",
            "{\"a\":1} x",
            "{\"a\":1,}",
            "{1:2}",
            "\u{feff}{}",
        ] {
            let plain: Result<Json, _> = serde_json::from_slice(text.as_bytes());
            match (plain, parse(text.as_bytes())) {
                (Ok(plain), Ok(ours)) => assert_eq!(plain.to_string(), ours.to_string(), "{text}"),
                (Err(plain), Err(Unread::NotJson(ours))) => assert_eq!(plain.to_string(), ours.to_string()),
                (plain, ours) => panic!("{text}: {plain:?} {ours:?}"),
            }
        }
    }

    #[test]
    fn depth_has_the_parsers_own_limit() {
        let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(parse(deep(127).as_bytes()).is_ok());
        let Err(Unread::NotJson(error)) = parse(deep(100_000).as_bytes()) else { panic!("no limit") };
        assert!(error.to_string().contains("recursion limit"), "{error}");
    }
}
