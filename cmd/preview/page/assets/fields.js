// The fields of an environment: what kinds of values each path has, and which.

import { announce, bdi, count, cut, empty, few, fill, h, number, refill } from "./dom.js";
import { aggregate, api, fields as fieldsOf } from "./server.js";
import { exact, paramsOf } from "./body.js";
import { dates, numbers } from "./histogram.js";

const percent = (n, of) => (of ? Math.round((100 * n) / of) : 0);

/** A bar whose length is a share. Its number follows as text. */
function bar(share) {
  const inner = h("span", { class: "bar-fill" });
  inner.style.inlineSize = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return h("span", { class: "bar", "aria-hidden": "true" }, inner);
}

/** The paths that searches do not see, with everything below them. */
function leftOut({ exclude, include }) {
  const paths = (list) => few(list, 20, (path) => h("li", {}, h("code", {}, bdi(cut(path, 200)))));
  return (
    exclude.length > 0 &&
    h(
      "section",
      { class: "left-out" },
      h("h2", {}, "Left out of the search"),
      h("ul", {}, paths(exclude)),
      include.length > 0 && [h("p", {}, "except"), h("ul", {}, paths(include))],
      h("p", { class: "quiet" }, "Items have these paths. _environment.yaml says what searches see."),
    )
  );
}

