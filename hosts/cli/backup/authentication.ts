/**
 * The authentication of a backup: an HMAC-SHA256 of its manifest, which has the digest of everything else in it. Its key is
 * derived from the secret of the deployment, so that the secret itself signs nothing here that it signs elsewhere.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { secretTexts, type SigningSecret } from "../../../core/model/SigningSecret.ts"

const macBy = (secret: string, manifest: string): string =>
  createHmac("sha256", createHmac("sha256", secret).update("slipway/backup").digest()).update(manifest).digest("hex")

/** The authentication of a manifest by the secret that signs. */
export const authenticationOf = (secret: SigningSecret, manifest: string): string =>
  macBy(secretTexts(secret)[0], manifest)

/** Whether one of the secrets authenticates a manifest. */
const isAuthentic = (secret: SigningSecret, manifest: string, mac: string): boolean => {
  const given = Buffer.from(mac)
  return secretTexts(secret).some((text) => {
    const expected = Buffer.from(macBy(text, manifest))
    return given.byteLength === expected.byteLength && timingSafeEqual(given, expected)
  })
}

/** What a restore requires of an archive. */
export interface Trusted {
  /** The secrets that may have authenticated it; `undefined` if none is known. */
  readonly secret: SigningSecret | undefined
  /** Whether it is restored without being authenticated. */
  readonly unauthenticated: boolean
}

/** Why an archive with this manifest isn't trusted; `undefined` when it is. */
export const notAuthentic = ({ secret, unauthenticated }: Trusted, manifest: string, mac: string | undefined) => {
  if (unauthenticated) return undefined
  const orElse = "or, if nobody else could write the file, give --unauthenticated"
  if (mac === undefined)
    return `it isn't authenticated, as a backup of an older version isn't: restore another one, ${orElse}`
  if (secret === undefined) {
    return `the secret that authenticates it isn't known: set SLIPWAY_SECRET to that of the deployment that made it, ${orElse}`
  }
  return isAuthentic(secret, manifest, mac)
    ? undefined
    : `the secret doesn't authenticate it: it was altered, or made with another secret; set SLIPWAY_SECRET to that of the deployment that made it, ${orElse}`
}
