import { assert, describe, it } from "@effect/vitest"
import { gzipSync } from "node:zlib"
import { inflated } from "../content/inflated.ts"
import { parseEvent, type TraceEvent } from "./steps.ts"
import { eventBatches, hasWords, lineBatches, logReader, searchedText, withoutTime, wordsOf } from "./lines.ts"

describe("log lines", () => {
  it("count from the log's own zero, or from the first time of the calendar or of a day's clock", () => {
    const times = (lines: ReadonlyArray<string>) => lines.map(logReader()).map(({ t }) => t)
    assert.deepStrictEqual(times(["00:00.000 a", "00:01.240 b", "[00:01.5] c"]), [0, 1240, 1500])
    assert.deepStrictEqual(times(["head", "2026-11-21T10:00:00.000Z a", "2026-11-21 10:00:01,5+00:00 b"]), [0, 0, 1500])
    assert.deepStrictEqual(times(["13:04:05.100 a", "  at b", "13:04:06.350 c", "13:04:06.349 d"]), [0, 0, 1250, 1250])
    assert.deepStrictEqual(times(["nothing", "12 tests"]), [0, 0])
  })

  it("have the times of the day as test runners and devices write them", () => {
    const times = (lines: ReadonlyArray<string>) => lines.map(logReader()).map(({ t }) => t)
    const maestro = (time: string) => `${time} [ INFO] maestro.cli.runner.Some.run: Tap on "Pay" RUNNING`
    assert.deepStrictEqual(times(["06:05:23.267", "06:05:24.000"].map(maestro)), [0, 733])
    assert.deepStrictEqual(times(["00:15:20.100", "00:15:21.100"].map(maestro)), [0, 1000], "soon after midnight")
    assert.deepStrictEqual(times(["23:59:59.500", "00:00:00.250", "00:00:02.000"].map(maestro)), [0, 750, 2500])
    assert.deepStrictEqual(
      times(["11:44:06.770 detox[13] i App started", "    at x", "11:44:07 detox[13] B tap"]),
      [0, 0, 230]
    )
    assert.deepStrictEqual(
      times(["03-19 00:00:20.123  12  34 D ReactNativeJS: a", "03-19 00:00:22.123  12  34 E ReactNativeJS: b"]),
      [0, 2000]
    )
    assert.deepStrictEqual(times(["Mar  9 14:45:20 phone App[1]: a", "Mar  9 14:45:21 phone App[1]: b"]), [0, 1000])
    assert.deepStrictEqual(
      times(["2026-03-19 14:45:20.123456-0700  phone App[1]: a", "2026-03-19 14:45:21.623456-07:00  phone App[1]: b"]),
      [0, 1500]
    )
    assert.deepStrictEqual(times(["00:00:00.010 a", "00:00:02.010 b"]), [10, 2010], "a stopwatch")
    assert.deepStrictEqual(times(["59:59.500 a", "1:00:01.000 b"]), [3_599_500, 3_601_000])
    assert.deepStrictEqual(times(["13:00:00.000 a", "00:30 left", "13:00:01.000 b"]), [0, 0, 1000])
  })

  it("have no colours of a terminal", () => {
    const line =
      "\u001b[36m11:44:06.770\u001b[39m \u001b[1;31mE\u001b[0m see \u001b]8;;https://a.example\u0007here\u001b]8;;\u0007"
    const [first, second] = [line, "\u001b[2m11:44:07.770\u001b[22m on"].map(logReader())
    assert.deepStrictEqual(first, { index: 0, t: 0, text: "11:44:06.770 E see here" })
    assert.strictEqual(second?.t, 1000)
  })

  it("have no time at their beginning", () => {
    assert.deepStrictEqual(
      [
        "00:01.240 INFO a",
        "[10:00:01,5] - b",
        "2026-11-21T10:00:00.000Z   c",
        "03-19 14:45:20.123  12 D e",
        "  at d",
        "12 tests",
        "00:01"
      ].map(withoutTime),
      ["INFO a", "- b", "c", "12 D e", "  at d", "12 tests", ""]
    )
  })

  it("are on the clock on which the log started", () => {
    assert.deepStrictEqual(["a", "00:01.000 b", "c"].map(logReader(250)), [
      { index: 0, t: 250, text: "a" },
      { index: 1, t: 1250, text: "00:01.000 b" },
      { index: 2, t: 1250, text: "c" }
    ])
  })
})

