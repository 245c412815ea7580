// Writes the dump of Nuxt Content 3: a list of statements as JSON, as gzip, as base64. A column for each member of an
// item and of its Data; what is no text is JSON.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { work, items, gzip, say } from './common.mjs';

const all = items().map(({ Data, ...item }) => ({ ...item, ...Object.fromEntries(Object.entries(Data ?? {}).map(([key, value]) => ['Data.' + key, value])) }));
const columns = [...new Set(all.flatMap(Object.keys))];
const quote = value => value === undefined || value === null ? 'NULL' : `'${(typeof value === 'string' ? value : JSON.stringify(value)).replaceAll("'", "''")}'`;
const statements = [`CREATE TABLE content (${columns.map(column => `"${column}" TEXT`).join(', ')})`];
for (const item of all) statements.push(`INSERT INTO content VALUES (${columns.map(column => quote(item[column])).join(', ')})`);
writeFileSync(join(work.Scratch, 'dump.txt'), gzip(Buffer.from(JSON.stringify(statements))).toString('base64'));
say({});
