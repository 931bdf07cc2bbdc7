import { Context, Predicate, Schema } from "effect"
import { IdempotencyKey } from "../model/Idempotency.ts"
import type { Issue } from "../model/Problem.ts"
import { repeatedPath, repeatedPaths } from "../model/Artifact.ts"

/** A whole number in decimal digits, as in a query. Excludes the empty string, which JavaScript converts to 0. */
export const WholeNumber = Schema.String.check(
  Schema.isPattern(/^[+-]?\d+$/, { message: "must be a whole number" })
).pipe(Schema.decodeTo(Schema.FiniteFromString))

/** The header of requests that can be repeated without being executed twice. */
export const idempotencyHeader = { "idempotency-key": Schema.optionalKey(IdempotencyKey) }

/**
 * An endpoint annotation that finds issues between fields of the raw body. A schema checks those only after every field
 * is valid by itself; with this annotation they are reported together with the others.
 */
export const CrossFieldIssues = Context.Reference<(body: unknown) => ReadonlyArray<Issue>>(
  "slipway/core/api/CrossFieldIssues",
  { defaultValue: () => () => [] }
)

/** The repeated paths among the declared files of a body, whether or not the rest of it is valid. */
export const repeatedFilePaths = (body: unknown): ReadonlyArray<Issue> => {
  const files: unknown = Predicate.hasProperty(body, "files") ? body.files : undefined
  if (!Array.isArray(files)) return []
  const declared = files.map((file: unknown) => (Predicate.hasProperty(file, "path") ? { path: file.path } : {}))
  return repeatedPaths(declared).map((index) => ({ path: `files.${index}.path`, message: repeatedPath }))
}
