//! Sessions: one begins by a plan or a goal, its graph follows what its agents do, and what is done to it is done from its page.

use crate::axe::check;
use crate::browser::{Browser, Looks};
use crate::house::House;
use crate::opening::{address, clean};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Answers with what its task says: `HOLD x` waits for the file `go/x`, `FAIL x` fails until it is there, and `MAKE-A-PLAN` answers
/// with the file `plan.answer`.
const AGENT: &str = r#"#!/bin/bash
while IFS= read -r line; do
  [[ $line =~ \(token\ ([a-z0-9]{6})\) ]] || continue
  token=${BASH_REMATCH[1]}
  id=$(sed -n 's/.*task \([^ ]*\) .*/\1/p' <<<"$line")
  text=$(cat "$(sed -n 's/.*read \(.*\.yaml\) and.*/\1/p' <<<"$line")")
  kind=result said="done: 済み"
  if [[ $text =~ HOLD\ ([a-z0-9]+) ]]; then until [ -e "go/${BASH_REMATCH[1]}" ]; do sleep 0.05; done; fi
  if [[ $text =~ FAIL\ ([a-z0-9]+) && ! -e "go/${BASH_REMATCH[1]}" ]]; then kind=error said=$'列 3: the ledger\n  <b>is not in order</b>'; fi
  if [[ $text == *MAKE-A-PLAN* ]]; then said=$(cat plan.answer); fi
  { printf 'to: user\ntype: %s\ntoken: %s\nin_reply_to: %s\ncontent: |\n' "$kind" "$token" "$id"; sed 's/^/  /' <<<"$said"; } > "queue/.answer-$id"
  mv "queue/.answer-$id" "queue/answer-$id.yaml"
done
"#;

const BAD: &str = "name: 家計簿\ntasks:\n  - {name: one, description: x}\n  - {name: two, description: x, dependencys: [task-1]}\n";

