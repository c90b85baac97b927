//! Debian's Chromium, driven by WebDriver (<https://www.w3.org/TR/webdriver2/>). The dozen commands that tests need are JSON over
//! HTTP; a crate for all of them would bring 45 others.

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a page may take for anything on a loaded machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(90);
/// How often a driver is started until one has a port.
const DRIVER_TRIES: usize = 5;
/// Browsers that run at a time, but for second ones of a test.
const AT_A_TIME: usize = 2;
/// Between two looks at a page.
const LOOK: Duration = Duration::from_millis(20);
/// Under which the driver names an element of a page.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";
/// Of the driver and its browser: no sandbox, since tests may run as root, and nothing that asks hosts elsewhere.
const SWITCHES: [&str; 10] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
];

/// How a page is looked at.
#[derive(Clone, Copy)]
pub(crate) struct Looks {
    /// Columns and rows of the window, in CSS pixels.
    pub(crate) size: (u32, u32),
    pub(crate) dark: bool,
    /// `en` or `ja`.
    pub(crate) language: &'static str,
}

impl Looks {
    pub(crate) const DESK: Self = Self { size: (1440, 900), dark: false, language: "en" };

    pub(crate) const fn sized(self, width: u32, height: u32) -> Self {
        Self { size: (width, height), ..self }
    }

    pub(crate) const fn dark(self) -> Self {
        Self { dark: true, ..self }
    }

    pub(crate) const fn in_japanese(self) -> Self {
        Self { language: "ja", ..self }
    }
}

/// A browser with a profile of its own. It ends when this is dropped.
pub(crate) struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _turn: Turn,
}

/// One of the browsers that may run at a time: more would be in each other's way on two processors.
struct Turn;

#[expect(clippy::disallowed_types, reason = "tests wait for each other")]
static RUNNING: (std::sync::Mutex<usize>, std::sync::Condvar) =
    (std::sync::Mutex::new(0), std::sync::Condvar::new());

