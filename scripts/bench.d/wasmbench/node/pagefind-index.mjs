// Writes the index of Pagefind: a record for each item.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { work, items, valueOf, say } from './common.mjs';

const pagefind = await import(pathToFileURL(join(work.Pagefind, 'lib/index.js')));
const failed = errors => { if (errors.length > 0) throw new Error(errors.join('; ')); };
const { index, errors } = await pagefind.createIndex({ forceLanguage: 'en' }); // one index, as there is one snapshot
failed(errors);
for (const item of items()) {
  const text = [valueOf(item, work.Field) ?? ''].flat().join(' ');
  failed((await index.addCustomRecord({ url: '/' + item.ContentID, content: text || ' ', language: 'en', meta: { title: item.Data?.title ?? item.Name ?? item.ContentID } })).errors);
}
failed((await index.writeFiles({ outputPath: join(work.Scratch, 'pagefind') })).errors);
await pagefind.close();
say({});
