//! Texts that would run, load or change something wherever a page takes a text for markup. Each stands in every field that is shown, and
//! is shown as text.

use crate::browser::{Browser, Looks};
use crate::house::House;
use crate::opening::address;
use serde_json::{Value, json};

const PAYLOADS: &str = include_str!("escaping.json");
const WATCH: &str = include_str!("escaping_watch.js");
const EVERYWHERE: &str = include_str!("escaping_everywhere.js");
const PAYLOADS_MIN: usize = 500;
/// Payloads in one message, and on one screen.
const AT_ONCE: usize = 40;
/// The workspace, which stands in the page and in its title.
const NAME: &str = "\"'><img src=x onerror=window.__hit=1>{n}&lt;";
/// What holds the screen of an agent: so wide that no line of it is cut.
const WIDE: [&str; 4] = ["-x", "400", "-y", "50"];

/// Answers with the file that is meant for the task.
const ANSWERS: &str = r#"#!/bin/bash
while IFS= read -r line; do
  [[ $line =~ \(token\ ([a-z0-9]{6})\) ]] || continue
  token=${BASH_REMATCH[1]}
  id=$(sed -n 's/.*task \([^ ]*\) .*/\1/p' <<<"$line")
  { printf 'from: constructor\nto: user\ntoken: %s\nin_reply_to: %s\n' "$token" "$id"; cat "said-$id"; } > .answer
  mv .answer "queue/answer-$id.yaml"
done
"#;

/// Shows the next screen that is prepared at each line that it is given.
const SHOWS: &str = r#"#!/bin/bash
number=0
while :; do
  printf '\033[H\033[2J\033[3J'
  cat "$1-$number" 2>/dev/null || echo "the last one"
  number=$((number + 1))
  IFS= read -rs line || exit
done
"#;

fn payloads() -> Vec<String> {
    let list: Vec<String> = serde_json::from_str(PAYLOADS).expect("a list");
    assert!(list.len() >= PAYLOADS_MIN);
    list
}

/// A text as YAML and JSON both read it.
fn quoted(text: &str) -> String {
    let quoted = json!(text).to_string();
    let plain = |c: char| {
        c < '\u{7f}'
            || (c > '\u{a0}'
                && !('\u{2028}'..='\u{2029}').contains(&c)
                && !matches!(c, '\u{feff}' | '\u{fffe}' | '\u{ffff}'))
    };
    quoted
        .chars()
        .map(|c| if plain(c) { c.to_string() } else { format!("\\u{:04x}", u32::from(c)) })
        .collect()
}

/// What runs before each page from now on.
fn before_each_page(browser: &Browser, script: &str) {
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", &json!({"source": script}));
}

/// Nothing ran, was loaded or was added, and nothing was said in the console but that something was not found.
fn nothing_happened(browser: &Browser, place: &str) {
    let found = browser.run("return window.__found()", &[]);
    assert_eq!(found, json!([]), "{place}");
    let console = browser.console();
    let bad: Vec<&String> = console
        .iter()
        .filter(|line| !(line.contains("/api/") && line.contains("Failed to load resource")))
        .collect();
    assert!(bad.is_empty(), "{place}: {bad:?}");
}

/// Payloads that the page does not show as text within an element, as its module for texts shows them.
const MISSING: &str = "const [selector, list, isBlock, done] = arguments;
    import('/base/text.js').then(({ shown }) => {
      const text = [...document.querySelectorAll(selector)].map((one) => one.textContent).join('\\n');
      const flat = text.replaceAll('\\n', '');
      done(list.filter((one) => !text.includes(shown(one, isBlock)) && !flat.includes(shown(one, isBlock))));
    }, (error) => done([String(error)]));";

fn missing(browser: &Browser, selector: &str, list: &[String], is_block: bool) -> Vec<String> {
    let found = browser.run_later(MISSING, &[json!(selector), json!(list), json!(is_block)]);
    let found: Vec<String> = serde_json::from_value(found).expect("a list");
    // What looks like a secret is hidden.
    found.into_iter().filter(|one| !one.to_lowercase().contains("token")).collect()
}

