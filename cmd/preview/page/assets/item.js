// One item: its fields by path, what it refers to and who refers to it, and its JSON.

import { bdi, copyButton, count, cut, empty, few, fill, h, long, pill, refill, safeAddress, time } from "./dom.js";
import { coloured, member, parse, pretty } from "./json.js";
import { api, ask, itemURL } from "./server.js";
import { field, parameter } from "./interface.js";
import { itemLink } from "./content.js";
import { problem, requestBar } from "./request.js";
import { foreignImage, rich } from "./rich.js";

const maxRows = 300;

export function item(site, { env, id }) {
  const bar = requestBar();
  const head = h("div", { class: "item-head" });
  const body = h("div", { class: "item-body" });
  const el = h(
    "div",
    { class: "page" },
    h("p", { class: "crumbs" }, h("a", { href: `#/${env}/items` }, env), " / ", h("span", { id: "crumb" })),
    head,
    bar.el,
    body,
  );
  let name = id;
  let rawOpen = false;
  let drawn = ""; // what is shown: a build that changes nothing of it keeps frames and what is unfolded

  async function load() {
    const url = itemURL(env, id);
    bar.show({ url });
    const r = await ask(url);
    bar.done(r);
    if (r.error) {
      drawn = "";
      name = id;
      refill(head, h("h1", {}, bdi(cut(id, 128))));
      const why = r.status === 404 && (await api(`${env}/items/${encodeURIComponent(id)}`).catch((e) => e.hint));
      return refill(
        body,
        r.status === 404
          ? empty("This view has no such item", typeof why === "string" ? why : "It is not in the content.")
          : problem(r.error),
      );
    }
    const info = await api(`${env}/items/${encodeURIComponent(id)}`).catch(() => null);
    const next = JSON.stringify([r.text, info]);
    if (next !== drawn) draw(r, info);
    drawn = next;
  }

  function draw(r, info) {
    const data = r.json.data;
    const data0 = member(parse(r.text), "data");
    name = data.Name;
    const template = h(
      "a",
      { href: `#/${env}/items?${new URLSearchParams({ [parameter.template]: data.TemplateName })}` },
      bdi(cut(data.TemplateName, 100)),
    );
    fill(el.querySelector("#crumb"), template);
    refill(
      head,
      h("h1", {}, bdi(cut(data.Name, 300))),
      h(
        "p",
        { class: "facts" },
        pill(data.Status),
        h("code", {}, id),
        copyButton("copy", id, "Copy the id"),
        info?.file && [
          h("code", { class: "file" }, bdi(cut(info.file, 200)), `:${info.line}`),
          copyButton("copy", `${info.file}:${info.line}`, "Copy the file's name and line"),
        ],
      ),
    );
    refill(
      body,
      h(
        "div",
        { class: "columns" },
        h("div", {}, h("h2", {}, "Fields"), fieldTable(env, id, member(data0, "Data"), info)),
        h("aside", { "aria-label": "About the item" }, members(data), references(env, info), referredBy(env, info)),
      ),
      rawJSON(r, data0, rawOpen, (open) => {
        rawOpen = open;
      }),
    );
  }

  return { el, title: () => cut(name, 80), update: load, refresh: load };
}

const own = [
  field.CreatedAt,
  field.CreatedBy,
  field.UpdatedAt,
  field.UpdatedBy,
  field.PublishedAt,
  field.PublishedBy,
  field.TemplateID,
];
const fixed = new Set(Object.keys(field));

function members(data) {
  const value = (key) =>
    key.endsWith("At") && fixed.has(key)
      ? time(data[key], true)
      : data[key] === ""
        ? h("span", { class: "none" }, "none")
        : long(typeof data[key] === "string" ? data[key] : JSON.stringify(data[key]), 100);
  const keys = [...own, ...Object.keys(data).filter((key) => !fixed.has(key))];
  return h(
    "section",
    {},
    h("h2", {}, "Members"),
    h(
      "dl",
      { class: "members" },
      keys.slice(0, 100).map((key) => [h("dt", {}, bdi(cut(key, 60))), h("dd", {}, value(key))]),
    ),
  );
}

