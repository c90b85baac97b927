//! Messages: found among ten thousand, each with its story.

use crate::browser::{Browser, Looks};
use crate::house::House;
use crate::opening::{address, clean};
use std::fmt::Write as _;

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
    // A MiB opens, and its end is there.
    browser.run("location.hash = '#/messages/long'", &[]);
    browser.click(".head .btn[aria-expanded]:nth-of-type(2)");
    browser.until("document.querySelector('blockquote.said')?.textContent.length > 1040000");
    browser.until("document.querySelector('blockquote.said').textContent.includes('終わり')");
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
}
