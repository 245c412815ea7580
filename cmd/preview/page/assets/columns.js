// The columns of lists that a user chose, for each environment. The browser keeps them.

import { announce, bdi, count, cut, fill, h, number, rove } from "./dom.js";
import { fields } from "./server.js";
import { field } from "./interface.js";

const most = 20; // columns
const listed = 200; // paths in the menu; the box finds the others
const memory = new Map(); // without storage a choice lasts as long as the page

const key = (env) => `preview:columns:${env}`;

/** The paths of the chosen columns, in the order in which they were chosen. */
export function chosenColumns(env) {
  try {
    const kept = JSON.parse(localStorage.getItem(key(env)));
    if (Array.isArray(kept)) return kept.filter((path) => typeof path === "string" && path !== "").slice(0, most);
  } catch {
    // Storage is switched off, or holds something else.
  }
  return memory.get(env) || [];
}

function choose(env, paths) {
  memory.set(env, paths);
  try {
    localStorage.setItem(key(env), JSON.stringify(paths));
  } catch {
    // The choice lasts as long as the page.
  }
}

/** A menu of the paths of Data and of members next to it. changed is called after each choice. */
export function columnMenu(env, changed) {
  const filter = h("input", { type: "search", placeholder: "Filter paths", "aria-label": "Filter paths", autocomplete: "off", spellcheck: "false" });
  const list = h("ul", { class: "column-list", "data-list": true, "data-rove": true });
  const note = h("p", { class: "quiet" });
  const el = h("details", { class: "menu columns-menu" }, h("summary", {}, "Columns"), h("div", { class: "menu-body" }, filter, list, note));
  let known = [];

  function toggle(path, on) {
    const rest = chosenColumns(env).filter((p) => p !== path);
    choose(env, on ? [...rest, path] : rest);
    announce(`${path} is ${on ? "a" : "no"} column`);
    changed();
    note.textContent = rest.length + on >= most ? `${most} columns are the most.` : "";
    if (rest.length + on >= most - 1) draw(path); // others can be chosen no more, or again
  }

  function draw(focused) {
    const wanted = filter.value.trim().toLowerCase();
    const chosen = chosenColumns(env);
    const paths = [...new Set([...chosen, ...known.map((f) => f.path)])].filter((p) => p.toLowerCase().includes(wanted));
    const items = new Map(known.map((f) => [f.path, f.items]));
    const entry = (path) => {
      const on = chosen.includes(path);
      const box = h("input", {
        type: "checkbox",
        "data-entry": true,
        "data-key": path,
        checked: on,
        disabled: !on && chosen.length >= most,
        onchange: (e) => toggle(path, e.target.checked),
      });
      return h("li", {}, h("label", {}, box, bdi(cut(path, 100))), h("span", { class: "n" }, items.has(path) ? number(items.get(path)) : "no item"));
    };
    fill(list, paths.slice(0, listed).map(entry));
    if (focused) list.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
    rove(list, focused ? document.activeElement : undefined);
    if (paths.length > listed) note.textContent = `and ${count(paths.length - listed, "more", "more")}: filter them`;
    return paths.length;
  }

  filter.addEventListener("input", () => {
    note.textContent = "";
    announce(count(draw(), "path"));
  });
  el.addEventListener("toggle", async () => {
    if (!el.open) return;
    const own = new Set(Object.keys(field));
    known = (await fields(env).catch(() => [])).filter((f) => !own.has(f.path));
    known.sort((a, b) => b.items - a.items);
    draw();
    filter.focus();
  });
  return el;
}
