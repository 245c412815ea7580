/** A release of contentedge that answers requests by itself: the engine of a node as a WebAssembly module. */
export interface Edge {
  /** The identity of the release, as in the field X-Release. */
  readonly release: string;

  /**
   * Answers a request as a node does: status, fields and body are equal, in the identity coding and without Date,
   * X-Request-Id and the fields of a connection. A text that begins with a slash is a path with its query.
   *
   * It rejects if the request's signal is aborted, if a file of the release cannot be read or is not the one that
   * the manifest names, and after close.
   */
  fetch(input: Request | URL | string, init?: RequestInit): Promise<Response>;

  /** Loads the snapshot of an environment before a request needs it. */
  load(environment: string, signal?: AbortSignal): Promise<void>;

  /** Gives the memory back. Requests are rejected from then on. */
  close(): void;
}

/** A file of the release by its name, as `manifest.json`; null if the release lacks the file. */
export type ReadFile = (name: string, options: { signal?: AbortSignal }) => Promise<Response | ArrayBuffer | Uint8Array | null>;

/** A directory (Node, Deno), the URL below which the files of the release are, or a function that reads them. */
export type Source = string | URL | ReadFile;

/** A search-only snapshot: its name for the source, its size, its SHA-256 in hexadecimal digits. */
export interface SearchOnly {
  file: string;
  bytes: number;
  sha256: string;
}

export interface Progress {
  /** The file's name below the release's root. */
  file: string;
  /** The environment whose snapshot the file is. */
  environment: string;
  /** Bytes that have arrived, of `total`. */
  loaded: number;
  total: number;
}

export interface Options {
  /** The module: its URL, its bytes, or compiled. Default: `contentedge.wasm` next to this file. */
  wasm?: string | URL | BufferSource | WebAssembly.Module;
  /** Environments whose snapshots are loaded at once. Others are loaded by the first request for them. */
  environments?: string[];
  /**
   * Search-only snapshots, by environment, that are read instead of the release's own. They have no items: the files
   * of items that a response shows are read from the source.
   */
  searchOnly?: Record<string, SearchOnly>;
  /** Ends the opening, and later all loading of snapshots. */
  signal?: AbortSignal;
  /** Is called while snapshots arrive. */
  onprogress?: (progress: Progress) => void;
}

/** Opens a release: reads its manifest and starts the module. */
export function open(source: Source, options?: Options): Promise<Edge>;
