// An editor for a search's body: a textarea over a coloured copy, with line numbers and a mark.

import { fill, h } from "./dom.js";
import { coloured, place } from "./json.js";

const maxLines = 10000; // with a number in the gutter

/** onRun is called for Ctrl+Enter, onEdit after each change by hand. */
export function editor({ label, onRun, onEdit }) {
  const gutter = h("pre", { class: "gutter", "aria-hidden": "true" });
  const paint = h("pre", { class: "paint", "aria-hidden": "true" });
  const marks = h("pre", { class: "marks", "aria-hidden": "true" });
  const area = h("textarea", {
    class: "area",
    spellcheck: "false",
    autocomplete: "off",
    autocapitalize: "off",
    wrap: "off",
    "aria-label": label,
  });
  const el = h("div", { class: "editor" }, gutter, h("div", { class: "code" }, paint, marks, area));
  let markedLine = 0;

  function draw() {
    fill(paint, coloured(area.value), "\n");
    const lines = area.value.split("\n").length;
    fill(
      gutter,
      Array.from({ length: Math.min(lines, maxLines) }, (_, i) => [
        i + 1 === markedLine ? h("b", {}, i + 1) : i + 1,
        "\n",
      ]),
    );
  }

  function unmark() {
    markedLine = 0;
    fill(marks);
    area.removeAttribute("aria-invalid");
    area.removeAttribute("aria-describedby");
  }

  area.addEventListener("input", () => {
    unmark();
    draw();
    onEdit();
  });
  area.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    onRun();
  });

  return {
    el,
    area,
    get value() {
      return area.value;
    },
    set value(text) {
      if (text === area.value) return;
      area.value = text;
      unmark();
      draw();
    },
    /** Marks an error. Returns {line, column, go}, go moves the caret there; null: no place. */
    mark(error, describedBy) {
      unmark();
      const text = area.value;
      const at = error && place(text, error);
      if (!at) return draw() ?? null;
      const before = text.slice(0, at.start);
      markedLine = before.split("\n").length;
      const atEnd = text.slice(at.start, at.end).trim() === "";
      fill(marks, before, h("mark", { class: atEnd ? "gap" : null }, atEnd ? " " : text.slice(at.start, at.end)));
      area.setAttribute("aria-invalid", "true");
      area.setAttribute("aria-describedby", describedBy);
      draw();
      const go = () => {
        area.focus();
        area.setSelectionRange(at.start, at.end);
      };
      return { line: markedLine, column: before.length - before.lastIndexOf("\n"), go };
    },
  };
}
