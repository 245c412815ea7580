// Each case of client_test.go: what a client does with the responses of a server that plays a script.
import { createClient, ContentError, type ClientOptions } from "./content.ts";

type Reply = { status?: number; release?: string; link?: string; retry?: string; body?: unknown; text?: string };

const item = (n: number) => ({ ContentID: `c${n}`, TemplateName: "Page", Name: `n${n}`, Data: { title: `t${n}` } });
const page = (from: number, to: number, total: number, release = "r1"): Reply => ({ release, body: { status: 200, data: Array.from({ length: to - from }, (_, i) => item(from + i)), totalItems: total } });
const busy: Reply = { status: 503, retry: "0", body: { status: 503, error: { code: "overloaded", message: "busy" } } };
const changed: Reply = { status: 412, body: { status: 412, error: { code: "release_mismatch", message: "gone" } } };

async function play(name: string, replies: Reply[], use: (content: ReturnType<typeof createClient>) => Promise<unknown>, options: ClientOptions = {}) {
  const sent: string[] = [];
  const send = async (request: Request): Promise<Response> => {
    const body = request.method === "POST" ? ` ${await request.text()}` : "";
    sent.push(`${request.method} ${request.url.replace("http://x/cda/", "")} ${request.headers.get("X-Release") ?? "-"}${body}`);
    request.signal.throwIfAborted();
    const r = replies.shift() ?? { status: 500, text: "no reply is left" };
    const headers = new Headers();
    if (r.release) headers.set("X-Release", r.release);
    if (r.link) headers.set("Link", r.link);
    if (r.retry) headers.set("Retry-After", r.retry);
    return new Response(r.text ?? JSON.stringify(r.body), { status: r.status ?? 200, headers });
  };
  let result: string;
  try {
    result = JSON.stringify(await use(createClient({ base: "http://x/", fetch: send, ...options })));
  } catch (error) {
    result = error instanceof ContentError ? `${error.status} ${error.code}` : String(error);
  }
  console.log(`${name}: ${result}\n  ${sent.join("\n  ")}`);
}

const names = async (items: AsyncIterable<{ Name: string }>) => {
  const all: string[] = [];
  for await (const i of items) all.push(i.Name);
  return all;
};

await play("pages are of one release", [page(0, 2, 3), page(2, 3, 3)], (c) => names(c.list("Page", { pageSize: 2, sort: "Data.title", ascending: true })));
await play("a list ends with an error after a new release", [page(0, 2, 3), changed], (c) => names(c.list("Page", { pageSize: 2 })));
await play("all begins again", [page(0, 2, 3), changed, page(0, 2, 3, "r2"), page(2, 3, 3, "r2")], async (c) => (await c.all("Page", { pageSize: 2 })).length);
await play("all gives up", Array.from({ length: 8 }, (_, i) => (i % 2 ? changed : page(0, 2, 3))), (c) => c.all("Page", { pageSize: 2 }), { retries: 2 });
await play("a cache has another release", [page(0, 2, 3), page(2, 3, 3, "r2")], (c) => names(c.list("Page", { pageSize: 2 })));
await play("a list that shrinks ends", [page(0, 2, 4), { release: "r1", body: { status: 200, data: [], totalItems: 4 } }], (c) => names(c.list("Page", { pageSize: 2 })));
await play("a busy server is asked again", [busy, busy, page(0, 1, 1)], async (c) => (await c.all("Page")).length);
await play("not for ever", [busy, busy, busy], (c) => c.all("Page"), { retries: 1 });
await play("by a value", [{ ...page(0, 1, 1), link: '<?Data.title=t0&pageSize=1>; rel="self", <?page=1>; rel="first"' }], async (c) => (await c.by("Page", { "Data.title": "t0" }))?.Name);
await play("by a value, of an old server", [page(0, 1, 9)], (c) => c.by("Page", { "Data.title": "t0" }));
await play("an item", [{ release: "r1", body: { status: 200, data: item(7) } }], async (c) => (await c.item("Page", "c/7"))?.Data.title);
await play("no item", [{ status: 404, body: { status: 404, error: { code: "unknown_item", message: "no" } } }], (c) => c.item("Page", "c7"));
await play("no environment", [{ status: 404, body: { status: 404, error: { code: "unknown_environment", message: "no" } } }], (c) => c.item("Page", "c7"));
await play("a host without the interface", [{ status: 404, text: "<html>" }], (c) => c.item("Page", "c7"));
await play("a page of HTML", [{ text: "<html>" }], (c) => c.item("Page", "c7"));
await play("an item with what it refers to", [{ body: { status: 200, data: item(1), Included: { c2: item(2) } } }], async (c) => {
  const found: Record<string, unknown> = (await c.itemWith("Page", "c1", { include: 1 }))?.included ?? {};
  return [...Object.keys(found), "constructor", "toString"].filter((id) => found[id]);
});
await play("include of an old server", [{ body: { status: 200, data: item(1) } }], (c) => c.item("Page", "c1", { include: 1 }));
await play("a search", [{ release: "r1", body: { status: 200, data: [item(1)], totalItems: 5, aggregations: { t: { buckets: [{ key: "a", doc_count: 2 }] } } } }], async (c) => {
  const found = await c.search("Page", { query: { match_all: {} }, aggs: { t: { terms: { field: "Data.title.keyword" } } } });
  const first: number | undefined = found.aggregations.t.buckets[0]?.doc_count;
  return [found.total, found.items[0]?.Data.title, first];
});
const refers = (...ids: string[]) => ({ Type: "Reference" as const, ReferenceType: "Content" as const, ContentIDs: ids });
await play("references", [{ release: "r1", body: { docs: [{ _id: "c2", found: true, _source: item(2) }, { _id: "c1", found: true, _source: item(1) }, { _id: "gone", found: false }] } }], async (c) => (await c.references([refers("c1", "gone"), refers("c2", "c1")])).map((i) => i.Name));
const many = Array.from({ length: 150 }, (_, i) => `c${i}`);
await play("many references, of one release", [{ release: "r1", body: { docs: [] } }, { release: "r1", body: { docs: [] } }], async (c) => (await c.items(many)).size);
await play("an aborted request", [page(0, 1, 1)], (c) => c.all("Page", { signal: AbortSignal.abort(new Error("enough")) }));
const stop = new AbortController();
await play("aborted while it waits", [{ ...busy, retry: "9" }], (c) => {
  setTimeout(() => stop.abort(new Error("enough")), 1);
  return c.all("Page", { signal: stop.signal });
});
await play("a part of an item", [{ body: { status: 200, data: { Data: { title: "t" } } } }], async (c) => (await c.item("Page", "c1", { select: ["Data.title"] }))?.Data?.title);
await play("files have no search", [], (c) => c.search("Page", {}), { files: true });
await play("files have no other order", [], (c) => c.page("Page", 1, { sort: "Name" }), { files: true });
