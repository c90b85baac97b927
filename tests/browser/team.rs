//! Team: a tree for few and a table for many, an agent's screen as it changes, its queue, and what ends it is asked once.

use crate::browser::{Browser, Looks};
use crate::house::{House, PLAIN_AGENT};
use crate::opening::{address, clean};
use std::fmt::Write as _;

/// A boss, and so many below it.
pub(crate) fn many(name: &str, below: usize) -> House {
    let mut agents = String::new();
    for number in 0..=below {
        let (agent, boss) =
            if number == 0 { ("lead".to_owned(), "user") } else { (format!("a{number}"), "lead") };
        let _ = writeln!(
            agents,
            "  - {{name: {agent}, reports_to: {boss}, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK}}"
        );
    }
    House::new(name, &agents, &[("agent.sh", PLAIN_AGENT)])
}

#[test]
fn an_agents_screen_is_live_and_what_ends_it_is_asked_once() {
    let mut house = many("team 頁", 2);
    house.start();
    let browser = Browser::start(Looks::DESK);
    browser.open(&address(&house, &["team"]));
    browser.until("document.querySelectorAll('.agent').length === 3");
    browser.click("[data-agent=a1]");
    browser.until("location.hash === '#/team/a1' && document.querySelector('.side .term')");
    house.tmux(&["send-keys", "-t", "a1", "-l", "画面 is live"]);
    browser.until("document.querySelector('.side .term').textContent.includes('画面 is live')");
    house.tmux(&["send-keys", "-t", "a1", "C-u"]);
    browser.until("!document.querySelector('.side .term').textContent.includes('is live')");
    queued(&browser, &house);
    asked(&browser, &house);
    keys(&browser);
    clean(&browser);
}

fn queued(browser: &Browser, house: &House) {
    browser.run("document.activeElement.blur()", &[]);
    browser.press("H");
    browser.until_shown("All typing is held since");
    house.drop("one.yaml", "id: one\nto: a1\ncontent: x\n");
    house.drop("two.yaml", "id: two\nto: a1\ncontent: y\npriority: high\n");
    browser.until("[...document.querySelectorAll('.q li')].map((one) => one.querySelector('a').getAttribute('href').split('/').pop()).join() === 'two,one'");
    called_off_in_its_queue(browser);
    // Holding acts at once, letting go on is asked.
    browser.press("H");
    browser.until("document.querySelector('dialog[open]')");
    browser.until_shown("What is queued is typed to its agents again");
    browser.click("dialog .btn:last-child");
    for id in ["one", "two"] {
        house.result(id);
    }
    browser.until("!document.querySelector('.q li')");
    told(browser);
}

/// What has just happened stands at the end of the log, which a key leads to; and its answer is one that nobody has read.
fn told(browser: &Browser) {
    browser
        .until("[...document.querySelectorAll('.log .ev li p')].at(-1)?.textContent.includes('completed')");
    browser.press("l");
    browser.until("document.activeElement.matches('.log') && document.activeElement.scrollTop > 0");
    browser.run("location.hash = '#/needs'", &[]);
    browser.until(
        "[...document.querySelectorAll('.answers .list a')].some((one) => one.hash === '#/messages/two')",
    );
    browser.run("location.hash = '#/team/a1'", &[]);
    browser.until("document.querySelector('.side .term')");
}

/// What is queued is held while nothing is typed; nobody would be interrupted for it, and the safe button has the focus.
fn called_off_in_its_queue(browser: &Browser) {
    browser.run("location.hash = '#/messages/one'", &[]);
    browser.until("document.querySelector('.head .st')?.textContent.includes('held')");
    browser.press("X");
    browser.until_shown("It is queued; nobody has begun it.");
    browser.until("document.activeElement === document.querySelector('dialog[open] .btn:first-child')");
    browser.press("\u{E00C}");
    browser.until("!document.querySelector('dialog[open]')");
    browser.run("location.hash = '#/team/a1'", &[]);
    browser.until("document.querySelector('.side .term')");
}

