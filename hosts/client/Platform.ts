import type { Answer } from "./Answer.ts"
import type { Body, Source } from "./bodies.ts"

/** A PUT of one body. */
export interface PutRequest {
  /** What the body is called in errors. */
  readonly name: string
  readonly url: string
  readonly contentType: string
  readonly sizeBytes: number
  readonly source: Source
  /** Receives the number of bytes sent so far. */
  readonly onBytes: (sent: number) => void
  readonly signal: AbortSignal | undefined
  /** The idle timeout in milliseconds. It fails with an error named `TimeoutError`. */
  readonly idleMs: number
}

/** A request of the API. */
export interface AskRequest {
  readonly method: "GET" | "POST" | "DELETE"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly body?: string
  readonly credentials: RequestCredentials
  readonly signal: AbortSignal
}

/** Sends a request of the API, and reads its answer. */
export type Ask = (request: AskRequest) => Promise<Answer>

/** Sends a PUT, and reads its answer. */
export type Put = (request: PutRequest) => Promise<Answer>

/** The size and digest of a body, from reading it. */
export interface Measured {
  readonly sizeBytes?: number
  /** The SHA-256 of the bytes, uncompressed where they are gzip; 64 lower-case hexadecimal digits. */
  readonly contentHash?: string
}

/** How a body is to be measured. */
export interface Measuring {
  readonly isGzip: boolean
  /** Whether a digest is required: for the bundle, not for files. */
  readonly isRequired: boolean
  readonly signal: AbortSignal | undefined
}

/** What differs between Node and browsers. */
export interface Platform {
  readonly open: (body: Body, signal: AbortSignal | undefined) => Promise<Source>
  /** Measures a body that can be read again. */
  readonly measure: (source: Source, measuring: Measuring) => Promise<Measured>
  /** Requests where no `fetch` was given. */
  readonly ask: Ask
  readonly put: Put
}
