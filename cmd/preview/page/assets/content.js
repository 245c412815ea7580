// Environments and their templates; lists of items by the parameters of the interface.

import { announce, bdi, count, cut, empty, few, fill, h, number, onChoice, pager, pill, refill, time } from "./dom.js";
import { chosenColumns, columnMenu } from "./columns.js";
import { api, ask, fields, listURL } from "./server.js";
import { field, limit, parameter, standard } from "./interface.js";
import { inWords, problem, requestBar } from "./request.js";

const query = (entries) => new URLSearchParams(Object.entries(entries)).toString();
const listAddress = (env, entries) => `#/${env}/items${entries ? `?${query(entries)}` : ""}`;

/** A template's items by status, each a link to the list of them. */
function statuses(env, template) {
  return Object.entries(template.statuses)
    .sort((a, b) => b[1] - a[1])
    .map(([status, n]) =>
      h(
        "a",
        {
          class: "pill-link",
          href: listAddress(env, { [parameter.template]: template.name, [parameter.status]: status }),
          "aria-label": `${template.name}, ${status}: ${n}`,
        },
        pill(status, n),
      ),
    );
}

/** The first screen: every environment with its templates. */
export function home(site) {
  const el = h("div", { class: "page" });
  const card = (env) =>
    h(
      "section",
      { class: "card" },
      h("h2", {}, h("a", { href: listAddress(env.id) }, env.id), " ", h("small", {}, count(env.items, "item"))),
      env.items === 0
        ? empty("No item is shown in this view")
        : h(
            "table",
            { class: "grid", "data-list": true },
            h(
              "thead",
              {},
              h("tr", {}, h("th", {}, "Template"), h("th", { class: "num" }, "Items"), h("th", {}, "Status")),
            ),
            h(
              "tbody",
              {},
              few(env.templates, 50, (t) =>
                h(
                  "tr",
                  {},
                  h(
                    "td",
                    {},
                    h(
                      "a",
                      { href: listAddress(env.id, { [parameter.template]: t.name }), "data-entry": true },
                      bdi(cut(t.name, 120)),
                    ),
                  ),
                  h("td", { class: "num" }, number(t.items)),
                  h("td", { class: "pills" }, statuses(env.id, t)),
                ),
              ),
            ),
          ),
      h(
        "p",
        { class: "links" },
        h("a", { href: `#/${env.id}/search` }, "Search"),
        h("a", { href: `#/${env.id}/fields` }, "Fields"),
      ),
    );
  const draw = () =>
    refill(
      el,
      h("h1", {}, "Environments", " ", h("small", {}, "of ", h("code", {}, site.state.content))),
      site.state.environments.length === 0
        ? empty("There is no content yet", "Each directory below the content directory is an environment.")
        : h("div", { class: "cards" }, site.state.environments.map(card)),
    );
  return { el, title: () => "Content", update: async () => draw(), refresh: async () => draw() };
}

const filters = [
  [parameter.name, "Name"],
  [parameter.template, "Template"],
  [parameter.status, "Status"],
  [parameter.createdBy, "Created by"],
];
const own = new Set(Object.keys(field));
const columns = [
  [field.TemplateName, "Template", "wide"],
  [field.Status, "Status", ""],
  [field.CreatedAt, "Created", "wider"],
  [field.UpdatedAt, "Updated", "wide"],
  [field.PublishedAt, "Published", "wider"],
];

