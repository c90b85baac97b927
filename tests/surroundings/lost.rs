//! Files of open messages that outlive the journal, and files in `queue/` that nobody has taken: none is lost, and each is told.

use crate::house::House;
use std::process::Output;

/// What a command printed, in order of its streams, and whether it went well.
fn told(house: &House, words: &[&str]) -> (bool, String) {
    let Output { status, stdout, stderr } = house.ask(words);
    let text = String::from_utf8_lossy(&stdout).into_owned() + &String::from_utf8_lossy(&stderr);
    println!("$ tasuki {}\n{text}", words.join(" "));
    (status.success(), text)
}

#[test]
fn an_info_that_was_read_leaves_its_folder_when_its_reader_is_stopped() {
    let mut house = House::plain("info");
    house.start();
    house.drop("hint.yaml", "id: hint\ntype: info\nto: worker\ncontent: only to be read\n");
    let is_done = |house: &House| told(house, &["why", "hint"]).1.contains("completed");
    house.until("it to be done", |house| is_done(house));
    house.until("its view", |house| house.path("queue/active/hint.yaml").exists());
    let (_, status) = told(&house, &["status"]);
    assert!(status.contains("messages: 0 open"), "{status}");
    // Killed: the view is still there, and it is counted as what it is.
    house.kill();
    assert!(house.path("queue/active/hint.yaml").exists());
    let (_, status) = told(&house, &["status"]);
    assert!(status.contains("messages: 0 open"), "{status}");
    house.start();
    told(&house, &["down"]);
    assert!(!house.path("queue/active/hint.yaml").exists(), "nobody reads it any more");
    assert!(house.files("queue/lost").is_empty());
}
