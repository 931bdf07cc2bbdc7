import { Result } from "effect"
import type { DeclaredObject } from "../model/Artifact.ts"
import { InvalidRequest, PayloadTooLarge, type Issue } from "../model/Problem.ts"

/** How much one reservation may declare. Sizes are in bytes; `fileBytes` holds for recordings too. @see docs/interface.md#8 */
export interface Limits {
  readonly bundleBytes: number
  readonly fileBytes: number
  readonly totalBytes: number
  readonly files: number
  readonly recordings: number
}

export const defaultLimits: Limits = {
  bundleBytes: 512 * 1024 ** 2,
  fileBytes: 512 * 1024 ** 2,
  totalBytes: 2 * 1024 ** 3,
  files: 1000,
  recordings: 100
}

/** A list of a declaration whose length is limited. */
export type LimitedList = "files" | "recordings"

/** The mismatch of a list with `length` items; `undefined` when it may have that many. */
export const listLengthIssue = (path: string, length: number, most: number): Issue | undefined =>
  length > most ? { path, message: `must have at most ${most} items, not ${length}` } : undefined

/** The limits, lowered so that no object is larger than what one PUT to the store can hold. */
export const limitsOfPut = (limits: Limits, largestPut = Number.MAX_SAFE_INTEGER): Limits => ({
  ...limits,
  bundleBytes: Math.min(limits.bundleBytes, largestPut),
  fileBytes: Math.min(limits.fileBytes, largestPut)
})

/** Where in the request body the size of an object stands. */
const sizeField = (object: DeclaredObject): string =>
  object.name === "bundle" ? "bundleSizeBytes" : `${object.name.replaceAll("/", ".")}.sizeBytes`

/** Checks a declaration against the limits: too many files are an `InvalidRequest`, too many bytes a `PayloadTooLarge`. */
export const checkLimits = (
  objects: ReadonlyArray<DeclaredObject>,
  limits: Limits
): Result.Result<void, InvalidRequest | PayloadTooLarge> => {
  for (const field of ["files", "recordings"] as const) {
    const count = objects.filter((object) => object.name.startsWith(`${field}/`)).length
    const issue = listLengthIssue(field, count, limits[field])
    if (issue !== undefined) {
      return Result.fail(new InvalidRequest({ detail: `The request declares too many ${field}.`, issues: [issue] }))
    }
  }
  const issues: Array<Issue> = []
  let total = 0
  for (const object of objects) {
    const limit = object.name === "bundle" ? limits.bundleBytes : limits.fileBytes
    total += object.sizeBytes
    if (object.sizeBytes > limit) {
      issues.push({ path: sizeField(object), message: `must be at most ${limit} bytes, not ${object.sizeBytes}` })
    }
  }
  if (issues.length === 0 && total > limits.totalBytes) {
    issues.push({
      path: "bundleSizeBytes",
      message: `the bundle and everything beside it must be at most ${limits.totalBytes} bytes together, not ${total}`
    })
  }
  return issues.length === 0
    ? Result.void
    : Result.fail(new PayloadTooLarge({ detail: "The declared sizes are over a limit.", issues }))
}
