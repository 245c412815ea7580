// A line of an item's text around the words that a search looked for.

import { bdi, cut, h } from "./dom.js";

const width = 220;
const maxStrings = 400;
const maxString = 20000;

/** The words marked in the first text that has them, else the beginning of a text. */
export function snippet(item, words) {
  const texts = [];
  collect(item.Data, texts);
  const pattern = words.length
    ? new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.map(escape).join("|")})[\\p{L}\\p{N}]*`, "giu")
    : null;
  let best = null;
  for (const text of texts) {
    const at = pattern ? text.search(pattern) : -1;
    if (at >= 0 && (!best || text.length > best.text.length)) best = { text, at };
  }
  if (!best) {
    const text = texts.filter((t) => t.includes(" ")).sort((a, b) => b.length - a.length)[0] ?? texts[0];
    if (text === undefined) return null;
    best = { text, at: 0 };
  }
  const start = best.at < width / 3 ? 0 : best.text.lastIndexOf(" ", best.at - width / 3) + 1;
  const part = cut(best.text.slice(start).trimEnd(), width).replace(/\s+…$/, "…");
  return h("p", { class: "snippet" }, start > 0 && "… ", bdiMarked(part, pattern));
}

const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

function collect(value, into) {
  if (into.length >= maxStrings) return;
  if (typeof value === "string") into.push(value.slice(0, maxString));
  else if (Array.isArray(value)) value.forEach((v) => collect(v, into));
  else if (value && typeof value === "object") {
    if (value.Type !== "Reference") Object.values(value).forEach((v) => collect(v, into));
  }
}

function bdiMarked(text, pattern) {
  const el = bdi("");
  let last = 0;
  if (pattern) {
    for (const m of text.matchAll(pattern)) {
      el.append(text.slice(last, m.index), h("mark", {}, m[0]));
      last = m.index + m[0].length;
    }
  }
  el.append(text.slice(last));
  return el;
}
