import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"

/** Signs what a URL allows. */
export interface Seal {
  readonly sign: (fields: ReadonlyArray<string | number>) => string
  readonly fits: (fields: ReadonlyArray<string | number>, signature: string) => boolean
}

/** HMAC-SHA256 under a secret that nobody else has. */
export const makeSeal = (): Seal => {
  const secret = randomBytes(32)
  const digest = (fields: ReadonlyArray<string | number>) =>
    createHmac("sha256", secret)
      .update(JSON.stringify(fields.map(String)))
      .digest()
  return {
    sign: (fields) => digest(fields).toString("base64url"),
    // Compared as text: a decoder would let a few other spellings of the same bytes pass.
    fits: (fields, signature) => {
      const [expected, said] = [Buffer.from(digest(fields).toString("base64url")), Buffer.from(signature)]
      return expected.length === said.length && timingSafeEqual(expected, said)
    }
  }
}
