// The form of a search as parameters of an address, and the body that it writes.

import { field, limit, standard } from "./interface.js";

/** What a condition can ask of a field: [name, label, whether it takes a value]. */
export const operators = [
  ["match", "has the words", true],
  ["phrase", "has the phrase", true],
  ["is", "is", true],
  ["like", "is like (* and ?)", true],
  ["prefix", "begins with", true],
  ["gte", "is at least", true],
  ["lte", "is at most", true],
  ["lt", "is below", true],
  ["exists", "exists", false],
  ["missing", "is missing", false],
];

const dates = [field.CreatedAt, field.UpdatedAt, field.PublishedAt];
const textFields = Object.keys(field).filter((name) => name !== field.Data && !dates.includes(name));

/** The path whose values are compared whole: text has them in a sub-field. */
export function exact(path, known) {
  const found = known.find((f) => f.path === path);
  const isText = found ? found.kind === "text" : textFields.includes(path);
  return isText ? `${path}.keyword` : path;
}

/** The form's state of an address. Conditions and facets are path|operator|value. */
export function formOf(params) {
  const split = (text, n) => {
    const parts = text.split("|");
    return [...parts.slice(0, n - 1), parts.slice(n - 1).join("|")];
  };
  return {
    q: params.get("q") || "",
    conditions: params
      .getAll("f")
      .map((text) => split(text, 3))
      .filter(([path, op]) => path && op),
    picks: params.getAll("pick").map((text) => split(text, 2)),
    facets: params.getAll("facet"),
    sort: params.get("sort") || "",
    asc: params.get("asc") === "true",
    page: Math.max(1, Number(params.get("page")) || 1),
    size: Math.min(limit.size, Math.max(1, Number(params.get("size")) || standard.size)),
  };
}

export function paramsOf(form) {
  const params = new URLSearchParams();
  if (form.q) params.set("q", form.q);
  for (const condition of form.conditions) params.append("f", condition.join("|"));
  for (const pick of form.picks) params.append("pick", pick.join("|"));
  for (const facet of form.facets) params.append("facet", facet);
  if (form.sort) params.set("sort", form.sort);
  if (form.sort && form.asc) params.set("asc", "true");
  if (form.page > 1) params.set("page", form.page);
  if (form.size !== standard.size) params.set("size", form.size);
  return params;
}

export const facetsOf = (form) => [...new Set([field.TemplateName, field.Status, ...form.facets])];

function clause([path, op, value], known) {
  switch (op) {
    case "match":
      return { match: { [path]: value } };
    case "phrase":
      return { match_phrase: { [path]: value } };
    case "is":
      return { term: { [exact(path, known)]: value } };
    case "like":
      return { wildcard: { [path]: { value } } };
    case "prefix":
      return { prefix: { [exact(path, known)]: value } };
    case "gte":
    case "lte":
    case "lt":
      return { range: { [path]: { [op]: value } } };
    default:
      return { exists: { field: path } };
  }
}

/** The body of a form's state. Words score; everything else filters. */
export function bodyOf(form, known) {
  const body = {};
  const query = queryOf(form, known);
  if (query) body.query = query;
  if (form.page > 1) body.from = (form.page - 1) * form.size;
  body.size = form.size;
  if (form.sort)
    body.sort = [{ [form.sort === "_score" ? form.sort : exact(form.sort, known)]: form.asc ? "asc" : "desc" }];
  body.aggs = Object.fromEntries(
    facetsOf(form).map((path) => [path, { terms: { field: exact(path, known), size: 8 } }]),
  );
  return body;
}

function queryOf(form, known) {
  const bool = { must: [], filter: [], must_not: [] };
  if (form.q) bool.must.push({ query_string: { query: form.q } });
  for (const condition of form.conditions) {
    const op = condition[1];
    const kind = op === "missing" ? "must_not" : op === "match" || op === "phrase" ? "must" : "filter";
    bool[kind].push(clause(condition, known));
  }
  for (const path of new Set(form.picks.map(([path]) => path))) {
    bool.filter.push({ terms: { [exact(path, known)]: form.picks.filter((p) => p[0] === path).map((p) => p[1]) } });
  }
  for (const kind of Object.keys(bool)) if (bool[kind].length === 0) delete bool[kind];
  const only = Object.keys(bool);
  if (only.length === 0) return null;
  return only[0] === "must" && only.length === 1 && bool.must.length === 1 ? bool.must[0] : { bool };
}

/** The body as text: indented, with small objects on one line. */
export function printed(value, indent = "") {
  const isShort = indent !== "" && JSON.stringify(value).length < 64;
  if (value === null || typeof value !== "object" || isShort) return spaced(value);
  const inner = `${indent}  `;
  if (Array.isArray(value))
    return value.length ? `[\n${value.map((v) => inner + printed(v, inner)).join(",\n")}\n${indent}]` : "[]";
  const members = Object.entries(value).map(([key, v]) => `${inner}${JSON.stringify(key)}: ${printed(v, inner)}`);
  return members.length ? `{\n${members.join(",\n")}\n${indent}}` : "{}";
}

function spaced(value) {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  return `{${Object.entries(value)
    .map(([key, v]) => `${JSON.stringify(key)}: ${spaced(v)}`)
    .join(", ")}}`;
}

/** The words that a form looks for, to be marked in results. */
export function wordsOf(form) {
  const texts = [
    form.q,
    ...form.conditions.filter(([, op]) => ["match", "phrase", "like", "is"].includes(op)).map((c) => c[2]),
  ];
  const words =
    texts
      .join(" ")
      .replace(/[\w.]+:/g, " ")
      .match(/[\p{L}\p{N}]+/gu) || [];
  return [...new Set(words.filter((w) => !/^(AND|OR|NOT|TO)$/.test(w)).map((w) => w.toLowerCase()))].slice(0, 20);
}
