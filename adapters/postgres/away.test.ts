/** A server that stops while hosts use it, and comes back. */
import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Logger, Option, Redacted, Ref, Result } from "effect"
import { TestClock } from "effect/testing"
import { it } from "../../core/testing/layer.ts"
import { Unavailable } from "../../core/model/Problem.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { RepositoryStore } from "../../core/ports/RepositoryStore.ts"
import { makeAccount, makeRepository } from "../kit/parts/samples.ts"
import { layer, layerClient, layerMigrations } from "./index.ts"
import { makeDetour } from "./testing/detour.ts"
import { newDatabase, startPostgres } from "./testing/server.ts"

const quiet = Logger.layer([])

const layerHost = (url: string) =>
  layer.pipe(
    Layer.provide(layerMigrations),
    Layer.provide(layerClient({ url: Redacted.make(url) })),
    Layer.merge(quiet)
  )

/** Completes `all` once each of `size` callers has called `seenBy`. */
const makeGathering = Effect.fnUntraced(function* (size: number) {
  const missing = yield* Ref.make(new Set(Array.from({ length: size }, (_, index) => index)))
  const all = yield* Deferred.make<void>()
  return {
    all: Deferred.await(all),
    seenBy: (index: number) =>
      Ref.updateAndGet(missing, (before) => new Set([...before].filter((one) => one !== index))).pipe(
        Effect.flatMap((left) => (left.size === 0 ? Deferred.succeed(all, undefined) : Effect.succeed(false)))
      )
  }
})

describe("a server that is stopped and started again", () => {
  it.live(
    "makes every call fail with Unavailable while it is down, and calls succeed again without a restart",
    function* () {
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => startPostgres()),
        ({ remove }) => Effect.promise(remove)
      )
      yield* Effect.gen(function* () {
        const accounts = yield* AccountStore
        const repositories = yield* RepositoryStore
        const account = makeAccount()
        yield* accounts.insert(account)
        const asked: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
          accounts.findByName(account.name),
          Effect.suspend(() => accounts.insert(makeAccount())),
          Effect.suspend(() => repositories.link(makeRepository(account)))
        ]
        const askers = Array.from({ length: 48 }, (_, index) => index)
        const [served, refused, servedAgain] = yield* Effect.all([
          makeGathering(askers.length),
          makeGathering(askers.length),
          makeGathering(askers.length)
        ])
        const isBack = yield* Ref.make(false)
        const ask = Effect.fnUntraced(function* (index: number) {
          const back = yield* Ref.get(isBack)
          const result = yield* Effect.result(asked[index % asked.length] ?? Effect.void)
          if (Result.isSuccess(result)) yield* (back ? servedAgain : served).seenBy(index)
          else {
            assert.strictEqual(result.failure, Unavailable.default)
            yield* refused.seenBy(index)
          }
        })
        const all = yield* Effect.forkChild(
          Effect.forEach(askers, (index) => Effect.forever(ask(index)), { concurrency: "unbounded" })
        )
        const orFailure = <A>(seen: Effect.Effect<A>) =>
          Effect.raceFirst(seen, Effect.andThen(Fiber.join(all), Effect.never))
        yield* orFailure(served.all)
        yield* Effect.promise(server.stop)
        yield* orFailure(refused.all)
        yield* Effect.promise(server.start)
        yield* Ref.set(isBack, true)
        yield* orFailure(servedAgain.all)
        yield* Fiber.interrupt(all)
        assert.isTrue(Option.isSome(yield* accounts.findByName(account.name)))
      }).pipe(Effect.provide(layerHost(server.url)))
    }
  )
})

describe("a server that stops answering without closing its connections", () => {
  it.effect(
    "makes calls fail with Unavailable after six seconds, and is reached by new connections after a minute",
    function* () {
      const detour = yield* makeDetour(yield* newDatabase)
      yield* Effect.gen(function* () {
        const accounts = yield* AccountStore
        yield* accounts.insert(makeAccount({ name: "kept" }))
        detour.fallSilent()
        const asking = yield* Effect.forkChild(Effect.flip(accounts.findByName("kept")), { startImmediately: true })
        yield* TestClock.adjust("6 seconds")
        assert.strictEqual(yield* Fiber.join(asking), Unavailable.default)
        yield* TestClock.adjust("1 minute")
        assert.isTrue(Option.isSome(yield* accounts.findByName("kept")))
      }).pipe(Effect.provide(layerHost(detour.url)))
    }
  )
})
