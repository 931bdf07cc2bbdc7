import { assert, describe, it } from "vitest"
import { mapConcurrent } from "./mapConcurrent.ts"

const items = Array.from({ length: 20 }, (_, index) => index)

/** Ends when its signal is aborted, with the signal's reason. */
const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }))

describe("at once", () => {
  it("so many run and no more, and the answers stand in the order of the items", async () => {
    let [running, most] = [0, 0]
    const answers = await mapConcurrent(items, 3, undefined, async (item) => {
      running += 1
      most = Math.max(most, running)
      await Promise.resolve()
      running -= 1
      return item * 2
    })
    assert.strictEqual(most, 3)
    assert.deepStrictEqual(
      answers,
      items.map((item) => item * 2)
    )
  })

  it("a failure aborts the others, rejects when all have ended, and no more are started", async () => {
    const [begun, ended]: [Array<number>, Array<number>] = [[], []]
    const failure = new Error("the third")
    const all = mapConcurrent(items, 3, undefined, async (item, signal) => {
      begun.push(item)
      try {
        return await (item === 2 ? Promise.reject(failure) : untilAborted(signal))
      } finally {
        ended.push(item)
      }
    })
    assert.strictEqual(await all.catch((error: unknown) => error), failure)
    assert.deepStrictEqual(begun, [0, 1, 2])
    assert.sameMembers(ended, begun)
  })

  it("each has a signal of its own, which the caller's ends", async () => {
    const controller = new AbortController()
    const signals = new Set<AbortSignal>()
    const all = mapConcurrent(items, items.length, controller.signal, (_, signal) => {
      signals.add(signal)
      return untilAborted(signal)
    })
    controller.abort("left")
    assert.strictEqual(await all.catch((error: unknown) => error), "left")
    assert.strictEqual(signals.size, items.length)
  })
})
