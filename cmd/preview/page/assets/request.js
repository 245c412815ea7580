// A request above its results: what was sent, what came back, and what had no effect.

import { bytes, copyButton, cut, fill, h, millis } from "./dom.js";

const shell = (text) => `'${text.replaceAll("'", "'\\''")}'`;

// Without these options curl reads brackets of the address as patterns, and @ of a body as a file.
export const asCurl = (url, body) =>
  `curl --globoff ${shell(url)}${body === undefined ? "" : ` -H 'Content-Type: application/json' --data-raw ${shell(body)}`}`;

export function asFetch(url, body) {
  if (body === undefined)
    return `const response = await fetch(${JSON.stringify(url)});\nconst { data, totalItems } = await response.json();`;
  return `const response = await fetch(${JSON.stringify(url)}, {\n  method: "POST",\n  headers: { "Content-Type": "application/json" },\n  body: ${JSON.stringify(body)},\n});\nconst { data, totalItems } = await response.json();`;
}

/** The bar of a request. With onQuery the query can be edited in place. show({url, body}) says
 * what is sent, done(result) what came back, hints(list) what a reader should know. */
export function requestBar({ label = "Request", onQuery } = {}) {
  let sent = { url: "", body: undefined };
  const absolute = () => location.origin + sent.url;
  const line = h("div", { class: "request-line" });
  const input =
    onQuery &&
    h("input", {
      type: "text",
      class: "query",
      spellcheck: "false",
      autocomplete: "off",
      "aria-label": "Query of the request",
      onkeydown: (e) => {
        if (e.key === "Enter") {
          e.preventDefault();
          onQuery(input.value);
        }
      },
    });
  const outcome = h("span", { class: "outcome" });
  const notes = h("ul", { class: "hints", "aria-label": "Hints" });
  const buttons = h(
    "span",
    { class: "copies", role: "group", "aria-label": "Copy the request" },
    h("span", { class: "copies-label", "aria-hidden": "true" }, "copy"),
    copyButton("URL", absolute, "Copy the URL"),
    copyButton("curl", () => asCurl(absolute(), sent.body), "Copy as curl"),
    copyButton("fetch", () => asFetch(absolute(), sent.body), "Copy as fetch"),
  );
  const el = h(
    "section",
    { class: "request", "aria-label": label },
    h("div", { class: "request-row" }, line, h("div", { class: "request-end" }, buttons, outcome)),
    notes,
  );
  return {
    el,
    show(request) {
      sent = request;
      const [path, query] = request.url.split(/\?(.*)/s);
      if (input && document.activeElement !== input) input.value = query || "";
      fill(
        line,
        h("b", { class: "method" }, request.body === undefined ? "GET" : "POST"),
        " ",
        h("code", {}, path, input ? "?" : query !== undefined && `?${query}`),
        input,
      );
    },
    done(result) {
      fill(
        outcome,
        h("span", { class: result.error ? "status bad" : "status" }, result.status || "no answer"),
        " ",
        h("span", {}, millis(result.took)),
        " ",
        h("span", {}, bytes(result.bytes)),
      );
    },
    hints(list) {
      fill(
        notes,
        list.map((x) => h("li", {}, x)),
      );
    },
  };
}

/** Hints in words: parameters that are ignored, fields that no item has. */
export function inWords(found) {
  const code = (name) => h("code", {}, h("bdi", {}, cut(name, 100)));
  const meant = (x) => x.meant && [" Did you mean ", code(x.meant), "?"];
  return [
    ...(found.ignored || []).map((x) => [code(x.name), " is not a parameter of this request: it is ignored.", meant(x)]),
    ...(found.unknownFields || []).map((x) =>
      x.leftOut
        ? [code(x.name), " is left out of the search", x.leftOut !== x.name && [", with all of ", code(x.leftOut)], ": see search in _environment.yaml."]
        : ["No item has the field ", code(x.name), ".", meant(x)],
    ),
  ];
}

export function problem(error, ...more) {
  return h(
    "div",
    { class: "problem", role: "alert" },
    h("p", {}, h("b", {}, "The request is refused: "), h("bdi", {}, cut(error.message, 1000))),
    h(
      "p",
      { class: "quiet" },
      h("code", {}, error.code),
      error.parameter && [" in ", h("code", {}, cut(error.parameter, 200))],
      error.position !== undefined && ` at byte ${error.position}`,
    ),
    more,
  );
}
