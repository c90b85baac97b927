//! Each place as it looks: in both themes, wide and narrow, in Japanese; with a picture of each, and checked by axe-core.

use crate::axe::{check, check_room};
use crate::browser::{Browser, Looks};
use crate::opening::{address, clean};
use crate::scene;

/// Widths and heights at which everything is looked at.
const SIZES: [(u32, u32); 2] = [(1440, 900), (390, 844)];
/// Name, address, and what has to be there.
type Place<'a> = (&'a str, &'a str, &'a str);

const PLACES: [Place<'static>; 7] = [
    ("needs", "/needs", "document.querySelector('.grp')"),
    ("needs-one", "/needs/held.ledger-wal", "document.querySelector('.det')"),
    (
        "command",
        "/command?follow=dry-run",
        "document.querySelector('.relay') && document.querySelector('.ev li')",
    ),
    ("team", "/team", "document.querySelector('.agent, .tl')"),
    ("team-one", "/team/coding_writing_specialist", "document.querySelector('.side .term .line')"),
    ("message", "/messages/sjis-fix", "document.querySelectorAll('.seq li').length > 10"),
    ("settings", "/settings", "document.querySelector('.settings')"),
];

/// Sees a place, with a picture of it, and checks that nobody is kept out.
fn look(browser: &Browser, looks: Looks, place: Place<'_>) {
    let name = see(browser, looks, place);
    browser.picture(&name);
    // In the smallest, and narrow in Japanese, the width alone is new.
    let is_checked = looks.size.0 != 360 && (looks.language != "ja" || looks.size.0 == 1440);
    if is_checked {
        check(browser, &name);
    }
}

/// Goes to a place and waits for what has to be there: nothing is wider than the page. Gives its name and how it is looked at.
fn see(browser: &Browser, looks: Looks, (name, place, is_there): Place<'_>) -> String {
    browser.look(looks);
    browser.run("location.hash = arguments[0]", &[serde_json::json!(place)]);
    browser.until(is_there);
    browser.until("!document.querySelector('main .outline')");
    let theme = if looks.dark { "dark" } else { "light" };
    let name = format!("{name}-{}{theme}-{}", if looks.language == "ja" { "ja-" } else { "" }, looks.size.0);
    let wide = browser.run("return document.documentElement.scrollWidth - innerWidth", &[]);
    assert!(wide.as_i64().is_some_and(|more| more <= 0), "{name} is {wide} px too wide");
    name
}

#[test]
fn each_place_looks_well_in_both_themes_and_widths_and_in_japanese() {
    let house = scene::kakeibo();
    let browser = Browser::start(Looks::DESK);
    browser.open(&address(&house, &["needs"]));
    browser.until("document.querySelector('.grp')");
    for (width, height) in SIZES {
        for looks in [Looks::DESK.sized(width, height), Looks::DESK.sized(width, height).dark()] {
            PLACES.into_iter().for_each(|place| look(&browser, looks, place));
        }
    }
    let narrowest = Looks::DESK.sized(360, 740);
    PLACES.into_iter().for_each(|place| look(&browser, narrowest, place));
    two_places(&browser);
    in_dialogs(&browser);
    clean(&browser);
    browser.run("localStorage.setItem('tasuki-language', 'ja'); location.reload()", &[]);
    browser.until("document.documentElement.lang === 'ja' && document.querySelector('main')");
    for looks in [Looks::DESK, Looks::DESK.sized(390, 844)] {
        PLACES.into_iter().for_each(|place| look(&browser, looks.in_japanese(), place));
    }
    clean(&browser);
}

/// What is higher or wider than its box, of what has words that must be read whole.
const CUT: &str = "return [...document.querySelectorAll('button, .btn, .agent, .you, .ladder li, .seq li, .pulse a, .bar-tabs a, .nav li a, .tabs')]
    .filter((one) => one.offsetParent && (one.scrollHeight > one.clientHeight + 2 || one.scrollWidth > one.clientWidth + 2))
    .map((one) => `${one.tagName}.${one.className}: ${one.textContent.slice(0, 60)} ${one.scrollWidth}x${one.scrollHeight} in ${one.clientWidth}x${one.clientHeight}`)";

#[test]
fn at_200_percent_and_with_large_letters_nothing_is_cut() {
    let house = scene::kakeibo();
    let address = address(&house, &["needs"]);
    let browser = Browser::start(Looks::DESK);
    browser.open(&address);
    browser.until("document.querySelector('.grp')");
    // A browser's zoom makes its window smaller, in pixels of the page; its setting of letters makes all but the window larger.
    for (letters, size) in [(16, (720, 450)), (20, (1440, 900)), (24, (1440, 900)), (32, (1440, 900))] {
        browser.devtools("Page.setFontSizes", &serde_json::json!({"fontSizes": {"standard": letters}}));
        browser.until(&format!("getComputedStyle(document.documentElement).fontSize === '{letters}px'"));
        for (name, place, is_there) in PLACES {
            let name = format!("{name}-letters-{letters}");
            let name = see(&browser, Looks::DESK.sized(size.0, size.1), (&name, place, is_there));
            check_room(&browser, &name);
            // Of those between the smallest and the largest, pictures say nothing more.
            if [16, 32].contains(&letters) {
                browser.picture(&name);
            }
            assert_eq!(browser.run(CUT, &[]), serde_json::json!([]), "{name}");
        }
        clean(&browser);
    }
}

/// Runs in each frame: names what moves.
const MOVES: &str = "window.__moves = new Set(); (function look() {
    for (const one of document.getAnimations()) if (one.effect.getTiming().duration > 1) window.__moves.add(`${one.animationName ?? one.transitionProperty} ${one.effect.target.className}`);
    requestAnimationFrame(look); })()";

