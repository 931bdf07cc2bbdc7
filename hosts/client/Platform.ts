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
  /** Told how many bytes were sent so far. */
  readonly onBytes: (sent: number) => void
  readonly signal: AbortSignal | undefined
  /** How long nothing may move, in milliseconds, until it fails with an error that is called `TimeoutError`. */
  readonly idleMs: number
}

/** Sends a PUT, and reads its answer. */
export type Put = (request: PutRequest) => Promise<Answer>

/** What is known of a body by reading it. */
export interface Measured {
  readonly sizeBytes?: number
  /** The SHA-256 of the bytes, uncompressed where they are gzip; 64 lower-case hexadecimal digits. */
  readonly contentHash?: string
}

/** How a body is to be measured. */
export interface Measuring {
  readonly isGzip: boolean
  /** Whether nothing goes on without a digest: for the bundle, not for files. */
  readonly isRequired: boolean
  readonly signal: AbortSignal | undefined
}

/** What differs between Node and browsers. */
export interface Platform {
  readonly open: (body: Body, signal: AbortSignal | undefined) => Promise<Source>
  /** Measures a body that can be read again. */
  readonly measure: (source: Source, measuring: Measuring) => Promise<Measured>
  /** PUTs where no `fetch` was given. */
  readonly put: Put
}
