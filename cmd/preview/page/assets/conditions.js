// The conditions of a search's form, its order and its size.

import { h, refill } from "./dom.js";
import { operators } from "./body.js";
import { limit } from "./interface.js";

const takesValue = (op) => operators.find(([name]) => name === op)?.[2];

/** The form. draw(form) shows a state; onApply gets changes: conditions, sort, asc and size. */
export function conditionForm(onApply) {
  const el = h("form", {
    class: "conditions",
    "aria-label": "Conditions",
    onsubmit: (e) => {
      e.preventDefault();
      send();
    },
  });

  function draw(form) {
    const rows = form.conditions.length ? form.conditions : [["", "match", ""]];
    refill(
      el,
      rows.map(row),
      h(
        "div",
        { class: "condition-tools" },
        h(
          "button",
          {
            type: "button",
            id: "add-condition",
            onclick: (e) => {
              const next = row(["", "match", ""], el.querySelectorAll(".condition").length);
              e.target.parentElement.before(next);
              next.querySelector("input").focus();
            },
          },
          "Add a condition",
        ),
        sortFields(form),
        h("button", { type: "submit" }, "Apply"),
      ),
    );
  }

  function row([path, op, value], i) {
    const field = h("input", {
      type: "text",
      class: "c-path",
      id: `c-path-${i}`,
      list: "search-paths",
      value: path,
      placeholder: "field",
      "aria-label": `Field of condition ${i + 1}`,
      autocomplete: "off",
      spellcheck: "false",
    });
    const text = h("input", {
      type: "text",
      class: "c-value",
      id: `c-value-${i}`,
      value: value || "",
      placeholder: "value",
      "aria-label": `Value of condition ${i + 1}`,
      autocomplete: "off",
      spellcheck: "false",
    });
    const select = h(
      "select",
      {
        class: "c-op",
        id: `c-op-${i}`,
        "aria-label": `Condition ${i + 1}`,
        onchange: () => {
          text.hidden = !takesValue(select.value);
        },
      },
      operators.map(([name, label]) => h("option", { value: name }, label)),
    );
    select.value = takesValue(op) === undefined ? "match" : op;
    text.hidden = !takesValue(select.value);
    return h(
      "div",
      { class: "condition" },
      field,
      select,
      text,
      h(
        "button",
        {
          type: "button",
          class: "plain",
          "aria-label": `Remove condition ${i + 1}`,
          onclick: () => remove(i),
        },
        "×",
      ),
    );
  }

  // The next condition takes the place of the one that goes, and its number; so does the focus.
  function remove(i) {
    const state = read();
    state.conditions.splice(i, 1);
    draw(state);
    const rows = el.querySelectorAll(".condition");
    rows[Math.min(i, rows.length - 1)].querySelector(state.conditions.length ? "button" : "input").focus();
    send();
  }

  function sortFields(form) {
    const sort = h("input", {
      type: "text",
      id: "search-sort",
      list: "search-paths",
      value: form.sort,
      placeholder: "relevance",
      "aria-label": "Sort by",
      autocomplete: "off",
      spellcheck: "false",
    });
    const order = h(
      "select",
      { id: "search-order", "aria-label": "Order" },
      h("option", { value: "" }, "descending"),
      h("option", { value: "true" }, "ascending"),
    );
    order.value = form.asc ? "true" : "";
    const size = h("input", {
      type: "number",
      id: "search-size",
      min: 1,
      max: limit.size,
      value: form.size,
      "aria-label": "Hits a page",
    });
    return [h("label", {}, "Sort ", sort), order, h("label", {}, "Size ", size)];
  }

  function read() {
    const value = (id) => el.querySelector(`#${id}`)?.value.trim() || "";
    const conditions = [...el.querySelectorAll(".condition")].map((line) => {
      const op = line.querySelector(".c-op").value;
      const text = takesValue(op) ? line.querySelector(".c-value").value : "";
      return [line.querySelector(".c-path").value.trim(), op, text];
    });
    return {
      conditions,
      sort: value("search-sort"),
      asc: value("search-order") === "true",
      size: Number(value("search-size")) || 10,
    };
  }

  function send() {
    const state = read();
    const conditions = state.conditions.filter(([path, op, text]) => path && (text !== "" || !takesValue(op)));
    onApply({ ...state, conditions });
  }

  return { el, draw };
}
