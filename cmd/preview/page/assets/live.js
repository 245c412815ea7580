// For pages in development: reloads them after a build, and shows the first error of a failed one.
//   <script src="http://127.0.0.1:8080/-/live.js"></script>
(() => {
  "use strict";
  const script = document.currentScript;
  if (!script || !script.src || typeof EventSource === "undefined" || window.contentedgeLive) return;
  window.contentedgeLive = true; // two tags are one
  const origin = new URL(script.src).origin;
  let build; // that the page shows: unknown at first, null if the first one told had failed
  let panel;
  let source = null;
  let retry = 500;

  // A hidden page frees its connection (browsers have six a host); the state tells what it missed.
  function open() {
    if (document.hidden || source) return;
    source = new EventSource(`${origin}/-/events`);
    const on = (name, read) => source.addEventListener(name, (event) => read(JSON.parse(event.data)));
    source.onopen = () => {
      retry = 500;
    };
    source.onerror = () => {
      if (source?.readyState !== EventSource.CLOSED) return;
      source = null;
      setTimeout(open, retry);
      retry = Math.min(2 * retry, 5000);
    };
    on("state", (state) => state.build && (state.build.phase === "failed" ? show(state.build) : served(state.build)));
    on("built", served);
    on("failed", show);
    on("reset", () => location.reload());
  }

  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) return open();
    source?.close();
    source = null;
  });

  function served(next) {
    const stale = build !== undefined && build !== next.build;
    build = next.build;
    hide();
    if (stale) location.reload();
  }

  function hide() {
    if (panel) panel.remove();
    panel = undefined;
  }

  function line(parent, tag, className, text) {
    const el = document.createElement(tag);
    el.className = className;
    el.textContent = text;
    parent.append(el);
    return el;
  }

  // A shadow root keeps the site's styles out; text nodes keep content from being markup. A style
  // sheet object passes where the site forbids inline styles.
  function show(failed) {
    if (build === undefined) build = null;
    hide();
    panel = document.createElement("contentedge-error");
    const root = panel.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets = [sheet];
    const box = line(root, "div", "box", "");
    box.setAttribute("role", "alert");
    const errors = failed.diagnostics.filter((d) => d.severity === "error");
    const first = errors[0] || { message: "The build failed." };
    line(
      box,
      "p",
      "head",
      `The content cannot be built${failed.errors > 1 ? `: the first of ${failed.errors} problems` : ""}`,
    );
    if (first.file) line(box, "p", "file", first.line ? `${first.file}:${first.line}:${first.column}` : first.file);
    line(box, "p", "message", first.message);
    if (first.hint) line(box, "p", "hint", `hint: ${first.hint}`);
    if (first.source && first.source.length) {
      const pre = line(box, "pre", "source", "");
      for (const s of first.source)
        line(pre, "span", s.marked ? "marked" : "", `${String(s.line).padStart(5)}  ${s.text}\n`);
    }
    line(box, "button", "close", "Close").addEventListener("click", hide);
    document.documentElement.append(panel);
  }

  const css = `
    :host { all: initial; position: fixed; inset: 0; z-index: 2147483647; overflow: auto; background: rgb(10 14 20 / 60%); font: 15px/1.5 system-ui, sans-serif; color: #e6e9ef; }
    .box { position: relative; max-width: 52rem; margin: 8vh auto; padding: 1.25rem 1.5rem; background: #161b24; border-top: 4px solid #f2726f; border-radius: 6px; overflow-wrap: anywhere; unicode-bidi: isolate; }
    p { margin: 0 0 .5rem; }
    .head { color: #ff9c99; font-weight: 600; padding-right: 5rem; }
    .file, .source { font-family: ui-monospace, monospace; font-size: 13px; }
    .hint { color: #9aa5b8; }
    .source { margin: .75rem 0 0; padding: .75rem; background: #0d1118; border-radius: 4px; white-space: pre-wrap; }
    .source span { display: block; unicode-bidi: isolate; }
    .marked { background: #4a1f22; }
    .close { position: absolute; top: 1rem; right: 1rem; font: inherit; color: inherit; background: #2a3240; border: 1px solid #465063; border-radius: 4px; padding: .1rem .7rem; cursor: pointer; }
  `;
  open();
})();
