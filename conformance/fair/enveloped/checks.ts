import { Option, Schema } from "effect"
import { Refusal } from "../parts/http.ts"
import type { Body } from "../parts/json.ts"

export const text = (longest: number) => Schema.NonEmptyString.check(Schema.isMaxLength(longest))
export const matching = (pattern: RegExp) => Schema.String.check(Schema.isPattern(pattern))
export const wholeFrom = (least: number) => Schema.Int.check(Schema.isGreaterThanOrEqualTo(least))

export const url = Schema.String.check(Schema.makeFilter((value) => URL.canParse(value)))
export const platform = Schema.Literals(["ios", "android"])
export const hash = matching(/^[0-9a-f]{64}$/)
export const commit = matching(/^[0-9a-f]{40}$/)
export const mime = matching(/^[\w.+-]+\/[\w.+-]+(?:; ?[\w-]+=[\w.-]+)*$/)
export const branch = text(100)
export const file = Schema.Struct({ path: text(200), size: wholeFrom(1), mime, sha256: hash })

/** Refuses, with 422, a body with an unknown, a missing or a wrong field. */
export const insist = (schema: Schema.Top & { readonly DecodingServices: never }, body: Body): Body => {
  const fits = Schema.decodeUnknownOption(schema)(body, { onExcessProperty: "error" })
  if (Option.isNone(fits)) throw new Refusal(422, "unprocessable")
  return body
}
