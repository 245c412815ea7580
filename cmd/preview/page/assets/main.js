// The frame of the page: which part is shown, what the server tells, keys for all parts.

import { announce, bytes, count, empty, fill, h, millis, onChoice, refill, rove } from "./dom.js";
import { api, follow } from "./server.js";
import { failure, refused, viewBar } from "./view.js";

const byId = (id) => document.getElementById(id);
const main = byId("main");

/** What the server told last; parts read it. */
const site = { state: null, builds: 0 };

const modules = {
  home: "./content.js",
  items: "./content.js",
  item: "./item.js",
  search: "./search.js",
  fields: "./fields.js",
  reference: "./reference.js",
  builds: "./builds.js",
};
const parts = [
  ["items", "Content"],
  ["search", "Search"],
  ["fields", "Fields"],
  ["reference", "Interface"],
  ["builds", "Build"],
];

let shown = null; // {key, part}
let showing = 0;
let toBox = false; // the part that comes is shown for its search box

/** What an address after # means. Environments cannot be named "-". */
function routeOf(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const names = path.split("/").map(decoded);
  if (!names[0]) return { name: "home", query };
  if (names[0] === "-") return { name: "builds", number: Number(names[2]) || 0, query };
  const name = Object.hasOwn(modules, names[1]) && names[1] !== "home" ? names[1] : "items";
  if (name === "items" && names[2]) return { name: "item", env: names[0], id: names[2], query };
  return { name, env: names[0], query };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Reports whether a part has something to show: builds have before the first good one. */
const showable = (route) => site.state.ready || (route.name === "builds" && site.state.build);

const keyOf = (route) => [route.name, route.env, route.name === "item" && route.id].join(" ");

const environment = () => routeOf(location.hash).env || remembered || site.state?.environments[0]?.id;
let remembered = null;

async function show() {
  const { hash } = location;
  const route = routeOf(hash);
  const turn = ++showing;
  if (route.env) remembered = route.env;
  frame(route);
  if (!site.state) return;
  if (!showable(route)) return replace(null, notReady());
  if (route.env && !site.state.environments.some((e) => e.id === route.env)) {
    return replace(null, empty(`There is no environment ${route.env}`, h("a", { href: "#/" }, "All environments")));
  }
  const key = keyOf(route);
  if (shown?.key !== key) {
    const module = await import(modules[route.name]).catch(() => null);
    if (turn !== showing) return;
    if (!module) return replace(null, unreachable());
    const part = module[route.name](site, route);
    shown?.part.leave?.();
    shown = { key, part };
    fill(main, part.el);
    window.scrollTo(0, 0);
    if (moved) (toBox && searchBox() ? reveal(searchBox()) : main).focus({ preventScroll: true });
  }
  toBox = false;
  moved = true;
  const { part } = shown;
  await part.update(route);
  document.title = `${part.title(route)} · Preview`;
  main.dataset.shown = hash;
}
let moved = false; // the first part takes no focus

function replace(key, ...children) {
  shown?.part.leave?.();
  shown = null;
  fill(main, ...children);
  main.dataset.shown = location.hash;
}

let unloaded = false; // a part could not be loaded

/** A part whose files cannot be had. Browsers do not ask for a module again: the page does, whole. */
function unreachable() {
  unloaded = true;
  const again = () => api("state").then(
    () => location.reload(),
    () => announce("Preview still does not answer"),
  );
  return empty(
    "This part cannot be loaded",
    "Preview does not answer. The part appears as soon as it does.",
    h("button", { type: "button", id: "try-again", onclick: again }, "Try again"),
  );
}

function notReady() {
  const failed = site.state.build?.phase === "failed";
  return empty(
    failed ? "No build has succeeded yet" : "The first build is running",
    failed
      ? "What is wrong stands above; this page shows the content as soon as a build succeeds."
      : "This page shows the content as soon as it is built.",
  );
}

function frame(route) {
  const env = environment();
  const address = {
    items: `#/${env}/items`,
    search: `#/${env}/search`,
    fields: `#/${env}/fields`,
    reference: `#/${env}/reference`,
    builds: "#/-/builds",
  };
  const current = { home: "items", item: "items" }[route.name] || route.name;
  refill(
    byId("parts"),
    parts.map(([name, label]) =>
      h(
        "a",
        { href: env || name === "builds" ? address[name] : "#/", "aria-current": name === current ? "page" : null },
        label,
      ),
    ),
  );
  const select = byId("env");
  const ids = site.state ? site.state.environments.map((e) => e.id) : [];
  if (ids.join() !== [...select.options].map((o) => o.value).join())
    fill(
      select,
      ids.map((id) => h("option", { value: id }, id)),
    );
  select.value = env || "";
  select.disabled = ids.length === 0;
  if (site.state)
    byId("memory").textContent =
      `memory ${bytes(site.state.memory.process)}, of it content ${bytes(site.state.memory.kept)}`;
}

let refreshing = null;
let again = false;
let newest; // changes that the next refresh shows

/** Reads the state and updates the shown part; requests meanwhile are done once, afterwards. */
function refresh(changes) {
  newest = changes || newest;
  again = true;
  refreshing ||= (async () => {
    while (again) {
      again = false;
      const shownChanges = newest;
      newest = undefined;
      await refreshOnce(shownChanges);
    }
  })().finally(() => {
    refreshing = null;
  });
  return refreshing;
}

async function refreshOnce(changes) {
  try {
    site.state = await api("state");
  } catch {
    return; // the connection says so, and the state comes with the next one
  }
  drawView();
  drawNotices();
  const route = routeOf(location.hash);
  if (shown?.key === keyOf(route) && showable(route) && !routeGone()) {
    frame(route);
    await shown.part.refresh(changes);
  } else await show();
}

const routeGone = () => {
  const { env } = routeOf(location.hash);
  return env && !site.state.environments.some((e) => e.id === env);
};

const bar = viewBar(byId("view"), async (view) => {
  await api("view", view);
  await refresh();
});
const drawView = () => bar.show(site.state);

function drawNotices() {
  failure(byId("failure"), site.state.build);
  refused(byId("refused"), site.state.refusedOrigins);
}

function told(name, data) {
  if (name === "state") {
    const first = !site.state;
    site.state = data;
    drawView();
    drawNotices();
    return first ? show() : refresh();
  }
  if (name === "building") return live("building", "building");
  if (name === "built" || name === "failed") live("live", "live");
  if (name === "built") {
    announce(`Build ${data.number}: ${count(data.items, "item")} in ${millis(data.tookMillis)}`);
    return refresh(data.changes);
  }
  if (name === "failed") {
    if (site.state) site.state.build = data;
    failure(byId("failure"), data);
    return site.state?.ready && shown?.part.built ? shown.part.built() : !site.state?.ready && refresh();
  }
  if (name === "reset" || name === "view" || name === "refused") return refresh();
}

function live(state, text) {
  byId("live").dataset.state = state;
  byId("live-text").textContent = text;
}

function reveal(el) {
  const fold = el.closest("details");
  if (fold) fold.open = true;
  return el;
}

const searchBox = () => main.querySelector("[data-search]");

const typing = (el) => el.matches("input:not([type=checkbox]):not([type=radio]), textarea, select");

/** Keys for all parts: / goes to the search, arrows move in lists. */
function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.key === "/" && !typing(event.target)) {
    event.preventDefault();
    const box = searchBox();
    if (box) return reveal(box).focus();
    toBox = Boolean(environment());
    if (toBox) location.hash = `#/${environment()}/search`;
    return;
  }
  const menu = event.target.closest("details.menu[open]");
  if (event.key === "Escape" && menu) {
    menu.open = false;
    return menu.querySelector("summary").focus();
  }
  if (event.key === "Escape" && typing(event.target) && main.contains(event.target)) return event.target.blur();
  const list = event.target.closest("[data-list]");
  if (!list || typing(event.target)) return;
  const entries = [...list.querySelectorAll("[data-entry]")].filter((el) => el.offsetParent);
  const at = entries.indexOf(event.target.closest("[data-entry]"));
  const next = {
    ArrowDown: at + 1,
    ArrowRight: list.dataset.list === "row" ? at + 1 : undefined,
    ArrowUp: at - 1,
    ArrowLeft: list.dataset.list === "row" ? at - 1 : undefined,
    Home: 0,
    End: entries.length - 1,
  }[event.key];
  if (next === undefined || !entries[next]) return;
  event.preventDefault();
  entries[next].focus();
}

