
// The client. It needs fetch, Request and AbortSignal, which browsers, Node, Deno and Bun have.

/** A time as ISO 8601. */
export type DateString = string;
/** Text that begins and ends with a tag. */
export type HTML = string;
/** A document of structured text, in the form that the content has. */
export type RichText = { readonly [member: string]: unknown };
/** A block of structured text. */
export type RichTextBlock = { readonly [member: string]: unknown };

/** The members of every item. */
export interface BaseItem<Template extends string = string, Data = unknown> {
  Status: string;
  CreatedBy: string;
  CreatedAt: DateString;
  Data: Data;
  PublishedBy: string;
  UpdatedAt: DateString;
  Name: string;
  PublishedAt: DateString;
  UpdatedBy: string;
  TemplateName: Template;
  TemplateID: string;
  ContentID: string;
}

/** Ids of items, of these templates as far as the content shows. */
export interface Reference<T extends TemplateName = TemplateName> {
  Type: "Reference";
  ReferenceType: "Content";
  ContentIDs: string[];
  /** It has no value: it carries the templates in the type. */
  readonly __templates?: T;
}

/** A media file, with the members that the content has. */
export interface MediaReference {
  Type: "Reference";
  ReferenceType: "Media";
}

/** The name of a template. */
export type TemplateName = keyof Templates & string;
/** An item of any template. */
export type AnyItem = Templates[TemplateName];
/** The path of a value, as in `sort`, `select` and searches. */
export type FieldOf<T extends TemplateName> = Fields[T] | ItemField;
/** A path for `select`: of a value, of an object, or a pattern as `Data.seo.*`. */
export type Selection<T extends TemplateName> = FieldOf<T> | "Data" | (`Data.${string}` & {});
/** A member that every item has, beside `Data`. */
export type ItemField = Exclude<keyof BaseItem, "Data">;
/** Parts of an item: what `select` leaves. */
export type Selected<T> = T extends readonly (infer E)[] ? Selected<E>[] : T extends object ? { [K in keyof T]?: Selected<T[K]> } : T;

export interface ClientOptions {
  /** Where the interface is, as `https://cdn.example.org`. Default: the origin of the page. */
  base?: string | URL;
  /** Sends a request. Default: the global fetch. The module's: `edge.fetch`. */
  fetch?: (request: Request) => Promise<Response>;
  /** Only files are there, as on a CDN without an edge server: lists and items are read by the names of their files. */
  files?: boolean;
  /** Fields of every request. */
  headers?: Record<string, string>;
  /** How often a request is repeated after 429 or 503, and a list begun again after a new release. Default: 3. */
  retries?: number;
}

export interface RequestOptions {
  /** The only release to read from; another one is an error with the code `release_changed`. */
  release?: string;
  signal?: AbortSignal;
}

export interface ItemOptions<T extends TemplateName> extends RequestOptions {
  /** The only members to send. */
  select?: readonly Selection<T>[];
  /** How many levels of references to send with it: 1 to 3. */
  include?: number;
}

export interface ListOptions<T extends TemplateName> extends ItemOptions<T> {
  /** Only items whose paths of `Data` have these values. */
  where?: { readonly [field in Fields[T]]?: string | number | boolean };
  status?: string;
  name?: string;
  createdBy?: string;
  sort?: FieldOf<T>;
  ascending?: boolean;
  /** Items of a request: 1 to 10,000. */
  pageSize?: number;
}

export interface ListPage<T> {
  items: T[];
  /** Of all pages. */
  total: number;
  /** What `include` sent, by ContentID. */
  included: Record<string, AnyItem>;
  /** Undefined if the host does not say. */
  release: string | undefined;
}

export interface FoundItem<T> {
  item: T;
  included: Record<string, AnyItem>;
  release: string | undefined;
}

/** A search as in Elasticsearch. */
export interface SearchBody {
  query?: object;
  from?: number;
  size?: number;
  sort?: unknown;
  aggs?: { readonly [name: string]: object };
  _source?: unknown;
  [member: string]: unknown;
}

