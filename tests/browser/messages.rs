//! Messages: found among ten thousand, each with its story.

use crate::browser::{Browser, Looks};
use crate::house::House;
use crate::opening::{address, clean};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Fails what it is told to, and answers else with a MiB.
const TELLS: &str = r#"
while IFS= read -r line; do
  [[ $line =~ task\ ([a-z]+).*\(token\ ([a-z0-9]{6})\) ]] || continue
  id=${BASH_REMATCH[1]} token=${BASH_REMATCH[2]}
  if [ $id = fails ]; then kind=error text='列 3: the ledger is not in order'
  else kind=result text=$(head -c 1040000 /dev/zero | tr '\0' a)'終わり'; fi
  printf 'to: user\ntype: %s\nin_reply_to: %s\ntoken: %s\ncontent: "%s"\n' $kind $id "$token" "$text" > queue/.$id.tmp
  mv queue/.$id.tmp queue/answer-$id.yaml
done
"#;

/// Messages that are dropped at once.
const LIST: usize = 100;

fn house() -> House {
    let agents = "  - {name: teller, reports_to: user, provider: plain, command: [bash, ./tells.sh], marker: PLAIN OK}\n  - {name: idle, \
                  reports_to: teller, provider: plain, command: [cat], marker: IDLE OK}\n";
    let mut house = House::new("messages", agents, &[("tells.sh", TELLS)]);
    house.start();
    for (id, text) in [("fails", "go wrong"), ("long", "tell all")] {
        house.drop(&format!("{id}.yaml"), &format!("id: {id}\nto: teller\ncontent: {text}\n"));
        house.result(id);
    }
    assert!(house.ask(&["agent", "stop", "idle"]).status.success());
    for list in 0..10_000 / LIST {
        let mut text = String::new();
        for number in list * LIST..(list + 1) * LIST {
            let _ = write!(text, "id: m-{number}\nto: idle\ncontent: 仕訳 {number} of many\n---\n");
        }
        house.drop(&format!("list-{list}.yaml"), &text);
    }
    // A file goes when all that is in it is accepted.
    house.until("all of them", |house| house.files("queue").is_empty());
    house
}

#[test]
fn one_of_ten_thousand_is_found_and_its_story_is_told() {
    let house = house();
    let browser = Browser::start(Looks::DESK);
    browser.open(&address(&house, &["messages/fails"]));
    failed(&browser);
    found(&browser);
    wrong(&browser);
    // An answer stands there at once. Of a MiB the beginning does, the whole opens, and its end is there.
    browser.run("location.hash = '#/messages/long'", &[]);
    browser.until("document.querySelector('.head blockquote.said')?.textContent.startsWith('aaaa')");
    let cut = browser.run("return document.querySelector('.head blockquote.said').textContent.length", &[]);
    assert_eq!(cut, json!(4001));
    browser.click(".head blockquote + .meta button.link");
    browser.until("document.querySelector('blockquote.said')?.textContent.length > 1040000");
    browser.until("document.querySelector('blockquote.said').textContent.includes('終わり')");
    clean(&browser);
}

/// Runs before the page: when each id stood in the list first, and how often the daemon was asked for a list.
const WATCH: &str = "window.__stood = {}; window.__lists = 0;
    const fetched = window.fetch.bind(window);
    window.fetch = (address, ...more) => ((window.__lists += String(address).startsWith('/api/messages?') ? 1 : 0), fetched(address, ...more));
    new MutationObserver(() => { for (const { textContent: id } of document.querySelectorAll('.window .list .id bdi')) window.__stood[id] ??= Date.now(); })
      .observe(document, { subtree: true, childList: true, characterData: true });";
/// Messages that come one after the other, and the time between two: shorter than the list is read again.
const ONES: usize = 20;
const BETWEEN: std::time::Duration = std::time::Duration::from_millis(170);

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("a time").as_secs_f64() * 1000.0
}

