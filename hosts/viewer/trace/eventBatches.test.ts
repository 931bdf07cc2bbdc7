import { assert, describe, it } from "@effect/vitest"
import { gzipSync } from "node:zlib"
import { eventBatches } from "./eventBatches.ts"
import type { TraceEvent } from "./event.ts"
import { inflated } from "../content/inflated.ts"
import { lineBatches } from "./lines.ts"

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
