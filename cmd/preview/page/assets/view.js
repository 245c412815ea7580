// What stands above every part: who the content is shown to, and why a build failed.

import { bdi, copyButton, count, cut, fill, h, refill, time } from "./dom.js";

/** The banner of the view. apply(VIEW) changes it; it throws what the server refuses. */
export function viewBar(el, apply) {
  const seen = new Set(["Published"]);
  let state = null;
  let changes = 0;
  let drawn = "";
  const problem = h("span", { class: "view-problem", role: "alert" });

  // After a change that succeeds nothing is drawn again: the user may already make the next
  // change, and a click at an element that goes meanwhile is lost.
  async function change(view) {
    const turn = ++changes;
    el.setAttribute("aria-busy", "true");
    fill(problem);
    drawn = ""; // what was chosen may not be what comes
    try {
      await apply({ ...state.view, ...view });
    } catch (error) {
      fill(problem, error.message);
      draw();
    }
    if (turn === changes) el.removeAttribute("aria-busy");
  }

  const radio = (as, label) =>
    h(
      "label",
      { class: "choice" },
      h("input", {
        type: "radio",
        name: "as",
        value: as,
        id: `as-${as}`,
        checked: state.view.as === as,
        onchange: () => change({ as }),
      }),
      h("span", {}, label),
    );

  const delivered = () => (state.view.statuses?.length ? state.view.statuses : ["Published"]);

  // A visitor's view does not tell which statuses it leaves out. One element serves all redraws: a
  // build while the user types must not take letters away.
  const other = h("input", {
    type: "text",
    id: "other-status",
    placeholder: "another status",
    "aria-label": "Another status that a visitor sees",
    onkeydown: (e) => {
      const name = other.value.trim();
      if (e.key !== "Enter" || !name) return;
      other.value = "";
      change({ statuses: [...delivered(), name] });
    },
  });

  function statuses() {
    const chosen = delivered();
    const toggle = (name, on) => change({ statuses: on ? [...chosen, name] : chosen.filter((s) => s !== name) });
    const box = (name) =>
      h(
        "label",
        {},
        h("input", {
          type: "checkbox",
          "data-key": `status-${name}`,
          checked: chosen.includes(name),
          disabled: chosen.length === 1 && chosen[0] === name,
          onchange: (e) => toggle(name, e.target.checked),
        }),
        bdi(cut(name, 60)),
      );
    return h(
      "details",
      { class: "menu", open: el.querySelector(".menu")?.open },
      h("summary", {}, chosen.map((s) => cut(s, 40)).join(", ")),
      h(
        "div",
        { class: "menu-body", role: "group", "aria-label": "Statuses that a visitor sees" },
        [...seen].map(box),
        other,
      ),
    );
  }

  function clock() {
    const input = h("input", {
      type: "datetime-local",
      id: "as-of",
      "aria-label": "Date of the view, in UTC",
      value: state.view.at ? new Date(state.view.at).toISOString().slice(0, 16) : "",
    });
    const set = () => {
      if (input.value) change({ at: `${input.value}:00Z` });
    };
    input.addEventListener("keydown", (e) => {
      if (e.key === "Enter") set();
    });
    return [
      h("label", { for: "as-of" }, "as of"),
      input,
      h("button", { type: "button", id: "as-of-set", onclick: set }, "Set"),
      state.view.at &&
        h("button", { type: "button", id: "as-of-now", "data-next": "#as-of", onclick: () => change({ at: null }) }, "Now"),
    ];
  }

  // A view without a build is not served: the release of the one before still is.
  function late() {
    const { view, served } = state;
    const key = (v) => (v.as === "visitor" ? JSON.stringify(v) : v.as);
    if (!served || key(served) === key(view)) return null;
    const what = served.as === "visitor" ? "what another view of a visitor has" : "everything, drafts too";
    return h("strong", { class: "view-problem" }, `Not in effect until a build succeeds: shown and served is ${what}.`);
  }

  const told = () => JSON.stringify([state.view, state.served, ...seen]);

  function draw() {
    drawn = told();
    const visitor = state.view.as === "visitor";
    el.dataset.as = (state.served || state.view).as;
    refill(
      el,
      h(
        "div",
        { class: "segments", role: "radiogroup", "aria-label": "Shown to" },
        radio("visitor", "Visitor"),
        radio("editor", "Editor"),
      ),
      visitor
        ? [
            h("span", { class: "view-text" }, "sees"),
            statuses(),
            h("span", { class: "clock" }, clock()),
            h(
              "span",
              { class: "quiet" },
              state.view.at ? ["published by ", time(state.view.at), " UTC"] : "published by now",
            ),
          ]
        : h(
            "span",
            { class: "view-text" },
            "Everything is shown and served, drafts and what is not yet published too.",
          ),
      late(),
      problem,
    );
  }

  return {
    show(next) {
      state = next;
      for (const env of state.environments) {
        for (const template of env.templates) Object.keys(template.statuses).forEach((s) => seen.add(s));
      }
      (state.view.statuses || []).forEach((s) => seen.add(s));
      if (told() !== drawn) draw(); // else what the user is typing stays
    },
  };
}

