// The static assets are the binding ASSETS: a Worker's, or those of a Pages project.
export default {
  async fetch(request, env) {
    const url = new URL(request.url);
    const file = mapped(request.method, url.pathname, url.search.slice(1));
    const pinned = EDGE && !TOP.includes(file) && request.headers.has(PIN); // only the edge server can refuse it
    if (file !== null && !pinned) {
      const found = await env.ASSETS.fetch(new Request(new URL(file, url), { method: request.method, headers: request.headers }));
      if (found.status === 200 || found.status === 206 || found.status === 304) return dressed(found, file);
    }
    return EDGE ? ask(request, url) : alone(request);
  },
};

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

// The edge server's answer to the request as it came.
async function ask(request, url) {
  try {
    return await fetch(new Request(EDGE + url.pathname + url.search, request), { redirect: 'manual' });
  } catch (e) {
    return new Response(BODIES.down, { status: 503, headers: DOWN });
  }
}

function alone(request) {
  const body = (text) => (request.method === 'HEAD' ? null : text);
  if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: preflight(request.headers.get('Access-Control-Request-Headers') || '') });
  if (request.method !== 'GET' && request.method !== 'HEAD') return new Response(body(BODIES.method), { status: 405, headers: REFUSED });
  return new Response(body(BODIES.noFile), { status: 404, headers: NOT_FOUND });
}