/// A workspace in which each field that can hold a payload holds some.
fn full_house(list: &[String]) -> House {
    let team = "  - {name: constructor, reports_to: user, provider: plain, command: [bash, answers.sh], marker: PLAIN OK}\n  \
                - {name: then, reports_to: constructor, provider: plain, command: [bash, shows.sh, screen], marker: PLAIN OK}\n  \
                - {name: key, reports_to: constructor, provider: plain, command: [sleep, inf], marker: PLAIN OK}\n  \
                - {name: ref, reports_to: user, provider: claude, command: [bash, shows.sh, dialog], marker: CODING OK}\n";
    let mut house = House::new(NAME, team, &[("answers.sh", ANSWERS), ("shows.sh", SHOWS)]);
    for (at, some) in list.chunks(AT_ONCE).enumerate() {
        let lines: Vec<String> = some.iter().map(|one| one.replace('\n', "\r\n")).collect();
        house.write(&format!("screen-{at}"), &format!("{}\r\nscreen {at} is whole\r\n", lines.join("\r\n")));
        let kind = if at % 3 == 2 { "error" } else { "result" };
        let said = format!("type: {kind}\ncontent: {}\n", quoted(&some.join("\n")));
        house.write(&format!("said-t-{at}"), &said);
    }
    for (at, some) in dialogs(list).enumerate() {
        let choices: Vec<String> =
            some.iter().enumerate().map(|(at, one)| format!("   {}. {one}", at + 1)).collect();
        let choices = choices.join("\r\n").replacen("   1.", " ❯ 1.", 1);
        let text = format!(
            "────────────\r\n Bash command\r\n {}\r\n Do you want to see {at}?\r\n{choices}\r\n\r\n Esc to cancel\r\n",
            some[0]
        );
        house.write(&format!("dialog-{at}"), &text);
    }
    house.start();
    house
}

/// Payloads of one plain line, six of which are the choices of a dialog. Few: a dialog that follows another is looked at ever later.
fn dialogs(list: &[String]) -> impl Iterator<Item = Vec<&String>> {
    let plain: Vec<&String> =
        list.iter().filter(|one| is_plain(one) && one.len() < 60 && !one.contains('❯')).step_by(25).collect();
    plain.chunks(6).take(3).map(<[&String]>::to_vec).collect::<Vec<_>>().into_iter()
}

/// Whether a terminal shows it as it is.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) && text.trim() == text && !text.is_empty()
}

/// Drops a message for each payload, and one for each handful; and files whose names are payloads.
fn fill(house: &House, list: &[String]) {
    for (at, some) in list.chunks(AT_ONCE).enumerate() {
        let title = quoted(&some[0]);
        let metadata = format!(
            "{{\"__proto__\": {{\"polluted\": 1}}, \"constructor\": {{\"prototype\": {{\"polluted\": 1}}}}, {title}: {title}}}"
        );
        let content = quoted(&some.join("\n"));
        house.drop(
            &format!("t-{at}.yaml"),
            &format!("id: t-{at}\nto: constructor\nmetadata: {metadata}\ncontent: {content}\n"),
        );
        let each: Vec<String> = some
            .iter()
            .enumerate()
            .map(|(number, one)| format!("id: p-{at}-{number}\nto: key\ncontent: {}\n", quoted(one)))
            .collect();
        house.drop(&format!("p-{at}.yaml"), &each.join("---\n"));
        let name = some[1].replace(['/', '\n', '\u{1b}'], "");
        house.write(&format!("queue/{name}.yaml"), &some[1]);
    }
}

#[test]
fn no_text_of_others_is_more_than_text() {
    let list = payloads();
    let house = full_house(&list);
    let browser = Browser::start(Looks::DESK.sized(1440, 3000));
    before_each_page(&browser, WATCH);
    let url = address(&house, &[]);
    browser.open(&url);
    browser.until("document.querySelector('main:not(.closed)')");
    fill(&house, &list);
    screens(&house, &browser, &list);
    house.until("the answers", |house| house.files("queue/results").len() >= list.len().div_ceil(AT_ONCE));
    titles(&browser, &list);
    stories(&browser, &list);
    sessions(&browser, &list);
    let name = browser.run("return document.title + document.querySelector('.brand').textContent", &[]);
    assert_eq!(name.as_str().map(|text| text.matches(NAME).count()), Some(2), "{name}");
}

