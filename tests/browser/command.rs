//! Command Center: a task is handed over as the command line beside it would, once, and followed to its result.

use crate::browser::{Browser, Looks};
use crate::house::House;
use crate::opening::{address, clean};
use serde_json::{Value, json};
use std::process::Stdio;

/// Ctrl and Enter, as WebDriver writes them.
const CTRL_ENTER: &str = "\u{E009}\u{E007}";
/// What the composer holds.
const TEXT: &str = "document.getElementById('what').value";

fn opened(house: &House) -> Browser {
    let browser = Browser::start(Looks::DESK);
    browser.open(&address(house, &["command"]));
    browser.until("document.getElementById('what') && document.querySelector('.to input:checked')");
    browser
}

/// All messages that the workspace knows.
fn ids(house: &House) -> Vec<String> {
    let listed = house.ask(&["list", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).expect("a list");
    let ids = listed["messages"].as_array().expect("messages").iter();
    let tasks = ids.filter(|message| message["type"] == "task");
    tasks.map(|message| message["id"].as_str().expect("an id").to_owned()).collect()
}

/// Writes a text at once, with what WebDriver has no keys for.
fn fill(browser: &Browser, text: &str) {
    let script = "const field = document.getElementById('what'); field.value = arguments[0]; \
                  field.dispatchEvent(new Event('input', { bubbles: true }))";
    browser.run(script, &[json!(text)]);
}

/// Chooses an option as a person does with the keyboard.
fn choose(browser: &Browser, chip: usize, value: &str) {
    let script = "const field = document.querySelectorAll('.chip select')[arguments[0]]; field.value = arguments[1]; \
                  field.dispatchEvent(new Event('change', { bubbles: true }))";
    browser.run(script, &[json!(chip), json!(value)]);
}

#[test]
fn the_command_line_does_what_the_button_does() {
    let mut house = House::plain("same 行");
    house.start();
    let browser = opened(&house);
    let text = "it's --for 頁 \"now\" $HOME `id` 🎽";
    fill(&browser, text);
    choose(&browser, 0, "high");
    choose(&browser, 2, "15m");
    let line = browser.until("document.querySelector('.compose .cmd code').textContent");
    let line = line.as_str().expect("a line").to_owned();
    assert!(line.contains("--priority high") && line.contains("--timeout 15m"), "{line}");
    // In a shell as it is, where `tasuki` is this one.
    let bin = house.path("bin");
    std::fs::create_dir(&bin).expect("a folder");
    std::os::unix::fs::symlink(house.tasuki().get_program(), bin.join("tasuki")).expect("a link");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let mut shell = std::process::Command::new("bash");
    shell.args(["-c", &line]).current_dir(house.path("")).env("PATH", path).stdin(Stdio::null());
    let sent = shell.output().expect("a shell");
    assert!(sent.status.success(), "{line}: {}", String::from_utf8_lossy(&sent.stderr));
    let id = ids(&house).pop().expect("a message");
    house.result(&id);
    let shown = house.ask(&["show", &id, "--json"]);
    let shown: Value = serde_json::from_slice(&shown.stdout).expect("the message");
    assert_eq!(shown["content"], json!(text), "{shown}");
    // What the button sends is the same message to the letter: the daemon takes it for known.
    browser.write("#what", CTRL_ENTER);
    browser.until(&format!("{TEXT} === '' && location.hash.includes({})", json!(id)));
    // A task without a text is none, and it says so.
    browser.write("#what", CTRL_ENTER);
    browser.until_shown("There is nothing to hand over yet");
    assert_eq!(ids(&house), [id]);
    browser.until_shown("Verified");
    clean(&browser);
}

#[test]
fn the_composer_keeps_its_text_until_it_is_on_the_disk_and_sends_it_once() {
    let mut house = House::plain("kept");
    house.surround("DELAY", "2".as_ref());
    house.start();
    let browser = opened(&house);
    browser.write("#what", "実行してください");
    // Enter that ends a conversion sends nothing.
    let composing = "document.getElementById('what').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, \
                     isComposing: true, bubbles: true }))";
    browser.run(composing, &[]);
    assert!(ids(&house).is_empty());
    // The answer is held back: it is not empty before the answer is there. Then the answer is lost.
    let lost = "const real = window.fetch; window.fetch = async (path, more) => { const answer = await real(path, more); \
                if (path !== '/api/messages' || !more?.body) return answer; window.fetch = real; \
                return new Promise((_, lose) => { window.lose = () => lose(new TypeError('lost')) }) }";
    browser.run(lost, &[]);
    browser.write("#what", CTRL_ENTER);
    browser.until("window.lose");
    assert_eq!(browser.run(&format!("return {TEXT}"), &[]), json!("実行してください"));
    browser.until("document.querySelector('.btn.go').disabled");
    browser.run("window.lose()", &[]);
    browser.until_shown("Sending it again cannot double it");
    assert_eq!(browser.run(&format!("return {TEXT}"), &[]), json!("実行してください"));
    browser.click(".btn.go");
    browser.until(&format!("{TEXT} === ''"));
    assert_eq!(ids(&house).len(), 1);
    followed(&browser, &house);
    refused(&browser, &house);
    clean(&browser);
}

/// It is followed live, from who has it to what came of it.
fn followed(browser: &Browser, house: &House) {
    let id = ids(house).pop().expect("a message");
    browser.until("document.querySelector('.ladder .now')");
    browser.until_shown(&format!("answer to {id}"));
    browser.until("document.querySelectorAll('.ladder .done').length === 6");
}

/// What is refused stays, with cause and cure, and nothing is sent.
fn refused(browser: &Browser, house: &House) {
    let long = "const field = document.getElementById('what'); field.value = ('0123456789'.repeat(11) + ' ').repeat(10000); \
                field.dispatchEvent(new Event('input', { bubbles: true }))";
    browser.run(long, &[]);
    browser.click(".btn.go");
    // Not by what a person reads: of a text area with a MiB that takes Chromium a minute.
    browser.until("document.querySelector('.compose .note.bad strong')?.textContent === 'It was refused'");
    browser.until("document.querySelector('.compose .note.bad p').textContent.includes('1 MiB at most')");
    assert_eq!(browser.run(&format!("return {TEXT}.length"), &[]), json!(1_110_000));
    assert_eq!(ids(house).len(), 1);
    // The console tells of the answer 4xx, which is what was asked for.
    assert!(
        browser.console().iter().all(|line| line.contains("/api/messages") && line.contains("status of 4"))
    );
    // What is written is still there in this tab after a reload.
    fill(browser, "続きは明日");
    browser.reload();
    browser.until(&format!("document.getElementById('what') && {TEXT} === '続きは明日'"));
}
