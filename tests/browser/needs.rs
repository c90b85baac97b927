//! Needs you: what is asked is answered by mouse, by keys and in words, and the answer arrives.

use crate::browser::{Browser, Looks};
use crate::opening::{address, clean};
use crate::questions;
use serde_json::json;

/// Title and icon of the tab.
const TAB: &str = "return document.title + ' ' + document.getElementById('icon').getAttribute('href')";

fn until_tab(browser: &Browser, begins: &str, icon: &str) {
    let so = format!(
        "document.title.startsWith({}) && document.getElementById('icon').getAttribute('href') === {}",
        json!(begins),
        json!(icon)
    );
    browser.until(&so);
}

#[test]
fn what_is_asked_is_answered_by_a_click_by_keys_and_in_words() {
    let mut house = questions::house("asks");
    house.start();
    let browser = Browser::start(Looks::DESK);
    browser.open(&address(&house, &["needs"]));
    browser.until_shown("Nothing waits for you");
    until_tab(&browser, "Needs you", "icons/0.svg");
    house.drop("first.yaml", "id: first\nto: a\ncontent: work\n");
    browser.until_shown("a asks");
    until_tab(&browser, "(1) Needs you", "icons/1.svg");
    // What will be pressed is shown before anything is.
    browser.run("document.querySelectorAll('.choices button')[1].focus()", &[]);
    browser.until_shown("Moves the mark to “Always”");
    assert_eq!(house.read("keys.log"), "");
    browser.click(".choices button:nth-of-type(3)");
    house.until("the third choice", |house| house.read("keys.log").contains("proceed?: 3"));
    browser.until_shown("a was answered with");
    // The second dialog is another one, which `a` and a digit answer.
    house.until("the second question", |house| house.read("status/agents/a.yaml").contains("waiting_input"));
    browser.until(
        "document.querySelector('.choices button:not([disabled])') && document.querySelector('.det h2')",
    );
    browser.run("document.activeElement.blur()", &[]);
    armed_and_left(&browser, &house);
    answered_by_keys(&browser, &house);
    in_words(&browser, &house);
    assert!(house.result("first").contains("status: completed"));
    browser.until_shown("Nothing waits for you");
    until_tab(&browser, "Needs you", "icons/0.svg");
    clean(&browser);
}

/// `a` frames the choices and lasts; `Esc` leaves them, and only then do digits lead elsewhere again.
fn armed_and_left(browser: &Browser, house: &crate::house::House) {
    let framed = "document.querySelectorAll('.choices.armed kbd').length === 3";
    browser.until("!document.querySelector('.choices button kbd') && document.querySelector('.choices .no')");
    browser.press("a");
    browser.until(framed);
    browser.until_shown("1 – 3 answers, Esc leaves");
    browser.picture("armed-1440");
    // Later than any time after which it might be over unseen; a digit that is no choice goes nowhere.
    std::thread::sleep(std::time::Duration::from_millis(3500));
    browser.press("9");
    browser.until(&format!("{framed} && location.hash.startsWith('#/needs')"));
    browser.press("\u{E00C}");
    browser.until("!document.querySelector('.choices.armed')");
    browser.press("3");
    browser.until("location.hash.startsWith('#/team')");
    browser.press("1");
    browser.until("document.querySelector('.det .choices')");
    assert_eq!(house.read("keys.log").lines().count(), 1, "nothing was answered by that");
}

fn answered_by_keys(browser: &Browser, house: &crate::house::House) {
    // The page may still show the dialog that has gone: its answer presses nothing, so the keys come again.
    house.until("the second choice", |house| {
        if house.read("keys.log").lines().count() < 2 {
            browser.press("a2");
            std::thread::sleep(std::time::Duration::from_millis(700));
        }
        house.read("keys.log").contains("proceed?: 2")
    });
    assert_eq!(house.read("keys.log").lines().count(), 2);
}

fn in_words(browser: &Browser, house: &crate::house::House) {
    browser.until_shown("Which one?");
    browser.until(
        "[...document.querySelectorAll('.choices button')].some((one) => one.textContent.includes('chrono'))",
    );
    browser.write(".say-it input", "日曜日 and the third");
    browser.click(".say-it button");
    house.until("the words", |house| house.read("keys.log").contains("Which one?: 3 日曜日 and the third"));
}

