/** How long a read is tried again: until it holds, and until one began after the consistency window. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { defaults, unlinkedRepository } from "../config/Config.ts"
import { content, Session, unique } from "../session/Session.ts"
import { eventually, mentions, settled } from "./steps.ts"

const account = { linked: { owner: "north", repo: "harbour" }, unlinked: unlinkedRepository }

/** A target on which a read takes 10 ms and sees what was written at 0 from `seenAtMs` on. */
const target = (windowMs: number, seenAtMs: number) => {
  const began: Array<number> = []
  let nowMs = 0
  const config = { ...defaults, url: "http://target.example", accounts: { a: account, b: account }, windowMs }
  const session = Layer.mock(Session, {
    config,
    runId: "run",
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

for (const [what, windowMs, seenAtMs, reads] of [
  ["a read that holds is the last", 1000, 60, [0, 35, 70]],
  ["what a host shows at the very end of its window is seen", 100, 100, [0, 35, 70, 105]],
  ["what never holds ends with a read that began after the window", 50, Number.POSITIVE_INFINITY, [0, 35, 70]],
  ["without a window there is one read", 0, Number.POSITIVE_INFINITY, [0]]
] as const) {
  it.effect(what, () =>
    Effect.gen(function* () {
      const { began, read, session } = target(windowMs, seenAtMs)
      const seen = yield* Effect.provide(eventually(read, Boolean), session)
      assert.strictEqual(seen, Number.isFinite(seenAtMs))
      assert.deepStrictEqual(began, [...reads])
    })
  )
}

it.effect("what is settled is read after the window, whatever came before", () =>
  Effect.gen(function* () {
    const { began, read, session } = target(50, 0)
    assert.isTrue(yield* Effect.provide(settled(read), session))
    assert.isAtLeast(began.at(-1) ?? 0, 50)
  })
)

describe("what an answer mentions", () => {
  it("is found as a value and as a name, within a longer text and in other letters, wherever it lies", () => {
    const json = { data: [{ git: "acme/app#7 Main@ABC1234" }], files: { "a/style-17.css": { size: 64 } }, w: 3117 }
    for (const mark of ["main", "abc1234", "style-17.css", 64, 3117])
      assert.isTrue(mentions({ json }, [mark]), `${mark}`)
    assert.isTrue(mentions({ json }, ["not there", 64]))
    assert.isFalse(mentions({ json }, ["not there", 65]))
  })

  it("has a number in a text on its own, and not as a part of a hash, a longer number or a URL", () => {
    const has = (text: string) => mentions({ json: { text } }, [3117])
    for (const text of ["3117x2556", "ios 1179×3117", "3117"]) assert.isTrue(has(text), text)
    for (const text of ["a3117f", "31170", "0.3117", "http://127.0.0.1:3117/x"]) assert.isFalse(has(text), text)
  })

  it("is nothing in an answer that isn't JSON", () => {
    assert.isFalse(mentions({ json: undefined }, ["x"]))
  })
})
