//! Damage is noticed, is never more than an error, and is told so that one knows where to look.

use crate::arbitrary;
use crate::wire_events::samples::{accepted, ended, message, plain};
use expect_test::expect;
use proptest::prelude::*;
use serde_json::Value;
use tasuki::engine::event::Event;
use tasuki::engine::message::Body;
use tasuki::wire::events::{
    DecodeError, FinishedScan, body_of, decode, decode_snapshot, encode, encode_snapshot,
};

proptest! {
    #[test]
    fn a_line_that_was_cut_is_noticed(events in arbitrary::events(), at in any::<prop::sample::Index>()) {
        let line = encode(&events);
        let cut = line.floor_char_boundary(at.index(line.len()));
        prop_assert!(decode(&line[..cut]).is_err(), "{:?}", &line[..cut]);
        prop_assert!(decode(&[&line, &line[cut..]].concat()).is_err());
        let line = encode_snapshot(&events);
        let cut = line.floor_char_boundary(at.index(line.len()));
        prop_assert!(decode_snapshot(&line[..cut]).is_err(), "{:?}", &line[..cut]);
    }

    #[test]
    fn damage_is_never_more_than_an_error(
        events in arbitrary::events(),
        hits in prop::collection::vec((any::<prop::sample::Index>(), byte()), 1..6),
    ) {
        let mut bytes = encode(&events).into_bytes();
        for (at, byte) in hits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        read_in_every_way(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_text_may_come(text in "\\PC{0,40}|[\\[{\":,}\\]a0\\\\ -]{0,40}") {
        read_in_every_way(&text);
    }
}

#[test]
fn errors_say_what_and_where() {
    let good = encode(&[ended()]);
    let with = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        good.replacen(from, to, 1)
    };
    let told = |line: &str| match decode(line) {
        Ok(events) => format!("{events:?}"),
        Err(error) => error.to_string(),
    };
    let said = [
        told("{}"),
        told("[1]"),
        told("[{}]"),
        told(r#"[{"event":"halted"},{"event":"exploded","id":"msg-1"}]"#),
        told(&with(r#""id":"msg-1""#, r#""id":"../etc""#)),
        told(&with(r#""id":"msg-1","#, "")),
        told(&with(r#""outcome":"completed""#, r#""outcome":"done""#)),
        told(&with(r#""source":"marker""#, r#""source":7"#)),
        told(&with(r#""content":"#, r#""contents":"#)),
        told(&with(r#""outcome":"completed""#, r#""outcome":"completed","extra":7"#)),
        told(&with(r#""id":"msg-1""#, r#""id":"msg-1","id":"msg-1""#)),
        told(&with(r#""id":"msg-1""#, r#""event":"ended","id":"msg-1""#)),
        told(r#"[{"event":"moved","id":"msg-1","to":"working","receipt":"read","why":"so"}]"#),
        told(r#"[{"event":"moved","id":"msg-1","to":"intent"}]"#),
        told(r#"[{"event":"refused","code":"no-such","why":""}]"#),
        told(r#"[{"event":"agent","name":"a","change":"launching","nonce":"3f2a"}]"#),
        told(
            r#"[{"event":"agent","name":"a","change":"up","nonce":"0000000000003f2a","pane":"%+5","process":{"pid":1,"start_ticks":1}}]"#,
        ),
        told(r#"[{"event":"agent","name":"a","change":"exploded"}]"#),
        told(&encode(&[accepted(message(), plain("x"))]).replace("00ff", "00FF")),
        decode_snapshot("{}").unwrap_err().to_string(),
        decode_snapshot("[]").unwrap_err().to_string(),
    ];
    expect![[r#"
        not a list of events (invalid type: map, expected a list of events at line 1 column 0): the line is damaged, or is not one of the journal's
        event 0 cannot be read (invalid type: integer `1`, expected an event at line 1 column 2): the line is damaged, or a newer tasuki wrote it
        event 0 cannot be read (it has no name in `event` at line 1 column 3): the line is damaged, or a newer tasuki wrote it
        event 1 is called `exploded`, which this version does not know: use the tasuki that wrote it
        event 0 cannot be read (the id "../etc" has '.' at byte 0, which is not allowed; use [a-z0-9][a-z0-9._-]{0,63} at line 1 column 31): the line is damaged, or a newer tasuki wrote it
        event 0 cannot be read (missing field `id` at line 1 column 161): the line is damaged, or a newer tasuki wrote it
        event 0 cannot be read (unknown variant `done`, expected one of `completed`, `failed`, `cancelled` at line 1 column 47): the line is damaged, or a newer tasuki wrote it
        event 0 cannot be read (invalid type: integer `7`, expected string or map at line 1 column 167): the line is damaged, or a newer tasuki wrote it
        event 0 cannot be read (missing field `content` at line 1 column 175): the line is damaged, or a newer tasuki wrote it
        event 0 cannot be read (`extra`: invalid type: integer `7`, expected a string at line 1 column 1): the line is damaged, or a newer tasuki wrote it
        event 0 cannot be read (duplicate field `id` at line 1 column 35): the line is damaged, or a newer tasuki wrote it
        event 0 cannot be read (`event` is there twice at line 1 column 25): the line is damaged, or a newer tasuki wrote it
        event 0 cannot be read (a move has more than one of `receipt`, `source` and `why` at line 1 column 74): the line is damaged, or a newer tasuki wrote it
        event 0 cannot be read (its `turn` is missing at line 1 column 45): the line is damaged, or a newer tasuki wrote it
        event 0 cannot be read (the code "no-such" is not known to this version at line 1 column 36): the line is damaged, or a newer tasuki wrote it
        event 0 cannot be read (the nonce "3f2a" is not 16 digits of 0-9a-f at line 1 column 65): the line is damaged, or a newer tasuki wrote it
        event 0 cannot be read (the pane "%+5" is not tmux's number of a pane, such as %5 at line 1 column 119): the line is damaged, or a newer tasuki wrote it
        event 0 cannot be read (unknown variant `exploded`, expected one of `launching`, `up`, `adopted`, `down`, `lost`, `blocked`, `answered`, `interrupted`, `hired`, `removed` at line 1 column 49): the line is damaged, or a newer tasuki wrote it
        event 0 cannot be read (the digest "00FF0123456789abcdef0123456789ab" is not 32 digits of 0-9a-f at line 1 column 161): the line is damaged, or a newer tasuki wrote it
        not a list of events (missing field `state` at line 1 column 2): the line is damaged, or is not one of the journal's
        not a list of events (invalid length 0, expected an object with `state` at line 1 column 2): the line is damaged, or is not one of the journal's"#]].assert_eq(&said.join("\n"));
    assert!(matches!(
        decode(r#"[{"event":"halted"},{"event":"exploded"}]"#),
        Err(DecodeError::UnknownEvent { index: 1, name }) if name == "exploded"
    ));
}

#[test]
fn an_extra_that_would_break_the_line_is_kept_as_a_text() {
    for bad in ["{\n}", "{", "{}{}", "{} ", " {}", "[]", "\"x\"", "null", "{\"a\":tru}", "日本"] {
        let events = [accepted(message(), Body { content: "x".into(), extra: bad.into() })];
        let line = encode(&events);
        serde_json::from_str::<Value>(&line).unwrap();
        assert_eq!(decode(&line).unwrap(), events, "{line}");
    }
}

#[test]
fn deep_nesting_does_not_end_the_program() {
    for deep in [
        "[",
        "{\"a\":",
        "[{\"event\":",
        "[{\"event\":\"agent\",\"x\":[",
        "[{\"event\":\"agent\",\"name\":\"a\",\"change\":{\"x\":",
    ] {
        read_in_every_way(&deep.repeat(100_000));
    }
    let inside = format!(r#"[{{"event":"halted","new":{}{}}}]"#, "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(decode(&inside).unwrap(), [Event::Halted { since: None, by: None }]);
}

fn read_in_every_way(text: &str) {
    let _ = decode(text);
    let _ = decode_snapshot(text);
    for index in [0, 1, 5, u32::MAX] {
        let _ = body_of(text, index);
    }
    let mut scan = FinishedScan::default();
    let _ = scan.snapshot(text);
    let _ = scan.step(text, |_, _| ());
}

/// Bytes that mean something to JSON, and any other.
fn byte() -> impl Strategy<Value = u8> {
    prop_oneof![prop::sample::select(b"\"\\[]{}:,0e-n ".to_vec()), any::<u8>()]
}
