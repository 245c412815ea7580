// PATTERNS has a regular expression for each form of paths and values, NAMES the parameters that files have, the filters
// first, KEYS the filters in file names, in the same order.
var PATH = {}, key;
for (key in PATTERNS) PATH[key] = new RegExp('^(?:' + PATTERNS[key] + ')$');

// The file that answers a request, or null: the edge server has to answer. Method, path
// and query are as they were sent; query is without its question mark.
function mapped(method, path, query) {
  if (method !== 'GET' && method !== 'HEAD') return null;
  if (PATH.item.test(path)) return PATH.part.test(query) ? null : path + '.json';
  if (PATH.file.test(path)) return path;
  return PATH.lists.test(path) ? listFile(path, query) : null;
}

function listFile(path, query) {
  var v = parse(query), file = path + LISTS_DIR, i, t;
  if (v === null) return null;
  for (i = 0; i < KEYS.length; i++) {
    if (v[i] === '') continue;
    t = token(v[i]);
    if (t === null) return null;
    file += KEYS[i] + '-' + t + '/';
  }
  if (v.value) {
    t = [token(v.path), token(v.value)];
    if (t[0] === null || t[1] === null) return null;
    file += 'path-' + t[0] + '/value-' + t[1] + '/';
  }
  var page = v[4] || '1', size = v[5] || DEFAULTS.size, sort = v[6] || DEFAULTS.sort;
  var asc = v[7] || (v[6] ? 'false' : DEFAULTS.asc);
  if (!PATH.page.test(page) || !PATH.size.test(size) || +size > LIMITS.size) return null;
  if (FIELDS.indexOf(sort) < 0 || (asc !== 'true' && asc !== 'false')) return null;
  return file + 'sort-' + sort.toLowerCase() + (asc === 'true' ? '-asc-' : '-desc-') + size + '/page-' + page + '.json';
}

// The values of the known parameters as they were sent, '' for none. path and value are those of the only filter by a
// path of DATA.
function parse(query) {
  var v = ['', '', '', '', '', '', '', ''], seen = [], pairs = query.split('&'), i, eq, name, n;
  if (!/^([!-$&-:<-~]|%([2-6][0-9A-Fa-f]|7[0-9A-Ea-e]|[89A-Fa-f][0-9A-Fa-f]))*$/.test(query) || query.indexOf('#') >= 0) return null;
  for (i = 0; i < pairs.length; i++) {
    eq = pairs[i].indexOf('=');
    name = eq < 0 ? pairs[i] : pairs[i].slice(0, eq);
    if (name.indexOf('%') >= 0 || PATH.unmapped.test(name)) return null;
    if (name.indexOf(DATA) === 0) {
      if (v.path !== undefined) return null;
      v.path = name.slice(DATA.length);
      v.value = eq < 0 ? '' : pairs[i].slice(eq + 1);
    }
    n = NAMES.indexOf(name);
    if (n < 0) continue;
    if (seen[n]) return null;
    seen[n] = true;
    v[n] = eq < 0 ? '' : pairs[i].slice(eq + 1);
  }
  return v;
}

// A filter's text as file names spell it: a-z and 0-9 as they are, a space as -, A-Z as
// _ and the small letter, every run of other bytes as a dot, their digits and _.
function token(raw) {
  var text, bytes, out = '', run = false, i, c, other;
  try {
    text = decodeURIComponent(raw.replace(/\+/g, ' '));
  } catch (e) {
    return null; // not UTF-8
  }
  if (text.indexOf('\uFFFD') >= 0) return null;
  bytes = encodeURIComponent(text);
  for (i = 0; i < bytes.length; i++) {
    c = bytes.charAt(i);
    if (c === '%') {
      c = bytes.slice(i + 1, i + 3).toLowerCase();
      i += 2;
    } else if (!/[0-9A-Za-z]/.test(c)) {
      c = c.charCodeAt(0).toString(16);
    }
    other = c.length === 2 && c !== '20';
    if (run !== other) out += other ? '.' : '_';
    run = other;
    out += c === '20' ? '-' : /[A-Z]/.test(c) ? '_' + c.toLowerCase() : c;
  }
  if (run) out += '_';
  return out && out.length <= LIMITS.token ? out : null;
}

// The headers of the answer to a preflight, with the headers that it asks for by name.
function preflight(asked) {
  var headers = {}, names = asked.length > LIMITS.asked ? [] : asked.split(','), i, name;
  for (name in PREFLIGHT) headers[name] = PREFLIGHT[name];
  for (i = 0; i < names.length; i++) {
    name = names[i].trim();
    if (/^[0-9A-Za-z!#$%&'*+.^_`|~-]+$/.test(name)) headers['Access-Control-Allow-Headers'] += ', ' + name;
  }
  return headers;
}