function references(env, info) {
  const list = info?.references || [];
  return h(
    "section",
    {},
    h("h2", {}, "Refers to", " ", h("small", {}, list.length)),
    list.length === 0
      ? h("p", { class: "quiet" }, "No other item.")
      : h(
          "ul",
          { class: "refs", "data-list": true },
          few(list, 20, (ref) =>
            h("li", {}, reference(env, ref, true), h("code", { class: "quiet" }, cut(ref.path, 100))),
          ),
        ),
  );
}

/** A reference: a link, or marked where no such item is delivered. */
function reference(env, ref, entry = false) {
  if (!ref.exists)
    return h(
      "span",
      { class: "broken", title: "No such item is delivered in this view" },
      h("code", {}, cut(ref.id, 128)),
      h("span", { class: "tag" }, "broken"),
    );
  return [itemLink(env, ref.id, ref.name, entry), h("span", { class: "quiet" }, " ", bdi(cut(ref.template || "", 60)))];
}

function referredBy(env, info) {
  const list = info?.referredBy || [];
  const total = info?.referredByTotal || 0;
  return h(
    "section",
    {},
    h("h2", {}, "Referred to by", " ", h("small", {}, total)),
    total === 0
      ? h("p", { class: "quiet" }, "No item.")
      : h(
          "ul",
          { class: "refs", "data-list": true },
          few(list, 20, (ref) =>
            h(
              "li",
              {},
              itemLink(env, ref.id, ref.name, true),
              h("span", { class: "quiet" }, " ", bdi(cut(ref.template || "", 60))),
              h("code", { class: "quiet" }, cut(ref.path, 100)),
            ),
          ),
          total > list.length && h("li", { class: "quiet" }, `and ${count(total - list.length, "more", "more")}`),
        ),
  );
}

/** The values of Data by path, in the order of the source. */
function fieldTable(env, id, node, info) {
  const byId = new Map((info?.references || []).map((ref) => [ref.id, ref]));
  const texts = new Map((info?.texts || []).map((text) => [text.at, text]));
  const rows = [];
  flatten(node, { path: "Data", field: "Data", at: "/Data" }, texts, rows);
  if (rows.length === 0) return empty("Data is empty");
  const value = ({ path, field, at, node: n }) => {
    const text = texts.get(at);
    const plain = () => (scalar(n) ? valueOf(env, n, byId) : written(n));
    return text ? rich({ env, id, path, field, text, source: plain }) : valueOf(env, n, byId, (host) => foreignImage(env, id, at, host));
  };
  const row = (r) =>
    h(
      "tr",
      {},
      h(
        "th",
        { scope: "row" },
        h(
          "a",
          { href: `#/${env}/fields?${new URLSearchParams({ path: r.field })}`, "data-entry": true, "data-key": r.path },
          bdi(cut(r.path, 200)),
        ),
      ),
      h("td", {}, value(r)),
    );
  return h("table", { class: "values", "data-list": true }, h("tbody", {}, few(rows, maxRows, row)));
}

const scalar = (node) => !node.items && !node.members;
const isReference = (node) =>
  member(node, "Type")?.value === "Reference" && (member(node, "ContentIDs")?.items || member(node, "MediaUrl"));

const token = (key) => key.replaceAll("~", "~0").replaceAll("/", "~1"); // of a JSON pointer

// path is where the value is, field what searches call it: without the numbers in arrays. at is its JSON pointer.
// A rich text is one row, whatever is in it.
function flatten(node, { path, field, at }, texts, rows) {
  if (texts.has(at)) return rows.push({ path, field, at, node });
  if (isReference(node) || scalar(node))
    return rows.push({
      path,
      field: isReference(node) ? `${field}.${member(node, "MediaUrl") ? "MediaUrl" : "ContentIDs"}` : field,
      at,
      node,
    });
  const below = (i) => ({ path: `${path}[${i}]`, field, at: `${at}/${i}` });
  if (node.items && node.items.every(scalar) && !node.items.some((_, i) => texts.has(below(i).at))) return rows.push({ path, field, at, node });
  (node.items || []).forEach((n, i) => flatten(n, below(i), texts, rows));
  (node.members || []).forEach((m) =>
    flatten(m.node, { path: `${path}.${m.key}`, field: `${field}.${m.key}`, at: `${at}/${token(m.key)}` }, texts, rows),
  );
  if (node.members?.length === 0 && path !== "Data") rows.push({ path, field, at, node });
}