/// What agents print, and what they ask.
fn screens(house: &House, browser: &Browser, list: &[String]) {
    for agent in ["then", "ref"] {
        house.tmux(&[&["resize-window", "-t", agent], &WIDE[..]].concat());
    }
    go(browser, "#/team/then");
    for (at, some) in list.chunks(AT_ONCE).enumerate() {
        browser
            .until(&format!("document.querySelector('.term')?.textContent.includes('screen {at} is whole')"));
        let plain: Vec<String> = some.iter().filter(|one| is_plain(one)).cloned().collect();
        assert_eq!(missing(browser, ".term", &plain, false), [""; 0], "screen {at}");
        nothing_happened(browser, &format!("screen {at}"));
        house.tmux(&["send-keys", "-t", "then", "Enter"]);
    }
    go(browser, "#/needs");
    for (at, some) in dialogs(list).enumerate() {
        browser.until(&format!(
            "document.querySelectorAll('.choices > button').length === {} && document.querySelector('.choices').textContent.includes({})",
            some.len(),
            json!(some.last()),
        ));
        let some: Vec<String> = some.into_iter().cloned().collect();
        assert_eq!(missing(browser, ".choices", &some, false), [""; 0], "dialog {at}");
        nothing_happened(browser, &format!("dialog {at}"));
        house.tmux(&["send-keys", "-t", "ref", "Enter"]);
    }
}

fn go(browser: &Browser, hash: &str) {
    browser.run("location.hash = arguments[0]", &[json!(hash)]);
}

/// The list of messages, from its top to its end.
fn titles(browser: &Browser, list: &[String]) {
    go(browser, "#/messages");
    browser.until("document.querySelector('.window .list li')");
    // The beginning of the first line, as the daemon cuts it; controls are shown otherwise.
    let title = |text: &String| {
        let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        line.trim_start_matches('#').trim_start().chars().take(30).collect::<String>()
    };
    let expected: Vec<String> =
        list.iter().filter(|one| is_plain(one) && !one.to_lowercase().contains("token")).map(title).collect();
    // A page that follows comes when it comes.
    let script = "const [expected, done] = arguments, seen = new Set(), box = document.querySelector('.window');
        const end = performance.now() + 20_000;
        const all = () => { const text = [...seen].join('\\n'); return expected.every((one) => text.includes(one)); };
        const look = () => { for (const one of document.querySelectorAll('.window .t')) seen.add(one.textContent); };
        const step = () => {
          look();
          const at = box.scrollTop;
          box.scrollTop += box.clientHeight / 2;
          if (box.scrollTop === at && (all() || performance.now() > end)) done([...seen].join('\\n')); else setTimeout(step, 60);
        };
        step();";
    let seen = browser.run_later(script, &[json!(expected)]);
    let seen = seen.as_str().expect("a text");
    let lost: Vec<&String> = expected.iter().filter(|one| !seen.contains(one.as_str())).collect();
    assert!(lost.is_empty(), "{} of {} titles are not shown: {lost:?}", lost.len(), expected.len());
    nothing_happened(browser, "the list");
}

/// What was asked and what was answered, whole.
fn stories(browser: &Browser, list: &[String]) {
    for (at, some) in list.chunks(AT_ONCE).enumerate() {
        go(browser, &format!("#/messages/t-{at}"));
        browser.until(&format!("document.querySelector('.one .id')?.textContent === 't-{at}' && document.querySelector('.head button[aria-expanded]')"));
        // What was asked opens, and of a long answer the whole does.
        browser.run("document.querySelector('.head button[aria-expanded]').click()", &[]);
        browser.until("document.querySelector('.head > .said')");
        browser.until("document.querySelector('.head button.link')?.click() ?? document.querySelector('.head .grow > .said')");
        browser.until("!document.querySelector('.head button.link')");
        for text in [".head > .said", ".head .grow > .said"] {
            let lines: Vec<String> = some.iter().flat_map(|one| one.lines().map(str::to_owned)).collect();
            assert_eq!(missing(browser, text, &lines, true), [""; 0], "t-{at}, {text}");
        }
        nothing_happened(browser, &format!("t-{at}"));
    }
}