#[test]
fn a_message_stands_in_the_list_soon_after_it_came_and_the_list_is_not_read_again_for_it() {
    let mut house = House::plain("soon すぐ");
    house.start();
    assert!(house.ask(&["agent", "stop", "worker"]).status.success());
    house.drop("before.yaml", "id: before\nto: worker\ncontent: x\n");
    // So tall that each row is drawn.
    let browser = Browser::start(Looks::DESK.sized(1440, 2000));
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", &json!({"source": WATCH}));
    browser.open(&address(&house, &["messages"]));
    browser.until("document.querySelectorAll('.window .list li').length === 1");
    let begun = Instant::now();
    let mut took: Vec<f64> = Vec::new();
    for number in 0..ONES {
        let at = now();
        house.drop(
            &format!("{number}.yaml"),
            &format!("id: soon-{number}\nto: worker\ncontent: 仕訳 {number}\n"),
        );
        let stood = browser.until(&format!("window.__stood['soon-{number}']"));
        took.push(stood.as_f64().expect("a time") - at);
        std::thread::sleep(BETWEEN);
    }
    // How long that may take is measured by `cargo bench --bench rows -- browser`; that no list is read for it is counted below.
    println!("rename of a drop → its row, ms: {took:.0?}");
    // What ends changes its place at once.
    assert!(house.ask(&["cancel", "soon-3"]).status.success());
    browser.until("[...document.querySelectorAll('.window .list li')].at(-1).querySelector('.id').textContent === 'soon-3'");
    browser.until(
        "document.querySelector('.window .list li:last-child .state').textContent.includes('called off')",
    );
    let lists = browser.run("return window.__lists", &[]).as_f64().expect("a number");
    assert!(lists <= 2.0 + begun.elapsed().as_secs_f64() / 9.0, "{lists} lists");
    let shown =
        "return [...document.querySelectorAll('.window .list .id bdi')].map((one) => one.textContent)";
    let wanted = house.ask(&["list", "--all", "--json"]);
    let wanted: Value = serde_json::from_slice(&wanted.stdout).expect("a list");
    let wanted: Vec<&Value> =
        wanted["messages"].as_array().expect("messages").iter().map(|one| &one["id"]).collect();
    assert_eq!(browser.run(shown, &[]), json!(wanted), "its order is the daemon's");
    filtered(&browser, &house);
    clean(&browser);
}

/// A filter holds for what comes; where words may be in the content, the daemon is asked.
fn filtered(browser: &Browser, house: &House) {
    browser.run("location.hash = '#/messages?filter=state:open%20仕訳'", &[]);
    browser.until("document.querySelectorAll('.window .list li').length === 19 || document.querySelectorAll('.window .list li').length > 10");
    house.drop("no.yaml", "id: other\nto: worker\ncontent: 別\n");
    house.drop("deep.yaml", "id: deep\nto: worker\ncontent: |\n  題\n  仕訳 below\n");
    browser.until("window.__stood['deep']");
    assert!(house.ask(&["cancel", "deep"]).status.success());
    browser.until("![...document.querySelectorAll('.window .list .id bdi')].some((one) => ['deep', 'other'].includes(one.textContent))");
}

/// Runs before the page: to the story of a message it adds a claim that was not believed, before the one that was. This version of the
/// daemon makes none, since it refuses tasks whose evidence it would have to check; the journal and the answers have a place for it.
const UNBELIEVED: &str = "const fetched = window.fetch.bind(window);
    window.fetch = async (address, ...more) => {
      const answer = await fetched(address, ...more);
      if (!String(address).endsWith('/story')) return answer;
      const data = await answer.json(), { story } = data.tree, at = story.findIndex((step) => step.what === 'claimed');
      if (at >= 0) story.splice(at, 0, { ...story[at], seq: story[at - 1].seq, text: 'was reported done', evidence: 'marker' },
        { ...story[at], seq: story[at - 1].seq, what: 'reopened', text: 'goes back to its agent: report.md is not there', evidence: 'report.md is not there' });
      return new Response(JSON.stringify(data), { status: answer.status, headers: answer.headers });
    };";

#[test]
fn a_claim_that_was_not_believed_stays_in_the_story_with_its_reason() {
    let mut house = House::plain("unbelieved 疑");
    house.start();
    house.drop("one.yaml", "id: one\nto: worker\ncontent: write report.md\n");
    house.result("one");
    let browser = Browser::start(Looks::DESK);
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", &json!({"source": UNBELIEVED}));
    browser.open(&address(&house, &["messages/one"]));
    browser.until("document.querySelectorAll('.seq li').length >= 4");
    let rows = "return [...document.querySelectorAll('.seq li .e')].map((one) => [one.querySelector('a').textContent, one.querySelector('small:not(.ph)')?.textContent ?? ''].join(': '))";
    let rows = browser.run(rows, &[]).to_string();
    let (not, believed) = (
        rows.find("Claims done, and is not believed: report.md is not there"),
        rows.find("Claims done, and it is verified"),
    );
    assert!(not.is_some() && not < believed, "{rows}");
    // It is what one looks at first, and is counted.
    browser.until("document.querySelector('.seq li.sel')?.textContent.includes('is not believed')");
    browser.until("document.querySelector('.chk')?.textContent.includes('report.md is not there')");
    browser.until("[...document.querySelectorAll('.sums div')].some((one) => one.textContent === '1claims not believed')");
    browser.picture("unbelieved");
    // Where it is followed, it is told in the order in which it happened.
    browser.run("location.hash = '#/command?follow=one'", &[]);
    browser.until_shown("worker is not believed, and goes on with the task");
    clean(&browser);
}

