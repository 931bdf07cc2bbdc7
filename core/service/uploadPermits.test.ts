import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Queue, Stream } from "effect"
import { AccountId } from "../model/Account.ts"
import { makeUploadPermits } from "./uploadPermits.ts"

const [busy, other] = [AccountId.make("busy"), AccountId.make("other")]
const piece = new Uint8Array(1)

/** The operations of a store, which the test controls, in the order of their calls. */
const makeStoring = Effect.gen(function* () {
  const given = yield* Queue.unbounded<{ readonly of: AccountId; readonly done: Effect.Effect<void> }>()
  const store = Effect.fnUntraced(function* (of: AccountId) {
    const stored = yield* Deferred.make<void>()
    yield* Queue.offer(given, { of, done: Effect.asVoid(Deferred.succeed(stored, undefined)) })
    yield* Deferred.await(stored)
  })
  return { store, next: Queue.take(given), size: Queue.size(given) }
})

const makeScene = Effect.gen(function* () {
  const inTurnsOf = yield* makeUploadPermits
  const [pieces, ends] = [yield* makeStoring, yield* makeStoring]
  /** Begins an upload, which runs until it waits. */
  const begin = (account: AccountId, bytes: Stream.Stream<Uint8Array> = Stream.succeed(piece)) =>
    Effect.gen(function* () {
      const inTurns = yield* inTurnsOf(account)
      yield* Stream.runForEach(inTurns(bytes), () => pieces.store(account))
      yield* ends.store(account)
    }).pipe(Effect.scoped, Effect.forkChild({ startImmediately: true }))
  return { begin, pieces, ends }
})

/** Two accounts upload; two pieces of the busy one are being stored, and 48 more wait. */
const makeBusyScene = Effect.gen(function* () {
  const scene = yield* makeScene
  yield* scene.begin(other, Stream.never)
  const uploads = yield* Effect.replicateEffect(scene.begin(busy), 50)
  const storing = [yield* scene.pieces.next, yield* scene.pieces.next]
  assert.strictEqual(yield* scene.pieces.size, 0)
  return { ...scene, uploads, storing }
})

describe("permits of uploads", () => {
  it.effect("an account's piece is stored among the next two, however many of another account wait", () =>
    Effect.gen(function* () {
      const { begin, pieces, storing } = yield* makeBusyScene
      yield* begin(other)
      const next = yield* Effect.forEach(storing, ({ done }) => Effect.andThen(done, pieces.next))
      assert.include(
        next.map(({ of }) => of),
        other
      )
    })
  )

  it.effect(
    "an account with many uploads gets its permits beside accounts with one each, which request again at once",
    () =>
      Effect.gen(function* () {
        const { begin, pieces } = yield* makeScene
        const endless = Stream.forever(Stream.succeed(piece))
        const accounts = ["one", "two", "three"].map((name) => AccountId.make(name))
        yield* Effect.forEach([...accounts, ...Array.from({ length: 10 }, () => busy)], (account) =>
          begin(account, endless)
        )
        const turns = new Map<AccountId, number>()
        for (let turn = 0; turn < 400; turn += 1) {
          const { done, of } = yield* pieces.next
          turns.set(of, (turns.get(of) ?? 0) + 1)
          yield* done
        }
        for (const account of [...accounts, busy]) assert.isAtLeast(turns.get(account) ?? 0, 80, account)
      })
  )

  it.effect("each upload continues, piece by piece, until all have ended", () =>
    Effect.gen(function* () {
      const { begin, ends, pieces } = yield* makeScene
      yield* begin(other, Stream.never)
      const bytes = Stream.fromIterable([piece, piece, piece]).pipe(Stream.rechunk(1))
      const uploads = yield* Effect.forEach([busy, other, busy, other, busy], (account) => begin(account, bytes))
      for (const { next } of [pieces, ends]) {
        yield* Effect.forkChild(Effect.forever(Effect.flatMap(next, ({ done }) => done)))
      }
      yield* Fiber.joinAll(uploads)
    })
  )

  it.effect("while only one account uploads nothing waits", () =>
    Effect.gen(function* () {
      const { begin, pieces } = yield* makeScene
      yield* Effect.replicateEffect(begin(busy), 50)
      assert.strictEqual(yield* pieces.size, 50)
    })
  )

  it.effect("an upload that waits for bytes has no permit", () =>
    Effect.gen(function* () {
      const { begin, pieces } = yield* makeScene
      yield* Effect.replicateEffect(begin(busy, Stream.never), 10)
      yield* begin(other)
      assert.strictEqual((yield* pieces.next).of, other)
    })
  )

  it.effect("an interrupted upload releases its permit, and one that waited acquires none", () =>
    Effect.gen(function* () {
      const { begin, pieces, uploads } = yield* makeBusyScene
      yield* begin(other)
      // Those that wait first: otherwise they would get the released permits.
      yield* Fiber.interruptAll(uploads.toReversed())
      assert.strictEqual((yield* pieces.next).of, other)
      yield* begin(busy)
      assert.strictEqual((yield* pieces.next).of, busy)
    })
  )

  it.effect("two uploads end at once, and pieces don't wait for them", () =>
    Effect.gen(function* () {
      const { begin, ends, pieces } = yield* makeScene
      yield* begin(other, Stream.never)
      yield* Effect.replicateEffect(begin(busy, Stream.empty), 50)
      const [{ done }] = [yield* ends.next, yield* ends.next]
      assert.strictEqual(yield* ends.size, 0)
      yield* begin(other)
      assert.strictEqual((yield* pieces.next).of, other)
      yield* done
      assert.strictEqual((yield* ends.next).of, busy)
    })
  )
})
