import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Option } from "effect"
import { TestHistoryStore } from "../ports/TestHistoryStore.ts"
import { run } from "../rules/testing/historyOfRuns.ts"
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
      const made = run(String(index).padStart(4, "0"), 0, {
        source: `github:${index % 100}`,
        createdAt: DateTime.makeUnsafe(index)
      })
      return Object.defineProperty(made, "failureMessage", { get: isRead })
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
