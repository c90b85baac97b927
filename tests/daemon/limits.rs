//! A limit in real time: it ends half a minute after the moment that it names.

use crate::house::House;
use crate::looking::ok;
use crate::over_socket::get;
use crate::rows::{BOXED, Row, SOON, task};
use std::time::Duration;

/// Each turn ends at once, at the same limit.
const RULES: &str = r#"
rules:
  - when: {}
    do:
      - append_file: {path: heard.log, text: "{turn}"}
      - limit: "{the limit}"
"#;

fn is_limited(house: &House) -> bool {
    house.read("status/agents/a.yaml").contains("state: rate_limited")
}

/// How many lines of the log have these words.
fn told(house: &House, words: &str) -> usize {
    house.read("status/activity.log").lines().filter(|line| line.contains(words)).count()
}

/// What waits for the agent says its place, and is asked for by the words that are shown.
fn queued_behind_it(house: &House) {
    task(house, "two", "more");
    house.until("it to be queued", |house| house.path("queue/active/two.yaml").exists());
    task(house, "three", "much more");
    house.until("it to be queued", |house| house.path("queue/active/three.yaml").exists());
    let page = ok(house, &["show", "three"]);
    assert!(
        page.contains("queued, 2nd of 2 for a for ") && page.contains("a, who waits for a limit with one"),
        "{page}"
    );
    let ids = |state: &str| -> Vec<String> {
        let page = ok(house, &["list", "--json", "--state", state]);
        let page: serde_json::Value = serde_json::from_str(&page).expect("JSON");
        let messages = page["messages"].as_array().expect("messages");
        messages.iter().map(|message| message["id"].as_str().expect("an id").to_owned()).collect()
    };
    assert_eq!(ids("queued"), ["two", "three"], "the next one first");
    assert_eq!(ids("waiting for a limit"), ["one"]);
    assert!(ids("at work").is_empty() && ids("waits for you").is_empty());
    for (name, hint) in [("a", "`tasuki why a` tells what it does"), ("nobody", "there is no agent `nobody`")]
    {
        let output = house.ask(&["status", name]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(hint), "{name}: {said}");
    }
}

#[test]
fn an_agent_goes_on_after_a_limit_over_a_restart_and_meets_the_same_one_again() {
    let row = Row { limit: "You've hit your session limit · resets in 1 second", ..BOXED[0] };
    let mut house = row.house("limits", RULES, &SOON);
    house.start();
    task(&house, "one", "work");
    house.until("the limit to be told", is_limited);
    // Whoever looks sees when it is back.
    let agent = get(&house, "/api/agents/a")["agent"].clone();
    let until = agent["until"].as_str().expect("a time").to_owned();
    let need = get(&house, "/api/needs")["needs"][0].clone();
    assert_eq!((&need["kind"], &need["until"]), (&"limit".into(), &until.as_str().into()), "{agent} {need}");
    let time = until.split_once('T').expect("a time").1;
    for words in
        [&["status"][..], &["needs"], &["why", "one"], &["show", "one"], &["ls"], &["list", "--open"]]
    {
        let said = ok(&house, words);
        assert!(
            said.contains(&format!("back at {time}")) || said.contains(&format!("back at {until}")),
            "{words:?}: {said}"
        );
    }
    // It is at work nowhere.
    for (words, said) in [
        (&["show", "one"][..], "◷ one: task from user to a; waiting for a limit for "),
        (&["ls"], "◷ waiting for a limit"),
        (&["why", "one"], "now: waiting for a limit since "),
    ] {
        let told = ok(&house, words);
        assert!(told.contains(said) && !told.contains("at work"), "{words:?}: {told}");
    }
    let stands = get(&house, "/api/messages/one")["standing"].clone();
    assert_eq!(
        (&stands["words"], &stands["until"]),
        (&"waiting for a limit".into(), &until.as_str().into()),
        "{stands}"
    );
    assert_eq!(stands["since"], agent["since"], "{agent}");
    queued_behind_it(&house);
    house.kill();
    house.start();
    let soon = Duration::from_secs(60);
    house.until_within(soon, "it to be told to go on", |house| house.read("heard.log").lines().count() == 2);
    // Its status may still be that of the first limit.
    house.until("the same limit to be told again", |house| told(house, "rate_limited: ") == 2);
    assert_eq!(told(&house, "its limit is over: "), 1, "{}", house.read("status/activity.log"));
    house.until("its status to say so", is_limited);
    house.end();
}

#[test]
fn an_agent_without_tokens_is_given_its_task_again_after_a_limit() {
    let row = Row { limit: "You've hit your session limit · resets in 1 second", ..BOXED[0] };
    let team = "  - {name: a, reports_to: user, provider: claude, token: false, marker: CODING OK, command: [\"{tasuki}\", agent, \
                scripted, --phrase, \"{phrase}\", --script, \"{root}/play.yaml\"]}\n";
    let rules = RULES.replacen("when: {}", "when: {nth: 1}", 1)
        + "  - when: {}\n    do:\n      - print: said\n      - claim: now\n";
    let mut house = House::new("limits-tokenless", team, &[("play.yaml", &row.script(&rules, &SOON))]);
    house.start();
    task(&house, "one", "work");
    house.until("the limit to be told", is_limited);
    house.until_within(Duration::from_secs(60), "its result", |house| {
        house.path("queue/results/one.yaml").exists()
    });
    assert!(house.result("one").contains("said"), "{}", house.result("one"));
    house.end();
}

#[test]
fn the_same_words_for_an_agent_without_tokens_are_typed_again_after_a_restart() {
    let row = Row { limit: "", ..BOXED[0] };
    let team = "  - {name: a, reports_to: user, provider: claude, token: false, delivery: inline, marker: CODING OK, command: \
                [\"{tasuki}\", agent, scripted, --phrase, \"{phrase}\", --script, \"{root}/play.yaml\"]}\n";
    let rules = "rules:\n  - when: {}\n    do:\n      - append_file: {path: heard.log, text: \"{turn}\"}\n      - print: \
                 \"said {turn}\"\n      - claim: now\n";
    let mut house = House::new("same words", team, &[("play.yaml", &row.script(rules, &SOON))]);
    house.start();
    task(&house, "one", "run the tests");
    house.result("one");
    house.kill();
    house.start();
    task(&house, "two", "run the tests");
    let result = house.result("two");
    assert_eq!(house.read("heard.log").lines().count(), 2, "{result}\n{}", house.read("status/activity.log"));
    assert!(result.contains("type: result"), "{result}");
    house.end();
}