fn failed(browser: &Browser) {
    browser.until(
        "document.querySelector('svg.lanes') && document.querySelectorAll('.seq li time').length >= 3",
    );
    browser.until_shown("列 3: the ledger is not in order");
    browser.until("document.querySelector('.head .st').textContent.includes('failed')");
    // A step is chosen, is in the address, and is there after a reload.
    browser.click(".seq li:nth-child(2) a");
    let address = browser.until("/step=\\d+/.test(location.hash) && location.hash");
    browser.reload();
    browser.until("document.querySelector('.seq li.sel') && document.querySelector('.chk li')");
    assert_eq!(browser.run("return location.hash", &[]), address);
}

/// A state that there is not is said in a few words, and no other list stands there as if it were found.
fn wrong(browser: &Browser) {
    browser.run("location.hash = '#/messages?filter=state:failed'", &[]);
    browser.until("document.querySelectorAll('.window li').length === 1");
    browser.run("location.hash = '#/messages?filter=state:bogus'", &[]);
    browser.until_shown("There is no state “bogus”. There are queued, at work");
    browser.until("!document.querySelector('.window li')");
}

fn found(browser: &Browser) {
    browser.run("document.activeElement.blur()", &[]);
    browser.press("/");
    browser.until("document.activeElement.matches('[data-find]')");
    browser.press("7777");
    browser.until(
        "[...document.querySelectorAll('.window li')].some((one) => one.textContent.includes('m-7777'))",
    );
    browser.until("document.querySelectorAll('.window li').length < 5");
    // From the field, down chooses the first and Enter goes to its row.
    browser.press("\u{E015}");
    browser.until("location.hash.startsWith('#/messages/m-7777')");
    browser.press("\u{E007}");
    browser.until("document.activeElement.matches('.window a[aria-current]')");
    // All of them: few rows are drawn, and the end can be reached.
    browser.run("location.hash = '#/messages?filter=agent:idle'", &[]);
    browser.until("document.querySelectorAll('.window li').length > 10");
    let down = "(() => { const box = document.querySelector('.window'); box.scrollTop = box.scrollHeight; \
                return [...document.querySelectorAll('.window li')].some((one) => one.getAttribute('aria-posinset') > 900) })()";
    browser.until(down);
    browser.until("document.querySelectorAll('.window li').length < 80");
    browser.run("location.hash = '#/messages?filter=state:failed'", &[]);
    browser.until("document.querySelectorAll('.window li').length === 1");
    browser.run("document.activeElement.blur()", &[]);
    browser.press("j");
    browser.until("location.hash.startsWith('#/messages/fails')");
    browser.press("\u{E00C}");
    browser.until("location.hash.startsWith('#/messages?')");
    in_the_command_center(browser);
}

/// Where many tasks are open, few rows are drawn, and the one that is followed is in sight.
fn in_the_command_center(browser: &Browser) {
    browser.run("location.hash = '#/command'", &[]);
    // A page that was opened while the daemon still read its journal has been told of each message since.
    browser.reload();
    let rows = "document.querySelectorAll('.work .window li').length";
    browser.until(&format!("{rows} > 5 && {rows} < 40"));
    let count = "Number(document.querySelector('.work .window li').getAttribute('aria-setsize'))";
    browser.until(&format!("{count} >= 100"));
    // The first picture has no more of them.
    browser.until("/Open 1\\d\\d\\+/.test(document.querySelector('.work .tabs').textContent)");
    let last = "(() => { const box = document.querySelector('.work .window'); box.scrollTop = box.scrollHeight; \
                return [...document.querySelectorAll('.work .window li')].some((one) => one.getAttribute('aria-posinset') === one.getAttribute('aria-setsize')) })()";
    browser.until(last);
    browser.until(&format!("{rows} < 40"));
    browser.click(".work .window li:last-child a");
    let followed = browser.until("document.querySelector('.work .window [aria-current] .t')?.textContent");
    browser.run("document.activeElement.blur()", &[]);
    browser.press("kkkkkkkkkkkkkkkkkkkk");
    browser.until(&format!(
        "document.querySelector('.work .window [aria-current] .t')?.textContent !== {followed}"
    ));
    browser.until("(() => { const row = document.querySelector('.work .window [aria-current]').getBoundingClientRect(), box = document.querySelector('.work .window').getBoundingClientRect(); return row.top >= box.top - 1 && row.bottom <= box.bottom + 1 })()");
}
