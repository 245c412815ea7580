// Elements from values. Content is never markup: text becomes text nodes, and links are checked.

const ownAddress = /^(#|\/-\/|\/cda\/)/;

/** The address if a link to it is safe: a part of this page, or http and https. */
export function safeAddress(text) {
  if (ownAddress.test(text)) return text;
  try {
    const url = new URL(text);
    return url.protocol === "http:" || url.protocol === "https:" ? url.href : null;
  } catch {
    return null;
  }
}

/** Functions are listeners, true is an attribute without a value. */
export function h(name, props, ...children) {
  const el = document.createElement(name);
  for (const [key, value] of Object.entries(props || {})) setProp(el, key, value);
  add(el, children);
  return el;
}

function setProp(el, key, value) {
  if (value === null || value === undefined || value === false) return;
  if (typeof value === "function") el.addEventListener(key.slice(2), value);
  else if (key === "style" || key.startsWith("on")) throw new TypeError(`${key} is not an attribute of this page`);
  else if (key === "href" && safeAddress(value) === null) throw new TypeError("an unsafe address");
  else if (key === "value" || key === "checked") el[key] = value;
  else el.setAttribute(key, value === true ? "" : String(value));
}

function add(el, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    el.append(child instanceof Node ? child : String(child));
  }
}

export function fill(el, ...children) {
  el.replaceChildren();
  add(el, children);
  return el;
}

/** Replaces what is in an element; the focus stays at its data-key, address or label. Where that is
 * gone, it goes to the first element that the data-next around it names, else to the element. */
export function refill(el, ...children) {
  const active = el.contains(document.activeElement) && el !== document.activeElement ? document.activeElement : null;
  const key = active && placeOf(active);
  const at = active && alike(el, key).indexOf(active);
  const next = active?.closest("[data-next]")?.dataset.next;
  fill(el, ...children);
  el.querySelectorAll("[data-rove]").forEach((list) => rove(list));
  if (!key) return;
  const same = alike(el, key);
  focusOn(same[at] || same[0] || (next && document.querySelector(next)) || el);
}

const focusable = "a, button, input, select, textarea, summary, [tabindex]";

const alike = (el, key) => [...el.querySelectorAll(focusable)].filter((other) => placeOf(other) === key);

/** Focuses an element, also one that the Tab key passes over. */
export function focusOn(el) {
  if (!el.matches(focusable)) el.tabIndex = -1;
  el.focus({ preventScroll: true });
}

/** A long list is one stop of the Tab key: the entry last used, else the chosen one or the first.
 * Arrow keys move to the others. */
export function rove(list, stop = list.querySelector("[aria-current]") || list.querySelector("[data-entry]")) {
  for (const entry of list.querySelectorAll("[data-entry]")) entry.tabIndex = entry === stop ? 0 : -1;
}

/** Calls act when a choice is made: at once by a pointer, with Enter by keys. Arrow keys pass over
 * choices, and who leaves the list without Enter has chosen nothing. */
export function onChoice(select, act) {
  let before = null; // the value that the keys have left
  let byKeys = false;
  const choose = () => {
    before = null;
    act(select.value);
  };
  select.addEventListener("pointerdown", () => {
    byKeys = false;
  });
  select.addEventListener("keydown", (event) => {
    byKeys = event.key !== "Enter" && event.key !== " "; // these end an open list
    if (byKeys) before ??= select.value;
    if (event.key !== "Enter" || before === null || before === select.value) return;
    event.preventDefault();
    choose();
  });
  select.addEventListener("change", () => byKeys || choose());
  select.addEventListener("blur", () => {
    if (before !== null) select.value = before;
    before = null;
  });
}

const placeOf = (el) =>
  el.dataset.key || el.id || el.getAttribute("href") || el.getAttribute("aria-label") || el.textContent.slice(0, 100);

/** Text of the content: isolated, so that its writing direction stays inside. */
export const bdi = (text, cls) => h("bdi", { class: cls, dir: "auto" }, text);

export function cut(text, limit) {
  if (text.length <= limit) return text;
  const end = /[\uD800-\uDBFF]/.test(text[limit - 1]) ? limit - 1 : limit;
  return text.slice(0, end) + "…";
}

