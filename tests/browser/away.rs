//! A page whose daemon is killed, restarted, held, full or away, and whose port a stranger takes: it says so, sends no token, and goes on.

use crate::browser::{Browser, Looks};
use crate::elsewhere_servers::{Request, answer};
use crate::house::{House, PLAIN_AGENT};
use crate::opening::address;
use serde_json::json;
use std::io::{BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

const LIVE: &str = "document.querySelector('main:not(.closed)') && document.querySelector('.daemon')?.textContent.includes('live')";
/// A text in the composer, which must outlive whatever happens.
const DRAFT: &str = "半分書いた文 that is not handed over";

/// An origin, and its token.
fn parts(url: &str) -> (String, u16, String) {
    let (origin, token) = url.split_once("/#token=").expect("a token");
    let port = origin.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
    (origin.to_owned(), port, token.to_owned())
}

fn opened(house: &House, more: &[&str]) -> (Browser, String) {
    let url = address(house, more);
    let browser = Browser::start(Looks::DESK);
    browser.open(&url);
    browser.until(LIVE);
    (browser, url)
}

/// The page tries again by itself after a while; a person would not wait.
fn until_live(browser: &Browser) {
    browser.until(&format!(
        "{LIVE} || (document.querySelector('.note.bad button:not(.square)')?.click(), false)"
    ));
}

/// Takes the network from the page, or gives it back.
fn offline(browser: &Browser, is: bool) {
    browser.devtools("Network.enable", &json!({}));
    let conditions = json!({"offline": is, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1});
    browser.devtools("Network.emulateNetworkConditions", &conditions);
}

/// Ids that the list of messages shows, in its order.
fn listed(browser: &Browser) -> String {
    let rows = "return [...document.querySelectorAll('.window .list li .id bdi')].map((one) => one.textContent).join(' ')";
    browser.run(rows, &[]).as_str().unwrap_or_default().to_owned()
}

fn send(house: &House, id: &str) {
    house.drop(&format!("{id}.yaml"), &format!("id: {id}\nto: worker\ncontent: do {id}\n"));
    house.result(id);
}

/// What the console said but for connections that were lost, which the browser says by itself.
fn complaints(browser: &Browser) -> Vec<String> {
    let lost = |line: &String| line.contains("net::ERR_") || line.contains("/api/");
    browser.console().into_iter().filter(|line| !lost(line)).collect()
}

#[test]
fn a_page_goes_on_over_a_killed_daemon_without_a_reload() {
    let mut house = House::plain("away 不在");
    house.start();
    send(&house, "before");
    let (browser, _) = opened(&house, &[]);
    browser.run("window.__same = true; location.hash = '#/command'", &[]);
    browser.write("#what", DRAFT);
    browser.run("location.hash = '#/messages'", &[]);
    browser.until("document.querySelector('.window .list li')");
    let seen = "window.__seqs = []; const { tail } = await import('/live/store.js'); tail.subscribe((all) => { window.__tail = all.map((one) => one.key); });";
    browser.run_later(&format!("const done = arguments[0]; (async () => {{ {seen} done(true); }})()"), &[]);
    for round in 0..3 {
        house.kill();
        browser.until_shown("The daemon is away since");
        assert_eq!(
            browser.run("return document.getElementById('alerts').textContent", &[]),
            json!("The daemon does not answer")
        );
        browser.until("document.querySelector('.stale') && document.getElementById('icon').getAttribute('href') === 'icons/away.svg'");
        assert!(browser.text().contains("before"), "the last picture is kept");
        browser.picture("away-killed");
        // The daemon is back before the page is.
        offline(&browser, true);
        house.start();
        send(&house, &format!("meanwhile-{round}"));
        offline(&browser, false);
        until_live(&browser);
        // What happens now comes once, and what happened meanwhile as well.
        send(&house, &format!("after-{round}"));
        browser.until_shown(&format!("after-{round}"));
    }
    browser.until("document.querySelectorAll('.window .list li').length === 7");
    assert_eq!(listed(&browser), "after-2 meanwhile-2 after-1 meanwhile-1 after-0 meanwhile-0 before");
    let doubled = "const all = window.__tail; return all.length - new Set(all).size";
    assert_eq!(browser.run(doubled, &[]), json!(0));
    let told = "const keys = new Set(window.__tail.map((key) => Number(key.split('.')[0]))); return Math.max(...keys) - Math.min(...keys) + 1 - keys.size";
    assert_eq!(browser.run(told, &[]), json!(0), "a step is missing");
    browser.run("location.hash = '#/command'", &[]);
    browser.until("document.getElementById('what')");
    assert_eq!(browser.run("return document.getElementById('what').value", &[]), json!(DRAFT));
    assert_eq!(browser.run("return window.__same", &[]), json!(true), "it was not loaded anew");
    // Loaded anew it goes on: it has the ticket of this daemon.
    browser.reload();
    browser.until(LIVE);
    browser.run("location.hash = '#/command'", &[]);
    browser.until("document.getElementById('what')");
    assert_eq!(browser.run("return document.getElementById('what').value", &[]), json!(DRAFT));
    assert_eq!(complaints(&browser), [""; 0]);
}

#[test]
fn a_page_says_that_all_is_held_and_lets_it_go_on() {
    let mut house = House::plain("held 保留");
    house.start();
    let (browser, _) = opened(&house, &[]);
    browser.run("location.hash = '#/command'", &[]);
    let held = house.ask(&["stop", "--all"]);
    assert!(held.status.success(), "{}", String::from_utf8_lossy(&held.stderr));
    browser.until_shown("All typing is held since");
    browser.picture("away-held");
    browser.write("#what", "do what waits");
    browser.click(".btn.go");
    browser.until("document.getElementById('what').value === ''");
    browser.until_shown("do what waits");
    // Letting go on asks once.
    browser.click(".note .btn");
    browser.until("document.querySelector('dialog[open]')");
    browser.click("dialog[open] .btn:not(.plain)");
    browser.until("!document.body.innerText.includes('All typing is held since')");
    browser.until("document.querySelectorAll('.list .m').length === 0 || document.body.innerText.includes('None is open')");
    assert_eq!(complaints(&browser), [""; 0]);
}

#[test]
fn a_page_says_that_the_disk_is_full_and_goes_on_when_there_is_room() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = ["-t", "tmpfs", "-o", "size=16m,mode=0700", "tasuki-test"];
    let mounted =
        std::process::Command::new("mount").args(options).arg(folder.path()).output().expect("mount");
    if !mounted.status.success() {
        println!("nothing was tested: no file system may be mounted here");
        return;
    }
    let disk = Disk(folder.path().to_owned());
    let agent = "  - {name: worker, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK}\n";
    let mut house = House::within(folder, "full 満杯", agent, &[("agent.sh", PLAIN_AGENT)]);
    house.start();
    let (browser, _) = opened(&house, &[]);
    browser.run("location.hash = '#/command'", &[]);
    let mut fill = std::fs::File::create(disk.0.join("fill")).expect("a file");
    while fill.write_all(&[b'x'; 4096]).is_ok() {}
    drop(fill);
    browser.write("#what", "do what has no room");
    browser.click(".btn.go");
    browser.until("document.querySelector('.compose .note.bad')");
    browser.picture("away-full");
    assert_eq!(
        browser.run("return document.getElementById('what').value", &[]),
        json!("do what has no room")
    );
    let said = browser.text();
    assert!(said.contains("the disk is nearly full") && said.contains("make room on the disk"), "{said}");
    std::fs::remove_file(disk.0.join("fill")).expect("room");
    browser.until(
        "(document.querySelector('.btn.go:enabled')?.click(), document.getElementById('what').value === '')",
    );
    browser.until_shown("answer to");
    drop(house);
}

