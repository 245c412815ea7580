// Searches in a page: open starts a worker thread that answers requests as a node does, register starts a service worker
// that answers the requests of all pages of the site. search.d.mts has the types.
const here = new URL(import.meta.url);
const site = new URL('../', here);

// SearchError says why searches cannot be answered. code is stable, the message says what to do.
export class SearchError extends Error {
  constructor(code, message) {
    super(message);
    this.name = 'SearchError';
    this.code = code;
  }
}

// Opens the search of the site that this program lies on.
export async function open({ environments = [], lookEvery, signal, onprogress } = {}) {
  signal?.throwIfAborted();
  const edge = new Edge(onprogress);
  try {
    await edge.start({ environments, lookEvery }, signal);
  } catch (error) {
    edge.close();
    throw error;
  }
  return edge;
}

class Edge extends EventTarget {
  #thread;
  #calls = new Map(); // by id: { resolve, reject }
  #next = 0;
  #closed = null; // why no more requests are answered

  constructor(onprogress) {
    super();
    this.fetch = this.fetch.bind(this); // clients take it as a function
    this.release = '';
    this.stored = false;
    this.#thread = new Worker(new URL(THREAD, here), { type: 'module', name: 'contentedge' });
    this.#thread.onmessage = ({ data }) => {
      if (data.progress) return onprogress?.(data.progress);
      if (data.release) {
        this.release = data.release;
        return this.dispatchEvent(new CustomEvent('release', { detail: data.release }));
      }
      const call = this.#calls.get(data.id);
      if (data.error) call?.reject(new SearchError(data.error.code, data.error.message));
      else call?.resolve(data.answer);
    };
    this.#thread.onerror = (event) => {
      event.preventDefault();
      this.#end(new SearchError('thread', `the worker thread does not run: ${event.message || "a Content-Security-Policy needs worker-src 'self', and the files of the search must be published"}`));
    };
  }

  async start(settings, signal) {
    const { release, stored } = await this.#call({ open: settings }, signal);
    this.release = release;
    this.stored = stored;
  }

  // Answers a request for an address below cda/, as fetch.
  async fetch(input, init) {
    const request = new Request(typeof input === 'string' ? new URL(input, site) : input, init);
    const url = new URL(request.url);
    if (url.origin !== site.origin || !url.pathname.startsWith(site.pathname)) throw new TypeError(`${request.url} is no address of ${site.href}`);
    const has = request.method !== 'GET' && request.method !== 'HEAD';
    const body = has ? await request.arrayBuffer() : null;
    const target = '/' + url.pathname.slice(site.pathname.length) + url.search;
    const answer = await this.#call({ target, method: request.method, headers: [...request.headers], body }, request.signal);
    const empty = [101, 204, 205, 304].includes(answer.status) || request.method === 'HEAD';
    return new Response(empty ? null : answer.body, { status: answer.status, headers: answer.headers });
  }

  // Looks for a new release now; resolves to whether it answers.
  look({ signal } = {}) {
    return this.#call({ look: true }, signal);
  }

  close() {
    this.#end(new SearchError('closed', 'the search is closed'));
  }

  #end(error) {
    this.#closed ??= error;
    this.#thread.terminate();
    for (const call of this.#calls.values()) call.reject(this.#closed);
  }

  async #call(message, signal) {
    signal?.throwIfAborted();
    if (this.#closed !== null) throw this.#closed;
    const id = this.#next++;
    const stop = () => {
      this.#thread.postMessage({ abort: id });
      this.#calls.get(id)?.reject(signal.reason);
    };
    signal?.addEventListener('abort', stop, { once: true });
    try {
      return await new Promise((resolve, reject) => {
        this.#calls.set(id, { resolve, reject });
        this.#thread.postMessage({ id, ...message });
      });
    } finally {
      this.#calls.delete(id);
      signal?.removeEventListener('abort', stop);
    }
  }
}

// Registers the service worker. offline names environments whose items are kept for use without a network.
export async function register({ offline = [], signal, onprogress } = {}) {
  signal?.throwIfAborted();
  if (!('serviceWorker' in navigator)) throw new SearchError('insecure', 'service workers need HTTPS or localhost');
  const registration = await navigator.serviceWorker.register(new URL('contentedge-sw.js', site), { type: 'module', scope: site.pathname });
  const worker = await activated(registration, signal);
  if (offline.length > 0) await told(worker, { offline }, signal, onprogress);
  return registration;
}

// Waits until the service worker is active and answers this page.
async function activated(registration, signal) {
  const worker = registration.installing ?? registration.waiting ?? registration.active;
  await waitFor(worker, 'statechange', () => worker.state === 'activated' || worker.state === 'redundant', signal);
  if (worker.state === 'redundant') throw new SearchError('worker', 'the service worker could not be installed: the console of the browser says why');
  await waitFor(navigator.serviceWorker, 'controllerchange', () => navigator.serviceWorker.controller !== null, signal);
  return worker;
}

function waitFor(target, event, met, signal) {
  return new Promise((resolve, reject) => {
    const end = (settle) => {
      target.removeEventListener(event, check);
      signal?.removeEventListener('abort', stop);
      settle();
    };
    const stop = () => end(() => reject(signal.reason));
    const check = () => met() && end(resolve);
    target.addEventListener(event, check);
    signal?.addEventListener('abort', stop);
    check();
  });
}

// Sends the service worker a message, and waits until it is done.
async function told(worker, message, signal, onprogress) {
  const { port1, port2 } = new MessageChannel();
  const stop = () => port1.postMessage({ abort: true });
  signal?.addEventListener('abort', stop, { once: true });
  try {
    await new Promise((resolve, reject) => {
      port1.onmessage = ({ data }) => {
        if (data.progress) onprogress?.(data.progress);
        else if (data.error) reject(signal?.aborted ? signal.reason : new SearchError(data.error.code, data.error.message));
        else resolve();
      };
      worker.postMessage(message, [port2]);
    });
  } finally {
    signal?.removeEventListener('abort', stop);
    port1.close();
  }
}
