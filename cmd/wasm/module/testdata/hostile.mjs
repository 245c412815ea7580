// Asks the module under bad circumstances: damaged files, aborts, crashes. node hostile.mjs DIR-OF-MODULE PUBLIC
import assert from 'node:assert/strict';
import { readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const [files, source] = process.argv.slice(2);
const release = dirname(await realpath(join(source, 'manifest.json')));
const { open } = await import(join(files, 'contentedge.mjs'));
const wasm = await WebAssembly.compile(await readFile(join(files, 'contentedge.wasm')));
const list = '/cda/rest/v1/site/contents?pageSize=1';
const file = name => readFile(join(release, name));
const isSnapshot = name => name.startsWith('snapshots/');

// opened opens the release with another file in place of the snapshot.
const opened = (snapshot, options) => open((name, o) => isSnapshot(name) ? snapshot(name, o) : file(name), { wasm, ...options });

async function rejects(promise, message) {
  await assert.rejects(promise, error => message.test(error.message) || assert.fail(error));
}

// A damaged, a cut, an extended and an absent snapshot are refused. Then the right one is taken.
{
  let change = bytes => { bytes[bytes.length >> 1] ^= 1; return bytes; };
  const edge = await opened(async name => change(new Uint8Array(await file(name))));
  await rejects(edge.fetch(list), /SHA-256.*damaged or belongs to another release/);
  change = bytes => bytes.subarray(1);
  await rejects(edge.fetch(list), /cut off or belongs to another release/);
  change = bytes => new Uint8Array([...bytes, 0]);
  await rejects(edge.fetch(list), /belongs to another release/);
  change = () => null;
  await rejects(edge.fetch(list), /the release has no file snapshots/);
  change = () => 'text';
  await rejects(edge.fetch(list), /source must return/);
  change = () => { throw new Error('the disk is gone'); };
  await rejects(edge.fetch(list), /the disk is gone/);
  change = bytes => new Response(bytes);
  assert.equal((await edge.fetch(list)).status, 200);
  change = () => assert.fail('a snapshot that is there is read again');
  assert.equal((await edge.fetch(list)).status, 200);
  edge.close();
  await rejects(edge.fetch(list), /closed/);
}

// A manifest of a newer format, a damaged one and none.
{
  const manifest = body => open(async () => body, { wasm });
  await rejects(manifest(new TextEncoder().encode('{"format":99,"environments":[]}')), /unknown manifest format: a newer program made the release \(format 99/);
  await rejects(manifest((await file('manifest.json')).subarray(1)), /bad manifest/);
  await rejects(manifest(null), /the release has no file manifest.json/);
  await rejects(open('/nowhere', { wasm }), /holds no release/);
  await rejects(open(7, { wasm }), /source must be/);
}

// Another module, and one whose functions have another version.
{
  const bytes = parts => new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...parts.flat()]);
  const name = text => [text.length, ...new TextEncoder().encode(text)];
  await rejects(open(source, { wasm: bytes([]) }), /not that of contentedge/);
  const exported = [3, ...name('memory'), 2, 0, ...name('_initialize'), 0, 1, ...name('contentedge_version'), 0, 0];
  const other = bytes([[1, 8, 2, 0x60, 0, 1, 0x7f, 0x60, 0, 0], [3, 3, 2, 0, 1], [5, 3, 1, 0, 1], [7, exported.length, ...exported], [10, 9, 2, 4, 0, 0x41, 9, 0x0b, 2, 0, 0x0b]]);
  await rejects(open(source, { wasm: other }), /version 9 of its functions.*take both files from one "generator wasm"/);
}

