import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import type { Credential } from "../../session/Exchange.ts"
import type { CheckTable } from "../steps/Check.ts"
import { keyOf } from "../steps/accounts.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { hostedPreview } from "../steps/previews.ts"
import { listRuns, mustNotBeStored, registerRun, runBranch, sendRun } from "../steps/runs.ts"
import { wrongKeyChecks } from "../steps/wrongKeys.ts"

const bytes = bundleSizeBytes

const listOf = Effect.fnUntraced(function* (as: Credential) {
  const dialect = yield* Dialect
  return yield* dialect.listRuns({ branch: yield* runBranch, limit: 100 }, as)
})

/** Which keys the endpoints of test runs accept. */
export const keyChecks: CheckTable = {
  ...wrongKeyChecks(
    "runs",
    { scope: "test_runs", lackedBy: ["builds", "previewUpload", "withoutTestRuns"] },
    {
      register: {
        noun: "A registration of a test run",
        cost: { requests: 4, bytes },
        attempt: Effect.map(hostedPreview("preview"), ({ shareId }) => ({
          send: (as) => sendRun("first", shareId, {}, as),
          prove: mustNotBeStored("first", "A registration that was refused")
        }))
      },
      list: {
        noun: "A list of test runs",
        cost: { requests: 1, bytes: 0 },
        readOnly: true,
        // A list that was answered to the account may be in a cache.
        attempt: Effect.as(listRuns({}), { send: (as) => listOf(as) })
      }
    }
  ),
  "runs.scope.suffices": {
    title: "A key that has only the scope `test_runs` registers and lists test runs.",
    cost: { requests: 5, bytes },
    *run() {
      const key = keyOf("a", "testRuns")
      const { shareId } = yield* hostedPreview("preview")
      yield* registerRun("first", shareId, {}, key)
      yield* listRuns({}, key)
    }
  }
}
