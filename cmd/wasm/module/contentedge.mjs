// The engine of contentedge as a WebAssembly module, behind the web's own interface:
//
//   const edge = await open('public')                    // a directory, a URL or a function
//   const response = await edge.fetch('/cda/rest/v1/site/contents')
//
// It runs in Node, Deno, browsers, their workers, and workers of CDNs. contentedge.d.mts has the types.

// The version of the module's functions that this file calls.
const VERSION = 1;

// The round of a request whose items could not all be had. The module answers it, and each after the last round.
const FAILED = -1;
const ITEMS_AT_ONCE = 16; // files of items that are read at once

// Of many environments each has a file with its part of the manifest, which comes before its snapshot.
const isPart = file => file.name.startsWith('manifests/');

const isItem = file => file.environment === '';

/** Opens a release: reads its manifest. Snapshots are read when a request needs them, or if options name them. */
export async function open(source, options = {}) {
  const { signal } = options;
  signal?.throwIfAborted();
  const read = await reader(source);
  const [module, manifest] = await all([compile(options.wasm, signal), wholeFile(read, 'manifest.json', signal)]);
  const edge = new Edge(module, manifest, read, options);
  await edge.start();
  for (const environment of options.environments ?? []) await edge.load(environment, signal);
  return edge;
}

// all waits for all promises, and fails with the first failure once none is running.
async function all(promises) {
  const results = await Promise.allSettled(promises);
  const failed = results.find(r => r.status === 'rejected');
  if (failed) throw failed.reason;
  return results.map(r => r.value);
}

/** A release that answers requests. */
class Edge {
  #module; #manifest; #read; #options;
  #engine = null;
  #loads = new Map(); // by environment: loads that are running
  #queue = Promise.resolve(); // the module receives one snapshot at a time
  #closed = false;
  #release = '';

  constructor(module, manifest, read, options) {
    this.#module = module;
    this.#manifest = manifest;
    this.#read = read;
    this.#options = options;
    this.fetch = this.fetch.bind(this); // clients take it as a function
  }

