import { Refusal } from "../parts/http.ts"
import { asBody, type Body } from "../parts/json.ts"

/** Whether a field may have this value. */
export type Check = (value: unknown) => boolean

export const text =
  (longest: number): Check =>
  (value) =>
    typeof value === "string" && value !== "" && value.length <= longest

export const anyText: Check = (value) => typeof value === "string"

export const matching =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === "string" && pattern.test(value)

export const oneOf =
  (...values: ReadonlyArray<unknown>): Check =>
  (value) =>
    values.includes(value)

export const wholeFrom =
  (least: number): Check =>
  (value) =>
    Number.isSafeInteger(value) && Number(value) >= least

export const finite: Check = (value) => Number.isFinite(value)

export const yesOrNo: Check = (value) => typeof value === "boolean"

export const url: Check = (value) => typeof value === "string" && URL.canParse(value)

/** A field that may be left out. */
export const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value)

/** An object with these fields and no other. */
export const exactly =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false
    const body = asBody(value)
    return (
      Object.keys(body).every((name) => name in fields) &&
      Object.entries(fields).every(([name, check]) => check(body[name]))
    )
  }

export const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)

/** Refuses, with 422, a body with an unknown, a missing or a wrong field. */
export const insist = (fields: Readonly<Record<string, Check>>, body: Body): Body => {
  if (!exactly(fields)(body)) throw new Refusal(422, "unprocessable")
  return body
}

export const platform = oneOf("ios", "android")
export const hash = matching(/^[0-9a-f]{64}$/)
export const commit = matching(/^[0-9a-f]{40}$/)
export const mime = matching(/^[\w.+-]+\/[\w.+-]+(?:; ?[\w-]+=[\w.-]+)*$/)
export const branch = text(100)
export const file = exactly({ path: text(200), size: wholeFrom(1), mime, sha256: hash })
