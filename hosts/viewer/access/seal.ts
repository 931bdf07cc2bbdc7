import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { Option, Result, Schema } from "effect"
import { timingSafeEqual } from "effect/crypto/Mac"
import * as Base64Url from "effect/encoding/Base64Url"
import { secretTexts, type SigningSecret } from "../../../core/model/SigningSecret.ts"

/** Signs values with a secret: anyone can read them, but only a holder of the secret can create or change them. */
export interface Seal<A> {
  /** The signed value as text for a URL: base64url, a dot, base64url. */
  readonly seal: (value: A) => string
  /** The value in a text that this seal made; `none` for any other text. */
  readonly open: (text: string) => Option.Option<A>
}

/** A seal with HMAC-SHA256. It opens what any of several secrets signed. A value sealed for one `purpose` can't be opened for another under the same secret. */
export const makeSeal = <A, I>(
  schema: Schema.Codec<A, I>,
  options: { readonly secret: SigningSecret; readonly purpose: string }
): Seal<A> => {
  const secrets = secretTexts(options.secret)
  const json = Schema.fromJsonString(schema)
  const encode = Schema.encodeSync(json)
  const decode = Schema.decodeUnknownOption(json)
  const signature = (payload: string, secret = secrets[0]): string =>
    Base64Url.encode(hmac(sha256, utf8ToBytes(secret), utf8ToBytes(`slipway/viewer/${options.purpose}\n${payload}`)))

  return {
    seal: (value) => {
      const payload = Base64Url.encode(encode(value))
      return `${payload}.${signature(payload)}`
    },
    open: (text) => {
      const dot = text.indexOf(".")
      const payload = text.slice(0, Math.max(0, dot))
      const given = utf8ToBytes(text.slice(dot + 1))
      return secrets.some((secret) => timingSafeEqual(given, utf8ToBytes(signature(payload, secret))))
        ? Option.flatMap(Result.getSuccess(Base64Url.decodeString(payload)), decode)
        : Option.none()
    }
  }
}