/// A mounted file system, which is taken off in the end.
struct Disk(std::path::PathBuf);

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg("--lazy").arg(&self.0).output();
    }
}

/// Has a port that a daemon had, and keeps all that comes.
struct Stranger {
    all: Arc<Mutex<Vec<Request>>>,
    over: Arc<AtomicBool>,
    port: u16,
    thread: Option<JoinHandle<()>>,
}

impl Stranger {
    /// Takes the port, and replies as `reply` says.
    fn at(port: u16, reply: impl Fn(&Request) -> Vec<u8> + Send + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).expect("the port");
        let (all, over) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (kept, ends) = (all.clone(), over.clone());
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if ends.load(Ordering::Relaxed) {
                    return;
                }
                let mut reader = BufReader::new(stream);
                if let Some(request) = Request::read(&mut reader) {
                    let _ = reader.into_inner().write_all(&reply(&request));
                    kept.lock().expect("requests").push(request);
                }
            }
        });
        Self { all, over, port, thread: Some(thread) }
    }

    fn asked(&self) -> Vec<Request> {
        self.all.lock().expect("requests").clone()
    }

    /// Gives the port up.
    fn leave(mut self) -> Vec<Request> {
        self.over.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(("127.0.0.1", self.port));
        self.thread.take().expect("a thread").join().expect("its end");
        self.asked()
    }
}

