import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { gzipSync } from "node:zlib"
import { it } from "../../../core/testing/layer.ts"
import { parsedPerTurn } from "../../http/testing/turnWork.ts"
import { bytes } from "../../http/testing/uploads.ts"
import { costlyLines, stepLine } from "../testing/runs.ts"
import { readStepEvents } from "./recordedSteps.ts"

const bounds = { longest: 2 ** 16, bytes: 2 ** 20, lines: 20_000 }
const room = { events: 1000, characters: 2 ** 17 }

const streamOf = (text: string) => new Blob([text]).stream()

/** An endless text, delivered a kilobyte at a time, with a count of the bytes taken. */
const endless = (line: string) => {
  const count = { bytes: 0 }
  const chunk = bytes(line.repeat(Math.ceil(1024 / line.length)))
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => {
      count.bytes += chunk.byteLength
      controller.enqueue(chunk)
    }
  })
  return { count, stream }
}

const started = `${stepLine(0, "a", "started")}\n`
const network = `${JSON.stringify({ t: 0, type: "network", name: "GET /" })}\n`

describe("the events of steps with which a recording begins", () => {
  it.effect("are all of them where the bounds are no nearer than its end", function* () {
    const text = [stepLine(1, "a", "started"), "", network.trim(), stepLine(3, "a", "passed")].join("\n")
    const lines = text.split("\n")
    const exact = { longest: lines[0]?.length ?? 0, bytes: text.length, lines: lines.length }
    const { events, isWhole } = yield* readStepEvents(streamOf(text), 100, {
      bounds: exact,
      room: { events: 2, characters: "astartedapassed".length }
    })
    assert.deepStrictEqual(
      events.map(({ status, t }) => [t, status]),
      [
        [101, "started"],
        [103, "passed"]
      ]
    )
    assert.isTrue(isWhole)
  })

  it.effect("end at each of the bounds, and no more of the recording is read", function* () {
    const ends: ReadonlyArray<
      readonly [line: string, to: { readonly bounds: typeof bounds; readonly room: typeof room }, events: number]
    > = [
      [started, { bounds, room: { ...room, events: 7 } }, 7],
      [started, { bounds, room: { ...room, characters: 24 } }, 3],
      [network, { bounds: { ...bounds, bytes: 10_000 }, room }, 0],
      [network, { bounds: { ...bounds, lines: 100 }, room }, 0],
      ["\n", { bounds: { ...bounds, lines: 100 }, room }, 0],
      ["x", { bounds: { ...bounds, bytes: 10_000 }, room }, 0]
    ]
    for (const [line, to, many] of ends) {
      const { count, stream } = endless(line)
      const { events, isWhole } = yield* readStepEvents(stream, 0, to)
      assert.lengthOf(events, many)
      assert.isFalse(isWhole)
      assert.isAtMost(count.bytes, 16_384)
    }
  })

  it.effect("continue behind a line that is longer than lines are read", function* () {
    const long = stepLine(0, "x".repeat(bounds.longest), "passed")
    const { events, isWhole } = yield* readStepEvents(streamOf(`${started}${long}\n${started}`), 0, { bounds, room })
    assert.deepStrictEqual(
      events.map(({ name }) => name),
      ["a", "a"]
    )
    assert.isFalse(isWhole)
  })

  it.effect("are those that could be read where a recording breaks off", function* () {
    const packed = gzipSync(started.repeat(10))
    for (const broken of [
      new Blob([new Uint8Array(packed.subarray(0, packed.byteLength - 4))]).stream(),
      new ReadableStream({
        start: (controller) => controller.enqueue(bytes(started.repeat(10))),
        pull: (controller) => controller.error(new Error("gone"))
      })
    ]) {
      const { events, isWhole } = yield* readStepEvents(broken, 0, { bounds, room })
      assert.lengthOf(events, 10)
      assert.isFalse(isWhole)
    }
  })

  it.live("are read in slices, one a turn of the event loop, however many recordings are read at once", function* () {
    const texts = [...costlyLines(60_000), started.trim(), "{}", ""].map((line) =>
      `${line}\n`.repeat(Math.ceil(2 ** 19 / (line.length + 1)))
    )
    const readAll = Effect.forEach(
      [...texts, ...texts],
      (text) => readStepEvents(streamOf(text), 0, { bounds: { ...bounds, lines: 2 ** 20 }, room }),
      { concurrency: "unbounded" }
    )
    // A piece of 16 KiB ends at most one line of the longest, and the lines within it are no longer than it.
    const maxParsed = bounds.longest + 2 * 2 ** 14
    assert.isAtMost((yield* parsedPerTurn(readAll)).most, maxParsed)
  })
})
