// Runs a worker with the module in workerd: node search-workerd.cjs ASSETS WORKER-DIR MODULES [BUCKET-DIR]
// MODULES is a directory in which miniflare is installed. The files of BUCKET-DIR become objects of a bucket; a line on
// standard input uploads them anew. It prints the worker's URL, and a line after each upload.
const fs = require('fs'), path = require('path'), readline = require('readline'), { createRequire } = require('module');
const [assets, dir, modules, bucket] = process.argv.slice(2);
const { Miniflare } = createRequire(path.resolve(modules) + '/')('miniflare');

// Counts what the worker reads, by name, and tells it at /-/reads.
const counting = `import worker from './_worker.js';
const reads = {};
const noted = (name) => { reads[name] = (reads[name] ?? 0) + 1; return name; };
export default {
  fetch(request, env, ctx) {
    if (new URL(request.url).pathname === '/-/reads') return Response.json(reads);
    const ASSETS = { fetch: (r) => (noted(new URL(r.url).pathname.slice(1)), env.ASSETS.fetch(r)) };
    const CONTENTEDGE = env.CONTENTEDGE && { get: (name) => env.CONTENTEDGE.get(noted(name)) };
    return worker.fetch(request, { ...env, ASSETS, CONTENTEDGE }, ctx);
  },
};`;
const types = { '.js': 'ESModule', '.mjs': 'ESModule', '.wasm': 'CompiledWasm' };
const files = fs.readdirSync(dir).filter((name) => types[path.extname(name)]);
const m = new Miniflare({
  host: '127.0.0.1', port: 0, name: 'contentedge', modulesRoot: dir, compatibilityDate: '2026-01-01',
  modules: [{ type: 'ESModule', path: path.join(dir, 'counting.mjs'), contents: counting }, ...files.map((name) => ({ type: types[path.extname(name)], path: path.join(dir, name) }))],
  assets: { directory: assets, binding: 'ASSETS', routerConfig: { invoke_user_worker_ahead_of_assets: true, has_user_worker: true }, assetConfig: {} },
  ...(bucket ? { r2Buckets: ['CONTENTEDGE'], bindings: { CONTENTEDGE_LOOK_EVERY: '0' } } : {}),
});

async function upload() {
  if (!bucket) return;
  const r2 = await m.getR2Bucket('CONTENTEDGE');
  for (const name of fs.readdirSync(bucket, { recursive: true })) {
    if (fs.statSync(path.join(bucket, name)).isFile()) await r2.put(name, new Uint8Array(fs.readFileSync(path.join(bucket, name))).buffer);
  }
}

async function start() {
  await upload();
  console.log((await m.ready).href);
  for await (const _ of readline.createInterface({ input: process.stdin })) {
    await upload();
    console.log('uploaded');
  }
  await m.dispose(); // standard input ended
}
start().catch((e) => { console.error(e); process.exit(1); });
