// The store of a browser: files from the network, kept in Cache Storage, which pages, worker threads and the service
// worker of a site share. MODULE, which precedes this program, names the file of the module.
import { SearchError, bytesOf, digestOf } from './engine.mjs';

const CACHE = 'contentedge-1';
const KEPT = 'kept.json'; // the pointer of the release that is kept
const OFFLINE = 'offline.json'; // the environments whose items are kept
const MAX_POINTER = 1 << 20; // characters; a pointer has some 200 for each part
const MAX_ITEM = 32 << 20; // bytes of an item's file
const MAX_ITEMS = 8_000; // items of hits that are kept; Cache Storage lists all of them where it drops some

export class BrowserStore {
  #site;
  #base;
  #zipped = null; // whether parts are fetched as .gz files: the host compresses none; null: not known yet
  #put = 0; // items since old ones were dropped
  full = false; // whether the storage refused a file

  // site is the URL that cda/ and contentedge/ lie below.
  constructor(site) {
    this.#site = site;
    this.#base = new URL('contentedge/', site);
    if (!globalThis.isSecureContext) throw new SearchError('insecure', 'searches in a browser need HTTPS or localhost: only there it computes digests and keeps files');
  }

  // The pointer of the newest release.
  async pointer(signal) {
    const response = await this.#request(new URL('search.json', this.#base), 'search.json', { cache: 'no-cache', signal });
    const text = await response.text();
    if (text.length > MAX_POINTER) throw new SearchError('damaged', 'search.json is too long: publish the files of the search again');
    return text;
  }

