//! Pages of other origins in a real Chromium, which try whatever a page can against the port. Each attempt works on a server that
//! checks nothing; those that do not are not counted. None works here.

use crate::browser::{Browser, Looks};
use crate::elsewhere_servers::{Notes, Request, answer, careless, serve, stand_before};
use crate::house::House;
use crate::opening::address;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const PAGE: &str = concat!(
    "<!doctype html><meta charset=utf-8><title>elsewhere</title><body><script>",
    include_str!("elsewhere.js"),
    "</script></body>"
);
/// As many have to work where nothing is checked, or the test proves little.
const PROVEN_MIN: usize = 450;
/// What the guard says to pages of other origins, and to other names.
const REFUSED: [u16; 2] = [403, 421];

/// The page of elsewhere, and a place that leads on to another.
fn elsewhere(request: &Request) -> Vec<u8> {
    match request.path.split_once("/led-on?to=") {
        Some((_, place)) => {
            let place = place.replace("%3A", ":").replace("%2F", "/").replace("%3F", "?").replace("%3D", "=");
            let leave = "Access-Control-Allow-Origin: *\r\n";
            answer("307 Temporary Redirect", &format!("Location: {place}\r\n{leave}"), "")
        }
        None => answer("200 OK", "Content-Type: text/html\r\n", PAGE),
    }
}

/// What became of each attempt of a page at `from` on `target`: its number, its name, and what the page got.
fn tried(browser: &Browser, from: &str, target: &str, token: &str) -> Vec<(u64, String, String)> {
    let tab = browser.tab();
    browser.new_tab();
    browser.open(from);
    let script = "const done = arguments[2]; window.run(arguments[0], arguments[1]).then(done, (error) => done([['all', 0, `got: ${error}`]]))";
    let found = browser.run_later(script, &[json!(target), json!(token)]);
    browser.close_all_but(&tab);
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let rows = found.as_array().expect("a list").iter();
    rows.map(|row| (row[1].as_u64().expect("a number"), text(&row[0]), text(&row[2]))).collect()
}

/// The attempts that work where nothing is checked: the page got something, or the server did something.
fn proven(found: &[(u64, String, String)], asked: &[Request]) -> BTreeSet<u64> {
    let read = found.iter().filter(|(_, _, what)| what.starts_with("got:")).map(|(number, ..)| *number);
    let done = asked.iter().filter(|request| request.method == "POST" && request.path.starts_with("/api/"));
    read.chain(done.filter_map(Request::attempt)).collect()
}

/// Nothing that was proven may work; gives what does.
fn through(found: &[(u64, String, String)], proven: &BTreeSet<u64>, notes: &Notes) -> Vec<String> {
    let got = found.iter().filter(|(number, _, what)| proven.contains(number) && what.starts_with("got:"));
    let got = got.map(|(_, name, what)| format!("{name}: {what}"));
    let notes = notes.lock().expect("notes");
    let name = |request: &Request| {
        let number = request.attempt();
        found.iter().find(|(own, ..)| Some(*own) == number).map_or("?", |(_, name, _)| name).to_owned()
    };
    // The picture of a page that was refused is the browser's own wish.
    let own = |request: &Request| request.path == "/favicon.ico";
    let answered = notes.iter().filter(|(request, status)| !REFUSED.contains(status) && !own(request));
    got.chain(answered.map(|(request, status)| {
        format!("{}: {} {} was answered with {status}", name(request), request.method, request.path)
    }))
    .collect()
}

#[test]
fn no_page_of_another_origin_reads_or_does_anything() {
    let mut house = House::plain("elsewhere 他所");
    house.start();
    let url = address(&house, &[]);
    let (origin, token) = url.split_once("/#token=").expect("a token");
    let port: u16 = origin.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
    let (before, notes) = stand_before(port, PAGE);
    let (control, asked) = careless(PAGE);
    let other = serve(0, elsewhere);
    let names = ["127.0.0.1", "localhost", "rebound.localhost"];
    let on_the_way = names.map(|name| format!("MAP {name}:{port} 127.0.0.1:{before}")).join(", ");
    let rules = format!("--host-resolver-rules=MAP evil.test 127.0.0.1, {on_the_way}");
    // Without Chromium's own block of requests to this machine: what is tested is ours.
    let open = "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests";
    let browser = Browser::start_with(Looks::DESK, &[&rules, open]);
    let (mut counted, mut bad) = (0, Vec::new());
    // Another site, the same site at another port, one that aims at `localhost`, and a name that was bound to this machine anew.
    for (from, name) in [
        (format!("http://evil.test:{other}"), "127.0.0.1"),
        (format!("http://127.0.0.1:{other}"), "127.0.0.1"),
        (format!("http://evil.test:{other}"), "localhost"),
        (String::new(), "rebound.localhost"),
    ] {
        let of = |port: u16| {
            let target = format!("http://{name}:{port}");
            let page = if from.is_empty() { target.clone() } else { from.clone() };
            (format!("{page}/elsewhere"), target)
        };
        asked.lock().expect("notes").clear();
        let (page, target) = of(control);
        let found = tried(&browser, &page, &target, token);
        let proven = proven(&found, &asked.lock().expect("notes"));
        let dropped: Vec<&str> = found
            .iter()
            .filter(|(number, ..)| !proven.contains(number))
            .map(|(_, name, _)| name.as_str())
            .collect();
        println!(
            "{page}: {} of {} work where nothing is checked; not {dropped:?}",
            proven.len(),
            found.len()
        );
        counted += proven.len();
        notes.lock().expect("notes").clear();
        let (page, target) = of(port);
        let found = tried(&browser, &page, &target, token);
        bad.extend(
            through(&found, &proven, &notes).into_iter().map(|what| format!("{page} on {target}: {what}")),
        );
        let met = notes.lock().expect("notes").len();
        assert!(met > 50, "{met} requests of {page} came to the daemon");
    }
    assert!(bad.is_empty(), "{} got through:\n{}", bad.len(), bad.join("\n"));
    assert!(counted >= PROVEN_MIN, "{counted} attempts prove something");
    // The daemon has done nothing, and the page of its own is served.
    assert!(!house.path("queue/STOP").exists() && house.files("queue/active").is_empty());
    let listed = house.ask(&["list"]).stdout;
    assert!(!String::from_utf8_lossy(&listed).contains("elsewhere"));
    assert!(house.ended().is_none() && house.read("status/agents/worker.yaml").contains("state: idle"));
    browser.open(&url);
    browser.until("document.querySelector('main:not(.closed)') && document.body.innerText.includes('live')");
    house.end();
}
