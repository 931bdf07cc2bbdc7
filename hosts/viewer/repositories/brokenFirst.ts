import { Effect } from "effect"
import type { TestRunStatus } from "../../../core/model/TestRun.ts"

interface Page<A> {
  readonly tests: ReadonlyArray<A>
  readonly nextCursor?: string
}

/**
 * A page of tests of either status, the broken ones first, made of pages of one status each. Its cursor begins with the status whose
 * list it continues.
 */
export const brokenFirst = Effect.fnUntraced(function* <A, E, R>(
  list: (status: TestRunStatus, cursor: string | undefined, limit: number) => Effect.Effect<Page<A>, E, R>,
  cursor: string | undefined,
  limit: number
) {
  const [, status = "failed", after = ""] = /^(failed|passed)\.(.*)$/.exec(cursor ?? "") ?? []
  const isFailed = status === "failed"
  const broken: Page<A> = isFailed ? yield* list("failed", after || undefined, limit) : { tests: [] }
  const { nextCursor, tests } = broken
  if (nextCursor !== undefined) return { tests, nextCursor: `failed.${nextCursor}` }
  if (tests.length === limit) return { tests, nextCursor: "passed." }
  const passing = yield* list("passed", isFailed ? undefined : after || undefined, limit - tests.length)
  return {
    tests: [...tests, ...passing.tests],
    ...(passing.nextCursor === undefined ? {} : { nextCursor: `passed.${passing.nextCursor}` })
  }
})
