import { assert, describe, it } from "vitest"
import { block } from "./block.ts"
import type { Ended } from "./judge.ts"

const failed = (id: string, step?: string) => ({ id, outcome: "failed", step }) as const
const passed = (id: string) => ({ id, outcome: "passed" }) as const

const outcomes = (...results: ReadonlyArray<Ended & { readonly id: string }>) =>
  block(results).map(({ blockedBy, outcome }) => (blockedBy === undefined ? outcome : `${outcome} by ${blockedBy}`))

describe("a check whose preparation failed", () => {
  it("is blocked by the check that tests that step, and by the one which that comes down to", () => {
    assert.deepStrictEqual(outcomes(failed("list", "put"), failed("put"), passed("read")), [
      "blocked by put",
      "failed",
      "passed"
    ])
    assert.deepStrictEqual(outcomes(failed("list", "finalize"), failed("finalize", "put"), failed("put")), [
      "blocked by put",
      "blocked by put",
      "failed"
    ])
  })

  it("is blocked by a check that had no answer", () => {
    assert.deepStrictEqual(outcomes(failed("list", "put"), { id: "put", outcome: "no-answer" }), [
      "blocked by put",
      "no-answer"
    ])
  })

  it("fails when that check passed or wasn't made, and when two steps would only block each other", () => {
    assert.deepStrictEqual(outcomes(failed("list", "put"), passed("put")), ["failed", "passed"])
    assert.deepStrictEqual(outcomes(failed("list", "put")), ["failed"])
    assert.deepStrictEqual(outcomes(failed("one", "two"), failed("two", "one")), ["failed", "failed"])
  })
})