/// Names and texts of the tasks of sessions, their goals and their titles; and a plan that is refused.
fn sessions(browser: &Browser, list: &[String]) {
    let names: Vec<&String> = list.iter().filter(|one| is_plain(one) && one.len() <= 200).collect();
    for some in names.chunks(AT_ONCE * 5) {
        let task = |one: &&String| json!({"name": one, "description": one, "to": "key"});
        let tasks: Vec<Value> = some.iter().map(task).collect();
        let id = begin(browser, &json!({"name": some[0], "goal": some[1], "tasks": tasks}));
        go(browser, &format!("#/sessions/{id}/task-2"));
        browser.until(&format!(
            "document.querySelectorAll('.node').length === {} && document.querySelector('.task .said')",
            some.len()
        ));
        let some: Vec<String> = some.iter().map(|one| (*one).clone()).collect();
        assert_eq!(missing(browser, ".node b", &some, false), [""; 0]);
        assert_eq!(missing(browser, ".task .said, .task h2", &some[1..2], true), [""; 0]);
        assert_eq!(missing(browser, ".head h2", &some[..1], false), [""; 0]);
        nothing_happened(browser, "a session");
    }
    go(browser, "#/sessions");
    browser.until("document.querySelector('.sessions .list li')");
    nothing_happened(browser, "sessions");
}

