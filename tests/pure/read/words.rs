//! The words of a message: where it stands in its queue, who called it off, what became of a failure, and what tells parts apart.

use super::lists::pages;
use super::writer::Writer;
use crate::engine::make::{draft, team};
use crate::engine::world::World;
use tasuki::engine::input::Report;
use tasuki::engine::words::MessageId;
use tasuki::read::{Answers as _, Model};
use tasuki::wire::api::{HistoryQuery, MessageDetails, MessageQuery, MessagesQuery, Problem};

/// Somebody who has read all that happened in a world.
fn reader(world: &World) -> (Writer, Model) {
    let mut writer = Writer::new();
    for (_, at, events) in &world.journal {
        writer.write(&(*at, events.clone()));
    }
    let model = writer.fresh();
    (writer, model)
}

fn show(model: &mut Model, id: &str) -> MessageDetails {
    MessageQuery { id: id.to_owned() }.answer(model).unwrap()
}

fn of_state(word: &str) -> MessagesQuery {
    MessagesQuery { state: Some(word.to_owned()), ..MessagesQuery::default() }
}

#[test]
fn what_is_queued_stands_in_the_order_in_which_it_goes_and_says_its_place() {
    let mut world = World::new(team());
    world.send("a1 user>boss");
    world.give("boss");
    for line in [
        "b1 user>boss",
        "b2 user>boss low",
        "b3 user>boss high",
        "b4 user>boss",
        "c1 user>ann",
        "b5 user>boss after=b1",
    ] {
        world.send(line);
    }
    let (_writer, mut model) = reader(&world);
    for limit in [1, 2, 100] {
        for word in ["queued", "pending"] {
            let found = pages(&mut model, &of_state(word), limit);
            assert_eq!(found, ["b3", "b1", "b4", "c1", "b2", "b5"], "{word} by {limit}");
        }
    }
    assert_eq!(
        pages(&mut model, &of_state("open"), 2),
        ["b5", "c1", "b4", "b3", "b2", "b1", "a1"],
        "newest first"
    );
    let place = |model: &mut Model, id: &str| show(model, id).message.place.map(|place| place.words());
    assert_eq!(place(&mut model, "b4").as_deref(), Some("3rd of 4 for boss"));
    assert_eq!(place(&mut model, "c1").as_deref(), Some("1st of 1 for ann"));
    assert_eq!(place(&mut model, "a1"), None, "it is at work");
    assert_eq!(place(&mut model, "b5"), None, "it is in no queue yet");
    let listed = of_state("queued").answer(&mut model).unwrap().messages;
    let nth: Vec<Option<usize>> =
        listed.iter().map(|view| view.place.as_ref().map(|place| place.nth)).collect();
    assert_eq!(nth, [Some(1), Some(2), Some(3), Some(1), Some(4), None]);
}

#[test]
fn a_state_is_asked_for_by_the_words_that_the_lists_show_too() {
    let mut world = World::new(team());
    for line in ["t1 user>boss", "t2 user>ann", "t3 user>ann"] {
        world.send(line);
    }
    world.give("boss");
    world.give("ann");
    world.cancel("t3");
    world.claim("ann");
    let (_writer, mut model) = reader(&world);
    let mut found = |word: &str| pages(&mut model, &of_state(word), 10);
    for word in ["called off", "called-off", "Called Off", "cancelled"] {
        assert_eq!(found(word), ["t3"], "{word}");
    }
    for word in ["done", "completed", "delivered"] {
        assert_eq!(found(word), ["t2"], "{word}");
    }
    for word in ["at work", "working"] {
        assert_eq!(found(word), ["t1"], "{word}");
    }
    for word in
        ["waiting for a limit", "waits for a limit", "waits for parts", "waits for you", "held", "failed"]
    {
        assert!(found(word).is_empty(), "{word}");
    }
    let Err(Problem { why, .. }) = of_state("busy").answer(&mut model) else { panic!("it is no state") };
    for word in
        ["called off", "cancelled", "at work", "working", "waiting for a limit", "waits for you", "done"]
    {
        assert!(why.contains(word), "{word} is not in {why}");
    }
}

