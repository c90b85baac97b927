//! A message is in its events side by side with what else is said of it. No two of these may have a member of the same name:
//! one of them would be written twice, and its event could not be read back.

use crate::wire_events::samples::{accepted, finished, message, open, plain};
use serde::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;
use tasuki::engine::event::Event;
use tasuki::engine::life::Stage;
use tasuki::engine::message::Message;
use tasuki::engine::state::Progress;
use tasuki::engine::words::Millis;
use tasuki::wire::events::encode;
use tasuki::wire::message::draft::KEYS;

/// The members that a type asks for, whether they are ever written or not.
fn members<T: for<'de> Deserialize<'de>>() -> BTreeSet<&'static str> {
    let mut asked = None;
    let _ = T::deserialize(Asked(&mut asked));
    asked.expect("a plain struct").iter().copied().collect()
}

struct Asked<'a>(&'a mut Option<&'static [&'static str]>);

impl<'de> Deserializer<'de> for Asked<'_> {
    type Error = de::value::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Self::Error> {
        *self.0 = Some(fields);
        Err(de::Error::custom("it is known by now"))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
        Err(de::Error::custom("not a plain struct"))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// The members that an event is written with, each as often as it is.
struct Written(Vec<String>);

impl<'de> Deserialize<'de> for Written {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = Written;

            fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Written, A::Error> {
                let mut keys = Vec::new();
                while let Some((key, IgnoredAny)) = map.next_entry()? {
                    keys.push(key);
                }
                Ok(Written(keys))
            }
        }
        from.deserialize_map(Keys)
    }
}

/// What an event with the usual message is written with besides that.
fn beside_the_message(event: Event) -> BTreeSet<String> {
    let [Written(mut keys)] = serde_json::from_str(&encode(&[event])).unwrap();
    let Value::Object(own) = serde_json::to_value(message()).unwrap() else { panic!("an object") };
    for (name, _) in own {
        keys.remove(keys.iter().position(|key| *key == name).expect("all of the message"));
    }
    keys.into_iter().collect()
}

/// The members that two parts of an event share.
fn shared(event: &str, parts: &[(&str, BTreeSet<String>)]) -> Vec<String> {
    let pairs =
        parts.iter().enumerate().flat_map(|(at, one)| parts[..at].iter().map(move |other| (other, one)));
    let shared = pairs.flat_map(|((one, of_one), (other, of_other))| {
        of_one.intersection(of_other).map(move |name| {
            format!(
                "`{name}` is a member of {one} and of {other}, which stand in one object of the journal ({event}): \
                 give the new one another name there, with #[serde(rename = \"…\")]"
            )
        })
    });
    shared.collect()
}

fn all<T: for<'de> Deserialize<'de>>() -> BTreeSet<String> {
    members::<T>().into_iter().map(str::to_owned).collect()
}

#[test]
fn no_two_parts_of_an_event_have_a_member_of_the_same_name() {
    let (of_message, stage) = (all::<Message>(), all::<Stage>());
    let own = &beside_the_message(Event::KeptOpen(Box::new(open()))) - &stage;
    let kept =
        [("Message", of_message.clone()), ("Stage", stage), ("Progress", all::<Progress>()), ("Open", own)];
    let Event::Accepted { message, mut body, .. } = accepted(message(), plain("words")) else { panic!() };
    body.extra = r#"{"note":"x"}"#.into();
    let full = Event::Accepted {
        message,
        not_before: Millis(1),
        unmet: vec![open().message.id],
        name: Some("1-root-a.yaml".into()),
        unknown_keys: vec!["note".to_owned()],
        text: Some(open().body),
        given: Vec::new(),
        body,
    };
    let at_first = [("Message", of_message.clone()), ("Accepted", beside_the_message(full))];
    let ended = beside_the_message(Event::KeptFinished(Box::new(finished())));
    let ended = [("Message", of_message), ("Finished", ended)];
    let parts: [(&str, &[_]); 3] = [("kept_open", &kept), ("accepted", &at_first), ("kept_finished", &ended)];
    let found: Vec<String> = parts.iter().flat_map(|(event, parts)| shared(event, parts)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn all_members_are_seen_and_a_shared_one_is_told() {
    let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    assert!(all::<Message>().is_superset(&names(&["id", "type", "deadline", "retry_of", "inferred"])));
    assert!(all::<Progress>().is_superset(&names(&["attempts", "due", "typed_at", "note"])));
    assert_eq!(all::<Stage>(), names(&["stage", "not_before", "turn"]));
    let own = |event| beside_the_message(event);
    assert_eq!(own(Event::KeptOpen(Box::new(open()))), names(&["event", "stage", "body", "since"]));
    let found = shared(
        "kept_open",
        &[("A", names(&["a", "due"])), ("B", names(&["b", "due"])), ("C", names(&["c"]))],
    );
    assert!(found.len() == 1 && found[0].starts_with("`due` is a member of A and of B"), "{found:?}");
}

#[test]
fn every_member_of_a_message_is_read_from_a_drop_or_is_our_own() {
    let ours = ["accepted_at", "digest", "folder", "hops", "inferred", "step", "verified"];
    let called = |name: &'static str| match name {
        "sent_at" => "timestamp",
        "timeout_ms" => "timeout",
        same => same,
    };
    let read = members::<Message>().into_iter().filter(|name| !ours.contains(name)).map(called);
    let missing: Vec<&str> = read.filter(|name| !KEYS.contains(name)).collect();
    assert_eq!(
        missing, [""; 0],
        "not in `KEYS` of wire/message/draft.rs, so it would be kept as unknown too"
    );
}
