// Measures the first answer from a search-only snapshot, as a page sees it, and searches after it.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { work, brotli, sum, later, memory, grown, spent, initialized, say } from './common.mjs';

const snapshot = readFileSync(work.SearchOnly);
const searchOnly = { [work.Environment]: { file: 'search', bytes: snapshot.length, sha256: createHash('sha256').update(snapshot).digest('hex') } };
const fetched = [];
const source = name => {
  if (name === 'search') return new Uint8Array(brotliDecompressSync(readFileSync(join(work.Scratch, 'search-only.br'))));
  const bytes = new Uint8Array(readFileSync(join(work.Public, name)));
  fetched.push(bytes);
  return bytes;
};

const begun = process.cpuUsage(), begin = performance.now(), times = {};
const lap = async (name, run) => {
  const from = performance.now(), result = await run();
  times[name] = performance.now() - from;
  return result;
};
const { open } = await import(pathToFileURL(join(work.Module, 'contentedge.mjs')));
const bytes = brotliDecompressSync(readFileSync(join(work.Scratch, 'module.br')));
const wasm = await lap('Compile', () => WebAssembly.compile(bytes));
const edge = await lap('Open', () => open(async name => source(name), { wasm, searchOnly, environments: [work.Environment] }));
times.Open -= initialized.took;
const search = async word => {
  const body = JSON.stringify({ query: { query_string: { query: word, default_field: work.Field } } });
  const response = await edge.fetch('/cda/es/v1/' + work.Environment, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  if (response.status !== 200) throw new Error(`status ${response.status}: ${body}`);
  return response.json();
};
const answer = await lap('Answer', () => search(work.Words[0]));
const took = performance.now() - begin, worked = spent(begun), grew = grown();
const shipped = [readFileSync(join(work.Scratch, 'module.br')), readFileSync(join(work.Scratch, 'search-only.br')), brotli(readFileSync(join(work.Module, 'contentedge.mjs'))), ...fetched.map(brotli)];
const { CPU, Wall } = await later(search);
say({ Bytes: sum(shipped.map(b => b.length)), Files: shipped.length, Took: took, Worked: worked, Initialize: initialized.took, ...times, CPU, Wall, Memory: memory(), Process: grew, Hits: answer.totalItems });
