// Stands in for a worker's runtime: node worker-node.mjs PORT ROOT WORKER.mjs
// Node's own URL, Request and Response; the binding of the assets is a directory.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { createHash } from 'node:crypto';
import { pathToFileURL } from 'node:url';

const [port, root, file] = process.argv.slice(2);
const worker = (await import(pathToFileURL(file))).default;

const ASSETS = {
  async fetch(request) {
    const name = path.join(root, new URL(request.url).pathname);
    if (!fs.existsSync(name) || !fs.statSync(name).isFile()) return new Response('not here', { status: 404 });
    const body = fs.readFileSync(name), tag = '"' + createHash('md5').update(body).digest('hex') + '"';
    const headers = { ETag: tag, 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=0, must-revalidate', 'Content-Length': body.length };
    if (request.headers.get('If-None-Match') === tag) return new Response(null, { status: 304, headers: { ETag: tag } });
    return new Response(request.method === 'HEAD' ? null : body, { headers });
  },
};

http.createServer(async (req, res) => {
  const body = req.method === 'GET' || req.method === 'HEAD' ? undefined : await new Response(req).text();
  const request = new Request('http://example.org' + req.url, { method: req.method, headers: req.headers, body });
  const response = await worker.fetch(request, { ASSETS });
  res.statusCode = response.status;
  response.headers.forEach((value, name) => name === 'transfer-encoding' || name === 'connection' || name === 'keep-alive' || res.setHeader(name, value));
  res.end(Buffer.from(await response.arrayBuffer()));
}).listen(+port, '127.0.0.1');
