import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { AccountId } from "../model/Account.ts"
import { CurrentPermit, RequestScheduler, type RequestSource } from "./RequestScheduler.ts"
import { Settings } from "./Settings.ts"

const [busy, other] = [AccountId.make("busy"), AccountId.make("other")]
const turn = Effect.promise(() => new Promise<void>((resolve) => void setImmediate(resolve)))
const turns = Effect.replicateEffect(turn, 200, { discard: true })

/** A scheduler, and the requests that have begun on it in this order, each with its end. */
const makeScene = Effect.gen(function* () {
  const settings = Settings.layer({ url: "http://127.0.0.1", maxConcurrentRequests: 4, maxWaitingRequests: 20 })
  const scheduler = Context.get(yield* Layer.build(Layer.provide(RequestScheduler.layer, settings)), RequestScheduler)
  const begun: Array<{ readonly of: string; readonly end: Effect.Effect<unknown> }> = []
  let finished = 0

  /** Sends a request, which runs until the test ends it. */
  const send = (of: string, source: RequestSource = { credential: of }, account?: AccountId, byUrl = false) =>
    scheduler
      .schedule(
        source,
        Effect.gen(function* () {
          const permit = yield* CurrentPermit
          if (account !== undefined) yield* permit.attribute(account, byUrl ? undefined : source.credential)
          const ended = yield* Deferred.make<void>()
          begun.push({ of, end: Deferred.succeed(ended, undefined) })
          yield* Deferred.await(ended)
          finished += 1
        })
      )
      .pipe(Effect.forkChild({ startImmediately: true }))
  const sendAs = (account: AccountId, key: string = account) => send(account, { credential: key }, account)
  const many = (times: number, account: AccountId) => Effect.replicateEffect(sendAs(account), times)
  /** Ends the requests that run, and waits until the next ones have begun. */
  const endAll = Effect.andThen(
    Effect.suspend(() => Effect.forEach(begun, ({ end }) => end)),
    turns
  )
  const names = () => begun.map(({ of }) => of)
  return { scheduler, begun, names, send, sendAs, many, endAll, finished: () => finished }
})

/** An account runs as many requests as it may, and more wait. */
const makeBusyScene = Effect.gen(function* () {
  const scene = yield* makeScene
  const fibers = yield* scene.many(20, busy)
  yield* turns
  assert.strictEqual(scene.begun.length, 4)
  return { ...scene, fibers }
})