/// A proof as the daemon makes it, and one that it made for another nonce.
fn forged(_: &Request) -> Vec<u8> {
    let proof = "ab".repeat(32);
    let body = json!({"origin": "http://127.0.0.1", "proofs": [proof, proof], "session": proof}).to_string();
    answer("200 OK", "Content-Type: application/json\r\n", &body)
}

#[test]
fn a_stranger_on_the_port_gets_no_token_and_the_page_goes_on_when_it_has_left() {
    let mut house = House::plain("stranger 他人");
    house.start();
    let (browser, url) = opened(&house, &[]);
    let (_, port, token) = parts(&url);
    browser.run("window.__same = true; location.hash = '#/command'", &[]);
    browser.write("#what", DRAFT);
    house.kill();
    let stranger = Stranger::at(port, forged);
    browser.until_shown("The token of this tab is not known here");
    browser.picture("away-stranger");
    let secrets = "return JSON.stringify([sessionStorage, localStorage, document.cookie, location.href, window.name, history.state])";
    let kept = browser.run(secrets, &[]).to_string();
    assert!(!kept.contains(&token), "whoever has the port reads what the tab has kept");
    let ticket = browser.run("return sessionStorage.getItem('tasuki-ticket')", &[]);
    let ticket = ticket.as_str().expect("a ticket").to_owned();
    // It asks again by itself.
    let asks = |stranger: &Stranger| {
        stranger.asked().iter().filter(|request| request.path.contains("nonce")).count()
    };
    house.until("it to ask again", |_| asks(&stranger) >= 3);
    let asked = stranger.leave();
    for request in &asked {
        let text = request.text();
        assert!(
            !text.contains(&token) && !text.contains(DRAFT) && request.header("authorization").is_none(),
            "{text}"
        );
    }
    assert!(
        asked
            .iter()
            .all(|request| request.path.starts_with("/api/prove?nonce=")
                || request.path.starts_with("/icons/")),
        "{asked:?}"
    );
    let nonces: std::collections::BTreeSet<&str> =
        asked.iter().map(|request| request.path.as_str()).filter(|path| path.contains("nonce")).collect();
    assert!(nonces.len() >= 3, "each is asked once: {nonces:?}");
    house.start();
    browser.until(LIVE);
    assert_eq!(browser.run("return window.__same", &[]), json!(true));
    assert_eq!(browser.run("return document.getElementById('what').value", &[]), json!(DRAFT));
    let now = browser.run("return sessionStorage.getItem('tasuki-ticket')", &[]);
    assert!(now != json!(ticket), "a ticket ends with the daemon that gave it");
}

