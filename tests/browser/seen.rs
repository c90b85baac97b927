//! What a story says of its end, and what counts as read because somebody has seen it.

use crate::browser::{Browser, Looks};
use crate::house::House;
use crate::opening::{address, clean};
use serde_json::{Value, json};

/// Number of unread answers, as the daemon counts them.
fn unread(house: &House) -> u64 {
    let said = house.ask(&["status", "--json"]);
    let said: Value = serde_json::from_slice(&said.stdout).expect("a status");
    said["unread_answers"].as_u64().expect("a number")
}

fn go(browser: &Browser, place: &str, is_there: &str) {
    browser.run("location.hash = arguments[0]", &[json!(place)]);
    browser.until(is_there);
    browser.run("document.activeElement?.blur()", &[]);
}

/// The rows of the list of unread answers.
const ANSWERS: &str =
    "[...document.querySelectorAll('.answers .list a')].map((one) => one.hash.split('/').pop()).join()";
/// The answer of a story stands there.
const READ: &str = "document.querySelector('.head blockquote.said')";

#[test]
fn an_answer_whose_story_is_open_counts_as_read_and_a_key_counts_it_at_once() {
    let mut house = House::plain("seen 既読");
    house.start();
    for id in ["one", "two", "three"] {
        house.drop(&format!("{id}.yaml"), &format!("id: {id}\nto: worker\ncontent: 数える {id}\n"));
        house.result(id);
    }
    let browser = Browser::start(Looks::DESK);
    // A page that may only look reads nothing, however long it is open.
    browser.open(&address(&house, &["--read-only"]));
    browser.until("document.querySelector('.daemon .tag')");
    go(&browser, "/messages/one", READ);
    // Longer than a page that may act needs: nothing tells that it does nothing.
    std::thread::sleep(std::time::Duration::from_millis(2500));
    assert_eq!(unread(&house), 3);
    browser.open("about:blank");
    browser.open(&address(&house, &["needs"]));
    browser.until(&format!("{ANSWERS} === 'three,two,one'"));
    go(&browser, "/messages/one", READ);
    house.until("it to be read", |house| unread(house) == 2);
    // In a tab that nobody sees nothing is read by itself, however slow the machine; a key counts it all the same.
    browser.run("Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' })", &[]);
    go(&browser, "/messages/two", READ);
    go(&browser, "/needs", &format!("{ANSWERS} === 'three,two'"));
    browser.until_shown("2 answers unread");
    go(&browser, "/messages/two", READ);
    browser.press("d");
    browser.until("document.querySelector('.toast')?.textContent.includes('The answer counts as read.')");
    go(&browser, "/needs", &format!("{ANSWERS} === 'three'"));
    browser.picture("answers-1440");
    assert_eq!(unread(&house), 1);
    // Of what is not over there is nothing to put aside, which is said.
    assert!(house.ask(&["agent", "stop", "worker"]).status.success());
    house.drop("open.yaml", "id: open\nto: worker\ncontent: x\n");
    crate::scene::until_message(&house, "open", "stage: queued");
    go(&browser, "/messages/open", "document.querySelector('.head .st')?.textContent.includes('queued')");
    browser.press("d");
    browser.until("document.querySelector('.toast')?.textContent.includes('nothing to put aside here')");
    written_at_once(&browser);
    clean(&browser);
}

/// The key that leads to the Command Center leads into its text.
fn written_at_once(browser: &Browser) {
    browser.press("2");
    browser.until("location.hash.startsWith('#/command') && document.activeElement.id === 'what'");
    browser.press("3d");
    browser.until("document.getElementById('what').value === '3d' && location.hash.startsWith('#/command')");
}

