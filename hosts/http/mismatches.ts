/** The errors of a schema as the issues that a refusal lists. */
import { SchemaIssue } from "effect"
import type { Issue } from "../../core/model/Problem.ts"

/** One mismatch, and its path in the request. */
export interface Mismatch {
  readonly path: ReadonlyArray<PropertyKey>
  readonly message: string
}

/** How many issues are listed at most. Without a bound, a small body could cause a huge answer. */
export const maxIssues = 1000

const leafMessage = (issue: SchemaIssue.Leaf): string =>
  issue._tag === "MissingKey" ? "is required" : SchemaIssue.defaultLeafHook(issue)

const format = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: leafMessage })

/** Yields the mismatches one by one, so that only those that are listed are formatted. */
function* walk(issue: SchemaIssue.Issue, path: ReadonlyArray<PropertyKey>): Generator<Mismatch> {
  switch (issue._tag) {
    case "Pointer":
      yield* walk(issue.issue, [...path, ...issue.path])
      break
    case "Encoding":
      yield* walk(issue.issue, path)
      break
    case "Composite":
      for (const one of issue.issues) yield* walk(one, path)
      break
    default:
      for (const { message, path: below = [] } of format(issue).issues) {
        yield { message, path: [...path, ...below.map((part) => (typeof part === "object" ? part.key : part))] }
      }
  }
}

/** The mismatches that a schema found: as many as are listed, and one more if there are more. */
export const mismatchesOf = (issue: SchemaIssue.Issue): ReadonlyArray<Mismatch> =>
  Array.from(walk(issue, []).take(maxIssues + 1))

/** A mismatch as a refusal lists it: dots between the segments of its path. */
export const toIssue = ({ message, path }: Mismatch): Issue => ({ message, path: path.map(String).join(".") })
