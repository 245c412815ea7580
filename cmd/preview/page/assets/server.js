// What the page asks the server: the interface as a site would, and the preview's API and events.

export async function ask(url, options = {}) {
  const begin = performance.now();
  const request = { method: options.body === undefined ? "GET" : "POST", cache: "no-store", signal: options.signal };
  if (options.body !== undefined) {
    request.body = options.body;
    request.headers = { "Content-Type": "application/json" };
  }
  const result = { status: 0, text: "", bytes: 0, took: 0, json: null, error: null };
  try {
    const response = await fetch(url, request);
    const body = await response.arrayBuffer();
    result.status = response.status;
    result.bytes = body.byteLength;
    result.text = new TextDecoder().decode(body);
    result.json = JSON.parse(result.text);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    result.error = {
      code: "unreachable",
      message: result.status ? "the response is not JSON" : "preview does not answer; is it still running?",
    };
  }
  result.took = performance.now() - begin;
  if (!result.error && result.status >= 400)
    result.error = result.json.error || { code: String(result.status), message: "the request failed" };
  return result;
}

/** Asks the preview's API. Throws its errors. */
export async function api(path, body) {
  const result = await ask(`/-/api/${path}`, { body: body === undefined ? undefined : JSON.stringify(body) });
  if (result.error) throw Object.assign(new Error(result.error.message), result.error);
  return result.json;
}

export const listURL = (env, query) => `/cda/rest/v1/${env}/contents${query ? `?${query}` : ""}`;
export const itemURL = (env, id) => `/cda/rest/v1/${env}/contents/${encodeURIComponent(id)}`;
export const searchURL = (env) => `/cda/es/v1/${env}`;

/** A search whose answer is needed for the page's own display. */
export async function aggregate(env, aggs, query) {
  const body = { size: 0, aggs };
  if (query) body.query = query;
  const result = await ask(searchURL(env), { body: JSON.stringify(body) });
  if (result.error) throw Object.assign(new Error(result.error.message), result.error);
  return result.json.aggregations;
}

const fieldsOf = new Map();

/** The fields of an environment, read once for each build. */
export function fields(env) {
  if (!fieldsOf.has(env)) {
    const reading = api(`${env}/fields`);
    fieldsOf.set(env, reading);
    reading.catch(() => fieldsOf.delete(env));
  }
  return fieldsOf.get(env);
}

const changed = () => fieldsOf.clear();

/** Follows the server's events. After a closed connection the browser connects again and names the
 * last event; after an answer that is no stream it gives up, and this tries again. A hidden page
 * frees its connection, of which browsers have six a host, and begins anew with the state. */
export function follow({ on, connection }) {
  let retry = 500;
  let source = null;
  const open = () => {
    if (document.hidden || source) return;
    source = new EventSource("/-/events");
    source.onopen = () => {
      retry = 500;
      connection("live");
    };
    source.onerror = () => {
      connection("lost");
      if (source?.readyState !== EventSource.CLOSED) return;
      source = null;
      setTimeout(open, retry);
      retry = Math.min(retry * 2, 5000);
    };
    for (const name of ["state", "reset", "view", "building", "built", "failed"]) {
      source.addEventListener(name, (event) => {
        if (name !== "building") changed();
        on(name, JSON.parse(event.data));
      });
    }
  };
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) return open();
    source?.close();
    source = null;
  });
  open();
}