const streamOf = (chunks: ReadonlyArray<Uint8Array>): ReadableStream<Uint8Array<ArrayBuffer>> =>
  new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(new Uint8Array(chunk))
      controller.close()
    }
  })

const read = async (chunks: ReadonlyArray<Uint8Array>, startedAtMs = 0): Promise<ReadonlyArray<TraceEvent>> => {
  const events: Array<TraceEvent> = []
  for await (const batch of eventBatches(lineBatches(await inflated(streamOf(chunks))), startedAtMs))
    events.push(...batch)
  return events
}

const text = Array.from({ length: 1000 }, (_, t) => JSON.stringify({ t, type: "tap", name: `button ${t}` })).join("\n")
const plain = new TextEncoder().encode(text)
const packed = new Uint8Array(gzipSync(plain))

describe("the events of a recording", () => {
  it("are the same plain and as gzip, however what arrives is cut", async () => {
    const expected = await read([plain])
    assert.lengthOf(expected, 1000)
    assert.deepInclude(expected[999], { index: 999, t: 999, type: "tap", name: "button 999" })
    for (const at of [0, 1, 2, 3, packed.byteLength - 1]) {
      assert.deepStrictEqual(await read([packed.subarray(0, at), packed.subarray(at)]), expected, `cut at ${at}`)
      assert.deepStrictEqual(await read([plain.subarray(0, at), plain.subarray(at)]), expected, `cut at ${at}`)
    }
  })

  it("are on the clock on which the recording started", async () => {
    assert.deepStrictEqual(
      (await read([new TextEncoder().encode('{"t":1}\n\nnot json\n{"t":3}')], 100)).map(({ t }) => t),
      [101, 101, 103]
    )
  })

  it("come in batches, so that the reader can yield between them", async () => {
    const sizes: Array<number> = []
    for await (const batch of eventBatches(lineBatches(streamOf([plain])), 0)) sizes.push(batch.length)
    assert.strictEqual(
      sizes.reduce((sum, size) => sum + size, 0),
      1000
    )
    assert.isAtMost(Math.max(...sizes), 250)
  })

  it("of a gzip file that ends early are those that there are, and then it fails", async () => {
    const events: Array<TraceEvent> = []
    let failed = false
    try {
      const stream = await inflated(streamOf([packed.subarray(0, packed.byteLength - 20)]))
      for await (const batch of eventBatches(lineBatches(stream), 0)) events.push(...batch)
    } catch {
      failed = true
    }
    assert.isTrue(failed)
  })

  it("of an empty recording are none", async () => {
    assert.deepStrictEqual(await read([]), [])
    assert.deepStrictEqual(await read([new Uint8Array([0x1f])]), [
      { index: 0, t: 0, type: "text", name: "\u001f", status: undefined, fields: {} }
    ])
  })
})

const finds = (typed: string, line: string): boolean => {
  const event = parseEvent(line, undefined)
  return event !== undefined && hasWords(searchedText(event), wordsOf(typed))
}

describe("what is typed is found", () => {
  const line = '{"t":1,"type":"network","name":"GET /Cart","status":"500","body":{"why":"B\\u00fccher"},"bytes":7}'

  it("in the type, the name, the status and every other field, in any case", () => {
    for (const typed of ["network", "/cart", "500", "bücher", "BYTES", "7", "", "  "])
      assert.isTrue(finds(typed, line), typed)
    for (const typed of ["tap", "501", "kirche"]) assert.isFalse(finds(typed, line), typed)
  })

  it("where all of its words are, in whatever order", () => {
    assert.isTrue(finds("bücher get", line))
    assert.isFalse(finds("bücher put", line))
  })

  it("also where a field is nested deeper than can be written", () => {
    const deep = `{"name":"deep","value":${"[".repeat(100_000)}${"]".repeat(100_000)}}`
    assert.isTrue(finds("deep", deep))
  })
})
