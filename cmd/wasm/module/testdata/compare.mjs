// Asks the module and a node for the responses to the requests on standard input, a JSON object a line, and prints
// the differences and a last line with counts. node compare.mjs DIR-OF-MODULE PUBLIC HOST:PORT
import { Agent, request as ask } from 'node:http';
import { createInterface } from 'node:readline';
import { join } from 'node:path';

const [files, source, node] = process.argv.slice(2);
const { open } = await import(join(files, 'contentedge.mjs'));
const edge = await open(source);
const [host, port] = node.split(':');
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const ofConnection = ['date', 'x-request-id', 'connection', 'keep-alive', 'server'];
const MAX_BUSY = 20; // times that a node may be busy

const once = ({ method, target, fields, body }) => new Promise((resolve, reject) => {
  const sent = ask({ host, port, agent, method, path: target, headers: { ...fields, ...(method === 'POST' ? { 'content-length': Buffer.byteLength(body ?? '') } : {}) } }, response => {
    const parts = [];
    response.on('data', part => parts.push(part)).on('error', reject).on('end', () => resolve({ status: response.statusCode, fields: response.headers, body: Buffer.concat(parts).toString() }));
  });
  sent.on('error', reject).end(method === 'POST' ? body : undefined);
});

async function fromNode(request) {
  for (let n = 0; ; n++) {
    const response = await once(request);
    if (response.status !== 503 || n === MAX_BUSY) return response; // the time limit of a node depends on the machine
  }
}

async function fromModule({ method, target, fields, body }) {
  const response = await edge.fetch(target, { method, headers: fields, body: method === 'POST' ? body ?? '' : undefined });
  return { status: response.status, fields: Object.fromEntries(response.headers), body: await response.text() };
}

const text = ({ status, fields, body }) => JSON.stringify([status, Object.entries(fields).filter(([name]) => !ofConnection.includes(name)).map(([name, value]) => `${name}: ${value}`).sort(), body]);
let asked = 0, different = 0;
const statuses = {};
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  const [got, want] = [await fromModule(request), await fromNode(request)];
  asked++;
  statuses[want.status] = (statuses[want.status] ?? 0) + 1;
  if (text(got) !== text(want) && ++different <= 10) console.log(`${line.slice(0, 600)}\n module ${text(got).slice(0, 1500)}\n node   ${text(want).slice(0, 1500)}`);
}
agent.destroy();
console.log(JSON.stringify({ asked, different, statuses }));
