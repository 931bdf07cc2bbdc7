import { assert, describe } from "@effect/vitest"
import { Effect, Layer, Logger, Ref } from "effect"
import { TestClock } from "effect/testing"
import { it } from "../../core/testing/layer.ts"
import { Unavailable } from "../../core/model/Problem.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { reportAway } from "../../core/ports/HostServices.ts"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import * as EngineOutages from "./engineOutages.ts"

describe("the log, when an engine is away", () => {
  it.effect("has the first failed call, a number each minute, and the end", function* () {
    const isAway = yield* Ref.make(true)
    const lines: Array<string> = []
    const tried = Effect.flatMap(Ref.get(isAway), (away) =>
      away ? Effect.andThen(fails, Effect.fail(Unavailable.default)) : Effect.succeedNone
    )
    const fails = reportAway("database", Effect.logWarning("The database can't be used: ECONNREFUSED"))
    const host = EngineOutages.layer.pipe(
      Layer.provide(Layer.mock(AccountStore, { findByName: () => tried })),
      Layer.provide(Layer.mock(ObjectStore, { check: Effect.void })),
      Layer.provideMerge(
        Logger.layer([
          Logger.make(({ logLevel, message }) => void lines.push([logLevel, message].flat().map(String).join(" ")))
        ])
      )
    )
    yield* Effect.gen(function* () {
      yield* Effect.replicateEffect(fails, 30, { concurrency: "unbounded" })
      const first = "Warn The database can't be used: ECONNREFUSED"
      assert.deepStrictEqual(lines, [first])
      yield* TestClock.adjust("1 minute")
      const minute = "Warn The database still can't be used: 29 calls failed in a minute"
      assert.deepStrictEqual(lines, [first, minute])
      yield* Ref.set(isAway, false)
      yield* TestClock.adjust("1 second")
      const end = "Info The database can be used again, after 1m 1s and 30 calls that failed"
      assert.deepStrictEqual(lines, [first, minute, end])
      yield* fails
      assert.deepStrictEqual(lines, [first, minute, end, first])
      // The other engine has an outage of its own.
      yield* reportAway("object store", Effect.logWarning("The object store can't be reached"))
      assert.strictEqual(lines.at(-1), "Warn The object store can't be reached")
    }).pipe(Effect.provide(host))
  })

  it.effect("has an object store that nothing uses", function* () {
    const lines: Array<unknown> = []
    const check = Effect.andThen(
      reportAway("object store", Effect.logWarning("The object store can't be reached")),
      Effect.fail(Unavailable.default)
    )
    const host = EngineOutages.layer.pipe(
      Layer.provide(Layer.mock(AccountStore, {})),
      Layer.provide(Layer.mock(ObjectStore, { check })),
      Layer.provideMerge(Logger.layer([Logger.make(({ message }) => void lines.push(message))]))
    )
    yield* TestClock.adjust("30 seconds").pipe(Effect.provide(host))
    assert.deepStrictEqual(lines, [["The object store can't be reached"]])
  })
})