// Requests that are aborted while the snapshot arrives. The last one ends the download.
{
  let ended, stall = true;
  const edge = await opened(async (name, { signal }) => {
    if (!stall) return file(name);
    signal.addEventListener('abort', () => { ended = signal.reason; });
    return new Response(new ReadableStream({ start: controller => controller.enqueue(new Uint8Array(10)) })); // and never more
  });
  const first = new AbortController(), second = new AbortController();
  const waits = [edge.fetch(list, { signal: first.signal }), edge.fetch(list, { signal: second.signal })];
  const both = Promise.allSettled(waits);
  await new Promise(resolve => setImmediate(resolve));
  first.abort();
  await rejects(waits[0], /abort/i);
  assert.equal(ended, undefined);
  second.abort();
  await rejects(waits[1], /abort/i);
  await both;
  assert.match(ended.message, /nobody waits/);
  stall = false;
  assert.equal((await edge.fetch(list)).status, 200);
  await rejects(edge.fetch(list, { signal: AbortSignal.abort() }), /abort/i);
  await rejects(open(source, { wasm, signal: AbortSignal.abort() }), /abort/i);
}

// Closing ends what waits.
{
  const edge = await opened(() => new Promise(() => {}));
  const waiting = edge.fetch(list);
  const settled = Promise.allSettled([waiting]);
  await new Promise(resolve => setImmediate(resolve));
  edge.close();
  await rejects(waiting, /closed/);
  await settled;
}

// Many requests at once read the snapshot once.
{
  let reads = 0;
  const edge = await opened(name => { reads++; return file(name); });
  const responses = await Promise.all(Array.from({ length: 50 }, () => edge.fetch(list)));
  assert.equal(reads, 1);
  assert.deepEqual(new Set(responses.map(r => r.status)), new Set([200]));
  assert.equal(new Set(await Promise.all(responses.map(r => r.text()))).size, 1);
}

// Each snapshot is read once, also where a request needs several and another one loads them in another order.
{
  const names = [];
  const edge = await opened(name => { names.push(name); return file(name); });
  const { fetch } = edge; // a function of its own, as clients take it
  const ids = JSON.parse(await file('manifest.json')).environments.map(e => e.id);
  assert.ok(ids.length > 1, 'the sample has several environments');
  const searches = list => list.map(index => `{"index":"${index}"}\n{"size":0}\n`).join('');
  const search = list => fetch('/cda/es/v1/_msearch', { method: 'POST', body: searches(list) }).then(response => response.status);
  assert.deepEqual(await Promise.all([search(ids.slice(-1)), search(ids)]), [200, 200]);
  assert.deepEqual(names.toSorted(), [...new Set(names)].toSorted());
}

// A body without end is read no further than the limit.
{
  const edge = await open(source, { wasm });
  let sent = 0;
  const body = new ReadableStream({ pull: controller => { sent += 65536; controller.enqueue(new Uint8Array(65536).fill(32)); } });
  const response = await edge.fetch('/cda/es/v1/site', { method: 'POST', body, duplex: 'half' });
  assert.equal(response.status, 413);
  assert.ok(sent < 2 ** 20, `${sent} bytes were read`);
}

// The module crashes: the response is a 500, and a new instance answers the next request.
{
  const instantiate = WebAssembly.instantiate;
  let crashes = 1, instances = 0;
  WebAssembly.instantiate = async (...args) => {
    instances++;
    const { exports } = await instantiate(...args);
    return { exports: { ...exports, contentedge_respond(...numbers) {
      if (crashes-- > 0) throw new WebAssembly.RuntimeError('unreachable');
      return exports.contentedge_respond(...numbers);
    } } };
  };
  const log = console.error;
  const said = [];
  console.error = (...words) => said.push(words.join(' '));
  let reads = 0;
  const edge = await opened(name => { reads++; return file(name); });
  const failed = await edge.fetch(list);
  assert.equal(failed.status, 500);
  assert.equal((await failed.json()).error.code, 'internal');
  assert.equal((await edge.fetch(list)).status, 200);
  crashes = 1;
  assert.equal((await edge.fetch('/cda/es/v1/site/_search')).status, 500);
  assert.equal((await edge.fetch(list)).status, 200);
  assert.deepEqual([instances, reads], [3, 2]);
  assert.match(said.join('\n'), /the module crashed.*unreachable/);
  console.error = log;
  WebAssembly.instantiate = instantiate;
}
console.log('done');
