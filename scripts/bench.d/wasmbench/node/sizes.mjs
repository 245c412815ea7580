// Compresses what a browser fetches, for the measurements of first answers, and prints the sizes.
import { readFileSync, existsSync, writeFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { work, brotli, gzip, say } from './common.mjs';

const wasm = readFileSync(join(work.Module, 'contentedge.wasm')), snapshot = readFileSync(work.SearchOnly);
const [wasmBrotli, snapshotBrotli] = [brotli(wasm), brotli(snapshot)];
writeFileSync(join(work.Scratch, 'module.br'), wasmBrotli);
writeFileSync(join(work.Scratch, 'search-only.br'), snapshotBrotli);
const manifest = JSON.parse(readFileSync(join(work.Public, 'manifest.json'), 'utf8'));
const { snapshot: { file } } = manifest.environments.find(e => e.id === work.Environment);
const version = dir => dir && existsSync(dir) ? JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')).version : '';
say({
  Module: wasm.length, ModuleBrotli: wasmBrotli.length, ModuleGzip: gzip(wasm).length,
  Snapshot: statSync(join(work.Public, file)).size, SearchOnly: snapshot.length, SearchOnlyBrotli: snapshotBrotli.length,
  NodeVersion: process.version, PagefindVersion: version(work.Pagefind), SQLiteVersion: version(work.SQLite),
});
