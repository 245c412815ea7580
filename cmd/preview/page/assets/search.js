// Searches by query string, form or body. The address has the form's state, or a body by hand.

import { announce, bdi, count, cut, empty, few, fill, h, number, onChoice, pager, pill, refill, time } from "./dom.js";
import { api, ask, fields, searchURL } from "./server.js";
import { code, field, limit, standard } from "./interface.js";
import { bodyOf, facetsOf, formOf, operators, paramsOf, printed, wordsOf } from "./body.js";
import { conditionForm } from "./conditions.js";
import { coloured, indexOfByte, member, parse, pretty } from "./json.js";
import { editor } from "./editor.js";
import { forget, past, remember } from "./history.js";
import { inWords, problem, requestBar } from "./request.js";
import { itemLink, valuesAt } from "./content.js";
import { snippet } from "./snippet.js";

const dates = { [field.CreatedAt]: "created", [field.UpdatedAt]: "updated", [field.PublishedAt]: "published" };

/** A field of a hit with its name: dates by a word, other fields by their path. */
function valueOf(item, path) {
  const values = valuesAt(item, path.split(".")).filter((v) => typeof v !== "object");
  if (values.length === 0 || path === field.Name) return null;
  const value = dates[path] ? [dates[path], " ", time(values[0])] : [bdi(cut(path, 60)), ": ", bdi(cut(values.join(", "), 60))];
  return h("span", { class: "quiet end" }, value);
}

const maxRemembered = 20000; // characters of a search in the history: the browser keeps few megabytes