#[test]
fn one_that_was_called_off_says_by_whom_and_has_no_answer() {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    world.give("boss");
    world.send("p1 boss>ann parent=t1");
    world.give("ann");
    world.report(
        "ann",
        Report::Said {
            id: MessageId::new("p1").unwrap(),
            turn: 1,
            text: "half of it".into(),
            truncated: false,
            notice: false,
        },
    );
    world.cancel("t1");
    let (_writer, mut model) = reader(&world);
    let whole = show(&mut model, "t1");
    assert_eq!((whole.answer, whole.said), (None, None));
    assert_eq!(whole.message.reason.as_deref(), Some("called off by user"));
    assert_eq!(whole.message.standing.unwrap().words, "called off");
    let part = show(&mut model, "p1");
    assert_eq!((part.answer, part.said.as_deref()), (None, Some("half of it")));
    assert_eq!(part.message.reason.as_deref(), Some("called off with t1, of which it was a part"));
    let listed = of_state("cancelled").answer(&mut model).unwrap().messages;
    assert!(
        listed.iter().all(|view| view.reason.as_ref().is_some_and(|why| why.starts_with("called off"))),
        "{listed:?}"
    );
    let tree = HistoryQuery { id: "t1".to_owned() }.answer(&mut model).unwrap().tree;
    let last = &tree.story.last().unwrap().event.text;
    assert_eq!(
        (last.as_str(), tree.standing.unwrap().words.as_str()),
        ("t1 was called off by user", "called off")
    );
}

#[test]
fn a_failure_is_not_told_as_verified_and_says_what_became_of_it() {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    world.give("boss");
    let token = world.token_of(&MessageId::new("t1").unwrap()).unwrap();
    world.send(&format!("e1 boss>user error re=t1 token={token}: it cannot be done"));
    assert_eq!(world.stage("t1"), "failed");
    world.send("t2 user>boss again=t1");
    let (_writer, mut model) = reader(&world);
    let tree = HistoryQuery { id: "t1".to_owned() }.answer(&mut model).unwrap().tree;
    let told: Vec<&str> = tree.story.iter().map(|step| &*step.event.what).collect();
    assert!(
        told.contains(&"failed") && !told.contains(&"verified") && !told.contains(&"claimed"),
        "{told:?}"
    );
    assert_eq!(tree.retried_as.as_deref(), Some("t2"));
    assert_eq!(show(&mut model, "t1").retried_as.as_deref(), Some("t2"));
    assert_eq!(
        show(&mut model, "e1").message.standing.unwrap().words,
        "delivered",
        "nothing was completed by it"
    );
}

#[test]
fn parts_that_begin_with_the_same_words_are_told_apart_by_their_own() {
    let mut world = World::new(team());
    world.send("t1 user>boss");
    world.give("boss");
    let parts = [
        ("p1", "ann", "You help.\nRead the tests."),
        ("p2", "ann", "You help.\nWrite the tests."),
        ("p3", "ann", "You help."),
    ];
    for (id, to, text) in parts {
        let mut part = draft(&format!("{id} boss>{to} parent=t1"));
        part.body.content = text.into();
        world.send_drafts(vec![part], None);
    }
    let (_writer, mut model) = reader(&world);
    let titles = |views: &[tasuki::wire::message::view::MessageView]| {
        let mut titles: Vec<String> = views.iter().filter_map(|view| view.title.clone()).collect();
        titles.sort();
        titles
    };
    let shown = show(&mut model, "t1").part_messages;
    assert_eq!(titles(&shown), ["Read the tests.", "Write the tests.", "You help. (ann)"]);
    let listed = of_state("queued").answer(&mut model).unwrap().messages;
    assert_eq!(titles(&listed), titles(&shown));
}
