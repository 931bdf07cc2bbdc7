import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer, Option, Random } from "effect"
import { TestClock } from "effect/testing"
import { NotFound, Unavailable } from "../model/Problem.ts"
import { Conflict } from "../ports/WriteFailure.ts"
import { makeHistories, retryOnConflict } from "./commits.ts"
import { QuarantineStore } from "../ports/QuarantineStore.ts"
import { RepositoryStore } from "../ports/RepositoryStore.ts"
import { TestHistoryStore } from "../ports/TestHistoryStore.ts"
import { run } from "../rules/testing/historyOfRuns.ts"

/** An attempt that conflicts this many times before it succeeds, and a count of the attempts. */
const conflicting = (times: number) => {
  const made = { count: 0 }
  const attempt = Effect.suspend(() => (++made.count > times ? Effect.succeed("done") : Effect.fail(new Conflict())))
  return { attempt, made }
}

describe("deciding again after a conflict", () => {
  it.effect("waits between two attempts", () =>
    Effect.gen(function* () {
      const { attempt, made } = conflicting(3)
      const fiber = yield* Effect.forkChild(retryOnConflict(attempt), { startImmediately: true })
      assert.strictEqual(made.count, 1)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(fiber), "done")
      assert.strictEqual(made.count, 4)
    })
  )

  it.effect("ends as Unavailable after some seconds of nothing but conflicts", () =>
    Effect.gen(function* () {
      const { attempt, made } = conflicting(Infinity)
      const fiber = yield* Effect.forkChild(Effect.flip(retryOnConflict(attempt)), { startImmediately: true })
      yield* TestClock.adjust("10 seconds")
      assert.instanceOf(yield* Fiber.join(fiber), Unavailable)
      assert.isAtMost(made.count, 100)
    })
  )

  it.effect("runs once if there is no conflict", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* retryOnConflict(Effect.succeed(1)), 1)
      let attempts = 0
      const refused = Effect.suspend(() => {
        attempts++
        return Effect.fail(NotFound.default)
      })
      assert.instanceOf(yield* Effect.flip(retryOnConflict(refused)), NotFound)
      assert.strictEqual(attempts, 1)
    })
  )

  it.effect("lets two hundred concurrent changes of one record succeed", () =>
    Effect.gen(function* () {
      let version = 0
      const change = Effect.gen(function* () {
        const loaded = version
        yield* Effect.sleep("2 millis")
        if (version !== loaded) return yield* new Conflict()
        version++
      })
      const changes = Effect.replicateEffect(retryOnConflict(change), 200, { concurrency: "unbounded", discard: true })
      const fiber = yield* Effect.forkChild(changes, { startImmediately: true })
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(fiber)
      assert.strictEqual(version, 200)
    }).pipe(Random.withSeed("two hundred at once"))
  )
})

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
    const none = { all: Option.none(), branch: Option.none(), ciRun: Option.none(), quarantine: Option.none() }
    const stores = Layer.mergeAll(
      Layer.mock(TestHistoryStore, {
        loadForRun: () => Effect.succeed(none),
        storedRuns: () => Effect.succeed(runs)
      }),
      Layer.mock(QuarantineStore, {}),
      Layer.mock(RepositoryStore, {})
    )
    return Effect.gen(function* () {
      const [first] = runs
      if (first === undefined) return assert.fail()
      const { tests } = yield* (yield* makeHistories).withoutRun(first)
      assert.isNotEmpty(tests[0]?.next?.results)
      assert.isAtMost(most, 100)
    }).pipe(Effect.provide(stores))
  }
)
