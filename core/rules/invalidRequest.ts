/** What a schema refuses, as the issues that an `InvalidRequest` lists. */
import { SchemaIssue } from "effect"
import { InvalidRequest, type Issue } from "../model/Problem.ts"

/**
 * An `InvalidRequest` with the issues found, up to as many as are listed. An issue of `others` is added if none of those
 * found has its path.
 */
export const invalidRequest = (found: ReadonlyArray<Issue>, others: ReadonlyArray<Issue> = []): InvalidRequest => {
  const named = new Set(found.map(({ path }) => path))
  const issues = [...found, ...others.filter(({ path }) => !named.has(path))]
  return new InvalidRequest({
    detail:
      issues.length > maxIssues
        ? `The request does not fit in more than ${maxIssues} places; issues has the first ${maxIssues}.`
        : "The request does not fit; see issues.",
    issues: issues.slice(0, maxIssues)
  })
}

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