const written = (node) => h("pre", { class: "json", tabindex: "0", "aria-label": "JSON" }, coloured(cut(pretty(node), maxRaw)));

function valueOf(env, node, byId, load) {
  if (node.items && node.items.length === 0) return h("span", { class: "none" }, "empty");
  if (node.items)
    return h(
      "ul",
      { class: "array" },
      few(node.items, 50, (n) => h("li", {}, valueOf(env, n, byId))),
    );
  if (member(node, "ContentIDs")?.items) return contentReference(env, member(node, "ContentIDs").items, byId);
  if (member(node, "MediaUrl")) return medium(member(node, "MediaUrl").value, member(node, "AltText")?.value, load);
  if (node.members) return h("span", { class: "none" }, "empty");
  if (node.kind !== "string")
    return h("span", { class: `j-${node.kind === "number" ? "number" : "word"}` }, cut(node.raw, 200));
  if (byId.has(node.value)) return reference(env, byId.get(node.value));
  return textValue(node.value);
}

const contentReference = (env, ids, byId) =>
  ids.length === 0
    ? h("span", { class: "none" }, "empty")
    : h(
        "ul",
        { class: "array refs" },
        few(ids, 50, ({ value }) =>
          h("li", {}, reference(env, byId.get(value) || { id: String(value), exists: false })),
        ),
      );

const imageData = /^data:image\/(png|jpeg|gif|webp)[;,]/i;
const imageName = /\.(png|jpe?g|gif|webp|avif|svg)$/i;

/** Media of other origins are links, so that nothing is asked of them before a click. */
function medium(url, alt, load) {
  const text = String(url);
  const caption = alt ? h("p", { class: "quiet" }, "AltText: ", long(String(alt), 200)) : null;
  const src = ownImage(text);
  if (!src) return [linkOr(text), load && foreignHost(text) && h("p", {}, load(foreignHost(text))), caption];
  const image = h("img", { alt: String(alt || ""), loading: "lazy" });
  image.addEventListener("error", () => image.replaceWith(linkOr(text)));
  image.src = src;
  return [h("span", { class: "medium" }, image), caption];
}

function ownImage(text) {
  if (imageData.test(text)) return text;
  try {
    const url = new URL(text, location.href);
    return url.origin === location.origin && imageName.test(url.pathname) ? url.href : null;
  } catch {
    return null;
  }
}

function foreignHost(text) {
  try {
    const url = new URL(text, location.href);
    return url.origin !== location.origin && /^https?:$/.test(url.protocol) && imageName.test(url.pathname) ? url.host : null;
  } catch {
    return null;
  }
}

function linkOr(text) {
  const address = /^https?:/i.test(text) && text.length < 2000 ? safeAddress(text) : null;
  return address
    ? h("a", { class: "outward", href: address, rel: "noreferrer noopener", target: "_blank" }, bdi(cut(text, 200)))
    : h("span", {}, long(text));
}

function textValue(text) {
  if (text === "") return h("span", { class: "none" }, "empty");
  if (imageData.test(text)) return medium(text, "");
  return /^https?:\/\/\S+$/i.test(text) ? linkOr(text) : long(text, 600);
}

const maxRaw = 60000;

function rawJSON(r, node, open, onToggle) {
  const pre = h("pre", { class: "json", tabindex: "0", "aria-label": "JSON of the item" });
  const details = h(
    "details",
    { class: "raw", open },
    h("summary", {}, "Raw JSON"),
    h(
      "p",
      { class: "copies" },
      copyButton("copy", () => r.text, "Copy the response"),
    ),
    pre,
  );
  details.addEventListener("toggle", () => {
    onToggle(details.open);
    if (!details.open || pre.firstChild) return;
    const text = pretty(node);
    fill(pre, coloured(cut(text, maxRaw)));
    if (text.length > maxRaw)
      pre.after(
        h(
          "button",
          {
            type: "button",
            class: "more",
            onclick: (e) => {
              fill(pre, coloured(text, maxRaw));
              e.target.remove();
              pre.focus();
            },
          },
          `Show all ${count(text.length, "character")}`,
        ),
      );
  });
  return details;
}