#[test]
fn what_failed_and_what_is_held_say_why_and_are_tried_again_once() {
    let mut house = crate::house::House::plain("fails");
    house.write("agent.sh", FAILS);
    house.start();
    house.drop("bad.yaml", "id: bad\nto: worker\ncontent: break it\n");
    assert!(house.result("bad").contains("status: failed"));
    let browser = Browser::start(Looks::DESK);
    browser.open(&address(&house, &["needs/failed.bad"]));
    browser.until_shown("the disk of the ledger is gone");
    assert!(browser.run(TAB, &[]).as_str().is_some_and(|tab| tab.starts_with("(1) ")));
    browser.until_shown("If nothing is done: it stays failed");
    // An address whose item is settled leads to the next one, and nothing is said of that one.
    browser.run("location.hash = '#/needs/asks.gone.1f2e'", &[]);
    browser.until("location.hash === '#/needs/failed.bad' && document.querySelector('.det')");
    dismissed(&browser, &house);
    house.write("mended", "");
    browser.press("r");
    browser.until_shown("bad is sent again as bad.again-");
    let again = |house: &crate::house::House| {
        house.files("queue/results").iter().any(|path| path.to_string_lossy().contains("bad.again-"))
    };
    house.until("its second try", again);
    clean(&browser);
}

/// What is only to be known goes by a key, and so does what was sent; what is beside it stays.
fn dismissed(browser: &Browser, house: &crate::house::House) {
    house.drop("worse.yaml", "id: worse\nto: worker\ncontent: break it, too\n");
    house.result("worse");
    for need in ["failed.worse", "unread"] {
        browser.until(&format!("document.querySelector('[data-need=\"{need}\"]')"));
        browser.run("location.hash = `#/needs/${arguments[0]}`", &[json!(need)]);
        browser.until(&format!(
            "document.querySelector('[data-need=\"{need}\"][aria-current]') && document.querySelector('.det .btn:last-child kbd')"
        ));
        browser.run("document.activeElement.blur()", &[]);
        browser.press("d");
        browser.until(&format!("!document.querySelector('[data-need=\"{need}\"]')"));
    }
    // The address changes before what is shown does.
    browser.until(
        "location.hash === '#/needs/failed.bad' && document.querySelector('.det')?.textContent.includes('Try it again')",
    );
}

/// Dies of its first turn, and does what it is told from then on.
const FRAIL: &str = "[ -e died ] || { IFS= read -r line; : > died; exit 3; }\nexec bash ./agent.sh\n";

#[test]
fn a_message_in_doubt_is_decided_from_the_page() {
    let agent = "  - {name: frail, reports_to: user, provider: plain, command: [bash, ./frail.sh], marker: PLAIN OK}\n";
    let files = [("frail.sh", FRAIL), ("agent.sh", crate::house::PLAIN_AGENT)];
    let mut house = crate::house::House::new("doubt 不明", agent, &files);
    house.start();
    let browser = Browser::start(Looks::DESK);
    browser.open(&address(&house, &["needs"]));
    browser.until_shown("Nothing waits for you");
    house.drop("d.yaml", "id: doubt\nto: frail\ncontent: 届いたか\non_doubt: hold\n");
    browser.until_shown("Was “届いたか” delivered?");
    until_tab(&browser, "(1) Needs you", "icons/1.svg");
    browser.until_shown("frail ended while it had the message");
    browser.until_shown("If nothing is done");
    assert!(house.read("queue/active/doubt.yaml").contains("stage: held"));
    in_its_story(&browser);
    // Nothing is typed again before somebody says so.
    browser.run("location.hash = '#/needs/held.doubt'", &[]);
    let again =
        "[...document.querySelectorAll('.det .btn')].find((one) => one.textContent.includes('Try it again'))";
    browser.until(&format!("{again}?.disabled === false"));
    browser.run(&format!("{again}.click()"), &[]);
    browser.until("document.querySelector('dialog[open] .btn:not(.plain)')?.click() || document.body.innerText.includes('Nothing waits for you')");
    assert!(house.result("doubt").contains("status: completed"));
    until_tab(&browser, "Needs you", "icons/0.svg");
    browser.run("location.hash = '#/messages'", &[]);
    browser.until("document.querySelector('.window .list li .state')?.textContent.includes('completed')");
    clean(&browser);
}

/// The story and the tail say it in words of the page's own.
fn in_its_story(browser: &Browser) {
    browser.run("location.hash = '#/messages/doubt'", &[]);
    browser.until("[...document.querySelectorAll('.seq li .e a')].some((one) => one.textContent === 'Held')");
    browser.run("location.hash = '#/command?follow=doubt'", &[]);
    browser.until_shown("the task is held: you decide what becomes of it");
}

/// Fails as long as the file `mended` is not there.
const FAILS: &str = r#"
while IFS= read -r line; do
  [[ $line =~ task\ ([^ ]+).*\(token\ ([a-z0-9]{6})\) ]] || continue
  id=${BASH_REMATCH[1]} token=${BASH_REMATCH[2]}
  if [ -e mended ]; then echo "PLAIN OK $token"; continue; fi
  printf 'to: user\ntype: error\nin_reply_to: %s\ntoken: %s\ncontent: the disk of the ledger is gone\n' "$id" "$token" > queue/.answer.tmp
  mv queue/.answer.tmp queue/answer.yaml
done
"#;
