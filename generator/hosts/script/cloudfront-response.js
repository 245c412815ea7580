// Viewer response: the headers that a bucket does not send. Cache-Control is only
// added where neither the object nor the edge server brought one.
function handler(event) {
  var headers = event.response.headers, uri = event.request.uri, name;
  for (name in FIXED) {
    if (!headers[name.toLowerCase()]) headers[name.toLowerCase()] = { value: FIXED[name] };
  }
  if (!headers['cache-control']) headers['cache-control'] = { value: cacheOf(event.response.statusCode, uri) };
  return event.response;
}

function cacheOf(status, uri) {
  if (status === 404) return CACHE.notFound;
  if (status !== 200 && status !== 206 && status !== 304) return CACHE.error;
  return uri === MANIFEST ? CACHE.manifest : new RegExp(ITEMS).test(uri) ? CACHE.item : CACHE.list;
}
