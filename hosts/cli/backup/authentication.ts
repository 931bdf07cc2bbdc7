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
export const isAuthentic = (secret: SigningSecret, manifest: string, mac: string): boolean => {
  const given = Buffer.from(mac)
  return secretTexts(secret).some((text) => {
    const expected = Buffer.from(macBy(text, manifest))
    return given.byteLength === expected.byteLength && timingSafeEqual(given, expected)
  })
}
