// A worker of Cloudflare: files come from the assets, everything else from the engine, which stays in memory between
// requests. The snapshots lie in the bucket of the binding CONTENTEDGE, or else in the assets.
import { Search, SearchError, bytesOf, digestOf, unlessAborted } from './engine.mjs';
import module from './contentedge.wasm';

const ROOM = 80 << 20; // bytes of snapshots that fit into 128 MB beside two instances of the module and a part
const LOOK_EVERY = 30_000; // milliseconds between two looks for a new release in the bucket, unless a variable says otherwise
const PATIENCE = 20_000; // milliseconds that a request waits for a release, before it is answered 503

// The files of the search. Bindings serve all requests of an instance, signals do not, so there are none.
class Files {
  constructor(env) {
    this.env = env;
  }

  async #file(name) {
    return this.env.CONTENTEDGE ? this.env.CONTENTEDGE.get(name) : this.#asset(name);
  }

  async #asset(name) {
    const response = await this.env.ASSETS.fetch(new Request('http://assets.local/' + name));
    return response.status === 200 ? response : null;
  }

  async pointer() {
    const found = await this.#file('contentedge/search.json');
    if (found === null) throw new SearchError('missing', 'contentedge/search.json is neither in the assets nor in the bucket: upload the files of the search');
    return found.text();
  }

  async part(part) {
    const found = await this.#file('contentedge/immutable/' + part.file);
    if (found === null) throw new SearchError('missing', `${part.file} is missing: upload the files of the search again`);
    const bytes = await bytesOf(found, part.bytes);
    if (bytes === null || (await digestOf(bytes)) !== part.sha256) throw new SearchError('damaged', `${part.file} has other bytes than search.json says: upload the files of the search again`);
    return bytes;
  }

  async item(name) {
    const response = await this.#asset(name);
    return response && new Uint8Array(await response.arrayBuffer());
  }

  async kept() {
    return null;
  }

  async keep() {}
}

const sizes = (pointer) => Object.values(pointer.files).reduce((sum, file) => sum + file.bytes, 0);
let search = null;

export default {
  async fetch(request, env, ctx) {
    const url = new URL(request.url);
    const file = mapped(request.method, url.pathname, url.search.slice(1));
    // A file may be of another release than the one that a request names.
    if (file !== null && (TOP.includes(file) || !request.headers.has(PIN))) {
      const found = await env.ASSETS.fetch(new Request(new URL(file, url), { method: request.method, headers: request.headers }));
      if (found.status === 200 || found.status === 206 || found.status === 304) return linked(dressed(found, file), url.pathname, url.search.slice(1));
    }
    return searched(request, env, ctx);
  },
};

async function searched(request, env, ctx) {
  search ??= new Search(new Files(env), { wasm: module, endless: true, room: (old, next) => sizes(old) + sizes(next) <= ROOM, lookEvery: env.CONTENTEDGE ? Number(env.CONTENTEDGE_LOOK_EVERY ?? LOOK_EVERY) : Infinity });
  try {
    // Loads go on if the client whose request began them goes away: others wait for them.
    const loaded = search.ready();
    ctx.waitUntil(loaded.catch(() => {}));
    await unlessAborted(loaded, AbortSignal.timeout(PATIENCE));
    const answered = search.fetch(request, { signal: null, background: (work) => ctx.waitUntil(work) });
    ctx.waitUntil(answered.catch(() => {}));
    return await answered;
  } catch (error) {
    console.error(`contentedge: ${error.message}`);
    return new Response(request.method === 'HEAD' ? null : BODIES.down, { status: 503, headers: DOWN });
  }
}