describe("the scheduler of requests", () => {
  it.effect("runs a limited number of requests of an account at once, and all of them in the end", () =>
    Effect.gen(function* () {
      const { begun, endAll, fibers } = yield* makeBusyScene
      for (let round = 0; round < 10 && begun.length < 20; round += 1) yield* endAll
      yield* endAll
      yield* Fiber.joinAll(fibers)
    })
  )

  it.effect("runs a request of another account at once, with the same address", () =>
    Effect.gen(function* () {
      const scene = yield* makeBusyScene
      yield* scene.sendAs(other)
      yield* turns
      assert.deepStrictEqual(scene.names().slice(4), [other])
    })
  )

  it.effect("lets a busy account finish few requests during one of another account, and more after a second", () =>
    Effect.gen(function* () {
      const scene = yield* makeBusyScene
      yield* scene.sendAs(other)
      const ends = scene.begun.slice(0, 4)
      yield* Effect.forEach(ends, ({ end }) => end)
      yield* turns
      assert.strictEqual(scene.finished(), 4)
      assert.strictEqual(scene.begun.length, 5, "none of the busy account begins")
      yield* TestClock.adjust("1 second")
      yield* turns
      assert.strictEqual(scene.begun.length, 9, "the other account's request takes too long to delay anybody")
    })
  )

  it.effect("begins one request of an account while requests arrive in each turn, and those of other accounts", () =>
    Effect.gen(function* () {
      const scene = yield* makeScene
      yield* scene.sendAs(busy)
      yield* turns
      yield* scene.endAll
      for (let arrival = 0; arrival < 3; arrival += 1) {
        yield* scene.sendAs(busy)
        yield* turn
      }
      yield* scene.sendAs(other)
      yield* turn
      assert.deepStrictEqual(scene.names().slice(1), [busy, other])
      yield* turns
      assert.deepStrictEqual(scene.names().slice(1), [busy, other, busy, busy])
    })
  )

  it.effect("does not delay an account with few requests because of slow ones of another", () =>
    Effect.gen(function* () {
      const scene = yield* makeBusyScene
      for (let round = 0; round < 30; round += 1) {
        yield* scene.sendAs(other)
        yield* turn
        yield* scene.begun.at(-1)?.end ?? Effect.void
        assert.strictEqual(scene.names().at(-1), other)
      }
    })
  )

  it.effect("serves the keys of an account in turns", () =>
    Effect.gen(function* () {
      const scene = yield* makeScene
      yield* Effect.replicateEffect(scene.send("one", { credential: "one" }, busy), 4)
      yield* turns
      yield* Effect.replicateEffect(scene.send("one", { credential: "one" }, busy), 10)
      yield* scene.send("two", { credential: "two" }, busy)
      yield* turns
      yield* scene.endAll
      assert.include(scene.names().slice(4, 8), "two")
    })
  )

  it.effect("refuses requests above the bound before they begin, with the seconds to wait", () =>
    Effect.gen(function* () {
      const scene = yield* makeScene
      yield* scene.many(4, busy)
      yield* turns
      yield* scene.many(20, busy)
      yield* TestClock.adjust("7 seconds")
      const refused = yield* Effect.flip(Fiber.join(yield* scene.sendAs(busy)))
      assert.include(refused, { _tag: "RateLimited", policy: "concurrency", limit: 4, retryAfterSeconds: 7 })
      yield* scene.sendAs(other)
      yield* turns
      assert.include(scene.names(), other)
    })
  )

  it.effect(
    "remembers the account of a credential whose requests it refuses, so that they use no permits of addresses",
    () =>
      Effect.gen(function* () {
        const scene = yield* makeScene
        yield* scene.many(4, busy)
        yield* turns
        yield* scene.many(20, busy)
        for (let round = 0; round < 2; round += 1) {
          const request = scene.scheduler.schedule({ credential: busy }, Effect.die("begins"))
          assert.strictEqual((yield* Effect.flip(request))._tag, "RateLimited")
        }
      })
  )

  it.effect("refuses the key with the most waiting requests, not another one of its account", () =>
    Effect.gen(function* () {
      const scene = yield* makeScene
      const one = { credential: "one" }
      yield* Effect.replicateEffect(scene.send("one", one, busy), 4)
      yield* turns
      const waiting = yield* Effect.replicateEffect(scene.send("one", one, busy), 20)
      yield* scene.send("two", { credential: "two" }, busy)
      yield* turns
      const refused = waiting.map((fiber) => fiber.pollUnsafe() !== undefined)
      assert.deepStrictEqual(refused, [...Array.from({ length: 19 }, () => false), true])
      yield* scene.endAll
      assert.include(scene.names().slice(4, 8), "two")
    })
  )

  it.effect("does not take a credential for that of the account whose URL it opens", () =>
    Effect.gen(function* () {
      const scene = yield* makeScene
      yield* scene.send("shared", { credential: "stranger", client: "192.0.2.1" }, other, true)
      yield* turns
      yield* scene.endAll
      // Not authenticated yet, so they wait for their address, not for the account.
      yield* Effect.replicateEffect(scene.send("stranger", { credential: "stranger", client: "192.0.2.1" }), 24)
      yield* Effect.replicateEffect(scene.sendAs(other), 4)
      yield* turns
      assert.strictEqual(scene.names().filter((name) => name === other).length, 4)
    })
  )

  it.effect("refuses a request that has waited for 30 seconds", () =>
    Effect.gen(function* () {
      const { fibers } = yield* makeBusyScene
      yield* TestClock.adjust("31 seconds")
      const last = fibers.at(-1) ?? assert.fail()
      assert.strictEqual((yield* Effect.flip(Fiber.join(last)))._tag, "RateLimited")
    })
  )

  it.effect("delays no account because of requests that are not authenticated", () =>
    Effect.gen(function* () {
      const scene = yield* makeScene
      yield* scene.sendAs(other)
      yield* scene.begun[0]?.end ?? Effect.void
      // Each from an address of its own, so that all permits for such requests are used.
      yield* Effect.forEach(Array.from({ length: 100 }), (_, index) =>
        scene.send("wrong", { credential: `wrong ${index}`, client: `192.0.2.${index}` })
      )
      yield* turns
      assert.strictEqual(scene.begun.length, 1 + 32)
      yield* scene.sendAs(other)
      yield* turns
      assert.strictEqual(scene.names().at(-1), other)
    })
  )

  it.effect("serves credentials of one address in turns, so that many wrong keys let a right one pass", () =>
    Effect.gen(function* () {
      const scene = yield* makeScene
      const client = "192.0.2.1"
      yield* Effect.replicateEffect(scene.send("wrong", { credential: "wrong", client }), 20)
      yield* turns
      yield* scene.send("right", { credential: "right", client }, other)
      yield* scene.endAll
      assert.include(scene.names().slice(4, 8), "right")
    })
  )

  it.effect("forgets the account of a credential that is no longer valid", () =>
    Effect.gen(function* () {
      const scene = yield* makeScene
      yield* scene.sendAs(busy, "revoked")
      yield* scene.endAll
      // Not attributed, as it was refused.
      yield* scene.send("refused", { credential: "revoked" })
      yield* scene.endAll
      yield* Effect.replicateEffect(scene.send("refused", { credential: "revoked" }), 20)
      yield* scene.sendAs(busy)
      yield* turns
      assert.include(scene.names(), busy)
    })
  )

  it.effect("gives the permit of a paused request to another, and releases that of an interrupted one", () =>
    Effect.gen(function* () {
      const { begun, fibers, scheduler } = yield* makeBusyScene
      yield* Fiber.interrupt(fibers[0] ?? assert.fail())
      yield* turns
      assert.strictEqual(begun.length, 5)
      const steps: Array<string> = []
      const paused = yield* Deferred.make<void>()
      const one = yield* scheduler
        .schedule(
          { credential: "paused" },
          Effect.gen(function* () {
            const permit = yield* CurrentPermit
            yield* permit.attribute(other, "")
            yield* permit.pause
            yield* Deferred.await(paused)
            yield* permit.resume
            steps.push("resumed")
          })
        )
        .pipe(Effect.forkChild)
      yield* turns
      const four = yield* Effect.replicateEffect(
        scheduler
          .schedule(
            { credential: "paused" },
            Effect.andThen(
              Effect.flatMap(CurrentPermit, (p) => p.attribute(other, "")),
              Effect.never
            )
          )
          .pipe(Effect.forkChild),
        4
      )
      yield* turns
      yield* Deferred.succeed(paused, undefined)
      yield* turns
      assert.deepStrictEqual(steps, [])
      yield* Fiber.interrupt(four[0] ?? assert.fail())
      assert.isTrue(Exit.isSuccess(yield* Fiber.await(one)))
    })
  )

  it.effect("gives the permit of a request whose client sends its body slowly to another", () =>
    Effect.gen(function* () {
      const scene = yield* makeScene
      const slow = scene.scheduler.schedule(
        { credential: "slow" },
        Effect.gen(function* () {
          const permit = yield* CurrentPermit
          yield* permit.attribute(busy, "")
          return yield* permit.whileReading(Effect.never)
        })
      )
      yield* Effect.replicateEffect(Effect.forkChild(slow), 4)
      yield* turns
      yield* scene.sendAs(busy)
      yield* turns
      assert.isEmpty(scene.begun)
      yield* TestClock.adjust("2 seconds")
      yield* turns
      assert.strictEqual(scene.begun.length, 1)
    })
  )

  it.effect("begins few waiting requests in one turn of the event loop", () =>
    Effect.gen(function* () {
      const { scheduler } = yield* makeScene
      let [now, peak, done] = [0, 0, 0]
      let next = setImmediate(function again() {
        now = 0
        next = setImmediate(again)
      })
      const work = Effect.sync(() => {
        done += 1
        peak = Math.max(peak, (now += 1))
      })
      yield* Effect.replicateEffect(
        Effect.forkChild(scheduler.schedule({ credential: "busy" }, work), { startImmediately: true }),
        20
      )
      yield* turns
      clearImmediate(next)
      assert.strictEqual(done, 20)
      assert.isAtMost(peak, 4)
    })
  )
})