/** Text of the content, with a button for what is beyond the limit. */
export function long(text, limit = 400, cls = "text") {
  const el = bdi(cut(text, limit), cls);
  if (text.length <= limit) return el;
  const all = h(
    "button",
    {
      type: "button",
      class: "more",
      onclick: () => {
        el.textContent = text;
        all.remove();
        focusOn(el);
      },
    },
    `Show all ${count(text.length, "character")}`,
  );
  return [el, " ", all];
}

/** The first entries of a list, with a button for the others. */
export function few(entries, limit, make) {
  const first = entries.slice(0, limit).map(make);
  if (entries.length <= limit) return first;
  const more = h("button", { type: "button", class: "more" }, `Show ${count(entries.length - limit, "more", "more")}`);
  const row =
    entries[0] && first[0].tagName === "TR"
      ? h("tr", {}, h("td", { colspan: "9" }, more))
      : h(first[0].tagName === "LI" ? "li" : "div", {}, more);
  more.addEventListener("click", () => {
    const rest = entries.slice(limit).map(make);
    row.replaceWith(...rest);
    rest[0].querySelector("a, button")?.focus();
  });
  return [...first, row];
}

const plainNumber = new Intl.NumberFormat("en");
export const number = (n) => plainNumber.format(n);
export const count = (n, one, many = one + "s") => `${number(n)} ${n === 1 ? one : many}`;

export function bytes(n) {
  if (n < 1024) return `${n} B`;
  const unit = n < 1 << 20 ? [1024, "KB"] : n < 1 << 30 ? [1 << 20, "MB"] : [1 << 30, "GB"];
  const value = n / unit[0];
  return `${value.toFixed(value < 100 ? 1 : 0)} ${unit[1]}`;
}

export const millis = (n) => (n < 1000 ? `${n < 10 ? n.toFixed(1) : Math.round(n)} ms` : `${(n / 1000).toFixed(2)} s`);

/** A timestamp of the interface, without what is the same everywhere. */
export function time(iso, seconds = false) {
  if (typeof iso !== "string" || Number.isNaN(Date.parse(iso))) return h("span", { class: "none" }, "none");
  const text = new Date(iso).toISOString();
  return h(
    "time",
    { datetime: iso, title: `${iso} (UTC)` },
    `${text.slice(0, 10)} ${text.slice(11, seconds ? 19 : 16)}`,
  );
}

export const pill = (status, n) =>
  h(
    "span",
    { class: "pill", "data-status": ["Published", "Draft"].includes(status) ? status : "other" },
    bdi(cut(String(status), 60)),
    n !== undefined && [" ", h("b", {}, number(n))],
  );

export function pager(page, pages, address) {
  if (pages < 2) return null;
  const link = (to, label, rel) =>
    to >= 1 && to <= pages && to !== page
      ? h("a", { href: address(to), rel, "data-key": rel }, label)
      : h("span", { class: "off", "aria-disabled": "true" }, label);
  return h(
    "nav",
    { class: "pager", "aria-label": "Pages", "data-next": ".pager-at" },
    link(1, "First", "first"),
    link(page - 1, "Previous", "prev"),
    h("span", { class: "pager-at", tabindex: "-1" }, `page ${number(page)} of ${number(pages)}`),
    link(page + 1, "Next", "next"),
    link(pages, "Last", "last"),
  );
}

export const empty = (title, ...hints) =>
  h(
    "div",
    { class: "empty" },
    h("p", { class: "empty-title" }, title),
    hints.map((x) => h("p", {}, x)),
  );

/** A button that copies a text, or shows it selected where pages may not copy. */
export function copyButton(label, text, title) {
  const button = h(
    "button",
    { type: "button", class: "copy", title: title || `Copy ${label}`, "aria-label": title || `Copy ${label}` },
    label,
  );
  button.addEventListener("click", async () => {
    const value = typeof text === "function" ? text() : text;
    try {
      await navigator.clipboard.writeText(value);
      button.textContent = "Copied";
      announce("Copied");
      setTimeout(() => {
        button.textContent = label;
      }, 1500);
    } catch {
      showSelected(button, value);
    }
  });
  return button;
}

function showSelected(button, value) {
  const area = h("textarea", { class: "selected", readonly: true, rows: 3, value, "aria-label": "Copy this text" });
  area.addEventListener("blur", () => area.remove());
  button.closest(".request-row, p, section").after(area);
  area.focus();
  area.select();
}

/** Tells screen readers. */
export function announce(text) {
  document.getElementById("announce").textContent = text;
}
