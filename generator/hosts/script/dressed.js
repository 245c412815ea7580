// The headers of a file, whatever the assets' own rules are.
function dressed(found, file) {
  const response = new Response(found.body, found);
  for (const name in FIXED) response.headers.set(name, FIXED[name]);
  const media = new RegExp(MEDIA.root).test(file), extension = file.slice(file.lastIndexOf('.') + 1);
  if (found.status !== 304) response.headers.set('Content-Type', media ? MEDIA.types[extension] : CONTENT_TYPE);
  if (media) response.headers.set('Content-Security-Policy', MEDIA.policy);
  if (media && MEDIA.downloads.includes(extension)) response.headers.set('Content-Disposition', MEDIA.download);
  const cache = media ? CACHE.media : TOP.includes(file) ? CACHE.manifest : new RegExp(ITEMS).test(file) ? CACHE.item : CACHE.list;
  response.headers.set('Cache-Control', cache);
  return response;
}
