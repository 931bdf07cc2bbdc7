import { assert, describe, it } from "@effect/vitest"
import { alignSteps, differenceOf } from "./align.ts"
import { parseEvent, type TraceEvent } from "./event.ts"
import { lineBatches } from "./lines.ts"
import { failingStep, isFailed, momentOf, stepAt, stepReader, stepsOf as knownSteps, type Step } from "./steps.ts"

const eventsOf = (lines: ReadonlyArray<string>): ReadonlyArray<TraceEvent> => {
  const events: Array<TraceEvent> = []
  for (const line of lines) {
    const event = parseEvent(line, events.at(-1))
    if (event !== undefined) events.push(event)
  }
  return events
}

const stepsOf = (events: ReadonlyArray<TraceEvent>): ReadonlyArray<Step> => knownSteps(events).steps

const step = (t: number, name: string, status: string, rest: Record<string, unknown> = {}) =>
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
        step(0, "launch", "started"),
        step(10, "tap", "passed", { durationMs: 5, depth: 1 }),
        step(20, "launch", "failed", { message: "no app" }),
        step(30, "wait", "started")
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
        step(0, "tap", "started"),
        step(1, "tap", "passed"),
        step(2, "tap", "started"),
        step(4, "tap", "passed")
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
    const steps = stepsOf(eventsOf([step(5, "a", "passed", { durationMs: 2 }), step(9, "b", "passed")]))
    assert.deepStrictEqual(
      [4, 5, 8, 9, 99].map((t) => stepAt(steps, t)?.name),
      [undefined, "a", "a", "b", "b"]
    )
  })

  it("that began while one of the same name continued end from the inside out", () => {
    const steps = stepsOf(
      eventsOf([
        step(0, "tap", "started"),
        step(1, "tap", "started", { depth: 1 }),
        step(2, "tap", "failed"),
        step(3, "tap", "passed")
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
        step(0, "tap", "started"),
        step(1, "wait", "started"),
        step(2, "tap", "started"),
        step(3, "tap", "failed"),
        step(4, "tap", "passed"),
        step(5, "look", "passed")
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
    assert.isTrue(knownSteps(eventsOf([step(0, "tap", "started"), step(1, "tap", "passed")]), 1).isWhole)
  })

  it("the failing step is the one that the run names, or the innermost of the first that failed", () => {
    const steps = stepsOf(
      eventsOf([
        step(0, "launch", "passed"),
        step(1, "log in", "started"),
        step(2, "type", "passed", { depth: 1 }),
        step(3, "press", "failed", { depth: 1, durationMs: 4 }),
        step(8, "log in", "failed"),
        step(9, "log out", "failed")
      ])
    )
    const failedWith = (index: number | undefined) => failingStep(steps, index)?.name
    assert.strictEqual(failedWith(undefined), "press")
    assert.strictEqual(failedWith(4), "log out")
    assert.strictEqual(failedWith(0), "press", "what it names has passed")
    assert.strictEqual(failedWith(99), "press")
    const passed = stepsOf(eventsOf([step(0, "launch", "passed"), step(1, "tap", "passed")]))
    assert.strictEqual(failingStep(passed, 1)?.name, "tap", "nothing failed, so it is as the run says")
    assert.isUndefined(failingStep(passed, undefined))
  })

  it("are looked at where they begin, and where they went wrong at their end", () => {
    const steps = stepsOf(
      eventsOf([step(5, "a", "passed", { durationMs: 2 }), step(9, "b", "failed", { durationMs: 3 })])
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
          const line = step(t, name, status, { durationMs })
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
    const failing = (message: string) => stepsOf(eventsOf([step(0, "pay", "failed", { message })]))
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
