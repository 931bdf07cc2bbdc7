import { Context } from "effect"
import type { Issue } from "../../model/Problem.ts"

/**
 * An annotation on an endpoint: finds the misfits between fields of a body as it was sent. A schema tells those only
 * once every field fits by itself; with this they are told together with the others.
 */
export const CrossFieldIssues = Context.Reference<(body: unknown) => ReadonlyArray<Issue>>(
  "slipway/core/api/CrossFieldIssues",
  { defaultValue: () => () => [] }
)