export function diagnostic(d) {
  const source = d.source || [];
  return h(
    "article",
    { class: "diagnostic", "data-severity": d.severity },
    h(
      "p",
      {},
      h("span", { class: "severity" }, d.severity),
      " ",
      h("code", { class: "file" }, bdi(cut(d.file, 300)), d.line ? `:${d.line}:${d.column}` : ""),
    ),
    h("p", {}, bdi(cut(d.message, 1000))),
    d.hint && h("p", { class: "quiet" }, "hint: ", bdi(cut(d.hint, 1000))),
    source.length > 0 &&
      h(
        "pre",
        { class: "source" },
        source.map((s) =>
          h(
            "span",
            { class: s.marked ? "line marked" : "line" },
            h("span", { class: "line-number" }, s.line),
            h("bdi", {}, s.text),
            "\n",
          ),
        ),
      ),
  );
}

// What is shown after a build that failed.
const stays = {
  none: "Nothing is shown until a build succeeds. ",
  partial: "The last release is shown, which lacks files. ",
  whole: "The last good build is shown. ",
};

/** Names the files that a build left out. */
const leftOut = (build) => {
  const named = build.leftOut.slice(0, 3);
  const more = build.leftOutTotal - named.length;
  return [
    h("b", {}, `Build ${build.number} left out ${count(build.leftOutTotal, "file")}: `),
    bdi(named.map((name) => cut(name, 200)).join(", ")),
    more > 0 && ` and ${count(more, "more", "more")}`,
    ". The others are shown. ",
  ];
};

/** The banner of a build that failed, or that left out files; it goes with the next good one. */
export function failure(el, build) {
  const failed = build?.phase === "failed" || build?.leftOutTotal ? `${build.number} ${build.at}` : ""; // a restarted preview counts from 1
  if (failed === (el.dataset.build || "")) return; // an alert that is drawn again is read again
  el.dataset.build = failed;
  el.hidden = !failed;
  if (!failed) return fill(el);
  const errors = build.diagnostics.filter((d) => d.severity === "error");
  refill(
    el,
    h(
      "p",
      { role: "alert" },
      build.leftOutTotal ? leftOut(build) : [h("b", {}, `Build ${build.number} failed. `), stays[build.release]],
      h("a", { href: `#/-/builds/${build.number}` }, count(build.errors, "problem")),
    ),
    errors.slice(0, 1).map(diagnostic),
  );
}

/** Says which other sites' pages asked in vain, and how they are let in. */
export function refused(el, origins) {
  if (el.dataset.origins === origins.join()) return;
  el.dataset.origins = origins.join();
  el.hidden = origins.length === 0;
  const flag = (origin) => `--cors-origin ${origin}`;
  const line = (origin) =>
    h(
      "p",
      {},
      "A page of ",
      h("b", {}, bdi(cut(origin, 200))),
      " was refused",
      origin === "null"
        ? ": a file or a sandboxed frame. Serve it over HTTP, and allow its origin."
        : [
            "; start preview with ",
            h("code", {}, bdi(cut(flag(origin), 220))),
            " ",
            copyButton("copy", flag(origin), `Copy the flag for ${cut(origin, 200)}`),
          ],
    );
  fill(el, h("div", { role: "status" }, origins.map(line)));
}