/// Begins a session by the page's own way to the daemon, and gives its id.
fn begin(browser: &Browser, plan: &Value) -> String {
    let script = "const [plan, done] = arguments; import('/live/api.js').then(({ ask }) => ask('/api/sessions', { body: { plan } })).then(done)";
    let answer = browser.run_later(script, &[json!(plan.to_string())]);
    answer["data"]["id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

/// Addresses of the page that somebody else has made.
fn addresses(browser: &Browser, list: &[String]) {
    let script = "const [list, done] = arguments;
        const forms = [(p) => `#/messages/${p}`, (p) => `#/team/${p}?state=${p}&view=${p}&text=${p}`, (p) => `#/messages?filter=${p}`, (p) => `#/needs/${p}`,
          (p) => `#/command?follow=${p}`, (p) => `#/${p}`, (p) => `#${p}`, (p) => `#/messages/x?step=${p}&${p}=${p}`,
          (p) => `#/sessions/${p}`, (p) => `#/sessions/x/${p}?state=${p}&add=${p}`];
        (async () => {
          const { parse, route } = await import('/base/route.js');
          for (const [at, one] of list.entries()) {
            const address = forms[at % forms.length](at % 2 ? one : encodeURIComponent(one));
            // A browser lets a page go to two hundred places in ten seconds; the others are taken as the page takes them.
            if (at % 6 === 0) location.hash = address; else route.value = parse(address);
            await new Promise((done) => setTimeout(done, 0));
            if (!document.querySelector('h1')) return done(`nothing is shown at ${address}`);
          }
          location.hash = '#/messages';
          setTimeout(() => done(document.querySelector('h1').textContent), 300);
        })().catch((error) => done(String(error)));";
    assert_eq!(browser.run_later(script, &[json!(list)]), json!("Messages"));
    nothing_happened(browser, "addresses");
}

/// Rounds that place all payloads, some in each.
const ROUNDS: usize = 6;
/// Rounds are shared out among so many tests, which run beside each other.
const PARTS: usize = 2;

#[test]
fn whatever_field_of_an_answer_holds_markup_it_is_text() {
    each_field_is_text(0);
}

#[test]
fn whatever_field_of_an_answer_holds_markup_it_is_text_too() {
    each_field_is_text(1);
}

/// Every [`PARTS`]th round from this one on.
fn each_field_is_text(part: usize) {
    let list = payloads();
    let team = "  - {name: boss, reports_to: user, provider: plain, command: [bash, answers.sh], marker: PLAIN OK}\n  \
                - {name: worker, reports_to: boss, provider: plain, command: [sleep, inf], marker: PLAIN OK}\n  \
                - {name: asks, reports_to: boss, provider: claude, command: [bash, shows.sh, dialog], marker: CODING OK}\n";
    let answers = ANSWERS.replace("constructor", "boss");
    let mut house = House::new("fields 欄", team, &[("answers.sh", &answers), ("shows.sh", SHOWS)]);
    let dialog = "────────────\r\n Bash command\r\n ls\r\n Do you want to see it?\r\n ❯ 1. Yes\r\n   2. No\r\n\r\n Esc to cancel\r\n";
    house.write("dialog-0", dialog);
    for (id, kind) in [("good", "result"), ("bad", "error")] {
        house.write(&format!("said-{id}"), &format!("type: {kind}\ncontent: it is {kind}\n"));
    }
    house.start();
    for (id, to) in
        [("good", "boss"), ("bad", "boss"), ("open", "worker"), ("queued", "worker"), ("asked", "asks")]
    {
        house.drop(&format!("{id}.yaml"), &format!("id: {id}\nto: {to}\ncontent: do {id}\n"));
    }
    for id in ["good", "bad"] {
        house.result(id);
    }
    let asked = |house: &House| house.read("status/agents/asks.yaml").contains("asks:");
    house.until("a question", asked);
    let url = address(&house, &[]);
    let browser = Browser::start(Looks::DESK);
    browser.open(&url);
    browser.until("document.querySelector('main:not(.closed) .list li')");
    let tasks = [("good", json!([])), ("bad", json!(["task-1"])), ("open", json!(["task-2"]))].map(
        |(name, needs)| json!({"name": name, "description": name, "to": "worker", "dependencies": needs}),
    );
    let session = begin(&browser, &json!({"name": "session", "goal": "a goal", "tasks": tasks}));
    let each = list.len().div_ceil(ROUNDS);
    let list_of = format!("const PAYLOADS = {PAYLOADS}, STEP = {each};");
    before_each_page(&browser, &format!("{WATCH}\n(() => {{{list_of}\n{EVERYWHERE}}})()"));
    let mut placed = std::collections::BTreeSet::new();
    for round in (part..ROUNDS).step_by(PARTS) {
        browser.open(&url.replacen("/#", &format!("/?round={round}#"), 1));
        browser.until("document.querySelector('main:not(.closed) .list li')");
        for (place, shows) in [
            ("#/team?view=tree", "[data-agent]"),
            ("#/team?view=table", ".tb [data-agent]"),
            ("#/messages", ".window .list li"),
            ("#/command", ".compose label b"),
            ("#/settings", ".settings"),
            ("#/needs", ".det"),
            ("TEAM", ".side .facts"),
            ("MESSAGE", ".one .head"),
            ("FOLLOW", "#follow"),
            ("#/sessions", ".sessions .list li"),
            ("SESSION", ".node"),
            ("TASK", "section.task .facts"),
        ] {
            let script = "const [place, session] = arguments, of = (text) => encodeURIComponent(window.__place(text) ?? text);
                location.hash = { TEAM: `#/team/${of('asks')}`, MESSAGE: `#/messages/${of('bad')}`, FOLLOW: `#/command?follow=${of('open')}`,
                  SESSION: `#/sessions/${of(session)}`, TASK: `#/sessions/${of(session)}/${of('task-2')}` }[place] ?? place;";
            browser.run(script, &[json!(place), json!(session)]);
            browser.until(&format!("document.querySelector({})", json!(shows)));
        }
        let shown: Vec<String> = ["boss", "worker", "asks"]
            .into_iter()
            .filter_map(|name| {
                browser.run("return window.__place(arguments[0])", &[json!(name)]).as_str().map(str::to_owned)
            })
            .collect();
        assert_eq!(shown.len(), 3, "the names of the agents are payloads");
        go(&browser, "#/team?view=table");
        browser.until("document.querySelectorAll('.tb [data-agent]').length > 0");
        browser.run("document.querySelector('p button.link')?.click()", &[]);
        browser.until("document.querySelectorAll('.tb [data-agent]').length === 3");
        assert_eq!(missing(&browser, ".tb .ag", &shown, false), [""; 0]);
        nothing_happened(&browser, &format!("round {round}"));
        let more: Vec<Value> =
            browser.run("return window.__placed()", &[]).as_array().expect("a list").clone();
        placed.extend(more.into_iter().filter_map(|one| one.as_str().map(str::to_owned)));
    }
    browser.open(&url);
    browser.until("document.querySelector('main:not(.closed) .list li')");
    let own: Vec<String> = list.chunks(each).skip(part).step_by(PARTS).flatten().cloned().collect();
    addresses(&browser, &own);
    let lost: Vec<&String> = own.iter().filter(|one| !placed.contains(*one)).collect();
    assert!(lost.is_empty(), "{} were placed nowhere: {lost:?}", lost.len());
    house.end();
}
