// A page of another origin, which tries whatever a page can. `run(target, token)` gives what became of each attempt: "got: ..." if the
// page could read, hold or do something. What was done blindly, the server knows by the number of the attempt in the address.
const later = (ms, what) => new Promise((done) => setTimeout(() => done(what), ms));
const PATIENCE_MS = 900, MOMENT_MS = 300;

function attemptsOn(target, token) {
  const list = [];
  let number = 0;
  const add = (name, attempt) => {
    const own = `attempt=${(number += 1)}`;
    const at = (path) => target + path + (path.includes("?") ? "&" : "?") + own;
    list.push([name, number, () => attempt(at, own)]);
  };
  const put = (tag, more = {}, parent = document.body) => {
    const element = Object.assign(document.createElement(tag), more);
    parent.append(element);
    return element;
  };
  const loads = (make) => async (at) => new Promise((done) => {
    const element = make(at);
    element.addEventListener("load", () => done("got: it loaded"));
    element.addEventListener("error", () => done("refused"));
  });
  const messages = (make) => (at, own) => new Promise((done) => {
    addEventListener("message", (event) => event.data === own && done("got: a word from its window"));
    make(at, own);
  });
  const read = async (answer) => {
    const got = await answer;
    if (got.type === "opaque") return "got: an answer that cannot be read";
    return `${got.ok ? "got" : "refused"}: ${got.status} ${(await got.text()).slice(0, 40)}`;
  };

  const PATHS = ["/", "/app.js", "/icons/0.svg", "/api/status", "/api/messages", "/api/agents/worker/screen", "/api/openapi.json", `/api/prove?nonce=${"n".repeat(32)}`, "/metrics", "/api/tab"];
  for (const path of PATHS) {
    add(`fetch cors GET ${path}`, (at) => read(fetch(at(path))));
    add(`fetch no-cors GET ${path}`, (at) => read(fetch(at(path), { mode: "no-cors", credentials: "include" })));
    add(`fetch same-origin GET ${path}`, (at) => read(fetch(at(path), { mode: "same-origin" })));
  }
  add("fetch with the token", (at) => read(fetch(at("/api/status"), { headers: { Authorization: `Bearer ${token}` } })));
  add("fetch without a referrer", (at) => read(fetch(at("/api/status"), { referrerPolicy: "no-referrer", cache: "force-cache" })));
  add("fetch of the events", (at) => read(fetch(at("/api/events"), { headers: { "Last-Event-ID": "0" } })));
  add("XMLHttpRequest GET", (at) => new Promise((done) => {
    const request = new XMLHttpRequest();
    request.open("GET", at("/api/status"));
    request.onload = () => done(`${request.status < 400 ? "got" : "refused"}: ${request.status}`);
    request.onerror = () => done("refused");
    request.send();
  }));
  for (const method of ["HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"]) add(`fetch ${method}`, (at) => read(fetch(at("/api/status"), { method })));

  // What is done blindly.
  const BODY = JSON.stringify({ on: true, to: "worker", content: "from elsewhere" });
  const TYPES = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"];
  for (const path of ["/api/halt", "/api/messages", "/api/down", "/api/web", "/api/agents/worker/stop"]) {
    for (const type of TYPES) add(`fetch no-cors POST ${type} ${path}`, async (at) => (await fetch(at(path), { method: "POST", mode: "no-cors", headers: { "Content-Type": type }, body: BODY, credentials: "include" }), "sent"));
    add(`fetch POST JSON ${path}`, async (at) => (await fetch(at(path), { method: "POST", headers: { "Content-Type": "application/json" }, body: BODY }), "sent"));
    add(`fetch POST JSON with the token ${path}`, async (at) => (await fetch(at(path), { method: "POST", headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` }, body: BODY }), "sent"));
  }
  add("fetch POST without a body", async (at) => (await fetch(at("/api/down"), { method: "POST", mode: "no-cors" }), "sent"));
  add("fetch POST that outlives the page", async (at) => (await fetch(at("/api/halt"), { method: "POST", mode: "no-cors", keepalive: true, body: BODY }), "sent"));
  add("fetch POST without a referrer", async (at) => (await fetch(at("/api/halt"), { method: "POST", mode: "no-cors", referrerPolicy: "no-referrer", body: BODY }), "sent"));
  add("fetch POST that is led on", async (at) => (await fetch(`/led-on?to=${encodeURIComponent(at("/api/halt"))}`, { method: "POST", mode: "no-cors", body: BODY }), "sent"));
  add("fetch GET that is led on", (at) => read(fetch(`/led-on?to=${encodeURIComponent(at("/api/status"))}`)));
  add("XMLHttpRequest POST", async (at) => {
    const request = new XMLHttpRequest();
    request.open("POST", at("/api/halt"));
    request.send(BODY);
    return "sent";
  });
  const FORM = new FormData();
  FORM.set("on", "true");
  for (const [kind, data] of [["text", BODY], ["JSON", new Blob([BODY], { type: "application/json" })], ["plain blob", new Blob([BODY], { type: "text/plain" })], ["form", FORM], ["query", new URLSearchParams({ on: "true" })]])
    add(`sendBeacon ${kind}`, (at) => (navigator.sendBeacon(at("/api/halt"), data), "sent"));
  for (const enctype of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
    for (const path of ["/api/halt", "/api/messages"])
      for (const where of ["frame", "window"])
        add(`form ${enctype} ${path} to a ${where}`, (at) => {
          const name = `f${Math.random()}`;
          if (where === "frame") put("iframe", { name });
          const form = put("form", { method: "post", action: at(path), enctype, target: where === "frame" ? name : "_blank" });
          put("input", { name: '{"on":true,"x":"', value: '"}' }, form);
          form.submit();
          return "sent";
        });
  add("form by GET", messages((at, own) => {
    const name = `f${Math.random()}`;
    put("iframe", { name });
    const form = put("form", { method: "get", action: at("/"), target: name });
    put("input", { name: "attempt", value: own.split("=")[1] }, form);
    form.submit();
  }));
  add("ping of a link", (at) => (put("a", { href: "#here", ping: at("/api/halt") }).click(), "sent"));
  for (const [kind, sandbox] of [["a sandbox", "allow-scripts allow-forms"], ["a frame of its own origin", "allow-scripts allow-same-origin allow-forms"]]) {
    add(`POST out of ${kind}`, (at) => (put("iframe", { sandbox, srcdoc: `<script>fetch(${JSON.stringify(at("/api/halt"))}, {method: "POST", mode: "no-cors", body: "{}"})<\/script>` }), "sent"));
    add(`form out of ${kind}`, (at) => (put("iframe", { sandbox, srcdoc: `<form method=post action="${at("/api/halt")}"></form><script>document.forms[0].submit()<\/script>` }), "sent"));
    add(`read out of ${kind}`, messages((at, own) => put("iframe", { sandbox, srcdoc: `<script>fetch(${JSON.stringify(at("/api/status"))}).then((a) => a.ok || Promise.reject()).then(() => parent.postMessage(${JSON.stringify(own)}, "*"))<\/script>` })));
  }
  add("POST out of a page in its address", (at) => (put("iframe", { src: `data:text/html,<script>fetch(${JSON.stringify(at("/api/halt"))}, {method: "POST", mode: "no-cors", body: "{}"})</${""}script>` }), "sent"));
  const worker = (text) => new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
  const answers = (made) => new Promise((done) => {
    made.onmessage = () => done("got: a word from a worker");
    made.onerror = () => done("refused");
  });
  add("read by a worker", (at) => answers(worker(`fetch(${JSON.stringify(at("/api/status"))}).then((a) => a.ok || Promise.reject()).then(() => postMessage(1), () => { throw 1; })`)));
  add("script of a worker", (at) => answers(worker(`importScripts(${JSON.stringify(at("/app.js"))}); postMessage(1)`)));

  // What is taken in.
  for (const path of ["/icons/0.svg", "/icons/away.svg"]) add(`img ${path}`, loads((at) => put("img", { src: at(path) })));
  add("img with sets", loads((at) => put("img", { srcset: `${at("/icons/0.svg")} 1x` })));
  add("img of input", loads((at) => put("input", { type: "image", src: at("/icons/0.svg") })));
  add("img that may be read", loads((at) => put("img", { crossOrigin: "anonymous", src: at("/icons/0.svg") })));
  add("poster of a video", async (at) => (put("video", { poster: at("/icons/0.svg") }), "sent"));
  add("svg image", loads((at) => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const image = document.createElementNS("http://www.w3.org/2000/svg", "image");
    image.setAttribute("href", at("/icons/0.svg"));
    svg.append(image);
    document.body.append(svg);
    return image;
  }));
  for (const path of ["/app.js", "/live/token.js", "/api/status", "/vendor/preact.js"]) add(`script ${path}`, loads((at) => put("script", { src: at(path) })));
  add("script that may be read", loads((at) => put("script", { crossOrigin: "anonymous", src: at("/app.js") })));
  for (const path of ["/app.js", "/live/token.js"]) {
    add(`module ${path}`, loads((at) => put("script", { type: "module", src: at(path) })));
    add(`import ${path}`, async (at) => (await import(at(path)), "got: a module"));
  }
  add("import by a map", async (at, own) => {
    put("script", { type: "importmap", text: JSON.stringify({ imports: { [own]: at("/app.js") } }) });
    await import(own);
    return "got: a module";
  });
  add("import of JSON", async (at) => {
    const text = `import x from ${JSON.stringify(at("/api/status"))} with { type: "json" }; export default x;`;
    await import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
    return "got: JSON";
  });
  for (const path of ["/tokens.css", "/css/shell.css"]) add(`style sheet ${path}`, loads((at) => put("link", { rel: "stylesheet", href: at(path) }, document.head)));
  add("style sheet of a style sheet", loads((at) => put("style", { textContent: `@import url(${JSON.stringify(at("/tokens.css"))});` }, document.head)));
  for (const [as, path] of [["script", "/app.js"], ["style", "/tokens.css"], ["image", "/icons/0.svg"]]) add(`preload ${as}`, loads((at) => put("link", { rel: "preload", as, href: at(path) }, document.head)));
  add("preload fetch", async (at) => {
    await loads(() => put("link", { rel: "preload", as: "fetch", crossOrigin: "anonymous", href: at("/api/status") }, document.head))(at);
    return read(fetch(at("/api/status")));
  });
  add("modulepreload", loads((at) => put("link", { rel: "modulepreload", href: at("/app.js") }, document.head)));
  add("prefetch", loads((at) => put("link", { rel: "prefetch", href: at("/") }, document.head)));
  add("object", loads((at) => put("object", { data: at("/icons/0.svg"), type: "image/svg+xml" })));
  add("embed", messages((at) => put("embed", { src: at("/"), type: "text/html" })));

  // Windows and frames.
  add("frame", messages((at) => put("iframe", { src: at("/") })));
  add("frame in a sandbox", messages((at) => put("iframe", { src: at("/"), sandbox: "allow-scripts" })));
  add("frame without a referrer", messages((at) => put("iframe", { src: at("/"), referrerPolicy: "no-referrer" })));
  add("frame of an answer", messages((at) => put("iframe", { src: at("/frame.html") })));
  add("window", messages((at) => open(at("/"), "_blank")));
  add("a hold on a window", (at, own) => new Promise((done) => {
    let other = null;
    addEventListener("message", (event) => event.data === own && done(other.closed ? "refused" : "got: a hold on its window"));
    other = open(at("/"), "_blank");
  }));
  add("window with the token", messages((at) => open(`${at("/")}#token=${token}`, "_blank")));

  // Streams and sockets.
  for (const withCredentials of [false, true])
    for (const path of ["/api/events", `/api/events?view=true`, "/api/agents/worker/screen?follow=true"])
      add(`EventSource ${path} ${withCredentials}`, (at) => new Promise((done) => {
        const events = new EventSource(at(path), { withCredentials });
        events.onopen = () => (done("got: a stream"), events.close());
        events.onerror = () => (done("refused"), events.close());
      }));
  for (const path of ["/", "/api/events", "/api/halt"])
    for (const protocols of [[], ["tasuki", `bearer.${token}`]])
      add(`WebSocket ${path} ${protocols.length}`, (at) => new Promise((done) => {
        const socket = new WebSocket(at(path).replace("http", "ws"), protocols);
        socket.onopen = () => done("got: a socket");
        socket.onerror = () => done("refused");
      }));
  for (const [kind, more] of [["classic", {}], ["module", { type: "module" }]])
    add(`service worker ${kind}`, async (at) => (await navigator.serviceWorker.register(at("/app.js"), more), "got: a service worker"));
  add("shared worker", async (at) => (new SharedWorker(at("/app.js")), "sent"));
  add("worker", (at) => answers(new Worker(at("/app.js"))));
  return list;
}

// How many at once: a browser has six connections to a host, and streams take some.
const AT_ONCE = 16;

window.run = async (target, token) => {
  const list = attemptsOn(target, token), found = [];
  const next = list.values();
  const one = async () => {
    for (const [name, number, attempt] of next) {
      const what = await Promise.race([Promise.resolve().then(attempt).catch((error) => `refused: ${error}`), later(PATIENCE_MS, "late")]);
      found.push([name, number, String(what)]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  await later(MOMENT_MS);
  return found;
};