/** A list of an environment. The address has the parameters of the request. */
export function items(site, { env }) {
  let params = new URLSearchParams();
  let raw = "";
  let changedIds = new Set();
  let sortable = new Set(); // the paths that searches see
  const go = (entries) => {
    location.hash = listAddress(env, entries);
  };
  const bar = requestBar({
    onQuery: (text) => {
      location.hash = `#/${env}/items${text ? `?${text}` : ""}`;
    },
  });
  const side = h("nav", { class: "side", "aria-label": "Templates" });
  const heading = h("h1", {});
  const form = filterForm(env, (values) => go(values));
  const result = h("div", { class: "result" });
  const menu = columnMenu(env, () => load(true));
  const el = h(
    "div",
    { class: "page with-side" },
    side,
    h(
      "div",
      { class: "body" },
      heading,
      h("details", { class: "fold", open: innerWidth > 800 }, h("summary", {}, "Filters and order"), form.el),
      bar.el,
      menu,
      result,
    ),
  );

  const environment = () => site.state.environments.find((e) => e.id === env);

  function drawSide() {
    const e = environment();
    const at = params.get(parameter.template);
    const entry = (t) =>
      h(
        "li",
        {},
        h(
          "a",
          {
            href: listAddress(env, { [parameter.template]: t.name }),
            "data-entry": true,
            "aria-current": at === t.name ? "true" : null,
          },
          bdi(cut(t.name, 80)),
          h("span", { class: "n" }, number(t.items)),
        ),
        Object.keys(t.statuses).some((s) => s !== "Published") && h("span", { class: "pills" }, statuses(env, t)),
      );
    refill(
      side,
      h(
        "details",
        { class: "fold", open: innerWidth > 800 },
        h("summary", {}, "Templates"),
        h(
          "ul",
          { "data-list": true, "data-rove": true },
          h(
            "li",
            {},
            h(
              "a",
              { href: listAddress(env), "data-entry": true, "aria-current": raw === "" ? "true" : null },
              "All items",
              h("span", { class: "n" }, number(e.items)),
            ),
          ),
          few(e.templates, 100, entry),
        ),
      ),
    );
  }

  // quiet: a build asked for it, not a user.
  async function load(quiet) {
    const url = listURL(env, raw);
    bar.show({ url });
    result.setAttribute("aria-busy", "true");
    const [r, hints] = await Promise.all([ask(url), raw ? api(`${env}/hints?${raw}`).catch(() => ({})) : {}]);
    if (url !== listURL(env, raw)) return;
    result.removeAttribute("aria-busy");
    bar.done(r);
    bar.hints(inWords(hints));
    if (r.error) return refill(result, problem(r.error));
    if (more().length > 0) sortable = new Set((await fields(env).catch(() => [])).map((f) => f.path));
    refill(result, list(more().length > 0 ? JSON.parse(r.text, asWritten) : r.json));
    if (!quiet) announce([result.querySelector(".total, .empty-title"), result.querySelector(".pager-at")].map((x) => x?.textContent).filter(Boolean).join(", "));
  }

  function list({ data, totalItems }) {
    const size = Number(params.get(parameter.size)) || standard.size;
    const page = Number(params.get(parameter.page)) || 1;
    if (totalItems === 0)
      return empty(
        "No item matches",
        "Filters compare the whole value, and case counts.",
        raw && h("a", { href: listAddress(env) }, "Show all items"),
      );
    const pages = Math.ceil(totalItems / size);
    if (data.length === 0)
      return empty(
        `There is no page ${number(page)}`,
        `${count(totalItems, "item")} fill ${count(pages, "page")}.`,
        h("a", { href: pageAddress(1) }, "The first page"),
      );
    const first = (page - 1) * size;
    return [
      h(
        "p",
        { class: "total" },
        h("b", {}, count(totalItems, "item")),
        pages > 1 && `, ${number(first + 1)} to ${number(first + data.length)}`,
      ),
      table(data),
      pager(page, pages, pageAddress),
    ];
  }

  function table(data) {
    const sort = params.get(parameter.sort) || standard.sort;
    const up = (params.get(parameter.ascending) || "").toLowerCase() === "true";
    const shown = [...columns.map(([name, label, cls]) => [name, label, name === sort ? "" : cls]), ...more().map((path) => [path, path, ""])];
    const head = ([name, label, cls]) =>
      h(
        "th",
        { class: cls, "aria-sort": name === sort ? (up ? "ascending" : "descending") : null },
        own.has(name) || (name.startsWith("Data.") && sortable.has(name))
          ? h(
              "a",
              { href: sortAddress(name, name === sort && !up) },
              bdi(cut(label, 60)),
              name === sort && h("span", { class: "arrow", "aria-hidden": "true" }, up ? " ↑" : " ↓"),
            )
          : bdi(cut(label, 60)),
      );
    const grid = h(
      "table",
      { class: "grid items", "data-list": true },
      h("thead", {}, h("tr", {}, [[field.Name, "Name", ""], ...shown].map(head))),
      h(
        "tbody",
        {},
        few(data, 200, (item) =>
          h(
            "tr",
            { class: changedIds.has(item.ContentID) ? "changed" : null },
            h("td", { class: "name" }, itemLink(env, item.ContentID, item.Name, true)),
            shown.map(([name, , cls]) => h("td", { class: cls }, cell(env, item, name))),
          ),
        ),
      ),
    );
    return h("div", { class: "wide-table" }, grid);
  }

  /** The columns in addition to the columns of every list: the chosen ones, and the column of the order. */
  function more() {
    const sort = params.get(parameter.sort) || standard.sort;
    return [...new Set([...chosenColumns(env), sort])].filter((path) => path !== field.Name && !columns.some(([name]) => name === path));
  }

  function changed(change) {
    const next = new URLSearchParams(params);
    for (const [name, value] of Object.entries(change)) {
      if (value === null) next.delete(name);
      else next.set(name, value);
    }
    const text = next.toString();
    return `#/${env}/items${text ? `?${text}` : ""}`;
  }
  const pageAddress = (page) => changed({ [parameter.page]: page === 1 ? null : page });
  const sortAddress = (sort, up) => changed({ [parameter.sort]: sort, [parameter.ascending]: up ? "true" : null, [parameter.page]: null });

  return {
    el,
    title: () => env,
    async update(route) {
      raw = route.query;
      params = new URLSearchParams(raw);
      changedIds = new Set();
      const template = params.get(parameter.template);
      fill(heading, template ? bdi(cut(template, 120)) : "All items", " ", h("small", {}, env));
      drawSide();
      form.show(params, environment());
      await load();
    },
    async refresh(changes) {
      changedIds = new Set((changes?.items || []).filter((c) => c.environment === env).map((c) => c.id));
      drawSide();
      form.show(params, environment(), true);
      await load(true);
    },
  };
}

