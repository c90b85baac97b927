// Runs before the page: puts a payload into every text of every answer, but for words that the page chooses by. What stood for what is
// known, so that the page asks the daemon for what there is.
(() => {
  const round = new URLSearchParams(location.search).get("round");
  if (round === null) return;
  const KEPT = new Set(["state", "status", "stage", "kind", "group", "what", "how", "type", "priority", "who", "code", "token", "origin", "session", "proofs", "size"]);
  const there = new Map(), back = new Map();
  let next = (round * STEP) % PAYLOADS.length;
  const payload = (text) => {
    if (!there.has(text)) {
      const lap = Math.floor(there.size / PAYLOADS.length);
      const one = PAYLOADS[next++ % PAYLOADS.length] + (lap > 0 ? lap : "");
      there.set(text, one);
      back.set(one, text);
    }
    return there.get(text);
  };
  const is = { moment: /^\d{4}-\d\d-\d\dT/ };
  const changed = (value, key) => {
    if (typeof value === "string") return KEPT.has(key) || is.moment.test(value) || value === "user" || value === "" ? value : payload(value);
    if (Array.isArray(value)) return value.map((one) => changed(one, key));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, changed(one, name)]));
  };
  const asked = (address) => {
    const [path, query = ""] = address.split("?");
    const real = (part) => back.get(part) ?? part;
    const parts = path.split("/").map((part) => encodeURIComponent(real(decodeURIComponent(part)))).join("/");
    const search = new URLSearchParams([...new URLSearchParams(query)].map(([name, value]) => [name, real(value)]));
    return parts + (query ? `?${search}` : "");
  };
  const fetched = window.fetch.bind(window);
  window.fetch = async (address, ...more) => {
    if (!String(address).startsWith("/api/")) return fetched(address, ...more);
    const answer = await fetched(asked(address), ...more);
    const kind = answer.headers.get("content-type") ?? "";
    const { status, headers } = answer;
    if (!kind.startsWith("text/event-stream")) return new Response(JSON.stringify(changed(await answer.json())), { status, headers });
    let rest = "";
    const lines = new TransformStream({
      transform(text, out) {
        const all = (rest + text).split("\n");
        rest = all.pop();
        for (const line of all) out.enqueue(`${line.startsWith("data: ") ? `data: ${JSON.stringify(changed(JSON.parse(line.slice(6))))}` : line}\n`);
      },
    });
    return new Response(answer.body.pipeThrough(new TextDecoderStream()).pipeThrough(lines).pipeThrough(new TextEncoderStream()), { status, headers });
  };
  window.__placed = () => [...there.values()];
  window.__place = (text) => there.get(text);
})();
