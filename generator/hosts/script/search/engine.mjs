// Opens the newest release that a store has, answers requests from it, and follows releases. A store is where the
// files lie: Cache Storage and the network in a browser, assets or a bucket in a worker of Cloudflare.
import { open } from './contentedge.mjs';

const FORMAT = 1; // of the pointer
const LOOK_EVERY = 60_000; // milliseconds between two looks for a new release: a conditional request each
const RETRY_AFTER = 1_000; // milliseconds until a failed file is tried again: requests that hurry get the same error

// SearchError says why searches cannot be answered. code is stable, the message says what to do.
export class SearchError extends Error {
  constructor(code, message, cause) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'SearchError';
    this.code = code;
  }
}

// Parses a pointer, which names the files of a release.
export function parsePointer(text) {
  let pointer;
  try {
    pointer = JSON.parse(text);
  } catch (cause) {
    throw new SearchError('damaged', 'search.json is no JSON: publish the files of the search again', cause);
  }
  if (!Number.isInteger(pointer?.format)) throw new SearchError('damaged', 'search.json names no format: publish the files of the search again');
  if (pointer.format !== FORMAT) throw new SearchError('version', `search.json has format ${pointer.format}, this program reads format ${FORMAT}: load the page again`);
  const isPart = (part) => /^[\w.-]+$/.test(part?.file) && Number.isSafeInteger(part.bytes) && part.bytes >= 0 && typeof part.sha256 === 'string';
  const isFile = (file) => Number.isSafeInteger(file?.bytes) && Array.isArray(file.parts) && file.parts.length > 0 && file.parts.every(isPart);
  if (typeof pointer.build !== 'string' || !isFile(pointer.files?.['manifest.json']) || typeof (pointer.snapshots ?? 0) !== 'object' || !Object.values(pointer.files).every(isFile)) {
    throw new SearchError('damaged', 'search.json lacks a member, or has one of another type: publish the files of the search again');
  }
  return pointer;
}

// digestOf is the SHA-256 of bytes in hexadecimal digits.
export async function digestOf(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (b) => b.toString(16).padStart(2, '0')).join('');
}

// bytesOf reads a response that should have a size; null if it has another one. It stops at the first byte too many.
export async function bytesOf(response, size, onbytes = () => {}) {
  const bytes = new Uint8Array(size);
  if (response.body === null) return size === 0 ? bytes : null;
  const reader = response.body.getReader();
  let at = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return at === size ? bytes : null;
    if (at + value.length > size) {
      reader.cancel().catch(() => {});
      return null;
    }
    bytes.set(value, at);
    at += value.length;
    onbytes(value.length);
  }
}

