//! A page that was opened with the read-only token: what would change something is disabled and says why, in each place.

use crate::axe::check;
use crate::browser::{Browser, Looks};
use crate::house::House;
use crate::opening::address;
use crate::{questions, scene};
use serde_json::{Value, json};

const WHY: &str = "This page may look, and change nothing.";
/// Buttons that change nothing: they open, choose, copy and close.
const HARMLESS: &str = "[aria-expanded], [aria-pressed], .hint, .square, .folded, .link, .tag, .first .btn, .fresh, dialog *, .toast *";

/// Of what can be pressed and is none of the harmless: what is enabled, or does not say why it is not.
fn acting(browser: &Browser) -> Value {
    let script = "const all = [...document.querySelectorAll('button')].filter((one) => !one.matches(arguments[0]));
        const field = document.querySelector('.say-it input');
        return all.concat(field ?? []).filter((one) => !one.disabled || one.title !== arguments[1]).map((one) => one.outerHTML)";
    browser.run(script, &[json!(HARMLESS), json!(WHY)])
}

/// Goes to a place; each of these buttons is there, and all that act are disabled and say why.
fn disabled(browser: &Browser, place: &str, is_there: &str, buttons: &[&str]) {
    browser.run("location.hash = arguments[0]", &[json!(place)]);
    browser.until(is_there);
    for button in buttons {
        let there = format!(
            "[...document.querySelectorAll('button')].some((one) => one.textContent.includes({}))",
            json!(button)
        );
        browser.until(&there);
    }
    let enabled = acting(browser);
    assert_eq!(enabled, json!([]), "{place}");
}

#[test]
fn a_page_that_may_only_look_has_no_button_that_acts() {
    let house = scene::kakeibo();
    let browser = Browser::start(Looks::DESK);
    browser.open(&address(&house, &["--read-only"]));
    browser.until("document.querySelector('.daemon .tag')?.textContent === 'looks only'");
    let held = "document.querySelector('[data-need=\"held.ledger-wal\"][aria-current]') && document.querySelector('.det')";
    disabled(
        &browser,
        "/needs/held.ledger-wal",
        held,
        &["Hold all typing", "Try it again", "Call its task off"],
    );
    browser.picture("looks-only-needs");
    check(&browser, "looks-only");
    let failed = "document.querySelector('[data-need=\"failed.deps-audit\"][aria-current]') && document.querySelector('.det .btn kbd')";
    disabled(&browser, "/needs/failed.deps-audit", failed, &["Try"]);
    disabled(
        &browser,
        "/command?follow=dry-run",
        "document.querySelector('.relay')",
        &["Hand over", "Call off"],
    );
    browser.write("#what", "続き");
    browser.until("document.querySelector('.btn.go').disabled");
    disabled(&browser, "/team/reviewer", "document.querySelector('.side .facts')", &["Restart", "Stop"]);
    disabled(&browser, "/messages/dry-run", "document.querySelector('.head .btn')", &["Call off"]);
    disabled(&browser, "/messages/deps-audit", "document.querySelector('.head .btn')", &["Retry"]);
    disabled(&browser, "/settings", "document.querySelector('.settings')", &[]);
    // A key says so, asks nothing, and nobody is asked.
    browser.run("document.activeElement.blur(); window.__posts = 0; const real = window.fetch; window.fetch = (path, more) => ((window.__posts += more?.method === 'POST' ? 1 : 0), real(path, more))", &[]);
    for (place, key) in [
        ("/team/reviewer", "R"),
        ("/messages/dry-run", "X"),
        ("/messages/deps-audit", "r"),
        ("/settings", "H"),
    ] {
        browser.run("location.hash = arguments[0]", &[json!(place)]);
        browser.until("document.querySelector('.side .facts, .head .btn, .settings') && !document.querySelector('main .outline')");
        browser.press(key);
        browser.until(&format!("document.querySelector('.toast')?.textContent.includes({})", json!(WHY)));
        browser.click(".toast .btn.plain");
        browser.until("!document.querySelector('.toast')");
    }
    assert_eq!(
        browser.run("return [window.__posts, document.querySelectorAll('dialog').length]", &[]),
        json!([0, 0])
    );
    // A tab that is loaded anew may do no more.
    browser.reload();
    disabled(&browser, "/settings", "document.querySelector('.daemon .tag')", &["Hold all typing"]);
    assert_eq!(browser.console(), [""; 0]);
}

/// Of a question each choice and the words are disabled, and keys press nothing.
#[test]
fn who_may_only_look_answers_no_question() {
    let mut house: House = questions::house("asks to look at");
    house.start();
    house.drop("first.yaml", "id: first\nto: a\ncontent: work\n");
    let browser = Browser::start(Looks::DESK);
    browser.open(&address(&house, &["--read-only"]));
    disabled(
        &browser,
        "/needs",
        "document.querySelectorAll('.choices button').length >= 4",
        &["Yes", "Always", "No"],
    );
    browser.press("a1");
    browser.until(&format!("document.querySelector('.toast')?.textContent.includes({})", json!(WHY)));
    disabled(
        &browser,
        "/team/a",
        "document.querySelectorAll('.side .choices button').length >= 4",
        &["Yes", "Restart"],
    );
    assert_eq!(house.read("keys.log"), "");
    // The other token does it.
    browser.open("about:blank");
    browser.open(&address(&house, &["needs"]));
    browser.until(
        "document.querySelector('.choices button:enabled') && !document.querySelector('.daemon .tag')",
    );
}
