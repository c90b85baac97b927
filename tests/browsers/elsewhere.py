#!/usr/bin/env python3
"""A real Chromium on pages of other origins, which try whatever a page can against `tasuki web`. None may succeed.

    tests/browsers/elsewhere.py [path of tasuki]        needs chromium, chromedriver and tmux

Prints each attempt and what became of it. Exit code: 0 if nothing got through, 1 otherwise.
"""

import http.server
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

TASUKI = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "target/debug/tasuki")
# A page of another origin. Each attempt says `got: ...` if the page could read or do something, and else why not.
PAGE = """<!doctype html><meta charset=utf-8><title>elsewhere</title><script>
const target = new URLSearchParams(location.search).get("target"), token = new URLSearchParams(location.search).get("token");
const found = {}, body = JSON.stringify({ on: true }), late = (ms) => new Promise((done) => setTimeout(() => done("late"), ms));
const attempts = {};
for (const path of ["/", "/api/status", "/api/events", "/api/prove?nonce=" + "n".repeat(32), "/api/panes/worker"])
  for (const mode of ["cors", "no-cors", "same-origin"])
    attempts[`fetch ${mode} GET ${path}`] = async () => {
      const answer = await fetch(target + path, { mode });
      return answer.type === "opaque" ? "opaque" : "got: " + answer.status;
    };
for (const type of ["application/json", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
  for (const mode of ["cors", "no-cors"])
    for (const known of [false, true])
      attempts[`fetch ${mode} POST ${type}${known ? " with the token" : ""}`] = async () => {
        const headers = { "Content-Type": type, ...(known ? { Authorization: "Bearer " + token } : {}) };
        const answer = await fetch(target + "/api/halt", { method: "POST", mode, headers, body, credentials: "include" });
        return answer.type === "opaque" ? "opaque" : "got: " + answer.status;
      };
for (const enctype of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
  attempts[`form ${enctype}`] = async () => {
    const frame = Object.assign(document.createElement("iframe"), { name: "f" + Math.random() });
    const form = Object.assign(document.createElement("form"), { method: "post", action: target + "/api/halt", enctype, target: frame.name });
    form.append(Object.assign(document.createElement("input"), { name: '{"on":true,"x":"', value: '"}' }));
    document.body.append(frame, form);
    form.submit();
    await late(500);
    try { return frame.contentDocument === null ? "not readable" : "not loaded"; } catch (error) { return "" + error; }
  };
attempts["iframe"] = async () => {
  const frame = Object.assign(document.createElement("iframe"), { src: target + "/" });
  document.body.append(frame);
  await Promise.race([new Promise((done) => (frame.onload = done)), late(1000)]);
  try { return frame.contentDocument ? "not loaded" : "not readable"; } catch (error) { return "" + error; }
};
for (const path of ["/api/events", "/api/events?token=" + token])
  attempts["EventSource " + path.slice(0, 18)] = () => Promise.race([new Promise((done) => {
    const events = new EventSource(target + path, { withCredentials: true });
    events.onopen = () => done("got: a stream");
    events.onmessage = () => done("got: an event");
    events.onerror = () => done("refused");
  }), late(2000)]);
for (const path of ["/", "/api/events", "/api/halt"])
  attempts["WebSocket " + path] = () => Promise.race([new Promise((done) => {
    const socket = new WebSocket(target.replace("http", "ws") + path);
    socket.onopen = () => done("got: a socket");
    socket.onerror = () => done("refused");
  }), late(2000)]);
for (const [name, make] of [["img", () => new Image()], ["script", () => document.createElement("script")],
    ["link", () => Object.assign(document.createElement("link"), { rel: "stylesheet" })], ["object", () => document.createElement("object")],
    ["video", () => document.createElement("video")]])
  attempts[name] = () => Promise.race([new Promise((done) => {
    const element = make();
    element.onload = () => done(name === "object" ? "not readable" : "got: loaded");
    element.onerror = () => done("refused");
    element[name === "link" ? "href" : name === "object" ? "data" : "src"] = target + "/";
    document.body.append(element);
  }), late(1000)]);
attempts["sendBeacon"] = async () => (navigator.sendBeacon(target + "/api/halt", body), "not readable");
attempts["window.open"] = async () => {
  const other = window.open(target + "/", "_blank");
  await late(700);
  try { return other && other.document && other.location.href !== "about:blank" ? "got: " + other.location.href : "not readable"; } catch (error) { return "" + error.name; }
};
attempts["service worker"] = async () => (await navigator.serviceWorker.register(target + "/app.js"), "got: a worker");
window.run = async () => {
  for (const [name, attempt] of Object.entries(attempts)) {
    try { found[name] = await attempt(); } catch (error) { found[name] = "" + error; }
  }
  return found;
};
</script><body></body>"""


ALL = "const done = arguments[arguments.length - 1]; window.run().then(done, (error) => done({all: 'got: ' + error}))"


