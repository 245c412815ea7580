// Stands in for a CloudFront distribution: node cloudfront.js PORT ROOT EDGE RUNTIME REQUEST.js RESPONSE.js
// The functions run in contexts of their own, with the event that the vendor documents; the bucket is a directory,
// and the origin group falls back to EDGE ("" for none) when the bucket has no object.
const fs = require('fs'), http = require('http'), vm = require('vm'), path = require('path');
const [port, root, edge, runtime, requestFile, responseFile] = process.argv.slice(2);

function load(file) {
  const context = vm.createContext({});
  vm.runInContext(fs.readFileSync(file, 'utf8'), context);
  return (event) => {
    context.input = event;
    return vm.runInContext('handler(input)', context);
  };
}
const onRequest = load(requestFile), onResponse = load(responseFile);
const custom404 = JSON.stringify({ status: 404, error: { code: 'no_file', message: 'custom error response' } });

function parsed(query) {
  const out = {};
  for (const pair of query.split('&').filter(Boolean)) {
    const eq = pair.indexOf('='), name = eq < 0 ? pair : pair.slice(0, eq), value = eq < 0 ? '' : pair.slice(eq + 1);
    if (Object.hasOwn(out, name)) (out[name].multiValue ||= [{ value: out[name].value }]).push({ value });
    else Object.defineProperty(out, name, { value: { value }, enumerable: true, writable: true });
  }
  return out;
}

function bucket(uri) {
  const file = path.join(root, uri);
  if (uri.includes('/../') || !fs.existsSync(file) || !fs.statSync(file).isFile()) return null;
  return fs.readFileSync(file);
}

function ask(method, target, headers, then) {
  http.request(edge + target, { method, path: target, headers }, (r) => {
    const parts = [];
    r.on('data', (d) => parts.push(d)).on('end', () => then(r.statusCode, r.headers, Buffer.concat(parts)));
  }).on('error', () => then(504, {}, Buffer.from(''))).end();
}

http.createServer((req, res) => {
  const mark = req.url.indexOf('?'), uri = mark < 0 ? req.url : req.url.slice(0, mark), query = mark < 0 ? undefined : req.url.slice(mark + 1);
  const headers = {};
  for (const name in req.headers) headers[name] = { value: req.headers[name] };
  const request = { method: req.method, uri, querystring: parsed(query || ''), headers, cookies: {} };
  const kept = request.querystring;
  if (runtime === '2.0') request.rawQueryString = () => query;
  const event = { version: '1.0', context: { eventType: 'viewer-request' }, viewer: { ip: '192.0.2.1' }, request };
  const result = onRequest(event);
  if (result.statusCode) {
    for (const name in result.headers) res.setHeader(name, result.headers[name].value);
    res.statusCode = result.statusCode;
    return res.end(result.body);
  }
  const target = result.uri + (result.querystring === kept && query !== undefined ? '?' + query : '');
  const send = (status, found, body) => {
    const out = {};
    for (const name in found) out[name.toLowerCase()] = { value: found[name] };
    const response = onResponse({ request: result, response: { statusCode: status, headers: out } });
    res.statusCode = response.statusCode;
    for (const name in response.headers) if (name !== 'transfer-encoding' && name !== 'connection') res.setHeader(name, response.headers[name].value);
    if (!res.hasHeader('content-length')) res.setHeader('content-length', body.length);
    res.end(req.method === 'HEAD' ? undefined : body);
  };
  const search = uri.startsWith('/cda/es/') && edge;
  const object = search ? null : bucket(result.uri);
  if (object !== null && req.method !== 'GET' && req.method !== 'HEAD') return send(403, {}, Buffer.from('<Error/>'));
  if (object !== null) {
    const tag = '"' + require('crypto').createHash('md5').update(object).digest('hex') + '"';
    const same = req.headers['if-none-match'] === tag;
    const types = { png: 'image/png', mp4: 'video/mp4', pdf: 'application/pdf' }; // publish gives objects their types
    return send(same ? 304 : 200, { 'Content-Type': types[result.uri.split('.').pop()] || 'application/json', ETag: tag }, same ? Buffer.from('') : object);
  }
  if (edge) return ask(req.method, target, req.headers, send);
  send(404, { 'Content-Type': 'application/json' }, Buffer.from(custom404));
}).listen(+port, '127.0.0.1');
