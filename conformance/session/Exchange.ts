import { Schema } from "effect"

/** A JSON value. */
export type Json = Schema.Json

/** What is done to a presigned URL just before it is sent. It is named, so that a transcript can show it without secrets. */
export const Tamper = Schema.Literals(["signature", "key", "type", "length", "expiry"])
export type Tamper = typeof Tamper.Type

/** The accounts that a run has keys of, and the keys by the scopes that they have. */
export const AccountName = Schema.Literals(["a", "b"])
export type AccountName = typeof AccountName.Type
export const KeyName = Schema.Literals(["all", "builds", "previewUpload", "testRuns"])
export type KeyName = typeof KeyName.Type

/** Whose key a request carries: a key of an account, one that nobody was given, or none. */
export const Credential = Schema.Union([
  Schema.Struct({ account: AccountName, key: KeyName }),
  Schema.Literals(["unknown", "none"])
])
export type Credential = typeof Credential.Type

/** Bytes that a check uploads; they follow from the run, the check and the label. */
export interface Content {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Lower-case hex SHA-256 of them. */
  readonly sha256: string
}

/** A request as a check makes it. It holds no key: the session adds that when it sends. */
export interface Request {
  readonly method: string
  /** Absolute. */
  readonly url: string
  readonly as: Credential
  /** Beside those that carry the key and `content-type: application/json` of a body of JSON. */
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: Json
  readonly content?: Content
  readonly tamper?: Tamper
}

/** An answer, read to its end. */
export interface Answer {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The body as JSON; `undefined` when it isn't. */
  readonly json: Json | undefined
}

/**
 * One request and its answer as a report keeps them. Keys, tokens, the query of a URL and headers that nobody needs are
 * replaced by `‹redacted 1›`, equal ones by equal marks, so that a check can be judged again from what is left.
 */
export const Exchange = Schema.Struct({
  /** Milliseconds since the check began, when the answer was there. */
  at: Schema.Finite,
  /** How often the target told to come again, with 429 or 503, before it gave this answer. */
  retries: Schema.optionalKey(Schema.Int),
  request: Schema.Struct({
    method: Schema.String,
    url: Schema.String,
    as: Credential,
    headers: Schema.Record(Schema.String, Schema.String),
    json: Schema.optionalKey(Schema.Json),
    content: Schema.optionalKey(Schema.Struct({ sizeBytes: Schema.Int, sha256: Schema.String })),
    tamper: Schema.optionalKey(Tamper)
  }),
  answer: Schema.Struct({
    status: Schema.Int,
    headers: Schema.Record(Schema.String, Schema.String),
    text: Schema.String
  })
})
export type Exchange = typeof Exchange.Type