export interface SearchResult<T, Body extends SearchBody> {
  items: T[];
  total: number;
  aggregations: Aggregations<Body["aggs"]>;
  release: string | undefined;
}

export type Aggregations<A> = { [name in keyof A]: Aggregation<A[name]> };
/** What an aggregation returns: buckets, a value, or other members. */
export type Aggregation<A> = A extends { terms: unknown } | { histogram: unknown } | { date_histogram: unknown } | { range: unknown } | { date_range: unknown } | { significant_terms: unknown } | { rare_terms: unknown }
  ? { buckets: Bucket<A>[] }
  : A extends { avg: unknown } | { sum: unknown } | { min: unknown } | { max: unknown } | { cardinality: unknown } | { value_count: unknown }
    ? { value: number | null }
    : { [member: string]: unknown };
export type Bucket<A> = { key: string | number; key_as_string?: string; doc_count: number } & (A extends { aggs: infer Inner } ? Aggregations<Inner> : unknown);

/** Why a request has no result. */
export class ContentError extends Error {
  override readonly name = "ContentError";
  /** The status of HTTP; 0 if the response is not what was asked for. */
  readonly status: number;
  /** What the server says, as `unknown_environment`; or `release_changed`, `no_file`, `not_supported`, `bad_response`. */
  readonly code: string;
  readonly url: string;
  constructor(status: number, code: string, message: string, url: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.url = url;
  }
}

interface Envelope {
  data?: unknown;
  totalItems?: number;
  Included?: Record<string, AnyItem>;
  aggregations?: unknown;
  docs?: { _id: string; found?: boolean; _source?: AnyItem }[];
  error?: { code?: string; message?: string };
}

interface ResponseBody {
  body: Envelope;
  link: string;
  release: string | undefined;
  url: string;
}

const longestWait = 10_000; // milliseconds, whatever Retry-After says
const idsOfRequest = 100;
const fileRequests = 6; // at once, as browsers have for a host

/** Makes a client. It keeps no state: one is enough for a program. */
export function createClient(options: ClientOptions = {}): ContentClient {
  return new ContentClient(options);
}

export class ContentClient {
  readonly #base: string;
  readonly #fetch: (request: Request) => Promise<Response>;
  readonly #files: boolean;
  readonly #headers: Record<string, string>;
  readonly #retries: number;

  constructor(options: ClientOptions = {}) {
    const page = (globalThis as { location?: { origin: string } }).location;
    this.#base = String(options.base ?? page?.origin ?? "http://content.invalid").replace(/\/+$/, "");
    const send = options.fetch;
    this.#fetch = send ? (request) => send(request) : (request) => fetch(request);
    this.#files = options.files ?? false;
    this.#headers = options.headers ?? {};
    this.#retries = options.retries ?? 3;
  }

  /** An item by its id; null if there is none. */
  item<T extends TemplateName>(template: T, id: string, options: ItemOptions<T> & { select: readonly Selection<T>[] }): Promise<Selected<Templates[T]> | null>;
  item<T extends TemplateName>(template: T, id: string, options?: ItemOptions<T>): Promise<Templates[T] | null>;
  async item<T extends TemplateName>(template: T, id: string, options: ItemOptions<T> = {}): Promise<Templates[T] | Selected<Templates[T]> | null> {
    return (await this.itemWith(template, id, options))?.item ?? null;
  }