#[test]
fn a_tab_that_is_loaded_from_a_stranger_gives_away_nothing_of_use() {
    let mut house = House::plain("reload 再読込");
    house.start();
    let (browser, url) = opened(&house, &[]);
    let (origin, port, token) = parts(&url);
    house.kill();
    // Its own page, under our origin, sends all that it finds.
    let page = "<script>fetch('/found', {method: 'POST', body: JSON.stringify([{...sessionStorage}, {...localStorage}, location.href, document.cookie, window.name, history.state])})</script>";
    let stranger = Stranger::at(port, move |request| {
        answer("200 OK", "Content-Type: text/html\r\n", if request.path == "/" { page } else { "" })
    });
    browser.reload();
    house.until("the stranger to have it", |_| {
        stranger.asked().iter().any(|request| request.path == "/found")
    });
    let asked = stranger.leave();
    let all: String = asked.iter().map(Request::text).collect();
    assert!(!all.contains(&token), "{all}");
    let (_, ticket) = all
        .split_once("\\\"tasuki-ticket\\\":\\\"")
        .or_else(|| all.split_once("\"tasuki-ticket\":\""))
        .expect("a ticket was there to be found");
    let ticket = ticket[..64].to_owned();
    house.start();
    house.until("the port", |_| TcpStream::connect(("127.0.0.1", port)).is_ok());
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    let request = format!(
        "GET /api/tab HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {ticket}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).expect("a request");
    let mut said = String::new();
    std::io::Read::read_to_string(&mut stream, &mut said).expect("an answer");
    assert!(said.starts_with("HTTP/1.1 401 "), "{said}");
    // The tab is locked, and says how it is opened.
    browser.open(&format!("{origin}/"));
    browser.until("document.querySelector('main.closed')");
    browser.until_shown("tasuki web --print-url");
    browser.picture("away-locked");
    browser.open("about:blank");
    browser.open(&url);
    browser.until(LIVE);
}

#[test]
fn new_tokens_lock_a_page_that_is_open_and_a_read_only_page_changes_nothing() {
    let mut house = House::plain("locked 鍵");
    house.start();
    let (browser, url) = opened(&house, &[]);
    let (origin, _, _) = parts(&url);
    let url = address(&house, &["--new-token"]);
    browser.until("document.querySelector('main.closed')");
    browser.until_shown("The tokens were made anew");
    browser.until_shown("tasuki web --print-url");
    browser.picture("away-new-token");
    // The new address opens the same tab.
    browser.open(&format!("{origin}/?again"));
    browser.until("document.querySelector('main.closed')");
    browser.open(&url);
    browser.until(LIVE);
    // Whoever may only look can press no button; `looks_only.rs` looks at each.
    browser.open("about:blank");
    browser.open(&address(&house, &["--read-only"]));
    browser.until(LIVE);
    browser.console();
    browser.run("location.hash = '#/team/worker'", &[]);
    for words in ["Restart", "Stop", "Hold all typing"] {
        let button = format!(
            "[...document.querySelectorAll('button')].find((one) => one.textContent.includes({}))",
            json!(words)
        );
        browser.until(&format!("{button}?.disabled"));
    }
    browser.run("location.hash = '#/command'", &[]);
    browser.write("#what", "do what may not be done");
    browser.until("document.querySelector('.btn.go').disabled");
    browser.until_shown("This page may look, and change nothing");
    browser.picture("away-read-only");
    assert_eq!(
        browser.run("return document.getElementById('what').value", &[]),
        json!("do what may not be done")
    );
    every_post_is_refused(&browser, &house);
}

/// Each address that changes something, with the read-only ticket.
fn every_post_is_refused(browser: &Browser, house: &House) {
    let script = "const done = arguments[0];
        (async () => {
          const headers = { Authorization: `Bearer ${sessionStorage.getItem('tasuki-ticket')}` }, found = [];
          const { paths } = await (await fetch('/api/openapi.json', { headers })).json();
          for (const [path, methods] of Object.entries(paths)) if (methods.post) {
            const address = path.replaceAll('{name}', 'worker').replaceAll('{id}', 'x').replaceAll('{token}', 'k7qf2m');
            const answer = await fetch(address, { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body: '{}' });
            found.push([address, answer.status]);
          }
          done(found);
        })().catch((error) => done([[String(error), 0]]));";
    let found = browser.run_later(script, &[]);
    let found = found.as_array().expect("a list");
    assert!(found.len() >= 10 && found.iter().all(|row| row[1] == json!(403)), "{found:?}");
    assert!(!house.path("queue/STOP").exists() && house.files("queue/active").is_empty());
    assert!(house.read("status/agents/worker.yaml").contains("state: idle"));
}
