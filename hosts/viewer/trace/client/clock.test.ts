import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import { makeClock, type ClockState, type Leader } from "./clock.ts"

/** A browser's frames, drawn when a test calls for it. */
const frames = () => {
  let waiting: Array<(now: number) => void> = []
  let now = 0
  vi.stubGlobal("performance", { now: () => now })
  vi.stubGlobal("requestAnimationFrame", (act: (now: number) => void) => waiting.push(act))
  return (milliseconds: number): void => {
    now += milliseconds
    const acts = waiting
    waiting = []
    for (const act of acts) act(now)
  }
}

describe("the clock of a page", () => {
  let frame: (milliseconds: number) => void
  beforeEach(() => {
    frame = frames()
  })
  afterEach(() => {
    vi.unstubAllGlobals()
  })

  const playing = (leader: Leader, length = 10_000) => {
    const clock = makeClock(leader, length)
    const states: Array<ClockState> = []
    clock.onMove((state) => states.push(state))
    clock.play()
    return { clock, states }
  }

  it("runs at its rate to the end, stops there, and starts again from the beginning", () => {
    const { clock, states } = playing(() => undefined, 100)
    clock.setRate(2)
    frame(16)
    assert.strictEqual(clock.state().t, 32)
    for (let count = 0; count < 5; count += 1) frame(16)
    assert.deepInclude(clock.state(), { t: 100, isPlaying: false })
    frame(16)
    assert.deepInclude(states.at(-1), { t: 100, isPlaying: false })
    clock.play()
    assert.deepInclude(clock.state(), { t: 0, isPlaying: true })
  })

  it("follows its leader, and waits for it", () => {
    let led: ReturnType<Leader> = 40
    const { clock } = playing(() => led)
    frame(16)
    assert.strictEqual(clock.state().t, 40)
    led = "waiting"
    frame(16)
    assert.strictEqual(clock.state().t, 40)
  })

  it("is at the selected moment while it plays, until its leader has it", () => {
    // As a video does: it is set with a frame, and continues from there.
    let video = 0
    const { clock } = playing(() => (video += 16))
    clock.onMove(({ t }, move) => {
      if (move === "seek") video = t
    })
    frame(16)
    frame(16)
    clock.seek(5000)
    frame(16)
    assert.strictEqual(clock.state().t, 5000)
    frame(16)
    assert.strictEqual(clock.state().t, 5016)
  })

  it("stops while the page is hidden, because no frame is drawn", () => {
    const { clock } = playing(() => undefined, 3_600_000)
    frame(16)
    frame(600_000)
    assert.isBelow(clock.state().t, 1000)
  })

  it("reaches a moment beyond its length once it is extended, unless another was selected", () => {
    const clock = makeClock(() => undefined, 100)
    clock.seek(5000)
    assert.strictEqual(clock.state().t, 100)
    clock.lengthen(2000)
    assert.strictEqual(clock.state().t, 2000)
    clock.lengthen(9000)
    assert.strictEqual(clock.state().t, 5000)
    clock.seek(50)
    clock.lengthen(10_000)
    assert.deepInclude(clock.state(), { t: 50, length: 10_000 })
  })
})
