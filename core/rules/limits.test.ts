import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { checkLimits, limitsOfPut } from "./limits.ts"

const limits = { bundleBytes: 100, fileBytes: 50, totalBytes: 140, files: 2, recordings: 1 }
const bundle = (sizeBytes: number) => ({ name: "bundle", sizeBytes, contentType: "a/b" })
const file = (index: number, sizeBytes: number) => ({
  name: `files/${index}`,
  path: `f${index}`,
  sizeBytes,
  contentType: "a/b"
})

const paths = (objects: Parameters<typeof checkLimits>[0]) => {
  const result = checkLimits(objects, limits)
  return Result.isSuccess(result) ? [] : [result.failure._tag, ...(result.failure.issues ?? []).map(({ path }) => path)]
}

describe("limits", () => {
  it("a declaration at every limit passes", () => {
    assert.deepStrictEqual(paths([bundle(100), file(0, 40), file(1, 0)]), [])
  })

  it("every size over its limit is named by its field", () => {
    assert.deepStrictEqual(paths([bundle(101), file(0, 51), file(1, 51)]), [
      "PayloadTooLarge",
      "bundleSizeBytes",
      "files.0.sizeBytes",
      "files.1.sizeBytes"
    ])
  })

  it("no object may be larger than what one PUT stores, unless the limit is lower anyway", () => {
    assert.deepStrictEqual(limitsOfPut(limits, 60), { ...limits, bundleBytes: 60, fileBytes: 50 })
    assert.deepStrictEqual(limitsOfPut(limits), limits)
  })

  it("the total size has a limit too", () => {
    assert.deepStrictEqual(paths([bundle(100), file(0, 41)]), ["PayloadTooLarge", "bundleSizeBytes"])
  })

  it("too many files are a mismatch of files", () => {
    assert.deepStrictEqual(paths([bundle(1), file(0, 1), file(1, 1), file(2, 1)]), ["InvalidRequest", "files"])
  })
})
