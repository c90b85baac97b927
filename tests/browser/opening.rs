//! How a page is opened, and what it keeps.

use crate::browser::{Browser, Looks};
use crate::house::House;

/// The address of the page with its token, as `tasuki web --print-url` says it.
pub(crate) fn address(house: &House, more: &[&str]) -> String {
    let asked = house.ask(&[&["web", "--print-url"], more].concat());
    assert!(asked.status.success(), "{}", String::from_utf8_lossy(&asked.stderr));
    String::from_utf8(asked.stdout).expect("an address").trim_end().to_owned()
}

#[test]
fn the_token_opens_one_tab_over_a_reload_and_is_seen_in_no_address() {
    let mut house = House::plain("opened 頁");
    house.start();
    let address = address(&house, &[]);
    let browser = Browser::start(Looks::DESK);
    browser.open(&address);
    browser.until("document.querySelector('h1') && document.querySelector('main:not(.closed)')");
    let token = address.split_once("#token=").expect("a token").1;
    let here = "return location.href + document.cookie + JSON.stringify(localStorage)";
    let seen = browser.run(here, &[]).to_string();
    assert!(!seen.contains(token), "{seen}");
    browser.reload();
    browser.until("document.querySelector('main:not(.closed)')");
    assert_eq!(browser.console(), [""; 0]);
    // Another tab has no token, and says how to get one.
    browser.new_tab();
    browser.open(address.split_once('#').expect("a token").0);
    browser.until("document.querySelector('main.closed')");
    browser.until_shown("tasuki web --print-url");
}
