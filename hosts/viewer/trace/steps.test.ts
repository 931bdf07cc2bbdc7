import { assert, describe, it } from "@effect/vitest"
import { alignSteps, differenceOf } from "./align.ts"
import { lineBatches } from "./lines.ts"
import {
  barsOf,
  clockText,
  describeStep,
  failingStep,
  hashOf,
  isFailed,
  momentIn,
  momentOf,
  maxBars,
  parseEvent,
  rowsOf,
  stepAt,
  stepReader,
  stepsOf as knownSteps,
  timelineWidth,
  type TraceEvent
} from "./steps.ts"
import { type Step } from "./traceData.ts"

const eventsOf = (lines: ReadonlyArray<string>): ReadonlyArray<TraceEvent> => {
  const events: Array<TraceEvent> = []
  for (const line of lines) {
    const event = parseEvent(line, events.at(-1))
    if (event !== undefined) events.push(event)
  }
  return events
}

const stepsOf = (events: ReadonlyArray<TraceEvent>): ReadonlyArray<Step> => knownSteps(events).steps

const stepLine = (t: number, name: string, status: string, rest: Record<string, unknown> = {}) =>
  JSON.stringify({ t, type: "step", name, status, ...rest })

describe("events", () => {
  it("an event has its time, type, name, status and whatever else was recorded", () => {
    assert.deepStrictEqual(eventsOf(['{"t":12.5,"type":"network","name":"GET /a","status":200,"bytes":7}']), [
      { index: 0, t: 12.5, type: "network", name: "GET /a", status: "200", fields: { bytes: 7 } }
    ])
  })

  it("what is missing or doesn't fit is the line before's time, an event, no name", () => {
    const events = eventsOf(['{"t":5,"name":"a"}', "{}", '{"t":-1,"type":{},"name":[],"status":null}'])
    assert.deepStrictEqual(
      events.map(({ name, status, t, type }) => ({ name, status, t, type })),
      [
        { name: "a", status: undefined, t: 5, type: "event" },
        { name: "", status: undefined, t: 5, type: "event" },
        { name: "", status: undefined, t: 5, type: "event" }
      ]
    )
  })

  it("no colours of a terminal are kept", () => {
    const line = String.raw`{"t":1,"name":"\u001b[31mred\u001B[39m","message":"\u001b[2mexpect(\u001b[22m","of":["\u001b[1ma"]}`
    const [first, second] = eventsOf([line, "\u001b[33mwarn\u001b[39m"])
    assert.deepInclude(first, { name: "red", fields: { message: "expect(", of: ["a"] } })
    assert.strictEqual(second?.name, "warn")
  })

  it("no colours of a terminal are kept, however deep they lie", () => {
    const deep = 20_000
    const line = String.raw`{"name":"a","in":${"[".repeat(deep)}"\u001b[31mred"${"]".repeat(deep)}}`
    const [event] = eventsOf([line])
    let value: unknown = event?.fields["in"]
    while (Array.isArray(value)) value = value[0]
    assert.strictEqual(value, "red")
  })

  it("a line that is no JSON object is text at the time of the line before; an empty one is none", () => {
    const events = eventsOf(['{"t":7}', "not json", "", "  ", "[1]", '"text"', "3"])
    assert.deepStrictEqual(
      events.slice(1).map(({ index, name, t, type }) => [index, t, type, name]),
      [
        [1, 7, "text", "not json"],
        [2, 7, "text", "[1]"],
        [3, 7, "text", '"text"'],
        [4, 7, "text", "3"]
      ]
    )
  })

  it("are on the clock on which their recording started", () => {
    const first = parseEvent("no time", undefined, 500)
    const second = parseEvent('{"t":20}', first, 500)
    const third = parseEvent('{"t":"late"}', second, 500)
    assert.deepStrictEqual(
      [first, second, third].map((event) => event?.t),
      [500, 520, 520]
    )
  })
})

