// What the page asks the server: the interface as a site would, and the preview's API and events.

import { streamTo } from "./events.js";
import { routes } from "./interface.js";

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

export const listURL = (env, query) => routes.list.replace("ENV", env) + (query ? `?${query}` : "");
export const itemURL = (env, id) => routes.item.replace("ENV", env).replace(/ID$/, encodeURIComponent(id));
export const searchURL = (env) => routes.search.replace("ENV", env);

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

/** Follows the server's events: all tabs by one connection, of which browsers have six a host. */
export function follow({ on, connection }) {
  const tell = (name, data) => {
    if (name === "connection") return connection(data);
    if (name !== "building" && name !== "refused") changed();
    on(name, data);
  };
  const withoutWorker = () => {
    const stream = streamTo(tell);
    const see = () => (document.hidden ? stream.close() : stream.open());
    document.addEventListener("visibilitychange", see);
    see();
  };
  if (typeof SharedWorker === "undefined") return withoutWorker();
  const worker = new SharedWorker("/-/assets/events.js", { type: "module" });
  worker.onerror = withoutWorker; // its file cannot be had, or the browser has no modules in workers
  worker.port.onmessage = ({ data: [name, data] }) => tell(name, data);
  const see = () => worker.port.postMessage(document.hidden ? "hidden" : "visible");
  document.addEventListener("visibilitychange", see);
  addEventListener("pagehide", () => worker.port.postMessage("gone"));
  addEventListener("pageshow", see); // at first, and when the page comes back from the browser's history
}
