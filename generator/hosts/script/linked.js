// The file of a list by a path of DATA names the parameter, as the edge server does, so that clients know that it counts.
function linked(found, path, query) {
  const pair = PATH.lists.test(path) && query.split('&').find((p) => p.startsWith(DATA) && /=[^<>]/.test(p));
  if (!pair) return found;
  const response = new Response(found.body, found);
  response.headers.set('Link', '<?' + pair + '>; rel="self"');
  return response;
}
