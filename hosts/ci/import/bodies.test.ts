import { createHash } from "node:crypto"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { assert, describe, it } from "vitest"
import { onNode } from "../../client/onNode.ts"
import { bytesOf, looksText, measure } from "./bodies.ts"
import { makeMask } from "./mask.ts"
import { folderOf } from "./testing/reading.ts"

const opened = (content: string | Uint8Array, isMasked: boolean) => {
  const mask = makeMask()
  mask.hide("hunter2!")
  const path = join(folderOf({ file: content }), "file")
  return bytesOf({ from: { path, isMasked } }, mask)
}

/** All bytes. A chunk holds until the next one is read. */
const read = (open: () => Iterable<Uint8Array>) => Buffer.concat(Array.from(open(), (chunk) => chunk.slice()))

const textOf = (open: () => Iterable<Uint8Array>) => read(open).toString()

describe("the bytes of a recording", () => {
  it("are those of its file", () => {
    const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => index % 251)
    assert.deepStrictEqual(new Uint8Array(read(opened(bytes, false))), bytes)
  })

  it("have no secret, wherever the file was read in parts", () => {
    // A file is read 262,144 bytes at a time.
    for (let before = 262_134; before <= 262_146; before += 1) {
      const sent = textOf(opened(`${"é".repeat(before / 2)}hunter2! and\nmore`, true))
      assert.strictEqual(sent, `${"é".repeat(before / 2)}••• and\nmore`)
    }
  })

  it("have no secret in UTF-16 and in encodings of one byte either", () => {
    const text = "typed hunter2! here"
    const little = Buffer.from(`\uFEFF${text}`, "utf16le")
    for (const bytes of [little, Buffer.from(little).swap16(), Buffer.from(`é ${text}`, "latin1")]) {
      const sent = textOf(opened(bytes, true))
      assert.include(sent, "typed ••• here")
    }
  })

  it("are those of a text if they look so, whatever the file is called", () => {
    const path = (content: string | Uint8Array) => join(folderOf({ "a.flow": content }), "a.flow")
    for (const text of ["a", "é\n".repeat(9000), Buffer.from("\uFEFFa", "utf16le"), Buffer.from("é\n", "latin1")])
      assert.isTrue(looksText(path(text)))
    for (const bytes of [Uint8Array.of(0, 1, 2), Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 0x1a, 10)])
      assert.isFalse(looksText(path(bytes)))
  })

  it("are a text of one endless line, too", () => {
    for (const before of [1_000_000, 1_048_570, 1_114_100, 3_000_000]) {
      const line = `${"x".repeat(before)}hunter2!${"x".repeat(2_000_000)}`
      assert.strictEqual(textOf(opened(line, true)).replaceAll("x", ""), "•••")
    }
  })

  it("have their declared size and digest each time they are opened", async () => {
    for (const line of ["typed hunter2!\n", "typed hunter2!\n".repeat(40_000)]) {
      const sent = line.replaceAll("hunter2!", "•••")
      const { body, contentHash, sizeBytes } = measure(opened(line, true))
      assert.strictEqual(sizeBytes, Buffer.byteLength(sent))
      assert.strictEqual(contentHash, createHash("sha256").update(sent).digest("hex"))
      for (let time = 0; time < 2; time += 1)
        assert.strictEqual(await text((await onNode.open(body, undefined)).chunks()), sent)
    }
  })
})
