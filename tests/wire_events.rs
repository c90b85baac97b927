//! The journal's form of the engine's events: it comes back as it was, people can read it, and damage is noticed.

mod support {
    pub(crate) mod arbitrary;
}

#[cfg(test)]
mod tests {
    use super::support::arbitrary;
    use expect_test::{Expect, expect};
    use proptest::prelude::*;
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    use serde_json::{Value, json};
    use std::collections::BTreeSet;
    use tasuki::engine::event::{AgentChange, Answer, Event, Why};
    use tasuki::engine::life::{CompletionSource, Move, Receipt, Stage, Turn, TurnKind};
    use tasuki::engine::message::{
        Body, BodyRef, Expect as Evidence, Kind, Known, Message, OnDoubt, Outcome, Priority,
    };
    use tasuki::engine::refusal::Code;
    use tasuki::engine::state::{Agent, Counts, Open, Phase, Told};
    use tasuki::engine::words::{
        AgentName, Digest, MessageId, Millis, Nonce, PaneId, ProcessKey, Seq, Token,
    };
    use tasuki::io::wire::events::{
        DecodeError, FinishedScan, body_of, decode, decode_snapshot, encode, encode_snapshot,
    };

    /// 2026-02-02T12:00:00Z.
    const NOON: u64 = 1_770_033_600_000;

