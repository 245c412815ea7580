// Viewer request. An answer of its own carries all its headers.
function handler(event) {
  var request = event.request, path = request.uri, search = PATH.search.test(path);
  var file = mapped(request.method, path, rawQuery(request));
  if (file !== null && EDGE && request.headers[PIN] && PATH.pinned.test(path)) {
    request.uri = path.replace(/\.json$/, ''); // the bucket has no object of that name, the edge server answers
    if (request.uri !== path) request.querystring = {}; // the name of a file has no parameters
    return request;
  }
  if (file !== null) {
    request.uri = file;
    request.querystring = {};
    return request;
  }
  if (EDGE && search) return request;
  if (request.method === 'OPTIONS') return answer(204, preflight((request.headers['access-control-request-headers'] || { value: '' }).value), '');
  if (request.method !== 'GET' && request.method !== 'HEAD') return answer(405, REFUSED, BODIES.method);
  if (!PATH.lists.test(path) && !PATH.item.test(path)) return answer(404, NOT_FOUND, BODIES.route);
  return EDGE ? request : answer(404, NOT_FOUND, BODIES.noFile);
}

// Where the raw query cannot be had (runtime 1.0) a query gets '%', which has no file:
// the parsed form does not tell how names and values were spelled.
function rawQuery(request) {
  var name;
  if (typeof request.rawQueryString === 'function') return request.rawQueryString() || '';
  for (name in request.querystring) return '%';
  return '';
}

function answer(status, headers, body) {
  var response = { statusCode: status, headers: {} }, name;
  for (name in headers) response.headers[name.toLowerCase()] = { value: headers[name] };
  if (body) response.body = body;
  return response;
}
