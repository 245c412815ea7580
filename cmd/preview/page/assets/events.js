// The stream of the server's events. As a shared worker this file holds one stream for all tabs.

/** A stream that calls tell(name, data) for each event, and tell("connection", "live" or "lost").
 * After a closed connection the browser connects again and names the last event; after a response
 * that is not a stream it gives up, and this tries again. */
export function streamTo(tell) {
  let retry = 500;
  let source = null;
  let wanted = false;
  function connect() {
    if (!wanted || source) return;
    source = new EventSource("/-/events");
    source.onopen = () => {
      retry = 500;
      tell("connection", "live");
    };
    source.onerror = () => {
      tell("connection", "lost");
      if (source?.readyState !== EventSource.CLOSED) return;
      source = null;
      setTimeout(connect, retry);
      retry = Math.min(retry * 2, 5000);
    };
    for (const name of ["state", "reset", "view", "building", "built", "failed", "refused"]) {
      source.addEventListener(name, (event) => tell(name, JSON.parse(event.data)));
    }
  }
  return {
    open() {
      wanted = true;
      connect();
    },
    close() {
      wanted = false;
      source?.close();
      source = null;
    },
  };
}

if (typeof SharedWorkerGlobalScope !== "undefined") share();

// Hidden pages get no events; without a visible page there is no stream.
function share() {
  const visible = new Set();
  let connection = null; // what the stream told last
  const stream = streamTo((name, data) => {
    if (name === "connection") connection = data;
    for (const port of visible) port.postMessage([name, data]);
  });
  const show = (port) => {
    if (visible.has(port)) return;
    visible.add(port);
    if (connection) port.postMessage(["connection", connection]);
    if (connection === "live") port.postMessage(["reset", {}]); // the page reads what it has missed
    stream.open();
  };
  const hide = (port) => {
    visible.delete(port);
    if (visible.size > 0) return;
    stream.close();
    connection = null;
  };
  self.onconnect = ({ ports: [port] }) => {
    port.onmessage = ({ data }) => (data === "visible" ? show(port) : hide(port));
  };
}
