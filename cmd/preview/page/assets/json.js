// JSON as written: digits, order and places are kept. Comments are accepted, as in searches.

import { h } from "./dom.js";

const lexeme =
  /("[^"\\\n]*(?:\\.[^"\\\n]*)*"?)|(-?\d[\d.eE+-]*)|([A-Za-z]+)|([{}[\],:])|(\/\/[^\n]*|\/\*[^]*?(?:\*\/|$))|(\s+)|([^])/g;
const kinds = ["string", "number", "word", "punct", "comment", "space", "other"];

/** The lexemes of a text, of a wrong one too. */
export function* lexemes(text) {
  for (const m of text.matchAll(lexeme)) {
    const i = m.slice(1).findIndex((group) => group !== undefined);
    yield { kind: kinds[i], text: m[0], start: m.index, end: m.index + m[0].length };
  }
}

/** {kind, start, end} with raw and value (scalars), items (arrays) or members (objects:
 * {key, start, end, node}). Throws on wrong text. */
export function parse(text) {
  const all = [...lexemes(text)].filter((l) => l.kind !== "space" && l.kind !== "comment");
  let at = 0;
  const fail = () => {
    throw new SyntaxError(`not JSON at ${all[at] ? all[at].start : text.length}`);
  };
  const take = (t) => (all[at] && all[at].text === t ? all[at++] : null);
  const expect = (t) => take(t) || fail();

  function value() {
    const l = all[at];
    if (!l) fail();
    if (l.text === "{") return sequence("object", "}", member);
    if (l.text === "[") return sequence("array", "]", value);
    at++;
    if (l.kind !== "string" && l.kind !== "number" && l.kind !== "word") fail();
    const decoded = JSON.parse(l.text);
    return {
      kind: decoded === null ? "null" : typeof decoded,
      raw: l.text,
      value: decoded,
      start: l.start,
      end: l.end,
    };
  }
  function member() {
    const l = all[at++];
    if (!l || l.kind !== "string") fail();
    expect(":");
    return { key: JSON.parse(l.text), start: l.start, end: l.end, node: value() };
  }
  function sequence(kind, close, one) {
    const start = all[at++].start;
    const found = [];
    let end = take(close);
    while (!end) {
      found.push(one());
      end = take(close);
      if (!end) expect(",");
    }
    const node = { kind, start, end: end.end };
    node[kind === "object" ? "members" : "items"] = found;
    return node;
  }
  const root = value();
  if (at < all.length) fail();
  return root;
}

export const member = (node, key) => node?.members?.find((m) => m.key === key)?.node;

/** A tree printed with indentation, its scalars as they were written. */
export function pretty(node, indent = "") {
  const inner = indent + "  ";
  if (node.items?.length) return `[\n${node.items.map((n) => inner + pretty(n, inner)).join(",\n")}\n${indent}]`;
  if (node.members?.length)
    return `{\n${node.members.map((m) => `${inner}${JSON.stringify(m.key)}: ${pretty(m.node, inner)}`).join(",\n")}\n${indent}}`;
  return node.items ? "[]" : node.members ? "{}" : node.raw;
}

/** The text with its lexemes coloured; what is beyond the limit stays plain. */
export function coloured(text, limit = 60000) {
  const out = [];
  let plain = "";
  const flush = () => {
    if (plain) out.push(plain);
    plain = "";
  };
  let last = null;
  for (const l of lexemes(text.slice(0, limit))) {
    if (l.text === ":" && last) last.className = "j-key";
    if (l.kind === "string" || l.kind === "number" || l.kind === "word" || l.kind === "comment") {
      flush();
      const el = h("span", { class: `j-${l.kind}` }, l.text);
      out.push(el);
      last = l.kind === "string" ? el : null;
    } else plain += l.text;
  }
  plain += text.slice(limit);
  flush();
  return out;
}

/** The index in a string of a byte of its UTF-8. */
export function indexOfByte(text, byte) {
  let index = 0;
  for (const char of text) {
    if (byte <= 0) break;
    const code = char.codePointAt(0);
    byte -= code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    index += char.length;
  }
  return index;
}

/** Where in a body an error of the server is: {start, end}, or null. A position counts bytes of
 * the body, or of the string that the parameter names. A parameter without a position is a path or a field. */
export function place(text, error) {
  const { parameter, position } = error;
  if (parameter === undefined) return position === undefined ? null : lexemeAt(text, indexOfByte(text, position));
  let root;
  try {
    root = parse(text);
  } catch {
    return null;
  }
  const found = follow(root, parameter) || named(root, parameter);
  if (!found) return null;
  if (position === undefined || found.node?.kind !== "string") return { start: found.start, end: found.end };
  return inString(text, found.node, indexOfByte(found.node.value, position));
}

function lexemeAt(text, index) {
  for (const l of lexemes(text)) {
    if (l.end > index) return { start: index, end: l.kind === "space" ? index + 1 : l.end };
  }
  return { start: text.length, end: text.length };
}

// The place in the source of a character of the decoded string: escapes are longer.
function inString(text, node, index) {
  let at = node.start + 1;
  for (let i = 0; i < index && at < node.end - 1; i++) {
    at += text[at] !== "\\" ? 1 : text[at + 1] === "u" ? 6 : 2;
  }
  return { start: at, end: Math.max(at, node.end - 1) };
}

// Follows a path such as query.bool.must[0].match.Data.title: names may contain dots.
function follow(node, path) {
  const index = /^\[(\d+)\]\.?/.exec(path);
  if (index && node.items) {
    const next = node.items[index[1]];
    const rest = path.slice(index[0].length);
    return next && (rest ? follow(next, rest) : { start: next.start, end: next.end, node: next });
  }
  for (const m of node.members || []) {
    if (m.key === path) return { start: m.start, end: m.end, node: m.node };
    if (!path.startsWith(m.key)) continue;
    const rest = path.slice(m.key.length);
    const found = rest[0] === "." ? follow(m.node, rest.slice(1)) : rest[0] === "[" ? follow(m.node, rest) : null;
    if (found) return found;
  }
  return null;
}

// The first member of a name, or string that is the name.
function named(node, name) {
  if (node.kind === "string" && node.value === name) return node;
  for (const m of node.members || []) {
    if (m.key === name) return { start: m.start, end: m.end, node: m.node };
    const found = named(m.node, name);
    if (found) return found;
  }
  for (const n of node.items || []) {
    const found = named(n, name);
    if (found) return found;
  }
  return null;
}