    proptest! {
        #[test]
        fn events_come_back_as_they_were(events in arbitrary::events()) {
            let line = encode(&events);
            prop_assert!(line.bytes().all(|byte| byte >= b' '), "{line:?}");
            prop_assert_eq!(decode(&line).unwrap(), &events[..], "{}", line);
            let line = encode_snapshot(&events);
            prop_assert!(line.bytes().all(|byte| byte >= b' '), "{line:?}");
            prop_assert_eq!(decode_snapshot(&line).unwrap(), events, "{}", line);
        }

        #[test]
        fn a_body_is_found_by_its_place_alone(events in arbitrary::events()) {
            let line = encode(&events);
            for (index, event) in (0..).zip(&events) {
                prop_assert_eq!(body_of(&line, index), body(event), "{} of {}", index, line);
            }
            prop_assert_eq!(body_of(&line, u32::try_from(events.len()).unwrap()), None);
        }

        #[test]
        fn a_line_that_was_cut_is_noticed(events in arbitrary::events(), at in any::<prop::sample::Index>()) {
            let line = encode(&events);
            let cut = line.floor_char_boundary(at.index(line.len()));
            prop_assert!(decode(&line[..cut]).is_err(), "{:?}", &line[..cut]);
            prop_assert!(decode(&[&line, &line[cut..]].concat()).is_err());
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

        #[test]
        fn what_a_newer_version_adds_is_passed_over(events in arbitrary::events()) {
            let line = encode(&events);
            // Numbers beyond 64 bits, which only a broken `extra` has, do not survive the detour that this test takes.
            if let Ok(mut value) = serde_json::from_str::<Value>(&line)
                && value.to_string() == line
            {
                grow(&mut value);
                prop_assert_eq!(decode(&value.to_string()).unwrap(), events, "{}", value);
            }
        }
    }

    #[test]
    fn every_event_is_drawn_and_has_its_name() {
        let mut runner = TestRunner::deterministic();
        let mut seen = BTreeSet::new();
        for _ in 0..400 {
            let event = arbitrary::event().new_tree(&mut runner).unwrap().current();
            let line = encode(std::slice::from_ref(&event));
            assert!(line.starts_with(&format!(r#"[{{"event":"{}""#, name(&event))), "{line}");
            seen.insert(name(&event));
        }
        assert_eq!(seen.len(), 9, "{seen:?}");
    }

    #[test]
    fn words_are_those_of_the_contract() {
        for receipt in [Receipt::EnterOnly, Receipt::Echoed, Receipt::Read, Receipt::Acknowledged] {
            let line = encode(&[moved(Move::Take, Why::Receipt(receipt))]);
            assert!(line.contains(&format!(r#""receipt":"{}""#, receipt.word())), "{line}");
        }
        for source in [
            CompletionSource::Reply,
            CompletionSource::Hook,
            CompletionSource::Marker,
            CompletionSource::ProcessExit,
            CompletionSource::Idle,
        ] {
            let line = encode(&[moved(Move::Claim, Why::Source(source))]);
            assert!(line.contains(&format!(r#""source":"{}""#, source.word())), "{line}");
        }
        for kind in TurnKind::ALL {
            let line = encode(&[moved(Move::Intend(Turn { kind, ..turn() }), Why::Plain)]);
            assert!(line.contains(&format!(r#""kind":"{}""#, kind.as_str())), "{line}");
        }
        for kind in [Kind::Task, Kind::Info, Kind::Result, Kind::Error] {
            let line = encode(&[accepted(Message { kind, ..message() }, plain("x"))]);
            assert!(line.contains(&format!(r#""type":"{}""#, kind.word())), "{line}");
        }
        for outcome in [Outcome::Completed, Outcome::Failed, Outcome::Cancelled] {
            let line = encode(&[Event::Ended { id: id("a"), outcome, answer: None, why: None }]);
            assert!(line.contains(&format!(r#""outcome":"{}""#, outcome.word())), "{line}");
        }
        for stage in stages() {
            let line = encode(&[Event::KeptOpen(Box::new(Open { stage, ..open() }))]);
            assert!(line.contains(&format!(r#""stage":"{}""#, stage.word())), "{line}");
        }
    }

    #[test]
    fn the_usual_life_of_a_message() {
        check(
            &[
                accepted(message(), plain("Analyse \"src\".\n襷をつなぐ 🏃")),
                Event::Moved {
                    id: id("msg-1"),
                    to: Move::Intend(turn()),
                    agent: Some(agent("coder")),
                    due: None,
                    why: Why::Plain,
                },
                moved(Move::Submit, Why::Receipt(Receipt::Read)),
                moved(Move::Take, Why::Receipt(Receipt::Read)),
                moved(Move::Rest, Why::Text("its turn is over; 1 parts are open".into())),
                moved(Move::Claim, Why::Source(CompletionSource::Marker)),
                moved(Move::Verify, Why::Source(CompletionSource::Marker)),
                ended(),
            ],
            &expect![[r#"
                {"event":"accepted","id":"msg-1","from":"user","to":"coder","type":"task","accepted_at":1770033600000,"digest":"00ff0123456789abcdef0123456789ab","content":"Analyse \"src\".\n襷をつなぐ 🏃"}
                {"event":"moved","id":"msg-1","to":"intent","agent":"coder","turn":{"number":1,"kind":"task","token":"k7qf2m"}}
                {"event":"moved","id":"msg-1","to":"submitted","receipt":"read"}
                {"event":"moved","id":"msg-1","to":"working","receipt":"read"}
                {"event":"moved","id":"msg-1","to":"waiting","why":"its turn is over; 1 parts are open"}
                {"event":"moved","id":"msg-1","to":"claimed","source":"marker"}
                {"event":"moved","id":"msg-1","to":"verified","source":"marker"}
                {"event":"ended","id":"msg-1","outcome":"completed","answer":{"id":"msg-2","type":"result","from":"coder","source":"marker","at":1770033690000},"content":"Done: 3 modules."}"#]],
        );
    }

    #[test]
    fn what_goes_wrong() {
        check(
            &[
                Event::Duplicate { id: id("msg-1"), name: Some("plan.yaml".into()) },
                Event::Refused {
                    name: Some("plan.yaml".into()),
                    from: Some(agent("coder")),
                    code: Code::NoRoute,
                    why: "coder may not task boss".into(),
                },
                moved(Move::Withdraw, Why::Text("a person is typing".into())),
                moved(Move::Retry { not_before: Millis(NOON + 1_000), redelivered: true }, Why::Plain),
                moved(Move::Doubt, Why::Text("no echo within 3 s".into())),
                moved(Move::Hold, Why::Plain),
                moved(Move::Reopen, Why::Text("cargo test failed".into())),
                moved(Move::Finish(Outcome::Cancelled), Why::Plain),
                Event::Ended {
                    id: id("msg-1"),
                    outcome: Outcome::Cancelled,
                    answer: None,
                    why: Some("cancelled by user".into()),
                },
                Event::Halted(Some(Millis(NOON))),
                Event::Halted(None),
            ],
            &expect![[r#"
                {"event":"duplicate","id":"msg-1","name":"plan.yaml"}
                {"event":"refused","name":"plan.yaml","from":"coder","code":"no-route","why":"coder may not task boss"}
                {"event":"moved","id":"msg-1","to":"withdrawn","why":"a person is typing"}
                {"event":"moved","id":"msg-1","to":"retrying","not_before":1770033601000,"redelivered":true}
                {"event":"moved","id":"msg-1","to":"in_doubt","why":"no echo within 3 s"}
                {"event":"moved","id":"msg-1","to":"held"}
                {"event":"moved","id":"msg-1","to":"reopened","why":"cargo test failed"}
                {"event":"moved","id":"msg-1","to":"cancelled"}
                {"event":"ended","id":"msg-1","outcome":"cancelled","why":"cancelled by user"}
                {"event":"halted","since":1770033600000}
                {"event":"halted","since":null}"#]],
        );
    }

    #[test]
    fn a_message_with_everything() {
        let full = Message {
            sent_at: Some(Millis(NOON - 5)),
            in_reply_to: Some(id("msg-0")),
            parent: Some(id("msg-p")),
            depends_on: vec![id("msg-a"), id("msg-b")],
            priority: Priority::High,
            timeout_ms: Some(90_000),
            deadline: Some(Millis(NOON + 3_600_000)),
            on_doubt: OnDoubt::Hold,
            expect: Some(Box::new(Evidence {
                commit: true,
                files: vec!["src/日本.rs".into()],
                command: vec!["cargo".into(), "test".into()],
                report: Some("docs/report.md".into()),
            })),
            hops: 2,
            verified: true,
            retry_of: Some(id("msg-old")),
            ..message()
        };
        let event = Event::Accepted {
            message: Box::new(full),
            body: Body {
                content: "go".into(),
                extra: r#"{"metadata":{"z":1,"a":0.30000000000000004,"big":123456789012345678901},"colour":"red"}"#
                    .into(),
            },
            not_before: Millis(NOON + 60_000),
            unmet: vec![id("msg-b")],
            name: Some("boss_to_coder.yaml".into()),
            unknown_keys: vec!["colour".into()],
        };
        check(
            &[event],
            &expect![[
                r#"{"event":"accepted","id":"msg-1","from":"user","to":"coder","type":"task","in_reply_to":"msg-0","parent":"msg-p","retry_of":"msg-old","depends_on":["msg-a","msg-b"],"priority":"high","sent_at":1770033599995,"accepted_at":1770033600000,"timeout_ms":90000,"deadline":1770037200000,"on_doubt":"hold","expect":{"commit":true,"files":["src/日本.rs"],"command":["cargo","test"],"report":"docs/report.md"},"hops":2,"verified":true,"digest":"00ff0123456789abcdef0123456789ab","not_before":1770033660000,"unmet":["msg-b"],"name":"boss_to_coder.yaml","unknown_keys":["colour"],"content":"go","extra":{"metadata":{"z":1,"a":0.30000000000000004,"big":123456789012345678901},"colour":"red"}}"#
            ]],
        );
    }

    #[test]
    fn what_happens_to_agents() {
        let process = ProcessKey { pid: 4242, start_ticks: 987_654 };
        let changes = [
            AgentChange::Launching { nonce: Nonce(0x3f2a) },
            AgentChange::Up { nonce: Nonce(0x3f2a), pane: PaneId(5), process },
            AgentChange::Adopted,
            AgentChange::Down { why: "exit 1".into(), restart_at: Some(Millis(NOON + 1_000)), wanted: false },
            AgentChange::Down { why: "stopped by user".into(), restart_at: None, wanted: true },
            AgentChange::Lost { why: "the tmux server ended".into() },
            AgentChange::Blocked { why: Some("it asks for a login".into()) },
            AgentChange::Blocked { why: None },
            AgentChange::Removed,
        ];
        let events = changes.map(|change| Event::Agent { name: agent("coder"), change });
        check(
            &events,
            &expect![[r#"
            {"event":"agent","name":"coder","change":"launching","nonce":"0000000000003f2a"}
            {"event":"agent","name":"coder","change":"up","nonce":"0000000000003f2a","pane":"%5","process":{"pid":4242,"start_ticks":987654}}
            {"event":"agent","name":"coder","change":"adopted"}
            {"event":"agent","name":"coder","change":"down","why":"exit 1","restart_at":1770033601000}
            {"event":"agent","name":"coder","change":"down","why":"stopped by user","wanted":true}
            {"event":"agent","name":"coder","change":"lost","why":"the tmux server ended"}
            {"event":"agent","name":"coder","change":"blocked","why":"it asks for a login"}
            {"event":"agent","name":"coder","change":"blocked","why":null}
            {"event":"agent","name":"coder","change":"removed"}"#]],
        );
    }

    #[test]
    fn a_snapshot() {
        let full = Open {
            stage: Stage::Waiting(turn()),
            attempts: 1,
            agent: Some(agent("coder")),
            tokens: vec![token()],
            due: Some(Millis(NOON + 1_800_000)),
            children: 1,
            unread: vec![id("msg-2")],
            answers: vec![Told {
                child: id("msg-2"),
                from: agent("tester"),
                outcome: Outcome::Completed,
                body: BodyRef { seq: Seq(9), index: 2 },
            }],
            unmet: vec![id("msg-3")],
            turns: 1,
            reminded: true,
            note: Some("two parts".into()),
            ..open()
        };
        let queued = Open { stage: Stage::Queued { not_before: Millis(NOON), redo: Some(turn()) }, ..open() };
        let up = Agent {
            phase: Phase::Up { pane: PaneId(5), process: ProcessKey { pid: 4242, start_ticks: 987_654 } },
            nonce: Some(Nonce(0x3f2a)),
            current: Some(id("msg-1")),
            blocked: Some("a dialog".into()),
            restarts: vec![Millis(NOON - 1_000)],
            up_since: Some(Millis(NOON)),
            counts: Counts { completed: 42, failed: 3, sent: 50, received: 55, restarts: 1 },
        };
        let events = [
            Event::KeptAgent(agent("coder"), Box::new(up)),
            Event::KeptAgent(agent("idler"), Box::default()),
            Event::KeptAgent(
                agent("sick"),
                Box::new(Agent { phase: Phase::Failed("gone".into()), ..Agent::default() }),
            ),
            Event::KeptAgent(
                agent("weak"),
                Box::new(Agent { phase: Phase::Restarting(Millis(NOON)), ..Agent::default() }),
            ),
            Event::Halted(Some(Millis(NOON))),
            Event::KeptOpen(Box::new(open())),
            Event::KeptOpen(Box::new(queued)),
            Event::KeptOpen(Box::new(full)),
        ];
        check(
            &events,
            &expect![[r#"
            {"event":"kept_agent","name":"coder","phase":"up","pane":"%5","process":{"pid":4242,"start_ticks":987654},"nonce":"0000000000003f2a","current":"msg-1","blocked":"a dialog","restarts":[1770033599000],"up_since":1770033600000,"counts":{"completed":42,"failed":3,"sent":50,"received":55,"restarts":1}}
            {"event":"kept_agent","name":"idler","phase":"absent"}
            {"event":"kept_agent","name":"sick","phase":"failed","why":"gone"}
            {"event":"kept_agent","name":"weak","phase":"restarting","restart_at":1770033600000}
            {"event":"halted","since":1770033600000}
            {"event":"kept_open","id":"msg-1","from":"user","to":"coder","type":"task","accepted_at":1770033600000,"digest":"00ff0123456789abcdef0123456789ab","stage":"queued","body":{"seq":7},"since":1770033600000}
            {"event":"kept_open","id":"msg-1","from":"user","to":"coder","type":"task","accepted_at":1770033600000,"digest":"00ff0123456789abcdef0123456789ab","stage":"retrying","not_before":1770033600000,"turn":{"number":1,"kind":"task","token":"k7qf2m"},"body":{"seq":7},"since":1770033600000}
            {"event":"kept_open","id":"msg-1","from":"user","to":"coder","type":"task","accepted_at":1770033600000,"digest":"00ff0123456789abcdef0123456789ab","stage":"waiting","turn":{"number":1,"kind":"task","token":"k7qf2m"},"body":{"seq":7},"since":1770033600000,"attempts":1,"agent":"coder","tokens":["k7qf2m"],"due":1770035400000,"children":1,"unread":["msg-2"],"answers":[{"child":"msg-2","from":"tester","outcome":"completed","body":{"seq":9,"index":2}}],"unmet":["msg-3"],"turns":1,"reminded":true,"note":"two parts"}"#]],
        );
        assert_eq!(encode_snapshot(&[]), r#"{"state":[]}"#);
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
            not a list of events (`[` is missing at its beginning): the line is damaged, or is none of the journal's
            event 0 cannot be read (`{` is missing at its beginning): the line is damaged, or a newer tasuki wrote it
            event 0 cannot be read (it has no name in `event`): the line is damaged, or a newer tasuki wrote it
            event 1 is called `exploded`, which this version does not know: use the tasuki that wrote it
            event 0 cannot be read (the id "../etc" has '.' at byte 0; allowed is [a-z0-9][a-z0-9._-]{0,63} at line 1 column 30): the line is damaged, or a newer tasuki wrote it
            event 0 cannot be read (missing field `id` at line 1 column 160): the line is damaged, or a newer tasuki wrote it
            event 0 cannot be read (unknown variant `done`, expected one of `completed`, `failed`, `cancelled` at line 1 column 46): the line is damaged, or a newer tasuki wrote it
            event 0 cannot be read (expected value at line 1 column 116): the line is damaged, or a newer tasuki wrote it
            event 0 cannot be read (missing field `content` at line 1 column 174): the line is damaged, or a newer tasuki wrote it
            event 0 cannot be read (invalid type: integer `7`, expected the text as a text at line 1 column 61): the line is damaged, or a newer tasuki wrote it
            event 0 cannot be read (duplicate field `id` at line 1 column 34): the line is damaged, or a newer tasuki wrote it
            event 0 cannot be read (`event` stands there twice): the line is damaged, or a newer tasuki wrote it
            event 0 cannot be read (a move has more than one of `receipt`, `source` and `why`): the line is damaged, or a newer tasuki wrote it
            event 0 cannot be read (its `turn` is missing): the line is damaged, or a newer tasuki wrote it
            event 0 cannot be read (the code "no-such" is not known to this version at line 1 column 35): the line is damaged, or a newer tasuki wrote it
            event 0 cannot be read (the nonce "3f2a" is not 16 digits of 0-9a-f): the line is damaged, or a newer tasuki wrote it
            event 0 cannot be read (the pane "%+5" is not tmux's number of a pane, such as %5): the line is damaged, or a newer tasuki wrote it
            event 0 cannot be read (unknown variant `exploded`, expected one of `launching`, `up`, `adopted`, `down`, `lost`, `blocked`, `removed` at line 1 column 47): the line is damaged, or a newer tasuki wrote it
            event 0 cannot be read (the digest "00FF0123456789abcdef0123456789ab" is not 32 digits of 0-9a-f at line 1 column 145): the line is damaged, or a newer tasuki wrote it
            not a list of events (there is no `state`): the line is damaged, or is none of the journal's
            not a list of events (`{` is missing at its beginning): the line is damaged, or is none of the journal's"#]].assert_eq(&said.join("\n"));
        assert!(matches!(
            decode(r#"[{"event":"halted"},{"event":"exploded"}]"#),
            Err(DecodeError::UnknownEvent { index: 1, name }) if name == "exploded"
        ));
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
        let inside =
            format!(r#"[{{"event":"halted","new":{}{}}}]"#, "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(decode(&inside).unwrap(), [Event::Halted(None)]);
    }

    #[test]
    fn what_ended_in_a_segment_is_found_from_its_lines_alone() {
        let (old, new) = (Digest(7), Digest(8));
        let kept = Open { message: Message { digest: old, ..message() }, ..open() };
        let late = Message { id: id("msg-2"), digest: new, ..message() };
        let end = |name, outcome| Event::Ended { id: id(name), outcome, answer: None, why: None };
        let mut scan = FinishedScan::default();
        scan.snapshot(&encode_snapshot(&[
            Event::KeptAgent(agent("msg-1"), Box::default()),
            Event::KeptOpen(Box::new(kept)),
        ]))
        .unwrap();
        let steps = [
            vec![accepted(late, plain("{\"event\":\"ended\",\"id\":\"msg-1\",\"outcome\":\"failed\"}"))],
            vec![moved(Move::Take, Why::Plain), end("msg-1", Outcome::Completed)],
            vec![end("msg-1", Outcome::Failed), end("msg-9", Outcome::Failed)],
            vec![ended_as("msg-2", Outcome::Cancelled)],
        ];
        let mut found = Vec::new();
        for step in &steps {
            scan.step(&encode(step), |id, known| found.push((id.to_string(), known))).unwrap();
        }
        let expected = [
            ("msg-1".to_owned(), Known { digest: old, outcome: Outcome::Completed }),
            ("msg-2".to_owned(), Known { digest: new, outcome: Outcome::Cancelled }),
        ];
        assert_eq!(found, expected);
        assert_eq!(scan.strangers(), 2);
        assert!(scan.step("[{]", |_, _| ()).is_err());
        assert!(scan.snapshot("[]").is_err());
    }

    /// Prints how long one message takes; only the answer is checked, for times on a shared machine prove nothing.
    #[test]
    #[expect(clippy::disallowed_methods, reason = "measures; nothing waits for it")]
    fn what_a_message_of_1_kb_costs() {
        let rounds: u32 = if cfg!(debug_assertions) { 200 } else { 50_000 };
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
            let time = |f: &dyn Fn()| {
                let start = std::time::Instant::now();
                (0..rounds).for_each(|_| f());
                start.elapsed().as_nanos() / u128::from(rounds)
            };
            let encoding = time(&|| drop(std::hint::black_box(encode(std::hint::black_box(&events)))));
            let decoding = time(&|| drop(std::hint::black_box(decode(std::hint::black_box(&payload)))));
            let body = time(&|| drop(std::hint::black_box(body_of(std::hint::black_box(&payload), 0))));
            println!(
                "{what}: {} bytes, encode {encoding} ns, decode {decoding} ns, body_of {body} ns",
                payload.len()
            );
            assert_eq!(decode(&payload).unwrap(), events);
        }
    }

    fn check(events: &[Event], expected: &Expect) {
        let lines: Vec<String> = events
            .iter()
            .map(|event| {
                let line = encode(std::slice::from_ref(event));
                assert_eq!(decode(&line).unwrap(), std::slice::from_ref(event), "{line}");
                line.trim_matches(['[', ']']).to_owned()
            })
            .collect();
        expected.assert_eq(&lines.join("\n"));
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

    /// Adds an unknown member to every object that is not the user's own, in front of the others and behind them.
    fn grow(value: &mut Value) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(grow),
            Value::Object(map) => {
                let new = json!({"since": "v9", "list": [1, {"id": null}]});
                let old = std::mem::take(map);
                map.insert("zzz_before".to_owned(), new.clone());
                for (key, mut inner) in old {
                    if key != "extra" {
                        grow(&mut inner);
                    }
                    map.insert(key, inner);
                }
                map.insert("zzz_after".to_owned(), new);
            }
            _ => {}
        }
    }

    fn body(event: &Event) -> Option<Body> {
        match event {
            Event::Accepted { body, .. } => Some(body.clone()),
            Event::Ended { answer, .. } => answer.as_ref().map(|answer| answer.body.clone()),
            _ => None,
        }
    }

    /// Total, so that a new event cannot be left out of the tests.
    fn name(event: &Event) -> &'static str {
        match event {
            Event::Accepted { .. } => "accepted",
            Event::Duplicate { .. } => "duplicate",
            Event::Refused { .. } => "refused",
            Event::Moved { .. } => "moved",
            Event::Ended { .. } => "ended",
            Event::Agent { .. } => "agent",
            Event::Halted(_) => "halted",
            Event::KeptOpen(_) => "kept_open",
            Event::KeptAgent(..) => "kept_agent",
        }
    }

    fn stages() -> Vec<Stage> {
        let turn = turn();
        vec![
            Stage::accepted(Millis(0)),
            Stage::Queued { not_before: Millis(0), redo: Some(turn) },
            Stage::Intent(turn),
            Stage::Submitted(turn),
            Stage::Working(turn),
            Stage::InDoubt(turn),
            Stage::Held(turn),
            Stage::Waiting(turn),
            Stage::Claimed(turn),
            Stage::Verified(turn),
            Stage::Finished(Outcome::Completed),
            Stage::Finished(Outcome::Failed),
            Stage::Finished(Outcome::Cancelled),
        ]
    }

    fn id(text: &str) -> MessageId {
        MessageId::new(text).unwrap()
    }

    fn agent(text: &str) -> AgentName {
        AgentName::new(text).unwrap()
    }

    fn token() -> Token {
        Token::new("k7qf2m").unwrap()
    }

    fn turn() -> Turn {
        Turn { number: 1, kind: TurnKind::Task, token: Some(token()), redelivered: false }
    }

    fn plain(text: &str) -> Body {
        Body { content: text.into(), extra: "".into() }
    }

    fn message() -> Message {
        Message {
            id: id("msg-1"),
            from: AgentName::user(),
            to: agent("coder"),
            kind: Kind::Task,
            sent_at: None,
            accepted_at: Millis(NOON),
            in_reply_to: None,
            parent: None,
            depends_on: Vec::new(),
            priority: Priority::Normal,
            timeout_ms: None,
            deadline: None,
            on_doubt: OnDoubt::Resend,
            expect: None,
            hops: 0,
            verified: false,
            digest: Digest(0x00ff_0123_4567_89ab_cdef_0123_4567_89ab),
            retry_of: None,
        }
    }

    fn open() -> Open {
        Open::new(message(), BodyRef { seq: Seq(7), index: 0 }, Millis(0))
    }

    fn accepted(message: Message, body: Body) -> Event {
        Event::Accepted {
            message: Box::new(message),
            body,
            not_before: Millis(0),
            unmet: Vec::new(),
            name: None,
            unknown_keys: Vec::new(),
        }
    }

    fn moved(to: Move, why: Why) -> Event {
        Event::Moved { id: id("msg-1"), to, agent: None, due: None, why }
    }

    fn ended() -> Event {
        ended_as("msg-1", Outcome::Completed)
    }

    fn ended_as(name: &str, outcome: Outcome) -> Event {
        let answer = Answer {
            id: id("msg-2"),
            kind: Kind::Result,
            from: agent("coder"),
            body: plain("Done: 3 modules."),
            source: Some(CompletionSource::Marker),
            weak: false,
            truncated: false,
            at: Millis(NOON + 90_000),
        };
        Event::Ended { id: id(name), outcome, answer: Some(Box::new(answer)), why: None }
    }
}
