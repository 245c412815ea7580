// The last searches of an environment, kept by the browser.

const most = 30;
const key = (env) => `preview:history:${env}`;

/** [{query, label, total}], newest first. query is the address's part after "?". */
export function past(env) {
  try {
    const list = JSON.parse(localStorage.getItem(key(env)) || "[]");
    return Array.isArray(list) ? list.filter((e) => typeof e?.query === "string" && typeof e.label === "string") : [];
  } catch {
    return [];
  }
}

export function remember(env, entry) {
  store(env, [entry, ...past(env).filter((e) => e.query !== entry.query)].slice(0, most));
}

export const forget = (env) => store(env, []);

function store(env, list) {
  try {
    localStorage.setItem(key(env), JSON.stringify(list));
  } catch {
    // Storage is full or switched off: there is no history then.
  }
}
