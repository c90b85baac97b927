//! How a page is opened, and what it keeps.

use crate::browser::{Browser, Looks};
use crate::house::House;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;

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
    // The address that it asks for opens it where it is.
    browser.open(&address);
    browser.until("document.querySelector('h1') && document.querySelector('main:not(.closed)')");
    assert!(!browser.run("return location.href", &[]).to_string().contains(token));
    // One that is wrong is told of, also when its tab is loaded anew and nothing of it is left.
    let origin = address.split_once('#').expect("a token").0.to_owned();
    browser.new_tab();
    browser.open(&format!("{origin}#token={}", "ab".repeat(32)));
    browser.until_shown("is not known here");
    browser.reload();
    browser.until_shown("The token of this tab was refused");
    // A path where nothing is leads to the page.
    browser.open(&format!("{origin}nowhere"));
    browser.until_shown("There is nothing at this address");
    browser.click("a[href='/']");
    browser.until("document.querySelector('main.closed')");
}

/// Nothing was said in the console: no error, no warning, no offence against the page's policy.
pub(crate) fn clean(browser: &Browser) {
    assert_eq!(browser.console(), [""; 0]);
}

#[test]
fn what_is_locked_is_so_in_each_language_and_width() {
    let mut house = House::plain("locked");
    house.start();
    let address = address(&house, &[]);
    let browser = Browser::start(Looks::DESK.in_japanese().sized(390, 844));
    browser.open(address.split_once('#').expect("a token").0);
    browser.until_shown("このタブにはトークンがありません");
    browser.picture("locked-ja-390");
    // A token that has been made anew locks who has the old one.
    browser.open(&address);
    browser.reload();
    browser.until("document.querySelector('main:not(.closed)')");
    assert!(house.ask(&["web", "--new-token"]).status.success());
    browser.reload();
    browser.until("document.querySelector('main.closed')");
    for _ in 0..2 {
        browser.until_shown("このタブのトークンは拒まれました");
        browser.reload();
    }
}

/// Stands for `xdg-open`: keeps what it was given, as everybody sees it in `ps`.
const OPENER: &str = "#!/bin/sh\nprintf '%s\\n' \"$#\" \"$@\" > opened.tmp\nmv opened.tmp opened\n";

#[test]
fn the_browser_is_opened_by_a_file_and_no_argument_has_the_token() {
    let mut house = House::plain("by file & 頁");
    house.write("bin/xdg-open", OPENER);
    std::fs::set_permissions(house.path("bin/xdg-open"), Permissions::from_mode(0o700)).expect("a mode");
    let path = std::env::var("PATH").expect("a path");
    house.surround("PATH", format!("{}:{path}", house.path("bin").display()).as_ref());
    house.start();
    let asked = house.ask(&["web", "--open", "team/worker?view=table"]);
    assert!(asked.status.success(), "{}", String::from_utf8_lossy(&asked.stderr));
    let token = address(&house, &[]).split_once("#token=").expect("a token").1.to_owned();
    house.until("it to be opened", |house| house.path("opened").exists());
    let given = house.read("opened");
    let file = house.path(".tasuki/open.html");
    assert_eq!(given, format!("1\n{}\n", file.canonicalize().expect("the file").display()));
    assert_eq!(file.metadata().expect("it").permissions().mode() & 0o7777, 0o600);
    assert!(house.read(".tasuki/open.html").contains(&token));
    // It leads to the page, which goes on when it is loaded anew.
    let browser = Browser::start(Looks::DESK);
    browser.open(&format!("file://{}", file.display()).replace(' ', "%20"));
    browser.until("document.querySelector('.tb') && document.querySelector('.side .facts')");
    let seen =
        browser.run("return location.href + JSON.stringify([sessionStorage, localStorage])", &[]).to_string();
    assert!(!seen.contains(&token), "{seen}");
    browser.reload();
    browser.until("document.querySelector('.tb') && document.querySelector('.side .facts')");
    assert_eq!(browser.console(), [""; 0]);
    // Another file that knows no word is refused, as any page elsewhere is.
    let origin = address(&house, &[]).split_once("/#").expect("an address").0.to_owned();
    house.write(
        "other.html",
        &format!("<script>location.replace('{origin}/?open={}')</script>", "ab".repeat(32)),
    );
    browser.open(&format!("file://{}", house.path("other.html").display()).replace(' ', "%20"));
    browser.until_shown("not-our-origin");
}
