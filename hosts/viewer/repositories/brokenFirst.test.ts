import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { TestRunStatus } from "../../../core/model/TestRun.ts"
import { brokenFirst } from "./brokenFirst.ts"

const tests = { failed: ["f1", "f2", "f3", "f4"], passed: ["p1", "p2", "p3"] }

const list = (status: TestRunStatus, cursor: string | undefined, limit: number) => {
  const from = Number(cursor ?? 0)
  const to = from + limit
  return Effect.succeed({
    tests: tests[status].slice(from, to),
    ...(to < tests[status].length ? { nextCursor: String(to) } : {})
  })
}

it.effect("each test is on one page, the broken ones first, also where a page ends with the last broken one", () =>
  Effect.gen(function* () {
    for (const limit of [1, 2, 3, 4, 5, 7, 8]) {
      const pages: Array<ReadonlyArray<string>> = []
      let cursor: string | undefined
      do {
        const page: { readonly tests: ReadonlyArray<string>; readonly nextCursor?: string } = yield* brokenFirst(
          list,
          cursor,
          limit
        )
        pages.push(page.tests)
        cursor = page.nextCursor
      } while (cursor !== undefined)
      assert.deepStrictEqual(pages.flat(), [...tests.failed, ...tests.passed], `${limit}`)
      assert.isTrue(pages.slice(0, -1).every((page) => page.length === limit))
    }
  })
)
