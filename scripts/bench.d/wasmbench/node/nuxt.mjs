// Measures the first answer of SQLite in the way of Nuxt Content 3: the whole dump is loaded, LIKE finds words.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { work, brotli, sum, later, memory, grown, spent, say } from './common.mjs';

const dump = readFileSync(join(work.Scratch, 'dump.txt'));
const begun = process.cpuUsage(), begin = performance.now();
const { default: start } = await import(pathToFileURL(join(work.SQLite, 'dist/node.mjs')));
const sqlite = await start();
const compressed = Uint8Array.from(atob(dump.toString('latin1')), c => c.charCodeAt(0));
const statements = JSON.parse(await new Response(new Blob([compressed]).stream().pipeThrough(new DecompressionStream('gzip'))).text());
const db = new sqlite.oo1.DB(':memory:');
for (const statement of statements) db.exec(statement);
const column = '"' + work.Field.split('.').slice(0, 2).join('.') + '"';
const search = async word => {
  const bind = [`%${word}%`];
  db.exec({ sql: `SELECT * FROM content WHERE ${column} LIKE ? LIMIT 10`, bind, rowMode: 'object', returnValue: 'resultRows' });
  return db.selectValue(`SELECT COUNT(*) FROM content WHERE ${column} LIKE ?`, bind);
};
const hits = await search(work.Words[0]);
const took = performance.now() - begin, worked = spent(begun), grew = grown();
// base64 shrinks to about the gzip again when a server compresses the text.
const shipped = [brotli(dump), brotli(readFileSync(join(work.SQLite, 'dist/index.mjs'))), brotli(readFileSync(join(work.SQLite, 'dist/sqlite3.wasm')))];
const { CPU, Wall } = await later(search);
say({ Bytes: sum(shipped.map(b => b.length)), Files: shipped.length, Took: took, Worked: worked, CPU, Wall, Memory: memory(), Process: grew, Hits: hits });
