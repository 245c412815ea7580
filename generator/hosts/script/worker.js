// The static assets are the binding ASSETS: a Worker's, or those of a Pages project.
export default {
  async fetch(request, env) {
    const url = new URL(request.url);
    const file = mapped(request.method, url.pathname, url.search.slice(1));
    const pinned = EDGE && !TOP.includes(file) && request.headers.has(PIN); // only the edge server can refuse it
    if (file !== null && !pinned) {
      const found = await env.ASSETS.fetch(new Request(new URL(file, url), { method: request.method, headers: request.headers }));
      if (found.status === 200 || found.status === 206 || found.status === 304) return linked(dressed(found, file), url.pathname, url.search.slice(1));
    }
    return EDGE ? ask(request, url) : alone(request);
  },
};

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
