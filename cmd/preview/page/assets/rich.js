// Rich text and images of other hosts, each in a frame of its own: no script, no origin, no request without a click.

import { cut, h } from "./dom.js";

const shown = new Map(); // by environment and field: "rendered" or "source", as the user chose

/** The address of the document of a value. */
export function frameURL(env, id, at, as, more = {}) {
  const query = new URLSearchParams({ at, ...(as && { as }), ...more });
  const { theme } = document.documentElement.dataset;
  if (theme) query.set("theme", theme);
  return `/-/frame/${env}/${encodeURIComponent(id)}?${query}`;
}

const least = 5; // rem, as are the next two
const most = 34;
const line = 2.3;

/** A frame that is as high as its text, about. */
export function frame(url, label, lines) {
  const el = h("iframe", {
    class: "rich-frame",
    title: label,
    sandbox: "allow-popups allow-popups-to-escape-sandbox",
    referrerpolicy: "no-referrer",
    loading: "lazy",
    src: url,
  });
  el.style.blockSize = `${Math.min(most, Math.max(least, (lines + 2) * line))}rem`;
  return el;
}

/** A text with the choice between what readers see and what is written. source makes the latter. */
export function rich({ env, id, path, field, text, source }) {
  const key = `${env} ${field}`;
  const body = h("div", {});
  const buttons = ["rendered", "source"].map((mode) =>
    h(
      "button",
      {
        type: "button",
        "data-key": `${mode} ${path}`,
        "aria-label": `${cut(path, 100)}: ${mode}`,
        onclick: () => {
          shown.set(key, mode);
          draw(mode);
        },
      },
      mode === "rendered" ? "Rendered" : "Source",
    ),
  );
  function draw(mode) {
    buttons.forEach((b, i) => b.setAttribute("aria-pressed", (mode === "rendered") === (i === 0)));
    body.replaceChildren(
      ...[mode === "rendered" ? frame(frameURL(env, id, text.at, text.as), `${cut(path, 100)}, rendered`, text.lines) : source()].flat(),
    );
  }
  draw(shown.get(key) || (text.as ? "source" : "rendered"));
  return h("div", { class: "rich" }, h("p", { class: "rich-bar" }, h("span", { class: "pressed" }, buttons), h("span", { class: "quiet" }, text.format)), body);
}

/** A button that loads an image of another host, in a frame. */
export function foreignImage(env, id, at, host) {
  const button = h("button", { type: "button", class: "more", "data-key": `load ${at}` }, `Load the image from ${cut(host, 100)}`);
  button.addEventListener("click", () => {
    const el = frame(frameURL(env, id, at, "media", { images: "all" }), "The image", 8);
    button.replaceWith(el);
    el.focus();
  });
  return button;
}

/** Frames have the theme of the page. */
new MutationObserver(() => {
  for (const el of document.querySelectorAll("iframe.rich-frame")) {
    const url = new URL(el.src);
    url.searchParams.set("theme", document.documentElement.dataset.theme);
    el.src = url.pathname + url.search;
  }
}).observe(document.documentElement, { attributeFilter: ["data-theme"] });
