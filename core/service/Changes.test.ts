import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer, Queue, Ref, Stream } from "effect"
import { TestClock } from "effect/testing"
import { layerMetadata } from "../../adapters/memory/index.ts"
import { AccountId } from "../model/Account.ts"
import { AuditEntryId, type AuditedAction } from "../model/AuditEntry.ts"
import { Unauthorized, Unavailable } from "../model/Problem.ts"
import { AuditLog } from "../ports/AuditLog.ts"
import { Changes } from "./Changes.ts"

const account = { id: AccountId.make("acme") }
const reads = Effect.runSync(Ref.make(0))

const always = Effect.map(DateTime.now, DateTime.add({ days: 1 }))

const counted = Layer.effect(
  AuditLog,
  Effect.map(AuditLog, (log) =>
    AuditLog.of({
      ...log,
      list: (query) =>
        Effect.andThen(
          Ref.update(reads, (n) => n + 1),
          log.list(query)
        )
    })
  )
).pipe(Layer.provide(layerMetadata))

const add = Effect.fnUntraced(function* (id: string, action: AuditedAction) {
  const log = yield* AuditLog
  const entry = { id: AuditEntryId.make(id), accountId: account.id, at: yield* DateTime.now, action, subject: "" }
  yield* log.record(Effect.void, () => ({ ...entry, actor: { administrator: "test" } }))
})

it.effect("500 who watch an account see each change once, and the log is read once for all of them", () =>
  Effect.gen(function* () {
    const changes = yield* Changes
    yield* add("1", "run.registered")
    const begun = yield* Queue.unbounded<string>()
    const watching = yield* Effect.forEach(Array.from({ length: 500 }), () =>
      changes.watch({ account }, always).pipe(
        Stream.tap(({ id }) => Queue.offer(begun, id)),
        Stream.take(3),
        Stream.runCollect,
        Effect.forkChild
      )
    )
    yield* Queue.takeN(begun, 500)
    for (let second = 0; second < 20; second += 2) yield* TestClock.adjust("2 seconds")
    assert.strictEqual(yield* Ref.get(reads), 27)
    yield* add("2", "session.began")
    yield* TestClock.adjust("2 seconds")
    yield* add("3", "build.finalized")
    yield* TestClock.adjust("2 seconds")
    yield* add("4", "preview.deleted")
    yield* TestClock.adjust("2 seconds")
    const seen = yield* Effect.forEach(watching, Fiber.join)
    for (const one of seen) {
      assert.deepStrictEqual(
        one.map(({ id }) => id),
        ["1", "3", "4"]
      )
    }
    assert.strictEqual(seen[0]?.[1]?.watchers, 500)
    const before = yield* Ref.get(reads)
    yield* TestClock.adjust("1 minute")
    assert.strictEqual(yield* Ref.get(reads), before, "nobody watches any more")
  }).pipe(Effect.provide(Layer.provideMerge(Changes.layer, counted)))
)

it.effect(
  "a stream ends within a second after its right has ended or expired, and not while the engine is unavailable",
  () =>
    Effect.gen(function* () {
      const changes = yield* Changes
      const now = yield* DateTime.now
      const revoked = yield* Ref.make<Effect.Effect<DateTime.Utc, Unauthorized | Unavailable>>(always)
      const watch = (right: Effect.Effect<DateTime.Utc, Unauthorized | Unavailable>) =>
        Effect.forkChild(Stream.runDrain(changes.watch({ account }, right)))
      const ending = yield* watch(Effect.flatten(Ref.get(revoked)))
      const expiring = yield* watch(Effect.succeed(DateTime.add(now, { minutes: 1 })))
      const lasting = yield* watch(always)
      const hasEnded = (fiber: Fiber.Fiber<unknown, unknown>) => fiber.pollUnsafe() !== undefined
      const ended = () => [ending, expiring, lasting].map(hasEnded)

      yield* TestClock.adjust("30 seconds")
      yield* Ref.set(revoked, Effect.fail(Unavailable.default))
      yield* add("10", "key.revoked")
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(ended(), [false, false, false])
      yield* Ref.set(revoked, Effect.fail(new Unauthorized({ detail: "" })))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(ended(), [true, false, false])
      yield* TestClock.adjust("29 seconds")
      assert.deepStrictEqual(ended(), [true, true, false])
      yield* Fiber.interrupt(lasting)
    }).pipe(Effect.provide(Layer.provideMerge(Changes.layer, counted)))
)
