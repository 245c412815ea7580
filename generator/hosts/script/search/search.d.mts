/** Answers requests for the release of a site, in a worker thread of the page. */
export interface Edge extends EventTarget {
  /** The identity of the release that answers, as in the field X-Release. It changes with the event `release`. */
  readonly release: string;

  /** Whether the browser keeps the files, so that the next visit needs no download. */
  readonly stored: boolean;

  /**
   * Answers a request for an address of the content, as fetch does: a text is resolved against the site. It rejects
   * if the request's signal is aborted, with a SearchError if the files of the release cannot be had, and after close.
   * It may be passed on as a function.
   */
  fetch(input: Request | URL | string, init?: RequestInit): Promise<Response>;

  /** Looks for a new release now, and resolves to whether a new one answers. Otherwise requests look once a minute. */
  look(options?: { signal?: AbortSignal }): Promise<boolean>;

  /** Ends the thread and gives the memory back. */
  close(): void;

  addEventListener(type: 'release', listener: (event: CustomEvent<string>) => void, options?: boolean | AddEventListenerOptions): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject | null, options?: boolean | AddEventListenerOptions): void;
}

/** Why searches cannot be answered. The message says what to do. */
export class SearchError extends Error {
  /**
   * `network`: a file is out of reach; `missing`: the host has it not; `damaged`: it has other bytes;
   * `mixed`: files of two releases; `version`: the files are of a later program; `module`: the browser does not
   * compile the module; `thread`: the worker thread does not run; `environment`: the release has no such environment;
   * `release`: the release cannot be read; `storage`: there is no room; `insecure`: the page has no HTTPS;
   * `worker`: the service worker was not installed; `closed`: close was called.
   */
  readonly code: string;
}

/** Bytes that have arrived, of those that are known to be needed. */
export interface Progress {
  loaded: number;
  total: number;
}

export interface OpenOptions {
  /** Environments whose snapshots are loaded at once. Others are loaded by the first request for them. */
  environments?: string[];
  /** Milliseconds between two looks for a new release; 60,000 by default. */
  lookEvery?: number;
  /** Ends the opening. */
  signal?: AbortSignal;
  /** Is called while files arrive, also after the opening. */
  onprogress?: (progress: Progress) => void;
}

/** Opens the search of the site that this program lies on. */
export function open(options?: OpenOptions): Promise<Edge>;

export interface RegisterOptions {
  /** Environments whose snapshots and items are kept, so that all requests for them are answered without a network. */
  offline?: string[];
  signal?: AbortSignal;
  onprogress?: (progress: Progress) => void;
}

/** Registers the service worker, which answers the requests of all pages of the site for addresses of the content. */
export function register(options?: RegisterOptions): Promise<ServiceWorkerRegistration>;
