import type { Refusal } from "./http.ts"

/** A JSON object whose members are not checked yet. */
export type Body = Readonly<Record<string, unknown>>

const isBody = (value: unknown): value is Body => typeof value === "object" && value !== null && !Array.isArray(value)

/** The value as an object; empty when it isn't one. */
export const asBody = (value: unknown): Body => (isBody(value) ? value : {})

/** The value as a list; empty when it isn't one. */
export const asList = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** The value as a text; `undefined` when it isn't one or is empty. */
export const asText = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined

/** The value as a whole number of at least 0; `undefined` when it isn't one. */
export const asCount = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined

/** The body of a request, which must be a JSON object. */
export const bodyOf = ({ body }: { readonly body: Buffer }, refusal: Refusal): Body => {
  const parsed = parseBody(body)
  if (parsed === undefined) throw refusal
  return parsed
}

/** The JSON object in the body of a request; `undefined` when it isn't one. */
export const parseBody = (bytes: Buffer): Body | undefined => {
  try {
    const value: unknown = JSON.parse(bytes.toString())
    return isBody(value) ? value : undefined
  } catch {
    return undefined
  }
}
