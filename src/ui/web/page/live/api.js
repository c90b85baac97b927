// Requests. Each answer is { ok, status, data } or { ok: false, status, problem }; a status of 0 is a daemon that is away.

// The ticket, while whoever answers here is known to know the token; else null, and nothing is asked.
let token = null;

export const setToken = (text) => {
  token = text;
};

/** The headers of a request; it is not made where nobody is known to answer. */
export function headers() {
  if (token === null) throw new Error("nobody is known to answer");
  return { Authorization: `Bearer ${token}` };
}

export async function ask(path, { body, method, signal } = {}) {
  if (token === null) return { ok: false, status: 0, problem: null };
  const way = method ?? (body === undefined ? "GET" : "POST");
  const request = { method: way, headers: headers(), cache: "no-store", credentials: "omit", signal };
  if (body !== undefined && body !== null) {
    request.headers["Content-Type"] = "application/json";
    request.body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(path, request);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return { ok: false, status: 0, problem: null };
  }
  const data = await answer.json().catch(() => null);
  if (answer.ok) return { ok: true, status: answer.status, data };
  return { ok: false, status: answer.status, problem: data && data.why ? data : null };
}

/** An address with each part as it may stand there. */
export const at = (strings, ...parts) => strings.reduce((all, text, index) => all + encodeURIComponent(parts[index - 1]) + text);

/** The address of a cure, whose names are not encoded yet. */
export const encodedPath = (path) => path.split("/").map(encodeURIComponent).join("/");
