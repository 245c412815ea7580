// The last builds: how they went, what was wrong, what each of them changed.

import { bdi, bytes, copyButton, count, cut, empty, few, fill, h, millis, number, refill, time } from "./dom.js";
import { api } from "./server.js";
import { diagnostic } from "./view.js";

export function builds(site) {
  const list = h("div", {});
  const detail = h("section", { class: "build-detail", "aria-label": "Build" });
  const el = h(
    "div",
    { class: "page" },
    h("h1", {}, "Build"),
    h("div", { class: "build-columns" }, h("div", {}, list, liveHelp()), detail),
  );
  let wanted = 0;

  async function load() {
    let all;
    try {
      all = await api("builds");
    } catch (error) {
      return fill(list, h("p", { class: "problem", role: "alert" }, error.message));
    }
    if (all.length === 0) return fill(list, empty("No build yet"));
    const chosen = all.find((b) => b.number === wanted) ? wanted : all[0].number;
    refill(list, table(all, chosen));
    const build = await api(`builds/${chosen}`).catch(() => all.find((b) => b.number === chosen));
    refill(detail, about(build));
  }

  const table = (all, chosen) =>
    h(
      "table",
      { class: "grid", "data-list": true },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ["Build", "When", "Took", "Items", "Files", "Bytes"].map((name, i) =>
            h("th", { class: i > 1 ? `num${i > 2 ? " wide" : ""}` : null }, name),
          ),
        ),
      ),
      h(
        "tbody",
        {},
        all.map((b) =>
          h(
            "tr",
            { class: b.number === chosen ? "chosen" : null },
            h(
              "td",
              {},
              h(
                "a",
                {
                  href: `#/-/builds/${b.number}`,
                  "data-entry": true,
                  "aria-current": b.number === chosen ? "true" : null,
                },
                number(b.number),
              ),
              " ",
              phase(b),
            ),
            h("td", {}, time(b.at, true)),
            h("td", { class: "num" }, millis(b.tookMillis)),
            [b.items, b.files].map((n) => h("td", { class: "num wide" }, b.phase === "built" ? number(n) : "")),
            h("td", { class: "num wide" }, b.phase === "built" ? bytes(b.bytes) : ""),
          ),
        ),
      ),
    );

  return {
    el,
    title: () => "Build",
    async update(route) {
      wanted = route.number;
      await load();
    },
    refresh: load,
    built: load,
  };
}

const phase = (b) =>
  h(
    "span",
    { class: "phase", "data-phase": b.phase },
    b.phase === "failed" ? "failed" : b.unchanged ? "unchanged" : "built",
  );

function about(b) {
  const as =
    b.view &&
    (b.view.as === "visitor"
      ? ["for visitors: ", (b.view.statuses || []).join(", "), b.view.at && [" as of ", time(b.view.at)]]
      : "for editors");
  return [
    h("h2", {}, `Build ${number(b.number)} `, phase(b)),
    h(
      "p",
      { class: "quiet" },
      time(b.at, true),
      ` in ${millis(b.tookMillis)}`,
      as && [", ", as],
      b.build && [", ", h("code", {}, b.build)],
    ),
    diagnostics(b),
    b.phase === "built" && changes(b),
  ];
}

function diagnostics(b) {
  if (b.diagnostics.length === 0) return b.phase === "built" && h("p", {}, "Nothing is wrong with the content.");
  return h(
    "section",
    {},
    h("h3", {}, "Diagnostics", " ", h("small", {}, number(b.diagnosticsTotal))),
    few(b.diagnostics, 30, diagnostic),
    left(b.diagnostics, b.diagnosticsTotal),
  );
}

const left = (list, total) =>
  total > list.length && h("p", { class: "quiet" }, `and ${count(total - list.length, "more", "more")}`);

function changes(b) {
  const { items = [], itemsTotal = 0, addresses = [], addressesTotal = 0, purgeKeys = [] } = b.changes || {};
  if (itemsTotal === 0 && addressesTotal === 0)
    return h(
      "section",
      {},
      h("h3", {}, "Changes"),
      h("p", { class: "quiet" }, "No item and no address differs from the build before."),
    );
  const item = (c) =>
    h(
      "li",
      {},
      h("span", { class: "change", "data-change": c.change }, c.change),
      " ",
      c.change === "removed"
        ? bdi(cut(c.name || c.id, 200))
        : h(
            "a",
            { href: `#/${c.environment}/items/${encodeURIComponent(c.id)}`, "data-entry": true },
            bdi(cut(c.name || c.id, 200)),
          ),
      " ",
      h("span", { class: "quiet" }, c.environment),
    );
  const code = (text) => h("li", {}, h("code", {}, bdi(cut(text, 300))));
  return [
    h(
      "section",
      {},
      h("h3", {}, "Items", " ", h("small", {}, number(itemsTotal))),
      h("ul", { class: "plain-list", "data-list": true }, items.length > 0 && few(items, 30, item)),
      left(items, itemsTotal),
    ),
    h(
      "details",
      { open: addresses.length <= 12 },
      h("summary", {}, `Addresses (${number(addressesTotal)})`),
      h("ul", { class: "plain-list" }, addresses.length > 0 && few(addresses, 100, code)),
      left(addresses, addressesTotal),
    ),
    h(
      "details",
      { open: purgeKeys.length <= 12 },
      h("summary", {}, `Purge keys (${number(purgeKeys.length)})`),
      h("p", { class: "copies" }, copyButton("copy", purgeKeys.join("\n"), "Copy the purge keys")),
      h("ul", { class: "plain-list" }, purgeKeys.length > 0 && few(purgeKeys, 100, code)),
    ),
  ];
}

function liveHelp() {
  const tag = `<script src="${location.origin}/-/live.js"></script>`;
  return h(
    "section",
    { class: "card" },
    h("h2", {}, "Live reload for your site"),
    h(
      "p",
      {},
      "Add this line to the pages of the site that you develop. They reload after each build, and show the first error of a failed one.",
    ),
    h("pre", { class: "tag-line" }, h("code", {}, tag)),
    h("p", { class: "copies" }, copyButton("copy", tag, "Copy the script tag")),
    h(
      "p",
      { class: "quiet" },
      "Sites on localhost may use it; others need ",
      h("code", {}, "--cors-origin"),
      ". Leave it out of what you publish.",
    ),
  );
}