// The promise, or the reason of the signal, whichever is first.
export function unlessAborted(promise, signal) {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

// Search is the engine of one site. Options:
//   wasm          the module: a WebAssembly.Module, or a function that loads it
//   environments  whose snapshots are needed at once
//   room          reports whether two releases fit into memory together
//   endless       a load goes on when nobody waits for it, and uses no signal: those of workers belong to one request
//   lookEvery     milliseconds between two looks for a new release
//   onprogress    called with { loaded, total }, in bytes, as files arrive
//   prepare       called with a release before it is exchanged
//   onrelease     called with its build after it was
export class Search {
  #store;
  #options;
  #wasm = null;
  #current = null; // { pointer, text, edge }
  #loading = null; // what requests wait for: { done, stop, waiting }
  #failed = new Map(); // by file: when it failed, and why
  #looking = null;
  #looked = 0;
  #loaded = 0;
  #total = 0;

  constructor(store, options = {}) {
    this.#store = store;
    this.#options = options;
  }

  // The build of the release that answers; null while there is none.
  get release() {
    return this.#current?.pointer.build ?? null;
  }

  get pointer() {
    return this.#current?.pointer ?? null;
  }

  // Waits until a release answers. All who wait share one load, which goes on while one of them is left.
  async ready(signal) {
    while (this.#current === null) {
      signal?.throwIfAborted();
      const loading = (this.#loading ??= this.#start());
      loading.waiting++;
      try {
        await unlessAborted(loading.done, signal);
      } finally {
        if (--loading.waiting === 0 && loading === this.#loading) {
          this.#loading = null;
          loading.stop.abort();
        }
      }
    }
  }

  #start() {
    const stop = new AbortController();
    const end = () => {
      if (this.#loading === loading) this.#loading = null;
    };
    const done = this.#once('release', () => this.#first(this.#options.endless ? undefined : stop.signal)).then((current) => {
      if (stop.signal.aborted) return current.edge.close();
      this.#current = current;
      this.#looked = Date.now();
    });
    const loading = { done, stop, waiting: 0 };
    done.then(end, end);
    return loading;
  }

  // The newest release. Where the network is away or the newest does not load: the one that the store kept.
  async #first(signal) {
    let failure;
    try {
      return await this.#open(await this.#store.pointer(signal), signal);
    } catch (error) {
      signal?.throwIfAborted();
      failure = error;
    }
    const kept = await this.#store.kept();
    if (kept === null) throw failure;
    return this.#open(kept, signal).catch(() => {
      throw failure;
    });
  }

  async #open(text, signal) {
    const pointer = parsePointer(text);
    const ahead = this.#ahead(pointer, signal);
    this.#wasm ??= await this.#module(signal);
    let opening = signal;
    const edge = await unlessAborted(open((name, options) => this.#read(pointer, name, options?.signal ?? opening, ahead), { wasm: this.#wasm, searchOnly: pointer.snapshots }), signal);
    opening = undefined; // the edge outlives the request that opened it
    if (edge.release !== pointer.build) {
      edge.close();
      throw new SearchError('mixed', `search.json names release ${pointer.build}, but the manifest is of release ${edge.release}: publish the files of the search again`);
    }
    await this.#store.keep(text, pointer);
    const keepItems = (environments) => this.#store.keepItems(pointer, environments, (name) => this.#read(pointer, name, undefined, undefined, false));
    return { pointer, text, edge, keepItems };
  }

  // The first parts of what is needed at once, on their way while the module is loaded and compiled.
  #ahead(pointer, signal) {
    const snapshots = (this.#options.environments ?? []).map((id) => pointer.snapshots?.[id]?.file);
    const names = ['manifest.json', ...snapshots].filter((name) => Object.hasOwn(pointer.files, name ?? ''));
    return new Map(names.map((name) => [name, this.#part(pointer.files[name].parts[0], signal, true)]));
  }

  async #module(signal) {
    if (typeof this.#options.wasm !== 'function') return this.#options.wasm;
    return this.#options.wasm((part) => this.#part(part, signal));
  }

  // A file of the release: in parts under hashed names, or an item of the site.
  async #read(pointer, name, signal, ahead, keep = true) {
    if (!Object.hasOwn(pointer.files, name)) return this.#store.item(name, pointer.build, signal);
    const { bytes, parts } = pointer.files[name];
    let next = ahead?.get(name) ?? this.#part(parts[0], signal, keep), at = 0;
    ahead?.delete(name);
    const body = new ReadableStream({
      // The next part is read ahead, so that the network does not wait for a digest.
      pull: async (controller) => {
        const part = await next;
        if (++at < parts.length) next = this.#part(parts[at], signal, keep);
        controller.enqueue(part);
        if (at === parts.length) controller.close();
      },
    }, { highWaterMark: 0 });
    return new Response(body, { headers: { 'Content-Length': String(bytes) } });
  }

  #part(part, signal, keep) {
    this.#total += part.bytes;
    const bytes = this.#once(part.file, () => this.#store.part(part, { signal, keep, onbytes: (n) => this.#arrived(n) }));
    bytes.catch(() => {}); // reported where it is awaited, if it is
    return bytes;
  }

  #arrived(n) {
    this.#loaded += n;
    this.#options.onprogress?.({ loaded: Math.min(this.#loaded, this.#total), total: this.#total });
  }

  // Tries what has failed not before RETRY_AFTER is over.
  async #once(name, load) {
    const failed = this.#failed.get(name);
    if (failed && Date.now() - failed.at < RETRY_AFTER) throw failed.error;
    try {
      const loaded = await load();
      this.#failed.delete(name);
      return loaded;
    } catch (error) {
      if (error instanceof SearchError) this.#failed.set(name, { at: Date.now(), error });
      throw error;
    }
  }

  // Answers a request.
  async fetch(request, { signal = request.signal, background = () => {} } = {}) {
    await this.ready(signal);
    const again = await repeatable(request, signal);
    background(this.look().catch(() => {}));
    return this.#ask((edge) => edge.fetch(again()), (response) => response.status !== 503, signal);
  }

  // Loads the snapshot of an environment.
  async load(id, signal) {
    await this.ready(signal);
    return this.#ask((edge) => edge.load(id, signal), () => true, signal);
  }

  // Asks the release. If it cannot answer, because its files went away, and there is a new one, asks that.
  async #ask(ask, answered, signal) {
    const before = this.#current;
    let answer, failure;
    try {
      answer = await unlessAborted(ask(before.edge), signal);
      if (answered(answer)) return answer;
    } catch (error) {
      signal?.throwIfAborted();
      failure = error;
    }
    if (this.#current === before) await unlessAborted(this.look(true), signal).catch(() => {});
    signal?.throwIfAborted();
    await this.ready(signal);
    if (this.#current !== before) return unlessAborted(ask(this.#current.edge), signal);
    if (failure) throw failure;
    return answer;
  }

  // Keeps all items of environments in the store.
  async keepItems(environments, signal) {
    const missing = environments.find((id) => !Object.hasOwn(this.pointer.files, 'items/' + id));
    if (missing !== undefined) throw new SearchError('environment', `environment ${missing} is not published for use without a network`);
    await unlessAborted(this.#current.keepItems(environments), signal);
  }

  // Looks for a new release and exchanges it; reports whether it did. While the new one does not load, the old one answers.
  look(now = false) {
    if (this.#looking !== null) return this.#looking;
    if (this.#current === null || !now && Date.now() - this.#looked < (this.#options.lookEvery ?? LOOK_EVERY)) return Promise.resolve(false);
    this.#looked = Date.now();
    this.#looking = this.#once('exchange', () => this.#exchange()).finally(() => (this.#looking = null));
    return this.#looking;
  }

  async #exchange() {
    const text = await this.#store.pointer();
    const old = this.#current;
    if (text === old.text) return false;
    const pointer = parsePointer(text);
    if (this.#options.room?.(old.pointer, pointer) === false) return this.#replace(old, text);
    const next = await this.#open(text);
    await this.#options.prepare?.(next);
    this.#current = next;
    old.edge.close();
    this.#options.onrelease?.(pointer.build);
    return true;
  }

  // Exchanges releases that do not fit into memory together: requests wait meanwhile. If the new one does not load, the
  // old one is loaded again.
  async #replace(old, text) {
    const loading = { stop: new AbortController(), waiting: 1 };
    this.#loading = loading;
    this.#current = null;
    old.edge.close();
    loading.done = this.#open(text).catch(() => this.#open(old.text)).then((current) => {
      this.#current = current;
    }).finally(() => (this.#loading = null));
    await loading.done;
    if (this.#current.text !== text) return false;
    this.#options.onrelease?.(this.release);
    return true;
  }

  // Frees the memory. The next request loads again.
  close() {
    this.#current?.edge.close();
    this.#current = null;
  }
}

// Returns a function that makes the request anew: a body can be read once only.
async function repeatable(request, signal) {
  const has = request.method !== 'GET' && request.method !== 'HEAD';
  const body = has ? new Uint8Array(await request.arrayBuffer()) : undefined;
  return () => new Request(request.url, { method: request.method, headers: request.headers, body, signal });
}
