import { listsOf } from "../../core/api/parts/declaredLists.ts"
import type { LimitedList } from "../../core/rules/limits.ts"
import type { Misfit } from "./misfits.ts"

/** How many items of a list are decoded in one turn of the event loop. */
const itemsAtOnce = 1000

/** A body whose lists are cut to at most `itemsAtOnce` items each: those from index `from` on. */
export interface BodySlice {
  readonly from: number
  readonly body: object
}

/** The slices of a body; none when its lists are short enough to be decoded at once. */
export const slicesOf = (body: object, fields: ReadonlyArray<LimitedList>): ReadonlyArray<BodySlice> => {
  const lists = listsOf(body, fields)
  const longest = Math.max(0, ...lists.map(([, { length }]) => length))
  if (longest <= itemsAtOnce) return []
  return Array.from({ length: Math.ceil(longest / itemsAtOnce) }, (_, index) => {
    const from = index * itemsAtOnce
    const slices = lists.map(([field, items]) => [field, items.slice(from, from + itemsAtOnce)] as const)
    return { from, body: { ...body, ...Object.fromEntries(slices) } }
  })
}

/**
 * An issue found in a slice, with its path in the whole body. Every slice finds the issues outside the lists; only the
 * first slice reports them.
 */
export const inWholeBody = (
  misfit: Misfit,
  from: number,
  fields: ReadonlyArray<LimitedList>
): ReadonlyArray<Misfit> => {
  const [field, index, ...below] = misfit.path
  if (from === 0) return [misfit]
  const isInList = typeof index === "number" && fields.some((one) => one === field)
  return isInList ? [{ ...misfit, path: [String(field), index + from, ...below] }] : []
}