describe("lines of a stream", () => {
  const linesOf = async (chunks: ReadonlyArray<Uint8Array>): Promise<ReadonlyArray<string>> => {
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const chunk of chunks) controller.enqueue(chunk)
        controller.close()
      }
    })
    const out: Array<string> = []
    for await (const batch of lineBatches(stream)) out.push(...batch)
    return out
  }

  it("are whole wherever the stream is cut, within a character too", async () => {
    const text = "a\nbücher\r\n漢𝒜\n\nlast"
    const bytes = new TextEncoder().encode(text)
    for (let at = 0; at <= bytes.byteLength; at += 1) {
      const lines = await linesOf([bytes.subarray(0, at), bytes.subarray(at)])
      assert.deepStrictEqual(lines, ["a", "bücher", "漢𝒜", "", "last"], `cut at ${at}`)
    }
  })

  it("end where the text does: behind its last line break is no line", async () => {
    assert.deepStrictEqual(await linesOf([new TextEncoder().encode("a\r\n\nb\n")]), ["a", "", "b"])
    assert.deepStrictEqual(await linesOf([]), [])
  })

  it("are cut where they never end, and those behind are whole", async () => {
    const part = new TextEncoder().encode("x".repeat(2 ** 18))
    const lines = await linesOf([...Array.from({ length: 9 }, () => part), new TextEncoder().encode("\nlast")])
    assert.deepStrictEqual(
      lines.map(({ length }) => length),
      [2 ** 20, 4]
    )
    assert.strictEqual(lines[1], "last")
  })

  it("come in small batches, however much arrives at once", async () => {
    const stream = new Blob(["\n".repeat(2 ** 20)]).stream()
    let [longest, count] = [0, 0]
    for await (const batch of lineBatches(stream)) {
      longest = Math.max(longest, batch.length)
      count += batch.length
    }
    assert.isAtMost(longest, 2 ** 14)
    assert.strictEqual(count, 2 ** 20)
  })

  it("end where the bounds do, and then it fails in words for people", async () => {
    const count = { chunks: 0 }
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        count.chunks += 1
        controller.enqueue(new TextEncoder().encode(`${"x".repeat(2 ** 19 - 1)}\n`))
      }
    })
    let why: unknown
    let lines = 0
    try {
      for await (const batch of lineBatches(endless, { longest: 10, bytes: 2 ** 21, lines: Infinity })) {
        lines += batch.length
        for (const line of batch) assert.lengthOf(line, 10)
      }
    } catch (error) {
      why = error
    }
    assert.instanceOf(why, RangeError)
    assert.include(String(why), "Only its first 2 MiB are shown.")
    assert.strictEqual(lines, 4)
    assert.isAtMost(count.chunks, 7)
  })
})

describe("steps", () => {
  it("a step is two events of one name, or one with its duration", () => {
    const steps = stepsOf(
      eventsOf([
        stepLine(0, "launch", "started"),
        stepLine(10, "tap", "passed", { durationMs: 5, depth: 1 }),
        stepLine(20, "launch", "failed", { message: "no app" }),
        stepLine(30, "wait", "started")
      ])
    )
    assert.deepStrictEqual(
      steps.map(({ depth, from, index, message, name, status, to }) => [index, name, status, from, to, depth, message]),
      [
        [0, "launch", "failed", 0, 20, 0, "no app"],
        [1, "tap", "passed", 10, 15, 1, undefined],
        [2, "wait", "running", 30, undefined, 0, undefined]
      ]
    )
    assert.deepStrictEqual(steps.map(isFailed), [true, false, false])
  })

  it("the same name again is another step, and an end belongs to the last that is open", () => {
    const steps = stepsOf(
      eventsOf([
        stepLine(0, "tap", "started"),
        stepLine(1, "tap", "passed"),
        stepLine(2, "tap", "started"),
        stepLine(4, "tap", "passed")
      ])
    )
    assert.deepStrictEqual(
      steps.map(({ from, to }) => [from, to]),
      [
        [0, 1],
        [2, 4]
      ]
    )
  })

  it("the step at a time is the last that had begun", () => {
    const steps = stepsOf(eventsOf([stepLine(5, "a", "passed", { durationMs: 2 }), stepLine(9, "b", "passed")]))
    assert.deepStrictEqual(
      [4, 5, 8, 9, 99].map((t) => stepAt(steps, t)?.name),
      [undefined, "a", "a", "b", "b"]
    )
  })

  it("that began while one of the same name continued end from the inside out", () => {
    const steps = stepsOf(
      eventsOf([
        stepLine(0, "tap", "started"),
        stepLine(1, "tap", "started", { depth: 1 }),
        stepLine(2, "tap", "failed"),
        stepLine(3, "tap", "passed")
      ])
    )
    assert.deepStrictEqual(
      steps.map(({ from, status, to }) => [from, to, status]),
      [
        [0, 3, "passed"],
        [1, 2, "failed"]
      ]
    )
  })

  it("that never end are read one as fast as another, and end from the inside out", () => {
    const many = 200_000
    const { known, read } = stepReader(Infinity)
    const event = (status: string, t: number): TraceEvent => ({
      index: 0,
      t,
      type: "step",
      name: "a",
      status,
      fields: {}
    })
    for (let t = 0; t < many; t += 1) read(event("started", t))
    for (let t = 0; t < many; t += 1) read(event("passed", many + t))
    const { isWhole, steps } = known()
    assert.lengthOf(steps, many)
    assert.isTrue(isWhole)
    assert.isTrue(steps.every(({ from, to }) => from + (to ?? 0) === 2 * many - 1))
  })

  it("are no more than are wanted: the end of one that is left out ends no other", () => {
    const { isWhole, steps } = knownSteps(
      eventsOf([
        stepLine(0, "tap", "started"),
        stepLine(1, "wait", "started"),
        stepLine(2, "tap", "started"),
        stepLine(3, "tap", "failed"),
        stepLine(4, "tap", "passed"),
        stepLine(5, "look", "passed")
      ]),
      2
    )
    assert.isFalse(isWhole)
    assert.deepStrictEqual(
      steps.map(({ name, status, to }) => [name, status, to]),
      [
        ["tap", "passed", 4],
        ["wait", "running", undefined]
      ]
    )
    assert.isTrue(knownSteps(eventsOf([stepLine(0, "tap", "started"), stepLine(1, "tap", "passed")]), 1).isWhole)
  })

  it("the failing step is the one that the run names, or the innermost of the first that failed", () => {
    const steps = stepsOf(
      eventsOf([
        stepLine(0, "launch", "passed"),
        stepLine(1, "log in", "started"),
        stepLine(2, "type", "passed", { depth: 1 }),
        stepLine(3, "press", "failed", { depth: 1, durationMs: 4 }),
        stepLine(8, "log in", "failed"),
        stepLine(9, "log out", "failed")
      ])
    )
    const failedWith = (index: number | undefined) => failingStep(steps, index)?.name
    assert.strictEqual(failedWith(undefined), "press")
    assert.strictEqual(failedWith(4), "log out")
    assert.strictEqual(failedWith(0), "press", "what it names has passed")
    assert.strictEqual(failedWith(99), "press")
    const passed = stepsOf(eventsOf([stepLine(0, "launch", "passed"), stepLine(1, "tap", "passed")]))
    assert.strictEqual(failingStep(passed, 1)?.name, "tap", "nothing failed, so it is as the run says")
    assert.isUndefined(failingStep(passed, undefined))
  })

  it("are looked at where they begin, and where they went wrong at their end", () => {
    const steps = stepsOf(
      eventsOf([stepLine(5, "a", "passed", { durationMs: 2 }), stepLine(9, "b", "failed", { durationMs: 3 })])
    )
    assert.deepStrictEqual(steps.map(momentOf), [5, 12])
  })
})

