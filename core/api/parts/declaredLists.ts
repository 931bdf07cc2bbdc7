import { Context, Predicate } from "effect"
import type { Issue } from "../../model/Problem.ts"
import { listLengthIssue, type Limits, type LimitedList } from "../../rules/limits.ts"

/**
 * An endpoint annotation that names the body's lists of limited length. Their lengths are checked before their items,
 * so that refusing a list that is far too long costs no more than a short one.
 */
export const DeclaredLists = Context.Reference<ReadonlyArray<LimitedList>>("slipway/core/api/DeclaredLists", {
  defaultValue: () => []
})

/** The lists that a body has in these fields, whatever their items are. */
export const listsOf = (
  body: object,
  fields: ReadonlyArray<LimitedList>
): ReadonlyArray<readonly [field: LimitedList, items: ReadonlyArray<unknown>]> =>
  fields.flatMap((field) => {
    const items: unknown = Predicate.hasProperty(body, field) ? body[field] : undefined
    return Array.isArray(items) ? [[field, items] as const] : []
  })

/** The lists of a body that exceed their limits. */
export const tooLongLists = (body: object, fields: ReadonlyArray<LimitedList>, limits: Limits): ReadonlyArray<Issue> =>
  listsOf(body, fields).flatMap(([field, { length }]) => listLengthIssue(field, length, limits) ?? [])
