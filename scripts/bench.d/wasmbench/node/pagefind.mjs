// Measures the first answer of Pagefind's client, with ten results, and searches after it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { work, brotli, sum, later, memory, grown, spent, say } from './common.mjs';

const dir = join(work.Scratch, 'pagefind'), fetched = [];
const read = name => {
  const bytes = readFileSync(join(dir, name));
  fetched.push(/\.js(on)?$/.test(name) ? brotli(bytes).length : bytes.length); // the others are compressed already
  return bytes;
};
globalThis.fetch = async url => new Response(read(new URL(url, location.href).pathname));
// What the client reads of a page.
globalThis.window = globalThis;
globalThis.location = { origin: 'http://bench.invalid', href: 'http://bench.invalid/' };
globalThis.document = { currentScript: null, querySelector: () => ({ getAttribute: () => 'en' }) };

const begun = process.cpuUsage(), begin = performance.now();
const pagefind = await import(pathToFileURL(join(dir, 'pagefind.js')));
await pagefind.options({ noWorker: true, basePath: 'http://bench.invalid/' });
const search = async word => {
  const { results } = await pagefind.search(word);
  await Promise.all(results.slice(0, 10).map(result => result.data()));
  return results.length;
};
const hits = await search(work.Words[0]);
const took = performance.now() - begin, worked = spent(begun), grew = grown();
read('pagefind.js');
const bytes = sum(fetched), files = fetched.length;
const { CPU, Wall } = await later(search);
say({ Bytes: bytes, Files: files, Took: took, Worked: worked, CPU, Wall, Memory: memory(), Process: grew, Hits: hits });