describe("two runs", () => {
  const run = (...steps: ReadonlyArray<readonly [string, string, number]>) => {
    let t = 0
    return stepsOf(
      eventsOf(
        steps.map(([name, status, durationMs]) => {
          const line = stepLine(t, name, status, { durationMs })
          t += durationMs
          return line
        })
      )
    )
  }

  it("match by the names of their steps in order, and differ in what is marked", () => {
    const left = run(["launch", "passed", 500], ["login", "passed", 100], ["tap", "passed", 100], ["pay", "failed", 9])
    const right = run(["launch", "passed", 900], ["tap", "passed", 120], ["scroll", "passed", 9], ["pay", "passed", 9])
    const pairs = alignSteps(left, right)
    assert.deepStrictEqual(
      pairs.map((pair) => [pair.left?.name, pair.right?.name, differenceOf(pair)]),
      [
        ["launch", "launch", "slower"],
        ["login", undefined, "only-left"],
        ["tap", "tap", "same"],
        [undefined, "scroll", "only-right"],
        ["pay", "pay", "status"]
      ]
    )
  })

  it("that failed differ by their messages", () => {
    const failing = (message: string) => stepsOf(eventsOf([stepLine(0, "pay", "failed", { message })]))
    const [differing] = alignSteps(failing("no button"), failing("no money"))
    const [alike] = alignSteps(failing("no button"), failing("no button"))
    assert.isDefined(differing)
    assert.isDefined(alike)
    assert.strictEqual(differenceOf(differing), "message")
    assert.strictEqual(differenceOf(alike), "same")
  })

  it("of one kind hold every step once, in order, whatever they are", () => {
    const names = ["a", "b", "a", "c", "b", "b", "a"]
    for (let cut = 0; cut < names.length; cut += 1) {
      const left = run(...names.map((name) => [name, "passed", 1] as const))
      const right = run(...[...names.slice(cut), ...names.slice(0, cut)].map((name) => [name, "passed", 1] as const))
      const pairs = alignSteps(left, right)
      assert.deepStrictEqual(
        pairs.flatMap((pair) => (pair.left === undefined ? [] : [pair.left])),
        left
      )
      assert.deepStrictEqual(
        pairs.flatMap((pair) => (pair.right === undefined ? [] : [pair.right])),
        right
      )
      assert.isTrue(pairs.every((pair) => !pair.left || !pair.right || pair.left.name === pair.right.name))
    }
  })
})

const step = (fields: Partial<Step>): Step => ({
  index: 0,
  name: "tap",
  status: "passed",
  from: 0,
  to: 0,
  depth: 0,
  message: undefined,
  ...fields
})

