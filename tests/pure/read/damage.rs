//! What may have become of a journal's files: whatever is left is shown, and shown once.

use super::lists::{QUESTIONS, check, check_ended, pages};
use super::writer::{Happened, Writer};
use crate::settings::support::place;
use std::fs;
use std::sync::Arc;
use tasuki::engine::live::LiveAgent;
use tasuki::engine::words::{AgentName, MessageId, Millis};
use tasuki::read::{Answers as _, Live, LiveInfo, Model};
use tasuki::wire::api::{AgentsQuery, MessageQuery, MessagesQuery, NeedsQuery, StatusQuery};
use tasuki::wire::events;

fn step(at: u64, events: &[String]) -> Happened {
    (Millis(at), events::decode(&format!("[{}]", events.join(","))).unwrap())
}

fn accepted(id: &str, at: u64) -> String {
    format!(
        r#"{{"event":"accepted","id":"{id}","from":"user","to":"boss","type":"task","accepted_at":{at},"digest":"{:032}","content":"do {id}"}}"#,
        at
    )
}

fn ended(id: &str) -> String {
    format!(r#"{{"event":"ended","id":"{id}","outcome":"failed","why":"not {id}"}}"#)
}

/// Tasks that are accepted in one segment and end in the next; `turns` times, and one that is open.
fn relay(turns: u64) -> Writer {
    let mut writer = Writer::new();
    for turn in 0..turns {
        let at = 10 * turn;
        writer.write(&step(at, &[accepted(&format!("t{turn}"), at)]));
        if turn > 0 {
            writer.write(&step(at + 1, &[ended(&format!("t{}", turn - 1))]));
        }
        // One that lives and dies in it.
        writer.write(&step(at + 2, &[accepted(&format!("s{turn}"), at + 2)]));
        writer.write(&step(at + 3, &[ended(&format!("s{turn}"))]));
        if turn + 1 < turns {
            writer.rotate(Millis(at + 4), 0);
        }
    }
    writer
}

/// All that is shown is as it must be.
fn check_all(writer: &Writer, model: &mut Model) {
    for (which, limit) in (0..QUESTIONS).flat_map(|which| [(which, 1), (which, 3)]) {
        check(writer, model, which, limit).unwrap();
    }
    for which in 0..writer.ended().len() {
        check_ended(writer, model, which).unwrap();
    }
}

/// Changes a byte in the middle of a line of a segment.
fn damage(writer: &Writer, segment: u32, line: usize) {
    let path = writer.file(segment);
    let mut bytes = fs::read(&path).unwrap();
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let before: usize = lines[..line].iter().map(|line| line.len()).sum();
    let at = before + lines[line].len() / 2;
    bytes[at] ^= 1;
    fs::write(path, bytes).unwrap();
}

#[test]
fn where_there_is_no_journal_yet_nothing_is_shown_and_later_it_is() {
    let (mut writer, elsewhere) = (Writer::new(), tempfile::tempdir().unwrap());
    let nowhere = tasuki::io::workspace::Workspace::at(elsewhere.path()).unwrap();
    let mut model = Model::new(nowhere, tasuki::io::clock::Clock::start());
    for reaches in [None, Some(writer.extents().written)] {
        model.catch_up(reaches, &mut |_, _, _| panic!("there is nothing")).unwrap();
        assert_eq!(pages(&mut model, &MessagesQuery::default(), 5), Vec::<String>::new());
        let status = StatusQuery {}.answer(&mut model).unwrap();
        assert_eq!((status.open, status.seq, status.agents.len()), (0, 0, 0));
        assert!(NeedsQuery {}.answer(&mut model).unwrap().chains.is_empty());
        let problem = MessageQuery { id: "t0".to_owned() }.answer(&mut model).unwrap_err();
        assert_eq!(problem.code, "no-message");
    }
    let mut early = writer.model();
    early.catch_up(None, &mut |_, _, _| ()).unwrap();
    writer.write(&step(1, &[accepted("t0", 1)]));
    early.catch_up(None, &mut |_, _, _| ()).unwrap();
    assert_eq!(pages(&mut early, &MessagesQuery::default(), 5), ["t0"]);
}

#[test]
fn who_was_idle_while_segments_were_taken_away_goes_on_with_what_is_left() {
    let mut writer = relay(2);
    let mut idle = writer.fresh();
    for turn in 2..6 {
        writer.write(&step(100 * turn, &[accepted(&format!("u{turn}"), 100 * turn)]));
        writer.write(&step(100 * turn + 1, &[ended(&format!("u{turn}"))]));
        writer.rotate(Millis(100 * turn + 2), 0);
    }
    // `t1` is open since the second segment.
    writer.retain();
    assert_eq!(writer.oldest, 2);
    writer.write(&step(900, &[ended("t1")]));
    writer.rotate(Millis(901), 0);
    writer.retain();
    assert_eq!(writer.oldest, 6, "only the one that was closed last is left");
    assert!(!writer.file(5).exists() && writer.file(6).exists());
    idle.catch_up(Some(writer.extents().written), &mut |_, _, _| ()).unwrap();
    assert_eq!(idle.state(), writer.fresh().state());
    check_all(&writer, &mut idle);
    check_all(&writer, &mut writer.fresh());
}

#[test]
fn a_damaged_line_hides_what_was_in_it_and_nothing_else() {
    let writer = relay(3);
    let mut before = writer.fresh();
    damage(&writer, 3, 3); // `s2` is accepted there: behind a snapshot, `t2`, and the end of `t1`
    let mut fresh = writer.fresh();
    let ids = pages(&mut fresh, &MessagesQuery::default(), 2);
    assert_eq!(ids, ["t2", "t1", "s1", "t0", "s0"], "whoever cannot read that line knows nothing of s2");
    // Who has read it knows it; its content is gone.
    let ids = pages(&mut before, &MessagesQuery::default(), 2);
    assert_eq!(ids, ["t2", "s2", "t1", "s1", "t0", "s0"]);
    let shown = MessageQuery { id: "s2".to_owned() }.answer(&mut before).unwrap();
    assert_eq!((shown.content, shown.message.reason.as_deref()), (None, Some("not s2")));
}

#[test]
fn a_damaged_line_of_a_closed_segment_hides_what_was_in_it_and_nothing_else() {
    let writer = relay(4);
    damage(&writer, 2, 3); // `s1` is accepted there
    for known in ["lists of ids", "none"] {
        let mut fresh = writer.fresh();
        let ids = pages(&mut fresh, &MessagesQuery::default(), 2);
        assert_eq!(ids, ["t3", "s3", "t2", "s2", "t1", "t0", "s0"], "{known}");
        let problem = MessageQuery { id: "s1".to_owned() }.answer(&mut fresh).unwrap_err();
        assert_eq!(problem.code, "no-message", "{known}");
        remove_lists(&writer);
    }
}

fn remove_lists(writer: &Writer) {
    for segment in 1..9 {
        let _ = fs::remove_file(writer.file(segment).with_extension("ids"));
    }
}

#[test]
fn behind_a_damaged_snapshot_all_is_shown_once_whichever_segment_it_begins() {
    for segment in [2, 3, 4] {
        let mut writer = relay(4);
        let mut reading = writer.fresh();
        damage(&writer, segment, 0);
        let mut fresh = writer.fresh();
        assert_eq!(fresh.state().open, writer.engine.state().open, "segment {segment}");
        check_all(&writer, &mut fresh);
        check_all(&writer, &mut reading);
        // And so it goes on.
        writer.write(&step(900, &[ended("t3")]));
        for mut model in [fresh, reading, writer.fresh()] {
            model.catch_up(Some(writer.extents().written), &mut |_, _, _| ()).unwrap();
            assert!(model.state().open.is_empty());
            check_all(&writer, &mut model);
        }
    }
}

#[test]
fn a_snapshot_that_cannot_be_understood_is_passed_over() {
    for at in 1..4 {
        let mut writer = relay(2);
        let mut reading = writer.fresh();
        for turn in 1..4 {
            writer.write(&step(100 * turn, &[accepted(&format!("u{turn}"), 100 * turn)]));
            writer.write(&step(100 * turn + 1, &[ended(&format!("u{turn}"))]));
            if turn == at {
                writer.rotate_badly(Millis(100 * turn + 2));
            } else {
                writer.rotate(Millis(100 * turn + 2), 0);
            }
            reading.catch_up(Some(writer.extents().written), &mut |_, _, _| ()).unwrap();
        }
        writer.write(&step(900, &[accepted("v", 900)]));
        for mut model in [reading, writer.fresh()] {
            model.catch_up(Some(writer.extents().written), &mut |_, _, _| ()).unwrap();
            assert_eq!(model.state().open, writer.engine.state().open, "turn {at}");
            check_all(&writer, &mut model);
        }
    }
}

#[test]
fn what_was_written_and_never_durable_is_not_shown_any_more_and_its_numbers_are_not_given_again() {
    let mut writer = relay(2);
    writer.write_in_vain(&[step(500, &[accepted("vain", 500)]), step(501, &[ended("t1")])]);
    let mut model = writer.fresh();
    let seen = model.seq();
    assert_eq!(pages(&mut model, &MessagesQuery::default(), 9), ["vain", "t1", "s1", "t0", "s0"]);
    writer.undo(Millis(502));
    writer.write(&step(503, &[accepted("kept", 503)]));
    model.catch_up(Some(writer.extents().written), &mut |seq, _, _| assert!(seq > seen)).unwrap();
    for model in [&mut model, &mut writer.fresh()] {
        assert_eq!(pages(model, &MessagesQuery::default(), 9), ["kept", "t1", "s1", "t0", "s0"]);
        assert_eq!(MessageQuery { id: "vain".to_owned() }.answer(model).unwrap_err().code, "no-message");
        check_all(&writer, model);
    }
    // A segment that was closed with such steps in it is read up to what counted.
    writer.rotate(Millis(600), 0);
    check_all(&writer, &mut writer.fresh());
}

#[test]
fn a_message_that_ended_three_segments_ago_is_shown_with_its_content_with_lists_and_without() {
    let writer = relay(6);
    let shown = |id: &str| {
        let details = MessageQuery { id: id.to_owned() }.answer(&mut writer.fresh()).unwrap();
        assert_eq!(details.message.id, MessageId::new(id).unwrap());
        (details.content.unwrap(), details.message.reason.unwrap())
    };
    let list = |segment: u32| writer.file(segment).with_extension("ids");
    for turn in ["whole", "cut off", "gone"] {
        for id in ["t1", "s2", "t2", "s0"] {
            assert_eq!(shown(id), (format!("do {id}"), format!("not {id}")), "{turn}");
        }
        let problem = MessageQuery { id: "nobody".to_owned() }.answer(&mut writer.fresh()).unwrap_err();
        assert_eq!(problem.code, "no-message", "{turn}");
        for segment in 1..6 {
            match turn {
                "whole" => fs::write(list(segment), "cut").unwrap(),
                _ => fs::remove_file(list(segment)).unwrap_or_default(),
            }
        }
    }
}

/// What the journal does not say is not forgotten when a segment begins.
#[test]
fn who_was_free_is_free_behind_a_turn_of_the_segment() {
    let team = "agents:\n  - {name: boss, provider: plain, command: [cat], marker: BOSS DONE}\n";
    let settings = place().parse(team).unwrap().settings;
    let mut writer = relay(1);
    let up = [
        r#"{"event":"agent","name":"boss","change":"launching","nonce":"ffffffffffffffff","launch":"000000000000000000000000000000d1"}"#,
        r#"{"event":"agent","name":"boss","change":"up","nonce":"ffffffffffffffff","pane":"%5","process":{"pid":4242,"start_ticks":987654}}"#,
    ];
    writer.write(&step(50, &up.map(str::to_owned)));
    let mut model = writer.model();
    let known = LiveAgent { greeted: true, ..LiveAgent::default() };
    let info = Arc::new(LiveInfo { known, ..LiveInfo::default() });
    let agents = [(AgentName::new("boss").unwrap(), info)].into();
    model.set_live(Arc::new(Live { settings: Some(Arc::new(settings)), agents, ..Live::default() }));
    for turn in 0..3 {
        model.catch_up(Some(writer.extents().written), &mut |_, _, _| ()).unwrap();
        let shown = AgentsQuery {}.answer(&mut model).unwrap().agents;
        assert_eq!(shown[0].state, "idle", "turn {turn}");
        writer.rotate(Millis(60 + turn), 0);
    }
}
