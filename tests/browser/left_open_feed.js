// Runs before the page: `__feed(n)` puts so many steps into the page's stream, behind what the daemon has sent, as a busy team would in a day.
(() => {
  const fetched = window.fetch.bind(window);
  let put = null, seq = 0, made = 0, sample = null;
  window.__streams = 0;
  window.fetch = async (address, ...more) => {
    const answer = await fetched(address, ...more);
    if (!String(address).startsWith("/api/events")) return answer;
    window.__streams += 1;
    const { status, headers } = answer;
    const learn = (text) => {
      for (const [, data] of text.matchAll(/^data: (.*)$/gm)) {
        const { seq: at, messages } = JSON.parse(data);
        seq = Math.max(seq, at ?? 0);
        sample ??= messages?.[0] ?? null;
      }
    };
    let rest = "";
    const body = answer.body.pipeThrough(new TextDecoderStream()).pipeThrough(new TransformStream({
      start(out) {
        put = (text) => out.enqueue(text);
      },
      transform(text, out) {
        rest += text;
        const end = rest.lastIndexOf("\n\n") + 2;
        learn(rest.slice(0, end));
        rest = rest.slice(end);
        out.enqueue(text);
      },
    })).pipeThrough(new TextEncoderStream());
    return new Response(body, { status, headers });
  };
  const AT_ONCE = 500;
  window.__feed = async (count) => {
    for (let done = 0; done < count; done += AT_ONCE) {
      const now = new Date().toISOString(), messages = [];
      let text = "";
      for (let n = 0; n < AT_ONCE; n += 1) {
        const id = `day-${(made += 1)}`;
        seq += 1;
        text += `event: step\nid: ${seq}\ndata: ${JSON.stringify({ seq, at: now, events: [{ kind: "completed", what: "completed", id, agent: "worker", text: `${id} was completed: 完了 ${made}` }] })}\n\n`;
        messages.push({ ...sample, id, title: `day ${made} ${"x".repeat(60)}`, status: "completed", stage: "completed", since: now, accepted_at: now });
      }
      put(`${text}event: view\ndata: ${JSON.stringify({ seq, now, whole: false, messages })}\n\n`);
      await new Promise((taken) => setTimeout(taken, 20));
    }
    return made;
  };
})();