fn asked(browser: &Browser, house: &House) {
    let buttons = ".side .row.wrap button.btn:not(.square)";
    let restarts = |house: &House| house.read("status/agents/a1.yaml").contains("restarts: 1");
    browser.click(buttons);
    browser.until_shown("Restart a1?");
    browser.until_shown("Its running turn is given to it anew");
    browser.press("\u{E00C}");
    browser.until("!document.querySelector('dialog[open]')");
    let pid = |house: &House| house.tmux(&["display-message", "-p", "-t", "a1", "#{pane_pid}"]);
    let before = pid(house);
    browser.click(buttons);
    browser.click("dialog .btn:last-child");
    house.until("another process", |house| pid(house) != before || restarts(house));
    browser.click(".side .row.wrap button.plain:not(.square)");
    browser.until_shown("Stop a1?");
    browser.click("dialog .btn:last-child");
    house.until("it to be stopped", |house| house.read("status/agents/a1.yaml").contains("state: stopped"));
    browser.until("document.querySelector('.side .st').textContent.includes('stopped')");
    browser.click(buttons);
    house.until("it to be free", |house| house.read("status/agents/a1.yaml").contains("state: idle"));
}

/// Choosing, going and coming back by keys alone; and not at all where they are switched off.
fn keys(browser: &Browser) {
    browser.run("document.activeElement.blur()", &[]);
    browser.press("j");
    browser.until("location.hash === '#/team/a2' && document.activeElement.dataset.agent === 'a2'");
    browser.press("k");
    browser.until("location.hash === '#/team/a1'");
    browser.press("2");
    browser.until("location.hash.startsWith('#/command') && document.activeElement.id === 'what'");
    browser.press("\u{E00C}");
    browser.press("?");
    browser.until("document.querySelector('dialog.help[open]')");
    browser.press("1");
    browser.press("\u{E00C}");
    browser.until("!document.querySelector('dialog[open]') && location.hash.startsWith('#/command')");
    browser.run("location.hash = '#/settings'", &[]);
    browser.click(".check input");
    browser.run("document.activeElement.blur()", &[]);
    browser.press("1");
    browser.press("n");
    browser.until("location.hash === '#/settings'");
    browser.click(".settings .tabs[aria-label] button:nth-child(3)");
    browser.click(".settings dl > div:nth-child(2) .tabs button:nth-child(3)");
    browser.until_shown("設定");
    browser.reload();
    browser.until("document.documentElement.lang === 'ja' && document.querySelector('.check input') && !document.querySelector('.check input').checked");
    browser.click(".check input");
}

#[test]
fn from_thirteen_agents_on_a_team_opens_as_a_table() {
    let mut house = many("many", 12);
    house.start();
    assert!(house.ask(&["agent", "stop", "a7"]).status.success());
    let browser = Browser::start(Looks::DESK);
    browser.open(&address(&house, &["team"]));
    browser.until("document.querySelector('table.tb')");
    browser.until("document.querySelectorAll('.strip .ms a').length === 13");
    browser.until("document.querySelector('[data-find]')");
    browser.run("document.activeElement.blur()", &[]);
    browser.press("/");
    browser.until("document.activeElement.matches('[data-find]')");
    browser.press("a12");
    browser.until(
        "document.querySelectorAll('.tb [data-agent]').length === 1 && location.hash.includes('text=a12')",
    );
    browser.reload();
    browser.until("document.querySelectorAll('.tb [data-agent]').length === 1");
    browser.press("\u{E00C}");
    browser.run("location.hash = '#/team/a7?view=tree'", &[]);
    browser.until("document.querySelector('.agent[data-agent=a7][aria-current]')");
    // What is well is folded, and unfolds.
    browser.click(".folded");
    browser.until("document.querySelectorAll('.agent').length === 13");
    clean(&browser);
}
