import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Option } from "effect"
import { AccountId } from "../model/Account.ts"
import { ShareId } from "../model/Preview.ts"
import { RepositoryId } from "../model/Repository.ts"
import { TestRunId, type TestRun } from "../model/TestRun.ts"
import { TestHistoryStore } from "../ports/TestHistoryStore.ts"
import { makeHistories } from "./histories.ts"

it.effect(
  "a deletion computes what its test's history needs of 2,000 stored runs in many turns of the event loop",
  () => {
    let [now, most] = [0, 0]
    const isRead = () => {
      if (now++ === 0) setImmediate(() => (now = 0))
      most = Math.max(most, now)
    }
    const runs = Array.from({ length: 2000 }, (_, index) => {
      const run: TestRun = {
        id: TestRunId.make(String(index).padStart(4, "0")),
        accountId: AccountId.make("a"),
        repositoryId: RepositoryId.make("r"),
        previewShareId: ShareId.make("share"),
        kind: "maestro",
        name: "Pay",
        status: "passed",
        source: `github:${index % 100}`,
        branch: "main",
        createdAt: DateTime.makeUnsafe(index)
      }
      return Object.defineProperty(run, "failureMessage", { get: isRead })
    }).toReversed()
    const stores = Layer.mock(TestHistoryStore, {
      loadForRun: () => Effect.succeed({ all: Option.none(), branch: Option.none(), ciRun: Option.none() }),
      storedRuns: () => Effect.succeed(runs)
    })
    return Effect.gen(function* () {
      const [first] = runs
      if (first === undefined) return assert.fail()
      const { tests } = yield* (yield* makeHistories).withoutRun(first)
      assert.isNotEmpty(tests[0]?.next?.results)
      assert.isAtMost(most, 100)
    }).pipe(Effect.provide(stores))
  }
)
