import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"

/** Signs the claims of a URL. */
export interface Seal {
  readonly sign: (fields: ReadonlyArray<string | number>) => string
  readonly fits: (fields: ReadonlyArray<string | number>, signature: string) => boolean
}

/** HMAC-SHA256 with a secret of its own. */
export const makeSeal = (): Seal => {
  const secret = randomBytes(32)
  const digest = (fields: ReadonlyArray<string | number>) =>
    createHmac("sha256", secret)
      .update(JSON.stringify(fields.map(String)))
      .digest()
  return {
    sign: (fields) => digest(fields).toString("base64url"),
    // Compared as text, because a decoder would accept other spellings of the same bytes.
    fits: (fields, signature) => {
      const [expected, said] = [Buffer.from(digest(fields).toString("base64url")), Buffer.from(signature)]
      return expected.length === said.length && timingSafeEqual(expected, said)
    }
  }
}
