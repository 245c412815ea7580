// What all measurements in Node share.
import { readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync, constants } from 'node:zlib';

export const work = JSON.parse(readFileSync(process.argv[2], 'utf8'));

// Files are compressed as a CDN may do it once.
export const brotli = bytes => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } });
export const gzip = bytes => gzipSync(bytes, { level: 9 });
export const sum = numbers => numbers.reduce((a, b) => a + b, 0);
export const items = () => readFileSync(work.Items, 'utf8').trimEnd().split('\n').map(line => JSON.parse(line));

// valueOf is the value at a path such as Data.content.
export const valueOf = (item, path) => path.split('.').reduce((value, key) => value?.[key], item);

// The memory of each instance, and how long _initialize of it takes.
export const memories = [];
export const initialized = { took: 0 };
const inside = { took: 0 };
const instantiate = WebAssembly.instantiate;
WebAssembly.instantiate = async (...args) => {
  const result = await instantiate(...args);
  const exports = { ...(result.instance ?? result).exports };
  const memory = exports.memory ?? args[1]?.env?.memory;
  if (memory) memories.push(memory);
  timed(exports, '_initialize', initialized);
  timed(exports, 'contentedge_respond', inside);
  return exports._initialize && !result.instance ? { exports } : result;
};

function timed(exports, name, into) {
  const call = exports[name];
  if (!call) return;
  exports[name] = (...args) => {
    const begin = performance.now();
    const result = call(...args);
    into.took += performance.now() - begin;
    return result;
  };
}

export const memory = () => sum(memories.map(m => m.buffer.byteLength));

// repeat runs searches until they took so many milliseconds of processor time, and returns the microseconds of one.
export async function repeat(searches, least) {
  for (const search of searches) await search();
  let n = 0;
  inside.took = 0;
  const begin = performance.now(), cpu = process.cpuUsage();
  do {
    for (const search of searches) await search();
    n += searches.length;
  } while (spent(cpu) < least);
  const { user, system } = process.cpuUsage(cpu);
  return { CPU: (user + system) / n, Wall: (performance.now() - begin) * 1000 / n, Module: inside.took * 1000 / n };
}

// spent is the processor time since a start, in milliseconds.
export const spent = start => {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
};

// The compilers of Node optimise while the first searches run: those are not measured.
const WARM = 2000;
export const warm = searches => repeat(searches, WARM * Math.min(1, work.Least / 100));

// later measures searches for the words after the first one.
export async function later(search) {
  const searches = work.Words.map(word => () => search(word));
  await warm(searches);
  return repeat(searches, work.Least);
}

const resident = process.memoryUsage().rss;
export const grown = () => process.memoryUsage().rss - resident;

export const say = result => process.stdout.write(JSON.stringify(result));
