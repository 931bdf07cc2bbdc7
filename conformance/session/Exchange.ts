import { Context, Schema } from "effect"

export type Json = Schema.Json

export const isList = (value: Json | undefined): value is ReadonlyArray<Json> => Array.isArray(value)

/** A named change of a presigned URL just before it is sent. A transcript shows the name, so it needs no secret. */
export const Tamper = Schema.Literals(["signature", "key", "type", "length", "expiry"])
export type Tamper = typeof Tamper.Type

/** The accounts whose keys a run has, and the keys by their scopes. */
export const AccountName = Schema.Literals(["a", "b"])
export type AccountName = typeof AccountName.Type
export const KeyName = Schema.Literals([
  "all",
  "cleanup",
  "builds",
  "previewUpload",
  "testRuns",
  "withoutBuilds",
  "withoutPreviewUpload",
  "withoutTestRuns"
])
export type KeyName = typeof KeyName.Type

/**
 * Keys that no account has: one in the form of a's, those that differ from a's in the end, the beginning, the middle, one
 * character, the last one or the case of letters, a's with more letters or fewer, and an empty one.
 */
export const WrongKey = Schema.Literals([
  "unknown",
  "altered",
  "beginning",
  "middle",
  "single",
  "last",
  "case",
  "longer",
  "shorter",
  "empty"
])
export type WrongKey = typeof WrongKey.Type

/** One that is near another key than a's with every scope: `altered b.builds`. */
const NearKey = Schema.TemplateLiteral([WrongKey, " ", AccountName, ".", KeyName])
export type NearKey = typeof NearKey.Type

/** The key of a request: one of an account, one that no account has, or none. */
export const Credential = Schema.Union([
  Schema.Struct({ account: AccountName, key: KeyName }),
  WrongKey,
  NearKey,
  Schema.Literal("none")
])
export type Credential = typeof Credential.Type

export const pathSpellings = ["slash", "double", "escaped", "capitals", "suffix", "parameter"] as const

/** How a request is sent, where that is another way than usual. A right target answers each of them alike. */
export const Manner = Schema.Struct({
  /** The body without a length, in chunks of some thousand bytes. */
  chunked: Schema.optionalKey(Schema.Boolean),
  /** On a connection that is closed afterwards. */
  close: Schema.optionalKey(Schema.Boolean),
  /** The names of its headers in capital letters. */
  capitals: Schema.optionalKey(Schema.Boolean),
  /** An answer in gzip is accepted. */
  gzip: Schema.optionalKey(Schema.Boolean),
  /** With another `accept`: any type, JSON before text and any type, or without the header. */
  accept: Schema.optionalKey(Schema.Literals(["any", "listed", "none"])),
  /** With `charset=utf-8` in the type of a JSON body. */
  charset: Schema.optionalKey(Schema.Boolean),
  /** The same JSON body or query in another spelling: other order of the members, spaces, escaped characters. */
  spelled: Schema.optionalKey(Schema.Boolean),
  /** With headers of a proxy in front of the target, of a cache that has an older answer, of tracing and another agent, of a browser, of another host, of another method, with a type for a body that there isn't, with every encoding, or with conditions that don't apply. */
  headers: Schema.optionalKey(
    Schema.Literals([
      "proxy",
      "cache",
      "tracing",
      "browser",
      "forwarded",
      "override",
      "typed",
      "encodings",
      "stale",
      "ranged"
    ])
  ),
  /** The `idempotency-key` of a request that creates. */
  idempotencyKey: Schema.optionalKey(Schema.String),
  /** The `if-none-match` of a read: the `etag` of an earlier answer. */
  ifNoneMatch: Schema.optionalKey(Schema.String),
  /** The `if-modified-since` of a read: the `last-modified` of an earlier answer. */
  ifModifiedSince: Schema.optionalKey(Schema.String),
  /** HEAD in place of GET. */
  head: Schema.optionalKey(Schema.Boolean),
  /** The path in another spelling: a slash at its end or doubled, an escaped letter, capitals, or more at its end. */
  path: Schema.optionalKey(Schema.Literals(pathSpellings)),
  /** On a socket of its own: closed in the middle of the body, ended one byte before it, or sent twice without waiting. */
  socket: Schema.optionalKey(Schema.Literals(["aborted", "short", "pipelined"]))
})
export type Manner = typeof Manner.Type

/** How a request is sent, where that is another way than usual, for a person: `chunked, accept any`. */
export const mannerText = (manner: Manner = {}): string =>
  Object.entries(manner)
    .map(([name, value]) => (value === true ? name : `${name} ${String(value)}`))
    .join(", ")

/** How the requests of an effect are sent: `Effect.provideService(effect, CurrentManner, { chunked: true })`. */
export const CurrentManner = Context.Reference<Manner>("slipway/conformance/session/Exchange/CurrentManner", {
  defaultValue: () => ({})
})

/** Bytes that a check uploads. They are derived from the run, the check and the label. */
export interface Content {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Lower-case hex SHA-256 of the bytes. */
  readonly sha256: string
}

/** A request as a check makes it. It holds no key; the session adds that when it sends the request. */
export interface Request {
  readonly method: string
  /** Absolute. */
  readonly url: string
  readonly as: Credential
  /** Headers besides the key and the `content-type: application/json` of a JSON body. */
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: Json
  readonly content?: Content
  readonly tamper?: Tamper
  readonly manner?: Manner
}

/** An answer that was read to its end. */
export interface HttpResponse {
  /** 0 where a connection that the suite itself ended early brought none. */
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The body as JSON; `undefined` when it isn't. */
  readonly json: Json | undefined
}

/** A request as a report keeps it: redacted, and of its content only the size and the digest. */
export const Sent = Schema.Struct({
  method: Schema.String,
  url: Schema.String,
  as: Credential,
  headers: Schema.Record(Schema.String, Schema.String),
  json: Schema.optionalKey(Schema.Json),
  content: Schema.optionalKey(Schema.Struct({ sizeBytes: Schema.Int, sha256: Schema.String })),
  tamper: Schema.optionalKey(Tamper),
  manner: Schema.optionalKey(Manner)
})

export type Sent = typeof Sent.Type

/**
 * A request and its answer as a report keeps them. Keys, tokens, URL queries and unneeded headers are replaced by
 * `‹redacted 1›`, with equal marks for equal values, so that a check can be judged again from the recording.
 */
export const Exchange = Schema.Struct({
  /** Counts the requests of the check in the order in which they were begun, those without an answer too. */
  id: Schema.optionalKey(Schema.Int),
  /** When the answer was complete, in milliseconds since the check began. */
  at: Schema.Finite,
  /** How often the target asked to retry, with 429 or 503, before it gave this answer. */
  retries: Schema.optionalKey(Schema.Int),
  request: Sent,
  answer: Schema.Struct({
    status: Schema.Int,
    headers: Schema.Record(Schema.String, Schema.String),
    text: Schema.String
  })
})
export type Exchange = typeof Exchange.Type