thread_local! {
    /// How many the test of this thread has. Who has one gets another at once, or two tests would wait for each other.
    static OWN: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

impl Turn {
    /// Waits for it.
    fn take() -> Self {
        let (running, ended) = &RUNNING;
        let mut running = running.lock().expect("no browser broke here");
        while *running >= AT_A_TIME && OWN.get() == 0 {
            running = ended.wait(running).expect("no browser broke here");
        }
        *running += 1;
        OWN.set(OWN.get() + 1);
        Self
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let (running, ended) = &RUNNING;
        if let Ok(mut running) = running.lock() {
            *running -= 1;
        }
        OWN.set(OWN.get().saturating_sub(1));
        ended.notify_one();
    }
}

impl Browser {
    /// Starts one, which has an empty tab.
    pub(crate) fn start(looks: Looks) -> Self {
        Self::start_with(looks, &[])
    }

    /// The same with more switches.
    pub(crate) fn start_with(looks: Looks, more: &[&str]) -> Self {
        let turn = Turn::take();
        // It takes a port for both kinds of addresses, and ends where somebody else was given one of them meanwhile.
        let (driver, port) =
            (0..DRIVER_TRIES).find_map(|_| driver()).expect("a chromedriver that has found a port");
        let mut browser = Self { driver, port, session: String::new(), _turn: turn };
        let language = format!("--lang={}", looks.language);
        let switches: Vec<&str> =
            SWITCHES.into_iter().chain([language.as_str()]).chain(more.iter().copied()).collect();
        let capabilities = json!({"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:loggingPrefs": {"browser": "ALL"},
            "goog:chromeOptions": {
                "args": switches,
                "prefs": {"intl.accept_languages": looks.language},
            },
        }}});
        let made = browser.call("POST", "/session", &capabilities);
        browser.session = made["sessionId"].as_str().expect("a session").to_owned();
        let longest = u64::try_from(2 * PATIENCE.as_millis()).unwrap_or(u64::MAX);
        browser.ask("POST", "/timeouts", &json!({"script": longest}));
        browser.look(looks);
        browser
    }

    /// Looks at the page in this way from now on.
    pub(crate) fn look(&self, looks: Looks) {
        let (width, height) = looks.size;
        let narrow = width < 600;
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            &json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": narrow}),
        );
        let scheme = if looks.dark { "dark" } else { "light" };
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.devtools("Emulation.setEmulatedMedia", &features);
    }

    /// Goes to an address, and waits until its document is loaded and its scripts have begun: a page under load was met that had
    /// not read its address yet.
    pub(crate) fn open(&self, address: &str) {
        self.ask("POST", "/url", &json!({"url": address}));
        self.until("document.readyState === 'complete'");
    }

    pub(crate) fn reload(&self) {
        self.ask("POST", "/refresh", &json!({}));
    }

    /// What a function's body gives in the page.
    pub(crate) fn run(&self, script: &str, arguments: &[Value]) -> Value {
        self.ask("POST", "/execute/sync", &json!({"script": script, "args": arguments}))
    }

    /// The same for a body that calls its last argument when it has the answer.
    pub(crate) fn run_later(&self, script: &str, arguments: &[Value]) -> Value {
        self.ask("POST", "/execute/async", &json!({"script": script, "args": arguments}))
    }

    /// Waits until an expression is true in the page, and gives it. Fails with what the page shows.
    pub(crate) fn until(&self, expression: &str) -> Value {
        let (script, since) = (format!("return ({expression})"), Instant::now());
        loop {
            let value = self.run(&script, &[]);
            if !matches!(value, Value::Null | Value::Bool(false)) && value != json!(0) && value != json!("") {
                return value;
            }
            if since.elapsed() > PATIENCE {
                let (shown, said) = (self.text(), self.console());
                panic!("{expression} within {PATIENCE:?}; the page shows:\n{shown}\nits console: {said:?}");
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Waits until the page shows a text.
    pub(crate) fn until_shown(&self, text: &str) {
        self.until(&format!("document.body.innerText.includes({})", json!(text)));
    }

    /// What a person can read in the page.
    pub(crate) fn text(&self) -> String {
        self.run("return document.body ? document.body.innerText : ''", &[]).as_str().unwrap_or("").to_owned()
    }

    /// Clicks on what a CSS selector names, as a person does: it must be there and not be covered.
    pub(crate) fn click(&self, selector: &str) {
        let element = self.element(selector);
        self.ask("POST", &format!("/element/{element}/click"), &json!({}));
    }

    /// Types into what a CSS selector names.
    pub(crate) fn write(&self, selector: &str, text: &str) {
        let element = self.element(selector);
        self.ask("POST", &format!("/element/{element}/value"), &json!({"text": text}));
    }

    /// Presses keys one after the other, wherever the focus is. A special key is a code point of the WebDriver standard.
    pub(crate) fn press(&self, keys: &str) {
        let actions: Vec<Value> = keys
            .chars()
            .flat_map(|key| ["keyDown", "keyUp"].map(|kind| json!({"type": kind, "value": key.to_string()})))
            .collect();
        let typed = json!({"actions": [{"type": "key", "id": "keyboard", "actions": actions}]});
        self.ask("POST", "/actions", &typed);
    }

    /// What the page's console has said since the last time, but for what the page said for information.
    pub(crate) fn console(&self) -> Vec<String> {
        let entries = self.ask("POST", "/se/log", &json!({"type": "browser"}));
        let level = |entry: &Value| !matches!(entry["level"].as_str(), Some("INFO" | "DEBUG"));
        let said = |entry: &Value| entry["message"].as_str().unwrap_or("").to_owned();
        entries.as_array().into_iter().flatten().filter(|entry| level(entry)).map(said).collect()
    }

    /// A command of the DevTools protocol.
    pub(crate) fn devtools(&self, command: &str, parameters: &Value) -> Value {
        self.ask("POST", "/goog/cdp/execute", &json!({"cmd": command, "params": parameters}))
    }

    /// Opens another tab and goes to it. Gives its name, for [`Self::go_to`].
    pub(crate) fn new_tab(&self) -> String {
        let tab = self.ask("POST", "/window/new", &json!({"type": "tab"}));
        let name = tab["handle"].as_str().expect("a tab").to_owned();
        self.go_to(&name);
        name
    }

    /// Closes each tab and window but this one, and goes to it.
    pub(crate) fn close_all_but(&self, tab: &str) {
        let all = self.ask("GET", "/window/handles", &Value::Null);
        for other in
            all.as_array().into_iter().flatten().filter_map(Value::as_str).filter(|other| *other != tab)
        {
            self.go_to(other);
            self.ask("DELETE", "/window", &Value::Null);
        }
        self.go_to(tab);
    }

    /// The tab that is in front.
    pub(crate) fn tab(&self) -> String {
        self.ask("GET", "/window", &Value::Null).as_str().expect("a tab").to_owned()
    }

    pub(crate) fn go_to(&self, tab: &str) {
        self.ask("POST", "/window", &json!({"handle": tab}));
    }

    /// A picture of the window as PNG, below the folder of pictures of this build. Gives its path.
    pub(crate) fn picture(&self, name: &str) -> PathBuf {
        let png = self.ask("GET", "/screenshot", &Value::Null);
        let bytes =
            base64::Engine::decode(&base64::prelude::BASE64_STANDARD, png.as_str().expect("a picture"));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pictures").join(format!("{name}.png"));
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, bytes.expect("a PNG")).expect("a file");
        path
    }

    /// The process of the browser's own, for who stops it or counts what it takes.
    pub(crate) fn driver_pid(&self) -> u32 {
        self.driver.id()
    }

    fn element(&self, selector: &str) -> String {
        let (asked, since) = (json!({"using": "css selector", "value": selector}), Instant::now());
        loop {
            match self.try_call("POST", &format!("/session/{}/element", self.session), &asked) {
                Ok(found) => return found[ELEMENT].as_str().expect("an element").to_owned(),
                Err(_) if since.elapsed() < PATIENCE => std::thread::sleep(LOOK),
                Err(why) => panic!("{selector}: {why}; the page shows:\n{}", self.text()),
            }
        }
    }

    fn ask(&self, method: &str, command: &str, body: &Value) -> Value {
        self.call(method, &format!("/session/{}{command}", self.session), body)
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        self.try_call(method, path, body).unwrap_or_else(|why| panic!("{path}: {why}"))
    }

    fn try_call(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).map_err(|error| error.to_string())?;
        stream.set_read_timeout(Some(2 * PATIENCE)).map_err(|error| error.to_string())?;
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            self.port,
            body.len(),
        );
        stream.write_all((head + &body).as_bytes()).map_err(|error| error.to_string())?;
        // The driver keeps the connection whatever is asked, so the answer ends where it says.
        let (mut lines, mut length) = (BufReader::new(stream), 0);
        loop {
            let mut line = String::new();
            lines.read_line(&mut line).map_err(|error| error.to_string())?;
            match line.trim_end().split_once(':') {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.trim().parse().unwrap_or(0)
                }
                None if line.trim_end().is_empty() => break,
                _ => {}
            }
        }
        let mut answer = vec![0; length];
        lines.read_exact(&mut answer).map_err(|error| error.to_string())?;
        let answer: Value = serde_json::from_slice(&answer).map_err(|error| error.to_string())?;
        match answer["value"]["error"].as_str() {
            Some(error) => Err(format!("{error}: {}", answer["value"]["message"].as_str().unwrap_or(""))),
            None => Ok(answer["value"].clone()),
        }
    }
}

/// Starts a driver; its port. None if it ended without one.
fn driver() -> Option<(Child, u16)> {
    let mut driver = Command::new("chromedriver")
        .args(["--port=0", "--log-level=SEVERE"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("chromedriver (Debian: apt install chromium chromium-driver)");
    let mut lines = BufReader::new(driver.stdout.take().expect("its output")).lines();
    let port = lines
        .by_ref()
        .map_while(Result::ok)
        .find_map(|line| line.split("successfully on port ").nth(1)?.trim_end_matches('.').parse().ok());
    let Some(port) = port else {
        let _ = driver.wait();
        return None;
    };
    // What it prints later is read and thrown away: a full pipe would stop it.
    std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
    Some((driver, port))
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.try_call("DELETE", &format!("/session/{}", self.session), &Value::Null);
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
