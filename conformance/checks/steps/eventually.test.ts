/** How long a read is tried again: until it holds, and until one began after the consistency window. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { defaults, unlinkedRepository } from "../../config/defaults.ts"
import { Session } from "../../session/Session.ts"
import { content, unique } from "../../session/unique.ts"
import { eventually, settled } from "./eventually.ts"

const account = { linked: { owner: "north", repo: "harbour" }, unlinked: unlinkedRepository }

/** A target on which a read takes 10 ms and sees what was written at 0 from `seenAtMs` on. */
const target = (windowMs: number, seenAtMs: number) => {
  const began: Array<number> = []
  let nowMs = 0
  const config = { ...defaults, url: "http://target.example", accounts: { a: account, b: account }, windowMs }
  const session = Layer.mock(Session, {
    config,
    unique: (label) => unique("run", "check", label),
    content: (label, sizeBytes, contentType) => content("run", "check", label, sizeBytes, contentType),
    now: Effect.sync(() => nowMs),
    pause: Effect.sync(() => void (nowMs += 25))
  })
  const read = Effect.sync(() => {
    began.push(nowMs)
    const isSeen = nowMs >= seenAtMs
    nowMs += 10
    return isSeen
  })
  return { began, read, session }
}

it.effect("a read that holds is the last", () =>
  Effect.gen(function* () {
    const { began, read, session } = target(1000, 60)
    const seen = yield* Effect.provide(
      eventually(read, (isSeen) => isSeen),
      session
    )
    assert.isTrue(seen)
    assert.deepStrictEqual(began, [0, 35, 70])
  })
)

it.effect("what a host shows at the very end of its window is seen", () =>
  Effect.gen(function* () {
    const { began, read, session } = target(100, 100)
    const seen = yield* Effect.provide(
      eventually(read, (isSeen) => isSeen),
      session
    )
    assert.isTrue(seen)
    assert.deepStrictEqual(began, [0, 35, 70, 105])
  })
)

it.effect("what never holds ends with a read that began after the window", () =>
  Effect.gen(function* () {
    const { began, read, session } = target(50, Number.POSITIVE_INFINITY)
    assert.isFalse(
      yield* Effect.provide(
        eventually(read, (isSeen) => isSeen),
        session
      )
    )
    assert.deepStrictEqual(began, [0, 35, 70])
  })
)

it.effect("without a window there is one read", () =>
  Effect.gen(function* () {
    const { began, read, session } = target(0, Number.POSITIVE_INFINITY)
    assert.isFalse(
      yield* Effect.provide(
        eventually(read, (isSeen) => isSeen),
        session
      )
    )
    assert.deepStrictEqual(began, [0])
  })
)

it.effect("what is settled is read after the window, whatever came before", () =>
  Effect.gen(function* () {
    const { began, read, session } = target(50, 0)
    assert.isTrue(yield* Effect.provide(settled(read), session))
    assert.isAtLeast(began.at(-1) ?? 0, 50)
  })
)
