// Asks the module for the responses to the requests on standard input, a JSON object a line, and prints them so.
// node first.mjs DIR-OF-MODULE PUBLIC
import { createInterface } from 'node:readline';
import { join } from 'node:path';
const [files, source] = process.argv.slice(2);
const { open } = await import(join(files, 'contentedge.mjs'));
const edge = await open(source);
for await (const line of createInterface({ input: process.stdin })) {
  const { method, target, fields, body } = JSON.parse(line);
  const response = await edge.fetch(target, { method, headers: fields, body: body || undefined });
  console.log(JSON.stringify({ status: response.status, fields: Object.fromEntries(response.headers), body: await response.text() }));
}
