//! Debates: one begins from a task in the Command Center, its columns fill as its roles speak, and another is called off.

use crate::axe::check;
use crate::browser::{Browser, Looks};
use crate::house::House;
use crate::opening::{address, clean};
use serde_json::json;
use std::process::Command;

/// Answers for the role whose worktree it is in, once there is a file for it; one that is empty is a failure.
const ASK: &str = r#"#!/bin/bash
cat > /dev/null
said=../../../../../say/${PWD##*/}
until [ -e "$said" ]; do sleep 0.05; done
[ -s "$said" ] || { echo "鍵がない: <b>no key</b>" >&2; exit 3; }
cat "$said"
"#;

const TEAM: &str =
    "  - {name: worker, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK}
providers: {mine: {based_on: plain, headless: {command: [bash, ./ask.sh], answer: text}}}\n";

const HOSTILE: &str = "# <img src=x onerror=\"window.__hit=1\"> 整数で持つ

Amounts as **integers**, see `ask.sh:2` and src/gone.rs:9. <script>window.__hit=1</script>

[here](javascript:window.__hit=1) ![x](https://example.org/x.png) <style>body{display:none}</style>

1. 一つ目 🎏
   - </div></article><a href=\"https://example.org\">out</a>

```rust
let html = \"<iframe src=//example.org></iframe>\"; // a line that is longer than any column of the table can be
```

| role | says |
|---|---|
| qa | <b>no</b> |
";

const AGREES: &str =
    "# One plan\n\nIntegers in minor units; rounded once, in ask.sh:4.\n\n## Dissent\n\nNone.\n";
const DISSENTS: &str =
    "# 最終計画\n\n桁をそのまま残す。\n\n## 異議\n\n手順2に同意しません: 丸めると**戻せない**。\n";

fn git(house: &House, words: &[&str]) {
    let output = Command::new("git").current_dir(house.path("")).args(words).output().expect("git");
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn house() -> House {
    let mut house =
        House::new("debates 討論", TEAM, &[("agent.sh", crate::house::PLAIN_AGENT), ("ask.sh", ASK)]);
    for words in [
        &["init", "-q", "-b", "main"][..],
        &["config", "user.email", "a@example.com"],
        &["config", "user.name", "人"],
        &["add", "ask.sh"],
        &["commit", "-q", "-m", "first"],
    ] {
        git(&house, words);
    }
    house.start();
    house
}

fn fill(browser: &Browser, selector: &str, text: &str) {
    let script = "const field = document.querySelector(arguments[0]); field.value = arguments[1]; field.dispatchEvent(new Event(field.matches('select') ? 'change' : 'input', { bubbles: true }))";
    browser.run(script, &[json!(selector), json!(text)]);
}

/// Waits until a speech shows a text.
fn until_cell(browser: &Browser, cell: &str, text: &str) {
    browser.until(&format!(
        "document.querySelector('[data-cell=\"{cell}\"]')?.textContent.includes({})",
        json!(text)
    ));
}

#[test]
fn a_debate_fills_its_columns_as_roles_speak_and_another_is_called_off() {
    let house = house();
    let browser = Browser::start(Looks::DESK);
    browser.open(&address(&house, &["command"]));
    browser.until("document.querySelector('#what')");
    browser.press("7");
    browser.until_shown("No debate yet");
    check(&browser, "debates-empty");
    browser.press("2");
    browser.until("document.activeElement.id === 'what'");
    browser.write("#what", "金額は整数と十進数のどちらで持つべきか");
    browser.click("form.compose .btn[type=button]");
    browser
        .until("document.activeElement.id === 'df-task' && document.activeElement.value.startsWith('金額')");
    begun(&browser);
    followed(&browser, &house);
    looked_at(&browser);
    carried_out(&browser);
    called_off(&browser, &house);
    failed(&browser, &house);
    clean(&browser);
}

/// What is refused stands beside its field; what is right begins.
fn begun(browser: &Browser) {
    browser.click(".debating .checks .check:nth-child(2) input");
    fill(browser, ".debating input[list]", "mine");
    fill(browser, ".debating input:not([list]).field", "-x");
    browser.click(".debating .btn.go");
    browser.until("document.activeElement.matches('[aria-invalid=\"true\"]') && document.querySelector('.debating .wrong')?.textContent.includes('begins with a dash')");
    check(browser, "debates-refused");
    browser.picture("debate-refused-light-1440");
    let console = browser.console();
    assert!(console.len() == 1 && console[0].contains("400"), "{console:?}");
    fill(browser, ".debating input:not([list]).field", "");
    fill(browser, ".debating .three label:nth-child(1) select", "2");
    fill(browser, ".debating .three label:nth-child(2) select", "0");
    browser.click(".debating .btn.go");
    browser.until("/^#\\/debates\\/[0-9a-f-]{36}$/.test(location.hash) && document.querySelectorAll('.mx .cell').length === 4");
}

/// Speeches come as they are made; what an agent wrote is text, and nothing of it is done.
fn followed(browser: &Browser, house: &House) {
    ["1 0", "1 1"].iter().for_each(|cell| until_cell(browser, cell, "speaks"));
    until_cell(browser, "2 0", "waits for round 1");
    browser.run("document.querySelector('[data-cell=\"1 0\"]').focus()", &[]);
    house.write("say/round1-architect", HOSTILE);
    until_cell(browser, "1 0", "<script>window.__hit=1</script>");
    until_cell(browser, "1 0", "src/gone.rs:9 points nowhere");
    until_cell(browser, "1 0", "ask.sh:2 exists");
    let elements = "return [window.__hit ?? 0, document.querySelectorAll('main :is(img, script, style, iframe, a[href^=\"http\"], a[href^=\"javascript\"])').length, document.activeElement.dataset.cell]";
    assert_eq!(browser.run(elements, &[]), json!([0, 0, "1 0"]));
    house.write("say/round1-qa", "");
    until_cell(browser, "1 1", "鍵がない: <b>no key</b>");
    until_cell(browser, "1 1", "failed");
    house.write("say/round2-architect", AGREES);
    house.write("say/round2-qa", DISSENTS);
    browser.until("document.querySelector('.head .st b').textContent === 'completed'");
    browser.until("document.querySelectorAll('.stand').length === 2 && document.querySelector('.stand.diss')?.textContent.includes('丸めると戻せない')");
    until_cell(browser, "2 1", "桁をそのまま残す");
    // A role that failed stops nobody, so it waits for nobody.
    browser.until("document.querySelector('.pulse a:nth-child(3) b').textContent === '0'");
    browser.until("document.querySelector('.figs').textContent.includes('2 of 3 cited places exist') && document.querySelector('.figs').textContent.includes('1 of 2 agree')");
}

/// In both themes and widths nothing is wider than the page, and each column can be read.
fn looked_at(browser: &Browser) {
    browser.press("j");
    browser.until("document.activeElement.dataset.cell === '1 1'");
    browser.press("\u{E015}");
    browser.until("document.activeElement.dataset.cell === '2 1'");
    for (width, height) in [(1440, 900), (375, 812)] {
        for looks in [Looks::DESK.sized(width, height), Looks::DESK.sized(width, height).dark()] {
            browser.look(looks);
            let name = format!("debate-{}-{width}", if looks.dark { "dark" } else { "light" });
            browser.until("document.querySelectorAll('.mx .cell').length === 4");
            let top =
                if width < 900 { "document.querySelector('.mx').scrollIntoView()" } else { "scrollTo(0, 0)" };
            browser.run(
                &format!(
                    "document.activeElement.blur(); {top}; document.querySelector('.mx').scrollLeft = 0"
                ),
                &[],
            );
            let wide = browser.run("return document.documentElement.scrollWidth - innerWidth", &[]);
            assert!(wide.as_i64().is_some_and(|more| more <= 0), "{name} is {wide} px too wide");
            browser.picture(&name);
            check(browser, &name);
        }
    }
    browser.look(Looks::DESK);
}

/// Its final plan becomes a session, after a question; a second one is refused.
fn carried_out(browser: &Browser) {
    let debate = browser.run("return location.hash", &[]);
    browser.run("document.activeElement.blur()", &[]);
    browser.press("c");
    browser.until(
        "document.querySelector('dialog[open]')?.textContent.includes('nothing begins without your yes')",
    );
    browser.click("dialog .btn:last-child");
    browser.until("/^#\\/sessions\\/[0-9a-f-]{36}$/.test(location.hash) && document.querySelector('main').textContent.includes('整数')");
    let session = browser.run("return location.hash.split('/')[2]", &[]);
    browser.run("location.hash = arguments[0]", &[debate]);
    browser.click(".head .btn");
    browser.until("document.querySelector('dialog[open]')");
    browser.click("dialog .btn:last-child");
    let told = "document.querySelector('.toast')?.textContent";
    browser.until(&format!("{told}?.includes('was handed over before') && {told}.includes({session})"));
    let console = browser.console();
    assert!(console.len() == 1 && console[0].contains("409"), "{console:?}");
    let cancel = "const [id, done] = arguments; import('/live/api.js').then(({ ask }) => ask(`/api/sessions/${id}/cancel`, { method: 'POST' })).then((answer) => done(answer.ok))";
    assert_eq!(browser.run_later(cancel, &[session]), json!(true));
}

/// Begins one by the page's own way to the daemon, and gives its id.
fn begin(browser: &Browser, task: &str, roles: &str) -> String {
    let script = "const [task, roles, done] = arguments; import('/live/api.js').then(({ ask }) => ask('/api/debates', { body: { task, roles, provider: 'mine' } })).then((answer) => done(answer.data.debate_id))";
    let id = browser.run_later(script, &[json!(task), json!(roles)]);
    id.as_str().expect("an id").to_owned()
}

/// One that is under way is in the list, and is called off after a question.
fn called_off(browser: &Browser, house: &House) {
    std::fs::remove_dir_all(house.path("say")).expect("nobody is answered for");
    let second = begin(browser, "<i>second</i>", "qa,developer");
    browser.run("location.hash = '#/debates'", &[]);
    let row = format!("document.querySelector('.debates .list a[href$=\"{second}\"]')");
    browser.until(&format!(
        "{row}?.textContent.includes('<i>second</i>') && {row}.textContent.includes('round 1 of 3')"
    ));
    browser.picture("debates-light-1440");
    check(browser, "debates");
    browser.run(&format!("{row}.click()"), &[]);
    until_cell(browser, "1 0", "speaks");
    until_cell(browser, "1 1", "waits");
    browser.run("document.activeElement.blur()", &[]);
    browser.press("X");
    browser.until("document.querySelector('dialog[open]')?.textContent.includes('6 answers are still open')");
    browser.click("dialog .btn:last-child");
    browser.until("document.querySelector('.head .st b').textContent === 'called off' && !document.querySelector('.head .btn')");
    until_cell(browser, "2 1", "called off");
}

/// One of which nobody spoke says why, and is among what needs a person, where nothing offers to try roles again.
fn failed(browser: &Browser, house: &House) {
    house.write("say/round1-product", "");
    let third = begin(browser, "third", "product");
    browser.run("location.hash = arguments[0]", &[json!(format!("#/needs/session.{third}"))]);
    browser.until(&format!("document.querySelector('.det a[href=\"#/debates/{third}\"]')"));
    let offers = "return [...document.querySelectorAll('.det .btn')].some((one) => one.textContent.includes('Try again'))";
    assert_eq!(browser.run(offers, &[]), json!(false));
    browser.click(&format!(".det a[href='#/debates/{third}']"));
    browser.until(
        "document.querySelector('.head .note.bad')?.textContent.includes('no role has completed round 1')",
    );
}