function switchTheme() {
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const now = document.documentElement.dataset.theme || system;
  const next = now === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  try {
    localStorage.setItem("preview:theme", next);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  announce(`${next} theme`);
}

/** Menus close when the focus or a click goes elsewhere. */
function leaveMenus({ target }) {
  for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(target)) menu.open = false;
}

addEventListener("hashchange", show);
addEventListener("keydown", onKey);
addEventListener("pointerdown", leaveMenus);
addEventListener("focusin", (e) => {
  leaveMenus(e);
  const list = e.target.matches("[data-entry]") && e.target.closest("[data-rove]");
  if (list) rove(list, e.target);
});
byId("skip").addEventListener("click", (e) => {
  e.preventDefault();
  main.focus();
});
byId("theme").addEventListener("click", switchTheme);
onChoice(byId("env"), (env) => {
  const { name } = routeOf(location.hash);
  location.hash = `#/${env}/${name === "search" || name === "fields" ? name : "items"}`;
});

let connected = null; // not known before the first answer

function connection(state) {
  live(state === "live" && site.state?.building ? "building" : state, state === "live" ? "live" : "reconnecting");
  const now = state === "live";
  if (now && connected === false && unloaded) return location.reload();
  if (connected !== null && connected !== now)
    announce(now ? "Connected to preview again" : "The connection to preview is lost; the page tries again");
  connected = now;
}

follow({ on: told, connection });