// Numbers that JavaScript would round stay as they were written, where the browser tells.
const asWritten = (key, value, context) =>
  typeof value === "number" && context?.source && String(value) !== context.source ? context.source : value;

export function itemLink(env, id, name, entry = false) {
  return h(
    "a",
    { href: `#/${env}/items/${encodeURIComponent(id)}`, "data-entry": entry, "data-key": id },
    name ? bdi(cut(name, 200)) : h("code", {}, cut(id, 128)),
  );
}

function cell(env, item, name) {
  if (name === field.Status) return pill(item.Status);
  if (own.has(name) && /At$/.test(name)) return time(item[name]);
  const values = valuesAt(item, name.split("."));
  if (name.endsWith(".ContentIDs"))
    return values.slice(0, 3).map((id) => [itemLink(env, String(id)), " "]);
  return values.length
    ? bdi(cut(values.map((v) => (typeof v === "string" ? v : JSON.stringify(v))).join(", "), 100))
    : h("span", { class: "none" }, "none");
}

/** The values at a path, which may lead through arrays. */
export function valuesAt(value, path) {
  if (Array.isArray(value)) return value.flatMap((v) => valuesAt(v, path));
  if (value === null || value === undefined) return [];
  if (path.length === 0) return [value];
  return typeof value === "object" ? valuesAt(value[path[0]], path.slice(1)) : [];
}

function filterForm(env, go) {
  const inputs = new Map();
  const labelled = (name, label, input) => {
    inputs.set(name, input);
    input.id = `list-${name}`;
    return h("div", { class: "field" }, h("label", { for: input.id }, label), input);
  };
  const text = (list) => h("input", { type: "text", autocomplete: "off", spellcheck: "false", list });
  const templates = h("datalist", { id: "list-templates" });
  const known = h("datalist", { id: "list-statuses" });
  const paths = h("datalist", { id: "list-paths" });
  const lists = { [parameter.template]: "list-templates", [parameter.status]: "list-statuses" };
  const order = h("select", {}, h("option", { value: "" }, "descending"), h("option", { value: "true" }, "ascending"));
  const el = h(
    "form",
    {
      class: "filters",
      role: "search",
      "aria-label": "Filters",
      onsubmit: (e) => {
        e.preventDefault();
        send();
      },
    },
    filters.map(([name, label]) => labelled(name, label, text(lists[name]))),
    labelled(parameter.sort, "Sort by", text("list-paths")),
    labelled(parameter.ascending, "Order", order),
    labelled(parameter.size, "Page size", h("input", { type: "number", min: 1, max: limit.size, placeholder: standard.size })),
    h(
      "div",
      { class: "field actions" },
      h("button", { type: "submit" }, "Apply"),
      h("a", { href: `#/${env}/items`, class: "reset" }, "Reset"),
    ),
    templates,
    known,
    paths,
  );
  inputs.get(parameter.name).dataset.search = "";
  inputs.get(parameter.sort).placeholder = standard.sort;
  inputs.get(parameter.sort).addEventListener(
    "focus",
    async () => {
      fill(
        paths,
        (await fields(env)).map((f) => h("option", { value: f.path })),
      );
    },
    { once: true },
  );
  onChoice(order, () => send());

  function send() {
    const values = {};
    for (const [name, input] of inputs) if (input.value) values[name] = input.value;
    go(values);
  }
  return {
    el,
    show(params, environment, typing) {
      for (const [name, input] of inputs) {
        if (typing && input === document.activeElement) continue;
        input.value = name === parameter.ascending ? (params.get(name) || "").toLowerCase() : params.get(name) || "";
      }
      fill(
        templates,
        environment.templates.slice(0, 200).map((t) => h("option", { value: t.name })),
      );
      fill(
        known,
        [...new Set(environment.templates.flatMap((t) => Object.keys(t.statuses)))].map((s) =>
          h("option", { value: s }),
        ),
      );
    },
  };
}