const PLAN: &str = "name: 家計簿を複数通貨に 🎌\nparallel: 2\non_failure: skip\ntasks:
  - {name: Currencies, to: coding, description: HOLD one}
  - {name: 金額の型, to: coding, description: HOLD two, dependencies: [task-1]}
  - {name: Old ledgers, to: testing, description: \"on copies only: FAIL three\", dependencies: [task-1]}
  - {name: Tests, to: testing, description: x, dependencies: [task-2, task-3]}
  - {name: Changelog, to: coding, description: HOLD five, dependencies: [task-4]}\n";

fn house(name: &str) -> House {
    let agents = [("lead", "user"), ("coding", "lead"), ("testing", "lead")].map(|(name, boss)| {
        format!("  - {{name: {name}, reports_to: {boss}, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK}}\n")
    });
    let mut house = House::new(name, &agents.concat(), &[("agent.sh", AGENT)]);
    house.start();
    house
}

/// Puts a text into a field as a paste does.
fn fill(browser: &Browser, selector: &str, text: &str) {
    let script = "const field = document.querySelector(arguments[0]); field.value = arguments[1]; field.dispatchEvent(new Event('input', { bubbles: true }))";
    browser.run(script, &[json!(selector), json!(text)]);
}

/// Presses the button or link with this text.
fn press(browser: &Browser, text: &str) {
    let script = format!(
        "[...document.querySelectorAll('main .btn, main .tabs button')].find((one) => one.textContent.trim().startsWith({}) && !one.disabled)?.click() ?? true",
        json!(text)
    );
    browser.until(&format!("[...document.querySelectorAll('main .btn, main .tabs button')].some((one) => one.textContent.trim().startsWith({}) && !one.disabled)", json!(text)));
    browser.run(&script, &[]);
}

/// Waits until the card of a task is drawn so: `run`, `done`, `fail`, `pend` or `off`.
fn until_task(browser: &Browser, task: &str, class: &str) {
    browser.until(&format!("document.querySelector('.node.{class}[data-task=\"{task}\"]')"));
}

/// Posts by the page's own way to the daemon.
fn post(browser: &Browser, path: &str, body: &Value) -> Value {
    let script = "const [path, body, done] = arguments; import('/live/api.js').then(({ ask }) => ask(path, { method: 'POST', body })).then(done, (error) => done(String(error)))";
    let answer = browser.run_later(script, &[json!(path), body.clone()]);
    assert_eq!(answer["ok"], true, "{path}: {answer}");
    answer["data"].clone()
}

#[test]
fn a_session_begins_by_a_plan_and_its_graph_follows_its_agents() {
    let house = house("session 図");
    let browser = Browser::start(Looks::DESK);
    browser.open(&address(&house, &["sessions"]));
    browser.until_shown("No session yet");
    browser.until_shown("tasuki session new --plan plan.yaml");
    check(&browser, "sessions-empty");
    refused(&browser);
    fill(&browser, "#begin-text", PLAN);
    press(&browser, "Begin");
    browser.until("/^#\\/sessions\\/[0-9a-f-]{36}$/.test(location.hash) && document.querySelectorAll('.node').length === 5");
    until_task(&browser, "task-1", "run");
    browser.until("document.querySelector('[data-task=\"task-2\"] .w').textContent === 'waits for 1'");
    followed(&browser, &house);
    paused(&browser, &house);
    by_keys(&browser);
    added(&browser, &house);
    house.write("go/five", "");
    until_task(&browser, "task-5", "done");
    browser.until("document.querySelector('.head .st b').textContent === 'completed' && !document.querySelector('.head .row .btn')");
    listed(&browser);
    clean(&browser);
}

/// A bad plan is refused with its line, which is marked; what was written stays, also when the tab is loaded anew.
fn refused(browser: &Browser) {
    press(browser, "A plan");
    fill(browser, "#begin-text", BAD);
    press(browser, "Begin");
    browser.until("document.querySelector('.begin-one .note.bad strong')?.textContent.startsWith('It was refused: line 4')");
    browser.until_shown("did you mean `dependencies`?");
    browser.until_shown("use one of the keys that a plan has");
    let marked = "return document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)";
    assert_eq!(browser.run(marked, &[]), json!("  - {name: two, description: x, dependencys: [task-1]}"));
    check(browser, "sessions-refused");
    // A refusal is told in the console by the browser itself.
    let console = browser.console();
    assert!(console.len() == 1 && console[0].contains("400"), "{console:?}");
    browser.reload();
    browser.until(&format!("document.getElementById('begin-text')?.value === {}", json!(BAD)));
}

/// What changes is shown, in the same elements: focus and choice stay.
fn followed(browser: &Browser, house: &House) {
    browser.run("const card = document.querySelector('[data-task=\"task-3\"]'); card.__same = true; card.click(); card.focus()", &[]);
    browser.until("location.hash.endsWith('/task-3') && document.querySelector('.beside h2')?.textContent === 'Old ledgers'");
    house.write("go/one", "");
    until_task(browser, "task-1", "done");
    until_task(browser, "task-2", "run");
    until_task(browser, "task-3", "fail");
    until_task(browser, "task-4", "off");
    assert_eq!(
        browser.run("return document.activeElement.__same && document.activeElement.dataset.task", &[]),
        "task-3"
    );
    // Its panel tells why, as text, and what the rule is.
    browser.until(
        "document.querySelector('.beside .errt .said')?.textContent.includes('<b>is not in order</b>')",
    );
    browser.until_shown("The rule of this session is to skip what depends on it");
    browser.until("document.querySelectorAll('.deps .no').length > 0");
    let story = browser.run("return document.querySelector('.beside a[href^=\"#/messages/\"]').hash", &[]);
    assert!(story.as_str().is_some_and(|hash| hash.len() > "#/messages/".len()), "{story}");
    check(browser, "session-failed");
    in_needs(browser);
    // Tried again, it is done, and what was skipped for its sake waits again.
    house.write("go/three", "");
    press(browser, "Try it again");
    until_task(browser, "task-3", "done");
    until_task(browser, "task-4", "pend");
    browser.until("document.querySelector('.beside .facts').textContent.includes('Tries2')");
    browser.click(".beside .tag[href$='task-4']");
    browser.until("document.querySelector('.beside h2').textContent === 'Tests'");
}

/// What failed is tried again by its session, also from where all that waits for a person stands, and from its story.
fn in_needs(browser: &Browser) {
    let back = browser.run("return location.hash", &[]);
    browser.run("location.hash = '#/needs'", &[]);
    browser.until(
        "document.querySelector('[data-need^=\"failed.\"][aria-current]') && document.querySelector('.det')",
    );
    browser.until("document.querySelector('.det a[href^=\"#/sessions/\"]')?.textContent === 'Its session'");
    browser.until("[...document.querySelectorAll('.det .btn')].filter((one) => one.textContent.includes('Try it again')).length === 1");
    browser.until("document.querySelector('.det .cmd code').textContent.startsWith('tasuki session retry ')");
    browser.click(".det a[href^='#/messages/']");
    browser.until("document.querySelector('.head a[href^=\"#/sessions/\"]')?.textContent === 'task-3'");
    browser.until("[...document.querySelectorAll('.head .btn')].some((one) => one.textContent === 'Retry')");
    browser.run("location.hash = arguments[0]", &[back]);
    until_task(browser, "task-3", "fail");
    browser.until("document.querySelector('.beside .errt')");
}

/// Paused, what is under way ends and nothing begins; it goes on.
fn paused(browser: &Browser, house: &House) {
    press(browser, "Pause");
    browser.until_shown("It is paused");
    house.write("go/two", "");
    until_task(browser, "task-2", "done");
    browser.until("document.querySelector('[data-task=\"task-4\"] .w').textContent === 'ready'");
    assert_eq!(browser.run("return document.querySelectorAll('.node.run').length", &[]), 0);
    press(browser, "Resume");
    until_task(browser, "task-4", "done");
    until_task(browser, "task-5", "run");
}

/// Arrow keys go from card to card, Enter into the panel, and Esc back, step by step.
fn by_keys(browser: &Browser) {
    browser.run("document.querySelector('[data-task=\"task-1\"]').focus(); document.querySelector('[data-task=\"task-1\"]').click()", &[]);
    browser.until("location.hash.endsWith('/task-1')");
    browser.press("\u{E014}");
    browser.until("['task-2', 'task-3'].includes(document.activeElement.dataset.task) && document.activeElement.matches('[aria-current]')");
    browser.press("\u{E012}");
    browser.until("document.activeElement.dataset.task === 'task-1'");
    browser.press("jjjj");
    browser.until("document.activeElement.dataset.task === 'task-5'");
    browser.press("\u{E007}");
    browser.until("document.activeElement.matches('.beside h2')");
    browser.press("\u{E00C}");
    browser.until("document.activeElement.dataset.task === 'task-5'");
    browser.press("\u{E00C}");
    browser.until("location.hash === '#/sessions' && document.querySelector('.sessions .list a')");
    browser.press("j");
    browser.until("document.activeElement.matches('.sessions .list a')");
    browser.press("\u{E007}");
    browser.until("document.querySelectorAll('.node').length === 5");
}

/// A task is added; a number that no task has is told before anything is sent.
fn added(browser: &Browser, house: &House) {
    browser.run("document.activeElement.blur()", &[]);
    browser.press("n");
    browser.until("document.querySelector('form.task')");
    check(browser, "session-add");
    fill(browser, "form.task input.field", "Release 🎉");
    fill(browser, "form.task textarea", "HOLD six");
    fill(browser, "form.task label:nth-of-type(4) input", "1, 9");
    press(browser, "Add it");
    browser.until_shown("This session has no task “task-9”");
    fill(browser, "form.task label:nth-of-type(4) input", "1、4");
    press(browser, "Add it");
    browser.until("location.hash.endsWith('/task-6') && document.querySelectorAll('.node').length === 6");
    until_task(browser, "task-6", "run");
    house.write("go/six", "");
    until_task(browser, "task-6", "done");
}

fn listed(browser: &Browser) {
    browser.press("\u{E00C}");
    browser.press("6");
    browser.until(
        "document.querySelector('.sessions .list li')?.textContent.includes('completed · 6 of 6 done')",
    );
    browser.until("document.querySelector('.sessions .prog').getAttribute('aria-label') === 'How far it is: 6 completed'");
    browser.until("document.title.startsWith('Sessions ·') && document.querySelector('.nav a[aria-current]').textContent.includes('Sessions')");
}

/// A plan for a goal, as its master gives it: with a name so long that it fits nowhere.
fn planned() -> String {
    let long = "あ".repeat(60) + &"W".repeat(100);
    let mut plan = "Here it is:\n```yaml\ntasks:\n".to_owned();
    for (name, more) in [
        ("帳簿を読む 📒", ""),
        (long.as_str(), ", dependencies: [task-1]"),
        ("<img src=x onerror=alert(1)>", ", dependencies: [task-1, task-2]"),
    ] {
        let _ = writeln!(plan, "  - {{name: {name:?}, description: HOLD never, to: coding{more}}}");
    }
    plan + "```\n"
}

#[test]
fn a_goal_waits_for_a_yes_and_looks_well_everywhere() {
    let house = house("goal 目標");
    house.write("plan.answer", &planned());
    let browser = Browser::start(Looks::DESK.sized(390, 844));
    browser.open(&address(&house, &["settings"]));
    // On a small screen it stands under the last tab.
    browser.click("main a[href='#/sessions']");
    browser.until_shown("No session yet");
    press(&browser, "Begin a session");
    browser.until("document.querySelector('.begin-one')");
    fill(&browser, "#begin-text", "月ごとの報告を作る。MAKE-A-PLAN");
    check(&browser, "sessions-begin-390");
    press(&browser, "Begin");
    browser.until("document.querySelectorAll('.list [data-task]').length === 3");
    browser.until_shown("It waits for your yes");
    let session = browser.run("return location.hash.split('/')[2]", &[]);
    let session = session.as_str().expect("an id").to_owned();
    everywhere(&browser, &session);
    browser.look(Looks::DESK);
    browser.run("location.hash = arguments[0]", &[json!(format!("#/sessions/{session}"))]);
    browser.until("document.querySelectorAll('.node').length === 3");
    assert_eq!(browser.run("return document.querySelectorAll('.node.run').length", &[]), 0);
    // It is among what waits for a person, and begins from there.
    browser.run("location.hash = '#/needs'", &[]);
    browser.until("document.querySelector('[data-need^=\"session.\"][aria-current]') && document.querySelector('.det')?.textContent.includes('waits for your yes')");
    check(&browser, "needs-session");
    press(&browser, "Begin");
    browser.until("!document.querySelector('[data-need^=\"session.\"]')");
    browser.run("location.hash = arguments[0]", &[json!(format!("#/sessions/{session}"))]);
    until_task(&browser, "task-1", "run");
    browser.until("!document.querySelector('.head .note')");
    // Calling it off asks first, and says what it hits.
    browser.run("document.activeElement.blur()", &[]);
    browser.press("X");
    browser.until("document.querySelector('dialog[open]')?.textContent.includes('It has 3 open tasks')");
    check(&browser, "session-call-off");
    browser.click("dialog .btn:last-child");
    browser.until("document.querySelector('.head .st b').textContent === 'cancelled' && !document.querySelector('.node.run')");
    many(&browser);
    clean(&browser);
}

/// List, session, panel and form in both themes and widths, and in Japanese: nothing is wider than the page, and nobody is kept out.
fn everywhere(browser: &Browser, session: &str) {
    let one = format!("#/sessions/{session}");
    let places = [
        ("sessions", "#/sessions".to_owned(), ".sessions .list li"),
        ("session", one.clone(), "[data-task]"),
        ("session-task", format!("{one}/task-2"), "section.task"),
        ("session-adds", format!("{one}?add=yes"), "form.task"),
    ];
    let sizes = [(1440, 900), (390, 844)].map(|(width, height)| Looks::DESK.sized(width, height));
    let see = |looks: Looks, language: &str| {
        browser.look(looks);
        for (name, place, is_there) in &places {
            browser.run("location.hash = arguments[0]", &[json!(place)]);
            browser.until(&format!("document.querySelector({})", json!(is_there)));
            let theme = if looks.dark { "dark" } else { "light" };
            let name = format!("{name}-{language}{theme}-{}", looks.size.0);
            let wide = browser.run("return document.documentElement.scrollWidth - innerWidth", &[]);
            assert!(wide.as_i64().is_some_and(|more| more <= 0), "{name} is {wide} px too wide");
            browser.picture(&name);
            check(browser, &name);
        }
    };
    sizes.into_iter().flat_map(|looks| [looks, looks.dark()]).for_each(|looks| see(looks, ""));
    browser.run("localStorage.setItem('tasuki-language', 'ja'); location.reload()", &[]);
    browser.until("document.documentElement.lang === 'ja' && document.querySelector('form.task')");
    sizes.into_iter().for_each(|looks| see(looks, "ja-"));
    browser.run("localStorage.setItem('tasuki-language', 'en'); location.reload()", &[]);
    browser.until("document.documentElement.lang === 'en' && document.querySelector('form.task')");
}

/// Two hundred tasks are drawn and scroll in their card; of more there is a list, of which few rows are drawn.
fn many(browser: &Browser) {
    let plan = |name: &str, count: usize| {
        let tasks: Vec<Value> = (1..=count)
            .map(|at| {
                let needs: Vec<String> = at
                    .checked_sub(9)
                    .filter(|at| *at > 0)
                    .map(|of| format!("task-{of}"))
                    .into_iter()
                    .collect();
                json!({"name": format!("仕事 {at}"), "description": "HOLD never", "dependencies": needs})
            })
            .collect();
        json!({"name": name, "tasks": tasks}).to_string()
    };
    for (count, drawn) in [(200, true), (2000, false)] {
        let id =
            post(browser, "/api/sessions", &json!({"plan": plan(&format!("{count} tasks"), count)}))["id"]
                .clone();
        let id = id.as_str().expect("an id");
        post(browser, &format!("/api/sessions/{id}/cancel"), &Value::Null);
        browser.run("location.hash = arguments[0]", &[json!(format!("#/sessions/{id}"))]);
        if drawn {
            browser.until("document.querySelectorAll('.node').length === 200 && document.querySelectorAll('.deps path').length >= 191");
            browser.until("document.querySelector('.graph').clientHeight < innerHeight && document.documentElement.scrollWidth <= innerWidth");
        } else {
            browser.until_shown("2000 tasks are too many for a drawing");
            browser.until("document.querySelectorAll('.window [data-task]').length > 5 && document.querySelectorAll('.window [data-task]').length < 60");
            let down = "(() => { const box = document.querySelector('.window'); box.scrollTop = box.scrollHeight; return document.querySelector('.window [data-task=\"task-2000\"]') !== null })()";
            browser.until(down);
        }
    }
    browser.run("location.hash = '#/sessions'", &[]);
    browser.until("document.querySelectorAll('.sessions .list li').length === 3");
}
