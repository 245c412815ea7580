// Answers searches from a search-only snapshot, many at once, and compares the bodies with those from the whole one.
// Arguments: the directory of the module, the release, an environment, its search-only snapshot.
import { readFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [dir, public_, environment, file] = process.argv.slice(2);
const { open } = await import(pathToFileURL(join(dir, 'contentedge.mjs')));
const snapshot = new Uint8Array(await readFile(file));
const searchOnly = { [environment]: { file: 'search', bytes: snapshot.length, sha256: createHash('sha256').update(snapshot).digest('hex') } };

let reads = 0, broken = false, warnings = '';
process.on('warning', warning => { warnings += warning.message; });
const source = async name => {
  if (name === 'search') return snapshot;
  if (name !== 'manifest.json') reads++;
  if (broken && name !== 'manifest.json') return null;
  return new Uint8Array(await readFile(join(public_, name)));
};
const whole = await open(public_), bare = await open(source, { searchOnly });

const post = body => ({ method: 'POST', body: JSON.stringify(body) });
const search = `/cda/es/v1/${environment}/_search`;
const requests = [
  [`/cda/rest/v1/${environment}/contents`], [`/cda/rest/v1/${environment}/contents?pageSize=5&page=2`], [`/cda/rest/v1/${environment}/contents?pageSize=30`],
  [search, post({ query: { match_all: {} }, highlight: { fields: { '*': {} } } })],
  [search, post({ query: { query_string: { query: 'the OR harbour' } }, highlight: { fields: { '*': {} }, require_field_match: false } })],
  [search, post({ size: 0, aggs: { by: { terms: { field: 'TemplateName.keyword' }, aggs: { top: { top_hits: { size: 2 } } } } } })],
  [search, post({ size: 0, aggs: { by: { terms: { field: 'Name.keyword', size: 100 } } } })],
  [search, post({ size: 3, fields: ['*'], docvalue_fields: ['CreatedAt'], sort: ['Name.keyword'] })],
  [search, post({ size: 'x' })],
];
const text = async (edge, request) => {
  const response = await edge.fetch(...request);
  return response.status + ' ' + await response.text();
};
const pairs = await Promise.all(Array.from({ length: 5 }, () => requests).flat().map(async request => [await text(whole, request), await text(bare, request)]));
const different = pairs.filter(([a, b]) => a !== b).map(([a, b]) => `${a.slice(0, 300)}\n${b.slice(0, 300)}`);

await new Promise(resolve => setImmediate(resolve)); // warnings come later
const before = reads;
await text(bare, requests[0]);
const again = reads - before;
broken = true;
const other = await open(source, { searchOnly });
const refused = await text(other, [search, post({ size: 2 })]);
const counted = await text(other, [search, post({ size: 0 })]);
console.log(JSON.stringify({ compared: pairs.length, different, reads, again, refused, counted, warnings }));
