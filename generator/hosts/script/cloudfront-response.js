// Viewer response: the headers that a bucket does not send. Cache-Control is only
// added where neither the object nor the edge server brought one.
function handler(event) {
  var headers = event.response.headers, uri = event.request.uri, name;
  for (name in FIXED) {
    if (!headers[name.toLowerCase()]) headers[name.toLowerCase()] = { value: FIXED[name] };
  }
  if (new RegExp(MEDIA.root).test(uri) && event.response.statusCode < 400) {
    headers['content-security-policy'] = { value: MEDIA.policy };
    if (MEDIA.downloads.indexOf(uri.slice(uri.lastIndexOf('.') + 1)) >= 0) headers['content-disposition'] = { value: MEDIA.download };
  }
  name = /\/path-([^/]+)\/value-([^/]+)\/sort-/.exec(uri); // of a list by a path of DATA, which clients know by this field
  if (name && event.response.statusCode < 400 && !headers.link) headers.link = { value: '<?' + DATA + spelled(name[1]) + '=' + spelled(name[2]) + '>; rel="self"' };
  if (!headers['cache-control']) headers['cache-control'] = { value: cacheOf(event.response.statusCode, uri) };
  return event.response;
}

// The text of a token as a query spells it.
function spelled(token) {
  return token.replace(/\.([0-9a-f]+)_|_([a-z])|-/g, function (all, hex, upper) {
    return hex ? hex.replace(/../g, '%$&') : upper ? upper.toUpperCase() : '+';
  });
}

function cacheOf(status, uri) {
  if (status === 404) return CACHE.notFound;
  if (status !== 200 && status !== 206 && status !== 304) return CACHE.error;
  return TOP.indexOf(uri) >= 0 ? CACHE.manifest : new RegExp(MEDIA.root).test(uri) ? CACHE.media : new RegExp(ITEMS).test(uri) ? CACHE.item : CACHE.list;
}