  /** An item by its id, with what it refers to; null if there is none. */
  async itemWith<T extends TemplateName>(template: T, id: string, options: ItemOptions<T> = {}): Promise<FoundItem<Templates[T]> | null> {
    if (this.#files) this.#refuse(options, ["select", "include", "release"]);
    const path = `rest/v1/${environment}/contents/${encodeURIComponent(id)}${this.#files ? ".json" : ""}`;
    let answer: ResponseBody;
    try {
      answer = await this.#ask(path, shown(options), options);
    } catch (error) {
      if (error instanceof ContentError && error.status === 404 && (this.#files || error.code === "unknown_item")) return null;
      throw error;
    }
    const item = answer.body.data as Templates[T];
    if (item.TemplateName !== undefined && item.TemplateName !== template) {
      throw new ContentError(0, "bad_response", `${id} has the template ${JSON.stringify(item.TemplateName)}, not ${JSON.stringify(template)}`, answer.url);
    }
    return { item, included: included(answer, options.include), release: answer.release };
  }

  /** The first item whose paths of `Data` have the values, as `{ "Data.slug": "hello" }`; null if there is none. */
  async by<T extends TemplateName>(template: T, where: NonNullable<ListOptions<T>["where"]>, options: ListOptions<T> = {}): Promise<Templates[T] | null> {
    const page = await this.page(template, 1, { pageSize: 1, ...options, where });
    return page.items[0] ?? null;
  }

  /**
   * All items of a template, page by page from one release. If a new release begins meanwhile, it ends with a
   * ContentError of the code `release_changed`; `all` begins again instead.
   */
  list<T extends TemplateName>(template: T, options: ListOptions<T> & { select: readonly Selection<T>[] }): AsyncGenerator<Selected<Templates[T]>, void, undefined>;
  list<T extends TemplateName>(template: T, options?: ListOptions<T>): AsyncGenerator<Templates[T], void, undefined>;
  async *list<T extends TemplateName>(template: T, options: ListOptions<T> = {}): AsyncGenerator<Templates[T], void, undefined> {
    for await (const page of this.pages(template, options)) yield* page.items;
  }

  /** All items of a template, of one release. */
  all<T extends TemplateName>(template: T, options: ListOptions<T> & { select: readonly Selection<T>[] }): Promise<Selected<Templates[T]>[]>;
  all<T extends TemplateName>(template: T, options?: ListOptions<T>): Promise<Templates[T][]>;
  async all<T extends TemplateName>(template: T, options: ListOptions<T> = {}): Promise<unknown[]> {
    for (let attempt = 0; ; attempt++) {
      const items: Templates[T][] = [];
      try {
        for await (const page of this.pages(template, options)) items.push(...page.items);
        return items;
      } catch (error) {
        const changed = error instanceof ContentError && error.code === "release_changed";
        if (!changed || options.release !== undefined || attempt >= this.#retries) throw error;
      }
    }
  }

  /** The pages of a list, all from one release. */
  async *pages<T extends TemplateName>(template: T, options: ListOptions<T> = {}): AsyncGenerator<ListPage<Templates[T]>, void, undefined> {
    let first: ListPage<Templates[T]> | undefined;
    for (let number = 1, seen = 0; ; number++) {
      const release = first?.release ?? options.release;
      const page = await this.page(template, number, release === undefined || this.#files ? options : { ...options, release });
      first ??= page;
      if (page.total !== first.total || page.release !== first.release) {
        throw new ContentError(0, "release_changed", "a new release began while the list was read: begin again", this.#base);
      }
      if (page.items.length === 0) return;
      yield page;
      seen += page.items.length;
      if (seen >= page.total) return;
    }
  }

  /** One page of a list, from 1 on. */
  async page<T extends TemplateName>(template: T, number: number, options: ListOptions<T> = {}): Promise<ListPage<Templates[T]>> {
    const answer = this.#files ? await this.#pageFile(template, number, options) : await this.#ask(`rest/v1/${environment}/contents`, listed(template, number, options), options);
    const missing = Object.keys(options.where ?? {}).filter((field) => !linksToItself(answer.link, field));
    if (missing.length > 0) {
      throw new ContentError(0, "not_supported", `the server does not know the parameter ${missing.join(", ")}, and sent all items: update it, or use search`, answer.url);
    }
    return { items: answer.body.data as Templates[T][], total: answer.body.totalItems ?? 0, included: included(answer, options.include), release: answer.release };
  }

  /** Items of a template that match a search. The hits of `_source` are parts of items. */
  async search<T extends TemplateName, const Body extends SearchBody>(template: T, body: Body, options: RequestOptions = {}): Promise<SearchResult<Templates[T], Body>> {
    if (this.#files) throw this.#noFile("a search needs an edge server, or the module", `es/v1/${environment}`);
    const answer = await this.#ask(`es/v1/${environment}`, { TemplateName: template }, options, body);
    return {
      items: answer.body.data as Templates[T][],
      total: answer.body.totalItems ?? 0,
      aggregations: (answer.body.aggregations ?? {}) as Aggregations<Body["aggs"]>,
      release: answer.release,
    };
  }

  /** The items that references lead to, in their order; those that do not exist are left out. */
  async references<T extends TemplateName>(to: Reference<T> | readonly Reference<T>[] | null | undefined, options: RequestOptions = {}): Promise<Templates[T][]> {
    const ids = [to ?? []].flat().flatMap((reference) => (reference as Reference<T>).ContentIDs);
    const found = await this.items(ids, options);
    return ids.map((id) => found.get(id)).filter((item) => item !== undefined) as Templates[T][];
  }

  /** Items by their ids, of any template: with `_mget`, or from their files. */
  async items(ids: Iterable<string>, options: RequestOptions = {}): Promise<Map<string, AnyItem>> {
    const all = [...new Set(ids)];
    const found = new Map<string, AnyItem>();
    if (this.#files) {
      await this.#itemFiles(all, found, options);
      return found;
    }
    let release = options.release;
    for (let at = 0; at < all.length; at += idsOfRequest) {
      const answer = await this.#ask(`es/v1/${environment}/_mget`, {}, release === undefined ? options : { ...options, release }, { ids: all.slice(at, at + idsOfRequest) });
      release = answer.release;
      for (const doc of answer.body.docs ?? []) {
        if (doc.found && doc._source) found.set(doc._id, doc._source);
      }
    }
    return found;
  }

  async #itemFiles(ids: string[], found: Map<string, AnyItem>, options: RequestOptions): Promise<void> {
    this.#refuse(options, ["release"]);
    const waiting = [...ids];
    const read = async () => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
        try {
          const answer = await this.#ask(`rest/v1/${environment}/contents/${encodeURIComponent(id)}.json`, {}, options);
          found.set(id, answer.body.data as AnyItem);
        } catch (error) {
          if (!(error instanceof ContentError) || error.status !== 404) throw error;
        }
      }
    };
    await Promise.all(Array.from({ length: fileRequests }, read));
  }

  async #pageFile<T extends TemplateName>(template: T, number: number, options: ListOptions<T>): Promise<ResponseBody> {
    this.#refuse(options, ["select", "include", "release", "where", "status", "name", "createdBy"]);
    const lists = files[template] ?? [];
    const sort = options.sort ?? order.sort;
    const ascending = options.ascending ?? (options.sort === undefined && order.ascending);
    const size = options.pageSize ?? order.pageSize;
    const list = lists.find((l) => l.sort === sort && l.ascending === ascending && l.pageSize === size);
    if (!list) {
      const known = lists.map((l) => `${l.sort} ${l.ascending ? "ascending" : "descending"}, ${l.pageSize} a page`).join("; ");
      throw this.#noFile(`the list by ${sort} ${ascending ? "ascending" : "descending"} with ${size} items a page has no files; there are: ${known || "none"}`, `rest/v1/${environment}/contents-list`);
    }
    return this.#ask(`${list.directory}/page-${number}.json`, {}, options);
  }

  #noFile(message: string, path: string): ContentError {
    return new ContentError(0, "no_file", message, `${this.#base}/cda/${path}`);
  }

  #refuse(options: object, names: readonly string[]): void {
    const used = names.find((name) => (options as Record<string, unknown>)[name] !== undefined);
    if (used !== undefined) throw this.#noFile(`${used} needs an edge server, or the module: files do not have it`, "");
  }

  async #ask(path: string, query: Record<string, string>, options: RequestOptions, body?: unknown): Promise<ResponseBody> {
    const parameters = new URLSearchParams(query).toString();
    const url = `${this.#base}/cda/${path}${parameters && "?"}${parameters}`;
    const headers = new Headers(this.#headers);
    if (options.release !== undefined) headers.set("X-Release", options.release);
    if (body !== undefined) headers.set("Content-Type", "application/json");
    const init: RequestInit = { headers };
    if (options.signal) init.signal = options.signal;
    if (body !== undefined) {
      init.method = "POST";
      init.body = JSON.stringify(body);
    }
    for (let attempt = 0; ; attempt++) {
      const response = await this.#fetch(new Request(url, init));
      const again = (response.status === 503 || response.status === 429) && attempt < this.#retries;
      if (!again) return read(response, url, options.release);
      await response.arrayBuffer();
      await wait(retryAfter(response), options.signal);
    }
  }
}

async function read(response: Response, url: string, release: string | undefined): Promise<ResponseBody> {
  const text = await response.text();
  let body: Envelope | undefined;
  try {
    body = JSON.parse(text) as Envelope;
  } catch {
    body = undefined;
  }
  if (response.ok && body !== undefined && typeof body === "object") {
    const from = response.headers.get("X-Release") ?? undefined;
    if (release !== undefined && from !== undefined && from !== release) {
      throw new ContentError(0, "release_changed", `the response is of the release ${from}, not ${release}: begin again`, url);
    }
    return { body, link: response.headers.get("Link") ?? "", release: from, url };
  }
  if (response.status === 412) throw new ContentError(412, "release_changed", body?.error?.message ?? "another release is served now: begin again", url);
  const missing = response.status === 404 ? "no_file" : "bad_response";
  const message = body?.error?.message ?? (response.ok ? "the response is no JSON of the interface" : `status ${response.status}`);
  throw new ContentError(response.ok ? 0 : response.status, body?.error?.code ?? missing, message, url);
}

function shown<T extends TemplateName>(options: ItemOptions<T>): Record<string, string> {
  const query: Record<string, string> = {};
  if (options.select) query["select"] = options.select.join(",");
  if (options.include) query["include"] = String(options.include);
  return query;
}

function listed<T extends TemplateName>(template: T, number: number, options: ListOptions<T>): Record<string, string> {
  const query: Record<string, string> = { searchByTemplateName: template, ...shown(options) };
  for (const [field, value] of Object.entries(options.where ?? {})) query[field] = String(value);
  const given: Record<string, unknown> = { status: options.status, searchByName: options.name, searchByCreatedBy: options.createdBy, sort: options.sort, sortAsc: options.ascending, pageSize: options.pageSize };
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) query[name] = String(value);
  }
  if (number > 1) query["page"] = String(number);
  return query;
}

function included(answer: ResponseBody, asked: number | undefined): Record<string, AnyItem> {
  if (asked && !answer.body.Included) {
    throw new ContentError(0, "not_supported", "the server does not know the parameter include: update it, or use references", answer.url);
  }
  return Object.assign(Object.create(null), answer.body.Included); // an id such as constructor finds no member of Object
}

/** Reports whether the Link field says that the server has read a parameter. */
function linksToItself(link: string, parameter: string): boolean {
  const self = /<([^>]*)>; *rel="self"/.exec(link)?.[1] ?? "";
  return new URLSearchParams(self.slice(self.indexOf("?") + 1)).has(parameter);
}

/** How long to wait, in milliseconds. */
function retryAfter(response: Response): number {
  const value = response.headers.get("Retry-After") ?? "1";
  const seconds = Number(value);
  const asked = Number.isNaN(seconds) ? Date.parse(value) - Date.now() : seconds * 1000;
  return Math.min(Math.max(asked || 0, 0), longestWait);
}

function wait(time: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, time);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
