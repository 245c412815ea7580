// Loads the page again every few seconds and takes over its sections. What the reader opened stays
// open, and a section that has the focus or a selection stays as it is.
"use strict";

const interval = 5000;
let paused = false;

const button = document.createElement("button");
button.type = "button";
const state = document.createElement("span");
button.addEventListener("click", () => {
  paused = !paused;
  show();
});
function show(trouble) {
  button.textContent = paused ? "Update again" : "Pause updates";
  state.textContent = trouble ? " The node does not answer: these figures are old. " : "";
}
document.querySelector("#refresh").replaceChildren(button, state);
show();

function busy(part) {
  const selection = getSelection();
  return part.contains(document.activeElement) || (!selection.isCollapsed && selection.containsNode(part, true));
}

function takeOver(next) {
  document.title = next.title;
  document.querySelector(".at time").replaceWith(next.querySelector(".at time"));
  const main = document.querySelector("main");
  for (const part of [...main.children]) {
    if (!next.getElementById(part.id)) part.remove();
  }
  let before = null;
  for (const part of [...next.querySelector("main").children]) {
    const old = document.getElementById(part.id);
    if (old && (busy(old) || old.innerHTML === part.innerHTML)) {
      before = old;
      continue;
    }
    for (const open of old ? old.querySelectorAll("details[open]") : []) {
      part.querySelector("#" + open.id)?.setAttribute("open", "");
    }
    if (old) old.replaceWith(part);
    else if (before) before.after(part);
    else main.prepend(part);
    before = part;
  }
}

async function update() {
  if (paused || document.hidden) return;
  try {
    const response = await fetch("/", { signal: AbortSignal.timeout(interval) });
    if (!response.ok) throw new Error(response.status);
    takeOver(new DOMParser().parseFromString(await response.text(), "text/html"));
    show();
  } catch {
    show(true);
  }
}
setInterval(update, interval);
document.addEventListener("visibilitychange", update);
