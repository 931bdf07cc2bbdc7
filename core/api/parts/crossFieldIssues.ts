import { Context } from "effect"
import type { Issue } from "../../model/Problem.ts"

/**
 * An endpoint annotation that finds issues between fields of the raw body. A schema checks those only after every field
 * is valid by itself; with this annotation they are reported together with the others.
 */
export const CrossFieldIssues = Context.Reference<(body: unknown) => ReadonlyArray<Issue>>(
  "slipway/core/api/CrossFieldIssues",
  { defaultValue: () => () => [] }
)
