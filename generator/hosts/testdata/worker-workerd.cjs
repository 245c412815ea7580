// Runs a worker in workerd, with its real assets: node worker-workerd.cjs PORT ROOT WORKER.mjs MODULES
// MODULES is a directory in which miniflare is installed.
const fs = require('fs'), path = require('path'), { createRequire } = require('module');
const [port, root, file, modules] = process.argv.slice(2);
const { Miniflare } = createRequire(path.resolve(modules) + '/')('miniflare');

const m = new Miniflare({
  host: '127.0.0.1', port: +port, name: 'contentedge', modules: true, script: fs.readFileSync(file, 'utf8'), compatibilityDate: '2026-01-01',
  assets: { directory: root, binding: 'ASSETS', routerConfig: { invoke_user_worker_ahead_of_assets: true, has_user_worker: true }, assetConfig: {} },
});
m.ready.catch((e) => { console.error(e); process.exit(1); });
