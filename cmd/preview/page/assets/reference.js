// The interface: what /openapi.json says of addresses, for people.

import { announce, bdi, count, fill, h } from "./dom.js";
import { ask } from "./server.js";

const methods = ["get", "post"];

/** A part of the document that another part refers to. */
function resolved(doc, part) {
  const path = part?.$ref?.slice("#/".length).split("/");
  return path ? path.reduce((at, name) => at?.[name], doc) : part;
}

/** The type of a schema in a word or two. */
function typeOf(doc, schema) {
  if (schema?.$ref) return schema.$ref.split("/").at(-1);
  if (schema?.enum) return few(schema.enum.map((v) => JSON.stringify(v))).join(" | ");
  if (schema?.type === "array") return `${typeOf(doc, schema.items)}[]`;
  if (schema?.anyOf && !schema.type) return few(schema.anyOf.map((s) => typeOf(doc, s))).join(" | ");
  return [schema?.type].flat().filter(Boolean).join(" | ") || "any";
}

const few = (list, most = 6) => (list.length > most ? [...list.slice(0, most), "…"] : list);

/** A text with its `code`. */
const prose = (text = "") =>
  text.split("`").map((part, i) => (i % 2 ? h("code", {}, bdi(part)) : part));

function parameters(doc, list) {
  if (list.length === 0) return null;
  const row = (p) =>
    h("tr", {}, h("td", {}, h("code", {}, bdi(p.name))), h("td", {}, p.in), h("td", {}, bdi(typeOf(doc, p.schema))), h("td", {}, prose(p.description)));
  return h(
    "table",
    { class: "grid" },
    h("caption", { class: "hidden" }, "Parameters"),
    h("thead", {}, h("tr", {}, ["Parameter", "In", "Type", "Meaning"].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, list.map((p) => row(resolved(doc, p)))),
  );
}

function responses(doc, all) {
  const row = ([status, given]) => {
    const response = resolved(doc, given);
    const [schema] = Object.values(response.content || {}).map((c) => c.schema);
    const lines = response.description.split("\n");
    return h(
      "tr",
      {},
      h("td", {}, status),
      h("td", {}, status < 300 && schema ? bdi(typeOf(doc, schema)) : ""),
      h("td", {}, lines.length > 1 ? lines.map((line) => [prose(line.replace(/^- (`\w+`).*/, "$1")), " "]) : prose(lines[0].replace(/^- /, ""))),
    );
  };
  return h(
    "table",
    { class: "grid" },
    h("caption", { class: "hidden" }, "Responses"),
    h("thead", {}, h("tr", {}, ["Status", "Body", "Meaning"].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, Object.entries(all).map(row)),
  );
}

function operation(doc, path, item, method) {
  const o = item[method];
  const body = o.requestBody && Object.entries(o.requestBody.content)[0];
  return h(
    "details",
    { class: "card" },
    h("summary", {}, h("code", {}, `${method.toUpperCase()} `, bdi(path)), " ", o.summary),
    o.description && h("p", {}, prose(o.description)),
    body && h("p", {}, "Body: ", h("code", {}, bdi(typeOf(doc, body[1].schema))), ` (${body[0]})`),
    h("div", { class: "wide-table" }, parameters(doc, [...(item.parameters || []), ...(o.parameters || [])])),
    h("div", { class: "wide-table" }, responses(doc, o.responses)),
  );
}

/** The members of a schema, for those that the release's templates have. */
function type(doc, name) {
  const text = JSON.stringify(doc.components.schemas[name], null, 2);
  return h("details", { class: "card" }, h("summary", {}, h("code", {}, bdi(name))), h("pre", { class: "source", tabindex: "0", role: "group", "aria-label": name }, bdi(text)));
}

export function reference(site, { env }) {
  const content = h("div", {});
  const address = `/openapi.json?env=${encodeURIComponent(env)}`;
  const el = h(
    "div",
    { class: "page" },
    h("h1", {}, "Interface", " ", h("small", {}, env)),
    h("p", { class: "quiet" }, "What tools read at ", h("code", {}, address), ", a document of OpenAPI 3.1."),
    content,
  );
  let told = false;
  return {
    el,
    title: () => "Interface",
    update() {
      return content.firstChild ? undefined : this.refresh();
    },
    async refresh() {
      const { json: doc, error } = await ask(address);
      if (error) return fill(content, h("p", { class: "problem", role: "alert" }, error.message));
      const of = (tag) =>
        Object.entries(doc.paths).flatMap(([path, item]) =>
          methods.filter((m) => item[m]?.tags.includes(tag)).map((m) => operation(doc, path, item, m)),
        );
      const open = new Set([...content.querySelectorAll("details[open] > summary")].map((s) => s.textContent));
      fill(
        content,
        doc.tags.map((tag) => h("section", {}, h("h2", {}, tag.name), h("p", { class: "quiet" }, prose(tag.description)), of(tag.name))),
        h("section", {}, h("h2", {}, "Types"), Object.keys(doc.components.schemas).map((name) => type(doc, name))),
      );
      for (const summary of content.querySelectorAll("summary")) summary.parentElement.open = open.has(summary.textContent);
      if (!told) announce(count(content.querySelectorAll("details").length, "entry", "entries"));
      told = true;
    },
  };
}