export function search(site, { env }) {
  let form = formOf(new URLSearchParams());
  let byHand = false; // the body is the user's
  let known = [];
  let shownQuery = "";
  let running = 0;
  let updates = 0;

  const go = (next) => {
    const text = paramsOf({ ...form, page: 1, ...next }).toString();
    const address = `#/${env}/search${text ? `?${text}` : ""}`;
    if (location.hash === address) run();
    else location.hash = address;
  };

  const box = h("input", {
    type: "search",
    id: "q",
    class: "box",
    "data-search": "",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: 'bread AND NOT draft, or Data.title:"night swimming"',
  });
  const line = h(
    "form",
    {
      role: "search",
      class: "search-line",
      "aria-label": "Query string",
      onsubmit: (e) => {
        e.preventDefault();
        go({ q: box.value.trim() });
      },
    },
    h("label", { for: "q", class: "hidden" }, "Query string"),
    box,
    h("button", { type: "submit", class: "primary" }, "Search"),
  );
  const oldSearches = h("div", { class: "menu-body" });
  const history = h("details", { class: "menu right" }, h("summary", {}, "History"), oldSearches);
  const conditions = conditionForm((changed) => go({ q: box.value.trim(), ...changed }));
  const paths = h("datalist", { id: "search-paths" });
  const note = h(
    "p",
    { class: "note", hidden: true },
    "The body was written by hand. ",
    h(
      "button",
      {
        type: "button",
        onclick: () => {
          go({});
          box.focus(); // the button goes with the note
        },
      },
      "Back to the form",
    ),
  );
  const body = editor({
    label: "Body of the search",
    onRun: runBody,
    onEdit: () => {
      dirty = true;
    },
  });
  let dirty = false;
  const runButton = h("button", { type: "button", id: "run", onclick: runBody }, "Run the body");
  const bodyBox = h(
    "details",
    { class: "body-box", open: innerWidth > 800 },
    h("summary", {}, "Body"),
    body.el,
    h(
      "p",
      { class: "body-actions" },
      runButton,
      h("span", { class: "quiet" }, h("kbd", {}, "Ctrl"), " + ", h("kbd", {}, "Enter")),
    ),
  );
  const bar = requestBar();
  const trouble = h("div", { id: "search-error" });
  const facets = h("aside", { class: "facets", "aria-label": "Facets" });
  const results = h("div", { class: "result" });
  const el = h(
    "div",
    { class: "page" },
    h("div", { class: "title-row" }, h("h1", {}, "Search", " ", h("small", {}, env)), history),
    line,
    h("div", { class: "query-columns" }, h("div", {}, note, conditions.el, paths), bodyBox),
    bar.el,
    trouble,
    h("div", { class: "search-columns" }, facets, results),
  );

  function runBody() {
    dirty = false;
    const text = body.value;
    if (!byHand && text === printed(bodyOf(form, known))) return run();
    const address = `#/${env}/search?${new URLSearchParams({ body: text })}`;
    if (location.hash === address) run();
    else location.hash = address;
  }

  // The facets of the form with what they count; a click filters by a value.
  function drawFacets(aggregations) {
    if (byHand || !aggregations) return fill(facets);
    const groups = facetsOf(form).map((path) => facet(path, aggregations[path]?.buckets || []));
    const options = known.filter(
      (f) => !facetsOf(form).includes(f.path) && (f.subFields.includes("keyword") || f.kind !== "text"),
    );
    const add = h(
      "select",
      { id: "add-facet", "aria-label": "Add a facet" },
      h("option", { value: "" }, "Add a facet"),
      options.map((f) => h("option", { value: f.path }, f.path)),
    );
    onChoice(add, (path) => path && go({ facets: [...form.facets, path] }));
    refill(facets, h("details", { class: "fold", open: innerWidth > 800 }, h("summary", {}, "Facets"), groups, add));
  }

  function facet(path, buckets) {
    const picked = form.picks.filter((p) => p[0] === path).map((p) => p[1]);
    const counts = new Map(picked.map((value) => [value, 0]));
    for (const b of buckets) counts.set(String(b.key_as_string ?? b.key), b.doc_count);
    const toggle = (value, on) =>
      go({ picks: on ? [...form.picks, [path, value]] : form.picks.filter((p) => p[0] !== path || p[1] !== value) });
    const entry = ([value, n]) =>
      h(
        "label",
        { class: "facet-value" },
        h("input", {
          type: "checkbox",
          "data-entry": true,
          "data-key": `${path}|${value}`,
          checked: picked.includes(value),
          onchange: (e) => toggle(value, e.target.checked),
        }),
        bdi(cut(value, 60)),
        h("span", { class: "n" }, number(n)),
      );
    const extra = form.facets.includes(path);
    return h(
      "fieldset",
      { "data-list": true, "data-next": "#add-facet" },
      h(
        "legend",
        {},
        bdi(cut(path, 60)),
        extra &&
          h(
            "button",
            {
              type: "button",
              class: "plain",
              "aria-label": `Remove the facet ${path}`,
              onclick: () =>
                go({ facets: form.facets.filter((f) => f !== path), picks: form.picks.filter((p) => p[0] !== path) }),
            },
            "×",
          ),
      ),
      counts.size === 0 ? h("p", { class: "quiet" }, "no values") : [...counts].map(entry),
    );
  }

  // quiet: a build asked for it, not a user.
  async function run(quiet) {
    const turn = ++running;
    const text = body.value;
    const url = searchURL(env);
    bar.show({ url, body: text });
    results.setAttribute("aria-busy", "true");
    const r = await ask(url, { body: text });
    if (turn !== running) return;
    results.removeAttribute("aria-busy");
    bar.done(r);
    bar.hints([]);
    if (r.error) return failed(r.error);
    fill(trouble);
    markBox(false);
    body.mark(null);
    drawFacets(r.json.aggregations);
    drawResults(r);
    if (!quiet) announce(`${count(r.json.totalItems, "item")} found`);
    drawHistory(r.json.totalItems);
    const hints = await api(`${env}/hints`, JSON.parse(plainJSON(text))).catch(() => ({}));
    if (turn === running) bar.hints(inWords(hints));
  }

  function failed(error) {
    const at = body.mark(error, "search-error");
    markBox(!byHand && error.code === code.badQueryString);
    if (at) bodyBox.open = true;
    fill(results);
    drawFacets(null);
    fill(
      trouble,
      problem(
        error,
        excerpt(error),
        at &&
          h(
            "p",
            {},
            h(
              "button",
              { type: "button", id: "go-to-error", onclick: at.go },
              `Go to line ${at.line}, column ${at.column}`,
            ),
          ),
      ),
    );
  }

  // Ties the message to the box whose query string is wrong.
  function markBox(wrong) {
    for (const [name, value] of [
      ["aria-invalid", "true"],
      ["aria-describedby", "search-error"],
    ]) {
      if (wrong) box.setAttribute(name, value);
      else box.removeAttribute(name);
    }
  }

  // The query string with the place of the error, next to its box.
  function excerpt(error) {
    if (byHand || error.code !== code.badQueryString || error.position === undefined || !form.q) return null;
    const at = indexOfByte(form.q, error.position);
    return h(
      "p",
      { class: "excerpt" },
      h(
        "code",
        {},
        h("bdi", {}, form.q.slice(0, at), h("mark", {}, form.q.slice(at, at + 1) || "\u00a0"), form.q.slice(at + 1)),
      ),
    );
  }

  function drawResults(r) {
    const { data, totalItems, aggregations } = r.json;
    const words = byHand ? wordsOf({ q: quoted(body.value), conditions: [] }) : wordsOf(form);
    const scored = words.length > 0 && !form.sort;
    const order =
      !byHand && (scored ? "by relevance" : ["by ", bdi(form.sort || standard.sort), form.asc ? ", ascending" : ", descending"]);
    const shownDate = byHand || scored ? field.UpdatedAt : form.sort || standard.sort;
    refill(
      results,
      h("p", { class: "total" }, h("b", {}, count(totalItems, "item")), order && [", ", order]),
      totalItems === 0
        ? empty("Nothing matches", "A query string looks at every field; a condition only at its field.")
        : h(
            "ol",
            { class: "hits", "data-list": true },
            few(data, 200, (item) => hit(item, words, shownDate)),
          ),
      !byHand && pager(form.page, pagesOf(totalItems), pageAddress),
      byHand &&
        aggregations &&
        h(
          "section",
          {},
          h("h2", {}, "Aggregations"),
          h(
            "pre",
            { class: "json", tabindex: "0", "aria-label": "Aggregations" },
            coloured(cut(pretty(member(parse(r.text), "aggregations")), 60000)),
          ),
        ),
    );
  }

  // sorted is the field whose value explains the order, or the date of the last change.
  function hit(item, words, sorted) {
    const id = item.ContentID;
    return h(
      "li",
      {},
      h(
        "div",
        { class: "hit-head" },
        id ? itemLink(env, id, item.Name, true) : bdi(cut(item.Name || "(no name in _source)", 200)),
        item.TemplateName && h("span", { class: "quiet" }, bdi(cut(item.TemplateName, 60))),
        item.Status && item.Status !== "Published" && pill(item.Status),
        typeof item._score === "number" && h("span", { class: "score", title: "score" }, item._score.toFixed(3)),
        valueOf(item, sorted),
      ),
      snippet(item, words),
    );
  }

  // No search returns hits after the largest page size.
  const pagesOf = (total) => Math.min(Math.ceil(total / form.size), Math.floor(limit.size / form.size));
  const pageAddress = (page) => `#/${env}/search?${paramsOf({ ...form, page })}`;

  function drawHistory(total) {
    if (total !== undefined && shownQuery && shownQuery.length < maxRemembered) {
      remember(env, { query: shownQuery, label: labelOf(), total });
    }
    const list = past(env);
    refill(
      oldSearches,
      list.length === 0
        ? h("p", { class: "quiet" }, "Searches of this browser appear here.")
        : [
            h(
              "ul",
              { "data-list": true },
              list.map((e) =>
                h(
                  "li",
                  {},
                  h("a", { href: `#/${env}/search?${e.query}`, "data-entry": true }, bdi(cut(e.label, 80))),
                  h("span", { class: "n" }, number(Number(e.total) || 0)),
                ),
              ),
            ),
            h(
              "button",
              {
                type: "button",
                onclick: () => {
                  forget(env);
                  drawHistory();
                  history.querySelector("summary").focus();
                },
              },
              "Forget all",
            ),
          ],
    );
  }

  const labelOf = () =>
    byHand
      ? body.value.replace(/\s+/g, " ")
      : [
          form.q,
          ...form.conditions.map(([path, op, value]) =>
            `${path} ${operators.find((o) => o[0] === op)?.[1] || op} ${value}`.trim(),
          ),
          ...form.picks.map((p) => p.join(": ")),
        ]
          .filter(Boolean)
          .join(", ") || shownQuery;

  function showForm(params) {
    if (!byHand) {
      form = formOf(params);
      box.value = form.q;
      conditions.draw(form);
    }
    el.classList.toggle("by-hand", byHand);
    note.hidden = !byHand;
    conditions.el.hidden = byHand;
    if (history.contains(document.activeElement)) history.querySelector("summary").focus();
    history.open = false;
    drawHistory();
  }

  return {
    el,
    title: () => (form.q && !byHand ? `${cut(form.q, 40)} · Search` : "Search"),
    async update(route) {
      const params = new URLSearchParams(route.query);
      const turn = ++updates;
      shownQuery = route.query;
      byHand = params.has("body");
      dirty = false;
      showForm(params); // at once: later it would replace what the user is typing
      known = await fields(env).catch(() => []);
      if (turn !== updates || dirty) return;
      fill(
        paths,
        known.map((f) => h("option", { value: f.path })),
      );
      body.value = byHand ? params.get("body") : printed(bodyOf(form, known));
      await run();
    },
    async refresh() {
      known = await fields(env).catch(() => known);
      if (!dirty) await run(true);
    },
  };
}

// The body without comments, for the hints: they read strict JSON.
function plainJSON(text) {
  try {
    return pretty(parse(text));
  } catch {
    return "{}";
  }
}

// The strings of a body, to be marked in results.
const quoted = (text) => [...text.matchAll(/"(?:query|value)"\s*:\s*"([^"\\]*)"/g)].map((m) => m[1]).join(" ");