  // The pointer of the release that is kept, or null.
  async kept() {
    const found = await (await this.#cache())?.match(new URL(KEPT, this.#base));
    return found ? found.text() : null;
  }

  // The module, compiled. part loads a part of its file.
  async module(part) {
    const parts = await Promise.all(MODULE.parts.map(part));
    try {
      return await WebAssembly.compile(await new Blob(parts).arrayBuffer());
    } catch (cause) {
      throw new SearchError('module', "the browser does not compile the module: a Content-Security-Policy needs script-src 'wasm-unsafe-eval'", cause);
    }
  }

  // A part of a file. Its bytes have the part's digest, wherever they come from.
  async part(part, { signal, keep = true, onbytes } = {}) {
    const url = new URL('immutable/' + part.file, this.#base);
    const cache = await this.#cache();
    const kept = await cache?.match(url);
    if (kept) {
      const bytes = new Uint8Array(await kept.arrayBuffer());
      if (await fits(bytes, part)) {
        onbytes?.(bytes.length);
        return bytes;
      }
      await cache.delete(url);
    }
    const bytes = await this.#download(part, url, signal, onbytes);
    if (keep) await this.#keep(cache, url, bytes);
    return bytes;
  }

  // Downloads a part. If its bytes are others, it is downloaded once more: past the caches of the browser, as it is.
  async #download(part, url, signal, onbytes) {
    const first = await this.#bytes(await this.#compressed(part, url, { signal }), part, signal, onbytes);
    const bytes = first ?? (await this.#bytes(await this.#request(url, part.file, { cache: 'reload', signal }), part, signal));
    if (bytes !== null) return bytes;
    throw new SearchError('damaged', `${part.file} has other bytes than search.json says: publish the files of the search again`);
  }

  // The bytes of a response, or null if they are not those of the part.
  async #bytes(response, part, signal, onbytes) {
    try {
      const bytes = await bytesOf(response, part.bytes, onbytes);
      return bytes !== null && (await fits(bytes, part)) ? bytes : null;
    } catch {
      signal?.throwIfAborted();
      return null; // it broke off, or is no .gz file
    }
  }

  // Fetches a part so that it travels compressed: by the host, or else as the .gz file beside it.
  async #compressed(part, url, init) {
    const beside = new URL(url.href + '.gz');
    if (part.gzip && this.#zipped === true) return unzipped(await this.#request(beside, part.file, init));
    const response = await this.#request(url, part.file, init);
    if (!part.gzip || this.#zipped === false) return response;
    this.#zipped = !response.headers.has('Content-Encoding');
    if (!this.#zipped) return response;
    try {
      const zipped = unzipped(await this.#request(beside, part.file, init));
      response.body?.cancel().catch(() => {});
      return zipped;
    } catch (error) {
      init.signal?.throwIfAborted();
      this.#zipped = false;
      return response;
    }
  }

  async #request(url, name, init) {
    let response;
    try {
      response = await fetch(url, init);
    } catch (cause) {
      init.signal?.throwIfAborted();
      throw new SearchError('network', `${name} is out of reach: there is no network`, cause);
    }
    if (!response.ok) throw new SearchError('missing', `${name}: the host answers ${response.status}: publish the files of the search again`);
    return response;
  }

  // An item's file of a release, or null if there is none.
  async item(name, build, signal) {
    const url = this.#itemURL(name, build);
    const cache = await this.#cache();
    const kept = await cache?.match(url);
    if (kept) return new Uint8Array(await kept.arrayBuffer());
    let response;
    try {
      response = await fetch(url, { signal });
    } catch (cause) {
      signal?.throwIfAborted();
      throw new SearchError('network', `${name} is out of reach: there is no network`, cause);
    }
    if (response.status === 404 || response.ok && !isJSON(response)) return null; // some hosts answer with their start page
    if (!response.ok) throw new SearchError('missing', `${name}: the host answers ${response.status}`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (bytes.length > MAX_ITEM) throw new SearchError('damaged', `${name} is too long for an item`);
    if (await this.#keep(cache, url, bytes) && ++this.#put % 1000 === 0) await this.#drop(cache, build);
    return bytes;
  }

  // The release is in the URL, so that no cache gives the item of another release.
  #itemURL(name, build) {
    const url = new URL(name, this.#site);
    url.searchParams.set('release', build);
    return url;
  }

  // Keeps all items of environments, which come in one file each. read reads a file of the release.
  async keepItems(pointer, environments, read) {
    const cache = await this.#cache();
    for (const id of environments) {
      const done = new URL(`items-${id}?release=${pointer.build}`, this.#base);
      if (!cache || (await cache.match(done))) continue;
      for await (const [name, bytes] of itemsOf(await read('items/' + id))) {
        if (!(await this.#keep(cache, this.#itemURL(name, pointer.build), bytes))) throw fullError();
      }
      if (!(await this.#keep(cache, done, new Uint8Array()))) throw fullError();
    }
    if (!cache || this.full) throw fullError();
    const all = new Set([...(await this.offline()), ...environments]);
    await this.#keep(cache, new URL(OFFLINE, this.#base), new TextEncoder().encode(JSON.stringify([...all].sort())));
  }

  // The environments whose items are kept.
  async offline() {
    const found = await (await this.#cache())?.match(new URL(OFFLINE, this.#base));
    return found ? found.json() : [];
  }

  async #keep(cache, url, bytes) {
    if (!cache || this.full) return false;
    try {
      await cache.put(url, new Response(bytes, { headers: { 'Content-Type': 'application/octet-stream', 'Content-Length': String(bytes.length) } }));
      return true;
    } catch {
      this.full = true; // what is loaded answers; the next visit loads it again
      return false;
    }
  }

  // Keeps the pointer of a release whose manifest is kept, and drops what belongs to other releases. Tabs take turns.
  async keep(text, pointer) {
    const cache = await this.#cache();
    if (!cache) return;
    await navigator.locks.request(CACHE, async () => {
      for (const part of pointer.files['manifest.json'].parts) if (!(await cache.match(new URL('immutable/' + part.file, this.#base)))) return;
      if (await this.#keep(cache, new URL(KEPT, this.#base), new TextEncoder().encode(text))) await this.#drop(cache, pointer.build, pointer);
    });
  }

  // Drops the oldest of too many items; with a pointer, also items of other releases, and parts that it does not name.
  async #drop(cache, build, pointer = null) {
    const immutable = new URL('immutable/', this.#base).href, items = [];
    const parts = pointer && new Set([MODULE, ...Object.values(pointer.files)].flatMap((file) => file.parts.map((part) => immutable + part.file)));
    for (const request of await cache.keys()) {
      const of = new URL(request.url).searchParams.get('release');
      if (of === build) items.push(request);
      else if (pointer && (of !== null || request.url.startsWith(immutable) && !request.url.endsWith('.mjs') && !parts.has(request.url))) await cache.delete(request);
    }
    if ((await this.offline()).length > 0) return; // all items are wanted
    for (const request of items.slice(0, Math.max(0, items.length - MAX_ITEMS))) await cache.delete(request);
  }

  // A program of the page: the newest, or the one that is kept where the network is away.
  async program(request) {
    const cache = await this.#cache();
    try {
      const response = await fetch(request);
      if (response.ok && response.type === 'basic') await cache?.put(request, response.clone()).catch(() => {});
      return response;
    } catch (error) {
      const kept = await cache?.match(request);
      if (kept) return kept;
      throw error;
    }
  }

  // The cache, or null where the browser keeps nothing, as in some private windows.
  async #cache() {
    try {
      return await caches.open(CACHE);
    } catch {
      this.full = true;
      return null;
    }
  }
}

function fullError() {
  return new SearchError('storage', 'the browser has no room to keep the items: without a network they will be missing');
}

async function fits(bytes, part) {
  return bytes.length === part.bytes && (await digestOf(bytes)) === part.sha256;
}

function isJSON(response) {
  return /\bjson\b|octet-stream/.test(response.headers.get('Content-Type') ?? '');
}

// The body of a .gz file. Some hosts say that it is a compressed response, which the browser has unzipped then.
function unzipped(response) {
  return response.headers.has('Content-Encoding') ? response : new Response(response.body.pipeThrough(new DecompressionStream('gzip')));
}

// The items of a file that has all of an environment: a line of JSON with the name and length of each, then their bytes.
async function* itemsOf(response) {
  const reader = response.body.getReader();
  let rest = new Uint8Array();
  const more = async () => {
    const { done, value } = await reader.read();
    if (done) throw new SearchError('damaged', 'the file of all items ends too early: publish the files of the search again');
    const joined = new Uint8Array(rest.length + value.length);
    joined.set(rest);
    joined.set(value, rest.length);
    rest = joined;
  };
  let end;
  while ((end = rest.indexOf(10)) < 0) await more();
  const table = JSON.parse(new TextDecoder().decode(rest.subarray(0, end)));
  rest = rest.subarray(end + 1);
  for (const [name, length] of table) {
    while (rest.length < length) await more();
    yield [name, rest.subarray(0, length)];
    rest = rest.subarray(length);
  }
}
