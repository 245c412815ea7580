// Measures each family from the whole snapshot.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { work, repeat, memory, say, warm } from './common.mjs';

const { open } = await import(pathToFileURL(join(work.Module, 'contentedge.mjs')));
const edge = await open(work.Public, { environments: [work.Environment] });
const search = async body => {
  const response = await edge.fetch('/cda/es/v1/' + work.Environment, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  if (response.status !== 200) throw new Error(`status ${response.status}: ${body}`);
  return new Uint8Array(await response.arrayBuffer());
};
await warm(work.Families.flatMap(f => f.Bodies).map(body => () => search(body)));
const families = {};
for (const { Name, Bodies } of work.Families) {
  const digest = createHash('sha256');
  for (const body of Bodies) digest.update(await search(body));
  families[Name] = { ...await repeat(Bodies.map(body => () => search(body)), work.Least), Digest: digest.digest('hex') };
}
say({ Families: families, Memory: memory() });