describe("steps on a timeline", () => {
  it("are at their times, and one that never ended reaches the end", () => {
    const bars = barsOf([step({ from: 0, to: 50 }), step({ from: 50, to: undefined, depth: 9 })], 200)
    assert.deepStrictEqual(
      bars.map(({ row, width, x }) => [x, width, row]),
      [
        [0, timelineWidth / 4, 0],
        [timelineWidth / 4, (timelineWidth * 3) / 4, 2]
      ]
    )
    assert.strictEqual(rowsOf(bars), 3)
  })

  it("can all be seen, however short, and none leaves it", () => {
    for (const [from, to] of [
      [0, 0],
      [100, 100],
      [99.9, 100],
      [500, 900],
      [0, 1e300]
    ] as const) {
      const [bar] = barsOf([step({ from, to })], 100)
      assert.isAtLeast(bar?.width ?? 0, 3)
      assert.isAtLeast(bar?.x ?? -1, 0)
      assert.isAtMost((bar?.x ?? 0) + (bar?.width ?? 0), timelineWidth)
    }
  })

  it("are drawn on one of no length, and about as many as can be drawn, from its beginning to its end", () => {
    assert.deepInclude(barsOf([step({})], 0)[0], { x: 0, width: 3 })
    const count = 10 * maxBars
    const many = Array.from({ length: count }, (_, index) =>
      step({ index, from: index, to: index + 1, status: index === count - 5 ? "failed" : "passed" })
    )
    const bars = barsOf(many, count)
    assert.isAtMost(bars.length, maxBars + 1)
    assert.isAbove(bars.at(-2)?.x ?? 0, timelineWidth * 0.99)
    const [failed] = bars.slice(-1)
    assert.strictEqual(failed?.step.index, count - 5, "above all others")
    assert.isAtLeast(failed?.width ?? 0, 8)
  })
})

describe("a step is described", () => {
  it("with how it went, from when to when", () => {
    assert.deepInclude(describeStep(step({ from: 1240, to: 1530 })), {
      mark: "passed",
      took: "290 ms",
      summary: "passed, from 0:01.240 to 0:01.530, 290 ms"
    })
    assert.strictEqual(
      describeStep(step({ from: 5, to: undefined, status: "running" })).summary,
      "running, from 0:00.005, never ended"
    )
    assert.strictEqual(describeStep(step({ from: 5, to: 5, status: "skipped" })).summary, "skipped, at 0:00.005")
  })

  it("by the mark of a status, and of one that nobody knows by another", () => {
    const marks = ["passed", "PASS", "Error", "failed", "warned", "skipped", "running", "eaten"].map(
      (status) => describeStep(step({ status })).mark
    )
    assert.deepStrictEqual(marks, ["passed", "passed", "failed", "failed", "warned", "skipped", "running", "other"])
  })

  it("with the beginning of what would be too long, no character cut in two", () => {
    const { isCut, name } = describeStep(step({ name: "𝒜".repeat(16_384) }))
    assert.isTrue(isCut)
    assert.strictEqual(name, `${"𝒜".repeat(159)}…`)
    assert.deepInclude(describeStep(step({ name: "𝒜".repeat(160) })), { isCut: false, name: "𝒜".repeat(160) })
    assert.isFalse(describeStep(step({ depth: 1e9 })).depth > 6)
  })
})

describe("a moment in an address", () => {
  it("is in seconds, with or without their unit", () => {
    assert.strictEqual(momentIn("#t=12.4"), 12_400)
    assert.strictEqual(momentIn("#t=0"), 0)
    assert.strictEqual(momentIn("#t=7s"), 7000)
    assert.strictEqual(momentIn("#a=1&t=3"), 3000)
  })

  it("is none where there is something else", () => {
    for (const hash of ["", "#", "#t=", "#t=-1", "#t=1e9", "#t=1.2.3", "#at=1", "#t=NaN", "#t=12:04", "t=1"]) {
      assert.isUndefined(momentIn(hash), hash)
    }
  })

  it("is written to the millisecond, and read as it was written", () => {
    assert.strictEqual(hashOf(2166), "#t=2.166")
    assert.strictEqual(hashOf(12_400), "#t=12.4")
    assert.strictEqual(hashOf(0.4), "#t=0")
    for (const t of [0, 1, 999, 61_001, 3_600_000]) assert.strictEqual(momentIn(hashOf(t)), t)
  })
})

describe("a time as a clock shows it", () => {
  it("has minutes, seconds and milliseconds, and hours where there are some", () => {
    assert.strictEqual(clockText(0), "0:00.000")
    assert.strictEqual(clockText(2166.4), "0:02.166")
    assert.strictEqual(clockText(59_999.6), "1:00.000")
    assert.strictEqual(clockText(754_030), "12:34.030")
    assert.strictEqual(clockText(3_723_000), "1:02:03.000")
  })
})
