import { Effect } from "effect"
import type { Caller } from "../../../core/model/ApiKey.ts"
import type { TestRunView } from "../../../core/model/TestRun.ts"
import { TestRuns } from "../../../core/service/TestRuns.ts"

/** Of listed runs, those that no later attempt of their CI run replaced, each with the attempts that it replaced. */
export const latestRuns = Effect.fnUntraced(function* (caller: Caller, listed: ReadonlyArray<TestRunView>) {
  const tests = yield* (yield* TestRuns).attempts(caller, listed)
  return tests.filter(([latest], index) => latest.run.id === listed[index]?.run.id)
})