  /** The identity of the release. */
  get release() { return this.#release; }

  async start() {
    const engine = await Engine.start(this.#module);
    this.#release = engine.open(this.#manifest);
    this.#engine = engine;
  }

  /** Answers a request as a node does. It rejects if the request is aborted or a snapshot cannot be had. */
  async fetch(input, init) {
    const request = requestOf(input, init);
    const { signal } = request;
    signal?.throwIfAborted();
    this.#open();
    const body = await bodyOf(request, this.#engine?.maxBody ?? 0);
    const head = headOf(request);
    for (let round = 0; ;) {
      signal?.throwIfAborted();
      this.#open();
      const engine = await this.#running();
      let answer;
      try {
        answer = engine.respond(head, body, round);
      } catch (cause) {
        return this.#crashed(engine, cause, head, body, request);
      }
      if (answer.status > 0) return responseOf(request, answer);
      // One snapshot at a time: another request may load the next one meanwhile.
      if (!isItem(answer.files[0])) await this.#load(answer.files[0], signal);
      else if (await this.#items(engine, answer.files, signal)) round++;
      else round = FAILED;
    }
  }

  // items gives the module the files of items that an answer lacks, and reports whether all could be had.
  async #items(engine, files, signal) {
    let next = 0, all = true;
    const some = async () => {
      while (next < files.length && !signal?.aborted) {
        const { name } = files[next++];
        const body = await this.#read(name, { signal });
        const bytes = body === null || body === undefined ? null : await bytesOf(body);
        if (bytes === null || !engine.item(new TextEncoder().encode(name), bytes)) all = false;
      }
    };
    // One listener for all files: Node warns of more than ten, as if they leaked.
    await unlessAborted(Promise.all(Array.from({ length: Math.min(ITEMS_AT_ONCE, files.length) }, some)), signal);
    return all;
  }

  /** Loads the snapshot of an environment, unless it is there. */
  async load(environment, signal) {
    this.#open();
    const response = await this.fetch(new Request(`${anywhere}/cda/es/v1/${encodeURIComponent(environment)}`, { signal }));
    if (response.status !== 200) throw failure(`release ${this.#release} has no environment ${JSON.stringify(environment)}`);
  }

  /** Gives the memory back. Later requests are rejected. */
  close() {
    this.#closed = true;
    this.#engine = null;
    for (const load of this.#loads.values()) load.abort.abort(failure('the release is closed'));
  }

  #open() { if (this.#closed) throw failure('the release is closed'); }

  async #running() {
    if (!this.#engine) await (this.#starting ??= this.start().finally(() => { this.#starting = null; }));
    return this.#engine;
  }
  #starting = null;

  // After a crash of the module nothing in its memory can be trusted. A new instance answers from now on, and
  // reads snapshots again when a request needs them.
  async #crashed(engine, cause, head, body, request) {
    if (this.#engine === engine) this.#engine = null;
    console.error('contentedge: the module crashed:', cause);
    const fresh = await this.#running();
    return responseOf(request, fresh.refuse(head, body));
  }

  // load reads a snapshot. Requests that wait for it share one load, which ends when the last of them is aborted.
  async #load(file, signal) {
    let load = this.#loads.get(file.environment);
    if (!load) {
      const abort = new AbortController();
      load = { abort, waiting: 0, done: null };
      this.#loads.set(file.environment, load);
      load.done = this.#queue.then(() => this.#receive(file, abort.signal)).finally(() => {
        if (this.#loads.get(file.environment) === load) this.#loads.delete(file.environment);
      });
      this.#queue = load.done.catch(() => {});
    }
    load.waiting++;
    try {
      await unlessAborted(load.done, signal);
    } finally {
      if (--load.waiting === 0) {
        load.abort.abort(failure('nobody waits for the snapshot'));
        if (this.#loads.get(file.environment) === load) this.#loads.delete(file.environment);
      }
    }
  }

  async #receive(file, signal) {
    signal.throwIfAborted();
    const engine = await this.#running();
    const outer = this.#options.signal;
    outer?.throwIfAborted();
    const both = outer ? AbortSignal.any([signal, outer]) : signal;
    const searchOnly = isPart(file) ? undefined : this.#options.searchOnly?.[file.environment];
    if (searchOnly) file = { environment: file.environment, name: searchOnly.file, bytes: searchOnly.bytes };
    const progress = loaded => this.#options.onprogress?.({ file: file.name, environment: file.environment, loaded, total: file.bytes });
    engine.receive(file.environment, searchOnly);
    try {
      let loaded = 0;
      progress(loaded);
      for await (const chunk of chunks(await given(this.#read, file.name, both), both)) {
        if (loaded + chunk.length > file.bytes) throw failure(`${file.name} is longer than the ${file.bytes} bytes that the manifest says: it belongs to another release`);
        engine.arrived(chunk);
        progress(loaded += chunk.length);
      }
      both.throwIfAborted();
    } catch (cause) {
      engine.drop();
      throw cause;
    }
    engine.load();
  }
}

// ---- Requests and responses ----

const anywhere = 'http://contentedge.invalid';

function requestOf(input, init) {
  if (typeof input === 'string' && input.startsWith('/')) input = anywhere + input;
  return input instanceof Request && init === undefined ? input : new Request(input, init);
}

// headOf writes the head of a request as the module reads it: method, target and fields, a line each.
function headOf(request) {
  const url = new URL(request.url);
  let head = `${request.method}\n${url.pathname}${url.search}\n`;
  for (const [name, value] of request.headers) head += `${name}:${value}\n`;
  const bytes = new Uint8Array(head.length);
  for (let i = 0; i < head.length; i++) bytes[i] = head.charCodeAt(i); // values of fields are byte strings
  return bytes;
}

// bodyOf reads the body of a request, but no more than a byte beyond the limit.
async function bodyOf(request, limit) {
  if (request.method === 'GET' || request.method === 'HEAD') return new Uint8Array(0);
  if (request.body === undefined) return new Uint8Array(await request.arrayBuffer()); // Firefox has no stream here
  const parts = [];
  let length = 0;
  for await (const chunk of chunks(request, request.signal)) {
    parts.push(chunk);
    if ((length += chunk.length) > limit) break;
  }
  const body = new Uint8Array(Math.min(length, limit + 1));
  let at = 0;
  for (const part of parts) {
    const some = part.subarray(0, body.length - at);
    body.set(some, at);
    at += some.length;
  }
  return body;
}

function responseOf(request, { status, fields, body }) {
  const headers = new Headers();
  for (const line of fields.split('\r\n')) {
    const colon = line.indexOf(': ');
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 2));
  }
  const none = request.method === 'HEAD' || status === 204 || status === 304;
  return new Response(none ? null : body, { status, headers });
}

// ---- Files of the release ----

function failure(message, cause) {
  const error = new Error(`contentedge: ${message}`, cause === undefined ? undefined : { cause });
  error.name = 'ContentedgeError';
  return error;
}

const hasFiles = () => globalThis.process?.versions?.node !== undefined || globalThis.Deno !== undefined;
const isURL = text => /^[a-z][a-z0-9+.-]+:/i.test(text);

// reader returns the function that reads a file of the release by its name, or null if the release lacks it.
async function reader(source) {
  if (typeof source === 'function') return source;
  if (source instanceof URL || typeof source === 'string') {
    const text = String(source);
    if (hasFiles() && (text.startsWith('file:') || !isURL(text))) return directory(source);
    const base = new URL(text.endsWith('/') ? text : text + '/', globalThis.location?.href);
    return (name, { signal }) => fetchFile(new URL(name, base), signal);
  }
  throw failure('source must be a directory, a URL or a function that reads a file of the release');
}

async function fetchFile(url, signal) {
  const response = await fetch(url, { signal });
  if (response.status === 404) return null;
  if (!response.ok) throw failure(`GET ${url} has status ${response.status}`);
  return response;
}

// directory reads files of the release that dir/manifest.json leads to now: a later release has another directory.
async function directory(dir) {
  const [{ open: openFile, realpath }, { join, dirname }, { fileURLToPath }] = await Promise.all([import('node:fs/promises'), import('node:path'), import('node:url')]);
  const path = String(dir).startsWith('file:') ? fileURLToPath(dir) : dir;
  let release;
  try {
    release = dirname(await realpath(join(path, 'manifest.json')));
  } catch (cause) {
    throw failure(`${path} holds no release`, cause);
  }
  return async name => {
    let file;
    try {
      file = await openFile(join(release, ...name.split('/')));
    } catch (cause) {
      if (cause.code === 'ENOENT') return null;
      throw cause;
    }
    return new Response(new ReadableStream({
      type: 'bytes',
      async pull(controller) {
        let some;
        try {
          some = await file.read(new Uint8Array(1 << 18), 0, 1 << 18);
        } finally {
          if (!some?.bytesRead) await file.close();
        }
        if (some.bytesRead > 0) return controller.enqueue(some.buffer.subarray(0, some.bytesRead));
        controller.close();
      },
      cancel: () => file.close(),
    }));
  };
}

// given asks the source for a file, and fails if there is none.
async function given(read, name, signal) {
  const body = await unlessAborted(read(name, { signal }), signal);
  if (body === null || body === undefined) throw failure(`the release has no file ${name}`);
  return body;
}

// chunks yields the bytes of a body: a Response or Request, an ArrayBuffer, or a Uint8Array.
async function* chunks(body, signal) {
  if (body instanceof ArrayBuffer) yield new Uint8Array(body);
  else if (ArrayBuffer.isView(body)) yield new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  else if (body?.body) {
    const stream = body.body.getReader();
    try {
      for (;;) {
        const { done, value } = await unlessAborted(stream.read(), signal);
        if (done) return;
        yield value;
      }
    } finally {
      stream.cancel().catch(() => {});
    }
  } else if (body && body.body !== null) throw failure('source must return a Response, an ArrayBuffer, a Uint8Array or null');
}

const wholeFile = async (read, name, signal) => bytesOf(await given(read, name, signal), signal);

async function bytesOf(body, signal) {
  const parts = [];
  for await (const chunk of chunks(body, signal)) parts.push(chunk);
  return parts.length === 1 ? parts[0] : new Uint8Array(await new Blob(parts).arrayBuffer());
}

// unlessAborted waits for a promise, but no longer than until the signal is aborted.
async function unlessAborted(promise, signal) {
  if (!signal) return promise;
  let stop;
  const aborted = new Promise((_, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

// ---- The module ----

// compile returns the compiled module: from a WebAssembly.Module, bytes, or a URL; next to this file unless named.
async function compile(wasm, signal) {
  if (wasm instanceof WebAssembly.Module) return wasm;
  if (wasm instanceof ArrayBuffer || ArrayBuffer.isView(wasm)) return WebAssembly.compile(wasm);
  const url = wasm === undefined ? new URL('contentedge.wasm', import.meta.url) : new URL(wasm, globalThis.location?.href ?? import.meta.url);
  if (url.protocol === 'file:' && hasFiles()) {
    const { readFile } = await import('node:fs/promises');
    return WebAssembly.compile(await readFile(url, { signal }));
  }
  const response = await fetchFile(url, signal);
  if (!response) throw failure(`there is no module at ${url}`);
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('application/wasm') && WebAssembly.compileStreaming) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

/** An instance of the module. Its functions take and return numbers; bytes lie in its memory. */
class Engine {
  #call; #memory;

  static async start(module) {
    const engine = new Engine();
    const wasi = shim(() => engine.#memory.buffer);
    const { exports } = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi });
    engine.#call = exports;
    engine.#memory = exports.memory;
    if (typeof exports.contentedge_version !== 'function') throw failure('the WebAssembly module is not that of contentedge');
    exports._initialize();
    const version = exports.contentedge_version();
    if (version !== VERSION) throw failure(`the module has version ${version} of its functions, contentedge.mjs calls version ${VERSION}: take both files from one "generator wasm"`);
    engine.maxBody = exports.contentedge_max_body();
    return engine;
  }

  open(manifest) {
    this.#put(manifest);
    this.#check(this.#call.contentedge_open());
    return this.#text(this.#call.contentedge_build());
  }

  receive(environment, searchOnly) {
    const lines = searchOnly ? [environment, searchOnly.file, searchOnly.bytes, searchOnly.sha256] : [environment];
    this.#put(new TextEncoder().encode(lines.join('\n')));
    this.#check(this.#call.contentedge_receive());
  }

  // arrived puts bytes where the snapshot stays: there is no second copy.
  arrived(chunk) {
    this.#bytes(this.#call.contentedge_rest(), chunk.length).set(chunk);
    this.#call.contentedge_arrived(chunk.length);
  }

  load() { this.#check(this.#call.contentedge_load()); }

  drop() { this.#call.contentedge_drop(); }

  respond(head, body, round) { return this.#ask(length => this.#call.contentedge_respond(length, round), head, body); }

  // item takes the file of an item, and reports whether it is of the release.
  item(name, body) {
    this.#put(name, body);
    const length = this.#call.contentedge_item(name.length);
    if (length > 0) console.error('contentedge:', this.#text(length));
    return length === 0;
  }

  // refuse is the response to a request at which another instance crashed.
  refuse(head, body) { return this.#ask(this.#call.contentedge_refuse, head, body); }

  #ask(call, head, body) {
    this.#put(head, body);
    const result = call(head.length); // which may replace the buffer of the memory
    const [status, fields, fieldsLength, at, length] = new Uint32Array(this.#memory.buffer, result, 5);
    const answer = { status, fields: latin(this.#bytes(fields, fieldsLength)), body: this.#bytes(at, length).slice() };
    if (status === 0) answer.files = latin(answer.body).trimEnd().split('\n').map(line => {
      const [bytes, environment, name] = line.split(' ');
      return { bytes: Number(bytes), environment, name };
    });
    this.#call.contentedge_done();
    return answer;
  }

  #put(...parts) {
    let at = this.#call.contentedge_input(parts.reduce((sum, part) => sum + part.length, 0));
    for (const part of parts) {
      this.#bytes(at, part.length).set(part);
      at += part.length;
    }
  }

  // bytes is a view of the memory, which the next call may detach.
  #bytes(at, length) { return new Uint8Array(this.#memory.buffer, at >>> 0, length); }

  #text(length) { return new TextDecoder().decode(this.#bytes(this.#call.contentedge_output(), length)); }

  #check(length) { if (length > 0) throw failure(this.#text(length)); }
}

const latin = bytes => new TextDecoder('latin1').decode(bytes);

// ---- The system of the module: a clock, random numbers, a console; no files ----

const SUCCESS = 0, NO_DESCRIPTOR = 8, NO_FILE = 44, NO_SYSTEM = 52; // errors of WASI preview 1

function shim(buffer) {
  const view = () => new DataView(buffer());
  const unset = (...places) => {
    for (const place of places) view().setUint32(place, 0, true);
    return SUCCESS;
  };
  const none = error => () => error;
  let line = '';
  return {
    args_sizes_get: unset, args_get: none(SUCCESS),
    environ_sizes_get: unset, environ_get: none(SUCCESS),
    clock_time_get(clock, _precision, to) {
      const now = clock === 0 ? Date.now() : performance.now();
      view().setBigUint64(to, BigInt(Math.round(now * 1e6)), true);
      return SUCCESS;
    },
    random_get(to, length) {
      for (let at = 0; at < length; at += 65536) crypto.getRandomValues(new Uint8Array(buffer(), to + at, Math.min(65536, length - at)));
      return SUCCESS;
    },
    // The runtime sleeps only while it waits for nothing else. It asks again if the time is not over.
    poll_oneoff(from, to, n, count) {
      for (let i = 0; i < n; i++) {
        view().setBigUint64(to + 32 * i, view().getBigUint64(from + 48 * i, true), true);
        view().setBigUint64(to + 32 * i + 8, 0n, true);
      }
      view().setUint32(count, n, true);
      return SUCCESS;
    },
    fd_write(_descriptor, from, n, written) {
      let length = 0;
      for (let i = 0; i < n; i++) {
        const size = view().getUint32(from + 8 * i + 4, true);
        line += latin(new Uint8Array(buffer(), view().getUint32(from + 8 * i, true), size));
        length += size;
      }
      const end = line.lastIndexOf('\n');
      if (end >= 0) {
        console.error(line.slice(0, end));
        line = line.slice(end + 1);
      }
      view().setUint32(written, length, true);
      return SUCCESS;
    },
    fd_fdstat_get(descriptor, to) {
      if (descriptor > 2) return NO_DESCRIPTOR;
      new Uint8Array(buffer(), to, 24).fill(0);
      return SUCCESS;
    },
    proc_exit(status) { throw failure(`the module ended with status ${status}`); },
    sched_yield: none(SUCCESS),
    fd_fdstat_set_flags: none(SUCCESS),
    fd_prestat_get: none(NO_DESCRIPTOR), fd_prestat_dir_name: none(NO_DESCRIPTOR),
    fd_close: none(NO_DESCRIPTOR), fd_read: none(NO_DESCRIPTOR), fd_seek: none(NO_DESCRIPTOR),
    path_open: none(NO_FILE), path_filestat_get: none(NO_FILE),
    fd_filestat_get: none(NO_SYSTEM), fd_readdir: none(NO_SYSTEM), fd_pread: none(NO_SYSTEM), fd_pwrite: none(NO_SYSTEM), fd_sync: none(NO_SYSTEM),
  };
}
