// The service worker: pages fetch addresses below cda/ as from a node. Files come from the host, everything else from
// the engine; without a network the engine answers all. A site that has a service worker of its own imports this file
// there: it answers nothing but addresses below cda/, and keeps the programs of the search.
import { Search, SearchError } from './contentedge/immutable/engine.mjs';
import { BrowserStore } from './contentedge/immutable/browser.mjs';

const SLOW = 3_000; // milliseconds that a host may take for a file, before the engine answers
const PROGRAM = /^contentedge\/(search|immutable\/[\w-]+)\.mjs$/;

const site = new URL('./', import.meta.url);
const store = new BrowserStore(site);
const listeners = new Set(); // of progress
const others = new BroadcastChannel('contentedge');
const search = new Search(store, {
  wasm: (part) => store.module(part),
  onprogress: (progress) => listeners.forEach((listener) => listener(progress)),
  prepare: keepWanted,
  onrelease: (release) => others.postMessage(release),
});
others.onmessage = ({ data: release }) => search.release !== null && release !== search.release && search.look(true).catch(() => {});

self.addEventListener('install', (event) => {
  self.skipWaiting(); // each response is of one release, so old pages need no old worker
  const programs = ['contentedge/search.mjs', ...PROGRAMS.map((name) => 'contentedge/immutable/' + name)];
  event.waitUntil(Promise.all(programs.map((name) => store.program(new Request(new URL(name, site), { cache: 'no-cache' })))));
});
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('fetch', (event) => {
  const url = new URL(event.request.url);
  if (url.origin !== site.origin || !url.pathname.startsWith(site.pathname)) return;
  const path = '/' + url.pathname.slice(site.pathname.length);
  if (path.startsWith(ROOT) && !new RegExp(MEDIA.root).test(path)) event.respondWith(answer(event, path, url.search.slice(1)));
  else if (event.request.method === 'GET' && PROGRAM.test(path.slice(1))) event.respondWith(store.program(event.request));
});

self.addEventListener('message', (event) => {
  if (!Array.isArray(event.data?.offline) || event.ports.length === 0) return;
  event.waitUntil(keepOffline(event.data.offline, event.ports[0]));
});

async function answer(event, path, query) {
  const request = event.request;
  try {
    // A file may be of another release than the one that the request names.
    const file = request.headers.has(PIN) ? null : mapped(request.method, path, query);
    const found = file === null ? null : await fromHost(request, file);
    if (found !== null) return linked(found, path, query);
    const asked = new Request(new URL(path + (query && '?' + query), site.origin), { method: request.method, headers: request.headers, body: await bodyOf(request) });
    return await search.fetch(asked, { signal: request.signal, background: (work) => event.waitUntil(work) });
  } catch (error) {
    if (request.signal.aborted) throw error;
    return refused(error);
  }
}

async function bodyOf(request) {
  return request.method === 'GET' || request.method === 'HEAD' ? undefined : request.arrayBuffer();
}

// The host's response, or null if it has no such file or is out of reach.
async function fromHost(request, file) {
  const headers = new Headers(request.headers);
  const url = new URL(file.slice(1), site);
  const stop = new AbortController(), late = setTimeout(() => stop.abort(), SLOW);
  try {
    const response = await fetch(url, { method: request.method, headers, signal: AbortSignal.any([request.signal, stop.signal]) });
    if (response.status === 304 || (response.ok && /\bjson\b/.test(response.headers.get('Content-Type') ?? ''))) return response;
    return null;
  } catch (error) {
    request.signal.throwIfAborted();
    return null;
  } finally {
    clearTimeout(late);
  }
}

function refused(error) {
  const reason = error instanceof SearchError ? `${error.message} (${error.code})` : String(error);
  const body = JSON.parse(BODIES.down);
  body.error.message += ': ' + reason;
  return new Response(JSON.stringify(body), { status: body.status, headers: DOWN });
}

// Keeps the items of environments, for use without a network.
async function keepOffline(environments, port) {
  const stop = new AbortController();
  port.onmessage = () => stop.abort();
  const listener = (progress) => port.postMessage({ progress });
  listeners.add(listener);
  try {
    await search.ready(stop.signal);
    for (const id of environments) await search.load(id, stop.signal);
    await search.keepItems(environments, stop.signal);
    port.postMessage({ done: true });
  } catch (error) {
    port.postMessage({ error: { code: error instanceof SearchError ? error.code : error.name, message: error.message } });
  } finally {
    listeners.delete(listener);
  }
}

// Keeps the items of a new release, before it is exchanged, if those of the old one were kept. Where there is no room for
// them, the new release answers while there is a network.
async function keepWanted(next) {
  const wanted = (await store.offline()).filter((id) => Object.hasOwn(next.pointer.files, 'items/' + id));
  if (wanted.length > 0) await next.keepItems(wanted).catch((error) => console.warn(`contentedge: ${error.message}`));
}
