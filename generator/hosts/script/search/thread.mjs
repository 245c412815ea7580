// The worker thread of a page: it runs the engine, so that the page stays responsive. search.mjs talks to it.
import { Search, SearchError } from './engine.mjs';
import { BrowserStore } from './browser.mjs';

const site = new URL('../../', import.meta.url);
const running = new Map(); // by id: what stops the request
const others = 'BroadcastChannel' in self ? new BroadcastChannel('contentedge') : null;
let search, store;

self.onmessage = async ({ data }) => {
  if (data.abort !== undefined) return running.get(data.abort)?.abort();
  const stop = new AbortController();
  running.set(data.id, stop);
  try {
    const [answer, moved] = await perform(data, stop.signal);
    self.postMessage({ id: data.id, answer }, moved);
  } catch (error) {
    self.postMessage({ id: data.id, error: { code: error instanceof SearchError ? error.code : error.name, message: error.message } });
  } finally {
    running.delete(data.id);
  }
};

async function perform(data, signal) {
  if (data.open) return [await start(data.open, signal), []];
  if (data.look) return [await search.look(true), []];
  const request = new Request(new URL(data.target, site.origin), { method: data.method, headers: data.headers, body: data.body ?? undefined });
  const response = await search.fetch(request, { signal });
  const body = await response.arrayBuffer();
  return [{ status: response.status, headers: [...response.headers], body }, [body]];
}

async function start({ environments, lookEvery }, signal) {
  store = new BrowserStore(site);
  search = new Search(store, {
    environments,
    lookEvery,
    wasm: (part) => store.module(part),
    onprogress: (progress) => self.postMessage({ progress }),
    onrelease: (release) => {
      others?.postMessage(release);
      self.postMessage({ release });
    },
  });
  if (others) others.onmessage = ({ data: release }) => release !== search.release && search.look(true).catch(() => {});
  await search.ready(signal);
  for (const id of environments) await search.load(id, signal);
  return { release: search.release, stored: !store.full };
}