/// Fails at `bad`, and goes on for ever at `long`.
const AGENT: &str = r#"
while IFS= read -r line; do
  [[ $line =~ task\ ([^ ]+).*\(token\ ([a-z0-9]{6})\) ]] || continue
  id=${BASH_REMATCH[1]} token=${BASH_REMATCH[2]}
  while [ "$id" = long ]; do echo "I go on: $SECONDS"; sleep 0.2; done
  printf 'to: user\ntype: error\nin_reply_to: %s\ntoken: %s\ncontent: the disk of the ledger is gone\n' "$id" "$token" > queue/.answer.tmp
  mv queue/.answer.tmp queue/answer.yaml
done
"#;

/// Titles of the steps of a story.
const STEPS: &str =
    "return [...document.querySelectorAll('.seq li:not(.gap) .e a')].map((one) => one.textContent)";

#[test]
fn a_story_ends_as_its_task_did_and_tells_what_became_of_it() {
    let mut house = House::plain("ends 終わり");
    house.write("agent.sh", AGENT);
    house.start();
    for id in ["bad", "worse"] {
        house.drop(&format!("{id}.yaml"), &format!("id: {id}\nto: worker\ncontent: break {id}\n"));
        assert!(house.result(id).contains("status: failed"));
    }
    let browser = Browser::start(Looks::DESK);
    browser.open(&address(&house, &["messages/bad"]));
    browser.until("document.querySelectorAll('.seq li').length >= 3");
    browser.until(
        "document.querySelector('.head .note.bad')?.textContent.includes('the disk of the ledger is gone')",
    );
    // An agent may have answered before it was seen that it read its line.
    let steps = browser.run(STEPS, &[]);
    let told = ["Typed and read", "Being typed"].map(|typed| json!(["Accepted", typed, "Failed"]));
    assert!(told.contains(&steps), "{steps}");
    // Tried again, it leads to what tries it; put aside, it says so.
    browser.press("r");
    browser.until("document.querySelector('.head .after a')?.hash.startsWith('#/messages/bad.again-')");
    assert!(house.ask(&["needs", "--dismiss", "failed.worse"]).status.success());
    go(
        &browser,
        "/messages/worse",
        "document.querySelector('.head .after')?.textContent.includes('put aside')",
    );
    browser.picture("put-aside-1440");
    called_off(&browser, &house);
    clean(&browser);
}

/// What is called off while its agent is at it ends so; nobody has failed. Who waited behind it was told of.
fn called_off(browser: &Browser, house: &House) {
    house.drop("long.yaml", "id: long\nto: worker\ncontent: go on long\n");
    crate::scene::until_message(house, "long", "stage: working");
    house.drop("behind.yaml", "id: behind\nto: worker\ncontent: go on behind\n");
    let chain = "[...document.querySelectorAll('.chainbar .chain')].some((one) => one.textContent.includes('go on behind') && one.textContent.includes('worker, who is working on long'))";
    go(browser, "/team", chain);
    browser.until("document.querySelector('.side .waits')?.textContent.includes('who is working on long')");
    browser.until("document.querySelector('.side .q li .num')?.textContent.includes('1st of 1 for worker')");
    browser.picture("behind-1440");
    go(
        browser,
        "/messages/behind",
        "document.querySelector('.head .st')?.textContent.includes('queued, 1st of 1 for worker')",
    );
    assert!(house.ask(&["cancel", "long"]).status.success());
    go(
        browser,
        "/messages/long",
        "document.querySelector('.head .note.off')?.textContent.includes('Called off by you')",
    );
    browser.until("[...document.querySelectorAll('.seq li:not(.gap) .e a')].at(-1)?.textContent === 'Called off by you'");
    let bad = browser.run("return document.querySelectorAll('.one .note.bad, .one .l-bad, .one .m-bad, .one blockquote').length", &[]);
    assert_eq!(bad, json!(0));
    go(
        browser,
        "/messages?filter=state:called off",
        "[...document.querySelectorAll('.window .list .id')].map((one) => one.textContent).join() === 'long'",
    );
    go(
        browser,
        "/messages?filter=state:nonsense",
        "document.querySelector('.filters .c-bad')?.textContent.includes('waits for a limit')",
    );
}