#[test]
fn nothing_moves_for_who_wants_no_movement() {
    let mut house = crate::house::House::plain("still 静");
    house.start();
    for (motion, moves) in [("no-preference", true), ("reduce", false)] {
        let browser = Browser::start(Looks::DESK);
        let features = serde_json::json!({"features": [{"name": "prefers-reduced-motion", "value": motion}]});
        browser.devtools("Emulation.setEmulatedMedia", &features);
        browser.devtools("Page.addScriptToEvaluateOnNewDocument", &serde_json::json!({"source": MOVES}));
        browser.open(&address(&house, &["needs"]));
        browser.until_shown("Nothing waits for you");
        let id = format!("m-{motion}");
        for place in ["command", "team/worker", "team?view=table", "messages", "settings", "needs"] {
            browser.run("location.hash = `#/${arguments[0]}`", &[serde_json::json!(place)]);
            browser.until("!document.querySelector('main .outline')");
            if place == "command" {
                house.drop(&format!("{id}.yaml"), &format!("id: {id}\nto: worker\ncontent: 動く\n"));
                house.result(&id);
                browser.run("location.hash = `#/command?follow=${arguments[0]}`", &[serde_json::json!(id)]);
                browser.until_shown("answer to");
            }
            // Four frames, in which what moves would have begun.
            browser.run_later("const done = arguments[0]; let left = 4; (function next() { left-- ? requestAnimationFrame(next) : done(true) })()", &[]);
        }
        let seen = browser.run("return [...window.__moves]", &[]);
        assert_eq!(seen.as_array().is_some_and(|seen| !seen.is_empty()), moves, "{motion}: {seen}");
        clean(&browser);
    }
}

/// On a phone a list and one of its items are two places, with a way back.
fn two_places(browser: &Browser) {
    browser.look(Looks::DESK.sized(390, 844));
    browser.run("location.hash = '#/needs'", &[]);
    browser.until("document.querySelector('.bar-tabs') && document.querySelector('.grp') && !document.querySelector('.det')");
    browser.click("[data-need='held.ledger-wal']");
    browser.until("document.querySelector('.det') && !document.querySelector('.grp')");
    browser.click(".back");
    browser.until("document.querySelector('.grp') && !document.querySelector('.det')");
    browser.click(".bar-tabs a:nth-child(4)");
    browser.until("document.querySelector('.window') && !document.querySelector('.one')");
    browser.click(".window li a");
    browser.until("document.querySelector('.one') && !document.querySelector('.window')");
    browser.click(".back");
    browser.until("document.querySelector('.window') && !document.querySelector('.one')");
}

/// Key help, a question, and the refusal of words that no choice takes.
fn in_dialogs(browser: &Browser) {
    browser.look(Looks::DESK.dark());
    browser.run("location.hash = '#/needs'", &[]);
    browser.until("document.querySelector('.det')");
    browser.press("?");
    browser.until("document.querySelector('dialog.help[open]')");
    browser.picture("help-dark-1440");
    check(browser, "help");
    browser.press("\u{E00C}");
    browser.run("location.hash = '#/command?follow=dry-run'", &[]);
    browser.until("document.querySelector('.relay')");
    browser.press("X");
    browser.until_shown("Call off “Add --dry-run");
    browser.picture("question-dark-1440");
    check(browser, "question");
    browser.press("\u{E00C}");
    browser.until("!document.querySelector('dialog[open]')");
}

#[test]
fn an_empty_workspace_says_what_to_do_next() {
    let mut house = crate::team::many("empty", 0);
    house.start();
    let browser = Browser::start(Looks::DESK);
    browser.open(&address(&house, &["needs"]));
    browser.until_shown("All clear");
    let places = [
        ("empty-needs", "/needs", "document.querySelector('.empty')"),
        ("empty-command", "/command", "document.querySelector('.first, .empty')"),
        ("empty-team", "/team", "document.querySelector('.agent, .tl')"),
        ("empty-messages", "/messages", "document.querySelector('.lists')"),
    ];
    for (width, height) in SIZES {
        for looks in [Looks::DESK.sized(width, height), Looks::DESK.sized(width, height).dark()] {
            places.into_iter().for_each(|place| look(&browser, looks, place));
        }
    }
    clean(&browser);
}

#[test]
fn a_story_of_more_lanes_than_twelve_looks_well() {
    let house = scene::wide();
    let browser = Browser::start(Looks::DESK);
    browser.open(&address(&house, &["messages/wide"]));
    let wide = ("lanes", "/messages/wide", "document.querySelectorAll('.seq .h div span').length === 12");
    look(&browser, Looks::DESK, wide);
    // The diagram scrolls in its card, never the page; on a phone it is a list.
    let list = (
        "lanes",
        "/messages/wide",
        "document.querySelectorAll('.seq li').length > 20 && !document.querySelector('svg.lanes')",
    );
    look(&browser, Looks::DESK.sized(390, 844).dark(), list);
    clean(&browser);
}

#[test]
fn a_team_in_trouble_looks_well() {
    let house = scene::trouble();
    let browser = Browser::start(Looks::DESK);
    browser.open(&address(&house, &["team"]));
    let places = [
        (
            "trouble",
            "/team?view=tree",
            "document.body.innerText.includes('waits for a limit') && document.body.innerText.includes('back at') && document.body.innerText.includes('stopped')",
        ),
        ("trouble-table", "/team?view=table", "document.querySelector('.tb')"),
        ("trouble-limit", "/team/limited", "document.querySelector('.side .term .line')"),
        ("trouble-stopped", "/team/off_duty", "document.querySelector('.side')"),
    ];
    places.into_iter().for_each(|place| look(&browser, Looks::DESK, place));
    clean(&browser);
}
