//! Sessions of which a task asks a person: the list says so, the task is answered in its panel, and a page that may not act says why.

use crate::browser::{Browser, Looks};
use crate::house::House;
use crate::opening::address;
use crate::questions;
use serde_json::json;

const WHY: &str = "This page may look, and change nothing.";

fn begin(house: &House, name: &str, tasks: &str) -> String {
    house.write("plan.yaml", &format!("name: {name}\ntasks:\n{tasks}"));
    let begun = house.ask(&["session", "new", "--plan", "plan.yaml", "--json"]);
    assert!(begun.status.success(), "{}", String::from_utf8_lossy(&begun.stderr));
    let begun: serde_json::Value = serde_json::from_slice(&begun.stdout).expect("JSON");
    begun["id"].as_str().expect("an id").to_owned()
}

/// Presses a key where nothing has the focus, and waits for what is said of it.
fn says(browser: &Browser, key: &str, words: &str) {
    browser.run("document.activeElement.blur()", &[]);
    browser.press(key);
    browser.until(&format!("document.querySelector('.toast')?.textContent.includes({})", json!(words)));
    browser.click(".toast .btn.plain");
    browser.until("!document.querySelector('.toast') && !document.querySelector('dialog[open]')");
}

#[test]
fn a_task_that_asks_is_answered_in_its_session_and_the_list_says_that_it_waits() {
    let mut house = questions::house("session asks 問い");
    house.start();
    let long = "長い名前 ".repeat(30);
    let id = begin(
        &house,
        &long,
        "  - {name: 支払う, to: a, description: x}\n  - {name: later, to: a, description: x, dependencies: [task-1]}\n",
    );
    let session = format!("/sessions/{id}");
    let browser = Browser::start(Looks::DESK);
    browser.open(&address(&house, &["sessions"]));
    browser.until("document.querySelector('.sessions .list .m')?.textContent.includes('1 waits for you')");
    let listed = String::from_utf8(house.ask(&["session", "list"]).stdout).expect("UTF-8");
    assert!(listed.contains(": 1 waits for you") && !listed.contains(long.trim()), "{listed}");
    // While the list is kept as it is, one that needs somebody comes into it at once.
    browser.run("document.querySelector('.sessions .list a').focus()", &[]);
    let asked = begin(&house, "needs you soon", "  - {name: one, to: a, description: x}\n");
    browser.until("document.querySelector('.sessions .fresh')");
    house.ask(&["session", "cancel", &asked]);
    browser.run("location.hash = arguments[0]", &[json!(session)]);
    // The panel has the question, and keys answer it there.
    browser.until("document.querySelector('.beside .asked')?.textContent.includes('Do you want to proceed') && document.querySelectorAll('.beside .choices button').length >= 3");
    browser.until("document.querySelector('#se').clientHeight < 2.6 * parseFloat(getComputedStyle(document.querySelector('#se')).lineHeight)");
    browser.picture("session-asks");
    browser.run("document.activeElement.blur()", &[]);
    browser.press("a");
    browser.until("document.querySelector('.beside .choices.armed')");
    browser.press("2");
    house.until("the answer", |house| house.read("keys.log").contains("Do you want to proceed?: 2"));
    assert_eq!(browser.run("return location.hash", &[]), json!(format!("#{session}")));
    // Of a task that asks nothing it is said who does; no key is without an effect.
    browser.until("document.querySelector('.beside .asked')");
    browser.run("location.hash = arguments[0]", &[json!(format!("{session}/task-2"))]);
    browser.until("document.querySelector('.beside h2')?.textContent === 'later'");
    for (key, words) in [
        ("a", "task-1 needs you: choose it"),
        ("s", "No agent of the team has task-2 now"),
        ("r", "r tries a failed task again"),
        ("e", "e changes the text of what has ended"),
        ("w", "task-2 has not begun"),
        ("m", "nothing to merge now"),
    ] {
        says(&browser, key, words);
    }
    browser.run("location.hash = arguments[0]", &[json!(format!("{session}/task-1"))]);
    browser.until("document.querySelector('.beside .asked')");
    browser.press("s");
    browser.until("location.hash === '#/team/a'");
    // Whoever comes back to the list sees all of it, with the pointer in it as well.
    browser.run("location.hash = '#/sessions'", &[]);
    browser.until(
        "document.querySelectorAll('.sessions .list li').length === 2 && !document.querySelector('.fresh')",
    );
    browser.click(".sessions .list a");
    browser.until("document.querySelector('.beside h2')");
    let third = begin(&house, "third", "  - {name: one, to: a, description: x}\n");
    browser.press("\u{E00C}");
    browser.until("location.hash === '#/sessions' && document.querySelector('.sessions .list')");
    browser.until(&format!(
        "document.querySelector('.sessions .list a[href$=\"{third}\"]') && !document.querySelector('.fresh')"
    ));
    house.ask(&["session", "cancel", &third]);
    may_only_look(&house, &browser, &session);
    away(&mut house, &browser, &session);
}

/// Each button that acts is disabled and says why, and each key that would act is refused.
fn may_only_look(house: &House, browser: &Browser, session: &str) {
    browser.open("about:blank");
    browser.open(&address(house, &["--read-only"]));
    browser.until("document.querySelector('.daemon .tag')?.textContent === 'looks only'");
    browser.run("location.hash = arguments[0]", &[json!(session)]);
    browser.until(
        "document.querySelectorAll('.head .btn').length >= 3 && document.querySelector('.beside .asked')",
    );
    let enabled = "return [...document.querySelectorAll('.head .btn, .beside .choices button')].filter((one) => !one.disabled || one.title !== arguments[0]).map((one) => one.outerHTML)";
    assert_eq!(browser.run(enabled, &[json!(WHY)]), json!([]));
    ["X", "n"].iter().for_each(|key| says(browser, key, WHY));
    assert_eq!(browser.run("return location.hash", &[]), json!(format!("#{session}")));
}

/// Without its daemon nothing of a session can be pressed.
fn away(house: &mut House, browser: &Browser, session: &str) {
    browser.open("about:blank");
    browser.open(&address(house, &["sessions"]));
    browser.run("location.hash = arguments[0]", &[json!(session)]);
    browser.until("document.querySelectorAll('.head .btn:enabled, .head a.btn').length >= 3");
    house.kill();
    browser.until("document.querySelector('.app.stale')");
    browser.until("document.querySelectorAll('.head .btn').length >= 3 && !document.querySelector('.head .btn:enabled, .head a.btn')");
    says(browser, "X", "The daemon does not answer");
}
