//! What reading and writing cost.

use crate::wire_events::samples::{accepted, message};
use std::hint::black_box;
use tasuki::engine::message::Body;
use tasuki::wire::events::{body_of, decode, encode};

/// Prints how long one message takes; only the answer is checked, for times on a shared machine prove nothing.
#[test]
fn what_a_message_of_1_kb_costs() {
    let line = "Read src/lib.rs and say in a few words what each module is for.\n";
    let latin = line.repeat(1_024 / line.len());
    let kana = "襷をつなぐ 🏃\n".repeat(48);
    for (what, text, extra) in [
        ("latin", &latin, ""),
        ("kana", &kana, ""),
        ("metadata", &latin, r#"{"metadata":{"category":"analysis","tags":["a","b"],"n":3}}"#),
    ] {
        let events = [accepted(message(), Body { content: text.as_str().into(), extra: extra.into() })];
        let payload = encode(&events);
        let encoding = nanoseconds(|| drop(black_box(encode(black_box(&events)))));
        let decoding = nanoseconds(|| drop(black_box(decode(black_box(&payload)))));
        let body = nanoseconds(|| drop(black_box(body_of(black_box(&payload), 0))));
        let bytes = payload.len();
        println!("{what}: {bytes} bytes, encode {encoding} ns, decode {decoding} ns, body_of {body} ns");
        assert_eq!(decode(&payload).unwrap(), events);
    }
}

/// The quickest of many short rounds: others may have the machine in the slower ones.
#[expect(clippy::disallowed_methods, reason = "measures; nothing waits for it")]
fn nanoseconds(work: impl Fn()) -> u128 {
    const TIMES: u32 = 20;
    let rounds = if cfg!(debug_assertions) { 20 } else { 5_000 };
    let round = |_| {
        let start = std::time::Instant::now();
        (0..TIMES).for_each(|_| work());
        start.elapsed().as_nanos() / u128::from(TIMES)
    };
    (0..rounds).map(round).min().unwrap_or_default()
}
