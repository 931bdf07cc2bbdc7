import { Schema } from "effect"
import { KeyId } from "./ApiKey.ts"
import { text } from "./Text.ts"

/** Ids sort by the time at which the session began (UUID version 7). */
export const SessionId = Schema.String.pipe(Schema.brand("SessionId"))
export type SessionId = typeof SessionId.Type

/** The source of a sign-in. Unknown fields are absent. */
export const SessionSource = Schema.Struct({
  /** The address of the peer, as the host saw it: behind a proxy, the proxy's. */
  address: Schema.optionalKey(text(64)),
  /** The `User-Agent` of the browser. */
  userAgent: Schema.optionalKey(text(512))
})
export type SessionSource = typeof SessionSource.Type

/**
 * A person signed in to the viewer with a key, in one browser. The secret in the browser's cookie is never stored; `secretHash` is
 * its SHA-256, lower-case hex. A session is deleted when it is ended.
 */
export const Session = Schema.Struct({
  id: SessionId,
  keyId: KeyId,
  secretHash: Schema.String,
  createdAt: Schema.DateTimeUtcFromString,
  expiresAt: Schema.DateTimeUtcFromString,
  ...SessionSource.fields
})
export type Session = typeof Session.Type
