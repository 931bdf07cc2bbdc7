import { createHash } from "node:crypto"
import { join } from "node:path"
import { buffer } from "node:stream/consumers"
import { assert, describe, it } from "vitest"
import { bytesOf, measure } from "./bodies.ts"
import { makeMask } from "./mask.ts"
import { folderOf } from "./testing/reading.ts"

const opened = (content: string | Uint8Array, isMasked: boolean) => {
  const mask = makeMask()
  mask.hide("hunter2!")
  const path = join(folderOf({ file: content }), "file")
  return bytesOf(
    {
      name: "file",
      kind: "log",
      contentType: "text/plain",
      startedAtMs: 0,
      durationMs: undefined,
      from: { path, isMasked }
    },
    mask
  )
}

const textOf = async (open: () => AsyncIterable<Uint8Array>) => (await buffer(open())).toString()

describe("the bytes of a recording", () => {
  it("are those of its file", async () => {
    const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => index % 251)
    assert.deepStrictEqual(new Uint8Array(await buffer(opened(bytes, false)())), bytes)
  })

  it("have no secret, wherever the file was read in parts", async () => {
    // A file is read 65,536 bytes at a time.
    for (let before = 65_526; before <= 65_538; before += 1) {
      const text = await textOf(opened(`${"é".repeat(before / 2)}hunter2! and\nmore`, true))
      assert.strictEqual(text, `${"é".repeat(before / 2)}••• and\nmore`)
    }
  })

  it("are a text of one endless line, too", async () => {
    for (const before of [1_000_000, 1_048_570, 1_114_100, 3_000_000]) {
      const line = `${"x".repeat(before)}hunter2!${"x".repeat(2_000_000)}`
      assert.strictEqual((await textOf(opened(line, true))).replaceAll("x", ""), "•••")
    }
  })

  it("have their declared size and digest each time they are opened", async () => {
    const open = opened("typed hunter2!\n", true)
    const sent = Buffer.from("typed •••\n")
    for (let time = 0; time < 2; time += 1) {
      assert.deepStrictEqual(await measure(open), {
        sizeBytes: sent.byteLength,
        contentHash: createHash("sha256").update(sent).digest("hex")
      })
    }
  })
})
