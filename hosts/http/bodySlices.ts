import { Predicate } from "effect"
import type { Mismatch } from "./mismatches.ts"

/** How many items of a list are decoded in one turn of the event loop. */
export const itemsAtOnce = 500

/** A body whose lists are cut to at most `itemsAtOnce` items each: those from index `from` on. */
export interface BodySlice {
  readonly from: number
  readonly body: unknown
}

/** The lists that a body has in these fields. */
const listsOf = (body: unknown, fields: ReadonlyArray<string>) =>
  fields.flatMap((field) => {
    const items: unknown = Predicate.hasProperty(body, field) ? body[field] : undefined
    return Array.isArray(items) ? [[field, items as ReadonlyArray<unknown>] as const] : []
  })

/** The slices of a body: itself, if the lists in these fields are short enough to be decoded at once. */
export const slicesOf = (body: unknown, fields: ReadonlyArray<string>): ReadonlyArray<BodySlice> => {
  const lists = listsOf(body, fields)
  const longest = Math.max(1, ...lists.map(([, { length }]) => length))
  return Array.from({ length: Math.ceil(longest / itemsAtOnce) }, (_, index) => {
    const from = index * itemsAtOnce
    const slices = lists.map(([field, items]) => [field, items.slice(from, from + itemsAtOnce)] as const)
    return { from, body: lists.length === 0 ? body : { ...Object(body), ...Object.fromEntries(slices) } }
  })
}

/** The decoded slices of a body as the whole body. */
export const joined = <A>(slices: readonly [A, ...ReadonlyArray<A>], fields: ReadonlyArray<string>): A => {
  const [first, ...others] = slices
  if (others.length === 0) return first
  const lists = listsOf(first, fields).map(([field]) => [
    field,
    slices.flatMap((one) => listsOf(one, [field])[0]?.[1] ?? [])
  ])
  return { ...first, ...Object.fromEntries(lists) }
}

/**
 * An issue found in a slice, with its path in the whole body. Every slice finds the issues outside the lists; only the
 * first slice reports them.
 */
export const inWholeBody = (
  mismatch: Mismatch,
  from: number,
  fields: ReadonlyArray<string>
): ReadonlyArray<Mismatch> => {
  const [field, index, ...below] = mismatch.path
  if (from === 0) return [mismatch]
  const isInList = typeof index === "number" && fields.some((one) => one === field)
  return isInList ? [{ ...mismatch, path: [String(field), index + from, ...below] }] : []
}