class Elsewhere(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        text = PAGE.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Careless(http.server.BaseHTTPRequestHandler):
    """A server that checks nothing, to see that the attempts are ones that can succeed."""

    asked = 0

    def answer(self):
        Careless.asked += 1
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(200)
        for name, value in [("Access-Control-Allow-Origin", self.headers.get("Origin") or "*"), ("Access-Control-Allow-Headers", "*, authorization, content-type"),
                            ("Access-Control-Allow-Credentials", "true"), ("Access-Control-Allow-Private-Network", "true"), ("Content-Type", "text/event-stream"),
                            ("Content-Length", "9")]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(b"data: x\n\n")

    do_GET = do_POST = do_OPTIONS = answer

    def log_message(self, *_):
        pass


class Driver:
    """A browser, by the WebDriver protocol."""

    def __init__(self, rules):
        self.port = free_port()
        self.process = subprocess.Popen(["chromedriver", f"--port={self.port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # Without Chromium's own block of requests to this machine: what is tested is ours.
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", f"--host-resolver-rules={rules}",
                     "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests"]
        options = {"goog:chromeOptions": {"args": arguments}}
        for _ in range(100):
            try:
                session = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": options}})
                break
            except OSError:
                time.sleep(0.1)
        self.path = f"/session/{session['sessionId']}"
        self.ask("POST", f"{self.path}/timeouts", {"script": 120_000, "pageLoad": 30_000})

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=150) as answer:
            return json.load(answer)["value"]

    def open(self, url):
        self.ask("POST", f"{self.path}/url", {"url": url})

    def run(self, script):
        return self.ask("POST", f"{self.path}/execute/async", {"script": script, "args": []})

    def end(self):
        try:
            self.ask("DELETE", self.path)
        finally:
            self.process.terminate()


def main():
    folder = tempfile.TemporaryDirectory()
    root = pathlib.Path(folder.name)
    (root / "agent.sh").write_text("while IFS= read -r line; do echo \"$line\"; done\n")
    (root / "tasuki.yaml").write_text(
        f"tmux_socket: tasuki-elsewhere-{os.getpid()}\nagents:\n"
        "  - {name: worker, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK}\n")
    around = {**os.environ, "TASUKI_ROOT": str(root)}
    tasuki = lambda *words: subprocess.run([TASUKI, *words], env=around, capture_output=True, text=True, timeout=60, check=True).stdout
    tasuki("up")
    bad = 0
    try:
        url = tasuki("web", "--print-url").strip()
        origin, token = url.split("/#token=")
        port = origin.rsplit(":", 1)[1]
        server = http.server.ThreadingHTTPServer(("127.0.0.1", free_port()), Elsewhere)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        other = server.server_address[1]
        driver = Driver("MAP evil.test 127.0.0.1")
        try:
            # Where nobody checks, the same attempts do get through.
            careless = http.server.ThreadingHTTPServer(("127.0.0.1", free_port()), Careless)
            threading.Thread(target=careless.serve_forever, daemon=True).start()
            driver.open(f"http://evil.test:{other}/?target=http://127.0.0.1:{careless.server_address[1]}&token={token}")
            found = driver.run(ALL)
            open_doors = sum(what.startswith("got:") or what == "opaque" for what in found.values())
            print(f"against a server that checks nothing, {open_doors} of {len(found)} attempts get through, in {Careless.asked} requests")
            bad += open_doors < 20
            # Another site, the same site at another port, and another site that aims at `localhost`.
            for page, target in [(f"http://evil.test:{other}", origin), (f"http://127.0.0.1:{other}", origin),
                                 (f"http://evil.test:{other}", f"http://localhost:{port}"),
                                 (f"http://evil.test:{other}", f"http://evil.test:{port}")]:
                driver.open(f"{page}/?target={target}&token={token}")
                found = driver.run(ALL)
                print(f"{page} against {target}: {len(found)} attempts")
                for name, what in found.items():
                    through = what.startswith("got:")
                    bad += through
                    print(f"  {'THROUGH' if through else 'refused'}  {name}: {what}")
            # A name that was rebound to this machine: the browser takes our port for its own origin.
            driver.open(f"http://evil.test:{port}/")
            text = driver.run("const done = arguments[arguments.length - 1]; done(document.body.innerText)")
            rebound = "not-our-host" in text
            bad += not rebound
            print(f"{'refused' if rebound else 'THROUGH'}  a rebound name: {text[:60]!r}")
            # Ours: opened by its address, it is served.
            driver.open(url)
            text = driver.run("const done = arguments[arguments.length - 1]; done(document.documentElement.outerHTML)")
            served = "not-our" not in text and "no-token" not in text
            bad += not served
            print(f"{'served' if served else 'NOT SERVED'}  the page itself")
        finally:
            driver.end()
        halted = (root / "queue/STOP").exists()
        bad += halted
        print("queue/STOP was made" if halted else "nothing was done")
    finally:
        tasuki("down")
    print(f"{bad} got through")
    return 1 if bad else 0


sys.exit(main())
