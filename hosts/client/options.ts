/** The options of the client and its methods. */

/** How long an attempt may take, in milliseconds. */
export interface Timeouts {
  /** A request and its answer: 30 seconds by default. */
  readonly request?: number
  /** A finalize, in which the service verifies all that was uploaded: 10 minutes by default. */
  readonly finalize?: number
  /**
   * An idle PUT: a minute by default. With `fetch`, which reports no progress, plus the time for its bytes at 16 kB/s.
   */
  readonly idle?: number
}

/** The service, the credential and the transport. */
export interface ClientOptions {
  /** The base URL of the service. */
  readonly url: string
  /**
   * An API key or a token, or a function that returns one, which each call of the client calls. Leave it out where `credentials` bring
   * cookies that the service's own `authenticate` accepts.
   */
  readonly key?: string | (() => string | Promise<string>)
  /** Whether requests of the API send cookies, in browsers: `omit` by default. PUTs of bodies never do. */
  readonly credentials?: "omit" | "same-origin" | "include"
  /**
   * Sends every request, PUTs too, in place of the platform's own: with a proxy, or in a test. On Node, PUTs go by
   * `node:http` unless it is given.
   */
  readonly fetch?: typeof globalThis.fetch
  /** How often a request is retried: 4 times by default. */
  readonly retries?: number
  readonly timeouts?: Timeouts
}

/** Of any call. */
export interface CallOptions {
  /** Ends the call, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** Of a call that is carried out once, however often it is sent. */
export interface OnceOptions extends CallOptions {
  /** The same request with the same key gets the same answer for 24 hours. Each call generates its own by default. */
  readonly idempotencyKey?: string
}

/** How far an upload has come. Bytes that are sent again count again, so `sentBytes` may decrease. */
export interface Progress {
  readonly sentBytes: number
  readonly totalBytes: number
  readonly sentObjects: number
  /** The bundle, and all files and recordings. */
  readonly totalObjects: number
}

/** Of an upload. */
export interface UploadOptions extends CallOptions {
  /** Called as bytes are sent; by `fetch`, in browsers, when a body is sent whole. */
  readonly onProgress?: (progress: Progress) => void
  /** How many bodies are read or sent at a time: 8 by default. */
  readonly concurrency?: number
}