export function fields(site, { env }) {
  const filter = h("input", {
    type: "search",
    "data-search": "",
    id: "field-filter",
    placeholder: "Filter paths",
    "aria-label": "Filter paths",
    autocomplete: "off",
    spellcheck: "false",
  });
  const table = h("div", { class: "field-table" });
  const detail = h("section", { class: "field-detail", "aria-label": "Field" });
  const el = h(
    "div",
    { class: "page" },
    h("h1", {}, "Fields", " ", h("small", {}, env)),
    h("div", { class: "field-columns" }, h("div", {}, h("div", { class: "field-filter" }, filter), table), detail),
  );
  let known = [];
  let path = "";
  let loading = 0;
  filter.addEventListener("input", () => announce(count(drawTable(), "path")));

  const about = () => site.state.environments.find((e) => e.id === env);
  const items = () => about().items;
  const address = (p) => `#/${env}/fields?${new URLSearchParams({ path: p })}`;

  /** Draws the paths that the filter leaves, and returns how many those are. */
  function drawTable() {
    const wanted = filter.value.trim().toLowerCase();
    const found = known.filter((f) => f.path.toLowerCase().includes(wanted));
    const row = (f) =>
      h(
        "tr",
        { class: f.path === path ? "chosen" : null },
        h(
          "td",
          {},
          h(
            "a",
            { href: address(f.path), "data-entry": true, "aria-current": f.path === path ? "true" : null },
            bdi(cut(f.path, 120)),
          ),
          f.mixed.length > 0 && h("span", { class: "tag" }, "mixed"),
        ),
        h("td", {}, h("span", { class: "kind", "data-kind": f.kind }, f.kind)),
        h("td", { class: "quiet wider" }, f.subFields.map((s) => `.${s}`).join(" ")),
        h("td", { class: "num" }, number(f.items)),
        h(
          "td",
          { class: "share wide" },
          bar(f.items / items()),
          h("span", { class: "hidden" }, `${percent(f.items, items())} %`),
        ),
      );
    refill(
      table,
      found.length === 0
        ? empty(known.length ? "No path has that in its name" : "No field yet")
        : h(
            "table",
            { class: "grid", "data-list": true, "data-rove": true },
            h(
              "thead",
              {},
              h(
                "tr",
                {},
                h("th", {}, "Path"),
                h("th", {}, "Type"),
                h("th", { class: "wider" }, "Sub-fields"),
                h("th", { class: "num" }, "Items"),
                h("th", { class: "wide" }, h("span", { class: "hidden" }, "Share")),
              ),
            ),
            h("tbody", {}, few(found, 300, row)),
          ),
      leftOut(about().leftOut),
    );
    return found.length;
  }

  async function drawDetail() {
    const turn = ++loading;
    const field = known.find((f) => f.path === path);
    if (!path) return refill(detail, empty("Choose a path", "Its commonest values and their range appear here."));
    if (!field) {
      const why = await absent();
      return turn === loading && refill(detail, why);
    }
    const head = [
      h("h2", {}, bdi(cut(path, 200))),
      h(
        "p",
        {},
        h("span", { class: "kind", "data-kind": field.kind }, field.kind),
        ` in ${number(field.items)} of ${number(items())} items (${percent(field.items, items())} %)`,
      ),
      field.subFields.length > 0 &&
        h(
          "p",
          { class: "quiet" },
          "sub-fields ",
          field.subFields.map((s) => [h("code", {}, `${path}.${s}`), " "]),
        ),
      h(
        "p",
        {},
        h("a", { href: conditionAddress("exists", "") }, "Items that have it"),
        " · ",
        h("a", { href: conditionAddress("missing", "") }, "Items without it"),
      ),
      mixed(field),
    ];
    try {
      const values = await commonest(field);
      const range = await histogram(field);
      if (turn === loading) refill(detail, head, range, values);
    } catch (error) {
      if (turn === loading) refill(detail, head, h("p", { class: "problem", role: "alert" }, error.message));
    }
  }

  /** Says why there is no field of the chosen path. */
  async function absent() {
    const body = { query: { exists: { field: path } } };
    const found = await api(`${env}/hints`, body).catch(() => null);
    return found?.unknownFields[0]?.leftOut
      ? empty(`${cut(path, 100)} is left out of the search`, "Items have it, but searches do not see it: see search in _environment.yaml.")
      : empty(`No item has ${cut(path, 100)}`, "Fields exist where an item has a value.");
  }

  const conditionAddress = (op, value) =>
    `#/${env}/search?${paramsOf({ conditions: [[path, op, value]], picks: [], facets: [], page: 1, size: 10 })}`;

  function mixed(field) {
    if (field.mixed.length === 0) return null;
    return h(
      "section",
      { class: "mixed" },
      h("h3", {}, "Mixed kinds"),
      h(
        "table",
        { class: "grid" },
        h(
          "tbody",
          {},
          field.mixed.map((m) =>
            h(
              "tr",
              {},
              h("td", {}, h("span", { class: "kind", "data-kind": m.kind }, m.kind)),
              h("td", { class: "num" }, number(m.items)),
              h(
                "td",
                {},
                h(
                  "a",
                  { href: `#/${env}/items/${encodeURIComponent(m.id)}` },
                  "first: ",
                  h("code", {}, bdi(cut(m.file, 200)), `:${m.line}:${m.column}`),
                ),
              ),
            ),
          ),
        ),
      ),
    );
  }

  async function commonest(field) {
    const name = exact(path, known);
    const { values, distinct } = await aggregate(env, {
      values: { terms: { field: name, size: 20 } },
      distinct: { cardinality: { field: name } },
    });
    if (values.buckets.length === 0) return h("p", { class: "quiet" }, "No values to count.");
    const most = values.buckets[0].doc_count;
    const row = (b) => {
      const value = String(b.key_as_string ?? b.key);
      return h(
        "tr",
        {},
        h(
          "td",
          {},
          value === ""
            ? h("span", { class: "none" }, "empty")
            : h(
                "a",
                { href: conditionAddress("is", cut(value, 500)), "data-entry": true, title: cut(value, 500) },
                bdi(cut(value, 60)),
              ),
        ),
        h("td", { class: "num" }, number(b.doc_count)),
        h("td", { class: "share" }, bar(b.doc_count / most)),
      );
    };
    return h(
      "section",
      {},
      h("h3", {}, "Commonest values", " ", h("small", {}, `${number(distinct.value)} distinct`)),
      h("table", { class: "grid bars", "data-list": true }, h("tbody", {}, values.buckets.map(row))),
      values.sum_other_doc_count > 0 &&
        h("p", { class: "quiet" }, `and ${number(values.sum_other_doc_count)} other values`),
    );
  }

  async function histogram(field) {
    const make = { long: numbers, float: numbers, date: dates }[field.kind];
    const chart = make && (await make(env, field));
    if (!chart) return null;
    const most = Math.max(...chart.buckets.map((b) => b.n), 1);
    const column = (b) => {
      const inner = h("span", { class: "column-fill" });
      inner.style.blockSize = b.n ? `${Math.max(2, (b.n / most) * 100)}%` : "0";
      const label = `${b.label}: ${number(b.n)}`;
      return h(
        "a",
        { href: rangeAddress(b), class: "column", title: label, "aria-label": label, "data-entry": true },
        inner,
      );
    };
    const chosen = h("p", { class: "range-value", "aria-hidden": "true" }, "\u00a0");
    const columns = h("div", { class: "histogram", "data-list": "row", "data-rove": true }, chart.buckets.map(column));
    // What a column stands for is read here too: columns are narrow, and keys show no title.
    const show = ({ target }) => {
      chosen.textContent = target.closest?.(".column")?.title || "\u00a0";
    };
    columns.addEventListener("focusin", show);
    columns.addEventListener("pointerover", show);
    return h(
      "section",
      {},
      h("h3", {}, "Range", " ", h("small", {}, chart.unit)),
      chosen,
      columns,
      h("p", { class: "axis" }, h("span", {}, chart.from), h("span", {}, chart.to)),
      h(
        "details",
        { class: "ranges", open: detail.querySelector(".ranges")?.open },
        h("summary", {}, "Ranges as a table"),
        h(
          "table",
          { class: "grid bars", "data-list": true },
          h(
            "tbody",
            {},
            chart.buckets.map((b) =>
              h(
                "tr",
                {},
                h("td", {}, h("a", { href: rangeAddress(b), "data-entry": true, "data-key": `range ${b.label}` }, b.label)),
                h("td", { class: "num" }, number(b.n)),
              ),
            ),
          ),
        ),
      ),
    );
  }

  const rangeAddress = (b) =>
    `#/${env}/search?${paramsOf({
      conditions: [
        [path, "gte", b.from],
        [path, b.last ? "lte" : "lt", b.to],
      ],
      picks: [],
      facets: [],
      page: 1,
      size: 10,
    })}`;

  return {
    el,
    title: () => (path ? `${path} · Fields` : "Fields"),
    async update(route) {
      path = new URLSearchParams(route.query).get("path") || "";
      await this.refresh();
      const field = known.find((f) => f.path === path);
      if (field) announce(`${path}: ${field.kind} in ${number(field.items)} of ${count(items(), "item")}`);
      const chosen = table.querySelector("[aria-current=true]");
      if (chosen && path && !table.contains(document.activeElement)) chosen.scrollIntoView({ block: "nearest" });
    },
    async refresh() {
      try {
        known = await fieldsOf(env);
      } catch (error) {
        return refill(table, h("p", { class: "problem", role: "alert" }, error.message));
      }
      drawTable();
      await drawDetail();
    },
  };
}
